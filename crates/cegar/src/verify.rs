//! Which engine answers, and in what order: cheap ones first, then bounded search, which finds what fails, beside the engines that prove.

use crate::prover::{Proved, Prover};
use base::Budget;
use program::{PointsTo, Program};
use prove::covered::Reads;
use prove::finding::{Finding, Outcome, Proof};
use prove::searcher::{Base, Searched, Searcher};
use prove::settings::{Engine, Settings};
use prove::testing::LongRuns;
use question::{Check, Property};
use std::sync::atomic::{AtomicBool, Ordering};
use verdict::{ProgramProof, ProofArgument, Reason, Undecided};

/// Can the program do what the property forbids?
pub fn verify(program: &Program, property: &Property, settings: &Settings, budget: &Budget) -> Outcome {
    let mut outcome = answer(program, property, settings, budget);
    if matches!(outcome.finding, Finding::Holds(_))
        && let Some(undecided) = prove::covered::error_numbers(program, &PointsTo::of(program))
    {
        outcome.finding = Finding::Undecided(undecided);
    }
    if let Finding::Violated(violation) = outcome.finding {
        let violation = prove::unwritten::begun_alike(program, property, settings, budget, violation);
        outcome.finding = Finding::Violated(violation);
    }
    outcome
}

fn answer(program: &Program, property: &Property, settings: &Settings, budget: &Budget) -> Outcome {
    let mut outcome = Outcome {
        finding: Finding::Undecided(Undecided::because(Reason::TimeLimit)),
        assumptions: Vec::new(),
        steps: 0,
        queries: 0,
        rounds: 0,
        boolean: None,
    };
    if let Some(undecided) = refusal(program) {
        outcome.finding = Finding::Undecided(undecided);
        return outcome;
    }
    let mut took_no_input = false;
    if matches!(settings.engine, Engine::Auto | Engine::Testing) {
        let first = prove::testing::test(program, property, settings, budget);
        took_no_input = first.took_no_input && settings.engine == Engine::Auto;
        if let Some(violation) = first.violation {
            outcome.finding = Finding::Violated(Box::new(violation));
            return outcome;
        }
        if prove::testing::only_run(program, property, settings, budget) {
            outcome.finding = Finding::Holds(by_only_run());
            return outcome;
        }
        if settings.engine == Engine::Testing {
            let why = "the runs that were tried did not fail, and there are others".to_owned();
            outcome.finding = Finding::Undecided(Undecided::because(Reason::NotConfirmed { why }));
            return outcome;
        }
    }
    let points_to = PointsTo::of(program);
    let base = Base::default();
    let branch = budget.branch();
    // From the middle of a run, nobody knows which blocks there are.
    let asks_for_leaks = property.checks.has(Check::Leak) && prove::covered::allocates(program, &points_to);
    // Nor what was written; what neither a look at the program nor intervals exclude is left to the search from the start.
    let watch_unwritten = prove::covered::uninitialised_reads(program, &points_to, property, Reads::All)
        .is_some()
        && !prove::facts::Facts::of(program, &prove::facts::settings(), budget).exclude_uninitialised();
    // Outside memory nothing tells that a variable was never written.
    let moved = watch_unwritten.then(|| symbolic::unwritten_locals::put_in_memory(program)).flatten();
    let points_to = moved.as_ref().map_or(points_to, PointsTo::of);
    let program = moved.as_ref().unwrap_or(program);
    let prover = Prover { program, points_to: &points_to, property, settings, base: &base };
    let runs_are_over = AtomicBool::new(!took_no_input || asks_for_leaks || watch_unwritten);
    let searcher = Searcher {
        program,
        points_to: &points_to,
        property,
        settings,
        base: &base,
        watch_unwritten,
        runs_are_over: &runs_are_over,
    };
    let (searched, proved, runs) = match settings.engine {
        _ if asks_for_leaks || watch_unwritten => {
            (searcher.search(&branch), Proved::default(), LongRuns::Nothing)
        }
        Engine::Bounded => (searcher.search(&branch), Proved::default(), LongRuns::Nothing),
        Engine::Intervals | Engine::Elements | Engine::Control | Engine::Pdr => {
            (Searched::not_made(), prover.prove(&branch), LongRuns::Nothing)
        }
        Engine::Predicates => (Searched::not_made(), prover.prove_by_predicates(&branch), LongRuns::Nothing),
        Engine::Auto | Engine::Induction => both(&searcher, &prover, &branch),
        Engine::Testing => unreachable!("testing has answered"),
    };
    outcome.steps = searched.steps;
    outcome.queries = searched.queries + proved.queries;
    outcome.rounds = searched.rounds;
    outcome.boolean = proved.boolean;
    outcome.assumptions = searched.assumptions;
    for note in proved.assumptions {
        if !outcome.assumptions.contains(&note) {
            outcome.assumptions.push(note);
        }
    }
    let searched_finding = match (searched.finding, proved.violation, runs) {
        (None | Some(Finding::Undecided(_)), Some(violation), _)
        | (None | Some(Finding::Undecided(_)), None, LongRuns::Violated(violation)) => {
            Some(Finding::Violated(violation))
        }
        (None | Some(Finding::Undecided(_)), None, LongRuns::OnlyRun) if proved.finding.is_none() => {
            Some(Finding::Holds(by_only_run()))
        }
        (finding, ..) => finding,
    };
    outcome.finding = match (searched_finding, proved.finding) {
        // What was replayed stands; both at once would be a contradiction.
        (Some(Finding::Violated(_)), Some(proof)) => {
            panic!("{} proved what a run refutes", proof.engine)
        }
        (Some(finding @ (Finding::Violated(_) | Finding::Holds(_))), _) => finding,
        (_, Some(proof)) => Finding::Holds(proof),
        (Some(Finding::Undecided(mut undecided)), None) => {
            // Provers that were stopped because nothing better can come have nothing to tell.
            if !searched.is_final {
                undecided.proved.extend(proved.refused);
            }
            Finding::Undecided(undecided)
        }
        (None, None) => {
            let why = proved.refused.join("; ");
            Finding::Undecided(match budget.check() {
                Ok(()) => Undecided::because(Reason::NotConfirmed { why }),
                Err(exhausted) => Undecided::because(exhausted.into()).proved(why),
            })
        }
    };
    // The encoding takes an unwritten value outside memory for any value.
    if matches!(outcome.finding, Finding::Holds(_))
        && watch_unwritten
        && let Some(undecided) =
            prove::covered::uninitialised_reads(program, &points_to, property, Reads::OutsideMemory)
    {
        outcome.finding = Finding::Undecided(undecided);
    }
    outcome
}

fn by_only_run() -> Proof {
    Proof {
        engine: "testing",
        how: "the program takes no input: its only run was seen to its end".into(),
        certificate: ProgramProof::by(ProofArgument::OnlyRun),
    }
}

/// Searches on this thread and proves on another, while a third makes long runs if all engines are asked; the first to have an answer
/// stops the others.
fn both(searcher: &Searcher<'_>, prover: &Prover<'_>, budget: &Budget) -> (Searched, Proved, LongRuns) {
    let Searcher { program, property, settings, .. } = *searcher;
    std::thread::scope(|scope| {
        let running = (settings.engine == Engine::Auto).then(|| {
            std::thread::Builder::new().stack_size(PROVER_STACK).spawn_scoped(scope, || {
                let runs = prove::testing::run_long(program, property, settings, budget);
                if !matches!(runs, LongRuns::Nothing) {
                    budget.cancel();
                }
                searcher.runs_are_over.store(true, Ordering::Release);
                runs
            })
        });
        if !matches!(running, Some(Ok(_))) {
            searcher.runs_are_over.store(true, Ordering::Release);
        }
        let proving = std::thread::Builder::new().stack_size(PROVER_STACK).spawn_scoped(scope, || {
            let proved = prover.prove(budget);
            if proved.finding.is_some() || proved.violation.is_some() {
                budget.cancel();
            }
            proved
        });
        let searched = searcher.search(budget);
        if searched.is_final {
            budget.cancel();
        }
        let proved = match proving {
            Ok(proving) => proving.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Proved { refused: vec![format!("no second thread: {error}")], ..Proved::default() },
        };
        let runs = match running {
            Some(Ok(running)) => running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Some(Err(_)) | None => LongRuns::Nothing,
        };
        (searched, proved, runs)
    })
}

/// The walk and the solver recurse little; terms are walked without recursion.
const PROVER_STACK: usize = 64 << 20;

/// What no engine here can deal with.
fn refusal(program: &Program) -> Option<Undecided> {
    let special = program.constructors.first().or(program.destructors.first())?;
    let construct = "a constructor or destructor function".to_owned();
    let at = program.procedures[*special].span;
    Some(Undecided::because(Reason::NotSupported { construct, at }))
}
