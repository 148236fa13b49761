//! 05: compiles tensor expressions; tx lowers the row sums and row maxima of these expressions.
//!
//! The example translates each expression to one host function. The function contains one
//! `linalg.generic` for each reduction, and one `linalg.generic` for the result. The body of each
//! `linalg.generic` contains the element-wise ops.
//!
//! ```console
//! cargo run -p tx-examples --example 05-tensors
//! ```

use std::error::Error;
use std::fmt::Write as _;
use std::ops::{Div, Mul, Sub};

use tx_runtime::{Array, Device};

#[derive(Clone, Debug, PartialEq)]
enum Expr {
    /// Input matrix of the expression.
    Input,
    Number(f32),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// Reduction of each row to one number, which is broadcast over the row.
    Row(Reduce, Box<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Reduce {
    Sum,
    Max,
}

impl Expr {
    fn exp(self) -> Self {
        Self::Unary("math.exp", Box::new(self))
    }
    fn sum(self) -> Self {
        Self::Row(Reduce::Sum, Box::new(self))
    }
    fn max(self) -> Self {
        Self::Row(Reduce::Max, Box::new(self))
    }
    fn is_column(&self) -> bool {
        match self {
            Self::Input => false,
            Self::Number(_) | Self::Row(..) => true,
            Self::Unary(_, x) => x.is_column(),
            Self::Binary(_, l, r) => l.is_column() && r.is_column(),
        }
    }
}

macro_rules! operator {
    ($($trait:ident $method:ident $op:literal)*) => {$(
        impl $trait for Expr {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self::Binary($op, Box::new(self), Box::new(other))
            }
        }
    )*};
}
operator! { Sub sub "arith.subf" Mul mul "arith.mulf" Div div "arith.divf" }

struct Lowering {
    rows: usize,
    columns: usize,
    text: String,
    /// Reductions whose results are in the memrefs `%t0`, `%t1`, …
    done: Vec<(Reduce, Expr)>,
}

impl Lowering {
    fn program(expr: &Expr, rows: usize, columns: usize) -> String {
        let mut lowering = Self {
            rows,
            columns,
            text: String::new(),
            done: Vec::new(),
        };
        let result = lowering.memref(expr.is_column());
        lowering.reductions(expr);
        lowering.generic(expr, None, "%out", expr.is_column());
        let frees: String = (0..lowering.done.len())
            .map(|t| format!("  memref.dealloc %t{t} : {}\n", lowering.memref(true)))
            .collect();
        format!(
            "func.func @program(%in: {}, %out: {result}) {{\n{}{frees}  return\n}}\n",
            lowering.memref(false),
            lowering.text
        )
    }

    fn memref(&self, column: bool) -> String {
        match column {
            true => format!("memref<{}xf32>", self.rows),
            false => format!("memref<{}x{}xf32>", self.rows, self.columns),
        }
    }

    /// Emits the reductions that `expr` contains. The function emits each reduction after the
    /// reductions on which it depends.
    fn reductions(&mut self, expr: &Expr) {
        match expr {
            Expr::Input | Expr::Number(_) => {}
            Expr::Unary(_, x) => self.reductions(x),
            Expr::Binary(_, l, r) => {
                self.reductions(l);
                self.reductions(r);
            }
            Expr::Row(kind, x) => {
                self.reductions(x);
                let this = (*kind, (**x).clone());
                if self.done.contains(&this) {
                    return;
                }
                let (t, column) = (self.done.len(), self.memref(true));
                let start = match kind {
                    Reduce::Sum => "0.0",
                    Reduce::Max => "0xFF800000",
                };
                let _ = write!(
                    self.text,
                    "  %t{t} = memref.alloc() : {column}\n  %s{t} = arith.constant {start} : f32\n  \
                     linalg.fill ins(%s{t} : f32) outs(%t{t} : {column})\n"
                );
                self.generic(x, Some(*kind), &format!("%t{t}"), false);
                self.done.push(this);
            }
        }
    }

    /// Emits a `linalg.generic` that evaluates `expr` for each element or row, and either stores
    /// the values in `out` or reduces them into `out`.
    fn generic(&mut self, expr: &Expr, kind: Option<Reduce>, out: &str, rows_only: bool) {
        let mut body = Body {
            lowering: self,
            operands: Vec::new(),
            text: String::new(),
            values: 0,
        };
        let mut result = body.scalar(expr);
        if let Some(kind) = kind {
            let op = match kind {
                Reduce::Sum => "arith.addf",
                Reduce::Max => "arith.maximumf",
            };
            result = body.op(op, &["%old", &result]);
        }
        let Body { operands, text, .. } = body;
        let dims = if rows_only { "(i)" } else { "(i, j)" };
        let column = kind.is_some() || rows_only;
        let map = |column: bool| {
            format!(
                "affine_map<{dims} -> {}>",
                if column { "(i)" } else { "(i, j)" }
            )
        };
        let maps: Vec<String> = operands
            .iter()
            .map(|(_, column)| *column)
            .chain([column])
            .map(map)
            .collect();
        let iterators = match (rows_only, kind) {
            (true, _) => "\"parallel\"",
            (false, None) => "\"parallel\", \"parallel\"",
            (false, Some(_)) => "\"parallel\", \"reduction\"",
        };
        let names: Vec<&str> = operands.iter().map(|(name, _)| name.as_str()).collect();
        let types: Vec<String> = operands
            .iter()
            .map(|(_, column)| self.memref(*column))
            .collect();
        let ins = match names.is_empty() {
            true => String::new(),
            false => format!("ins({} : {}) ", names.join(", "), types.join(", ")),
        };
        let arguments: String = (0..names.len()).map(|a| format!("%a{a}: f32, ")).collect();
        let _ = write!(
            self.text,
            "  linalg.generic {{indexing_maps = [{}], iterator_types = [{iterators}]}} \
             {ins}outs({out} : {}) {{\n  \
             ^bb0({arguments}%old: f32):\n{text}    linalg.yield {result} : f32\n  }}\n",
            maps.join(", "),
            self.memref(column),
        );
    }
}

struct Body<'l> {
    lowering: &'l Lowering,
    /// Operands of the op. Each operand consists of the name of a memref, and of a flag that is set
    /// if the memref has one element per row.
    operands: Vec<(String, bool)>,
    text: String,
    values: usize,
}

impl Body<'_> {
    fn scalar(&mut self, expr: &Expr) -> String {
        match expr {
            Expr::Input => self.read("%in".to_owned(), false),
            Expr::Number(number) => {
                let name = self.name();
                let _ = writeln!(self.text, "    {name} = arith.constant {number:?} : f32");
                name
            }
            Expr::Unary(op, x) => {
                let x = self.scalar(x);
                self.op(op, &[&x])
            }
            Expr::Binary(op, l, r) => {
                let (l, r) = (self.scalar(l), self.scalar(r));
                self.op(op, &[&l, &r])
            }
            Expr::Row(kind, x) => {
                let this = (*kind, (**x).clone());
                let t = self.lowering.done.iter().position(|done| *done == this);
                self.read(format!("%t{}", t.unwrap_or_default()), true)
            }
        }
    }

    fn read(&mut self, memref: String, column: bool) -> String {
        let operand = (memref, column);
        let place = self
            .operands
            .iter()
            .position(|o| *o == operand)
            .unwrap_or_else(|| {
                self.operands.push(operand);
                self.operands.len() - 1
            });
        format!("%a{place}")
    }

    fn op(&mut self, op: &str, operands: &[&str]) -> String {
        let name = self.name();
        let _ = writeln!(self.text, "    {name} = {op} {} : f32", operands.join(", "));
        name
    }

    fn name(&mut self) -> String {
        self.values += 1;
        format!("%v{}", self.values)
    }
}

/// Evaluates an expression on one row in f64, as a reference. A result with one element represents
/// a row of equal values.
fn exact(expr: &Expr, row: &[f32]) -> Vec<f64> {
    match expr {
        Expr::Input => row.iter().copied().map(f64::from).collect(),
        Expr::Number(number) => vec![f64::from(*number)],
        Expr::Unary(_, x) => exact(x, row).into_iter().map(f64::exp).collect(),
        Expr::Binary(op, l, r) => {
            let (l, r) = (exact(l, row), exact(r, row));
            let at = |values: &[f64], i: usize| values[i.min(values.len() - 1)];
            (0..l.len().max(r.len()))
                .map(|i| match *op {
                    "arith.subf" => at(&l, i) - at(&r, i),
                    "arith.mulf" => at(&l, i) * at(&r, i),
                    _ => at(&l, i) / at(&r, i),
                })
                .collect()
        }
        Expr::Row(kind, x) => {
            // A single value is broadcast over the row.
            let mut values = exact(x, row);
            if values.len() == 1 {
                values = vec![values[0]; row.len()];
            }
            vec![match kind {
                Reduce::Sum => values.iter().sum(),
                Reduce::Max => values.into_iter().fold(f64::NEG_INFINITY, f64::max),
            }]
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::auto()?;
    let chip = device.chip().unwrap_or_else(|| "sm_80".to_owned());
    let compiler = tx::Compiler::new(tx::Target::parse(&chip)?)?;

    let (rows, columns) = (37, 300);
    let (x, n) = (Expr::Input, Expr::Number(columns as f32));
    let e = (x.clone() - x.clone().max()).exp();
    let mean = x.clone().sum() / n.clone();
    let centred = x.clone() - mean.clone();
    let programs = [
        ("softmax", e.clone() / e.sum()),
        ("mean", mean),
        ("variance", (centred.clone() * centred).sum() / n),
        (
            "peak",
            x.clone().max() - x.clone().sum() / Expr::Number(300.0),
        ),
    ];
    let numbers: Vec<f32> = (0..rows * columns)
        .map(|i| ((i * 7919) % 10007) as f32 / 1000.0 - 5.0)
        .collect();
    for (name, expr) in programs {
        let text = Lowering::program(&expr, rows, columns);
        if name == "softmax" {
            println!("{text}");
        }
        let artifact = compiler.compile(&text)?;
        let shape = if expr.is_column() {
            vec![rows]
        } else {
            vec![rows, columns]
        };
        let zeros = vec![0_f32; shape.iter().product()];
        let outputs = device.load(&artifact)?.run(vec![
            Array::from_slice(&[rows, columns], &numbers)?.into(),
            Array::from_slice(&shape, &zeros)?.into(),
        ])?;
        let results: Vec<f32> = outputs.argument(1).ok_or("no result")?.to_vec()?;
        let expected: Vec<f64> = numbers
            .chunks(columns)
            .flat_map(|row| exact(&expr, row))
            .collect();
        let worst = results
            .iter()
            .zip(&expected)
            .map(|(got, exact)| (f64::from(*got) - exact).abs() / exact.abs().max(1e-2))
            .fold(0.0, f64::max);
        if results.len() != expected.len() || worst.is_nan() || worst > 1e-4 {
            return Err(format!("{name}: off by {worst:e} of the value").into());
        }
        let kernels = artifact.plan.steps.len();
        println!(
            "{name}: {kernels} kernels on {}, off by {worst:.1e} of the value at most",
            device.name()
        );
    }
    Ok(())
}
