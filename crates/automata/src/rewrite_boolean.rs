//! Smart constructors for conjunction and disjunction. See `rewrite` for where the rules come from; they are written
//! for disjunction, and conjunction has their duals (`side`).

use crate::formula::{Formula, Formulas, Shape};
use crate::guard::Guard;
use crate::side::Side;

impl Formulas {
    /// The conjunction.
    pub fn and(&mut self, parts: Vec<Formula>) -> Formula {
        self.join(Side::And, parts)
    }

    /// The disjunction.
    pub fn or(&mut self, parts: Vec<Formula>) -> Formula {
        self.join(Side::Or, parts)
    }

    /// The conjunction of what a run still owes: only contradictions are found, nothing is dropped or merged.
    /// Dropping a part because another implies it would be wrong here: `a R (X F b)` implies `F b`, and yet a run that
    /// owes both may not forget `F b` at every step. Merging could make ever new formulas.
    pub(crate) fn obligations(&mut self, parts: Vec<Formula>) -> Formula {
        let Some(parts) = self.flatten(Side::And, parts) else { return Formulas::FALSE };
        for (position, &part) in parts.iter().enumerate() {
            for &other in &parts[position + 1..] {
                if self.surely_exclude(part, other) {
                    return Formulas::FALSE;
                }
            }
        }
        self.intern_joined(Side::And, parts)
    }

    /// The disjunction, or on the other side the conjunction.
    pub(crate) fn join(&mut self, side: Side, parts: Vec<Formula>) -> Formula {
        let Some(mut parts) = self.flatten(side, parts) else { return side.yes() };
        while let Some(smaller) = self.merge_once(side, &parts) {
            match self.flatten(side, smaller) {
                Some(flat) => parts = flat,
                None => return side.yes(),
            }
        }
        self.finish(side, parts)
    }

    /// One list of distinct parts with at most one letter; `None` if the whole is the zero of the operator.
    fn flatten(&mut self, side: Side, parts: Vec<Formula>) -> Option<Vec<Formula>> {
        let (one, zero) = match side {
            Side::And => (Guard::TRUE, Guard::FALSE),
            Side::Or => (Guard::FALSE, Guard::TRUE),
        };
        let mut letter = one;
        let mut flat = Vec::new();
        let mut open = parts;
        while let Some(part) = open.pop() {
            match (self.shape(part), side) {
                (Shape::Letter(guard), Side::And) => {
                    let guard = *guard;
                    letter = self.guards.and(letter, guard);
                }
                (Shape::Letter(guard), Side::Or) => {
                    let guard = *guard;
                    letter = self.guards.or(letter, guard);
                }
                (Shape::And(inner), Side::And) | (Shape::Or(inner), Side::Or) => open.extend(inner),
                _ => flat.push(part),
            }
        }
        if letter == zero {
            return None;
        }
        if letter != one {
            flat.push(self.letter(letter));
        }
        flat.sort_unstable();
        flat.dedup();
        Some(flat)
    }

    /// Drops what others make superfluous, finds contradictions, and interns the rest.
    fn finish(&mut self, side: Side, mut parts: Vec<Formula>) -> Formula {
        let mut index = 0;
        while index < parts.len() {
            let part = parts[index];
            let mut superfluous = false;
            for (position, &other) in parts.iter().enumerate() {
                if position == index {
                    continue;
                }
                let dropped = self.implies_on(side, part, other);
                if self.cover_on(side, other, part) {
                    return side.yes();
                }
                superfluous |= dropped;
            }
            if superfluous {
                parts.remove(index);
            } else {
                index += 1;
            }
        }
        self.intern_joined(side, parts)
    }

    fn intern_joined(&mut self, side: Side, parts: Vec<Formula>) -> Formula {
        match parts.len() {
            0 => side.no(),
            1 => parts[0],
            _ => self.intern_on(side, Shape::Or(parts)),
        }
    }

    /// Replaces two parts by one, if some rule can.
    fn merge_once(&mut self, side: Side, parts: &[Formula]) -> Option<Vec<Formula>> {
        for first in 0..parts.len() {
            for second in first + 1..parts.len() {
                let merged = self
                    .merge_pair(side, parts[first], parts[second])
                    .or_else(|| self.merge_pair(side, parts[second], parts[first]));
                if let Some(merged) = merged {
                    let mut smaller: Vec<Formula> = parts.to_vec();
                    smaller.remove(second);
                    smaller[first] = merged;
                    return Some(smaller);
                }
            }
        }
        None
    }

    fn merge_pair(&mut self, side: Side, left: Formula, right: Formula) -> Option<Formula> {
        use Shape::{Next, Release, StrongRelease, Until, WeakUntil};
        let (l, r) = (self.seen_on(side, left), self.seen_on(side, right));
        Some(match (&l, &r) {
            (Next(a), Next(b)) => {
                let inner = self.join(side, vec![*a, *b]);
                self.next(inner)
            }
            // F a | F b = F(a | b), but not for F G, which is better alone.
            (Until(a, b), Until(c, d))
                if a == c && !self.is_suspendable(left) && !self.is_suspendable(right) =>
            {
                let either = self.join(side, vec![*b, *d]);
                self.until_on(side, *a, either)
            }
            (WeakUntil(a, b), WeakUntil(c, d) | Until(c, d)) if a == c => {
                let either = self.join(side, vec![*b, *d]);
                self.weak_until_on(side, *a, either)
            }
            (Release(a, b), Release(c, d) | StrongRelease(c, d)) if b == d && *a != side.no() => {
                let either = self.join(side, vec![*a, *c]);
                self.until_on(side.other(), either, *b)
            }
            (StrongRelease(a, b), StrongRelease(c, d)) if b == d => {
                let either = self.join(side, vec![*a, *c]);
                self.weak_until_on(side.other(), either, *b)
            }
            // a | X F a = F a
            (_, Next(inner)) => match self.seen_on(side, *inner) {
                Until(a, b) if a == side.yes() && b == left => *inner,
                _ => return None,
            },
            _ => return None,
        })
    }
}
