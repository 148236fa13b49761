//! Table that lists the thread and the register of each element of a fragment.

use crate::html::{escape, escape_into};
use std::fmt::Write as _;

const LANES: usize = 32;
const MAX_SHOWN: usize = 32;

/// Fragment type of a program.
#[derive(Debug, Clone, Default)]
pub struct Fragment {
    /// Printed type.
    pub ty: String,
    /// Shape of the fragment.
    pub shape: Vec<usize>,
    /// Threads and registers that contain each element, in row-major order; empty if the fragment
    /// is too large for a table.
    pub holders: Vec<Vec<Holder>>,
    /// Names of the SSA values that have the fragment type.
    pub values: Vec<String>,
}

/// Thread and register that contain an element of the fragment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Holder {
    /// Index of the thread in the group of threads that share the fragment.
    pub thread: usize,
    /// Index of the register among the thread's registers for the fragment.
    pub register: usize,
}

/// Formats numbers as ranges: `0–3`, `0, 4, 8`, `0, 4 … 28`.
fn numbers(of: &[usize]) -> String {
    match of {
        [] => String::new(),
        [one] => one.to_string(),
        [first, .., last] if last - first + 1 == of.len() => format!("{first}–{last}"),
        [first, second, .., last]
            if of.len() > 3 && of.windows(2).all(|w| w[1] - w[0] == second - first) =>
        {
            format!("{first}, {second} … {last}")
        }
        many if many.len() <= 4 => many
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", "),
        [first, .., last] => format!("{first} … {last}"),
    }
}

/// Returns a short and a long description of the threads and registers that contain an element.
fn name(holders: &[Holder], several_warps: bool) -> (String, String) {
    let sorted = |f: fn(&Holder) -> usize| {
        let mut all: Vec<usize> = holders.iter().map(f).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let (warps, lanes, registers) = (
        sorted(|h| h.thread / LANES),
        sorted(|h| h.thread % LANES),
        sorted(|h| h.register),
    );
    let (warps, lanes, registers) = (numbers(&warps), numbers(&lanes), numbers(&registers));
    let all = lanes == "0–31";
    let short = match (several_warps, all) {
        (true, true) => format!("w{warps}"),
        (true, false) => format!("w{warps} {lanes}"),
        (false, true) => "all".to_owned(),
        (false, false) => lanes.clone(),
    };
    let warp = if several_warps {
        format!("warp {warps}, ")
    } else {
        String::new()
    };
    let lane = if lanes.bytes().all(|b| b.is_ascii_digit()) {
        "lane"
    } else {
        "lanes"
    };
    (
        format!("{short}·r{registers}"),
        format!("{warp}{lane} {lanes}, register {registers}"),
    )
}

pub(crate) fn draw(page: &mut String, fragment: &Fragment) {
    page.push_str("<p class=type><code>");
    let mut code = String::new();
    crate::highlight::write(&mut code, &crate::highlight::mlir(&fragment.ty));
    page.push_str(&code);
    page.push_str("</code></p>");
    if !fragment.values.is_empty() {
        let many = fragment.values.len() > 12;
        let _ = write!(
            page,
            "<p class=note>Of {}{}</p>",
            fragment
                .values
                .iter()
                .take(12)
                .map(|v| format!("<code>{}</code>", escape(v)))
                .collect::<Vec<_>>()
                .join(", "),
            if many { " and others" } else { "" }
        );
    }
    if fragment.holders.is_empty() {
        page.push_str("<p class=note>It has no elements, or too many to draw.</p>");
        return;
    }
    // Each table row has one index of all dimensions except the last dimension.
    let columns = fragment.shape.last().copied().unwrap_or(1).max(1);
    let rows = fragment.holders.len() / columns;
    let all = fragment.holders.iter().flatten();
    let threads = 1 + all.clone().map(|h| h.thread).max().unwrap_or(0);
    let registers = 1 + all.clone().map(|h| h.register).max().unwrap_or(0);
    let most_copies = fragment.holders.iter().map(Vec::len).max().unwrap_or(1);
    let warps = threads.div_ceil(LANES);
    let _ = write!(
        page,
        "<p class=note>{} threads hold {} elements, up to {registers} register{} each{}. A cell \
         says {}lane and register.</p>",
        {
            let mut threads: Vec<usize> = all.map(|h| h.thread).collect();
            threads.sort_unstable();
            threads.dedup();
            threads.len()
        },
        fragment.holders.len(),
        if registers == 1 { "" } else { "s" },
        if most_copies > 1 {
            format!("; an element lives in up to {most_copies} places")
        } else {
            String::new()
        },
        if warps > 1 { "warp, " } else { "" },
    );
    let (shown_rows, shown_columns) = (rows.min(MAX_SHOWN), columns.min(MAX_SHOWN));
    let _ = write!(
        page,
        "<div class=scroll tabindex=0 role=group aria-label=\"Elements of {}\"><table \
         class=layout><thead><tr><td></td>",
        escape(&fragment.ty)
    );
    for column in 0..shown_columns {
        let _ = write!(page, "<th scope=col>{column}</th>");
    }
    let gap = if columns > shown_columns {
        "<td class=gap>…</td>"
    } else {
        ""
    };
    let _ = write!(page, "{gap}</tr></thead><tbody>");
    for row in 0..shown_rows {
        let _ = write!(
            page,
            "<tr><th scope=row>{}</th>",
            place(row, &fragment.shape)
        );
        for column in 0..shown_columns {
            let holders = &fragment.holders[row * columns + column];
            let (short, long) = name(holders, warps > 1);
            let first = holders.first().copied().unwrap_or(Holder {
                thread: 0,
                register: 0,
            });
            // Steps of the golden angle give neighbouring lanes distinct colours.
            let hue = (first.thread % LANES * 137 + first.thread / LANES * 47) % 360;
            let _ = write!(page, "<td style=\"--h:{hue}\" title=\"{long}\">");
            escape_into(page, &short);
            page.push_str("</td>");
        }
        let _ = write!(page, "{gap}</tr>");
    }
    page.push_str("</tbody></table></div>");
    if rows > shown_rows || columns > shown_columns {
        let _ = write!(
            page,
            "<p class=note>{shown_rows} of {rows} rows and {shown_columns} of {columns} columns \
             are shown.</p>"
        );
    }
}

/// Formats the indices that all fragment elements of a table row share: one index per dimension,
/// except the last dimension.
fn place(row: usize, shape: &[usize]) -> String {
    let outer = &shape[..shape.len().saturating_sub(1)];
    let mut rest = row;
    let mut index: Vec<String> = outer
        .iter()
        .rev()
        .map(|n| {
            let i = rest % n.max(&1);
            rest /= n.max(&1);
            i.to_string()
        })
        .collect();
    index.reverse();
    index.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holders_have_short_names() {
        let held = |threads: &[usize], register| -> Vec<Holder> {
            threads
                .iter()
                .map(|t| Holder {
                    thread: *t,
                    register,
                })
                .collect()
        };
        assert_eq!(
            name(&held(&[5], 1), false),
            ("5·r1".to_owned(), "lane 5, register 1".to_owned())
        );
        assert_eq!(name(&held(&[4, 5, 6, 7], 0), false).0, "4–7·r0");
        assert_eq!(name(&held(&[0, 8, 16, 24], 0), false).0, "0, 8 … 24·r0");
        assert_eq!(
            name(&held(&(0..32).collect::<Vec<_>>(), 0), false).0,
            "all·r0"
        );
        assert_eq!(name(&held(&[37], 2), true).0, "w1 5·r2");
    }

    #[test]
    fn large_fragments_are_shortened_and_say_so() {
        let fragment = Fragment {
            ty: "!tile.fragment<40x64xf32, …>".to_owned(),
            shape: vec![40, 64],
            holders: (0..40 * 64)
                .map(|i| {
                    vec![Holder {
                        thread: i % 32,
                        register: i / 32,
                    }]
                })
                .collect(),
            values: vec!["%<b>".to_owned()],
        };
        let mut page = String::new();
        draw(&mut page, &fragment);
        assert!(
            page.contains("32 of 40 rows and 32 of 64 columns are shown."),
            "{page}"
        );
        assert!(page.contains("%&lt;b&gt;"));
        assert_eq!(page.matches("<tr>").count(), 33);
    }

    #[test]
    fn scalars_rows_and_empty_fragments_draw() {
        for (shape, elements) in [
            (vec![], 1),
            (vec![4], 4),
            (vec![2, 2, 3], 12),
            (vec![0, 4], 0),
        ] {
            let holders = vec![
                vec![Holder {
                    thread: 0,
                    register: 0
                }];
                elements
            ];
            let mut page = String::new();
            draw(
                &mut page,
                &Fragment {
                    shape,
                    holders,
                    ..Fragment::default()
                },
            );
            assert_eq!(page.matches("title=").count(), elements);
        }
        assert_eq!(place(3, &[2, 2, 3]), "1, 1");
    }
}
