//! Does every run end? Between heads of loops and entries of procedures with contracts, the measures of the certificate
//! exclude every cycle. A run that never ends comes to such places for ever (the walk ends at every head of its own, and
//! cycles of calls have contracts), and from some time on only to those of one strongly connected part. Where a measure
//! rises on no way inside that part, it stays as it is from some time on, since there are finitely many values; what is not
//! possible then is left out, and the parts are made anew.
//!
//! Invariants of loops to which no run comes may be missing: places to which no way leads from the start are left out.
//!
//! Of a program times an automaton, a place is one with a state of the automaton, and a way one with a mark or one without;
//! only cycles with a mark must go. What states and marks are is read from two variables of the program: the claim names them.
//!
//! A call by contract has two ways: into the procedure, before what the contract ensures is supposed; and past it.

use crate::check::{Certified, bad};
use crate::reading::Reading;
use crate::walk::{ControlPoint, Walker};
use base::{Id, Span};
use logic::TermId;
use logic::term::Op;
use program::{EdgeId, NodeId, ProcedureId, VariableId, VariableKind};
use question::Cycles;
use std::collections::BTreeMap;
use symbolic::{State, StateVariable};
use verdict::{Measure, MeasureAt, ProgramProof, Reason};

/// The value of a part of a measure, in the condition that says what it is; its width stands behind it.
const VALUE: &str = "value$";
/// Wider numbers are not of ours.
const MOST_WIDTH: u32 = 256;

/// Where a way begins or ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// The head of a loop.
    Head(ControlPoint),
    /// The entry of a procedure with a contract.
    Entry(ProcedureId),
}

impl Place {
    /// As certificates name it.
    fn point(&self, walker: &Walker<'_, '_>) -> ControlPoint {
        match self {
            Place::Head(point) => point.clone(),
            Place::Entry(procedure) => {
                let node = walker.body(*procedure).entry;
                ControlPoint { calls: Vec::new(), procedure: *procedure, node }
            }
        }
    }
}

/// A way from one place to the next.
#[derive(Clone, Debug)]
pub(crate) struct Passage {
    pub from: Place,
    pub to: Place,
    /// When it is taken.
    pub guard: TermId,
    /// What holds where it begins.
    pub known: Vec<TermId>,
    pub before: State,
    pub after: State,
}

/// What the walk found.
#[derive(Default)]
pub(crate) struct Passages {
    /// The places to which the start leads.
    pub first: Vec<Place>,
    /// When, and with which states, in the same order; none where that is not known of all of them.
    pub first_states: Option<Vec<(TermId, State)>>,
    /// The ways from places.
    pub all: Vec<Passage>,
}

/// A cycle that is left, or why it is not known whether one is.
pub(crate) enum CycleLeft {
    Cycle(String, Span),
    Unknown(Reason),
}

impl From<Reason> for CycleLeft {
    fn from(why: Reason) -> CycleLeft {
        CycleLeft::Unknown(why)
    }
}

/// A place, with the state of the automaton there; 0 where there is none.
type Stand = (Place, u32);

/// A way with what tells it apart: states of the automaton, and whether a mark is counted.
struct Way<'w> {
    passage: &'w Passage,
    from: usize,
    to: usize,
    is_marked: bool,
    /// Is it possible?
    is_open: bool,
    /// What is supposed of it beside what the passage says; later also that measures stay as they are.
    held: Vec<TermId>,
}

/// The variables that say what the automaton does, as the claim names them.
struct Ghosts {
    marks: VariableId,
    state: VariableId,
    states: u32,
}

/// More states than these are none of ours.
const MOST_STATES: u32 = 200;

impl Ghosts {
    fn of(walker: &Walker<'_, '_>, cycles: &Cycles) -> Result<Option<Ghosts>, Reason> {
        let Cycles::Marked { marks, state, states } = cycles else { return Ok(None) };
        let named = |name: &str| {
            let mut found = walker.program.variables.iter_enumerated().filter(|(_, variable)| {
                *variable.name == *name && variable.kind == VariableKind::Global && !variable.in_memory
            });
            match (found.next(), found.next()) {
                (Some((id, _)), None) => Ok(id),
                _ => Err(bad(&format!("`{name}` is not one variable of the program"))),
            }
        };
        if *states > MOST_STATES {
            return Err(bad("the automaton has too many states"));
        }
        Ok(Some(Ghosts { marks: named(marks)?, state: named(state)?, states: *states }))
    }
}

/// What a variable is in a state.
fn value_of(walker: &mut Walker<'_, '_>, state: &State, variable: VariableId) -> Result<TermId, Reason> {
    let parts = walker.encoder.parts(&mut state.clone());
    let own = parts.into_iter().find(|(part, _)| *part == StateVariable::Global(variable));
    own.map(|(_, value)| value).ok_or_else(|| bad("a state does not have the automaton's variables"))
}

/// Shows that the measures exclude all cycles, or those on which marks are counted.
pub(crate) fn exclude_cycles(
    walker: &mut Walker<'_, '_>,
    proof: &ProgramProof,
    certified: &Certified<'_>,
    found: &Passages,
    cycles: &Cycles,
) -> Result<(), CycleLeft> {
    let ghosts = Ghosts::of(walker, cycles)?;
    let mut graph = Graph { ways: Vec::new(), stands: BTreeMap::new(), has_unknown: false };
    for passage in &found.all {
        graph.add(walker, passage, ghosts.as_ref())?;
    }
    for way in 0..graph.ways.len() {
        graph.look_at(walker, way)?;
    }
    let first = match &ghosts {
        None => found.first.iter().map(|place| (place.clone(), 0)).collect(),
        // The automaton may be in any state there.
        Some(ghosts) => {
            let all =
                |place: &Place| (0..ghosts.states).map(|state| (place.clone(), state)).collect::<Vec<_>>();
            match &found.first_states {
                None => found.first.iter().flat_map(all).collect(),
                Some(states) => graph.first(walker, ghosts, &found.first, states)?,
            }
        }
    };
    graph.leave_out_unreached(&first);
    for measure in &proof.measures {
        graph.apply(walker, certified, measure)?;
    }
    let Some(part) = graph.marked_parts().into_iter().next() else { return Ok(()) };
    if graph.has_unknown {
        return Err(CycleLeft::Unknown(Reason::SolverUnknown { question: "a measure rises".to_owned() }));
    }
    let stand = graph.stands.iter().find(|(_, number)| part.contains(number));
    let place = stand.map(|((place, _), _)| place.point(walker));
    let at = place.map_or(Span::NOWHERE, |point| walker.body(point.procedure).nodes[point.node].span);
    Err(CycleLeft::Cycle("the measures do not exclude that this goes on for ever".to_owned(), at))
}

struct Graph<'w> {
    ways: Vec<Way<'w>>,
    stands: BTreeMap<Stand, usize>,
    has_unknown: bool,
}

impl<'w> Graph<'w> {
    fn number(&mut self, place: &Place, state: u32) -> usize {
        let next = self.stands.len();
        *self.stands.entry((place.clone(), state)).or_insert(next)
    }

    /// The ways of a passage: one, or one for each two states of the automaton, with a mark and without.
    fn add(
        &mut self,
        walker: &mut Walker<'_, '_>,
        passage: &'w Passage,
        ghosts: Option<&Ghosts>,
    ) -> Result<(), Reason> {
        let Some(ghosts) = ghosts else {
            let (from, to) = (self.number(&passage.from, 0), self.number(&passage.to, 0));
            self.ways.push(Way { passage, from, to, is_marked: true, is_open: true, held: Vec::new() });
            return Ok(());
        };
        let before = value_of(walker, &passage.before, ghosts.state)?;
        let after = value_of(walker, &passage.after, ghosts.state)?;
        let (counted, count) = (
            value_of(walker, &passage.before, ghosts.marks)?,
            value_of(walker, &passage.after, ghosts.marks)?,
        );
        let terms = &mut walker.encoder.terms;
        let unmarked = terms.equal(counted, count);
        let marked = terms.not(unmarked);
        for begins in 0..ghosts.states {
            let begins_so = is_number(walker, before, begins);
            if self.is_impossible(walker, passage, &[begins_so])? {
                continue;
            }
            for arrives in 0..ghosts.states {
                let arrives_so = is_number(walker, after, arrives);
                if self.is_impossible(walker, passage, &[begins_so, arrives_so])? {
                    continue;
                }
                let (from, to) = (self.number(&passage.from, begins), self.number(&passage.to, arrives));
                for (is_marked, mark) in [(true, marked), (false, unmarked)] {
                    let held = vec![begins_so, arrives_so, mark];
                    self.ways.push(Way { passage, from, to, is_marked, is_open: true, held });
                }
            }
        }
        Ok(())
    }

    fn is_impossible(
        &self,
        walker: &mut Walker<'_, '_>,
        passage: &Passage,
        also: &[TermId],
    ) -> Result<bool, Reason> {
        let yes = walker.encoder.terms.yes();
        let supposed = [&passage.known[..], &[passage.guard], also].concat();
        let said = walker.judge.excludes(&mut walker.encoder, &supposed, yes, &walker.budget);
        walker.budget.check()?;
        Ok(said == Some(true))
    }

    /// The states of the automaton in which the start leads to places.
    fn first(
        &self,
        walker: &mut Walker<'_, '_>,
        ghosts: &Ghosts,
        places: &[Place],
        states: &[(TermId, State)],
    ) -> Result<Vec<Stand>, Reason> {
        let mut found = Vec::new();
        for (place, (guard, state)) in places.iter().zip(states) {
            let value = value_of(walker, state, ghosts.state)?;
            for number in 0..ghosts.states {
                let there = is_number(walker, value, number);
                let yes = walker.encoder.terms.yes();
                let supposed = [*guard, there];
                if walker.judge.excludes(&mut walker.encoder, &supposed, yes, &walker.budget) != Some(true) {
                    found.push((place.clone(), number));
                }
                walker.budget.check()?;
            }
        }
        Ok(found)
    }

    fn supposed(&self, way: usize) -> Vec<TermId> {
        let way = &self.ways[way];
        [&way.passage.known[..], &[way.passage.guard], &way.held].concat()
    }

    /// Leaves out a way that is not possible.
    fn look_at(&mut self, walker: &mut Walker<'_, '_>, way: usize) -> Result<(), Reason> {
        let yes = walker.encoder.terms.yes();
        let supposed = self.supposed(way);
        if walker.judge.excludes(&mut walker.encoder, &supposed, yes, &walker.budget) == Some(true) {
            self.ways[way].is_open = false;
        }
        walker.budget.check()?;
        Ok(())
    }

    /// Leaves out the ways from places to which no run comes: from the start, by ways that are possible, none leads there.
    fn leave_out_unreached(&mut self, first: &[Stand]) {
        let mut is_reached = vec![false; self.stands.len()];
        let mut waiting: Vec<usize> =
            first.iter().filter_map(|stand| self.stands.get(stand).copied()).collect();
        while let Some(stand) = waiting.pop() {
            if std::mem::replace(&mut is_reached[stand], true) {
                continue;
            }
            let onwards = self.ways.iter().filter(|way| way.is_open && way.from == stand);
            waiting.extend(onwards.map(|way| way.to));
        }
        for way in &mut self.ways {
            way.is_open &= is_reached[way.from];
        }
    }

    /// Supposes that a measure stays as it is, in each part where it rises on no way.
    fn apply(
        &mut self,
        walker: &mut Walker<'_, '_>,
        certified: &Certified<'_>,
        measure: &Measure,
    ) -> Result<(), Reason> {
        if measure.width == 0 || measure.width > MOST_WIDTH {
            return Err(bad("a measure has too many bits"));
        }
        for part in self.parts() {
            let inside: Vec<usize> = (0..self.ways.len()).filter(|&way| self.is_inside(way, &part)).collect();
            let mut changes = Vec::new();
            for &way in &inside {
                let passage = self.ways[way].passage;
                let Some(change) = change_of(walker, certified, measure, passage)? else { break };
                let zero = { walker.encoder.terms.number(walker.encoder.terms.pool.width(change), 0) };
                let rises = walker.encoder.terms.pool.slt(change, zero);
                let rises = walker.encoder.terms.simple(rises);
                let supposed = self.supposed(way);
                match walker.judge.excludes(&mut walker.encoder, &supposed, rises, &walker.budget) {
                    Some(true) => changes.push(walker.encoder.terms.equal(change, zero)),
                    said => {
                        self.has_unknown |= said.is_none();
                        break;
                    }
                }
                walker.budget.check()?;
            }
            if changes.len() < inside.len() {
                continue;
            }
            for (&way, stays) in inside.iter().zip(changes) {
                self.ways[way].held.push(stays);
                self.look_at(walker, way)?;
            }
        }
        Ok(())
    }

    fn is_inside(&self, way: usize, part: &[usize]) -> bool {
        let way = &self.ways[way];
        way.is_open && part.contains(&way.from) && part.contains(&way.to)
    }

    /// The parts in which a mark is counted again and again.
    fn marked_parts(&self) -> Vec<Vec<usize>> {
        let is_marked = |part: &Vec<usize>| {
            (0..self.ways.len()).any(|way| self.ways[way].is_marked && self.is_inside(way, part))
        };
        self.parts().into_iter().filter(is_marked).collect()
    }

    /// The places that lead to each other by ways that are possible: what each reaches, compared.
    fn parts(&self) -> Vec<Vec<usize>> {
        let count = self.stands.len();
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
        for way in self.ways.iter().filter(|way| way.is_open) {
            next[way.from].push(way.to);
        }
        let reached: Vec<Vec<bool>> = (0..count)
            .map(|from| {
                let mut seen = vec![false; count];
                let mut open = next[from].clone();
                while let Some(place) = open.pop() {
                    if !std::mem::replace(&mut seen[place], true) {
                        open.extend(&next[place]);
                    }
                }
                seen
            })
            .collect();
        let mut parts: Vec<Vec<usize>> = Vec::new();
        for (place, from_here) in reached.iter().enumerate() {
            if !from_here[place] || parts.iter().any(|part| part.contains(&place)) {
                continue;
            }
            parts.push((0..count).filter(|&other| from_here[other] && reached[other][place]).collect());
        }
        parts
    }
}

/// That a value is a number.
fn is_number(walker: &mut Walker<'_, '_>, value: TermId, number: u32) -> TermId {
    let terms = &mut walker.encoder.terms;
    let number = terms.number(terms.pool.width(value), u128::from(number));
    terms.equal(value, number)
}

/// By how much a measure falls on a way, in a width in which nothing wraps; none where it is not given at both ends.
fn change_of(
    walker: &mut Walker<'_, '_>,
    certified: &Certified<'_>,
    measure: &Measure,
    way: &Passage,
) -> Result<Option<TermId>, Reason> {
    let given = |walker: &Walker<'_, '_>, place: &Place| -> Option<MeasureAt> {
        let point = place.point(walker);
        measure.places.iter().find(|one| point_of(one) == point).cloned()
    };
    let (Some(from), Some(to)) = (given(walker, &way.from), given(walker, &way.to)) else { return Ok(None) };
    let mut most = 1u64;
    for factor in &measure.factors {
        most = most.saturating_add(factor.unsigned_abs());
    }
    let width = measure.width + 2 + (64 - most.leading_zeros());
    let before = values(walker, certified, &from, measure, &way.before)?;
    let after = values(walker, certified, &to, measure, &way.after)?;
    let terms = &mut walker.encoder.terms;
    let mut sum = terms.number(width, 0);
    for ((&factor, before), after) in measure.factors.iter().zip(before).zip(after) {
        let (before, after) = (terms.resize(before, width, true), terms.resize(after, width, true));
        let change = terms.sub(before, after);
        let factor = terms.number(width, i128::from(factor) as u128);
        let scaled = terms.pool.bvmul(change, factor);
        let scaled = terms.simple(scaled);
        sum = terms.add(sum, scaled);
    }
    Ok(Some(sum))
}

fn point_of(one: &MeasureAt) -> ControlPoint {
    let call = |call: &verdict::ActiveCall| {
        (ProcedureId::from_index(call.procedure_number as usize), EdgeId::from_index(call.edge as usize))
    };
    ControlPoint {
        calls: one.calls.iter().map(call).collect(),
        procedure: ProcedureId::from_index(one.procedure_number as usize),
        node: NodeId::from_index(one.node as usize),
    }
}

/// The parts of a measure in a state: functions of the state alone.
fn values(
    walker: &mut Walker<'_, '_>,
    certified: &Certified<'_>,
    at: &MeasureAt,
    measure: &Measure,
    state: &State,
) -> Result<Vec<TermId>, Reason> {
    if at.values.len() != measure.factors.len() {
        return Err(bad("a measure has more factors than parts, or fewer"));
    }
    let encoder = &mut walker.encoder;
    let mut reading = Reading::of(encoder, state);
    // Numbers of allocated blocks are names; where there are some, only variables that are numbers say anything.
    if encoder.meaning.names_blocks() {
        reading.leave_only_numbers();
    }
    let value = encoder.terms.fresh_bits("value", measure.width);
    reading.add(&format!("{VALUE}{}", measure.width), value);
    let mut all = Vec::new();
    for condition in &at.values {
        let Some(condition) = condition else {
            all.push(encoder.terms.number(measure.width, 0));
            continue;
        };
        let read = reading.read(encoder, condition, certified.objects())?;
        let pool = &encoder.terms.pool;
        let sides = pool.arguments(read);
        let term = match (pool.op(read), sides) {
            (Op::Equal, [one, two]) if *one == value => *two,
            (Op::Equal, [one, two]) if *two == value => *one,
            _ => {
                return Err(bad(&format!("`{}` does not say what a part of a measure is", condition.text())));
            }
        };
        if logic::term::Postorder::new(pool, &[term]).any(|below| below == value) {
            return Err(bad(&format!("`{}` says what a part of a measure is by itself", condition.text())));
        }
        all.push(term);
    }
    Ok(all)
}
