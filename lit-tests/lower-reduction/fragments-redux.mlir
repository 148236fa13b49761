// RUN: tx-opt %s --lower-reduction

#flags = #tile.layout<[<8 : 1 lane>, <4 : 1 reg>]>
#flag = #tile.layout<[] replica [<8 : 1 lane>]>

gpu.module @kernels {
  // Eight lanes combine by one instruction with their own member mask. The other lanes of the warp execute
  // the instruction too, each by itself.
  // CHECK-LABEL: gpu.func @any_of_at_once
  // CHECK-NOT:     {{tile\.|gpu.shuffle|barrier|nvvm.bar}}
  // CHECK-COUNT-3: arith.ori {{.+}} : i1
  // CHECK:         %[[EIGHT:.+]] = arith.constant 255 : i32
  // CHECK:         %[[GROUP:.+]] = arith.shli %[[EIGHT]],
  // CHECK:         %[[ALONE:.+]] = arith.shli %c1_i32,
  // CHECK:         %[[MASK:.+]] = arith.select %{{.+}}, %[[GROUP]], %[[ALONE]]
  // CHECK:         nvvm.redux.sync or %{{.+}}, %[[MASK]]
  // CHECK-NOT:     {{tile\.|gpu.shuffle|redux|barrier|nvvm.bar}}
  gpu.func @any_of_at_once(%A: memref<8x4xi1>, %B: memref<i1>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %x = tile.load %A scope(warp) : memref<8x4xi1> -> !tile.fragment<8x4xi1, #flags>
    %r = tile.reduce or %x axes [0, 1] scope(warp) {variant = "redux"}
      : !tile.fragment<8x4xi1, #flags> -> !tile.fragment<i1, #flag>
    tile.store %r to %B scope(warp) : !tile.fragment<i1, #flag> to memref<i1>
    gpu.return
  }
}
