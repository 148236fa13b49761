//! Layouts and fragments as plain data.

use crate::attributes::Axis;
use melior_upstream::ir::Type;
use melior_upstream::ir::r#type::TypeLike;
use std::ffi::c_void;

impl Axis {
    /// The axis with this encoding.
    pub fn from_code(code: i64) -> Option<Self> {
        usize::try_from(code)
            .ok()
            .and_then(|i| Self::ALL.get(i))
            .copied()
    }

    /// How many coordinates the axis has, when the hardware says so.
    pub fn extent(self) -> Option<i64> {
        match self {
            Self::Reg => None,
            Self::Lane | Self::Warp => Some(32),
            Self::WarpInGroup => Some(4),
            Self::ThreadInGroup => Some(128),
            Self::Warpgroup => Some(8),
            Self::Thread => Some(1024),
        }
    }
}

/// One entry of a layout: `extent` coordinates, `stride` apart on `axis`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Iter {
    /// Number of coordinates (the constant, in an offset).
    pub extent: i64,
    /// Distance between neighbours (1 in an offset).
    pub stride: i64,
    /// Where.
    pub axis: Axis,
}

/// A layout: see the dialect's reference.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Where each element lives.
    pub shard: Vec<Iter>,
    /// Where else.
    pub replica: Vec<Iter>,
    /// How far everything is moved.
    pub offset: Vec<Iter>,
}

/// A fragment type taken apart.
#[derive(Debug, Clone)]
pub struct Fragment<'c> {
    /// Sizes, outermost first.
    pub shape: Vec<u64>,
    /// Element type.
    pub element: Type<'c>,
    /// Where the elements live.
    pub layout: Layout,
}

impl Iter {
    pub(crate) fn list(numbers: &[i64]) -> Vec<Self> {
        numbers
            .chunks_exact(3)
            .filter_map(|n| {
                Some(Self {
                    extent: n[0],
                    stride: n[1],
                    axis: Axis::from_code(n[2])?,
                })
            })
            .collect()
    }
}

impl<'c> Fragment<'c> {
    /// Takes a `!tile.fragment` apart; `None` for any other type.
    pub fn from_type(ty: Type<'c>) -> Option<Self> {
        unsafe extern "C" fn push(data: *mut c_void, numbers: *const i64, count: usize) {
            // SAFETY: `data` is the vector below; `numbers` has `count` entries.
            unsafe {
                let numbers = match count {
                    0 => &[],
                    n => std::slice::from_raw_parts(numbers, n),
                };
                (*data.cast::<Vec<Vec<i64>>>()).push(numbers.to_vec());
            }
        }
        let mut lists: Vec<Vec<i64>> = Vec::new();
        let mut element = ty.to_raw();
        // SAFETY: `push` gets the vector it expects.
        let found = unsafe {
            crate::tileFragment(
                ty.to_raw(),
                &raw mut element,
                push,
                std::ptr::from_mut(&mut lists).cast(),
            )
        };
        if !found {
            return None;
        }
        let [shape, shard, replica, offset] = lists.as_slice() else {
            return None;
        };
        Some(Self {
            shape: shape.iter().map(|n| n.unsigned_abs()).collect(),
            // SAFETY: C++ wrote an element type.
            element: unsafe { Type::from_raw(element) },
            layout: Layout {
                shard: Iter::list(shard),
                replica: Iter::list(replica),
                offset: Iter::list(offset),
            },
        })
    }
}
