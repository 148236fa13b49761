// RUN: tx-opt %s --convert-gpu-shuffle-to-nvvm

gpu.module @kernels {
  // Only a shuffle whose `valid` result is used requests the predicate.
  // CHECK-LABEL: gpu.func @used
  // CHECK-SAME:    (%[[X:.+]]: f32, %[[O:.+]]: i32, %[[M:.+]]: memref<f32>)
  // CHECK:         %[[BOTH:.+]] = nvvm.shfl.sync down %{{.+}}, %[[X]], %[[O]], %{{.+}} {return_value_and_is_valid} : f32 -> !llvm.struct<(f32, i1)>
  // CHECK-DAG:     %[[Y:.+]] = llvm.extractvalue %[[BOTH]][0]
  // CHECK-DAG:     %[[P:.+]] = llvm.extractvalue %[[BOTH]][1]
  // CHECK:         scf.if %[[P]]
  // CHECK-NEXT:      memref.store %[[Y]]
  gpu.func @used(%x: f32, %o: i32, %m: memref<f32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %y, %p = gpu.shuffle down %x, %o, %c32 : f32
    scf.if %p {
      memref.store %y, %m[] : memref<f32>
    }
    gpu.return
  }

  // Without uses of `valid`, only the value is returned.
  // CHECK-LABEL: gpu.func @unused
  // CHECK:         %[[Y:.+]] = nvvm.shfl.sync down %{{.+}} : f32 -> f32
  // CHECK-NOT:     llvm.extractvalue
  // CHECK:         memref.store %[[Y]]
  gpu.func @unused(%x: f32, %o: i32, %m: memref<f32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %y, %p = gpu.shuffle down %x, %o, %c32 : f32
    memref.store %y, %m[] : memref<f32>
    gpu.return
  }

  // Both halves of a 64-bit value come from one lane, so one predicate is enough.
  // CHECK-LABEL: gpu.func @two_halves
  // CHECK-COUNT-2: nvvm.shfl.sync down
  // CHECK-NOT:     nvvm.shfl.sync
  // CHECK:         scf.if %{{.+}} {
  gpu.func @two_halves(%x: f64, %o: i32, %m: memref<f64>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %y, %p = gpu.shuffle down %x, %o, %c32 : f64
    scf.if %p {
      memref.store %y, %m[] : memref<f64>
    }
    gpu.return
  }

  // A shuffle of a narrow value also returns a predicate.
  // CHECK-LABEL: gpu.func @narrow
  // CHECK:         %[[BOTH:.+]] = nvvm.shfl.sync up %{{.+}} {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
  // CHECK-DAG:     %[[WIDE:.+]] = llvm.extractvalue %[[BOTH]][0]
  // CHECK-DAG:     %[[P:.+]] = llvm.extractvalue %[[BOTH]][1]
  // CHECK-DAG:     arith.trunci %[[WIDE]] : i32 to i16
  // CHECK:         scf.if %[[P]]
  gpu.func @narrow(%x: f16, %o: i32, %m: memref<f16>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %y, %p = gpu.shuffle up %x, %o, %c32 : f16
    scf.if %p {
      memref.store %y, %m[] : memref<f16>
    }
    gpu.return
  }
}
