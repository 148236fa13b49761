//! The functions, what they are compared with, and where they are looked at closely.

use crate::double::{self, Scaled};
use std::f64::consts::{E, LN_2, LN_10};

/// What a function is compared with.
#[derive(Clone, Copy)]
pub(crate) enum Reference {
    /// Rust's own function for infinities, zeros, NaN and as the reference of narrower types, and
    /// one of twice the bits for everything else.
    One(fn(f64) -> f64, fn(f64) -> Scaled),
    Two(fn(f64, f64) -> f64, fn(f64, f64) -> Scaled),
}

use Reference::{One, Two};

/// A function.
pub(crate) struct Function {
    /// The op is called `math.NAME`; of `NAME_of_nonpositive` the argument is what a compiler sees
    /// never to be positive: −|x|.
    pub(crate) name: &'static str,
    pub(crate) reference: Reference,
    /// Bounds of the error in units of the last place, for f32 and f64.
    pub(crate) bounds: [f64; 2],
    /// Where its values are neither 0, infinite nor constant, for f32 and f64; more of the
    /// arguments are from there.
    pub(crate) interval: [[f64; 2]; 2],
    /// A place where something changes: many arguments are at it or near it.
    pub(crate) places: &'static [f64],
}

/// All of them. The bounds are those of the documentation of `gpu-expand-math`.
pub(crate) const FUNCTIONS: [Function; 12] = [
    Function {
        name: "erf",
        reference: One(erf, double::erf),
        bounds: [1.1, 1.1],
        interval: [[-4.2, 4.2], [-6.2, 6.2]],
        places: &[0.0, 1.0, -1.0, 4.0, 6.0],
    },
    Function {
        name: "exp",
        reference: One(f64::exp, double::exp),
        bounds: [0.9, 0.9],
        interval: [[-105.0, 89.5], [-747.0, 710.5]],
        places: &[
            0.0,
            LN_2 / 2.0,
            -LN_2 / 2.0,
            88.72,
            -87.33,
            -103.97,
            709.78,
            -708.39,
            -745.13,
        ],
    },
    Function {
        name: "exp_of_nonpositive",
        reference: One(|x| (-x.abs()).exp(), |x| double::exp(-x.abs())),
        bounds: [0.9, 0.9],
        interval: [[-105.0, 0.0], [-747.0, 0.0]],
        places: &[0.0, LN_2 / 2.0, 87.33, 103.97, 708.39, 745.13],
    },
    Function {
        name: "exp2",
        reference: One(f64::exp2, double::exp2),
        bounds: [0.9, 0.9],
        interval: [[-152.0, 129.0], [-1078.0, 1025.0]],
        places: &[
            0.0, 0.5, -0.5, 1.0, 128.0, -126.0, -149.0, -150.0, 1024.0, -1022.0, -1074.0, -1075.0,
        ],
    },
    Function {
        name: "expm1",
        reference: One(f64::exp_m1, double::expm1),
        bounds: [0.9, 1.2],
        interval: [[-19.0, 4.0], [-40.0, 4.0]],
        places: &[
            0.0,
            LN_2 / 2.0,
            -LN_2 / 2.0,
            1.04,
            -1.04,
            88.72,
            709.78,
            -17.3,
            -18.0,
            -37.4,
            -38.0,
        ],
    },
    Function {
        name: "log",
        reference: One(f64::ln, double::log),
        bounds: [0.8, 0.8],
        interval: [[0.4, 3.0], [0.4, 3.0]],
        places: &[
            0.0,
            1.0,
            0.5,
            2.0,
            std::f64::consts::SQRT_2,
            std::f64::consts::FRAC_1_SQRT_2,
            E,
        ],
    },
    Function {
        name: "log10",
        reference: One(f64::log10, double::log10),
        bounds: [0.8, 0.8],
        interval: [[0.4, 3.0], [0.4, 3.0]],
        places: &[
            0.0,
            1.0,
            0.1,
            10.0,
            1e10,
            1e22,
            std::f64::consts::SQRT_2,
            std::f64::consts::FRAC_1_SQRT_2,
        ],
    },
    Function {
        name: "log1p",
        reference: One(f64::ln_1p, double::log1p),
        bounds: [0.8, 0.8],
        interval: [[-1.0, 3.0], [-1.0, 3.0]],
        places: &[
            0.0,
            -1.0,
            1.0,
            -0.2929,
            0.4142,
            16_777_216.0,
            9_007_199_254_740_992.0,
        ],
    },
    Function {
        name: "log2",
        reference: One(f64::log2, double::log2),
        bounds: [0.8, 0.8],
        interval: [[0.4, 3.0], [0.4, 3.0]],
        places: &[
            0.0,
            1.0,
            0.5,
            2.0,
            1024.0,
            std::f64::consts::SQRT_2,
            std::f64::consts::FRAC_1_SQRT_2,
        ],
    },
    Function {
        name: "powf",
        reference: Two(|x, y| quiet(x).powf(quiet(y)), double::pow),
        bounds: [1.1, 1.3],
        interval: [[0.4, 3.0], [0.4, 3.0]],
        places: &[
            0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 1e7, 1e16, LN_10,
        ],
    },
    Function {
        name: "rsqrt",
        reference: One(|x| 1.0 / x.sqrt(), double::rsqrt),
        bounds: [1.5, 1.5],
        interval: [[0.5, 4.0], [0.5, 4.0]],
        places: &[0.0, 1.0, 2.0, 4.0],
    },
    Function {
        name: "tanh",
        reference: One(f64::tanh, double::tanh),
        bounds: [1.6, 1.6],
        interval: [[-2.0, 2.0], [-2.0, 2.0]],
        places: &[0.0, 0.5625, -0.5625, 9.0, -9.0, 19.0, -19.0],
    },
];

/// NaN is no argument of Rust's function where it is a signaling one, which makes a difference if
/// the other is 0 or 1.
fn quiet(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}

/// Rust has none.
fn erf(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() {
        return x;
    }
    let Scaled(value, n) = double::erf(x.clamp(-10.0, 10.0));
    double::scale(value.0, n)
}

impl Function {
    pub(crate) fn arguments(&self) -> usize {
        match self.reference {
            One(..) => 1,
            Two(..) => 2,
        }
    }

    /// The value in f64.
    pub(crate) fn value(&self, x: f64, y: f64) -> f64 {
        match self.reference {
            One(function, _) => function(x),
            Two(function, _) => function(x, y),
        }
    }

    /// The value with twice the bits, where it is neither 0, infinite nor NaN for other reasons
    /// than its size.
    pub(crate) fn precise(&self, x: f64, y: f64) -> Option<Scaled> {
        let value = self.value(x, y);
        let is_special = !x.is_finite() || !y.is_finite() || x == 0.0 || value.is_nan();
        // ln 1 and ln 0, for all bases.
        let is_root = self.name.starts_with("log") && (value == 0.0 || value.is_infinite());
        if is_special || is_root {
            return None;
        }
        Some(match self.reference {
            One(_, function) => function(x),
            Two(_, function) => function(x, y),
        })
    }
}
