//! Rules of layouts and fragment types.

use super::types::float_bits;
use crate::attributes::Axis;
use crate::diagnostic::send;
use crate::ffi::Sink;
use crate::layout::Iter;
use crate::ops::integer_width;
use melior_upstream::ir::Type;
use mlir_sys::MlirType;
use std::collections::BTreeSet;
use std::ffi::c_void;
use tx_mlir::codes;

pub(crate) unsafe extern "C" fn verify_layout(
    numbers: *const i64,
    shard: usize,
    replica: usize,
    offset: usize,
    emit: Sink,
    sink: *mut c_void,
) {
    // SAFETY: `numbers` contains the three lists consecutively.
    let all = unsafe { iters(numbers, shard + replica + offset) };
    let (places, offsets) = all.split_at((shard + replica).min(all.len()));
    let wrong = wrong_layout(places, offsets).map(|message| (codes::TX0032, message));
    // SAFETY: C++ passes `sink` as the first argument that `emit` expects.
    unsafe { send(wrong, emit, sink) }
}

/// Returns the error message of the first violated rule, or `None` for a valid layout.
fn wrong_layout(places: &[Iter], offsets: &[Iter]) -> Option<String> {
    if let Some(bad) = places.iter().find(|i| i.extent < 1) {
        return Some(format!(
            "an extent must be at least 1, found {}",
            bad.extent
        ));
    }
    if let Some(bad) = places.iter().find(|i| i.stride < 0) {
        return Some(format!(
            "a stride must not be negative, found {}",
            bad.stride
        ));
    }
    for axis in Axis::ALL.iter().copied() {
        let on = |list: &[Iter]| -> Vec<Iter> {
            list.iter().filter(|i| i.axis == axis).copied().collect()
        };
        let last = on(places)
            .iter()
            .map(|i| (i.extent - 1).saturating_mul(i.stride))
            .chain(on(offsets).iter().map(|i| i.extent))
            .fold(0i64, i64::saturating_add);
        let first: i64 = on(offsets)
            .iter()
            .map(|i| i.extent)
            .fold(0, i64::saturating_add);
        if first < 0 || axis.extent().is_some_and(|n| last >= n) {
            return Some(format!(
                "coordinates on axis `{}` range from {first} to {last}, but the extent of the axis \
                 is {}",
                axis.name(),
                axis.extent().map_or_else(
                    || "unlimited, and starts at 0".to_owned(),
                    |n| n.to_string()
                )
            ));
        }
    }
    let registers = places
        .iter()
        .filter(|i| i.axis == Axis::Reg)
        .fold(1i64, |n, i| n.saturating_mul(i.extent));
    if registers > MAX_REGISTERS {
        return Some(format!(
            "the layout uses {registers} registers per thread, expected at most {MAX_REGISTERS}"
        ));
    }
    [true, false].into_iter().find_map(|on_threads| {
        let place = collision(places, on_threads)?;
        let what = if on_threads { "thread" } else { "register" };
        Some(format!(
            "the layout maps two coordinates to {what} {place}, expected at most one"
        ))
    })
}

/// Maximum number of register slots of a thread in a layout. The maximum number of slots is larger
/// than the number of registers of a GPU thread, because a layout may leave register slots unused.
const MAX_REGISTERS: i64 = 4096;

/// Returns the number of a thread (or of a register, if `on_threads` is false) to which the layout
/// maps two distinct tuples of coordinates. Returns `None` if the layout maps all tuples of
/// coordinates to distinct threads or registers.
fn collision(places: &[Iter], on_threads: bool) -> Option<i64> {
    let unit = |axis: Axis| match axis {
        Axis::Reg | Axis::Lane | Axis::ThreadInGroup | Axis::Thread => 1,
        Axis::Warp | Axis::WarpInGroup => 32,
        Axis::Warpgroup => 128,
    };
    let mut seen = BTreeSet::from([0]);
    for iter in places
        .iter()
        .filter(|i| (i.axis != Axis::Reg) == on_threads)
    {
        let step = iter.stride.saturating_mul(unit(iter.axis));
        let mut next = BTreeSet::new();
        for c in 0..iter.extent {
            for place in &seen {
                let place = c.saturating_mul(step).saturating_add(*place);
                if !next.insert(place) {
                    return Some(place);
                }
            }
        }
        seen = next;
    }
    None
}

pub(crate) unsafe extern "C" fn verify_fragment(
    shape: *const i64,
    rank: usize,
    element: MlirType,
    numbers: *const i64,
    shard: usize,
    emit: Sink,
    sink: *mut c_void,
) {
    // SAFETY: `shape` has `rank` entries, `numbers` has `shard` triples, and the type is valid.
    let (shape, element, shard) = unsafe {
        let shape = if rank == 0 {
            &[]
        } else {
            std::slice::from_raw_parts(shape, rank)
        };
        (shape, Type::from_raw(element), iters(numbers, shard))
    };
    let product = |sizes: &mut dyn Iterator<Item = i64>| -> i128 {
        sizes.fold(1i128, |n, s| n.saturating_mul(s.into()))
    };
    let (elements, places) = (
        product(&mut shape.iter().copied()),
        product(&mut shard.iter().map(|i| i.extent)),
    );
    let known = float_bits(element).is_some()
        || matches!(integer_width(element), Some(1 | 8 | 16 | 32 | 64));
    let message = if !known {
        Some(format!(
            "elements must be f16, bf16, f32, f64, f8E4M3FN, f8E5M2, i1, i8, i16, i32 or i64, \
             found `{element}`"
        ))
    } else if elements != places {
        Some(format!(
            "the layout places {places} elements, but the shape has {elements}"
        ))
    } else {
        None
    };
    let wrong = message.map(|message| (codes::TX0033, message));
    // SAFETY: C++ passes `sink` as the first argument that `emit` expects.
    unsafe { send(wrong, emit, sink) }
}

/// # Safety
/// `numbers` must point to `count` triples (extent, stride, axis).
unsafe fn iters(numbers: *const i64, count: usize) -> Vec<Iter> {
    match count {
        0 => Vec::new(),
        // SAFETY: the caller guarantees `count` triples at `numbers`.
        n => Iter::list(unsafe { std::slice::from_raw_parts(numbers, 3 * n) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_iter() -> impl Strategy<Value = Iter> {
        (1_i64..6, 0_i64..9, prop::sample::select(Axis::ALL)).prop_map(|(extent, stride, axis)| {
            Iter {
                extent,
                stride,
                axis,
            }
        })
    }

    /// Returns one number for each tuple of coordinates: the thread number in the block, or the
    /// register number.
    fn places(iters: &[Iter], on_threads: bool) -> Vec<i64> {
        let unit = |axis: Axis| match axis {
            Axis::Reg | Axis::Lane | Axis::ThreadInGroup | Axis::Thread => 1,
            Axis::Warp | Axis::WarpInGroup => 32,
            Axis::Warpgroup => 128,
        };
        let own = iters
            .iter()
            .filter(|iter| (iter.axis != Axis::Reg) == on_threads);
        own.fold(vec![0], |all, iter| {
            let of = |place: &i64| {
                let each = (0..iter.extent).map(|c| c * iter.stride * unit(iter.axis));
                each.map(|offset| place + offset).collect::<Vec<i64>>()
            };
            all.iter().flat_map(of).collect()
        })
    }

    proptest! {
        #[test]
        fn collisions_are_found(
            iters in prop::collection::vec(any_iter(), 0..5),
            on_threads in any::<bool>(),
        ) {
            let all = places(&iters, on_threads);
            let distinct: BTreeSet<i64> = all.iter().copied().collect();
            let collision = collision(&iters, on_threads);
            prop_assert_eq!(collision.is_some(), distinct.len() < all.len(), "{:?}", iters);
            prop_assert!(collision.is_none_or(|place| all.iter().filter(|p| **p == place).count() > 1));
        }

        /// In a valid layout, no coordinate exceeds the extent of its axis, and no two elements
        /// share a register of a thread.
        #[test]
        fn accepted_layouts_hold_each_element_once(iters in prop::collection::vec(any_iter(), 0..5)) {
            if wrong_layout(&iters, &[]).is_none() {
                for on_threads in [true, false] {
                    let all = places(&iters, on_threads);
                    let distinct: BTreeSet<i64> = all.iter().copied().collect();
                    prop_assert_eq!(distinct.len(), all.len());
                }
                for axis in Axis::ALL.iter().copied() {
                    let of = iters.iter().filter(|iter| iter.axis == axis);
                    let last: i64 = of.map(|iter| (iter.extent - 1) * iter.stride).sum();
                    prop_assert!(axis.extent().is_none_or(|n| last < n));
                }
            }
        }
    }
}
