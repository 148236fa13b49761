#include "tx/bridge.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int txLspMain(int argc, char **argv, MlirDialectRegistry registry) {
  return failed(mlir::MlirLspServerMain(argc, argv, *unwrap(registry)));
}
