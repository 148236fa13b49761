// RUN: tx-opt %s --tile-expand-shuffle-tree

gpu.module @kernels {
  // Groups of eight lanes take three shuffles, at distances 1, 2 and 4. Every lane gets the sum, without
  // shared memory.
  // CHECK-LABEL: gpu.func @eight_lanes(
  // CHECK-SAME:    %[[V:[^:]+]]: f32
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : i32
  // CHECK-DAG:     %[[WARP:.+]] = arith.constant 32 : i32
  // CHECK:         %[[S1:.+]], %{{.+}} = gpu.shuffle xor %[[V]], %[[ONE]], %[[WARP]] : f32
  // CHECK-NEXT:    %[[V1:.+]] = arith.addf %[[V]], %[[S1]]
  // CHECK-NEXT:    %[[TWO:.+]] = arith.constant 2 : i32
  // CHECK-NEXT:    %[[S2:.+]], %{{.+}} = gpu.shuffle xor %[[V1]], %[[TWO]], %[[WARP]] : f32
  // CHECK-NEXT:    %[[V2:.+]] = arith.addf %[[V1]], %[[S2]]
  // CHECK-NEXT:    %[[FOUR:.+]] = arith.constant 4 : i32
  // CHECK-NEXT:    %[[S4:.+]], %{{.+}} = gpu.shuffle xor %[[V2]], %[[FOUR]], %[[WARP]] : f32
  // CHECK-NEXT:    %[[V4:.+]] = arith.addf %[[V2]], %[[S4]]
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         memref.store %[[V4]]
  gpu.func @eight_lanes(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 8 stride 1 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Lanes with a stride of four shuffle at distances 4, 8 and 16.
  // CHECK-LABEL: gpu.func @eight_lanes_four_apart(
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK:         %[[FOUR:.+]] = arith.constant 4 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[FOUR]],
  // CHECK:         %[[EIGHT:.+]] = arith.constant 8 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[EIGHT]],
  // CHECK:         %[[SIXTEEN:.+]] = arith.constant 16 : i32
  // CHECK:         gpu.shuffle xor %{{.+}}, %[[SIXTEEN]],
  // CHECK-NOT:     gpu.shuffle
  // CHECK:         gpu.return
  gpu.func @eight_lanes_four_apart(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 8 stride 4 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A group of one lane needs no exchange.
  // CHECK-LABEL: gpu.func @one_lane(
  // CHECK-SAME:    %[[V:[^:]+]]: f32
  // CHECK-NEXT:    memref.store %[[V]]
  gpu.func @one_lane(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) width 1 stride 1 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A single thread needs no exchange.
  // CHECK-LABEL: gpu.func @one_thread(
  // CHECK-SAME:    %[[V:[^:]+]]: f32
  // CHECK-NEXT:    memref.store %[[V]]
  gpu.func @one_thread(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %s = tile.all_reduce sum %v scope(thread) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A block of one thread needs no exchange.
  // CHECK-LABEL: gpu.func @block_of_one(
  // CHECK-SAME:    %[[V:[^:]+]]: f32
  // CHECK-NEXT:    memref.store %[[V]]
  gpu.func @block_of_one(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // Without a width, the group is the whole warp: five steps in each warp of the block.
  // CHECK-LABEL: gpu.func @whole_warp(
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK:         gpu.return
  gpu.func @whole_warp(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %s = tile.all_reduce sum %v scope(warp) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A block of one warp is exchanged like a warp.
  // CHECK-LABEL: gpu.func @block_of_one_warp(
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK-COUNT-5: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK:         gpu.return
  gpu.func @block_of_one_warp(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 8, 4, 1>} {
    %s = tile.all_reduce sum %v scope(cta) : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // A group within a warp uses shuffles only, at any scope.
  // CHECK-LABEL: gpu.func @groups_of_a_block(
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK-COUNT-4: gpu.shuffle xor
  // CHECK-NOT:     gpu.shuffle
  // CHECK-NOT:     {{memref.global|get_global|barrier}}
  // CHECK:         gpu.return
  gpu.func @groups_of_a_block(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %s = tile.all_reduce sum %v scope(cta) width 16 stride 2 : f32 -> f32
    memref.store %s, %R[] : memref<f32>
    gpu.return
  }

  // If a branch selects whole warps, all lanes of a warp are active.
  // CHECK-LABEL: gpu.func @under_a_branch_of_one_warp(
  // CHECK:         scf.if
  // CHECK-COUNT-5:   gpu.shuffle xor
  // CHECK:           memref.store
  // CHECK-NEXT:    }{{$}}
  gpu.func @under_a_branch_of_one_warp(%v: f32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c2 = arith.constant 2 : index
    %w = gpu.subgroup_id : index
    %second = arith.cmpi eq, %w, %c2 : index
    scf.if %second {
      %s = tile.all_reduce sum %v scope(warp) : f32 -> f32
      memref.store %s, %R[] : memref<f32>
    }
    gpu.return
  }

  // If all threads execute equally many iterations, all lanes are active in each iteration.
  // CHECK-LABEL: gpu.func @in_a_loop(
  // CHECK:         scf.for
  // CHECK-COUNT-3:   gpu.shuffle xor
  // CHECK-NOT:       gpu.shuffle
  // CHECK:           scf.yield
  gpu.func @in_a_loop(%v: f32, %n: index, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> (f32) {
      %s = tile.all_reduce sum %x scope(warp) width 8 stride 1 : f32 -> f32
      scf.yield %s : f32
    }
    memref.store %r, %R[] : memref<f32>
    gpu.return
  }
}
