//! Description of a program: its computation, its operands and its variant.

use crate::custom::Custom;
use crate::element::Element::{self, I1};
use crate::inputs::Random;
use crate::operands::{OperandKind, Types};
use crate::reference::{Kind, Nan};
use crate::variants::{self, Answer, Traits};

/// Computation of a program.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// Every named kind with one result.
    Values(Types, Nan),
    /// `argmax` and `argmin`.
    Indices(Types, Nan, Element),
    Custom(Custom),
}

impl Work {
    fn policy(self) -> &'static str {
        match self {
            Self::Values(types, nan) | Self::Indices(types, nan, _) if types.source.is_float() => {
                match nan {
                    Nan::Propagate => "propagate",
                    Nan::Ignore => "ignore",
                }
            }
            _ => "exact",
        }
    }

    fn types(self) -> String {
        match self {
            Self::Values(types, _) => types.name(),
            Self::Indices(types, _, index) => format!("{}-at-{}", types.name(), index.mlir()),
            Self::Custom(custom) => format!("custom::{}", custom.name),
        }
    }

    fn kinds(self) -> Vec<Kind> {
        use Kind::{And, ArgMax, ArgMin, Max, Min, Or, Prod, Sum, UMax, UMin, Xor};
        match self {
            Self::Values(types, nan) => match (types.source, nan) {
                (I1, _) => vec![And, Or, Xor],
                (element, _) if !element.is_float() => {
                    vec![Sum, Prod, Max, Min, UMax, UMin, And, Or, Xor]
                }
                (_, Nan::Propagate) => vec![Sum, Prod, Max, Min],
                // The NaN policy has no effect on sums and products.
                (_, Nan::Ignore) => vec![Max, Min],
            },
            Self::Indices(..) => vec![ArgMax, ArgMin],
            Self::Custom(_) => Vec::new(),
        }
    }
}

/// Program.
#[derive(Clone, Copy)]
pub(crate) struct Spec {
    pub(crate) work: Work,
    pub(crate) place: OperandKind,
    /// Forced variant.
    pub(crate) variant: Option<&'static str>,
    /// Set if the program is only compiled, to test which variants apply to which reduction kinds.
    /// The program contains one op per kind and forced variant.
    pub(crate) verdicts: bool,
}

/// Name of a variant that does not exist.
pub(crate) const UNKNOWN: &str = "no-such-variant";

impl Spec {
    pub(crate) fn name(&self) -> String {
        let place = match &self.place {
            OperandKind::Memory(m) => format!(
                "{}::{}::{}{}{}{}-by-{}",
                m.scope.name(),
                m.storage.name(),
                if m.flat {
                    String::new()
                } else {
                    format!("{}x", m.rows)
                },
                m.length,
                if m.outer { "-outermost" } else { "" },
                if m.dynamic { "-dynamic" } else { "" },
                m.block
            ),
            OperandKind::Fragments(f) => {
                format!("{}::fragment::{}-by-{}", f.scope.name(), f.name, f.block)
            }
            OperandKind::Lanes(l) => format!(
                "{}::all_reduce::{}by-{}",
                l.scope.name(),
                l.groups.map_or(String::new(), |(width, stride)| format!(
                    "width-{width}-stride-{stride}-"
                )),
                l.block
            ),
        };
        format!(
            "conformance::{}::{place}::{}::{}",
            self.work.types(),
            self.work.policy(),
            if self.verdicts {
                "verdicts"
            } else {
                self.variant.unwrap_or("chosen")
            }
        )
    }

    /// Returns the attributes of an op, or an empty text.
    fn attributes(&self, kind: Kind, variant: Option<&str>) -> String {
        let mut attributes = Vec::new();
        let (Work::Values(types, nan) | Work::Indices(types, nan, _)) = self.work else {
            return variant.map_or(String::new(), |v| format!(" {{variant = \"{v}\"}}"));
        };
        if let Some(acc) = types.acc {
            attributes.push(format!("acc = {}", acc.mlir()));
        }
        // The program contains the attribute only if the attribute differs from the default and has
        // an effect.
        if nan == Nan::Ignore && !matches!(kind, Kind::Sum | Kind::Prod) {
            attributes.push("nan = #tile.nan<ignore>".to_owned());
        }
        if let Some(variant) = variant {
            attributes.push(format!("variant = \"{variant}\""));
        }
        if attributes.is_empty() {
            String::new()
        } else {
            format!(" {{{}}}", attributes.join(", "))
        }
    }

    /// Returns the properties of an op of this reduction kind that determine which variants apply.
    pub(crate) fn traits(&self, kind: Option<Kind>) -> Traits {
        let types = match self.work {
            Work::Values(types, _) | Work::Indices(types, ..) => types,
            Work::Custom(custom) => Types::of(custom.elements[0]),
        };
        Traits {
            place: self.place,
            types,
            kind,
        }
    }

    pub(crate) fn all_kinds(&self) -> Vec<Option<Kind>> {
        match self.work {
            Work::Custom(_) => vec![None],
            work => work.kinds().into_iter().map(Some).collect(),
        }
    }

    pub(crate) fn operation(&self, kind: Option<Kind>) -> &'static str {
        kind.map_or("custom", Kind::name)
    }

    /// Returns the combiner region of a custom kind, and the attributes.
    pub(crate) fn tail(&self, kind: Option<Kind>, variant: Option<&str>) -> String {
        let attributes = self.attributes(kind.unwrap_or(Kind::Sum), variant);
        match &self.work {
            Work::Custom(custom) => {
                let acc = custom.elements[0].accumulator().mlir();
                format!(" {}{attributes}", custom.text.replace("ACC", acc))
            }
            _ => attributes,
        }
    }

    /// Returns the values of `accumulate` for which the program contains an op of a reduction kind.
    /// By default, these are both values. If the lowering unrolls large loops, the program contains
    /// only one of the two ops.
    pub(crate) fn accumulations(&self, kind: Option<Kind>) -> &'static [bool] {
        let unrolled =
            matches!(self.place, OperandKind::Fragments(_)) || self.variant == Some("batched");
        let turn = kind.map_or(0, |kind| kind as usize) + usize::from(self.variant.is_some());
        match (self.verdicts, unrolled) {
            (true, _) => &[false],
            (false, false) => &[false, true],
            (false, true) => {
                if (Random::new(&self.seed()).below(2) + turn).is_multiple_of(2) {
                    &[false]
                } else {
                    &[true]
                }
            }
        }
    }

    /// Returns the variants that the ops of a kind force. A verdicts program forces every variant,
    /// and finally an unknown one, whose error lists all variants.
    pub(crate) fn forced(&self) -> Vec<Option<&'static str>> {
        if self.verdicts {
            variants::asked().chain([UNKNOWN]).map(Some).collect()
        } else {
            vec![self.variant.and_then(variants::name)]
        }
    }

    /// Returns the kind and the forced variant of each op, in program order.
    pub(crate) fn questions(&self) -> Vec<(Option<Kind>, &'static str)> {
        let forced = self.forced();
        self.all_kinds()
            .into_iter()
            .flat_map(|kind| forced.iter().flatten().map(move |variant| (kind, *variant)))
            .collect()
    }

    /// Returns the kinds that the forced variant accepts.
    pub(crate) fn accepted(&self) -> Vec<Option<Kind>> {
        self.all_kinds()
            .into_iter()
            .filter(|kind| {
                self.variant.is_none_or(|label| {
                    variants::answer(label, &self.traits(*kind)) == Answer::Accepts
                })
            })
            .collect()
    }

    /// Returns a seed that is equal for all variants, so that their results can be compared.
    pub(crate) fn seed(&self) -> String {
        Spec {
            variant: None,
            verdicts: false,
            ..*self
        }
        .name()
    }

    pub(crate) fn destinations(&self) -> Vec<Element> {
        match &self.work {
            Work::Values(types, _) => vec![types.destination],
            Work::Indices(types, _, index) => vec![types.destination, *index],
            Work::Custom(custom) => custom.elements.to_vec(),
        }
    }

    pub(crate) fn sources(&self) -> Vec<Element> {
        match &self.work {
            Work::Values(types, _) | Work::Indices(types, ..) => vec![types.source],
            Work::Custom(custom) => custom.elements.to_vec(),
        }
    }
}
