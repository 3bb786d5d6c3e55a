//! Progress for a person at a terminal: one line on standard error that is overwritten and finally wiped.

use base::{Event, EventSink};
use std::io::{IsTerminal, Write};

/// Shows events as a status line. Silent when standard error is no terminal.
#[derive(Debug)]
pub struct StatusLine {
    is_shown: bool,
}

impl StatusLine {
    /// A status line, unless the user wants quiet.
    pub fn new(is_quiet: bool) -> StatusLine {
        StatusLine { is_shown: !is_quiet && std::io::stderr().is_terminal() }
    }

    fn replace_with(&self, text: &str) {
        if self.is_shown {
            // A status that cannot be shown is no loss.
            let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
        }
    }
}

/// Wipes whatever line is shown, for who writes while others still work.
pub fn wipe() {
    StatusLine::new(false).replace_with("");
}

impl EventSink for StatusLine {
    fn emit(&self, event: Event) {
        match event {
            Event::PhaseStarted { phase, subject } => self.replace_with(&format!("{phase} {subject} …")),
            Event::PhaseEnded { .. } => self.replace_with(""),
            Event::Count { what, value } => self.replace_with(&format!("{value} {what}")),
            Event::Said(text) => self.replace_with(&text),
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.replace_with("");
    }
}
