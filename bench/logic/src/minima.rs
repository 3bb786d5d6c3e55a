//! Minimum hitting sets (200 random instances of five sizes, and a few larger ones) and weighted vertex covers of four
//! sizes, in both modes and by z3's optimiser.

use crate::table;
use base::Budget;
use logic::SolverCommand;
use logic::optimise::{HittingSet, Mode, minimum_hitting_set};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::Random;
use testkit::clock::{Stopwatch, within_processor_time};

/// Processor time for one instance. The search from above is known to be slow: it gets less.
const LIMIT: Duration = Duration::from_secs(20);
const LIMIT_FROM_ABOVE: Duration = Duration::from_secs(2);

struct Instance {
    weights: Vec<u32>,
    sets: Vec<Vec<usize>>,
}

struct Family {
    name: String,
    instances: Vec<Instance>,
}

/// `elements` elements of weights 1 to 20, and between that many and twice as many sets of 2 to 6.
fn hitting_sets(elements: usize, count: usize) -> Family {
    let mut random = Random::new(99 + elements as u64);
    let instance = |_| {
        let weights = (0..elements).map(|_| 1 + random.below(20) as u32).collect();
        let sets = (0..elements + random.below(elements + 1))
            .map(|_| (0..2 + random.below(5)).map(|_| random.below(elements)).collect())
            .collect();
        Instance { weights, sets }
    };
    let instances = (0..count).map(instance).collect();
    Family { name: format!("hitting set, {elements} elements"), instances }
}

/// `vertices` vertices of weights 1 to 100, and three times as many edges.
fn vertex_covers(vertices: usize, count: usize) -> Family {
    let mut random = Random::new(vertices as u64);
    let instance = |_| {
        let weights = (0..vertices).map(|_| 1 + random.below(100) as u32).collect();
        let mut sets = Vec::new();
        while sets.len() < 3 * vertices {
            let (a, b) = (random.below(vertices), random.below(vertices));
            if a != b {
                sets.push(vec![a, b]);
            }
        }
        Instance { weights, sets }
    };
    let instances = (0..count).map(instance).collect();
    Family { name: format!("vertex cover, {vertices} vertices"), instances }
}

fn ours(instance: &Instance, mode: Mode, limit: Duration) -> Option<u64> {
    let search = |budget: &Budget| minimum_hitting_set(&instance.weights, &instance.sets, mode, budget);
    match within_processor_time(limit, search) {
        HittingSet::Minimum { cost, .. } => Some(cost),
        HittingSet::Impossible => panic!("no set is empty"),
        HittingSet::Unknown { .. } => None,
    }
}

/// z3's own optimiser, by soft assertions; the cost is in what it prints.
fn theirs(command: &SolverCommand, instance: &Instance) -> Option<u64> {
    let mut text = String::new();
    for (element, weight) in instance.weights.iter().enumerate() {
        let _ =
            writeln!(text, "(declare-const e{element} Bool)(assert-soft (not e{element}) :weight {weight})");
    }
    for set in &instance.sets {
        let names: Vec<String> = set.iter().map(|element| format!("e{element}")).collect();
        let _ = writeln!(text, "(assert (or {}))", names.join(" "));
    }
    text.push_str("(check-sat)\n(get-objectives)\n");
    // The shell limits its processor time.
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -t {}; exec \"$@\"", LIMIT.as_secs()), "sh", &command.program])
        .args(&command.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    if !answer.starts_with("sat") {
        return None;
    }
    let mut numbers = answer.rsplit(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
    numbers.next()?.parse().ok()
}

fn row(
    family: &Family,
    search: &str,
    solve: impl Fn(&Instance) -> Option<u64>,
    known: &mut [Option<u64>],
) -> Vec<String> {
    let started = Stopwatch::start();
    let costs: Vec<Option<u64>> = family.instances.iter().map(solve).collect();
    let elapsed = started.read().best();
    for (cost, known) in costs.iter().zip(known.iter_mut()) {
        if let (Some(cost), Some(known)) = (cost, &known) {
            assert_eq!(cost, known, "all find the same minimum");
        }
        *known = known.or(*cost);
    }
    let (solved, all) = (costs.iter().filter(|cost| cost.is_some()).count(), family.instances.len());
    let each = elapsed.as_secs_f64() * 1e3 / all as f64;
    vec![search.to_owned(), format!("{solved} of {all}"), format!("{each:.2}")]
}

/// Prints a table for each family.
pub fn measure(other: Option<&SolverCommand>) {
    println!(
        "\nWeighted minima; {} s of processor time an instance, {} s for linear",
        LIMIT.as_secs(),
        LIMIT_FROM_ABOVE.as_secs()
    );
    let mut families: Vec<Family> = [20, 30, 40, 50, 60].map(|elements| hitting_sets(elements, 40)).into();
    families.push(hitting_sets(100, 5));
    families.extend([40, 80, 120, 160].map(|vertices| vertex_covers(vertices, 5)));
    for family in families {
        let mut known = vec![None; family.instances.len()];
        let mut rows = vec![
            row(&family, "core-guided", |i| ours(i, Mode::CoreGuided, LIMIT), &mut known),
            row(&family, "linear", |i| ours(i, Mode::Linear, LIMIT_FROM_ABOVE), &mut known),
        ];
        if let Some(command) = other {
            let name = format!("{} (process)", command.program);
            rows.push(row(&family, &name, |instance| theirs(command, instance), &mut known));
        }
        table::print(&family.name, &["search", "solved", "ms/instance (cpu)"], &rows);
    }
}
