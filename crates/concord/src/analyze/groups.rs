//! What is told, in the order in which it matters: what a run shows, what happens whenever it is reached, calls that mean
//! an error, what is possible. Warnings with one cause (one kind, one function, one variable that is out of range or may
//! be null) are told once, with the other lines they are at.

use super::claims::{Claim, Kind};
use intervals::{Analysis, Certainty};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Lines that are named of a group; the others are counted.
const MOST_LINES: usize = 12;

/// Claims with one cause, the first of them first.
pub struct Group<'c> {
    /// The one that is told.
    pub first: &'c Claim,
    /// The others.
    pub others: Vec<&'c Claim>,
}

/// How much a claim matters, the least first in order.
fn rank(claim: &Claim) -> u8 {
    match claim.kind {
        _ if claim.answer.verdict.is_violated() => 0,
        Kind::Mistake(Certainty::Definite) => 1,
        Kind::ErrorCall(_) if claim.answer.verdict.is_undecided() => 2,
        Kind::Mistake(Certainty::Possible) => 3,
        Kind::ConstantCondition(_) | Kind::Unreachable => 4,
        Kind::Mistake(Certainty::Excluded) | Kind::ErrorCall(_) => 5,
    }
}

/// The claims in groups, what matters most first; in one rank as the program has them.
pub fn groups<'c>(claims: impl Iterator<Item = &'c Claim>) -> Vec<Group<'c>> {
    let mut found: Vec<Group<'c>> = Vec::new();
    for claim in claims {
        let subject = claim.why.as_ref().map(|why| &why.subject);
        let is_same = |group: &&mut Group<'c>| {
            group.first.rule == claim.rule
                && group.first.procedure == claim.procedure
                && rank(group.first) == rank(claim)
                && rank(claim) == 3
                && group.first.why.as_ref().map(|why| &why.subject) == subject
        };
        match found.iter_mut().find(is_same).filter(|_| subject.is_some()) {
            Some(group) => group.others.push(claim),
            None => found.push(Group { first: claim, others: Vec::new() }),
        }
    }
    found.sort_by_key(|group| rank(group.first));
    found
}

impl Group<'_> {
    /// The claim with its reason, and where else it is.
    pub fn message(&self, analysis: &Analysis<'_>) -> String {
        let mut text = self.first.message.clone();
        let location = |span: base::Span| analysis.program().sources.location(span);
        if let Some(why) = &self.first.why {
            if !why.text.is_empty() {
                let _ = write!(text, "; {}", why.text);
            }
            if let Some((value, span)) = &why.origin
                && let Some(place) = location(*span)
            {
                let _ = write!(text, "; {value} comes from line {}", place.line);
            }
        }
        if self.others.is_empty() {
            return text;
        }
        let mut lines: Vec<u32> =
            { self.others.iter() }.filter_map(|claim| Some(location(claim.span)?.line)).collect();
        lines.sort_unstable();
        lines.dedup();
        let shown: Vec<String> = lines.iter().take(MOST_LINES).map(u32::to_string).collect();
        let more = if lines.len() > MOST_LINES { " and others" } else { "" };
        let noun = if lines.len() == 1 { "line" } else { "lines" };
        let times =
            if self.others.len() == 1 { "once more" } else { &format!("{} times more", self.others.len()) };
        let _ = write!(text, "; the same {times}, in {noun} {}{more}", shown.join(", "));
        text
    }
}

/// What became of each kind: how many places are excluded by the analysis, by a proof, shown by a run, open.
pub fn table(claims: &[Claim]) -> String {
    let mut rows: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    for claim in claims {
        let column = match (claim.kind, claim.is_accepted) {
            (Kind::ConstantCondition(_) | Kind::Unreachable, _) => continue,
            (_, true) => 4,
            _ if claim.answer.verdict.holds() => usize::from(claim.answer.engine != "intervals"),
            _ if claim.answer.verdict.is_violated() => 2,
            _ => 3,
        };
        rows.entry(claim.rule).or_default()[column] += 1;
    }
    // Of kinds that are excluded everywhere the last line tells.
    rows.retain(|_, counts| counts[1..].iter().any(|&count| count > 0));
    if rows.is_empty() {
        return String::new();
    }
    let names = ["excluded", "proved", "shown by a run", "open", "accepted"];
    let used: Vec<usize> = (0..names.len())
        .filter(|&at| matches!(at, 0 | 3) || rows.values().any(|counts| counts[at] > 0))
        .collect();
    let width = rows.keys().map(|name| name.len()).max().unwrap_or(0);
    let mut text = format!("{:width$}", "");
    for &at in &used {
        let _ = write!(text, "  {}", names[at]);
    }
    text.push('\n');
    for (name, counts) in rows {
        let _ = write!(text, "{name:width$}");
        for &at in &used {
            let _ = write!(text, "  {:>1$}", counts[at], names[at].len());
        }
        text.push('\n');
    }
    text
}
