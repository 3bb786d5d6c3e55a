//! Smart constructors for the temporal operators: the smallest formula with the same meaning that the rules find.
//! Rules from Somenzi and Bloem 2000, Etessami and Holzmann 2000 and Babiak, Křetínský, Řehák, Strejček 2012.
//! Operands are taken as already rewritten, so a formula is rewritten bottom-up as it is built. Rules stand here for U
//! and W; R and M have their duals (`side`). Conjunction and disjunction are in `rewrite_boolean`. Tested by
//! `rewriting_keeps_the_meaning` on random words.

use crate::formula::{Formula, Formulas, Shape};
use crate::side::Side;

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
        self.finally_on(Side::Or, a)
    }

    /// `G a`, rewritten.
    pub fn globally(&mut self, a: Formula) -> Formula {
        self.finally_on(Side::And, a)
    }

    /// a U b.
    pub fn until(&mut self, a: Formula, b: Formula) -> Formula {
        self.until_on(Side::Or, a, b)
    }

    /// a R b.
    pub fn release(&mut self, a: Formula, b: Formula) -> Formula {
        self.until_on(Side::And, a, b)
    }

    /// a W b.
    pub fn weak_until(&mut self, a: Formula, b: Formula) -> Formula {
        self.weak_until_on(Side::Or, a, b)
    }

    /// a M b.
    pub fn strong_release(&mut self, a: Formula, b: Formula) -> Formula {
        self.weak_until_on(Side::And, a, b)
    }

    fn finally_on(&mut self, side: Side, a: Formula) -> Formula {
        self.until_on(side, side.yes(), a)
    }

    fn globally_on(&mut self, side: Side, a: Formula) -> Formula {
        self.finally_on(side.other(), a)
    }

    pub(crate) fn until_on(&mut self, side: Side, a: Formula, b: Formula) -> Formula {
        if self.is_eventual_on(side, b) || a == side.no() || self.implies_on(side, a, b) {
            return b;
        }
        if a == side.yes() || self.cover_on(side, a, b) {
            return self.finally_of(side, b);
        }
        let (left, right) = (self.seen_on(side, a), self.seen_on(side, b));
        match (&left, &right) {
            (Shape::Next(x), Shape::Next(y)) => {
                let inner = self.until_on(side, *x, *y);
                return self.next(inner);
            }
            (_, Shape::Until(c, _)) if self.implies_on(side, a, *c) => return b,
            (_, Shape::Until(c, d)) if self.implies_on(side, *c, a) => return self.until_on(side, a, *d),
            (Shape::Until(c, d) | Shape::WeakUntil(c, d), _) if *d == b => {
                return self.until_on(side, *c, b);
            }
            (Shape::Until(c, d) | Shape::WeakUntil(c, d), _) if self.implies_on(side, *c, b) => {
                return self.until_on(side, *d, b);
            }
            // a U (a & x) = x M a
            (_, Shape::And(parts)) if parts.contains(&a) => {
                let rest = parts.iter().copied().filter(|part| *part != a).collect();
                let rest = self.join(side.other(), rest);
                return self.weak_until_on(side.other(), rest, a);
            }
            // a U (b | G a) = a W b
            (_, Shape::Or(parts)) => {
                let always = self.intern_on(side, Shape::Release(side.no(), a));
                if parts.contains(&always) {
                    let rest = parts.iter().copied().filter(|part| *part != always).collect();
                    let rest = self.join(side, rest);
                    return self.weak_until_on(side, a, rest);
                }
            }
            _ => {}
        }
        if let Some(smaller) = self.needed_before(side, a, b) {
            return self.until_on(side, smaller, b);
        }
        self.intern_on(side, Shape::Until(a, b))
    }

    /// F b, where b is not purely eventual.
    fn finally_of(&mut self, side: Side, b: Formula) -> Formula {
        match self.seen_on(side, b) {
            Shape::Until(_, d) => return self.finally_on(side, d),
            Shape::StrongRelease(c, d) => {
                let both = self.join(side.other(), vec![c, d]);
                return self.finally_on(side, both);
            }
            Shape::WeakUntil(c, d) => {
                let always = self.globally_on(side, c);
                let either = self.join(side, vec![always, d]);
                return self.finally_on(side, either);
            }
            Shape::Release(c, d) if c != side.no() => {
                let (both, always) = (self.join(side.other(), vec![c, d]), self.globally_on(side, d));
                let either = self.join(side, vec![both, always]);
                return self.finally_on(side, either);
            }
            Shape::Next(c) => {
                let inner = self.finally_on(side, c);
                return self.next(inner);
            }
            // F G(x | u) = F G x | F u for purely universal u: once it holds, it holds for ever.
            Shape::Release(_, d) => {
                if let Some((inside, outside)) = self.without_universal(side, d) {
                    let always = self.globally_on(side, inside);
                    let mut either = vec![self.finally_on(side, always)];
                    for part in outside {
                        either.push(self.finally_on(side, part));
                    }
                    return self.join(side, either);
                }
            }
            // F(x & q) = F x & q for suspendable q.
            Shape::And(parts) => {
                let (mut outside, inside): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|part| self.is_suspendable(**part));
                if !outside.is_empty() {
                    let inside = self.join(side.other(), inside);
                    outside.push(self.finally_on(side, inside));
                    return self.join(side.other(), outside);
                }
            }
            // F(x | q) = F x | q for purely eventual q. G(x & F y) = G x & G F y as well; F(x | G y) stays together.
            Shape::Or(parts) => {
                let stands_alone = |part: &&Formula| {
                    self.is_eventual_on(side, **part)
                        || (side == Side::And && self.is_universal_on(side, **part))
                };
                let (mut outside, inside): (Vec<_>, Vec<_>) = parts.iter().partition(stands_alone);
                if !outside.is_empty() {
                    for part in &mut outside {
                        *part = self.finally_on(side, *part);
                    }
                    let inside = self.join(side, inside);
                    outside.push(self.finally_on(side, inside));
                    return self.join(side, outside);
                }
            }
            _ => {}
        }
        self.intern_on(side, Shape::Until(side.yes(), b))
    }

    pub(crate) fn weak_until_on(&mut self, side: Side, a: Formula, b: Formula) -> Formula {
        if a == side.no() || self.implies_on(side, a, b) {
            return b;
        }
        if b == side.no() {
            return self.globally_on(side, a);
        }
        if self.cover_on(side, a, b) {
            return side.yes();
        }
        if self.is_universal_on(side, a) {
            return self.join(side, vec![a, b]);
        }
        if self.is_eventual_on(side, b) {
            let always = self.globally_on(side, a);
            return self.join(side, vec![always, b]);
        }
        let (left, right) = (self.seen_on(side, a), self.seen_on(side, b));
        match (&left, &right) {
            (Shape::Next(x), Shape::Next(y)) => {
                let inner = self.weak_until_on(side, *x, *y);
                return self.next(inner);
            }
            (_, Shape::WeakUntil(c, _)) if self.implies_on(side, a, *c) => return b,
            (_, Shape::Until(c, d) | Shape::WeakUntil(c, d)) if self.implies_on(side, *c, a) => {
                return self.weak_until_on(side, a, *d);
            }
            (Shape::Until(_, d) | Shape::WeakUntil(_, d), _) if *d == b => return a,
            // a W (a & x) = x R a
            (_, Shape::And(parts)) if parts.contains(&a) => {
                let rest = parts.iter().copied().filter(|part| *part != a).collect();
                let rest = self.join(side.other(), rest);
                return self.until_on(side.other(), rest, a);
            }
            _ => {}
        }
        if let Some(smaller) = self.needed_before(side, a, b) {
            return self.weak_until_on(side, smaller, b);
        }
        self.intern_on(side, Shape::WeakUntil(a, b))
    }

    /// A disjunction without its purely universal parts, and those; `None` if it has none of either.
    fn without_universal(&mut self, side: Side, a: Formula) -> Option<(Formula, Vec<Formula>)> {
        let Shape::Or(parts) = self.seen_on(side, a) else { return None };
        let (outside, inside): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|part| self.is_universal_on(side, *part));
        (!outside.is_empty() && !inside.is_empty()).then(|| (self.join(side, inside), outside))
    }

    /// `a` matters only where `b` does not hold: drop disjuncts that imply `b` and conjuncts that `!b` implies.
    fn needed_before(&mut self, side: Side, a: Formula, b: Formula) -> Option<Formula> {
        match self.seen_on(side, a) {
            Shape::Or(parts) => {
                let kept: Vec<_> =
                    parts.iter().copied().filter(|part| !self.implies_on(side, *part, b)).collect();
                (kept.len() < parts.len()).then(|| self.join(side, kept))
            }
            Shape::And(parts) => {
                let kept: Vec<_> =
                    parts.iter().copied().filter(|part| !self.cover_on(side, *part, b)).collect();
                (kept.len() < parts.len()).then(|| self.join(side.other(), kept))
            }
            _ => None,
        }
    }
}
