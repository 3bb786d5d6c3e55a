//! Progress (FSP) by sets of states. A terminal set of states lacks an action iff from its states no state is
//! reached in which the action is possible; so the violating states are those that cannot reach one, and
//! backward reachability finds them, without looking for strongly connected sets. FSP's `if {…}`: all that is
//! reached must reach a state where one of the condition's actions is possible; then every terminal set that
//! is reached has one. States marked ERROR or END do not count, nor do those from which one is reached: a
//! terminal set of others reaches none. Evidence is a walk into one terminal set and round in it, shown step
//! by step on the system.
//! Naive twin: `temporal::progress`.

use super::SymbolicSettings;
use super::encoding::Encoding;
use super::reach::{cannot, reachable, refuse_priority};
use crate::stopped::Stopped;
use crate::temporal::no_progress;
use lks::{ActionId, Composition, Role, Successors, SystemState};
use logic::bdd::Bdd;
use question::{Answer, Counterexample, Monitor, Verdict};
use spec::evaluate::claims::ProgressTest;
use std::collections::BTreeSet;
use verdict::Certificate;

/// Does the system make progress?
pub fn progress(
    system: &Composition,
    property: &ProgressTest,
    limits: &SymbolicSettings,
    monitor: Monitor<'_>,
) -> Answer {
    Stopped::settle("symbolic", || {
        refuse_priority(system)?;
        if !system.components().iter().any(|component| component.role == Role::Process) {
            return Err(cannot("there is no process"));
        }
        let encoding = Encoding::new(system, limits)?;
        let reached = reachable(&encoding, &encoding.events, &encoding.initial, monitor)?;
        let search = Search { system, encoding, reached, monitor };
        let marked = search.encoding.error.or(&search.encoding.ended)?;
        let goes_on = search.doing(&property.actions)?.or(&marked)?;
        let mut bad = search.reached.minus(&search.leading_to(&goes_on)?)?;
        if let Some(condition) = &property.condition {
            let never = search.reached.minus(&search.leading_to(&search.doing(condition)?)?)?;
            bad = bad.minus(&search.leading_to(&never)?)?;
        }
        let verdict = match bad.is_false() {
            true => {
                Verdict::Holds(Certificate::Exhaustive { states: search.encoding.states_in(&search.reached) })
            }
            false => search.evidence(&bad)?.into(),
        };
        Ok(Answer::by("symbolic", verdict)
            .count("BDD nodes of the reached set", search.reached.node_count())
            .count("BDD nodes", search.encoding.manager.statistics().nodes))
    })
}

struct Search<'a> {
    system: &'a Composition,
    encoding: Encoding<'a>,
    reached: Bdd,
    monitor: Monitor<'a>,
}

/// Steps with the state each leads to.
type Walk = Vec<(ActionId, SystemState)>;

impl Search<'_> {
    /// The states in which one of the actions is possible. Names the system does not have are never done.
    fn doing(&self, names: &[std::sync::Arc<str>]) -> Result<Bdd, Stopped> {
        let wanted: BTreeSet<ActionId> =
            names.iter().filter_map(|name| self.system.alphabet().find(name)).collect();
        let mut doing = self.encoding.manager.constant(false);
        for event in self.encoding.events.iter().filter(|event| wanted.contains(&event.shown)) {
            doing = doing.or(&event.enabled)?;
        }
        Ok(doing.minus(&self.encoding.error)?)
    }

    /// The reached states from which one of these is reached, themselves included.
    fn leading_to(&self, goal: &Bdd) -> Result<Bdd, Stopped> {
        let live = self.reached.minus(&self.encoding.error)?;
        let mut known = goal.and(&self.reached)?;
        loop {
            let before = known.clone();
            for event in &self.encoding.events {
                self.monitor.check()?;
                known = known.or(&event.preimage(&known)?.and(&live)?)?;
            }
            if known == before {
                return Ok(known);
            }
        }
    }

    /// A run into a terminal set of bad states. What a bad state reaches is bad.
    fn evidence(&self, bad: &Bdd) -> Result<Counterexample, Stopped> {
        let mut state = self.encoding.pick(bad);
        let terminal = loop {
            let only = self.encoding.only(&state)?;
            let ahead = reachable(&self.encoding, &self.encoding.events, &only, self.monitor)?;
            // What does not lead back lies further down; there are finitely many sets below each other.
            let below = ahead.minus(&self.leading_to(&only)?)?;
            if below.is_false() {
                break ahead;
            }
            state = self.encoding.pick(&below);
        };
        let mut done = BTreeSet::new();
        for event in &self.encoding.events {
            if !event.enabled.and(&terminal)?.is_false() {
                done.insert(event.shown);
            }
        }
        let (start, stem) = self.walk(&self.encoding.initial, &terminal)?;
        let entry = stem.last().map_or(&start, |(_, state)| state).clone();
        let home = self.encoding.only(&entry)?;
        let mut cycle = Walk::new();
        for event in &self.encoding.events {
            let next = event.image(&home)?;
            if !next.is_false() {
                let (first, rest) = self.walk(&next, &home)?;
                cycle.push((event.shown, first));
                cycle.extend(rest);
                break;
            }
        }
        Ok(no_progress(self.system, &start, &stem, &cycle, &done))
    }

    /// A walk from one of the states to a wanted one, which is reached.
    fn walk(&self, from: &Bdd, wanted: &Bdd) -> Result<(SystemState, Walk), Stopped> {
        // One layer for each event that adds something, so that the way back needs one step each.
        let mut layers = vec![from.clone()];
        while layers[layers.len() - 1].and(wanted)?.is_false() {
            let mut known = layers[layers.len() - 1].clone();
            let before = layers.len();
            for event in &self.encoding.events {
                self.monitor.check()?;
                let next = event.image(&known.minus(&self.encoding.error)?)?;
                if !next.is_subset_of(&known)? {
                    known = known.or(&next)?;
                    layers.push(known.clone());
                }
            }
            assert!(layers.len() > before, "a wanted state is reached");
        }
        let mut index = layers.len() - 1;
        let mut state = self.encoding.pick(&layers[index].and(wanted)?);
        let mut steps = Walk::new();
        while index > 0 {
            index -= 1;
            let only = self.encoding.only(&state)?;
            if !layers[index].and(&only)?.is_false() {
                continue;
            }
            for event in &self.encoding.events {
                let before = event.preimage(&only)?.and(&layers[index])?.minus(&self.encoding.error)?;
                if !before.is_false() {
                    steps.push((event.shown, state));
                    state = self.encoding.pick(&before);
                    break;
                }
            }
        }
        steps.reverse();
        Ok((state, steps))
    }
}
