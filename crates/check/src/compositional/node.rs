//! A joined part of the system: what it is made of, its states before and after minimisation.

use super::join::product;
use crate::bisimulation::{Divergence, Equivalence, partition_by, quotient_by};
use crate::outcome::Stopped;
use base::{Budget, Id};
use lks::composition::ComponentId;
use lks::quotient::Partition;
use lks::{Component, Lks, LksBuilder, Role, StateId, StateMark};

/// The proposition that stands for "all processes of this part have terminated". END marks are not used inside this
/// engine: an END state cannot move, but a property joined to a process that ended must.
const ENDED: &str = "(ended)";

/// Have all processes of the part terminated in this state?
pub(super) fn is_ended(lks: &Lks, state: StateId) -> bool {
    lks.propositions().find(ENDED).is_some_and(|ended| lks.holds(state, ended))
}

/// What a part is made of.
pub(super) enum Made {
    Leaf(ComponentId),
    /// From two parts; for each state of the product their states.
    Join {
        left: Box<Node>,
        right: Box<Node>,
        pairs: Vec<(StateId, StateId)>,
    },
}

pub(super) struct Node {
    pub made: Made,
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
    pub fn leaf(
        id: ComponentId,
        component: &Component,
        is_shared: impl Fn(&str) -> bool,
        divergence: Divergence,
        budget: &Budget,
    ) -> Result<Node, Stopped> {
        let lks = &component.lks;
        let mut builder = LksBuilder::new(lks.name());
        let ended = builder.proposition(ENDED);
        let actions: Vec<_> =
            lks.alphabet().ids().map(|action| builder.action(lks.alphabet().name(action))).collect();
        builder.ensure_states(lks.state_count());
        lks.initial().iter().for_each(|state| builder.initial(*state));
        for state in lks.states() {
            if lks.mark(state) == StateMark::Error {
                builder.mark(state, StateMark::Error);
            }
            // A property is not waited for.
            if component.role == Role::Watcher || lks.mark(state) == StateMark::End {
                builder.label(state, ended);
            }
            for (action, target) in lks.transitions(state) {
                builder.transition(state, actions[action.index()], target);
            }
        }
        Node::minimised(Made::Leaf(id), builder.build(), is_shared, divergence, budget)
    }

    /// `None` if the product has more than `most` states.
    pub fn join(
        left: Node,
        right: Node,
        is_shared: impl Fn(&str) -> bool,
        divergence: Divergence,
        most: usize,
        budget: &Budget,
    ) -> Result<Option<Node>, Stopped> {
        let Some((raw, pairs)) = product(&left.reduced, &right.reduced, ENDED, most, budget)? else {
            return Ok(None);
        };
        let made = Made::Join { left: Box::new(left), right: Box::new(right), pairs };
        Node::minimised(made, raw, is_shared, divergence, budget).map(Some)
    }

    fn minimised(
        made: Made,
        raw: Lks,
        is_shared: impl Fn(&str) -> bool,
        divergence: Divergence,
        budget: &Budget,
    ) -> Result<Node, Stopped> {
        let hidden = raw.keep_visible(is_shared);
        let equivalence = Equivalence::Branching(divergence);
        let partition = partition_by(&hidden, equivalence, budget)?;
        let reduced = quotient_by(&hidden, &partition, equivalence, budget)?;
        Ok(Node { made, raw, hidden, partition, reduced })
    }
}
