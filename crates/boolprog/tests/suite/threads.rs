//! The thread engines: the table of expectations, and agreement with the explicit interpreter.

use crate::common::{self, Case};
use base::Budget;
use boolprog::cover::{Engine, Recheck};
use boolprog::engine::{UnboundedEngine, ask_unbounded};
use boolprog::explicit::{ExplicitSettings, explore};
use boolprog::graph::Program;
use boolprog::threads::counters::Until;
use boolprog::threads::flat::flatten;
use boolprog::threads::thread_state::{Compression, ThreadStates};
use boolprog::threads::{
    THREAD_ENGINES, ThreadEngine, UnboundedSettings, UnboundedSetup, check, check_by_cutoff, few, unbounded,
};
use boolprog::{Setup, Trace};
use question::decided;
use question::{Monitor, Searched};
use std::time::Duration;

fn budget() -> Budget {
    Budget::unlimited().with_time(Duration::from_secs(60))
}

/// Enough for most; an engine that needs longer is not asked for agreement.
fn short() -> Budget {
    Budget::unlimited().with_time(Duration::from_millis(300))
}

fn a_second() -> Budget {
    Budget::unlimited().with_time(Duration::from_secs(1))
}

fn is_symbolic(engine: &ThreadEngine) -> bool {
    engine.name.starts_with("symbolic")
}

fn word(expected: &str) -> &'static str {
    if expected == "SAFE" { "holds" } else { "violated" }
}

fn is_recursive(outcome: &Searched<Trace>) -> bool {
    matches!(outcome, Err(open) if open.to_string().contains("recursion"))
}

#[test]
fn every_engine_answers_as_expected() {
    let mut answered = 0;
    for Case { name, path, threads, expected } in common::all_cases() {
        let text = std::fs::read_to_string(&path).expect("readable");
        if expected == "ERROR" {
            continue;
        }
        let mut program = common::read(&text, &["SLIC_ERROR"]).expect("a program");
        let question = common::question(&mut program, &threads).expect("a question");
        for engine in &THREAD_ENGINES {
            // Symbolic engines are slow on the drivers; what they leave open in a second is no contradiction.
            let budget = if is_symbolic(engine) { a_second() } else { budget() };
            let answer = check(&program, &question, engine, Until::FirstFailure, Monitor::silent(&budget));
            if is_recursive(&answer.outcome)
                || engine.objection(&program).is_some()
                || is_symbolic(engine) && decided::word(&answer.outcome) == "undecided"
            {
                continue;
            }
            assert_eq!(decided::word(&answer.outcome), word(&expected), "{name} {threads} {}", engine.name);
            answered += 1;
        }
    }
    assert!(answered >= 10 * THREAD_ENGINES.len(), "only {answered} answers");
}

/// The explicit interpreter's answer with so many threads.
fn naive(program: &Program, question: &Setup) -> Option<&'static str> {
    let settings = ExplicitSettings { most_states: 20_000, deepest_stack: 12 };
    let outcome = explore(program, question, settings, Monitor::silent(&budget())).outcome;
    outcome.is_ok().then(|| decided::word(&outcome))
}

#[test]
fn engines_agree_on_random_programs() {
    let (mut safe, mut unsafe_) = (0, 0);
    for seed in 0..300 {
        let text = testkit::threaded::threaded_program(seed);
        let program = common::read(&text, &[]).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let main = program.main().expect("a main");
        let copies = 1 + seed as usize % 3;
        let question = Setup { roots: vec![main; copies], most_threads: Some(3) };
        let Some(expected) = naive(&program, &question) else { continue };
        if expected == "holds" {
            safe += 1
        } else {
            unsafe_ += 1
        }
        // Every explicit engine, and two symbolic ones by turns; the deep run asks all of all.
        let symbolic = THREAD_ENGINES.iter().filter(|engine| is_symbolic(engine)).count();
        let turn = |index: usize| (index + symbolic - seed as usize % symbolic) % symbolic < 2;
        let chosen = THREAD_ENGINES.iter().rev().enumerate();
        let chosen = chosen.filter(|(index, engine)| !is_symbolic(engine) || turn(*index));
        for (_, engine) in chosen {
            let answer = check(&program, &question, engine, Until::FirstFailure, Monitor::silent(&budget()));
            assert_eq!(
                decided::word(&answer.outcome),
                expected,
                "seed {seed}, {}\n{text}\n{:?}",
                engine.name,
                answer.outcome
            );
        }
    }
    assert!(safe > 60 && unsafe_ > 60, "{safe} safe and {unsafe_} unsafe programs are no fair sample");
}

/// Few threads first: the fewest that fail, and a shortest run of them.
#[test]
fn the_fewest_threads_that_fail_are_told() {
    // Three threads are needed: the third sees what two others did.
    let text = "decl a := F, b := F; void main() begin
        if !a then a := T; assume(F); fi
        if !b then b := T; assume(F); fi
        skip; skip; assert(F); end";
    let program = common::read(text, &[]).expect("a program");
    let question = UnboundedSetup { roots: Vec::new(), any_number_of: program.main() };
    let budget = a_second();
    let found = few::check(&program, &question, few::FEW, Monitor::silent(&budget));
    assert_eq!(decided::word(&found.findings.outcome), "violated");
    assert_eq!(found.setup.map(|setup| setup.roots.len()), Some(3));
    assert_eq!(found.notes, ["it fails with 3 threads, and not with 2 or fewer"]);
    // What coverability finds, with whatever threads, comes down to these.
    for engine in [Engine::Backward, Engine::Widening, Engine::KarpMiller] {
        let found = ask_unbounded(
            &program,
            &question,
            UnboundedEngine::Coverability(engine),
            Recheck::Small,
            Monitor::silent(&budget),
        );
        let found = few::with_fewer(&program, &question, found, Monitor::silent(&budget));
        assert_eq!(found.setup.map(|setup| setup.roots.len()), Some(3), "{engine:?}");
    }
    let safe = common::read("decl a; void main() begin a := T; end", &[]).expect("a program");
    let question = UnboundedSetup { roots: Vec::new(), any_number_of: safe.main() };
    let found = few::check(&safe, &question, few::FEW, Monitor::silent(&budget));
    let open = found.findings.outcome.expect_err("few threads prove nothing about more");
    assert_eq!(open.proved, ["no failure with up to 4 threads"]);
}

fn unbounded_answers(program: &Program, text: &str, seed: u64) -> Vec<(&'static str, Searched<Trace>)> {
    let main = program.main().expect("a main");
    let question = UnboundedSetup { roots: Vec::new(), any_number_of: Some(main) };
    let mut answers = Vec::new();
    for engine in [Engine::KarpMiller, Engine::Backward, Engine::Widening] {
        let flat = flatten(program, &[main]).unwrap_or_else(|why| panic!("seed {seed}: {why:?}\n{text}"));
        let mut states = ThreadStates::new(flat, Compression::LocalSteps);
        let settings = UnboundedSettings::new(engine);
        let found = unbounded::check(&mut states, &question, settings, Monitor::silent(&short()));
        answers.push((engine.name(), found.findings.outcome));
    }
    let flat = flatten(program, &[main]).expect("flat before");
    let mut states = ThreadStates::new(flat, Compression::LocalSteps);
    let found = check_by_cutoff(&mut states, &question, 6, Monitor::silent(&short()));
    answers.push(("cutoff", found.findings.outcome));
    answers
}

#[test]
fn unbounded_engines_agree_and_contain_the_bounded_ones() {
    let mut decided = [0, 0];
    for seed in 1000..1040 {
        let text = testkit::threaded::threaded_program(seed);
        let program = common::read(&text, &[]).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let main = program.main().expect("a main");
        let answers = unbounded_answers(&program, &text, seed);
        let words: Vec<&str> = answers.iter().map(|(_, outcome)| decided::word(outcome)).collect();
        let known: Vec<&&str> = words.iter().filter(|word| **word != "undecided").collect();
        assert!(known.windows(2).all(|pair| pair[0] == pair[1]), "seed {seed}: {answers:?}\n{text}");
        let Some(answer) = known.first() else { continue };
        decided[usize::from(***answer == *"holds")] += 1;
        if ***answer == *"holds" {
            for copies in 1..=3 {
                let question = Setup { roots: vec![main; copies], most_threads: Some(4) };
                assert_ne!(naive(&program, &question), Some("violated"), "seed {seed} with {copies}\n{text}");
            }
        }
    }
    assert!(decided[0] > 5 && decided[1] > 5, "{decided:?} decided");
}
