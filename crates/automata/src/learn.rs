//! Learns a regular language by asking: is this word in it, and is this automaton right?
//! L* of Angluin 1987 with the counterexample analysis of Rivest and Schapire 1993: one suffix per counterexample,
//! found by bisection, so that all access words keep distinct rows and the table never needs a consistency check.
//! The teacher may stop the run with an error of its own, such as an exhausted budget or an answer found on the way.
//!
//! Worked example: words over {a} whose length is a multiple of three. With the empty suffix alone, `ε` is in
//! and `a`, `aa` are not, so the first candidate has two states and never comes back. Counterexample `aaa`:
//! bisection finds that the suffix `a` tells `a` (with it `aa`: not in) from `aa` (with it `aaa`: in). Three
//! states, accepted.

use base::{Id, IndexVec, define_id};
use rustc_hash::FxHashMap;

define_id!(
    /// A letter of the alphabet that is learned over.
    Symbol,
    "x"
);

define_id!(
    /// A state of a [`Dfa`].
    DfaState,
    "d"
);

/// A complete deterministic automaton over finite words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dfa {
    /// How many letters there are.
    pub symbols: usize,
    /// For each state its successor under each letter.
    pub next: IndexVec<DfaState, Vec<DfaState>>,
    /// Does a word that ends here belong to the language?
    pub accepting: IndexVec<DfaState, bool>,
}

impl Dfa {
    /// Where it begins.
    pub fn initial(&self) -> DfaState {
        DfaState::from_index(0)
    }

    /// The state after a letter.
    pub fn step(&self, state: DfaState, symbol: Symbol) -> DfaState {
        self.next[state][symbol.index()]
    }

    /// The state after a word.
    pub fn after(&self, word: &[Symbol]) -> DfaState {
        word.iter().fold(self.initial(), |state, symbol| self.step(state, *symbol))
    }

    /// Is the word in the language?
    pub fn accepts(&self, word: &[Symbol]) -> bool {
        self.accepting[self.after(word)]
    }
}

/// Answers the learner's questions.
pub trait Teacher {
    /// Why the teacher may stop the run.
    type Stop;

    /// Is the word in the language? The same word must always get the same answer.
    fn is_member(&mut self, word: &[Symbol]) -> Result<bool, Self::Stop>;

    /// A word on which the candidate is wrong; `None` if it is right.
    fn counterexample(&mut self, candidate: &Dfa) -> Result<Option<Vec<Symbol>>, Self::Stop>;
}

/// What learning took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LearningCost {
    /// Words asked about.
    pub membership_queries: u64,
    /// Candidates shown.
    pub candidates: u64,
}

/// Learns the teacher's language. The result is the smallest complete deterministic automaton for it.
pub fn learn<T: Teacher>(symbols: usize, teacher: &mut T) -> Result<(Dfa, LearningCost), T::Stop> {
    let mut learner = Learner::new(symbols);
    loop {
        let candidate = learner.conjecture(teacher)?;
        match teacher.counterexample(&candidate)? {
            None => return Ok((candidate, learner.cost)),
            Some(word) => learner.refine(teacher, &candidate, &word)?,
        }
    }
}

/// A learner that is driven from outside: useful where several learners wait for each other, as in AG Rule 2.
#[derive(Clone, Debug)]
pub struct Learner {
    symbols: usize,
    /// Access words, one per state, all with distinct rows; the first is empty.
    access: Vec<AccessWord>,
    /// Suffixes that tell states apart; the first is empty.
    suffixes: Vec<Vec<Symbol>>,
    /// What it took so far.
    pub cost: LearningCost,
}

/// The answers for a word with each suffix so far, one bit each: rows are compared and hashed much more than read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Row {
    answers: Vec<u64>,
    count: usize,
}

impl Row {
    fn push(&mut self, answer: bool) {
        if self.count.is_multiple_of(64) {
            self.answers.push(0);
        }
        self.answers[self.count / 64] |= u64::from(answer) << (self.count % 64);
        self.count += 1;
    }

    /// The answer for the empty suffix, which is the first.
    fn accepts(&self) -> bool {
        self.answers[0] & 1 == 1
    }
}

#[derive(Clone, Debug)]
struct AccessWord {
    word: Vec<Symbol>,
    row: Row,
    /// The rows of the word with one more letter; empty until they are needed.
    next: Vec<Row>,
}

impl Learner {
    /// A learner that knows nothing.
    pub fn new(symbols: usize) -> Learner {
        Learner {
            symbols,
            access: vec![AccessWord { word: Vec::new(), row: Row::default(), next: Vec::new() }],
            suffixes: vec![Vec::new()],
            cost: LearningCost::default(),
        }
    }

    fn ask<T: Teacher>(&mut self, teacher: &mut T, word: &[Symbol]) -> Result<bool, T::Stop> {
        self.cost.membership_queries += 1;
        teacher.is_member(word)
    }

    /// Asks for the answers that the row does not have yet.
    fn fill<T: Teacher>(&mut self, teacher: &mut T, row: &mut Row, word: &[Symbol]) -> Result<(), T::Stop> {
        let mut whole = word.to_vec();
        for index in row.count..self.suffixes.len() {
            whole.truncate(word.len());
            whole.extend_from_slice(&self.suffixes[index]);
            row.push(self.ask(teacher, &whole)?);
        }
        Ok(())
    }

    /// Closes the table and reads the automaton off it.
    pub fn conjecture<T: Teacher>(&mut self, teacher: &mut T) -> Result<Dfa, T::Stop> {
        let mut by_row: FxHashMap<Row, DfaState> = FxHashMap::default();
        let mut dfa = Dfa { symbols: self.symbols, next: IndexVec::new(), accepting: IndexVec::new() };
        for index in 0..self.access.len() {
            let mut row = std::mem::take(&mut self.access[index].row);
            let word = self.access[index].word.clone();
            self.fill(teacher, &mut row, &word)?;
            by_row.insert(row.clone(), DfaState::from_index(index));
            self.access[index].row = row;
        }
        let mut state = 0;
        while state < self.access.len() {
            let AccessWord { mut word, row, .. } = self.access[state].clone();
            dfa.accepting.push(row.accepts());
            let mut rows = std::mem::take(&mut self.access[state].next);
            rows.resize(self.symbols, Row::default());
            let mut next = Vec::with_capacity(self.symbols);
            for symbol in (0..self.symbols).map(Symbol::from_index) {
                word.push(symbol);
                let row = &mut rows[symbol.index()];
                self.fill(teacher, row, &word)?;
                let fresh = DfaState::from_index(self.access.len());
                let target = *by_row.entry(row.clone()).or_insert(fresh);
                if target == fresh {
                    self.access.push(AccessWord { word: word.clone(), row: row.clone(), next: Vec::new() });
                }
                next.push(target);
                word.pop();
            }
            self.access[state].next = rows;
            dfa.next.push(next);
            state += 1;
        }
        self.cost.candidates += 1;
        Ok(dfa)
    }

    /// Learns from a word on which the candidate is wrong.
    pub fn refine<T: Teacher>(
        &mut self,
        teacher: &mut T,
        candidate: &Dfa,
        word: &[Symbol],
    ) -> Result<(), T::Stop> {
        // answer(i): the language's answer when the first i letters are replaced by the access word of their state.
        let states: Vec<DfaState> = (0..=word.len()).map(|length| candidate.after(&word[..length])).collect();
        let at = |learner: &mut Learner, teacher: &mut T, i: usize| {
            let whole = [&learner.access[states[i].index()].word, &word[i..]].concat();
            learner.ask(teacher, &whole)
        };
        let first = at(self, teacher, 0)?;
        let last = at(self, teacher, word.len())?;
        assert_ne!(first, last, "the teacher's counterexample is none: the candidate is right about it");
        let (mut low, mut high) = (0, word.len());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if at(self, teacher, middle)? == first {
                low = middle;
            } else {
                high = middle;
            }
        }
        let suffix = word[high..].to_vec();
        assert!(!self.suffixes.contains(&suffix), "a new counterexample gives a new suffix");
        self.suffixes.push(suffix);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// Knows the automaton and compares by walking both at once.
    struct Knows(Dfa);

    impl Teacher for Knows {
        type Stop = Infallible;

        fn is_member(&mut self, word: &[Symbol]) -> Result<bool, Infallible> {
            Ok(self.0.accepts(word))
        }

        fn counterexample(&mut self, candidate: &Dfa) -> Result<Option<Vec<Symbol>>, Infallible> {
            let mut seen = rustc_hash::FxHashSet::default();
            let mut queue =
                std::collections::VecDeque::from([(self.0.initial(), candidate.initial(), Vec::new())]);
            while let Some((mine, theirs, word)) = queue.pop_front() {
                if self.0.accepting[mine] != candidate.accepting[theirs] {
                    return Ok(Some(word));
                }
                for symbol in (0..self.0.symbols).map(Symbol::from_index) {
                    let pair = (self.0.step(mine, symbol), candidate.step(theirs, symbol));
                    if seen.insert(pair) {
                        let mut longer = word.clone();
                        longer.push(symbol);
                        queue.push_back((pair.0, pair.1, longer));
                    }
                }
            }
            Ok(None)
        }
    }

    /// States of the smallest equivalent automaton, by Moore's refinement on the reachable part.
    fn smallest_size(dfa: &Dfa) -> usize {
        let mut reachable = vec![dfa.initial()];
        let mut position = 0;
        while position < reachable.len() {
            for next in &dfa.next[reachable[position]] {
                if !reachable.contains(next) {
                    reachable.push(*next);
                }
            }
            position += 1;
        }
        let mut class: Vec<usize> = dfa.accepting.iter().map(|a| usize::from(*a)).collect();
        loop {
            let key = |s: &DfaState| {
                (class[s.index()], dfa.next[*s].iter().map(|t| class[t.index()]).collect::<Vec<_>>())
            };
            let mut keys: Vec<_> = reachable.iter().map(key).collect();
            let of: Vec<_> = keys.clone();
            keys.sort();
            keys.dedup();
            let before: std::collections::BTreeSet<_> = reachable.iter().map(|s| class[s.index()]).collect();
            for (state, key) in reachable.iter().zip(&of) {
                class[state.index()] = keys.binary_search(key).unwrap();
            }
            if keys.len() == before.len() {
                return keys.len();
            }
        }
    }

    proptest! {
        #[test]
        fn the_learned_automaton_is_right_and_smallest(
            states in 1usize..8,
            symbols in 1usize..4,
            choices in proptest::collection::vec((any::<u32>(), any::<bool>()), 32),
        ) {
            let dfa = Dfa {
                symbols,
                next: (0..states)
                    .map(|s| {
                        let target = |x: usize| choices[(s * symbols + x) % 32].0 as usize % states;
                        (0..symbols).map(|x| DfaState::from_index(target(x))).collect()
                    })
                    .collect(),
                accepting: (0..states).map(|s| choices[s].1).collect(),
            };
            let mut teacher = Knows(dfa.clone());
            let (learned, cost) = learn(symbols, &mut teacher).unwrap();
            prop_assert_eq!(teacher.counterexample(&learned).unwrap(), None);
            prop_assert_eq!(learned.accepting.len(), smallest_size(&dfa));
            prop_assert!(cost.candidates as usize <= learned.accepting.len(), "each candidate is larger");
        }
    }
}
