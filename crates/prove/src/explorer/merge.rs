//! Paths that meet become one: guards that belong together, and states under them.

use super::{Explorer, Pending};
use logic::{Sort, TermId};

impl Explorer<'_, '_> {
    /// One state for all that meet at a place.
    pub(crate) fn merge(&mut self, mut group: Vec<Pending>) -> Pending {
        while group.len() > 1 {
            let pair = self.find_siblings(&group);
            let (one, two) = pair.unwrap_or((0, 1));
            let second = group.remove(two.max(one));
            let first = group.remove(two.min(one));
            group.push(self.merge_two(first, second));
        }
        group.pop().expect("a place on the way has a state")
    }

    pub(super) fn find_siblings(&mut self, group: &[Pending]) -> Option<(usize, usize)> {
        for (at, one) in group.iter().enumerate() {
            let Some(&(parent, condition)) = self.siblings.get(&one.guard) else { continue };
            let opposite = self.encoder.terms.not(condition);
            for (other_at, other) in group.iter().enumerate().skip(at + 1) {
                if self.siblings.get(&other.guard) == Some(&(parent, opposite)) {
                    return Some((at, other_at));
                }
            }
        }
        None
    }

    pub(super) fn merge_two(&mut self, one: Pending, two: Pending) -> Pending {
        let terms = &mut self.encoder.terms;
        if one.guard == two.guard {
            // Both are possible under the same condition: which it is, is open.
            let choice = terms.fresh("choice", Sort::Bool);
            let state = one.state.merged(terms, choice, &two.state);
            return Pending { guard: one.guard, state, stack: one.stack, depth: one.depth.max(two.depth) };
        }
        let depth = one.depth.max(two.depth);
        if let (Some(&(parent, condition)), Some(&(other, opposite))) =
            (self.siblings.get(&one.guard), self.siblings.get(&two.guard))
            && parent == other
            && terms.not(condition) == opposite
        {
            let state = one.state.merged(terms, condition, &two.state);
            return Pending { guard: parent, state, stack: one.stack, depth };
        }
        let state = one.state.merged(terms, one.guard, &two.state);
        let either = terms.or(one.guard, two.guard);
        let guard = self.define("meet", either);
        Pending { guard, state, stack: one.stack, depth }
    }

    /// A symbol that equals the condition; constants stay.
    pub(super) fn define(&mut self, hint: &str, condition: TermId) -> TermId {
        let terms = &mut self.encoder.terms;
        if terms.truth(condition).is_some() || terms.pool.symbol_name(condition).is_some() {
            return condition;
        }
        let symbol = terms.fresh(hint, Sort::Bool);
        let definition = terms.pool.equal(symbol, condition);
        self.encoder.facts.push(definition);
        symbol
    }

    /// The guard of a side of a branch.
    pub(crate) fn narrowed(&mut self, guard: TermId, condition: TermId) -> Option<TermId> {
        let terms = &mut self.encoder.terms;
        match terms.truth(condition) {
            Some(true) => return Some(guard),
            Some(false) => return None,
            None => {}
        }
        let both = terms.and(guard, condition);
        if terms.truth(both) == Some(false) {
            return None;
        }
        let narrowed = self.define("path", both);
        self.siblings.insert(narrowed, (guard, condition));
        Some(narrowed)
    }
}
