// RUN: tx-opt %s --tile-schedule --split-input-file --verify-diagnostics

// Tensors have no memory for a kernel.
func.func @tensors(%A: tensor<4xf32>, %B: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{`linalg.exp` works on tensors, expected memrefs}}
  // expected-note @below {{`tensors-to-memrefs`}}
  %r = linalg.exp ins(%A : tensor<4xf32>) outs(%B : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A diagonal is not written: each loop must index one dimension of an output.
func.func @diagonal(%A: memref<4xf32>, %B: memref<4x4xf32>) {
  // expected-error @below {{`linalg.generic` indexes its output by (d0) -> (d0, d0), so several results could be written to one element}}
  // expected-note @below {{index the output by each dimension at most once, or by constants}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>],
                  iterator_types = ["parallel"]}
      ins(%A : memref<4xf32>) outs(%B : memref<4x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// A host function cannot use shared memory.
func.func @shared(%A: memref<4xf32, #gpu.address_space<workgroup>>, %B: memref<4xf32>) {
  // expected-error @below {{a host function requires global memory, found `memref<4xf32, #gpu.address_space<workgroup>>` in shared}}
  linalg.exp ins(%A : memref<4xf32, #gpu.address_space<workgroup>>) outs(%B : memref<4xf32>)
  return
}

// -----

// A loop can have only one `rfactor`.
func.func @twice(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1.o` has two `#tile.rfactor` steps}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 16>, #tile.rfactor<"d1.o">, #tile.rfactor<"d1.o">]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

func.func @resident(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`#tile.resident<4096>`: expected 1 to 2048 threads per SM}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.bind<"d0" to block_x>, #tile.resident<4096>]} : memref<?x?xf32> into memref<?xf32>
  return
}

// -----

func.func @itself(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  // expected-error @below {{`d0` is fused with itself}}
  tile.reduce sum %A into %B axes [] scope(grid) {schedule = [#tile.fuse<["d0", "d0"] to "p">]} : memref<?x?xf32> into memref<?x?xf32>
  return
}

// -----

func.func @written_out(%A: memref<?x64xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1.i` is already unrolled or vectorized}}
  // expected-note @below {{split and fuse loops before they are unrolled or vectorized}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 16>, #tile.unroll<"d1.i">, #tile.split<"d1.i" by 4>]} : memref<?x64xf32> into memref<?xf32>
  return
}

// -----

func.func @both_vectors(%A: memref<?x64xf32>, %B: memref<?xf32>) {
  // expected-error @below {{`d1.o.i` and `d1.i` are both vectorized}}
  // expected-note @below {{vectorize the innermost loop, and unroll others}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 4>, #tile.split<"d1.o" by 4>, #tile.vectorize<"d1.i">, #tile.vectorize<"d1.o.i">]} : memref<?x64xf32> into memref<?xf32>
  return
}

// -----

// Unrolled loops and accumulators are code of one thread, and limited.
func.func @much_code(%A: memref<?x4096xf32>, %B: memref<?xf32>) {
  // expected-error @below {{2048 iterations are unrolled with 1 accumulators per thread, expected at most 256 and 64}}
  tile.reduce sum %A into %B axes [1] scope(grid) {schedule = [#tile.split<"d1" by 64>, #tile.split<"d1.o" by 32>, #tile.unroll<"d1.i">, #tile.unroll<"d1.o.i">]} : memref<?x4096xf32> into memref<?xf32>
  return
}

// -----

// Two points of the iteration space must not write one element.
func.func @diagonals(%A: memref<8x8xf32>, %B: memref<15xf32>) {
  // expected-error @+2 {{d0 is a `parallel` loop, but no index of an output is d0 alone}}
  // expected-note @+1 {{index each output by every loop exactly once}}
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i + j)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : memref<8x8xf32>) outs(%B : memref<15xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}

// -----

// A kernel must not read elements that other threads write.
// expected-note @below {{it is declared here}}
memref.global "private" @state : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @not_constant(%A: memref<4xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`memref.get_global` of @state, which is not `constant`}}
  // expected-note @below {{kernels can read only a `memref.global constant` with a dense initial value; pass other memory as an argument}}
  %s = memref.get_global @state : memref<4xf32>
  linalg.mul ins(%A, %s : memref<4xf32>, memref<4xf32>) outs(%B : memref<4xf32>)
  return
}

// -----

// The memory is uninitialized.
// expected-note @below {{it is declared here}}
memref.global "private" constant @extern : memref<4xf32>
func.func @without_value(%A: memref<4xf32>, %B: memref<4xf32>) {
  // expected-error @below {{`memref.get_global` of @extern, which has no initial value}}
  // expected-note @below {{kernels can read only a `memref.global constant` with a dense initial value; pass other memory as an argument}}
  %s = memref.get_global @extern : memref<4xf32>
  linalg.mul ins(%A, %s : memref<4xf32>, memref<4xf32>) outs(%B : memref<4xf32>)
  return
}

// -----

// A module printed without its resource data.
// expected-error @below {{the elements of @elided cannot be read}}
// expected-note @below {{`dense_resource<__elided__>` has none}}
memref.global "private" constant @elided : memref<4xf32> = dense_resource<__elided__>
func.func @without_data(%A: memref<4xf32>, %B: memref<4xf32>) {
  %s = memref.get_global @elided : memref<4xf32>
  linalg.mul ins(%A, %s : memref<4xf32>, memref<4xf32>) outs(%B : memref<4xf32>)
  return
}

// -----

// A constant array, or a part of it, must not be written.
// expected-note @below {{it is declared here}}
memref.global "private" constant @fixed : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func @written(%A: memref<2xf32>) {
  %s = memref.get_global @fixed : memref<4xf32>
  %p = memref.subview %s[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  // expected-error @below {{output 0 is @fixed, which is `constant`}}
  // expected-note @below {{write to an argument, or copy the array to a temporary of `memref.alloc`}}
  linalg.exp ins(%A : memref<2xf32>) outs(%p : memref<2xf32, strided<[1]>>)
  return
}

// -----

// All constant arrays of a module have at most 64 MiB.
// expected-note @below {{@one takes 67108864 bytes}}
memref.global "private" constant @one : memref<8388608xf64> = dense<1.0>
// expected-note @below {{@two takes 4 bytes}}
memref.global "private" constant @two : memref<4xi8> = dense<[1, 2, 3, 4]>
// expected-error @below {{2 constant arrays take 67108868 bytes, expected at most 67108864}}
// expected-note @below {{pass the largest arrays as arguments of the function}}
func.func @too_large(%A: memref<8388608xf64>, %B: memref<8388608xf64>, %C: memref<4xi8>) {
  %s = memref.get_global @one : memref<8388608xf64>
  %t = memref.get_global @two : memref<4xi8>
  linalg.mul ins(%A, %s : memref<8388608xf64>, memref<8388608xf64>) outs(%B : memref<8388608xf64>)
  memref.copy %t, %C : memref<4xi8> to memref<4xi8>
  return
}
