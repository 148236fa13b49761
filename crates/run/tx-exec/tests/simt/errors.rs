use crate::{Buffers, int, launch, program, run};
use tx_exec::{Error, Fault, Launch, Memory, Param, ParamKind, Program};

fn load(body: &str) -> Error {
    Program::load(&format!("gpu.module @m {{\n{body}\n}}")).unwrap_err()
}

#[test]
fn parse_errors() {
    let Error::Parse(diagnostics) = Program::load("gpu.module @m {\n  nonsense\n}").unwrap_err()
    else {
        panic!("not a parse error");
    };
    assert_eq!(
        (diagnostics[0].location.line, diagnostics[0].location.column),
        (2, 3)
    );
    assert!(!diagnostics[0].message.is_empty());
    assert!(matches!(
        Program::load("module {}\0").unwrap_err(),
        Error::Parse(_)
    ));
    assert_eq!(Program::load("module {}").unwrap_err(), Error::NoKernel);
}

#[test]
fn unsupported() {
    let error = load(
        "llvm.func @k() attributes {gpu.kernel} {
           nvvm.setmaxregister increase 40 loc(\"a.mlir\":4:2)
           llvm.return
         }",
    );
    assert_eq!(
        error.to_string(),
        "a.mlir:4:2: unsupported op nvvm.setmaxregister"
    );
    let error = load(
        "llvm.func @mystery(i32)
         llvm.func @k(%a: i32) attributes {gpu.kernel} {
           llvm.call @mystery(%a) : (i32) -> ()
           llvm.return
         }",
    );
    assert_eq!(
        error.to_string(),
        "-:2:1: unknown external function `mystery`"
    );
    let error = load(
        "llvm.func @k(%a: vector<4xf32>) attributes {gpu.kernel} {
           llvm.return
         }",
    );
    assert!(matches!(error, Error::UnsupportedType { .. }), "{error}");
    let error = load(
        "llvm.func @k(%a: i32, %b: i32) attributes {gpu.kernel} {
           %c = arith.addi %a, %b : i32
           llvm.return
         }",
    );
    assert_eq!(error.to_string(), "-:3:17: unsupported op arith.addi");
}

#[test]
fn duplicate_kernels() {
    let module = |name| {
        format!(
            "gpu.module @{name} {{ llvm.func @k() attributes {{gpu.kernel}} {{ llvm.return }} }}\n"
        )
    };
    let error = Program::load(&(module("a") + &module("b"))).unwrap_err();
    assert!(matches!(error, Error::DuplicateKernel { .. }), "{error}");
}

/// Host code next to the device module is ignored, and the attributes of a kernel are returned.
#[test]
fn kernel_information() {
    let program = Program::load(
        "module attributes {gpu.container_module} {
           gpu.module @m [#nvvm.target<chip = \"sm_90\">] attributes {llvm.data_layout = \"e\"} {
             llvm.func @k(%a: !llvm.ptr<1>, %b: i64, %c: bf16) attributes {gpu.kernel, nvvm.kernel,
                 gpu.known_block_size = array<i32: 64, 2, 1>, nvvm.maxntid = array<i32: 64, 2, 1>} {
               llvm.return
             }
           }
           func.func @main() { \"other.launch\"() : () -> () return }
         }",
    )
    .unwrap();
    let kernel = program.kernels().next().unwrap();
    assert_eq!(kernel.name, "k");
    assert_eq!(
        kernel.parameters,
        [
            ParamKind::Pointer { space: 1 },
            ParamKind::Int { bits: 64 },
            ParamKind::Bf16
        ]
    );
    assert_eq!(kernel.block_size, Some([64, 2, 1]));
    let params = [
        Param::Pointer(0),
        Param::Int { bits: 64, value: 0 },
        Param::Bf16(0),
    ];
    let fault = run(&program, "k", &launch(1, 64), &params).unwrap_err();
    assert!(fault.to_string().contains("expected [64, 2, 1]"), "{fault}");
    let launch = Launch {
        block: [64, 2, 1],
        ..Launch::default()
    };
    run(&program, "k", &launch, &params).unwrap();
}

#[test]
fn wrong_launches() {
    let program = program!("barriers");
    let buffers = Buffers::new(1);
    let message = |kernel, launch: &Launch, params: &[Param]| {
        run(&program, kernel, launch, params)
            .unwrap_err()
            .to_string()
    };
    assert!(message("nothing", &launch(1, 1), &[]).contains("no kernel named `nothing`"));
    assert_eq!(
        message("early_exit", &launch(1, 1), &[]),
        "kernel `early_exit` takes 1 parameters, found 0"
    );
    assert_eq!(
        message("early_exit", &launch(1, 1), &[buffers.out()]),
        "parameter 0 of kernel `early_exit` is an integer of 32 bits, found a pointer"
    );
    for (blocks, threads) in [(0, 1), (1, 0), (1, 1025), (u32::MAX, 1)] {
        let fault = run(&program, "early_exit", &launch(blocks, threads), &[int(0)]).unwrap_err();
        assert!(matches!(fault, Fault::InvalidLaunch { .. }), "{fault}");
    }
    let flat = Launch {
        block: [64, 64, 1],
        ..Launch::default()
    };
    assert!(message("early_exit", &flat, &[int(0)]).contains("4096 threads"));
}

#[test]
fn programs_are_reusable() {
    let program = program!("barriers");
    run(&program, "divergent", &launch(1, 64), &[]).unwrap_err();
    let report = std::thread::spawn(move || {
        let mut buffers = Buffers::new(32);
        let params = [buffers.out()];
        run(&program, "divergent", &launch(1, 64), &[]).unwrap_err();
        let mut memory = Memory::new();
        std::mem::swap(&mut memory, &mut buffers.memory);
        program.launch("reverse", &launch(1, 32), &params, &mut memory)
    })
    .join()
    .unwrap();
    assert_eq!(report.unwrap().barriers, 1);
}
