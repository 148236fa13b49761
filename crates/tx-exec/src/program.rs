//! Device IR made ready to run, and the launch of its kernels.

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

/// Threads that a block may have.
pub const MAX_BLOCK_THREADS: u32 = 1024;
/// Blocks that a cluster may have: the most that any GPU takes.
pub const MAX_CLUSTER_BLOCKS: u32 = 16;
/// Static and dynamic shared memory that a block may have, in bytes: the most that any GPU gives.
pub const MAX_SHARED_BYTES: u64 = 227 * 1024;
/// Largest size of a block in x, y and z, in threads.
const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// Largest size of a grid in x, y and z, in blocks.
const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];

/// What a kernel takes as one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParamKind {
    /// An address.
    Pointer {
        /// The address space of the pointer: 0 generic, 1 global.
        space: u32,
    },
    /// An integer.
    Int {
        /// Its width, 1 to 64.
        bits: u32,
    },
    /// An IEEE half.
    F16,
    /// A bfloat16.
    Bf16,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
}

impl ParamKind {
    /// Size of the parameter in bytes.
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

/// A value for one parameter of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Param {
    /// An address, in any address space: see [`Memory::address`].
    Pointer(u64),
    /// An integer of `bits` bits, in the low bits of `value`.
    Int {
        /// Its width, 1 to 64.
        bits: u32,
        /// Its value; bits above the width are not looked at.
        value: u64,
    },
    /// The bits of an IEEE half.
    F16(u16),
    /// The bits of a bfloat16.
    Bf16(u16),
    /// A float of 32 bits.
    F32(f32),
    /// A float of 64 bits.
    F64(f64),
}

impl Param {
    /// The kind of the value.
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

    /// The bits of the value, lowest first.
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

/// What is known about a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// Its name.
    pub name: String,
    /// Where it stands in the source.
    pub location: Location,
    /// The parameters of its `llvm.func`, in order: a memref is a pointer to the allocation, a pointer to the
    /// aligned data, an offset, the sizes and the strides.
    pub parameters: Vec<ParamKind>,
    /// The block size (x, y, z) it was compiled for, in threads, if it was compiled for one.
    pub block_size: Option<[u32; 3]>,
    /// The cluster size (x, y, z) it was compiled for, in blocks, if it was compiled for one.
    pub cluster_size: Option<[u32; 3]>,
    /// The most threads a block may have, if that was stated.
    pub max_threads: Option<u32>,
    /// Static shared memory of a block, in bytes.
    pub static_shared_bytes: u64,
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks of the grid in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Blocks of a cluster in x, y and z. They run together, and may access each other's shared memory.
    pub cluster: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub dynamic_shared_bytes: u32,
    /// Which thread runs next.
    pub order: Order,
    /// What is looked for while it runs.
    pub checks: Checks,
    /// Steps of all threads together, as [`Report::work`](crate::Report::work) counts them, after
    /// which the next loop is taken to have no end; without, it may take for ever.
    pub steps: Option<StepLimit>,
}

/// How many steps a launch may take before it is taken to have no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepLimit {
    /// Steps of all threads together, however few they are.
    pub base: u64,
    /// So many more for each thread: of a large grid, each may have its few dozen steps, even where
    /// there is nothing to reduce.
    pub per_thread: u64,
}

impl StepLimit {
    /// Of all threads together, however many they are.
    pub const fn new(base: u64) -> Self {
        Self {
            base,
            per_thread: 0,
        }
    }

    /// The same with so many more for each thread.
    pub const fn with_each_thread(self, per_thread: u64) -> Self {
        Self { per_thread, ..self }
    }

    /// What more there is for a grid of so many blocks along x, y and z, with so many threads.
    pub fn of_launch(self, grid: [u32; 3], block: [u32; 3]) -> u64 {
        grid.iter().chain(&block).fold(self.per_thread, |steps, n| {
            steps.saturating_mul(u64::from(*n))
        })
    }
}

/// How much of what a GPU leaves undefined a launch looks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Checks {
    /// Everything: see [`Fault`].
    #[default]
    All,
    /// What running at all and the memory safety of this process need.
    ///
    /// Not looked for are data races, reads of memory that nobody wrote, and accesses to the shared
    /// memory of blocks that need not run: [`Fault::Race`], [`Fault::Uninitialized`] and
    /// [`Fault::OtherBlock`] do not occur, and what an access sees depends on the [`Order`].
    /// Nothing is recorded of accesses. A buffer [without a value](Memory::alloc_uninitialized)
    /// counts as written as a whole once anything in it was.
    ///
    /// All other faults stay. A host would corrupt or stop itself where accesses are out of bounds,
    /// misaligned or write constants, stacks overflow, divisions have no result, or traps are
    /// reached; and who waits for whom at barriers and in operations of a warp must be known to run
    /// the threads at all.
    Off,
}

impl Default for Launch {
    /// One thread in one block in one cluster, in ascending order, with all checks.
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

/// A kernel and where its code is.
struct Loaded {
    kernel: Kernel,
    /// Index of its module.
    module: usize,
}

/// A variable of a program in global memory.
struct Variable {
    base: u64,
    bytes: u64,
    label: Arc<str>,
    constant: bool,
}

/// What MLIR says.
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

/// Host code.
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

/// Kernels that are compiled for the host together, once one of them is launched: of the kernels
/// that a program has for different sizes, most are not.
struct Compiled {
    code: OnceCell<Code>,
    /// Its module is of the context of the program.
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

/// Kernels that are ready to run.
///
/// A program can be launched any number of times, also after a fault. Variables of the program in
/// global memory keep their values from launch to launch. A program can be sent to another thread,
/// but not shared by several: launches would share those variables.
pub struct Program {
    kernels: BTreeMap<String, Loaded>,
    /// They are destroyed before the context, which comes later.
    modules: Vec<Compiled>,
    _context: Box<Context>,
    diagnostics: Diagnostics,
    /// Variables of the program are written through raw pointers, so it must not be shared between threads.
    _not_sync: std::marker::PhantomData<std::cell::Cell<()>>,
}

// SAFETY: what a program has of MLIR is a context without threads, modules of it, and engines with
// what was compiled. Nothing in them is bound to the thread that made them, and one thread at a time
// uses them; nobody else has a part of them. The pointers to variables point into what engines own.
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
    /// Parses device IR and makes host code of it, which is compiled where it is launched.
    ///
    /// The text is an MLIR module whose `gpu.module`s hold `llvm.func`s in the LLVM and NVVM
    /// dialects, which is what is left just before PTX is made. Whatever else the module holds is
    /// ignored. Faults name the source locations that the text carries, or lines of the text
    /// itself, as file `-`, where it carries none. Print text with locations in generic form:
    /// MLIR's short form of `nvvm.barrier` with a location does not parse.
    ///
    /// # Errors
    ///
    /// When the text does not parse, holds no kernel, or has an operation, a type or an external
    /// function that the executor does not know.
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
        // Host code beside the kernels may be in a dialect that only its compiler knows.
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

    /// The kernels, ordered by name.
    pub fn kernels(&self) -> impl Iterator<Item = &KernelInfo> {
        self.kernels.values().map(|loaded| &loaded.kernel.info)
    }

    /// Runs a kernel to its end: the blocks one after the other, the threads of a block in turns,
    /// and the blocks of a cluster as one.
    ///
    /// # Errors
    ///
    /// When the launch does not fit the kernel, and when a thread does what it must not: see [`Fault`].
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
                // SAFETY: the entry is that of a kernel rewritten by `convert`, which announces
                // every access; the parameters have its types, and the values outlive the call.
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

/// Checks a launch against the kernel and what is possible; the result is the shared memory of a
/// block, in bytes.
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

/// Checks the clusters of a launch, whose grid and block were checked.
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
