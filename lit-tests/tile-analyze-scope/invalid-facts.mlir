// RUN: tx-opt %s --tile-analyze-scope --split-input-file --verify-diagnostics

// Hardware registers differ between threads, although they have no operand.
gpu.module @kernels {
  gpu.func @register(%A: memref<32xf32>, %B: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %l = nvvm.read.ptx.sreg.laneid : i32
    %c0 = arith.constant 0 : i32
    %first = arith.cmpi eq, %l, %c0 : i32
    // expected-note @below {{only threads 0, 32 of 64 execute this branch}}
    scf.if %first {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{use a narrower scope}}
      tile.reduce sum %A into %B axes [0] scope(cta) : memref<32xf32> into memref<f32>
    }
    gpu.return
  }
}

// -----

// Private memory of different threads has different values.
gpu.module @kernels {
  gpu.func @private(%A: memref<32xf32>, %B: memref<f32>)
      private(%p: memref<1xi32, #gpu.address_space<private>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %v = memref.load %p[%c0] : memref<1xi32, #gpu.address_space<private>>
    %is = arith.cmpi eq, %v, %zero : i32
    // expected-note @below {{the values of this condition in different threads are not known}}
    scf.if %is {
      // expected-error @below {{all threads of the `cta` must reach `tile.reduce` together}}
      // expected-note @below {{move the op out of the `scf.if`, or compute the condition from thread ids and constants only}}
      tile.reduce sum %A into %B axes [0] scope(cta) : memref<32xf32> into memref<f32>
    }
    gpu.return
  }
}

// -----

// Narrow integers overflow: half of these products are negative.
gpu.module @kernels {
  gpu.func @wraps(%A: memref<32xf32>, %B: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i32
    %large = arith.constant 134217728 : i32
    %c0 = arith.constant 0 : i32
    %product = arith.muli %i, %large : i32
    %positive = arith.cmpi sge, %product, %c0 : i32
    // expected-note @below {{the values of this condition in different threads are not known}}
    scf.if %positive {
      // expected-error @below {{all threads of the `warp` must reach `tile.reduce` together}}
      // expected-note @below {{move the op out of the `scf.if`, or compute the condition from thread ids and constants only}}
      tile.reduce sum %A into %B axes [0] scope(warp) : memref<32xf32> into memref<f32>
    }
    gpu.return
  }
}

// -----

// Each row of the destination is shared by two warps.
gpu.module @kernels {
  gpu.func @pairs(%A: memref<32xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %w = gpu.subgroup_id : index
    %c2 = arith.constant 2 : index
    %pair = arith.divui %w, %c2 : index
    %out = memref.subview %B[%pair] [1] [1] : memref<4xf32> to memref<f32, strided<[], offset: ?>>
    // expected-error @below {{warps 0 and 1 write the same destination}}
    // expected-note @below {{depend on the warp's id}}
    tile.reduce sum %A into %out axes [0] scope(warp)
        : memref<32xf32> into memref<f32, strided<[], offset: ?>>
    gpu.return
  }
}

// -----

// All threads of a group must use the same memory.
gpu.module @kernels {
  gpu.func @own_views(%A: memref<32x8xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %t = gpu.thread_id x
    %row = memref.subview %A[%t, 0] [1, 8] [1, 1]
        : memref<32x8xf32> to memref<1x8xf32, strided<[8, 1], offset: ?>>
    // expected-error @below {{operand 0 of `tile.reduce` is not the same for all threads of the `warp`}}
    // expected-note @below {{an offset of the view depends on the thread; use a narrower scope, or an offset that is uniform}}
    tile.reduce sum %row into %B axes [0] scope(warp)
        : memref<1x8xf32, strided<[8, 1], offset: ?>> into memref<8xf32>
    gpu.return
  }
}
