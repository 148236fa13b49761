// RUN: tx-opt %s --lower-reduction=chip=sm_90
// SNAPSHOT: none — the alignment checks of the kernels are what matters, and what a kernel computes
// VALIDATE: --chip sm_90 --entry elements

// A temporary is aligned, but a view of it can begin at any element or byte. So a kernel checks the
// alignment of each array before it loads or stores vectors.

#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A launch plan cannot contain `memref.view`, so the test checks only the IR of the kernel.
// CHECK-LABEL: gpu.func @bytes_0(
// CHECK:         %[[P:.+]] = memref.extract_aligned_pointer_as_index %arg1 : memref<8x4096xf32>
// CHECK-NEXT:    %[[R:.+]] = arith.remui %[[P]], %{{.+}} : index
// CHECK-NEXT:    %[[WHOLE:.+]] = arith.cmpi eq, %[[R]], %{{.+}} : index
// CHECK:         scf.if %[[WHOLE]] {
// CHECK:           vector.store %{{.+}}, %arg1
// CHECK:         } else {
// CHECK:           memref.store %{{.+}}, %arg1
// CHECK:         gpu.return
// CHECK-LABEL: func.func @bytes(
func.func @bytes(%A: memref<8x4096xf32>, %B: memref<8xf32>) {
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %bytes = memref.alloc() : memref<131076xi8>
  %T = memref.view %bytes[%c4][] : memref<131076xi8> to memref<8x4096xf32>
  linalg.abs ins(%A : memref<8x4096xf32>) outs(%T : memref<8x4096xf32>)
  linalg.fill ins(%zero : f32) outs(%B : memref<8xf32>)
  linalg.reduce { arith.addf } ins(%T : memref<8x4096xf32>) outs(%B : memref<8xf32>) dimensions = [1]
  memref.dealloc %bytes : memref<131076xi8>
  return
}

// The view begins at element 1. A kernel holds the rows of the view, and stores them for a second kernel.
func.func @elements(%A: memref<8x4096xf32>, %B: memref<8x4096xf32>, %S: memref<4096xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %flat = memref.alloc() : memref<32769xf32>
  %tail = memref.subview %flat[1] [32768] [1]
      : memref<32769xf32> to memref<32768xf32, strided<[1], offset: 1>>
  %T = memref.expand_shape %tail [[0, 1]] output_shape [8, 4096]
      : memref<32768xf32, strided<[1], offset: 1>> into memref<8x4096xf32, strided<[4096, 1], offset: 1>>
  linalg.copy ins(%A : memref<8x4096xf32>) outs(%T : memref<8x4096xf32, strided<[4096, 1], offset: 1>>)
  %max = memref.alloc() : memref<8xf32>
  linalg.fill ins(%lowest : f32) outs(%max : memref<8xf32>)
  linalg.reduce { arith.maximumf } ins(%T : memref<8x4096xf32, strided<[4096, 1], offset: 1>>)
      outs(%max : memref<8xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%T, %max : memref<8x4096xf32, strided<[4096, 1], offset: 1>>, memref<8xf32>)
      outs(%B : memref<8x4096xf32>) {
  ^bb0(%x: f32, %m: f32, %old: f32):
    %d = arith.subf %x, %m : f32
    linalg.yield %d : f32
  }
  linalg.fill ins(%zero : f32) outs(%S : memref<4096xf32>)
  linalg.reduce { arith.addf } ins(%T : memref<8x4096xf32, strided<[4096, 1], offset: 1>>)
      outs(%S : memref<4096xf32>) dimensions = [0]
  memref.dealloc %max : memref<8xf32>
  memref.dealloc %flat : memref<32769xf32>
  return
}
