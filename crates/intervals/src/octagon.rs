//! Relations `±x ± y <= c` between few variables at a time. After Miné 2006 ("The octagon abstract domain"):
//! the bound in row i, column j is of `v(j) - v(i)`, where `v(2k) = x(k)` and `v(2k+1) = -x(k)`. Bounds are
//! of mathematical integers; whoever adds a relation has to know that the C expression it comes from did not
//! wrap.
//!
//! Worked example: `x - y <= 2` and `y + z <= 3`. Closure adds bounds that share a variable: `x + z <= 5`.
//! With `x >= 4` known as well, `z <= 1` and `y >= 2` follow.

use crate::map::{Lone, Map};
use std::sync::Arc;

/// No bound. Small enough that two of them can be added.
const NONE: i128 = i128::MAX / 4;

/// `coefficient * variable` with a coefficient of 1 or -1; the variable by its place in the pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Place in the pack.
    pub place: usize,
    /// Is it subtracted?
    pub is_negative: bool,
}

impl Term {
    fn row(self) -> usize {
        2 * self.place + usize::from(self.is_negative)
    }
}

/// Relations between the variables of one pack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Octagon {
    rows: usize,
    bounds: Vec<i128>,
    is_closed: bool,
}

impl Octagon {
    /// No relation between so many variables.
    pub fn any(variables: usize) -> Octagon {
        let rows = 2 * variables;
        let mut bounds = vec![NONE; rows * rows];
        for row in 0..rows {
            bounds[row * rows + row] = 0;
        }
        Octagon { rows, bounds, is_closed: true }
    }

    fn get(&self, row: usize, column: usize) -> i128 {
        self.bounds[row * self.rows + column]
    }

    fn tighten(&mut self, row: usize, column: usize, bound: i128) {
        let place = row * self.rows + column;
        if bound < self.bounds[place] {
            self.bounds[place] = bound;
            self.is_closed = false;
        }
    }

    /// Does it say nothing?
    pub fn is_any(&self) -> bool {
        (0..self.rows).all(|row| (0..self.rows).all(|column| row == column || self.get(row, column) >= NONE))
    }

    /// All consequences made explicit (strong closure, tight on integers). `None` if there are no such
    /// values.
    pub fn closed(&self) -> Option<Octagon> {
        if self.is_closed {
            return Some(self.clone());
        }
        let mut all = self.clone();
        let rows = all.rows;
        // One extra round after tightening makes the closure of small packs complete enough; it is sound at
        // any point.
        for _ in 0..2 {
            all.close_paths();
            if !all.close_halves() {
                break;
            }
        }
        if (0..rows).any(|row| all.get(row, row) < 0) {
            return None;
        }
        for row in 0..rows {
            all.bounds[row * rows + row] = 0;
        }
        all.is_closed = true;
        Some(all)
    }

    /// Bounds that follow from two others by a common variable.
    fn close_paths(&mut self) {
        let rows = self.rows;
        let mut along = vec![NONE; rows];
        for via in 0..rows {
            along.copy_from_slice(&self.bounds[via * rows..][..rows]);
            for row in self.bounds.chunks_exact_mut(rows) {
                let first = row[via];
                if first >= NONE {
                    continue;
                }
                for (bound, &second) in row.iter_mut().zip(&along) {
                    if second < NONE && first + second < *bound {
                        *bound = first + second;
                    }
                }
            }
        }
    }

    /// Bounds of one variable are even, and two of them bound the sum. Says whether paths have to be looked
    /// at again.
    fn close_halves(&mut self) -> bool {
        let rows = self.rows;
        let mut has_changed = false;
        for row in 0..rows {
            let bound = &mut self.bounds[row * rows + (row ^ 1)];
            if *bound < NONE && *bound % 2 != 0 {
                *bound = 2 * bound.div_euclid(2);
                has_changed = true;
            }
        }
        for row in 0..rows {
            let one = self.get(row, row ^ 1);
            if one >= NONE {
                continue;
            }
            for column in 0..rows {
                let two = self.get(column ^ 1, column);
                let bound = &mut self.bounds[row * rows + column];
                if two < NONE && (one + two).div_euclid(2) < *bound {
                    *bound = (one + two).div_euclid(2);
                    has_changed = true;
                }
            }
        }
        has_changed
    }

    /// `one + two <= bound`; with one term, `2 * one <= 2 * bound` is asked for by passing it twice.
    pub fn add_sum_at_most(&mut self, one: Term, two: Term, bound: i128) {
        // v(j) - v(i) <= c with v(j) = two and v(i) = -one.
        self.tighten(one.row() ^ 1, two.row(), bound);
        self.tighten(two.row() ^ 1, one.row(), bound);
    }

    /// `low <= x <= high`
    pub fn add_range(&mut self, place: usize, low: i128, high: i128) {
        let (plus, minus) = (Term { place, is_negative: false }, Term { place, is_negative: true });
        if high < NONE / 4 {
            self.add_sum_at_most(plus, plus, 2 * high);
        }
        if low > -NONE / 4 {
            self.add_sum_at_most(minus, minus, -2 * low);
        }
    }

    /// The least and greatest value of a variable, as far as bounded. Of a closed octagon.
    pub fn range(&self, place: usize) -> (Option<i128>, Option<i128>) {
        let bound = |value: i128| (value < NONE).then(|| value.div_euclid(2));
        let high = bound(self.get(2 * place + 1, 2 * place));
        let low = bound(self.get(2 * place, 2 * place + 1)).map(|value| -value);
        (low, high)
    }

    /// The bound of `one + two`, if there is one. Of a closed octagon.
    pub fn most_of_sum(&self, one: Term, two: Term) -> Option<i128> {
        Some(self.get(one.row() ^ 1, two.row())).filter(|&bound| bound < NONE)
    }

    /// Forgets a variable; the octagon must be closed.
    pub fn forget(&mut self, place: usize) {
        for row in 0..self.rows {
            for own in [2 * place, 2 * place + 1] {
                if row != own {
                    self.bounds[row * self.rows + own] = NONE;
                    self.bounds[own * self.rows + row] = NONE;
                }
            }
        }
    }

    /// `x := x + by`; needs no closure.
    pub fn shift(&mut self, place: usize, by: i128) {
        let (plus, minus) = (2 * place, 2 * place + 1);
        for row in 0..self.rows {
            for column in 0..self.rows {
                let part = |index: usize| i128::from(index == plus) - i128::from(index == minus);
                let change = part(column) - part(row);
                let bound = &mut self.bounds[row * self.rows + column];
                if change != 0 && *bound < NONE {
                    *bound = (*bound + change * by).min(NONE);
                }
            }
        }
    }

    fn combine(&self, other: &Octagon, choose: impl Fn(i128, i128) -> i128, is_closed: bool) -> Octagon {
        let bounds = self.bounds.iter().zip(&other.bounds).map(|(&one, &two)| choose(one, two)).collect();
        Octagon { rows: self.rows, bounds, is_closed }
    }

    fn is_within(&self, other: &Octagon) -> bool {
        let Some(closed) = self.closed() else { return true };
        closed.bounds.iter().zip(&other.bounds).all(|(one, two)| one <= two)
    }

    /// The relations with their bounds, for people and solvers: `one + two <= bound`, each once. Of a closed
    /// octagon.
    pub fn relations(&self) -> Vec<(Term, Term, i128)> {
        let term = |row: usize| Term { place: row / 2, is_negative: row % 2 == 1 };
        let mut all = Vec::new();
        for row in 0..self.rows {
            for column in 0..self.rows {
                let (one, two) = (term(row ^ 1), term(column));
                let bound = self.get(row, column);
                // Each relation stands twice in the matrix; bounds of one variable are told by intervals.
                if one.place < two.place && bound < NONE {
                    let parts = (self.get(row, row ^ 1), self.get(column ^ 1, column));
                    let is_implied =
                        parts.0 < NONE && parts.1 < NONE && (parts.0 + parts.1).div_euclid(2) <= bound;
                    if !is_implied {
                        all.push((one, two, bound));
                    }
                }
            }
        }
        all
    }
}

/// The octagons of all packs; a pack without one has no relations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Relations {
    packs: Map<Arc<Octagon>>,
}

impl Relations {
    /// The octagon of a pack, if it says anything.
    pub fn get(&self, pack: u32) -> Option<&Octagon> {
        self.packs.get(pack).map(|octagon| &**octagon)
    }

    /// Replaces a pack's octagon.
    pub fn set(&mut self, pack: u32, octagon: Octagon) {
        if octagon.is_any() {
            self.packs.remove(pack);
        } else {
            self.packs.insert(pack, Arc::new(octagon));
        }
    }

    /// The packs that have relations.
    pub fn packs(&self) -> Vec<u32> {
        self.packs.keys()
    }

    /// See [`crate::state::State::join`].
    pub fn join(&self, other: &Relations) -> Relations {
        let mut joined = |_: u32, one: &Arc<Octagon>, two: &Arc<Octagon>| match (one.closed(), two.closed()) {
            (Some(one), Some(two)) => Some(Arc::new(one.combine(&two, i128::max, true))),
            (Some(only), None) | (None, Some(only)) => Some(Arc::new(only)),
            (None, None) => Some(one.clone()),
        };
        Relations { packs: self.packs.merge(&other.packs, (Lone::Drop, Lone::Drop), &mut joined) }
    }

    /// See [`crate::state::State::widen`]. The left side must not be closed between two widenings.
    pub fn widen(&self, grown: &Relations) -> Relations {
        let mut widened = |_: u32, one: &Arc<Octagon>, two: &Arc<Octagon>| {
            let two = two.closed()?;
            let octagon = one.combine(&two, |old, new| if new <= old { old } else { NONE }, false);
            Some(Arc::new(octagon))
        };
        Relations { packs: self.packs.merge(&grown.packs, (Lone::Drop, Lone::Drop), &mut widened) }
    }

    /// See [`crate::state::State::narrow`].
    pub fn narrow(&self, once_more: &Relations) -> Relations {
        let mut both = |_: u32, one: &Arc<Octagon>, two: &Arc<Octagon>| {
            Some(Arc::new(one.combine(two, i128::min, false)))
        };
        Relations { packs: self.packs.merge(&once_more.packs, (Lone::Keep, Lone::Keep), &mut both) }
    }

    /// See [`crate::state::State::is_within`].
    pub fn is_within(&self, other: &Relations) -> bool {
        self.packs.covers_keys_of(&other.packs, &mut |one, two| one.is_within(two))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const VARIABLES: usize = 3;

    fn term() -> impl Strategy<Value = Term> {
        (0..VARIABLES, any::<bool>()).prop_map(|(place, is_negative)| Term { place, is_negative })
    }

    fn value(term: Term, point: &[i128]) -> i128 {
        if term.is_negative { -point[term.place] } else { point[term.place] }
    }

    fn holds(octagon: &Octagon, point: &[i128]) -> bool {
        let at = |row: usize| value(Term { place: row / 2, is_negative: row % 2 == 1 }, point);
        (0..octagon.rows)
            .all(|row| (0..octagon.rows).all(|column| at(column) - at(row) <= octagon.get(row, column)))
    }

    fn octagon() -> impl Strategy<Value = Octagon> {
        prop::collection::vec((term(), term(), -8i128..12), 0..6).prop_map(|relations| {
            let mut octagon = Octagon::any(VARIABLES);
            for (one, two, bound) in relations {
                octagon.add_sum_at_most(one, two, bound);
            }
            octagon
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn points_are_never_lost(one in octagon(), two in octagon(), by in -4i128..4, place in 0..VARIABLES) {
            let range = -5i128..6;
            for x in range.clone() {
                for y in range.clone() {
                    for z in range.clone() {
                        let point = [x, y, z];
                        let (in_one, in_two) = (holds(&one, &point), holds(&two, &point));
                        let closed = one.closed();
                        prop_assert_eq!(closed.as_ref().is_some_and(|closed| holds(closed, &point)), in_one);
                        if !in_one {
                            continue;
                        }
                        let closed = closed.expect("a point is in it");
                        let (low, high) = closed.range(place);
                        prop_assert!(low.is_none_or(|low| low <= point[place]) && high.is_none_or(|high| point[place] <= high));
                        let mut forgotten = closed.clone();
                        forgotten.forget(place);
                        let mut moved = point;
                        moved[place] = 1000;
                        prop_assert!(holds(&forgotten, &moved));
                        let mut shifted = one.clone();
                        shifted.shift(place, by);
                        moved[place] = point[place] + by;
                        prop_assert!(holds(&shifted, &moved));
                        if let Some(other) = two.closed() {
                            prop_assert!(holds(&closed.combine(&other, i128::max, true), &point));
                        }
                        prop_assert!(!one.is_within(&two) || in_two);
                    }
                }
            }
        }
    }
}
