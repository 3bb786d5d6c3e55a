//! The graph of ways between heads of loops, with what may still happen on each when all measures so far stay as they are.
//!
//! Where marks are counted (the program is one times an automaton), a place is a head with a state of the automaton, and
//! a way is one on which a mark is counted, or one on which none is. Only parts of the graph with a mark must go.

use super::features::{Feature, sum_of};
use super::search::Measure;
use crate::blocks::{ArrivalId, Blocks, HeadId};
use crate::code::gave_up;
use base::{Budget, EventSink, Id, IndexVec};
use logic::{Answer, TermId};
use program::{VariableId, VariableKind};
use question::{Cycles, part_of};
use rustc_hash::FxHashSet;
use std::time::Duration;
use symbolic::StateVariable;
use verdict::{Reason, Undecided};

base::define_id!(
    /// A way.
    WayId,
    "w"
);

/// A head, and the state of the automaton there; 0 where there is none.
pub(super) type Place = (HeadId, u32);

/// A way from one place to another.
pub(super) struct Way {
    /// By this arrival.
    pub arrival: ArrivalId,
    pub from: Place,
    pub to: Place,
    /// Must it not be taken for ever?
    pub is_marked: bool,
    /// Is it possible?
    pub is_open: bool,
    /// Conditions over the state before: which states of the automaton, and whether a mark is counted; no measure so far
    /// changes.
    held: Vec<TermId>,
}

/// What may still happen.
pub(super) struct Ways {
    pub all: IndexVec<WayId, Way>,
    /// Are places told apart by a state of an automaton?
    pub has_states: bool,
    /// Ways for which invariants were looked for, with how much was supposed of them.
    tried: FxHashSet<(WayId, usize)>,
}

/// The most time that is spent on invariants that exclude one way.
const MOST_FOR_ONE: Duration = Duration::from_secs(10);

/// The variables that say what the automaton does.
struct Ghosts {
    marks: VariableId,
    state: VariableId,
    states: u32,
}

impl Ways {
    /// All ways that are possible at all, from places that the start leads to.
    pub(super) fn of(
        blocks: &mut Blocks<'_, '_>,
        cycles: &Cycles,
        budget: &Budget,
    ) -> Result<Ways, Undecided> {
        let ghosts = ghosts(blocks, cycles);
        let mut ways =
            Ways { all: IndexVec::new(), has_states: ghosts.is_some(), tried: FxHashSet::default() };
        let mut first: Vec<Place> = Vec::new();
        let gave_up = |why: Reason| gave_up("ways between loops", why, budget);
        for arrival in blocks.arrivals.ids().collect::<Vec<_>>() {
            let guard = blocks.arrivals[arrival].guard;
            let (from, to) = (blocks.arrivals[arrival].from, blocks.arrivals[arrival].to);
            let states = match &ghosts {
                None => vec![(0, Vec::new())],
                Some(ghosts) => states_after(blocks, arrival, ghosts, budget).map_err(gave_up)?,
            };
            let Some(from) = from else {
                first.extend(states.into_iter().map(|(state, _)| (to, state)));
                continue;
            };
            for (after, arrives) in states {
                let Some(ghosts) = &ghosts else {
                    let way = Way {
                        arrival,
                        from: (from, 0),
                        to: (to, 0),
                        is_marked: true,
                        is_open: true,
                        held: Vec::new(),
                    };
                    let way = ways.all.push(way);
                    ways.look_at(blocks, way, budget).map_err(gave_up)?;
                    continue;
                };
                for before in 0..ghosts.states {
                    let begins = is_in_state(blocks, from, ghosts, before);
                    let supposed = [&arrives[..], &[begins, guard, blocks.active(Some(from))]].concat();
                    if !is_possible(blocks, Some(from), &supposed, budget).map_err(gave_up)? {
                        continue;
                    }
                    let counted = counts_mark(blocks, arrival, ghosts);
                    let not_counted = blocks.explorer.encoder.terms.not(counted);
                    for (is_marked, condition) in [(true, counted), (false, not_counted)] {
                        let held = [&arrives[..], &[begins, condition]].concat();
                        let way = Way {
                            arrival,
                            from: (from, before),
                            to: (to, after),
                            is_marked,
                            is_open: true,
                            held,
                        };
                        let way = ways.all.push(way);
                        ways.look_at(blocks, way, budget).map_err(gave_up)?;
                    }
                }
            }
        }
        if ghosts.is_some() {
            ways.leave_out_unreached(first);
        }
        Ok(ways)
    }

    fn look_at(&mut self, blocks: &mut Blocks<'_, '_>, way: WayId, budget: &Budget) -> Result<(), Reason> {
        let question = self.taken(blocks, way);
        let from = Some(self.all[way].from.0);
        self.all[way].is_open = is_possible(blocks, from, &question, budget)?;
        Ok(())
    }

    /// Leaves out the ways from places to which none leads.
    fn leave_out_unreached(&mut self, first: Vec<Place>) {
        let mut reached: FxHashSet<Place> = FxHashSet::default();
        let mut open = first;
        while let Some(place) = open.pop() {
            if reached.insert(place) {
                open.extend(self.all.iter().filter(|way| way.is_open && way.from == place).map(|way| way.to));
            }
        }
        for way in self.all.ids().collect::<Vec<_>>() {
            let is_reached = reached.contains(&self.all[way].from);
            self.all[way].is_open &= is_reached;
        }
    }

    /// What holds when the way is taken.
    pub(super) fn taken(&self, blocks: &Blocks<'_, '_>, way: WayId) -> Vec<TermId> {
        let way = &self.all[way];
        let mut all = vec![blocks.arrivals[way.arrival].guard, blocks.active(Some(way.from.0))];
        all.extend(&way.held);
        all
    }

    /// The open ways between some places.
    pub(super) fn inside(&self, part: &[Place]) -> Vec<WayId> {
        let is_inside = |way: &Way| way.is_open && part.contains(&way.from) && part.contains(&way.to);
        self.all.iter_enumerated().filter(|(_, way)| is_inside(way)).map(|(id, _)| id).collect()
    }

    /// The arrivals of these ways, each once.
    pub(super) fn arrivals_of(&self, ways: &[WayId]) -> Vec<ArrivalId> {
        let mut found: Vec<ArrivalId> = ways.iter().map(|&way| self.all[way].arrival).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Places that lead to each other with a mark on the way: the smallest such part, or none.
    pub(super) fn next_marked_part(&self) -> Option<Vec<Place>> {
        let mut places: Vec<Place> = self.all.iter().flat_map(|way| [way.from, way.to]).collect();
        places.sort_unstable();
        places.dedup();
        let number = |place: &Place| places.binary_search(place).expect("every place is among them");
        let mut next: Vec<Vec<Number>> = vec![Vec::new(); places.len()];
        for way in self.all.iter().filter(|way| way.is_open) {
            next[number(&way.from)].push(Number::from_index(number(&way.to)));
        }
        let mut search = base::graph::Search::new(places.len());
        let all: Vec<Number> = (0..places.len()).map(Number::from_index).collect();
        let parts = search.run(all, |place: Number| next[place.index()].iter().copied());
        let mut marked: Vec<Vec<Place>> = Vec::new();
        for part in parts.iter() {
            let mut part: Vec<Place> = part.iter().map(|place| places[place.index()]).collect();
            part.sort_unstable();
            if self.inside(&part).iter().any(|&way| self.all[way].is_marked) {
                marked.push(part);
            }
        }
        marked.into_iter().min_by_key(|part| (part.len(), part[0]))
    }

    /// A measure does not rise on the ways inside: from now on it stays as it is on them.
    pub(super) fn hold(
        &mut self,
        blocks: &mut Blocks<'_, '_>,
        part: &[Place],
        measure: &Measure,
        budget: &Budget,
    ) -> Result<(), Undecided> {
        for way in self.inside(part) {
            let change = change_of(blocks, self.all[way].arrival, measure);
            let terms = &mut blocks.explorer.encoder.terms;
            let width = terms.pool.width(change);
            let zero = terms.number(width, 0);
            let stays = terms.equal(change, zero);
            self.all[way].held.push(stays);
            self.look_at(blocks, way, budget).map_err(|why| gave_up("ranking", why, budget))?;
        }
        Ok(())
    }

    /// Looks for invariants that exclude a way inside: ways between different places first. Is one excluded?
    pub(super) fn exclude_one(
        &mut self,
        blocks: &mut Blocks<'_, '_>,
        part: &[Place],
        budget: &Budget,
        events: &dyn EventSink,
    ) -> bool {
        let mut inside = self.inside(part);
        inside.sort_by_key(|&way| (self.all[way].from == self.all[way].to, way));
        for way in inside {
            if budget.check().is_err() || !self.tried.insert((way, self.all[way].held.len())) {
                continue;
            }
            let mut taken = self.all[way].held.clone();
            taken.push(blocks.arrivals[self.all[way].arrival].guard);
            let condition = blocks.explorer.encoder.terms.pool.all_of(&taken);
            let head = self.all[way].from.0;
            let share = part_of(budget, 6, MOST_FOR_ONE);
            if crate::pdr::exclude_states(blocks, head, condition, &share, events).is_ok() {
                self.all[way].is_open = false;
                for other in self.inside(part) {
                    // A limit ends the next question.
                    let _ = self.look_at(blocks, other, budget);
                }
                return true;
            }
        }
        false
    }

    /// A way round that is not excluded, in words.
    pub(super) fn example(&self, blocks: &mut Blocks<'_, '_>, part: &[Place]) -> Option<String> {
        let inside = self.inside(part);
        let way = inside.iter().copied().find(|&way| self.all[way].is_marked).or(inside.first().copied())?;
        let question = self.taken(blocks, way);
        let (from, to) = (self.all[way].from.0, self.all[way].to.0);
        let budget = Budget::unlimited().with_time(std::time::Duration::from_secs(1));
        if blocks.ask(Some(from), &question, &budget) != Answer::Sat {
            return None;
        }
        let subjects = super::features::numbers_at(blocks, from);
        let is_shown = |subject: &&super::features::NumberAt| !subject.name.contains('$');
        let names: Vec<(String, bool)> =
            subjects.iter().filter(is_shown).map(|one| (one.name.clone(), one.signed)).collect();
        let terms: Vec<TermId> = subjects.iter().filter(is_shown).map(|subject| subject.term).collect();
        let values = blocks.checkers.values(&mut blocks.explorer.encoder, &terms)?;
        let shown: Vec<String> = names
            .iter()
            .zip(&values)
            .take(8)
            .filter_map(|((name, signed), value)| {
                Some(format!("{name} = {}", super::features::number_of(value, *signed)?))
            })
            .collect();
        let program = blocks.program;
        let at = |head: HeadId| program.sources.location(blocks.heads[head].span).map(|at| at.to_string());
        Some(format!(
            "a way that no measure excludes: from {} to {}, with {}",
            at(from)?,
            at(to)?,
            if shown.is_empty() { "any values".to_owned() } else { shown.join(", ") }
        ))
    }
}

base::define_id!(
    /// The number of a place.
    Number,
    "n"
);

/// The heads of places, each once.
pub(super) fn heads_of(part: &[Place]) -> Vec<HeadId> {
    let mut heads: Vec<HeadId> = part.iter().map(|&(head, _)| head).collect();
    heads.sort_unstable();
    heads.dedup();
    heads
}

fn ghosts(blocks: &Blocks<'_, '_>, cycles: &Cycles) -> Option<Ghosts> {
    let Cycles::Marked { marks, state, states } = cycles else { return None };
    let named = |name: &str| {
        let is_it = |variable: &program::Variable| {
            *variable.name == *name && variable.kind == VariableKind::Global && variable.procedure.is_none()
        };
        blocks.program.variables.iter_enumerated().find(|(_, one)| is_it(one)).map(|(id, _)| id)
    };
    Some(Ghosts { marks: named(marks)?, state: named(state)?, states: *states })
}

/// What a variable is at a head.
fn value_at(blocks: &mut Blocks<'_, '_>, head: HeadId, variable: VariableId) -> Option<TermId> {
    let mut state = blocks.heads[head].any.clone();
    let parts = blocks.explorer.encoder.parts(&mut state);
    parts.into_iter().find(|(part, _)| *part == StateVariable::Global(variable)).map(|(_, value)| value)
}

fn is_in_state(blocks: &mut Blocks<'_, '_>, head: HeadId, ghosts: &Ghosts, state: u32) -> TermId {
    let value = value_at(blocks, head, ghosts.state);
    let terms = &mut blocks.explorer.encoder.terms;
    match value {
        None => terms.yes(),
        Some(value) => {
            let width = terms.pool.width(value);
            let number = terms.number(width, u128::from(state));
            terms.equal(value, number)
        }
    }
}

/// The states of the automaton that an arrival can lead to, each with the condition that it does.
fn states_after(
    blocks: &mut Blocks<'_, '_>,
    arrival: ArrivalId,
    ghosts: &Ghosts,
    budget: &Budget,
) -> Result<Vec<(u32, Vec<TermId>)>, Reason> {
    let (from, to) = (blocks.arrivals[arrival].from, blocks.arrivals[arrival].to);
    let mut found = Vec::new();
    for state in 0..ghosts.states {
        let there = is_in_state(blocks, to, ghosts, state);
        let arrives = blocks.after(arrival, there);
        let question = [blocks.arrivals[arrival].guard, blocks.active(from), arrives];
        if is_possible(blocks, from, &question, budget)? {
            found.push((state, vec![arrives]));
        }
    }
    Ok(found)
}

/// Is a mark counted on the way of an arrival?
fn counts_mark(blocks: &mut Blocks<'_, '_>, arrival: ArrivalId, ghosts: &Ghosts) -> TermId {
    let (from, to) = (blocks.arrivals[arrival].from, blocks.arrivals[arrival].to);
    let before = from.and_then(|from| value_at(blocks, from, ghosts.marks));
    let after = value_at(blocks, to, ghosts.marks);
    let (Some(before), Some(after)) = (before, after) else { return blocks.explorer.encoder.terms.yes() };
    let after = blocks.after(arrival, after);
    let terms = &mut blocks.explorer.encoder.terms;
    let stays = terms.equal(before, after);
    terms.not(stays)
}

/// What a solver cannot say counts as possible.
fn is_possible(
    blocks: &mut Blocks<'_, '_>,
    from: Option<HeadId>,
    question: &[TermId],
    budget: &Budget,
) -> Result<bool, Reason> {
    match blocks.ask(from, question, budget) {
        Answer::Unsat => Ok(false),
        Answer::Sat => Ok(true),
        Answer::Unknown(_) => {
            budget.check()?;
            Ok(true)
        }
    }
}

/// The value of a measure before a way, less that after it, in a width in which nothing wraps.
pub(super) fn change_of(blocks: &mut Blocks<'_, '_>, way: ArrivalId, measure: &Measure) -> TermId {
    let (from, to) = (blocks.arrivals[way].from, blocks.arrivals[way].to);
    let from = from.expect("ways that count come from a head");
    let parts: Vec<(i64, &Feature)> =
        measure.parts.iter().map(|(factor, feature)| (*factor, feature)).collect();
    let before: Vec<Option<(TermId, bool)>> =
        parts.iter().map(|(_, feature)| feature.value_at(from)).collect();
    let after: Vec<Option<(TermId, bool)>> = parts.iter().map(|(_, feature)| feature.value_at(to)).collect();
    let after: Vec<Option<(TermId, bool)>> = after
        .into_iter()
        .map(|value| value.map(|(term, signed)| (blocks.after(way, term), signed)))
        .collect();
    let factors: Vec<i64> = parts.iter().map(|(factor, _)| *factor).collect();
    sum_of(&mut blocks.explorer.encoder.terms, measure.width, &factors, &before, &after)
}
