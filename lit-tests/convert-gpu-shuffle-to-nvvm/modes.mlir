// RUN: tx-opt %s --convert-gpu-shuffle-to-nvvm

// CHECK-NOT: gpu.shuffle
gpu.module @kernels {
  // Each shuffle mode has its own instruction. The member mask has all 32 lanes, whatever the width. The
  // clamp operand is the last readable lane; in mode `up`, it is the first.
  // CHECK-LABEL: gpu.func @modes
  // CHECK-SAME:    (%[[X:.+]]: f32, %[[O:.+]]: i32)
  // CHECK:         %[[C32:.+]] = arith.constant 32 : i32
  // CHECK:         %[[C1:.+]] = arith.constant 1 : i32
  // CHECK:         %[[LAST:.+]] = arith.subi %[[C32]], %[[C1]]
  // CHECK:         %[[ALL:.+]] = arith.constant -1 : i32
  // CHECK:         nvvm.shfl.sync bfly %[[ALL]], %[[X]], %[[O]], %[[LAST]] : f32 -> f32
  // CHECK:         %[[FIRST:.+]] = arith.constant 0 : i32
  // CHECK:         nvvm.shfl.sync up %{{.+}}, %[[X]], %[[O]], %[[FIRST]] : f32 -> f32
  // CHECK:         %[[LAST:.+]] = arith.subi %[[C32]], %{{.+}}
  // CHECK:         nvvm.shfl.sync down %{{.+}}, %[[X]], %[[O]], %[[LAST]] : f32 -> f32
  // CHECK:         %[[LAST:.+]] = arith.subi %[[C32]], %{{.+}}
  // CHECK:         nvvm.shfl.sync idx %{{.+}}, %[[X]], %[[O]], %[[LAST]] : f32 -> f32
  // CHECK-NOT:     nvvm.shfl.sync
  gpu.func @modes(%x: f32, %o: i32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %a, %pa = gpu.shuffle xor %x, %o, %c32 : f32
    %b, %pb = gpu.shuffle up %x, %o, %c32 : f32
    %c, %pc = gpu.shuffle down %x, %o, %c32 : f32
    %d, %pd = gpu.shuffle idx %x, %o, %c32 : f32
    gpu.return
  }

  // A shuffle of a narrow group also has all lanes of the warp in its member mask: lanes beyond the width
  // execute it too, which is undefined for non-members.
  // CHECK-LABEL: gpu.func @width_8
  // CHECK-DAG:     %[[C8:.+]] = arith.constant 8 : i32
  // CHECK-DAG:     %[[C1:.+]] = arith.constant 1 : i32
  // CHECK-DAG:     %[[LAST:.+]] = arith.subi %[[C8]], %[[C1]]
  // CHECK-DAG:     %[[ALL:.+]] = arith.constant -1 : i32
  // CHECK:         nvvm.shfl.sync bfly %[[ALL]], %{{.+}}, %{{.+}}, %[[LAST]] : i32 -> i32
  gpu.func @width_8(%x: i32, %o: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c8 = arith.constant 8 : i32
    %a, %p = gpu.shuffle xor %x, %o, %c8 : i32
    gpu.return
  }

  // For a dynamic width, the clamp operand is computed as the width minus one.
  // CHECK-LABEL: gpu.func @dynamic_width
  // CHECK-SAME:    (%[[X:.+]]: i32, %[[O:.+]]: i32, %[[W:.+]]: i32)
  // CHECK:         %[[LAST:.+]] = arith.subi %[[W]], %{{.+}}
  // CHECK:         nvvm.shfl.sync down %{{.+}}, %[[X]], %[[O]], %[[LAST]]
  gpu.func @dynamic_width(%x: i32, %o: i32, %w: i32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a, %p = gpu.shuffle down %x, %o, %w : i32
    gpu.return
  }
}
