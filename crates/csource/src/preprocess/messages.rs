//! The preprocessor's messages (`a.c:3:10: fatal error: x.h: No such file or directory`) as diagnostics.

use super::{Options, decode, resolve};
use crate::Session;
use base::{Diagnostic, Severity, SourceId, Span};
use rustc_hash::FxHashMap;
use std::path::Path;

/// Turns what the preprocessor wrote to its error output into diagnostics.
pub(super) fn report(output: &[u8], options: &Options, session: &mut Session) {
    let output = String::from_utf8_lossy(output);
    let mut added = FxHashMap::default();
    for line in output.lines() {
        let Some(message) = parse(line) else { continue };
        let span = find(&message, options, session, &mut added);
        let text = match span.is_nowhere() && !message.file.is_empty() {
            true => format!("{}:{}: {}", message.file, message.line, message.text),
            false => message.text.to_owned(),
        };
        let mut diagnostic = Diagnostic::new(message.severity, "preprocessing", span, text);
        if let Some(header) = missing_header(message.text) {
            diagnostic.message = format!("the header `{header}` was not found");
            diagnostic = diagnostic.hint("give the directory it is in with `-I`");
        }
        session.diagnostics.push(diagnostic);
    }
}

struct Message<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    severity: Severity,
    text: &'a str,
}

/// `file:line:column: severity: text`; the column, or file and line, may be left out.
fn parse(line: &str) -> Option<Message<'_>> {
    let kinds = [
        (": fatal error: ", Severity::Error),
        (": error: ", Severity::Error),
        (": warning: ", Severity::Warning),
    ];
    let (at, mark, severity) = kinds
        .iter()
        .filter_map(|&(mark, severity)| Some((line.find(mark)?, mark, severity)))
        .min_by_key(|found| found.0)?;
    let (place, text) = (&line[..at], &line[at + mark.len()..]);
    let mut parts = place.rsplitn(3, ':');
    let (last, middle, first) = (parts.next()?, parts.next(), parts.next());
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<usize>().ok());
    let (file, line, column) = match (number(Some(last)), number(middle)) {
        (Some(column), Some(line)) if first.is_some() => (first.unwrap_or(""), line, column),
        (Some(line), None) if middle.is_some() => (&place[..place.len() - last.len() - 1], line, 1),
        // `cc: fatal error: …` has no place in any file.
        _ => ("", 0, 0),
    };
    Some(Message { file, line, column, severity, text })
}

/// `x.h: No such file or directory`, or clang's `'x.h' file not found`.
fn missing_header(text: &str) -> Option<&str> {
    let gcc = text.strip_suffix(": No such file or directory");
    gcc.or_else(|| text.strip_prefix('\'')?.strip_suffix("' file not found"))
}

/// The place of a message, in the text of the file it is about, which is added to the session for it, once.
fn find(
    message: &Message<'_>,
    options: &Options,
    session: &mut Session,
    added: &mut FxHashMap<String, Option<SourceId>>,
) -> Span {
    if message.file.is_empty() {
        return Span::NOWHERE;
    }
    let known = added.entry(message.file.to_owned()).or_insert_with(|| {
        let bytes = std::fs::read(resolve(Path::new(message.file), options)).ok()?;
        session.sources.add(message.file, decode::decode(bytes))
    });
    let Some(source) = known.map(|id| session.sources.source(id)) else { return Span::NOWHERE };
    let text: &str = source.text();
    let Some(line) = text.split_inclusive('\n').nth(message.line.saturating_sub(1)) else {
        return Span::NOWHERE;
    };
    let line_start = line.as_ptr() as usize - text.as_ptr() as usize;
    let visible = line.trim_end();
    let column = message.column.saturating_sub(1).min(visible.len().saturating_sub(1));
    let width = visible.get(column..).map_or(1, token_width);
    let start = source.base() + (line_start + column) as u32;
    Span::new(start, start + width as u32)
}

/// How much of a line to underline: a word, a quoted or bracketed header name, or one character.
fn token_width(text: &str) -> usize {
    let closing = match text.as_bytes().first() {
        Some(b'"') => text[1..].find('"').map(|at| at + 2),
        Some(b'<') => text.find('>').map(|at| at + 1),
        _ => Some(text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()),
    };
    closing.unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_taken_apart() {
        let message = parse("dir/a.c:3:10: fatal error: x.h: No such file or directory").expect("a message");
        assert_eq!((message.file, message.line, message.column), ("dir/a.c", 3, 10));
        assert_eq!(missing_header(message.text), Some("x.h"));
        let message = parse("a.c:7: warning: odd").expect("a message");
        assert_eq!((message.file, message.line, message.severity), ("a.c", 7, Severity::Warning));
        let message = parse("cc: error: unrecognized option").expect("a message");
        assert_eq!((message.file, message.text), ("", "unrecognized option"));
        assert!(parse("compilation terminated.").is_none());
        assert!(parse("    3 | #include <x.h>").is_none());
    }
}
