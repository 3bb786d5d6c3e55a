//! The call graph: who calls whom, callees first, and who can call itself.

use crate::graph::{Action, ProcedureId, Program};
use base::IndexVec;

/// The shape of the call graph.
#[derive(Clone, Debug)]
pub struct CallShape {
    /// All procedures, each after those it calls where recursion does not forbid it.
    pub callees_first: Vec<ProcedureId>,
    /// Can an activation of the procedure lie on another of the same?
    pub is_recursive: IndexVec<ProcedureId, bool>,
}

/// The shape of the call graph, by its strongly connected components.
pub fn call_shape(program: &Program) -> CallShape {
    let count = program.procedures().len();
    let mut calls: IndexVec<ProcedureId, Vec<ProcedureId>> = IndexVec::filled(Vec::new(), count);
    for edge in program.edges() {
        if let Action::Call { callee, .. } = edge.action {
            calls[program.procedure_of(edge.from)].push(callee);
        }
    }
    let mut shape =
        CallShape { callees_first: Vec::with_capacity(count), is_recursive: IndexVec::filled(false, count) };
    let after = |procedure: ProcedureId| calls[procedure].iter().copied();
    for members in base::graph::components(count, program.procedures().ids(), after).iter() {
        let recursive = members.len() > 1 || calls[members[0]].contains(&members[0]);
        members.iter().for_each(|&member| shape.is_recursive[member] = recursive);
        // Members are found callers first.
        shape.callees_first.extend(members.iter().rev());
    }
    shape
}
