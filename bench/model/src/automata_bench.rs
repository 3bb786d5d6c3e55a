//! Automata of random formulas against the oracle, sizes against the recorded ones, and time against `spin -f`.

use crate::clock::Clock;
use crate::support::Random;
use automata::{Acceptance, Atom, LassoWord, Letter, Ltl, suite_text, translate};
use base::{Budget, Id};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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
            let expected = word.satisfies(&formula);
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
    suites();
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

/// The formula suites next to the repository, where they are.
fn suites() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/ltl/spot");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("../shared/bench/ltl is absent: no suite was translated");
        return;
    };
    let has_spin =
        Command::new("spin").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !has_spin {
        println!("spin is not installed: no comparison of times");
    }
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let (mut ours, mut theirs) = (Duration::ZERO, Duration::ZERO);
    let (mut both, mut count, mut unread, mut too_long) = (0u32, 0, 0, 0);
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "ltl")) {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let Ok(formula) = suite_text::read(line) else {
                unread += 1;
                continue;
            };
            let budget = Budget::unlimited().with_time(Duration::from_secs(20));
            let started = Instant::now();
            let Ok(_) = translate(&formula.formula, &formula.atoms, Acceptance::States, &budget) else {
                println!("gave up after 20 s: {line}");
                continue;
            };
            let own = started.elapsed();
            count += 1;
            if !has_spin {
                continue;
            }
            match spin_time(&to_spin(&formula.formula, &formula.atoms)) {
                Some(time) => {
                    ours += own;
                    theirs += time;
                    both += 1;
                }
                None => too_long += 1,
            }
        }
    }
    println!("{count} formulas of the suites translated, {unread} not read");
    if both > 0 {
        let mut starts: Vec<Duration> = (0..9).filter_map(|_| spin_time("p")).collect();
        starts.sort_unstable();
        let start = starts.get(starts.len() / 2).copied().unwrap_or_default();
        let translating = theirs.saturating_sub(start * both);
        println!(
            "{both} formulas both can do: ours {:.3} s, spin -f {:.3} s, ratio {:.1}; without the time spin takes to start \
             ({:.1} ms each) {:.3} s, ratio {:.1}; {too_long} took spin more than 10 s or failed there",
            ours.as_secs_f64(),
            theirs.as_secs_f64(),
            theirs.as_secs_f64() / ours.as_secs_f64(),
            start.as_secs_f64() * 1e3,
            translating.as_secs_f64(),
            translating.as_secs_f64() / ours.as_secs_f64()
        );
    }
}

fn to_spin(formula: &Ltl, atoms: &[String]) -> String {
    let of = |inner: &Ltl| to_spin(inner, atoms);
    match formula {
        Ltl::True => "true".to_owned(),
        Ltl::False => "false".to_owned(),
        Ltl::Atom(atom) => atoms[atom.index()].clone(),
        Ltl::Not(a) => format!("(!{})", of(a)),
        Ltl::And(a, b) => format!("({} && {})", of(a), of(b)),
        Ltl::Or(a, b) => format!("({} || {})", of(a), of(b)),
        Ltl::Next(a) => format!("(X {})", of(a)),
        Ltl::Finally(a) => format!("(<> {})", of(a)),
        Ltl::Globally(a) => format!("([] {})", of(a)),
        Ltl::Until(a, b) => format!("({} U {})", of(a), of(b)),
        Ltl::Release(a, b) => format!("({} V {})", of(a), of(b)),
        Ltl::WeakUntil(a, b) => format!("({} V ({} || {}))", of(b), of(a), of(b)),
        Ltl::StrongRelease(a, b) => format!("({} U ({} && {}))", of(b), of(a), of(b)),
    }
}

/// How long spin takes, if it answers within ten seconds.
fn spin_time(formula: &str) -> Option<Duration> {
    let started = Instant::now();
    let mut child = Command::new("spin")
        .args(["-f", formula])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    loop {
        match child.try_wait().ok()? {
            Some(status) => return status.success().then(|| started.elapsed()),
            None if started.elapsed() > Duration::from_secs(10) => {
                child.kill().ok()?;
                child.wait().ok()?;
                return None;
            }
            None => std::thread::sleep(Duration::from_micros(200)),
        }
    }
}
