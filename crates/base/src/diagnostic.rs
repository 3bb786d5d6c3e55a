//! Messages about the user's input: what is wrong, where, and what to do about it.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    /// Accepted, with a doubt.
    Warning,
    /// The input cannot be taken.
    Error,
}

/// One message with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable short name of the kind of problem, such as `undeclared-name`.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// Where the caret goes.
    pub span: Span,
    /// Other places that belong to it, each with its own words.
    pub labels: Vec<(Span, String)>,
    /// What to try.
    pub hints: Vec<String>,
}

impl Diagnostic {
    /// A message of the given severity.
    pub fn new(severity: Severity, code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity, code, message: message.into(), span, labels: Vec::new(), hints: Vec::new() }
    }

    /// An error: the input cannot be taken.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, span, message)
    }

    /// A warning: accepted, with a doubt.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, span, message)
    }

    /// Adds what to try.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hints.push(hint.into());
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push((span, text.into()));
        self
    }
}

/// Collects the messages of one run. Never stops the run; callers ask [`has_errors`](Diagnostics::has_errors).
#[derive(Debug, Default, Clone)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// Past this many errors the rest is noise; they are counted, not kept.
    pub const MOST_ERRORS: usize = 50;

    /// Keeps a message. A second error at the same place is a consequence of the first and is dropped.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
            let known = self.items.iter().rev().take(8);
            let repeats =
                known.into_iter().any(|d| d.severity == Severity::Error && d.span == diagnostic.span);
            if self.errors > Self::MOST_ERRORS || (repeats && !diagnostic.span.is_nowhere()) {
                return;
            }
        }
        self.items.push(diagnostic);
    }

    /// Has any error been reported?
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many errors were reported, dropped ones included.
    pub fn error_count(&self) -> usize {
        self.errors
    }

    /// The kept messages in the order they came.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }

    /// Appends another run's messages.
    pub fn extend(&mut self, other: Diagnostics) {
        let dropped = other.errors - other.items.iter().filter(|d| d.severity == Severity::Error).count();
        other.items.into_iter().for_each(|diagnostic| self.push(diagnostic));
        self.errors += dropped;
    }
}
