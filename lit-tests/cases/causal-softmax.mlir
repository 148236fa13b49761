// RUN: tx-opt %s --lower-reduction=chip=sm_90
// SNAPSHOT: none — one kernel and one launch per function with static rows and the results are checked.
// COMPARE: @before(A: 33x100xf32 in -9..9, B: 33x100xf32) w = index(A, 1) <= index(A, 0); m = max(select(w, A, 0.0 - 99.0), 1, keep); e = select(w, exp(A - m), 0.0); B = e / sum(e, 1, keep)
// COMPARE: @before_in_bf16(A: 9x1003xbf16 in -9..9, B: 9x1003xbf16) w = index(A, 1) <= index(A, 0) + 990; m = max(select(w, A, 0.0 - 99.0), 1, keep); e = select(w, exp(A - m), 0.0); B = e / sum(e, 1, keep)
// COMPARE: @within(A: NxMxf32 in -9..9, k = 3, B: NxMxf32) w = index(A, 1) <= index(A, 0) + k; m = max(select(w, A, 0.0 - 99.0), 1, keep); e = select(w, exp(A - m), 0.0); B = e / sum(e, 1, keep)
// SIZES: NxM = 1x1 7x7 5x100 3x1003 1x4099 2x20000 0x7 5x0
// COMPARE: @between(A: 5x1003xf32 in -9..9, E: 5x1003xf32, B: 5x1003xf32) e = select(index(A, 1) < index(A, 0) + 500, exp(A - max(A, 1, keep)), 0.0); E = e; B = e / sum(e, 1, keep)
// COMPARE: @after(A: 5x7xf32 in -9..9, B: 5x7xf32) e = exp(A - max(A, 1, keep)); B = select(index(A, 1) <= index(A, 0), e / sum(e, 1, keep), 0.0)

// Attention masks: the row index and the column index select the elements of a row. A masked softmax is one kernel,
// like a plain softmax, for every position of the mask.
#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The array of masked scores stays in registers.
// CHECK-LABEL: gpu.func @before_0(
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @before(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:   gpu.launch_func
func.func @before(%A: memref<33x100xf32>, %B: memref<33x100xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %T = memref.alloc() : memref<33x100xf32>
  linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<33x100xf32>) outs(%T : memref<33x100xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %keep = arith.cmpi sle, %j, %i : index
    %v = arith.select %keep, %x, %lowest : f32
    linalg.yield %v : f32
  }
  %max = memref.alloc() : memref<33xf32>
  %sum = memref.alloc() : memref<33xf32>
  linalg.fill ins(%lowest : f32) outs(%max : memref<33xf32>)
  linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%T : memref<33x100xf32>) outs(%max : memref<33xf32>) {
  ^bb0(%x: f32, %m: f32):
    %n = arith.maximumf %x, %m : f32
    linalg.yield %n : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<33xf32>)
  linalg.generic {indexing_maps = [#whole, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%T, %max : memref<33x100xf32>, memref<33xf32>) outs(%sum : memref<33xf32>) {
  ^bb0(%x: f32, %m: f32, %s: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %n = arith.addf %e, %s : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#whole, #row, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%T, %max, %sum : memref<33x100xf32>, memref<33xf32>, memref<33xf32>) outs(%B : memref<33x100xf32>) {
  ^bb0(%x: f32, %m: f32, %s: f32, %old: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  memref.dealloc %max : memref<33xf32>
  memref.dealloc %sum : memref<33xf32>
  memref.dealloc %T : memref<33x100xf32>
  return
}

// CHECK-LABEL: gpu.func @before_in_bf16_0(
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @before_in_bf16(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:   gpu.launch_func
func.func @before_in_bf16(%A: memref<9x1003xbf16>, %B: memref<9x1003xbf16>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %T = memref.alloc() : memref<9x1003xbf16>
  %least = arith.constant 0xFF80 : bf16
  %offset = arith.constant 990 : index
  linalg.generic {indexing_maps = [#whole, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<9x1003xbf16>) outs(%T : memref<9x1003xbf16>) {
  ^bb0(%x: bf16, %old: bf16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %last = arith.addi %i, %offset : index
    %keep = arith.cmpi sle, %j, %last : index
    %v = arith.select %keep, %x, %least : bf16
    linalg.yield %v : bf16
  }
  %max = memref.alloc() : memref<9xf32>
  %sum = memref.alloc() : memref<9xf32>
  linalg.fill ins(%lowest : f32) outs(%max : memref<9xf32>)
  linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%T : memref<9x1003xbf16>) outs(%max : memref<9xf32>) {
  ^bb0(%x: bf16, %m: f32):
    %w = arith.extf %x : bf16 to f32
    %n = arith.maximumf %w, %m : f32
    linalg.yield %n : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<9xf32>)
  linalg.generic {indexing_maps = [#whole, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%T, %max : memref<9x1003xbf16>, memref<9xf32>) outs(%sum : memref<9xf32>) {
  ^bb0(%x: bf16, %m: f32, %s: f32):
    %w = arith.extf %x : bf16 to f32
    %d = arith.subf %w, %m : f32
    %e = math.exp %d : f32
    %n = arith.addf %e, %s : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#whole, #row, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%T, %max, %sum : memref<9x1003xbf16>, memref<9xf32>, memref<9xf32>) outs(%B : memref<9x1003xbf16>) {
  ^bb0(%x: bf16, %m: f32, %s: f32, %old: bf16):
    %w = arith.extf %x : bf16 to f32
    %d = arith.subf %w, %m : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %s : f32
    %t = arith.truncf %q : f32 to bf16
    linalg.yield %t : bf16
  }
  memref.dealloc %max : memref<9xf32>
  memref.dealloc %sum : memref<9xf32>
  memref.dealloc %T : memref<9x1003xbf16>
  return
}

// Every body masks its operands. Dynamic rows have one kernel per row class.
// CHECK-LABEL: func.func @within(
func.func @within(%A: memref<?x?xf32>, %k: index, %B: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %rows = memref.dim %A, %c0 : memref<?x?xf32>
  %max = memref.alloc(%rows) : memref<?xf32>
  %sum = memref.alloc(%rows) : memref<?xf32>
  linalg.fill ins(%lowest : f32) outs(%max : memref<?xf32>)
  linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<?x?xf32>) outs(%max : memref<?xf32>) {
  ^bb0(%x: f32, %m: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %last = arith.addi %i, %k : index
    %keep = arith.cmpi sle, %j, %last : index
    %v = arith.select %keep, %x, %lowest : f32
    %n = arith.maximumf %v, %m : f32
    linalg.yield %n : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<?xf32>)
  linalg.generic {indexing_maps = [#whole, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A, %max : memref<?x?xf32>, memref<?xf32>) outs(%sum : memref<?xf32>) {
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
      ins(%A, %max, %sum : memref<?x?xf32>, memref<?xf32>, memref<?xf32>) outs(%B : memref<?x?xf32>) {
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
  memref.dealloc %max : memref<?xf32>
  memref.dealloc %sum : memref<?xf32>
  return
}

// The exponentials are masked, between two reductions.
// CHECK-LABEL: gpu.func @between_0(
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @between(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:   gpu.launch_func
func.func @between(%A: memref<5x1003xf32>, %E: memref<5x1003xf32>, %B: memref<5x1003xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %offset = arith.constant 500 : index
  %max = memref.alloc() : memref<5xf32>
  %sum = memref.alloc() : memref<5xf32>
  linalg.fill ins(%lowest : f32) outs(%max : memref<5xf32>)
  linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<5x1003xf32>) outs(%max : memref<5xf32>) {
  ^bb0(%x: f32, %m: f32):
    %n = arith.maximumf %x, %m : f32
    linalg.yield %n : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<5xf32>)
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max : memref<5x1003xf32>, memref<5xf32>) outs(%E : memref<5x1003xf32>) {
  ^bb0(%x: f32, %m: f32, %old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %end = arith.addi %i, %offset : index
    %keep = arith.cmpi slt, %j, %end : index
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %v = arith.select %keep, %e, %zero : f32
    linalg.yield %v : f32
  }
  linalg.reduce { arith.addf } ins(%E : memref<5x1003xf32>) outs(%sum : memref<5xf32>) dimensions = [1]
  linalg.generic {indexing_maps = [#whole, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%E, %sum : memref<5x1003xf32>, memref<5xf32>) outs(%B : memref<5x1003xf32>) {
  ^bb0(%e: f32, %s: f32, %old: f32):
    %q = arith.divf %e, %s : f32
    linalg.yield %q : f32
  }
  memref.dealloc %max : memref<5xf32>
  memref.dealloc %sum : memref<5xf32>
  return
}

// The quotients are masked.
// CHECK-LABEL: gpu.func @after_0(
// CHECK-NOT:   gpu.func
// CHECK-LABEL: func.func @after(
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT:   gpu.launch_func
func.func @after(%A: memref<5x7xf32>, %B: memref<5x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %max = memref.alloc() : memref<5xf32>
  %sum = memref.alloc() : memref<5xf32>
  linalg.fill ins(%lowest : f32) outs(%max : memref<5xf32>)
  linalg.generic {indexing_maps = [#whole, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A : memref<5x7xf32>) outs(%max : memref<5xf32>) {
  ^bb0(%x: f32, %m: f32):
    %n = arith.maximumf %x, %m : f32
    linalg.yield %n : f32
  }
  linalg.fill ins(%zero : f32) outs(%sum : memref<5xf32>)
  linalg.generic {indexing_maps = [#whole, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%A, %max : memref<5x7xf32>, memref<5xf32>) outs(%sum : memref<5xf32>) {
  ^bb0(%x: f32, %m: f32, %s: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %n = arith.addf %e, %s : f32
    linalg.yield %n : f32
  }
  linalg.generic {indexing_maps = [#whole, #row, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max, %sum : memref<5x7xf32>, memref<5xf32>, memref<5xf32>) outs(%B : memref<5x7xf32>) {
  ^bb0(%x: f32, %m: f32, %s: f32, %old: f32):
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %q = arith.divf %e, %s : f32
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %keep = arith.cmpi sle, %j, %i : index
    %v = arith.select %keep, %q, %zero : f32
    linalg.yield %v : f32
  }
  memref.dealloc %max : memref<5xf32>
  memref.dealloc %sum : memref<5xf32>
  return
}
