//! Asks the engines for finite models by their names, `auto` among them.

use base::{Budget, Silent};
use check::engine::{FiniteSystem, named};
use check::safety::SafetyQuestion;
use lks::Composition;
use question::{Answer, Asks};

/// What can be asked to answer.
pub const ENGINES: [&str; 7] =
    ["auto", "explicit", "symbolic", "compositional", "learn1", "learn2", "two-level"];

/// The answer of that engine.
pub fn ask(system: &FiniteSystem<'_>, asks: Asks, engine: &str, budget: &Budget) -> Answer {
    assert!(ENGINES.contains(&engine), "no engine is called {engine}");
    check::ask(&system.question("bench", asks), named(engine), budget, &Silent)
}

/// Its answer about reachable states.
pub fn safety(system: &Composition, question: SafetyQuestion, engine: &str, budget: &Budget) -> Answer {
    let asks = match question {
        SafetyQuestion::Deadlock => Asks::NoDeadlock,
        SafetyQuestion::Error => Asks::NoError,
        SafetyQuestion::DeadlockOrError => Asks::NoErrorOrDeadlock,
    };
    ask(&FiniteSystem::new(system), asks, engine, budget)
}
