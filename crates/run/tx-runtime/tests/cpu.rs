//! Complete runs of hand-written device IR on the SIMT executor.
#![cfg(feature = "simt")]

use tx_plan::{Argument, Artifact, ElementType, EntryKind, Expr, Operand, Plan, Step, Temporary};
use tx_runtime::{Arg, Array, Device, Error, ErrorKind, FaultKind, RunOptions, Spec};

/// Kernel that computes `y[row] = factor * sum of x[row, column] over all columns`, with one thread
/// per row.
const ROW_SUMS: &str = include_str!("kernels/kernels.mlir");

fn artifact(arguments: &[(&str, bool)], entry_kind: EntryKind, step: Step) -> Artifact {
    Artifact {
        ptx: String::new(),
        plan: Plan {
            version: tx_plan::VERSION,
            chip: "sm_80".to_owned(),
            entry: "main".to_owned(),
            entry_kind,
            arguments: arguments
                .iter()
                .map(|(ty, written)| Argument {
                    ty: ty.parse().expect("a type"),
                    written: *written,
                })
                .collect(),
            checks: Vec::new(),
            temporaries: vec![Temporary {
                element: ElementType::F32,
                shape: vec![Expr::Const(4)],
                cleared: false,
            }],
            steps: vec![step],
        },
        device_ir: ROW_SUMS.to_owned(),
        stages: vec![],
        warnings: Vec::new(),
        modules: Vec::new(),
    }
}

fn step(kernel: &str, threads: i64, operands: Vec<Operand>) -> Step {
    Step {
        kernel: kernel.to_owned(),
        module: kernel.to_owned(),
        choice: None,
        when: Vec::new(),
        grid: [
            Expr::dim(0, 0).ceil_div(Expr::Const(threads)),
            Expr::Const(1),
            Expr::Const(1),
        ],
        block: [threads, 1, 1].map(Expr::Const),
        cluster: None,
        dynamic_shared_bytes: Expr::Const(0),
        operands,
    }
}

fn arg(spec: &str) -> Arg {
    spec.parse::<Spec>().expect(spec).load().expect(spec)
}

fn row_sums(input: &str) -> Artifact {
    artifact(
        &[
            (input, false),
            ("memref<?xf32, strided<[2], offset: 3>>", true),
            ("f32", false),
        ],
        EntryKind::Function,
        step(
            "row_sums",
            4,
            vec![
                Operand::Argument(0),
                Operand::Argument(1),
                Operand::Argument(2),
            ],
        ),
    )
}

/// Arguments of every kind and layout are passed to the kernel, and the written arrays are copied
/// back.
#[test]
fn runs() -> Result<(), Error> {
    let values: Vec<f32> = (0..18).map(|i| i as f32).collect();
    for input in [
        "memref<?x3xf32>",
        "memref<?x?xf32, strided<[1, ?], offset: ?>>",
        "memref<6x3xf32, strided<[-5, 1], offset: 25>>",
    ] {
        let executable = Device::cpu()?.load(&row_sums(input))?;
        let args = || {
            Ok::<_, Error>(vec![
                Array::from_slice(&[6, 3], &values)?.into(),
                arg("zeros:6xf32"),
                0.5_f32.into(),
            ])
        };
        for _ in 0..2 {
            let outputs = executable.run(args()?)?;
            let written: Vec<_> = outputs
                .written()
                .map(|(i, array)| (i, array.to_string()))
                .collect();
            assert_eq!(
                written,
                [(1, "[ 1.5  6.  10.5 15.  19.5 24. ]".to_owned())],
                "{input}"
            );
            assert_eq!(
                outputs.argument(0),
                Some(&Array::from_slice(&[6, 3], &values)?)
            );
            assert_eq!(outputs.argument(2), None);
        }
    }
    Ok(())
}

#[test]
fn runs_on_nothing() -> Result<(), Error> {
    let executable = Device::cpu()?.load(&row_sums("memref<?x3xf32>"))?;
    let outputs = executable.run(vec![arg("zeros:0x3xf32"), arg("full:7:2xf32"), 1.into()])?;
    assert_eq!(
        outputs.argument(1).map(ToString::to_string).as_deref(),
        Some("[7. 7.]")
    );
    Ok(())
}

fn fault(kernel: &str) -> Error {
    let artifact = artifact(
        &[("memref<?xi32>", true)],
        EntryKind::Kernel,
        step(kernel, 32, vec![Operand::Argument(0)]),
    );
    let executable = Device::cpu()
        .and_then(|cpu| cpu.load(&artifact))
        .expect("it loads");
    executable
        .run(vec![arg("zeros:4xi32")])
        .expect_err("it faults")
}

#[test]
fn reports_races() {
    let error = fault("everyone_writes");
    assert_eq!(error.kind(), ErrorKind::Failed);
    let Error::Fault(fault) = &error else {
        panic!("{error}")
    };
    let place = Some("source.mlir:7:5");
    assert_eq!(fault.kind, FaultKind::Race);
    assert_eq!(
        (fault.location.as_deref(), fault.other_location.as_deref()),
        (place, place)
    );
    assert!(
        error
            .to_string()
            .starts_with("source.mlir:7:5: error: race on "),
        "{error}"
    );
    // Equal locations are reported once.
    assert!(
        error.to_string().ends_with("(kernel `everyone_writes`)"),
        "{error}"
    );
    let elsewhere = tx_runtime::Fault {
        other_location: Some("source.mlir:8:1".to_owned()),
        ..(**fault).clone()
    };
    assert!(
        elsewhere
            .to_string()
            .ends_with("\nsource.mlir:8:1: note: the other operation is here"),
        "{elsewhere}"
    );
}

#[test]
fn reports_accesses_out_of_bounds() {
    let error = fault("beyond_the_end");
    let Error::Fault(fault) = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (fault.kind, fault.location.as_deref()),
        (FaultKind::Memory, Some("source.mlir:9:3"))
    );
    assert!(
        fault.message.contains("byte 16 of argument 0 (16 bytes)"),
        "{error}"
    );
}

#[test]
fn takes_a_grid() -> Result<(), Error> {
    let mut artifact = row_sums("memref<?x3xf32>");
    artifact.plan.entry_kind = EntryKind::Kernel;
    artifact.plan.steps[0].grid = [1; 3].map(Expr::Const);
    let executable = Device::cpu()?.load(&artifact)?;
    let sums = |grid| {
        let args = vec![arg("full:1:6x3xf32"), arg("zeros:6xf32"), 1.into()];
        let outputs = executable.run_with(
            args,
            &RunOptions {
                grid,
                ..RunOptions::default()
            },
        )?;
        Ok::<_, Error>(outputs.argument(1).map(ToString::to_string))
    };
    assert_eq!(sums(None)?.as_deref(), Some("[3. 3. 3. 3. 0. 0.]"));
    assert_eq!(
        sums(Some([2, 1, 1]))?.as_deref(),
        Some("[3. 3. 3. 3. 3. 3.]")
    );
    Ok(())
}

/// A plan that does not match the kernels is rejected before any kernel runs.
#[test]
fn refuses_what_does_not_fit() -> Result<(), Error> {
    let cpu = Device::cpu()?;
    let refuse = |change: fn(&mut Artifact)| {
        let mut artifact = row_sums("memref<?x3xf32>");
        change(&mut artifact);
        let run = |executable: tx_runtime::Executable| {
            executable.run(vec![arg("zeros:6x3xf32"), arg("zeros:6xf32"), 1.into()])
        };
        let error = cpu
            .load(&artifact)
            .and_then(run)
            .expect_err("it does not fit");
        assert_eq!(error.kind(), ErrorKind::Refused);
        error.to_string()
    };
    let message = refuse(|artifact| artifact.device_ir = "garbage".to_owned());
    assert!(
        message.starts_with("the executor refused the device IR: the device IR does not parse"),
        "{message}"
    );
    let message = refuse(|artifact| artifact.device_ir.clear());
    assert!(
        message
            .starts_with("the executor refused the device IR: the artifact contains none; compile"),
        "{message}"
    );
    let message = refuse(|artifact| artifact.plan.steps[0].kernel = "other".to_owned());
    assert!(message.contains("no kernel named `other`"), "{message}");
    let message = refuse(|artifact| {
        artifact.plan.steps[0].operands.pop();
    });
    assert!(
        message.contains("takes 13 parameters, found 12"),
        "{message}"
    );
    let message = refuse(|artifact| artifact.plan.version = 1);
    assert!(message.starts_with("launch plan of version 1"), "{message}");
    Ok(())
}

/// Kernels are launched in clusters if the plan specifies a cluster size. An access to a block that
/// may not have started is a synchronization fault.
#[test]
fn launches_clusters() -> Result<(), Error> {
    let run = |kernel, cluster: Option<[i64; 3]>| {
        let mut step = step(kernel, 1, vec![Operand::Argument(0)]);
        step.cluster = cluster.map(|cluster| cluster.map(Expr::Const));
        let artifact = artifact(&[("memref<?xi32>", true)], EntryKind::Kernel, step);
        let executable = Device::cpu()?.load(&artifact)?;
        let outputs = executable.run(vec![arg("zeros:4xi32")])?;
        Ok::<_, Error>(outputs.argument(0).map(ToString::to_string))
    };
    for (cluster, expected) in [
        (None, "[10 10 10 10]"),
        (Some([1, 1, 1]), "[10 10 10 10]"),
        (Some([2, 1, 1]), "[21 20 21 20]"),
        (Some([4, 1, 1]), "[43 40 41 42]"),
    ] {
        let found = run("cluster_ranks", cluster)?;
        assert_eq!(found.as_deref(), Some(expected), "{cluster:?}");
    }
    let error = run("too_early", Some([2, 1, 1])).expect_err("it faults");
    let Error::Fault(fault) = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (fault.kind, fault.location.as_deref()),
        (FaultKind::Synchronization, Some("source.mlir:11:5"))
    );
    Ok(())
}

/// A cleared temporary must contain zeros after each run, because the next run requires zeros.
#[test]
fn reports_what_cleared_memory_is_left_as() -> Result<(), Error> {
    let step = step("cluster_ranks", 1, vec![Operand::Temporary(0)]);
    let mut artifact = artifact(&[("memref<?xi32>", true)], EntryKind::Function, step);
    let run = |artifact: &Artifact| {
        let executable = Device::cpu()?.load(artifact)?;
        executable.run(vec![arg("zeros:4xi32")])
    };
    run(&artifact)?;
    artifact.plan.temporaries[0].cleared = true;
    let error = run(&artifact).expect_err("it is not zero");
    let Error::Fault(fault) = &error else {
        panic!("{error}")
    };
    assert_eq!(
        (fault.code, &*fault.kernel),
        (Some("TX0808"), "cluster_ranks")
    );
    assert!(
        fault.message.starts_with("byte 0 of temporary 0"),
        "{error}"
    );
    Ok(())
}

#[test]
fn opens_devices_by_name() {
    assert_eq!(
        Device::open("cpu")
            .map(|device| device.name())
            .ok()
            .as_deref(),
        Some("cpu")
    );
    for name in ["gpu", "cuda:", "cuda:x", "cuda:-1", ""] {
        let error = Device::open(name).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("unknown device `{name}`; expected `auto`, `cpu`, `cuda` or `cuda:N`")
        );
        assert_eq!(error.kind(), ErrorKind::Usage);
    }
    // On any machine, `auto` opens a device and returns the reason of the choice.
    let auto = Device::auto().expect("a device");
    assert!(!auto.reason().is_empty());
    assert_eq!(auto.chip().is_none(), auto.name() == "cpu");
}
