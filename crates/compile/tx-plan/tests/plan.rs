//! Interface of plans and argument types for programs that read plans.

use tx_plan::{
    Argument, ArgumentType, Base, ElementType, EntryKind, Expr, Extent, Layout, MemorySpace,
    MemrefType, Operand, Plan, PlanError, Step, Temporary, VERSION, View,
};

fn row_sums() -> Plan {
    let memref = |text: &str, written| Argument {
        ty: text.parse().expect("a type"),
        written,
    };
    let rows = || Expr::dim(0, 0);
    Plan {
        version: VERSION,
        chip: "sm_90".to_owned(),
        entry: "row_sums".to_owned(),
        entry_kind: EntryKind::Function,
        arguments: vec![
            memref("memref<?x?xf32, strided<[?, 1], offset: ?>>", false),
            memref("memref<?xf32>", true),
            memref("i32", false),
        ],
        checks: Vec::new(),
        temporaries: vec![Temporary {
            element: ElementType::F32,
            shape: vec![rows(), Expr::Const(8)],
            cleared: false,
        }],
        steps: vec![Step {
            kernel: "row_sums_0".to_owned(),
            module: "row_sums_0".to_owned(),
            choice: None,
            when: Vec::new(),
            grid: [
                rows().ceil_div(Expr::Const(32)),
                Expr::Const(1),
                Expr::Const(1),
            ],
            block: [Expr::Const(256), Expr::Const(1), Expr::Const(1)],
            cluster: None,
            dynamic_shared_bytes: Expr::Const(0),
            operands: vec![
                Operand::Argument(0),
                Operand::View(View {
                    base: Base::Temporary(0),
                    offset: Expr::Const(4),
                    sizes: vec![rows()],
                    strides: vec![Expr::Const(8)],
                }),
                Operand::Temporary(0),
                Operand::Scalar {
                    ty: ElementType::Index,
                    value: rows(),
                },
                Operand::Constant {
                    ty: ElementType::F32,
                    bits: 0xff80_0000,
                },
            ],
        }],
    }
}

/// Every memref operand can be represented as a view. The view of a whole argument has the layout
/// of its type.
#[test]
fn operands_are_views() {
    let mut plan = row_sums();
    plan.arguments[1].ty = "memref<4x?x8xf32>".parse().expect("a type");
    let text = |operand: &Operand| {
        plan.view(operand).map(|view| {
            let list = |exprs: &[Expr]| {
                let texts: Vec<_> = exprs.iter().map(ToString::to_string).collect();
                texts.join(", ")
            };
            format!(
                "{:?} {} [{}] [{}]",
                view.base,
                view.offset,
                list(&view.sizes),
                list(&view.strides)
            )
        })
    };
    for (operand, expected) in [
        (
            Operand::Argument(0),
            Some("Argument(0) arg0.offset [arg0.dim0, arg0.dim1] [arg0.stride0, 1]"),
        ),
        (
            Operand::Argument(1),
            Some("Argument(1) 0 [4, arg1.dim1, 8] [arg1.dim1 * 8, 8, 1]"),
        ),
        (Operand::Argument(2), None),
        (
            Operand::Temporary(0),
            Some("Temporary(0) 0 [arg0.dim0, 8] [8, 1]"),
        ),
        (
            plan.steps[0].operands[1].clone(),
            Some("Temporary(0) 4 [arg0.dim0] [8]"),
        ),
        (plan.steps[0].operands[3].clone(), None),
        (Operand::Temporary(7), None),
    ] {
        assert_eq!(text(&operand).as_deref(), expected, "{operand:?}");
    }
}

/// JSON form for other programs. A change of this text requires a change of [`VERSION`].
#[test]
fn has_a_fixed_json_form() -> Result<(), PlanError> {
    let expected = r#"{
  "version": 2,
  "chip": "sm_90",
  "entry": "row_sums",
  "entry_kind": "function",
  "arguments": [
    {
      "kind": "memref",
      "type": "memref<?x?xf32, strided<[?, 1], offset: ?>>",
      "element": "f32",
      "shape": [
        "?",
        "?"
      ],
      "strides": [
        "?",
        1
      ],
      "offset": "?",
      "contiguous": false,
      "space": "global",
      "written": false
    },
    {
      "kind": "memref",
      "type": "memref<?xf32>",
      "element": "f32",
      "shape": [
        "?"
      ],
      "strides": [
        1
      ],
      "offset": 0,
      "contiguous": true,
      "space": "global",
      "written": true
    },
    {
      "kind": "scalar",
      "type": "i32"
    }
  ],
  "temporaries": [
    {
      "element": "f32",
      "shape": [
        "arg0.dim0",
        8
      ],
      "bytes": "arg0.dim0 * 8 * 4"
    }
  ],
  "steps": [
    {
      "kernel": "row_sums_0",
      "module": "row_sums_0",
      "grid": [
        "ceildiv(arg0.dim0, 32)",
        1,
        1
      ],
      "block": [
        256,
        1,
        1
      ],
      "dynamic_shared_bytes": 0,
      "operands": [
        {
          "argument": 0
        },
        {
          "view": {
            "base": {
              "temporary": 0
            },
            "offset": 4,
            "sizes": [
              "arg0.dim0"
            ],
            "strides": [
              8
            ]
          }
        },
        {
          "temporary": 0
        },
        {
          "scalar": {
            "type": "index",
            "value": "arg0.dim0"
          }
        },
        {
          "constant": {
            "type": "f32",
            "bits": "0xff800000"
          }
        }
      ]
    }
  ]
}
"#;
    let plan = row_sums();
    plan.validate()?;
    assert_eq!(plan.to_json(), expected);
    assert_eq!(Plan::from_json(expected)?, plan);
    Ok(())
}

#[test]
fn refuses_other_versions() {
    let error = Plan::from_json(r#"{"version": 1, "news": []}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "launch plan of version 1, expected 2; compile the program again with this version of tx"
    );
    assert!(matches!(Plan::from_json("{}"), Err(PlanError::Json(_))));
    assert!(matches!(
        Plan::from_json("garbage"),
        Err(PlanError::Json(_))
    ));
}

/// JSON whose derived fields contradict other fields is rejected.
#[test]
fn refuses_contradictory_json() {
    let json = row_sums().to_json();
    for (from, to, message) in [
        (
            "\"type\": \"memref<?xf32>\"",
            "\"type\": \"memref<?xf64>\"",
            "argument of type `memref<?xf64>`, but its other fields say `memref<?xf32>`",
        ),
        (
            "\"bytes\": \"arg0.dim0 * 8 * 4\"",
            "\"bytes\": 4",
            "temporary of `4` bytes, but its shape and element type say `arg0.dim0 * 8 * 4`",
        ),
        (
            "\"bits\": \"0xff800000\"",
            "\"bits\": \"ff\"",
            "found `ff`, expected bits such as",
        ),
        ("\"chip\"", "\"chop\"", "unknown field `chop`"),
    ] {
        let error = Plan::from_json(&json.replacen(from, to, 1))
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{error}");
    }
}

/// `validate` reports every kind of inconsistency, with the part of the plan.
#[test]
fn finds_parts_that_do_not_fit() {
    let check = |break_it: fn(&mut Plan), message: &str| {
        let mut plan = row_sums();
        break_it(&mut plan);
        assert_eq!(
            plan.validate().unwrap_err().to_string(),
            format!("invalid launch plan: {message}")
        );
    };
    check(
        |plan| plan.steps[0].grid[0] = Expr::dim(0, 2),
        "step 0 (`row_sums_0`): `arg0.dim2`: `arg0.dim2` is not defined for an argument of type \
         `memref<?x?xf32, strided<[?, 1], offset: ?>>`",
    );
    check(
        |plan| plan.steps[0].operands[0] = Operand::Argument(3),
        "step 0 (`row_sums_0`), operand 0: found argument 3, expected one of the 3 arguments",
    );
    check(
        |plan| plan.steps[0].operands[2] = Operand::Temporary(1),
        "step 0 (`row_sums_0`), operand 2: found temporary 1, expected one of the 1 temporaries",
    );
    check(
        |plan| {
            plan.steps[0].operands[1] = Operand::View(View {
                base: Base::Argument(2),
                offset: Expr::Const(0),
                sizes: vec![],
                strides: vec![],
            })
        },
        "step 0 (`row_sums_0`), operand 1: argument 2 has type i32, expected a memref",
    );
    check(
        |plan| {
            plan.steps[0].operands[0] = Operand::Constant {
                ty: ElementType::F16,
                bits: 0x10000,
            }
        },
        "step 0 (`row_sums_0`), operand 0: constant 0x10000 does not fit the 16 bits of f16",
    );
    check(
        |plan| plan.arguments[2].written = true,
        "argument 2: a scalar cannot be written",
    );
    check(
        |plan| plan.temporaries[0].shape[1] = Expr::dim(7, 0),
        "temporary 0: `arg7.dim0`: found argument 7, expected one of the 3 arguments",
    );
    check(
        |plan| {
            plan.entry_kind = EntryKind::Kernel;
            plan.steps.clear();
        },
        "steps: found 0 launches of a kernel entry, expected 1",
    );
}

#[test]
fn types_have_one_text_form() {
    for text in [
        "memref<f32>",
        "memref<4x8xf32>",
        "memref<?x0x3xbf16>",
        "memref<4x?xf32, strided<[?, 1], offset: ?>>",
        "memref<4x8xf32, strided<[-16, 1]>>",
        "memref<f8E4M3FN, strided<[], offset: 3>>",
        "memref<4xindex, #gpu.address_space<workgroup>>",
        "memref<4xi1, strided<[2]>, #gpu.address_space<private>>",
        "f8E5M2",
        "index",
    ] {
        assert_eq!(text.parse::<ArgumentType>().expect(text).to_string(), text);
    }
    for (text, canonical) in [
        ("memref<4xf32, 1>", "memref<4xf32>"),
        ("memref<4xf32, 1 : i32>", "memref<4xf32>"),
        ("memref<4xf32, #gpu.address_space<global>>", "memref<4xf32>"),
        (
            "memref<4xf32, strided<[?], offset: 4>, 3>",
            "memref<4xf32, strided<[?], offset: 4>, #gpu.address_space<workgroup>>",
        ),
    ] {
        assert_eq!(
            text.parse::<ArgumentType>().expect(text).to_string(),
            canonical
        );
    }
}

#[test]
fn types_report_what_is_wrong() {
    for (text, reason) in [
        ("memref<4x8>", "`8` ends without an element type"),
        ("memref<4xf33>", "unknown element type `f33`"),
        ("memref<*xf32>", "it is unranked"),
        ("memref<4xf32", "expected `memref<…>`"),
        (
            "memref<4xf32, strided<[1, 2]>>",
            "2 strides for 1 dimensions",
        ),
        (
            "memref<4xf32, affine_map<(d0) -> (d0 * 2)>>",
            "affine map layouts are not supported",
        ),
        ("memref<4xf32, 7>", "unknown memory space `7`"),
        (
            "memref<99999999999999999999xf32>",
            "is neither a number of 64 bits nor `?`",
        ),
        ("tensor<4xf32>", "unknown element type `tensor<4xf32>`"),
    ] {
        let error = text.parse::<ArgumentType>().unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
}

/// A stride of the identity layout is static if all inner sizes are static.
#[test]
fn identity_layout_has_strides() {
    let memref = MemrefType::new(
        ElementType::I8,
        [Extent::Dynamic, Extent::Dynamic, Extent::Static(8)],
    );
    assert_eq!(
        memref.strides(),
        [Extent::Dynamic, Extent::Static(8), Extent::Static(1)]
    );
    assert_eq!(
        (memref.offset(), memref.descriptor_len()),
        (Extent::Static(0), 9)
    );
    assert_eq!(
        (memref.layout, memref.space),
        (Layout::Identity, MemorySpace::Global)
    );
}

#[test]
fn element_types_round_trip() {
    for element in ElementType::ALL {
        assert_eq!(element.to_string().parse(), Ok(element));
    }
    assert_eq!(
        ElementType::ALL.map(ElementType::size),
        [2, 2, 4, 8, 1, 1, 2, 4, 8, 8, 1, 1]
    );
    assert!(
        "u8".parse::<ElementType>()
            .unwrap_err()
            .to_string()
            .starts_with("unknown element type `u8`; known types: f16, ")
    );
}
