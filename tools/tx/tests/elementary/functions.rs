//! Tested functions, their references, and arguments of special interest.

use crate::double::{self, Scaled};
use std::f64::consts::{E, FRAC_PI_2, FRAC_PI_4, LN_2, LN_10, PI};

/// Reference of a function.
#[derive(Clone, Copy)]
pub(crate) enum Reference {
    /// Rust's function for special values and narrow types, and a double-double function for other
    /// values.
    One(fn(f64) -> f64, fn(f64) -> Scaled),
    Two(fn(f64, f64) -> f64, fn(f64, f64) -> Scaled),
}

use Reference::{One, Two};

/// Function under test.
pub(crate) struct Function {
    /// Name of the function. The op is `math.NAME`, with exceptions: `remf` is an op of `arith`,
    /// and `sin_of_sincos` and `cos_of_sincos` are the results of `math.sincos`. The argument of
    /// `NAME_of_nonpositive` is −|x|, which the compiler knows to be at most 0.
    pub(crate) name: &'static str,
    pub(crate) reference: Reference,
    /// Error bounds in units of the last place, for f32 and f64.
    pub(crate) bounds: [f64; 2],
    /// Interval in which the values of the function are finite, nonzero and not constant, for f32
    /// and f64. Most arguments are in this interval.
    pub(crate) interval: [[f64; 2]; 2],
    /// Arguments such as zeros of the function. Many tests evaluate the function at or near these
    /// arguments.
    pub(crate) places: &'static [f64],
}

/// Arguments for trigonometric functions.
const QUADRANTS: &[f64] = &[
    0.0,
    FRAC_PI_4,
    FRAC_PI_2,
    PI,
    1.5 * PI,
    -FRAC_PI_2,
    355.0,
    -1e10,
    // Numbers closest to a multiple of π/2, for f32 and f64.
    16_367_173.0 * (1u128 << 72) as f64,
    5.319_372_648_326_541e255,
];

/// All tested functions. The documentation of `gpu-expand-math` contains the same error bounds.
pub(crate) const FUNCTIONS: [Function; 30] = [
    Function {
        name: "acos",
        reference: One(f64::acos, double::acos),
        bounds: [1.3, 1.3],
        interval: [[-1.0, 1.0], [-1.0, 1.0]],
        places: &[0.0, 0.5, -0.5, 1.0, -1.0],
    },
    Function {
        name: "acosh",
        reference: One(acosh, double::acosh),
        bounds: [2.2, 2.2],
        interval: [[1.0, 4.0], [1.0, 4.0]],
        places: &[1.0, 2.0, 1_152_921_504_606_846_976.0],
    },
    Function {
        name: "asin",
        reference: One(f64::asin, double::asin),
        bounds: [1.3, 1.3],
        interval: [[-1.0, 1.0], [-1.0, 1.0]],
        places: &[0.0, 0.5, -0.5, 1.0, -1.0],
    },
    Function {
        name: "asinh",
        reference: One(asinh, double::asinh),
        bounds: [2.2, 2.2],
        interval: [[-4.0, 4.0], [-4.0, 4.0]],
        places: &[0.0, 1.0, 1_152_921_504_606_846_976.0],
    },
    Function {
        name: "atan",
        reference: One(f64::atan, double::atan),
        bounds: [0.8, 0.8],
        interval: [[-4.0, 4.0], [-4.0, 4.0]],
        places: &[0.0, 0.414_213_56, 1.0, -1.0, 2.414_213_56, 1e7, 1e16],
    },
    Function {
        name: "atan2",
        reference: Two(f64::atan2, double::atan2),
        bounds: [0.8, 0.8],
        interval: [[-4.0, 4.0], [-4.0, 4.0]],
        places: &[0.0, 1.0],
    },
    Function {
        name: "atanh",
        reference: One(f64::atanh, double::atanh),
        bounds: [2.2, 2.2],
        interval: [[-1.0, 1.0], [-1.0, 1.0]],
        places: &[0.0, 1.0, -1.0, 0.17, 0.5],
    },
    Function {
        name: "cbrt",
        reference: One(f64::cbrt, double::cbrt),
        bounds: [0.6, 0.6],
        interval: [[-10.0, 10.0], [-10.0, 10.0]],
        places: &[0.0, 1.0, -8.0, 2.0, 0.35, 2.83],
    },
    Function {
        name: "cos",
        reference: One(f64::cos, double::cos),
        bounds: [0.9, 0.9],
        interval: [[-20.0, 20.0], [-20.0, 20.0]],
        places: QUADRANTS,
    },
    Function {
        name: "cos_of_sincos",
        reference: One(f64::cos, double::cos),
        bounds: [0.9, 0.9],
        interval: [[-20.0, 20.0], [-20.0, 20.0]],
        places: QUADRANTS,
    },
    Function {
        name: "cosh",
        reference: One(f64::cosh, double::cosh),
        bounds: [1.6, 1.6],
        interval: [[-90.0, 90.0], [-711.0, 711.0]],
        places: &[0.0, 1.0, 89.4, -89.4, 710.47, 88.7, 709.78],
    },
    Function {
        name: "erf",
        reference: One(erf, double::erf),
        bounds: [1.1, 1.1],
        interval: [[-4.2, 4.2], [-6.2, 6.2]],
        places: &[0.0, 1.0, -1.0, 4.0, 6.0],
    },
    Function {
        name: "erfc",
        reference: One(erfc, double::erfc),
        bounds: [3.2, 3.2],
        interval: [[-4.0, 10.2], [-6.0, 27.3]],
        places: &[0.0, 0.5, 2.0, 4.0, 9.2, 10.05, 26.5, 27.2],
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
        name: "exp2",
        reference: One(f64::exp2, double::exp2),
        bounds: [0.9, 0.9],
        interval: [[-152.0, 129.0], [-1078.0, 1025.0]],
        places: &[
            0.0, 0.5, -0.5, 1.0, 128.0, -126.0, -149.0, -150.0, 1024.0, -1022.0, -1074.0, -1075.0,
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
        name: "remf",
        reference: Two(|x, y| x % y, |x, y| Scaled((x % y).into(), 0)),
        bounds: [0.0, 0.0],
        interval: [[-9.0, 9.0], [-9.0, 9.0]],
        places: &[],
    },
    Function {
        name: "round",
        reference: One(f64::round, |x| Scaled(x.round().into(), 0)),
        bounds: [0.0, 0.0],
        interval: [[-9.0, 9.0], [-9.0, 9.0]],
        places: &[
            0.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            -3.5,
            4_194_304.5,
            8_388_608.0,
            4_503_599_627_370_496.0,
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
        name: "sin",
        reference: One(f64::sin, double::sin),
        bounds: [0.9, 0.9],
        interval: [[-20.0, 20.0], [-20.0, 20.0]],
        places: QUADRANTS,
    },
    Function {
        name: "sin_of_sincos",
        reference: One(f64::sin, double::sin),
        bounds: [0.9, 0.9],
        interval: [[-20.0, 20.0], [-20.0, 20.0]],
        places: QUADRANTS,
    },
    Function {
        name: "sinh",
        reference: One(f64::sinh, double::sinh),
        bounds: [1.6, 1.6],
        interval: [[-90.0, 90.0], [-711.0, 711.0]],
        places: &[0.0, 1.0, -1.0, 89.4, -89.4, 710.47],
    },
    Function {
        name: "tan",
        reference: One(f64::tan, double::tan),
        bounds: [1.1, 1.1],
        interval: [[-20.0, 20.0], [-20.0, 20.0]],
        places: QUADRANTS,
    },
    Function {
        name: "tanh",
        reference: One(f64::tanh, double::tanh),
        bounds: [1.6, 1.6],
        interval: [[-2.0, 2.0], [-2.0, 2.0]],
        places: &[0.0, 0.5625, -0.5625, 9.0, -9.0, 19.0, -19.0],
    },
];

/// Returns a quiet NaN: Rust's `pow` treats signaling NaNs differently if the other argument is 0
/// or 1.
fn quiet(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}

/// Error function, which Rust's standard library lacks.
fn erf(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() {
        return x;
    }
    let Scaled(value, n) = double::erf(x.clamp(-10.0, 10.0));
    double::scale(value.0, n)
}

/// Inverse hyperbolic sine; Rust's function overflows for arguments whose square overflows.
fn asinh(x: f64) -> f64 {
    if x.abs() > 1e30 {
        (x.abs().ln() + LN_2).copysign(x)
    } else {
        x.asinh()
    }
}

fn acosh(x: f64) -> f64 {
    if x > 1e30 { x.ln() + LN_2 } else { x.acosh() }
}

/// Complementary error function, which Rust's standard library lacks.
fn erfc(x: f64) -> f64 {
    if x == 0.0 || x.is_nan() {
        return 1.0 - x;
    }
    let Scaled(value, n) = double::erfc(x.clamp(-10.0, 40.0));
    double::scale(value.0, n)
}

impl Function {
    pub(crate) fn arguments(&self) -> usize {
        match self.reference {
            One(..) => 1,
            Two(..) => 2,
        }
    }

    /// Returns the value in f64.
    pub(crate) fn value(&self, x: f64, y: f64) -> f64 {
        match self.reference {
            One(function, _) => function(x),
            Two(function, _) => function(x, y),
        }
    }

    /// Returns the double-double value; `None` if it is 0, infinite or NaN for reasons other than
    /// its magnitude.
    pub(crate) fn precise(&self, x: f64, y: f64) -> Option<Scaled> {
        let value = self.value(x, y);
        let is_special = !x.is_finite() || !y.is_finite() || x == 0.0 || value.is_nan();
        // log 1 and log 0, for all bases.
        let is_root = self.name.starts_with("log") && (value == 0.0 || value.is_infinite());
        // acos 1, atanh 1, and angles of points on an axis.
        let is_end =
            self.name.starts_with('a') && (x.abs() == 1.0 && value == 0.0 || value.is_infinite());
        let is_low = matches!(self.name, "remf" | "round") && value == 0.0;
        let is_at_axis = self.name == "atan2" && y == 0.0;
        if is_special || is_root || is_end || is_low || is_at_axis {
            return None;
        }
        Some(match self.reference {
            One(_, function) => function(x),
            Two(_, function) => function(x, y),
        })
    }
}
