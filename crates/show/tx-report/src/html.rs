//! HTML escaping.

/// Returns whether a character changes the text direction. A character that changes the text
/// direction could, as part of a name, reorder the text of the page.
fn turns(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Appends a character, or visible text in place of a control character.
fn push_visible(text: &mut String, c: char) {
    match c {
        '\t' | '\n' => text.push(c),
        // HTML cannot represent control characters, so their Unicode pictures replace them.
        '\0'..='\u{1f}' => text.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
        '\u{7f}'..='\u{9f}' => text.push('\u{fffd}'),
        c if turns(c) => text.push_str(&format!("\u{27e8}U+{:04X}\u{27e9}", u32::from(c))),
        c => text.push(c),
    }
}

/// Replaces control characters by visible characters in a text that a script inserts into the page.
pub(crate) fn visible(text: &str) -> String {
    let mut seen = String::with_capacity(text.len());
    text.chars().for_each(|c| push_visible(&mut seen, c));
    seen
}

pub(crate) fn escape_into(page: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            '\'' => page.push_str("&#39;"),
            c => push_visible(page, c),
        }
    }
}

pub(crate) fn escape(text: &str) -> String {
    let mut page = String::with_capacity(text.len());
    escape_into(&mut page, text);
    page
}

/// Appends code. Prevents a line break after a question mark, because a browser could break a shape
/// such as `?x4` at the question mark.
pub(crate) fn code_into(page: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('?') {
        escape_into(page, &rest[..at]);
        let end = at + 1 + rest[at + 1..].chars().next().map_or(0, char::len_utf8);
        page.push_str("<i class=w>");
        escape_into(page, &rest[at..end]);
        page.push_str("</i>");
        rest = &rest[end..];
    }
    escape_into(page, rest);
}

/// Returns text as HTML, with `<code>` elements instead of backticks.
pub(crate) fn prose(text: &str) -> String {
    let mut page = String::new();
    let parts: Vec<&str> = text.split('`').collect();
    for (i, part) in parts.iter().enumerate() {
        // Keep an unpaired backtick.
        let is_code = i % 2 == 1 && i + 1 < parts.len();
        let stray = i % 2 == 1 && !is_code;
        if is_code {
            page.push_str("<code>");
        } else if stray {
            page.push('`');
        }
        if is_code {
            code_into(&mut page, part);
            page.push_str("</code>");
        } else {
            escape_into(&mut page, part);
        }
    }
    page
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_size_of_unknown_length_is_one_word() {
        let mut page = String::new();
        super::code_into(&mut page, "a<?x?xf32, ?");
        assert_eq!(
            page,
            "a&lt;<i class=w>?x</i><i class=w>?x</i>f32, <i class=w>?</i>"
        );
    }

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_of_a_text_is_read_as_html() {
        assert_eq!(
            escape("</script><b a='\"'>&amp;"),
            "&lt;/script&gt;&lt;b a=&#39;&quot;&#39;&gt;&amp;amp;"
        );
        assert_eq!(
            escape("a\0b\u{1b}[31m\u{202e}c"),
            "a\u{2400}b\u{241b}[31m\u{27e8}U+202E\u{27e9}c"
        );
        assert_eq!(
            escape("tab\tand\nline, µs, 漢字"),
            "tab\tand\nline, µs, 漢字"
        );
    }

    #[test]
    fn backticks_are_code() {
        assert_eq!(
            prose("`a<b` is `c`"),
            "<code>a&lt;b</code> is <code>c</code>"
        );
        assert_eq!(prose("one ` alone"), "one ` alone");
        assert_eq!(prose("`a` and ` alone"), "<code>a</code> and ` alone");
    }

    proptest! {
        #[test]
        fn no_text_opens_an_element(text in any::<String>()) {
            let page = escape(&text);
            prop_assert!(!page.contains(['<', '>', '"', '\'']));
        }
    }
}
