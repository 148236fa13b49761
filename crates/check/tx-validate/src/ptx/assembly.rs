//! Operations in inline assembly.

use tx_ptx::{Facts, Module};

/// Returns the PTX operations in the text of an `llvm.inline_asm` op. `operands` contains one entry
/// for each result, and then one entry for each input: the value of a constant operand, or `None`.
pub(super) fn facts(
    assembly: &str,
    operands: &[Option<u32>],
) -> Result<tx_ptx::KernelFacts, String> {
    let text = format!(
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry assembly() {{\n{}\n}}\n",
        expand(assembly, operands)
    );
    let wrong = |error: &dyn std::fmt::Display| {
        format!(
            "cannot parse the inline assembly `{}`: {error}",
            assembly.trim()
        )
    };
    let module = Module::parse(&text).map_err(|error| wrong(&error))?;
    let facts = Facts::of(&module).map_err(|error| wrong(&error))?;
    Ok(facts.kernels.into_values().next().unwrap_or_default())
}

/// Replaces `$0` and `${1:r}` by the constant operand or by a fresh register name.
fn expand(assembly: &str, operands: &[Option<u32>]) -> String {
    let operand = |number: usize| match operands.get(number) {
        Some(Some(constant)) => constant.to_string(),
        _ => format!("%operand{number}"),
    };
    let mut text = String::new();
    let mut rest = assembly;
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        rest = after;
        if let Some(after) = rest.strip_prefix('$') {
            text.push('$');
            rest = after;
        } else if let Some((inner, after)) = rest.strip_prefix('{').and_then(|r| r.split_once('}'))
        {
            let name = inner.split(':').next().unwrap_or(inner);
            // `${:uid}` creates unique labels. The label is unique here without a suffix.
            text.push_str(&name.parse().map_or("0".to_owned(), operand));
            rest = after;
        } else {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, after) = rest.split_at(digits);
            match number.parse() {
                Ok(number) => text.push_str(&operand(number)),
                // PTX has no alternatives for several assembly dialects.
                Err(_) => text.push('$'),
            }
            rest = after;
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::{expand, facts};

    /// Checks that constants or registers replace operands in all notations, such as `$0` and
    /// `${1:r}`.
    #[test]
    fn operands_are_filled_in() {
        let text = expand("a $0, ${1:r}, $$2; L${:uid}:", &[None, Some(7)]);
        assert_eq!(text, "a %operand0, 7, $2; L0:");
    }

    /// Checks that the parser finds a barrier in inline assembly.
    #[test]
    fn assembly_is_read() {
        let found = facts("@$2 bar.sync $0, $1;", &[Some(1), Some(64), None]).unwrap();
        let all: Vec<String> = found.iter().map(|(fact, _)| fact.to_string()).collect();
        assert_eq!(all, ["`bar.sync 1, 64`"]);
        assert!(facts("what is this", &[]).is_err());
    }
}
