//! Compressed data of the page. A script in the page renders the IR of each compilation stage, and
//! the PTX, from the compressed data.
//!
//! Most IR lines occur in several stages, and the HTML of a coloured line is far larger than the
//! text of the line. The page therefore stores each distinct line once, and stores each stage as a
//! list of line numbers. The script renders the table of a stage when the user opens the stage. The
//! format of the data is base64 of deflated JSON, decoded by [`page.js`](../page.js).

use std::collections::BTreeMap;
use std::io::Write as _;

use serde::Serialize;

use crate::diff::{Row, fold};
use crate::highlight::Token;
use crate::html::visible;

#[derive(Debug, Default, Serialize)]
pub(crate) struct Pack {
    /// Distinct lines.
    lines: Vec<String>,
    /// For each line, the index of its style in `styles`.
    style: Vec<usize>,
    /// Token lengths and token classes of each style, as in `2p3v1p`. Lengths are in UTF-16 code
    /// units, as in JavaScript.
    styles: Vec<String>,
    /// Map from the index of each truncated line to the number of truncated characters.
    cut: BTreeMap<usize, usize>,
    /// Stages; `None` for a stage that does not change the module.
    stages: Vec<Option<Stage>>,
    ptx: Option<Ptx>,
    /// HTML of the collapsed boxes whose content is not a stage.
    parts: Vec<String>,
    #[serde(skip)]
    known: BTreeMap<(String, usize, usize), usize>,
    #[serde(skip)]
    known_styles: BTreeMap<String, usize>,
}

#[derive(Debug, Serialize)]
struct Stage {
    /// Indices of the lines of the stage in run-length form. Each run of consecutive indices is
    /// stored as the first index and the length of the run.
    lines: Vec<usize>,
    /// Encoded diff between the previous stage and this stage. In an encoded diff, `=3` keeps three
    /// lines, `-2` removes two lines, and `+1` adds one line. `~0-1|2-3,5-6` replaces tokens 0 to 1
    /// of the old line by tokens 2 to 3 and 5 to 6 of the new line.
    rows: String,
    /// Lengths of consecutive ranges of diff rows. The length of a range is positive if the page
    /// shows the rows, and negative if the page folds the rows.
    folds: Vec<isize>,
}

#[derive(Debug, Serialize)]
struct Ptx {
    lines: Vec<usize>,
    /// Source line number of each PTX line; 0 if unknown. The number is negative if the preceding
    /// PTX instruction has the same source line as the PTX line.
    from: Vec<isize>,
    /// Text of the source lines from which PTX lines originate.
    told: BTreeMap<usize, String>,
}

impl Pack {
    /// Returns the index of a line in the list `lines`, and adds the line if the list does not
    /// contain the line. `cut` is the number of characters by which the line was truncated.
    fn line(&mut self, tokens: &[Token<'_>], cut: usize) -> usize {
        let (mut text, mut style) = (String::new(), String::new());
        for token in tokens {
            let part = visible(token.text);
            let class = token.kind.class().unwrap_or("p");
            style.push_str(&format!("{}{class}", part.encode_utf16().count()));
            text.push_str(&part);
        }
        let (styles, lines) = (self.styles.len(), self.lines.len());
        let number = *self.known_styles.entry(style.clone()).or_insert(styles);
        if number == styles {
            self.styles.push(style);
        }
        let found = *self
            .known
            .entry((text.clone(), number, cut))
            .or_insert(lines);
        if found == lines {
            self.lines.push(text);
            self.style.push(number);
            if cut > 0 {
                self.cut.insert(found, cut);
            }
        }
        found
    }

    /// Returns line indices in run-length form: the first index and the length of each run of
    /// consecutive indices.
    fn lines<'t>(
        &mut self,
        lines: impl IntoIterator<Item = (Vec<Token<'t>>, usize)>,
    ) -> Vec<usize> {
        let mut runs: Vec<usize> = Vec::new();
        for (tokens, cut) in lines {
            let number = self.line(&tokens, cut);
            match &mut runs[..] {
                [.., first, count] if *first + *count == number => *count += 1,
                _ => runs.extend([number, 1]),
            }
        }
        runs
    }

    /// Appends a stage and its diff; appends `None` if the stage does not change the module.
    pub(crate) fn stage<'t>(
        &mut self,
        lines: Option<impl IntoIterator<Item = (Vec<Token<'t>>, usize)>>,
        rows: &[Row],
    ) {
        let stage = lines.map(|lines| Stage {
            lines: self.lines(lines),
            rows: operations(rows),
            folds: fold(rows)
                .into_iter()
                .map(|piece| match piece.is_folded {
                    true => -piece.rows.len().cast_signed(),
                    false => piece.rows.len().cast_signed(),
                })
                .collect(),
        });
        self.stages.push(stage);
    }

    /// Stores the PTX lines, the number of the source line of each PTX line, and the text of these
    /// source lines.
    pub(crate) fn ptx<'t>(
        &mut self,
        lines: impl IntoIterator<Item = (Vec<Token<'t>>, usize)>,
        from: Vec<isize>,
        told: BTreeMap<usize, String>,
    ) {
        let lines = self.lines(lines);
        let told = told
            .into_iter()
            .map(|(n, text)| (n, visible(&text)))
            .collect();
        self.ptx = Some(Ptx { lines, from, told });
    }

    /// Stores the HTML of a collapsed box, and returns the index of the box.
    pub(crate) fn part(&mut self, html: String) -> usize {
        self.parts.push(html);
        self.parts.len() - 1
    }

    pub(crate) fn encode(&self) -> String {
        // Serialization of numbers, strings and lists to a vector cannot fail.
        let json = serde_json::to_vec(self).unwrap_or_default();
        let mut deflate =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
        let _ = deflate.write_all(&json);
        base64(&deflate.finish().unwrap_or_default())
    }
}

/// Encodes diff rows in the format of [`Stage::rows`].
fn operations(rows: &[Row]) -> String {
    let sign = |row: &Row| match row {
        Row::Same { .. } => '=',
        Row::Removed(_) => '-',
        Row::Added(_) => '+',
        Row::Changed { .. } => '~',
    };
    let mut all: Vec<String> = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        if let Row::Changed {
            old_marks,
            new_marks,
            ..
        } = &rows[at]
        {
            all.push(format!("~{}|{}", ranges(old_marks), ranges(new_marks)));
            at += 1;
            continue;
        }
        let first = sign(&rows[at]);
        let count = rows[at..]
            .iter()
            .take_while(|row| sign(row) == first)
            .count();
        all.push(format!("{first}{count}"));
        at += count;
    }
    all.join(" ")
}

fn ranges(marks: &[bool]) -> String {
    let mut all: Vec<String> = Vec::new();
    let mut at = 0;
    for run in marks.chunk_by(|a, b| a == b) {
        if run[0] {
            all.push(format!("{at}-{}", at + run.len()));
        }
        at += run.len();
    }
    all.join(",")
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let mut word = [0; 4];
        word[1..=chunk.len()].copy_from_slice(chunk);
        let word = u32::from_be_bytes(word);
        for digit in 0..4 {
            text.push(match digit <= chunk.len() {
                true => char::from(DIGITS[(word >> (18 - 6 * digit)) as usize & 63]),
                false => '=',
            });
        }
    }
    text
}

#[cfg(test)]
pub(crate) fn decode(text: &str) -> serde_json::Value {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    for chunk in text.trim_end_matches('=').as_bytes().chunks(4) {
        let word = chunk
            .iter()
            .fold(0, |word, c| word << 6 | u32::from(digit(*c)));
        let word = (word << (6 * (4 - chunk.len()) + 8)).to_be_bytes();
        bytes.extend(&word[..chunk.len() - 1]);
    }
    serde_json::from_reader(flate2::read::DeflateDecoder::new(&bytes[..])).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::rows;
    use crate::highlight::mlir;

    fn tokens(text: &str) -> Vec<(Vec<Token<'_>>, usize)> {
        text.lines().map(|line| (mlir(line), 0)).collect()
    }

    #[test]
    fn numbers_in_base_64() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("~~?\u{7f}", "fn4/fw=="),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn a_line_stands_there_once() {
        let mut pack = Pack::default();
        let (old, new) = ("%0 = a.a\na.b %0\na.c", "%0 = a.a\na.x\na.b %0\na.d\na.c");
        pack.stage(Some(tokens(old)), &[]);
        let split = |text: &'static str| text.lines().collect::<Vec<_>>();
        pack.stage(Some(tokens(new)), &rows(&split(old), &split(new)));
        pack.stage(None::<Vec<(Vec<Token<'_>>, usize)>>, &[]);
        let found = decode(&pack.encode());
        assert_eq!(
            found["lines"],
            serde_json::json!(["%0 = a.a", "a.b %0", "a.c", "a.x", "a.d"])
        );
        assert_eq!(found["styles"][0], "2v1p1p1p3o");
        assert_eq!(found["stages"][0]["lines"], serde_json::json!([0, 3]));
        assert_eq!(
            found["stages"][1],
            serde_json::json!({"lines": [0, 1, 3, 1, 1, 1, 4, 1, 2, 1], "rows": "=1 +1 =1 +1 \
                                =1", "folds": [1, 1, 1, 1, 1]})
        );
        assert_eq!(found["stages"][2], serde_json::Value::Null);
    }

    #[test]
    fn what_changed_of_a_line_is_told_by_tokens() {
        let (old, new) = (["a.a %0 : f32", "a.b"], ["a.a %1 : f32", "a.b"]);
        assert_eq!(operations(&rows(&old, &new)), "~2-3|2-3 =1");
        assert_eq!(ranges(&[true, true, false, true]), "0-2,3-4");
    }
}
