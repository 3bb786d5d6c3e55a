//! Does every run end? Between heads of loops and entries of procedures with contracts, the measures of the certificate
//! exclude every cycle. A run that never ends comes to such places for ever (the walk ends at every head of its own, and
//! cycles of calls have contracts), and from some time on only to those of one strongly connected part. Where a measure
//! rises on no way inside that part, it stays as it is from some time on, since there are finitely many values; what is not
//! possible then is left out, and the parts are made anew.
//!
//! Invariants of loops to which no run comes may be missing: places to which no way leads from the start are left out.
//!
//! A call by contract has two ways: into the procedure, before what the contract ensures is supposed; and past it.

use crate::check::{Certified, bad};
use crate::reading::Reading;
use crate::walk::{ControlPoint, Walker};
use base::{Id, Span};
use logic::TermId;
use logic::term::Op;
use program::{EdgeId, NodeId, ProcedureId};
use std::collections::BTreeMap;
use symbolic::State;
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

/// Shows that the measures exclude all cycles.
pub(crate) fn exclude_cycles(
    walker: &mut Walker<'_, '_>,
    proof: &ProgramProof,
    certified: &Certified<'_>,
    found: &Passages,
) -> Result<(), CycleLeft> {
    let ways = &found.all;
    let mut graph =
        Graph { ways, places: BTreeMap::new(), open: Vec::new(), held: Vec::new(), has_unknown: false };
    for way in ways {
        for place in [&way.from, &way.to] {
            let number = graph.places.len();
            graph.places.entry(place.clone()).or_insert(number);
        }
    }
    graph.held = vec![Vec::new(); ways.len()];
    graph.open = vec![true; ways.len()];
    for way in 0..ways.len() {
        graph.look_at(walker, way)?;
    }
    graph.leave_out_unreached(&found.first);
    for measure in &proof.measures {
        graph.apply(walker, certified, measure)?;
    }
    let Some(part) = graph.parts().into_iter().next() else { return Ok(()) };
    if graph.has_unknown {
        return Err(CycleLeft::Unknown(Reason::SolverUnknown { question: "a measure rises".to_owned() }));
    }
    let place =
        graph.places.iter().find(|(_, number)| part.contains(number)).map(|(place, _)| place.point(walker));
    let at = place.map_or(Span::NOWHERE, |point| walker.body(point.procedure).nodes[point.node].span);
    Err(CycleLeft::Cycle("the measures do not exclude that this goes on for ever".to_owned(), at))
}

struct Graph<'w> {
    ways: &'w [Passage],
    places: BTreeMap<Place, usize>,
    /// Is the way possible?
    open: Vec<bool>,
    /// What is supposed of it: measures stay as they are.
    held: Vec<Vec<TermId>>,
    has_unknown: bool,
}

impl Graph<'_> {
    fn supposed(&self, way: usize) -> Vec<TermId> {
        [&self.ways[way].known[..], &[self.ways[way].guard], &self.held[way]].concat()
    }

    /// Leaves out a way that is not possible.
    fn look_at(&mut self, walker: &mut Walker<'_, '_>, way: usize) -> Result<(), Reason> {
        let yes = walker.encoder.terms.yes();
        let supposed = self.supposed(way);
        if walker.judge.excludes(&mut walker.encoder, &supposed, yes, &walker.budget) == Some(true) {
            self.open[way] = false;
        }
        walker.budget.check()?;
        Ok(())
    }

    /// Leaves out the ways from places to which no run comes: from the start, by ways that are possible, none leads there.
    fn leave_out_unreached(&mut self, first: &[Place]) {
        let mut is_reached = vec![false; self.places.len()];
        let mut waiting: Vec<usize> =
            first.iter().filter_map(|place| self.places.get(place).copied()).collect();
        while let Some(place) = waiting.pop() {
            if std::mem::replace(&mut is_reached[place], true) {
                continue;
            }
            let ways = self.ways.iter().zip(&self.open);
            let onwards = ways.filter(|(way, open)| **open && self.places[&way.from] == place);
            waiting.extend(onwards.map(|(way, _)| self.places[&way.to]));
        }
        for (way, open) in self.ways.iter().zip(&mut self.open) {
            *open &= is_reached[self.places[&way.from]];
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
                let Some(change) = change_of(walker, certified, measure, &self.ways[way])? else { break };
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
                self.held[way].push(stays);
                self.look_at(walker, way)?;
            }
        }
        Ok(())
    }

    fn is_inside(&self, way: usize, part: &[usize]) -> bool {
        let number = |place: &Place| self.places[place];
        self.open[way]
            && part.contains(&number(&self.ways[way].from))
            && part.contains(&number(&self.ways[way].to))
    }

    /// The places that lead to each other by ways that are possible: what each reaches, compared.
    fn parts(&self) -> Vec<Vec<usize>> {
        let count = self.places.len();
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (at, way) in self.ways.iter().enumerate().filter(|(at, _)| self.open[*at]) {
            debug_assert!(self.open[at]);
            next[self.places[&way.from]].push(self.places[&way.to]);
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
