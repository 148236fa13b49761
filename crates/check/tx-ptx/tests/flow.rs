//! Tests of control flow, constant registers and single instructions.

use tx_ptx::{
    Access, Direction, Facts, Flow, Module, Operation, Ordering, ScalarType, Scope, Space,
};

/// Returns a module with one entry, which has the given body.
fn module(body: &str) -> Module {
    let text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry f() {{\n.reg .pred \
         %p<9>;\n.reg .b32 %r<99>;\n.reg .b64 %rd<9>;\n{body}\n}}"
    );
    Module::parse(&text).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns each opcode with its position: `loop`, `once` (reachable, outside loops) or `dead`
/// (unreachable).
fn places(body: &str) -> Vec<String> {
    let module = module(body);
    let function = module.entries().next().expect("one entry");
    let flow = Flow::of(function).unwrap_or_else(|error| panic!("{error}"));
    flow.sites()
        .iter()
        .map(|site| {
            let place = match (flow.is_reachable(site), flow.in_loop(site)) {
                (false, _) => "dead",
                (true, true) => "loop",
                (true, false) => "once",
            };
            format!("{} {place}", site.instruction.opcode)
        })
        .collect()
}

fn operations(body: &str) -> Result<Vec<Operation>, String> {
    let module = module(body);
    let function = module.entries().next().expect("one entry");
    let flow = Flow::of(function).map_err(|error| error.to_string())?;
    flow.sites()
        .iter()
        .map(|site| flow.operation(site).map_err(|error| error.to_string()))
        .collect()
}

/// Returns the mask of the `bar.warp.sync` in a body.
fn mask(body: &str) -> Option<u32> {
    operations(body)
        .expect("a body")
        .into_iter()
        .find_map(|operation| match operation {
            Operation::WarpBarrier { mask } => Some(mask),
            _ => None,
        })
        .expect("a barrier")
}

/// Detects loops of one block, nested loops, and loops that are entered in the middle. Instructions
/// before and after the loop are not in the loop.
#[test]
fn loops() {
    assert_eq!(
        places("a; L: b; @%p1 bra L; c; ret;"),
        ["a once", "b loop", "bra loop", "c once", "ret once"]
    );
    assert_eq!(
        places("bra M; L: a; M: b; N: c; @%p1 bra N; @%p2 bra L; d;"),
        [
            "bra once", "a loop", "b loop", "c loop", "bra loop", "bra loop", "d once"
        ]
    );
    // LLVM may place the last block of a loop before the first block.
    assert_eq!(
        places("bra.uni A; B: x; @%p1 bra A; bra.uni C; A: y; @%p2 bra B; C: ret;"),
        [
            "bra.uni once",
            "x loop",
            "bra loop",
            "bra.uni once",
            "y loop",
            "bra loop",
            "ret once"
        ]
    );
}

/// Instructions after an unguarded `ret`, `exit`, `trap` or `bra` are unreachable, unless a branch
/// to a label reaches them.
#[test]
fn reachability() {
    assert_eq!(
        places("@%p1 ret; a; @!%p1 exit; b; bra L; c; L: d; trap; e; M: f;"),
        [
            "ret once",
            "a once",
            "exit once",
            "b once",
            "bra once",
            "c dead",
            "d once",
            "trap once",
            "e dead",
            "f dead"
        ]
    );
}

/// An indexed branch may reach all labels of its table.
#[test]
fn branches_by_index() {
    assert_eq!(
        places("T: .branchtargets A, B; L: brx.idx %r1, T; x; A: bra L; B: ret;"),
        ["brx.idx loop", "x dead", "bra loop", "ret once"]
    );
}

/// A branch in inline assembly refers to the label in its own scope, even if several scopes define
/// the name.
#[test]
fn labels_have_scopes() {
    assert_eq!(
        places("{ L: a; @%p1 bra L; } { b; @%p1 bra L; L: c; }"),
        ["a loop", "bra loop", "b once", "bra once", "c once"]
    );
}

/// Missing labels, duplicate labels and branches without a target are errors with a source
/// position.
#[test]
fn errors() {
    for (body, message) in [
        ("bra L;", "line 8, column 1: there is no label `L`"),
        (
            "L: a; L: b;",
            "line 8, column 7: the label `L` is defined twice",
        ),
        ("bra %r1;", "line 8, column 1: `bra` names no label"),
        ("bra;", "line 8, column 1: `bra` names no label"),
        ("brx.idx %r1, T;", "line 8, column 1: there is no label `T`"),
    ] {
        assert_eq!(operations(body).expect_err(body), message);
    }
}

/// A mask in a register is known if a single `mov` of a constant defines the register, directly or
/// through other registers.
#[test]
fn constants_are_followed() {
    assert_eq!(mask("mov.b32 %r1, -1; bar.warp.sync %r1;"), Some(u32::MAX));
    assert_eq!(
        mask("mov.u32 %r1, 0xff; mov.b32 %r2, %r1; bar.warp.sync %r2;"),
        Some(255)
    );
    assert_eq!(mask("bar.warp.sync 4294967295;"), Some(u32::MAX));
    assert_eq!(mask("@%p1 mov.b32 %r1, 3; bar.warp.sync %r1;"), Some(3));
}

/// The value of a register is unknown if the register has two definitions, is computed, or is
/// undeclared. Cyclic copies do not cause an endless loop.
#[test]
fn what_is_not_constant_is_unknown() {
    for body in [
        "mov.b32 %r1, -1; @%p1 mov.b32 %r1, 255; bar.warp.sync %r1;",
        "mov.b32 %r1, 1; shl.b32 %r1, %r1, 2; bar.warp.sync %r1;",
        "mov.b32 %r2, 1; ld.global.v2.b32 {%r1, %r2}, [%rd1]; bar.warp.sync %r2;",
        "mov.b32 %r2, 1; shfl.sync.up.b32 %r2|%p1, %r3, 1, 0, -1; bar.warp.sync %r2;",
        "mov.b32 %r1, %r2; mov.b32 %r2, %r1; bar.warp.sync %r1;",
        "mov.b32 %r1, %lanemask_lt; bar.warp.sync %r1;",
        "mov.b32 %r1, 0f3F800000; bar.warp.sync %r1;",
        "bar.warp.sync 4294967296;",
        "bar.warp.sync %unknown;",
    ] {
        assert_eq!(mask(body), None, "{body}");
    }
}

/// A register of a scope differs from a register with the same name outside of the scope.
#[test]
fn registers_have_scopes() {
    let body = "mov.b32 %r1, 7; { .reg .b32 %r1; mov.b32 %r1, 8; } bar.warp.sync %r1;";
    assert_eq!(mask(body), Some(7));
    let body = "mov.b32 %r1, 7; { .reg .b32 m; mov.b32 m, 8; bar.warp.sync m; }";
    assert_eq!(mask(body), Some(8));
}

/// Decodes the memory space, width, ordering and cache hints of an access.
#[test]
fn accesses() {
    let read = operations(
        "ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1]; \
         st.release.gpu.shared::cta.b64 [%rd1], %rd2; \
         st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%rd1], %r1, [%rd2];",
    )
    .expect("accesses");
    let ty = |name| ScalarType::named(name).expect("a type");
    let load = Access {
        direction: Direction::Load,
        space: Space::Global,
        ty: ty("b32"),
        lanes: 4,
        ordering: Ordering::Weak,
        scope: None,
        read_only: true,
        cache: vec!["L1::no_allocate".to_owned(), "L2::128B".to_owned()],
    };
    let store = Access {
        direction: Direction::Store,
        space: Space::Shared,
        ty: ty("b64"),
        lanes: 1,
        ordering: Ordering::Release,
        scope: Some(Scope::Gpu),
        read_only: false,
        cache: Vec::new(),
    };
    assert_eq!((load.bytes(), store.bytes()), (16, 8));
    assert_eq!(
        read,
        [
            Operation::Access(load),
            Operation::Access(store),
            Operation::Other
        ]
    );
}

/// An instruction with a known opcode but invalid modifiers or operands is an error that describes
/// the fault.
#[test]
fn malformed_instructions() {
    for (body, message) in [
        (
            "shfl.sync.bfly.b32 %r1, %r2, 1, 31;",
            "line 8, column 1: `shfl.sync.bfly.b32` has 4 operands, expected 5",
        ),
        (
            "shfl.sync.b32 %r1, %r2, 1, 31, -1;",
            "line 8, column 1: `shfl.sync.b32` has none of `.up`, `.down`, `.bfly` or `.idx`",
        ),
        (
            "bar.sync;",
            "line 8, column 1: `bar.sync` has 0 operands, expected 1 to 2",
        ),
        (
            "ld.global %r1, [%rd1];",
            "line 8, column 1: `ld.global` does not end with a type such as `.b32`",
        ),
        (
            "membar;",
            "line 8, column 1: `membar` has none of `.cta`, `.gl` or `.sys`",
        ),
        ("call;", "line 8, column 1: `call` names no function"),
    ] {
        assert_eq!(operations(body).expect_err(body), message);
    }
    let error = Facts::of(&module("bar.sync;")).expect_err("no operands");
    assert_eq!(
        error.to_string(),
        "in `f`: line 8, column 1: `bar.sync` has 0 operands, expected 1 to 2"
    );
}
