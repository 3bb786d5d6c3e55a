//! Guesses at conditions on a path: comparisons of what matters with constants and with each other, and what
//! the program itself asks. They need not be right: only those that hold on the path are used, and of these
//! only what is needed. Lists begin with what is better dropped: what only this path shows, such as the
//! values variables happen to have; they end with what is likely to hold on other paths too.

use logic::term::{Op, Postorder, symbols_in};
use logic::{Sort, TermId, TermPool};
use rustc_hash::FxHashSet;
use symbolic::{Encoder, StateVariable, Terms};

/// A number that is guessed about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The number, as a term.
    pub term: TermId,
    /// Is it compared with its sign?
    pub signed: bool,
    /// Has it a name in the program?
    pub is_named: bool,
}

/// Bounds on guesses.
const MOST_SUBJECTS: usize = 12;
const MOST_NUMBERS: usize = 8;
const MOST_SOURCES: usize = 6;

/// Is it a bit-vector of the width of a C number?
pub fn is_number(terms: &Terms, term: TermId) -> bool {
    matches!(terms.pool.sort(term), Sort::BitVec(width) if width <= 64)
}

/// A part of a state as a subject, if it is an integer variable of at most 64 bits.
pub fn subject_of(encoder: &Encoder<'_>, part: StateVariable, symbol: TermId) -> Option<Subject> {
    let (StateVariable::Global(id) | StateVariable::Local(_, id)) = part else { return None };
    let program = encoder.meaning.program;
    let ty = program.variables[id].ty.id;
    let shape =
        program.types.integer_shape(ty).filter(|shape| program.types.is_integer(ty) && shape.width <= 64)?;
    let is_named = program.variables[id].kind != program::VariableKind::Temporary;
    Some(Subject { term: symbol, signed: shape.signed, is_named })
}

/// What a question is about: variables it mentions, cells of memory it reads, and the values of these
/// variables at entry.
pub fn subjects(
    encoder: &Encoder<'_>,
    parts: &[(StateVariable, TermId)],
    bad: TermId,
    allowed: &FxHashSet<TermId>,
) -> Vec<Subject> {
    let pool = &encoder.terms.pool;
    let mentioned: FxHashSet<TermId> = symbols_in(pool, &[bad]).into_iter().collect();
    let mut found: Vec<Subject> = Vec::new();
    let mut variables = FxHashSet::default();
    for &(part, symbol) in parts {
        if mentioned.contains(&symbol)
            && let Some(subject) = subject_of(encoder, part, symbol)
        {
            found.push(subject);
            variables.insert(part);
        }
    }
    for &(part, symbol) in parts {
        if variables.contains(&part)
            && !mentioned.contains(&symbol)
            && let Some(subject) = subject_of(encoder, part, symbol)
        {
            found.push(subject);
        }
    }
    for term in Postorder::new(pool, &[bad]) {
        if pool.op(term) == Op::Select
            && matches!(pool.sort(term), Sort::BitVec(width) if width <= 64)
            && symbols_in(pool, &[term]).iter().all(|symbol| allowed.contains(symbol))
        {
            found.push(Subject { term, signed: true, is_named: false });
        }
    }
    found.truncate(MOST_SUBJECTS);
    found
}

fn at_most(terms: &mut Terms, a: TermId, b: TermId, signed: bool) -> TermId {
    let term = if signed { terms.pool.sle(a, b) } else { terms.pool.ule(a, b) };
    terms.simple(term)
}

fn fits(value: i128, width: u32) -> bool {
    value >= -(1i128 << (width - 1)) && value < (1i128 << width)
}

/// The numbers of a width that a term mentions.
fn numbers_in(terms: &Terms, term: TermId, width: u32) -> Vec<i128> {
    let mut found = Vec::new();
    for part in Postorder::new(&terms.pool, &[term]) {
        if terms.pool.sort(part) == Sort::BitVec(width)
            && let Some(bits) = terms.constant(part)
        {
            let value =
                if bits >> (width - 1) & 1 == 1 { bits as i128 - (1i128 << width) } else { bits as i128 };
            if !found.contains(&value) {
                found.push(value);
            }
        }
    }
    found.truncate(MOST_NUMBERS);
    found
}

/// Comparisons of subjects; `starts` are the values they have on the path, where these are constant.
pub fn about(
    terms: &mut Terms,
    subjects: &[Subject],
    starts: &[Option<u128>],
    numbers: &[i128],
    bad: TermId,
) -> Vec<TermId> {
    let (mut values, mut pairs, mut bounds, mut orders) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (subject, start) in subjects.iter().zip(starts) {
        let width = terms.pool.width(subject.term);
        if let Some(start) = start {
            let number = terms.number(width, *start);
            values.push(terms.equal(subject.term, number));
            bounds.push(at_most(terms, number, subject.term, subject.signed));
            bounds.push(at_most(terms, subject.term, number, subject.signed));
            for low in [1, 2] {
                if width > low {
                    let part = terms.cut(subject.term, low - 1, 0);
                    let number = terms.number(low, *start);
                    bounds.push(terms.equal(part, number));
                }
            }
        }
        let mut near = numbers_in(terms, bad, width);
        near.extend(numbers.iter().copied().take(MOST_NUMBERS));
        for value in near {
            if !fits(value, width) {
                continue;
            }
            let number = terms.number(width, value as u128);
            let same = terms.equal(subject.term, number);
            values.push(same);
            bounds.push(terms.not(same));
            bounds.push(at_most(terms, number, subject.term, subject.signed));
            bounds.push(at_most(terms, subject.term, number, subject.signed));
        }
    }
    for (at, one) in subjects.iter().enumerate() {
        for (other_at, two) in subjects.iter().enumerate() {
            if at == other_at || terms.pool.width(one.term) != terms.pool.width(two.term) {
                continue;
            }
            let signed = one.signed && two.signed;
            let below = at_most(terms, one.term, two.term, signed);
            orders.push(below);
            orders.push(terms.not(below));
            if at < other_at {
                let same = terms.equal(one.term, two.term);
                orders.push(same);
                orders.push(terms.not(same));
                let width = terms.pool.width(one.term);
                if let (Some(x), Some(y)) = (starts[at], starts[other_at]) {
                    let difference = terms.sub(one.term, two.term);
                    let number = terms.number(width, x.wrapping_sub(y));
                    pairs.push(terms.equal(difference, number));
                    let sum = terms.add(one.term, two.term);
                    let number = terms.number(width, x.wrapping_add(y));
                    pairs.push(terms.equal(sum, number));
                    let twice = terms.times(two.term, 2);
                    let difference = terms.sub(one.term, twice);
                    let number = terms.number(width, x.wrapping_sub(y.wrapping_mul(2)));
                    pairs.push(terms.equal(difference, number));
                }
            }
        }
    }
    values.append(&mut pairs);
    values.append(&mut bounds);
    values.append(&mut orders);
    values
}

/// Comparisons of what a call leaves behind with constants and with what it was given; apart from these, that
/// it is what was given, or the sum of two of these.
pub fn about_results(
    terms: &mut Terms,
    targets: &[Subject],
    sources: &[Subject],
    numbers: &[i128],
    bad: TermId,
) -> (Vec<TermId>, Vec<TermId>) {
    let (mut values, mut sums, mut bounds, mut orders) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut given, mut added) = (Vec::new(), Vec::new());
    for target in targets.iter().take(MOST_SUBJECTS) {
        let width = terms.pool.width(target.term);
        let mut near = numbers_in(terms, bad, width);
        near.extend(numbers.iter().copied().take(MOST_NUMBERS));
        for &value in near.iter().filter(|&&value| fits(value, width)) {
            let number = terms.number(width, value as u128);
            let same = terms.equal(target.term, number);
            values.push(same);
            bounds.push(terms.not(same));
            bounds.push(at_most(terms, number, target.term, target.signed));
            bounds.push(at_most(terms, target.term, number, target.signed));
        }
        let same_width: Vec<&Subject> = sources
            .iter()
            .filter(|source| terms.pool.width(source.term) == width)
            .take(MOST_SOURCES)
            .collect();
        for (at, source) in same_width.iter().enumerate() {
            for by in near.iter().flat_map(|&value| [value, -value]).filter(|&value| value != 0) {
                let moved = terms.add_number(source.term, by as u128);
                sums.push(terms.equal(target.term, moved));
                sums.push(at_most(terms, moved, target.term, target.signed && source.signed));
                sums.push(at_most(terms, target.term, moved, target.signed && source.signed));
            }
            let doubled = terms.times(source.term, 2);
            sums.push(terms.equal(target.term, doubled));
            for other in &same_width[at + 1..] {
                let sum = terms.add(source.term, other.term);
                added.push(terms.equal(target.term, sum));
                let product = terms.pool.bvmul(source.term, other.term);
                let product = terms.simple(product);
                sums.push(terms.equal(target.term, product));
                for (one, two) in [(source, other), (other, source)] {
                    let difference = terms.sub(one.term, two.term);
                    sums.push(terms.equal(target.term, difference));
                }
            }
            let signed = target.signed && source.signed;
            given.push(terms.equal(target.term, source.term));
            orders.push(at_most(terms, source.term, target.term, signed));
            orders.push(at_most(terms, target.term, source.term, signed));
        }
    }
    values.append(&mut sums);
    values.append(&mut bounds);
    values.append(&mut orders);
    given.append(&mut added);
    (values, given)
}

/// The conjuncts of a condition.
pub fn conjuncts(pool: &TermPool, condition: TermId) -> Vec<TermId> {
    let (mut found, mut open) = (Vec::new(), vec![condition]);
    while let Some(term) = open.pop() {
        match pool.op(term) {
            Op::True => {}
            Op::And => open.extend(pool.arguments(term).iter().rev()),
            _ => found.push(term),
        }
    }
    found
}

/// Each once, constants left out. Of several the last place counts.
pub fn without_repetition(terms: &Terms, guesses: Vec<TermId>) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let mut kept: Vec<TermId> = guesses
        .into_iter()
        .rev()
        .filter(|&guess| terms.truth(guess).is_none() && seen.insert(guess))
        .collect();
    kept.reverse();
    kept
}
