//! Functions with several launches, on the executor and on a CUDA device. Without a CUDA device,
//! the tests that need a CUDA device print a message and pass.

use tx_plan::{
    Argument, Artifact, Base, Check, ElementType, EntryKind, Expr, Operand, Plan, Relation, Step,
    Symbol, Temporary, View,
};
use tx_runtime::{Arg, Device, Error, ErrorKind, RunOptions, Spec};

fn devices() -> Vec<Device> {
    let mut devices = Vec::new();
    #[cfg(feature = "simt")]
    devices.push(Device::cpu().expect("the executor is built in"));
    match Device::cuda(0) {
        Ok(device) => devices.push(device),
        Err(Error::NoDevice { reason, .. }) => println!("no CUDA: {reason}"),
        Err(error) => panic!("{error}"),
    }
    devices
}

fn step(grid: Expr, operands: [Operand; 3]) -> Step {
    Step {
        kernel: "row_sums".to_owned(),
        module: "row_sums".to_owned(),
        choice: None,
        when: Vec::new(),
        grid: [grid, Expr::Const(1), Expr::Const(1)],
        block: [32, 1, 1].map(Expr::Const),
        cluster: None,
        dynamic_shared_bytes: Expr::Const(0),
        operands: operands.into(),
    }
}

/// Program that sums a matrix, and multiplies the sum by a factor. The program stores the row sums
/// in a temporary, and then sums the temporary as one row.
fn total() -> Artifact {
    let argument = |ty: &str, written| Argument {
        ty: ty.parse().expect("a type"),
        written,
    };
    let rows = || Expr::dim(0, 0);
    let one_row = View {
        base: Base::Temporary(0),
        offset: Expr::Const(0),
        sizes: vec![Expr::Const(1), rows()],
        strides: vec![rows(), Expr::Const(1)],
    };
    let one = Operand::Constant {
        ty: ElementType::F32,
        bits: 1_f32.to_bits().into(),
    };
    let plan = Plan {
        version: tx_plan::VERSION,
        chip: "sm_80".to_owned(),
        entry: "total".to_owned(),
        entry_kind: EntryKind::Function,
        arguments: vec![
            argument("memref<?x?xf32, strided<[?, ?], offset: ?>>", false),
            argument("memref<1xf32>", true),
            argument("f32", false),
        ],
        checks: Vec::new(),
        temporaries: vec![Temporary {
            element: ElementType::F32,
            shape: vec![rows()],
            cleared: false,
        }],
        steps: vec![
            step(
                rows().ceil_div(Expr::Const(32)),
                [Operand::Argument(0), Operand::Temporary(0), one],
            ),
            step(
                Expr::Const(1),
                [
                    Operand::View(one_row),
                    Operand::Argument(1),
                    Operand::Argument(2),
                ],
            ),
            // A launch of this step would change the result.
            step(
                Expr::Const(0),
                [
                    Operand::Argument(0),
                    Operand::Argument(1),
                    Operand::Argument(2),
                ],
            ),
        ],
    };
    plan.validate().expect("it fits together");
    Artifact {
        ptx: include_str!("ptx/kernels.ptx").to_owned(),
        plan,
        device_ir: include_str!("kernels/kernels.mlir").to_owned(),
        stages: vec![],
        warnings: Vec::new(),
        modules: Vec::new(),
    }
}

fn args(specs: [&str; 3]) -> Vec<Arg> {
    specs
        .into_iter()
        .map(|spec| spec.parse::<Spec>().expect(spec).load().expect(spec))
        .collect()
}

/// Steps run one after the other and pass results through temporaries. Steps with an empty grid are
/// skipped.
#[test]
fn run_step_by_step() -> Result<(), Error> {
    for device in devices() {
        let program = device.load(&total())?;
        for (specs, expected) in [
            (["full:0.25:100x3xf32", "full:7:1xf32", "2"], "[150.]"),
            (["full:0.25:1x1xf32", "full:7:1xf32", "2"], "[0.5]"),
            (["zeros:0x3xf32", "full:7:1xf32", "2"], "[0.]"),
        ] {
            let outputs = program.run(args(specs))?;
            let written: Vec<_> = outputs
                .written()
                .map(|(index, array)| (index, array.to_string()))
                .collect();
            assert_eq!(written, [(1, expected.to_owned())], "{}", device.name());
        }
        let options = RunOptions {
            grid: Some([1, 1, 1]),
            ..RunOptions::default()
        };
        let error = program
            .run_with(args(["zeros:1x1xf32", "zeros:1xf32", "1"]), &options)
            .unwrap_err();
        assert!(matches!(error, Error::GridOfFunction { .. }), "{error}");
    }
    Ok(())
}

#[test]
fn may_launch_nothing() -> Result<(), Error> {
    for device in devices() {
        let mut artifact = total();
        artifact.plan.steps.clear();
        artifact.ptx.clear();
        artifact.device_ir.clear();
        let outputs = device
            .load(&artifact)?
            .run(args(["zeros:2x3xf32", "full:7:1xf32", "1"]))?;
        assert_eq!(
            outputs.argument(1).map(ToString::to_string).as_deref(),
            Some("[7.]")
        );
    }
    Ok(())
}

/// Arguments that violate a check are rejected before any allocation or launch, with the message of
/// the first violated check. The error has the same kind as the error for an argument of the wrong
/// type.
#[test]
fn are_checked_before_they_run() -> Result<(), Error> {
    let check = |left, relation, right, message: &str| Check {
        left,
        relation,
        right,
        message: message.to_owned(),
        place: None,
    };
    let mut artifact = total();
    // The size of this temporary is negative, so its allocation would fail.
    artifact.plan.temporaries[0].shape = vec![Expr::dim(0, 0).minus(Expr::Const(2))];
    artifact.plan.checks = vec![
        check(
            Expr::dim(0, 1),
            Relation::Equal,
            Expr::dim(1, 0).times(Expr::Const(3)),
            "three columns",
        ),
        check(
            Symbol::Stride {
                argument: 0,
                dim: 0,
            }
            .into(),
            Relation::LessOrEqual,
            Expr::dim(0, 0),
            "rows are short",
        ),
    ];
    for device in devices() {
        let program = device.load(&artifact)?;
        let fails = |array: &str| program.run(args([array, "full:7:1xf32", "1"])).unwrap_err();
        for (array, message) in [
            (
                "zeros:1x4xf32",
                "arg0.dim1 is 4, arg1.dim0 * 3 is 3: three columns (expected arg0.dim1 == arg1.dim0 * 3)",
            ),
            (
                "zeros:1x3xf32",
                "arg0.stride0 is 3, arg0.dim0 is 1: rows are short (expected arg0.stride0 <= arg0.dim0)",
            ),
        ] {
            let error = fails(array);
            assert_eq!(error.to_string(), message, "{}", device.name());
            assert_eq!(error.kind(), ErrorKind::Refused);
        }
        let mut fits = artifact.clone();
        fits.plan.temporaries[0].shape = vec![Expr::dim(0, 0)];
        let outputs = device
            .load(&fits)?
            .run(args(["full:0.5:4x3xf32", "full:7:1xf32", "1"]))?;
        assert_eq!(
            outputs.argument(1).map(ToString::to_string).as_deref(),
            Some("[6.]")
        );
    }
    Ok(())
}

#[cfg(feature = "simt")]
#[test]
fn temporaries_start_without_contents() -> Result<(), Error> {
    let mut artifact = total();
    artifact.plan.steps.remove(0);
    let error = Device::cpu()?
        .load(&artifact)?
        .run(args(["zeros:2x3xf32", "zeros:1xf32", "1"]))
        .unwrap_err();
    let Error::Fault(fault) = &error else {
        panic!("{error}");
    };
    assert_eq!(fault.kind, tx_runtime::FaultKind::Memory);
    assert!(
        fault.message.starts_with("uninitialized") && fault.message.contains("temporary 0"),
        "{error}"
    );
    Ok(())
}
