//! Approximate costs of exchanges, in cycles.

/// Approximate latency, in cycles, of a shuffle and of the ops that combine the shuffled value.
const SHUFFLE: u64 = 28;

/// Approximate latency of a `redux.sync` of a whole warp, in cycles.
const REDUX: u64 = 36;

/// Approximate latency, in cycles, of the `redux.sync` of one thread group in a warp with several
/// groups. The groups of a warp execute `redux.sync` one after another, so the total latency is the
/// sum of the latencies of all groups.
const REDUX_GROUP: u64 = 110;

/// Approximate latency, in cycles, of an exchange through shared memory: a store, a barrier and
/// loads.
pub(crate) const EXCHANGE: u64 = 60;

/// Returns the approximate number of cycles that shuffles need to combine the values of `lanes`
/// lanes of a warp.
pub(crate) fn shuffle_cost(lanes: u64) -> u64 {
    u64::from(lanes.next_power_of_two().ilog2()) * SHUFFLE
}

/// Returns the approximate number of cycles that `redux.sync` needs to combine the values of
/// `lanes` lanes of a warp.
pub(crate) fn redux_cost(lanes: u64) -> u64 {
    match u64::from(tx_target::WARP) / lanes.clamp(1, 32) {
        1 => REDUX,
        groups => REDUX_GROUP * groups,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cost of a tree of shuffles is the sum of the costs of its levels; the number of lanes is
    /// rounded up to a power of two.
    #[test]
    fn trees_cost_as_much_as_their_levels() {
        for lanes in 1..=32_u64 {
            assert_eq!(shuffle_cost(lanes), shuffle_cost(lanes.next_power_of_two()));
        }
        for (inner, outer) in [(1, 8), (2, 4), (4, 8), (16, 2)] {
            let both = shuffle_cost(inner) + shuffle_cost(outer);
            assert_eq!(shuffle_cost(inner * outer), both);
        }
    }

    /// The groups of a warp execute `redux.sync` one after another, so the cost increases with the
    /// number of groups per warp.
    #[test]
    fn narrow_groups_cost_more_by_redux() {
        let costs: Vec<u64> = [32, 16, 8, 4, 2].into_iter().map(redux_cost).collect();
        assert!(costs.is_sorted(), "{costs:?}");
    }
}
