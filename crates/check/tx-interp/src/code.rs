//! Compiled form of functions: closures that execute ops.

use crate::machine::Exec;
use crate::trouble::Trouble;
use crate::value::Slot;
use std::rc::Rc;
use tx_mlir::Val;

/// Closure that executes one op.
pub(crate) type OpClosure<'c> = Box<dyn Fn(&mut Exec<'_>) -> Result<(), Trouble> + 'c>;

/// Closures that execute the ops of a block.
pub(crate) struct Code<'c> {
    pub(crate) steps: Vec<OpClosure<'c>>,
    pub(crate) arguments: Vec<Slot>,
    pub(crate) yields: Vec<Slot>,
}

impl Code<'_> {
    pub(crate) fn run(&self, exec: &mut Exec<'_>) -> Result<(), Trouble> {
        if exec.active.is_empty() {
            return Ok(());
        }
        // An empty block counts as a step, because a loop with an empty body may be endless.
        exec.charge()?;
        for step in &self.steps {
            exec.charge()?;
            step(exec)?;
        }
        Ok(())
    }

    /// Runs the ops with `active` as the active lanes.
    pub(crate) fn run_for(&self, exec: &mut Exec<'_>, active: Rc<[u32]>) -> Result<(), Trouble> {
        let before = std::mem::replace(&mut exec.active, active);
        let result = self.run(exec);
        exec.active = before;
        result
    }
}

/// Closures that execute a function.
pub(crate) struct Function<'c> {
    pub(crate) code: Code<'c>,
    pub(crate) slots: usize,
    /// Workgroup and private attributions of a kernel, with the slots of their memrefs.
    pub(crate) attributions: Vec<(Slot, Val<'c>)>,
    pub(crate) block_size: Option<[u32; 3]>,
    pub(crate) cluster_size: Option<[u32; 3]>,
}
