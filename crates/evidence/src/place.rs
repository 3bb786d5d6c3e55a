//! Places in the user's files, as other tools count them.

use base::Span;
use base::source::Location;
use program::Program;
use serde_json::{Value, json};

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FilePlace {
    /// The file, as the user named it.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1.
    pub column: u32,
}

/// Where a span begins in the file that was given. A preprocessed file (`.i`) is itself what others read,
/// whatever its line markers say.
pub fn in_given_file(program: &Program, span: Span) -> Option<FilePlace> {
    if span.is_nowhere() {
        return None;
    }
    let source = program.sources.source_at(span.start)?;
    if !source.name().ends_with(".i") {
        let place = program.sources.location(span)?;
        return Some(FilePlace { file: place.file.to_string(), line: place.line, column: place.column });
    }
    let before = source.text().as_bytes().get(..(span.start - source.base()) as usize)?;
    let line = before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1;
    let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() as u32 + 1;
    Some(FilePlace { file: source.name().to_string(), line, column })
}

/// ` at FILE:LINE:COLUMN`, to stand behind what happens there; empty for nowhere.
pub fn at(program: &Program, span: Span) -> String {
    program.sources.location(span).map_or_else(String::new, |at| format!(" at {at}"))
}

/// A place as the project's JSON has it.
pub fn json(program: &Program, span: Span) -> Value {
    program.sources.location(span).as_ref().map_or(Value::Null, location)
}

/// A place of any text as the project's JSON has it.
pub fn location(at: &Location) -> Value {
    json!({ "file": &*at.file, "line": at.line, "column": at.column })
}
