// RUN: tx-opt %s --gpu-module-to-ptx

// Independent kernels become one PTX text, also if they are compiled separately: one preamble, unique
// labels, and separate shared memory, in the order of the module.
// CHECK-LABEL: gpu.binary @apart
// CHECK-SAME:    .address_size 64
// CHECK-SAME:    // .globl\09first\0A// second_scratch has been demoted\0A// first_scratch has been demoted\0A\0A.visible .entry first(
// CHECK-SAME:    .shared .align 16 .b8 first_scratch[16];
// CHECK-SAME:    $L__BB0_2:
// CHECK-SAME:    }\0A\09// .globl\09second\0A.visible .entry second(
// CHECK-SAME:    .shared .align 16 .b8 second_scratch[32];
// CHECK-SAME:    $L__BB1_2:
// CHECK-SAME:    }\0A\09// .globl\09third\0A.visible .entry third(
gpu.module @apart [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
  llvm.mlir.global private @second_scratch() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8 x f32>
  llvm.mlir.global private @first_scratch() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x f32>
  llvm.func @first(%p: !llvm.ptr, %v: i32) attributes {gpu.kernel, nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %is = llvm.icmp "eq" %v, %zero : i32
    llvm.cond_br %is, ^end, ^store
  ^store:
    %scratch = llvm.mlir.addressof @first_scratch : !llvm.ptr<3>
    llvm.store volatile %v, %scratch : i32, !llvm.ptr<3>
    %w = llvm.load volatile %scratch : !llvm.ptr<3> -> i32
    llvm.store volatile %w, %p : i32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @second(%p: !llvm.ptr, %v: i32) attributes {gpu.kernel, nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %is = llvm.icmp "slt" %v, %zero : i32
    llvm.cond_br %is, ^end, ^store
  ^store:
    %scratch = llvm.mlir.addressof @second_scratch : !llvm.ptr<3>
    llvm.store volatile %v, %scratch : i32, !llvm.ptr<3>
    %w = llvm.load volatile %scratch : !llvm.ptr<3> -> i32
    llvm.store volatile %w, %p : i32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
  llvm.func @third(%p: !llvm.ptr, %v: i32) attributes {gpu.kernel, nvvm.kernel} {
    llvm.store %v, %p : i32, !llvm.ptr
    llvm.return
  }
}

// Code that both kernels need is emitted once.
// CHECK-LABEL: gpu.binary @common
// CHECK-SAME:    .b8 table[16]
// CHECK-NOT:     .b8 table[16]
// CHECK-SAME:    .visible .entry even(
// CHECK-SAME:    .visible .entry odd(
gpu.module @common [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
  llvm.mlir.global internal constant @table(dense<[2, 3, 5, 7]> : tensor<4xi32>) {addr_space = 4 : i32} : !llvm.array<4 x i32>
  llvm.func @even(%p: !llvm.ptr, %i: i64) attributes {gpu.kernel, nvvm.kernel} {
    %table = llvm.mlir.addressof @table : !llvm.ptr<4>
    %at = llvm.getelementptr %table[%i] : (!llvm.ptr<4>, i64) -> !llvm.ptr<4>, i32
    %v = llvm.load %at : !llvm.ptr<4> -> i32
    llvm.store %v, %p : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @odd(%p: !llvm.ptr, %i: i64) attributes {gpu.kernel, nvvm.kernel} {
    %table = llvm.mlir.addressof @table : !llvm.ptr<4>
    %at = llvm.getelementptr %table[%i] : (!llvm.ptr<4>, i64) -> !llvm.ptr<4>, i32
    %v = llvm.load %at : !llvm.ptr<4> -> i32
    llvm.store %v, %p : i32, !llvm.ptr
    llvm.return
  }
}

// The table of one kernel is emitted before all kernels.
// CHECK-LABEL: gpu.binary @own
// CHECK-SAME:    .b8 own_table[16]
// CHECK-SAME:    .visible .entry without(
// CHECK-SAME:    .visible .entry with(
gpu.module @own [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
  llvm.mlir.global internal constant @own_table(dense<[2, 3, 5, 7]> : tensor<4xi32>) {addr_space = 4 : i32} : !llvm.array<4 x i32>
  llvm.func @without(%p: !llvm.ptr, %v: i32) attributes {gpu.kernel, nvvm.kernel} {
    llvm.store %v, %p : i32, !llvm.ptr
    llvm.return
  }
  llvm.func @with(%p: !llvm.ptr, %i: i64) attributes {gpu.kernel, nvvm.kernel} {
    %table = llvm.mlir.addressof @own_table : !llvm.ptr<4>
    %at = llvm.getelementptr %table[%i] : (!llvm.ptr<4>, i64) -> !llvm.ptr<4>, i32
    %v = llvm.load %at : !llvm.ptr<4> -> i32
    llvm.store %v, %p : i32, !llvm.ptr
    llvm.return
  }
}

// A function called by a kernel is emitted with this kernel.
// CHECK-LABEL: gpu.binary @calls
// CHECK-SAME:    .func (.param .b32 func_retval0) twice(
// CHECK-SAME:    .visible .entry once(
// CHECK-SAME:    call.uni (retval0), twice
gpu.module @calls [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
  llvm.func @twice(%v: i32) -> i32 attributes {no_inline} {
    %w = llvm.add %v, %v : i32
    llvm.return %w : i32
  }
  llvm.func @once(%p: !llvm.ptr, %v: i32) attributes {gpu.kernel, nvvm.kernel} {
    %w = llvm.call @twice(%v) : (i32) -> i32
    llvm.store %w, %p : i32, !llvm.ptr
    llvm.return
  }
}
