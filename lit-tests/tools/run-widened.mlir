// RUN: tx run %s --device cpu --entry wider --arg full:100:3x50xi8 --arg zeros:3xi32
// RUN(FLOATS): tx run %s --device cpu --entry floats --arg full:100:3x50xi8 --arg zeros:3xf32
// SNAPSHOT: none — what is printed is checked as a whole.

// An element region widens small integers to a wider type, or converts them to floats, for the sum.
// CHECK:      argument 1: 3xi32
// CHECK-NEXT: [5000 5000 5000]
func.func @wider(%A: memref<?x?xi8>, %B: memref<?xi32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) element {
  ^bb0(%x: i8, %i: index, %j: index):
    %y = arith.extsi %x : i8 to i32
    tile.yield %y : i32
  } : memref<?x?xi8> into memref<?xi32>
  return
}

// FLOATS:      argument 1: 3xf32
// FLOATS-NEXT: [5000. 5000. 5000.]
func.func @floats(%A: memref<?x?xi8>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) element {
  ^bb0(%x: i8, %i: index, %j: index):
    %y = arith.sitofp %x : i8 to f32
    tile.yield %y : f32
  } : memref<?x?xi8> into memref<?xf32>
  return
}
