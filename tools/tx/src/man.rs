//! Command `tx man`, which generates manual pages from the definition of `--help`.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};

use crate::cli::{Cli, Man};
use crate::failure::Failure;
use crate::name;

/// Release date of this version of `tx`, as in CHANGELOG.md. A fixed date makes the pages
/// reproducible.
const DATE: &str = "2026-11-26";

pub(crate) fn run(options: &Man) -> Result<(), Failure> {
    let mut command = name::of(Cli::command()).disable_help_subcommand(true);
    // `build` copies global options to all commands.
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
            crate::stdout::print(&text)
        }
    }
}

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
    // The manual page contains the usage line of `--help`, because this line shows the arguments of
    // options.
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    // Without a date, a manual page viewer would read the next header field as the date.
    clap_mangen::Man::new(command.clone().override_usage(usage))
        .date(DATE)
        .source(format!("{} {}", name::get(), env!("CARGO_PKG_VERSION")))
        .manual(name::get())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the header of a manual page: title, section, date, source and manual, in this order.
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

    /// Checks that the date of a release is equal to the date in its heading in CHANGELOG.md.
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
