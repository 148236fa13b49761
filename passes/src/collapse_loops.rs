use crate::emit::collapse_shape;
use crate::grid::choose::VECTOR;
use crate::grid::grid_op::{GridOp, is_grid_op};
use crate::linalg::generic::{Generic, iterators};
use crate::linalg::read::Loops;
use melior::ir::Type;
use melior::ir::block::BlockLike;
use std::collections::BTreeMap;
use tx_dialect_tile::GROUP;
use tx_mlir::pass::{Counts, Pass, pass};
use tx_mlir::{
    Affine, AffineMap, Builder, Failed, MemRef, Op, Val, attribute, byte_width, erase, is, key,
    parent, walk,
};

pass! {
    /// Collapse adjacent loops of element-wise ops.
    ///
    /// ## What it does
    /// Replaces the operands of element-wise `linalg` ops and `memref.copy` ops of a host function
    /// by views with fewer dimensions (`memref.collapse_shape`). After the collapse,
    /// `tile-schedule` can vectorize one long loop instead of a short loop, and the kernel needs no
    /// division of indices. The pass collapses two adjacent loops if each operand is contiguous and
    /// its indexing map contains either both loops or neither loop.
    ///
    /// If an op broadcasts a row whose static length is not a multiple of the vector width, the
    /// pass collapses all loops into one loop. The kernel computes the index along the row as a
    /// remainder of the linear index, so that vectors can cross the end of a row.
    ///
    /// The input op requires that its operands have equal sizes, whereas the collapsed op does not.
    /// The pass therefore emits a `cf.assert` that compares the dynamic sizes of the operands. The
    /// pass does not change ops with a `schedule` or a `tile.group`, ops that use `linalg.index`,
    /// transposes, or ops whose operands have a strided layout.
    ///
    /// ## Before
    /// ```mlir
    /// func.func @twice(%A: memref<?x4096xf32>, %B: memref<?x4096xf32>) {
    ///   linalg.add ins(%A, %A : memref<?x4096xf32>, memref<?x4096xf32>) outs(%B : memref<?x4096xf32>)
    ///   return
    /// }
    /// ```
    ///
    /// ## After
    /// ```mlir
    /// func.func @twice(%A: memref<?x4096xf32>, %B: memref<?x4096xf32>) {
    ///   ... // sizes agree
    ///   %a = memref.collapse_shape %A [[0, 1]] : memref<?x4096xf32> into memref<?xf32>
    ///   %b = memref.collapse_shape %B [[0, 1]] : memref<?x4096xf32> into memref<?xf32>
    ///   linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
    ///     ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%b : memref<?xf32>) { ... }
    ///   return
    /// }
    /// ```
    ///
    /// ## Fails when
    /// The pass rejects an element-wise op that `tile-schedule` would reject.
    pub struct CollapseLoops as "linalg-collapse-loops" creates [arith, cf, linalg, memref] {
    } counts {
        /// ops with fewer loops than before
        collapsed,
    }
}

impl Pass for CollapseLoops {
    fn run<'c>(&self, module: Op<'c>, counts: &mut Counts<'_>) -> Result<(), Failed> {
        let (mut collapses, mut failed) = (Vec::new(), None);
        for op in walk(module).into_iter().filter(|op| is_grid_op(*op)) {
            if parent(op).is_some_and(|around| is(around, "func.func")) {
                match Collapse::of(op) {
                    Ok(collapse) => collapses.extend(collapse),
                    Err(e) => failed = Some(e),
                }
            }
        }
        if let Some(e) = failed {
            return Err(e);
        }
        for collapse in collapses {
            collapse.apply();
            counts.add("collapsed", 1);
        }
        Ok(())
    }
}

struct Collapse<'c> {
    loops: Loops<'c>,
    grid_op: GridOp<'c>,
    /// Groups of adjacent loops. The pass collapses each group of adjacent loops into one loop.
    groups: Vec<Vec<usize>>,
    /// Trip count of the second loop group, if the pass collapses two groups of loops into a single
    /// loop.
    flat: Option<i64>,
}

impl<'c> Collapse<'c> {
    /// Plans the collapse of the loops of `op`; `None` if no two loops can be collapsed.
    fn of(op: Op<'c>) -> Result<Option<Self>, Failed> {
        let Some((loops, groups)) = groups(op) else {
            return Ok(None);
        };
        let grid_op = GridOp::of(op)?;
        let flat = flat(&loops, &grid_op, &groups);
        let is_collapsed = groups.len() < loops.dims || flat.is_some();
        Ok(is_collapsed.then_some(Self {
            loops,
            grid_op,
            groups,
            flat,
        }))
    }

    fn apply(self) {
        let op = self.loops.op;
        let b = Builder::before(op);
        self.grid_op.assert_sizes(&b);
        // An operand that is read and written has one view. An operand with two maps has one view
        // per map.
        let mut views: BTreeMap<(usize, Vec<usize>), Val<'c>> = BTreeMap::new();
        let (mut values, mut maps) = (Vec::new(), Vec::new());
        for operand in self.loops.all() {
            let dims = operand.map.as_projected_permutation().unwrap_or_default();
            let own: Vec<usize> = (0..self.groups.len())
                .filter(|group| dims.contains(&self.groups[*group][0]))
                .collect();
            let value = match operand.is_memory() && !dims.is_empty() {
                true => {
                    let view = views.entry((key(operand.value), own.clone()));
                    *view.or_insert_with(|| self.view(&b, operand.value, &own))
                }
                false => operand.value,
            };
            values.push(value);
            maps.push(self.map(&own));
        }
        match self.loops.body {
            None => {
                b.create("memref.copy").operands(&values).build();
            }
            Some(body) => {
                let generic = Generic {
                    operands: &values,
                    maps: &maps,
                    inputs: self.loops.inputs.len(),
                    iterators: iterators(&b, self.count(), |_| false),
                    results: &[],
                    body: b.copy_of(body),
                };
                generic.build(&b);
            }
        }
        erase(op);
    }

    fn count(&self) -> usize {
        match self.flat {
            Some(_) => 1,
            None => self.groups.len(),
        }
    }

    fn map(&self, own: &[usize]) -> AffineMap {
        let Some(length) = self.flat else {
            return AffineMap::select(self.count(), own.iter().copied());
        };
        let both = || (Box::new(Affine::Dim(0)), Box::new(Affine::Const(length)));
        let ((of, by), mut results) = (both(), Vec::new());
        match own {
            [] => {}
            [0] => results.push(Affine::FloorDiv(of, by)),
            [1] => results.push(Affine::Mod(of, by)),
            _ => results.push(Affine::Dim(0)),
        }
        AffineMap {
            dims: 1,
            symbols: 0,
            results,
        }
    }

    fn view(&self, b: &Builder<'c>, value: Val<'c>, own: &[usize]) -> Val<'c> {
        let Some(memref) = MemRef::of(value) else {
            return value;
        };
        let mut places = 0..memref.rank();
        let groups = own.iter().map(|group| {
            let places = places.by_ref().take(self.groups[*group].len());
            places.collect::<Vec<usize>>()
        });
        let mut groups: Vec<Vec<usize>> = groups.collect();
        if self.flat.is_some() {
            groups = vec![groups.concat()];
        }
        if groups.iter().all(|group| group.len() == 1) {
            return value;
        }
        collapse_shape(b, value, &memref, &groups)
    }
}

/// Returns the loops of an element-wise op, and groups of adjacent loops that can be collapsed.
fn groups(op: Op<'_>) -> Option<(Loops<'_>, Vec<Vec<usize>>)> {
    let loops = Loops::of(op)?;
    let is_fixed = attribute(op, "schedule").is_some() || attribute(op, GROUP).is_some();
    if is_fixed || loops.dims < 2 || !loops.is_element_wise() {
        return None;
    }
    // A flag for each operand and loop is set if the loop indexes the operand. Each operand must be
    // contiguous and not transposed.
    let uses: Vec<Vec<bool>> = loops
        .all()
        .filter(|operand| operand.is_memory())
        .map(|operand| {
            let dims = operand.map.as_projected_permutation()?;
            let is_ascending = dims.windows(2).all(|two| two[0] < two[1]);
            let fits = is_ascending && MemRef::of(operand.value)?.is_contiguous();
            fits.then(|| (0..loops.dims).map(|d| dims.contains(&d)).collect())
        })
        .collect::<Option<_>>()?;
    if let Some(body) = loops.body {
        let operands = loops.inputs.len() + loops.outputs.len();
        let has_index = walk(op).into_iter().any(|op| is(op, "linalg.index"));
        if has_index || body.argument_count() != operands {
            return None;
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for d in 0..loops.dims {
        match groups.last_mut() {
            Some(group) if uses.iter().all(|uses| uses[d - 1] == uses[d]) => group.push(d),
            _ => groups.push(vec![d]),
        }
    }
    Some((loops, groups))
}

/// Returns the trip count of the second of two loop groups if the pass should collapse both groups
/// into a single loop. A single loop is necessary if no vector width divides the row length,
/// because some vectors then contain elements of two rows.
fn flat(loops: &Loops<'_>, grid_op: &GridOp<'_>, groups: &[Vec<usize>]) -> Option<i64> {
    let [_, row] = groups else { return None };
    let lengths: Vec<i64> = grid_op
        .extents
        .iter()
        .map(|n| n.known())
        .collect::<Option<_>>()?;
    let length: i64 = row.iter().map(|d| lengths[*d]).product();
    let bytes = |ty: Type<'_>| byte_width(ty).and_then(|bytes| i64::try_from(bytes).ok());
    let widths = loops
        .all()
        .filter_map(|operand| bytes(MemRef::of(operand.value)?.element));
    let vector = VECTOR / widths.max()?;
    (vector > 1 && length >= vector && length % vector != 0).then_some(length)
}
