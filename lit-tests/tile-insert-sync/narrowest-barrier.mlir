// RUN: tx-opt %s --tile-insert-sync

!S = memref<1024xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // The conflicting threads are in one warp, so a warp barrier suffices.
  // CHECK-LABEL: gpu.func @lanes_of_one_warp
  // CHECK:         memref.store
  // CHECK:         %[[ALL:.+]] = arith.constant -1 : i32
  // CHECK-NEXT:    nvvm.bar.warp.sync %[[ALL]] : i32
  // CHECK-NEXT:    memref.load
  // CHECK-NOT:     barrier
  // CHECK:         gpu.return
  gpu.func @lanes_of_one_warp(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %neighbour = arith.xori %t, %c1 : index
    memref.store %x, %S[%t] : !S
    %y = memref.load %S[%neighbour] : !S
    gpu.return
  }

  // A block of one warp needs warp barriers only.
  // CHECK-LABEL: gpu.func @block_of_one_warp
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-NOT:     gpu.barrier
  // CHECK:         gpu.return
  gpu.func @block_of_one_warp(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c31 = arith.constant 31 : index
    %t = gpu.thread_id x
    %other = arith.subi %c31, %t : index
    memref.store %x, %S[%t] : !S
    %y = memref.load %S[%other] : !S
    gpu.return
  }

  // A partial last warp has a barrier for its existing lanes: 16 of 48 threads.
  // CHECK-LABEL: gpu.func @last_warp_of_16_lanes
  // CHECK-DAG:     %[[ALL:.+]] = arith.constant -1 : i32
  // CHECK-DAG:     %[[SIXTEEN:.+]] = arith.constant 65535 : i32
  // CHECK:         %[[FULL:.+]] = arith.cmpi ult
  // CHECK-NEXT:    %[[MEMBERS:.+]] = arith.select %[[FULL]], %[[ALL]], %[[SIXTEEN]] : i32
  // CHECK-NEXT:    nvvm.bar.warp.sync %[[MEMBERS]] : i32
  gpu.func @last_warp_of_16_lanes(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 48, 1, 1>} {
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %neighbour = arith.xori %t, %c1 : index
    memref.store %x, %S[%t] : !S
    %y = memref.load %S[%neighbour] : !S
    gpu.return
  }

  // In a branch of one warp, the barrier of this warp suffices.
  // CHECK-LABEL: gpu.func @branch_of_one_warp
  // CHECK:         scf.if
  // CHECK:           nvvm.bar.warp.sync
  // CHECK-NEXT:      memref.load
  // CHECK-NOT:     barrier
  // CHECK:         gpu.return
  gpu.func @branch_of_one_warp(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c95 = arith.constant 95 : index
    %t = gpu.thread_id x
    %w = gpu.subgroup_id : index
    %second = arith.cmpi eq, %w, %c1 : index
    scf.if %second {
      memref.store %x, %S[%t] : !S
      %other = arith.subi %c95, %t : index
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }

  // Two separate warpgroups have a named barrier each, for 128 threads.
  // CHECK-LABEL: gpu.func @two_warpgroups
  // CHECK:         scf.if
  // CHECK-DAG:       %[[ID1:.+]] = arith.constant 1 : i32
  // CHECK-DAG:       %[[N1:.+]] = arith.constant 128 : i32
  // CHECK:           nvvm.barrier id = %[[ID1]] number_of_threads = %[[N1]]
  // CHECK-NEXT:      memref.load
  // CHECK:         } else {
  // CHECK-DAG:       %[[ID2:.+]] = arith.constant 2 : i32
  // CHECK-DAG:       %[[N2:.+]] = arith.constant 128 : i32
  // CHECK:           nvvm.barrier id = %[[ID2]] number_of_threads = %[[N2]]
  // CHECK-NEXT:      memref.load
  // CHECK-NOT:     gpu.barrier
  // CHECK:         gpu.return
  gpu.func @two_warpgroups(%x: f32) workgroup(%S: !S) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c128 = arith.constant 128 : index
    %c383 = arith.constant 383 : index
    %t = gpu.thread_id x
    %first = arith.cmpi ult, %t, %c128 : index
    scf.if %first {
      memref.store %x, %S[%t] : !S
      %other = arith.subi %c127, %t : index
      %y = memref.load %S[%other] : !S
    } else {
      memref.store %x, %S[%t] : !S
      %other = arith.subi %c383, %t : index
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }

  // Barriers count whole warps: three warps, of which the last has 4 threads, count as 96.
  // CHECK-LABEL: gpu.func @named_barrier_counts_whole_warps
  // CHECK:         %[[N:.+]] = arith.constant 96 : i32
  // CHECK-NEXT:    nvvm.barrier id = %{{.+}} number_of_threads = %[[N]]
  gpu.func @named_barrier_counts_whole_warps(%x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 100, 1, 1>} {
    %c32 = arith.constant 32 : index
    %c131 = arith.constant 131 : index
    %t = gpu.thread_id x
    %rest = arith.cmpi uge, %t, %c32 : index
    scf.if %rest {
      memref.store %x, %S[%t] : !S
      %other = arith.subi %c131, %t : index
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }

  // A conflict within warps, then one across warps: one barrier of each kind.
  // CHECK-LABEL: gpu.func @warp_first_and_block_later
  // CHECK:         memref.store
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-NEXT:    memref.load
  // CHECK-NEXT:    gpu.barrier
  // CHECK-NEXT:    memref.load
  gpu.func @warp_first_and_block_later(%x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %neighbour = arith.xori %t, %c1 : index
    %other = arith.subi %c63, %t : index
    memref.store %x, %S[%t] : !S
    %y = memref.load %S[%neighbour] : !S
    %z = memref.load %S[%other] : !S
    gpu.return
  }
}
