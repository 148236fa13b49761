use crate::analysis::target::NvvmTarget;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::OperationLike;
use tx_mlir::{
    Failed, Op, attribute, codes, context, elements, error, is, parse_attribute, set_attribute,
    walk,
};
use tx_pass::{Counts, Pass, option_error, pass};
use tx_target::Chip;

pass! {
    /// Say what chip each GPU module is compiled for.
    ///
    /// ## What it does
    /// Gives every `gpu.module` without a target an `#nvvm.target` for `chip`, and gives targets
    /// that ask for too old a PTX version the oldest that knows their chip. A target that is
    /// already there decides over the option.
    ///
    /// ## Why
    /// LLVM aborts on a chip or a feature that it does not know, and on a PTX version that does
    /// not know the chip. Names are checked here, where a diagnostic is still possible.
    ///
    /// ## Before
    /// ```mlir
    /// gpu.module @kernels {
    /// }
    /// ```
    ///
    /// ## After (`chip=sm_90`)
    /// ```mlir
    /// gpu.module @kernels [#nvvm.target<chip = "sm_90", features = "+ptx78">] {
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The chip or a feature is unknown.
    pub struct AttachTarget as "tile-attach-target" creates [nvvm] {
        /// chip to compile for where the module names none
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
            let targets = attribute(op, "targets")
                .and_then(elements)
                .unwrap_or_default();
            let mut texts = Vec::new();
            for target in targets {
                texts.push(repaired(op, &target.to_string())?);
            }
            if texts.is_empty() {
                texts.push(target_text(&default, &format!("+ptx{}", default.ptx), ""));
                counts.add("attached", 1);
            }
            plans.push((op, texts));
        }
        for (op, texts) in plans {
            let context = context(op);
            let targets: Vec<_> = texts
                .iter()
                .map(|text| parse_attribute(context, text))
                .collect();
            let targets = ArrayAttribute::new(context, &targets).into();
            set_attribute(op, "targets", targets);
        }
        Ok(())
    }
}

fn target_text(chip: &Chip, features: &str, rest: &str) -> String {
    format!("#nvvm.target<chip = \"{chip}\", features = \"{features}\"{rest}>")
}

/// The target with a PTX version that knows its chip.
fn repaired(op: Op<'_>, text: &str) -> Result<String, Failed> {
    if !text.starts_with("#nvvm.target") {
        return Err(error(
            op.location(),
            format!("the target is `{text}`, expected `#nvvm.target`"),
        )
        .code(codes::TX0501)
        .note(
            "kernels are compiled to PTX: write `[#nvvm.target<chip = \"sm_90\">]`, or \
                   leave the target to the option `chip`",
        )
        .emit());
    }
    let NvvmTarget { chip, ptx } = NvvmTarget::parse(op, text)?;
    let ptx = ptx.max(chip.ptx);
    // Everything else stays as it is written.
    let kept: String = fields(text)
        .filter(|field| !field.starts_with("chip =") && !field.starts_with("features ="))
        .map(|field| format!(", {field}"))
        .collect();
    Ok(target_text(&chip, &format!("+ptx{ptx}"), &kept))
}

/// The fields between the angle brackets of an attribute's text.
fn fields(text: &str) -> impl Iterator<Item = &str> {
    let inside = text
        .split_once('<')
        .and_then(|(_, rest)| rest.rsplit_once('>'))
        .map_or("", |(inside, _)| inside);
    let (mut depth, mut quoted) = (0i32, false);
    inside
        .split(move |c| {
            quoted ^= c == '"';
            if !quoted {
                depth += i32::from("[{<(".contains(c)) - i32::from("]}>)".contains(c));
            }
            c == ',' && depth == 0 && !quoted
        })
        .map(str::trim)
        .filter(|field| !field.is_empty())
}
