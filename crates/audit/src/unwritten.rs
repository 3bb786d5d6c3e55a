//! Reads of what was never written, in proofs by induction: their steps begin in the middle of runs, where nothing tells what was
//! written, so that the walk cannot look for such reads. What the text of the program shows stands; the rest is open.
//!
//! Twin: the walk from the start (`ProofArgument::Unwinding`), which follows every cell.

use program::{Action, Callee, Known, Origin, ProcedureId, Program, Type};
use symbolic::unwritten_locals::read_unwritten;

/// May a run read what was never written, or use the result of a function that returned none? All procedures with a body count, called
/// or not.
pub(crate) fn may_be_read(program: &Program) -> bool {
    program.procedures.ids().any(|id| {
        let is_users = program.procedures[id].origin == Origin::User;
        is_users
            && (!read_unwritten(program, id, &|_| true).is_empty()
                || returns_nothing(program, id)
                || allocates_unwritten(program, id))
    })
}

fn returns_nothing(program: &Program, id: ProcedureId) -> bool {
    let gives_value = !matches!(program.types.get(program.result_type(id).id), Type::Void);
    let body = program.procedures[id].body.iter();
    gives_value
        && Some(id) != program.main
        && body
            .flat_map(|body| body.edges.iter())
            .any(|edge| matches!(edge.action, Action::Return { value: None }))
}

/// Is there memory that begins without a value? Through a pointer, any function may be called.
fn allocates_unwritten(program: &Program, id: ProcedureId) -> bool {
    let begins_unwritten = |procedure: &program::Procedure| {
        procedure.known.is_some_and(Known::gives_unwritten_memory)
            || program::gives_unwritten_memory(&procedure.name)
    };
    let body = program.procedures[id].body.iter();
    body.flat_map(|body| body.edges.iter()).any(|edge| match &edge.action {
        Action::Call { callee: Callee::Direct(callee), .. } => begins_unwritten(&program.procedures[*callee]),
        Action::Call { callee: Callee::Indirect(_), .. } => program.procedures.iter().any(begins_unwritten),
        _ => false,
    })
}
