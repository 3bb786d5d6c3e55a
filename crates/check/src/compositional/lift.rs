//! From a run of a minimised part back to what each component does in it.

use super::node::{Node, NodeOrigin};
use base::Id;
use lks::composition::ComponentId;
use lks::{ActionId, Lks, StateId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// One step of some components together.
#[derive(Clone, Debug)]
pub(super) struct LeafEvent {
    /// The action's name; `None` for a component's own silent step.
    pub name: Option<Arc<str>>,
    /// Who moves, and where to.
    pub moves: Vec<(ComponentId, StateId)>,
}

/// What the components do for one step of a part: silent steps first, the step itself last.
type Segment = Vec<LeafEvent>;

/// A run of a part that was not minimised.
struct RawRun {
    start: StateId,
    /// For each step of the minimised run the raw steps it stands for.
    segments: Vec<Vec<(ActionId, StateId)>>,
    /// Silent steps after the last one, to where nothing silent is left.
    settling: Vec<(ActionId, StateId)>,
}

/// The component's own state behind one that may be restricted by its context.
fn own_state(origin: Option<&[StateId]>, state: StateId) -> StateId {
    origin.map_or(state, |origin| origin[state.index()])
}

fn loops_silently(node: &Node, state: StateId) -> bool {
    node.reduced.successors_by(state, ActionId::TAU).contains(&state)
}

impl Node {
    /// The states the components begin in when the part begins in this class.
    pub fn start_of(&self, class: StateId) -> Vec<(ComponentId, StateId)> {
        let raw = self.raw_start(class);
        match &self.made {
            NodeOrigin::Leaf(id, origin) => vec![(*id, own_state(origin.as_deref(), raw))],
            NodeOrigin::Join { left, right, pairs } => {
                let (l, r) = pairs[raw.index()];
                [left.start_of(l), right.start_of(r)].concat()
            }
        }
    }

    /// What the components do in a run of the minimised part. If `settled`, the run ends where no part can
    /// move silently any more, so that what the minimised part refuses is refused by its components.
    pub fn lift(&self, start: StateId, steps: &[(ActionId, StateId)], settled: bool) -> Vec<LeafEvent> {
        let (segments, last) = self.segments(start, steps, settled);
        segments.into_iter().flatten().chain(last).collect()
    }

    fn raw_start(&self, class: StateId) -> StateId {
        let in_class = |state: &StateId| self.partition.block_of(*state).index() == class.index();
        self.raw.initial().iter().copied().find(in_class).expect("an initial class has an initial state")
    }

    /// What the components do for each step of a run of the minimised part, and what they do silently after
    /// it.
    pub(super) fn segments(
        &self,
        start: StateId,
        steps: &[(ActionId, StateId)],
        settled: bool,
    ) -> (Vec<Segment>, Segment) {
        let run = self.raw_run(start, steps, settled);
        match &self.made {
            NodeOrigin::Leaf(id, origin) => {
                let event = |(action, state): &(ActionId, StateId)| LeafEvent {
                    name: (!action.is_silent()).then(|| self.raw.alphabet().shared_name(*action)),
                    moves: vec![(*id, own_state(origin.as_deref(), *state))],
                };
                let segment = |steps: &Vec<(ActionId, StateId)>| steps.iter().map(event).collect();
                (run.segments.iter().map(segment).collect(), segment(&run.settling))
            }
            NodeOrigin::Join { left, right, pairs } => self.join_segments(&run, left, right, pairs, settled),
        }
    }

    fn join_segments(
        &self,
        run: &RawRun,
        left: &Node,
        right: &Node,
        pairs: &[(StateId, StateId)],
        settled: bool,
    ) -> (Vec<Segment>, Segment) {
        let (left_start, right_start) = pairs[run.start.index()];
        let (mut l, mut r) = (left_start, right_start);
        let (mut left_steps, mut right_steps) = (Vec::new(), Vec::new());
        // Who takes part in each raw step.
        let mut taking_part = Vec::new();
        for (action, state) in run.segments.iter().flatten().chain(&run.settling) {
            let (l_next, r_next) = pairs[state.index()];
            let name = self.raw.alphabet().name(*action);
            let own = |node: &Node| node.reduced.alphabet().find(name).filter(|own| !own.is_silent());
            let (left_action, right_action) = match action.is_silent() {
                // A silent step is one side's. One that changes nothing is a loop of the side that has one.
                true if l_next != l || (r_next == r && loops_silently(left, l)) => {
                    (Some(ActionId::TAU), None)
                }
                true => (None, Some(ActionId::TAU)),
                false => (own(left), own(right)),
            };
            left_steps.extend(left_action.map(|action| (action, l_next)));
            right_steps.extend(right_action.map(|action| (action, r_next)));
            taking_part.push((left_action.is_some(), right_action.is_some()));
            (l, r) = (l_next, r_next);
        }
        let (left_segments, left_last) = left.segments(left_start, &left_steps, settled);
        let (right_segments, right_last) = right.segments(right_start, &right_steps, settled);
        let (mut left_segments, mut right_segments) = (left_segments.into_iter(), right_segments.into_iter());
        let mut merged = taking_part.into_iter().map(|(has_left, has_right)| {
            let mut segment = if has_left { left_segments.next().expect("one per step") } else { Vec::new() };
            let mut other = if has_right { right_segments.next().expect("one per step") } else { Vec::new() };
            if has_left && has_right {
                // The step itself is last in both; it is one event of both.
                let mut together = segment.pop().expect("a visible step is an event");
                let joined = other.pop().expect("a visible step is an event");
                together.moves.extend(joined.moves);
                segment.append(&mut other);
                segment.push(together);
            } else {
                segment.append(&mut other);
            }
            segment
        });
        let mut segments = Vec::new();
        for raw_steps in &run.segments {
            segments.push(merged.by_ref().take(raw_steps.len()).flatten().collect());
        }
        let mut last: Segment = merged.flatten().collect();
        last.extend(left_last);
        last.extend(right_last);
        (segments, last)
    }

    /// Follows a run of classes through states: silent steps inside a class until the wanted step is
    /// possible.
    fn raw_run(&self, start: StateId, steps: &[(ActionId, StateId)], settled: bool) -> RawRun {
        let class = |state: StateId| self.partition.block_of(state).index();
        let begin = self.raw_start(start);
        let mut at = begin;
        let mut segments = Vec::new();
        for (action, target) in steps {
            let name = self.reduced.alphabet().name(*action);
            let wanted = self.hidden.alphabet().find(name).expect("classes do what their states do");
            let leads_there = |state: StateId| {
                let targets = self.hidden.successors_by(state, wanted);
                targets.iter().copied().find(|next| class(*next) == target.index())
            };
            let mut walked = self
                .silently(at, |state| leads_there(state).is_some())
                .expect("a class can do what it shows");
            let last = walked.last().map_or(at, |(_, state)| *state);
            let next = leads_there(last).expect("just found");
            walked.push((self.raw_action(last, wanted, next), next));
            segments.push(walked);
            at = next;
        }
        let settling = match settled {
            false => Vec::new(),
            true => {
                let inner = |state: StateId| {
                    let silent = self.hidden.successors_by(state, ActionId::TAU);
                    silent.iter().any(|next| class(*next) == class(state))
                };
                self.silently(at, |state| !inner(state)).unwrap_or_default()
            }
        };
        RawRun { start: begin, segments, settling }
    }

    /// Shortest silent steps inside the class to a state that is wanted.
    fn silently(&self, from: StateId, wanted: impl Fn(StateId) -> bool) -> Option<Vec<(ActionId, StateId)>> {
        let class = self.partition.block_of(from);
        let mut before: FxHashMap<StateId, StateId> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            if wanted(state) {
                let mut steps = Vec::new();
                let mut at = state;
                while at != from {
                    let previous = before[&at];
                    steps.push((self.raw_action(previous, ActionId::TAU, at), at));
                    at = previous;
                }
                steps.reverse();
                return Some(steps);
            }
            for next in self.hidden.successors_by(state, ActionId::TAU) {
                if self.partition.block_of(*next) == class && *next != from && !before.contains_key(next) {
                    before.insert(*next, state);
                    queue.push_back(*next);
                }
            }
        }
        None
    }

    /// The action before hiding of a step after hiding.
    fn raw_action(&self, from: StateId, hidden_action: ActionId, to: StateId) -> ActionId {
        let becomes = |raw: &Lks, action: ActionId| {
            self.hidden.alphabet().find(raw.alphabet().name(action)).unwrap_or(ActionId::TAU)
        };
        self.raw
            .transitions(from)
            .find(|(action, target)| *target == to && becomes(&self.raw, *action) == hidden_action)
            .expect("hiding changes names only")
            .0
    }
}
