//! Formulas that hold for too little reason. After Beer, Ben-David, Eisner, Rodeh 1997 and Kupferman and
//! Vardi 2003: an occurrence of an atom plays no role if the formula still holds when it is replaced by what
//! makes the formula hardest, `false` where the occurrence counts positively and `true` where it counts
//! negatively.
//!
//! Worked example: `G (request -> F answer)` holds of a system that never does `request`. With `answer`
//! (positive) replaced by `false` it says that there is no request, and still holds: `answer` plays no role.

use super::formula::{TemporalSettings, Vacuity, decide};
use crate::stopped::Stopped;
use crate::view::Viewed;
use question::Monitor;
use spec::Formula;
use std::sync::Arc;

/// One remark per occurrence that plays no role, in a formula that holds.
pub(super) fn idle_parts<S: Viewed>(
    system: &S,
    formula: &Formula,
    settings: &TemporalSettings,
    monitor: Monitor<'_>,
) -> Result<Vec<String>, Stopped> {
    let settings = TemporalSettings { vacuity: Vacuity::NotAsked, ..settings.clone() };
    let mut remarks = Vec::new();
    let occurrences = count_atoms(formula);
    for occurrence in 0..occurrences {
        let mut replacement = Replacement { occurrence, met: 0, atom: String::new() };
        // Under an equivalence an occurrence counts both ways; it is left alone.
        let Some(harder) = replacement.apply(formula, Some(true)) else { continue };
        if decide(system, &harder, &settings, monitor)?.verdict.holds() {
            remarks.push(format!(
                "holds vacuously: `{}` (occurrence {}) plays no role, `{harder}` holds as well",
                replacement.atom,
                occurrence + 1
            ));
        }
    }
    Ok(remarks)
}

fn count_atoms(formula: &Formula) -> usize {
    match formula {
        Formula::Atom(_) => 1,
        _ => formula.children().map(count_atoms).sum(),
    }
}

struct Replacement {
    occurrence: usize,
    met: usize,
    atom: String,
}

impl Replacement {
    /// The formula with the occurrence replaced; `None` if it has no single polarity. Atoms are met left to
    /// right.
    fn apply(&mut self, formula: &Formula, positive: Option<bool>) -> Option<Formula> {
        let mut same = |f: &Arc<Formula>| self.apply(f, positive).map(Arc::new);
        Some(match formula {
            Formula::True => Formula::True,
            Formula::False => Formula::False,
            Formula::Atom(atom) => {
                self.met += 1;
                if self.met - 1 != self.occurrence {
                    return Some(formula.clone());
                }
                self.atom = atom.to_string();
                return positive.map(|positive| if positive { Formula::False } else { Formula::True });
            }
            Formula::Not(f) => Formula::Not(Arc::new(self.apply(f, positive.map(|p| !p))?)),
            Formula::Implies(f, g) => {
                let left = self.apply(f, positive.map(|p| !p))?;
                Formula::Implies(Arc::new(left), Arc::new(self.apply(g, positive)?))
            }
            Formula::Iff(f, g) => {
                let left = self.apply(f, None)?;
                Formula::Iff(Arc::new(left), Arc::new(self.apply(g, None)?))
            }
            Formula::And(f, g) => Formula::And(same(f)?, same(g)?),
            Formula::Or(f, g) => Formula::Or(same(f)?, same(g)?),
            Formula::Next(f) => Formula::Next(same(f)?),
            Formula::Eventually(f) => Formula::Eventually(same(f)?),
            Formula::Always(f) => Formula::Always(same(f)?),
            Formula::Until(f, g) => Formula::Until(same(f)?, same(g)?),
            Formula::WeakUntil(f, g) => Formula::WeakUntil(same(f)?, same(g)?),
            Formula::Release(f, g) => Formula::Release(same(f)?, same(g)?),
        })
    }
}
