//! What is added to an open answer: what was seen all the same, and what to try.

use question::{Answer, Verdict};
use verdict::Reason;

/// Adds to an open answer what was seen all the same, and what to try.
pub fn explain(answer: &mut Answer) {
    let rounds = answer.statistics.value("rounds").unwrap_or(0);
    let Verdict::Undecided(undecided) = &mut answer.verdict else { return };
    if rounds > 0 {
        let count = if rounds == 1 { "one round".to_owned() } else { format!("{rounds} rounds") };
        let sentence = format!("no failing run was found within {count} of every loop and recursion");
        undecided.proved.insert(0, sentence);
    }
    let advice: &[&str] = match &undecided.reason {
        Reason::TimeLimit => {
            &["give more time with --time-limit", "force one engine with --engine bmc or k-induction"]
        }
        Reason::MemoryLimit => &["give more memory with --memory-limit"],
        Reason::MissingBody { .. } => &[
            "name the file that defines it as well",
            "--missing nondet: it returns any value and may write to all it can get at: what it is given, what can be reached from \
                 there, variables with external linkage",
            "--missing pure: it returns any value and changes nothing; only you can know whether that is true",
        ],
        Reason::SizeLimit { .. } => &["raise the limit with --unwind"],
        Reason::SolverUnknown { .. } => &["give more time with --time-limit"],
        Reason::UnknownPast { .. } => {
            &["ask about it with --checks default: a run that shows it is then reported"]
        }
        Reason::NotSupported { .. } => &["leave it out, or write it in another way"],
        _ => &[],
    };
    for sentence in advice {
        if !undecided.try_next.iter().any(|known| known == sentence) {
            undecided.try_next.push((*sentence).to_owned());
        }
    }
}
