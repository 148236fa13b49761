// 18 atomics, 3 fences
gpu.module @kernels {
  gpu.func @atomics(%A: memref<64xi32>, %i: i32, %w: i64, %b: i8, %f: f32, %d: f64, %h: f16, %g: bf16)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %address = memref.extract_aligned_pointer_as_index %A : memref<64xi32> -> index
    %word = arith.index_cast %address : index to i64
    %q = llvm.inttoptr %word : i64 to !llvm.ptr
    %p = llvm.addrspacecast %q : !llvm.ptr to !llvm.ptr<1>
    %0 = llvm.atomicrmw add %p, %i acq_rel : !llvm.ptr<1>, i32
    %1 = llvm.atomicrmw sub %q, %i monotonic : !llvm.ptr, i32
    %2 = llvm.atomicrmw umax %p, %w syncscope("device") monotonic : !llvm.ptr<1>, i64
    %3 = llvm.atomicrmw min %p, %i seq_cst : !llvm.ptr<1>, i32
    %4 = llvm.atomicrmw xchg %p, %f monotonic : !llvm.ptr<1>, f32
    %5 = llvm.atomicrmw _xor %p, %w monotonic : !llvm.ptr<1>, i64
    %6 = llvm.atomicrmw fadd %p, %f monotonic : !llvm.ptr<1>, f32
    %7 = llvm.atomicrmw fadd %p, %d monotonic : !llvm.ptr<1>, f64
    %8 = llvm.atomicrmw fadd %p, %h monotonic : !llvm.ptr<1>, f16
    %9 = llvm.atomicrmw uinc_wrap %p, %i monotonic : !llvm.ptr<1>, i32
    // Loops of compare-and-swap.
    %10 = llvm.atomicrmw fmax %p, %f acq_rel : !llvm.ptr<1>, f32
    %11 = llvm.atomicrmw nand %p, %w seq_cst : !llvm.ptr<1>, i64
    %12 = llvm.atomicrmw add %p, %b acq_rel : !llvm.ptr<1>, i8
    // One instruction from sm_90 on.
    %13 = llvm.atomicrmw fadd %p, %g seq_cst : !llvm.ptr<1>, bf16
    %14 = llvm.cmpxchg %p, %i, %i acq_rel monotonic : !llvm.ptr<1>, i32
    %15 = llvm.cmpxchg %p, %w, %w syncscope("device") seq_cst seq_cst : !llvm.ptr<1>, i64
    %16 = llvm.cmpxchg %p, %b, %b acq_rel monotonic : !llvm.ptr<1>, i8
    %17 = llvm.call_intrinsic "llvm.nvvm.atomic.add.gen.i.cta"(%q, %i) : (!llvm.ptr, i32) -> i32
    %18 = llvm.load %p atomic seq_cst {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    llvm.store %18, %q atomic seq_cst {alignment = 4 : i64} : i32, !llvm.ptr
    gpu.return
  }
}
