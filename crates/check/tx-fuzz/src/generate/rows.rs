//! Random host functions with several ops on the rows of matrices.

use crate::description::{Binary, Makes, Mapping, Operand, RowOp, Rows, Unary};
use crate::element::Element::{BF16, F16, F32, F64, I32};
use crate::random::Random;

const MOST: usize = 4096;
const ROWS: [usize; 10] = [0, 1, 2, 3, 3, 5, 8, 17, 33, 70];
const COLUMNS: [usize; 19] = [
    0, 1, 2, 7, 20, 31, 32, 33, 48, 64, 65, 100, 128, 257, 512, 777, 1003, 2050, 4096,
];

pub(super) fn rows(random: &mut Random) -> Rows {
    let columns = random.pick(&COLUMNS);
    let fits: Vec<usize> = ROWS
        .into_iter()
        .filter(|rows| rows * columns <= MOST)
        .collect();
    let element = random.pick(&[F32, F32, F32, F16, BF16, F64, I32]);
    let mut ops: Vec<RowOp> = Vec::new();
    for number in 0..2 + random.below(4) {
        let op = op(random, &ops, number);
        ops.push(op);
    }
    let rows = random.pick(&fits);
    // A schedule requires `tile` ops, whose elements and results have one type.
    let is_plain = !matches!(element, F16 | BF16);
    let mapping = (is_plain && random.percent(40)).then(|| mapping(random));
    Rows {
        rows,
        columns,
        // A program with dynamic sizes compiles to a dozen kernels. The check of so many kernels is
        // slow, so few programs have dynamic sizes.
        open: mapping.is_none() && random.percent(10),
        approximate: random.percent(15),
        element,
        ops,
        mapping,
    }
}

fn op(random: &mut Random, before: &[RowOp], number: usize) -> RowOp {
    let rows: Vec<usize> = (0..number)
        .filter(|n| before[*n].makes != Makes::Matrix)
        .collect();
    let makes = match number {
        0 => random.pick(&[
            Makes::Sum,
            Makes::Sum,
            Makes::Max,
            Makes::Min,
            Makes::Matrix,
        ]),
        _ if rows.len() > 1 && random.percent(12) => Makes::Row,
        _ => random.pick(&[
            Makes::Sum,
            Makes::Sum,
            Makes::Max,
            Makes::Min,
            Makes::Matrix,
            Makes::Matrix,
            Makes::Matrix,
        ]),
    };
    let of_rows = makes == Makes::Row;
    let mut of: Vec<(Operand, Binary)> = Vec::new();
    for place in 0..1 + random.below(3) {
        let operand = match random.below(100) {
            // Prefer results of earlier ops as operands, so that few results stay unused.
            0..55 if place > 0 && !rows.is_empty() => Operand::Result(random.pick(&rows)),
            0..55 if !of_rows && number > 0 => Operand::Result(random.below(number)),
            _ if of_rows && !rows.is_empty() => Operand::Result(random.pick(&rows)),
            55..65 if place > 0 && !of_rows => Operand::Column,
            65..72 => Operand::Row,
            _ if of_rows => Operand::Row,
            72..85 => Operand::Matrix(1),
            _ => Operand::Matrix(0),
        };
        let binary = random.pick(&[
            Binary::Add,
            Binary::Subtract,
            Binary::Subtract,
            Binary::Multiply,
            Binary::Larger,
        ]);
        // Avoid `x - x`, which is always 0.
        if of.iter().all(|(known, _)| *known != operand) {
            of.push((operand, binary));
        }
    }
    RowOp {
        makes,
        of,
        unary: random.percent(40).then(|| {
            random.pick(&[
                Unary::Square,
                Unary::Absolute,
                Unary::Exponential,
                Unary::Share,
            ])
        }),
        temporary: random.percent(70),
        in_place: makes == Makes::Matrix && random.percent(15),
    }
}

fn mapping(random: &mut Random) -> Mapping {
    Mapping {
        rows: random.pick(&[1, 1, 2, 3, 4]),
        threads: random.pick(&[1, 7, 8, 20, 32, 32, 48, 64, 128, 256]),
        blocks: random.pick(&[1, 1, 1, 2, 4]),
        loads: random.pick(&[1, 2, 4, 8, 16, 32]),
        vector: random.pick(&[1, 1, 2, 4]),
        holds: random.percent(50),
        holds_totals: random.percent(60),
    }
}
