// RUN(RANGE): tx run %s --device cpu --entry range --arg zeros:3xf32 --arg zeros:3xf32
// RUN(MOMENTS): tx run %s --device cpu --entry moments --arg zeros:f32 --arg zeros:f32 --arg zeros:i32
// RUN(LAST): tx run %s --device cpu --entry farthest --arg zeros:2xf32 --arg full:10:2xf32
// SNAPSHOT: none — what is printed is checked as a whole.

gpu.module @kernels {
  memref.global "private" constant @rows : memref<3x40xf32> = dense<[
    [5.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0,
     5.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.5],
    [-5.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0,
     5.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 80.0, 9.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.5],
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
     1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]]>

  // Minimum and maximum in one reduction: two sources in the same memory.
  // RANGE:      argument 0: 3xf32
  // RANGE-NEXT: [ 0. -5.  1.]
  // RANGE-NEXT: argument 1: 3xf32
  // RANGE-NEXT: [ 9.5 80.   1. ]
  gpu.func @range(%L: memref<3xf32>, %H: memref<3xf32>)
      kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %A = memref.get_global @rows : memref<3x40xf32>
    tile.reduce custom %A, %A into %L, %H axes [1] scope(cta)
      identity [0x7F800000 : f32, 0xFF800000 : f32] combiner {
    ^bb0(%l0: f32, %h0: f32, %l1: f32, %h1: f32):
      %l = arith.minimumf %l0, %l1 : f32
      %h = arith.maximumf %h0, %h1 : f32
      tile.yield %l, %h : f32, f32
    } : memref<3x40xf32>, memref<3x40xf32> into memref<3xf32>, memref<3xf32>
    gpu.return
  }

  memref.global "private" constant @xs : memref<200xf32> = dense<3.0>
  memref.global "private" constant @squares : memref<200xf32> = dense<9.0>
  memref.global "private" constant @ones : memref<200xi32> = dense<1>

  // Three sources of two types, over four warps: a sum, a sum of squares, and a count.
  // MOMENTS:      argument 0: f32
  // MOMENTS-NEXT: 600.
  // MOMENTS-NEXT: argument 1: f32
  // MOMENTS-NEXT: 1800.
  // MOMENTS-NEXT: argument 2: i32
  // MOMENTS-NEXT: 200
  gpu.func @moments(%S: memref<f32>, %Q: memref<f32>, %N: memref<i32>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %x = memref.get_global @xs : memref<200xf32>
    %q = memref.get_global @squares : memref<200xf32>
    %n = memref.get_global @ones : memref<200xi32>
    tile.reduce custom %x, %q, %n into %S, %Q, %N axes [0] scope(cta)
      identity [0.0 : f32, 0.0 : f32, 0 : i32] combiner {
    ^bb0(%s0: f32, %q0: f32, %n0: i32, %s1: f32, %q1: f32, %n1: i32):
      %s2 = arith.addf %s0, %s1 : f32
      %q2 = arith.addf %q0, %q1 : f32
      %n2 = arith.addi %n0, %n1 : i32
      tile.yield %s2, %q2, %n2 : f32, f32, i32
    } : memref<200xf32>, memref<200xf32>, memref<200xi32> into memref<f32>, memref<f32>, memref<i32>
    gpu.return
  }

  // The element farthest from zero, chosen by nested branches. Combined with the old value 10, only the 80 of
  // row 1 is farther.
  // LAST:      argument 0: 2xf32
  // LAST-NEXT: [ 9.5 80. ]
  // LAST-NEXT: argument 1: 2xf32
  // LAST-NEXT: [10. 80.]
  gpu.func @farthest(%F: memref<2xf32>, %G: memref<2xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %all = memref.get_global @rows : memref<3x40xf32>
    %A = memref.subview %all[0, 0] [2, 40] [1, 1] : memref<3x40xf32> to memref<2x40xf32, strided<[40, 1]>>
    tile.reduce custom %A into %F axes [1] scope(cta) identity [0.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %zero = arith.constant 0.0 : f32
      %nl = arith.subf %zero, %l : f32
      %nr = arith.subf %zero, %r : f32
      %al = arith.maximumf %l, %nl : f32
      %ar = arith.maximumf %r, %nr : f32
      %farther = arith.cmpf ogt, %ar, %al : f32
      %f = scf.if %farther -> (f32) {
        scf.yield %r : f32
      } else {
        %tie = arith.cmpf oeq, %ar, %al : f32
        %g = scf.if %tie -> (f32) {
          scf.yield %al : f32
        } else {
          scf.yield %l : f32
        }
        scf.yield %g : f32
      }
      tile.yield %f : f32
    } : memref<2x40xf32, strided<[40, 1]>> into memref<2xf32>
    tile.reduce custom %A into %G axes [1] scope(cta) accumulate identity [0.0 : f32] combiner {
    ^bb0(%l: f32, %r: f32):
      %farther = arith.cmpf ogt, %r, %l : f32
      %f = scf.if %farther -> (f32) {
        scf.yield %r : f32
      } else {
        scf.yield %l : f32
      }
      tile.yield %f : f32
    } : memref<2x40xf32, strided<[40, 1]>> into memref<2xf32>
    gpu.return
  }
}
