//! The search from below. OLL (Andres, Kaufmann, Matheis, Schaub 2012; Morgado, Dodaro, Marques-Silva 2014): what
//! should hold is assumed; a set of assumptions that cannot hold together (a core) proves a cost, and is replaced by
//! a counter that may be given up at the same price once more for each further one. What makes it fast:
//!
//! 1. weights by strata, heavy ones first, of several kinds each (Ansótegui, Bonet, Levy 2012);
//! 2. weight-aware cores (Berg, Järvisalo 2017): a core is paid for at once, but counters are made only when no more
//!    cores are found without them;
//! 3. small cores: a few conflicts are spent on dropping members;
//! 4. exhausted cores (Ignatiev, Morgado, Marques-Silva 2019, "RC2"): how many of a core must be given up is asked
//!    before its counter is used;
//! 5. hardening: what costs more than the best solution leaves to gain can be taken for certain.
//!
//! Limits inside are conflicts, not time, so that runs are repeatable.
//!
//! Worked example: hit {a, b}, {b, c} at the least cost, one for each element. Assumed: none of `a`, `b`,
//! `c`. Core: not `a`, not `b` (the first set); the cost is at least 1, and a counter allows one of the two
//! for that price. With it, `b` alone satisfies both sets: the minimum is 1. The search from above (`linear`)
//! must find the same.

use super::minimise::Objective;
use super::totalizer::Totalizer;
use crate::answer::{Answer, UnknownReason};
use crate::sat::{CadicalSolver, FailedAssumptions, Literal, SolveUnder, TakeClauses};
use base::Budget;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Conflicts for one try to drop a member of a core.
const CONFLICTS_FOR_SMALLER_CORES: u32 = 200;
/// Members of a core that are tried.
const MEMBERS_TRIED: usize = 60;
/// Conflicts for asking whether a core costs more than its counter knows.
const CONFLICTS_FOR_EXHAUSTION: u32 = 500;

/// How the search ended.
pub(super) enum Ended {
    /// The best solution is the cheapest.
    Minimum,
    /// There is no solution.
    Unsatisfiable,
    /// It ended early.
    Unknown(UnknownReason),
}

pub(super) struct CoreGuided<'s> {
    sat: &'s mut CadicalSolver,
    objective: &'s Objective,
    budget: &'s Budget,
    /// Assumed in every call: what is only true of solutions better than the best so far hangs on it.
    improving: Literal,
    /// Assumptions, and what giving each up costs. Ordered, so that runs are repeatable.
    soft: BTreeMap<Literal, u64>,
    counters: Vec<Totalizer>,
    /// For an assumption "no more than k of a counter": which counter, and k.
    counted: FxHashMap<Literal, (usize, usize)>,
    /// Every solution costs at least this.
    pub(super) lower: u64,
    /// The cheapest solution seen, and its cost.
    pub(super) best: Option<(u64, Vec<bool>)>,
}

/// What a call with assumptions said.
enum CallResult {
    Possible,
    /// The assumptions to blame.
    Impossible(Vec<Literal>),
    /// The limit of conflicts was reached.
    GaveUp,
}

impl<'s> CoreGuided<'s> {
    pub(super) fn new(sat: &'s mut CadicalSolver, objective: &'s Objective, budget: &'s Budget) -> Self {
        let improving = sat.new_literal();
        let mut soft: BTreeMap<Literal, u64> = BTreeMap::new();
        for &(literal, weight) in &objective.terms {
            *soft.entry(!literal).or_default() += weight;
            sat.prefer(!literal);
        }
        CoreGuided {
            sat,
            objective,
            budget,
            improving,
            soft,
            counters: Vec::new(),
            counted: FxHashMap::default(),
            lower: 0,
            best: None,
        }
    }

    /// Searches to the end, or until the budget ends.
    pub(super) fn run(&mut self) -> Ended {
        let ended = match self.search() {
            Ok(ended) => ended,
            Err(reason) => Ended::Unknown(reason),
        };
        // What hangs on it was for this search only.
        let improving = self.improving;
        self.sat.add_clause(&[!improving]);
        for &(literal, _) in &self.objective.terms {
            self.sat.forget_preference(literal);
        }
        ended
    }

    fn search(&mut self) -> Result<Ended, UnknownReason> {
        match self.ask(&[], None)? {
            CallResult::Possible => self.note_solution(),
            CallResult::Impossible(_) | CallResult::GaveUp => return Ok(Ended::Unsatisfiable),
        }
        let mut stratum = self.next_stratum(None);
        while !self.is_settled() {
            let mut cores: Vec<(Vec<Literal>, u64)> = Vec::new();
            loop {
                match self.ask(&self.assumptions(stratum), None)? {
                    CallResult::Possible | CallResult::GaveUp => break,
                    // Nothing better than the best is possible.
                    CallResult::Impossible(core) if core.is_empty() => return Ok(Ended::Minimum),
                    CallResult::Impossible(core) => {
                        let core = self.smaller_core(core)?;
                        let weight = self.pay(&core);
                        cores.push((core, weight));
                        if self.is_settled() {
                            return Ok(Ended::Minimum);
                        }
                    }
                }
            }
            self.note_solution();
            let nothing_paid = cores.is_empty();
            for (core, weight) in cores {
                self.count_further(&core, weight)?;
            }
            self.harden();
            if nothing_paid {
                match self.next_stratum(stratum) {
                    None => break,
                    next => stratum = next,
                }
            }
        }
        Ok(Ended::Minimum)
    }

    fn is_settled(&self) -> bool {
        self.best.as_ref().is_some_and(|&(cost, _)| cost <= self.lower)
    }

    fn assumptions(&self, stratum: Option<u64>) -> Vec<Literal> {
        let least = stratum.unwrap_or(0);
        self.soft.iter().filter(|&(_, &weight)| weight >= least).map(|(&literal, _)| literal).collect()
    }

    /// The next smaller weight to go down to: one that adds several assumptions for each kind of weight.
    fn next_stratum(&self, above: Option<u64>) -> Option<u64> {
        let mut kinds: BTreeMap<u64, usize> = BTreeMap::new();
        for &weight in self.soft.values() {
            *kinds.entry(weight).or_default() += 1;
        }
        let (mut members, mut seen, mut last) = (0, 0, None);
        for (&weight, &count) in kinds.iter().rev() {
            members += count;
            seen += 1;
            if above.is_some_and(|above| weight >= above) {
                continue;
            }
            last = Some(weight);
            // More than five for four kinds.
            if 4 * members > 5 * seen {
                return last;
            }
        }
        last
    }

    fn ask(&mut self, assumptions: &[Literal], conflicts: Option<u32>) -> Result<CallResult, UnknownReason> {
        let mut all = Vec::with_capacity(assumptions.len() + 1);
        all.push(self.improving);
        all.extend(assumptions);
        if let Some(conflicts) = conflicts {
            self.sat.limit_conflicts(conflicts);
        }
        match self.sat.solve_under(&all, self.budget) {
            Answer::Sat => Ok(CallResult::Possible),
            Answer::Unsat => {
                let improving = self.improving;
                let failed = self.sat.failed_assumptions().iter();
                Ok(CallResult::Impossible(failed.copied().filter(|&literal| literal != improving).collect()))
            }
            Answer::Unknown(UnknownReason::BackEnd(_)) if conflicts.is_some() => Ok(CallResult::GaveUp),
            Answer::Unknown(reason) => Err(reason),
        }
    }

    /// Keeps the solver's solution if it is the cheapest so far.
    fn note_solution(&mut self) {
        let cost = self.objective.cost(self.sat);
        if self.best.as_ref().is_none_or(|&(known, _)| cost < known) {
            self.best = Some((cost, super::minimise::assignment_of(self.sat)));
        }
    }

    /// Pays for a core: one of its members is given up for its least weight, and which one stays open.
    fn pay(&mut self, core: &[Literal]) -> u64 {
        let weight = core.iter().map(|literal| self.soft[literal]).min().expect("a core is not empty");
        self.lower += weight;
        for literal in core {
            let left = self.soft.get_mut(literal).expect("cores are made of assumptions");
            *left -= weight;
            if *left == 0 {
                self.soft.remove(literal);
            }
        }
        weight
    }

    /// Each further member of a core that is given up costs its weight again.
    fn count_further(&mut self, core: &[Literal], weight: u64) -> Result<(), UnknownReason> {
        for literal in core {
            // One more of an older core: the next count comes at the same price.
            if let Some(&(counter, count)) = self.counted.get(literal) {
                self.allow_no_more(counter, count + 1, weight);
            }
        }
        let improving = self.improving;
        let mut clause = vec![!improving];
        clause.extend(core.iter().map(|&literal| !literal));
        self.sat.add_clause(&clause);
        if core.len() == 1 {
            return Ok(());
        }
        let counter = self.counters.len();
        self.counters.push(Totalizer::new(&clause[1..]));
        let mut count = 1;
        // Is the next count needed anyway? Then it is paid for as well.
        while let Some(more) = self.counters[counter].more_than(self.sat, count) {
            match self.ask(&[!more], Some(CONFLICTS_FOR_EXHAUSTION))? {
                CallResult::Impossible(_) => {
                    self.lower += weight;
                    self.sat.add_clause(&[!improving, more]);
                    count += 1;
                    if self.is_settled() {
                        return Ok(());
                    }
                }
                CallResult::Possible => {
                    self.note_solution();
                    break;
                }
                CallResult::GaveUp => break,
            }
        }
        self.allow_no_more(counter, count, weight);
        Ok(())
    }

    /// Assumes that no more than `count` inputs of a counter are true, or pays `weight`.
    fn allow_no_more(&mut self, counter: usize, count: usize, weight: u64) {
        if let Some(more) = self.counters[counter].more_than(self.sat, count) {
            *self.soft.entry(!more).or_default() += weight;
            self.counted.insert(!more, (counter, count));
        }
    }

    /// A better solution costs less than the best; what would take that much by itself cannot be given up in it.
    fn harden(&mut self) {
        let Some((cost, _)) = self.best else { return };
        let gain = cost.saturating_sub(self.lower);
        let certain: Vec<Literal> =
            self.soft.iter().filter(|&(_, &weight)| weight >= gain).map(|(&literal, _)| literal).collect();
        let improving = self.improving;
        for literal in certain {
            self.soft.remove(&literal);
            self.sat.add_clause(&[!improving, literal]);
        }
    }

    /// A smaller core, as far as a few conflicts go: small cores make small counters.
    fn smaller_core(&mut self, mut core: Vec<Literal>) -> Result<Vec<Literal>, UnknownReason> {
        // The lightest first: without them the core is worth more.
        core.sort_by_key(|literal| (self.soft[literal], *literal));
        let mut position = 0;
        for _ in 0..MEMBERS_TRIED {
            if core.len() <= 1 || position >= core.len() {
                break;
            }
            let mut without = core.clone();
            without.remove(position);
            match self.ask(&without, Some(CONFLICTS_FOR_SMALLER_CORES))? {
                // The constraints alone are impossible, which the next search will tell.
                CallResult::Impossible(smaller) if smaller.is_empty() => break,
                CallResult::Impossible(smaller) => {
                    without.retain(|literal| smaller.contains(literal));
                    core = without;
                }
                CallResult::Possible => {
                    self.note_solution();
                    position += 1;
                }
                CallResult::GaveUp => position += 1,
            }
        }
        Ok(core)
    }
}
