//! `tx man`: manual pages, made of the same definition as `--help`.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};

use crate::cli::{Cli, Man};
use crate::failure::Failure;
use crate::name;

/// The day of this version, that of its heading in CHANGELOG.md once it has one: a version has one
/// text, whenever it is built.
const DATE: &str = "2026-11-26";

/// Runs `tx man`.
pub(crate) fn run(options: &Man) -> Result<(), Failure> {
    let mut command = name::of(Cli::command()).disable_help_subcommand(true);
    // Hands options that all commands have on to each.
    command.build();
    match &options.dir {
        Some(folder) => fs::create_dir_all(folder)
            .and_then(|()| write(&command, folder))
            .map_err(|error| Failure::file(folder, &error)),
        None => {
            let mut text = Vec::new();
            page(&command)
                .render(&mut text)
                .map_err(|error| Failure::stdout(&error))?;
            crate::print(&text)
        }
    }
}

/// Writes the page of a command, and those of its own commands.
fn write(command: &Command, folder: &Path) -> io::Result<()> {
    let page = page(command);
    let mut text = Vec::new();
    page.render(&mut text)?;
    fs::write(folder.join(page.get_filename()), text)?;
    command
        .get_subcommands()
        .filter(|inner| !inner.is_hide_set())
        .try_for_each(|inner| write(inner, folder))
}

fn page(command: &Command) -> clap_mangen::Man {
    // As `--help` has it: names of options without their values say little.
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    // An empty date is left out, and what comes after it taken for one.
    clap_mangen::Man::new(command.clone().override_usage(usage))
        .date(DATE)
        .source(format!("{} {}", name::get(), env!("CARGO_PKG_VERSION")))
        .manual(name::get())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Title, section, date, source and manual, each at its place.
    #[test]
    fn a_title_has_a_date() {
        let mut title = Vec::new();
        let rendered = page(&Cli::command()).render_title(&mut title);
        rendered.expect("writing to a vector");
        let version = env!("CARGO_PKG_VERSION");
        let name = name::get();
        let expected = format!(".TH tx 1 {DATE} \"{name} {version}\" {name}");
        let text = String::from_utf8(title).expect("text");
        assert!(text.lines().any(|line| line == expected), "{text}");
        let parts: Vec<&str> = DATE.split('-').collect();
        let digits: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        assert_eq!(digits, [4, 2, 2], "mandoc reads YYYY-MM-DD");
        assert!(parts.iter().all(|part| part.parse::<u32>().is_ok()));
    }

    /// Who releases a version gives it its day here too.
    #[test]
    fn the_date_is_that_of_the_release() {
        let changelog = concat!(env!("CARGO_MANIFEST_DIR"), "/../../CHANGELOG.md");
        let changelog = fs::read_to_string(changelog).expect("CHANGELOG.md");
        let heading = format!("## [{}] - ", env!("CARGO_PKG_VERSION"));
        let released = changelog
            .lines()
            .find_map(|line| line.strip_prefix(&heading));
        assert_eq!(released.unwrap_or(DATE), DATE, "the date in {}", file!());
    }
}
