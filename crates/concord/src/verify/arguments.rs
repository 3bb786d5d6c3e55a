//! Programs that look at their arguments. A proof knows nothing of what `argv` points to; so if there is none, runs that are started
//! with few and short arguments are searched for a violation, then such with longer ones.

use crate::cli::Common;
use crate::load::load_with_entry;
use base::Budget;
use cegar::{Finding, Outcome, Property, Settings};
use lower::{Arguments, Entry};
use program::Program;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use verdict::{Reason, Undecided};

/// The largest `argc`, and the bytes of each argument: what most programs fail on, then what overruns their buffers.
const SEARCHED: [(u32, u64); 4] = [(3, 12), (12, 3), (2, 80), (2, 300)];

/// What each part of the work may take if the user sets no limit.
const UNLESS_LIMITED: Duration = Duration::from_secs(60);

/// What the program is, and what is asked of it.
pub struct Asked<'a> {
    /// Its files.
    pub files: &'a [PathBuf],
    /// How they are lowered.
    pub lowering: &'a lower::Settings,
    /// What must not happen.
    pub property: &'a Property,
    /// What engines work on it.
    pub settings: &'a Settings,
}

/// Verifies a program that looks at its arguments. The program that is returned is the one that the outcome is about.
pub fn verify(program: Program, asked: &Asked<'_>, common: &Common, budget: &Budget) -> (Program, Outcome) {
    let is_limited = budget.deadline().is_some();
    let part =
        |parts| if is_limited { budget.share(parts) } else { budget.clone().with_time(UNLESS_LIMITED) };
    let mut outcome = cegar::verify(&program, asked.property, asked.settings, &part(2));
    match outcome.finding {
        Finding::Holds(_) => return (program, outcome),
        // The run has an `argv` that no system gives. If it does not matter, the search below finds it again.
        Finding::Violated(violation) => {
            let why = format!("{}, but for an `argv` that leads nowhere", violation.what);
            outcome.finding = Finding::Undecided(Undecided::because(Reason::NotConfirmed { why }));
        }
        Finding::Undecided(_) => {}
    }
    // Its messages were shown.
    let quiet = Common { quiet: true, verbose: false, ..common.clone() };
    for (at, (count, size)) in SEARCHED.into_iter().enumerate() {
        let is_over = budget.deadline().is_some_and(|end| end <= Instant::now());
        if is_over || budget.check().is_err() {
            break;
        }
        let share = part(SEARCHED.len() - at);
        let entry = Entry::Arguments(Arguments::Some { count, size });
        let lowering = lower::Settings { entry, ..asked.lowering.clone() };
        let Ok(searched) = load_with_entry(asked.files, &quiet, &lowering, &share) else { break };
        let found = cegar::verify(&searched, asked.property, asked.settings, &share);
        match found.finding {
            Finding::Violated(_) => return (searched, found),
            Finding::Holds(_) => note(&mut outcome, count, size),
            // Why these runs stay open says more than that `argv` is not known.
            Finding::Undecided(open) if open.reason != Reason::TimeLimit => {
                if let Finding::Undecided(known) = &mut outcome.finding {
                    *known = Undecided { proved: std::mem::take(&mut known.proved), ..open };
                }
            }
            Finding::Undecided(_) => {}
        }
    }
    // Who gives no limit waits for an answer.
    if !is_limited && matches!(&outcome.finding, Finding::Undecided(open) if open.reason == Reason::TimeLimit)
    {
        outcome = cegar::verify(&program, asked.property, asked.settings, budget);
    }
    (program, outcome)
}

fn note(outcome: &mut Outcome, count: u32, size: u64) {
    let Finding::Undecided(undecided) = &mut outcome.finding else { return };
    let number = match count - 1 {
        1 => "one argument".to_owned(),
        more => format!("{more} arguments"),
    };
    let each = if count == 2 { "" } else { " each" };
    undecided.proved.push(format!(
        "no run fails that is started with at most {number} of at most {} characters{each}",
        size - 1
    ));
}
