//! Single ops that form a combiner, such as `arith.addf`.

use tx_dialect_tile::{Kind, Nan};

/// Name of an op that combines two values, with its reduction kind and NaN policy.
pub(crate) type CombiningOp = (&'static str, Kind, Option<Nan>);

/// `arith` ops that combine two values, each with its reduction kind and NaN policy.
pub(crate) const COMBINING_OPS: [CombiningOp; 15] = [
    ("arith.addf", Kind::Sum, None),
    ("arith.addi", Kind::Sum, None),
    ("arith.mulf", Kind::Prod, None),
    ("arith.muli", Kind::Prod, None),
    ("arith.maximumf", Kind::Max, None),
    ("arith.maxnumf", Kind::Max, Some(Nan::Ignore)),
    ("arith.maxsi", Kind::Max, None),
    ("arith.maxui", Kind::UMax, None),
    ("arith.minimumf", Kind::Min, None),
    ("arith.minnumf", Kind::Min, Some(Nan::Ignore)),
    ("arith.minsi", Kind::Min, None),
    ("arith.minui", Kind::UMin, None),
    ("arith.andi", Kind::And, None),
    ("arith.ori", Kind::Or, None),
    ("arith.xori", Kind::Xor, None),
];
