//! The families of THESIS Table 10.1 that can be made larger, from the FSP in `examples/models`, at three times the
//! largest size of the table and beyond.

use crate::ask::safety;
use base::{Budget, Diagnostics, SourceMap};
use check::safety::SafetyQuestion;
use spec::{Model, Settings};
use std::path::Path;
use std::time::Duration;
use testkit::clock::Clock;

/// File, system, whether it deadlocks, and the sizes.
type Family = (&'static str, &'static str, bool, &'static [usize]);

const FAMILIES: [Family; 4] = [
    // RW: the table ends at 9.
    ("readers_writers.lts", "READERS_WRITERS", false, &[3, 9, 18, 27, 40]),
    // DPN, no deadlock: the table ends at 6.
    ("dining_philosophers.lts", "DINERS_ONE_LEFT_HANDED", false, &[3, 6, 18, 30, 60, 100]),
    // DPD, deadlock: the table ends at 10.
    ("dining_philosophers.lts", "DINERS_WITHOUT_LOCK", true, &[3, 10, 30, 60, 100]),
    ("dining_philosophers.lts", "DINERS", false, &[3, 10, 30, 60, 100]),
];

/// All families and sizes, or one family, or one size of it.
pub fn run(engine: &str, only: Option<&str>, only_size: Option<usize>) -> Result<(), String> {
    println!(
        "system                          n   question          engine            verdict     wall s    CPU s"
    );
    for (file, name, deadlocks, sizes) in FAMILIES {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let one = only_size.map(|size| [size]);
        let sizes = one.as_ref().map_or(sizes, |one| one.as_slice());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/models").join(file);
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        let mut sources = SourceMap::new();
        let id = sources.add(file, text).ok_or("the file is too large")?;
        let specification = spec::parse(&sources, &[id], &mut Diagnostics::default());
        for n in sizes {
            let mut model = Model::new(&specification, Settings::default());
            let system = model.system(&format!("{name}({n})")).map_err(|problem| problem.message)?;
            for question in [SafetyQuestion::Deadlock, SafetyQuestion::DeadlockOrError] {
                let composition = match question {
                    SafetyQuestion::Deadlock => system.without_watchers().composition(),
                    _ => system.composition(),
                };
                let budget = Budget::unlimited().with_time(Duration::from_secs(120));
                let clock = Clock::start();
                let answer = safety(&composition, question, engine, &budget);
                println!(
                    "{name:<26} {n:>6}   {:<15}   {:<15}   {:<9} {:>8.3} {:>8.3}",
                    format!("{question:?}"),
                    answer.engine,
                    answer.verdict.word(),
                    clock.wall(),
                    clock.processor()
                );
                let expected = if deadlocks { "violated" } else { "holds" };
                if !answer.verdict.is_undecided() && answer.verdict.word() != expected {
                    return Err(format!("{name}({n}): {question:?} is not {expected}"));
                }
            }
        }
    }
    Ok(())
}
