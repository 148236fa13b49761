// RUN: tx compile %s --chip sm_90
// SNAPSHOT: none — CHECK states the instructions, and VALIDATE compares the results
// PTXAS: sm_90
// VALIDATE: --chip sm_90
// COMPARE: @rms(A: Nx72xbf16 in -3..3, W: 72xbf16 in -3..3, B: Nx72xbf16) m = sum(A * A, 1, keep) / 72; B = A / sqrt(m + 0.000001) * W

// The kernel loads the row and the weights before the reduction, with the L2 eviction policy `evict_last`. The
// reciprocal square root is one instruction.
// CHECK-LABEL: .visible .entry rms_0(
// CHECK:         createpolicy.fractional.L2::evict_last.b64
// CHECK-COUNT-4: ld.global.L2::cache_hint.v4.b32
// CHECK:         shfl.sync
// CHECK-NOT:     ld.global.L2::cache_hint.v4
// CHECK:         rsqrt.approx.f32
#whole = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
func.func @rms(%A: memref<?x72xbf16>, %W: memref<72xbf16>, %B: memref<?x72xbf16>) attributes {tile.math = #tile.math<approx>} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x72xbf16>
  %s = memref.alloc(%n) : memref<?xf32>
  tile.reduce sum %A into %s axes [1] scope(grid) element {
  ^bb0(%a: bf16, %i0: index, %j0: index):
    %f = arith.extf %a : bf16 to f32
    %q = arith.mulf %f, %f : f32
    tile.yield %q : f32
  } : memref<?x72xbf16> into memref<?xf32>
  %count = arith.constant 72.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  linalg.generic {indexing_maps = [#whole, #row, #column, #whole], iterator_types = ["parallel", "parallel"]}
    ins(%A, %s, %W : memref<?x72xbf16>, memref<?xf32>, memref<72xbf16>) outs(%B : memref<?x72xbf16>) {
  ^bb0(%a: bf16, %t: f32, %w: bf16, %o: bf16):
    %x = arith.extf %a : bf16 to f32
    %y = arith.extf %w : bf16 to f32
    %m = arith.divf %t, %count : f32
    %v = arith.addf %m, %eps : f32
    %i = math.rsqrt %v : f32
    %p = arith.mulf %x, %i : f32
    %z = arith.mulf %p, %y : f32
    %b = arith.truncf %z : f32 to bf16
    linalg.yield %b : bf16
  }
  memref.dealloc %s : memref<?xf32>
  return
}
