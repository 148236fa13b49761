//! Insertion of passes into `lower-reduction`.

use crate::error::{Error, ErrorKind};
use crate::pipeline::{split_passes, stage_name};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Insertion {
    side: Side,
    anchor: String,
    pass: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Insertions(Vec<Insertion>);

impl Insertions {
    /// Inserts passes before or after the pass `anchor` of a pipeline. The argument `passes` is the
    /// text of a pipeline, such as `canonicalize,cse`.
    pub(crate) fn insert(
        &mut self,
        side: Side,
        anchor: &str,
        passes: &str,
        pipeline: &[String],
    ) -> Result<(), Error> {
        let refuse = |message: String| Err(Error::plain(ErrorKind::Pipeline, message));
        let known: Vec<&str> = pipeline.iter().map(|pass| stage_name(pass)).collect();
        if !known.contains(&anchor) {
            return refuse(format!(
                "`lower-reduction` has no pass `{anchor}`; its passes: {}",
                known.join(", ")
            ));
        }
        if passes.trim().is_empty() {
            return refuse(format!(
                "no pass was given to insert before or after `{anchor}`"
            ));
        }
        if let Err(reason) = tx_mlir::check_pipeline(passes) {
            let is_known =
                |pass: &str| tx_mlir::registration::is_registered(stage_name(pass.trim()));
            let hint = match split_passes(passes).into_iter().all(is_known) {
                true => "",
                false => "; register your own passes first, with `tx::register_pass`",
            };
            return refuse(format!(
                "`{passes}` cannot be inserted before or after `{anchor}`: {reason}{hint}"
            ));
        }
        self.0
            .extend(split_passes(passes).into_iter().map(|pass| Insertion {
                side,
                anchor: anchor.to_owned(),
                pass: pass.trim().to_owned(),
            }));
        Ok(())
    }

    pub(crate) fn apply(&self, pipeline: Vec<String>) -> Vec<String> {
        let mut all = Vec::new();
        for pass in pipeline {
            let beside = |side, anchor: &str| -> Vec<String> {
                let here = self
                    .0
                    .iter()
                    .filter(|i| i.side == side && i.anchor == anchor);
                here.map(|i| i.pass.clone()).collect()
            };
            let anchor = stage_name(&pass).to_owned();
            all.extend(beside(Side::Before, &anchor));
            all.push(pass);
            all.extend(beside(Side::After, &anchor));
        }
        all
    }

    /// Returns the text that identifies the inserted passes in a cache key. The returned text is
    /// empty if no pass is inserted.
    pub(crate) fn key(&self) -> String {
        self.0
            .iter()
            .map(|i| format!("{:?} {} {}\n", i.side, i.anchor, i.pass))
            .collect()
    }
}
