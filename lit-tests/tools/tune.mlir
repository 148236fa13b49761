// RUN(SAID): tx tune %s --device cpu --arg rand:7x20xf32 --arg zeros:7xf32 --times 1 2>&1
// RUN(ARGS): not tx tune %s --device cpu --arg rand:7x20xf32 --arg zeros:8xf32 2>&1
// RUN(NAME): not tx tune %s --device cpu --entry columns --arg rand:7x20xf32 --arg zeros:7xf32 2>&1
// SNAPSHOT: none — it depends on times

// The measured schedules are printed: the chosen one, and others. CPU times are distinguished from estimates,
// which assume a GPU and a large array.
// SAID:       tx: the executor runs threads one by one: its times do not predict times on a GPU
// SAID-NEXT:  @rows on {{.+}}: {{.+}} µs before tuning
// SAID-NEXT:  tile.reduce at {{.+}}tune.mlir:[[# @LINE + 15]]:3: {{.+}} schedules, the most promising first; estimates are for the A100, which represents sm_80, and lengths of 13421773x20, assumed for dynamic sizes
// SAID-NEXT:    {{.+}} µs, estimated {{.+}} µs: [#tile.split
// SAID:         {{.+}} µs, estimated {{.+}} µs: [#tile.split
// SAID:       {{.+}} µs with the best schedules, {{.+}} of the time before tuning
// SAID-NEXT:  {{no candidate is faster|the written schedules were measured with these sizes}}

// The output is the program, whose reduction may have a schedule.
// SAID:       func.func @rows
// SAID-NEXT:    tile.reduce sum
// SAID-SAME:    : memref<?x20xf32> into memref<?xf32>

// Programs that cannot be run or found are rejected as in other commands.
// ARGS: %A.dim0 is 7, %B.dim0 is 8: they are one dimension of the reduction
// NAME: `columns`
func.func @rows(%A: memref<?x20xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x20xf32> into memref<?xf32>
  return
}
