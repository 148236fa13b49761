// RUN(CALL): not tx compile %s --entry calls 2>&1
// EXIT: 1
// RUN(LOOP): not tx compile %s --entry loops 2>&1
// EXIT: 1
// RUN(BRANCH): not tx compile %s --entry branches 2>&1
// EXIT: 1
// RUN(SELECT): not tx compile %s --entry selects 2>&1
// EXIT: 1
// RUN(RESULT): not tx compile %s --entry returns 2>&1
// EXIT: 1
// RUN(ELEMENT): not tx compile %s --entry reads 2>&1
// EXIT: 1
// RUN(OTHER): not tx compile %s --entry other 2>&1
// EXIT: 1
// RUN(ASYNC): not tx compile %s --entry waits 2>&1
// EXIT: 1
// RUN(BLOCK): not tx compile %s --entry wrong_block 2>&1
// EXIT: 1
// RUN(GRID): not tx compile %s --entry wrong_grid 2>&1
// EXIT: 1
// RUN(MODULES): not tx compile %s --entry two_modules 2>&1
// EXIT: 1
// RUN(SHARED): not tx compile %s --entry shared 2>&1
// EXIT: 1
// RUN(SPAN): not tx compile %s --entry span 2>&1
// EXIT: 1
// RUN(TENSOR): not tx compile %s --entry tensor 2>&1
// EXIT: 1
// RUN(LAYOUT): not tx compile %s --entry layout 2>&1
// EXIT: 1
// RUN(ALIGNED): not tx compile %s --entry aligned 2>&1
// EXIT: 1
// RUN(FITS): not tx compile %s --entry does_not_fit 2>&1
// EXIT: 1
// RUN(DIM): not tx compile %s --entry dimension 2>&1
// EXIT: 1
// RUN(TERMS): not tx compile %s --entry terms 2>&1
// EXIT: 1
// RUN(INSIDE): not tx compile %s --entry inside 2>&1
// EXIT: 1

// SNAPSHOT: none — each message is checked.

// An op that a launch plan cannot contain is rejected at its position, with its kind and a remedy.
// CALL:      plan-refused.mlir:[[# @LINE + 61]]:5: error: `func.call` calls a function
// CALL:      note: inline it; a launch plan supports `gpu.launch_func`, `scf.if` around launches, `memref.alloc` and `memref.dealloc`, views of memrefs, `memref.dim`, arithmetic on `index`, and `cf.assert` of its comparisons
// LOOP:      error: `scf.for` is control flow that a launch plan does not support
// LOOP-NEXT:   scf.for
// LOOP:      note: put the loop or the branch in a kernel, or choose between launches with `scf.if`; a launch plan supports
// BRANCH:    error: `branches` has 2 blocks, expected one for a launch plan
// SELECT:    error: `arith.select` depends on a condition, but a launch plan supports conditions only for launches
// SELECT:    note: use `arith.minsi` or `arith.maxsi`, or pass the value as an argument
// RESULT:    error: `returns` returns 1 result, expected none for a launch plan
// RESULT:    note: write the result to an argument of memref type
// ELEMENT:   error: `memref.load` accesses elements, which are in device memory
// ELEMENT:   note: access elements in a kernel: pass the memref as an input to the `linalg.generic` that uses the element; the map of a memref without dimensions is `(i) -> ()`; a launch plan supports
// OTHER:     error: `memref.get_global` cannot be part of a launch plan
// OTHER:     note: read a `constant` array in the kernel, by a `memref.get_global` of a `memref.global` in its `gpu.module`, or pass it as an argument; a launch plan supports
// ASYNC:     error: an asynchronous `gpu.launch_func` cannot be part of a launch plan
// ASYNC:     note: launches run in program order: remove `async` and its tokens
// BLOCK:     error: kernel `k` is launched with blocks of (2, 1, 1), expected (1, 1, 1)
// BLOCK:     note: `known_block_size` of the kernel is set here
// GRID:      error: kernel `fixed` is launched with a grid of (1, 2, 1), expected (1, 1, 1)
// MODULES:   error: kernels of two modules are launched, `@kernels` and `@others`, expected one
// MODULES:   note: a kernel of `@kernels` is launched here
// MODULES:   note: put all kernels of a function into one `gpu.module`
// SHARED:    error: argument 0 of `shared` cannot be passed from the host: `memref<4xf32, #gpu.address_space<workgroup>>` is not in global memory
// SPAN:      error: argument 0 of `span` cannot be passed from the host: `memref<1152921504606846976x4xf32>` spans 2^63 bytes and more
// TENSOR:    error: argument 0 of `tensor` cannot be passed from the host: `memref<*xf32>`
// LAYOUT:    error: `memref.alloc` cannot be a temporary: `memref<4xf32, strided<[2]>>` has a layout that is not row-major
// ALIGNED:   error: `memref.alloc` cannot be a temporary: its alignment of 512 bytes exceeds 256 bytes
// ALIGNED:   note: a temporary is row-major, in global memory, and aligned to 256 bytes
// FITS:      error: a kernel argument has the value 300 of type i8, which does not fit the type
// DIM:       error: `memref.dim` reads dimension `%n`, expected a constant below 1
// TERMS:     error: `arith.addi` creates an expression of 511 terms over the arguments, expected at most 256
// TERMS:     note: compute the value in the caller, and pass it as an argument
// INSIDE:    error: `gpu.launch` contains the body of its kernel
// INSIDE:    note: run `gpu-kernel-outlining` first
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
    gpu.func @fixed() kernel
        attributes {known_block_size = array<i32: 1, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
    gpu.func @number(%x: index) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
    gpu.func @float(%x: f32) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
    gpu.func @byte(%x: i8) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  gpu.module @others {
    gpu.func @k(%A: memref<4xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      gpu.return
    }
  }
  memref.global "private" @global : memref<4xf32>

  func.func @calls(%A: memref<4xf32>) {
    func.call @elsewhere(%A) : (memref<4xf32>) -> ()
    return
  }
  func.func @loops(%A: memref<4xf32>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%A : memref<4xf32>)
    }
    return
  }
  func.func @branches(%A: memref<4xf32>) {
    cf.br ^end
  ^end:
    return
  }
  func.func @selects(%n: index, %x: f32, %y: f32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %empty = arith.cmpi eq, %n, %c0 : index
    %m = arith.select %empty, %x, %y : f32
    gpu.launch_func @kernels::@float blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%m : f32)
    return
  }
  func.func @returns(%n: index) -> index {
    return %n : index
  }
  func.func @reads(%A: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %x = memref.load %A[%c0] : memref<4xf32>
    return
  }
  func.func @other() {
    %c1 = arith.constant 1 : index
    %A = memref.get_global @global : memref<4xf32>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
  func.func @waits(%A: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    %token = gpu.launch_func async @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
  func.func @wrong_block(%A: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
  func.func @wrong_grid() {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    gpu.launch_func @kernels::@fixed blocks in (%c1, %c2, %c1) threads in (%c1, %c1, %c1)
    return
  }
  func.func @two_modules(%A: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    gpu.launch_func @others::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%A : memref<4xf32>)
    return
  }
  func.func @shared(%A: memref<4xf32, #gpu.address_space<workgroup>>) {
    return
  }
  func.func private @elsewhere(memref<4xf32>)
  func.func @span(%A: memref<1152921504606846976x4xf32>) {
    return
  }
  func.func @tensor(%A: tensor<*xf32>) {
    return
  }
  func.func @layout(%A: memref<4xf32>) {
    %T = memref.alloc() : memref<4xf32, strided<[2]>>
    return
  }
  func.func @aligned() {
    %T = memref.alloc() {alignment = 512 : i64} : memref<4xf32>
    return
  }
  func.func @does_not_fit() {
    %c1 = arith.constant 1 : index
    %c300 = arith.constant 300 : index
    %x = arith.index_cast %c300 : index to i8
    gpu.launch_func @kernels::@byte blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%x : i8)
    return
  }
  func.func @dimension(%A: memref<?xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %m = memref.dim %A, %n : memref<?xf32>
    gpu.launch_func @kernels::@number blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%m : index)
    return
  }
  func.func @terms(%n: index) {
    %2 = arith.addi %n, %n : index
    %4 = arith.addi %2, %2 : index
    %8 = arith.addi %4, %4 : index
    %16 = arith.addi %8, %8 : index
    %32 = arith.addi %16, %16 : index
    %64 = arith.addi %32, %32 : index
    %128 = arith.addi %64, %64 : index
    %256 = arith.addi %128, %128 : index
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@number blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%256 : index)
    return
  }
  func.func @inside(%A: memref<4xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
        threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      gpu.terminator
    }
    return
  }
}
