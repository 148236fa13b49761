//! Source names of SSA values. A source name is the name of a value in the MLIR text. MLIR's parser
//! does not store source names.
//!
//! The lookup of a source name uses the location of the SSA value. The location of a block argument
//! is the source position at which the text names the argument. The location of an op result is the
//! source position of the op, after `%name =`. A pass that replaces an op can give the new op the
//! location of the replaced op, although the names of the two ops differ. An op result therefore
//! has a source name only if the source text at the location of the op contains the name of the op.

use crate::ir::{Op, Val, blocks, context, name, results, walk};
use crate::source_location;
use melior::Context;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use melior::ir::{BlockLike, Location, ValueLike};
use mlir_sys::{
    MlirLocation, MlirOperation, MlirValue, mlirBlockArgumentSetLocation,
    mlirOpPrintingFlagsPrintNameLocAsPrefix, mlirOperationSetLocation,
};

/// Guard that restores the original locations of ops and block arguments on drop.
struct Named<'c> {
    context: &'c Context,
    arguments: Vec<(MlirValue, MlirLocation)>,
    ops: Vec<(MlirOperation, MlirLocation)>,
}

impl<'c> Named<'c> {
    fn new(context: &'c Context) -> Self {
        Self {
            context,
            arguments: Vec::new(),
            ops: Vec::new(),
        }
    }

    fn argument(&mut self, argument: MlirValue, location: Location<'_>, name: &str) {
        self.arguments.push((argument, location.to_raw()));
        let named = Location::name(self.context, name, location);
        // SAFETY: the block argument is alive, and the location belongs to its context.
        unsafe { mlirBlockArgumentSetLocation(argument, named.to_raw()) };
    }

    fn op(&mut self, op: MlirOperation, location: Location<'_>, name: &str) {
        self.ops.push((op, location.to_raw()));
        let named = Location::name(self.context, name, location);
        // SAFETY: the op is alive, and the location is of its context.
        unsafe { mlirOperationSetLocation(op, named.to_raw()) };
    }
}

impl Drop for Named<'_> {
    fn drop(&mut self) {
        for (argument, location) in &self.arguments {
            // SAFETY: since the constructor, the IR has changed only in its locations, so the block
            // argument is alive.
            unsafe { mlirBlockArgumentSetLocation(*argument, *location) };
        }
        for (op, location) in &self.ops {
            // SAFETY: as above, the op is alive.
            unsafe { mlirOperationSetLocation(*op, *location) };
        }
    }
}

/// SSA value names of a source text.
pub struct Names<'s> {
    file: &'s str,
    text: &'s str,
    lines: Vec<usize>,
}

impl<'s> Names<'s> {
    /// Creates the name lookup for the source `text` of the file `file`.
    pub fn new(file: &'s str, text: &'s str) -> Self {
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        Self {
            file,
            text,
            lines: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// Returns the printed text of `op`, in which SSA values have their names from the source text.
    /// MLIR's printer derives the names of all results of an op from the name of the first result.
    /// For ops with `OpAsmOpInterface`, MLIR's printer ignores source names.
    pub fn text_of(&self, op: Op<'_>) -> String {
        let mut named = Named::new(context(op));
        for op in walk(op) {
            for block in blocks(op) {
                for i in 0..block.argument_count() {
                    let Ok(argument) = block.argument(i) else {
                        continue;
                    };
                    if let Some(name) = self.argument(argument.into()) {
                        named.argument(argument.to_raw(), argument.location(), name);
                    }
                }
            }
            if !results(op).is_empty()
                && let Some(name) = self.result(op.location(), name(op))
            {
                named.op(op.to_raw(), op.location(), name);
            }
        }
        let flags = OperationPrintingFlags::new();
        // SAFETY: the flags are alive.
        unsafe { mlirOpPrintingFlagsPrintNameLocAsPrefix(flags.to_raw()) };
        op.to_string_with_flags(flags).unwrap_or_default()
    }

    /// Returns the name of a block argument in the source text.
    pub fn argument(&self, argument: Val<'_>) -> Option<&'s str> {
        let (_, from) = self.at(argument.location())?;
        value(from)
    }

    fn at(&self, location: Location<'_>) -> Option<(&'s str, &'s str)> {
        let place = source_location(location).filter(|place| place.file == self.file)?;
        let line = *self.lines.get(place.line.checked_sub(1)?)?;
        self.text
            .split_at_checked(line + place.column.checked_sub(1)?)
    }

    /// Returns the source name of the first result of an op. `location` is the location of the op,
    /// and `op` is the name of the op.
    fn result(&self, location: Location<'_>, op: &str) -> Option<&'s str> {
        let (before, from) = self.at(location)?;
        if !is_op(from, op) {
            return None;
        }
        let mut list = before.trim_end().strip_suffix('=')?.rsplit(',');
        let mut first = None;
        for part in list.by_ref() {
            let last = part.split_whitespace().next_back()?;
            first = value(last);
            // If other text precedes the name, this name is the first name of the list.
            if first.is_none() || part.trim() != last {
                break;
            }
        }
        first
    }
}

/// Returns whether `text` begins with the name of the op `op`. The text can contain the full op
/// name, the full op name in quotation marks, or the op name without its dialect.
fn is_op(text: &str, op: &str) -> bool {
    let text = text.strip_prefix('"').unwrap_or(text);
    let end = text.find(|c: char| !is_of_name(c)).unwrap_or(text.len());
    let short = op.split_once('.').map_or(op, |(_, short)| short);
    [op, short].contains(&&text[..end])
}

/// Returns the SSA name at the start of a text, without `%`; `None` for a number such as `%0`.
fn value(text: &str) -> Option<&str> {
    let name = text.strip_prefix('%')?;
    let end = name.find(|c: char| !is_of_name(c)).unwrap_or(name.len());
    let is_numbered = name.starts_with(|c: char| c.is_ascii_digit());
    (end > 0 && !is_numbered).then(|| &name[..end])
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use melior::dialect::DialectRegistry;
    use melior::ir::Module;
    use melior::utility::register_all_dialects;

    const SOURCE: &str = "\
func.func @sums(%A: memref<4xf32>, %at: index, %0: f32) -> f32 {
  %x = memref.load %A[%at] : memref<4xf32>
  %y, %z =
    \"test.two\"(%x) : (f32) -> (f32, f32)
  %1 = arith.addf %y, %z : f32 %w = arith.mulf %1, %0 : f32
  return %w : f32
}
";

    fn with_module(edit: impl FnOnce(Op<'_>)) {
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        let context = Context::new_with_registry(&registry, false);
        context.set_allow_unregistered_dialects(true);
        let module = Module::parse(&context, SOURCE).expect("a module");
        // SAFETY: the module outlives the closure.
        edit(unsafe { Op::from_raw(module.as_operation().to_raw()) });
    }

    #[test]
    fn values_have_the_names_of_the_source() {
        with_module(|module| {
            let located = || {
                let flags = OperationPrintingFlags::new().enable_debug_info(true, false);
                module.to_string_with_flags(flags).expect("a text")
            };
            let before = located();
            let text = Names::new("-", SOURCE).text_of(module);
            for line in [
                "func.func @sums(%A: memref<4xf32>, %at: index, %arg2: f32) -> f32 {",
                "%x = memref.load %A[%at] : memref<4xf32>",
                "%y:2 = \"test.two\"(%x) : (f32) -> (f32, f32)",
                "%0 = arith.addf %y#0, %y#1 : f32",
                "%w = arith.mulf %0, %arg2 : f32",
            ] {
                assert!(text.contains(line), "{line}: {text}");
            }
            assert_eq!(located(), before);
        });
    }

    /// Checks two cases in which a value has no source name: the value is from a different source
    /// file, or the source text contains a different op at the location of the op that defines the
    /// value.
    #[test]
    fn other_values_have_none() {
        with_module(|module| {
            let plain = module.to_string();
            assert_eq!(Names::new("other.mlir", SOURCE).text_of(module), plain);
            let moved = SOURCE.replace("memref.load", "memref.cast");
            let text = Names::new("-", &moved).text_of(module);
            assert!(text.contains("%0 = memref.load %A[%at]"), "{text}");
        });
    }
}
