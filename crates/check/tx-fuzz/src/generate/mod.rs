//! Random descriptions.

mod host;
mod kernel;
mod layout;
mod operands;
mod rows;

use crate::description::{Case, Program};
use crate::element::Element;
use crate::random::Random;
use std::fmt;

/// Target chips. The chip determines the reduction variants from which a program can choose.
const CHIPS: [&str; 3] = ["sm_80", "sm_90", "sm_100"];

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

/// Returns test case `index` of the fuzz run with the seed `seed`. `only` is the kind of the
/// generated program; `None` permits all kinds.
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

/// Returns whether the arguments of a program are small enough for quick execution.
fn is_small(arguments: &[(Element, Vec<usize>)]) -> bool {
    let elements: usize = arguments
        .iter()
        .map(|(_, shape)| shape.iter().product::<usize>())
        .sum();
    elements <= 20_000 && !arguments.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program of a test case depends only on the seed of the fuzz run and on the index of the
    /// test case. Parsing a serialized test case yields an equal test case.
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

    /// Each construct in a list, such as `scf.for`, occurs in at least one of 3000 generated
    /// programs.
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
