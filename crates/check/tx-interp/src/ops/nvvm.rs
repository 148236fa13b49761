//! Ops of `nvvm`, and the `llvm` ops that occur together with ops of higher-level dialects.

use crate::build::{Build, scalars, scalars_of};
use crate::cluster::WARP;
use crate::code::OpClosure;
use crate::machine::Exec;
use crate::ops::barrier::{arrive, arrive_all, arrive_in_cluster, blocks, wait_in_cluster};
use crate::ops::shuffle::{ShuffleMode, check_members, shuffle};
use crate::ops::thread_index::{ThreadIndex, read_thread_index};
use crate::site::Site;
use crate::trouble::{FaultKind, Trouble};
use crate::value::{Lanes, Value, located};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use tx_exec::MBarrier;
use tx_exec::happens_before::Fence;
use tx_mlir::melior::ir::ValueLike;
use tx_mlir::{
    AsyncStore, Op, Val, attribute, enumerator_of, integer_attribute, integers, name,
    operand_groups, operands, results, string_attribute,
};
use tx_scalar::Float;
use tx_scalar::calc::{maximum, maximum_number, operation};
use tx_scalar::number::{Scalar, signed, truncated};

pub(crate) fn build<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<Option<OpClosure<'c>>, Trouble> {
    let slots = build.operands(op);
    let to = build.results(op);
    let site = Site::of(op);
    if let Some(number) = register(name(op)) {
        return Ok(Some(read_thread_index(to[0], number)));
    }
    if let Some(calc) = intrinsic(op) {
        let from = operands(op)
            .iter()
            .map(|v| scalars_of(op, *v).map(|(scalar, _)| scalar))
            .collect::<Result<Vec<_>, _>>()?;
        let (result, width) = scalars_of(op, results(op)[0])?;
        let Some(operation) = operation(calc, None, &from, result) else {
            return Ok(None);
        };
        return Ok(Some(Box::new(move |exec| {
            exec.compute(&slots, to[0], width, |exec, lane, i| {
                let mut bits = [0; 3];
                for (word, slot) in bits.iter_mut().zip(&slots) {
                    *word = exec.numbers(*slot).get(lane as usize, i);
                }
                (operation.calc)(&bits)
                    .map(|bits| (bits, None))
                    .map_err(|why| Trouble::fault(FaultKind::NoResult, &site, why))
            })
        })));
    }
    Ok(Some(match name(op) {
        "nvvm.barrier0" => Box::new(move |exec| arrive_all(exec, &site)),
        "nvvm.cluster.arrive" => Box::new(move |exec| arrive_in_cluster(exec, false, &site)),
        "nvvm.cluster.arrive.relaxed" => Box::new(move |exec| arrive_in_cluster(exec, true, &site)),
        "nvvm.cluster.wait" => {
            let before = tx_mlir::previous(op);
            let at_once = before.is_some_and(|op| tx_mlir::is(op, "nvvm.cluster.arrive"));
            Box::new(move |exec| wait_in_cluster(exec, at_once, &site))
        }
        "nvvm.convert.f32x2.to.f8x2" => {
            let Some((float, width)) = eight_bit(op, "dstTy", results(op)[0])? else {
                return Ok(None);
            };
            if is_set(op, "relu") {
                return Err(Trouble::unsupported(op, "with `relu`"));
            }
            Box::new(move |exec| {
                exec.compute(&slots, to[0], width, |exec, lane, i| {
                    // The first operand is the upper half.
                    let byte = |operand: usize| {
                        let bits = exec.numbers(slots[operand]).get(lane as usize, 0);
                        saturated(float, Float::F32.value(bits))
                    };
                    let bits = match (width, i) {
                        (1, _) => byte(0) << 8 | byte(1),
                        (_, 0) => byte(1),
                        _ => byte(0),
                    };
                    Ok((bits, None))
                })
            })
        }
        "nvvm.convert.f8x2.to.f16x2" => {
            let Some((float, 2)) = eight_bit(op, "srcType", operands(op)[0])? else {
                return Ok(None);
            };
            if is_set(op, "relu") {
                return Err(Trouble::unsupported(op, "with `relu`"));
            }
            Box::new(move |exec| {
                exec.compute(&slots, to[0], 2, |exec, lane, i| {
                    let value = float.value(exec.numbers(slots[0]).get(lane as usize, i));
                    Ok((Float::F16.to_bits(value), None))
                })
            })
        }
        "nvvm.mapa" => Box::new(move |exec| {
            exec.compute(&slots, to[0], 1, |exec, lane, _| {
                let (address, rank) = (exec.int(slots[0], lane), exec.int(slots[1], lane));
                let rank = i64::from(rank as i32);
                address_in_block(exec, address, rank, &site)
                    .map(|address| (address.cast_unsigned(), None))
            })
        }),
        "nvvm.mbarrier.init" => Box::new(move |exec| {
            for &lane in exec.active.clone().iter() {
                let (address, count) = (exec.int(slots[0], lane), exec.int(slots[1], lane));
                let object = MBarrier::new(count as u32);
                let known = exec.cluster.as_mut().map(|cluster| &mut cluster.mbarriers);
                let object = Rc::new(RefCell::new(object));
                if known.is_some_and(|known| known.insert(address, object).is_some()) {
                    let message = "the mbarrier object is initialized already";
                    return Err(Trouble::fault(FaultKind::Divergence, &site, message));
                }
            }
            Ok(())
        }),
        "nvvm.mbarrier.arrive.expect_tx" if to.is_empty() => Box::new(move |exec| {
            for &lane in exec.active.clone().iter() {
                let bytes = exec.int(slots[1], lane) as u32;
                let object = mbarrier(exec, slots[0], lane, &site)?;
                let clocks = Some(&mut exec.world.clocks);
                if object
                    .borrow_mut()
                    .arrive(lane as usize, bytes, clocks)
                    .is_none()
                {
                    let message = "the current phase of the mbarrier object has no pending \
                                   arrivals";
                    return Err(Trouble::fault(FaultKind::Divergence, &site, message));
                }
            }
            Ok(())
        }),
        "nvvm.mbarrier.try_wait" => Box::new(move |exec| {
            let mut out = Lanes::new(1, exec.lanes);
            for &lane in exec.active.clone().iter() {
                let parity = exec.int(slots[1], lane) as u32;
                let object = mbarrier(exec, slots[0], lane, &site)?;
                // In lockstep execution, all earlier arrivals and stores have been executed.
                if !object.borrow().is_complete(parity) {
                    let message = "the phase of the mbarrier object never completes";
                    return Err(Trouble::fault(FaultKind::Divergence, &site, message));
                }
                object
                    .borrow()
                    .acquire(lane as usize, &mut exec.world.clocks);
                out.set(lane as usize, 0, 1, None);
            }
            exec.slots[to[0]] = Value::Numbers(out);
            Ok(())
        }),
        "nvvm.fence.mbarrier.init" => Box::new(|_| Ok(())),
        "llvm.inline_asm" => {
            let Some(store) = AsyncStore::of(op) else {
                return Ok(None);
            };
            let (scalar, _) = scalars_of(op, store.value)?;
            let site = build.program.site(op);
            Box::new(move |exec| {
                for &lane in exec.active.clone().iter() {
                    let view = exec.world.memory.at(exec.int(slots[0], lane), &site.1)?;
                    super::access::store(exec, slots[1], (&view, 0), (scalar, 1), lane, &site)?;
                    let object = mbarrier(exec, slots[2], lane, &site.1)?;
                    let clocks = Some(&mut exec.world.clocks);
                    object
                        .borrow_mut()
                        .store(lane as usize, store.bytes, clocks);
                }
                Ok(())
            })
        }
        "llvm.inttoptr" => Box::new(move |exec| {
            exec.slots[to[0]] = exec.slots[slots[0]].clone();
            Ok(())
        }),
        "llvm.load" | "llvm.store" => return super::access::build(op, build),
        "nvvm.barrier" => {
            let groups = operand_groups(op).unwrap_or_default();
            let mut one = |group: usize| groups.get(group)?.first().map(|v| build.slot(*v));
            let (id, count, predicate) = (one(0), one(1), one(2));
            let combine = enumerator_of(op, "reductionOp");
            let is_whole = id.is_none() && count.is_none();
            let is_known = matches!(combine, Some("and" | "or" | "popc")) && is_whole;
            if predicate.is_some() && !is_known {
                return Err(Trouble::unsupported(op, "with a predicate of some threads"));
            }
            Box::new(move |exec| {
                if let (Some(combine), Some(predicate)) = (combine, predicate) {
                    let mut out = Lanes::new(1, exec.lanes);
                    for all in blocks(exec, &exec.active) {
                        let holds = all.iter().filter(|lane| exec.int(predicate, **lane) != 0);
                        let holds = holds.count();
                        let result = match combine {
                            "or" => usize::from(holds > 0),
                            "and" => usize::from(holds == all.len()),
                            _ => holds,
                        };
                        for lane in all {
                            out.set(lane as usize, 0, result as u64, None);
                        }
                    }
                    exec.slots[to[0]] = Value::Numbers(out);
                    return arrive_all(exec, &site);
                }
                let mut barriers: BTreeMap<(u32, u64, Option<u64>), Vec<u32>> = BTreeMap::new();
                for &lane in exec.active.iter() {
                    let rank = exec
                        .cluster
                        .as_ref()
                        .map_or(0, |cluster| cluster.place(lane).0);
                    let id = id.map_or(0, |slot| exec.int(slot, lane)).cast_unsigned();
                    let count = count.map(|slot| exec.int(slot, lane).cast_unsigned());
                    barriers.entry((rank, id, count)).or_default().push(lane);
                }
                for ((_, id, count), threads) in barriers {
                    // A partial last warp counts as a full warp in the thread count of a barrier.
                    let warps = threads
                        .iter()
                        .map(|t| t / WARP)
                        .collect::<std::collections::BTreeSet<_>>();
                    let rounded = warps.len() as u64 * u64::from(WARP);
                    let count = match count {
                        Some(count) if count == rounded => Some(threads.len() as u64),
                        other => other,
                    };
                    arrive(exec, id, count, &threads, &site)?;
                }
                Ok(())
            })
        }
        "nvvm.bar.warp.sync" => Box::new(move |exec| {
            let mut groups: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
            for &lane in exec.active.iter() {
                check_members(exec, slots[0], lane, &site)?;
                let mask = exec.int(slots[0], lane) as u32;
                groups
                    .entry((lane / WARP, mask))
                    .or_default()
                    .push(lane as usize);
            }
            for members in groups.values() {
                exec.world.clocks.join_lanes(members);
            }
            Ok(())
        }),
        "llvm.fence" => {
            let ordering = integer_attribute(op, "ordering").unwrap_or(0);
            let scope = string_attribute(op, "syncscope").unwrap_or_default();
            let fence = Fence::of_llvm(ordering, &scope);
            Box::new(move |exec| {
                for &lane in exec.active.iter() {
                    if let Some(fence) = fence {
                        exec.world.clocks.fence(lane as usize, fence);
                    }
                }
                Ok(())
            })
        }
        "nvvm.shfl.sync" => {
            let kind = enumerator_of(op, "kind").unwrap_or_default();
            let mode = ShuffleMode::parse(kind)
                .ok_or_else(|| Trouble::unsupported(op, format!("of kind {kind}")))?;
            let both = scalars(results(op)[0].r#type()).is_none();
            Box::new(move |exec| {
                let ask = |exec: &Exec<'_>, lane: u32| {
                    let c = exec.int(slots[3], lane) as u32;
                    mode.source(
                        lane % WARP,
                        exec.int(slots[2], lane) as u32,
                        c >> 8 & 31,
                        c & 31,
                    )
                };
                if !both {
                    return shuffle(exec, slots[1], 1, &to, Some(slots[0]), ask, &site);
                }
                // The result struct, a shuffled value and a range flag, is stored as two numbers.
                let asked: Vec<bool> = exec.active.iter().map(|lane| ask(exec, *lane).1).collect();
                shuffle(exec, slots[1], 1, &to, Some(slots[0]), ask, &site)?;
                let value = exec.numbers(to[0]).clone();
                let mut pair = Lanes::new(2, exec.lanes);
                for (&lane, inside) in exec.active.iter().zip(asked) {
                    let lane = lane as usize;
                    pair.set(lane, 0, value.get(lane, 0), value.bound(lane, 0));
                    pair.set(lane, 1, u64::from(inside), None);
                }
                exec.slots[to[0]] = Value::Numbers(pair);
                Ok(())
            })
        }
        "nvvm.redux.sync" => redux(op, build)?,
        "nvvm.vote.sync" => vote(op, build)?,
        "llvm.extractvalue" => {
            let Some([at]) = attribute(op, "position")
                .and_then(integers)
                .as_deref()
                .map(|p| [p[0]])
            else {
                return Ok(None);
            };
            let at = usize::try_from(at).unwrap_or(0);
            Box::new(move |exec| {
                exec.compute(&slots, to[0], 1, |exec, lane, _| {
                    let pair = exec.numbers(slots[0]);
                    Ok((pair.get(lane as usize, at), pair.bound(lane as usize, at)))
                })
            })
        }
        "llvm.mlir.constant" => {
            let (scalar, width) = scalars_of(op, results(op)[0])?;
            let Some(bits) =
                attribute(op, "value").and_then(|v| super::scalar::bits_of(v, scalar, width))
            else {
                return Ok(None);
            };
            Box::new(move |exec| {
                exec.slots[to[0]] = Value::Numbers(Lanes::same(bits.clone()));
                Ok(())
            })
        }
        _ => return Ok(None),
    }))
}

fn register(name: &str) -> Option<ThreadIndex> {
    let rest = name.strip_prefix("nvvm.read.ptx.sreg.")?;
    let axis = |rest: &str| match rest {
        "x" => Some(0),
        "y" => Some(1),
        "z" => Some(2),
        _ => None,
    };
    match rest.split_once('.') {
        Some(("tid", d)) => axis(d).map(ThreadIndex::Thread),
        Some(("ctaid", d)) => axis(d).map(ThreadIndex::Block),
        Some(("ntid", d)) => axis(d).map(ThreadIndex::BlockSize),
        Some(("nctaid", d)) => axis(d).map(ThreadIndex::GridSize),
        Some(("clusterid", d)) => axis(d).map(ThreadIndex::Cluster),
        Some(("nclusterid", d)) => axis(d).map(ThreadIndex::Clusters),
        Some(("cluster", "ctarank")) => Some(ThreadIndex::Rank),
        Some(("cluster", "nctarank")) => Some(ThreadIndex::ClusterBlocks),
        Some(("cluster", rest)) => match rest.split_once('.') {
            Some(("ctaid", d)) => axis(d).map(ThreadIndex::Place),
            Some(("nctaid", d)) => axis(d).map(ThreadIndex::ClusterSize),
            _ => None,
        },
        _ => match rest {
            "laneid" => Some(ThreadIndex::Lane),
            "warpid" => Some(ThreadIndex::Warp),
            "warpsize" => Some(ThreadIndex::WarpSize),
            _ => None,
        },
    }
}

/// Returns the `arith` or `math` op that is equivalent to an LLVM intrinsic.
fn intrinsic(op: Op<'_>) -> Option<&'static str> {
    let called = match name(op) {
        "llvm.call_intrinsic" => string_attribute(op, "intrin")?,
        other => format!("llvm.{}", other.strip_prefix("llvm.intr.")?),
    };
    Some(match called.as_str() {
        "llvm.fma" => "math.fma",
        "llvm.sqrt" => "math.sqrt",
        "llvm.floor" => "math.floor",
        "llvm.ceil" => "math.ceil",
        "llvm.trunc" => "math.trunc",
        "llvm.round" => "math.round",
        "llvm.roundeven" => "math.roundeven",
        "llvm.fabs" => "math.absf",
        "llvm.copysign" => "math.copysign",
        "llvm.ctpop" => "math.ctpop",
        "llvm.ctlz" => "math.ctlz",
        "llvm.cttz" => "math.cttz",
        "llvm.abs" => "math.absi",
        "llvm.maximum" => "arith.maximumf",
        "llvm.minimum" => "arith.minimumf",
        "llvm.maxnum" => "arith.maxnumf",
        "llvm.minnum" => "arith.minnumf",
        "llvm.nvvm.ex2.approx.ftz.f32" => "math.exp2",
        "llvm.nvvm.lg2.approx.ftz.f" => "math.log2",
        "llvm.nvvm.rsqrt.approx.f" => "math.rsqrt",
        "llvm.nvvm.sqrt.approx.f" => "math.sqrt",
        _ => return None,
    })
}

/// Returns the 8-bit float type that an attribute of a conversion op specifies, and the number of
/// scalars per lane of the value `pair`. Returns `None` if the attribute specifies no 8-bit float
/// type.
fn eight_bit<'c>(
    op: Op<'c>,
    attribute_name: &str,
    pair: Val<'c>,
) -> Result<Option<(Float, usize)>, Trouble> {
    let named = attribute(op, attribute_name).and_then(tx_mlir::type_value);
    let float = named
        .and_then(Float::of)
        .filter(|float| matches!(float, Float::F8E4M3FN | Float::F8E5M2));
    let (_, width) = scalars_of(op, pair)?;
    Ok(float.map(|float| (float, width)))
}

fn is_set(op: Op<'_>, flag: &str) -> bool {
    integer_attribute(op, flag).is_some_and(|value| value != 0)
}

/// Returns the bits of `value`, rounded and clamped to the finite numbers of a float format. A NaN
/// of either sign becomes the bits 0x7f.
fn saturated(float: Float, value: f64) -> u64 {
    if value.is_nan() {
        return 0x7f;
    }
    float.to_bits(value.clamp(-float.largest(), float.largest()))
}

fn redux<'c>(op: Op<'c>, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    let slots = build.operands(op);
    let to = build.results(op)[0];
    let site = Site::of(op);
    let (scalar, _) = scalars_of(op, operands(op)[0])?;
    let kind = enumerator_of(op, "kind").unwrap_or_default();
    let holds = |name| integer_attribute(op, name).is_some_and(|value| value != 0);
    let nan = holds("nan");
    if holds("abs") {
        return Err(Trouble::unsupported(op, "of absolute values"));
    }
    let int = |f: fn(u64, u64) -> u64| -> Box<dyn Fn(u64, u64) -> u64> { Box::new(f) };
    let combine: Box<dyn Fn(u64, u64) -> u64> = match (kind, scalar) {
        ("add", Scalar::Int(_)) => int(|a, b| truncated(a.wrapping_add(b).cast_signed(), 32)),
        ("and", Scalar::Int(_)) => int(|a, b| a & b),
        ("or", Scalar::Int(_)) => int(|a, b| a | b),
        ("xor", Scalar::Int(_)) => int(|a, b| a ^ b),
        ("umax", Scalar::Int(_)) => int(u64::max),
        ("umin", Scalar::Int(_)) => int(u64::min),
        ("max", Scalar::Int(_)) => int(|a, b| if signed(a, 32) >= signed(b, 32) { a } else { b }),
        ("min", Scalar::Int(_)) => int(|a, b| if signed(a, 32) <= signed(b, 32) { a } else { b }),
        ("fmax" | "fmin", Scalar::Float(float)) => {
            let sign = if kind == "fmax" { 1.0 } else { -1.0 };
            let better = if nan { maximum } else { maximum_number };
            Box::new(move |a, b| {
                float.to_bits(sign * better(sign * float.value(a), sign * float.value(b)))
            })
        }
        _ => return Err(Trouble::unsupported(op, format!("of kind {kind}"))),
    };
    Ok(Box::new(move |exec| {
        let mut out = Lanes::new(1, exec.lanes);
        for &lane in exec.active.iter() {
            check_members(exec, slots[1], lane, &site)?;
            let mask = exec.int(slots[1], lane) as u32;
            let first = lane / WARP * WARP;
            let values = exec.numbers(slots[0]);
            let result = exec
                .active
                .iter()
                .filter(|other| **other / WARP * WARP == first && mask >> (**other % WARP) & 1 == 1)
                .map(|other| values.get(*other as usize, 0))
                .reduce(&combine);
            out.set(lane as usize, 0, result.unwrap_or(0), None);
        }
        exec.slots[to] = Value::Numbers(out);
        Ok(())
    }))
}

fn vote<'c>(op: Op<'c>, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    let slots = build.operands(op);
    let to = build.results(op)[0];
    let site = Site::of(op);
    let kind = enumerator_of(op, "kind").unwrap_or_default();
    Ok(Box::new(move |exec| {
        let mut out = Lanes::new(1, exec.lanes);
        for &lane in exec.active.iter() {
            check_members(exec, slots[0], lane, &site)?;
            let mask = exec.int(slots[0], lane) as u32;
            let first = lane / WARP * WARP;
            let ballot = exec
                .active
                .iter()
                .filter(|other| **other / WARP * WARP == first && mask >> (**other % WARP) & 1 == 1)
                .filter(|other| exec.int(slots[1], **other) & 1 == 1)
                .fold(0_u32, |ballot, other| ballot | 1 << (other % WARP));
            let present = (0..WARP)
                .filter(|l| exec.has_lane(first + l))
                .fold(0_u32, |all, l| all | 1 << l);
            let result = match kind {
                "ballot" => u64::from(ballot),
                "any" => u64::from(ballot != 0),
                "all" => u64::from(ballot == mask & present),
                "uni" => u64::from(ballot == 0 || ballot == mask & present),
                _ => 0,
            };
            out.set(lane as usize, 0, result, None);
        }
        exec.slots[to] = Value::Numbers(out);
        Ok(())
    }))
}

/// Returns the mbarrier object whose address is in `slot`.
fn mbarrier(
    exec: &Exec<'_>,
    slot: usize,
    lane: u32,
    site: &Site,
) -> Result<Rc<RefCell<MBarrier>>, Trouble> {
    let address = exec.int(slot, lane);
    let known = exec
        .cluster
        .as_ref()
        .and_then(|cluster| cluster.mbarriers.get(&address));
    known.cloned().ok_or_else(|| {
        let message = "the mbarrier object is not initialized";
        Trouble::fault(FaultKind::Divergence, site, message)
    })
}

/// Maps a shared memory address to the address with the same offset in the shared memory of the
/// block of rank `rank`.
fn address_in_block(exec: &Exec<'_>, address: i64, rank: i64, site: &Site) -> Result<i64, Trouble> {
    let (buffer, offset) = located(address);
    let cluster = exec.cluster.as_ref();
    let share = cluster.and_then(|cluster| cluster.shares.get(&buffer).copied());
    let blocks = cluster.map_or(0, |cluster| i64::from(cluster.blocks()));
    match share.filter(|share| *share > 0) {
        Some(share) if (0..blocks).contains(&rank) => {
            Ok(address - offset + rank * share + offset % share)
        }
        Some(_) => {
            let message =
                format!("block rank {rank} is out of range for a cluster of {blocks} blocks");
            Err(Trouble::fault(FaultKind::OutOfBounds, site, message))
        }
        None => {
            let message = "an address outside of shared memory cannot be mapped to another block";
            Err(Trouble::fault(FaultKind::OutOfBounds, site, message))
        }
    }
}
