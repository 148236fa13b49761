//! Renders the drawings of kernels and of fragments.

use super::markup::folding;
use crate::html::{escape, prose};
use crate::pack::Pack;
use crate::report::Report;
use crate::{fragment, tree};
use std::fmt::Write as _;

pub(super) const MAX_OPEN_KERNELS: usize = 2;
const MAX_OPEN_FRAGMENTS: usize = 3;

pub(super) fn kernels(page: &mut String, pack: &mut Pack, report: &Report) {
    page.push_str(
        "<p class=lead>What the threads of each kernel do together, in program order, read off \
         its ops after the last pass of \
         <code>lower-reduction</code>. A column is a lane; strong lines lead to the result of the \
         first lane of each group.</p>\
         <ul class=legend aria-hidden=true><li><span class=\"key arc\"></span>value taken from a lane</li>\
         <li><span class=\"key bar warp\"></span>barrier of a warp</li><li><span class=\"key bar \
         block\"></span>barrier of the block</li>\
         <li><span class=\"key mem shared\"></span>shared memory</li><li><span class=\"key mem \
         global\"></span>global memory</li>\
         <li><span class=\"key dot\"></span>lane that takes part</li>\
         <li><span class=\"key dot maybe\"></span>lane that does where a condition holds</li>\
         <li><span class=\"key dot cold\"></span>lane that does not</li></ul>\n",
    );
    for (number, kernel) in report.kernels.iter().enumerate() {
        let mut summary = format!("<h3><code>@{}</code></h3>", escape(&kernel.name));
        if let Some(lengths) = &kernel.lengths {
            let _ = write!(summary, " <span class=meta>for {}</span>", prose(lengths));
        }
        let mut inside = String::new();
        tree::draw(&mut inside, kernel, &format!("kernel-{number}"));
        folding(page, pack, number < MAX_OPEN_KERNELS, &summary, inside);
    }
}

pub(super) fn layouts(page: &mut String, pack: &mut Pack, report: &Report) {
    for (number, each) in report.fragments.iter().enumerate() {
        let shape: Vec<String> = each.shape.iter().map(ToString::to_string).collect();
        let shape = if shape.is_empty() {
            "a scalar".to_owned()
        } else {
            shape.join("×")
        };
        let summary = format!("<h3>Fragment {}: {shape}</h3>", number + 1);
        let mut inside = String::new();
        fragment::draw(&mut inside, each);
        folding(page, pack, number < MAX_OPEN_FRAGMENTS, &summary, inside);
    }
}
