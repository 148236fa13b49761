//! Interface between generated code and the hooks: MLIR declarations of the hooks, and the encoding
//! of hook arguments.

use crate::{
    barrier::Reduction,
    fault::{AccessKind, Space},
    happens_before::Fence,
};

/// MLIR declarations of the hooks. Every converted module contains the MLIR declarations of all
/// hooks.
///
/// A hook is declared without memory effects if its result depends only on its operands and on
/// values that are constant in each thread, such as the thread index. LLVM may merge and move calls
/// of hooks without memory effects. LLVM assumes that a hook with memory effects can read and write
/// any memory.
pub(crate) const DECLARATIONS: &str = r#"
  llvm.func @__tx_register(i32) -> i32
      attributes {no_unwind, will_return, memory_effects =
        #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none,
          errnoMem = none, targetMem0 = none, targetMem1 = none>}
  llvm.func @__tx_shared(i32) -> !llvm.ptr<3>
      attributes {no_unwind, will_return, memory_effects =
        #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none,
          errnoMem = none, targetMem0 = none, targetMem1 = none>}
  llvm.func @__tx_access(i64, i64, i32, i32) attributes {no_unwind}
  llvm.func @__tx_masked_access(i64, i64, i64, i32, i32) attributes {no_unwind}
  llvm.func @__tx_warp(i32, i32, i64, i32, i32, i32) -> i64 attributes {no_unwind}
  llvm.func @__tx_barrier(i32, i32, i32, i32, i32) -> i32 attributes {no_unwind}
  llvm.func @__tx_cluster_arrive(i32, i32) attributes {no_unwind}
  llvm.func @__tx_cluster_wait(i32) attributes {no_unwind}
  llvm.func @__tx_mapa(i64, i32, i32) -> i64 attributes {no_unwind}
  llvm.func @__tx_mbarrier_init(i64, i32, i32) attributes {no_unwind}
  llvm.func @__tx_mbarrier_arrive(i64, i32, i32) attributes {no_unwind}
  llvm.func @__tx_mbarrier_signal(i64, i64, i32) attributes {no_unwind}
  llvm.func @__tx_mbarrier_wait(i64, i32, i32) -> i32 attributes {no_unwind}
  llvm.func @__tx_fence(i32) attributes {no_unwind}
  llvm.func @__tx_private(i64, i64) attributes {no_unwind}
  llvm.func @__tx_stack(i64, i32) attributes {no_unwind}
  llvm.func @__tx_division(i64, i64, i32, i32) -> i64 attributes {no_unwind}
  llvm.func @__tx_range(i32, i32, i32, i32) attributes {no_unwind}
  llvm.func @__tx_trap(i32) attributes {no_unwind}
  llvm.func @__tx_print(i64, i64, i32) -> i32 attributes {no_unwind}
  llvm.func @__tx_assert(i64, i32) attributes {no_unwind}
  llvm.func @__tx_repeat(i32) attributes {no_unwind}
  llvm.func @__tx_exit() attributes {no_unwind}
  llvm.func @__tx_fma(f64, f64, f64) -> f64
      attributes {no_unwind, will_return, memory_effects =
        #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none,
          errnoMem = none, targetMem0 = none, targetMem1 = none>}
  llvm.func @__tx_to_f8(f32, f32, i32) -> i32
      attributes {no_unwind, will_return, memory_effects =
        #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none,
          errnoMem = none, targetMem0 = none, targetMem1 = none>}
  llvm.func @__tx_from_f8(i32, i32) -> i32
      attributes {no_unwind, will_return, memory_effects =
        #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none,
          errnoMem = none, targetMem0 = none, targetMem1 = none>}
  llvm.func @__tx_exp2(f32) -> f32
      attributes {no_unwind, will_return, memory_effects =
        #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none,
          errnoMem = none, targetMem0 = none, targetMem1 = none>}
  llvm.func @__tx_log2(f32) -> f32
      attributes {no_unwind, will_return, memory_effects =
        #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none,
          errnoMem = none, targetMem0 = none, targetMem1 = none>}
  llvm.func @__tx_rsqrt(f32) -> f32
      attributes {no_unwind, will_return, memory_effects =
        #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none,
          errnoMem = none, targetMem0 = none, targetMem1 = none>}
  llvm.func @__tx_sqrt(f32) -> f32
      attributes {no_unwind, will_return, memory_effects =
        #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none,
          errnoMem = none, targetMem0 = none, targetMem1 = none>}
"#;

/// Names of the special registers. Generated code identifies a special register by the index of the
/// register in `REGISTERS`.
pub(crate) const REGISTERS: [&str; 44] = [
    "tid.x",
    "tid.y",
    "tid.z",
    "ntid.x",
    "ntid.y",
    "ntid.z",
    "ctaid.x",
    "ctaid.y",
    "ctaid.z",
    "nctaid.x",
    "nctaid.y",
    "nctaid.z",
    "laneid",
    "warpid",
    "nwarpid",
    "warpsize",
    "lanemask.eq",
    "lanemask.le",
    "lanemask.lt",
    "lanemask.ge",
    "lanemask.gt",
    "smid",
    "nsmid",
    "gridid",
    "dynamic.smem.size",
    "total.smem.size",
    "clusterid.x",
    "clusterid.y",
    "clusterid.z",
    "nclusterid.x",
    "nclusterid.y",
    "nclusterid.z",
    "cluster.ctaid.x",
    "cluster.ctaid.y",
    "cluster.ctaid.z",
    "cluster.nctaid.x",
    "cluster.nctaid.y",
    "cluster.nctaid.z",
    "cluster.ctarank",
    "cluster.nctarank",
    "envreg0",
    "envreg1",
    "envreg2",
    "envreg3",
];

/// A memory access that the generated code passes to a hook, which checks the access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessRequest {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    pub(crate) kind: AccessKind,
    /// Whether the access reads the memory; false for an atomic write.
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) space: Space,
    pub(crate) alignment: u64,
    pub(crate) site: u32,
}

/// Encodes the properties of an access in one word: kind (2 bits), reads (1 bit), space (3 bits)
/// and writes (1 bit). Bits 8 and above of the encoded access contain the binary logarithm of the
/// alignment that the access requires.
pub(crate) fn access_flags(
    kind: AccessKind,
    [reads, writes]: [bool; 2],
    space: Space,
    alignment: u64,
) -> i32 {
    let kind = match kind {
        AccessKind::Read => 0,
        AccessKind::Write => 1,
        AccessKind::Atomic => 2,
    };
    let space = match space {
        Space::Generic => 0,
        Space::Global => 1,
        Space::Shared => 2,
        Space::Private => 3,
        Space::SharedCluster => 4,
    };
    let [reads, writes] = [reads, writes].map(i32::from);
    kind | reads << 2 | space << 3 | writes << 6 | (alignment.trailing_zeros() as i32) << 8
}

/// Encodes a fence as an argument of the fence hook.
pub(crate) fn fence_code(fence: Fence) -> i32 {
    i32::from(fence.acquires) | i32::from(fence.releases) << 1
}

/// Decodes the arguments of an access hook; [`access_flags`] encodes `flags`.
pub(crate) fn access_request(address: u64, bytes: u64, flags: i32, site: i32) -> AccessRequest {
    AccessRequest {
        address,
        bytes,
        kind: match flags & 3 {
            0 => AccessKind::Read,
            1 => AccessKind::Write,
            _ => AccessKind::Atomic,
        },
        reads: flags & 4 != 0,
        writes: flags & 64 != 0,
        space: match flags >> 3 & 7 {
            0 => Space::Generic,
            1 => Space::Global,
            2 => Space::Shared,
            3 => Space::Private,
            _ => Space::SharedCluster,
        },
        alignment: 1 << (flags >> 8 & 63),
        site: site as u32,
    }
}

/// Decodes a fence that [`fence_code`] encoded.
pub(crate) fn fence_of_code(code: i32) -> Fence {
    Fence {
        acquires: code & 1 != 0,
        releases: code & 2 != 0,
    }
}

/// Barrier reductions. Generated code identifies a barrier reduction by the index of the reduction
/// in `REDUCTIONS`.
pub(crate) const REDUCTIONS: [(&str, Reduction); 4] = [
    ("", Reduction::None),
    ("popc", Reduction::Popc),
    ("and", Reduction::And),
    ("or", Reduction::Or),
];

/// Bit that is set in the encoded reduction of a barrier if the thread arrives without waiting.
pub(crate) const ARRIVE_ONLY: i32 = 1 << 8;
