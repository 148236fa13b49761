// 4 vector loads, 3 vector stores
gpu.module @kernels {
  gpu.func @memory(%from: memref<64x4xf32>, %to: memref<64x4xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %a = memref.extract_aligned_pointer_as_index %from : memref<64x4xf32> -> index
    %b = memref.extract_aligned_pointer_as_index %to : memref<64x4xf32> -> index
    %aw = arith.index_cast %a : index to i64
    %bw = arith.index_cast %b : index to i64
    %ap = llvm.inttoptr %aw : i64 to !llvm.ptr
    %bp = llvm.inttoptr %bw : i64 to !llvm.ptr
    %A = llvm.addrspacecast %ap : !llvm.ptr to !llvm.ptr<1>
    %B = llvm.addrspacecast %bp : !llvm.ptr to !llvm.ptr<1>
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %p = llvm.getelementptr %A[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %q = llvm.getelementptr %B[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<4xf32>
    %x = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    llvm.store %x, %q {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
    nvvm.barrier0
    // The same place again, and what was just stored: LLVM may take them from registers.
    %again = llvm.load %q {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %p1 = llvm.getelementptr %p[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xf32>
    %q1 = llvm.getelementptr %q[64] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xf32>
    // Bytes and halves are loaded as words.
    %half = llvm.load %p1 {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xf16>
    llvm.store %half, %q1 {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>
    %p2 = llvm.getelementptr %p[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xf32>
    %q2 = llvm.getelementptr %q[128] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xf32>
    // One of its elements is used.
    %wide = llvm.load %p2 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %second = llvm.extractelement %wide[%c1 : i64] : vector<4xf32>
    llvm.store %second, %q2 {alignment = 4 : i64} : f32, !llvm.ptr<1>
    // The difference is 0, so LLVM removes the load.
    %p3 = llvm.getelementptr %p[192] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xf32>
    %q3 = llvm.getelementptr %q[192] : (!llvm.ptr<1>) -> !llvm.ptr<1>, vector<4xf32>
    %i = llvm.load %p3 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
    %zero = llvm.sub %i, %i : vector<4xi32>
    llvm.store %zero, %q3 {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
    gpu.return
  }
}
