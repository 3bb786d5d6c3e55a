//! Configurations of a program (call stack and abstract values, never joined: as fine as trace partitioning
//! can be) and the steps between them, a modal transition system.
//!
//! A step is a must-step if every concrete state of the source has a successor in the target (SEEDS
//! correction 9); all steps together are the may-steps. Inputs are split at cuts, so that conditions on them
//! are decided; where a condition stays open, both sides are may-steps and the condition is blamed.

use super::atoms::split;
use super::calls::StepOutcome;
use super::classes::Classes;
use super::writes::{Writes, place_variable};
use crate::checks::Check;
use crate::context::Context;
use crate::domain::number::Number;
use crate::domain::operators::Certainty;
use crate::evaluate::Evaluator;
use crate::library;
use crate::refine;
use crate::settings::MissingEffect;
use crate::state::State;
use crate::transfer::InputLog;
use base::Span;
use program::{Action, AssumeReason, Callee, Edge, EdgeId, Expr, ExprKind, NodeId, ProcedureId, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A call that is under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    /// The calling procedure.
    pub procedure: ProcedureId,
    /// The step that calls.
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
    /// Has the library function that runs written a global? Its call is one statement, and a change of state
    /// when it returns.
    pub has_written: bool,
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
    /// The steps that are followed.
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
    /// The program, with the tables that the analysis has of it.
    pub context: &'a Context<'p>,
    /// Which steps are changes of state.
    pub granularity: Granularity,
    /// What functions without a body do.
    pub missing: MissingEffect,
    /// See [`named_by_the_program`](super::writes::named_by_the_program).
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

    pub(super) fn is_labelled(&self, procedure: ProcedureId, node: NodeId) -> bool {
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
    pub(super) fn note_trouble(&self, log: &[Check], fails: bool, edge: &Edge, moves: &mut Moves) -> bool {
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
            program::expr::ExprPart::Place(place, _) => {
                if let program::PlaceBase::Variable(id) = place.base {
                    variables.push(id);
                }
            }
            program::expr::ExprPart::Expr(Expr { kind: ExprKind::Integer(bits), ty }) => {
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
        // A dry run tells which inputs are asked for; each is then split, and the step is made for every
        // combination.
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
                    if let ExprKind::AddressOf(place) = &library::uncast(argument).kind
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
    pub(super) fn is_model(&self, procedure: ProcedureId) -> bool {
        self.context.program.procedures[procedure].origin == program::Origin::Model
    }
}
