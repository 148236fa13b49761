//! Compares the combiner code that the compiler emits with the combiners of the interpreter, which
//! share no code. Combination with the initial value of an accumulator must not change a bit of a
//! partial result.

use tx_dialect_tile::Reduce;
use tx_interp::{Argument, Combined, Combiner, Float, Options, Outcome, Scalar, run};
use tx_mlir::melior::ir::Module;
use tx_mlir::melior::ir::operation::OperationLike;
use tx_mlir::{Builder, Index, Op, Session, Val, is, results, set_operand, walk};
use tx_passes::Combiner as Emitter;

/// Reduction kind with its types.
#[derive(Clone, Debug)]
struct Case {
    kind: &'static str,
    /// Type of the elements.
    element: &'static str,
    /// Type of partial results.
    acc: &'static str,
    /// Type of the index of `argmax` and `argmin`.
    index: Option<&'static str>,
    nan: &'static str,
}

const INTS: [&str; 4] = ["i8", "i16", "i32", "i64"];
const FLOATS: [&str; 4] = ["f16", "bf16", "f32", "f64"];

/// Returns every reduction kind with every type of partial results, and for floats with both
/// treatments of NaN.
fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |kind, acc, index, nan| {
        all.push(Case {
            kind,
            element: acc,
            acc,
            index,
            nan,
        });
    };
    for acc in INTS.into_iter().chain(FLOATS) {
        let policies: &[&str] = match acc.starts_with('i') {
            true => &["propagate"],
            false => &["propagate", "ignore"],
        };
        add("sum", acc, None, "propagate");
        add("prod", acc, None, "propagate");
        for nan in policies {
            for kind in ["max", "min"] {
                add(kind, acc, None, nan);
            }
            for kind in ["argmax", "argmin"] {
                for index in ["i32", "i64"] {
                    add(kind, acc, Some(index), nan);
                }
            }
        }
    }
    for acc in INTS {
        for kind in ["umax", "umin", "and", "or", "xor"] {
            add(kind, acc, None, "propagate");
        }
    }
    for kind in ["and", "or", "xor"] {
        add(kind, "i1", None, "propagate");
    }
    all
}

impl Case {
    fn is_arg(&self) -> bool {
        self.index.is_some()
    }

    /// Returns the types of the components of a partial result.
    fn parts(&self) -> Vec<&'static str> {
        std::iter::once(self.acc).chain(self.index).collect()
    }

    fn op(&self, source: &str, rows: &str, scope: &str) -> String {
        let (kind, acc, nan) = (self.kind, self.acc, self.nan);
        let index = |text: String| if self.is_arg() { text } else { String::new() };
        format!(
            "tile.reduce {kind} %A into %B{} axes [{}] scope({scope}) {{acc = {acc}, nan = #tile.nan<{nan}>}}
               : {source} into memref<{rows}{acc}>{}",
            index(", %I".to_owned()),
            usize::from(!rows.is_empty()),
            index(format!(", memref<{rows}{}>", self.index.unwrap_or_default())),
        )
    }
}

/// Number of threads per block.
const BLOCK: usize = 256;

/// Emits a kernel with the ops from `emit`, runs the kernel, and returns the results. Each thread
/// handles one pair of partial results.
///
/// `emit` receives the combiner and the components of two partial results, and returns the
/// components of the result; `out` contains the component types.
fn emitted(
    case: &Case,
    inputs: &[&str],
    out: &[&str],
    pairs: [&Combined; 2],
    emit: impl for<'c> Fn(&Emitter<'c>, &Builder<'c>, &[Val<'c>], &[Val<'c>]) -> Vec<Val<'c>>,
) -> Combined {
    let count = pairs[0].len();
    let all = count.next_multiple_of(BLOCK);
    let mut arguments = Vec::new();
    let mut body = String::new();
    for side in ["l", "r"] {
        for (i, ty) in inputs.iter().enumerate() {
            arguments.push(format!("%{side}{i}: memref<{all}x{ty}>"));
            body += &format!("%{side}{i}x = memref.load %{side}{i}[%i] : memref<{all}x{ty}>\n");
        }
    }
    for (i, ty) in out.iter().enumerate() {
        arguments.push(format!("%o{i}: memref<{all}x{ty}>"));
        // The emitted result later replaces the stored constant.
        let zero = if ty.starts_with('i') { "0" } else { "0.0" };
        let zero = if *ty == "i1" {
            "false".to_owned()
        } else {
            format!("{zero} : {ty}")
        };
        body += &format!(
            "%z{i} = arith.constant {zero}
             memref.store %z{i}, %o{i}[%i] : memref<{all}x{ty}>\n"
        );
    }
    let index = case.index.unwrap_or("i32");
    let text = format!(
        "gpu.module @m {{
           gpu.func @combine({}) kernel attributes {{known_block_size = array<i32: {BLOCK}, 1, 1>}} {{
             %t = gpu.thread_id x
             %b = gpu.block_id x
             %w = arith.constant {BLOCK} : index
             %s = arith.muli %b, %w : index
             %i = arith.addi %s, %t : index
             {body}
             gpu.return
           }}
           gpu.func @reduce(%A: memref<9x{}>, %B: memref<{}>, %I: memref<{index}>)
               kernel attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
             {}
             gpu.return
           }}
         }}",
        arguments.join(", "),
        case.element,
        case.acc,
        case.op(&format!("memref<9x{}>", case.element), "", "cta"),
    );
    let session = Session::new(tx_dialect_tile::register);
    let module = parse(&session, &text);
    let ops = ops(&module);
    let reduce = ops
        .iter()
        .find_map(|op| Reduce::of(*op))
        .expect("a reduction");
    let emitter = Emitter::of_reduce(&reduce).unwrap_or_else(|e| panic!("{case:?}: {e}"));
    let loaded: Vec<Val<'_>> = ops
        .iter()
        .filter(|op| is(**op, "memref.load"))
        .flat_map(|op| results(*op))
        .collect();
    let stores: Vec<Op<'_>> = ops
        .iter()
        .copied()
        .filter(|op| is(*op, "memref.store"))
        .collect();
    let (left, right) = loaded.split_at(inputs.len());
    let builder = Builder::before(stores[0]);
    let values = emit(&emitter, &builder, left, right);
    assert_eq!(values.len(), out.len());
    for (store, value) in stores.into_iter().zip(values) {
        // Replace the stored constant by the emitted value.
        set_operand(store, 0, value);
    }
    assert!(
        module.as_operation().verify(),
        "{case:?}\n{}",
        module.as_operation()
    );
    let mut given = Vec::new();
    for side in pairs {
        for (bits, ty) in side.parts.iter().zip(inputs) {
            given.push(array(bits, all, scalar(ty)));
        }
    }
    for ty in out {
        given.push(array(&[], all, scalar(ty)));
    }
    let options = Options {
        grid: [(all / BLOCK) as u32, 1, 1],
        ..Options::default()
    };
    let outcome =
        run(&module, "combine", &given, &options).unwrap_or_else(|e| panic!("{case:?}: {e}"));
    let read = |(i, ty): (usize, &&str)| numbers(&outcome, 2 * inputs.len() + i, count, scalar(ty));
    Combined::given(out.iter().enumerate().map(read).collect())
}

fn parse<'s>(session: &'s Session, text: &str) -> Module<'s> {
    let module = session.parse("combiners.mlir", text.as_bytes());
    module.unwrap_or_else(|| panic!("{:?}\n{text}", session.take_diagnostics()))
}

fn ops<'m>(module: &'m Module<'_>) -> Vec<Op<'m>> {
    // SAFETY: the op lives as long as the module, which is borrowed for `'m`.
    walk(unsafe { Op::from_raw(module.as_operation().to_raw()) })
}

fn scalar(ty: &str) -> Scalar {
    match ty {
        "f8E4M3FN" => Scalar::Float(Float::F8E4M3FN),
        "f8E5M2" => Scalar::Float(Float::F8E5M2),
        "f16" => Scalar::Float(Float::F16),
        "bf16" => Scalar::Float(Float::BF16),
        "f32" => Scalar::Float(Float::F32),
        "f64" => Scalar::Float(Float::F64),
        int => Scalar::Int(int[1..].parse().expect("an integer type")),
    }
}

fn array(bits: &[u64], count: usize, scalar: Scalar) -> Argument {
    let width = scalar.bytes();
    let mut bytes = vec![0; count * width];
    for (place, bits) in bytes.chunks_exact_mut(width).zip(bits) {
        place.copy_from_slice(&bits.to_le_bytes()[..width]);
    }
    Argument::array(vec![count as i64], vec![1], 0, bytes)
}

fn numbers(outcome: &Outcome, argument: usize, count: usize, scalar: Scalar) -> Vec<u64> {
    let bytes = &outcome.arrays[argument].bytes;
    let number = |chunk: &[u8]| {
        chunk
            .iter()
            .rev()
            .fold(0, |n, byte| n << 8 | u64::from(*byte))
    };
    bytes
        .chunks_exact(scalar.bytes())
        .take(count)
        .map(number)
        .collect()
}

/// Calls `f` with the combiner of the interpreter for a case.
fn with_definition<R>(case: &Case, f: impl FnOnce(&Combiner<'_>) -> R) -> R {
    let index = case.index.unwrap_or("i32");
    let text = format!(
        "gpu.module @m {{
           gpu.func @reduce(%A: memref<9x{0}>, %B: memref<{0}>, %I: memref<{index}>)
               kernel attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
             {1}
             gpu.return
           }}
         }}",
        case.acc,
        case.op(&format!("memref<9x{}>", case.acc), "", "cta")
    );
    let session = Session::new(tx_dialect_tile::register);
    let module = parse(&session, &text);
    let combiner = ops(&module)
        .into_iter()
        .find_map(Combiner::of)
        .expect("a reduction");
    f(&combiner.unwrap_or_else(|e| panic!("{case:?}: {e}")))
}

/// Pseudo-random numbers (SplitMix64), equal in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// Returns special values of a type: NaN, infinities, zeros of both signs, extremes, and the
/// neighbours of these values.
fn telling(scalar: Scalar) -> Vec<u64> {
    match scalar {
        Scalar::Int(bits) => {
            let low = !0 >> (64 - bits);
            let sign = 1_u64 << (bits - 1);
            let list = [
                0,
                1,
                !0,
                2,
                3,
                !1,
                5,
                !6,
                sign,
                sign - 1,
                sign | 1,
                sign.wrapping_sub(2),
                sign >> 1,
            ];
            let mut list: Vec<u64> = list.into_iter().map(|n: u64| n & low).collect();
            list.sort_unstable();
            list.dedup();
            list
        }
        Scalar::Float(float) => {
            let ulp = 2_f64.powi(1 - float.digits());
            let normal = 2_f64.powi(float.least_exponent());
            let infinity = match float {
                Float::F8E4M3FN => float.largest(),
                _ => f64::INFINITY,
            };
            let list = [
                f64::NAN,
                infinity,
                0.0,
                1.0,
                2.0,
                3.0,
                0.5,
                12.0,
                1.0 / 3.0,
                1.0 + ulp,
                1.0 - ulp / 2.0,
                normal,
                normal * ulp,
                normal * (1.0 - ulp),
                float.largest(),
                float.largest() / 2.0,
            ];
            let signed = list.into_iter().flat_map(|x| [x, -x]);
            let mut bits: Vec<u64> = signed.map(|x| float.to_bits(x)).collect();
            // A negative NaN, and a signaling NaN.
            bits.push(float.to_bits(f64::NAN) | 1 << (float.bits() - 1));
            if float.digits() > 4 {
                bits.push(float.to_bits(f64::INFINITY) | 1);
            }
            bits
        }
    }
}

/// Returns all values of a type of at most 16 bits; for wider types, special values and random
/// numbers.
fn many(scalar: Scalar) -> Vec<u64> {
    let width = match scalar {
        Scalar::Int(bits) => bits,
        Scalar::Float(float) => float.bits(),
    };
    if width <= 16 {
        return (0..1 << width).collect();
    }
    let mut random = Random(u64::from(width));
    let drawn = (0..4096).map(|_| random.next() & (!0 >> (64 - width)));
    telling(scalar).into_iter().chain(drawn).collect()
}

/// Returns pairs of partial results: all pairs of 8-bit integers; for other types, all pairs of
/// special values, and random pairs.
fn pairs(case: &Case) -> [Combined; 2] {
    let value = scalar(case.acc);
    let mut list = match value {
        Scalar::Int(1 | 8) if !case.is_arg() => many(value),
        _ => telling(value),
    };
    let mut partials: Vec<Vec<u64>> = vec![list.clone()];
    if let Some(index) = case.index {
        let Scalar::Int(bits) = scalar(index) else {
            panic!("an index is an integer")
        };
        let indices = [0, 1, 7, (1_u64 << (bits - 1)) - 1];
        let both = list.iter().flat_map(|v| indices.map(|i| (*v, i)));
        let (values, indices): (Vec<u64>, Vec<u64>) = both.unzip();
        partials = vec![values, indices];
    }
    let n = partials[0].len();
    let all = Combined::given(partials);
    let (left, right) = (
        all.select((0..n * n).map(|i| i / n)),
        all.select((0..n * n).map(|i| i % n)),
    );
    if case.is_arg() {
        return [left, right];
    }
    list = many(value);
    let mut random = Random(7);
    let mut draw = |mut side: Combined| {
        side.parts[0].extend((0..8192).map(|_| list[(random.next() % list.len() as u64) as usize]));
        Combined::given(side.parts)
    };
    [draw(left), draw(right)]
}

fn show(parts: &[&str], bits: &[u64]) -> String {
    let shown: Vec<String> = parts
        .iter()
        .zip(bits)
        .map(|(ty, bits)| scalar(ty).show(*bits))
        .collect();
    shown.join(", ")
}

/// Checks that two lists of partial results have equal bits; all NaNs are equal.
fn expect_same(
    case: &Case,
    parts: &[&str],
    pairs: [&Combined; 2],
    expected: &Combined,
    found: &Combined,
) {
    for i in 0..expected.len() {
        for (part, ty) in parts.iter().enumerate() {
            let (e, f) = (expected.parts[part][i], found.parts[part][i]);
            let nan = |bits| {
                scalar(ty)
                    .float()
                    .is_some_and(|float| float.value(bits).is_nan())
            };
            assert!(
                e == f || nan(e) && nan(f),
                "{case:?}: ({}) and ({}) give ({}), expected ({})",
                show(parts, &pairs[0].get(i)),
                show(parts, &pairs[1].get(i)),
                show(parts, &found.get(i)),
                show(parts, &expected.get(i)),
            );
        }
    }
}

/// Emitted code combines partial results as the interpreter does. For 8-bit integers, the test
/// covers all pairs.
#[test]
fn what_is_emitted_combines_as_defined() {
    for case in cases() {
        let [left, right] = pairs(&case);
        let parts = case.parts();
        let found = emitted(
            &case,
            &parts,
            &parts,
            [&left, &right],
            |emitter, b, l, r| emitter.combine(b, l, r),
        );
        let expected = with_definition(&case, |combiner| combiner.combine(&left, &right))
            .expect("it is defined");
        expect_same(&case, &parts, [&left, &right], &expected, &found);
    }
}

/// If all right elements have higher indices than the left elements, the emitted code need not
/// compare indices.
#[test]
fn later_elements_need_no_look_at_the_index() {
    for case in cases().into_iter().filter(Case::is_arg) {
        let [left, right] = pairs(&case);
        let later: Vec<usize> = (0..left.len())
            .filter(|&i| left.parts[1][i] < right.parts[1][i])
            .collect();
        assert!(later.len() > 1000, "{}", later.len());
        let [left, right] = [left, right].map(|side| side.select(later.iter().copied()));
        let parts = case.parts();
        let found = emitted(
            &case,
            &parts,
            &parts,
            [&left, &right],
            |emitter, b, l, r| emitter.combine_later(b, l, r),
        );
        let expected = with_definition(&case, |combiner| combiner.combine(&left, &right))
            .expect("it is defined");
        expect_same(&case, &parts, [&left, &right], &expected, &found);
        // If the first element of a thread has index 3, the initial value of the accumulator must
        // not change this element.
        let values = telling(scalar(case.acc));
        let third = vec![3; values.len()];
        let first = Combined::given(vec![values, third]);
        let found = emitted(
            &case,
            &parts,
            &parts,
            [&first, &first],
            |emitter, b, l, _| emitter.combine_later(b, &emitter.start_at(b, Index::Const(3)), l),
        );
        expect_same(&case, &parts, [&first, &first], &first, &found);
    }
}

/// Combination with the initial value of the accumulator, as left or right operand, does not change
/// a bit of a partial result. The result of an empty reduction is the identity; see decision 7.
#[test]
fn starts_change_no_bit() {
    for case in cases() {
        let parts = case.parts();
        let mut all = vec![many(scalar(case.acc))];
        if let Some(index) = case.index {
            let Scalar::Int(bits) = scalar(index) else {
                panic!("an index is an integer")
            };
            let most = (1_u64 << (bits - 1)) - 1;
            all.push((0..all[0].len()).map(|i| [0, 1, 77, most][i % 4]).collect());
        }
        let all = Combined::given(all);
        let pair = [&all, &all];
        let before = emitted(&case, &parts, &parts, pair, |emitter, b, l, _| {
            emitter.combine(b, &emitter.start(b), l)
        });
        expect_same(&case, &parts, pair, &all, &before);
        let behind = emitted(&case, &parts, &parts, pair, |emitter, b, l, _| {
            emitter.combine(b, l, &emitter.start(b))
        });
        expect_same(&case, &parts, pair, &all, &behind);
        let one = all.select(0..1);
        let nothing = emitted(&case, &parts, &parts, [&one, &one], |emitter, b, _, _| {
            emitter.identity(b)
        });
        let identity = with_definition(&case, |combiner| combiner.identity());
        assert_eq!(nothing.get(0), identity, "{case:?}");
    }
}

/// Returns a narrow element, converted to the type of partial results.
fn widened(bits: u64, from: &str, to: &str) -> u64 {
    match (scalar(from), scalar(to)) {
        (Scalar::Float(from), Scalar::Float(to)) => to.to_bits(from.value(bits)),
        _ => bits,
    }
}

/// An integer that packs a value and an index has the order of the pair of value and index. For
/// 8-bit values, the test covers all pairs.
#[test]
fn packed_pairs_are_ordered_as_pairs() {
    let types = [
        ("i8", "i8"),
        ("i16", "i16"),
        ("f16", "f16"),
        ("bf16", "bf16"),
        ("f16", "f32"),
        ("bf16", "f32"),
        ("f8E4M3FN", "f32"),
        ("f8E5M2", "f32"),
    ];
    for (element, acc) in types {
        for (kind, nan) in [
            ("argmax", "propagate"),
            ("argmin", "propagate"),
            ("argmax", "ignore"),
            ("argmin", "ignore"),
        ] {
            let case = Case {
                kind,
                element,
                acc,
                index: Some("i32"),
                nan,
            };
            let list = match scalar(element).bytes() {
                1 => many(scalar(element)),
                _ => telling(scalar(element)),
            };
            let n = list.len();
            let side = |f: &dyn Fn(usize) -> usize| -> Vec<u64> {
                (0..2 * n * n).map(|i| list[f(i / 2)]).collect()
            };
            let (x, y) = (side(&|i| i / n), side(&|i| i % n));
            let index = |which: usize| -> Vec<u64> {
                (0..2 * n * n).map(|i| [3, 8][(i + which) % 2]).collect()
            };
            let pairs = [
                Combined::given(vec![x.clone(), index(0)]),
                Combined::given(vec![y.clone(), index(1)]),
            ];
            let inputs = [element, "i32"];
            let found = emitted(
                &case,
                &inputs,
                &["i32"],
                [&pairs[0], &pairs[1]],
                |emitter, b, l, r| {
                    let ty = tx_mlir::melior::ir::ValueLike::r#type(&l[0]);
                    let packed = emitter.packed(ty, 9).unwrap_or_else(|e| panic!("{e}"));
                    let [l, r] = [l, r].map(|pair| packed.partial(b, &pair[..1], |_, _| pair[1]));
                    let key = packed.combine(b, &l, &r);
                    vec![packed.packed_index(b, key[0])]
                },
            );
            let wide = |values: &[u64]| {
                values
                    .iter()
                    .map(|bits| widened(*bits, element, acc))
                    .collect()
            };
            let left = Combined::given(vec![wide(&x), index(0)]);
            let right = Combined::given(vec![wide(&y), index(1)]);
            let defined = with_definition(&case, |combiner| combiner.combine(&left, &right))
                .expect("it is defined");
            let expected = Combined::given(vec![defined.parts[1].clone()]);
            expect_same(&case, &["i32"], [&left, &right], &expected, &found);
        }
    }
}

/// A lowered kernel combines as the interpreter does: one thread reduces rows of two elements.
#[test]
fn what_is_lowered_combines_as_defined() {
    tx_passes::register();
    for case in cases() {
        let list = telling(scalar(case.acc));
        let n = list.len();
        let rows = n * n;
        let (x, y): (Vec<u64>, Vec<u64>) = (0..rows).map(|i| (list[i / n], list[i % n])).unzip();
        let with_index = |values: &[u64], index: u64| {
            let indices = case.index.map(|_| vec![index; rows]);
            Combined::given(std::iter::once(values.to_vec()).chain(indices).collect())
        };
        let (left, right) = (with_index(&x, 0), with_index(&y, 1));
        let source = format!("memref<{rows}x2x{}>", case.acc);
        let index = case.index.unwrap_or("i32");
        let text = format!(
            "gpu.module @m {{
               gpu.func @reduce(%A: {source}, %B: memref<{rows}x{}>, %I: memref<{rows}x{index}>)
                   kernel attributes {{known_block_size = array<i32: 1, 1, 1>}} {{
                 {}
                 gpu.return
               }}
             }}",
            case.acc,
            case.op(&source, &format!("{rows}x"), "thread")
        );
        let session = Session::new(tx_dialect_tile::register);
        let mut module = parse(&session, &text);
        let lowered = session.run(&mut module, "lower-reduction");
        assert!(lowered, "{case:?}: {:?}", session.take_diagnostics());
        assert!(
            !ops(&module).into_iter().any(tx_dialect_tile::is_tile_op),
            "{case:?}"
        );
        let value = scalar(case.acc);
        let both: Vec<u64> = x.iter().zip(&y).flat_map(|(x, y)| [*x, *y]).collect();
        let Argument::Array { bytes, .. } = array(&both, 2 * rows, value) else {
            panic!("an array")
        };
        let given = [
            Argument::array(vec![rows as i64, 2], vec![2, 1], 0, bytes),
            array(&[], rows, value),
            array(&[], rows, scalar(index)),
        ];
        let outcome = run(&module, "reduce", &given, &Options::default())
            .unwrap_or_else(|e| panic!("{case:?}: {e}"));
        let parts = case.parts();
        let read = |(i, ty): (usize, &&str)| numbers(&outcome, 1 + i, rows, scalar(ty));
        let found = Combined::given(parts.iter().enumerate().map(read).collect());
        let expected = with_definition(&case, |combiner| combiner.combine(&left, &right))
            .expect("it is defined");
        expect_same(&case, &parts, [&left, &right], &expected, &found);
    }
}

/// In both combination orders, the sum or product of three numbers differs from the exact result by
/// at most its error bound. The error bound is at most a few rounding errors.
#[test]
fn every_order_lies_within_the_bound() {
    for case in cases() {
        let (Some(float), "sum" | "prod", "f16" | "bf16" | "f32") =
            (scalar(case.acc).float(), case.kind, case.acc)
        else {
            continue;
        };
        let mut random = Random(3);
        let mut drawn = || {
            // The numbers are large enough that no product underflows: error bounds do not cover
            // underflow.
            let number = |bits: u64| {
                let magnitude = 0.25 + (bits >> 11) as f64 * 2_f64.powi(-50);
                if bits & 1 == 1 { magnitude } else { -magnitude }
            };
            Combined::given(vec![
                (0..20_000)
                    .map(|_| float.to_bits(number(random.next())))
                    .collect(),
            ])
        };
        let (a, b, c) = (drawn(), drawn(), drawn());
        let (left, right) = with_definition(&case, |combiner| {
            let combine =
                |x: &Combined, y: &Combined| combiner.combine(x, y).expect("it is defined");
            (combine(&combine(&a, &b), &c), combine(&a, &combine(&b, &c)))
        });
        let mut differ = 0;
        for i in 0..a.len() {
            let [x, y, z] = [&a, &b, &c].map(|v| float.value(v.parts[0][i]));
            let (exact, magnitude) = match case.kind {
                "sum" => (x + y + z, x.abs() + y.abs() + z.abs()),
                _ => (x * y * z, (x * y * z).abs()),
            };
            for order in [&left, &right] {
                let found = float.value(order.parts[0][i]);
                let bound = order.bounds[0].as_ref().expect("there are bounds")[i];
                assert!(
                    bound.allows(exact, found),
                    "{case:?}: {x} {y} {z}: {found} is not {exact}: {bound:?}"
                );
                let roundings = 4.0 * magnitude * 2_f64.powi(-float.digits());
                let least = 2_f64.powi(float.least_exponent() - float.digits() + 3);
                assert!(
                    bound.error <= roundings + least,
                    "{case:?}: {x} {y} {z}: {bound:?}"
                );
            }
            differ += usize::from(left.parts[0][i] != right.parts[0][i]);
        }
        assert!(
            differ > 100,
            "{case:?}: the order matters for {differ} of {}",
            a.len()
        );
    }
}
