//! Maximum bipartite matching with priorities.

use std::collections::BTreeMap;

/// Matches items of supply groups (one side of the bipartite graph) with items of capacity groups
/// (the other side). `supply` and `capacity` contain the number of items in each group. The
/// function returns the number of unmatched items in each supply group.
///
/// The number of matched items is maximal. `fit` returns the cost of a match between a supply group
/// and a capacity group, or `None` if the groups do not match. The function matches one supply
/// group after the other. To match a supply group, the function can move items of preceding supply
/// groups to different capacity groups, but never leaves these items unmatched.
pub(super) fn saturate<R: Ord>(
    supply: &[u64],
    capacity: &[u64],
    fit: impl Fn(usize, usize) -> Option<R>,
) -> Vec<u64> {
    let places: Vec<Vec<usize>> = (0..supply.len())
        .map(|from| {
            let mut places: Vec<(R, usize)> = (0..capacity.len())
                .filter_map(|to| Some((fit(from, to)?, to)))
                .collect();
            places.sort();
            places.into_iter().map(|(_, to)| to).collect()
        })
        .collect();
    let mut flow = Flow {
        places,
        given: vec![BTreeMap::new(); supply.len()],
        free: capacity.to_vec(),
    };
    supply
        .iter()
        .enumerate()
        .map(|(from, &count)| {
            let mut left = count;
            while left > 0 {
                let moved = flow.augment(from, left);
                if moved == 0 {
                    break;
                }
                left -= moved;
            }
            left
        })
        .collect()
}

struct Flow {
    /// Entry `places[s]` lists the capacity groups that match supply group `s`, in ascending order
    /// of cost.
    places: Vec<Vec<usize>>,
    /// Entry `given[s][c]` is the number of items of supply group `s` that are matched with items
    /// of capacity group `c`.
    given: Vec<BTreeMap<usize, u64>>,
    free: Vec<u64>,
}

impl Flow {
    /// Matches up to `wanted` unmatched items of supply group `from` along a shortest augmenting
    /// path.
    fn augment(&mut self, from: usize, wanted: u64) -> u64 {
        // Predecessors in the search for an augmenting path: the supply group before each capacity
        // group, and the capacity group before each supply group.
        let mut by: BTreeMap<usize, usize> = BTreeMap::new();
        let mut through: BTreeMap<usize, usize> = BTreeMap::new();
        let mut open = std::collections::VecDeque::from([from]);
        let mut end = None;
        'search: while let Some(supply) = open.pop_front() {
            for &place in &self.places[supply] {
                if by.contains_key(&place) {
                    continue;
                }
                by.insert(place, supply);
                if self.free[place] > 0 {
                    end = Some(place);
                    break 'search;
                }
                for (other, given) in self.given.iter().enumerate() {
                    let holds = given.get(&place).is_some_and(|&count| count > 0);
                    if holds && other != from && !through.contains_key(&other) {
                        through.insert(other, place);
                        open.push_back(other);
                    }
                }
            }
        }
        let Some(end) = end else {
            return 0;
        };
        let mut way = Vec::new();
        let mut place = end;
        loop {
            let supply = by[&place];
            let before = through.get(&supply).copied();
            way.push((supply, place, before));
            match before {
                Some(before) => place = before,
                None => break,
            }
        }
        let mut amount = wanted.min(self.free[end]);
        for &(supply, _, before) in &way {
            if let Some(before) = before {
                amount = amount.min(self.given[supply][&before]);
            }
        }
        self.free[end] -= amount;
        for (supply, place, before) in way {
            *self.given[supply].entry(place).or_default() += amount;
            if let Some(before) = before
                && let Some(given) = self.given[supply].get_mut(&before)
            {
                *given -= amount;
            }
        }
        amount
    }
}

#[cfg(test)]
mod tests {
    use super::saturate;

    /// Supply group 1 matches only capacity group 0, so the items of supply group 0 move from
    /// capacity group 0 to capacity group 1.
    #[test]
    fn others_change_places() {
        let left = saturate(&[2, 2], &[2, 2], |from, to| {
            (from == 0 || to == 0).then_some(to)
        });
        assert_eq!(left, [0, 0]);
    }

    /// Items stay unmatched if no matching capacity group has free capacity. Items of earlier
    /// supply groups are matched before items of later supply groups.
    #[test]
    fn the_rest_is_left_over() {
        let left = saturate(&[3, 2, 1], &[4], |from, _| (from < 2).then_some(0));
        assert_eq!(left, [0, 1, 1]);
    }

    /// Supply group 3 matches only capacity group 0, so the item of each supply group `i` below 3
    /// must move from capacity group `i` to capacity group `i + 1`.
    #[test]
    fn chains_are_found() {
        let left = saturate(&[1, 1, 1, 1], &[1, 1, 1, 1], |from, to| {
            let may = if from == 3 {
                to == 0
            } else {
                to == from || to == from + 1
            };
            may.then_some(to)
        });
        assert_eq!(left, [0, 0, 0, 0]);
    }
}
