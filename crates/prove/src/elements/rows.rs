//! Elements by their place in their object: `a[i][j]` is element `n * i + j` of a row, and `b[3 * i - 2]` element `3 * i - 2`. So what is said of
//! all elements needs one index, however many an access has, and how far a loop has come is told by the places it writes to.
//!
//! Guesses only, as all here.
//!
//! Worked example: `for (i = 0; i < m; i++) for (j = 0; j < 8; j++) a[i][j] = 7;` writes at 32·i + 4·j bytes from the start of `a`. All places are
//! multiples of 4, so the condition is `a[k] == 7` for any `k`: at the inner loop for those below `8 * i + j`, at the outer one for those below `8 * i`.

use super::{ForAll, any_index, instance::addresses_in};
use crate::blocks::{Blocks, HeadId};
use crate::polynomial::{Linear, linear};
use logic::term::{Op, Postorder, symbols_in};
use logic::{TermId, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::layout::PointerLayout;
use symbolic::{StateVariable, Terms};

/// Places with more parts than this are not looked at, and no more places than this.
const MOST_PARTS: usize = 3;
const MOST_PLACES: usize = 40;

/// An address as an object and how far from its start.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    object: u128,
    bytes: Linear,
}

/// The places at which conditions read.
#[derive(Default)]
pub struct Rows {
    /// By head, in the order found.
    places: Vec<(HeadId, Place)>,
    /// All places in an object are multiples of this.
    grains: FxHashMap<u128, i64>,
    /// Which variable a symbol of a head is.
    part_of: FxHashMap<TermId, StateVariable>,
    /// Numbers that variables are compared with: the greatest.
    bounds: FxHashMap<StateVariable, i64>,
}

impl Rows {
    /// Of conditions at heads.
    pub fn of(
        blocks: &mut Blocks<'_, '_>,
        names: &FxHashMap<TermId, TermId>,
        conditions: &[(HeadId, TermId)],
    ) -> Rows {
        let layout = blocks.explorer.encoder.meaning.layout;
        let terms = &mut blocks.explorer.encoder.terms;
        let mut rows = Rows::default();
        for head in &blocks.heads {
            rows.part_of.extend(head.symbols.iter().map(|&(part, symbol)| (symbol, part)));
        }
        for arrival in &blocks.arrivals {
            let guard = terms.pool.substitute(arrival.guard, names);
            note_bounds(&terms.pool, guard, &rows.part_of, &mut rows.bounds);
        }
        for &(head, condition) in conditions {
            for address in addresses_in(&terms.pool, condition) {
                let Some(place) = place_of(terms, layout, address) else { continue };
                if place.bytes.parts.is_empty() {
                    continue;
                }
                let grain = rows.grains.entry(place.object).or_insert(0);
                *grain = place
                    .bytes
                    .parts
                    .iter()
                    .fold(gcd(*grain, place.bytes.constant), |grain, part| gcd(grain, part.1));
                let place = (head, place);
                if rows.places.len() < MOST_PLACES && !rows.places.contains(&place) {
                    rows.places.push(place);
                }
            }
            note_bounds(&terms.pool, condition, &rows.part_of, &mut rows.bounds);
        }
        rows
    }

    /// A condition on an element with several indices, as one on any element of the row.
    pub fn source(
        &self,
        terms: &mut Terms,
        layout: PointerLayout,
        condition: TermId,
        symbols: &FxHashSet<TermId>,
    ) -> Option<ForAll> {
        let index = any_index(terms, layout.width);
        let addresses = addresses_in(&terms.pool, condition);
        let mut flat: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut replaced: Option<Linear> = None;
        for address in addresses {
            let Some(place) = place_of(terms, layout, address) else { continue };
            if place.bytes.parts.len() < 2 || place.bytes.parts.len() > MOST_PARTS {
                continue;
            }
            let grain = *self.grains.get(&place.object)?;
            let element = place.bytes.divided(grain)?;
            if replaced.get_or_insert_with(|| element.clone()) != &element {
                return None;
            }
            let start = layout.start() + (place.object << layout.offset_bits);
            let offset = terms.times(index, grain as u128);
            flat.insert(address, terms.add_number(offset, start));
        }
        let replaced = replaced?;
        let own: Vec<TermId> =
            replaced.parts.iter().flat_map(|&(part, _)| symbols_in(&terms.pool, &[part])).collect();
        let body = about_elements(terms, condition);
        let body = terms.pool.substitute(body, &flat);
        let body = terms.simple(body);
        let speaks_of = symbols_in(&terms.pool, &[body]);
        let is_about_any = speaks_of.contains(&index)
            && speaks_of.iter().all(|one| *one == index || symbols.contains(one) && !own.contains(one));
        is_about_any.then_some(ForAll { index, body })
    }

    /// How far loops have come, over the symbols of a head: `moved` says what the symbols of other heads are there.
    pub fn counters(
        &self,
        terms: &mut Terms,
        moved: &mut dyn FnMut(HeadId) -> FxHashMap<TermId, TermId>,
        most: usize,
    ) -> Vec<TermId> {
        let mut found: Vec<TermId> = Vec::new();
        let add = |found: &mut Vec<TermId>, terms: &mut Terms, element: &Linear| {
            let term = element.term(terms);
            if found.len() < most && !found.contains(&term) {
                found.push(term);
            }
        };
        for (head, place) in &self.places {
            let Some(element) = self.grains.get(&place.object).and_then(|&grain| place.bytes.divided(grain))
            else {
                continue;
            };
            let count = element.parts.len();
            if count > MOST_PARTS || (count == 1 && element.parts[0].1 == 1 && element.constant == 0) {
                continue;
            }
            let own = moved(*head);
            // All of them, if each index has a bound.
            let last: Option<i64> = element.parts.iter().try_fold(element.constant, |sum, (part, factor)| {
                let &[symbol] = &symbols_in(&terms.pool, &[*part])[..] else { return None };
                let bound = self.bounds.get(self.part_of.get(&symbol)?)?;
                Some(sum + factor * (bound - 1).max(0))
            });
            if let Some(last) = last.filter(|last| *last > 0) {
                let all = Linear { width: element.width, constant: last + 1, parts: Vec::new() };
                add(&mut found, terms, &all);
            }
            // Outer loops have come as far as without the inner indices.
            for chosen in (1..1u32 << count).rev() {
                let parts: Option<Vec<(TermId, i64)>> = (0..count)
                    .filter(|at| chosen >> at & 1 == 1)
                    .map(|at| {
                        let (part, factor) = element.parts[at];
                        let is_known =
                            symbols_in(&terms.pool, &[part]).iter().all(|symbol| own.contains_key(symbol));
                        is_known.then(|| (terms.pool.substitute(part, &own), factor))
                    })
                    .collect();
                if let Some(parts) = parts {
                    add(
                        &mut found,
                        terms,
                        &Linear { width: element.width, constant: element.constant, parts },
                    );
                }
            }
        }
        found
    }
}

fn place_of(terms: &mut Terms, layout: PointerLayout, address: TermId) -> Option<Place> {
    if terms.pool.width(address) != layout.width {
        return None;
    }
    let Linear { width, constant, parts } = linear(terms, address)?;
    let mask = if width >= 128 { u128::MAX } else { (1 << width) - 1 };
    let number = constant as u128 & mask;
    let object = layout.object_of(number);
    let offset = i64::try_from(layout.offset_of(number)).ok()?;
    (object != 0).then_some(Place { object, bytes: Linear { width, constant: offset, parts } })
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

/// What a condition says of elements; what it says of the indices themselves is for a range to say.
pub fn about_elements(terms: &mut Terms, condition: TermId) -> TermId {
    let mut about: Vec<TermId> = Vec::new();
    disjuncts(terms, condition, true, &mut about);
    about.retain(|&part| Postorder::new(&terms.pool, &[part]).any(|term| terms.pool.op(term) == Op::Select));
    terms.any(&about)
}

/// The parts of which at least one holds.
fn disjuncts(terms: &mut Terms, condition: TermId, holds: bool, found: &mut Vec<TermId>) {
    let arguments: Vec<TermId> = terms.pool.arguments(condition).to_vec();
    match (terms.pool.op(condition), holds) {
        (Op::Not, _) => disjuncts(terms, arguments[0], !holds, found),
        (Op::Or, true) | (Op::And, false) => {
            arguments.into_iter().for_each(|part| disjuncts(terms, part, holds, found));
        }
        (_, true) => found.push(condition),
        (_, false) => found.push(terms.not(condition)),
    }
}

/// Which numbers the condition compares symbols with: the least above them.
fn note_bounds(
    pool: &TermPool,
    condition: TermId,
    part_of: &FxHashMap<TermId, StateVariable>,
    bounds: &mut FxHashMap<StateVariable, i64>,
) {
    for term in Postorder::new(pool, &[condition]) {
        let is_strict = match pool.op(term) {
            Op::Slt | Op::Ult => true,
            Op::Sle | Op::Ule => false,
            _ => continue,
        };
        let (one, two) = (pool.arguments(term)[0], pool.arguments(term)[1]);
        let number = |term: TermId| pool.constant_value(term).and_then(|bits| bits.to_i128());
        // x < n, or not n <= x; and the same one less.
        let bound = match (number(one), number(two)) {
            (None, Some(bound)) => Some((one, bound + i128::from(!is_strict))),
            (Some(bound), None) => Some((two, bound + i128::from(is_strict))),
            _ => None,
        };
        if let Some((symbol, bound)) = bound
            && let Some(&part) = part_of.get(&symbol)
            && let Ok(bound) = i64::try_from(bound)
            && (1..1 << 31).contains(&bound)
        {
            let known = bounds.entry(part).or_insert(bound);
            *known = (*known).max(bound);
        }
    }
}
