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
    ($($why:literal: $($edit:literal $program:literal $place:literal;)*)*) => {
        pub(crate) const HARMLESS: &[Harmless] = &[
            $($(Harmless { edit: $edit, program: $program, place: $place, why: $why },)*)*
        ];
    };
}

harmless! {}
