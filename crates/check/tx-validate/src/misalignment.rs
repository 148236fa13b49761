//! Misalignment of the arrays of an input.

use tx_runtime::Past;

/// Misalignment, in bytes, of the array that is misaligned alone: half a vector of 16 bytes.
const HALF_VECTOR: usize = 8;

/// Returns the misalignment of each array of an input, in elements.
///
/// The first array begins 1 to 15 elements past an aligned address. The misalignment of each
/// further array exceeds the misalignment of the preceding array by 0 or 1 elements. In every
/// eighth input, only one array is misaligned; this array begins 8 bytes past an aligned address.
pub(crate) fn elements_past(input: usize) -> Past {
    if input % 8 == 5 {
        return Past {
            one: input / 8,
            by: HALF_VECTOR,
            ..ALIGNED
        };
    }
    // Multiples of the golden ratio are evenly distributed modulo 1.
    let fraction = (input as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    Past {
        first: 1 + ((fraction as usize * 15) >> 32),
        each: input / 2 % 2,
        ..ALIGNED
    }
}

pub(crate) const ALIGNED: Past = Past::all(0);

/// Returns the name of an input, including the misalignment of its arrays.
pub(crate) fn beginning(input: &str, past: Past) -> String {
    let Past {
        first,
        each,
        one,
        by,
    } = past;
    let elements = |n: usize| format!("{n} element{}", if n == 1 { "" } else { "s" });
    match (first, each, by) {
        (0, 0, 0) => input.to_owned(),
        (0, 0, by) => format!(
            "{input}, array {} from the end starting {by} bytes past a multiple of 256 bytes",
            one + 1
        ),
        (first, 0, _) => format!(
            "{input}, arrays starting {} past a multiple of 256 bytes",
            elements(first)
        ),
        (first, each, _) => format!(
            "{input}, arrays starting {} past a multiple of 256 bytes, and each array {} further \
             than the previous one",
            elements(first),
            elements(each)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn alone(one: usize) -> Past {
        Past {
            one,
            by: HALF_VECTOR,
            ..ALIGNED
        }
    }

    #[test]
    fn inputs_say_where_they_begin() {
        assert_eq!(beginning("ones of 3", ALIGNED), "ones of 3");
        assert_eq!(
            beginning("ones of 3", Past::all(1)),
            "ones of 3, arrays starting 1 element past a multiple of 256 bytes"
        );
        assert_eq!(
            beginning(
                "ones of 3",
                Past {
                    each: 1,
                    ..Past::all(5)
                }
            ),
            "ones of 3, arrays starting 5 elements past a multiple of 256 bytes, and each array 1 \
             element further than the previous one"
        );
        assert_eq!(
            beginning("ones of 3", alone(1)),
            "ones of 3, array 2 from the end starting 8 bytes past a multiple of 256 bytes"
        );
    }

    /// Checks that 64 inputs contain each misalignment of 1 to 15 elements, and that each of eight
    /// arrays is the only misaligned array of some input.
    #[test]
    fn inputs_begin_everywhere() {
        let all: Vec<Past> = (0..64).map(elements_past).collect();
        for first in 1..=15 {
            assert!(all.contains(&Past::all(first)), "{first} elements past");
        }
        assert!((0..8).all(|one| all.contains(&alone(one))));
    }
}
