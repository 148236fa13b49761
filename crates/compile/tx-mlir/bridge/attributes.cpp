// Accessors of attributes that MLIR's C API does not cover.
#include "tx/bridge.h"

#include "mlir/CAPI/IR.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMAttrs.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "llvm/ADT/TypeSwitch.h"

// Includes only attribute classes, because the op classes of these dialects take 15 s to compile.
#include "mlir/Dialect/LLVMIR/NVVMOpsEnums.h.inc"
#include "mlir/Dialect/Linalg/IR/LinalgOpsEnums.h.inc"
#include "mlir/Dialect/Vector/IR/VectorEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "mlir/Dialect/LLVMIR/NVVMOpsAttributes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "mlir/Dialect/Linalg/IR/LinalgOpsAttrDefs.h.inc"
#define GET_ATTRDEF_CLASSES
#include "mlir/Dialect/Vector/IR/VectorAttributes.h.inc"

using namespace mlir;

static TxStr str(StringRef s) { return TxStr{s.data(), s.size()}; }

TxStr txEnumerator(MlirAttribute attribute) {
  return TypeSwitch<Attribute, TxStr>(unwrap(attribute))
      .Case<gpu::AddressSpaceAttr, gpu::AllReduceOperationAttr, gpu::DimensionAttr, gpu::ShuffleModeAttr,
            linalg::IteratorTypeAttr, NVVM::BarrierReductionAttr, NVVM::MatchSyncKindAttr,
            NVVM::MemOrderKindAttr, NVVM::MemScopeKindAttr, NVVM::ProxyKindAttr, NVVM::ReduxKindAttr,
            NVVM::SharedSpaceAttr, NVVM::ShflKindAttr, NVVM::VoteSyncKindAttr, vector::CombiningKindAttr>(
          [](auto each) { return str(stringifyEnum(each.getValue())); })
      .Case([](LLVM::LinkageAttr attribute) {
        return str(LLVM::linkage::stringifyLinkage(attribute.getLinkage()));
      })
      .Default([](Attribute) { return TxStr{nullptr, 0}; });
}

bool txHasFlag(MlirAttribute attribute, TxStr flag) {
  StringRef name(flag.data, flag.length);
  return TypeSwitch<Attribute, bool>(unwrap(attribute))
      .Case([&](arith::FastMathFlagsAttr flags) {
        auto one = arith::symbolizeFastMathFlags(name);
        return one && bitEnumContainsAll(flags.getValue(), *one);
      })
      .Case([&](arith::IntegerOverflowFlagsAttr flags) {
        auto one = arith::symbolizeIntegerOverflowFlags(name);
        return one && bitEnumContainsAll(flags.getValue(), *one);
      })
      .Default(false);
}

bool txConstantRange(MlirAttribute attribute, int64_t bounds[2]) {
  auto range = dyn_cast<LLVM::ConstantRangeAttr>(unwrap(attribute));
  if (!range || range.getLower().getBitWidth() > 64)
    return false;
  bounds[0] = range.getLower().getSExtValue();
  bounds[1] = range.getUpper().getSExtValue();
  return true;
}

int64_t txArrayLength(MlirType type) {
  auto array = dyn_cast<LLVM::LLVMArrayType>(unwrap(type));
  return array ? array.getNumElements() : -1;
}

TxStr txResourceBytes(MlirAttribute attribute) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(unwrap(attribute));
  return resource ? str(StringRef(resource.getData().data(), resource.getData().size())) : TxStr{nullptr, 0};
}

bool txNvvmTarget(MlirAttribute attribute, TxNvvmTarget *target) {
  auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(unwrap(attribute));
  if (!nvvm)
    return false;
  auto plain = NVVM::NVVMTargetAttr::get(nvvm.getContext(), 2, "nvptx64-nvidia-cuda", nvvm.getChip(),
                                         nvvm.getFeatures());
  *target = {str(nvvm.getChip()), str(nvvm.getFeatures()), nvvm == plain};
  return true;
}

MlirAttribute txNvvmTargetFor(MlirContext context, MlirAttribute like, TxStr chip, TxStr features) {
  auto old = like.ptr ? cast<NVVM::NVVMTargetAttr>(unwrap(like)) : NVVM::NVVMTargetAttr::get(unwrap(context));
  return wrap(NVVM::NVVMTargetAttr::get(
      unwrap(context), old.getO(), old.getTriple(), StringRef(chip.data, chip.length),
      StringRef(features.data, features.length), old.getFlags(), old.getLink(), old.getVerifyTarget()));
}
