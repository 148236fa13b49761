// RUN: tx-opt %s --lower-reduction=chip=sm_90
// VALIDATE: --chip sm_90
// SNAPSHOT: none — one kernel and one launch are checked.

#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The mask removes all elements of the first rows. The results of these rows are NaN, as in the input program.
// CHECK-LABEL: gpu.func @nothing_left_0(
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @nothing_left(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:   gpu.launch_func
func.func @nothing_left(%A: memref<6x7xf32>, %k: index, %B: memref<6x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %max = memref.alloc() : memref<6xf32>
  %sum = memref.alloc() : memref<6xf32>
  linalg.fill ins(%lowest : f32) outs(%max : memref<6xf32>)
  linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<6x7xf32>) outs(%max : memref<6xf32>) {
  ^bb0(%x: f32, %m: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %last = arith.addi %i, %k : index
    %keep = arith.cmpi sle, %j, %last : index
    %v = arith.select %keep, %x, %lowest : f32
    %n = arith.maximumf %v, %m : f32
    linalg.yield %n : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<6xf32>)
  linalg.generic {indexing_maps = [#whole, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A, %max : memref<6x7xf32>, memref<6xf32>) outs(%sum : memref<6xf32>) {
  ^bb0(%x: f32, %m: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %last = arith.addi %i, %k : index
    %keep = arith.cmpi sle, %j, %last : index
    %v = arith.select %keep, %x, %lowest : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %n = arith.addf %e, %s : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#whole, #row, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max, %sum : memref<6x7xf32>, memref<6xf32>, memref<6xf32>) outs(%B : memref<6x7xf32>) {
  ^bb0(%x: f32, %m: f32, %s: f32, %old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %last = arith.addi %i, %k : index
    %keep = arith.cmpi sle, %j, %last : index
    %v = arith.select %keep, %x, %lowest : f32
    %d = arith.subf %v, %m : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  memref.dealloc %max : memref<6xf32>
  memref.dealloc %sum : memref<6xf32>
  return
}
