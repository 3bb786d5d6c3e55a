//! What can be followed by its values: variables that only ever get few constants, and conditions on what no
//! step changes. Only what some step or failure depends on.

use crate::atoms::atoms_of;
use crate::blocks::{Blocks, HeadId};
use crate::candidates::all_subjects;
use crate::pdr::Cones;
use base::IndexVec;
use logic::term::{Op, symbols_in};
use logic::{Sort, TermId, Value};
use program::VariableId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use symbolic::{StateVariable, Terms};

/// A variable with more constants than this is no state.
pub const MOST_VALUES: usize = 64;
/// More conditions than this are not looked at.
const MOST_CONDITIONS: usize = 24;

/// The value that stands for all that are not told apart: what a variable may be before it gets one of its
/// constants.
const OTHER: u128 = u128::MAX;

/// How many values a counter may have among the combinations: what counts further is no state.
pub const MOST_COUNTED: usize = 200;

/// Which values are told apart.
#[derive(Clone, Debug)]
enum ToldApart {
    /// The two of a condition.
    Truth,
    /// These from each other and from the rest.
    Constants(Rc<BTreeSet<u128>>),
    /// All of them.
    All,
}

/// Something that has a value at every head, or at some.
pub struct Dimension {
    at: FxHashMap<HeadId, TermId>,
    apart: ToldApart,
}

/// A term whose values are told apart.
#[derive(Clone)]
pub struct Column {
    /// The term, a number or a truth value.
    pub term: TermId,
    apart: ToldApart,
}

impl Dimension {
    /// Terms whose values are told apart as far as they are among these.
    pub fn told_apart(at: FxHashMap<HeadId, TermId>, constants: Rc<BTreeSet<u128>>) -> Dimension {
        Dimension { at, apart: ToldApart::Constants(constants) }
    }

    /// Terms all of whose values are told apart.
    pub fn counted(at: FxHashMap<HeadId, TermId>) -> Dimension {
        Dimension { at, apart: ToldApart::All }
    }

    /// It, over the symbols of a head; `None` where the head does not have it.
    pub fn at(&self, head: HeadId) -> Option<Column> {
        self.at.get(&head).map(|&term| Column { term, apart: self.apart.clone() })
    }

    /// Is it a condition on what no step changes?
    pub fn is_condition(&self) -> bool {
        matches!(self.apart, ToldApart::Truth)
    }

    /// Are all its values told apart?
    pub fn is_counted(&self) -> bool {
        matches!(self.apart, ToldApart::All)
    }

    /// How many values it may have.
    pub fn values(&self) -> usize {
        match &self.apart {
            ToldApart::Truth => 2,
            ToldApart::Constants(constants) => constants.len().max(2),
            ToldApart::All => MOST_COUNTED,
        }
    }
}

impl Column {
    /// Of a truth value, or of a number with these constants.
    #[cfg(test)]
    pub fn new(term: TermId, constants: BTreeSet<u128>) -> Column {
        Column { term, apart: ToldApart::Constants(Rc::new(constants)) }
    }

    /// The same of another term.
    pub fn of(&self, term: TermId) -> Column {
        Column { term, apart: self.apart.clone() }
    }

    /// What a value in a model counts as.
    pub fn value(&self, value: &Value) -> Option<u128> {
        match value {
            Value::Bool(truth) => Some(u128::from(*truth)),
            Value::Bits(bits) => Some(match &self.apart {
                ToldApart::All => bits.to_u128()?,
                ToldApart::Truth => OTHER,
                ToldApart::Constants(constants) => {
                    bits.to_u128().filter(|value| constants.contains(value)).unwrap_or(OTHER)
                }
            }),
            _ => None,
        }
    }

    /// That it has a value.
    pub fn is(&self, terms: &mut Terms, value: u128) -> TermId {
        let Sort::BitVec(width) = terms.pool.sort(self.term) else {
            return if value == 1 { self.term } else { terms.not(self.term) };
        };
        let equals = |terms: &mut Terms, value: u128| {
            let number = terms.number(width, value);
            terms.equal(self.term, number)
        };
        let constants = match &self.apart {
            ToldApart::Constants(constants) if value == OTHER => constants,
            _ => return equals(terms, value),
        };
        let known: Vec<TermId> = constants.iter().map(|&value| equals(terms, value)).collect();
        let known = terms.any(&known);
        terms.not(known)
    }
}

/// All that can be followed.
pub fn of(blocks: &mut Blocks<'_, '_>) -> Vec<Dimension> {
    let live = live_symbols(blocks);
    let finite = crate::finite::told_apart(blocks.program, MOST_VALUES);
    let mut by_variable: FxHashMap<VariableId, Dimension> = FxHashMap::default();
    let mut order: Vec<VariableId> = Vec::new();
    for id in blocks.heads.ids().collect::<Vec<_>>() {
        let head = &blocks.heads[id];
        let own = all_subjects(&mut blocks.explorer.encoder, &head.procedures, &head.any);
        for subject in own {
            let Some(values) = finite.get(&subject.variable) else { continue };
            let is_symbol = matches!(blocks.explorer.encoder.terms.pool.op(subject.term), Op::Symbol(_));
            if values.len() < 2 || subject.width > 64 || !is_symbol || !live[id].contains(&subject.term) {
                continue;
            }
            let dimension = by_variable.entry(subject.variable).or_insert_with(|| {
                order.push(subject.variable);
                Dimension::told_apart(FxHashMap::default(), Rc::new(values.clone()))
            });
            dimension.at.insert(id, subject.term);
        }
    }
    let mut found: Vec<Dimension> =
        order.iter().filter_map(|variable| by_variable.remove(variable)).collect();
    found.extend(super::cells::of(blocks));
    // Counters and conditions alone are no state machine.
    if !found.is_empty() {
        let followed: FxHashSet<TermId> = found.iter().flat_map(|one| one.at.values().copied()).collect();
        found.extend(counters(blocks, &live, &followed));
        let followed: FxHashSet<TermId> =
            found.iter().flat_map(|dimension| dimension.at.values().copied()).collect();
        found.extend(kept_conditions(blocks, &followed));
    }
    found
}

/// Variables that begin as constants and that every step sets to constants, leaves, or moves by a constant.
fn counters(
    blocks: &mut Blocks<'_, '_>,
    live: &IndexVec<HeadId, FxHashSet<TermId>>,
    followed: &FxHashSet<TermId>,
) -> Vec<Dimension> {
    let mut by_part: std::collections::BTreeMap<StateVariable, FxHashMap<HeadId, TermId>> =
        Default::default();
    for (id, head) in blocks.heads.iter_enumerated() {
        for &(part, symbol) in head.symbols.iter() {
            let sort = blocks.explorer.encoder.terms.pool.sort(symbol);
            let is_register = matches!(part, StateVariable::Global(_) | StateVariable::Local(..));
            let is_number = matches!(sort, Sort::BitVec(1..=64));
            if is_register && is_number && live[id].contains(&symbol) && !followed.contains(&symbol) {
                by_part.entry(part).or_default().insert(id, symbol);
            }
        }
    }
    let pool = &blocks.explorer.encoder.terms.pool;
    let counts = |at: &FxHashMap<HeadId, TermId>| {
        let mut moves = false;
        let follows = blocks.arrivals.iter().all(|arrival| {
            let Some(value) = at.get(&arrival.to).and_then(|there| arrival.values.get(there)) else {
                return true;
            };
            let before = arrival.from.and_then(|from| at.get(&from).copied());
            moves |= Some(*value) != before;
            is_moved(pool, *value, before)
        });
        moves && follows
    };
    by_part.into_values().filter(|at| counts(at)).map(Dimension::counted).collect()
}

/// Parts of a value that are looked at.
const MOST_PARTS: usize = 2_000;

/// Is a value made of constants and one other term by choices and by sums with constants alone?
fn is_moved(pool: &logic::TermPool, value: TermId, from: Option<TermId>) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![value];
    while let Some(term) = open.pop() {
        if Some(term) == from || pool.constant_value(term).is_some() || !seen.insert(term) {
            continue;
        }
        let arguments = pool.arguments(term);
        match pool.op(term) {
            _ if seen.len() > MOST_PARTS => return false,
            Op::Ite => open.extend_from_slice(&arguments[1..]),
            Op::BvAdd | Op::BvSub => {
                let others = arguments.iter().filter(|&&part| pool.constant_value(part).is_none());
                if others.clone().count() > 1 {
                    return false;
                }
                open.extend(others);
            }
            _ => return false,
        }
    }
    true
}

/// The symbols of each head that some step from it, or a failure after it, depends on.
pub fn live_symbols(blocks: &Blocks<'_, '_>) -> IndexVec<HeadId, FxHashSet<TermId>> {
    let mut cones = Cones::default();
    let encoder = &blocks.explorer.encoder;
    let mut live: IndexVec<HeadId, FxHashSet<TermId>> =
        blocks.heads.iter().map(|_| FxHashSet::default()).collect();
    let own: IndexVec<HeadId, FxHashSet<TermId>> =
        blocks.heads.iter().map(|head| head.symbols.iter().map(|(_, symbol)| *symbol).collect()).collect();
    for id in blocks.heads.ids() {
        let mut roots: Vec<TermId> = blocks
            .goals
            .iter()
            .filter(|(from, _)| *from == Some(id))
            .map(|(_, goal)| goal.condition)
            .collect();
        roots.extend(
            blocks.arrivals.iter().filter(|arrival| arrival.from == Some(id)).map(|arrival| arrival.guard),
        );
        live[id].extend(cones.below(encoder, &roots).into_iter().filter(|term| own[id].contains(term)));
    }
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for arrival in &blocks.arrivals {
            let Some(from) = arrival.from else { continue };
            let roots: Vec<TermId> =
                live[arrival.to].iter().filter_map(|symbol| arrival.values.get(symbol)).copied().collect();
            for term in cones.below(encoder, &roots) {
                if own[from].contains(&term) {
                    has_changed |= live[from].insert(term);
                }
            }
        }
    }
    live
}

/// Conditions of the program on parts of the state that no step from a head to a head changes, those first
/// that what is followed depends on.
fn kept_conditions(blocks: &mut Blocks<'_, '_>, followed: &FxHashSet<TermId>) -> Vec<Dimension> {
    let mut symbols: FxHashMap<StateVariable, FxHashMap<HeadId, TermId>> = FxHashMap::default();
    let mut part_of: FxHashMap<TermId, StateVariable> = FxHashMap::default();
    for (id, head) in blocks.heads.iter_enumerated() {
        for &(part, symbol) in head.symbols.iter() {
            symbols.entry(part).or_default().insert(id, symbol);
            part_of.insert(symbol, part);
        }
    }
    let mut changed: FxHashSet<StateVariable> = FxHashSet::default();
    for arrival in &blocks.arrivals {
        let Some(from) = arrival.from else { continue };
        for &(part, symbol) in blocks.heads[arrival.to].symbols.iter() {
            let before = symbols[&part].get(&from);
            if before.is_none() || arrival.values.get(&symbol) != before {
                changed.insert(part);
            }
        }
    }
    let kept: FxHashSet<TermId> =
        part_of.iter().filter(|(_, part)| !changed.contains(part)).map(|(&symbol, _)| symbol).collect();
    // Cells of memory that no step changes have symbols of their own here.
    let cells = super::cells::kept(blocks);
    let mut kept = kept;
    kept.extend(cells.iter().map(|cell| cell.symbol));
    let mut cones = Cones::default();
    let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
    for id in blocks.heads.ids().collect::<Vec<_>>() {
        let as_symbols: FxHashMap<TermId, TermId> =
            cells.iter().filter_map(|cell| Some((*cell.at.get(&id)?, cell.symbol))).collect();
        let steps = || blocks.arrivals.iter().filter(|arrival| arrival.from == Some(id));
        let values = steps().flat_map(|arrival| {
            arrival.values.iter().filter(|(symbol, _)| followed.contains(symbol)).map(|(_, value)| *value)
        });
        let goals = blocks.goals.iter().filter(|(from, _)| *from == Some(id));
        let mut roots: Vec<TermId> = steps().map(|arrival| arrival.guard).collect();
        roots.extend(goals.map(|(_, goal)| goal.condition));
        // The last are looked at first.
        roots.extend(values);
        let below: Vec<TermId> = cones
            .below(&blocks.explorer.encoder, &roots)
            .into_iter()
            .filter(|&term| blocks.explorer.encoder.terms.pool.sort(term) == Sort::Bool)
            .collect();
        for term in below {
            let pool = &mut blocks.explorer.encoder.terms.pool;
            let term = if as_symbols.is_empty() { term } else { pool.substitute(term, &as_symbols) };
            let atoms = atoms_of(&mut blocks.explorer.encoder.terms, term, &kept);
            // Each comes with its opposite.
            for atom in atoms.into_iter().step_by(2) {
                let terms = &mut blocks.explorer.encoder.terms;
                let mentioned = symbols_in(&terms.pool, &[atom]);
                if mentioned.is_empty() || found.len() >= MOST_CONDITIONS {
                    continue;
                }
                let mut at = FxHashMap::default();
                for other in blocks.heads.ids() {
                    let renamed: Option<FxHashMap<TermId, TermId>> = mentioned
                        .iter()
                        .map(|symbol| {
                            let there = match part_of.get(symbol) {
                                Some(part) => symbols[part].get(&other),
                                None => cells.iter().find(|cell| cell.symbol == *symbol)?.at.get(&other),
                            };
                            Some((*symbol, *there?))
                        })
                        .collect();
                    if let Some(renamed) = renamed {
                        at.insert(other, terms.pool.substitute(atom, &renamed));
                    }
                }
                if at.values().all(|instance| seen.insert(*instance)) {
                    found.push(Dimension { at, apart: ToldApart::Truth });
                }
            }
        }
    }
    found
}
