//! List of edits without an observable effect. Each entry states why the edit has no effect.
//!
//! Each entry should match as few places in the IR as possible. An entry contains the name of the
//! edit, the programs, and a part of the printed op. A printed op contains its source position, but
//! no names of SSA values. The line number in the source position is counted from the start of the
//! program. If several kernels contain equal ops, the kernel name precedes the op. A full run of
//! the mutation tests reports an error for each entry that matches no edit.

use crate::run::EditSite;

/// Edit without an observable effect.
pub(crate) struct Harmless {
    /// Name of the edit.
    pub(crate) edit: &'static str,
    /// Programs, separated by commas.
    pub(crate) programs: &'static str,
    /// Substring that the text of a place must contain. The text consists of the kernel name,
    /// `+LINES:COLUMN` and the printed op, with `%` for each SSA value.
    pub(crate) place: &'static str,
    /// Reason.
    pub(crate) why: &'static str,
}

impl Harmless {
    /// Returns whether the entry matches an edit at the place `place` of a program.
    pub(crate) fn holds_for(&self, edit: &str, program: &str, place: &EditSite) -> bool {
        let kernel = place.kernel.as_deref().unwrap_or_default();
        self.edit == edit
            && self.programs.split(',').any(|name| name == program)
            && without_names(&format!("{kernel} {}", place.op)).contains(self.place)
    }
}

/// Returns a printed op with `%` for each value. Value names change if a pass adds an op before the
/// printed op.
fn without_names(text: &str) -> String {
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push('%');
        let is_name =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '#' | '-' | '$' | '.');
        out.push_str(part.trim_start_matches(is_name));
    }
    out
}

macro_rules! harmless {
    ($($why:literal => { $($edit:literal $programs:literal $place:literal;)* })*) => {
        pub(crate) const HARMLESS: &[Harmless] = &[
            $($(Harmless { edit: $edit, programs: $programs, place: $place, why: $why },)*)*
        ];
    };
}

harmless! {
    "A square is never -0.0, so a sum of squares is never -0.0. The edit changes only the sign of \
     the zero that initializes the accumulator, and this sign has no effect." => {
        "other-zero" "programs/l2-norm@l2_norm" "+3:3 `% = arith.constant -0.0";
        "other-zero" "programs/fused-rows@layer_norm" "+11:3 `% = arith.constant -0.0";
        "other-zero" "programs/rows-of-any-length@in_place" "+7:3 `% = arith.constant -0.0";
        "other-zero" "programs/rms-norm-approximate@rms" "+4:3 `% = arith.constant -0.0";
    }
    "Each row contains its maximum, whose difference from itself is +0.0. The sum of the \
     differences is therefore never -0.0, and the sign of the zero that initializes the \
     accumulator has no effect." => {
        "other-zero" "mutations/jobs@centred" "+2:3 `% = arith.constant -0.0";
    }
    "A barrier separates the `tile.all_reduce` within each block from the `tile.all_reduce` of the \
     last block, which combines the partial results of the blocks. The threads therefore complete \
     all reads of the first `tile.all_reduce` before the second `tile.all_reduce` writes to the \
     shared buffer." => {
        "share-scratch" "mutations/blocks@columns,mutations/blocks@sum,mutations/jobs@centred"
            "memref.get_global @";
        "share-scratch" "programs/dot-and-matvec@dot_and_matvec" "+1:3 `% = memref.get_global @";
        "share-scratch" "programs/l2-norm@l2_norm" "+3:3 `% = memref.get_global @";
        "share-scratch" "programs/looked-up-columns@columns" "+1:3 `% = memref.get_global @";
        "share-scratch" "programs/looked-up-elements@rows" "+1:3 `% = memref.get_global @";
        "share-scratch" "programs/row-and-column-sums@row_and_column_sums"
            "+3:3 `% = memref.get_global @";
        "share-scratch" "programs/rows-of-any-length@by_hand" "by_hand_4 +4:3 `% = memref.get_global @";
        "share-scratch" "programs/mean@mean,programs/parity@parity,tutorial/t07-run@chosen"
            "memref.get_global @";
    }
    "A cluster barrier separates the exchange within each block from the exchange between blocks. \
     All threads therefore complete their reads in the exchange within the block before another \
     block writes to the shared buffer." => {
        "share-scratch" "programs/rows-of-any-length@in_place" "in_place_23 +7:3 `% = memref.get_global @";
    }
    "The kernel shifts the bits of a float that is always positive. For a positive number, a \
     signed shift and an unsigned shift give the same result." => {
        "other-arithmetic" "programs/fused-rows@pages" "pages_0 `% = arith.shrsi";
        "other-arithmetic" "programs/fused-rows@softmax" "softmax_0 +20:10 `% = arith.shrsi";
        "other-arithmetic" "programs/softmax-named@rows" "rows_0 +1:3 `% = arith.shrsi";
    }
    "Sign extension preserves the unsigned order of bytes, and zero extension yields non-negative \
     words. The kernel uses only the low byte of the result." => {
        "other-extension" "mutations/numbers@least_bytes" "+2:3 `% = arith.extui";
        "other-redux-kind" "mutations/numbers@least_bytes" "+2:3 `% = nvvm.redux.sync  umin";
    }
    "If two pairs have equal values and equal indices, the pairs are identical, and each of them \
     is a correct result." => {
        "other-boundary" "mutations/numbers@pairs" "+6:14 `% = arith.cmpi slt";
    }
    "The comparison tests whether a shared reciprocal gives correctly rounded quotients. With a \
     signed comparison, fewer operands pass the test. If an operand fails the test, the kernel \
     executes a division, which gives the same result." => {
        "other-signedness-of-comparison" "programs/layer-norm-statistics@layer_norm_statistics"
            "`% = arith.cmpi ult, %, % : i32";
        "other-signedness-of-comparison" "programs/softmax-named@rows"
            "`% = arith.cmpi ult, %, % : i32";
        "other-signedness-of-comparison" "programs/softmax@softmax"
            "`% = arith.cmpi ult, %, % : i32";
        "other-signedness-of-comparison" "programs/fused-rows@kept"
            "kept_0 +8:10 `% = arith.cmpi ult, %, % : i32";
        "other-signedness-of-comparison" "programs/fused-rows@pages"
            "pages_0 +12:10 `% = arith.cmpi ult, %, % : i32";
        "other-signedness-of-comparison" "programs/fused-rows@softmax"
            "softmax_0 +21:10 `% = arith.cmpi ult, %, % : i32";
    }
    "An array index is non-negative and less than the maximum value of the index type." => {
        "other-signedness-of-comparison" "programs/argmax-vocabulary@argmax" "+1:3 `% = arith.cmpi slt";
        "other-signedness-of-comparison" "mutations/numbers@places" "arith.cmpi slt";
        "other-signedness-of-comparison" "lower-reduction/fragments-tuples@argmax"
            "+3:14 `% = arith.cmpi slt";
        "other-signedness-of-comparison" "lower-reduction/many-warps@pairs_of_eight_warps"
            "+5:14 `% = arith.cmpi slt";
        "other-signedness-of-comparison" "lower-reduction/many-warps@pairs_of_nine_warps"
            "+5:14 `% = arith.cmpi slt";
        "finite-for-infinite" "lower-reduction/many-warps@pairs_of_nine_warps"
            "+5:14 `% = arith.constant 2147483647 : i32";
        "other-signedness-of-comparison" "tutorial/t10-argmax@across_threads" "+1:3 `% = arith.cmpi slt";
        "other-signedness-of-comparison" "tutorial/t10-argmax@written_out" "+6:15 `% = arith.cmpi slt";
    }
    "After the exchange of partial results, all lanes of a warp hold the same result. The stored \
     value therefore does not depend on the lane that stores the value." => {
        "other-divisor" "programs/all-finite@all_finite" "+1:3 `% = arith.remui";
        "other-divisor" "mutations/together@halves" "+7:10 `% = arith.remui";
        "other-divisor" "mutations/together@peaks" "+7:10 `% = arith.remui";
        "negate-comparison" "mutations/together@few" "+4:5 `% = arith.cmpi eq";
        "other-divisor" "lower-reduction/fragments-warps@sixteen_warps" "+3:10 `% = arith.remui";
        "other-divisor" "programs/argmax-vocabulary@argmax" "+1:3 `% = arith.remui";
        "other-divisor" "mutations/jobs@centred" "centred_7 +2:3 `% = arith.remui";
        "other-divisor" "programs/fused-rows@kept" "+4:3 `% = arith.remui";
    }
    "The comparison checks that the index of the exchange partner is less than an upper bound. No \
     thread in the block has a partner whose index is equal to the upper bound, so `<` and `<=` \
     give the same result." => {
        "other-boundary" "mutations/together@turn_by_turn" "+8:7 `% = arith.cmpi ult";
        "other-boundary" "lower-reduction/partial-warps@one_row_by_48" "+4:5 `% = arith.cmpi ult";
        "other-boundary" "ptx/one-row-by-48@one_row_by_48" "+4:5 `% = arith.cmpi ult";
    }
    "The edit only affects threads that process no row. Threads that process no row exchange \
     values only with each other, and store nothing." => {
        "other-zero" "mutations/together@few" "+4:5 `% = arith.constant -0.0";
        "other-zero" "mutations/together@in_turns" "+8:7 `% = arith.constant -0.0";
        "other-constant" "mutations/together@few" "+4:5 `% = arith.constant -0.0";
        "other-constant" "mutations/together@in_turns" "+8:7 `% = arith.constant -0.0";
        "other-constant" "mutations/together@tiles" "+6:5 `% = arith.constant 0xFF800000";
        "other-constant" "mutations/together@turn_by_turn" "+8:7 `% = arith.constant 0 : i32";
        "other-divisor" "mutations/together@turn_by_turn" "+8:7 `% = arith.remui %, %";
        "other-zero" "mutations/together@tiles" "+5:5 `% = arith.constant -0.0";
        "finite-for-infinite" "mutations/together@tiles" "+6:5 `% = arith.constant 0xFF800000";
        "other-zero" "lower-reduction/dynamic@one_row_at_a_time" "+2:5 `% = arith.constant -0.0";
        "other-arithmetic" "lower-reduction/fragments-lanes@five_lanes_apart"
            "+3:10 `% = arith.andi %, % : i1";
        "other-boundary" "lower-reduction/fragments-lanes@five_lanes_apart" "+3:10 `% = arith.cmpi ult";
        "other-boundary" "lower-reduction/fragments-lanes@six_lanes" "+3:10 `% = arith.cmpi ult";
        "other-constant" "lower-reduction/fragments-lanes@five_lanes_apart" "`% = llvm.mlir.constant(0.0";
        "other-constant" "lower-reduction/fragments-lanes@six_lanes" "`% = llvm.mlir.constant(0.0";
        "other-constant" "lower-reduction/fragments-lanes@lanes_8_to_15" "+2:10 `% = arith.constant 0.0";
        "other-constant" "lower-reduction/fragments-registers@any_of" "+2:10 `% = arith.constant false";
        "other-divisor" "lower-reduction/partial-warps@columns_by_20" "+2:5 `% = arith.remui";
        "other-factor" "lower-reduction/partial-warps@columns_by_20" "+2:5 `% = arith.muli";
        "other-constant" "lower-reduction/partial-warps@rows_by_20" "+4:5 `% = arith.constant -0.0";
        "other-zero" "lower-reduction/partial-warps@rows_by_20" "+4:5 `% = arith.constant -0.0";
        "other-constant" "lower-reduction/partial-warps@rows_by_48" "+4:5 `% = arith.constant -0.0";
        "other-zero" "lower-reduction/partial-warps@rows_by_48" "+4:5 `% = arith.constant -0.0";
        "other-constant" "lower-reduction/types@f16_sum" "+4:5 `% = arith.constant -0.0";
        "other-zero" "lower-reduction/types@f16_sum" "+4:5 `% = arith.constant -0.0";
        "other-constant" "lower-reduction/warp@warp_5_of_8" "+8:7 `% = arith.constant -0.0";
        "other-zero" "lower-reduction/warp@warp_5_of_8" "+8:7 `% = arith.constant -0.0";
        "other-constant" "lower-reduction/warpgroup@warpgroup_0_of_a_block_of_192"
            "+8:7 `% = arith.constant -0.0";
        "other-zero" "lower-reduction/warpgroup@warpgroup_0_of_a_block_of_192"
            "+8:7 `% = arith.constant -0.0";
        "other-constant" "ptx/f16@f16_sum" "+4:5 `% = arith.constant -0.0";
        "other-zero" "ptx/f16@f16_sum" "+4:5 `% = arith.constant -0.0";
        "other-constant" "ptx/packed-half-bf16@bf16_max" "+3:5 `% = arith.constant 0xFF800000 : f32";
        "finite-for-infinite" "ptx/packed-half-bf16@bf16_max" "+3:5 `% = arith.constant 0xFF800000 : f32";
        "other-divisor" "ptx/packed-half-bf16@bf16_max" "+3:5 `% = arith.remui";
        "other-constant" "ptx/packed-half-f16@f16_sum" "+3:5 `% = arith.constant -0.0";
        "other-zero" "ptx/packed-half-f16@f16_sum" "+3:5 `% = arith.constant -0.0";
        "other-divisor" "ptx/packed-half-f16@f16_sum" "+3:5 `% = arith.remui";
        "other-constant" "ptx/rows-by-20@rows_by_20" "+4:5 `% = arith.constant -0.0";
        "other-zero" "ptx/rows-by-20@rows_by_20" "+4:5 `% = arith.constant -0.0";
        "other-constant" "ptx/rows-by-48@rows_by_48" "+4:5 `% = arith.constant -0.0";
        "other-zero" "ptx/rows-by-48@rows_by_48" "+4:5 `% = arith.constant -0.0";
        "other-constant" "ptx/warp-5-of-8@warp_5_of_8" "+8:7 `% = arith.constant -0.0";
        "other-zero" "ptx/warp-5-of-8@warp_5_of_8" "+8:7 `% = arith.constant -0.0";
        "other-constant" "ptx/warpgroup-of-a-block-of-192@warpgroup_0_of_a_block_of_192"
            "+8:7 `% = arith.constant -0.0";
        "other-zero" "ptx/warpgroup-of-a-block-of-192@warpgroup_0_of_a_block_of_192"
            "+8:7 `% = arith.constant -0.0";
        "other-boundary" "programs/combined-reductions@max_over_sum" "+9:3 `% = arith.cmpi ult";
        "other-boundary" "programs/combined-reductions@sum_over_max" "+9:3 `% = arith.cmpi ult";
        "other-boundary" "programs/combined-reductions@range" "+8:3 `% = arith.cmpi ult";
        "other-boundary" "programs/combined-reductions@three" "+12:3 `% = arith.cmpi ult";
        "truncate-index" "programs/combined-reductions@three" "+13:3 `% = arith.addi";
        "truncate-index" "programs/fused-rows@layer_norm" "+20:3 `% = arith.addi";
        "other-boundary" "programs/fused-rows@spread" "+2:3 `% = arith.cmpi ult";
    }
    "After the exchange of partial results, all threads of a row hold the same result, bit for \
     bit. The stored value therefore does not depend on the thread that stores the value." => {
        "negate-comparison" "lower-reduction/partial-warps@rows_by_20" "+4:5 `% = arith.cmpi eq";
        "other-divisor" "lower-reduction/views@slice" "+5:5 `% = arith.remui";
        "negate-comparison" "lower-reduction/views@transposed" "+3:5 `% = arith.cmpi eq";
        "negate-guard" "lower-reduction/views@transposed" "+3:5 `scf.if`";
        "negate-comparison" "lower-reduction/warp@every_warp" "+12:5 `% = arith.cmpi eq";
        "negate-guard" "lower-reduction/warp@every_warp" "+12:5 `scf.if`";
    }
    "Consecutive loop iterations store overlapping ranges of row sums. If one iteration does not \
     store a row sum, another iteration stores the bitwise equal sum at the same address." => {
        "other-divisor" "lower-reduction/rows-in-a-loop@moving_destination" "+9:7 `% = arith.remui";
    }
    "The compared indices are distinct thread indices, so `<` and `<=` are equivalent." => {
        "other-boundary" "lower-reduction/many-warps@pairs_of_eight_warps" "+5:14 `% = arith.cmpi slt";
    }
    "The first lane of a warp stores the result, and exchanges its pair with lanes whose pairs \
     have greater indices. If two values are equal, the first lane always keeps its own pair, so \
     the comparison that detects equal values has no effect." => {
        "negate-comparison" "lower-reduction/many-warps@pairs_of_eight_warps" "+5:14 `% = arith.cmpf uno";
        "other-nan-of-comparison" "lower-reduction/many-warps@pairs_of_eight_warps"
            "+5:14 `% = arith.cmpf oeq";
        "other-nan-of-comparison" "lower-reduction/many-warps@pairs_of_nine_warps"
            "+5:14 `% = arith.cmpf oeq";
    }
    "The kernel uses only the low bits of the exchanged word. Sign extension and zero extension \
     give the same low bits." => {
        "other-extension" "programs/all-finite@all_finite" "+1:3 `% = arith.extui % : i1 to i32";
        "other-extension" "lower-reduction/fragments-redux@any_of_at_once"
            "+3:10 `% = arith.extui % : i1 to i32";
        "other-extension" "lower-reduction/fragments-registers@any_of" "+3:10 `% = llvm.zext % : i1 to i32";
        "other-extension" "lower-reduction/types@i8_xor" "+2:5 `% = arith.extui % : i8 to i32";
    }
    "All 32 lanes of a warp use the constant as the initial value of an `xor`. The `xor` of 32 \
     equal values is 0, so the value of the constant has no effect." => {
        "other-constant" "lower-reduction/types@i8_xor" "+2:5 `% = arith.constant 0 : i8";
    }
    "The program sums the differences between the elements and their maximum. If an element is \
     NaN, this sum is NaN, whatever the maximum is. If no element is NaN, the edit can only change \
     the sign of a maximum that is zero. If the maximum is zero, one of the differences is +0.0 \
     for both signs of the maximum, so the sum of the differences does not depend on this \
     sign." => {
        "other-nan" "lower-reduction/many-warps@twice" "+4:10 `% = tile.all_reduce max";
        "other-nan-of-exchange" "lower-reduction/many-warps@twice" "+4:10 `% = tile.all_reduce max";
        "other-extreme" "lower-reduction/many-warps@twice" "+4:10 `% = arith.maximumf";
        "other-nan" "lower-reduction/two-exchanges@two_exchanges" "+4:10 `% = tile.all_reduce max";
        "other-nan-of-exchange" "lower-reduction/two-exchanges@two_exchanges"
            "+4:10 `% = tile.all_reduce max";
        "other-extreme" "lower-reduction/two-exchanges@two_exchanges" "+4:10 `% = arith.maximumf";
    }
    "With the edit, the kernel still adds every element once, in another order. The order of a \
     float sum is unspecified." => {
        "other-arithmetic" "lower-reduction/sequences@one_after_the_other" "+4:5 `% = arith.addi";
        "other-arithmetic" "lower-reduction/views@alignment" "+6:5 `% = arith.addi";
        "other-offset" "lower-reduction/warp@every_warp" "+12:5 `% = arith.addi";
    }
    "The remainder loop of a row has at most one iteration, so its loop index is 0. The edit \
     truncates a product of the loop index, and the product is 0 as well." => {
        "truncate-index" "lower-reduction/dynamic@maximum" "+2:5 `% = arith.muli";
    }
    "The first lane of a row stores the result, and still receives the correct value. The kernel \
     does not use the values of the other lanes." => {
        "other-factor" "lower-reduction/fragments-lanes@five_lanes_apart" "+3:10 `% = arith.muli";
    }
    "The edit only affects lanes 8 to 15, and no later shuffle step reads the values of these \
     lanes. After the last shuffle step, all lanes receive the value of the first lane." => {
        "other-arithmetic" "lower-reduction/partial-warps@one_row_by_20" "+4:10 `% = arith.xori";
    }
    "All lanes of a warpgroup hold the same maximum, so its four warps hold the same sum. Each of \
     the four warps therefore holds a correct sum." => {
        "other-vector-element" "lower-reduction/warpgroups-unguarded@and_then_the_block"
            "+5:10 `% = vector.extract %[0]";
        "drop-shuffle" "lower-reduction/warpgroups-unguarded@and_then_the_block"
            "+5:10 `% = nvvm.shfl.sync  bfly";
        "other-shuffle-offset" "lower-reduction/warpgroups-unguarded@and_then_the_block"
            "+5:10 `% = nvvm.shfl.sync  bfly";
        "other-shuffle-mode" "lower-reduction/warpgroups-unguarded@and_then_the_block"
            "+5:10 `% = nvvm.shfl.sync  bfly";
        "other-shuffle-width" "lower-reduction/warpgroups-unguarded@and_then_the_block"
            "+5:10 `% = nvvm.shfl.sync  bfly";
    }
    "The edit moves the barrier across a load from memory that no thread writes. The moved barrier \
     still separates the reads of one loop iteration from the write of the next iteration." => {
        "early-barrier" "lower-reduction/all-reduce@in_a_loop" "+8:12 `gpu.barrier`";
    }
    "The barrier is redundant, because each element is accessed by the same thread before and \
     after the barrier. The compiler inserts the barrier because it assumes that any thread can \
     copy any element of a `tile.copy`." => {
        "narrow-barrier" "lower-reduction/columns@columns" "+4:5 `gpu.barrier`";
        "early-barrier" "lower-reduction/long-row@long_row" "+6:5 `gpu.barrier`";
        "late-barrier" "lower-reduction/long-row@long_row" "+6:5 `gpu.barrier`";
        "early-barrier" "lower-reduction/partial-warps@one_row_by_48" "+6:5 `gpu.barrier`";
        "late-barrier" "lower-reduction/partial-warps@one_row_by_48" "+6:5 `gpu.barrier`";
        "drop-barrier" "lower-reduction/sequences@loop" "+11:7 `gpu.barrier`";
        "early-barrier" "lower-reduction/sequences@loop" "+11:7 `gpu.barrier`";
        "late-barrier" "lower-reduction/sequences@loop" "+9:7 `gpu.barrier`";
        "narrow-barrier" "lower-reduction/sequences@loop" "+9:7 `gpu.barrier`";
        "drop-barrier" "lower-reduction/sequences@side_by_side" "+4:5 `gpu.barrier`";
        "early-barrier" "lower-reduction/sequences@side_by_side" "+4:5 `gpu.barrier`";
        "late-barrier" "lower-reduction/sequences@side_by_side" "+4:5 `gpu.barrier`";
        "narrow-barrier" "lower-reduction/sequences@side_by_side" "+4:5 `gpu.barrier`";
        "late-barrier" "lower-reduction/warpgroup@two_warpgroups"
            "+13:5 `nvvm.barrier id = % number_of_threads = %";
    }
    "The barrier is part of the input program, but orders no reads of the program. Only a \
     concurrent kernel that reads the same memory could depend on the barrier." => {
        "early-barrier" "lower-reduction/redundant-barriers@beside_an_atomic" "+5:5 `gpu.barrier`";
        "late-barrier" "lower-reduction/redundant-barriers@beside_an_atomic" "+5:5 `gpu.barrier`";
        "narrow-barrier" "lower-reduction/redundant-barriers@beside_an_atomic" "+5:5 `gpu.barrier`";
        "drop-barrier" "lower-reduction/redundant-barriers@beside_an_atomic" "+7:5 `gpu.barrier`";
    }
    "If a row contains a NaN, the sum of the exponentials of the row is NaN, whatever the maximum \
     of the row is. Every result of the row is therefore NaN." => {
        "other-nan" "programs/softmax@softmax" "+8:3 `% = tile.all_reduce max";
        "other-nan-of-exchange" "programs/softmax@softmax" "+8:3 `% = tile.all_reduce max";
        "other-extreme" "programs/softmax@softmax" "+8:3 `% = arith.maximumf";
        "other-extreme" "programs/log-sum-exp@log_sum_exp" "+5:10 `% = arith.maximumf";
        "other-nan" "programs/fused-rows@softmax" "+6:3 `% = tile.all_reduce max";
        "other-nan" "programs/softmax-named@rows,programs/softmax-named@columns"
            "+1:3 `% = tile.all_reduce max";
        "other-nan" "programs/softmax-approximate@rows" "+1:3 `% = tile.all_reduce max";
        "other-nan-of-exchange" "programs/softmax-named@rows,programs/softmax-named@columns"
            "+1:3 `% = tile.all_reduce max";
        "other-nan-of-exchange" "programs/softmax-approximate@rows" "+1:3 `% = tile.all_reduce max";
        "other-extreme" "programs/softmax-named@rows,programs/softmax-named@columns"
            "+1:3 `% = arith.maximumf";
        "other-extreme" "programs/softmax-approximate@rows" "+1:3 `% = arith.maximumf";
        "other-nan-of-exchange" "programs/fused-rows@softmax" "+6:3 `% = tile.all_reduce max";
        "other-extreme" "programs/fused-rows@softmax" "+6:3 `% = arith.maximumf";
    }
    "Exponentials are not negative, so their sum is never -0.0. The edit changes only the sign of \
     the zero that initializes the accumulator, and this sign has no effect." => {
        "other-zero" "programs/softmax@softmax" "+10:3 `% = arith.constant -0.0";
        "other-zero" "programs/fused-rows@kept" "+4:3 `% = arith.constant -0.0";
        "other-zero" "programs/fused-rows@pages" "+8:3 `% = arith.constant -0.0";
        "other-zero" "programs/fused-rows@softmax" "+8:3 `% = arith.constant -0.0";
        "other-zero" "programs/softmax-named@rows,programs/softmax-named@columns"
            "+1:3 `% = arith.constant -0.0";
        "other-zero" "programs/softmax-approximate@rows" "+1:3 `% = arith.constant -0.0";
    }
    "The edit only changes the maximum of a row whose elements are all -inf. With and without the \
     edit, the results of such a row are NaN, because the sum of the exponentials of the row is \
     NaN or 0." => {
        "finite-for-infinite" "programs/softmax@softmax" "+8:3 `% = arith.constant 0xFF800000";
        "finite-for-infinite" "programs/fused-rows@softmax" "+6:3 `% = arith.constant 0xFF800000";
        "finite-for-infinite" "programs/softmax-named@rows,programs/softmax-named@columns"
            "+1:3 `% = arith.constant 0xFF800000";
        "finite-for-infinite" "programs/softmax-approximate@rows" "+1:3 `% = arith.constant 0xFF800000";
    }
    "If the maximum of a row is finite, the sum of the exponentials is at least 1, so the \
     logarithm of the sum is never negative. If the maximum is -inf, inf or NaN, the sum of the \
     exponentials is 0 or NaN with and without the edit." => {
        "other-extension" "programs/log-sum-exp@log_sum_exp" "+23:10 `% = arith.sitofp";
    }
    "The edit affects only the maximum of an element count, and an element count is never NaN." => {
        "other-extreme" "programs/variance-welford@variance" "+6:13 `% = arith.maximumf";
    }
    "After the exchange of partial results, both lanes of a row hold the same sum. The stored \
     value therefore does not depend on which of the two lanes stores the value." => {
        "negate-comparison" "ptx/every-warp@every_warp" "+12:5 `% = arith.cmpi eq";
        "negate-guard" "ptx/every-warp@every_warp" "+12:5 `scf.if";
        "negate-comparison" "ptx/rows-by-20@rows_by_20" "+4:5 `% = arith.cmpi eq";
    }
    "With the edit, the second half of the warp stores the result instead of the first half. Both \
     halves of the warp read the same elements, exchange values only within themselves, and compute \
     the same result." => {
        "negate-comparison" "ptx/packed-half-bf16@bf16_max" "+3:5 `% = arith.cmpi ult";
        "negate-comparison" "ptx/packed-half-f16@f16_sum" "+3:5 `% = arith.cmpi ult";
    }
    "With the edit, the threads start at another element of their row, and wrap around at the end \
     of the row. With the edit, the threads add the same elements in another order." => {
        "other-offset" "ptx/every-warp@every_warp" "+12:5 `% = arith.addi %, % : index";
        "other-arithmetic" "ptx/skew@rows" "+3:5 `% = arith.addi %, % : index";
    }
    "The kernel uses only the low bits of the exchanged word. Sign extension and zero extension \
     give the same low bits." => {
        "other-extension" "ptx/i8@i8_or" "+2:5 `% = arith.extui % : i8 to i32";
        "other-extension" "ptx/packed-half-f16@f16_sum" "+3:5 `% = llvm.zext % : i16 to i32";
    }
    "Each warp contains 16 or 32 lanes of a row. The edit only affects the value of the \
     fourth-last of the 16 or 32 lanes. After the edited shuffle step, the value of the first lane \
     does not depend on the value of the fourth-last lane." => {
        "other-boundary" "ptx/all-reduce-width-48-i32@integers" "+5:10 `% = arith.cmpi ult";
        "other-boundary" "ptx/all-reduce-width-48@rows" "+5:10 `% = arith.cmpi ult";
    }
    "The condition of the removed guard is always true, because the block has 32 threads." => {
        "lose-guard" "ptx/batched@rows" "+2:5 `scf.if";
    }
    "The condition of the removed guard is always true, because four loop iterations of 32 threads \
     load 128 of 150 vectors, so vectors remain after the loop." => {
        "lose-guard" "mutations/numbers@places" "+1:3 `scf.if";
    }
    "If the loop leaves no remainder of rows or columns, the remainder loop has no iterations." => {
        "other-boundary" "tutorial/t02-split@rows" "+1:3 `% = arith.cmpi ult";
        "lose-guard" "tutorial/t02-split@rows" "+1:3 `scf.if";
        "lose-guard" "tutorial/t03-bind@rows" "+1:3 `scf.if";
    }
    "If the loop leaves no remainder of columns, the bounds check of each column is false inside \
     the branch." => {
        "other-boundary" "tutorial/t04-rfactor@rows" "+1:3 `% = arith.cmpi ult";
        "other-boundary" "tutorial/t05-print@named" "+1:3 `% = arith.cmpi ult";
        "other-boundary" "tutorial/t05-print@written_out" "+1:3 `% = arith.cmpi ult";
    }
    "Between the old and the new position of the barrier, threads only read elements of an \
     argument that no other thread writes." => {
        "early-barrier" "ptx/all-reduce-in-a-loop@in_a_loop" "+8:12 `gpu.barrier";
    }
    "The barrier is redundant, because each thread reads only those tile elements that the thread \
     itself copied." => {
        "narrow-barrier" "ptx/columns@columns" "+4:5 `gpu.barrier";
        "late-barrier" "ptx/two-warpgroups@two_warpgroups" "+13:5 `nvvm.barrier";
    }
    "The barrier is redundant, because thread 0 writes the only element, and thread 0 also copies \
     this element." => {
        "early-barrier" "ptx/long-row@long_row" "+6:5 `gpu.barrier";
        "late-barrier" "ptx/long-row@long_row" "+6:5 `gpu.barrier";
        "early-barrier" "ptx/one-row-by-48@one_row_by_48" "+6:5 `gpu.barrier";
        "late-barrier" "ptx/one-row-by-48@one_row_by_48" "+6:5 `gpu.barrier";
    }
    "The constant replaces an out-of-range element. The bounds check that selects the constant \
     also excludes the element from the result." => {
        "other-constant" "mutations/jobs@spread" "+1:3 `% = arith.constant 0 : i32";
        "other-constant" "mutations/jobs@two_steps" "+1:3 `% = arith.constant 0.0";
        "other-constant" "mutations/numbers@greatest" "+1:3 `% = arith.constant 0 : i32";
        "other-constant" "mutations/numbers@product" "+1:3 `% = arith.constant 0.0";
        "other-constant" "mutations/numbers@range" "+1:3 `% = arith.constant 0.0";
        "other-constant" "programs/dot-and-matvec@dot_and_matvec" "+2:3 `% = arith.constant 0.0";
        "other-constant" "programs/l2-norm@l2_norm" "+3:3 `% = arith.constant 0.0";
        "other-constant" "programs/row-and-column-sums@row_and_column_sums" "+5:3 `% = arith.constant 0.0";
        "other-constant" "programs/combined-reductions@both_places" "+6:3 `% = arith.constant 0.0";
        "other-constant" "programs/combined-reductions@max_over_sum" "+9:3 `% = arith.constant 0.0";
        "other-constant" "programs/combined-reductions@sum_over_max" "+9:3 `% = arith.constant 0.0";
        "other-constant" "programs/combined-reductions@range" "+8:3 `% = arith.constant 0.0";
        "other-constant" "programs/combined-reductions@three" "+11:3 `% = arith.constant 0.0";
        "other-constant" "ptx/narrow-vectors@rows" "+1:3 `% = arith.constant 0.0";
        "other-constant" "programs/fused-rows@parts_of_vectors" "+2:3 `% = arith.constant 0.0";
        "other-constant" "mutations/jobs@centred" "+1:3 `% = arith.constant 0.0";
        "other-constant" "programs/rows-of-any-length@in_place" "+1:3 `% = arith.constant 0.0";
        "other-constant" "programs/rows-of-any-length@layer_norm" "+9:3 `% = arith.constant 0.0";
        "other-constant" "programs/rms-norm-approximate@rms" "+12:3 `% = arith.constant 0.0";
    }
    "If the alignment check fails, the kernel loads the array with scalar loads instead of vector \
     loads, and computes the same result." => {
        "swap-operands" "ptx/vectors-beside-scalars@dot" "+1:3 `% = arith.remui";
        "swap-operands" "programs/dot-and-matvec@dot_and_matvec"
            "dot_and_matvec_5 +1:3 `% = arith.remui";
        "swap-operands" "ptx/narrow-vectors@rows" "+1:3 `% = arith.remui";
    }
    "The kernel replaces out-of-range elements by 0, and the square of 0 does not change the sum." => {
        "lose-guard" "programs/l2-norm@l2_norm" "+3:3 `scf.if";
        "other-boundary" "programs/rms-norm-approximate@rms" "+4:3 `% = arith.cmpi ult";
    }
    "The kernel replaces out-of-range elements by 0. An additional element of value 0 changes \
     neither the sum nor the sum of squares." => {
        "other-boundary" "programs/layer-norm-statistics@layer_norm_statistics"
            "layer_norm_statistics_10 +13:3 `% = arith.cmpi ult";
    }
    "The kernel's arrays fit into one loop iteration. If elements remain for the remainder loop, \
     the iteration count of the main loop is 0. The product of the iteration count and the edited \
     factor is then 0." => {
        "other-factor" "programs/l2-norm@l2_norm" "+3:3 `% = arith.muli";
    }
    "Multiplication is commutative, so the order of the factors has no effect." => {
        "swap-arguments" "ptx/vectors-beside-scalars@dot" "+1:3 `gpu.launch_func";
        "swap-arguments" "programs/looked-up-columns@columns" "columns_0 +1:3 `gpu.launch_func";
        "swap-arguments" "programs/looked-up-elements@rows" "rows_0 +1:3 `gpu.launch_func";
    }
    "The comparison selects the smaller or the larger of two numbers. If both numbers are equal, \
     both choices give the same result." => {
        "other-boundary" "programs/softmax@softmax" "softmax_9 +25:10 `% = arith.cmpf olt";
        "other-boundary" "programs/element-wise-chains@gated" "`% = arith.cmpf ogt";
        "other-boundary" "programs/element-wise-chains@turned" "`% = arith.cmpf ogt";
        "other-boundary" "programs/fused-rows@pages" "`% = arith.cmpf ogt";
        "other-boundary" "programs/fused-rows@softmax" "+20:10 `% = arith.cmpf ogt";
        "other-boundary" "programs/softmax-named@rows" "+1:3 `% = arith.cmpf ogt";
        "other-boundary" "programs/softmax@softmax" "softmax_4 +25:10 `% = arith.cmpf ogt";
    }
    "If the maximum is NaN, the result is NaN, whatever number the kernel subtracts from the \
     elements." => {
        "other-nan-of-comparison" "programs/log-sum-exp@log_sum_exp" "+7:13 `% = arith.cmpf oeq";
    }
    "The kernel checks the bounds of each element. In the additional loop iteration, every element \
     is out of bounds, so the kernel ignores the element." => {
        "long-loop" "programs/log-sum-exp@log_sum_exp" "log_sum_exp_6 +1:3 `scf.for";
        "long-loop" "programs/looked-up-elements@rows" "rows_9 +1:3 `scf.for";
        "long-loop" "programs/row-and-column-sums@row_and_column_sums"
            "row_and_column_sums_12 +3:3 `scf.for";
        "long-loop" "programs/argmax-vocabulary@argmax" "+1:3 `scf.for";
        "long-loop" "programs/rows-of-any-length@by_hand" "by_hand_5 +4:3 `scf.for";
        "long-loop" "programs/mean@mean" "+7:3 `scf.for";
        "long-loop" "programs/parity@parity" "+1:3 `scf.for";
        "long-loop" "programs/variance-welford@variance" "+1:3 `scf.for";
        "long-loop" "ptx/narrow-vectors@rows" "+1:3 `scf.for";
        "long-loop" "ptx/welford-branches@variance" "+1:3 `scf.for";
        "long-loop" "tutorial/t07-run@chosen" "+1:3 `scf.for";
    }
    "The edit has no effect on counts up to 2048, because f16 represents these counts exactly. In \
     rows of more than 2048 elements, the edit rounds one of several hundred partial counts. The \
     error of the result is within the error bound for a changed order of combination." => {
        "round-to-half" "programs/variance-welford@variance" "+5:10 `% = arith.addf";
    }
    "The edit rounds one partial sum of a row once, with a relative error of at most 1/2048. The \
     error is within the error bound for a changed order of combination, because the combiner \
     multiplies by a rounded exponential for each of up to 1024 elements." => {
        "round-to-half" "programs/log-sum-exp@log_sum_exp" "log_sum_exp_5 +13:11 `% = arith.mulf";
    }
    "The kernel uses only the first of four elements of the buffer. The other three elements pad \
     the buffer to 16 bytes." => {
        "small-scratch" "lower-reduction/many-warps@pairs_of_nine_warps"
            "@pairs_of_nine_warps_scratch_3 : memref<4xi32";
        "small-scratch" "lower-reduction/many-warps@thirty_two_warps"
            "@thirty_two_warps_scratch_1 : memref<4xf32";
        "small-scratch" "lower-reduction/many-warps@twice" "@twice_scratch_1 : memref<4xf32";
        "small-scratch" "programs/argmax-vocabulary@argmax" "@argmax_0_scratch_3 : memref<4xi32";
        "small-scratch" "programs/layer-norm-statistics@layer_norm_statistics"
            "@layer_norm_statistics_23_scratch_3 : memref<4xf32";
    }
    "The kernel processes the results of rows of more than 65536 elements. The generated inputs \
     have fewer than 1024 such rows, so the index of the block is 0." => {
        "other-factor" "programs/layer-norm-statistics@layer_norm_statistics"
            "layer_norm_statistics_15 +22:3 `% = arith.muli";
        "other-factor" "programs/layer-norm-statistics@layer_norm_statistics"
            "layer_norm_statistics_26 +22:3 `% = arith.muli";
    }
    "The edit rounds the argument of a square root to f16, which changes the result by a relative \
     error of at most 2^-12. The result is rounded to bf16 afterwards, with an error of up to 2^-9." => {
        "round-to-half" "programs/rms-norm-approximate@rms" "+18:10 `% = arith.addf";
    }
    "If no elements remain after the loop, the bounds check of each element is false inside the \
     branch." => {
        "other-boundary" "mutations/blocks@sum" "+1:3 `% = arith.cmpi ult";
        "other-boundary" "programs/l2-norm@l2_norm" "l2_norm_0 +3:3 `% = arith.cmpi ult";
        "other-boundary" "programs/looked-up-columns@columns" "columns_0 +1:3 `% = arith.cmpi ult";
    }
    "The first warp holds all three partial results, and its first thread stores the result. The \
     edit excludes the sum of the second warp, and this sum is -0.0, the identity of addition." => {
        "other-width" "mutations/blocks@sum" "+1:3 `% = tile.all_reduce sum % scope(cta) width 64";
    }
    "After the exchange of partial results, both threads of a column hold the same sum. The stored \
     value therefore does not depend on which of the two threads stores the value." => {
        "negate-comparison" "mutations/blocks@columns" "+1:3 `% = arith.cmpi eq";
    }
    "The kernel's rows have at most 64 elements, so the loop has at most one iteration." => {
        "other-step" "mutations/jobs@centred" "+2:3 `scf.for";
    }
    "With the edit, the kernel peels the first four elements of an aligned row, as it peels the \
     head of an unaligned row. The vector loads begin after the peeled elements." => {
        "other-divisor" "programs/dot-and-matvec@dot_and_matvec"
            "dot_and_matvec_4 +1:3 `% = arith.remui";
    }
    "The edit changes only an index that is out of range. With the edited index, the kernel reads \
     another row of the array again, and `or` is idempotent." => {
        "truncate-index" "mutations/numbers@bits" "+2:3 `% = arith.addi";
    }
    "The first half of the threads holds all partial results, and its first thread stores the \
     result. Each thread of the second half holds the identity of the combiner." => {
        "other-width" "programs/dot-and-matvec@dot_and_matvec"
            "dot_and_matvec_9 +1:3 `% = tile.all_reduce sum % scope(cta) width 512";
        "other-width" "programs/log-sum-exp@log_sum_exp" "log_sum_exp_7 +1:3 `tile.all_reduce";
        "other-width" "programs/rows-of-any-length@by_hand" "by_hand_4 +4:3 `% = tile.all_reduce";
    }
    "Both arguments are temporaries of the same size. The kernel reads from each of the two \
     temporaries only values that the kernel itself wrote to the temporary." => {
        "swap-arguments" "programs/log-sum-exp@log_sum_exp" "+1:3 `gpu.launch_func";
    }
    "The condition of the removed guard is always true, because 31 loop iterations of 1024 threads \
     load 31744 of 32320 vectors, so vectors remain after the loop." => {
        "lose-guard" "programs/argmax-vocabulary@argmax" "+1:3 `scf.if";
    }
    "The condition of the removed guard is always true, because seven loop iterations of 32 \
     threads load 224 of 249 or 250 vectors, so vectors remain after the loop." => {
        "lose-guard" "ptx/welford-branches@variance" "+1:3 `scf.if";
    }
    "The edit only affects threads without a row. Threads without a row load only factors that are \
     common to all rows, and store nothing." => {
        "other-boundary" "programs/fused-rows@layer_norm" "+11:3 `% = arith.cmpi ult";
        "lose-guard" "programs/fused-rows@layer_norm" "+20:3 `scf.if";
        "lose-guard" "programs/rms-norm-approximate@rms" "+12:3 `scf.if";
    }
    "If a row contains a NaN, every reduction of the row is NaN. The result is NaN if at least one \
     reduction of the row is NaN, so it does not matter whether another reduction ignores NaN." => {
        "other-nan" "programs/combined-reductions@max_over_sum" "+9:3 `% = tile.all_reduce max";
        "other-nan-of-exchange" "programs/combined-reductions@max_over_sum"
            "+9:3 `% = tile.all_reduce max";
        "other-extreme" "programs/combined-reductions@max_over_sum" "+9:3 `% = arith.maximumf";
        "other-nan" "programs/combined-reductions@sum_over_max" "+9:3 `% = tile.all_reduce max";
        "other-nan-of-exchange" "programs/combined-reductions@sum_over_max"
            "+9:3 `% = tile.all_reduce max";
        "other-extreme" "programs/combined-reductions@sum_over_max" "+9:3 `% = arith.maximumf";
        "other-nan" "programs/combined-reductions@range" "+9:3 `% = tile.all_reduce max";
        "other-nan-of-exchange" "programs/combined-reductions@range" "+9:3 `% = tile.all_reduce max";
        "other-extreme" "programs/combined-reductions@range" "+9:3 `% = arith.maximumf";
        "other-extreme" "programs/combined-reductions@three" "+13:3 `% = arith.maximumf";
        "other-nan" "programs/combined-reductions@three" "+13:3 `% = tile.all_reduce max";
        "other-nan-of-exchange" "programs/combined-reductions@three" "+13:3 `% = tile.all_reduce max";
    }
    "A sum is -0.0 only if all elements of the row are -0.0. The maximum of such a row is zero too, \
     and zero divided by zero is NaN, whatever the signs of the zeros." => {
        "other-zero" "programs/combined-reductions@max_over_sum" "+8:3 `% = arith.constant -0.0";
        "other-zero" "programs/combined-reductions@sum_over_max" "+8:3 `% = arith.constant -0.0";
    }
    "The result of adding 1 to a number is never -0.0, so a sum of such results is never -0.0. The \
     edit changes only the sign of the zero that initializes the accumulator, and this sign has no \
     effect." => {
        "other-zero" "programs/fused-rows@turned" "+13:3 `% = arith.constant -0.0";
    }
    "If the difference between an element and the maximum is NaN, the sum of the row is NaN. The \
     kernel divides the exponentials of the row by the sum, so the results of the row are NaN with \
     and without the edit." => {
        "other-nan-of-comparison" "programs/fused-rows@softmax" "+20:10 `% = arith.cmpf olt";
        "other-nan-of-comparison" "programs/softmax-named@rows" "+1:3 `% = arith.cmpf olt";
        "other-nan-of-comparison" "programs/softmax-named@columns" "+1:3 `% = llvm.fcmp";
        "other-nan-of-comparison" "programs/softmax@softmax" "+25:10 `% = arith.cmpf olt";
    }
    "The rounded coefficient is multiplied by the third power of a number below 0.35. For rows of \
     1000 elements, the error is within the error bound for a changed order of combination." => {
        "round-to-half" "programs/fused-rows@kept" "`% = math.fma";
    }
    "The rounded coefficient is multiplied by the fourth power of a number below 0.35. For rows of \
     more than 2048 elements, the error is within the error bound for a changed order of \
     combination." => {
        "round-to-half" "programs/softmax@softmax" "softmax_12 +25:10 `% = math.fma";
    }
    "The edit rounds the exponential of one element per thread, and 128 threads sum 2049 to 4096 \
     exponentials. The error of the sum is within the error bound for a changed order of \
     combination." => {
        "round-to-half" "programs/softmax@softmax" "softmax_6 +15:10 `% = arith.mulf";
    }
    "The edit rounds one difference per thread, with a relative error of at most 2^-11. The rows have \
     more than 8192 elements, so the error is within the error bound for a changed order of \
     combination." => {
        "round-to-half" "mutations/jobs@centred" "centred_17 +5:10 `% = arith.subf";
    }
    "The kernel replaces NaN by -inf before the comparison." => {
        "other-nan" "tutorial/t10-argmax-linalg@argmax" "+5:3 `tile.reduce`";
        "other-nan-of-comparison" "tutorial/t10-argmax-linalg@argmax" "+5:3 `% = arith.cmpf ugt";
    }
    "The kernel replaces out-of-range elements by 0, and `xor` with 0 has no effect." => {
        "lose-guard" "programs/parity@parity" "+1:3 `scf.if";
    }
    "The kernel's rows have at most 1024 elements, so the indices of their vectors are below 256." => {
        "truncate-index" "programs/variance-welford@variance" "+1:3 `% = arith.muli";
    }
    "The thread has already counted one element, so the new count is at least 2. A lower limit of \
     2 instead of 1 has no effect." => {
        "other-constant" "programs/variance-welford@variance" "+4:12 `% = arith.constant 1.0";
    }
    "The first half of the block holds all 128 partial results, and its first thread stores the \
     result. The second half of the block does not contribute to the result." => {
        "other-width" "programs/variance-welford@variance" "+1:3 `tile.all_reduce`";
    }
    "The rounded number is an integer below 2048, which f16 represents exactly." => {
        "round-to-half" "programs/element-wise-chains@gated" "`% = arith.subf";
    }
    "The kernel adds the exponential to another number. If the operand of the exponential is NaN, \
     the other number is NaN as well." => {
        "other-nan-of-comparison" "programs/element-wise-chains@gated" "`% = llvm.fcmp \"olt\"";
        "other-nan-of-comparison" "programs/element-wise-chains@turned" "`% = llvm.fcmp \"olt\"";
    }
    "The rounded coefficient is multiplied by the third power of a number below 0.35. The error is \
     within the tolerance of the exponential." => {
        "round-to-half" "programs/element-wise-chains@turned" "`% = math.fma";
    }
    "With the edit, the last vector of a row without a remainder is loaded and stored element by \
     element, with the same result." => {
        "other-offset" "programs/element-wise-chains@gated" "+24:3 `% = llvm.add";
    }
    "The edit swaps the two operands of the first addition, which is commutative." => {
        "swap-arguments" "programs/transposes@four" "+1:3 `gpu.launch_func";
    }
    "The result has no elements, so the kernel does nothing." => {
        "drop-launch" "programs/transposes@nothing" "+1:3 `gpu.launch_func";
        "smaller-grid" "programs/transposes@nothing" "+1:3 `gpu.launch_func";
    }
    "With the edit, aligned arrays take the slower path for unaligned arrays, which computes the \
     same result." => {
        "swap-operands" "programs/transposes@small" "`% = arith.remui";
    }
    "Four warps hold the 128 partial results. The first lane loads the four warp totals as one \
     vector, so the shuffles with other lanes do not change its sum." => {
        "drop-shuffle" "programs/rows-of-any-length@by_hand" "by_hand_4 +4:3 `% = nvvm.shfl.sync  bfly";
        "other-shuffle-offset" "programs/rows-of-any-length@by_hand"
            "by_hand_4 +4:3 `% = nvvm.shfl.sync  bfly";
        "other-shuffle-mode" "programs/rows-of-any-length@by_hand"
            "by_hand_4 +4:3 `% = nvvm.shfl.sync  bfly";
        "other-shuffle-width" "programs/rows-of-any-length@by_hand"
            "by_hand_4 +4:3 `% = nvvm.shfl.sync  bfly";
    }
    "With the edit, a row of the maximum length of one kernel is dispatched to the kernel for \
     longer rows, which computes the same result." => {
        "other-boundary" "programs/rows-of-any-length@by_hand" "+13:3 `% = arith.cmpi sle";
        "other-boundary" "mutations/fused@two_lengths" "+22:3 `% = arith.cmpi sle";
    }
    "The comparison selects between two kernels that both compute rows of every length, with the \
     same results." => {
        "negate-comparison" "mutations/fused@two_lengths" "+22:3 `% = arith.cmpi sle";
    }
    "The bounds check compares the last element of a vector with the length of the row. The vector \
     is inside the row or outside, as a whole, so the two are never equal." => {
        "other-boundary" "programs/rows-of-any-length@in_place" "in_place_20 +1:3 `% = arith.cmpi ult";
        "other-boundary" "programs/rows-of-any-length@layer_norm"
            "layer_norm_16 +20:3 `% = arith.cmpi ult";
    }
    "Only the bounds check of a square uses the index. A register for an element outside the row \
     holds 0, and the square of 0 does not change the sum." => {
        "truncate-index" "programs/rows-of-any-length@in_place" "in_place_18 +7:3 `% = arith.muli";
    }
    "With the edit, aligned arrays take the path for unaligned arrays, which computes the same \
     result." => {
        "other-arithmetic" "programs/combined-reductions@three" "+13:3 `% = arith.remui";
        "other-arithmetic" "programs/rows-of-any-length@layer_norm"
            "layer_norm_26 +11:3 `% = arith.remui";
        "swap-operands" "mutations/jobs@centred" "centred_4 +2:3 `% = arith.remui";
        "swap-operands" "programs/fused-rows@spread" "+2:3 `% = arith.remui";
    }
    "The host launches the kernel only for rows whose length is a multiple of 4. The check of the \
     stride is therefore true with every smaller divisor." => {
        "other-divisor" "programs/layer-norm-statistics@layer_norm_statistics"
            "layer_norm_statistics_6 +22:3 `% = arith.remui";
        "other-divisor" "programs/softmax@softmax" "softmax_4 +19:3 `% = arith.remui";
    }
    "If a row contains a NaN, its maximum is NaN, and every difference from the maximum is NaN. \
     The result is therefore NaN, whatever the comparison with NaN returns." => {
        "other-nan-of-comparison" "mutations/fused@two_lengths" "+18:11 `% = arith.cmpf oeq";
    }
    "The kernel contains one alignment check of the array for each op. The edit changes one of \
     these checks, and the other checks of the array still detect misalignment." => {
        "other-divisor" "mutations/fused@two_lengths" "two_lengths_1 +22:3 `% = arith.remui";
        "other-divisor" "programs/rows-of-any-length@by_hand" "by_hand_1 +13:3 `% = arith.remui";
    }
    "The array is not aligned and is loaded element by element, so the length of the peeled head \
     has no effect." => {
        "other-arithmetic" "mutations/fused@two_lengths" "two_lengths_3 +5:3 `% = arith.remui";
        "swap-operands" "mutations/fused@two_lengths" "two_lengths_3 +5:3 `% = arith.subi";
    }
    "In a row whose elements are all -inf, each difference from the maximum is NaN. With the \
     edited maximum, the result is the product of -inf and a count of 0, and this product is NaN \
     too." => {
        "finite-for-infinite" "mutations/fused@two_lengths"
            "two_lengths_0 +5:3 `% = arith.constant 0xFF800000";
    }
    "A thread counts fewer than 2048 elements, and f16 represents these counts exactly." => {
        "round-to-half" "mutations/fused@two_lengths" "two_lengths_12 +13:3 `% = arith.addf";
    }
    "The edit raises the lower bound of the exponential's operand from -104 to -103. The \
     exponential changes by at most the smallest subnormal f32." => {
        "other-constant" "programs/softmax-named@columns" "+1:3 `% = arith.constant -1.04";
    }
    "The array has 231 columns, so the truncation of a column index to 8 bits has no effect." => {
        "truncate-index" "programs/softmax-named@columns" "columns_1 +1:3 `% = arith.addi";
    }
    "The grid has one block per row, so each block writes its scratch buffer only once, and no \
     later write conflicts with a read of the buffer." => {
        "late-barrier" "programs/rows-of-any-length@by_hand" "by_hand_1 +4:3 `gpu.barrier";
        "drop-barrier" "programs/rows-of-any-length@in_place" "in_place_17 +7:3 `gpu.barrier";
        "early-barrier" "programs/rows-of-any-length@in_place" "in_place_13 +7:3 `gpu.barrier";
        "early-barrier" "programs/layer-norm-statistics@layer_norm_statistics"
            "layer_norm_statistics_6 +13:3 `gpu.barrier";
        "early-barrier" "programs/layer-norm-statistics@layer_norm_statistics"
            "layer_norm_statistics_13 +13:3 `gpu.barrier";
    }
    "The edit changes the contribution of one element among more than 4096, by at most one third. \
     The error is within the error bound for a changed order of combination." => {
        "other-arithmetic" "programs/log-sum-exp@log_sum_exp" "log_sum_exp_7 +12:11 `% = arith.mulf";
    }
    "Between the two reductions that exchange values through the shared buffer, all threads wait \
     at a barrier until the maximum is in memory." => {
        "share-scratch" "mutations/fused@two_lengths" "two_lengths_1 +5:3 `% = memref.get_global @";
    }
    "Each row contains its maximum, so the count of maxima is at least 1. The edit changes only \
     the sign of the zero that initializes the accumulator, and this sign has no effect." => {
        "other-zero" "mutations/fused@two_lengths" "+13:3 `% = arith.constant -0.0";
    }
}
