//! Predicate abstraction to a Boolean program with recursion (BOOM 2.6, 4; THESIS 1.6): the loop of
//! abstraction, check, and refinement.
//!
//! Reading order: [`keep`] (which procedures stay procedures) → [`divide`] (cut points and blocks) →
//! `predicate::procedure` (the Boolean program) → `boolprog::summaries` (the check) → [`follow`] (is its path
//! one of the program?) → [`learn`], [`guess`] (predicates that exclude a path) → [`proof`] (what a proof
//! rests on).
//!
//! Sound: the Boolean program has every run of the program (see `predicate::procedure`), and a failure counts
//! only if the interpreter confirms it. Undefined behaviour is as in the other engines: a failure, unless gcc
//! gives it a meaning and nobody asked.

pub mod divide;
pub mod follow;
pub mod guess;
pub mod keep;
pub mod learn;
pub mod proof;
mod rounds;

use base::{Budget, EventSink};
use boolprog::summaries::{SummarySettings, prove_by_summaries};
use concrete::Interpreter;
use divide::Divided;
use follow::{Followed, Segment, follow};
use learn::Learner;
use logic::EmbeddedSolver;
use predicate::procedure::{Abstracter, BooleanProgram, Scopes};
use program::Program;
use prove::{Code, CodeEngine, CodeRequest, Goal, GoalKind, PlannedInputs, Replayed, gave_up, replay};
use question::{
    Answer, Checked, Decided, Monitor, MostRounds, Progress, Refinement, Validated, Violation,
    refine_until_decided,
};
use rounds::Told;
use std::rc::Rc;
use verdict::{Reason, Shape, Statistics, Undecided};

const NAME: &str = "predicates";

/// More rounds than this, and the predicates lead nowhere.
const MOST_ROUNDS: usize = 200;

/// Predicate abstraction to a Boolean program, with recursion.
pub const PREDICATES: CodeEngine =
    CodeEngine::new(NAME, "Predicate abstraction to a Boolean program, with recursion", by_predicates);

fn by_predicates(asked: &CodeRequest<'_, '_>) -> Answer {
    let CodeRequest { code, knowledge, budget, events } = *asked;
    let refused = |why: Reason| Answer::by(NAME, gave_up(NAME, why, budget));
    let mut abstraction = match Abstraction::of(code, budget, events) {
        Ok(abstraction) => abstraction,
        Err(why) => return refused(why),
    };
    let mut answer = match refine_until_decided(&mut abstraction, MostRounds::UNLIMITED, budget, events) {
        Ok(Decided::Proved(proof)) => {
            let mut answer = proof;
            answer.assume(abstraction.divided.explorer.encoder.notes.iter().cloned());
            answer
        }
        Ok(Decided::Violated(violation)) => Answer::by(NAME, violation),
        Err(undecided) => refused(undecided.reason),
    };
    knowledge.asked(abstraction.queries + abstraction.abstracter.checks());
    answer.rounds = std::mem::take(&mut abstraction.told).rounds;
    answer.boolean = abstraction.last.map(|boolean| {
        code.was_abstracted();
        boolprog::syntax::print(&boolprog::graph::to_tree(&boolean.program))
    });
    answer
}

/// The program by the predicates that are known.
struct Abstraction<'c, 'p> {
    code: &'c Code<'p>,
    events: &'c dyn EventSink,
    divided: Divided<'p, 'p>,
    scopes: Scopes,
    abstracter: Abstracter,
    /// A solver for questions about blocks.
    blocks: EmbeddedSolver,
    queries: u64,
    rounds: usize,
    /// What the rounds were, in words.
    told: Told,
    last: Option<Rc<BooleanProgram>>,
}

impl<'c, 'p> Abstraction<'c, 'p> {
    /// By no predicates.
    fn of(
        code: &'c Code<'p>,
        budget: &Budget,
        events: &'c dyn EventSink,
    ) -> Result<Abstraction<'c, 'p>, Reason> {
        if code.program.missing_writes {
            return Err(Shape::MissingBodiesWrite.into());
        }
        let meaning = code.meaning.ok_or(Shape::NoMeaning)?;
        let divided = Divided::of(code.program, meaning, code.property, code.settings, budget)?;
        Ok(Abstraction {
            code,
            events,
            scopes: Scopes::new(&divided.system),
            divided,
            abstracter: Abstracter::new(),
            blocks: EmbeddedSolver::default(),
            queries: 0,
            rounds: 0,
            told: Told::default(),
            last: None,
        })
    }

    /// The run of a path that can be taken, if the interpreter confirms that it fails.
    fn replayed(
        &self,
        mut planned: PlannedInputs,
        goals: &[Goal],
        budget: &Budget,
    ) -> Result<Box<Violation>, Reason> {
        let Code { program, property, settings, .. } = *self.code;
        let run_settings = prove::replay_settings(settings.missing, budget);
        let interpreter = Interpreter::new(program);
        match replay(&interpreter, program, property, &run_settings, &mut planned) {
            Replayed::Confirmed(confirmed) => Ok(confirmed.found_by(NAME)),
            Replayed::Refused(why) => {
                let failure = words(program, goals);
                let how = format!("a path to {failure} is possible, but its run does not show it: {why}");
                Err(Reason::RunDeparts { how })
            }
        }
    }
}

impl Refinement for Abstraction<'_, '_> {
    type Model = Rc<BooleanProgram>;
    type Proof = Answer;
    type Witness = boolprog::Trace;
    type Violation = Box<Violation>;
    /// The path as far as it can be taken, and a solver that knows what it supposes.
    type Cause = (Segment, Box<EmbeddedSolver>);

    /// The Boolean program with the calls of the program and a variable per predicate.
    fn abstraction(&mut self, budget: &Budget) -> Result<Rc<BooleanProgram>, Undecided> {
        let divided = &mut self.divided;
        let mut names = proof::Names::default();
        let (system, points, ends) = (&divided.system, &divided.points, &divided.ends);
        // Names are made before the pool is lent out.
        let terms = &mut divided.explorer.encoder.terms;
        names.learn(divided.program, system, points, ends, &self.scopes, terms);
        let mut name = |cut, routine, predicate| names.of(system, cut, routine, predicate);
        let boolean = self.abstracter.abstracted(system, &self.scopes, &mut terms.pool, &mut name, budget)?;
        let boolean = Rc::new(boolean);
        self.told.begin(&boolean);
        self.last = Some(boolean.clone());
        Ok(boolean)
    }

    /// Summaries of its procedures say whether it fails.
    fn check(
        &mut self,
        boolean: &mut Rc<BooleanProgram>,
        budget: &Budget,
    ) -> Result<Checked<Answer, boolprog::Trace>, Undecided> {
        let question = boolprog::Setup::copies_of_main(&boolean.program, 1, Some(1));
        let question = question.ok_or_else(|| Undecided::because(Shape::NoMain.into()))?;
        let (settings, monitor) = (SummarySettings::default(), Monitor { budget, events: self.events });
        let found =
            prove_by_summaries(&boolean.program, &question, settings, monitor, &mut Statistics::default())?;
        Ok(match found {
            Decided::Proved(invariant) => {
                Checked::Proved(proof::proof(&mut self.divided, &self.scopes, boolean, &invariant))
            }
            Decided::Violated(trace) => Checked::Witness(trace),
        })
    }

    /// The path is followed in the program itself, and its run by the interpreter.
    fn validate(
        &mut self,
        boolean: &mut Rc<BooleanProgram>,
        trace: &mut boolprog::Trace,
        budget: &Budget,
    ) -> Result<Validated<Box<Violation>, Self::Cause>, Undecided> {
        match follow(&mut self.divided, boolean, trace, budget) {
            Followed::Stopped(why) => Err(Undecided::because(why)),
            Followed::Infeasible(path, solver) => {
                self.told.spurious(&self.divided, &path);
                Ok(Validated::Spurious((path, solver)))
            }
            Followed::Feasible(model, goals, inputs) => {
                let explorer = &self.divided.explorer;
                let planned =
                    PlannedInputs::under(&model, &explorer.encoder.terms.pool, &explorer.inputs[inputs]);
                self.replayed(planned, &goals, budget).map(Validated::Real).map_err(Undecided::because)
            }
        }
    }

    /// Predicates that exclude the path.
    fn refine(
        &mut self,
        boolean: Rc<BooleanProgram>,
        _: boolprog::Trace,
        (path, mut solver): Self::Cause,
        budget: &Budget,
    ) -> Result<(), Undecided> {
        let (count, inexact) = (self.scopes.count(), boolean.inexact);
        let mut learner = Learner {
            divided: &mut self.divided,
            scopes: &mut self.scopes,
            path: &mut solver,
            blocks: &mut self.blocks,
            queries: 0,
            added: 0,
            asked: Vec::new(),
        };
        let learned = learner.exclude(&path, budget);
        let (queries, added) = (learner.queries, learner.added);
        self.queries += queries;
        self.rounds += 1;
        let why = match learned {
            Err(Reason::NoPredicates { why }) => format!("{why}, with {count} predicates"),
            Err(why) => return Err(Undecided::because(why)),
            Ok(()) if added == 0 => {
                let width = if inexact == 0 { "" } else { " (some blocks were abstracted coarsely)" };
                format!("{count} predicates do not exclude a path again{width}")
            }
            Ok(()) if self.rounds >= MOST_ROUNDS => {
                format!("{} predicates after {MOST_ROUNDS} rounds are not enough", self.scopes.count())
            }
            Ok(()) => return Ok(()),
        };
        Err(Undecided::because(Reason::NoPredicates { why }))
    }

    fn progress(&self) -> Progress {
        Progress { distinctions: self.scopes.count(), states: self.divided.system.cuts.len() }
    }
}

/// What may have happened at the end of a path.
fn words(program: &Program, goals: &[Goal]) -> String {
    let Some(goal) = goals.first() else { return "a failure".into() };
    let at = program.sources.location(goal.span).map_or_else(String::new, |at| format!(" at {at}"));
    match &goal.kind {
        GoalKind::Error(what) => format!("an error ({what}){at}"),
        GoalKind::Failure(kind, detail) => {
            format!("{}{at}", detail.as_deref().unwrap_or(kind.words()))
        }
        GoalKind::MissingBody(id) => format!("`{}`, which has no body{at}", program.procedures[*id].name),
    }
}
