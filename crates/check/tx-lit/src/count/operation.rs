//! Operations in the functions of checked output.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Global,
    Shared,
    Private,
    Cluster,
    /// Access through a generic pointer, whose memory space is unknown.
    Generic,
    /// Access to constant memory, which a `COUNT` line cannot select.
    Constant,
}

impl Space {
    pub(crate) const NAMED: [(&'static str, Space); 5] = [
        ("global", Space::Global),
        ("shared", Space::Shared),
        ("private", Space::Private),
        ("cluster", Space::Cluster),
        ("generic", Space::Generic),
    ];
}

/// Kind that `COUNT` assigns to an MLIR op or a PTX instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationKind {
    Barrier,
    WarpBarrier,
    ClusterBarrier,
    Shuffle,
    Redux,
    Vote,
    Fence,
    Atomic(Space),
    Load {
        space: Space,
        vector: bool,
    },
    Store {
        space: Space,
        vector: bool,
    },
    /// Op that performs an unknown number of memory accesses.
    HidesAccesses,
    /// Op that may expand to an unknown number of counted operations.
    Hides,
    Other,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoundOperation {
    /// Line number in the output, from 1.
    pub(crate) line: usize,
    /// Name of an op such as `gpu.shuffle`, or the full opcode of a PTX instruction.
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) kind: OperationKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) ops: Vec<FoundOperation>,
}
