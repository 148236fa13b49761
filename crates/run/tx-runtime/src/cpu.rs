//! Device that runs programs on the SIMT executor.

use tx_exec::{Memory, MemoryError, ParamKind, Program, Report};

use crate::bind::{BoundPlan, Launch, Param};
use crate::error::Error;
use crate::fault::{Fault, FaultKind};
use crate::options::RunOptions;

#[derive(Debug)]
pub(crate) struct Module(Program);

#[derive(Debug)]
pub(crate) struct PreparedModule<'m> {
    module: &'m Module,
    options: RunOptions,
    memory: Memory,
    ids: Vec<tx_exec::BufferId>,
    addresses: Vec<u64>,
    /// Number of executed steps of all launches, as counted by [`tx_exec::Report::work`].
    work: u64,
    printed: String,
}

impl PreparedModule<'_> {
    pub(crate) fn launch(&mut self, bound: &BoundPlan) -> Result<(), Error> {
        let own = self.addresses.clone();
        for launch in bound.launches(|buffer| own.get(buffer).copied()) {
            let (_, launch) = launch?;
            let (addresses, memory) = (&self.addresses, &mut self.memory);
            let report = self.module.launch(launch, addresses, memory, &self.options);
            let printed = self.memory.take_printed();
            self.printed.push_str(&String::from_utf8_lossy(&printed));
            let report = report.map_err(|error| match error {
                Error::Fault(mut fault) => {
                    fault.printed = std::mem::take(&mut self.printed);
                    Error::Fault(fault)
                }
                error => error,
            })?;
            self.work = self.work.saturating_add(report.work());
        }
        self.check_cleared(bound)
    }

    /// Checks that every temporary with the flag `cleared` contains only zeros after the run, as
    /// the next run requires.
    fn check_cleared(&self, bound: &BoundPlan) -> Result<(), Error> {
        let buffers = bound.buffers.iter().enumerate().zip(&self.ids);
        for ((number, buffer), id) in buffers.filter(|((_, buffer), _)| buffer.cleared) {
            let mut bytes = vec![0; buffer.bytes];
            self.memory
                .read(*id, 0, &mut bytes)
                .map_err(|error| refused(error, &buffer.label))?;
            let Some(at) = bytes.iter().position(|byte| *byte != 0) else {
                continue;
            };
            // The last kernel that can access the temporary is reported.
            let takes = |launch: &&Launch| {
                let is_it = |param: &Param| matches!(param, Param::Address(n) if *n == number);
                launch.params.iter().any(is_it)
            };
            let possible = bound.possible();
            let last = possible.iter().rev().find(takes);
            return Err(Error::Fault(Box::new(Fault {
                kind: FaultKind::Other,
                code: Some("TX0808"),
                kernel: last.map_or_else(String::new, |launch| launch.kernel.clone()),
                location: None,
                other_location: None,
                message: format!(
                    "byte {at} of {} is {:#x} after the run, expected 0: a program must reset \
                     cleared memory for the next run",
                    buffer.label, bytes[at],
                ),
                printed: self.printed.clone(),
            })));
        }
        Ok(())
    }

    pub(crate) fn address(&self, buffer: usize) -> Option<u64> {
        self.addresses.get(buffer).copied()
    }

    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    pub(crate) fn take_printed(&mut self) -> String {
        std::mem::take(&mut self.printed)
    }

    pub(crate) fn read_back(&mut self, bound: &mut BoundPlan) -> Result<(), Error> {
        for (buffer, id) in bound.buffers.iter_mut().zip(&self.ids) {
            if buffer.read_back
                && let Some(contents) = &mut buffer.contents
            {
                self.memory
                    .read(*id, 0, contents)
                    .map_err(|error| refused(error, &buffer.label))?;
            }
        }
        Ok(())
    }
}

impl Module {
    pub(crate) fn load(device_ir: &str) -> Result<Self, Error> {
        if device_ir.is_empty() {
            let why = "the artifact contains none; compile for the CPU without \
                       `Compiler::without_device_ir`";
            return Err(Error::DeviceIr(why.to_owned()));
        }
        Program::load(device_ir)
            .map(Self)
            .map_err(|error| Error::DeviceIr(error.to_string()))
    }

    pub(crate) fn prepare(
        &self,
        bound: &BoundPlan,
        options: &RunOptions,
    ) -> Result<PreparedModule<'_>, Error> {
        let mut memory = Memory::new();
        let (mut ids, mut addresses) = (Vec::new(), Vec::new());
        // Temporaries follow the arguments, and are uninitialized.
        let arrays = bound
            .buffers
            .iter()
            .filter(|b| b.contents.is_some())
            .count();
        for (number, buffer) in bound.buffers.iter().enumerate() {
            let label = buffer.label.as_str();
            let id = match buffer.contents {
                Some(_) => {
                    let past = options.past.bytes(number, arrays, buffer.element.size());
                    memory.alloc_past(label, buffer.bytes, 256, past)
                }
                None if buffer.cleared => memory.alloc(label, buffer.bytes, 256),
                None => memory.alloc_uninitialized(label, buffer.bytes, 256),
            }
            .map_err(|error| refused(error, label))?;
            if let Some(contents) = &buffer.contents {
                memory
                    .write(id, 0, contents)
                    .map_err(|error| refused(error, &buffer.label))?;
            }
            ids.push(id);
            addresses.push(
                memory
                    .address(id)
                    .map_err(|error| refused(error, &buffer.label))?,
            );
        }
        Ok(PreparedModule {
            module: self,
            options: *options,
            memory,
            ids,
            addresses,
            work: 0,
            printed: String::new(),
        })
    }

    fn launch(
        &self,
        launch: &Launch,
        addresses: &[u64],
        memory: &mut Memory,
        options: &RunOptions,
    ) -> Result<Report, Error> {
        // The type of a kernel parameter determines how its bits are passed. The executor reports
        // missing kernels and wrong parameter counts.
        let kinds = self
            .0
            .kernels()
            .find(|kernel| kernel.name == launch.kernel)
            .map(|kernel| kernel.parameters.as_slice());
        let params: Vec<tx_exec::Param> = launch
            .params
            .iter()
            .enumerate()
            .map(|(i, param)| {
                pass(
                    *param,
                    kinds.and_then(|kinds| kinds.get(i)).copied(),
                    addresses,
                )
            })
            .collect();
        let shape = tx_exec::Launch {
            grid: launch.grid,
            block: launch.block,
            cluster: launch.cluster.unwrap_or([1; 3]),
            dynamic_shared_bytes: launch.dynamic_shared,
            order: options.order,
            checks: options.checks,
            steps: options.steps,
        };
        let report = self
            .0
            .launch(&launch.kernel, &shape, &params, memory)
            .map_err(|fault| faulted(&launch.kernel, &fault))?;
        tracing::debug!(kernel = launch.kernel, ?report, "launched");
        Ok(report)
    }
}

fn pass(param: Param, kind: Option<ParamKind>, addresses: &[u64]) -> tx_exec::Param {
    let (bits, size) = match param {
        Param::Address(buffer) => return tx_exec::Param::Pointer(addresses[buffer]),
        Param::Value { bits, size } => (bits, size),
    };
    match kind {
        Some(ParamKind::F16) if size == 2 => tx_exec::Param::F16(bits as u16),
        Some(ParamKind::Bf16) if size == 2 => tx_exec::Param::Bf16(bits as u16),
        Some(ParamKind::F32) if size == 4 => tx_exec::Param::F32(f32::from_bits(bits as u32)),
        Some(ParamKind::F64) if size == 8 => tx_exec::Param::F64(f64::from_bits(bits)),
        Some(ParamKind::Int { bits: width }) if width.div_ceil(8) as usize == size => {
            tx_exec::Param::Int {
                bits: width,
                value: bits,
            }
        }
        // For a parameter of the wrong size, the executor returns an error.
        _ => tx_exec::Param::Int {
            bits: 8 * size as u32,
            value: bits,
        },
    }
}

fn refused(error: MemoryError, what: &str) -> Error {
    match error {
        MemoryError::OutOfMemory(bytes) => Error::OutOfMemory {
            what: format!("{what} in the executor"),
            bytes: Some(bytes),
        },
        error => Error::DeviceIr(format!("{what}: {error}")),
    }
}

fn faulted(kernel: &str, fault: &tx_exec::Fault) -> Error {
    use tx_exec::Fault as Exec;
    let kind = match fault {
        // No kernel ran, because plan and device IR are inconsistent.
        Exec::UnknownKernel { .. }
        | Exec::ParameterCount { .. }
        | Exec::ParameterKind { .. }
        | Exec::InvalidLaunch { .. } => return Error::DeviceIr(fault.to_string()),
        Exec::Race(_) => FaultKind::Race,
        Exec::OutOfBounds(access)
            if access
                .place
                .as_ref()
                .is_some_and(|place| place.is_dynamic && place.length == 0) =>
        {
            FaultKind::NoDynamicShared
        }
        Exec::OutOfBounds(_) | Exec::Misaligned(_) | Exec::Uninitialized(_) | Exec::ReadOnly(_) => {
            FaultKind::Memory
        }
        Exec::DivergentBarrier(_)
        | Exec::InvalidBarrier(_)
        | Exec::Deadlock(_)
        | Exec::OtherBlock(_)
        | Exec::WarpMask(_)
        | Exec::DivergentWarp(_)
        | Exec::InactiveLane(_) => FaultKind::Synchronization,
        Exec::StackOverflow(_) => FaultKind::Stack,
        Exec::Endless { .. } => FaultKind::Endless,
        _ => FaultKind::Other,
    };
    let location = |site: Option<&tx_exec::Site>| site.map(|site| site.location.to_string());
    Error::Fault(Box::new(Fault {
        kind,
        code: fault.code(),
        kernel: kernel.to_owned(),
        location: location(fault.site()),
        other_location: location(fault.other_site()),
        message: fault.to_string(),
        printed: String::new(),
    }))
}
