// RUN: tx-opt %s --tile-insert-sync
// SNAPSHOT: none — it is the input, but for what is checked.

// Memory that is only read needs no order, however loops are nested. There would be 2^14 combinations of
// loops to consider.
// CHECK-LABEL: gpu.func @nested
// CHECK-NOT:   gpu.barrier
// CHECK:       gpu.return
gpu.module @kernels {
  gpu.func @nested(%A: memref<2xf32>, %B: memref<8xf32>) kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %s0 = scf.for %i0 = %c0 to %c2 step %c1 iter_args(%a0 = %zero) -> (f32) {
      %s1 = scf.for %i1 = %c0 to %c2 step %c1 iter_args(%a1 = %a0) -> (f32) {
        %s2 = scf.for %i2 = %c0 to %c2 step %c1 iter_args(%a2 = %a1) -> (f32) {
          %s3 = scf.for %i3 = %c0 to %c2 step %c1 iter_args(%a3 = %a2) -> (f32) {
            %s4 = scf.for %i4 = %c0 to %c2 step %c1 iter_args(%a4 = %a3) -> (f32) {
              %s5 = scf.for %i5 = %c0 to %c2 step %c1 iter_args(%a5 = %a4) -> (f32) {
                %s6 = scf.for %i6 = %c0 to %c2 step %c1 iter_args(%a6 = %a5) -> (f32) {
                  %s7 = scf.for %i7 = %c0 to %c2 step %c1 iter_args(%a7 = %a6) -> (f32) {
                    %s8 = scf.for %i8 = %c0 to %c2 step %c1 iter_args(%a8 = %a7) -> (f32) {
                      %s9 = scf.for %i9 = %c0 to %c2 step %c1 iter_args(%a9 = %a8) -> (f32) {
                        %s10 = scf.for %i10 = %c0 to %c2 step %c1 iter_args(%a10 = %a9) -> (f32) {
                          %s11 = scf.for %i11 = %c0 to %c2 step %c1 iter_args(%a11 = %a10) -> (f32) {
                            %s12 = scf.for %i12 = %c0 to %c2 step %c1 iter_args(%a12 = %a11) -> (f32) {
                              %s13 = scf.for %i13 = %c0 to %c2 step %c1 iter_args(%a13 = %a12) -> (f32) {
                                %x = memref.load %A[%i13] : memref<2xf32>
                                %y = arith.addf %a13, %x : f32
                                scf.yield %y : f32
                              }
                              scf.yield %s13 : f32
                            }
                            scf.yield %s12 : f32
                          }
                          scf.yield %s11 : f32
                        }
                        scf.yield %s10 : f32
                      }
                      scf.yield %s9 : f32
                    }
                    scf.yield %s8 : f32
                  }
                  scf.yield %s7 : f32
                }
                scf.yield %s6 : f32
              }
              scf.yield %s5 : f32
            }
            scf.yield %s4 : f32
          }
          scf.yield %s3 : f32
        }
        scf.yield %s2 : f32
      }
      scf.yield %s1 : f32
    }
    memref.store %s0, %B[%t] : memref<8xf32>
    gpu.return
  }
}

// The analysis time does not grow with each surrounding loop. Both barriers are in the innermost loop: after
// the store, before other threads load, and before the next store.
// CHECK-LABEL: gpu.func @written
// CHECK-COUNT-24: scf.for
// CHECK-NEXT:     gpu.barrier
// CHECK-NEXT:     memref.store
// CHECK-NEXT:     gpu.barrier
// CHECK-NEXT:     memref.load
// CHECK-NOT:      gpu.barrier
// CHECK:          gpu.return
gpu.module @more_kernels {
  gpu.func @written(%n: index, %B: memref<64xf32>) workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %few = arith.minui %n, %c1 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    scf.for %i0 = %c0 to %few step %c1 {
    scf.for %i1 = %c0 to %few step %c1 {
    scf.for %i2 = %c0 to %few step %c1 {
    scf.for %i3 = %c0 to %few step %c1 {
    scf.for %i4 = %c0 to %few step %c1 {
    scf.for %i5 = %c0 to %few step %c1 {
    scf.for %i6 = %c0 to %few step %c1 {
    scf.for %i7 = %c0 to %few step %c1 {
    scf.for %i8 = %c0 to %few step %c1 {
    scf.for %i9 = %c0 to %few step %c1 {
    scf.for %i10 = %c0 to %few step %c1 {
    scf.for %i11 = %c0 to %few step %c1 {
    scf.for %i12 = %c0 to %few step %c1 {
    scf.for %i13 = %c0 to %few step %c1 {
    scf.for %i14 = %c0 to %few step %c1 {
    scf.for %i15 = %c0 to %few step %c1 {
    scf.for %i16 = %c0 to %few step %c1 {
    scf.for %i17 = %c0 to %few step %c1 {
    scf.for %i18 = %c0 to %few step %c1 {
    scf.for %i19 = %c0 to %few step %c1 {
    scf.for %i20 = %c0 to %few step %c1 {
    scf.for %i21 = %c0 to %few step %c1 {
    scf.for %i22 = %c0 to %few step %c1 {
    scf.for %i23 = %c0 to %few step %c1 {
      memref.store %one, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      %x = memref.load %S[%other] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %x, %B[%t] : memref<64xf32>
    }}}}}}}}}}}}}}}}}}}}}}}}
    gpu.return
  }
}
