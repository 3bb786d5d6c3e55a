//! The shapes a counterexample can take. States and actions are named; nothing here refers to a model.
//! The tree is THESIS 5.2: a winning strategy of the implementation in the simulation game.

use base::{IndexVec, define_id};

/// A component's place in the list of components; lanes are drawn in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(pub u32);

/// What a reader sees of one state of the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateView {
    /// The state of each component, by name, in lane order.
    pub components: Vec<String>,
    /// The propositions that hold, sorted.
    pub propositions: Vec<String>,
}

/// One step: an action, who took part, and where it led.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The action's name.
    pub action: String,
    /// Is it silent, that is, not seen by anyone outside?
    pub silent: bool,
    /// The components that moved.
    pub lanes: Vec<Lane>,
    /// The state after it.
    pub to: StateView,
}

/// A finite run from an initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// The names of the components, in lane order.
    pub lane_names: Vec<String>,
    /// The initial state.
    pub start: StateView,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Why the last state matters, such as `property SAFE is violated`; may be empty.
    pub ends_because: String,
}

impl Path {
    /// The actions that can be seen, in order.
    pub fn visible_actions(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter(|step| !step.silent).map(|step| step.action.as_str())
    }
}

/// An infinite run: after the stem, the cycle's steps repeat for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    /// From an initial state to the first state of the cycle.
    pub stem: Path,
    /// The steps of the cycle; the last one leads back to the last state of the stem. Never empty.
    pub cycle: Vec<Step>,
}

/// What one component cannot do in the state it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The component's name.
    pub component: String,
    /// The state it is in.
    pub state: String,
    /// Actions of its alphabet that it refuses, sorted.
    pub refuses: Vec<String>,
    /// Actions it waits for: it offers them, another component refuses; sorted.
    pub waits_for: Vec<String>,
    /// Has it ended normally?
    pub terminated: bool,
}

/// A run into a state where nothing can move, and why each component is stuck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deadlock {
    /// How the state is reached.
    pub path: Path,
    /// One per component, in lane order.
    pub refusals: Vec<Refusal>,
}

define_id!(
    /// A node of a [`Tree`].
    TreeNodeId,
    "n"
);

/// What the implementation does from a node: its action and where that leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// The action's name.
    pub action: String,
    /// Is it silent?
    pub silent: bool,
    /// The implementation's state after it.
    pub to: StateView,
}

/// A position of the simulation game and the challenge that wins from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// The implementation's state.
    pub implementation: StateView,
    /// The specification's state.
    pub specification: StateView,
    /// What the implementation does; `None` where the two states differ in their propositions already.
    pub challenge: Option<Challenge>,
    /// One node per answer of the specification; none means that it has no answer.
    pub children: Vec<TreeNodeId>,
}

/// A winning strategy of the implementation: whatever the specification answers, it cannot follow for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    /// One root per initial state of the specification, all with the same implementation state.
    pub roots: Vec<TreeNodeId>,
    /// The nodes. A node may be shared by several parents: it is then the same strategy.
    pub nodes: IndexVec<TreeNodeId, TreeNode>,
}
