// RUN: tx-opt %s --tile-insert-sync --split-input-file --verify-diagnostics

!S = memref<64xf32, #gpu.address_space<workgroup>>

// Eight lanes of a warp cannot have a barrier while the other lanes are in another branch.
gpu.module @m {
  gpu.func @barrier_for_some_lanes(%x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %some = arith.cmpi ult, %t, %c8 : index
    scf.if %some {
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      memref.store %x, %S[%t] : !S
      %other = arith.subi %c7, %t : index
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{a branch around this op separates the threads of a warp}}
      // expected-note @below {{let one thread execute the op, or make the condition uniform within each warp}}
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }
}

// -----

!S = memref<64xf32, #gpu.address_space<workgroup>>

// For a data-dependent branch, the message names the branch.
gpu.module @m {
  gpu.func @barrier_under_a_branch_on_data(%flags: memref<64xi1>, %x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %other = arith.subi %c63, %t : index
    %c = memref.load %flags[%t] : memref<64xi1>
    // expected-note @below {{threads of one warp may take different paths here}}
    scf.if %c {
      // expected-note @below {{threads may access the same memory here, and nothing orders the two accesses}}
      memref.store %x, %S[%t] : !S
      // expected-error @below {{a barrier is required here, but not all lanes of the warp reach this op}}
      // expected-note @below {{let one thread execute the op, or make the condition uniform within each warp}}
      %y = memref.load %S[%other] : !S
    }
    gpu.return
  }
}

// -----

// The conflicting threads depend on the block size.
gpu.module @m {
  // expected-error @below {{the kernel has no block size}}
  // expected-note @below {{add `attributes {known_block_size = array<i32: X, Y, Z>}` to this `gpu.func`}}
  gpu.func @no_block_size(%A: memref<64xf32>, %x: f32) kernel {
    %t = gpu.thread_id x
    memref.store %x, %A[%t] : memref<64xf32>
    gpu.return
  }
}

// -----

!S = memref<16x224xf32, #gpu.address_space<workgroup>>

// The hardware has 16 barriers, of which the first is that of the block: 16 ranges of warps are one too
// many.
gpu.module @m {
  gpu.func @sixteen_sets_of_warps(%x: f32) workgroup(%S: !S)
      kernel attributes {known_block_size = array<i32: 224, 1, 1>} {
    %t = gpu.thread_id x
    %row0 = arith.constant 0 : index
    %low0 = arith.constant 0 : index
    %high0 = arith.constant 64 : index
    %ge0 = arith.cmpi uge, %t, %low0 : index
    %lt0 = arith.cmpi ult, %t, %high0 : index
    %in0 = arith.andi %ge0, %lt0 : i1
    scf.if %in0 {
      memref.store %x, %S[%row0, %t] : !S
      %ends0 = arith.constant 63 : index
      %other0 = arith.subi %ends0, %t : index
      %y0 = memref.load %S[%row0, %other0] : !S
    }
    %row1 = arith.constant 1 : index
    %low1 = arith.constant 0 : index
    %high1 = arith.constant 96 : index
    %ge1 = arith.cmpi uge, %t, %low1 : index
    %lt1 = arith.cmpi ult, %t, %high1 : index
    %in1 = arith.andi %ge1, %lt1 : i1
    scf.if %in1 {
      memref.store %x, %S[%row1, %t] : !S
      %ends1 = arith.constant 95 : index
      %other1 = arith.subi %ends1, %t : index
      %y1 = memref.load %S[%row1, %other1] : !S
    }
    %row2 = arith.constant 2 : index
    %low2 = arith.constant 0 : index
    %high2 = arith.constant 128 : index
    %ge2 = arith.cmpi uge, %t, %low2 : index
    %lt2 = arith.cmpi ult, %t, %high2 : index
    %in2 = arith.andi %ge2, %lt2 : i1
    scf.if %in2 {
      memref.store %x, %S[%row2, %t] : !S
      %ends2 = arith.constant 127 : index
      %other2 = arith.subi %ends2, %t : index
      %y2 = memref.load %S[%row2, %other2] : !S
    }
    %row3 = arith.constant 3 : index
    %low3 = arith.constant 0 : index
    %high3 = arith.constant 160 : index
    %ge3 = arith.cmpi uge, %t, %low3 : index
    %lt3 = arith.cmpi ult, %t, %high3 : index
    %in3 = arith.andi %ge3, %lt3 : i1
    scf.if %in3 {
      memref.store %x, %S[%row3, %t] : !S
      %ends3 = arith.constant 159 : index
      %other3 = arith.subi %ends3, %t : index
      %y3 = memref.load %S[%row3, %other3] : !S
    }
    %row4 = arith.constant 4 : index
    %low4 = arith.constant 0 : index
    %high4 = arith.constant 192 : index
    %ge4 = arith.cmpi uge, %t, %low4 : index
    %lt4 = arith.cmpi ult, %t, %high4 : index
    %in4 = arith.andi %ge4, %lt4 : i1
    scf.if %in4 {
      memref.store %x, %S[%row4, %t] : !S
      %ends4 = arith.constant 191 : index
      %other4 = arith.subi %ends4, %t : index
      %y4 = memref.load %S[%row4, %other4] : !S
    }
    %row5 = arith.constant 5 : index
    %low5 = arith.constant 32 : index
    %high5 = arith.constant 96 : index
    %ge5 = arith.cmpi uge, %t, %low5 : index
    %lt5 = arith.cmpi ult, %t, %high5 : index
    %in5 = arith.andi %ge5, %lt5 : i1
    scf.if %in5 {
      memref.store %x, %S[%row5, %t] : !S
      %ends5 = arith.constant 127 : index
      %other5 = arith.subi %ends5, %t : index
      %y5 = memref.load %S[%row5, %other5] : !S
    }
    %row6 = arith.constant 6 : index
    %low6 = arith.constant 32 : index
    %high6 = arith.constant 128 : index
    %ge6 = arith.cmpi uge, %t, %low6 : index
    %lt6 = arith.cmpi ult, %t, %high6 : index
    %in6 = arith.andi %ge6, %lt6 : i1
    scf.if %in6 {
      memref.store %x, %S[%row6, %t] : !S
      %ends6 = arith.constant 159 : index
      %other6 = arith.subi %ends6, %t : index
      %y6 = memref.load %S[%row6, %other6] : !S
    }
    %row7 = arith.constant 7 : index
    %low7 = arith.constant 32 : index
    %high7 = arith.constant 160 : index
    %ge7 = arith.cmpi uge, %t, %low7 : index
    %lt7 = arith.cmpi ult, %t, %high7 : index
    %in7 = arith.andi %ge7, %lt7 : i1
    scf.if %in7 {
      memref.store %x, %S[%row7, %t] : !S
      %ends7 = arith.constant 191 : index
      %other7 = arith.subi %ends7, %t : index
      %y7 = memref.load %S[%row7, %other7] : !S
    }
    %row8 = arith.constant 8 : index
    %low8 = arith.constant 32 : index
    %high8 = arith.constant 192 : index
    %ge8 = arith.cmpi uge, %t, %low8 : index
    %lt8 = arith.cmpi ult, %t, %high8 : index
    %in8 = arith.andi %ge8, %lt8 : i1
    scf.if %in8 {
      memref.store %x, %S[%row8, %t] : !S
      %ends8 = arith.constant 223 : index
      %other8 = arith.subi %ends8, %t : index
      %y8 = memref.load %S[%row8, %other8] : !S
    }
    %row9 = arith.constant 9 : index
    %low9 = arith.constant 32 : index
    %high9 = arith.constant 224 : index
    %ge9 = arith.cmpi uge, %t, %low9 : index
    %lt9 = arith.cmpi ult, %t, %high9 : index
    %in9 = arith.andi %ge9, %lt9 : i1
    scf.if %in9 {
      memref.store %x, %S[%row9, %t] : !S
      %ends9 = arith.constant 255 : index
      %other9 = arith.subi %ends9, %t : index
      %y9 = memref.load %S[%row9, %other9] : !S
    }
    %row10 = arith.constant 10 : index
    %low10 = arith.constant 64 : index
    %high10 = arith.constant 128 : index
    %ge10 = arith.cmpi uge, %t, %low10 : index
    %lt10 = arith.cmpi ult, %t, %high10 : index
    %in10 = arith.andi %ge10, %lt10 : i1
    scf.if %in10 {
      memref.store %x, %S[%row10, %t] : !S
      %ends10 = arith.constant 191 : index
      %other10 = arith.subi %ends10, %t : index
      %y10 = memref.load %S[%row10, %other10] : !S
    }
    %row11 = arith.constant 11 : index
    %low11 = arith.constant 64 : index
    %high11 = arith.constant 160 : index
    %ge11 = arith.cmpi uge, %t, %low11 : index
    %lt11 = arith.cmpi ult, %t, %high11 : index
    %in11 = arith.andi %ge11, %lt11 : i1
    scf.if %in11 {
      memref.store %x, %S[%row11, %t] : !S
      %ends11 = arith.constant 223 : index
      %other11 = arith.subi %ends11, %t : index
      %y11 = memref.load %S[%row11, %other11] : !S
    }
    %row12 = arith.constant 12 : index
    %low12 = arith.constant 64 : index
    %high12 = arith.constant 192 : index
    %ge12 = arith.cmpi uge, %t, %low12 : index
    %lt12 = arith.cmpi ult, %t, %high12 : index
    %in12 = arith.andi %ge12, %lt12 : i1
    scf.if %in12 {
      memref.store %x, %S[%row12, %t] : !S
      %ends12 = arith.constant 255 : index
      %other12 = arith.subi %ends12, %t : index
      %y12 = memref.load %S[%row12, %other12] : !S
    }
    %row13 = arith.constant 13 : index
    %low13 = arith.constant 64 : index
    %high13 = arith.constant 224 : index
    %ge13 = arith.cmpi uge, %t, %low13 : index
    %lt13 = arith.cmpi ult, %t, %high13 : index
    %in13 = arith.andi %ge13, %lt13 : i1
    scf.if %in13 {
      memref.store %x, %S[%row13, %t] : !S
      %ends13 = arith.constant 287 : index
      %other13 = arith.subi %ends13, %t : index
      %y13 = memref.load %S[%row13, %other13] : !S
    }
    %row14 = arith.constant 14 : index
    %low14 = arith.constant 96 : index
    %high14 = arith.constant 160 : index
    %ge14 = arith.cmpi uge, %t, %low14 : index
    %lt14 = arith.cmpi ult, %t, %high14 : index
    %in14 = arith.andi %ge14, %lt14 : i1
    scf.if %in14 {
      memref.store %x, %S[%row14, %t] : !S
      %ends14 = arith.constant 255 : index
      %other14 = arith.subi %ends14, %t : index
      %y14 = memref.load %S[%row14, %other14] : !S
    }
    %row15 = arith.constant 15 : index
    %low15 = arith.constant 96 : index
    %high15 = arith.constant 192 : index
    %ge15 = arith.cmpi uge, %t, %low15 : index
    %lt15 = arith.cmpi ult, %t, %high15 : index
    %in15 = arith.andi %ge15, %lt15 : i1
    scf.if %in15 {
      memref.store %x, %S[%row15, %t] : !S
      %ends15 = arith.constant 287 : index
      %other15 = arith.subi %ends15, %t : index
      // expected-error @below {{this kernel needs more than 15 named barriers}}
      // expected-note @below {{use fewer different sets of warps that synchronize separately}}
      %y15 = memref.load %S[%row15, %other15] : !S
    }
    gpu.return
  }
}

// -----

// A cluster barrier that one block may not reach would never return.
gpu.module @m {
  memref.global "private" @slots : memref<2xf32, #gpu.address_space<workgroup>> = uninitialized
  gpu.func @some_blocks(%v: f32, %to: i32, %R: memref<f32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %b = gpu.block_id x
    %first = arith.cmpi eq, %b, %c0 : index
    %slots = memref.get_global @slots : memref<2xf32, #gpu.address_space<workgroup>>
    %at = memref.extract_aligned_pointer_as_index %slots : memref<2xf32, #gpu.address_space<workgroup>> -> index
    %word = arith.index_cast %at : index to i64
    %own = llvm.inttoptr %word : i64 to !llvm.ptr<3>
    %theirs = nvvm.mapa %own, %to : !llvm.ptr<3> -> !llvm.ptr<7>
    // expected-note @below {{threads of one cluster may take different paths here}}
    scf.if %first {
      llvm.store %v, %theirs : f32, !llvm.ptr<7>
      // expected-error @below {{a cluster barrier is required here, but not all threads of the cluster reach this op}}
      // expected-note @below {{access the shared memory of other blocks outside of branches that only some blocks of a cluster take}}
      %x = memref.load %slots[%c0] : memref<2xf32, #gpu.address_space<workgroup>>
      memref.store %x, %R[] : memref<f32>
    }
    gpu.return
  }
}
