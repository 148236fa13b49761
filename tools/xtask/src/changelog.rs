//! Checks of the format of CHANGELOG.md, and checks of a release.

/// Section titles within a version, as defined by Keep a Changelog.
const KINDS: &[&str] = &[
    "Added",
    "Changed",
    "Deprecated",
    "Removed",
    "Fixed",
    "Security",
];

/// Returns the format errors of a changelog. `version` is the version of the workspace.
pub(crate) fn check(text: &str, version: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut sections: Vec<(usize, &str)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let place = format!("CHANGELOG.md:{}", number + 1);
        if let Some(title) = line.strip_prefix("## ") {
            sections.push((number + 1, title));
        } else if let Some(kind) = line.strip_prefix("### ")
            && !KINDS.contains(&kind.trim())
        {
            wrong.push(format!(
                "{place}: found `{}`, expected one of {}",
                kind.trim(),
                KINDS.join(", ")
            ));
        }
    }
    if sections.first().map(|(_, title)| *title) != Some("[Unreleased]") {
        wrong.push(
            "CHANGELOG.md: the first section must be `## [Unreleased]`, for what comes next"
                .to_owned(),
        );
    }
    let mut newer: Option<[u64; 3]> = None;
    for (line, title) in sections
        .iter()
        .filter(|(_, title)| *title != "[Unreleased]")
    {
        let Some(release) = release(title) else {
            wrong.push(format!(
                "CHANGELOG.md:{line}: found `{title}`, expected a release as in `[1.2.3] - 2031-02-28`"
            ));
            continue;
        };
        if newer.is_some_and(|newer| newer <= release) {
            wrong.push(format!(
                "CHANGELOG.md:{line}: `{title}` stands below an older release"
            ));
        }
        newer = Some(release);
        if numbers(version).is_some_and(|version| version < release) {
            wrong.push(format!(
                "CHANGELOG.md:{line}: `{title}` is released, and the workspace's version is {version}"
            ));
        }
    }
    wrong
}

/// Returns the reason why a git tag does not denote a release of `version`; `None` for a valid tag.
pub(crate) fn refuse_tag(text: &str, version: &str, tag: &str) -> Option<String> {
    if tag.strip_prefix('v') != Some(version) {
        return Some(format!(
            "the tag is `{tag}`, and the workspace's version is {version}: expected `v{version}`"
        ));
    }
    let has_section = text
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .any(|title| release(title).is_some() && title.starts_with(&format!("[{version}]")));
    (!has_section).then(|| {
        format!(
            "CHANGELOG.md has no section `## [{version}] - DATE`: give what stands under \
             `[Unreleased]` this title, and begin a new one above it"
        )
    })
}

/// Returns the version number in a title such as `[1.2.3] - 2031-02-28`.
fn release(title: &str) -> Option<[u64; 3]> {
    let (version, date) = title.strip_prefix('[')?.split_once("] - ")?;
    let is_date = date.len() == 10
        && date.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_date.then(|| numbers(version))?
}

fn numbers(version: &str) -> Option<[u64; 3]> {
    let numbers: Vec<u64> = version
        .split('.')
        .map(|number| number.parse().ok())
        .collect::<Option<_>>()?;
    numbers.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
# Changelog
## [Unreleased]
### Added
- A thing.
## [0.2.0] - 2031-02-28
### Fixed
## [0.1.10] - 2031-01-01
";

    #[test]
    fn changelogs_have_their_form() {
        assert_eq!(check(GOOD, "0.2.0"), [""; 0]);
        let cases = [
            (GOOD.replace("[Unreleased]", "Next"), "must be `## [Unrel"),
            (GOOD.replace("Fixed", "Mended"), "found `Mended`"),
            (GOOD.replace("2031-01-01", "soon"), "CHANGELOG.md:7: found"),
            (GOOD.replace("0.1.10", "0.3.0"), "below an older release"),
            (GOOD.replace("0.2.0", "0.2.1"), "version is 0.2.0"),
        ];
        for (text, expected) in cases {
            let wrong = check(&text, "0.2.0");
            assert!(
                wrong.iter().any(|each| each.contains(expected)),
                "{expected}: {wrong:?}"
            );
        }
    }

    #[test]
    fn tags_are_of_this_version_and_in_the_changelog() {
        assert_eq!(refuse_tag(GOOD, "0.2.0", "v0.2.0"), None);
        assert!(refuse_tag(GOOD, "0.2.0", "0.2.0").is_some());
        assert!(refuse_tag(GOOD, "0.3.0", "v0.3.0").is_some_and(|why| why.contains("no section")));
    }
}
