//! Modifiers of instructions: types, state spaces, scopes.

use std::fmt;

/// A type in the spelling of instruction modifiers: `b32`, `f16x2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScalarType {
    name: &'static str,
    bits: u32,
}

/// All PTX types of loads, atomics and reductions, with their widths in bits.
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
    /// Returns the type with the given name, such as `b32`, without a dot.
    pub fn named(name: &str) -> Option<ScalarType> {
        TYPES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(name, bits)| ScalarType { name, bits })
    }

    /// Returns the name of the type without a dot.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Returns the width of the type in bits. The width of a packed type includes all its elements.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// Returns the type without the signedness of an integer type: `b32` for `u32` and `s32`. The
    /// signedness of an integer type does not affect a sum, so LLVM may emit a signed or an
    /// unsigned type for a sum.
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

/// Defines an enum whose variants are PTX modifiers.
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
            /// Returns the enum variant that represents a PTX modifier. `word` has no dot.
            pub fn named(word: &str) -> Option<$name> {
                match word {
                    $($word $(| $other)* => Some($name::$variant),)+
                    _ => None,
                }
            }

            /// Returns the PTX modifier that the enum variant represents, without a dot.
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
    /// A state space.
    Space {
        /// Generic address: the address bits determine whether the memory is global, shared or
        /// local. In PTX, an access through a generic address has no state space modifier.
        Generic = "generic",
        /// Memory of all blocks.
        Global = "global",
        /// Shared memory of a block. `shared::cta` is a synonym.
        Shared = "shared" | "shared::cta",
        /// Shared memory of all blocks of a cluster.
        SharedCluster = "shared::cluster",
        /// Private memory of one thread.
        Local = "local",
        /// Read-only constant memory.
        Const = "const",
        /// Parameters of kernels and of calls.
        Param = "param" | "param::entry" | "param::func",
    }
}

words! {
    /// Scope: the set of threads for which an operation is atomic, or for which a fence orders
    /// accesses.
    Scope {
        /// The block.
        Cta = "cta",
        /// The cluster.
        Cluster = "cluster",
        /// The device.
        Gpu = "gpu",
        /// All threads of the executing device, of the host and of all other devices.
        Sys = "sys",
    }
}

words! {
    /// Memory ordering of an access.
    Ordering {
        /// `.weak`, or no ordering modifier.
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
    /// The rule that selects the source lane of a shuffle.
    ShuffleMode {
        /// The index of the source lane is the index of the executing lane minus a distance.
        Up = "up",
        /// The index of the source lane is the index of the executing lane plus a distance.
        Down = "down",
        /// The index of the source lane is the xor of a mask and the index of the executing lane.
        Bfly = "bfly",
        /// Operand b of `shfl.sync` contains the index of the source lane.
        Idx = "idx",
    }
}

words! {
    /// Result of a vote.
    VoteMode {
        /// Whether the predicate is true in all lanes.
        All = "all",
        /// Whether the predicate is true in at least one lane.
        Any = "any",
        /// Whether the predicate has the same value in all lanes.
        Uni = "uni",
        /// Bit mask of the lanes with a true predicate.
        Ballot = "ballot",
    }
}

words! {
    /// Result of a match.
    MatchMode {
        /// Mask of the lanes that have the same value as the executing lane.
        Any = "any",
        /// Whether all lanes have the same value.
        All = "all",
    }
}

words! {
    /// Combiner of an atomic operation, of a warp reduction or of a barrier.
    Combine {
        /// A sum.
        Add = "add",
        /// The minimum of two values.
        Min = "min",
        /// The maximum of two values.
        Max = "max",
        /// An increment of a value in memory; the new value is 0 if the old value is at least the
        /// operand.
        Inc = "inc",
        /// A decrement of a value in memory; the new value is the operand if the old value is 0 or
        /// exceeds the operand.
        Dec = "dec",
        /// Bitwise AND of integers, logical AND of predicates.
        And = "and",
        /// Bitwise OR of integers, logical OR of predicates.
        Or = "or",
        /// Exclusive or of bits.
        Xor = "xor",
        /// An exchange, which stores the operand and returns the old value.
        Exch = "exch",
        /// Compare and swap.
        Cas = "cas",
        /// Number of true predicates.
        Popc = "popc",
    }
}

words! {
    /// Whether an access is a load or a store.
    Direction {
        /// Read.
        Load = "ld",
        /// Written.
        Store = "st",
    }
}
