// RUN: tx-opt %s --tile-select-variant=explain --split-input-file --verify-diagnostics

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#shared = #gpu.address_space<workgroup>

// A remark tells what was chosen, at what cost, and why not the others. One load and one combine
// are 8 cycles; three shuffles are 75.
gpu.module @m {
  gpu.func @shared() workgroup(%S: memref<4x8xf32, #shared>, %D: memref<4xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-remark @below {{variant `shared` computes this reduction}}
    // expected-note @below {{local (priority 10): storage: source is in shared memory, expected registers or private memory}}
    // expected-note @below {{shared (priority 10): accepted, cost 83, chosen}}
    tile.reduce sum %S into %D axes [1] scope(cta) {exec = #cta32}
      : memref<4x8xf32, #shared> into memref<4xf32, #shared>
    gpu.return
  }
}

// -----

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#private = #gpu.address_space<private>

// The table names every variant, whichever is chosen.
gpu.module @m {
  gpu.func @local() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-remark @below {{variant `local` computes this reduction}}
    // expected-note @below {{local (priority 10): accepted, cost 16, chosen}}
    // expected-note @below {{shared (priority 10): storage: source is in private memory, expected shared or global memory}}
    tile.reduce sum %P into %Q axes [0] scope(thread) {exec = #thread32}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }
}

// -----

#cta256 = {active = array<i64: 0, 256>, block = 256 : i64, threads = 256 : i64}
#shared = #gpu.address_space<workgroup>

// What goes through shared memory costs more: four loads of four elements, five shuffles and an
// exchange.
gpu.module @m {
  gpu.func @exchange(%B: memref<1xf32>) workgroup(%S: memref<1x4096xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // expected-remark @below {{variant `shared` computes this reduction}}
    // expected-note @below {{local (priority 10): storage: source is in shared memory}}
    // expected-note @below {{shared (priority 10): accepted, cost 197, chosen}}
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta256}
      : memref<1x4096xf32, #shared> into memref<1xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// Each reduction has its own. Of a forced variant only that one is told.
gpu.module @m {
  gpu.func @two(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-remark @below {{variant `shared` computes this reduction}}
    // expected-note @below {{local (priority 10): storage: source is in global memory, expected registers or private memory}}
    // expected-note @below {{shared (priority 10): accepted, cost 83, chosen}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<4x8xf32> into memref<4xf32>
    // expected-remark @below {{variant `shared` computes this reduction}}
    // expected-note @below {{shared (priority 10): accepted, cost 83, chosen}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, variant = "shared"} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
