//! Every engine, and a twin that looks at each state of the explored product, on the same random systems.

use crate::support::{PLAIN, Random, Shape};
use base::Budget;
use check::Engine;
use check::bisimulation::{Divergence, Equivalence, smallest};
use check::engine::{check_formula, check_safety, check_simulation, check_traces};
use check::safety::SafetyQuestion;
use check::simulation::SimulationSettings;
use check::temporal::{Emptiness, TemporalSettings};
use lks::{Composition, StateMark, Successors, explore};
use spec::Formula;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

const QUESTIONS: [SafetyQuestion; 3] =
    [SafetyQuestion::Deadlock, SafetyQuestion::Error, SafetyQuestion::DeadlockOrError];

fn is_safe(system: &Composition, question: SafetyQuestion) -> bool {
    let all = explore(system, "all", &Budget::unlimited()).expect("no limit").lks;
    all.states().all(|state| match all.mark(state) {
        StateMark::Error => question == SafetyQuestion::Deadlock,
        StateMark::End => true,
        StateMark::Plain => !all.actions(state).is_empty() || question == SafetyQuestion::Error,
    })
}

fn word(holds: bool) -> &'static str {
    if holds { "holds" } else { "violated" }
}

/// Counts answers by question and word.
#[derive(Default)]
struct Tally(BTreeMap<(String, &'static str), u64>);

impl Tally {
    fn add(&mut self, what: String, word: &'static str) {
        *self.0.entry((what, word)).or_default() += 1;
    }
}

pub fn run(systems: u64, first_seed: u64) -> Result<(), String> {
    let started = Instant::now();
    let mut tally = Tally::default();
    for seed in first_seed..first_seed + systems {
        safety(seed, &mut tally)?;
        conformance(seed, &mut tally)?;
        formulas(seed, &mut tally)?;
    }
    for ((what, word), count) in &tally.0 {
        println!("{what:<46} {word:<10} {count}");
    }
    println!("{systems} systems, no disagreement, {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

fn safety(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let mut random = Random::new(seed);
    let shape = Shape {
        states: 4,
        actions: 3,
        density: 1 + random.below(2),
        silent: random.chance(50),
        propositions: 0,
        ends: random.chance(40),
        errors: random.chance(40),
    };
    let system =
        if random.chance(50) { random.composition(6, shape) } else { random.watched_composition(5, shape) };
    for question in QUESTIONS {
        let expected = word(is_safe(&system, question));
        for engine in Engine::ALL {
            let answer = check_safety(&system, "safety", question, engine, &Budget::unlimited());
            let found = answer.verdict.word();
            tally.add(format!("{question:?} {}", engine.name()), found);
            // An engine may decline what it cannot do; it may not be wrong.
            if found != expected && (found != "undecided" || engine == Engine::Auto) {
                return Err(format!(
                    "seed {seed}, {question:?}, {}: {found}, expected {expected}",
                    engine.name()
                ));
            }
        }
    }
    Ok(())
}

fn conformance(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let mut random = Random::new(seed ^ 0x5eed);
    let shape = Shape { states: 4, actions: 2, density: 1, ..PLAIN };
    let system = random.composition(4, shape);
    let alphabet = system.alphabet();
    let actions: Vec<String> = alphabet.visible().map(|action| alphabet.name(action).to_owned()).collect();
    let density = 1 + random.below(3 * alphabet.len());
    let specification = random.lks_over("SPEC", Shape { states: 4, density, ..shape }, &actions);
    let settings = SimulationSettings::default();
    let unlimited = Budget::unlimited();
    let game =
        |engine| check_simulation(&system, &specification, "sim", &settings, engine, &unlimited).verdict;
    let expected = game(Engine::Explicit).word();
    tally.add("simulation explicit".to_owned(), expected);
    if game(Engine::TwoLevel).word() != expected {
        return Err(format!("seed {seed}: two-level simulation is not {expected}"));
    }
    let traces = |engine| check_traces(&system, &specification, "traces", engine, &unlimited).verdict.word();
    let expected_traces = traces(Engine::Explicit);
    tally.add("traces explicit".to_owned(), expected_traces);
    if expected == "holds" && expected_traces != "holds" {
        return Err(format!("seed {seed}: simulated but not contained in traces"));
    }
    for engine in Engine::ALL {
        if traces(engine) != expected_traces {
            return Err(format!("seed {seed}: traces by {} are not {expected_traces}", engine.name()));
        }
    }
    let all = explore(&system, "all", &unlimited).expect("no limit").lks;
    for equivalence in [Equivalence::Strong, Equivalence::Branching(Divergence::Kept), Equivalence::Weak] {
        let small = smallest(&all, equivalence, &unlimited).expect("no limit");
        let outcome = check::bisimulation::bisimilar(&all, &small, equivalence, &unlimited);
        if !outcome.verdict.holds() {
            return Err(format!("seed {seed}: the quotient by {equivalence:?} is not equivalent"));
        }
    }
    Ok(())
}

fn formula(random: &mut Random, size: usize) -> Formula {
    if size <= 1 {
        return match random.below(6) {
            0 => Formula::proposition("C0.p0"),
            1 => Formula::proposition("C1.p0"),
            n => Formula::event(&format!("a{}", n - 2)),
        };
    }
    let kind = random.below(10);
    let left_size = 1 + random.below(size - 1);
    let left = Arc::new(formula(random, if kind < 4 { size - 1 } else { left_size }));
    let mut right = || Arc::new(formula(random, (size - left_size).max(1)));
    match kind {
        0 => Formula::Not(left),
        1 => Formula::Next(left),
        2 => Formula::Eventually(left),
        3 => Formula::Always(left),
        4 => Formula::And(left, right()),
        5 => Formula::Or(left, right()),
        6 => Formula::Implies(left, right()),
        7 => Formula::Until(left, right()),
        8 => Formula::WeakUntil(left, right()),
        _ => Formula::Release(left, right()),
    }
}

fn formulas(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let mut random = Random::new(seed ^ 0xf0f0);
    let system = random.composition(4, Shape { states: 3, actions: 2, density: 2, propositions: 1, ..PLAIN });
    let size = 2 + random.below(7);
    let formula = formula(&mut random, size);
    let ask = |emptiness, formula: &Formula| {
        let settings = TemporalSettings { emptiness, ..TemporalSettings::default() };
        check_formula(&system, formula, "formula", &settings, Engine::Explicit, &Budget::unlimited())
            .verdict
            .word()
    };
    let by_components = ask(Emptiness::Components, &formula);
    tally.add("formula explicit".to_owned(), by_components);
    if ask(Emptiness::NestedSearch, &formula) != by_components {
        return Err(format!("seed {seed}: the two searches disagree on {formula}"));
    }
    // Not both a formula and its negation can hold: there is a path.
    if by_components == "holds" && ask(Emptiness::Components, &formula.clone().negate()) == "holds" {
        return Err(format!("seed {seed}: both {formula} and its negation hold"));
    }
    Ok(())
}
