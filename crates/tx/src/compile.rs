//! From MLIR text to an artifact.

use crate::error::{Error, ErrorKind};
use crate::plan;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use std::time::Instant;
use tx_mlir::{Op, Session, attribute, elements, enclosing, is, string_attribute, walk};
use tx_plan::{Artifact, Stage};
use tx_target::Chip;

/// What to compile for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    chip: Chip,
}

impl Target {
    /// The target of this name, such as `sm_90`.
    ///
    /// # Errors
    /// [`ErrorKind::Target`] when it is not known; the message lists those that are.
    pub fn parse(name: &str) -> Result<Self, Error> {
        Chip::parse(name)
            .map(|chip| Self { chip })
            .map_err(|e| Error::plain(ErrorKind::Target, e.to_string()))
    }

    /// The chip.
    pub fn chip(self) -> Chip {
        self.chip
    }
}

/// A program to compile.
#[derive(Debug, Clone)]
pub struct Source {
    /// File name for locations.
    pub name: String,
    /// MLIR text or bytecode.
    pub text: Vec<u8>,
    /// Kernel to launch; may be left out when there is one.
    pub entry: Option<String>,
    /// Whether to keep the IR after each stage in [`Artifact::stages`].
    pub keep_stages: bool,
}

/// Compiles programs for one target, any number of them.
#[derive(Debug, Clone)]
pub struct Compiler {
    target: Target,
}

impl Compiler {
    /// A compiler for programs that name no target of their own.
    ///
    /// # Errors
    /// None at present.
    pub fn new(target: Target) -> Result<Self, Error> {
        tx_passes::register();
        Ok(Self { target })
    }

    /// Compiles MLIR text that has one kernel.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn compile(&self, text: &str) -> Result<Artifact, Error> {
        self.compile_source(&Source {
            name: "<input>".to_owned(),
            text: text.as_bytes().to_vec(),
            entry: None,
            keep_stages: false,
        })
    }

    /// Compiles a program.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub fn compile_source(&self, source: &Source) -> Result<Artifact, Error> {
        let mut run = Run {
            stages: Vec::new(),
            keep: source.keep_stages,
        };
        run.compile(self.target.chip, source)
    }
}

/// One compilation.
struct Run {
    stages: Vec<Stage>,
    keep: bool,
}

impl Run {
    fn compile(&mut self, chip: Chip, source: &Source) -> Result<Artifact, Error> {
        let start = Instant::now();
        let session = Session::new(tx_dialect_tile::register);
        self.stages.push(Stage {
            name: "context".to_owned(),
            ir: None,
            millis: millis(start),
        });
        let start = Instant::now();
        let Some(mut module) = session.parse(&source.name, &source.text) else {
            return Err(Error::reported(
                ErrorKind::Parse,
                session.take_diagnostics(),
                &format!("{}: cannot be parsed", source.name),
            ));
        };
        self.stage("parse", start, &module);

        let mut plan = plan::of(&session, &module, source)?;
        self.pipeline(&session, &mut module, "lower-reduction", chip)?;
        self.pipeline(&session, &mut module, "gpu-to-nvvm", chip)?;
        let device_ir = with_locations(&module);
        plan.chip = chip_of(&module, &plan.entry)
            .unwrap_or(chip)
            .name
            .to_owned();
        self.pass(&session, &mut module, "gpu-check-externals")?;
        self.pass(&session, &mut module, "gpu-module-to-binary{format=isa}")?;
        let ptx = ptx_of(&module, &plan.entry).ok_or_else(|| {
            Error::reported(
                ErrorKind::Codegen,
                session.take_diagnostics(),
                "no PTX was emitted",
            )
        })?;
        Ok(Artifact {
            ptx,
            plan,
            device_ir,
            stages: std::mem::take(&mut self.stages),
        })
    }

    fn pipeline(
        &mut self,
        session: &Session,
        module: &mut Module<'_>,
        name: &str,
        chip: Chip,
    ) -> Result<(), Error> {
        let expanded = tx_passes::PIPELINES
            .iter()
            .find(|p| p.argument == name)
            .ok_or_else(|| format!("no pipeline named `{name}`"))
            .and_then(|p| (p.expand)(&[chip.name]))
            .map_err(|e| Error::plain(ErrorKind::Codegen, e))?;
        split_passes(&expanded)
            .into_iter()
            .try_for_each(|pass| self.pass(session, module, pass))
    }

    fn pass(
        &mut self,
        session: &Session,
        module: &mut Module<'_>,
        text: &str,
    ) -> Result<(), Error> {
        let name = text.split(['{', '(']).next().unwrap_or(text).to_owned();
        let _span = tracing::debug_span!("pass", pass = text).entered();
        let start = Instant::now();
        if !session.run(module, text) {
            let fallback = format!("pass `{name}` failed");
            let kind = ErrorKind::Pass { name };
            return Err(Error::reported(kind, session.take_diagnostics(), &fallback));
        }
        self.stage(&name, start, module);
        Ok(())
    }

    fn stage(&mut self, name: &str, start: Instant, module: &Module<'_>) {
        let millis = millis(start);
        let ir = self.keep.then(|| module.as_operation().to_string());
        self.stages.push(Stage {
            name: name.to_owned(),
            ir,
            millis,
        });
    }
}

/// Milliseconds since `start`.
fn millis(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

/// The passes of a pipeline's text, one by one.
fn split_passes(text: &str) -> Vec<&str> {
    let mut depth = 0i32;
    text.split(|c| {
        depth += i32::from(c == '(' || c == '{') - i32::from(c == ')' || c == '}');
        c == ',' && depth == 0
    })
    .collect()
}

/// The chip that the module of kernel `entry` is compiled for.
fn chip_of(module: &Module<'_>, entry: &str) -> Option<Chip> {
    let top = top(module);
    let kernel = walk(top).into_iter().find(|op| {
        is(*op, "llvm.func") && string_attribute(*op, "sym_name").as_deref() == Some(entry)
    })?;
    let targets = attribute(enclosing(kernel, "gpu.module")?, "targets").and_then(elements)?;
    targets.iter().find_map(|t| {
        let text = t.to_string();
        let (_, rest) = text.split_once("chip = \"")?;
        Chip::parse(rest.split_once('"')?.0).ok()
    })
}

/// The module's text with the location of every op, so that a fault can name its source line. In
/// generic form, because the short form of `nvvm.barrier` does not read back with a location.
fn with_locations(module: &Module<'_>) -> String {
    let flags = OperationPrintingFlags::new()
        .enable_debug_info(true, false)
        .print_generic_operation_form();
    module
        .as_operation()
        .to_string_with_flags(flags)
        .unwrap_or_else(|_| module.as_operation().to_string())
}

/// The module as an op.
pub(crate) fn top<'m>(module: &'m Module<'_>) -> Op<'m> {
    // SAFETY: the op lives as long as the module, which is borrowed for `'m`.
    unsafe { Op::from_raw(module.as_operation().to_raw()) }
}

/// PTX of the GPU module that holds `entry`.
fn ptx_of(module: &Module<'_>, entry: &str) -> Option<String> {
    walk(top(module))
        .into_iter()
        .filter(|op| is(*op, "gpu.binary"))
        .flat_map(tx_mlir::gpu::object_texts)
        .find(|ptx| ptx.contains(&format!(".entry {entry}(")))
}
