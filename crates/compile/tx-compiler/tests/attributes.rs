//! Attributes of linalg ops have the same effect on tensors and on memrefs. For each attribute and
//! each route of a reduction through `tensors-to-memrefs`, both programs return the same bits. The
//! `tile.reduce` also has the attribute.

use tx::{Artifact, Compiler, Error, Target};
use tx_plan::ElementType;
use tx_runtime::{Arg, Array, Device};

/// An attribute, and the reduction to which it is attached.
struct Case {
    attribute: &'static str,
    combiner: &'static str,
    start: &'static str,
}

const fn sum(attribute: &'static str) -> Case {
    Case {
        attribute,
        combiner: "arith.addf",
        start: "0.0",
    }
}

const CASES: [Case; 8] = [
    sum("acc = f64"),
    sum("determinism = #tile.determinism<any>"),
    sum("determinism = #tile.determinism<batch_invariant>"),
    sum("determinism = #tile.determinism<run_to_run>"),
    sum("schedule = [#tile.bind<\"d0\" to block_x>, #tile.bind<\"d1\" to thread_x>]"),
    sum(
        "acc = f64, determinism = #tile.determinism<batch_invariant>, schedule = \
         [#tile.bind<\"d1\" to thread_x>]",
    ),
    Case {
        attribute: "nan = #tile.nan<ignore>",
        combiner: "arith.maximumf",
        start: "0xFF800000",
    },
    Case {
        attribute: "nan = #tile.nan<propagate>",
        combiner: "arith.maxnumf",
        start: "0xFF800000",
    },
];

/// A program that reduces `%X` into `%R`, on tensors and on memrefs. `ATTR`, `COMBINER` and `START`
/// are replaced by fields of the case.
struct Route {
    name: &'static str,
    tensors: &'static str,
    memrefs: &'static str,
    /// Whether the reduction is a sum of products, independent of the case.
    is_sum: bool,
}

/// Reduction of `%X` to `%R` on tensors.
const REDUCE: &str = "%z = arith.constant START : f32
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %R = linalg.reduce {COMBINER} ins(%X : tensor<5x100xf32>) outs(%f : tensor<5xf32>)
      dimensions = [1] {ATTR}\n";

fn routes() -> Vec<Route> {
    let route = |name, tensors, memrefs| Route {
        name,
        tensors,
        memrefs,
        is_sum: false,
    };
    vec![
        route(
            "reduce",
            "func.func @f(%X: tensor<5x100xf32>) -> tensor<5xf32> {
               REDUCE
               return %R : tensor<5xf32>
             }",
            "func.func @f(%X: memref<5x100xf32>, %R: memref<5xf32>) {
               REDUCE
               return
             }",
        ),
        route(
            "generic",
            "func.func @f(%X: tensor<5x100xf32>) -> tensor<5xf32> {
               %z = arith.constant START : f32
               %e = tensor.empty() : tensor<5xf32>
               %f = linalg.fill ins(%z : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
               %R = linalg.generic {indexing_maps = [#id, #row], iterator_types = [\"parallel\", \
                                                                                     \"reduction\"]}
                   ins(%X : tensor<5x100xf32>) outs(%f : tensor<5xf32>) attrs = {ATTR} {
               ^bb0(%a: f32, %o: f32):
                 %s = COMBINER %o, %a : f32
                 linalg.yield %s : f32
               } -> tensor<5xf32>
               return %R : tensor<5xf32>
             }",
            "func.func @f(%X: memref<5x100xf32>, %R: memref<5xf32>) {
               REDUCE
               return
             }",
        ),
        Route {
            name: "named",
            tensors: "func.func @f(%X: tensor<5x100xf32>) -> tensor<5xf32> {
               %z = arith.constant 0.0 : f32
               %two = arith.constant 2.0 : f32
               %e = tensor.empty() : tensor<5xf32>
               %w = tensor.empty() : tensor<100xf32>
               %f = linalg.fill ins(%z : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
               %twos = linalg.fill ins(%two : f32) outs(%w : tensor<100xf32>) -> tensor<100xf32>
               %R = linalg.matvec {ATTR} ins(%X, %twos : tensor<5x100xf32>, tensor<100xf32>)
                   outs(%f : tensor<5xf32>) -> tensor<5xf32>
               return %R : tensor<5xf32>
             }",
            memrefs: "func.func @f(%X: memref<5x100xf32>, %R: memref<5xf32>) {
               %z = arith.constant 0.0 : f32
               %two = arith.constant 2.0 : f32
               %w = memref.alloc() : memref<100xf32>
               linalg.fill ins(%z : f32) outs(%R : memref<5xf32>)
               linalg.fill ins(%two : f32) outs(%w : memref<100xf32>)
               linalg.matvec {ATTR} ins(%X, %w : memref<5x100xf32>, memref<100xf32>) outs(%R : memref<5xf32>)
               memref.dealloc %w : memref<100xf32>
               return
             }",
            is_sum: true,
        },
        route(
            "producer",
            "func.func @f(%A: tensor<5x100xf32>) -> tensor<5xf32> {
               %X = arith.mulf %A, %A : tensor<5x100xf32>
               REDUCE
               return %R : tensor<5xf32>
             }",
            "func.func @f(%A: memref<5x100xf32>, %R: memref<5xf32>) {
               %X = memref.alloc() : memref<5x100xf32>
               linalg.mul ins(%A, %A : memref<5x100xf32>, memref<5x100xf32>) outs(%X : memref<5x100xf32>)
               REDUCE
               memref.dealloc %X : memref<5x100xf32>
               return
             }",
        ),
        route(
            "consumer",
            "func.func @f(%X: tensor<5x100xf32>) -> tensor<5xf32> {
               REDUCE
               %S = math.absf %R : tensor<5xf32>
               return %S : tensor<5xf32>
             }",
            "func.func @f(%X: memref<5x100xf32>, %S: memref<5xf32>) {
               %R = memref.alloc() : memref<5xf32>
               REDUCE
               linalg.abs ins(%R : memref<5xf32>) outs(%S : memref<5xf32>)
               memref.dealloc %R : memref<5xf32>
               return
             }",
        ),
        route(
            "reshape before",
            "func.func @f(%A: tensor<500xf32>) -> tensor<5xf32> {
               %X = tensor.expand_shape %A [[0, 1]] output_shape [5, 100]
                   : tensor<500xf32> into tensor<5x100xf32>
               REDUCE
               return %R : tensor<5xf32>
             }",
            "func.func @f(%A: memref<500xf32>, %R: memref<5xf32>) {
               %X = memref.expand_shape %A [[0, 1]] output_shape [5, 100]
                   : memref<500xf32> into memref<5x100xf32>
               REDUCE
               return
             }",
        ),
        route(
            "producer before a reshape",
            "func.func @f(%A: tensor<500xf32>) -> tensor<5xf32> {
               %B = arith.mulf %A, %A : tensor<500xf32>
               %X = tensor.expand_shape %B [[0, 1]] output_shape [5, 100]
                   : tensor<500xf32> into tensor<5x100xf32>
               REDUCE
               return %R : tensor<5xf32>
             }",
            "func.func @f(%A: memref<500xf32>, %R: memref<5xf32>) {
               %B = memref.alloc() : memref<500xf32>
               linalg.mul ins(%A, %A : memref<500xf32>, memref<500xf32>) outs(%B : memref<500xf32>)
               %X = memref.expand_shape %B [[0, 1]] output_shape [5, 100]
                   : memref<500xf32> into memref<5x100xf32>
               REDUCE
               memref.dealloc %B : memref<500xf32>
               return
             }",
        ),
        route(
            "reshape after",
            "func.func @f(%X: tensor<5x100xf32>) -> tensor<5x1xf32> {
               REDUCE
               %S = tensor.expand_shape %R [[0, 1]] output_shape [5, 1] : tensor<5xf32> into tensor<5x1xf32>
               return %S : tensor<5x1xf32>
             }",
            "func.func @f(%X: memref<5x100xf32>, %S: memref<5x1xf32>) {
               %R = memref.collapse_shape %S [[0, 1]] : memref<5x1xf32> into memref<5xf32>
               REDUCE
               return
             }",
        ),
        route(
            "two users",
            "func.func @f(%X: tensor<5x100xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
               REDUCE
               %S = math.absf %R : tensor<5xf32>
               return %R, %S, %R : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
             }",
            "func.func @f(%X: memref<5x100xf32>, %R: memref<5xf32>, %S: memref<5xf32>, %Q: memref<5xf32>) {
               REDUCE
               linalg.abs ins(%R : memref<5xf32>) outs(%S : memref<5xf32>)
               memref.copy %R, %Q : memref<5xf32> to memref<5xf32>
               return
             }",
        ),
        route(
            "call",
            "func.func private @reduced(%X: tensor<5x100xf32>) -> tensor<5xf32> {
               REDUCE
               return %R : tensor<5xf32>
             }
             func.func @f(%X: tensor<5x100xf32>) -> tensor<5xf32> {
               %R = call @reduced(%X) : (tensor<5x100xf32>) -> tensor<5xf32>
               return %R : tensor<5xf32>
             }",
            "func.func private @reduced(%X: memref<5x100xf32>, %R: memref<5xf32>) {
               REDUCE
               return
             }
             func.func @f(%X: memref<5x100xf32>, %R: memref<5xf32>) {
               call @reduced(%X, %R) : (memref<5x100xf32>, memref<5xf32>) -> ()
               return
             }",
        ),
    ]
}

fn program(text: &str, case: &Case, on_tensors: bool) -> String {
    let on_memrefs = "%z = arith.constant START : f32
       linalg.fill ins(%z : f32) outs(%R : memref<5xf32>)
       linalg.reduce {COMBINER} ins(%X : memref<5x100xf32>) outs(%R : memref<5xf32>)
          dimensions = [1] {ATTR}\n";
    let reduce = if on_tensors { REDUCE } else { on_memrefs };
    let text = text
        .replace("REDUCE", reduce)
        .replace("ATTR", case.attribute)
        .replace("COMBINER", case.combiner)
        .replace("START", case.start);
    format!("#id = affine_map<(i, j) -> (i, j)>\n#row = affine_map<(i, j) -> (i)>\n{text}\n")
}

fn compiled(text: &str) -> Result<Artifact, Error> {
    let target = Target::parse("sm_90").expect("a known chip");
    let mut source = tx::Source::new("program.mlir", text);
    source.entry = Some("f".to_owned());
    Compiler::new(target)
        .expect("a compiler")
        .with_stages()
        .compile_source(&source)
}

/// Runs a program and returns the contents of all arguments except the first.
fn results(artifact: &Artifact) -> Vec<Vec<u8>> {
    let shapes = artifact.plan.arguments.iter().map(|argument| {
        let tx_plan::ArgumentType::Memref(memref) = &argument.ty else {
            panic!("an array")
        };
        let size = |extent: &tx_plan::Extent| match extent {
            tx_plan::Extent::Static(n) => usize::try_from(*n).expect("a size"),
            tx_plan::Extent::Dynamic => panic!("a size is dynamic"),
        };
        memref.shape.iter().map(size).collect::<Vec<usize>>()
    });
    // Numbers of many magnitudes, so that each order of summation returns different bits, and one
    // NaN.
    let numbers: Vec<f32> = (0..500u32)
        .map(|i| match i {
            130 => f32::NAN,
            _ => (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 2f32.powi(i as i32 % 40 - 30),
        })
        .collect();
    let arguments = shapes.enumerate().map(|(i, shape)| {
        Arg::Array(match i {
            0 => Array::from_slice(&shape, &numbers).expect("500 numbers"),
            _ => Array::zeros(ElementType::F32, shape).expect("an array"),
        })
    });
    let device = Device::cpu().expect("the executor");
    let outputs = device
        .load(artifact)
        .expect("loaded")
        .run(arguments.collect())
        .expect("run");
    let arrays = outputs.into_arrays().into_iter().skip(1).flatten();
    arrays.map(|array| array.bytes().to_vec()).collect()
}

/// Checks that the bits of a sum and of a maximum depend on these attributes, so that the tests
/// detect a lost attribute.
#[test]
fn attributes_change_results() {
    let reduce = &routes()[0];
    for changed in ["acc = f64", "nan = #tile.nan<ignore>"] {
        let case = CASES
            .iter()
            .find(|case| case.attribute == changed)
            .expect("a case");
        let with = compiled(&program(reduce.tensors, case, true)).expect("compiled");
        let plain = Case {
            attribute: "",
            ..*case
        };
        let without = compiled(&program(reduce.tensors, &plain, true)).expect("compiled");
        assert_ne!(results(&with), results(&without), "{changed}");
    }
}

#[test]
fn attributes_mean_the_same_on_tensors_and_on_memrefs() {
    let mut wrong = Vec::new();
    let mut kept = 0;
    for route in routes() {
        for case in CASES
            .iter()
            .filter(|case| !route.is_sum || case.combiner == "arith.addf")
        {
            let what = format!("{}, {}", route.name, case.attribute);
            let memrefs = compiled(&program(route.memrefs, case, false));
            let memrefs = memrefs.unwrap_or_else(|error| panic!("{what}, on memrefs: {error}"));
            let tensors = match compiled(&program(route.tensors, case, true)) {
                Ok(tensors) => tensors,
                // A reshape may change the loops, and a schedule for the old loops is then
                // rejected.
                Err(error)
                    if error.to_string().contains("cannot be kept")
                        && route.name.contains("reshape") =>
                {
                    continue;
                }
                Err(error) => panic!("{what}, on tensors: {error}"),
            };
            let converted = tensors.ir_after("convert-linalg-to-tile").expect("a stage");
            let mut parts = case
                .attribute
                .split(", ")
                .filter(|part| part.contains(" = "));
            if !parts.all(|part| converted.contains(part)) {
                wrong.push(format!("{what}: not in {converted}"));
            }
            if results(&tensors) != results(&memrefs) {
                wrong.push(format!("{what}: other bits"));
            }
            kept += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(kept >= 70, "{kept} programs kept their attributes");
}
