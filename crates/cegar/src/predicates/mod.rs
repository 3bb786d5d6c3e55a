//! Predicate abstraction to a Boolean program with recursion (BOOM 2.6, 4; THESIS 1.6): the loop of abstraction, check, and refinement.
//!
//! Reading order: [`keep`] (which procedures stay procedures) → [`divide`] (cut points and blocks) → `predicate::procedure` (the Boolean program) →
//! `boolprog::summaries` (the check) → [`follow`] (is its path one of the program?) → [`learn`], [`guess`] (predicates that exclude a path) →
//! [`proof`] (what a proof rests on).
//!
//! Sound: the Boolean program has every run of the program (see `predicate::procedure`), and a failure counts only if the interpreter
//! confirms it. Undefined behaviour is as in the other engines: a failure, unless gcc gives it a meaning and nobody asked.

pub mod divide;
pub mod follow;
pub mod guess;
pub mod keep;
pub mod learn;
pub mod proof;

use base::Budget;
use boolprog::summaries::{SummarySettings, prove_by_summaries};
use boolprog::{SearchResult, Setup};
use concrete::Interpreter;
use divide::Divided;
use follow::{Followed, follow};
use learn::Learner;
use logic::EmbeddedSolver;
use predicate::procedure::{Abstracter, BooleanProgram, Scopes};
use program::Program;
use prove::explorer::GoalKind;
use prove::finding::Proof;
use prove::replay::{PlannedInputs, Replayed, replay};
use prove::settings::Settings;
use question::Property;
use question::Violation;
use symbolic::Meaning;

/// What the loop ended with.
#[derive(Debug)]
pub enum Ended {
    /// The property holds.
    Proved(Proof),
    /// A run violates it.
    Violated(Box<Violation>),
    /// Neither was shown, for this reason.
    Stopped(String),
}

/// The end of the loop, with what it took.
#[derive(Debug)]
pub struct Report {
    /// The end.
    pub ended: Ended,
    /// Solver questions asked.
    pub queries: u64,
    /// The last Boolean program, as text.
    pub boolean: Option<String>,
    /// What the answer rests on.
    pub assumptions: Vec<String>,
}

/// More rounds than this, and the predicates lead nowhere.
const MOST_ROUNDS: usize = 200;

/// Abstracts, checks and refines until there is an answer.
pub fn prove(
    program: &Program,
    meaning: &Meaning<'_>,
    property: &Property,
    settings: &Settings,
    budget: &Budget,
) -> Report {
    let mut report =
        Report { ended: Ended::Stopped(String::new()), queries: 0, boolean: None, assumptions: Vec::new() };
    if program.missing_writes {
        report.ended = Ended::Stopped("functions without a body may write to memory".into());
        return report;
    }
    let mut divided = match Divided::of(program, meaning, property, settings, budget) {
        Ok(divided) => divided,
        Err(why) => {
            report.ended = Ended::Stopped(why);
            return report;
        }
    };
    let mut refinement = Refinement {
        scopes: Scopes::new(&divided.system),
        abstracter: Abstracter::new(),
        blocks: EmbeddedSolver::default(),
        queries: 0,
        last: None,
    };
    report.ended = refinement.run(&mut divided, property, settings, budget);
    report.queries = refinement.queries + refinement.abstracter.checks();
    report.assumptions.extend(divided.explorer.encoder.notes.iter().cloned());
    report.boolean =
        refinement.last.map(|boolean| boolprog::syntax::print(&boolprog::graph::to_tree(&boolean.program)));
    report
}

struct Refinement {
    scopes: Scopes,
    abstracter: Abstracter,
    /// A solver for questions about blocks.
    blocks: EmbeddedSolver,
    queries: u64,
    last: Option<BooleanProgram>,
}

impl Refinement {
    fn run(
        &mut self,
        divided: &mut Divided<'_, '_>,
        property: &Property,
        settings: &Settings,
        budget: &Budget,
    ) -> Ended {
        for _ in 0..MOST_ROUNDS {
            let boolean = match self.abstracted(divided, budget) {
                Ok(boolean) => boolean,
                Err(limit) => return Ended::Stopped(limit.to_string()),
            };
            let boolean = self.last.insert(boolean);
            let Some(question) = Setup::copies_of_main(&boolean.program, 1, Some(1)) else {
                return Ended::Stopped("there is no `main`".into());
            };
            let settings_of_check = SummarySettings::default();
            let (found, invariant) =
                prove_by_summaries(&boolean.program, &question, settings_of_check, budget);
            let trace = match found.outcome {
                SearchResult::Holds => {
                    let Some(invariant) = invariant else {
                        return Ended::Stopped("the Boolean program's proof is missing".into());
                    };
                    return Ended::Proved(proof::proof(divided, &self.scopes, boolean, &invariant));
                }
                SearchResult::Undecided(undecided) => return Ended::Stopped(undecided.reason.to_string()),
                SearchResult::Violated(trace) => trace,
            };
            let (path, mut solver) = match follow(divided, boolean, &trace, budget) {
                Followed::Stopped(why) => return Ended::Stopped(why),
                Followed::Infeasible(path, solver) => (path, solver),
                Followed::Feasible(model, goals, inputs) => {
                    let pool = &divided.explorer.encoder.terms.pool;
                    let mut planned = PlannedInputs::under(&model, pool, &divided.explorer.inputs[inputs]);
                    let settings = prove::replay::settings(settings.missing, budget);
                    let interpreter = Interpreter::new(divided.program);
                    return match replay(&interpreter, divided.program, property, &settings, &mut planned) {
                        Replayed::Confirmed(confirmed) => Ended::Violated(Box::new(Violation {
                            what: confirmed.what,
                            check: confirmed.check,
                            span: confirmed.span,
                            inputs: confirmed.inputs,
                            run: confirmed.run,
                            steps: confirmed.steps,
                            engine: "predicates",
                        })),
                        Replayed::Refused(why) => Ended::Stopped(format!(
                            "a path to {} is possible, but its run does not show it: {why}",
                            words(divided.program, &goals)
                        )),
                    };
                }
            };
            let (count, inexact) = (self.scopes.count(), boolean.inexact);
            let mut learner = Learner {
                divided: &mut *divided,
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
            match learned {
                Err(why) => return Ended::Stopped(format!("{why}, with {count} predicates")),
                Ok(()) if added == 0 => {
                    let width = if inexact == 0 { "" } else { " (some blocks were abstracted coarsely)" };
                    return Ended::Stopped(format!("{count} predicates do not exclude a path again{width}"));
                }
                Ok(()) => {}
            }
        }
        Ended::Stopped(format!(
            "{} predicates after {MOST_ROUNDS} rounds are not enough",
            self.scopes.count()
        ))
    }

    fn abstracted(
        &mut self,
        divided: &mut Divided<'_, '_>,
        budget: &Budget,
    ) -> Result<BooleanProgram, base::Exhausted> {
        let mut names = proof::Names::default();
        let (system, points, ends) = (&divided.system, &divided.points, &divided.ends);
        // Names are made before the pool is lent out.
        let terms = &mut divided.explorer.encoder.terms;
        names.learn(divided.program, system, points, ends, &self.scopes, terms);
        let mut name = |cut, routine, predicate| names.of(system, cut, routine, predicate);
        self.abstracter.abstracted(system, &self.scopes, &mut terms.pool, &mut name, budget)
    }
}

/// What may have happened at the end of a path.
fn words(program: &Program, goals: &[prove::explorer::Goal]) -> String {
    let Some(goal) = goals.first() else { return "a failure".into() };
    let at = program.sources.location(goal.span).map_or_else(String::new, |at| format!(" at {at}"));
    match &goal.kind {
        GoalKind::Error(what) => format!("an error ({what}){at}"),
        GoalKind::Failure(kind, detail) => {
            format!("{}{at}", detail.as_deref().unwrap_or(kind.words()))
        }
    }
}
