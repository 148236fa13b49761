//! Tests of the algebraic laws: findings and counterexamples for `custom` combiners, and results
//! for every built-in kind and type.

use tx_interp::{Finding, laws};
use tx_mlir::Session;

/// Returns the findings for the combiners of the kernel `k`.
fn found(text: &str) -> Vec<(String, Finding)> {
    let session = Session::new(tx_dialect_tile::register);
    let module = session
        .parse("laws.mlir", text.as_bytes())
        .unwrap_or_else(|| panic!("{:?}\n{text}", session.take_diagnostics()));
    let found = laws(&module, "k").into_iter();
    found.map(|laws| (laws.combiner, laws.finding)).collect()
}

/// Returns a kernel that reduces vectors with a `custom` combiner. `body` computes the values
/// `yields` from `%l0`, `%r0`, `%l1`, ….
fn custom(types: &[&str], identities: &str, outside: &str, body: &str, yields: &str) -> String {
    let each = |f: &dyn Fn(usize, &str) -> String| -> String {
        let texts: Vec<String> = types.iter().enumerate().map(|(i, ty)| f(i, ty)).collect();
        texts.join(", ")
    };
    let arguments = each(&|i, ty| format!("%A{i}: memref<9x{ty}>, %B{i}: memref<{ty}>"));
    let left = each(&|i, ty| format!("%l{i}: {ty}"));
    let right = each(&|i, ty| format!("%r{i}: {ty}"));
    let sources = each(&|i, _| format!("%A{i}"));
    let destinations = each(&|i, _| format!("%B{i}"));
    let source_types = each(&|_, ty| format!("memref<9x{ty}>"));
    let destination_types = each(&|_, ty| format!("memref<{ty}>"));
    let yielded = each(&|_, ty| ty.to_owned());
    format!(
        "gpu.module @m {{
           gpu.func @k({arguments}) kernel attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
             {outside}
             tile.reduce custom {sources} into {destinations} axes [0] scope(cta)
               identity [{identities}] combiner {{
             ^bb0({left}, {right}):
               {body}
               tile.yield {yields} : {yielded}
             }} : {source_types} into {destination_types}
             gpu.return
           }}
         }}"
    )
}

fn of_one(ty: &str, identity: &str, body: &str) -> Finding {
    let identity = match ty {
        "i1" => identity.to_owned(),
        _ => format!("{identity} : {ty}"),
    };
    let text = custom(&[ty], &identity, "", body, "%x");
    let found = found(&text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, format!("custom {ty}"));
    found[0].1.clone()
}

/// Returns the counterexample of a broken law.
fn example(finding: Finding) -> String {
    match finding {
        Finding::Broken(text) => text,
        other => panic!("{other:?}"),
    }
}

/// An identity that changes an infinity to a finite number causes a remark, even if the identity is
/// neutral to all finite numbers.
#[test]
fn identities_that_hide_infinities_are_told() {
    for (identity, op, hidden) in [
        ("3.4e38", "minimumf", "inf"),
        ("-3.4e38", "maximumf", "-inf"),
    ] {
        let finding = of_one("f32", identity, &format!("%x = arith.{op} %l0, %r0 : f32"));
        let Finding::Hold(remarks) = finding else {
            panic!("{finding:?}")
        };
        let told = format!(", {hidden}) = ");
        assert!(remarks.iter().any(|r| r.contains(&told)), "{remarks:?}");
    }
}

/// The index in an identity matters only in ties. In an `argmin` that prefers the highest index,
/// the index -1 is not neutral.
#[test]
fn identities_of_tuples_are_tried_where_one_part_differs() {
    let least = |index: &str| {
        let body = "
            %less = arith.cmpi slt, %l0, %r0 : i8
            %same = arith.cmpi eq, %l0, %r0 : i8
            %later = arith.cmpi sgt, %l1, %r1 : i32
            %tie = arith.andi %same, %later : i1
            %left = arith.ori %less, %tie : i1
            %x = arith.select %left, %l0, %r0 : i8
            %i = arith.select %left, %l1, %r1 : i32";
        let identities = format!("127 : i8, {index} : i32");
        let text = custom(&["i8", "i32"], &identities, "", body, "%x, %i");
        found(&text).remove(0).1
    };
    let Finding::Hold(remarks) = least("-1") else {
        panic!("broken")
    };
    assert!(
        remarks.iter().any(|r| r.contains("not neutral")),
        "{remarks:?}"
    );
    assert_eq!(least("-2147483648"), Finding::Hold(vec![]));
}

/// For 8-bit integers, all pairs are tested: the test finds a single wrong pair among 65536, and a
/// wrong pair that occurs only as an intermediate result.
#[test]
fn combiners_of_small_integers_are_decided() {
    assert_eq!(
        of_one("i8", "0", "%x = arith.addi %l0, %r0 : i8"),
        Finding::Hold(vec![])
    );
    let at_one_pair = "
        %a = arith.constant 101 : i8
        %b = arith.constant -93 : i8
        %p = arith.cmpi eq, %l0, %a : i8
        %q = arith.cmpi eq, %r0, %b : i8
        %both = arith.andi %p, %q : i1
        %m = arith.maxsi %l0, %r0 : i8
        %n = arith.addi %m, %r0 : i8
        %x = arith.select %both, %n, %m : i8";
    assert_eq!(
        example(of_one("i8", "-128", at_one_pair)),
        "not commutative: combiner(101, -93) = 8, but combiner(-93, 101) = 101"
    );
    let skips_a_sum = "
        %s = arith.addi %l0, %r0 : i8
        %a = arith.constant 77 : i8
        %b = arith.constant 78 : i8
        %p = arith.cmpi eq, %s, %a : i8
        %x = arith.select %p, %b, %s : i8";
    assert_eq!(
        example(of_one("i8", "0", skips_a_sum)),
        "not associative: combiner(combiner(0, 77), 1) = 79, but combiner(0, combiner(77, 1)) = 78"
    );
    // On i1, NAND is commutative but not associative.
    let nand = "%a = arith.andi %l0, %r0 : i1
        %t = arith.constant true
        %x = arith.xori %a, %t : i1";
    assert!(example(of_one("i1", "true", nand)).starts_with("not associative: "));
}

/// An identity must be neutral to itself. If an identity changes only values that may never occur,
/// the result is a remark.
#[test]
fn identities_are_tried() {
    let magnitude = "%a = math.absi %l0 : i8
        %b = math.absi %r0 : i8
        %x = arith.maxui %a, %b : i8";
    let Finding::Hold(remarks) = of_one("i8", "0", magnitude) else {
        panic!("a magnitude is associative");
    };
    assert_eq!(
        remarks,
        [
            "where such values occur, the identity is not neutral: combiner(0, -127) = 127, \
             expected -127; no common identity is neutral either: set the neutral value, or \
             correct the combiner where it changes single values (for example, drops a sign), or \
             exclude such values"
        ]
    );
    assert_eq!(
        example(of_one("i8", "1", "%x = arith.addi %l0, %r0 : i8")),
        "the identity is not neutral: combiner(1, 1) = 2, expected 1; the identity must be 0"
    );
    assert_eq!(
        example(of_one("f32", "1.0", "%x = arith.addf %l0, %r0 : f32")),
        "the identity is not neutral: combiner(1.0, 1.0) = 2.0, expected 1.0; the identity must be 0.0"
    );
}

/// If a combiner changes a value in combination with every identity, or if the neutral identity is
/// uncommon, the remark names no identity.
#[test]
fn no_identity_is_made_up() {
    let length = "%p = arith.mulf %l0, %l0 : f32
        %q = arith.mulf %r0, %r0 : f32
        %s = arith.addf %p, %q : f32
        %x = math.sqrt %s : f32";
    let of_codes = "%k = arith.constant 1234 : i32
        %a = arith.xori %l0, %k : i32
        %b = arith.xori %r0, %k : i32
        %m = arith.maxui %a, %b : i32
        %x = arith.xori %m, %k : i32";
    for (ty, identity, body) in [("f32", "0.0", length), ("i32", "0", of_codes)] {
        let Finding::Hold(remarks) = of_one(ty, identity, body) else {
            panic!("{body} is associative");
        };
        assert_eq!(remarks.len(), 1, "{remarks:?}");
        let wanted = "; no common identity is neutral either: set the neutral value, ";
        assert!(remarks[0].contains(wanted), "{remarks:?}");
    }
    let Finding::Hold(remarks) = of_one("i32", "1234", of_codes) else {
        panic!("the right one is neutral");
    };
    assert_eq!(remarks, [""; 0]);
}

/// If an identity changes some values, the remark names an identity that changes no values.
#[test]
fn neutral_identities_are_named() {
    for (ty, identity, op, expected) in [
        (
            "f32",
            "0.0",
            "arith.maximumf",
            "combiner(0.0, -1.0) = 0.0, expected -1.0; the identity must be -inf",
        ),
        (
            "i32",
            "0",
            "arith.maxsi",
            "combiner(0, -1) = 0, expected -1; the identity must be -2147483648",
        ),
        (
            "i8",
            "0",
            "arith.minsi",
            "combiner(0, 1) = 0, expected 1; the identity must be 127",
        ),
        (
            "f16",
            "65504.0",
            "arith.minimumf",
            "combiner(65504.0, inf) = 65504.0, expected inf; the identity must be inf",
        ),
    ] {
        let Finding::Hold(remarks) = of_one(ty, identity, &format!("%x = {op} %l0, %r0 : {ty}"))
        else {
            panic!("{op} combines");
        };
        let expected = format!("where such values occur, the identity is not neutral: {expected}");
        assert_eq!(remarks.first(), Some(&expected));
    }
}

/// Combinations with an undefined result are skipped, and do not affect other combinations of the
/// same chunk.
#[test]
fn what_is_not_defined_is_left_out() {
    let largest = "%s = arith.shli %l0, %r0 : i8
        %x = arith.maxui %l0, %r0 : i8";
    let Finding::Hold(remarks) = of_one("i8", "0", largest) else {
        panic!("it is defined where both are shifts, and the larger one then");
    };
    assert_eq!(
        remarks,
        [
            "where such values occur, the identity is not neutral: combiner(0, 8) = undefined, \
             expected 8; no common identity is neutral either: set the neutral value, or correct \
             the combiner where it changes single values (for example, drops a sign), or exclude \
             such values"
        ]
    );
    assert_eq!(
        example(of_one("i8", "0", "%x = arith.shli %l0, %r0 : i8")),
        "not commutative: combiner(0, 1) = 0, but combiner(1, 0) = 1"
    );
    // The identity -1 is an invalid shift amount.
    assert_eq!(
        example(of_one("i8", "-1", largest)),
        "the identity is not neutral: combiner(-1, -1) = undefined, expected -1; no common \
         identity is neutral either: set the neutral value, or correct the combiner where it \
         changes single values (for example, drops a sign), or exclude such values"
    );
}

/// Wider integers are tested with extremes, powers of two and random numbers.
#[test]
fn combiners_of_wide_integers_are_tried() {
    assert_eq!(
        of_one("i32", "-1", "%x = arith.andi %l0, %r0 : i32"),
        Finding::Hold(vec![])
    );
    assert!(
        example(of_one("i32", "0", "%x = arith.subi %l0, %r0 : i32"))
            .starts_with("not commutative: ")
    );
    // The combiner is associative unless the sum overflows.
    let saturated = "%s = arith.addi %l0, %r0 : i64
        %most = arith.constant 9223372036854775800 : i64
        %x = arith.minsi %s, %most : i64";
    assert!(example(of_one("i64", "0", saturated)).starts_with("not associative: "));
}

/// A rounding error is not a counterexample; an average is not associative.
#[test]
fn floats_are_compared_within_rounding() {
    for ty in ["f16", "bf16", "f32", "f64"] {
        let sums = format!("%x = arith.addf %l0, %r0 : {ty}");
        assert_eq!(of_one(ty, "0.0", &sums), Finding::Hold(vec![]), "{ty}");
        // The combiner a + b + ab is associative, because it equals (1 + a)(1 + b) - 1.
        let grows = format!(
            "%s = arith.addf %l0, %r0 : {ty}
             %p = arith.mulf %l0, %r0 : {ty}
             %x = arith.addf %s, %p : {ty}"
        );
        let finding = of_one(ty, "0.0", &grows);
        assert!(matches!(&finding, Finding::Hold(_)), "{ty}: {finding:?}");
        let average = format!(
            "%s = arith.addf %l0, %r0 : {ty}
             %h = arith.constant 0.5 : {ty}
             %x = arith.mulf %s, %h : {ty}"
        );
        assert!(
            example(of_one(ty, "0.0", &average)).starts_with("not associative: "),
            "{ty}"
        );
    }
}

/// If the treatment of NaN depends on the operand position, the result is a remark, not an error.
#[test]
fn what_depends_on_nan_is_told() {
    let chosen = "%p = arith.cmpf ogt, %l0, %r0 : f32
        %x = arith.select %p, %l0, %r0 : f32";
    assert_eq!(
        of_one("f32", "0xFF800000", chosen),
        Finding::Hold(vec![
            "where such values occur, not commutative: combiner(1.0, NaN) = NaN, but combiner(NaN, \
             1.0) = 1.0; the combiner must give the same result in any order"
                .to_owned()
        ])
    );
    let maximum = "%x = arith.maximumf %l0, %r0 : f32";
    assert_eq!(of_one("f32", "0xFF800000", maximum), Finding::Hold(vec![]));
}

/// Some tuples of values may never occur, so a failure for some tuples causes a remark.
#[test]
fn tuples_that_may_not_occur_are_told() {
    // If two values are equal, the combiner selects the left value and its index. The result is
    // correct if all values differ.
    let left = "%p = arith.cmpf oge, %l0, %r0 : f32
        %v = arith.select %p, %l0, %r0 : f32
        %n = arith.select %p, %l1, %r1 : i32";
    let text = custom(
        &["f32", "i32"],
        "0xFF800000 : f32, 0 : i32",
        "",
        left,
        "%v, %n",
    );
    let [(name, Finding::Hold(remarks))] = &found(&text)[..] else {
        panic!("{:?}", found(&text));
    };
    assert_eq!(name, "custom (f32, i32)");
    assert!(!remarks.is_empty());
    assert!(
        remarks
            .iter()
            .all(|r| r.starts_with("where such values occur, ")),
        "{remarks:?}"
    );
    let sums = "%a = arith.addf %l0, %r0 : f32
        %b = arith.addi %l1, %r1 : i32";
    let text = custom(&["f32", "i32"], "0.0 : f32, 0 : i32", "", sums, "%a, %b");
    assert_eq!(
        found(&text),
        [("custom (f32, i32)".to_owned(), Finding::Hold(vec![]))]
    );
}

/// Returns a reduction with one source, in which the region `element` computes the tuples.
fn made(element: &str, body: &str) -> String {
    format!(
        "gpu.module @m {{
           gpu.func @k(%A: memref<9xf32>, %B: memref<f32>, %I: memref<i32>)
               kernel attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
             tile.reduce custom %A into %B, %I axes [0] scope(grid)
                 identity [0xFF800000 : f32, 2147483647 : i32] combiner {{
             ^bb0(%l0: f32, %l1: i32, %r0: f32, %r1: i32):
               {body}
               tile.yield %v, %n : f32, i32
             }} element {{
             ^bb0(%a: f32, %i: index):
               {element}
               tile.yield %a, %j : f32, i32
             }} : memref<9xf32> into memref<f32>, memref<i32>
             gpu.return
           }}
         }}"
    )
}

/// If a region computes the tuples from one number, the tuples of positive numbers occur, each with
/// a unique index. A failure for such a tuple breaks the law.
#[test]
fn elements_that_are_made_occur() {
    let index = "%j = arith.index_cast %i : index to i32";
    let first = "%beyond = arith.cmpf ogt, %r0, %l0 : f32
        %equal = arith.cmpf oeq, %r0, %l0 : f32
        %before = arith.cmpi slt, %r1, %l1 : i32
        %tie = arith.andi %equal, %before : i1
        %wins = arith.ori %beyond, %tie : i1
        %v = arith.select %wins, %r0, %l0 : f32
        %n = arith.select %wins, %r1, %l1 : i32";
    assert_eq!(
        found(&made(index, first)),
        [("custom (f32, i32)".to_owned(), Finding::Hold(vec![]))]
    );
    // If two values are equal, the combiner selects the left value.
    let left = "%wins = arith.cmpf ogt, %r0, %l0 : f32
        %v = arith.select %wins, %r0, %l0 : f32
        %n = arith.select %wins, %r1, %l1 : i32";
    let [(_, Finding::Broken(text))] = &found(&made(index, left))[..] else {
        panic!("ties are decided by the order");
    };
    assert!(text.starts_with("not commutative: combiner("), "{text}");
}

/// A combiner may use constants from outside of the op; with other outside values, the result is
/// undecided.
#[test]
fn values_from_outside() {
    let body = "%s = arith.addf %l0, %r0 : f32
        %x = arith.mulf %s, %c : f32";
    let with = |outside: &str| found(&custom(&["f32"], "0.0 : f32", outside, body, "%x"));
    let [(_, Finding::Broken(text))] = &with("%c = arith.constant 0.5 : f32")[..] else {
        panic!("an average");
    };
    assert!(text.starts_with("not associative: "), "{text}");
    let [(_, Finding::Unknown(why))] = &with("%c = memref.load %B0[] : memref<f32>")[..] else {
        panic!("the value is not known");
    };
    assert!(why.contains("a value from outside"), "{why}");
}

/// Every built-in kind is commutative and associative and has a neutral identity, for every type of
/// partial results and both treatments of NaN. For i1 and 8-bit integers, the test is exhaustive.
#[test]
fn kinds_obey_the_laws() {
    let ints = ["i8", "i16", "i32", "i64"];
    let floats = ["f16", "bf16", "f32", "f64"];
    let mut tried = 0;
    let mut check = |kind: &str, ty: &str, index: &str, nan: &str| {
        let (destination, of) = match index {
            "" => ("%B".to_owned(), format!("memref<{ty}>")),
            _ => (
                "%B, %I".to_owned(),
                format!("memref<{ty}>, memref<{index}>"),
            ),
        };
        let second = if index.is_empty() { "i32" } else { index };
        let text = format!(
            "gpu.module @m {{
               gpu.func @k(%A: memref<9x{ty}>, %B: memref<{ty}>, %I: memref<{second}>)
                   kernel attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
                 tile.reduce {kind} %A into {destination} axes [0] scope(cta)
                   {{acc = {ty}, nan = #tile.nan<{nan}>}} : memref<9x{ty}> into {of}
                 gpu.return
               }}
             }}"
        );
        let found = found(&text);
        let [(_, finding)] = &found[..] else {
            panic!("{found:?}\n{text}")
        };
        assert_eq!(*finding, Finding::Hold(vec![]), "{kind} {ty} {index} {nan}");
        tried += 1;
    };
    for ty in ints.iter().chain(&floats) {
        for kind in ["sum", "prod"] {
            check(kind, ty, "", "propagate");
        }
        for nan in ["propagate", "ignore"] {
            for kind in ["max", "min"] {
                check(kind, ty, "", nan);
            }
            for (kind, index) in [("argmax", "i32"), ("argmin", "i64")] {
                check(kind, ty, index, nan);
            }
        }
    }
    for ty in ints {
        for kind in ["umax", "umin", "and", "or", "xor"] {
            check(kind, ty, "", "propagate");
        }
    }
    for kind in ["and", "or", "xor"] {
        check(kind, "i1", "", "propagate");
    }
    assert_eq!(tried, 8 * 10 + 4 * 5 + 3);
}
