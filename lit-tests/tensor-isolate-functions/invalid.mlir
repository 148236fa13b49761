// RUN: tx-opt %s --tensor-isolate-functions --verify-diagnostics

// The pass refuses nothing; the mark of its module stands on modules alone.
// expected-error @below {{'func.func' op has no attribute `tile.isolated`; known: tile.owned}}
func.func @f(%A: tensor<4xf32>) attributes {tile.isolated} {
  return
}
