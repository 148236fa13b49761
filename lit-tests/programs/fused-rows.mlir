// RUN: tx-opt %s --lower-reduction=chip=sm_90
// SNAPSHOT: none — one kernel and one launch a function, and what it computes, say enough.
// COMPARE: @softmax(A: 5x1003xf32 in -20..20, B: 5x1003xf32) e = exp(A - max(A, 1, keep)); B = e / sum(e, 1, keep)
// COMPARE: @layer_norm(A: Nx100xf32 in -3..3, G: 100xf32, C: Nx100xf32) m = sum(A, 1, keep) / 100; d = A - m; v = sum(d * d, 1, keep) / 100; C = d / sqrt(v + 0.5) * G
// COMPARE: @turned(A: 3x16x16xf32 in -1..1, B: 3x16x16xf32, S: 3xf32) B = A + 1.0; S = sum(sum(A + 1.0, 2), 1)
// COMPARE: @kept(A: 6x1000xf32 in -5..5, B: 6x1000xf32) e = exp(A); B = e / sum(e, 1, keep)
// COMPARE: @pages(A: Nx3x64xf32 in -5..5, B: Nx3x64xf32) e = exp(A); B = e / sum(e, 2, keep)
// COMPARE: @spread(A: 7x3x20xf32, L: 7xf32, H: 7xf32) L = min(min(A, 2), 1); H = max(max(A, 2), 1)
// COMPARE: @parts_of_vectors(A: 5x1003xf32 in -5..5, B: 5x1003xf32) B = A - max(A, 1, keep)
// COMPARE: @chained(A: Nx100xf32 in 1..3, B: Nx100xf32, M: Nxf32) q = A / sum(A, 1, keep); B = q; M = max(q, 1)

// Programs over rows are one kernel each. A thread holds its elements of a row between ops.

#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#cube = affine_map<(i, j, k) -> (i, j, k)>
#turned = affine_map<(i, j, k) -> (i, k, j)>

// CHECK-LABEL: gpu.func @softmax_0(
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @softmax(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:   gpu.launch_func
func.func @softmax(%A: memref<5x1003xf32>, %B: memref<5x1003xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %max = memref.alloc() : memref<5xf32>
  %sum = memref.alloc() : memref<5xf32>
  linalg.fill ins(%lowest : f32) outs(%max : memref<5xf32>)
  linalg.reduce { arith.maximumf } ins(%A : memref<5x1003xf32>) outs(%max : memref<5xf32>) dimensions = [1]
  linalg.fill ins(%zero : f32) outs(%sum : memref<5xf32>)
  linalg.generic {indexing_maps = [#whole, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A, %max : memref<5x1003xf32>, memref<5xf32>) outs(%sum : memref<5xf32>) {
  ^bb0(%x: f32, %m: f32, %s: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %t = arith.addf %e, %s : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#whole, #row, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max, %sum : memref<5x1003xf32>, memref<5xf32>, memref<5xf32>) outs(%B : memref<5x1003xf32>) {
  ^bb0(%x: f32, %m: f32, %s: f32, %old: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  memref.dealloc %max : memref<5xf32>
  memref.dealloc %sum : memref<5xf32>
  return
}

// Rows of static length, with a dynamic number of rows.
// CHECK-LABEL: gpu.func @layer_norm_0(
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @layer_norm(
func.func @layer_norm(%A: memref<?x100xf32>, %G: memref<100xf32>, %C: memref<?x100xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %length = arith.constant 100.0 : f32
  %epsilon = arith.constant 0.5 : f32
  %n = memref.dim %A, %c0 : memref<?x100xf32>
  %mean = memref.alloc(%n) : memref<?xf32>
  %var = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%mean : memref<?xf32>)
  linalg.reduce { arith.addf } ins(%A : memref<?x100xf32>) outs(%mean : memref<?xf32>) dimensions = [1]
  linalg.fill ins(%zero : f32) outs(%var : memref<?xf32>)
  linalg.generic {indexing_maps = [#whole, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A, %mean : memref<?x100xf32>, memref<?xf32>) outs(%var : memref<?xf32>) {
  ^bb0(%x: f32, %s: f32, %old: f32):
    %m = arith.divf %s, %length : f32
    %d = arith.subf %x, %m : f32
    %q = arith.mulf %d, %d : f32
    %t = arith.addf %q, %old : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#whole, #row, #row, #column, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %mean, %var, %G : memref<?x100xf32>, memref<?xf32>, memref<?xf32>, memref<100xf32>) outs(%C : memref<?x100xf32>) {
  ^bb0(%x: f32, %s: f32, %v: f32, %g: f32, %old: f32):
    %m = arith.divf %s, %length : f32
    %d = arith.subf %x, %m : f32
    %w = arith.divf %v, %length : f32
    %e = arith.addf %w, %epsilon : f32
    %r = math.sqrt %e : f32
    %y = arith.divf %d, %r : f32
    %z = arith.mulf %y, %g : f32
    linalg.yield %z : f32
  }
  memref.dealloc %mean : memref<?xf32>
  memref.dealloc %var : memref<?xf32>
  return
}

// A row of two dimensions, whose lengths are no powers of two.
// CHECK-LABEL: gpu.func @spread_0(
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @spread(
func.func @spread(%A: memref<7x3x20xf32>, %L: memref<7xf32>, %H: memref<7xf32>) {
  tile.reduce min %A into %L axes [1, 2] scope(grid) : memref<7x3x20xf32> into memref<7xf32>
  tile.reduce max %A into %H axes [1, 2] scope(grid) : memref<7x3x20xf32> into memref<7xf32>
  return
}

// The second and third op write an element of %B by another thread than before: two warp barriers.
// CHECK-LABEL: gpu.func @turned_0(
// CHECK-NOT:   gpu.func
// CHECK-COUNT-2: nvvm.bar.warp.sync
// CHECK-NOT:   nvvm.bar.warp.sync
// CHECK-LABEL: func.func @turned(
func.func @turned(%A: memref<3x16x16xf32>, %B: memref<3x16x16xf32>, %S: memref<3xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [#cube, #cube], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%A : memref<3x16x16xf32>) outs(%B : memref<3x16x16xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [#turned], iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%B : memref<3x16x16xf32>) {
  ^bb0(%old: f32):
    %b = arith.addf %old, %one : f32
    linalg.yield %b : f32
  }
  tile.reduce sum %B into %S axes [1, 2] scope(grid) : memref<3x16x16xf32> into memref<3xf32>
  return
}

// The result of the first op is a separate array, whose address and sizes are no longer used.
// CHECK-LABEL: gpu.func @kept_0(
// CHECK-SAME:  %{{.+}}: memref<6x1000xf32>, %{{.+}}: memref<6x1000xf32>) kernel
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @kept(
// CHECK-NOT:   memref.alloc
func.func @kept(%A: memref<6x1000xf32>, %B: memref<6x1000xf32>) {
  %e = memref.alloc() : memref<6x1000xf32>
  %s = memref.alloc() : memref<6xf32>
  linalg.exp ins(%A : memref<6x1000xf32>) outs(%e : memref<6x1000xf32>)
  tile.reduce sum %e into %s axes [1] scope(grid) : memref<6x1000xf32> into memref<6xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : memref<6x1000xf32>, memref<6xf32>) outs(%B : memref<6x1000xf32>) {
  ^bb0(%a: f32, %t: f32, %old: f32):
    %q = arith.divf %a, %t : f32
    linalg.yield %q : f32
  }
  memref.dealloc %e : memref<6x1000xf32>
  memref.dealloc %s : memref<6xf32>
  return
}

// A temporary with dynamic strides is removed, too.
// CHECK-LABEL: gpu.func @pages_0(
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @pages(
func.func @pages(%A: memref<?x?x64xf32>, %B: memref<?x?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x?x64xf32>
  %m = memref.dim %A, %c1 : memref<?x?x64xf32>
  %e = memref.alloc(%n, %m) : memref<?x?x64xf32>
  %s = memref.alloc(%n, %m) : memref<?x?xf32>
  linalg.exp ins(%A : memref<?x?x64xf32>) outs(%e : memref<?x?x64xf32>)
  tile.reduce sum %e into %s axes [2] scope(grid) : memref<?x?x64xf32> into memref<?x?xf32>
  linalg.generic {indexing_maps = [#cube, affine_map<(i, j, k) -> (i, j)>, #cube], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %s : memref<?x?x64xf32>, memref<?x?xf32>) outs(%B : memref<?x?x64xf32>) {
  ^bb0(%a: f32, %t: f32, %old: f32):
    %q = arith.divf %a, %t : f32
    linalg.yield %q : f32
  }
  memref.dealloc %e : memref<?x?x64xf32>
  memref.dealloc %s : memref<?x?xf32>
  return
}

// The last vector of a row may be partial.
// CHECK-LABEL: gpu.func @parts_of_vectors_0(
// CHECK-LABEL: func.func @parts_of_vectors(
func.func @parts_of_vectors(%A: memref<5x1003xf32>, %B: memref<5x1003xf32>) {
  %max = memref.alloc() : memref<5xf32>
  tile.reduce max %A into %max axes [1] scope(grid)
      {tile.group = 0 : i64, schedule = [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 4>, #tile.split<"r0.o" by 128>,
        #tile.bind<"r0.o.i" to thread_x>, #tile.unroll<"r0.o.o">, #tile.vectorize<"r0.i">, #tile.hold<"in0" in registers>,
        #tile.hold<"tmp0" in registers>]}
      : memref<5x1003xf32> into memref<5xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max : memref<5x1003xf32>, memref<5xf32>) outs(%B : memref<5x1003xf32>) attrs = {tile.group = 0 : i64} {
  ^bb0(%x: f32, %m: f32, %old: f32):
    %d = arith.subf %x, %m : f32
    linalg.yield %d : f32
  }
  memref.dealloc %max : memref<5xf32>
  return
}

// The last op has no operand in common with the first op: the second op ties the numbers of rows together.
// CHECK-LABEL: gpu.func @chained_0(
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @chained(
func.func @chained(%A: memref<?x100xf32>, %B: memref<?x100xf32>, %M: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x100xf32>
  %s = memref.alloc(%n) : memref<?xf32>
  tile.reduce sum %A into %s axes [1] scope(grid) : memref<?x100xf32> into memref<?xf32>
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %s : memref<?x100xf32>, memref<?xf32>) outs(%B : memref<?x100xf32>) {
  ^bb0(%x: f32, %t: f32, %old: f32):
    %q = arith.divf %x, %t : f32
    linalg.yield %q : f32
  }
  tile.reduce max %B into %M axes [1] scope(grid) : memref<?x100xf32> into memref<?xf32>
  memref.dealloc %s : memref<?xf32>
  return
}
