//! Runs the tests in the folder `lit`.

fn main() -> std::process::ExitCode {
    tx_lit::suite!("tests/lit")
        .tool("another-compiler", env!("CARGO_BIN_EXE_another-compiler"))
        .tool("my-opt", env!("CARGO_BIN_EXE_my-opt"))
        .tool("my-tx", env!("CARGO_BIN_EXE_my-tx"))
        .driver("my-tx")
        // `.cargo/config.toml` sets the environment variable.
        .file_check(concat!(env!("MLIR_SYS_220_PREFIX"), "/bin/FileCheck"))
        .round_trip("my-opt")
        .bless_hint("INSTA_UPDATE=always cargo test --test lit -- --exact {test}")
        .run()
}
