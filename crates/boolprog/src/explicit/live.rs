//! Which local variables still matter at a node: the rest are set to false, so that states that differ in
//! nothing that can be seen are one state. Inside one procedure only; globals always matter. (The symbolic
//! engines have an interprocedural analysis of their own; this one is simple on purpose.)

use crate::graph::{Action, Edge, Expr, Mixed, NodeId, Program, Scope, VariableId};
use crate::values::Values;
use base::IndexVec;

/// For each node the locals that may be read before they are written.
pub(super) fn live_locals(program: &Program) -> IndexVec<NodeId, Values> {
    let size = |node: NodeId| program.procedures()[program.procedure_of(node)].variables.len();
    let mixed = Mixed::of(program);
    // What broadcasts read matters wherever its activation stands.
    let read_by_others = |node: NodeId| {
        let mut live = Values::falses(size(node));
        let variables = &program.procedures()[program.procedure_of(node)].variables;
        let read = variables.iter().enumerate().filter(|(_, id)| mixed.is_read[**id]);
        read.for_each(|(slot, _)| live.set(slot, true));
        live
    };
    let mut live: IndexVec<NodeId, Values> = program.nodes().ids().map(read_by_others).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for edge in program.edges().iter().rev() {
            let before = live_before(program, edge, &live, &mixed);
            changed |= live[edge.from].join(&before);
        }
    }
    live
}

fn local_slot(program: &Program, variable: VariableId) -> Option<usize> {
    let variable = &program.variables()[variable];
    matches!(variable.scope, Scope::Local(_)).then_some(variable.slot)
}

/// The locals a call keeps for afterwards: live then, and not given by the call. What broadcasts read is kept
/// in any case.
pub(super) fn kept_over_call(
    program: &Program,
    live_after: &Values,
    results: &[Option<VariableId>],
    mixed: &Mixed,
) -> Values {
    let mut kept = live_after.clone();
    let given = results.iter().flatten().filter(|&&result| !mixed.is_read[result]);
    for slot in given.filter_map(|&result| local_slot(program, result)) {
        kept.set(slot, false);
    }
    kept
}

fn live_before(program: &Program, edge: &Edge, live: &IndexVec<NodeId, Values>, mixed: &Mixed) -> Values {
    let ends = matches!(edge.action, Action::Return { .. } | Action::EndThread | Action::Error { .. });
    let mut before = if ends {
        Values::falses(program.procedures()[program.procedure_of(edge.from)].variables.len())
    } else {
        live[edge.to].clone()
    };
    if let Action::StartThread { at } = edge.action {
        before.join(&live[at]);
    }
    let uses = |before: &mut Values, expr: &Expr, assigned: &[(VariableId, Expr)]| {
        expr.for_each_variable(&mut |variable, is_next| {
            let is_new = is_next && assigned.iter().any(|(target, _)| *target == variable);
            if let Some(slot) = local_slot(program, variable).filter(|_| !is_new) {
                before.set(slot, true);
            }
        });
    };
    match &edge.action {
        Action::Assign { assignments, constraint, passive } => {
            for slot in assignments.iter().filter_map(|(target, _)| local_slot(program, *target)) {
                before.set(slot, false);
            }
            assignments.iter().for_each(|(_, value)| uses(&mut before, value, &[]));
            uses(&mut before, constraint, assignments);
            for rule in passive {
                rule.for_each_expression(&mut |expr| uses(&mut before, expr, assignments));
            }
        }
        Action::Assert { condition } => uses(&mut before, condition, &[]),
        Action::Call { arguments, results, .. } => {
            before = kept_over_call(program, &before, results, mixed);
            arguments.iter().for_each(|argument| uses(&mut before, argument, &[]));
        }
        Action::Async { arguments, .. } => {
            arguments.iter().for_each(|argument| uses(&mut before, argument, &[]));
        }
        Action::Return { values } => values.iter().for_each(|value| uses(&mut before, value, &[])),
        Action::Error { .. }
        | Action::StartThread { .. }
        | Action::EndThread
        | Action::AtomicBegin
        | Action::AtomicEnd => {}
    }
    uses(&mut before, &edge.guard, &[]);
    before
}
