//! Tests of vector values, in which a thread keeps its elements.

use crate::{Buffers, ORDERS, int, launch};
use half::f16;
use tx_exec::{Fault, Launch, Program};

fn program(body: &str) -> Program {
    let text = format!(
        "gpu.module @vectors {{
           llvm.func @run(%out: !llvm.ptr<1>, %in: !llvm.ptr<1>, %n: i32)
               attributes {{gpu.kernel, nvvm.kernel}} {{
             {body}
             llvm.return
           }}
         }}"
    );
    Program::load(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn run(program: &Program, threads: u32, words: usize, input: &[u8], n: u32) -> Vec<u8> {
    let mut results = ORDERS.map(|order| {
        let mut buffers = Buffers::new(words);
        let params = [buffers.out(), buffers.add(input), int(n)];
        let launch = Launch {
            order,
            ..launch(1, threads)
        };
        program
            .launch("run", &launch, &params, &mut buffers.memory)
            .unwrap();
        buffers.bytes()
    });
    results[1..].sort();
    assert!(results.iter().all(|result| *result == results[0]));
    results[0].clone()
}

/// For every element type and vectors of 1 to 128 elements, an element is extracted at a dynamic
/// index and inserted at another dynamic index. All other elements are unchanged.
#[test]
fn elements_are_taken_and_put_back() {
    for (r#type, bytes) in [
        ("i8", 1),
        ("i16", 2),
        ("i32", 4),
        ("i64", 8),
        ("f16", 2),
        ("bf16", 2),
        ("f32", 4),
        ("f64", 8),
    ] {
        for count in [1, 2, 3, 4, 16, 64, 128] {
            let program = program(&format!(
                "%t = nvvm.read.ptx.sreg.tid.x : i32
                 %n1 = llvm.add %t, %n : i32
                 %size = llvm.mlir.constant({count} : i32) : i32
                 %to_index = llvm.urem %n1, %size : i32
                 %from = llvm.getelementptr %in[%t]
                     : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<{count} x {type}>
                 %v = llvm.load %from {{alignment = {bytes} : i64}} : !llvm.ptr<1> -> vector<{count}x{type}>
                 %e = llvm.extractelement %v[%t : i32] : vector<{count}x{type}>
                 %c0 = llvm.mlir.constant(0 : i64) : i64
                 %first = llvm.extractelement %v[%c0 : i64] : vector<{count}x{type}>
                 %u = llvm.insertelement %e, %v[%to_index : i32] : vector<{count}x{type}>
                 %last = llvm.mlir.constant({} : i64) : i64
                 %w = llvm.insertelement %first, %u[%last : i64] : vector<{count}x{type}>
                 %to = llvm.getelementptr %out[%t]
                     : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, !llvm.array<{count} x {type}>
                 llvm.store %w, %to {{alignment = {bytes} : i64}} : vector<{count}x{type}>, !llvm.ptr<1>",
                count - 1
            ));
            let threads = count.min(8);
            let input: Vec<u8> = (0..threads * count * bytes)
                .map(|byte| (byte * 37 + byte / 256) as u8)
                .collect();
            let found = run(&program, threads as u32, input.len().div_ceil(4), &input, 5);
            for (thread, vector) in input.chunks_exact(count * bytes).enumerate() {
                let mut expected: Vec<_> = vector.chunks_exact(bytes).map(<[u8]>::to_vec).collect();
                let first = expected[0].clone();
                expected[(thread + 5) % count] = expected[thread].clone();
                expected[count - 1] = first;
                let found = &found[thread * count * bytes..][..count * bytes];
                assert_eq!(found, expected.concat(), "vector<{count}x{type}> {thread}");
            }
        }
    }
}

#[test]
fn packed_arithmetic() {
    let arithmetic = |r#type: &str| {
        program(&format!(
            "%t = nvvm.read.ptx.sreg.tid.x : i32
             %from = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<2x{type}>
             %v = llvm.load %from : !llvm.ptr<1> -> vector<2x{type}>
             %half = llvm.mlir.constant(dense<[0.5, -2.0]> : vector<2x{type}>) : vector<2x{type}>
             %swapped = llvm.shufflevector %v, %v [1, 0] : vector<2x{type}>
             %s = llvm.fadd %v, %swapped : vector<2x{type}>
             %p = llvm.fmul %s, %half : vector<2x{type}>
             %r = llvm.intr.fma(%p, %v, %half)
                 : (vector<2x{type}>, vector<2x{type}>, vector<2x{type}>) -> vector<2x{type}>
             %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, vector<2x{type}>
             llvm.store %r, %to : vector<2x{type}>, !llvm.ptr<1>"
        ))
    };
    // The numbers are so small that every result is exact in f16.
    let pairs: Vec<[f32; 2]> = (0..32).map(|i| [i as f32 / 4.0, 3.0 - i as f32]).collect();
    let expected = pairs.iter().flat_map(|&[a, b]| {
        let sum = a + b;
        [sum * 0.5 * a + 0.5, sum * -2.0 * b - 2.0]
    });
    let input: Vec<u8> = pairs
        .concat()
        .iter()
        .flat_map(|x| x.to_le_bytes())
        .collect();
    let found = run(&arithmetic("f32"), 32, 64, &input, 0);
    let single: Vec<u8> = expected.clone().flat_map(f32::to_le_bytes).collect();
    assert_eq!(found, single);
    let halves = |values: &mut dyn Iterator<Item = f32>| -> Vec<u8> {
        values
            .flat_map(|x| f16::from_f32(x).to_le_bytes())
            .collect()
    };
    let input = halves(&mut pairs.concat().into_iter());
    let found = run(&arithmetic("f16"), 32, 32, &input, 0);
    assert_eq!(found, halves(&mut expected.clone()));
}

/// A mask of 128 elements selects the elements that are loaded and stored. Other elements are not
/// accessed and not checked.
#[test]
fn masked_accesses_of_wide_vectors() {
    for count in [8, 64, 65, 128] {
        let text = format!(
            "%t = nvvm.read.ptx.sreg.tid.x : i32
             %zero = llvm.mlir.constant(0 : i64) : i64
             %lanes = llvm.mlir.constant(dense<[{}]> : vector<{count}xi32>) : vector<{count}xi32>
             %u = llvm.mlir.poison : vector<{count}xi32>
             %u0 = llvm.insertelement %n, %u[%zero : i64] : vector<{count}xi32>
             %ns = llvm.shufflevector %u0, %u [{}] : vector<{count}xi32>
             %mask = llvm.icmp \"ult\" %lanes, %ns : vector<{count}xi32>
             %none = llvm.mlir.constant(dense<-1> : vector<{count}xi32>) : vector<{count}xi32>
             %v = llvm.intr.masked.load %in, %mask, %none {{alignment = 4 : i32}}
                 : (!llvm.ptr<1>, vector<{count}xi1>, vector<{count}xi32>) -> vector<{count}xi32>
             %w = llvm.add %v, %none : vector<{count}xi32>
             llvm.intr.masked.store %w, %out, %mask {{alignment = 4 : i32}}
                 : vector<{count}xi32>, vector<{count}xi1> into !llvm.ptr<1>",
            (0..count)
                .map(|i| i.to_string())
                .collect::<Vec<_>>()
                .join(", "),
            vec!["0"; count].join(", "),
        );
        let program = program(&text);
        for n in [0, 1, 7, count - 1, count] {
            // Both buffers end after the last selected element.
            let input: Vec<u32> = (0..n as u32).map(|i| i * 3 + 1).collect();
            let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
            let found = run(&program, 1, n, &bytes, n as u32);
            let expected: Vec<u8> = input.iter().flat_map(|x| (x - 1).to_le_bytes()).collect();
            assert_eq!(found, expected, "{n} of {count}");
            let mut buffers = Buffers::new(count);
            let params = [buffers.out(), buffers.add(&bytes), int(n as u32 + 1)];
            let fault = program.launch("run", &launch(1, 1), &params, &mut buffers.memory);
            if n < count {
                let fault = fault.unwrap_err();
                assert!(matches!(fault, Fault::OutOfBounds(_)), "{fault}");
                assert!(fault.to_string().contains("argument 1"), "{fault}");
            }
        }
    }
}

#[test]
fn wide_vectors_have_enough_stack() {
    const VECTORS: usize = 160;
    let mut body = String::from(
        "%c127 = llvm.mlir.constant(127 : i32) : i32
         %t = nvvm.read.ptx.sreg.tid.x : i32
         %m = llvm.add %t, %n : i32
         %i = llvm.and %m, %c127 : i32
         %s0 = llvm.mlir.constant(dense<0.0> : vector<128xf64>) : vector<128xf64>\n",
    );
    for vector in 0..VECTORS {
        body.push_str(&format!(
            "%p{vector} = llvm.getelementptr %in[{vector}] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f64
             %v{vector} = llvm.load %p{vector} {{alignment = 8 : i64}} : !llvm.ptr<1> -> vector<128xf64>\n",
        ));
    }
    for vector in 0..VECTORS {
        let next = vector + 1;
        body.push_str(&format!(
            "%e{vector} = llvm.extractelement %v{vector}[%i : i32] : vector<128xf64>
             %w{vector} = llvm.insertelement %e{vector}, %v{vector}[%c127 : i32] : vector<128xf64>
             %s{next} = llvm.fadd %s{vector}, %w{vector} : vector<128xf64>\n",
        ));
    }
    body.push_str(&format!(
        "%r = llvm.extractelement %s{VECTORS}[%c127 : i32] : vector<128xf64>
         %q = llvm.extractelement %s{VECTORS}[%t : i32] : vector<128xf64>
         %d = llvm.fsub %r, %q : f64
         %to = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f64
         llvm.store %d, %to : f64, !llvm.ptr<1>"
    ));
    let input: Vec<u8> = (0..128 + VECTORS as u32)
        .flat_map(|i| f64::from(i).to_le_bytes())
        .collect();
    let found = run(&program(&body), 4, 8, &input, 3);
    for (thread, found) in found.chunks_exact(8).enumerate() {
        // Difference of the sums of the elements at `thread + 3` and at `thread`.
        assert_eq!(found, (3.0 * VECTORS as f64).to_le_bytes(), "{thread}");
    }
}
