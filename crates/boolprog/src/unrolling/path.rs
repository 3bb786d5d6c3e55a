//! What a model used: the way back from the error it reaches.

use super::activation::{ActivationId, CopyId};
use super::engine::Unrolling;
use crate::graph::EdgeId;
use logic::sat::{Assignment, Literal};

/// What the model shows.
pub(super) enum Found {
    /// A run, its edges in order.
    Run(Vec<EdgeId>),
    /// Activations to unroll further.
    Abstract(Vec<ActivationId>),
}

enum Task {
    /// How did the run come to this copy? The activation's caller is explained too, if it is open.
    Copy(CopyId, bool),
    Emit(EdgeId),
}

/// Explains the model the solver holds.
pub(super) fn explain(unrolling: &Unrolling<'_>) -> Found {
    let holds = |literal: Literal| unrolling.gates.solver.value(literal) == Some(true);
    let (mut edges, mut tasks, mut used) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(&(_, copy, edge)) = unrolling.errors.iter().find(|(taken, ..)| holds(*taken)) {
        edges.push(edge);
        tasks.push(Task::Copy(copy, true));
    } else {
        let beyond = unrolling
            .activations
            .ids()
            .find(|&id| unrolling.may_fail_later(id) && holds(unrolling.activations[id].goes_on));
        return Found::Abstract(vec![beyond.expect("the model reaches an error or something beyond")]);
    }
    while let Some(task) = tasks.pop() {
        let (id, is_open) = match task {
            Task::Emit(edge) => {
                edges.push(edge);
                continue;
            }
            Task::Copy(id, is_open) => (id, is_open),
        };
        let copy = &unrolling.copies[id];
        let Some(way) = copy.ways.iter().find(|way| holds(way.taken)) else {
            // The entry of the activation.
            if let (true, Some((caller, call))) =
                (is_open, unrolling.activations[copy.activation].called_from)
            {
                edges.push(call);
                tasks.push(Task::Copy(caller, true));
            }
            continue;
        };
        tasks.push(Task::Copy(way.from, is_open));
        let Some(through) = way.through else {
            edges.push(way.edge);
            continue;
        };
        // A call: first its return, then its inside, then the call itself.
        tasks.push(Task::Emit(way.edge));
        let inside = &unrolling.activations[through];
        match inside.ways_out.iter().find(|out| holds(out.taken)) {
            Some(out) => {
                edges.push(out.edge);
                tasks.push(Task::Copy(out.from, false));
            }
            None => used.push(through),
        }
    }
    if used.is_empty() {
        edges.reverse();
        return Found::Run(edges);
    }
    used.sort_unstable();
    used.dedup();
    Found::Abstract(used)
}
