//! Discardable attributes of the dialect, and suggestions for misspelt attribute names.

use crate::attributes::{Determinism, Fusion, Math, OPS};
use crate::diagnostic::{complain, send};
use crate::ffi::Sink;
use melior_upstream::ir::Attribute;
use mlir_sys::{MlirAttribute, MlirOperation};
use std::ffi::{c_char, c_void};
use tx_mlir::{
    Failed, Op, attribute, codes, dictionary, discardable_attributes, elements, name, nearest,
};

/// Attribute of a `tile.reduce`, or of the first op of a group, that lists candidate schedules. The
/// list of candidate schedules is an array attribute. The first element of the array of candidate
/// schedules is a string with the GPU and the assumed dimension lengths. Each array element after
/// the first is a pair of a candidate schedule and its estimated time in microseconds. The first
/// pair in the array of candidate schedules contains the chosen schedule.
pub const CANDIDATES: &str = "tile.candidates";

/// Attribute of a `memref.alloc` in a host function: the allocated memory is zero before and after
/// each run of the host function.
pub const CLEARED: &str = "tile.cleared";

/// Attribute of a `func.func` that sets the default value of the attribute `determinism` for all
/// ops in the function.
pub const DETERMINISM: &str = "tile.determinism";

/// Attribute of a kernel whose global loads have the L2 eviction policy `evict_last`.
pub const EVICT_LAST: &str = "tile.evict_last";

/// Attribute of a `func.func` that selects which ops of the function may share a kernel.
pub const FUSION: &str = "tile.fusion";

/// Group number of an op in a host function. One kernel computes all ops with the same group
/// number.
pub const GROUP: &str = "tile.group";

/// Attribute of a `func.func` that selects exact or approximate elementary functions and quotients
/// for the ops of the function.
pub const MATH: &str = "tile.math";

/// Number of the access set to which a memory access belongs. If several accesses of one access set
/// read or write the same element, a single thread performs all of these accesses.
pub const OWNED: &str = "tile.owned";

/// Attribute of the nested module that the pass `tensor-isolate-functions` creates.
pub const ISOLATED: &str = "tile.isolated";

/// Discardable attribute `tile.…` that `Tile.td` does not declare.
struct DiscardableAttribute {
    name: &'static str,
    /// Names of the ops that may have the attribute. If the list of op names is empty, any op may
    /// have the attribute.
    on: &'static [&'static str],
    /// Returns whether the value of the attribute has the expected kind.
    is: unsafe extern "C" fn(MlirAttribute) -> bool,
    /// Text that describes the expected kind of attribute value in messages.
    kind: &'static str,
}

/// All discardable attributes of the dialect. The verifier rejects every attribute whose name
/// begins with `tile.` and is not in `DISCARDABLE_ATTRIBUTES`.
const DISCARDABLE_ATTRIBUTES: [DiscardableAttribute; 9] = [
    DiscardableAttribute {
        name: CANDIDATES,
        on: &[],
        is: mlir_sys::mlirAttributeIsAArray,
        kind: "a list",
    },
    DiscardableAttribute {
        name: CLEARED,
        on: &["memref.alloc"],
        is: mlir_sys::mlirAttributeIsAUnit,
        kind: "a unit attribute",
    },
    DiscardableAttribute {
        name: DETERMINISM,
        on: &["func.func"],
        is: is_determinism,
        kind: "`#tile.determinism<any>`, `<run_to_run>` or `<batch_invariant>`",
    },
    DiscardableAttribute {
        name: EVICT_LAST,
        on: &["gpu.func", "llvm.func"],
        is: mlir_sys::mlirAttributeIsAUnit,
        kind: "a unit attribute",
    },
    DiscardableAttribute {
        name: FUSION,
        on: &["func.func"],
        is: is_fusion,
        kind: "`#tile.fusion<none>`, `<exact>` or `<algebraic>`",
    },
    DiscardableAttribute {
        name: GROUP,
        on: &[],
        is: mlir_sys::mlirAttributeIsAInteger,
        kind: "an integer",
    },
    DiscardableAttribute {
        name: ISOLATED,
        on: &["builtin.module"],
        is: mlir_sys::mlirAttributeIsAUnit,
        kind: "a unit attribute",
    },
    DiscardableAttribute {
        name: MATH,
        on: &["func.func"],
        is: is_math,
        kind: "`#tile.math<exact>` or `<approx>`",
    },
    DiscardableAttribute {
        name: OWNED,
        on: &[],
        is: mlir_sys::mlirAttributeIsAInteger,
        kind: "an integer",
    },
];

unsafe extern "C" fn is_determinism(attribute: MlirAttribute) -> bool {
    // SAFETY: MLIR passes a valid attribute.
    Determinism::of(unsafe { Attribute::from_raw(attribute) }).is_some()
}

unsafe extern "C" fn is_fusion(attribute: MlirAttribute) -> bool {
    // SAFETY: MLIR passes a valid attribute.
    Fusion::of(unsafe { Attribute::from_raw(attribute) }).is_some()
}

unsafe extern "C" fn is_math(attribute: MlirAttribute) -> bool {
    // SAFETY: MLIR passes a valid attribute.
    Math::of(unsafe { Attribute::from_raw(attribute) }).is_some()
}

impl DiscardableAttribute {
    fn fits(&self, op_name: &str) -> bool {
        self.on.is_empty() || self.on.contains(&op_name)
    }

    /// Returns the names of the discardable attributes that an op may have.
    fn names_on(op_name: &str) -> impl Iterator<Item = &'static str> {
        let on = DISCARDABLE_ATTRIBUTES
            .iter()
            .filter(move |declared| declared.fits(op_name));
        on.map(|declared| declared.name)
    }
}

/// Rejects unknown attributes of a `tile` op. Unknown attributes are usually misspelt, but MLIR
/// preserves unknown attributes without a warning. Accepts all attributes whose names contain a
/// dot, because such attributes belong to other dialects.
pub(crate) fn check_attributes(op: Op<'_>) -> Result<(), Failed> {
    for (found, _) in discardable_attributes(op) {
        let found = found.as_str();
        let is_foreign = found.contains('.') && !found.starts_with("tile.");
        if is_foreign || DiscardableAttribute::names_on(name(op)).any(|declared| declared == found)
        {
            continue;
        }
        let known: Vec<&str> = OPS
            .iter()
            .filter(|(op_name, _)| *op_name == name(op))
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        let mut report = complain(op, no_attribute(found)).code(codes::TX0035);
        let meant = nearest(
            found,
            known
                .iter()
                .copied()
                .chain(DiscardableAttribute::names_on(name(op))),
        );
        if let Some(meant) = meant {
            report = report.note(format!("did you mean `{meant}`?"));
        }
        let known = match known.is_empty() {
            true => "it has none".to_owned(),
            false => format!("known: {}", known.join(", ")),
        };
        return Err(report
            .note(format!(
                "{known}; a discardable attribute needs a dialect prefix, such as `mytool.{}`",
                found.trim_start_matches("tile.")
            ))
            .emit());
    }
    Ok(())
}

/// Names of the array attributes that contain the attributes of arguments, results and memory
/// attributions.
const NESTED: [&str; 4] = [
    "arg_attrs",
    "res_attrs",
    "workgroup_attrib_attrs",
    "private_attrib_attrs",
];

/// Rejects `tile.…` attributes of call arguments, of call results, and of memory attributions of
/// kernels. MLIR does not pass the attributes of arguments, results and memory attributions to the
/// dialect verifier.
///
/// # Errors
/// Fails if an argument, a result or a memory attribution has a `tile.…` attribute.
pub fn check_nested_attributes(op: Op<'_>) -> Result<(), Failed> {
    for list in NESTED {
        let entries = attribute(op, list).and_then(elements).unwrap_or_default();
        let names = entries
            .into_iter()
            .flat_map(dictionary)
            .map(|(name, _)| name);
        if let Some(found) = names.into_iter().find(|name| name.starts_with("tile.")) {
            return Err(complain(op, no_attribute(&found))
                .code(codes::TX0035)
                .emit());
        }
    }
    Ok(())
}

fn no_attribute(found: &str) -> String {
    format!("has no attribute `{found}`")
}

/// Verifies a `tile.…` attribute of `op`, an op of a dialect other than `tile`. Reports an error to
/// the C++ object `sink` if the attribute is invalid. `op` is null for attributes of arguments and
/// results.
pub(crate) unsafe extern "C" fn verify_attribute(
    op: MlirOperation,
    text: *const c_char,
    length: usize,
    value: MlirAttribute,
    emit: Sink,
    sink: *mut c_void,
) {
    // SAFETY: the text and `op` are valid during the call.
    let (found, on) = unsafe {
        let bytes = std::slice::from_raw_parts(text.cast::<u8>(), length);
        let on = (!op.ptr.is_null()).then(|| name(Op::from_raw(op)).to_owned());
        (String::from_utf8_lossy(bytes), on)
    };
    let known: Vec<&str> = on
        .iter()
        .flat_map(|on| DiscardableAttribute::names_on(on))
        .collect();
    if known.contains(&found.as_ref()) {
        let declared = DISCARDABLE_ATTRIBUTES
            .iter()
            .find(|declared| declared.name == found);
        // SAFETY: MLIR passes a valid attribute.
        if let Some(declared) = declared.filter(|one| !unsafe { (one.is)(value) }) {
            // SAFETY: C++ passes `sink` as the first argument that `emit` expects.
            unsafe {
                let message = format!("`{found}` must be {}", declared.kind);
                send(Some((codes::TX0035, message)), emit, sink);
            }
        }
        return;
    }
    let message = match (nearest(&found, known.iter().copied()), known.is_empty()) {
        (Some(meant), _) => format!("{}; did you mean `{meant}`?", no_attribute(&found)),
        (None, false) => format!("{}; known: {}", no_attribute(&found), known.join(", ")),
        (None, true) => no_attribute(&found),
    };
    // SAFETY: C++ passes `sink` as the first argument that `emit` expects.
    unsafe { send(Some((codes::TX0035, message)), emit, sink) }
}
