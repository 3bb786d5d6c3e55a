//! One step of a configuration, calls among them: into a body, back to the caller, or at once where the function's
//! meaning is known.

use super::explore::{Caller, Configuration, Doubt, Explorer, Granularity, Move, Moves};
use super::writes::{Writes, place_variable};
use crate::call::Call;
use crate::checks::Check;
use crate::described;
use crate::domain::value::Scalar;
use crate::evaluate::Evaluator;
use crate::library::{self, CallSite, Effect};
use crate::lives;
use crate::relate;
use crate::settings::MissingEffect;
use crate::state::State;
use crate::transfer::{InputLog, RESULT, Transfer};
use program::{Action, Callee, Edge, EdgeId, Origin, VariableId};

/// What becomes of a step.
pub(super) enum StepOutcome {
    /// It ends at the next place, in this state.
    Next(Box<State>),
    /// It leads into a procedure.
    Into(Box<Configuration>),
    /// The run ends.
    Ends,
    /// No run gets past it.
    Undefined,
    /// It is not followed.
    Doubtful(Doubt),
}

impl Explorer<'_, '_> {
    /// Carries a step out once, with the inputs that are given.
    pub(super) fn once(
        &self,
        from: &Configuration,
        (edge_id, edge): (EdgeId, &Edge),
        inputs: &InputLog,
        log: &mut Vec<Check>,
    ) -> StepOutcome {
        let context = self.context;
        let program = context.program;
        let mut transfer =
            Transfer { context, procedure: from.procedure, log: Some(log), inputs: Some(inputs) };
        let Action::Call { result, callee, arguments } = &edge.action else {
            return match transfer.step(&from.state, edge) {
                Some(state) => StepOutcome::Next(Box::new(state)),
                None => StepOutcome::Undefined,
            };
        };
        let site = CallSite {
            procedure: from.procedure,
            edge_id,
            edge,
            result: result.as_ref(),
            arguments,
            name: "",
        };
        let doubt = |why: String| StepOutcome::Doubtful(Doubt { why, span: edge.span });
        let target = match callee {
            Callee::Direct(id) => *id,
            Callee::Indirect(pointer) => {
                let Some(pointers) = transfer.evaluator(&from.state).pointers(pointer) else {
                    return StepOutcome::Undefined;
                };
                if pointers.can_be_anything || pointers.can_be_null {
                    return doubt("a call through a pointer that is not followed".into());
                }
                match transfer.procedures_in(&pointers)[..] {
                    [one] => one,
                    _ => return doubt("a call through a pointer with several targets".into()),
                }
            }
        };
        let procedure = &program.procedures[target];
        let site = CallSite { name: library::as_written(&procedure.name), ..site };
        if matches!(procedure.known, Some(program::Known::Fgets | program::Known::Fread)) {
            return doubt(format!("how much `{}` reads is not known", procedure.name));
        }
        if let Some(known) = procedure.known
            // A library function is one step here, whatever its description does on the way.
            && (procedure.has_direct_meaning() || procedure.body.is_none())
        {
            if matches!(known, program::Known::Setjmp | program::Known::Longjmp) {
                return doubt(format!("where `{}` leads is not followed", procedure.name));
            }
            let call = Call::new(&mut transfer, &from.state, site);
            return match call.and_then(|mut call| call.known(known)) {
                None => StepOutcome::Undefined,
                Some(Effect::Ends) => StepOutcome::Ends,
                Some(Effect::Returns(state)) => StepOutcome::Next(Box::new(state)),
                Some(Effect::Starts(..)) => {
                    doubt(format!("`{}` starts code at an unknown time", procedure.name))
                }
            };
        }
        // Streams are opaque here: opening one is a step whose result is open.
        if procedure.body.is_none() || opens_stream(procedure) {
            if self.missing != MissingEffect::Pure && !opens_stream(procedure) {
                let why = "how often it changes globals is not known (try --missing pure)";
                return doubt(format!("`{}` has neither a body nor a specification: {why}", procedure.name));
            }
            let mut after = from.state.clone();
            if transfer.arguments(&from.state, arguments).is_none() {
                return StepOutcome::Undefined;
            }
            let scalar = result.as_ref().and_then(|place| Scalar::of(place.ty.id, &program.types));
            let value = match scalar {
                Some(scalar) => {
                    let name =
                        result.as_ref().and_then(place_variable).map(|id| program.variables[id].name.clone());
                    match transfer.input(&mut after, edge, name.as_deref(), scalar) {
                        Some(value) => Some(value),
                        None => return StepOutcome::Undefined,
                    }
                }
                None => None,
            };
            return match transfer.give(&after, site, value) {
                Some(state) => StepOutcome::Next(Box::new(state)),
                None => StepOutcome::Undefined,
            };
        }
        if self.is_model(from.procedure) && !self.is_model(target) {
            return doubt("a library function calls back".into());
        }
        let is_active =
            from.procedure == target || from.callers.iter().any(|caller| caller.procedure == target);
        let keeps_memory = |id: &VariableId| program.variables[*id].in_memory && !context.is_global(*id);
        if is_active && procedure.parameters.iter().chain(&procedure.locals).any(keeps_memory) {
            // Two instances of one variable in memory would be taken for one.
            return doubt(format!("`{}` calls itself and has variables in memory", procedure.name));
        }
        if from.callers.len() > 200 {
            return doubt("calls are nested too deeply".into());
        }
        let Some(entry) = library::bind(&mut transfer, &from.state, target, arguments) else {
            return StepOutcome::Undefined;
        };
        let body = procedure.body.as_ref().expect("it has one");
        let mut callers = from.callers.clone();
        // Of the caller only its plain variables still hold when the call returns.
        let kept = State {
            locals: from.state.locals.clone(),
            relations: from.state.relations.clone(),
            ..State::default()
        };
        callers.push(Caller { procedure: from.procedure, edge: edge_id, state: kept });
        StepOutcome::Into(Box::new(Configuration {
            procedure: target,
            node: body.entry,
            state: entry,
            callers,
            has_written: from.has_written,
        }))
    }

    /// A procedure ends: its result goes to the caller.
    pub(super) fn give_back(&self, from: &Configuration, moves: &mut Moves) {
        let program = self.context.program;
        let mut callers = from.callers.clone();
        let Some(caller) = callers.pop() else {
            moves.ends = Some(true);
            return;
        };
        let edge = &program.procedures[caller.procedure].body.as_ref().expect("it called").edges[caller.edge];
        let Action::Call { result, arguments, .. } = &edge.action else { unreachable!("a caller calls") };
        let mut log = Vec::new();
        let mut transfer = Transfer {
            context: self.context,
            procedure: caller.procedure,
            log: Some(&mut log),
            inputs: None,
        };
        let mut after = State {
            locals: caller.state.locals.clone(),
            globals: from.state.globals.clone(),
            memory: from.state.memory.clone(),
            relations: caller.state.relations.clone(),
        };
        relate::forget_globals(self.context, &mut after);
        let called = &program.procedures[from.procedure];
        if described::is_lost(&from.state, called) {
            after.globals = Default::default();
            after.memory = Default::default();
        }
        described::come_back(&mut after, &from.state, called);
        let site = CallSite {
            procedure: caller.procedure,
            edge_id: caller.edge,
            edge,
            result: result.as_ref(),
            arguments,
            name: library::as_written(&called.name),
        };
        let value = transfer.returned(&after, site, from.state.locals.get(RESULT));
        // Variables in memory end with their procedure.
        let own = &program.procedures[from.procedure];
        for &id in own.parameters.iter().chain(&own.locals) {
            if program.variables[id].in_memory && !self.context.is_global(id) {
                crate::memory::forget_object(self.context, &mut after, self.context.object_of(id));
            }
        }
        let result_datum = from.state.locals.get(RESULT).cloned();
        let kept = std::mem::take(&mut after.locals);
        if let Some(result) = &result_datum {
            after.locals.insert(RESULT, result.clone());
        }
        lives::leave(self.context, &mut after, from.procedure);
        after.locals = kept;
        match transfer.give(&after, site, value) {
            Some(state) => {
                let is_safe = self.note_trouble(&log, false, edge, moves);
                let resulting = result.as_ref().map_or(Writes::Never, |result| {
                    let location = Evaluator::new(self.context, &after).locate(result);
                    location.map_or(Writes::Perhaps, |location| self.is_global_place(&location))
                });
                if resulting == Writes::Perhaps {
                    let why = "it is not known whether this writes a global variable".to_owned();
                    moves.doubt = Some(Doubt { why, span: edge.span });
                }
                let is_safe = is_safe && resulting != Writes::Perhaps;
                let stays_inside = self.is_model(caller.procedure);
                let writes = from.has_written || resulting != Writes::Never;
                let is_visible = match self.granularity {
                    _ if stays_inside => false,
                    Granularity::Globals => writes,
                    Granularity::Statements => true,
                    Granularity::Labels => self.is_labelled(caller.procedure, edge.to),
                };
                let has_written = stays_inside && writes;
                moves.moves.push(Move {
                    edge: None,
                    to: Configuration {
                        procedure: caller.procedure,
                        node: edge.to,
                        state,
                        callers,
                        has_written,
                    },
                    is_must: is_safe,
                    is_visible,
                    inputs: Vec::new(),
                });
            }
            None => {
                self.note_trouble(&log, true, edge, moves);
            }
        }
    }
}

/// Is it a library function that opens a stream?
pub(super) fn opens_stream(procedure: &program::Procedure) -> bool {
    procedure.origin == Origin::Model && matches!(&*procedure.name, "fopen" | "fdopen" | "tmpfile" | "popen")
}
