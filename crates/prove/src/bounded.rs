//! Bounded model checking: the symbolic walk (`explorer`) is deepened round by round until nothing is left of
//! it (the property holds), or a goal can be reached and the interpreter confirms it (it is violated). After
//! Biere et al. 1999, Clarke, Kroening, Lerda 2004, with paths merged where they meet and one incremental
//! solver for all depths.
//!
//! Worked example: `n = input(); while (n > 0) n -= 2; assert(n == 0);`. With one round, the walk has left
//! the loop at once (path condition `n <= 0`, goal `n != 0`) or after a round; the solver gives `n = -1` for
//! the first goal, and the interpreter, run on that input, fails at the assertion: violated. Were the loop
//! `while (n > 0 && n < 6)`, three rounds would be all there are: what is postponed cannot happen, and
//! without a goal that can the property holds.
//!
//! Twin: `concrete` runs every counterexample; random programs are compared with all their runs
//! (`bench-verify-fuzz`).

use crate::checker::Checker;
use crate::explorer::{Explorer, Goal, GoalKind, PathInput, Pending, StopRule};
use crate::replay::{PlannedInputs, Replayed, replay};
use crate::settings::Settings;
use base::{Budget, Exhausted, Span};
use concrete::{InputShape, Interpreter};
use logic::{Answer, TermId};
use program::Program;
use question::unwritten::Fill;
use question::{Property, Violation};
use symbolic::{Encoder, Meaning};
use verdict::{Reason, Undecided};

/// How far a deepening came.
pub enum Deepened {
    /// Nothing is left: all runs were seen.
    Complete,
    /// Some loops or calls go on beyond the bound.
    Bounded,
    /// A run violates the property.
    Violated(Box<Violation>),
    /// A limit was reached.
    Exhausted(Exhausted),
}

/// The search.
pub struct BoundedSearch<'p, 'a> {
    /// The walk.
    pub explorer: Explorer<'p, 'a>,
    checker: Checker,
    interpreter: Interpreter<'p>,
    program: &'p Program,
    property: &'a Property,
    settings: &'a Settings,
    /// Why the search alone cannot say that the property holds, though it saw every run.
    pub obstacles: Vec<Reason>,
    refused: u32,
    /// Where the walk was held back before it went on.
    last_held_back: Option<(Span, String)>,
}

/// Goals are asked about together; more at once make models larger, fewer make more questions.
const GOALS_AT_ONCE: usize = 32;
/// Counterexamples that the interpreter refuses, before such goals are no longer tried.
const MOST_REFUSALS: u32 = 20;

impl<'p, 'a> BoundedSearch<'p, 'a> {
    /// Begins at `main`. Reads of memory that was never written are looked for if that is asked.
    pub fn new(
        program: &'p Program,
        meaning: &'p Meaning<'p>,
        property: &'a Property,
        settings: &'a Settings,
        watch_unwritten: bool,
    ) -> Option<BoundedSearch<'p, 'a>> {
        let main = program.main?;
        let mut encoder = Encoder::new(meaning);
        encoder.watch.arithmetic = property.watches_arithmetic();
        encoder.watch.unknown_overflow = property.endless_runs;
        encoder.watch.uninitialised = watch_unwritten;
        let (state, effect) = encoder.initial_state();
        let mut obstacles = Vec::new();
        for failure in effect.failures {
            let construct =
                failure.detail.map_or_else(|| failure.kind.words().to_owned(), |detail| detail.to_string());
            let why = Reason::NotSupported { construct, at: failure.span };
            obstacles.push(why);
        }
        let mut explorer = Explorer::new(encoder, property, settings.missing, StopRule::Rounds(1));
        explorer.begin_at(main, state);
        Some(BoundedSearch {
            explorer,
            checker: Checker::default(),
            interpreter: Interpreter::new(program),
            program,
            property,
            settings,
            obstacles,
            refused: 0,
            last_held_back: None,
        })
    }

    /// Questions asked of the solver.
    pub fn queries(&self) -> u64 {
        self.checker.queries
    }

    /// Walks on until loops have made so many rounds.
    pub fn deepen(&mut self, rounds: u32, budget: &Budget) -> Deepened {
        self.explorer.stop = StopRule::Rounds(rounds);
        self.last_held_back = self.held_back();
        for pending in std::mem::take(&mut self.explorer.postponed) {
            self.explorer.resume(pending);
        }
        let mut since_check = 0u32;
        while self.explorer.advance() {
            since_check += 1;
            if since_check.is_multiple_of(16)
                && let Err(exhausted) = self.explorer.encoder.terms.pool.check(budget)
            {
                return Deepened::Exhausted(exhausted);
            }
            for pending in std::mem::take(&mut self.explorer.new_rounds) {
                match self.is_possible(&pending, budget) {
                    Answer::Unsat => {}
                    _ => self.explorer.resume(pending),
                }
            }
            if self.explorer.goals.len() >= GOALS_AT_ONCE
                && let Some(end) = self.settle_goals(budget)
            {
                return end;
            }
        }
        if let Some(end) = self.settle_goals(budget) {
            return end;
        }
        let postponed = std::mem::take(&mut self.explorer.postponed);
        for pending in postponed {
            match self.is_possible(&pending, budget) {
                Answer::Unsat => {}
                _ => self.explorer.postponed.push(pending),
            }
        }
        if let Err(exhausted) = budget.check() {
            return Deepened::Exhausted(exhausted);
        }
        if self.explorer.postponed.is_empty() { Deepened::Complete } else { Deepened::Bounded }
    }

    /// For each state that is held back: inputs that lead there, if there are some.
    pub fn inputs_of_postponed(&mut self, budget: &Budget) -> Vec<crate::depth::InputList> {
        let guards: Vec<TermId> = self.explorer.postponed.iter().map(|pending| pending.guard).collect();
        let mut found = Vec::new();
        for guard in guards {
            if self.checker.ask(&mut self.explorer.encoder, &[guard], budget) == Answer::Sat
                && let Some(model) = self.checker.model(&mut self.explorer.encoder)
            {
                let pool = &self.explorer.encoder.terms.pool;
                found.push(PlannedInputs::under(&model, pool, &self.explorer.inputs).into_list());
            }
        }
        found
    }

    /// Where the walk was held back, for people.
    pub fn held_back(&self) -> Option<(Span, String)> {
        let Some(pending) = self.explorer.postponed.first() else { return self.last_held_back.clone() };
        let level = pending.stack.last()?;
        let procedure = &self.program.procedures[level.procedure];
        let node = &procedure.body.as_ref()?.nodes[level.node];
        let what = if level.rounds.is_empty() { "the recursion of" } else { "a loop in" };
        let span = crate::explorer::users_place(self.program, &pending.stack, node.span);
        Some((span, format!("{what} `{}`", procedure.name)))
    }

    fn is_possible(&mut self, pending: &Pending, budget: &Budget) -> Answer {
        match self.explorer.encoder.terms.truth(pending.guard) {
            Some(true) => Answer::Sat,
            Some(false) => Answer::Unsat,
            None => self.checker.ask(&mut self.explorer.encoder, &[pending.guard], budget),
        }
    }

    /// Asks about all goals met so far. `Some` if that ends the search.
    fn settle_goals(&mut self, budget: &Budget) -> Option<Deepened> {
        let goals = std::mem::take(&mut self.explorer.goals);
        let (errors, failures): (Vec<Goal>, Vec<Goal>) =
            goals.into_iter().partition(|goal| matches!(goal.kind, GoalKind::Error(_)));
        if let Some(end) = self.settle(errors, budget) {
            return Some(end);
        }
        self.settle(failures, budget)
    }

    fn settle(&mut self, mut goals: Vec<Goal>, budget: &Budget) -> Option<Deepened> {
        while !goals.is_empty() {
            let conditions: Vec<_> = goals.iter().map(|goal| goal.condition).collect();
            let any = self.explorer.encoder.terms.any(&conditions);
            match self.checker.ask(&mut self.explorer.encoder, &[any], budget) {
                Answer::Unsat => {
                    let never = self.explorer.encoder.terms.not(any);
                    self.checker.learn(&mut self.explorer.encoder, never);
                    return None;
                }
                Answer::Sat => {
                    let model = self.checker.model(&mut self.explorer.encoder)?;
                    let model = self.begun_alike(any, budget).unwrap_or(model);
                    let pool = &self.explorer.encoder.terms.pool;
                    let mut evaluator = logic::evaluate::Evaluator::new(&model);
                    let at = goals.iter().position(|goal| {
                        evaluator.evaluate(pool, goal.condition) == Ok(logic::model::Value::Bool(true))
                    });
                    // A model that meets no goal when evaluated is no model: nothing may rest on it.
                    let goal = goals.remove(at.unwrap_or(0));
                    if let Some(end) = self.meet(goal, &model, budget) {
                        return Some(end);
                    }
                }
                Answer::Unknown(reason) => {
                    if let Err(exhausted) = budget.check() {
                        return Some(Deepened::Exhausted(exhausted));
                    }
                    let goal = goals.remove(0);
                    let question = format!("{} ({reason:?})", self.in_words(&goal));
                    self.obstacles.push(Reason::SolverUnknown { question });
                    goals.clear();
                }
            }
        }
        None
    }

    /// A model in which local variables that were never written begin alike, if there are such and there is
    /// one.
    fn begun_alike(&mut self, any: TermId, budget: &Budget) -> Option<logic::Model> {
        let is_scalar = |taken: &&PathInput| {
            let pool = &self.explorer.encoder.terms.pool;
            taken.input.is_indeterminate && matches!(pool.sort(taken.input.symbol), logic::Sort::BitVec(_))
        };
        let unwritten: Vec<TermId> =
            self.explorer.inputs.iter().filter(is_scalar).map(|taken| taken.input.symbol).collect();
        if unwritten.is_empty() {
            return None;
        }
        for fill in [Fill::Zero, Fill::Pattern] {
            let mut assumptions = vec![any];
            let terms = &mut self.explorer.encoder.terms;
            for &symbol in &unwritten {
                let width = terms.pool.width(symbol);
                let bits = fill.bits(InputShape::Integer { width, signed: false })?;
                let number = terms.number(width, bits);
                assumptions.push(terms.equal(symbol, number));
            }
            if self.checker.ask(&mut self.explorer.encoder, &assumptions, budget) == Answer::Sat {
                return self.checker.model(&mut self.explorer.encoder);
            }
        }
        None
    }

    /// A goal can be reached, the solver says.
    fn meet(&mut self, goal: Goal, model: &logic::Model, budget: &Budget) -> Option<Deepened> {
        let is_error = matches!(goal.kind, GoalKind::Error(_));
        if self.refused >= MOST_REFUSALS {
            self.obstacles.push(self.reason_for(&goal, "it was not tried on real values"));
            return None;
        }
        let mut inputs =
            PlannedInputs::under(model, &self.explorer.encoder.terms.pool, &self.explorer.inputs);
        let settings = crate::replay::replay_settings(self.settings.missing, budget);
        let replayed = replay(&self.interpreter, self.program, self.property, &settings, &mut inputs);
        match replayed {
            Replayed::Confirmed(confirmed) => {
                let confirmed = crate::testing::shortened(
                    &self.interpreter,
                    self.program,
                    self.property,
                    self.settings,
                    budget,
                    *confirmed,
                );
                Some(Deepened::Violated(confirmed.found_by("bmc")))
            }
            Replayed::Refused(why) => {
                self.refused += u32::from(is_error);
                let why = self.reason_for(&goal, &why);
                self.obstacles.push(why);
                None
            }
        }
    }

    fn in_words(&self, goal: &Goal) -> String {
        let at = self.program.sources.location(goal.span).map_or_else(String::new, |at| format!(" at {at}"));
        match &goal.kind {
            GoalKind::Error(what) => format!("{what}{at}"),
            GoalKind::Failure(kind, _) => format!("there is {}{at}", kind.words()),
            GoalKind::MissingBody(_) => format!("there is {}{at}", symbolic::FailureKind::Unknown.words()),
        }
    }

    fn reason_for(&self, goal: &Goal, why: &str) -> Reason {
        use symbolic::FailureKind;
        match &goal.kind {
            GoalKind::Error(_) => Reason::NotConfirmed { why: format!("{}, but {why}", self.in_words(goal)) },
            GoalKind::MissingBody(procedure) => {
                let function = &self.program.procedures[*procedure].name;
                if program::Known::by_name(function).is_some() {
                    let construct = format!("`{function}` in proofs and in the search");
                    return Reason::NotSupported { construct, at: goal.span };
                }
                Reason::MissingBody { function: function.to_string(), called_at: goal.span }
            }
            GoalKind::Failure(FailureKind::Unknown, Some(detail)) => {
                Reason::NotSupported { construct: detail.to_string(), at: goal.span }
            }
            GoalKind::Failure(kind, _) => {
                let at = self
                    .program
                    .sources
                    .location(goal.span)
                    .map_or_else(String::new, |at| format!(" at {at}"));
                Reason::UnknownPast {
                    why: format!("{} is possible{at}, past which nothing is known ({why})", kind.words()),
                }
            }
        }
    }

    /// The answer when all runs were seen and yet something stands against "holds".
    pub fn undecided(&self) -> Option<Undecided> {
        let obstacle = self.obstacles.first()?;
        Some(Undecided::because(obstacle.clone()))
    }
}
