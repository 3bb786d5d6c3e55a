//! The names of a copy: each call has variables of its own, each thread its variables of thread storage, and a
//! parameter that points to one static place in a call stands for that place.

use super::{Frame, Weaver};
use crate::mode::{FrameId, ThreadIndex};
use base::Id;
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

    pub fn renamed_place(&mut self, frame: FrameId, place: &Place) -> Place {
        if let Some(resolved) = self.resolved(frame, place) {
            return resolved;
        }
        if matches!(place.base, PlaceBase::Pointer(_)) {
            let targets = self.points_to.locations(self.old, place);
            self.log.unresolved.extend(targets.iter().map(|target| target.object));
        }
        let base = match &place.base {
            PlaceBase::Variable(id) => PlaceBase::Variable(self.renamed_variable(frame, *id)),
            PlaceBase::Pointer(pointer) => PlaceBase::Pointer(Box::new(self.renamed(frame, pointer))),
        };
        let step = |step: &Projection| match step {
            Projection::Field(record, index) => Projection::Field(*record, *index),
            Projection::Index(index) => Projection::Index(Box::new(self.renamed(frame, index))),
        };
        Place { base, path: place.path.iter().map(step).collect(), ty: place.ty }
    }

    pub fn renamed(&mut self, frame: FrameId, value: &Expr) -> Expr {
        let kind = match &value.kind {
            ExprKind::Load(place) => match self.points_at(frame, place) {
                Some(known) => ExprKind::AddressOf(Box::new(known)),
                None => ExprKind::Load(Box::new(self.renamed_place(frame, place))),
            },
            ExprKind::AddressOf(place) => ExprKind::AddressOf(Box::new(self.renamed_place(frame, place))),
            ExprKind::Unary(op, operand) => ExprKind::Unary(*op, Box::new(self.renamed(frame, operand))),
            ExprKind::Cast(operand) => ExprKind::Cast(Box::new(self.renamed(frame, operand))),
            ExprKind::Binary(op, left, right) => {
                let left = Box::new(self.renamed(frame, left));
                ExprKind::Binary(*op, left, Box::new(self.renamed(frame, right)))
            }
            ExprKind::PointerDifference(left, right) => {
                let left = Box::new(self.renamed(frame, left));
                ExprKind::PointerDifference(left, Box::new(self.renamed(frame, right)))
            }
            ExprKind::PointerOffset { pointer, index } => {
                let pointer = Box::new(self.renamed(frame, pointer));
                ExprKind::PointerOffset { pointer, index: Box::new(self.renamed(frame, index)) }
            }
            leaf => leaf.clone(),
        };
        Expr { kind, ty: value.ty }
    }

    pub fn renamed_action(&mut self, frame: FrameId, action: &Action) -> Action {
        match action {
            Action::Skip | Action::Unsupported(_) => action.clone(),
            Action::Lifetime { variable, .. } if self.facts.handles.contains(variable) => Action::Skip,
            Action::Lifetime { variable, step } => {
                Action::Lifetime { variable: self.renamed_variable(frame, *variable), step: *step }
            }
            Action::Assume { condition, expected, reason } => Action::Assume {
                condition: self.renamed(frame, condition),
                expected: *expected,
                reason: *reason,
            },
            Action::Assign { target, value } => Action::Assign {
                target: self.renamed_place(frame, target),
                value: self.renamed(frame, value),
            },
            Action::Havoc { target, source: program::HavocSource::Indeterminate }
                if target.as_variable().is_some_and(|id| self.facts.handles.contains(&id)) =>
            {
                // No thread has this handle, and to join none is not answered about.
                let value = Expr::integer(0, target.ty.id, &self.new.types);
                Action::Assign { target: self.renamed_place(frame, target), value }
            }
            Action::Havoc { target, source } => {
                Action::Havoc { target: self.renamed_place(frame, target), source: source.clone() }
            }
            Action::Call { result, callee, arguments } => Action::Call {
                result: result.as_ref().map(|place| self.renamed_place(frame, place)),
                callee: match callee {
                    program::Callee::Direct(id) => program::Callee::Direct(*id),
                    program::Callee::Indirect(pointer) => {
                        program::Callee::Indirect(self.renamed(frame, pointer))
                    }
                },
                arguments: arguments.iter().map(|value| self.renamed(frame, value)).collect(),
            },
            Action::Return { value } => {
                Action::Return { value: value.as_ref().map(|value| self.renamed(frame, value)) }
            }
            Action::Event { name, arguments } => Action::Event {
                name: name.clone(),
                arguments: arguments.iter().map(|value| self.renamed(frame, value)).collect(),
            },
        }
    }
}
