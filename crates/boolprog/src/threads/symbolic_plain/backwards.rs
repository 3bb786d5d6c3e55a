//! From a failure back to one concrete run, chosen from behind and then confirmed by the interpreter.

use super::super::flat::{FlatEdge, FlatLocationId};
use super::super::run::{self, NumberedRun, NumberedStep};
use super::super::stacks::StackId;
use super::super::thread_state::{LocalId, LocalState, MicroStep, SharedId};
use super::{Counters, Origin, Search, Stop};
use crate::trace::Trace;
use crate::values::Values;
use base::Id;
use logic::bdd::{Bdd, BddVariable};
use question::Decided;

impl Search<'_, '_> {
    fn pick(&self, set: &Bdd) -> (Values, Vec<Values>) {
        let cube = set.pick_cube().expect("a set that is not empty");
        let read = |variables: &[BddVariable]| {
            let mut values = Values::falses(variables.len());
            for (slot, variable) in variables.iter().enumerate() {
                values.set(slot, cube[variable.index()] == Some(true));
            }
            values
        };
        (read(&self.encoding.globals), self.rows.iter().map(|row| read(row)).collect())
    }

    fn local(&mut self, thread: (FlatLocationId, bool), row: &Values) -> LocalId {
        let (location, atomic) = thread;
        self.states.number_local(LocalState { location, atomic, row: row.clone(), stack: StackId::EMPTY })
    }

    /// One concrete run into the failure of the thread at a position.
    pub(super) fn violated(
        &mut self,
        at: usize,
        failing: usize,
        step: &FlatEdge,
        set: &Bdd,
    ) -> Result<Decided<(), Trace>, Stop> {
        let (mut globals, mut rows) = self.pick(set);
        let threads = self.list[at].counters.threads.clone();
        let failure = (self.local(threads[failing].expect("it runs"), &rows[failing]), step.edge);
        let mut steps: Vec<NumberedStep> = Vec::new();
        let mut at = at;
        while let Some(origin) = self.list[at].origin.clone() {
            let after = self.list[at].counters.clone();
            match origin {
                Origin::Parted { before } => {
                    let members: Vec<usize> = positions(&after).collect();
                    let possible = self.agreeing(before, &globals, &rows, &members)?;
                    (globals, rows) = self.pick(&possible);
                    at = before;
                }
                Origin::Step { before, position, step, started } => {
                    let taken = BackwardStep { before, position, step, started };
                    let mover = self.list[before].counters.threads[position].expect("the mover runs");
                    let possible = self.before(&taken, &after, &globals, &rows)?;
                    let atomic = after.threads.iter().flatten().any(|(_, atomic)| *atomic);
                    let micro = MicroStep {
                        edge: taken.step.edge,
                        settled: None,
                        shared: self.number_shared(&globals, atomic),
                        local: after.threads[position].map(|thread| self.local(thread, &rows[position])),
                        started: started
                            .map(|new| self.local(after.threads[new].expect("it was started"), &rows[new])),
                        broadcast: None,
                    };
                    (globals, rows) = self.pick(&possible);
                    steps.push(NumberedStep::alone(self.local(mover, &rows[position]), vec![micro]));
                    at = before;
                }
            }
        }
        steps.reverse();
        let first = self.list[at].counters.threads.clone();
        let shared = self.number_shared(&globals, false);
        let locals: Vec<LocalId> = (0..self.setup.roots.len())
            .map(|position| self.local(first[position].expect("a root"), &rows[position]))
            .collect();
        let run = NumberedRun { shared, locals, steps, failure, settled: None };
        Ok(run::confirm(self.states, self.setup, &run)?)
    }

    fn number_shared(&mut self, globals: &Values, atomic: bool) -> SharedId {
        let state = self.states.closed(globals.clone(), atomic);
        self.states.number_shared(state)
    }

    /// The states of a set with these values of the globals and of the threads at some positions.
    fn agreeing(
        &self,
        before: usize,
        globals: &Values,
        rows: &[Values],
        positions: &[usize],
    ) -> Result<Bdd, Stop> {
        let shared = self.encoding.agree(&self.encoding.globals, globals, |_| true)?;
        let mut possible = self.list[before].set.and(&shared)?;
        for &position in positions {
            possible =
                possible.and(&self.encoding.agree(&self.rows[position], &rows[position], |_| true)?)?;
        }
        Ok(possible)
    }

    /// The states before a step that led to these values.
    fn before(
        &mut self,
        taken: &BackwardStep,
        after: &Counters,
        globals: &Values,
        rows: &[Values],
    ) -> Result<Bdd, Stop> {
        let before = self.list[taken.before].counters.clone();
        let (location, _) = before.threads[taken.position].expect("the mover runs");
        let relations = self.relations(location, taken.position)?;
        let flat = &self.states.flat;
        let edges = &flat.locations[location].edges;
        let index =
            edges.iter().position(|step| step.edge == taken.step.edge).expect("an edge of the location");
        let live = after.threads[taken.position].map(|(to, _)| &flat.locations[to].live);
        let mine = &rows[taken.position];
        let generic = self.encoding.preimage(&relations[index].generic, live, globals, mine)?;
        let mut possible =
            self.list[taken.before].set.and(&generic.substitute(&self.to_row[taken.position])?)?;
        for position in positions(&before).filter(|position| *position != taken.position) {
            possible =
                possible.and(&self.encoding.agree(&self.rows[position], &rows[position], |_| true)?)?;
        }
        if let (Some(new), Some(start)) = (taken.started, taken.step.starts) {
            let tied = self.start(location, taken.position, &taken.step, start, new)?;
            let live = &flat.locations[start].live;
            let theirs = self.encoding.agree(&self.rows[new], &rows[new], |slot| live.get(slot))?;
            let row = self.encoding.manager.variable_set(&self.rows[new])?;
            possible = possible.and(&tied.and(&theirs)?.exists(&row)?)?;
        }
        Ok(possible)
    }
}

/// A step that was taken.
struct BackwardStep {
    before: usize,
    position: usize,
    step: FlatEdge,
    started: Option<usize>,
}

/// The positions at which there is a thread.
fn positions(counters: &Counters) -> impl Iterator<Item = usize> + '_ {
    (0..counters.threads.len()).filter(|position| counters.threads[*position].is_some())
}
