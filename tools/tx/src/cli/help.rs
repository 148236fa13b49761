//! Texts below the options of `--help`: exit statuses and examples.

/// Returns the text below the options of `tx --help`.
pub(super) fn after_help() -> String {
    let made = match cfg!(feature = "fuzz") {
        true => "--dir, --cache, --out of `tx fuzz`",
        false => "--dir, --cache",
    };
    format!(
        "\
The directory of an output file must exist. Directories that options name
({made}) are created, with their parents.

Exit status:
  0  success
  1  the program, its arguments, its chip or its files were rejected
  2  invalid command line
  3  the program ran and failed: a race, a fault, a wrong result"
    )
}

pub(super) const RUN_EXAMPLES: &str = "\
A SPEC is one of:
  FILE.npy              NumPy array from a file
  FILE.npy:bf16         NumPy array with 16-bit words that are read as bf16
                        (8-bit words: f8E4M3FN, f8E5M2)
  zeros:4x8xf32         array of zeros; `zeros:f32` is an array of rank 0
  full:1.5:4x8xf32      array with equal elements; also inf, -inf and nan
  rand:4x8xf32[:SEED]   random floats in [0, 1), or integers from -8 to 7; the
                        default SEED is 0
  1.5                   scalar

Examples:
  tx run row_sums.mlir --arg rand:1000x300xf32 --arg zeros:1000xf32
  tx run row_sums.mlir --arg input.npy --arg zeros:1000xf32 --out 1=sums.npy
  tx run kernels.mlir --entry sum --grid 16 --arg x.npy:bf16 --arg zeros:16xf32";

pub(super) const BENCH_EXAMPLES: &str = "\
Examples:
  tx bench row_sums.mlir --arg rand:262144x1024xf32 --arg zeros:262144xf32
  tx bench sums.mlir --arg rand:262144x1024xf32 --arg zeros:262144xf32 --json
  tx bench kernels.mlir --entry sum --grid 16 --arg x.npy --arg zeros:16xf32";

pub(super) const BATCH_EXAMPLES: &str = "\
Examples:
  tx batch runs.jsonl
  compute-sanitizer --tool racecheck tx batch runs.jsonl";

pub(super) const COMPILE_EXAMPLES: &str = "\
Examples:
  tx compile row_sums.mlir
  tx compile row_sums.mlir --chip sm_90 -o row_sums.ptx --plan row_sums.json
  tx compile row_sums.mlir --time -o row_sums.ptx
  tx compile row_sums.mlir --times 20 -o row_sums.ptx";

pub(super) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  tx explain row_sums.mlir
  tx explain row_sums.mlir --chip sm_90
  tx explain TX0012
  tx explain --list";

pub(super) const TUNE_EXAMPLES: &str = "\
Examples:
  tx tune sums.mlir --arg rand:4096x1000xf32 --arg zeros:4096xf32 -o tuned.mlir
  tx bench tuned.mlir --arg rand:4096x1000xf32 --arg zeros:4096xf32";

pub(super) const VALIDATE_EXAMPLES: &str = "\
Verdicts:
  reference           the input program, which later stages are compared with
  equal               results with the same bits as the previous stage; all NaNs
                      count as equal
  as before           the error of an earlier stage, without a new error; only
                      the first race is reported
  equal within order  different bits, within the bound that reordered
                      combination permits
  WRONG               different result: the first differing element and both
                      values
  RACE                accesses that no barrier orders
  as in the IR        PTX with the barriers, shuffles, atomics and vector
                      accesses of the last IR
  PTX                 PTX that differs from the last IR, or that ptxas rejects:
                      the first difference
  FAULT               out-of-bounds access, read of uninitialized memory,
                      divergence at a barrier or shuffle, division by zero
  hold                the properties of a combiner hold for all tested values
  BROKEN              a property of a combiner fails for the printed values
  conditional         a property of a combiner fails for values that may not
                      occur in the program
  unsupported op OP   the interpreter cannot run this stage

Exit status:
  0  every verdict is good
  1  a program was rejected, or has a fault for all tested sizes and integers
     (set other values with --arg)
  2  invalid command line
  3  a verdict is bad

Examples:
  tx validate row_sums.mlir
  tx validate row_sums.mlir --seed 7 --chip sm_90
  tx validate kernels.mlir --entry sum --arg rand:16x128xf32 --arg zeros:16xf32";

pub(super) const DOCTOR_EXAMPLES: &str = "\
Examples:
  tx doctor
  tx doctor --chip sm_100";

pub(super) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  tx completions bash > ~/.local/share/bash-completion/completions/tx
  tx completions zsh > ~/.zfunc/_tx
  tx completions fish > ~/.config/fish/completions/tx.fish";

pub(super) const MAN_EXAMPLES: &str = "\
Examples:
  tx man | man -l -
  tx man --dir ~/.local/share/man/man1";
