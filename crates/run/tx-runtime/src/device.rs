//! Devices that run programs.

use tx_plan::Artifact;

use crate::cuda;
use crate::error::Error;
use crate::executable::{Executable, Module};

/// Device that runs programs.
#[derive(Clone, Debug)]
pub struct Device {
    backend: Backend,
    reason: String,
}

#[derive(Clone, Debug)]
enum Backend {
    #[cfg(feature = "simt")]
    Cpu,
    Cuda(cuda::Context),
}

impl Device {
    /// Opens the first CUDA device, or the CPU if no CUDA device exists. [`Device::reason`] returns
    /// why the device was chosen.
    ///
    /// # Errors
    /// Fails if no CUDA device exists and this build has no executor.
    pub fn auto() -> Result<Self, Error> {
        match cuda::Context::open(0) {
            Ok(context) => Ok(Self {
                backend: Backend::Cuda(context),
                reason: "the first CUDA device of the driver".to_owned(),
            }),
            Err(Error::NoDevice { reason, .. }) => {
                let cpu = Self::cpu().map_err(|_| Error::NoDevice {
                    device: "auto".to_owned(),
                    reason: format!(
                        "{reason}; and this build has no executor: enable the feature `simt`"
                    ),
                })?;
                Ok(Self { reason, ..cpu })
            }
            Err(error) => Err(error),
        }
    }

    /// Opens the SIMT executor. The executor runs the lowered kernels thread by thread on the CPU,
    /// and reports races and other faults as errors.
    ///
    /// # Errors
    /// Fails if this build has no executor.
    pub fn cpu() -> Result<Self, Error> {
        #[cfg(feature = "simt")]
        return Ok(Self {
            backend: Backend::Cpu,
            reason: "the device was requested".to_owned(),
        });
        #[cfg(not(feature = "simt"))]
        Err(Error::NoDevice {
            device: "cpu".to_owned(),
            reason: "this build has no executor: enable the feature `simt`".to_owned(),
        })
    }

    /// Opens the CUDA device with the given ordinal, counted from 0; `CUDA_VISIBLE_DEVICES` affects
    /// the numbering.
    ///
    /// # Errors
    /// Fails if the driver cannot be loaded, or if no device has this ordinal.
    pub fn cuda(ordinal: usize) -> Result<Self, Error> {
        Ok(Self {
            backend: Backend::Cuda(cuda::Context::open(ordinal)?),
            reason: "the device was requested".to_owned(),
        })
    }

    /// Opens the device named `auto`, `cpu`, `cuda` (the first CUDA device) or `cuda:N`.
    ///
    /// # Errors
    /// Fails if the name is invalid, or the device does not exist.
    pub fn open(name: &str) -> Result<Self, Error> {
        match name {
            "auto" => Self::auto(),
            "cpu" => Self::cpu(),
            "cuda" => Self::cuda(0),
            _ => match name
                .strip_prefix("cuda:")
                .and_then(|ordinal| ordinal.parse().ok())
            {
                Some(ordinal) => Self::cuda(ordinal),
                None => Err(Error::UnknownDevice {
                    found: name.to_owned(),
                }),
            },
        }
    }

    /// Returns the name of the device: `cpu`, or `cuda:0 (NVIDIA H200, sm_90)`.
    pub fn name(&self) -> String {
        match &self.backend {
            #[cfg(feature = "simt")]
            Backend::Cpu => "cpu".to_owned(),
            Backend::Cuda(context) => context.to_string(),
        }
    }

    /// Returns the reason why this device was chosen.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Returns the chip to compile for, such as `sm_90`; `None` for the CPU, which runs programs
    /// for any chip.
    pub fn chip(&self) -> Option<String> {
        match &self.backend {
            #[cfg(feature = "simt")]
            Backend::Cpu => None,
            Backend::Cuda(context) => Some(context.device().chip()),
        }
    }

    /// Measures the read bandwidth of device memory in bytes per second, over `bytes` bytes; `None`
    /// for the CPU.
    ///
    /// # Errors
    /// Fails if the memory cannot be allocated, or the driver reports an error.
    pub fn read_ceiling(&self, bytes: usize) -> Result<Option<f64>, Error> {
        match &self.backend {
            #[cfg(feature = "simt")]
            Backend::Cpu => Ok(None),
            Backend::Cuda(context) => context.read_ceiling(bytes).map(Some),
        }
    }

    /// Returns the size of the L2 cache in bytes; `None` for the CPU.
    ///
    /// # Errors
    /// Fails if the driver reports an error.
    pub fn cache(&self) -> Result<Option<usize>, Error> {
        match &self.backend {
            #[cfg(feature = "simt")]
            Backend::Cpu => Ok(None),
            Backend::Cuda(context) => context.cache().map(Some),
        }
    }

    /// Loads a program.
    ///
    /// # Errors
    /// Fails if the plan is inconsistent, if the device does not support the program's chip, or if
    /// the driver or executor rejects the kernels.
    pub fn load(&self, artifact: &Artifact) -> Result<Executable, Error> {
        let _span = tracing::debug_span!("load", entry = artifact.plan.entry, device = self.name())
            .entered();
        artifact.plan.validate()?;
        let module = match &self.backend {
            // A program without steps has no kernels.
            _ if artifact.plan.steps.is_empty() => Module::Empty,
            #[cfg(feature = "simt")]
            Backend::Cpu => Module::Cpu(crate::cpu::Module::load(&artifact.device_ir)?),
            Backend::Cuda(context) => {
                context.check_chip(&artifact.plan.chip)?;
                Module::Cuda(cuda::Module::load(context, &artifact.ptx)?)
            }
        };
        Ok(Executable::new(module, artifact.plan.clone()))
    }
}
