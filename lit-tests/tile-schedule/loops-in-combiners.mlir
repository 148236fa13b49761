// RUN: tx-opt %s --tile-schedule
// SNAPSHOT: none — validation checks what is computed, CHECK lines that combiners keep their control flow

// The greatest common divisor as a combiner, whose condition excludes a division by 0.
// CHECK-LABEL: gpu.func @divisor_0(
// CHECK:         scf.while
// CHECK:           scf.condition
// CHECK:           arith.remui
func.func @divisor(%A: memref<7x100xi32>, %B: memref<7xi32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [0 : i32] combiner {
  ^bb0(%x: i32, %y: i32):
    %zero = arith.constant 0 : i32
    %r:2 = scf.while (%a = %x, %b = %y) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %b, %zero : i32
      scf.condition(%more) %a, %b : i32, i32
    } do {
    ^bb0(%a: i32, %b: i32):
      %m = arith.remui %a, %b : i32
      scf.yield %b, %m : i32, i32
    }
    tile.yield %r#0 : i32
  } : memref<7x100xi32> into memref<7xi32>
  return
}

// A maximum chosen by a switch.
// CHECK-LABEL: gpu.func @chosen_0(
// CHECK:         scf.index_switch
func.func @chosen(%A: memref<7x48xi32>, %B: memref<7xi32>) {
  tile.reduce custom %A into %B axes [1] scope(grid) identity [-2147483648 : i32] combiner {
  ^bb0(%x: i32, %y: i32):
    %less = arith.cmpi slt, %x, %y : i32
    %case = arith.index_castui %less : i1 to index
    %r = scf.index_switch %case -> i32
    case 0 {
      scf.yield %x : i32
    }
    default {
      scf.yield %y : i32
    }
    tile.yield %r : i32
  } : memref<7x48xi32> into memref<7xi32>
  return
}
