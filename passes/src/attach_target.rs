use crate::analysis::target::Target;
use melior::ir::Attribute;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::OperationLike;
use tx_mlir::pass::{Counts, Pass, option_error, pass};
use tx_mlir::{
    Failed, NvvmTarget, Op, attribute, codes, context, elements, error, is, set_attribute, walk,
};
use tx_target::Chip;

pass! {
    /// Set the target chip of each GPU module.
    ///
    /// ## What it does
    /// Adds an `#nvvm.target` for `chip` to every `gpu.module` without a target. If the PTX version
    /// of a target is too old for its chip, the pass replaces the version by the oldest version
    /// that supports the chip. An existing target of a module takes precedence over the option
    /// `chip`.
    ///
    /// ## Why
    /// LLVM aborts on an unknown chip or feature, and on a PTX version that does not support the
    /// chip. This pass therefore checks chips, features and PTX versions, and reports errors as
    /// diagnostics, before LLVM runs.
    ///
    /// ## Before
    /// ```mlir
    /// gpu.module @kernels {
    /// }
    /// ```
    ///
    /// ## After (`chip=sm_90`)
    /// ```mlir
    /// gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx81">] {
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects an unknown chip or feature.
    pub struct AttachTarget as "tile-attach-target" creates [nvvm] {
        /// target chip of modules without a target
        chip: String = "sm_80",
    } counts {
        /// modules that got a target
        attached,
    }
}

impl Pass for AttachTarget {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let default = Chip::parse(&self.chip).map_err(|e| {
            option_error(module, &Self::INFO, "chip", &self.chip, e.to_string())
                .code(codes::TX0501)
                .emit()
        })?;
        let modules: Vec<Op<'c>> = walk(module)
            .into_iter()
            .filter(|op| is(*op, "gpu.module"))
            .collect();
        let mut plans = Vec::new();
        for op in modules {
            let context = context(op);
            let targets = attribute(op, "targets")
                .and_then(elements)
                .unwrap_or_default();
            let mut repaired = Vec::new();
            for target in targets {
                repaired.push(with_known_version(op, target)?);
            }
            if repaired.is_empty() {
                let (chip, features) = (default.to_string(), format!("+ptx{}", default.ptx));
                repaired.push(NvvmTarget::attribute(context, None, &chip, &features));
                counts.add("attached", 1);
            }
            plans.push((op, ArrayAttribute::new(context, &repaired).into()));
        }
        for (op, targets) in plans {
            set_attribute(op, "targets", targets);
        }
        Ok(())
    }
}

/// Returns `target` with a PTX version that supports the chip of the target.
fn with_known_version<'c>(op: Op<'c>, target: Attribute<'c>) -> Result<Attribute<'c>, Failed> {
    let Some(nvvm) = NvvmTarget::of(target) else {
        return Err(error(
            op.location(),
            format!("the target is `{target}`, expected `#nvvm.target`"),
        )
        .code(codes::TX0501)
        .note(
            "kernels are compiled to PTX: write `[#nvvm.target<chip = \"sm_90\">]`, or \
                   leave the target to the option `chip`",
        )
        .emit());
    };
    let Target { chip, ptx } = Target::read(op, &nvvm)?;
    let features = format!("+ptx{}", ptx.max(chip.ptx));
    Ok(NvvmTarget::attribute(
        context(op),
        Some(target),
        &chip.to_string(),
        &features,
    ))
}
