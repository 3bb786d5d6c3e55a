//! Can a formula tell how many silent steps a path has between the others? If not, silent steps that change
//! nothing may be left out. Decided by the formula's shape: sound, not complete. Two paths are alike here if
//! one becomes the other by repeating positions silently: `(P, e)` may become `(P, silent)…(P, silent)(P,
//! e)`. By induction over the formula, at positions both paths have it has the same value; what is known of
//! the repeated ones is the kind: blind: there the value is that of the position they lead to; quiet: there
//! it is false, as with events;    loud: there it is true, as with negated events. Until needs what it waits
//! for not to come too early by a repeated position, and what must hold until then to hold there as well. `X`
//! counts positions, so it is never blind. Tested by `engines_agree_on_formulas`, which compares with systems
//! that are not minimised.

use spec::{Atom, Formula};

/// What is known of a formula's value at repeated positions. Nothing may be known: then all are false.
#[derive(Clone, Copy, Default)]
struct Kind {
    blind: bool,
    quiet: bool,
    loud: bool,
}

const BLIND: Kind = Kind { blind: true, quiet: false, loud: false };

impl Kind {
    fn negated(self) -> Kind {
        Kind { blind: self.blind, quiet: self.loud, loud: self.quiet }
    }

    fn and(self, other: Kind) -> Kind {
        Kind {
            blind: self.blind && other.blind,
            quiet: self.quiet || other.quiet,
            loud: self.loud && other.loud,
        }
    }

    fn or(self, other: Kind) -> Kind {
        self.negated().and(other.negated()).negated()
    }

    /// `self U goal`, and `self W goal`; `None` if repeated positions could make a difference.
    fn until(self, goal: Kind) -> Option<Kind> {
        let is_same = (self.loud && (goal.quiet || goal.blind)) || (self.blind && goal.blind);
        is_same.then_some(BLIND)
    }
}

/// True only if the formula holds of a path exactly when it holds of the path with silent steps that change
/// nothing left out, or put in.
pub fn is_blind_to_silence(formula: &Formula) -> bool {
    kind(formula).is_some_and(|kind| kind.blind)
}

/// `None` if the formula's value may change even at positions that both paths have.
fn kind(formula: &Formula) -> Option<Kind> {
    let (no, yes) = (Kind { quiet: true, ..BLIND }, Kind { loud: true, ..BLIND });
    Some(match formula {
        Formula::True => yes,
        Formula::False => no,
        Formula::Atom(Atom::Proposition(_)) => BLIND,
        // The event of that name is silence itself.
        Formula::Atom(Atom::Event(name)) if **name == *lks::Alphabet::TAU_NAME => return None,
        Formula::Atom(Atom::Event(_)) => Kind { blind: false, quiet: true, loud: false },
        Formula::Not(f) => kind(f)?.negated(),
        Formula::And(f, g) => kind(f)?.and(kind(g)?),
        Formula::Or(f, g) => kind(f)?.or(kind(g)?),
        Formula::Implies(f, g) => kind(f)?.negated().or(kind(g)?),
        Formula::Iff(f, g) => {
            let (f, g) = (kind(f)?, kind(g)?);
            f.and(g).or(f.negated().and(g.negated()))
        }
        Formula::Next(_) => return None,
        Formula::Eventually(f) => yes.until(kind(f)?)?,
        Formula::Always(f) => yes.until(kind(f)?.negated())?,
        Formula::Until(f, g) | Formula::WeakUntil(f, g) => kind(f)?.until(kind(g)?)?,
        Formula::Release(f, g) => kind(f)?.negated().until(kind(g)?.negated())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_blind(text: &str) -> bool {
        is_blind_to_silence(&Formula::parse(text, 0).expect("well formed"))
    }

    #[test]
    fn shapes_that_cannot_count_are_blind() {
        for blind in ["G (a => F b)", "!b U a", "[p] U [q]", "F ([p] & a)", "G F a & G [p]", "!a W b"] {
            assert!(is_blind(blind), "{blind}");
        }
        // The value of these changes when a silent step is put in front.
        for not in ["a", "X [p]", "[p] U a", "F !a", "G a", "a U [p]"] {
            assert!(!is_blind(not), "{not}");
        }
    }
}
