//! A joined part of the system: what it is made of, its states before and after minimisation.

use super::context::InContext;
use super::join::product;
use crate::bisimulation::{Equivalence, partition_by, quotient_by};
use crate::stopped::Stopped;
use base::Id;
use lks::composition::ComponentId;
use lks::quotient::Partition;
use lks::{Component, Composition, Lks, LksBuilder, Role, StateId, StateMark};
use question::Monitor;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The proposition that stands for "all processes of this part have terminated". END marks are not used
/// inside this engine: an END state cannot move, but a property joined to a process that ended must.
const ENDED: &str = "(ended)";

/// Have all processes of the part terminated in this state?
pub(super) fn is_ended(lks: &Lks, state: StateId) -> bool {
    lks.propositions().find(ENDED).is_some_and(|ended| lks.holds(state, ended))
}

/// What minimisation must keep, so that the small system answers as the large one does.
#[derive(Clone, Debug)]
pub(super) struct Keeps {
    /// When states may be put together.
    pub equivalence: Equivalence,
    /// Actions that stay visible even where nobody shares them.
    pub actions: FxHashSet<Arc<str>>,
    /// Propositions that are told apart, by name.
    pub propositions: Vec<Arc<str>>,
    /// Is "all processes have terminated" told apart?
    pub termination: bool,
}

/// The visible actions of the system that a question speaks of.
pub(super) fn visible_actions(system: &Composition, is_told: impl Fn(&str) -> bool) -> FxHashSet<Arc<str>> {
    let visible = system.syncs().skip(1).filter(|sync| !system.shown(*sync).is_silent());
    visible.map(|sync| system.sync_name(sync)).filter(|name| is_told(name)).map(Arc::from).collect()
}

/// What a part is made of.
pub(super) enum NodeOrigin {
    /// From a component; for each state the component's own, where it was restricted by its context.
    Leaf(ComponentId, Option<Vec<StateId>>),
    /// From two parts; for each state of the product their states.
    Join { left: Box<Node>, right: Box<Node>, pairs: Vec<(StateId, StateId)> },
}

pub(super) struct Node {
    pub made: NodeOrigin,
    /// All states, actions under their names.
    pub raw: Lks,
    /// The same states, with the actions nobody else shares silent.
    pub hidden: Lks,
    pub partition: Partition,
    /// One state per class.
    pub reduced: Lks,
}

/// The size of the largest product that was built.
#[derive(Clone, Copy, Default)]
pub(super) struct Largest {
    pub states: usize,
    pub transitions: usize,
}

impl Node {
    /// The component, or what its context leaves of it.
    pub fn leaf(
        id: ComponentId,
        component: &Component,
        context: Option<&InContext>,
        is_shared: impl Fn(&str) -> bool,
        keeps: &Keeps,
        monitor: Monitor<'_>,
    ) -> Result<Node, Stopped> {
        let lks = context.map_or(&*component.lks, |context| &context.lks);
        let mut builder = LksBuilder::new(lks.name());
        let ended = builder.proposition(ENDED);
        let kept: Vec<_> = keeps
            .propositions
            .iter()
            .filter_map(|name| Some((lks.propositions().find(name)?, builder.proposition(name))))
            .collect();
        let actions: Vec<_> =
            lks.alphabet().ids().map(|action| builder.action(lks.alphabet().name(action))).collect();
        builder.ensure_states(lks.state_count());
        lks.initial().iter().for_each(|state| builder.initial(*state));
        for state in lks.states() {
            if lks.mark(state) == StateMark::Error {
                builder.mark(state, StateMark::Error);
            }
            // A property is not waited for.
            let has_ended = component.role == Role::Watcher || lks.mark(state) == StateMark::End;
            if keeps.termination && has_ended {
                builder.label(state, ended);
            }
            for (own, new) in &kept {
                if lks.holds(state, *own) {
                    builder.label(state, *new);
                }
            }
            for (action, target) in lks.transitions(state) {
                builder.transition(state, actions[action.index()], target);
            }
        }
        Node::minimised(
            NodeOrigin::Leaf(id, context.map(|context| context.origin.clone())),
            builder.build(),
            is_shared,
            keeps,
            monitor,
        )
    }

    /// `None` if the product has more than `most` states.
    pub fn join(
        left: Node,
        right: Node,
        is_shared: impl Fn(&str) -> bool,
        keeps: &Keeps,
        most: usize,
        monitor: Monitor<'_>,
    ) -> Result<Option<Node>, Stopped> {
        let Some((raw, pairs)) = product(&left.reduced, &right.reduced, ENDED, most, monitor)? else {
            return Ok(None);
        };
        let made = NodeOrigin::Join { left: Box::new(left), right: Box::new(right), pairs };
        Node::minimised(made, raw, is_shared, keeps, monitor).map(Some)
    }

    fn minimised(
        made: NodeOrigin,
        raw: Lks,
        is_shared: impl Fn(&str) -> bool,
        keeps: &Keeps,
        monitor: Monitor<'_>,
    ) -> Result<Node, Stopped> {
        let hidden = raw.keep_visible(|name| is_shared(name) || keeps.actions.contains(name));
        let partition = partition_by(&hidden, keeps.equivalence, monitor.budget)?;
        let reduced = quotient_by(&hidden, &partition, keeps.equivalence, monitor.budget)?;
        Ok(Node { made, raw, hidden, partition, reduced })
    }
}
