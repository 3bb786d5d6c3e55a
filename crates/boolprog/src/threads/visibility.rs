//! Which steps touch what threads share: found from the graph, before anything runs.

use super::flat::{FlatEdge, FlatLocationId, FlatProgram};
use crate::graph::{Action, Expr, Mixed, NodeId, Scope, VariableId};
use crate::values::Values;
use base::IndexVec;

/// Globals that the steps of a location may read.
pub(super) fn globals_read(flat: &FlatProgram<'_>, location: FlatLocationId) -> Values {
    let mut read = Values::falses(flat.program.globals().len());
    let mut look = |expr: &Expr, assigned: &[(VariableId, Expr)]| {
        expr.for_each_variable(&mut |id, is_next| {
            let variable = &flat.program.variables()[id];
            let is_new = is_next && assigned.iter().any(|(target, _)| *target == id);
            if variable.scope == Scope::Global && !is_new {
                read.set(variable.slot, true);
            }
        });
    };
    for step in &flat.locations[location].edges {
        let edge = flat.edge(step);
        look(&edge.guard, &[]);
        match &edge.action {
            Action::Assign { assignments, constraint, passive } => {
                assignments.iter().for_each(|(_, value)| look(value, &[]));
                look(constraint, assignments);
                for rule in passive {
                    rule.for_each_expression(&mut |expr| look(expr, assignments));
                }
            }
            Action::Assert { condition } => look(condition, &[]),
            Action::Call { arguments: values, .. }
            | Action::Return { values }
            | Action::Async { arguments: values, .. } => values.iter().for_each(|value| look(value, &[])),
            Action::Error { .. }
            | Action::StartThread { .. }
            | Action::EndThread
            | Action::AtomicBegin
            | Action::AtomicEnd => {}
        }
    }
    read
}

/// Does a step read or write anything that other threads can read or write? Own variables that others read or
/// write by broadcasts are shared as well.
fn touches_shared(flat: &FlatProgram<'_>, mixed: &Mixed, step: &FlatEdge) -> bool {
    let edge = flat.edge(step);
    if !edge.action.passive().is_empty() || mixed.is_touched_by(flat.program, edge) {
        return true;
    }
    let is_global = |variable: VariableId| flat.program.variables()[variable].scope == Scope::Global;
    let mut touched = false;
    let mut look = |expr: &Expr| expr.for_each_variable(&mut |variable, _| touched |= is_global(variable));
    look(&edge.guard);
    match &edge.action {
        Action::Assign { assignments, constraint, .. } => {
            look(constraint);
            assignments.iter().for_each(|(_, value)| look(value));
            touched |= assignments.iter().any(|(target, _)| is_global(*target));
        }
        Action::Assert { condition } => look(condition),
        Action::Call { arguments, .. } => arguments.iter().for_each(look),
        Action::Return { values } => {
            values.iter().for_each(look);
            // Results may be globals, and a thread that ends makes room for another one.
            touched |= flat.may_end_thread(step) || returns_to_global(flat, edge.from, &is_global);
        }
        Action::Error { .. } => {}
        Action::Async { .. }
        | Action::StartThread { .. }
        | Action::EndThread
        | Action::AtomicBegin
        | Action::AtomicEnd => touched = true,
    }
    touched
}

fn returns_to_global(flat: &FlatProgram<'_>, node: NodeId, is_global: &impl Fn(VariableId) -> bool) -> bool {
    let procedure = flat.program.procedure_of(node);
    flat.program.edges().iter().any(|edge| match &edge.action {
        Action::Call { callee, results, .. } => {
            *callee == procedure && results.iter().flatten().any(|target| is_global(*target))
        }
        _ => false,
    })
}

/// Locations all of whose steps are local, without those that would close a loop of such locations.
pub(super) fn spots_nobody_sees(flat: &FlatProgram<'_>) -> IndexVec<FlatLocationId, bool> {
    let mixed = Mixed::of(flat.program);
    let local = |location: FlatLocationId| {
        let edges = &flat.locations[location].edges;
        !edges.is_empty() && edges.iter().all(|step| !touches_shared(flat, &mixed, step))
    };
    let mut unseen: IndexVec<FlatLocationId, bool> = flat.locations.ids().map(local).collect();
    // Depth first: a location that is met again while it is open closes a loop and is seen from then on.
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks: IndexVec<FlatLocationId, Mark> = IndexVec::filled(Mark::New, flat.locations.len());
    for root in flat.locations.ids() {
        if marks[root] != Mark::New || !unseen[root] {
            continue;
        }
        let successors = |location: FlatLocationId| -> Vec<FlatLocationId> {
            flat.locations[location].edges.iter().flat_map(|step| flat.successors(step)).collect()
        };
        let mut stack = vec![(root, successors(root), 0)];
        marks[root] = Mark::Open;
        while let Some((location, successors_of, next)) = stack.pop() {
            let Some(&to) = successors_of.get(next) else {
                marks[location] = Mark::Done;
                continue;
            };
            stack.push((location, successors_of, next + 1));
            if unseen[to] {
                match marks[to] {
                    Mark::New => {
                        marks[to] = Mark::Open;
                        stack.push((to, successors(to), 0));
                    }
                    Mark::Open => unseen[to] = false,
                    Mark::Done => {}
                }
            }
        }
    }
    unseen
}
