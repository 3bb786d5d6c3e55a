//! Which calls a run makes at most once. What such a call allocates is one object, so its content can be
//! followed.

use crate::order::component_of;
use base::IndexVec;
use program::{Action, Callee, EdgeId, ProcedureId, Program};
use rustc_hash::FxHashSet;

/// The calls, each by its procedure and edge: outside loops, in `main` or in a procedure that is itself
/// called just once.
pub fn calls(program: &Program) -> FxHashSet<(ProcedureId, EdgeId)> {
    let mut callers: IndexVec<ProcedureId, Vec<(ProcedureId, EdgeId)>> =
        IndexVec::filled(Vec::new(), program.procedures.len());
    for (id, procedure) in program.procedures.iter_enumerated() {
        for (edge, step) in procedure.body.iter().flat_map(|body| body.edges.iter_enumerated()) {
            if let Action::Call { callee: Callee::Direct(callee), .. } = step.action {
                callers[callee].push((id, edge));
            }
        }
    }
    let mut found = FxHashSet::default();
    let Some(main) = program.main else { return found };
    let named = program.addressed();
    if named.contains(&main) || !callers[main].is_empty() || program.constructors.contains(&main) {
        return found;
    }
    let mut waiting = vec![main];
    while let Some(id) = waiting.pop() {
        let Some(body) = &program.procedures[id].body else { continue };
        let components = component_of(body);
        for (edge, step) in body.edges.iter_enumerated() {
            let Action::Call { callee: Callee::Direct(callee), .. } = step.action else { continue };
            // A step inside one component lies on a cycle. What is not reached is in none.
            if components[step.from].is_none() || components[step.from] == components[step.to] {
                continue;
            }
            found.insert((id, edge));
            if callers[callee].len() == 1
                && !named.contains(&callee)
                && !program.constructors.contains(&callee)
            {
                waiting.push(callee);
            }
        }
    }
    found
}
