//! Assume-guarantee rules against the explicit search, and the assumptions they leave behind.

use base::{Budget, Id};
use check::compositional;
use check::learning::{as_fsp, as_lks, by_rule_1, by_rule_2};
use check::safety::SafetyQuestion;
use check::safety::explicit::{ExplicitSettings, safe};
use lks::{Component, Composition, LksBuilder, Role, StateId, StateMark};
use question::{Counterexample, Monitor, Verdict};
use testkit::Random;
use testkit::systems::Shape;
use verdict::Certificate;

const SHAPE: Shape =
    Shape { states: 4, actions: 3, density: 1, silent: true, propositions: 0, ends: true, errors: false };

#[test]
fn both_rules_agree_with_the_explicit_search() {
    let (mut held, mut failed, mut learned) = (0, 0, 0);
    for seed in 0..250 {
        let system = Random::new(seed).watched_composition(3, SHAPE);
        let expected = safe(
            &system,
            SafetyQuestion::Error,
            &ExplicitSettings::default(),
            Monitor::silent(&Budget::unlimited()),
        );
        let parts = compositional::safe(
            &system,
            SafetyQuestion::Error,
            &Default::default(),
            Monitor::silent(&Budget::unlimited()),
        );
        assert_eq!(parts.verdict.holds(), expected.verdict.holds(), "seed {seed}, compositional");
        let both = compositional::safe(
            &system,
            SafetyQuestion::DeadlockOrError,
            &Default::default(),
            Monitor::silent(&Budget::unlimited()),
        );
        let question = SafetyQuestion::DeadlockOrError;
        let expected_both =
            safe(&system, question, &ExplicitSettings::default(), Monitor::silent(&Budget::unlimited()));
        assert_eq!(both.verdict.holds(), expected_both.verdict.holds(), "seed {seed}, compositional, both");
        for (rule, outcome) in [
            (1, by_rule_1(&system, Monitor::silent(&Budget::unlimited()))),
            (2, by_rule_2(&system, Monitor::silent(&Budget::unlimited()))),
        ] {
            assert!(!outcome.verdict.is_undecided(), "seed {seed}, rule {rule}");
            assert_eq!(outcome.verdict.holds(), expected.verdict.holds(), "seed {seed}, rule {rule}");
            match &outcome.verdict {
                Verdict::Holds(Certificate::AssumeGuarantee { assumptions, .. }) => {
                    held += 1;
                    learned += assumptions.len();
                }
                Verdict::Violated(counterexample) => {
                    failed += 1;
                    assert!(matches!(**counterexample, Counterexample::Path(_)), "seed {seed}, rule {rule}");
                }
                other => panic!("seed {seed}, rule {rule}: {other:?}"),
            }
        }
    }
    assert!(held > 60 && failed > 60 && learned > 60, "{held} held, {failed} failed, {learned} assumptions");
}

#[test]
fn an_assumption_discharges_the_first_premise_of_rule_1() {
    let mut discharged = 0;
    for seed in 0..120 {
        let system = Random::new(seed + 500).watched_composition(2, SHAPE);
        let outcome = by_rule_1(&system, Monitor::silent(&Budget::unlimited()));
        let Verdict::Holds(Certificate::AssumeGuarantee { assumptions, .. }) = &outcome.verdict else {
            continue;
        };
        let Some(assumption) = assumptions.first() else { continue };
        // M1 ∥ A ⊨ P, asked of the explicit engine.
        let is_first = |part: &&Component| *part.name == *assumption.component;
        let first = system.components().iter().find(is_first).unwrap().clone();
        let property = system.components().iter().find(|part| part.role == Role::Watcher).unwrap().clone();
        let surroundings = Component::process(as_lks(assumption));
        let premise = Composition::new(vec![first, surroundings, property]);
        let outcome = safe(
            &premise,
            SafetyQuestion::Error,
            &ExplicitSettings::default(),
            Monitor::silent(&Budget::unlimited()),
        );
        assert!(outcome.verdict.holds(), "seed {seed}: {}", as_fsp(assumption));
        let start = format!("ASSUMPTION_{} = A0,\nA0 = ", assumption.component.to_uppercase());
        assert!(as_fsp(assumption).starts_with(&start), "{}", as_fsp(assumption));
        discharged += 1;
    }
    assert!(discharged > 10, "only {discharged} assumptions were checked");
}

#[test]
fn what_the_rules_cannot_do_is_said() {
    let mut random = Random::new(3);
    let bare = random.composition(2, SHAPE);
    let outcome = by_rule_1(&bare, Monitor::silent(&Budget::unlimited()));
    let Verdict::Undecided(undecided) = &outcome.verdict else { panic!("{outcome:?}") };
    assert!(undecided.to_string().contains("no property"), "{undecided}");
}

/// A structure from transitions between numbered states; state 0 is initial.
fn structure(name: &str, states: usize, transitions: &[(usize, String, usize)]) -> LksBuilder {
    let mut builder = LksBuilder::new(name);
    builder.ensure_states(states);
    builder.initial(StateId::from_index(0));
    for (from, action, to) in transitions {
        let action = builder.action(action);
        builder.transition(StateId::from_index(*from), action, StateId::from_index(*to));
    }
    builder
}

/// Users take a ticket, then a tool that two neighbours share; never may all hold a ticket and want the tool. With a clerk
/// only one holds a ticket at a time.
fn users(n: usize, with_clerk: bool) -> Composition {
    let mut parts = Vec::new();
    for i in 0..n {
        let steps = [
            (0, format!("ticket.{i}"), 1),
            (1, format!("want.{i}"), 2),
            (2, format!("take.{i}"), 3),
            (3, format!("drop.{i}"), 4),
            (4, format!("done.{i}"), 0),
        ];
        parts.push(Component::process(structure(&format!("USER_{i}"), 5, &steps).build()));
        let j = (i + 1) % n;
        let steps = [
            (0, format!("take.{i}"), 1),
            (1, format!("drop.{i}"), 0),
            (0, format!("take.{j}"), 2),
            (2, format!("drop.{j}"), 0),
        ];
        parts.push(Component::process(structure(&format!("TOOL_{i}"), 3, &steps).build()));
    }
    if with_clerk {
        let steps: Vec<(usize, String, usize)> = (0..n)
            .flat_map(|i| [(0, format!("ticket.{i}"), i + 1), (i + 1, format!("done.{i}"), 0)])
            .collect();
        parts.push(Component::process(structure("CLERK", n + 1, &steps).build()));
    }
    let counted = (0..n).flat_map(|i| {
        let wants = (0..n).map(move |k| (k, format!("want.{i}"), k + 1));
        wants.chain((0..n).map(move |k| (k, format!("take.{i}"), k.saturating_sub(1))))
    });
    let mut property = structure("NOT_ALL_WANT", n + 1, &counted.collect::<Vec<_>>());
    property.mark(StateId::from_index(n), StateMark::Error);
    parts.push(Component { role: Role::Watcher, ..Component::process(property.build()) });
    Composition::new(parts)
}

/// Asking the last premise once per state learned, of assumptions that forbid more than they need, takes minutes from four
/// users on.
#[test]
fn rule_2_decides_six_users_and_their_tools() {
    let budget = Budget::unlimited().with_time(std::time::Duration::from_secs(60));
    assert!(by_rule_2(&users(6, true), Monitor::silent(&budget)).verdict.holds());
    let without = by_rule_2(&users(6, false), Monitor::silent(&budget));
    assert!(matches!(without.verdict, Verdict::Violated(_)), "{without:?}");
}
