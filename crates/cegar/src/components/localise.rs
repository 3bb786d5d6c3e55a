//! Is ERROR out of reach of a few of the components already? Leaving one out only lets the others do more, so
//! what holds of a few holds of all. A run of the few that some component left out cannot follow brings that
//! component in; a run that all can follow is one of the system. Of philosophers around a table, say, the
//! forks need not be looked at when a lock keeps the others away. (The idea is that of localisation, Kurshan
//! 1994; AG learns what to assume of the others, here nothing is assumed.)

use super::ask::asked_of;
use base::{Budget, EventSink, Id};
use check::engine::EXPLICIT;
use lks::{ActionId, Component, Composition, Lks, LksBuilder, Role, StateId, SyncId};
use question::{
    Answer, Asks, Checked, Counterexample, Decided, Monitor, MostRounds, Refinement, Validated, Verdict,
    refine_until_decided,
};
use std::sync::Arc;
use verdict::{Reason, Undecided};

/// Answers by a few components where that is possible. The watchers of the system are always looked at;
/// counterexamples are runs of the whole system.
pub(super) fn safe_by_a_few(system: &Composition, monitor: Monitor<'_>) -> Answer {
    let components: Vec<Component> = system.components().iter().cloned().collect();
    let is_kept = components.iter().map(|component| component.role == Role::Watcher).collect();
    let mut few = Few { system, components, is_kept, events: monitor.events };
    // Each round brings a component in, so it comes to an end.
    match refine_until_decided(&mut few, MostRounds::UNLIMITED, monitor.budget, monitor.events) {
        Ok(Decided::Proved(answer) | Decided::Violated(answer)) => answer,
        Err(undecided) => Answer::new("", "localise", undecided.into()),
    }
}

/// The abstraction by leaving components out.
struct Few<'s> {
    system: &'s Composition,
    events: &'s dyn EventSink,
    components: Vec<Component>,
    is_kept: Vec<bool>,
}

impl Few<'_> {
    fn within<'m>(&'m self, budget: &'m Budget) -> Monitor<'m> {
        Monitor { budget, events: self.events }
    }

    fn compose(&self, components: Vec<Component>) -> Composition {
        let system = self.system;
        let is_hidden = |name: &str| {
            system.syncs().any(|sync| {
                sync != SyncId::SILENT && system.shown(sync).is_silent() && system.sync_name(sync) == name
            })
        };
        Composition::new(components).hiding(is_hidden)
    }

    fn is_event(&self, name: &str) -> bool {
        self.system.syncs().any(|sync| sync != SyncId::SILENT && self.system.sync_name(sync) == name)
    }
}

impl Refinement for Few<'_> {
    type Model = Composition;
    type Proof = Answer;
    /// The events of a run of the few.
    type Witness = Vec<String>;
    type Violation = Answer;
    /// The components that cannot follow it.
    type Cause = Vec<usize>;

    fn abstraction(&mut self, budget: &Budget) -> Result<Composition, Undecided> {
        budget.check()?;
        let kept = self.components.iter().zip(&self.is_kept).filter(|(_, is_kept)| **is_kept);
        Ok(self.compose(kept.map(|(component, _)| component.clone()).collect()))
    }

    fn check(
        &mut self,
        few: &mut Composition,
        budget: &Budget,
    ) -> Result<Checked<Answer, Vec<String>>, Undecided> {
        let mut answer = asked_of(few, Asks::NoError, None, self.within(budget));
        match answer.verdict {
            Verdict::Undecided(undecided) => Err(*undecided),
            Verdict::Holds(_) => {
                let count = self.is_kept.iter().filter(|is_kept| **is_kept).count();
                answer
                    .remarks
                    .push(format!("{count} of {} components were looked at", self.components.len()));
                Ok(Checked::Proved(answer))
            }
            Verdict::Violated(counterexample) => {
                let Counterexample::Path(path) = *counterexample else { return Err(not_a_run()) };
                let names = path.steps.into_iter().map(|step| step.action);
                Ok(Checked::Witness(names.filter(|name| self.is_event(name)).collect()))
            }
        }
    }

    fn validate(
        &mut self,
        _: &mut Composition,
        word: &mut Vec<String>,
        budget: &Budget,
    ) -> Result<Validated<Answer, Vec<usize>>, Undecided> {
        let left_out = self.components.iter().enumerate().filter(|(index, _)| !self.is_kept[*index]);
        let unable = left_out.filter(|(_, component)| !can_follow(&component.lks, word));
        let unable: Vec<usize> = unable.map(|(index, _)| index).collect();
        if !unable.is_empty() {
            return Ok(Validated::Spurious(unable));
        }
        // All together, held to the events of the run.
        let mut guided = self.components.clone();
        let line = Arc::new(only(word, self.system));
        guided.push(Component { name: Arc::from(line.name()), lks: line, role: Role::Process });
        let guided = self.compose(guided);
        let answer = asked_of(&guided, Asks::NoError, Some(&EXPLICIT), self.within(budget));
        if answer.verdict.is_violated() { Ok(Validated::Real(answer)) } else { Err(not_a_run()) }
    }

    fn refine(
        &mut self,
        _: Composition,
        _: Vec<String>,
        unable: Vec<usize>,
        _: &Budget,
    ) -> Result<(), Undecided> {
        unable.into_iter().for_each(|index| self.is_kept[index] = true);
        Ok(())
    }
}

fn not_a_run() -> Undecided {
    let why = "what a few components can do was not found to be a run of all".to_owned();
    Undecided::because(Reason::NotConfirmed { why })
}

/// Can the component make these of its own events, in this order?
fn can_follow(lks: &Lks, word: &[String]) -> bool {
    let mut at = silently(lks, lks.initial().to_vec());
    for action in word.iter().filter_map(|name| lks.alphabet().find(name)) {
        let next = at.iter().flat_map(|&state| lks.successors_by(state, action)).copied().collect();
        at = silently(lks, next);
        if at.is_empty() {
            return false;
        }
    }
    true
}

/// The states that can be reached silently, these included.
fn silently(lks: &Lks, mut states: Vec<StateId>) -> Vec<StateId> {
    let mut is_reached = vec![false; lks.state_count()];
    states.retain(|state| !std::mem::replace(&mut is_reached[state.index()], true));
    let mut next = 0;
    while next < states.len() {
        for &to in lks.successors_by(states[next], ActionId::TAU) {
            if !std::mem::replace(&mut is_reached[to.index()], true) {
                states.push(to);
            }
        }
        next += 1;
    }
    states
}

/// Takes part in every event of the system and allows these only, in this order.
fn only(word: &[String], system: &Composition) -> Lks {
    let mut builder = LksBuilder::new("the run");
    for sync in system.syncs().filter(|&sync| sync != SyncId::SILENT) {
        builder.action(system.sync_name(sync));
    }
    builder.ensure_states(word.len() + 1);
    builder.initial(StateId::from_index(0));
    for (index, name) in word.iter().enumerate() {
        let action = builder.action(name);
        builder.transition(StateId::from_index(index), action, StateId::from_index(index + 1));
    }
    builder.build()
}
