//! The table of `verify`: which engine is asked, beside which others, when, with which share of the time.
//! Values of `--engine` choose rows of it.

use crate::predicates::PREDICATES;
use prove::{
    ALL_BLOCKS, ALL_ELEMENTS, ALL_RUNS, BMC, CONTROL_STATES, Code, DEEP_INDUCTION, DIVISION, EVENTS, GUESSES,
    INTERVALS, KEPT_GUESSES, LONG_RECURRENCE, LONG_RUNS, ONLY_RUN, PDR, RANKING, RECURRENCE,
    SHALLOW_INDUCTION, TESTING, TURNS, WRITTEN_INTERVALS,
};
use question::{Cycles, Engine, Property, Row, Share, When};

/// Engines of one lane come after each other; lanes run beside each other, but for the first, which comes
/// before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// What shows at once.
    First,
    /// Real runs.
    Runs,
    /// Runs with few switches between threads.
    Turns,
    /// Engines that prove.
    Proofs,
    /// The search from the start.
    Search,
}

/// A value of `--engine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice(&'static str);

impl Choice {
    /// All engines.
    pub const AUTO: Choice = Choice("auto");

    /// All values, each with what it means.
    pub fn all() -> Vec<(Choice, &'static str)> {
        let mut all = vec![(Choice::AUTO, "All of them: search and proof beside each other")];
        for row in table().into_iter().chain(endings()) {
            let engine = row.row.engine;
            let is_known = all.iter().any(|(choice, _)| choice.0 == engine.name());
            if row.chosen_by.contains(&engine.name()) && !is_known {
                all.push((Choice(engine.name()), engine.description()));
            }
        }
        all
    }

    /// The value of a name.
    pub fn named(name: &str) -> Option<Choice> {
        Choice::all().into_iter().map(|(choice, _)| choice).find(|choice| choice.0 == name)
    }

    /// Does it choose engines that say whether something fails?
    pub(crate) fn is_about_failures(self) -> bool {
        table().iter().any(|row| row.is_chosen_by(self))
    }

    /// As users write it.
    pub fn name(self) -> &'static str {
        self.0
    }
}

/// A row of the table.
pub struct Placed<'p> {
    /// Its lane.
    pub lane: Lane,
    /// The values of `--engine` that ask it.
    chosen_by: &'static [&'static str],
    /// Engine, condition, time.
    pub row: Row<'p, Code<'p>>,
    /// Does it know, from the middle of a run, which blocks there are and what was written?
    pub follows_memory: bool,
}

impl Placed<'_> {
    /// Is it asked?
    pub fn is_chosen_by(&self, choice: Choice) -> bool {
        self.chosen_by.contains(&choice.0)
    }
}

/// The table.
#[rustfmt::skip]
pub fn table<'p>() -> Vec<Placed<'p>> {
    use Lane::{First, Proofs, Runs, Search, Turns};
    const ALL: Share = Share::ALL;
    // A proof that can be checked without the analysis is the better one, if it takes little time.
    const FOR_VALUES: Share = Share::part(5, 60).unless_better_within(10, 3);
    let on_blocks = &["auto", "k-induction", "elements", "objects", "control", "pdr"];
    let with_values = &["auto", "intervals", "k-induction", "elements", "objects", "control", "pdr"];
    vec![
        row(First,  &TESTING,           &["auto", "testing"],                 always(),         ALL),
        row(First,  &ONLY_RUN,          &["auto", "testing"],                 always(),         ALL),
        row(First,  &ALL_RUNS,          &["auto", "all-runs"],                threads(),        Share::part(3, 120)),
        row(Runs,   &LONG_RUNS,         &["auto"],                            always(),         ALL),
        row(Turns,  &EVENTS,            &["auto", "events"],                  threads(),        Share::part(4, 30)),
        row(Turns,  &TURNS,             &["auto", "turns"],                   threads(),        Share::part(2, 300)),
        row(Turns,  &EVENTS,            &["auto", "events"],                  threads(),        ALL),
        row(Search, &BMC,               &["auto", "bmc", "k-induction"],      always(),         ALL),
        row(Proofs, &INTERVALS,         with_values,                          always(),         FOR_VALUES),
        row(Proofs, &DIVISION,          on_blocks,                            by_values(),      Share::part(3, 60).unhurried()),
        row(Proofs, &DIVISION,          on_blocks,                            not_by_values(),  ALL),
        row(Proofs, &KEPT_GUESSES,      &["elements", "objects", "control", "pdr"], always(),         ALL),
        row(Proofs, &GUESSES,           &["auto", "k-induction"],             always(),         ALL),
        row(Proofs, &ALL_ELEMENTS,      &["auto", "k-induction", "elements"], always(),         Share::part(3, 40)),
        row(Proofs, &ALL_BLOCKS,        &["auto", "k-induction", "objects"],  always(),         Share::part(2, 60)),
        row(Proofs, &SHALLOW_INDUCTION, &["auto", "k-induction"],             always(),         ALL),
        row(Proofs, &CONTROL_STATES,    &["auto", "control"],                 always(),         Share::part(3, 60)),
        row(Proofs, &PREDICATES,        &["auto"],                            recursion(),      Share::part(2, 300)),
        row(Proofs, &PDR,               &["auto", "pdr"],                     always(),         ALL),
        row(Proofs, &DEEP_INDUCTION,    &["auto", "k-induction"],             always(),         ALL),
        row(Proofs, &PREDICATES,        &["auto", "predicates"],              not_abstracted(), ALL),
        row(Proofs, &WRITTEN_INTERVALS, on_blocks,                            by_values(),      Share::part(2, 60).unhurried()),
    ]
}

/// The table for the question whether every run ends.
#[rustfmt::skip]
pub fn endings<'p>() -> Vec<Placed<'p>> {
    use Lane::{First, Proofs, Runs};
    const ALL: Share = Share::ALL;
    vec![
        row(First,  &RECURRENCE,      &["auto", "recurrence"], always(), ALL),
        row(First,  &ONLY_RUN,        &["auto", "testing"],    always(), ALL),
        row(Runs,   &LONG_RECURRENCE, &["auto", "recurrence"], always(), ALL),
        row(Proofs, &INTERVALS,       &["auto", "ranking"],    always(), Share::part(5, 60)),
        row(Proofs, &DIVISION,        &["auto", "ranking"],    always(), ALL),
        row(Proofs, &KEPT_GUESSES,    &["auto", "ranking"],    always(), Share::part(3, 60)),
        row(Proofs, &RANKING,         &["auto", "ranking"],    always(), ALL),
    ]
}

/// The table for a program times the automaton of what a formula forbids, where an endless run may be forbidden. Real runs
/// are made beside it, of the program alone.
#[rustfmt::skip]
pub fn endless<'p>() -> Vec<Placed<'p>> {
    use Lane::{First, Proofs, Search};
    const ALL: Share = Share::ALL;
    vec![
        row(First,  &ONLY_RUN,        &["auto", "testing"],    always(), ALL),
        row(Search, &BMC,             &["auto", "bmc"],        always(), Share::part(3, 60)),
        row(Proofs, &INTERVALS,       &["auto", "ranking"],    always(), Share::part(5, 60)),
        row(Proofs, &DIVISION,        &["auto", "ranking"],    always(), ALL),
        row(Proofs, &KEPT_GUESSES,    &["auto", "ranking"],    always(), Share::part(3, 60)),
        row(Proofs, &RANKING,         &["auto", "ranking"],    always(), ALL),
    ]
}

/// The same where only runs that come to a place are forbidden.
#[rustfmt::skip]
pub fn places<'p>() -> Vec<Placed<'p>> {
    use Lane::{First, Proofs, Search};
    const ALL: Share = Share::ALL;
    let on_blocks = &["auto", "k-induction", "elements", "objects", "control", "pdr"];
    vec![
        row(First,  &ONLY_RUN,          &["auto", "testing"],                 always(),         ALL),
        row(Search, &BMC,               &["auto", "bmc", "k-induction"],      always(),         ALL),
        row(Proofs, &INTERVALS,         on_blocks,                            always(),         Share::part(5, 60)),
        row(Proofs, &DIVISION,          on_blocks,                            always(),         ALL),
        row(Proofs, &KEPT_GUESSES,      &["elements", "objects", "control", "pdr"], always(),   ALL),
        row(Proofs, &GUESSES,           &["auto", "k-induction"],             always(),         ALL),
        row(Proofs, &ALL_ELEMENTS,      &["auto", "k-induction", "elements"], always(),         Share::part(3, 40)),
        row(Proofs, &ALL_BLOCKS,        &["auto", "k-induction", "objects"],  always(),         Share::part(2, 60)),
        row(Proofs, &SHALLOW_INDUCTION, &["auto", "k-induction"],             always(),         ALL),
        row(Proofs, &CONTROL_STATES,    &["auto", "control"],                 always(),         Share::part(3, 60)),
        row(Proofs, &PDR,               &["auto", "pdr"],                     always(),         ALL),
        row(Proofs, &DEEP_INDUCTION,    &["auto", "k-induction"],             always(),         ALL),
    ]
}

/// The table for a question.
pub fn table_for<'p>(property: &Property) -> Vec<Placed<'p>> {
    match (property.endless_runs, &property.cycles) {
        (false, _) => table(),
        (true, Cycles::Forbidden) => endings(),
        (true, Cycles::Marked { .. }) => endless(),
        (true, Cycles::Allowed) => places(),
    }
}

fn row<'p>(
    lane: Lane,
    engine: &'p dyn Engine<Code<'p>>,
    chosen_by: &'static [&'static str],
    when: When<Code<'p>>,
    share: Share,
) -> Placed<'p> {
    // Predicates are about calls that are not followed, and nobody says what these allocate.
    let follows_memory = engine.name() != PREDICATES.name();
    Placed { lane, chosen_by, row: Row { engine, when, share }, follows_memory }
}

fn always<'p>() -> When<Code<'p>> {
    When { applies: |_, _| true, because: "it is asked of every program" }
}

fn threads<'p>() -> When<Code<'p>> {
    When {
        applies: |question, _| question.about.chooses_threads(),
        because: "a scheduler's choices have two values each",
    }
}

fn by_values<'p>() -> When<Code<'p>> {
    When {
        applies: |question, _| question.about.holds_by_values(),
        because: "values exclude every failure, and a proof that can be checked is the better one",
    }
}

fn not_by_values<'p>() -> When<Code<'p>> {
    When {
        applies: |question, _| !question.about.holds_by_values(),
        because: "values alone do not exclude every failure",
    }
}

fn recursion<'p>() -> When<Code<'p>> {
    When {
        applies: |question, _| question.about.has_contracts(),
        because: "where procedures call themselves, predicates say what contracts of fixed shapes do not",
    }
}

fn not_abstracted<'p>() -> When<Code<'p>> {
    When {
        applies: |question, _| !question.about.has_boolean() && !question.about.holds_by_values(),
        because: "the others did not answer",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_name_the_engines_of_the_table() {
        let text = include_str!("../../../docs/VERIFY.md");
        let rows =
            Choice::all().into_iter().map(|(choice, what)| format!("| `{}` | {what} |\n", choice.name()));
        let list: String = rows.collect();
        assert!(text.contains(&list), "docs/VERIFY.md should have this list:\n{list}");
    }

    #[test]
    fn every_choice_has_rows_and_every_row_a_choice() {
        let names: Vec<&str> = Choice::all().iter().map(|(choice, _)| choice.name()).collect();
        for row in table().into_iter().chain(endings()) {
            assert!(!row.chosen_by.is_empty() && row.chosen_by.iter().all(|name| names.contains(name)));
        }
        assert_eq!(Choice::named("pdr").map(Choice::name), Some("pdr"));
        assert_eq!(Choice::named("guesses"), None);
    }
}
