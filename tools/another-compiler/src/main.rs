//! Example of a compiler that depends on tx only through the package `tx-compiler`. The tests of
//! the example also run `my-opt` and `my-tx`.

use tx::melior::dialect::DialectRegistry;
use tx::melior::ir::Module;
use tx::melior::pass::PassManager;
use tx::melior::{Context, utility::parse_pass_pipeline};

const KERNEL: &str = "
gpu.module @kernels {
  gpu.func @rows(%A: memref<64x16xf32>, %B: memref<64xf32>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %row = memref.subview %A[%t, 0] [1, 16] [1, 1]
        : memref<64x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    %to = memref.subview %B[%t] [1] [1] : memref<64xf32> to memref<f32, strided<[], offset: ?>>
    tile.reduce sum %row into %to axes [0] scope(thread)
        : memref<16xf32, strided<[1], offset: ?>> into memref<f32, strided<[], offset: ?>>
    gpu.return
  }
}";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    another_compiler::register()?;
    let compiler = tx::Compiler::new(tx::Target::parse("sm_90")?)?.with_stages();
    let compiler = another_compiler::prepare(compiler)?;
    let artifact = compiler.compile(KERNEL)?;
    let selected = artifact.ir_after("tile-select-variant").ok_or("no stage")?;
    assert!(selected.contains("variant = \"pairwise\""), "{selected}");
    assert!(selected.contains("batch_invariant"), "{selected}");
    assert!(artifact.ptx.contains(".target sm_90"), "{}", artifact.ptx);

    // The pipeline also runs in an MLIR context that this program creates.
    let registry = DialectRegistry::new();
    tx::register_dialects(&registry);
    let context = Context::new_with_registry(&registry, false);
    let mut module = Module::parse(&context, KERNEL).ok_or("no module")?;
    let manager = PassManager::new(&context);
    let passes = format!("builtin.module({})", compiler.pipeline()?);
    parse_pass_pipeline(manager.as_operation_pass_manager(), &passes)?;
    manager.run(&mut module)?;
    assert!(!module.as_operation().to_string().contains("tile.reduce"));
    println!(
        "another compiler: {} lines of PTX",
        artifact.ptx.lines().count()
    );
    Ok(())
}
