// RUN: tx compile %s --plan -
// RUN(ENTRY): tx compile %s --entry host
// RUN(KERNEL): tx compile %s --entry k --plan -
// SNAPSHOT: none — the plan is checked where it matters, and PTX of a kernel that does nothing says nothing.

// A host function that launches kernels has a plan. It is the default entry although its kernels are in the
// same file. Kernels can be selected by name, with their own launch sizes.
// CHECK:      "entry": "host",
// CHECK-NEXT: "entry_kind": "function",
// CHECK:      "written": false
// CHECK:      "temporaries": [],
// CHECK-NEXT: "steps": [
// CHECK-NEXT:   {
// CHECK-NEXT:     "kernel": "k",
// CHECK-NEXT:     "module": "k",
// CHECK-NEXT:     "grid": [
// CHECK-NEXT:       7,
// CHECK-NEXT:       1,
// CHECK-NEXT:       1
// ENTRY:      .visible .entry k(
// KERNEL:     "entry": "k",
// KERNEL-NEXT: "entry_kind": "kernel",
// KERNEL:     "grid": [
// KERNEL-NEXT:  1,
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%B: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }

  func.func @host(%B: memref<f32>) {
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    gpu.launch_func @kernels::@k blocks in (%c7, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%B : memref<f32>)
    return
  }
}
