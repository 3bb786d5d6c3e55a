//! Configurations of a program (call stack and abstract values, never joined: as fine as trace partitioning can be) and the
//! steps between them, a modal transition system.
//!
//! A step is a must-step if every concrete state of the source has a successor in the target (SEEDS correction 9); all steps
//! together are the may-steps. Inputs are split at cuts, so that conditions on them are decided; where a condition stays open,
//! both sides are may-steps and the condition is blamed.

use super::atoms::split;
use super::classes::Classes;
use crate::cells::ObjectKind;
use crate::checks::Check;
use crate::context::Context;
use crate::described;
use crate::domain::number::Number;
use crate::domain::operators::Certainty;
use crate::domain::value::{Scalar, Value};
use crate::evaluate::{Evaluator, Location};
use crate::library::{self, CallSite, Effect};
use crate::lives;
use crate::refine;
use crate::relate;
use crate::settings::Missing;
use crate::state::State;
use crate::transfer::{InputLog, RESULT, Transfer};
use base::Span;
use program::{
    Action, AssumeReason, Callee, Edge, EdgeId, Expr, ExprKind, NodeId, Origin, ProcedureId, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A call that is under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    /// The calling procedure.
    pub procedure: ProcedureId,
    /// The call.
    pub edge: EdgeId,
    /// What was known of its plain variables when it was made.
    pub state: State,
}

/// Where a run is and what its variables can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The procedure that runs.
    pub procedure: ProcedureId,
    /// Where in it.
    pub node: NodeId,
    /// What is known.
    pub state: State,
    /// Calls under way, outermost first.
    pub callers: Vec<Caller>,
    /// Has the library function that runs written a global? Its call is one statement, and a change of state when it returns.
    pub has_written: bool,
}

/// Does a step write a global variable?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writes {
    Never,
    /// In some concrete states only, or it is not known.
    Perhaps,
    Always,
}

impl Writes {
    fn or(self, other: Writes) -> Writes {
        match (self, other) {
            (Writes::Always, _) | (_, Writes::Always) => Writes::Always,
            (Writes::Perhaps, _) | (_, Writes::Perhaps) => Writes::Perhaps,
            _ => Writes::Never,
        }
    }
}

/// The variables that the program itself mentions, which those of library functions are not.
pub fn named_by_the_program(program: &program::Program) -> FxHashSet<VariableId> {
    let mut named = FxHashSet::default();
    let mut see = |part: program::expr::Part<'_>| {
        if let program::expr::Part::Place(place, _) = part
            && let Some(id) = place_variable(place)
        {
            named.insert(id);
        }
    };
    let users = program.procedures.iter().filter(|procedure| procedure.origin == program::Origin::User);
    for edge in users.flat_map(|procedure| &procedure.body).flat_map(|body| &body.edges) {
        edge.action.visit(&mut see);
    }
    for initial in program.variables.iter().flat_map(|variable| &variable.initial) {
        if let program::InitialData::Value(value) = &initial.value {
            value.visit(&mut see);
        }
    }
    named
}

/// Which steps are changes of state, for formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Granularity {
    /// Statements that write a global variable, as the thesis has it, or allocated memory.
    #[default]
    Globals,
    /// Every statement: assignments, inputs, calls, returns.
    Statements,
    /// Arriving at a label.
    Labels,
}

/// Why a run cannot be followed further.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// Why a run could not be followed, in words.
    pub why: String,
    /// Where it could not.
    pub span: Span,
}

/// One step from a configuration to another.
#[derive(Clone, Debug)]
pub struct Move {
    /// The edge that was taken, if it was one.
    pub edge: Option<(ProcedureId, EdgeId)>,
    /// The configuration after the step.
    pub to: Configuration,
    /// Does every concrete state have it?
    pub is_must: bool,
    /// Is it a change of state?
    pub is_visible: bool,
    /// Inputs that were taken, in order.
    pub inputs: Vec<Number>,
}

/// What can happen next.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    /// The steps.
    pub moves: Vec<Move>,
    /// The run can end here; whether it must.
    pub ends: Option<bool>,
    /// No run that counts goes on from here.
    pub is_dead: bool,
    /// The run may go where it cannot be followed.
    pub doubt: Option<Doubt>,
    /// Variables in conditions that stayed open, with the values where they change.
    pub blamed: Vec<(VariableId, i128)>,
    /// The open condition.
    pub open: Option<Span>,
}

/// The rules of exploration.
pub struct Explorer<'a, 'p> {
    /// The program.
    pub context: &'a Context<'p>,
    /// Which steps are changes of state.
    pub granularity: Granularity,
    /// What functions without a body do.
    pub missing: Missing,
    /// See [`named_by_the_program`].
    pub named: FxHashSet<VariableId>,
    /// Where inputs for a class of variables are split.
    pub cuts: FxHashMap<u32, Vec<i128>>,
    /// Variables that are copied to each other.
    pub classes: Classes,
}

impl Explorer<'_, '_> {
    /// What can happen next.
    pub fn next(&self, from: &Configuration) -> Moves {
        let program = self.context.program;
        let graph = program.procedures[from.procedure].body.as_ref().expect("runs are in bodies");
        let node = &graph.nodes[from.node];
        let mut moves = Moves::default();
        if from.node == graph.exit {
            self.give_back(from, &mut moves);
            return moves;
        }
        if node.out.is_empty() {
            moves.ends = Some(true);
            return moves;
        }
        for &edge_id in &node.out {
            let edge = &graph.edges[edge_id];
            match &edge.action {
                Action::Assume { condition, expected, reason } => {
                    self.decide(from, (edge_id, edge), (condition, *expected, *reason), &mut moves);
                }
                _ => self.carry_out(from, (edge_id, edge), &mut moves),
            }
        }
        moves
    }

    fn at(&self, from: &Configuration, node: NodeId, state: State) -> Configuration {
        Configuration {
            procedure: from.procedure,
            node,
            state,
            callers: from.callers.clone(),
            has_written: from.has_written,
        }
    }

    fn is_labelled(&self, procedure: ProcedureId, node: NodeId) -> bool {
        let body = self.context.program.procedures[procedure].body.as_ref();
        body.is_some_and(|body| !body.nodes[node].labels.is_empty())
    }

    fn decide(
        &self,
        from: &Configuration,
        (edge_id, edge): (EdgeId, &Edge),
        (condition, expected, reason): (&Expr, bool, AssumeReason),
        moves: &mut Moves,
    ) {
        let mut log = Vec::new();
        let value =
            Evaluator { context: self.context, state: &from.state, log: Some(&mut log) }.value(condition);
        let is_safe = self.note_trouble(&log, value.is_none(), edge, moves);
        if value.is_none() {
            return;
        }
        let outcome = refine::is_decided(self.context, &from.state, condition).flatten();
        if outcome == Some(!expected) {
            moves.is_dead |= reason == AssumeReason::User;
            return;
        }
        if outcome.is_none() {
            self.blame(condition, moves);
            moves.open = Some(edge.span);
        }
        match refine::assume(self.context, &from.state, condition, expected) {
            Some(state) => {
                let is_visible =
                    self.granularity == Granularity::Labels && self.is_labelled(from.procedure, edge.to);
                moves.moves.push(Move {
                    edge: Some((from.procedure, edge_id)),
                    to: self.at(from, edge.to, state),
                    is_must: is_safe && outcome.is_some(),
                    is_visible,
                    inputs: Vec::new(),
                });
            }
            None => moves.is_dead |= reason == AssumeReason::User,
        }
    }

    /// Notes what may go wrong; says whether nothing can.
    fn note_trouble(&self, log: &[Check], fails: bool, edge: &Edge, moves: &mut Moves) -> bool {
        let found = log.iter().find(|check| check.certainty != Certainty::Excluded);
        if let Some(check) = found {
            let how = if fails { "" } else { "possible " };
            let why = format!("{how}{} in `{}`", check.kind.words(), check.about);
            moves.doubt = Some(Doubt { why, span: edge.span });
        } else if fails {
            moves.doubt = Some(Doubt { why: "undefined behaviour".into(), span: edge.span });
        }
        found.is_none() && !fails
    }

    /// The variables of an open condition and the constants they are compared with.
    fn blame(&self, condition: &Expr, moves: &mut Moves) {
        let mut variables = Vec::new();
        let mut constants = vec![0];
        condition.visit(&mut |part| match part {
            program::expr::Part::Place(place, _) => {
                if let program::PlaceBase::Variable(id) = place.base {
                    variables.push(id);
                }
            }
            program::expr::Part::Expr(Expr { kind: ExprKind::Integer(bits), ty }) => {
                if let Some(shape) = self.context.program.types.integer_shape(*ty) {
                    constants.push(shape.value(*bits));
                }
            }
            _ => {}
        });
        let op = match &condition.kind {
            ExprKind::Binary(op, ..) => Some(*op),
            _ => None,
        };
        if constants.len() > 1 {
            constants.remove(0);
        }
        for id in variables {
            for &constant in &constants {
                use program::BinaryOp::*;
                match op {
                    Some(Less | GreaterEqual) => moves.blamed.push((id, constant)),
                    Some(LessEqual | Greater) => moves.blamed.push((id, constant.saturating_add(1))),
                    _ => moves.blamed.extend([(id, constant), (id, constant.saturating_add(1))]),
                }
            }
        }
    }

    fn carry_out(&self, from: &Configuration, (edge_id, edge): (EdgeId, &Edge), moves: &mut Moves) {
        if let Action::Unsupported(what) = &edge.action {
            moves.doubt = Some(Doubt { why: format!("{what} has no meaning here"), span: edge.span });
            return;
        }
        // A dry run tells which inputs are asked for; each is then split, and the step is made for every combination.
        let inputs = InputLog::default();
        let mut log = Vec::new();
        let probe = self.once(from, (edge_id, edge), &inputs, &mut log);
        let asked = inputs.asked.borrow().clone();
        if let StepOutcome::Doubtful(doubt) = probe {
            moves.doubt = Some(doubt);
            return;
        }
        let fails = matches!(probe, StepOutcome::Undefined);
        let is_safe = self.note_trouble(&log, fails, edge, moves);
        if asked.is_empty() {
            self.add(from, (edge_id, edge), probe, (is_safe, Vec::new()), moves);
            return;
        }
        let cuts = self.cuts_for(edge);
        let parts: Vec<Vec<Number>> = asked
            .iter()
            .enumerate()
            .map(|(at, number)| split(number, cuts.get(at).map_or(&[], Vec::as_slice)))
            .collect();
        let mut choice = vec![0usize; parts.len()];
        loop {
            let chosen: Vec<Number> =
                choice.iter().zip(&parts).map(|(&at, parts)| parts[at].clone()).collect();
            let inputs = InputLog::default();
            inputs.forced.borrow_mut().extend(chosen.iter().cloned());
            let mut log = Vec::new();
            let outcome = self.once(from, (edge_id, edge), &inputs, &mut log);
            let is_safe = self.note_trouble(&log, matches!(outcome, StepOutcome::Undefined), edge, moves);
            self.add(from, (edge_id, edge), outcome, (is_safe, chosen), moves);
            let Some(at) = (0..parts.len()).find(|&at| choice[at] + 1 < parts[at].len()) else { break };
            choice[at] += 1;
            choice[..at].fill(0);
        }
    }

    /// Where the inputs of an edge are split, in the order they are asked for.
    fn cuts_for(&self, edge: &Edge) -> Vec<Vec<i128>> {
        let of = |id: VariableId| self.cuts.get(&self.classes.class(id)).cloned().unwrap_or_default();
        match &edge.action {
            Action::Havoc { target, .. } => match target.base {
                program::PlaceBase::Variable(id) => vec![of(id)],
                program::PlaceBase::Pointer(_) => vec![Vec::new()],
            },
            Action::Call { arguments, result, .. } => {
                // Results of missing functions are asked for first; `scanf` has no such result.
                let mut all: Vec<Vec<i128>> = Vec::new();
                if self.is_missing_call(edge) {
                    all.push(result.as_ref().and_then(place_variable).map(of).unwrap_or_default());
                    return all;
                }
                for argument in arguments {
                    let mut inner = argument;
                    while let ExprKind::Cast(operand) = &inner.kind {
                        inner = operand;
                    }
                    if let ExprKind::AddressOf(place) = &inner.kind
                        && let Some(id) = place_variable(place)
                        && self.context.program.variables[id].kind != program::VariableKind::StringLiteral
                    {
                        all.push(of(id));
                    }
                }
                all
            }
            _ => Vec::new(),
        }
    }

    fn is_missing_call(&self, edge: &Edge) -> bool {
        match &edge.action {
            Action::Call { callee: Callee::Direct(id), .. } => {
                let procedure = &self.context.program.procedures[*id];
                procedure.body.is_none() && procedure.known.is_none()
            }
            _ => false,
        }
    }

    fn add(
        &self,
        from: &Configuration,
        (edge_id, edge): (EdgeId, &Edge),
        outcome: StepOutcome,
        (mut is_must, inputs): (bool, Vec<Number>),
        moves: &mut Moves,
    ) {
        let mut to = match outcome {
            StepOutcome::Next(state) => self.at(from, edge.to, *state),
            StepOutcome::Into(configuration) => *configuration,
            StepOutcome::Ends => {
                moves.ends = Some(is_must);
                return;
            }
            StepOutcome::Undefined => return,
            StepOutcome::Doubtful(doubt) => {
                moves.doubt = Some(doubt);
                return;
            }
        };
        let (is_inside, enters) = (self.is_model(from.procedure), self.is_model(to.procedure));
        let is_visible = match self.granularity {
            Granularity::Globals => {
                let writes = self.writes_global(from, edge, &to);
                if writes == Writes::Perhaps {
                    let why = "it is not known whether this writes a global variable".to_owned();
                    moves.doubt = Some(Doubt { why, span: edge.span });
                }
                is_must &= writes != Writes::Perhaps;
                // A library function is one statement: see `give_back`.
                to.has_written |= is_inside && writes != Writes::Never;
                writes != Writes::Never && !is_inside
            }
            _ if is_inside || enters => false,
            Granularity::Statements => !matches!(edge.action, Action::Skip | Action::Lifetime { .. }),
            Granularity::Labels => self.is_labelled(to.procedure, to.node),
        };
        moves.moves.push(Move { edge: Some((from.procedure, edge_id)), to, is_must, is_visible, inputs });
    }

    /// Is it the body of a library function?
    fn is_model(&self, procedure: ProcedureId) -> bool {
        self.context.program.procedures[procedure].origin == program::Origin::Model
    }

    /// Is what lies there a global variable, or allocated memory?
    fn is_global_place(&self, location: &Location) -> Writes {
        let program = self.context.program;
        // Variables of library functions are none of the program's.
        let counts = |id: VariableId| {
            self.context.is_global(id)
                && program.variables[id].kind == program::VariableKind::Global
                && self.named.contains(&id)
        };
        match location {
            Location::Plain(id) => {
                if counts(*id) {
                    Writes::Always
                } else {
                    Writes::Never
                }
            }
            Location::Memory(pointers) if pointers.can_be_anything => Writes::Perhaps,
            Location::Memory(pointers) => {
                let (mut some, mut all) = (false, true);
                for (object, _) in pointers.targets() {
                    let is_one = match self.context.kind_of(*object) {
                        ObjectKind::Variable(id) => counts(id),
                        ObjectKind::Allocation(procedure, edge) => {
                            !lives::is_on_stack(self.context, procedure, edge)
                        }
                        ObjectKind::Procedure(_) => false,
                    };
                    some |= is_one;
                    all &= is_one;
                }
                match (some, all) {
                    (true, true) => Writes::Always,
                    (true, false) => Writes::Perhaps,
                    (false, _) => Writes::Never,
                }
            }
        }
    }

    /// Does the step write a global variable (whether or not the value changes)?
    fn writes_global(&self, from: &Configuration, edge: &Edge, to: &Configuration) -> Writes {
        let mut evaluator = Evaluator::new(self.context, &from.state);
        let at = |evaluator: &mut Evaluator<'_, '_>, place: &program::Place| match evaluator.locate(place) {
            Some(location) => self.is_global_place(&location),
            None => Writes::Perhaps,
        };
        match &edge.action {
            Action::Assign { target, .. } | Action::Havoc { target, .. } => at(&mut evaluator, target),
            // Entering a procedure writes nothing.
            Action::Call { .. } if to.callers.len() > from.callers.len() => Writes::Never,
            Action::Call { arguments, result, callee } => {
                let mut writes = result.as_ref().map_or(Writes::Never, |result| at(&mut evaluator, result));
                let values: Option<Vec<Value>> =
                    arguments.iter().map(|argument| evaluator.value(argument)).collect();
                let Some(values) = values else { return Writes::Perhaps };
                let known = match callee {
                    Callee::Direct(id) => {
                        let procedure = &self.context.program.procedures[*id];
                        match procedure.known {
                            Some(known) => Some(known),
                            // Opening a stream gives one and writes nothing of the program's.
                            None if opens_stream(procedure) => return writes,
                            None if procedure.body.is_some() => return writes.or(Writes::Perhaps),
                            // Without a body it changes nothing, or the run is not followed.
                            None => return writes,
                        }
                    }
                    Callee::Indirect(_) => None,
                };
                let transfer =
                    Transfer { context: self.context, procedure: from.procedure, log: None, inputs: None };
                let written = match known {
                    Some(known) => transfer.written_by(known, &values, arguments.len()),
                    None => (0..arguments.len()).map(|at| (at, Number::range(0, 1))).collect(),
                };
                for (at, bytes) in written {
                    let Some(Value::Pointer(pointers)) = values.get(at) else { continue };
                    let hit = self.is_global_place(&Location::Memory(pointers.clone()));
                    writes = writes.or(match (hit, bytes.single() == Some(0), bytes.contains(0)) {
                        (Writes::Never, ..) | (_, true, _) => Writes::Never,
                        (_, _, true) => Writes::Perhaps,
                        (hit, ..) => hit,
                    });
                }
                writes
            }
            _ => Writes::Never,
        }
    }

    fn once(
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
            return match transfer.known(&from.state, site, known) {
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
            if self.missing != Missing::Pure && !opens_stream(procedure) {
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
    fn give_back(&self, from: &Configuration, moves: &mut Moves) {
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

enum StepOutcome {
    Next(Box<State>),
    Into(Box<Configuration>),
    Ends,
    Undefined,
    Doubtful(Doubt),
}

pub(super) fn place_variable(place: &program::Place) -> Option<VariableId> {
    match place.base {
        program::PlaceBase::Variable(id) => Some(id),
        program::PlaceBase::Pointer(_) => None,
    }
}

/// Is it a library function that opens a stream?
fn opens_stream(procedure: &program::Procedure) -> bool {
    procedure.origin == Origin::Model && matches!(&*procedure.name, "fopen" | "fdopen" | "tmpfile" | "popen")
}
