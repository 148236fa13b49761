// Kernels for the executor. `row_sums`: y[row] = sum over columns of x[row, column], times factor, one thread a row.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @row_sums(%xa: !llvm.ptr, %x: !llvm.ptr, %xo: i64, %rows: i64, %columns: i64, %xs0: i64, %xs1: i64,
                        %ya: !llvm.ptr, %y: !llvm.ptr, %yo: i64, %n: i64, %ys0: i64, %factor: f32)
        attributes {gpu.kernel, nvvm.kernel} {
      %zero = llvm.mlir.constant(0.0 : f32) : f32
      %c0 = llvm.mlir.constant(0 : i64) : i64
      %c1 = llvm.mlir.constant(1 : i64) : i64
      %block = nvvm.read.ptx.sreg.ctaid.x : i32
      %size = nvvm.read.ptx.sreg.ntid.x : i32
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %start = llvm.mul %block, %size : i32
      %row32 = llvm.add %start, %thread : i32
      %row = llvm.sext %row32 : i32 to i64
      %inside = llvm.icmp "slt" %row, %rows : i64
      llvm.cond_br %inside, ^loop(%c0, %zero : i64, f32), ^exit
    ^loop(%column: i64, %sum: f32):
      %more = llvm.icmp "slt" %column, %columns : i64
      llvm.cond_br %more, ^body, ^store
    ^body:
      %a = llvm.mul %row, %xs0 : i64
      %b = llvm.mul %column, %xs1 : i64
      %c = llvm.add %a, %b : i64
      %d = llvm.add %c, %xo : i64
      %p = llvm.getelementptr %x[%d] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p : !llvm.ptr -> f32
      %next_sum = llvm.fadd %sum, %v : f32
      %next = llvm.add %column, %c1 : i64
      llvm.br ^loop(%next, %next_sum : i64, f32)
    ^store:
      %scaled = llvm.fmul %sum, %factor : f32
      %e = llvm.mul %row, %ys0 : i64
      %f = llvm.add %e, %yo : i64
      %q = llvm.getelementptr %y[%f] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %scaled, %q : f32, !llvm.ptr
      llvm.br ^exit
    ^exit:
      llvm.return
    }
    llvm.func @everyone_writes(%ya: !llvm.ptr, %y: !llvm.ptr, %yo: i64, %n: i64, %ys0: i64)
        attributes {gpu.kernel, nvvm.kernel} {
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      llvm.store %thread, %y : i32, !llvm.ptr loc("source.mlir":7:5)
      llvm.return
    }
    llvm.func @beyond_the_end(%ya: !llvm.ptr, %y: !llvm.ptr, %yo: i64, %n: i64, %ys0: i64)
        attributes {gpu.kernel, nvvm.kernel} {
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %q = llvm.getelementptr %y[%n] : (!llvm.ptr, i64) -> !llvm.ptr, i32
      llvm.store %thread, %q : i32, !llvm.ptr loc("source.mlir":9:3)
      llvm.return
    }
    // Each block stores its rank in the cluster into the shared memory of the next, which stores it, plus ten times how many
    // blocks a cluster has, behind a barrier of the cluster; without that the block may not have begun.
    llvm.mlir.global internal @slot() {addr_space = 3 : i32, alignment = 16 : i64} : i32
    llvm.func @cluster_ranks(%ya: !llvm.ptr, %y: !llvm.ptr, %yo: i64, %n: i64, %ys0: i64)
        attributes {gpu.kernel, nvvm.kernel} {
      %slot = llvm.mlir.addressof @slot : !llvm.ptr<3>
      %one = llvm.mlir.constant(1 : i32) : i32
      %ten = llvm.mlir.constant(10 : i32) : i32
      %block = nvvm.read.ptx.sreg.ctaid.x : i32
      %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
      %ranks = nvvm.read.ptx.sreg.cluster.nctarank : i32
      %after = llvm.add %rank, %one : i32
      %next = llvm.urem %after, %ranks : i32
      %there = nvvm.mapa %slot, %next : !llvm.ptr<3> -> !llvm.ptr<7>
      nvvm.cluster.arrive
      nvvm.cluster.wait
      llvm.store %rank, %there : i32, !llvm.ptr<7>
      nvvm.cluster.arrive
      nvvm.cluster.wait
      %before = llvm.load %slot : !llvm.ptr<3> -> i32
      %tens = llvm.mul %ranks, %ten : i32
      %sum = llvm.add %before, %tens : i32
      %q = llvm.getelementptr %y[%block] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      llvm.store %sum, %q : i32, !llvm.ptr
      llvm.return
    }
    llvm.func @too_early(%ya: !llvm.ptr, %y: !llvm.ptr, %yo: i64, %n: i64, %ys0: i64)
        attributes {gpu.kernel, nvvm.kernel} {
      %slot = llvm.mlir.addressof @slot : !llvm.ptr<3>
      %one = llvm.mlir.constant(1 : i32) : i32
      %there = nvvm.mapa %slot, %one : !llvm.ptr<3> -> !llvm.ptr<7>
      llvm.store %one, %there : i32, !llvm.ptr<7> loc("source.mlir":11:5)
      llvm.return
    }
  }
}
