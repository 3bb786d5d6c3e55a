//! Steps that other threads may see: those that access memory. Which memory is really shared is not asked; a step that
//! only its own thread can see costs nothing in a search that exchanges no steps that commute.

use crate::schedule::VisibleEdges;
use program::expr::{Access, ExprPart};
use program::{PlaceBase, Program, VariableKind};

/// All edges that read or write something that is not a register of its thread.
pub fn accesses(program: &Program) -> VisibleEdges {
    let mut visible = VisibleEdges::default();
    for (procedure, body) in program.procedures.iter_enumerated() {
        for (id, edge) in body.body.iter().flat_map(|body| body.edges.iter_enumerated()) {
            let mut touches = false;
            edge.action.visit(&mut |part| {
                let ExprPart::Place(place, Access::Read | Access::Write) = part else { return };
                touches |= match place.base {
                    PlaceBase::Pointer(_) => true,
                    PlaceBase::Variable(variable) => {
                        let variable = &program.variables[variable];
                        let is_static = variable.kind == VariableKind::Global && !variable.is_thread_local;
                        variable.in_memory || is_static
                    }
                };
            });
            if touches {
                visible.insert((procedure, id));
            }
        }
    }
    visible
}
