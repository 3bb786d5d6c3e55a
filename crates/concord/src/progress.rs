//! Progress for a person at a terminal: one line on standard error that is overwritten and finally wiped. With `-v` a log
//! of the phases stays. For reports, who worked when is kept.

use crate::cli::Common;
use base::{Event, EventSink};
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Shows events as a status line. Silent when standard error is no terminal.
#[derive(Debug)]
pub struct StatusLine {
    shared: Arc<Shared>,
}

/// What the line shares with the clock that shows it again when nothing happens.
#[derive(Debug)]
struct Shared {
    is_shown: bool,
    is_logged: bool,
    began: Instant,
    end: Option<Instant>,
    seen: Mutex<LatestEvents>,
}

/// When an engine worked, from the beginning on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseTime {
    /// Its name.
    pub phase: &'static str,
    /// What it worked on.
    pub subject: String,
    /// When it began.
    pub from: Duration,
    /// When it ended; `None` while it works.
    pub to: Option<Duration>,
}

/// How a figure grew: what is counted, and its values with their times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// What is counted.
    pub figure: &'static str,
    /// When which value was told.
    pub points: Vec<(Duration, u64)>,
}

/// What engines said last; several may work beside each other.
#[derive(Debug, Default)]
struct LatestEvents {
    phases: Vec<&'static str>,
    subject: String,
    counts: Vec<(&'static str, u64)>,
    shown: Option<Instant>,
    times: Vec<PhaseTime>,
    growth: Vec<Growth>,
    /// Was the line wiped for good, because results are written?
    is_over: bool,
}

/// More phases than this are not kept.
const MOST_KEPT: usize = 5000;
/// Of a figure that was told more often than this, every other value is dropped.
const MOST_POINTS: usize = 400;

/// The line changes no more often than this.
const PAUSE: Duration = Duration::from_millis(100);
/// And this often at least, while somebody works.
const TICK: Duration = Duration::from_millis(250);
/// Longer lines would wrap, and could not be wiped.
const MOST_COLUMNS: usize = 78;

impl StatusLine {
    /// A status line, unless the user wants quiet; a log, if the user wants to hear more.
    pub fn new(common: &Common) -> StatusLine {
        let began = Instant::now();
        let shared = Arc::new(Shared {
            is_shown: !common.quiet && std::io::stderr().is_terminal(),
            is_logged: common.verbose,
            began,
            end: common.time_limit.and_then(|time| began.checked_add(time)),
            seen: Mutex::default(),
        });
        if shared.is_shown {
            // Memory and the time that is left change although nobody says anything.
            let line = Arc::downgrade(&shared);
            std::thread::spawn(move || {
                loop {
                    std::thread::sleep(TICK);
                    let Some(line) = line.upgrade() else { break };
                    line.again();
                }
            });
        }
        StatusLine { shared }
    }

    /// Who worked when, in the order in which they began. Who still works, works until now.
    pub fn times(&self) -> Vec<PhaseTime> {
        let seen = self.shared.seen();
        let now = self.shared.began.elapsed();
        let ended = |time: &PhaseTime| PhaseTime { to: Some(time.to.unwrap_or(now)), ..time.clone() };
        seen.times.iter().map(ended).collect()
    }

    /// A phase of a verb that has no engines to tell of theirs.
    pub fn begin(&self, phase: &'static str, subject: String) {
        self.emit(Event::PhaseStarted { phase, subject });
    }

    /// Wipes the line for good: nothing is worked on any more.
    pub fn clear(&self) {
        let mut seen = self.shared.seen();
        seen.is_over = true;
        self.shared.replace_with("");
    }

    /// How the figures grew that engines told while they worked.
    pub fn growth(&self) -> Vec<Growth> {
        self.shared.seen().growth.clone()
    }
}

impl Shared {
    /// What was seen so far. A thread that panicked while it told something has spoilt nothing.
    fn seen(&self) -> MutexGuard<'_, LatestEvents> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the line as it is now.
    fn again(&self) {
        let mut seen = self.seen();
        if !seen.is_over && !seen.phases.is_empty() {
            self.show(&mut seen);
        }
    }

    fn show(&self, seen: &mut LatestEvents) {
        seen.shown = Some(Instant::now());
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
        self.replace_with(&seen.line(left));
    }

    /// A line of the log.
    fn log(&self, event: &Event, seen: &LatestEvents) {
        let at = self.began.elapsed().as_secs_f64();
        let told = match event {
            Event::PhaseStarted { phase, subject } => format!("{phase} begins: {subject}"),
            Event::PhaseEnded { phase } => {
                let known = seen.times.iter().rev().find(|time| time.phase == *phase && time.to.is_none());
                let took = known.map_or(0.0, |time| at - time.from.as_secs_f64());
                format!("{phase} ends after {took:.2} s")
            }
            Event::Said(text) => text.clone(),
            Event::Count { .. } => return,
        };
        self.replace_with("");
        // A log that cannot be written is no loss.
        let _ = writeln!(std::io::stderr(), "[{at:7.2} s] {told}");
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
    fn take(&mut self, event: Event, at: Duration) {
        match event {
            Event::PhaseStarted { phase, subject } => {
                // Figures of what has ended are of no interest any more.
                if self.phases.is_empty() {
                    self.counts.clear();
                }
                self.phases.push(phase);
                if self.times.len() < MOST_KEPT {
                    self.times.push(PhaseTime { phase, subject: subject.clone(), from: at, to: None });
                }
                self.subject = subject;
            }
            Event::PhaseEnded { phase } => {
                if let Some(open) =
                    self.times.iter_mut().rev().find(|one| one.phase == phase && one.to.is_none())
                {
                    open.to = Some(at);
                }
                if let Some(at) = self.phases.iter().rposition(|own| *own == phase) {
                    self.phases.remove(at);
                }
            }
            Event::Count { what, value } => {
                match self.counts.iter_mut().find(|(own, _)| *own == what) {
                    Some((_, known)) => *known = value,
                    None => self.counts.push((what, value)),
                }
                self.grow(what, value, at);
            }
            Event::Said(text) => self.subject = text,
        }
    }

    /// Keeps a value of a figure; the more there are, the fewer of them.
    fn grow(&mut self, what: &'static str, value: u64, at: Duration) {
        let known = match self.growth.iter().position(|one| one.figure == what) {
            Some(known) => known,
            None => {
                self.growth.push(Growth { figure: what, points: Vec::new() });
                self.growth.len() - 1
            }
        };
        let points = &mut self.growth[known].points;
        if points.len() == MOST_POINTS {
            let mut is_kept = false;
            points.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
        }
        points.push((at, value));
    }

    fn line(&self, left: Option<Duration>) -> String {
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
        // The time that is left is told whatever else has to be cut.
        let left = left.map_or_else(|| " …".to_owned(), |left| format!(", {} s left …", left.as_secs()));
        let kept: String = line.chars().take(MOST_COLUMNS - left.chars().count()).collect();
        kept + &left
    }
}

impl EventSink for StatusLine {
    fn emit(&self, event: Event) {
        let shared = &self.shared;
        let mut seen = shared.seen();
        let is_new = matches!(event, Event::PhaseStarted { .. });
        if shared.is_logged {
            shared.log(&event, &seen);
        }
        seen.take(event, shared.began.elapsed());
        if shared.is_shown && !seen.is_over && (is_new || seen.shown.is_none_or(|at| at.elapsed() > PAUSE)) {
            shared.show(&mut seen);
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_who_works_and_how_far_they_are() {
        let mut seen = LatestEvents::default();
        assert_eq!(seen.line(None), "");
        seen.take(
            Event::PhaseStarted { phase: "bmc", subject: "no assertion fails".into() },
            Duration::from_millis(5),
        );
        seen.take(
            Event::PhaseStarted { phase: "pdr", subject: "no assertion fails".into() },
            Duration::from_millis(5),
        );
        assert!(seen.line(None).starts_with("bmc | pdr no assertion fails"), "{}", seen.line(None));
        seen.take(Event::Count { what: "rounds", value: 3 }, Duration::from_millis(5));
        seen.take(Event::Count { what: "rounds", value: 4 }, Duration::from_millis(5));
        seen.take(Event::PhaseEnded { phase: "pdr" }, Duration::from_millis(5));
        assert!(seen.line(None).starts_with("bmc, 4 rounds"), "{}", seen.line(None));
        assert!(seen.line(None).chars().count() <= MOST_COLUMNS);
        assert!(seen.line(Some(Duration::from_secs(7))).ends_with(", 7 s left …"));
        for value in 0..5000 {
            seen.take(Event::Count { what: "states", value }, Duration::from_millis(value));
        }
        let grown = seen.growth.iter().find(|one| one.figure == "states").expect("it was told");
        assert!(grown.points.len() <= MOST_POINTS && grown.points.len() > MOST_POINTS / 3);
        assert_eq!(grown.points.last(), Some(&(Duration::from_millis(4999), 4999)));
        assert!(grown.points.is_sorted());
        assert_eq!(seen.times.len(), 2);
        assert_eq!(seen.times.iter().filter(|time| time.to.is_none()).count(), 1);
    }
}
