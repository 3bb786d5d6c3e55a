//! What a thread reads and writes of the shared variables: now, and at any time from now on (BOOM 6.2.2,
//! Table 6.1).
//!
//! A condition that can stop a thread counts as a read only: the explicit engines restrict one state at a
//! time, so a blocked thread takes nothing away from the others. (BOOM's tables count it as a write, because
//! there a condition narrows the whole symbolic state, Example 6.1.) Whether there is room for one more
//! thread is shared too: with a bound, starting reads and writes the number of threads, ending writes it. So is
//! what broadcasts change: a step that a broadcast of another thread can make a difference to reads it, a
//! broadcast writes it (one more shared variable for all of them).

use super::flat::{FlatEdge, FlatLocationId, FlatProgram};
use crate::graph::{Action, Expr, Mixed, Scope, VariableId};
use crate::values::Values;
use base::IndexVec;

/// Shared variables read and written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The shared variables that are read.
    pub reads: Values,
    /// The shared variables that are written.
    pub writes: Values,
}

impl Footprint {
    fn none(count: usize) -> Footprint {
        Footprint { reads: Values::falses(count), writes: Values::falses(count) }
    }

    fn join(&mut self, other: &Footprint) -> bool {
        self.reads.join(&other.reads) | self.writes.join(&other.writes)
    }

    /// Does one write what the other reads or writes?
    pub fn conflicts_with(&self, other: &Footprint, count: usize) -> bool {
        (0..count).any(|slot| {
            self.writes.get(slot) && (other.reads.get(slot) || other.writes.get(slot))
                || self.reads.get(slot) && other.writes.get(slot)
        })
    }
}

/// The footprints of every place.
pub struct Footprints {
    /// Of the next step, or of the whole atomic section if the next step enters one.
    pub now: IndexVec<FlatLocationId, Footprint>,
    /// Of all steps from here on, those of threads started on the way included.
    pub later: IndexVec<FlatLocationId, Footprint>,
    /// Can the next step enter an atomic section?
    pub enters_atomic: IndexVec<FlatLocationId, bool>,
    /// How many shared variables there are; the number of threads counts as one, what broadcasts change as
    /// another.
    pub count: usize,
}

impl Footprints {
    /// Computes them; `bounded` says whether the number of threads is limited.
    pub fn new(flat: &FlatProgram<'_>, bounded: bool) -> Footprints {
        let count = flat.program.globals().len() + 2;
        let mixed = Mixed::of(flat.program);
        let now: IndexVec<FlatLocationId, Footprint> = flat
            .locations
            .iter()
            .map(|location| {
                let mut all = Footprint::none(count);
                for step in &location.edges {
                    all.join(&of_step(flat, &mixed, step, count, bounded));
                }
                all
            })
            .collect();
        let enters = |step: &FlatEdge| flat.edge(step).action == Action::AtomicBegin;
        let enters_atomic: IndexVec<FlatLocationId, bool> =
            flat.locations.iter().map(|location| location.edges.iter().any(enters)).collect();
        let mut now = now;
        for location in flat.locations.ids().filter(|location| enters_atomic[*location]) {
            for inside in inside_atomic(flat, location) {
                let theirs = now[inside].clone();
                now[location].join(&theirs);
            }
        }
        let mut later = now.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for id in flat.locations.ids().rev() {
                for step in &flat.locations[id].edges {
                    for next in flat.successors(step).chain(step.starts) {
                        let theirs = later[next].clone();
                        changed |= later[id].join(&theirs);
                    }
                }
            }
        }
        Footprints { now, later, enters_atomic, count }
    }
}

/// The places of the atomic sections that a place enters. Such a section is one step (BOOM's R and W
/// "atomic").
fn inside_atomic(flat: &FlatProgram<'_>, location: FlatLocationId) -> Vec<FlatLocationId> {
    let mut seen: IndexVec<FlatLocationId, bool> = IndexVec::filled(false, flat.locations.len());
    let begins = |step: &&FlatEdge| flat.edge(step).action == Action::AtomicBegin;
    let mut open: Vec<FlatLocationId> =
        flat.locations[location].edges.iter().filter(begins).filter_map(|step| step.to).collect();
    let mut found = Vec::new();
    while let Some(location) = open.pop() {
        if std::mem::replace(&mut seen[location], true) {
            continue;
        }
        found.push(location);
        let stays = |step: &&FlatEdge| flat.edge(step).action != Action::AtomicEnd;
        open.extend(
            flat.locations[location].edges.iter().filter(stays).flat_map(|step| flat.successors(step)),
        );
    }
    found
}

fn of_step(flat: &FlatProgram<'_>, mixed: &Mixed, step: &FlatEdge, count: usize, bounded: bool) -> Footprint {
    let mut print = Footprint::none(count);
    let edge = flat.edge(step);
    let global = |variable: VariableId| {
        let variable = &flat.program.variables()[variable];
        (variable.scope == Scope::Global).then_some(variable.slot)
    };
    let read = |print: &mut Footprint, expr: &Expr| {
        expr.for_each_variable(&mut |variable, _| {
            global(variable).into_iter().for_each(|slot| print.reads.set(slot, true));
        });
    };
    let write = |print: &mut Footprint, variable: VariableId| {
        global(variable).into_iter().for_each(|slot| print.writes.set(slot, true));
    };
    let (threads, told) = (count - 2, count - 1);
    if mixed.is_touched_by(flat.program, edge) {
        print.reads.set(told, true);
    }
    read(&mut print, &edge.guard);
    match &edge.action {
        Action::Assign { assignments, constraint, passive } => {
            for rule in passive {
                rule.for_each_expression(&mut |expr| read(&mut print, expr));
                print.writes.set(told, true);
            }
            read(&mut print, constraint);
            for (target, value) in assignments {
                read(&mut print, value);
                write(&mut print, *target);
            }
        }
        Action::Assert { condition } => read(&mut print, condition),
        Action::Call { arguments, .. } => arguments.iter().for_each(|argument| read(&mut print, argument)),
        Action::Return { values } => {
            values.iter().for_each(|value| read(&mut print, value));
            if step.to.is_some() || flat.comes_back(step) {
                // Any call of this procedure may be the one that is returned to.
                let callee = flat.program.procedure_of(edge.from);
                for call in flat.program.edges() {
                    if let Action::Call { callee: called, results, .. } = &call.action
                        && *called == callee
                    {
                        results.iter().flatten().for_each(|target| write(&mut print, *target));
                    }
                }
            }
            if bounded && flat.may_end_thread(step) {
                print.writes.set(threads, true);
            }
        }
        Action::Async { arguments, .. } => {
            arguments.iter().for_each(|argument| read(&mut print, argument));
            if bounded {
                print.reads.set(threads, true);
                print.writes.set(threads, true);
            }
        }
        Action::StartThread { .. } if bounded => {
            print.reads.set(threads, true);
            print.writes.set(threads, true);
        }
        Action::EndThread if bounded => print.writes.set(threads, true),
        _ => {}
    }
    print
}
