//! Blocks of a function and what leaving and entering them does: lives of variables begin and end, functions of
//! `__attribute__((cleanup))` are called, arrays of run-time length go. Every jump says which blocks it leaves and
//! enters.

use super::FunctionLowering;
use base::{IndexVec, Span};
use csource::tree;
use program::{
    Action, Callee, Expr, ExprKind, HavocSource, LifetimeStep, NodeId, ProcedureId, VariableId, VariableKind,
};
use std::sync::Arc;

base::define_id!(
    /// A block of the procedure being lowered.
    ScopeId,
    "scope"
);

/// A block and the variables in memory that live in it.
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) parent: Option<ScopeId>,
    pub(super) variables: Vec<VariableId>,
    /// All that it declares.
    pub(super) declared: Vec<VariableId>,
}

base::define_id!(
    /// A variable whose scope is not left without a call (`__attribute__((cleanup))`).
    CleanupId,
    "cleanup"
);

/// The function is called with the address of the variable where its scope is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cleanup {
    /// What was declared before it and is still to be called then.
    outer: Option<CleanupId>,
    variable: VariableId,
    function: ProcedureId,
    scope: ScopeId,
}

/// A place control can jump to.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The node that a jump leads to.
    pub node: NodeId,
    /// In which block.
    pub scope: ScopeId,
    /// How many declarations of arrays of run-time length stand before it.
    arrays: usize,
    /// The last declaration before it, of those around it, with a function to call.
    cleanup: Option<CleanupId>,
}

impl<'a> FunctionLowering<'a> {
    /// Where a jump to the current node and block would go.
    pub fn here(&self) -> Target {
        self.jump_target(self.current)
    }

    /// Where a jump to a node of the current block would go.
    pub fn jump_target(&self, node: NodeId) -> Target {
        Target { node, scope: self.scope, arrays: self.declared_arrays.len(), cleanup: self.cleanup }
    }

    /// Enters a block: its variables in memory begin their lives.
    pub fn enter_scope(&mut self, variables: &[tree::VariableId], span: Span) {
        let declared: Vec<VariableId> =
            variables.iter().map(|&variable| self.declare_variable(variable, VariableKind::Local)).collect();
        let in_memory: Vec<VariableId> =
            declared.iter().copied().filter(|&id| self.linker.variables[id].in_memory).collect();
        for &variable in &in_memory {
            self.emit(Action::Lifetime { variable, step: LifetimeStep::Begin }, span);
        }
        self.scope = self.scopes.push(Scope { parent: Some(self.scope), variables: in_memory, declared });
    }

    /// Leaves the innermost block.
    pub fn leave_scope(&mut self, span: Span) {
        self.cleanup = self.clean_up(self.cleanup, None, Some(self.scope), span);
        let scope = &self.scopes[self.scope];
        let parent = scope.parent.expect("the outermost block is never left");
        let ending = scope.variables.clone();
        self.end_lives(&ending, span);
        self.end_length_arrays(self.scope, span);
        self.scope = parent;
    }

    /// A block is left; whether pointers to its arrays of run-time length are kept is decided when the program is
    /// complete. Those of the function's own block end with its call.
    fn end_length_arrays(&mut self, left: ScopeId, span: Span) {
        if self.length_arrays.is_empty() {
            return;
        }
        let arrays: Vec<VariableId> = self.length_arrays.values().copied().collect();
        for array in self.scopes[left].declared.clone() {
            if arrays.contains(&array) {
                let inside = self.declared_within(left, true);
                self.end_length_array(array, inside, span);
            }
        }
    }

    /// Control goes back before the declarations of arrays of run-time length without leaving their blocks: their lives
    /// end all the same, and nothing else's in these blocks.
    fn end_arrays_behind(&mut self, from: Target, to: Target, span: Span) {
        let passed = self.declared_arrays.get(to.arrays..from.arrays).unwrap_or_default().to_vec();
        for (scope, array) in passed {
            if self.is_within(from.scope, scope) && self.is_within(to.scope, scope) {
                let inside = self.declared_within(scope, false);
                self.end_length_array(array, inside, span);
            }
        }
    }

    fn end_length_array(&mut self, array: VariableId, inside: Vec<VariableId>, span: Span) {
        let mark = crate::lengths::mark(self.linker.left_arrays.len());
        self.linker.left_arrays.push(crate::lengths::LeftArray { array, inside });
        self.emit(Action::Unsupported(mark), span);
    }

    fn is_within(&self, inner: ScopeId, outer: ScopeId) -> bool {
        std::iter::successors(Some(inner), |&at| self.scopes[at].parent).any(|at| at == outer)
    }

    /// What the blocks in a block declare; with what it declares itself, or without.
    fn declared_within(&self, block: ScopeId, with_itself: bool) -> Vec<VariableId> {
        let is_inner = |scope: ScopeId| (with_itself || scope != block) && self.is_within(scope, block);
        let inner = self.scopes.iter_enumerated().filter(|(scope, _)| is_inner(*scope));
        inner.flat_map(|(_, scope)| scope.declared.clone()).collect()
    }

    /// The declaration of an array of run-time length is met.
    pub fn meet_length_array(&mut self, array: VariableId) {
        self.declared_arrays.push((self.scope, array));
    }

    fn end_lives(&mut self, variables: &[VariableId], span: Span) {
        for &variable in variables.iter().rev() {
            self.emit(Action::Lifetime { variable, step: LifetimeStep::End }, span);
        }
    }

    /// A declaration names a function to be called where its scope is left.
    pub fn guard(&mut self, variable: VariableId, function: ProcedureId) {
        let (outer, scope) = (self.cleanup, self.scope);
        self.cleanup = Some(self.cleanups.push(Cleanup { outer, variable, function, scope }));
    }

    /// Is there a function to call where the current place is left?
    pub fn is_guarded(&self) -> bool {
        self.cleanup.is_some()
    }

    /// The function returns: all its blocks are left.
    pub fn leave_all(&mut self, span: Span) {
        let mut cleanup = self.cleanup;
        let mut next = Some(self.scope);
        while let Some(scope) = next {
            cleanup = self.clean_up(cleanup, None, Some(scope), span);
            let ending = self.scopes[scope].variables.clone();
            self.end_lives(&ending, span);
            next = self.scopes[scope].parent;
        }
    }

    /// Calls the functions of what is left (of one block, or of all), the last declared first; not of what stands
    /// before the place that control goes to. Says which are still to come.
    pub(super) fn clean_up(
        &mut self,
        from: Option<CleanupId>,
        to: Option<CleanupId>,
        of: Option<ScopeId>,
        span: Span,
    ) -> Option<CleanupId> {
        let outer = |this: &Self, id: CleanupId| this.cleanups[id].outer;
        let stays: Vec<CleanupId> = std::iter::successors(to, |&id| outer(self, id)).collect();
        let mut next = from;
        while let Some(id) = next.filter(|id| !stays.contains(id)) {
            let Cleanup { outer, variable, function, scope } = self.cleanups[id];
            if of.is_some_and(|of| of != scope) {
                break;
            }
            let place = self.place_of(variable);
            let pointer = self.linker.session.types.pointer(place.ty);
            let address = Expr { kind: ExprKind::AddressOf(Box::new(place)), ty: pointer };
            let ty = self.linker.result_type(function);
            let result = (self.linker.session.types.get(ty) != &program::Type::Void).then(|| {
                let temporary = self.temporary(ty, span);
                self.place_of(temporary)
            });
            let callee = Callee::Direct(function);
            self.emit(Action::Call { result, callee, arguments: vec![address] }, span);
            next = outer;
        }
        next
    }

    /// Jumps from the current node: ends the lives in blocks that are left, begins those in blocks that are entered.
    pub fn jump(&mut self, to: Target, span: Span) {
        self.jump_from(self.here(), to, span);
    }

    fn jump_from(&mut self, from: Target, to: Target, span: Span) {
        (self.current, self.scope) = (from.node, from.scope);
        let (left, entered) = self.between(from.scope, to.scope);
        let mut cleanup = from.cleanup;
        for scope in left {
            cleanup = self.clean_up(cleanup, to.cleanup, Some(scope), span);
            let ending = self.scopes[scope].variables.clone();
            self.end_lives(&ending, span);
            self.end_length_arrays(scope, span);
        }
        // Back before a declaration of the same block.
        self.clean_up(cleanup, to.cleanup, None, span);
        self.end_arrays_behind(from, to, span);
        // The text of the jump is before its end, so that nothing declared is part of it (a `switch` goes on to its cases).
        let at = Span::new(span.start, span.start);
        for scope in entered {
            for variable in self.scopes[scope].declared.clone() {
                self.begin_by_jump(variable, at);
            }
        }
        self.emit_to(to.node, Action::Skip, span);
    }

    /// A jump leads into the block of a variable: it lives, and whatever it held when it lived before is gone (C11 6.2.4p6).
    fn begin_by_jump(&mut self, id: VariableId, span: Span) {
        let variable = &self.linker.variables[id];
        if variable.kind != VariableKind::Local || self.length_arrays.values().any(|&array| array == id) {
            return;
        }
        let action = match variable.in_memory {
            true => Action::Lifetime { variable: id, step: LifetimeStep::Begin },
            false => Action::Havoc { target: self.place_of(id), source: HavocSource::Indeterminate },
        };
        self.emit(action, span);
    }

    /// Jumps to a label, now or when it is known.
    pub fn jump_to_label(&mut self, label: tree::LabelId, span: Span) {
        self.pending.push((self.here(), label, span));
    }

    pub fn resolve_jumps(&mut self, labels: &IndexVec<tree::LabelId, tree::Label>) {
        for (from, label, span) in std::mem::take(&mut self.pending) {
            match self.labels.get(&label) {
                Some(&target) => self.jump_from(from, target, span),
                // Only after an error that `sema` has told.
                None => {
                    self.current = from.node;
                    let name = labels.get(label).map(|label| label.name.clone());
                    let name = name.or_else(|| self.label_names.get(&label).cloned());
                    let name = name.unwrap_or_else(|| Arc::from("?"));
                    self.unsupported(&format!("the label `{name}` is not defined"), span);
                }
            }
        }
    }

    /// Blocks to leave (innermost first) and to enter (outermost first) on the way from one block to another.
    fn between(&self, from: ScopeId, to: ScopeId) -> (Vec<ScopeId>, Vec<ScopeId>) {
        let outwards =
            |start: ScopeId| std::iter::successors(Some(start), |&scope| self.scopes[scope].parent);
        let around_target: Vec<ScopeId> = outwards(to).collect();
        let left: Vec<ScopeId> = outwards(from).take_while(|scope| !around_target.contains(scope)).collect();
        let common = outwards(from).find(|scope| around_target.contains(scope));
        let mut entered: Vec<ScopeId> =
            around_target.into_iter().take_while(|&scope| Some(scope) != common).collect();
        entered.reverse();
        (left, entered)
    }
}
