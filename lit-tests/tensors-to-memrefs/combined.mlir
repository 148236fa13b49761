// RUN(TILE): tx-opt %s --tensors-to-memrefs --convert-linalg-to-tile
// RUN(RANGE): tx-opt %s --tensors-to-memrefs | tx run - --quiet --device cpu --entry max_minus_sum --arg full:0.5:4x8xf32 --arg zeros:4xf32
// RUN(OVER): tx-opt %s --tensors-to-memrefs | tx run - --quiet --device cpu --entry sum_over_max --arg full:0.5:4x8xf32 --arg zeros:4xf32
// RUN(UNDER): tx-opt %s --tensors-to-memrefs | tx run - --quiet --device cpu --entry max_over_sum --arg full:0.5:4x8xf32 --arg zeros:4xf32
// RUN(THREE): tx-opt %s --tensors-to-memrefs | tx run - --quiet --device cpu --entry three --arg full:0.5:4x8xf32 --arg zeros:4xf32
// RUN(VAR): tx-opt %s --tensors-to-memrefs | tx run - --quiet --device cpu --entry variance --arg full:0.5:4x8xf32 --arg zeros:4xf32

// Combined results of several reductions share memory after bufferization. The combining op works in place,
// and is fused into the reduction with this memory, or stays alone.
// TILE-LABEL: func.func @max_minus_sum
// TILE-COUNT-2: tile.reduce
// RANGE: -3.5 {{ *}}-3.5
func.func @max_minus_sum(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %lo = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4xf32>
  %zs = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %ls = linalg.fill ins(%lo : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%zs : tensor<4xf32>) dimensions = [1]
  %q = linalg.reduce {arith.maximumf} ins(%A : tensor<4x8xf32>) outs(%ls : tensor<4xf32>) dimensions = [1]
  %r = arith.subf %q, %s : tensor<4xf32>
  return %r : tensor<4xf32>
}

// TILE-LABEL: func.func @sum_over_max
// TILE-COUNT-2: tile.reduce
// OVER: 8. {{ *}}8.
func.func @sum_over_max(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %lo = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4xf32>
  %zs = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %ls = linalg.fill ins(%lo : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%zs : tensor<4xf32>) dimensions = [1]
  %q = linalg.reduce {arith.maximumf} ins(%A : tensor<4x8xf32>) outs(%ls : tensor<4xf32>) dimensions = [1]
  %r = arith.divf %s, %q : tensor<4xf32>
  return %r : tensor<4xf32>
}

// TILE-LABEL: func.func @max_over_sum
// TILE-COUNT-2: tile.reduce
// UNDER: 0.125 {{ *}}0.125
func.func @max_over_sum(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %lo = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4xf32>
  %zs = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %ls = linalg.fill ins(%lo : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %q = linalg.reduce {arith.maximumf} ins(%A : tensor<4x8xf32>) outs(%ls : tensor<4xf32>) dimensions = [1]
  %s = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%zs : tensor<4xf32>) dimensions = [1]
  %r = arith.divf %q, %s : tensor<4xf32>
  return %r : tensor<4xf32>
}

// TILE-LABEL: func.func @three
// TILE-COUNT-3: tile.reduce
// THREE: 4.5 {{ *}}4.5
func.func @three(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lo = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4xf32>
  %zs = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %os = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %ls = linalg.fill ins(%lo : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%zs : tensor<4xf32>) dimensions = [1]
  %q = linalg.reduce {arith.maximumf} ins(%A : tensor<4x8xf32>) outs(%ls : tensor<4xf32>) dimensions = [1]
  %p = linalg.reduce {arith.maximumf} ins(%A : tensor<4x8xf32>) outs(%os : tensor<4xf32>) dimensions = [1]
  %a = arith.addf %s, %q : tensor<4xf32>
  %r = arith.mulf %a, %p : tensor<4xf32>
  return %r : tensor<4xf32>
}

// The mean of squares minus the square of the mean.
// TILE-LABEL: func.func @variance
// TILE-COUNT-2: tile.reduce
// VAR: 0. {{ *}}0.
func.func @variance(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant dense<8.0> : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %zs = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %squares = arith.mulf %A, %A : tensor<4x8xf32>
  %s = linalg.reduce {arith.addf} ins(%A : tensor<4x8xf32>) outs(%zs : tensor<4xf32>) dimensions = [1]
  %q = linalg.reduce {arith.addf} ins(%squares : tensor<4x8xf32>) outs(%zs : tensor<4xf32>) dimensions = [1]
  %mean = arith.divf %s, %n : tensor<4xf32>
  %mean2 = arith.mulf %mean, %mean : tensor<4xf32>
  %meanq = arith.divf %q, %n : tensor<4xf32>
  %r = arith.subf %meanq, %mean2 : tensor<4xf32>
  return %r : tensor<4xf32>
}
