// Barriers of a whole block, and named barriers of some warps.
gpu.module @barriers {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i32>

  // Reverses the block in shared memory: thread t writes slot t and reads slot n - 1 - t after the barrier.
  llvm.func @reverse(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %n = nvvm.read.ptx.sreg.ntid.x : i32
    %b = nvvm.read.ptx.sreg.ctaid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %at = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %at : i32, !llvm.ptr<3> loc("reverse.mlir":10:5)
    nvvm.barrier0
    %last = llvm.sub %n, %one : i32
    %other = llvm.sub %last, %t : i32
    %from = llvm.getelementptr %tile[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %from : !llvm.ptr<3> -> i32
    %base = llvm.mul %b, %n : i32
    %index = llvm.add %base, %t : i32
    %to = llvm.getelementptr %out[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.return
  }

  // Reverses the block as above, but without the barrier.
  llvm.func @reverse_race(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %n = nvvm.read.ptx.sreg.ntid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %last = llvm.sub %n, %one : i32
    %other = llvm.sub %last, %t : i32
    %at = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %at : i32, !llvm.ptr<3> loc("race.mlir":10:5)
    %from = llvm.getelementptr %tile[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %zero, %from : i32, !llvm.ptr<3> loc(fused<"a pass">["write"("race.mlir":20:7)])
    llvm.return
  }

  // All threads read slot 0, then thread 1 writes slot 0. If %safe, a barrier separates read and write.
  llvm.func @war(%safe: i1) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %first = llvm.icmp "eq" %t, %zero : i32
    llvm.cond_br %first, ^init, ^read
  ^init:
    llvm.store %one, %tile : i32, !llvm.ptr<3>
    llvm.br ^read
  ^read:
    nvvm.barrier0
    %v = llvm.load %tile : !llvm.ptr<3> -> i32 loc("war.mlir":1:1)
    llvm.cond_br %safe, ^sync, ^write
  ^sync:
    nvvm.barrier0
    llvm.br ^write
  ^write:
    %second = llvm.icmp "eq" %t, %one : i32
    llvm.cond_br %second, ^again, ^end
  ^again:
    llvm.store %v, %tile : i32, !llvm.ptr<3> loc("war.mlir":2:2)
    llvm.br ^end
  ^end:
    llvm.return
  }

  // Odd threads wait at one barrier, even threads at another.
  llvm.func @divergent() attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %odd = llvm.trunc %t : i32 to i1
    llvm.cond_br %odd, ^a, ^b
  ^a:
    nvvm.barrier0 loc("odd.mlir":1:1)
    llvm.br ^end
  ^b:
    nvvm.barrier0 loc("even.mlir":2:2)
    llvm.br ^end
  ^end:
    llvm.return
  }

  // Threads from %limit on exit; all other threads wait at a barrier.
  llvm.func @early_exit(%limit: i32) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %in = llvm.icmp "ult" %t, %limit : i32
    llvm.cond_br %in, ^wait, ^end
  ^wait:
    nvvm.barrier0 loc("exit.mlir":3:3)
    llvm.br ^end
  ^end:
    llvm.return
  }

  // The first warp waits at the block barrier; the other warps wait for it in a shuffle.
  llvm.func @barrier_and_warp() attributes {gpu.kernel, nvvm.kernel} {
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %odd = llvm.trunc %lane : i32 to i1
    llvm.cond_br %odd, ^a, ^b
  ^a:
    nvvm.barrier0 loc("cta.mlir":1:1)
    llvm.br ^end
  ^b:
    nvvm.bar.warp.sync %all : i32 loc("warp.mlir":2:2)
    llvm.br ^end
  ^end:
    llvm.return
  }

  // Each warpgroup of 128 threads exchanges values across a separate named barrier of %count threads.
  llvm.func @named(%out: !llvm.ptr<1>, %count: i32) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %c127 = llvm.mlir.constant(127 : i32) : i32
    %group = llvm.lshr %t, %c7 : i32
    %id = llvm.add %group, %one : i32
    %at = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %at : i32, !llvm.ptr<3>
    // Generic form, because the short form parses the location as its optional attribute.
    "nvvm.barrier"(%id, %count) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> () loc("named.mlir":4:4)
    %other = llvm.xor %t, %c127 : i32
    %from = llvm.getelementptr %tile[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %from : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.return
  }

  // Each warpgroup of 128 threads runs a separate number of rounds, read from %times. In each round, a
  // thread passes its value to the next thread of its warpgroup, and adds 1 to the received value. The
  // barrier number is the warpgroup index plus %first.
  llvm.func @warpgroup_rounds(%out: !llvm.ptr<1>, %times: !llvm.ptr<1>, %first: i32) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %c7 = llvm.mlir.constant(7 : i32) : i32
    %c127 = llvm.mlir.constant(127 : i32) : i32
    %count = llvm.mlir.constant(128 : i32) : i32
    %group = llvm.lshr %t, %c7 : i32
    %id = llvm.add %group, %first : i32
    %from_times = llvm.getelementptr %times[%group] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %rounds = llvm.load %from_times : !llvm.ptr<1> -> i32
    %start = llvm.shl %group, %c7 : i32
    %t1 = llvm.add %t, %one : i32
    %in_group = llvm.and %t1, %c127 : i32
    %next = llvm.or %in_group, %start : i32
    %at = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %from = llvm.getelementptr %tile[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.br ^head(%zero, %t : i32, i32)
  ^head(%i: i32, %v: i32):
    %more = llvm.icmp "ult" %i, %rounds : i32
    llvm.cond_br %more, ^round, ^end
  ^round:
    llvm.store %v, %at : i32, !llvm.ptr<3>
    "nvvm.barrier"(%id, %count) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> () loc("rounds.mlir":1:1)
    %w = llvm.load %from : !llvm.ptr<3> -> i32
    "nvvm.barrier"(%id, %count) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> () loc("rounds.mlir":2:2)
    %v1 = llvm.add %w, %one : i32
    %i1 = llvm.add %i, %one : i32
    llvm.br ^head(%i1, %v1 : i32, i32)
  ^end:
    %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.return
  }

  // The odd lanes of a warpgroup execute one operation of barrier 1, the even lanes another.
  llvm.func @split_warps() attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %id = llvm.mlir.constant(1 : i32) : i32
    %count = llvm.mlir.constant(128 : i32) : i32
    %odd = llvm.trunc %t : i32 to i1
    llvm.cond_br %odd, ^a, ^b
  ^a:
    "nvvm.barrier"(%id, %count) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> () loc("odd.mlir":1:1)
    llvm.br ^end
  ^b:
    "nvvm.barrier"(%id, %count) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> () loc("even.mlir":2:2)
    llvm.br ^end
  ^end:
    llvm.return
  }

  // One half of the warps only arrives at barrier 1. The other half waits, and reads the written values.
  llvm.func @arrive(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %first = llvm.icmp "ult" %t, %c32 : i32
    %slot = llvm.urem %t, %c32 : i32
    %at = llvm.getelementptr %tile[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.cond_br %first, ^produce, ^consume
  ^produce:
    llvm.store %t, %at : i32, !llvm.ptr<3>
    nvvm.barrier.arrive id = %one number_of_threads = %c64
    llvm.br ^end
  ^consume:
    nvvm.barrier id = %one number_of_threads = %c64
    %v = llvm.load %at : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %out[%slot] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }

  // Counts the threads with an odd index.
  llvm.func @popc(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %odd = llvm.and %t, %one : i32
    %count = nvvm.barrier #nvvm.reduction<popc> %odd -> i32
    %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %count, %to : i32, !llvm.ptr<1>
    llvm.return
  }

  // Neighbouring lanes exchange values in shared memory, with a warp barrier if %safe, else with a shuffle.
  llvm.func @warp_exchange(%safe: i1) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    %at = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %at : i32, !llvm.ptr<3>
    llvm.cond_br %safe, ^sync, ^shuffle
  ^sync:
    nvvm.bar.warp.sync %all : i32
    llvm.br ^read
  ^shuffle:
    %s = nvvm.shfl.sync bfly %all, %t, %one, %clamp : i32 -> i32
    llvm.br ^read
  ^read:
    %other = llvm.xor %t, %one : i32
    %from = llvm.getelementptr %tile[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %from : !llvm.ptr<3> -> i32
    llvm.return
  }

  // Every thread adds 1 to slot 0 of %out atomically, %times times. If %read, thread 0 also reads slot 0.
  llvm.func @atomics(%out: !llvm.ptr<1>, %read: i1) attributes {gpu.kernel, nvvm.kernel} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %old = llvm.atomicrmw add %out, %one acq_rel : !llvm.ptr<1>, i32
    llvm.cond_br %read, ^read, ^end
  ^read:
    %v = llvm.load %out : !llvm.ptr<1> -> i32
    llvm.br ^end
  ^end:
    llvm.return
  }

  // All threads spin until slot 0 is set; thread %who sets slot 0.
  llvm.func @spin(%out: !llvm.ptr<1>, %who: i32) attributes {gpu.kernel, nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %sets = llvm.icmp "eq" %t, %who : i32
    llvm.cond_br %sets, ^set, ^wait
  ^set:
    %old = llvm.atomicrmw xchg %out, %one acq_rel : !llvm.ptr<1>, i32
    llvm.br ^end
  ^wait:
    %v = llvm.load %out atomic acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %again = llvm.icmp "eq" %v, %zero : i32
    llvm.cond_br %again, ^wait, ^end
  ^end:
    llvm.return
  }

  // Counts to %n in steps of two, and accesses no memory.
  llvm.func @count(%n: i32) attributes {gpu.kernel, nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    llvm.br ^next(%zero : i32)
  ^next(%i: i32):
    %j = llvm.add %i, %two : i32
    %again = llvm.icmp "ne" %j, %n : i32
    llvm.cond_br %again, ^next(%j : i32), ^end
  ^end:
    llvm.return
  }

  // Every block writes the same value to slot 0.
  llvm.func @same_value(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %one = llvm.mlir.constant(1 : i32) : i32
    llvm.store %one, %out : i32, !llvm.ptr<1>
    llvm.return
  }

  // A long program: %times rounds of write, barrier, read of a neighbour, barrier.
  llvm.func @rounds(%out: !llvm.ptr<1>, %times: i32) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %n = nvvm.read.ptx.sreg.ntid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %last = llvm.sub %n, %one : i32
    %next0 = llvm.add %t, %one : i32
    %next = llvm.and %next0, %last : i32
    %at = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %from = llvm.getelementptr %tile[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.br ^loop(%zero, %t : i32, i32)
  ^loop(%i: i32, %v: i32):
    llvm.store %v, %at : i32, !llvm.ptr<3>
    nvvm.barrier0
    %w = llvm.load %from : !llvm.ptr<3> -> i32
    nvvm.barrier0
    %j = llvm.add %i, %one : i32
    %more = llvm.icmp "ult" %j, %times : i32
    llvm.cond_br %more, ^loop(%j, %w : i32, i32), ^end
  ^end:
    %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %w, %to : i32, !llvm.ptr<1>
    llvm.return
  }
}
