//! What a search looks at while it works: how much it may still take, and who waits to hear how far it has
//! come.

use base::{Budget, Event, EventSink, Exhausted, Silent};

/// The limits of a search, and where it tells its figures. Passed down to the loop that does the work.
#[derive(Clone, Copy)]
pub struct Monitor<'a> {
    /// Time, memory, cancellation.
    pub budget: &'a Budget,
    /// Takes the figures.
    pub events: &'a dyn EventSink,
}

impl<'a> Monitor<'a> {
    /// These limits; nobody listens.
    pub fn silent(budget: &'a Budget) -> Monitor<'a> {
        Monitor { budget, events: &Silent }
    }

    /// The same listener, other limits.
    #[must_use]
    pub fn within<'b>(self, budget: &'b Budget) -> Monitor<'b>
    where
        'a: 'b,
    {
        Monitor { budget, events: self.events }
    }

    /// Fails once a limit is reached.
    pub fn check(self) -> Result<(), Exhausted> {
        self.budget.check()
    }

    /// Tells a figure, such as the states found so far.
    pub fn count(self, what: &'static str, value: usize) {
        self.events.emit(Event::Count { what, value: value as u64 });
    }

    /// For a loop that makes many small rounds: at the first and at every `every`th fails once a limit is
    /// reached, and tells the figure.
    pub fn check_each(
        self,
        every: usize,
        round: usize,
        what: &'static str,
        value: usize,
    ) -> Result<(), Exhausted> {
        if !round.is_multiple_of(every) {
            return Ok(());
        }
        self.count(what, value);
        self.check()
    }
}

impl std::fmt::Debug for Monitor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.budget.fmt(f)
    }
}
