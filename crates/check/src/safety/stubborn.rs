//! Stubborn sets: of the actions that can be taken in a state, enough to find every deadlock, and under two further
//! conditions every ERROR. After Valmari 1989; the conditions for ERROR are those of ample sets (Clarke, Grumberg,
//! Minea, Peled 1999): nothing in the set may lead to ERROR, and the search may not postpone an action for ever.
//! Two actions of components that share none are independent, which is all that is used here.

use base::{Id, IndexVec};
use lks::composition::ComponentId;
use lks::{ActionId, Composition, StateId, StateMark, Step, SyncId};

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

    /// Keeps the steps of a smallest stubborn set among those tried.
    pub fn reduce(&self, locals: &[StateId], steps: &mut Vec<Step>) {
        let mut seeds: Vec<Move> = steps.iter().map(|step| self.move_of_step(step)).collect();
        seeds.dedup();
        if seeds.len() < 2 {
            return;
        }
        let mut is_enabled: IndexVec<Move, bool> = IndexVec::filled(false, self.may_err.len());
        seeds.iter().for_each(|seed| is_enabled[*seed] = true);
        let mut best: Option<(usize, IndexVec<Move, bool>)> = None;
        for seed in &seeds {
            let set = self.closure(locals, *seed, &is_enabled);
            let size = seeds.iter().filter(|other| set[**other]).count();
            if best.as_ref().is_none_or(|(known, _)| size < *known) {
                let done = size == 1;
                best = Some((size, set));
                if done {
                    break;
                }
            }
        }
        let (_, set) = best.expect("there is at least one seed");
        steps.retain(|step| set[self.move_of_step(step)]);
    }

    fn closure(
        &self,
        locals: &[StateId],
        seed: Move,
        is_enabled: &IndexVec<Move, bool>,
    ) -> IndexVec<Move, bool> {
        let mut set: IndexVec<Move, bool> = IndexVec::filled(false, self.may_err.len());
        let mut open = vec![seed];
        set[seed] = true;
        let mut covered: IndexVec<ComponentId, bool> =
            IndexVec::filled(false, self.system.components().len());
        while let Some(next) = open.pop() {
            // Enabled: whoever takes part could do something else instead. Not enabled: one that refuses must move
            // first, so what it can do now comes before.
            let mut involved: Vec<ComponentId> = Vec::new();
            match next.index().checked_sub(self.syncs) {
                Some(component) => involved.push(ComponentId::from_index(component)),
                None => {
                    let parts = self.system.participants(SyncId::from_index(next.index()));
                    let refuses = parts.iter().find(|(id, action)| {
                        !self.system.components()[*id].lks.offers(locals[id.index()], *action)
                    });
                    match refuses {
                        Some((id, _)) if !is_enabled[next] => involved.push(*id),
                        _ => involved.extend(parts.iter().map(|(id, _)| *id)),
                    }
                }
            }
            for id in involved {
                if std::mem::replace(&mut covered[id], true) {
                    continue;
                }
                for action in self.system.components()[id].lks.actions(locals[id.index()]) {
                    let other = move_of(self.system, self.syncs, id, *action);
                    if !std::mem::replace(&mut set[other], true) {
                        open.push(other);
                    }
                }
            }
        }
        set
    }
}

fn move_of(system: &Composition, syncs: usize, component: ComponentId, action: ActionId) -> Move {
    if action.is_silent() {
        return Move::from_index(syncs + component.index());
    }
    Move::from_index(system.sync_of(component, action).index())
}
