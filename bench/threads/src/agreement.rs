//! All thread engines and the explicit interpreter on many random programs.

use crate::programs;
use base::Budget;
use boolprog::explicit::{ExplicitSettings, explore};
use boolprog::threads::counters::Until;
use boolprog::threads::{ThreadEngine, check, random};
use boolprog::{Outcome, Question};
use std::time::Duration;

/// Compares on `count` programs from `seed` on; stops at the first difference.
pub fn run(count: u64, seed: u64) -> Result<(), String> {
    let (mut safe, mut failing, mut open, mut slow) = (0, 0, 0, 0);
    for seed in seed..seed + count {
        let text = random::threaded_program(seed);
        let program = programs::read(&text).map_err(|why| format!("seed {seed}: {why}\n{text}"))?;
        let main = program.main().ok_or("no main")?;
        let question = Question { roots: vec![main; 1 + seed as usize % 3], most_threads: Some(3) };
        let settings = ExplicitSettings { most_states: 50_000, deepest_stack: 12 };
        let budget = || Budget::unlimited().with_time(Duration::from_secs(20));
        let expected = match explore(&program, &question, settings, &budget()).outcome {
            Outcome::Holds => "holds",
            Outcome::Violated(_) => "violated",
            Outcome::Undecided(_) => {
                open += 1;
                continue;
            }
        };
        if expected == "holds" {
            safe += 1
        } else {
            failing += 1
        }
        for engine in ThreadEngine::ALL {
            let found = check(&program, &question, engine, Until::FirstFailure, &budget()).outcome;
            match &found {
                Outcome::Undecided(why) if why.to_string().contains("time limit") => slow += 1,
                _ if found.word() == expected => {}
                _ => {
                    let engine = engine.name();
                    return Err(format!("seed {seed}: {engine} says {found:?}, expected {expected}\n{text}"));
                }
            }
        }
        if seed % 1000 == 999 {
            println!("{}: {safe} safe, {failing} failing, {open} too large for the interpreter", seed + 1);
        }
    }
    println!(
        "{count} programs: {safe} safe, {failing} failing, {open} too large for the interpreter; {} engines agree; \
         {slow} time limits",
        ThreadEngine::ALL.len()
    );
    Ok(())
}
