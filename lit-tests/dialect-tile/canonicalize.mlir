// RUN: tx-opt %s --canonicalize --cse

#row = #tile.layout<[<8 : 1 lane>]>
#one = #tile.layout<[] replica [<32 : 1 lane>]>

// An op on registers without uses of its result is erased.
// CHECK-LABEL: func.func @unused_results_go
// CHECK-NOT:   tile.
// CHECK:       return
func.func @unused_results_go(%A: memref<8xf32>, %v: f32) {
  %z = tile.splat %v : f32 -> !tile.fragment<8xf32, #row>
  %x = tile.load %A scope(warp) : memref<8xf32> -> !tile.fragment<8xf32, #row>
  %s = tile.reduce sum %z axes [0] scope(warp) : !tile.fragment<8xf32, #row> -> !tile.fragment<f32, #one>
  return
}

// An op that writes memory stays.
// CHECK-LABEL: func.func @writes_stay
// CHECK-NEXT:  tile.copy
// CHECK-NEXT:  tile.reduce sum
// CHECK-NEXT:  tile.reduce sum
// CHECK-NEXT:  tile.store
// CHECK-NEXT:  return
func.func @writes_stay(%A: memref<8xf32>, %C: memref<8xf32>, %B: memref<f32>, %x: !tile.fragment<8xf32, #row>) {
  tile.copy %A to %C scope(cta) : memref<8xf32> to memref<8xf32>
  tile.reduce sum %A into %B axes [0] scope(cta) accumulate : memref<8xf32> into memref<f32>
  tile.reduce sum %A into %B axes [0] scope(cta) accumulate : memref<8xf32> into memref<f32>
  tile.store %x to %C scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf32>
  return
}

// Two equal ops on registers are merged; two loads with a write in between are not.
// CHECK-LABEL:   func.func @equal_splats_are_one
// CHECK-COUNT-1: tile.splat
// CHECK-NOT:     tile.splat
// CHECK-COUNT-2: tile.load
// CHECK-NOT:     tile.load
func.func @equal_splats_are_one(%A: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>, %E: memref<8xf32>, %v: f32) {
  %z = tile.splat %v : f32 -> !tile.fragment<8xf32, #row>
  %y = tile.splat %v : f32 -> !tile.fragment<8xf32, #row>
  tile.store %z to %C scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf32>
  tile.store %y to %D scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf32>
  %a = tile.load %A scope(warp) : memref<8xf32> -> !tile.fragment<8xf32, #row>
  tile.store %z to %A scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf32>
  %b = tile.load %A scope(warp) : memref<8xf32> -> !tile.fragment<8xf32, #row>
  tile.store %a to %E scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf32>
  tile.store %b to %E scope(warp) : !tile.fragment<8xf32, #row> to memref<8xf32>
  return
}

// An exchange is not moved out of the branch that its threads take.
// CHECK-LABEL: func.func @exchange_stays_under_its_branch
// CHECK:       scf.if
// CHECK:         tile.all_reduce
// CHECK:       return
func.func @exchange_stays_under_its_branch(%v: f32, %c: i1, %B: memref<f32>) {
  scf.if %c {
    %s = tile.all_reduce sum %v scope(warp) : f32 -> f32
    memref.store %s, %B[] : memref<f32>
  }
  return
}
