//! What engines say while they work. They never print; the command line decides what a person sees.

/// One step of progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A phase begins, such as `parse` or `refine`.
    PhaseStarted {
        /// Its name.
        phase: &'static str,
        /// What it works on.
        subject: String,
    },
    /// A phase ended.
    PhaseEnded {
        /// Its name.
        phase: &'static str,
    },
    /// A figure changed, such as `states` or `predicates`.
    Count {
        /// What is counted, with its unit.
        what: &'static str,
        /// How many now.
        value: u64,
    },
    /// A sentence worth telling.
    Said(String),
}

/// Takes events. Called from engine threads.
pub trait EventSink: Sync {
    /// Takes one event; must be quick and must not fail.
    fn emit(&self, event: Event);
}

/// Drops every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl EventSink for Silent {
    fn emit(&self, _event: Event) {}
}
