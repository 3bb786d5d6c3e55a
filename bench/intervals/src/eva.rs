//! Side by side with Frama-C's Eva: what both know of the variables in an assertion, where it is made, and their time.
//!
//! Eva is asked by `Frama_C_show_each_…` calls put before the assertion in a copy of the file; we are asked at the assertion's
//! line of the file itself.

use intervals::Value;
use intervals::{Analysis, Settings, analyse};
use program::{DataModel, Expr, Place, VariableId};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What both say of one variable at one assertion.
#[derive(Debug)]
pub struct Range {
    /// The assertion's line.
    pub line: u32,
    /// The variable.
    pub variable: String,
    /// What Eva says, if it was reached.
    pub eva: Option<String>,
    /// What we say.
    pub ours: String,
}

/// One file.
#[derive(Debug)]
pub struct Comparison {
    /// Which.
    pub file: PathBuf,
    /// Time of Eva, with reading and starting.
    pub eva: Duration,
    /// Our time, with reading.
    pub ours: Duration,
    /// Every variable at every assertion.
    pub ranges: Vec<Range>,
}

/// An assertion: its line and the words in it that may be variables.
struct Assertion {
    line: u32,
    words: Vec<String>,
}

/// Compares on one file.
pub fn compare(file: &Path, model: DataModel, scratch: &Path) -> Result<Comparison, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let assertions = assertions(&text);
    let began = Instant::now();
    let program = crate::read::file(file, model)?;
    let settings = Settings::default();
    let analysis = analyse(&program, &settings, &base::Budget::unlimited())
        .map_err(|_| "the budget is used up".to_string())?;
    let ours = began.elapsed();
    let mut ranges = Vec::new();
    let mut copy: Vec<String> = text.lines().map(str::to_owned).collect();
    for assertion in &assertions {
        let mut calls = String::new();
        for word in &assertion.words {
            let Some(value) = our_value(&analysis, assertion.line, word) else { continue };
            calls.push_str(&format!("Frama_C_show_each_{}_{word}({word}); ", assertion.line));
            ranges.push(Range { line: assertion.line, variable: word.clone(), eva: None, ours: value });
        }
        let line = &mut copy[assertion.line as usize - 1];
        *line = format!("{{ {calls}{line} }}");
    }
    std::fs::create_dir_all(scratch).map_err(|error| error.to_string())?;
    let path = scratch.join("eva.c");
    std::fs::write(&path, copy.join("\n")).map_err(|error| error.to_string())?;
    let machine = if model == DataModel::Ilp32 { "gcc_x86_32" } else { "gcc_x86_64" };
    let began = Instant::now();
    let output = Command::new("frama-c")
        .args(["-eva", "-machdep", machine, "-eva-no-print"])
        .arg(&path)
        .output()
        .map_err(|error| format!("frama-c cannot be started: {error}"))?;
    let eva = began.elapsed();
    let told = String::from_utf8_lossy(&output.stdout);
    for range in &mut ranges {
        let name = format!("Frama_C_show_each_{}_{}:", range.line, range.variable);
        // Every round of its loops is shown; the last has all values.
        let mut said =
            told.lines().rev().filter_map(|line| line.split_once(&name)).map(|(_, value)| value.trim());
        range.eva = said.next().map(str::to_owned);
    }
    Ok(Comparison { file: file.to_owned(), eva, ours, ranges })
}

fn assertions(text: &str) -> Vec<Assertion> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        let inside = ["__VERIFIER_assert(", "assert("]
            .iter()
            .find_map(|start| trimmed.strip_prefix(start))
            .and_then(|rest| rest.strip_suffix(");"));
        let Some(inside) = inside else { continue };
        let mut words: Vec<String> = inside
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
            .map(str::to_owned)
            .collect();
        words.sort();
        words.dedup();
        found.push(Assertion { line: at as u32 + 1, words });
    }
    found
}

/// The variable of that name where the line's first statement begins.
fn our_value(analysis: &Analysis<'_>, line: u32, name: &str) -> Option<String> {
    let program = analysis.program();
    for (id, procedure) in program.procedures.iter_enumerated() {
        let Some(body) = &procedure.body else { continue };
        let at_line = |span: base::Span| program.sources.location(span).map(|place| place.line) == Some(line);
        let Some(edge) = body.edges.iter().find(|edge| at_line(edge.span)) else { continue };
        let variable: VariableId = program
            .variables
            .iter_enumerated()
            .filter(|(_, one)| &*one.name == name && (one.procedure == Some(id) || one.procedure.is_none()))
            .max_by_key(|(_, one)| one.procedure.is_some())
            .map(|(variable, _)| variable)?;
        let Some(point) = analysis.at(id, edge.from) else { return Some("not reached".into()) };
        let place = Place::variable(variable, program.variables[variable].ty);
        return match point.value(&Expr::load(place))? {
            Value::Integer(number) => Some(number.to_string()),
            Value::Float(range) => Some(range.to_string()),
            Value::Pointer(_) => None,
        };
    }
    None
}
