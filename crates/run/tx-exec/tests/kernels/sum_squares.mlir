// Result of upstream passes for a kernel in the GPU dialect, with its locations:
//   mlir-opt sum_squares.mlir --pass-pipeline='builtin.module(nvvm-attach-target{chip=sm_90},gpu.module(
//     convert-scf-to-cf,convert-vector-to-llvm,convert-gpu-to-nvvm,reconcile-unrealized-casts,canonicalize,cse))'
//     --mlir-print-debuginfo --mlir-print-local-scope
// The kernel takes memref<?xf16>, memref<?xf32>, and the number of elements that a block of 256 threads
// squares and sums: in a loop, in butterflies of each warp, in a shared slot per warp, and in thread 0.
module {
  gpu.module @m [#nvvm.target<chip = "sm_90">] {
    llvm.mlir.global internal @__wg_sum_squares_0() {addr_space = 3 : i32} : !llvm.array<8 x f32> loc("sum_squares.mlir":4:3)
    llvm.func @__nv_fmaf(f32, f32, f32) -> f32 loc("sum_squares.mlir":24:15)
    llvm.func @__nv_sqrtf(f32) -> f32 loc("sum_squares.mlir":58:15)
    llvm.func @sum_squares(%arg0: !llvm.ptr loc("sum_squares.mlir":4:25), %arg1: !llvm.ptr loc("sum_squares.mlir":4:25), %arg2: i64 loc("sum_squares.mlir":4:25), %arg3: i64 loc("sum_squares.mlir":4:25), %arg4: i64 loc("sum_squares.mlir":4:25), %arg5: !llvm.ptr loc("sum_squares.mlir":4:45), %arg6: !llvm.ptr loc("sum_squares.mlir":4:45), %arg7: i64 loc("sum_squares.mlir":4:45), %arg8: i64 loc("sum_squares.mlir":4:45), %arg9: i64 loc("sum_squares.mlir":4:45), %arg10: i64 loc("sum_squares.mlir":4:66)) attributes {gpu.kernel, gpu.known_block_size = array<i32: 256, 1, 1>, nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>} {
      %0 = llvm.mlir.constant(-1 : i32) : i32 loc(unknown)
      %1 = llvm.mlir.constant(32 : i32) : i32 loc(unknown)
      %2 = llvm.mlir.constant(0.000000e+00 : f32) : f32 loc("sum_squares.mlir":12:13)
      %3 = llvm.mlir.constant(32 : index) : i64 loc("sum_squares.mlir":11:12)
      %4 = llvm.mlir.constant(16 : i32) : i32 loc(unknown)
      %5 = llvm.mlir.constant(8 : i32) : i32 loc(unknown)
      %6 = llvm.mlir.constant(4 : i32) : i32 loc(unknown)
      %7 = llvm.mlir.constant(2 : i32) : i32 loc(unknown)
      %8 = llvm.mlir.constant(1 : i32) : i32 loc(unknown)
      %9 = llvm.mlir.constant(2 : i64) : i64 loc("sum_squares.mlir":4:3)
      %10 = llvm.mlir.constant(1 : index) : i64 loc(unknown)
      %11 = llvm.mlir.constant(8 : index) : i64 loc(unknown)
      %12 = llvm.mlir.constant(0 : index) : i64 loc(unknown)
      %13 = llvm.mlir.addressof @__wg_sum_squares_0 : !llvm.ptr<3> loc("sum_squares.mlir":4:3)
      %14 = llvm.getelementptr %13[0, 0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<8 x f32> loc("sum_squares.mlir":4:3)
      %15 = llvm.alloca %9 x f32 : (i64) -> !llvm.ptr loc("sum_squares.mlir":4:3)
      %16 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 256> : i32 loc("sum_squares.mlir":14:10)
      %17 = llvm.sext %16 : i32 to i64 loc("sum_squares.mlir":14:10)
      %18 = nvvm.read.ptx.sreg.ctaid.x : i32 loc("sum_squares.mlir":15:10)
      %19 = llvm.sext %18 : i32 to i64 loc("sum_squares.mlir":15:10)
      %20 = nvvm.read.ptx.sreg.ntid.x range <i32, 1, 257> : i32 loc("sum_squares.mlir":16:13)
      %21 = llvm.sext %20 : i32 to i64 loc("sum_squares.mlir":16:13)
      %22 = llvm.mul %19, %arg10 : i64 loc("sum_squares.mlir":17:14)
      %23 = llvm.add %22, %arg10 : i64 loc("sum_squares.mlir":18:12)
      %24 = llvm.add %22, %17 : i64 loc("sum_squares.mlir":19:14)
      %25 = llvm.getelementptr inbounds|nuw %15[1] : (!llvm.ptr) -> !llvm.ptr, f32 loc("sum_squares.mlir":20:5)
      llvm.store %2, %25 : f32, !llvm.ptr loc("sum_squares.mlir":20:5)
      llvm.br ^bb1(%24, %2 : i64, f32) loc("sum_squares.mlir":21:13)
    ^bb1(%26: i64 loc("sum_squares.mlir":21:21), %27: f32 loc("sum_squares.mlir":21:62)):  // 2 preds: ^bb0, ^bb2
      %28 = llvm.icmp "slt" %26, %23 : i64 loc("sum_squares.mlir":21:13)
      llvm.cond_br %28, ^bb2, ^bb3 loc("sum_squares.mlir":21:13)
    ^bb2:  // pred: ^bb1
      %29 = llvm.getelementptr inbounds|nuw %arg1[%26] : (!llvm.ptr, i64) -> !llvm.ptr, f16 loc("sum_squares.mlir":22:12)
      %30 = llvm.load %29 : !llvm.ptr -> f16 loc("sum_squares.mlir":22:12)
      %31 = llvm.fpext %30 : f16 to f32 loc("sum_squares.mlir":23:12)
      %32 = llvm.call @__nv_fmaf(%31, %31, %27) : (f32, f32, f32) -> f32 loc("sum_squares.mlir":24:15)
      %33 = llvm.add %26, %21 : i64 loc("sum_squares.mlir":21:13)
      llvm.br ^bb1(%33, %32 : i64, f32) loc("sum_squares.mlir":21:13)
    ^bb3:  // pred: ^bb1
      llvm.store %27, %25 : f32, !llvm.ptr loc("sum_squares.mlir":27:5)
      %34 = llvm.load %25 : !llvm.ptr -> f32 loc("sum_squares.mlir":28:11)
      %35 = llvm.sub %1, %1 : i32 loc("sum_squares.mlir":34:18)
      %36 = llvm.lshr %0, %35 : i32 loc("sum_squares.mlir":34:18)
      %37 = llvm.sub %1, %8 : i32 loc("sum_squares.mlir":34:18)
      %38 = nvvm.shfl.sync  bfly %36, %34, %4, %37 : f32 -> f32 loc("sum_squares.mlir":34:18)
      %39 = llvm.fadd %34, %38 : f32 loc("sum_squares.mlir":35:11)
      %40 = nvvm.shfl.sync  bfly %36, %39, %5, %37 : f32 -> f32 loc("sum_squares.mlir":36:16)
      %41 = llvm.fadd %39, %40 : f32 loc("sum_squares.mlir":37:11)
      %42 = nvvm.shfl.sync  bfly %36, %41, %6, %37 : f32 -> f32 loc("sum_squares.mlir":38:16)
      %43 = llvm.fadd %41, %42 : f32 loc("sum_squares.mlir":39:11)
      %44 = nvvm.shfl.sync  bfly %36, %43, %7, %37 : f32 -> f32 loc("sum_squares.mlir":40:16)
      %45 = llvm.fadd %43, %44 : f32 loc("sum_squares.mlir":41:11)
      %46 = nvvm.shfl.sync  bfly %36, %45, %8, %37 : f32 -> f32 loc("sum_squares.mlir":42:16)
      %47 = llvm.fadd %45, %46 : f32 loc("sum_squares.mlir":43:11)
      %48 = llvm.urem %17, %3 : i64 loc("sum_squares.mlir":44:13)
      %49 = llvm.udiv %17, %3 : i64 loc("sum_squares.mlir":45:13)
      %50 = llvm.icmp "eq" %48, %12 : i64 loc("sum_squares.mlir":46:14)
      llvm.cond_br %50, ^bb4, ^bb5 loc("sum_squares.mlir":47:5)
    ^bb4:  // pred: ^bb3
      %51 = llvm.getelementptr inbounds|nuw %14[%49] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32 loc("sum_squares.mlir":48:7)
      llvm.store %47, %51 : f32, !llvm.ptr<3> loc("sum_squares.mlir":48:7)
      llvm.br ^bb5 loc("sum_squares.mlir":47:5)
    ^bb5:  // 2 preds: ^bb3, ^bb4
      nvvm.barrier0 loc("sum_squares.mlir":50:5)
      %52 = llvm.icmp "eq" %17, %12 : i64 loc("sum_squares.mlir":51:17)
      llvm.cond_br %52, ^bb6, ^bb10 loc("sum_squares.mlir":52:5)
    ^bb6:  // pred: ^bb5
      llvm.br ^bb7(%12, %2 : i64, f32) loc("sum_squares.mlir":53:14)
    ^bb7(%53: i64 loc("sum_squares.mlir":53:22), %54: f32 loc("sum_squares.mlir":53:57)):  // 2 preds: ^bb6, ^bb8
      %55 = llvm.icmp "slt" %53, %11 : i64 loc("sum_squares.mlir":53:14)
      llvm.cond_br %55, ^bb8, ^bb9 loc("sum_squares.mlir":53:14)
    ^bb8:  // pred: ^bb7
      %56 = llvm.getelementptr inbounds|nuw %14[%53] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32 loc("sum_squares.mlir":54:14)
      %57 = llvm.load %56 : !llvm.ptr<3> -> f32 loc("sum_squares.mlir":54:14)
      %58 = llvm.fadd %54, %57 : f32 loc("sum_squares.mlir":55:17)
      %59 = llvm.add %53, %10 : i64 loc("sum_squares.mlir":53:14)
      llvm.br ^bb7(%59, %58 : i64, f32) loc("sum_squares.mlir":53:14)
    ^bb9:  // pred: ^bb7
      %60 = llvm.call @__nv_sqrtf(%54) : (f32) -> f32 loc("sum_squares.mlir":58:15)
      %61 = llvm.getelementptr inbounds|nuw %arg6[%19] : (!llvm.ptr, i64) -> !llvm.ptr, f32 loc("sum_squares.mlir":59:7)
      llvm.store %60, %61 : f32, !llvm.ptr loc("sum_squares.mlir":59:7)
      llvm.br ^bb10 loc("sum_squares.mlir":52:5)
    ^bb10:  // 2 preds: ^bb5, ^bb9
      llvm.return loc("sum_squares.mlir":61:5)
    } loc("sum_squares.mlir":4:3)
  } loc("sum_squares.mlir":3:1)
} loc("sum_squares.mlir":0:0)
