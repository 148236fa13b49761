// RUN: tx explain %s --chip sm_80
// RUN(CHIP): tx explain %s --chip sm_90 --entry rows
// RUN(NONE): tx explain %s --chip sm_80 --candidates none
// RUN(SHORT): tx explain %s --chip sm_80 --candidates short
// RUN(FULL): tx explain %s --chip sm_80 --candidates full
// RUN(WRONG): not tx explain %s --chip sm_90 --entry columns 2>&1
// EXIT: 1

// What is chosen is said where the op stands, a line for each kernel and for each variant, once for each op: for which lengths, by
// which kernel, in which time for the longest of them, and what that is made of; of other schedules, how far their estimates lie apart.
// These stand at the end, so that they hide nothing: one of each kind, unless all are asked for.
// CHECK:      explain-a-program.mlir:[[# @LINE + 33]]:3: remark: `tile.reduce` is scheduled by its shape
// CHECK-NEXT:   tile.reduce sum %A into %B
// CHECK-NEXT:   ^
// CHECK-NEXT:   the first of these cases that the lengths fit is taken
// CHECK-NEXT:   `d1` up to 8: kernel `rows_0`, 128 threads a block, {{[0-9.]+}} µs for 33554432x8: split d0 by 256,
// CHECK-NEXT:   `d1` up to 16: kernel `rows_1`, 128 threads a block, {{[0-9.]+}} µs for 16777216x16: split d0 by 64,
// CHECK:        `d1` up to 4096: kernel `rows_8`, 128 threads a block, {{[0-9.]+}} µs for 65536x4096: split d0 by 2,
// CHECK:        `d0` up to 32: kernel `rows_11`, 256 threads a block, {{[0-9.]+}} µs for 32x8192: bind d0 to block_y,
// CHECK:        all other lengths: kernel `rows_12`, 256 threads a block, {{[0-9.]+}} µs for 32768x8192: bind d0 to block_x,
// CHECK-NEXT:   estimates are for the A100 and 262144x1024, which is assumed where sizes are known at run time only
// CHECK-NEXT:   chosen by rules that were measured on GPUs, for the kind of reduction and its lengths; estimates tell
// CHECK-NEXT:   chosen: {{.+}} µs for 1074790400 bytes, {{.+}} waves of 2048 threads a multiprocessor; the memory alone would take {{.+}} µs, loads with as many under way {{.+}} µs, instructions {{.+}} µs
// CHECK-NEXT:   24 other schedules, estimated at {{.+}} to {{.+}} µs, within {{.+}} % of each other
// CHECK:      explain-a-program.mlir:[[# @LINE + 20]]:3: remark: variant `shuffle` exchanges these values
// CHECK-NEXT:   redux: `redux.sync` has no `sum` of `f32`
// CHECK-NEXT:   shuffle: accepted, chosen
// CHECK-NEXT:   cost 56 in `rows_1`, 84 in `rows_2`, 112 in `rows_3`, 56 in `rows_4`, 84 in `rows_5`, 112 in `rows_6`, 140 from `rows_7` to `rows_12`
// CHECK:      explain-a-program.mlir:[[# @LINE + 16]]:3: other schedules
// CHECK-NEXT:   {{[0-9.]+}} µs: split d0 by
// CHECK:        {{[0-9]+}} more of these kinds with other numbers: `tx explain --candidates short` lists all
// CHECK-NOT:    {{.}}
// SHORT-COUNT-24: {{^}}  {{[0-9.]+}} µs: split d0 by
// SHORT-NOT:      more
// NONE:       24 other schedules
// NONE-NOT:   : other schedules
// FULL:         `d1` up to 8: {{.+}}: [#tile.split<"d0" by 256>, #tile.bind<
// FULL:       : other schedules
// FULL-NEXT:    {{[0-9.]+}} µs for 1074790400 bytes, {{.+}} waves of {{.+}}: [#tile.split<"d0" by
// CHIP:       remark: `tile.reduce` is scheduled by its shape
// CHIP-NOT:   by its shape
// WRONG:      `columns`
func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // One op.
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
