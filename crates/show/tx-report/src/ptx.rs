//! PTX, with the source line of each instruction.

/// Line of PTX.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Text.
    pub text: String,
    /// Source line of an instruction, counted from 1.
    pub source: Option<usize>,
}

fn is_debug(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(".loc")
        || line.starts_with(".file")
        || [
            "$L__tmp",
            "$L__func_begin",
            "$L__func_end",
            "$L__info_string",
        ]
        .iter()
        .any(|label| line.starts_with(label) && line.ends_with(':'))
}

/// Removes debug information from PTX, and returns the remaining lines, each with its source line.
/// The source line of an instruction is in the `.loc` directive that applies to the instruction.
/// Locations in files other than `file` are dropped.
pub fn lines(ptx: &str, file: &str) -> Vec<Line> {
    let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    // The `.file` directives are at the end of the PTX.
    let known: Vec<&str> = ptx
        .lines()
        .filter_map(|line| {
            let (number, name) = line
                .trim()
                .strip_prefix(".file")?
                .trim()
                .split_once(|c: char| c.is_whitespace())?;
            let name = name.trim().strip_prefix('"')?.split('"').next()?;
            (base(name) == base(file)).then_some(number)
        })
        .collect();
    let mut found: Vec<Line> = Vec::new();
    let mut source = None;
    let mut section = None;
    for line in ptx.lines() {
        let trimmed = line.trim();
        // Sections with debug information are enclosed in braces.
        if section.is_none() && trimmed.starts_with(".section") {
            section = Some(trimmed.contains('{'));
            continue;
        }
        if let Some(opened) = section {
            let opened = opened || trimmed.contains('{');
            section = (!(opened && trimmed.ends_with('}'))).then_some(opened);
            continue;
        }
        if let Some(location) = trimmed.strip_prefix(".loc") {
            let mut words = location
                .split(|c: char| c.is_whitespace() || c == ',')
                .filter(|w| !w.is_empty());
            let (number, line) = (words.next(), words.next());
            source = line
                .and_then(|line| line.parse().ok())
                .filter(|line| *line > 0 && number.is_some_and(|n| known.contains(&n)));
            continue;
        }
        if is_debug(line) {
            continue;
        }
        // A `.loc` directive does not apply beyond the end of its function.
        if trimmed.contains(".entry") || trimmed.contains(".func") {
            source = None;
        }
        // `debug` is a target option for debug information.
        let text = match line.strip_suffix(", debug") {
            Some(target) if trimmed.starts_with(".target") => target,
            _ => line,
        };
        let is_instruction = trimmed.ends_with(';') && !trimmed.starts_with('.');
        found.push(Line {
            text: text.to_owned(),
            source: source.filter(|_| is_instruction),
        });
    }
    while found.last().is_some_and(|line| line.text.trim().is_empty()) {
        found.pop();
    }
    found
}

/// Returns the instructions and declarations of PTX, without debug information, comments and blank
/// lines.
pub fn bare(ptx: &str) -> Vec<String> {
    lines(ptx, "")
        .into_iter()
        .map(|line| {
            line.text
                .split("//")
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned()
        })
        .filter(|line| !line.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.version 7.0
.target sm_80, debug
.visible .entry rows(
\t.param .u64 rows_param_0
)
{
\t.reg .b32 \t%r<3>;
\t.loc\t1 4 3
$L__func_begin0:
// %bb.0:
\t.loc\t1 7 5 prologue_end // rows.mlir:7:5
\tmov.u32 \t%r1, %tid.x;
\t.pragma \"nounroll\";
\tadd.s32 \t%r2, %r1, 1;
$L__tmp0:
\t.loc\t2 1 1
\tbar.sync 0;
\tret;
$L__func_end0:
}
\t.file\t1 \"/some/where/rows.mlir\"
\t.file\t2 \"other.mlir\"
\t.section\t.debug_abbrev
\t{
.b8 1
\t}
";

    #[test]
    fn instructions_know_their_line_and_debug_information_is_gone() {
        let lines = lines(PTX, "folder/rows.mlir");
        let of = |text: &str| {
            lines
                .iter()
                .find(|l| l.text.contains(text))
                .map(|l| l.source)
        };
        assert_eq!(of("mov.u32"), Some(Some(7)));
        assert_eq!(of("add.s32"), Some(Some(7)));
        assert_eq!(of("bar.sync"), Some(None), "a line of another file");
        assert_eq!(of(".reg"), Some(None));
        assert_eq!(lines[1].text, ".target sm_80");
        for gone in [
            ".loc",
            ".file",
            ".section",
            ".b8",
            "$L__tmp0",
            "$L__func_end0",
        ] {
            assert_eq!(of(gone), None, "{gone}");
        }
        assert_eq!(lines.last().map(|l| l.text.as_str()), Some("}"));
    }

    #[test]
    fn without_locations_it_stays_as_it_is() {
        let plain = ".version 7.0\n.visible .entry k()\n{\n$L__BB0_1:\n\tret;\n}";
        let texts: Vec<String> = lines(plain, "k.mlir").into_iter().map(|l| l.text).collect();
        assert_eq!(texts.join("\n"), plain);
        assert_eq!(
            bare(plain),
            [
                ".version 7.0",
                ".visible .entry k()",
                "{",
                "$L__BB0_1:",
                "ret;",
                "}"
            ]
        );
        assert_eq!(lines("", ""), []);
    }
}
