//! Placement of the elements of a fragment on threads and registers.
//!
//! A layout entry on a thread axis becomes a mixed-radix digit of the thread's number within the
//! scope. Layout entries on registers become register slots. An element index is the sum of the
//! contributions of the register slot and of all digits of the thread number.

use crate::analysis::kernel::WARP_SIZE;
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use tx_dialect_tile::{Axis, Fragment, Iter, Scope};
use tx_mlir::build::Cond;
use tx_mlir::{Builder, Failed, Index, Op, Val, codes, error, name};

/// Use of the coordinate of a layout entry: the coordinate contributes to an element index, or
/// numbers the copies of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// The coordinate is a part of an element index: the coordinate times `weight` is added to the
    /// index along dimension `dim`.
    Element { dim: usize, weight: i64 },
    /// The coordinate is the number of a copy of an element, and does not contribute to element
    /// indices.
    Replica,
}

/// Mixed-radix digit of a thread number, `thread / stride % radix`. Each digit of the thread number
/// equals the coordinate of one layout entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Digit {
    pub(crate) extent: i64,
    pub(crate) stride: i64,
    pub(crate) role: Role,
}

/// Register slot of a fragment: each thread has one register for each slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    /// Contribution of the register slot to the element index along each dimension.
    pub(crate) index: Vec<i64>,
    /// Set if an earlier register slot holds the same elements as this slot.
    pub(crate) copy: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Placement {
    pub(crate) shape: Vec<i64>,
    /// Mixed-radix digits of the thread number, in order of ascending stride.
    pub(crate) digits: Vec<Digit>,
    /// Numbers from which the kernel extracts the digits of the thread number: the lane number and
    /// the warp number, or the whole thread number.
    levels: Vec<Level>,
    /// Number of the first thread that holds elements.
    pub(crate) first: i64,
    pub(crate) slots: Vec<Slot>,
}

/// Mixed-radix digits of the lane number, the warp number, or the whole thread number. The stride
/// of a digit is a multiple of the stride of the previous digit, and at least the product of the
/// stride and the extent of the previous digit.
#[derive(Clone, Debug)]
struct Level {
    /// Distance, in threads, between two consecutive lane, warp or thread numbers: 1 for lanes and
    /// threads, 32 for warps.
    unit: i64,
    /// Size of a warp for the digits of a lane number; `None` for the digits of a warp number or of
    /// a whole thread number.
    size: Option<i64>,
    /// Smallest lane, warp or thread number among the threads that hold elements.
    first: i64,
    digits: Vec<Digit>,
}

/// SSA values of the digits of a thread number, and the condition that the thread holds elements of
/// the fragment.
pub(crate) struct Located<'c> {
    pub(crate) digits: Vec<Index<'c>>,
    pub(crate) holds: Cond<'c>,
}

/// Returns the distance, in threads, between two threads whose coordinates on `axis` differ by 1;
/// `None` for registers.
fn unit(axis: Axis) -> Option<i64> {
    Some(match axis {
        Axis::Reg => return None,
        Axis::Lane | Axis::ThreadInGroup | Axis::Thread => 1,
        Axis::Warp | Axis::WarpInGroup => WARP_SIZE,
        Axis::Warpgroup => 4 * WARP_SIZE,
    })
}

/// Returns the narrowest scope that contains all threads of an axis.
fn scope_of(axis: Axis) -> Scope {
    match axis {
        Axis::Reg => Scope::Thread,
        Axis::Lane => Scope::Warp,
        Axis::WarpInGroup | Axis::ThreadInGroup => Scope::Warpgroup,
        Axis::Warp | Axis::Warpgroup | Axis::Thread => Scope::Cta,
    }
}

impl Placement {
    /// Computes the placement of a fragment on the threads of a scope.
    ///
    /// # Errors
    /// Returns an error with the reason if the fragment does not fit the scope.
    pub(crate) fn of(fragment: &Fragment<'_>, scope: Scope) -> Result<Self, String> {
        let layout = &fragment.layout;
        let all = layout
            .shard
            .iter()
            .chain(&layout.replica)
            .chain(&layout.offset);
        if let Some(iter) = all.clone().find(|i| scope_of(i.axis) > scope) {
            return Err(format!(
                "the layout's axis `{}` counts threads of the `{}`, but the scope is `{scope}`",
                iter.axis.name(),
                scope_of(iter.axis),
            ));
        }
        let shape: Vec<i64> = fragment.shape.iter().map(|n| n.cast_signed()).collect();
        let elements = group(&shape, &layout.shard)?;
        let replicas = layout
            .replica
            .iter()
            .filter(|i| i.extent > 1)
            .map(|i| (*i, Role::Replica));
        let parts: Vec<(Iter, Role)> = elements.into_iter().chain(replicas).collect();

        let mut digits: Vec<Digit> = parts
            .iter()
            .filter_map(|(iter, role)| {
                Some(Digit {
                    extent: iter.extent,
                    stride: iter.stride * unit(iter.axis)?,
                    role: *role,
                })
            })
            .flat_map(at_warp_boundary)
            .collect();
        digits.sort_by_key(|d| d.stride);
        let offset = |on_threads: bool| -> i64 {
            let of = |i: &Iter| match unit(i.axis) {
                Some(unit) if on_threads => i.extent * unit,
                None if !on_threads => i.extent,
                _ => 0,
            };
            layout.offset.iter().map(of).sum()
        };
        Ok(Self {
            slots: slots(&parts, shape.len()),
            shape,
            levels: levels(&digits, offset(true))?,
            digits,
            first: offset(true),
        })
    }

    /// Returns the number of the last thread that holds elements, plus one.
    pub(crate) fn threads(&self) -> i64 {
        let last: i64 = self.digits.iter().map(|d| (d.extent - 1) * d.stride).sum();
        self.first + last + 1
    }

    /// Returns the mixed-radix digits of a thread number; `None` if the thread holds no elements.
    pub(crate) fn coordinates(&self, thread: i64) -> Option<Vec<i64>> {
        let mut digits = Vec::new();
        for level in &self.levels {
            let number = thread / level.unit;
            let at = level.size.map_or(number, |size| number % size) - level.first;
            let fits = match level.digits.first() {
                None => at == 0,
                Some(low) => at >= 0 && at % low.stride == 0,
            };
            if !fits {
                return None;
            }
            for (k, digit) in level.digits.iter().enumerate() {
                let above = at / digit.stride;
                let value = level.radix(k).map_or(above, |radix| above % radix);
                if value >= digit.extent {
                    return None;
                }
                digits.push(value);
            }
        }
        Some(digits)
    }

    /// Returns the contribution of a thread's digits to the element index along each dimension.
    pub(crate) fn thread_index(&self, thread: i64) -> Option<Vec<i64>> {
        let mut index = vec![0; self.shape.len()];
        for (digit, value) in self.digits.iter().zip(self.coordinates(thread)?) {
            if let Role::Element { dim, weight } = digit.role {
                index[dim] += weight * value;
            }
        }
        Some(index)
    }

    /// Emits the mixed-radix digits of `thread`, a thread number below `span`.
    pub(crate) fn locate<'c>(&self, b: &Builder<'c>, thread: Index<'c>, span: i64) -> Located<'c> {
        let mut located = Located {
            digits: Vec::new(),
            holds: Cond::Const(true),
        };
        for level in &self.levels {
            let values = (span + level.unit - 1) / level.unit;
            let number = if values == 1 {
                Index::Const(0)
            } else {
                b.div(thread, Index::Const(level.unit))
            };
            let (number, values) = match level.size {
                Some(size) if values > size => (b.rem(number, Index::Const(size)), size),
                _ => (number, values),
            };
            level.locate(b, number, values, &mut located);
        }
        located
    }

    /// Emits the contribution of the thread's digits to the element index along each dimension.
    pub(crate) fn index<'c>(&self, b: &Builder<'c>, located: &Located<'c>) -> Vec<Index<'c>> {
        let mut index = vec![Index::Const(0); self.shape.len()];
        for (digit, value) in self.digits.iter().zip(&located.digits) {
            if let Role::Element { dim, weight } = digit.role {
                index[dim] = b.add(index[dim], b.mul(*value, Index::Const(weight)));
            }
        }
        index
    }

    pub(crate) fn is_first_copy<'c>(&self, b: &Builder<'c>, located: &Located<'c>) -> Cond<'c> {
        self.digits
            .iter()
            .zip(&located.digits)
            .filter(|(digit, _)| digit.role == Role::Replica)
            .fold(located.holds, |all, (_, value)| {
                b.and(all, b.equal(*value, Index::Const(0)))
            })
    }
}

impl Level {
    /// Returns the radix of digit `k`: the stride of the next digit divided by the stride of digit
    /// `k`; `None` for the last digit.
    fn radix(&self, k: usize) -> Option<i64> {
        let next = self.digits.get(k + 1)?;
        Some(next.stride / self.digits[k].stride)
    }

    fn locate<'c>(
        &self,
        b: &Builder<'c>,
        number: Index<'c>,
        values: i64,
        located: &mut Located<'c>,
    ) {
        let Some(low) = self.digits.first() else {
            let there = b.equal(number, Index::Const(self.first));
            located.holds = b.and(located.holds, there);
            return;
        };
        let mut at = number;
        if self.first > 0 {
            let before = b.less(number, Index::Const(self.first));
            located.holds = b.and(located.holds, b.negate(before));
            let moved = b.sub(number, Index::Const(self.first));
            at = b.select_index(before, Index::Const(0), moved);
        }
        if low.stride > 1 {
            let between = b.rem(at, Index::Const(low.stride));
            located.holds = b.and(located.holds, b.equal(between, Index::Const(0)));
        }
        let values = (values - self.first).max(1);
        for (k, digit) in self.digits.iter().enumerate() {
            let above = b.div(at, Index::Const(digit.stride));
            let most = (values + digit.stride - 1) / digit.stride;
            let (value, most) = match self.radix(k) {
                Some(radix) if most > radix => (b.rem(above, Index::Const(radix)), radix),
                _ => (above, most),
            };
            if most > digit.extent {
                let inside = b.less(value, Index::Const(digit.extent));
                located.holds = b.and(located.holds, inside);
            }
            located.digits.push(value);
        }
    }
}

/// Separates the digits of a thread number into the digits of the lane number and the digits of the
/// warp number. If a digit spans lanes and warps, the result contains all digits as digits of the
/// thread number.
fn levels(digits: &[Digit], first: i64) -> Result<Vec<Level>, String> {
    let lanes: i64 = digits
        .iter()
        .filter(|d| d.stride % WARP_SIZE != 0)
        .map(|d| (d.extent - 1) * d.stride)
        .sum();
    let apart = lanes + first % WARP_SIZE < WARP_SIZE;
    let of = |on_warps: bool| -> Vec<Digit> {
        let unit = if on_warps { WARP_SIZE } else { 1 };
        let chosen = digits
            .iter()
            .filter(|d| (d.stride % WARP_SIZE == 0) == on_warps);
        chosen
            .map(|d| Digit {
                stride: d.stride / unit,
                ..*d
            })
            .collect()
    };
    let all = if apart {
        vec![
            Level {
                unit: 1,
                size: Some(WARP_SIZE),
                first: first % WARP_SIZE,
                digits: of(false),
            },
            Level {
                unit: WARP_SIZE,
                size: None,
                first: first / WARP_SIZE,
                digits: of(true),
            },
        ]
    } else {
        vec![Level {
            unit: 1,
            size: None,
            first,
            digits: digits.to_vec(),
        }]
    };
    for level in &all {
        for pair in level.digits.windows(2) {
            let (low, high) = (pair[0], pair[1]);
            if high.stride % low.stride != 0 || high.stride < low.stride * low.extent {
                return Err(format!(
                    "the thread coordinates of the layout interleave: extent {} with stride {} and \
                     extent {} with stride {}",
                    low.extent,
                    low.stride * level.unit,
                    high.extent,
                    high.stride * level.unit
                ));
            }
        }
    }
    Ok(all)
}

/// Assigns each shard entry of a layout to a dimension of the tile, and splits entries that span
/// several dimensions. The function ignores layout entries of extent 1.
fn group(shape: &[i64], shard: &[Iter]) -> Result<Vec<(Iter, Role)>, String> {
    let mut left = shard.iter().copied().filter(|i| i.extent > 1).rev();
    let mut current: Option<Iter> = None;
    let mut parts = Vec::new();
    for (dim, size) in shape.iter().enumerate().rev() {
        let (mut need, mut weight) = (*size, 1);
        while need > 1 {
            let Some(iter) = current.take().or_else(|| left.next()) else {
                return Err("the layout places too few elements".to_owned());
            };
            let taken = if need % iter.extent == 0 {
                iter
            } else if iter.extent % need == 0 {
                current = Some(Iter {
                    extent: iter.extent / need,
                    stride: iter.stride * need,
                    ..iter
                });
                Iter {
                    extent: need,
                    ..iter
                }
            } else {
                return Err(format!(
                    "a layout entry of extent {} crosses the border of dimension {dim}, of size {size}",
                    iter.extent
                ));
            };
            parts.push((taken, Role::Element { dim, weight }));
            need /= taken.extent;
            weight *= taken.extent;
        }
    }
    Ok(parts)
}

/// Splits a digit of the thread number at the warp boundary into a lane digit and a warp digit.
/// Returns the digit unchanged if it does not cross the warp boundary, or if the warp boundary does
/// not divide the digit evenly.
fn at_warp_boundary(digit: Digit) -> Vec<Digit> {
    let lanes = WARP_SIZE / digit.stride.max(1);
    let crosses = digit.stride < WARP_SIZE && digit.stride * digit.extent > WARP_SIZE;
    if !crosses || WARP_SIZE % digit.stride != 0 || digit.extent % lanes != 0 {
        return vec![digit];
    }
    let outer = match digit.role {
        Role::Element { dim, weight } => Role::Element {
            dim,
            weight: weight * lanes,
        },
        Role::Replica => Role::Replica,
    };
    vec![
        Digit {
            extent: lanes,
            ..digit
        },
        Digit {
            extent: digit.extent / lanes,
            stride: WARP_SIZE,
            role: outer,
        },
    ]
}

fn slots(parts: &[(Iter, Role)], rank: usize) -> Vec<Slot> {
    let empty = Slot {
        index: vec![0; rank],
        copy: false,
    };
    let mut slots = vec![(0, empty)];
    for (iter, role) in parts.iter().filter(|(i, _)| i.axis == Axis::Reg) {
        slots = slots
            .iter()
            .flat_map(|(number, slot)| {
                (0..iter.extent).map(move |c| {
                    let mut slot = slot.clone();
                    match role {
                        Role::Element { dim, weight } => slot.index[*dim] += weight * c,
                        Role::Replica => slot.copy |= c > 0,
                    }
                    (number + c * iter.stride, slot)
                })
            })
            .collect();
    }
    slots.sort_by_key(|(number, _)| *number);
    slots.into_iter().map(|(_, slot)| slot).collect()
}

pub(crate) fn placement<'c>(
    op: Op<'c>,
    fragment: Val<'c>,
    scope: Scope,
    threads: i64,
) -> Result<Placement, Failed> {
    let refuse = |reason: String| {
        error(
            op.location(),
            format!("`{}` cannot place this fragment: {reason}", name(op)),
        )
        .code(codes::TX0205)
        .emit()
    };
    let parts = Fragment::from_type(fragment.r#type())
        .ok_or_else(|| refuse("the op was not verified".to_owned()))?;
    let placement = Placement::of(&parts, scope).map_err(refuse)?;
    if placement.threads() > threads {
        return Err(refuse(format!(
            "the layout uses {} threads, but the `{scope}` has {threads}",
            placement.threads()
        )));
    }
    Ok(placement)
}
