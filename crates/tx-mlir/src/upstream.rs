//! What MLIR's own dialects have, and had: tables of what it does not list itself, for messages.

use crate::reword::nearest;
use crate::source::Place;

/// Ops by the names that they had, or that somebody expects them to have.
const RENAMED: &[(&str, &[&str])] = &[
    ("arith.maxf", &["arith.maximumf", "arith.maxnumf"]),
    ("arith.minf", &["arith.minimumf", "arith.minnumf"]),
    ("arith.maxi", &["arith.maxsi", "arith.maxui"]),
    ("arith.mini", &["arith.minsi", "arith.minui"]),
    ("arith.divi", &["arith.divsi", "arith.divui"]),
    ("arith.remi", &["arith.remsi", "arith.remui"]),
    ("arith.shri", &["arith.shrsi", "arith.shrui"]),
    ("arith.exti", &["arith.extsi", "arith.extui"]),
    ("arith.add", &["arith.addf", "arith.addi"]),
    ("arith.sub", &["arith.subf", "arith.subi"]),
    ("arith.mul", &["arith.mulf", "arith.muli"]),
    ("arith.div", &["arith.divf", "arith.divsi"]),
    ("arith.rem", &["arith.remf", "arith.remsi"]),
    ("arith.neg", &["arith.negf"]),
    ("arith.cmp", &["arith.cmpf", "arith.cmpi"]),
    ("arith.max", &["arith.maximumf", "arith.maxsi"]),
    ("arith.min", &["arith.minimumf", "arith.minsi"]),
    ("arith.and", &["arith.andi"]),
    ("arith.or", &["arith.ori"]),
    ("arith.xor", &["arith.xori"]),
    ("arith.abs", &["math.absf", "math.absi"]),
    ("arith.pow", &["math.powf"]),
    ("math.abs", &["math.absf", "math.absi"]),
    ("math.pow", &["math.powf"]),
    ("bufferization.to_memref", &["bufferization.to_buffer"]),
    ("linalg.init_tensor", &["tensor.empty"]),
    ("memref.buffer_cast", &["bufferization.to_buffer"]),
    ("memref.tensor_load", &["bufferization.to_tensor"]),
    ("memref.clone", &["bufferization.clone"]),
    ("vector.extractelement", &["vector.extract"]),
    ("vector.insertelement", &["vector.insert"]),
    ("vector.splat", &["vector.broadcast"]),
    ("gpu.launch_kernel", &["gpu.launch_func"]),
    ("gpu.syncthreads", &["gpu.barrier"]),
    ("scf.return", &["scf.yield"]),
];

/// What an op is called now that had this name.
pub(crate) fn renamed(found: &str) -> Option<&'static [&'static str]> {
    let known = RENAMED.iter().find(|(name, _)| *name == found);
    known.map(|(_, names)| *names)
}

/// Attributes of programs, by dialect: MLIR can be asked for ops alone.
const ATTRIBUTES: &[(&str, &[&str])] = &[
    (
        "gpu",
        &[
            "address_space",
            "all_reduce_op",
            "block",
            "dim",
            "kernel_metadata",
            "kernel_table",
            "lane",
            "loop_dim_map",
            "memory_space",
            "object",
            "processor",
            "select_object",
            "shuffle_mode",
            "thread",
            "warp",
            "warpgroup",
        ],
    ),
    (
        "nvvm",
        &[
            "cluster_dim",
            "fp_rnd_mode",
            "maxntid",
            "memory_scope",
            "minctasm",
            "redux_kind",
            "reqntid",
            "shfl_kind",
            "target",
        ],
    ),
    ("arith", &["denormal_fpmath", "fastmath", "overflow"]),
    (
        "llvm",
        &[
            "alias_scope",
            "cconv",
            "fastmath",
            "func_attrs",
            "linkage",
            "loop_annotation",
            "target_features",
        ],
    ),
    (
        "linalg",
        &["binary_fn", "iterator_type", "type_fn", "unary_fn"],
    ),
    (
        "vector",
        &[
            "combining_kind",
            "iterator_type",
            "kind",
            "printPunctuation",
        ],
    ),
    ("memref", &["atomic_rmw_kind"]),
];
const TYPES: &[(&str, &[&str])] = &[
    (
        "gpu",
        &[
            "async.token",
            "mma_matrix",
            "sparse.dnmat_handle",
            "sparse.spmat_handle",
            "sparse.spgemmop_handle",
        ],
    ),
    (
        "llvm",
        &[
            "array",
            "func",
            "label",
            "metadata",
            "ppc_fp128",
            "ptr",
            "struct",
            "target",
            "token",
            "vec",
            "void",
            "x86_amx",
        ],
    ),
];

/// Better words for an attribute or a type that its dialect does not have.
pub(crate) fn unknown(message: &str) -> Option<String> {
    let quoted = |rest: &'_ str| -> Option<(String, String)> {
        let (found, rest) = rest.split_once("` in dialect `")?;
        Some((found.to_owned(), rest.strip_suffix('`')?.to_owned()))
    };
    let (what, sign, known, (found, dialect)) =
        if let Some(rest) = message.strip_prefix("unknown attribute `") {
            ("attribute", '#', ATTRIBUTES, quoted(rest)?)
        } else if let Some(rest) = message.strip_prefix("unknown  type `") {
            ("type", '!', TYPES, quoted(rest)?)
        } else {
            let (dialect, found) = message.strip_prefix("unknown ")?.split_once(" type: ")?;
            ("type", '!', TYPES, (found.to_owned(), dialect.to_owned()))
        };
    let (_, names) = known.iter().find(|(of, _)| *of == dialect)?;
    let near = nearest(&found, names.iter().copied())?;
    Some(format!(
        "unknown {what} `{sign}{dialect}.{found}`; did you mean `{sign}{dialect}.{near}`?"
    ))
}

/// Ops with regions, and what these end with; a name that ends with a dot is a dialect.
const ENDS: &[(&str, &str)] = &[
    ("tile.", "tile.yield"),
    ("linalg.", "linalg.yield"),
    ("scf.if", "scf.yield"),
    ("scf.for", "scf.yield"),
    ("scf.index_switch", "scf.yield"),
    ("scf.execute_region", "scf.yield"),
    ("scf.while", "scf.condition` or `scf.yield"),
    ("scf.parallel", "scf.reduce"),
    ("scf.forall", "scf.forall.in_parallel"),
    ("scf.reduce", "scf.reduce.return"),
    ("affine.", "affine.yield"),
    ("gpu.func", "gpu.return"),
    ("gpu.launch", "gpu.terminator"),
    ("func.func", "func.return"),
    ("memref.generic_atomic_rmw", "memref.atomic_yield"),
    ("memref.alloca_scope", "memref.alloca_scope.return"),
    ("tensor.generate", "tensor.yield"),
];

/// Words that somebody ends a region with.
const ENDINGS: &[&str] = &["return", "yield", "terminator", "ret"];

/// What to write in place of a word that ends a region, where that is known.
pub(crate) fn ending(op: &str, place: &Place) -> Option<String> {
    ENDINGS.contains(&op).then_some(())?;
    let owner = owner(place.before())?;
    let is = |of: &str| owner == of || of.ends_with('.') && owner.starts_with(of);
    let (_, end) = ENDS.iter().find(|(of, _)| is(of))?;
    Some(format!(
        "`{op}` is unknown here: this region of `{owner}` ends with `{end}`; is a `}}` missing above?"
    ))
}

/// The op whose region a text ends in.
fn owner(before: &str) -> Option<&str> {
    // Comments hold whatever they like.
    let mut closed = 0_usize;
    let mut within = None;
    let mut end = before.len();
    for line in before.split_inclusive('\n').rev() {
        let begin = end - line.len();
        let code = line.split_once("//").map_or(line, |(code, _)| code);
        for word in words(code).into_iter().rev() {
            match word {
                "}" => closed += 1,
                "{" if closed > 0 => closed -= 1,
                "{" if within.is_some() => return None,
                "{" => within = Some(begin),
                op if within.is_some() && closed == 0 && is_op(op) => return Some(op),
                _ => {}
            }
        }
        end = begin;
    }
    None
}

/// Braces, and what stands between blanks and other signs.
fn words(code: &str) -> Vec<&str> {
    let is_sign = |c: char| !(c.is_alphanumeric() || "_.$#!%@^\"".contains(c));
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            c if is_sign(c) => c.len_utf8(),
            _ => rest.find(is_sign).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(length);
        found.push(word);
        rest = after;
    }
    found
}

/// `DIALECT.OP`.
fn is_op(word: &str) -> bool {
    let begins = word.starts_with(|c: char| c.is_ascii_lowercase());
    begins && word.contains('.') && !word.ends_with('.')
}

/// Better words for a value of another type than its use asks for.
pub(crate) fn other_type(message: &str, place: Option<&Place>) -> Option<String> {
    let rest = message.strip_prefix("use of value '")?;
    let (value, rest) = rest.split_once("' expects different type than prior uses: '")?;
    let (expected, found) = rest.strip_suffix('\'')?.split_once("' vs '")?;
    let op = place.and_then(op_before);
    let taker = op.map_or_else(|| "this op takes".to_owned(), |op| format!("`{op}` takes"));
    let convert = match compared(found, expected) {
        Some((op, how)) => Some(format!(
            ": compare it before, with a constant 0, as by `{op} {how}, {value}, %zero : {found}`"
        )),
        None => conversion(found, expected)
            .map(|op| format!(": convert it before, by `{op} {value} : {found} to {expected}`")),
    };
    Some(format!(
        "use of `{value}` of type `{found}`, where {taker} `{expected}`{}",
        convert.unwrap_or_default()
    ))
}

/// The op that is being written at a place: what follows the last `=` on its line, or begins that.
fn op_before(place: &Place) -> Option<&str> {
    let line = place.before().rsplit('\n').next()?;
    words(line).into_iter().rev().find(|word| is_op(word))
}

/// What makes a condition of a number.
fn compared(from: &str, to: &str) -> Option<(&'static str, &'static str)> {
    let is_number = |ty: &str| ty == "index" || conversion(ty, "f32").is_some() || ty == "f32";
    match from.as_bytes().first()? {
        _ if to != "i1" || !is_number(from) => None,
        b'f' | b'b' => Some(("arith.cmpf", "une")),
        _ => Some(("arith.cmpi", "ne")),
    }
}

/// What makes a number of one type one of another.
fn conversion(from: &str, to: &str) -> Option<&'static str> {
    let float = |ty: &str| match ty {
        "f64" => Some(64),
        "f32" => Some(32),
        "f16" | "bf16" => Some(16),
        "f8E4M3FN" | "f8E5M2" => Some(8),
        _ => None,
    };
    let integer = |ty: &str| ty.strip_prefix('i')?.parse::<u32>().ok();
    Some(match (float(from), float(to), integer(from), integer(to)) {
        // A condition is 0 or 1, and no number becomes one: it is compared.
        (.., Some(1), Some(_)) => "arith.extui",
        (None, Some(_), Some(1), None) => "arith.uitofp",
        (None, None, Some(1), None) if to == "index" => "arith.index_castui",
        (.., Some(1)) => return None,
        (Some(from), Some(to), ..) if from < to => "arith.extf",
        (Some(from), Some(to), ..) if from > to => "arith.truncf",
        (.., Some(from), Some(to)) if from < to => "arith.extsi",
        (.., Some(_), Some(_)) => "arith.trunci",
        (Some(_), None, None, Some(_)) => "arith.fptosi",
        (None, Some(_), Some(_), None) => "arith.sitofp",
        (None, None, Some(_), None) if to == "index" => "arith.index_cast",
        (None, None, None, Some(_)) if from == "index" => "arith.index_cast",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_of_regions_are_found() {
        for (text, expected) in [
            (
                "func.func @f() {\n  %x = scf.if %c -> i1 {\n    scf.yield %c : i1\n  } else {\n    ",
                Some("scf.if"),
            ),
            (
                "  // an odd {\n  tile.reduce custom %A into %B {nan = #tile.nan<ignore>} combiner {\n  ^bb0(%l: f32):\n    %p = arith.addf {x} %l\n    ",
                Some("tile.reduce"),
            ),
            (
                "gpu.func @k() kernel attributes {known_block_size = array<i32: 32, 1, 1>} {\n  ",
                Some("gpu.func"),
            ),
            ("{\n {", None),
            ("", None),
        ] {
            assert_eq!(owner(text), expected, "{text}");
        }
    }

    /// A number becomes a condition by a comparison.
    #[test]
    fn numbers_are_compared() {
        let said = |found: &str| {
            let message = format!(
                "use of value '%x' expects different type than prior uses: 'i1' vs '{found}'"
            );
            other_type(&message, None).expect("a message")
        };
        let ends = |text: &str, end: &str| assert!(text.ends_with(end), "{text}");
        ends(&said("f32"), "by `arith.cmpf une, %x, %zero : f32`");
        ends(&said("i32"), "by `arith.cmpi ne, %x, %zero : i32`");
        ends(&said("index"), "by `arith.cmpi ne, %x, %zero : index`");
        ends(&said("memref<4xf32>"), "this op takes `i1`");
    }

    #[test]
    fn numbers_are_converted() {
        for (from, to, op) in [
            ("f16", "f32", Some("arith.extf")),
            ("f64", "f32", Some("arith.truncf")),
            ("i8", "i32", Some("arith.extsi")),
            ("i64", "i32", Some("arith.trunci")),
            ("i32", "f32", Some("arith.sitofp")),
            ("f32", "i32", Some("arith.fptosi")),
            ("index", "i32", Some("arith.index_cast")),
            ("i32", "index", Some("arith.index_cast")),
            ("i1", "i32", Some("arith.extui")),
            ("i1", "f32", Some("arith.uitofp")),
            ("i1", "index", Some("arith.index_castui")),
            ("f32", "i1", None),
            ("i32", "i1", None),
            ("f16", "bf16", None),
            ("memref<4xf32>", "f32", None),
        ] {
            assert_eq!(conversion(from, to), op, "{from} {to}");
        }
    }

    #[test]
    fn attributes_of_other_dialects_are_near() {
        for (message, expected) in [
            (
                "unknown attribute `address_spac` in dialect `gpu`",
                Some("unknown attribute `#gpu.address_spac`; did you mean `#gpu.address_space`?"),
            ),
            (
                "unknown gpu type: async.tokn",
                Some("unknown type `!gpu.async.tokn`; did you mean `!gpu.async.token`?"),
            ),
            ("unknown attribute `zzzz` in dialect `gpu`", None),
            ("unknown attribute `x` in dialect `spirv`", None),
        ] {
            assert_eq!(unknown(message).as_deref(), expected);
        }
    }
}
