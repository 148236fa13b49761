//! Complete runs of hand-written PTX on a CUDA device. Without a device, each test prints a message
//! and passes.

use tx_plan::{Argument, Artifact, ElementType, EntryKind, Expr, Operand, Plan, Step, Temporary};
use tx_runtime::{
    Arg, Array, CudaDriver, Device, Error, ErrorKind, Number, Prepared, RunOptions, Spec,
};

const KERNELS: &str = include_str!("ptx/kernels.ptx");
const CLUSTER: &str = include_str!("ptx/cluster.ptx");

fn device() -> Option<Device> {
    match Device::cuda(0) {
        Ok(device) => Some(device),
        Err(Error::NoDevice { reason, .. }) => {
            println!("skipped: {reason}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn artifact(ptx: &str, chip: &str, arguments: &[(&str, bool)], step: Step) -> Artifact {
    Artifact {
        ptx: ptx.to_owned(),
        plan: Plan {
            version: tx_plan::VERSION,
            chip: chip.to_owned(),
            entry: step.kernel.clone(),
            entry_kind: EntryKind::Kernel,
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
        device_ir: String::new(),
        stages: vec![],
        warnings: Vec::new(),
        modules: Vec::new(),
    }
}

fn step(kernel: &str, operands: impl IntoIterator<Item = Operand>) -> Step {
    Step {
        kernel: kernel.to_owned(),
        module: kernel.to_owned(),
        choice: None,
        when: Vec::new(),
        grid: [1; 3].map(Expr::Const),
        block: [1; 3].map(Expr::Const),
        cluster: None,
        dynamic_shared_bytes: Expr::Const(0),
        operands: operands.into_iter().collect(),
    }
}

fn arg(spec: &str) -> Arg {
    spec.parse::<Spec>().expect(spec).load().expect(spec)
}

/// Arguments of any layout are passed to a kernel with several CTAs, and the written arrays are
/// copied back.
#[test]
fn runs() -> Result<(), Error> {
    let Some(device) = device() else {
        return Ok(());
    };
    let values: Vec<f32> = (0..300).map(|i| i as f32).collect();
    let sums: Vec<f32> = values
        .chunks(3)
        .map(|row| 0.5 * row.iter().sum::<f32>())
        .collect();
    for input in [
        "memref<?x3xf32>",
        "memref<?x?xf32, strided<[1, ?], offset: ?>>",
        "memref<100x3xf32, strided<[-5, 1], offset: 495>>",
    ] {
        let step = Step {
            grid: [
                Expr::dim(0, 0).ceil_div(Expr::Const(32)),
                Expr::Const(1),
                Expr::Const(1),
            ],
            block: [32, 1, 1].map(Expr::Const),
            ..step("row_sums", [0, 1, 2].map(Operand::Argument))
        };
        let arguments = &[
            (input, false),
            ("memref<?xf32, strided<[2], offset: 3>>", true),
            ("f32", false),
        ];
        let executable = device.load(&artifact(KERNELS, "sm_80", arguments, step))?;
        for _ in 0..2 {
            let args = vec![
                Array::from_slice(&[100, 3], &values)?.into(),
                arg("zeros:100xf32"),
                0.5_f32.into(),
            ];
            let outputs = executable.run(args)?;
            assert_eq!(
                outputs.argument(1),
                Some(&Array::from_slice(&[100], &sums)?),
                "{input}"
            );
            assert!(!outputs.elapsed().is_zero());
        }
        let nothing = executable.run(vec![arg("zeros:0x3xf32"), arg("full:7:2xf32"), 1.into()]);
        if input.contains('?') {
            assert_eq!(
                nothing?.argument(1).map(ToString::to_string).as_deref(),
                Some("[7. 7.]")
            );
        }
    }
    Ok(())
}

#[test]
fn runs_on_another_thread() -> Result<(), Error> {
    let Some(device) = device() else {
        return Ok(());
    };
    let step = step("row_sums", [0, 1, 2].map(Operand::Argument));
    let arguments = &[
        ("memref<?x?xf32>", false),
        ("memref<?xf32>", true),
        ("f32", false),
    ];
    let executable = device.load(&artifact(KERNELS, "sm_80", arguments, step))?;
    let run = move || executable.run(vec![arg("full:1:1x7xf32"), arg("zeros:1xf32"), 1.into()]);
    let outputs = std::thread::spawn(run).join().expect("no panic")?;
    assert_eq!(
        outputs.argument(1).map(ToString::to_string).as_deref(),
        Some("[7.]")
    );
    Ok(())
}

/// Arguments of `row_sums`, with equal elements in all rows.
fn rows_of(number: u32) -> Vec<Arg> {
    vec![
        arg(&format!("full:{number}:1x7xf32")),
        arg("zeros:1xf32"),
        1.into(),
    ]
}

fn row_sums(device: &Device) -> Result<tx_runtime::Executable, Error> {
    let step = step("row_sums", [0, 1, 2].map(Operand::Argument));
    let arguments = &[
        ("memref<?x?xf32>", false),
        ("memref<?xf32>", true),
        ("f32", false),
    ];
    device.load(&artifact(KERNELS, "sm_80", arguments, step))
}

/// Each launch of a graph launches all recorded programs, and their results can be read afterwards.
#[test]
fn launches_graphs() -> Result<(), Error> {
    let Some(device) = device() else {
        return Ok(());
    };
    let executable = row_sums(&device)?;
    let prepare = |number| executable.prepare(rows_of(number), &RunOptions::default());
    let mut runs = vec![prepare(1)?, prepare(2)?, prepare(3)?];
    // Two launches are recorded, so the third program is not launched.
    let graph = Prepared::record(&mut runs, 2)?;
    for _ in 0..10 {
        graph.launch()?;
    }
    graph.wait()?;
    assert!(!graph.time(3)?.is_zero());
    drop(graph);
    for (run, expected) in runs.into_iter().zip(["[7.]", "[14.]", "[0.]"]) {
        let sums = run.into_outputs()?;
        let sums = sums.argument(1).map(ToString::to_string);
        assert_eq!(sums.as_deref(), Some(expected));
    }
    let with_graph = RunOptions {
        graph: true,
        ..RunOptions::default()
    };
    let outputs = executable.run_with(rows_of(5), &with_graph)?;
    let sums = outputs.argument(1).map(ToString::to_string);
    assert_eq!(sums.as_deref(), Some("[35.]"));
    Ok(())
}

/// A program is launched on the caller's stream. On a capturing stream, the launch becomes part of
/// the caller's graph.
#[test]
fn launches_on_streams_of_the_caller() -> Result<(), Error> {
    use cudarc::driver::{result, sys};
    let Some(device) = device() else {
        return Ok(());
    };
    let executable = row_sums(&device)?;
    let [on_stream, in_graph] =
        [1, 2].map(|number| executable.prepare(rows_of(number), &RunOptions::default()));
    let (on_stream, in_graph) = (on_stream?, in_graph?);
    // SAFETY: preparing the programs has made the primary context current. The graph is launched
    // while `in_graph` lives.
    unsafe {
        let stream =
            result::stream::create(result::stream::StreamKind::NonBlocking).expect("a stream");
        on_stream.launch_on(stream.cast())?;
        result::stream::synchronize(stream).expect("it ran");
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        result::stream::begin_capture(stream, mode).expect("it records");
        in_graph.launch_on(stream.cast())?;
        let graph = result::stream::end_capture(stream).expect("it recorded");
        let flags = sys::CUgraphInstantiate_flags(0);
        let launches = result::graph::instantiate(graph, flags).expect("a graph");
        result::graph::launch(launches, stream).expect("it starts");
        result::stream::synchronize(stream).expect("it ran");
        result::graph::exec_destroy(launches).expect("it is there");
        result::graph::destroy(graph).expect("it is there");
        result::stream::destroy(stream).expect("it is there");
    }
    for (run, expected) in [(on_stream, "[7.]"), (in_graph, "[14.]")] {
        let sums = run.into_outputs()?;
        let sums = sums.argument(1).map(ToString::to_string);
        assert_eq!(sums.as_deref(), Some(expected));
    }
    Ok(())
}

#[test]
fn passes_scalars() -> Result<(), Error> {
    let Some(device) = device() else {
        return Ok(());
    };
    let arguments = &[
        ("memref<4xi64>", true),
        ("f8E4M3FN", false),
        ("bf16", false),
    ];
    let operands = [
        Operand::Argument(0),
        Operand::Argument(1),
        Operand::Argument(2),
        Operand::Constant {
            ty: ElementType::F32,
            bits: 0xff80_0000,
        },
        Operand::Scalar {
            ty: ElementType::Index,
            value: Expr::Const(-1),
        },
    ];
    let executable = device.load(&artifact(
        KERNELS,
        "sm_80",
        arguments,
        step("scalars", operands),
    ))?;
    let outputs = executable.run(vec![
        arg("zeros:4xi64"),
        1.5_f32.into(),
        Number::Float(-1.0).into(),
    ])?;
    assert_eq!(
        outputs.argument(0),
        Some(&Array::from_slice(
            &[4],
            &[0x3c_i64, 0xbf80, 0xff80_0000, -1]
        )?)
    );
    Ok(())
}

#[test]
fn gives_dynamic_shared_memory() -> Result<(), Error> {
    let Some(device) = device() else {
        return Ok(());
    };
    let step = Step {
        dynamic_shared_bytes: Expr::Const(64 << 10),
        ..step("much_shared", [Operand::Argument(0)])
    };
    let executable = device.load(&artifact(
        KERNELS,
        "sm_80",
        &[("memref<1xi32>", true)],
        step.clone(),
    ))?;
    assert_eq!(
        executable
            .run(vec![arg("zeros:1xi32")])?
            .argument(0)
            .map(ToString::to_string)
            .as_deref(),
        Some("[42]")
    );
    let step = Step {
        dynamic_shared_bytes: Expr::Const(1 << 20),
        ..step
    };
    let executable = device.load(&artifact(
        KERNELS,
        "sm_80",
        &[("memref<1xi32>", true)],
        step,
    ))?;
    let error = executable.run(vec![arg("zeros:1xi32")]).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("preparing kernel `much_shared`: CUDA_ERROR_INVALID_VALUE ("),
        "{error}"
    );
    Ok(())
}

/// Kernels are launched in clusters if the plan specifies a cluster size and the chip supports
/// clusters.
#[test]
fn launches_clusters() -> Result<(), Error> {
    let Some(device) = device() else {
        return Ok(());
    };
    let has_clusters = CudaDriver::load()?
        .devices
        .first()
        .is_some_and(|device| device.compute_capability >= (9, 0));
    for size in [1, 4, 16] {
        let step = Step {
            grid: [Expr::Const(16), Expr::Const(1), Expr::Const(1)],
            cluster: Some([size, 1, 1].map(Expr::Const)),
            ..step("cluster_size", [Operand::Argument(0)])
        };
        let loaded = device.load(&artifact(
            CLUSTER,
            "sm_90",
            &[("memref<1xi32>", true)],
            step,
        ));
        if has_clusters {
            let outputs = loaded?.run(vec![arg("zeros:1xi32")])?;
            assert_eq!(
                outputs.argument(0).map(ToString::to_string),
                Some(format!("[{size}]"))
            );
        } else {
            assert!(matches!(loaded, Err(Error::Chip { .. })));
        }
    }
    Ok(())
}

#[test]
fn reports_what_the_driver_refuses() -> Result<(), Error> {
    let Some(device) = device() else {
        return Ok(());
    };
    let load = |ptx: &str, chip| {
        device.load(&artifact(
            ptx,
            chip,
            &[("memref<1xi32>", true)],
            step("missing", [Operand::Argument(0)]),
        ))
    };
    let error = load(
        &KERNELS.replace("st.u32 [%rd1], 1;", "st.u33 [%rd1], 1;"),
        "sm_80",
    )
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    let message = error.to_string();
    assert!(
        message.starts_with(
            "the driver refused the PTX: loading the module: CUDA_ERROR_INVALID_PTX ("
        ),
        "{message}"
    );
    assert!(
        message.contains("'.u33'") || message.contains("Parsing error"),
        "{message}"
    );
    assert!(load("nul \0", "sm_80").is_err());
    let error = load(KERNELS, "sm_999").unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the program was compiled for sm_999, but "),
        "{error}"
    );
    let error = load(KERNELS, "sm_80")?
        .run(vec![arg("zeros:1xi32")])
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("looking for kernel `missing`: CUDA_ERROR_NOT_FOUND ("),
        "{error}"
    );
    Ok(())
}

/// A plan whose parameters differ from the kernel's is rejected, because the driver would read
/// beyond the passed parameters.
#[test]
fn compares_parameters() -> Result<(), Error> {
    let Some(device) = device() else {
        return Ok(());
    };
    let refuse = |operands: Vec<Operand>| {
        let step = step("much_shared", operands);
        let executable = device.load(&artifact(
            KERNELS,
            "sm_80",
            &[("memref<1xi32>", true), ("f16", false)],
            step,
        ))?;
        let error = executable
            .run(vec![arg("zeros:1xi32"), 1.into()])
            .expect_err("it does not fit");
        assert_eq!(error.kind(), ErrorKind::Refused);
        Ok::<_, Error>(error.to_string())
    };
    assert_eq!(
        refuse(vec![Operand::Argument(1)])?,
        "kernel `much_shared`: the plan passes 1 parameters of [2] bytes, expected 5 of [8, 8, 8, 8, 8]"
    );
    assert!(
        refuse(vec![Operand::Argument(0), Operand::Argument(1)])?.contains("passes 6 parameters")
    );
    Ok(())
}

/// The error for a missing device contains the name of this device and the available devices.
#[test]
fn counts_devices() -> Result<(), Error> {
    let Some(device) = device() else {
        return Ok(());
    };
    assert_eq!(
        device.chip(),
        CudaDriver::load()?
            .devices
            .first()
            .map(tx_runtime::CudaDevice::chip)
    );
    let error = Device::cuda(1000).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("no device `cuda:1000`: the CUDA driver shows "),
        "{error}"
    );
    Ok(())
}

/// A program accesses the caller's device arrays in place, on the caller's stream, also after an
/// argument is moved. The caller's graph can record the launch. The outputs do not contain the
/// caller's arrays.
#[test]
fn runs_in_place() -> Result<(), Box<dyn std::error::Error>> {
    use cudarc::driver::{CudaContext, DevicePtr, DevicePtrMut, sys};
    use tx_runtime::DeviceArray;

    let Some(device) = device() else {
        return Ok(());
    };
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let step = Step {
        grid: [
            Expr::dim(0, 0).ceil_div(Expr::Const(32)),
            Expr::Const(1),
            Expr::Const(1),
        ],
        block: [32, 1, 1].map(Expr::Const),
        ..step("row_sums", [0, 1, 2].map(Operand::Argument))
    };
    let arguments = &[
        ("memref<?x?xf32, strided<[?, ?], offset: ?>>", false),
        ("memref<?xf32>", true),
        ("f32", false),
    ];
    let executable = device.load(&artifact(KERNELS, "sm_80", arguments, step))?;
    let values = |from: i32| -> Vec<f32> { (from..from + 300).map(|i| i as f32).collect() };
    let sums = |values: &[f32]| -> Vec<f32> {
        let rows = values.chunks(3);
        rows.map(|row| 2.0 * (row[0] + row[2])).collect()
    };
    let (first, second) = (values(0), values(1000));
    let mut input = stream.clone_htod(&first)?;
    let other = stream.clone_htod(&second)?;
    let mut output = stream.alloc_zeros::<f32>(100)?;
    let pointers = {
        let (a, _a) = input.device_ptr(&stream);
        let (other, _other) = other.device_ptr(&stream);
        let (b, _b) = output.device_ptr_mut(&stream);
        (a, other, b)
    };
    // View of the first and the last of three columns.
    let args = vec![
        DeviceArray::new(pointers.0, ElementType::F32, &[100, 2])
            .with_strides(0, &[3, 2])
            .into(),
        DeviceArray::new(pointers.2, ElementType::F32, &[100]).into(),
        2.0_f32.into(),
    ];
    // SAFETY: the arrays have these sizes, live until the end of the test, and are used on one
    // stream only.
    let mut run = unsafe { executable.prepare_in_place(args, &RunOptions::default()) }?;
    assert_eq!(run.argument_bytes(), 4 * 300 + 4 * 100);
    // SAFETY: the stream belongs to the primary context of this device, and all launches use this
    // stream.
    let launch = |run: &Prepared<'_>| unsafe { run.launch_on(stream.cu_stream().cast()) };
    launch(&run)?;
    assert_eq!(stream.clone_dtoh(&output)?, sums(&first));
    // SAFETY: the new array has the same size and lives until the end of the test.
    unsafe { run.move_argument(0, pointers.1) }?;
    launch(&run)?;
    assert_eq!(stream.clone_dtoh(&output)?, sums(&second));
    // SAFETY: the call fails and moves no argument.
    let error = unsafe { run.move_argument(0, pointers.1 + 1) }.expect_err("misaligned");
    assert_eq!(error.kind(), ErrorKind::Refused);

    // SAFETY: as above.
    unsafe { run.move_argument(0, pointers.0) }?;
    stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    launch(&run)?;
    let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0))?;
    let graph = graph.ok_or("no graph was recorded")?;
    for from in [7, 70, 700] {
        stream.memcpy_htod(&values(from), &mut input)?;
        graph.launch()?;
        assert_eq!(stream.clone_dtoh(&output)?, sums(&values(from)));
    }
    let outputs = run.into_outputs()?;
    assert!(outputs.into_arrays().iter().all(Option::is_none));
    Ok(())
}
