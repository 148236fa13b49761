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
  }
}
