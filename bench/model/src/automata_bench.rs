//! Automata of random formulas against the oracle, and sizes against the recorded ones.

use automata::{Acceptance, Atom, LassoWord, Letter, Ltl, translate};
use base::{Budget, Id};
use std::path::Path;
use std::time::Instant;
use testkit::Random;
use testkit::clock::Clock;
use testkit::meaning::satisfies;
use testkit::suite_text;

const ATOMS: usize = 3;

fn random_formula(random: &mut Random, size: usize) -> Ltl {
    if size <= 1 {
        return Ltl::atom(Atom::from_index(random.below(ATOMS)));
    }
    let kind = random.below(11);
    let left_size = 1 + random.below(size - 1);
    let left = random_formula(random, if kind < 4 { size - 1 } else { left_size });
    match kind {
        0 => return left.negated(),
        1 => return left.next(),
        2 => return left.finally(),
        3 => return left.globally(),
        _ => {}
    }
    let right = random_formula(random, (size - left_size).max(1));
    match kind {
        4 | 5 => left.and(right),
        6 | 7 => left.or(right),
        8 => left.until(right),
        9 => left.weak_until(right),
        _ => left.release(right),
    }
}

fn random_word(random: &mut Random) -> LassoWord {
    let mut letters = |count: usize| -> Vec<Letter> {
        (0..count).map(|_| (0..ATOMS).filter(|_| random.chance(50)).map(Atom::from_index).collect()).collect()
    };
    let (stem, cycle) = (letters(2), letters(3));
    LassoWord { stem, cycle }
}

pub fn run(formulas: u64) -> Result<(), String> {
    let names: Vec<String> = (0..ATOMS).map(|index| format!("p{index}")).collect();
    let unlimited = Budget::unlimited();
    let started = Instant::now();
    let mut states = 0;
    for seed in 0..formulas {
        let mut random = Random::new(seed);
        let size = 2 + random.below(14);
        let formula = random_formula(&mut random, size);
        let of = |formula: &Ltl, acceptance| {
            translate(formula, &names, acceptance, &unlimited)
                .map_err(|trouble| format!("seed {seed}: {trouble}"))
        };
        let negation = formula.clone().negated();
        let (general, ordinary, opposite) = (
            of(&formula, Acceptance::Generalised)?,
            of(&formula, Acceptance::States)?,
            of(&negation, Acceptance::Generalised)?,
        );
        states += general.state_count();
        if !general.intersection(&opposite).is_empty() {
            return Err(format!("seed {seed}: {formula:?} and its negation share a word"));
        }
        for _ in 0..50 {
            let word = random_word(&mut random);
            let expected = satisfies(&word, &formula);
            if [general.accepts(&word), ordinary.accepts(&word), !opposite.accepts(&word)] != [expected; 3] {
                return Err(format!("seed {seed}: {formula:?} on {word:?}"));
            }
        }
    }
    println!(
        "{formulas} random formulas: formula, negation and oracle agree on 50 words each; {states} states; {:.1} s",
        started.elapsed().as_secs_f64()
    );
    surge();
    Ok(())
}

/// Totals against the recorded ones, and the worst.
pub fn sizes() -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/ltl/reference_sizes.csv");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("../shared/bench/ltl/reference_sizes.csv is absent: nothing to compare with");
        return Ok(());
    };
    for (kind, acceptance) in [("Büchi", Acceptance::States), ("TGBA", Acceptance::Generalised)] {
        let (mut states, mut edges, mut known_states, mut known_edges, mut count) = (0, 0, 0, 0, 0usize);
        let mut worst: (f64, String) = (0.0, String::new());
        let (mut smaller, mut larger) = (0, 0);
        let clock = Clock::start();
        for line in text.lines().skip(1) {
            let mut fields = line.rsplitn(5, ',');
            let mut number = || fields.next().and_then(|text| text.parse::<usize>().ok()).unwrap_or(0);
            let (te, ts, be, bs) = (number(), number(), number(), number());
            let source =
                fields.next().and_then(|rest| rest.split_once(',')).map_or("", |(_, formula)| formula);
            let formula = suite_text::read(source).map_err(|problem| format!("{source}: {problem}"))?;
            let automaton = translate(&formula.formula, &formula.atoms, acceptance, &Budget::unlimited())
                .map_err(|trouble| format!("{source}: {trouble}"))?;
            let recorded = if kind == "TGBA" { (ts, te) } else { (bs, be) };
            let own = (automaton.state_count(), automaton.edge_count());
            states += own.0;
            edges += own.1;
            known_states += recorded.0;
            known_edges += recorded.1;
            count += 1;
            smaller += usize::from(own < recorded);
            larger += usize::from(own > recorded);
            let ratio =
                (own.0 as f64 / recorded.0.max(1) as f64).max(own.1 as f64 / recorded.1.max(1) as f64);
            if ratio > worst.0 {
                worst = (ratio, format!("{own:?} for {recorded:?}: {source}"));
            }
        }
        println!(
            "{kind}: {count} formulas, {states} states for {known_states} ({:+.1} %), {edges} edges for {known_edges} ({:+.1} %); \
             smaller {smaller}, larger {larger}; {:.2} s CPU; worst {:.2} times: {}",
            (states as f64 / known_states as f64 - 1.0) * 100.0,
            (edges as f64 / known_edges as f64 - 1.0) * 100.0,
            clock.processor(),
            worst.0,
            worst.1.chars().take(160).collect::<String>()
        );
    }
    Ok(())
}

/// The surge protector's formula for values up to n.
fn surge() {
    for n in [10, 20, 40, 60] {
        let conjunct = |c: usize| {
            let thresholds: Vec<String> = (c..=n).map(|m| format!("m{m}")).collect();
            format!("(c{c} -> ({}))", thresholds.join(" | "))
        };
        let text = format!("G({})", (1..=n).map(conjunct).collect::<Vec<_>>().join(" & "));
        let formula = suite_text::read(&text).expect("well formed");
        for (name, formula_to_ask) in
            [("holds", formula.formula.clone()), ("negated", formula.formula.clone().negated())]
        {
            let clock = Clock::start();
            let automaton =
                translate(&formula_to_ask, &formula.atoms, Acceptance::States, &Budget::unlimited())
                    .expect("no limit");
            println!(
                "surge {n} {name}: {} states, {} edges, {:.1} ms CPU",
                automaton.state_count(),
                automaton.edge_count(),
                clock.processor() * 1e3
            );
        }
    }
}
