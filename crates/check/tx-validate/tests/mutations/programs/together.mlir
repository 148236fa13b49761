// Cooperation of threads: exchanges in groups of a block, votes, barriers of a warpgroup, and tiles that are reused.
#shared = #gpu.address_space<workgroup>
gpu.module @kernels {
  gpu.func @votes(%A: memref<64xf32>, %B: memref<64xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %all = arith.constant -1 : i32
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    %positive = arith.cmpf ogt, %x, %zero : f32
    %any = nvvm.vote.sync any %all, %positive -> i1
    %every = nvvm.vote.sync all %all, %positive -> i1
    %a = arith.extui %any : i1 to i32
    %e = arith.extui %every : i1 to i32
    %sum = arith.addi %a, %e : i32
    memref.store %sum, %B[%t] : memref<64xi32>
    gpu.return
  }
  // Two tiles of the same size, and a reversal through shared memory.
  gpu.func @turned(%A: memref<64xf32>, %B: memref<64xf32>, %C: memref<f32>)
      workgroup(%S: memref<64xf32, #shared>, %T: memref<64xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    tile.copy %A to %S scope(cta) : memref<64xf32> to memref<64xf32, #shared>
    %t = gpu.thread_id x
    %u = arith.subi %c63, %t : index
    %x = memref.load %S[%u] : memref<64xf32, #shared>
    memref.store %x, %T[%t] : memref<64xf32, #shared>
    %y = memref.load %T[%u] : memref<64xf32, #shared>
    %z = arith.subf %x, %y : f32
    memref.store %z, %B[%t] : memref<64xf32>
    tile.reduce max %T into %C axes [0] scope(cta) : memref<64xf32, #shared> into memref<f32>
    gpu.return
  }
  // One sum per warpgroup, for two warpgroups.
  gpu.func @halves(%A: memref<2x128xf32>, %B: memref<2xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %g = arith.divui %t, %c128 : index
    %i = arith.remui %t, %c128 : index
    %x = memref.load %A[%g, %i] : memref<2x128xf32>
    %s = tile.all_reduce sum %x scope(warpgroup) : f32 -> f32
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      memref.store %s, %B[%g] : memref<2xf32>
    }
    gpu.return
  }
  // One maximum per warpgroup, for two warpgroups.
  gpu.func @peaks(%A: memref<2x128xi32>, %B: memref<2xi32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %c128 = arith.constant 128 : index
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %g = arith.divui %t, %c128 : index
    %i = arith.remui %t, %c128 : index
    %x = memref.load %A[%g, %i] : memref<2x128xi32>
    %s = tile.all_reduce max %x scope(warpgroup) : i32 -> i32
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      memref.store %s, %B[%g] : memref<2xi32>
    }
    gpu.return
  }
  gpu.func @agreement(%A: memref<32xi32>, %B: memref<32xi32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %all = arith.constant -1 : i32
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<32xi32>
    %odd = arith.trunci %x : i32 to i1
    %any = nvvm.vote.sync any %all, %odd -> i1
    %a = arith.extui %any : i1 to i32
    memref.store %a, %B[%t] : memref<32xi32>
    gpu.return
  }
  // Vector loads from two tiles.
  gpu.func @tiles(%A: memref<8x64xf32>, %B: memref<8x64xf32>, %C: memref<8xf32>, %D: memref<8xf32>)
      workgroup(%S: memref<8x64xf32, #shared>, %T: memref<8x64xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    tile.copy %A to %S scope(cta) : memref<8x64xf32> to memref<8x64xf32, #shared>
    tile.copy %B to %T scope(cta) : memref<8x64xf32> to memref<8x64xf32, #shared>
    tile.reduce sum %S into %C axes [1] scope(cta) : memref<8x64xf32, #shared> into memref<8xf32>
    tile.reduce max %T into %D axes [1] scope(cta) : memref<8x64xf32, #shared> into memref<8xf32>
    gpu.return
  }
  // Blocks with a partial warp, and tiles that are reused in a loop.
  gpu.func @few(%A: memref<3x40xf32>, %B: memref<3xf32>)
      workgroup(%S: memref<3x40xf32, #shared>, %T: memref<3xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    tile.copy %A to %S scope(cta) : memref<3x40xf32> to memref<3x40xf32, #shared>
    tile.reduce sum %S into %T axes [1] scope(cta) : memref<3x40xf32, #shared> into memref<3xf32, #shared>
    tile.copy %T to %B scope(cta) : memref<3xf32, #shared> to memref<3xf32>
    gpu.return
  }
  gpu.func @in_turns(%A: memref<3x3x40xf32>, %B: memref<3xf32>) workgroup(%S: memref<3x40xf32, #shared>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %V = memref.subview %A[%i, 0, 0] [1, 3, 40] [1, 1, 1] : memref<3x3x40xf32> to memref<3x40xf32, strided<[40, 1], offset: ?>>
      tile.copy %V to %S scope(cta) : memref<3x40xf32, strided<[40, 1], offset: ?>> to memref<3x40xf32, #shared>
      tile.reduce sum %S into %B axes [1] scope(cta) accumulate : memref<3x40xf32, #shared> into memref<3xf32>
    }
    gpu.return
  }
  gpu.func @turn_by_turn(%A: memref<3x2x20xi32>, %B: memref<3x2xi32>)
      kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %V = memref.subview %A[%i, 0, 0] [1, 2, 20] [1, 1, 1] : memref<3x2x20xi32> to memref<2x20xi32, strided<[20, 1], offset: ?>>
      %W = memref.subview %B[%i, 0] [1, 2] [1, 1] : memref<3x2xi32> to memref<2xi32, strided<[1], offset: ?>>
      tile.reduce sum %V into %W axes [1] scope(cta) accumulate
        : memref<2x20xi32, strided<[20, 1], offset: ?>> into memref<2xi32, strided<[1], offset: ?>>
    }
    gpu.return
  }
}
