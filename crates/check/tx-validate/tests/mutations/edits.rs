//! Table of edits: errors that a careless pass could make.
//!
//! The test calls the function of an edit for every op. The function returns the possible changes
//! of the op.

mod control;
mod host;
mod ir;
mod memory;
mod threads;
mod tile;
mod values;

use tx_mlir::Op;

/// One change of the IR.
pub(crate) type Change<'c> = Box<dyn FnOnce() + 'c>;

/// Kind of edit.
#[derive(Clone, Copy)]
pub(crate) struct Edit {
    /// Short name with hyphens.
    pub(crate) name: &'static str,
    /// Sentence that describes the edit.
    pub(crate) what: &'static str,
    /// Passes after which the test makes the edit.
    pub(crate) after: &'static [&'static str],
    /// Returns the changes that are possible at an op.
    pub(crate) at: for<'c> fn(Op<'c>) -> Vec<Change<'c>>,
}

/// Passes after which each reduction is still a single op.
const WHOLE: &[&str] = &[
    "convert-linalg-to-tile",
    "tile-schedule",
    "tile-analyze-scope",
];
/// Pass that assigns ops to kernels; the edit runs after this pass.
const GROUPED: &[&str] = &["tile-form-kernels"];
/// Pass after which reductions are loops, and ops exchange data between threads.
const EXPANDED: &[&str] = &["tile-expand-reduce"];
/// Passes after barrier insertion.
const SYNCHRONIZED: &[&str] = &["tile-insert-sync", "convert-tile-to-gpu"];
/// Passes from barrier insertion on, including a pass after which the module is in the LLVM
/// dialect.
const TO_THE_END: &[&str] = &[
    "tile-insert-sync",
    "convert-tile-to-gpu",
    "nvvm-require-block-size",
];
/// Passes after which the control flow of the module is structured (`scf`).
const STRUCTURED: &[&str] = &[
    "tile-expand-reduce",
    "tile-expand-shuffle-tree",
    "gpu-expand-math",
];
/// Early and late passes for edits that are possible in any kernel code.
const CODE: &[&str] = &[
    "tile-expand-reduce",
    "tile-expand-shuffle-tree",
    "gpu-expand-math",
    "nvvm-require-block-size",
];
/// Passes after which each shuffle has an explicit member mask.
const MASKED: &[&str] = &[
    "tile-expand-shuffle-tree",
    "convert-gpu-shuffle-to-nvvm",
    "nvvm-require-block-size",
];
/// Pass after which the module is in the LLVM dialect.
const LLVM: &[&str] = &["nvvm-require-block-size"];
/// Passes after which the module still contains host code, from which the launch plan is derived
/// later.
const HOST: &[&str] = &["tile-schedule", "convert-tile-to-gpu"];

macro_rules! edits {
    ($($name:literal, $what:literal, $after:ident, $at:path;)*) => {
        /// All kinds of edits, in the order of the passes after which the test makes them.
        pub(crate) const EDITS: &[Edit] = &[
            $(Edit { name: $name, what: $what, after: $after, at: $at },)*
        ];
    };
}

edits! {
    "lose-accumulate", "Removes `accumulate` from `tile.reduce`.", WHOLE, tile::lose_accumulate;
    "gain-accumulate", "Adds `accumulate` to `tile.reduce`.", WHOLE, tile::gain_accumulate;
    "other-kind", "Replaces the kind of a reduction, such as `max` by `min`, or `sum` by `prod`.",
        WHOLE, tile::other_kind;
    "other-kind-of-exchange", "Replaces the kind of `tile.all_reduce`, such as `max` by `min`.",
        EXPANDED, tile::other_kind;
    "other-signedness-of-kind", "Swaps `max` and `umax`, or `min` and `umin`.",
        WHOLE, tile::other_signedness;
    "other-nan", "Swaps `#tile.nan<propagate>` and `#tile.nan<ignore>` on a reduction.",
        WHOLE, tile::other_nan;
    "other-nan-of-exchange",
        "Swaps `#tile.nan<propagate>` and `#tile.nan<ignore>` on `tile.all_reduce`.",
        EXPANDED, tile::other_nan;
    "narrow-accumulator", "Sets the accumulator type of a float sum or product to f16.",
        WHOLE, tile::narrow_accumulator;
    "other-identity", "Changes an identity of a `custom` reduction, usually by adding 1.",
        WHOLE, tile::other_identity;
    "other-axis", "Replaces a reduced dimension by a parallel dimension.", WHOLE, tile::other_axis;
    "other-map", "Swaps two results of an indexing map, or replaces one result by 0.",
        WHOLE, tile::other_map;
    "narrow-scope",
        "Narrows the scope of an op: from CTA or warpgroup to warp, or from warp to thread.",
        WHOLE, tile::narrow_scope;
    "drop-tile-op", "Removes a `tile` op that writes memory.", WHOLE, tile::drop_op;
    "swap-copy", "Swaps the source and the destination of `tile.copy`.", WHOLE, tile::swap_copy;
    "swap-destinations", "Swaps two destinations of a `tile.reduce`.",
        WHOLE, tile::swap_destinations;
    "swap-phases", "Moves an op of a fused kernel behind an op that reads its result.",
        GROUPED, host::swap_phases;
    "other-hand-over",
        "Lets an op of a fused kernel read another operand instead of an intermediate result.",
        GROUPED, host::other_hand_over;
    "lose-exchange", "Replaces the result of `tile.all_reduce` by the thread's own operand.",
        EXPANDED, tile::lose_exchange;
    "other-width", "Halves the `width` of `tile.all_reduce`.", EXPANDED, tile::other_width;
    "other-stride", "Doubles the `stride` of `tile.all_reduce`.", EXPANDED, tile::other_stride;

    "other-arithmetic",
        "Replaces an arithmetic op by another arithmetic op, such as `addf` by `subf`.",
        CODE, values::other_arithmetic;
    "swap-operands", "Swaps the operands of an op that is not commutative.",
        CODE, values::swap_operands;
    "swap-select", "Swaps the two values of a `select`.", CODE, values::swap_select;
    "other-boundary", "Swaps strict and non-strict comparisons, such as `<` and `<=`.",
        CODE, values::other_boundary;
    "negate-comparison", "Negates a comparison: `==` becomes `!=`, and `<` becomes `>=`.",
        CODE, values::negate_comparison;
    "other-signedness-of-comparison",
        "Makes a signed integer comparison unsigned, or an unsigned comparison signed.",
        CODE, values::other_signedness;
    "other-nan-of-comparison",
        "Makes an ordered float comparison unordered, or an unordered comparison ordered.",
        CODE, values::other_nan;
    "other-extreme",
        "Swaps ops that differ only for NaN: `maximum` and `maxnum`, or `minimum` and `minnum`.",
        CODE, values::other_extreme;
    "other-constant", "Changes a constant that is not an index, usually by adding 1.",
        CODE, values::other_constant;
    "other-zero", "Replaces a constant -0.0 by +0.0.", CODE, values::other_zero;
    "finite-for-infinite",
        "Replaces an infinity by a large finite number, or an extreme integer by its neighbour.",
        CODE, values::finite_for_infinite;
    "round-to-half", "Rounds a sum, difference or product in f32 to f16.",
        STRUCTURED, values::round_to_half;
    "other-extension", "Swaps signed and unsigned conversions, such as `extsi` and `extui`.",
        CODE, values::other_extension;
    "truncate-index", "Truncates an index to its low 8 bits.", STRUCTURED, values::truncate_index;
    "no-nan", "Adds the fast-math flag `nnan` to a maximum or minimum.", CODE, values::no_nan;

    "other-offset", "Adds 1 to an offset in an index computation.", CODE, values::other_offset;
    "other-factor", "Adds 1 to a constant factor in an index computation.",
        CODE, values::other_factor;
    "other-divisor",
        "Adds 1 to a constant divisor of an index, or halves the constant divisor of an address.",
        CODE, values::other_divisor;
    "load-neighbour", "Moves a load to the next element.", STRUCTURED, memory::load_neighbour;
    "store-neighbour", "Moves a store to the next element.", STRUCTURED, memory::store_neighbour;
    "other-address", "Moves an address by one element.", LLVM, memory::other_address;
    "drop-store", "Removes a store.", CODE, memory::drop_store;
    "other-vector-element", "Extracts another element of a vector.",
        CODE, memory::other_vector_element;
    "other-dimension", "Reads the size of another dimension.", STRUCTURED, memory::other_dimension;
    "share-scratch", "Makes two exchanges or two tiles share one shared-memory buffer.",
        SYNCHRONIZED, memory::share_scratch;
    "small-scratch", "Shrinks a shared-memory buffer to one element.",
        SYNCHRONIZED, memory::small_scratch;
    "other-subview", "Adds 1 to a dynamic offset of a subview.", STRUCTURED, memory::other_subview;
    "tear-atomic", "Replaces an atomic add by a load, an add and a store.",
        SYNCHRONIZED, memory::tear_atomic;
    "raise-alignment", "Multiplies the assumed alignment of a load or store by 4.",
        CODE, memory::raise_alignment;

    "late-loop", "Increases the lower bound of a loop by one step.", STRUCTURED, control::late_loop;
    "short-loop", "Decreases the upper bound of a loop by one step.",
        STRUCTURED, control::short_loop;
    "long-loop", "Increases the upper bound of a loop by one step.", STRUCTURED, control::long_loop;
    "other-step", "Doubles the step of a loop.", STRUCTURED, control::other_step;
    "lose-guard", "Replaces the condition of an `scf.if` by true.", STRUCTURED, control::lose_guard;
    "negate-guard", "Negates the condition of an `scf.if`.", STRUCTURED, control::negate_guard;
    "lose-update", "Discards the new value of a loop-carried variable.",
        STRUCTURED, control::lose_update;

    "drop-barrier", "Removes a barrier of the CTA.", TO_THE_END, threads::drop_barrier;
    "drop-warp-barrier", "Removes a barrier of a warp.", TO_THE_END, threads::drop_warp_barrier;
    "drop-named-barrier", "Removes a barrier of a warpgroup.",
        TO_THE_END, threads::drop_named_barrier;
    "barrier-for-one-thread", "Lets only thread 0 execute a barrier.",
        SYNCHRONIZED, threads::barrier_for_one_thread;
    "barrier-for-one-warp", "Lets only the first warp execute a barrier.",
        SYNCHRONIZED, threads::barrier_for_one_warp;
    "narrow-barrier", "Replaces a barrier of the CTA by a barrier of a warp.",
        SYNCHRONIZED, threads::narrow_barrier;
    "other-barrier-number", "Gives the barriers of two warpgroups the same id.",
        TO_THE_END, threads::other_barrier_number;
    "other-barrier-count", "Adds 32 to the thread count of a named barrier, or subtracts 32.",
        TO_THE_END, threads::other_barrier_count;
    "other-barrier-mask", "Removes a lane from the member mask of a warp barrier.",
        TO_THE_END, threads::other_barrier_mask;
    "early-barrier", "Moves a barrier before the preceding memory access.",
        SYNCHRONIZED, threads::early_barrier;
    "late-barrier", "Moves a barrier behind the next memory access.",
        SYNCHRONIZED, threads::late_barrier;
    "drop-cluster-barrier", "Removes a barrier of the cluster.",
        TO_THE_END, threads::drop_cluster_barrier;
    "relax-cluster-barrier",
        "Replaces a cluster barrier arrival by a relaxed arrival, which orders no accesses.",
        TO_THE_END, threads::relax_cluster_barrier;
    "drop-mbarrier-init", "Removes the initialization of an mbarrier object.",
        TO_THE_END, threads::drop_mbarrier_init;
    "drop-mbarrier-wait", "Removes the wait at an mbarrier object.",
        SYNCHRONIZED, threads::drop_mbarrier_wait;
    "other-expected-bytes", "Sets the expected byte count of an mbarrier object to 0.",
        TO_THE_END, threads::other_expected_bytes;
    "other-rank", "Sets the block rank of `nvvm.mapa` to 0.", TO_THE_END, threads::other_rank;
    "drop-fence", "Removes a fence.", TO_THE_END, threads::drop_fence;
    "drop-shuffle", "Replaces the result of a shuffle by the lane's own operand.",
        MASKED, threads::drop_shuffle;
    "other-shuffle-offset", "Doubles or halves the offset of a shuffle.",
        MASKED, threads::other_shuffle_offset;
    "other-shuffle-mode",
        "Replaces the mode of a shuffle: `up` by `down`, and other modes by `up`.",
        MASKED, threads::other_shuffle_mode;
    "other-shuffle-width", "Makes the width of a shuffle too small for its offset.",
        MASKED, threads::other_shuffle_width;
    "other-shuffle-mask", "Removes a lane from the member mask of a shuffle.",
        MASKED, threads::other_shuffle_mask;
    "whole-shuffle-mask", "Sets the member mask of a shuffle to all lanes.",
        MASKED, threads::whole_shuffle_mask;
    "shuffle-for-some", "Lets only even threads execute a shuffle.",
        MASKED, threads::shuffle_for_some;
    "other-redux-kind", "Replaces the kind of `redux`, such as `max` by `umax`.",
        MASKED, threads::other_redux_kind;
    "other-redux-mask", "Removes a lane from the member mask of `redux`.",
        MASKED, threads::other_redux_mask;
    "other-vote", "Swaps the vote kinds `any` and `all`.", MASKED, threads::other_vote;
    "other-thread", "Reads the thread or block index of another dimension.",
        STRUCTURED, threads::other_thread;
    "narrow-thread-range", "Excludes the last thread from the value range of a thread index.",
        LLVM, threads::narrow_range;

    "smaller-grid", "Decreases the grid size of a launch by one block.", HOST, host::smaller_grid;
    "other-block", "Halves the block size of a launch.", HOST, host::other_block;
    "swap-arguments", "Swaps two arguments of a launch.", HOST, host::swap_arguments;
    "drop-launch", "Removes a launch.", HOST, host::drop_launch;
    "swap-launches", "Swaps two launches.", HOST, host::swap_launches;
    "negate-choice",
        "Negates the condition on row lengths that selects a kernel with `#tile.hold`.",
        HOST, host::negate_choice;
    "small-temporary", "Shrinks a dimension of a temporary by 1.", HOST, host::small_temporary;
    "early-free", "Frees a temporary before its first use.", HOST, host::early_free;
    "other-known-block", "Halves the `known_block_size` of a kernel.",
        SYNCHRONIZED, host::other_known_block;
}
