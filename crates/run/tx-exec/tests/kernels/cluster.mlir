// Clusters: cluster barriers, and the shared memory of other blocks.
gpu.module @cluster {
  llvm.mlir.global internal @tile() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<1024 x i32>
  llvm.mlir.global internal @total() {addr_space = 3 : i32, alignment = 16 : i64} : i32

  // Each block stores the values of 14 special registers in its first thread.
  llvm.func @registers(%out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %count = llvm.mlir.constant(14 : i32) : i32
    %bx = nvvm.read.ptx.sreg.ctaid.x : i32
    %by = nvvm.read.ptx.sreg.ctaid.y : i32
    %bz = nvvm.read.ptx.sreg.ctaid.z : i32
    %gx = nvvm.read.ptx.sreg.nctaid.x : i32
    %gy = nvvm.read.ptx.sreg.nctaid.y : i32
    %b0 = llvm.mul %bz, %gy : i32
    %b1 = llvm.add %b0, %by : i32
    %b2 = llvm.mul %b1, %gx : i32
    %b = llvm.add %b2, %bx : i32
    %start = llvm.mul %b, %count : i32
    %to = llvm.getelementptr %out[%start] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %first = llvm.icmp "eq" %t, %zero : i32
    llvm.cond_br %first, ^store, ^end
  ^store:
    %r0 = nvvm.read.ptx.sreg.clusterid.x : i32
    %r1 = nvvm.read.ptx.sreg.clusterid.y : i32
    %r2 = nvvm.read.ptx.sreg.clusterid.z : i32
    %r3 = nvvm.read.ptx.sreg.nclusterid.x : i32
    %r4 = nvvm.read.ptx.sreg.nclusterid.y : i32
    %r5 = nvvm.read.ptx.sreg.nclusterid.z : i32
    %r6 = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
    %r7 = nvvm.read.ptx.sreg.cluster.ctaid.y : i32
    %r8 = nvvm.read.ptx.sreg.cluster.ctaid.z : i32
    %r9 = nvvm.read.ptx.sreg.cluster.nctaid.x : i32
    %r10 = nvvm.read.ptx.sreg.cluster.nctaid.y : i32
    %r11 = nvvm.read.ptx.sreg.cluster.nctaid.z : i32
    %r12 = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %r13 = nvvm.read.ptx.sreg.cluster.nctarank : i32
    %p1 = llvm.getelementptr %to[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p2 = llvm.getelementptr %to[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p3 = llvm.getelementptr %to[3] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p4 = llvm.getelementptr %to[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p5 = llvm.getelementptr %to[5] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p6 = llvm.getelementptr %to[6] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p7 = llvm.getelementptr %to[7] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p8 = llvm.getelementptr %to[8] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p9 = llvm.getelementptr %to[9] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p10 = llvm.getelementptr %to[10] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p11 = llvm.getelementptr %to[11] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p12 = llvm.getelementptr %to[12] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    %p13 = llvm.getelementptr %to[13] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32
    llvm.store %r0, %to : i32, !llvm.ptr<1>
    llvm.store %r1, %p1 : i32, !llvm.ptr<1>
    llvm.store %r2, %p2 : i32, !llvm.ptr<1>
    llvm.store %r3, %p3 : i32, !llvm.ptr<1>
    llvm.store %r4, %p4 : i32, !llvm.ptr<1>
    llvm.store %r5, %p5 : i32, !llvm.ptr<1>
    llvm.store %r6, %p6 : i32, !llvm.ptr<1>
    llvm.store %r7, %p7 : i32, !llvm.ptr<1>
    llvm.store %r8, %p8 : i32, !llvm.ptr<1>
    llvm.store %r9, %p9 : i32, !llvm.ptr<1>
    llvm.store %r10, %p10 : i32, !llvm.ptr<1>
    llvm.store %r11, %p11 : i32, !llvm.ptr<1>
    llvm.store %r12, %p12 : i32, !llvm.ptr<1>
    llvm.store %r13, %p13 : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }

  // Thread t of block b stores 1000 b + t in the shared memory of all blocks, in the row of the rank of b.
  // Then it sums column t of the rows in its own block. If %start, a cluster barrier (relaxed if %relaxed)
  // precedes the stores. If %between, a cluster barrier separates the stores from the sum.
  llvm.func @push(%out: !llvm.ptr<1>, %start: i1, %relaxed: i1, %between: i1) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %c1000 = llvm.mlir.constant(1000 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %n = nvvm.read.ptx.sreg.ntid.x : i32
    %b = nvvm.read.ptx.sreg.ctaid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %ranks = nvvm.read.ptx.sreg.cluster.nctarank : i32
    %base = llvm.mul %b, %c1000 : i32
    %value = llvm.add %base, %t : i32
    %row = llvm.mul %rank, %n : i32
    %slot = llvm.add %row, %t : i32
    %at = llvm.getelementptr %tile[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.cond_br %start, ^meet, ^push(%zero : i32)
  ^meet:
    llvm.cond_br %relaxed, ^relaxed, ^release
  ^relaxed:
    nvvm.cluster.arrive.relaxed
    nvvm.cluster.wait
    llvm.br ^push(%zero : i32)
  ^release:
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.br ^push(%zero : i32)
  ^push(%i: i32):
    %there = nvvm.mapa %at, %i : !llvm.ptr<3> -> !llvm.ptr<7>
    llvm.store %value, %there : i32, !llvm.ptr<7> loc("push.mlir":1:1)
    %j = llvm.add %i, %one : i32
    %more = llvm.icmp "ult" %j, %ranks : i32
    llvm.cond_br %more, ^push(%j : i32), ^pushed
  ^pushed:
    llvm.cond_br %between, ^sync, ^sum(%zero, %zero : i32, i32)
  ^sync:
    nvvm.cluster.arrive {aligned}
    nvvm.cluster.wait {aligned}
    llvm.br ^sum(%zero, %zero : i32, i32)
  ^sum(%k: i32, %sum: i32):
    %first = llvm.mul %k, %n : i32
    %from_slot = llvm.add %first, %t : i32
    %from = llvm.getelementptr %tile[%from_slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %from : !llvm.ptr<3> -> i32 loc("push.mlir":2:2)
    %new = llvm.add %sum, %v : i32
    %next = llvm.add %k, %one : i32
    %again = llvm.icmp "ult" %next, %ranks : i32
    llvm.cond_br %again, ^sum(%next, %new : i32, i32), ^store
  ^store:
    %block = llvm.mul %b, %n : i32
    %index = llvm.add %block, %t : i32
    %to = llvm.getelementptr %out[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %new, %to : i32, !llvm.ptr<1>
    llvm.return
  }

  // Thread t of block b stores 0 and then 1000 b + t in its own block. Then it sums the values of the
  // threads t of all blocks, through generic pointers. Bits 0, 1 and 2 of %barriers enable a cluster barrier
  // between the two stores, before the sum, and after the sum.
  llvm.func @pull(%out: !llvm.ptr<1>, %barriers: i32) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %c1000 = llvm.mlir.constant(1000 : i32) : i32
    %has0 = llvm.trunc %barriers : i32 to i1
    %bits1 = llvm.lshr %barriers, %one : i32
    %has1 = llvm.trunc %bits1 : i32 to i1
    %bits2 = llvm.lshr %barriers, %two : i32
    %has2 = llvm.trunc %bits2 : i32 to i1
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %n = nvvm.read.ptx.sreg.ntid.x : i32
    %b = nvvm.read.ptx.sreg.ctaid.x : i32
    %ranks = nvvm.read.ptx.sreg.cluster.nctarank : i32
    %base = llvm.mul %b, %c1000 : i32
    %value = llvm.add %base, %t : i32
    %at = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %generic = llvm.addrspacecast %at : !llvm.ptr<3> to !llvm.ptr
    llvm.store %zero, %at : i32, !llvm.ptr<3>
    llvm.cond_br %has0, ^sync0, ^write
  ^sync0:
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.br ^write
  ^write:
    llvm.store %value, %at : i32, !llvm.ptr<3> loc("pull.mlir":1:1)
    llvm.cond_br %has1, ^sync1, ^sum(%zero, %zero : i32, i32)
  ^sync1:
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.br ^sum(%zero, %zero : i32, i32)
  ^sum(%k: i32, %sum: i32):
    %from = nvvm.mapa %generic, %k : !llvm.ptr -> !llvm.ptr
    %v = llvm.load %from : !llvm.ptr -> i32 loc("pull.mlir":2:2)
    %new = llvm.add %sum, %v : i32
    %next = llvm.add %k, %one : i32
    %again = llvm.icmp "ult" %next, %ranks : i32
    llvm.cond_br %again, ^sum(%next, %new : i32, i32), ^summed
  ^summed:
    llvm.cond_br %has2, ^sync2, ^store
  ^sync2:
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.br ^store
  ^store:
    %block = llvm.mul %b, %n : i32
    %index = llvm.add %block, %t : i32
    %to = llvm.getelementptr %out[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %new, %to : i32, !llvm.ptr<1>
    llvm.return
  }

  // Each thread stores 0 and, after a cluster barrier, its index: before the next arrival, or after it if
  // %late. The arrival is relaxed if %relaxed. After the wait, it reads the same word of the next block.
  llvm.func @split(%late: i1, %relaxed: i1) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %ranks = nvvm.read.ptx.sreg.cluster.nctarank : i32
    %next0 = llvm.add %rank, %one : i32
    %next = llvm.urem %next0, %ranks : i32
    %at = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %zero, %at : i32, !llvm.ptr<3>
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.cond_br %late, ^arrive, ^early
  ^early:
    llvm.store %t, %at : i32, !llvm.ptr<3> loc("split.mlir":1:1)
    llvm.br ^arrive
  ^arrive:
    llvm.cond_br %relaxed, ^relaxed, ^release
  ^relaxed:
    nvvm.cluster.arrive.relaxed
    llvm.br ^arrived
  ^release:
    nvvm.cluster.arrive
    llvm.br ^arrived
  ^arrived:
    llvm.cond_br %late, ^between, ^wait
  ^between:
    llvm.store %t, %at : i32, !llvm.ptr<3> loc("split.mlir":2:2)
    llvm.br ^wait
  ^wait:
    nvvm.cluster.wait
    %there = nvvm.mapa %at, %next : !llvm.ptr<3> -> !llvm.ptr<7>
    %v = llvm.load %there : !llvm.ptr<7> -> i32 loc("split.mlir":3:3)
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }

  // Between arrival and wait, a block barrier orders a store of thread 0 before the reads of its block.
  // If %other, thread t also reads the word of the next block, which is not ordered after its store.
  llvm.func @block_barrier_inside(%other: i1) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %ranks = nvvm.read.ptx.sreg.cluster.nctarank : i32
    %next0 = llvm.add %rank, %one : i32
    %next = llvm.urem %next0, %ranks : i32
    %first = llvm.icmp "eq" %t, %zero : i32
    nvvm.cluster.arrive
    llvm.cond_br %first, ^write, ^written
  ^write:
    llvm.store %one, %tile : i32, !llvm.ptr<3>
    llvm.br ^written
  ^written:
    nvvm.barrier0
    %v = llvm.load %tile : !llvm.ptr<3> -> i32
    nvvm.cluster.wait
    llvm.cond_br %other, ^read, ^end
  ^read:
    %there = nvvm.mapa %tile, %next : !llvm.ptr<3> -> !llvm.ptr<7>
    %w = llvm.load %there : !llvm.ptr<7> -> i32
    llvm.br ^end
  ^end:
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }

  // Each thread stores its index. After a block barrier, each thread reads the value of the last thread in
  // the block %offset ranks after its own block.
  llvm.func @block_barrier(%offset: i32) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %n = nvvm.read.ptx.sreg.ntid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %ranks = nvvm.read.ptx.sreg.cluster.nctarank : i32
    %next0 = llvm.add %rank, %offset : i32
    %next = llvm.urem %next0, %ranks : i32
    %at = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %last = llvm.sub %n, %one : i32
    %from = llvm.getelementptr %tile[%last] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %zero, %at : i32, !llvm.ptr<3>
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.store %t, %at : i32, !llvm.ptr<3> loc("block.mlir":1:1)
    nvvm.barrier0
    %there = nvvm.mapa %from, %next : !llvm.ptr<3> -> !llvm.ptr<7>
    %v = llvm.load %there : !llvm.ptr<7> -> i32 loc("block.mlir":2:2)
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }

  // Every thread adds 1 to a word in the block of rank %rank, at an offset of %past bytes. The first thread
  // of that block stores the sum.
  llvm.func @add(%out: !llvm.ptr<1>, %rank: i32, %past: i32) attributes {gpu.kernel, nvvm.kernel} {
    %total = llvm.mlir.addressof @total : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %mine = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %cluster = nvvm.read.ptx.sreg.clusterid.x : i32
    %own = llvm.icmp "eq" %mine, %rank : i32
    %first = llvm.icmp "eq" %t, %zero : i32
    %leads = llvm.and %own, %first : i1
    llvm.cond_br %leads, ^init, ^ready
  ^init:
    llvm.store %zero, %total : i32, !llvm.ptr<3>
    llvm.br ^ready
  ^ready:
    nvvm.cluster.arrive
    nvvm.cluster.wait
    %at = llvm.getelementptr %total[%past] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %there = nvvm.mapa %at, %rank : !llvm.ptr<3> -> !llvm.ptr<7> loc("add.mlir":1:1)
    %old = llvm.atomicrmw add %there, %one monotonic : !llvm.ptr<7>, i32 loc("add.mlir":2:2)
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.cond_br %leads, ^store, ^end
  ^store:
    %sum = llvm.load %total : !llvm.ptr<3> -> i32
    %to = llvm.getelementptr %out[%cluster] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %sum, %to : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }

  // A pointer in the shared address space of one block is used for another block.
  llvm.func @own_only() attributes {gpu.kernel, nvvm.kernel} {
    %total = llvm.mlir.addressof @total : !llvm.ptr<3>
    %one = llvm.mlir.constant(1 : i32) : i32
    nvvm.cluster.arrive
    nvvm.cluster.wait
    %there = nvvm.mapa %total, %one : !llvm.ptr<3> -> !llvm.ptr<7>
    %as_own = llvm.addrspacecast %there : !llvm.ptr<7> to !llvm.ptr<3>
    %old = llvm.atomicrmw add %as_own, %one monotonic : !llvm.ptr<3>, i32 loc("own.mlir":1:1)
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.return
  }

  // Thread 0 of the block of rank 1 arrives twice, waits without an arrival, exits, exits after its arrival,
  // or waits at a block barrier, for %what from 0 to 4. All other threads arrive and wait.
  llvm.func @wrong(%what: i32) attributes {gpu.kernel, nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %two = llvm.mlir.constant(2 : i32) : i32
    %three = llvm.mlir.constant(3 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %first = llvm.icmp "eq" %t, %zero : i32
    %second = llvm.icmp "eq" %rank, %one : i32
    %errs = llvm.and %first, %second : i1
    llvm.cond_br %errs, ^errs, ^others
  ^others:
    nvvm.cluster.arrive loc("wrong.mlir":1:1)
    nvvm.cluster.wait loc("wrong.mlir":2:2)
    llvm.return
  ^errs:
    llvm.switch %what : i32, ^barrier [
      0: ^twice,
      1: ^wait,
      2: ^leave,
      3: ^arrive
    ]
  ^twice:
    nvvm.cluster.arrive loc("wrong.mlir":3:3)
    nvvm.cluster.arrive loc("wrong.mlir":4:4)
    llvm.return
  ^wait:
    nvvm.cluster.wait loc("wrong.mlir":5:5)
    llvm.return
  ^leave:
    llvm.return
  ^arrive:
    nvvm.cluster.arrive
    llvm.return
  ^barrier:
    nvvm.barrier0 loc("wrong.mlir":6:6)
    llvm.return
  }

  // Block b stores b + 1, executes a fence and counts. The last block executes a fence and sums all values.
  llvm.func @last_block(%out: !llvm.ptr<1>, %parts: !llvm.ptr<1>, %counter: !llvm.ptr<1>, %fences: i1) attributes {gpu.kernel, nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %b = nvvm.read.ptx.sreg.ctaid.x : i32
    %n = nvvm.read.ptx.sreg.nctaid.x : i32
    %value = llvm.add %b, %one : i32
    %at = llvm.getelementptr %parts[%b] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %value, %at : i32, !llvm.ptr<1>
    llvm.cond_br %fences, ^fence, ^count
  ^fence:
    llvm.fence syncscope("device") acq_rel
    llvm.br ^count
  ^count:
    %old = llvm.atomicrmw add %counter, %one monotonic : !llvm.ptr<1>, i32
    %now = llvm.add %old, %one : i32
    %last = llvm.icmp "eq" %now, %n : i32
    llvm.cond_br %last, ^last, ^end
  ^last:
    llvm.fence syncscope("device") acq_rel
    llvm.br ^sum(%zero, %zero : i32, i32)
  ^sum(%k: i32, %sum: i32):
    %from = llvm.getelementptr %parts[%k] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %from : !llvm.ptr<1> -> i32
    %new = llvm.add %sum, %v : i32
    %next = llvm.add %k, %one : i32
    %again = llvm.icmp "ult" %next, %n : i32
    llvm.cond_br %again, ^sum(%next, %new : i32, i32), ^store
  ^store:
    llvm.store %new, %out : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
    llvm.return
  }

  // For a cluster of 2 x 2 x 1 blocks.
  llvm.func @of_size() attributes {gpu.kernel, nvvm.kernel, nvvm.cluster_dim = array<i32: 2, 2, 1>} {
    llvm.return
  }

  // In each of %times rounds, each thread passes its value to the thread of the same index in the next block.
  llvm.func @rounds(%out: !llvm.ptr<1>, %times: i32) attributes {gpu.kernel, nvvm.kernel} {
    %tile = llvm.mlir.addressof @tile : !llvm.ptr<3>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %n = nvvm.read.ptx.sreg.ntid.x : i32
    %b = nvvm.read.ptx.sreg.ctaid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %ranks = nvvm.read.ptx.sreg.cluster.nctarank : i32
    %next0 = llvm.add %rank, %one : i32
    %next = llvm.urem %next0, %ranks : i32
    %last0 = llvm.sub %n, %one : i32
    %mirror = llvm.sub %last0, %t : i32
    %at = llvm.getelementptr %tile[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %from = llvm.getelementptr %tile[%mirror] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %there = nvvm.mapa %at, %next : !llvm.ptr<3> -> !llvm.ptr<7>
    nvvm.cluster.arrive
    nvvm.cluster.wait
    llvm.br ^loop(%zero, %t : i32, i32)
  ^loop(%i: i32, %v: i32):
    llvm.store %v, %there : i32, !llvm.ptr<7>
    nvvm.cluster.arrive
    nvvm.cluster.wait
    // After two reversals in the block, the index is that of the thread itself.
    %w = llvm.load %from : !llvm.ptr<3> -> i32
    nvvm.barrier0
    llvm.store %w, %at : i32, !llvm.ptr<3>
    nvvm.barrier0
    %x0 = llvm.load %from : !llvm.ptr<3> -> i32
    %x = llvm.add %x0, %one : i32
    nvvm.cluster.arrive
    nvvm.cluster.wait
    %j = llvm.add %i, %one : i32
    %more = llvm.icmp "ult" %j, %times : i32
    llvm.cond_br %more, ^loop(%j, %x : i32, i32), ^end
  ^end:
    %block = llvm.mul %b, %n : i32
    %index = llvm.add %block, %t : i32
    %to = llvm.getelementptr %out[%index] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %x, %to : i32, !llvm.ptr<1>
    llvm.return
  }
}
