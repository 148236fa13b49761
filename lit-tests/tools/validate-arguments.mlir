// RUN(TYPE): not tx validate %s --chip sm_80 --entry sum --arg full:-1:7xi8 --arg zeros:f32 2>&1
// EXIT: 1
// RUN(FEW): not tx validate %s --chip sm_80 --entry sum --arg full:1:7xf32 2>&1
// EXIT: 1
// RUN(GOOD): tx validate %s --chip sm_80 --entry sum --arg full:1:7xf32 --arg zeros:f32
// RUN(GRID): not tx validate %s --chip sm_80 --entry twice --grid 1,65536 2>&1
// EXIT: 1
// SNAPSHOT: none — whether there is an assembler is not the matter.

// Explicit arguments are checked before any launch, as in `tx run`.
// TYPE:  argument 0: found an array 7xi8, expected memref<?xf32>
// FEW:   found 1 argument, expected 2
// FEW-NEXT: note: pass one `--arg` for each argument, in order
// GOOD:  launch {{ *}}equal
// GRID:  grid along y: found 65536, expected 1 to 65535
func.func @sum(%A: memref<?xf32>, %B: memref<f32>) {
  tile.reduce sum %A into %B axes [0] scope(grid) : memref<?xf32> into memref<f32>
  return
}
gpu.module @kernels {
  gpu.func @twice(%A: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = memref.load %A[] : memref<f32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }
}
