//! Smart constructors for the temporal operators: the smallest formula with the same meaning that the rules find.
//! Rules from Somenzi and Bloem 2000, Etessami and Holzmann 2000 and Babiak, Křetínský, Řehák, Strejček 2012.
//! Operands are taken as already rewritten, so a formula is rewritten bottom-up as it is built. Conjunction and
//! disjunction are in `rewrite_boolean.rs`. Tested by `rewriting_keeps_the_meaning` on random words.

use crate::formula::{Formula, Formulas, Shape};

impl Formulas {
    /// `X a`, rewritten.
    pub fn next(&mut self, a: Formula) -> Formula {
        if self.is_suspendable(a) {
            return a;
        }
        self.intern(Shape::Next(a))
    }

    /// `F a`, rewritten.
    pub fn finally(&mut self, a: Formula) -> Formula {
        self.until(Formulas::TRUE, a)
    }

    /// `G a`, rewritten.
    pub fn globally(&mut self, a: Formula) -> Formula {
        self.release(Formulas::FALSE, a)
    }

    /// a U b.
    pub fn until(&mut self, a: Formula, b: Formula) -> Formula {
        if self.is_eventual(b) || a == Formulas::FALSE || self.surely_implies(a, b) {
            return b;
        }
        if a == Formulas::TRUE || self.surely_cover(a, b) {
            return self.finally_of(b);
        }
        let (left, right) = (self.shape(a).clone(), self.shape(b).clone());
        match (&left, &right) {
            (Shape::Next(x), Shape::Next(y)) => {
                let inner = self.until(*x, *y);
                return self.next(inner);
            }
            (_, Shape::Until(c, _)) if self.surely_implies(a, *c) => return b,
            (_, Shape::Until(c, d)) if self.surely_implies(*c, a) => return self.until(a, *d),
            (Shape::Until(c, d) | Shape::WeakUntil(c, d), _) if *d == b => return self.until(*c, b),
            (Shape::Until(c, d) | Shape::WeakUntil(c, d), _) if self.surely_implies(*c, b) => {
                return self.until(*d, b);
            }
            // a U (a & x) = x M a
            (_, Shape::And(parts)) if parts.contains(&a) => {
                let rest = self.and(parts.iter().copied().filter(|part| *part != a).collect());
                return self.strong_release(rest, a);
            }
            // a U (b | G a) = a W b
            (_, Shape::Or(parts)) => {
                let always = self.intern(Shape::Release(Formulas::FALSE, a));
                if parts.contains(&always) {
                    let rest = self.or(parts.iter().copied().filter(|part| *part != always).collect());
                    return self.weak_until(a, rest);
                }
            }
            _ => {}
        }
        if let Some(smaller) = self.needed_before(a, b) {
            return self.until(smaller, b);
        }
        self.intern(Shape::Until(a, b))
    }

    /// F b, where b is not purely eventual.
    fn finally_of(&mut self, b: Formula) -> Formula {
        match self.shape(b).clone() {
            Shape::Until(_, d) => return self.finally(d),
            Shape::StrongRelease(c, d) => {
                let both = self.and(vec![c, d]);
                return self.finally(both);
            }
            Shape::WeakUntil(c, d) => {
                let always = self.globally(c);
                let either = self.or(vec![always, d]);
                return self.finally(either);
            }
            Shape::Release(c, d) if c != Formulas::FALSE => {
                let (both, always) = (self.and(vec![c, d]), self.globally(d));
                let either = self.or(vec![both, always]);
                return self.finally(either);
            }
            Shape::Next(c) => {
                let inner = self.finally(c);
                return self.next(inner);
            }
            // F G(x | u) = F G x | F u for purely universal u: once it holds, it holds for ever.
            Shape::Release(_, d)
                if let Some((inside, outside)) = self.split_or(d, Formulas::is_universal) =>
            {
                let always = self.globally(inside);
                let mut either = vec![self.finally(always)];
                for part in outside {
                    either.push(self.finally(part));
                }
                return self.or(either);
            }
            // F(x & q) = F x & q for suspendable q.
            Shape::And(parts) => {
                let (mut outside, inside): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|part| self.is_suspendable(**part));
                if !outside.is_empty() {
                    let inside = self.and(inside);
                    outside.push(self.finally(inside));
                    return self.and(outside);
                }
            }
            // F(x | F y) = F(x | y), F(x | q) = F x | q for purely eventual q.
            Shape::Or(parts) => {
                let (mut outside, inside): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|part| self.is_eventual(**part));
                if !outside.is_empty() {
                    let inside = self.or(inside);
                    outside.push(self.finally(inside));
                    return self.or(outside);
                }
            }
            _ => {}
        }
        self.intern(Shape::Until(Formulas::TRUE, b))
    }

    /// a W b.
    pub fn weak_until(&mut self, a: Formula, b: Formula) -> Formula {
        if a == Formulas::FALSE || self.surely_implies(a, b) {
            return b;
        }
        if b == Formulas::FALSE {
            return self.globally(a);
        }
        if self.surely_cover(a, b) {
            return Formulas::TRUE;
        }
        if self.is_universal(a) {
            return self.or(vec![a, b]);
        }
        if self.is_eventual(b) {
            let always = self.globally(a);
            return self.or(vec![always, b]);
        }
        let (left, right) = (self.shape(a).clone(), self.shape(b).clone());
        match (&left, &right) {
            (Shape::Next(x), Shape::Next(y)) => {
                let inner = self.weak_until(*x, *y);
                return self.next(inner);
            }
            (_, Shape::WeakUntil(c, _)) if self.surely_implies(a, *c) => return b,
            (_, Shape::Until(c, d) | Shape::WeakUntil(c, d)) if self.surely_implies(*c, a) => {
                return self.weak_until(a, *d);
            }
            (Shape::Until(_, d) | Shape::WeakUntil(_, d), _) if *d == b => return a,
            // a W (a & x) = x R a
            (_, Shape::And(parts)) if parts.contains(&a) => {
                let rest = self.and(parts.iter().copied().filter(|part| *part != a).collect());
                return self.release(rest, a);
            }
            _ => {}
        }
        if let Some(smaller) = self.needed_before(a, b) {
            return self.weak_until(smaller, b);
        }
        self.intern(Shape::WeakUntil(a, b))
    }

    /// a R b.
    pub fn release(&mut self, a: Formula, b: Formula) -> Formula {
        if self.is_universal(b) || a == Formulas::TRUE || self.surely_implies(b, a) {
            return b;
        }
        if a == Formulas::FALSE || self.surely_exclude(a, b) {
            return self.globally_of(b);
        }
        let (left, right) = (self.shape(a).clone(), self.shape(b).clone());
        match (&left, &right) {
            (Shape::Next(x), Shape::Next(y)) => {
                let inner = self.release(*x, *y);
                return self.next(inner);
            }
            (_, Shape::Release(c, _)) if self.surely_implies(*c, a) => return b,
            (_, Shape::Release(c, d)) if self.surely_implies(a, *c) => return self.release(a, *d),
            (Shape::Release(c, d) | Shape::StrongRelease(c, d), _) if *d == b => return self.release(*c, b),
            (Shape::Release(c, d) | Shape::StrongRelease(c, d), _) if self.surely_implies(b, *c) => {
                return self.release(*d, b);
            }
            // a R (a | x) = x W a
            (_, Shape::Or(parts)) if parts.contains(&a) => {
                let rest = self.or(parts.iter().copied().filter(|part| *part != a).collect());
                return self.weak_until(rest, a);
            }
            // a R (b & F a) = a M b
            (_, Shape::And(parts)) => {
                let sometime = self.intern(Shape::Until(Formulas::TRUE, a));
                if parts.contains(&sometime) {
                    let rest = self.and(parts.iter().copied().filter(|part| *part != sometime).collect());
                    return self.strong_release(a, rest);
                }
            }
            _ => {}
        }
        if let Some(smaller) = self.needed_to_release(a, b) {
            return self.release(smaller, b);
        }
        self.intern(Shape::Release(a, b))
    }

    /// G b, where b is not purely universal.
    fn globally_of(&mut self, b: Formula) -> Formula {
        match self.shape(b).clone() {
            Shape::Release(_, d) => return self.globally(d),
            Shape::WeakUntil(c, d) => {
                let either = self.or(vec![c, d]);
                return self.globally(either);
            }
            Shape::StrongRelease(c, d) => {
                let sometime = self.finally(c);
                let both = self.and(vec![sometime, d]);
                return self.globally(both);
            }
            Shape::Until(c, d) if c != Formulas::TRUE => {
                let (either, sometime) = (self.or(vec![c, d]), self.finally(d));
                let both = self.and(vec![either, sometime]);
                return self.globally(both);
            }
            Shape::Next(c) => {
                let inner = self.globally(c);
                return self.next(inner);
            }
            // G F(x & e) = G F x & G e for purely eventual e: if it holds again and again, it holds always.
            Shape::Until(_, d) if let Some((inside, outside)) = self.split_and(d, Formulas::is_eventual) => {
                let sometime = self.finally(inside);
                let mut both = vec![self.globally(sometime)];
                for part in outside {
                    both.push(self.globally(part));
                }
                return self.and(both);
            }
            // G(x | q) = G x | q for suspendable q.
            Shape::Or(parts) => {
                let (mut outside, inside): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|part| self.is_suspendable(**part));
                if !outside.is_empty() {
                    let inside = self.or(inside);
                    outside.push(self.globally(inside));
                    return self.or(outside);
                }
            }
            // G(x & G y) = G x & G y, and so for all purely universal parts; G F y stands alone as well.
            Shape::And(parts) => {
                let (mut outside, inside): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|part| self.is_universal(**part) || self.is_eventual(**part));
                if !outside.is_empty() {
                    for part in &mut outside {
                        *part = self.globally(*part);
                    }
                    let inside = self.and(inside);
                    outside.push(self.globally(inside));
                    return self.and(outside);
                }
            }
            _ => {}
        }
        self.intern(Shape::Release(Formulas::FALSE, b))
    }

    /// a M b.
    pub fn strong_release(&mut self, a: Formula, b: Formula) -> Formula {
        if a == Formulas::TRUE || self.surely_implies(b, a) {
            return b;
        }
        if b == Formulas::TRUE {
            return self.finally(a);
        }
        if self.surely_exclude(a, b) {
            return Formulas::FALSE;
        }
        if self.is_eventual(a) {
            return self.and(vec![a, b]);
        }
        if self.is_universal(b) {
            let sometime = self.finally(a);
            return self.and(vec![sometime, b]);
        }
        let (left, right) = (self.shape(a).clone(), self.shape(b).clone());
        match (&left, &right) {
            (Shape::Next(x), Shape::Next(y)) => {
                let inner = self.strong_release(*x, *y);
                return self.next(inner);
            }
            (_, Shape::StrongRelease(c, _)) if self.surely_implies(*c, a) => return b,
            (_, Shape::Release(c, d) | Shape::StrongRelease(c, d)) if self.surely_implies(a, *c) => {
                return self.strong_release(a, *d);
            }
            (Shape::Release(_, d) | Shape::StrongRelease(_, d), _) if *d == b => return a,
            // a M (a | x) = x U a
            (_, Shape::Or(parts)) if parts.contains(&a) => {
                let rest = self.or(parts.iter().copied().filter(|part| *part != a).collect());
                return self.until(rest, a);
            }
            _ => {}
        }
        if let Some(smaller) = self.needed_to_release(a, b) {
            return self.strong_release(smaller, b);
        }
        self.intern(Shape::StrongRelease(a, b))
    }

    /// A conjunction as those of its parts that are not of a kind, and those that are; `None` if it has none of either.
    fn split_and(
        &mut self,
        a: Formula,
        of: impl Fn(&Formulas, Formula) -> bool,
    ) -> Option<(Formula, Vec<Formula>)> {
        let Shape::And(parts) = self.shape(a).clone() else { return None };
        let (outside, inside): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| of(self, *part));
        (!outside.is_empty() && !inside.is_empty()).then(|| (self.and(inside), outside))
    }

    /// The same of a disjunction.
    fn split_or(
        &mut self,
        a: Formula,
        of: impl Fn(&Formulas, Formula) -> bool,
    ) -> Option<(Formula, Vec<Formula>)> {
        let Shape::Or(parts) = self.shape(a).clone() else { return None };
        let (outside, inside): (Vec<_>, Vec<_>) = parts.into_iter().partition(|part| of(self, *part));
        (!outside.is_empty() && !inside.is_empty()).then(|| (self.or(inside), outside))
    }

    /// `a` matters only where `b` does not hold: drop disjuncts that imply `b` and conjuncts that `!b` implies.
    fn needed_before(&mut self, a: Formula, b: Formula) -> Option<Formula> {
        match self.shape(a).clone() {
            Shape::Or(parts) => {
                let kept: Vec<_> =
                    parts.iter().copied().filter(|part| !self.surely_implies(*part, b)).collect();
                (kept.len() < parts.len()).then(|| self.or(kept))
            }
            Shape::And(parts) => {
                let kept: Vec<_> =
                    parts.iter().copied().filter(|part| !self.surely_cover(*part, b)).collect();
                (kept.len() < parts.len()).then(|| self.and(kept))
            }
            _ => None,
        }
    }

    /// `a` matters only where `b` holds: drop conjuncts that `b` implies and disjuncts that exclude `b`.
    fn needed_to_release(&mut self, a: Formula, b: Formula) -> Option<Formula> {
        match self.shape(a).clone() {
            Shape::And(parts) => {
                let kept: Vec<_> =
                    parts.iter().copied().filter(|part| !self.surely_implies(b, *part)).collect();
                (kept.len() < parts.len()).then(|| self.and(kept))
            }
            Shape::Or(parts) => {
                let kept: Vec<_> =
                    parts.iter().copied().filter(|part| !self.surely_exclude(*part, b)).collect();
                (kept.len() < parts.len()).then(|| self.or(kept))
            }
            _ => None,
        }
    }
}
