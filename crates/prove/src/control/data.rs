//! What is known of the other variables in each combination: that they are equal to a number, differ by a
//! number, or are in order. Facts of a combination begin as all that a first state there shows; those that a
//! later state breaks are dropped, until every step keeps what is left. (A forward analysis with a solver as
//! its transfer function, after Reps, Sagiv, Yorsh 2004.)

use super::boxes::{self, Sets};
use super::dimensions::Column;
use super::{Combination, Control};
use crate::blocks::{ArrivalId, HeadId};
use crate::candidates::all_subjects;
use base::IndexVec;
use logic::term::Op;
use logic::{TermId, Value};
use program::VariableId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use symbolic::Terms;
use verdict::{NoModel, Reason};

/// More variables than this are not compared.
const MOST_VARIABLES: usize = 8;

/// A fact about variables, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    /// This one has this value.
    Equal(usize, u128),
    /// The first less the second is this, in the width of both.
    Difference(usize, usize, u128),
    /// The first is not above the second, with signs.
    Order(usize, usize),
}

/// A head with a combination.
type Node = (HeadId, Combination);

/// What was found: facts by node, for the nodes that can be reached.
pub struct FactsAtNodes {
    variables: Vec<FxHashMap<HeadId, TermId>>,
    facts: BTreeMap<Node, Vec<Fact>>,
}

impl Fact {
    /// It, of the values of the variables at some place; `None` where one is not there.
    fn term(self, terms: &mut Terms, values: &[Option<TermId>]) -> Option<TermId> {
        Some(match self {
            Fact::Equal(one, number) => {
                let one = values[one]?;
                let number = terms.number(terms.pool.width(one), number);
                terms.equal(one, number)
            }
            Fact::Difference(one, two, number) => {
                let (one, two) = (values[one]?, values[two]?);
                let difference = terms.sub(one, two);
                let number = terms.number(terms.pool.width(one), number);
                terms.equal(difference, number)
            }
            Fact::Order(one, two) => {
                let order = terms.pool.sle(values[one]?, values[two]?);
                terms.simple(order)
            }
        })
    }
}

impl Control<'_, '_, '_> {
    /// The facts of all combinations that can be reached, for the dimensions that are followed now.
    pub(super) fn facts(&mut self) -> Result<FactsAtNodes, Reason> {
        let mut known = FactsAtNodes { variables: self.data_variables(), facts: BTreeMap::new() };
        let mut open: VecDeque<Option<Node>> = VecDeque::from([None]);
        let mut waiting: BTreeSet<Option<Node>> = BTreeSet::from([None]);
        while let Some(node) = open.pop_front() {
            waiting.remove(&node);
            let from = node.as_ref().map(|(head, _)| *head);
            for arrival in self.blocks.arrivals.ids() {
                if self.blocks.arrivals[arrival].from != from {
                    continue;
                }
                for next in self.weaken(&mut known, node.as_ref(), arrival)? {
                    if waiting.insert(Some(next.clone())) {
                        open.push_back(Some(next));
                    }
                }
            }
        }
        Ok(known)
    }

    /// Integer variables that are not followed and that something depends on.
    fn data_variables(&mut self) -> Vec<FxHashMap<HeadId, TermId>> {
        let mut followed: FxHashSet<TermId> = FxHashSet::default();
        for &dimension in &self.followed {
            for head in self.blocks.heads.ids() {
                followed.extend(self.dimensions[dimension].at(head).map(|column| column.term));
            }
        }
        let live = super::dimensions::live_symbols(self.blocks);
        let mut order: Vec<VariableId> = Vec::new();
        let mut found: FxHashMap<VariableId, FxHashMap<HeadId, TermId>> = FxHashMap::default();
        for id in self.blocks.heads.ids() {
            let head = &self.blocks.heads[id];
            let encoder = &mut self.blocks.explorer.encoder;
            for subject in all_subjects(encoder, &head.procedures, &head.any) {
                let is_symbol = matches!(encoder.terms.pool.op(subject.term), Op::Symbol(_));
                if subject.width > 64
                    || !is_symbol
                    || followed.contains(&subject.term)
                    || !live[id].contains(&subject.term)
                {
                    continue;
                }
                if !found.contains_key(&subject.variable) {
                    order.push(subject.variable);
                }
                found.entry(subject.variable).or_default().insert(id, subject.term);
            }
        }
        order.truncate(MOST_VARIABLES);
        order.iter().filter_map(|variable| found.remove(variable)).collect()
    }

    /// What a state at a node is supposed to be.
    fn supposed(&mut self, known: &FactsAtNodes, node: &Node) -> Vec<TermId> {
        let (head, combination) = node;
        let followed = self.followed.clone();
        let mut conditions = self.has(*head, &followed, combination);
        let values = known.at(*head);
        let terms = &mut self.blocks.explorer.encoder.terms;
        let facts = known.facts.get(node).into_iter().flatten();
        conditions.extend(facts.filter_map(|fact| fact.term(terms, &values)));
        conditions
    }

    /// Drops what a step breaks. Gives the nodes of which less is known now, or that are new.
    fn weaken(
        &mut self,
        known: &mut FactsAtNodes,
        node: Option<&Node>,
        arrival: ArrivalId,
    ) -> Result<Vec<Node>, Reason> {
        let (from, to, guard) = {
            let arrival = &self.blocks.arrivals[arrival];
            (arrival.from, arrival.to, arrival.guard)
        };
        let mut before = vec![self.blocks.active(from), guard];
        if let Some(node) = node {
            before.extend(self.supposed(known, node));
        }
        let followed = self.followed.clone();
        let combination = node.map_or_else(Vec::new, |(_, combination)| combination.clone());
        let variables: Vec<Option<TermId>> = known.at(to);
        let present: Vec<TermId> = variables.iter().flatten().copied().collect();
        let mut after = self.blocks.after_all(arrival, &present).into_iter();
        let after: Vec<Option<TermId>> =
            variables.iter().map(|variable| variable.and_then(|_| after.next())).collect();
        let wanted: Vec<TermId> = after.iter().flatten().copied().collect();
        let mut changed = Vec::new();
        for next in self.after(arrival, &followed, &combination)? {
            self.budget.check()?;
            let mut assumptions = before.clone();
            let columns: Vec<(Column, u128)> = followed
                .iter()
                .zip(&next)
                .filter_map(|(&dimension, value)| Some((self.dimensions[dimension].at(to)?, (*value)?)))
                .collect();
            let terms: Vec<TermId> = columns.iter().map(|(column, _)| column.term).collect();
            let arrived = self.blocks.after_all(arrival, &terms);
            let terms = &mut self.blocks.explorer.encoder.terms;
            assumptions.extend(
                columns.iter().zip(arrived).map(|((column, value), term)| column.of(term).is(terms, *value)),
            );
            let there = (to, next);
            let mut is_changed = false;
            loop {
                let mut asked = assumptions.clone();
                let facts = known.facts.get(&there).cloned();
                if let Some(facts) = &facts {
                    let terms = &mut self.blocks.explorer.encoder.terms;
                    let kept: Vec<TermId> =
                        facts.iter().filter_map(|fact| fact.term(terms, &after)).collect();
                    let all = terms.pool.all_of(&kept);
                    let broken = terms.not(all);
                    if terms.truth(broken) == Some(false) {
                        break;
                    }
                    asked.push(broken);
                }
                if !self.ask(from, &asked)? {
                    break;
                }
                is_changed = true;
                let values = self.queries.values(self.blocks, &wanted).ok_or(NoModel::Missing)?;
                let mut values = values.into_iter();
                let numbers: Vec<Option<u128>> = after
                    .iter()
                    .map(|term| term.and_then(|_| values.next()).and_then(|value| bits_of(&value)))
                    .collect();
                let widths: Vec<u32> = after
                    .iter()
                    .map(|term| term.map_or(0, |term| self.blocks.explorer.encoder.terms.pool.width(term)))
                    .collect();
                let shown = match facts {
                    None => all_facts(&numbers, &widths),
                    Some(mut facts) => {
                        facts.retain(|fact| holds(*fact, &numbers, &widths));
                        facts
                    }
                };
                known.facts.insert(there.clone(), shown);
            }
            if is_changed {
                changed.push(there);
            }
        }
        Ok(changed)
    }

    /// Does nothing fail, from any state that is known to be possible?
    pub(super) fn is_safe(&mut self, known: &FactsAtNodes) -> Result<bool, Reason> {
        let nodes: Vec<Node> = known.facts.keys().cloned().collect();
        for node in nodes {
            let head = Some(node.0);
            let mut assumptions = vec![self.blocks.active(head), self.blocks.failure_after(head)];
            assumptions.extend(self.supposed(known, &node));
            if self.ask(head, &assumptions)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The conditions at each head that say what is known: the combinations, and the facts of each.
    pub(super) fn conditions_of(&mut self, known: &FactsAtNodes) -> IndexVec<HeadId, Vec<TermId>> {
        let mut by_head: IndexVec<HeadId, Vec<TermId>> = IndexVec::new();
        for head in self.blocks.heads.ids().collect::<Vec<_>>() {
            let reached: BTreeSet<Combination> =
                known.facts.keys().filter(|(at, _)| *at == head).map(|(_, row)| row.clone()).collect();
            let (columns, rows) = self.table(head, &reached);
            let values = known.at(head);
            let mut of_fact: BTreeMap<Fact, BTreeSet<Vec<u128>>> = BTreeMap::new();
            for ((at, combination), facts) in &known.facts {
                if *at == head {
                    let row: Vec<u128> = combination.iter().flatten().copied().collect();
                    for &fact in facts {
                        of_fact.entry(fact).or_default().insert(row.clone());
                    }
                }
            }
            let terms = &mut self.blocks.explorer.encoder.terms;
            let mut conditions = boxes::conditions(terms, &columns, rows.clone());
            for (fact, holding) in of_fact {
                let Some(fact) = fact.term(terms, &values) else { continue };
                if holding == rows {
                    conditions.push(fact);
                    continue;
                }
                for sets in boxes::joined(holding) {
                    let inside = inside(terms, &columns, &sets, &rows);
                    let outside = terms.not(inside);
                    conditions.push(terms.or(outside, fact));
                }
            }
            conditions.retain(|&condition| terms.truth(condition) != Some(true));
            by_head.push(conditions);
        }
        by_head
    }
}

impl FactsAtNodes {
    /// The variables at a head.
    fn at(&self, head: HeadId) -> Vec<Option<TermId>> {
        self.variables.iter().map(|variable| variable.get(&head).copied()).collect()
    }
}

fn bits_of(value: &Value) -> Option<u128> {
    match value {
        Value::Bits(bits) => bits.to_u128(),
        _ => None,
    }
}

/// That the columns are in a box; columns where the box has all values that occur are left out.
fn inside(terms: &mut Terms, columns: &[Column], sets: &Sets, rows: &BTreeSet<Vec<u128>>) -> TermId {
    let mut sides = Vec::new();
    for (at, (column, values)) in columns.iter().zip(sets).enumerate() {
        if rows.iter().any(|row| !values.contains(&row[at])) {
            sides.push(boxes::among(terms, column, values));
        }
    }
    terms.pool.all_of(&sides)
}

fn masked(value: u128, width: u32) -> u128 {
    if width >= 128 { value } else { value & ((1 << width) - 1) }
}

fn signed(value: u128, width: u32) -> i128 {
    let shift = 128 - width;
    ((value << shift) as i128) >> shift
}

/// All facts that the values of one state show.
fn all_facts(numbers: &[Option<u128>], widths: &[u32]) -> Vec<Fact> {
    let mut found = Vec::new();
    for (one, number) in numbers.iter().enumerate() {
        let Some(number) = *number else { continue };
        found.push(Fact::Equal(one, number));
        for (two, other) in numbers.iter().enumerate() {
            let Some(other) = *other else { continue };
            if one == two || widths[one] != widths[two] {
                continue;
            }
            if one < two {
                found.push(Fact::Difference(one, two, masked(number.wrapping_sub(other), widths[one])));
            }
            if signed(number, widths[one]) <= signed(other, widths[one]) {
                found.push(Fact::Order(one, two));
            }
        }
    }
    found
}

/// Does a fact hold of these values? (It does not where one is not known.)
fn holds(fact: Fact, numbers: &[Option<u128>], widths: &[u32]) -> bool {
    match fact {
        Fact::Equal(one, number) => numbers[one] == Some(number),
        Fact::Difference(one, two, number) => numbers[one]
            .zip(numbers[two])
            .is_some_and(|(x, y)| masked(x.wrapping_sub(y), widths[one]) == number),
        Fact::Order(one, two) => numbers[one]
            .zip(numbers[two])
            .is_some_and(|(x, y)| signed(x, widths[one]) <= signed(y, widths[one])),
    }
}
