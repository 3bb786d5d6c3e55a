//! The rounds of refinement in words, for reports: the path that was followed, where it turned out to be
//! impossible, and the predicates that this led to.

use super::divide::Divided;
use super::follow::{Segment, Stop};
use base::Span;
use predicate::procedure::BooleanProgram;
use question::Round;
use std::collections::BTreeSet;

/// Of more rounds, the first ones are told.
const MOST_ROUNDS_TOLD: usize = 100;
/// Of a longer path, its first places are told.
const MOST_PLACES_TOLD: usize = 40;

/// What the rounds were so far.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub rounds: Vec<Round>,
    /// The predicates of the last round.
    known: BTreeSet<String>,
}

impl Told {
    /// A Boolean program is going to be checked: what it has that the last one had not is what was found.
    pub fn begin(&mut self, boolean: &BooleanProgram) {
        if self.rounds.len() >= MOST_ROUNDS_TOLD {
            return;
        }
        let variables = &boolean.program.variables();
        let names: BTreeSet<String> =
            boolean.predicate_of.keys().map(|&id| without_braces(&variables[id].name)).collect();
        if let Some(last) = self.rounds.last_mut() {
            last.found = names.difference(&self.known).cloned().collect();
        }
        self.rounds.push(Round { states: boolean.nodes.len(), predicates: names.len(), ..Round::default() });
        self.known = names;
    }

    /// Its counterexample is none of the program.
    pub fn spurious(&mut self, divided: &Divided<'_, '_>, path: &Segment) {
        // Of those that are not told, the last one that is knows nothing.
        let Some(round) = self.rounds.last_mut().filter(|round| round.why.is_empty()) else { return };
        let mut places = Vec::new();
        collect(path, &mut places);
        let place = |stop: &&Stop| {
            let cut = &divided.system.cuts[stop.cut];
            format!("{}{}", cut.name, at(divided, cut.span))
        };
        round.counterexample = places.iter().take(MOST_PLACES_TOLD).map(place).collect();
        let left_out = places.len().saturating_sub(MOST_PLACES_TOLD);
        if left_out > 0 {
            round.counterexample.push(format!("… {left_out} places more"));
        }
        let last = places.last().map(place).unwrap_or_default();
        round.why = vec![format!(
            "the path condition is unsatisfiable: no run of the program goes this way past {last}"
        )];
    }
}

fn at(divided: &Divided<'_, '_>, span: Span) -> String {
    divided.program.sources.location(span).map_or_else(String::new, |at| format!(" at {at}"))
}

/// The places of a path in order, those of calls behind the call.
fn collect<'s>(segment: &'s Segment, places: &mut Vec<&'s Stop>) {
    for stop in &segment.stops {
        places.push(stop);
        if let Some(call) = &stop.call {
            collect(call, places);
        }
    }
}

/// `{loop at 12: x >= 0}` without what makes it one name.
fn without_braces(name: &str) -> String {
    name.trim_start_matches('{').trim_end_matches('}').to_owned()
}
