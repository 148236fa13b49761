//! Accessors for attributes of upstream dialects. MLIR's C API does not provide the accessors of
//! this module.

use crate::ffi;
use crate::ir::{Op, attribute};
use melior::Context;
use melior::ir::{Attribute, AttributeLike, Type, TypeLike};
use std::borrow::Cow;

/// Returns the keyword of an enum attribute, such as `bfly` of `#nvvm<shfl_kind bfly>`; `None` if
/// the C++ function `txEnumerator` does not support the attribute class.
pub fn enumerator(attribute: Attribute<'_>) -> Option<&'static str> {
    // SAFETY: the keywords are static strings of MLIR.
    match unsafe { ffi::txEnumerator(attribute.to_raw()).as_str() } {
        Cow::Borrowed(keyword) if !keyword.is_empty() => Some(keyword),
        _ => None,
    }
}

/// Returns the keyword of the enum attribute `name` of `op`.
pub fn enumerator_of(op: Op<'_>, name: &str) -> Option<&'static str> {
    attribute(op, name).and_then(enumerator)
}

/// Returns whether the `#arith.fastmath` or `#arith.overflow` attribute `name` of `op` contains
/// `flag`.
pub fn has_flag(op: Op<'_>, name: &str, flag: &str) -> bool {
    // SAFETY: C++ reads the text only during the call.
    attribute(op, name)
        .is_some_and(|a| unsafe { ffi::txHasFlag(a.to_raw(), ffi::TxStr::new(flag)) })
}

/// Returns the bounds of an `#llvm.constant_range`: lower inclusive, upper exclusive.
pub fn constant_range(attribute: Attribute<'_>) -> Option<[i64; 2]> {
    let mut bounds = [0; 2];
    // SAFETY: the call writes two numbers.
    unsafe { ffi::txConstantRange(attribute.to_raw(), bounds.as_mut_ptr()) }.then_some(bounds)
}

/// Returns the number of elements of the type `ty`; `None` if `ty` is not an `!llvm.array`.
pub fn array_length(ty: Type<'_>) -> Option<u64> {
    // SAFETY: the type is alive.
    u64::try_from(unsafe { ffi::txArrayLength(ty.to_raw()) }).ok()
}

/// Parameters of an `#nvvm.target`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NvvmTarget {
    /// Name of the chip, such as `sm_90`.
    pub chip: String,
    /// LLVM's target features, separated by commas.
    pub features: String,
    /// Whether all parameters of the `#nvvm.target` except the chip and the features have their
    /// default values.
    pub is_plain: bool,
}

impl NvvmTarget {
    /// Reads an `#nvvm.target` attribute; returns `None` for an attribute of any other kind.
    pub fn of(attribute: Attribute<'_>) -> Option<Self> {
        let mut found = std::mem::MaybeUninit::uninit();
        // SAFETY: the call initializes `found` when it returns true, and both texts are copied.
        unsafe {
            ffi::txNvvmTarget(attribute.to_raw(), found.as_mut_ptr()).then(|| {
                let found = found.assume_init();
                Self {
                    chip: found.chip.as_str().into_owned(),
                    features: found.features.as_str().into_owned(),
                    is_plain: found.plain,
                }
            })
        }
    }

    /// Returns an `#nvvm.target` with the given chip and features. The function copies all
    /// parameters except the chip and the features from `like`.
    ///
    /// # Panics
    /// Panics if `like` is not an `#nvvm.target`.
    pub fn attribute<'c>(
        context: &'c Context,
        like: Option<Attribute<'c>>,
        chip: &str,
        features: &str,
    ) -> Attribute<'c> {
        let null = mlir_sys::MlirAttribute {
            ptr: std::ptr::null(),
        };
        assert!(like.is_none_or(|like| Self::of(like).is_some()));
        let like = like.map_or(null, |like| like.to_raw());
        // SAFETY: `like` is null or an `#nvvm.target`; the texts are copied during the call.
        unsafe {
            Attribute::from_raw(ffi::txNvvmTargetFor(
                context.to_raw(),
                like,
                ffi::TxStr::new(chip),
                ffi::TxStr::new(features),
            ))
        }
    }
}
