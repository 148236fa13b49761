//! Tests of the facts of whole modules.

use tx_ptx::{Fact, Facts, LoopNesting, Module};

/// Returns the facts of each kernel as text, one fact per line.
fn facts(text: &str) -> String {
    let module = Module::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let facts = Facts::of(&module).unwrap_or_else(|error| panic!("{error}"));
    let mut lines = String::new();
    for (name, kernel) in &facts.kernels {
        lines.push_str(&format!("{name}\n"));
        for (fact, count) in kernel.iter() {
            lines.push_str(&format!("  {fact}: {count}\n"));
        }
    }
    lines
}

/// Counts barriers, shuffles of whole warps and vector loads in a reduction of a row in shared
/// memory.
#[test]
fn long_row() {
    assert_eq!(
        facts(include_str!("ptx/long_row.ptx")),
        "long_row
  `bar.sync 0`: 3 outside loops
  `shfl.sync.bfly` with mask 0xffffffff and clamp 31: 6 outside loops
  vector `ld` of 16 bytes in `.shared` memory: 5 outside loops
  scalar `ld` of 4 bytes in `.global` memory: 16 outside loops
  scalar `ld` of 4 bytes in `.shared` memory: 1 outside loops
  scalar `st` of 4 bytes in `.global` memory: 1 outside loops
  scalar `st` of 4 bytes in `.shared` memory: 18 outside loops
"
    );
}

/// In a kernel with a loop over rows, all operations are in a loop, although LLVM reorders the
/// basic blocks.
#[test]
fn softmax() {
    assert_eq!(
        facts(include_str!("ptx/softmax.ptx")),
        "softmax_0
  `shfl.sync.bfly` with mask 0xffffffff and clamp 31: 5 in loops
  scalar `ld` of 4 bytes in `.global` memory: 6 in loops
  scalar `st` of 4 bytes in `.global` memory: 1 in loops
"
    );
}

/// A mask that the kernel computes is unknown.
#[test]
fn computed_mask() {
    assert_eq!(
        facts(include_str!("ptx/computed_mask.ptx")),
        "any_of_at_once
  `redux.sync.or.b32` with a mask that is not constant: 1 outside loops
  scalar `ld` of 1 bytes in `.global` memory: 4 outside loops
  scalar `st` of 1 bytes in `.global` memory: 1 outside loops
"
    );
}

/// Each kind of data exchange between threads is a separate fact. An atomic operation in a loop
/// counts as an operation in a loop.
#[test]
fn exchange() {
    assert_eq!(
        facts(include_str!("ptx/exchange.ptx")),
        "all
  `bar.sync ?`: 1 outside loops
  `bar.sync 0`: 1 outside loops
  `bar.sync 1, 64`: 1 outside loops
  `bar.sync 1, ?`: 1 outside loops
  `barrier.sync 3`: 1 outside loops
  `bar.arrive 2, 96`: 1 outside loops
  `bar.red.and 4`: 1 outside loops
  `bar.warp.sync` with mask 0xff: 1 outside loops
  `barrier.cluster.arrive.aligned`: 1 outside loops
  `barrier.cluster.wait.aligned`: 1 outside loops
  `shfl.sync.up` with mask 0xff and clamp 6144: 1 outside loops
  `shfl.sync.idx` with mask 0xffffffff and a clamp that is not constant: 1 outside loops
  `redux.sync.max.u32` with mask 0xffff: 1 outside loops
  `vote.sync.all` with mask 0xf: 1 outside loops
  `vote.sync.ballot` with mask 0xffffffff: 1 outside loops
  `match.any.sync.b32` with mask 0xffffffff: 1 outside loops
  `match.all.sync.b64` with mask 0xffffffff: 1 outside loops
  `elect.sync` with mask 0xffffffff: 1 outside loops
  atomic `add.b32` in `.shared` memory: 1 in loops
  atomic `max.u32` in `.global` memory: 1 in loops
  `fence.sc.gpu`: 1 outside loops
  `fence.proxy.async`: 1 outside loops
  vector `ld` of 16 bytes in `.global` memory: 1 outside loops
  vector `st` of 16 bytes in `.shared` memory: 1 outside loops
  scalar `ld` of 4 bytes in `.global` memory: 1 outside loops
  scalar `st` of 4 bytes in `.global` memory: 1 outside loops
  scalar `st` of 4 bytes in `.shared` memory: 1 outside loops
"
    );
}

/// A call of an external function is a fact; a call of a function in the module is not.
#[test]
fn calls() {
    let facts = facts(include_str!("ptx/calls.ptx"));
    assert!(facts.contains("  a call of `vprintf`: 1 outside loops\n"));
    assert!(facts.contains("  a call of a function in a register: 1 outside loops\n"));
    assert!(!facts.contains("helper"), "{facts}");
}

const HEADER: &str = ".version 8.7\n.target sm_90\n.address_size 64\n";

/// The operations of a function count once per call. If the call is in a loop, the operations count
/// as operations in a loop.
#[test]
fn functions_count_once_for_each_call() {
    let text = format!(
        "{HEADER}.func g() {{ bar.sync 1; ret; }} .func h() {{ call g; call.uni g, (); ret; }}
         .entry f() {{ .reg .pred %p<2>; call h; L: call g; @%p1 bra L; ret; }}"
    );
    assert_eq!(
        facts(&text),
        "f\n  `bar.sync 1`: 2 outside loops and 1 in loops\n"
    );
}

/// The operations of a recursive function cannot be counted.
#[test]
fn recursion_is_refused() {
    let text = format!(
        "{HEADER}.func g(); .func h() {{ call g; ret; }} .func g() {{ call h; ret; }} .entry f() \
         {{ call h; ret; }}"
    );
    let module = Module::parse(&text).expect("a module");
    assert_eq!(
        Facts::of(&module).expect_err("recursion").to_string(),
        "`h` calls itself, so its operations cannot be counted"
    );
}

/// Unreachable instructions are not counted.
#[test]
fn unreachable_instructions_do_not_count() {
    let text = format!("{HEADER}.entry f() {{ bar.sync 0; ret; bar.sync 0; }}");
    assert_eq!(facts(&text), "f\n  `bar.sync 0`: 1 outside loops\n");
}

/// The collection normalizes facts of the IR and of PTX in the same way: if the sign does not
/// affect the result, the type has no sign.
#[test]
fn types_are_normal() {
    use tx_ptx::{Combine, ReduxKind, ScalarType};
    let kind = |combine, name| ReduxKind {
        combine,
        ty: ScalarType::named(name).expect("a type"),
        abs: false,
        nan: false,
    };
    let mut ir = Facts::default();
    let kernel = ir.kernel("f");
    for kind in [
        kind(Combine::Add, "s32"),
        kind(Combine::Add, "u32"),
        kind(Combine::Min, "s32"),
    ] {
        kernel.add(Fact::Redux { kind, mask: None }, LoopNesting::InLoop);
    }
    let lines: Vec<String> = kernel
        .iter()
        .map(|(fact, count)| format!("{fact}: {count}"))
        .collect();
    assert_eq!(
        lines,
        [
            "`redux.sync.add.b32` with a mask that is not constant: 2 in loops",
            "`redux.sync.min.s32` with a mask that is not constant: 1 in loops"
        ]
    );
}
