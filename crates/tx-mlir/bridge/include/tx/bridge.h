// The C interface between tx's Rust code and MLIR's C++ pass registry and driver.
//
// Everything here is generic: it knows no pass, no dialect and takes no decision. Rust hands
// over function pointers at registration, so no C++ object file refers to a Rust symbol by name.
#pragma once

#include "mlir-c/Diagnostics.h"
#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *data;
  size_t length;
} TxStr;

typedef struct {
  const char *name, *help, *type, *init; // NUL-terminated, static
} TxOption;

typedef struct {
  const char *name, *help; // NUL-terminated, static
} TxStatistic;

// Receives one line of text (an error message) while a callback runs.
typedef void (*TxSink)(void *sink, TxStr text);

typedef struct {
  TxStr argument, summary, anchor;
  const TxOption *options;
  size_t optionCount;
  const TxStatistic *statistics;
  size_t statisticCount;
  const void *rust; // the Rust description; also the pass's TypeID
  // Adds the dialects whose ops the pass creates.
  void (*dialects)(const void *rust, MlirDialectRegistry registry);
  // Checks option values when the pipeline is parsed; explains a refusal to `sink`.
  bool (*check)(const void *rust, const TxStr *values, TxSink emit, void *sink);
  // Runs the pass. Diagnostics were emitted when it returns false.
  bool (*run)(const void *rust, MlirOperation op, const TxStr *values, int64_t *statistics);
} TxPass;

typedef struct {
  TxStr argument, summary;
  const TxOption *options;
  size_t optionCount;
  const void *rust;
  // Writes the pipeline's text to `out`, or explains to `error` why there is none.
  bool (*expand)(const void *rust, const TxStr *values, TxSink emit, void *out, void *error);
} TxPipeline;

void txRegisterPass(const TxPass *pass);
void txRegisterPipeline(const TxPipeline *pipeline);
// Whether a pass or a pipeline has this name.
bool txIsRegistered(TxStr name);

// Makes `gpu-module-to-binary` and LLVM IR translation work in contexts made from `registry`.
void txRegisterTranslations(MlirDialectRegistry registry);

// `mlir-opt`'s main function over `registry`; `--help` begins with `overview`.
int txOptMain(int argc, char **argv, TxStr overview, MlirDialectRegistry registry);

// `mlir-lsp-server`'s main function over `registry`. It is in an object of its own: who does not
// call it does not link it.
int txLspMain(int argc, char **argv, MlirDialectRegistry registry);

// Parses text or bytecode as a module (an implicit one where the text has none); null on failure.
MlirModule txParseModule(MlirContext context, TxStr name, TxStr source);
// Whether an attribute is anything but a dense array of what is no integer and no float.
bool txHoldsNumbers(MlirAttribute attribute);

// Attributes of upstream dialects that MLIR's C API does not know.

// The keyword of an enumeration, such as `bfly` of `#nvvm<shfl_kind bfly>`. No data for others.
TxStr txEnumerator(MlirAttribute attribute);
// Whether `#arith.fastmath` or `#arith.overflow` has the flag of this name.
bool txHasFlag(MlirAttribute attribute, TxStr flag);
// The least number of `#llvm.constant_range`, and the first beyond it.
bool txConstantRange(MlirAttribute attribute, int64_t bounds[2]);
// The number of elements of an `!llvm.array`; -1 for another type.
int64_t txArrayLength(MlirType type);
// The data of `dense_resource`; no data for others, and for a resource that is elided.
TxStr txResourceBytes(MlirAttribute attribute);

typedef struct {
  TxStr chip, features;
  bool plain; // Every other parameter has its default value.
} TxNvvmTarget;

// The parameters of `#nvvm.target`; false for other attributes.
bool txNvvmTarget(MlirAttribute attribute, TxNvvmTarget *target);
// An `#nvvm.target`, with the other parameters of `like` where that is not null.
MlirAttribute txNvvmTargetFor(MlirContext context, MlirAttribute like, TxStr chip, TxStr features);

// Emits a diagnostic with notes. Severity: 0 error, 1 warning, 2 remark. `code` is 0 where it has
// none. A note without a location of its own (`noteLocations[i].ptr` null) stands at `location`.
void txEmit(MlirLocation location, int severity, unsigned code, TxStr message,
            const MlirLocation *noteLocations, const TxStr *notes, size_t noteCount);
// The code of a diagnostic: the only number in its metadata, or 0.
unsigned txCode(MlirDiagnostic diagnostic);

// Memory effects of `op` itself. Kinds: 0 read, 1 write, 2 allocate, 3 free. A null value stands
// for memory that is not named. Returns false when the op does not declare its effects.
bool txMemoryEffects(MlirOperation op, void (*effect)(void *data, int kind, MlirValue value),
                     void *data);

// Whether `op` only computes its results, or (with `recursive`) the ops in its regions do.
bool txIsPure(MlirOperation op);

#ifdef __cplusplus
}
#endif
