//! Can a component take these steps? One formula for a whole tree: a state that several branches leave is one
//! state. Each conjunct of each guard is an assumption of its own, so that an unsatisfiable core names what
//! is to blame (SEEDS correction 6).
//!
//! Worked example: the steps `x = 0`, then the guards `y > 1` and `x > 5`. Over the values at the start the
//! conditions are `y > 1` and `0 > 5`. Both are assumed, and the core names the second alone; so the seed
//! `x > 5` is to blame, and `y > 1` is not.

use crate::EdgeId;
use crate::component::{CellId, Component};
use crate::predicates::conjuncts;
use base::Budget;
use logic::traits::{CheckAssuming, GetModel, UnsatCore, minimise_core};
use logic::{Answer, EmbeddedSettings, EmbeddedSolver, Model, TermId, UnknownReason, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// A step of a tree; the steps before it come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TreeStep {
    /// The step before it; none at the start.
    pub parent: Option<usize>,
    /// What is done.
    pub edge: EdgeId,
}

/// Which conditions of branches count.
#[derive(Clone, Copy, Debug)]
pub enum Conditions<'s> {
    /// Those of the program.
    All,
    /// Those that the abstraction looks at.
    Relevant,
    /// These, but for those of some steps.
    Without(&'s FxHashSet<usize>),
}

/// A condition of a step of the component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seed {
    /// The step.
    pub edge: EdgeId,
    /// A conjunct of its guard.
    pub condition: TermId,
}

/// A tree as terms over the values at the start and the inputs of its steps.
#[derive(Clone, Debug)]
pub struct Unfolded {
    /// What must hold at the start.
    pub initial: Vec<TermId>,
    /// The conditions of the steps: which step, which condition, and the same over the start.
    pub conditions: Vec<(usize, Seed, TermId)>,
    /// The cells that have changed, after each step.
    pub states: Vec<FxHashMap<CellId, TermId>>,
    /// The inputs of each step, renamed apart.
    pub inputs: Vec<Vec<TermId>>,
}

/// Values that follow a tree.
#[derive(Clone, Debug)]
pub struct Values {
    model: Model,
}

impl Values {
    /// The bits of a term over the start and the inputs; what does not matter is 0.
    pub fn bits(&self, component: &Component, term: TermId) -> Option<u128> {
        match self.model.evaluate(&component.pool, term).ok()? {
            Value::Bits(bits) => bits.to_u128(),
            Value::Bool(value) => Some(u128::from(value)),
            _ => None,
        }
    }

    /// The value of a term over the start and the inputs, as a signed number; what does not matter is 0.
    pub fn number(&self, component: &Component, term: TermId) -> Option<i128> {
        match self.model.evaluate(&component.pool, term).ok()? {
            Value::Bits(bits) => bits.to_i128(),
            Value::Bool(value) => Some(i128::from(value)),
            _ => None,
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Feasibility {
    /// It can be followed, with these values.
    Feasible(Values),
    /// It cannot: each of these sets of conditions is impossible already, and minimal.
    Infeasible(Vec<Vec<Seed>>),
    /// The solver could not tell.
    Unknown(UnknownReason),
}

/// Follows trees in one component.
#[derive(Debug)]
pub struct Follower {
    solver: EmbeddedSolver,
}

impl Default for Follower {
    fn default() -> Follower {
        Follower { solver: EmbeddedSolver::new(EmbeddedSettings::default()) }
    }
}

impl Follower {
    /// The tree as terms. `after` says what else must hold after a step, over the values then.
    pub fn unfold(
        component: &mut Component,
        steps: &[TreeStep],
        which: Conditions<'_>,
        after: &dyn Fn(usize) -> Vec<TermId>,
    ) -> Unfolded {
        let initial = conjuncts(component, component.initial);
        let mut unfolded =
            Unfolded { initial, conditions: Vec::new(), states: Vec::new(), inputs: Vec::new() };
        for (index, step) in steps.iter().enumerate() {
            let before = step.parent.map(|parent| unfolded.states[parent].clone()).unwrap_or_default();
            let mut map: FxHashMap<TermId, TermId> =
                before.iter().map(|(&cell, &value)| (component.cells[cell].symbol, value)).collect();
            let mut inputs = Vec::new();
            for input in component.edges[step.edge].inputs.clone() {
                let name = format!("{}@{index}", component.pool.symbol_name(input.symbol).unwrap_or("in"));
                let sort = component.pool.sort(input.symbol);
                let own = component.pool.symbol(&name, sort);
                map.insert(input.symbol, own);
                inputs.push(own);
            }
            let guard = match which {
                Conditions::All => component.edges[step.edge].full_guard,
                Conditions::Without(steps) if steps.contains(&index) => component.edges[step.edge].defined,
                Conditions::Relevant | Conditions::Without(_) => component.edges[step.edge].guard,
            };
            let mut conditions = conjuncts(component, guard);
            for wanted in after(index) {
                let before = component.before(step.edge, wanted);
                conditions.extend(conjuncts(component, before));
            }
            for condition in conditions {
                let meant = component.pool.substitute(condition, &map);
                let meant = component.simplifier.simplify(&mut component.pool, meant);
                let seed = Seed { edge: step.edge, condition };
                unfolded.conditions.push((index, seed, meant));
            }
            let mut after = before;
            for (cell, value) in component.edges[step.edge].updates.clone() {
                let value = component.pool.substitute(value, &map);
                let value = component.simplifier.simplify(&mut component.pool, value);
                after.insert(cell, value);
            }
            unfolded.states.push(after);
            unfolded.inputs.push(inputs);
        }
        unfolded
    }

    /// Are there values for the tree, and for `also`? Up to `most_cores` reasons otherwise.
    pub fn check(
        &mut self,
        component: &mut Component,
        unfolded: &Unfolded,
        also: &[TermId],
        most_cores: usize,
        budget: &Budget,
    ) -> Feasibility {
        let mut all: Vec<TermId> = unfolded.initial.clone();
        all.extend(unfolded.conditions.iter().map(|(_, _, meant)| *meant));
        all.extend(also);
        all.sort_unstable();
        all.dedup();
        match self.solver.check_assuming(&mut component.pool, &all, budget) {
            Answer::Unknown(reason) => Feasibility::Unknown(reason),
            Answer::Sat => {
                let model = self.solver.model(&mut component.pool, &all);
                match model {
                    // The values are checked by evaluation, apart from the solver.
                    Some(model) if all.iter().all(|&term| model.satisfies(&component.pool, term)) => {
                        Feasibility::Feasible(Values { model })
                    }
                    _ => Feasibility::Unknown(UnknownReason::BackEnd(
                        "the model does not satisfy the path".into(),
                    )),
                }
            }
            Answer::Unsat if most_cores == 0 => Feasibility::Infeasible(Vec::new()),
            Answer::Unsat => {
                Feasibility::Infeasible(self.cores(component, unfolded, &all, most_cores, budget))
            }
        }
    }

    fn cores(
        &mut self,
        component: &mut Component,
        unfolded: &Unfolded,
        all: &[TermId],
        most: usize,
        budget: &Budget,
    ) -> Vec<Vec<Seed>> {
        let core = self.solver.core().to_vec();
        let first = minimise_core(&mut self.solver, &mut component.pool, &core, budget);
        let mut cores = vec![first.clone()];
        for &without in &first {
            if cores.len() >= most {
                break;
            }
            let rest: Vec<TermId> = all.iter().copied().filter(|&term| term != without).collect();
            if self.solver.check_assuming(&mut component.pool, &rest, budget) == Answer::Unsat {
                let core = self.solver.core().to_vec();
                let core = minimise_core(&mut self.solver, &mut component.pool, &core, budget);
                if !cores.contains(&core) {
                    cores.push(core);
                }
            }
        }
        let seeds = |core: &Vec<TermId>| -> Vec<Seed> {
            let mut seeds: Vec<Seed> = core
                .iter()
                .filter_map(|term| {
                    let found = unfolded.conditions.iter().rev().find(|(_, _, meant)| meant == term);
                    found.map(|(_, seed, _)| *seed)
                })
                .collect();
            seeds.sort_unstable();
            seeds.dedup();
            seeds
        };
        cores.iter().map(seeds).collect()
    }
}
