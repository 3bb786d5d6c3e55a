//! What a system does as a whole, and whether that meets a question: components run together on the events they share, a step at a time.

use super::runs::{Step, Tree};
use crate::random::Random;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// The composition: from each state, steps to others. It has no cycles.
pub struct System {
    steps: Vec<Vec<(Option<String>, usize)>>,
    /// Ends in which every component has returned.
    is_end: Vec<bool>,
}

/// Most states of a composition.
const MOST_STATES: usize = 20_000;

/// A deterministic specification: from each state, where events lead.
#[derive(Clone, Debug)]
pub struct Process {
    /// The transitions.
    pub states: Vec<BTreeMap<String, usize>>,
    /// The events it knows.
    pub alphabet: BTreeSet<String>,
}

/// A formula about the runs of a system.
#[derive(Clone, Debug)]
pub enum Formula {
    /// `G !a`
    Never(String),
    /// `(!b) W a`
    Before {
        /// What must come first.
        first: String,
        /// What must not come before it.
        later: String,
    },
    /// `F a`
    Sometime(String),
    /// `G(a => F b)`
    Answered {
        /// What is answered.
        asked: String,
        /// The answer.
        answer: String,
    },
}

impl Formula {
    /// In the specification language.
    pub fn text(&self) -> String {
        match self {
            Formula::Never(a) => format!("G !{a}"),
            Formula::Before { first, later } => format!("(!{later}) W {first}"),
            Formula::Sometime(a) => format!("F {a}"),
            Formula::Answered { asked, answer } => format!("G({asked} => F {answer})"),
        }
    }

    /// A formula about some of the events.
    pub fn draw(random: &mut Random, events: &[String]) -> Formula {
        let (one, other) = (random.pick(events).clone(), random.pick(events).clone());
        match random.below(5) {
            0 => Formula::Never(one),
            1 | 2 if one != other => Formula::Before { first: one, later: other },
            3 if one != other => Formula::Answered { asked: one, answer: other },
            _ => Formula::Sometime(one),
        }
    }
}

impl System {
    /// The components together; none if that is too large.
    pub fn compose(trees: &[Tree]) -> Option<System> {
        let start = vec![0; trees.len()];
        let mut numbers = HashMap::from([(start.clone(), 0)]);
        let mut system = System { steps: Vec::new(), is_end: Vec::new() };
        let mut open = vec![start];
        let mut at = 0;
        while at < open.len() {
            if open.len() > MOST_STATES {
                return None;
            }
            let state = open[at].clone();
            at += 1;
            let mut moves: Vec<(Option<String>, Vec<usize>)> = Vec::new();
            for (number, tree) in trees.iter().enumerate() {
                for (step, &next) in &tree.steps[state[number]] {
                    let mut target = state.clone();
                    target[number] = next;
                    match step {
                        Step::Silent(_) => moves.push((None, target)),
                        Step::Event(name) => {
                            // The first that knows the event moves for all of them.
                            if trees[..number].iter().any(|other| other.alphabet.contains(name)) {
                                continue;
                            }
                            let partners = trees.iter().enumerate().skip(number + 1);
                            let mut is_possible = true;
                            for (partner, other) in
                                partners.filter(|(_, other)| other.alphabet.contains(name))
                            {
                                match other.steps[state[partner]].get(step) {
                                    Some(&next) => target[partner] = next,
                                    None => is_possible = false,
                                }
                            }
                            if is_possible {
                                moves.push((Some(name.clone()), target));
                            }
                        }
                    }
                }
            }
            let is_end = trees.iter().zip(&state).all(|(tree, &state)| tree.steps[state].is_empty());
            system.is_end.push(is_end);
            let mut steps = Vec::new();
            for (label, target) in moves {
                let fresh = open.len();
                let number = *numbers.entry(target.clone()).or_insert(fresh);
                if number == fresh {
                    open.push(target);
                }
                steps.push((label, number));
            }
            system.steps.push(steps);
        }
        Some(system)
    }

    /// Can it stop before every component has returned?
    pub fn can_deadlock(&self) -> bool {
        self.steps.iter().zip(&self.is_end).any(|(steps, is_end)| steps.is_empty() && !is_end)
    }

    /// The events that happen.
    pub fn events(&self) -> BTreeSet<String> {
        self.steps.iter().flatten().filter_map(|(label, _)| label.clone()).collect()
    }

    /// Does every run meet the formula?
    pub fn meets(&self, formula: &Formula) -> bool {
        match formula {
            Formula::Never(a) => !self.can_reach(0, |label| label == a, |_| false, false),
            Formula::Before { first, later } => {
                !self.can_reach(0, |label| label == later, |label| label == first, false)
            }
            Formula::Sometime(a) => !self.can_reach(0, |_| false, |label| label == a, true),
            Formula::Answered { asked, answer } => {
                let after_asked =
                    self.steps.iter().flatten().filter(|(label, _)| label.as_ref() == Some(asked));
                !after_asked
                    .map(|&(_, next)| next)
                    .any(|next| self.can_reach(next, |_| false, |label| label == answer, true))
            }
        }
    }

    /// Is there a run from a state to one of the wanted events, or to its end, without one of the barred?
    fn can_reach(
        &self,
        from: usize,
        is_wanted: impl Fn(&String) -> bool,
        is_barred: impl Fn(&String) -> bool,
        is_end_wanted: bool,
    ) -> bool {
        let mut seen = BTreeSet::from([from]);
        let mut open = vec![from];
        while let Some(state) = open.pop() {
            if is_end_wanted && self.steps[state].is_empty() {
                return true;
            }
            for (label, next) in &self.steps[state] {
                if label.as_ref().is_some_and(&is_wanted) {
                    return true;
                }
                if !label.as_ref().is_some_and(&is_barred) && seen.insert(*next) {
                    open.push(*next);
                }
            }
        }
        false
    }

    /// Is every trace one of the process, events that it does not know left out?
    pub fn conforms(&self, process: &Process) -> bool {
        let mut seen = BTreeSet::from([(0, 0)]);
        let mut open = vec![(0, 0)];
        while let Some((state, at)) = open.pop() {
            for (label, next) in &self.steps[state] {
                let known = label.as_ref().filter(|label| process.alphabet.contains(*label));
                let reached = match known {
                    None => at,
                    Some(label) => match process.states[at].get(label) {
                        Some(&reached) => reached,
                        None => return false,
                    },
                };
                if seen.insert((*next, reached)) {
                    open.push((*next, reached));
                }
            }
        }
        true
    }

    /// The least process with these traces over the events, made deterministic and with equal states joined.
    pub fn process(&self, alphabet: &BTreeSet<String>) -> Process {
        let mut process = Process { states: Vec::new(), alphabet: alphabet.clone() };
        let mut joined = HashMap::new();
        let start = self.silently(&BTreeSet::from([0]), alphabet);
        let first = self.determined(start, &mut process, &mut joined, &mut HashMap::new());
        // The first state comes first.
        let last = process.states.len() - 1;
        process.states.swap(0, first);
        for target in process.states.iter_mut().flat_map(|state| state.values_mut()) {
            if *target == first {
                *target = 0;
            } else if *target == 0 {
                *target = first;
            }
        }
        debug_assert!(first <= last);
        process
    }

    /// All states reached without an event of the alphabet.
    fn silently(&self, from: &BTreeSet<usize>, alphabet: &BTreeSet<String>) -> BTreeSet<usize> {
        let mut reached = from.clone();
        let mut open: Vec<usize> = from.iter().copied().collect();
        while let Some(state) = open.pop() {
            for (label, next) in &self.steps[state] {
                if !label.as_ref().is_some_and(|label| alphabet.contains(label)) && reached.insert(*next) {
                    open.push(*next);
                }
            }
        }
        reached
    }

    fn determined(
        &self,
        states: BTreeSet<usize>,
        process: &mut Process,
        joined: &mut HashMap<BTreeMap<String, usize>, usize>,
        known: &mut HashMap<BTreeSet<usize>, usize>,
    ) -> usize {
        if let Some(&number) = known.get(&states) {
            return number;
        }
        let mut targets: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for (label, next) in states.iter().flat_map(|&state| &self.steps[state]) {
            if let Some(label) = label.as_ref().filter(|label| process.alphabet.contains(*label)) {
                targets.entry(label.clone()).or_default().insert(*next);
            }
        }
        let mut transitions = BTreeMap::new();
        for (label, next) in targets {
            let next = self.silently(&next, &process.alphabet.clone());
            transitions.insert(label, self.determined(next, process, joined, known));
        }
        let number = *joined.entry(transitions.clone()).or_insert_with(|| {
            process.states.push(transitions);
            process.states.len() - 1
        });
        known.insert(states, number);
        number
    }
}

impl Process {
    /// Without one transition, or with one more.
    pub fn changed(&self, random: &mut Random) -> Process {
        let mut changed = self.clone();
        let state = random.below(self.states.len());
        let events: Vec<String> = self.alphabet.iter().cloned().collect();
        if random.chance(70) {
            let labels: Vec<String> = self.states[state].keys().cloned().collect();
            if !labels.is_empty() {
                changed.states[state].remove(random.pick(&labels));
            }
        } else if !events.is_empty() {
            let target = random.below(self.states.len());
            changed.states[state].entry(random.pick(&events).clone()).or_insert(target);
        }
        changed
    }

    /// In the specification language. The whole alphabet is written behind it.
    pub fn text(&self, name: &str) -> String {
        let mut text = format!("{name} = {name}0");
        for (number, state) in self.states.iter().enumerate() {
            let choices: Vec<String> =
                state.iter().map(|(event, target)| format!("{event} -> {name}{target}")).collect();
            if choices.is_empty() {
                let _ = write!(text, ",\n{name}{number} = STOP");
            } else {
                let _ = write!(text, ",\n{name}{number} = ( {} )", choices.join(" | "));
            }
        }
        let events: Vec<&str> = self.alphabet.iter().map(String::as_str).collect();
        let _ = writeln!(text, " + {{{}}}.", events.join(", "));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(runs: &[&str]) -> Tree {
        let mut tree = Tree::default();
        for run in runs {
            tree.add_run(run);
        }
        tree
    }

    #[test]
    fn components_wait_for_each_other() {
        let system = System::compose(&[tree(&["a b"]), tree(&["b a"])]).expect("small");
        assert!(system.can_deadlock());
        assert!(system.events().is_empty());
        let system = System::compose(&[tree(&["0 a", "1 b"]), tree(&["c a", "c b"])]).expect("small");
        assert!(!system.can_deadlock());
        assert!(system.meets(&Formula::Sometime("c".into())));
        assert!(!system.meets(&Formula::Sometime("a".into())));
        assert!(system.meets(&Formula::Before { first: "c".into(), later: "b".into() }));
        assert!(!system.meets(&Formula::Answered { asked: "c".into(), answer: "a".into() }));
    }

    #[test]
    fn a_system_conforms_to_its_process_and_not_to_less() {
        let system = System::compose(&[tree(&["0 a b", "1 a c", "2 b"])]).expect("small");
        let process = system.process(&system.events());
        assert!(system.conforms(&process));
        let mut less = process.clone();
        less.states[0].remove("b");
        assert!(!system.conforms(&less));
    }
}
