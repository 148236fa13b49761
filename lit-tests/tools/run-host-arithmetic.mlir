// RUN: tx run %s --entry arithmetic --device cpu --arg 7 --arg 2 --arg zeros:13xindex
// RUN(SIGNED): tx run %s --entry signed --device cpu --arg -7 --arg 2 --arg zeros:13xindex
// RUN(NEGATIVE): not tx run %s --entry arithmetic --device cpu --arg -7 --arg 2 --arg zeros:13xindex 2>&1
// EXIT: 1
// RUN(ZERO): not tx run %s --entry signed --device cpu --arg -7 --arg 0 --arg zeros:13xindex 2>&1
// EXIT: 1
// RUN(CASTS): tx run %s --entry casts --device cpu --arg -3 --arg 1 --arg 200 --arg 70000 --arg zeros:13xindex
// RUN(NARROWED): not tx run %s --entry casts --device cpu --arg -3 --arg 1 --arg 200 --arg 5000000000 --arg zeros:13xindex 2>&1
// EXIT: 1
// RUN(AFFINE): tx run %s --entry affine --device cpu --arg zeros:100x9xf32 --arg 5 --arg zeros:13xindex
// RUN(CONSTANTS): tx run %s --entry constants --device cpu --arg zeros:7xf64 --arg zeros:f8E4M3FN
// RUN(PLAN): tx compile %s --entry affine --plan -
// SNAPSHOT: none — what is printed is checked as a whole.

// The host computes with `index` like MLIR, also for negative numbers.
// CHECK:      argument 2: 13xindex
// CHECK-NEXT: [ 9  5 14  3  4  1  2  7  3  3  4  1  0]
// SIGNED:      argument 2: 13xindex
// SIGNED-NEXT: [ -5  -9 -14  -3  -4  -3  -1  -7   2   0   0   0   0]
//
// If a size is huge as an unsigned number, or undefined, the message names the step that needs it.
// NEGATIVE: tx: error: step 0 (`show`), operand 3: `arg0` is -7, expected 0 or more
// ZERO:     tx: error: step 0 (`show`), operand 3: `floordiv(arg0, arg1)` divides -7 by zero
//
// Narrow integers are sign- or zero-extended; a truncated number must fit.
// CASTS:      argument 4: 13xindex
// CASTS-NEXT: [        -3 4294967293         -1          1        -56        200
// CASTS-NEXT:       70000
// NARROWED: tx: error: step 0 (`show32`), operand 6: found 5000000000 for `arg3`, expected a value of i32
//
// AFFINE:      argument 2: 13xindex
// AFFINE-NEXT: [  4 105  28   5   0   0   0   0   0   0   0   0   0]
// PLAN:      "value": "ceildiv(arg0.dim0, 32)"
// PLAN:      "value": "arg0.dim0 + arg1"
// PLAN:      "value": "mod(arg0.dim0, 9) * 28"
// PLAN:      "value": "min(arg0.dim1, arg1)"
//
// Constants of every type are passed by their bits.
// CONSTANTS:      argument 0: 7xf64
// CONSTANTS-NEXT: [ 1.00000001e-01            -inf             nan  9.99755859e-02
// CONSTANTS-NEXT:   1.00000000e-01  1.00000000e+00 -1.28000000e+02]
// CONSTANTS:      argument 1: f8E4M3FN
// CONSTANTS-NEXT: -2.0
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @show(%0: index, %1: index, %2: index, %3: index, %4: index, %5: index, %6: index,
                   %7: index, %8: index, %9: index, %10: index, %11: index, %12: index,
                   %out: memref<13xindex>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %all = vector.from_elements %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12 : vector<13xindex>
      vector.store %all, %out[%c0] : memref<13xindex>, vector<13xindex>
      gpu.return
    }
    gpu.func @show32(%0: index, %1: index, %2: index, %3: index, %4: index, %5: index, %narrow: i32,
                     %out: memref<13xindex>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %6 = arith.index_cast %narrow : i32 to index
      %all = vector.from_elements %0, %1, %2, %3, %4, %5, %6 : vector<7xindex>
      vector.store %all, %out[%c0] : memref<13xindex>, vector<7xindex>
      gpu.return
    }
    gpu.func @floats(%f: f32, %inf: f64, %nan: bf16, %h: f16, %d: f64, %b: f8E4M3FN, %t: i1, %i: i8,
                     %out: memref<7xf64>, %byte: memref<f8E4M3FN>)
        kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %0 = arith.extf %f : f32 to f64
      %2 = arith.extf %nan : bf16 to f64
      %3 = arith.extf %h : f16 to f64
      %6 = arith.uitofp %t : i1 to f64
      %7 = arith.sitofp %i : i8 to f64
      %all = vector.from_elements %0, %inf, %2, %3, %d, %6, %7 : vector<7xf64>
      vector.store %all, %out[%c0] : memref<7xf64>, vector<7xf64>
      memref.store %b, %byte[] : memref<f8E4M3FN>
      gpu.return
    }
  }

  func.func @arithmetic(%a: index, %b: index, %out: memref<13xindex>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = arith.addi %a, %b : index
    %1 = arith.subi %a, %b : index
    %2 = arith.muli %a, %b : index
    %3 = arith.divui %a, %b : index
    %4 = arith.ceildivui %a, %b : index
    %5 = arith.remui %a, %b : index
    %6 = arith.minui %a, %b : index
    %7 = arith.maxui %a, %b : index
    %8 = arith.divsi %a, %b : index
    %9 = arith.floordivsi %a, %b : index
    %10 = arith.ceildivsi %a, %b : index
    %11 = arith.remsi %a, %b : index
    gpu.launch_func @kernels::@show blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%0 : index, %1 : index, %2 : index, %3 : index, %4 : index, %5 : index, %6 : index,
           %7 : index, %8 : index, %9 : index, %10 : index, %11 : index, %c0 : index,
           %out : memref<13xindex>)
    return
  }

  func.func @signed(%a: index, %b: index, %out: memref<13xindex>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = arith.addi %a, %b : index
    %1 = arith.subi %a, %b : index
    %2 = arith.muli %a, %b : index
    %3 = arith.divsi %a, %b : index
    %4 = arith.floordivsi %a, %b : index
    %5 = arith.ceildivsi %a, %b : index
    %6 = arith.remsi %a, %b : index
    %7 = arith.minsi %a, %b : index
    %8 = arith.maxsi %a, %b : index
    gpu.launch_func @kernels::@show blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%0 : index, %1 : index, %2 : index, %3 : index, %4 : index, %5 : index, %6 : index,
           %7 : index, %8 : index, %c0 : index, %c0 : index, %c0 : index, %c0 : index,
           %out : memref<13xindex>)
    return
  }

  func.func @casts(%i: i32, %t: i1, %b: i8, %n: index, %out: memref<13xindex>) {
    %c1 = arith.constant 1 : i64
    %0 = arith.index_cast %i : i32 to index
    %1 = arith.index_castui %i : i32 to index
    %2 = arith.index_cast %t : i1 to index
    %3 = arith.index_castui %t : i1 to index
    %wide = arith.extsi %b : i8 to i64
    %4 = arith.index_cast %wide : i64 to index
    %wider = arith.extui %b : i8 to i64
    %5 = arith.index_cast %wider : i64 to index
    %6 = arith.index_cast %n : index to i32
    gpu.launch_func @kernels::@show32 blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) : i64
      args(%0 : index, %1 : index, %2 : index, %3 : index, %4 : index, %5 : index, %6 : i32,
           %out : memref<13xindex>)
    return
  }

  func.func @affine(%A: memref<?x?xf32>, %n: index, %out: memref<13xindex>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %A, %c0 : memref<?x?xf32>
    %columns = memref.dim %A, %c1 : memref<?x?xf32>
    %0 = affine.apply affine_map<(d0) -> (d0 ceildiv 32)>(%rows)
    %1 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%rows)[%n]
    %2 = affine.apply affine_map<(d0) -> ((d0 mod 9) * 28)>(%rows)
    %3 = affine.min affine_map<(d0)[s0] -> (d0, s0)>(%columns)[%n]
    gpu.launch_func @kernels::@show blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%0 : index, %1 : index, %2 : index, %3 : index, %c0 : index, %c0 : index, %c0 : index,
           %c0 : index, %c0 : index, %c0 : index, %c0 : index, %c0 : index, %c0 : index,
           %out : memref<13xindex>)
    return
  }

  func.func @constants(%out: memref<7xf64>, %byte: memref<f8E4M3FN>) {
    %c1 = arith.constant 1 : index
    %f = arith.constant 0.1 : f32
    %inf = arith.constant 0xFFF0000000000000 : f64
    %nan = arith.constant 0x7FC1 : bf16
    %h = arith.constant 0.1 : f16
    %d = arith.constant 0.1 : f64
    %b = arith.constant -2.0 : f8E4M3FN
    %t = arith.constant true
    %i = arith.constant -128 : i8
    gpu.launch_func @kernels::@floats blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%f : f32, %inf : f64, %nan : bf16, %h : f16, %d : f64, %b : f8E4M3FN, %t : i1, %i : i8,
           %out : memref<7xf64>, %byte : memref<f8E4M3FN>)
    return
  }
}
