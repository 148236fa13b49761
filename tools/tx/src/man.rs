//! `tx man`: manual pages, made of the same definition as `--help`.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Command, CommandFactory};

use crate::cli::{Cli, Man};
use crate::failure::Failure;
use crate::name;

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
    // Without a date, so that a version has one text.
    clap_mangen::Man::new(command.clone().override_usage(usage))
        .source(format!("{} {}", name::get(), env!("CARGO_PKG_VERSION")))
        .manual(name::get())
}
