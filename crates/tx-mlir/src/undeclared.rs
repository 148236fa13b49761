//! Values that a program uses and does not define: MLIR's parser says that there is one, and not which.

use crate::reword::nearest;
use crate::source::Place;

/// What MLIR says.
pub(crate) const SAID: &str = "use of undeclared SSA value name";

/// The same with the name of the value, and what is known of it.
pub(crate) fn reword(place: &Place) -> Option<String> {
    let (text, at) = (place.text(), place.offset());
    let found = name_at(text.get(at..)?)?;
    let around = function_around(text, at);
    let known = definitions(&text[around.clone()]);
    let said = format!("use of undeclared SSA value name `{found}`");
    // It may be one of several results.
    let (value, _) = found.split_once('#').unwrap_or((found, ""));
    let place = |known: &[Name<'_>]| {
        let defined = known
            .iter()
            .find(|name| name.is_certain && name.text == value);
        defined.map(|name| name.at)
    };
    if let Some(at) = place(&known) {
        let line = line_of(text, around.start + at);
        return Some(format!("{said}: what line {line} defines is not seen here"));
    }
    let others = known.iter().map(|name| name.text);
    if let Some(meant) = nearest(value, others.filter(|name| *name != value)) {
        return Some(format!("{said}; did you mean `{meant}`?"));
    }
    Some(match place(&definitions(text)) {
        Some(at) => {
            let line = line_of(text, at);
            format!("{said}: line {line} defines it, in another function")
        }
        None => said,
    })
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

/// `%` and what is the name of a value, with the number of a result.
fn name_at(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('%')?;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "_$.-#".contains(c);
    let end = rest.find(|c| !is_letter(c)).unwrap_or(rest.len());
    (end > 0).then(|| &text[..=end])
}

/// The text from the function around a place to the next one.
fn function_around(text: &str, at: usize) -> std::ops::Range<usize> {
    const FUNCTIONS: [&str; 3] = ["func.func ", "gpu.func ", "llvm.func "];
    let begin = FUNCTIONS.iter().filter_map(|op| text[..at].rfind(op)).max();
    let end = FUNCTIONS.iter().filter_map(|op| text[at..].find(op)).min();
    begin.unwrap_or(0)..end.map_or(text.len(), |end| at + end)
}

/// A name that is defined.
struct Name<'t> {
    at: usize,
    text: &'t str,
    /// An operand whose type is written looks like an argument that is written with a space.
    is_certain: bool,
}

/// The names that are defined: what an op begins with, before `=`, and what has a type behind it, as arguments do.
fn definitions(text: &str) -> Vec<Name<'_>> {
    let mut found = Vec::new();
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split_once("//").map_or(line, |(code, _)| code);
        for (at, _) in code.match_indices('%') {
            let Some(name) = name_at(&code[at..]).filter(|name| !name.contains('#')) else {
                continue;
            };
            let after = &code[at + name.len()..];
            let is_certain = after.starts_with(':') || is_result(after);
            if is_certain || after.trim_start().starts_with(':') {
                found.push(Name {
                    at: begin + at,
                    text: name,
                    is_certain,
                });
            }
        }
        begin += line.len();
    }
    found
}

/// Whether a result is named that this follows: `= arith.addf`, `:2 = ` or `, %y = `.
fn is_result(after: &str) -> bool {
    let Some(more) = after.trim_start().strip_prefix(',') else {
        return is_equals(after.trim_start());
    };
    let more = more.trim_start();
    name_at(more).is_some_and(|name| is_result(&more[name.len()..]))
}

fn is_equals(after: &str) -> bool {
    let digits = after.strip_prefix(':').unwrap_or(after);
    let after = digits
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    after.starts_with('=') && !after.starts_with("==")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
func.func @f(%first: f32, %other: index) {
  %sum = arith.addf %first, %first : f32
  %q, %r:2 = \"test.op\"(%sum) : (f32) -> (f32, f32, f32)
  scf.for %i = %other to %other step %other {
    %inner = arith.addf %sun, %firs : f32 // %sun = 1
  }
  use(%inner) use(%rr#1) use(%elsewhere) use(%zzz)
}
func.func @g(%elsewhere: f32) { return }
";

    fn of(line: usize, name: &str) -> String {
        let text = TEXT.lines().nth(line - 1).unwrap_or("");
        let column = text.find(name).unwrap_or(0) + 1;
        let place = Place::at(TEXT.to_owned(), line, column);
        place.and_then(|place| reword(&place)).unwrap_or_default()
    }

    /// A name is told with the one that may be meant, which is defined in the same function, or with where it is defined.
    #[test]
    fn names_are_told() {
        let said = |name: &str, rest: &str| format!("{SAID} `{name}`{rest}");
        for (line, name, rest) in [
            (5, "%sun", "; did you mean `%sum`?"),
            (5, "%firs", "; did you mean `%first`?"),
            (7, "%inner", ": what line 5 defines is not seen here"),
            (7, "%rr#1", "; did you mean `%r`?"),
            (7, "%elsewhere", ": line 9 defines it, in another function"),
            (7, "%zzz", ""),
        ] {
            assert_eq!(of(line, name), said(name, rest));
        }
        // What is no name.
        assert_eq!(of(1, "func"), "");
    }
}
