//! Looking closer where something stays open: one level of precision after another, until all is decided or the levels
//! are used up. What one level excludes stays excluded, since every level speaks of all runs.

use crate::analysis::{Analysis, Finding, analyse};
use crate::domain::operators::Certainty;
use crate::precision::Precision;
use crate::settings::Settings;
use base::{Budget, Exhausted};
use program::{Origin, Program};

/// The levels that are gone through where the user names none.
const USUAL_LEVELS: [u8; 3] = [1, 2, 3];

/// The settings with each of the usual levels, the quickest first.
pub fn usual_levels(settings: &Settings) -> Vec<Settings> {
    let with = |level| Settings { precision: Precision::level(level), ..settings.clone() };
    USUAL_LEVELS.map(with).into()
}

/// Analyses with the first settings, then with the next as long as something is open in the user's own code. A limit
/// that is reached on a closer look ends the looking; on the first it is an error.
pub fn analyse_closely<'p>(
    program: &'p Program,
    levels: &'p [Settings],
    budget: &Budget,
) -> Result<Analysis<'p>, Exhausted> {
    let mut levels = levels.iter();
    let first = levels.next().expect("there is a first level");
    let mut known = analyse(program, first, budget)?;
    for settings in levels {
        // Threads leave nothing that keeping ways apart could help.
        if known.has_threads || !has_open(&known) {
            break;
        }
        match analyse(program, settings, budget) {
            Ok(closer) => known = both(&known, closer),
            Err(_) => break,
        }
    }
    Ok(known)
}

fn has_open(analysis: &Analysis<'_>) -> bool {
    let is_users =
        |finding: &&Finding| analysis.program().procedures[finding.procedure].origin == Origin::User;
    analysis.findings.iter().filter(is_users).any(|finding| finding.certainty != Certainty::Excluded)
        || analysis.error_calls.iter().any(|call| call.can_be_reached)
}

/// The closer analysis, with what the other excludes.
fn both<'p>(coarser: &Analysis<'_>, mut closer: Analysis<'p>) -> Analysis<'p> {
    for finding in closer.findings.iter_mut().filter(|one| one.certainty != Certainty::Excluded) {
        let is_same = |other: &&Finding| {
            other.procedure == finding.procedure
                && other.edge == finding.edge
                && other.kind == finding.kind
                && other.about == finding.about
        };
        // Of places that no run gets to, nothing is said.
        let is_excluded = match coarser.findings.iter().find(is_same) {
            Some(other) => other.certainty == Certainty::Excluded,
            None => coarser.at(finding.procedure, closer_from(coarser, finding)).is_none(),
        };
        if is_excluded {
            finding.certainty = Certainty::Excluded;
            finding.detail.clear();
        }
    }
    for call in closer.error_calls.iter_mut().filter(|call| call.can_be_reached) {
        let other = { coarser.error_calls.iter() }
            .find(|other| other.procedure == call.procedure && other.edge == call.edge);
        call.can_be_reached = other.is_none_or(|other| other.can_be_reached);
    }
    closer
}

/// Where the step of a finding begins.
fn closer_from(analysis: &Analysis<'_>, finding: &Finding) -> program::NodeId {
    let body = analysis.program().procedures[finding.procedure].body.as_ref();
    body.expect("findings are in bodies").edges[finding.edge].from
}
