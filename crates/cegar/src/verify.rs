//! Can a C program do what the property forbids? The engines of the `table`, in lanes that run beside each
//! other; the first answer ends the others.

use crate::table::{Choice, Lane, Placed, table_for};
use base::{Budget, EventSink};
use concrete::Interpreter;
use program::{PointsTo, Program};
use prove::{Code, Facts, PlannedInputs, Reads, Replayed, Settings};
use question::{
    Answer, Asks, Check, Counterexample, Knowledge, Property, Question, Verdict, first_to_decide,
};
use std::sync::Arc;
use symbolic::Meaning;
use verdict::{ProgramProof, Reason, Undecided};

/// Answers by the engines that are chosen.
pub fn verify(
    question: &Question<'_, Program>,
    choice: Choice,
    settings: &Settings,
    budget: &Budget,
    events: &dyn EventSink,
) -> Answer {
    let program = question.about;
    let Asks::Never(property) = &question.asks else {
        let why = "only what must never happen can be asked of a C program".to_owned();
        return open(question, Undecided::because(Reason::EngineCannot { engine: choice.name(), why }));
    };
    if let Some(undecided) = refusal(program) {
        return open(question, undecided);
    }
    let is_alone = *property == Property::every_run_ends() || property.temporal.is_some();
    if property.endless_runs && !is_alone {
        let why = "whether runs end is asked alone".to_owned();
        return open(question, Undecided::because(Reason::EngineCannot { engine: choice.name(), why }));
    }
    let verifier = Verifier { name: &question.name, property, choice, settings, budget, events };
    let answer = verifier.answer(program);
    with_doubts(program, property, settings, budget, answer)
}

/// What an earlier answer rested on, to be tried before any engine.
pub enum Before<'b> {
    /// A proof that was audited against this very program and property, and accepted.
    Audited(&'b ProgramProof),
    /// The inputs of a run that failed: they are run again, and only what the interpreter confirms is an answer.
    Inputs(&'b [(Arc<str>, u128)]),
}

/// The answer that an earlier one gives, under all the doubts of an answer by engines; nothing if it gives none.
pub fn answered_before(
    question: &Question<'_, Program>,
    before: Before<'_>,
    settings: &Settings,
    budget: &Budget,
) -> Option<Answer> {
    let program = question.about;
    let Asks::Never(property) = &question.asks else { return None };
    // That runs end is shown by measures, that one does not by a state that comes back: neither is known here.
    if refusal(program).is_some() || property.endless_runs {
        return None;
    }
    let found = match before {
        // What was never written is looked at by engines with a program made for it.
        Before::Audited(_) if property.checks.has(Check::Uninitialised) => return None,
        Before::Audited(proof) => Answer::proved(
            "earlier-proof",
            "the proof of an earlier answer holds of this program too",
            proof.clone(),
        ),
        Before::Inputs(values) => {
            let interpreter = Interpreter::new(program);
            let run_settings = prove::replay_settings(settings.missing, budget);
            let mut inputs = PlannedInputs::listed(values.to_vec());
            let replayed = prove::replay(&interpreter, program, property, &run_settings, &mut inputs);
            let Replayed::Confirmed(confirmed) = replayed else { return None };
            Answer::by("earlier-run", confirmed.found_by("earlier-run"))
        }
    };
    let named = Answer { property: question.name.clone(), ..found };
    Some(with_doubts(program, property, settings, budget, named))
}

/// What is doubted of every answer, whoever gave it.
fn with_doubts(
    program: &Program,
    property: &Property,
    settings: &Settings,
    budget: &Budget,
    mut answer: Answer,
) -> Answer {
    if answer.verdict.holds()
        && let Some(undecided) = prove::error_numbers(program, &PointsTo::of(program))
    {
        answer.downgrade(undecided);
    }
    if answer.verdict.is_violated() && program.interleaving.as_ref().is_some_and(|all| all.is_abstract) {
        let why = "the run is one of threads that nobody follows, and may be none".to_owned();
        answer.downgrade(Undecided::because(Reason::NotConfirmed { why }));
    }
    answer.verdict = match answer.verdict {
        Verdict::Violated(counterexample) => match *counterexample {
            Counterexample::Run(run) if run.cycle.is_some() => run.into(),
            Counterexample::Run(run) => prove::begun_alike(program, property, settings, budget, run).into(),
            other => other.into(),
        },
        other => other,
    };
    answer
}

fn open<Subject: ?Sized>(question: &Question<'_, Subject>, undecided: Undecided) -> Answer {
    Answer::new(question.name.clone(), "auto", undecided.into())
}

/// What no engine here can deal with.
fn refusal(program: &Program) -> Option<Undecided> {
    let special = program.constructors.first().or(program.destructors.first())?;
    let construct = "a constructor or destructor function".to_owned();
    let at = program.procedures[*special].span;
    Some(Undecided::because(Reason::NotSupported { construct, at }))
}

struct Verifier<'v> {
    name: &'v str,
    property: &'v Property,
    choice: Choice,
    settings: &'v Settings,
    budget: &'v Budget,
    events: &'v dyn EventSink,
}

/// What the lanes that run beside each other work on.
struct Ground<'g> {
    program: &'g Program,
    points_to: &'g PointsTo,
    /// Do proofs need to know which blocks there are, or what was written?
    follows_memory: bool,
    watch_unwritten: bool,
    knowledge: &'g Knowledge,
    /// Ends with the first answer.
    budget: &'g Budget,
}

/// The walk and the solver recurse little; terms are walked without recursion.
const STACK_OF_LANE: usize = 64 << 20;

impl Verifier<'_> {
    fn answer(&self, program: &Program) -> Answer {
        let knowledge = Knowledge::new();
        if !self.only_proves(program)
            && let Some(first) = self.at_once(program, &knowledge)
            && (!first.verdict.is_undecided() || self.is_alone(Lane::First))
        {
            return first;
        }
        let points_to = PointsTo::of(program);
        let asks_for_leaks = self.property.checks.follow_blocks() && symbolic::allocates(program, &points_to);
        // What neither a look at the program nor intervals exclude is left to those who follow each cell of memory.
        let unwritten = |program: &Program, points_to: &PointsTo, reads: Reads| {
            prove::uninitialised_reads(program, points_to, self.property, reads)
        };
        let watch_unwritten = unwritten(program, &points_to, Reads::All).is_some()
            && !Facts::of(program, &prove::interval_settings(), self.budget).exclude_uninitialised();
        // Outside memory nothing tells that a variable was never written.
        let moved = watch_unwritten.then(|| symbolic::unwritten_locals::put_in_memory(program)).flatten();
        let points_to = moved.as_ref().map_or(points_to, PointsTo::of);
        let ground = Ground {
            program: moved.as_ref().unwrap_or(program),
            points_to: &points_to,
            follows_memory: asks_for_leaks || watch_unwritten,
            watch_unwritten,
            knowledge: &knowledge,
            budget: &self.budget.branch(),
        };
        if self.lanes(&ground).is_empty() {
            let why = if self.property.endless_runs {
                "it does not say whether runs end"
            } else if self.choice.is_about_failures() {
                "it is asked about programs with threads"
            } else {
                "it says whether every run ends (`--ends`), and nothing else"
            };
            let why = why.to_owned();
            let undecided = Undecided::because(Reason::EngineCannot { engine: self.choice.name(), why });
            return Answer::new(self.name.to_owned(), self.choice.name(), undecided.into());
        }
        let mut answer = self.merged(self.beside(&ground), &knowledge);
        // The encoding takes an unwritten value outside memory for any value.
        if answer.verdict.holds()
            && watch_unwritten
            && let Some(undecided) = unwritten(ground.program, &points_to, Reads::OutsideMemory)
        {
            answer.downgrade(undecided);
        }
        answer
    }

    /// The lanes that have rows for the choice, the one for this thread last.
    fn lanes(&self, ground: &Ground<'_>) -> Vec<Lane> {
        let program = ground.program;
        let is_asked = |lane: &Lane| {
            table_for(self.property).iter().any(|row| row.lane == *lane && row.is_chosen_by(self.choice))
                || (ground.follows_memory && *lane == Lane::Search)
        };
        let takes_turns = |lane: &Lane| {
            let all = program.interleaving.as_ref();
            *lane != Lane::Turns || (is_asked(lane) && all.is_some_and(|all| all.in_turns.is_some()))
        };
        let all = [Lane::Runs, Lane::Turns, Lane::Proofs, Lane::Search];
        let mut lanes: Vec<Lane> = all.into_iter().filter(is_asked).filter(takes_turns).collect();
        if self.only_proves(program) {
            lanes.retain(|lane| *lane == Lane::Proofs);
        }
        lanes
    }

    /// What fails where others may do more than they can is no answer: then nobody looks for it, if there is who proves.
    fn only_proves(&self, program: &Program) -> bool {
        let is_abstract = program.interleaving.as_ref().is_some_and(|all| all.is_abstract);
        is_abstract
            && table_for(self.property)
                .iter()
                .any(|row| row.lane == Lane::Proofs && row.is_chosen_by(self.choice))
    }

    fn is_alone(&self, lane: Lane) -> bool {
        table_for(self.property).iter().all(|row| row.lane == lane || !row.is_chosen_by(self.choice))
    }

    /// What shows at once, if that is asked for.
    fn at_once(&self, program: &Program, knowledge: &Knowledge) -> Option<Answer> {
        let rows: Vec<Placed<'_>> = table_for(self.property)
            .into_iter()
            .filter(|row| row.lane == Lane::First && row.is_chosen_by(self.choice))
            .collect();
        if rows.is_empty() {
            return None;
        }
        let code = Code::new(program, self.property, self.settings);
        Some(self.ask(&rows, &code, knowledge, self.budget))
    }

    fn ask<'p>(
        &self,
        rows: &[Placed<'p>],
        code: &Code<'p>,
        knowledge: &Knowledge,
        budget: &Budget,
    ) -> Answer {
        let asks = Asks::Never(self.property.clone());
        let question = Question { name: self.name.to_owned(), about: code, asks };
        first_to_decide(rows.iter().map(|row| &row.row), &question, knowledge, budget, self.events)
    }

    /// Runs the lanes beside each other, the last of them on this thread.
    fn beside(&self, ground: &Ground<'_>) -> Vec<(Lane, Answer)> {
        let mut lanes = self.lanes(ground);
        if !lanes.contains(&Lane::Runs) {
            ground.knowledge.end_runs();
        }
        let Some(here) = lanes.pop() else { return Vec::new() };
        std::thread::scope(|scope| {
            let started: Vec<_> = lanes
                .into_iter()
                .map(|lane| {
                    let thread = std::thread::Builder::new().stack_size(STACK_OF_LANE);
                    let thread = thread.spawn_scoped(scope, move || self.run_lane(lane, ground));
                    if thread.is_err() && lane == Lane::Runs {
                        ground.knowledge.end_runs();
                    }
                    (lane, thread)
                })
                .collect();
            let own = (here, self.run_lane(here, ground));
            let joined = started.into_iter().map(|(lane, thread)| match thread {
                Ok(thread) => (lane, thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
                Err(error) => {
                    let sentence = format!("no second thread: {error}");
                    let why = Reason::NotConfirmed { why: sentence.clone() };
                    let undecided = Undecided::because(why).tried(sentence);
                    (lane, Answer::by("auto", undecided))
                }
            });
            joined.chain([own]).collect()
        })
    }

    /// The engines of a lane, after each other. An answer, or the certainty that there is none, stops the
    /// other lanes.
    fn run_lane(&self, lane: Lane, ground: &Ground<'_>) -> Answer {
        let Ground { program, points_to, knowledge, budget, .. } = *ground;
        let is_asked = |row: &Placed<'_>| {
            let knows_enough = row.follows_memory || !ground.follows_memory;
            // What an engine that was chosen does not know, the search from the start may show.
            let is_search = ground.follows_memory && lane == Lane::Search;
            row.lane == lane && knows_enough && (is_search || row.is_chosen_by(self.choice))
        };
        let rows: Vec<Placed<'_>> = table_for(self.property).into_iter().filter(is_asked).collect();
        let analysis = prove::interval_settings();
        let plain = Code::new(program, self.property, self.settings);
        let answer = if matches!(lane, Lane::Runs | Lane::Turns) {
            self.ask(&rows, &plain, knowledge, budget)
        } else {
            let meaning = Meaning::new(program, points_to);
            let mut code = plain.with_meaning(&meaning, &analysis);
            code.watch_unwritten = ground.watch_unwritten;
            self.ask(&rows, &code, knowledge, budget)
        };
        if !answer.verdict.is_undecided() || (lane == Lane::Search && knowledge.is_exhausted()) {
            budget.cancel();
        }
        if lane == Lane::Runs {
            knowledge.end_runs();
        }
        answer
    }

    /// One answer of those of the lanes: what the search says before proofs before runs.
    fn merged(&self, mut answers: Vec<(Lane, Answer)>, knowledge: &Knowledge) -> Answer {
        let order = [Lane::Search, Lane::Proofs, Lane::Runs, Lane::Turns];
        answers.sort_by_key(|(lane, _)| order.iter().position(|own| own == lane));
        let proof = answers.iter().find(|(_, answer)| answer.verdict.holds());
        if let Some((_, proof)) = proof
            && answers.iter().any(|(_, answer)| answer.verdict.is_violated())
        {
            panic!("{} proved what a run refutes", proof.engine);
        }
        let mut common = Answer::by("auto", self.neither(&answers, knowledge));
        let search = answers.iter().find(|(lane, _)| *lane == Lane::Search);
        for figure in ["steps", "rounds"] {
            let value = search.and_then(|(_, answer)| answer.statistics.value(figure));
            common.statistics.count(figure, value.unwrap_or(0));
        }
        common.statistics.count("queries", knowledge.queries());
        for (_, answer) in &mut answers {
            common.assume(answer.assumptions.drain(..));
            common.boolean = common.boolean.take().or(answer.boolean.take());
            if common.rounds.is_empty() {
                common.rounds = std::mem::take(&mut answer.rounds);
            }
        }
        let decided =
            answers.into_iter().map(|(_, answer)| answer).find(|answer| !answer.verdict.is_undecided());
        let Answer { verdict, engine, how, engine_reason, .. } = decided.unwrap_or_else(|| common.clone());
        Answer { property: self.name.to_owned(), verdict, engine, how, engine_reason, ..common }
    }

    /// Why there is no answer: what the search says, with what provers tried; or that alone.
    fn neither(&self, answers: &[(Lane, Answer)], knowledge: &Knowledge) -> Undecided {
        let open_in = |wanted: Lane| {
            let (_, answer) = answers.iter().find(|(lane, _)| *lane == wanted)?;
            answer.verdict.undecided()
        };
        let tried = open_in(Lane::Proofs).map_or(&[][..], |open| &open.tried);
        match open_in(Lane::Search) {
            Some(undecided) => {
                let mut undecided = undecided.clone();
                // Provers that were stopped because nothing better can come have nothing to tell.
                undecided.tried = if knowledge.is_exhausted() { Vec::new() } else { tried.to_vec() };
                undecided
            }
            // What the proofs say is all there is to say.
            None if self.property.endless_runs && self.budget.check().is_ok() => {
                let missing = || Undecided::because(Reason::NotConfirmed { why: tried.join("; ") });
                open_in(Lane::Proofs).cloned().unwrap_or_else(missing)
            }
            // Neither search nor proof was asked for.
            None if open_in(Lane::Proofs).is_none() && open_in(Lane::Turns).is_some() => {
                open_in(Lane::Turns).cloned().unwrap_or_else(|| Undecided::because(Reason::Interrupted))
            }
            None => {
                let why = tried.join("; ");
                match self.budget.check() {
                    Ok(()) => Undecided::because(Reason::NotConfirmed { why }),
                    Err(exhausted) => Undecided::because(exhausted.into()).tried(why),
                }
            }
        }
    }
}
