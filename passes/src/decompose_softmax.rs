use crate::grid::partials::allocate;
use crate::linalg::attributes::handed_on;
use crate::linalg::generic::{Generic, iterators};
use melior::ir::r#type::{DimSize, RankedTensorType};
use melior::ir::{ShapedTypeLike, Type, ValueLike};
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    AffineMap, Builder, Failed, Index, MemRef, Op, Val, byte_width, enclosing, erase,
    integer_attribute, is, operands, replace_uses, results, walk,
};

pass! {
    /// Decompose `linalg.softmax` into reductions and an element-wise op.
    ///
    /// ## What it does
    /// Replaces `linalg.softmax` on tensors or memrefs by three ops along the softmax dimension.
    /// The first op computes the maximum, the second op computes the sum of `exp(x - maximum)`, and
    /// the third op divides the exponentials by the sum. If an element type is narrower than 32
    /// bits, the ops compute in f32 and round each result once.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @f(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
    ///   linalg.softmax dimension(1) ins(%A : memref<4x8xf32>) outs(%B : memref<4x8xf32>)
    ///   return
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// func.func @f(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
    ///   %max = memref.alloc() : memref<4xf32>
    ///   ...
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass does not fail. The pass does not change a `linalg.softmax` that has an attribute
    /// for reductions, such as `schedule`; `convert-linalg-to-tile` rejects such a softmax.
    pub struct DecomposeSoftmax as "linalg-decompose-softmax" creates [arith, linalg, math, memref, tensor] {
    } counts {
        /// ops decomposed
        decomposed,
    }
}

impl Pass for DecomposeSoftmax {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        counts.add("decomposed", decompose_all(module));
        Ok(())
    }
}

const SOFTMAX: &str = "linalg.softmax";

/// Returns whether a host function of the module has a `linalg.softmax` that can be decomposed.
pub fn has_softmax(module: &Op<'_>) -> bool {
    walk(*module).into_iter().any(is_softmax)
}

/// Returns whether an op is a `linalg.softmax` that the pass decomposes. The pass does not
/// decompose a softmax with attributes for reductions, because the attributes describe one
/// reduction but the expansion has two reductions.
fn is_softmax(op: Op<'_>) -> bool {
    is(op, SOFTMAX) && enclosing(op, "func.func").is_some() && handed_on(op).is_empty()
}

pub(crate) fn decompose_all(module: Op<'_>) -> i64 {
    let all: Vec<Op<'_>> = walk(module)
        .into_iter()
        .filter(|op| is_softmax(*op))
        .collect();
    all.iter()
        .map(|op| i64::from(decompose(*op).is_some()))
        .sum()
}

/// Element type and sizes of a tensor or memref; a dynamic size is `None`.
struct Shape<'c> {
    element: Type<'c>,
    sizes: Vec<Option<i64>>,
    is_tensor: bool,
}

impl<'c> Shape<'c> {
    fn of(value: Val<'c>) -> Option<Self> {
        if let Some(memref) = MemRef::of(value) {
            return Some(Self {
                element: memref.element,
                sizes: memref
                    .shape
                    .iter()
                    .map(|size| (*size)?.try_into().ok())
                    .collect(),
                is_tensor: false,
            });
        }
        let tensor = RankedTensorType::try_from(value.r#type()).ok()?;
        let size = |d: usize| match tensor.dim_size(d) {
            Ok(DimSize::Static(n)) => i64::try_from(n).ok(),
            _ => None,
        };
        Some(Self {
            element: tensor.element(),
            sizes: (0..tensor.rank()).map(size).collect(),
            is_tensor: true,
        })
    }
}

fn decompose(op: Op<'_>) -> Option<()> {
    let [input, output] = operands(op)[..] else {
        return None;
    };
    let shape = Shape::of(input)?;
    let along = usize::try_from(integer_attribute(op, "dimension")?).ok()?;
    let b = &Builder::before(op);
    let rank = shape.sizes.len();
    let kept: Vec<usize> = (0..rank).filter(|d| *d != along).collect();
    let is_narrow = byte_width(shape.element)? < 4;
    let wide = if is_narrow {
        b.float_type("f32")
    } else {
        shape.element
    };
    let softmax = Softmax {
        b,
        shape: &shape,
        input,
        along,
        kept,
        wide,
    };
    let max = softmax.reduced(f64::NEG_INFINITY, &[input], "arith.maximumf", |_, given| {
        given[0]
    });
    let sum = softmax.reduced(0.0, &[input, max], "arith.addf", |b, given| {
        exponential(b, given[0], given[1])
    });
    let body = b.region_of(
        &[shape.element, wide, wide, shape.element],
        "linalg.yield",
        |b, given| {
            let power = exponential(b, softmax.widened(b, given[0]), given[1]);
            let share = b.binary("arith.divf", power, given[2]);
            vec![softmax.narrowed(b, share)]
        },
    );
    let types: Vec<Type<'_>> = results(op).iter().map(|result| result.r#type()).collect();
    let row = || AffineMap::select(rank, softmax.kept.iter().copied());
    let whole = || AffineMap::identity(rank);
    let divided = Generic {
        operands: &[input, max, sum, output],
        maps: &[whole(), row(), row(), whole()],
        inputs: 3,
        iterators: iterators(b, rank, |_| false),
        results: &types,
        body,
    }
    .build(b);
    for (old, new) in results(op).into_iter().zip(results(divided)) {
        replace_uses(old, new);
    }
    if !shape.is_tensor {
        for temporary in [sum, max] {
            b.create("memref.dealloc").operands(&[temporary]).build();
        }
    }
    erase(op);
    Some(())
}

fn exponential<'c>(b: &Builder<'c>, number: Val<'c>, base: Val<'c>) -> Val<'c> {
    let difference = b.binary("arith.subf", number, base);
    b.create("math.exp")
        .operands(&[difference])
        .result(difference.r#type())
        .value()
}

struct Softmax<'a, 'c> {
    b: &'a Builder<'c>,
    shape: &'a Shape<'c>,
    input: Val<'c>,
    along: usize,
    /// All dimensions but `along`.
    kept: Vec<usize>,
    /// Type of the computation: f32, or the element type if the element type is wider.
    wide: Type<'c>,
}

impl<'c> Softmax<'_, 'c> {
    fn widened(&self, b: &Builder<'c>, value: Val<'c>) -> Val<'c> {
        match value.r#type() == self.wide {
            true => value,
            false => b
                .create("arith.extf")
                .operands(&[value])
                .result(self.wide)
                .value(),
        }
    }

    fn narrowed(&self, b: &Builder<'c>, value: Val<'c>) -> Val<'c> {
        let element = self.shape.element;
        match element == self.wide {
            true => value,
            false => b
                .create("arith.truncf")
                .operands(&[value])
                .result(element)
                .value(),
        }
    }

    /// Emits a reduction along the softmax dimension. The closure `of` computes one term from one
    /// element of each array in `inputs`. The op `combine` combines all terms with the initial
    /// value `start`.
    fn reduced(
        &self,
        start: f64,
        inputs: &[Val<'c>],
        combine: &str,
        of: impl Fn(&Builder<'c>, &[Val<'c>]) -> Val<'c>,
    ) -> Val<'c> {
        let (b, rank) = (self.b, self.shape.sizes.len());
        let start = b.float(start, self.wide);
        let to = self.filled(start);
        let mut types = vec![self.shape.element];
        types.extend(std::iter::repeat_n(self.wide, inputs.len()));
        let body = b.region_of(&types, "linalg.yield", |b, given| {
            let (old, given) = given
                .split_last()
                .map_or((start, given), |(old, all)| (*old, all));
            let given: Vec<Val<'c>> = given.iter().map(|value| self.widened(b, *value)).collect();
            vec![b.binary(combine, of(b, &given), old)]
        });
        let row = || AffineMap::select(rank, self.kept.iter().copied());
        let maps = std::iter::once(AffineMap::identity(rank));
        let maps: Vec<AffineMap> = maps.chain(inputs.iter().map(|_| row())).collect();
        let tensor = self.shape.is_tensor.then(|| to.r#type());
        let all = Generic {
            operands: &[inputs, &[to]].concat(),
            maps: &maps,
            inputs: inputs.len(),
            iterators: iterators(b, rank, |d| d == self.along),
            results: tensor.as_slice(),
            body,
        }
        .build(b);
        results(all).first().copied().unwrap_or(to)
    }

    fn filled(&self, start: Val<'c>) -> Val<'c> {
        let b = self.b;
        let size = |d: &usize| match self.shape.sizes[*d] {
            Some(n) => Index::Const(n),
            None => Index::Val(self.size(*d)),
        };
        let sizes: Vec<Index<'c>> = self.kept.iter().map(size).collect();
        let (array, tensor) = match self.shape.is_tensor {
            true => {
                let shape: Vec<u64> = sizes
                    .iter()
                    .map(|size| {
                        size.known()
                            .map_or(i64::MIN.cast_unsigned(), i64::cast_unsigned)
                    })
                    .collect();
                let unknown = sizes.iter().filter(|size| size.known().is_none());
                let unknown: Vec<Val<'c>> = unknown.map(|size| b.value(*size)).collect();
                let ty: Type<'c> = RankedTensorType::new(&shape, self.wide, None).into();
                let empty = b
                    .create("tensor.empty")
                    .operands(&unknown)
                    .result(ty)
                    .value();
                (empty, Some(ty))
            }
            false => (allocate(b, &sizes, self.wide), None),
        };
        let body = b.region_of(&[self.wide; 2], "linalg.yield", |_, given| vec![given[0]]);
        let fill = b
            .create("linalg.fill")
            .operands(&[start, array])
            .segments(&[1, 1])
            .results(tensor.as_slice())
            .region(body)
            .build();
        results(fill).first().copied().unwrap_or(array)
    }

    fn size(&self, dim: usize) -> Val<'c> {
        let b = self.b;
        match self.shape.is_tensor {
            false => b.dim(self.input, dim),
            true => {
                let place = b.value(Index::Const(i64::try_from(dim).unwrap_or(0)));
                b.create("tensor.dim")
                    .operands(&[self.input, place])
                    .result(b.index_type())
                    .value()
            }
        }
    }
}
