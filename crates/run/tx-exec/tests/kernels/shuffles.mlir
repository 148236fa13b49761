// Shuffles of each kind, with their operands as kernel parameters.
gpu.module @shuffles {
  // Every thread of the block shuffles `100 + lane` and stores the result and the predicate.
  llvm.func @bfly(%out: !llvm.ptr<1>, %mask: i32, %offset: i32, %clamp: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %hundred = llvm.mlir.constant(100 : i32) : i32
    %value = llvm.add %lane, %hundred : i32
    %both = nvvm.shfl.sync bfly %mask, %value, %offset, %clamp {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
    %result = llvm.extractvalue %both[0] : !llvm.struct<(i32, i1)>
    %valid = llvm.extractvalue %both[1] : !llvm.struct<(i32, i1)>
    %flag = llvm.zext %valid : i1 to i32
    %at = llvm.getelementptr %out[%tid, 0] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<2 x i32>
    llvm.store %result, %at : i32, !llvm.ptr<1>
    %next = llvm.getelementptr %out[%tid, 1] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<2 x i32>
    llvm.store %flag, %next : i32, !llvm.ptr<1>
    llvm.return
  }

  // Every thread of the block shuffles `100 + lane` and stores the result and the predicate.
  llvm.func @up(%out: !llvm.ptr<1>, %mask: i32, %offset: i32, %clamp: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %hundred = llvm.mlir.constant(100 : i32) : i32
    %value = llvm.add %lane, %hundred : i32
    %both = nvvm.shfl.sync up %mask, %value, %offset, %clamp {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
    %result = llvm.extractvalue %both[0] : !llvm.struct<(i32, i1)>
    %valid = llvm.extractvalue %both[1] : !llvm.struct<(i32, i1)>
    %flag = llvm.zext %valid : i1 to i32
    %at = llvm.getelementptr %out[%tid, 0] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<2 x i32>
    llvm.store %result, %at : i32, !llvm.ptr<1>
    %next = llvm.getelementptr %out[%tid, 1] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<2 x i32>
    llvm.store %flag, %next : i32, !llvm.ptr<1>
    llvm.return
  }

  // Every thread of the block shuffles `100 + lane` and stores the result and the predicate.
  llvm.func @down(%out: !llvm.ptr<1>, %mask: i32, %offset: i32, %clamp: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %hundred = llvm.mlir.constant(100 : i32) : i32
    %value = llvm.add %lane, %hundred : i32
    %both = nvvm.shfl.sync down %mask, %value, %offset, %clamp {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
    %result = llvm.extractvalue %both[0] : !llvm.struct<(i32, i1)>
    %valid = llvm.extractvalue %both[1] : !llvm.struct<(i32, i1)>
    %flag = llvm.zext %valid : i1 to i32
    %at = llvm.getelementptr %out[%tid, 0] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<2 x i32>
    llvm.store %result, %at : i32, !llvm.ptr<1>
    %next = llvm.getelementptr %out[%tid, 1] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<2 x i32>
    llvm.store %flag, %next : i32, !llvm.ptr<1>
    llvm.return
  }

  // Every thread of the block shuffles `100 + lane` and stores the result and the predicate.
  llvm.func @idx(%out: !llvm.ptr<1>, %mask: i32, %offset: i32, %clamp: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %hundred = llvm.mlir.constant(100 : i32) : i32
    %value = llvm.add %lane, %hundred : i32
    %both = nvvm.shfl.sync idx %mask, %value, %offset, %clamp {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
    %result = llvm.extractvalue %both[0] : !llvm.struct<(i32, i1)>
    %valid = llvm.extractvalue %both[1] : !llvm.struct<(i32, i1)>
    %flag = llvm.zext %valid : i1 to i32
    %at = llvm.getelementptr %out[%tid, 0] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<2 x i32>
    llvm.store %result, %at : i32, !llvm.ptr<1>
    %next = llvm.getelementptr %out[%tid, 1] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<2 x i32>
    llvm.store %flag, %next : i32, !llvm.ptr<1>
    llvm.return
  }

  // Butterfly reduction of f32 over the warp, without predicates.
  llvm.func @sum(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %v0 = llvm.uitofp %lane : i32 to f32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %o0 = llvm.mlir.constant(16 : i32) : i32
    %s0 = nvvm.shfl.sync bfly %all, %v0, %o0, %clamp : f32 -> f32
    %v1 = llvm.fadd %v0, %s0 : f32
    %o1 = llvm.mlir.constant(8 : i32) : i32
    %s1 = nvvm.shfl.sync bfly %all, %v1, %o1, %clamp : f32 -> f32
    %v2 = llvm.fadd %v1, %s1 : f32
    %o2 = llvm.mlir.constant(4 : i32) : i32
    %s2 = nvvm.shfl.sync bfly %all, %v2, %o2, %clamp : f32 -> f32
    %v3 = llvm.fadd %v2, %s2 : f32
    %o3 = llvm.mlir.constant(2 : i32) : i32
    %s3 = nvvm.shfl.sync bfly %all, %v3, %o3, %clamp : f32 -> f32
    %v4 = llvm.fadd %v3, %s3 : f32
    %o4 = llvm.mlir.constant(1 : i32) : i32
    %s4 = nvvm.shfl.sync bfly %all, %v4, %o4, %clamp : f32 -> f32
    %v5 = llvm.fadd %v4, %s4 : f32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    llvm.store %v5, %at : f32, !llvm.ptr<1>
    llvm.return
  }

  // The upper half of the warp exits before the shuffle.
  llvm.func @exited(%mask: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %sixteen = llvm.mlir.constant(16 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %low = llvm.icmp "ult" %lane, %sixteen : i32
    llvm.cond_br %low, ^shuffle, ^end
  ^shuffle:
    %r = nvvm.shfl.sync bfly %mask, %lane, %one, %clamp : i32 -> i32
    llvm.br ^end
  ^end:
    llvm.return
  }

  // The two halves of the warp execute different shuffles.
  llvm.func @apart(%low_mask: i32, %high_mask: i32) attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %sixteen = llvm.mlir.constant(16 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %low = llvm.icmp "ult" %lane, %sixteen : i32
    llvm.cond_br %low, ^low, ^high
  ^low:
    %a = nvvm.shfl.sync bfly %low_mask, %lane, %one, %clamp : i32 -> i32 loc("low.mlir":7:3)
    llvm.br ^end
  ^high:
    %b = nvvm.shfl.sync bfly %high_mask, %lane, %one, %clamp : i32 -> i32 loc("high.mlir":8:4)
    llvm.br ^end
  ^end:
    llvm.return
  }
}
