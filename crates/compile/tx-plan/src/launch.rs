//! Numeric launch sizes of the steps of a plan.

use crate::expr::{Expr, ExprError};
use crate::plan::{Base, Operand, Plan, Step, View};

/// Launch sizes of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent3 {
    /// Number of CTAs along x, y and z, at least 1.
    pub grid: [u32; 3],
    /// Number of threads per CTA along x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory per CTA, in bytes.
    pub dynamic_shared_bytes: u32,
}

impl Step {
    /// Returns the launch sizes of the step. The closure `value` returns the value of an
    /// expression. Returns `None` if the launcher must skip the step: a condition of the step is
    /// false, or a grid size is 0.
    ///
    /// The function does not check the launch sizes against the limits of the device, because the
    /// driver rejects sizes above these limits.
    ///
    /// # Errors
    /// Fails if an expression cannot be evaluated, or if the value of an expression does not fit in
    /// 32 bits.
    pub fn extent(
        &self,
        value: impl Fn(&Expr) -> Result<i64, ExprError>,
    ) -> Result<Option<Extent3>, ExprError> {
        let sizes = |exprs: &[Expr; 3]| -> Result<[i64; 3], ExprError> {
            let [x, y, z] = exprs.each_ref().map(&value);
            Ok([x?, y?, z?])
        };
        for condition in &self.when {
            if !condition.holds(&value)? {
                return Ok(None);
            }
        }
        if sizes(&self.grid)?.contains(&0) {
            return Ok(None);
        }
        let size = |expr: &Expr| {
            let value = value(expr)?;
            u32::try_from(value).map_err(|_| ExprError::Size {
                expr: expr.to_string(),
                value,
            })
        };
        let dims = |exprs: &[Expr; 3]| -> Result<[u32; 3], ExprError> {
            let [x, y, z] = exprs.each_ref().map(size);
            Ok([x?, y?, z?])
        };
        Ok(Some(Extent3 {
            grid: dims(&self.grid)?,
            block: dims(&self.block)?,
            dynamic_shared_bytes: size(&self.dynamic_shared_bytes)?,
        }))
    }
}

impl Step {
    /// Returns whether an operand of the kernel is the argument or temporary `base`, or a view of
    /// `base`.
    pub fn uses(&self, base: Base) -> bool {
        self.operands.iter().any(|operand| match operand {
            Operand::Argument(index) => base == Base::Argument(*index),
            Operand::Temporary(index) => base == Base::Temporary(*index),
            Operand::View(view) => base == view.base,
            Operand::Scalar { .. } | Operand::Constant { .. } => false,
        })
    }
}

impl Plan {
    /// Returns the index of an argument or temporary in a list that contains all arguments first,
    /// and then all temporaries.
    pub const fn buffer(&self, base: Base) -> usize {
        match base {
            Base::Argument(index) => index,
            Base::Temporary(index) => self.arguments.len() + index,
        }
    }
}

impl View {
    /// Returns the kernel parameters for a view, as 64-bit values: allocated pointer, aligned
    /// pointer, offset, sizes and strides. The allocated pointer and the aligned pointer are both
    /// equal to `base`. `value` evaluates expressions.
    ///
    /// # Errors
    /// Fails if an expression cannot be evaluated.
    pub fn descriptor(
        &self,
        base: u64,
        value: impl Fn(&Expr) -> Result<i64, ExprError>,
    ) -> Result<Vec<u64>, ExprError> {
        let numbers = std::iter::once(&self.offset)
            .chain(&self.sizes)
            .chain(&self.strides)
            .map(|number| value(number).map(i64::cast_unsigned));
        [Ok(base), Ok(base)].into_iter().chain(numbers).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(grid: [i64; 3], block: i64) -> Step {
        Step {
            kernel: "k".to_owned(),
            module: "k".to_owned(),
            choice: None,
            when: Vec::new(),
            grid: grid.map(Expr::Const),
            block: [block, 1, 1].map(Expr::Const),
            cluster: None,
            dynamic_shared_bytes: Expr::Const(16),
            operands: Vec::new(),
        }
    }

    #[test]
    fn extents_are_numbers_or_nothing() {
        let extent = |step: Step| step.extent(|expr| expr.evaluate(|_| None));
        assert_eq!(
            extent(step([3, 2, 1], 32)),
            Ok(Some(Extent3 {
                grid: [3, 2, 1],
                block: [32, 1, 1],
                dynamic_shared_bytes: 16
            }))
        );
        assert_eq!(extent(step([1 << 40, 0, 1], 32)), Ok(None));
        let error = extent(step([1, 1, 1 << 40], 32)).expect_err("40 bits");
        assert_eq!(
            error.to_string(),
            "`1099511627776` is 1099511627776, expected 0 to 4294967295"
        );
        assert!(extent(step([1, 1, 1], -1)).is_err());
    }

    #[test]
    fn a_condition_decides_about_a_launch() {
        let extent = |when: &str, size: i64| {
            let mut step = step([1, 1, 1], 1);
            step.grid[0] = Expr::Const(8).floor_div(Expr::dim(0, 0));
            step.when = vec![when.parse().expect("a condition")];
            let extent = step.extent(|expr| expr.evaluate(|_| Some(size)));
            extent.map(|extent| extent.map(|extent| extent.grid[0]))
        };
        assert_eq!(extent("arg0.dim0 > 0", 4), Ok(Some(2)));
        assert_eq!(extent("arg0.dim0 > 0", 0), Ok(None));
        assert_eq!(extent("arg0.address % 16 == 0", 4), Ok(None));
        assert!(extent("arg0.dim0 >= 0", 0).is_err());
    }

    #[test]
    fn descriptors_are_in_order() {
        let view = View {
            base: Base::Temporary(0),
            offset: Expr::Const(5),
            sizes: vec![Expr::dim(0, 0), Expr::Const(3)],
            strides: vec![Expr::Const(-3), Expr::Const(1)],
        };
        let value = |expr: &Expr| expr.evaluate(|_| Some(7));
        assert_eq!(
            view.descriptor(64, value),
            Ok(vec![64, 64, 5, 7, 3, (-3_i64).cast_unsigned(), 1])
        );
    }
}
