//! State/event formulas against all short lassos and finite paths of small systems.

use base::{Budget, Silent};
use check::engine::{COMPOSITIONAL, FiniteEngine, FiniteSystem, SYMBOLIC};
use check::temporal::meaning::{MaximalPath, Position};
use check::temporal::{Emptiness, Fairness, TemporalSettings, Vacuity, holds, progress};
use lks::{ActionId, Lks, LksBuilder, StateId};
use question::{Asks, Counterexample, Monitor};
use spec::Formula;
use spec::evaluate::claims::ProgressTest;
use std::sync::Arc;
use testkit::Random;
use testkit::systems::Shape;
use verdict::Lasso;

fn formula(random: &mut Random, size: usize) -> Formula {
    if size <= 1 {
        return match random.below(8) {
            0 => Formula::True,
            1 | 2 => Formula::proposition("P.p0"),
            3 => Formula::event("tau"),
            4 | 5 => Formula::event("a0"),
            _ => Formula::event("a1"),
        };
    }
    let kind = random.below(12);
    let left_size = 1 + random.below(size - 1);
    let left = Arc::new(formula(random, if kind < 4 { size - 1 } else { left_size }));
    if kind < 4 {
        return match kind {
            0 => Formula::Not(left),
            1 => Formula::Next(left),
            2 => Formula::Eventually(left),
            _ => Formula::Always(left),
        };
    }
    let right = Arc::new(formula(random, (size - left_size).max(1)));
    match kind {
        4 | 5 => Formula::And(left, right),
        6 => Formula::Or(left, right),
        7 => Formula::Implies(left, right),
        8 => Formula::Iff(left, right),
        9 => Formula::Until(left, right),
        10 => Formula::WeakUntil(left, right),
        _ => Formula::Release(left, right),
    }
}

fn position(lks: &Lks, state: StateId, event: Option<ActionId>) -> Position {
    let propositions = lks.label(state).iter().map(|id| lks.propositions().name(id).to_owned()).collect();
    Position { propositions, event: event.map(|action| lks.alphabet().name(action).to_owned()) }
}

/// A path as states and the events between.
#[derive(Clone)]
struct Run {
    states: Vec<StateId>,
    events: Vec<ActionId>,
}

/// Takes a path, the events of its cycle and the states of its cycle.
type Visit<'a> = dyn FnMut(&MaximalPath, &[ActionId], &[StateId]) + 'a;

/// Calls `visit` with every finite maximal path and every lasso of at most `length` steps.
fn all_runs(lks: &Lks, length: usize, visit: &mut Visit<'_>) {
    let mut open: Vec<Run> =
        lks.initial().iter().map(|state| Run { states: vec![*state], events: vec![] }).collect();
    while let Some(run) = open.pop() {
        let last = *run.states.last().unwrap();
        let positions: Vec<Position> = run
            .events
            .iter()
            .zip(&run.states)
            .map(|(event, state)| position(lks, *state, Some(*event)))
            .collect();
        if lks.actions(last).is_empty() {
            let mut stem = positions.clone();
            stem.push(position(lks, last, None));
            visit(&MaximalPath { stem, cycle: vec![] }, &[], &[]);
        }
        for entry in 0..run.states.len() - 1 {
            if run.states[entry] == last {
                let (stem, cycle) = positions.split_at(entry);
                let path = MaximalPath { stem: stem.to_vec(), cycle: cycle.to_vec() };
                visit(&path, &run.events[entry..], &run.states[entry..run.states.len() - 1]);
            }
        }
        if run.events.len() < length {
            for (action, target) in lks.transitions(last) {
                let mut longer = run.clone();
                longer.states.push(target);
                longer.events.push(action);
                open.push(longer);
            }
        }
    }
}

const SMALL: Shape =
    Shape { states: 3, actions: 2, density: 1, silent: true, propositions: 1, ends: false, errors: false };

#[test]
fn both_searches_agree_with_all_short_runs() {
    let (mut held, mut failed) = (0, 0);
    for seed in 0..500 {
        let mut random = Random::new(seed);
        let lks = random.lks("P", SMALL);
        let size = 2 + random.below(6);
        let formula = formula(&mut random, size);
        let mut violated = false;
        all_runs(&lks, 6, &mut |path, _, _| violated |= !path.satisfies(&formula));
        for emptiness in [Emptiness::Components, Emptiness::NestedSearch] {
            let settings = TemporalSettings { emptiness, ..TemporalSettings::default() };
            // That a counterexample violates the formula is checked by the engine itself.
            let outcome = holds(&lks, &formula, &settings, Monitor::silent(&Budget::unlimited()));
            assert!(!outcome.verdict.is_undecided());
            if violated {
                assert!(outcome.verdict.is_violated(), "seed {seed}, {emptiness:?}: {formula}");
            } else if outcome.verdict.is_violated() {
                // Only a longer run may show what short ones do not.
                let steps = match outcome.verdict.counterexample().unwrap() {
                    Counterexample::Lasso(Lasso { stem, cycle }) => stem.steps.len() + cycle.len(),
                    Counterexample::MaximalPath(path) => path.steps.len(),
                    other => panic!("seed {seed}: {other:?}"),
                };
                assert!(steps > 6, "seed {seed}, {emptiness:?}: {formula} has a short counterexample");
            }
            *(if outcome.verdict.holds() { &mut held } else { &mut failed }) += 1;
        }
    }
    assert!(held > 150 && failed > 150, "{held} held, {failed} failed");
}

#[test]
fn fair_searches_agree_with_all_short_fair_runs() {
    let (mut held, mut failed, mut changed) = (0, 0, 0);
    for seed in 0..500 {
        let mut random = Random::new(seed + 7000);
        let lks = random.lks("P", Shape { density: 2, ..SMALL });
        let size = 1 + random.below(3);
        // Something that must happen again and again is what fairness is for.
        let wanted = Arc::new(formula(&mut random, size));
        let formula = Formula::Always(Arc::new(Formula::Eventually(wanted)));
        let sets: Vec<Vec<String>> = vec![vec!["a0".to_owned()], vec!["a1".to_owned(), "tau".to_owned()]];
        let fairness = match random.below(3) {
            0 => Fairness { weak: sets, ..Fairness::none() },
            1 => Fairness { strong: sets, ..Fairness::none() },
            _ => Fairness { weak: vec![sets[0].clone()], strong: vec![sets[1].clone()], choice: false },
        };
        let has =
            |set: &[String], action: ActionId| set.iter().any(|name| *name == lks.alphabet().name(action));
        let is_fair = |events: &[ActionId], states: &[StateId]| {
            let enabled = |set: &[String], s: &StateId| lks.actions(*s).iter().any(|a| has(set, *a));
            let taken = |set: &[String]| events.iter().any(|event| has(set, *event));
            let weak = fairness.weak.iter().all(|set| taken(set) || !states.iter().all(|s| enabled(set, s)));
            let strong =
                fairness.strong.iter().all(|set| taken(set) || !states.iter().any(|s| enabled(set, s)));
            events.is_empty() || (weak && strong)
        };
        let (mut violated, mut violated_unfairly) = (false, false);
        all_runs(&lks, 6, &mut |path, events, states| {
            if !path.satisfies(&formula) {
                violated_unfairly = true;
                violated |= is_fair(events, states);
            }
        });
        let settings = TemporalSettings { fairness: fairness.clone(), ..TemporalSettings::default() };
        let outcome = holds(&lks, &formula, &settings, Monitor::silent(&Budget::unlimited()));
        if violated {
            assert!(outcome.verdict.is_violated(), "seed {seed}: {formula} under {fairness:?}");
        } else if let Some(counterexample) = outcome.verdict.counterexample() {
            let Counterexample::Lasso(lasso) = counterexample else {
                panic!("seed {seed}: {counterexample:?}")
            };
            assert!(
                lasso.stem.steps.len() + lasso.cycle.len() > 6,
                "seed {seed}: {formula} under {fairness:?}"
            );
        }
        changed += usize::from(violated_unfairly && outcome.verdict.holds());
        *(if outcome.verdict.holds() { &mut held } else { &mut failed }) += 1;
    }
    assert!(
        held > 80 && failed > 80 && changed > 10,
        "{held} held, {failed} failed, {changed} changed by fairness"
    );
}

/// A lamp that may be switched for ever, or break.
fn lamp() -> Lks {
    let mut builder = LksBuilder::new("LAMP");
    let (on, off, breaks) = (builder.action("on"), builder.action("off"), builder.action("break"));
    let lit = builder.proposition("lit");
    let [dark, bright, broken] = [builder.state(), builder.state(), builder.state()];
    builder.initial(dark);
    builder.label(bright, lit);
    builder.transition(dark, on, bright);
    builder.transition(bright, off, dark);
    builder.transition(bright, breaks, broken);
    builder.build()
}

#[test]
fn finite_runs_count_and_are_shown_as_such() {
    let always_next = Formula::Always(Arc::new(Formula::Next(Arc::new(Formula::True))));
    let outcome =
        holds(&lamp(), &always_next, &TemporalSettings::default(), Monitor::silent(&Budget::unlimited()));
    let Some(Counterexample::MaximalPath(path)) = outcome.verdict.counterexample() else {
        panic!("{outcome:?}")
    };
    assert_eq!(path.visible_actions().collect::<Vec<_>>(), ["on", "break"]);
    let on_then_lit = Formula::Always(Arc::new(Formula::Implies(
        Arc::new(Formula::event("on")),
        Arc::new(Formula::Next(Arc::new(Formula::proposition("lit")))),
    )));
    assert!(
        holds(&lamp(), &on_then_lit, &TemporalSettings::default(), Monitor::silent(&Budget::unlimited()))
            .verdict
            .holds()
    );
}

#[test]
fn vacuous_formulas_are_told() {
    let settings = TemporalSettings { vacuity: Vacuity::Report, ..TemporalSettings::default() };
    // Nothing is ever called `explode`, so whatever should follow it does not matter.
    let vacuous = Formula::Always(Arc::new(Formula::Implies(
        Arc::new(Formula::event("explode")),
        Arc::new(Formula::proposition("lit")),
    )));
    let outcome = holds(&lamp(), &vacuous, &settings, Monitor::silent(&Budget::unlimited()));
    assert!(outcome.verdict.holds());
    assert!(outcome.remarks.iter().any(|remark| remark.contains("`[lit]`")), "{:?}", outcome.remarks);
    assert!(outcome.remarks.iter().any(|remark| remark.contains("no `explode`")), "{:?}", outcome.remarks);
    let real = Formula::Always(Arc::new(Formula::Implies(
        Arc::new(Formula::event("off")),
        Arc::new(Formula::proposition("lit")),
    )));
    let outcome = holds(&lamp(), &real, &settings, Monitor::silent(&Budget::unlimited()));
    assert!(outcome.verdict.holds() && outcome.remarks.is_empty(), "{:?}", outcome.remarks);
}

#[test]
fn progress_fails_where_a_terminal_set_lacks_the_action() {
    let ask = |actions: &[&str], condition: Option<&[&str]>| {
        let owned = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect::<Vec<_>>();
        let property =
            ProgressTest { name: String::new(), condition: condition.map(owned), actions: owned(actions) };
        progress(&lamp(), &property, Monitor::silent(&Budget::unlimited())).verdict
    };
    // The broken lamp is a terminal set in which nothing happens.
    assert!(ask(&["on"], None).is_violated());
    assert!(ask(&["on"], Some(&["off"])).holds());
    let mut builder = LksBuilder::new("TWO_COINS");
    let (pick, trick, heads, tails) = (
        builder.action("pick"),
        builder.action("pick_trick"),
        builder.action("heads"),
        builder.action("tails"),
    );
    let states: Vec<StateId> = (0..3).map(|_| builder.state()).collect();
    builder.initial(states[0]);
    builder.transition(states[0], pick, states[1]);
    builder.transition(states[0], trick, states[2]);
    builder.transition(states[1], heads, states[1]);
    builder.transition(states[1], tails, states[1]);
    builder.transition(states[2], heads, states[2]);
    let coins = builder.build();
    let ask = |action: &str| {
        let property =
            ProgressTest { name: String::new(), condition: None, actions: vec![Arc::from(action)] };
        progress(&coins, &property, Monitor::silent(&Budget::unlimited())).verdict
    };
    assert!(ask("heads").holds());
    let verdict = ask("tails");
    let Some(Counterexample::Lasso(lasso)) = verdict.counterexample() else { panic!("{verdict:?}") };
    assert_eq!(lasso.stem.visible_actions().collect::<Vec<_>>(), ["pick_trick"]);
    assert_eq!(lasso.cycle.len(), 1);
}

/// State by state, by sets, and on the minimised system, with and without a condition, with END and properties.
#[test]
fn engines_agree_on_progress() {
    let (mut held, mut failed, mut declined) = (0, 0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let shape = Shape { states: 4, actions: 4, ends: seed % 2 == 0, ..testkit::systems::PLAIN };
        let system = match seed % 3 {
            0 => random.watched_composition(4, shape),
            _ => random.composition(4, shape),
        };
        let names = |random: &mut Random| vec![Arc::from(format!("a{}", random.below(5)))];
        let actions = names(&mut random);
        let condition = random.chance(50).then(|| names(&mut random));
        let test = ProgressTest { name: String::new(), condition, actions };
        let expected = progress(&system, &test, Monitor::silent(&Budget::unlimited())).verdict;
        let engines: [Option<&FiniteEngine>; 3] = [Some(&SYMBOLIC), Some(&COMPOSITIONAL), None];
        for engine in engines {
            let asks = Asks::MakesProgress(test.clone());
            let question = FiniteSystem::new(&system);
            let question = question.question("progress", asks);
            let answer = check::ask(&question, engine, &Budget::unlimited(), &Silent);
            if answer.verdict.is_undecided() {
                declined += 1;
                continue;
            }
            assert_eq!(answer.verdict.word(), expected.word(), "seed {seed}, {}", answer.engine);
        }
        if expected.holds() { held += 1 } else { failed += 1 }
    }
    assert!(held > 50 && failed > 50 && declined < 100, "{held} held, {failed} failed, {declined} declined");
}

/// Fair choice is strong fairness to each transition: it is compared with that on a copy where each has a name of its own.
#[test]
fn fair_choice_is_strong_fairness_to_every_transition() {
    let (mut held, mut failed, mut changed) = (0, 0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed + 11_000);
        let lks = random.lks("P", Shape { density: 2, ..SMALL });
        let mut builder = LksBuilder::new("COPY");
        let proposition = builder.proposition("P.p0");
        builder.ensure_states(lks.state_count());
        lks.initial().iter().for_each(|state| builder.initial(*state));
        let mut names = Vec::new();
        for state in lks.states() {
            let own = lks.propositions().find("P.p0").is_some_and(|own| lks.holds(state, own));
            if own {
                builder.label(state, proposition);
            }
            builder.mark(state, lks.mark(state));
            for (_, target) in lks.transitions(state) {
                names.push(format!("t{}", names.len()));
                let action = builder.action(&names[names.len() - 1]);
                builder.transition(state, action, target);
            }
        }
        let copy = builder.build();
        let text = ["G F [P.p0]", "F G [P.p0]", "F G ![P.p0]", "G F (X [P.p0])", "G([P.p0] => F ![P.p0])"];
        let formula = Formula::parse(text[random.below(text.len())], 0).unwrap();
        let under = |lks: &Lks, fairness: Fairness| {
            let settings = TemporalSettings { fairness, ..TemporalSettings::default() };
            holds(lks, &formula, &settings, Monitor::silent(&Budget::unlimited())).verdict
        };
        let each = names.iter().map(|name| vec![name.clone()]).collect();
        let expected = under(&copy, Fairness { strong: each, ..Fairness::none() });
        let fair = under(&lks, Fairness { choice: true, ..Fairness::none() });
        assert_eq!(fair.word(), expected.word(), "seed {seed}: {formula}");
        let unfair = under(&lks, Fairness::none());
        assert!(unfair.is_violated() || fair.holds(), "seed {seed}: fewer runs, not more");
        changed += usize::from(unfair.is_violated() && fair.holds());
        *(if fair.holds() { &mut held } else { &mut failed }) += 1;
    }
    assert!(held > 80 && failed > 80 && changed > 10, "{held} held, {failed} failed, {changed} changed");
}
