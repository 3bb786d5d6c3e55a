//! All engines on random programs: half with one thread and recursion, half with up to three threads.

use crate::clock::Clock;
use base::{Budget, Diagnostics};
use boolprog::engine::{Engine, EngineSettings, ask};
use boolprog::explicit::ExplicitSettings;
use boolprog::graph::Program;
use boolprog::random::{RandomSettings, random_program};
use boolprog::summaries::SummarySettings;
use boolprog::syntax::ProgramTree;
use boolprog::unrolling::UnrollingSettings;
use boolprog::{Outcome, Question, graph, syntax};
use logic::bdd::BddSettings;
use std::time::Duration;

/// Sizes by the seed: one thread with recursion, or threads without, or threads with recursion.
pub fn shape(seed: u64) -> RandomSettings {
    let threads = seed % 2 == 1;
    RandomSettings {
        procedures: 4,
        globals: if threads { 2 } else { 3 },
        locals: if threads { 1 } else { 2 },
        statements: 3,
        threads,
        recursion: !threads || seed % 8 == 1,
    }
}

fn settings(naive: bool) -> EngineSettings {
    let bdd = BddSettings { node_limit: 1 << 20, cache_entries: 1 << 14 };
    let base = if naive { SummarySettings::naive() } else { SummarySettings::default() };
    EngineSettings {
        explicit: ExplicitSettings { most_states: 20_000, deepest_stack: 6 },
        bdd: SummarySettings { bdd, ..base },
        sat: UnrollingSettings { most_copies: 6_000 },
        keep_empty_steps: naive,
    }
}

pub fn build(tree: &ProgramTree) -> Result<Program, String> {
    let mut diagnostics = Diagnostics::default();
    graph::build(tree, &[], &mut diagnostics)
        .ok_or_else(|| format!("{:?}\n{}", diagnostics.iter().collect::<Vec<_>>(), syntax::print(tree)))
}

pub fn run(programs: u64, first: u64) -> Result<(), String> {
    let clock = Clock::start();
    let mut decided = vec![(0u64, 0u64, 0u64); Engine::ALL.len() + 1];
    for seed in first..first + programs {
        let tree = random_program(seed, shape(seed));
        let program = build(&tree)?;
        let (copies, most) = if shape(seed).threads { (1 + (seed / 2) as usize % 2, 3) } else { (1, 1) };
        let question = Question::copies_of_main(&program, copies, Some(most)).ok_or("no main")?;
        let mut known: Option<(String, &'static str)> = None;
        for (index, naive) in (0..Engine::ALL.len()).map(|index| (index, false)).chain([(1, true)]) {
            let engine = Engine::ALL[index];
            if engine.objection(&program, &question).is_some() {
                continue;
            }
            let budget = Budget::unlimited().with_time(Duration::from_secs(10));
            let found = ask(&program, &question, engine, &settings(naive), &budget);
            let counts = &mut decided[if naive { Engine::ALL.len() } else { index }];
            match found.outcome {
                Outcome::Holds => counts.0 += 1,
                Outcome::Violated(_) => counts.1 += 1,
                Outcome::Undecided(_) => counts.2 += 1,
            }
            let word = found.outcome.word();
            if word == "undecided" {
                continue;
            }
            let name = format!("{}{}", engine.name(), if naive { " naive" } else { "" });
            match &known {
                Some((other, answer)) if *answer != word => {
                    let text = syntax::print(&tree);
                    return Err(format!("seed {seed}: {name} says {word}, {other} says {answer}\n{text}"));
                }
                Some(_) => {}
                None => known = Some((name, word)),
            }
        }
    }
    println!("{programs} programs from seed {first}, {:.1} s: no disagreement", clock.processor());
    println!("{:22} {:>8} {:>9} {:>10}", "engine", "holds", "violated", "undecided");
    let names = Engine::ALL.iter().map(|engine| engine.name()).chain(["bdd naive"]);
    for (name, (holds, violated, open)) in names.zip(decided) {
        println!("{name:22} {holds:>8} {violated:>9} {open:>10}");
    }
    Ok(())
}
