// `redux.sync`, votes and matches. Every thread stores its result.
gpu.module @warp {
  llvm.func @add(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %mask: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %from : !llvm.ptr<1> -> i32
    %r = nvvm.redux.sync add %v, %mask : i32 -> i32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %r, %at : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @and(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %mask: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %from : !llvm.ptr<1> -> i32
    %r = nvvm.redux.sync and %v, %mask : i32 -> i32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %r, %at : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @max(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %mask: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %from : !llvm.ptr<1> -> i32
    %r = nvvm.redux.sync max %v, %mask : i32 -> i32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %r, %at : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @min(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %mask: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %from : !llvm.ptr<1> -> i32
    %r = nvvm.redux.sync min %v, %mask : i32 -> i32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %r, %at : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @or(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %mask: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %from : !llvm.ptr<1> -> i32
    %r = nvvm.redux.sync or %v, %mask : i32 -> i32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %r, %at : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @umax(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %mask: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %from : !llvm.ptr<1> -> i32
    %r = nvvm.redux.sync umax %v, %mask : i32 -> i32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %r, %at : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @umin(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %mask: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %from : !llvm.ptr<1> -> i32
    %r = nvvm.redux.sync umin %v, %mask : i32 -> i32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %r, %at : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @xor(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %mask: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %from : !llvm.ptr<1> -> i32
    %r = nvvm.redux.sync xor %v, %mask : i32 -> i32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %r, %at : i32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @fmin(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %mask: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = llvm.load %from : !llvm.ptr<1> -> f32
    %r = nvvm.redux.sync fmin %v, %mask : f32 -> f32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %r, %at : f32, !llvm.ptr<1>
    llvm.return
  }

  llvm.func @fmax(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %mask: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %from = llvm.getelementptr %in[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = llvm.load %from : !llvm.ptr<1> -> f32
    %r = nvvm.redux.sync fmax %v, %mask {abs = true, nan = true} : f32 -> f32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %r, %at : f32, !llvm.ptr<1>
    llvm.return
  }

  // Packs ballot, any, all and uni of the predicate "lane is odd" into one word.
  llvm.func @votes(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %bit = llvm.trunc %lane : i32 to i1
    %ballot = nvvm.vote.sync ballot %all, %bit -> i32
    %any = nvvm.vote.sync any %all, %bit -> i1
    %every = nvvm.vote.sync all %all, %bit -> i1
    %uni = nvvm.vote.sync uni %all, %bit -> i1
    %parity = llvm.and %lane, %one : i32
    %match = nvvm.match.sync any %all, %parity : i32 -> i32
    %same = nvvm.match.sync all %all, %one : i32 -> !llvm.struct<(i32, i1)>
    %same_mask = llvm.extractvalue %same[0] : !llvm.struct<(i32, i1)>
    %leader = nvvm.elect.sync -> i1
    %zero = llvm.mlir.constant(0 : i32) : i32
    %first = llvm.icmp "eq" %lane, %one : i32
    llvm.cond_br %first, ^store, ^end
  ^store:
    llvm.store %ballot, %out : i32, !llvm.ptr<1>
    %w1 = llvm.zext %any : i1 to i32
    %a1 = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w1, %a1 : i32, !llvm.ptr<1>
    %w2 = llvm.zext %every : i1 to i32
    %a2 = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w2, %a2 : i32, !llvm.ptr<1>
    %w3 = llvm.zext %uni : i1 to i32
    %a3 = llvm.getelementptr %out[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w3, %a3 : i32, !llvm.ptr<1>
    %a4 = llvm.getelementptr %out[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %match, %a4 : i32, !llvm.ptr<1>
    %a5 = llvm.getelementptr %out[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %same_mask, %a5 : i32, !llvm.ptr<1>
    %w6 = llvm.zext %leader : i1 to i32
    %a6 = llvm.getelementptr %out[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %w6, %a6 : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }
}
