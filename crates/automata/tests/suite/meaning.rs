//! Rewriting, implication and translation against the definition of the operators on random words.

use automata::formula::Formulas;
use automata::{Acceptance, translate};
use base::Budget;
use testkit::Random;
use testkit::formulas::names;
use testkit::meaning::satisfies;

const ATOMS: usize = 3;

#[test]
fn translations_agree_with_the_oracle() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let size = 2 + random.below(9);
        let formula = random.ltl(size, ATOMS);
        let negation = formula.clone().negated();
        let budget = Budget::unlimited();
        let of = |formula, acceptance| translate(formula, &names(ATOMS), acceptance, &budget).unwrap();
        let generalised = of(&formula, Acceptance::Generalised);
        let with_states = of(&formula, Acceptance::States);
        let opposite = of(&negation, Acceptance::Generalised);
        assert!(with_states.is_state_based() && with_states.marks <= 1, "seed {seed}: {formula:?}");
        assert!(
            generalised.intersection(&opposite).is_empty(),
            "seed {seed}: {formula:?} and its negation meet"
        );
        for _ in 0..40 {
            let word = random.word(ATOMS);
            let expected = satisfies(&word, &formula);
            assert_eq!(generalised.accepts(&word), expected, "seed {seed}: {formula:?} on {word:?}");
            assert_eq!(with_states.accepts(&word), expected, "seed {seed}: {formula:?} on {word:?}, states");
            assert_eq!(opposite.accepts(&word), !expected, "seed {seed}: not {formula:?} on {word:?}");
        }
    }
}

#[test]
fn implications_hold_on_random_words() {
    let mut found = 0;
    for seed in 0..3000 {
        let mut random = Random::new(seed + 1_000_000);
        let (size_left, size_right) = (1 + random.below(5), 1 + random.below(5));
        let (left, right) = (random.ltl(size_left, 2), random.ltl(size_right, 2));
        let mut formulas = Formulas::new();
        let (l, r) = (formulas.from_ltl(&left, true), formulas.from_ltl(&right, true));
        if !formulas.surely_implies(l, r) {
            continue;
        }
        found += 1;
        for _ in 0..30 {
            let word = random.word(2);
            assert!(
                !satisfies(&word, &left) || satisfies(&word, &right),
                "seed {seed}: {left:?} does not imply {right:?} on {word:?}"
            );
        }
    }
    assert!(found > 200, "only {found} implications were found: the test says little");
}

/// The rules G F(x & e) = G F x & G e and F G(x | u) = F G x | F u, which random formulas seldom meet.
#[test]
fn what_recurs_is_taken_apart_rightly() {
    for seed in 0..150 {
        let mut random = Random::new(seed + 2_000_000);
        let (size_x, size_y) = (1 + random.below(3), 1 + random.below(3));
        let (x, y) = (random.ltl(size_x, ATOMS), random.ltl(size_y, ATOMS));
        let again = x.clone().and(y.clone().finally().next()).finally().globally();
        let at_last = x.or(y.globally().next()).globally().finally();
        for formula in [again, at_last] {
            let automaton =
                translate(&formula, &names(ATOMS), Acceptance::Generalised, &Budget::unlimited()).unwrap();
            for _ in 0..40 {
                let word = random.word(ATOMS);
                assert_eq!(
                    automaton.accepts(&word),
                    satisfies(&word, &formula),
                    "seed {seed}: {formula:?} on {word:?}"
                );
            }
        }
    }
    let text = "G F(a & X F(b & X F c)) & G F(d & X F(e & X F f)) & G F(g & X F(h & X F k))";
    let read = testkit::suite_text::read(text).unwrap();
    let automaton =
        translate(&read.formula, &read.atoms, Acceptance::Generalised, &Budget::unlimited()).unwrap();
    assert_eq!(automaton.state_count(), 1);
}

/// Many marks and many states: the reductions stop early or look at fewer candidates. What comes out is larger, not wrong.
#[test]
fn large_automata_agree_with_the_oracle() {
    let clients = |n: usize| {
        let each = |i: usize| {
            let (r, g) = (format!("r{i}"), format!("g{i}"));
            format!("G({r} -> F {g}) & (G F {r} | F G !{g}) & G({g} -> X({g} | {r} | ({r} R !{g})))")
        };
        (0..n).map(each).collect::<Vec<_>>().join(" & ")
    };
    for (text, fewest) in [(clients(2), 1), (clients(3), 100)] {
        let read = testkit::suite_text::read(&text).unwrap();
        let of =
            |acceptance| translate(&read.formula, &read.atoms, acceptance, &Budget::unlimited()).unwrap();
        let (generalised, with_states) = (of(Acceptance::Generalised), of(Acceptance::States));
        assert!(with_states.state_count() >= fewest, "{} states: not large", with_states.state_count());
        assert!(with_states.is_state_based() && with_states.marks <= 1);
        let mut random = Random::new(7);
        let (mut held, mut failed) = (0, 0);
        for _ in 0..300 {
            let word = random.word(read.atoms.len());
            let expected = satisfies(&word, &read.formula);
            *if expected { &mut held } else { &mut failed } += 1;
            assert_eq!(generalised.accepts(&word), expected, "{text} on {word:?}");
            assert_eq!(with_states.accepts(&word), expected, "{text} on {word:?}, states");
        }
        assert!(held > 3 && failed > 3, "{held} words held, {failed} failed: the test says little");
    }
}
