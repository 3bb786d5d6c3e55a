//! Time of translating the formula suites beside `spin -f`, formula by formula, in one run.

use automata::{Acceptance, Ltl, translate};
use base::{Budget, Id};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::clock::{Clock, seconds_of, seconds_of_children};
use testkit::suite_text;

/// Seconds that we have for a formula.
const MOST_SECONDS: u64 = 100;
/// A short translation is repeated for so many processor seconds: the system counts them in larger pieces than it takes.
const SHORTEST_MEASURE: f64 = 0.01;

#[derive(Default)]
struct Totals {
    formulas: usize,
    both: usize,
    ours: f64,
    slowest: f64,
    theirs: f64,
    /// Spin is stopped at the limit, or refuses: Debian's is built without X.
    stopped: usize,
    refused: usize,
}

/// Spin is stopped after so many processor seconds on a formula.
pub fn run(spin_seconds: f64) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/ltl");
    let mut files = Vec::new();
    collect(&folder, &mut files);
    if files.is_empty() {
        println!("../shared/bench/ltl is absent: no suite was translated");
        return Ok(());
    }
    files.sort();
    // What spin takes to start, in which it translates nothing worth the name.
    let mut starts: Vec<f64> = (0..21)
        .filter_map(|_| match spin_on("p", spin_seconds) {
            Spin::Translated(seconds) => Some(seconds),
            _ => None,
        })
        .collect();
    starts.sort_by(f64::total_cmp);
    let Some(start) = starts.get(starts.len() / 2).copied() else {
        println!("spin is not installed: no comparison");
        return Ok(());
    };
    println!(
        "spin takes {:.2} ms to start, which is taken off below, and is stopped after {spin_seconds} s; CPU times",
        start * 1e3
    );
    println!(
        "suite                            formulas   both do   ours s   our slowest s   spin -f s   ratio   spin not finished   spin refuses"
    );
    let mut known = BTreeSet::new();
    let mut all = Totals::default();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let mut totals = Totals::default();
        for line in text.lines().map(str::trim).filter(|line| is_formula(line)) {
            let formula = match suite_text::read(line) {
                Ok(formula) => formula,
                Err(problem) => {
                    println!("not read ({problem}): {line}");
                    continue;
                }
            };
            let asked = to_spin(&formula.formula);
            if !known.insert(asked.clone()) {
                continue;
            }
            let budget = Budget::unlimited().with_time(Duration::from_secs(MOST_SECONDS));
            let clock = Clock::start();
            let mut times = 0u32;
            let translated = loop {
                times += 1;
                let translated = translate(&formula.formula, &formula.atoms, Acceptance::States, &budget);
                if clock.processor() > SHORTEST_MEASURE || translated.is_err() {
                    break translated;
                }
            };
            let own = clock.processor() / f64::from(times);
            totals.formulas += 1;
            totals.slowest = totals.slowest.max(own);
            if translated.is_err() {
                println!("not translated within {:.1} s: {line}", own);
                continue;
            }
            match spin_on(&asked, spin_seconds) {
                Spin::Translated(theirs) => {
                    totals.both += 1;
                    totals.ours += own;
                    totals.theirs += (theirs - start).max(0.0);
                }
                Spin::Stopped => totals.stopped += 1,
                Spin::Refused => totals.refused += 1,
            }
        }
        let name = file.strip_prefix(&folder).unwrap_or(&file).display().to_string();
        show(&name, &totals);
        all.formulas += totals.formulas;
        all.both += totals.both;
        all.ours += totals.ours;
        all.slowest = all.slowest.max(totals.slowest);
        all.theirs += totals.theirs;
        all.stopped += totals.stopped;
        all.refused += totals.refused;
    }
    show("all", &all);
    Ok(())
}

fn show(name: &str, totals: &Totals) {
    println!(
        "{name:<32} {:>8}   {:>7}   {:>6.3}   {:>13.3}   {:>9.3}   {:>5.1}   {:>16}   {:>12}",
        totals.formulas,
        totals.both,
        totals.ours,
        totals.slowest,
        totals.theirs,
        totals.theirs / totals.ours.max(1e-9),
        totals.stopped,
        totals.refused
    );
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_none_or(|extension| extension == "ltl") {
            files.push(path);
        }
    }
}

/// Empty lines and the suites' two kinds of comments are not.
fn is_formula(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('#') && !line.starts_with("//")
}

fn to_spin(formula: &Ltl) -> String {
    match formula {
        Ltl::True => "true".to_owned(),
        Ltl::False => "false".to_owned(),
        Ltl::Atom(atom) => format!("p{}", atom.index()),
        Ltl::Not(a) => format!("(!{})", to_spin(a)),
        Ltl::And(a, b) => format!("({} && {})", to_spin(a), to_spin(b)),
        Ltl::Or(a, b) => format!("({} || {})", to_spin(a), to_spin(b)),
        Ltl::Next(a) => format!("(X {})", to_spin(a)),
        Ltl::Finally(a) => format!("(<> {})", to_spin(a)),
        Ltl::Globally(a) => format!("([] {})", to_spin(a)),
        Ltl::Until(a, b) => format!("({} U {})", to_spin(a), to_spin(b)),
        Ltl::Release(a, b) => format!("({} V {})", to_spin(a), to_spin(b)),
        Ltl::WeakUntil(a, b) => format!("({} V ({} || {}))", to_spin(b), to_spin(a), to_spin(b)),
        Ltl::StrongRelease(a, b) => format!("({} U ({} && {}))", to_spin(b), to_spin(a), to_spin(b)),
    }
}

enum Spin {
    /// In so many processor seconds.
    Translated(f64),
    /// Not within the limit.
    Stopped,
    Refused,
}

fn spin_on(formula: &str, most_seconds: f64) -> Spin {
    let before = seconds_of_children();
    let started =
        Command::new("spin").args(["-f", formula]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = started else { return Spin::Refused };
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if seconds_of(child.id()) < most_seconds => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                // It may have ended just now; then there is nothing to stop.
                let _ = child.kill();
                let _ = child.wait();
                return Spin::Stopped;
            }
        }
    };
    match status.success() {
        true => Spin::Translated(seconds_of_children() - before),
        false => Spin::Refused,
    }
}
