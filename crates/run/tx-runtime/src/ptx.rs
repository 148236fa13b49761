//! Parses the kernel parameters in PTX. The runtime compares the parameters in the PTX with the
//! parameters in a launch plan.

use std::collections::BTreeMap;

/// Returns a map from the name of each kernel to the sizes of its parameters in bytes.
///
/// The driver can return the size of a parameter, but not the number of parameters. A query of a
/// parameter after the last parameter fails, and tools such as `compute-sanitizer` report the
/// failed driver call. The map omits a kernel whose parameters cannot be parsed, because the driver
/// reports invalid PTX.
pub(crate) fn parameters(ptx: &str) -> BTreeMap<String, Vec<usize>> {
    let mut kernels = BTreeMap::new();
    let mut tokens = Tokens(ptx);
    while let Some(token) = tokens.next() {
        if token != ".entry" {
            continue;
        }
        let Some(name) = tokens.next() else { break };
        if let Some(sizes) = parameter_list(&mut tokens) {
            kernels.insert(name.to_owned(), sizes);
        }
    }
    kernels
}

/// Parses `( .param .u64 a, .param .align 8 .b8 b[16] )`, or an absent parameter list.
fn parameter_list(tokens: &mut Tokens<'_>) -> Option<Vec<usize>> {
    if tokens.clone().next() != Some("(") {
        return Some(Vec::new());
    }
    tokens.next();
    let mut sizes = Vec::new();
    loop {
        let mut words = Vec::new();
        let end = loop {
            match tokens.next()? {
                end @ ("," | ")") => break end,
                word => words.push(word),
            }
        };
        if words.is_empty() && sizes.is_empty() && end == ")" {
            return Some(sizes);
        }
        sizes.push(parameter(&words)?);
        if end == ")" {
            return Some(sizes);
        }
    }
}

/// Returns the size of one parameter in bytes: the size of its type times its array length.
fn parameter(words: &[&str]) -> Option<usize> {
    let (&".param", rest) = words.split_first()? else {
        return None;
    };
    let element = rest.iter().find_map(|word| type_size(word))?;
    match rest.iter().position(|word| *word == "[") {
        None => Some(element),
        Some(bracket) => match rest[bracket + 1..] {
            [count, "]"] => count.parse::<usize>().ok()?.checked_mul(element),
            _ => None,
        },
    }
}

fn type_size(word: &str) -> Option<usize> {
    let kind = word.strip_prefix('.')?;
    match kind.strip_prefix(['u', 's', 'b', 'f'])? {
        "8" => Some(1),
        "16" => Some(2),
        "32" | "16x2" => Some(4),
        "64" => Some(8),
        "128" => Some(16),
        _ => None,
    }
}

/// Iterator over the words and punctuation of PTX, without comments and strings.
#[derive(Clone)]
struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            self.0 = self.0.trim_start();
            let first = self.0.chars().next()?;
            // An unterminated comment or string extends to the end of the text.
            let after =
                |text: &'a str, end: &str| text.split_once(end).map_or("", |(_, rest)| rest);
            if self.0.starts_with("//") {
                self.0 = after(self.0, "\n");
            } else if let Some(comment) = self.0.strip_prefix("/*") {
                self.0 = after(comment, "*/");
            } else if let Some(string) = self.0.strip_prefix('"') {
                self.0 = after(string, "\"");
            } else {
                let is_word = |c: char| c.is_ascii_alphanumeric() || "._$%".contains(c);
                let length = match self.0.find(|c| !is_word(c)) {
                    Some(0) => first.len_utf8(),
                    Some(length) => length,
                    None => self.0.len(),
                };
                let (token, rest) = self.0.split_at(length);
                self.0 = rest;
                return Some(token);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(ptx: &str) -> Vec<(String, Vec<usize>)> {
        parameters(ptx).into_iter().collect()
    }

    /// Checks the parameters of hand-written kernels, with pointers and scalars of every size.
    #[test]
    fn reads_kernels() {
        let kernels = parameters(include_str!("../tests/ptx/kernels.ptx"));
        assert_eq!(kernels["row_sums"], [[8; 12].as_slice(), &[4]].concat());
        assert_eq!(kernels["scalars"], [8, 8, 8, 8, 8, 1, 2, 4, 8]);
        assert_eq!(kernels["much_shared"], [8; 5]);
    }

    /// Checks that the parser reads the output of LLVM and nvcc, which contains directives, pointer
    /// qualifiers, alignments, arrays, comments, and strings that contain PTX.
    #[test]
    fn reads_what_compilers_write() {
        let ptx = r#"
            .version 8.3 // .entry comment(.param .u64 a)
            .file 1 "/a//b/.entry text(.param .u8 a)"
            /* .entry block(.param .u8 a) */
            .visible .func (.param .b32 r) helper(.param .b64 x);
            .visible .entry aligned(
                .param .u64 .ptr .global .align 16 aligned_param_0, // .param .u8 no
                .param .align 8 .b8 aligned_param_1[24],
                .param .f16 h, .param .b16 b, .param .f32 f, .param .s8 s, .param .b128 w
            )
            .maxntid 128, 1, 1
            .reqntid 128
            { .param .b32 call; ret; }
            .entry nothing() { ret; }
            .weak .entry bare { ret; }
        "#;
        let expected = [
            ("aligned", vec![8, 24, 2, 2, 4, 1, 16]),
            ("bare", vec![]),
            ("nothing", vec![]),
        ]
        .map(|(name, sizes)| (name.to_owned(), sizes));
        assert_eq!(sizes(ptx), expected);
    }

    #[test]
    fn leaves_out_what_it_does_not_know() {
        let ptx =
            ".entry a(.param .texref t) {} .entry b(.param .u64 x) {} .entry c(.param .b8 x[n])";
        assert_eq!(sizes(ptx), [("b".to_owned(), vec![8])]);
        for broken in [
            "",
            ".entry",
            ".entry a(",
            ".entry a(.param .u64 x",
            ".entry a(,)",
            ".entry a(.param .b8 x[99999999999999999999])",
            ".entry a(.param .b64 x[9999999999999999999])",
            "/* .entry a()",
            "\" .entry a()",
            ".entry a(.param é)",
        ] {
            assert_eq!(sizes(broken), [], "{broken}");
        }
    }
}
