//! When may the objects of variables have fixed numbers? A head of a loop is one state for all its rounds, so the same variable of the same active
//! calls has the same object in each of them. That is right unless a pointer to an earlier life of the variable may still be there when
//! the variable begins to live again: the pointer would then seem to point to the new one.
//!
//! Trusted: engines that prove and the auditor both rest on this one argument (docs/SOUNDNESS.md).

use crate::Meaning;
use program::points_to::{ObjectId, ObjectKind};
use program::{Action, Expr, Place, PointsTo, ProcedureId, Program, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A variable to which a pointer may outlive it, among those that were begun; `None` if there is none.
pub fn outlived(meaning: &Meaning<'_>, begun: impl Iterator<Item = VariableId>) -> Option<VariableId> {
    let lives = Lives::of(meaning.program, meaning.points_to);
    let mut begun = begun;
    begun.find(|&variable| meaning.is_address_taken(variable) && lives.may_be_outlived(variable))
}

struct Lives<'p> {
    program: &'p Program,
    points_to: &'p PointsTo,
    /// Objects to which a pointer in memory may point.
    kept_in_memory: FxHashSet<ObjectId>,
    /// Variables outside memory that may point to an object.
    kept_by: FxHashMap<ObjectId, Vec<VariableId>>,
    /// Variables of inner blocks, which begin again without a new call.
    in_blocks: FxHashSet<VariableId>,
}

impl<'p> Lives<'p> {
    fn of(program: &'p Program, points_to: &'p PointsTo) -> Lives<'p> {
        let mut kept_in_memory = FxHashSet::default();
        for object in points_to.objects() {
            for cell in points_to.cells_of(object) {
                kept_in_memory.extend(points_to.content(cell).into_iter().map(|target| target.object));
            }
        }
        let mut kept_by: FxHashMap<ObjectId, Vec<VariableId>> = FxHashMap::default();
        for (id, variable) in program.variables.iter_enumerated() {
            if !crate::meaning::is_in_memory(program, id) {
                for target in points_to.points_to(program, &Expr::load(Place::variable(id, variable.ty))) {
                    kept_by.entry(target.object).or_default().push(id);
                }
            }
        }
        let mut in_blocks = FxHashSet::default();
        for edge in
            program.procedures.iter().flat_map(|procedure| &procedure.body).flat_map(|body| &body.edges)
        {
            if let Action::Lifetime { variable, .. } = edge.action {
                in_blocks.insert(variable);
            }
        }
        Lives { program, points_to, kept_in_memory, kept_by, in_blocks }
    }

    /// Does one procedure call the other, perhaps through more?
    fn reaches(&self, from: ProcedureId, to: ProcedureId) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = self.points_to.callees(self.program, from);
        while let Some(next) = open.pop() {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                open.extend(self.points_to.callees(self.program, next));
            }
        }
        false
    }

    fn may_be_outlived(&self, variable: VariableId) -> bool {
        let Some(object) = self.points_to.object_of(ObjectKind::Variable(variable)) else { return false };
        let Some(owner) = self.program.variables[variable].procedure else { return true };
        let is_in_block = self.in_blocks.contains(&variable);
        let lives_once = Some(owner) == self.program.main && !is_in_block && !self.reaches(owner, owner);
        if lives_once {
            return false;
        }
        if self.kept_in_memory.contains(&object) || self.points_to.is_escaped(object) {
            return true;
        }
        let holders = self.kept_by.get(&object).map_or(&[][..], Vec::as_slice);
        holders.iter().any(|&holder| match self.program.variables[holder].procedure {
            None => true,
            Some(procedure) if procedure == owner => is_in_block,
            Some(procedure) => self.reaches(procedure, owner),
        })
    }
}
