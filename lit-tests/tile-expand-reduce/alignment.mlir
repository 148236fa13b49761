// RUN: tx-opt %s --tile-analyze-scope --tile-select-variant --tile-expand-reduce

gpu.module @kernels {
  // A view with a byte offset is only aligned to its elements: no vector loads.
  // CHECK-LABEL: gpu.func @shifted_by_bytes
  // CHECK-NOT:     vector.load
  // CHECK:         gpu.return
  gpu.func @shifted_by_bytes(%B: memref<4xf32>)
      workgroup(%raw: memref<20000xi8, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c4 = arith.constant 4 : index
    %V = memref.view %raw[%c4][]
        : memref<20000xi8, #gpu.address_space<workgroup>> to memref<4x1024xf32, #gpu.address_space<workgroup>>
    tile.reduce sum %V into %B axes [1] scope(cta)
        : memref<4x1024xf32, #gpu.address_space<workgroup>> into memref<4xf32>
    gpu.return
  }

  // An explicit alignment that exceeds that of vector loads stays.
  // CHECK-LABEL: gpu.func @keeps_a_larger_alignment
  // CHECK-SAME:    llvm.align = 128
  // CHECK:         vector.load
  gpu.func @keeps_a_larger_alignment(%B: memref<4xf32>)
      workgroup(%S: memref<4x1024xf32, #gpu.address_space<workgroup>> {llvm.align = 128 : i64})
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta)
        : memref<4x1024xf32, #gpu.address_space<workgroup>> into memref<4xf32>
    gpu.return
  }

  // An old value that is wider than partial results keeps its bits.
  // CHECK-LABEL: gpu.func @accumulates_in_the_wider_type
  // CHECK-NOT:     arith.truncf
  // CHECK:         arith.extf %{{.+}} : f32 to f64
  // CHECK:         arith.addf %{{.+}} : f64
  gpu.func @accumulates_in_the_wider_type(%A: memref<4x8xf32>, %B: memref<4xf64>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) accumulate : memref<4x8xf32> into memref<4xf64>
    gpu.return
  }
}
