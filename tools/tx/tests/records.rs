//! Every record in `records/records.json` as a program, run by `tx run` and compared with a
//! reference computed here.
//!
//! A record describes one case of an earlier reduction compiler's test suite in plain data: shapes,
//! regions, axes, threads, who executes, the seed of the inputs. A program is *generated* from it
//! by rule, so that records with other shapes or guards need no new code:
//!
//! * `tile.shared.*`: a block copies both tiles to shared memory, some of its threads reduce a
//!   region of the one into a region of the other, and the block copies the destination back;
//! * `tile.local.thread`: the same within one thread, in private memory;
//! * `intrinsic.*`: every thread makes a value of its number, and stores what its group makes of
//!   them.
//!
//! Each record is one test with the record's name. Besides libtest's arguments there are
//! `--records FILE` (take the records from there) and `--dump DIR` (run nothing; write programs,
//! inputs and expected outputs, for a machine without Rust).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use half::f16;
use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use serde_json::{Value, json};

#[expect(dead_code, reason = "xtask uses more of it")]
#[path = "../../xtask/src/npy.rs"]
mod npy;

use npy::Array;

fn main() -> ExitCode {
    match harness() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("records: {error}");
            ExitCode::FAILURE
        }
    }
}

fn harness() -> Result<ExitCode, String> {
    let mut rest = Vec::new();
    let mut records = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records/records.json");
    let mut dump_to = None;
    let mut arguments = std::env::args();
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .map(PathBuf::from)
                .ok_or(format!("{argument} needs a path"))
        };
        match argument.as_str() {
            "--records" => records = value()?,
            "--dump" => dump_to = Some(value()?),
            _ => rest.push(argument),
        }
    }
    let text = fs::read_to_string(&records)
        .map_err(|error| format!("cannot read {}: {error}", records.display()))?;
    let records: Vec<Record> =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", records.display()))?;

    if let Some(folder) = dump_to {
        dump(&records, &folder)?;
        println!(
            "records: wrote {} cases to {}",
            records.len(),
            folder.display()
        );
        return Ok(ExitCode::SUCCESS);
    }
    let mut trials = self_tests();
    trials.extend(records.into_iter().map(|record| {
        Trial::test(record.id.clone(), move || {
            run(&record).map_err(|message| Failed::from(message.trim_end()))
        })
    }));
    Ok(libtest_mimic::run(&Arguments::from_iter(rest), trials).exit_code())
}

// ---------------------------------------------------------------------------------------------
// Records
// ---------------------------------------------------------------------------------------------

#[derive(Clone, Debug, Default, Deserialize)]
struct Record {
    id: String,
    suite: String,
    /// `sum`, `max` or `min`.
    op: String,
    /// `thread`, `warp`, `warpgroup` or `cta`.
    exec_scope: String,
    dtype: String,
    threads: usize,

    /// Who executes, where not all threads do: `warp_id == 5`.
    #[serde(default)]
    guard: Option<String>,
    #[serde(default)]
    src_shape: Vec<usize>,
    /// For each dimension where the region starts and how long it is.
    #[serde(default)]
    src_region: Vec<[usize; 2]>,
    #[serde(default)]
    dst_shape: Vec<usize>,
    #[serde(default)]
    dst_region: Vec<[usize; 2]>,
    #[serde(default)]
    axes: Vec<i64>,
    #[serde(default)]
    accum: bool,
    #[serde(default)]
    atol: f64,

    /// Lanes that form a group.
    #[serde(default)]
    width: Option<usize>,
    /// What a thread contributes: `lane+1` or `thread_id+1`.
    #[serde(default)]
    lane_value: Option<String>,
    /// What comes out, in the record's own words.
    #[serde(default)]
    expect: Option<Value>,

    /// Fields that are not used, only refused where their value would change the case.
    #[serde(default)]
    grid: Option<usize>,
    #[serde(default)]
    src_layout: Option<Value>,
    #[serde(default)]
    dst_layout: Option<Value>,
    #[serde(default)]
    expected_error: Option<String>,
}

/// A record turned into something to run.
#[derive(Debug)]
struct Case {
    program: String,
    /// The kernel's arguments before the run.
    arguments: Vec<Array>,
    /// Which argument is compared.
    output: usize,
    /// Its expected contents, rounded to its type.
    expected: Array,
    /// Where it is compared with a tolerance; elsewhere every bit is as before.
    region: Vec<[usize; 2]>,
    element: Element,
    atol: f64,
    rtol: f64,
}

fn case(record: &Record) -> Result<Case, String> {
    if record.grid.unwrap_or(1) != 1 {
        return Err("a grid of more than one block".to_owned());
    }
    if let Some(error) = &record.expected_error {
        return Err(format!("a record of the error `{error}`"));
    }
    match record.suite.as_str() {
        "tile.shared.cta" | "tile.shared.subscope" => tile_case(record, Storage::Shared),
        "tile.local.thread" => tile_case(record, Storage::Private),
        "intrinsic.warp_reduce" | "intrinsic.cta_reduce" => intrinsic_case(record),
        other => Err(format!("there is no rule for the suite `{other}`")),
    }
}

// ---------------------------------------------------------------------------------------------
// Elements
// ---------------------------------------------------------------------------------------------

#[derive(Clone, Copy, Debug, PartialEq)]
enum Element {
    F16,
    F32,
    F64,
}

impl Element {
    /// From NumPy's name.
    fn parse(dtype: &str) -> Result<Self, String> {
        match dtype {
            "float16" => Ok(Self::F16),
            "float32" => Ok(Self::F32),
            "float64" => Ok(Self::F64),
            other => Err(format!("there is no rule for elements of type `{other}`")),
        }
    }

    /// MLIR's name.
    fn mlir(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    fn descr(self) -> &'static str {
        match self {
            Self::F16 => "<f2",
            Self::F32 => "<f4",
            Self::F64 => "<f8",
        }
    }

    fn size(self) -> usize {
        match self {
            Self::F16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The nearest value of this type, as NumPy's `astype` rounds.
    fn round(self, value: f64) -> f64 {
        match self {
            Self::F16 if value == 0.0 || !value.is_finite() => value,
            // `f16::from_f64` rounds twice where the processor converts from f32 only. Rounded
            // to a multiple of the last place first, which f64 does exactly, it has nothing left
            // to round; normal numbers have 10 bits behind the first, subnormal ones share a step.
            Self::F16 => {
                let exponent = (value.abs().to_bits() >> 52) as i32 - 1023;
                let step = f64::powi(2.0, exponent.max(-14) - 10);
                f16::from_f64((value / step).round_ties_even() * step).to_f64()
            }
            Self::F32 => f64::from(value as f32),
            Self::F64 => value,
        }
    }

    fn array(self, shape: &[usize], values: &[f64]) -> Array {
        let bytes = values
            .iter()
            .flat_map(|value| match self {
                Self::F16 => f16::from_f64(self.round(*value)).to_le_bytes().to_vec(),
                Self::F32 => (*value as f32).to_le_bytes().to_vec(),
                Self::F64 => value.to_le_bytes().to_vec(),
            })
            .collect();
        Array {
            descr: self.descr().to_owned(),
            shape: shape.to_vec(),
            bytes,
        }
    }

    fn values(self, array: &Array) -> Vec<f64> {
        array
            .bytes
            .chunks_exact(self.size())
            .map(|bytes| {
                let mut wide = [0; 8];
                wide[..bytes.len()].copy_from_slice(bytes);
                match self {
                    Self::F16 => f16::from_le_bytes([wide[0], wide[1]]).to_f64(),
                    Self::F32 => {
                        f64::from(f32::from_le_bytes([wide[0], wide[1], wide[2], wide[3]]))
                    }
                    Self::F64 => f64::from_le_bytes(wide),
                }
            })
            .collect()
    }
}

fn combine(op: &str) -> Result<fn(f64, f64) -> f64, String> {
    match op {
        "sum" => Ok(|a, b| a + b),
        "max" => Ok(f64::max),
        "min" => Ok(f64::min),
        other => Err(format!("there is no rule for the operation `{other}`")),
    }
}

// ---------------------------------------------------------------------------------------------
// Tiles
// ---------------------------------------------------------------------------------------------

#[derive(Clone, Copy, PartialEq)]
enum Storage {
    Shared,
    Private,
}

/// A tile in memory, or a part of one.
#[derive(Clone, Debug, PartialEq)]
struct View {
    extents: Vec<usize>,
    strides: Vec<usize>,
    offset: usize,
    /// Of a whole tile, whose layout MLIR need not be told.
    whole: bool,
}

impl View {
    fn whole(shape: &[usize]) -> Self {
        let mut strides = vec![1; shape.len()];
        for dimension in (1..shape.len()).rev() {
            strides[dimension - 1] = strides[dimension] * shape[dimension];
        }
        Self {
            extents: shape.to_vec(),
            strides,
            offset: 0,
            whole: true,
        }
    }

    fn region(&self, region: &[[usize; 2]]) -> Result<Self, String> {
        if region.len() != self.extents.len() {
            return Err(format!("region {region:?} of a tile {:?}", self.extents));
        }
        let mut part = self.clone();
        for (dimension, [start, extent]) in region.iter().copied().enumerate() {
            if start + extent > self.extents[dimension] {
                return Err(format!(
                    "region {region:?} leaves the tile {:?}",
                    self.extents
                ));
            }
            part.offset += start * self.strides[dimension];
            part.extents[dimension] = extent;
        }
        part.whole = part.extents == self.extents;
        Ok(part)
    }

    /// The same elements with dimensions of 1 dropped until the extents are `wanted`.
    fn drop_ones(&self, wanted: &[usize]) -> Option<Self> {
        let mut dropped = self.clone();
        dropped.extents.clear();
        dropped.strides.clear();
        dropped.whole = false;
        let mut left = wanted.iter().peekable();
        for (extent, stride) in self.extents.iter().zip(&self.strides) {
            if left.peek() == Some(&extent) {
                left.next();
                dropped.extents.push(*extent);
                dropped.strides.push(*stride);
            } else if *extent != 1 {
                return None;
            }
        }
        left.peek().is_none().then_some(dropped)
    }

    fn mlir_type(&self, element: Element, space: &str) -> String {
        let extents: String = self
            .extents
            .iter()
            .map(|extent| format!("{extent}x"))
            .collect();
        let layout = if self.whole {
            String::new()
        } else {
            let offset = match self.offset {
                0 => String::new(),
                offset => format!(", offset: {offset}"),
            };
            format!(", strided<[{}]{offset}>", list(&self.strides))
        };
        let space = match space {
            "" => String::new(),
            space => format!(", #gpu.address_space<{space}>"),
        };
        format!("memref<{extents}{}{layout}{space}>", element.mlir())
    }

    /// The place of every element, in row-major order.
    fn places(&self) -> Vec<usize> {
        let mut places = vec![self.offset];
        for (extent, stride) in self.extents.iter().zip(&self.strides) {
            places = places
                .iter()
                .flat_map(|place| (0..*extent).map(move |index| place + index * stride))
                .collect();
        }
        places
    }
}

fn list<T: ToString>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(", ")
}

fn tile_case(record: &Record, storage: Storage) -> Result<Case, String> {
    let element = Element::parse(&record.dtype)?;
    let rank = record.src_shape.len();
    let reduced = reduced_dimensions(&record.axes, rank)?;
    check_layout(record.src_layout.as_ref(), &record.src_shape)?;
    check_layout(record.dst_layout.as_ref(), &record.dst_shape)?;

    let source = View::whole(&record.src_shape).region(&record.src_region)?;
    let region = View::whole(&record.dst_shape).region(&record.dst_region)?;
    // A destination has the reduced dimensions removed, or kept as 1. One that has other
    // dimensions of 1 is seen through a view that drops them.
    let removed: Vec<usize> = (0..rank)
        .filter(|dimension| !reduced[*dimension])
        .map(|dimension| source.extents[dimension])
        .collect();
    let kept: Vec<usize> = (0..rank)
        .map(|dimension| {
            if reduced[dimension] {
                1
            } else {
                source.extents[dimension]
            }
        })
        .collect();
    let destination = if region.extents == removed || region.extents == kept {
        region.clone()
    } else {
        region.drop_ones(&removed).ok_or_else(|| {
            format!(
                "a destination {:?} for the sums {removed:?}",
                region.extents
            )
        })?
    };

    let mut random = Mt19937::new(0);
    let inputs: Vec<f64> = (0..record.src_shape.iter().product())
        .map(|_| element.round(random.uniform()))
        .collect();
    let old: Vec<f64> = (0..record.dst_shape.iter().product())
        .map(|_| {
            if record.accum {
                element.round(random.uniform() * 0.5)
            } else {
                0.0
            }
        })
        .collect();
    let expected = reference(record, &source, &reduced, &destination, &inputs, &old)?;
    Ok(Case {
        program: tile_program(record, storage, element, &source, &destination)?,
        arguments: vec![
            element.array(&record.src_shape, &inputs),
            element.array(&record.dst_shape, &old),
        ],
        output: 1,
        expected: element.array(&record.dst_shape, &expected),
        region: record.dst_region.clone(),
        element,
        atol: record.atol,
        // `numpy.testing.assert_allclose` has this by default.
        rtol: 1e-7,
    })
}

fn reduced_dimensions(axes: &[i64], rank: usize) -> Result<Vec<bool>, String> {
    let mut reduced = vec![false; rank];
    for axis in axes {
        let dimension = if *axis < 0 { axis + rank as i64 } else { *axis };
        *usize::try_from(dimension)
            .ok()
            .and_then(|dimension| reduced.get_mut(dimension))
            .ok_or(format!("axis {axis} of a tile of rank {rank}"))? = true;
    }
    Ok(reduced)
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

/// The destination after the run, in f64 and then rounded once.
fn reference(
    record: &Record,
    source: &View,
    reduced: &[bool],
    destination: &View,
    inputs: &[f64],
    old: &[f64],
) -> Result<Vec<f64>, String> {
    let element = Element::parse(&record.dtype)?;
    let combine = combine(&record.op)?;
    // The dimensions that stay, and those that go, as views of their own: an element of the first
    // is where a result begins, and the second adds what is combined into it.
    let part = |wanted: bool, offset: usize| View {
        extents: pick(&source.extents, reduced, wanted),
        strides: pick(&source.strides, reduced, wanted),
        offset,
        whole: false,
    };
    let mut result = old.to_vec();
    let within = part(true, 0).places();
    for (first, to) in part(false, source.offset)
        .places()
        .into_iter()
        .zip(destination.places())
    {
        let mut values = within.iter().map(|step| inputs[first + step]);
        let start = if record.accum {
            Some(old[to])
        } else {
            values.next()
        };
        let start = start.ok_or("an empty reduction")?;
        result[to] = element.round(values.fold(start, combine));
    }
    Ok(result)
}

fn pick(items: &[usize], marks: &[bool], wanted: bool) -> Vec<usize> {
    items
        .iter()
        .zip(marks)
        .filter(|(_, mark)| **mark == wanted)
        .map(|(item, _)| *item)
        .collect()
}

fn tile_program(
    record: &Record,
    storage: Storage,
    element: Element,
    source: &View,
    destination: &View,
) -> Result<String, String> {
    let (space, attribution, copies) = match storage {
        Storage::Shared => ("workgroup", "workgroup", "cta"),
        Storage::Private => ("private", "private", "thread"),
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
        "tile.reduce {} {from} into {into} axes [{}] scope({}){} : {} into {}",
        record.op,
        list(&record.axes),
        record.exec_scope,
        if record.accum { " accumulate" } else { "" },
        source.mlir_type(element, space),
        destination.mlir_type(element, space),
    );
    match &record.guard {
        None => body.push(reduce),
        Some(guard) => body.extend(guarded(guard, &reduce)?),
    }
    body.push(format!(
        "tile.copy %Bt to %B scope({copies}) : {b_local} to {b}"
    ));
    Ok(kernel(
        &format!("(%A: {a}, %B: {b})"),
        &format!(" {attribution}(%At : {a_local}, %Bt : {b_local})"),
        record.threads,
        &body,
    ))
}

/// `guard` is `NAME == NUMBER`, where the name counts threads, warps or warpgroups of the block.
fn guarded(guard: &str, reduce: &str) -> Result<Vec<String>, String> {
    let unknown = || format!("there is no rule for the guard `{guard}`");
    let (name, number) = guard.split_once("==").ok_or_else(unknown)?;
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
        "%is_chosen = arith.cmpi eq, {who}, %chosen : index"
    ));
    body.push("scf.if %is_chosen {".to_owned());
    body.push(format!("  {reduce}"));
    body.push("}".to_owned());
    Ok(body)
}

fn kernel(arguments: &str, attributions: &str, threads: usize, body: &[String]) -> String {
    let body: String = body.iter().map(|line| format!("      {line}\n")).collect();
    format!(
        "module attributes {{gpu.container_module}} {{\n\
         \x20 gpu.module @record {{\n\
         \x20   gpu.func @kernel{arguments}{attributions} kernel attributes {{known_block_size = \
         array<i32: {threads}, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{\n\
         {body}\
         \x20     gpu.return\n\
         \x20   }}\n\
         \x20 }}\n\
         }}\n"
    )
}

// ---------------------------------------------------------------------------------------------
// Intrinsics
// ---------------------------------------------------------------------------------------------

const WARP: usize = 32;

fn intrinsic_case(record: &Record) -> Result<Case, String> {
    let element = Element::parse(&record.dtype)?;
    let combine = combine(&record.op)?;
    let threads = record.threads;
    let (scope, group) = match record.exec_scope.as_str() {
        "warp" => {
            let width = record.width.unwrap_or(WARP);
            (format!("scope(warp) width {width}"), width)
        }
        "cta" => ("scope(cta)".to_owned(), threads),
        other => return Err(format!("there is no rule for the scope `{other}`")),
    };
    let by_lane = match record.lane_value.as_deref() {
        Some("lane+1") => true,
        Some("thread_id+1") => false,
        other => return Err(format!("there is no rule for the values {other:?}")),
    };
    let values: Vec<f64> = (0..threads)
        .map(|thread| (if by_lane { thread % WARP } else { thread } + 1) as f64)
        .collect();
    let results: Vec<f64> = values
        .chunks(group)
        .map(|members| members.iter().copied().reduce(combine).unwrap_or(f64::NAN))
        .collect();
    if let Some(expect) = &record.expect {
        check_expectation(expect, group, &results)?;
    }
    let expected: Vec<f64> = (0..threads).map(|thread| results[thread / group]).collect();

    let ty = element.mlir();
    let mut body = vec!["%thread = gpu.thread_id x".to_owned()];
    let mut number = "%thread";
    if by_lane {
        body.push(format!("%warp = arith.constant {WARP} : index"));
        body.push("%lane = arith.remui %thread, %warp : index".to_owned());
        number = "%lane";
    }
    body.extend([
        "%one = arith.constant 1 : index".to_owned(),
        format!("%next = arith.addi {number}, %one : index"),
        "%int = arith.index_cast %next : index to i32".to_owned(),
        format!("%value = arith.sitofp %int : i32 to {ty}"),
        format!(
            "%result = tile.all_reduce {} %value {scope} : {ty} -> {ty}",
            record.op
        ),
        format!("memref.store %result, %B[%thread] : memref<{threads}x{ty}>"),
    ]);
    Ok(Case {
        program: kernel(&format!("(%B: memref<{threads}x{ty}>)"), "", threads, &body),
        arguments: vec![element.array(&[threads], &vec![-1.0; threads])],
        output: 0,
        expected: element.array(&[threads], &expected),
        region: vec![[0, threads]],
        element,
        atol: 0.0,
        rtol: 0.0,
    })
}

/// Compares our reference with what the record says, in any of the three ways records say it.
fn check_expectation(expect: &Value, group: usize, results: &[f64]) -> Result<(), String> {
    let said: Option<Vec<f64>> = match expect {
        Value::Number(number) => number.as_f64().map(|one| vec![one; results.len()]),
        // "groups of 8 lanes: 36,100,164,228"
        Value::String(text) if text.starts_with(&format!("groups of {group} ")) => {
            text.split_once(':').and_then(|(_, numbers)| {
                numbers
                    .split(',')
                    .map(|one| one.trim().parse().ok())
                    .collect()
            })
        }
        // "group g: 4g+4"
        Value::String(text) => text
            .strip_prefix("group g:")
            .and_then(|formula| formula.trim().split_once("g+"))
            .and_then(|(factor, term)| Some((factor.parse().ok()?, term.parse().ok()?)))
            .map(|(factor, term): (f64, f64)| {
                (0..results.len())
                    .map(|g| factor * g as f64 + term)
                    .collect()
            }),
        _ => None,
    };
    match said {
        Some(said) if said != results => {
            Err(format!("the record expects {expect}, we {results:?}"))
        }
        _ => Ok(()),
    }
}

// ---------------------------------------------------------------------------------------------
// Inputs: NumPy's legacy generator, `numpy.random.seed` and `numpy.random.uniform`
// ---------------------------------------------------------------------------------------------

struct Mt19937 {
    state: [u32; 624],
    index: usize,
}

impl Mt19937 {
    fn new(seed: u32) -> Self {
        let mut state = [0; 624];
        state[0] = seed;
        for i in 1..624 {
            let last: u32 = state[i - 1];
            state[i] = 1_812_433_253_u32
                .wrapping_mul(last ^ (last >> 30))
                .wrapping_add(i as u32);
        }
        Self { state, index: 624 }
    }

    fn word(&mut self) -> u32 {
        if self.index == 624 {
            for i in 0..624 {
                let bits =
                    (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % 624] & 0x7fff_ffff);
                let twist = if bits & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[i] = self.state[(i + 397) % 624] ^ (bits >> 1) ^ twist;
            }
            self.index = 0;
        }
        let mut word = self.state[self.index];
        self.index += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// In [0, 1), with 53 random bits.
    fn uniform(&mut self) -> f64 {
        let high = f64::from(self.word() >> 5);
        let low = f64::from(self.word() >> 6);
        (high * 67_108_864.0 + low) / 9_007_199_254_740_992.0
    }
}

// ---------------------------------------------------------------------------------------------
// Running
// ---------------------------------------------------------------------------------------------

fn run(record: &Record) -> Result<(), String> {
    let case = case(record)?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("records")
        .join(&record.id);
    write(&case, &folder)?;
    let result = folder.join("result.npy");
    let _ = fs::remove_file(&result);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tx"));
    command
        .arg("run")
        .arg(folder.join("program.mlir"))
        .args(["--device", "cpu"]);
    for number in 0..case.arguments.len() {
        command
            .arg("--arg")
            .arg(folder.join(format!("arg{number}.npy")));
    }
    command
        .arg("--out")
        .arg(format!("{}={}", case.output, result.display()))
        .stdin(Stdio::null());
    let output = command
        .output()
        .map_err(|error| format!("cannot start tx: {error}"))?;
    let explain = |trouble: String| {
        format!(
            "{trouble}\nprogram and arguments are in {}:\n{}",
            folder.display(),
            case.program
        )
    };
    if !output.status.success() {
        return Err(explain(format!(
            "tx run: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim_end()
        )));
    }
    compare(&case, &Array::read(&result)?).map_err(explain)?;
    let _ = fs::remove_dir_all(&folder);
    Ok(())
}

fn compare(case: &Case, result: &Array) -> Result<(), String> {
    let expected = &case.expected;
    if (&result.descr, &result.shape) != (&expected.descr, &expected.shape) {
        return Err(format!(
            "the result is {} {:?}, expected {} {:?}",
            result.descr, result.shape, expected.descr, expected.shape
        ));
    }
    let inside = View::whole(&expected.shape).region(&case.region)?.places();
    let (got, wanted) = (case.element.values(result), case.element.values(expected));
    if got.len() != wanted.len() {
        return Err(format!("{} elements, expected {}", got.len(), wanted.len()));
    }
    let before = &case.arguments[case.output].bytes;
    for place in 0..wanted.len() {
        let bytes = place * case.element.size()..(place + 1) * case.element.size();
        if inside.contains(&place) {
            let difference = (got[place] - wanted[place]).abs();
            // Written so that NaN is wrong.
            let close = difference <= case.atol + case.rtol * wanted[place].abs();
            if !close {
                return Err(format!(
                    "element {place} is {}, expected {} (tolerance {})",
                    got[place], wanted[place], case.atol
                ));
            }
        } else if result.bytes[bytes.clone()] != before[bytes] {
            return Err(format!(
                "element {place} is outside the region and was written: {}, before {}",
                got[place], wanted[place]
            ));
        }
    }
    Ok(())
}

/// Writes a case as files.
fn write(case: &Case, folder: &Path) -> Result<(), String> {
    let trouble = |error| format!("cannot write to {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(trouble)?;
    fs::write(folder.join("program.mlir"), &case.program).map_err(trouble)?;
    for (number, argument) in case.arguments.iter().enumerate() {
        argument.write(&folder.join(format!("arg{number}.npy")))?;
    }
    case.expected.write(&folder.join("expected.npy"))
}

fn dump(records: &[Record], folder: &Path) -> Result<(), String> {
    let mut cases = Vec::new();
    for record in records {
        let case = case(record).map_err(|error| format!("{}: {error}", record.id))?;
        write(&case, &folder.join(&record.id))?;
        let arguments: Vec<String> = (0..case.arguments.len())
            .map(|number| format!("arg{number}.npy"))
            .collect();
        cases.push(json!({
            "id": record.id,
            "folder": record.id,
            "args": arguments,
            "output": case.output,
            "region": case.region,
            "atol": case.atol,
            "rtol": case.rtol,
        }));
    }
    let manifest = serde_json::to_string_pretty(&json!({ "cases": cases }))
        .map_err(|error| error.to_string())?;
    fs::write(folder.join("manifest.json"), manifest + "\n").map_err(|error| error.to_string())
}

// ---------------------------------------------------------------------------------------------
// Tests of the generator
// ---------------------------------------------------------------------------------------------

fn self_tests() -> Vec<Trial> {
    type Case = (&'static str, fn() -> Result<(), String>);
    const TESTS: &[Case] = &[
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
                let mut record = small();
                record.axes = vec![0, -1];
                record.src_shape = vec![2, 3, 2];
                record.src_region = vec![[0, 2], [1, 2], [0, 2]];
                record.dst_shape = vec![3];
                record.dst_region = vec![[1, 2]];
                record.accum = true;
                let inputs: Vec<f64> = (0..12).map(f64::from).collect();
                let source = View::whole(&record.src_shape).region(&record.src_region)?;
                let destination = View::whole(&[3]).region(&record.dst_region)?;
                let reduced = reduced_dimensions(&record.axes, 3)?;
                let result = reference(
                    &record,
                    &source,
                    &reduced,
                    &destination,
                    &inputs,
                    &[100.0, 200.0, 300.0],
                )?;
                equal(&result, &vec![100.0, 200.0 + 22.0, 300.0 + 30.0])
            },
        ),
        ("guards count threads, warps and warpgroups", || {
            equal(&guarded("thread_id == 65", "x")?.len(), &6)?;
            equal(&guarded("warp_id == 5", "x")?[1].contains("32"), &true)?;
            equal(&guarded("wg_id == 0", "x")?[1].contains("128"), &true)?;
            equal(&guarded("lane_id == 0", "x").is_err(), &true)
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
                let mut record = small();
                record.dst_region = vec![[1, 3]];
                record.src_region = vec![[0, 3], [0, 8]];
                let case = case(&record)?;
                compare(&case, &case.expected)?;
                for (place, message) in [(1, "expected"), (0, "outside")] {
                    let mut values = Element::F32.values(&case.expected);
                    values[place] += 0.5;
                    let trouble = compare(&case, &Element::F32.array(&[4], &values)).err();
                    equal(&trouble.is_some_and(|text| text.contains(message)), &true)?;
                }
                Ok(())
            },
        ),
    ];
    /// `numpy.random.seed(0); numpy.random.uniform(size=1000)[-1]`: more than the 312 numbers that
    /// one state gives.
    const LAST_OF_A_THOUSAND: f64 = 0.677_141_144_111_424_1;

    TESTS
        .iter()
        .map(|(name, test)| Trial::test(format!("generator: {name}"), move || Ok(test()?)))
        .collect()
}

/// The rows of a 4x8 tile, summed by a block.
fn small() -> Record {
    Record {
        id: "small".to_owned(),
        suite: "tile.shared.cta".to_owned(),
        op: "sum".to_owned(),
        exec_scope: "cta".to_owned(),
        dtype: "float32".to_owned(),
        threads: 32,
        src_shape: vec![4, 8],
        src_region: vec![[0, 4], [0, 8]],
        dst_shape: vec![4],
        dst_region: vec![[0, 4]],
        axes: vec![-1],
        atol: 1e-5,
        ..Record::default()
    }
}

fn equal<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("found {found:?}, expected {expected:?}"))
    }
}
