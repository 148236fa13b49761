// RUN: tx-opt %s --tile-expand-reduce

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#row = {group = 32 : i64, groups = 1 : i64, stride = 1 : i64, vector = 8 : i64}
#shared = #gpu.address_space<workgroup>

// f16 elements are combined as vectors of f16 if the result is the same.
gpu.module @kernels {
  // With partial results of f16: one vector addition for each load. In the end, the halves of the vector are
  // added, then its last two elements.
  // CHECK-LABEL: gpu.func @sum_in_f16(
  // CHECK-NOT:     {{extf|truncf}}
  // CHECK:         %[[V:.+]] = scf.for {{.+}} iter_args(%[[C:.+]] = %{{.+}}) -> (vector<8xf16>) {
  // CHECK:           %[[X:.+]] = vector.load {{.+}} {alignment = 16 : i64} : {{.+}}, vector<8xf16>
  // CHECK-NEXT:      arith.addf %[[C]], %[[X]] : vector<8xf16>
  // CHECK-NEXT:      scf.yield
  // CHECK:         arith.addf {{.+}} : vector<4xf16>
  // CHECK:         arith.addf {{.+}} : vector<2xf16>
  // CHECK:         arith.addf {{.+}} : f16
  // CHECK-NOT:     arith.addf
  // CHECK:         tile.all_reduce sum {{.+}} : f16 -> f16
  // CHECK-NOT:     {{extf|truncf}}
  // CHECK:         gpu.return
  gpu.func @sum_in_f16(%B: memref<f16>) workgroup(%S: memref<512xf16, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [0] scope(cta)
      {acc = f16, exec = #cta32, params = #row, variant = "packed_half"} : memref<512xf16, #shared> into memref<f16>
    gpu.return
  }

  // A maximum is exact in f16: only the result of the thread is widened, once.
  // CHECK-LABEL: gpu.func @max_bf16(
  // CHECK-NOT:     {{extf|truncf}}
  // CHECK:         arith.maximumf {{.+}} : vector<8xbf16>
  // CHECK:         arith.maximumf {{.+}} : vector<4xbf16>
  // CHECK:         arith.maximumf {{.+}} : vector<2xbf16>
  // CHECK:         %[[M:.+]] = arith.maximumf {{.+}} : bf16
  // CHECK-NEXT:    %[[W:.+]] = arith.extf %[[M]] : bf16 to f32
  // CHECK-NOT:     extf
  // CHECK:         tile.all_reduce max {{.+}} : f32 -> f32
  // CHECK:         arith.truncf {{.+}} : f32 to bf16
  // CHECK:         gpu.return
  gpu.func @max_bf16(%B: memref<bf16>) workgroup(%S: memref<512xbf16, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce max %S into %B axes [0] scope(cta)
      {exec = #cta32, params = #row, variant = "packed_half"} : memref<512xbf16, #shared> into memref<bf16>
    gpu.return
  }
}
