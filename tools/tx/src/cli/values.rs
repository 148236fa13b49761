//! Parsers of option values.

use std::ffi::OsStr;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Arg;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use tx_runtime::MAX_GRID;

/// Parser that accepts any text. The field is the function that returns the known words, which
/// shell completions offer. If a word is unknown, the command prints an error with a list of the
/// known words.
#[derive(Clone)]
pub(super) struct KnownWords(pub(super) fn() -> Vec<&'static str>);

/// Returns the names of the known chips.
pub(super) fn chips() -> Vec<&'static str> {
    tx_target::CHIPS.map(|chip| chip.name).into()
}

/// Returns names of devices.
pub(super) fn devices() -> Vec<&'static str> {
    vec!["auto", "cpu", "cuda", "cuda:0", "cuda:1"]
}

/// Returns the levels of log messages.
pub(super) fn levels() -> Vec<&'static str> {
    vec!["error", "warn", "info", "debug", "trace"]
}

impl TypedValueParser for KnownWords {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0().into_iter().map(PossibleValue::new)))
    }
}

/// Returns a parser of integers in a range. The error message of the parser contains the range.
pub(super) fn number<T>(range: RangeInclusive<T>) -> impl TypedValueParser<Value = T>
where
    T: Clone + Display + FromStr + PartialOrd + Send + Sync + 'static,
{
    StringValueParser::new().try_map(move |text| {
        let found = text.parse().ok();
        found
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                format!(
                    "expected a whole number from {} to {}",
                    range.start(),
                    range.end()
                )
            })
    })
}

/// Output file for the array argument with index `I`, in the form `I=FILE.npy`.
#[derive(Clone, Debug)]
pub(crate) struct OutputFile {
    pub(crate) index: usize,
    pub(crate) path: PathBuf,
}

impl FromStr for OutputFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            || "expected the index of an argument and a file, as in `1=sums.npy`".to_owned();
        let (index, path) = text.split_once('=').ok_or_else(expected)?;
        if path.is_empty() {
            return Err(expected());
        }
        Ok(Self {
            index: index.parse().map_err(|_| expected())?,
            path: path.into(),
        })
    }
}

/// Grid size in blocks, in the form `X`, `X,Y` or `X,Y,Z`. An omitted size is 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid(pub(crate) [u32; 3]);

impl FromStr for Grid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = |what: &str| format!("expected {what}, as in `16,4,1`");
        let mut grid = [1; 3];
        let sizes: Vec<&str> = text.split(',').collect();
        if sizes.len() > grid.len() {
            return Err(expected("one to three numbers from 1 on"));
        }
        for (i, (size, text)) in grid.iter_mut().zip(sizes).enumerate() {
            let (axis, most) = (["x", "y", "z"][i], MAX_GRID[i]);
            // The launch rejects numbers that are too large.
            *size = text
                .trim()
                .parse()
                .ok()
                .filter(|size| *size > 0)
                .ok_or_else(|| {
                    expected(&format!("a whole number from 1 to {most} along {axis}"))
                })?;
        }
        Ok(Self(grid))
    }
}
