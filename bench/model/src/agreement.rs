//! Every engine, and a twin that looks at each state of the explored product, on the same random systems.

use crate::ask::{ENGINES, ask, safety};
use base::{Budget, Id};
use check::bisimulation::{Divergence, Equivalence, smallest};
use check::engine::FiniteSystem;
use check::safety::SafetyQuestion;
use check::temporal::meaning::{MaximalPath, Position};
use check::temporal::{Emptiness, TemporalSettings, is_blind_to_silence};
use lks::{ActionId, Composition, Lks, StateId, StateMark, Successors, explore};
use question::{Asks, Conformance};
use spec::Formula;
use std::collections::BTreeMap;
use std::time::Instant;
use testkit::Random;
use testkit::systems::{PLAIN, Shape};

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
        reachability(seed, &mut tally)?;
        conformance(seed, &mut tally)?;
        formulas(seed, &mut tally)?;
    }
    for ((what, word), count) in &tally.0 {
        println!("{what:<46} {word:<10} {count}");
    }
    println!("{systems} systems, no disagreement, {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

fn reachability(seed: u64, tally: &mut Tally) -> Result<(), String> {
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
        for engine in ENGINES {
            let answer = safety(&system, question, engine, &Budget::unlimited());
            let found = answer.verdict.word();
            tally.add(format!("{question:?} {}", engine), found);
            // An engine may decline what it cannot do; it may not be wrong.
            if found != expected && (found != "undecided" || engine == "auto") {
                return Err(format!("seed {seed}, {question:?}, {}: {found}, expected {expected}", engine));
            }
        }
    }
    Ok(())
}

fn conformance(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let mut random = Random::new(seed ^ 0x5eed);
    let shape = Shape { states: 4, actions: 2, density: 1, ..PLAIN };
    let system = random.composition(6, shape);
    let alphabet = system.alphabet();
    let actions: Vec<String> = alphabet.visible().map(|action| alphabet.name(action).to_owned()).collect();
    let density = 1 + random.below(3 * alphabet.len());
    let specification = random.lks_over("SPEC", Shape { states: 4, density, ..shape }, &actions);
    let unlimited = Budget::unlimited();
    let asked = |conformance, engine: &str| {
        let asks = Asks::Conforms(specification.clone().into(), conformance);
        ask(&FiniteSystem::new(&system), asks, engine, &unlimited).verdict
    };
    let game = |engine: &str| asked(Conformance::Simulation, engine);
    let expected = game("explicit").word();
    tally.add("simulation explicit".to_owned(), expected);
    // The twin: the greatest fixpoint by the letter of the definition.
    let all = explore(&system, "all", &unlimited).expect("no limit").lks;
    if word(simulated_by_iteration(&all, &specification)) != expected {
        return Err(format!("seed {seed}: simulation by the definition is not {expected}"));
    }
    for engine in ["auto", "symbolic", "compositional", "two-level"] {
        let found = game(engine).word();
        tally.add(format!("simulation {}", engine), found);
        if found != expected {
            return Err(format!("seed {seed}: {} simulation is {found}, not {expected}", engine));
        }
    }
    let traces = |engine: &str| asked(Conformance::Trace, engine).word();
    let expected_traces = traces("explicit");
    tally.add("traces explicit".to_owned(), expected_traces);
    if expected == "holds" && expected_traces != "holds" {
        return Err(format!("seed {seed}: simulated but not contained in traces"));
    }
    if word(contained_by_determinising(&all, &specification)) != expected_traces {
        return Err(format!("seed {seed}: traces by determinising are not {expected_traces}"));
    }
    for engine in ENGINES {
        let found = traces(engine);
        tally.add(format!("traces {}", engine), found);
        if found != expected_traces {
            return Err(format!("seed {seed}: traces by {} are not {expected_traces}", engine));
        }
    }
    for equivalence in [Equivalence::Strong, Equivalence::Branching(Divergence::Kept), Equivalence::Weak] {
        let small = smallest(&all, equivalence, &unlimited).expect("no limit");
        let outcome = check::bisimulation::bisimilar(&all, &small, equivalence, &unlimited);
        if !outcome.verdict.holds() {
            return Err(format!("seed {seed}: the quotient by {equivalence:?} is not equivalent"));
        }
    }
    Ok(())
}

/// Def. 4 of THESIS with weak answers: pairs are struck out until nothing changes.
fn simulated_by_iteration(implementation: &Lks, specification: &Lks) -> bool {
    let answer = |action: ActionId| specification.alphabet().find(implementation.alphabet().name(action));
    let weak = |state: StateId, action: ActionId| {
        let before = specification.silent_closure(vec![state]);
        if action.is_silent() {
            return before;
        }
        let targets =
            before.iter().flat_map(|at| specification.successors_by(*at, action)).copied().collect();
        specification.silent_closure(targets)
    };
    let mut related = vec![vec![true; specification.state_count()]; implementation.state_count()];
    loop {
        let mut changed = false;
        for i in implementation.states() {
            for s in specification.states() {
                let follows = implementation.transitions(i).all(|(action, next)| {
                    answer(action).is_some_and(|own| {
                        weak(s, own).iter().any(|other| related[next.index()][other.index()])
                    })
                });
                if related[i.index()][s.index()] && !follows {
                    related[i.index()][s.index()] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    let is_followed = |i: &StateId| specification.initial().iter().any(|s| related[i.index()][s.index()]);
    implementation.initial().iter().all(is_followed)
}

/// Both made deterministic, then walked together.
fn contained_by_determinising(implementation: &Lks, specification: &Lks) -> bool {
    let unlimited = Budget::unlimited();
    let left = implementation.determinise(&unlimited).expect("no limit");
    let right = specification.determinise(&unlimited).expect("no limit");
    let start = |lks: &Lks| lks.initial().first().copied();
    let (Some(l), Some(r)) = (start(&left), start(&right)) else { return start(&left).is_none() };
    let mut known = std::collections::BTreeSet::from([(l, r)]);
    let mut open = vec![(l, r)];
    while let Some((l, r)) = open.pop() {
        for (action, next) in left.transitions(l) {
            let own = right.alphabet().find(left.alphabet().name(action));
            let Some(other) = own.and_then(|own| right.successors_by(r, own).first().copied()) else {
                return false;
            };
            if known.insert((next, other)) {
                open.push((next, other));
            }
        }
    }
    true
}

fn formulas(seed: u64, tally: &mut Tally) -> Result<(), String> {
    let mut random = Random::new(seed ^ 0xf0f0);
    let system = random.system_for_formulas(6);
    let size = 1 + random.below(8);
    let mut formula = random.formula(size);
    // Those blind to silence are minimised most; every second system gets one.
    while seed.is_multiple_of(2) && !is_blind_to_silence(&formula) {
        formula = random.formula(size);
    }
    let ask = |engine: &str, emptiness, formula: &Formula| {
        let temporal = TemporalSettings { emptiness, ..TemporalSettings::default() };
        let asked = FiniteSystem { temporal, ..FiniteSystem::new(&system) };
        ask(&asked, Asks::Satisfies(formula.clone()), engine, &Budget::unlimited()).verdict.word()
    };
    let expected = ask("explicit", Emptiness::Components, &formula);
    tally.add("formula explicit".to_owned(), expected);
    if ask("explicit", Emptiness::NestedSearch, &formula) != expected {
        return Err(format!("seed {seed}: the two searches disagree on {formula}"));
    }
    for engine in ["auto", "symbolic", "compositional"] {
        let found = ask(engine, Emptiness::Components, &formula);
        tally.add(format!("formula {}", engine), found);
        if found != expected {
            return Err(format!("seed {seed}: {} says {found}, expected {expected}: {formula}", engine));
        }
    }
    // The twin: the definition on every short maximal path. It can only find violations.
    let all = explore(&system, "all", &Budget::unlimited()).expect("no limit").lks;
    let is_violated = some_short_path(&all, 5, |path| !path.satisfies(&formula));
    tally.add("formula, short paths".to_owned(), if is_violated { "violated" } else { "none found" });
    if is_violated && expected == "holds" {
        return Err(format!("seed {seed}: a short path violates {formula}, which is said to hold"));
    }
    // Not both a formula and its negation can hold: there is a path.
    let negation = formula.clone().negate();
    if expected == "holds" && ask("explicit", Emptiness::Components, &negation) == "holds" {
        return Err(format!("seed {seed}: both {formula} and its negation hold"));
    }
    Ok(())
}

/// Is one of the finite maximal paths and lassos of at most `length` steps wanted?
fn some_short_path(lks: &Lks, length: usize, wanted: impl Fn(&MaximalPath) -> bool) -> bool {
    /// Past this many paths the rest is left out.
    const MOST_PATHS: usize = 20_000;
    let position = |state: StateId, event: Option<ActionId>| Position {
        propositions: lks.label(state).iter().map(|id| lks.propositions().name(id).to_owned()).collect(),
        event: event.map(|action| lks.alphabet().name(action).to_owned()),
    };
    let mut open: Vec<(Vec<Position>, Vec<StateId>)> =
        lks.initial().iter().map(|state| (Vec::new(), vec![*state])).collect();
    let mut seen = 0;
    while let Some((positions, states)) = open.pop() {
        seen += 1;
        if seen > MOST_PATHS {
            return false;
        }
        let last = *states.last().expect("a path has a state");
        if lks.actions(last).is_empty() {
            let mut stem = positions.clone();
            stem.push(position(last, None));
            if wanted(&MaximalPath { stem, cycle: Vec::new() }) {
                return true;
            }
        }
        if let Some(entry) = states[..states.len() - 1].iter().position(|state| *state == last) {
            let (stem, cycle) = positions.split_at(entry);
            if wanted(&MaximalPath { stem: stem.to_vec(), cycle: cycle.to_vec() }) {
                return true;
            }
        }
        if positions.len() < length {
            for (action, target) in lks.transitions(last) {
                let mut longer = (positions.clone(), states.clone());
                longer.0.push(position(last, Some(action)));
                longer.1.push(target);
                open.push(longer);
            }
        }
    }
    false
}
