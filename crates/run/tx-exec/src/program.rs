//! Programs loaded from device IR, and launches of their kernels.

use crate::{
    convert::{self, Kernel, Unit},
    engine::{Engine, Failed},
    fault::{Diagnostic, Error, Fault, Location},
    machine::Machine,
    memory::Memory,
    order::Order,
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

/// Maximum number of threads per block.
pub const MAX_BLOCK_THREADS: u32 = 1024;
/// Maximum number of blocks per cluster on any GPU.
pub const MAX_CLUSTER_BLOCKS: u32 = 16;
/// Maximum static and dynamic shared memory per block on any GPU, in bytes.
pub const MAX_SHARED_BYTES: u64 = 227 * 1024;
/// Maximum number of threads per block along x, y and z.
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Maximum number of blocks per grid along x, y and z.
const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];

/// Type of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParamKind {
    /// An address.
    Pointer {
        /// Address space of the pointer: 0 generic, 1 global.
        space: u32,
    },
    /// An integer.
    Int {
        /// Width in bits, 1 to 64.
        bits: u32,
    },
    /// An IEEE half.
    F16,
    /// A bfloat16.
    Bf16,
    /// A 32-bit float.
    F32,
    /// A 64-bit float.
    F64,
}

impl ParamKind {
    /// Returns the size of the parameter in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::Pointer { .. } | Self::F64 => 8,
            Self::Int { bits } => bits.div_ceil(8),
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
        }
    }
}

impl fmt::Display for ParamKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pointer { .. } => formatter.write_str("a pointer"),
            Self::Int { bits } => write!(formatter, "an integer of {bits} bits"),
            Self::F16 => formatter.write_str("an f16"),
            Self::Bf16 => formatter.write_str("a bf16"),
            Self::F32 => formatter.write_str("an f32"),
            Self::F64 => formatter.write_str("an f64"),
        }
    }
}

/// Value of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Param {
    /// An address in any address space; see [`Memory::address`].
    Pointer(u64),
    /// An integer in the low `bits` bits of `value`.
    Int {
        /// Width in bits, 1 to 64.
        bits: u32,
        /// Value of the integer. Bits above the width are ignored.
        value: u64,
    },
    /// Bits of an IEEE half.
    F16(u16),
    /// Bits of a bfloat16.
    Bf16(u16),
    /// A 32-bit float.
    F32(f32),
    /// A 64-bit float.
    F64(f64),
}

impl Param {
    /// Returns the type of the value.
    pub fn kind(self) -> ParamKind {
        match self {
            Self::Pointer(_) => ParamKind::Pointer { space: 0 },
            Self::Int { bits, .. } => ParamKind::Int { bits },
            Self::F16(_) => ParamKind::F16,
            Self::Bf16(_) => ParamKind::Bf16,
            Self::F32(_) => ParamKind::F32,
            Self::F64(_) => ParamKind::F64,
        }
    }

    fn fits(self, kind: ParamKind) -> bool {
        match (self, kind) {
            (Self::Pointer(_), ParamKind::Pointer { .. }) => true,
            _ => self.kind() == kind,
        }
    }

    /// Returns the bits of the value, zero-extended to 64 bits.
    fn bits(self) -> u64 {
        match self {
            Self::Pointer(address) => address,
            Self::Int { bits: 0, .. } => 0,
            Self::Int { bits, value } => value & (!0 >> (64 - bits.min(64))),
            Self::F16(bits) | Self::Bf16(bits) => bits.into(),
            Self::F32(value) => value.to_bits().into(),
            Self::F64(value) => value.to_bits(),
        }
    }
}

/// Properties of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// Name of the kernel.
    pub name: String,
    /// Source location of the kernel.
    pub location: Location,
    /// Parameters of the `llvm.func`, in order. A memref becomes several parameters: allocated
    /// pointer, aligned pointer, offset, sizes and strides.
    pub parameters: Vec<ParamKind>,
    /// Fixed block size (x, y, z) in threads, if any.
    pub block_size: Option<[u32; 3]>,
    /// Fixed cluster size (x, y, z) in blocks, if any.
    pub cluster_size: Option<[u32; 3]>,
    /// Declared maximum number of threads per block, if any.
    pub max_threads: Option<u32>,
    /// Static shared memory per block, in bytes.
    pub static_shared_bytes: u64,
}

/// Configuration of a kernel launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Number of blocks along x, y and z.
    pub grid: [u32; 3],
    /// Number of threads per block along x, y and z.
    pub block: [u32; 3],
    /// Number of blocks per cluster along x, y and z. The blocks of a cluster run together, and can
    /// access each other's shared memory.
    pub cluster: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared_bytes: u32,
    /// Execution order of threads and blocks.
    pub order: Order,
    /// Checks during the launch.
    pub checks: Checks,
    /// Maximum number of steps of all threads, as counted by [`Report::work`](crate::Report::work).
    /// A loop that exceeds the limit is a fault. Without a limit, an endless loop never returns.
    pub steps: Option<StepLimit>,
}

/// Limit on the steps of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepLimit {
    /// Steps of all threads together, independent of the number of threads.
    pub base: u64,
    /// Additional steps per thread. Each thread of a large grid executes a few dozen steps, even
    /// without elements to reduce.
    pub per_thread: u64,
}

impl StepLimit {
    /// Creates a limit that is independent of the number of threads.
    pub const fn new(base: u64) -> Self {
        Self {
            base,
            per_thread: 0,
        }
    }

    /// Returns this limit with `per_thread` additional steps per thread.
    pub const fn with_each_thread(self, per_thread: u64) -> Self {
        Self { per_thread, ..self }
    }

    /// Returns the additional steps for a launch of `grid` blocks with `block` threads each.
    pub fn of_launch(self, grid: [u32; 3], block: [u32; 3]) -> u64 {
        grid.iter().chain(&block).fold(self.per_thread, |steps, n| {
            steps.saturating_mul(u64::from(*n))
        })
    }
}

/// Checks for undefined behaviour during a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Checks {
    /// All checks: see [`Fault`].
    #[default]
    All,
    /// Only the checks that execution and the memory safety of this process need.
    ///
    /// Data races, uninitialised reads and the lifetime of other blocks are not checked. So
    /// [`Fault::Race`], [`Fault::Uninitialized`] and [`Fault::OtherBlock`] do not occur, and
    /// results of racy programs depend on the [`Order`]. Accesses are not recorded. An
    /// [uninitialised](Memory::alloc_uninitialized) buffer counts as initialised after its first
    /// write.
    ///
    /// All other faults remain. Accesses that are out of bounds, misaligned or write constants
    /// would corrupt or stop the host process, as would stack overflows, undefined divisions and
    /// traps. The scheduler itself needs the state of barriers and warp operations.
    Off,
}

impl Default for Launch {
    /// Returns a launch of one thread in one block in one cluster, in ascending order, with all
    /// checks.
    fn default() -> Self {
        Self {
            grid: [1; 3],
            block: [1; 3],
            cluster: [1; 3],
            dynamic_shared_bytes: 0,
            order: Order::Sequential,
            checks: Checks::All,
            steps: None,
        }
    }
}

/// A kernel and the index of its module.
struct Loaded {
    kernel: Kernel,
    /// Index of the module of the kernel.
    module: usize,
}

/// A variable of a program in global memory.
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

struct Code {
    engine: Engine,
    variables: Vec<Variable>,
}

impl Code {
    fn new(unit: &Unit<'_>) -> Result<Self, Failed> {
        let engine = Engine::new(&unit.module, &unit.externals)?;
        let variables = unit.globals.iter().map(|global| {
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

/// Kernels that are compiled together, on the first launch of one of them. Most kernels of a
/// program for many sizes are never launched.
struct Compiled {
    code: OnceCell<Code>,
    /// The module belongs to the context of the program.
    unit: Unit<'static>,
}

impl Compiled {
    fn code(&self) -> Result<&Code, Failed> {
        match self.code.get() {
            Some(code) => Ok(code),
            None => {
                let code = Code::new(&self.unit)?;
                Ok(self.code.get_or_init(|| code))
            }
        }
    }
}

/// Kernels that can be launched.
///
/// A program can be launched any number of times, also after a fault. Global variables of a program
/// keep their values between launches. A program can be sent to another thread, but not shared
/// between threads, since launches write its global variables.
pub struct Program {
    kernels: BTreeMap<String, Loaded>,
    /// Modules must be destroyed before `_context`, so this field comes first.
    modules: Vec<Compiled>,
    _context: Box<Context>,
    diagnostics: Diagnostics,
    /// Launches write global variables through raw pointers, so a program must not be shared
    /// between threads.
    _not_sync: std::marker::PhantomData<std::cell::Cell<()>>,
}

// SAFETY: a program owns an MLIR context without threads, its modules, and the engines with their
// code. None of them is bound to a thread, and one thread at a time uses them. Pointers to
// variables point into the engines.
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
    /// Parses device IR and converts it for the host. A kernel is compiled on its first launch.
    ///
    /// The text is an MLIR module with `gpu.module`s of `llvm.func`s, in the LLVM and NVVM dialects
    /// directly before PTX is generated. Other contents of the module are ignored. Faults name the
    /// source locations in the text. If the text has no locations, faults name its lines, with `-`
    /// as the file. Print text with locations in generic form, because MLIR cannot parse the short
    /// form of `nvvm.barrier` with a location.
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
        for mut unit in units(&context, device_ir, &diagnostics)? {
            for kernel in std::mem::take(&mut unit.kernels) {
                let loaded = Loaded {
                    module: modules.len(),
                    kernel,
                };
                kernels.insert(loaded.kernel.info.name.clone(), loaded);
            }
            // SAFETY: the context is in a box, and the program destroys it after its modules.
            let unit = unsafe { std::mem::transmute::<Unit<'_>, Unit<'static>>(unit) };
            modules.push(Compiled {
                code: OnceCell::new(),
                unit,
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

    /// Runs a kernel to completion. Clusters run one after the other; the threads of a cluster run
    /// alternately.
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
                let machine =
                    Machine::new(&module.unit.sites, memory, launch, shared, shared_bytes);
                // SAFETY: the entry is a kernel rewritten by `convert`, which announces every
                // access. The parameters have its types, and the values outlive the call.
                unsafe {
                    schedule::run(
                        machine,
                        entry,
                        &mut pointers,
                        launch.order,
                        module.unit.frame_bytes,
                    )
                }
            });
        memory.detach();
        report
    }
}

/// Parses device IR and rewrites it for the host.
fn units<'c>(
    context: &'c Context,
    device_ir: &str,
    diagnostics: &Diagnostics,
) -> Result<Vec<Unit<'c>>, Error> {
    let device =
        Module::parse(context, device_ir).ok_or_else(|| Error::Parse(diagnostics.take()))?;
    let units = convert::convert(context, device.as_operation())?;
    match units.iter().all(|unit| unit.module.as_operation().verify()) {
        true => Ok(units),
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

/// Checks a launch against the kernel and the limits of GPUs. Returns the shared memory per block,
/// in bytes.
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

/// Checks the cluster size of a launch. Grid and block must already be checked.
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
