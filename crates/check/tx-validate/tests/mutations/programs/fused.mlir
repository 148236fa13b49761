#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
// A fused kernel of three ops, in two versions that hold rows of at most 64 and 512 elements in registers.
func.func @two_lengths(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %max = memref.alloc(%n) : memref<?xf32>
  %count = memref.alloc(%n) : memref<?xf32>
  tile.reduce max %A into %max axes [1] scope(grid)
      {tile.group = 0 : i64, schedule = [
        #tile.case<"r0" to 64, [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 64>, #tile.split<"r0.i" by 32>,
                                #tile.bind<"r0.i.i" to thread_x>, #tile.unroll<"r0.i.o">, #tile.hold<"in0" in registers>]>,
        #tile.case<"r0" to 512, [#tile.bind<"p0" to block_x>, #tile.split<"r0" by 512>, #tile.split<"r0.i" by 4>,
                                 #tile.bind<"r0.i.o" to thread_x>, #tile.vectorize<"r0.i.i">,
                                 #tile.hold<"in0" in registers>]>]}
      : memref<?x?xf32> into memref<?xf32>
  tile.reduce sum %A, %max into %count axes [1] scope(grid)
      {maps = [#whole, #row, #row], tile.group = 0 : i64} element {
  ^bb0(%x: f32, %m: f32, %i: index, %j: index):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %is = arith.cmpf oeq, %x, %m : f32
    %t = arith.select %is, %one, %zero : f32
    tile.yield %t : f32
  } : memref<?x?xf32>, memref<?xf32> into memref<?xf32>
  linalg.generic {indexing_maps = [#whole, #row, #row, #whole], iterator_types = ["parallel", "parallel"]}
      ins(%A, %max, %count : memref<?x?xf32>, memref<?xf32>, memref<?xf32>) outs(%B : memref<?x?xf32>)
      attrs = {tile.group = 0 : i64} {
  ^bb0(%x: f32, %m: f32, %t: f32, %old: f32):
    %d = arith.subf %x, %m : f32
    %q = arith.mulf %d, %t : f32
    linalg.yield %q : f32
  }
  memref.dealloc %count : memref<?xf32>
  memref.dealloc %max : memref<?xf32>
  return
}
