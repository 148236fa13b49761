// Output of `tx-opt --lower-reduction --gpu-to-nvvm` for two kernels. Each kernel sums 65536 f32 elements with one
// block of 256 threads. `direct` loads the elements from global memory to registers. `staged` copies 4096 elements at a
// time to shared memory, and reduces these elements there.
//
//   #shared = #gpu.address_space<workgroup>
//   gpu.module @reduce {
//     gpu.func @direct(%A: memref<1x65536xf32>, %B: memref<1xf32>)
//         kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
//       tile.reduce sum %A into %B axes [1] scope(cta) : memref<1x65536xf32> into memref<1xf32>
//       gpu.return
//     }
//     gpu.func @staged(%A: memref<16x4096xf32>, %B: memref<1xf32>)
//         workgroup(%As: memref<1x4096xf32, #shared>, %Bs: memref<1xf32, #shared>)
//         kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
//       %c0 = arith.constant 0 : index
//       %c1 = arith.constant 1 : index
//       %c16 = arith.constant 16 : index
//       tile.copy %B to %Bs scope(cta) : memref<1xf32> to memref<1xf32, #shared>
//       scf.for %i = %c0 to %c16 step %c1 {
//         %row = memref.subview %A[%i, 0] [1, 4096] [1, 1]
//           : memref<16x4096xf32> to memref<1x4096xf32, strided<[4096, 1], offset: ?>>
//         tile.copy %row to %As scope(cta)
//           : memref<1x4096xf32, strided<[4096, 1], offset: ?>> to memref<1x4096xf32, #shared>
//         tile.reduce sum %As into %Bs axes [1] scope(cta) accumulate
//           : memref<1x4096xf32, #shared> into memref<1xf32, #shared>
//       }
//       tile.copy %Bs to %B scope(cta) : memref<1xf32, #shared> to memref<1xf32>
//       gpu.return
//     }
//   }
module {
  gpu.module @reduce [#nvvm.target<chip = "sm_80", features = "+ptx70">] attributes {llvm.data_layout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"} {
    llvm.mlir.global private @staged_scratch() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x f32> {
      %0 = llvm.mlir.undef : !llvm.array<8 x f32>
      llvm.return %0 : !llvm.array<8 x f32>
    }
    llvm.mlir.global private @direct_scratch() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x f32> {
      %0 = llvm.mlir.undef : !llvm.array<8 x f32>
      llvm.return %0 : !llvm.array<8 x f32>
    }
    llvm.func @direct(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64, %arg5: i64, %arg6: i64, %arg7: !llvm.ptr, %arg8: !llvm.ptr, %arg9: i64, %arg10: i64, %arg11: i64) attributes {gpu.kernel, gpu.known_block_size = array<i32: 256, 1, 1>, nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
      %0 = llvm.mlir.constant(3 : i64) : i64
      %1 = llvm.mlir.constant(2 : i64) : i64
      %2 = llvm.mlir.constant(1 : i64) : i64
      %3 = llvm.mlir.constant(0 : i64) : i64
      %4 = llvm.mlir.addressof @direct_scratch : !llvm.ptr<3>
      %5 = llvm.mlir.constant(0 : index) : i64
      %6 = llvm.mlir.constant(65536 : index) : i64
      %7 = llvm.mlir.constant(256 : index) : i64
      %8 = llvm.mlir.constant(1 : i32) : i32
      %9 = llvm.mlir.constant(-1 : i32) : i32
      %10 = llvm.mlir.constant(2 : i32) : i32
      %11 = llvm.mlir.constant(4 : i32) : i32
      %12 = llvm.mlir.constant(8 : i32) : i32
      %13 = llvm.mlir.constant(16 : i32) : i32
      %14 = llvm.mlir.constant(32 : index) : i64
      %15 = llvm.mlir.constant(1 : index) : i64
      %16 = llvm.mlir.constant(2 : index) : i64
      %17 = llvm.mlir.constant(4 : index) : i64
      %18 = llvm.mlir.constant(31 : i32) : i32
      %19 = llvm.mlir.constant(-0.000000e+00 : f32) : f32
      %20 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 256> : i32
      %21 = llvm.sext %20 : i32 to i64
      llvm.br ^bb1(%5, %19 : i64, f32)
    ^bb1(%22: i64, %23: f32):  // 2 preds: ^bb0, ^bb2
      %24 = llvm.icmp "slt" %22, %6 : i64
      llvm.cond_br %24, ^bb2, ^bb3
    ^bb2:  // pred: ^bb1
      %25 = llvm.add %22, %21 : i64
      %26 = llvm.mul %5, %6 overflow<nsw, nuw> : i64
      %27 = llvm.add %26, %25 overflow<nsw, nuw> : i64
      %28 = llvm.getelementptr inbounds|nuw %arg1[%27] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %29 = llvm.load %28 : !llvm.ptr -> f32
      %30 = llvm.fadd %23, %29 : f32
      %31 = llvm.add %22, %7 : i64
      llvm.br ^bb1(%31, %30 : i64, f32)
    ^bb3:  // pred: ^bb1
      %32 = nvvm.shfl.sync  bfly %9, %23, %8, %18 : f32 -> f32
      %33 = llvm.fadd %23, %32 : f32
      %34 = nvvm.shfl.sync  bfly %9, %33, %10, %18 : f32 -> f32
      %35 = llvm.fadd %33, %34 : f32
      %36 = nvvm.shfl.sync  bfly %9, %35, %11, %18 : f32 -> f32
      %37 = llvm.fadd %35, %36 : f32
      %38 = nvvm.shfl.sync  bfly %9, %37, %12, %18 : f32 -> f32
      %39 = llvm.fadd %37, %38 : f32
      %40 = nvvm.shfl.sync  bfly %9, %39, %13, %18 : f32 -> f32
      %41 = llvm.fadd %39, %40 : f32
      %42 = llvm.getelementptr %4[0, 0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<8 x f32>
      %43 = llvm.urem %21, %14 : i64
      %44 = llvm.udiv %21, %14 : i64
      %45 = llvm.add %44, %43 : i64
      %46 = llvm.icmp "ult" %43, %15 : i64
      llvm.cond_br %46, ^bb4, ^bb5
    ^bb4:  // pred: ^bb3
      %47 = llvm.getelementptr inbounds|nuw %42[%45] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      llvm.store %41, %47 : f32, !llvm.ptr<3>
      llvm.br ^bb5
    ^bb5:  // 2 preds: ^bb3, ^bb4
      %48 = llvm.urem %43, %16 : i64
      %49 = llvm.mul %48, %17 : i64
      nvvm.barrier0
      %50 = llvm.getelementptr %42[%49] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %51 = llvm.load %50 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %52 = llvm.extractelement %51[%3 : i64] : vector<4xf32>
      %53 = llvm.extractelement %51[%2 : i64] : vector<4xf32>
      %54 = llvm.extractelement %51[%1 : i64] : vector<4xf32>
      %55 = llvm.extractelement %51[%0 : i64] : vector<4xf32>
      %56 = llvm.fadd %52, %53 : f32
      %57 = llvm.fadd %54, %55 : f32
      %58 = llvm.fadd %56, %57 : f32
      %59 = nvvm.shfl.sync  bfly %9, %58, %8, %18 : f32 -> f32
      %60 = llvm.fadd %58, %59 : f32
      %61 = llvm.icmp "eq" %21, %5 : i64
      llvm.cond_br %61, ^bb6, ^bb7
    ^bb6:  // pred: ^bb5
      llvm.store %60, %arg8 : f32, !llvm.ptr
      llvm.br ^bb7
    ^bb7:  // 2 preds: ^bb5, ^bb6
      llvm.return
    }
    llvm.mlir.global internal @__wg_staged_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x f32>
    llvm.mlir.global internal @__wg_staged_1() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1 x f32>
    llvm.func @staged(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64, %arg5: i64, %arg6: i64, %arg7: !llvm.ptr, %arg8: !llvm.ptr, %arg9: i64, %arg10: i64, %arg11: i64) attributes {gpu.kernel, gpu.known_block_size = array<i32: 256, 1, 1>, nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>} {
      %0 = llvm.mlir.addressof @staged_scratch : !llvm.ptr<3>
      %1 = llvm.mlir.constant(3 : i64) : i64
      %2 = llvm.mlir.constant(2 : i64) : i64
      %3 = llvm.mlir.constant(1 : i64) : i64
      %4 = llvm.mlir.constant(0 : i64) : i64
      %5 = llvm.mlir.constant(256 : index) : i64
      %6 = llvm.mlir.constant(4 : index) : i64
      %7 = llvm.mlir.constant(-0.000000e+00 : f32) : f32
      %8 = llvm.mlir.constant(1024 : index) : i64
      %9 = llvm.mlir.constant(1 : i32) : i32
      %10 = llvm.mlir.constant(-1 : i32) : i32
      %11 = llvm.mlir.constant(2 : i32) : i32
      %12 = llvm.mlir.constant(4 : i32) : i32
      %13 = llvm.mlir.constant(8 : i32) : i32
      %14 = llvm.mlir.constant(16 : i32) : i32
      %15 = llvm.mlir.constant(32 : index) : i64
      %16 = llvm.mlir.constant(2 : index) : i64
      %17 = llvm.mlir.constant(31 : i32) : i32
      %18 = llvm.mlir.constant(16 : index) : i64
      %19 = llvm.mlir.addressof @__wg_staged_1 : !llvm.ptr<3>
      %20 = llvm.mlir.constant(4096 : index) : i64
      %21 = llvm.mlir.constant(1 : index) : i64
      %22 = llvm.mlir.constant(0 : index) : i64
      %23 = llvm.mlir.addressof @__wg_staged_0 : !llvm.ptr<3>
      %24 = llvm.getelementptr %23[0, 0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<4096 x f32>
      %25 = llvm.getelementptr %19[0, 0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<1 x f32>
      %26 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 256> : i32
      %27 = llvm.sext %26 : i32 to i64
      %28 = llvm.icmp "ult" %27, %21 : i64
      llvm.cond_br %28, ^bb1, ^bb2
    ^bb1:  // pred: ^bb0
      %29 = llvm.load %arg8 : !llvm.ptr -> f32
      llvm.store %29, %25 : f32, !llvm.ptr<3>
      llvm.br ^bb2
    ^bb2:  // 2 preds: ^bb0, ^bb1
      llvm.br ^bb3(%22 : i64)
    ^bb3(%30: i64):  // 2 preds: ^bb2, ^bb14
      %31 = llvm.icmp "slt" %30, %18 : i64
      llvm.cond_br %31, ^bb4, ^bb15
    ^bb4:  // pred: ^bb3
      %32 = llvm.mul %30, %20 overflow<nsw> : i64
      llvm.br ^bb5(%22 : i64)
    ^bb5(%33: i64):  // 2 preds: ^bb4, ^bb6
      %34 = llvm.icmp "slt" %33, %18 : i64
      llvm.cond_br %34, ^bb6, ^bb7
    ^bb6:  // pred: ^bb5
      %35 = llvm.mul %33, %5 : i64
      %36 = llvm.add %35, %27 : i64
      %37 = llvm.getelementptr %arg1[%32] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %38 = llvm.mul %22, %20 overflow<nsw, nuw> : i64
      %39 = llvm.add %38, %36 overflow<nsw, nuw> : i64
      %40 = llvm.getelementptr inbounds|nuw %37[%39] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %41 = llvm.load %40 : !llvm.ptr -> f32
      %42 = llvm.getelementptr inbounds|nuw %24[%39] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      llvm.store %41, %42 : f32, !llvm.ptr<3>
      %43 = llvm.add %33, %21 : i64
      llvm.br ^bb5(%43 : i64)
    ^bb7:  // pred: ^bb5
      %44 = llvm.mul %27, %6 : i64
      nvvm.barrier0
      llvm.br ^bb8(%22, %7, %7, %7, %7 : i64, f32, f32, f32, f32)
    ^bb8(%45: i64, %46: f32, %47: f32, %48: f32, %49: f32):  // 2 preds: ^bb7, ^bb9
      %50 = llvm.icmp "slt" %45, %20 : i64
      llvm.cond_br %50, ^bb9, ^bb10
    ^bb9:  // pred: ^bb8
      %51 = llvm.add %45, %44 : i64
      %52 = llvm.mul %22, %20 : i64
      %53 = llvm.add %52, %51 : i64
      %54 = llvm.getelementptr %24[%53] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %55 = llvm.load %54 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %56 = llvm.extractelement %55[%4 : i64] : vector<4xf32>
      %57 = llvm.extractelement %55[%3 : i64] : vector<4xf32>
      %58 = llvm.extractelement %55[%2 : i64] : vector<4xf32>
      %59 = llvm.extractelement %55[%1 : i64] : vector<4xf32>
      %60 = llvm.fadd %46, %56 : f32
      %61 = llvm.fadd %47, %57 : f32
      %62 = llvm.fadd %48, %58 : f32
      %63 = llvm.fadd %49, %59 : f32
      %64 = llvm.add %45, %8 : i64
      llvm.br ^bb8(%64, %60, %61, %62, %63 : i64, f32, f32, f32, f32)
    ^bb10:  // pred: ^bb8
      %65 = llvm.fadd %46, %47 : f32
      %66 = llvm.fadd %48, %49 : f32
      %67 = llvm.fadd %65, %66 : f32
      %68 = nvvm.shfl.sync  bfly %10, %67, %9, %17 : f32 -> f32
      %69 = llvm.fadd %67, %68 : f32
      %70 = nvvm.shfl.sync  bfly %10, %69, %11, %17 : f32 -> f32
      %71 = llvm.fadd %69, %70 : f32
      %72 = nvvm.shfl.sync  bfly %10, %71, %12, %17 : f32 -> f32
      %73 = llvm.fadd %71, %72 : f32
      %74 = nvvm.shfl.sync  bfly %10, %73, %13, %17 : f32 -> f32
      %75 = llvm.fadd %73, %74 : f32
      %76 = nvvm.shfl.sync  bfly %10, %75, %14, %17 : f32 -> f32
      %77 = llvm.fadd %75, %76 : f32
      %78 = llvm.getelementptr %0[0, 0] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<8 x f32>
      %79 = llvm.urem %27, %15 : i64
      %80 = llvm.udiv %27, %15 : i64
      %81 = llvm.add %80, %79 : i64
      %82 = llvm.icmp "ult" %79, %21 : i64
      llvm.cond_br %82, ^bb11, ^bb12
    ^bb11:  // pred: ^bb10
      %83 = llvm.getelementptr inbounds|nuw %78[%81] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      llvm.store %77, %83 : f32, !llvm.ptr<3>
      llvm.br ^bb12
    ^bb12:  // 2 preds: ^bb10, ^bb11
      %84 = llvm.urem %79, %16 : i64
      %85 = llvm.mul %84, %6 : i64
      nvvm.barrier0
      %86 = llvm.getelementptr %78[%85] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
      %87 = llvm.load %86 {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
      %88 = llvm.extractelement %87[%4 : i64] : vector<4xf32>
      %89 = llvm.extractelement %87[%3 : i64] : vector<4xf32>
      %90 = llvm.extractelement %87[%2 : i64] : vector<4xf32>
      %91 = llvm.extractelement %87[%1 : i64] : vector<4xf32>
      %92 = llvm.fadd %88, %89 : f32
      %93 = llvm.fadd %90, %91 : f32
      %94 = llvm.fadd %92, %93 : f32
      %95 = nvvm.shfl.sync  bfly %10, %94, %9, %17 : f32 -> f32
      %96 = llvm.fadd %94, %95 : f32
      %97 = llvm.icmp "eq" %27, %22 : i64
      llvm.cond_br %97, ^bb13, ^bb14
    ^bb13:  // pred: ^bb12
      %98 = llvm.load %25 : !llvm.ptr<3> -> f32
      %99 = llvm.fadd %98, %96 : f32
      llvm.store %99, %25 : f32, !llvm.ptr<3>
      llvm.br ^bb14
    ^bb14:  // 2 preds: ^bb12, ^bb13
      %100 = llvm.add %30, %21 : i64
      llvm.br ^bb3(%100 : i64)
    ^bb15:  // pred: ^bb3
      nvvm.barrier0
      llvm.cond_br %28, ^bb16, ^bb17
    ^bb16:  // pred: ^bb15
      %101 = llvm.load %25 : !llvm.ptr<3> -> f32
      llvm.store %101, %arg8 : f32, !llvm.ptr
      llvm.br ^bb17
    ^bb17:  // 2 preds: ^bb15, ^bb16
      llvm.return
    }
  }
}

