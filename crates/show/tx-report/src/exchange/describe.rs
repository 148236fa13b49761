//! Textual description of steps.

use super::{Access, BarrierScope, KernelStep, Space};

/// Returns the description of a step and its nested steps.
pub fn describe(step: &KernelStep) -> String {
    let times = |count: &usize, what: &str| match count {
        1 => String::new(),
        n => format!(", {n} {what}"),
    };
    match step {
        KernelStep::Shuffle {
            mode,
            distance,
            sources,
            alike,
            combine,
            count,
            ..
        } => {
            let reach = match (mode.as_str(), distance) {
                ("xor", Some(n)) => format!("each lane with the one at distance {n} (xor)"),
                ("up" | "down", Some(n)) => format!("from {n} lanes {mode}"),
                ("idx", Some(n)) => format!("from lane {n}"),
                _ if sources.iter().all(Option::is_some) => "from the lanes drawn (idx)".to_owned(),
                (mode, _) => format!("from lanes that are known at run time ({mode})"),
            };
            let combine = combine
                .as_ref()
                .map_or_else(String::new, |op| format!(", then {op}"));
            let other = if *alike {
                ""
            } else {
                "; other warps take from other lanes"
            };
            format!("Shuffle: {reach}{combine}{}{other}", times(count, "values"))
        }
        KernelStep::Redux {
            kind,
            threads,
            count,
            ..
        } => format!(
            "redux.sync {kind}: {} at once{}",
            threads.describe(),
            times(count, "values")
        ),
        KernelStep::Barrier { scope, op, threads } => {
            let what = match scope {
                BarrierScope::Warp => "Barrier of each warp",
                BarrierScope::Group => "Named barrier of some warps",
                BarrierScope::Block => "Barrier of the block",
                BarrierScope::Cluster => "Barrier of the cluster",
                BarrierScope::Fence => "Fence",
            };
            let all = threads.mask.iter().all(|m| *m) && !threads.depends;
            let who = if all {
                String::new()
            } else {
                format!(": {}", threads.describe())
            };
            format!("{what} ({op}){who}")
        }
        KernelStep::Memory {
            access,
            space,
            memory,
            element,
            threads,
            count,
            ..
        } => {
            let what = match (access, space) {
                (Access::Load, Space::Shared) => "Load from shared",
                (Access::Load, Space::Cluster) => "Load from the cluster's",
                (Access::Load, Space::Global) => "Load from global",
                (Access::Store, Space::Shared) => "Store to shared",
                (Access::Store, Space::Cluster) => "Store to the cluster's",
                (Access::Store, Space::Global) => "Store to global",
                (Access::Atomic, Space::Shared) => "Atomic on shared",
                (Access::Atomic, _) => "Atomic on global",
            };
            format!(
                "{what} {memory}: {} ({element}{})",
                threads.describe(),
                times(count, "accesses of each")
            )
        }
        KernelStep::Loop { trips, .. } => match trips {
            Some(n) => format!("Loop, {n} times"),
            None => "Loop".to_owned(),
        },
    }
}
