use crate::analysis::kernel::Kernel;
use crate::analysis::kernel::recorded_threads;
use crate::combiner::Combiner;
use crate::exchange::{Groups, redux, redux_cost, shuffle_cost};
use crate::explain::explain;
use crate::grid::lengths::LENGTHS;
use crate::variants::{
    Candidate, Reduction, ask, best, candidates, refuse_params, unknown_variant, written_params,
};
use melior::ir::Attribute;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::OperationLike;
use std::collections::BTreeMap;
use tx_dialect_tile::{AllReduce, Reduce};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Failed, Op, codes, context, dictionary_of, enclosing, error, i64_attribute, set_attribute,
    string_attribute, walk,
};
use tx_plan::{Choice, ExchangeChoice, Reason, Variant, VariantChoice};

pass! {
    /// Choose a variant for each `tile.reduce`.
    ///
    /// ## What it does
    /// Evaluates every variant, and records the applicable variant with the highest priority as
    /// `variant`, and its parameters as `params`. If several variants have the highest priority,
    /// the pass selects the variant with the lowest cost. Among variants of equal cost, the pass
    /// selects the variant whose name is alphabetically first. If the op already has a `variant`,
    /// the pass evaluates only this variant, and fails if the variant does not apply. The pass
    /// preserves the existing entries of `params`; the variant computes all other parameters. A
    /// `tile.all_reduce` receives `variant = "redux"` if one `redux.sync` is cheaper than a tree of
    /// shuffles.
    ///
    /// ## Before
    /// ```mlir
    /// tile.reduce sum %A into %B axes [1] scope(cta)
    ///   {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64}}
    ///   : memref<4x8xf32, 3> into memref<4xf32, 3>
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// tile.reduce sum %A into %B axes [1] scope(cta)
    ///   {exec = {active = array<i64: 0, 32>, block = 32 : i64, threads = 32 : i64},
    ///    params = {group = 8 : i64, groups = 4 : i64, stride = 1 : i64, vector = 1 : i64},
    ///    variant = "shared"}
    ///   : memref<4x8xf32, 3> into memref<4xf32, 3>
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects a reduction to which no variant applies; the error lists each variant with
    /// the reasons. The pass rejects an unknown variant name; the error lists the known variants.
    /// The pass rejects a parameter in `params` that is unknown, is not an integer, or is invalid
    /// for the reduction.
    pub struct SelectVariant as "tile-select-variant" creates [] {
        /// report every variant with its cost or reasons as a remark
        explain: bool = "false",
    } counts {
        /// reductions for which a variant was chosen
        selected,
    }
}

impl Pass for SelectVariant {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let mut choices = Vec::new();
        let mut failed = None;
        for op in walk(module) {
            if let Some(view) = AllReduce::of(op) {
                match self.choose_exchange(&view) {
                    Ok(Some(name)) => choices.push((op, name, None)),
                    Ok(None) => {}
                    Err(e) => failed = Some(e),
                }
            }
            let Some(view) = Reduce::of(op) else { continue };
            match self.choose(view) {
                Ok((name, params)) => choices.push((op, name, Some(params))),
                Err(e) => failed = Some(e),
            }
        }
        if let Some(e) = failed {
            return Err(e);
        }
        for (op, name, params) in choices {
            set_attribute(
                op,
                "variant",
                StringAttribute::new(context(op), name).into(),
            );
            if let Some(params) = params {
                let context = context(op);
                let entry =
                    |(name, value): &(String, i64)| (name.clone(), i64_attribute(context, *value));
                let entries: Vec<(String, Attribute<'_>)> = params.iter().map(entry).collect();
                let entries: Vec<(&str, Attribute<'_>)> = entries
                    .iter()
                    .map(|(name, value)| (&**name, *value))
                    .collect();
                set_attribute(op, "params", dictionary_of(context, &entries));
            }
            counts.add("selected", 1);
        }
        Ok(())
    }
}

type Params = Vec<(String, i64)>;
type Chosen = (&'static str, Params);

impl SelectVariant {
    /// Chooses the exchange (shuffles or `redux`) of a `tile.all_reduce`, unless the op has a
    /// `variant`.
    fn choose_exchange(&self, view: &AllReduce<'_>) -> Result<Option<&'static str>, Failed> {
        if string_attribute(view.op, "variant").is_some() {
            return Ok(None);
        }
        let kernel = Kernel::around(view.op)?;
        let groups = Groups::of(&kernel, view);
        let refusal = Combiner::of_all_reduce(view)
            .and_then(|c| redux::check(&kernel.chip(), &c))
            .and_then(|()| groups.check_redux());
        let lanes = groups.lanes().unsigned_abs();
        let (shuffle, redux) = (shuffle_cost(lanes), redux_cost(lanes));
        let name = if refusal.is_ok() && redux < shuffle {
            "redux"
        } else {
            "shuffle"
        };
        if self.explain && (lanes > 1 || !groups.are_single()) {
            let way = |name: &str, cost: Result<u64, String>| Variant {
                name: name.to_owned(),
                priority: None,
                cost: cost.as_ref().ok().copied(),
                reasons: cost
                    .err()
                    .map(|text| Reason {
                        predicate: None,
                        text,
                    })
                    .into_iter()
                    .collect(),
            };
            let around = enclosing(view.op, "gpu.func");
            explain(
                view.op,
                Choice::Exchange(ExchangeChoice {
                    kernel: around.map(|f| string_attribute(f, "sym_name").unwrap_or_default()),
                    lengths: around.and_then(|f| string_attribute(f, LENGTHS)),
                    chosen: (lanes > 1).then(|| name.to_owned()),
                    ways: vec![
                        way("redux", refusal.map(|()| redux)),
                        way("shuffle", Ok(shuffle)),
                    ],
                }),
            );
        }
        Ok((name == "redux").then_some(name))
    }

    fn choose(&self, view: Reduce<'_>) -> Result<Chosen, Failed> {
        let op = view.op;
        let kernel = Kernel::around(op)?;
        let threads = recorded_threads(op, &kernel)?;
        let reduction = Reduction::of(view, kernel, threads, 0)?;
        let mut asked = candidates(&reduction)?;
        let forced = string_attribute(op, "variant");
        if let Some(forced) = &forced {
            asked.retain(|c| c.variant.name() == forced.as_str());
            if asked.is_empty() {
                return Err(error(op.location(), unknown_variant(forced))
                    .code(codes::TX0203)
                    .emit());
            }
        }
        let Some(chosen) = best(&asked) else {
            return Err(refuse(op, forced.as_deref(), &asked));
        };
        if self.explain {
            explain(
                op,
                Choice::Variant(VariantChoice {
                    chosen: chosen.variant.name().to_owned(),
                    variants: asked.iter().map(Candidate::described).collect(),
                }),
            );
        }
        let params: Params = ask(chosen.variant, op, || params(chosen.variant, &reduction))?
            .map_err(|reason| refuse_params(op, &reason))?
            .into_iter()
            .collect();
        Ok((chosen.variant.name(), params))
    }
}

/// Returns the parameters of a variant. If the attribute `params` of the op contains a parameter,
/// the value in `params` replaces the computed value.
fn params(
    variant: &dyn crate::variants::Variant,
    reduction: &Reduction<'_>,
) -> Result<BTreeMap<String, i64>, String> {
    let written = written_params(variant, reduction)?;
    let computed = variant.params(reduction).into_iter();
    let mut params: BTreeMap<String, i64> = computed
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    if !written.is_empty() {
        params.extend(written);
        variant.check_params(reduction, &|name| params.get(name).copied().unwrap_or(0))?;
    }
    Ok(params)
}

/// Reports one error that lists every variant with the reasons why the variant does not apply.
fn refuse(op: Op<'_>, forced: Option<&str>, asked: &[Candidate]) -> Failed {
    let who = forced.map_or_else(
        || "no variant can".to_owned(),
        |f| format!("variant `{f}` cannot"),
    );
    let code = forced.map_or(codes::TX0201, |_| codes::TX0202);
    let report = error(op.location(), format!("{who} lower this reduction")).code(code);
    asked
        .iter()
        .fold(report, |r, c| r.note(c.described().line(false)))
        .emit()
}
