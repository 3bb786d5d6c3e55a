//! Counts of threads by where they stand: a variable that the program does not have and that is, whenever threads are chosen, the sum of what the places of all threads weigh. So
//! conditions can speak of how many threads there are between one step and another: `refs` is the number of those that hold a reference.
//!
//! Source: counter abstraction as in Lubachevsky, "An approach to automating the verification of compact parallel coordination programs" (1984), and the counts of threads
//! in Hoenicke, Majumdar and Podelski, "Thread modularity at many levels" (2017). Here the counts are exact, not bounded, and mean the same whichever threads are followed: each thread
//! is taken out of the count when it goes on and put into it when it is interrupted, those that stand for others too.
//!
//! **Obligation.** A count is never less than what the threads that are followed, and the one that is chosen, weigh together: weights are not negative, and a count of 64 bits
//! does not overflow with fewer than 2^62 threads, which is told as an assumption of the answer.

use crate::mode::ThreadIndex;
use crate::vocabulary::{SharedPlace, Vocabulary};
use crate::weave::{ENDED, Weaver};
use base::Id;
use program::{
    Action, AssumeReason, BinaryOp, EdgeId, Expr, ExprKind, IntegerKind, NodeId, Place, Type, VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What one thread may weigh.
const MOST_WEIGHT: i64 = 16;
/// Definitions that are followed to find by how much a variable changes.
const MOST_DEFINITIONS: u32 = 4;

/// What the places of threads weigh: kind of threads and place, by number, with the weight; others weigh nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tally {
    /// Kinds of threads with a place, each by number, and its weight.
    pub weights: Vec<(usize, usize, i64)>,
}

/// A way through a thread: by how much the variable was changed on it, and what is known of the thread's own variables.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ThreadPath {
    net: i64,
    known: BTreeMap<VariableId, i128>,
}

/// Ways that are told apart at one node.
const MOST_WAYS: usize = 24;

/// A count that may be what something shared holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuessedTally {
    /// What counts the same.
    pub tally: Tally,
    /// What it is compared with.
    pub shared: usize,
    /// What the program adds to it.
    pub more: i64,
}

impl Tally {
    /// What a place weighs.
    pub fn weight(&self, kind: usize, place: usize) -> i64 {
        let own = self.weights.iter().find(|(known, at, _)| (*known, *at) == (kind, place));
        own.map_or(0, |(_, _, weight)| *weight)
    }

    /// Is it about places that there are, none of them the start of a thread, and are the weights small and not negative?
    pub fn is_about(&self, all: &Vocabulary) -> bool {
        let mut seen = FxHashSet::default();
        self.weights.iter().all(|&(kind, place, weight)| {
            let at = all.kinds.get(kind).and_then(|kind| kind.places.get(place));
            (1..=MOST_WEIGHT).contains(&weight)
                && seen.insert((kind, place))
                && at.is_some_and(|at| at.has_started && !at.is_entry)
        })
    }
}

impl Weaver<'_> {
    fn wide(&mut self) -> program::TypeId {
        self.new.types.intern(Type::Integer(IntegerKind::LongLong))
    }

    /// The variables that count.
    pub fn make_tallies(&mut self) {
        let count = self.general.map_or(0, |general| general.tallies.len());
        for number in 0..count {
            let ty = self.wide();
            let variable = self.variable(&format!("__threads_counted_{number}"), ty);
            self.accounts.push(variable);
            self.tallies.push(variable);
        }
    }

    /// Threads are put into the counts where they are interrupted.
    pub fn count_those_that_stop(&mut self, all: &Vocabulary) {
        let Some(general) = self.general.filter(|general| !general.tallies.is_empty()) else { return };
        let leaving: Vec<EdgeId> = self.graph.nodes[self.chooser].into.clone();
        for edge in leaving {
            let Action::Assign { target, value } = &self.graph.edges[edge].action else { continue };
            let Some(number) = value.as_integer().filter(|&number| number != ENDED as u128) else { continue };
            let counter = target.as_variable();
            let thread = self.threads.iter_enumerated().find(|(_, one)| Some(one.counter) == counter);
            let Some((thread, _)) = thread else { continue };
            let Some((kind, place)) = all.place_of(thread, number as i64) else { continue };
            let mut steps = Vec::new();
            for (tally, &variable) in general.tallies.iter().zip(&self.tallies) {
                steps.extend(self.changed_by(variable, tally.weight(kind, place)));
            }
            self.insert_before(edge, steps);
        }
    }

    fn changed_by(&self, variable: VariableId, weight: i64) -> Option<Action> {
        let place = Place::variable(variable, self.new.variables[variable].ty.id);
        let number = Expr::integer(weight as u128, place.ty.id, &self.new.types);
        let value = self.terms.binary(BinaryOp::Add, Expr::load(place.clone()), number);
        (weight != 0).then_some(Action::Assign { target: place, value })
    }

    /// A thread that goes on is taken out of the counts.
    pub fn count_out(&mut self, at: NodeId, thread: ThreadIndex, number: i64) -> NodeId {
        let Some(general) = self.general else { return at };
        let Some((kind, place)) = self.surroundings.vocabulary.place_of(thread, number) else { return at };
        self.count_out_at(at, general, kind, place)
    }

    /// The same, where its kind and place are known.
    pub fn count_out_at(
        &mut self,
        at: NodeId,
        general: &crate::general::General,
        kind: usize,
        place: usize,
    ) -> NodeId {
        let mut at = at;
        for (number, tally) in general.tallies.iter().enumerate() {
            if let Some(action) = self.changed_by(self.tallies[number], -tally.weight(kind, place)) {
                let next = self.plain();
                self.graph.add_edge(at, next, action, base::Span::NOWHERE);
                at = next;
            }
        }
        at
    }

    /// A count is at least what the threads that are followed weigh, and `more` than that, for each count.
    pub fn suppose_counts(&mut self, at: NodeId, all: &Vocabulary, more: &dyn Fn(usize) -> i64) -> NodeId {
        let Some(general) = self.general else { return at };
        let mut at = at;
        for (number, tally) in general.tallies.iter().enumerate() {
            let wide = self.wide();
            let count = Expr::load(Place::variable(self.tallies[number], wide));
            let mut sum = Expr::integer(more(number) as u128, wide, &self.new.types);
            for &(kind, place, weight) in &tally.weights {
                for &thread in all.kinds[kind].threads() {
                    let Some(stands) = all.kinds[kind].number_of(thread, place) else { continue };
                    let counter = self.terms.place(self.threads[thread].counter);
                    let is_there = self.terms.holds(&counter, stands, &self.new).cast(wide);
                    let weight = Expr::integer(weight as u128, wide, &self.new.types);
                    let part = self.terms.binary(BinaryOp::Multiply, is_there, weight);
                    sum = self.terms.binary(BinaryOp::Add, sum, part);
                }
            }
            let enough = self.terms.binary(BinaryOp::GreaterEqual, count, sum);
            let next = self.plain();
            self.assume(at, next, enough, true, AssumeReason::User);
            at = next;
        }
        at
    }

    /// What something shared holds, as a count does.
    pub fn as_count(&self, shared: &SharedPlace, tally: usize) -> Option<(Expr, Expr)> {
        let &variable = self.tallies.get(tally)?;
        let wide = self.new.variables[variable].ty.id;
        let count = Expr::load(Place::variable(variable, wide));
        Some((Expr::load(shared.place.clone()).cast(wide), count))
    }

    /// Counts that may be what shared variables hold: each thread weighs by how much it has changed the variable on every way to where it stands.
    pub fn guessed_tallies(&self, all: &Vocabulary) -> Vec<GuessedTally> {
        let mut found = Vec::new();
        for (number, shared) in all.shared.iter().enumerate() {
            let Some(variable) = shared.place.as_variable().filter(|_| !shared.is_owner()) else { continue };
            let narrow = self.new.types.integer_shape(shared.place.ty.id);
            if narrow.is_none_or(|shape| shape.width > 64 || (shape.width == 64 && !shape.signed)) {
                continue;
            }
            let start =
                self.new.variables[variable].initial.iter().find_map(|initial| match &initial.value {
                    program::InitialData::Value(value) => crate::cells::uncast(value).as_integer(),
                    program::InitialData::Bytes(_) => None,
                });
            let start = start.and_then(|start| i64::try_from(start).ok()).unwrap_or(0);
            let mut ways = vec![(start, 0)];
            if start != 0 {
                ways.push((0, start));
            }
            for (first, more) in ways {
                let Some(tally) = self.tally_of(all, variable, first) else { continue };
                if tally.is_about(all) && !tally.weights.is_empty() {
                    found.push(GuessedTally { tally, shared: number, more });
                }
            }
        }
        found
    }

    fn tally_of(&self, all: &Vocabulary, variable: VariableId, first: i64) -> Option<Tally> {
        let resumed = self.resumed();
        let mut tally = Tally::default();
        for (kind, spoken) in all.kinds.iter().enumerate() {
            let thread = *spoken.threads().first()?;
            let is_main = thread.index() == 0;
            let start = if is_main { self.start() } else { self.threads[thread].cuts.first()?.resumes? };
            let mut seen: FxHashMap<NodeId, Vec<ThreadPath>> = FxHashMap::default();
            let mut stands: FxHashMap<i64, i64> = FxHashMap::default();
            let mut open =
                vec![(start, ThreadPath { net: if is_main { first } else { 0 }, known: BTreeMap::new() })];
            while let Some((node, way)) = open.pop() {
                let ways = seen.entry(node).or_default();
                if ways.contains(&way) {
                    continue;
                }
                if ways.len() >= MOST_WAYS {
                    return None;
                }
                ways.push(way.clone());
                for &id in &self.graph.nodes[node].out {
                    let edge = &self.graph.edges[id];
                    if edge.to == self.chooser {
                        if let Action::Assign { value, .. } = &edge.action
                            && let Some(number) = value.as_integer().filter(|&number| number != ENDED as u128)
                            && stands.insert(number as i64, way.net).is_some_and(|before| before != way.net)
                        {
                            return None;
                        }
                        open.extend(resumed.get(&id).map(|&node| (node, way.clone())));
                        continue;
                    }
                    if let Some(after) = self.way_after(&edge.action, variable, way.clone())? {
                        open.push((edge.to, after));
                    }
                }
            }
            for (&number, &net) in &stands {
                if net != 0 {
                    let (_, place) = all.place_of(thread, number)?;
                    tally.weights.push((kind, place, net));
                }
            }
        }
        tally.weights.sort_unstable();
        Some(tally)
    }

    /// The way past an action: none where its condition is known not to hold, and nothing at all where the variable changes in an unknown way.
    fn way_after(
        &self,
        action: &Action,
        variable: VariableId,
        mut way: ThreadPath,
    ) -> Option<Option<ThreadPath>> {
        if let Action::Assume { condition, expected, .. } = action
            && self.known_value(condition, &way.known).is_some_and(|value| (value != 0) != *expected)
        {
            return Some(None);
        }
        way.net = self.net_after(action, variable, way.net)?;
        match action {
            Action::Assign { target, value } => {
                if let Some(own) = target.as_variable().filter(|&own| self.is_flag(own)) {
                    match self.known_value(value, &way.known) {
                        Some(value) => drop(way.known.insert(own, value)),
                        None => drop(way.known.remove(&own)),
                    }
                }
            }
            Action::Havoc { target, .. } | Action::Call { result: Some(target), .. } => {
                if let Some(own) = target.as_variable() {
                    way.known.remove(&own);
                }
            }
            _ => {}
        }
        Some(Some(way))
    }

    /// A variable of a thread's own, outside memory: what is assigned to it is known until the next assignment.
    fn is_flag(&self, id: VariableId) -> bool {
        let variable = &self.new.variables[id];
        let is_own = matches!(variable.kind, program::VariableKind::Local | program::VariableKind::Temporary);
        is_own
            && !variable.in_memory
            && Some(id) != self.choice
            && self.threads.iter().all(|one| one.counter != id)
    }

    fn known_value(&self, value: &Expr, known: &BTreeMap<VariableId, i128>) -> Option<i128> {
        let shape = self.new.types.integer_shape(value.ty)?;
        match &value.kind {
            ExprKind::Integer(bits) => Some(shape.value(*bits)),
            ExprKind::Load(place) => known.get(&place.as_variable()?).copied(),
            ExprKind::Cast(inner) => Some(shape.value(self.known_value(inner, known)? as u128)),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.known_value(left, known)?, self.known_value(right, known)?);
                match op {
                    BinaryOp::Equal => Some(i128::from(left == right)),
                    BinaryOp::NotEqual => Some(i128::from(left != right)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// By how much the variable was changed after an action.
    fn net_after(&self, action: &Action, variable: VariableId, net: i64) -> Option<i64> {
        let Action::Assign { target, value } = action else {
            let is_written = match action {
                Action::Havoc { target, .. } | Action::Call { result: Some(target), .. } => {
                    target.as_variable() == Some(variable)
                }
                _ => false,
            };
            return (!is_written).then_some(net);
        };
        if target.as_variable() != Some(variable) {
            return Some(net);
        }
        if let Some(number) = crate::cells::uncast(value).as_integer() {
            return i64::try_from(number).ok();
        }
        Some(net + self.change(value, variable, MOST_DEFINITIONS)?)
    }

    /// By how much a value differs from what the variable held.
    fn change(&self, value: &Expr, variable: VariableId, depth: u32) -> Option<i64> {
        let depth = depth.checked_sub(1)?;
        let value = crate::cells::uncast(value);
        match &value.kind {
            ExprKind::Load(place) if place.as_variable() == Some(variable) => Some(0),
            ExprKind::Load(place) => {
                let copied = place.as_variable()?;
                let mut known = None;
                for edge in self.graph.edges.iter() {
                    let Action::Assign { target, value } = &edge.action else { continue };
                    if target.as_variable() != Some(copied)
                        || crate::cells::uncast(value).as_integer().is_some()
                    {
                        continue;
                    }
                    let own = self.change(value, variable, depth)?;
                    if known.is_some_and(|known| known != own) {
                        return None;
                    }
                    known = Some(own);
                }
                known
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
                let by = i64::try_from(crate::cells::uncast(right).as_integer()?).ok();
                let shape = self.new.types.integer_shape(right.ty)?;
                let by = by.or_else(|| {
                    let bits = crate::cells::uncast(right).as_integer()?;
                    i64::try_from(shape.value(bits)).ok()
                })?;
                let before = self.change(left, variable, depth)?;
                Some(if *op == BinaryOp::Add { before + by } else { before - by })
            }
            _ => None,
        }
    }
}
