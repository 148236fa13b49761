//! Synchronization and warp-level PTX operations that LLVM emits for single ops of the device IR.

use crate::ptx::chip::Chip;
use crate::ptx::constant::constant;
use crate::ptx::pointer::space_of;
use melior::ir::{TypeLike, ValueLike};
use tx_mlir::{
    Op, Val, attribute, byte_width, integer_attribute, name, operand_groups, operands,
    pointer_space, string_attribute, vector_parts,
};
use tx_ptx::{
    BarrierKind, Combine, Direction, Fact, LoopNesting, MatchMode, Ordering, ReduxKind, ScalarType,
    Scope, ShuffleMode, Threads, VoteMode,
};
use tx_target::{Operation, Role};

/// PTX operation that LLVM emits for an op.
pub(super) struct EmittedOperation {
    pub(super) fact: Fact,
    /// `InLoop` if LLVM expands the op to a loop that contains the PTX operation; otherwise
    /// `OutsideLoops`.
    pub(super) place: LoopNesting,
    pub(super) removable: bool,
}

impl EmittedOperation {
    fn once(fact: Fact) -> Self {
        Self {
            fact,
            place: LoopNesting::OutsideLoops,
            removable: false,
        }
    }

    fn looped(fact: Fact) -> Self {
        Self {
            place: LoopNesting::InLoop,
            ..Self::once(fact)
        }
    }

    fn perhaps(fact: Fact, place: LoopNesting) -> Self {
        Self {
            fact,
            place,
            removable: true,
        }
    }
}

fn keyword(op: Op<'_>, attribute: &str) -> &'static str {
    tx_mlir::enumerator_of(op, attribute).unwrap_or_default()
}

fn flag(op: Op<'_>, name: &str) -> bool {
    attribute(op, name).is_some_and(|a| tx_mlir::integer_value(a) != Some(0))
}

fn ty(name: &str) -> Option<ScalarType> {
    ScalarType::named(name)
}

fn barrier(kind: BarrierKind, id: Option<Val<'_>>, threads: Option<Val<'_>>) -> Fact {
    Fact::Barrier {
        kind,
        id: id.map_or(Some(0), constant),
        threads: match threads {
            None => Threads::All,
            Some(threads) => constant(threads).map_or(Threads::Unknown, Threads::Count),
        },
        aligned: true,
    }
}

fn fence(ordering: Ordering, scope: Scope) -> Fact {
    let scope = Some(scope);
    Fact::Fence { ordering, scope }
}

/// Returns a proxy fence, such as `fence.proxy.alias`; `kind` is the list of modifiers after
/// `fence`.
fn proxy(kind: String) -> Fact {
    Fact::ProxyFence { kind }
}

/// Returns the PTX operations of an op. The result contains atomic operations and fences, but no
/// plain loads and stores.
pub(super) fn facts(op: Op<'_>, chip: Chip) -> Result<Vec<EmittedOperation>, String> {
    let known = match name(op) {
        name if name.starts_with("nvvm.") => nvvm(op, name),
        "llvm.call_intrinsic" => {
            let called = string_attribute(op, "intrin").unwrap_or_default();
            match called.strip_prefix("llvm.nvvm.") {
                Some(called) if !called.contains(".approx.") => intrinsic(called, &operands(op)),
                _ => Some(Vec::new()),
            }
        }
        "llvm.atomicrmw" => exchange(op, chip),
        "llvm.cmpxchg" => compare_exchange(op, chip),
        "llvm.fence" => ordered_fence(op, chip).map(|fact| vec![EmittedOperation::once(fact)]),
        "llvm.load" | "llvm.store" => sequential(op),
        _ => Some(Vec::new()),
    };
    known.ok_or_else(|| {
        format!(
            "`{}` is not supported in the comparison with the PTX: `{op}`",
            name(op)
        )
    })
}

/// Returns the PTX operations of an NVVM op. If the comparison with PTX does not support the op or
/// an attribute of the op, the function returns `None`.
fn nvvm(op: Op<'_>, name: &str) -> Option<Vec<EmittedOperation>> {
    let all = operands(op);
    let input = |i: usize| all.get(i).copied();
    let fact = match name {
        "nvvm.barrier0" => barrier(BarrierKind::Sync, None, None),
        "nvvm.barrier" => {
            let groups = operand_groups(op)?;
            let one = |i: usize| groups.get(i).and_then(|group| group.first().copied());
            let kind = match attribute(op, "reductionOp") {
                Some(_) => BarrierKind::Red(Combine::named(keyword(op, "reductionOp"))?),
                None => BarrierKind::Sync,
            };
            barrier(kind, one(0), one(1))
        }
        "nvvm.barrier.arrive" => match all[..] {
            [threads] => barrier(BarrierKind::Arrive, None, Some(threads)),
            [id, threads] => barrier(BarrierKind::Arrive, Some(id), Some(threads)),
            _ => return None,
        },
        "nvvm.bar.warp.sync" => Fact::WarpBarrier {
            mask: constant(input(0)?),
        },
        "nvvm.cluster.arrive" | "nvvm.cluster.arrive.relaxed" | "nvvm.cluster.wait" => {
            Fact::ClusterBarrier {
                wait: name.ends_with("wait"),
                ordering: name.ends_with("relaxed").then_some(Ordering::Relaxed),
                aligned: flag(op, "aligned"),
            }
        }
        "nvvm.shfl.sync" => Fact::Shuffle {
            mode: ShuffleMode::named(keyword(op, "kind"))?,
            mask: constant(input(0)?),
            clamp: constant(input(3)?),
        },
        "nvvm.redux.sync" => {
            let mut kind = redux(keyword(op, "kind"))?;
            kind.abs = flag(op, "abs");
            kind.nan = flag(op, "nan");
            let mask = constant(input(1)?);
            Fact::Redux { kind, mask }
        }
        "nvvm.vote.sync" => Fact::Vote {
            mode: VoteMode::named(keyword(op, "kind"))?,
            mask: constant(input(0)?),
        },
        "nvvm.match.sync" => Fact::Match {
            mode: MatchMode::named(keyword(op, "kind"))?,
            ty: ty(match byte_width(input(1)?.r#type())? {
                8 => "b64",
                _ => "b32",
            })?,
            mask: constant(input(0)?),
        },
        "nvvm.elect.sync" => Fact::Elect {
            mask: input(0).map_or(Some(u32::MAX), constant),
        },
        "nvvm.memory.barrier" => fence(
            Ordering::Sc,
            match keyword(op, "scope") {
                "cta" => Scope::Cta,
                "gpu" => Scope::Gpu,
                "sys" => Scope::Sys,
                _ => return None,
            },
        ),
        "nvvm.fence.sc.cluster" => fence(Ordering::Sc, Scope::Cluster),
        "nvvm.fence.sync_restrict" => fence(Ordering::named(keyword(op, "order"))?, Scope::Cluster),
        "nvvm.fence.mbarrier.init" => proxy("mbarrier_init.release.cluster".to_owned()),
        "nvvm.fence.proxy" => {
            let kind = keyword(op, "kind");
            proxy(match (kind, keyword(op, "space")) {
                ("async.shared", "cluster") => "proxy.async.shared::cluster".to_owned(),
                ("async.shared", _) => "proxy.async.shared::cta".to_owned(),
                (kind, _) => format!("proxy.{kind}"),
            })
        }
        "nvvm.fence.proxy.acquire" | "nvvm.fence.proxy.release" => {
            let (_, ordering) = name.rsplit_once('.')?;
            let scope = keyword(op, "scope");
            let scope = if scope == "gl" { "gpu" } else { scope };
            proxy(format!("proxy.tensormap::generic.{ordering}.{scope}"))
        }
        "nvvm.fence.proxy.sync_restrict" => proxy(match keyword(op, "order") {
            "acquire" => restricted("acquire", "cluster"),
            "release" => restricted("release", "cta"),
            _ => return None,
        }),
        // The comparison ignores the op.
        _ if Operation::role_of(name) == Role::Other => return Some(Vec::new()),
        _ => return None,
    };
    Some(vec![EmittedOperation::once(fact)])
}

fn restricted(ordering: &str, space: &str) -> String {
    format!("proxy.async::generic.{ordering}.sync_restrict::shared::{space}.cluster")
}

/// Returns the `redux` kind that the NVVM keyword `name` denotes, without the modifiers `.abs` and
/// `.NaN`.
fn redux(name: &str) -> Option<ReduxKind> {
    let (combine, of) = match name {
        "umin" => (Combine::Min, "u32"),
        "umax" => (Combine::Max, "u32"),
        "min" => (Combine::Min, "s32"),
        "max" => (Combine::Max, "s32"),
        "fmin" => (Combine::Min, "f32"),
        "fmax" => (Combine::Max, "f32"),
        other => (Combine::named(other)?, "b32"),
    };
    Some(ReduxKind {
        combine,
        ty: ty(of)?,
        abs: false,
        nan: false,
    })
}

/// Returns the PTX operations of an LLVM intrinsic; `called` is the name of the intrinsic without
/// the prefix `llvm.nvvm.`.
fn intrinsic(called: &str, inputs: &[Val<'_>]) -> Option<Vec<EmittedOperation>> {
    let words: Vec<&str> = called.split('.').collect();
    let input = |i: usize| inputs.get(i).copied();
    let mask = |i: usize| Some(constant(input(i)?));
    let fact = match words[..] {
        ["barrier", "cta", ref how @ ..] => {
            let threads = match how.last()? {
                &"count" => Some(input(1)?),
                _ => None,
            };
            let kind = match how[..] {
                ["sync", ..] => BarrierKind::Sync,
                ["arrive", ..] => BarrierKind::Arrive,
                ["red", combine, ..] => BarrierKind::Red(Combine::named(combine)?),
                _ => return None,
            };
            let mut fact = barrier(kind, Some(input(0)?), threads);
            if let Fact::Barrier { aligned, .. } = &mut fact {
                *aligned = how.contains(&"aligned");
            }
            fact
        }
        ["barrier", "cluster", ref how @ ..] => Fact::ClusterBarrier {
            wait: how.contains(&"wait"),
            ordering: how.contains(&"relaxed").then_some(Ordering::Relaxed),
            aligned: how.contains(&"aligned"),
        },
        ["bar", "warp", "sync"] => Fact::WarpBarrier { mask: mask(0)? },
        ["shfl", "sync", mode, _] => Fact::Shuffle {
            mode: ShuffleMode::named(mode)?,
            mask: mask(0)?,
            clamp: mask(3)?,
        },
        ["redux", "sync", kind, ref how @ ..] => {
            let mut kind = redux(kind)?;
            kind.abs = how.contains(&"abs");
            kind.nan = how.contains(&"NaN");
            let mask = mask(1)?;
            Fact::Redux { kind, mask }
        }
        ["vote", mode, "sync"] => Fact::Vote {
            mode: VoteMode::named(mode)?,
            mask: mask(0)?,
        },
        ["match", mode, "sync", of] => Fact::Match {
            mode: MatchMode::named(mode)?,
            ty: ty(if of.starts_with("i64") { "b64" } else { "b32" })?,
            mask: mask(0)?,
        },
        ["elect", "sync"] => Fact::Elect { mask: mask(0)? },
        ["membar", scope] => fence(
            Ordering::Sc,
            match scope {
                "cta" => Scope::Cta,
                "gl" => Scope::Gpu,
                "sys" => Scope::Sys,
                _ => return None,
            },
        ),
        ["fence", "sc", "cluster"] => fence(Ordering::Sc, Scope::Cluster),
        ["fence", ordering, "sync_restrict", ..] => {
            fence(Ordering::named(ordering)?, Scope::Cluster)
        }
        ["fence", "mbarrier_init", ..] => proxy("mbarrier_init.release.cluster".to_owned()),
        ["fence", "proxy", "async_generic", "acquire", ..] => {
            proxy(restricted("acquire", "cluster"))
        }
        ["fence", "proxy", "async_generic", "release", ..] => proxy(restricted("release", "cta")),
        ["fence", "proxy", "tensormap_generic", ordering, scope] => {
            proxy(format!("proxy.tensormap::generic.{ordering}.{scope}"))
        }
        ["fence", "proxy", "async", memory] => {
            proxy(format!("proxy.async.{}", memory.replace('_', "::")))
        }
        ["fence", "proxy", kind] => proxy(format!("proxy.{kind}")),
        ["atomic", combine, "gen", "i" | "f", scope, ..] => {
            let value = input(1)?.r#type();
            let of = match (value.is_float(), byte_width(value)?) {
                (true, 4) => "f32",
                (true, 8) => "f64",
                (false, 4) => "s32",
                (false, 8) => "s64",
                _ => return None,
            };
            Fact::Atomic {
                combine: Combine::named(combine)?,
                ty: ty(of)?,
                lanes: 1,
                space: space_of(input(0)?),
                scope: Some(Scope::named(scope)?),
            }
        }
        [
            "barrier" | "bar" | "shfl" | "redux" | "vote" | "match" | "fence" | "atomic",
            ..,
        ] => {
            return None;
        }
        _ => return Some(Vec::new()),
    };
    Some(vec![EmittedOperation::once(fact)])
}

/// Integers that LLVM assigns to atomic orderings.
const ACQUIRE: i64 = 4;
const RELEASE: i64 = 5;
const ACQUIRE_RELEASE: i64 = 6;
const SEQUENTIAL: i64 = 7;

/// Returns the memory scope of an atomic op.
fn scope(op: Op<'_>) -> Option<Scope> {
    match string_attribute(op, "syncscope").as_deref() {
        None | Some("") => Some(Scope::Sys),
        Some("block") => Some(Scope::Cta),
        Some("cluster") => Some(Scope::Cluster),
        Some("device") => Some(Scope::Gpu),
        Some(_) => None,
    }
}

/// Returns the fence that LLVM emits before a sequentially consistent load or store.
fn sequential(op: Op<'_>) -> Option<Vec<EmittedOperation>> {
    if integer_attribute(op, "ordering") != Some(SEQUENTIAL) {
        return Some(Vec::new());
    }
    let scope = scope(op);
    let ordering = Ordering::Sc;
    Some(vec![EmittedOperation::once(Fact::Fence {
        ordering,
        scope,
    })])
}

fn ordered_fence(op: Op<'_>, chip: Chip) -> Option<Fact> {
    // PTX 8.6 introduced acquire and release fences.
    let directed = chip.sm >= 90 && chip.ptx >= (8, 6);
    let ordering = match integer_attribute(op, "ordering")? {
        SEQUENTIAL => Ordering::Sc,
        ACQUIRE if directed => Ordering::Acquire,
        RELEASE if directed => Ordering::Release,
        ACQUIRE | RELEASE | ACQUIRE_RELEASE => Ordering::AcqRel,
        _ => return None,
    };
    let scope = scope(op);
    Some(Fact::Fence { ordering, scope })
}

fn bits(value: Val<'_>) -> Option<u64> {
    let ty = value.r#type();
    if pointer_space(ty).is_some() {
        return Some(64);
    }
    if let Some((lanes, element)) = vector_parts(ty) {
        return Some(lanes * byte_width(element)? * 8);
    }
    Some(byte_width(ty)? * 8)
}

/// Adds to `made` the fences that LLVM may emit around an op that LLVM expands to a loop.
fn fences(made: &mut Vec<EmittedOperation>, scope: Option<Scope>) {
    for ordering in [
        Ordering::Sc,
        Ordering::AcqRel,
        Ordering::Acquire,
        Ordering::Release,
    ] {
        made.push(EmittedOperation::perhaps(
            Fact::Fence { ordering, scope },
            LoopNesting::InLoop,
        ));
    }
}

/// Returns the PTX operations of a compare-and-swap loop. For values narrower than 32 bits, the
/// loop accesses the 32-bit word that contains the value.
fn swaps(op: Op<'_>, value: Val<'_>, pointer: Val<'_>) -> Option<Vec<EmittedOperation>> {
    let of = match bits(value)? {
        64 => "b64",
        128 => "b128",
        _ => "b32",
    };
    let scope = scope(op);
    let space = space_of(pointer);
    let of = ty(of)?;
    let mut made = vec![EmittedOperation::looped(Fact::Atomic {
        combine: Combine::Cas,
        ty: of,
        lanes: 1,
        space,
        scope,
    })];
    // The loop is preceded by an initial load.
    made.push(EmittedOperation::perhaps(
        Fact::ScalarAccess {
            direction: Direction::Load,
            space,
            bytes: of.bits() / 8,
        },
        LoopNesting::InLoop,
    ));
    if integer_attribute(op, "ordering").is_none_or(|ordering| ordering >= ACQUIRE) {
        fences(&mut made, scope);
    }
    Some(made)
}

/// Returns the PTX operations of `llvm.atomicrmw`: one PTX instruction if available, or else a
/// compare-and-swap loop.
fn exchange(op: Op<'_>, chip: Chip) -> Option<Vec<EmittedOperation>> {
    let inputs = operands(op);
    let (pointer, value) = (*inputs.first()?, *inputs.get(1)?);
    let of = value.r#type();
    let wide = bits(value)?;
    let word = |letter: &str| format!("{letter}{wide}");
    let whole = (wide == 32 || wide == 64) && vector_parts(of).is_none();
    let (combine, of) = match integer_attribute(op, "bin_op")? {
        0 if whole => (Combine::Exch, word("b")),
        1 | 2 if whole => (Combine::Add, word("u")),
        3 if whole => (Combine::And, word("b")),
        5 if whole => (Combine::Or, word("b")),
        6 if whole => (Combine::Xor, word("b")),
        7 if whole => (Combine::Max, word("s")),
        8 if whole => (Combine::Min, word("s")),
        9 if whole => (Combine::Max, word("u")),
        10 if whole => (Combine::Min, word("u")),
        11 if of.is_f32() => (Combine::Add, "f32".to_owned()),
        11 if of.is_f64() => (Combine::Add, "f64".to_owned()),
        11 if of.is_f16() => (Combine::Add, "f16".to_owned()),
        11 if of.is_bf16() && chip.sm >= 90 => (Combine::Add, "bf16".to_owned()),
        15 if wide == 32 => (Combine::Inc, word("u")),
        16 if wide == 32 => (Combine::Dec, word("u")),
        _ => return swaps(op, value, pointer),
    };
    Some(vec![EmittedOperation::once(Fact::Atomic {
        combine,
        ty: ty(&of)?,
        lanes: 1,
        space: space_of(pointer),
        scope: scope(op),
    })])
}

/// Returns the PTX operations of `llvm.cmpxchg`: one PTX instruction for a value of at least 32
/// bits, and a compare-and-swap loop for a narrower value.
fn compare_exchange(op: Op<'_>, _chip: Chip) -> Option<Vec<EmittedOperation>> {
    let inputs = operands(op);
    let (pointer, value) = (*inputs.first()?, *inputs.get(2)?);
    let wide = bits(value)?;
    if wide < 32 {
        return swaps(op, value, pointer);
    }
    let scope = scope(op);
    let mut made = vec![EmittedOperation::once(Fact::Atomic {
        combine: Combine::Cas,
        ty: ty(&format!("b{wide}"))?,
        lanes: 1,
        space: space_of(pointer),
        scope,
    })];
    if integer_attribute(op, "success_ordering") == Some(SEQUENTIAL) {
        let ordering = Ordering::Sc;
        made.push(EmittedOperation::once(Fact::Fence { ordering, scope }));
    }
    Some(made)
}
