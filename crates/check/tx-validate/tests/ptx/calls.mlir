// 3 shuffles
gpu.module @kernels {
  // Called once outside of loops and once in one.
  llvm.func @exchange(%x: f32) -> f32 attributes {no_inline} {
    %all = llvm.mlir.constant(-1 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %clamp = llvm.mlir.constant(31 : i32) : i32
    nvvm.barrier0
    %y = nvvm.shfl.sync bfly %all, %x, %one, %clamp : f32 -> f32
    nvvm.barrier0
    llvm.return %y : f32
  }
  gpu.func @calls(%A: memref<?xf32>, %n: index)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<?xf32>
    %y = llvm.call @exchange(%x) : (f32) -> f32
    %z = scf.for %i = %c0 to %n step %c1 iter_args(%s = %y) -> f32 {
      %r = llvm.call @exchange(%s) : (f32) -> f32
      scf.yield %r : f32
    }
    %v = llvm.call @exchange(%z) : (f32) -> f32
    memref.store %v, %A[%t] : memref<?xf32>
    gpu.return
  }
}
