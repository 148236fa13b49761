// RUN(FLOAT): not tx compile %s --entry float 2>&1
// EXIT: 1
// RUN(FLAG): not tx compile %s --entry flag 2>&1
// EXIT: 1
// RUN(EITHER): not tx compile %s --entry either 2>&1
// EXIT: 1
// RUN(VALUE): not tx compile %s --entry value 2>&1
// EXIT: 1
// RUN(LOOP): not tx compile %s --entry loop 2>&1
// EXIT: 1
// RUN(ASSERT): not tx compile %s --entry asserted 2>&1
// EXIT: 1
// RUN(GRID): not tx compile %s --entry grid 2>&1
// EXIT: 1
// RUN(TEMPORARY): not tx compile %s --entry temporary 2>&1
// EXIT: 1
// SNAPSHOT: none — each message is checked.

// A branch that a launch plan cannot contain is rejected at its position, with the supported forms.
// FLOAT:      plan-branches-refused.mlir:[[# @LINE + 23]]:5: error: `scf.if` branches on the result of `arith.cmpf`, expected a comparison of integers
// FLOAT:      note: the value is computed here
// FLOAT:      note: a condition must be an `arith.cmpi` of sizes, strides, addresses and integer arguments, a remainder compared with 0, or several of these joined by `arith.andi`
// FLAG:       error: `scf.if` branches on a value of type `i1`, expected a comparison of integers
// EITHER:     error: `scf.if` branches on the result of `arith.ori`, expected a comparison of integers
// VALUE:      error: `scf.if` yields values, but a launch plan can select only launches
// VALUE:      note: launch a kernel in each branch, with the values of the branch
// LOOP:       error: `scf.for` is control flow that a launch plan does not support
// ASSERT:     error: `cf.assert` is in a branch, and a launch plan checks arguments before all launches
// ASSERT:     note: move the `cf.assert` before the `scf.if`
// GRID:       error: `gpu.launch_func` uses `%A.address`, but an address is allowed only in conditions of `scf.if`
// TEMPORARY:  error: the address of a temporary is not known to a launch plan
// TEMPORARY:  note: a temporary is aligned to 256 bytes
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<?xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  func.func @float(%A: memref<?xf32>, %x: f32) {
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpf olt, %x, %zero : f32
    scf.if %is {
      gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<?xf32>)
    }
    return
  }
  func.func @flag(%A: memref<?xf32>, %is: i1) {
    %c1 = arith.constant 1 : index
    scf.if %is {
      gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<?xf32>)
    }
    return
  }
  func.func @either(%A: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %few = arith.cmpi slt, %n, %c1 : index
    %many = arith.cmpi sgt, %n, %c8 : index
    %is = arith.ori %few, %many : i1
    scf.if %is {
      gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<?xf32>)
    }
    return
  }
  func.func @value(%A: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %is = arith.cmpi slt, %n, %c8 : index
    %blocks = scf.if %is -> index {
      scf.yield %n : index
    } else {
      scf.yield %c8 : index
    }
    gpu.launch_func @kernels::@k blocks in (%blocks, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<?xf32>)
    return
  }
  func.func @loop(%A: memref<?xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %is = arith.cmpi slt, %n, %c8 : index
    scf.if %is {
      scf.for %i = %c0 to %n step %c1 {
        gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<?xf32>)
      }
    }
    return
  }
  func.func @asserted(%A: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %is = arith.cmpi slt, %n, %c8 : index
    scf.if %is {
      %some = arith.cmpi sge, %n, %c1 : index
      cf.assert %some, "there are some"
      gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<?xf32>)
    }
    return
  }
  func.func @grid(%A: memref<?xf32>) {
    %c1 = arith.constant 1 : index
    %address = memref.extract_aligned_pointer_as_index %A : memref<?xf32> -> index
    gpu.launch_func @kernels::@k blocks in (%address, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<?xf32>)
    return
  }
  func.func @temporary(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %A = memref.alloc(%n) : memref<?xf32>
    %address = memref.extract_aligned_pointer_as_index %A : memref<?xf32> -> index
    %is = arith.cmpi eq, %address, %c0 : index
    scf.if %is {
      gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<?xf32>)
    }
    memref.dealloc %A : memref<?xf32>
    return
  }
}
