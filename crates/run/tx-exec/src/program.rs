//! Programs loaded from device IR, and launches of their kernels.

use crate::{
    convert::{self, ConvertedKernel, ConvertedModule},
    engine::{Engine, EngineError},
    fault::{Diagnostic, Error, Fault},
    launch::{
        KernelInfo, Launch, MAX_BLOCK, MAX_BLOCK_THREADS, MAX_CLUSTER_BLOCKS, MAX_GRID,
        MAX_SHARED_BYTES, Param,
    },
    location::Location,
    machine::Machine,
    memory::Memory,
    report::Report,
    schedule,
    shared::SharedMemory,
};
use melior::{
    Context,
    diagnostic::DiagnosticSeverity,
    dialect::DialectRegistry,
    ir::{Module, operation::OperationLike},
    utility::{register_all_dialects, register_all_llvm_translations},
};
use std::{
    cell::OnceCell,
    collections::BTreeMap,
    ffi::c_void,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

struct LoadedKernel {
    kernel: ConvertedKernel,
    module: usize,
}

struct Variable {
    base: u64,
    bytes: u64,
    label: Arc<str>,
    constant: bool,
}

#[derive(Clone, Default)]
struct Diagnostics(Arc<Mutex<Vec<Diagnostic>>>);

impl Diagnostics {
    fn push(&self, diagnostic: Diagnostic) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(diagnostic);
    }

    fn take(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct CompiledCode {
    engine: Engine,
    variables: Vec<Variable>,
}

impl CompiledCode {
    fn new(converted: &ConvertedModule<'_>) -> Result<Self, EngineError> {
        let engine = Engine::new(&converted.module, &converted.externals)?;
        let variables = converted.globals.iter().map(|global| {
            Ok(Variable {
                base: engine.variable(&global.symbol)?,
                bytes: global.bytes,
                label: Arc::from(format!("variable @{}", global.name)),
                constant: global.constant,
            })
        });
        let variables = variables.collect::<Result<_, _>>()?;
        Ok(Self { engine, variables })
    }
}

/// Kernels that the executor compiles together, at the first launch of any of the kernels. The
/// executor delays the compilation, because a program may contain kernels for many array sizes and
/// launch only a few of the kernels.
struct LazyModule {
    code: OnceCell<CompiledCode>,
    /// The MLIR module belongs to the MLIR context of the program.
    converted: ConvertedModule<'static>,
}

impl LazyModule {
    fn code(&self) -> Result<&CompiledCode, EngineError> {
        match self.code.get() {
            Some(code) => Ok(code),
            None => {
                let code = CompiledCode::new(&self.converted)?;
                Ok(self.code.get_or_init(|| code))
            }
        }
    }
}

/// A loaded program, whose kernels can be launched.
///
/// Kernels can be launched any number of times, also after a fault. Global variables of a program
/// keep their values between launches. A program can be sent to another thread, but not shared
/// between threads, since launches write the global variables of the program.
pub struct Program {
    kernels: BTreeMap<String, LoadedKernel>,
    /// The modules must be dropped before `_context`. Rust drops fields in the order of their
    /// declaration, so `modules` is declared before `_context`.
    modules: Vec<LazyModule>,
    _context: Box<Context>,
    diagnostics: Diagnostics,
    /// Launches write global variables through raw pointers, so a program must not be shared
    /// between threads.
    _not_sync: std::marker::PhantomData<std::cell::Cell<()>>,
}

// SAFETY: a program owns an MLIR context without threads, its modules, and the engines with their
// code. None of these objects is bound to a thread, and only one thread at a time uses the program.
// Pointers to variables point into the engines.
unsafe impl Send for Program {}

impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Program")
            .field("kernels", &self.kernels.keys())
            .finish_non_exhaustive()
    }
}

impl Program {
    /// Parses device IR and converts it for the host. The executor compiles a kernel when the
    /// kernel is first launched.
    ///
    /// Device IR is an MLIR module that contains `gpu.module`s of `llvm.func`s in the LLVM and NVVM
    /// dialects: the last IR before the translation to PTX. The executor ignores all top-level ops
    /// of the device IR except `gpu.module`s. Faults report the source locations that the device IR
    /// contains. If the device IR contains no locations, faults report lines of its text, with `-`
    /// as the file name. Device IR with locations must be printed in generic form, because MLIR
    /// cannot parse the short form of `nvvm.barrier` with a location.
    ///
    /// # Errors
    ///
    /// Returns an error if the text does not parse, contains no kernel, or has an unsupported
    /// operation, type or external function.
    pub fn load(device_ir: &str) -> Result<Self, Error> {
        if let Some(position) = device_ir.find('\0') {
            let line = device_ir[..position].lines().count().max(1) as u32;
            return Err(Error::Parse(vec![Diagnostic {
                location: Location {
                    file: Arc::from("-"),
                    line,
                    column: 0,
                },
                message: "a NUL character".into(),
            }]));
        }
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        let context = Box::new(Context::new_with_registry(&registry, false));
        context.load_all_available_dialects();
        register_all_llvm_translations(&context);
        // Host code next to the kernels can use a dialect that is not registered here.
        context.set_allow_unregistered_dialects(true);
        let diagnostics = Diagnostics::default();
        context.attach_diagnostic_handler({
            let diagnostics = diagnostics.clone();
            move |diagnostic| {
                if matches!(diagnostic.severity(), DiagnosticSeverity::Error) {
                    diagnostics.push(convert::diagnostic(&diagnostic));
                }
                true
            }
        });
        let mut kernels = BTreeMap::new();
        let mut modules = Vec::new();
        for mut converted in converted_modules(&context, device_ir, &diagnostics)? {
            for kernel in std::mem::take(&mut converted.kernels) {
                let loaded = LoadedKernel {
                    module: modules.len(),
                    kernel,
                };
                kernels.insert(loaded.kernel.info.name.clone(), loaded);
            }
            // SAFETY: the context is in a box, and the program destroys it after its modules.
            let converted = unsafe {
                std::mem::transmute::<ConvertedModule<'_>, ConvertedModule<'static>>(converted)
            };
            modules.push(LazyModule {
                code: OnceCell::new(),
                converted,
            });
        }
        Ok(Self {
            kernels,
            modules,
            _context: context,
            diagnostics,
            _not_sync: std::marker::PhantomData,
        })
    }

    /// Returns all kernels, ordered by name.
    pub fn kernels(&self) -> impl Iterator<Item = &KernelInfo> {
        self.kernels.values().map(|loaded| &loaded.kernel.info)
    }

    /// Runs a kernel to completion. Clusters run one after the other; the threads of a cluster are
    /// interleaved.
    ///
    /// # Errors
    ///
    /// Returns a [`Fault`] if the launch does not match the kernel, or a thread has undefined
    /// behaviour.
    pub fn launch(
        &self,
        kernel: &str,
        launch: &Launch,
        params: &[Param],
        memory: &mut Memory,
    ) -> Result<Report, Fault> {
        let loaded = self
            .kernels
            .get(kernel)
            .ok_or_else(|| Fault::UnknownKernel {
                kernel: kernel.into(),
                known: self.kernels.keys().cloned().collect::<Vec<_>>().join(", "),
            })?;
        let info = &loaded.kernel.info;
        check_parameters(info, params)?;
        let shared_bytes = check_launch(info, launch).map_err(|reason| Fault::InvalidLaunch {
            kernel: kernel.into(),
            reason,
        })?;
        let module = &self.modules[loaded.module];
        let failed = |_| {
            let why = Error::CodeGeneration(self.diagnostics.take());
            Fault::Internal(why.to_string())
        };
        let code = module.code().map_err(failed)?;
        let entry = code.engine.kernel(&loaded.kernel.symbol).map_err(failed)?;
        let attached = code.variables.iter().try_for_each(|variable| {
            let label = variable.label.clone();
            memory.attach(variable.base, variable.bytes, label, variable.constant)
        });
        if let Err(error) = attached {
            memory.detach();
            return Err(Fault::Internal(error.to_string()));
        }
        let mut values: Vec<_> = params.iter().map(|param| param.bits().to_le()).collect();
        let mut pointers: Vec<*mut c_void> = values
            .iter_mut()
            .map(|value| std::ptr::from_mut(value).cast())
            .collect();
        let dynamic = launch.dynamic_shared_bytes;
        let blocks = launch.cluster.iter().product::<u32>();
        let report = (0..blocks)
            .map(|_| SharedMemory::new(&loaded.kernel.shared, dynamic))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| Fault::Internal(error.to_string()))
            .and_then(|shared| {
                let machine = Machine::new(
                    &module.converted.sites,
                    memory,
                    launch,
                    shared,
                    shared_bytes,
                );
                // SAFETY: the entry is a kernel that calls a hook before every access, because
                // `convert` rewrote the kernel. The parameters have the types of the kernel
                // parameters, and the values outlive the call.
                unsafe {
                    schedule::run(
                        machine,
                        entry,
                        &mut pointers,
                        launch.order,
                        module.converted.frame_bytes,
                    )
                }
            });
        memory.detach();
        report
    }
}

fn converted_modules<'c>(
    context: &'c Context,
    device_ir: &str,
    diagnostics: &Diagnostics,
) -> Result<Vec<ConvertedModule<'c>>, Error> {
    let device =
        Module::parse(context, device_ir).ok_or_else(|| Error::Parse(diagnostics.take()))?;
    let modules = convert::convert(context, device.as_operation())?;
    match modules
        .iter()
        .all(|converted| converted.module.as_operation().verify())
    {
        true => Ok(modules),
        false => Err(Error::CodeGeneration(diagnostics.take())),
    }
}

fn check_parameters(info: &KernelInfo, params: &[Param]) -> Result<(), Fault> {
    if params.len() != info.parameters.len() {
        return Err(Fault::ParameterCount {
            kernel: info.name.clone(),
            expected: info.parameters.len(),
            found: params.len(),
        });
    }
    for (index, (param, &expected)) in params.iter().zip(&info.parameters).enumerate() {
        if !param.fits(expected) {
            return Err(Fault::ParameterKind {
                kernel: info.name.clone(),
                index,
                expected,
                found: param.kind(),
            });
        }
    }
    Ok(())
}

/// Checks a launch configuration against the properties of the kernel and the limits of GPUs.
/// Returns the shared memory per block, in bytes.
fn check_launch(info: &KernelInfo, launch: &Launch) -> Result<u32, String> {
    let size = |what: &str, found: [u32; 3], most: [u32; 3]| {
        let fits = (0..3).all(|axis| (1..=most[axis]).contains(&found[axis]));
        if fits {
            Ok(())
        } else {
            Err(format!("its {what} is {found:?}, expected 1 to {most:?}"))
        }
    };
    size("block size", launch.block, MAX_BLOCK)?;
    size("grid size", launch.grid, MAX_GRID)?;
    let threads: u64 = launch.block.iter().map(|&size| u64::from(size)).product();
    let most = info
        .max_threads
        .unwrap_or(MAX_BLOCK_THREADS)
        .min(MAX_BLOCK_THREADS);
    if threads > most.into() {
        return Err(format!(
            "its blocks have {threads} threads, expected at most {most}"
        ));
    }
    if let Some(expected) = info.block_size
        && expected != launch.block
    {
        return Err(format!(
            "its block size is {:?}, expected {expected:?}",
            launch.block
        ));
    }
    check_cluster(info, launch)?;
    let blocks: u128 = launch.grid.iter().map(|&size| u128::from(size)).product();
    if blocks > u32::MAX.into() {
        return Err(format!("it has {blocks} blocks, expected fewer than 2^32"));
    }
    let shared = info.static_shared_bytes + u64::from(launch.dynamic_shared_bytes);
    if shared > MAX_SHARED_BYTES {
        return Err(format!(
            "its blocks have {shared} bytes of shared memory, expected at most {MAX_SHARED_BYTES}"
        ));
    }
    Ok(shared as u32)
}

/// Checks the cluster size of a launch. The caller must have checked the grid and block sizes.
fn check_cluster(info: &KernelInfo, launch: &Launch) -> Result<(), String> {
    let Launch { grid, cluster, .. } = *launch;
    let blocks: u128 = cluster.iter().map(|&size| u128::from(size)).product();
    if !(1..=u128::from(MAX_CLUSTER_BLOCKS)).contains(&blocks) {
        return Err(format!(
            "its clusters of {cluster:?} have {blocks} blocks, expected 1 to {MAX_CLUSTER_BLOCKS}"
        ));
    }
    if let Some(expected) = info.cluster_size
        && expected != cluster
    {
        return Err(format!(
            "its cluster size is {cluster:?}, expected {expected:?}"
        ));
    }
    if (0..3).any(|axis| !grid[axis].is_multiple_of(cluster[axis])) {
        return Err(format!(
            "its grid size is {grid:?}, expected a multiple of the cluster size {cluster:?}"
        ));
    }
    Ok(())
}
