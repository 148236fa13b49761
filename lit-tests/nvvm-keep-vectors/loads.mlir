// RUN: tx-opt %s --nvvm-keep-vectors

// The address of a vector load from global memory is made opaque, so that LLVM does not merge loads.

// CHECK-LABEL: llvm.func @vector(
// CHECK-SAME:    %[[P:[^:]+]]: !llvm.ptr,
// CHECK:         %[[G:.+]] = llvm.addrspacecast %[[P]] : !llvm.ptr to !llvm.ptr<1>
// CHECK-NEXT:    %[[Q:.+]] = llvm.intr.launder.invariant.group %[[G]] : !llvm.ptr<1>
// CHECK-NEXT:    llvm.load %[[Q]] {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
gpu.module @kernels {
  llvm.func @vector(%p: !llvm.ptr, %q: !llvm.ptr) attributes {nvvm.kernel} {
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
    llvm.store %v, %q : vector<4xf32>, !llvm.ptr
    llvm.return
  }

  // The address may come from a `getelementptr`, or be in global memory already.
  // CHECK-LABEL: llvm.func @elements(
  // CHECK-SAME:    %{{[^:]+}}: !llvm.ptr, %[[G:[^:]+]]: !llvm.ptr<1>
  // CHECK:         %[[AT:.+]] = llvm.getelementptr
  // CHECK-NEXT:    %[[H:.+]] = llvm.addrspacecast %[[AT]]
  // CHECK-NEXT:    %[[Q:.+]] = llvm.intr.launder.invariant.group %[[H]]
  // CHECK-NEXT:    llvm.load %[[Q]]
  // CHECK-NEXT:    %[[R:.+]] = llvm.intr.launder.invariant.group %[[G]]
  // CHECK-NEXT:    llvm.load %[[R]]
  llvm.func @elements(%p: !llvm.ptr, %g: !llvm.ptr<1>, %q: !llvm.ptr) attributes {nvvm.kernel} {
    %at = llvm.getelementptr %p[2] : (!llvm.ptr) -> !llvm.ptr, f64
    %v = llvm.load %at {alignment = 16 : i64} : !llvm.ptr -> vector<2xf64>
    %w = llvm.load %g {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xf16>
    llvm.store %v, %q : vector<2xf64>, !llvm.ptr
    llvm.store %w, %q : vector<4xf16>, !llvm.ptr
    llvm.return
  }

  // Loads that stay: of one element, volatile, from shared memory, and from an unknown address space.
  // CHECK-LABEL: llvm.func @others(
  // CHECK-NOT:     launder
  // CHECK-COUNT-4: llvm.load
  // CHECK-NOT:     launder
  llvm.func @others(%p: !llvm.ptr, %s: !llvm.ptr<3>, %n: i64) attributes {nvvm.kernel} {
    %a = llvm.load %p : !llvm.ptr -> f32
    %b = llvm.load volatile %p : !llvm.ptr -> vector<4xf32>
    %c = llvm.load %s : !llvm.ptr<3> -> vector<4xf32>
    %at = llvm.inttoptr %n : i64 to !llvm.ptr
    %d = llvm.load %at : !llvm.ptr -> vector<4xf32>
    %bc = llvm.fadd %b, %c : vector<4xf32>
    %bcd = llvm.fadd %bc, %d : vector<4xf32>
    llvm.store %a, %p : f32, !llvm.ptr
    llvm.store %bcd, %p : vector<4xf32>, !llvm.ptr
    llvm.return
  }
}
