//! Can a pointer to a variable be there when the variable begins to live again? Where not, the variable can have the same object each
//! time, so that states at one place agree on addresses.

use program::points_to::{ObjectId, ObjectKind};
use program::{Action, Expr, Place, PointsTo, ProcedureId, Program, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use symbolic::Encoder;
use verdict::Reason;

/// Fixed objects are sound only if no pointer to a variable can be there when the variable begins to live again.
pub fn no_pointer_outlives(program: &Program, encoder: &Encoder<'_>) -> Result<(), Reason> {
    let Some(fixed) = &encoder.fixed_objects else { return Ok(()) };
    let lives = Lives::of(program, encoder.meaning.points_to);
    for &variable in &fixed.begun {
        if encoder.meaning.is_address_taken(variable) && lives.may_be_outlived(variable) {
            return Err(format!("a pointer to `{}` may outlive it", program.variables[variable].name).into());
        }
    }
    Ok(())
}

/// Where pointers to variables may be kept.
struct Lives<'p> {
    program: &'p Program,
    stored: FxHashSet<ObjectId>,
    held_by: FxHashMap<ObjectId, Vec<VariableId>>,
    in_blocks: FxHashSet<VariableId>,
    callees: FxHashMap<ProcedureId, FxHashSet<ProcedureId>>,
    points_to: &'p PointsTo,
}

impl<'p> Lives<'p> {
    /// Of a program.
    fn of(program: &'p Program, points_to: &'p PointsTo) -> Lives<'p> {
        let mut stored = FxHashSet::default();
        for object in points_to.objects() {
            for cell in points_to.cells_of(object) {
                stored.extend(points_to.content(cell).into_iter().map(|target| target.object));
            }
        }
        let mut held_by: FxHashMap<ObjectId, Vec<VariableId>> = FxHashMap::default();
        for (id, variable) in program.variables.iter_enumerated() {
            if symbolic::meaning::is_in_memory(program, id) {
                continue;
            }
            let value = Expr::load(Place::variable(id, variable.ty));
            for target in points_to.points_to(program, &value) {
                held_by.entry(target.object).or_default().push(id);
            }
        }
        let mut in_blocks = FxHashSet::default();
        for procedure in &program.procedures {
            for edge in procedure.body.iter().flat_map(|body| &body.edges) {
                if let Action::Lifetime { variable, .. } = edge.action {
                    in_blocks.insert(variable);
                }
            }
        }
        let direct: FxHashMap<ProcedureId, Vec<ProcedureId>> =
            program.procedures.ids().map(|id| (id, points_to.callees(program, id))).collect();
        let mut callees = FxHashMap::default();
        for id in program.procedures.ids() {
            let after = |id: ProcedureId| direct[&id].iter().copied();
            callees.insert(id, base::graph::reachable(after(id), after));
        }
        Lives { program, stored, held_by, in_blocks, callees, points_to }
    }

    /// May a pointer to the variable be left when it begins again?
    fn may_be_outlived(&self, variable: VariableId) -> bool {
        let Some(object) = self.points_to.object_of(ObjectKind::Variable(variable)) else { return false };
        let Some(owner) = self.program.variables[variable].procedure else { return true };
        let is_in_block = self.in_blocks.contains(&variable);
        // The variables of `main` itself begin once.
        if Some(owner) == self.program.main && !is_in_block && !self.callees[&owner].contains(&owner) {
            return false;
        }
        if self.stored.contains(&object) || self.points_to.is_escaped(object) {
            return true;
        }
        self.held_by.get(&object).is_some_and(|holders| {
            holders.iter().any(|&holder| match self.program.variables[holder].procedure {
                None => true,
                Some(procedure) if procedure == owner => is_in_block,
                // A caller's variable lives on when the owner has returned.
                Some(procedure) => self.callees[&procedure].contains(&owner),
            })
        })
    }
}
