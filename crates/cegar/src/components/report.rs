//! What people and tools are shown: the run in source terms, and the figures of the theses' tables.

use super::judge::{Followed, RunWithValues, Share, truths};
use super::parts::{Code, SystemPart};
use super::witness::{Ending, Witness};
use base::{Id, SourceMap};
use logic::TermId;
use logic::term::symbols_in;
use predicate::PredicateOrigin;
use predicate::component::CellId;
use predicate::refine::{Unfolded, Values};
use question::{Answer, Counterexample, Round};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use verdict::{Deadlock, Lane, Lasso, Path, Refusal, StateView, Step};

/// The answer with everything worth telling.
#[derive(Clone, Debug)]
pub struct SystemReport {
    /// The answer.
    pub answer: Answer,
    /// Why it holds of nothing, in words: a component that cannot start.
    pub vacuous: Vec<String>,
    /// Do functions call themselves more often than they were followed?
    pub is_too_deep: bool,
    /// Rounds of the loop.
    pub rounds: usize,
    /// What each refinement was for, in order.
    pub refinements: Vec<String>,
    /// The rounds of the loop, in order.
    pub history: Vec<Round>,
    /// One per part, in order.
    pub parts: Vec<PartFigures>,
    /// States of the abstract product in the last round.
    pub product_states: usize,
    /// The most states of the abstract product in any round.
    pub most_product_states: usize,
}

/// Figures of one part.
#[derive(Clone, Debug)]
pub struct PartFigures {
    /// Its name.
    pub name: String,
    /// Control locations; 0 for a process.
    pub locations: usize,
    /// States of its abstraction.
    pub states: usize,
    /// States the checks saw of it.
    pub seen_states: usize,
    /// Its predicates, each with its reason in words.
    pub predicates: Vec<(String, String)>,
    /// Conditions that the predicates come from.
    pub seeds: usize,
    /// The structure the checks saw.
    pub lks: std::sync::Arc<lks::Lks>,
}

impl PartFigures {
    pub(super) fn of(part: &SystemPart) -> PartFigures {
        match part {
            SystemPart::Process(lks) => PartFigures {
                name: lks.name().to_owned(),
                locations: 0,
                states: lks.state_count(),
                seen_states: lks.state_count(),
                predicates: Vec::new(),
                seeds: 0,
                lks: lks.clone(),
            },
            SystemPart::Code(code) => PartFigures {
                name: code.component.name.to_string(),
                locations: code.component.nodes.len(),
                states: code.view.as_ref().map_or(0, |view| view.abstraction.states.len()),
                seen_states: code.view.as_ref().map_or(0, |view| view.lks.state_count()),
                predicates: predicates(code),
                seeds: code.seeds.len(),
                lks: code.view.as_ref().map_or_else(
                    || std::sync::Arc::new(lks::LksBuilder::new(&code.component.name).build()),
                    |view| view.lks.clone(),
                ),
            },
        }
    }
}

pub(super) fn predicates(code: &Code) -> Vec<(String, String)> {
    let reason = |origin: &PredicateOrigin| match origin {
        PredicateOrigin::Supplied => "supplied".to_owned(),
        PredicateOrigin::Question => "asked about".to_owned(),
        PredicateOrigin::Refinement(text) => format!("for `{text}`"),
    };
    let all = code.predicates.all();
    all.into_iter().map(|(term, origin)| (code.component.show(term), reason(origin))).collect()
}

/// A part of the system at the end of a validated counterexample.
pub(super) struct PartAtTheEnd<'a> {
    share: Option<Cow<'a, Share>>,
    /// Values of its steps, where these are the steps that were followed.
    values: Option<(&'a Unfolded, &'a Values)>,
}

impl<'a> PartAtTheEnd<'a> {
    /// What is shown of a part: its share, or the run that was made with the same events.
    pub fn of(
        parts: &[SystemPart],
        witness: &Witness,
        part: usize,
        share: Option<&'a Share>,
        followed: Option<&'a Followed>,
    ) -> PartAtTheEnd<'a> {
        let (Some(share), Some(followed), SystemPart::Code(code)) = (share, followed, &parts[part]) else {
            return PartAtTheEnd { share: share.map(Cow::Borrowed), values: None };
        };
        match &followed.shown {
            Some(run) => {
                let share = as_it_was_run(code, witness, part, share, run);
                PartAtTheEnd { share: Some(Cow::Owned(share)), values: Some((&run.unfolded, &run.values)) }
            }
            None => {
                let values = (!followed.is_loose).then_some((&followed.unfolded, &followed.values));
                PartAtTheEnd { share: Some(Cow::Borrowed(share)), values }
            }
        }
    }
}

/// The steps of a run, each with the joint step whose event comes next.
fn as_it_was_run(code: &Code, witness: &Witness, part: usize, share: &Share, run: &RunWithValues) -> Share {
    let mut inside: Vec<Vec<usize>> = vec![Vec::new(); witness.steps.len()];
    let mut next = 0;
    for at in last_run(witness) {
        let is_event = witness.steps[at].moves.iter().any(|own| own.part == part && !own.action.is_silent());
        while is_event && next < run.steps.len() {
            inside[at].push(next);
            next += 1;
            if code.component.edges[run.steps[next - 1].edge].event.is_some() {
                break;
            }
        }
    }
    // The abstract states are those of the share, not of these steps; where only events count, nobody asks
    // for them.
    Share { steps: run.steps.clone(), inside, states: Vec::new(), ..share.clone() }
}

/// The joint steps from the start to the last leaf, in order.
fn last_run(witness: &Witness) -> Vec<usize> {
    let mut leaf = witness.steps.len().checked_sub(1);
    let mut order = Vec::new();
    while let Some(at) = leaf {
        order.push(at);
        leaf = witness.steps[at].parent;
    }
    order.reverse();
    order
}

/// The counterexample in source terms: one root-to-leaf run of the tree, with every statement of every part.
pub(super) fn counterexample(
    parts: &[SystemPart],
    witness: &Witness,
    shown: &[PartAtTheEnd<'_>],
    sources: &SourceMap,
    deadlock: bool,
) -> Counterexample {
    let mut teller = Teller { parts, shown, sources, places: Vec::new(), lane_names: Vec::new() };
    for part in parts {
        teller.lane_names.push(part.name().to_string());
        teller.places.push(match part {
            SystemPart::Code(code) => teller.place(code, code.component.entry),
            SystemPart::Process(_) => "start".to_owned(),
        });
    }
    let start = teller.view();
    let mut steps: Vec<Step> = Vec::new();
    teller.first_values(witness, &mut steps);
    let mut cycle_from = None;
    // The last leaf is the deepest of the first strategy: steps come parent first.
    for at in last_run(witness) {
        if witness.ending == Ending::Cycle(at) {
            cycle_from = Some(steps.len());
        }
        teller.joint(witness, at, &mut steps);
    }
    let cycle = cycle_from.map(|from| steps.split_off(from));
    let why = match witness.steps.last() {
        Some(last) if witness.why.is_empty() => {
            let is_branching =
                witness.steps.iter().enumerate().any(|(at, step)| at > 0 && step.parent != Some(at - 1));
            let others = if is_branching { "; other answers are defeated in other ways" } else { "" };
            format!("the specification cannot follow `{}` here{others}", last.name)
        }
        _ => witness.why.clone(),
    };
    let path = Path { lane_names: teller.lane_names.clone(), start, steps, ends_because: why };
    match (witness.ending, cycle) {
        (Ending::Cycle(_), Some(cycle)) if !cycle.is_empty() => {
            Counterexample::Lasso(Lasso { stem: path, cycle })
        }
        (Ending::Stuck, _) if deadlock => {
            let refusals = teller.refusals(witness);
            Counterexample::Deadlock(Deadlock { path, refusals })
        }
        (Ending::Stuck, _) => Counterexample::MaximalPath(path),
        _ => Counterexample::Path(path),
    }
}

/// The cells whose first values a run reads, and those that propositions speak of.
fn first_reads(code: &Code, witness: &Witness, share: &Share) -> Vec<CellId> {
    let component = &code.component;
    let cell_of: FxHashMap<TermId, CellId> =
        component.cells.iter_enumerated().map(|(id, cell)| (cell.symbol, id)).collect();
    let mut found: Vec<CellId> = Vec::new();
    let mut written: FxHashSet<CellId> = FxHashSet::default();
    let mut read = |written: &FxHashSet<CellId>, terms: &[TermId]| {
        for symbol in symbols_in(&component.pool, terms) {
            if let Some(&cell) = cell_of.get(&symbol)
                && !written.contains(&cell)
                && !found.contains(&cell)
            {
                found.push(cell);
            }
        }
    };
    read(&written, &component.propositions);
    for at in last_run(witness) {
        for &index in &share.inside[at] {
            let edge = &component.edges[share.steps[index].edge];
            read(&written, &[edge.full_guard]);
            let values: Vec<TermId> = edge.updates.iter().map(|(_, value)| *value).collect();
            read(&written, &values);
            written.extend(edge.updates.iter().map(|(cell, _)| *cell));
        }
    }
    found
}

struct Teller<'a> {
    parts: &'a [SystemPart],
    shown: &'a [PartAtTheEnd<'a>],
    sources: &'a SourceMap,
    places: Vec<String>,
    lane_names: Vec<String>,
}

impl Teller<'_> {
    fn place(&self, code: &Code, node: predicate::NodeId) -> String {
        let node = &code.component.nodes[node];
        if node.is_end { "ended".to_owned() } else { self.at(node.span) }
    }

    /// File and line, without directories: lanes are narrow.
    fn at(&self, span: base::Span) -> String {
        let Some(at) = self.sources.location(span) else { return "?".to_owned() };
        let file = at.file.rsplit('/').next().unwrap_or_default();
        format!("{file}:{}", at.line)
    }

    fn view(&self) -> StateView {
        StateView { components: self.places.clone(), propositions: Vec::new() }
    }

    fn joint(&mut self, witness: &Witness, at: usize, steps: &mut Vec<Step>) {
        let joint = &witness.steps[at];
        let mut together = Vec::new();
        for own in &joint.moves {
            let lane = Lane(own.part as u32);
            let (SystemPart::Code(code), Some(share)) = (&self.parts[own.part], &self.shown[own.part].share)
            else {
                self.places[own.part] = own.to.index().to_string();
                together.push((lane, String::new()));
                continue;
            };
            for (position, &index) in share.inside[at].iter().enumerate() {
                let edge = &code.component.edges[share.steps[index].edge];
                let is_last = position + 1 == share.inside[at].len();
                self.places[own.part] = self.place(code, edge.to);
                let text = self.step_text(own.part, code, index, share);
                if is_last {
                    together.push((lane, text));
                } else if !text.is_empty() {
                    steps.push(Step { action: text, silent: true, lanes: vec![lane], to: self.view() });
                }
            }
        }
        let is_event = joint.moves.iter().any(|own| !own.action.is_silent());
        let words: Vec<&str> =
            together.iter().map(|(_, text)| text.as_str()).filter(|text| !text.is_empty()).collect();
        if !is_event && words.is_empty() {
            return;
        }
        let action = if is_event {
            let words = words.join("; ");
            if words.is_empty() { joint.name.clone() } else { format!("{}  [{words}]", joint.name) }
        } else {
            words.join("; ")
        };
        let lanes = together.iter().map(|(lane, _)| *lane).collect();
        steps.push(Step { action, silent: !is_event || joint.is_silent, lanes, to: self.view() });
    }

    /// Where, what, and the values it gives.
    fn step_text(&self, part: usize, code: &Code, index: usize, share: &Share) -> String {
        let edge = &code.component.edges[share.steps[index].edge];
        if edge.text.is_empty() {
            return String::new();
        }
        let is_inside_library = edge.event.is_none() && self.is_of_library(edge.span);
        let mut text =
            if is_inside_library { String::new() } else { format!("{}: {}", self.at(edge.span), edge.text) };
        if let Some((unfolded, values)) = self.shown[part].values
            && index < unfolded.states.len()
            && !is_inside_library
        {
            let given = self.values_given(code, index, share, unfolded, values);
            if !given.is_empty() {
                text = format!("{text}  ({})", given.join(", "));
            }
        }
        if let Some(&after) = share.states.get(index).filter(|_| !code.propositions.is_empty()) {
            let before = share.steps[index].parent.map_or(share.start, |parent| share.states[parent]);
            let (was, is) = (truths(code, before), truths(code, after));
            for ((name, _), (was, is)) in code.propositions.iter().zip(was.into_iter().zip(is)) {
                match (was, is) {
                    (false, true) => text = format!("{text}  [{name}] holds now"),
                    (true, false) => text = format!("{text}  [{name}] holds no longer"),
                    _ => {}
                }
            }
        }
        text
    }

    /// Is it a place in our own description of a library function? People know what those do.
    fn is_of_library(&self, span: base::Span) -> bool {
        self.sources.location(span).is_some_and(|at| at.file.starts_with("<library>"))
    }

    /// The values that a step gives. Where it may write several places, those that are others than before.
    fn values_given(
        &self,
        code: &Code,
        index: usize,
        share: &Share,
        unfolded: &Unfolded,
        values: &Values,
    ) -> Vec<String> {
        let component = &code.component;
        let edge = &component.edges[share.steps[index].edge];
        let before = share.steps[index].parent.map(|parent| &unfolded.states[parent]);
        let mut given = Vec::new();
        for (cell, _) in &edge.updates {
            let now = unfolded.states[index].get(cell).and_then(|&term| values.bits(component, term));
            let own = component.cells[*cell].symbol;
            let earlier = before.and_then(|state| state.get(cell)).copied().unwrap_or(own);
            if edge.updates.len() > 1 && values.bits(component, earlier) == now {
                continue;
            }
            if let Some(value) = now.and_then(|value| component.value_text(*cell, value)) {
                given.push(format!("{} = {value}", component.cells[*cell].name));
            }
        }
        given
    }

    /// The values that the run of each part starts with, as far as it depends on them, and which propositions
    /// hold.
    fn first_values(&self, witness: &Witness, steps: &mut Vec<Step>) {
        for (part, shown) in self.shown.iter().enumerate() {
            let (SystemPart::Code(code), Some(share)) = (&self.parts[part], &shown.share) else { continue };
            let mut told: Vec<String> = Vec::new();
            if let Some((_, values)) = shown.values {
                let component = &code.component;
                for cell in first_reads(code, witness, share) {
                    let own = &component.cells[cell];
                    let value = values.bits(component, own.symbol);
                    if let Some(value) = value.and_then(|value| component.value_text(cell, value)) {
                        told.push(format!("{} = {value}", own.name));
                    }
                }
            }
            for ((name, _), holds) in code.propositions.iter().zip(truths(code, share.start)) {
                told.push(format!("[{name}] {}", if holds { "holds" } else { "does not hold" }));
            }
            if !told.is_empty() {
                let action = format!("{} starts with {}", code.component.name, told.join(", "));
                steps.push(Step { action, silent: true, lanes: vec![Lane(part as u32)], to: self.view() });
            }
        }
    }

    fn refusals(&self, witness: &Witness) -> Vec<Refusal> {
        let mut refusals = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            let (lks, state) = match part {
                SystemPart::Process(lks) => {
                    let last = witness
                        .steps
                        .iter()
                        .rev()
                        .find_map(|step| step.moves.iter().find(|own| own.part == index));
                    (lks.clone(), last.map_or(witness.start[index], |own| own.to))
                }
                SystemPart::Code(code) => {
                    let Some(view) = &code.view else { continue };
                    let share = self.shown[index].share.as_ref();
                    let last = share.and_then(|share| share.after.last()).map(|(_, state)| *state);
                    let Some(state) = last.or_else(|| view.start(witness.start[index])) else { continue };
                    (view.abstraction.lks.clone(), state)
                }
            };
            let names = |offered: bool| {
                let wanted = lks.alphabet().visible().filter(|&action| lks.offers(state, action) == offered);
                let mut names: Vec<String> =
                    wanted.map(|action| lks.alphabet().name(action).to_owned()).collect();
                names.sort_unstable();
                names
            };
            refusals.push(Refusal {
                component: self.lane_names[index].clone(),
                state: self.places[index].clone(),
                refuses: names(false),
                waits_for: names(true),
                terminated: lks.mark(state) == lks::StateMark::End,
            });
        }
        refusals
    }
}
