// RUN(SQUARE): tx run %s --entry rows --device cpu --arg full:0.5:128x128xf32 --arg zeros:128xf32
// RUN(UNEVEN): tx run %s --entry rows --device cpu --arg rand:127x1003xf32:7 --arg zeros:127xf32
// RUN(CHOSEN): tx-opt %s --tile-choose-schedule
// RUN(PLAN): tx compile %s --entry rows --chip sm_90 --plan - -o %t.ptx
// COMPARE: @rows(A: NxMxf32, B: Nxf32) B = sum(A, 1)
// COMPARE: @chosen(A: NxMxf32, B: Nxf32) B = sum(A, 1)

// # 7. Run it, and compare
//
// Here `@rows` is the function of the last step, and `@chosen` the same without a schedule.

func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 32>, #tile.split<"d1" by 16>, #tile.rfactor<"d1.i">,
                 #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>,
                 #tile.bind<"d1.i" to thread_x>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

func.func @chosen(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}

// Inputs are files of NumPy's (`--arg A.npy`), or made up: zeros, one number, random numbers with a
// seed. Results are printed, or written with `--out 1=B.npy`. A square of 128 is easy:
//
// SHOW: SQUARE
// SQUARE:      argument 1: 128xf32
// SQUARE-NEXT: [64. 64. 64.
//
// At 127 by 1003 the last block has threads without a row, and every row a group of columns that is not
// full. On the CPU a thread that read beyond the end of a row, or two that wrote one element, would be
// reported as errors:
//
// SHOW: UNEVEN
// UNEVEN: argument 1: 127xf32
//
// For every program of this chapter `cargo test -p tx-cli --test programs` compares results with sums
// in f64, at these two sizes and at odd ones: one row, one column, no row, no column. Sums may be off by
// 1e-5 of the sum of magnitudes.
//
// If there is no schedule, the compiler chooses one, based on the sizes that are known.
// `tile-choose-schedule` only writes it down:
//
// SHOW: CHOSEN func.func @chosen(
//
// The schedule stands on the op. It can be copied, changed and put in again.
// CHOSEN-LABEL: func.func @chosen(
// CHOSEN:       tile.reduce sum {{.+}} {schedule = [{{.+}}]}
//
// To launch the kernels from a program of your own, take the PTX and its plan; [launch plans](launch-plan.md)
// explains every field. How many blocks there are is a formula over the sizes of arguments:
//
// SHOW: PLAN "steps": [
//
// The grid is what the launch in step 3 computed: a block for each 32 rows. A block has 16 by 32 threads.
// PLAN:      "kernel": "rows_0"
// PLAN-NEXT: "module": "rows_0"
// PLAN-NEXT: "grid": [
// PLAN-NEXT:   "min(ceildiv(arg0.dim0, 32), 2147483647)"
// PLAN:      "block": [
// PLAN-NEXT:   16,
// PLAN-NEXT:   32,
