//! Patterns of messages.

/// What stands for any text.
const ANY: &str = "{}";

/// Whether `text` is `pattern`, in which each `{}` stands for one character or more; where it stands between backticks, for
/// ones that are no backtick.
///
/// ```
/// assert!(tx_codes::matches("axis {} is out of range for rank {}", "axis 2 is out of range for rank 2"));
/// assert!(!tx_codes::matches("`{}` is not reduced", "`d0` of `partials` is not reduced"));
/// ```
pub fn matches(pattern: &str, text: &str) -> bool {
    let Some((before, after)) = pattern.split_once(ANY) else {
        return pattern == text;
    };
    let Some(rest) = text.strip_prefix(before) else {
        return false;
    };
    let quoted = before.ends_with('`') && after.starts_with('`');
    // Where the placeholder may end.
    rest.char_indices()
        .take_while(|(_, c)| !(quoted && *c == '`'))
        .map(|(at, c)| at + c.len_utf8())
        .any(|end| matches(after, &rest[end..]))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn text_without_placeholders_is_itself() {
        assert!(matches("", ""));
        assert!(matches("needs a source", "needs a source"));
        assert!(!matches("needs a source", "needs a source "));
        assert!(!matches("needs a source", ""));
    }

    #[test]
    fn placeholders_stand_for_something() {
        assert!(matches("{}", "x"));
        assert!(!matches("{}", ""));
        assert!(matches("a {} b {}", "a b b b c"));
        assert!(matches("{} b {} c", "a b b c c"));
        assert!(!matches("a {} b", "a  b"));
        assert!(matches("é{}ü", "éßü"));
        assert!(!matches("{}{}", "x"));
        assert!(matches("{}{}", "xy"));
    }

    #[test]
    fn placeholders_between_backticks_do_not_leave_them() {
        assert!(matches("`{}` and `{}`", "`a b` and `c`"));
        assert!(!matches("`{}` end", "`a` `b` end"));
        assert!(!matches("`{}`", "``"));
        assert!(matches("the `{}", "the `a` and `b`"));
    }
}
