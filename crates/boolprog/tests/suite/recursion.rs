//! Recursion together with threads: programs with expectations, and answers against the interpreter on random ones.

use crate::common;
use base::Budget;
use boolprog::cover::Recheck;
use boolprog::engine::{BDD, EngineSettings, STACKS, UnboundedEngine, ask_unbounded, has_recursion};
use boolprog::explicit::{ExplicitSettings, explore, replay};
use boolprog::graph::Program;
use boolprog::threads::flat::flatten_with_stacks;
use boolprog::threads::stacks::{Beyond, StackSettings};
use boolprog::threads::thread_state::{Compression, ThreadStates};
use boolprog::threads::{UnboundedSettings, UnboundedSetup, callers};
use boolprog::{Setup, Trace, cover, syntax};
use question::decided::word;
use question::{Decided, Monitor, Searched};
use std::path::Path;
use std::time::Duration;
use testkit::boolean::{RandomSettings, random_program};

fn budget(milliseconds: u64) -> Budget {
    Budget::unlimited().with_time(Duration::from_millis(milliseconds))
}

/// As `--threads N`: if the program starts no threads, so many times `main`.
fn bounded(program: &Program, threads: usize) -> Setup {
    let copies = if program.has_threads() { 1 } else { threads };
    Setup::copies_of_main(program, copies, Some(threads)).expect("a main")
}

/// As `--threads unbounded`.
fn unbounded(program: &Program) -> UnboundedSetup {
    let main = program.main().expect("a main");
    match program.has_threads() {
        true => UnboundedSetup { roots: vec![main], any_number_of: None },
        false => UnboundedSetup { roots: Vec::new(), any_number_of: Some(main) },
    }
}

fn ask_stacks(program: &Program, question: &Setup, budget: &Budget) -> Searched<Trace> {
    let found = STACKS.search(program, question, &EngineSettings::default(), Monitor::silent(budget));
    assert_eq!(found.rests_on.is_some(), word(&found.outcome) == "holds", "a proof rests on something");
    found.outcome
}

fn ask_any(program: &Program, engine: UnboundedEngine, budget: &Budget) -> (Searched<Trace>, Option<Setup>) {
    let found = ask_unbounded(program, &unbounded(program), engine, Recheck::Small, Monitor::silent(budget));
    (found.findings.outcome, found.setup)
}

/// A run that is shown is one of the program as it was given.
fn assert_replays(program: &Program, question: &Setup, outcome: &Searched<Trace>, what: &str) {
    if let Ok(Decided::Violated(trace)) = outcome {
        let replayed = replay(program, question, trace);
        assert!(replayed.is_ok(), "{what}: {replayed:?}");
    }
}

const AUTO: UnboundedEngine = UnboundedEngine::Coverability(cover::Engine::Auto);

#[test]
fn programs_with_recursion_and_threads_are_answered_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recursion");
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let mut asked = 0;
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("readable");
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let program = common::read(&text, &["SLIC_ERROR"]).expect("a program");
        for line in text.lines().map_while(|line| line.strip_prefix("// ")) {
            let Some((threads, expected)) = line.split_once(": ") else { continue };
            if !["HOLDS", "VIOLATED", "UNDECIDED"].contains(&expected) {
                continue;
            }
            // What stays open takes all the time there is.
            let budget = budget(if expected == "UNDECIDED" { 2_000 } else { 60_000 });
            let (outcome, question) = match threads {
                "any" => ask_any(&program, AUTO, &budget),
                number => {
                    let question = bounded(&program, number.parse().expect("a number of threads"));
                    (ask_stacks(&program, &question, &budget), Some(question))
                }
            };
            let what = format!("{name}, {threads} threads");
            assert_eq!(word(&outcome).to_uppercase(), expected, "{what}: {outcome:?}");
            if let Some(question) = question {
                assert_replays(&program, &question, &outcome, &what);
            }
            asked += 1;
        }
    }
    assert!(asked > 45, "only {asked} questions were asked");
}

/// The interpreter's answer with low stacks; an answer only if no run was cut off, or if one fails.
fn naive(program: &Program, question: &Setup) -> Option<&'static str> {
    let settings = ExplicitSettings { most_states: 8_000, deepest_stack: 4 };
    let outcome = explore(program, question, settings, Monitor::silent(&budget(10_000))).outcome;
    outcome.is_ok().then(|| word(&outcome))
}

/// Programs from two generators: in the first one procedures start each other, the second one has more kinds of statements.
fn random_programs() -> Vec<(String, Program)> {
    let first = (0..200).map(testkit::threaded::recursive_program);
    let shape = RandomSettings {
        procedures: 4,
        globals: 3,
        locals: 2,
        statements: 3,
        threads: true,
        recursion: true,
    };
    let second = (2600..2750).map(|seed| syntax::print(&random_program(seed, shape)));
    let build = |text: String| {
        let program = common::read(&text, &[]).unwrap_or_else(|why| panic!("{why}\n{text}"));
        (text, program)
    };
    first.chain(second).map(build).filter(|(_, program)| has_recursion(program)).collect()
}

/// How often answers were given, and how often they could be compared.
#[derive(Debug, Default)]
struct Tally {
    holds: usize,
    violated: usize,
    open: usize,
    compared: [usize; 2],
}

impl Tally {
    fn count(&mut self, outcome: &Searched<Trace>) {
        match outcome {
            Ok(Decided::Proved(())) => self.holds += 1,
            Ok(Decided::Violated(_)) => self.violated += 1,
            Err(_) => self.open += 1,
        }
    }
}

#[test]
fn answers_never_contradict_the_interpreter() {
    let mut tally = Tally::default();
    for (text, program) in random_programs() {
        let main = program.main().expect("a main");
        let mut fails_with = Vec::new();
        for threads in 1..=3 {
            let question = Setup { roots: vec![main; threads.min(2)], most_threads: Some(threads) };
            let expected = naive(&program, &question);
            let outcome = ask_stacks(&program, &question, &budget(600));
            let what = format!("with {threads} threads\n{text}");
            assert_replays(&program, &question, &outcome, &what);
            tally.count(&outcome);
            if let (Some(expected), true) = (expected, word(&outcome) != "undecided") {
                assert_eq!(word(&outcome), expected, "{what}");
                tally.compared[usize::from(expected == "violated")] += 1;
            }
            fails_with.extend((expected == Some("violated")).then_some(threads));
        }
        // Any number of main, and whatever they start.
        let asked = UnboundedSetup { roots: Vec::new(), any_number_of: Some(main) };
        let found = ask_unbounded(&program, &asked, AUTO, Recheck::Small, Monitor::silent(&budget(600)));
        tally.count(&found.findings.outcome);
        if let Some(question) = &found.setup {
            assert_replays(&program, question, &found.findings.outcome, &format!("any number\n{text}"));
        }
        let is_contradiction = word(&found.findings.outcome) == "holds" && !fails_with.is_empty();
        assert!(!is_contradiction, "holds for any number, fails with {fails_with:?}\n{text}");
    }
    assert!(tally.holds > 150 && tally.violated > 150, "{tally:?} is no fair sample");
    assert!(tally.open * 10 < tally.holds + tally.violated, "{tally:?}: too many stay open");
    assert!(tally.compared.iter().all(|count| *count > 100), "{tally:?}: too few were compared");
}

/// A caller that few threads never make is met when the coverability engine finds its call.
#[test]
fn callers_that_only_many_threads_make_are_met() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recursion");
    let text = std::fs::read_to_string(folder.join("caller_that_needs_four_threads.bp")).expect("readable");
    let program = common::read(&text, &[]).expect("a program");
    let question = unbounded(&program);
    let flat = flatten_with_stacks(&program, &[program.main().expect("a main")]).expect("flat");
    let stacks = StackSettings { exact: 0, beyond: Beyond::ByEntry };
    let mut states = ThreadStates::with_stacks(flat, Compression::LocalSteps, stacks);
    let settings = UnboundedSettings::new(cover::Engine::Auto);
    let found = callers::check(&mut states, &question, settings, Monitor::silent(&budget(60_000)));
    assert_eq!(word(&found.findings.outcome), "violated", "{:?}", found.findings.outcome);
}

/// With one thread the summaries of sequential programs decide, and stacks summarised by entry are exact.
#[test]
fn one_thread_is_always_decided_and_agrees_with_the_summaries() {
    for seed in 1000..1150 {
        let text = testkit::threaded::recursive_program(seed);
        let program = common::read(&text, &[]).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let question = bounded(&program, 1);
        let expected =
            BDD.search(&program, &question, &EngineSettings::default(), Monitor::silent(&budget(60_000)));
        let outcome = ask_stacks(&program, &question, &budget(60_000));
        assert_eq!(word(&outcome), word(&expected.outcome), "seed {seed}\n{text}");
    }
}

#[test]
fn every_unbounded_engine_takes_recursion() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recursion");
    for (name, expected) in [
        ("lock_around_recursion.bp", "holds"),
        ("threads_from_recursion_safe.bp", "holds"),
        ("toggled_in_the_open.bp", "violated"),
    ] {
        let text = std::fs::read_to_string(folder.join(name)).expect("readable");
        let program = common::read(&text, &[]).expect("a program");
        let by_coverability = [cover::Engine::KarpMiller, cover::Engine::Backward, cover::Engine::Widening];
        let engines = by_coverability.map(UnboundedEngine::Coverability).into_iter();
        for engine in engines.chain([UnboundedEngine::Cutoff]) {
            let (outcome, _) = ask_any(&program, engine, &budget(60_000));
            assert_eq!(word(&outcome), expected, "{name} by {engine:?}: {outcome:?}");
        }
    }
}
