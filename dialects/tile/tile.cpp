// C++ part of the `tile` dialect: code that TableGen generates, custom syntax directives, and
// functions through which Rust reads type and attribute parameters. The verifier rules are in Rust.

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tx::tile {
// Verifier functions in Rust. Rust sets the pointers before it registers the dialect. If a function
// with a parameter `sink` detects an error, it passes the error message to `sink`.
using Sink = void (*)(void *sink, unsigned code, const char *text, size_t length);
extern "C" {
bool (*tileVerifyOp)(MlirOperation op) = nullptr;
void (*tileVerifyAttribute)(MlirOperation op, const char *name, size_t length, MlirAttribute value, Sink emit,
                            void *sink) = nullptr;
void (*tileVerifyLayout)(const int64_t *iters, size_t shard, size_t replica, size_t offset,
                         Sink emit, void *sink) = nullptr;
void (*tileVerifyFragment)(const int64_t *shape, size_t rank, MlirType element,
                           const int64_t *iters, size_t shard, Sink emit, void *sink) = nullptr;
void (*tileUnknownWord)(MlirStringRef what, MlirStringRef word, const MlirStringRef *known, size_t count,
                        Sink emit, void *sink) = nullptr;
// If a diagnostic code has an explanatory note, passes the note to `sink`.
void (*tileExplain)(unsigned code, Sink emit, void *sink) = nullptr;
}
static LogicalResult verifyInRust(Operation *op) { return success(tileVerifyOp(wrap(op))); }
} // namespace tx::tile

#include "Dialect.h.inc"
#include "Enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "Attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "Types.h.inc"
#define GET_OP_CLASSES
#include "Ops.h.inc"

namespace tx::tile {

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

struct Complaint {
  unsigned code = 0;
  std::string text;
};
static void append(void *sink, unsigned code, const char *text, size_t length) {
  *static_cast<Complaint *>(sink) = {code, std::string(text, length)};
}
enum : unsigned { TX0036 = 36, TX0039 = 39 };
// Stores a diagnostic code in the metadata of an error, from which `tx_mlir::Diagnostic` reads the
// code.
static InFlightDiagnostic coded(unsigned code, InFlightDiagnostic error) {
  error.getUnderlyingDiagnostic()->getMetadata().emplace_back(code);
  Complaint note;
  tileExplain(code, append, &note);
  if (!note.text.empty())
    error.attachNote() << note.text;
  return error;
}
static LogicalResult complain(function_ref<InFlightDiagnostic()> emitError, const Complaint &complaint) {
  if (complaint.text.empty())
    return success();
  return coded(complaint.code, emitError()) << complaint.text;
}
static ParseResult unknownWord(AsmParser &parser, StringRef what, StringRef word, ArrayRef<StringRef> known) {
  SmallVector<MlirStringRef> words = llvm::map_to_vector(known, [](StringRef word) { return wrap(word); });
  Complaint complaint;
  tileUnknownWord(wrap(what), wrap(word), words.data(), words.size(), append, &complaint);
  return complain([&] { return parser.emitError(SMLoc::getFromPointer(word.data())); }, complaint);
}
// Parses a keyword of an enumeration. Error messages call the enumeration `what`.
template <typename Enum>
static ParseResult parseWord(AsmParser &parser, Enum &value, StringRef what) {
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  if (std::optional<Enum> found = symbolizeEnum<Enum>(word)) {
    value = *found;
    return success();
  }
  SmallVector<StringRef> known;
  for (uint32_t i = 0; !stringifyEnum(static_cast<Enum>(i)).empty(); ++i)
    known.push_back(stringifyEnum(static_cast<Enum>(i)));
  return unknownWord(parser, what, word, known);
}
template <typename Enum> static void printWord(AsmPrinter &printer, Enum value, StringRef) {
  printer << stringifyEnum(value);
}
// Parses an enum attribute as a bare keyword, such as `sum`.
template <typename A> static ParseResult parseKeyword(OpAsmParser &parser, A &attr) {
  decltype(attr.getValue()) value{};
  ParseResult parsed = parseWord(parser, value, A::getMnemonic());
  attr = A::get(parser.getContext(), value);
  return parsed;
}
template <typename A> static void printKeyword(OpAsmPrinter &printer, Operation *, A attr) {
  printer << stringifyEnum(attr.getValue());
}

// Names of the attributes that the custom syntax prints outside of the attribute dictionary.
static constexpr StringRef outside[] = {"kind",       "scope", "axes",   "accumulate",
                                        "identities", "width", "stride", "operandSegmentSizes"};

// Keywords of the op parts that may follow the attribute dictionary.
static constexpr StringRef partsOfReduce[] = {"accumulate", "identity", "combiner", "element", "epilogue"};
static constexpr StringRef partsOfAllReduce[] = {"width", "stride", "identity", "combiner"};
static constexpr StringRef regionNames[] = {"combiner", "element", "epilogue"};
// Parses a region. After a parse error, the parser deletes the region. The function therefore first
// drops all uses of the values that the region defines.
static ParseResult parseRegionOrDrop(OpAsmParser &parser, Region &region) {
  if (succeeded(parser.parseRegion(region)))
    return success();
  for (Block &block : region)
    block.dropAllDefinedValueUses();
  return failure();
}

// Parses `identity [...] combiner {...}`, the other regions of `tile.reduce`, and an attribute
// dictionary before or after them.
template <typename... Named>
static ParseResult parseAttrsAndRegions(OpAsmParser &parser, NamedAttrList &attrs,
                                        ArrayAttr &identities, Region &combiner, Named &...named) {
  using Op = std::conditional_t<sizeof...(Named) == 0, AllReduceOp, ReduceOp>;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(attrs))
    return failure();
  // The parser accepts an identity without a combiner, and a combiner without an identity. The
  // verifier rejects both.
  if (succeeded(parser.parseOptionalKeyword("identity")) && parser.parseAttribute(identities))
    return failure();
  Region *regions[] = {&combiner, &named...};
  for (auto [name, region] : llvm::zip(regionNames, regions))
    if (succeeded(parser.parseOptionalKeyword(name)) && parseRegionOrDrop(parser, *region))
      return failure();
  if (attrs.empty() && parser.parseOptionalAttrDict(attrs))
    return failure();
  if (StringRef word; succeeded(parser.parseOptionalKeyword(&word)))
    return unknownWord(parser, "part", word, sizeof...(Named) ? ArrayRef(partsOfReduce) : partsOfAllReduce);
  for (StringRef name : llvm::make_filter_range(outside, [&](auto n) { return attrs.get(n); }))
    return coded(TX0036, parser.emitError(at))
           << "attribute `" << name << "` has its own syntax, and is not allowed in the attribute dictionary";
  // Without this check, MLIR would silently drop an inherent attribute of the wrong kind.
  return Op::verifyInherentAttrs(OperationName(Op::getOperationName(), parser.getContext()), attrs,
                                 [&] { return coded(TX0036, parser.emitError(at)); });
}
template <typename... Named>
static void printAttrsAndRegions(OpAsmPrinter &printer, Operation *op, DictionaryAttr attrs,
                                 ArrayAttr identities, Region &combiner, Named &...named) {
  if (identities)
    printer << " identity " << identities;
  Region *regions[] = {&combiner, &named...};
  for (auto [name, region] : llvm::zip(regionNames, regions))
    if (!region->empty()) {
      printer << ' ' << name << ' ';
      printer.printRegion(*region);
    }
  printer.printOptionalAttrDict(attrs.getValue(), outside);
}

// Parses `[<extent : stride axis>, ...]`. In an offset list, the keyword `constant` replaces the
// stride.
static ParseResult parseIters(AsmParser &parser, SmallVectorImpl<IterAttr> &iters, bool constants) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    int64_t extent, stride = 1;
    Axis axis;
    if (parser.parseLess() || parser.parseInteger(extent) || parser.parseColon() ||
        (constants ? parser.parseKeyword("constant") : parser.parseInteger(stride)) ||
        parseWord(parser, axis, "axis") || parser.parseGreater())
      return failure();
    iters.push_back(IterAttr::get(parser.getContext(), extent, stride, axis));
    return success();
  });
}
static ParseResult parseLayoutBody(AsmParser &parser, SmallVector<IterAttr> &shard,
                                   SmallVector<IterAttr> &replica, SmallVector<IterAttr> &offset) {
  if (parseIters(parser, shard, false) ||
      (succeeded(parser.parseOptionalKeyword("replica")) && parseIters(parser, replica, false)) ||
      (succeeded(parser.parseOptionalKeyword("offset")) && parseIters(parser, offset, true)))
    return failure();
  return success();
}
// Prints a list of layout entries. If the list is optional and empty, the function prints nothing.
// An optional list follows a keyword.
static void printIters(AsmPrinter &printer, StringRef word, ArrayRef<IterAttr> iters,
                       bool constants = false) {
  if (iters.empty() && !word.empty())
    return;
  printer << word << '[';
  llvm::interleaveComma(iters, printer, [&](IterAttr iter) {
    printer << '<' << iter.getExtent() << " : ";
    constants ? (printer << "constant") : (printer << iter.getStride());
    printer << ' ' << stringifyAxis(iter.getAxis()) << '>';
  });
  printer << ']';
}
static void printLayoutBody(AsmPrinter &printer, ArrayRef<IterAttr> shard,
                            ArrayRef<IterAttr> replica, ArrayRef<IterAttr> offset) {
  printIters(printer, "", shard);
  printIters(printer, " replica ", replica);
  printIters(printer, " offset ", offset, true);
}

// `16x128xf32`
static ParseResult parseShapeAndElement(AsmParser &parser, SmallVector<int64_t> &shape,
                                        Type &element) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
                 parser.parseType(element));
}
static void printShapeAndElement(AsmPrinter &printer, ArrayRef<int64_t> shape, Type element) {
  for (int64_t size : shape)
    printer << size << 'x';
  printer << element;
}

} // namespace tx::tile

#include "Dialect.cpp.inc"
#include "Enums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "Types.cpp.inc"
#define GET_OP_CLASSES
#include "Ops.cpp.inc"

namespace tx::tile {

//===----------------------------------------------------------------------===//
// Parameters as plain numbers
//===----------------------------------------------------------------------===//

// Returns the triples (extent, stride, axis) of all entries of the lists.
static SmallVector<int64_t> flatten(ArrayRef<ArrayRef<IterAttr>> lists) {
  SmallVector<int64_t> numbers;
  for (ArrayRef<IterAttr> list : lists)
    for (IterAttr iter : list)
      numbers.append({iter.getExtent(), iter.getStride(), static_cast<int64_t>(iter.getAxis())});
  return numbers;
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<IterAttr> shard, ArrayRef<IterAttr> replica,
                                 ArrayRef<IterAttr> offset) {
  Complaint complaint;
  tileVerifyLayout(flatten({shard, replica, offset}).data(), shard.size(), replica.size(),
                   offset.size(), append, &complaint);
  return complain(emitError, complaint);
}
LogicalResult FragmentType::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape, Type element, LayoutAttr layout) {
  Complaint complaint;
  tileVerifyFragment(shape.data(), shape.size(), wrap(element), flatten({layout.getShard()}).data(),
                     layout.getShard().size(), append, &complaint);
  return complain(emitError, complaint);
}

void ReduceOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &source : getSourcesMutable())
    if (isa<MemRefType>(source.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &source);
  for (OpOperand &extra : getExtrasMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &extra);
  for (OpOperand &destination : getDestinationsMutable()) {
    if (getAccumulate())
      effects.emplace_back(MemoryEffects::Read::get(), &destination);
    effects.emplace_back(MemoryEffects::Write::get(), &destination);
  }
}

// Verifies a `tile.…` attribute of any op; `op` is null for attributes of arguments and results.
static LogicalResult verifyAttribute(Operation *at, Operation *op, NamedAttribute attr, const Twine &where) {
  Complaint complaint;
  StringRef name = attr.getName();
  tileVerifyAttribute(wrap(op), name.data(), name.size(), wrap(attr.getValue()), append, &complaint);
  return complain([&] { return at->emitOpError() << where; }, complaint);
}
LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  // The verifier of a `tile` op checks all attributes of the op.
  return op->getDialect() == this ? success() : verifyAttribute(op, op, attr, "");
}
LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                    NamedAttribute attr) {
  return verifyAttribute(op, nullptr, attr, "argument " + Twine(index) + " ");
}
LogicalResult TileDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                       NamedAttribute attr) {
  return verifyAttribute(op, nullptr, attr, "result " + Twine(index) + " ");
}

namespace {
// No `tile` op depends on the function that contains the op, so inlining is always legal.
struct Inliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }
};
// Prints layouts as aliases `#layout`, `#layout1`, ….
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attr))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Attrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "Types.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Ops.cpp.inc"
      >();
  addInterfaces<Aliases, Inliner>();
}

// Calls `numbers` four times: with the shape of a fragment, and with the (extent, stride, axis)
// triples of its shard, replica and offset entries. Returns false if `type` is not a fragment.
extern "C" bool tileFragment(MlirType type, MlirType *element,
                             void (*numbers)(void *data, const int64_t *, size_t), void *data) {
  auto fragment = dyn_cast<FragmentType>(unwrap(type));
  if (!fragment)
    return false;
  *element = wrap(fragment.getElement());
  numbers(data, fragment.getShape().data(), fragment.getShape().size());
  LayoutAttr layout = fragment.getLayout();
  for (ArrayRef<IterAttr> list : {layout.getShard(), layout.getReplica(), layout.getOffset()}) {
    SmallVector<int64_t> flat = flatten({list});
    numbers(data, flat.data(), flat.size());
  }
  return true;
}

} // namespace tx::tile

extern "C" { MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tile, tile); }
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Tile, tile, tx::tile::TileDialect)
#include "Accessors.cpp.inc"
