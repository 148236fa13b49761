// 2 warp barriers, 7 shuffles, 4 redux, 5 votes, 3 matches, 6 fences
gpu.module @kernels {
  gpu.func @together(%A: memref<64xi32>, %B: memref<64xi64>, %n: i32)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : i32
    %c3 = arith.constant 3 : i32
    %c31 = arith.constant 31 : i32
    %c64 = arith.constant 64 : i32
    %all = arith.constant -1 : i32
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xi32>
    %p = arith.cmpi slt, %x, %n : i32
    %p32 = arith.extui %p : i1 to i32
    nvvm.barrier0
    nvvm.barrier id = %c1
    nvvm.barrier id = %c3 number_of_threads = %c64
    nvvm.barrier id = %n
    %r0 = nvvm.barrier #nvvm.reduction<and> %p32 -> i32
    %r1 = nvvm.barrier #nvvm.reduction<popc> %p32 -> i32
    nvvm.barrier.arrive id = %c1 number_of_threads = %c64
    nvvm.bar.warp.sync %all : i32
    nvvm.bar.warp.sync %n : i32
    %s0 = nvvm.shfl.sync bfly %all, %x, %c1, %c31 : i32 -> i32
    %s1 = nvvm.shfl.sync up %all, %s0, %c1, %c3 : i32 -> i32
    %s2 = nvvm.shfl.sync down %n, %s1, %c1, %c31 : i32 -> i32
    %s3 = nvvm.shfl.sync idx %all, %s2, %c1, %n : i32 -> i32
    %s4 = nvvm.shfl.sync idx %all, %s3, %c1, %c31 {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
    %s5 = llvm.extractvalue %s4[0] : !llvm.struct<(i32, i1)>
    %s6 = llvm.call_intrinsic "llvm.nvvm.shfl.sync.up.i32"(%all, %s5, %c1, %c3) : (i32, i32, i32, i32) -> i32
    // Nobody uses it, and it stays.
    %s7 = nvvm.shfl.sync bfly %all, %x, %c3, %c31 : i32 -> i32
    %u0 = nvvm.redux.sync add %s6, %all : i32 -> i32
    %u1 = nvvm.redux.sync umin %u0, %all : i32 -> i32
    %u2 = nvvm.redux.sync max %u1, %n : i32 -> i32
    %u3 = llvm.call_intrinsic "llvm.nvvm.redux.sync.xor"(%u2, %all) : (i32, i32) -> i32
    %v0 = nvvm.vote.sync any %all, %p -> i1
    %v1 = nvvm.vote.sync all %all, %v0 -> i1
    %v2 = nvvm.vote.sync uni %all, %v1 -> i1
    %v3 = nvvm.vote.sync ballot %all, %v2 -> i32
    %v4 = llvm.call_intrinsic "llvm.nvvm.vote.ballot.sync"(%c3, %v2) : (i32, i1) -> i32
    %y = memref.load %B[%t] : memref<64xi64>
    %m0 = nvvm.match.sync any %all, %x : i32 -> i32
    %m1 = nvvm.match.sync any %all, %y : i64 -> i32
    %m2 = nvvm.match.sync all %all, %x : i32 -> !llvm.struct<(i32, i1)>
    %m3 = llvm.extractvalue %m2[0] : !llvm.struct<(i32, i1)>
    nvvm.memory.barrier #nvvm.mem_scope<cta>
    nvvm.memory.barrier #nvvm.mem_scope<gpu>
    nvvm.memory.barrier #nvvm.mem_scope<sys>
    llvm.fence seq_cst
    llvm.fence syncscope("block") acquire
    llvm.fence syncscope("device") release
    %z0 = arith.addi %r0, %r1 : i32
    %z1 = arith.addi %z0, %u3 : i32
    %z2 = arith.addi %z1, %v3 : i32
    %z3 = arith.addi %z2, %v4 : i32
    %z4 = arith.addi %z3, %m0 : i32
    %z5 = arith.addi %z4, %m1 : i32
    %z6 = arith.addi %z5, %m3 : i32
    memref.store %z6, %A[%t] : memref<64xi32>
    gpu.return
  }
}
