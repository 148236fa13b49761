//! `tx man`: manual pages, made of the same definition as `--help`.

use std::fs;

use clap::CommandFactory;

use crate::cli::{Cli, Man};
use crate::failure::Failure;

/// Runs `tx man`.
pub(crate) fn run(options: &Man) -> Result<(), Failure> {
    let Some(folder) = &options.dir else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command())
            .render(&mut page)
            .map_err(|error| Failure::stdout(&error))?;
        return crate::print(&page);
    };
    fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .map_err(|error| Failure::file(folder, &error))
}
