// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — long; what is chosen is what matters.

// A combiner with a math function takes as long as the memory access. Rows of 100 columns have four threads,
// of 1024 columns eight (16 for unaligned rows), for fewer exchanges. Requests of less than a cache line are
// not evict-first. The occupancy target is half of the threads. Each of four threads has six of 25 vectors,
// and they share the elements of the last.

// CHECK-LABEL: gpu.func @log_sum_exp_100_0(
// CHECK-SAME:    known_block_size = array<i32: 4, 64, 1>
// CHECK-SAME:    #tile.align<"d1" to 4>, #tile.split<"d1.o" by 24>
// CHECK-SAME:    #tile.vectorize<"d1.i">, #tile.resident<1024>]}
// CHECK-LABEL: gpu.func @log_sum_exp_1001_0(
// CHECK-SAME:    known_block_size = array<i32: 16, 4, 1>
// CHECK-SAME:    #tile.align<"d1" to 4>
// CHECK-SAME:    #tile.vectorize<"d1.i">, #tile.stream, #tile.resident<1024>]}
// CHECK-LABEL: gpu.func @log_sum_exp_1024_0(
// CHECK-SAME:    known_block_size = array<i32: 8, 32, 1>
// CHECK-SAME:    #tile.vectorize<"d1.i">, #tile.stream, #tile.resident<1024>]}

// 64 such rows are too few for this schedule: each row has a warp.
// CHECK-LABEL: gpu.func @few_0(
// CHECK-SAME:    known_block_size = array<i32: 32,

// `argmax` needs few ops but many registers: two loads in flight in short rows, not evict-first.
// CHECK-LABEL: gpu.func @argmax_32_0(
// CHECK-SAME:    known_block_size = array<i32: 4, 64, 1>
// CHECK-LABEL: gpu.func @argmax_100_0(
// CHECK-SAME:    known_block_size = array<i32: 8, 32, 1>
// CHECK-SAME:    #tile.vectorize<"d1.i">]}
// CHECK-LABEL: gpu.func @argmax_1024_0(
// CHECK-SAME:    known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME:    #tile.stream
func.func @log_sum_exp_100(%A: memref<?x100xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid)
    identity [0xFF800000 : f32, 0.0 : f32] combiner {
  ^bb0(%ma: f32, %sa: f32, %mb: f32, %sb: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %ma, %mb : f32
    %d = arith.subf %ma, %mb : f32
    %distance = math.absf %d : f32
    %below = arith.negf %distance : f32
    %smaller = arith.minnumf %below, %zero : f32
    %e = math.exp %smaller : f32
    %a_is_larger = arith.cmpf ogt, %ma, %mb : f32
    %of_larger = arith.select %a_is_larger, %sa, %sb : f32
    %of_smaller = arith.select %a_is_larger, %sb, %sa : f32
    %s = math.fma %of_smaller, %e, %of_larger : f32
    tile.yield %m, %s : f32, f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    tile.yield %x, %one : f32, f32
  } epilogue {
  ^bb0(%m: f32, %s: f32, %i: index):
    %l = math.log %s : f32
    %r = arith.addf %m, %l : f32
    tile.yield %r : f32
  }
    : memref<?x100xf32> into memref<?xf32>
  return
}
func.func @log_sum_exp_1001(%A: memref<?x1001xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid)
    identity [0xFF800000 : f32, 0.0 : f32] combiner {
  ^bb0(%ma: f32, %sa: f32, %mb: f32, %sb: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %ma, %mb : f32
    %d = arith.subf %ma, %mb : f32
    %distance = math.absf %d : f32
    %below = arith.negf %distance : f32
    %smaller = arith.minnumf %below, %zero : f32
    %e = math.exp %smaller : f32
    %a_is_larger = arith.cmpf ogt, %ma, %mb : f32
    %of_larger = arith.select %a_is_larger, %sa, %sb : f32
    %of_smaller = arith.select %a_is_larger, %sb, %sa : f32
    %s = math.fma %of_smaller, %e, %of_larger : f32
    tile.yield %m, %s : f32, f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    tile.yield %x, %one : f32, f32
  } epilogue {
  ^bb0(%m: f32, %s: f32, %i: index):
    %l = math.log %s : f32
    %r = arith.addf %m, %l : f32
    tile.yield %r : f32
  }
    : memref<?x1001xf32> into memref<?xf32>
  return
}
func.func @log_sum_exp_1024(%A: memref<?x1024xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid)
    identity [0xFF800000 : f32, 0.0 : f32] combiner {
  ^bb0(%ma: f32, %sa: f32, %mb: f32, %sb: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %ma, %mb : f32
    %d = arith.subf %ma, %mb : f32
    %distance = math.absf %d : f32
    %below = arith.negf %distance : f32
    %smaller = arith.minnumf %below, %zero : f32
    %e = math.exp %smaller : f32
    %a_is_larger = arith.cmpf ogt, %ma, %mb : f32
    %of_larger = arith.select %a_is_larger, %sa, %sb : f32
    %of_smaller = arith.select %a_is_larger, %sb, %sa : f32
    %s = math.fma %of_smaller, %e, %of_larger : f32
    tile.yield %m, %s : f32, f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    tile.yield %x, %one : f32, f32
  } epilogue {
  ^bb0(%m: f32, %s: f32, %i: index):
    %l = math.log %s : f32
    %r = arith.addf %m, %l : f32
    tile.yield %r : f32
  }
    : memref<?x1024xf32> into memref<?xf32>
  return
}
func.func @few(%A: memref<64x1024xf32>, %B: memref<64xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid)
    identity [0xFF800000 : f32, 0.0 : f32] combiner {
  ^bb0(%ma: f32, %sa: f32, %mb: f32, %sb: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %ma, %mb : f32
    %d = arith.subf %ma, %mb : f32
    %distance = math.absf %d : f32
    %below = arith.negf %distance : f32
    %smaller = arith.minnumf %below, %zero : f32
    %e = math.exp %smaller : f32
    %a_is_larger = arith.cmpf ogt, %ma, %mb : f32
    %of_larger = arith.select %a_is_larger, %sa, %sb : f32
    %of_smaller = arith.select %a_is_larger, %sb, %sa : f32
    %s = math.fma %of_smaller, %e, %of_larger : f32
    tile.yield %m, %s : f32, f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    tile.yield %x, %one : f32, f32
  } epilogue {
  ^bb0(%m: f32, %s: f32, %i: index):
    %l = math.log %s : f32
    %r = arith.addf %m, %l : f32
    tile.yield %r : f32
  }
    : memref<64x1024xf32> into memref<64xf32>
  return
}
func.func @argmax_32(%A: memref<?x32xf32>, %B: memref<?xf32>, %C: memref<?xi64>) {
  tile.reduce argmax %A into %B, %C axes [1] scope(grid) : memref<?x32xf32> into memref<?xf32>, memref<?xi64>
  return
}
func.func @argmax_100(%A: memref<?x100xf32>, %B: memref<?xf32>, %C: memref<?xi64>) {
  tile.reduce argmax %A into %B, %C axes [1] scope(grid) : memref<?x100xf32> into memref<?xf32>, memref<?xi64>
  return
}
func.func @argmax_1024(%A: memref<?x1024xf32>, %B: memref<?xf32>, %C: memref<?xi64>) {
  tile.reduce argmax %A into %B, %C axes [1] scope(grid) : memref<?x1024xf32> into memref<?xf32>, memref<?xi64>
  return
}
