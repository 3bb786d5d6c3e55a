//! Why a property holds, as far as the engine can tell someone who wants to check it.

/// A transition between named states.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedTransition {
    /// From this state.
    pub from: String,
    /// On this action.
    pub action: String,
    /// To this state.
    pub to: String,
}

/// What a component may assume of its surroundings, as a deterministic process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnedAssumption {
    /// The component it is for.
    pub component: String,
    /// The actions it speaks about, sorted.
    pub alphabet: Vec<String>,
    /// The initial state.
    pub initial: String,
    /// Its transitions, sorted; an action of the alphabet without transition is forbidden there.
    pub transitions: Vec<NamedTransition>,
}

/// What a proof rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// The engine kept nothing that can be checked apart from itself.
    Unrecorded,
    /// Every reachable state was looked at.
    Exhaustive {
        /// How many.
        states: u64,
    },
    /// A relation that is a (weak) simulation and relates the initial states: pairs of state names.
    Simulation {
        /// Implementation state, specification state; sorted.
        pairs: Vec<(String, String)>,
    },
    /// Assumptions that discharge the premises of an assume-guarantee rule.
    AssumeGuarantee {
        /// The rule, `1` or `2`.
        rule: u8,
        /// The assumptions, outermost first.
        assumptions: Vec<LearnedAssumption>,
    },
    /// A partition of each component's states whose quotients have no counterexample.
    Abstraction {
        /// For each component: its name, and its classes of states.
        partitions: Vec<(String, Vec<Vec<String>>)>,
    },
}
