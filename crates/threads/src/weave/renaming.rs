//! The names of a copy: each call has variables of its own, each thread its variables of thread storage, and a
//! parameter that points to one static place in a call stands for that place.

use super::{Frame, Weaver};
use crate::mode::{FrameId, ThreadIndex};
use base::Id;
use program::rewrite::{self, Rewrite};
use program::{Action, Expr, ExprKind, Place, PlaceBase, Projection, VariableId, VariableKind};

impl<'w> Weaver<'w> {
    /// The thread's or call's own variable that stands for one.
    pub fn renamed_variable(&mut self, frame: FrameId, id: VariableId) -> VariableId {
        let variable = &self.old.variables[id];
        if variable.kind == VariableKind::Global && self.facts.handles.contains(&id) {
            return self.static_handle(id);
        }
        let Frame { thread, procedure, variables, .. } = &self.frames[frame];
        if variable.is_thread_local {
            return self.own_variable(*thread, id);
        }
        let is_automatic = !matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral);
        if !is_automatic || variable.procedure != Some(*procedure) {
            return id;
        }
        variables.get(&id).copied().unwrap_or(id)
    }

    /// A static variable with a handle, outside memory.
    fn static_handle(&mut self, id: VariableId) -> VariableId {
        if let Some(&own) = self.static_handles.get(&id) {
            return own;
        }
        let own = self.variable(&self.old.variables[id].name.clone(), self.old.variables[id].ty.id);
        self.static_handles.insert(id, own);
        own
    }

    /// Static variables with handles, in the sequential program.
    pub fn static_handles(&self) -> Vec<VariableId> {
        let mut all: Vec<VariableId> = self.static_handles.values().copied().collect();
        all.sort_unstable();
        all
    }

    /// A variable of thread storage: the first thread has the original.
    fn own_variable(&mut self, thread: ThreadIndex, id: VariableId) -> VariableId {
        if thread.index() == 0 {
            return id;
        }
        if let Some(&own) = self.threads[thread].own.get(&id) {
            return own;
        }
        let mut variable = self.old.variables[id].clone();
        let own = self.new.variables.next_id();
        for initial in &mut variable.initial {
            initial.place.base = PlaceBase::Variable(own);
        }
        self.new.variables.push(variable);
        self.threads[thread].own.insert(id, own);
        own
    }

    /// What a parameter points to in a call, if that is known.
    fn points_at(&self, frame: FrameId, parameter: &Place) -> Option<Place> {
        self.frames[frame].points_at.get(&parameter.as_variable()?).cloned()
    }

    /// The place that a parameter points to, if that is known.
    pub fn resolved(&self, frame: FrameId, place: &Place) -> Option<Place> {
        let PlaceBase::Pointer(pointer) = &place.base else { return None };
        let ExprKind::Load(parameter) = &crate::cells::uncast(pointer).kind else { return None };
        let known = self.frames[frame].points_at.get(&parameter.as_variable()?)?;
        let is_same_type = self.old.types.pointee(pointer.ty).is_some_and(|to| to.id == known.ty.id);
        let is_fixed = place.path.iter().all(|step| matches!(step, Projection::Field(..)));
        (is_same_type && is_fixed).then(|| Place {
            base: known.base.clone(),
            path: known.path.iter().chain(&place.path).cloned().collect(),
            ty: place.ty,
        })
    }

    /// The place as it is in a call.
    pub fn renamed_place(&mut self, frame: FrameId, place: &Place) -> Place {
        let mut own = place.clone();
        InFrame { weaver: self, frame }.place(&mut own);
        own
    }

    /// The value as it is in a call.
    pub fn renamed(&mut self, frame: FrameId, value: &Expr) -> Expr {
        let mut own = value.clone();
        InFrame { weaver: self, frame }.expr(&mut own);
        own
    }

    /// The step as it is in a call.
    pub fn renamed_action(&mut self, frame: FrameId, action: &Action) -> Action {
        match action {
            Action::Lifetime { variable, .. } if self.facts.handles.contains(variable) => Action::Skip,
            Action::Havoc { target, source: program::HavocSource::Indeterminate }
                if target.as_variable().is_some_and(|id| self.facts.handles.contains(&id)) =>
            {
                // No thread has this handle, and to join none is not answered about.
                let value = Expr::integer(0, target.ty.id, &self.new.types);
                Action::Assign { target: self.renamed_place(frame, target), value }
            }
            action => {
                let mut own = action.clone();
                InFrame { weaver: self, frame }.action(&mut own);
                own
            }
        }
    }
}

/// What is written in a procedure becomes what it is in one call of it.
struct InFrame<'f, 'w> {
    weaver: &'f mut Weaver<'w>,
    frame: FrameId,
}

impl Rewrite for InFrame<'_, '_> {
    fn variable(&mut self, variable: &mut VariableId) {
        *variable = self.weaver.renamed_variable(self.frame, *variable);
    }

    fn place(&mut self, place: &mut Place) {
        if let Some(resolved) = self.weaver.resolved(self.frame, place) {
            *place = resolved;
            return;
        }
        if matches!(place.base, PlaceBase::Pointer(_)) {
            let targets = self.weaver.points_to.locations(self.weaver.old, place);
            self.weaver.log.unresolved.extend(targets.iter().map(|target| target.object));
        }
        rewrite::inside_place(self, place);
    }

    fn expr(&mut self, expr: &mut Expr) {
        let known = match &expr.kind {
            ExprKind::Load(place) => self.weaver.points_at(self.frame, place),
            _ => None,
        };
        match known {
            Some(known) => expr.kind = ExprKind::AddressOf(Box::new(known)),
            None => rewrite::inside_expr(self, expr),
        }
        if let ExprKind::AddressOf(place) = &expr.kind {
            self.weaver.note_address(place);
        }
    }
}
