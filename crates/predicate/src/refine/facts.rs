//! Facts that always hold at a location: bounds of variables and relations of two, found without counterexamples.
//! Candidates come from the conditions of branches, from first values and from steps by constants (`x - 1 == 2 * (y - 4)`
//! where `x` counts by 2 from 1 while `y` counts by 1 from 4); those that the start does not give, or that some step
//! does not keep, are left out until the rest is inductive (Flanagan and Leino 2001, "Houdini"; the templates are intervals
//! and octagons: Miné 2006). What is left is known to the abstraction without being a predicate, so that it rules out
//! counterexamples whose weakest preconditions do not come to an end.
//! Twin: `facts_hold_in_every_state` of the tests compares them with all concrete states.
//!
//! Worked example: `i = 0; j = 200; while (i < j) { i++; j--; }`. From the steps comes `i + j == 200`, from the branch
//! `i <= j + 1` and others; both bodies keep the sum, so it stays, and at the end `i >= j` gives `i >= 100`.

use crate::component::{CellId, Component, EdgeId, NodeId};
use crate::predicates::{atoms, positive};
use base::{Budget, Exhausted, IndexVec};
use logic::term::{Op, symbols_in};
use logic::traits::{CheckAssuming, GetModel};
use logic::{Answer, EmbeddedSettings, EmbeddedSolver, TermId, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Candidates at each location.
const MOST_CANDIDATES: usize = 240;
/// Conditions under which bounds are tried.
const MOST_CASES: usize = 4;
/// Bounds that are tried under conditions.
const MOST_BOUNDS: usize = 16;
/// Variables of which pairs are looked at.
const MOST_COUNTERS: usize = 8;
/// Questions to the solver.
const MOST_CHECKS: usize = 6000;

/// The facts at each location; none past the limit of checks.
pub fn facts(
    component: &mut Component,
    budget: &Budget,
) -> Result<Option<IndexVec<NodeId, Vec<TermId>>>, Exhausted> {
    let candidates = candidates(component);
    if candidates.is_empty() {
        return Ok(None);
    }
    let mut search = Search {
        solver: EmbeddedSolver::new(EmbeddedSettings::default()),
        alive: IndexVec::filled(vec![true; candidates.len()], component.nodes.len()),
        candidates,
        checks: 0,
    };
    let is_done = search.run(component, budget)?;
    let Search { candidates, alive, .. } = search;
    let kept = |alive: &Vec<bool>| -> Vec<TermId> {
        candidates.iter().zip(alive).filter(|(_, alive)| **alive).map(|(&fact, _)| fact).collect()
    };
    Ok(is_done.then(|| alive.iter().map(kept).collect()))
}

struct Search {
    solver: EmbeddedSolver,
    candidates: Vec<TermId>,
    /// Which candidates may still hold at a location.
    alive: IndexVec<NodeId, Vec<bool>>,
    checks: usize,
}

impl Search {
    /// False past the limit.
    fn run(&mut self, component: &mut Component, budget: &Budget) -> Result<bool, Exhausted> {
        let (entry, initial) = (component.entry, component.initial);
        let all: Vec<(usize, TermId)> = self.candidates.iter().copied().enumerate().collect();
        for lost in self.lost(component, &[initial], all, budget) {
            self.alive[entry][lost] = false;
        }
        let mut queue: VecDeque<NodeId> = component.nodes.ids().collect();
        let mut is_queued: IndexVec<NodeId, bool> = IndexVec::filled(true, component.nodes.len());
        while let Some(node) = queue.pop_front() {
            is_queued[node] = false;
            budget.check()?;
            for edge in component.nodes[node].out.clone() {
                // Past a step without a meaning nothing is said anyway.
                if component.edges[edge].trouble.is_some() || !self.loses_after(component, edge, budget) {
                    continue;
                }
                let to = component.edges[edge].to;
                if !std::mem::replace(&mut is_queued[to], true) {
                    queue.push_back(to);
                }
                if self.checks > MOST_CHECKS {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Leaves out what the step does not give; true if there was anything.
    fn loses_after(&mut self, component: &mut Component, edge: EdgeId, budget: &Budget) -> bool {
        let (from, to) = (component.edges[edge].from, component.edges[edge].to);
        let mut wanted = Vec::new();
        for at in 0..self.candidates.len() {
            if !self.alive[to][at] {
                continue;
            }
            let before = component.before(edge, self.candidates[at]);
            let is_kept = before == self.candidates[at] && self.alive[from][at];
            if !is_kept && component.pool.bool_value(before) != Some(true) {
                wanted.push((at, before));
            }
        }
        if wanted.is_empty() {
            return false;
        }
        let mut premise = vec![component.edges[edge].full_guard];
        let known = self.candidates.iter().zip(&self.alive[from]);
        premise.extend(known.filter(|(_, alive)| **alive).map(|(&fact, _)| fact));
        let lost = self.lost(component, &premise, wanted, budget);
        for &at in &lost {
            self.alive[to][at] = false;
        }
        !lost.is_empty()
    }

    /// Which of these do not follow. Each answer of the solver leaves out all that its values contradict.
    fn lost(
        &mut self,
        component: &mut Component,
        premise: &[TermId],
        mut wanted: Vec<(usize, TermId)>,
        budget: &Budget,
    ) -> Vec<usize> {
        let mut lost = Vec::new();
        while !wanted.is_empty() {
            self.checks += 1;
            let terms: Vec<TermId> = wanted.iter().map(|(_, term)| *term).collect();
            let all = component.pool.all_of(&terms);
            let mut asked = premise.to_vec();
            asked.push(component.pool.not(all));
            match self.solver.check_assuming(&mut component.pool, &asked, budget) {
                Answer::Unsat => return lost,
                Answer::Unknown(_) => break,
                Answer::Sat => {}
            }
            let mut everything = asked;
            everything.extend(&terms);
            let Some(model) = self.solver.model(&mut component.pool, &everything) else { break };
            let before = wanted.len();
            wanted.retain(|&(at, term)| {
                let holds = matches!(model.evaluate(&component.pool, term), Ok(Value::Bool(true)));
                if !holds {
                    lost.push(at);
                }
                holds
            });
            if wanted.len() == before {
                break;
            }
        }
        lost.extend(wanted.into_iter().map(|(at, _)| at));
        lost
    }
}

/// A variable that only gets constants and counts by constants.
#[derive(Clone, Debug, Default)]
struct Counter {
    /// The constants that it gets.
    starts: BTreeSet<i128>,
    /// What is added to it.
    steps: BTreeSet<i128>,
}

fn counters(component: &Component) -> BTreeMap<CellId, Counter> {
    let pool = &component.pool;
    let mut found: BTreeMap<CellId, Counter> = BTreeMap::new();
    for (cell, value) in component.edges.iter().flat_map(|edge| edge.updates.iter().copied()) {
        let symbol = component.cells[cell].symbol;
        if let Some(bits) = pool.constant_value(value) {
            found.entry(cell).or_default().starts.extend(bits.to_i128());
        } else if pool.op(value) == Op::BvAdd && pool.arguments(value).contains(&symbol) {
            let constants =
                pool.arguments(value).iter().filter_map(|&part| pool.constant_value(part)?.to_i128());
            let own: Vec<i128> = constants.collect();
            if let ([step], 2) = (own.as_slice(), pool.arguments(value).len()) {
                found.entry(cell).or_default().steps.insert(*step);
            }
        } else if let (Op::BvSub, [from, by]) = (pool.op(value), pool.arguments(value))
            && *from == symbol
            && let Some(step) = pool.constant_value(*by).and_then(|bits| bits.to_i128())
        {
            found.entry(cell).or_default().steps.insert(-step);
        }
    }
    found.retain(|_, counter| !counter.steps.is_empty());
    found
}

/// What may hold.
fn candidates(component: &mut Component) -> Vec<TermId> {
    let cell_of: FxHashMap<TermId, CellId> =
        component.cells.iter_enumerated().map(|(id, cell)| (cell.symbol, id)).collect();
    let counters = counters(component);
    let mut found = Candidates::default();
    let mut conditions: Vec<TermId> = Vec::new();
    for edge in component.edges.iter().filter(|edge| edge.is_branch) {
        conditions.push(edge.full_guard);
    }
    conditions.extend(component.propositions.iter().copied());
    conditions.sort_unstable();
    conditions.dedup();
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    for condition in conditions {
        for atom in atoms(component, condition) {
            let atom = positive(component, atom);
            let symbols = symbols_in(&component.pool, &[atom]);
            let cells: Vec<CellId> =
                symbols.iter().filter_map(|symbol| cell_of.get(symbol).copied()).collect();
            let is_own =
                cells.len() == symbols.len() && !cells.iter().any(|&cell| component.is_pointer(cell));
            let is_known = !seen.insert(atom);
            if is_known || !is_own || !(1..=2).contains(&cells.len()) {
                continue;
            }
            found.condition(component, atom);
        }
    }
    let bounds: Vec<(CellId, Counter)> = counters.into_iter().take(MOST_COUNTERS).collect();
    for (cell, counter) in &bounds {
        for start in counter.starts.iter().chain([&0]) {
            let symbol = component.cells[*cell].symbol;
            let start = component.pool.number(component.pool.width(symbol), *start);
            let (low, high) = (component.pool.sle(start, symbol), component.pool.sle(symbol, start));
            found.0.extend([low, high]);
        }
    }
    for (at, (one, first)) in bounds.iter().enumerate() {
        for (other, second) in &bounds[at + 1..] {
            found.pair(component, (*one, first), (*other, second));
        }
    }
    found.by_cases(component);
    let mut all = found.0;
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    for fact in &mut all {
        *fact = component.simplifier.simplify(&mut component.pool, *fact);
    }
    all.retain(|&fact| component.pool.bool_value(fact).is_none() && seen.insert(fact));
    all.truncate(MOST_CANDIDATES);
    all
}

#[derive(Default)]
struct Candidates(Vec<TermId>);

impl Candidates {
    /// A condition, its opposite, and its neighbours: where the condition of a loop fails, its bound is met.
    fn condition(&mut self, component: &mut Component, atom: TermId) {
        let pool = &mut component.pool;
        let opposite = pool.not(atom);
        self.0.extend([atom, opposite]);
        let op = pool.op(atom);
        let sides = pool.arguments(atom).to_vec();
        let [left, right] = sides[..] else { return };
        if !matches!(op, Op::Slt | Op::Sle | Op::Ult | Op::Ule | Op::Equal)
            || pool.sort(left) == logic::Sort::Bool
        {
            return;
        }
        let is_unsigned = matches!(op, Op::Ult | Op::Ule);
        let at_most =
            |pool: &mut logic::TermPool, a, b| if is_unsigned { pool.ule(a, b) } else { pool.sle(a, b) };
        let (below, above) = (at_most(pool, left, right), at_most(pool, right, left));
        let (not_below, not_above) = (pool.not(below), pool.not(above));
        self.0.extend([below, above, not_below, not_above]);
        // One further than the bound: where a step by one is taken before it is compared.
        let width = pool.width(left);
        for (a, b) in [(left, right), (right, left)] {
            let Some(bound) = pool.constant_value(b).and_then(|bits| bits.to_i128()) else { continue };
            for bound in [bound - 1, bound + 1] {
                let bound = pool.number(width, bound);
                let (below, above) = (at_most(pool, a, bound), at_most(pool, bound, a));
                self.0.extend([below, above]);
            }
        }
    }

    /// Bounds that hold only where a variable has some value: `state != RUNNING || retries < 3`.
    fn by_cases(&mut self, component: &mut Component) {
        let pool = &mut component.pool;
        let is_case = |pool: &logic::TermPool, term: TermId| {
            let compares = pool.op(term) == Op::Equal;
            compares && pool.arguments(term).iter().any(|&side| pool.constant_value(side).is_some())
        };
        let is_bound = |pool: &logic::TermPool, term: TermId| {
            let term = if pool.op(term) == Op::Not { pool.arguments(term)[0] } else { term };
            matches!(pool.op(term), Op::Slt | Op::Sle | Op::Ult | Op::Ule)
        };
        let mut cases: Vec<TermId> = self.0.iter().copied().filter(|&term| is_case(pool, term)).collect();
        let mut bounds: Vec<TermId> = self.0.iter().copied().filter(|&term| is_bound(pool, term)).collect();
        cases.dedup();
        bounds.dedup();
        cases.truncate(MOST_CASES);
        bounds.truncate(MOST_BOUNDS);
        for case in cases {
            let other = pool.not(case);
            for &bound in &bounds {
                let (here, elsewhere) = (pool.or(other, bound), pool.or(case, bound));
                self.0.extend([here, elsewhere]);
            }
        }
    }

    /// Two variables that count: which is larger, and how they go together.
    fn pair(
        &mut self,
        component: &mut Component,
        (one, first): (CellId, &Counter),
        (other, second): (CellId, &Counter),
    ) {
        let (x, y) = (component.cells[one].symbol, component.cells[other].symbol);
        let pool = &mut component.pool;
        let width = pool.width(x);
        if width != pool.width(y) {
            return;
        }
        let orders = [pool.sle(x, y), pool.sle(y, x), pool.slt(x, y), pool.slt(y, x), pool.equal(x, y)];
        self.0.extend(orders);
        for (from, to) in
            first.starts.iter().flat_map(|from| second.starts.iter().map(move |to| (*from, *to)))
        {
            for (step, other_step) in
                first.steps.iter().flat_map(|step| second.steps.iter().map(move |other| (*step, *other)))
            {
                let scaled = |pool: &mut logic::TermPool, symbol: TermId, start: i128, by: i128| {
                    let start = pool.number(width, start);
                    let by = pool.number(width, by);
                    let moved = pool.bvsub(symbol, start);
                    pool.bvmul(moved, by)
                };
                // Between the two steps of a round one of them is ahead.
                for (ahead, other_ahead) in [(0, 0), (step, 0), (0, other_step)] {
                    let left = scaled(pool, x, from + ahead, other_step);
                    let right = scaled(pool, y, to + other_ahead, step);
                    self.0.push(pool.equal(left, right));
                }
            }
        }
    }
}
