//! All engines agree on conformance questions, and `auto` says which answered.

use base::{Budget, Silent};
use check::UnknownActions;
use check::engine::{
    COMPOSITIONAL, ENGINES, EXPLICIT, FiniteEngine, FiniteSystem, LEARN1, LEARN2, SYMBOLIC, TWO_LEVEL, named,
};
use check::temporal::is_blind_to_silence;
use lks::{ActionId, Alphabet, Component, Composition, LksBuilder, StateMark, Successors};
use question::{Answer, Asks, Conformance, Counterexample, Engine};
use spec::Formula;
use testkit::Random;
use testkit::events::Heard;
use testkit::systems::Shape;

const SHAPE: Shape =
    Shape { states: 4, actions: 2, density: 1, silent: true, propositions: 0, ends: false, errors: false };

/// By this engine, or by the one that is chosen.
fn ask_of(system: &FiniteSystem<'_>, asks: &Asks, engine: Option<&FiniteEngine>) -> Answer {
    check::ask(&system.question("asked", asks.clone()), engine, &Budget::unlimited(), &Silent)
}

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
        let asked = FiniteSystem { unknown_actions: unknown, ..FiniteSystem::new(&system) };
        let asks = Asks::Conforms(specification.into(), Conformance::Trace);
        let ask = |engine| ask_of(&asked, &asks, engine).verdict;
        let expected = ask(Some(&EXPLICIT));
        assert!(!expected.is_undecided());
        *(if expected.holds() { &mut held } else { &mut failed }) += 1;
        assert_eq!(ask(None).word(), expected.word(), "seed {seed}, auto");
        let others: [&FiniteEngine; 5] = [&SYMBOLIC, &COMPOSITIONAL, &TWO_LEVEL, &LEARN1, &LEARN2];
        for engine in others {
            assert_eq!(ask(Some(engine)).word(), expected.word(), "seed {seed}, {}", engine.name());
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
        let asked = FiniteSystem { unknown_actions, ..FiniteSystem::new(&system) };
        let asks = Asks::Conforms(specification.into(), Conformance::Simulation);
        let ask = |engine| ask_of(&asked, &asks, engine).verdict;
        let expected = ask(Some(&EXPLICIT));
        let engines: [Option<&FiniteEngine>; 3] = [None, Some(&SYMBOLIC), Some(&COMPOSITIONAL)];
        for engine in engines {
            assert_eq!(ask(engine).word(), expected.word(), "seed {seed}");
        }
        let by_quotients = ask(Some(&TWO_LEVEL));
        declined += usize::from(by_quotients.is_undecided());
        assert!(by_quotients.is_undecided() || by_quotients.word() == expected.word(), "seed {seed}");
        assert!(ask(Some(&LEARN1)).is_undecided(), "what an engine cannot do it says");
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
        let (asked, asks) = (FiniteSystem::new(&system), Asks::Satisfies(formula.clone()));
        let ask = |engine| ask_of(&asked, &asks, engine).verdict;
        let expected = ask(Some(&EXPLICIT));
        let engines: [Option<&FiniteEngine>; 3] = [None, Some(&SYMBOLIC), Some(&COMPOSITIONAL)];
        for engine in engines {
            assert_eq!(ask(engine).word(), expected.word(), "seed {seed}: {formula}");
        }
        *(if expected.holds() { &mut held } else { &mut failed }) += 1;
        blind += usize::from(is_blind_to_silence(&formula));
    }
    assert!(held > 80 && failed > 80 && blind > 150, "{held} held, {failed} failed, {blind} blind");
}

/// Every kind of question that an engine can answer: somebody who waits for it hears a figure.
#[test]
fn every_engine_tells_how_far_it_has_come() {
    let mut random = Random::new(3);
    let system = random.watched_composition(3, SHAPE);
    let specification = std::sync::Arc::new(specification(&mut random, system.alphabet(), 3));
    let plain = random.composition(3, SHAPE);
    let progress = spec::evaluate::claims::ProgressTest {
        name: "a0".to_owned(),
        actions: vec!["a0".into()],
        condition: None,
    };
    let questions = [
        (&system, Asks::NoError),
        (&plain, Asks::NoDeadlock),
        (&plain, Asks::Satisfies(random.formula(4))),
        (&plain, Asks::MakesProgress(progress)),
        (&plain, Asks::Conforms(specification.clone(), Conformance::Simulation)),
        (&plain, Asks::Conforms(specification, Conformance::Failures)),
    ];
    for engine in ENGINES {
        let mut asked = 0;
        for (system, asks) in &questions {
            let subject = FiniteSystem::new(system);
            let question = subject.question("asked", asks.clone());
            if engine.can_answer(&question).is_err() {
                continue;
            }
            let heard = Heard::default();
            let answer = check::ask(&question, Some(engine), &Budget::unlimited(), &heard);
            assert!(!heard.figures().is_empty(), "{} is silent about {asks:?}: {answer:?}", engine.name());
            asked += 1;
        }
        assert!(asked > 0, "{} was asked nothing", engine.name());
    }
}

#[test]
fn auto_names_the_engine_and_why() {
    let system = Random::new(1).composition(3, SHAPE);
    let answer = ask_of(&FiniteSystem::new(&system), &Asks::NoDeadlock, None);
    assert_eq!(answer.engine, "explicit");
    assert!(!answer.engine_reason.is_empty());
    assert!(ENGINES.iter().all(|engine| named(engine.name()).is_some_and(|one| one.name() == engine.name())));
    let forced = ask_of(&FiniteSystem::new(&system), &Asks::NoDeadlock, Some(&LEARN1));
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
    let engines: [&FiniteEngine; 3] = [&EXPLICIT, &SYMBOLIC, &COMPOSITIONAL];
    for engine in engines {
        let asks = Asks::Satisfies(formula.clone());
        let answer = ask_of(&FiniteSystem::new(&system), &asks, Some(engine));
        let Some(Counterexample::MaximalPath(path)) = answer.verdict.counterexample() else {
            panic!("{}: {:?}", engine.name(), answer.verdict)
        };
        assert_eq!(path.steps.last().map(|step| step.action.as_str()), Some("a"), "{}", engine.name());
    }
}
