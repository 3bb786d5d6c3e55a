//! Programs that look at their arguments. A proof knows nothing of what `argv` points to; so if there is
//! none, runs that are started with few and short arguments are searched for a violation, then such with
//! longer ones.

use crate::cli::Common;
use crate::load::load_with_entry;
use base::{Budget, EventSink};
use cegar::{Choice, Property, Settings};
use lower::{Arguments, Entry};
use program::Program;
use question::{Answer, Question, Verdict};
use std::borrow::Cow;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use verdict::{Reason, Undecided};

/// The largest `argc`, and the bytes of each argument: what most programs fail on, then what overruns their
/// buffers.
const SEARCHED: [(u32, u64); 4] = [(3, 12), (12, 3), (2, 80), (2, 300)];

/// What each part of the work may take if the user sets no limit.
const UNLESS_LIMITED: Duration = Duration::from_secs(60);

/// What the program is, and what is asked of it.
pub struct ProgramRequest<'a> {
    /// Its C files, which are lowered again for other arguments.
    pub files: &'a [PathBuf],
    /// How they are lowered.
    pub lowering: &'a lower::Settings,
    /// What must not happen.
    pub property: &'a Property,
    /// Sets aside in a program that was lowered again what was set aside in the first.
    pub narrow: &'a dyn Fn(Program) -> Program,
    /// Which engines work on it.
    pub choice: Choice,
    /// What missing functions do, how far loops are unrolled.
    pub settings: &'a Settings,
    /// Who waits for it.
    pub events: &'a dyn EventSink,
}

/// Verifies a program that looks at its arguments. The program that is returned is the one that the answer is
/// about.
pub fn verify<'p>(
    program: Cow<'p, Program>,
    asked: &ProgramRequest<'_>,
    common: &Common,
    budget: &Budget,
) -> (Cow<'p, Program>, Answer) {
    let ask = |program: &Program, budget: &Budget| {
        let question = Question::never(program, asked.property.clone());
        cegar::verify(&question, asked.choice, asked.settings, budget, asked.events)
    };
    let is_limited = budget.deadline().is_some();
    let part =
        |parts| if is_limited { budget.share(parts) } else { budget.clone().with_time(UNLESS_LIMITED) };
    let mut answer = ask(&program, &part(2));
    match &answer.verdict {
        Verdict::Holds(_) => return (program, answer),
        // The run has an `argv` that no system gives. If it does not matter, the search below finds it again.
        Verdict::Violated(_) => {
            let what = answer.verdict.run().map_or("it fails", |run| &run.what);
            let why = format!("{what}, but for an `argv` that leads nowhere");
            answer.downgrade(Undecided::because(Reason::NotConfirmed { why }));
        }
        Verdict::Undecided(_) => {}
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
        let searched = (asked.narrow)(searched);
        let found = ask(&searched, &share);
        match found.verdict {
            Verdict::Violated(_) => return (Cow::Owned(searched), found),
            Verdict::Holds(_) => note(&mut answer, count, size),
            // Why these runs stay open says more than that `argv` is not known.
            Verdict::Undecided(open) if open.reason != Reason::TimeLimit => {
                if let Verdict::Undecided(known) = &mut answer.verdict {
                    let (proved, tried) =
                        (std::mem::take(&mut known.proved), std::mem::take(&mut known.tried));
                    **known = Undecided { proved, tried, ..*open };
                }
            }
            Verdict::Undecided(_) => {}
        }
    }
    // Who gives no limit waits for an answer.
    let is_late = |open: &Undecided| open.reason == Reason::TimeLimit;
    if !is_limited && answer.verdict.undecided().is_some_and(is_late) {
        answer = ask(&program, budget);
    }
    (program, answer)
}

fn note(answer: &mut Answer, count: u32, size: u64) {
    let Verdict::Undecided(undecided) = &mut answer.verdict else { return };
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
