//! Attributes of upstream dialects that MLIR's C API does not know.

use crate::ffi;
use crate::ir::{Op, attribute};
use melior::Context;
use melior::ir::{Attribute, AttributeLike, Type, TypeLike};
use std::borrow::Cow;

/// The keyword of an enumeration, such as `bfly` of `#nvvm<shfl_kind bfly>`; `None` for an attribute
/// that is none of those that the passes and the executor read.
pub fn enumerator(attribute: Attribute<'_>) -> Option<&'static str> {
    // SAFETY: the keywords are constants of MLIR.
    match unsafe { ffi::txEnumerator(attribute.to_raw()).as_str() } {
        Cow::Borrowed(keyword) if !keyword.is_empty() => Some(keyword),
        _ => None,
    }
}

/// The keyword of an attribute of `op` that is an enumeration.
pub fn enumerator_of(op: Op<'_>, name: &str) -> Option<&'static str> {
    attribute(op, name).and_then(enumerator)
}

/// Whether the `#arith.fastmath` or `#arith.overflow` of an op has a flag.
pub fn has_flag(op: Op<'_>, name: &str, flag: &str) -> bool {
    // SAFETY: the text is read during the call.
    attribute(op, name)
        .is_some_and(|a| unsafe { ffi::txHasFlag(a.to_raw(), ffi::TxStr::new(flag)) })
}

/// The least number of an `#llvm.constant_range`, and the first beyond it.
pub fn constant_range(attribute: Attribute<'_>) -> Option<[i64; 2]> {
    let mut bounds = [0; 2];
    // SAFETY: two numbers are written.
    unsafe { ffi::txConstantRange(attribute.to_raw(), bounds.as_mut_ptr()) }.then_some(bounds)
}

/// The number of elements of an `!llvm.array`; `None` for another type.
pub fn array_length(ty: Type<'_>) -> Option<u64> {
    // SAFETY: a plain query.
    u64::try_from(unsafe { ffi::txArrayLength(ty.to_raw()) }).ok()
}

/// The parameters of an `#nvvm.target`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NvvmTarget {
    /// Name of the chip, such as `sm_90`.
    pub chip: String,
    /// LLVM's features, separated by commas.
    pub features: String,
    /// Whether every other parameter has its default value.
    pub is_plain: bool,
}

impl NvvmTarget {
    /// Those of an attribute; `None` where it is no `#nvvm.target`.
    pub fn of(attribute: Attribute<'_>) -> Option<Self> {
        let mut found = std::mem::MaybeUninit::uninit();
        // SAFETY: all is written where there is a target, whose texts are copied.
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

    /// An `#nvvm.target` for a chip, with the other parameters of `like`.
    ///
    /// # Panics
    /// If `like` is no `#nvvm.target`.
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
