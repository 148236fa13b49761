// RUN: tx-opt %s --gpu-to-ptx
// RUN(SM90): tx-opt %s --gpu-to-ptx=chip=sm_90
// RUN(SM100A): tx-opt %s --gpu-to-ptx=chip=sm_100a
// SNAPSHOT: none — the binary says how many milliseconds LLVM took.

// The chip in the PTX is that of the option, by default sm_80. The PTX version supports the chip.
// CHECK:       gpu.binary @names_none
// CHECK-SAME:    .version 7.0{{.*}}.target sm_80{{[^0-9a-z]}}
// SM90:        gpu.binary @names_none
// SM90-SAME:     .version 8.1{{.*}}.target sm_90{{[^0-9a-z]}}
// SM100A:      gpu.binary @names_none
// SM100A-SAME:   .version 8.8{{.*}}.target sm_100a{{[^0-9a-z]}}
gpu.module @names_none {
  gpu.func @k(%B: memref<f32>, %x: f32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    memref.store %x, %B[] : memref<f32>
    gpu.return
  }
}

// A target without features has priority, and gets the PTX version that LLVM needs for its chip.
// CHECK:       gpu.binary @names_one
// CHECK-SAME:    .version 8.1{{.*}}.target sm_90{{[^0-9a-z]}}
// SM90:        gpu.binary @names_one
// SM90-SAME:     .version 8.1{{.*}}.target sm_90{{[^0-9a-z]}}
// SM100A:      gpu.binary @names_one
// SM100A-SAME:   .version 8.1{{.*}}.target sm_90{{[^0-9a-z]}}
gpu.module @names_one [#nvvm.target<chip = "sm_90">] {
  gpu.func @k(%B: memref<f32>, %x: f32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    memref.store %x, %B[] : memref<f32>
    gpu.return
  }
}

// A target with the newest chip gets the PTX version that LLVM needs for it.
// CHECK:       gpu.binary @names_the_newest
// CHECK-SAME:    .version 8.8{{.*}}.target sm_100a{{[^0-9a-z]}}
// SM90:        gpu.binary @names_the_newest
// SM90-SAME:     .version 8.8{{.*}}.target sm_100a{{[^0-9a-z]}}
// SM100A:      gpu.binary @names_the_newest
// SM100A-SAME:   .version 8.8{{.*}}.target sm_100a{{[^0-9a-z]}}
gpu.module @names_the_newest [#nvvm.target<chip = "sm_100a">] {
  gpu.func @k(%B: memref<f32>, %x: f32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    memref.store %x, %B[] : memref<f32>
    gpu.return
  }
}

// A newer PTX version than necessary is kept, and several targets make several objects.
// CHECK:       gpu.binary @names_two
// CHECK-SAME:    .version 8.4{{.*}}.target sm_80{{[^0-9a-z]}}
// CHECK-SAME:    .version 8.1{{.*}}.target sm_90a{{[^0-9a-z]}}
// SM90:        gpu.binary @names_two
// SM100A:      gpu.binary @names_two
gpu.module @names_two [#nvvm.target<chip = "sm_80", features = "+ptx84">, #nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%B: memref<f32>, %x: f32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    memref.store %x, %B[] : memref<f32>
    gpu.return
  }
}
