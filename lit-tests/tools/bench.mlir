// RUN: tx bench %s --device cpu --arg rand:7x20xf32 --arg zeros:7xf32 --times 3
// RUN(SAID): tx bench %s --device cpu --arg rand:7x20xf32 --arg zeros:7xf32 2>&1
// RUN(QUIET): tx bench %s --device cpu --arg rand:7x20xf32 --arg zeros:7xf32 --times 1 --quiet 2>&1
// RUN(JSON): tx bench %s --device cpu --arg rand:7x20xf32 --arg zeros:7xf32 --times 2 --json
// RUN(ARGS): not tx bench %s --device cpu --arg rand:7x20xf32 --arg zeros:8xf32 2>&1
// SNAPSHOT: none — it prints times

// The time of a program, and its bandwidth for the argument bytes. There is no measured peak for the CPU.
// CHECK:      bench.mlir: @rows on
// CHECK-NEXT:   time {{.+}} µs, the median ({{.+}} to {{.+}}); 1 kernel
// CHECK-NEXT:   speed {{.+}} GB/s
// CHECK-NOT:    read ceiling
// CHECK:        588 bytes of arguments, 1 set used alternately

// Notes on the reliability of the numbers are printed, unless `--quiet` is given.
// SAID: tx: the executor runs threads one by one: its times do not predict times on a GPU
// QUIET-NOT: tx:

// One line of output for programs to read.
// JSON: {{^}}{"bytes":588,"ceiling_gb_per_s":null,"copies":1,"device":"{{.+}}","entry":"rows","fastest_us":{{.+}},"file":"{{.*}}bench.mlir","gb_per_s":{{.+}},"graph":false,"kernels":1,"median_us":{{.+}},"slowest_us":{{.+}}}{{$}}

// Invalid arguments are rejected as in `tx run`.
// ARGS: %A.dim0 is 7, %B.dim0 is 8: they are one dimension of the reduction
func.func @rows(%A: memref<?x20xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x20xf32> into memref<?xf32>
  return
}
