// RUN: tx-opt %s --tile-insert-sync

!W = memref<256xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // Separate warpgroups have a barrier each, with the number of the warpgroup plus one: a block barrier would
  // make them wait for each other.
  // CHECK-LABEL: gpu.func @each_by_itself
  // CHECK:         memref.store
  // CHECK:         %[[T:.+]] = gpu.thread_id x
  // CHECK:         %[[SIZE:.+]] = arith.constant 128 : index
  // CHECK-NEXT:    %[[G:.+]] = arith.divui %[[T]], %[[SIZE]]
  // CHECK:         %[[ONE:.+]] = arith.constant 1 : index
  // CHECK-NEXT:    %[[NUMBER:.+]] = arith.addi %[[G]], %[[ONE]]
  // CHECK-NEXT:    %[[ID:.+]] = arith.index_cast %[[NUMBER]] : index to i32
  // CHECK:         nvvm.barrier id = %[[ID]] number_of_threads = %{{.*}}c128_i32
  // CHECK-NEXT:    memref.load
  // CHECK-NOT:     {{gpu.barrier|nvvm.bar}}
  // CHECK:         gpu.return
  gpu.func @each_by_itself(%x: f32, %R: memref<256xf32>) workgroup(%S: !W)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c128 = arith.constant 128 : index
    %t = gpu.thread_id x
    %in = arith.remui %t, %c128 : index
    %first = arith.subi %t, %in : index
    %back = arith.subi %c127, %in : index
    %other = arith.addi %first, %back : index
    memref.store %x, %S[%t] : !W
    %y = memref.load %S[%other] : !W
    memref.store %y, %R[%t] : memref<256xf32>
    gpu.return
  }

  // Barrier numbers of the program are not used again: here 1, so 2 and 3 are used.
  // CHECK-LABEL: gpu.func @beside_the_programs_own
  // CHECK:         nvvm.barrier id = %{{.+}} number_of_threads = %{{.*}}c256_i32
  // CHECK:         %[[TWO:.+]] = arith.constant 2 : index
  // CHECK-NEXT:    %[[NUMBER:.+]] = arith.addi %{{.+}}, %[[TWO]]
  // CHECK-NEXT:    %[[ID:.+]] = arith.index_cast %[[NUMBER]] : index to i32
  // CHECK:         nvvm.barrier id = %[[ID]] number_of_threads = %{{.*}}c128_i32
  // CHECK:         gpu.return
  gpu.func @beside_the_programs_own(%x: f32, %R: memref<256xf32>) workgroup(%S: !W)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c127 = arith.constant 127 : index
    %c128 = arith.constant 128 : index
    %own = arith.constant 1 : i32
    %all = arith.constant 256 : i32
    %t = gpu.thread_id x
    %in = arith.remui %t, %c128 : index
    %first = arith.subi %t, %in : index
    %back = arith.subi %c127, %in : index
    %other = arith.addi %first, %back : index
    nvvm.barrier id = %own number_of_threads = %all
    memref.store %x, %S[%t] : !W
    %y = memref.load %S[%other] : !W
    memref.store %y, %R[%t] : memref<256xf32>
    gpu.return
  }

  // Barrier numbers that the program computes are avoided, as far as known: 1 + warpgroup is 1 or 2.
  // CHECK-LABEL: gpu.func @beside_computed_numbers
  // CHECK:         nvvm.barrier id =
  // CHECK:         %[[THREE:.+]] = arith.constant 3 : index
  // CHECK-NEXT:    %[[NUMBER:.+]] = arith.addi %{{.+}}, %[[THREE]]
  // CHECK-NEXT:    %[[ID:.+]] = arith.index_cast %[[NUMBER]] : index to i32
  // CHECK:         nvvm.barrier id = %[[ID]]
  // CHECK:         gpu.return
  gpu.func @beside_computed_numbers(%x: f32, %R: memref<256xf32>) workgroup(%S: !W)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c127 = arith.constant 127 : index
    %c128 = arith.constant 128 : index
    %half = arith.constant 128 : i32
    %t = gpu.thread_id x
    %group = arith.divui %t, %c128 : index
    %next = arith.addi %group, %c1 : index
    %own = arith.index_cast %next : index to i32
    %in = arith.remui %t, %c128 : index
    %first = arith.subi %t, %in : index
    %back = arith.subi %c127, %in : index
    %other = arith.addi %first, %back : index
    nvvm.barrier id = %own number_of_threads = %half
    memref.store %x, %S[%t] : !W
    %y = memref.load %S[%other] : !W
    memref.store %y, %R[%t] : memref<256xf32>
    gpu.return
  }
}
