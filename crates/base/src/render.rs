//! Diagnostics as text for a terminal: file, line, caret, hints.

use crate::{Diagnostic, Severity, SourceMap, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// Should the text carry terminal colours?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Plain text, for files and pipes.
    Never,
    /// ANSI colours.
    Always,
}

/// The diagnostic as a block of text, ending without a line break.
pub fn render(diagnostic: &Diagnostic, sources: &SourceMap, colour: Colour) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let mut group = Group::with_title(title);
    let places = std::iter::once((diagnostic.span, "", AnnotationKind::Primary))
        .chain(diagnostic.labels.iter().map(|(span, text)| (*span, text.as_str(), AnnotationKind::Context)));
    for (span, text, kind) in places {
        let Some(snippet) = snippet_of(span, sources) else { continue };
        let mut annotation = kind.span(snippet.caret);
        if !text.is_empty() {
            annotation = annotation.label(text);
        }
        group = group.element(
            Snippet::source(snippet.line)
                .line_start(snippet.line_number)
                .path(snippet.file)
                .annotation(annotation),
        );
    }
    for hint in &diagnostic.hints {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    let renderer = match colour {
        Colour::Never => Renderer::plain(),
        Colour::Always => Renderer::styled(),
    };
    renderer.render(&[group]).to_string()
}

struct LineAndCaret<'a> {
    file: String,
    line_number: usize,
    line: &'a str,
    caret: std::ops::Range<usize>,
}

fn snippet_of(span: Span, sources: &SourceMap) -> Option<LineAndCaret<'_>> {
    let location = sources.location(span)?;
    let (line, line_start) = sources.line_around(span.start)?;
    let start = floor_boundary(line, (span.start - line_start) as usize);
    let end = floor_boundary(line, (span.end.saturating_sub(line_start) as usize).max(start + 1));
    Some(LineAndCaret {
        file: location.file.to_string(),
        line_number: location.line as usize,
        line,
        caret: start..end.max(start),
    })
}

fn floor_boundary(text: &str, index: usize) -> usize {
    let mut index = index.min(text.len());
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_file_line_caret_and_hint() {
        let mut sources = SourceMap::new();
        let id = sources.add("a.c", "int f(void)\n{ return x; }\n").expect("small");
        let at = sources.source(id).base() + 21;
        let diagnostic = Diagnostic::error("undeclared-name", Span::new(at, at + 1), "`x` is not declared")
            .hint("declare it before this line");
        let text = render(&diagnostic, &sources, Colour::Never);
        for part in ["a.c:2:10", "2 | { return x; }", "^", "declare it"] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }
}
