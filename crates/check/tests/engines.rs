//! All engines agree on conformance questions, and `auto` says which answered.

use base::Budget;
use check::engine::{check_formula, check_safety, check_simulation, check_traces};
use check::safety::SafetyQuestion;
use check::simulation::SimulationSettings;
use check::temporal::{TemporalSettings, is_blind_to_silence};
use check::{Engine, UnknownActions};
use lks::{ActionId, Alphabet, Component, Composition, LksBuilder, StateMark, Successors};
use question::Counterexample;
use spec::Formula;
use testkit::Random;
use testkit::systems::Shape;

const SHAPE: Shape =
    Shape { states: 4, actions: 2, density: 1, silent: true, propositions: 0, ends: false, errors: false };

/// Sometimes without an action of the system; its propositions are called like those of the first component.
fn specification(random: &mut Random, alphabet: &Alphabet, density: usize) -> lks::Lks {
    let mut actions: Vec<String> =
        alphabet.visible().map(|action| alphabet.name(action).to_owned()).collect();
    if actions.len() > 1 && random.chance(30) {
        actions.pop();
    }
    random.lks_over("C0", Shape { states: 4, density, ..SHAPE }, &actions)
}

#[test]
fn engines_agree_on_traces() {
    let (mut held, mut failed) = (0, 0);
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let system: Composition = random.composition(3, SHAPE);
        let density = 1 + random.below(2 * system.alphabet().len());
        let specification = specification(&mut random, system.alphabet(), density);
        let system = if seed % 4 == 0 { system.hiding(|name| name == "a1") } else { system };
        let unknown = if seed % 3 == 0 { UnknownActions::Silent } else { UnknownActions::Forbidden };
        let ask = |engine| {
            let budget = Budget::unlimited();
            check_traces(&system, &specification, "traces", unknown, engine, &budget).verdict
        };
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
fn engines_agree_on_simulation() {
    let (mut held, mut failed, mut declined) = (0, 0, 0);
    for seed in 0..300 {
        let mut random = Random::new(seed + 300);
        let shape = Shape { propositions: usize::from(seed % 3 == 0), ends: seed % 5 == 0, ..SHAPE };
        let system: Composition = random.composition(3, shape);
        let system = if seed % 4 == 1 { system.hiding(|name| name == "a1") } else { system };
        let density = 1 + random.below(3 * system.alphabet().len());
        let specification = specification(&mut random, system.alphabet(), density);
        let unknown_actions = if seed % 2 == 0 { UnknownActions::Silent } else { UnknownActions::Forbidden };
        let settings = SimulationSettings { unknown_actions, counterexamples: 1 };
        let ask = |engine| {
            check_simulation(&system, &specification, "conforms", &settings, engine, &Budget::unlimited())
                .verdict
        };
        let expected = ask(Engine::Explicit);
        for engine in [Engine::Auto, Engine::Symbolic, Engine::Compositional] {
            assert_eq!(ask(engine).word(), expected.word(), "seed {seed}, {}", engine.name());
        }
        let by_quotients = ask(Engine::TwoLevel);
        declined += usize::from(by_quotients.is_undecided());
        assert!(by_quotients.is_undecided() || by_quotients.word() == expected.word(), "seed {seed}");
        assert!(ask(Engine::Learn1).is_undecided(), "what an engine cannot do it says");
        *(if expected.holds() { &mut held } else { &mut failed }) += 1;
    }
    assert!(held > 30 && failed > 30 && declined < 200, "{held} held, {failed} failed, {declined} declined");
}

#[test]
fn engines_agree_on_formulas() {
    let (mut held, mut failed, mut blind) = (0, 0, 0);
    for seed in 0..450 {
        let mut random = Random::new(seed + 7000);
        let system = random.system_for_formulas(4);
        let size = 1 + random.below(7);
        let mut formula = random.formula(size);
        while seed % 3 == 0 && !is_blind_to_silence(&formula) {
            formula = random.formula(size);
        }
        let settings = TemporalSettings::default();
        let ask = |engine| {
            check_formula(&system, &formula, "formula", &settings, engine, &Budget::unlimited()).verdict
        };
        let expected = ask(Engine::Explicit);
        for engine in [Engine::Auto, Engine::Symbolic, Engine::Compositional] {
            assert_eq!(ask(engine).word(), expected.word(), "seed {seed}, {}: {formula}", engine.name());
        }
        *(if expected.holds() { &mut held } else { &mut failed }) += 1;
        blind += usize::from(is_blind_to_silence(&formula));
    }
    assert!(held > 80 && failed > 80 && blind > 150, "{held} held, {failed} failed, {blind} blind");
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

#[test]
fn nothing_moves_after_error_in_the_evidence() {
    // Once P is in ERROR, Q's silent step, which no formula can see, may not be part of the run.
    let mut builder = LksBuilder::new("P");
    let a = builder.action("a");
    let states = [builder.state(), builder.state()];
    builder.initial(states[0]);
    builder.transition(states[0], a, states[1]);
    builder.mark(states[1], StateMark::Error);
    let p = Component::process(builder.build());
    let mut builder = LksBuilder::new("Q");
    let states = [builder.state(), builder.state()];
    builder.initial(states[0]);
    builder.transition(states[0], ActionId::TAU, states[1]);
    let q = Component::process(builder.build());
    let system = Composition::new(vec![p, q]);
    let formula = Formula::parse("G !a", 0).unwrap();
    let settings = TemporalSettings::default();
    for engine in [Engine::Explicit, Engine::Symbolic, Engine::Compositional] {
        let answer = check_formula(&system, &formula, "never a", &settings, engine, &Budget::unlimited());
        let Some(Counterexample::MaximalPath(path)) = answer.verdict.counterexample() else {
            panic!("{}: {:?}", engine.name(), answer.verdict)
        };
        assert_eq!(path.steps.last().map(|step| step.action.as_str()), Some("a"), "{}", engine.name());
    }
}
