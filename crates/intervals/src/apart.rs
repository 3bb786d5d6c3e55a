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

    /// States that cover the same, no more of them than the precision allows.
    pub fn condensed(&self, states: Vec<State>) -> Vec<State> {
        if states.len() <= 1 {
            return states;
        }
        let most = if self.keeps_apart() { self.context.settings.precision.states } else { 1 };
        let mut kept: Vec<State> = Vec::new();
        for state in states {
            if kept.iter().rev().take(MOST_COMPARED).any(|known| state.is_within(known)) {
                continue;
            }
            if kept.len() < MOST_COMPARED {
                kept.retain(|known| !known.is_within(&state));
            }
            kept.push(state);
        }
        if kept.len() > most {
            let rest = kept.split_off(most - 1);
            kept.extend(self.joined(rest));
        }
        kept
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
        Ok(self.condensed(all))
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
