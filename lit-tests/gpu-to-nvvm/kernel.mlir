// RUN: tx-opt %s --gpu-to-nvvm=chip=sm_90

// A kernel of the gpu dialect becomes a kernel of the llvm and nvvm dialects, for PTX emission and for
// the executor. No op of another dialect remains. The block size and the address spaces of shared memory
// stay.
// CHECK-NOT:   {{ (gpu\.[a-z]+ @|gpu\.thread|gpu\.shuffle|gpu\.barrier|scf\.|cf\.|arith\.|memref\.|vector\.)}}
// CHECK:       gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx81">]
// CHECK-NOT:   {{(gpu\.thread|gpu\.shuffle|gpu\.barrier|scf\.| cf\.|arith\.|memref\.|vector\.)}}
// CHECK:         llvm.mlir.global internal @[[S:.+]]() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<64 x f32>
// CHECK:         llvm.func @pairs({{.*}}) attributes {gpu.kernel, gpu.known_block_size = array<i32: 64, 1, 1>, nvvm.kernel,
// CHECK-SAME:      {{(nvvm.maxntid|nvvm.reqntid)}} = array<i32: 64, 1, 1>
// CHECK-NOT:       {{(gpu\.thread|gpu\.shuffle|gpu\.barrier|scf\.| cf\.|arith\.|memref\.|vector\.)}}
// CHECK-DAG:       llvm.mlir.addressof @[[S]] : !llvm.ptr<3>
// CHECK-DAG:       nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
// CHECK:           %[[X:.+]] = llvm.load %{{.+}} : !llvm.ptr -> f32
// CHECK:           %[[Y:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[X]], %{{.+}} : f32 -> f32
// CHECK:           %[[Z:.+]] = llvm.fadd %[[X]], %[[Y]]
// CHECK:           llvm.store %[[Z]], %{{.+}} : f32, !llvm.ptr<3>
// CHECK:           nvvm.barrier
// CHECK:           llvm.cond_br
// CHECK:           llvm.store %{{.+}} : f32, !llvm.ptr
// CHECK:           llvm.return
// CHECK-NOT:       {{(gpu\.thread|gpu\.shuffle|gpu\.barrier|scf\.| cf\.|arith\.|memref\.|vector\.)}}
gpu.module @kernels {
  gpu.func @pairs(%A: memref<64xf32>, %B: memref<f32>)
      workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    %y, %p = gpu.shuffle xor %x, %c1, %c32 : f32
    %z = arith.addf %x, %y : f32
    memref.store %z, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %v = memref.load %S[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %v, %B[] : memref<f32>
    }
    gpu.return
  }
}
