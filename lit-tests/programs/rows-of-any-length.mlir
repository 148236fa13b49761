// RUN: tx-opt %s --lower-reduction=chip=sm_90
// SNAPSHOT: none — the kernels of each class of lengths, and what they compute, say enough.
// COMPARE: @layer_norm(A: NxMxf32 in -3..3, G: Mxf32, C: NxMxf32) m = sum(A, 1, keep) / 50; d = A - m; v = sum(d * d, 1, keep) / 50; C = d / sqrt(v + 0.5) * G
// COMPARE: @in_place(A: NxMxf32 in -3..3, R: NxMxf32 in -1..1, S: Nxf32) t = A + R; S = sum(t * t, 1); A = t
// COMPARE: @by_hand(A: NxMxf32 in -5..5, B: NxMxf32) B = A - max(A, 1, keep)
// SIZES: NxM = 3x1003 1x1 2x64 33x65 5x257 2x4099 0x7 4x0 1x33000 3x12 2x100 3x1000 2x4092 1x20000

// Rows of dynamic length: kernels for each class of lengths hold rows in registers. The kernel for multiples of
// the vector width uses vectors. Longer rows use one kernel for each op.

#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// CHECK-LABEL: gpu.func @layer_norm_0(
// CHECK-SAME:    lengths = "`r0` up to 64, multiples of 4"
// CHECK:         vector.load
// CHECK-LABEL: gpu.func @layer_norm_1(
// CHECK-SAME:    lengths = "`r0` up to 64"
// CHECK-NOT:     vector.load
// CHECK-LABEL: gpu.func @layer_norm_2(
// CHECK-SAME:    lengths = "`r0` from 65 to 128, multiples of 4"
// CHECK-LABEL: func.func @layer_norm(
// CHECK:         scf.if
// CHECK:           gpu.launch_func {{.*}}@layer_norm_0
func.func @layer_norm(%A: memref<?x?xf32>, %G: memref<?xf32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %length = arith.constant 50.0 : f32
  %epsilon = arith.constant 0.5 : f32
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %mean = memref.alloc(%n) : memref<?xf32>
  %variance = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%mean : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%A : memref<?x?xf32>) outs(%mean : memref<?xf32>) dimensions = [1]
  linalg.fill ins(%zero : f32) outs(%variance : memref<?xf32>)
  linalg.generic {indexing_maps = [#whole, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A, %mean : memref<?x?xf32>, memref<?xf32>) outs(%variance : memref<?xf32>) {
  ^bb0(%x: f32, %s: f32, %old: f32):
    %m = arith.divf %s, %length : f32
    %d = arith.subf %x, %m : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %q, %old : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#whole, #row, #row, #column, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %mean, %variance, %G : memref<?x?xf32>, memref<?xf32>, memref<?xf32>, memref<?xf32>) outs(%C : memref<?x?xf32>) {
  ^bb0(%x: f32, %s: f32, %v: f32, %g: f32, %old: f32):
    %m = arith.divf %s, %length : f32
    %d = arith.subf %x, %m : f32
    %w = arith.divf %v, %length : f32
    %e = arith.addf %w, %epsilon : f32
    %r = math.sqrt %e : f32
    %q = arith.divf %d, %r : f32
    %o = arith.mulf %q, %g : f32
    linalg.yield %o : f32
  }
  memref.dealloc %mean : memref<?xf32>
  memref.dealloc %variance : memref<?xf32>
  return
}

// A residual is added in place, and the result is summed.
// CHECK-LABEL: gpu.func @in_place_0(
// CHECK-LABEL: func.func @in_place(
func.func @in_place(%A: memref<?x?xf32>, %R: memref<?x?xf32>, %S: memref<?xf32>) {
  linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%R : memref<?x?xf32>) outs(%A : memref<?x?xf32>) {
  ^bb0(%r: f32, %a: f32):
    %t = arith.addf %a, %r : f32
    linalg.yield %t : f32
  }
  tile.reduce sum %A into %S axes [1] scope(grid) element {
  ^bb0(%a: f32, %i: index, %j: index):
    %q = arith.mulf %a, %a : f32
    tile.yield %q : f32
  } : memref<?x?xf32> into memref<?xf32>
  return
}

// A group schedule may have cases of row lengths. In the first case, the threads hold 64 elements.
// CHECK-LABEL: gpu.func @by_hand_0(
// CHECK-SAME:    lengths = "`r0` up to 64"
// CHECK-LABEL: gpu.func @by_hand_1(
// CHECK-SAME:    lengths = "`r0` from 65 to 512"
// CHECK-LABEL: func.func @by_hand(
func.func @by_hand(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %max = memref.alloc(%n) : memref<?xf32>
  tile.reduce max %A into %max axes [1] scope(grid)
      {tile.group = 0 : i64, schedule = [
        #tile.case<"r0" to 64, [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 64>, #tile.split<"r0.i" by 32>,
                                #tile.bind<"r0.i.i" to thread_x>, #tile.unroll<"r0.i.o">, #tile.hold<"in0" in registers>,
                                #tile.hold<"tmp0" in registers>]>,
        #tile.case<"r0" to 512, [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 512>, #tile.split<"r0.i" by 4>,
                                 #tile.bind<"r0.i.o" to thread_x>, #tile.vectorize<"r0.i.i">, #tile.hold<"in0" in registers>,
                                 #tile.hold<"tmp0" in registers>]>]}
      : memref<?x?xf32> into memref<?xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max : memref<?x?xf32>, memref<?xf32>) outs(%B : memref<?x?xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%x: f32, %m: f32, %old: f32):
    %d = arith.subf %x, %m : f32
    linalg.yield %d : f32
  }
  memref.dealloc %max : memref<?xf32>
  return
}
