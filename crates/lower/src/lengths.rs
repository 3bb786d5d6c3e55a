//! Arrays of run-time length in inner blocks. Their memory is kept until the function returns, though their lives end
//! with the block, or where a jump goes back before their declaration: nothing tells one from the other unless a
//! pointer to the array is kept longer. Where one may be, what a run does behind that place is not known.

use program::points_to::{ObjectId, ObjectKind, PointsTo};
use program::{
    Action, Assumption, AssumptionKind, EdgeId, Expr, Place, ProcedureId, Program, VariableId, VariableKind,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The life of such an array ends: its block is left, or a jump goes back before its declaration.
#[derive(Clone, Debug)]
pub(crate) struct LeftArray {
    /// Holds the pointer to its elements.
    pub array: VariableId,
    /// What lives no longer than it.
    pub inside: Vec<VariableId>,
}

/// What the step there is marked with until it is known whether it matters.
pub(crate) fn mark(index: usize) -> Arc<str> {
    Arc::from(format!("{MARK}{index}"))
}

/// Is it such a mark?
pub(crate) fn is_mark(text: &str) -> bool {
    text.starts_with(MARK)
}

const MARK: &str = "<the end of an array> ";
const WHAT: &str = "a pointer that may be kept longer than the array of run-time length that it points to";

/// Decides for every such step.
pub(crate) fn settle(program: &mut Program, left: &[LeftArray]) {
    if left.is_empty() {
        return;
    }
    let points_to = PointsTo::of(program);
    let mut decided: Vec<(ProcedureId, EdgeId, bool)> = Vec::new();
    for (id, procedure) in program.procedures.iter_enumerated() {
        for (edge, step) in procedure.body.iter().flat_map(|body| body.edges.iter_enumerated()) {
            let Action::Unsupported(text) = &step.action else { continue };
            let Some(index) = text.strip_prefix(MARK).and_then(|index| index.parse::<usize>().ok()) else {
                continue;
            };
            decided.push((id, edge, is_kept(program, &points_to, id, &left[index])));
        }
    }
    for (id, edge, is_kept) in decided {
        let Some(body) = &mut program.procedures[id].body else { continue };
        let span = body.edges[edge].span;
        body.edges[edge].action = if is_kept { Action::Unsupported(Arc::from(WHAT)) } else { Action::Skip };
        if is_kept {
            let subject = program.sources.location(span).map_or_else(String::new, |at| at.to_string());
            let message = format!("{WHAT}: a run that gets here has no known meaning");
            let kind = AssumptionKind::Unsupported;
            program.assumptions.push(Assumption { kind, subject: Arc::from(subject), message, span });
        }
    }
}

/// May something that outlives the array hold a pointer into the array?
fn is_kept(program: &Program, points_to: &PointsTo, procedure: ProcedureId, left: &LeftArray) -> bool {
    let value = |id: VariableId| Expr::load(Place::variable(id, program.variables[id].ty));
    let targets = points_to.points_to(program, &value(left.array));
    let blocks: FxHashSet<ObjectId> = targets.into_iter().map(|target| target.object).collect();
    let is_inside = |id: VariableId| {
        id == left.array || left.inside.contains(&id) || program.variables[id].kind == VariableKind::Temporary
    };
    if blocks.iter().any(|&block| points_to.is_escaped(block)) {
        return true;
    }
    let holds = |id: VariableId| {
        points_to.points_to(program, &value(id)).iter().any(|target| blocks.contains(&target.object))
    };
    let in_variables = program.variables.iter_enumerated().any(|(id, variable)| {
        let is_here = variable.procedure.is_none_or(|owner| owner == procedure);
        is_here && !is_inside(id) && program.types.is_scalar(variable.ty.id) && holds(id)
    });
    in_variables
        || points_to.objects().any(|object| {
            let is_looked_at = match points_to.object(object) {
                ObjectKind::Variable(id) => !is_inside(id),
                _ => !blocks.contains(&object),
            };
            is_looked_at
                && points_to
                    .cells_of(object)
                    .flat_map(|cell| points_to.content(cell))
                    .any(|target| blocks.contains(&target.object))
        })
}
