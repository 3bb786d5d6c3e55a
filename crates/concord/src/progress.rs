//! Progress for a person at a terminal: one line on standard error that is overwritten and finally wiped.

use base::{Event, EventSink};
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Shows events as a status line. Silent when standard error is no terminal.
#[derive(Debug)]
pub struct StatusLine {
    is_shown: bool,
    seen: Mutex<LatestEvents>,
}

/// What engines said last; several may work beside each other.
#[derive(Debug, Default)]
struct LatestEvents {
    phases: Vec<&'static str>,
    subject: String,
    counts: Vec<(&'static str, u64)>,
    shown: Option<Instant>,
}

/// The line changes no more often than this.
const PAUSE: Duration = Duration::from_millis(100);
/// Longer lines would wrap, and could not be wiped.
const MOST_COLUMNS: usize = 78;

impl StatusLine {
    /// A status line, unless the user wants quiet.
    pub fn new(is_quiet: bool) -> StatusLine {
        StatusLine { is_shown: !is_quiet && std::io::stderr().is_terminal(), seen: Mutex::default() }
    }

    fn replace_with(&self, text: &str) {
        if self.is_shown {
            // A status that cannot be shown is no loss.
            let _ = write!(std::io::stderr(), "\r\x1b[K{text}");
        }
    }
}

/// Wipes a line that somebody else shows, before the process ends without asking it.
pub fn wipe() {
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

impl LatestEvents {
    fn take(&mut self, event: Event) {
        match event {
            Event::PhaseStarted { phase, subject } => {
                self.phases.push(phase);
                self.subject = subject;
            }
            Event::PhaseEnded { phase } => {
                if let Some(at) = self.phases.iter().rposition(|own| *own == phase) {
                    self.phases.remove(at);
                }
            }
            Event::Count { what, value } => match self.counts.iter_mut().find(|(own, _)| *own == what) {
                Some((_, known)) => *known = value,
                None => self.counts.push((what, value)),
            },
            Event::Said(text) => self.subject = text,
        }
    }

    fn line(&self) -> String {
        if self.phases.is_empty() {
            return String::new();
        }
        let mut line = self.phases.join(" | ");
        if self.counts.is_empty() {
            line.push_str(&format!(" {}", self.subject));
        }
        for (what, value) in &self.counts {
            line.push_str(&format!(", {value} {what}"));
        }
        if let Some(bytes) = base::budget::resident_bytes() {
            line.push_str(&format!(", {} MB", bytes >> 20));
        }
        line.push_str(" …");
        line.chars().take(MOST_COLUMNS).collect()
    }
}

impl EventSink for StatusLine {
    fn emit(&self, event: Event) {
        if !self.is_shown {
            return;
        }
        // A thread that panicked while it told something has spoilt nothing.
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = matches!(event, Event::PhaseStarted { .. });
        seen.take(event);
        if is_new || seen.shown.is_none_or(|at| at.elapsed() > PAUSE) {
            seen.shown = Some(Instant::now());
            self.replace_with(&seen.line());
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.replace_with("");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_who_works_and_how_far_they_are() {
        let mut seen = LatestEvents::default();
        assert_eq!(seen.line(), "");
        seen.take(Event::PhaseStarted { phase: "bmc", subject: "no assertion fails".into() });
        seen.take(Event::PhaseStarted { phase: "pdr", subject: "no assertion fails".into() });
        assert!(seen.line().starts_with("bmc | pdr no assertion fails"), "{}", seen.line());
        seen.take(Event::Count { what: "rounds", value: 3 });
        seen.take(Event::Count { what: "rounds", value: 4 });
        seen.take(Event::PhaseEnded { phase: "pdr" });
        assert!(seen.line().starts_with("bmc, 4 rounds"), "{}", seen.line());
        assert!(seen.line().chars().count() <= MOST_COLUMNS);
    }
}
