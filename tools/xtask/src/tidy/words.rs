//! Dictionary of phrases that the repository's prose does not use, with their replacements.
//!
//! Two tables define the dictionary. [`PHRASES`] contains phrases that prose must not use.
//! [`OPENERS`] contains words with which no sentence may begin, because such a sentence hides its
//! subject. Questions, headings and bold labels may begin with the words of [`OPENERS`]. A phrase
//! matches at word boundaries, in upper or lower case, and across line ends.
//!
//! Prose is the text of Markdown pages and of comments in the languages of [`COMMENTS`], except for
//! comments that follow code on the same line. The check ignores code blocks, inline code, and the
//! directives of lit tests, such as RUN lines, CHECK lines and expected diagnostics.
//!
//! The tables of forbidden phrases must not contain established terms, such as `lane` or a type
//! name. To forbid a phrase, add the phrase to a table, and correct the prose that contains the
//! phrase.

use std::path::Path;

/// Phrases that prose does not use, each with its replacement.
const PHRASES: &[(&[&str], &str)] = &[
    // Compilation and schedules.
    (&["under way"], "in flight"),
    (&["written out"], "unrolled, explicit"),
    (&["left over"], "remaining, remainder"),
    (&["cut over", "cut into"], "split across, split into"),
    (&["shared by blocks"], "split across blocks"),
    (
        &["in turns", "take turns", "takes turns"],
        "grid-stride loop, alternately",
    ),
    (&["streamed load", "streamed loads"], "evict-first load"),
    (
        &["take part", "takes part", "taking part", "took part"],
        "participate",
    ),
    (&["active set"], "active threads, participating threads"),
    (
        &["go over", "goes over", "go through", "goes through"],
        "iterate over",
    ),
    (&["of unknown number", "known at run time only"], "dynamic"),
    (&["results start from"], "initial value of the accumulator"),
    (
        &[
            "laws of a combiner",
            "laws of combiners",
            "laws of the combiner",
        ],
        "algebraic properties",
    ),
    (&["share of the speed"], "% of peak bandwidth"),
    // Diagnostics.
    (
        &[
            "say of",
            "says of",
            "said of",
            "say nothing of",
            "says nothing of",
        ],
        "report",
    ),
    (
        &["what is said", "is told", "are told"],
        "diagnostic; is reported",
    ),
    (&["slip", "slips"], "likely mistake"),
    (&["mend", "mends", "mended", "mending"], "fix"),
    // Comparisons.
    (&["kept apart", "keep apart", "keeps apart"], "separate"),
    (&["told apart", "tell apart", "tells apart"], "distinguish"),
    (&["alike"], "equal, in the same way"),
    (&["to the bit"], "bitwise, bit for bit"),
    (&["all the same"], "nevertheless, equal"),
    (&["the same holds"], "a repetition of the statement"),
    (&["the other way round"], "in reverse order, the reverse"),
    // Words that hide a quantity, a place or an action.
    (&["vast"], "a quantity with its unit"),
    (&["beside"], "next to, in addition to"),
    (&["no more than"], "at most"),
    (
        &["do for", "does for"],
        "suffice for, or a verb that names the action",
    ),
    (&["gone"], "removed, absent"),
    (&["left out"], "omitted"),
    (&["as it came"], "input, unchanged"),
    (&["bring along", "brings along"], "define, contain"),
    (&["in one go"], "at once"),
    (&["do without", "does without"], "not need, omit"),
    (&["whoever"], "a noun for the person"),
    (
        &["thereof", "whereby", "wherein", "lest", "anew"],
        "a modern word",
    ),
    (
        &[
            "of course",
            "obviously",
            "basically",
            "in order to",
            "due to the fact",
        ],
        "nothing, or a shorter word",
    ),
];

/// Words with which no sentence begins, each with its replacement. The match is case-sensitive.
const OPENERS: &[(&str, &str)] = &[
    ("What", "a noun"),
    ("Of", "the subject of the sentence"),
    ("Where", "`if`, `when`, or a noun"),
    ("So that", "a sentence with the subject and `so`"),
];

/// File name extension and comment prefix of each language whose comments are checked.
const COMMENTS: &[(&str, &str)] = &[
    ("rs", "//"),
    ("td", "//"),
    ("js", "//"),
    ("mjs", "//"),
    ("cpp", "//"),
    ("h", "//"),
    ("mlir", "//"),
    ("py", "#"),
];

/// Returns one error message for each phrase of the tables that a file contains.
pub(super) fn check(file: &Path, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for paragraph in paragraphs(file, text) {
        for (at, phrase, replacement) in paragraph.phrases() {
            wrong.push(format!(
                "{}:{}: `{phrase}` is not used in prose: write {replacement} \
                 (tools/xtask/src/tidy/words.rs)",
                file.display(),
                paragraph.line(at)
            ));
        }
    }
    wrong
}

/// Returns one error message for each malformed doc comment of a function in a Rust file. The first
/// paragraph of a doc comment must end with a full stop, a colon or a question mark, and must not
/// begin with a word in lower case. A comment that begins with code may have any form, because the
/// comment shows syntax. Comments of types and fields may have any form, because derive macros
/// print some of these comments.
pub(super) fn doc_comments(file: &Path, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (index, line) in lines.iter().enumerate() {
        let previous = index.checked_sub(1).map_or("", |previous| lines[previous]);
        if !line.starts_with("/// ") || previous.starts_with("///") {
            continue;
        }
        let comment = || {
            lines[index..]
                .iter()
                .map_while(|line| line.strip_prefix("///"))
        };
        let item = lines[index + comment().count()..]
            .iter()
            .find(|line| !line.starts_with("#["));
        let is_function = item.is_some_and(|item| {
            let head = item.split('(').next().unwrap_or_default();
            head.split_whitespace().any(|word| word == "fn")
        });
        if !is_function || line.starts_with("/// #") || line.starts_with("/// `") {
            continue;
        }
        let first = line[3..].split_whitespace().next().unwrap_or_default();
        let last = comment().take_while(|line| !line.trim().is_empty()).last();
        let place = format!("{}:{}", file.display(), index + 1);
        if first.chars().all(|c| c.is_ascii_lowercase()) {
            wrong.push(format!("{place}: the doc comment begins in lower case"));
        }
        if !last.is_some_and(|last| last.ends_with(['.', ':', '?'])) {
            wrong.push(format!(
                "{place}: the first paragraph ends without a full stop"
            ));
        }
    }
    wrong
}

/// Paragraph, list item or table row of prose. Backticks replace the inline code in the text.
struct Paragraph {
    text: String,
    /// For each line, the offset of the line in `text` and the number of the line in the file.
    lines: Vec<(usize, usize)>,
    is_heading: bool,
}

impl Paragraph {
    /// Returns the offset, the phrase and the replacement for each match of a phrase in the
    /// paragraph.
    fn phrases(&self) -> Vec<(usize, &'static str, &'static str)> {
        let lower = self.text.to_ascii_lowercase();
        let mut found = Vec::new();
        for (phrases, replacement) in PHRASES {
            for phrase in *phrases {
                let places = lower.match_indices(phrase).map(|(at, _)| at);
                let places = places.filter(|at| is_whole(&lower, *at, phrase.len()));
                found.extend(places.map(|at| (at, *phrase, *replacement)));
            }
        }
        for (opener, replacement) in OPENERS.iter().filter(|_| !self.is_heading) {
            let places = self.text.match_indices(opener).map(|(at, _)| at);
            let places = places.filter(|at| {
                let before = self.text[..*at].trim_end();
                let sentence = self.text[*at..].split_inclusive(['.', '?']).next();
                is_whole(&self.text, *at, opener.len())
                    && (before.is_empty() || before.ends_with(['.', '?']))
                    && !sentence.is_some_and(|sentence| sentence.ends_with('?'))
            });
            found.extend(places.map(|at| (at, *opener, *replacement)));
        }
        found.sort_unstable();
        found
    }

    /// Returns the number of the file line that contains the offset `at` of the paragraph's text.
    fn line(&self, at: usize) -> usize {
        let index = self.lines.partition_point(|(start, _)| *start <= at);
        self.lines[index - 1].1
    }

    /// Replaces each byte of inline code by a backtick.
    fn mask_code(&mut self) {
        let mut in_code = false;
        let mut masked = String::with_capacity(self.text.len());
        for c in self.text.chars() {
            in_code ^= c == '`';
            if in_code || c == '`' {
                masked.extend(std::iter::repeat_n('`', c.len_utf8()));
            } else {
                masked.push(c);
            }
        }
        self.text = masked;
    }
}

/// Returns whether a match begins and ends at word boundaries. Hyphens, underscores and slashes
/// count as parts of words, so phrases do not match inside file names and links.
fn is_whole(text: &str, at: usize, length: usize) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/');
    !text[..at].ends_with(is_part) && !text[at + length..].starts_with(is_part)
}

/// Returns the paragraphs of a Markdown page, or of the comments of a source file.
fn paragraphs(file: &Path, text: &str) -> Vec<Paragraph> {
    let extension = file.extension().and_then(|extension| extension.to_str());
    let comment = COMMENTS.iter().find(|(name, _)| Some(*name) == extension);
    if comment.is_none() && extension != Some("md") {
        return Vec::new();
    }
    let mut paragraphs: Vec<Paragraph> = Vec::new();
    let mut is_open = false;
    let mut in_block = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let prose = match comment {
            None => Some(line),
            Some((_, start)) => line
                .strip_prefix(start)
                .map(|rest| rest.trim_start_matches(['/', '!']).trim_start()),
        };
        let Some(prose) = prose else {
            is_open = false;
            in_block = false;
            continue;
        };
        let is_fence = prose.starts_with("```");
        in_block ^= is_fence;
        let is_directive = extension == Some("mlir") && is_directive(prose);
        if is_fence || in_block || is_directive || prose.is_empty() {
            is_open = false;
            continue;
        }
        let is_heading = prose.starts_with('#');
        let item = prose
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start_matches(['*', '-', '.', '#', '>'])
            .strip_prefix(' ');
        let begins = item.is_some() || is_heading || prose.starts_with('|');
        if !is_open || begins {
            paragraphs.push(Paragraph {
                text: String::new(),
                lines: Vec::new(),
                is_heading,
            });
        }
        is_open = !is_heading;
        if let Some(paragraph) = paragraphs.last_mut() {
            paragraph.lines.push((paragraph.text.len(), number));
            paragraph.text.push_str(item.unwrap_or(prose));
            paragraph.text.push(' ');
        }
    }
    for paragraph in &mut paragraphs {
        paragraph.mask_code();
    }
    paragraphs
}

/// Returns whether a comment line of a lit test is a directive, such as `CHECK-NEXT:`, or an expected
/// diagnostic.
fn is_directive(prose: &str) -> bool {
    let head = prose.split([':', '(']).next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    prose.starts_with("expected-")
        || prose.len() > head.len() && head.len() > 1 && head.chars().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(file: &str, text: &str) -> Vec<(usize, &'static str)> {
        paragraphs(Path::new(file), text)
            .iter()
            .flat_map(|paragraph| {
                let phrases = paragraph.phrases().into_iter();
                phrases.map(|(at, phrase, _)| (paragraph.line(at), phrase))
            })
            .collect()
    }

    #[test]
    fn phrases_match_as_whole_words_of_prose() {
        let page = "Under way. Vastly `vast` un`mend`ed\n\n* one in\n  turns, [x](a-slip/slip-b.md)\n\
                    ```\nmend\n```\n| vast |\n";
        assert_eq!(
            found("x.md", page),
            [(1, "under way"), (3, "in turns"), (8, "vast")]
        );
        let code =
            "let vast = 1; // vast\n    /// No mend,\n    /// as it\n    /// came.\nalike();\n";
        assert_eq!(found("x.rs", code), [(2, "mend"), (3, "as it came")]);
        let test =
            "// RUN: vast\n// CHECK-NEXT(A): vast\n// expected-error @below {{vast}}\n// Vast.\n";
        assert_eq!(found("x.mlir", test), [(4, "vast")]);
        assert_eq!(found("x.py", "# vast\nvast\n"), [(1, "vast")]);
        assert_eq!(found("x.json", "vast"), []);
    }

    #[test]
    fn statements_begin_with_their_subject() {
        let page =
            "# What it is\n\nWhat is it? What it\nis. One of\nWhat. So that. **What**\n\n* Of a\n";
        assert_eq!(
            found("x.md", page),
            [(3, "What"), (5, "So that"), (7, "Of")]
        );
    }

    #[test]
    fn doc_comments_of_functions_are_sentences() {
        let code = "/// Returns `a`:\n///\n/// * b\n#[test]\npub fn a() {}\n/// number\nconst B: u8;\n\
                    /// returns it\nfn c() {}\n";
        let wrong = doc_comments(Path::new("x.rs"), code);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(
            wrong.iter().all(|each| each.starts_with("x.rs:8:")),
            "{wrong:?}"
        );
    }
}
