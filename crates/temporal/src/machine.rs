//! The Büchi automaton of what a formula forbids, and what it does with words whose last letter repeats.

use automata::{Acceptance, Automaton, Guard, Guards, LassoWord, Literal, Location, Variable, translate};
use base::{Budget, Id, IndexVec};
use check::temporal::{over_infinite_words, with_finite_paths};
use question::FiniteRuns;
use spec::{Atom, Formula};
use std::collections::BTreeSet;
use std::sync::Arc;
use verdict::Reason;

/// More atoms than these make too many letters.
const MOST_ATOMS: usize = 12;
/// More states than these are too many for the product.
const MOST_STATES: usize = 60;

/// The automaton, with accepting states: every edge that leaves one is marked.
pub(crate) struct Machine {
    pub automaton: Automaton,
    /// What the variables of its guards are; one behind them says that the run is over.
    pub atoms: Vec<Atom>,
    /// States in which everything is accepted.
    pub accepts_all: IndexVec<Location, bool>,
    /// The last letters with which a run may end in a state, and is forbidden.
    pub ends: IndexVec<Location, Guard>,
    /// The letters that may repeat for ever in a state, and the run is forbidden.
    pub stays: IndexVec<Location, Guard>,
    /// At most one edge for each letter from every state?
    pub is_deterministic: bool,
}

/// The automaton of the runs of which the formula does not hold.
pub(crate) fn forbidden(
    formula: &Formula,
    finite_runs: FiniteRuns,
    budget: &Budget,
) -> Result<Machine, Reason> {
    let negated = formula.clone().negate();
    let atoms: Vec<Atom> = negated.atoms().into_iter().collect();
    if atoms.len() > MOST_ATOMS {
        return Err(Reason::SizeLimit { what: "atoms of the formula", limit: MOST_ATOMS as u64 });
    }
    // Without X, what holds when the last letter repeats holds of the run that ends.
    let is_over = finite_runs == FiniteRuns::Count && uses_next(&negated);
    let (ltl, names) = if is_over { with_finite_paths(&negated) } else { over_infinite_words(&negated) };
    let mut automaton = translate(&ltl, &names, Acceptance::States, budget).map_err(too_large)?;
    if automaton.state_count() > MOST_STATES {
        return Err(Reason::SizeLimit {
            what: "states of the formula's automaton",
            limit: MOST_STATES as u64,
        });
    }
    let is_deterministic = automaton.is_deterministic();
    let count = automaton.state_count();
    let mut machine = Machine {
        accepts_all: IndexVec::filled(false, count),
        ends: IndexVec::filled(Guard::FALSE, count),
        stays: IndexVec::filled(Guard::FALSE, count),
        automaton,
        atoms,
        is_deterministic,
    };
    machine.find_accepting();
    machine.find_letters(is_over);
    if finite_runs == FiniteRuns::Ignore {
        machine.ends = IndexVec::filled(Guard::FALSE, count);
    }
    // A run that goes on is never over.
    if is_over {
        machine.leave_out_the_end();
    }
    Ok(machine)
}

fn too_large(why: automata::CannotTranslate) -> Reason {
    match why {
        automata::CannotTranslate::Exhausted(why) => why.into(),
        _ => Reason::SizeLimit {
            what: "acceptance conditions of the formula",
            limit: automata::Marks::MOST.into(),
        },
    }
}

fn uses_next(formula: &Formula) -> bool {
    matches!(formula, Formula::Next(_)) || formula.children().any(uses_next)
}

impl Machine {
    /// Is the edge marked? Acceptance is a matter of states.
    pub fn is_marked(&self, edge: &automata::Edge) -> bool {
        edge.marks == automata::Marks::all(self.automaton.marks)
    }

    /// A state with one edge, back to itself, marked, on every letter.
    fn find_accepting(&mut self) {
        for state in self.automaton.edges.ids().collect::<Vec<_>>() {
            let mut all = Guard::FALSE;
            for edge in self.automaton.edges[state].clone() {
                if edge.to == state && self.is_marked(&edge) {
                    all = self.automaton.guards.or(all, edge.guard);
                }
            }
            self.accepts_all[state] = all == Guard::TRUE;
        }
    }

    fn find_letters(&mut self, is_over: bool) {
        let count = self.atoms.len();
        let over = automata::Atom::from_index(count);
        for bits in 0u32..1 << count {
            let holds = |at: usize| bits >> at & 1 == 1;
            // No event happens any more.
            if (0..count).any(|at| holds(at) && matches!(self.atoms[at], Atom::Event(_))) {
                continue;
            }
            let letter: BTreeSet<automata::Atom> =
                (0..count).filter(|&at| holds(at)).map(automata::Atom::from_index).collect();
            let cube: Vec<Literal> = (0..count)
                .filter(|&at| matches!(self.atoms[at], Atom::Proposition(_)))
                .map(|at| Literal { variable: Variable::from_index(at), value: holds(at) })
                .collect();
            let cube = self.automaton.guards.cube(&cube);
            let repeated = LassoWord { stem: Vec::new(), cycle: vec![letter.clone()] };
            let ended = LassoWord { stem: vec![letter], cycle: vec![BTreeSet::from([over])] };
            for state in self.automaton.edges.ids().collect::<Vec<_>>() {
                let stays = self.automaton.accepts_from(&[state], &repeated);
                let ends = if is_over { self.automaton.accepts_from(&[state], &ended) } else { stays };
                if stays {
                    self.stays[state] = self.automaton.guards.or(self.stays[state], cube);
                }
                if ends {
                    self.ends[state] = self.automaton.guards.or(self.ends[state], cube);
                }
            }
        }
    }

    fn leave_out_the_end(&mut self) {
        let over = Variable::from_index(self.atoms.len());
        let going_on = self.automaton.guards.literal(Literal { variable: over, value: false });
        for state in self.automaton.edges.ids().collect::<Vec<_>>() {
            for at in 0..self.automaton.edges[state].len() {
                let guard = self.automaton.edges[state][at].guard;
                self.automaton.edges[state][at].guard = self.automaton.guards.and(guard, going_on);
            }
            self.automaton.edges[state].retain(|edge| edge.guard != Guard::FALSE);
        }
    }

    /// The letters of a guard, when this event happens (or none), over propositions alone: what must hold of them.
    pub fn cubes(&mut self, guard: Guard, event: Option<&Arc<str>>) -> Vec<Vec<(Arc<str>, bool)>> {
        let guards: &mut Guards = &mut self.automaton.guards;
        let mut fixed = guard;
        for (at, atom) in self.atoms.iter().enumerate() {
            if let Atom::Event(name) = atom {
                let variable = Variable::from_index(at);
                fixed = restricted(guards, fixed, variable, event == Some(name));
            }
        }
        fixed = restricted(guards, fixed, Variable::from_index(self.atoms.len()), false);
        let cubes = guards.cubes(fixed);
        let named = |literal: &Literal| match &self.atoms[literal.variable.index()] {
            Atom::Proposition(name) | Atom::Event(name) => (name.clone(), literal.value),
        };
        cubes.iter().map(|cube| cube.iter().map(named).collect()).collect()
    }
}

/// The function when a variable has a value.
fn restricted(guards: &mut Guards, guard: Guard, variable: Variable, value: bool) -> Guard {
    let Some(top) = guards.top(guard).filter(|top| *top <= variable) else { return guard };
    let (low, high) = guards.branches(guard);
    if top == variable {
        return if value { high } else { low };
    }
    let (low, high) = (restricted(guards, low, variable, value), restricted(guards, high, variable, value));
    let test = guards.variable(top);
    guards.if_then_else(test, high, low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use check::temporal::meaning::{MaximalPath, Position};

    /// Automata agree with the meaning of formulas on drawn words, those that end included.
    #[test]
    fn automata_agree_with_what_formulas_mean() {
        let texts = [
            "G(\"p\" -> F \"q\")",
            "F G \"p\"",
            "\"p\" U \"q\"",
            "G(\"p\" -> X \"q\")",
            "!\"q\" W \"p\"",
            "X X \"p\"",
            "G F \"p\"",
        ];
        let mut random = testkit::Random::new(7);
        let mut compared = 0;
        for text in texts {
            let formula = crate::text::read(text).expect(text).formula;
            for finite_runs in [FiniteRuns::Count, FiniteRuns::Repeat] {
                let machine = forbidden(&formula, finite_runs, &Budget::unlimited()).expect(text);
                for _ in 0..60 {
                    let mut drawn =
                        |length: usize| -> Vec<u32> { (0..length).map(|_| random.below(4) as u32).collect() };
                    let path = drawn(4);
                    // The run ends with the last letter.
                    let letters: Vec<BTreeSet<automata::Atom>> = path
                        .iter()
                        .map(|bits| {
                            (0..machine.atoms.len())
                                .filter(|at| bits >> at & 1 == 1)
                                .map(automata::Atom::from_index)
                                .collect()
                        })
                        .collect();
                    let mut states: BTreeSet<Location> = BTreeSet::from([machine.automaton.initial]);
                    for letter in &letters[..3] {
                        states = states
                            .iter()
                            .flat_map(|&state| &machine.automaton.edges[state])
                            .filter(|edge| {
                                machine.automaton.guards.evaluate(edge.guard, |v| {
                                    letter.contains(&automata::Atom::from_index(v.index()))
                                })
                            })
                            .map(|edge| edge.to)
                            .collect();
                    }
                    let last = &letters[3];
                    let is_forbidden = states.iter().any(|&state| {
                        machine.automaton.guards.evaluate(machine.ends[state], |v| {
                            last.contains(&automata::Atom::from_index(v.index()))
                        })
                    });
                    let position = |bits: &u32| Position {
                        propositions: machine
                            .atoms
                            .iter()
                            .enumerate()
                            .filter(|(at, _)| bits >> at & 1 == 1)
                            .map(|(_, atom)| match atom {
                                Atom::Proposition(name) | Atom::Event(name) => name.to_string(),
                            })
                            .collect(),
                        event: None,
                    };
                    let mut maximal =
                        MaximalPath { stem: path.iter().map(position).collect(), cycle: Vec::new() };
                    if finite_runs == FiniteRuns::Repeat {
                        maximal.cycle = maximal.stem[3..].to_vec();
                    }
                    // Positions of a run have events; a made-up one stands for each.
                    let holds = maximal.satisfies(&formula);
                    assert_eq!(holds, !is_forbidden, "{text} {finite_runs:?} {path:?}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 500);
    }
}
