// RUN: tx-opt %s --nvvm-expand-cache-hints

// A nontemporal load, whose mark LLVM would drop, becomes inline PTX.

// A vector of four words: one load of 16 bytes, from an address converted to global memory.
// CHECK-LABEL: llvm.func @vector(
// CHECK-SAME:    %[[P:[^:]+]]: !llvm.ptr,
// CHECK:         %[[G:.+]] = llvm.addrspacecast %[[P]] : !llvm.ptr to !llvm.ptr<1>
// CHECK:         llvm.inline_asm has_side_effects "ld.global.cs.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,~{memory}" %[[G]]
// CHECK-COUNT-4: llvm.insertelement
// CHECK:         %[[V:.+]] = llvm.bitcast %{{.+}} : vector<4xi32> to vector<4xf32>
// CHECK-NOT:     llvm.load
// CHECK:         llvm.store %[[V]]
gpu.module @kernels {
  llvm.func @vector(%p: !llvm.ptr, %q: !llvm.ptr) attributes {nvvm.kernel} {
    %v = llvm.load %p {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
    llvm.store %v, %q : vector<4xf32>, !llvm.ptr
    llvm.return
  }

  // A load of one word needs no vector, and an integer of one word no conversion.
  // CHECK-LABEL: llvm.func @word(
  // CHECK:         %[[W:.+]] = llvm.inline_asm has_side_effects "ld.global.cs.b32 $0, [$1];", "=r,l,~{memory}" %{{.+}} : (!llvm.ptr<1>) -> i32
  // CHECK-NEXT:    llvm.store %[[W]]
  llvm.func @word(%p: !llvm.ptr, %q: !llvm.ptr) attributes {nvvm.kernel} {
    %v = llvm.load %p {nontemporal} : !llvm.ptr -> i32
    llvm.store %v, %q : i32, !llvm.ptr
    llvm.return
  }

  // Eight f16 elements are four words, and one f64 element is two.
  // CHECK-LABEL: llvm.func @halves_and_a_double(
  // CHECK:         "ld.global.cs.v4.b32
  // CHECK:         llvm.bitcast %{{.+}} : vector<4xi32> to vector<8xf16>
  // CHECK:         "ld.global.cs.v2.b32
  // CHECK:         llvm.bitcast %{{.+}} : vector<2xi32> to f64
  llvm.func @halves_and_a_double(%p: !llvm.ptr, %q: !llvm.ptr) attributes {nvvm.kernel} {
    %v = llvm.load %p {alignment = 16 : i64, nontemporal} : !llvm.ptr -> vector<8xf16>
    llvm.store %v, %q : vector<8xf16>, !llvm.ptr
    %at = llvm.getelementptr %p[2] : (!llvm.ptr) -> !llvm.ptr, f64
    %d = llvm.load %at {alignment = 8 : i64, nontemporal} : !llvm.ptr -> f64
    llvm.store %d, %q : f64, !llvm.ptr
    llvm.return
  }

  // An address in global memory needs no conversion.
  // CHECK-LABEL: llvm.func @global(
  // CHECK-NOT:     llvm.addrspacecast
  // CHECK:         llvm.inline_asm
  llvm.func @global(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) {
    %v = llvm.load %p {alignment = 4 : i64, nontemporal} : !llvm.ptr<1> -> f32
    llvm.store %v, %q : f32, !llvm.ptr<1>
    llvm.return
  }

  // Loads that stay: plain, of one byte, volatile, atomic, with too little alignment, from shared memory, and
  // from an unknown address space.
  // CHECK-LABEL: llvm.func @others(
  // CHECK-NOT:     llvm.inline_asm
  // CHECK-COUNT-7: llvm.load
  llvm.func @others(%p: !llvm.ptr, %s: !llvm.ptr<3>, %q: !llvm.ptr, %where: i64) attributes {nvvm.kernel} {
    %a = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> f32
    llvm.store %a, %q : f32, !llvm.ptr
    %b = llvm.load %p {alignment = 1 : i64, nontemporal} : !llvm.ptr -> i8
    llvm.store %b, %q : i8, !llvm.ptr
    %c = llvm.load volatile %p {alignment = 4 : i64, nontemporal} : !llvm.ptr -> f32
    llvm.store %c, %q : f32, !llvm.ptr
    %d = llvm.load %p atomic monotonic {alignment = 4 : i64, nontemporal} : !llvm.ptr -> f32
    llvm.store %d, %q : f32, !llvm.ptr
    %e = llvm.load %p {alignment = 4 : i64, nontemporal} : !llvm.ptr -> vector<4xf32>
    llvm.store %e, %q : vector<4xf32>, !llvm.ptr
    %f = llvm.load %s {alignment = 4 : i64, nontemporal} : !llvm.ptr<3> -> f32
    llvm.store %f, %q : f32, !llvm.ptr
    %unknown = llvm.inttoptr %where : i64 to !llvm.ptr
    %g = llvm.load %unknown {alignment = 4 : i64, nontemporal} : !llvm.ptr -> f32
    llvm.store %g, %q : f32, !llvm.ptr
    llvm.return
  }
}

// In a kernel with `tile.evict_last`, other loads have the L2 eviction policy `evict_last`. The kernel creates the
// policy once.
gpu.module @policies [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
  // CHECK-LABEL:   llvm.func @evict_last(
  // CHECK:           %[[POLICY:.+]] = llvm.inline_asm "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l"  : () -> i64
  // CHECK:           llvm.inline_asm has_side_effects "ld.global.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;", "=r,=r,=r,=r,l,l,~{memory}" %{{.+}}, %[[POLICY]]
  // CHECK:           llvm.inline_asm has_side_effects "ld.global.L2::cache_hint.b32 $0, [$1], $2;", "=r,l,l,~{memory}" %{{.+}}, %[[POLICY]]
  // CHECK:           llvm.inline_asm has_side_effects "ld.global.cs.b32 $0, [$1];"
  // CHECK:           llvm.load %{{.+}} {alignment = 2 : i64} : !llvm.ptr -> i16
  // CHECK-NOT:       createpolicy
  llvm.func @evict_last(%p: !llvm.ptr, %q: !llvm.ptr) attributes {nvvm.kernel, tile.evict_last} {
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
    llvm.store %v, %q : vector<4xf32>, !llvm.ptr
    %w = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> f32
    llvm.store %w, %q : f32, !llvm.ptr
    %s = llvm.load %p {alignment = 4 : i64, nontemporal} : !llvm.ptr -> f32
    llvm.store %s, %q : f32, !llvm.ptr
    %h = llvm.load %p {alignment = 2 : i64} : !llvm.ptr -> i16
    llvm.store %h, %q : i16, !llvm.ptr
    llvm.return
  }
}

// PTX 7.0 has no eviction policies.
gpu.module @without_policies [#nvvm.target<chip = "sm_80", features = "+ptx70">] {
  // CHECK-LABEL:   llvm.func @plain(
  // CHECK-NOT:       llvm.inline_asm
  // CHECK:           llvm.load
  llvm.func @plain(%p: !llvm.ptr, %q: !llvm.ptr) attributes {nvvm.kernel, tile.evict_last} {
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>
    llvm.store %v, %q : vector<4xf32>, !llvm.ptr
    llvm.return
  }
}

// Kernels of equal names in two modules: each kernel creates its own policy. A load of 24 bits stays, because its
// register has 32 bits.
gpu.module @more_policies [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
  // CHECK-LABEL:   llvm.func @evict_last(
  // CHECK-COUNT-1:   createpolicy
  // CHECK:           "ld.global.L2::cache_hint.b32
  // CHECK:           llvm.load %{{.+}} : !llvm.ptr -> i24
  // CHECK-NOT:       createpolicy
  llvm.func @evict_last(%p: !llvm.ptr, %q: !llvm.ptr) attributes {nvvm.kernel, tile.evict_last} {
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> f32
    llvm.store %v, %q : f32, !llvm.ptr
    %w = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> i24
    llvm.store %w, %q : i24, !llvm.ptr
    llvm.return
  }
}
