//! What is remembered of questions: answers by what they rest on, and of each question what its last answer rested on,
//! so that the next time the old proof or the old run is tried first, and it can be said what changed.

use crate::content::Content;
use crate::memory::{Memory, Shelf};
use serde_json::{Value, json};

/// So many answers are kept of one question: whoever goes back and forth between versions finds both.
const MOST_PER_QUESTION: usize = 8;

/// A settled answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    /// The document that the verb wrote.
    pub document: Value,
    /// How it ended.
    pub status: u8,
    /// How long that took.
    pub seconds: f64,
    /// The most memory that was seen, in bytes.
    pub bytes: u64,
    /// Seconds since 1970.
    pub when: u64,
    /// Files that the question writes, with the hashes of what was written.
    pub files: Vec<(String, String)>,
    /// The limits it was asked under, if with others more could come out: a part of it is open.
    pub under: Option<String>,
}

/// What is known of a question by its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// What the last answer rested on.
    pub content: Content,
    /// Why that was not remembered, if it was not.
    pub open: Option<String>,
    /// The keys of the answers that are remembered, the last one first.
    pub keys: Vec<String>,
    /// What the last settled answer rested on, as its verb reads it: the old proof, or the inputs of the old run.
    pub evidence: Option<String>,
    /// How long the last settled answer took when it was asked from nothing.
    pub seconds: f64,
}

/// The remembered answers of a project.
#[derive(Debug)]
pub struct Answers {
    memory: Memory,
}

impl Answers {
    /// In this memory.
    pub fn in_memory(memory: Memory) -> Answers {
        Answers { memory }
    }

    /// The answer to what rests on this, if it is remembered. What is damaged is taken away, all of it.
    pub fn answer(&self, content: &Content) -> Option<Remembered> {
        let value = self.value(Shelf::Answers, &content.key())?;
        remembered(&value)
    }

    /// What is known of a question.
    pub fn record(&self, name: &str) -> Option<Record> {
        let value = self.value(Shelf::Questions, name)?;
        record(&value)
    }

    fn value(&self, shelf: Shelf, key: &str) -> Option<Value> {
        match self.memory.read(shelf, key) {
            Ok(bytes) => serde_json::from_slice(&bytes?).ok(),
            Err(_) => {
                // If not even that can be done, nothing is remembered, which costs time only.
                let _ = self.memory.begin_anew();
                None
            }
        }
    }

    /// Remembers the answer to a question, if it is settled, and what is known of the question now.
    pub fn keep(
        &self,
        name: &str,
        content: Content,
        answer: Result<Remembered, String>,
        evidence: Option<String>,
    ) -> Result<(), String> {
        let mut record = self.record(name).unwrap_or_default();
        let key = content.key();
        record.content = content;
        // What an earlier answer rested on is still worth a try.
        record.evidence = evidence.or(record.evidence);
        let mut entry = None;
        match answer {
            Ok(answer) => {
                record.open = None;
                record.seconds = answer.seconds;
                record.keys.retain(|known| *known != key);
                record.keys.insert(0, key.clone());
                entry = Some(answer_json(&answer).to_string());
            }
            Err(open) => record.open = Some(open),
        }
        let forgotten = record.keys.split_off(record.keys.len().min(MOST_PER_QUESTION));
        let record = record_json(&record).to_string();
        let mut changes = vec![(Shelf::Questions, name, Some(record.as_bytes()))];
        changes.extend(entry.as_ref().map(|entry| (Shelf::Answers, key.as_str(), Some(entry.as_bytes()))));
        changes.extend(forgotten.iter().map(|key| (Shelf::Answers, key.as_str(), None)));
        self.memory.write(&changes)
    }
}

fn answer_json(answer: &Remembered) -> Value {
    let files: Vec<Value> = answer.files.iter().map(|(name, hash)| json!([name, hash])).collect();
    json!({ "document": answer.document, "status": answer.status, "seconds": answer.seconds, "bytes": answer.bytes,
        "when": answer.when, "files": files, "under": answer.under })
}

fn remembered(value: &Value) -> Option<Remembered> {
    let file = |pair: &Value| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned()));
    Some(Remembered {
        document: value.get("document")?.clone(),
        status: u8::try_from(value["status"].as_u64()?).ok()?,
        seconds: value["seconds"].as_f64()?,
        bytes: value["bytes"].as_u64()?,
        when: value["when"].as_u64()?,
        files: value["files"].as_array()?.iter().map(file).collect::<Option<_>>()?,
        under: optional_text(&value["under"])?,
    })
}

fn record_json(record: &Record) -> Value {
    json!({ "content": record.content.to_json(), "open": record.open, "keys": record.keys,
        "evidence": record.evidence, "seconds": record.seconds })
}

fn record(value: &Value) -> Option<Record> {
    let keys = value["keys"].as_array()?.iter();
    Some(Record {
        content: Content::read(&value["content"])?,
        open: optional_text(&value["open"])?,
        keys: keys.map(|key| key.as_str().map(str::to_owned)).collect::<Option<_>>()?,
        evidence: optional_text(&value["evidence"])?,
        seconds: value["seconds"].as_f64()?,
    })
}

/// A text or none; nothing if it is neither.
fn optional_text(value: &Value) -> Option<Option<String>> {
    match value {
        Value::Null => Some(None),
        Value::String(text) => Some(Some(text.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content {
        let mut content = Content::new();
        content.add("a.c", text.as_bytes());
        content
    }

    fn settled(when: u64) -> Remembered {
        let files = vec![("proof.json".to_owned(), "00".to_owned())];
        let document = json!({ "results": [] });
        Remembered { document, status: 1, seconds: 0.5, bytes: 9, when, files, under: Some("60s".into()) }
    }

    #[test]
    fn the_last_answers_of_a_question_are_remembered_and_open_ones_are_not() {
        let folder = std::env::temp_dir().join(format!("concord-answers-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let answers = Answers::in_memory(Memory::open(&folder).0);
        for version in 0..10 {
            let content = content(&version.to_string());
            assert_eq!(answers.answer(&content), None);
            answers
                .keep("q", content.clone(), Ok(settled(version)), Some(format!("{version}")))
                .expect("kept");
            assert_eq!(answers.answer(&content), Some(settled(version)));
        }
        assert_eq!(answers.answer(&content("1")), None, "the oldest are forgotten");
        assert!(answers.answer(&content("2")).is_some());
        answers.keep("q", content("x"), Err("the time limit was reached".into()), None).expect("kept");
        assert_eq!(answers.answer(&content("x")), None);
        let record = answers.record("q").expect("it is known");
        assert_eq!((record.keys.len(), record.evidence.as_deref()), (8, Some("9")));
        assert_eq!(record.open.as_deref(), Some("the time limit was reached"));
        assert_eq!(answers.record("r"), None);
        let _ = std::fs::remove_dir_all(&folder);
    }
}
