// Row sums of a matrix of dynamic size: the program of examples 06, 07 and 08.
func.func @row_sums(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
  return
}
