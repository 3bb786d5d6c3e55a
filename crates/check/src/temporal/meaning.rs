//! Whether a state/event formula holds of one maximal path, straight from SELTL section 3.
//! This is what counterexamples are checked against before they are shown; it shares no code with the search.

use spec::{Atom, Formula};

/// One position of a path: what holds in its state, and the event by which the path leaves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The names of the propositions that hold.
    pub propositions: Vec<String>,
    /// The event that follows; `None` in the last state of a finite path.
    pub event: Option<String>,
}

/// A maximal path: finite if there is no cycle, otherwise `stem cycle cycle …`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaximalPath {
    /// The positions before the cycle; all of them if the path is finite.
    pub stem: Vec<Position>,
    /// The positions that repeat.
    pub cycle: Vec<Position>,
}

impl MaximalPath {
    fn len(&self) -> usize {
        self.stem.len() + self.cycle.len()
    }

    fn position(&self, index: usize) -> &Position {
        self.stem.get(index).unwrap_or_else(|| &self.cycle[index - self.stem.len()])
    }

    /// The next position; `None` after the last one of a finite path.
    fn next(&self, index: usize) -> Option<usize> {
        match (index + 1 < self.len(), self.cycle.is_empty()) {
            (true, _) => Some(index + 1),
            (false, true) => None,
            (false, false) => Some(self.stem.len()),
        }
    }

    /// Does the formula hold of the path?
    pub fn satisfies(&self, formula: &Formula) -> bool {
        assert!(self.len() > 0, "a path has at least one state");
        self.where_holds(formula)[0]
    }

    fn where_holds(&self, formula: &Formula) -> Vec<bool> {
        let each = |f: &dyn Fn(usize) -> bool| (0..self.len()).map(f).collect::<Vec<bool>>();
        match formula {
            Formula::True => each(&|_| true),
            Formula::False => each(&|_| false),
            Formula::Atom(Atom::Proposition(name)) => {
                each(&|i| self.position(i).propositions.iter().any(|held| **held == **name))
            }
            Formula::Atom(Atom::Event(name)) => each(&|i| self.position(i).event.as_deref() == Some(&**name)),
            Formula::Not(f) => self.where_holds(f).iter().map(|value| !value).collect(),
            Formula::And(f, g) => self.both(f, g, |x, y| x && y),
            Formula::Or(f, g) => self.both(f, g, |x, y| x || y),
            Formula::Implies(f, g) => self.both(f, g, |x, y| !x || y),
            Formula::Iff(f, g) => self.both(f, g, |x, y| x == y),
            Formula::Next(f) => {
                let inner = self.where_holds(f);
                each(&|i| self.next(i).is_some_and(|next| inner[next]))
            }
            Formula::Eventually(f) => {
                let f = self.where_holds(f);
                self.fixpoint(false, |i, later| f[i] || later.unwrap_or(false))
            }
            Formula::Always(f) => {
                let f = self.where_holds(f);
                self.fixpoint(true, |i, later| f[i] && later.unwrap_or(true))
            }
            Formula::Until(f, g) => {
                let (f, g) = (self.where_holds(f), self.where_holds(g));
                self.fixpoint(false, |i, later| g[i] || (f[i] && later.unwrap_or(false)))
            }
            Formula::WeakUntil(f, g) => {
                let (f, g) = (self.where_holds(f), self.where_holds(g));
                self.fixpoint(true, |i, later| g[i] || (f[i] && later.unwrap_or(true)))
            }
            Formula::Release(f, g) => {
                let (f, g) = (self.where_holds(f), self.where_holds(g));
                self.fixpoint(true, |i, later| g[i] && (f[i] || later.unwrap_or(true)))
            }
        }
    }

    fn both(&self, f: &Formula, g: &Formula, join: impl Fn(bool, bool) -> bool) -> Vec<bool> {
        self.where_holds(f).into_iter().zip(self.where_holds(g)).map(|(x, y)| join(x, y)).collect()
    }

    /// The least (from `false`) or greatest (from `true`) solution; `later` is `None` at the end of a finite
    /// path.
    fn fixpoint(&self, start: bool, step: impl Fn(usize, Option<bool>) -> bool) -> Vec<bool> {
        let mut values = vec![start; self.len()];
        loop {
            let before = values.clone();
            for index in (0..self.len()).rev() {
                values[index] = step(index, self.next(index).map(|next| values[next]));
            }
            if values == before {
                return values;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn path(events: &[&str], last: bool) -> MaximalPath {
        let mut stem: Vec<Position> = events
            .iter()
            .map(|event| Position { propositions: vec![], event: Some((*event).to_owned()) })
            .collect();
        if last {
            stem.push(Position { propositions: vec!["end".to_owned()], event: None });
        }
        MaximalPath { stem, cycle: vec![] }
    }

    #[test]
    fn finite_paths_end_weakly() {
        let run = path(&["a", "b"], true);
        let next_true = Formula::Next(Arc::new(Formula::True));
        assert!(
            !run.satisfies(&Formula::Always(Arc::new(next_true.clone()))),
            "G X true is deadlock freedom"
        );
        assert!(
            run.satisfies(&Formula::Next(Arc::new(Formula::Next(Arc::new(Formula::proposition("end"))))))
        );
        assert!(run.satisfies(&Formula::Eventually(Arc::new(Formula::proposition("end")))));
        assert!(!run.satisfies(&Formula::Eventually(Arc::new(Formula::event("c")))));
        let lasso = MaximalPath { stem: vec![], cycle: path(&["a", "b"], false).stem };
        assert!(lasso.satisfies(&Formula::Always(Arc::new(next_true))));
    }
}
