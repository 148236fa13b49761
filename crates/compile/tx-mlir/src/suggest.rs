//! Spelling suggestions.

use strsim::osa_distance;

/// Returns the known name with the smallest edit distance to `found`. The edit distance counts
/// insertions, deletions and substitutions of letters, and swaps of adjacent letters. Returns
/// `None` if the edit distance exceeds a third of the length of the known name.
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
