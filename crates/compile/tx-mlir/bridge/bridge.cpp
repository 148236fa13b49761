#include "tx/bridge.h"

#include "mlir/CAPI/Diagnostics.h"
#include "mlir/CAPI/IR.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/OptBisect.h"

using namespace mlir;

namespace {

StringRef ref(TxStr s) { return StringRef(s.data, s.length); }
TxStr str(StringRef s) { return TxStr{s.data(), s.size()}; }
void append(void *sink, TxStr text) { static_cast<std::string *>(sink)->append(text.data, text.length); }

/// Options of a pass or a pipeline. The constructor creates the options from a table that the Rust
/// code passes. Option values are text, which the Rust code parses.
template <typename Owner, template <typename...> class Opt> struct Options {
  SmallVector<std::unique_ptr<Opt<std::string>>> options;

  Options(Owner &owner, const TxOption *table, size_t count) {
    for (const TxOption &o : ArrayRef(table, count))
      options.push_back(std::make_unique<Opt<std::string>>(
          owner, o.name, llvm::cl::desc(o.help), llvm::cl::value_desc(o.type),
          llvm::cl::init(std::string(o.init)), llvm::cl::ValueOptional));
  }
  SmallVector<TxStr> values() const {
    return llvm::map_to_vector(options, [](auto &option) { return str(option->getValue()); });
  }
};

template <typename T> using PassOption = Pass::Option<T>;

/// Pass implemented by a Rust function.
class RustPass : public Pass {
public:
  explicit RustPass(const TxPass *info)
      : Pass(TypeID::getFromOpaquePointer(info->rust), ref(info->anchor)), info(info),
        options(*this, info->options, info->optionCount) {
    for (const TxStatistic &s : ArrayRef(info->statistics, info->statisticCount))
      counters.push_back(std::make_unique<Statistic>(this, s.name, s.help));
  }
  // MLIR copies the option values; the other data is static.
  RustPass(const RustPass &other) : RustPass(other.info) {}

  StringRef getName() const override { return ref(info->argument); }
  StringRef getArgument() const override { return ref(info->argument); }
  StringRef getDescription() const override { return ref(info->summary); }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return name.getStringRef() == ref(info->anchor);
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    info->dialects(info->rust, wrap(&registry));
  }
  LogicalResult initializeOptions(StringRef text,
                                  function_ref<LogicalResult(const Twine &)> onError) override {
    if (failed(Pass::initializeOptions(text, onError)))
      return failure();
    std::string error;
    bool fine = info->check(info->rust, options.values().data(), append, &error);
    return fine ? success() : onError(error);
  }
  std::unique_ptr<Pass> clonePass() const override { return std::make_unique<RustPass>(*this); }

  void runOnOperation() override {
    SmallVector<int64_t> counts(counters.size(), 0);
    if (!info->run(info->rust, wrap(getOperation()), options.values().data(), counts.data()))
      signalPassFailure();
    for (auto [counter, count] : llvm::zip(counters, counts))
      *counter += static_cast<unsigned>(count);
  }

private:
  const TxPass *info;
  Options<Pass, PassOption> options;
  SmallVector<std::unique_ptr<Statistic>> counters;
};

template <typename T> using PipelineOption = mlir::detail::PassOptions::Option<T>;

struct PipelineOptions : mlir::detail::PassOptions {
  Options<mlir::detail::PassOptions, PipelineOption> table;
  explicit PipelineOptions(const TxPipeline *info)
      : table(*this, info->options, info->optionCount) {}
};

} // namespace

void txRegisterPass(const TxPass *pass) {
  registerPass([pass] { return std::make_unique<RustPass>(pass); });
}

void txRegisterPipeline(const TxPipeline *info) {
  registerPassPipeline(
      ref(info->argument), ref(info->summary),
      [info](OpPassManager &pm, StringRef text,
             function_ref<LogicalResult(const Twine &)> onError) -> LogicalResult {
        PipelineOptions options(info);
        std::string parseError;
        llvm::raw_string_ostream parseErrors(parseError);
        if (failed(options.parseFromString(text, parseErrors)))
          return onError(parseError);
        std::string pipeline, error;
        if (!info->expand(info->rust, options.table.values().data(), append, &pipeline, &error))
          return onError(error);
        llvm::raw_string_ostream errors(error);
        return succeeded(parsePassPipeline(pipeline, pm, errors)) ? success() : onError(error);
      },
      [info](function_ref<void(const mlir::detail::PassOptions &)> show) {
        show(PipelineOptions(info));
      });
}

bool txIsRegistered(TxStr name) {
  return PassInfo::lookup(ref(name)) || PassPipelineInfo::lookup(ref(name));
}

void txRegisterTranslations(MlirDialectRegistry registry) {
  registerAllGPUToLLVMIRTranslations(*unwrap(registry));
  registerAllToLLVMIRTranslations(*unwrap(registry));
}

int txOptMain(int argc, char **argv, TxStr overview, MlirDialectRegistry registry) {
  return asMainReturnCode(MlirOptMain(argc, argv, ref(overview), *unwrap(registry)));
}

MlirModule txParseModule(MlirContext context, TxStr name, TxStr source) {
  return wrap(
      parseSourceString<ModuleOp>(ref(source), ParserConfig(unwrap(context)), ref(name)).release());
}

bool txHoldsNumbers(MlirAttribute attribute) {
  auto array = dyn_cast<DenseArrayAttr>(unwrap(attribute));
  return !array || array.getElementType().isIntOrFloat();
}

unsigned txCode(MlirDiagnostic diagnostic) {
  ArrayRef<DiagnosticArgument> metadata = unwrap(diagnostic).getMetadata();
  using Kind = DiagnosticArgument::DiagnosticArgumentKind;
  bool has = metadata.size() == 1 && metadata[0].getKind() == Kind::Unsigned;
  return has ? metadata[0].getAsUnsigned() : 0;
}

void txEmit(MlirLocation location, int severity, unsigned code, TxStr message,
            const MlirLocation *noteLocations, const TxStr *notes, size_t noteCount) {
  static constexpr DiagnosticSeverity kinds[] = {
      DiagnosticSeverity::Error, DiagnosticSeverity::Warning, DiagnosticSeverity::Remark};
  Location loc = unwrap(location);
  InFlightDiagnostic diagnostic =
      loc->getContext()->getDiagEngine().emit(loc, kinds[severity]) << ref(message);
  if (code)
    diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(code);
  for (size_t i = 0; i < noteCount; ++i) {
    auto at = noteLocations[i].ptr ? std::optional(unwrap(noteLocations[i])) : std::nullopt;
    diagnostic.attachNote(at) << ref(notes[i]);
  }
}

bool txMemoryEffects(MlirOperation op, void (*effect)(void *, int, MlirValue), void *data) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(unwrap(op));
  if (!interface)
    return unwrap(op)->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(unwrap(op));
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (auto &e : effects) {
    MemoryEffects::Effect *is = e.getEffect();
    int kind = isa<MemoryEffects::Read>(is) ? 0 : isa<MemoryEffects::Write>(is) ? 1 : 2;
    kind += isa<MemoryEffects::Free>(is);
    effect(data, kind, e.getValue() ? wrap(e.getValue()) : MlirValue{nullptr});
  }
  return true;
}

bool txIsPure(MlirOperation op) { return isPure(unwrap(op)); }

namespace {
struct Gate : llvm::OptPassGate {
  bool (*run)(void *, TxStr, TxStr);
  void *data;
  Gate(bool (*run)(void *, TxStr, TxStr), void *data) : run(run), data(data) {}
  bool shouldRunPass(StringRef pass, StringRef unit) const override {
    return run(data, str(pass), str(unit));
  }
  bool isEnabled() const override { return true; }
};
} // namespace

void *txGatePasses(void *context, bool (*run)(void *, TxStr, TxStr), void *data) {
  auto *gate = new Gate(run, data);
  static_cast<llvm::LLVMContext *>(context)->setOptPassGate(*gate);
  return gate;
}
void txFreeGate(void *gate) { delete static_cast<Gate *>(gate); }
