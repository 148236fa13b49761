// RUN: tx-opt %s --convert-gpu-shuffle-to-nvvm

gpu.module @kernels {
  // Values of 32 bits are shuffled without conversion.
  // CHECK-LABEL: gpu.func @words
  // CHECK-SAME:    (%[[I:.+]]: i32, %[[F:.+]]: f32,
  // CHECK-NOT:     bitcast
  // CHECK-DAG:     nvvm.shfl.sync bfly %{{.+}}, %[[I]], %{{.+}}, %{{.+}} : i32 -> i32
  // CHECK-DAG:     nvvm.shfl.sync bfly %{{.+}}, %[[F]], %{{.+}}, %{{.+}} : f32 -> f32
  // CHECK-NOT:     bitcast
  // CHECK:         gpu.return
  gpu.func @words(%i: i32, %f: f32, %o: i32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %a, %pa = gpu.shuffle xor %i, %o, %c32 : i32
    %b, %pb = gpu.shuffle xor %f, %o, %c32 : f32
    gpu.return
  }

  // Narrower integers are zero-extended, and truncated after the shuffle.
  // CHECK-LABEL: gpu.func @narrow_integers
  // CHECK-SAME:    (%[[I1:.+]]: i1, %[[I8:.+]]: i8, %[[I16:.+]]: i16,
  // CHECK:         %[[WIDE:.+]] = arith.extui %[[I1]] : i1 to i32
  // CHECK-NEXT:    %[[MOVED:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[WIDE]], %{{.+}} : i32 -> i32
  // CHECK-NEXT:    arith.trunci %[[MOVED]] : i32 to i1
  // CHECK:         %[[WIDE:.+]] = arith.extui %[[I8]] : i8 to i32
  // CHECK-NEXT:    %[[MOVED:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[WIDE]], %{{.+}} : i32 -> i32
  // CHECK-NEXT:    arith.trunci %[[MOVED]] : i32 to i8
  // CHECK:         %[[WIDE:.+]] = arith.extui %[[I16]] : i16 to i32
  // CHECK-NEXT:    %[[MOVED:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[WIDE]], %{{.+}} : i32 -> i32
  // CHECK-NEXT:    arith.trunci %[[MOVED]] : i32 to i16
  gpu.func @narrow_integers(%i1: i1, %i8: i8, %i16: i16, %o: i32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %a, %pa = gpu.shuffle xor %i1, %o, %c32 : i1
    %b, %pb = gpu.shuffle xor %i8, %o, %c32 : i8
    %c, %pc = gpu.shuffle xor %i16, %o, %c32 : i16
    gpu.return
  }

  // Narrower floats are bitcast, not converted, so that a NaN keeps its bits.
  // CHECK-LABEL: gpu.func @narrow_floats
  // CHECK-SAME:    (%[[H:.+]]: f16, %[[B:.+]]: bf16, %[[E:.+]]: f8E4M3FN,
  // CHECK-NOT:     arith.extf
  // CHECK:         %[[BITS:.+]] = arith.bitcast %[[H]] : f16 to i16
  // CHECK-NEXT:    %[[WIDE:.+]] = arith.extui %[[BITS]] : i16 to i32
  // CHECK-NEXT:    %[[MOVED:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[WIDE]], %{{.+}} : i32 -> i32
  // CHECK-NEXT:    %[[NARROW:.+]] = arith.trunci %[[MOVED]] : i32 to i16
  // CHECK-NEXT:    arith.bitcast %[[NARROW]] : i16 to f16
  // CHECK:         arith.bitcast %[[B]] : bf16 to i16
  // CHECK:         arith.bitcast %{{.+}} : i16 to bf16
  // CHECK:         arith.bitcast %[[E]] : f8E4M3FN to i8
  // CHECK:         arith.bitcast %{{.+}} : i8 to f8E4M3FN
  // CHECK-NOT:     arith.truncf
  // CHECK:         gpu.return
  gpu.func @narrow_floats(%h: f16, %b: bf16, %e: f8E4M3FN, %o: i32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %x, %px = gpu.shuffle xor %h, %o, %c32 : f16
    %y, %py = gpu.shuffle xor %b, %o, %c32 : bf16
    %z, %pz = gpu.shuffle xor %e, %o, %c32 : f8E4M3FN
    gpu.return
  }

  // Values of 64 bits are shuffled in two halves, low and high.
  // CHECK-LABEL: gpu.func @i64
  // CHECK-SAME:    (%[[X:.+]]: i64,
  // CHECK:         %[[LOW:.+]] = arith.trunci %[[X]] : i64 to i32
  // CHECK:         %[[UP:.+]] = arith.shrui %[[X]], %[[C32:.+]] : i64
  // CHECK:         %[[HIGH:.+]] = arith.trunci %[[UP]] : i64 to i32
  // CHECK:         %[[LOW2:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[LOW]],
  // CHECK:         %[[HIGH2:.+]] = nvvm.shfl.sync bfly %{{.+}}, %[[HIGH]],
  // CHECK:         %[[L:.+]] = arith.extui %[[LOW2]] : i32 to i64
  // CHECK:         %[[H:.+]] = arith.extui %[[HIGH2]] : i32 to i64
  // CHECK:         %[[BACK:.+]] = arith.shli %[[H]], %[[C32]] : i64
  // CHECK:         arith.ori %[[L]], %[[BACK]] : i64
  // CHECK-NOT:     nvvm.shfl.sync
  gpu.func @i64(%x: i64, %o: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %a, %p = gpu.shuffle xor %x, %o, %c32 : i64
    gpu.return
  }

  // f64 is bitcast and shuffled in two halves.
  // CHECK-LABEL: gpu.func @f64
  // CHECK-SAME:    (%[[X:.+]]: f64,
  // CHECK:         arith.bitcast %[[X]] : f64 to i64
  // CHECK-COUNT-2: nvvm.shfl.sync
  // CHECK-NOT:     nvvm.shfl.sync
  // CHECK:         arith.bitcast %{{.+}} : i64 to f64
  gpu.func @f64(%x: f64, %o: i32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c32 = arith.constant 32 : i32
    %a, %p = gpu.shuffle xor %x, %o, %c32 : f64
    gpu.return
  }
}
