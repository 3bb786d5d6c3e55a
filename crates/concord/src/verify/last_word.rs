//! The user's limits, kept whatever the engines do: they look at the clock and at the memory often, but not inside every step of every
//! part. Past a limit the answer is given here, and the process ends.

use crate::cli::{Common, Format};
use base::Budget;
use serde_json::json;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use verdict::Reason;

/// What is said at a limit.
#[derive(Clone, Debug)]
enum Word {
    /// That there is no answer.
    Undecided,
    /// An answer that was found, and the exit status.
    Found(String, i32),
    /// Nothing: the answer is being given.
    Nothing,
}

/// Watches the limits.
#[derive(Clone, Debug)]
pub struct LastWord {
    word: Arc<Mutex<Word>>,
}

/// How often the limits are looked at.
const PAUSE: Duration = Duration::from_millis(40);
/// After Ctrl-C, engines have this long to say what they know.
const AFTER_INTERRUPT: Duration = Duration::from_millis(1500);

impl LastWord {
    /// Begins to watch.
    pub fn watch(property: &str, common: &Common, budget: &Budget) -> LastWord {
        let last = LastWord { word: Arc::new(Mutex::new(Word::Undecided)) };
        let (own, property, format) = (last.clone(), property.to_owned(), common.format);
        let (budget, memory) = (budget.clone(), common.memory_limit);
        // The engines are to stop by themselves; this is for when they do not, within a twentieth past the limit.
        let end = budget.deadline().map(|deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            deadline + left / 20 + Duration::from_millis(200)
        });
        std::thread::spawn(move || {
            let mut interrupted: Option<Instant> = None;
            loop {
                std::thread::sleep(PAUSE);
                if budget.cancellation().load(Ordering::Relaxed) {
                    interrupted.get_or_insert_with(Instant::now);
                }
                let used = base::budget::resident_bytes();
                let reason = if end.is_some_and(|end| Instant::now() > end) {
                    Reason::TimeLimit
                } else if memory.zip(used).is_some_and(|(most, used)| used > most + most / 20) {
                    Reason::MemoryLimit
                } else if interrupted.is_some_and(|at| at.elapsed() > AFTER_INTERRUPT) {
                    Reason::Interrupted
                } else {
                    continue;
                };
                own.say(&property, format, reason);
                return;
            }
        });
        last
    }

    /// An answer is there, whatever comes after it.
    pub fn found(&self, text: String, status: i32) {
        self.set(Word::Found(text, status));
    }

    /// The answer is given in time.
    pub fn withdraw(&self) {
        self.set(Word::Nothing);
    }

    fn set(&self, word: Word) {
        if let Ok(mut last) = self.word.lock() {
            *last = word;
        }
    }

    /// Says the last word and ends the process. The lock is kept: nothing else may be written then.
    fn say(&self, property: &str, format: Format, reason: Reason) {
        let Ok(word) = self.word.lock() else { return };
        let (text, status) = match &*word {
            Word::Nothing => return,
            Word::Found(text, status) => (text.clone(), *status),
            Word::Undecided => (undecided(property, format, &reason), 3),
        };
        let _ = std::io::stdout().write_all(text.as_bytes());
        std::process::exit(status);
    }
}

fn undecided(property: &str, format: Format, reason: &Reason) -> String {
    let advice = match reason {
        Reason::MemoryLimit => "give more memory with --memory-limit",
        _ => "give more time with --time-limit",
    };
    let reason = reason.to_string();
    match format {
        Format::Json => {
            let result = json!({ "property": property, "verdict": "undecided", "reason": reason, "engine": "auto",
                "proved": [], "try_next": [advice], "assumptions": [], "counterexample": null, "proof": null,
                "statistics": {} });
            format!("{:#}\n", json!({ "concord": 1, "verb": "verify", "results": [result] }))
        }
        Format::Sarif => {
            let message = json!({ "text": format!("undecided: {property}: {reason}") });
            let result =
                json!({ "ruleId": "property", "kind": "open", "level": "warning", "message": message });
            let rules = evidence::sarif::rules_of_verify();
            format!("{:#}\n", evidence::sarif::document(&rules, vec![result]))
        }
        Format::Human => format!("UNDECIDED: {property}\n  {reason}\n  try: {advice}\n"),
    }
}
