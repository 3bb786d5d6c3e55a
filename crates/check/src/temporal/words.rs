//! State/event formulas as formulas over infinite words, for whoever wants their automata.

use super::formula::completed;
use automata::Ltl;
use base::Id;
use spec::{Atom, Formula};

/// The formula over infinite words alone, and the names of its atoms. Paths that end have no meaning in it.
pub fn over_infinite_words(formula: &Formula) -> (Ltl, Vec<String>) {
    let (completed, mut names) = with_finite_paths(formula);
    let stopped = automata::Atom::from_index(names.len() - 1);
    names.pop();
    (never_stopped(&completed, stopped), names)
}

/// The formula over words that stand for maximal paths, those that end included, and the names of its atoms.
/// The last atom, `deadlock`, holds for ever after the end of a path;
/// [`runs_of_automaton`](super::runs_of_automaton) knows it by that name.
pub fn with_finite_paths(formula: &Formula) -> (Ltl, Vec<String>) {
    let atoms: Vec<Atom> = formula.atoms().into_iter().collect();
    let mut names: Vec<String> = atoms.iter().map(Atom::to_string).collect();
    names.push("deadlock".to_owned());
    (completed(formula, &atoms), names)
}

/// The formula where the atom is false.
fn never_stopped(formula: &Ltl, stopped: automata::Atom) -> Ltl {
    let of = |f: &Ltl| never_stopped(f, stopped);
    match formula {
        Ltl::Atom(atom) if *atom == stopped => Ltl::False,
        Ltl::True | Ltl::False | Ltl::Atom(_) => formula.clone(),
        Ltl::Not(f) => of(f).negated(),
        Ltl::And(f, g) => of(f).and(of(g)),
        Ltl::Or(f, g) => of(f).or(of(g)),
        Ltl::Next(f) => of(f).next(),
        Ltl::Until(f, g) => of(f).until(of(g)),
        Ltl::WeakUntil(f, g) => of(f).weak_until(of(g)),
        Ltl::Release(f, g) => of(f).release(of(g)),
        Ltl::StrongRelease(f, g) => of(f).strong_release(of(g)),
        Ltl::Finally(f) => of(f).finally(),
        Ltl::Globally(f) => of(f).globally(),
    }
}
