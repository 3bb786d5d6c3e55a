//! Which engine answers, and the same question to all that can.

use crate::analysis::call_shape;
use crate::certificate::Certificate;
use crate::concretise::concretise;
use crate::cover::{self, Recheck};
use crate::explicit::{ExplicitSettings, explore, replay};
use crate::graph::Program;
use crate::question::{Outcome, Question};
use crate::simplify::compress;
use crate::summaries::{
    Refused, SummarySettings, SummaryStatistics, check_by_summaries, prove_by_summaries, recheck,
};
use crate::threads::counters::Until;
use crate::threads::flat::flatten;
use crate::threads::recursion::{Rested, by_turns, check_bounded};
use crate::threads::stacks::Beyond;
use crate::threads::thread_state::{Compression, ThreadStates};
use crate::threads::{
    ThreadEngine, Unbounded, UnboundedQuestion, UnboundedSettings, callers, check, check_by_cutoff,
    engine::not_flat, unbounded,
};
use crate::trace::Trace;
use crate::unrolling::{UnrollingSettings, check_by_unrolling};
use base::Budget;
use verdict::{Reason, Statistics, Undecided};

/// An engine for questions with a bound on threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// State by state: any program, small ones.
    Explicit,
    /// Summaries as BDDs: one thread, recursion.
    Bdd,
    /// Summaries by SAT: one thread; recursion by nesting.
    Sat,
    /// Counter abstraction: several threads, no recursion.
    Threads(ThreadEngine),
    /// Counters, with stacks kept to a height and summarised or cut off above: several threads and recursion.
    Stacks,
}

impl Engine {
    /// All engines.
    pub const ALL: [Engine; 4 + ThreadEngine::ALL.len()] = {
        let mut all = [Engine::Explicit; 4 + ThreadEngine::ALL.len()];
        all[1] = Engine::Bdd;
        all[2] = Engine::Sat;
        all[3] = Engine::Stacks;
        let mut index = 0;
        while index < ThreadEngine::ALL.len() {
            all[4 + index] = Engine::Threads(ThreadEngine::ALL[index]);
            index += 1;
        }
        all
    };

    /// The name users see.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Explicit => "explicit",
            Engine::Bdd => "bdd",
            Engine::Sat => "sat",
            Engine::Threads(engine) => engine.name(),
            Engine::Stacks => "stacks",
        }
    }

    /// The engine of that name.
    pub fn named(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|engine| engine.name() == name)
    }

    /// Can it be asked this at all? If not, why not.
    pub fn objection(self, program: &Program, question: &Question) -> Option<&'static str> {
        match self {
            Engine::Explicit | Engine::Threads(_) | Engine::Stacks
                if question.most_threads.is_none() && program.has_threads() =>
            {
                Some("it needs a bound on threads")
            }
            Engine::Bdd | Engine::Sat if !question.is_sequential(program) => {
                Some("it takes one thread, and this question has several")
            }
            Engine::Threads(_) if has_recursion(program) => Some("it takes no recursion"),
            Engine::Stacks if !has_recursion(program) => Some("it is for programs with recursion"),
            _ => None,
        }
    }
}

/// Can a procedure call itself, directly or not?
pub fn has_recursion(program: &Program) -> bool {
    call_shape(program).is_recursive.iter().any(|&recursive| recursive)
}

/// Settings of all engines.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineSettings {
    /// Of the explicit engine.
    pub explicit: ExplicitSettings,
    /// Of the summaries by BDD.
    pub bdd: SummarySettings,
    /// Of the summaries by SAT.
    pub sat: UnrollingSettings,
    /// Should symbolic engines work on the program as it is, with all steps that do nothing?
    pub keep_empty_steps: bool,
}

/// An engine's answer.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The answer.
    pub outcome: Outcome,
    /// Who answered.
    pub engine: Engine,
    /// What it took.
    pub statistics: Statistics,
    /// The proof in words, if it was asked for and checked.
    pub certificate: Option<Certificate>,
    /// What a HOLDS rests on beyond the engine's own rules, in a sentence.
    pub rests_on: Option<String>,
}

/// The engine for a question by its shape, and why.
pub fn choose(program: &Program, question: &Question) -> (Engine, String) {
    if question.is_sequential(program) {
        return (Engine::Bdd, "one thread: summaries, which take recursion of any depth".into());
    }
    if has_recursion(program) {
        let why =
            "several threads and recursion: proofs with summarised stacks and runs with cut ones, by turns";
        return (Engine::Stacks, why.into());
    }
    let reduced = Engine::Threads(ThreadEngine::ReducedCounters);
    (reduced, "several threads, a bound, no recursion: counters with partial-order reduction".into())
}

/// An engine for questions without a bound on threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnboundedEngine {
    /// Coverability of the counter system.
    Coverability(cover::Engine),
    /// Cutoff detection.
    Cutoff,
}

impl UnboundedEngine {
    /// The engine of that name.
    pub fn named(name: &str) -> Option<UnboundedEngine> {
        match name {
            "cutoff" => Some(UnboundedEngine::Cutoff),
            _ => cover::Engine::named(name).map(UnboundedEngine::Coverability),
        }
    }
}

/// An answer about any number of threads.
#[derive(Debug)]
pub struct CheckedUnbounded {
    /// The answer.
    pub outcome: Outcome,
    /// For a violation: the question, with so many threads at the start as the trace has.
    pub question: Option<Question>,
    /// Who answered.
    pub engine: &'static str,
    /// So many threads reach all there is to reach, if that was found.
    pub cutoff: Option<usize>,
    /// The proof in words, if it was asked for and checked.
    pub certificate: Option<Certificate>,
    /// What a HOLDS rests on beyond the engine's own rules, in a sentence.
    pub rests_on: Option<String>,
    /// What it took.
    pub statistics: Statistics,
}

/// Asks about any number of threads.
pub fn ask_unbounded(
    program: &Program,
    question: &UnboundedQuestion,
    engine: UnboundedEngine,
    recheck: Recheck,
    budget: &Budget,
) -> CheckedUnbounded {
    let mut roots = question.roots.clone();
    roots.extend(question.any_number_of);
    let mut statistics = Statistics::default();
    let decide = |states: &mut ThreadStates<'_>, beyond: Beyond, budget: &Budget| {
        decide_unbounded(states, question, engine, beyond, recheck, budget)
    };
    let answered = if has_recursion(program) {
        by_turns(program, &roots, budget, &mut |states, stacks, slice| decide(states, stacks.beyond, slice))
    } else {
        flatten(program, &roots).map(|flat| {
            let answer = decide(&mut ThreadStates::new(flat, Compression::LocalSteps), Beyond::Cut, budget);
            Rested { answer, rests_on: None }
        })
    };
    let Rested { answer: found, rests_on } = match answered {
        Ok(answered) => answered,
        Err(why) => {
            let open = not_flat(why).try_next("give a bound with `--threads N`");
            let (outcome, engine) = (Outcome::Undecided(open), "coverability");
            let (question, cutoff, certificate, rests_on) = (None, None, None, None);
            return CheckedUnbounded { outcome, question, engine, cutoff, certificate, rests_on, statistics };
        }
    };
    statistics.count("thread states", found.thread_states);
    statistics.count("transitions", found.transitions);
    CheckedUnbounded {
        outcome: found.outcome,
        question: found.question,
        engine: found.engine,
        cutoff: found.cutoff,
        certificate: found.certificate,
        rests_on,
        statistics,
    }
}

fn decide_unbounded(
    states: &mut ThreadStates<'_>,
    question: &UnboundedQuestion,
    engine: UnboundedEngine,
    beyond: Beyond,
    recheck: Recheck,
    budget: &Budget,
) -> Unbounded {
    match engine {
        UnboundedEngine::Coverability(engine) => {
            let settings = UnboundedSettings { recheck, ..UnboundedSettings::new(engine, budget.clone()) };
            match beyond {
                Beyond::ByEntry => callers::check(states, question, &settings),
                Beyond::Cut | Beyond::ByArguments => unbounded::check(states, question, &settings),
            }
        }
        UnboundedEngine::Cutoff => {
            let settings = UnboundedSettings::new(cover::Engine::Widening, budget.clone());
            check_by_cutoff(states, question, &settings, MOST_CUTOFF)
        }
    }
}

/// Cutoffs above this are not looked for.
const MOST_CUTOFF: usize = 12;

/// Asks one engine.
pub fn ask(
    program: &Program,
    question: &Question,
    engine: Engine,
    settings: &EngineSettings,
    budget: &Budget,
) -> Checked {
    let mut statistics = Statistics::default();
    if let Some(why) = engine.objection(program, question) {
        let reason = Reason::EngineCannot { engine: engine.name(), why: why.into() };
        let open = Undecided::because(reason).try_next("take `--engine auto`");
        let outcome = Outcome::Undecided(open);
        return Checked { outcome, engine, statistics, certificate: None, rests_on: None };
    }
    let mut rests_on = None;
    let outcome = match engine {
        Engine::Explicit => {
            let found = explore(program, question, settings.explicit, budget);
            statistics.count("states", found.states as u64);
            found.outcome
        }
        Engine::Threads(engine) => {
            let found = check(program, question, engine, Until::FirstFailure, budget);
            statistics = found.statistics;
            found.outcome
        }
        Engine::Stacks => {
            let found = check_bounded(program, question, budget);
            (statistics, rests_on) = (found.answer.statistics, found.rests_on);
            found.answer.outcome
        }
        Engine::Bdd | Engine::Sat if settings.keep_empty_steps => {
            symbolic(program, question, engine, settings, budget, &mut statistics)
        }
        Engine::Bdd | Engine::Sat => {
            let small = compress(program);
            match symbolic(&small.program, question, engine, settings, budget, &mut statistics) {
                Outcome::Violated(trace) => {
                    let path: Vec<_> = trace.steps.iter().map(|step| (step.thread, step.edge)).collect();
                    let starts = |position: usize| trace.steps[position].spawned.is_some();
                    let path = small.expand(program, &question.roots, &path, starts);
                    on_original(program, question, &path, budget)
                }
                decided => decided,
            }
        }
    };
    Checked { outcome, engine, statistics, certificate: None, rests_on }
}

/// Asks the summaries about the program as it stands and has their fixpoint checked by SAT: the only engine with a
/// bound whose proof is smaller than the state space.
pub fn ask_for_certificate(
    program: &Program,
    question: &Question,
    settings: &EngineSettings,
    budget: &Budget,
) -> Checked {
    let engine = Engine::Bdd;
    let (found, invariant) = prove_by_summaries(program, question, settings.bdd, budget);
    let mut checked = Checked {
        outcome: found.outcome,
        engine,
        statistics: Statistics::default(),
        certificate: None,
        rests_on: None,
    };
    summary_figures(&found.statistics, &mut checked.statistics);
    let Some(invariant) = invariant else { return checked };
    match recheck(program, question.roots[0], &invariant, budget) {
        Ok(conditions) => {
            checked.statistics.count("conditions of the proof checked", conditions);
            checked.certificate = Some(invariant.certificate(program, conditions));
        }
        Err(Refused::Wrong(why)) => {
            let why = format!("the proof is refused: {why}");
            checked.outcome = Outcome::Undecided(Undecided::because(Reason::NotConfirmed { why }));
        }
        Err(Refused::Stopped(exhausted)) => {
            let question = "the proof can be confirmed".to_owned();
            checked.outcome = Outcome::Undecided(match exhausted {
                Some(exhausted) => exhausted.into(),
                None => Undecided::because(Reason::SolverUnknown { question }),
            });
        }
    }
    checked
}

fn summary_figures(found: &SummaryStatistics, statistics: &mut Statistics) {
    statistics.count("path_edge_sets", found.path_edge_sets as u64);
    statistics.count("summary_sets", found.summary_sets as u64);
    statistics.count("bdd_variables", found.bdd_variables as u64);
}

fn symbolic(
    program: &Program,
    question: &Question,
    engine: Engine,
    settings: &EngineSettings,
    budget: &Budget,
    statistics: &mut Statistics,
) -> Outcome {
    if engine == Engine::Sat {
        let found = check_by_unrolling(program, question, settings.sat, budget);
        statistics.count("solver_checks", found.statistics.checks as u64);
        statistics.count("activations", found.statistics.activations as u64);
        statistics.count("activations_left_abstract", found.statistics.abstract_activations as u64);
        return found.outcome;
    }
    let found = check_by_summaries(program, question, settings.bdd, budget);
    summary_figures(&found.statistics, statistics);
    found.outcome
}

/// A run of a simplified program as a run of the program itself, replayed there.
fn on_original(
    program: &Program,
    question: &Question,
    path: &[(crate::trace::ThreadId, crate::graph::EdgeId)],
    budget: &Budget,
) -> Outcome {
    let trace: Trace = match concretise(program, question, path, budget) {
        Ok(Some(trace)) => trace,
        Ok(None) => panic!("a run of the simplified program is a run of the program"),
        Err(open) => return Outcome::Undecided(*open),
    };
    if let Err(error) = replay(program, question, &trace) {
        panic!("the interpreter refuses step {} of the run: {}", error.step, error.why);
    }
    Outcome::Violated(trace)
}

/// Two engines that gave contradictory answers: a mistake of ours.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// Says that it holds.
    pub holds: Engine,
    /// Says that it is violated.
    pub violated: Engine,
}

/// Asks every engine that can be asked; the answers, or the two that contradict each other.
pub fn ask_all(
    program: &Program,
    question: &Question,
    settings: &EngineSettings,
    budget: &Budget,
) -> Result<Vec<Checked>, Disagreement> {
    let able = Engine::ALL.into_iter().filter(|engine| engine.objection(program, question).is_none());
    let answers: Vec<_> = able.map(|engine| ask(program, question, engine, settings, budget)).collect();
    let who = |wanted: fn(&Outcome) -> bool| {
        answers.iter().find(|answer| wanted(&answer.outcome)).map(|answer| answer.engine)
    };
    let holds = who(|outcome| matches!(outcome, Outcome::Holds));
    let violated = who(|outcome| matches!(outcome, Outcome::Violated(_)));
    match (holds, violated) {
        (Some(holds), Some(violated)) => Err(Disagreement { holds, violated }),
        _ => Ok(answers),
    }
}
