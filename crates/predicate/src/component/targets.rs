//! What is known only when a component is inlined: which functions its pointers lead to, what functions that
//! nobody sees may have written, and from the start what the program's initialisers let pointers point to.

use super::constants::never_changes;
use super::inline::{CallSite, Frame, GlobalsRule, Inliner, RawAction, RawEdge};
use super::memory::{ObjectPart, Selector, Target};
use super::{NoMeaning, NotUnderstood, stubs};
use program::types::FunctionType;
use program::{
    Expr, ExprKind, InitialData, Place, PlaceBase, ProcedureId, Projection, Type, TypeId, VariableId,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Inliner<'_> {
    /// Pointers in objects that never change point to what the initialisers say; others with static storage
    /// may do so.
    pub(super) fn fix_constants(&mut self) {
        let program = self.build.program;
        let mut globals: Vec<(VariableId, VariableId)> =
            self.globals.iter().map(|(&variable, &root)| (variable, root)).collect();
        globals.sort_unstable();
        let frame = Frame::default();
        let was_used = self.used_globals.borrow().clone();
        for (variable, root) in globals {
            let mut values: FxHashMap<Vec<Selector>, Expr> = FxHashMap::default();
            let mut is_clear = true;
            for initial in &program.variables[variable].initial {
                let path: Option<Vec<Selector>> = initial
                    .place
                    .path
                    .iter()
                    .map(|step| match step {
                        Projection::Field(record, index) => {
                            Some(Selector::Field(self.memory.own_record(*record), *index))
                        }
                        Projection::Index(index) => {
                            Some(Selector::Index(u64::try_from(index.as_integer()?).ok()?))
                        }
                    })
                    .collect();
                match (path, &initial.value) {
                    (Some(path), InitialData::Value(value))
                        if self.memory.types.is_pointer(initial.place.ty.id) =>
                    {
                        values.insert(path, self.renamed(value, &frame));
                    }
                    // Zero for a whole object: what was said about its parts before holds no longer.
                    (Some(path), InitialData::Value(Expr { kind: ExprKind::Zero, .. })) => {
                        values.retain(|known, _| !known.starts_with(&path));
                    }
                    (Some(_), InitialData::Bytes(_)) => {}
                    (Some(_), InitialData::Value(_)) if self.memory.types.is_scalar(initial.place.ty.id) => {}
                    _ => is_clear = false,
                }
            }
            let is_defined = !program.variables[variable].is_external;
            if !never_changes(&program.types, &program.variables[variable]) {
                if is_defined && is_clear && self.build.globals == GlobalsRule::Initialised {
                    self.memory.begins_with(root, values);
                    continue;
                }
                for (path, value) in values {
                    self.memory.may_begin_with(ObjectPart { root, path }, value);
                }
            } else if is_clear {
                self.memory.fix(root, values);
            }
        }
        *self.used_globals.borrow_mut() = was_used;
    }

    /// Notes which functions are called through pointers; true if there are new ones.
    pub(super) fn found_callees(&mut self) -> bool {
        // A function that only takes its own address is not known to others before it has run.
        let mut taken = stubs::address_taken(self.build.program);
        taken.retain(|_, taken| taken.by_others);
        let mut found: Vec<(CallSite, ProcedureId)> = Vec::new();
        let mut guessed: BTreeSet<(CallSite, ProcedureId)> = BTreeSet::new();
        let edges = std::mem::take(&mut self.edges);
        let files = self.files_of(&edges);
        for edge in &edges {
            let Some(super::origin::Origin::Step(procedure, step)) = edge.origin else { continue };
            for action in &edge.actions {
                let RawAction::Indirect { pointer, arguments, .. } = action else { continue };
                for target in self.memory.targets(pointer) {
                    match target {
                        Target::Function(callee) => found.push(((procedure, step), callee)),
                        // Whoever set the pointer may have taken the address of a function of the program.
                        Target::OutsideFunction => {
                            let fits = |callee: &&ProcedureId| self.fits(pointer.ty, *arguments, **callee);
                            let is_other = |callee: &&ProcedureId| **callee != self.build.procedure;
                            let is_own = self.is_static(pointer);
                            let is_known = |taken: &stubs::AddressTaken| {
                                !is_own || taken.files.is_empty() || !taken.files.is_disjoint(&files)
                            };
                            let known = taken.iter().filter(|(_, taken)| is_known(taken));
                            let fitting = known.map(|(callee, _)| callee).filter(fits).filter(is_other);
                            guessed.extend(fitting.map(|&callee| ((procedure, step), callee)));
                        }
                        Target::Null | Target::At(_) | Target::Unknown => {}
                    }
                }
            }
        }
        self.edges = edges;
        guessed.retain(|guess| !found.contains(guess));
        found.extend(guessed.iter().copied());
        self.guesses = guessed;
        let mut is_news = false;
        for (site, callee) in found {
            is_news |= self.callees.entry(site).or_default().insert(callee);
        }
        is_news
    }

    /// The files that the component's code is from.
    fn files_of(&self, edges: &[RawEdge]) -> BTreeSet<Arc<str>> {
        let steps = edges.iter().filter_map(|edge| match edge.origin {
            Some(super::origin::Origin::Step(procedure, _)) => Some(procedure),
            _ => None,
        });
        steps.chain([self.build.procedure]).filter_map(|procedure| self.file_of(procedure)).collect()
    }

    fn file_of(&self, procedure: ProcedureId) -> Option<Arc<str>> {
        let program = self.build.program;
        program.sources.location(program.procedures[procedure].span).map(|at| at.file)
    }

    /// Is the pointer in a variable with static storage? Only code of the same files writes that: components
    /// do not share their variables, or it is told.
    fn is_static(&self, pointer: &Expr) -> bool {
        let mut pointer = pointer;
        while let ExprKind::Cast(inner) = &pointer.kind {
            pointer = inner;
        }
        let ExprKind::Load(place) = &pointer.kind else { return false };
        let PlaceBase::Variable(variable) = place.base else { return false };
        self.globals.values().any(|&root| root == variable)
    }

    /// May a pointer of this type lead to the function, when it is called with so many arguments? Where the
    /// types do not fit, the call is undefined (C11 6.5.2.2).
    fn fits(&self, pointer: TypeId, arguments: usize, callee: ProcedureId) -> bool {
        let types = &self.memory.types;
        let wanted = types.pointee(pointer).map(|to| types.get(to.id));
        let own = types.get(self.build.program.procedures[callee].ty);
        let (Some(Type::Function(wanted)), Type::Function(own)) = (wanted, own) else { return true };
        if !self.memory.is_alike(wanted.result.id, own.result.id) {
            return false;
        }
        let open = |ty: &FunctionType| !ty.has_prototype;
        if open(wanted) || open(own) {
            return open(own) || own.parameters.len() == arguments;
        }
        wanted.parameters.len() == own.parameters.len()
            && wanted
                .parameters
                .iter()
                .zip(&own.parameters)
                .all(|(&one, &other)| self.memory.is_alike(one, other))
    }

    /// Functions that nobody sees write unknown values to whatever they can reach.
    pub(super) fn settle_clobbers(&mut self) {
        let is_clobber =
            |edge: &RawEdge| edge.actions.iter().any(|action| matches!(action, RawAction::Clobber { .. }));
        let places: Vec<usize> = (0..self.edges.len()).filter(|&at| is_clobber(&self.edges[at])).collect();
        if places.is_empty() {
            return;
        }
        let originals: Vec<RawEdge> = places.iter().map(|&at| self.edges[at].clone()).collect();
        loop {
            // What was written may be pointers, and lead further.
            let mut changed = false;
            for (&at, original) in places.iter().zip(&originals) {
                let edge = self.without_clobber(original);
                changed |= edge.actions.len() != self.edges[at].actions.len()
                    || edge.trouble != self.edges[at].trouble
                    || is_clobber(&self.edges[at]);
                self.edges[at] = edge;
            }
            if !changed {
                break;
            }
            self.settle_pointers();
        }
        for &at in &places {
            let edge = self.edges[at].clone();
            if let Some(super::origin::Origin::Step(procedure, step)) = edge.origin
                && let Some(site) = self.sites.get_mut(&(procedure, step))
                && site.ways.iter().any(is_clobber)
            {
                site.ways = vec![edge];
            }
        }
    }

    fn without_clobber(&mut self, original: &RawEdge) -> RawEdge {
        let mut edge = RawEdge { actions: Vec::new(), ..original.clone() };
        for action in &original.actions {
            let RawAction::Clobber { function, arguments } = action else {
                edge.actions.push(action.clone());
                continue;
            };
            match self.written_by(function, arguments) {
                Ok(places) => {
                    for target in places {
                        let source = function.clone();
                        edge.actions.push(RawAction::Unknown { target, source, fresh: None });
                    }
                }
                Err(why) => edge.trouble = Some(NoMeaning::NotSupported(why.to_string())),
            }
        }
        edge
    }

    /// The scalars that a function which nobody sees may write.
    fn written_by(&mut self, function: &str, arguments: &[Expr]) -> Result<Vec<Place>, NotUnderstood> {
        let program = self.build.program;
        let mut open: Vec<Target> = Vec::new();
        for argument in arguments {
            if self.memory.types.is_pointer(argument.ty) {
                open.extend(self.memory.targets(argument));
            } else if let ExprKind::Load(place) = &argument.kind
                && !self.memory.types.is_scalar(argument.ty)
            {
                for (spot, _) in self.memory.resolve(place).spots {
                    open.extend(self.pointers_in(&spot));
                }
            }
        }
        let used: Vec<VariableId> = self.used_globals.borrow().iter().copied().collect();
        for variable in used {
            let own = &program.variables[variable];
            // What only its own file or function can name is reached through pointers only.
            let is_visible = own.procedure.is_none() && !own.is_file_local;
            if own.kind == program::VariableKind::Global && is_visible {
                open.push(Target::At(ObjectPart { root: self.globals[&variable], path: Vec::new() }));
            }
        }
        let mut roots: BTreeSet<VariableId> = BTreeSet::new();
        while let Some(target) = open.pop() {
            match target {
                Target::Null | Target::OutsideFunction => {}
                Target::At(spot) => {
                    if roots.insert(spot.root) {
                        open.extend(self.pointers_in(&ObjectPart { root: spot.root, path: Vec::new() }));
                    }
                }
                Target::Function(callee) => {
                    let name = program.procedures[callee].name.trim_start_matches('*');
                    return Err(format!("`{function}` may call `{name}`, whose address it is given").into());
                }
                Target::Unknown => {
                    return Err(format!("`{function}` may write to a place that is not known").into());
                }
            }
        }
        let mut places = Vec::new();
        for root in roots {
            let is_constant = self
                .variables
                .get(&root)
                .is_some_and(|&id| never_changes(&program.types, &program.variables[id]));
            if is_constant {
                continue;
            }
            let ty = self.memory.roots[root].ty;
            let whole = Place::variable(root, ty);
            if matches!(self.memory.types.get(ty), Type::Void | Type::Function(_)) {
                continue;
            }
            let Some(scalars) = self.scalars_of(&whole) else {
                let name = &self.memory.roots[root].name;
                return Err(format!(
                    "`{function}` may write to `{name}`, which is too large or not understood"
                )
                .into());
            };
            places.extend(scalars);
        }
        Ok(places)
    }

    fn pointers_in(&mut self, spot: &ObjectPart) -> BTreeSet<Target> {
        let mut found = BTreeSet::new();
        let Some(ty) = self.memory.type_at(spot) else { return found };
        let Some(leaves) = self.memory.leaves(ty) else { return found };
        for leaf in leaves {
            let mut inner = spot.clone();
            inner.path.extend(leaf);
            let is_pointer = self.memory.type_at(&inner).is_some_and(|ty| self.memory.types.is_pointer(ty));
            if is_pointer {
                found.extend(self.memory.content(&inner));
            }
        }
        found
    }
}
