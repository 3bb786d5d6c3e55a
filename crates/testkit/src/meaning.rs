//! Whether a formula holds of an ultimately periodic word, straight from the definition of the operators.
//! This is the oracle that automata are tested against; it shares no code with the translation.
//! Fixpoints of U and R over the finitely many positions: after Markey and Schnoebelen 2003, section 3.

use automata::{LassoWord, Ltl};

/// Does the formula hold of the word?
pub fn satisfies(word: &LassoWord, formula: &Ltl) -> bool {
    assert!(!word.cycle.is_empty(), "an infinite word repeats something");
    positions_where(word, formula)[0]
}

/// At which positions does the formula hold?
pub fn positions_where(word: &LassoWord, formula: &Ltl) -> Vec<bool> {
    let all = |value: bool| vec![value; word.position_count()];
    let each = |f: &dyn Fn(usize) -> bool| (0..word.position_count()).map(f).collect::<Vec<bool>>();
    match formula {
        Ltl::True => all(true),
        Ltl::False => all(false),
        Ltl::Atom(atom) => each(&|i| word.letter(i).contains(atom)),
        Ltl::Not(a) => positions_where(word, a).iter().map(|value| !value).collect(),
        Ltl::And(a, b) => zip(&positions_where(word, a), &positions_where(word, b), |x, y| x && y),
        Ltl::Or(a, b) => zip(&positions_where(word, a), &positions_where(word, b), |x, y| x || y),
        Ltl::Next(a) => {
            let inner = positions_where(word, a);
            each(&|i| inner[word.successor(i)])
        }
        Ltl::Finally(b) => until(word, &all(true), &positions_where(word, b)),
        Ltl::Globally(b) => release(word, &all(false), &positions_where(word, b)),
        Ltl::Until(a, b) => until(word, &positions_where(word, a), &positions_where(word, b)),
        Ltl::Release(a, b) => release(word, &positions_where(word, a), &positions_where(word, b)),
        Ltl::WeakUntil(a, b) => {
            let (a, b) = (positions_where(word, a), positions_where(word, b));
            let strong = until(word, &a, &b);
            let always = release(word, &all(false), &a);
            zip(&strong, &always, |x, y| x || y)
        }
        Ltl::StrongRelease(a, b) => {
            let (a, b) = (positions_where(word, a), positions_where(word, b));
            let weak = release(word, &a, &b);
            let some = until(word, &all(true), &a);
            zip(&weak, &some, |x, y| x && y)
        }
    }
}

/// Least fixpoint of `b or (a and next)`.
fn until(word: &LassoWord, a: &[bool], b: &[bool]) -> Vec<bool> {
    fixpoint(word, false, |i, next| b[i] || (a[i] && next))
}

/// Greatest fixpoint of `b and (a or next)`.
fn release(word: &LassoWord, a: &[bool], b: &[bool]) -> Vec<bool> {
    fixpoint(word, true, |i, next| b[i] && (a[i] || next))
}

fn fixpoint(word: &LassoWord, start: bool, step: impl Fn(usize, bool) -> bool) -> Vec<bool> {
    let mut values = vec![start; word.position_count()];
    loop {
        let mut changed = false;
        for position in (0..word.position_count()).rev() {
            let value = step(position, values[word.successor(position)]);
            changed |= value != values[position];
            values[position] = value;
        }
        if !changed {
            return values;
        }
    }
}

fn zip(left: &[bool], right: &[bool], join: impl Fn(bool, bool) -> bool) -> Vec<bool> {
    left.iter().zip(right).map(|(x, y)| join(*x, *y)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use automata::{Atom, Letter};
    use base::Id;

    #[test]
    fn operators_mean_what_their_definitions_say() {
        let (p, q) = (Atom::from_index(0), Atom::from_index(1));
        let (lp, lq) = (Ltl::atom(p), Ltl::atom(q));
        // p p q (p)^ω
        let word = LassoWord {
            stem: vec![Letter::from([p]), Letter::from([p]), Letter::from([q])],
            cycle: vec![Letter::from([p])],
        };
        assert!(satisfies(&word, &lp.clone().until(lq.clone())));
        assert!(!satisfies(&word, &lp.clone().globally()));
        assert!(satisfies(&word, &lp.clone().globally().finally()));
        assert!(!satisfies(&word, &lq.clone().finally().globally()));
        assert!(satisfies(&word, &lq.clone().next().next()));
        assert!(!satisfies(&word, &lq.clone().release(lp.clone())), "p must still hold when q does");
        assert!(satisfies(&word, &lq.clone().release(lp.clone().or(lq.clone()))));
        assert!(!satisfies(&word, &Ltl::False.strong_release(Ltl::True)));
        assert!(satisfies(&word, &Ltl::True.weak_until(Ltl::False)));
    }
}
