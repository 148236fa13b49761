//! Pass `tile-validate` for `tx-opt`.

use crate::options::Options;
use crate::trouble::Trouble;
use crate::validate::validate;
use crate::verdict::Verdict;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use tx::{Compiler, Source, Target};
use tx_mlir::pass::{Counts, Pass, PassInfo, option_error, pass};
use tx_mlir::{Failed, Op, codes, error, remark, string_attribute, walk};

pass! {
    /// Check every pass by execution.
    ///
    /// ## What it does
    /// Runs each function and kernel of the module on generated inputs, before and after each pass
    /// that lowers the module to PTX, and compares the results. The module itself does not change.
    /// The option `validate-each` adds this pass as the first pass of a pipeline.
    ///
    /// ## Before and after
    /// ```mlir
    /// func.func @rows(%A: memref<?x?xf32>, %B: memref<?xf32>) {
    ///   tile.reduce sum %A into %B axes [1] scope(grid) : memref<?x?xf32> into memref<?xf32>
    ///   return
    /// }
    /// ```
    ///
    /// ## Fails when
    /// A pass changes the results of the program, or introduces a data race or a fault.
    /// `tile-validate` also fails if the input program has a fault, or if unsupported ops prevent the
    /// comparison.
    pub struct Validate as "tile-validate" creates [] {
        /// chip to compile for where the module names none
        chip: String = "sm_80",
        /// seed of the generated inputs
        seed: u32 = "0",
        /// report data races of the input program, which has all of its barriers
        synchronized: bool = "false",
    } counts {
        /// stages whose results have the same bits as the previous stage
        equal,
        /// stages whose results differ within the bound that reordered combination permits
        reordered,
    }
}

/// All passes of the crate `tx-validate`, for a pass registry.
pub const PASSES: &[PassInfo] = &[Validate::INFO];

/// Registers `tile-validate` with MLIR. After the first call, further calls of `register` have no
/// effect.
pub fn register() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        for pass in PASSES {
            pass.register();
        }
    });
}

impl Pass for Validate {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let refuse = |message: String| error(module.location(), message).emit();
        let target = Target::parse(&self.chip).map_err(|e| {
            option_error(module, &Self::INFO, "chip", &self.chip, message(&e))
                .code(codes::TX0501)
                .emit()
        })?;
        // Validate a copy, because passes modify the module.
        let flags = OperationPrintingFlags::new()
            .enable_debug_info(true, false)
            .print_generic_operation_form();
        let text = module
            .to_string_with_flags(flags)
            .map_err(|e| refuse(e.to_string()))?;
        let mut source = Source {
            name: "-".to_owned(),
            text: text.into_bytes(),
            entry: None,
            keep_stages: false,
        };
        let compiler = Compiler::new(target).map_err(|e| refuse(message(&e)))?;
        let entries = compiler.entries(&source).map_err(|e| refuse(message(&e)))?;
        let options = Options {
            seed: u64::from(self.seed),
            synchronized: self.synchronized,
            ..Options::default()
        };
        let mut failed = None;
        for entry in entries {
            source.entry = Some(entry.clone());
            let at = walk(module)
                .into_iter()
                .find(|op| string_attribute(*op, "sym_name").as_deref() == Some(&*entry))
                .map_or(module.location(), |op| op.location());
            let refuse = |message: String| error(at, message).emit();
            let validation = match validate(&compiler, &source, &options) {
                Ok(validation) => validation,
                Err(trouble) => {
                    let what = match trouble {
                        Trouble::Compile(_) => "does not compile",
                        _ => "cannot be validated",
                    };
                    failed = Some(refuse(format!("`{entry}` {what}: {trouble}")));
                    continue;
                }
            };
            if let Some(stage) = validation.guilty() {
                let place = match stage.name.as_str() {
                    "parse" => "in the input program".to_owned(),
                    pass => format!("after `{pass}`"),
                };
                let message = format!("`{entry}` {place}: {}", stage.verdict);
                failed = Some(match validation.note() {
                    Some(note) => error(at, message).code(codes::TX0701).note(note).emit(),
                    None => error(at, message).code(codes::TX0701).emit(),
                });
                continue;
            }
            let count = |wanted: &Verdict| {
                validation
                    .stages
                    .iter()
                    .filter(|stage| stage.verdict == *wanted)
                    .count() as i64
            };
            let (equal, reordered) = (count(&Verdict::Equal), count(&Verdict::EqualWithinOrder));
            counts.add("equal", equal);
            counts.add("reordered", reordered);
            if !validation.is_good() {
                let unknown = validation
                    .stages
                    .iter()
                    .find(|stage| matches!(stage.verdict, Verdict::Unsupported(_)));
                let what = unknown.map_or_else(String::new, |stage| {
                    format!(" after `{}`: {}", stage.name, stage.verdict)
                });
                failed = Some(refuse(format!("`{entry}` cannot be compared{what}")));
                continue;
            }
            remark(
                at,
                format!("`{entry}` is valid: {equal} stages equal, {reordered} equal within order"),
            )
            .emit();
        }
        failed.map_or(Ok(()), Err)
    }
}

/// Returns the messages of the diagnostics of an error, without their locations.
fn message(error: &tx::Error) -> String {
    let messages = error.diagnostics.iter().map(|one| one.message.as_str());
    messages.collect::<Vec<_>>().join("; ")
}
