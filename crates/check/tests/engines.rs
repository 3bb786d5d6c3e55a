//! All engines agree on conformance questions, and `auto` says which answered.

mod support;

use base::Budget;
use check::Engine;
use check::engine::{check_safety, check_simulation, check_traces};
use check::safety::SafetyQuestion;
use check::simulation::SimulationSettings;
use lks::{Alphabet, Composition, Successors};
use support::{Random, Shape};

const SHAPE: Shape =
    Shape { states: 4, actions: 2, density: 1, silent: true, propositions: 0, ends: false, errors: false };

fn specification(random: &mut Random, alphabet: &Alphabet, density: usize) -> lks::Lks {
    let actions: Vec<String> = alphabet.visible().map(|action| alphabet.name(action).to_owned()).collect();
    random.lks_over("SPEC", Shape { states: 4, density, ..SHAPE }, &actions)
}

#[test]
fn engines_agree_on_traces() {
    let (mut held, mut failed) = (0, 0);
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let system: Composition = random.composition(3, SHAPE);
        let density = 1 + random.below(2 * system.alphabet().len());
        let specification = specification(&mut random, system.alphabet(), density);
        let ask =
            |engine| check_traces(&system, &specification, "traces", engine, &Budget::unlimited()).verdict;
        let expected = ask(Engine::Explicit);
        assert!(!expected.is_undecided());
        *(if expected.holds() { &mut held } else { &mut failed }) += 1;
        for engine in [
            Engine::Auto,
            Engine::Symbolic,
            Engine::Compositional,
            Engine::TwoLevel,
            Engine::Learn1,
            Engine::Learn2,
        ] {
            assert_eq!(ask(engine).word(), expected.word(), "seed {seed}, {}", engine.name());
        }
    }
    assert!(held > 30 && failed > 30, "{held} held, {failed} failed");
}

#[test]
fn two_level_simulation_agrees_with_the_explored_game() {
    let (mut held, mut failed) = (0, 0);
    for seed in 0..300 {
        let mut random = Random::new(seed + 300);
        let shape = Shape { propositions: usize::from(seed % 3 == 0), ..SHAPE };
        let system: Composition = random.composition(3, shape);
        let density = 1 + random.below(3 * system.alphabet().len());
        let specification = specification(&mut random, system.alphabet(), density);
        let settings = SimulationSettings::default();
        let ask = |engine| {
            check_simulation(&system, &specification, "conforms", &settings, engine, &Budget::unlimited())
                .verdict
        };
        let expected = ask(Engine::Explicit);
        assert_eq!(ask(Engine::TwoLevel).word(), expected.word(), "seed {seed}");
        assert!(ask(Engine::Symbolic).is_undecided(), "what an engine cannot do it says");
        *(if expected.holds() { &mut held } else { &mut failed }) += 1;
    }
    assert!(held > 30 && failed > 30, "{held} held, {failed} failed");
}

#[test]
fn auto_names_the_engine_and_why() {
    let system = Random::new(1).composition(3, SHAPE);
    let answer =
        check_safety(&system, "deadlock", SafetyQuestion::Deadlock, Engine::Auto, &Budget::unlimited());
    assert_eq!(answer.engine, "explicit");
    assert!(!answer.engine_reason.is_empty());
    assert!(Engine::ALL.iter().all(|engine| Engine::from_name(engine.name()) == Some(*engine)));
    let forced =
        check_safety(&system, "deadlock", SafetyQuestion::Deadlock, Engine::Learn1, &Budget::unlimited());
    assert!(forced.verdict.is_undecided());
}
