use tx_plan::{Argument, Base, ElementType, EntryKind, Expr, Operand, Plan, Step, View};

use super::{BoundPlan, Param};
use crate::array::Array;
use crate::device_array::{DeviceArg, DeviceArray};
use crate::error::Error;
use crate::spec::Arg;

fn plan(arguments: &[&str], step: Step) -> Plan {
    Plan {
        version: tx_plan::VERSION,
        chip: "sm_80".to_owned(),
        entry: "main".to_owned(),
        entry_kind: EntryKind::Function,
        arguments: arguments
            .iter()
            .map(|ty| Argument {
                ty: ty.parse().expect("a type"),
                written: ty.contains("memref"),
            })
            .collect(),
        checks: Vec::new(),
        temporaries: vec![tx_plan::Temporary {
            element: ElementType::F16,
            shape: vec![Expr::dim(0, 0)],
            cleared: false,
        }],
        steps: vec![step],
    }
}

/// Returns a plan with several alternative launch steps. Each entry of `alternatives` lists the
/// conditions of one launch step.
fn choice(arguments: &[&str], alternatives: &[&[&str]]) -> Plan {
    let mut plan = plan(arguments, step());
    plan.steps = (alternatives.iter().enumerate())
        .map(|(i, when)| Step {
            kernel: format!("k{i}"),
            choice: Some(0),
            when: when.iter().map(|text| text.parse().expect(text)).collect(),
            ..step()
        })
        .collect();
    plan.validate().expect("a plan");
    plan
}

fn kernels(bound: &BoundPlan, address: u64) -> Vec<&str> {
    let launches = bound.launches(move |_| Some(address));
    launches
        .map(|launch| launch.expect("a value").1.kernel.as_str())
        .collect()
}

#[test]
fn selects_one_alternative() -> Result<(), Error> {
    let types = &["memref<?xf32>", "i32"];
    let sizes = choice(types, &[&["arg0.dim0 <= 8"], &["arg0.dim0 > 8"]]);
    for (size, expected) in [(7, "k0"), (8, "k0"), (9, "k1")] {
        let bound = BoundPlan::new(&sizes, vec![array(&[size]), 0.into()], None)?;
        assert_eq!(kernels(&bound, 0), [expected]);
        assert_eq!(bound.possible().len(), 1);
    }
    // An empty array needs no launch in any alternative.
    let bound = BoundPlan::new(&sizes, vec![array(&[0]), 0.into()], None)?;
    assert!(bound.possible().is_empty());
    let plan = choice(
        types,
        &[
            &["arg0.address % 16 == 0", "arg1 == 2"],
            &["arg0.address % 16 == 0", "arg1 < 2"],
            &["arg0.address % 16 == 0", "arg1 > 2"],
            &["mod(arg0.address, 16) > 0"],
        ],
    );
    for (scalar, aligned) in [(1, "k1"), (2, "k0"), (3, "k2")] {
        let bound = BoundPlan::new(&plan, vec![array(&[4]), scalar.into()], None)?;
        assert_eq!(bound.possible().len(), 2);
        assert_eq!(kernels(&bound, 32), [aligned]);
        assert_eq!(kernels(&bound, 36), ["k3"]);
    }
    Ok(())
}

#[test]
fn other_alternatives_are_not_evaluated() -> Result<(), Error> {
    let mut plan = choice(
        &["memref<?xf32>"],
        &[&["arg0.dim0 <= 8"], &["arg0.dim0 > 8"]],
    );
    let above: Expr = "nonnegative(arg0.dim0 - 8)".parse().expect("an expression");
    plan.temporaries[0].shape = vec![above.clone()];
    plan.steps[1].operands = vec![Operand::Temporary(0)];
    plan.steps[1].grid[1] = above;
    let bound = BoundPlan::new(&plan, vec![array(&[4])], None)?;
    assert_eq!(bound.buffers[1].bytes, 0);
    let bound = BoundPlan::new(&plan, vec![array(&[10])], None)?;
    assert_eq!((bound.buffers[1].bytes, bound.launches[0].grid[1]), (4, 2));
    Ok(())
}

#[test]
fn conditions_need_values() {
    let plan = choice(
        &["memref<?xf32>"],
        &[
            &["floordiv(8, arg0.dim0) < 2"],
            &["floordiv(8, arg0.dim0) >= 2"],
        ],
    );
    let error = BoundPlan::new(&plan, vec![array(&[0])], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "step 0 (`k0`), `floordiv(8, arg0.dim0) < 2`: `floordiv(8, arg0.dim0)` divides 8 by zero"
    );
}

fn step() -> Step {
    Step {
        kernel: "k".to_owned(),
        module: "k".to_owned(),
        choice: None,
        when: Vec::new(),
        grid: [
            Expr::dim(0, 0).ceil_div(Expr::Const(3)),
            Expr::Const(1),
            Expr::Const(1),
        ],
        block: [Expr::Const(32), Expr::Const(1), Expr::Const(1)],
        cluster: None,
        dynamic_shared_bytes: Expr::Const(16),
        operands: vec![Operand::Argument(0)],
    }
}

fn array(shape: &[usize]) -> Arg {
    let values: Vec<f32> = (0..shape.iter().product::<usize>())
        .map(|i| i as f32)
        .collect();
    Array::from_slice(shape, &values).expect("an array").into()
}

/// Checks the kernel parameters of a memref: allocated pointer, aligned pointer, offset, sizes
/// and strides. A scalar becomes one kernel parameter.
#[test]
fn flattens_operands() -> Result<(), Error> {
    let mut step = step();
    step.operands = vec![
        Operand::Argument(0),
        Operand::Argument(1),
        Operand::Temporary(0),
        Operand::View(View {
            base: Base::Argument(0),
            offset: Expr::Const(7),
            sizes: vec![Expr::dim(0, 0)],
            strides: vec![Expr::Const(8)],
        }),
        Operand::Scalar {
            ty: ElementType::I16,
            value: Expr::Const(-1),
        },
        Operand::Constant {
            ty: ElementType::F32,
            bits: 0xff80_0000,
        },
    ];
    let plan = plan(&["memref<?x8xf32>", "i32"], step);
    let bound = BoundPlan::new(&plan, vec![array(&[4, 8]), 5_i32.into()], None)?;
    let word = |bits| Param::Value { bits, size: 8 };
    let launch = &bound.launches[0];
    assert_eq!(
        launch.params,
        [
            Param::Address(0),
            Param::Address(0),
            word(0),
            word(4),
            word(8),
            word(8),
            word(1),
            Param::Value { bits: 5, size: 4 },
            Param::Address(1),
            Param::Address(1),
            word(0),
            word(4),
            word(1),
            Param::Address(0),
            Param::Address(0),
            word(7),
            word(4),
            word(8),
            Param::Value {
                bits: 0xffff,
                size: 2
            },
            Param::Value {
                bits: 0xff80_0000,
                size: 4
            },
        ]
    );
    assert_eq!(
        (launch.grid, launch.block, launch.dynamic_shared),
        ([2, 1, 1], [32, 1, 1], 16)
    );
    assert_eq!(bound.buffers[1].bytes, 8);
    Ok(())
}

#[test]
fn strided_arrays_round_trip() -> Result<(), Error> {
    let plan = plan(&["memref<3x4xf32, strided<[16, 2], offset: 5>>"], step());
    let bound = BoundPlan::new(&plan, vec![array(&[3, 4])], None)?;
    assert_eq!(bound.buffers[0].bytes, 4 * (5 + 32 + 6 + 1));
    assert_eq!(
        bound.buffers[0]
            .contents
            .as_deref()
            .map(|bytes| &bytes[4 * (5 + 16)..][..4]),
        Some(&4_f32.to_le_bytes()[..])
    );
    let arrays = bound.into_arrays()?;
    let (result, written) = arrays[0].as_ref().expect("a memref");
    assert!(*written);
    assert_eq!(Arg::Array(result.clone()), array(&[3, 4]));
    Ok(())
}

/// Checks that an array with several elements at one memory position is accepted only if these
/// elements have equal values.
#[test]
fn elements_may_share_a_place() -> Result<(), Error> {
    let plan = plan(&["memref<3x4xf32, strided<[0, 1]>>"], step());
    let rows = |rows: [[f32; 4]; 3]| Array::from_slice(&[3, 4], rows.as_flattened());
    let same = rows([[1., 2., 3., 4.]; 3])?;
    let bound = BoundPlan::new(&plan, vec![same.clone().into()], None)?;
    assert_eq!(bound.buffers[0].bytes, 16);
    assert_eq!(
        bound.into_arrays()?[0].as_ref().map(|(array, _)| array),
        Some(&same)
    );
    let different = rows([[1., 2., 3., 4.], [1., 2., 0., 4.], [1., 2., 3., 4.]])?;
    let error = BoundPlan::new(&plan, vec![different.into()], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "argument 0: found an array 3x4xf32, expected memref<3x4xf32, strided<[0, 1]>>; strides \
         [0, 1] map several elements to element 2 of the memref, and the value at [1, 2] differs \
         from another of these values"
    );
    Ok(())
}

fn on_device(shape: &[usize]) -> DeviceArray {
    DeviceArray::new(0x1000, ElementType::F32, shape)
}

#[test]
fn binds_memory_of_the_caller() -> Result<(), Error> {
    let mut step = step();
    step.operands = vec![
        Operand::Argument(0),
        Operand::Argument(1),
        Operand::Argument(2),
    ];
    let types = [
        "memref<?x8xf32>",
        "memref<?xf32, strided<[?], offset: ?>>",
        "i32",
    ];
    let plan = plan(&types, step);
    let args = vec![
        on_device(&[4, 8]).into(),
        on_device(&[3]).with_strides(6, &[-2]).into(),
        5.into(),
    ];
    let bound = BoundPlan::in_place(&plan, args, None)?;
    let word = |bits| Param::Value { bits, size: 8 };
    assert_eq!(
        bound.launches[0].params,
        [
            Param::Address(0),
            Param::Address(0),
            word(0),
            word(4),
            word(8),
            word(8),
            word(1),
            Param::Address(1),
            Param::Address(1),
            word(6),
            word(3),
            word(-2_i64 as u64),
            Param::Value { bits: 5, size: 4 },
        ]
    );
    let about = |i: usize| (bound.buffers[i].address, bound.buffers[i].bytes);
    assert_eq!(about(0), (Some(0x1000), 128));
    assert_eq!(about(1), (Some(0x1000), 28));
    // The runtime allocates the temporary.
    assert_eq!(about(2), (None, 8));
    assert_eq!(bound.at(1, 0x2004)?, 1);
    let fails = |index, address| bound.at(index, address).unwrap_err().to_string();
    assert_eq!(
        fails(0, 0x2002),
        "argument 0: found the address 0x2002, expected an array of f32 on the device; its \
         address 0x2002 is no \
         multiple of the 4 bytes of an element"
    );
    assert_eq!(
        fails(2, 0x2000),
        "argument 2: found the address 0x2000, expected a memref argument; there are 3 \
         arguments, counted from 0"
    );
    assert!(bound.into_arrays()?.iter().all(Option::is_none));
    Ok(())
}

#[test]
fn refuses_memory_that_does_not_fit() {
    let fails = |ty: &str, arg: DeviceArg| {
        let plan = plan(&["memref<?xf32>", ty], step());
        let error = BoundPlan::in_place(&plan, vec![on_device(&[4]).into(), arg], None);
        error.unwrap_err().to_string()
    };
    let half = DeviceArray::new(0x1000, ElementType::F16, &[4, 8]);
    let null = DeviceArray::new(0, ElementType::F32, &[4, 8]);
    let odd = DeviceArray::new(0x1002, ElementType::F32, &[4, 8]);
    for (ty, arg, message) in [
        (
            "memref<4x8xf32>",
            half.into(),
            "an array 4x8xf16 on the device, expected memref<4x8xf32>",
        ),
        (
            "memref<4x8xf32>",
            on_device(&[4, 7]).into(),
            "an array 4x7xf32 on the device, expected memref<4x8xf32>; dimension 1 is 7, not 8",
        ),
        (
            "memref<?x?xf32>",
            on_device(&[4]).into(),
            "an array 4xf32 on the device, expected memref<?x?xf32>; the rank is 1, not 2",
        ),
        (
            "memref<?x?xf32>",
            on_device(&[4, 8]).with_strides(0, &[16, 1]).into(),
            "an array 4x8xf32 on the device, expected memref<?x?xf32>; its strides are [16, \
             1] and its offset is 0",
        ),
        (
            "memref<?x?xf32, strided<[16, 1]>>",
            on_device(&[4, 8]).into(),
            "an array 4x8xf32 on the device, expected memref<?x?xf32, strided<[16, 1]>>; its \
             strides are [8, 1] and \
             its offset is 0",
        ),
        (
            "memref<?x?xf32, strided<[?, ?], offset: ?>>",
            on_device(&[4, 8]).with_strides(2, &[-8, 1]).into(),
            "an array 4x8xf32 on the device, expected memref<?x?xf32, strided<[?, ?], offset: ?>>; \
             offset 2 is too small for strides that reach element -24",
        ),
        (
            "memref<?x?xf32>",
            null.into(),
            "an array 4x8xf32 on the device, expected memref<?x?xf32>; its address is null",
        ),
        (
            "memref<?x?xf32>",
            odd.into(),
            "an array 4x8xf32 on the device, expected memref<?x?xf32>; its address 0x1002 is \
             no multiple of the 4 bytes \
             of an element",
        ),
        (
            "f32",
            on_device(&[]).into(),
            "an array f32 on the device, expected f32; a scalar is passed as a number",
        ),
        (
            "memref<4xf32>",
            1.into(),
            "the number 1, expected memref<4xf32>",
        ),
    ] {
        assert_eq!(fails(ty, arg), format!("argument 1: found {message}"));
    }
    let plan = plan(&["memref<?xf32>"], step());
    let error = BoundPlan::in_place(&plan, vec![], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "found 0 arguments, expected 1: @main(memref<?xf32>)"
    );
}

#[test]
fn checks_launch_sizes() {
    let types = &["memref<?xf32>"];
    let bound =
        BoundPlan::new(&plan(types, step()), vec![array(&[0])], None).expect("nothing to do");
    assert!(bound.launches.is_empty());
    let mut huge = step();
    huge.grid = [0, 1 << 40, 1].map(Expr::Const);
    let bound = BoundPlan::new(&plan(types, huge), vec![array(&[4])], None).expect("nothing to do");
    assert!(bound.launches.is_empty());
    let fails = |change: fn(&mut Step)| {
        let mut step = step();
        change(&mut step);
        BoundPlan::new(&plan(types, step), vec![array(&[4])], None)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        fails(|step| step.grid[1] = Expr::Const(65536)),
        "step 0 (`k`), grid along y: found 65536, expected 0 to 65535"
    );
    assert_eq!(
        fails(|step| step.grid[2] = Expr::dim(0, 0).times(Expr::Const(1 << 20))),
        "step 0 (`k`), grid along z: found 4194304 for `arg0.dim0 * 1048576`, where arg0.dim0 \
         is 4, expected 0 to 65535"
    );
    assert_eq!(
        fails(|step| step.grid[1] = Expr::dim(0, 0).times(Expr::Const(1 << 62))),
        "step 0 (`k`), grid along y: `arg0.dim0 * 4611686018427387904` overflows 64 bits: 4 \
         and 4611686018427387904"
    );
    assert_eq!(
        fails(|step| step.grid = [-1, 0, 1].map(Expr::Const)),
        "step 0 (`k`), grid along x: found -1, expected 0 to 2147483647"
    );
    assert_eq!(
        fails(|step| step.cluster = Some([1, 1, 2].map(Expr::Const))),
        "step 0 (`k`), grid along z: found 1, expected a multiple of the 2 CTAs of a cluster"
    );
    assert_eq!(
        fails(|step| step.block = [32, 64, 1].map(Expr::Const)),
        "step 0 (`k`), block: found 2048 threads, expected at most 1024"
    );
    assert_eq!(
        fails(|step| step.grid[0] = Expr::Const(1).floor_div(Expr::Const(0))),
        "step 0 (`k`), grid along x: `floordiv(1, 0)` divides 1 by zero"
    );
    assert_eq!(
        fails(|step| step.operands = vec![Operand::View(View {
            base: Base::Argument(0),
            offset: Expr::Const(1),
            sizes: vec![Expr::Const(4)],
            strides: vec![Expr::Const(1)],
        })]),
        "step 0 (`k`), operand 0: found a view of elements 1 to 4, expected elements 0 to 3 of argument 0"
    );
}

#[test]
fn overrides_the_grid_of_a_kernel() {
    let mut plan = plan(&["memref<?xf32>"], step());
    let error = BoundPlan::new(&plan, vec![array(&[4])], Some([5, 1, 1])).unwrap_err();
    assert!(matches!(error, Error::GridOfFunction { .. }));
    plan.entry_kind = EntryKind::Kernel;
    let bound = BoundPlan::new(&plan, vec![array(&[4])], Some([5, 2, 1])).expect("a grid");
    assert_eq!(bound.launches[0].grid, [5, 2, 1]);
}

#[test]
fn checks_arguments() {
    let fails = |ty: &str, arg: Arg| {
        BoundPlan::new(
            &plan(&["memref<?xf32>", ty], step()),
            vec![array(&[4]), arg],
            None,
        )
        .unwrap_err()
        .to_string()
    };
    for (ty, arg, message) in [
        (
            "memref<4x8xf32>",
            array(&[4, 7]),
            "an array 4x7xf32, expected memref<4x8xf32>; dimension 1 is 7, not 8",
        ),
        (
            "memref<4x8xf32>",
            array(&[32]),
            "an array 32xf32, expected memref<4x8xf32>; the rank is 1, not 2",
        ),
        (
            "memref<4xf64>",
            array(&[4]),
            "an array 4xf32, expected memref<4xf64>",
        ),
        (
            "memref<?xbf16>",
            Array::zeros(ElementType::I16, vec![4])
                .expect("an array")
                .into(),
            "an array 4xi16, expected memref<?xbf16>; to read the words of a file as bf16, \
             write `FILE.npy:bf16`",
        ),
        (
            "memref<f32>",
            1.5_f32.into(),
            "the number 1.5, expected memref<f32>; an array of rank 0 is written `full:1.5:f32`",
        ),
        (
            "memref<4xf32>",
            1.into(),
            "the number 1, expected memref<4xf32>",
        ),
        (
            "f32",
            array(&[]),
            "an array f32, expected f32; a scalar is written as a number",
        ),
        (
            "i8",
            300.into(),
            "the number 300, expected i8; the range of i8 is -128 to 255",
        ),
        (
            "i1",
            0.5.into(),
            "the number 0.5, expected i1; the range of i1 is 0 to 1",
        ),
    ] {
        assert_eq!(fails(ty, arg), format!("argument 1: found {message}"));
    }
    let error = BoundPlan::new(&plan(&["memref<?xf32>", "i8"], step()), vec![], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "found 0 arguments, expected 2: @main(memref<?xf32>, i8)"
    );
    let index = Array::zeros(ElementType::I64, vec![4]).expect("an array");
    assert!(
        BoundPlan::new(
            &plan(&["memref<?xindex>"], step()),
            vec![index.into()],
            None
        )
        .is_ok()
    );
}
