//! Execution of the combiner of a reduction op on given partial results, without the reduction op
//! itself.

use crate::build::{Build, Program};
use crate::code::{Code, OpClosure};
use crate::machine::{Exec, World};
use crate::ops;
use crate::ops::convert::{Convert, converted};
use crate::ops::reduce::{Combine, Parts, constants_outside, slot_numbers};
use crate::ops::scalar::{bound_of, float_of};
use crate::options::Options;
use crate::site::SiteTable;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{Lanes, Value};
use std::rc::Rc;
use tx_dialect_tile::{AllReduce, Kind, Nan, Reduce};
use tx_exec::StepLimit;
use tx_mlir::melior::ir::Type;
use tx_mlir::{Blk, Op, Val, first_block};
use tx_scalar::Bound;
use tx_scalar::number::Scalar;

/// The combiner of a `tile.reduce` or `tile.all_reduce`, with the semantics of [`run`](crate::run).
pub struct Combiner<'c> {
    sites: Rc<SiteTable>,
    combine: Combine<'c>,
    kind: Kind,
    nan: Nan,
    types: String,
    /// Constants that are defined outside of the reduction op and used in its regions.
    outside: Vec<OpClosure<'c>>,
    element: Option<Element<'c>>,
    slots: usize,
}

/// Region `element` of a `tile.reduce`, which computes a partial result from elements and indices.
pub(crate) struct Element<'c> {
    code: Code<'c>,
    /// For each yielded value of the region, the conversion to the component type of a partial
    /// result.
    inward: Vec<Convert>,
    pub(crate) sources: Vec<Scalar>,
}

/// A list of partial results.
#[derive(Clone, Debug)]
pub struct Combined {
    /// Bits of the partial results. `parts` has one list per component of a partial result; each
    /// list has one entry per partial result.
    pub parts: Vec<Vec<u64>>,
    /// For each partial result, whether it is defined. For example, an integer division by 0 makes
    /// a partial result undefined.
    pub defined: Vec<bool>,
    /// Error bounds of the partial results. `bounds` has one entry per component of a partial
    /// result: a list of error bounds, or `None` if the component is exact in all partial results.
    pub bounds: Vec<Option<Vec<Bound>>>,
}

impl Combined {
    /// Creates exact partial results. For each component, `parts` contains a list with the bits of
    /// each partial result.
    pub fn given(parts: Vec<Vec<u64>>) -> Self {
        Self {
            defined: vec![true; parts.first().map_or(0, Vec::len)],
            bounds: vec![None; parts.len()],
            parts,
        }
    }

    /// Returns the number of partial results.
    pub fn len(&self) -> usize {
        self.defined.len()
    }

    /// Returns whether the list contains no partial results.
    pub fn is_empty(&self) -> bool {
        self.defined.is_empty()
    }

    /// Returns the bits of each component of partial result `i`.
    pub fn get(&self, i: usize) -> Vec<u64> {
        self.parts.iter().map(|part| part[i]).collect()
    }

    /// Returns a new list with the partial results at the given indices.
    #[must_use]
    pub fn select(&self, numbers: impl Iterator<Item = usize> + Clone) -> Self {
        let pick = |list: &Vec<u64>| numbers.clone().map(|i| list[i]).collect();
        Self {
            parts: self.parts.iter().map(pick).collect(),
            defined: numbers.clone().map(|i| self.defined[i]).collect(),
            bounds: self
                .bounds
                .iter()
                .map(|b| {
                    let pick = |i: usize| b.as_ref().map(|b| b[i]);
                    numbers.clone().map(pick).collect()
                })
                .collect(),
        }
    }

    /// Returns the error bound of one component of partial result `i`.
    pub(crate) fn bound(&self, part: usize, i: usize, scalar: Scalar) -> Bound {
        let known = self.bounds[part].as_ref().map(|bounds| bounds[i]);
        known.unwrap_or_else(|| Bound::exact(float_of(scalar, self.parts[part][i])))
    }

    fn lanes(&self, from: usize, to: usize) -> Parts {
        self.parts
            .iter()
            .zip(&self.bounds)
            .map(|(bits, bounds)| Lanes {
                width: 1,
                uniform: false,
                bits: bits[from..to].to_vec(),
                bounds: bounds.as_ref().map(|bounds| bounds[from..to].to_vec()),
            })
            .collect()
    }

    fn none(parts: usize, len: usize) -> Self {
        Self {
            parts: vec![vec![0; len]; parts],
            defined: vec![false; len],
            bounds: vec![None; parts],
        }
    }

    /// Overwrites consecutive partial results, starting with the partial result at index `at`.
    fn put(&mut self, at: usize, parts: &Parts, scalars: &[Scalar]) {
        let all = self.len();
        for ((i, lanes), scalar) in parts.iter().enumerate().zip(scalars) {
            let len = lanes.bits.len();
            self.parts[i][at..at + len].copy_from_slice(&lanes.bits);
            if lanes.bounds.is_some() {
                let bounds = self.bounds[i].get_or_insert_with(|| vec![Bound::exact(0.0); all]);
                for (lane, bound) in bounds[at..at + len].iter_mut().enumerate() {
                    *bound = bound_of(lanes, *scalar, lane, 0);
                }
            } else if let Some(bounds) = &mut self.bounds[i] {
                for (lane, bound) in bounds[at..at + len].iter_mut().enumerate() {
                    let value = float_of(*scalar, lanes.bits[lane]);
                    *bound = Bound::exact(value);
                }
            }
        }
        let len = parts.first().map_or(0, |lanes| lanes.bits.len());
        self.defined[at..at + len].fill(true);
    }
}

/// Maximum number of partial results that the combiner combines at once.
const CHUNK: usize = 4096;

impl<'c> Combiner<'c> {
    /// Returns the combiner of an op, or `None` if the op is neither `tile.reduce` nor
    /// `tile.all_reduce`.
    ///
    /// # Errors
    /// Returns [`Trouble::Unsupported`] if the combiner contains an unsupported op or type, or uses
    /// a non-constant SSA value from outside of the reduction op.
    pub fn of(op: Op<'c>) -> Option<Result<Self, Trouble>> {
        if let Some(view) = Reduce::of(op) {
            let element = view
                .element()
                .map(|block| (block, view.sources.clone(), view.elements()));
            return Some(Self::new(
                op,
                view.kind,
                view.nan,
                view.accumulators(),
                element,
            ));
        }
        let view = AllReduce::of(op)?;
        Some(Self::new(
            op,
            view.kind,
            view.nan,
            view.accumulators(),
            None,
        ))
    }

    fn new(
        op: Op<'c>,
        kind: Kind,
        nan: Nan,
        types: Option<Vec<Type<'c>>>,
        element: Option<(Blk<'c>, Vec<Val<'c>>, Option<Vec<Type<'c>>>)>,
    ) -> Result<Self, Trouble> {
        let types = types.unwrap_or_default();
        let parts: Vec<Scalar> = types
            .iter()
            .map(|ty| Scalar::of(*ty))
            .collect::<Option<_>>()
            .filter(|parts: &Vec<_>| !parts.is_empty())
            .ok_or_else(|| Trouble::unsupported(op, "with partial results of other types"))?;
        let program = Program::new(op, ops::compile);
        let mut build = Build::new(&program);
        let mut outside = Vec::new();
        // The function does not compile an `element` region that uses non-constant values from
        // outside of the op.
        let element =
            element.filter(|(block, ..)| constants_outside(op, std::iter::once(*block)).is_ok());
        let regions = first_block(op, 0)
            .into_iter()
            .chain(element.iter().map(|(block, ..)| *block));
        for constant in constants_outside(op, regions)? {
            outside.push(build.step(constant)?);
        }
        let combine = Combine::new(op, kind, nan, parts, &mut build)?;
        let element = match element {
            None => None,
            Some((block, sources, yields)) => {
                let sources = sources
                    .iter()
                    .map(|source| {
                        let ty = tx_mlir::melior::ir::ValueLike::r#type(source);
                        tx_dialect_tile::element_type(ty).and_then(Scalar::of)
                    })
                    .collect::<Option<_>>()
                    .ok_or_else(|| Trouble::unsupported(op, "of elements of other types"))?;
                let inward = yields
                    .unwrap_or_default()
                    .into_iter()
                    .zip(&combine.parts)
                    .map(|(from, to)| Some(Convert::new(Scalar::of(from)?, *to, false)))
                    .collect::<Option<Vec<_>>>()
                    .filter(|inward| inward.len() == combine.parts.len())
                    .ok_or_else(|| Trouble::unsupported(op, "of elements of other types"))?;
                Some(Element {
                    inward,
                    code: build.block(block)?,
                    sources,
                })
            }
        };
        let slots = build.places();
        let types: Vec<String> = types.iter().map(ToString::to_string).collect();
        Ok(Self {
            combine,
            kind,
            nan,
            types: types.join(", "),
            outside,
            element,
            slots,
            sites: program.sites.clone(),
        })
    }

    /// Returns the kind of the reduction, such as `sum`.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns how the reduction treats NaN.
    pub fn nan(&self) -> Nan {
        self.nan
    }

    /// Returns the types of the components of a partial result.
    pub fn parts(&self) -> &[Scalar] {
        &self.combine.parts
    }

    /// Returns the identity of the combiner: the bits of each component.
    pub fn identity(&self) -> Vec<u64> {
        self.combine.identity()
    }

    /// Formats the reduction kind and the types of the components of a partial result.
    pub(crate) fn title(&self) -> String {
        let floats = self.parts().iter().any(|scalar| scalar.float().is_some());
        let nan = match self.nan {
            Nan::Ignore if floats && self.kind != Kind::Custom => " (nan = ignore)",
            _ => "",
        };
        match self.parts().len() {
            1 => format!("{} {}{nan}", self.kind, self.types),
            _ => format!("{} ({}){nan}", self.kind, self.types),
        }
    }

    pub(crate) fn element(&self) -> Option<&Element<'c>> {
        self.element.as_ref()
    }

    /// Combines element `i` of `left` with element `i` of `right`, for each index `i`.
    ///
    /// # Errors
    /// Returns [`Trouble`] if the combiner has a side effect or an unsupported op.
    pub fn combine(&self, left: &Combined, right: &Combined) -> Result<Combined, Trouble> {
        let mut out = self.each(left.len(), |exec, from, to| {
            let (left, right) = (left.lanes(from, to), right.lanes(from, to));
            self.combine.combine(exec, &left, &right)
        })?;
        for (i, defined) in out.defined.iter_mut().enumerate() {
            *defined &= left.defined[i] && right.defined[i];
        }
        Ok(out)
    }

    /// Computes partial results with the `element` region. For element `i`, each index argument of
    /// the region has the value `i`.
    pub(crate) fn elements(
        &self,
        element: &Element<'c>,
        sources: &Combined,
    ) -> Result<Combined, Trouble> {
        self.each(sources.len(), |exec, from, to| {
            let mut values = sources.lanes(from, to);
            let mut index = Lanes::new(1, to - from);
            for (lane, bits) in index.bits.iter_mut().enumerate() {
                *bits = (from + lane) as u64;
            }
            values.resize(element.code.arguments.len(), index);
            for (slot, value) in element.code.arguments.iter().zip(values) {
                exec.slots[*slot] = Value::Numbers(value);
            }
            element.code.run(exec)?;
            let made = slot_numbers(exec, &element.code.yields);
            let both = made.iter().zip(&element.inward);
            Ok(both
                .map(|(values, convert)| converted(values, convert, to - from))
                .collect())
        })
    }

    /// Computes partial results in chunks. If a result of a chunk is undefined, the function
    /// bisects the chunk until it has isolated the undefined result.
    fn each(
        &self,
        len: usize,
        mut f: impl FnMut(&mut Exec<'_>, usize, usize) -> Result<Parts, Trouble>,
    ) -> Result<Combined, Trouble> {
        let mut out = Combined::none(self.parts().len(), len);
        let options = Options {
            bounds: true,
            steps: StepLimit::new(u64::MAX),
            ..Options::default()
        };
        let mut world = World::new(self.sites.clone(), &options);
        let mut pieces: Vec<(usize, usize)> = (0..len)
            .step_by(CHUNK)
            .map(|from| (from, len.min(from + CHUNK)))
            .collect();
        while let Some((from, to)) = pieces.pop() {
            let mut exec = Exec {
                world: &mut world,
                slots: vec![Value::Nothing; self.slots],
                lanes: to - from,
                active: (0..(to - from) as u32).collect(),
                cluster: None,
                threads: false,
                unordered: false,
            };
            for step in &self.outside {
                step(&mut exec)?;
            }
            match f(&mut exec, from, to) {
                Ok(parts) => out.put(from, &parts, self.parts()),
                Err(Trouble::Fault {
                    kind: FaultKind::NoResult | FaultKind::Undefined,
                    ..
                }) => {
                    let middle = from + (to - from) / 2;
                    if middle > from {
                        pieces.extend([(from, middle), (middle, to)]);
                    }
                }
                Err(trouble) => return Err(trouble),
            }
        }
        Ok(out)
    }
}
