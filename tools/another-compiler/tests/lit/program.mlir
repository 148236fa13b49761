// RUN: another-compiler

// The program compiles a kernel with the variant and the pass, through a `Compiler` and in a context of its own.
// CHECK: another compiler: {{[1-9][0-9]*}} lines of PTX
// SNAPSHOT: none — what counts is said above.
