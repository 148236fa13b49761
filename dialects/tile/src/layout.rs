//! Layouts and fragment types as plain Rust data.

use crate::attributes::Axis;
use crate::ffi::tileFragment;
use melior_upstream::ir::Type;
use melior_upstream::ir::r#type::TypeLike;
use std::ffi::c_void;

impl Axis {
    /// Returns the axis with the ODS enum value `code`.
    pub fn from_code(code: i64) -> Option<Self> {
        usize::try_from(code)
            .ok()
            .and_then(|i| Self::ALL.get(i))
            .copied()
    }

    /// Returns the maximum number of coordinates on the axis, or `None` for the register axis.
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

/// Entry of a layout. A layout entry describes `extent` coordinates along `axis`; the distance
/// between consecutive coordinates is `stride`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Iter {
    /// Number of coordinates. In the offset list of a layout, the field `extent` contains an offset
    /// instead of a number of coordinates.
    pub extent: i64,
    /// Distance between consecutive coordinates of the layout entry along its axis. In the offset
    /// list of a layout, the field `stride` is always 1.
    pub stride: i64,
    /// Hardware axis of the coordinates.
    pub axis: Axis,
}

/// Parameters of `#tile.layout`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// Entries that map the row-major index of an element to threads and registers.
    pub shard: Vec<Iter>,
    /// Replica entries. Each tuple of replica coordinates, one coordinate per replica entry,
    /// identifies one copy of an element.
    pub replica: Vec<Iter>,
    /// Offset entries. Each entry of the offset list adds a constant to the coordinate of every
    /// element along the axis of the entry.
    pub offset: Vec<Iter>,
}

/// Parameters of `!tile.fragment`.
#[derive(Debug, Clone)]
pub struct Fragment<'c> {
    /// Sizes of the tile, outermost dimension first.
    pub shape: Vec<u64>,
    /// Element type.
    pub element: Type<'c>,
    /// Layout that assigns the elements to threads and registers.
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
    /// Returns the parameters of a `!tile.fragment`, or `None` for any other type.
    pub fn from_type(ty: Type<'c>) -> Option<Self> {
        unsafe extern "C" fn push(data: *mut c_void, numbers: *const i64, count: usize) {
            // SAFETY: `data` points to `lists` below; `numbers` has `count` entries.
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
        // SAFETY: `push` receives a pointer to `lists`, and `lists` has the type to which `push`
        // casts the pointer.
        let found = unsafe {
            tileFragment(
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
            // SAFETY: `tileFragment` returned true, so `element` is a valid type.
            element: unsafe { Type::from_raw(element) },
            layout: Layout {
                shard: Iter::list(shard),
                replica: Iter::list(replica),
                offset: Iter::list(offset),
            },
        })
    }
}
