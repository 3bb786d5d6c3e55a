//! Simulation, refinement and bisimulation against twins written straight from the definitions.

use base::{Budget, Id};
use check::UnknownActions;
use check::bisimulation::{Divergence, Equivalence, bisimilar, partition_by, smallest};
use check::refinement::{RefinementSettings, Refines, refines};
use check::simulation::{SimulationSettings, simulates};
use lks::{ActionId, Lks, StateId};
use question::Monitor;
use testkit::Random;
use testkit::systems::{PLAIN, Shape};

fn all_states(lks: &Lks) -> Vec<StateId> {
    lks.states().collect()
}

fn same_label(left: &Lks, l: StateId, right: &Lks, r: StateId) -> bool {
    right.propositions().ids().all(|id| {
        let other = left.propositions().find(right.propositions().name(id));
        right.holds(r, id) == other.is_some_and(|other| left.holds(l, other))
    })
}

fn weak_after(lks: &Lks, state: StateId, action: ActionId) -> Vec<StateId> {
    let before = lks.silent_closure(vec![state]);
    if action.is_silent() {
        return before;
    }
    lks.silent_closure(before.iter().flat_map(|s| lks.successors_by(*s, action)).copied().collect())
}

/// The greatest weak simulation, by removing pairs until nothing changes.
fn simulated_by_iteration(left: &Lks, right: &Lks) -> bool {
    let to = left.alphabet().translation_to(right.alphabet());
    let (ls, rs) = (all_states(left), all_states(right));
    let mut related = vec![vec![false; rs.len()]; ls.len()];
    for l in &ls {
        for r in &rs {
            related[l.index()][r.index()] = same_label(left, *l, right, *r);
        }
    }
    loop {
        let mut changed = false;
        for l in &ls {
            for r in &rs {
                if !related[l.index()][r.index()] {
                    continue;
                }
                let follows = left.transitions(*l).all(|(action, l2)| {
                    to[action].is_some_and(|answer| {
                        weak_after(right, *r, answer).iter().any(|r2| related[l2.index()][r2.index()])
                    })
                });
                if !follows {
                    related[l.index()][r.index()] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    left.initial().iter().all(|l| right.initial().iter().any(|r| related[l.index()][r.index()]))
}

#[test]
fn simulation_agrees_with_the_greatest_fixpoint() {
    let (mut held, mut failed) = (0, 0);
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let mut shape = Shape { propositions: usize::from(seed % 3 == 0), actions: 2, ..PLAIN };
        let left = random.lks("P", shape);
        shape.density = 3;
        let right = random.lks("P", shape);
        let settings = SimulationSettings { counterexamples: 4, ..SimulationSettings::default() };
        let answer = simulates(&left, &right, &settings, Monitor::silent(&Budget::unlimited()));
        let expected = simulated_by_iteration(&left, &right);
        assert_eq!(answer.answer.verdict.holds(), expected, "seed {seed}");
        if expected {
            held += 1;
            continue;
        }
        failed += 1;
        // THESIS Theorem 10: the implementation simulates the witness, the specification does not.
        let witness = answer.witness.expect("a violation has a witness").lks;
        assert!(simulated_by_iteration(&witness, &left), "seed {seed}: the witness is not a part");
        assert!(!simulated_by_iteration(&witness, &right), "seed {seed}: the witness shows nothing");
        for (index, tree) in answer.trees.iter().enumerate() {
            assert!(!tree.roots.is_empty() && !tree.nodes.is_empty(), "seed {seed}");
            assert!(answer.trees[..index].iter().all(|other| other != tree), "seed {seed}: repeated tree");
        }
    }
    assert!(held > 60 && failed > 60, "{held} held, {failed} failed: one side is hardly tested");
}

fn trace_contained_by_determinising(left: &Lks, right: &Lks) -> bool {
    let unlimited = Budget::unlimited();
    let (left, right) = (left.determinise(&unlimited).unwrap(), right.determinise(&unlimited).unwrap());
    let to = left.alphabet().translation_to(right.alphabet());
    let mut open = vec![(left.initial()[0], right.initial()[0])];
    let mut seen = open.clone();
    while let Some((l, r)) = open.pop() {
        for (action, l2) in left.transitions(l) {
            let target = to[action].and_then(|action| right.successors_by(r, action).first().copied());
            let Some(r2) = target else { return false };
            if !seen.contains(&(l2, r2)) {
                seen.push((l2, r2));
                open.push((l2, r2));
            }
        }
    }
    true
}

fn ask(left: &Lks, right: &Lks, refines_what: Refines) -> question::Answer {
    let settings = RefinementSettings { refines: refines_what, unknown_actions: UnknownActions::Forbidden };
    refines(left, right, &settings, Monitor::silent(&Budget::unlimited()))
}

#[test]
fn trace_containment_agrees_with_determinising_both() {
    let (mut held, mut failed) = (0, 0);
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let shape = Shape { actions: 2, ..PLAIN };
        let left = random.lks("P", shape);
        let right = random.lks("P", Shape { density: 3, ..shape });
        let outcome = ask(&left, &right, Refines::Traces);
        let expected = trace_contained_by_determinising(&left, &right);
        assert_eq!(outcome.verdict.holds(), expected, "seed {seed}");
        *(if expected { &mut held } else { &mut failed }) += 1;
        if ask(&left, &right, Refines::Failures).verdict.holds() {
            assert!(expected, "seed {seed}: failures refinement includes traces");
        }
    }
    assert!(held > 60 && failed > 60, "{held} held, {failed} failed");
}

/// All failures up to a length, by enumeration: trace and the offers of a stable state after it.
fn failures(lks: &Lks, length: usize) -> Vec<(Vec<String>, Vec<String>)> {
    let mut found = Vec::new();
    let mut open = vec![(Vec::new(), lks.silent_closure(lks.initial().to_vec()))];
    while let Some((trace, states)) = open.pop() {
        for state in &states {
            if !lks.offers(*state, ActionId::TAU) {
                let mut offers: Vec<String> =
                    lks.actions(*state).iter().map(|a| lks.alphabet().name(*a).to_owned()).collect();
                offers.sort();
                offers.dedup();
                found.push((trace.clone(), offers));
            }
        }
        if trace.len() == length {
            continue;
        }
        for action in lks.alphabet().visible() {
            let after = lks
                .silent_closure(states.iter().flat_map(|s| lks.successors_by(*s, action)).copied().collect());
            if !after.is_empty() {
                let mut longer = trace.clone();
                longer.push(lks.alphabet().name(action).to_owned());
                open.push((longer, after));
            }
        }
    }
    found
}

#[test]
fn failures_refinement_agrees_with_enumerated_failures() {
    let (mut held, mut failed) = (0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        // Few states: sets of specification states repeat within this length.
        let shape = Shape { states: 3, actions: 2, density: 2, ..PLAIN };
        let left = random.lks("P", shape);
        let right = random.lks("P", Shape { density: 4, ..shape });
        let traces = trace_contained_by_determinising(&left, &right);
        let theirs = failures(&right, 7);
        let refused = failures(&left, 7).iter().all(|(trace, offers)| {
            theirs.iter().any(|(other, least)| other == trace && least.iter().all(|a| offers.contains(a)))
        });
        let expected = traces && refused;
        assert_eq!(ask(&left, &right, Refines::Failures).verdict.holds(), expected, "seed {seed}");
        *(if expected { &mut held } else { &mut failed }) += 1;
    }
    assert!(held > 20 && failed > 20, "{held} held, {failed} failed");
}

/// Pairs are removed until the remaining ones satisfy the definition.
fn related_by_iteration(
    lks: &Lks,
    step: impl Fn(&dyn Fn(StateId, StateId) -> bool, StateId, StateId) -> bool,
) -> Vec<Vec<bool>> {
    let states = all_states(lks);
    let mut related: Vec<Vec<bool>> = states
        .iter()
        .map(|l| {
            states.iter().map(|r| same_label(lks, *l, lks, *r) && lks.mark(*l) == lks.mark(*r)).collect()
        })
        .collect();
    loop {
        let before = related.clone();
        let is = |l: StateId, r: StateId| before[l.index()][r.index()];
        for l in &states {
            for r in &states {
                let keep = before[l.index()][r.index()] && step(&is, *l, *r) && step(&is, *r, *l);
                related[l.index()][r.index()] = keep;
            }
        }
        if related == before {
            return related;
        }
    }
}

fn strong_step(lks: &Lks) -> impl Fn(&dyn Fn(StateId, StateId) -> bool, StateId, StateId) -> bool + '_ {
    |is, l, r| lks.transitions(l).all(|(a, l2)| lks.successors_by(r, a).iter().any(|r2| is(l2, *r2)))
}

/// What is reached by silent steps through states that `keeps` allows. With labels on states the ones between must be
/// asked too: the stuttering lemma of unlabelled systems does not cover them.
fn silently_related(lks: &Lks, keeps: &dyn Fn(StateId) -> bool, from: StateId) -> Vec<StateId> {
    let mut reached = vec![from];
    let mut next = 0;
    while next < reached.len() {
        for t in lks.successors_by(reached[next], ActionId::TAU) {
            if keeps(*t) && !reached.contains(t) {
                reached.push(*t);
            }
        }
        next += 1;
    }
    reached
}

fn branching_step(
    lks: &Lks,
    divergence: Divergence,
) -> impl Fn(&dyn Fn(StateId, StateId) -> bool, StateId, StateId) -> bool + '_ {
    move |is, l, r| {
        let moves = lks.transitions(l).all(|(a, l2)| {
            (a.is_silent() && is(l2, r))
                || silently_related(lks, &|s| is(l, s), r)
                    .iter()
                    .any(|r1| lks.successors_by(*r1, a).iter().any(|r2| is(l2, *r2)))
        });
        let diverges = || {
            // States on an infinite silent run from l whose states are all related to r.
            let mut alive: Vec<StateId> = lks.states().filter(|s| is(*s, r)).collect();
            loop {
                let kept: Vec<StateId> = alive
                    .iter()
                    .copied()
                    .filter(|s| lks.successors_by(*s, ActionId::TAU).iter().any(|t| alive.contains(t)))
                    .collect();
                if kept.len() == alive.len() {
                    break;
                }
                alive = kept;
            }
            let mut run = vec![l];
            let mut next = 0;
            if !alive.contains(&l) {
                return true;
            }
            while next < run.len() {
                for t in lks.successors_by(run[next], ActionId::TAU) {
                    if alive.contains(t) && !run.contains(t) {
                        run.push(*t);
                    }
                }
                next += 1;
            }
            lks.successors_by(r, ActionId::TAU).iter().any(|r2| run.iter().any(|s| is(*s, *r2)))
        };
        moves && (divergence == Divergence::Ignored || diverges())
    }
}

fn weak_step(lks: &Lks) -> impl Fn(&dyn Fn(StateId, StateId) -> bool, StateId, StateId) -> bool + '_ {
    |is, l, r| lks.transitions(l).all(|(a, l2)| weak_after(lks, r, a).iter().any(|r2| is(l2, *r2)))
}

#[test]
fn partitions_are_the_coarsest_bisimulations() {
    let mut merged = 0;
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let shape = Shape {
            states: 9,
            actions: 2,
            density: 1 + random.below(2),
            silent: true,
            propositions: usize::from(seed % 4 == 0),
            ends: seed % 3 == 0,
            errors: seed % 5 == 0,
        };
        let lks = random.lks("P", shape);
        for equivalence in [
            Equivalence::Strong,
            Equivalence::Branching(Divergence::Ignored),
            Equivalence::Branching(Divergence::Kept),
            Equivalence::Weak,
        ] {
            let expected = match equivalence {
                Equivalence::Strong => related_by_iteration(&lks, strong_step(&lks)),
                Equivalence::Branching(divergence) => {
                    related_by_iteration(&lks, branching_step(&lks, divergence))
                }
                Equivalence::Weak => related_by_iteration(&lks, weak_step(&lks)),
            };
            let partition = partition_by(&lks, equivalence, &Budget::unlimited()).unwrap();
            for l in lks.states() {
                for r in lks.states() {
                    let same = partition.block_of(l) == partition.block_of(r);
                    assert_eq!(
                        same,
                        expected[l.index()][r.index()],
                        "seed {seed}, {equivalence:?}: {l} and {r}\n{}",
                        lks::aut::write(&lks)
                    );
                    merged += usize::from(same && l != r);
                }
            }
            let small = smallest(&lks, equivalence, &Budget::unlimited()).unwrap();
            let outcome = bisimilar(&lks.reachable(), &small, equivalence, &Budget::unlimited());
            assert!(outcome.verdict.holds(), "seed {seed}, {equivalence:?}: the quotient is not equivalent");
        }
    }
    assert!(merged > 1000, "only {merged} pairs of states were equivalent");
}
