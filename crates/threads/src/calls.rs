//! Calls: those that have steps others see are copied, the rest stay calls.

use crate::call_facts::{concerns_threads, ends_the_run};
use crate::cells;
use crate::creations::repeats;
use crate::joins::JoinSite;
use crate::mode::{FrameId, Here, Mover, ThreadIndex};
use crate::sequential::Refusal;
use crate::shared::is_opaque;
use crate::weave::{Back, ENDED, Frame, Weaver};
use base::{Id, Span};
use program::{
    Action, BinaryOp, Callee, Edge, EdgeId, Expr, ExprKind, HavocSource, Known, LifetimeStep, NodeId, Place,
    PlaceBase, ProcedureId, Program, Type, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Calls of a function inside calls of itself that are copied.
const MOST_DEEP: usize = 3;
/// Nodes of the sequential program beyond which no such call is copied.
const MOST_NODES_TO_RECUR: usize = 10_000;

/// Calls that were copied, and threads that were made for calls.
#[derive(Default)]
pub struct CopiedCalls {
    frames: FxHashMap<(FrameId, EdgeId, ProcedureId), FrameId>,
    pub threads: FxHashMap<(FrameId, EdgeId, ProcedureId), Vec<(ThreadIndex, FrameId)>>,
    pub joins: Vec<JoinSite>,
}

impl Weaver<'_> {
    /// Copies a call.
    pub fn call(&mut self, here: Here, frame: FrameId, id: EdgeId, edge: &Edge) -> Result<(), Refusal> {
        let Action::Call { result, callee, arguments } = &edge.action else {
            unreachable!("only calls are copied as calls")
        };
        match callee {
            Callee::Direct(callee) => {
                self.call_of(here, frame, id, edge, *callee, result.as_ref(), arguments)
            }
            Callee::Indirect(pointer) => {
                let procedure = self.frames[frame].procedure;
                let thread = self.frames[frame].thread;
                let targets = self.points_to.targets(procedure, id).to_vec();
                if !targets.iter().any(|target| self.visible.contains(target)) {
                    let may_stay = targets.iter().any(|target| self.facts.endless.contains(target));
                    return self.stays_a_call(here, frame, edge, may_stay);
                }
                let mut here = here;
                for target in targets {
                    let address = Expr { kind: ExprKind::FunctionAddress(target), ty: pointer.ty };
                    let pointer = self.renamed(frame, pointer);
                    let is_it = self.terms.binary(BinaryOp::Equal, pointer, address);
                    let (yes, no) = self.branch(here, thread, is_it, edge.span);
                    self.call_of(yes, frame, id, edge, target, result.as_ref(), arguments)?;
                    here = no;
                }
                self.give_up(here, thread, "a call through a pointer to an unknown function", edge.span);
                Ok(())
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn call_of(
        &mut self,
        here: Here,
        frame: FrameId,
        id: EdgeId,
        edge: &Edge,
        callee: ProcedureId,
        result: Option<&Place>,
        arguments: &[Expr],
    ) -> Result<(), Refusal> {
        let procedure = &self.old.procedures[callee];
        let thread = self.frames[frame].thread;
        let is_error =
            |general: &crate::general::General| general.errors.iter().any(|name| **name == *procedure.name);
        if self.is_environment(thread) && self.general.is_some_and(is_error) {
            self.nobody(here.node);
            return Ok(());
        }
        let has_meaning = procedure.has_direct_meaning() || procedure.known.is_some_and(Known::is_marker);
        if let Some(known) = procedure.known.filter(|&known| has_meaning && concerns_threads(known)) {
            let result = result.map(|place| self.renamed_place(frame, place));
            return self.synchronise(here, frame, id, edge, known, result, arguments);
        }
        if self.visible.contains(&callee) && !is_opaque(self.old, callee) {
            let mut here = here;
            if procedure.is_atomic {
                let entry = self.body(callee)?.entry;
                here = self.begin_section(here, thread, (callee, entry));
            }
            return self.enter(here, frame, id, edge, callee, result, arguments);
        }
        if matches!(edge.action, Action::Call { callee: Callee::Indirect(_), .. }) {
            let action = self.renamed_action(frame, &edge.action);
            let Action::Call { result, arguments, .. } = action else { return Ok(()) };
            let direct = Action::Call { result, callee: Callee::Direct(callee), arguments };
            let here =
                if self.facts.endless.contains(&callee) { self.cut_if_past(here, thread) } else { here };
            let target = self.arrive(frame, edge.to, here.mode);
            self.graph.add_edge(here.node, target, direct, edge.span);
            return Ok(());
        }
        if is_opaque(self.old, callee) && !here.mode.is_alone {
            if procedure.known.is_some_and(ends_the_run) {
                if self.is_environment(thread) {
                    self.nobody(here.node);
                    return Ok(());
                }
                let here = self.before(here, thread, Mover::No, None);
                let here = match procedure.known {
                    Some(Known::Exit | Known::ExitNow | Known::Abort) => {
                        self.ends_with_others(here, thread, edge.span)
                    }
                    _ => here,
                };
                return self.stays_a_call(here, frame, edge, false);
            }
            let touched: Vec<&Expr> = arguments
                .iter()
                .filter(|value| self.shared.is_pointed_to(self.old, self.points_to, value))
                .collect();
            if !touched.is_empty() {
                return self.native(here, frame, edge, procedure.known, &touched);
            }
        }
        self.stays_a_call(here, frame, edge, self.facts.endless.contains(&callee))
    }

    /// A library function without a body is passed memory that others use.
    fn native(
        &mut self,
        here: Here,
        frame: FrameId,
        edge: &Edge,
        known: Option<Known>,
        touched: &[&Expr],
    ) -> Result<(), Refusal> {
        let thread = self.frames[frame].thread;
        for value in touched {
            self.log.all_behind(here.node, thread, value, self.old, self.points_to);
        }
        let is_quiet = touched.iter().all(|value| self.quiet.has_all_behind(self.old, self.points_to, value));
        // In an atomic section it is one step; for races, its accesses are not known one by one.
        if is_quiet || self.surveys || (here.mode.sections > 0 && !self.options.races) {
            return self.stays_a_call(here, frame, edge, false);
        }
        // To free a block is one step, whoever looks on.
        if matches!(known, Some(Known::Free)) && !self.options.races {
            let here = self.before(here, thread, Mover::No, None);
            return self.stays_a_call(here, frame, edge, false);
        }
        self.give_up(here, thread, "a library function works on memory that other threads use", edge.span);
        Ok(())
    }

    fn stays_a_call(
        &mut self,
        here: Here,
        frame: FrameId,
        edge: &Edge,
        may_stay: bool,
    ) -> Result<(), Refusal> {
        let thread = self.frames[frame].thread;
        let here = if may_stay { self.cut_if_past(here, thread) } else { here };
        let action = self.renamed_action(frame, &edge.action);
        let target = self.arrive(frame, edge.to, here.mode);
        self.graph.add_edge(here.node, target, action, edge.span);
        Ok(())
    }

    fn cut_if_past(&mut self, here: Here, thread: ThreadIndex) -> Here {
        let must_cut = here.mode.is_past || self.options.deadlocks;
        if must_cut && !here.mode.is_undisturbed() { self.cut(here, thread, None) } else { here }
    }

    /// Copies the body of what is called.
    #[allow(clippy::too_many_arguments)]
    pub fn enter(
        &mut self,
        here: Here,
        frame: FrameId,
        id: EdgeId,
        edge: &Edge,
        callee: ProcedureId,
        result: Option<&Place>,
        arguments: &[Expr],
    ) -> Result<(), Refusal> {
        let result = result.map(|place| self.renamed_place(frame, place));
        let back = Back { frame, to: edge.to, result, span: edge.span, first: Vec::new() };
        let arguments = self.renamed_arguments(frame, callee, arguments);
        self.enter_with(here, frame, id, callee, &arguments, back)
    }

    /// The same with arguments that are renamed already.
    pub fn enter_with(
        &mut self,
        here: Here,
        frame: FrameId,
        id: EdgeId,
        callee: ProcedureId,
        arguments: &[Expr],
        back: Back,
    ) -> Result<(), Refusal> {
        let (thread, span) = (self.frames[frame].thread, back.span);
        let depth = self.running(frame, callee);
        if depth > 0 && (depth > MOST_DEEP || self.graph.nodes.len() > MOST_NODES_TO_RECUR) {
            let name = &self.old.procedures[callee].name;
            let why = format!("`{name}` calls itself so deep, and has steps that other threads see");
            self.give_up(here, thread, &why, span);
            return Ok(());
        }
        if is_variadic(self.old, callee) {
            self.give_up(
                here,
                thread,
                "a function with a variable number of arguments has steps that other threads see",
                span,
            );
            return Ok(());
        }
        let within = self.frames[frame].procedure;
        let repeated = self.frames[frame].repeats || repeats(self.body(within)?, id);
        let own = match self.made.frames.get(&(frame, id, callee)) {
            Some(&own) => own,
            None => {
                let variables = self.own_copies(callee);
                let points_at = self.pointing_parameters(callee, arguments);
                let mut path = self.frames[frame].path.clone();
                path.push((id, callee));
                let own = self.frames.push(Frame {
                    thread,
                    procedure: callee,
                    variables,
                    back: Some(back),
                    repeats: repeated,
                    path,
                    points_at,
                });
                self.made.frames.insert((frame, id, callee), own);
                own
            }
        };
        let here = self.begin(here, own, arguments, span);
        let entry = self.body(callee)?.entry;
        self.go_on(here, own, entry, span);
        Ok(())
    }

    /// Parameters get their values; variables in memory begin to live.
    pub fn begin(&mut self, here: Here, frame: FrameId, arguments: &[Expr], span: Span) -> Here {
        let Frame { thread, procedure, .. } = self.frames[frame];
        let callee = &self.old.procedures[procedure];
        let mut here = here;
        for id in self.living(procedure) {
            let variable = self.renamed_variable(frame, id);
            here = self.step(here, thread, Action::Lifetime { variable, step: LifetimeStep::Begin }, span);
        }
        for (position, &parameter) in callee.parameters.iter().enumerate() {
            let ty = self.old.variables[parameter].ty;
            if self.points_to_own(frame, parameter) {
                continue;
            }
            let target = Place::variable(self.renamed_variable(frame, parameter), ty.id);
            let action = match arguments.get(position) {
                Some(value) => Action::Assign { target, value: value.clone().cast(ty.id) },
                None => Action::Havoc { target, source: HavocSource::Indeterminate },
            };
            here = self.step(here, thread, action, span);
        }
        here
    }

    /// Variables in memory that live as long as the call.
    pub fn living(&self, procedure: ProcedureId) -> Vec<VariableId> {
        let mut in_blocks = FxHashSet::default();
        for edge in self.old.procedures[procedure].body.iter().flat_map(|body| &body.edges) {
            if let Action::Lifetime { variable, .. } = &edge.action {
                in_blocks.insert(*variable);
            }
        }
        let all = self.kept_in_memory(procedure);
        all.into_iter().filter(|id| !in_blocks.contains(id)).collect()
    }

    /// Variables in memory that belong to a call, whether they live as long as it or as a block in it.
    pub fn kept_in_memory(&self, procedure: ProcedureId) -> Vec<VariableId> {
        let callee = &self.old.procedures[procedure];
        let all = callee.parameters.iter().chain(&callee.locals).copied();
        all.filter(|id| self.old.variables[*id].in_memory && !self.facts.handles.contains(id)).collect()
    }

    /// Parameters that point to a static variable, or to one of a call around this one, whatever happens in it.
    pub fn pointing_parameters(
        &self,
        callee: ProcedureId,
        arguments: &[Expr],
    ) -> FxHashMap<VariableId, Place> {
        let procedure = &self.old.procedures[callee];
        let mut known = FxHashMap::default();
        for (&parameter, value) in procedure.parameters.iter().zip(arguments) {
            let ExprKind::AddressOf(place) = &cells::uncast(value).kind else { continue };
            let PlaceBase::Variable(id) = place.base else { continue };
            let is_static = id.index() < self.old.variables.len()
                && self.old.variables[id].kind == program::VariableKind::Global
                && !self.old.variables[id].is_thread_local
                && !self.facts.handles.contains(&id);
            let is_fixed = place.path.iter().all(|step| match step {
                program::Projection::Field(..) => true,
                program::Projection::Index(index) => index.as_integer().is_some(),
            });
            let pointee = self.old.types.pointee(self.old.variables[parameter].ty.id);
            let is_same_type = pointee.is_some_and(|to| to.id == place.ty.id);
            let is_known = is_static && is_fixed || self.is_of_call(place);
            if is_known && is_same_type && !self.facts.written.contains(&parameter) {
                known.insert(parameter, (**place).clone());
            }
        }
        known
    }

    pub fn own_copies(&mut self, procedure: ProcedureId) -> FxHashMap<VariableId, VariableId> {
        let callee = &self.old.procedures[procedure];
        let mut copies = FxHashMap::default();
        for &id in callee.parameters.iter().chain(&callee.locals) {
            let mut variable = self.old.variables[id].clone();
            // Conditions speak of what a thread has loaded and not yet used; elsewhere that is nobody's concern.
            if self.general.is_some() || !matches!(variable.kind, program::VariableKind::Temporary) {
                variable.kind = program::VariableKind::Local;
            }
            variable.procedure = Some(self.main);
            variable.in_memory &= !self.facts.handles.contains(&id);
            let copy = self.new.variables.push(variable);
            self.new.procedures[self.main].locals.push(copy);
            self.originals.insert(copy, id);
            copies.insert(id, copy);
        }
        copies
    }

    /// Calls of a procedure that a call is inside of.
    fn running(&self, frame: FrameId, callee: ProcedureId) -> usize {
        let mut at = Some(frame);
        let mut count = 0;
        while let Some(frame) = at {
            count += usize::from(self.frames[frame].procedure == callee);
            at = self.frames[frame].back.as_ref().map(|back| back.frame);
        }
        count
    }

    /// The procedure ends.
    pub fn returns(
        &mut self,
        here: Here,
        frame: FrameId,
        value: Option<&Expr>,
        span: Span,
    ) -> Result<(), Refusal> {
        let Frame { thread, procedure, .. } = self.frames[frame];
        let value = value.map(|value| self.renamed(frame, value));
        let mut here = here;
        let Some(back) = self.frames[frame].back.clone() else {
            if thread.index() == 0 {
                let here = self.before(here, thread, Mover::No, None);
                let here = self.ends_with_others(here, thread, span);
                self.graph.add_edge(here.node, self.graph.exit, Action::Return { value }, span);
                return Ok(());
            }
            if let Some(value) = value {
                here = self.ends_with(here, thread, value, span);
            }
            here = self.no_destructors(here, thread, span);
            here = self.die(here, frame, self.living(procedure), span);
            self.set_counter(here, thread, ENDED);
            return Ok(());
        };
        if let Some(target) = back.result {
            let action = match value {
                Some(value) => Action::Assign { target, value },
                None => Action::Havoc { target, source: HavocSource::Indeterminate },
            };
            here = self.step(here, thread, action, span);
        }
        here = self.die(here, frame, self.living(procedure), span);
        for action in back.first {
            here = self.step(here, thread, action, span);
        }
        if self.old.procedures[procedure].is_atomic {
            here = self.end_section(here);
        }
        self.go_on(here, back.frame, back.to, back.span);
        Ok(())
    }

    /// An atomic section begins, at this place of the program.
    pub fn begin_section(&mut self, here: Here, thread: ThreadIndex, at: (ProcedureId, NodeId)) -> Here {
        // Who waits inside is not seen to wait.
        let mover = if self.options.deadlocks { Mover::No } else { self.quiet.section(at) };
        let is_first = here.mode.sections == 0;
        let mut here = self.before(here, thread, mover, None);
        if is_first && !here.mode.is_alone {
            here.mode.is_light = matches!(mover, Mover::Right | Mover::Both);
            self.log.section_starts.push((here.node, at));
        }
        here.mode.sections = here.mode.sections.saturating_add(1);
        here
    }

    /// An atomic section ends.
    pub fn end_section(&mut self, here: Here) -> Here {
        let mut mode = here.mode;
        mode.sections = mode.sections.saturating_sub(1);
        if mode.sections == 0 {
            mode.is_past |= !mode.is_alone && !mode.is_light;
            mode.is_light = false;
            self.log.section_ends.insert(here.node);
        }
        Here { mode, ..here }
    }

    pub fn ends_with(&mut self, here: Here, thread: ThreadIndex, value: Expr, span: Span) -> Here {
        let result = self.threads[thread].result;
        let ty = self.new.variables[result].ty.id;
        if !self.new.types.is_scalar(value.ty) {
            return here;
        }
        let target = Place::variable(result, ty);
        self.step(here, thread, Action::Assign { target, value: value.cast(ty) }, span)
    }

    /// Variables of a copied call die.
    pub fn die(&mut self, here: Here, frame: FrameId, variables: Vec<VariableId>, span: Span) -> Here {
        let thread = self.frames[frame].thread;
        let mut here = here;
        for id in variables {
            let action = Action::Lifetime { variable: id, step: LifetimeStep::End };
            here = self.before_access(here, frame, &action, span).unwrap_or(here);
            let action = self.renamed_action(frame, &action);
            here = self.step(here, thread, action, span);
        }
        here
    }

    /// The result of a call.
    pub fn give(
        &mut self,
        here: Here,
        thread: ThreadIndex,
        result: Option<&Place>,
        number: i64,
        span: Span,
    ) -> Here {
        let Some(target) = result else { return here };
        let value = Expr::integer(number as u128, target.ty.id, &self.new.types);
        self.step(here, thread, Action::Assign { target: target.clone(), value }, span)
    }
}

fn is_variadic(program: &Program, id: ProcedureId) -> bool {
    matches!(program.types.get(program.procedures[id].ty), Type::Function(function) if function.is_variadic)
}
