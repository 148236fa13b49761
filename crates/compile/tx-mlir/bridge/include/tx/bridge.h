// The C interface between tx's Rust code and MLIR's C++ pass registry and driver.
//
// The bridge does not depend on the passes and dialects of tx. During registration, the Rust code
// passes function pointers to the bridge, so no C++ object file refers to a Rust symbol by name.
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

// Receives the text that a callback writes, such as an error message.
typedef void (*TxSink)(void *sink, TxStr text);

typedef struct {
  TxStr argument, summary, anchor;
  const TxOption *options;
  size_t optionCount;
  const TxStatistic *statistics;
  size_t statisticCount;
  const void *rust; // the Rust description of the pass; its address is the pass's TypeID
  // Adds the dialects whose ops the pass creates.
  void (*dialects)(const void *rust, MlirDialectRegistry registry);
  // Checks option values at pipeline parsing; writes an error to `sink` and returns false.
  bool (*check)(const void *rust, const TxStr *values, TxSink emit, void *sink);
  // Runs the pass. Returns false after it emitted error diagnostics.
  bool (*run)(const void *rust, MlirOperation op, const TxStr *values, int64_t *statistics);
} TxPass;

typedef struct {
  TxStr argument, summary;
  const TxOption *options;
  size_t optionCount;
  const void *rust;
  // Writes the text of the pipeline to `out`, or an error message to `error` and returns false.
  bool (*expand)(const void *rust, const TxStr *values, TxSink emit, void *out, void *error);
} TxPipeline;

void txRegisterPass(const TxPass *pass);
void txRegisterPipeline(const TxPipeline *pipeline);
// Returns whether a pass or a pipeline has this name.
bool txIsRegistered(TxStr name);

// Registers the interfaces that `gpu-module-to-binary` and the translation to LLVM IR need.
void txRegisterTranslations(MlirDialectRegistry registry);

// Runs the main function of `mlir-opt` with the dialects of `registry`. The output of `--help`
// begins with `overview`.
int txOptMain(int argc, char **argv, TxStr overview, MlirDialectRegistry registry);

// Runs the main function of `mlir-lsp-server` with the dialects of `registry`. The function is in a
// separate object file, so the linker adds the LSP server only to programs that call this function.
int txLspMain(int argc, char **argv, MlirDialectRegistry registry);

// Parses text or bytecode as a module. Returns null on failure. The text may omit the module op.
MlirModule txParseModule(MlirContext context, TxStr name, TxStr source);
// Returns false for a dense array whose elements are neither integers nor floats, otherwise true.
bool txHoldsNumbers(MlirAttribute attribute);

// Accessors of upstream attributes that MLIR's C API does not cover.

// Returns the keyword of an enum attribute, such as `bfly` of `#nvvm<shfl_kind bfly>`, or "".
TxStr txEnumerator(MlirAttribute attribute);
// Returns whether an `#arith.fastmath` or `#arith.overflow` attribute contains the flag.
bool txHasFlag(MlirAttribute attribute, TxStr flag);
// Writes the bounds of an `#llvm.constant_range`: lower inclusive, upper exclusive.
bool txConstantRange(MlirAttribute attribute, int64_t bounds[2]);
// Returns the number of elements of an `!llvm.array`; -1 for another type.
int64_t txArrayLength(MlirType type);
// Returns the data of a `dense_resource`; empty for another attribute or an elided resource.
TxStr txResourceBytes(MlirAttribute attribute);

typedef struct {
  TxStr chip, features;
  bool plain; // Every other parameter has its default value.
} TxNvvmTarget;

// Reads the parameters of an `#nvvm.target`; returns false for another attribute.
bool txNvvmTarget(MlirAttribute attribute, TxNvvmTarget *target);
// Returns an `#nvvm.target` with the given chip and features. If `like` is not null, the function
// copies all other parameters from `like`.
MlirAttribute txNvvmTargetFor(MlirContext context, MlirAttribute like, TxStr chip, TxStr features);

// Emits a diagnostic with notes. Severity: 0 error, 1 warning, 2 remark. If `code` is 0, the
// diagnostic has no code. If `noteLocations[i].ptr` is null, note `i` has the location `location`.
void txEmit(MlirLocation location, int severity, unsigned code, TxStr message,
            const MlirLocation *noteLocations, const TxStr *notes, size_t noteCount);
// Returns the code in the metadata of a diagnostic; 0 if the diagnostic has no code.
unsigned txCode(MlirDiagnostic diagnostic);

// Calls `effect` for each memory effect that `op` declares. Kinds: 0 read, 1 write, 2 allocate, 3
// free. If the affected memory is neither an operand nor a result of `op`, the callback receives a
// null value. Returns false if `op` does not declare its effects.
bool txMemoryEffects(MlirOperation op, void (*effect)(void *data, int kind, MlirValue value),
                     void *data);

// Calls `run` with `data` before each optional LLVM pass over IR in `context`, an `LLVMContext`. If
// `run` returns false, LLVM skips the optional pass. `unit` describes the IR, such as `function
// (name)`. The caller must free the returned gate after it has freed `context`.
void *txGatePasses(void *context, bool (*run)(void *data, TxStr pass, TxStr unit), void *data);
void txFreeGate(void *gate);

// Returns whether `op` is pure: speculatable and without memory effects.
bool txIsPure(MlirOperation op);

#ifdef __cplusplus
}
#endif
