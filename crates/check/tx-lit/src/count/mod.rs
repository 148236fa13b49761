//! Directive `COUNT: @kernel barriers = 2, shuffles = 5, loads <= 4`, which counts operations in
//! lowered code.

mod mlir;
mod operation;
mod ptx;
mod syntax;

use crate::count::operation::{FoundOperation, Function};
use std::fmt::{self, Write as _};

use crate::directive::{Context, Directive};
use syntax::{Claim, Counting};

/// Maximum number of counted ops that a failure message shows.
const SHOWN: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Mlir,
    Ptx,
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mlir => "MLIR",
            Self::Ptx => "PTX",
        })
    }
}

pub(crate) struct Count;

impl Directive for Count {
    fn check(&self, value: &str) -> Result<(), String> {
        Counting::parse(value).map(|_| ())
    }

    fn reads_output(&self) -> bool {
        true
    }

    fn run(&self, context: &Context<'_>) -> Result<(), String> {
        let counting = Counting::parse(context.value())?;
        holds(&counting, context.output().unwrap_or_default())
    }
}

fn holds(counting: &Counting, output: &str) -> Result<(), String> {
    let (language, functions) = functions(output)?;
    let function = choose(counting, &functions)?;
    let mut wrong = Vec::new();
    for claim in &counting.claims {
        if let Err(error) = check(claim, function, language) {
            wrong.push(error);
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(wrong.join("\n"))
}

fn functions(output: &str) -> Result<(Language, Vec<Function>), String> {
    if output.lines().any(|line| line.starts_with(".version ")) {
        return Ok((Language::Ptx, ptx::functions(output)?));
    }
    let embedded = mlir::assembly(output);
    if embedded.is_empty() {
        return Ok((Language::Mlir, mlir::functions(output)));
    }
    let mut all = Vec::new();
    for text in embedded {
        all.extend(ptx::functions(&text)?);
    }
    Ok((Language::Ptx, all))
}

fn choose<'f>(counting: &Counting, functions: &'f [Function]) -> Result<&'f Function, String> {
    let named: Vec<&Function> = functions
        .iter()
        .filter(|function| {
            counting
                .function
                .as_ref()
                .is_none_or(|name| function.name == *name)
        })
        .collect();
    if let [one] = named[..] {
        return Ok(one);
    }
    let names: Vec<String> = functions
        .iter()
        .map(|function| format!("@{}", function.name))
        .collect();
    let there = match names.is_empty() {
        true => "the output has no function with a body".to_owned(),
        false => format!("the output has {}", names.join(", ")),
    };
    Err(match (&counting.function, named.is_empty()) {
        (Some(name), true) => format!("there is no function @{name}: {there}"),
        (Some(name), false) => format!(
            "there are {} functions @{name}: give them different names",
            named.len()
        ),
        (None, true) => there,
        (None, false) => {
            format!("COUNT requires the name of a function: {there}: write `COUNT: @NAME …`")
        }
    })
}

fn check(claim: &Claim, function: &Function, language: Language) -> Result<(), String> {
    if let Some(op) = function.ops.iter().find(|op| claim.is_hidden_by(op.kind)) {
        let hint = match (language, op.name.starts_with("tile.")) {
            (Language::Ptx, _) => "",
            (Language::Mlir, true) => ": count after it is lowered",
            (Language::Mlir, false) => ": count in PTX, which `compile` of the driver prints",
        };
        return Err(format!(
            "@{}: {} cannot be counted, because the effects of `{}` are not known{hint}\n{}",
            function.name,
            claim.what(),
            op.name,
            shown(&[op])
        ));
    }
    let counted: Vec<&FoundOperation> = function.ops.iter().filter(|op| claim.counts(op)).collect();
    let found = counted.len();
    if claim.holds(found) {
        return Ok(());
    }
    Err(format!(
        "@{}: found {found} {}, expected {}\n{}",
        function.name,
        claim.what(),
        claim.expected(),
        shown(&counted)
    )
    .trim_end()
    .to_owned())
}

fn shown(ops: &[&FoundOperation]) -> String {
    let mut text = String::new();
    for op in ops.iter().take(SHOWN) {
        let _ = writeln!(text, "{:6} {}", op.line, op.text.trim());
    }
    if let Some(left) = ops.len().checked_sub(SHOWN + 1) {
        let _ = writeln!(text, "       … and {} more", left + 1);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const MODULE: &str = r#"module {
  gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
    gpu.func @rows(%arg0: memref<4x8xf32>, %arg1: memref<4xf32>) workgroup(%s : memref<4x8xf32, 3>) kernel {
      %c1_i32 = arith.constant 1 : i32
      %0 = gpu.thread_id  x
      %1 = memref.load %arg0[%0, %0] : memref<4x8xf32>
      memref.store %1, %s[%0, %0] : memref<4x8xf32, #gpu.address_space<workgroup>>
      nvvm.bar.warp.sync %c1_i32 : i32
      %2 = vector.load %s[%0, %0] {alignment = 16 : i64} : memref<4x8xf32, 3>, vector<4xf32>
      %shuffleResult, %valid = gpu.shuffle  xor %1, %c1_i32, %c1_i32 : f32
      scf.if %valid {
        memref.store %1, %arg1[%0] : memref<4xf32>
      } else {
        gpu.barrier
      }
      %3 = memref.atomic_rmw addf %1, %arg1[%0] : (f32, memref<4xf32>) -> f32
      gpu.return
    }
    gpu.func @other() kernel {
      gpu.return
    }
  }
}
"#;

    fn count(value: &str, output: &str) -> Result<(), String> {
        holds(&Counting::parse(value)?, output)
    }

    #[test]
    fn ops_are_counted() {
        let all = "@rows barriers = 1, warp barriers = 1, shuffles = 1, redux = 0, loads = 2, \
                   global loads <= 1, shared vector loads = 1, stores >= 2, shared stores = 1, atomics = 1, \
                   global atomics = 1, scf.if = 1, gpu.thread_id = 1";
        assert_eq!(count(all, MODULE), Ok(()));
        assert_eq!(count("@other barriers = 0, gpu.return = 1", MODULE), Ok(()));
    }

    #[test]
    fn what_is_wrong_is_shown() {
        assert_eq!(
            count("@rows loads = 1, barriers = 1, shuffles >= 2", MODULE).unwrap_err(),
            "@rows: found 2 loads, expected 1\n     \
             6 %1 = memref.load %arg0[%0, %0] : memref<4x8xf32>\n     \
             9 %2 = vector.load %s[%0, %0] {alignment = 16 : i64} : memref<4x8xf32, 3>, \
             vector<4xf32>\n\
             @rows: found 1 shuffles, expected at least 2\n    \
             10 %shuffleResult, %valid = gpu.shuffle  xor %1, %c1_i32, %c1_i32 : f32"
        );
    }

    #[test]
    fn functions_are_named() {
        let error = |value: &str| count(value, MODULE).unwrap_err();
        assert_eq!(
            error("@row loads = 1"),
            "there is no function @row: the output has @rows, @other"
        );
        assert!(
            error("loads = 1")
                .starts_with("COUNT requires the name of a function: the output has @rows, @other")
        );
        let twice = MODULE.replace("@other", "@rows");
        assert!(
            count("@rows loads = 1", &twice)
                .unwrap_err()
                .starts_with("there are 2 functions @rows")
        );
        assert_eq!(
            count("loads = 1", "module {\n}\n").unwrap_err(),
            "the output has no function with a body"
        );
    }

    #[test]
    fn what_hides_ops_is_not_counted() {
        let with = |op: &str| MODULE.replace("gpu.barrier", op);
        let error = |value: &str, op: &str| count(value, &with(op)).unwrap_err();
        assert_eq!(
            error("@rows shuffles = 1", "tile.copy %a to %b : x to y"),
            "@rows: shuffles cannot be counted, because the effects of `tile.copy` are not known: \
             count after it is lowered\n    14 tile.copy %a to %b : x to y\n"
        );
        let copy = "memref.copy %a, %b : memref<4xf32> to memref<4xf32>";
        assert!(error("@rows loads = 2", copy).contains("`memref.copy`"));
        assert_eq!(count("@rows shuffles = 1", &with(copy)), Ok(()));
        let call = "func.call @f() : () -> ()";
        assert!(error("@rows barriers = 0", call).contains("which `compile` of the driver prints"));
        // Functions of libdevice contain no memory accesses and no barriers.
        let exp = "%4 = llvm.call @__nv_expf(%1) : (f32) -> f32";
        assert_eq!(count("@rows barriers = 0, loads = 2", &with(exp)), Ok(()));
    }

    const PTX: &str = "//
.version 7.0
.target sm_80
.address_size 64

.visible .entry rows(
	.param .u64 .ptr .align 1 rows_param_0
)
.reqntid 32
{
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<2>;

	ld.param.b64 	%rd1, [rows_param_0];
	ld.global.v2.b32 	{%r1, %r2}, [%rd1];
	shfl.sync.bfly.b32 	%r3, %r1, 1, 31, -1;
	bar.warp.sync 	-1;
	bar.sync 	0;
	redux.sync.add.s32 	%r4, %r3, -1;
	st.shared.b32 	[%r2], %r4;
	atom.global.add.u32 	%r5, [%rd1], %r4;
	ret;
}
";

    #[test]
    fn instructions_are_counted() {
        let all = "@rows barriers = 1, warp barriers = 1, shuffles = 1, redux = 1, loads = 1, \
                   vector loads = 1, \
                   global loads = 1, shared stores = 1, stores = 1, atomics = 1";
        assert_eq!(count(all, PTX), Ok(()));
        assert_eq!(
            count("shuffles = 2", PTX).unwrap_err(),
            "@rows: found 1 shuffles, expected 2\n    16 shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;"
        );
        let embedded = format!(
            "module {{\n  gpu.binary @kernels  [#gpu.object<#nvvm.target, assembly = \"{}\">]\n}}\n",
            PTX.replace('\n', "\\0A").replace('\t', "\\09")
        );
        assert_eq!(count(all, &embedded), Ok(()));
    }

    #[test]
    fn broken_ptx_is_refused() {
        let error = count("loads = 1", &PTX.replace("ret;", "ret")).unwrap_err();
        assert!(error.starts_with("the output is no PTX: line "), "{error}");
    }

    #[test]
    fn names_of_ops_count_whole_opcodes_of_ptx() {
        assert_eq!(
            count("bar.sync = 1, ld.global.v2.b32 = 1, ld.global = 0", PTX),
            Ok(())
        );
    }
}
