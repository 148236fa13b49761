//! Edits without an observable effect, each with a reason.
//!
//! An entry is as narrow as possible: an edit, programs, and part of the printed op. The op has its
//! source position, with lines counted from the start of the program, and no value names. The
//! kernel name precedes the op if other kernels have an equal op. A full run reports unused entries
//! as errors.

use crate::run::Place;

/// Edit without an observable effect.
pub(crate) struct Harmless {
    /// Name of the edit.
    pub(crate) edit: &'static str,
    /// Programs, separated by commas.
    pub(crate) programs: &'static str,
    /// Part of the place: the kernel, `+LINES:COLUMN` and the op, with `%` for each value.
    pub(crate) place: &'static str,
    /// Reason.
    pub(crate) why: &'static str,
}

impl Harmless {
    /// Returns whether the entry covers an edit at this place of a program.
    pub(crate) fn holds_for(&self, edit: &str, program: &str, place: &Place) -> bool {
        let kernel = place.kernel.as_deref().unwrap_or_default();
        self.edit == edit
            && self.programs.split(',').any(|name| name == program)
            && without_names(&format!("{kernel} {}", place.op)).contains(self.place)
    }
}

/// Returns a printed op with `%` for each value. Value names change if an op is added before it.
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
    "A square is no -0.0, so that no sum of squares is, and the sign of what it starts from does \
     not show." => {
        "other-zero" "programs/l2-norm@l2_norm" "+3:3 `% = arith.constant -0.0";
        "other-zero" "programs/fused-rows@layer_norm" "+11:3 `% = arith.constant -0.0";
        "other-zero" "programs/rows-of-any-length@in_place" "+7:3 `% = arith.constant -0.0";
    }
    "A difference of a number and the maximum of its row is +0.0 somewhere in each row, so that \
     no sum is -0.0, and the sign \
     of what it starts from does not show." => {
        "other-zero" "mutations/jobs@centred" "+2:3 `% = arith.constant -0.0";
    }
    "Between the exchange within each block and that of the last block all threads of a block \
     learn at a barrier whether it is the last: \
     none reads the first any more when one writes the second." => {
        "share-scratch" "mutations/blocks@columns,mutations/blocks@sum,mutations/jobs@centred"
            "memref.get_global @";
        "share-scratch" "programs/dot-and-matvec@dot_and_matvec" "+1:3 `% = memref.get_global @";
        "share-scratch" "programs/l2-norm@l2_norm" "+3:3 `% = memref.get_global @";
        "share-scratch" "programs/looked-up-columns@columns" "+1:3 `% = memref.get_global @";
        "share-scratch" "programs/looked-up-elements@rows" "+1:3 `% = memref.get_global @";
        "share-scratch" "programs/row-and-column-sums@row_and_column_sums"
            "+3:3 `% = memref.get_global @";
        "share-scratch" "programs/rows-of-any-length@by_hand" "by_hand_4 +4:3 `% = memref.get_global @";
        "share-scratch" "programs/rows-of-any-length@in_place" "in_place_11 +7:3 `% = memref.get_global @";
        "share-scratch" "programs/mean@mean,programs/parity@parity,tutorial/t07-run@chosen"
            "memref.get_global @";
    }
    "Bytes that are extended with their sign are in the same order as numbers without sign, and \
     those that are extended \
     without it are not negative; of the result the low byte is kept." => {
        "other-extension" "mutations/numbers@least_bytes" "+2:3 `% = arith.extui";
        "other-redux-kind" "mutations/numbers@least_bytes" "+2:3 `% = nvvm.redux.sync  umin";
    }
    "Pairs that are equal in both are one pair: either may win." => {
        "other-boundary" "mutations/numbers@pairs" "+6:14 `% = arith.cmpi slt";
    }
    "Indices of an array are not negative, and no array has as many elements as the largest of them." => {
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
    "After the exchange all lanes of a warp have its result, and one of each warp stores it: \
     which, does not matter." => {
        "other-divisor" "programs/all-finite@all_finite" "+1:3 `% = arith.remui";
        "other-divisor" "mutations/together@halves" "+7:10 `% = arith.remui";
        "other-divisor" "mutations/together@peaks" "+7:10 `% = arith.remui";
        "negate-comparison" "mutations/together@few" "+4:5 `% = arith.cmpi eq";
        "other-divisor" "lower-reduction/fragments-warps@sixteen_warps" "+3:10 `% = arith.remui";
        "other-divisor" "programs/argmax-vocabulary@argmax" "+1:3 `% = arith.remui";
        "other-divisor" "programs/layer-norm-statistics@layer_norm_statistics"
            "layer_norm_statistics_7 +13:3 `% = arith.remui";
    }
    "No thread has the number that is compared: the partner of a thread differs in one bit, and \
     of those that would have this \
     one for a partner there is none." => {
        "other-boundary" "mutations/together@turn_by_turn" "+8:7 `% = arith.cmpi ult";
        "other-boundary" "lower-reduction/partial-warps@one_row_by_48" "+4:5 `% = arith.cmpi ult";
        "other-boundary" "ptx/one-row-by-48@one_row_by_48" "+4:5 `% = arith.cmpi ult";
    }
    "Only threads that have no row do otherwise: they exchange what they have among themselves, \
     and store nothing." => {
        "other-boundary" "mutations/numbers@greatest" "+2:3 `% = arith.cmpi ult";
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
        "lose-guard" "programs/combined-reductions@both_places" "+6:3 `scf.if";
        "other-boundary" "programs/combined-reductions@max_over_sum" "+8:3 `% = arith.cmpi ult";
        "other-boundary" "programs/combined-reductions@sum_over_max" "+8:3 `% = arith.cmpi ult";
        "other-boundary" "programs/combined-reductions@range" "+9:3 `% = arith.cmpi ult";
        "truncate-index" "programs/combined-reductions@three" "+13:3 `% = arith.addi";
        "lose-guard" "programs/fused-rows@kept" "+4:3 `scf.if";
        "truncate-index" "programs/fused-rows@layer_norm" "+20:3 `% = arith.addi";
        "lose-guard" "programs/fused-rows@pages" "+8:3 `scf.if";
        "lose-guard" "programs/fused-rows@softmax" "+8:3 `scf.if";
        "lose-guard" "programs/softmax-named@rows" "+1:3 `scf.if";
        "lose-guard" "programs/softmax-approximate@rows" "+1:3 `scf.if";
        "other-boundary" "programs/softmax-approximate@rows" "+1:3 `% = arith.cmpi ult";
        "other-boundary" "programs/fused-rows@spread" "+2:3 `% = arith.cmpi ult";
    }
    "After the exchange all threads that share a row have its result, to the bit, and one of them \
     stores it: which, does not \
     matter." => {
        "negate-comparison" "lower-reduction/partial-warps@rows_by_20" "+4:5 `% = arith.cmpi eq";
        "other-divisor" "lower-reduction/views@slice" "+5:5 `% = arith.remui";
        "negate-comparison" "lower-reduction/views@transposed" "+3:5 `% = arith.cmpi eq";
        "negate-guard" "lower-reduction/views@transposed" "+3:5 `scf.if`";
        "negate-comparison" "lower-reduction/warp@every_warp" "+12:5 `% = arith.cmpi eq";
        "negate-guard" "lower-reduction/warp@every_warp" "+12:5 `scf.if`";
    }
    "Rounds overlap: what is not stored in one round, another round stores, and it is the same \
     sum to the bit." => {
        "other-divisor" "lower-reduction/rows-in-a-loop@moving_destination" "+9:7 `% = arith.remui";
    }
    "Indices are the numbers of threads, of which no two are equal: `<` and `<=` say the same." => {
        "other-boundary" "lower-reduction/many-warps@pairs_of_eight_warps" "+5:14 `% = arith.cmpi slt";
    }
    "The first lane of a warp stores for it, and those that it asks have greater indices: they \
     win no tie, so that it does not \
     matter what is one." => {
        "negate-comparison" "lower-reduction/many-warps@pairs_of_eight_warps" "+5:14 `% = arith.cmpf uno";
        "other-nan-of-comparison" "lower-reduction/many-warps@pairs_of_eight_warps"
            "+5:14 `% = arith.cmpf oeq";
        "other-nan-of-comparison" "lower-reduction/many-warps@pairs_of_nine_warps"
            "+5:14 `% = arith.cmpf oeq";
    }
    "Of what is exchanged the low bits are kept, which are the same whether it is extended with \
     its sign or without." => {
        "other-extension" "programs/all-finite@all_finite" "+1:3 `% = arith.extui % : i1 to i32";
        "other-extension" "lower-reduction/fragments-redux@any_of_at_once"
            "+3:10 `% = arith.extui % : i1 to i32";
        "other-extension" "lower-reduction/fragments-registers@any_of" "+3:10 `% = llvm.zext % : i1 to i32";
        "other-extension" "lower-reduction/types@i8_xor" "+2:5 `% = arith.extui % : i8 to i32";
    }
    "All lanes of a warp start from it, and what an even number of them have in common cancels." => {
        "other-constant" "lower-reduction/types@i8_xor" "+2:5 `% = arith.constant 0 : i8";
    }
    "A NaN among the numbers makes their differences from the maximum add up to NaN, whatever the \
     maximum is. Without one the \
     maximum is the same but for the sign of zero, and then one of the differences is +0.0 with \
     either sign, and their sum \
     the same." => {
        "other-nan" "lower-reduction/many-warps@twice" "+4:10 `% = tile.all_reduce max";
        "other-nan-of-exchange" "lower-reduction/many-warps@twice" "+4:10 `% = tile.all_reduce max";
        "other-extreme" "lower-reduction/many-warps@twice" "+4:10 `% = arith.maximumf";
        "other-nan" "lower-reduction/two-exchanges@two_exchanges" "+4:10 `% = tile.all_reduce max";
        "other-nan-of-exchange" "lower-reduction/two-exchanges@two_exchanges"
            "+4:10 `% = tile.all_reduce max";
        "other-extreme" "lower-reduction/two-exchanges@two_exchanges" "+4:10 `% = arith.maximumf";
    }
    "Every element is added once as before, in another order, which is left open for sums of floats." => {
        "other-arithmetic" "lower-reduction/sequences@one_after_the_other" "+4:5 `% = arith.addi";
        "other-arithmetic" "lower-reduction/views@alignment" "+6:5 `% = arith.addi";
        "other-offset" "lower-reduction/warp@every_warp" "+12:5 `% = arith.addi";
    }
    "The loop over what is left of a row has one iteration at most, so that the number that is \
     multiplied is 0." => {
        "truncate-index" "lower-reduction/dynamic@maximum" "+2:5 `% = arith.muli";
    }
    "The first lane of a row stores its result, and is given its own: nobody looks at what the \
     others are given." => {
        "other-factor" "lower-reduction/fragments-lanes@five_lanes_apart" "+3:10 `% = arith.muli";
    }
    "Lanes 8 to 15 alone do otherwise, and nobody asks them after this step: all take what the \
     first lane has in the end." => {
        "other-arithmetic" "lower-reduction/partial-warps@one_row_by_20" "+4:10 `% = arith.xori";
    }
    "All lanes of a warpgroup have one number, its maximum, and its four warps one sum: whose is \
     taken, does not matter." => {
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
    "The barrier passes a load from memory that nobody writes, and still stands between the reads \
     of one round and the write of \
     the next." => {
        "early-barrier" "lower-reduction/all-reduce@in_a_loop" "+8:12 `gpu.barrier`";
    }
    "Around the barrier each element is the business of one thread. The compiler puts it there \
     because it takes a `tile.copy` \
     for one that any thread may make." => {
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
    "The program wrote the barrier. It orders nothing that the program itself reads: only a \
     kernel that runs beside it, and \
     looks at the counter, could count on it." => {
        "early-barrier" "lower-reduction/redundant-barriers@beside_an_atomic" "+5:5 `gpu.barrier`";
        "late-barrier" "lower-reduction/redundant-barriers@beside_an_atomic" "+5:5 `gpu.barrier`";
        "narrow-barrier" "lower-reduction/redundant-barriers@beside_an_atomic" "+5:5 `gpu.barrier`";
        "drop-barrier" "lower-reduction/redundant-barriers@beside_an_atomic" "+7:5 `gpu.barrier`";
    }
    "A NaN in a row makes every term of the sum NaN, and with it every result of the row, \
     whatever the maximum is." => {
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
    "Exponentials are not negative, so that no sum of them is -0.0, and the sign of what it \
     starts from does not show." => {
        "other-zero" "programs/softmax@softmax" "+10:3 `% = arith.constant -0.0";
        "other-zero" "programs/fused-rows@kept" "+4:3 `% = arith.constant -0.0";
        "other-zero" "programs/fused-rows@pages" "+8:3 `% = arith.constant -0.0";
        "other-zero" "programs/fused-rows@softmax" "+8:3 `% = arith.constant -0.0";
        "other-zero" "programs/softmax-named@rows,programs/softmax-named@columns"
            "+1:3 `% = arith.constant -0.0";
        "other-zero" "programs/softmax-approximate@rows" "+1:3 `% = arith.constant -0.0";
    }
    "A row of nothing but -inf, and only such a row, has another maximum. Its results are NaN as \
     before, since the sum of \
     exponentials is NaN or 0." => {
        "finite-for-infinite" "programs/softmax@softmax" "+8:3 `% = arith.constant 0xFF800000";
        "finite-for-infinite" "programs/fused-rows@softmax" "+6:3 `% = arith.constant 0xFF800000";
        "finite-for-infinite" "programs/softmax-named@rows,programs/softmax-named@columns"
            "+1:3 `% = arith.constant 0xFF800000";
        "finite-for-infinite" "programs/softmax-approximate@rows" "+1:3 `% = arith.constant 0xFF800000";
    }
    "The sum is 0 where the maximum is -inf, NaN where that is NaN or inf, and from 1 on else. So \
     whatever is made of a \
     logarithm of 0 or NaN, its sum with the maximum is the same, and no logarithm is negative." => {
        "other-extension" "programs/log-sum-exp@log_sum_exp" "+23:10 `% = arith.sitofp";
    }
    "The count of elements is no NaN." => {
        "other-extreme" "programs/variance-welford@variance" "+6:13 `% = arith.maximumf";
    }
    "Both lanes of a row have its sum after the exchange, and one of them stores it: which, does \
     not matter." => {
        "negate-comparison" "ptx/every-warp@every_warp" "+12:5 `% = arith.cmpi eq";
        "negate-guard" "ptx/every-warp@every_warp" "+12:5 `scf.if";
        "negate-comparison" "ptx/rows-by-20@rows_by_20" "+4:5 `% = arith.cmpi eq";
    }
    "The other half of the warp does the work in place of the first: it reads the same elements, \
     exchanges them within itself, \
     and stores the same number." => {
        "negate-comparison" "ptx/packed-half-bf16@bf16_max" "+3:5 `% = arith.cmpi ult";
        "negate-comparison" "ptx/packed-half-f16@f16_sum" "+3:5 `% = arith.cmpi ult";
    }
    "Threads go round their row from another place: together they add up the same elements, in \
     another order." => {
        "other-offset" "ptx/every-warp@every_warp" "+12:5 `% = arith.addi %, % : index";
        "other-arithmetic" "ptx/skew@rows" "+3:5 `% = arith.addi %, % : index";
    }
    "Of the word that goes to other lanes only the low bits are kept, and they are the same with \
     either extension." => {
        "other-extension" "ptx/i8@i8_or" "+2:5 `% = arith.extui % : i8 to i32";
        "other-extension" "ptx/packed-half-f16@f16_sum" "+3:5 `% = llvm.zext % : i16 to i32";
    }
    "Only lanes that have four elements left in their part of the row do otherwise, and nobody \
     uses what they have after this \
     step: parts are 16 or 32 lanes long, and the sum of the first lane is made of others." => {
        "other-boundary" "ptx/all-reduce-width-48-i32@integers" "+5:10 `% = arith.cmpi ult";
        "other-boundary" "ptx/all-reduce-width-48@rows" "+5:10 `% = arith.cmpi ult";
    }
    "The condition always holds: the block has 32 threads." => {
        "lose-guard" "ptx/batched@rows" "+2:5 `scf.if";
    }
    "The condition always holds: of 150 vectors, 32 threads take 128 in four rounds." => {
        "lose-guard" "mutations/numbers@places" "+1:3 `scf.if";
    }
    "Where nothing is left of the rows or columns, the loop over what is left makes no iteration." => {
        "other-boundary" "tutorial/t02-split@rows" "+1:3 `% = arith.cmpi ult";
        "lose-guard" "tutorial/t02-split@rows" "+1:3 `scf.if";
        "lose-guard" "tutorial/t03-bind@rows" "+1:3 `scf.if";
    }
    "Where nothing is left of the columns, the condition inside, which asks for each column, \
     never holds." => {
        "other-boundary" "tutorial/t04-rfactor@rows" "+1:3 `% = arith.cmpi ult";
        "other-boundary" "tutorial/t05-print@named" "+1:3 `% = arith.cmpi ult";
        "other-boundary" "tutorial/t05-print@written_out" "+1:3 `% = arith.cmpi ult";
    }
    "Between the old and the new place of the barrier, threads only read elements of an argument \
     that no other thread writes." => {
        "early-barrier" "ptx/all-reduce-in-a-loop@in_a_loop" "+8:12 `gpu.barrier";
    }
    "Redundant barrier left by the compiler: each thread reads from the tile what it copied there \
     itself, so that there is \
     nothing to wait for." => {
        "narrow-barrier" "ptx/columns@columns" "+4:5 `gpu.barrier";
        "late-barrier" "ptx/two-warpgroups@two_warpgroups" "+13:5 `nvvm.barrier";
    }
    "Redundant barrier left by the compiler: thread 0 writes the only element, and thread 0 copies it." => {
        "early-barrier" "ptx/long-row@long_row" "+6:5 `gpu.barrier";
        "late-barrier" "ptx/long-row@long_row" "+6:5 `gpu.barrier";
        "early-barrier" "ptx/one-row-by-48@one_row_by_48" "+6:5 `gpu.barrier";
        "late-barrier" "ptx/one-row-by-48@one_row_by_48" "+6:5 `gpu.barrier";
    }
    "What stands for an element that is not there is used by nobody: the same condition keeps it out." => {
        "other-constant" "mutations/jobs@spread" "+1:3 `% = arith.constant 0 : i32";
        "other-constant" "mutations/jobs@two_steps" "+1:3 `% = arith.constant 0.0";
        "other-constant" "mutations/numbers@greatest" "+1:3 `% = arith.constant 0 : i32";
        "other-constant" "mutations/numbers@product" "+1:3 `% = arith.constant 0.0";
        "other-constant" "mutations/numbers@range" "+1:3 `% = arith.constant 0.0";
        "other-constant" "programs/dot-and-matvec@dot_and_matvec" "+2:3 `% = arith.constant 0.0";
        "other-constant" "programs/l2-norm@l2_norm" "+3:3 `% = arith.constant 0.0";
        "other-constant" "programs/row-and-column-sums@row_and_column_sums" "+5:3 `% = arith.constant 0.0";
        "other-constant" "programs/combined-reductions@both_places" "+6:3 `% = arith.constant 0.0";
        "other-constant" "programs/fused-rows@turned" "+7:3 `% = arith.constant 0.0";
        "other-constant" "ptx/narrow-vectors@rows" "+1:3 `% = arith.constant 0.0";
        "other-constant" "programs/fused-rows@parts_of_vectors" "+2:3 `% = arith.constant 0.0";
        "other-constant" "mutations/jobs@centred" "+1:3 `% = arith.constant 0.0";
        "other-constant" "programs/layer-norm-statistics@layer_norm_statistics"
            "+13:3 `% = arith.constant 0.0";
        "other-constant" "programs/rows-of-any-length@in_place" "+1:3 `% = arith.constant 0.0";
        "other-constant" "programs/softmax-approximate@rows" "+1:3 `% = arith.constant 0.0";
    }
    "Where the array is not found to be aligned, its elements are loaded one by one, and they are \
     the same." => {
        "swap-operands" "ptx/vectors-beside-scalars@dot" "+1:3 `% = arith.remui";
        "swap-operands" "programs/dot-and-matvec@dot_and_matvec"
            "dot_and_matvec_5 +1:3 `% = arith.remui";
        "other-arithmetic" "programs/combined-reductions@max_over_sum" "+8:3 `% = arith.remui";
        "other-arithmetic" "programs/combined-reductions@sum_over_max" "+8:3 `% = arith.remui";
        "other-arithmetic" "programs/combined-reductions@range" "+9:3 `% = arith.remui";
        "swap-operands" "ptx/narrow-vectors@rows" "+1:3 `% = arith.remui";
    }
    "What stands for an element that is not there is 0, of which the square, or the product with \
     another such, adds nothing." => {
        "lose-guard" "programs/l2-norm@l2_norm" "+3:3 `scf.if";
    }
    "The kernel is for up to as many elements as one round takes: where something is left over, \
     the number of rounds is 0." => {
        "other-factor" "programs/l2-norm@l2_norm" "+3:3 `% = arith.muli";
    }
    "A product is the same whichever of its factors comes first." => {
        "swap-arguments" "ptx/vectors-beside-scalars@dot" "+1:3 `gpu.launch_func";
        "swap-arguments" "programs/looked-up-columns@columns" "columns_0 +1:3 `gpu.launch_func";
        "swap-arguments" "programs/looked-up-elements@rows" "rows_0 +1:3 `gpu.launch_func";
    }
    "The smaller of two numbers is taken, which are the same where they are equal." => {
        "other-boundary" "programs/element-wise-chains@gated" "`% = arith.cmpf ogt";
        "other-boundary" "programs/element-wise-chains@turned" "`% = arith.cmpf ogt";
    }
    "Where the maximum is NaN, so is the result, whatever is taken from the numbers." => {
        "other-nan-of-comparison" "programs/log-sum-exp@log_sum_exp" "+7:13 `% = arith.cmpf oeq";
    }
    "Each element is asked whether it is there: in a round too many none is." => {
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
    "A count of up to 2048 is one of f16. In longer rows one of some hundred is rounded here, \
     which changes less than the \
     order of combination leaves open." => {
        "round-to-half" "programs/variance-welford@variance" "+5:10 `% = arith.addf";
    }
    "A sum of part of a row is rounded once, which changes it by a part in 4096 at most. Each of the \
     up to 1024 elements is combined by products with exponentials, and what rounds there in one \
     order of combination and not in another comes to as much." => {
        "round-to-half" "programs/log-sum-exp@log_sum_exp" "log_sum_exp_5 +13:11 `% = arith.mulf";
    }
    "Of four elements the first is used: the others fill up sixteen bytes." => {
        "small-scratch" "lower-reduction/many-warps@pairs_of_nine_warps"
            "@pairs_of_nine_warps_scratch_3 : memref<4xi32";
        "small-scratch" "lower-reduction/many-warps@thirty_two_warps"
            "@thirty_two_warps_scratch_1 : memref<4xf32";
        "small-scratch" "lower-reduction/many-warps@twice" "@twice_scratch_1 : memref<4xf32";
        "small-scratch" "programs/argmax-vocabulary@argmax" "@argmax_0_scratch_3 : memref<4xi32";
    }
    "Where nothing is left of the elements, the condition inside, which asks for each element, \
     never holds." => {
        "other-boundary" "mutations/blocks@sum" "+1:3 `% = arith.cmpi ult";
        "other-boundary" "programs/l2-norm@l2_norm" "l2_norm_0 +3:3 `% = arith.cmpi ult";
        "other-boundary" "programs/looked-up-columns@columns" "columns_0 +1:3 `% = arith.cmpi ult";
    }
    "The three partial results are in the first warp, of which the first thread stores: the sum of \
     the second warp is -0.0." => {
        "other-width" "mutations/blocks@sum" "+1:3 `% = tile.all_reduce sum % scope(cta) width 64";
    }
    "Both threads of a column have its sum after the exchange, and one of them stores it: which, \
     does not matter." => {
        "negate-comparison" "mutations/blocks@columns" "+1:3 `% = arith.cmpi eq";
    }
    "The kernel is for rows of up to 64 elements, which one round of the loop takes." => {
        "other-step" "mutations/jobs@centred" "+2:3 `scf.for";
    }
    "Of a row that begins aligned, the first four elements are taken one by one, as those in front \
     of the first vector are, and the vectors begin behind them." => {
        "other-divisor" "programs/dot-and-matvec@dot_and_matvec"
            "dot_and_matvec_4 +1:3 `% = arith.remui";
    }
    "No row has this number: what is read in its place is another row, which takes part anyway, and \
     `or` is the same when one is taken twice." => {
        "truncate-index" "mutations/numbers@bits" "+2:3 `% = arith.addi";
    }
    "All partial results are with the first half of the threads, of which the first stores: \
     the other half has nothing but identities, which change nothing." => {
        "other-width" "programs/dot-and-matvec@dot_and_matvec"
            "dot_and_matvec_9 +1:3 `% = tile.all_reduce sum % scope(cta) width 512";
        "other-width" "programs/log-sum-exp@log_sum_exp" "log_sum_exp_7 +1:3 `tile.all_reduce";
        "other-width" "programs/rows-of-any-length@by_hand" "by_hand_4 +4:3 `% = tile.all_reduce";
    }
    "Both are temporaries of one size, and the kernel reads from each what it wrote there." => {
        "swap-arguments" "programs/log-sum-exp@log_sum_exp" "+1:3 `gpu.launch_func";
    }
    "The condition always holds: of 32320 vectors, 1024 threads take 31744 in 31 rounds." => {
        "lose-guard" "programs/argmax-vocabulary@argmax" "+1:3 `scf.if";
    }
    "The condition always holds: of 249 or 250 vectors, 32 threads take 224 in seven \
     rounds." => {
        "lose-guard" "ptx/welford-branches@variance" "+1:3 `scf.if";
    }
    "Only threads that have no row do otherwise: they load factors that all rows share, and \
     store nothing." => {
        "other-boundary" "programs/fused-rows@layer_norm" "+20:3 `% = arith.cmpi ult";
    }
    "Where arrays are not found to be aligned, elements are loaded and stored one by one, \
     and they are the same." => {
        "other-divisor" "programs/fused-rows@kept" "+5:3 `% = arith.remui";
    }
    "A NaN in a row makes all that is computed of the row NaN, and each of these makes the \
     result NaN: one of them may ignore it." => {
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
        "other-extreme" "programs/combined-reductions@range" "+8:3 `% = arith.minimumf";
        "other-nan" "programs/combined-reductions@three" "+13:3 `% = tile.all_reduce max";
        "other-nan-of-exchange" "programs/combined-reductions@three" "+13:3 `% = tile.all_reduce max";
        "other-extreme" "programs/combined-reductions@three" "+12:3 `% = arith.minimumf";
    }
    "A sum is -0.0 only in a row of nothing but -0.0, whose maximum is 0 too: a quotient of \
     zeros is NaN whatever their signs." => {
        "other-zero" "programs/combined-reductions@max_over_sum" "+8:3 `% = arith.constant -0.0";
        "other-zero" "programs/combined-reductions@sum_over_max" "+8:3 `% = arith.constant -0.0";
    }
    "No number that 1 was added to is -0.0, so that no sum of such is, and the sign of what \
     it starts from does not show." => {
        "other-zero" "programs/fused-rows@turned" "+13:3 `% = arith.constant -0.0";
    }
    "A difference is NaN only where the sum of the row, which is made of it too, is NaN: \
     that divides whatever is made of it here." => {
        "other-nan-of-comparison" "programs/fused-rows@softmax" "+20:10 `% = arith.cmpf olt";
        "other-nan-of-comparison" "programs/softmax-named@rows" "+1:3 `% = arith.cmpf olt";
        "other-nan-of-comparison" "programs/softmax-named@columns" "+1:3 `% = llvm.fcmp";
        "other-nan-of-comparison" "programs/softmax@softmax" "+25:10 `% = arith.cmpf olt";
    }
    "The larger of two numbers is taken, which are the same where they are equal." => {
        "other-boundary" "programs/fused-rows@kept" "`% = arith.cmpf olt";
    }
    "A power of two is multiplied by as two, and this says how its exponent is divided \
     among them: with a quarter and three quarters both are still numbers, and the product \
     is the same." => {
        "other-constant" "programs/fused-rows@kept" "`% = arith.constant 1 : i32";
    }
    "The coefficient is multiplied by the third power of a number below 0.35: that is less \
     than what the order of combination leaves open in rows of 1000." => {
        "round-to-half" "programs/softmax@softmax" "softmax_6 +15:10 `% = math.fma";
        "round-to-half" "programs/fused-rows@kept" "`% = math.fma";
    }
    "What stands for an element that is not there is 0, and `xor` with 0 changes nothing." => {
        "lose-guard" "programs/parity@parity" "+1:3 `scf.if";
    }
    "The kernel is for rows of up to 1024 elements: their vectors have numbers below 256." => {
        "truncate-index" "programs/variance-welford@variance" "+1:3 `% = arith.muli";
    }
    "The thread has counted some elements before this one: its count is 2 or more." => {
        "other-constant" "programs/variance-welford@variance" "+4:12 `% = arith.constant 1.0";
    }
    "The 128 partial results are in the first half of the block, of which the first thread \
     stores: the other half has nothing to add." => {
        "other-width" "programs/variance-welford@variance" "+1:3 `tile.all_reduce`";
    }
    "The number is whole and less than 2048." => {
        "round-to-half" "programs/element-wise-chains@gated" "`% = arith.subf";
    }
    "Where the number is NaN, so is what its exponential is added to." => {
        "other-nan-of-comparison" "programs/element-wise-chains@gated" "`% = llvm.fcmp \"olt\"";
        "other-nan-of-comparison" "programs/element-wise-chains@turned" "`% = llvm.fcmp \"olt\"";
    }
    "The coefficient is multiplied by the third power of a number below 0.35: that is less \
     than what the exponential may be off by." => {
        "round-to-half" "programs/element-wise-chains@turned" "`% = math.fma";
    }
    "The last vector of a row, where nothing follows it, is loaded and stored element by \
     element: they are the same." => {
        "other-offset" "programs/element-wise-chains@gated" "+24:3 `% = llvm.add";
    }
    "Addends that are added to each other first are exchanged." => {
        "swap-arguments" "programs/transposes@four" "+1:3 `gpu.launch_func";
    }
    "The result has no elements, so that the kernel does nothing." => {
        "drop-launch" "programs/transposes@nothing" "+1:3 `gpu.launch_func";
        "smaller-grid" "programs/transposes@nothing" "+1:3 `gpu.launch_func";
    }
    "Aligned arrays go the way of those that are not, which is slower, and computes the \
     same." => {
        "swap-operands" "programs/transposes@small" "`% = arith.remui";
    }
    "The 128 partial results are with four warps, whose totals the first lane loads as one vector: \
     what it exchanges with other lanes adds nothing." => {
        "drop-shuffle" "programs/rows-of-any-length@by_hand" "by_hand_4 +4:3 `% = nvvm.shfl.sync  bfly";
        "other-shuffle-offset" "programs/rows-of-any-length@by_hand"
            "by_hand_4 +4:3 `% = nvvm.shfl.sync  bfly";
        "other-shuffle-mode" "programs/rows-of-any-length@by_hand"
            "by_hand_4 +4:3 `% = nvvm.shfl.sync  bfly";
        "other-shuffle-width" "programs/rows-of-any-length@by_hand"
            "by_hand_4 +4:3 `% = nvvm.shfl.sync  bfly";
    }
    "The largest size of a kernel goes to the kernel of the next larger sizes, which computes the \
     same." => {
        "other-boundary" "programs/rows-of-any-length@by_hand" "+13:3 `% = arith.cmpi sle";
        "other-boundary" "mutations/fused@two_lengths" "+22:3 `% = arith.cmpi sle";
    }
    "Aligned arrays go the way of those that are not, which computes the same." => {
        "other-arithmetic" "programs/combined-reductions@three" "+13:3 `% = arith.remui";
    }
    "The number is not equal to NaN either way: a NaN in a row makes the maximum NaN, and \
     with it each difference." => {
        "other-nan-of-comparison" "mutations/fused@two_lengths" "+18:11 `% = arith.cmpf oeq";
    }
    "The smaller of two numbers is taken, which are the same where they are equal." => {
        "other-boundary" "programs/fused-rows@pages" "`% = arith.cmpf olt";
    }
    "The kernel asks the same of the array for each of the ops that it has: one of the answers may \
     be wrong." => {
        "other-divisor" "mutations/fused@two_lengths" "two_lengths_1 +22:3 `% = arith.remui";
        "other-divisor" "programs/rows-of-any-length@by_hand" "by_hand_1 +13:3 `% = arith.remui";
    }
    "The array is not aligned, and its elements are loaded one by one: how many are in front of \
     the first vector does not matter." => {
        "other-arithmetic" "mutations/fused@two_lengths" "two_lengths_3 +5:3 `% = arith.remui";
    }
    "In a row of nothing but -inf each difference is NaN, and the product of -inf and a count of 0 is \
     NaN as well." => {
        "finite-for-infinite" "mutations/fused@two_lengths"
            "two_lengths_0 +5:3 `% = arith.constant 0xFF800000";
    }
    "A thread counts less than 2048 elements." => {
        "round-to-half" "mutations/fused@two_lengths" "two_lengths_12 +13:3 `% = arith.addf";
    }
    "Below -104 the exponential of f32 is 0 in any case: a bound of -130 gives the same." => {
        "other-constant" "programs/softmax-named@columns" "+1:3 `% = arith.constant -1.04";
    }
    "There are 231 columns, whose numbers are below 256." => {
        "truncate-index" "programs/softmax-named@columns" "columns_1 +1:3 `% = arith.addi";
    }
    "There are as many blocks as rows: each takes one, and writes its scratch once." => {
        "late-barrier" "programs/rows-of-any-length@by_hand" "by_hand_1 +4:3 `gpu.barrier";
        "early-barrier" "programs/rows-of-any-length@in_place" "in_place_6 +7:3 `gpu.barrier";
        "early-barrier" "programs/layer-norm-statistics@layer_norm_statistics"
            "layer_norm_statistics_6 +13:3 `gpu.barrier";
    }
    "No element is greater than the maximum of its row, which is taken off it." => {
        "other-constant" "programs/softmax@softmax" "+15:10 `% = arith.constant 8.9";
    }
    "One square more among 2049 or more changes their sum by less than the order of combination \
     leaves open." => {
        "other-boundary" "programs/rows-of-any-length@layer_norm" "layer_norm_6 +11:3 `% = arith.cmpi ult";
    }
    "The element is one of more than 4096, and a third of it at most is wrong, which is less than \
     what the order of combination leaves open." => {
        "other-arithmetic" "programs/log-sum-exp@log_sum_exp" "log_sum_exp_7 +12:11 `% = arith.mulf";
    }
    "Between both exchanges all threads wait until the maximum is in memory." => {
        "share-scratch" "mutations/fused@two_lengths" "two_lengths_1 +5:3 `% = memref.get_global @";
    }
    "Counts start from 0.0, so that the sign of zero does not show: each row has a largest element." => {
        "other-zero" "mutations/fused@two_lengths" "+13:3 `% = arith.constant -0.0";
    }
}
