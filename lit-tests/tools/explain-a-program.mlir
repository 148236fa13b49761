// RUN: tx explain %s --chip sm_80
// RUN(CHIP): tx explain %s --chip sm_90 --entry rows
// RUN(NONE): tx explain %s --chip sm_80 --candidates none
// RUN(SHORT): tx explain %s --chip sm_80 --candidates short
// RUN(FULL): tx explain %s --chip sm_80 --candidates full
// RUN(WRONG): not tx explain %s --chip sm_90 --entry columns 2>&1
// EXIT: 1

// The choice and its reasons come first, at the op. Then a table shows the lengths of each kernel, and its
// time for the longest of them. Schedules are at the end: that of each kernel, then one candidate of each
// kind, or all candidates on request.
// CHECK:      explain-a-program.mlir:[[# @LINE + 41]]:3: remark: `tile.reduce` is scheduled by its shape
// CHECK-NEXT:   tile.reduce sum %A into %B
// CHECK-NEXT:   ^
// CHECK-NEXT:   chosen by rules that were measured on GPUs, for the kind of reduction and its lengths; estimates
// CHECK-NEXT:       distinguish
// CHECK-NEXT:   chosen: {{.+}} µs for 1074790400 bytes, {{.+}} waves of 2048 threads per SM; memory bandwidth alone
// CHECK-NEXT:       would take {{.+}} µs, memory latency {{.+}} µs, instructions {{.+}} µs
// CHECK-NEXT:   24 other schedules, estimated at {{.+}} to {{.+}} µs, within {{.+}} % of each other
// CHECK:        estimates are for the A100, which represents sm_80, and lengths of 262144x1024, assumed for
// CHECK-NEXT:       dynamic sizes; `--chip` selects another chip and its GPU
// CHECK-NEXT:   the first case that covers the lengths is used
// CHECK-NEXT:     `d1` up to 8       kernel `rows_0`   128 threads a block  {{[0-9.]+}} µs for 33554432x8
// CHECK-NEXT:     `d1` up to 16      kernel `rows_1`   128 threads a block  {{[0-9.]+}} µs for 16777216x16
// CHECK:          `d1` up to 4096    kernel `rows_8`   128 threads a block  {{[0-9.]+}} µs for 65536x4096
// CHECK:          `d0` up to 32      kernel `rows_11`  256 threads a block  {{[0-9.]+}} µs for 32x8192
// CHECK-NEXT:     all other lengths  kernel `rows_12`  256 threads a block  {{[0-9.]+}} µs for 32768x8192
// CHECK:      explain-a-program.mlir:[[# @LINE + 25]]:3: remark: variant `shuffle` exchanges these values
// CHECK-NEXT:   shuffle: accepted, chosen
// CHECK-NEXT:   cost 56 in `rows_1`, 84 in `rows_2`, 112 in `rows_3`, 56 in `rows_4`, 84 in `rows_5`,
// CHECK-NEXT:       112 in `rows_6`, 140 from `rows_7` to `rows_12`
// CHECK-NEXT:   redux: `redux.sync` has no `sum` of `f32`
// CHECK:      explain-a-program.mlir:[[# @LINE + 20]]:3: the schedule of each kernel
// CHECK-NEXT:   kernel `rows_0`: split d0 by 256,
// CHECK:        kernel `rows_12`: bind d0 to block_x,
// CHECK:      explain-a-program.mlir:[[# @LINE + 17]]:3: other schedules
// CHECK-NEXT:   {{[0-9.]+}} µs: split d0 by
// CHECK:        {{[0-9]+}} more of these kinds with other numbers: `tx explain --candidates short` lists all
// CHECK-NOT:    {{.}}
// SHORT-COUNT-24: {{^}}  {{[0-9.]+}} µs: split d0 by
// SHORT-NOT:      more
// NONE:       24 other schedules
// NONE:       : the schedule of each kernel
// NONE-NOT:   : other schedules
// FULL:         kernel `rows_0`: [#tile.split<"d0" by 256>, #tile.bind<
// FULL:       : other schedules
// FULL-NEXT:    {{[0-9.]+}} µs for 1074790400 bytes, {{.+}} waves of {{.+}}: [#tile.split<"d0" by
// CHIP:       remark: `tile.reduce` is scheduled by its shape
// CHIP-NOT:   by its shape
// WRONG:      `columns`
func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // A program with one op.
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
