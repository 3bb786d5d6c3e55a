//! Guesses about places with fixed addresses: that a pointer points where it was set to point, that a block is as large as what it was
//! allocated with, and not too large, that a cell still holds what was stored in it, or is written. After an arrival they are equations between parts of the state;
//! each is guessed at every head that has these parts.
//!
//! Guesses only: what induction does not confirm is dropped (`houdini`).
//!
//! Worked example: `int *a = malloc(4 * n); while (i < n) a[i++] = 0;`. The block has a fixed number, since it is allocated once (`symbolic`'s
//! `once`). At the loop `a` is its address, and its extent is what it was given: `4 * n` and one more. Both are kept, and with `i < n` every access is in
//! bounds.

use crate::blocks::{ArrivalId, Blocks, HeadId};
use base::IndexVec;
use logic::term::{Op, Postorder, symbols_in};
use logic::{Sort, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::StateVariable;
use symbolic::state::{CONSTANT_MARK, HEAP_MARK};

/// More guesses at one head than this are too many.
const MOST_GUESSES: usize = 150;
/// Stores of one arrival to one region that are looked at.
const MOST_STORES: usize = 40;
/// A value with more parts than this is not guessed about.
const LARGEST: usize = 60;

/// Guesses by head.
pub fn pinned(blocks: &mut Blocks<'_, '_>) -> IndexVec<HeadId, Vec<TermId>> {
    let mut sources: Vec<(HeadId, TermId)> = Vec::new();
    let arrivals: Vec<ArrivalId> = blocks.arrivals.ids().collect();
    for arrival in arrivals {
        let to = blocks.arrivals[arrival].to;
        for equation in equations(blocks, arrival) {
            if !sources.contains(&(to, equation)) {
                sources.push((to, equation));
            }
        }
    }
    let heads: Vec<HeadId> = blocks.heads.ids().collect();
    let mut at: IndexVec<HeadId, Vec<TermId>> = IndexVec::filled(Vec::new(), heads.len());
    for head in heads {
        let here: FxHashMap<StateVariable, TermId> = blocks.heads[head].symbols.iter().copied().collect();
        let mut found = Vec::new();
        for &(of, equation) in &sources {
            let there = &blocks.heads[of].symbols;
            let moved: FxHashMap<TermId, TermId> =
                there.iter().filter_map(|(part, symbol)| here.get(part).map(|own| (*symbol, *own))).collect();
            let terms = &mut blocks.explorer.encoder.terms;
            if !symbols_in(&terms.pool, &[equation]).iter().all(|symbol| moved.contains_key(symbol)) {
                continue;
            }
            let guess = terms.pool.substitute(equation, &moved);
            let guess = terms.simple(guess);
            if terms.truth(guess).is_none() && !found.contains(&guess) && found.len() < MOST_GUESSES {
                found.push(guess);
            }
        }
        found.retain(|&guess| !blocks.names_an_allocation(guess));
        at[head] = found;
    }
    at
}

/// What an arrival makes true of the parts of the state it leads to.
fn equations(blocks: &mut Blocks<'_, '_>, arrival: ArrivalId) -> Vec<TermId> {
    let to = blocks.arrivals[arrival].to;
    let symbols = blocks.heads[to].symbols.clone();
    let program = blocks.program;
    let values = &blocks.arrivals[arrival].values;
    let mut ordered: Vec<(StateVariable, TermId, TermId)> =
        symbols.iter().filter_map(|&(part, symbol)| Some((part, symbol, *values.get(&symbol)?))).collect();
    ordered.sort_unstable();
    let encoder = &mut blocks.explorer.encoder;
    let fixed: Vec<usize> = encoder
        .fixed_objects
        .iter()
        .flat_map(|fixed| fixed.blocks().into_iter().map(|(.., number)| number))
        .collect();
    let layout = encoder.meaning.layout;
    let terms = &mut encoder.terms;
    // Which part of the state has a value: the first that has.
    let mut holder: FxHashMap<TermId, TermId> = FxHashMap::default();
    for &(part, symbol, value) in &ordered {
        let is_register = matches!(part, StateVariable::Global(_) | StateVariable::Local(..));
        if is_register && terms.constant(value).is_none() && matches!(terms.pool.sort(value), Sort::BitVec(_))
        {
            holder.entry(value).or_insert(symbol);
        }
    }
    let own: FxHashSet<TermId> = symbols.iter().map(|(_, symbol)| *symbol).collect();
    let mut found = Vec::new();
    for &(part, symbol, value) in &ordered {
        match part {
            StateVariable::Global(id) | StateVariable::Local(_, id) => {
                if !program.types.is_pointer(program.variables[id].ty.id) {
                    continue;
                }
                if terms.constant(value).is_some() {
                    found.push(terms.equal(symbol, value));
                    let (object, set) = (layout.object_term(terms, symbol), layout.object_term(terms, value));
                    found.push(terms.equal(object, set));
                } else if let Some(&other) = holder.get(&value).filter(|other| **other != symbol) {
                    found.push(terms.equal(symbol, other));
                } else if let Some(choices) = terms.choices(value, 3) {
                    let cases: Vec<TermId> = choices
                        .into_iter()
                        .map(|(_, address)| {
                            let address = terms.number(layout.width, address);
                            terms.equal(symbol, address)
                        })
                        .collect();
                    found.push(terms.any(&cases));
                }
            }
            StateVariable::Extents => {
                for &number in &fixed {
                    let index = terms.number(layout.object_bits(), number as u128);
                    let extent = terms.select(value, index);
                    let before = terms.select(symbol, index);
                    let Some(extent) = over_parts(terms, extent, &holder, &own) else { continue };
                    // Size and marks apart: as one number they would look like an address.
                    let arguments: Vec<TermId> = terms.pool.arguments(extent).to_vec();
                    let (size, marks) = match arguments[..] {
                        [one, two] if terms.pool.op(extent) == Op::BvOr && terms.constant(two).is_some() => {
                            (one, two)
                        }
                        [one, two] if terms.pool.op(extent) == Op::BvOr && terms.constant(one).is_some() => {
                            (two, one)
                        }
                        _ => (extent, extent),
                    };
                    // Larger blocks are not followed: what their size was computed from is bounded.
                    let one = terms.number(layout.width, 1);
                    let bytes = terms.sub(size, one);
                    let most = terms.number(layout.width, layout.largest_object());
                    let is_larger = terms.below(most, bytes);
                    found.push(terms.not(is_larger));
                    let bits = layout.size_bits();
                    for (part, high, low) in [
                        (size, bits - 1, 0),
                        (marks, layout.width - CONSTANT_MARK - 1, bits),
                        (marks, layout.width - CONSTANT_MARK, layout.width - CONSTANT_MARK),
                        (marks, layout.width - HEAP_MARK, layout.width - HEAP_MARK),
                    ] {
                        let (own, given) = (terms.cut(before, high, low), terms.cut(part, high, low));
                        found.push(terms.equal(own, given));
                    }
                }
            }
            StateVariable::Memory(_) | StateVariable::Written(_) => {
                let sort = terms.pool.sort(symbol);
                let stores: Vec<TermId> = Postorder::new(&terms.pool, &[value])
                    .filter(|&term| terms.pool.op(term) == Op::Store && terms.pool.sort(term) == sort)
                    .filter(|&term| terms.constant(terms.pool.arguments(term)[1]).is_some())
                    .take(MOST_STORES)
                    .collect();
                for store in stores {
                    let index = terms.pool.arguments(store)[1];
                    let stored = terms.select(value, index);
                    let Some(stored) = over_parts(terms, stored, &holder, &own) else { continue };
                    let held = terms.select(symbol, index);
                    found.push(terms.equal(held, stored));
                }
            }
            _ => {}
        }
    }
    found.retain(|&equation| terms.truth(equation).is_none());
    found
}

/// A value in terms of the parts of the state that have the values it is made of.
fn over_parts(
    terms: &mut symbolic::Terms,
    value: TermId,
    holder: &FxHashMap<TermId, TermId>,
    own: &FxHashSet<TermId>,
) -> Option<TermId> {
    if Postorder::new(&terms.pool, &[value]).count() > LARGEST {
        return None;
    }
    let value = terms.pool.substitute(value, holder);
    let value = terms.simple(value);
    symbols_in(&terms.pool, &[value]).iter().all(|symbol| own.contains(symbol)).then_some(value)
}
