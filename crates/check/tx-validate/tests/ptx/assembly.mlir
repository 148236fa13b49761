// 3 barriers, 1 shuffle
gpu.module @kernels {
  gpu.func @assembly(%A: memref<64xi32>, %n: i32)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c2 = arith.constant 2 : i32
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xi32>
    llvm.inline_asm has_side_effects "bar.sync 0;", "" : () -> ()
    llvm.inline_asm has_side_effects "barrier.sync $0, 64;", "r" %c2 : (i32) -> ()
    llvm.inline_asm has_side_effects "{\0A .reg .pred p;\0A setp.ne.b32 p, $0, 0;\0A @p bar.sync 3;\0A}", "r" %n : (i32) -> ()
    %y = llvm.inline_asm has_side_effects "shfl.sync.bfly.b32 $0, $1, 1, 31, 0xffffffff;", "=r,r" %x : (i32) -> i32
    // Nobody uses it.
    %v = llvm.inline_asm "vote.sync.ballot.b32 $0, 1, 0xffffffff;", "=r" : () -> i32
    memref.store %y, %A[%t] : memref<64xi32>
    gpu.return
  }
}
