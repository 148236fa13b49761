//! Draws the steps of a kernel. Each lane is a column of the drawing, and each step is a row.

use crate::exchange::{
    Access, BarrierScope, KernelStep, LANES, ReportedKernel, Space, describe, steps,
};
use crate::html::{escape, escape_into};
use std::fmt::Write as _;

/// `PITCH` is the distance between adjacent lanes, and `LEFT` is the distance from the left edge to
/// the first lane, in SVG units.
const PITCH: usize = 21;
const LEFT: usize = 34;
const WIDTH: usize = LEFT + PITCH * LANES + 6;
const MAX_ROWS: usize = 160;

fn x(lane: usize) -> usize {
    LEFT + PITCH * lane + PITCH / 2
}

/// Returns all steps of a kernel, each with its loop depth. In the returned list, the steps of a
/// loop body directly follow the loop.
fn flatten<'s>(steps: &'s [KernelStep], depth: usize, rows: &mut Vec<(usize, &'s KernelStep)>) {
    for step in steps {
        rows.push((depth, step));
        if let KernelStep::Loop { steps, .. } = step {
            flatten(steps, depth + 1, rows);
        }
    }
}

/// Returns one set of lanes per shuffle. The set of a shuffle contains each lane whose value after
/// the shuffle contributes to the final result in the first lane of a group of lanes that exchange
/// values.
fn contributions(chain: &[&Vec<Option<usize>>], lanes: usize) -> Vec<Vec<bool>> {
    // A group contains the lanes that exchange values directly or indirectly.
    let mut group: Vec<usize> = (0..lanes).collect();
    for _ in 0..lanes {
        let before = group.clone();
        for sources in chain {
            for (lane, source) in sources.iter().enumerate() {
                if let Some(source) = source.filter(|s| *s < lanes) {
                    let least = group[lane].min(group[source]);
                    group[lane] = least;
                    group[source] = least;
                }
            }
        }
        if before == group {
            break;
        }
    }
    let mut wanted: Vec<bool> = (0..lanes).map(|lane| group[lane] == lane).collect();
    let mut before = Vec::new();
    for sources in chain.iter().rev() {
        let above: Vec<bool> = (0..lanes)
            .map(|lane| {
                wanted[lane] || (0..lanes).any(|to| wanted[to] && sources[to] == Some(lane))
            })
            .collect();
        before.push(wanted);
        wanted = above;
    }
    before.reverse();
    before
}

/// Appends the drawing of a kernel, and its textual description.
pub(crate) fn draw(page: &mut String, kernel: &ReportedKernel, id: &str) {
    let found = steps(kernel);
    let mut rows = Vec::new();
    flatten(&found, 0, &mut rows);
    let left_out = rows.len().saturating_sub(MAX_ROWS);
    rows.truncate(MAX_ROWS);
    let threads = kernel.block.iter().product::<usize>().max(1);
    let warps = threads.div_ceil(LANES);
    let lanes = threads.min(LANES);

    let mut picture = String::new();
    let mut y = 30;
    for lane in 0..LANES {
        let class = if lane < lanes { "" } else { " off" };
        let _ = write!(
            picture,
            "<text x={} y=18 class=\"lane{class}\">{lane}</text>",
            x(lane)
        );
    }
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let (depth, step) = rows[at];
        while open.len() > depth {
            close_loop(&mut picture, &mut open, y);
        }
        if let KernelStep::Loop { .. } = step {
            label(&mut picture, &mut y, step, depth);
            open.push(y - 14);
            at += 1;
            continue;
        }
        let chain: Vec<&KernelStep> = rows[at..]
            .iter()
            .take_while(|(d, s)| *d == depth && matches!(s, KernelStep::Shuffle { .. }))
            .map(|(_, s)| *s)
            .collect();
        if chain.is_empty() {
            label(&mut picture, &mut y, step, depth);
            single(&mut picture, &mut y, step, lanes);
            at += 1;
        } else {
            butterfly(&mut picture, &mut y, &chain, lanes, depth);
            at += chain.len();
        }
    }
    while !open.is_empty() {
        close_loop(&mut picture, &mut open, y);
    }
    if rows.is_empty() {
        let _ = write!(
            picture,
            "<text x={LEFT} y={} class=label>Nothing is exchanged.</text>",
            y + 14
        );
        y += 24;
    }

    let name = escape(&kernel.name);
    let [bx, by, bz] = kernel.block;
    let shown = match warps {
        1 => format!("{threads} threads, one warp"),
        n => format!("{threads} threads, {n} warps; the lanes of the first are drawn"),
    };
    let _ = write!(
        page,
        "<p class=note>A block is {bx}×{by}×{bz}: {shown}.</p>\
         <div class=scroll tabindex=0 role=group aria-label=\"Steps of {name}\">\
         <svg class=tree viewBox=\"0 0 {WIDTH} {}\" role=img aria-labelledby=\"{id}-t {id}-d\">\
         <title id=\"{id}-t\">How the threads of {name} exchange values</title><desc id=\"{id}-d\">",
        y + 10
    );
    let words: Vec<String> = rows.iter().map(|(_, step)| describe(step)).collect();
    escape_into(page, &words.join(". "));
    page.push_str("</desc>");
    page.push_str(&picture);
    page.push_str("</svg></div>");
    if left_out > 0 {
        let _ = write!(
            page,
            "<p class=note>{left_out} more steps are not drawn.</p>"
        );
    }
    page.push_str("<details class=words><summary>The same in words</summary>");
    list(page, &found);
    page.push_str("</details>");
}

fn list(page: &mut String, steps: &[KernelStep]) {
    page.push_str("<ol>");
    for step in steps {
        page.push_str("<li>");
        escape_into(page, &describe(step));
        if let Some(line) = line(step) {
            let _ = write!(page, " <a href=\"#line-{line}\">line {line}</a>");
        }
        if let KernelStep::Loop { steps, .. } = step {
            list(page, steps);
        }
        page.push_str("</li>");
    }
    page.push_str("</ol>");
}

fn line(step: &KernelStep) -> Option<usize> {
    match step {
        KernelStep::Shuffle { line, .. }
        | KernelStep::Redux { line, .. }
        | KernelStep::Memory { line, .. } => *line,
        KernelStep::Barrier { .. } | KernelStep::Loop { .. } => None,
    }
}

fn close_loop(picture: &mut String, open: &mut Vec<usize>, y: usize) {
    if let Some(top) = open.pop() {
        let left = 6 + 7 * open.len();
        let _ = write!(
            picture,
            "<path class=loop d=\"M{} {top}H{left}V{y}H{}\"/>",
            left + 6,
            left + 6
        );
    }
}

fn label(picture: &mut String, y: &mut usize, step: &KernelStep, depth: usize) {
    let class = match step {
        KernelStep::Barrier { .. } => "label wait",
        _ => "label",
    };
    let _ = write!(
        picture,
        "<text x={} y={} class=\"{class}\">",
        LEFT + 7 * depth.saturating_sub(1),
        *y + 13
    );
    escape_into(picture, &short(&describe(step)));
    picture.push_str("</text>");
    *y += 20;
}

fn short(label: &str) -> String {
    const MAX_CHARACTERS: usize = 108;
    if label.chars().count() <= MAX_CHARACTERS {
        return label.to_owned();
    }
    label
        .chars()
        .take(MAX_CHARACTERS - 1)
        .chain(['…'])
        .collect()
}

fn single(picture: &mut String, y: &mut usize, step: &KernelStep, lanes: usize) {
    let (from, to) = (x(0) - PITCH / 2 + 2, x(LANES - 1) + PITCH / 2 - 2);
    match step {
        KernelStep::Barrier { scope, .. } => {
            let class = match scope {
                BarrierScope::Warp => "warp",
                BarrierScope::Group => "group",
                BarrierScope::Block => "block",
                BarrierScope::Cluster => "cluster",
                BarrierScope::Fence => "fence",
            };
            let _ = write!(
                picture,
                "<path class=\"bar {class}\" d=\"M{from} {y}H{to}\"/>",
                y = *y + 4
            );
            *y += 18;
        }
        KernelStep::Redux { threads, .. } => {
            let top = *y + 4;
            let _ = write!(
                picture,
                "<rect class=redux x={from} y={top} width={} height=14 rx=7 />",
                to - from
            );
            for lane in (0..lanes).filter(|lane| threads.lane(*lane)) {
                let _ = write!(
                    picture,
                    "<circle class=hot cx={} cy={} r=3.5 />",
                    x(lane),
                    top + 7
                );
            }
            *y += 30;
        }
        KernelStep::Memory {
            access,
            space,
            threads,
            ..
        } => {
            let class = match space {
                Space::Shared => "shared",
                Space::Cluster => "cluster",
                Space::Global => "global",
            };
            let (lane_y, box_y) = match access {
                Access::Load => (*y + 20, *y),
                _ => (*y + 2, *y + 16),
            };
            let _ = write!(
                picture,
                "<rect class=\"mem {class}\" x={from} y={box_y} width={} height=6 rx=3 />",
                to - from
            );
            for lane in 0..lanes {
                let class = match (threads.lane(lane), threads.depends) {
                    (false, _) => "cold",
                    (true, false) => "hot",
                    (true, true) => "maybe",
                };
                let _ = write!(
                    picture,
                    "<circle class={class} cx={} cy={lane_y} r=3 />",
                    x(lane)
                );
                if threads.lane(lane) {
                    let (a, b) = match access {
                        Access::Load => (box_y + 6, lane_y - 3),
                        _ => (lane_y + 3, box_y),
                    };
                    let _ = write!(
                        picture,
                        "<path class=\"drop {class}\" d=\"M{0} {a}V{b}\"/>",
                        x(lane)
                    );
                }
            }
            *y += 34;
        }
        KernelStep::Shuffle { .. } | KernelStep::Loop { .. } => {}
    }
}

/// Draws a sequence of shuffles. The edge of a shuffled value is bold if the value contributes to
/// the final result in the first lane of a group of lanes that exchange values.
fn butterfly(
    picture: &mut String,
    y: &mut usize,
    chain: &[&KernelStep],
    lanes: usize,
    depth: usize,
) {
    let sources: Vec<&Vec<Option<usize>>> = chain
        .iter()
        .filter_map(|step| match step {
            KernelStep::Shuffle { sources, .. } => Some(sources),
            _ => None,
        })
        .collect();
    let wanted = contributions(&sources, lanes);
    for ((step, sources), wanted) in chain.iter().zip(&sources).zip(&wanted) {
        label(picture, y, step, depth);
        let reach = sources
            .iter()
            .enumerate()
            .filter_map(|(l, s)| Some(s.as_ref()?.abs_diff(l)))
            .max()
            .unwrap_or(0);
        let height = 22 + (reach.min(16) * 3) / 2;
        let (top, bottom) = (*y + 3, *y + 3 + height);
        let (mut faint, mut strong) = (String::new(), String::new());
        for lane in 0..lanes {
            let keeps = format!("M{0} {top}V{bottom}", x(lane));
            let lines = if wanted[lane] {
                &mut strong
            } else {
                &mut faint
            };
            lines.push_str(&keeps);
            if let Some(source) = sources[lane].filter(|s| *s != lane) {
                let middle = (top + bottom) / 2;
                let _ = write!(
                    lines,
                    "M{0} {top}C{0} {middle} {1} {middle} {1} {bottom}",
                    x(source),
                    x(lane)
                );
            }
        }
        let _ = write!(
            picture,
            "<path class=\"arc faint\" d=\"{faint}\"/><path class=\"arc strong\" d=\"{strong}\"/>"
        );
        for lane in 0..lanes {
            let used = wanted[lane] || (0..lanes).any(|to| wanted[to] && sources[to] == Some(lane));
            let class = if used { "hot" } else { "cold" };
            let _ = write!(
                picture,
                "<circle class={class} cx={} cy={top} r=3 />",
                x(lane)
            );
            let class = match (wanted[lane], sources[lane].is_some()) {
                (_, false) => "maybe",
                (true, _) => "hot",
                (false, _) => "cold",
            };
            let _ = write!(
                picture,
                "<circle class={class} cx={} cy={bottom} r=3 />",
                x(lane)
            );
        }
        *y = bottom + 12;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::{Op, Region};

    #[test]
    fn of_a_butterfly_a_binary_tree_ends_in_each_group() {
        let steps: Vec<Vec<Option<usize>>> = [1, 2, 4]
            .iter()
            .map(|by| (0..32).map(|l| Some(l ^ by)).collect())
            .collect();
        let wanted = contributions(&steps.iter().collect::<Vec<_>>(), 32);
        let counts: Vec<usize> = wanted
            .iter()
            .map(|w| w.iter().filter(|w| **w).count())
            .collect();
        // Four groups of 8 lanes: 4, 2 and 1 partial results per group remain after the shuffles.
        assert_eq!(counts, [16, 8, 4]);
        assert!(wanted[2][0] && wanted[2][8] && wanted[2][16] && wanted[2][24]);
    }

    #[test]
    fn names_stay_text_in_drawings() {
        let shuffle = Op {
            name: "gpu.barrier\"/><script>".to_owned(),
            ..Op::default()
        };
        let kernel = ReportedKernel {
            lengths: None,
            name: "</title><script>".to_owned(),
            block: [32, 1, 1],
            arguments: vec![],
            body: Region {
                arguments: vec![],
                ops: vec![shuffle],
            },
        };
        let mut page = String::new();
        draw(&mut page, &kernel, "k");
        assert!(!page.contains("<script>"), "{page}");
        assert!(page.contains("Nothing is exchanged."));
    }
}
