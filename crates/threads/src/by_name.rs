//! Variables of calls that other calls are given a pointer to, and that are followed by their names: where a parameter points to one variable in a call, accesses through
//! it are accesses of that variable. A variable whose address is nowhere a value any more needs no memory; so conditions can speak of it, and no pointer to it outlives it.
//!
//! **Obligation.** What a call does through such a parameter is what it does to the variable by name: the parameter is never written and its own address is not taken
//! (`CallFacts::written`), the access has the type of the variable, and the copy of the call belongs to one call of the copy around it. Every address that becomes a
//! value passes [`Weaver::note_address`], so a variable that is not noted is only accessed by name.
//!
//! Worked example: `void cas(int *v, int old, int new, int *ok)` is called as `cas(&value, a, b, &done)`: in the copy, `*ok = 1` is `done = 1`, and `done` leaves memory.

use crate::mode::FrameId;
use crate::weave::Weaver;
use program::{
    Action, Expr, HavocSource, LifetimeStep, Place, PlaceBase, ProcedureId, VariableId, VariableKind,
};
use rustc_hash::FxHashSet;

impl Weaver<'_> {
    /// Is the place a number or pointer of a call that is copied?
    pub fn is_of_call(&self, place: &Place) -> bool {
        let PlaceBase::Variable(id) = place.base else { return false };
        let variable = &self.new.variables[id];
        place.path.is_empty()
            && (self.originals.contains_key(&id) || self.is_local_of_main(id))
            && variable.in_memory
            && self.is_plain(id)
    }

    fn is_local_of_main(&self, id: VariableId) -> bool {
        let variable = self.old.variables.get(id);
        variable.is_some_and(|variable| {
            variable.kind == VariableKind::Local && variable.procedure == Some(self.main)
        }) && !self.facts.handles.contains(&id)
    }

    fn is_plain(&self, id: VariableId) -> bool {
        let ty = self.new.variables[id].ty;
        let is_special = ty.qualifiers.is_volatile || ty.qualifiers.is_atomic;
        !is_special && !self.new.variables[id].is_thread_local && self.new.types.is_scalar(ty.id)
    }

    /// Is it such a place, and does no other thread access it?
    pub fn is_own(&self, place: &Place) -> bool {
        let PlaceBase::Variable(id) = place.base else { return false };
        let old = self.originals.get(&id).copied().unwrap_or(id);
        self.is_of_call(place) && {
            let ty = self.old.variables[old].ty;
            !self.shared.has(self.old, self.points_to, &Place::variable(old, ty))
        }
    }

    /// Does the parameter point to a variable of a call, so that it needs no value?
    pub fn points_to_own(&self, frame: FrameId, parameter: VariableId) -> bool {
        self.frames[frame].points_at.get(&parameter).is_some_and(|place| self.is_of_call(place))
    }

    /// The address of the place is a value.
    pub fn note_address(&mut self, place: &Place) {
        if let PlaceBase::Variable(id) = place.base {
            self.addressed.insert(id);
        }
    }

    /// Arguments of a call that is copied. Addresses that its parameters stand for are no values.
    pub fn renamed_arguments(
        &mut self,
        frame: FrameId,
        callee: ProcedureId,
        arguments: &[Expr],
    ) -> Vec<Expr> {
        let before = std::mem::take(&mut self.addressed);
        let mut noted: Vec<FxHashSet<VariableId>> = Vec::new();
        let mut renamed: Vec<Expr> = Vec::new();
        for value in arguments {
            renamed.push(self.renamed(frame, value));
            noted.push(std::mem::take(&mut self.addressed));
        }
        self.addressed = before;
        let known = self.pointing_parameters(callee, &renamed);
        let parameters = &self.old.procedures[callee].parameters;
        for (position, noted) in noted.into_iter().enumerate() {
            let place = parameters.get(position).and_then(|parameter| known.get(parameter));
            if !place.is_some_and(|place| self.is_of_call(place)) {
                self.addressed.extend(noted);
            }
        }
        renamed
    }

    /// Variables of calls whose address is nowhere a value leave memory. Before they are written they hold any value, as in memory.
    pub fn take_out_of_memory(&mut self) {
        let mut others: FxHashSet<VariableId> = FxHashSet::default();
        for edge in &self.graph.edges {
            edge.action.visit(&mut |part| {
                if let program::expr::ExprPart::Place(place, _) = part
                    && let PlaceBase::Variable(id) = place.base
                    && (!place.path.is_empty() || place.ty.id != self.new.variables[id].ty.id)
                {
                    others.insert(id);
                }
            });
        }
        let locals: Vec<VariableId> = self.originals.keys().copied().collect();
        let locals = locals.into_iter().chain(self.old.procedures[self.main].locals.iter().copied());
        let leaves = |id: &VariableId| {
            !self.addressed.contains(id)
                && !others.contains(id)
                && self.is_of_call(&Place::variable(*id, self.new.variables[*id].ty))
        };
        let leaving: FxHashSet<VariableId> = locals.filter(leaves).collect();
        for &id in &leaving {
            self.new.variables[id].in_memory = false;
        }
        let edges: Vec<_> = self.graph.edges.ids().collect();
        for edge in edges {
            let Action::Lifetime { variable, step } = self.graph.edges[edge].action else { continue };
            if !leaving.contains(&variable) {
                continue;
            }
            let target = Place::variable(variable, self.new.variables[variable].ty);
            let source = HavocSource::Indeterminate;
            self.graph.edges[edge].action = match step {
                LifetimeStep::Begin => Action::Havoc { target, source },
                LifetimeStep::End => Action::Skip,
            };
        }
    }
}
