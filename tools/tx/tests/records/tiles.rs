//! Reductions of tiles in shared and private memory.
//!
//! Shared: a block copies both tiles to shared memory, some of its threads reduce a region of the
//! one into a region of the other, and the block copies the destination back. Private: the same
//! within one thread.

use serde_json::{Value, json};

use crate::Record;
use crate::case::{Argument, Case, Output};
use crate::element::{Element, Mt19937};
use crate::ptx::Ptx;
use crate::view::{Reference, View, list, pick, reduced_dimensions};

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Storage {
    Shared,
    Private,
}

pub(crate) fn tile_case(record: &Record, storage: Storage) -> Result<Case, String> {
    let element = Element::parse(&record.dtype)?;
    let reduced = reduced_dimensions(&record.axes, record.src_shape.len())?;
    check_layout(record.src_layout.as_ref(), &record.src_shape)?;
    check_layout(record.dst_layout.as_ref(), &record.dst_shape)?;
    let (source, destination) = views(record, &reduced)?;

    let mut random = Mt19937::new(0);
    let inputs = random.fill(element, record.src_shape.iter().product(), 1.0);
    let count = record.dst_shape.iter().product();
    let old = match (record.accum, &record.input) {
        (false, _) => vec![0.0; count],
        (true, Some(input)) if input.contains("dst initial 0.5") => vec![0.5; count],
        (true, _) => random.fill(element, count, 0.5),
    };
    let mut expected = old.clone();
    Reference {
        op: &record.op,
        accumulate: record.accum,
        element,
        source: &source,
        reduced: &reduced,
        destination: &destination,
    }
    .apply(&inputs, &mut expected)?;
    Ok(Case::runs(
        tile_program(record, storage)?,
        vec![
            Argument::new(element, &record.src_shape, &inputs),
            Argument::new(element, &record.dst_shape, &old),
        ],
        vec![Output {
            argument: 1,
            element,
            expected: element.array(&record.dst_shape, &expected),
            region: record.dst_region.clone(),
            atol: record.atol,
            // `numpy.testing.assert_allclose` has this by default.
            rtol: 1e-7,
        }],
    ))
}

/// The regions as the op sees them.
fn views(record: &Record, reduced: &[bool]) -> Result<(View, View), String> {
    let source = View::whole(&record.src_shape).region(&record.src_region)?;
    let region = View::whole(&record.dst_shape).region(&record.dst_region)?;
    // A destination has the reduced dimensions removed, or kept as 1. One that has other
    // dimensions of 1 is seen through a view that drops them.
    let removed: Vec<usize> = pick(&source.extents, reduced, false);
    let kept: Vec<usize> = source
        .extents
        .iter()
        .zip(reduced)
        .map(|(extent, reduced)| if *reduced { 1 } else { *extent })
        .collect();
    let destination = if region.extents == removed || region.extents == kept {
        region
    } else {
        region.drop_ones(&removed).ok_or_else(|| {
            format!(
                "a destination {:?} for the sums {removed:?}",
                region.extents
            )
        })?
    };
    Ok((source, destination))
}

/// Only row-major tiles have a rule.
fn check_layout(layout: Option<&Value>, shape: &[usize]) -> Result<(), String> {
    let Some(layout) = layout.filter(|layout| !layout.is_null()) else {
        return Ok(());
    };
    let row_major: Vec<Value> = shape
        .iter()
        .zip(&View::whole(shape).strides)
        .map(|(extent, stride)| json!([extent, stride, "m"]))
        .collect();
    if layout["shard"] == json!(row_major) && layout["replica"] == json!([]) {
        Ok(())
    } else {
        Err(format!("there is no rule for the layout {layout}"))
    }
}

/// The program of a record that is reduced as it says.
pub(crate) fn tile_program(record: &Record, storage: Storage) -> Result<String, String> {
    let reduced = reduced_dimensions(&record.axes, record.src_shape.len())?;
    let (source, destination) = views(record, &reduced)?;
    tile_program_of(record, storage, &source, &destination)
}

/// The program of a record that cannot be reduced as it says: its regions are taken as they are.
pub(crate) fn wrong_tile_program(record: &Record, storage: Storage) -> Result<String, String> {
    let source = View::whole(&record.src_shape).region(&record.src_region)?;
    let destination = View::whole(&record.dst_shape).region(&record.dst_region)?;
    tile_program_of(record, storage, &source, &destination)
}

fn tile_program_of(
    record: &Record,
    storage: Storage,
    source: &View,
    destination: &View,
) -> Result<String, String> {
    let element = Element::parse(&record.dtype)?;
    let (space, copies) = match storage {
        Storage::Shared => ("workgroup", "cta"),
        Storage::Private => ("private", "thread"),
    };
    let global = |shape: &[usize]| View::whole(shape).mlir_type(element, "");
    let local = |shape: &[usize]| View::whole(shape).mlir_type(element, space);
    let (a, b) = (global(&record.src_shape), global(&record.dst_shape));
    let (a_local, b_local) = (local(&record.src_shape), local(&record.dst_shape));

    let mut body = vec![
        format!("tile.copy %A to %At scope({copies}) : {a} to {a_local}"),
        format!("tile.copy %B to %Bt scope({copies}) : {b} to {b_local}"),
    ];
    let mut subview = |view: &View, whole: &str, part: &str, region: &[[usize; 2]], of: &str| {
        if view.whole {
            return whole.to_owned();
        }
        let starts: Vec<usize> = region.iter().map(|[start, _]| *start).collect();
        let extents: Vec<usize> = region.iter().map(|[_, extent]| *extent).collect();
        body.push(format!(
            "{part} = memref.subview {whole}[{}] [{}] [{}] : {of} to {}",
            list(&starts),
            list(&extents),
            list(&vec![1; region.len()]),
            view.mlir_type(element, space)
        ));
        part.to_owned()
    };
    let from = subview(source, "%At", "%src", &record.src_region, &a_local);
    let into = subview(destination, "%Bt", "%dst", &record.dst_region, &b_local);

    let reduce = format!(
        "tile.reduce {} {from} into {into} axes [{}] scope({}){}{} : {} into {}",
        record.op,
        list(&record.axes),
        record.exec_scope,
        if record.accum { " accumulate" } else { "" },
        match &record.forced {
            Some(variant) => format!(" {{variant = \"{variant}\"}}"),
            None => String::new(),
        },
        source.mlir_type(element, space),
        destination.mlir_type(element, space),
    );
    match &record.guard {
        None => body.push(reduce),
        Some(guard) => body.extend(guarded(guard, vec![reduce])?),
    }
    body.push(format!(
        "tile.copy %Bt to %B scope({copies}) : {b_local} to {b}"
    ));
    Ok(kernel(
        &format!("(%A: {a}, %B: {b})"),
        &format!(" {space}(%At : {a_local}, %Bt : {b_local})"),
        record.block.unwrap_or([record.threads, 1, 1]),
        &body,
    ))
}

/// `guard` is `NAME == NUMBER` or `NAME < NUMBER`, where the name counts threads, warps or
/// warpgroups of the block.
pub(crate) fn guarded(guard: &str, inner: Vec<String>) -> Result<Vec<String>, String> {
    let unknown = || format!("there is no rule for the guard `{guard}`");
    let (name, number, comparison) = match (guard.split_once("=="), guard.split_once('<')) {
        (Some((name, number)), None) => (name, number, "eq"),
        (None, Some((name, number))) => (name, number, "ult"),
        _ => return Err(unknown()),
    };
    let number: usize = number.trim().parse().map_err(|_| unknown())?;
    let threads = match name.trim() {
        "thread_id" => 1,
        "warp_id" => 32,
        "wg_id" | "warpgroup_id" => 128,
        _ => return Err(unknown()),
    };
    let mut body = vec!["%thread = gpu.thread_id x".to_owned()];
    let mut who = "%thread";
    if threads > 1 {
        body.push(format!("%threads = arith.constant {threads} : index"));
        body.push("%who = arith.divui %thread, %threads : index".to_owned());
        who = "%who";
    }
    body.push(format!("%chosen = arith.constant {number} : index"));
    body.push(format!(
        "%is_chosen = arith.cmpi {comparison}, {who}, %chosen : index"
    ));
    body.push("scf.if %is_chosen {".to_owned());
    body.extend(inner.into_iter().map(|line| format!("  {line}")));
    body.push("}".to_owned());
    Ok(body)
}

/// A module with one kernel.
pub(crate) fn kernel(
    arguments: &str,
    attributions: &str,
    block: [usize; 3],
    body: &[String],
) -> String {
    let body: String = body
        .iter()
        .flat_map(|line| line.lines())
        .map(|line| format!("      {line}\n"))
        .collect();
    format!(
        "module attributes {{gpu.container_module}} {{\n\
         \x20 gpu.module @record {{\n\
         \x20   gpu.func @kernel{arguments}{attributions} kernel attributes {{known_block_size = \
         array<i32: {}>, known_grid_size = array<i32: 1, 1, 1>}} {{\n\
         {body}\
         \x20     gpu.return\n\
         \x20   }}\n\
         \x20 }}\n\
         }}\n",
        list(&block)
    )
}

/// Records of instructions that combine several elements at once, which only the newest chips
/// have: one thread reduces what it has to itself. A record without a schedule is one whose tile is
/// too short for them.
pub(crate) fn packed_cases(record: &Record) -> Result<Vec<Case>, String> {
    let case = tile_case(record, Storage::Private)?;
    let Some(schedule) = record.schedule_sm100.clone() else {
        let variant = match record.op.as_str() {
            "sum" => "packed_add_sum",
            _ => "3input_maxmin",
        };
        let forced = Record {
            forced: Some(variant.to_owned()),
            ..record.clone()
        };
        let refused = Case::refused_on(
            NEWEST,
            tile_program(&forced, Storage::Private)?,
            "tile.reduce",
            &[&format!("{variant} (priority 20): ")],
        );
        return Ok(vec![case.with_ptx(NEWEST, |_| Ok(())), refused]);
    };
    let op = record.op.clone();
    let counts = move |ptx: &Ptx<'_>| {
        let wanted = |field: &str| {
            let count = schedule[field].as_u64().map(|count| count as usize);
            count.ok_or_else(|| format!("the record has no `{field}`"))
        };
        if op == "sum" {
            equal(
                "additions of pairs",
                ptx.count("add.rn.f32x2"),
                wanted("packed_adds")?,
            )?;
            equal("additions", ptx.count_f32("add", 3), wanted("scalar_adds")?)
        } else {
            let (three, two) = (ptx.count_f32(&op, 4), ptx.count_f32(&op, 3));
            // LLVM makes one instruction of two that follow each other, where it finds some more.
            if three < wanted("op3_count")? {
                return Err(format!(
                    "{three} instructions with three operands are too few"
                ));
            }
            let combines = 2 * wanted("op3_count")? + wanted("op2_count")?;
            equal("values combined", 2 * three + two, combines)
        }
    };
    let mut case = case.with_ptx(NEWEST, counts);
    // No GPU that has these instructions need be at hand: the executor has them.
    case.chips.push(NEWEST);
    Ok(vec![case])
}

/// A chip that has them.
const NEWEST: &str = "sm_100a";

fn equal(what: &str, found: usize, wanted: usize) -> Result<(), String> {
    if found == wanted {
        Ok(())
    } else {
        Err(format!("{what}: {found}, expected {wanted}"))
    }
}
