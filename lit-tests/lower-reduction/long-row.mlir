// RUN: tx-opt %s --lower-reduction

#shared = #gpu.address_space<workgroup>

// A whole block reduces one row. Every thread adds up sixteen elements, in vectors of four. Each of eight
// warps combines its lanes in five shuffles and stores one value in shared memory. A lane loads four of these
// eight values at once, and one more shuffle adds the other half. Barriers: after the copy in, in the
// exchange, before the copy out. Shared memory is aligned for the vector loads.
// CHECK:         memref.global "private" @[[SCRATCH:.+]] : memref<8xf32, #gpu.address_space<workgroup>> = uninitialized {alignment = 16 : i64}
// CHECK-LABEL: gpu.func @long_row
// CHECK-SAME:    workgroup(%[[AS:.+]] : memref<1x4096xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}, %[[BS:.+]] : memref<1xf32, #gpu.address_space<workgroup>>)
// CHECK-NOT:     tile.
// CHECK-NOT:     {{gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         memref.store %{{.+}}, %[[AS]]
// CHECK-NOT:     {{gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         gpu.barrier
// CHECK-NOT:     {{gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         scf.for
// CHECK-COUNT-1:   vector.load %[[AS]][%{{.+}}] {alignment = 16 : i64} : {{.+}}, vector<4xf32>
// CHECK-NOT:     {{memref.load|vector.load|gpu.barrier|nvvm.b}}
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT:     {{gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         %[[S:.+]] = memref.get_global @[[SCRATCH]]
// CHECK:         memref.store %{{.+}}, %[[S]]
// CHECK-NOT:     {{gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         gpu.barrier
// CHECK-NOT:     {{gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         vector.load %[[S]]{{.+}} vector<4xf32>
// CHECK-NOT:     {{memref.load|vector.load|gpu.barrier|nvvm.b}}
// CHECK:         gpu.shuffle xor
// CHECK-NOT:     {{gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         scf.if
// CHECK:           memref.store %{{.+}}, %[[BS]]
// CHECK-NOT:     {{gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK:         gpu.barrier
// CHECK:         memref.load %[[BS]]
// CHECK-NOT:     {{gpu.shuffle|gpu.barrier|nvvm.b}}
// CHECK-NOT:     tile.
// COUNT:         @long_row barriers = 3, shuffles = 6, shared vector loads = 2, shared loads <= 3, global loads = 1
// VALIDATE
gpu.module @kernels {
  gpu.func @long_row(%A: memref<1x4096xf32>, %B: memref<1xf32>)
      workgroup(%As: memref<1x4096xf32, #shared>, %Bs: memref<1xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    tile.copy %A to %As scope(cta) : memref<1x4096xf32> to memref<1x4096xf32, #shared>
    tile.reduce sum %As into %Bs axes [1] scope(cta)
      : memref<1x4096xf32, #shared> into memref<1xf32, #shared>
    tile.copy %Bs to %B scope(cta) : memref<1xf32, #shared> to memref<1xf32>
    gpu.return
  }
}
