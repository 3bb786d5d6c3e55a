//! Guesses at invariants about all elements: that an element still has what a loop wrote there, and that what
//! must not happen at one index happens at none, each for all indices, for those a counter has passed, and
//! for those it has not.

use super::{ForAll, any_index, instance::addresses_in, windows};
use crate::blocks::{Blocks, HeadId};
use base::IndexVec;
use logic::term::{Op, Postorder, symbols_in};
use logic::{Sort, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::{Encoder, StateVariable, Terms};

/// More guesses at one head than this are too many.
const MOST_GUESSES: usize = 200;
/// A pointer with more targets than this is not looked at.
const MOST_TARGETS: usize = 4;
/// So many variables are tried in place of one that has no value yet.
const MOST_INSTEAD: usize = 6;
/// A condition with more parts than this is not about one element.
const LARGEST: usize = 400;

/// What the symbols stand for that a walk has given to guards.
pub(crate) fn names_of_guards(encoder: &mut Encoder<'_>) -> FxHashMap<TermId, TermId> {
    let mut names: FxHashMap<TermId, TermId> = FxHashMap::default();
    for at in 0..encoder.facts.len() {
        let fact = encoder.facts[at];
        let pool = &mut encoder.terms.pool;
        if pool.op(fact) != Op::Equal {
            continue;
        }
        let sides = [pool.arguments(fact)[0], pool.arguments(fact)[1]];
        let is_new = |term: TermId| {
            pool.sort(term) == Sort::Bool
                && matches!(pool.op(term), Op::Symbol(_))
                && !names.contains_key(&term)
        };
        let (name, meaning) = match sides.map(is_new) {
            [true, _] => (sides[0], sides[1]),
            [_, true] => (sides[1], sides[0]),
            _ => continue,
        };
        let meaning = pool.substitute(meaning, &names);
        names.insert(name, meaning);
    }
    names
}

/// The variables that a loop changes: with their symbols at its head.
pub fn counters(blocks: &Blocks<'_, '_>, head: HeadId) -> Vec<(StateVariable, TermId)> {
    let is_changed = |symbol: TermId| {
        blocks.arrivals.iter().any(|arrival| {
            arrival.from == Some(head)
                && arrival.to == head
                && arrival.values.get(&symbol).is_some_and(|&value| value != symbol)
        })
    };
    let pool = &blocks.explorer.encoder.terms.pool;
    let is_number = |part: &StateVariable, symbol: TermId| {
        matches!(part, StateVariable::Global(_) | StateVariable::Local(..))
            && matches!(pool.sort(symbol), Sort::BitVec(_))
    };
    let symbols = blocks.heads[head].symbols.iter();
    symbols.filter(|(part, symbol)| is_number(part, *symbol) && is_changed(*symbol)).copied().collect()
}

/// Guesses by head.
pub fn guesses(
    blocks: &mut Blocks<'_, '_>,
    names: &FxHashMap<TermId, TermId>,
) -> IndexVec<HeadId, Vec<ForAll>> {
    let mut sources: Vec<(HeadId, ForAll)> = Vec::new();
    for (head, condition) in conditions(blocks, names) {
        let symbols: FxHashSet<TermId> =
            blocks.heads[head].symbols.iter().map(|(_, symbol)| *symbol).collect();
        let terms = &mut blocks.explorer.encoder.terms;
        for source in for_all(terms, condition, &symbols) {
            if !sources.contains(&(head, source)) {
                sources.push((head, source));
            }
        }
    }
    let heads: Vec<HeadId> = blocks.heads.ids().collect();
    if sources.is_empty() {
        return IndexVec::filled(Vec::new(), heads.len());
    }
    let mut at: IndexVec<HeadId, Vec<ForAll>> = IndexVec::filled(Vec::new(), heads.len());
    for head in heads {
        let here: FxHashMap<StateVariable, TermId> = blocks.heads[head].symbols.iter().copied().collect();
        let ranges = ranges(blocks, head);
        let mut found: Vec<ForAll> = unmoved_pointers(blocks, head);
        for (of, source) in &sources {
            let there = blocks.heads[*of].symbols.clone();
            let moved: FxHashMap<TermId, TermId> =
                there.iter().filter_map(|(part, symbol)| here.get(part).map(|own| (*symbol, *own))).collect();
            let terms = &mut blocks.explorer.encoder.terms;
            let mut bodies = Vec::new();
            for moved in ways_to_move(terms, source, moved, &blocks.heads[head].symbols) {
                bodies.push(terms.pool.substitute(source.body, &moved));
            }
            let width = terms.pool.width(source.index);
            let ranges = ranges.iter().filter(|range| range.width == width);
            let mut within: Vec<TermId> = ranges.map(|range| range.contains(terms, source.index)).collect();
            if windows::is_about_ring(&terms.pool, source) {
                within.extend(windows::windows(blocks, head, source.index));
            }
            let terms = &mut blocks.explorer.encoder.terms;
            for (within, &body) in
                within.iter().flat_map(|&within| bodies.iter().map(move |body| (within, body)))
            {
                let body = terms.pool.implies(within, body);
                let guess = ForAll { index: source.index, body: terms.simple(body) };
                if terms.truth(guess.body).is_none() && !found.contains(&guess) && found.len() < MOST_GUESSES
                {
                    found.push(guess);
                }
            }
        }
        found.retain(|guess| !blocks.names_an_allocation(guess.body));
        at[head] = found;
    }
    at
}

/// How the symbols of a condition can be read at another head, where they are not all known: a variable that
/// has no value there yet may get it from one that has.
fn ways_to_move(
    terms: &Terms,
    source: &ForAll,
    moved: FxHashMap<TermId, TermId>,
    here: &[(StateVariable, TermId)],
) -> Vec<FxHashMap<TermId, TermId>> {
    let mut unknown = symbols_in(&terms.pool, &[source.body]);
    unknown.retain(|symbol| *symbol != source.index && !moved.contains_key(symbol));
    let innermost = here
        .iter()
        .filter_map(|(part, _)| if let StateVariable::Local(depth, _) = part { Some(*depth) } else { None })
        .max()
        .unwrap_or(0);
    let mut ways = Vec::new();
    let instead_of: Vec<TermId> = match unknown[..] {
        [] => {
            ways.push(moved.clone());
            // A variable of a caller may be waiting for what the callee computes.
            let waits = |symbol: &TermId| {
                let own = moved.get(symbol);
                here.iter().any(|(part, here)| {
                    Some(here) == own && matches!(part, StateVariable::Local(depth, _) if *depth < innermost)
                })
            };
            symbols_in(&terms.pool, &[source.body]).into_iter().filter(waits).collect()
        }
        [unknown] => vec![unknown],
        _ => Vec::new(),
    };
    for unknown in instead_of {
        let sort = terms.pool.sort(unknown);
        let others = here.iter().filter(|(part, symbol)| {
            terms.pool.sort(*symbol) == sort
                && moved.get(&unknown) != Some(symbol)
                && matches!(part, StateVariable::Local(depth, _) if *depth == innermost)
        });
        for (_, symbol) in others.take(MOST_INSTEAD) {
            let mut moved = moved.clone();
            moved.insert(unknown, *symbol);
            ways.push(moved);
        }
    }
    ways
}

/// Conditions after a head that speak of elements: what was written, and what must not happen.
fn conditions(blocks: &mut Blocks<'_, '_>, names: &FxHashMap<TermId, TermId>) -> Vec<(HeadId, TermId)> {
    let mut found: Vec<(HeadId, TermId)> = Vec::new();
    let goals: Vec<(HeadId, TermId)> =
        blocks.goals.iter().filter_map(|(from, goal)| Some(((*from)?, goal.condition))).collect();
    let terms = &mut blocks.explorer.encoder.terms;
    for (head, condition) in goals {
        let condition = terms.pool.substitute(condition, names);
        let condition = terms.simple(condition);
        found.push((head, terms.not(condition)));
    }
    for arrival in blocks.arrivals.iter() {
        let Some(from) = arrival.from else { continue };
        let guard = terms.pool.substitute(arrival.guard, names);
        let guard = terms.simple(guard);
        for (part, symbol) in blocks.heads[arrival.to].symbols.iter() {
            let own = blocks.heads[from].symbols.iter().find(|(own, _)| own == part);
            let (Some((_, own)), Some(&value)) = (own, arrival.values.get(symbol)) else { continue };
            if !matches!(part, StateVariable::Memory(_) | StateVariable::Written(_)) || value == *own {
                continue;
            }
            let value = terms.pool.substitute(value, names);
            // What is written may have been read from memory of another shape.
            let sort = terms.pool.sort(*own);
            let stores: Vec<TermId> = Postorder::new(&terms.pool, &[value])
                .filter(|&term| terms.pool.op(term) == Op::Store && terms.pool.sort(term) == sort)
                .collect();
            for store in stores {
                let (index, element) = (terms.pool.arguments(store)[1], terms.pool.arguments(store)[2]);
                let read = terms.select(*own, index);
                let same = terms.equal(read, element);
                found.push((from, same));
                let when = terms.pool.implies(guard, same);
                found.push((from, terms.simple(when)));
            }
        }
    }
    found
}

/// A condition with each of its indices in turn as any index, if it then speaks only of the state and the
/// index.
fn for_all(terms: &mut Terms, condition: TermId, symbols: &FxHashSet<TermId>) -> Vec<ForAll> {
    if terms.truth(condition).is_some() || Postorder::new(&terms.pool, &[condition]).count() > LARGEST {
        return Vec::new();
    }
    let addresses = addresses_in(&terms.pool, condition);
    let mut found = Vec::new();
    let mut named = symbols_in(&terms.pool, &addresses);
    let own = named.len();
    named.extend(windows::numbers_in_memory(&terms.pool, &addresses));
    for (at, symbol) in named.into_iter().enumerate() {
        let Sort::BitVec(width) = terms.pool.sort(symbol) else { continue };
        let index = any_index(terms, width);
        let replaced: FxHashMap<TermId, TermId> = [(symbol, index)].into_iter().collect();
        let body = terms.pool.substitute(condition, &replaced);
        let body = terms.simple(body);
        let source = ForAll { index, body };
        if windows::speaks_only_of(&terms.pool, body, index, |own| symbols.contains(&own))
            && (at < own || windows::is_about_ring(&terms.pool, &source))
        {
            found.push(source);
        }
    }
    found
}

/// Which indices a guess is about.
struct Range {
    width: u32,
    signed: bool,
    /// From this on, if it is not from the least.
    from: Option<u128>,
    /// With respect to a counter.
    counter: Option<(TermId, Side)>,
    /// Only every so manieth.
    stride: Option<u128>,
}

#[derive(Clone, Copy)]
enum Side {
    Below,
    From,
    Above,
}

impl Range {
    fn contains(&self, terms: &mut Terms, index: TermId) -> TermId {
        let below = |terms: &mut Terms, a, b, signed| {
            let pool = &mut terms.pool;
            if signed { pool.slt(a, b) } else { pool.ult(a, b) }
        };
        let mut all = Vec::new();
        if let Some(from) = self.from {
            let from = terms.number(self.width, from);
            let before = below(terms, index, from, self.signed);
            all.push(terms.not(before));
        }
        match self.counter {
            Some((counter, Side::Below)) => all.push(below(terms, index, counter, self.signed)),
            Some((counter, Side::From)) => {
                let before = below(terms, index, counter, self.signed);
                all.push(terms.not(before));
            }
            Some((counter, Side::Above)) => all.push(below(terms, counter, index, self.signed)),
            None => {}
        }
        if let Some(stride) = self.stride {
            let first = terms.number(self.width, self.from.unwrap_or(0));
            let (passed, stride) = (terms.sub(index, first), terms.number(self.width, stride));
            let rest = terms.pool.bvurem(passed, stride);
            let is_passed = terms.is_nonzero(rest);
            all.push(terms.not(is_passed));
        }
        let within = terms.pool.all_of(&all);
        terms.simple(within)
    }
}

/// Ranges of indices at a head.
fn ranges(blocks: &mut Blocks<'_, '_>, head: HeadId) -> Vec<Range> {
    let program = blocks.program;
    let mut ranges = Vec::new();
    for width in [32, 64, 16, 8] {
        for signed in [true, false] {
            ranges.push(Range { width, signed, from: signed.then_some(0), counter: None, stride: None });
        }
    }
    let strides = strides(blocks, head);
    let terms = &blocks.explorer.encoder.terms;
    for (part, symbol) in counters(blocks, head) {
        let (StateVariable::Global(id) | StateVariable::Local(_, id)) = part else { continue };
        let width = terms.pool.width(symbol);
        let shape = program.types.integer_shape(program.variables[id].ty.id);
        let signed = shape.is_some_and(|shape| shape.signed);
        let start = blocks.heads[head].first.register(id).and_then(|term| terms.constant(term));
        let mut lower: Vec<Option<u128>> = vec![Some(0)];
        lower.extend(start.filter(|&start| start != 0).map(Some));
        for from in lower {
            for side in [Side::Below, Side::From, Side::Above] {
                ranges.push(Range { width, signed, from, counter: Some((symbol, side)), stride: None });
            }
            if let Some(stride) = strides.get(&symbol).copied().filter(|&stride| stride > 1) {
                let counter = Some((symbol, Side::Below));
                ranges.push(Range { width, signed, from, counter, stride: Some(stride) });
                ranges.push(Range { width, signed, from, counter: None, stride: Some(stride) });
            }
        }
    }
    ranges
}

/// By how much the loop moves its counters, where that is always the same.
fn strides(blocks: &mut Blocks<'_, '_>, head: HeadId) -> FxHashMap<TermId, u128> {
    let mut found: FxHashMap<TermId, u128> = FxHashMap::default();
    for (_, symbol) in counters(blocks, head) {
        let mut steps = Vec::new();
        for arrival in blocks.arrivals.iter() {
            if (arrival.from, arrival.to) != (Some(head), head) {
                continue;
            }
            let terms = &mut blocks.explorer.encoder.terms;
            let Some(&value) = arrival.values.get(&symbol) else { continue };
            let moved = terms.sub(value, symbol);
            steps.push(terms.constant(moved));
        }
        if let Some(&Some(first)) = steps.first()
            && steps.iter().all(|step| *step == Some(first))
        {
            found.insert(symbol, first);
        }
    }
    found
}

/// That pointers still point where they did when the loop was first come to: such are the parameters of
/// procedures that are given arrays.
fn unmoved_pointers(blocks: &mut Blocks<'_, '_>, head: HeadId) -> Vec<ForAll> {
    let program = blocks.program;
    let (symbols, mut first) = (blocks.heads[head].symbols.clone(), blocks.heads[head].first.clone());
    let encoder = &mut blocks.explorer.encoder;
    let first: FxHashMap<StateVariable, TermId> = encoder.parts(&mut first).into_iter().collect();
    let mut found = Vec::new();
    for (part, symbol) in symbols.iter() {
        let (StateVariable::Global(id) | StateVariable::Local(_, id)) = part else { continue };
        let Some(&value) = first.get(part) else { continue };
        if program.types.is_integer(program.variables[*id].ty.id) {
            continue;
        }
        let choices = encoder.terms.choices(value, MOST_TARGETS).unwrap_or_default();
        for (_, address) in choices.into_iter().filter(|(_, address)| *address != 0) {
            let width = encoder.terms.pool.width(*symbol);
            let address = encoder.terms.number(width, address);
            let body = encoder.terms.equal(*symbol, address);
            found.push(ForAll { index: any_index(&mut encoder.terms, 32), body });
        }
    }
    found
}
