//! Stubborn sets, a partial-order reduction: of the actions that can be taken in a state, enough to find
//! every deadlock, and under two further conditions every ERROR. After Valmari 1989; the conditions for ERROR
//! are those of ample sets (Clarke, Grumberg, Minea, Peled 1999): nothing in the set may lead to ERROR, and
//! the search may not postpone an action for ever. Two actions of components that share none are independent,
//! which is all that is used here.
//!
//! Worked example: `A = (a1 -> a2 -> STOP)` and `B = (b1 -> STOP)` share nothing. In the first state `a1` and
//! `b1` are possible. A set with `a1` must contain what component `A` offers, which is `a1` alone; so {a1} is
//! stubborn, and `b1` is put off. Four states are looked at instead of six; the deadlock at the end is found.
//!
//! Naive twin: `explicit` without the reduction.

use base::{Id, IndexVec};
use lks::composition::ComponentId;
use lks::{ActionId, Composition, StateId, StateMark, Step, SyncId};
use rustc_hash::FxHashSet;

base::define_id!(
    /// An action of the composition, or the silent step of one component.
    Move,
    "move"
);

/// What is known of a composition once and for all.
pub(super) struct Stubborn<'a> {
    system: &'a Composition,
    syncs: usize,
    /// Moves by which some component can get into ERROR from some state.
    may_err: IndexVec<Move, bool>,
}

impl<'a> Stubborn<'a> {
    pub fn new(system: &'a Composition) -> Stubborn<'a> {
        let syncs = system.syncs().len();
        let mut may_err: IndexVec<Move, bool> = IndexVec::filled(false, syncs + system.components().len());
        for (id, component) in system.components().iter_enumerated() {
            if component.lks.error_states().is_empty() {
                continue;
            }
            for state in component.lks.states() {
                for (action, target) in component.lks.transitions(state) {
                    if component.lks.mark(target) == StateMark::Error {
                        may_err[move_of(system, syncs, id, action)] = true;
                    }
                }
            }
        }
        Stubborn { system, syncs, may_err }
    }

    fn move_of_step(&self, step: &Step) -> Move {
        match step.sync {
            SyncId::SILENT => Move::from_index(self.syncs + step.mover.index()),
            sync => Move::from_index(sync.index()),
        }
    }

    /// Can the step lead some component into ERROR?
    pub fn may_err(&self, step: &Step) -> bool {
        self.may_err[self.move_of_step(step)]
    }

    /// Keeps the steps of a smallest stubborn set. "If this move is in the set, so is that" is a graph; a
    /// stubborn set is what can be reached in it from a move that is possible. The smallest are those from
    /// the components of the graph from which no other with a possible move is reached; one depth-first
    /// search finds them all (Tarjan 1972), in time linear in what the components offer now.
    pub fn reduce(&self, locals: &[StateId], steps: &mut Vec<Step>) {
        let mut seeds: Vec<Move> = steps.iter().map(|step| self.move_of_step(step)).collect();
        seeds.dedup();
        if seeds.len() < 2 {
            return;
        }
        let mut is_enabled: IndexVec<Move, bool> = IndexVec::filled(false, self.may_err.len());
        seeds.iter().for_each(|seed| is_enabled[*seed] = true);
        let search = Needs { stubborn: self, locals, is_enabled };
        let chosen = search.smallest(&seeds);
        steps.retain(|step| chosen.contains(&self.move_of_step(step)));
    }

    fn component_count(&self) -> usize {
        self.system.components().len()
    }
}

/// The graph of what a stubborn set must contain, in one state. Its nodes are moves and, after them,
/// components: a move needs components to be covered, a covered component needs all it offers now.
struct Needs<'a> {
    stubborn: &'a Stubborn<'a>,
    locals: &'a [StateId],
    is_enabled: IndexVec<Move, bool>,
}

base::define_id!(
    /// A move, or a component after all moves.
    Need,
    "need"
);

impl Needs<'_> {
    /// Enabled: whoever takes part could do something else instead. Not enabled: one that refuses must move
    /// first, so what it can do now comes before.
    fn of(&self, need: Need) -> Vec<Need> {
        let (stubborn, system) = (self.stubborn, self.stubborn.system);
        let moves = stubborn.may_err.len();
        let component = |id: ComponentId| Need::from_index(moves + id.index());
        if let Some(index) = need.index().checked_sub(moves) {
            let id = ComponentId::from_index(index);
            let offered = system.components()[id].lks.actions(self.locals[index]);
            let others = offered.iter().map(|action| move_of(system, stubborn.syncs, id, *action));
            return others.map(|other| Need::from_index(other.index())).collect();
        }
        if let Some(index) = need.index().checked_sub(stubborn.syncs) {
            return vec![component(ComponentId::from_index(index))];
        }
        let parts = system.participants(SyncId::from_index(need.index()));
        let refuses = |(id, action): &&(ComponentId, ActionId)| {
            !system.components()[*id].lks.offers(self.locals[id.index()], *action)
        };
        match parts.iter().find(refuses) {
            Some((id, _)) if !self.is_enabled[Move::from_index(need.index())] => vec![component(*id)],
            _ => parts.iter().map(|(id, _)| component(*id)).collect(),
        }
    }

    /// The possible moves of a smallest stubborn set.
    fn smallest(&self, seeds: &[Move]) -> FxHashSet<Move> {
        let nodes = self.stubborn.may_err.len() + self.stubborn.component_count();
        let mut number: IndexVec<Need, u32> = IndexVec::filled(NOT_SEEN, nodes);
        let mut low: IndexVec<Need, u32> = IndexVec::filled(NOT_SEEN, nodes);
        // Does what was finished reach a possible move?
        let mut reaches: IndexVec<Need, bool> = IndexVec::filled(false, nodes);
        let mut is_finished: IndexVec<Need, bool> = IndexVec::filled(false, nodes);
        let mut stack: Vec<Need> = Vec::new();
        let mut calls: Vec<(Need, Vec<Need>, bool)> = Vec::new();
        let mut best: Option<Vec<Move>> = None;
        let mut met = 0;
        for seed in seeds {
            let root = Need::from_index(seed.index());
            if number[root] != NOT_SEEN {
                continue;
            }
            let mut entering = Some(root);
            loop {
                if let Some(need) = entering.take() {
                    number[need] = met;
                    low[need] = met;
                    met += 1;
                    stack.push(need);
                    calls.push((need, self.of(need), false));
                }
                let Some((need, rest, reached)) = calls.last_mut() else { break };
                let need = *need;
                if let Some(next) = rest.pop() {
                    if number[next] == NOT_SEEN {
                        entering = Some(next);
                    } else if is_finished[next] {
                        *reached |= reaches[next];
                    } else {
                        low[need] = low[need].min(number[next]);
                    }
                    continue;
                }
                let mut reached = *reached;
                calls.pop();
                if low[need] == number[need] {
                    // A component of the graph is complete.
                    let from = stack.iter().rposition(|other| *other == need).expect("it is on the stack");
                    let members = stack.split_off(from);
                    let possible: Vec<Move> = members
                        .iter()
                        .filter(|member| member.index() < self.is_enabled.len())
                        .map(|member| Move::from_index(member.index()))
                        .filter(|member| self.is_enabled[*member])
                        .collect();
                    let is_lowest = !reached && !possible.is_empty();
                    reached |= !possible.is_empty();
                    for member in members {
                        is_finished[member] = true;
                        reaches[member] = reached;
                    }
                    if is_lowest && best.as_ref().is_none_or(|known| possible.len() < known.len()) {
                        best = Some(possible);
                    }
                }
                if let Some((caller, _, caller_reached)) = calls.last_mut() {
                    *caller_reached |= reached;
                    low[*caller] = low[*caller].min(low[need]);
                }
            }
            if best.as_ref().is_some_and(|known| known.len() == 1) {
                break;
            }
        }
        best.expect("a possible move reaches a lowest component").into_iter().collect()
    }
}

const NOT_SEEN: u32 = u32::MAX;

fn move_of(system: &Composition, syncs: usize, component: ComponentId, action: ActionId) -> Move {
    if action.is_silent() {
        return Move::from_index(syncs + component.index());
    }
    Move::from_index(system.sync_of(component, action).index())
}
