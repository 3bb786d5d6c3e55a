//! What an answer rests on: of all that was supposed about the program, what concerns code that runs can get
//! to.

use cegar::Missing;
use program::expr::ExprPart;
use program::points_to::PointsTo;
use program::{AssumptionKind, Expr, ExprKind, Known, ProcedureId, Program};
use rustc_hash::FxHashSet;

/// Procedures that runs may enter or call.
pub fn reached(program: &Program) -> FxHashSet<ProcedureId> {
    let points_to = PointsTo::of(program);
    let mut open: Vec<ProcedureId> = program.main.into_iter().collect();
    open.extend(program.constructors.iter().chain(&program.destructors));
    // What a library function calls back (`qsort`, `atexit`, threads) is not among the callees of the
    // program's own calls.
    program.edges().for_each(|edge| {
        edge.action.visit(&mut |part| {
            if let ExprPart::Expr(Expr { kind: ExprKind::FunctionAddress(id), .. }) = part {
                open.push(*id);
            }
        });
    });
    base::graph::reachable(open, |id| points_to.callees(program, id))
}

/// What is supposed of a function without a body.
fn about_missing(name: &str, missing: Missing) -> String {
    match missing {
        Missing::Stop => format!("`{name}` has neither a body nor a specification"),
        Missing::AnyResult => {
            format!("`{name}` has no body: it returns any value and changes nothing (--missing pure)")
        }
        Missing::AnyEffect => format!(
            "`{name}` has no body: it returns any value, and may write to what it is given, to what can be reached from there and to \
             variables with external linkage; it frees nothing and calls only functions whose address it is given (--missing nondet)"
        ),
    }
}

/// The suppositions about code that runs can get to, each once.
fn suppositions(program: &Program, missing: Missing) -> Vec<String> {
    let reached = reached(program);
    let mut by_user: FxHashSet<ProcedureId> = FxHashSet::default();
    for (id, procedure) in program.procedures.iter_enumerated() {
        if procedure.origin != program::Origin::User || !reached.contains(&id) {
            continue;
        }
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            if let program::Action::Call { callee: program::Callee::Direct(callee), .. } = &edge.action {
                by_user.insert(*callee);
            }
        }
    }
    let addressed = program.addressed();
    let by_user = |id: &ProcedureId| by_user.contains(id) || addressed.contains(id);
    let spans: Vec<(bool, u32, u32)> = program
        .procedures
        .iter_enumerated()
        .filter_map(|(id, procedure)| {
            let spans = procedure.body.as_ref()?.edges.iter().map(|edge| edge.span);
            let spans: Vec<base::Span> = spans.filter(|span| !span.is_nowhere()).collect();
            let start = spans.iter().map(|span| span.start).min()?;
            let end = spans.iter().map(|span| span.end).max()?;
            Some((reached.contains(&id), start, end))
        })
        .collect();
    let concerns_runs = |assumption: &&program::Assumption| match assumption.kind {
        // What a model itself calls is the model's affair.
        AssumptionKind::LibraryModel | AssumptionKind::MissingBody => {
            program.procedures.iter_enumerated().any(|(id, procedure)| {
                procedure.name == assumption.subject && reached.contains(&id) && by_user(&id)
            })
        }
        AssumptionKind::Entry
        | AssumptionKind::UnknownPointer
        | AssumptionKind::OutsideMemory
        | AssumptionKind::ExternalVariable => true,
        _ => {
            let (start, end) = (assumption.span.start, assumption.span.end);
            let mut around = spans.iter().filter(|(_, from, to)| *from <= start && end <= *to).peekable();
            around.peek().is_none() || { around }.any(|(is_reached, ..)| *is_reached)
        }
    };
    let mut all: Vec<String> = Vec::new();
    for assumption in program.assumptions.iter().filter(concerns_runs) {
        let message = match assumption.kind {
            AssumptionKind::MissingBody => about_missing(&assumption.subject, missing),
            _ => assumption.message.clone(),
        };
        if !all.contains(&message) {
            all.push(message);
        }
    }
    all
}

/// The suppositions that an answer does not tell itself: what an engine supposed of a function says more than
/// that it has no body.
pub fn untold(program: &Program, missing: Missing, told: &[String]) -> Vec<String> {
    let subject_of = |sentence: &str| {
        let rest = sentence.strip_prefix('`')?;
        rest.split_once('`').map(|(subject, _)| subject.to_owned())
    };
    let is_told = |assumption: &String| {
        told.iter().any(|note| {
            note == assumption || subject_of(note).is_some_and(|own| subject_of(assumption) == Some(own))
        })
    };
    suppositions(program, missing).into_iter().filter(|assumption| !is_told(assumption)).collect()
}

/// Allocation that never fails, if a run may allocate.
pub fn about_allocation(program: &Program, may_fail: bool) -> Option<String> {
    use Known::{AlignedAlloc, Calloc, Malloc, Realloc};
    let allocates = |id: &ProcedureId| {
        let procedure = &program.procedures[*id];
        procedure.is_native() && matches!(procedure.known, Some(Malloc | Calloc | Realloc | AlignedAlloc))
    };
    let does = !may_fail && reached(program).iter().any(allocates);
    does.then(|| "`malloc` and its relatives never fail (--malloc-may-fail lets them)".to_owned())
}
