// RUN: tx-opt %s --tile-list-candidates=chip=sm_90
// RUN(EXPLAIN): tx-opt %s --tile-choose-schedule="explain chip=sm_90" -o /dev/null 2>&1
// RUN(CHIP): not tx-opt %s --tile-list-candidates=chip=sm_1 2>&1

// Candidate schedules of each reduction, with the estimated microseconds on a board with this chip: first the
// chosen schedule, then the others by estimated time. An op without a reduction has no candidates.
// CHECK-LABEL: func.func @rows(
// CHECK:         tile.candidates = ["the H200, which represents sm_90, and lengths of {{[0-9x]+}}", {{\[\[}}#tile.bind<"d0" to block_x>
// CHECK-SAME:    e+00], {{\[\[}}#tile.split
// CHECK-LABEL: func.func @columns(
// CHECK:         tile.candidates = ["the H200, which represents sm_90, and lengths of {{[0-9x]+}}", {{\[\[}}#tile.split<"d1" by 32>
// CHECK-SAME:    e+00], {{\[\[}}#tile.split
// CHECK-LABEL: func.func @everything(
// CHECK:         tile.candidates = ["the H200, which represents sm_90, and lengths of {{[0-9]+}}, assumed for dynamic sizes", {{\[\[}}#tile.case<"d0" to 4096
// CHECK-LABEL: func.func @written(
// CHECK:         tile.candidates = ["the H200, which represents sm_90, and lengths of {{[0-9x]+}}", {{\[\[\]}}, {{[0-9.e+]+}}], {{\[\[}}#tile.split
// CHECK-LABEL: func.func @each_element(
// CHECK-NOT:     tile.candidates

// EXPLAIN: remark: `tile.reduce` is scheduled by its shape
// EXPLAIN: estimates are for the H200, which represents sm_90, and lengths of 512x1024{{$}}
// EXPLAIN: chosen: {{[0-9.]+}} µs for 2099200 bytes, 0.1 waves of {{[0-9]+}} threads per SM; memory bandwidth alone would take {{.+}} µs
// EXPLAIN: candidate: {{.+}} µs for 2099200 bytes
// EXPLAIN: remark: `tile.reduce` is scheduled as written in the program
// EXPLAIN: written: {{.+}} µs
// EXPLAIN: remark: `linalg.generic` is scheduled by its shape
// EXPLAIN-NOT: estimates

// CHIP: tile-list-candidates{chip=sm_1}:1:22: error: option `chip`: unknown chip `sm_1`; known chips: sm_80
func.func @rows(%A: memref<512x1024xf32>, %B: memref<512xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<512x1024xf32> into memref<512xf32>
  return
}

func.func @columns(%A: memref<1024x512xf32>, %B: memref<512xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<1024x512xf32> into memref<512xf32>
  return
}

func.func @everything(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<?xf32> into memref<f32>
  return
}

func.func @written(%A: memref<8x64xf32>, %B: memref<8xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = []} : memref<8x64xf32> into memref<8xf32>
  return
}

func.func @each_element(%A: memref<64xf32>, %B: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%A : memref<64xf32>) outs(%B : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  }
  return
}
