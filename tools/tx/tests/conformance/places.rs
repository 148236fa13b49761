//! Shapes, scopes, layouts and thread groups of the operands.

use crate::operands::{Fragments, Lanes};
use crate::program::{Scope, Storage};

/// Number of rows, row length, whether the reduced dimension is outermost, block size, and whether
/// the sizes are dynamic.
pub(crate) type Shape = (usize, usize, bool, usize, bool);

pub(crate) const PLACES: [(Scope, Storage, &[Shape]); 9] = {
    use Scope::{Cta, Thread, Warp, Warpgroup};
    use Storage::{Global, Private, Shared};
    const IN: bool = false;
    const OUT: bool = true;
    const STATIC: bool = false;
    const DYNAMIC: bool = true;
    [
        (
            Thread,
            Private,
            &[
                (16, 33, IN, 1, STATIC),
                (1, 8, IN, 20, STATIC),
                (3, 32, OUT, 32, STATIC),
                (2, 100, IN, 1, STATIC),
                (1, 1000, IN, 1, STATIC),
                (15, 1, OUT, 1, STATIC),
                (4, 7, IN, 1, STATIC),
                (1, 7, IN, 1, STATIC),
                (1, 100, IN, 1, STATIC),
            ],
        ),
        (
            Thread,
            Shared,
            &[
                (16, 7, IN, 1, STATIC),
                (1, 33, IN, 20, STATIC),
                (2, 8, OUT, 32, STATIC),
            ],
        ),
        (
            Thread,
            Global,
            &[
                (16, 100, IN, 1, STATIC),
                (1, 7, IN, 48, STATIC),
                (2, 32, OUT, 32, STATIC),
                (4, 0, IN, 1, DYNAMIC),
                (1, 33, IN, 32, DYNAMIC),
            ],
        ),
        (
            Warp,
            Shared,
            &[
                (7, 100, IN, 32, STATIC),
                (1, 33, IN, 48, STATIC),
                (2, 8, OUT, 256, STATIC),
                (40, 7, IN, 32, STATIC),
                (15, 32, OUT, 32, STATIC),
                (16, 256, IN, 32, STATIC),
            ],
        ),
        (
            Warp,
            Global,
            &[
                (16, 32, IN, 32, STATIC),
                (3, 1000, IN, 32, STATIC),
                (1, 33, OUT, 48, STATIC),
                (100, 8, IN, 32, STATIC),
                (5, 0, IN, 32, DYNAMIC),
                (8, 100, OUT, 64, DYNAMIC),
                (1, 1, IN, 20, STATIC),
            ],
        ),
        (
            Warpgroup,
            Shared,
            &[
                (16, 33, IN, 128, STATIC),
                (1, 100, IN, 256, STATIC),
                (32, 7, OUT, 128, STATIC),
            ],
        ),
        (
            Warpgroup,
            Global,
            &[
                (3, 1000, IN, 128, STATIC),
                (8, 8, IN, 256, STATIC),
                (40, 33, OUT, 128, STATIC),
                (15, 0, IN, 128, DYNAMIC),
            ],
        ),
        (
            Cta,
            Shared,
            &[
                (7, 100, IN, 128, STATIC),
                (1, 1000, IN, 256, STATIC),
                (16, 32, OUT, 48, STATIC),
                (100, 8, IN, 32, STATIC),
                (2, 33, IN, 20, STATIC),
                (4, 512, IN, 32, STATIC),
            ],
        ),
        (
            Cta,
            Global,
            &[
                (16, 100, IN, 256, STATIC),
                (1, 1000, IN, 48, STATIC),
                (100, 32, OUT, 128, STATIC),
                (16, 33, IN, 32, DYNAMIC),
                (3, 0, OUT, 256, DYNAMIC),
                (40, 1, IN, 128, STATIC),
            ],
        ),
    ]
};

pub(crate) const FRAGMENTS: [Fragments; 20] = {
    use Scope::{Cta, Thread, Warp, Warpgroup};
    const fn fragments(
        name: &'static str,
        scope: Scope,
        block: usize,
        shape: [usize; 2],
        layout: &'static str,
        axes: &'static [usize],
        result: &'static str,
    ) -> Fragments {
        Fragments {
            name,
            scope,
            block,
            shape,
            layout,
            axes,
            result,
            crosses_lanes: true,
        }
    }
    const fn within_lanes(fragments: Fragments) -> Fragments {
        Fragments {
            crosses_lanes: false,
            ..fragments
        }
    }
    /// Accumulator layout of a warp-level matrix product.
    const MMA: &str = "[<2 : 2 reg>, <8 : 4 lane>, <4 : 4 reg>, <4 : 1 lane>, <2 : 1 reg>]";
    /// Accumulator layout of a warpgroup-level matrix product.
    const WGMMA: &str = "[<4 : 1 warp_in_group>, <2 : 2 reg>, <8 : 4 lane>, <2 : 4 reg>, <4 : 1 \
                         lane>, <2 : 1 reg>]";
    [
        fragments(
            "in-a-thread",
            Thread,
            32,
            [4, 8],
            "[<4 : 8 reg>, <8 : 1 reg>]",
            &[1],
            "[<4 : 1 reg>]",
        ),
        fragments(
            "in-a-thread-strided",
            Thread,
            1,
            [33, 3],
            "[<99 : 2 reg>]",
            &[0],
            "[<3 : 1 reg>]",
        ),
        fragments(
            "mma-rows",
            Warp,
            32,
            [16, 32],
            MMA,
            &[1],
            "[<2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]",
        ),
        fragments(
            "mma-columns",
            Warp,
            64,
            [16, 32],
            MMA,
            &[0],
            "[<4 : 2 reg>, <4 : 1 lane>, <2 : 1 reg>] replica [<8 : 4 lane>]",
        ),
        fragments(
            "mma-all",
            Warp,
            256,
            [16, 32],
            MMA,
            &[0, 1],
            "[] replica [<32 : 1 lane>]",
        ),
        within_lanes(fragments(
            "row-a-lane",
            Warp,
            32,
            [32, 8],
            "[<32 : 1 lane>, <8 : 1 reg>]",
            &[1],
            "[<32 : 1 lane>]",
        )),
        fragments(
            "row-across-lanes",
            Warp,
            32,
            [5, 32],
            "[<5 : 1 reg>, <32 : 1 lane>]",
            &[1],
            "[<5 : 1 reg>] replica [<32 : 1 lane>]",
        ),
        fragments(
            "to-one-lane",
            Warp,
            64,
            [4, 64],
            "[<4 : 4 reg>, <2 : 2 reg>, <32 : 1 lane>]",
            &[1],
            "[<4 : 3 reg>] offset [<5 : constant lane>]",
        ),
        fragments(
            "from-replicas",
            Warp,
            32,
            [4, 8],
            "[<4 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]",
            &[1],
            "[<4 : 1 reg>] replica [<32 : 1 lane>]",
        ),
        // Every lane holds a part of each row; lane r receives the result of row r.
        fragments(
            "row-to-a-lane",
            Warp,
            32,
            [32, 32],
            "[<32 : 1 reg>, <32 : 1 lane>]",
            &[1],
            "[<32 : 1 lane>]",
        ),
        fragments(
            "24-lanes",
            Warp,
            32,
            [4, 24],
            "[<4 : 1 reg>, <24 : 1 lane>]",
            &[1],
            "[<4 : 1 reg>] replica [<24 : 1 lane>]",
        ),
        fragments(
            "5-registers-a-lane",
            Warp,
            32,
            [3, 160],
            "[<3 : 5 reg>, <5 : 1 reg>, <32 : 1 lane>]",
            &[1],
            "[<3 : 1 reg>] replica [<32 : 1 lane>]",
        ),
        fragments(
            "wgmma-rows",
            Warpgroup,
            128,
            [64, 16],
            WGMMA,
            &[1],
            "[<4 : 1 warp_in_group>, <2 : 1 reg>, <8 : 4 lane>] replica [<4 : 1 lane>]",
        ),
        fragments(
            "wgmma-columns",
            Warpgroup,
            256,
            [64, 16],
            WGMMA,
            &[0],
            "[<2 : 2 reg>, <4 : 1 lane>, <2 : 1 reg>] replica [<4 : 1 warp_in_group>, <8 : 4 lane>]",
        ),
        fragments(
            "thread-in-group",
            Warpgroup,
            128,
            [128, 5],
            "[<128 : 1 thread_in_group>, <5 : 1 reg>]",
            &[0],
            "[<5 : 1 reg>] replica [<128 : 1 thread_in_group>]",
        ),
        fragments(
            "over-warps",
            Cta,
            128,
            [4, 128],
            "[<4 : 1 reg>, <4 : 1 warp>, <32 : 1 lane>]",
            &[1],
            "[<4 : 1 reg>] replica [<4 : 1 warp>, <32 : 1 lane>]",
        ),
        fragments(
            "over-threads",
            Cta,
            256,
            [256, 3],
            "[<256 : 1 thread>, <3 : 1 reg>]",
            &[0],
            "[<3 : 1 reg>] replica [<256 : 1 thread>]",
        ),
        fragments(
            "over-warpgroups-to-one-thread",
            Cta,
            256,
            [4, 256],
            "[<4 : 1 reg>, <2 : 1 warpgroup>, <128 : 1 thread_in_group>]",
            &[1],
            "[<4 : 1 reg>]",
        ),
        fragments(
            "rows-on-warps",
            Cta,
            64,
            [16, 32],
            "[<2 : 1 warp>, <8 : 1 reg>, <32 : 1 lane>]",
            &[1],
            "[<2 : 1 warp>, <8 : 1 reg>] replica [<32 : 1 lane>]",
        ),
        fragments(
            "over-3-warps",
            Cta,
            96,
            [4, 96],
            "[<4 : 1 reg>, <3 : 1 warp>, <32 : 1 lane>]",
            &[1],
            "[<4 : 1 reg>] replica [<3 : 1 warp>, <32 : 1 lane>]",
        ),
    ]
};

pub(crate) const LANES: [Lanes; 13] = {
    use Scope::{Cta, Warp, Warpgroup};
    [
        Lanes::new(Warp, 64, None),
        Lanes::new(Warp, 32, Some((32, 1))),
        Lanes::new(Warp, 32, Some((8, 1))),
        Lanes::new(Warp, 48, Some((8, 4))),
        Lanes::new(Warp, 64, Some((4, 1))),
        Lanes::new(Warp, 20, Some((4, 4))),
        Lanes::new(Warpgroup, 128, None),
        Lanes::new(Warpgroup, 256, Some((4, 32))),
        Lanes::new(Cta, 96, None),
        Lanes::new(Cta, 128, None),
        Lanes::new(Cta, 100, None),
        Lanes::new(Cta, 20, None),
        Lanes::new(Cta, 256, Some((64, 2))),
    ]
};

/// Groups of threads that do not divide a warp evenly, and groups of several warps. Some blocks are
/// not a multiple of the group size.
pub(crate) const UNEVEN_LANES: [Lanes; 32] = {
    use Scope::{Cta, Warp, Warpgroup};
    const fn lanes(scope: Scope, block: usize, width: usize, stride: usize) -> Lanes {
        Lanes::new(scope, block, Some((width, stride)))
    }
    [
        // Groups within a warp.
        lanes(Warp, 64, 12, 1),
        lanes(Warp, 48, 31, 1),
        lanes(Warp, 100, 3, 2),
        lanes(Warp, 300, 2, 12),
        lanes(Cta, 7, 3, 2),
        lanes(Cta, 20, 7, 1),
        lanes(Cta, 20, 201, 1),
        // Adjacent threads across warp boundaries.
        lanes(Cta, 48, 12, 1),
        lanes(Cta, 100, 7, 1),
        lanes(Cta, 300, 33, 1),
        lanes(Cta, 804, 201, 1),
        lanes(Cta, 804, 48, 1),
        lanes(Cta, 1024, 3, 1),
        lanes(Cta, 300, 100, 1),
        lanes(Cta, 1024, 1000, 1),
        // Each warp contains several threads of a group, with a stride between these threads.
        lanes(Cta, 100, 20, 2),
        lanes(Cta, 1024, 500, 2),
        lanes(Cta, 48, 12, 3),
        lanes(Cta, 48, 3, 12),
        lanes(Cta, 804, 33, 12),
        lanes(Cta, 1024, 64, 12),
        // Each warp contains at most one thread of a group.
        lanes(Cta, 804, 8, 100),
        lanes(Cta, 300, 2, 100),
        lanes(Cta, 1024, 31, 33),
        // Whole warps, or columns of warps.
        lanes(Cta, 192, 96, 1),
        lanes(Cta, 384, 192, 1),
        lanes(Cta, 1024, 544, 1),
        lanes(Cta, 300, 3, 96),
        lanes(Cta, 1024, 31, 32),
        // Parts of warpgroups.
        lanes(Warpgroup, 256, 48, 1),
        lanes(Warpgroup, 128, 3, 12),
        lanes(Warpgroup, 384, 3, 32),
    ]
};
