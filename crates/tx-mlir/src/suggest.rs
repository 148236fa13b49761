//! Names that may be meant by others.

use strsim::osa_distance;

/// The name that may have been meant: the first of those with the fewest letters that were left
/// out, put in, changed or swapped, if most of it is right.
pub fn nearest<'n>(found: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    known
        .into_iter()
        .map(|name| (osa_distance(found, name), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, name)| 3 * distance <= name.len().max(3))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_found() {
        let known = ["determinism", "schedule", "variant", "nan"];
        for (found, meant) in [
            ("determinsm", Some("determinism")),
            ("scedule", Some("schedule")),
            ("varaint", Some("variant")),
            ("Nan", Some("nan")),
            ("threads", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(found, known), meant, "{found}");
        }
    }
}
