//! Words that instructions are made of: types, memories, scopes.

use std::fmt;

/// A type as modifiers of instructions name it: `b32`, `f16x2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScalarType {
    name: &'static str,
    bits: u32,
}

/// Every type of PTX that a load, an atomic or a reduction can have, with its bits.
const TYPES: &[(&str, u32)] = &[
    ("b8", 8),
    ("b16", 16),
    ("b32", 32),
    ("b64", 64),
    ("b128", 128),
    ("u8", 8),
    ("u16", 16),
    ("u32", 32),
    ("u64", 64),
    ("s8", 8),
    ("s16", 16),
    ("s32", 32),
    ("s64", 64),
    ("u16x2", 32),
    ("s16x2", 32),
    ("f16", 16),
    ("f16x2", 32),
    ("bf16", 16),
    ("bf16x2", 32),
    ("tf32", 32),
    ("f32", 32),
    ("f32x2", 64),
    ("f64", 64),
];

impl ScalarType {
    /// The type of this name, which stands after a dot: `b32`.
    pub fn named(name: &str) -> Option<ScalarType> {
        TYPES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(name, bits)| ScalarType { name, bits })
    }

    /// Its name, without a dot.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Its size in bits, all elements of a packed one together.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Without the sign of an integer: `b32` for `u32` and `s32`. Sums do not depend on it, and LLVM takes
    /// the one or the other.
    pub fn without_sign(self) -> ScalarType {
        match self.name {
            "u8" | "s8" => ScalarType { name: "b8", ..self },
            "u16" | "s16" => ScalarType {
                name: "b16",
                ..self
            },
            "u32" | "s32" => ScalarType {
                name: "b32",
                ..self
            },
            "u64" | "s64" => ScalarType {
                name: "b64",
                ..self
            },
            _ => self,
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// An enum whose variants are words of PTX.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$variant_doc:meta])* $variant:ident = $word:literal $(| $other:literal)*,)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// What this word of PTX, which has no dot, stands for.
            pub fn named(word: &str) -> Option<$name> {
                match word {
                    $($word $(| $other)* => Some($name::$variant),)+
                    _ => None,
                }
            }

            /// The word of PTX for it, without a dot.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

words! {
    /// A memory.
    Space {
        /// Any, by the bits of the address. Instructions say so by naming none.
        Generic = "generic",
        /// What all blocks see.
        Global = "global",
        /// What the threads of a block share; `shared::cta` says the same.
        Shared = "shared" | "shared::cta",
        /// What the threads of a cluster share.
        SharedCluster = "shared::cluster",
        /// What one thread has.
        Local = "local",
        /// What nobody writes.
        Const = "const",
        /// Parameters of kernels and of calls.
        Param = "param" | "param::entry" | "param::func",
    }
}

words! {
    /// Who observes an atomic operation or a fence.
    Scope {
        /// The block.
        Cta = "cta",
        /// The cluster.
        Cluster = "cluster",
        /// The device.
        Gpu = "gpu",
        /// The device, the host and other devices.
        Sys = "sys",
    }
}

words! {
    /// How an access is ordered with others.
    Ordering {
        /// `.weak`, and what says nothing.
        Weak = "weak",
        /// `.volatile`
        Volatile = "volatile",
        /// `.relaxed`
        Relaxed = "relaxed",
        /// `.acquire`
        Acquire = "acquire",
        /// `.release`
        Release = "release",
        /// `.acq_rel`
        AcqRel = "acq_rel",
        /// `.sc`
        Sc = "sc",
    }
}

words! {
    /// Which lane a shuffle reads.
    ShuffleMode {
        /// A lane further down.
        Up = "up",
        /// A lane further up.
        Down = "down",
        /// The lane whose number differs in given bits.
        Bfly = "bfly",
        /// A given lane.
        Idx = "idx",
    }
}

words! {
    /// What a vote tells.
    VoteMode {
        /// Whether all say yes.
        All = "all",
        /// Whether one says yes.
        Any = "any",
        /// Whether all say the same.
        Uni = "uni",
        /// What each says.
        Ballot = "ballot",
    }
}

words! {
    /// What a match looks for.
    MatchMode {
        /// Lanes with the own value.
        Any = "any",
        /// Whether all have the same.
        All = "all",
    }
}

words! {
    /// What is combined, by an atomic operation, a reduction over a warp or a barrier.
    Combine {
        /// A sum.
        Add = "add",
        /// The smallest.
        Min = "min",
        /// The largest.
        Max = "max",
        /// A sum that wraps at a bound.
        Inc = "inc",
        /// A difference that wraps at a bound.
        Dec = "dec",
        /// And of bits, or of predicates.
        And = "and",
        /// Or of bits, or of predicates.
        Or = "or",
        /// Exclusive or of bits.
        Xor = "xor",
        /// The new value.
        Exch = "exch",
        /// The new value if the old one is as expected.
        Cas = "cas",
        /// How many say yes.
        Popc = "popc",
    }
}

words! {
    /// Whether memory is read or written.
    Direction {
        /// Read.
        Load = "ld",
        /// Written.
        Store = "st",
    }
}
