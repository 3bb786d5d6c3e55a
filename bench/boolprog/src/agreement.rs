//! All engines on random programs: one thread with recursion, up to three threads (some with recursion), threads that change
//! variables of others, and threads from a second generator. Some are also asked without a bound on threads, and some of the brute-force oracle.

use crate::oracle::{self, OracleTask};
use base::{Budget, Diagnostics};
use boolprog::cover;
use boolprog::engine::{BDD, EngineSettings, UnboundedEngine, WITH_A_BOUND, ask_unbounded, has_recursion};
use boolprog::explicit::ExplicitSettings;
use boolprog::graph::Program;
use boolprog::summaries::SummarySettings;
use boolprog::syntax::ProgramTree;
use boolprog::threads::UnboundedSetup;
use boolprog::unrolling::UnrollingSettings;
use boolprog::{Setup, graph, syntax};
use logic::bdd::BddSettings;
use question::decided::word;
use question::{Engine, Monitor};
use std::collections::BTreeMap;
use std::time::Duration;
use testkit::boolean::{RandomSettings, random_program};
use testkit::clock::Clock;

/// Which programs are compared.
pub struct Wanted {
    /// So many.
    pub programs: u64,
    /// From this seed on.
    pub first: u64,
    /// The oracle is asked about so many of them.
    pub oracle: u64,
}

/// A random program and what is asked of it.
struct Sample {
    tree: ProgramTree,
    program: Program,
    question: Setup,
}

/// Every such program is also asked without a bound.
const UNBOUNDED_EVERY: u64 = 5;

fn sample(seed: u64) -> Result<Sample, String> {
    let (tree, copies, most) = match seed % 4 {
        0 => (random_program(seed, shape(false, true)), 1, 1),
        1 => (random_program(seed, shape(true, seed % 8 == 1)), 1 + seed as usize / 4 % 2, 3),
        2 => {
            let text = match seed % 24 {
                2 => testkit::threaded::broadcasting_recursive_program(seed),
                _ => testkit::threaded::broadcasting_program(seed),
            };
            (parse(&text)?, 1 + seed as usize / 4 % 3, 3)
        }
        _ => (parse(&testkit::threaded::threaded_program(seed))?, 1 + seed as usize / 4 % 3, 3),
    };
    let program = build(&tree)?;
    let question = Setup::copies_of_main(&program, copies, Some(most)).ok_or("no main")?;
    Ok(Sample { tree, program, question })
}

fn shape(threads: bool, recursion: bool) -> RandomSettings {
    let (globals, locals) = if threads { (2, 1) } else { (3, 2) };
    RandomSettings { procedures: 4, globals, locals, statements: 3, threads, recursion }
}

fn parse(text: &str) -> Result<ProgramTree, String> {
    let mut diagnostics = Diagnostics::default();
    let tree = syntax::parse(text, 1, &mut diagnostics);
    if diagnostics.has_errors() { Err(format!("a random program does not parse:\n{text}")) } else { Ok(tree) }
}

fn build(tree: &ProgramTree) -> Result<Program, String> {
    let mut diagnostics = Diagnostics::default();
    graph::build(tree, &[], &mut diagnostics)
        .ok_or_else(|| format!("{:?}\n{}", diagnostics.iter().collect::<Vec<_>>(), syntax::print(tree)))
}

fn settings(naive: bool) -> EngineSettings {
    let bdd = BddSettings { node_limit: 1 << 20, cache_entries: 1 << 14 };
    let base = if naive { SummarySettings::naive() } else { SummarySettings::default() };
    EngineSettings {
        explicit: ExplicitSettings { most_states: 20_000, deepest_stack: 6 },
        bdd: SummarySettings { bdd, ..base },
        sat: UnrollingSettings { most_copies: 6_000 },
        keep_empty_steps: naive,
        with_proof: false,
    }
}

/// How often each engine gave each answer.
#[derive(Default)]
struct Table {
    rows: BTreeMap<(usize, String), BTreeMap<&'static str, u64>>,
}

impl Table {
    fn count(&mut self, order: usize, engine: &str, answer: &'static str) {
        *self.rows.entry((order, engine.to_owned())).or_default().entry(answer).or_default() += 1;
    }

    fn print(&self) {
        println!("{:26} {:>8} {:>9} {:>10}", "engine", "holds", "violated", "undecided");
        for ((_, engine), counts) in &self.rows {
            let of = |answer| counts.get(answer).copied().unwrap_or(0);
            println!("{engine:26} {:>8} {:>9} {:>10}", of("holds"), of("violated"), of("undecided"));
        }
    }
}

/// Compares; the first contradiction is the error.
pub fn run(wanted: &Wanted) -> Result<(), String> {
    let clock = Clock::of_process();
    let mut table = Table::default();
    let mut for_oracle: Vec<OracleTask> = Vec::new();
    let (mut decided, mut open) = (0, 0);
    for seed in wanted.first..wanted.first + wanted.programs {
        let sample = sample(seed)?;
        let known = bounded(seed, &sample, &mut table)?;
        if seed % UNBOUNDED_EVERY == 0 && !has_recursion(&sample.program) {
            unbounded(seed, &sample, known, &mut table)?;
        }
        match known {
            Some(_) => decided += 1,
            None => open += 1,
        }
        // The oracle knows no variables of other threads.
        if seed - wanted.first < wanted.oracle && !sample.program.has_broadcasts() {
            for_oracle.push(OracleTask::new(seed, sample.tree, &sample.question, known));
        }
        if (seed + 1) % 1000 == 0 {
            println!("{} programs, {:.0} s", seed + 1 - wanted.first, clock.processor());
        }
    }
    println!(
        "{} programs from seed {}, {:.1} s: no disagreement; {decided} decided, {open} open for all",
        wanted.programs,
        wanted.first,
        clock.processor()
    );
    table.print();
    if for_oracle.is_empty() { Ok(()) } else { oracle::compare(for_oracle) }
}

fn contradiction(seed: u64, sample: &Sample, one: &str, said: &str, other: &str, answer: &str) -> String {
    let text = syntax::print(&sample.tree);
    format!("seed {seed}: {one} says {said}, {other} says {answer}\n{:?}\n{text}", sample.question)
}

/// All engines that can be asked, and the naive summaries; what they say.
fn bounded(seed: u64, sample: &Sample, table: &mut Table) -> Result<Option<&'static str>, String> {
    let (program, question) = (&sample.program, &sample.question);
    let mut known: Option<(String, &'static str)> = None;
    let engines = WITH_A_BOUND.iter().map(|engine| (engine, false)).chain([(&BDD, true)]);
    for (order, (engine, naive)) in engines.enumerate() {
        if engine.objection(program, question).is_some() {
            continue;
        }
        let budget = Budget::unlimited().with_time(Duration::from_secs(10));
        let outcome = engine.search(program, question, &settings(naive), Monitor::silent(&budget)).outcome;
        let name = format!("{}{}", engine.name(), if naive { ", naive" } else { "" });
        table.count(order, &name, word(&outcome));
        if let Err(why) = &outcome {
            // A run that the interpreter refuses would be hidden by an "undecided".
            if why.to_string().contains("could not be confirmed") {
                return Err(contradiction(seed, sample, &name, &why.to_string(), "nobody", "that"));
            }
            continue;
        }
        match &known {
            Some((other, answer)) if *answer != word(&outcome) => {
                return Err(contradiction(seed, sample, &name, word(&outcome), other, answer));
            }
            Some(_) => {}
            None => known = Some((name, word(&outcome))),
        }
    }
    Ok(known.map(|(_, answer)| answer))
}

/// All engines without a bound: they agree, and what holds for any number of threads holds for three.
fn unbounded(
    seed: u64,
    sample: &Sample,
    bounded: Option<&'static str>,
    table: &mut Table,
) -> Result<(), String> {
    let question = UnboundedSetup { roots: sample.question.roots.clone(), any_number_of: None };
    let coverability = cover::Engine::FORCED.map(UnboundedEngine::Coverability);
    let mut known: Option<(&'static str, &'static str)> = None;
    let engines = coverability.into_iter().chain([UnboundedEngine::Cutoff, UnboundedEngine::FewThreads]);
    for (order, engine) in engines.enumerate() {
        let budget = Budget::unlimited().with_time(Duration::from_millis(500));
        let found = ask_unbounded(
            &sample.program,
            &question,
            engine,
            cover::Recheck::Small,
            Monitor::silent(&budget),
        );
        let word = word(&found.findings.outcome);
        table.count(100 + order, &format!("unbounded: {}", found.engine), word);
        if word == "undecided" {
            continue;
        }
        if word == "holds" && bounded == Some("violated") {
            return Err(contradiction(seed, sample, found.engine, word, "a bounded engine", "violated"));
        }
        match known {
            Some((other, answer)) if answer != word => {
                return Err(contradiction(seed, sample, found.engine, word, other, answer));
            }
            _ => known = Some((found.engine, word)),
        }
    }
    Ok(())
}
