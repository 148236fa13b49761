//! Counting of ops in printed MLIR. Printed MLIR contains at most one op per line, at the beginning
//! of the line.

use super::operation::{FoundOperation, Function, OperationKind, Space};
use tx_target::{Operation, Role};

const FUNCTIONS: &[&str] = &["gpu.func", "func.func", "llvm.func"];

/// Names of ops that perform an unknown number of memory accesses.
const HIDES_ACCESSES: &[&str] = &[
    "memref.copy",
    "memref.dma_start",
    "gpu.memcpy",
    "gpu.memset",
    "nvvm.ldmatrix",
    "nvvm.stmatrix",
    "nvvm.st.bulk",
];
const HIDES_ACCESSES_OF: &[&str] = &["llvm.intr.mem", "nvvm.cp.", "nvvm.wmma.", "nvgpu."];

/// Names of ops that may expand to an unknown number of counted operations.
const HIDES: &[&str] = &[
    "func.call",
    "func.call_indirect",
    "llvm.inline_asm",
    "nvvm.inline_ptx",
    "gpu.all_reduce",
    "gpu.subgroup_reduce",
    "gpu.subgroup_broadcast",
];
const HIDES_OF: &[&str] = &["tile.", "linalg."];

/// Name prefixes of NVVM intrinsics that perform counted operations other than loads and stores.
const HIDING_INTRINSICS: &[&str] = &[
    "atomic", "bar", "cluster", "elect", "fence", "match", "mbarrier", "membar", "redux", "shfl",
    "vote",
];
const ACCESSING_INTRINSICS: &[&str] = &["cp.", "ld", "st", "tcgen05", "wmma"];

/// Returns the functions that have a body, with all ops in each function.
pub(super) fn functions(text: &str) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    // Current function, and its number of open braces.
    let mut open: Option<(Function, i64)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let code = without_strings(line);
        let depth = depth(&code);
        let op = op_name(line.trim_start());
        if let Some((function, braces)) = &mut open {
            if let Some(name) = op {
                function.ops.push(FoundOperation {
                    line: number,
                    kind: kind(&name, line, &code),
                    name,
                    text: line.to_owned(),
                });
            }
            *braces += depth;
        } else if let Some(op) = op
            && FUNCTIONS.contains(&op.as_str())
            && depth > 0
            && let Some(name) = symbol(line)
        {
            let ops = Vec::new();
            open = Some((Function { name, ops }, depth));
        }
        if let Some((function, _)) = open.take_if(|(_, braces)| *braces <= 0) {
            functions.push(function);
        }
    }
    functions
}

pub(super) fn assembly(text: &str) -> Vec<String> {
    let binaries = text
        .lines()
        .filter(|line| op_name(line.trim_start()).is_some_and(|name| name == "gpu.binary"));
    binaries
        .flat_map(|line| line.split("assembly = \"").skip(1))
        .filter_map(unescaped)
        .filter(|text| text.contains(".version"))
        .collect()
}

/// Returns the content of a string up to its closing quote, with MLIR's escapes `\0A`, `\\` and
/// `\"` decoded.
fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    loop {
        match rest.next()? {
            b'"' => return String::from_utf8(bytes).ok(),
            b'\\' => match rest.next()? {
                plain @ (b'\\' | b'"') => bytes.push(plain),
                high => {
                    let digit = |byte: u8| char::from(byte).to_digit(16);
                    let byte = 16 * digit(high)? + digit(rest.next()?)?;
                    bytes.push(u8::try_from(byte).ok()?);
                }
            },
            byte => bytes.push(byte),
        }
    }
}

fn without_strings(line: &str) -> String {
    let mut code = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    let mut inside = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if inside => {
                code.push(' ');
                if chars.next().is_some() {
                    code.push(' ');
                }
            }
            '"' => {
                inside = !inside;
                code.push(' ');
            }
            '/' if !inside && chars.peek() == Some(&'/') => break,
            _ if inside => code.push(' '),
            _ => code.push(c),
        }
    }
    code
}

fn depth(code: &str) -> i64 {
    code.chars().fold(0, |depth, c| match c {
        '{' => depth + 1,
        '}' => depth - 1,
        _ => depth,
    })
}

/// Returns the name of the op that begins a line, such as `%0:2, %b = dialect.op …` or
/// `"dialect.op"(…) …`.
fn op_name(line: &str) -> Option<String> {
    let line = match line.split_once(" = ") {
        Some((results, rest)) if is_results(results) => rest.trim_start(),
        _ => line,
    };
    if let Some(quoted) = line.strip_prefix('"') {
        return Some(quoted.split_once('"')?.0.to_owned());
    }
    let end = line
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')))
        .unwrap_or(line.len());
    let name = &line[..end];
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase()) && name != "else";
    is_name.then(|| name.to_owned())
}

fn is_results(text: &str) -> bool {
    text.starts_with('%')
        && text.split(", ").all(|result| {
            result.strip_prefix('%').is_some_and(|name| {
                name.chars().all(|c| {
                    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '-' | ':' | '#')
                })
            })
        })
}

/// Returns the name of a function, from `gpu.func @rows(` in custom form, or from `sym_name =
/// "rows"` in generic form.
fn symbol(line: &str) -> Option<String> {
    let quoted = |text: &str| Some(text.split_once('"')?.0.to_owned());
    if let Some((_, rest)) = line.split_once("sym_name = \"") {
        return quoted(rest);
    }
    let (_, rest) = line.split_once('@')?;
    if let Some(rest) = rest.strip_prefix('"') {
        return quoted(rest);
    }
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-')))
        .unwrap_or(rest.len());
    Some(rest[..end].to_owned())
}

fn kind(name: &str, line: &str, code: &str) -> OperationKind {
    let types = types(code);
    let vector = types.contains("vector<");
    let load = |space| OperationKind::Load { space, vector };
    let store = |space| OperationKind::Store { space, vector };
    match Operation::role_of(name) {
        Role::BlockBarrier => return OperationKind::Barrier,
        Role::WarpBarrier => return OperationKind::WarpBarrier,
        // Each pair of an arrive op and a wait op counts once, at the wait op.
        Role::ClusterWait => return OperationKind::ClusterBarrier,
        Role::Shuffle => return OperationKind::Shuffle,
        Role::Redux => return OperationKind::Redux,
        Role::Vote => return OperationKind::Vote,
        Role::Fence => return OperationKind::Fence,
        Role::Atomic => return OperationKind::Atomic(first_space(types)),
        Role::ClusterArrive | Role::Match | Role::Elect | Role::Other => {}
    }
    match name {
        "memref.load"
        | "vector.load"
        | "vector.transfer_read"
        | "vector.maskedload"
        | "vector.gather"
        | "vector.expandload"
        | "llvm.load"
        | "llvm.intr.masked.load" => load(first_space(types)),
        "memref.store"
        | "vector.store"
        | "vector.transfer_write"
        | "vector.maskedstore"
        | "vector.scatter"
        | "vector.compressstore"
        | "llvm.store"
        | "llvm.intr.masked.store" => store(last_space(types)),
        "tile.yield" => OperationKind::Other,
        "llvm.call_intrinsic" => intrinsic(line),
        "func.call" | "llvm.call" if line.contains("@__nv_") => OperationKind::Other,
        "llvm.call" => OperationKind::Hides,
        _ if HIDES.contains(&name) || HIDES_OF.iter().any(|each| name.starts_with(each)) => {
            OperationKind::Hides
        }
        _ if HIDES_ACCESSES.contains(&name)
            || HIDES_ACCESSES_OF.iter().any(|each| name.starts_with(each)) =>
        {
            OperationKind::HidesAccesses
        }
        _ => OperationKind::Other,
    }
}

/// Returns the [`OperationKind`] that `COUNT` assigns to a call of an intrinsic. `COUNT` ignores
/// calls of intrinsics that are not NVVM intrinsics.
fn intrinsic(line: &str) -> OperationKind {
    let Some((_, called)) = line.split_once("\"llvm.nvvm.") else {
        return OperationKind::Other;
    };
    let is = |prefixes: &[&str]| prefixes.iter().any(|each| called.starts_with(each));
    match (is(HIDING_INTRINSICS), is(ACCESSING_INTRINSICS)) {
        (true, _) => OperationKind::Hides,
        (_, true) => OperationKind::HidesAccesses,
        _ => OperationKind::Other,
    }
}

/// Returns the types of an op, which are the text after the last colon that is outside of brackets.
fn types(code: &str) -> &str {
    let code = code.split(" loc(").next().unwrap_or(code);
    let (mut depth, mut before, mut types) = (0_usize, ' ', 0);
    for (at, c) in code.char_indices() {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && before == ' ' => types = at + 1,
            _ => {}
        }
        before = c;
    }
    &code[types..]
}

fn spaces(types: &str) -> Vec<Space> {
    let mut found = Vec::new();
    let mut rest = types;
    loop {
        let memref = rest.find("memref<");
        let pointer = rest.find("!llvm.ptr");
        match (memref, pointer) {
            (Some(at), pointer) if pointer.is_none_or(|other| at < other) => {
                let inside = bracketed(&rest[at + "memref".len()..]);
                found.push(memref_space(inside));
                rest = &rest[at + "memref<".len() + inside.len()..];
            }
            (_, Some(at)) => {
                rest = &rest[at + "!llvm.ptr".len()..];
                let number = rest.starts_with('<').then(|| bracketed(rest));
                found.push(numbered_space(number.unwrap_or("0")).unwrap_or(Space::Generic));
            }
            _ => return found,
        }
    }
}

fn first_space(types: &str) -> Space {
    spaces(types).first().copied().unwrap_or(Space::Generic)
}

/// Returns the memory space that a store accesses. The type of the last operand determines the
/// memory space of the store; the operand types precede the arrow `->`.
fn last_space(types: &str) -> Space {
    let operands = types.split(") -> ").next().unwrap_or(types);
    spaces(operands).last().copied().unwrap_or(Space::Generic)
}

/// Returns the text between the first `<` and the matching `>`. The `>` of an arrow `->` does not
/// count as a closing bracket.
fn bracketed(text: &str) -> &str {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return text.get(1..at).unwrap_or_default();
                }
            }
            _ => {}
        }
        before = c;
    }
    text.get(1..).unwrap_or_default()
}

/// Returns the memory space of a memref type from its parameters, such as `4x8xf32, strided<[8,
/// 1]>, #gpu.address_space<workgroup>`. If the memref type has a memory space, its last parameter
/// specifies the memory space.
fn memref_space(parameters: &str) -> Space {
    let mut depth = 0_usize;
    let mut last = 0;
    for (at, c) in parameters.char_indices() {
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => last = at + 1,
            _ => {}
        }
    }
    if last == 0 {
        return Space::Global;
    }
    match parameters[last..].trim() {
        "#gpu.address_space<workgroup>" => Space::Shared,
        "#gpu.address_space<private>" => Space::Private,
        "#gpu.address_space<global>" => Space::Global,
        // A last parameter without a number is a layout.
        other => match other.split(" :").next().and_then(numbered_space) {
            Some(Space::Generic) | None => Space::Global,
            Some(space) => space,
        },
    }
}

fn numbered_space(number: &str) -> Option<Space> {
    Some(match number.trim().parse::<u32>().ok()? {
        1 => Space::Global,
        3 => Space::Shared,
        4 => Space::Constant,
        5 => Space::Private,
        7 => Space::Cluster,
        _ => Space::Generic,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(line: &str) -> OperationKind {
        let text = format!("gpu.func @f() {{\n  {line}\n}}\n");
        let functions = functions(&text);
        assert_eq!(functions.len(), 1, "{line}");
        assert_eq!(functions[0].ops.len(), 1, "{line}");
        functions[0].ops[0].kind
    }

    #[test]
    fn spaces_are_those_of_types() {
        let load = |line: &str| match kinds(line) {
            OperationKind::Load { space, vector } => (space, vector),
            other => panic!("{line}: {other:?}"),
        };
        let store = |line: &str| match kinds(line) {
            OperationKind::Store { space, vector } => (space, vector),
            other => panic!("{line}: {other:?}"),
        };
        assert_eq!(
            load("%0 = memref.load %a[] : memref<f32>"),
            (Space::Global, false)
        );
        assert_eq!(
            load("%0 = memref.load %a[%i] : memref<4xf32, 3 : i32>"),
            (Space::Shared, false)
        );
        assert_eq!(
            load(
                "%0 = memref.load %a[%i] : memref<4xf32, strided<[1], offset: ?>, \
                 #gpu.address_space<private>>"
            ),
            (Space::Private, false)
        );
        assert_eq!(
            load("%0 = memref.load %a[%i] : memref<4xf32, affine_map<(d0) -> (d0 + 3)>>"),
            (Space::Global, false)
        );
        assert_eq!(
            load(
                "%0 = \"memref.load\"(%a, %i) <{nontemporal = false}> : (memref<4xf32, 5>, index) -> f32"
            ),
            (Space::Private, false)
        );
        assert_eq!(
            load("%0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> f32"),
            (Space::Generic, false)
        );
        assert_eq!(
            load("%0 = llvm.load %p : !llvm.ptr<1> -> vector<4xf32>"),
            (Space::Global, true)
        );
        assert_eq!(
            load("%0 = llvm.load %p : !llvm.ptr<3> -> !llvm.ptr"),
            (Space::Shared, false)
        );
        assert_eq!(
            load("%0 = llvm.load %p : !llvm.ptr<4> -> f32"),
            (Space::Constant, false)
        );
        assert_eq!(
            load(
                "%0 = vector.load %a[%i] {alignment = 16 : i64} : memref<?xf32>, vector<4xf32> loc(\"x\":1:2)"
            ),
            (Space::Global, true)
        );
        assert_eq!(
            store("llvm.store %q, %p : !llvm.ptr<3>, !llvm.ptr<7>"),
            (Space::Cluster, false)
        );
        assert_eq!(
            store("\"llvm.store\"(%q, %p) : (vector<4xf32>, !llvm.ptr<1>) -> ()"),
            (Space::Global, true)
        );
        assert_eq!(
            store("memref.store %x, %a[%i] : memref<4xf32, #gpu.address_space<global>>"),
            (Space::Global, false)
        );
        assert_eq!(
            kinds(
                "%0 = llvm.atomicrmw fadd %p, %x syncscope(\"device\") monotonic : !llvm.ptr<3>, f32"
            ),
            OperationKind::Atomic(Space::Shared)
        );
        assert_eq!(
            kinds("%0 = memref.atomic_rmw addf %x, %a[%i] : (f32, memref<4xf32, 3>) -> f32"),
            OperationKind::Atomic(Space::Shared)
        );
    }

    #[test]
    fn ops_are_known_by_name() {
        assert_eq!(
            kinds("%0, %1 = gpu.shuffle xor %a, %b, %c : f32"),
            OperationKind::Shuffle
        );
        assert_eq!(
            kinds("%0:2 = \"gpu.shuffle\"(%a, %b, %c) : (f32, i32, i32) -> (f32, i1)"),
            OperationKind::Shuffle
        );
        assert_eq!(
            kinds("%5 = nvvm.barrier #nvvm.reduction<or> %0 -> i32"),
            OperationKind::Barrier
        );
        assert_eq!(kinds("nvvm.cluster.arrive {aligned}"), OperationKind::Other);
        assert_eq!(
            kinds("nvvm.cluster.wait {aligned}"),
            OperationKind::ClusterBarrier
        );
        assert_eq!(
            kinds("nvvm.fence.proxy {kind = #nvvm.proxy_kind<alias>}"),
            OperationKind::Fence
        );
        assert_eq!(kinds("llvm.call @f() : () -> ()"), OperationKind::Hides);
        assert_eq!(
            kinds(
                "%0 = llvm.call_intrinsic \"llvm.nvvm.redux.sync.fmin\"(%x, %m) : (f32, i32) -> f32"
            ),
            OperationKind::Hides
        );
        assert_eq!(
            kinds("%0 = llvm.call_intrinsic \"llvm.nvvm.ex2.approx.f\"(%x) : (f32) -> f32"),
            OperationKind::Other
        );
        assert_eq!(
            kinds(
                "%0 = llvm.inline_asm \"ld.global.cs.b32 $0, [$1];\", \"=r,l\" %p : (!llvm.ptr<1>) -> i32"
            ),
            OperationKind::Hides
        );
        assert_eq!(
            kinds("nvvm.cp.async.wait.group 0"),
            OperationKind::HidesAccesses
        );
    }

    #[test]
    fn functions_end_where_their_braces_do() {
        let text = "\
gpu.module @m {
  llvm.func @declared(f32) -> f32
  gpu.func @\"a b\"() kernel attributes {x = \"}\"} {
    gpu.barrier // }
    cf.br ^bb1
  ^bb1:  // pred: ^bb0
    scf.for %i = %a to %b step %c {
      gpu.barrier
    }
    gpu.return
  }
  \"gpu.func\"() <{function_type = () -> (), sym_name = \"generic\"}> ({
    \"gpu.barrier\"() : () -> ()
  }) {gpu.kernel} : () -> ()
}
";
        let functions = functions(text);
        let told: Vec<(&str, usize)> = functions
            .iter()
            .map(|function| {
                let barriers = function
                    .ops
                    .iter()
                    .filter(|op| op.kind == OperationKind::Barrier);
                (function.name.as_str(), barriers.count())
            })
            .collect();
        assert_eq!(told, [("a b", 2), ("generic", 1)]);
        assert_eq!(functions[0].ops.len(), 5);
    }
}
