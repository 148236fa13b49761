//! Ops of `vector`: extraction and construction of vectors. The interpreter represents a fragment
//! as a vector of registers, so a cast between fragment and vector has no effect.

use super::access;
use crate::build::{Build, scalars_of};
use crate::code::OpClosure;
use crate::trouble::Trouble;
use crate::value::{Lanes, Value};
use tx_mlir::{Op, attribute, integers, name, operands, results};

pub(crate) fn build<'c>(
    op: Op<'c>,
    build: &mut Build<'_, 'c>,
) -> Result<Option<OpClosure<'c>>, Trouble> {
    let slots = build.operands(op);
    let to = build.results(op);
    let position = |attribute_name: &str| -> Option<usize> {
        let written = attribute(op, attribute_name)?;
        let all = integers(written).or_else(|| {
            tx_mlir::elements(written)?
                .into_iter()
                .map(tx_mlir::integer_value)
                .collect()
        })?;
        match all[..] {
            [] => Some(0),
            [one] => usize::try_from(one).ok(),
            _ => None,
        }
    };
    Ok(Some(match name(op) {
        "vector.load" | "vector.store" => return access::build(op, build),
        "builtin.unrealized_conversion_cast" => {
            if slots.len() != to.len() {
                return Ok(None);
            }
            for (from, into) in operands(op).into_iter().zip(results(op)) {
                if scalars_of(op, from)?.1 != scalars_of(op, into)?.1 {
                    return Err(Trouble::unsupported(
                        op,
                        "between different numbers of registers",
                    ));
                }
            }
            Box::new(move |exec| {
                for (from, into) in slots.iter().zip(&to) {
                    exec.slots[*into] = exec.slots[*from].clone();
                }
                Ok(())
            })
        }
        "vector.extract" => {
            // The smallest `i64` in `static_position` marks a dynamic position.
            let at = position("static_position").filter(|_| slots.len() == 1);
            let (_, width) = scalars_of(op, results(op)[0])?;
            if width != 1 {
                return Ok(None);
            }
            Box::new(move |exec| {
                exec.compute(&slots, to[0], 1, |exec, lane, _| {
                    let vector = exec.numbers(slots[0]);
                    let at = match at {
                        Some(at) => at,
                        None => usize::try_from(exec.int(slots[1], lane)).unwrap_or(usize::MAX),
                    }
                    .min(vector.width.saturating_sub(1));
                    Ok((
                        vector.get(lane as usize, at),
                        vector.bound(lane as usize, at),
                    ))
                })
            })
        }
        "vector.insert" => {
            let at = position("static_position").filter(|_| slots.len() == 2);
            let (_, width) = scalars_of(op, results(op)[0])?;
            Box::new(move |exec| {
                exec.compute(&slots, to[0], width, |exec, lane, i| {
                    let at = match at {
                        Some(at) => at,
                        None => usize::try_from(exec.int(slots[2], lane)).unwrap_or(usize::MAX),
                    };
                    let (from, j) = if i == at {
                        (slots[0], 0)
                    } else {
                        (slots[1], i)
                    };
                    let from = exec.numbers(from);
                    Ok((from.get(lane as usize, j), from.bound(lane as usize, j)))
                })
            })
        }
        "vector.from_elements" => Box::new(move |exec| {
            exec.compute(&slots, to[0], slots.len(), |exec, lane, i| {
                let from = exec.numbers(slots[i]);
                Ok((from.get(lane as usize, 0), from.bound(lane as usize, 0)))
            })
        }),
        "vector.to_elements" => Box::new(move |exec| {
            for (i, to) in to.iter().enumerate() {
                exec.compute(&slots, *to, 1, |exec, lane, _| {
                    let from = exec.numbers(slots[0]);
                    Ok((from.get(lane as usize, i), from.bound(lane as usize, i)))
                })?;
            }
            Ok(())
        }),
        "vector.broadcast" | "vector.splat" => {
            let (_, width) = scalars_of(op, results(op)[0])?;
            Box::new(move |exec| {
                exec.compute(&slots, to[0], width, |exec, lane, i| {
                    let from = exec.numbers(slots[0]);
                    let i = i % from.width.max(1);
                    Ok((from.get(lane as usize, i), from.bound(lane as usize, i)))
                })
            })
        }
        "vector.extract_strided_slice" => {
            let start = position("offsets");
            let (_, width) = scalars_of(op, results(op)[0])?;
            let Some(start) = start else { return Ok(None) };
            Box::new(move |exec| {
                exec.compute(&slots, to[0], width, |exec, lane, i| {
                    let from = exec.numbers(slots[0]);
                    Ok((
                        from.get(lane as usize, start + i),
                        from.bound(lane as usize, start + i),
                    ))
                })
            })
        }
        "vector.insert_strided_slice" => {
            let Some(start) = position("offsets") else {
                return Ok(None);
            };
            let (_, part) = scalars_of(op, operands(op)[0])?;
            let (_, width) = scalars_of(op, results(op)[0])?;
            Box::new(move |exec| {
                exec.compute(&slots, to[0], width, |exec, lane, i| {
                    let (from, j) = match i.checked_sub(start).filter(|j| *j < part) {
                        Some(j) => (slots[0], j),
                        None => (slots[1], i),
                    };
                    let from = exec.numbers(from);
                    Ok((from.get(lane as usize, j), from.bound(lane as usize, j)))
                })
            })
        }
        "vector.shuffle" => {
            let mask = attribute(op, "mask").and_then(integers).unwrap_or_default();
            let (_, first) = scalars_of(op, operands(op)[0])?;
            Box::new(move |exec| {
                exec.compute(&slots, to[0], mask.len(), |exec, lane, i| {
                    let at = usize::try_from(mask[i]).unwrap_or(0);
                    let (from, j) = if at < first {
                        (slots[0], at)
                    } else {
                        (slots[1], at - first)
                    };
                    let from = exec.numbers(from);
                    Ok((from.get(lane as usize, j), from.bound(lane as usize, j)))
                })
            })
        }
        "vector.bitcast" => bitcast(op, build)?,
        _ => return Ok(None),
    }))
}

fn bitcast<'c>(op: Op<'c>, build: &mut Build<'_, 'c>) -> Result<OpClosure<'c>, Trouble> {
    let from = build.operands(op)[0];
    let to = build.results(op)[0];
    let (narrow, _) = scalars_of(op, operands(op)[0])?;
    let (wide, width) = scalars_of(op, results(op)[0])?;
    let (a, b) = (narrow.bytes(), wide.bytes());
    Ok(Box::new(move |exec| {
        let (uniform, lanes) = exec.lanes_for(&[from]);
        let mut out = match uniform {
            true => Lanes::same(vec![0; width]),
            false => Lanes::new(width, exec.lanes),
        };
        for &lane in lanes.iter() {
            let value = exec.numbers(from);
            let bytes: Vec<u8> = (0..value.width)
                .flat_map(|i| value.get(lane as usize, i).to_le_bytes()[..a].to_vec())
                .collect();
            for (i, part) in bytes.chunks(b).enumerate().take(width) {
                let mut word = [0; 8];
                word[..part.len()].copy_from_slice(part);
                out.set(
                    if uniform { 0 } else { lane as usize },
                    i,
                    u64::from_le_bytes(word),
                    None,
                );
            }
        }
        exec.slots[to] = Value::Numbers(out);
        Ok(())
    }))
}
