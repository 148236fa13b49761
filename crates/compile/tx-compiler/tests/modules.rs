//! Separate PTX modules, one per kernel.

use tx::{Artifact, Compiler, Target};

/// Two kernels that share a function and a constant array. One kernel also uses shared memory.
const PROGRAM: &str = r#"
module attributes {gpu.container_module} {
  gpu.module @kernels {
    memref.global "private" @scratch : memref<32xf32, #gpu.address_space<workgroup>>
    llvm.mlir.global internal constant @table(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>)
      {addr_space = 4 : i32} : !llvm.array<4 x f32>
    llvm.func @shift(%x: f32) -> f32 attributes {no_inline} {
      %table = llvm.mlir.addressof @table : !llvm.ptr<4>
      %first = llvm.load volatile %table : !llvm.ptr<4> -> f32
      %y = llvm.fadd %x, %first : f32
      llvm.return %y : f32
    }
    llvm.func @unused(%x: f32) -> f32 attributes {no_inline} {
      llvm.return %x : f32
    }
    gpu.func @first(%A: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %i = gpu.thread_id x
      %x = memref.load %A[%i] : memref<32xf32>
      %y = llvm.call @shift(%x) : (f32) -> f32
      memref.store %y, %A[%i] : memref<32xf32>
      gpu.return
    }
    gpu.func @second(%A: memref<32xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %i = gpu.thread_id x
      %c31 = arith.constant 31 : index
      %j = arith.subi %c31, %i : index
      %s = memref.get_global @scratch : memref<32xf32, #gpu.address_space<workgroup>>
      %x = memref.load %A[%i] : memref<32xf32>
      memref.store %x, %s[%i] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %z = memref.load %s[%j] : memref<32xf32, #gpu.address_space<workgroup>>
      memref.store %z, %A[%i] : memref<32xf32>
      gpu.return
    }
  }
  func.func @both(%A: memref<32xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    gpu.launch_func @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%A : memref<32xf32>)
    gpu.launch_func @kernels::@second blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%A : memref<32xf32>)
    gpu.launch_func @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
      args(%A : memref<32xf32>)
    return
  }
}
"#;

fn compile(change: impl FnOnce(Compiler) -> Compiler) -> Artifact {
    let compiler =
        Compiler::new(Target::parse("sm_90").expect("a known chip")).expect("a compiler");
    change(compiler)
        .compile(PROGRAM)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The PTX module of a kernel contains only the kernel and the symbols that it uses. The PTX of the
/// program contains all kernels.
#[test]
fn each_kernel_is_a_module() {
    let artifact = compile(Compiler::with_modules);
    let names: Vec<&str> = artifact
        .modules()
        .iter()
        .map(|module| &*module.name)
        .collect();
    assert_eq!(names, ["first", "second"]);
    assert!(
        artifact
            .plan
            .steps
            .iter()
            .all(|step| names.contains(&&*step.module))
    );
    let holds = |ptx: &str| {
        let all = [
            ".entry first(",
            ".entry second(",
            "shift",
            "table",
            "scratch",
            "unused",
        ];
        all.map(|text| ptx.contains(text))
    };
    let [first, second] = [0, 1].map(|i| &*artifact.modules()[i].ptx);
    assert_eq!(
        holds(first),
        [true, false, true, true, false, false],
        "{first}"
    );
    assert_eq!(
        holds(second),
        [false, true, false, false, true, false],
        "{second}"
    );
    assert_eq!(holds(&artifact.ptx)[..5], [true; 5]);
    for ptx in [first, second] {
        assert!(
            ptx.contains(".version") && ptx.contains(".target sm_90"),
            "{ptx}"
        );
    }
}

#[test]
fn modules_are_made_on_request() {
    let (plain, with) = (
        compile(|compiler| compiler),
        compile(Compiler::with_modules),
    );
    assert!(plain.modules().is_empty());
    // LLVM numbers calls in comments, and continues the numbers across modules.
    let lines = |artifact: &Artifact| -> Vec<String> {
        let lines = artifact.ptx.lines();
        lines
            .filter(|line| !line.contains("// callseq"))
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(lines(&plain), lines(&with));
    assert_eq!(plain.plan, with.plan);
}
