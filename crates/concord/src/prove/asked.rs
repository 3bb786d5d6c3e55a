//! One question of a project: from the memory if nothing that its answer rests on changed, else from a process that answers it, which tries
//! first what the last answer rested on. What is settled is remembered; what a limit left open is not.

use super::content::{self, Rests};
use crate::cli::{self, Cli};
use crate::process::{self, End, Limits, Ran};
use crate::verify::results::Ended;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};
use store::{Answers, Question, Record, Remembered};
use verdict::Reason;

/// What came of a question.
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// Is it an answer that was given before?
    pub is_remembered: bool,
    /// Why it was asked again, or was not.
    pub why: String,
    /// The document that the verb wrote.
    pub document: Value,
    /// Why there is no answer, where there is no document that says it.
    pub trouble: String,
    /// Seconds that the answer took, now or then.
    pub seconds: f64,
    /// The most memory that was seen then, in bytes.
    pub bytes: u64,
    /// The user stopped the work before there was an answer.
    pub is_interrupted: bool,
    /// What could not be remembered, and why.
    pub unremembered: Option<String>,
}

/// What all questions share.
pub struct Asker<'a> {
    /// What is remembered.
    pub answers: &'a Answers,
    /// The hash of this program.
    pub own: &'a str,
    /// Are remembered answers passed over?
    pub again: bool,
    /// A folder for what processes are handed.
    pub folder: &'a Path,
    /// Set when the user stops the work.
    pub stop: &'a AtomicBool,
}

impl Asker<'_> {
    /// Answers a question.
    pub fn ask(&self, number: usize, question: &Question) -> Outcome {
        let cli = match cli::of_words(&question.arguments()) {
            Ok(cli) => cli,
            Err(error) => return Outcome::wrong(first_line(&error.to_string())),
        };
        let rests = match content::rests_on(question, &cli, self.own) {
            Ok(rests) => rests,
            // The verb tells what is wrong in full.
            Err(why) => {
                let why = format!("what its answer rests on cannot be read: {why}");
                return Outcome { why, ..self.by_process(number, question, &cli, None).0 };
            }
        };
        let record = self.answers.record(&question.name);
        let why = match self.remembered(&cli, &rests) {
            Ok(known) => return Outcome::remembered(known),
            Err(why) => why.unwrap_or_else(|| why_again(&rests, record.as_ref())),
        };
        let (mut outcome, evidence) = self.by_process(number, question, &cli, record.as_ref());
        outcome.why = why;
        if let Some(helped) = helped(&outcome.document) {
            outcome.why = format!("{}; {helped}", outcome.why);
        }
        if !outcome.is_interrupted {
            outcome.unremembered = self.keep(question, &cli, rests, &outcome, evidence).err();
        }
        outcome
    }

    /// The answer that is remembered, or why it does not do.
    fn remembered(&self, cli: &Cli, rests: &Rests) -> Result<Remembered, Option<String>> {
        if self.again {
            return Err(Some("it was to be asked again".to_owned()));
        }
        let known = self.answers.answer(&rests.content).ok_or(None)?;
        if known.under.as_ref().is_some_and(|under| *under != limits_in_words(cli)) {
            return Err(Some("a part of the last answer is open, and the limits are others now".to_owned()));
        }
        let is_there = |(name, hash): &(String, String)| hash_of(Path::new(name)).as_ref() == Some(hash);
        if let Some((name, _)) = known.files.iter().find(|file| !is_there(file)) {
            return Err(Some(format!("{name}, which it writes, is not there as it was written")));
        }
        Ok(known)
    }

    /// Remembers what is settled.
    fn keep(
        &self,
        question: &Question,
        cli: &Cli,
        rests: Rests,
        outcome: &Outcome,
        evidence: Option<String>,
    ) -> Result<(), String> {
        let is_settled = matches!(outcome.ended, Ended::Holds | Ended::Violated);
        if is_settled {
            // Whoever edits meanwhile has an answer to what was read then, and nobody knows which text that was.
            let again = content::rests_on(question, cli, self.own)?;
            if again.content != rests.content || !rests.is_untouched() {
                return Err("its files changed while it was answered".to_owned());
            }
        }
        let files = crate::files_to_write(&cli.verb);
        let hashed =
            files.iter().filter_map(|file| Some((file.to_string_lossy().into_owned(), hash_of(file)?)));
        let answer = match is_settled {
            true => Ok(Remembered {
                document: outcome.document.clone(),
                status: if outcome.ended == Ended::Holds { 0 } else { 1 },
                seconds: outcome.seconds,
                bytes: outcome.bytes,
                when: now(),
                files: hashed.collect(),
                under: has_open_part(&outcome.document).then(|| limits_in_words(cli)),
            }),
            false => Err(outcome.reason()),
        };
        self.answers.keep(&question.name, rests.content, answer, evidence)
    }

    /// Asks in a process; with what the answer rests on, for the next time.
    fn by_process(
        &self,
        number: usize,
        question: &Question,
        cli: &Cli,
        record: Option<&Record>,
    ) -> (Outcome, Option<String>) {
        let mut words = question.arguments();
        let mut more = vec!["--format=json".to_owned(), "--quiet".to_owned(), "--color=never".to_owned()];
        let handed = self.folder.join(format!("{number}.json"));
        let hands_over = question.verb == "verify";
        if hands_over {
            let _ = std::fs::remove_file(&handed);
            if let Some(evidence) = record.and_then(|record| record.evidence.as_ref()) {
                // Without it the answer takes longer, and is the same.
                let _ = std::fs::write(&handed, evidence);
            }
            more.push(format!("--earlier={}", handed.display()));
        }
        words.splice(1..1, more);
        let limits = Limits { time: cli.common.time_limit, memory: cli.common.memory_limit };
        let outcome = match process::run(words, limits, self.stop) {
            Ok(ran) => Outcome::of(ran),
            Err(why) => Outcome { ended: Ended::Crashed, trouble: why, ..Outcome::default() },
        };
        let evidence = hands_over.then(|| std::fs::read_to_string(&handed).ok()).flatten();
        let _ = std::fs::remove_file(&handed);
        (outcome, evidence)
    }
}

impl Default for Outcome {
    fn default() -> Outcome {
        Outcome {
            ended: Ended::Undecided,
            is_remembered: false,
            why: String::new(),
            document: Value::Null,
            trouble: String::new(),
            seconds: 0.0,
            bytes: 0,
            is_interrupted: false,
            unremembered: None,
        }
    }
}

impl Outcome {
    fn wrong(trouble: &str) -> Outcome {
        Outcome { ended: Ended::BadInput, trouble: trouble.to_owned(), ..Outcome::default() }
    }

    fn remembered(known: Remembered) -> Outcome {
        let ended = if known.status == 0 { Ended::Holds } else { Ended::Violated };
        let why = "nothing that its answer rests on has changed".to_owned();
        let Remembered { document, seconds, bytes, .. } = known;
        Outcome { ended, is_remembered: true, why, document, seconds, bytes, ..Outcome::default() }
    }

    fn of(ran: Ran) -> Outcome {
        let Ran { end, output, errors, seconds, bytes } = ran;
        let outcome = Outcome { seconds, bytes, ..Outcome::default() };
        let ended = |ended, trouble: String| Outcome {
            ended,
            trouble,
            ..Outcome { seconds, bytes, ..Outcome::default() }
        };
        match end {
            End::Time => ended(Ended::Undecided, Reason::TimeLimit.to_string()),
            End::Memory => ended(Ended::Undecided, Reason::MemoryLimit.to_string()),
            End::Interrupted => {
                Outcome { is_interrupted: true, ..ended(Ended::Undecided, Reason::Interrupted.to_string()) }
            }
            End::Status(Some(2 | 4)) => ended(Ended::BadInput, first_line(&errors).to_owned()),
            End::Status(Some(status @ (0 | 1 | 3))) => match serde_json::from_str::<Value>(&output) {
                Ok(document) => {
                    let word = match status {
                        0 => Ended::Holds,
                        1 => Ended::Violated,
                        _ => Ended::Undecided,
                    };
                    let has = |ended: Ended| verdicts(&document).any(|one| one == ended);
                    let contradicts = match word {
                        Ended::Holds => has(Ended::Violated),
                        Ended::Violated => !has(Ended::Violated),
                        _ => false,
                    };
                    if contradicts {
                        return ended(
                            Ended::Crashed,
                            format!("exit status {status} is not what the results say"),
                        );
                    }
                    Outcome { ended: word, document, ..outcome }
                }
                Err(error) => ended(Ended::Crashed, format!("its results cannot be read: {error}")),
            },
            End::Status(Some(status)) => {
                ended(Ended::Crashed, format!("exit status {status}: {}", first_line(&errors)))
            }
            End::Status(None) => ended(Ended::Crashed, "the process was ended by a signal".to_owned()),
        }
    }

    /// The results that the verb wrote.
    pub fn results(&self) -> &[Value] {
        self.document["results"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Is it as the project expects? A question of which nothing is expected is to hold.
    pub fn is_as_expected(&self, question: &Question) -> bool {
        self.ended == if question.expect == Some(false) { Ended::Violated } else { Ended::Holds }
    }

    /// What there is to say beside the verdict: what failed where, or why it is open.
    pub fn reason(&self) -> String {
        if !self.trouble.is_empty() {
            return self.trouble.clone();
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let told = |result: &Value| {
            let property = text(&result["property"]);
            match (text(&result["message"]), text(&result["reason"])) {
                (message, _) if !message.is_empty() => message,
                (_, reason) if !reason.is_empty() => format!("{property}: {reason}"),
                _ => property,
            }
        };
        let word = self.ended.word();
        let all = self.results();
        let decisive: Vec<&Value> = all.iter().filter(|result| result["verdict"] == word).collect();
        match decisive[..] {
            [] => String::new(),
            [one] => told(one),
            [first, ..] if self.ended != Ended::Holds => {
                format!("{} (and {} more)", told(first), decisive.len() - 1)
            }
            _ => format!("{} properties", decisive.len()),
        }
    }
}

/// The verdicts of all results and their parts.
fn verdicts(document: &Value) -> impl Iterator<Item = Ended> {
    let results = document["results"].as_array().into_iter().flatten();
    let with_parts = results.flat_map(|result| {
        let parts = result["parts"].as_array().into_iter().flatten();
        [result].into_iter().chain(parts)
    });
    with_parts.filter_map(|one| Ended::of_word(one["verdict"].as_str()?))
}

fn has_open_part(document: &Value) -> bool {
    verdicts(document).any(|ended| ended == Ended::Undecided)
}

/// Did what an earlier answer rested on give this one?
fn helped(document: &Value) -> Option<&'static str> {
    match document["results"][0]["engine"].as_str()? {
        "earlier-proof" => Some("the old proof still stands"),
        "earlier-run" => Some("the old run still fails"),
        _ => None,
    }
}

fn why_again(rests: &Rests, record: Option<&Record>) -> String {
    let Some(record) = record else { return "it was not answered before".to_owned() };
    let changed = rests.content.changed_since(&record.content);
    match (&changed[..], &record.open) {
        ([], Some(open)) => format!("the last answer was open ({open}), and such are not remembered"),
        ([], None) => "its answer is no longer remembered".to_owned(),
        (changed, _) => {
            let words = |name: &String| match name.as_str() {
                "concord" => "Concord itself (another build)".to_owned(),
                "the question" => "its options or files".to_owned(),
                file => file.to_owned(),
            };
            format!(
                "changed since the last answer: {}",
                changed.iter().map(words).collect::<Vec<_>>().join(", ")
            )
        }
    }
}

fn limits_in_words(cli: &Cli) -> String {
    format!("{:?} {:?}", cli.common.time_limit, cli.common.memory_limit)
}

fn hash_of(file: &Path) -> Option<String> {
    std::fs::read(file).ok().map(|bytes| evidence::sha256(&bytes))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
