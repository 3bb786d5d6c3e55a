//! Looking closer where something stays open: one level of precision after another, until all is decided or the levels
//! are used up. What one level excludes stays excluded, since every level speaks of all runs.

use crate::analysis::{Analysis, Finding, analyse};
use crate::domain::operators::Certainty;
use crate::precision::Precision;
use crate::settings::Settings;
use base::{Budget, Exhausted};
use program::{Origin, Program};

/// The levels that are gone through where the user names none, some with fewer steps than the level has.
const USUAL_LEVELS: [(u8, Option<u64>); 4] = [(1, None), (2, None), (3, Some(40_000)), (3, None)];
/// From this look on, one that decides nothing is the last.
const FEWEST_LOOKS: usize = 3;

/// The settings with each of the usual levels, the quickest first.
pub fn usual_levels(settings: &Settings) -> Vec<Settings> {
    let with = |(level, steps): (u8, Option<u64>)| {
        let precision = Precision::level(level);
        let precision = Precision { steps: steps.unwrap_or(precision.steps), ..precision };
        Settings { precision, ..settings.clone() }
    };
    USUAL_LEVELS.map(with).into()
}

/// Analyses with the first settings, then with the next as long as something is open in the user's own code and closer
/// looks decide something. A limit that is reached on a closer look ends the looking; on the first it is an error.
pub fn analyse_closely<'p>(
    program: &'p Program,
    levels: &'p [Settings],
    budget: &Budget,
) -> Result<Analysis<'p>, Exhausted> {
    let mut levels = levels.iter().enumerate();
    let (_, first) = levels.next().expect("there is a first level");
    let mut known = analyse(program, first, budget)?;
    let mut open = count_open(&known);
    for (looks, settings) in levels {
        // Threads leave nothing that keeping ways apart could help.
        if known.has_threads || open == 0 {
            break;
        }
        let Ok(closer) = analyse(program, settings, budget) else { break };
        known = both(&known, closer);
        let left = count_open(&known);
        if left == open && looks + 1 >= FEWEST_LOOKS {
            break;
        }
        open = left;
    }
    Ok(known)
}

/// How much is open in the user's own code.
fn count_open(analysis: &Analysis<'_>) -> usize {
    let is_users =
        |finding: &&Finding| analysis.program().procedures[finding.procedure].origin == Origin::User;
    let findings = analysis.findings.iter().filter(is_users);
    findings.filter(|finding| finding.certainty != Certainty::Excluded).count()
        + analysis.error_calls.iter().filter(|call| call.can_be_reached).count()
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
