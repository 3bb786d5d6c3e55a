//! Minimum hitting sets: 200 random instances, and one weighted vertex cover of 120 vertices, in both modes and by
//! z3's optimiser.

use crate::clock::Stopwatch;
use crate::table;
use base::Budget;
use logic::SolverCommand;
use logic::optimise::{HittingSet, Mode, minimum_hitting_set};
use logic::random::Random;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

struct Instance {
    weights: Vec<u32>,
    sets: Vec<Vec<usize>>,
}

fn random_instances() -> Vec<Instance> {
    let mut random = Random::new(99);
    (0..200)
        .map(|_| {
            let elements = 20 + random.below(41);
            let weights = (0..elements).map(|_| 1 + random.below(20) as u32).collect();
            let sets = (0..30 + random.below(51))
                .map(|_| (0..2 + random.below(5)).map(|_| random.below(elements)).collect())
                .collect();
            Instance { weights, sets }
        })
        .collect()
}

fn vertex_cover() -> Instance {
    let mut random = Random::new(120);
    let weights = (0..120).map(|_| 1 + random.below(100) as u32).collect();
    let mut sets = Vec::new();
    while sets.len() < 360 {
        let (a, b) = (random.below(120), random.below(120));
        if a != b {
            sets.push(vec![a, b]);
        }
    }
    Instance { weights, sets }
}

fn ours(instance: &Instance, mode: Mode, limit: Duration) -> Option<u64> {
    let budget = Budget::unlimited().with_time(limit);
    match minimum_hitting_set(&instance.weights, &instance.sets, mode, &budget) {
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
    let mut child = Command::new(&command.program)
        .args(&command.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    let mut numbers = answer.rsplit(|c: char| !c.is_ascii_digit()).filter(|word| !word.is_empty());
    numbers.next()?.parse().ok()
}

fn row(
    name: &str,
    instances: &[Instance],
    solve: impl Fn(&Instance) -> Option<u64>,
    known: &mut [Option<u64>],
) -> Vec<String> {
    let started = Stopwatch::start();
    let costs: Vec<Option<u64>> = instances.iter().map(solve).collect();
    let elapsed = started.read().best();
    for (cost, known) in costs.iter().zip(known.iter_mut()) {
        if let (Some(cost), Some(known)) = (cost, &known) {
            assert_eq!(cost, known, "all find the same minimum");
        }
        *known = known.or(*cost);
    }
    let solved = costs.iter().filter(|cost| cost.is_some()).count();
    let each = elapsed.as_secs_f64() * 1e3 / instances.len() as f64;
    vec![name.to_owned(), format!("{solved} of {}", instances.len()), format!("{each:.2}")]
}

/// Prints the tables.
pub fn measure(other: Option<&SolverCommand>) {
    let limit = Duration::from_secs(20);
    for (title, instances) in [
        (
            "Minimum hitting sets (200 random: 20-60 elements, 30-80 sets of 2-6, weights 1-20)",
            random_instances(),
        ),
        ("Weighted vertex cover (120 vertices, 360 edges, weights 1-100)", vec![vertex_cover()]),
    ] {
        let mut known = vec![None; instances.len()];
        let mut rows = vec![
            row("core-guided", &instances, |i| ours(i, Mode::CoreGuided, limit), &mut known),
            row("linear", &instances, |i| ours(i, Mode::Linear, limit), &mut known),
        ];
        if let Some(command) = other {
            let name = format!("{} (process, optimiser)", command.program);
            rows.push(row(&name, &instances, |instance| theirs(command, instance), &mut known));
        }
        table::print(title, &["search", "solved", "ms/instance (cpu)"], &rows);
    }
}
