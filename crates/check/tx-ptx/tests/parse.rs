//! Tests of the parser: the parser accepts all PTX of LLVM, and formatted modules parse to equal
//! modules. Invalid PTX is an error with a position, never a panic.

use proptest::prelude::*;
use tx_ptx::{Facts, Initializer, Item, Module, Operand, Statement};

const GOLDENS: &[(&str, &str)] = &[
    ("calls", include_str!("ptx/calls.ptx")),
    ("computed_mask", include_str!("ptx/computed_mask.ptx")),
    ("debug", include_str!("ptx/debug.ptx")),
    ("exchange", include_str!("ptx/exchange.ptx")),
    ("long_row", include_str!("ptx/long_row.ptx")),
    ("softmax", include_str!("ptx/softmax.ptx")),
    ("unrolled", include_str!("ptx/unrolled.ptx")),
];

const HEADER: &str = ".version 8.7\n.target sm_90\n.address_size 64\n";

fn golden(name: &str) -> Module {
    let (_, text) = GOLDENS
        .iter()
        .find(|(own, _)| *own == name)
        .expect("a golden of this name");
    Module::parse(text).expect("goldens are PTX")
}

/// Parses a function body, and checks that the formatted module parses to an equal module.
fn body(statements: &str) -> Result<Vec<Statement>, String> {
    let text = format!("{HEADER}.entry f() {{\n{statements}\n}}\n");
    let module = Module::parse(&text).map_err(|error| error.to_string())?;
    let again = Module::parse(&module.to_string()).map_err(|error| error.to_string())?;
    assert_eq!(again, module, "{module}");
    let function = module.entries().next().expect("one entry");
    Ok(function.body.clone().unwrap_or_default())
}

fn operands(instruction: &str) -> Vec<Operand> {
    match body(instruction).expect("an instruction").as_slice() {
        [Statement::Instruction(instruction)] => instruction.operands.clone(),
        other => panic!("{other:?}"),
    }
}

/// Each test module parses to an equal module after formatting, and formatting it again does not
/// change the text.
#[test]
fn round_trip() {
    for (name, text) in GOLDENS {
        let module = Module::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let printed = module.to_string();
        let again = Module::parse(&printed).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(again, module, "{name}");
        assert_eq!(again.to_string(), printed, "{name}");
    }
}

/// Parses the module header, linkage, pointer parameters and kernel directives.
#[test]
fn heads() {
    let module = golden("calls");
    assert_eq!(module.version, (8, 0));
    assert_eq!(module.target, ["sm_90"]);
    assert_eq!(module.address_size, Some(64));
    let kernel = module.entries().next().expect("one kernel");
    assert_eq!(kernel.name, "k");
    assert_eq!(kernel.directive("maxntid"), Some(&[128, 1, 1][..]));
    assert_eq!(kernel.directive("explicitcluster"), Some(&[][..]));
    assert_eq!(kernel.directive("reqntid"), None);
    let pointer = &kernel.parameters[0];
    assert_eq!(pointer.to_string(), ".param .u64 .ptr .align 1 k_param_0");
    assert_eq!(kernel.parameters[2].names[0].sizes, [Some(16)]);
    let names: Vec<(&str, bool)> = module
        .functions()
        .map(|function| (function.name.as_str(), function.body.is_some()))
        .collect();
    assert_eq!(names, [("vprintf", false), ("helper", true), ("k", true)]);
}

/// Parses initial values of variables: numbers, addresses, generic addresses, and single bytes of
/// addresses.
#[test]
fn initializers() {
    let module = golden("calls");
    let initializer = |name: &str| {
        module.items.iter().find_map(|item| match item {
            Item::Variable(variable) if variable.names[0].name == name => {
                variable.names[0].initializer.clone()
            }
            _ => None,
        })
    };
    let generic = Initializer::Generic {
        name: "g".to_owned(),
        offset: 0,
    };
    assert_eq!(initializer("g"), Some(Initializer::Integer(5)));
    assert_eq!(initializer("p"), Some(generic.clone()));
    assert_eq!(initializer("dyn"), None);
    let Some(Initializer::List(packed)) = initializer("packed") else {
        panic!("a list");
    };
    assert_eq!(
        packed[2],
        Initializer::Masked {
            mask: 0xff00,
            value: Box::new(generic)
        }
    );
}

/// Parses every kind of operand.
#[test]
fn kinds_of_operands() {
    let register = |name: &str| Operand::Register(name.to_owned());
    assert_eq!(
        operands("shfl.sync.bfly.b32 %r1|%p1, %r2, 0x1f, -1, 0b101;"),
        [
            Operand::Pair(Box::new(register("%r1")), Box::new(register("%p1"))),
            register("%r2"),
            Operand::Integer(31),
            Operand::Integer(-1),
            Operand::Integer(5),
        ]
    );
    assert_eq!(
        operands("x 0f3F800000, 0d3FF0000000000000, 1.5, 017, 18446744073709551615U, !%p2, a+4;"),
        [
            Operand::Single(0x3f80_0000),
            Operand::Double(0x3ff0_0000_0000_0000),
            Operand::Double(1.5_f64.to_bits()),
            Operand::Integer(15),
            Operand::Integer(i128::from(u64::MAX)),
            Operand::Not(Box::new(register("%p2"))),
            Operand::Offset {
                symbol: "a".to_owned(),
                offset: 4
            },
        ]
    );
    for text in [
        "ld.global.v2.b32 {%r1, %r2}, [%rd1+-256];",
        "ld.shared.b32 %r1, [a+16];",
        "ld.shared.b32 %r1, [4096];",
        "call.uni (retval0), f, (param0, param1);",
        "tex.2d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [t, s, {%r5, %r6}];",
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%rd1], \
         [%rd2, {%r1}], [%rd3];",
        "@!%p1 setp.eq.b32 %p2|%p3, %tid.x, 0;",
    ] {
        let statements = body(text).expect(text);
        assert_eq!(statements[0].to_string(), text);
    }
}

/// Parses inline assembly: markers, and a scope with registers and guards.
#[test]
fn inline_assembly() {
    let statements = body(
        "// begin inline asm\n{ .reg .pred p; setp.ne.s32 p, %r2, 0; @p mov.b32 %r1, 1;\n @!p \
         mov.b32 %r1, 2; }\n// end inline asm",
    )
    .expect("a body");
    let [
        Statement::InlineAsmBegin,
        Statement::Scope(scope),
        Statement::InlineAsmEnd,
    ] = statements.as_slice()
    else {
        panic!("{statements:?}");
    };
    let lines: Vec<String> = scope.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            ".reg .pred p;",
            "setp.ne.s32 p, %r2, 0;",
            "@p mov.b32 %r1, 1;",
            "@!p mov.b32 %r1, 2;"
        ]
    );
}

/// A syntax error in a statement contains the position, the found token and the expected tokens.
#[test]
fn errors() {
    for (statement, message) in [
        (
            "mov.b32 %r1, ;",
            "line 5, column 14: found `;`, expected an operand",
        ),
        (
            "mov.b32 %r1 %r2;",
            "line 5, column 13: found `%r2`, expected `,` or `;`",
        ),
        (
            "ld.b32 %r1, [%rd1;",
            "line 5, column 18: found `;`, expected `]`",
        ),
        (
            "ld.v2.b32 {%r1, %r2, [%rd1];",
            "line 5, column 28: found `;`, expected `,` or `}`",
        ),
        (
            "@%p1;",
            "line 5, column 5: found `;`, expected an instruction",
        ),
        ("bra L", "line 6, column 1: found `}`, expected `,` or `;`"),
        (
            "ret",
            "line 6, column 1: found `}`, expected an operand or `;`",
        ),
        ("a.b:", "line 5, column 1: found `a.b`, expected a label"),
        (
            ".wrong 5;",
            "line 5, column 1: found `.wrong`, expected an instruction, a label, a declaration or `}`",
        ),
        (
            ";",
            "line 5, column 1: found `;`, expected an instruction, a label, a declaration or `}`",
        ),
        (
            ".reg %r<5>;",
            "line 5, column 6: found `%r`, expected a type such as `.b32`",
        ),
        (
            ".reg .b32 .b32 %r<5>;",
            "line 5, column 11: found `.b32`, expected a name",
        ),
        (
            ".reg .b32 %r<x>;",
            "line 5, column 14: found `x`, expected how many registers",
        ),
        (
            "mov.b32 %r1, 0f3F80;",
            "line 5, column 14: found `0f3F80`, expected a number: an integer of 64 bits, `0f` \
             with 8 or `0d` with 16 \
             hexadecimal digits, or a decimal fraction",
        ),
        (
            "mov.b64 %r1, 18446744073709551616;",
            "line 5, column 14: found `18446744073709551616`, expected a number: an integer of 64 \
             bits, `0f` with 8 or \
             `0d` with 16 hexadecimal digits, or a decimal fraction",
        ),
        (
            "ld.b32 %r1, [%rd1+9223372036854775808];",
            "line 5, column 19: found `9223372036854775808`, expected an offset of 64 bits",
        ),
        (
            "mov.b32 % r1, 0;",
            "line 5, column 9: found `%`, expected the name of a register after it",
        ),
        (
            "äh;",
            "line 5, column 1: found `ä`, expected a name, a number or punctuation",
        ),
        (
            ".pragma \"nounroll;",
            "line 5, column 9: found a string without an end, expected `\"` on the same line",
        ),
        (
            "/* ret;",
            "line 5, column 1: found a comment without an end, expected `*/` after it",
        ),
        (
            ".loc 1 5;",
            "line 5, column 9: found `;`, expected a column",
        ),
    ] {
        assert_eq!(body(statement).expect_err(statement), message);
    }
}

/// A module must begin with a header. At module level, only items are valid.
#[test]
fn errors_of_modules() {
    for (text, message) in [
        (
            "",
            "line 1, column 1: found the end of the text, expected `.version`, with which a module begins",
        ),
        (
            ".version 8",
            "line 1, column 10: found `8`, expected a version such as `8.7`",
        ),
        (
            ".version 8.7\n.entry",
            "line 2, column 1: found `.entry`, expected `.target`, which follows the version",
        ),
        (
            ".version 8.7\n.target sm_90\nret;",
            "line 3, column 1: found `ret`, expected `.entry`, `.func`, a variable or another directive",
        ),
        (
            ".version 8.7\n.target sm_90\n.visible .file 1 \"a\"",
            "line 3, column 10: found `.file`, expected `.entry`, `.func` or a variable",
        ),
        (
            ".version 8.7\n.target sm_90\n.entry f() {",
            "line 3, column 13: found the end of the text, expected an instruction, a label, a \
             declaration or `}`",
        ),
        (
            ".version 8.7\n.target sm_90\n.entry f() .maxntid 1,",
            "line 3, column 23: found the end of the text, expected a number",
        ),
        (
            ".version 8.7\n.target sm_90\n.section .debug_info { .b8 0f3F800000 }",
            "line 3, column 28: found a float, expected a number, a label or a section",
        ),
    ] {
        assert_eq!(
            Module::parse(text).expect_err(text).to_string(),
            message,
            "{text}"
        );
    }
}

/// Excessive nesting is an error, and does not overflow the stack.
#[test]
fn nesting_is_bounded() {
    for (open, close) in [
        ("{", ""),
        ("x ", "{"),
        ("x ", "("),
        ("x ", "!"),
        (".global .b8 a = ", "{"),
    ] {
        let text = format!("{open}{}", close.repeat(100_000));
        let text = if close.is_empty() {
            open.repeat(100_000)
        } else {
            text
        };
        let error = body(&text).expect_err("too deep");
        assert!(
            error.ends_with("expected at most 64 levels of nesting"),
            "{error}"
        );
    }
}

/// PTX fragments that mutations insert at random positions.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    ":",
    "|",
    "!",
    "@",
    "+",
    "-",
    "=",
    "%",
    "\"",
    ".",
    "::",
    "//",
    "/*",
    "0f",
    "0x",
    "9999999999999999999999",
    ".reg",
    ".loc 1",
    "ret;",
    "\n",
    "é",
    "_",
    "// begin inline asm\n",
    "$L__BB0_2",
    "bra",
    "shfl.sync",
    "%p1",
    ".param",
    "generic(",
    "1.5e+",
    "-",
];

/// Generates a test module with a few random deletions, insertions and duplications.
fn mutated() -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        0_usize..60,
        0..PIECES.len(),
        0..4_u8,
    );
    (0..GOLDENS.len(), prop::collection::vec(change, 1..4)).prop_map(|(golden, changes)| {
        let mut text: Vec<char> = GOLDENS[golden].1.chars().collect();
        for (place, length, piece, kind) in changes {
            if text.is_empty() {
                break;
            }
            let from = place.index(text.len());
            let to = (from + length).min(text.len());
            match kind {
                0 => drop(text.drain(from..to)),
                1 => drop(text.splice(from..from, PIECES[piece].chars())),
                2 => drop(text.splice(from..to, PIECES[piece].chars())),
                _ => {
                    let twice = text[from..to].to_vec();
                    text.splice(from..from, twice);
                }
            }
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Mutated PTX causes an error at a position within the text, or parses to a module that is
    /// equal after formatting and parsing. Nothing panics.
    #[test]
    fn mutated_text(text in mutated()) {
        match Module::parse(&text) {
            Ok(module) => {
                let again = Module::parse(&module.to_string());
                prop_assert_eq!(again, Ok(module.clone()));
                // The collection of facts from a mutated module may return an error, but must not
                // panic.
                let _ = Facts::of(&module);
            }
            Err(error) => {
                let lines: Vec<&str> = text.split('\n').collect();
                let line = lines.get(error.line as usize - 1);
                prop_assert!(line.is_some(), "{error}");
                let columns = line.map_or(0, |line| line.chars().count());
                prop_assert!((1..=columns + 1).contains(&(error.column as usize)), "{error}");
            }
        }
    }

    /// Arbitrary text does not make the parser panic.
    #[test]
    fn any_text(text in "\\PC*") {
        let _ = Module::parse(&format!("{HEADER}{text}"));
        let _ = body(&text);
    }
}
