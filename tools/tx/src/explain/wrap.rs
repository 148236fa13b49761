//! Wrapping of explanations.

/// Maximum line width in characters, unless one word is longer.
const WIDTH: usize = 100;

/// Wraps a text into lines. The function breaks a line only after an occurrence of `end`, and
/// begins each line after the first with `indent`.
pub(super) fn wrap(text: &str, end: &str, indent: &str) -> Vec<String> {
    let mut units: Vec<String> = Vec::new();
    for part in text.split_inclusive(end) {
        match units.last_mut() {
            // Text inside backticks is not split.
            Some(unit) if unit.matches('`').count() % 2 == 1 => unit.push_str(part),
            _ => units.push(part.to_owned()),
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for unit in &units {
        let length = |line: &str| line.chars().count() + unit.trim_end().chars().count();
        match lines.last_mut() {
            Some(line) if length(line) <= WIDTH => line.push_str(unit),
            Some(_) => lines.push(format!("{indent}    {unit}")),
            None => lines.push(format!("{indent}{unit}")),
        }
    }
    lines
        .iter()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_units() {
        let steps = vec!["split d0 by 8"; 20].join(", ");
        let lines = wrap(&steps, ", ", "  ");
        assert!(lines.len() > 2, "{lines:?}");
        for line in &lines {
            assert!(line.chars().count() <= WIDTH, "{line}");
            assert!(line.trim_start().starts_with("split"), "{line}");
        }
        let joined: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
        assert_eq!(joined.join(" "), steps);
        let text = format!("{} `tx tune`", "x".repeat(92));
        assert_eq!(wrap(&text, " ", "").len(), 2, "commands are not cut");
        let long = "x".repeat(200);
        assert_eq!(wrap(&long, " ", ""), [long]);
    }
}
