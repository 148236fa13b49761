//! Tests of the generator itself.

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};

use crate::Record;
use crate::allreduce::{Groups, exchange};
use crate::case::{Case, Output, Plan};
use crate::element::{Element, Mt19937};
use crate::facts::{numbers, scan};
use crate::fragments::fragment_case;
use crate::host::{Host, Reduce, Schedule};
use crate::intrinsics::check_expectation;
use crate::not_taken::NOT_TAKEN;
use crate::probes::rows;
use crate::ptx::{Ptx, trace_block, worst_bank_conflict};
use crate::tiles::{Storage, guarded, tile_program};
use crate::view::{Reference, View, reduced_dimensions};

pub(crate) fn trials() -> Vec<Trial> {
    type Test = (&'static str, fn() -> Result<(), String>);
    const TESTS: &[Test] = &[
        ("random numbers are NumPy's", || {
            let mut random = Mt19937::new(0);
            let numbers: Vec<f64> = (0..3).map(|_| random.uniform()).collect();
            equal(
                &numbers,
                &vec![
                    0.548_813_503_927_324_8,
                    0.715_189_366_372_419_5,
                    0.602_763_376_071_643_9,
                ],
            )
        }),
        (
            "random numbers are NumPy's after the state is renewed",
            || {
                let mut random = Mt19937::new(0);
                let last = (0..1000).map(|_| random.uniform()).last();
                equal(&last, &Some(LAST_OF_A_THOUSAND))
            },
        ),
        ("elements round to nearest even", || {
            equal(&Element::BF16.round(257.0), &256.0)?;
            equal(&Element::BF16.round(259.0), &260.0)?;
            equal(&Element::F16.round(2049.0), &2048.0)?;
            equal(&Element::F16.round(2051.0), &2052.0)?;
            equal(&Element::F16.round(65_519.9), &65_504.0)?;
            equal(&Element::F16.round(3e-8), &f64::powi(2.0, -24))?;
            // Just above the middle of two, and exactly there once it is rounded to f32.
            equal(
                &Element::F16.round(0.119_903_567_328_622_84),
                &0.119_934_082_031_25,
            )?;
            equal(&Element::F32.round(16_777_217.0), &16_777_216.0)
        }),
        ("regions become strided views", || {
            let part = View::whole(&[32, 32]).region(&[[1, 5], [1, 8]])?;
            equal(
                &part.mlir_type(Element::F32, "workgroup"),
                &"memref<5x8xf32, strided<[32, 1], offset: 33>, #gpu.address_space<workgroup>>"
                    .to_owned(),
            )?;
            equal(&part.places()[8], &65)?;
            equal(&View::whole(&[4]).region(&[[2, 3]]).is_err(), &true)
        }),
        ("a destination may have dimensions of 1 to spare", || {
            let one = View::whole(&[1]).drop_ones(&[]).ok_or("no view")?;
            equal(
                &one.mlir_type(Element::F32, ""),
                &"memref<f32, strided<[]>>".to_owned(),
            )?;
            let four = View::whole(&[1, 4, 1]).drop_ones(&[4]).ok_or("no view")?;
            equal(
                &four.mlir_type(Element::F32, ""),
                &"memref<4xf32, strided<[1]>>".to_owned(),
            )?;
            equal(&View::whole(&[4, 2]).drop_ones(&[4]), &None)
        }),
        (
            "the reference reduces regions, several axes, and onto old values",
            || {
                let inputs: Vec<f64> = (0..12).map(f64::from).collect();
                let mut result = vec![100.0, 200.0, 300.0];
                Reference {
                    op: "sum",
                    accumulate: true,
                    element: Element::F32,
                    source: &View::whole(&[2, 3, 2]).region(&[[0, 2], [1, 2], [0, 2]])?,
                    reduced: &reduced_dimensions(&[0, -1], 3)?,
                    destination: &View::whole(&[3]).region(&[[1, 2]])?,
                }
                .apply(&inputs, &mut result)?;
                equal(&result, &vec![100.0, 200.0 + 22.0, 300.0 + 30.0])
            },
        ),
        ("guards count threads, warps and warpgroups", || {
            let guarded = |guard| guarded(guard, vec!["x".to_owned()]);
            equal(&guarded("thread_id == 65")?.len(), &6)?;
            equal(&guarded("warp_id == 5")?[1].contains("32"), &true)?;
            equal(&guarded("wg_id == 0")?[1].contains("128"), &true)?;
            equal(&guarded("thread_id < 16")?[2].contains("ult"), &true)?;
            equal(&guarded("lane_id == 0").is_err(), &true)
        }),
        ("expectations in words are understood", || {
            let results = [36.0, 100.0, 164.0, 228.0];
            check_expectation(&json!("groups of 8 lanes: 36,100,164,228"), 8, &results)?;
            check_expectation(&json!("group g: 64g+36"), 8, &results)?;
            equal(
                &check_expectation(&json!("group g: 4g+4"), 8, &results).is_err(),
                &true,
            )?;
            equal(&check_expectation(&json!(36), 8, &results).is_err(), &true)
        }),
        (
            "a wrong element is found, and so is one outside the region",
            || {
                let element = Element::F32;
                let before = element.array(&[4], &[0.0; 4]);
                let output = Output {
                    region: vec![[1, 3]],
                    ..Output::exact(1, element, &[4], &[0.0, 1.0, f64::NEG_INFINITY, 3.0])
                };
                output.compare(&before, &output.expected)?;
                for (place, value, message) in [
                    (1, 1.5, "expected 1"),
                    (3, f64::NAN, "expected 3"),
                    (2, 2.0, "expected -inf"),
                    (0, 0.5, "outside"),
                ] {
                    let mut values = element.values(&output.expected);
                    values[place] = value;
                    let trouble = output.compare(&before, &element.array(&[4], &values)).err();
                    equal(&trouble.is_some_and(|text| text.contains(message)), &true)?;
                }
                Ok(())
            },
        ),
        ("a thread is followed through PTX", || {
            let ptx = Ptx::parse(LOOP)?;
            let trace = ptx.trace([3, 0, 0], [32, 1, 1])?;
            let addresses: Vec<u64> = trace.shared.iter().map(|a| a.address & 0xffff).collect();
            equal(&addresses, &vec![12, 140, 268])?;
            equal(&trace.barriers, &vec![(1, Some(64))])?;
            equal(&trace.butterflies, &vec![16])?;
            equal(&ptx.count("ld.shared"), &1)?;
            equal(&ptx.count_f32("max", 4), &1)?;
            equal(&ptx.count_f32("max", 3), &0)?;
            equal(&worst_bank_conflict(&trace_block(&ptx, 32)?)?, &1)
        }),
        (
            "a refusal has to come, in its place and with its words",
            || {
                let good = tile_program(&rows("cta", 32), Storage::Shared)?;
                let bad = tile_program(&rows("thread", 256), Storage::Shared)?;
                for (program, at, text, trouble) in [
                    (&good, "tile.reduce", "", "expected status 1"),
                    (&bad, "tile.reduce", "no such words", "lack `no such words`"),
                    (
                        &bad,
                        "tile.copy %A",
                        "256 threads",
                        "expected one with `tile.copy %A`",
                    ),
                ] {
                    let case = Case::refused(program.clone(), at, &[text]);
                    let found = case.run("generator-refusals").err().unwrap_or_default();
                    equal(&found.contains(trouble), &true)?;
                }
                Case::refused(bad, "tile.reduce", &["256 threads"]).run("generator-refusals")
            },
        ),
        (
            "upper halves of products and fields of bits are computed",
            || {
                let trace = Ptx::parse(DIVISION)?.trace([45, 0, 0], [64, 1, 1])?;
                let addresses: Vec<u64> = trace.shared.iter().map(|a| a.address & 0xffff).collect();
                // 45 is 0b101101.
                equal(&addresses, &vec![45 / 7 + 256])
            },
        ),
        ("numbers are found among words", || {
            let text = "A[128,64] sum; k split 4x32, inner on threadIdx.x";
            equal(&scan("[#,#] sum", text), &Some(vec![128, 64]))?;
            equal(&numbers("k split #x#", text, [1, 1]), &[4, 32])?;
            equal(&numbers("length #", text, [7]), &[7])?;
            // Not from the middle of a number, and not without one.
            equal(&scan("#x#", "guard x<12x3y, 45x6"), &Some(vec![12, 3]))?;
            equal(&scan("[#]", "A[n]"), &None)
        }),
        ("loops are bound as they are, cut, or cut again", || {
            let bound = |extent, axes: &[_]| Schedule::new().over_threads("d1", extent, axes);
            let start = Schedule::new;
            equal(&bound(32, &[('x', 32)]), &start().bind("d1", "thread_x"))?;
            equal(
                &bound(100, &[('x', 32)]),
                &start().split("d1", 32).bind("d1.i", "thread_x"),
            )?;
            equal(
                &bound(256, &[('x', 32), ('y', 8)]),
                &start()
                    .split("d1", 32)
                    .bind("d1.i", "thread_x")
                    .bind("d1.o", "thread_y"),
            )
        }),
        ("a host function is written with its schedule", || {
            let mut host = Host::dynamic();
            let a = host.input("A", Element::F32, &[2, 3], &[0.0; 6]);
            let b = host.output("B", Element::F32, &[2], &[0.0; 2]);
            host.push(Reduce {
                kind: "sum",
                from: vec![a],
                into: vec![b],
                axes: vec![1],
                schedule: Some(Schedule::new().split("d1", 16)),
                ..Reduce::default()
            });
            let expected = "func.func @record(%A: memref<?x?xf32>, %B: memref<?xf32>) {
  tile.reduce sum %A into %B axes [1] scope(grid) {
      schedule = [#tile.split<\"d1\" by 16>]}
      : memref<?x?xf32> into memref<?xf32>
  return
}
";
            equal(&host.case().program.as_str(), &expected)
        }),
        ("groups of threads are within warps or are not", || {
            let groups = |block, along| Groups {
                block,
                along,
                rounds: 1,
            };
            let along_x = [true, false, false];
            equal(&groups([8, 3, 3], along_x).within_warps(), &true)?;
            equal(&groups([12, 2, 1], along_x).within_warps(), &true)?;
            equal(&groups([12, 3, 1], along_x).within_warps(), &false)?;
            equal(&groups([64, 1, 1], along_x).within_warps(), &false)?;
            equal(
                &groups([8, 8, 1], [false, true, false]).within_warps(),
                &false,
            )?;
            equal(
                &groups([8, 4, 9], [false, true, false]).within_warps(),
                &true,
            )
        }),
        ("a wrong way to exchange is found", || {
            let groups = |block| Groups {
                block,
                along: [true, false, false],
                rounds: 1,
            };
            // One shuffle and one barrier.
            let ptx = Ptx::parse(LOOP)?;
            for (block, message) in [
                ([32, 1, 1], "barriers within warps"),
                ([2, 1, 1], "barriers within warps"),
            ] {
                let trouble = exchange(groups(block), Some(1))(&ptx)
                    .err()
                    .unwrap_or_default();
                equal(&trouble.contains(message), &true)?;
            }
            exchange(groups([64, 1, 1]), Some(1))(&ptx)?;
            // Neither.
            let ptx = Ptx::parse(NOTHING)?;
            for (block, message) in [
                ([64, 1, 1], "0 barriers for 1 results"),
                ([4, 1, 1], "0 shuffles for 1 results of 4 lanes"),
            ] {
                let trouble = exchange(groups(block), Some(1))(&ptx)
                    .err()
                    .unwrap_or_default();
                equal(&trouble.contains(message), &true)?;
            }
            exchange(groups([4, 1, 1]), None)(&ptx)
        }),
        ("a wrong launch plan is found", || {
            let plan: Plan = serde_json::from_value(json!({
                "temporaries": [{ "shape": [16, "arg0.dim0"] }],
                "steps": [{ "grid": ["ceildiv(arg0.dim0, 32)", 1, 1], "block": [16, 32, 1] },
                          { "grid": [4, 1, 1], "block": [64, 1, 1] }],
            }))
            .map_err(|error| error.to_string())?;
            plan.expect_blocks(&[[16, 32, 1], [64, 1, 1]])?;
            plan.expect_grid(0, "ceildiv(arg0.dim0, 32)")?;
            plan.expect_grid(1, 4)?;
            plan.expect_temporaries(&[&["16", "arg0.dim0"]])?;
            let found = [
                plan.expect_blocks(&[[16, 32, 1]]).is_err(),
                plan.expect_blocks(&[[32, 16, 1], [64, 1, 1]]).is_err(),
                plan.expect_grid(0, 1).is_err(),
                plan.expect_grid(1, 5).is_err(),
                plan.expect_grid(2, 1).is_err(),
                plan.expect_temporaries(&[]).is_err(),
            ];
            equal(&found, &[true; 6])
        }),
        (
            "what a record says of the way it exchanges has to fit",
            || {
                let other = OTHER_RECORDS
                    .iter()
                    .find(|(_, text)| text.contains("two_level"));
                let (_, text) = other.ok_or("no such record")?;
                let record: Record = serde_json::from_str(&text.replace("two_level", "single"))
                    .map_err(|error| error.to_string())?;
                let trouble = crate::cases(&record).err().unwrap_or_default();
                equal(&trouble.contains("warp_shuffle_single"), &true)
            },
        ),
        (
            "records that are not taken are in the documentation",
            || {
                let page = include_str!("../../../../docs/records-not-taken.md");
                for (suite, what, _) in NOT_TAKEN {
                    let row = page
                        .lines()
                        .find(|line| line.contains(&format!("`{what}`")));
                    equal(
                        &(what, row.is_some_and(|row| row.contains(suite))),
                        &(what, true),
                    )?;
                }
                let rows = page.lines().filter(|line| line.starts_with("| `classic."));
                let in_order = rows.take_while(|row| !row.contains("/0017"));
                equal(&in_order.count(), &NOT_TAKEN.len())
            },
        ),
        ("words of one bank are a conflict", || {
            let ptx = Ptx::parse(COLUMN)?;
            equal(&worst_bank_conflict(&trace_block(&ptx, 32)?)?, &32)
        }),
    ];
    /// `numpy.random.seed(0); numpy.random.uniform(size=1000)[-1]`: more than the 312 numbers that
    /// one state gives.
    const LAST_OF_A_THOUSAND: f64 = 0.677_141_144_111_424_1;

    let tests = TESTS
        .iter()
        .map(|(name, test)| Trial::test(format!("generator: {name}"), move || Ok(test()?)));
    let records = rules().into_iter().map(|(name, record)| {
        Trial::test(format!("generator: {name}"), move || {
            fragment_case(&record)?
                .run(&format!("generator-{}", record.id))
                .map_err(Failed::from)
        })
    });
    let others = OTHER_RECORDS
        .iter()
        .enumerate()
        .map(|(number, (name, text))| {
            Trial::test(format!("generator: {name}"), move || {
                let record: Record = serde_json::from_str(text)?;
                let record = Record {
                    id: format!("generator-record-{number}"),
                    ..record
                };
                crate::run(&record).map_err(Failed::from)
            })
        });
    tests.chain(records).chain(others).collect()
}

/// Records with numbers that none of ours has.
const OTHER_RECORDS: &[(&str, &str)] = &[
    (
        "groups of more lanes than a warp has",
        r#"{"suite": "intrinsic.error", "op": "sum", "intrinsic": "warp_reduce", "width": 64}"#,
    ),
    (
        "groups that do not divide a warp, in two warps",
        r#"{"suite": "intrinsic.warp_reduce", "op": "max", "exec_scope": "warp", "dtype": "int32", "threads": 64,
            "width": 5, "lane_value": "thread_id+1"}"#,
    ),
    (
        "a product of a full block",
        r#"{"suite": "classic.allreduce", "op": "prod", "dtype": "float32", "src_shape": [1, 1, 1, 1024],
            "dst_shape": [1, 1, 1], "axes": [3], "block_dim": {"z": 1, "y": 1, "x": 1024}, "grid": 1,
            "reduce_axis_binding": "threadIdx.x", "lowering_path_cuda": "warp_shuffle_two_level"}"#,
    ),
    (
        "twelve lanes that have a warp for themselves",
        r#"{"suite": "classic.allreduce", "op": "min", "dtype": "float32", "src_shape": [1, 1, 1, 12],
            "dst_shape": [1, 1, 1], "axes": [3], "block_dim": {"z": 1, "y": 1, "x": 12}, "grid": 1,
            "reduce_axis_binding": "threadIdx.x", "lowering_path_cuda": "warp_shuffle_single"}"#,
    ),
    (
        "integers onto old values, along y, in several blocks",
        r#"{"suite": "classic.allreduce", "op": "min", "dtype": "int32", "src_shape": [3, 2, 100, 7],
            "dst_shape": [3, 2, 7], "axes": [2], "accum": true, "block_dim": {"z": 2, "y": 100, "x": 5},
            "grid": 3, "reduce_axis_binding": "threadIdx.y"}"#,
    ),
    (
        "halves, whose length the threads do not divide",
        r#"{"suite": "classic.allreduce", "op": "sum", "dtype": "float16", "src_shape": [1, 3, 5, 201],
            "dst_shape": [1, 3, 5], "axes": [-1], "block_dim": {"z": 2, "y": 4, "x": 48}, "grid": 1,
            "reduce_axis_binding": "threadIdx.x", "atol": 1e-3}"#,
    ),
    (
        "one dimension on the threads of two axes, and no suite's name for the type",
        r#"{"suite": "classic.lower_thread_allreduce", "op": "max", "block_dim": {"x": 8, "y": 16, "z": 3},
            "reduce_threads": ["x", "y"], "shapes": [[7, 300], [7]], "expect": "two-level"}"#,
    ),
    (
        "two dimensions on the threads of two axes",
        r#"{"suite": "classic.lower_thread_allreduce", "op": "sum", "block_dim": {"x": 8, "y": 16},
            "reduce_threads": ["x", "y"], "shapes": [[7, 20, 9], [7]], "expect": "two-level, 4 warps"}"#,
    ),
    (
        "cuts of other sizes",
        r#"{"suite": "classic.cross_thread", "what": "loop_split",
            "facts": "A[10,300] sum; k split 5x60, inner on threadIdx.x"}"#,
    ),
    (
        "a softmax of other sizes",
        r#"{"suite": "classic.cross_thread", "what": "softmax", "facts": "7x100 softmax, 48 threads, four blocks"}"#,
    ),
    (
        "factors of the tutorial that are no powers of two",
        r#"{"suite": "seed.tutorial", "what": "row sum",
            "facts": {"block": "ceildiv(n,20)", "threads": {"y": 20, "x": 8}, "run": [33, 65], "rtol": 1e-5}}"#,
    ),
];

/// Each lane loads three words of its own column of a tile, and its warp waits.
const LOOP: &str = "
.visible .entry k(
	.param .u64 .ptr .align 1 k_param_0
)
.reqntid 32, 1, 1
{
	.shared .align 16 .b8 tile[4096];
	mov.u32 	%r1, %tid.x;
	mul.wide.u32 	%rd1, %r1, 4;
	mov.b64 	%rd2, tile;
	add.s64 	%rd3, %rd2, %rd1;
	mov.b64 	%rd4, 0;
$L__BB0_1:
	ld.shared.b32 	%r2, [%rd3];
	max.NaN.f32 	%r3, %r3, %r2, %r2;
	add.s64 	%rd3, %rd3, 128;
	add.s64 	%rd4, %rd4, 1;
	setp.ne.b64 	%p1, %rd4, 3;
	@%p1 bra 	$L__BB0_1;
	shfl.sync.bfly.b32 	%r4|%p2, %r3, 16, 31, -1;
	bar.sync 	1, 64;
	setp.gt.u32 	%p3, %r1, 31;
	@%p3 bra 	$L__BB0_2;
	ld.param.b64 	%rd5, [k_param_0];
	cvta.to.global.u64 	%rd6, %rd5;
	st.global.b32 	[%rd6], %r4;
$L__BB0_2:
	ret;
}
";

/// A thread loads where its number over 7 is, by multiplication, and two of its bits say.
const DIVISION: &str = "
.visible .entry k()
{
	.shared .align 16 .b8 tile[4096];
	mov.u32 	%r1, %tid.x;
	mul.hi.u32 	%r2, %r1, 613566757;
	bfe.u32 	%r3, %r1, 3, 2;
	mad.lo.s32 	%r4, %r3, 256, %r2;
	cvt.u64.u32 	%rd1, %r4;
	mov.b64 	%rd2, tile;
	add.s64 	%rd3, %rd2, %rd1;
	ld.shared.b8 	%r5, [%rd3];
	ret;
}
";

/// Each lane loads the first word of its own row of 128 bytes.
const COLUMN: &str = "
.visible .entry k()
{
	.shared .align 16 .b8 tile[4096];
	mov.u32 	%r1, %tid.x;
	shl.b32 	%r2, %r1, 7;
	cvt.u64.u32 	%rd1, %r2;
	mov.b64 	%rd2, tile;
	add.s64 	%rd3, %rd2, %rd1;
	ld.shared.b32 	%r3, [%rd3];
	ret;
}
";

/// No lane does anything.
const NOTHING: &str = "
.visible .entry k(
	.param .u64 .ptr .align 1 k_param_0
)
{
	ret;
}
";

/// Rules that no record of the file needs.
fn rules() -> Vec<(&'static str, Record)> {
    let layout = |shard: Value, replica: Value| {
        Some(json!({ "shard": shard, "replica": replica, "offset": {} }))
    };
    let replica = || layout(json!([[1, 1, "m"]]), json!([[32, 1, "laneid"]]));
    let lanes = || layout(json!([[32, 1, "laneid"]]), json!([]));
    let one = |id: &str| Record {
        id: id.to_owned(),
        src_shape: vec![32],
        dst_shape: vec![1],
        src_region: vec![[0, 32]],
        dst_region: vec![[0, 1]],
        src_layout: lanes(),
        dst_layout: replica(),
        ..rows("warp", 32)
    };
    vec![
        ("a warp's lanes share one sum", one("lanes")),
        (
            "registers need not be next to each other",
            Record {
                src_shape: vec![32, 2, 2],
                dst_shape: vec![2, 2],
                src_region: vec![],
                dst_region: vec![],
                src_layout: layout(
                    json!([[32, 1, "laneid"], [2, 2, "m"], [2, 4, "m"]]),
                    json!([]),
                ),
                dst_layout: layout(
                    json!([[2, 2, "m"], [2, 4, "m"]]),
                    json!([[32, 1, "laneid"]]),
                ),
                ..one("sparse")
            },
        ),
        (
            "warps reduce, and then the first reduces what they have",
            Record {
                threads: 128,
                atol: 1e-3,
                ..one("two-levels")
            },
        ),
        (
            "each thread of a warpgroup has a row",
            Record {
                src_shape: vec![128, 16],
                dst_shape: vec![128, 1],
                src_region: vec![[0, 128], [0, 16]],
                dst_region: vec![[0, 128], [0, 1]],
                src_layout: layout(json!([[128, 1, "tid_in_wg"], [16, 1, "m"]]), json!([])),
                dst_layout: layout(json!([[128, 1, "tid_in_wg"], [1, 1, "m"]]), json!([])),
                exec_scope: "warpgroup".to_owned(),
                threads: 128,
                ..one("warpgroup")
            },
        ),
    ]
}

fn equal<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("found {found:?}, expected {expected:?}"))
    }
}
