//! How a run of a system is shown: names of states, propositions, who moved.

use base::Id;
use lks::{ActionId, Composition, Lks, StateId, Successors, SystemState};
use verdict::{Lane, Path, StateView, Step};

/// A system whose runs can be shown to people.
pub trait Viewed: Successors {
    /// The names of the components, in lane order.
    fn lane_names(&self) -> Vec<String>;

    /// One state.
    fn view(&self, state: &Self::State) -> StateView;

    /// One step, which must exist.
    fn view_step(&self, from: &Self::State, action: ActionId, to: &Self::State) -> Step;

    /// A run. Each step has the action and the state after it.
    fn view_path(
        &self,
        start: &Self::State,
        steps: &[(ActionId, Self::State)],
        ends_because: impl Into<String>,
    ) -> Path {
        Path {
            lane_names: self.lane_names(),
            start: self.view(start),
            steps: self.view_steps(start, steps),
            ends_because: ends_because.into(),
        }
    }

    /// The steps of a run.
    fn view_steps(&self, start: &Self::State, steps: &[(ActionId, Self::State)]) -> Vec<Step> {
        let mut from = start;
        let mut seen = Vec::with_capacity(steps.len());
        for (action, to) in steps {
            seen.push(self.view_step(from, *action, to));
            from = to;
        }
        seen
    }
}

/// The names of the propositions that hold, sorted.
fn proposition_names<S: Successors + ?Sized>(system: &S, state: &S::State) -> Vec<String> {
    let mut names: Vec<String> =
        system.label(state).iter().map(|id| system.propositions().name(id).to_owned()).collect();
    names.sort_unstable();
    names
}

/// How a state of a structure is called.
pub fn state_name(lks: &Lks, state: StateId) -> String {
    lks.state_name(state).map_or_else(|| state.index().to_string(), str::to_owned)
}

impl Viewed for Lks {
    fn lane_names(&self) -> Vec<String> {
        vec![self.name().to_owned()]
    }

    fn view(&self, state: &StateId) -> StateView {
        StateView { components: vec![state_name(self, *state)], propositions: proposition_names(self, state) }
    }

    fn view_step(&self, from: &StateId, action: ActionId, to: &StateId) -> Step {
        debug_assert!(self.successors_by(*from, action).contains(to), "the step exists");
        Step {
            action: self.alphabet().name(action).to_owned(),
            silent: action.is_silent(),
            lanes: vec![Lane(0)],
            to: self.view(to),
        }
    }
}

impl Viewed for Composition {
    fn lane_names(&self) -> Vec<String> {
        self.components().iter().map(|component| component.name.to_string()).collect()
    }

    fn view(&self, state: &SystemState) -> StateView {
        let components = self
            .components()
            .iter_enumerated()
            .map(|(id, component)| state_name(&component.lks, self.component_state(state, id)))
            .collect();
        StateView { components, propositions: proposition_names(self, state) }
    }

    fn view_step(&self, from: &SystemState, action: ActionId, to: &SystemState) -> Step {
        let mut steps = Vec::new();
        self.steps(from, &mut steps);
        let step = steps
            .iter()
            .find(|step| step.action == action && step.target == *to)
            .expect("a step that is shown was taken");
        Step {
            // A hidden action is shown under its own name: that is what helps the reader.
            action: self.sync_name(step.sync).to_owned(),
            silent: action.is_silent(),
            lanes: self.movers(step).iter().map(|mover| Lane(mover.index() as u32)).collect(),
            to: self.view(to),
        }
    }
}
