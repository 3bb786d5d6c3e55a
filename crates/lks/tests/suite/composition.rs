//! Composition on the fly against a product made by the letter of thesis Def. 5, folded over the components.

use base::{Budget, Id};
use lks::{
    ActionId, Component, Composition, Lks, LksBuilder, Priority, PriorityKind, Role, StateId, StateMark,
    Successors, explore,
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

const NAMES: [&str; 5] = ["tau", "a", "b", "c", "d"];

/// States, initial states, alphabet, transitions, END states, propositions per state.
#[derive(Clone, Debug)]
struct Plain {
    states: usize,
    initial: BTreeSet<usize>,
    alphabet: BTreeSet<usize>,
    transitions: BTreeSet<(usize, usize, usize)>,
    ends: BTreeSet<usize>,
    errors: BTreeSet<usize>,
}

fn random_component() -> impl Strategy<Value = Plain> {
    (1usize..5)
        .prop_flat_map(|states| {
            let transition = (0..states, 0..NAMES.len(), 0..states);
            (
                Just(states),
                prop::collection::btree_set(0..states, 1..3),
                prop::collection::btree_set(1..NAMES.len(), 0..4),
                prop::collection::btree_set(transition, 0..10),
                prop::collection::btree_set(0..states, 0..2),
                prop::collection::btree_set(0..states, 0..2),
            )
        })
        .prop_map(|(states, initial, mut alphabet, transitions, ends, errors)| {
            alphabet.extend(transitions.iter().map(|&(_, action, _)| action).filter(|&action| action != 0));
            let ends: BTreeSet<usize> = ends.difference(&errors).copied().collect();
            let transitions = transitions
                .into_iter()
                .filter(|(from, _, _)| !ends.contains(from) && !errors.contains(from))
                .collect();
            Plain { states, initial, alphabet, transitions, ends, errors }
        })
}

fn built(index: usize, plain: &Plain) -> Lks {
    let mut builder = LksBuilder::new(&format!("P{index}"));
    let state = StateId::from_index;
    builder.ensure_states(plain.states);
    plain.alphabet.iter().for_each(|&action| {
        builder.action(NAMES[action]);
    });
    plain.initial.iter().for_each(|&at| builder.initial(state(at)));
    for &(from, action, to) in &plain.transitions {
        let action = builder.action(NAMES[action]);
        builder.transition(state(from), action, state(to));
    }
    plain.ends.iter().for_each(|&at| builder.mark(state(at), StateMark::End));
    plain.errors.iter().for_each(|&at| builder.mark(state(at), StateMark::Error));
    let proposition = builder.proposition(&format!("odd{index}"));
    (0..plain.states).filter(|at| at % 2 == 1).for_each(|at| builder.label(state(at), proposition));
    builder.build()
}

/// Def. 5 for two, with pairs of states numbered `left * right.states + right`; ERROR has no successors.
fn naive_product(left: &Plain, right: &Plain) -> Plain {
    let pair = |l: usize, r: usize| l * right.states + r;
    let pairs = || (0..left.states).flat_map(|l| (0..right.states).map(move |r| (l, r)));
    let mut transitions = BTreeSet::new();
    for (l, r) in pairs() {
        for &(from, action, to) in &left.transitions {
            if from == l && (action == 0 || !right.alphabet.contains(&action)) {
                transitions.insert((pair(l, r), action, pair(to, r)));
            }
            for &(other, same, other_to) in &right.transitions {
                if from == l && other == r && same == action && action != 0 {
                    transitions.insert((pair(l, r), action, pair(to, other_to)));
                }
            }
        }
        for &(from, action, to) in &right.transitions {
            if from == r && (action == 0 || !left.alphabet.contains(&action)) {
                transitions.insert((pair(l, r), action, pair(l, to)));
            }
        }
    }
    let errors: BTreeSet<usize> = pairs()
        .filter(|(l, r)| left.errors.contains(l) || right.errors.contains(r))
        .map(|(l, r)| pair(l, r))
        .collect();
    let ends = pairs().filter(|(l, r)| left.ends.contains(l) && right.ends.contains(r));
    Plain {
        states: left.states * right.states,
        initial: left.initial.iter().flat_map(|&l| right.initial.iter().map(move |&r| pair(l, r))).collect(),
        alphabet: left.alphabet.union(&right.alphabet).copied().collect(),
        transitions: transitions.into_iter().filter(|(from, _, _)| !errors.contains(from)).collect(),
        ends: ends.map(|(l, r)| pair(l, r)).collect(),
        errors,
    }
}

fn reachable_part(plain: &Plain) -> BTreeSet<usize> {
    let mut reached = plain.initial.clone();
    loop {
        let next: BTreeSet<usize> = plain
            .transitions
            .iter()
            .filter(|(from, _, to)| reached.contains(from) && !reached.contains(to))
            .map(|&(_, _, to)| to)
            .collect();
        if next.is_empty() {
            return reached;
        }
        reached.extend(next);
    }
}

fn composition(components: &[Plain]) -> Composition {
    Composition::new(components.iter().enumerate().map(|(i, p)| Component::process(built(i, p))).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn composition_is_the_naive_product(components in prop::collection::vec(random_component(), 1..5)) {
        let composition = composition(&components);
        let explored = explore(&composition, "S", &Budget::unlimited()).expect("no limit");
        let naive = components[1..].iter().fold(components[0].clone(), |left, right| naive_product(&left, right));
        // The number of a pair nests to the left, as the fold does.
        let number = |states: &[StateId]| {
            states.iter().zip(&components).fold(0, |number, (state, plain)| number * plain.states + state.index())
        };
        let numbers: Vec<usize> =
            explored.states.iter().map(|state| number(&composition.component_states(state))).collect();
        let reached = reachable_part(&naive);
        prop_assert_eq!(&numbers.iter().copied().collect::<BTreeSet<_>>(), &reached);
        let mut found = BTreeSet::new();
        for state in explored.lks.states() {
            let here = numbers[state.index()];
            for (action, target) in explored.lks.transitions(state) {
                let name = explored.lks.alphabet().name(action);
                let action = NAMES.iter().position(|&known| known == name).expect("a known name");
                found.insert((here, action, numbers[target.index()]));
            }
            let mark = match (naive.errors.contains(&here), naive.ends.contains(&here)) {
                (true, _) => StateMark::Error,
                (false, true) => StateMark::End,
                (false, false) => StateMark::Plain,
            };
            prop_assert_eq!(explored.lks.mark(state), mark);
            let locals = composition.component_states(&explored.states[state.index()]);
            let holding = locals.iter().filter(|local| local.index() % 2 == 1).count();
            prop_assert_eq!(explored.lks.label(state).iter().count(), holding);
        }
        let expected: BTreeSet<_> =
            naive.transitions.iter().filter(|(from, _, _)| reached.contains(from)).copied().collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn steps_tell_who_moved(components in prop::collection::vec(random_component(), 1..4)) {
        let composition = composition(&components);
        let explored = explore(&composition, "S", &Budget::unlimited()).expect("no limit");
        for state in &explored.states {
            let mut steps = Vec::new();
            composition.steps(state, &mut steps);
            for step in steps {
                let movers = composition.movers(&step);
                for component in composition.components().ids() {
                    let before = composition.component_state(state, component);
                    let after = composition.component_state(&step.target, component);
                    let lks = &composition.components()[component].lks;
                    let name = composition.sync_name(step.sync);
                    if movers.contains(&component) {
                        let action = lks.alphabet().find(name).expect("movers have the action");
                        prop_assert!(lks.successors_by(before, action).contains(&after));
                    } else {
                        prop_assert_eq!(before, after);
                    }
                }
            }
        }
    }

    #[test]
    fn hiding_then_exploring_is_exploring_then_hiding(
        components in prop::collection::vec(random_component(), 1..4),
    ) {
        let composition = composition(&components);
        let hidden = |name: &str| name == "a" || name == "c";
        let plain = explore(&composition, "S", &Budget::unlimited()).expect("no limit").lks.hide(hidden);
        let direct = explore(&composition.hiding(hidden), "S", &Budget::unlimited()).expect("no limit").lks;
        let transitions = |lks: &Lks| -> BTreeSet<(usize, String, usize)> {
            lks.states()
                .flat_map(|state| lks.transitions(state).map(move |(a, t)| (state.index(), a, t.index())))
                .map(|(state, action, target)| (state, lks.alphabet().name(action).to_owned(), target))
                .collect()
        };
        prop_assert_eq!(transitions(&plain), transitions(&direct));
        prop_assert_eq!(plain.alphabet(), direct.alphabet());
    }
}

fn choice_of(names: &[&str]) -> Lks {
    let mut builder = LksBuilder::new("choice");
    let start = builder.state();
    builder.initial(start);
    for name in names {
        let action = builder.action(name);
        let next = builder.state();
        builder.transition(start, action, next);
    }
    builder.build()
}

fn offered(composition: &Composition) -> Vec<String> {
    let mut out = Vec::new();
    composition.successors(&composition.initial_states()[0], &mut out);
    let name = |action: ActionId| composition.alphabet().name(action).to_owned();
    let mut names: Vec<String> = out.into_iter().map(|(action, _)| name(action)).collect();
    names.sort();
    names
}

#[test]
fn priority_discards_the_others() {
    let with = |kind, names: &[&str]| {
        let actions = names.iter().map(|&name| Arc::from(name)).collect();
        let components = vec![Component::process(choice_of(&["a", "b", "tau"]))];
        offered(&Composition::new(components).with_priority(&Priority { kind, actions }))
    };
    assert_eq!(with(PriorityKind::High, &["a"]), ["a"]);
    assert_eq!(with(PriorityKind::Low, &["a"]), ["b", "tau"]);
    assert_eq!(with(PriorityKind::High, &["z"]), ["a", "b", "tau"]);
    assert_eq!(with(PriorityKind::Low, &["a", "b"]), ["tau"]);
}

#[test]
fn watchers_are_not_waited_for() {
    let mut builder = LksBuilder::new("done");
    let end = builder.state();
    builder.initial(end);
    builder.mark(end, StateMark::End);
    let done = Component::process(builder.build());
    let waiting = choice_of(&["a"]);
    let watcher = Component { role: Role::Watcher, ..Component::process(waiting.clone()) };
    let mark = |components| {
        let composition = Composition::new(components);
        composition.mark(&composition.initial_states()[0])
    };
    assert_eq!(mark(vec![done.clone(), watcher.clone()]), StateMark::End);
    assert_eq!(mark(vec![done, Component::process(waiting)]), StateMark::Plain);
    assert_eq!(mark(vec![watcher]), StateMark::Plain);
}

#[test]
fn a_hundred_components_are_packed_and_unpacked() {
    let ring: Vec<Plain> = (0..100)
        .map(|index| Plain {
            states: 3 + index % 7,
            initial: BTreeSet::from([index % 3]),
            alphabet: BTreeSet::new(),
            transitions: BTreeSet::from([(index % 3, 0, 2)]),
            ends: BTreeSet::new(),
            errors: BTreeSet::new(),
        })
        .collect();
    let composition = composition(&ring);
    let initial = &composition.initial_states()[0];
    let locals = composition.component_states(initial);
    assert!(locals.iter().enumerate().all(|(index, local)| local.index() == index % 3));
    assert_eq!(&composition.state_of(&locals), initial);
    let mut out = Vec::new();
    composition.successors(initial, &mut out);
    assert_eq!(out.len(), 100);
}
