//! Syntax of a `COUNT` line.

use super::operation::{FoundOperation, OperationKind, Space};

#[derive(Debug, PartialEq)]
pub(super) struct Counting {
    /// Name of the function, without `@`.
    pub(super) function: Option<String>,
    pub(super) claims: Vec<Claim>,
}

/// Expected number of operations, such as `shared loads <= 4`.
#[derive(Debug, PartialEq)]
pub(super) struct Claim {
    quantity: Quantity,
    comparison: Comparison,
    number: usize,
}

#[derive(Debug, PartialEq)]
enum Quantity {
    Simple(&'static str, OperationKind),
    Atomics(Option<Space>),
    Loads(Option<Space>, bool),
    Stores(Option<Space>, bool),
    /// Name of an MLIR op or PTX instruction.
    Named(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Equal,
    AtMost,
    AtLeast,
}

const SIMPLE: &[(&str, OperationKind)] = &[
    ("barriers", OperationKind::Barrier),
    ("warp barriers", OperationKind::WarpBarrier),
    ("cluster barriers", OperationKind::ClusterBarrier),
    ("shuffles", OperationKind::Shuffle),
    ("redux", OperationKind::Redux),
    ("votes", OperationKind::Vote),
    ("fences", OperationKind::Fence),
];

impl Counting {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (function, claims) = match text.strip_prefix('@') {
            None => (None, text),
            Some(rest) => {
                let (name, claims) = name(rest)?;
                (Some(name), claims)
            }
        };
        if claims.trim().is_empty() {
            return Err(
                "nothing is counted: write `@kernel barriers = 2, shuffles = 5`".to_owned(),
            );
        }
        let claims = claims
            .split(',')
            .map(Claim::parse)
            .collect::<Result<_, _>>()?;
        Ok(Self { function, claims })
    }
}

/// Splits the text after `@` into a symbol name, quoted or not, and the remaining text.
fn name(text: &str) -> Result<(String, &str), String> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (name, rest) = quoted
            .split_once('"')
            .ok_or("the name of the function has no closing quote")?;
        return Ok((name.to_owned(), rest));
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if name.is_empty() {
        return Err("expected the name of a function after `@`".to_owned());
    }
    Ok((name.to_owned(), rest))
}

impl Claim {
    fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let at = text
            .find(['=', '<', '>', '!'])
            .ok_or_else(|| format!("`{text}`: expected `=`, `<=` or `>=` and a number"))?;
        let (what, rest) = text.split_at(at);
        let signs = rest.find(|c| !"=<>!".contains(c)).unwrap_or(rest.len());
        let (sign, number) = rest.split_at(signs);
        let comparison = match sign {
            "=" => Comparison::Equal,
            "<=" => Comparison::AtMost,
            ">=" => Comparison::AtLeast,
            other => {
                return Err(format!(
                    "`{text}`: found `{other}`, expected `=`, `<=` or `>=`"
                ));
            }
        };
        let number = number
            .trim()
            .parse()
            .map_err(|_| format!("`{text}`: found `{}`, expected a number", number.trim()))?;
        Ok(Self {
            quantity: Quantity::parse(what)?,
            comparison,
            number,
        })
    }

    pub(super) fn what(&self) -> String {
        let accesses = |space: Option<Space>, vector: bool, what: &str| {
            let space = Space::NAMED.iter().find(|(_, each)| Some(*each) == space);
            let space = space.map_or(String::new(), |(name, _)| format!("{name} "));
            let vector = if vector { "vector " } else { "" };
            format!("{space}{vector}{what}")
        };
        match &self.quantity {
            Quantity::Simple(name, _) => (*name).to_owned(),
            Quantity::Atomics(space) => accesses(*space, false, "atomics"),
            Quantity::Loads(space, vector) => accesses(*space, *vector, "loads"),
            Quantity::Stores(space, vector) => accesses(*space, *vector, "stores"),
            Quantity::Named(name) => format!("`{name}`"),
        }
    }

    pub(super) fn expected(&self) -> String {
        match self.comparison {
            Comparison::Equal => self.number.to_string(),
            Comparison::AtMost => format!("at most {}", self.number),
            Comparison::AtLeast => format!("at least {}", self.number),
        }
    }

    pub(super) fn holds(&self, found: usize) -> bool {
        match self.comparison {
            Comparison::Equal => found == self.number,
            Comparison::AtMost => found <= self.number,
            Comparison::AtLeast => found >= self.number,
        }
    }

    pub(super) fn counts(&self, op: &FoundOperation) -> bool {
        let fits = |wanted: Option<Space>, space: Space| wanted.is_none_or(|each| each == space);
        match (&self.quantity, op.kind) {
            (Quantity::Named(name), _) => op.name == *name,
            (Quantity::Simple(_, wanted), kind) => kind == *wanted,
            (Quantity::Atomics(wanted), OperationKind::Atomic(space)) => fits(*wanted, space),
            (Quantity::Loads(wanted, vectors), OperationKind::Load { space, vector })
            | (Quantity::Stores(wanted, vectors), OperationKind::Store { space, vector }) => {
                fits(*wanted, space) && (vector || !vectors)
            }
            _ => false,
        }
    }

    /// Returns whether an op of kind `kind` may expand to an unknown number of operations that the
    /// `COUNT` line counts.
    pub(super) fn is_hidden_by(&self, kind: OperationKind) -> bool {
        match self.quantity {
            Quantity::Named(_) => false,
            Quantity::Simple(..) => kind == OperationKind::Hides,
            _ => matches!(kind, OperationKind::Hides | OperationKind::HidesAccesses),
        }
    }
}

impl Quantity {
    fn parse(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let joined = words.join(" ");
        if let Some((name, kind)) = SIMPLE.iter().find(|(name, _)| *name == joined) {
            return Ok(Self::Simple(name, *kind));
        }
        if let [name] = words[..]
            && name.contains('.')
        {
            return Ok(Self::Named(name.to_owned()));
        }
        let known = || {
            let names: Vec<&str> = SIMPLE.iter().map(|(name, _)| *name).collect();
            let spaces: Vec<&str> = Space::NAMED.iter().map(|(name, _)| *name).collect();
            format!(
                "`{joined}` cannot be counted; known are {}, atomics, loads, stores (each with \
                 one of {} before it), \
                 vector loads, vector stores, and the names of ops such as `gpu.shuffle`",
                names.join(", "),
                spaces.join(", ")
            )
        };
        let (last, before) = words.split_last().ok_or_else(known)?;
        let (mut space, mut vector) = (None, false);
        for word in before {
            match Space::NAMED.iter().find(|(name, _)| name == word) {
                Some((_, named)) if space.is_none() => space = Some(*named),
                None if *word == "vector" && !vector => vector = true,
                _ => return Err(known()),
            }
        }
        match *last {
            "atomics" if !vector => Ok(Self::Atomics(space)),
            "loads" => Ok(Self::Loads(space, vector)),
            "stores" => Ok(Self::Stores(space, vector)),
            _ => Err(known()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let counting =
            Counting::parse("@rows warp  barriers=2, shared vector loads <= 4, gpu.shuffle >= 1")
                .unwrap();
        assert_eq!(counting.function.as_deref(), Some("rows"));
        let told: Vec<String> = counting
            .claims
            .iter()
            .map(|claim| format!("{}: {}", claim.what(), claim.expected()))
            .collect();
        assert_eq!(
            told,
            [
                "warp barriers: 2",
                "shared vector loads: at most 4",
                "`gpu.shuffle`: at least 1"
            ]
        );
        let quoted = Counting::parse("@\"a b\" votes = 0").unwrap();
        assert_eq!(quoted.function.as_deref(), Some("a b"));
        assert_eq!(Counting::parse("fences = 1").unwrap().function, None);
    }

    #[test]
    fn other_lines_are_refused() {
        let refused = |text: &str, reason: &str| {
            let error = Counting::parse(text).unwrap_err();
            assert!(
                error.contains(reason),
                "{text}: expected `{reason}`, got `{error}`"
            );
        };
        refused("", "nothing is counted");
        refused("@f", "nothing is counted");
        refused("@ barriers = 1", "the name of a function");
        refused("@\"f barriers = 1", "no closing quote");
        refused("@f barriers", "`barriers`: expected `=`, `<=` or `>=`");
        refused("@f barriers == 1", "found `==`, expected `=`");
        refused("@f barriers < 1", "found `<`");
        refused("@f barriers != 1", "found `!=`");
        refused("@f barriers = few", "found `few`, expected a number");
        refused("@f barriers = -1", "found `-1`, expected a number");
        refused("@f barriers = 1,", "``: expected `=`");
        refused(
            "@f barrier = 1",
            "`barrier` cannot be counted; known are barriers, warp barriers",
        );
        refused(
            "@f shared barriers = 1",
            "`shared barriers` cannot be counted",
        );
        refused("@f shared global loads = 1", "cannot be counted");
        refused("@f vector atomics = 1", "cannot be counted");
        refused("@f = 1", "`` cannot be counted");
    }
}
