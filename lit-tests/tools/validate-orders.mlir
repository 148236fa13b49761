// RUN: tx validate %s --chip sm_80 2>&1
// SNAPSHOT: none — whether there is an assembler is not the matter.

// A combiner that rounds gives other results in another order, even for exact operands.
// CHECK:     @resistors
// CHECK-NOT: {{WRONG|BROKEN}}
// CHECK:     launch {{ *}}equal
func.func @resistors(%A: memref<5x64xf32>, %B: memref<5xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0x7F800000 : f32] combiner {
  ^bb0(%a: f32, %b: f32):
    %one = arith.constant 1.0 : f32
    %p = arith.divf %one, %a : f32
    %q = arith.divf %one, %b : f32
    %s = arith.addf %p, %q : f32
    %y = arith.divf %one, %s : f32
    tile.yield %y : f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %e = math.absf %x : f32
    tile.yield %e : f32
  } : memref<5x64xf32> into memref<5xf32>
  return
}

// A sum that is truncated after each addition gives other results in another order.
// CHECK:     @narrowed
// CHECK-NOT: {{WRONG|BROKEN}}
// CHECK:     launch {{ *}}equal
func.func @narrowed(%A: memref<64xf16>, %B: memref<f16>) {
  tile.reduce custom %A into %B axes [0] scope(grid) identity [0.0 : f16] combiner {
  ^bb0(%a: f16, %b: f16):
    %x = arith.extf %a : f16 to f32
    %y = arith.extf %b : f16 to f32
    %s = arith.addf %x, %y : f32
    %t = arith.truncf %s : f32 to f16
    tile.yield %t : f16
  } : memref<64xf16> into memref<f16>
  return
}

// A function at the border of its domain may have any result: here of a sum that is zero except for
// rounding.
// CHECK:     @beside_the_pole
// CHECK-NOT: {{WRONG|BROKEN}}
// CHECK:     launch {{ *}}equal
func.func @beside_the_pole(%A: memref<7x48xf32>, %B: memref<7xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) element {
  ^bb0(%x: f32, %i: index, %j: index):
    %n = arith.mulf %x, %x : f32
    %m = arith.negf %n : f32
    %e = math.exp %m : f32
    tile.yield %e : f32
  } epilogue {
  ^bb0(%s: f32, %i: index):
    %l = math.log %s : f32
    %e = math.exp %l : f32
    %d = arith.subf %e, %s : f32
    %y = math.rsqrt %d : f32
    tile.yield %y : f32
  } : memref<7x48xf32> into memref<7xf32>
  return
}

// The parts of a complex product are a difference and a sum of products. For zeros, the order determines the
// sign, and nothing else may differ.
// CHECK:     @complex
// CHECK-NOT: {{WRONG|BROKEN}}
// CHECK:     launch {{ *}}equal
func.func @complex(%A: memref<?x20xf32>, %B: memref<?x20xf32>, %C: memref<?xf32>, %D: memref<?xf32>) {
  tile.reduce custom %A, %B into %C, %D axes [1] scope(grid) identity [1.0 : f32, 0.0 : f32] combiner {
  ^bb0(%ar: f32, %ai: f32, %br: f32, %bi: f32):
    %rr = arith.mulf %ar, %br : f32
    %ii = arith.mulf %ai, %bi : f32
    %r = arith.subf %rr, %ii : f32
    %ri = arith.mulf %ar, %bi : f32
    %ir = arith.mulf %ai, %br : f32
    %i = arith.addf %ri, %ir : f32
    tile.yield %r, %i : f32, f32
  } : memref<?x20xf32>, memref<?x20xf32> into memref<?xf32>, memref<?xf32>
  return
}

// In longer rows, partial products overflow in some orders, even if zeros come first in another. This is no
// error. The report counts the inputs with several possible results. Here rows have many lengths.
// CHECK:     @complex_of_any for sm_80, {{.*}} inputs, {{[0-9]+}} of which cannot be compared
// CHECK-NOT: {{WRONG|BROKEN}}
// CHECK:     launch {{ *}}equal
func.func @complex_of_any(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?xf32>, %D: memref<?xf32>) {
  tile.reduce custom %A, %B into %C, %D axes [1] scope(grid) identity [1.0 : f32, 0.0 : f32] combiner {
  ^bb0(%ar: f32, %ai: f32, %br: f32, %bi: f32):
    %rr = arith.mulf %ar, %br : f32
    %ii = arith.mulf %ai, %bi : f32
    %r = arith.subf %rr, %ii : f32
    %ri = arith.mulf %ar, %bi : f32
    %ir = arith.mulf %ai, %br : f32
    %i = arith.addf %ri, %ir : f32
    tile.yield %r, %i : f32, f32
  } : memref<?x?xf32>, memref<?x?xf32> into memref<?xf32>, memref<?xf32>
  return
}

// An infinity in one part of a complex number makes the other part NaN with the identity.
// CHECK:     @one_complex
// CHECK-NOT: {{WRONG|BROKEN}}
// CHECK:     launch {{ *}}equal
func.func @one_complex(%A: memref<4x1xf32>, %B: memref<4x1xf32>, %C: memref<4xf32>, %D: memref<4xf32>) {
  tile.reduce custom %A, %B into %C, %D axes [1] scope(grid) identity [1.0 : f32, 0.0 : f32] combiner {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %ac = arith.mulf %a, %c : f32
    %bd = arith.mulf %b, %d : f32
    %re = arith.subf %ac, %bd : f32
    %ad = arith.mulf %a, %d : f32
    %bc = arith.mulf %b, %c : f32
    %im = arith.addf %ad, %bc : f32
    tile.yield %re, %im : f32, f32
  } : memref<4x1xf32>, memref<4x1xf32> into memref<4xf32>, memref<4xf32>
  return
}

// Arguments that only elements depend on are not part of the combiner, so its laws are tested.
// CHECK:      @scaled
// CHECK:      laws {{ *}}custom f32: hold
// CHECK:      launch {{ *}}equal
func.func @scaled(%A: memref<4x20xf32>, %s: f32, %B: memref<4xf32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0.0 : f32] combiner {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tile.yield %sum : f32
  } element {
  ^bb0(%x: f32, %i: index, %j: index):
    %e = arith.mulf %x, %s : f32
    tile.yield %e : f32
  } : memref<4x20xf32> into memref<4xf32>
  return
}
