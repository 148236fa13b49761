// RUN(SCHEDULED): tx-opt %s --tile-schedule
// RUN(LOWERED): tx-opt %s --lower-reduction
// RUN(RAN): tx run %s --device cpu --arg full:1:33x20xf32 --arg zeros:33xf32
// COMPARE: @rows(A: NxMxf32, B: Nxf32) B = sum(A, 1)

// # 6. Reduce across threads
//
// Now both together. A block takes 32 rows, and sixteen threads share each row: `thread_y` says which
// row of the block, `thread_x` which of the sixteen partial sums. The loop `d1.i`, which is reduced, is
// bound to threads; each of them keeps its partial sum in a register, and no temporary is needed.

func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid)
    {schedule = [#tile.split<"d0" by 32>, #tile.split<"d1" by 16>, #tile.rfactor<"d1.i">,
                 #tile.bind<"d0.o" to block_x>, #tile.bind<"d0.i" to thread_y>,
                 #tile.bind<"d1.i" to thread_x>]}
    : memref<?x?xf32> into memref<?xf32>
  return
}

// After `tile-schedule` it is said that threads exchange what they have, and not yet how:
//
// SHOW: SCHEDULED gpu.func @rows_0
//
// A block has 16 by 32 threads.
// SCHEDULED-LABEL: gpu.func @rows_0(
// SCHEDULED-SAME:  known_block_size = array<i32: 16, 32, 1>
//
// Neighbouring threads read neighbouring columns, which is what memory is fast at. Full groups of
// columns are read without a condition, the rest with one. Threads without a row are not skipped, but
// have the identity: in the next line all threads of a warp have to be there.
// SCHEDULED:       %[[N:.+]] = memref.dim %{{.+}}, %c0
// SCHEDULED:       %[[INSIDE:.+]] = arith.cmpi ult, %[[ROW:.+]], %[[N]]
// SCHEDULED:       %[[PART:.+]] = scf.if %[[INSIDE]] -> (f32) {
// SCHEDULED:         %[[FULL:.+]] = scf.for
// SCHEDULED-NOT:       scf.if
// SCHEDULED:           %[[K:.+]] = arith.addi %{{.+}}, %thread_id_x
// SCHEDULED:           memref.load %{{.+}}[%[[ROW]], %[[K]]]
// SCHEDULED:         scf.if {{.+}} -> (f32)
// SCHEDULED:           scf.if
// SCHEDULED:             memref.load
// SCHEDULED:       } else {
// SCHEDULED-NEXT:    scf.yield %[[ZERO:.+]] : f32
//
// One value goes in on each thread, and the sum of sixteen comes out.
// SCHEDULED:       %[[SUM:.+]] = tile.all_reduce sum %[[PART]] scope(warp) width 16 stride 1
//
// The first of the sixteen stores it, if there is such a row.
// SCHEDULED:       %[[FIRST:.+]] = arith.cmpi eq, %thread_id_x, %c0
// SCHEDULED:       %[[STORES:.+]] = arith.andi %[[INSIDE]], %[[FIRST]]
// SCHEDULED:       scf.if %[[STORES]] {
// SCHEDULED:         memref.store %{{.+}}, %{{.+}}[%[[ROW]]]
// SCHEDULED-NOT:     memref.store
// SCHEDULED:         gpu.return
//
// The pipeline `lower-reduction` goes on from there. Sixteen threads in a row are half of a warp, whose
// threads read each other's registers. Each adds the value of the one next to it, then of the one two
// further on, then four, then eight; after that all sixteen have the sum:
//
// SHOW: LOWERED arith.constant 1 : i32 .. arith.cmpi
//
// Four exchanges, and no others.
// LOWERED-LABEL: gpu.func @rows_0(
// LOWERED-SAME:  known_block_size = array<i32: 16, 32, 1>
// LOWERED-NOT:   gpu.shuffle
// LOWERED:       %[[N:.+]] = memref.dim %{{.+}}, %c0
// LOWERED:       %[[INSIDE:.+]] = arith.cmpi ult, %[[ROW:.+]], %[[N]]
// LOWERED-NOT:   gpu.shuffle
// LOWERED:       %[[C1:.+]] = arith.constant 1 : i32
// LOWERED:       gpu.shuffle xor %{{.+}}, %[[C1]],
// LOWERED:       %[[C2:.+]] = arith.constant 2 : i32
// LOWERED:       gpu.shuffle xor %{{.+}}, %[[C2]],
// LOWERED:       %[[C4:.+]] = arith.constant 4 : i32
// LOWERED:       gpu.shuffle xor %{{.+}}, %[[C4]],
// LOWERED:       %[[C8:.+]] = arith.constant 8 : i32
// LOWERED:       gpu.shuffle xor %{{.+}}, %[[C8]],
// LOWERED-NOT:   gpu.shuffle
//
// No shared memory and no barrier: at a shuffle the threads of a warp wait for each other.
// LOWERED-NOT:   #gpu.address_space<workgroup>
// LOWERED-NOT:   gpu.barrier
// LOWERED-NOT:   nvvm.barrier
// LOWERED-NOT:   nvvm.bar.warp.sync
// LOWERED:       %[[FIRST:.+]] = arith.cmpi eq, %thread_id_x, %c0
// LOWERED:       %[[STORES:.+]] = arith.andi %[[INSIDE]], %[[FIRST]]
// LOWERED:       scf.if %[[STORES]] {
// LOWERED:         memref.store %{{.+}}, %{{.+}}[%[[ROW]]]
// LOWERED-NOT:     memref.store
// LOWERED:         gpu.return
//
// To see what each pass on the way did, add `--mlir-print-ir-after-all`. And it runs:
//
// SHOW: RAN
// RAN:      argument 1: 33xf32
// RAN-NEXT: [20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20.
// RAN-NEXT:  20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20. 20.]
