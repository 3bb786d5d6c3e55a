//! Control states by enumeration (explicit-value analysis with refinement): which values do the variables of
//! a state machine have together? Few variables that only ever get constants (`crate::finite`), and
//! conditions on what the loops never change, are followed by their values; from each combination the solver
//! lists the next ones. What is followed grows by need: a chain of combinations to a failure that is no run
//! tells which more must be followed to exclude it (after Clarke, Grumberg, Jha, Lu, Veith 2000; explicit
//! values as in Beyer, Löwe 2013).
//!
//! Reading order: [`dimensions`] (what can be followed; [`cells`]: in memory) → this file (the enumeration, and its refinement by
//! `question::refine_until_decided`) → [`data`] (facts about other variables in each combination, where
//! values are not enough) → [`boxes`] (combinations as conditions).
//!
//! Nothing rests on the enumeration: the conditions it ends with are invariants that are checked by
//! themselves, as all are.
//!
//! Worked example: a lock, `while (1) { if (state == 0) { assert(!held); held = 1; state = 1; } else { held =
//! 0; state = 0; } }`, both 0 at first. Nothing is followed: the first arrival may fail. It is no run, since
//! `held` is 0 there, so `held` is followed; now a chain to `held = 1` may fail with `state` 0. It is no run
//! either, so `state` is followed too. Of the four combinations (0, 0) and (1, 1) are reached and neither
//! fails: `state == 0 && held == 0 || state == 1 && held == 1` is the invariant.

mod boxes;
mod cells;
mod data;
mod dimensions;

use crate::blocks::{ArrivalId, Blocks, HeadId};
use crate::code::{CodeEngine, CodeRequest, gave_up, not_for_this};
use crate::induction::{Attempt, attempt};
use crate::pdr::Queries;
use base::{Budget, EventSink, IndexVec};
use dimensions::{Column, Dimension};
use logic::{Answer, TermId};
use question::{Checked, Decided, MostRounds, Progress, Refinement, Validated, refine_until_decided};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeSet, VecDeque};
use verdict::{NoModel, Reason, Undecided};

/// The values of what is followed, in the order it is; `None` where a head does not have it.
type Combination = Vec<Option<u128>>;

/// Bounds: combinations in all, after one step, and on one chain when everything is followed.
const MOST_COMBINATIONS: usize = 20_000;
const MOST_NEXT: usize = 256;
const MOST_ON_CHAIN: usize = 400;
/// More refinements than this lead nowhere.
const MOST_ROUNDS: usize = 60;

const NAME: &str = "control";

/// Combinations of values of state variables.
pub const CONTROL_STATES: CodeEngine =
    CodeEngine::new(NAME, "Combinations of values of state variables", by_control_states);

fn by_control_states(asked: &CodeRequest<'_, '_>) -> question::Answer {
    let CodeRequest { code, knowledge, budget, events } = *asked;
    code.on_blocks(NAME, knowledge, budget, |blocks| match prove(blocks, budget, events) {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => Err(not_for_this(NAME, "there are no state variables")),
        Err(why) => Err(gave_up("control states", why, budget)),
    })
}

/// Tries to prove the property. Without a proof, what was found out is known at the heads, and the reason is
/// told.
fn prove(
    blocks: &mut Blocks<'_, '_>,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<Option<question::Answer>, Reason> {
    if blocks.explorer.contracts.is_some() || blocks.heads.is_empty() {
        return Ok(None);
    }
    let dimensions = dimensions::of(blocks);
    if dimensions.is_empty() {
        return Ok(None);
    }
    let queries = Queries::new(blocks);
    let mut control = Control {
        blocks,
        queries,
        dimensions,
        followed: Vec::new(),
        next: FxHashMap::default(),
        without_counters: false,
        rounds: 0,
        not_excluded: None,
        budget,
    };
    match refine_until_decided(&mut control, MostRounds::UNLIMITED, budget, events) {
        Ok(Decided::Proved(reached)) => {
            let conditions = control.conditions(&reached);
            control.conclude(conditions, "the combinations of values could not be confirmed")
        }
        Ok(Decided::Violated(never)) => match never {},
        Err(undecided) => match control.not_excluded.take() {
            Some(why) => {
                budget.check()?;
                control.with_facts(why)
            }
            None => Err(undecided.reason),
        },
    }
}

fn too_many(what: &'static str, limit: usize) -> Reason {
    Reason::SizeLimit { what, limit: limit as u64 }
}

/// Steps with what is followed after each; after the last one there may be a failure.
type Chain = Vec<(ArrivalId, Combination)>;

struct Control<'b, 'p, 'a> {
    blocks: &'b mut Blocks<'p, 'a>,
    queries: Queries,
    dimensions: Vec<Dimension>,
    /// Which dimensions are followed, in this order.
    followed: Vec<usize>,
    /// What follows from a combination of dimensions by a step, as far as it was asked.
    next: FxHashMap<(Vec<usize>, Combination, ArrivalId), Vec<Combination>>,
    /// Are counters not followed any more?
    without_counters: bool,
    /// Refinements that were made.
    rounds: usize,
    /// Why the values of state variables do not exclude a chain, once there is such a chain. It may be a run
    /// or not: that is for others to say.
    not_excluded: Option<Reason>,
    budget: &'b Budget,
}

/// The abstraction is by the dimensions that are followed; a counterexample is a chain, and what excludes one
/// is more dimensions.
impl Refinement for Control<'_, '_, '_> {
    type Model = ();
    /// The combinations at each head.
    type Proof = IndexVec<HeadId, BTreeSet<Combination>>;
    type Witness = Chain;
    /// A chain that cannot be excluded is left open here.
    type Violation = std::convert::Infallible;
    /// Dimensions that exclude the chain.
    type Cause = Vec<usize>;

    fn abstraction(&mut self, _: &Budget) -> Result<(), Undecided> {
        Ok(())
    }

    fn check(&mut self, (): &mut (), _: &Budget) -> Result<Checked<Self::Proof, Chain>, Undecided> {
        let explored = match self.explore() {
            // A counter without bound is no state.
            Err(Reason::SizeLimit { .. }) if self.drop_counters() => self.explore(),
            explored => explored,
        };
        explored.map_err(Undecided::because)
    }

    fn validate(
        &mut self,
        (): &mut (),
        chain: &mut Chain,
        _: &Budget,
    ) -> Result<Validated<Self::Violation, Vec<usize>>, Undecided> {
        self.more_to_follow(chain).map(Validated::Spurious).map_err(|why| {
            self.not_excluded = Some(why.clone());
            Undecided::because(why)
        })
    }

    fn refine(&mut self, (): (), _: Chain, more: Vec<usize>, _: &Budget) -> Result<(), Undecided> {
        self.followed.extend(more);
        self.rounds += 1;
        match self.rounds < MOST_ROUNDS {
            true => Ok(()),
            false => Err(Undecided::because(too_many("refinements", MOST_ROUNDS))),
        }
    }

    fn progress(&self) -> Progress {
        Progress { distinctions: self.followed.len(), states: self.next.len() }
    }
}

impl Control<'_, '_, '_> {
    /// Follows no counters any more. Says whether some were followed.
    fn drop_counters(&mut self) -> bool {
        let count = self.followed.len();
        let dimensions = &self.dimensions;
        self.followed.retain(|&dimension| !dimensions[dimension].is_counted());
        self.without_counters = true;
        self.followed.len() < count
    }

    /// All combinations that can be reached, or the first that may fail.
    fn explore(&mut self) -> Result<Checked<<Self as Refinement>::Proof, Chain>, Reason> {
        let followed = self.followed.clone();
        let mut reached: IndexVec<HeadId, BTreeSet<Combination>> =
            self.blocks.heads.iter().map(|_| BTreeSet::new()).collect();
        // Combinations in the order they were found, each with the step that led there and what it came from.
        let mut found: Vec<(HeadId, Combination, ArrivalId, Option<usize>)> = Vec::new();
        let mut open: VecDeque<Option<usize>> = VecDeque::from([None]);
        let counted: Vec<usize> =
            (0..followed.len()).filter(|&column| self.dimensions[followed[column]].is_counted()).collect();
        let mut counts: Vec<BTreeSet<u128>> = vec![BTreeSet::new(); counted.len()];
        while let Some(at) = open.pop_front() {
            self.budget.check()?;
            let (from, before) = match at {
                None => (None, Vec::new()),
                Some(at) => (Some(found[at].0), found[at].1.clone()),
            };
            if let Some(head) = from
                && self.may_fail(head, &followed, &before)?
            {
                let mut chain = Vec::new();
                let mut step = at;
                while let Some(place) = step {
                    let (_, combination, arrival, previous) = &found[place];
                    chain.push((*arrival, combination.clone()));
                    step = *previous;
                }
                chain.reverse();
                return Ok(Checked::Witness(chain));
            }
            for arrival in self.blocks.arrivals.ids() {
                if self.blocks.arrivals[arrival].from != from {
                    continue;
                }
                let to = self.blocks.arrivals[arrival].to;
                for combination in self.after(arrival, &followed, &before)? {
                    if reached[to].insert(combination.clone()) {
                        if found.len() >= MOST_COMBINATIONS {
                            return Err(too_many("combinations", MOST_COMBINATIONS));
                        }
                        for (values, &column) in counts.iter_mut().zip(&counted) {
                            values.extend(combination[column]);
                            if values.len() > dimensions::MOST_COUNTED {
                                return Err(too_many("values of one counter", dimensions::MOST_COUNTED));
                            }
                        }
                        open.push_back(Some(found.len()));
                        found.push((to, combination, arrival, at));
                    }
                }
            }
        }
        Ok(Checked::Proved(reached))
    }

    /// The conditions that a state at a head has this combination.
    fn has(&mut self, head: HeadId, dimensions: &[usize], combination: &[Option<u128>]) -> Vec<TermId> {
        let mut conditions = Vec::new();
        for (&dimension, value) in dimensions.iter().zip(combination) {
            if let (Some(column), Some(value)) = (self.dimensions[dimension].at(head), *value) {
                conditions.push(column.is(&mut self.blocks.explorer.encoder.terms, value));
            }
        }
        conditions
    }

    fn ask(&mut self, from: Option<HeadId>, assumptions: &[TermId]) -> Result<bool, Reason> {
        self.queries.renew_if_worn(self.blocks, &[]);
        match self.queries.ask(self.blocks, from, assumptions, self.budget) {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(reason) => Err(Reason::solver(&reason)),
        }
    }

    fn may_fail(
        &mut self,
        head: HeadId,
        dimensions: &[usize],
        combination: &[Option<u128>],
    ) -> Result<bool, Reason> {
        let mut assumptions = vec![self.blocks.active(Some(head)), self.blocks.failure_after(Some(head))];
        assumptions.extend(self.has(head, dimensions, combination));
        self.ask(Some(head), &assumptions)
    }

    /// The combinations after a step.
    fn after(
        &mut self,
        arrival: ArrivalId,
        dimensions: &[usize],
        before: &[Option<u128>],
    ) -> Result<Vec<Combination>, Reason> {
        let key = (dimensions.to_vec(), before.to_vec(), arrival);
        if let Some(known) = self.next.get(&key) {
            return Ok(known.clone());
        }
        let (from, to, guard) = {
            let arrival = &self.blocks.arrivals[arrival];
            (arrival.from, arrival.to, arrival.guard)
        };
        let mut assumptions = vec![self.blocks.active(from), guard];
        if let Some(from) = from {
            assumptions.extend(self.has(from, dimensions, before));
        }
        let columns: Vec<Option<Column>> =
            dimensions.iter().map(|&dimension| self.dimensions[dimension].at(to)).collect();
        let terms: Vec<TermId> = columns.iter().flatten().map(|column| column.term).collect();
        let after = self.blocks.after_all(arrival, &terms);
        let mut found = Vec::new();
        while self.ask(from, &assumptions)? {
            let values = self.queries.values(self.blocks, &after).ok_or(NoModel::Missing)?;
            let (mut combination, mut same) = (Combination::new(), Vec::new());
            let mut place = after.iter().zip(&values);
            for column in &columns {
                let Some(column) = column else {
                    combination.push(None);
                    continue;
                };
                let (&term, value) = place.next().ok_or(NoModel::Missing)?;
                let value = column.value(value).ok_or(NoModel::Missing)?;
                combination.push(Some(value));
                same.push(column.of(term).is(&mut self.blocks.explorer.encoder.terms, value));
            }
            let terms = &mut self.blocks.explorer.encoder.terms;
            let all = terms.pool.all_of(&same);
            let other = terms.not(all);
            assumptions.push(other);
            found.push(combination);
            if found.len() > MOST_NEXT {
                return Err(too_many("combinations follow one", MOST_NEXT));
            }
        }
        self.next.insert(key, found.clone());
        Ok(found)
    }

    /// Dimensions that exclude a chain when they are followed too: few of those that do.
    fn more_to_follow(&mut self, chain: &[(ArrivalId, Combination)]) -> Result<Vec<usize>, Reason> {
        let followed: FxHashSet<usize> = self.followed.iter().copied().collect();
        let open = || (0..self.dimensions.len()).filter(|dimension| !followed.contains(dimension));
        let (mut conditions, mut variables, mut counters) = (Vec::new(), Vec::new(), Vec::new());
        for dimension in open() {
            match &self.dimensions[dimension] {
                one if one.is_condition() => conditions.push(dimension),
                one if one.is_counted() => counters.push(dimension),
                _ => variables.push(dimension),
            }
        }
        counters.retain(|_| !self.without_counters);
        let mut more = self.excluding(chain, variables, &conditions, &counters)?;
        // Those with many values are dropped first.
        more.sort_by_key(|&dimension| std::cmp::Reverse(self.dimensions[dimension].values()));
        let mut size = more.len().div_ceil(2).max(1);
        loop {
            let mut position = 0;
            while position < more.len() {
                let end = (position + size).min(more.len());
                let without: Vec<usize> = more[..position].iter().chain(&more[end..]).copied().collect();
                if self.excludes(chain, &without)? {
                    more = without;
                } else {
                    position = end;
                }
            }
            if size == 1 {
                return Ok(more);
            }
            size = size.div_ceil(2);
        }
    }

    /// Dimensions that exclude a chain: all variables, and conditions or counters where these are not enough.
    fn excluding(
        &mut self,
        chain: &[(ArrivalId, Combination)],
        variables: Vec<usize>,
        conditions: &[usize],
        counters: &[usize],
    ) -> Result<Vec<usize>, Reason> {
        if self.excludes(chain, &variables)? {
            return Ok(variables);
        }
        let with = |more: &[usize]| [&variables[..], more].concat();
        for &one in conditions {
            if self.excludes(chain, &with(&[one]))? {
                return Ok(with(&[one]));
            }
        }
        for (at, &one) in conditions.iter().enumerate() {
            for &two in &conditions[at + 1..] {
                if self.excludes(chain, &with(&[one, two]))? {
                    return Ok(with(&[one, two]));
                }
            }
        }
        // Counters, or all conditions, as far as their combinations can be counted.
        for more in [counters, conditions].into_iter().filter(|more| !more.is_empty()) {
            match self.excludes(chain, &with(more)) {
                Ok(true) => return Ok(with(more)),
                Ok(false) | Err(Reason::SizeLimit { .. }) => {}
                Err(why) => return Err(why),
            }
        }
        let what = "some failure is not excluded by the values of state variables".to_owned();
        Err(Reason::TooCoarse { what })
    }

    /// Is there no way along the chain to the failure, if these are followed too?
    fn excludes(&mut self, chain: &[(ArrivalId, Combination)], more: &[usize]) -> Result<bool, Reason> {
        let count = self.followed.len();
        let dimensions: Vec<usize> = self.followed.iter().chain(more).copied().collect();
        let mut layer: BTreeSet<Combination> = BTreeSet::from([Vec::new()]);
        for (arrival, wanted) in chain {
            let mut next = BTreeSet::new();
            for before in &layer {
                self.budget.check()?;
                for combination in self.after(*arrival, &dimensions, before)? {
                    if combination[..count] == wanted[..] {
                        next.insert(combination);
                    }
                }
                if next.len() > MOST_ON_CHAIN {
                    return Err(too_many("combinations on one chain", MOST_ON_CHAIN));
                }
            }
            layer = next;
        }
        let Some((last, _)) = chain.last() else { return Ok(false) };
        let head = self.blocks.arrivals[*last].to;
        for combination in &layer {
            if self.may_fail(head, &dimensions, combination)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Follows all variables at once, with facts about the others, where values alone are not enough. What is
    /// found may help others even if it proves nothing.
    fn with_facts(&mut self, why_not: Reason) -> Result<Option<question::Answer>, Reason> {
        self.followed = (0..self.dimensions.len())
            .filter(|&at| !self.dimensions[at].is_condition() && !self.dimensions[at].is_counted())
            .collect();
        let known = self.facts()?;
        let is_safe = self.is_safe(&known)?;
        let conditions = self.conditions_of(&known);
        if is_safe {
            return self.conclude(conditions, "facts about combinations of values could not be confirmed");
        }
        crate::houdini::keep_invariants(self.blocks, conditions, Vec::new(), self.budget)?;
        Err(why_not)
    }

    /// Keeps conditions that are invariants, and proves the property with them.
    fn conclude(
        &mut self,
        conditions: IndexVec<HeadId, Vec<TermId>>,
        why_not: &str,
    ) -> Result<Option<question::Answer>, Reason> {
        crate::houdini::keep_invariants(self.blocks, conditions, Vec::new(), self.budget)?;
        match attempt(self.blocks, 1, self.budget) {
            Attempt::Proved(proof) => {
                let how = "no combination of values that its state variables can have leads to a failure";
                Ok(Some(question::Answer { engine: NAME, how: how.into(), ..*proof }))
            }
            _ => Err(Reason::NoInvariant { why: why_not.to_owned() }),
        }
    }

    /// What a head has of what is followed, and the values of it in some combinations.
    fn table(
        &self,
        head: HeadId,
        combinations: &BTreeSet<Combination>,
    ) -> (Vec<Column>, BTreeSet<Vec<u128>>) {
        let columns =
            self.followed.iter().filter_map(|&dimension| self.dimensions[dimension].at(head)).collect();
        let rows =
            combinations.iter().map(|combination| combination.iter().flatten().copied().collect()).collect();
        (columns, rows)
    }

    /// The conditions at each head that say which combinations were reached.
    fn conditions(
        &mut self,
        reached: &IndexVec<HeadId, BTreeSet<Combination>>,
    ) -> IndexVec<HeadId, Vec<TermId>> {
        let mut by_head: IndexVec<HeadId, Vec<TermId>> = IndexVec::new();
        for (head, combinations) in reached.iter_enumerated() {
            let (columns, rows) = self.table(head, combinations);
            by_head.push(boxes::conditions(&mut self.blocks.explorer.encoder.terms, &columns, rows));
        }
        by_head
    }
}
