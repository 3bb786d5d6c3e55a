//! Conditions about all elements of arrays: they name an index, `any$32`, which stands for every number of so
//! many bits.
//!
//! As an obligation such a condition is shown for an index that nothing else is known of, so for all. As a
//! supposition it may be used at any index: at that same one, and at those where the question reads or writes
//! memory where the condition does, or which the condition compares with. `a[i][j]` is read where a condition on any element of a row reads, at
//! the index that solves the equation of both addresses. Every choice is sound; a bad one shows less.

use logic::term::{Op, Postorder, symbols_in};
use logic::{Sort, TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use symbolic::{Encoder, Terms};

/// The widths an index may have.
pub(crate) const WIDTHS: [u32; 4] = [8, 16, 32, 64];

/// More indices than this are not tried for one condition.
const MOST: usize = 40;
/// Indices at which something is written that are looked at by themselves.
const MOST_WRITTEN: usize = 4;

/// The index of a width, as a symbol.
pub(crate) fn any_index(terms: &mut Terms, width: u32) -> TermId {
    terms.pool.symbol(&format!("audit:any${width}"), Sort::BitVec(width))
}

/// The name of it in conditions.
pub(crate) fn name(width: u32) -> String {
    format!("any${width}")
}

/// What else may be supposed, beside the conditions as they stand, in a question about these terms.
pub(crate) fn instances(encoder: &mut Encoder<'_>, supposed: &[TermId], question: &[TermId]) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut asked: Option<Vec<TermId>> = None;
    for width in WIDTHS {
        let index = any_index(&mut encoder.terms, width);
        for &condition in supposed {
            if !symbols_in(&encoder.terms.pool, &[condition]).contains(&index) {
                continue;
            }
            let asked = asked.get_or_insert_with(|| {
                let plain = addresses(encoder, question);
                with_numbers(encoder, plain, supposed)
            });
            let mut chosen = compared_with(&encoder.terms.pool, condition, index);
            let patterns = read_at(&encoder.terms.pool, &[condition]);
            for pattern in with_numbers(encoder, patterns, supposed) {
                for &address in asked.iter() {
                    let mut binding = None;
                    if fits(&encoder.terms.pool, (pattern, index), address, &mut binding) {
                        chosen.extend(binding);
                    } else {
                        chosen.extend(solution(&mut encoder.terms, (pattern, index), address));
                    }
                }
            }
            let mut seen = FxHashSet::default();
            chosen.retain(|&term| term != index && seen.insert(term));
            for term in chosen.into_iter().take(MOST) {
                let at: FxHashMap<TermId, TermId> = [(index, term)].into_iter().collect();
                let instance = encoder.terms.pool.substitute(condition, &at);
                let instance = encoder.terms.simple(instance);
                if encoder.terms.truth(instance) != Some(true) {
                    found.push(instance);
                }
            }
        }
    }
    found
}

/// The same condition, with the indices at which something is written looked at by themselves, if it multiplies: there the product that is written is
/// the one that is asked for, which solvers find hard to see bit by bit.
pub(crate) fn parted(encoder: &mut Encoder<'_>, condition: TermId) -> TermId {
    let terms = &mut encoder.terms;
    if !Postorder::new(&terms.pool, &[condition]).any(|term| terms.pool.op(term) == Op::BvMul) {
        return condition;
    }
    let at_any = |op: Op, pool: &TermPool| -> Vec<TermId> {
        let accesses = Postorder::new(pool, &[condition]).filter(|&term| pool.op(term) == op);
        accesses.map(|term| pool.arguments(term)[1]).collect()
    };
    let (read, written) = (at_any(Op::Select, &terms.pool), at_any(Op::Store, &terms.pool));
    let mut parted = condition;
    for width in WIDTHS {
        let index = any_index(terms, width);
        let mut places = FxHashSet::default();
        for (&pattern, &address) in
            read.iter().flat_map(|read| written.iter().map(move |write| (read, write)))
        {
            let mut binding = None;
            if !fits(&terms.pool, (pattern, index), address, &mut binding) {
                binding = solution(terms, (pattern, index), address);
            }
            let Some(place) = binding else { continue };
            let is_another = !symbols_in(&terms.pool, &[place]).contains(&index);
            if is_another && places.len() < MOST_WRITTEN && places.insert(place) {
                let at: FxHashMap<TermId, TermId> = [(index, place)].into_iter().collect();
                let there = terms.pool.substitute(condition, &at);
                let there = terms.simple(there);
                let is_there = terms.equal(index, place);
                parted = terms.ite(is_there, there, parted);
            }
        }
    }
    parted
}

/// A number, and how often each part is added to it.
#[derive(Default)]
struct Sum {
    number: i64,
    parts: BTreeMap<TermId, i64>,
}

impl Sum {
    fn add(&mut self, other: &Sum, factor: i64) {
        self.number = self.number.wrapping_add(other.number.wrapping_mul(factor));
        for (&part, &times) in &other.parts {
            let own = self.parts.entry(part).or_insert(0);
            *own = own.wrapping_add(times.wrapping_mul(factor));
        }
    }
}

/// Deeper sums are taken as they are.
const MOST_DEPTH: u32 = 30;

fn sum(pool: &TermPool, term: TermId, depth: u32) -> Sum {
    let number =
        |term: TermId| pool.constant_value(term).and_then(|bits| i64::try_from(bits.to_i128()?).ok());
    let mut found = Sum::default();
    let arguments = pool.arguments(term);
    match (pool.op(term), arguments) {
        (Op::Constant(_), _) if number(term).is_some() => found.number = number(term).unwrap_or(0),
        (Op::BvAdd | Op::BvSub, &[one, two]) if depth > 0 => {
            found.add(&sum(pool, one, depth - 1), 1);
            found.add(&sum(pool, two, depth - 1), if pool.op(term) == Op::BvSub { -1 } else { 1 });
        }
        (Op::BvNeg, &[one]) if depth > 0 => found.add(&sum(pool, one, depth - 1), -1),
        (Op::BvMul, &[one, two]) if depth > 0 && number(one).or(number(two)).is_some() => {
            let (factor, other) = match number(one) {
                Some(factor) => (factor, two),
                None => (number(two).unwrap_or(1), one),
            };
            found.add(&sum(pool, other, depth - 1), factor);
        }
        (Op::BvShl, &[one, by]) if depth > 0 && number(by).is_some_and(|by| (0..32).contains(&by)) => {
            found.add(&sum(pool, one, depth - 1), 1 << number(by).unwrap_or(0));
        }
        _ => {
            found.parts.insert(term, 1);
        }
    }
    found
}

/// The index at which the pattern is the address, where both are sums and the pattern has the index some times.
fn solution(terms: &mut Terms, (pattern, index): (TermId, TermId), address: TermId) -> Option<TermId> {
    let width = terms.pool.width(address);
    if terms.pool.width(pattern) != width || width > 64 || terms.pool.width(index) != width {
        return None;
    }
    let mut wanted = sum(&terms.pool, address, MOST_DEPTH);
    let mut given = sum(&terms.pool, pattern, MOST_DEPTH);
    let times = given.parts.remove(&index).filter(|&times| times != 0)?;
    wanted.add(&given, -1);
    let shift = 64 - width;
    let signed = |number: i64| number << shift >> shift;
    let whole = |number: i64| (signed(number) % times == 0).then(|| signed(number) / times);
    let mut solved = terms.number(width, whole(wanted.number)? as u128);
    for (part, own) in wanted.parts {
        let product = terms.times(part, whole(own)? as u128);
        solved = terms.add(solved, product);
    }
    Some(solved)
}

/// Addresses that the terms read or write at, and what the names of guards in them stand for.
fn addresses(encoder: &Encoder<'_>, question: &[TermId]) -> Vec<TermId> {
    let pool = &encoder.terms.pool;
    let mut meanings: FxHashMap<TermId, TermId> = FxHashMap::default();
    for &fact in &encoder.facts {
        if pool.op(fact) == Op::Equal {
            let (one, two) = (pool.arguments(fact)[0], pool.arguments(fact)[1]);
            for (name, meaning) in [(one, two), (two, one)] {
                if pool.sort(name) == Sort::Bool && matches!(pool.op(name), Op::Symbol(_)) {
                    meanings.entry(name).or_insert(meaning);
                }
            }
        }
    }
    let mut roots = question.to_vec();
    let mut known: FxHashSet<TermId> = FxHashSet::default();
    let mut next = 0;
    while next < roots.len() {
        let root = roots[next];
        next += 1;
        for symbol in symbols_in(pool, &[root]) {
            if let Some(&meaning) = meanings.get(&symbol)
                && known.insert(symbol)
            {
                roots.push(meaning);
            }
        }
    }
    read_at(pool, &roots)
}

/// Addresses that are read or written.
fn read_at(pool: &TermPool, roots: &[TermId]) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    Postorder::new(pool, roots)
        .filter(|&term| matches!(pool.op(term), Op::Select | Op::Store))
        .map(|term| pool.arguments(term)[1])
        .filter(|&address| seen.insert(address))
        .collect()
}

/// The same addresses, and what they are where what is supposed gives symbols a number.
fn with_numbers(encoder: &mut Encoder<'_>, mut addresses: Vec<TermId>, supposed: &[TermId]) -> Vec<TermId> {
    let terms = &mut encoder.terms;
    let mut numbers: FxHashMap<TermId, TermId> = FxHashMap::default();
    for &condition in supposed {
        if terms.pool.op(condition) == Op::Equal {
            let (one, two) = (terms.pool.arguments(condition)[0], terms.pool.arguments(condition)[1]);
            for (symbol, number) in [(one, two), (two, one)] {
                if matches!(terms.pool.op(symbol), Op::Symbol(_)) && terms.constant(number).is_some() {
                    numbers.insert(symbol, number);
                }
            }
        }
    }
    if numbers.is_empty() {
        return addresses;
    }
    for at in 0..addresses.len() {
        let settled = terms.pool.substitute(addresses[at], &numbers);
        let settled = terms.simple(settled);
        if !addresses.contains(&settled) {
            addresses.push(settled);
        }
    }
    addresses
}

/// What a condition compares its index with.
fn compared_with(pool: &TermPool, condition: TermId, index: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    for term in Postorder::new(pool, &[condition]) {
        if matches!(pool.op(term), Op::Equal | Op::Ult | Op::Ule | Op::Slt | Op::Sle)
            && let [one, two] = *pool.arguments(term)
        {
            found.extend((one == index).then_some(two));
            found.extend((two == index).then_some(one));
        }
    }
    found
}

/// Is the term the pattern with something in place of the index? What, is noted.
fn fits(
    pool: &TermPool,
    (pattern, index): (TermId, TermId),
    term: TermId,
    binding: &mut Option<TermId>,
) -> bool {
    if pattern == index {
        return pool.sort(term) == pool.sort(index) && *binding.get_or_insert(term) == term;
    }
    if pattern == term {
        return true;
    }
    let (wanted, given) = (pool.arguments(pattern), pool.arguments(term));
    if pool.op(pattern) != pool.op(term) || wanted.len() != given.len() || wanted.is_empty() {
        return false;
    }
    let before = *binding;
    let in_order =
        wanted.iter().zip(given).all(|(&wanted, &given)| fits(pool, (wanted, index), given, binding));
    if in_order {
        return true;
    }
    *binding = before;
    pool.op(pattern).is_commutative()
        && wanted.len() == 2
        && fits(pool, (wanted[0], index), given[1], binding)
        && fits(pool, (wanted[1], index), given[0], binding)
}
