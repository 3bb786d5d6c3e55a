//! Ends of a run in words: where it was, what object is concerned, what is undefined or unknown.

use super::frames::Frame;
use super::{Halt, Machine, Step};
use crate::code::{CalleeCode, Home, NodeCode, StepCode};
use crate::machine::frames::Register;
use crate::memory::{Dead, Location, ObjectKind, Pointer, Slot, Stream, Tag};
use crate::outcome::{
    Limit, ObjectDescription, Owner, Place, RunOutcome, StackEntry, Touched, UndefinedKind, UndefinedReport,
    Unknown, UnknownReason,
};
use crate::settings::{OnUndefined, Uninitialised};
use base::Span;
use program::{EdgeId, Known, Origin, ProcedureId, VariableId, VariableKind};
use std::sync::Arc;

/// So many innermost and outermost calls of a deep stack are kept in reports.
const KEPT_CALLS: usize = 50;

/// So many tolerated reports are kept.
const KEPT_REPORTS: usize = 1000;

impl Machine<'_, '_> {
    /// Something undefined happens: stops, or notes it and goes on.
    #[cold]
    #[inline(never)]
    pub fn undefined(
        &mut self,
        kind: UndefinedKind,
        message: String,
        object: Option<ObjectDescription>,
    ) -> Step<()> {
        if self.settings.on_undefined == OnUndefined::Stop {
            return Err(self.undefined_always(kind, message, object));
        }
        let message = self.told_of_call(message);
        let span = self.span();
        let is_known = self.tolerated.iter().any(|report| report.kind == kind && report.place.span == span);
        if !is_known && self.tolerated.len() < KEPT_REPORTS {
            let report = self.report(kind, message, object, None);
            if let Some(observer) = &mut self.world.observer {
                observer.tolerated(&report);
            }
            self.tolerated.push(report);
        }
        Ok(())
    }

    /// Something undefined happens that nobody can go on after.
    #[cold]
    #[inline(never)]
    pub fn undefined_always(
        &mut self,
        kind: UndefinedKind,
        message: String,
        object: Option<ObjectDescription>,
    ) -> Halt {
        let message = self.told_of_call(message);
        let report = self.report(kind, message, object, None);
        self.end_with(RunOutcome::Undefined(Box::new(report)))
    }

    /// Memory is touched that must not be; nobody can go on after it.
    #[cold]
    #[inline(never)]
    pub fn touched(
        &mut self,
        kind: UndefinedKind,
        message: String,
        object: Option<ObjectDescription>,
        touched: Touched,
    ) -> Halt {
        let message = self.told_of_call(message);
        let report = self.report(kind, message, object, Some(touched));
        self.end_with(RunOutcome::Undefined(Box::new(report)))
    }

    fn report(
        &self,
        kind: UndefinedKind,
        message: String,
        object: Option<ObjectDescription>,
        touched: Option<Touched>,
    ) -> UndefinedReport {
        let library = self.called_library().map(|called| self.program.procedures[called].name.clone());
        UndefinedReport {
            kind,
            message,
            place: self.place(),
            object,
            step: self.users_step(),
            library,
            touched,
        }
    }

    /// Whose memory the object of a kind is.
    pub fn owner(&self, kind: &ObjectKind) -> (Owner, bool) {
        match kind {
            ObjectKind::Variable(variable) => {
                (Owner::Variable(*variable), self.memory.living_of(*variable) > 0)
            }
            ObjectKind::Heap(_) => (Owner::Block, self.memory.living_blocks().nth(1).is_some()),
            ObjectKind::Alloca => (Owner::StackBlock, true),
            _ => (Owner::NoData, true),
        }
    }

    /// The library function that runs or is called by the current step.
    fn called_library(&self) -> Option<ProcedureId> {
        if let Some((called, _)) = self.called_model() {
            return Some(called);
        }
        let code = self.code.procedures[self.frame.procedure].as_ref()?;
        let NodeCode::Step { step: StepCode::Call(call), .. } = &code.nodes[self.frame.node as usize] else {
            return None;
        };
        let CalleeCode::Direct(callee) = call.callee else { return None };
        let procedure = &self.program.procedures[callee];
        (procedure.origin != Origin::User || procedure.body.is_none()).then_some(callee)
    }

    /// The step of the user's code that the run is in.
    fn users_step(&self) -> Option<(ProcedureId, EdgeId)> {
        let is_library = |frame: &&Frame| self.program.procedures[frame.procedure].origin == Origin::Model;
        let mut frames = std::iter::once(&self.frame).chain(self.thread.frames.iter().rev());
        let frame = frames.find(|frame| !is_library(frame))?;
        let code = self.code.procedures[frame.procedure].as_ref()?;
        match &code.nodes[frame.node as usize] {
            NodeCode::Step { edge, .. } => Some((frame.procedure, *edge)),
            NodeCode::Branch { when_true, .. } => Some((frame.procedure, when_true.0)),
            NodeCode::Choice(ways) => ways.first().map(|way| (frame.procedure, way.edge)),
            NodeCode::End(_) => None,
        }
    }

    /// Inside a library function the call is told as well: `strcpy(out, v)`: 1 byte is written…
    fn told_of_call(&self, message: String) -> String {
        let Some((procedure, span)) = self.called_model().or_else(|| self.called_native()) else {
            return message;
        };
        let name = &self.program.procedures[procedure].name;
        let call = self.program.show().source_text(span);
        let is_call = call.starts_with(&**name) && call.ends_with(')') && call.len() <= 80;
        let call = if is_call { &*call } else { &**name };
        if message.starts_with("needs ") {
            format!("`{call}` {message}")
        } else {
            format!("`{call}`: {message}")
        }
    }

    /// A function whose description is followed by native code, if the current step calls one.
    fn called_native(&self) -> Option<(ProcedureId, Span)> {
        let code = self.code.procedures[self.frame.procedure].as_ref()?;
        let NodeCode::Step { step: StepCode::Call(call), .. } = &code.nodes[self.frame.node as usize] else {
            return None;
        };
        let CalleeCode::Direct(callee) = call.callee else { return None };
        let known = self.program.procedures[callee].known;
        let is_bytes = matches!(known, Some(Known::MemoryCopy | Known::MemoryMove | Known::MemorySet));
        is_bytes.then(|| (callee, self.span()))
    }

    /// Nothing is known about what happens next.
    #[cold]
    #[inline(never)]
    pub fn unknown(&mut self, reason: UnknownReason, message: String) -> Halt {
        let place = self.place();
        self.end_with(RunOutcome::Unknown(Unknown { reason, message, place }))
    }

    /// A limit is reached.
    #[cold]
    pub fn limit(&mut self, limit: Limit) -> Halt {
        let place = self.place();
        self.end_with(RunOutcome::LimitReached(limit, place))
    }

    /// Ends the run.
    pub fn end_with(&mut self, outcome: RunOutcome) -> Halt {
        self.outcome = Some(outcome);
        Halt
    }

    /// Where the running thread is.
    pub fn place(&self) -> Place {
        let frames = std::iter::once(&self.frame).chain(self.thread.frames.iter().rev());
        Place { thread: Some(self.current), span: self.span(), calls: self.call_stack(frames) }
    }

    /// Active calls, innermost first.
    pub fn call_stack<'f>(&self, frames: impl Iterator<Item = &'f Frame>) -> Vec<StackEntry> {
        let is_library = |frame: &&Frame| self.program.procedures[frame.procedure].origin == Origin::Model;
        let mut calls: Vec<StackEntry> = frames
            .skip_while(is_library)
            .filter(|frame| frame.returns != super::frames::ReturnTo::Nowhere)
            .map(|frame| StackEntry {
                procedure: frame.procedure,
                name: self.program.procedures[frame.procedure].name.clone(),
                span: self.span_in(frame),
            })
            .collect();
        if calls.len() > 2 * KEPT_CALLS {
            calls.drain(KEPT_CALLS..calls.len() - KEPT_CALLS);
        }
        calls
    }

    /// The source of the step a frame is at.
    pub fn span_in(&self, frame: &Frame) -> Span {
        if frame.returns == super::frames::ReturnTo::Nowhere {
            return Span::NOWHERE;
        }
        let procedure = &self.program.procedures[frame.procedure];
        let (Some(graph), Some(code)) = (&procedure.body, &self.code.procedures[frame.procedure]) else {
            return procedure.span;
        };
        if let NodeCode::End(span) = &code.nodes[frame.node as usize] {
            return *span;
        }
        let Some(edge) = self.edge_in(frame) else { return procedure.span };
        let span = graph.edges[edge].span;
        if span.is_nowhere() { graph.nodes[graph.edges[edge].from].span } else { span }
    }

    /// The step a frame is at.
    pub fn edge_in(&self, frame: &Frame) -> Option<EdgeId> {
        match &self.code.procedures[frame.procedure].as_ref()?.nodes[frame.node as usize] {
            NodeCode::Step { edge, .. } => Some(*edge),
            NodeCode::Branch { when_true, .. } => Some(when_true.0),
            NodeCode::Choice(ways) => ways.first().map(|way| way.edge),
            NodeCode::End(_) => None,
        }
    }

    /// A living object in words.
    pub fn describe_slot(&self, slot: Slot) -> ObjectDescription {
        let object = self.memory.object(slot);
        ObjectDescription {
            name: self.name_of(&object.kind),
            size: object.size() as u64,
            made_at: object.made_at,
            ended_at: None,
        }
    }

    /// A dead object in words.
    pub fn describe_dead(&self, dead: &Dead) -> ObjectDescription {
        ObjectDescription {
            name: self.name_of(&dead.kind),
            size: dead.size,
            made_at: dead.made_at,
            ended_at: Some(dead.ended_at),
        }
    }

    /// The object a pointer belongs to, dead or alive, in words.
    pub fn describe_pointer(&self, pointer: Pointer) -> Option<ObjectDescription> {
        match self.object_of(pointer) {
            Some(slot) => Some(self.describe_slot(slot)),
            None => self.memory.remembered(pointer.tag).map(|dead| self.describe_dead(dead)),
        }
    }

    fn name_of(&self, kind: &ObjectKind) -> String {
        match kind {
            ObjectKind::Variable(variable) => self.variable_in_words(*variable),
            ObjectKind::Heap(function) => format!("the block allocated by `{function}`"),
            ObjectKind::Alloca => "a block on the stack".to_owned(),
            ObjectKind::Function(procedure) => {
                format!("the function `{}`", self.program.procedures[*procedure].name)
            }
            ObjectKind::Stream(stream) => match stream {
                Stream::In => "the stream `stdin`".to_owned(),
                Stream::Out => "the stream `stdout`".to_owned(),
                Stream::Err => "the stream `stderr`".to_owned(),
                Stream::File => "an opened stream".to_owned(),
            },
            ObjectKind::Arguments(_) => "the variable arguments of a call".to_owned(),
            ObjectKind::ProgramArguments => "the program's arguments".to_owned(),
        }
    }

    /// A variable in words.
    pub fn variable_in_words(&self, variable: VariableId) -> String {
        let found = &self.program.variables[variable];
        match found.kind {
            VariableKind::Global => format!("the variable `{}`", found.name),
            VariableKind::Local => format!("the local variable `{}`", found.name),
            VariableKind::Parameter => format!("the parameter `{}`", found.name),
            VariableKind::StringLiteral => "a string literal".to_owned(),
            VariableKind::Temporary => {
                let folded = self.program.show().source_text(found.span);
                if folded.is_empty() || folded.len() > 60 {
                    "the value of an expression".to_owned()
                } else {
                    format!("the value of `{folded}`")
                }
            }
        }
    }

    /// A register of the frame has no value: reports it, and gives zero if the run goes on.
    #[cold]
    #[inline(never)]
    pub fn unwritten_register(&mut self, register: u32, mark: Tag) -> Step<Register> {
        let procedure = &self.program.procedures[self.frame.procedure];
        let variable = procedure
            .parameters
            .iter()
            .chain(&procedure.locals)
            .find(|&&variable| self.code.homes[variable] == Home::Register(register))
            .copied();
        let variable = variable.expect("every register belongs to a variable");
        self.no_value(variable, mark)
    }

    /// The result of a call is used that there is none of.
    pub fn no_result(&mut self, name: &str) -> Step<()> {
        let message = format!("{name} is used, but the function returned without a value");
        self.undefined(UndefinedKind::MissingReturnValue, message, None)
    }

    /// A variable outside memory without a value is read.
    pub fn no_value(&mut self, variable: VariableId, mark: Tag) -> Step<Register> {
        let name = self.variable_in_words(variable);
        if mark == Tag::NO_RESULT {
            self.no_result(&name)?;
            return Ok(Register::word(0));
        }
        if self.settings.uninitialised == Uninitialised::Input {
            let name = self.program.variables[variable].name.clone();
            return self.fill_register(variable, &name);
        }
        let object = ObjectDescription {
            name: name.clone(),
            size: self.program.types.size_of(self.program.variables[variable].ty.id).unwrap_or(0),
            made_at: self.program.variables[variable].span,
            ended_at: None,
        };
        let message = format!("{name} is read before it was given a value");
        self.undefined(UndefinedKind::UninitialisedRead, message, Some(object))?;
        Ok(Register::word(0))
    }

    /// Memory that was never written is read.
    #[cold]
    #[inline(never)]
    pub fn unwritten_memory(&mut self, at: Location, size: usize) -> Step<()> {
        let object = self.memory.object(at.slot);
        if object.is_external
            && let ObjectKind::Variable(variable) = object.kind
        {
            return self.external_bytes(at, size, variable);
        }
        if self.settings.uninitialised == Uninitialised::Input {
            let name = match self.memory.object(at.slot).kind {
                ObjectKind::Variable(variable) => self.program.variables[variable].name.clone(),
                _ => Arc::from("uninitialised"),
            };
            return self.fill_bytes(at, size, &name);
        }
        let description = self.describe_slot(at.slot);
        let part = if description.size == size as u64 {
            description.name.clone()
        } else {
            format!("offset {} of {}", at.offset, description.name)
        };
        let message = format!("{part} is read before it was given a value");
        self.undefined(UndefinedKind::UninitialisedRead, message, Some(description))
    }
}
