//! Three-valued truth of CTL formulas on may- and must-steps. After AMC 3.3 with SEEDS correction 9: an
//! existential Yes and a universal No rest on must-steps, an existential No and a universal Yes on may-steps.
//! Only EX, EU and EG are computed; the other operators are their duals.

use super::atoms::Names;
use super::kripke::{Kripke, StateId, Step};
use super::places::FormulaPlace;
use crate::context::Context;
use base::IndexVec;
use spec::ctl::{CtlFormula, PathQuantifier};

/// Where a formula surely holds and where it surely does not.
#[derive(Clone, Debug)]
pub struct Truth {
    /// It holds in every concrete state.
    pub yes: IndexVec<StateId, bool>,
    /// It holds in no concrete state.
    pub no: IndexVec<StateId, bool>,
}

impl Truth {
    fn negated(self) -> Truth {
        Truth { yes: self.no, no: self.yes }
    }
}

/// Computes truths on one structure.
pub struct Judge<'a, 'p> {
    /// The states that are spoken of, with their may- and must-steps.
    pub kripke: &'a Kripke,
    /// What names mean.
    pub names: &'a Names,
    /// The program, with the tables that the analysis has of it.
    pub context: &'a Context<'p>,
    /// Members, elements and the like that are shown with the variables in runs.
    pub shown: Vec<(String, FormulaPlace)>,
    lives: IndexVec<StateId, bool>,
}

impl<'a, 'p> Judge<'a, 'p> {
    /// A judge of a structure.
    pub fn new(kripke: &'a Kripke, names: &'a Names, context: &'a Context<'p>) -> Judge<'a, 'p> {
        // Where runs can be stopped by an assumption, only states with an endless run of must-steps count as
        // lived in.
        let mut lives: IndexVec<StateId, bool> = kripke.nodes.iter().map(|node| !node.is_dead).collect();
        let is_endless = !kripke.nodes.iter().any(|node| node.is_dead);
        let mut has_changed = !is_endless;
        while has_changed {
            has_changed = false;
            for (id, node) in kripke.nodes.iter_enumerated() {
                if lives[id] && !node.must.iter().any(|step| lives[step.to]) {
                    lives[id] = false;
                    has_changed = true;
                }
            }
        }
        Judge { kripke, names, context, shown: Vec::new(), lives }
    }

    /// Runs shall also show the places that a formula names.
    pub fn showing(mut self, formula: &CtlFormula) -> Self {
        super::conditions(formula, &mut |condition, _| {
            condition.for_each_place(&mut |place| {
                let is_part = !matches!(place, spec::cexpr::CExpression::Name(_));
                if let (true, Ok(found)) = (is_part, self.names.place(place, self.context.program)) {
                    let name = place.to_string();
                    if self.shown.iter().all(|(known, _)| *known != name) {
                        self.shown.push((name, found));
                    }
                }
            });
        });
        self
    }

    fn all(&self, test: impl Fn(StateId) -> bool) -> IndexVec<StateId, bool> {
        self.kripke.nodes.ids().map(test).collect()
    }

    /// The must-steps that count from a state.
    pub fn must(&self, from: StateId) -> impl Iterator<Item = &'a Step> + '_ {
        self.kripke.nodes[from].must.iter().filter(|step| self.lives[step.to])
    }

    /// Where a formula holds and does not.
    pub fn truth(&self, formula: &CtlFormula) -> Truth {
        use CtlFormula::*;
        use PathQuantifier::{All, Some as Exists};
        match formula {
            Condition(condition, _) => {
                let found: IndexVec<StateId, Option<bool>> = self
                    .kripke
                    .nodes
                    .iter()
                    .map(|node| {
                        self.names.truth(condition, self.context, &node.configuration.as_ref()?.state)
                    })
                    .collect();
                Truth {
                    yes: self.all(|id| found[id] == Some(true)),
                    no: self.all(|id| found[id] == Some(false)),
                }
            }
            Not(inner) => self.truth(inner).negated(),
            And(left, right) => self.both(&self.truth(left), &self.truth(right)),
            Or(left, right) => self.both(&self.truth(left).negated(), &self.truth(right).negated()).negated(),
            Implies(left, right) => self.both(&self.truth(left), &self.truth(right).negated()).negated(),
            Iff(left, right) => {
                let (one, two) = (self.truth(left), self.truth(right));
                let holds = self.both(&one, &two);
                let fails = self.both(&one.negated(), &two.negated());
                self.both(&holds.negated(), &fails.negated()).negated()
            }
            Next(Exists, inner) => self.some_next(&self.truth(inner)),
            Next(All, inner) => self.some_next(&self.truth(inner).negated()).negated(),
            Eventually(Exists, inner) => self.until(&self.everywhere(), &self.truth(inner)),
            Always(All, inner) => self.until(&self.everywhere(), &self.truth(inner).negated()).negated(),
            Always(Exists, inner) => self.always(&self.truth(inner)),
            Eventually(All, inner) => self.always(&self.truth(inner).negated()).negated(),
            Until(Exists, left, right) => self.until(&self.truth(left), &self.truth(right)),
            Until(All, left, right) => {
                // A[f U g] fails where, on some path, g fails until f and g fail, or g fails for ever.
                let (f, g) = (self.truth(left).negated(), self.truth(right).negated());
                let broken = self.until(&g, &self.both(&f, &g));
                let endless = self.always(&g);
                self.both(&broken.negated(), &endless.negated())
            }
        }
    }

    /// Applies a monotone rule until nothing changes; states found later come first, since they are closer to
    /// the goal.
    fn sweep(
        &self,
        set: &mut IndexVec<StateId, bool>,
        rule: impl Fn(&IndexVec<StateId, bool>, StateId) -> bool,
    ) {
        let ids: Vec<StateId> = self.kripke.nodes.ids().collect();
        loop {
            let mut has_changed = false;
            for &id in ids.iter().rev() {
                let new = rule(set, id);
                if new != set[id] {
                    set[id] = new;
                    has_changed = true;
                }
            }
            if !has_changed {
                return;
            }
        }
    }

    fn everywhere(&self) -> Truth {
        Truth { yes: self.all(|_| true), no: self.all(|_| false) }
    }

    fn both(&self, one: &Truth, two: &Truth) -> Truth {
        Truth { yes: self.all(|id| one.yes[id] && two.yes[id]), no: self.all(|id| one.no[id] || two.no[id]) }
    }

    /// EX: Yes by a must-step into Yes, No where every may-step leads into No.
    fn some_next(&self, inner: &Truth) -> Truth {
        Truth {
            yes: self.all(|id| self.must(id).any(|step| inner.yes[step.to])),
            no: self.all(|id| {
                let node = &self.kripke.nodes[id];
                node.configuration.is_some() && node.may.iter().all(|&to| inner.no[to])
            }),
        }
    }

    /// E[one U two], the least fixpoint: Yes along must-steps, No where no way of may-steps leads there.
    fn until(&self, one: &Truth, two: &Truth) -> Truth {
        let mut yes = self.all(|id| two.yes[id] && self.lives[id]);
        self.sweep(&mut yes, |yes, id| yes[id] || one.yes[id] && self.must(id).any(|step| yes[step.to]));
        let mut maybe = self.all(|id| !two.no[id]);
        self.sweep(&mut maybe, |maybe, id| {
            maybe[id] || !one.no[id] && self.kripke.nodes[id].may.iter().any(|&to| maybe[to])
        });
        Truth { yes, no: self.all(|id| !maybe[id]) }
    }

    /// EG, the greatest fixpoint: Yes along must-steps, No where no way of may-steps stays inside.
    fn always(&self, inner: &Truth) -> Truth {
        let mut yes = self.all(|id| inner.yes[id] && self.lives[id]);
        self.sweep(&mut yes, |yes, id| yes[id] && self.must(id).any(|step| yes[step.to]));
        let mut maybe = self.all(|id| !inner.no[id]);
        self.sweep(&mut maybe, |maybe, id| {
            maybe[id] && self.kripke.nodes[id].may.iter().any(|&to| maybe[to])
        });
        Truth { yes, no: self.all(|id| !maybe[id]) }
    }
}
