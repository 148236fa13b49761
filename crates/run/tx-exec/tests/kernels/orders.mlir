// Kernels whose results depend, or must not depend, on the execution order of threads.
gpu.module @orders {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i32>

  // Every thread draws a ticket at the start, after a warp barrier, and after a block barrier. Slot 0 of %out
  // counts the tickets; the next slots contain three tickets per thread of each block.
  llvm.func @tickets(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %n = nvvm.read.ptx.sreg.ntid.x : i32
    %b = nvvm.read.ptx.sreg.ctaid.x : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %i0 = llvm.mul %b, %n : i32
    %i1 = llvm.add %i0, %t : i32
    %i2 = llvm.mul %i1, %three : i32
    %slots = llvm.getelementptr %out[%i2] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %first = llvm.atomicrmw add %out, %one monotonic : !llvm.ptr<1>, i32
    %at1 = llvm.getelementptr %slots[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %first, %at1 : i32, !llvm.ptr<1>
    nvvm.bar.warp.sync %all : i32
    %second = llvm.atomicrmw add %out, %one monotonic : !llvm.ptr<1>, i32
    %at2 = llvm.getelementptr %slots[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %second, %at2 : i32, !llvm.ptr<1>
    nvvm.barrier0
    %third = llvm.atomicrmw add %out, %one monotonic : !llvm.ptr<1>, i32
    %at3 = llvm.getelementptr %slots[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %third, %at3 : i32, !llvm.ptr<1>
    llvm.return
  }

  // Every thread adds 1 to slot 0 non-atomically.
  llvm.func @increment(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %v = llvm.load %out : !llvm.ptr<1> -> i32
    %w = llvm.add %v, %one : i32
    llvm.store %w, %out : i32, !llvm.ptr<1>
    llvm.return
  }

  // Warp 0 sets slot 1, warp 2 sets slot 2, and warp 1 stores the sum of both in slot 0, without a barrier.
  llvm.func @between(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %a = llvm.getelementptr %out[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %b = llvm.getelementptr %out[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.switch %t : i32, ^end [0: ^zero, 32: ^one, 64: ^two]
  ^zero:
    llvm.store %one, %a : i32, !llvm.ptr<1>
    llvm.br ^end
  ^two:
    llvm.store %one, %b : i32, !llvm.ptr<1>
    llvm.br ^end
  ^one:
    %v = llvm.load %a : !llvm.ptr<1> -> i32
    %w = llvm.load %b : !llvm.ptr<1> -> i32
    %sum = llvm.add %v, %w : i32
    llvm.store %sum, %out : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }

  // Read after write: each thread passes its index to the thread %distance after it, with a barrier if %safe.
  llvm.func @hand_over(%out: !llvm.ptr<1>, %distance: i32, %safe: i1) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %n = nvvm.read.ptx.sreg.ntid.x : i32
    %t1 = llvm.add %t, %distance : i32
    %next = llvm.urem %t1, %n : i32
    %at = llvm.getelementptr %tile[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %at : i32, !llvm.ptr<3> loc("raw.mlir":1:1)
    llvm.cond_br %safe, ^sync, ^read
  ^sync:
    nvvm.barrier0
    llvm.br ^read
  ^read:
    %from = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %from : !llvm.ptr<3> -> i32 loc("raw.mlir":2:2)
    %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %to : i32, !llvm.ptr<1>
    llvm.return
  }

  // Write after read: in each of %times rounds, each thread reads the value of the thread %distance after it.
  // If %safe, a barrier at the end of a round precedes the next write of the slots.
  llvm.func @rounds(%out: !llvm.ptr<1>, %times: i32, %distance: i32, %safe: i1) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %n = nvvm.read.ptx.sreg.ntid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %t1 = llvm.add %t, %distance : i32
    %next = llvm.urem %t1, %n : i32
    %at = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %from = llvm.getelementptr %tile[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.br ^round(%zero, %t : i32, i32)
  ^round(%i: i32, %v: i32):
    llvm.store %v, %at : i32, !llvm.ptr<3> loc("war.mlir":1:1)
    nvvm.barrier0
    %w = llvm.load %from : !llvm.ptr<3> -> i32 loc("war.mlir":2:2)
    llvm.cond_br %safe, ^sync, ^next
  ^sync:
    nvvm.barrier0
    llvm.br ^next
  ^next:
    %j = llvm.add %i, %one : i32
    %more = llvm.icmp "ult" %j, %times : i32
    llvm.cond_br %more, ^round(%j, %w : i32, i32), ^end
  ^end:
    %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %w, %to : i32, !llvm.ptr<1>
    llvm.return
  }

  // A warp sums its lane indices in shared memory, in five halving steps that rely on lockstep. If %safe, a
  // warp barrier separates the reads from the writes of a step, and follows the writes.
  llvm.func @halvings(%out: !llvm.ptr<1>, %safe: i1) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %at = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %t, %at : i32, !llvm.ptr<3> loc("lanes.mlir":1:1)
    nvvm.bar.warp.sync %all : i32
    llvm.br ^halving(%c16 : i32)
  ^halving(%half: i32):
    %t1 = llvm.add %t, %half : i32
    %other = llvm.and %t1, %c31 : i32
    %from = llvm.getelementptr %tile[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %at : !llvm.ptr<3> -> i32
    %w = llvm.load %from : !llvm.ptr<3> -> i32 loc("lanes.mlir":2:2)
    %sum = llvm.add %v, %w : i32
    llvm.cond_br %safe, ^sync0, ^write
  ^sync0:
    nvvm.bar.warp.sync %all : i32
    llvm.br ^write
  ^write:
    llvm.store %sum, %at : i32, !llvm.ptr<3> loc("lanes.mlir":3:3)
    llvm.cond_br %safe, ^sync1, ^next
  ^sync1:
    nvvm.bar.warp.sync %all : i32
    llvm.br ^next
  ^next:
    %less = llvm.lshr %half, %one : i32
    %more = llvm.icmp "ne" %less, %zero : i32
    llvm.cond_br %more, ^halving(%less : i32), ^end
  ^end:
    %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %sum, %to : i32, !llvm.ptr<1>
    llvm.return
  }

  // Warp 0 writes the first slots of %out, then all threads read the slots of their lanes. A barrier of
  // %count threads, at which warps 0 to %count / 32 - 1 arrive, separates both.
  llvm.func @global_exchange(%out: !llvm.ptr<1>, %count: i32) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %at = llvm.getelementptr %out[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %writes = llvm.icmp "ult" %t, %c32 : i32
    llvm.cond_br %writes, ^write, ^written
  ^write:
    llvm.store %t, %at : i32, !llvm.ptr<1> loc("global.mlir":1:1)
    llvm.br ^written
  ^written:
    %meets = llvm.icmp "ult" %t, %count : i32
    llvm.cond_br %meets, ^sync, ^read
  ^sync:
    nvvm.barrier id = %one number_of_threads = %count
    llvm.br ^read
  ^read:
    %v = llvm.load %at : !llvm.ptr<1> -> i32 loc("global.mlir":2:2)
    llvm.return
  }

  // Lane 0 writes, the lanes of %mask wait at a warp barrier, and lane %reader reads.
  llvm.func @lanes_meet(%mask: i32, %reader: i32) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %writes = llvm.icmp "eq" %lane, %zero : i32
    llvm.cond_br %writes, ^write, ^written
  ^write:
    llvm.store %one, %tile : i32, !llvm.ptr<3>
    llvm.br ^written
  ^written:
    %bits = llvm.lshr %mask, %lane : i32
    %meets = llvm.trunc %bits : i32 to i1
    llvm.cond_br %meets, ^sync, ^synced
  ^sync:
    nvvm.bar.warp.sync %mask : i32
    llvm.br ^synced
  ^synced:
    %reads = llvm.icmp "eq" %lane, %reader : i32
    llvm.cond_br %reads, ^read, ^end
  ^read:
    %v = llvm.load %tile : !llvm.ptr<3> -> i32
    llvm.br ^end
  ^end:
    llvm.return
  }

  // Thread 0 writes 16 bytes of shared memory at byte 0; thread 1 writes 1 byte, or 16 if %wide, at %byte.
  llvm.func @overlap(%byte: i32, %wide: i1) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %v = llvm.mlir.constant(dense<1> : vector<4xi32>) : vector<4xi32>
    %c = llvm.mlir.constant(1 : i8) : i8
    %at = llvm.getelementptr %tile[%byte] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %first = llvm.icmp "eq" %t, %zero : i32
    llvm.cond_br %first, ^vector, ^other
  ^vector:
    llvm.store %v, %tile : vector<4xi32>, !llvm.ptr<3> loc("overlap.mlir":1:1)
    llvm.br ^end
  ^other:
    llvm.cond_br %wide, ^wide, ^byte
  ^wide:
    llvm.store %v, %at : vector<4xi32>, !llvm.ptr<3> loc("overlap.mlir":2:2)
    llvm.br ^end
  ^byte:
    llvm.store %c, %at : i8, !llvm.ptr<3> loc("overlap.mlir":3:3)
    llvm.br ^end
  ^end:
    llvm.return
  }
}
