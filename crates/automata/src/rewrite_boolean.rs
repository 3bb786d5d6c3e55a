//! Smart constructors for conjunction and disjunction. See `rewrite.rs` for where the rules come from.

use crate::formula::{Formula, Formulas, Shape};
use crate::guard::Guard;

/// Which of the two operators; the rules are dual.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    And,
    Or,
}

impl Formulas {
    /// The conjunction.
    pub fn and(&mut self, parts: Vec<Formula>) -> Formula {
        self.join(Join::And, parts)
    }

    /// The disjunction.
    pub fn or(&mut self, parts: Vec<Formula>) -> Formula {
        self.join(Join::Or, parts)
    }

    /// The conjunction of what a run still owes: only contradictions are found, nothing is dropped or merged.
    /// Dropping a part because another implies it would be wrong here: `a R (X F b)` implies `F b`, and yet a run that
    /// owes both may not forget `F b` at every step. Merging could make ever new formulas.
    pub(crate) fn obligations(&mut self, parts: Vec<Formula>) -> Formula {
        let Some(parts) = self.flatten(Join::And, parts) else { return Formulas::FALSE };
        for (position, &part) in parts.iter().enumerate() {
            for &other in &parts[position + 1..] {
                if self.surely_exclude(part, other) {
                    return Formulas::FALSE;
                }
            }
        }
        self.intern_joined(Join::And, parts)
    }

    fn join(&mut self, join: Join, parts: Vec<Formula>) -> Formula {
        let zero = match join {
            Join::And => Formulas::FALSE,
            Join::Or => Formulas::TRUE,
        };
        let Some(mut parts) = self.flatten(join, parts) else { return zero };
        loop {
            let merged = self.merge_once(join, &parts);
            match merged {
                None => return self.finish(join, parts),
                Some(smaller) => match self.flatten(join, smaller) {
                    Some(flat) => parts = flat,
                    None => return zero,
                },
            }
        }
    }

    /// One list of distinct parts with at most one letter; `None` if the whole is the zero of the operator.
    fn flatten(&mut self, join: Join, parts: Vec<Formula>) -> Option<Vec<Formula>> {
        let mut letter = match join {
            Join::And => Guard::TRUE,
            Join::Or => Guard::FALSE,
        };
        let (one, zero) = (letter, if join == Join::And { Guard::FALSE } else { Guard::TRUE });
        let mut flat = Vec::new();
        let mut open = parts;
        while let Some(part) = open.pop() {
            match (self.shape(part), join) {
                (Shape::Letter(guard), Join::And) => {
                    let guard = *guard;
                    letter = self.guards.and(letter, guard);
                }
                (Shape::Letter(guard), Join::Or) => {
                    let guard = *guard;
                    letter = self.guards.or(letter, guard);
                }
                (Shape::And(inner), Join::And) | (Shape::Or(inner), Join::Or) => open.extend(inner),
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
    fn finish(&mut self, join: Join, mut parts: Vec<Formula>) -> Formula {
        let zero = if join == Join::And { Formulas::FALSE } else { Formulas::TRUE };
        let mut index = 0;
        while index < parts.len() {
            let part = parts[index];
            let mut superfluous = false;
            for (position, &other) in parts.iter().enumerate() {
                if position == index {
                    continue;
                }
                let (dropped, clash) = match join {
                    Join::And => (self.surely_implies(other, part), self.surely_exclude(other, part)),
                    Join::Or => (self.surely_implies(part, other), self.surely_cover(other, part)),
                };
                if clash {
                    return zero;
                }
                superfluous |= dropped;
            }
            if superfluous {
                parts.remove(index);
            } else {
                index += 1;
            }
        }
        self.intern_joined(join, parts)
    }

    fn intern_joined(&mut self, join: Join, parts: Vec<Formula>) -> Formula {
        match (parts.len(), join) {
            (0, Join::And) => Formulas::TRUE,
            (0, Join::Or) => Formulas::FALSE,
            (1, _) => parts[0],
            (_, Join::And) => self.intern(Shape::And(parts)),
            (_, Join::Or) => self.intern(Shape::Or(parts)),
        }
    }

    /// Replaces two parts by one, if some rule can.
    fn merge_once(&mut self, join: Join, parts: &[Formula]) -> Option<Vec<Formula>> {
        for first in 0..parts.len() {
            for second in first + 1..parts.len() {
                let merged = self
                    .merge_pair(join, parts[first], parts[second])
                    .or_else(|| self.merge_pair(join, parts[second], parts[first]));
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

    fn merge_pair(&mut self, join: Join, left: Formula, right: Formula) -> Option<Formula> {
        use Shape::{Next, Release, StrongRelease, Until, WeakUntil};
        let (l, r) = (self.shape(left).clone(), self.shape(right).clone());
        Some(match (join, &l, &r) {
            (_, Next(a), Next(b)) => {
                let inner = self.join(join, vec![*a, *b]);
                self.next(inner)
            }
            // G a & G b = G(a & b), but not for G F, which is better alone.
            (Join::And, Release(a, b), Release(c, d))
                if a == c && !self.is_suspendable(left) && !self.is_suspendable(right) =>
            {
                let (a, both) = (*a, self.and(vec![*b, *d]));
                self.release(a, both)
            }
            (Join::And, StrongRelease(a, b), Release(c, d) | StrongRelease(c, d)) if a == c => {
                let both = self.and(vec![*b, *d]);
                self.strong_release(*a, both)
            }
            (Join::And, Until(a, b), Until(c, d) | WeakUntil(c, d)) if b == d && *a != Formulas::TRUE => {
                let both = self.and(vec![*a, *c]);
                self.until(both, *b)
            }
            (Join::And, WeakUntil(a, b), WeakUntil(c, d)) if b == d => {
                let both = self.and(vec![*a, *c]);
                self.weak_until(both, *b)
            }
            // F a | F b = F(a | b), but not for F G.
            (Join::Or, Until(a, b), Until(c, d))
                if a == c && !self.is_suspendable(left) && !self.is_suspendable(right) =>
            {
                let (a, either) = (*a, self.or(vec![*b, *d]));
                self.until(a, either)
            }
            (Join::Or, WeakUntil(a, b), WeakUntil(c, d) | Until(c, d)) if a == c => {
                let either = self.or(vec![*b, *d]);
                self.weak_until(*a, either)
            }
            (Join::Or, Release(a, b), Release(c, d) | StrongRelease(c, d))
                if b == d && *a != Formulas::FALSE =>
            {
                let either = self.or(vec![*a, *c]);
                self.release(either, *b)
            }
            (Join::Or, StrongRelease(a, b), StrongRelease(c, d)) if b == d => {
                let either = self.or(vec![*a, *c]);
                self.strong_release(either, *b)
            }
            // a & X G a = G a, a | X F a = F a.
            (Join::And, _, Next(inner)) => match self.shape(*inner).clone() {
                Release(Formulas::FALSE, b) if b == left => *inner,
                _ => return None,
            },
            (Join::Or, _, Next(inner)) => match self.shape(*inner).clone() {
                Until(Formulas::TRUE, b) if b == left => *inner,
                _ => return None,
            },
            _ => return None,
        })
    }
}
