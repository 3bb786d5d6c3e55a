//! Engines agree on random programs, and with what is expected of the others.

use crate::common::{all_cases, question, read};
use crate::summaries::{small, variants};
use base::{Budget, Diagnostics};
use boolprog::engine::{BDD, EXPLICIT, EngineSettings, SAT};
use boolprog::explicit::ExplicitSettings;
use boolprog::summaries::check_by_summaries;
use boolprog::unrolling::UnrollingSettings;
use boolprog::{Setup, graph, simplify, syntax};
use question::decided::word;
use question::{Decided, Engine, Monitor};
use testkit::boolean::{RandomSettings, random_program};
use verdict::Statistics;

fn settings() -> EngineSettings {
    EngineSettings {
        explicit: ExplicitSettings { most_states: 20_000, deepest_stack: 6 },
        bdd: small(),
        sat: UnrollingSettings { most_copies: 6_000 },
        ..EngineSettings::default()
    }
}

/// Every engine on every program it can take.
#[test]
fn every_engine_meets_every_expectation() {
    let mut wrong = Vec::new();
    for case in all_cases() {
        let text = std::fs::read_to_string(&case.path).expect("readable");
        let Ok(mut program) = read(&text, &["SLIC_ERROR"]) else { continue };
        let Ok(question) = question(&mut program, &case.threads) else { continue };
        for engine in [BDD, SAT] {
            if engine.objection(&program, &question).is_some() {
                continue;
            }
            let found =
                engine.search(&program, &question, &settings(), Monitor::silent(&Budget::unlimited()));
            let word = match &found.outcome {
                Ok(Decided::Proved(())) => "SAFE".to_string(),
                Ok(Decided::Violated(_)) => "UNSAFE".into(),
                Err(open) => open.to_string(),
            };
            if word != case.expected {
                wrong.push(format!("{} {}: {word}, expected {}", engine.name(), case.name, case.expected));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn build(tree: &syntax::ProgramTree) -> graph::Program {
    let mut diagnostics = Diagnostics::default();
    let program = graph::build(tree, &[], &mut diagnostics);
    program.unwrap_or_else(|| panic!("{:?}\n{}", diagnostics.iter().collect::<Vec<_>>(), syntax::print(tree)))
}

/// How often engines decided, and that they never contradict each other.
#[test]
fn engines_agree_on_300_random_programs() {
    let shape = RandomSettings {
        procedures: 4,
        globals: 3,
        locals: 2,
        statements: 3,
        threads: false,
        recursion: true,
    };
    let (mut holds, mut violated, mut compared) = (0, 0, 0);
    for seed in 0..300 {
        let tree = random_program(seed, shape);
        let program = build(&tree);
        let question = Setup::copies_of_main(&program, 1, Some(1)).expect("a main");
        let budget = Budget::unlimited();
        let monitor = Monitor::silent(&budget);
        let answers: Vec<_> = [EXPLICIT, BDD, SAT]
            .into_iter()
            .map(|engine| {
                let found = engine.search(&program, &question, &settings(), monitor);
                (engine.name().to_string(), found.outcome)
            })
            .chain(variants().into_iter().skip(1).enumerate().map(|(index, variant)| {
                let found =
                    check_by_summaries(&program, &question, variant, monitor, &mut Statistics::default());
                (format!("bdd {index}"), found)
            }))
            .collect();
        let words: Vec<_> = answers.iter().filter(|(_, outcome)| outcome.is_ok()).collect();
        assert!(word(&answers[1].1) != "undecided", "the summaries decide seed {seed}");
        compared += words.len();
        let first = word(&answers[1].1);
        for (engine, outcome) in &words {
            let told = word(outcome);
            assert_eq!(told, first, "seed {seed}: {engine} against bdd\n{}", syntax::print(&tree));
        }
        if first == "holds" { holds += 1 } else { violated += 1 }
    }
    assert!(holds > 30 && violated > 30, "{holds} hold, {violated} are violated: too one-sided");
    assert!(compared > 2300, "only {compared} answers of 2700 were decided");
}

/// Printing, normalising and compressing change no answer, with threads either.
#[test]
fn simplified_programs_have_the_same_errors() {
    let shape = RandomSettings {
        procedures: 3,
        globals: 2,
        locals: 1,
        statements: 3,
        threads: true,
        recursion: false,
    };
    let mut decided = 0;
    for seed in 1000..1100 {
        let program = build(&random_program(seed, shape));
        let question = Setup::copies_of_main(&program, 1, Some(3)).expect("a main");
        let explicit = |program: &graph::Program| {
            EXPLICIT.search(program, &question, &settings(), Monitor::silent(&Budget::unlimited()))
        };
        let before = word(&explicit(&program).outcome);
        let mut normalised = program.clone();
        simplify::normalise_choices(&mut normalised);
        let small = simplify::compress(&normalised).program;
        let printed = syntax::print(&graph::to_tree(&small));
        let again = read(&printed, &[]).unwrap_or_else(|messages| panic!("{messages}\n{printed}"));
        for other in [&normalised, &small, &again] {
            let after = word(&explicit(other).outcome);
            if before != "undecided" && after != "undecided" {
                assert_eq!(before, after, "seed {seed}\n{printed}");
                decided += 1;
            }
        }
    }
    assert!(decided > 200, "only {decided} of 300 comparisons were decided");
}
