//! Does one formula imply another, as far as their shapes tell? Sound, not complete.
//! After Somenzi and Bloem 2000 (table 1), with the pure eventuality and universality of Etessami and Holzmann 2000.
//! Tested by `implications_hold_on_random_words` in the crate's tests.

use crate::formula::{Formula, Formulas, Shape};

impl Formulas {
    /// True only if every word that satisfies `left` satisfies `right`.
    pub fn surely_implies(&mut self, left: Formula, right: Formula) -> bool {
        if left == right || left == Formulas::FALSE || right == Formulas::TRUE {
            return true;
        }
        if let Some(&known) = self.implications.get(&(left, right)) {
            return known;
        }
        let answer = self.implies_by_shape(left, right);
        self.implications.insert((left, right), answer);
        answer
    }

    /// True only if no word satisfies both.
    pub fn surely_exclude(&mut self, left: Formula, right: Formula) -> bool {
        let not_right = self.negate(right);
        self.surely_implies(left, not_right)
    }

    /// True only if every word satisfies at least one.
    pub fn surely_cover(&mut self, left: Formula, right: Formula) -> bool {
        let not_left = self.negate(left);
        self.surely_implies(not_left, right)
    }

    fn all_imply(&mut self, left: &[Formula], right: Formula) -> bool {
        left.iter().all(|part| self.surely_implies(*part, right))
    }

    fn implies_by_shape(&mut self, left: Formula, right: Formula) -> bool {
        let (l, r) = (self.shape(left).clone(), self.shape(right).clone());
        match (&l, &r) {
            (Shape::Letter(a), Shape::Letter(b)) => return self.guards.implies(*a, *b),
            (Shape::Or(parts), _) => return self.all_imply(parts, right),
            (_, Shape::And(parts)) => return parts.iter().all(|part| self.surely_implies(left, *part)),
            _ => {}
        }
        if let Shape::And(parts) = &l
            && parts.iter().any(|part| self.surely_implies(*part, right))
        {
            return true;
        }
        if let Shape::Or(parts) = &r
            && parts.iter().any(|part| self.surely_implies(left, *part))
        {
            return true;
        }
        self.implied_by_closure(left, right, &l, &r)
            || self.implied_by_pair(&l, &r)
            || self.implied_by_unfolding_left(&l, right)
            || self.implied_by_unfolding_right(left, &r)
    }

    /// What is purely eventual need only hold later; what is purely universal holds later as well.
    fn implied_by_closure(&mut self, left: Formula, right: Formula, l: &Shape, r: &Shape) -> bool {
        if self.is_eventual(right) {
            match l {
                Shape::Next(a) if self.surely_implies(*a, right) => return true,
                Shape::Until(_, b) if self.surely_implies(*b, right) => return true,
                Shape::StrongRelease(a, _) if self.surely_implies(*a, right) => return true,
                _ => {}
            }
        }
        if self.is_universal(left) {
            match r {
                Shape::Next(a) if self.surely_implies(left, *a) => return true,
                Shape::Release(_, b) if self.surely_implies(left, *b) => return true,
                Shape::WeakUntil(a, _) if self.surely_implies(left, *a) => return true,
                _ => {}
            }
        }
        false
    }

    /// Two temporal operators compared operand by operand.
    fn implied_by_pair(&mut self, l: &Shape, r: &Shape) -> bool {
        use Shape::{Next, Release, StrongRelease, Until, WeakUntil};
        let mut all =
            |pairs: &[(&Formula, &Formula)]| pairs.iter().all(|(x, y)| self.surely_implies(**x, **y));
        match (l, r) {
            (Next(a), Next(c)) => all(&[(a, c)]),
            (Until(a, b), Until(c, d) | WeakUntil(c, d))
            | (WeakUntil(a, b), WeakUntil(c, d))
            | (Release(a, b), Release(c, d))
            | (StrongRelease(a, b), Release(c, d) | StrongRelease(c, d)) => all(&[(a, c), (b, d)]),
            // At the end of the first both its operands hold or only the second does: compare crosswise.
            (Until(a, b), StrongRelease(c, d) | Release(c, d)) | (WeakUntil(a, b), Release(c, d)) => {
                all(&[(a, d), (b, c), (b, d)])
            }
            (StrongRelease(a, b), Until(c, d) | WeakUntil(c, d)) | (Release(a, b), WeakUntil(c, d)) => {
                all(&[(b, c), (a, d)])
            }
            _ => false,
        }
    }

    /// What the left operator says of the present already implies the right formula.
    fn implied_by_unfolding_left(&mut self, l: &Shape, right: Formula) -> bool {
        match l {
            Shape::Until(a, b) | Shape::WeakUntil(a, b) => {
                self.surely_implies(*a, right) && self.surely_implies(*b, right)
            }
            Shape::Release(_, b) | Shape::StrongRelease(_, b) => self.surely_implies(*b, right),
            _ => false,
        }
    }

    /// The left formula already implies what makes the right operator true at once.
    fn implied_by_unfolding_right(&mut self, left: Formula, r: &Shape) -> bool {
        match r {
            Shape::Until(_, d) | Shape::WeakUntil(_, d) => self.surely_implies(left, *d),
            Shape::Release(c, d) | Shape::StrongRelease(c, d) => {
                self.surely_implies(left, *c) && self.surely_implies(left, *d)
            }
            _ => false,
        }
    }
}
