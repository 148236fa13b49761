// RUN(GIVEN): not tx validate %s --chip sm_80 --arg full:-3:3x34xf32 --arg zeros:3xf32 2>&1
// EXIT: 3
// RUN(ALIGNED): tx run %s --device cpu --arg full:-3:3x34xf32 --arg zeros:3xf32 --quiet
// RUN(PAST): tx run %s --device cpu --arg full:-3:3x34xf32 --arg zeros:3xf32 --quiet --past 1
// RUN(MOST): not tx run %s --device cpu --past 256 2>&1
// EXIT: 2
// SNAPSHOT: none — what is found is the matter, and not what every other stage says.

// A kernel has an aligned and an unaligned path. An error in the unaligned path is reported with the start
// addresses, which `tx run` can use, too. Here the identity is wrong.
// GIVEN:      error: @greatest: custom f32: where such values occur, the identity is not neutral: {{.*}}; the identity must be -inf; after `{{.*}}` the results of the program differ
// GIVEN:      note: schedules combine the identity in place of missing elements: the identity is wrong, unless
// GIVEN:      WRONG: argument 1 at [0] is 0.0, expected -3.0 (3 of 3 elements; the arguments given, arrays starting 1 element past a multiple of 256 bytes)
// ALIGNED:    [-3. -3. -3.]
// PAST:       [0. 0. 0.]
// MOST:       expected a whole number from 0 to 255
func.func @greatest(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0.0 : f32] combiner {
  ^bb0(%x: f32, %y: f32):
    %z = arith.maximumf %x, %y : f32
    tile.yield %z : f32
  } : memref<?x?xf32> into memref<?xf32>
  return
}
