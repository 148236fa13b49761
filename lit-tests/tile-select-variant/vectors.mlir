// RUN: tx-opt %s --tile-select-variant

#cta32 = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}
#shared = #gpu.address_space<workgroup>

// A load has up to 16 bytes if every such load is aligned. This needs shared memory of
// the kernel, whose alignment the compiler chooses, and rows with aligned starts and
// lengths.
gpu.module @kernels {
  // Four 32-bit elements per load.
  // CHECK-LABEL: gpu.func @f32
  // CHECK:       params = {{[{].*}}vector = 4 : i64}
  gpu.func @f32(%B: memref<4xf32>) workgroup(%S: memref<4x1024xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xf32, #shared> into memref<4xf32>
    gpu.return
  }

  // Eight 16-bit elements per load.
  // CHECK-LABEL: gpu.func @f16
  // CHECK:       params = {{[{].*}}vector = 8 : i64}
  gpu.func @f16(%B: memref<4xf16>) workgroup(%S: memref<4x1024xf16, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xf16, #shared> into memref<4xf16>
    gpu.return
  }

  // Two 64-bit elements per load.
  // CHECK-LABEL: gpu.func @f64
  // CHECK:       params = {{[{].*}}vector = 2 : i64}
  gpu.func @f64(%B: memref<4xf64>) workgroup(%S: memref<4x1024xf64, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xf64, #shared> into memref<4xf64>
    gpu.return
  }

  // Sixteen 8-bit elements per load.
  // CHECK-LABEL: gpu.func @i8
  // CHECK:       params = {{[{].*}}vector = 16 : i64}
  gpu.func @i8(%B: memref<4xi8>) workgroup(%S: memref<4x1024xi8, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xi8, #shared> into memref<4xi8>
    gpu.return
  }

  // Every lane of the group needs a full vector: 64 elements suffice for up to sixteen lanes with four
  // each.
  // CHECK-LABEL: gpu.func @short_rows
  // CHECK:       params = {{[{].*}}vector = 4 : i64}
  gpu.func @short_rows(%B: memref<4xf32>) workgroup(%S: memref<4x64xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta32} : memref<4x64xf32, #shared> into memref<4xf32>
    gpu.return
  }

  // The row length is a multiple of two elements only.
  // CHECK-LABEL: gpu.func @rows_of_1022
  // CHECK:       params = {{[{].*}}vector = 2 : i64}
  gpu.func @rows_of_1022(%B: memref<4xf32>) workgroup(%S: memref<4x1022xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1022xf32, #shared> into memref<4xf32>
    gpu.return
  }

  // The row length is odd.
  // CHECK-LABEL: gpu.func @rows_of_1023
  // CHECK:       params = {{[{].*}}vector = 1 : i64}
  gpu.func @rows_of_1023(%B: memref<4xf32>) workgroup(%S: memref<4x1023xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1023xf32, #shared> into memref<4xf32>
    gpu.return
  }

  // A row pitch that is a multiple of 16 bytes keeps all rows aligned.
  // CHECK-LABEL: gpu.func @padded_rows
  // CHECK:       params = {{[{].*}}vector = 4 : i64}
  gpu.func @padded_rows(%B: memref<4xf32>) workgroup(%S: memref<4x1024xf32, strided<[1028, 1]>, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xf32, strided<[1028, 1]>, #shared> into memref<4xf32>
    gpu.return
  }

  // With another row pitch, every other row is unaligned.
  // CHECK-LABEL: gpu.func @rows_with_an_odd_pitch
  // CHECK:       params = {{[{].*}}vector = 1 : i64}
  gpu.func @rows_with_an_odd_pitch(%B: memref<4xf32>) workgroup(%S: memref<4x1024xf32, strided<[1025, 1]>, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xf32, strided<[1025, 1]>, #shared> into memref<4xf32>
    gpu.return
  }

  // Vector elements must be contiguous.
  // CHECK-LABEL: gpu.func @every_other_element
  // CHECK:       params = {{[{].*}}vector = 1 : i64}
  gpu.func @every_other_element(%B: memref<4xf32>) workgroup(%S: memref<4x1024xf32, strided<[2048, 2]>, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xf32, strided<[2048, 2]>, #shared> into memref<4xf32>
    gpu.return
  }

  // A row of several axes is loaded along the last one.
  // CHECK-LABEL: gpu.func @two_axes
  // CHECK:       params = {{[{].*}}vector = 4 : i64}
  gpu.func @two_axes(%B: memref<4xf32>) workgroup(%S: memref<2x4x64xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %S into %B axes [0, 2] scope(cta) {exec = #cta32} : memref<2x4x64xf32, #shared> into memref<4xf32>
    gpu.return
  }

  // A slice at an offset of 16 bytes is aligned.
  // CHECK-LABEL: gpu.func @slice_from_element_4
  // CHECK:       params = {{[{].*}}vector = 4 : i64}
  gpu.func @slice_from_element_4(%B: memref<4xf32>, %i: index) workgroup(%S: memref<4x1032xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %V = memref.subview %S[0, 4] [4, 1024] [1, 1] : memref<4x1032xf32, #shared> to memref<4x1024xf32, strided<[1032, 1], offset: 4>, #shared>
    tile.reduce sum %V into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xf32, strided<[1032, 1], offset: 4>, #shared> into memref<4xf32>
    gpu.return
  }

  // A slice at an offset of eight bytes allows vectors of two.
  // CHECK-LABEL: gpu.func @slice_from_element_2
  // CHECK:       params = {{[{].*}}vector = 2 : i64}
  gpu.func @slice_from_element_2(%B: memref<4xf32>, %i: index) workgroup(%S: memref<4x1032xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %V = memref.subview %S[0, 2] [4, 1024] [1, 1] : memref<4x1032xf32, #shared> to memref<4x1024xf32, strided<[1032, 1], offset: 2>, #shared>
    tile.reduce sum %V into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xf32, strided<[1032, 1], offset: 2>, #shared> into memref<4xf32>
    gpu.return
  }

  // A slice at the second element is unaligned.
  // CHECK-LABEL: gpu.func @slice_from_element_1
  // CHECK:       params = {{[{].*}}vector = 1 : i64}
  gpu.func @slice_from_element_1(%B: memref<4xf32>, %i: index) workgroup(%S: memref<4x1032xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %V = memref.subview %S[0, 1] [4, 1024] [1, 1] : memref<4x1032xf32, #shared> to memref<4x1024xf32, strided<[1032, 1], offset: 1>, #shared>
    tile.reduce sum %V into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xf32, strided<[1032, 1], offset: 1>, #shared> into memref<4xf32>
    gpu.return
  }

  // A slice at a dynamic offset has unknown alignment.
  // CHECK-LABEL: gpu.func @slice_from_anywhere
  // CHECK:       params = {{[{].*}}vector = 1 : i64}
  gpu.func @slice_from_anywhere(%B: memref<4xf32>, %i: index) workgroup(%S: memref<4x1032xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %V = memref.subview %S[0, %i] [4, 1024] [1, 1] : memref<4x1032xf32, #shared> to memref<4x1024xf32, strided<[1032, 1], offset: ?>, #shared>
    tile.reduce sum %V into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xf32, strided<[1032, 1], offset: ?>, #shared> into memref<4xf32>
    gpu.return
  }

  // Memory from outside is assumed to be aligned to its elements only.
  // CHECK-LABEL: gpu.func @global_memory
  // CHECK:       params = {{[{].*}}vector = 1 : i64}
  gpu.func @global_memory(%A: memref<4x1024xf32>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xf32> into memref<4xf32>
    gpu.return
  }

  // Shared memory in an argument is assumed to be aligned to its elements only.
  // CHECK-LABEL: gpu.func @shared_memory_of_others
  // CHECK:       params = {{[{].*}}vector = 1 : i64}
  gpu.func @shared_memory_of_others(%A: memref<4x1024xf32, #shared>, %B: memref<4xf32>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    tile.reduce sum %A into %B axes [1] scope(cta) {exec = #cta32} : memref<4x1024xf32, #shared> into memref<4xf32>
    gpu.return
  }
}
