//! States that are kept apart: several for one node of a procedure, by the ways that lead there (trace partitioning,
//! Mauborgne and Rival 2005; the number of states is a budget as in Eva, "slevel").
//!
//! A loop is followed round by round. The states of one round are the front; what comes back to the head and is not
//! covered by an earlier round is the next front, and when there is none the loop is done, each round with states of
//! its own (full unrolling). After enough rounds, or steps, the front is joined and the rest of the loop is taken
//! together, with widening, from there on (see [`fixpoint`](crate::fixpoint)).
//!
//! Must over-approximate as a whole: every concrete state at a node is in one of its states. A round is only left out
//! where all of its states are covered, and what is taken together starts with all that is left. Tested by
//! `values_seen_by_runs_lie_in_the_ranges` at every level.
//!
//! Worked example: `for (i = 0; i < 3; i++) a[i] = i;`. The head has the states {i = 0}, {i = 1}, {i = 2}, {i = 3},
//! each with one more element written, and only the last one leaves the loop: all of `a` is written behind it.

use crate::fixpoint::Body;
use crate::order::Element;
use crate::solve::{Solver, Stop, Visited};
use crate::state::State;
use program::NodeId;
use rustc_hash::FxHashMap;

/// Earlier states that a new one is compared with.
const MOST_COMPARED: usize = 48;

/// Which edges into a node are looked at.
#[derive(Clone, Copy)]
enum From<'a> {
    /// All of them.
    Anywhere,
    /// Those that come from these nodes, which are in order.
    Members(&'a [NodeId]),
}

impl Solver<'_, '_> {
    /// Are states kept apart (still)?
    pub fn keeps_apart(&self) -> bool {
        let precision = self.context.settings.precision;
        precision.keeps_apart() && self.steps < precision.steps
    }

    /// States that cover the same, no more of them than the precision allows. Those that differ only in what is dead
    /// are joined; past the limit a state is joined with the one that it differs least from.
    pub fn condensed(&self, states: Vec<State>, dead: &[u32]) -> Vec<State> {
        if states.len() <= 1 {
            return states;
        }
        let joining = self.context.joining();
        let most = if self.keeps_apart() { self.context.settings.precision.states } else { 1 };
        if most == 1 {
            return self.joined(states).into_iter().collect();
        }
        // Each with what matters of it.
        let mut kept: Vec<(State, State)> = Vec::new();
        for state in states {
            let mut matters = state.clone();
            dead.iter().for_each(|&key| matters.locals.remove(key));
            let around =
                kept.iter().rev().take(MOST_COMPARED).position(|(_, known)| matters.is_within(known));
            if let Some(back) = around {
                let at = kept.len() - 1 - back;
                if !state.is_within(&kept[at].0) {
                    kept[at].0 = kept[at].0.join(&state, joining);
                }
                continue;
            }
            let mut state = state;
            if kept.len() < MOST_COMPARED {
                kept.retain(|(whole, known)| {
                    let is_covered = known.is_within(&matters);
                    if is_covered && !whole.is_within(&state) {
                        state = state.join(whole, joining);
                    }
                    !is_covered
                });
            }
            kept.push((state, matters));
        }
        self.merge_nearest(&mut kept, most);
        kept.into_iter().map(|(state, _)| state).collect()
    }

    /// Joins those that differ least from each other until no more than so many are left.
    fn merge_nearest(&self, kept: &mut Vec<(State, State)>, most: usize) {
        let joining = self.context.joining();
        let rest = if kept.len() > most { kept.split_off(most) } else { Vec::new() };
        let mut apart: Vec<Vec<u32>> = Vec::new();
        for at in 0..if rest.is_empty() { 0 } else { kept.len() } {
            apart.push((0..at).map(|other| kept[at].1.difference(&kept[other].1)).collect());
        }
        for (state, matters) in rest {
            // With the new one there is one too many: the nearest two become one, and the other takes its place.
            let from_new: Vec<u32> = kept.iter().map(|(_, known)| matters.difference(known)).collect();
            let pairs = (1..kept.len()).flat_map(|at| (0..at).map(move |other| (at, other)));
            let nearest = pairs.min_by_key(|&(at, other)| apart[at][other]);
            let nearest_to_new = (0..kept.len()).min_by_key(|&at| from_new[at]);
            let Some(to_new) = nearest_to_new else { return };
            let changed = match nearest {
                Some((at, other)) if apart[at][other] < from_new[to_new] => {
                    let joined =
                        (kept[at].0.join(&kept[other].0, joining), kept[at].1.join(&kept[other].1, joining));
                    kept[other] = joined;
                    kept[at] = (state, matters);
                    [at, other]
                }
                _ => {
                    kept[to_new] =
                        (kept[to_new].0.join(&state, joining), kept[to_new].1.join(&matters, joining));
                    [to_new, to_new]
                }
            };
            for at in changed {
                for other in (0..kept.len()).filter(|&other| other != at) {
                    let difference = kept[at].1.difference(&kept[other].1);
                    apart[at.max(other)][at.min(other)] = difference;
                }
            }
        }
    }

    /// What comes into a node.
    fn arriving(&mut self, body: &Body<'_>, node: NodeId, from: From<'_>) -> Result<Vec<State>, Stop> {
        let mut all = Vec::new();
        if node == body.graph.entry && matches!(from, From::Anywhere) {
            all.push(body.entry.clone());
        }
        for &edge in &body.graph.nodes[node].into {
            let source = body.graph.edges[edge].from;
            if let From::Members(members) = from
                && members.binary_search(&source).is_err()
            {
                continue;
            }
            for state in &body.apart[source] {
                all.extend(self.step(body.procedure, edge, state, None, &mut Visited::default())?);
            }
        }
        let dead = self.dead(body.procedure);
        Ok(self.condensed(all, dead.at(node)))
    }

    /// Carries states through elements, in order.
    pub fn pass(&mut self, body: &mut Body<'_>, order: &[Element]) -> Result<(), Stop> {
        for element in order {
            match element {
                Element::Node(node) => body.apart[*node] = self.arriving(body, *node, From::Anywhere)?,
                Element::Loop(head, inner) => self.follow(body, element, *head, inner)?,
            }
        }
        Ok(())
    }

    /// Follows a loop round by round; the rest is taken together.
    fn follow(
        &mut self,
        body: &mut Body<'_>,
        whole: &Element,
        head: NodeId,
        inner: &[Element],
    ) -> Result<(), Stop> {
        let mut members = Vec::new();
        collect(whole, &mut members);
        members.sort_unstable();
        for &member in &members {
            body.apart[member].clear();
        }
        let precision = self.context.settings.precision;
        // What follows the loop is left half of the steps.
        let enough = self.steps.saturating_add(precision.steps.saturating_sub(self.steps) / 2);
        let mut seen: FxHashMap<NodeId, Vec<State>> = FxHashMap::default();
        let mut front = self.arriving(body, head, From::Anywhere)?;
        let mut round = 0;
        loop {
            body.apart[head] = front;
            self.pass(body, inner)?;
            for &member in &members {
                seen.entry(member).or_default().extend(body.apart[member].iter().cloned());
            }
            front = self.arriving(body, head, From::Members(&members))?;
            let known = seen.get(&head).map_or(&[][..], Vec::as_slice);
            let dead = self.dead(body.procedure);
            for state in &mut front {
                dead.temporaries(head).iter().for_each(|&key| state.locals.remove(key));
            }
            front.retain(|state| !known.iter().rev().take(MOST_COMPARED).any(|other| state.is_within(other)));
            if front.is_empty() {
                break;
            }
            round += 1;
            if round >= precision.rounds || self.steps >= enough {
                let rest = self.joined(std::mem::take(&mut front));
                self.follow_together(body, whole, head, rest, &members)?;
                for &member in &members {
                    seen.entry(member).or_default().extend(body.together[member].take());
                    body.is_together[member] = false;
                }
                break;
            }
        }
        for &member in &members {
            body.apart[member] = seen.remove(&member).unwrap_or_default();
        }
        Ok(())
    }

    /// The rest of a loop, from these states at its head on.
    fn follow_together(
        &mut self,
        body: &mut Body<'_>,
        whole: &Element,
        head: NodeId,
        rest: Option<State>,
        members: &[NodeId],
    ) -> Result<(), Stop> {
        for &member in members {
            body.apart[member].clear();
            body.is_together[member] = true;
            body.together[member] = None;
        }
        body.start = rest.map(|state| (head, state));
        self.solve_together(body, std::slice::from_ref(whole))?;
        body.start = None;
        Ok(())
    }
}

/// The nodes of an element.
fn collect(element: &Element, nodes: &mut Vec<NodeId>) {
    match element {
        Element::Node(node) => nodes.push(*node),
        Element::Loop(head, inner) => {
            nodes.push(*head);
            inner.iter().for_each(|element| collect(element, nodes));
        }
    }
}
