//! Parsing of a program, and conversion of the program from tensors to memrefs.

use crate::error::{Error, ErrorKind};
use crate::plan::is_private;
use crate::source::Source;
use crate::unregistered;
use melior::ir::Module;
use std::time::Instant;
use tx_mlir::{Op, Session, is, string_attribute, top, walk};

const TENSORS_TO_MEMREFS: &str = "tensors-to-memrefs";

const DECOMPOSE_SOFTMAX: &str = "linalg-decompose-softmax";

/// Pass that evaluates sizes which a host function stores to memory and then loads again.
const COMPUTE_SIZES: &str = "func-compute-sizes";

const DROP_ASSERTS: &str = "linalg-drop-asserts";

/// Callback that [`load`] calls after parsing, and after the conversion from tensors to memrefs.
/// The arguments of the callback are the name of the completed step, the start time of the step,
/// and the module.
type LoadCallback<'l> = dyn FnMut(&str, Instant, &Module<'_>) + 'l;

/// Parses a program, bufferizes its functions on tensors, and inlines calls between host functions.
/// If `asserts` is false, the function removes the assertions in bodies of linalg ops.
pub(crate) fn load<'s>(
    session: &'s Session,
    source: &Source,
    asserts: bool,
    loaded: &mut LoadCallback<'_>,
) -> Result<Module<'s>, Error> {
    let start = Instant::now();
    let mut module = parse(session, source)?;
    loaded("parse", start, &module);
    unregistered::remove(&module, source).map_err(|_| {
        let fallback = "an op of a dialect that is not registered";
        Error::reported(ErrorKind::Unsupported, session.take_diagnostics(), fallback)
    })?;
    let first = tx_passes::has_softmax(&top(&module)).then_some(DECOMPOSE_SOFTMAX);
    let has_tensors = tx_passes::has_tensors(top(&module));
    let drops = !asserts && tx_passes::has_body_asserts(top(&module));
    let sizes = tx_passes::has_host_stores(top(&module)).then_some(COMPUTE_SIZES);
    let last = Vec::from_iter(drops.then_some(DROP_ASSERTS).into_iter().chain(sizes));
    let (name, then) = match (has_tensors, has_calls(&module)) {
        (true, _) if asserts => (TENSORS_TO_MEMREFS, Some("tensors-to-memrefs{asserts=true}")),
        (true, _) => (TENSORS_TO_MEMREFS, Some(TENSORS_TO_MEMREFS)),
        (false, true) => ("inline", Some(tx_passes::INLINE)),
        (false, false) => match first.or(last.first().copied()) {
            Some(only) => (only, None),
            None => return Ok(module),
        },
    };
    let passes = Vec::from_iter(first.into_iter().chain(then).chain(last)).join(",");
    let start = Instant::now();
    publish(&module, source);
    if !session.run(&mut module, &passes) {
        let kind = ErrorKind::Pass {
            name: name.to_owned(),
        };
        let fallback = format!("`{name}` failed");
        return Err(Error::reported(kind, session.take_diagnostics(), &fallback));
    }
    loaded(name, start, &module);
    Ok(module)
}

/// Makes the entry function of `source` public. If all functions of the program are private, all of
/// them become public. The inliner would remove a private entry, because no op calls the entry.
fn publish(module: &Module<'_>, source: &Source) {
    let functions: Vec<Op<'_>> = walk(top(module))
        .into_iter()
        .filter(|op| is(*op, "func.func") && !tx_mlir::blocks(*op).is_empty())
        .collect();
    let none_is_public = functions.iter().all(is_private);
    for function in functions {
        let is_entry =
            source.entry.is_some() && string_attribute(function, "sym_name") == source.entry;
        if is_entry || none_is_public {
            tx_mlir::remove_attribute(function, "sym_visibility");
        }
    }
}

fn has_calls(module: &Module<'_>) -> bool {
    walk(top(module))
        .into_iter()
        .any(|op| is(op, "func.call") && tx_mlir::enclosing(op, "gpu.module").is_none())
}

fn parse<'s>(session: &'s Session, source: &Source) -> Result<Module<'s>, Error> {
    let _span = tracing::debug_span!("parse", file = source.name).entered();
    // A function that the compiler does not compile may contain ops of unregistered dialects.
    session.context().set_allow_unregistered_dialects(true);
    session.parse(&source.name, &source.text).ok_or_else(|| {
        Error::reported(
            ErrorKind::Parse,
            session.take_diagnostics(),
            &format!("{}: cannot be parsed", source.name),
        )
    })
}
