// RUN: tx-opt %s --lower-reduction --split-input-file --verify-diagnostics

#frag = #tile.layout<[<4 : 1 warp>, <8 : 1 lane>]>

// At scope `warp`, a layout cannot use warps.
gpu.module @m {
  gpu.func @axis_of_a_wider_scope(%A: memref<4x8xf32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    // expected-error @below {{`tile.load` cannot place this fragment: the layout's axis `warp` counts threads of the `cta`, but the scope is `warp`}}
    %x = tile.load %A scope(warp) : memref<4x8xf32> -> !tile.fragment<4x8xf32, #frag>
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<4 : 1 warp_in_group>, <8 : 1 lane>]>
#row = #tile.layout<[<4 : 1 warp_in_group>]>

// A reduction reports the same reason for each variant.
gpu.module @m {
  gpu.func @reduction_at_another_scope(%x: f32)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %f = tile.splat %x : f32 -> !tile.fragment<4x8xf32, #frag>
    // expected-error @below {{variant `local` cannot lower this reduction}}
    // expected-note @below {{local (priority 10): layout: source: the layout's axis `warp_in_group` counts threads of the `warpgroup`, but the scope is `warp`}}
    %r = tile.reduce sum %f axes [1] scope(warp) {variant = "local"}
      : !tile.fragment<4x8xf32, #frag> -> !tile.fragment<4xf32, #row>
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<2 : 3 lane>, <3 : 2 lane>]>

// Interleaved coordinates are not digits of a lane number.
gpu.module @m {
  gpu.func @interleaved(%A: memref<2x3xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{the thread coordinates of the layout interleave: extent 3 with stride 2 and extent 2 with stride 3}}
    %x = tile.load %A scope(warp) : memref<2x3xf32> -> !tile.fragment<2x3xf32, #frag>
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<8 : 1 lane>, <3 : 1 reg>]>

// A layout entry must belong to one dimension, or to several whole dimensions.
gpu.module @m {
  gpu.func @entry_across_dimensions(%A: memref<6x4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-error @below {{a layout entry of extent 3 crosses the border of dimension 1, of size 4}}
    %x = tile.load %A scope(warp) : memref<6x4xf32> -> !tile.fragment<6x4xf32, #frag>
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<32 : 1 lane>]>

// The last warp of this block has only eight lanes.
gpu.module @m {
  gpu.func @partial_warp(%A: memref<32xf32>)
      kernel attributes {known_block_size = array<i32: 8, 1, 1>} {
    // expected-error @below {{the layout uses 32 threads, but the `warp` has 8}}
    %x = tile.load %A scope(warp) : memref<32xf32> -> !tile.fragment<32xf32, #frag>
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<8 : 1 lane>, <2 : 1 reg>]>
#shifted = #tile.layout<[<8 : 1 lane>] offset [<8 : constant lane>]>

// A result must stay on threads that have a part of it.
gpu.module @m {
  gpu.func @result_elsewhere(%A: memref<8x2xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8x2xf32> -> !tile.fragment<8x2xf32, #frag>
    // expected-error @below {{variant `local` cannot lower this reduction}}
    // expected-note @below {{layout: element [0] of the result is on thread 8 of the `warp`, which has no partial result of this element}}
    %r = tile.reduce sum %x axes [1] scope(warp) {variant = "local"}
      : !tile.fragment<8x2xf32, #frag> -> !tile.fragment<8xf32, #shifted>
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<8 : 1 lane>, <2 : 1 reg>]>
#other = #tile.layout<[<8 : 1 reg>, <2 : 1 lane>]>
#row = #tile.layout<[<8 : 1 lane>]>

// All sources must have the same layout, because they are combined element by element.
gpu.module @m {
  gpu.func @sources_in_different_places(%A: memref<8x2xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8x2xf32> -> !tile.fragment<8x2xf32, #frag>
    %y = tile.load %A scope(warp) : memref<8x2xf32> -> !tile.fragment<8x2xf32, #other>
    // expected-error @below {{variant `local` cannot lower this reduction}}
    // expected-note @below {{layout: sources have different layouts, expected one}}
    %r, %s = tile.reduce custom %x, %y axes [1] scope(warp) {variant = "local"} identity [0.0 : f32, 0.0 : f32] combiner {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
      %p = arith.addf %a, %c : f32
      %q = arith.addf %b, %d : f32
      tile.yield %p, %q : f32, f32
    } : !tile.fragment<8x2xf32, #frag>, !tile.fragment<8x2xf32, #other>
      -> !tile.fragment<8xf32, #row>, !tile.fragment<8xf32, #row>
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<8 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<8 : 1 lane>]>

// A fragment of a warp is not a fragment of the block.
gpu.module @m {
  gpu.func @made_by_a_warp(%A: memref<8x2xf32>, %B: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    // expected-note @below {{the fragment is created here}}
    %x = tile.load %A scope(warp) : memref<8x2xf32> -> !tile.fragment<8x2xf32, #frag>
    // expected-error @below {{this fragment was created at scope `warp`, but the scope of the op is `cta`}}
    // expected-note @below {{use the same scope for both ops, or pass the tile through memory}}
    %r = tile.reduce sum %x axes [1] scope(cta)
      : !tile.fragment<8x2xf32, #frag> -> !tile.fragment<8xf32, #row>
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<8 : 1 lane>]>

// A function cannot take a fragment as an argument.
gpu.module @m {
  // expected-error @below {{`func.func` does not support fragments}}
  // expected-note @below {{a fragment is in the registers of one kernel: store it to memory, or pass it through `scf` ops}}
  func.func private @use(!tile.fragment<8xf32, #frag>)
  gpu.func @passed_to_a_function(%A: memref<8xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8xf32> -> !tile.fragment<8xf32, #frag>
    func.call @use(%x) : (!tile.fragment<8xf32, #frag>) -> ()
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<16 : 1 warp>, <32 : 1 lane>, <16 : 1 reg>]>
#sums = #tile.layout<[<32 : 1 lane>, <16 : 1 reg>]>

// Partial results of several warps need more shared memory than allowed.
gpu.module @m {
  gpu.func @too_much_to_exchange(%x: f64)
      kernel attributes {known_block_size = array<i32: 512, 1, 1>} {
    %f = tile.splat %x : f64 -> !tile.fragment<16x512xf64, #frag>
    // expected-error @below {{variant `local` cannot lower this reduction}}
    // expected-note @below {{layout: partial results of several warps take 65536 bytes of shared memory, expected at most 49152}}
    %r = tile.reduce sum %f axes [0] scope(cta) {variant = "local"}
      : !tile.fragment<16x512xf64, #frag> -> !tile.fragment<512xf64, #sums>
    gpu.return
  }
}

// -----

#frag = #tile.layout<[<8 : 1 lane>, <2 : 1 reg>]>
#row = #tile.layout<[<8 : 1 lane>]>
#far = #tile.layout<[<8 : 4 lane>]>

// A result must not be on lanes that only have a part of another result.
gpu.module @m {
  gpu.func @rows_on_other_lanes(%A: memref<8x2xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8x2xf32> -> !tile.fragment<8x2xf32, #frag>
    // expected-error @below {{variant `local` cannot lower this reduction}}
    // expected-note @below {{layout: element [1] of the result is on thread 4 of the `warp`, which has no partial result of this element}}
    %r = tile.reduce sum %x axes [1] scope(warp) {variant = "local"}
      : !tile.fragment<8x2xf32, #frag> -> !tile.fragment<8xf32, #far>
    gpu.return
  }
}
