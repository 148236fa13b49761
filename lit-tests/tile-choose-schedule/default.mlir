// RUN: tx-opt %s --tile-choose-schedule

// Without a schedule attribute, the pass chooses a schedule from sizes and strides, and writes it as the
// attribute that the program could contain.

// Rows of dynamic length and number: one kernel for each class of lengths. Short rows have one thread, or two
// rows per thread, then four to sixteen threads, then vectors, a warp, two warps, a block. Few long rows are
// split across blocks with a last-block reduction: the fewer rows, the more blocks.
// CHECK-LABEL: func.func @rows(
// CHECK:      #tile.case<"d1" to 8, [#tile.split<"d0" by 256>, #tile.bind<"d0.o" to block_x>, #tile.split<"d0.i" by 128>, #tile.bind<"d0.i.i" to thread_y>, #tile.split<"d1" by 8>, #tile.split<"d1.i" by 1>, #tile.bind<"d1.i.i" to thread_x>, #tile.unroll<"d1.i.o">, #tile.reorder<"d1.o", "d1.i.o", "d0.i.o">, #tile.unroll<"d0.i.o">]>
// CHECK-SAME: #tile.case<"d1" to 16, [#tile.split<"d0" by 64>, #tile.bind<"d0.o" to block_x>, #tile.split<"d0.i" by 32>, #tile.bind<"d0.i.i" to thread_y>, #tile.split<"d1" by 16>, #tile.split<"d1.i" by 4>, #tile.bind<"d1.i.i" to thread_x>, #tile.unroll<"d1.i.o">, #tile.reorder<"d1.o", "d1.i.o", "d0.i.o">, #tile.unroll<"d0.i.o">]>
// CHECK-SAME: #tile.case<"d1" to 24, [#tile.split<"d0" by 32>, {{[^]]*}}#tile.split<"d1" by 24>, #tile.split<"d1.i" by 8>,
// CHECK-SAME: #tile.case<"d1" to 32, [#tile.split<"d0" by 32>, {{[^]]*}}#tile.split<"d1" by 32>, #tile.split<"d1.i" by 16>,
// CHECK-SAME: #tile.case<"d1" to 64, [#tile.split<"d0" by 32>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.align<"d1" to 4>, #tile.split<"d1.o" by 16>, #tile.split<"d1.o.i" by 4>, #tile.bind<"d1.o.i.i" to thread_x>, #tile.unroll<"d1.o.i.o">, #tile.vectorize<"d1.i">, #tile.stream, #tile.resident<1024>]>
// CHECK-SAME: #tile.case<"d1" to 128, [#tile.split<"d0" by 16>, {{[^]]*}}#tile.split<"d1.o" by 32>, #tile.split<"d1.o.i" by 8>, {{[^]]*}}#tile.resident<1024>]>
// CHECK-SAME: #tile.case<"d1" to 256, [#tile.split<"d0" by 8>, {{[^]]*}}#tile.split<"d1.o" by 64>, #tile.split<"d1.o.i" by 16>, {{[^]]*}}#tile.resident<1024>]>
// CHECK-SAME: #tile.case<"d1" to 768, [#tile.split<"d0" by 8>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.split<"d1" by 256>, #tile.split<"d1.i" by 32>, #tile.bind<"d1.i.i" to thread_x>, #tile.unroll<"d1.i.o">, #tile.stream]>
// CHECK-SAME: #tile.case<"d1" to 4096, [#tile.split<"d0" by 2>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.align<"d1" to 4>, #tile.split<"d1.o" by 128>, #tile.split<"d1.o.i" by 64>, #tile.bind<"d1.o.i.i" to thread_x>, #tile.unroll<"d1.o.i.o">, #tile.vectorize<"d1.i">, #tile.stream]>
// CHECK-SAME: #tile.case<"d0" to 1, [#tile.bind<"d0" to block_y>, #tile.align<"d1" to 4>, #tile.split<"d1.o" by 131072>
// CHECK-SAME: #tile.case<"d0" to 4, [#tile.bind<"d0" to block_y>, #tile.align<"d1" to 4>, #tile.split<"d1.o" by 65536>, #tile.split<"d1.o.i" by 1024>, #tile.rfactor<"d1.o.i.o">, #tile.bind<"d1.o.i.o" to block_x>, #tile.last_block, #tile.split<"d1.o.i.i" by 512>
// CHECK-SAME: #tile.case<"d0" to 32, [#tile.bind<"d0" to block_y>, #tile.align<"d1" to 4>, #tile.split<"d1.o" by 8192>, #tile.split<"d1.o.i" by 512>, #tile.rfactor<"d1.o.i.o">, #tile.bind<"d1.o.i.o" to block_x>, #tile.last_block, #tile.split<"d1.o.i.i" by 256>
// CHECK-SAME: #tile.otherwise<[#tile.bind<"d0" to block_x>, #tile.align<"d1" to 4>, #tile.split<"d1.o" by 512>, #tile.split<"d1.o.i" by 256>, #tile.bind<"d1.o.i.i" to thread_x>, #tile.unroll<"d1.o.i.o">, #tile.vectorize<"d1.i">, #tile.stream]>
func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}

// A static number of few rows.
// CHECK-LABEL: func.func @few_rows(
// CHECK:      #tile.case<"d1" to 4096,
// CHECK-SAME: #tile.otherwise<[#tile.bind<"d0" to block_y>, #tile.align<"d1" to 4>, #tile.split<"d1.o" by 8192>, #tile.split<"d1.o.i" by 512>, #tile.rfactor<"d1.o.i.o">
func.func @few_rows(%A: memref<16x?xf32>, %B: memref<16xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<16x?xf32> into memref<16xf32>
  return
}

// Few rows of at least half a gibibyte are split across about 8192 blocks in total.
// CHECK-LABEL: func.func @long_and_vast(
// CHECK: schedule = [#tile.bind<"d0" to block_y>, #tile.split<"d1" by 4>, #tile.split<"d1.o" by 65536>, #tile.split<"d1.o.i" by 2048>, #tile.rfactor<"d1.o.i.o">, #tile.bind<"d1.o.i.o" to block_x>, #tile.last_block, #tile.split<"d1.o.i.i" by 256>,
func.func @long_and_vast(%A: memref<256x1048576xf32>, %B: memref<256xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<256x1048576xf32> into memref<256xf32>
  return
}

// Columns of 64 to 512 elements that only one block reduces have 16 threads each. For 16-bit elements, half
// as many threads are side by side, with eight columns each.
// CHECK-LABEL: func.func @tall_columns(
// CHECK: #tile.split<"p" by 32>, {{.+}} #tile.split<"d1.i" by 16>, #tile.bind<"d1.i.i" to thread_y>
// CHECK-LABEL: func.func @tall_columns_of_halves(
// CHECK: #tile.split<"p" by 16>, {{.+}} #tile.split<"d1.i" by 16>, #tile.bind<"d1.i.i" to thread_y>
// CHECK-LABEL: func.func @taller_columns(
// CHECK: #tile.split<"p" by 32>, {{.+}} #tile.split<"d1.i" by 8>, #tile.bind<"d1.i.i" to thread_y>
func.func @tall_columns(%A: memref<?x64x1024xf32>, %B: memref<?x1024xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x64x1024xf32> into memref<?x1024xf32>
  return
}
func.func @tall_columns_of_halves(%A: memref<?x64x1024xf16>, %B: memref<?x1024xf16>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x64x1024xf16> into memref<?x1024xf16>
  return
}
func.func @taller_columns(%A: memref<?x513x1024xf32>, %B: memref<?x1024xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x513x1024xf32> into memref<?x1024xf32>
  return
}

// A batch-invariant op: one schedule for all numbers of rows, and no row is split.
// CHECK-LABEL: func.func @any_number_of_rows(
// CHECK-NOT:   "d0" to
// CHECK-NOT:   rfactor
// CHECK:       return
func.func @any_number_of_rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = #tile.determinism<batch_invariant>} : memref<?x?xf32> into memref<?xf32>
  return
}

// Long rows have a block each, with two to three vectors per thread, which begin at the row start.
// CHECK-LABEL: func.func @long_rows(
// CHECK: schedule = [#tile.bind<"d0" to block_x>, #tile.split<"d1" by 4>, #tile.split<"d1.o" by 512>, #tile.bind<"d1.o.i" to thread_x>, #tile.unroll<"d1.o.o">, #tile.vectorize<"d1.i">, #tile.stream]
func.func @long_rows(%A: memref<?x5000xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x5000xf32> into memref<?xf32>
  return
}

// Short rows without vector loads have one thread each.
// CHECK-LABEL: func.func @short_rows(
// CHECK: schedule = [#tile.split<"d0" by 256>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>]
func.func @short_rows(%A: memref<?x7xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x7xf32> into memref<?xf32>
  return
}

// Rows of few vectors: one thread for each vector, and four rows per thread.
// CHECK-LABEL: func.func @rows_of_a_cache_line(
// CHECK: schedule = [#tile.split<"d0" by 64>, #tile.bind<"d0.o" to block_x>, #tile.split<"d0.i" by 16>, #tile.bind<"d0.i.i" to thread_y>, #tile.split<"d1" by 4>, #tile.split<"d1.o" by 8>, #tile.bind<"d1.o.i" to thread_x>, #tile.unroll<"d1.o.o">, #tile.reorder<"d1.o.o", "d0.i.o", "d1.i">, #tile.unroll<"d0.i.o">, #tile.vectorize<"d1.i">]
func.func @rows_of_a_cache_line(%A: memref<?x32xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x32xf32> into memref<?xf32>
  return
}

// A few vectors per thread: eight threads per row.
// CHECK-LABEL: func.func @rows_of_some_cache_lines(
// CHECK: schedule = [#tile.split<"d0" by 16>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.split<"d1" by 4>, #tile.split<"d1.o" by 16>, #tile.bind<"d1.o.i" to thread_x>, #tile.unroll<"d1.o.o">, #tile.vectorize<"d1.i">, #tile.stream]
func.func @rows_of_some_cache_lines(%A: memref<?x100xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x100xf32> into memref<?xf32>
  return
}

// Vectors have 16 bytes for each type. A row has two warps, and a block two rows for enough work.
// CHECK-LABEL: func.func @rows_of_halves(
// CHECK: schedule = [#tile.split<"d0" by 2>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.split<"d1" by 8>, #tile.split<"d1.o" by 64>, #tile.bind<"d1.o.i" to thread_x>, #tile.unroll<"d1.o.o">, #tile.vectorize<"d1.i">, #tile.stream]
func.func @rows_of_halves(%A: memref<?x1024xf16>, %B: memref<?xf16>) {
  tile.reduce max %A into %B axes [1] scope(grid) : memref<?x1024xf16> into memref<?xf16>
  return
}

// If the row length is no multiple of the vector width, rows of narrow elements use shorter vectors, with
// fewer head and tail elements. Small arrays use scalar loads, for small code.
// CHECK-LABEL: func.func @rows_of_halves_that_begin_anywhere(
// CHECK: schedule = [#tile.split<"d0" by 32>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>, #tile.align<"d1" to 4>, #tile.split<"d1.o" by 32>, #tile.split<"d1.o.i" by 8>, #tile.bind<"d1.o.i.i" to thread_x>, #tile.unroll<"d1.o.i.o">, #tile.vectorize<"d1.i">]
// CHECK-LABEL: func.func @few_halves_that_begin_anywhere(
// CHECK-NOT: #tile.align
// CHECK: return
func.func @rows_of_halves_that_begin_anywhere(%A: memref<?x101xf16>, %B: memref<?xf16>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x101xf16> into memref<?xf16>
  return
}
func.func @few_halves_that_begin_anywhere(%A: memref<?x50xf16>, %B: memref<?xf16>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x50xf16> into memref<?xf16>
  return
}

// Rows of f16 of dynamic length: vectors of two, four or eight, for few head and tail elements.
// CHECK-LABEL: func.func @rows_of_some_halves(
// CHECK:      #tile.case<"d1" to 8, [#tile.split
// CHECK-SAME: #tile.case<"d1" to 16, {{[^]]*}}#tile.align<"d1" to 2>{{[^]]*}}]>
// CHECK-SAME: #tile.case<"d1" to 48, {{[^]]*}}#tile.align<"d1" to 4>{{[^]]*}}]>
// CHECK-SAME: #tile.case<"d1" to 64, {{[^]]*}}#tile.align<"d1" to 8>{{[^]]*}}#tile.stream, #tile.resident<1024>]>
// CHECK-SAME: #tile.case<"d1" to 80, {{[^]]*}}#tile.align<"d1" to 8>{{[^]]*}}#tile.stream, #tile.resident<1024>]>
// CHECK-SAME: #tile.case<"d1" to 128, {{[^]]*}}#tile.align<"d1" to 8>{{[^]]*}}#tile.stream, #tile.resident<1024>]>
// CHECK-SAME: #tile.case<"d1" to 256, {{[^]]*}}#tile.align<"d1" to 8>{{[^]]*}}#tile.resident<1280>]>
func.func @rows_of_some_halves(%A: memref<?x?xf16>, %B: memref<?xf16>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf16> into memref<?xf16>
  return
}

// A multiple of four columns: four per thread. Few columns are split across blocks, with 32 threads each.
// CHECK-LABEL: func.func @few_columns(
// CHECK: schedule = [#tile.split<"d1" by 4>, #tile.split<"d1.o" by 16>, #tile.bind<"d1.o.o" to block_x>, #tile.bind<"d1.o.i" to thread_x>, #tile.split<"d0" by 33792>, #tile.split<"d0.i" by 256>, #tile.rfactor<"d0.i.o">, #tile.bind<"d0.i.o" to block_y>, #tile.last_block, #tile.split<"d0.i.i" by 32>, #tile.bind<"d0.i.i.i" to thread_y>, #tile.unroll<"d0.i.i.o">, #tile.reorder<"d0.o", "d0.i.i.o", "d1.i">, #tile.vectorize<"d1.i">, #tile.stream]
func.func @few_columns(%A: memref<?x256xf32>, %B: memref<256xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<?x256xf32> into memref<256xf32>
  return
}

// Rows of several dimensions become one loop if this needs no division by a dynamic length.
// CHECK-LABEL: func.func @rows_of_two_dimensions(
// CHECK: schedule = [#tile.bind<"d0" to block_x>, #tile.split<"d2" by 4>, #tile.fuse<["d1", "d2.o"] to "r">, #tile.split<"r" by 128>, #tile.bind<"r.i" to thread_x>, #tile.unroll<"r.o">, #tile.vectorize<"d2.i">, #tile.stream]
func.func @rows_of_two_dimensions(%A: memref<?x30x64xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1, 2] scope(grid) : memref<?x30x64xf32> into memref<?xf32>
  return
}

// Columns: neighbouring lanes have neighbouring columns, and eight threads share a column, with 16 elements
// in flight each. Long columns are split across blocks: the fewer columns, the more blocks.
// CHECK-LABEL: func.func @columns(
// CHECK:      #tile.case<"d0" to 1024, [#tile.split<"d1" by 32>, #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.split<"d0" by 128>, #tile.split<"d0.i" by 8>, #tile.bind<"d0.i.i" to thread_y>, #tile.unroll<"d0.i.o">]>
// CHECK-SAME: #tile.case<"d1" to 16, [#tile.split<"d1" by 8>, #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.split<"d0" by 135168>, #tile.split<"d0.i" by 256>, #tile.rfactor<"d0.i.o">
// CHECK-SAME: #tile.case<"d1" to 64, [#tile.split<"d1" by 16>, #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.split<"d0" by 33792>, #tile.split<"d0.i" by 128>, #tile.rfactor<"d0.i.o">
// CHECK-SAME: #tile.case<"d1" to 1024, [#tile.split<"d1" by 32>, #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.split<"d0" by 4096>, #tile.split<"d0.i" by 64>, #tile.rfactor<"d0.i.o">
// CHECK-SAME: #tile.otherwise<[#tile.split<"d1" by 64>, #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.split<"d0" by 1024>, #tile.split<"d0.i" by 64>, #tile.rfactor<"d0.i.o">, #tile.bind<"d0.i.o" to block_y>, #tile.last_block, #tile.split<"d0.i.i" by 8>, #tile.bind<"d0.i.i.i" to thread_y>, #tile.unroll<"d0.i.i.o">]>
func.func @columns(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}

// A static number of few rows has one schedule; a batch-invariant op has none for few rows.
// CHECK-LABEL: func.func @columns_of_some_rows(
// CHECK:      {schedule = [#tile.split<"d1" by 32>
// CHECK-LABEL: func.func @columns_of_many_rows(
// CHECK:      {schedule = [#tile.case<"d1" to 16,
func.func @columns_of_some_rows(%A: memref<1000x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<1000x?xf32> into memref<?xf32>
  return
}
func.func @columns_of_many_rows(%A: memref<5000x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<5000x?xf32> into memref<?xf32>
  return
}

// The same memory as a transposed view: the schedule depends on contiguous elements, not on the order of
// dimensions.
// CHECK-LABEL: func.func @rows_of_the_transposed(
// CHECK:      #tile.case<"d1" to 1024, [#tile.split<"d0" by 32>, #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_x>, #tile.split<"d1" by 128>, #tile.split<"d1.i" by 8>, #tile.bind<"d1.i.i" to thread_y>, #tile.unroll<"d1.i.o">]>
// CHECK-SAME: #tile.case<"d0" to 16,
func.func @rows_of_the_transposed(%A: memref<?x?xf32, strided<[1, ?]>>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32, strided<[1, ?]>> into memref<?xf32>
  return
}

// A reduction to one result: a constant number of blocks computes partial results, which the last block or
// another kernel combines. The elements are thus combined in the same order in every run.
// CHECK-LABEL: func.func @everything(
// CHECK:      schedule = [#tile.case<"d0" to 4096, [#tile.split<"d0" by 4096>, #tile.split<"d0.i" by 256>, #tile.bind<"d0.i.i" to thread_x>, #tile.unroll<"d0.i.o">]>
// CHECK-SAME: #tile.case<"d0" to 262144, [#tile.split<"d0" by 262144>, #tile.split<"d0.i" by 2048>, #tile.rfactor<"d0.i.o">, #tile.bind<"d0.i.o" to block_x>, #tile.last_block, #tile.split<"d0.i.i" by 256>, #tile.bind<"d0.i.i.i" to thread_x>, #tile.unroll<"d0.i.i.o">]>
// CHECK-SAME: #tile.case<"d0" to 1048576, [#tile.split<"d0" by 524288>, #tile.split<"d0.i" by 4096>, #tile.rfactor<"d0.i.o">, #tile.bind<"d0.i.o" to block_x>, #tile.last_block, #tile.split<"d0.i.i" by 256>, #tile.bind<"d0.i.i.i" to thread_x>, #tile.unroll<"d0.i.i.o">]>
// CHECK-SAME: #tile.case<"d0" to 134217728, [#tile.align<"d0" to 4>, #tile.split<"d0.o" by 540672>, #tile.split<"d0.o.i" by 1024>, #tile.rfactor<"d0.o.i.o">, #tile.bind<"d0.o.i.o" to block_x>, #tile.split<"d0.o.i.i" by 256>, #tile.bind<"d0.o.i.i.i" to thread_x>, #tile.unroll<"d0.o.i.i.o">, #tile.vectorize<"d0.i">]>
// CHECK-SAME: #tile.otherwise<[#tile.align<"d0" to 4>, #tile.split<"d0.o" by 16777216>, #tile.split<"d0.o.i" by 2048>, #tile.rfactor<"d0.o.i.o">, #tile.bind<"d0.o.i.o" to block_x>, #tile.last_block, #tile.split<"d0.o.i.i" by 256>, #tile.bind<"d0.o.i.i.i" to thread_x>, #tile.unroll<"d0.o.i.i.o">, #tile.vectorize<"d0.i">, #tile.stream]>]
func.func @everything(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<?xf32> into memref<f32>
  return
}

// Few long rows are split across blocks.
// CHECK-LABEL: func.func @few_very_long_rows(
// CHECK: schedule = [#tile.bind<"d0" to block_y>, #tile.split<"d1" by 4>, #tile.split<"d1.o" by 249856>, #tile.split<"d1.o.i" by 1024>, #tile.rfactor<"d1.o.i.o">, #tile.bind<"d1.o.i.o" to block_x>, #tile.split<"d1.o.i.i" by 256>, #tile.bind<"d1.o.i.i.i" to thread_x>, #tile.unroll<"d1.o.i.i.o">, #tile.vectorize<"d1.i">, #tile.stream]
func.func @few_very_long_rows(%A: memref<4x1000000xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<4x1000000xf32> into memref<4xf32>
  return
}

// A batch-invariant op does not split few long rows: the schedule is independent of the number of
// rows.
// CHECK-LABEL: func.func @batch_invariant_rows(
// CHECK: schedule = [#tile.bind<"d0" to block_x>, #tile.split<"d1" by 4>, #tile.split<"d1.o" by 4096>, #tile.split<"d1.o.i" by 1024>, #tile.bind<"d1.o.i.i" to thread_x>, #tile.unroll<"d1.o.i.o">, #tile.vectorize<"d1.i">, #tile.stream]
func.func @batch_invariant_rows(%A: memref<4x200000xf32>, %B: memref<4xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = #tile.determinism<batch_invariant>}
    : memref<4x200000xf32> into memref<4xf32>
  return
}

// In a batch-invariant op, rows of at least 2^18 elements are split across a constant number of blocks.
// CHECK-LABEL: func.func @batch_invariant_long_rows(
// CHECK: schedule = [#tile.bind<"d0" to block_y>, [[LONG:.+]] #tile.split<"d1.o" by 73728>, #tile.split<"d1.o.i" by 2048>, #tile.rfactor<"d1.o.i.o">, #tile.bind<"d1.o.i.o" to block_x>, #tile.last_block, [[REST:.+]]]} : memref<?x
// CHECK-LABEL: func.func @three_batch_invariant_long_rows(
// CHECK: schedule = [#tile.bind<"d0" to block_y>, [[LONG]] #tile.split<"d1.o" by 73728>, #tile.split<"d1.o.i" by 2048>, #tile.rfactor<"d1.o.i.o">, #tile.bind<"d1.o.i.o" to block_x>, #tile.last_block, [[REST]]]} : memref<3x
func.func @batch_invariant_long_rows(%A: memref<?x300000xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = #tile.determinism<batch_invariant>} : memref<?x300000xf32> into memref<?xf32>
  return
}
func.func @three_batch_invariant_long_rows(%A: memref<3x300000xf32>, %B: memref<3xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {determinism = #tile.determinism<batch_invariant>} : memref<3x300000xf32> into memref<3xf32>
  return
}

// A batch-invariant op ignores strides: one column is scheduled like a thousand columns.
// CHECK-LABEL: func.func @batch_invariant_column(
// CHECK: schedule = [#tile.split<"d1" by 32>, #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.split<"d0" by 8>, #tile.bind<"d0.i" to thread_y>]
// CHECK-LABEL: func.func @batch_invariant_columns(
// CHECK: schedule = [#tile.split<"d1" by 32>, #tile.bind<"d1.o" to block_x>, #tile.bind<"d1.i" to thread_x>, #tile.split<"d0" by 8>, #tile.bind<"d0.i" to thread_y>]
func.func @batch_invariant_column(%A: memref<1000x1xf32>, %B: memref<1xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {determinism = #tile.determinism<batch_invariant>}
    : memref<1000x1xf32> into memref<1xf32>
  return
}
func.func @batch_invariant_columns(%A: memref<1000x1000xf32>, %B: memref<1000xf32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) {determinism = #tile.determinism<batch_invariant>}
    : memref<1000x1000xf32> into memref<1000xf32>
  return
}

// Several parallel dimensions are fused into one loop, with the contiguous dimension innermost.
// CHECK-LABEL: func.func @middle_axis(
// CHECK: schedule = [#tile.fuse<["d0", "d2"] to "p">, #tile.split<"p" by 32>, #tile.bind<"p.o" to block_x>, #tile.bind<"p.i" to thread_x>, #tile.split<"d1" by 128>, #tile.split<"d1.i" by 8>, #tile.bind<"d1.i.i" to thread_y>, #tile.unroll<"d1.i.o">]
func.func @middle_axis(%A: memref<?x?x?xf32>, %B: memref<?x?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?x?xf32> into memref<?x?xf32>
  return
}

// An element-wise op: one thread for each 16-byte vector of the destination. The loads have the L2 eviction policy
// evict_last, because the arrays may be large.
// CHECK-LABEL: func.func @each_element(
// CHECK: schedule = [#tile.split<"d1" by 4>, #tile.fuse<["d0", "d1.o"] to "p">, #tile.split<"p" by 256>, #tile.bind<"p.o" to block_x>, #tile.bind<"p.i" to thread_x>, #tile.vectorize<"d1.i">, #tile.evict_last]
func.func @each_element(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  linalg.map { math.absf } ins(%A : memref<?x?xf32>) outs(%B : memref<?x?xf32>)
  return
}

// A single element needs no loop, and its schedule has no steps.
// CHECK-LABEL: func.func @one_element(
// CHECK: schedule = []
func.func @one_element(%A: memref<f32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [] scope(grid) : memref<f32> into memref<f32>
  return
}

// A schedule attribute of the program stays.
// CHECK-LABEL: func.func @written(
// CHECK: schedule = [#tile.split<"d1" by 5>]
func.func @written(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 5>]} : memref<?x?xf32> into memref<?xf32>
  return
}
