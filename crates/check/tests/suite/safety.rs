//! Every engine for deadlock and ERROR against looking at all states.

use base::Budget;
use check::safety::SafetyQuestion;
use check::safety::explicit::{ExplicitSettings, Order, Reduction, safe};
use check::safety::iterative;
use check::{compositional, symbolic};
use lks::{Component, Composition, LksBuilder, StateMark, explore};
use question::{Answer, Counterexample, Monitor};
use testkit::Random;
use testkit::systems::Shape;

const QUESTIONS: [SafetyQuestion; 3] =
    [SafetyQuestion::Deadlock, SafetyQuestion::Error, SafetyQuestion::DeadlockOrError];

fn random_system(seed: u64) -> Composition {
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
    random.composition(5, shape)
}

/// By the definition, on the whole state space.
/// IterDeadlock.
fn deadlock_free(system: &Composition, budget: &Budget) -> Answer {
    iterative::safe(system, SafetyQuestion::Deadlock, Monitor::silent(budget))
}

fn is_safe(system: &Composition, question: SafetyQuestion) -> bool {
    let explored = explore(system, "all", &Budget::unlimited()).unwrap();
    explored.lks.states().all(|state| {
        let can_go_on = !explored.lks.actions(state).is_empty();
        match explored.lks.mark(state) {
            StateMark::Error => question == SafetyQuestion::Deadlock,
            StateMark::End => true,
            StateMark::Plain => can_go_on || question == SafetyQuestion::Error,
        }
    })
}

fn assert_agrees(outcome: &Answer, expected: bool, what: &str) {
    assert!(!outcome.verdict.is_undecided(), "{what}: undecided");
    assert_eq!(outcome.verdict.holds(), expected, "{what}");
    if let Some(counterexample) = outcome.verdict.counterexample() {
        let is_right_kind = matches!(counterexample, Counterexample::Path(_) | Counterexample::Deadlock(_));
        assert!(is_right_kind, "{what}: {counterexample:?}");
    }
}

#[test]
fn searches_agree_with_looking_at_every_state() {
    let (mut held, mut failed, mut saved) = (0, 0, 0);
    for seed in 0..600 {
        let system = random_system(seed);
        for question in QUESTIONS {
            let expected = is_safe(&system, question);
            *(if expected { &mut held } else { &mut failed }) += 1;
            let mut states = Vec::new();
            for order in [Order::BreadthFirst, Order::Directed] {
                for reduction in [Reduction::None, Reduction::PartialOrder] {
                    let settings = ExplicitSettings { order, reduction, most_states: None };
                    let outcome = safe(&system, question, &settings, Monitor::silent(&Budget::unlimited()));
                    assert_agrees(&outcome, expected, &format!("seed {seed}, {question:?}, {settings:?}"));
                    states.push(outcome.statistics.value("states").unwrap());
                }
            }
            let outcome = compositional::safe(
                &system,
                question,
                &Default::default(),
                Monitor::silent(&Budget::unlimited()),
            );
            assert_agrees(&outcome, expected, &format!("seed {seed}, {question:?}, compositional"));
            let outcome = iterative::safe(&system, question, Monitor::silent(&Budget::unlimited()));
            assert_agrees(&outcome, expected, &format!("seed {seed}, {question:?}, iterative"));
            let outcome =
                symbolic::safe(&system, question, &Default::default(), Monitor::silent(&Budget::unlimited()));
            assert_agrees(&outcome, expected, &format!("seed {seed}, {question:?}, symbolic"));
            saved += usize::from(expected && states[1] < states[0]);
        }
        let outcome = deadlock_free(&system, &Budget::unlimited());
        assert_agrees(
            &outcome,
            is_safe(&system, SafetyQuestion::Deadlock),
            &format!("seed {seed}, iterative"),
        );
    }
    assert!(held > 200 && failed > 200 && saved > 20, "{held} held, {failed} failed, {saved} saved states");
}

/// Two processes that take two forks each, in opposite order.
fn two_philosophers(second_takes_left_first: bool) -> Composition {
    let philosopher = |name: &str, first: &str, second: &str| {
        let mut builder = LksBuilder::new(name);
        let states: Vec<_> = (0..4).map(|_| builder.state()).collect();
        builder.initial(states[0]);
        for (index, action) in
            [format!("{name}.take.{first}"), format!("{name}.take.{second}"), format!("{name}.put")]
                .iter()
                .enumerate()
        {
            let action = builder.action(action);
            builder.transition(states[index], action, states[(index + 1) % 3]);
        }
        builder.build()
    };
    let fork = |name: &str| {
        let mut builder = LksBuilder::new(&format!("FORK_{name}"));
        let free = builder.state();
        builder.initial(free);
        for user in ["A", "B"] {
            let held = builder.state();
            let take = builder.action(&format!("{user}.take.{name}"));
            let put = builder.action(&format!("{user}.put"));
            builder.transition(free, take, held);
            builder.transition(held, put, free);
        }
        builder.build()
    };
    let (first, second) = if second_takes_left_first { ("l", "r") } else { ("r", "l") };
    Composition::new(
        vec![philosopher("A", "l", "r"), philosopher("B", first, second), fork("l"), fork("r")]
            .into_iter()
            .map(Component::process)
            .collect(),
    )
}

#[test]
fn a_deadlock_says_who_waits_for_what() {
    let settings = ExplicitSettings::default();
    let good = two_philosophers(true);
    assert!(
        safe(&good, SafetyQuestion::Deadlock, &settings, Monitor::silent(&Budget::unlimited()))
            .verdict
            .holds()
    );
    assert!(deadlock_free(&good, &Budget::unlimited()).verdict.holds());
    let bad = two_philosophers(false);
    for outcome in [
        safe(&bad, SafetyQuestion::Deadlock, &settings, Monitor::silent(&Budget::unlimited())),
        deadlock_free(&bad, &Budget::unlimited()),
    ] {
        let Some(Counterexample::Deadlock(deadlock)) = outcome.verdict.counterexample() else {
            panic!("{outcome:?}")
        };
        let mut trace: Vec<&str> = deadlock.path.visible_actions().collect();
        trace.sort_unstable();
        assert_eq!(trace[trace.len() - 2..], ["A.take.l", "B.take.r"]);
        assert_eq!(deadlock.refusals[0].waits_for, ["A.take.r"]);
        assert_eq!(deadlock.refusals[1].waits_for, ["B.take.l"]);
        assert!(deadlock.refusals[2].refuses.contains(&"B.take.l".to_owned()));
        assert!(!deadlock.refusals[0].terminated);
    }
}

#[test]
fn termination_of_all_is_no_deadlock_but_of_some_while_others_wait_is() {
    let one_shot = |name: &str, action: &str, ends: bool| {
        let mut builder = LksBuilder::new(name);
        let action = builder.action(action);
        let [first, last] = [builder.state(), builder.state()];
        builder.initial(first);
        builder.transition(first, action, last);
        if ends {
            builder.mark(last, StateMark::End);
        }
        Component::process(builder.build())
    };
    let both = Composition::new(vec![one_shot("P", "a", true), one_shot("Q", "b", true)]);
    let one = Composition::new(vec![one_shot("P", "a", true), one_shot("Q", "b", false)]);
    for (system, expected) in [(both, true), (one, false)] {
        let outcome = safe(
            &system,
            SafetyQuestion::Deadlock,
            &ExplicitSettings::default(),
            Monitor::silent(&Budget::unlimited()),
        );
        assert_eq!(outcome.verdict.holds(), expected);
        assert_eq!(deadlock_free(&system, &Budget::unlimited()).verdict.holds(), expected);
    }
}
