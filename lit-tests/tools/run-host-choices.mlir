// RUN: tx run %s --entry choices --device cpu --arg 5 --arg 3 --arg zeros:8xindex
// RUN(OTHER): tx run %s --entry choices --device cpu --arg -2 --arg 3 --arg zeros:8xindex
// RUN(NARROW): tx run %s --entry narrow --device cpu --arg 70000 --arg 7 --arg zeros:8xindex
// RUN(MANY): not tx run %s --entry narrow --device cpu --arg 5000000000 --arg 7 --arg zeros:8xindex 2>&1
// EXIT: 1
// RUN(PRODUCT): not tx run %s --entry narrow --device cpu --arg 2000000000 --arg 7 --arg zeros:8xindex 2>&1
// EXIT: 1
// RUN(FLOAT): tx run %s --entry floats --device cpu --arg 4 --arg 7 --arg zeros:8xindex
// RUN(LESS): not tx run %s --entry floats --device cpu --arg 2 --arg 7 --arg zeros:8xindex 2>&1
// EXIT: 1
// RUN(FALSE): not tx compile %s --entry floats_false 2>&1
// EXIT: 1
// RUN(PLAN): tx compile %s --entry choices --plan -
// SNAPSHOT: none — what is printed is checked as a whole.

// The host selects integers by comparisons, and computes with conditions as numbers.
// CHECK:      argument 2: 8xindex
// CHECK-NEXT: [3 5 5 3 1 0 1 9]
// OTHER:      argument 2: 8xindex
// OTHER-NEXT: [-2  3  3 -2  0  1  0  3]
// PLAN:       "value": "min(arg0, arg1)"
// PLAN:       "value": "max(arg1, arg0)"
//
// 32-bit numbers are computed exactly, and the plan checks that they fit; a program would wrap around.
// NARROW:      argument 2: 8xindex
// NARROW-NEXT: [ 70000 140000      7      0      0      0      0      0]
// MANY:        error: {{.*}}%n is 5000000000: a value of `arith.extsi` fits in i32
// PRODUCT:     error: {{.*}}%n + %n is 4000000000: a value of `arith.addi` fits in i32
//
// Assertions compare whole f64 numbers, which the host computes from sizes, and constants of both types.
// FLOAT:      argument 2: 8xindex
// FLOAT-NEXT: [4 7 0 0 0 0 0 0]
// LESS:       error: {{.*}}at least two more than one
// FALSE:      error: this assertion is always false: one is less than a half
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @show(%0: index, %1: index, %2: index, %3: index, %4: index, %5: index, %6: index, %7: index,
                   %out: memref<8xindex>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
      %c0 = arith.constant 0 : index
      %all = vector.from_elements %0, %1, %2, %3, %4, %5, %6, %7 : vector<8xindex>
      vector.store %all, %out[%c0] : memref<8xindex>, vector<8xindex>
      gpu.return
    }
  }
  func.func @choices(%n: index, %m: index, %out: memref<8xindex>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %yes = arith.constant true
    %less = arith.cmpi slt, %n, %m : index
    %least = arith.select %less, %n, %m : index
    %greatest = arith.select %less, %m, %n : index
    %positive = arith.cmpi sgt, %n, %c0 : index
    %clamped = arith.select %positive, %n, %m : index
    %otherwise = arith.select %positive, %m, %n : index
    %number = arith.extui %positive : i1 to i64
    %one = arith.index_cast %number : i64 to index
    %negative = arith.xori %positive, %yes : i1
    %number2 = arith.extui %negative : i1 to i64
    %two = arith.index_cast %number2 : i64 to index
    %both = arith.andi %positive, %yes : i1
    %number3 = arith.extui %both : i1 to i64
    %three = arith.index_cast %number3 : i64 to index
    %inside = arith.cmpi sle, %m, %n : index
    %some = arith.ori %inside, %positive : i1
    %four = arith.select %some, %c9, %m : index
    gpu.launch_func @kernels::@show blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%least : index, %greatest : index, %clamped : index, %otherwise : index, %one : index, %two : index,
           %three : index, %four : index, %out : memref<8xindex>)
    return
  }
  func.func @narrow(%n: index, %m: i32, %out: memref<8xindex>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %narrow = arith.index_cast %n : index to i32
    %wide = arith.extsi %narrow : i32 to i64
    %same = arith.index_cast %wide : i64 to index
    %twice32 = arith.addi %narrow, %narrow : i32
    %twice = arith.index_cast %twice32 : i32 to index
    %least32 = arith.minsi %twice32, %m : i32
    %least = arith.index_cast %least32 : i32 to index
    gpu.launch_func @kernels::@show blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%same : index, %twice : index, %least : index, %c0 : index, %c0 : index, %c0 : index, %c0 : index,
           %c0 : index, %out : memref<8xindex>)
    return
  }
  func.func @floats(%n: index, %m: index, %out: memref<8xindex>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f64
    %two = arith.constant 2.0 : f64
    %half = arith.constant 0.5 : f32
    %full = arith.constant 1.0 : f32
    %wide = arith.index_cast %n : index to i64
    %float = arith.sitofp %wide : i64 to f64
    %rest = arith.subf %float, %one : f64
    %enough = arith.cmpf uge, %rest, %two : f64
    cf.assert %enough, "at least two more than one"
    %more = arith.cmpf ogt, %full, %half : f32
    cf.assert %more, "one is more than a half"
    gpu.launch_func @kernels::@show blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%n : index, %m : index, %c0 : index, %c0 : index, %c0 : index, %c0 : index, %c0 : index,
           %c0 : index, %out : memref<8xindex>)
    return
  }
  func.func @floats_false(%n: index, %m: index, %out: memref<8xindex>) {
    %c1 = arith.constant 1 : index
    %half = arith.constant 0.5 : f32
    %full = arith.constant 1.0 : f32
    %less = arith.cmpf olt, %full, %half : f32
    cf.assert %less, "one is less than a half"
    gpu.launch_func @kernels::@show blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%n : index, %m : index, %c1 : index, %c1 : index, %c1 : index, %c1 : index, %c1 : index,
           %c1 : index, %out : memref<8xindex>)
    return
  }
}
