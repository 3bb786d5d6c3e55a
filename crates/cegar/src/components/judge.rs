//! Is a counterexample of the abstract system real? Each part is asked alone: its share of the counterexample
//! is followed on the code (THESIS 6.1, Theorem 10; lassos: 8.3 with a recurrence argument; failures: 10).

use super::bypass::bypassed;
use super::parts::Code;
use super::replay::{ReplayedStep, replay};
use super::returns::Disagreement;
use super::witness::{Ending, Witness};
use base::{Budget, Id};
use lks::StateId;
use logic::TermId;
use predicate::component::CellId;
use predicate::refine::{Conditions, Feasibility, Follower, Seed, TreeStep, Unfolded, Values};
use predicate::{AbstractStep, EdgeId};
use program::Program;
use rustc_hash::FxHashSet;

/// A part's share of a counterexample.
#[derive(Clone, Debug)]
pub(super) struct Share {
    /// Its own steps.
    pub steps: Vec<TreeStep>,
    /// After each joint step: its own last step and its abstract state.
    pub after: Vec<(Option<usize>, StateId)>,
    /// Its own steps inside each joint step.
    pub inside: Vec<Vec<usize>>,
    /// Its abstract state at the start.
    pub start: StateId,
    /// Its abstract state after each of its own steps.
    pub states: Vec<StateId>,
}

/// A share that can be followed.
#[derive(Debug)]
pub(super) struct Followed {
    /// The steps; those of a cycle several times.
    pub steps: Vec<TreeStep>,
    /// The abstract state after each.
    pub states: Vec<StateId>,
    pub unfolded: Unfolded,
    /// What holds beside the conditions of the steps, over the start and the inputs.
    pub also: Vec<TermId>,
    pub values: Values,
    /// Only its events are claimed: it may take other silent steps.
    pub is_loose: bool,
    /// The run to show, where it is not that of the steps.
    pub shown: Option<RunWithValues>,
    /// So many steps at the end come back to where they began, as far as it matters.
    pub round: Option<usize>,
}

/// A run as the component makes it, with values that agree with all its conditions.
#[derive(Debug)]
pub(super) struct RunWithValues {
    pub steps: Vec<TreeStep>,
    pub unfolded: Unfolded,
    pub values: Values,
}

/// What a part says about its share.
pub(super) enum Judgement {
    /// It can be followed.
    Real(Box<Followed>),
    /// It cannot: why, and which steps were tried.
    Spurious(Vec<Vec<Seed>>, Vec<TreeStep>),
    /// Branches had been left out of which some matter after all.
    TooLittle,
    /// It is not known.
    Open(String),
}

/// The share of a part; `None` if the abstraction does not have it, which would be a mistake of ours.
pub(super) fn share(
    code: &Code,
    part: usize,
    witness: &Witness,
    disagreements: &[Disagreement],
) -> Option<Share> {
    let view = code.view.as_ref()?;
    let start = view.start(witness.start[part])?;
    let mut share =
        Share { steps: Vec::new(), after: Vec::new(), inside: Vec::new(), start, states: Vec::new() };
    for joint in &witness.steps {
        let (mut last, mut state) = joint.parent.map_or((None, start), |parent| share.after[parent]);
        let mut inside = Vec::new();
        if let Some(own) = joint.moves.iter().find(|own| own.part == part) {
            let action = match disagreements.iter().find(|one| *one.name == *joint.name) {
                Some(disagreement) => view.own_return(state, own.to, disagreement.returned_by(part))?,
                None => own.action,
            };
            let (edges, to) = view.expand(state, action, own.to)?;
            for (edge, reached) in edges {
                share.steps.push(TreeStep { parent: last, edge });
                share.states.push(reached);
                last = Some(share.steps.len() - 1);
                inside.push(share.steps.len() - 1);
            }
            state = to;
        }
        share.after.push((last, state));
        share.inside.push(inside);
    }
    Some(share)
}

/// Reasons asked for per spurious counterexample.
const MOST_CORES: usize = 4;
/// Rounds of a cycle that are tried.
const MOST_ROUNDS: usize = 8;

/// Judges a share.
pub(super) fn judge(
    code: &mut Code,
    program: &Program,
    witness: &Witness,
    share: &Share,
    budget: &Budget,
) -> Judgement {
    if witness.ending == Ending::Steps && code.component.propositions.is_empty() {
        return follow_events(code, program, share, budget);
    }
    let (mut start, mut after) = stated(code, share);
    if let (Ending::Cycle(from), true) = (witness.ending, witness.is_fair) {
        stay_in_the_states(code, share, from, &mut start, &mut after);
    }
    let labels = |index: usize| after[index].clone();
    match witness.ending {
        Ending::Steps => follow(code, &share.steps, &share.states, &labels, |_, _| start.clone(), budget),
        Ending::Stuck => stuck(code, share, &start, &labels, budget),
        Ending::Cycle(from) => cycle(code, share, from, &start, &after, budget),
    }
}

/// The truth of the propositions in an abstract state.
pub(super) fn truths(code: &Code, state: StateId) -> Vec<bool> {
    let Some(view) = &code.view else { return Vec::new() };
    let lks = &view.abstraction.lks;
    (0..code.component.propositions.len())
        .map(|index| lks.holds(state, base::Id::from_index(index)))
        .collect()
}

/// A run that cannot go on: what it is said to refuse is impossible there, and not for want of a defined
/// meaning.
fn stuck(
    code: &mut Code,
    share: &Share,
    start: &[TermId],
    labels: &dyn Fn(usize) -> Vec<TermId>,
    budget: &Budget,
) -> Judgement {
    let undefined = stuck_by_undefined(code, share);
    let refused = refused_conditions(code, share);
    let at = share.after.last().and_then(|(last, _)| *last);
    let try_with = |code: &mut Code, undefined: &[TermId], refused: &[(EdgeId, Vec<TermId>)]| {
        let also = |code: &mut Code, unfolded: &Unfolded| {
            let mut all = start.to_vec();
            all.extend(undefined.iter().map(|&term| value_at(code, unfolded, at, term)));
            for (_, conditions) in refused {
                let all_hold = code.component.pool.all_of(conditions);
                let fails = code.component.pool.not(all_hold);
                all.push(value_at(code, unfolded, at, fails));
            }
            all
        };
        follow(code, &share.steps, &share.states, labels, also, budget)
    };
    let steps = match try_with(code, &undefined, &refused) {
        Judgement::Spurious(_, steps) => steps,
        judgement => return judgement,
    };
    // If the steps cannot be taken anyway, they are to blame and not their end.
    match try_with(code, &[], &[]) {
        Judgement::Real(_) => {}
        judgement => return judgement,
    }
    if !matches!(try_with(code, &undefined, &[]), Judgement::Real(_)) {
        return Judgement::Open("the run ends in undefined behaviour rather than in waiting".to_owned());
    }
    // The run is possible, but then it can go on: what decides about that must be known.
    let seed = |edge: EdgeId, condition: &TermId| Seed { edge, condition: *condition };
    let blamed = refused.iter().flat_map(|(edge, all)| all.iter().map(|one| seed(*edge, one)));
    Judgement::Spurious(vec![blamed.collect()], steps)
}

/// The conditions of the steps that a component is said to refuse at the end of its share.
fn refused_conditions(code: &Code, share: &Share) -> Vec<(EdgeId, Vec<TermId>)> {
    let Some(view) = &code.view else { return Vec::new() };
    let state = share.after.last().map_or(share.start, |(_, state)| *state);
    let abstraction = &view.abstraction;
    let node = abstraction.states[state.index()].node;
    let mut found = Vec::new();
    for (id, _) in code.component.out(node) {
        let mut own = abstraction.lks.transitions(state);
        let is_offered =
            own.any(|(action, to)| abstraction.edges(AbstractStep { from: state, action, to }).contains(&id));
        let conditions = code.refusable(id);
        if !is_offered && !conditions.is_empty() {
            found.push((id, conditions));
        }
    }
    found
}

/// What the abstract states say about the propositions, after each step of a share.
fn stated(code: &mut Code, share: &Share) -> (Vec<TermId>, Vec<Vec<TermId>>) {
    let Some(view) = &code.view else { return (Vec::new(), vec![Vec::new(); share.steps.len()]) };
    let lks = view.abstraction.lks.clone();
    let propositions = code.component.propositions.clone();
    let says = |code: &mut Code, state: StateId| -> Vec<TermId> {
        let mut all = Vec::new();
        for (index, &term) in propositions.iter().enumerate() {
            let holds = lks.holds(state, base::Id::from_index(index));
            all.push(if holds { term } else { code.component.pool.not(term) });
        }
        all
    };
    let start = says(code, share.start);
    let after = share.states.iter().map(|&state| says(code, state)).collect();
    (start, after)
}

/// What is possible in the cycle decides whether the run is fair: the code must be in its abstract states there, and
/// not only take the steps.
fn stay_in_the_states(
    code: &mut Code,
    share: &Share,
    from: usize,
    start: &mut Vec<TermId>,
    after: &mut [Vec<TermId>],
) {
    let first: usize = share.inside[..from].iter().map(Vec::len).sum();
    let said = |code: &mut Code, state: StateId| -> Vec<TermId> {
        let Some(view) = &code.view else { return Vec::new() };
        let state = view.abstraction.states[state.index()].clone();
        let predicates = code.predicates.at(state.node).to_vec();
        let known = predicates.into_iter().zip(state.values.iter().copied());
        let known: Vec<(TermId, bool)> = known.filter_map(|(term, value)| Some((term, value?))).collect();
        let pool = &mut code.component.pool;
        known.into_iter().map(|(term, value)| if value { term } else { pool.not(term) }).collect()
    };
    match first.checked_sub(1) {
        None => start.extend(said(code, share.start)),
        Some(before) => after[before].extend(said(code, share.states[before])),
    }
    for (known, &state) in after.iter_mut().zip(&share.states).take(share.steps.len()).skip(first) {
        known.extend(said(code, state));
    }
}

/// A step without a meaning that a component could take somewhere in the cycle: whether it must, to be fair, is not
/// known. With the steps before it.
pub(super) fn trouble_in_the_cycle(code: &Code, witness: &Witness, share: &Share) -> Option<Vec<TreeStep>> {
    let Ending::Cycle(from) = witness.ending else { return None };
    if !witness.is_fair {
        return None;
    }
    let first: usize = share.inside[..from].iter().map(Vec::len).sum();
    let troubled = &code.view.as_ref()?.abstraction.troubled;
    let trouble = |state: StateId| troubled.iter().find(|(at, _)| *at == state).map(|(_, edge)| *edge);
    for at in first..=share.steps.len() {
        let state = at.checked_sub(1).map_or(share.start, |before| share.states[before]);
        if let Some(edge) = trouble(state) {
            let mut steps = share.steps[..at].to_vec();
            steps.push(TreeStep { parent: at.checked_sub(1), edge });
            return Some(steps);
        }
    }
    None
}

fn follow(
    code: &mut Code,
    steps: &[TreeStep],
    states: &[StateId],
    labels: &dyn Fn(usize) -> Vec<TermId>,
    also: impl Fn(&mut Code, &Unfolded) -> Vec<TermId>,
    budget: &Budget,
) -> Judgement {
    let unfolded = Follower::unfold(&mut code.component, steps, Conditions::Relevant, labels);
    let also = also(code, &unfolded);
    match code.follower.check(&mut code.component, &unfolded, &also, MOST_CORES, budget) {
        Feasibility::Feasible(values) => {
            let (steps, states) = (steps.to_vec(), states.to_vec());
            let followed =
                Followed { steps, states, unfolded, also, values, is_loose: false, shown: None, round: None };
            Judgement::Real(Box::new(followed))
        }
        Feasibility::Infeasible(cores) => Judgement::Spurious(cores, steps.to_vec()),
        Feasibility::Unknown(reason) => Judgement::Open(format!("the solver could not follow it: {reason}")),
    }
}

/// Where only events count. With all conditions of the program the run takes just these steps. Without those
/// of branches that do not matter, or that it could as well have taken the other way, it may still make the
/// same events: then it is run, and blamed only for what matters.
fn follow_events(code: &mut Code, program: &Program, share: &Share, budget: &Budget) -> Judgement {
    let component = &mut code.component;
    let steps = &share.steps;
    let followed = |unfolded, values, is_loose| {
        let (steps, states) = (steps.clone(), share.states.clone());
        let also = Vec::new();
        Box::new(Followed { steps, states, unfolded, also, values, is_loose, shown: None, round: None })
    };
    let none = |_: usize| Vec::new();
    let unfolded = Follower::unfold(component, steps, Conditions::All, &none);
    if let Feasibility::Feasible(values) = code.follower.check(component, &unfolded, &[], 0, budget) {
        return Judgement::Real(followed(unfolded, values, false));
    }
    let around = bypassed(component, steps);
    let unfolded = Follower::unfold(component, steps, Conditions::Without(&around), &none);
    match code.follower.check(component, &unfolded, &[], MOST_CORES, budget) {
        Feasibility::Infeasible(cores) => return Judgement::Spurious(cores, steps.clone()),
        Feasibility::Unknown(reason) => {
            return Judgement::Open(format!("the solver could not follow it: {reason}"));
        }
        Feasibility::Feasible(values) => {
            let mut followed = followed(unfolded, values, true);
            if let Ok(taken) = replay(code, program, share, &followed, Ending::Steps, budget) {
                followed.shown = shown_run(code, &taken, budget);
                return Judgement::Real(followed);
            }
        }
    }
    let component = &mut code.component;
    let unfolded = Follower::unfold(component, steps, Conditions::Relevant, &none);
    match code.follower.check(component, &unfolded, &[], MOST_CORES, budget) {
        Feasibility::Infeasible(cores) => Judgement::Spurious(cores, steps.clone()),
        Feasibility::Unknown(reason) => Judgement::Open(format!("the solver could not follow it: {reason}")),
        Feasibility::Feasible(_) if component.remember_all_branches() => Judgement::TooLittle,
        Feasibility::Feasible(_) => Judgement::Open("the run takes other steps".to_owned()),
    }
}

/// The run that was made, as steps of the component. The run shows that there is one; if its steps cannot be
/// told, none is shown with values.
fn shown_run(code: &mut Code, taken: &[ReplayedStep], budget: &Budget) -> Option<RunWithValues> {
    let edges = code.component.way_of(taken)?;
    let steps: Vec<TreeStep> = edges
        .into_iter()
        .enumerate()
        .map(|(at, edge)| TreeStep { parent: at.checked_sub(1), edge })
        .collect();
    let unfolded = Follower::unfold(&mut code.component, &steps, Conditions::All, &|_| Vec::new());
    match code.follower.check(&mut code.component, &unfolded, &[], 0, budget) {
        Feasibility::Feasible(values) => Some(RunWithValues { steps, unfolded, values }),
        _ => None,
    }
}

/// A term over the values after a step.
fn value_at(code: &mut Code, unfolded: &Unfolded, at: Option<usize>, term: TermId) -> TermId {
    let Some(at) = at else { return term };
    let map = unfolded.states[at]
        .iter()
        .map(|(&cell, &value)| (code.component.cells[cell].symbol, value))
        .collect();
    code.component.pool.substitute(term, &map)
}

/// What must be defined at the end, so that steps that are not possible there are refused and not undefined.
fn stuck_by_undefined(code: &Code, share: &Share) -> Vec<TermId> {
    let Some(view) = &code.view else { return Vec::new() };
    let state = share.after.last().map_or(share.start, |(_, state)| *state);
    let abstraction = &view.abstraction;
    let node = abstraction.states[state.index()].node;
    let is_possible = |edge: EdgeId| {
        abstraction
            .lks
            .transitions(state)
            .any(|(action, to)| abstraction.edges(AbstractStep { from: state, action, to }).contains(&edge))
    };
    let mut found = Vec::new();
    for (id, edge) in code.component.out(node) {
        if !is_possible(id) && code.component.pool.bool_value(edge.defined) != Some(true) {
            found.push(edge.defined);
        }
    }
    found
}

/// An infinite run: after the stem the cycle can be gone round, once or several times, and comes back to a
/// state that does not differ in anything that decides about the cycle.
fn cycle(
    code: &mut Code,
    share: &Share,
    from: usize,
    start: &[TermId],
    after: &[Vec<TermId>],
    budget: &Budget,
) -> Judgement {
    let stem_length: usize = share.inside[..from].iter().map(Vec::len).sum();
    let edges: Vec<EdgeId> = share.steps.iter().map(|step| step.edge).collect();
    let (stem, round) = edges.split_at(stem_length);
    if round.is_empty() {
        return follow(
            code,
            &share.steps,
            &share.states,
            &|index| after[index].clone(),
            |_, _| start.to_vec(),
            budget,
        );
    }
    let deciding = deciding_cells(code, round);
    for rounds in 1..=MOST_ROUNDS {
        let mut all: Vec<EdgeId> = stem.to_vec();
        (0..rounds).for_each(|_| all.extend(round));
        let steps: Vec<TreeStep> = all
            .iter()
            .enumerate()
            .map(|(index, &edge)| TreeStep { parent: index.checked_sub(1), edge })
            .collect();
        let last = steps.len() - 1;
        // Every round passes the same abstract states.
        let own = |index: usize| {
            if index < stem_length { index } else { stem_length + (index - stem_length) % round.len() }
        };
        let labels = |index: usize| after[own(index)].clone();
        let states: Vec<StateId> = (0..steps.len()).map(|index| share.states[own(index)]).collect();
        // The state at the end is that at the beginning of some round.
        let recurs = |code: &mut Code, unfolded: &Unfolded| -> Vec<TermId> {
            let mut ways = Vec::new();
            for earlier in 0..rounds {
                let at = (stem_length + earlier * round.len()).checked_sub(1);
                ways.push(same_values(code, unfolded, &deciding, at, last));
            }
            let mut all = start.to_vec();
            all.push(code.component.pool.any_of(&ways));
            all
        };
        match follow(code, &steps, &states, &labels, recurs, budget) {
            Judgement::Spurious(..) => {}
            Judgement::Real(mut followed) => {
                let comes_back = (0..rounds).rev().find(|earlier| {
                    let at = (stem_length + earlier * round.len()).checked_sub(1);
                    let same = same_values(code, &followed.unfolded, &deciding, at, last);
                    followed.values.bits(&code.component, same) == Some(1)
                });
                let Some(earlier) = comes_back else { continue };
                followed.round = Some((rounds - earlier) * round.len());
                return Judgement::Real(followed);
            }
            judgement => return judgement,
        }
        match follow(code, &steps, &states, &labels, |_, _| start.to_vec(), budget) {
            Judgement::Real(_) => {}
            judgement => return judgement,
        }
    }
    Judgement::Open(format!(
        "the cycle can be gone round {MOST_ROUNDS} times, but no state was seen to come back"
    ))
}

/// Have these cells the same values after two steps?
fn same_values(
    code: &mut Code,
    unfolded: &Unfolded,
    cells: &[CellId],
    first: Option<usize>,
    then: usize,
) -> TermId {
    let mut all = Vec::new();
    for &cell in cells {
        let symbol = code.component.cells[cell].symbol;
        let (first, then) =
            (value_at(code, unfolded, first, symbol), value_at(code, unfolded, Some(then), symbol));
        all.push(code.component.pool.equal(first, then));
    }
    code.component.pool.all_of(&all)
}

/// The cells on which the conditions of these steps depend, directly or through assignments among them.
fn deciding_cells(code: &Code, round: &[EdgeId]) -> Vec<CellId> {
    let component = &code.component;
    let mut symbols: FxHashSet<TermId> = FxHashSet::default();
    for &edge in round {
        symbols.extend(logic::term::symbols_in(&component.pool, &[component.edges[edge].guard]));
    }
    // Propositions are what the formula sees of the run.
    symbols.extend(logic::term::symbols_in(&component.pool, &component.propositions));
    loop {
        let before = symbols.len();
        for &edge in round {
            for &(cell, value) in &component.edges[edge].updates {
                if symbols.contains(&component.cells[cell].symbol) {
                    symbols.extend(logic::term::symbols_in(&component.pool, &[value]));
                }
            }
        }
        if symbols.len() == before {
            break;
        }
    }
    component.cells.ids().filter(|&cell| symbols.contains(&component.cells[cell].symbol)).collect()
}
