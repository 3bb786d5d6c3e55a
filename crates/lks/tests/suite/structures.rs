//! Transformations against definitions by the letter, on random structures; and the file formats.

use base::{Budget, Id};
use lks::quotient::InnerSilence;
use lks::{ActionId, Alphabet, Lks, LksBuilder, Partition, Relabelling, StateId, StateMark, aut, dot};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const NAMES: [&str; 4] = ["tau", "a", "b", "c"];

fn random_structure() -> impl Strategy<Value = Lks> {
    (1usize..6).prop_flat_map(|states| {
        (
            prop::collection::btree_set(0..states, 1..3),
            prop::collection::vec((0..states, 0..NAMES.len(), 0..states), 0..12),
            prop::collection::vec(0..states, 0..4),
            prop::collection::btree_set(0..states, 0..2),
        )
            .prop_map(move |(initial, transitions, labelled, errors)| {
                let mut builder = LksBuilder::new("M");
                let state = StateId::from_index;
                builder.ensure_states(states);
                NAMES.iter().for_each(|name| {
                    builder.action(name);
                });
                initial.iter().for_each(|&at| builder.initial(state(at)));
                transitions.iter().for_each(|&(from, action, to)| {
                    builder.transition(state(from), ActionId::from_index(action), state(to));
                });
                let p = builder.proposition("p");
                labelled.iter().for_each(|&at| builder.label(state(at), p));
                errors.iter().for_each(|&at| builder.mark(state(at), StateMark::Error));
                builder.build()
            })
    })
}

/// The transitions with names, of all states.
fn named(lks: &Lks) -> BTreeSet<(usize, String, usize)> {
    lks.states()
        .flat_map(|from| lks.transitions(from).map(move |(action, to)| (from, action, to)))
        .map(|(from, action, to)| (from.index(), lks.alphabet().name(action).to_owned(), to.index()))
        .collect()
}

/// All traces of visible actions up to a length, with whether ERROR is possible after them.
fn traces(lks: &Lks, length: usize) -> BTreeSet<(Vec<String>, bool)> {
    let mut found = BTreeSet::new();
    let mut open = vec![(Vec::new(), lks.silent_closure(lks.initial().to_vec()))];
    while let Some((trace, states)) = open.pop() {
        let fails = states.iter().any(|&state| lks.mark(state) == StateMark::Error);
        found.insert((trace.clone(), fails));
        // What happens after an error does not matter.
        if trace.len() == length || fails {
            continue;
        }
        for action in lks.alphabet().visible() {
            let next: Vec<StateId> =
                states.iter().flat_map(|&state| lks.successors_by(state, action)).copied().collect();
            if !next.is_empty() {
                let mut longer = trace.clone();
                longer.push(lks.alphabet().name(action).to_owned());
                open.push((longer, lks.silent_closure(next)));
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn slices_are_the_transitions(lks in random_structure()) {
        for state in lks.states() {
            for action in lks.alphabet().ids() {
                let by_scan: Vec<StateId> =
                    lks.transitions(state).filter(|(own, _)| *own == action).map(|(_, to)| to).collect();
                prop_assert_eq!(lks.successors_by(state, action), &by_scan[..]);
            }
        }
    }

    #[test]
    fn relabelling_by_the_letter(lks in random_structure()) {
        let mut relabelling = Relabelling::new();
        relabelling.add("a", "x");
        relabelling.add("a", "y");
        relabelling.add("b", "c");
        let expected: BTreeSet<_> = named(&lks).into_iter().flat_map(|(from, action, to)| {
            let new: &[&str] = match action.as_str() { "a" => &["x", "y"], "b" => &["c"], "c" => &["c"], _ => &["tau"] };
            new.iter().map(|name| (from, (*name).to_owned(), to)).collect::<Vec<_>>()
        }).collect();
        prop_assert_eq!(named(&lks.relabel(&relabelling)), expected);
    }

    #[test]
    fn projection_keeps_what_is_own(lks in random_structure()) {
        let mut own = Alphabet::new();
        own.intern("a");
        own.intern("z");
        let projected = lks.project(&own, |name| name != "p");
        prop_assert_eq!(projected.alphabet(), &own);
        prop_assert_eq!(projected.propositions().len(), 0);
        let expected: BTreeSet<_> = named(&lks)
            .into_iter()
            .map(|(from, action, to)| (from, if action == "a" { action } else { "tau".to_owned() }, to))
            .collect();
        prop_assert_eq!(named(&projected), expected);
    }

    #[test]
    fn the_reachable_part_has_the_same_traces(lks in random_structure()) {
        let reachable = lks.reachable();
        prop_assert_eq!(traces(&reachable, 4), traces(&lks, 4));
        let mut reached: BTreeSet<StateId> = reachable.initial().iter().copied().collect();
        for _ in 0..reachable.state_count() {
            let more: Vec<StateId> =
                reached.iter().flat_map(|&state| reachable.targets(state)).copied().collect();
            reached.extend(more);
        }
        prop_assert_eq!(reached.len(), reachable.state_count());
    }

    #[test]
    fn determinising_keeps_traces(lks in random_structure()) {
        let deterministic = lks.determinise(&Budget::unlimited()).expect("no limit");
        prop_assert!(deterministic.is_deterministic());
        prop_assert_eq!(traces(&deterministic, 4), traces(&lks, 4));
    }

    #[test]
    fn the_complement_fails_on_exactly_the_other_traces(lks in random_structure()) {
        // Without errors of its own, so that only what it cannot do counts.
        let mut builder = LksBuilder::with_names("M", lks.alphabet(), lks.propositions());
        builder.ensure_states(lks.state_count());
        lks.initial().iter().for_each(|&state| builder.initial(state));
        for state in lks.states() {
            lks.transitions(state).for_each(|(action, to)| builder.transition(state, action, to));
        }
        let lks = builder.build();
        let complement = lks.complement(lks.alphabet(), &Budget::unlimited()).expect("no limit");
        let own: BTreeSet<Vec<String>> = traces(&lks, 3).into_iter().map(|(trace, _)| trace).collect();
        for (trace, fails) in traces(&complement, 3) {
            prop_assert_eq!(fails, !own.contains(&trace), "{:?}", trace);
        }
        // It never refuses.
        for state in complement.states().filter(|&state| complement.mark(state) != StateMark::Error) {
            prop_assert_eq!(complement.actions(state).len(), complement.alphabet().len() - 1);
        }
    }

    #[test]
    fn quotients_by_the_letter(lks in random_structure(), keys in prop::collection::vec(0u8..3, 6)) {
        let partition = Partition::by_key(lks.states().map(|state| keys[state.index()]));
        let block = |state: usize| partition.block_of(StateId::from_index(state)).index();
        for silence in [InnerSilence::Kept, InnerSilence::Dropped] {
            let quotient = lks.quotient(&partition, silence);
            let fails = |state: usize| lks.states().any(|other| {
                block(other.index()) == state && lks.mark(other) == StateMark::Error
            });
            let expected: BTreeSet<_> = named(&lks)
                .into_iter()
                .map(|(from, action, to)| (block(from), action, block(to)))
                .filter(|(from, action, to)| silence == InnerSilence::Kept || action != "tau" || from != to)
                .filter(|(from, ..)| !fails(*from))
                .collect();
            prop_assert_eq!(named(&quotient), expected);
        }
    }

    #[test]
    fn aut_is_read_back(lks in random_structure()) {
        let text = aut::write(&lks);
        let again = aut::read("M", &text, 0).map_err(|problem| TestCaseError::fail(problem.message))?;
        prop_assert_eq!(traces(&again, 4), traces(&lks, 4));
        prop_assert_eq!(aut::write(&again), aut::write(&aut::read("M", &aut::write(&again), 0).expect("own text")));
    }
}

#[test]
fn aut_mistakes_are_told() {
    let code = |text: &str| aut::read("M", text, 0).map(|_| ()).map_err(|problem| problem.code);
    assert_eq!(code(""), Err("aut-header"));
    assert_eq!(code("des (0, 1)"), Err("aut-header"));
    assert_eq!(code("des (2, 0, 1)"), Err("aut-header"));
    assert_eq!(code("des (0, 1, 1)\n"), Err("aut-transitions"));
    assert_eq!(code("des (0, 0, 1)\n(0, a, 0)\n"), Err("aut-transitions"));
    assert_eq!(code("des (0, 1, 1)\n(0, a, 1)\n"), Err("aut-state"));
    assert_eq!(code("des (0, 1, 1)\n(0 a 1)\n"), Err("aut-line"));
    assert_eq!(code("des (0, 1, 1)\n(0, \"a, b\", 0)\n"), Ok(()));
}

#[test]
fn aut_knows_silence_and_error() {
    let lks = aut::read("M", "des(0,3,2)\n(0,i,1)\n(1,\"tau\",0)\n(1,bad,-1)\n", 0).expect("good text");
    assert!(lks.alphabet().find("i").is_none());
    assert_eq!((lks.transition_count(), lks.error_states().len()), (3, 1));
}

#[test]
fn dot_shows_states_marks_and_labels() {
    let mut builder = LksBuilder::new("say \"hi\"");
    let (start, end) = (builder.state(), builder.state());
    builder.initial(start);
    builder.mark(end, StateMark::End);
    let (a, p) = (builder.action("a"), builder.proposition("p"));
    builder.label(start, p);
    builder.transition(start, a, end);
    let text = dot::write(&builder.build());
    for part in [
        "digraph \"say \\\"hi\\\"\"",
        "s0 [label=\"0\\n{p}\"]",
        "doublecircle",
        "start0 -> s0;",
        "s0 -> s1 [label=\"a\"];",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn transitions_take_few_bytes() {
    let mut builder = LksBuilder::new("big");
    let states = 20_000;
    builder.ensure_states(states);
    builder.initial(StateId::from_index(0));
    let actions: Vec<ActionId> = (0..10).map(|index| builder.action(&format!("a{index}"))).collect();
    for state in 0..states {
        for (index, &action) in actions.iter().enumerate() {
            let to = StateId::from_index((state * 7 + index * 31) % states);
            builder.transition(StateId::from_index(state), action, to);
        }
    }
    let lks = builder.build();
    let bytes = lks.heap_bytes() as f64 / lks.transition_count() as f64;
    assert!(bytes <= 16.0, "{bytes} bytes per transition");
}

fn shared_aut_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace");
    let folder = root.join("../shared/bench/aut");
    let Ok(families) = std::fs::read_dir(&folder) else {
        testkit::absent::left_out("absent: ../shared/bench/aut", "only the project's own files are tested");
        return Vec::new();
    };
    let inside =
        families.flat_map(|family| std::fs::read_dir(family.expect("readable").path()).expect("a folder"));
    let mut files: Vec<PathBuf> = inside.map(|file| file.expect("readable").path()).collect();
    files.sort();
    files
}

#[test]
fn shared_aut_files_go_round() {
    for path in shared_aut_files() {
        let text = std::fs::read_to_string(&path).expect("readable");
        let lks =
            aut::read("M", &text, 0).unwrap_or_else(|problem| panic!("{}: {problem:?}", path.display()));
        let again = aut::read("M", &aut::write(&lks), 0).expect("own text");
        assert_eq!(again.state_count(), lks.state_count(), "{}", path.display());
        assert_eq!(again.initial(), lks.initial());
        // The ERROR state is numbered last in both.
        assert_eq!(named(&again), named(&lks), "{}", path.display());
    }
}
