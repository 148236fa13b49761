// RUN: tx-opt %s

// Width and stride may be any numbers whose product is at most the number of threads of the scope.
// CHECK-LABEL: func.func @any_width_and_stride
// CHECK-NEXT:  tile.all_reduce sum %{{.+}} scope(warp) width 31 : f32 -> f32
// CHECK-NEXT:  tile.all_reduce sum %{{.+}} scope(warp) width 3 stride 10 : f32 -> f32
// CHECK-NEXT:  tile.all_reduce sum %{{.+}} scope(warp) width 1 stride 32 : f32 -> f32
// CHECK-NEXT:  tile.all_reduce sum %{{.+}} scope(warpgroup) width 7 stride 18 : f32 -> f32
// CHECK-NEXT:  tile.all_reduce sum %{{.+}} scope(cta) width 201 : f32 -> f32
// CHECK-NEXT:  tile.all_reduce sum %{{.+}} scope(cta) width 8 stride 100 : f32 -> f32
// CHECK-NEXT:  tile.all_reduce sum %{{.+}} scope(cta) width 1024 : f32 -> f32
// CHECK-NEXT:  return
func.func @any_width_and_stride(%v: f32) {
  %a = tile.all_reduce sum %v scope(warp) width 31 : f32 -> f32
  %b = tile.all_reduce sum %v scope(warp) width 3 stride 10 : f32 -> f32
  %c = tile.all_reduce sum %v scope(warp) width 1 stride 32 : f32 -> f32
  %d = tile.all_reduce sum %v scope(warpgroup) width 7 stride 18 : f32 -> f32
  %e = tile.all_reduce sum %v scope(cta) width 201 : f32 -> f32
  %f = tile.all_reduce sum %v scope(cta) width 8 stride 100 : f32 -> f32
  %g = tile.all_reduce sum %v scope(cta) width 1024 : f32 -> f32
  return
}
