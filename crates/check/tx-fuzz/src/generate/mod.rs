//! Random descriptions.

mod host;
mod kernel;
mod layout;
mod rows;

use crate::combine::{CUSTOM, Combine, Determinism, Kind};
use crate::description::{Case, Program, View};
use crate::element::Element::{self, BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I1, I8, I16, I32, I64};
use crate::random::Random;
use std::fmt;

/// Target chips, which support different reduction variants.
const CHIPS: [&str; 3] = ["sm_80", "sm_90", "sm_100"];

/// Sizes of dimensions: powers of two, and other numbers, for which split loops have remainders.
const SIZES: [usize; 22] = [
    0, 1, 1, 2, 3, 4, 5, 7, 8, 8, 16, 17, 20, 31, 32, 33, 48, 64, 100, 128, 257, 1003,
];

/// A kind of [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramKind {
    /// A `gpu.func`.
    Kernel,
    /// A `func.func` with grid-level ops, which operate on whole arrays.
    Host,
    /// A `func.func` with several ops over the rows of matrices.
    Rows,
}

impl fmt::Display for ProgramKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kernel => "kernels",
            Self::Host => "functions",
            Self::Rows => "rows",
        })
    }
}

/// Returns test case `index` of the fuzz run with this seed. If `only` is set, the program is of
/// this kind.
pub fn generate(seed: u64, index: u64, only: Option<ProgramKind>) -> Case {
    let mut random = Random::new(seed, index);
    // Draw again if the program is invalid or too large, for example in shared memory.
    loop {
        let drawn = match random.below(100) {
            0..35 => ProgramKind::Kernel,
            35..55 => ProgramKind::Host,
            _ => ProgramKind::Rows,
        };
        let program = match only.unwrap_or(drawn) {
            ProgramKind::Kernel => Program::Kernel(kernel::kernel(&mut random)),
            ProgramKind::Host => Program::Host(host::host(&mut random)),
            ProgramKind::Rows => Program::Rows(rows::rows(&mut random)),
        };
        let case = Case {
            chip: random.pick(&CHIPS).to_owned(),
            seed: random.next() % 1000,
            program,
        };
        if case.text().is_ok_and(|text| is_small(&text.arguments)) {
            return case;
        }
    }
}

/// Returns whether the arguments are small enough for quick execution.
fn is_small(arguments: &[(Element, Vec<usize>)]) -> bool {
    let elements: usize = arguments
        .iter()
        .map(|(_, shape)| shape.iter().product::<usize>())
        .sum();
    elements <= 20_000 && !arguments.is_empty()
}

/// Returns a random shape of this rank with at most `most` elements.
fn shape(random: &mut Random, rank: usize, most: usize) -> Vec<usize> {
    let mut shape = Vec::new();
    let mut left = most.max(1);
    for _ in 0..rank {
        let fits: Vec<usize> = SIZES.into_iter().filter(|size| *size <= left).collect();
        let mut size = random.pick(&fits);
        // Empty arrays should be rare.
        if size == 0 && random.percent(70) {
            size = 1;
        }
        left /= size.max(1);
        shape.push(size);
    }
    random.shuffle(&mut shape);
    shape
}

fn rank(random: &mut Random) -> usize {
    random.pick(&[0, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4, 5])
}

fn axes(random: &mut Random, shape: &[usize]) -> Vec<usize> {
    let mut axes: Vec<usize> = (0..shape.len()).filter(|_| random.percent(45)).collect();
    if axes.is_empty() && !shape.is_empty() && random.percent(85) {
        axes.push(random.below(shape.len()));
    }
    random.shuffle(&mut axes);
    axes
}

fn element(random: &mut Random) -> Element {
    random.pick(&[
        F32, F32, F32, F32, F16, F16, BF16, BF16, F64, F64, I32, I32, I32, I64, I8, I16, I1,
        F8E4M3FN, F8E5M2,
    ])
}

/// Returns a random combiner for an element type, or for a random type if `of` is `None`.
fn combine(random: &mut Random, of: Option<Element>, customs: bool) -> Combine {
    if customs && of.is_none() && random.percent(12) {
        let custom = random.below(CUSTOM.len());
        let element = CUSTOM[custom].elements[0];
        let mut combine = Combine::plain(Kind::Custom(custom), element);
        combine.to = element;
        combine.accumulate = random.percent(25);
        return combine;
    }
    let element = of.unwrap_or_else(|| self::element(random));
    let kind = random.pick(Kind::of(element));
    let mut combine = Combine::plain(kind, element);
    if random.percent(20) {
        combine.to = random.pick(element.destinations());
    }
    combine.index = random.pick(&[I32, I64]);
    if random.percent(12) {
        combine.acc = Some(random.pick(element.accumulators()));
    }
    combine.ignore_nan = element.is_float()
        && matches!(kind, Kind::Max | Kind::Min | Kind::ArgMax | Kind::ArgMin)
        && random.percent(30);
    if random.percent(15) {
        combine.determinism = Some(random.pick(&[
            Determinism::Any,
            Determinism::RunToRun,
            Determinism::BatchInvariant,
        ]));
    }
    combine.accumulate = random.percent(25);
    combine
}

fn view(random: &mut Random, shape: &[usize], broadcast: bool) -> View {
    let mut view = View::default();
    if random.percent(60) {
        return view;
    }
    let rank = shape.len();
    if random.percent(40) {
        view.before = (0..rank).map(|_| random.below(3)).collect();
        view.after = (0..rank).map(|_| random.below(3)).collect();
    }
    if random.percent(20) {
        view.step = (0..rank).map(|_| random.pick(&[1, 1, 2, 3])).collect();
    }
    if broadcast && random.percent(10) && rank > 0 {
        view.step = vec![1; rank];
        view.step[random.below(rank)] = 0;
    }
    if random.percent(35) && rank > 1 {
        view.order = (0..rank).collect();
        random.shuffle(&mut view.order);
    }
    if random.percent(40) {
        view.loose = (0..rank).map(|_| random.percent(60)).collect();
    }
    view.open = random.percent(15);
    view
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test case depends only on its seed and index, and is unchanged by serialization and
    /// parsing.
    #[test]
    fn cases_can_be_made_again() {
        for index in 0..200 {
            let case = generate(3, index, None);
            assert_eq!(case, generate(3, index, None));
            let json = serde_json::to_string(&case).unwrap();
            assert_eq!(case, serde_json::from_str(&json).unwrap());
            assert_eq!(case.text(), generate(3, index, None).text());
        }
        assert_ne!(generate(3, 0, None), generate(3, 1, None));
        assert_ne!(generate(3, 0, None), generate(4, 0, None));
    }

    /// Generated test cases cover all program kinds, scopes, layouts and forms.
    #[test]
    fn cases_are_of_all_sorts() {
        let texts: Vec<String> = (0..3000)
            .map(|index| generate(5, index, None).text().unwrap().mlir)
            .collect();
        for word in [
            "scope(thread)",
            "scope(warp)",
            "scope(warpgroup)",
            "scope(cta)",
            "scope(grid)",
            "argmin",
            "umax",
            "custom",
            "f8E5M2",
            "bf16",
            "i1>",
            "!tile.fragment",
            "replica",
            "tile.all_reduce",
            "tile.copy",
            "gpu.barrier",
            "scf.for",
            "scf.if",
            "accumulate",
            "batch_invariant",
            "variant = ",
            "memref.transpose",
            "memref.subview",
            "memref.cast",
            "memref<?",
            "private(",
            "maps = [",
            "element {",
            "epilogue {",
            "linalg.reduce",
            "linalg.generic",
            "memref.alloc",
            "#tile.split",
            "#tile.fuse",
            "#tile.reorder",
            "#tile.rfactor",
            "#tile.unroll",
            "#tile.vectorize",
            "thread_x",
            "block_x",
            "gpu.block_id",
            "(i + di, j + dj)",
            "arith.maximumf %n, %one",
            "tile.group = 0",
            "to cluster_x",
            "#tile.hold<\"tmp0\" in registers>",
            "math.exp",
        ] {
            assert!(texts.iter().any(|text| text.contains(word)), "no {word}");
        }
    }
}
