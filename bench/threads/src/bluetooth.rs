//! The Bluetooth driver (BOOM A.4-A.6, corrected): all states with 2, 3, … threads, beside BOOM's Table 7.1, and the
//! unbounded question.

use crate::programs;
use base::Budget;
use boolprog::Setup;
use boolprog::cover::Engine;
use boolprog::threads::counters::Until;
use boolprog::threads::flat::flatten;
use boolprog::threads::thread_state::{Compression, ThreadStates};
use boolprog::threads::{
    ThreadEngine, Unbounded, UnboundedSettings, UnboundedSetup, check, check_by_cutoff, unbounded,
};
use question::Monitor;
use question::decided::word;
use std::time::Duration;
use testkit::clock::Clock;

/// Seconds printed in Table 7.1, by threads; for two threads the table says "< 0.1".
const PRINTED: [(usize, f64); 5] = [(2, 0.1), (3, 0.1), (4, 1.2), (5, 12.1), (6, 88.8)];

/// Seconds of processor time after which no further run is needed.
const ENOUGH: f64 = 1.0;

/// Explores with up to `most` threads; every state, past the first failure.
pub fn run(most: usize) -> Result<(), String> {
    let path = programs::shared().join("data/boolean/bluetooth_A4_A6.bp");
    let text = std::fs::read_to_string(&path).map_err(|why| format!("absent: {}: {why}", path.display()))?;
    let program = programs::read(&text)?;
    let main = program.main().ok_or("no main")?;
    println!(
        "engine                   threads  verdict    states     processor s  per thread  BOOM s  factor"
    );
    let engines = [
        ("counters-compressed", most),
        ("counters-reduced", most.min(8)),
        ("counters", most.min(6)),
        ("counters-cartesian-ample", most.min(5)),
        ("symbolic-counters", most.min(4)),
    ];
    for (engine, most) in engines {
        let engine = ThreadEngine::named(engine).ok_or("no such engine")?;
        let mut before: Option<f64> = None;
        for threads in 2..=most {
            let question = Setup { roots: vec![main; threads], most_threads: Some(threads) };
            let budget = Budget::unlimited().with_time(Duration::from_secs(900));
            // The clock moves in steps of milliseconds: so many runs in a row that their mean says something.
            let clock = Clock::start();
            let mut runs = 0u32;
            let answer = loop {
                let answer = check(&program, &question, engine, Until::Exhausted, Monitor::silent(&budget));
                runs += 1;
                if clock.processor() >= ENOUGH {
                    break answer;
                }
            };
            let seconds = clock.processor() / f64::from(runs);
            let states = answer.statistics.value("states").or(answer.statistics.value("symbolic states"));
            let growth = before.map_or("-".to_owned(), |before| format!("{:.1}x", seconds / before));
            let printed = PRINTED.iter().find(|(known, _)| *known == threads);
            let (printed, factor) = printed.map_or(("-".to_owned(), "-".to_owned()), |(_, printed)| {
                (printed.to_string(), format!("{:.0}x", printed / seconds))
            });
            println!(
                "{:24} {threads:>7}  {:9} {:>9} {seconds:>13.4}  {growth:>10}  {printed:>6}  {factor:>6}",
                engine.name,
                word(&answer.outcome),
                states.unwrap_or(0),
            );
            before = Some(seconds);
        }
    }
    println!("\nany number of threads");
    let question = UnboundedSetup { roots: Vec::new(), any_number_of: Some(main) };
    for engine in [Engine::Widening, Engine::Backward, Engine::KarpMiller] {
        let mut states = states(&program)?;
        let clock = Clock::start();
        let budget = Budget::unlimited().with_time(Duration::from_secs(300));
        let settings = UnboundedSettings::new(engine);
        let Unbounded { findings, setup, .. } =
            unbounded::check(&mut states, &question, settings, Monitor::silent(&budget));
        let figure = |name| findings.statistics.value(name).unwrap_or(0);
        let threads = setup.map_or(0, |question| question.roots.len());
        println!(
            "{:24} {} after {:.3} s, with {threads} threads at the start; {} thread states, {} transitions",
            engine.name(),
            word(&findings.outcome),
            clock.processor(),
            figure("thread states"),
            figure("transitions")
        );
    }
    let clock = Clock::start();
    let budget = Budget::unlimited().with_time(Duration::from_secs(300));
    let answer = check_by_cutoff(&mut states(&program)?, &question, 8, Monitor::silent(&budget));
    println!("cutoff                   {} after {:.3} s", word(&answer.findings.outcome), clock.processor());
    Ok(())
}

fn states(program: &boolprog::graph::Program) -> Result<ThreadStates<'_>, String> {
    let main = program.main().ok_or("no main")?;
    let flat = flatten(program, &[main]).map_err(|why| format!("{why:?}"))?;
    Ok(ThreadStates::new(flat, Compression::LocalSteps))
}
