// RUN: tx run %s --entry clamps --quiet --device cpu --arg zeros:10xf32
// VALIDATE
// SNAPSHOT: none — CHECK lines state the results

// A number inside of its bounds, beyond each, NaN in each place, zeros of both signs, infinities, and bounds of which the
// lower is above the upper.
#id = affine_map<(i) -> (i)>
memref.global "private" constant @x : memref<10xf32> = dense<[0.5, -3.0, 9.0, 0x7FC00000, 0.5, 0.5, -0.0, 0x7F800000, 0xFF800000, 0.5]>
memref.global "private" constant @l : memref<10xf32> = dense<[-1.0, -1.0, -1.0, -1.0, 0x7FC00000, -1.0, 0.0, -1.0, -1.0, 2.0]>
memref.global "private" constant @h : memref<10xf32> = dense<[2.0, 2.0, 2.0, 2.0, 2.0, 0x7FC00000, 2.0, 2.0, 2.0, 1.0]>
// CHECK: [ 0.5 -1.   2.   nan  nan  nan  0.   2.  -1.   2. ]
func.func @clamps(%r: memref<10xf32>) {
  %x = memref.get_global @x : memref<10xf32>
  %l = memref.get_global @l : memref<10xf32>
  %h = memref.get_global @h : memref<10xf32>
  linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %l, %h : memref<10xf32>, memref<10xf32>, memref<10xf32>) outs(%r : memref<10xf32>) {
  ^bb0(%a: f32, %low: f32, %high: f32, %old: f32):
    %c = math.clampf %a to [%low, %high] : f32
    linalg.yield %c : f32
  }
  return
}
