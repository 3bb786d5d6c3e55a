//! What may be used to answer.

use question::Missing;

/// Which engine answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Engine {
    /// All of them: cheap ones first, then search and proof beside each other.
    #[default]
    Auto,
    /// Interval analysis alone.
    Intervals,
    /// Bounded search alone.
    Bounded,
    /// Induction on loops, with bounded search for its base.
    Induction,
    /// Invariants about all elements of arrays, with those from intervals and guesses.
    Elements,
    /// Combinations of values of state variables, with invariants from intervals and guesses.
    Control,
    /// Property-directed reachability, with invariants from intervals and guesses.
    Pdr,
    /// Predicate abstraction to a Boolean program with recursion.
    Predicates,
    /// Runs on drawn inputs, and the only run of programs without any.
    Testing,
}

impl Engine {
    /// All engines, by the names users give them.
    pub const NAMED: [(&'static str, Engine); 9] = [
        ("auto", Engine::Auto),
        ("intervals", Engine::Intervals),
        ("bmc", Engine::Bounded),
        ("kinduction", Engine::Induction),
        ("elements", Engine::Elements),
        ("control", Engine::Control),
        ("pdr", Engine::Pdr),
        ("predicates", Engine::Predicates),
        ("testing", Engine::Testing),
    ];

    /// The engine of a name.
    pub fn named(name: &str) -> Option<Engine> {
        Engine::NAMED.iter().find(|(own, _)| *own == name).map(|(_, engine)| *engine)
    }
}

/// What the user chose.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Which engine.
    pub engine: Engine,
    /// What missing functions are taken for.
    pub missing: Missing,
    /// The greatest number of rounds a loop is unrolled, if there is to be one.
    pub most_rounds: Option<u32>,
}
