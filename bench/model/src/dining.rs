//! The dining philosophers of AG section 6 (Figure 5): n philosophers, n forks, one lock; never may all n go for
//! their second fork at once. The variant without the lock violates this and deadlocks.

use crate::ask::{ENGINES, safety};
use base::Budget;
use check::safety::SafetyQuestion;
use lks::{Component, Composition, Lks, LksBuilder, Role, StateId, StateMark};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use testkit::clock::{Clock, seconds_of_children};

/// A structure from transitions between numbered states; state 0 is initial.
fn structure(name: &str, states: usize, transitions: &[(usize, String, usize)]) -> LksBuilder {
    use base::Id;
    let mut builder = LksBuilder::new(name);
    builder.ensure_states(states);
    builder.initial(StateId::from_index(0));
    for (from, action, to) in transitions {
        let action = builder.action(action);
        builder.transition(StateId::from_index(*from), action, StateId::from_index(*to));
    }
    builder
}

fn philosopher(i: usize, with_lock: bool) -> Lks {
    let a = |action: &str| format!("{action}_{i}");
    let steps: Vec<(usize, String, usize)> = if with_lock {
        vec![
            (0, a("get_lock"), 1),
            (1, a("get_l_fork"), 2),
            (2, a("case1"), 4),
            (4, a("get_r_fork"), 5),
            (5, a("leave_lock"), 6),
            (6, a("leave_r_fork"), 7),
            (7, a("leave_l_fork"), 0),
            (2, a("leave_lock"), 3),
            (3, a("leave_l_fork"), 0),
        ]
    } else {
        vec![
            (0, a("get_l_fork"), 1),
            (1, a("case1"), 2),
            (2, a("get_r_fork"), 3),
            (3, a("leave_r_fork"), 4),
            (4, a("leave_l_fork"), 0),
            (1, a("leave_l_fork"), 0),
        ]
    };
    structure(&format!("PHIL_{i}"), 8, &steps).build().reachable()
}

fn fork(i: usize, n: usize) -> Lks {
    let right_user = if i == 1 { n } else { i - 1 };
    let steps = [
        (0, format!("get_l_fork_{i}"), 1),
        (1, format!("leave_l_fork_{i}"), 0),
        (0, format!("get_r_fork_{right_user}"), 2),
        (2, format!("leave_r_fork_{right_user}"), 0),
    ];
    structure(&format!("FORK_{i}"), 3, &steps).build()
}

fn lock(n: usize) -> Lks {
    let steps: Vec<(usize, String, usize)> =
        (1..=n).flat_map(|i| [(0, format!("get_lock_{i}"), i), (i, format!("leave_lock_{i}"), 0)]).collect();
    structure("LOCK", n + 1, &steps).build()
}

/// State k: k philosophers go for their second fork. The n-th to do so is an ERROR.
fn safe(n: usize) -> Lks {
    use base::Id;
    let mut steps = Vec::new();
    for i in 1..=n {
        for k in 0..n {
            steps.push((k, format!("case1_{i}"), k + 1));
            if k > 0 {
                steps.push((k, format!("get_r_fork_{i}"), k - 1));
            }
        }
    }
    // Nobody can stop going for the second fork before having begun.
    (1..=n).for_each(|i| steps.push((0, format!("get_r_fork_{i}"), 0)));
    let mut builder = structure("SAFE", n + 1, &steps);
    builder.mark(StateId::from_index(n), StateMark::Error);
    builder.build()
}

/// The system, with its property if ERROR is asked for: a violation would stop it before the deadlock.
pub fn system(n: usize, with_lock: bool, with_property: bool) -> Composition {
    let mut parts: Vec<Component> = Vec::new();
    if with_lock {
        parts.push(Component::process(lock(n)));
    }
    for i in 1..=n {
        parts.push(Component::process(philosopher(i, with_lock)));
        parts.push(Component::process(fork(i, n)));
    }
    if with_property {
        parts.push(Component { name: Arc::from("SAFE"), lks: Arc::new(safe(n)), role: Role::Watcher });
    }
    Composition::new(parts)
}

/// Measures the sizes between the two; with an engine's name only that one.
pub fn run(from: usize, to: usize, only: Option<&str>) -> Result<(), String> {
    let engines = match only {
        None => vec!["auto", "compositional", "symbolic", "two-level", "learn1"],
        Some(name) if ENGINES.contains(&name) => vec![name],
        Some(name) => return Err(format!("no engine is called {name}")),
    };
    println!(
        "   n   question                   engine                     verdict     wall s    CPU s   growth"
    );
    let mut sizes: Vec<usize> = vec![2, 3, 4, 6, 8, 10, 12, 20, 30, 40, 50, 60, 80, 100];
    sizes.retain(|n| (from..=to).contains(n));
    let mut before: BTreeMap<(bool, String, &str), (usize, f64)> = BTreeMap::new();
    for n in sizes {
        for (with_lock, question, expected) in [
            (true, SafetyQuestion::Error, "holds"),
            (true, SafetyQuestion::Deadlock, "holds"),
            (false, SafetyQuestion::Error, "violated"),
            (false, SafetyQuestion::Deadlock, "violated"),
        ] {
            let system = system(n, with_lock, question == SafetyQuestion::Error);
            for engine in &engines {
                let learns = matches!(*engine, "learn1" | "learn2");
                if learns && question != SafetyQuestion::Error {
                    continue;
                }
                let budget = Budget::unlimited().with_time(Duration::from_secs(120));
                let clock = Clock::start();
                let answer = safety(&system, question, engine, &budget);
                let (wall, processor) = (clock.wall(), clock.processor());
                let lock = if with_lock { "with lock" } else { "without lock" };
                let by = match *engine {
                    "auto" => format!("auto: {}", answer.engine),
                    engine => engine.to_owned(),
                };
                // How much one philosopher more costs, from the size measured before.
                let key = (with_lock, format!("{question:?}"), *engine);
                let growth = before.insert(key, (n, processor)).map_or_else(String::new, |(m, earlier)| {
                    format!("{:.3}", (processor / earlier).powf(1.0 / (n - m) as f64))
                });
                println!(
                    "{n:>4}   {:<9} {lock:<14}   {by:<22} {:<10} {wall:>8.3} {processor:>8.3}   {growth}",
                    format!("{question:?}"),
                    answer.verdict.word()
                );
                if !answer.verdict.is_undecided() && answer.verdict.word() != expected {
                    return Err(format!("n = {n}, {question:?}, {lock}, {by}: not {expected}"));
                }
            }
        }
    }
    Ok(())
}

/// Processor seconds SPIN has for one size.
const SPIN_SECONDS: u32 = 300;

/// Ours beside SPIN for 5 to `most` philosophers, with what one philosopher more costs each, and ours for 100; in one run.
pub fn beside_spin(most: usize) -> Result<(), String> {
    println!("With lock, never do all philosophers wait for their right fork; CPU seconds.");
    println!("   n    ours s   growth     SPIN s   growth    SPIN's states   SPIN says");
    let folder = std::env::temp_dir().join(format!("concord-dining-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let (mut ours_before, mut spin_before): (Option<f64>, Option<f64>) = (None, None);
    let growth = |now: f64, before: Option<f64>| before.map_or(String::new(), |b| format!("{:.2}", now / b));
    let mut spin_last = None;
    let mut is_finished = true;
    for n in 5..=most {
        let ours = seconds_to_prove(n)?;
        // What did not finish will not finish for one more.
        let spin = if is_finished { spin_on(n, &folder)? } else { None };
        match &spin {
            Some(spin) => {
                println!(
                    "{n:>4} {ours:>9.3}   {:>6}   {:>8.2}   {:>6}   {:>14}   {}",
                    growth(ours, ours_before),
                    spin.seconds,
                    growth(spin.seconds, spin_before),
                    spin.states,
                    if spin.is_finished { "errors: 0" } else { "not finished" }
                );
                is_finished = spin.is_finished;
                spin_before = Some(spin.seconds);
                spin_last = Some((n, spin.seconds, spin.is_finished));
            }
            None => println!("{n:>4} {ours:>9.3}   {:>6}", growth(ours, ours_before)),
        }
        ours_before = Some(ours);
    }
    let hundred = seconds_to_prove(100)?;
    println!(" 100 {hundred:>9.3}");
    if let Some((n, seconds, is_finished)) = spin_last {
        let ratio = seconds / hundred;
        match is_finished {
            true => println!("Ours for 100 takes 1/{ratio:.1} of the time of SPIN for {n}."),
            false => println!(
                "SPIN did not finish {n} in {seconds:.0} s; ours for 100 takes 1/{ratio:.1} of that, or less."
            ),
        }
    }
    std::fs::remove_dir_all(&folder).map_err(|error| error.to_string())
}

fn seconds_to_prove(n: usize) -> Result<f64, String> {
    let system = system(n, true, true);
    let budget = Budget::unlimited().with_time(Duration::from_secs(600));
    let clock = Clock::start();
    let answer = safety(&system, SafetyQuestion::Error, "auto", &budget);
    match answer.verdict.word() {
        "holds" => Ok(clock.processor()),
        other => Err(format!("n = {n}: {other}")),
    }
}

struct Spin {
    seconds: f64,
    states: String,
    is_finished: bool,
}

/// SPIN on so many philosophers; building its checker is not counted. `None` where SPIN or gcc is absent, which is told.
fn spin_on(n: usize, folder: &Path) -> Result<Option<Spin>, String> {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("dining.pml");
    let here = |program: &str, arguments: &[&str]| {
        Command::new(program)
            .args(arguments)
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if !here("spin", &["-a", &format!("-DN={n}"), &model.to_string_lossy()]) {
        println!("spin is not installed, or does not take the model: no comparison");
        return Ok(None);
    }
    if !here("gcc", &["-O2", "-DSAFETY", "-DMEMLIM=8000", "-o", "pan", "pan.c"]) {
        println!("gcc is not installed: spin's checker cannot be built, no comparison");
        return Ok(None);
    }
    let before = seconds_of_children();
    let output = Command::new("prlimit")
        .arg(format!("--cpu={SPIN_SECONDS}"))
        .args(["./pan", "-m20000000", "-w26"])
        .current_dir(folder)
        .output()
        .map_err(|error| format!("prlimit: {error}"))?;
    let seconds = seconds_of_children() - before;
    let text = String::from_utf8_lossy(&output.stdout);
    if let Some(line) = text.lines().find(|line| line.contains("errors:") && !line.contains("errors: 0")) {
        return Err(format!("SPIN disagrees for n = {n}: {line}"));
    }
    let is_cut = ["out of memory", "max search depth too small", "Search not completed"];
    let is_finished = text.contains("errors: 0") && !is_cut.iter().any(|words| text.contains(words));
    let states = text.lines().find_map(|line| line.trim().strip_suffix("states, stored"));
    Ok(Some(Spin { seconds, states: states.unwrap_or("").trim().to_owned(), is_finished }))
}
