//! Results of many tasks: a table for people, CSV and JSON for machines, and reading them back.

use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// The result of one task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its name.
    pub task: String,
    /// `holds`, `violated`, `undecided`, `bad input` or `crashed`.
    pub verdict: String,
    /// Why there is no answer.
    pub reason: String,
    /// The engine that answered.
    pub engine: String,
    /// Seconds of wall-clock time.
    pub seconds: f64,
    /// Most memory that was seen, in bytes.
    pub bytes: u64,
    /// The verdict that the task says it has: does the property hold?
    pub expected: Option<bool>,
}

impl Row {
    /// The row with its verdict.
    pub fn ended(mut self, verdict: &str, reason: &str) -> Row {
        self.verdict = verdict.to_owned();
        self.reason = reason.to_owned();
        self
    }

    /// Is the verdict the opposite of the expected one?
    pub fn is_unexpected(&self) -> bool {
        match self.verdict.as_str() {
            "holds" => self.expected == Some(false),
            "violated" => self.expected == Some(true),
            _ => false,
        }
    }

    fn expected_word(&self) -> &'static str {
        match self.expected {
            Some(true) => "holds",
            Some(false) => "violated",
            None => "",
        }
    }

    fn json(&self) -> Value {
        json!({ "task": self.task, "verdict": self.verdict, "reason": self.reason, "engine": self.engine,
            "seconds": self.seconds, "bytes": self.bytes, "expected": self.expected_word() })
    }
}

const HEADER: &str = "task,verdict,reason,engine,seconds,bytes,expected";

/// Writes rows as CSV, or as JSON if the file is called so; the old file stays until the new one is complete.
pub fn write_rows<'r>(file: &Path, rows: impl Iterator<Item = &'r Row>) -> Result<(), String> {
    let text = if is_json(file) { json(rows) } else { csv(rows) };
    // What is no file, such as a pipe, cannot be replaced by one.
    let written = if std::fs::metadata(file).is_ok_and(|known| !known.is_file()) {
        std::fs::write(file, text)
    } else {
        let draft = file.with_extension("partial");
        std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, file))
    };
    written.map_err(|error| format!("{}: cannot be written: {error}", file.display()))
}

fn is_json(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "json")
}

/// As JSON.
pub fn json<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let tasks: Vec<Value> = rows.map(Row::json).collect();
    format!("{:#}\n", json!({ "concord": 1, "verb": "verify", "tasks": tasks }))
}

fn csv<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let mut text = format!("{HEADER}\n");
    let quoted = |cell: &str| match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"").replace('\n', " ")),
        false => cell.to_owned(),
    };
    for row in rows {
        let _ = writeln!(
            text,
            "{},{},{},{},{:.2},{},{}",
            quoted(&row.task),
            row.verdict,
            quoted(&row.reason),
            row.engine,
            row.seconds,
            row.bytes,
            row.expected_word()
        );
    }
    text
}

/// Reads rows that were written.
pub fn read_rows(file: &Path) -> Result<Vec<Row>, String> {
    let bad = |why: &str| format!("{}: {why}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| bad(&format!("cannot be read: {error}")))?;
    let expected = |word: &str| match word {
        "holds" => Some(true),
        "violated" => Some(false),
        _ => None,
    };
    if is_json(file) {
        let document: Value = serde_json::from_str(&text).map_err(|error| bad(&error.to_string()))?;
        let tasks = document["tasks"].as_array().ok_or_else(|| bad("it holds no results"))?;
        let word = |task: &Value, name: &str| task[name].as_str().unwrap_or_default().to_owned();
        return Ok(tasks
            .iter()
            .map(|task| Row {
                task: word(task, "task"),
                verdict: word(task, "verdict"),
                reason: word(task, "reason"),
                engine: word(task, "engine"),
                seconds: task["seconds"].as_f64().unwrap_or(0.0),
                bytes: task["bytes"].as_u64().unwrap_or(0),
                expected: expected(&word(task, "expected")),
            })
            .collect());
    }
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Err(bad("it holds no results"));
    }
    lines
        .map(|line| {
            let cells = cells(line);
            let [task, verdict, reason, engine, seconds, bytes, word] = &cells[..] else {
                return Err(bad(&format!("`{line}` is no result")));
            };
            Ok(Row {
                task: task.clone(),
                verdict: verdict.clone(),
                reason: reason.clone(),
                engine: engine.clone(),
                seconds: seconds.parse().unwrap_or(0.0),
                bytes: bytes.parse().unwrap_or(0),
                expected: expected(word),
            })
        })
        .collect()
}

fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let last = cells.last_mut().expect("there is always a cell");
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                last.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => last.push(other),
        }
    }
    cells
}

/// For people. `left` tasks have no result yet; `resumed` were known before.
pub fn table<'r>(rows: impl Iterator<Item = &'r Row>, left: usize, resumed: usize) -> String {
    let rows: Vec<&Row> = rows.collect();
    let width = rows.iter().map(|row| row.task.chars().count()).max().unwrap_or(0).max(4);
    let mut text = format!("{:width$}  {:<9}  {:>8}  {:<12}  why\n", "task", "verdict", "seconds", "engine");
    for row in &rows {
        let mut why = row.reason.clone();
        if row.is_unexpected() {
            why = format!("expected: {}", row.expected_word());
        }
        let verdict = row.verdict.to_uppercase();
        let line =
            format!("{:width$}  {verdict:<9}  {:>8.1}  {:<12}  {why}", row.task, row.seconds, row.engine);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let count = |verdict: &str| rows.iter().filter(|row| row.verdict == verdict).count();
    let _ = write!(
        text,
        "{} tasks: {} hold, {} violated, {} undecided",
        rows.len() + left,
        count("holds"),
        count("violated"),
        count("undecided")
    );
    for (number, what) in [
        (count("bad input"), "with bad input"),
        (count("crashed"), "crashed"),
        (left, "not done"),
        (rows.iter().filter(|row| row.is_unexpected()).count(), "against what the task expects"),
        (resumed, "known before"),
    ] {
        if number > 0 {
            let _ = write!(text, ", {number} {what}");
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_as_they_were_written() {
        let rows = [
            Row { task: "a, \"b\".c".into(), seconds: 1.5, bytes: 7, expected: Some(true), ..Row::default() }
                .ended("undecided", "time, \"limit\""),
            Row { task: "c.c".into(), engine: "bmc".into(), ..Row::default() }.ended("holds", ""),
        ];
        let directory = std::env::temp_dir().join(format!("concord-results-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("it can be made");
        for name in ["rows.csv", "rows.json"] {
            let file = directory.join(name);
            write_rows(&file, rows.iter()).expect("it can be written");
            assert_eq!(read_rows(&file).expect("it can be read"), rows, "{name}");
        }
        std::fs::remove_dir_all(&directory).expect("it can be removed");
    }

    #[test]
    fn the_table_counts() {
        let rows = [
            Row { task: "a".into(), expected: Some(true), ..Row::default() }.ended("violated", ""),
            Row { task: "b".into(), ..Row::default() }.ended("holds", ""),
        ];
        let text = table(rows.iter(), 1, 0);
        let last = "3 tasks: 1 hold, 1 violated, 0 undecided, 1 not done, 1 against what the task expects\n";
        assert!(text.ends_with(last), "{text}");
    }
}
