// RUN: tx-opt %s --gpu-expand-math
// SNAPSHOT: none — CHECK and COUNT state which ops remain, the test `elementary` what they compute

// The exponential of a nonpositive number needs one clamp and one computed power of two; the other is 2^-64.
// Nonpositive are a negated magnitude, a minimum with 0, and a difference from a maximum.

// CHECK-LABEL: gpu.func @magnitude(
// CHECK-COUNT-1: arith.cmpf
// CHECK-NOT:     arith.cmpf
// CHECK-NOT:     arith.shrsi
// CHECK:         %[[SMALL:.+]] = arith.constant 5.42101086E-20 : f32
// CHECK:         arith.mulf %{{.+}}, %[[SMALL]] : f32
// CHECK-NEXT:    memref.store

// CHECK-LABEL: gpu.func @smaller_of_zero(
// CHECK-NOT:     arith.shrsi
// CHECK-LABEL: gpu.func @from_maximum(
// CHECK-NOT:     arith.shrsi
// CHECK-LABEL: gpu.func @between_both(
// CHECK-NOT:     arith.shrsi

// If the maximum is -inf, another number is subtracted, and the difference is still -inf.
// CHECK-LABEL: gpu.func @unless_infinite(
// CHECK-NOT:     arith.shrsi

// Exponentials of f64, of a vector, and of a 16-bit type computed in f32.
// CHECK-LABEL: gpu.func @types(
// CHECK-NOT:     arith.shrsi
// CHECK:         gpu.return

// The sign is unknown if NaN is ignored: maxnumf(NaN, y) is y, which may be below x. The sign is also
// unknown for a NaN or positive bound, and if another value is selected for -inf.
// CHECK-LABEL: gpu.func @not_known(
// CHECK-COUNT-6: arith.shrsi
// CHECK:         gpu.return
gpu.module @kernels {
  // COUNT: @magnitude arith.addi = 2, arith.bitcast = 2, arith.cmpf = 1, arith.mulf = 2, arith.negf = 2
  // COUNT: @magnitude arith.select = 1, arith.shli = 1, arith.subf = 1, math.absf = 1, math.fma = 9
  gpu.func @magnitude(%A: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = memref.load %A[] : memref<f32>
    %a = math.absf %x : f32
    %n = arith.negf %a : f32
    %y = math.exp %n : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  // COUNT: @smaller_of_zero arith.addi = 2, arith.bitcast = 2, arith.cmpf = 1, arith.minnumf = 1, arith.mulf = 2
  // COUNT: @smaller_of_zero arith.negf = 1, arith.select = 1, arith.shli = 1, arith.subf = 1, math.fma = 9
  gpu.func @smaller_of_zero(%A: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = memref.load %A[] : memref<f32>
    %zero = arith.constant 0.0 : f32
    %n = arith.minnumf %x, %zero : f32
    %y = math.exp %n : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  // COUNT: @from_maximum arith.addi = 2, arith.bitcast = 2, arith.cmpf = 1, arith.maximumf = 1, arith.mulf = 2
  // COUNT: @from_maximum arith.negf = 1, arith.select = 1, arith.shli = 1, arith.subf = 2, math.fma = 9
  gpu.func @from_maximum(%A: memref<f32>, %B: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %a = memref.load %A[] : memref<f32>
    %b = memref.load %B[] : memref<f32>
    %m = arith.maximumf %a, %b : f32
    %n = arith.subf %b, %m : f32
    %y = math.exp %n : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  // COUNT: @between_both arith.addi = 2, arith.bitcast = 2, arith.cmpf = 1, arith.maximumf = 1, arith.minimumf = 1
  // COUNT: @between_both arith.mulf = 2, arith.negf = 1, arith.select = 1, arith.shli = 1, arith.subf = 2
  // COUNT: @between_both math.fma = 9
  gpu.func @between_both(%A: memref<f32>, %B: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %a = memref.load %A[] : memref<f32>
    %b = memref.load %B[] : memref<f32>
    %low = arith.minimumf %b, %a : f32
    %high = arith.maximumf %a, %b : f32
    %n = arith.subf %low, %high : f32
    %y = math.exp %n : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  // COUNT: @unless_infinite arith.addi = 2, arith.bitcast = 2, arith.cmpf = 2, arith.maximumf = 1, arith.mulf = 2
  // COUNT: @unless_infinite arith.negf = 1, arith.select = 2, arith.shli = 1, arith.subf = 2, math.fma = 9
  gpu.func @unless_infinite(%A: memref<f32>, %B: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %zero = arith.constant 0.0 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %a = memref.load %A[] : memref<f32>
    %b = memref.load %B[] : memref<f32>
    %m = arith.maximumf %a, %b : f32
    %none = arith.cmpf oeq, %m, %lowest : f32
    %base = arith.select %none, %zero, %m : f32
    %n = arith.subf %b, %base : f32
    %y = math.exp %n : f32
    memref.store %y, %A[] : memref<f32>
    gpu.return
  }

  // COUNT: @types arith.addi = 6, arith.bitcast = 6, arith.cmpf = 3, arith.extf = 1, arith.minnumf = 1
  // COUNT: @types arith.mulf = 6, arith.negf = 5, arith.select = 3, arith.shli = 3, arith.subf = 3, arith.truncf = 1
  // COUNT: @types math.absf = 2, math.fma = 33
  gpu.func @types(%A: memref<f64>, %B: memref<4xf32>, %C: memref<bf16>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %x = memref.load %A[] : memref<f64>
    %a = math.absf %x : f64
    %n = arith.negf %a : f64
    %y = math.exp %n : f64
    memref.store %y, %A[] : memref<f64>
    %c0 = arith.constant 0 : index
    %vx = vector.load %B[%c0] : memref<4xf32>, vector<4xf32>
    %zeros = arith.constant dense<0.0> : vector<4xf32>
    %vn = arith.minnumf %vx, %zeros : vector<4xf32>
    %vy = math.exp %vn : vector<4xf32>
    vector.store %vy, %B[%c0] : memref<4xf32>, vector<4xf32>
    %hx = memref.load %C[] : memref<bf16>
    %ha = math.absf %hx : bf16
    %hn = arith.negf %ha : bf16
    %hy = math.exp %hn : bf16
    memref.store %hy, %C[] : memref<bf16>
    gpu.return
  }

  // COUNT: @not_known arith.addi = 12, arith.bitcast = 18, arith.cmpf = 13, arith.maximumf = 2, arith.maxnumf = 2
  // COUNT: @not_known arith.minimumf = 2, arith.minnumf = 2, arith.mulf = 12, arith.negf = 6, arith.select = 13
  // COUNT: @not_known arith.shli = 12, arith.shrsi = 6, arith.subf = 10, arith.subi = 6, math.fma = 54
  gpu.func @not_known(%A: memref<6xf32>, %B: memref<f32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %nan = arith.constant 0xFFC00000 : f32
    %lowest = arith.constant 0xFF800000 : f32
    %a = memref.load %A[%c0] : memref<6xf32>
    %b = memref.load %B[] : memref<f32>

    %high0 = arith.maximumf %a, %b : f32
    %more0 = arith.maxnumf %high0, %one : f32
    %n0 = arith.subf %a, %more0 : f32
    %y0 = math.exp %n0 : f32
    memref.store %y0, %A[%c0] : memref<6xf32>

    %n1 = arith.minnumf %a, %nan : f32
    %y1 = math.exp %n1 : f32
    memref.store %y1, %A[%c1] : memref<6xf32>

    %n2 = arith.minimumf %a, %one : f32
    %y2 = math.exp %n2 : f32
    memref.store %y2, %A[%c2] : memref<6xf32>

    %m3 = arith.maximumf %a, %b : f32
    %none3 = arith.cmpf ueq, %m3, %lowest : f32
    %base3 = arith.select %none3, %zero, %m3 : f32
    %n3 = arith.subf %a, %base3 : f32
    %y3 = math.exp %n3 : f32
    memref.store %y3, %A[%c3] : memref<6xf32>

    %low4 = arith.minnumf %a, %b : f32
    %high4 = arith.maxnumf %b, %a : f32
    %n4 = arith.subf %low4, %high4 : f32
    %y4 = math.exp %n4 : f32
    memref.store %y4, %A[%c4] : memref<6xf32>

    %m5 = arith.minimumf %a, %b : f32
    %n5 = arith.subf %a, %m5 : f32
    %y5 = math.exp %n5 : f32
    memref.store %y5, %A[%c5] : memref<6xf32>
    gpu.return
  }
}
