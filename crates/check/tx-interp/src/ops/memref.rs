//! Ops of `memref`: allocation, and views of memory.

use super::access;
use crate::build::Build;
use crate::code::OpClosure;
use crate::machine::Exec;
use crate::ops::allocation::{private_or_common, shared};
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{Slot, Value, View, count};
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_dialect_tile::CLEARED;
use tx_exec::happens_before::AccessKind;
use tx_mlir::melior::ir::ValueLike;
use tx_mlir::memref::{Space, mixed, reassociation};
use tx_mlir::{Index, MemRef, Op, Val, attribute, name, operand_groups, operands, results};
use tx_scalar::number::Scalar;

/// Size, offset or stride of a memref view. A static size, offset or stride is a constant, and a
/// dynamic size, offset or stride is read from a slot.
#[derive(Clone, Copy)]
pub(crate) enum SizeOrOffset {
    Const(i64),
    Slot(Slot),
}

impl SizeOrOffset {
    pub(crate) fn of<'c>(index: Index<'c>, build: &mut Build<'_, 'c>) -> Self {
        match index {
            Index::Const(n) => Self::Const(n),
            Index::Val(v) => Self::Slot(build.slot(v)),
        }
    }

    pub(crate) fn get(self, exec: &Exec<'_>, lane: u32) -> i64 {
        match self {
            Self::Const(n) => n,
            Self::Slot(slot) => exec.int(slot, lane),
        }
    }
}

pub(crate) fn memref<'c>(op: Op<'c>, value: Val<'c>) -> Result<(MemRef<'c>, Scalar), Trouble> {
    let ty = MemRef::of(value);
    ty.and_then(|ty| {
        let scalar = Scalar::of(ty.element)?;
        Some((ty, scalar))
    })
    .ok_or_else(|| Trouble::unsupported(op, format!("on values of type {}", value.r#type())))
}

pub(crate) fn build<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<Option<OpClosure<'c>>, Trouble> {
    let slots = build.operands(op);
    let to = build.results(op);
    Ok(Some(match name(op) {
        "memref.load" | "memref.store" => return access::build(op, build),
        "memref.atomic_rmw" => access::atomic(op, build)?,
        "memref.alloc" | "memref.alloca" => allocate(op, slots, to[0])?,
        "memref.dealloc" => {
            let site = Site::of(op);
            Box::new(move |exec| {
                let lane = exec.active.first().copied().unwrap_or(0);
                let view = exec.view(slots[0], lane);
                exec.world.memory.check_cleared(view.buffer, &site)
            })
        }
        "memref.assume_alignment" if to.is_empty() => Box::new(|_| Ok(())),
        "memref.assume_alignment" | "memref.memory_space_cast" => Box::new(move |exec| {
            exec.slots[to[0]] = exec.slots[slots[0]].clone();
            Ok(())
        }),
        "memref.get_global" => global(op, to[0], build)?,
        "memref.dim" => Box::new(move |exec| {
            exec.compute(&slots, to[0], 1, |exec, lane, _| {
                let view = exec.view(slots[0], lane);
                let dim = usize::try_from(exec.int(slots[1], lane)).unwrap_or(usize::MAX);
                let size = view.sizes.get(dim).copied().unwrap_or(0);
                Ok((size.cast_unsigned(), None))
            })
        }),
        "memref.extract_aligned_pointer_as_index" => Box::new(move |exec| {
            exec.compute(&slots, to[0], 1, |exec, lane, _| {
                Ok((exec.view(slots[0], lane).address().cast_unsigned(), None))
            })
        }),
        "memref.cast" => {
            let (ty, _) = memref(op, results(op)[0])?;
            let site = Site::of(op);
            let (shape, strides) = (ty.shape, ty.strides);
            Box::new(move |exec| {
                exec.compute_views(&slots, to[0], |exec, lane| {
                    let view = exec.view(slots[0], lane);
                    let fits = |(size, known): (&i64, &Option<u64>)| known.is_none_or(|n| n as i64 == *size);
                    let same = view.sizes.iter().zip(&shape).all(fits)
                        // The stride of a dimension with at most one element does not matter.
                        && view.strides.iter().zip(&strides).zip(&view.sizes).all(
                            |((stride, known), size)| *size <= 1 || known.is_none_or(|n| n == *stride));
                    if same {
                        return Ok((*view).clone());
                    }
                    let message = format!("cannot cast sizes {:?} and strides {:?} to {shape:?} \
                                           and {strides:?}", view.sizes, view.strides);
                    Err(Trouble::fault(FaultKind::OutOfBounds, &site, message))
                })
            })
        }
        "memref.subview" => subview(op, build)?,
        "memref.reinterpret_cast" => {
            let groups = operand_groups(op).unwrap_or_default();
            let list = |name: &str, group: usize, build: &mut Build<'_, 'c>| -> Vec<SizeOrOffset> {
                let dynamic = groups.get(group).cloned().unwrap_or_default();
                mixed(op, name, &dynamic)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|n| SizeOrOffset::of(n, build))
                    .collect()
            };
            let offsets = list("static_offsets", 1, build);
            let sizes = list("static_sizes", 2, build);
            let strides = list("static_strides", 3, build);
            Box::new(move |exec| {
                exec.compute_views(&slots, to[0], |exec, lane| {
                    let view = exec.view(slots[0], lane);
                    let get = |n: &SizeOrOffset| n.get(exec, lane);
                    Ok(View {
                        offset: offsets.first().map_or(0, get),
                        sizes: sizes.iter().map(get).collect(),
                        strides: strides.iter().map(get).collect(),
                        ..(*view).clone()
                    })
                })
            })
        }
        "memref.transpose" => {
            let permutation = attribute(op, "permutation")
                .and_then(tx_mlir::AffineMap::of)
                .and_then(|map| map.as_projected_permutation())
                .ok_or_else(|| Trouble::unsupported(op, "without a permutation"))?;
            Box::new(move |exec| {
                exec.compute_views(&slots, to[0], |exec, lane| {
                    let view = exec.view(slots[0], lane);
                    Ok(View {
                        sizes: permutation.iter().map(|d| view.sizes[*d]).collect(),
                        strides: permutation.iter().map(|d| view.strides[*d]).collect(),
                        ..(*view).clone()
                    })
                })
            })
        }
        "memref.collapse_shape" => {
            let groups = reassociation(op).unwrap_or_default();
            Box::new(move |exec| {
                exec.compute_views(&slots, to[0], |exec, lane| {
                    let view = exec.view(slots[0], lane);
                    let sizes = groups
                        .iter()
                        .map(|g| count(g.iter().map(|d| &view.sizes[*d])));
                    // The stride of a collapsed group is that of its last dimension with more than
                    // one element.
                    let strides = groups.iter().map(|g| {
                        let long = g.iter().rev().find(|d| view.sizes[**d] != 1);
                        long.or(g.last()).map_or(1, |d| view.strides[*d])
                    });
                    Ok(View {
                        sizes: sizes.collect(),
                        strides: strides.collect(),
                        ..(*view).clone()
                    })
                })
            })
        }
        "memref.expand_shape" => expand(op, build)?,
        "memref.view" => {
            let shape = memref(op, results(op)[0])?.0.shape;
            Box::new(move |exec| {
                exec.compute_views(&slots, to[0], |exec, lane| {
                    let view = exec.view(slots[0], lane);
                    let mut dynamic = slots[2..].iter();
                    let sizes = shape
                        .iter()
                        .map(|size| match size {
                            Some(n) => *n as i64,
                            None => dynamic.next().map_or(0, |slot| exec.int(*slot, lane)),
                        })
                        .collect();
                    Ok(View {
                        base: view.base + view.offset + exec.int(slots[1], lane),
                        ..View::row_major(view.buffer, view.own, sizes)
                    })
                })
            })
        }
        "memref.extract_strided_metadata" => {
            let rank = memref(op, operands(op)[0])?.0.rank();
            Box::new(move |exec| {
                let source = slots[0];
                exec.compute_views(&[source], to[0], |exec, lane| {
                    let view = exec.view(source, lane);
                    Ok(View {
                        offset: 0,
                        sizes: Vec::new(),
                        strides: Vec::new(),
                        ..(*view).clone()
                    })
                })?;
                for (i, to) in to[1..].iter().enumerate() {
                    exec.compute(&[source], *to, 1, |exec, lane, _| {
                        let view = exec.view(source, lane);
                        let number = match i {
                            0 => view.offset,
                            i if i <= rank => view.sizes[i - 1],
                            i => view.strides[i - 1 - rank],
                        };
                        Ok((number.cast_unsigned(), None))
                    })?;
                }
                Ok(())
            })
        }
        "memref.copy" => {
            let site = build.program.site(op);
            let (_, scalar) = memref(op, operands(op)[0])?;
            Box::new(move |exec| {
                for &lane in exec.active.clone().iter() {
                    let (from, into) = (exec.view(slots[0], lane), exec.view(slots[1], lane));
                    copy(exec, &from, &into, scalar, lane, &site)?;
                }
                Ok(())
            })
        }
        _ => return Ok(None),
    }))
}

/// Copies all elements. The function `copy` reads all source elements before it writes the first
/// destination element.
pub(crate) fn copy(
    exec: &mut Exec<'_>,
    from: &View,
    into: &View,
    scalar: Scalar,
    lane: u32,
    site: &(u32, Site),
) -> Result<(), Trouble> {
    if from.sizes != into.sizes {
        let message = format!("cannot copy sizes {:?} to {:?}", from.sizes, into.sizes);
        return Err(Trouble::fault(FaultKind::OutOfBounds, &site.1, message));
    }
    let all = points(&from.sizes);
    let mut values = Vec::with_capacity(all.len());
    for point in &all {
        values.push(exec.read(from, from.place(point.iter().copied()), scalar, lane, site)?);
    }
    for (point, value) in all.iter().zip(values) {
        exec.write(
            into,
            into.place(point.iter().copied()),
            scalar,
            value,
            AccessKind::Write,
            lane,
            site,
        )?;
    }
    Ok(())
}

/// Returns every index tuple of an array, in row-major order.
pub(crate) fn points(sizes: &[i64]) -> Vec<Vec<i64>> {
    let count = count(sizes);
    (0..count.max(0))
        .map(|flat| unflatten(flat, sizes))
        .collect()
}

/// Returns the index tuple of the element at a linear position in row-major order.
pub(crate) fn unflatten(mut flat: i64, sizes: &[i64]) -> Vec<i64> {
    let mut point = vec![0; sizes.len()];
    for (i, size) in point.iter_mut().zip(sizes).rev() {
        *i = flat % size;
        flat /= size;
    }
    point
}

fn allocate<'c>(op: Op<'c>, slots: Vec<Slot>, to: Slot) -> Result<OpClosure<'c>, Trouble> {
    let (ty, scalar) = memref(op, results(op)[0])?;
    let site = Site::of(op);
    let (shape, space) = (ty.shape, ty.space);
    let stack = name(op) == "memref.alloca";
    let cleared = attribute(op, CLEARED).is_some();
    Ok(Box::new(move |exec| {
        let first = exec.active.first().copied().unwrap_or(0);
        let mut dynamic = slots.iter();
        let sizes: Vec<i64> = shape
            .iter()
            .map(|size| match size {
                Some(n) => *n as i64,
                None => dynamic.next().map_or(0, |slot| exec.int(*slot, first)),
            })
            .collect();
        if let Some(size) = sizes.iter().find(|size| **size < 0) {
            let message = format!("a size of {size}");
            return Err(Trouble::fault(FaultKind::OutOfBounds, &site, message));
        }
        let label = format!("the memory allocated at {}", site.location);
        let private = stack && exec.threads && space != Space::Shared;
        let view = private_or_common(exec, label, space, private, sizes, scalar, &site)?;
        if cleared {
            exec.world.memory.clear(view[0].buffer);
        }
        exec.slots[to] = Value::Views(view);
        Ok(())
    }))
}

fn global<'c>(op: Op<'c>, to: Slot, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    let (ty, scalar) = memref(op, results(op)[0])?;
    let symbol = attribute(op, "name")
        .and_then(tx_mlir::symbol_path)
        .and_then(|path| path.last().cloned())
        .ok_or_else(|| Trouble::unsupported(op, "without a name"))?;
    let sizes: Option<Vec<i64>> = ty.shape.iter().map(|n| n.map(|n| n as i64)).collect();
    let sizes = sizes.ok_or_else(|| Trouble::unsupported(op, "of unknown size"))?;
    if ty.space != Space::Shared {
        // Variables outside shared memory are allocated before the run.
        let path = vec![symbol];
        let variable = build
            .program
            .lookup_symbol(op, &path)
            .ok_or_else(|| Trouble::unsupported(op, "the variable is not in the module"))?;
        let variable = variable.to_raw().ptr as usize;
        return Ok(Box::new(move |exec| {
            if let Some(view) = exec.world.variables.get(&variable) {
                exec.slots[to] = Value::Views(vec![view.clone()]);
            }
            Ok(())
        }));
    }
    let site = Site::of(op);
    Ok(Box::new(move |exec| {
        let label = || format!("shared variable @{symbol}");
        exec.slots[to] = Value::Views(variable(exec, &symbol, label, &sizes, scalar, &site)?);
        Ok(())
    }))
}

/// Compiles `gpu.dynamic_shared_memory`: each lane receives a view of the dynamic shared memory of
/// its block.
pub(crate) fn dynamic_shared<'c>(op: Op<'c>, to: Slot) -> OpClosure<'c> {
    let site = Site::of(op);
    Box::new(move |exec| {
        let bytes = exec
            .cluster
            .as_ref()
            .map_or(0, |cluster| cluster.dynamic_shared);
        let label = || "dynamic shared memory".to_owned();
        exec.slots[to] = Value::Views(variable(exec, "", label, &[bytes], Scalar::Int(8), &site)?);
        Ok(())
    })
}

/// Returns the memref views of a shared memory variable, and allocates the variable on first use.
fn variable(
    exec: &mut Exec<'_>,
    name: &str,
    label: impl Fn() -> String,
    sizes: &[i64],
    scalar: Scalar,
    site: &Site,
) -> Result<Vec<Rc<View>>, Trouble> {
    let known = exec
        .cluster
        .as_ref()
        .and_then(|cluster| cluster.variables.get(name));
    if let Some(views) = known {
        return Ok(views.clone());
    }
    let views = shared(exec, label(), sizes, scalar, site)?;
    if let Some(cluster) = &mut exec.cluster {
        cluster.variables.insert(name.to_owned(), views.clone());
    }
    Ok(views)
}

/// Allocates and initialises the module-level variables that are not in shared memory.
pub(crate) fn variables(
    module: Op<'_>,
    memory: &mut crate::memory::Memory,
) -> Result<BTreeMap<usize, Rc<View>>, Trouble> {
    let mut all = BTreeMap::new();
    for op in tx_mlir::walk(module)
        .into_iter()
        .filter(|op| tx_mlir::is(*op, "memref.global"))
    {
        let Some(ty) = attribute(op, "type")
            .and_then(tx_mlir::type_value)
            .and_then(MemRef::from_type)
        else {
            continue;
        };
        let sizes: Option<Vec<i64>> = ty.shape.iter().map(|n| n.map(|n| n as i64)).collect();
        let (Some(sizes), Some(scalar), true) =
            (sizes, Scalar::of(ty.element), ty.space != Space::Shared)
        else {
            continue;
        };
        let count = count(&sizes);
        let label = format!(
            "variable @{}",
            tx_mlir::string_attribute(op, "sym_name").unwrap_or_default()
        );
        let size = scalar.bytes();
        let length = count * size as i64;
        let buffer = match tx_mlir::initial_value(op) {
            Some(value) => {
                let bytes = tx_mlir::dense_bytes(value)
                    .ok_or_else(|| Trouble::unsupported(op, "of such an initial value"))?;
                memory.hold(label, ty.space, bytes)
            }
            None => memory.allocate(label, ty.space, length, &Site::of(op))?,
        };
        let view = View::row_major(buffer, (0, length), sizes);
        all.insert(op.to_raw().ptr as usize, Rc::new(view));
    }
    Ok(all)
}

fn subview<'c>(op: Op<'c>, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    let slots = build.operands(op);
    let to = build.results(op)[0];
    let groups = operand_groups(op).unwrap_or_default();
    let mut list = |name: &str, group: usize| -> Vec<SizeOrOffset> {
        let dynamic = groups.get(group).cloned().unwrap_or_default();
        mixed(op, name, &dynamic)
            .unwrap_or_default()
            .into_iter()
            .map(|n| SizeOrOffset::of(n, build))
            .collect()
    };
    let offsets = list("static_offsets", 1);
    let sizes = list("static_sizes", 2);
    let strides = list("static_strides", 3);
    let (ty, _) = memref(op, results(op)[0])?;
    let site = Site::of(op);
    // A subview may drop dimensions of size one.
    let mut wanted = ty.shape.iter().peekable();
    let mut kept = Vec::new();
    for (d, size) in sizes.iter().enumerate() {
        let fits = match (wanted.peek(), size) {
            (Some(Some(n)), SizeOrOffset::Const(size)) => *n as i64 == *size,
            (Some(None), SizeOrOffset::Slot(_)) => true,
            _ => false,
        };
        if fits {
            wanted.next();
            kept.push(d);
        }
    }
    Ok(Box::new(move |exec| {
        exec.compute_views(&slots, to, |exec, lane| {
            let view = exec.view(slots[0], lane);
            let get = |n: &SizeOrOffset| n.get(exec, lane);
            let at: Vec<i64> = offsets.iter().map(get).collect();
            let all: Vec<i64> = sizes.iter().map(get).collect();
            let steps: Vec<i64> = strides.iter().map(get).collect();
            for (d, size) in view.sizes.iter().enumerate() {
                let last = at[d] + (all[d] - 1) * steps[d];
                if all[d] < 0
                    || all[d] > 0 && (at[d] < 0 || at[d] >= *size || last < 0 || last >= *size)
                {
                    let message = format!(
                        "a view of {} elements from index {} with stride {} exceeds the {size} \
                         elements along dimension {d}",
                        all[d], at[d], steps[d]
                    );
                    return Err(Trouble::fault(FaultKind::OutOfBounds, &site, message));
                }
            }
            Ok(View {
                offset: view.place(at.iter().copied()),
                sizes: kept.iter().map(|d| all[*d]).collect(),
                strides: kept.iter().map(|d| view.strides[*d] * steps[*d]).collect(),
                ..(*view).clone()
            })
        })
    }))
}

fn expand<'c>(op: Op<'c>, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    let slots = build.operands(op);
    let to = build.results(op)[0];
    let groups = reassociation(op).unwrap_or_default();
    let (ty, _) = memref(op, results(op)[0])?;
    let shape = ty.shape;
    Ok(Box::new(move |exec| {
        exec.compute_views(&slots, to, |exec, lane| {
            let view = exec.view(slots[0], lane);
            let mut dynamic = slots[1..].iter();
            let sizes: Vec<i64> = shape
                .iter()
                .map(|size| match size {
                    Some(n) => *n as i64,
                    None => dynamic.next().map_or(0, |slot| exec.int(*slot, lane)),
                })
                .collect();
            let mut strides = vec![1; sizes.len()];
            for (group, stride) in groups.iter().zip(&view.strides) {
                let mut stride = *stride;
                for d in group.iter().rev() {
                    strides[*d] = stride;
                    stride *= sizes[*d];
                }
            }
            Ok(View {
                sizes,
                strides,
                ..(*view).clone()
            })
        })
    }))
}
