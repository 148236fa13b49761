//! Numbers in the words of a record.

/// The numbers that stand for the `#` of a pattern, where it first occurs in a text:
/// `scan("k split #x#", "...; k split 4x32, inner ...")` is 4 and 32.
pub(crate) fn scan(pattern: &str, text: &str) -> Option<Vec<usize>> {
    let starts = text.char_indices().map(|(place, _)| place);
    starts.into_iter().find_map(|start| {
        // A number is found from its first digit on.
        let inside = text[..start].ends_with(|c: char| c.is_ascii_digit());
        (!inside).then(|| scan_at(pattern, &text[start..]))?
    })
}

fn scan_at(pattern: &str, mut text: &str) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    for (place, part) in pattern.split('#').enumerate() {
        if place > 0 {
            let end = text
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(text.len());
            numbers.push(text[..end].parse().ok()?);
            text = &text[end..];
        }
        text = text.strip_prefix(part)?;
    }
    Some(numbers)
}

/// Like `scan`, for patterns with a known number of `#`; the default where it does not occur.
pub(crate) fn numbers<const N: usize>(
    pattern: &str,
    text: &str,
    default: [usize; N],
) -> [usize; N] {
    scan(pattern, text)
        .and_then(|found| found.try_into().ok())
        .unwrap_or(default)
}
