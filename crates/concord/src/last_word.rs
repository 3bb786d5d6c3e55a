//! The user's limits, kept whatever the verbs do: engines look at the clock and at the memory often, but not
//! inside every step of every part, and reading a file looks at neither. Past a limit the answers that are
//! known are given here, the others are undecided, and the process ends.

use crate::cli::{Common, Format, Verb};
use crate::exit::Exit;
use crate::output::{self, Look};
use crate::settle::{Settled, settle};
use base::{Budget, Exhausted};
use question::{Answer, Audit, Judgement};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use verdict::Undecided;

/// A file that belongs to an answer, and its text.
pub type OutputFile = (PathBuf, String);

/// What is said at a limit.
#[derive(Debug)]
enum Word {
    /// The answers so far, and that there are no others.
    Answers(Answers),
    /// An answer in full, the files that belong to it, and the exit status.
    Found(String, Vec<OutputFile>, Exit),
    /// Nothing: the answer is being given.
    Nothing,
}

/// The questions of a run, in order, with what is known of each.
type Answers = Vec<(String, Option<AnswersSoFar>)>;

/// What was answered before the limit came.
#[derive(Debug)]
struct AnswersSoFar {
    /// As people are shown it.
    text: String,
    /// As an object of the JSON document.
    result: Value,
    exit: Exit,
}

#[derive(Debug)]
struct Shared {
    verb: &'static str,
    format: Format,
    look: Look,
    word: Mutex<Word>,
}

/// Watches the limits from the start of a verb to its answer. Clones speak of the same run; the default
/// watches nothing.
#[derive(Clone, Debug, Default)]
pub struct LastWord {
    shared: Option<Arc<Shared>>,
}

/// How often the limits are looked at.
const PAUSE: Duration = Duration::from_millis(40);
/// How often at least where memory is nearly used up.
const SHORTEST_PAUSE: Duration = Duration::from_millis(2);
/// No process touches new memory faster than this (bytes in a second), so that looking can wait that long.
const FASTEST_GROWTH: u64 = 4 << 30;
/// After Ctrl-C, engines have this long to say what they know.
const AFTER_INTERRUPT: Duration = Duration::from_millis(1500);

/// Engines are to stop by themselves; how long after the limit they are no longer waited for.
pub fn patience(limit: Duration) -> Duration {
    (limit / 20).clamp(Duration::from_millis(200), Duration::from_millis(800))
}

impl LastWord {
    /// Begins to watch.
    pub fn watch(verb: &Verb, common: &Common, budget: &Budget) -> LastWord {
        let Some((name, subject)) = subject_of(verb) else { return LastWord::default() };
        let shared = Arc::new(Shared {
            verb: name,
            format: common.format,
            look: Look::wanted(common),
            word: Mutex::new(Word::Answers(vec![(subject, None)])),
        });
        let last = LastWord { shared: Some(shared.clone()) };
        let budget = budget.clone();
        let end = budget.deadline().zip(common.time_limit).map(|(deadline, time)| deadline + patience(time));
        std::thread::spawn(move || {
            let mut interrupted: Option<Instant> = None;
            loop {
                std::thread::sleep(pause(&budget));
                if budget.cancellation().load(Ordering::Relaxed) {
                    interrupted.get_or_insert_with(Instant::now);
                }
                let used = base::budget::resident_bytes();
                let memory = budget.memory_limit().zip(used);
                if memory.is_some_and(|(most, used)| used > most) {
                    budget.memory_is_exceeded();
                }
                let limit = if end.is_some_and(|end| Instant::now() > end) {
                    Exhausted::Time
                } else if memory.is_some_and(|(most, used)| used > most + most / 20) {
                    Exhausted::Memory
                } else if interrupted.is_some_and(|at| at.elapsed() > AFTER_INTERRUPT) {
                    Exhausted::Cancelled
                } else {
                    continue;
                };
                crate::progress::wipe();
                if let Some(exit) = shared.say(limit) {
                    std::process::exit(i32::from(exit.status()));
                }
                return;
            }
        });
        last
    }

    /// What the questions are, in order.
    pub fn questions(&self, names: impl IntoIterator<Item = String>) {
        let open = names.into_iter().map(|name| (name, None)).collect();
        self.change(|word| *word = Word::Answers(open));
    }

    /// A question is answered: for people, for machines, and how.
    pub fn answered(&self, index: usize, text: String, result: Value, exit: Exit) {
        self.change(|word| {
            if let Word::Answers(answers) = word
                && let Some((_, known)) = answers.get_mut(index)
            {
                *known = Some(AnswersSoFar { text, result, exit });
            }
        });
    }

    /// The whole answer is there, whatever comes after it.
    pub fn found(&self, text: String, files: Vec<OutputFile>, exit: Exit) {
        self.change(|word| *word = Word::Found(text, files, exit));
    }

    /// The answer is given in time.
    pub fn withdraw(&self) {
        self.change(|word| *word = Word::Nothing);
    }

    /// A limit ended the work before there was an answer: says so.
    pub fn undecided(&self, limit: Exhausted) -> Exit {
        self.shared.as_ref().and_then(|shared| shared.say(limit)).unwrap_or(Exit::Undecided)
    }

    fn change(&self, change: impl FnOnce(&mut Word)) {
        if let Some(shared) = &self.shared
            && let Ok(mut word) = shared.word.lock()
        {
            change(&mut word);
        }
    }
}

impl crate::channel::Listener for LastWord {
    fn questions(&self, names: Vec<String>) {
        LastWord::questions(self, names);
    }

    fn answered(&self, index: usize, text: String, result: Value, exit: Exit) {
        LastWord::answered(self, index, text, result, exit);
    }

    fn all_is_answered(&self) {
        self.withdraw();
    }
}

/// Long enough to cost nothing, short enough that the memory cannot grow far past its limit meanwhile.
fn pause(budget: &Budget) -> Duration {
    let Some((most, used)) = budget.memory_limit().zip(base::budget::resident_bytes()) else { return PAUSE };
    let left = most.saturating_sub(used);
    Duration::from_micros(left.saturating_mul(1_000_000) / FASTEST_GROWTH).clamp(SHORTEST_PAUSE, PAUSE)
}

impl Shared {
    /// Says the last word, once. Nothing else is written after it.
    fn say(&self, limit: Exhausted) -> Option<Exit> {
        let Ok(mut word) = self.word.lock() else { return None };
        let (text, files, exit) = match std::mem::replace(&mut *word, Word::Nothing) {
            Word::Nothing => return None,
            Word::Found(text, files, exit) => (text, files, exit),
            Word::Answers(answers) => {
                let mut known = answers.iter().filter_map(|(_, known)| known.as_ref());
                let is_violated = known.any(|known| known.exit == Exit::Violated);
                let exit = if is_violated { Exit::Violated } else { Exit::Undecided };
                (self.document(answers, limit), Vec::new(), exit)
            }
        };
        crate::progress::wipe();
        let is_for_errors = matches!(self.verb, "draw" | "run");
        let written = files.iter().try_for_each(|(file, text)| output::write_file(file, text));
        let told = match is_for_errors {
            true => {
                crate::load::tell(&text);
                Ok(())
            }
            false => output::write_results(&self.look.of(&text)),
        };
        Some(written.and(told).map_or_else(|exit| exit, |()| exit))
    }

    fn document(&self, answers: Answers, limit: Exhausted) -> String {
        let advice = advice(limit);
        let reason = limit.to_string();
        let subjects = || answers.iter().map(|(what, _)| what.as_str());
        match (self.verb, self.format) {
            ("draw", _) => {
                subjects().map(|what| format!("undecided: {what} was not drawn: {reason}\n")).collect()
            }
            ("run", Format::Json) => evidence::json::run_that_was_cut_off(&reason),
            ("run", _) => format!("warning[limit]: {reason}\n  {advice}\n"),
            ("audit", Format::Json) => {
                let judgement = Judgement::Open { why: reason };
                let open = Audit { judgement, obligations: 0, heads: 0, second: None };
                let mut audit = evidence::json::audit(&open);
                audit["property"] = subjects().collect::<Vec<_>>().join(", ").into();
                evidence::json::document_with("audit", json!({ "audit": audit }))
            }
            ("audit", _) => {
                subjects().map(|what| format!("OPEN: {what}\n  not audited: {reason}\n")).collect()
            }
            (verb, Format::Json) => {
                let results = results(answers, |property| open(property, limit).json().into());
                evidence::json::document(verb, results)
            }
            (_, Format::Sarif) => {
                let results = results(answers, |property| open(property, limit).sarif("property", None));
                evidence::sarif::document(&evidence::sarif::rules_of_verify(), results)
            }
            (_, Format::Human) => {
                let word = open(String::new(), limit).word();
                let undecided = |what| format!("{word}: {what}\n  {reason}\n  try: {advice}\n");
                let all = answers
                    .into_iter()
                    .map(|(what, known)| known.map_or_else(|| undecided(what), |known| known.text));
                all.collect()
            }
        }
    }
}

fn results(answers: Answers, undecided: impl Fn(String) -> Value) -> Vec<Value> {
    let result = |(what, known): (String, Option<AnswersSoFar>)| {
        known.map_or_else(|| undecided(what), |known| known.result)
    };
    answers.into_iter().map(result).collect()
}

/// The answer to a question that a limit left open.
fn open(property: String, limit: Exhausted) -> Settled {
    let undecided = Undecided::because(limit.into()).try_next(advice(limit));
    settle(Answer::new(property, "auto", undecided.into()), [], &[])
}

fn advice(limit: Exhausted) -> &'static str {
    match limit {
        Exhausted::Memory => "give more memory with --memory-limit",
        Exhausted::Time | Exhausted::Cancelled => "give more time with --time-limit",
    }
}

/// The verb's name, and what it is about before its questions are known; nothing for verbs that answer no
/// question.
fn subject_of(verb: &Verb) -> Option<(&'static str, String)> {
    let files = |files: &[PathBuf]| {
        let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        names.join(", ")
    };
    Some(match verb {
        Verb::Run(arguments) => ("run", files(&arguments.files)),
        Verb::Draw(arguments) => ("draw", files(&arguments.files)),
        Verb::Analyze(arguments) => ("analyze", files(&arguments.files)),
        Verb::Check(arguments) => ("check", arguments.files.join(", ")),
        // Of many tasks, each has a process and limits of its own.
        Verb::Verify(arguments) if crate::verify::names_many(arguments) => return None,
        Verb::Verify(arguments) => ("verify", files(&arguments.files)),
        Verb::Audit(arguments) => ("audit", files(&arguments.files)),
        Verb::Model(arguments) => ("model", files(&arguments.files)),
        Verb::Bool(arguments) => ("bool", arguments.file.display().to_string()),
        // Each question of a project has a process and limits of its own.
        Verb::Prove(_) => return None,
        Verb::Explore(_) | Verb::Init(_) | Verb::Doctor(_) | Verb::Completions { .. } | Verb::Man => {
            return None;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(first: Exit) -> Answers {
        let known = AnswersSoFar {
            text: "first: said\n".into(),
            result: json!({ "property": "first" }),
            exit: first,
        };
        vec![("first".into(), Some(known)), ("second".into(), None), ("third".into(), None)]
    }

    #[test]
    fn what_is_known_is_said_and_the_rest_is_undecided() {
        let (look, verb) = (Look::default(), "check");
        let shared = |format| Shared { verb, format, look, word: Mutex::new(Word::Nothing) };
        let text = shared(Format::Human).document(answers(Exit::Holds), Exhausted::Time);
        assert!(text.starts_with("first: said\nUNDECIDED: second\n"), "{text}");
        assert!(text.contains("UNDECIDED: third\n  the time limit was reached\n"), "{text}");
        let text = shared(Format::Json).document(answers(Exit::Holds), Exhausted::Memory);
        let document: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(document["results"][0]["property"], "first");
        assert_eq!(document["results"][2]["verdict"], "undecided");
        assert_eq!(document["results"][2]["reason"], "the memory limit was reached");
    }

    #[test]
    fn it_is_said_once() {
        for (first, expected) in [(Exit::Holds, Exit::Undecided), (Exit::Violated, Exit::Violated)] {
            let word = Mutex::new(Word::Answers(answers(first)));
            let shared = Shared { verb: "draw", format: Format::Human, look: Look::default(), word };
            assert_eq!(shared.say(Exhausted::Time), Some(expected));
            assert_eq!(shared.say(Exhausted::Time), None);
        }
    }

    #[test]
    fn patience_is_a_twentieth_and_less_than_a_second() {
        assert_eq!(patience(Duration::from_secs(1)), Duration::from_millis(200));
        assert_eq!(patience(Duration::from_secs(10)), Duration::from_millis(500));
        assert_eq!(patience(Duration::from_secs(900)), Duration::from_millis(800));
    }
}
