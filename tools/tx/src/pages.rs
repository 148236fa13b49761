//! Diagnostics pages of `docs/diagnostics`, and their index.

use tx_mlir::Code;

/// Pairs of a diagnostic code and the text of its page, in ascending order of the codes.
const PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

const INDEX: &str = include_str!("../../../docs/diagnostics.md");

pub(crate) fn page(code: Code) -> Option<&'static str> {
    let name = code.to_string();
    let (_, text) = PAGES.iter().find(|(of, _)| *of == name)?;
    Some(text)
}

/// Returns each diagnostic code with the title of its page, in ascending order of the codes.
pub(crate) fn titles() -> impl Iterator<Item = (&'static str, &'static str)> {
    PAGES.iter().map(|(name, text)| {
        let heading = text.lines().next().unwrap_or_default();
        let (_, title) = heading.split_once(": ").unwrap_or_default();
        (*name, title)
    })
}

pub(crate) fn list() -> String {
    let (_, codes) = INDEX.split_once("\n## Codes\n").unwrap_or_default();
    let mut text = String::new();
    for line in codes.lines() {
        if let Some(group) = line.strip_prefix("### ") {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.push_str(&format!("{gap}{group}\n"));
        } else if let Some((name, rest)) = line.strip_prefix("* [`").and_then(|l| l.split_once('`'))
            && let Some((_, title)) = rest.split_once("): ")
        {
            text.push_str(&format!("  {name}  {title}\n"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_a_page_and_a_line_of_the_index() {
        let codes: Vec<String> = tx_mlir::codes::ALL.iter().map(Code::to_string).collect();
        let names: Vec<&str> = titles().map(|(name, _)| name).collect();
        assert_eq!(names, codes);
        let list = list();
        let listed: Vec<&str> = list
            .lines()
            .filter(|line| line.starts_with("  TX"))
            .collect();
        let expected: Vec<String> = titles()
            .map(|(name, title)| format!("  {name}  {title}"))
            .collect();
        assert_eq!(listed, expected);
    }

    #[test]
    fn pages_are_in_one_form() {
        for (name, text) in PAGES {
            assert!(text.starts_with(&format!("# {name}: ")), "{name}");
            let parts: Vec<&str> = text.split("\n```mlir\n").collect();
            let [_, refused, accepted] = parts[..] else {
                panic!("{name}: two examples");
            };
            assert!(refused.contains("\n```\n\nAccepted"), "{name}");
            assert!(accepted.ends_with("}\n```\n"), "{name}");
            let (_, prose) = parts[0].split_once("```\n\n").unwrap_or_default();
            let is_long = |line: &&str| line.contains(' ') && line.chars().count() > 80;
            assert_eq!(prose.lines().find(is_long), None, "{name}");
        }
    }
}
