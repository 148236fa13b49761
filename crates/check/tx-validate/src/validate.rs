//! Validation of every pass of a compiler.

use crate::inputs::{Input, generate, guesses};
use crate::options::Options;
use crate::run::{Edit, Run};
use crate::trouble::Trouble;
use crate::validation::{Stage, Validation};
use tx::{Compiler, Source};
use tx_plan::{ArgumentType, EntryKind, Extent, Plan};

/// Checks every pass of a compiler by execution, including passes registered by the caller.
///
/// # Errors
/// Returns an error if the program does not compile, or if the program accepts no input.
pub fn validate(
    compiler: &Compiler,
    source: &Source,
    options: &Options,
) -> Result<Validation, Trouble> {
    validate_edited(compiler, source, options, &mut |_, _| {})
}

/// Validates a program like [`validate`], and lets a callback edit the module between passes. The
/// tests of the crate use the callback to introduce miscompilations that the validation must
/// detect.
///
/// # Errors
/// Returns the same errors as [`validate`]. If an edit of the callback makes the module invalid,
/// the function returns a compile error.
pub fn validate_edited(
    compiler: &Compiler,
    source: &Source,
    options: &Options,
    edit: &mut Edit<'_>,
) -> Result<Validation, Trouble> {
    if let Some(path) = &options.ptxas {
        tx_ptx::find_ptxas(Some(path)).map_err(|error| Trouble::Input(error.to_string()))?;
    }
    let plan = compiler.plan(source)?;
    if options.grid.is_some() && plan.entry_kind != EntryKind::Kernel {
        return Err(Trouble::Input(format!(
            "the grid can be set only for a kernel, but `{}` is a host function",
            plan.entry
        )));
    }
    let sizes = options.grid.unwrap_or([1; 3]);
    for ((axis, size), most) in ["x", "y", "z"].iter().zip(sizes).zip(tx_runtime::MAX_GRID) {
        if !(1..=most).contains(&size) {
            return Err(Trouble::Input(format!(
                "grid along {axis}: found {size}, expected 1 to {most}"
            )));
        }
    }
    type Given<'g> = Box<dyn Iterator<Item = Result<Vec<Input>, Trouble>> + 'g>;
    let given: Given<'_> = match &options.args {
        Some(args) => {
            // Reject invalid arguments first, so that no pass is blamed for them.
            let artifact = compiler.compile_source(source)?;
            tx_runtime::check_launch(&artifact.plan, args, options.grid)
                .map_err(|error| Trouble::Arguments(Box::new(error)))?;
            Box::new(std::iter::once(Ok(vec![Input {
                name: "the arguments given".to_owned(),
                args: args.clone(),
                launched: Vec::new(),
                zeros: false,
                number: 0,
                every_stage: true,
            }])))
        }
        None => {
            let (plan, numbers) = (&plan, options.inputs.as_ref());
            Box::new(guesses(plan).into_iter().map(move |guess| {
                generate(
                    plan,
                    options.seed,
                    guess,
                    numbers,
                    options.kernel.as_deref(),
                )
            }))
        }
    };
    let mut first = None;
    for inputs in given {
        let inputs = inputs?;
        if inputs.is_empty() {
            continue;
        }
        let mut run = Run::new(&plan, options, inputs)?;
        match run.compile(compiler, source, edit) {
            Ok(edited) => {
                let Some(input) = run.suspect() else {
                    return Ok(run.finish(&edited));
                };
                // The failing stage is unknown, so the failing input runs again after every stage.
                let mut again = Run::new(&plan, options, vec![input])?;
                let edited = again.compile(compiler, source, edit)?;
                return Ok(Validation {
                    inputs: run.names(),
                    left_out: run.left_out(),
                    open: run.open(),
                    unlaunched: run.unlaunched(),
                    assumed: run.assumed,
                    ..again.finish(&edited)
                });
            }
            Err(error) => match run.unfit.take() {
                // The validation did not guess the sizes, so the program itself is wrong.
                Some(reason) if options.args.is_some() || !is_guessed(&plan) => {
                    return Ok(Validation {
                        entry: plan.entry.clone(),
                        chip: compiler.target().chip().name.to_owned(),
                        inputs: run.names(),
                        left_out: run.left_out(),
                        open: 0,
                        unlaunched: Vec::new(),
                        assumed: run.assumed,
                        stages: vec![Stage {
                            name: "parse".to_owned(),
                            verdict: reason,
                        }],
                        variants: Vec::new(),
                    });
                }
                // The guessed sizes do not fit the program.
                Some(reason) => first = first.or(Some((reason.to_string(), reason.code()))),
                None => return Err(error.into()),
            },
        }
    }
    let none = || {
        let what = "found no sizes that satisfy the checks of the program";
        (what.to_owned(), None)
    };
    let (what, code) = first.unwrap_or_else(none);
    Err(Trouble::Unfit { what, code })
}

/// Returns whether the generated sizes or integer values may violate a precondition of the program.
fn is_guessed(plan: &Plan) -> bool {
    plan.arguments.iter().any(|argument| match &argument.ty {
        ArgumentType::Memref(memref) => {
            let mut sizes = memref.strides();
            sizes.push(memref.offset());
            sizes.extend(&memref.shape);
            sizes.contains(&Extent::Dynamic) || !memref.element.is_float()
        }
        ArgumentType::Scalar(element) => !element.is_float(),
    })
}
