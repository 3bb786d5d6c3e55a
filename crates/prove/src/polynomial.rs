//! Equations between words in a normal form: both sides as one polynomial over their parts, modulo 2^width.
//! Two equations that say the same by rearranging sums and products become the same term, so that no solver
//! has to find that out bit by bit.
//!
//! Only rewriting: the result is equivalent to what is given. A part that is a choice between words (`ite`)
//! splits the equation.
//!
//! Worked example: `2 * (x + y) == x * 2 + z` is `2x + 2y - 2x - z = 0`, that is `2y - z = 0`. The equation
//! `z == y + y` is the same polynomial, and both become one term. Minus one is 2^32 less
//! one there: coefficients are taken modulo 2^width.

use logic::term::Op;
use logic::{Bits, Sort, TermId};
use std::collections::BTreeMap;
use symbolic::Terms;

/// Terms looked at, monomials, factors of each, choices split: more are left as they are.
const MOST_DEPTH: u32 = 40;
const MOST_MONOMIALS: usize = 60;
const MOST_FACTORS: usize = 4;
const MOST_SPLITS: u32 = 5;
const WIDEST: u32 = 64;

/// Factors in order; none for the constant.
type Monomial = Vec<TermId>;

/// A polynomial with coefficients modulo 2^width; no coefficient is zero.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Polynomial {
    width: u32,
    monomials: BTreeMap<Monomial, u64>,
}

impl Polynomial {
    fn zero(width: u32) -> Polynomial {
        Polynomial { width, monomials: BTreeMap::new() }
    }

    fn of_part(width: u32, part: TermId) -> Polynomial {
        let mut own = Polynomial::zero(width);
        own.add(vec![part], 1);
        own
    }

    fn mask(&self) -> u64 {
        if self.width >= 64 { u64::MAX } else { (1 << self.width) - 1 }
    }

    fn add(&mut self, monomial: Monomial, coefficient: u64) {
        let mask = self.mask();
        let own = self.monomials.entry(monomial.clone()).or_insert(0);
        *own = own.wrapping_add(coefficient) & mask;
        if *own == 0 {
            self.monomials.remove(&monomial);
        }
    }

    fn add_scaled(&mut self, other: &Polynomial, factor: u64) {
        for (monomial, &coefficient) in &other.monomials {
            self.add(monomial.clone(), coefficient.wrapping_mul(factor));
        }
    }

    /// The product, unless it gets too large.
    fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut product = Polynomial::zero(self.width);
        for (one, &a) in &self.monomials {
            for (two, &b) in &other.monomials {
                let mut factors = [&one[..], &two[..]].concat();
                factors.sort_unstable();
                if factors.len() > MOST_FACTORS {
                    return None;
                }
                product.add(factors, a.wrapping_mul(b));
            }
        }
        (product.monomials.len() <= MOST_MONOMIALS).then_some(product)
    }

    /// With parts exchanged for polynomials, unless it gets too large.
    fn replaced(&self, by: &BTreeMap<TermId, Polynomial>) -> Option<Polynomial> {
        let mut result = Polynomial::zero(self.width);
        for (monomial, &coefficient) in &self.monomials {
            let mut product = Polynomial::zero(self.width);
            product.add(Vec::new(), coefficient);
            for factor in monomial {
                product = match by.get(factor) {
                    Some(other) => product.times(other)?,
                    None => product.times(&Polynomial::of_part(self.width, *factor))?,
                };
            }
            result.add_scaled(&product, 1);
        }
        (result.monomials.len() <= MOST_MONOMIALS).then_some(result)
    }
}

/// A word as a polynomial.
fn polynomial(terms: &mut Terms, term: TermId, depth: u32) -> Polynomial {
    let width = terms.pool.width(term);
    let part = Polynomial::of_part(width, term);
    if let Some(bits) = terms.pool.constant_value(term) {
        let mut own = Polynomial::zero(width);
        own.add(Vec::new(), bits.to_u64().unwrap_or(0));
        return own;
    }
    if depth == 0 {
        return part;
    }
    let arguments: Vec<TermId> = terms.pool.arguments(term).to_vec();
    let minus_one = part.mask();
    match (terms.pool.op(term), &arguments[..]) {
        (Op::BvAdd, &[one, two]) | (Op::BvSub, &[one, two]) => {
            let factor = if terms.pool.op(term) == Op::BvSub { minus_one } else { 1 };
            let mut sum = polynomial(terms, one, depth - 1);
            sum.add_scaled(&polynomial(terms, two, depth - 1), factor);
            if sum.monomials.len() <= MOST_MONOMIALS { sum } else { part }
        }
        (Op::BvNeg, &[one]) => {
            let mut own = Polynomial::zero(width);
            own.add_scaled(&polynomial(terms, one, depth - 1), minus_one);
            own
        }
        (Op::BvNot, &[one]) => {
            let mut own = Polynomial::zero(width);
            own.add_scaled(&polynomial(terms, one, depth - 1), minus_one);
            own.add(Vec::new(), minus_one);
            own
        }
        (Op::BvMul, &[one, two]) => {
            let (one, two) = (polynomial(terms, one, depth - 1), polynomial(terms, two, depth - 1));
            one.times(&two).unwrap_or(part)
        }
        (Op::BvShl, &[one, by]) => match terms.constant(by) {
            Some(by) if by < u128::from(width) => {
                let mut own = Polynomial::zero(width);
                own.add_scaled(&polynomial(terms, one, depth - 1), 1 << by);
                own
            }
            _ => part,
        },
        // The low bits of a sum or product are those of the parts' low bits.
        (Op::Extract { low: 0, high }, &[one]) if terms.pool.width(one) <= WIDEST => {
            let wide = polynomial(terms, one, depth - 1);
            if wide.monomials.len() == 1 && wide.monomials.contains_key(&vec![one]) {
                return part;
            }
            let mut own = Polynomial::zero(width);
            for (monomial, coefficient) in wide.monomials {
                let mut factors: Monomial =
                    monomial.into_iter().map(|factor| terms.cut(factor, high, 0)).collect();
                factors.sort_unstable();
                if factors.iter().any(|&factor| terms.constant(factor).is_some()) {
                    return part;
                }
                own.add(factors, coefficient);
            }
            own
        }
        _ => part,
    }
}

/// A word as a number plus multiples of parts, all modulo 2^width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// Its bits.
    pub width: u32,
    /// The number, as a signed one.
    pub constant: i64,
    /// What it has of each part; none of them nothing.
    pub parts: Vec<(TermId, i64)>,
}

/// A word as a sum of multiples, if it is one.
pub fn linear(terms: &mut Terms, term: TermId) -> Option<Linear> {
    if !is_word(terms, term) {
        return None;
    }
    let own = polynomial(terms, term, MOST_DEPTH);
    let shift = 64 - own.width;
    let signed = |coefficient: u64| ((coefficient << shift) as i64) >> shift;
    let mut found = Linear { width: own.width, constant: 0, parts: Vec::new() };
    for (monomial, &coefficient) in &own.monomials {
        match monomial[..] {
            [] => found.constant = signed(coefficient),
            [part] => found.parts.push((part, signed(coefficient))),
            _ => return None,
        }
    }
    Some(found)
}

impl Linear {
    /// It, divided by a number that all of it is a multiple of.
    pub fn divided(&self, by: i64) -> Option<Linear> {
        let is_whole = self.constant % by == 0 && self.parts.iter().all(|(_, own)| own % by == 0);
        is_whole.then(|| Linear {
            width: self.width,
            constant: self.constant / by,
            parts: self.parts.iter().map(|&(part, own)| (part, own / by)).collect(),
        })
    }

    /// It as a word.
    pub fn term(&self, terms: &mut Terms) -> TermId {
        let mut sum = terms.number(self.width, 0);
        for &(part, own) in &self.parts {
            let product = if own == 1 { part } else { terms.times(part, own as u128) };
            sum = terms.add(sum, product);
        }
        terms.add_number(sum, self.constant as u128)
    }
}

/// The same condition with its equations in normal form.
pub fn settled(terms: &mut Terms, condition: TermId) -> TermId {
    settled_below(terms, condition, 4)
}

fn settled_below(terms: &mut Terms, condition: TermId, depth: u32) -> TermId {
    let arguments: Vec<TermId> = terms.pool.arguments(condition).to_vec();
    match (terms.pool.op(condition), &arguments[..]) {
        (Op::Equal, &[one, two]) if is_word(terms, one) => {
            let mut sides = polynomial(terms, one, MOST_DEPTH);
            let mask = sides.mask();
            sides.add_scaled(&polynomial(terms, two, MOST_DEPTH), mask);
            let equation = equation(terms, &sides, MOST_SPLITS);
            equation.unwrap_or(condition)
        }
        (Op::Not | Op::And | Op::Or, _) if depth > 0 => {
            let new: Vec<TermId> =
                arguments.iter().map(|&argument| settled_below(terms, argument, depth - 1)).collect();
            if new == arguments {
                return condition;
            }
            let same = terms.pool.with_arguments(condition, &new);
            terms.simple(same)
        }
        _ => condition,
    }
}

fn is_word(terms: &Terms, term: TermId) -> bool {
    matches!(terms.pool.sort(term), Sort::BitVec(width) if width <= WIDEST)
}

/// That a polynomial is zero.
fn equation(terms: &mut Terms, sides: &Polynomial, splits: u32) -> Option<TermId> {
    let choice = sides.monomials.keys().flatten().copied().find(|&part| terms.pool.op(part) == Op::Ite);
    if let Some(choice) = choice.filter(|_| splits > 0) {
        let test = terms.pool.arguments(choice)[0];
        let (mut then, mut other) = (BTreeMap::new(), BTreeMap::new());
        let parts: Vec<TermId> = sides.monomials.keys().flatten().copied().collect();
        for part in parts {
            let arguments: Vec<TermId> = terms.pool.arguments(part).to_vec();
            if let (Op::Ite, &[own, one, two]) = (terms.pool.op(part), &arguments[..])
                && own == test
            {
                then.insert(part, polynomial(terms, one, MOST_DEPTH));
                other.insert(part, polynomial(terms, two, MOST_DEPTH));
            }
        }
        let one = equation(terms, &sides.replaced(&then)?, splits - 1)?;
        let two = equation(terms, &sides.replaced(&other)?, splits - 1)?;
        let both = terms.pool.ite(test, one, two);
        return Some(terms.simple(both));
    }
    // Of a polynomial and its opposite the one whose first coefficient is small.
    let half = sides.mask() / 2;
    let is_turned = sides.monomials.iter().next_back().is_some_and(|(_, &coefficient)| coefficient > half);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (monomial, &coefficient) in &sides.monomials {
        let coefficient = if is_turned { coefficient.wrapping_neg() & sides.mask() } else { coefficient };
        if coefficient > half {
            right.push((monomial, coefficient.wrapping_neg() & sides.mask()));
        } else {
            left.push((monomial, coefficient));
        }
    }
    let (left, right) = (sum(terms, sides.width, &left), sum(terms, sides.width, &right));
    Some(terms.equal(left, right))
}

fn sum(terms: &mut Terms, width: u32, parts: &[(&Monomial, u64)]) -> TermId {
    let mut total = terms.number(width, 0);
    // The constant stands last.
    for (monomial, coefficient) in parts.iter().rev() {
        let mut product = terms.pool.constant(Bits::from_u64(width, *coefficient));
        for (at, &factor) in monomial.iter().enumerate() {
            let multiplied =
                if at == 0 && *coefficient == 1 { factor } else { terms.pool.bvmul(factor, product) };
            product = terms.simple(multiplied);
        }
        total = terms.add(total, product);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::{linear, settled};
    use logic::traits::{Assert, CheckAssuming};
    use logic::{Answer, EmbeddedSolver, TermId};
    use symbolic::Terms;

    /// 2·(s + i) = (i + 1)·(i + 1) - (i + 1) says what 2·s = i·i - i says.
    #[test]
    fn rearranged_equations_become_one() {
        let mut terms = Terms::new();
        let (s, i) = (terms.fresh_bits("s", 32), terms.fresh_bits("i", 32));
        let one = gauss(&mut terms, s, i);
        let (sum, next) = (terms.add(s, i), terms.add_number(i, 1));
        let two = gauss(&mut terms, sum, next);
        assert_ne!(one, two);
        assert_eq!(settled(&mut terms, one), settled(&mut terms, two));
        let other = gauss(&mut terms, s, next);
        assert_ne!(settled(&mut terms, one), settled(&mut terms, other));
    }

    /// 24·i + 4·j - 12 is a multiple of 4 and no multiple of 8; as a word again it is the same.
    #[test]
    fn sums_of_multiples_are_divided() {
        let mut terms = Terms::new();
        let (i, j) = (terms.fresh_bits("i", 32), terms.fresh_bits("j", 32));
        let (rows, columns) = (terms.times(i, 24), terms.times(j, 4));
        let sum = terms.add(rows, columns);
        let address = terms.add_number(sum, 12u128.wrapping_neg());
        let found = linear(&mut terms, address).expect("a sum of multiples");
        assert_eq!(found.constant, -12);
        assert_eq!(found.divided(8), None);
        let elements = found.divided(4).expect("all of it is a multiple of 4");
        assert_eq!((elements.constant, elements.parts.len()), (-3, 2));
        assert!(elements.parts.contains(&(i, 6)) && elements.parts.contains(&(j, 1)));
        let (once, again) = (elements.term(&mut terms), found.term(&mut terms));
        let four = terms.times(once, 4);
        let differ = {
            let same = terms.equal(four, again);
            terms.not(same)
        };
        let mut solver = EmbeddedSolver::default();
        solver.assert(&mut terms.pool, differ);
        let answer = solver.check_assuming(&mut terms.pool, &[], &base::Budget::unlimited());
        assert_eq!(answer, Answer::Unsat);
        let product = terms.pool.bvmul(i, j);
        assert_eq!(linear(&mut terms, product), None);
    }

    fn gauss(terms: &mut Terms, s: TermId, i: TermId) -> TermId {
        let (double, square) = (terms.times(s, 2), terms.pool.bvmul(i, i));
        let right = terms.sub(square, i);
        terms.pool.equal(double, right)
    }

    /// The normal form says the same as the equation, choices and cuts included: the solver finds no
    /// difference.
    #[test]
    fn the_normal_form_keeps_the_meaning() {
        let mut terms = Terms::new();
        let (x, y) = (terms.fresh_bits("x", 5), terms.fresh_bits("y", 5));
        let c = terms.fresh("c", logic::Sort::Bool);
        let choice = terms.pool.ite(c, x, y);
        let wide = terms.pool.sign_extend(choice, 3);
        let wide = terms.add_number(wide, 200);
        let cut = terms.pool.extract(wide, 4, 0);
        let product = terms.pool.bvmul(choice, y);
        let shifted = {
            let by = terms.number(5, 2);
            terms.pool.bvshl(x, by)
        };
        let not = terms.pool.bvnot(y);
        let sides = [x, choice, cut, product, shifted, not];
        for &one in &sides {
            for &two in &sides {
                let sum = terms.pool.bvadd(one, y);
                let difference = terms.pool.bvsub(two, x);
                let equation = terms.pool.equal(sum, difference);
                let normal = settled(&mut terms, equation);
                let differ = terms.pool.xor(equation, normal);
                let mut solver = EmbeddedSolver::default();
                solver.assert(&mut terms.pool, differ);
                let answer = solver.check_assuming(&mut terms.pool, &[], &base::Budget::unlimited());
                assert_eq!(answer, Answer::Unsat);
            }
        }
    }
}
