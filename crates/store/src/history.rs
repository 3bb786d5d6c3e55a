//! Times and memory of past answers, one line of JSON each, in `.concord/history`: a file that is only added to, so
//! that a kill costs at most its last line, which is then passed over.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// One answer that engines gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Seconds since 1970.
    pub when: u64,
    /// The question.
    pub question: String,
    /// How it ended, in a word.
    pub ended: String,
    /// Seconds of wall-clock time.
    pub seconds: f64,
    /// The most memory that was seen, in bytes.
    pub bytes: u64,
}

impl Line {
    fn read(text: &str) -> Option<Line> {
        let value: Value = serde_json::from_str(text).ok()?;
        Some(Line {
            when: value["when"].as_u64()?,
            question: value["question"].as_str()?.to_owned(),
            ended: value["ended"].as_str()?.to_owned(),
            seconds: value["seconds"].as_f64()?,
            bytes: value["bytes"].as_u64()?,
        })
    }
}

/// Adds a line.
pub fn add(file: &Path, line: &Line) -> std::io::Result<()> {
    let value = json!({ "when": line.when, "question": line.question, "ended": line.ended,
        "seconds": line.seconds, "bytes": line.bytes });
    let mut history = std::fs::OpenOptions::new().append(true).create(true).open(file)?;
    history.write_all(format!("{value}\n").as_bytes())
}

/// What is known, by question, the oldest first. Lines that are none are passed over.
pub fn read(file: &Path) -> BTreeMap<String, Vec<Line>> {
    let mut known: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    let bytes = std::fs::read(file).unwrap_or_default();
    for line in String::from_utf8_lossy(&bytes).lines().filter_map(Line::read) {
        known.entry(line.question.clone()).or_default().push(line);
    }
    known
}

/// The one in the middle of some times.
pub fn median(mut seconds: Vec<f64>) -> Option<f64> {
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_line_is_passed_over() {
        let file = std::env::temp_dir().join(format!("concord-history-{}", std::process::id()));
        let line = |seconds| Line { when: 1, question: "q".into(), ended: "holds".into(), seconds, bytes: 2 };
        for seconds in [3.0, 1.0, 2.0] {
            add(&file, &line(seconds)).expect("added");
        }
        let mut history = std::fs::OpenOptions::new().append(true).open(&file).expect("open");
        history.write_all(b"{\"when\":1,\"quest").expect("written");
        let known = read(&file);
        assert_eq!(known["q"], [line(3.0), line(1.0), line(2.0)]);
        assert_eq!(median(known["q"].iter().map(|line| line.seconds).collect()), Some(2.0));
        let _ = std::fs::remove_file(&file);
        assert!(read(&file).is_empty() && median(Vec::new()).is_none());
    }
}
