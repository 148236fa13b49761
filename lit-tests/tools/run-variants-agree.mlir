// RUN: tx run %s --device cpu --entry rows --arg rand:20x32xf32:7 --arg zeros:20xf32 --arg zeros:20xf32 --arg zeros:20xi32 --arg zeros:20xi32 --arg zeros:i32
// RUN(LAST): tx run %s --device cpu --entry last --arg full:-0.0:2x32xf32 --arg zeros:2xf32 --arg zeros:2xf32
// RUN(NAN): tx run %s --device cpu --entry exact --arg full:nan:24xf32 --arg full:5:f32 --arg full:5:f32
// RUN(ZERO): tx run %s --device cpu --entry exact --arg full:-0.0:24xf32 --arg full:5:f32 --arg full:5:f32
// SNAPSHOT: none — what is printed is checked as a whole.

// For every variant, the maximum of a row and its index have the same bits: here of twenty rows, one by one
// and all at once, and a kernel that counts the differences.
// CHECK: argument 5: i32
// CHECK-NEXT: 0
gpu.module @kernels {
  gpu.func @rows(%A: memref<20x32xf32>, %V: memref<20xf32>, %W: memref<20xf32>, %P: memref<20xi32>, %Q: memref<20xi32>, %N: memref<i32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c20 = arith.constant 20 : index
    %one = arith.constant 1 : i32
    tile.reduce argmax %A into %V, %P axes [1] scope(cta) {variant = "shared"}
      : memref<20x32xf32> into memref<20xf32>, memref<20xi32>
    tile.reduce argmax %A into %W, %Q axes [1] scope(cta) {variant = "batched"}
      : memref<20x32xf32> into memref<20xf32>, memref<20xi32>
    gpu.barrier
    %t = gpu.thread_id x
    %has = arith.cmpi ult, %t, %c20 : index
    scf.if %has {
      %v = memref.load %V[%t] : memref<20xf32>
      %w = memref.load %W[%t] : memref<20xf32>
      %p = memref.load %P[%t] : memref<20xi32>
      %q = memref.load %Q[%t] : memref<20xi32>
      %x = arith.bitcast %v : f32 to i32
      %y = arith.bitcast %w : f32 to i32
      %values = arith.cmpi ne, %x, %y : i32
      %places = arith.cmpi ne, %p, %q : i32
      %differ = arith.ori %values, %places : i1
      scf.if %differ {
        %before = memref.atomic_rmw addi %one, %N[] : (i32, memref<i32>) -> i32
      }
    }
    gpu.return
  }

  // A sum of -0.0 only is -0.0, element by element and all at once.
  // LAST:      argument 1: 2xf32
  // LAST-NEXT: [-0. -0.]
  // LAST-NEXT: argument 2: 2xf32
  // LAST-NEXT: [-0. -0.]
  gpu.func @last(%A: memref<2x32xf32>, %B: memref<2xf32>, %C: memref<2xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {variant = "shared"} : memref<2x32xf32> into memref<2xf32>
    tile.reduce sum %A into %C axes [1] scope(cta) {variant = "batched"} : memref<2x32xf32> into memref<2xf32>
    gpu.return
  }
}

// Eight elements at a time: NaN wins, too.
// NAN:       argument 1: f32
// NAN-NEXT:  nan
// NAN-NEXT:  argument 2: f32
// NAN-NEXT:  nan
// ZERO:      argument 1: f32
// ZERO-NEXT: -0.
// ZERO-NEXT: argument 2: f32
// ZERO-NEXT: -0.
gpu.module @later [#nvvm.target<chip = "sm_100a">] {
  gpu.func @exact(%A: memref<24xf32>, %S: memref<f32>, %M: memref<f32>)
      private(%P: memref<24xf32, #gpu.address_space<private>>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    tile.copy %A to %P scope(thread) : memref<24xf32> to memref<24xf32, #gpu.address_space<private>>
    tile.reduce sum %P into %S axes [0] scope(thread) {variant = "packed_add_sum"}
      : memref<24xf32, #gpu.address_space<private>> into memref<f32>
    tile.reduce max %P into %M axes [0] scope(thread) {variant = "3input_maxmin"}
      : memref<24xf32, #gpu.address_space<private>> into memref<f32>
    gpu.return
  }
}
