//! A fault on a CUDA device. The test runs in a separate process, because a process can no longer
//! use the device after a fault.

use tx_plan::{Argument, Artifact, EntryKind, Expr, Operand, Plan, Step};
use tx_runtime::{Array, Device, Error, ErrorKind};

/// If a kernel stores to an invalid address, the run fails with an error that contains the kernel
/// name and the CUDA error.
#[test]
fn reports_faults() -> Result<(), Error> {
    let device = match Device::cuda(0) {
        Err(Error::NoDevice { reason, .. }) => {
            println!("skipped: {reason}");
            return Ok(());
        }
        device => device?,
    };
    let artifact = Artifact {
        ptx: include_str!("ptx/kernels.ptx").to_owned(),
        plan: Plan {
            version: tx_plan::VERSION,
            chip: "sm_80".to_owned(),
            entry: "wild".to_owned(),
            entry_kind: EntryKind::Kernel,
            arguments: vec![Argument {
                ty: "memref<1xi32>".parse().expect("a type"),
                written: true,
            }],
            checks: Vec::new(),
            temporaries: vec![],
            steps: vec![Step {
                kernel: "wild".to_owned(),
                module: "wild".to_owned(),
                choice: None,
                when: Vec::new(),
                grid: [1; 3].map(Expr::Const),
                block: [1; 3].map(Expr::Const),
                cluster: None,
                dynamic_shared_bytes: Expr::Const(0),
                operands: vec![Operand::Argument(0)],
            }],
        },
        device_ir: String::new(),
        stages: vec![],
        warnings: Vec::new(),
        modules: Vec::new(),
    };
    let executable = device.load(&artifact)?;
    let run = || executable.run(vec![Array::from_slice(&[1], &[0_i32])?.into()]);
    let error = run().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failed);
    assert!(
        error
            .to_string()
            .starts_with("running `wild`: CUDA_ERROR_ILLEGAL_ADDRESS ("),
        "{error}"
    );
    // Later runs also return an error, and do not crash.
    assert!(run().is_err());
    Ok(())
}
