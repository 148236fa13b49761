//! Tests of device `printf` and of assertions.

use crate::{launch, locations};
use tx_exec::{Fault, Memory, Program};

/// Runs a kernel of one thread that prints `format`, and returns the printed text. `arguments`
/// contains ops that fill a struct of the given types with the printf arguments.
fn printed(format: &str, types: &str, arguments: &str) -> Result<String, Fault> {
    let bytes = format.len() + 1;
    let program = Program::load(&format!(
        r#"
        llvm.mlir.global internal constant @format("{format}\00") {{addr_space = 0 : i32}}
        llvm.mlir.global internal constant @word("word\00") {{addr_space = 0 : i32}}
        llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
        llvm.func @k() attributes {{gpu.kernel}} {{
          %one = llvm.mlir.constant(1 : i32) : i32
          %format = llvm.mlir.addressof @format : !llvm.ptr
          %word = llvm.mlir.addressof @word : !llvm.ptr
          %start = llvm.getelementptr %format[0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.array<{bytes} x i8>
          %all = llvm.alloca %one x !llvm.struct<({types})> : (i32) -> !llvm.ptr
          {arguments}
          %n = llvm.call @vprintf(%start, %all) : (!llvm.ptr, !llvm.ptr) -> i32 loc("a.mlir":4:2)
          llvm.return
        }}"#
    ))
    .unwrap();
    let mut memory = Memory::new();
    let run = program.launch("k", &launch(1, 1), &[], &mut memory);
    let printed = String::from_utf8(memory.take_printed()).unwrap();
    assert!(memory.take_printed().is_empty());
    run.map(|_| printed)
}

/// Returns ops that store a constant as one of the printf arguments.
fn put(index: usize, types: &str, constant: &str, ty: &str) -> String {
    format!(
        "%v{index} = llvm.mlir.constant({constant}) : {ty}
         %p{index} = llvm.getelementptr %all[0, {index}] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<({types})>
         llvm.store %v{index}, %p{index} : {ty}, !llvm.ptr\n"
    )
}

/// Arguments are placed like the members of a C struct. Widths and precisions can be arguments, and
/// a `%` without a conversion is printed unchanged.
#[test]
fn fields_are_those_of_c() {
    let types = "i32, f64, i32, i64, f64";
    let arguments = [
        put(0, types, "-7 : i32", "i32"),
        put(1, types, "1.5 : f64", "f64"),
        put(2, types, "6 : i32", "i32"),
        put(3, types, "-1 : i64", "i64"),
        put(4, types, "0.1 : f64", "f64"),
    ]
    .concat();
    let text = printed("%+d %g [%*ld] %.3e %y 5%% 100%", types, &arguments).unwrap();
    assert_eq!(text, "-7 1.5 [    -1] 1.000e-01 %y 5% 100%");
}

/// A string argument is read from its address up to the zero byte, or up to the precision.
#[test]
fn text_is_read_where_it_stands() {
    let arguments = "llvm.store %word, %all : !llvm.ptr, !llvm.ptr";
    assert_eq!(printed("<%6s>", "ptr", arguments).unwrap(), "<  word>");
    assert_eq!(printed("<%-4.2s>", "ptr", arguments).unwrap(), "<wo  >");
}

/// A conversion without an argument, or with an uninitialised argument, is reported like any other
/// invalid read.
#[test]
fn arguments_must_be_there() {
    let lacking = printed("%d %d", "i32", &put(0, "i32", "1 : i32", "i32")).unwrap_err();
    assert!(matches!(lacking, Fault::OutOfBounds(_)), "{lacking}");
    assert_eq!(locations(&lacking).0, "a.mlir:4:2");
    let unwritten = printed("%d", "i32", "").unwrap_err();
    assert!(matches!(unwritten, Fault::Uninitialized(_)), "{unwritten}");
    let elsewhere = printed("%s", "i64", &put(0, "i64", "8 : i64", "i64")).unwrap_err();
    assert!(matches!(elsewhere, Fault::OutOfBounds(_)), "{elsewhere}");
}

#[test]
fn the_first_mebibyte_is_kept() {
    let program = Program::load(
        r#"
        llvm.mlir.global internal constant @format("%1000d\00") {addr_space = 0 : i32}
        llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
        llvm.func @k() attributes {gpu.kernel} {
          %one = llvm.mlir.constant(1 : i32) : i32
          %t = nvvm.read.ptx.sreg.tid.x : i32
          %format = llvm.mlir.addressof @format : !llvm.ptr
          %all = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
          llvm.store %t, %all : i32, !llvm.ptr
          %n = llvm.call @vprintf(%format, %all) : (!llvm.ptr, !llvm.ptr) -> i32
          llvm.return
        }"#,
    )
    .unwrap();
    let mut memory = Memory::new();
    for _ in 0..2 {
        program
            .launch("k", &launch(1, 1024), &[], &mut memory)
            .unwrap();
    }
    let text = String::from_utf8(memory.take_printed()).unwrap();
    assert_eq!(text.len(), 1 << 20);
    assert!(text.trim_start().starts_with('0'));
    assert!(
        text[..1_024_000].ends_with(" 1023"),
        "all of the first launch"
    );
}

/// A failed assertion is a fault with the message of the program. A function with the name of the
/// driver's assertion function but other parameters is not an assertion.
#[test]
fn assertions_are_faults() {
    let kernel = |parameters: &str, arguments: &str| {
        Program::load(&format!(
            r#"
            llvm.mlir.global internal constant @message("it is\00") {{addr_space = 0 : i32}}
            llvm.func @__assertfail({parameters})
            llvm.func @k() attributes {{gpu.kernel}} {{
              %message = llvm.mlir.addressof @message : !llvm.ptr
              %line = llvm.mlir.constant(3 : i32) : i32
              %size = llvm.mlir.constant(1 : i64) : i64
              llvm.call @__assertfail({arguments}) : ({parameters}) -> () loc("a.mlir":4:2)
              llvm.return
            }}"#
        ))
    };
    let program = kernel(
        "!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64",
        "%message, %message, %line, %message, %size",
    );
    let fault = program
        .unwrap()
        .launch("k", &launch(1, 1), &[], &mut Memory::new());
    assert_eq!(
        fault.unwrap_err().to_string(),
        "assertion failed at a.mlir:4:2 by thread (0, 0, 0) of block (0, 0, 0): it is"
    );
    assert_eq!(
        kernel("i32", "%line").unwrap_err().to_string(),
        "a.mlir:4:2: unsupported op llvm.call of `__assertfail` (with other types than it has)"
    );
}
