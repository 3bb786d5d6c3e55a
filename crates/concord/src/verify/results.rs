//! Results of many tasks: a table for people, CSV and JSON for machines, and reading them back.

use report::page::TaskRow;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// How a task ended. The verdicts are those that its process told, which settled them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ended {
    /// The property holds.
    Holds,
    /// It is violated.
    Violated,
    /// Neither was found out.
    #[default]
    Undecided,
    /// The process refused its input.
    BadInput,
    /// The process said nothing that can be read.
    Crashed,
}

impl Ended {
    const ALL: [Ended; 5] =
        [Ended::Holds, Ended::Violated, Ended::Undecided, Ended::BadInput, Ended::Crashed];

    /// The word in tables and files.
    pub fn word(self) -> &'static str {
        match self {
            Ended::Holds => "holds",
            Ended::Violated => "violated",
            Ended::Undecided => "undecided",
            Ended::BadInput => "bad input",
            Ended::Crashed => "crashed",
        }
    }

    /// What a word stands for.
    pub fn of_word(word: &str) -> Option<Ended> {
        Ended::ALL.into_iter().find(|ended| ended.word() == word)
    }

    /// The verdict that a property has which holds, or does not.
    pub fn expected(holds: bool) -> Ended {
        if holds { Ended::Holds } else { Ended::Violated }
    }
}

/// The result of one task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// What it is called: its file.
    pub task: String,
    /// How it ended.
    pub verdict: Ended,
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
    pub fn ended(mut self, verdict: Ended, reason: &str) -> Row {
        self.verdict = verdict;
        reason.clone_into(&mut self.reason);
        self
    }

    /// Is the verdict the opposite of the expected one?
    pub fn is_unexpected(&self) -> bool {
        self.expected.is_some_and(|holds| self.verdict == Ended::expected(!holds))
    }

    fn expected_word(&self) -> &'static str {
        self.expected.map_or("", |holds| Ended::expected(holds).word())
    }

    /// The row as a page shows it, with a link to its own report if that was written.
    pub fn for_page(&self, page: &Path, number: Option<usize>) -> TaskRow {
        let own = number.map(|number| crate::report::many::of_task(page, number));
        TaskRow {
            name: self.task.clone(),
            word: self.verdict.word().to_uppercase(),
            why: self.reason.clone(),
            engine: self.engine.clone(),
            seconds: self.seconds,
            bytes: self.bytes,
            expected: self.expected_word().to_owned(),
            is_wrong: self.is_unexpected(),
            link: own.and_then(|(file, link)| file.exists().then_some(link)),
        }
    }

    fn json(&self) -> Value {
        json!({ "task": self.task, "verdict": self.verdict.word(), "reason": self.reason, "engine": self.engine,
            "seconds": self.seconds, "bytes": self.bytes, "expected": self.expected_word() })
    }

    /// The row whose cells have these texts; `None` if they are not those of a row.
    fn of_cells(cell: impl Fn(&str) -> String) -> Option<Row> {
        Some(Row {
            task: cell("task"),
            verdict: Ended::of_word(&cell("verdict"))?,
            reason: cell("reason"),
            engine: cell("engine"),
            seconds: cell("seconds").parse().unwrap_or(0.0),
            bytes: cell("bytes").parse().unwrap_or(0),
            expected: Ended::of_word(&cell("expected")).map(|ended| ended == Ended::Holds),
        })
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

/// All rows as one document of JSON.
pub fn json<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    evidence::json::document_with("verify", json!({ "tasks": rows.map(Row::json).collect::<Vec<_>>() }))
}

fn csv<'r>(rows: impl Iterator<Item = &'r Row>) -> String {
    let mut text = format!("{HEADER}\n");
    let quoted = |cell: &str| match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"").replace('\n', " ")),
        false => cell.to_owned(),
    };
    for row in rows {
        let (task, reason) = (quoted(&row.task), quoted(&row.reason));
        let (verdict, expected) = (row.verdict.word(), row.expected_word());
        let Row { engine, seconds, bytes, .. } = row;
        let _ = writeln!(text, "{task},{verdict},{reason},{engine},{seconds:.2},{bytes},{expected}");
    }
    text
}

/// Reads rows that were written.
pub fn read_rows(file: &Path) -> Result<Vec<Row>, String> {
    let bad = |why: &str| format!("{}: {why}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| bad(&format!("cannot be read: {error}")))?;
    if is_json(file) {
        let document: Value = serde_json::from_str(&text).map_err(|error| bad(&error.to_string()))?;
        let tasks = document["tasks"].as_array().ok_or_else(|| bad("it holds no results"))?;
        let cell = |task: &Value, name: &str| match &task[name] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let row = |task| Row::of_cells(|name| cell(task, name)).ok_or_else(|| bad("it holds no results"));
        return tasks.iter().map(row).collect();
    }
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Err(bad("it holds no results"));
    }
    let names: Vec<&str> = HEADER.split(',').collect();
    lines
        .map(|line| {
            let cells = cells(line);
            let cell = |name: &str| {
                let at = names.iter().position(|own| *own == name);
                at.and_then(|at| cells.get(at)).cloned().unwrap_or_default()
            };
            let row = if cells.len() == names.len() { Row::of_cells(cell) } else { None };
            row.ok_or_else(|| bad(&format!("`{line}` is no result")))
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
        let verdict = row.verdict.word().to_uppercase();
        let line =
            format!("{:width$}  {verdict:<9}  {:>8.1}  {:<12}  {why}", row.task, row.seconds, row.engine);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    let count = |verdict: Ended| rows.iter().filter(|row| row.verdict == verdict).count();
    let _ = write!(
        text,
        "{} tasks: {} hold, {} violated, {} undecided",
        rows.len() + left,
        count(Ended::Holds),
        count(Ended::Violated),
        count(Ended::Undecided)
    );
    for (number, what) in [
        (count(Ended::BadInput), "with bad input"),
        (count(Ended::Crashed), "crashed"),
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
                .ended(Ended::Undecided, "time, \"limit\""),
            Row { task: "c.c".into(), engine: "bmc".into(), ..Row::default() }.ended(Ended::Holds, ""),
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
            Row { task: "a".into(), expected: Some(true), ..Row::default() }.ended(Ended::Violated, ""),
            Row { task: "b".into(), ..Row::default() }.ended(Ended::Holds, ""),
        ];
        let text = table(rows.iter(), 1, 0);
        let last = "3 tasks: 1 hold, 1 violated, 0 undecided, 1 not done, 1 against what the task expects\n";
        assert!(text.ends_with(last), "{text}");
    }
}
