//! What proofs of the engines do not cover: they take values that were never written for any value, and know
//! nothing of blocks that were allocated before a loop. Where such a check is asked and a simple look at the
//! program does not settle it, there is no proof.

use base::Span;
use program::{Action, Callee, Known, Origin, PointsTo, ProcedureId, Program, Type};
use question::Check;
use question::Property;
use std::collections::BTreeSet;
use verdict::{Reason, Undecided};

/// Why a proof says nothing of a program that looks at `errno`: models and engines leave it as it is where
/// the real function may set it.
pub fn error_numbers(program: &Program, points_to: &PointsTo) -> Option<Undecided> {
    let (mut looks, mut sets) = (None, None);
    for id in reached(program, points_to) {
        let procedure = &program.procedures[id];
        if procedure.origin != Origin::User {
            continue;
        }
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            let Action::Call { callee: Callee::Direct(callee), .. } = &edge.action else { continue };
            let name = &program.procedures[*callee].name;
            if &**name == "__errno_location" {
                looks = looks.or(Some(edge.span));
            } else if program.may_set_error_number(*callee) {
                sets = sets.or_else(|| Some(name.clone()));
            }
        }
    }
    let (at, name) = (looks?, sets?);
    let construct = format!("`errno`, which `{name}` may have set");
    Some(Undecided::because(Reason::NotSupported { construct, at }))
}

/// Which reads a look at the program has to exclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// All of them.
    All,
    /// Those of variables outside memory: the search follows what was written in memory.
    OutsideMemory,
}

/// Why a proof does not show that no value is read before it is written, if that is asked.
pub fn uninitialised_reads(
    program: &Program,
    points_to: &PointsTo,
    property: &Property,
    reads: Reads,
) -> Option<Undecided> {
    if !property.checks.has(Check::Uninitialised) {
        return None;
    }
    let open = |what: String, at: Span| {
        let construct = format!("excluding reads of what was never written where {what}");
        let undecided = Undecided::because(Reason::NotSupported { construct, at });
        Some(undecided.try_next(
            "give the variable a value where it is declared, or leave out the check `uninitialised`",
        ))
    };
    for id in reached(program, points_to) {
        let procedure = &program.procedures[id];
        if procedure.origin != Origin::User {
            continue;
        }
        let Some(body) = &procedure.body else { continue };
        let is_asked = |id| reads == Reads::All || !symbolic::meaning::is_in_memory(program, id);
        let found = symbolic::unwritten_locals::read_unwritten(program, id, &is_asked);
        if let Some((variable, span)) = found.into_iter().next() {
            return open(format!("`{}` may be read so", program.variables[variable].name), span);
        }
        let gives_value = !matches!(program.types.get(program.result_type(id).id), Type::Void);
        for edge in &body.edges {
            match &edge.action {
                Action::Return { value: None } if gives_value && Some(id) != program.main => {
                    return open(format!("`{}` may return without a value", procedure.name), edge.span);
                }
                Action::Call { callee: Callee::Direct(callee), .. } if reads == Reads::All => {
                    let callee = &program.procedures[*callee];
                    if callee.known.is_some_and(Known::gives_unwritten_memory)
                        || program::gives_unwritten_memory(&callee.name)
                    {
                        return open(format!("memory comes from `{}`", callee.name), edge.span);
                    }
                }
                _ => {}
            }
        }
    }
    None
}

/// The procedures that runs may call, in order.
fn reached(program: &Program, points_to: &PointsTo) -> BTreeSet<ProcedureId> {
    base::graph::reachable(program.main, |id| points_to.callees(program, id)).into_iter().collect()
}
