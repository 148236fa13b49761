//! Table of edits: errors that a careless pass could make.
//!
//! The function of an edit is called for every op, and returns the changes that are possible there.

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
    /// Description as a sentence.
    pub(crate) what: &'static str,
    /// Passes after which the edit is made.
    pub(crate) after: &'static [&'static str],
    /// Returns the changes that are possible at an op.
    pub(crate) at: for<'c> fn(Op<'c>) -> Vec<Change<'c>>,
}

/// Passes after which reductions are single ops.
const WHOLE: &[&str] = &[
    "convert-linalg-to-tile",
    "tile-schedule",
    "tile-analyze-scope",
];
/// Pass that decides which ops share a kernel.
const GROUPED: &[&str] = &["tile-form-kernels"];
/// Pass after which reductions are loops and exchanges are ops.
const EXPANDED: &[&str] = &["tile-expand-reduce"];
/// Passes after barrier insertion.
const SYNCHRONIZED: &[&str] = &["tile-insert-sync", "convert-tile-to-gpu"];
/// Passes after barrier insertion, including a pass in the LLVM dialect.
const TO_THE_END: &[&str] = &[
    "tile-insert-sync",
    "convert-tile-to-gpu",
    "nvvm-require-block-size",
];
/// Passes with structured control flow.
const STRUCTURED: &[&str] = &[
    "tile-expand-reduce",
    "tile-expand-shuffle-tree",
    "gpu-expand-math",
];
/// Early and late passes, for any code.
const CODE: &[&str] = &[
    "tile-expand-reduce",
    "tile-expand-shuffle-tree",
    "gpu-expand-math",
    "nvvm-require-block-size",
];
/// Passes after which shuffles have member masks.
const MASKED: &[&str] = &[
    "tile-expand-shuffle-tree",
    "convert-gpu-shuffle-to-nvvm",
    "nvvm-require-block-size",
];
/// Pass in the LLVM dialect.
const LLVM: &[&str] = &["nvvm-require-block-size"];
/// Passes with host code, before the launch plan is derived.
const HOST: &[&str] = &["tile-schedule", "convert-tile-to-gpu"];

macro_rules! edits {
    ($($name:literal, $what:literal, $after:ident, $at:path;)*) => {
        /// All kinds of edit, in the order of their passes.
        pub(crate) const EDITS: &[Edit] = &[
            $(Edit { name: $name, what: $what, after: $after, at: $at },)*
        ];
    };
}

edits! {
    "lose-accumulate", "`tile.reduce` loses `accumulate`.", WHOLE, tile::lose_accumulate;
    "gain-accumulate", "`tile.reduce` gains `accumulate`.", WHOLE, tile::gain_accumulate;
    "other-kind", "`max` becomes `min`, `argmax` becomes `argmin`, `sum` becomes `prod` \
     …", WHOLE, tile::other_kind;
    "other-kind-of-exchange", "The same of `tile.all_reduce`.", EXPANDED, tile::other_kind;
    "other-signedness-of-kind", "`max` becomes `umax`, and back.", WHOLE, tile::other_signedness;
    "other-nan", "NaN is ignored where it must be propagated, and the other way \
     round.", WHOLE, tile::other_nan;
    "other-nan-of-exchange", "The same of `tile.all_reduce`.", EXPANDED, tile::other_nan;
    "narrow-accumulator", "Partial results in f32 become f16.", WHOLE, tile::narrow_accumulator;
    "other-identity", "An identity of `custom` is one more.", WHOLE, tile::other_identity;
    "other-axis", "Another dimension is reduced.", WHOLE, tile::other_axis;
    "other-map", "Two results of an indexing map change places, or one becomes 0.", WHOLE, tile::other_map;
    "narrow-scope", "An op of the CTA becomes one of a warp, one of a warp one of a \
     thread.", WHOLE, tile::narrow_scope;
    "drop-tile-op", "A `tile` op that writes memory is lost.", WHOLE, tile::drop_op;
    "swap-copy", "`tile.copy` copies the other way.", WHOLE, tile::swap_copy;
    "swap-destinations", "Two destinations of one `tile.reduce` change \
     places.", WHOLE, tile::swap_destinations;
    "swap-phases", "Two ops of one kernel change places, where the second reads what the first \
     computes.", GROUPED, host::swap_phases;
    "other-hand-over", "An op of a kernel reads other memory than what an op before it \
     computed.", GROUPED, host::other_hand_over;
    "lose-exchange", "A thread takes its own value for the result of \
     `tile.all_reduce`.", EXPANDED, tile::lose_exchange;
    "other-width", "`tile.all_reduce` has groups half as wide.", EXPANDED, tile::other_width;
    "other-stride", "Members of a group of `tile.all_reduce` are twice as far \
     apart.", EXPANDED, tile::other_stride;

    "other-arithmetic", "An operation becomes another: `addf` becomes `subf`, `maximumf` becomes \
     `minimumf` …", CODE, values::other_arithmetic;
    "swap-operands", "The operands of an operation that is not commutative change \
     places.", CODE, values::swap_operands;
    "swap-select", "The values of a `select` change places.", CODE, values::swap_select;
    "other-boundary", "`<` becomes `<=`, `<=` becomes `<`, and so on.", CODE, values::other_boundary;
    "negate-comparison", "`==` becomes `!=`, `<` becomes `>=`, and so on.", CODE, values::negate_comparison;
    "other-signedness-of-comparison", "A comparison of signed numbers becomes one of numbers \
     without sign, and back.", CODE, values::other_signedness;
    "other-nan-of-comparison", "A comparison that NaN fails becomes one that NaN passes, and \
     back.", CODE, values::other_nan;
    "other-extreme", "`maximum` becomes `maxnum`, which ignores NaN, and back.", CODE, values::other_extreme;
    "other-constant", "A number that is no index is one more: an identity, \
     mostly.", CODE, values::other_constant;
    "other-zero", "-0.0 becomes +0.0.", CODE, values::other_zero;
    "finite-for-infinite", "An infinity becomes the largest finite number, an extreme integer its \
     neighbour.", CODE, values::finite_for_infinite;
    "round-to-half", "A sum or product in f32 is rounded to f16.", STRUCTURED, values::round_to_half;
    "other-extension", "A conversion with sign becomes one without, and back.", CODE, values::other_extension;
    "truncate-index", "An index loses all but its low 8 bits.", STRUCTURED, values::truncate_index;
    "no-nan", "`nnan` is promised of a maximum or minimum.", CODE, values::no_nan;

    "other-offset", "A constant that is added to an index is one more.", CODE, values::other_offset;
    "other-factor", "A constant that an index is multiplied by is one more.", CODE, values::other_factor;
    "other-divisor", "A constant that an index is divided by is one more; one that an address is \
     divided by is half.", CODE, values::other_divisor;
    "load-neighbour", "A load takes the next element.", STRUCTURED, memory::load_neighbour;
    "store-neighbour", "A store goes to the next element.", STRUCTURED, memory::store_neighbour;
    "other-address", "An address is one element further.", LLVM, memory::other_address;
    "drop-store", "A store is lost.", CODE, memory::drop_store;
    "other-vector-element", "Another element of a vector is taken.", CODE, memory::other_vector_element;
    "other-dimension", "The size of another dimension is taken.", STRUCTURED, memory::other_dimension;
    "share-scratch", "Two exchanges, or two tiles, share one piece of shared \
     memory.", SYNCHRONIZED, memory::share_scratch;
    "small-scratch", "A piece of shared memory has one element.", SYNCHRONIZED, memory::small_scratch;
    "other-subview", "A view begins one element later.", STRUCTURED, memory::other_subview;
    "tear-atomic", "An atomic update becomes a load and a store.", SYNCHRONIZED, memory::tear_atomic;
    "raise-alignment", "A load or store is promised four times the alignment, or one of a vector \
     where there was none.", CODE, memory::raise_alignment;

    "late-loop", "A loop begins one step later.", STRUCTURED, control::late_loop;
    "short-loop", "A loop ends one iteration earlier.", STRUCTURED, control::short_loop;
    "long-loop", "A loop ends one iteration later.", STRUCTURED, control::long_loop;
    "other-step", "A loop takes two steps at once.", STRUCTURED, control::other_step;
    "lose-guard", "What is done under a condition is always done.", STRUCTURED, control::lose_guard;
    "negate-guard", "The condition of an `scf.if` is negated.", STRUCTURED, control::negate_guard;
    "lose-update", "A loop does not carry on what an iteration computed.", STRUCTURED, control::lose_update;

    "drop-barrier", "A barrier of the CTA is lost.", TO_THE_END, threads::drop_barrier;
    "drop-warp-barrier", "A barrier of a warp is lost.", TO_THE_END, threads::drop_warp_barrier;
    "drop-named-barrier", "A barrier of a warpgroup is lost.", TO_THE_END, threads::drop_named_barrier;
    "barrier-for-one-thread", "Only thread 0 arrives at a \
     barrier.", SYNCHRONIZED, threads::barrier_for_one_thread;
    "barrier-for-one-warp", "Only the first warp arrives at a \
     barrier.", SYNCHRONIZED, threads::barrier_for_one_warp;
    "narrow-barrier", "A barrier of the CTA becomes one of a warp.", SYNCHRONIZED, threads::narrow_barrier;
    "other-barrier-number", "Barriers of two warpgroups have one \
     number.", TO_THE_END, threads::other_barrier_number;
    "other-barrier-count", "A named barrier waits for 32 threads more, or \
     less.", TO_THE_END, threads::other_barrier_count;
    "other-barrier-mask", "A barrier of a warp leaves out a lane.", TO_THE_END, threads::other_barrier_mask;
    "early-barrier", "A barrier stands before the op in front of it.", SYNCHRONIZED, threads::early_barrier;
    "late-barrier", "A barrier stands behind the op after it.", SYNCHRONIZED, threads::late_barrier;
    "drop-cluster-barrier", "A barrier of the cluster is lost.", TO_THE_END, threads::drop_cluster_barrier;
    "relax-cluster-barrier", "A barrier of the cluster orders no \
     accesses.", TO_THE_END, threads::relax_cluster_barrier;
    "other-rank", "The memory of the first block of the cluster is taken for that of \
     another.", TO_THE_END, threads::other_rank;
    "drop-fence", "A fence is lost.", TO_THE_END, threads::drop_fence;
    "drop-shuffle", "A lane takes its own value for that of another.", MASKED, threads::drop_shuffle;
    "other-shuffle-offset", "A shuffle reaches twice as far, or half as \
     far.", MASKED, threads::other_shuffle_offset;
    "other-shuffle-mode", "A shuffle by `xor` or `down` becomes one `up`, one `up` becomes one \
     `down`.", MASKED, threads::other_shuffle_mode;
    "other-shuffle-width", "A shuffle stays within fewer lanes than it reaches \
     over.", MASKED, threads::other_shuffle_width;
    "other-shuffle-mask", "The member mask of a shuffle leaves out a \
     lane.", MASKED, threads::other_shuffle_mask;
    "whole-shuffle-mask", "The member mask of a shuffle names all \
     lanes.", MASKED, threads::whole_shuffle_mask;
    "shuffle-for-some", "Only even threads take part in a shuffle.", MASKED, threads::shuffle_for_some;
    "other-redux-kind", "`redux` computes something else.", MASKED, threads::other_redux_kind;
    "other-redux-mask", "The member mask of `redux` leaves out a lane.", MASKED, threads::other_redux_mask;
    "other-vote", "A vote asks whether all, in place of any, and back.", MASKED, threads::other_vote;
    "other-thread", "The index of a thread or block along another dimension is \
     taken.", STRUCTURED, threads::other_thread;
    "narrow-thread-range", "A thread's index is promised to be less than the last \
     one.", LLVM, threads::narrow_range;

    "smaller-grid", "A launch has one block less.", HOST, host::smaller_grid;
    "other-block", "A launch has blocks of half the threads.", HOST, host::other_block;
    "swap-arguments", "Two arguments of a launch change places.", HOST, host::swap_arguments;
    "drop-launch", "A launch is lost.", HOST, host::drop_launch;
    "swap-launches", "Two launches change places.", HOST, host::swap_launches;
    "negate-choice", "A condition on lengths by which a kernel that holds rows is launched is \
     negated.", HOST, host::negate_choice;
    "small-temporary", "A temporary has one element less.", HOST, host::small_temporary;
    "early-free", "A temporary is freed before it is used.", HOST, host::early_free;
    "other-known-block", "A kernel is taken to run in blocks of half the \
     threads.", SYNCHRONIZED, host::other_known_block;
}
