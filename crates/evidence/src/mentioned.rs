//! What the user's code names of functions that have no body: these a linker asks for. What only the
//! library's descriptions name is the real library's, and must not be defined a second time.

use program::expr::ExprPart;
use program::{Action, Callee, Edge, Expr, ExprKind, HavocSource, Origin, ProcedureId, Program};
use std::collections::BTreeSet;

/// The procedures that user code calls or takes the address of.
pub(crate) fn mentioned_by_user(program: &Program) -> BTreeSet<ProcedureId> {
    let mut mentioned = BTreeSet::new();
    let mut look = |part: ExprPart<'_>| {
        if let ExprPart::Expr(Expr { kind: ExprKind::FunctionAddress(id), .. }) = part {
            mentioned.insert(*id);
        }
    };
    let user = program.procedures.iter().filter(|procedure| procedure.origin == Origin::User);
    let edges: Vec<&Edge> = user.flat_map(|procedure| &procedure.body).flat_map(|body| &body.edges).collect();
    edges.iter().for_each(|edge| edge.action.visit(&mut look));
    program.visit_initial(&mut look);
    for edge in edges {
        match &edge.action {
            Action::Call { callee: Callee::Direct(id), .. } => {
                mentioned.insert(*id);
            }
            Action::Havoc { source: HavocSource::Input(name), .. } => {
                mentioned.extend(program.procedure_named(name));
            }
            _ => {}
        }
    }
    // Words of verification tools are no calls after lowering.
    let is_word = |name: &str| {
        WORDS.iter().any(|prefix| name.starts_with(prefix))
            || (0..=2).any(|count| lower::words::word(name, count).is_some())
    };
    let words = program.procedures.iter_enumerated().filter(|(_, procedure)| is_word(&procedure.name));
    mentioned.extend(words.map(|(id, _)| id));
    mentioned
}

/// How the names of words begin.
const WORDS: [&str; 4] = ["__VERIFIER_", "__CPROVER_", "__ESBMC_", "nondet"];
