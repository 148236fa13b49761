//! Edits that nobody notices, because there is nothing to notice: each with the reason.
//!
//! An entry is as narrow as can be: one kind of edit, one program, and a part of the op as it is printed with its
//! position in the source. One that is not needed is an error of the full run.

/// An edit that changes nothing that can be observed.
pub(crate) struct Harmless {
    /// The kind of edit.
    pub(crate) edit: &'static str,
    /// The program.
    pub(crate) program: &'static str,
    /// Part of the place: `LINE:COLUMN` and the op.
    pub(crate) place: &'static str,
    /// Why.
    pub(crate) why: &'static str,
}

macro_rules! harmless {
    ($($why:literal => { $($edit:literal $program:literal $place:literal;)* })*) => {
        pub(crate) const HARMLESS: &[Harmless] = &[
            $($(Harmless { edit: $edit, program: $program, place: $place, why: $why },)*)*
        ];
    };
}

harmless! {
    "A square is no -0.0, so that no sum of squares is, and the sign of what it starts from does not show." => {
        "other-zero" "programs/l2-norm@l2_norm" "16:3 `%cst = arith.constant -0.0";
    }
    "A difference of a number and the maximum of its row is +0.0 somewhere in each row, so that no sum is -0.0, and the sign \
     of what it starts from does not show." => {
        "other-zero" "mutations/jobs@centred" "9:3 `%cst = arith.constant -0.0";
    }
    "Bytes that are extended with their sign are in the same order as numbers without sign, and those that are extended \
     without it are not negative; of the result the low byte is kept." => {
        "other-extension" "mutations/numbers@least_bytes" "4:3 `%6 = arith.extui";
        "other-redux-kind" "mutations/numbers@least_bytes" "4:3 `%7 = nvvm.redux.sync  umin";
    }
    "Pairs that are equal in both are one pair: either may win." => {
        "other-boundary" "mutations/numbers@pairs" "31:14 `%36 = arith.cmpi slt";
    }
    "Indices of an array are not negative, and no array has as many elements as the largest of them." => {
        "other-signedness-of-comparison" "mutations/numbers@places" "arith.cmpi slt";
        "finite-for-infinite" "mutations/numbers@places" "arith.constant 2147483647 : i32";
    }
    "After the exchange all lanes of a warp have its result, and one of each warp stores it: which, does not matter." => {
        "other-divisor" "mutations/together@halves" "42:10 `%9 = arith.remui";
        "other-divisor" "mutations/together@peaks" "57:10 `%5 = arith.remui";
        "negate-comparison" "mutations/together@few" "89:5 `%5 = arith.cmpi eq";
    }
    "No thread has the number that is compared: the partner of a thread differs in one bit, and of those that would have this \
     one for a partner there is none." => {
        "other-boundary" "mutations/together@turn_by_turn" "113:7 `%6 = arith.cmpi ult, %5, %c20";
    }
    "Only threads that have no row do otherwise: they exchange what they have among themselves, and store nothing." => {
        "other-zero" "mutations/together@few" "89:5 `%cst = arith.constant -0.0";
        "other-zero" "mutations/together@in_turns" "101:7 `%cst = arith.constant -0.0";
        "other-constant" "mutations/together@few" "89:5 `%cst = arith.constant -0.0";
        "other-constant" "mutations/together@in_turns" "101:7 `%cst = arith.constant -0.0";
        "other-constant" "mutations/together@tiles" "81:5 `%cst = arith.constant 0xFF800000";
        "other-constant" "mutations/together@turn_by_turn" "113:7 `%c0_i32";
        "other-divisor" "mutations/together@turn_by_turn" "113:7 `%0 = arith.remui %thread_id_x, %c16";
        "other-zero" "mutations/together@tiles" "80:5 `%cst = arith.constant -0.0";
        "finite-for-infinite" "mutations/together@tiles" "81:5 `%cst = arith.constant 0xFF800000";
    }
}
