// RUN: tx-opt %s --tile-expand-reduce --split-input-file --verify-diagnostics

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// A reduction needs a variant, chosen before this pass.
gpu.module @m {
  gpu.func @no_variant(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`tile.reduce` has no `variant` attribute}}
    // expected-note @below {{run `tile-select-variant` first}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// The variant must exist.
gpu.module @m {
  gpu.func @unknown_variant(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{no variant named `sm100_packed`}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = {}, variant = "sm100_packed"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

// The active threads must be known before this pass.
gpu.module @m {
  gpu.func @no_exec(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`tile.reduce` has no `exec` attribute}}
    // expected-note @below {{run `tile-analyze-scope` first}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {params = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// A variant of the program has no parameters yet.
gpu.module @m {
  gpu.func @no_params(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`params` are invalid for this reduction: `group` must be positive}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// A variant needs all of its parameters.
gpu.module @m {
  gpu.func @missing_param(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`params` are invalid for this reduction: `vector` must be positive}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta32, params = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// A group needs at least one thread.
gpu.module @m {
  gpu.func @zero_param(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`params` are invalid for this reduction: `group` must be positive}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta32, params = {group = 0 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// A parameter must be an integer.
gpu.module @m {
  gpu.func @param_of_another_type(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{`params` are invalid for this reduction: `groups` must be a number, as in `groups = 8 : i64`, found `"four"`}}
    // expected-note @below {{remove `params`: `tile-select-variant` computes them}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta32, params = {group = 8 : i64, groups = "four", stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// An explicit variant must accept the op.
gpu.module @m {
  gpu.func @local_on_global_memory(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `local` cannot lower this reduction}}
    // expected-note @below {{storage: source is in global memory, expected registers or private memory}}
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32, params = {}, variant = "local"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#thread32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 1 : i64}
#private = #gpu.address_space<private>

// Each variant reports its own reasons.
gpu.module @m {
  gpu.func @shared_on_private_memory() private(%P: memref<4xf32, #private>, %Q: memref<f32, #private>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `shared` cannot lower this reduction}}
    // expected-note @below {{storage: source is in private memory, expected shared or global memory}}
    tile.reduce sum %P into %Q axes [0] scope(thread)
      {exec = #thread32, params = {group = 1 : i64, groups = 1 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4xf32, #private> into memref<f32, #private>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// Older chips have `redux.sync` for integers, but not for floats.
gpu.module @m [#nvvm.target<chip = "sm_80">] {
  gpu.func @redux_of_floats(%A: memref<4x8xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{variant `redux` cannot lower this reduction}}
    // expected-note @below {{instruction: sm_80 has no `redux.sync` of f32, expected sm_100a}}
    tile.reduce max %A into %B axes [1] scope(cta)
      {exec = #cta32, params = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "redux"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}

// -----

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}

// The op must be in a kernel.
gpu.module @m {
  // expected-note @below {{this `gpu.func` lacks the keyword `kernel`}}
  gpu.func @no_kernel(%A: memref<4x8xf32>, %B: memref<4xf32>) {
    // expected-error @below {{`tile.reduce` must be in a kernel}}
    tile.reduce sum %A into %B axes [1] scope(cta)
      {exec = #cta32, params = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64}, variant = "shared"}
      : memref<4x8xf32> into memref<4xf32>
    gpu.return
  }
}
