//! Parsing of the commands of RUN lines.

/// Commands of a RUN line, connected by pipes.
#[derive(Debug, PartialEq)]
pub(crate) struct Pipeline {
    pub(crate) commands: Vec<Vec<String>>,
    /// Set if the checked output also includes the standard error of the last program.
    pub(crate) both_streams: bool,
    pub(crate) negated: bool,
}

impl Pipeline {
    /// Parses a RUN line: `[not] TOOL ARGUMENT… [| [not] TOOL ARGUMENT…]… [2>&1]`. Arguments may be
    /// in single or double quotes.
    pub(crate) fn parse(text: &str, tools: &[&str]) -> Result<Self, String> {
        let mut words = words(text)?;
        let both_streams = words.last().is_some_and(|word| word == "2>&1");
        if both_streams {
            words.pop();
        }
        let mut negated = false;
        let mut commands = Vec::new();
        for command in words.split(|word| word == "|") {
            let mut command = command.to_vec();
            negated = command.first().is_some_and(|word| word == "not");
            if negated {
                command.remove(0);
            }
            match command.first() {
                Some(tool) if tools.contains(&tool.as_str()) => {}
                Some(other) => {
                    return Err(format!(
                        "`{other}` cannot be run here; known are {}",
                        tools.join(", ")
                    ));
                }
                None => return Err("a command is missing".to_owned()),
            }
            commands.push(command);
        }
        Ok(Self {
            commands,
            both_streams,
            negated,
        })
    }
}

/// Splits a text into words at white space outside of quotes.
pub(crate) fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote is not closed".to_owned());
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_lines_are_taken_apart() {
        let pipeline = Pipeline::parse("a '-x y' | not b \"\" 2>&1", &["a", "b"]).unwrap();
        assert_eq!(pipeline.commands, [["a", "-x y"], ["b", ""]]);
        assert!(pipeline.negated && pipeline.both_streams);
    }

    #[test]
    fn what_cannot_be_run_is_refused() {
        let refused = |text: &str| Pipeline::parse(text, &["a", "b"]).unwrap_err();
        assert_eq!(refused("rm x"), "`rm` cannot be run here; known are a, b");
        assert_eq!(refused("a |"), "a command is missing");
        assert_eq!(refused("not"), "a command is missing");
        assert_eq!(refused("a 'x"), "a quote is not closed");
    }
}
