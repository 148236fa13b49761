//! List of all programs.

use crate::custom;
use crate::element::Element::{self, BF16, F8E4M3FN, F8E5M2, F16, F32, F64, I1, I8, I16, I32, I64};
use crate::inputs::Random;
use crate::operands::{Memory, OperandKind, Types};
use crate::places::{FRAGMENTS, LANES, PLACES, Shape, UNEVEN_LANES};
use crate::program::{Scope, Storage};
use crate::reference::Nan;
use crate::spec::{Spec, Work};
use crate::variants;

const ELEMENTS: [Element; 8] = [F16, BF16, F32, F64, I8, I16, I32, I64];

/// Returns every program, with chosen and forced variants. Each element type is tested with another
/// sample of shapes, and every shape is tested with some element type.
pub(crate) fn specs() -> Vec<Spec> {
    let mut works: Vec<(Work, usize, usize)> = Vec::new();
    for element in ELEMENTS {
        let types = Types::of(element);
        let many = if matches!(element, F64 | I8 | I16 | I64) {
            1
        } else {
            2
        };
        works.push((Work::Values(types, Nan::Propagate), many, 2 + many));
        works.push((Work::Indices(types, Nan::Propagate, I32), 1, 3));
        if element.is_float() {
            works.push((Work::Values(types, Nan::Ignore), 1, 3));
            works.push((Work::Indices(types, Nan::Ignore, I64), 1, 2));
        }
    }
    works.push((Work::Values(Types::of(I1), Nan::Propagate), 1, 4));
    for (source, destination) in [
        (F8E4M3FN, F32),
        (F8E4M3FN, BF16),
        (F8E5M2, F16),
        (F8E5M2, F32),
        (F16, F32),
        (BF16, F32),
        (F16, F64),
        (F32, F64),
    ] {
        works.push((
            Work::Values(Types::into(source, destination), Nan::Propagate),
            1,
            2,
        ));
    }
    works.push((Work::Values(Types::into(F8E5M2, F16), Nan::Ignore), 1, 1));
    works.push((
        Work::Indices(Types::into(F8E4M3FN, F16), Nan::Propagate, I32),
        1,
        1,
    ));
    for (element, acc) in [
        (F16, F16),
        (BF16, BF16),
        (F16, F64),
        (F32, F64),
        (I8, I32),
        (I16, I64),
    ] {
        works.push((
            Work::Values(Types::with(element, acc), Nan::Propagate),
            1,
            2,
        ));
    }
    for custom in custom::ALL {
        works.push((Work::Custom(custom), 1, 2));
    }

    let mut specs = Vec::new();
    for (turn, (work, few, many)) in works.into_iter().enumerate() {
        let mut places = Vec::new();
        for (number, (scope, storage, shapes)) in PLACES.into_iter().enumerate() {
            // Whether a single-thread variant applies to f32 depends on the row length, so f32 is
            // tested with all shapes.
            let every = storage == Storage::Private
                && matches!(work, Work::Values(types, _) if types.source == F32 && types.acc.is_none());
            for i in 0..if every { shapes.len() } else { few } {
                let shape = shapes[(turn
                    + number
                    + if every {
                        i
                    } else {
                        i * shapes.len().div_ceil(2)
                    })
                    % shapes.len()];
                places.push(OperandKind::Memory(memory(scope, storage, shape)));
            }
            // Whether a variant for 16-bit floats applies also depends on the row length.
            if let Work::Values(types, _) = work
                && matches!(types.source, F16 | BF16)
            {
                for shape in shapes
                    .iter()
                    .filter(|(_, length, ..)| *length > 0 && length % 256 == 0)
                {
                    let memory = memory(scope, storage, *shape);
                    if !places
                        .iter()
                        .any(|place| matches!(place, OperandKind::Memory(m) if *m == memory))
                    {
                        places.push(OperandKind::Memory(memory));
                    }
                }
            }
        }
        let spread = |i: usize, count: usize| (turn * 3 + i * count.div_ceil(many)) % count;
        places.extend(
            (0..many).map(|i| OperandKind::Fragments(FRAGMENTS[spread(i, FRAGMENTS.len())])),
        );
        // A reduction across lanes requires equal element and result types.
        if work_keeps_type(work) {
            places.extend((0..many).map(|i| OperandKind::Lanes(LANES[spread(i, LANES.len())])));
        }
        for place in places {
            let chosen = Spec {
                work,
                place,
                variant: None,
                verdicts: false,
            };
            if !chosen.is_sound() {
                continue;
            }
            if matches!(place, OperandKind::Lanes(_)) {
                specs.push(chosen);
                continue;
            }
            let forced: Vec<Spec> = variants::labels()
                .map(|variant| Spec {
                    variant: Some(variant),
                    ..chosen
                })
                .filter(|forced| !forced.accepted().is_empty())
                .collect();
            // If one variant applies to all kinds, the program with the compiler's choice is
            // usually equal to the program with this forced variant. Only a sample of such programs
            // is generated.
            let sample = Random::new(&chosen.name()).below(8) == 0;
            if sample
                || !forced
                    .iter()
                    .any(|spec| spec.accepted().len() == spec.all_kinds().len())
            {
                specs.push(chosen);
            }
            if Random::new(&chosen.name()).below(3) == 0 {
                specs.push(Spec {
                    verdicts: true,
                    ..chosen
                });
            }
            specs.extend(forced);
        }
    }
    let works = [
        Work::Values(Types::of(F32), Nan::Propagate),
        Work::Indices(Types::of(F32), Nan::Propagate, I32),
        Work::Values(Types::of(I32), Nan::Propagate),
        Work::Custom(custom::COUNT_AND_SUM),
        Work::Values(Types::of(F16), Nan::Propagate),
    ];
    for (turn, lanes) in UNEVEN_LANES.into_iter().enumerate() {
        let two = [works[turn % works.len()], works[(turn + 2) % works.len()]].map(|work| Spec {
            work,
            place: OperandKind::Lanes(lanes),
            variant: None,
            verdicts: false,
        });
        specs.extend(two.into_iter().filter(Spec::is_sound));
    }
    specs
}

fn memory(scope: Scope, storage: Storage, (rows, length, outer, block, dynamic): Shape) -> Memory {
    Memory {
        scope,
        storage,
        rows,
        length,
        outer,
        block,
        dynamic,
        flat: rows == 1 && !outer && !dynamic && length != 33,
    }
}

fn work_keeps_type(work: Work) -> bool {
    match work {
        Work::Values(types, _) | Work::Indices(types, ..) => types.source == types.destination,
        Work::Custom(_) => true,
    }
}

impl Spec {
    /// Returns whether the inputs are suitable for the program. A 16-bit accumulator can count only
    /// to 256, the product of a thousand elements in a custom combiner overflows, and a fragment
    /// must fit in registers.
    fn is_sound(&self) -> bool {
        let length = match &self.place {
            OperandKind::Memory(m) => m.length,
            OperandKind::Fragments(f) => f.shape[0] * f.shape[1] / 8,
            OperandKind::Lanes(l) => l.members().iter().map(Vec::len).max().unwrap_or(0),
        };
        let shortest = match &self.place {
            OperandKind::Lanes(l) => l.members().iter().map(Vec::len).min().unwrap_or(0),
            _ => length,
        };
        match &self.work {
            Work::Values(types, _)
                if types.accumulator().bits() == 16 && types.source.is_float() =>
            {
                length <= 256
            }
            Work::Custom(custom) => length <= 256 && shortest >= custom.shortest,
            _ => true,
        }
    }
}
