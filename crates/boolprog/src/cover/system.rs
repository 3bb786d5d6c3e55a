//! Counter systems: a finite control and unboundedly many tokens on places.
//!
//! One structure for all three inputs. A thread transition system (BOOM 8.2) has its shared state as control
//! and one place per local state; a vector addition system has its states as control and its coordinates as
//! places; a Petri net has a single control. Passive effects (broadcasts, transfers, resets) are
//! [`Broadcast`]; upper limits in guards (zero tests, inhibitors) are [`Transition::at_most`]. Every effect
//! but the upper limits is monotone: more tokens never disable a step. Engines read an upper limit as
//! "surplus tokens are lost first", which contains all real steps; what they then find coverable is replayed
//! with the limits as they stand.

use base::{IndexVec, define_id};

define_id!(
    /// A state of the finite control, such as a valuation of the shared variables.
    ControlId,
    "c"
);
define_id!(
    /// A place that holds tokens, such as a local state that threads are in.
    PlaceId,
    "p"
);
define_id!(
    /// A transition.
    TransitionId,
    "t"
);
define_id!(
    /// One of the markings asked about.
    TargetId,
    "target"
);

/// What a step does to one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// The place.
    pub place: PlaceId,
    /// Tokens that must be there.
    pub needs: u32,
    /// Tokens added, or taken if negative; `needs` covers what is taken.
    pub change: i64,
}

/// Where the tokens of a place go, each on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The place they leave.
    pub from: PlaceId,
    /// A token becomes one of these; the empty list of tokens means that it vanishes. Never empty.
    pub choices: Vec<Vec<(PlaceId, u32)>>,
}

/// A step that touches tokens it does not name: first some are taken, then all that are left move, then some
/// are added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Broadcast {
    /// Tokens that must be there before anything happens; sorted by place.
    pub needs: Vec<(PlaceId, u32)>,
    /// Tokens taken before the others move; sorted by place, covered by `needs`.
    pub take: Vec<(PlaceId, u32)>,
    /// Moves; sorted by place. Places without a move keep their tokens.
    pub moves: Vec<Move>,
    /// Added (or removed) at the end; sorted by place. A step that would leave fewer than none is not
    /// possible.
    pub add: Vec<(PlaceId, i64)>,
}

/// The effect on tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Only the named places change; sorted by place.
    Plain(Vec<Arc>),
    /// Other tokens change too.
    Broadcast(Broadcast),
}

/// One transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Possible in this control.
    pub from: ControlId,
    /// Leads to this control.
    pub to: ControlId,
    /// Possible only with at most so many tokens; sorted by place.
    pub at_most: Vec<(PlaceId, u32)>,
    /// What happens to the tokens.
    pub effect: Effect,
    /// How people know it, such as a line of the input.
    pub name: String,
}

impl Transition {
    /// Only arcs, no limits from above: a step of a Petri net.
    pub fn is_plain(&self) -> bool {
        self.at_most.is_empty() && matches!(self.effect, Effect::Plain(_))
    }
}

/// How many tokens a place has at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialCount {
    /// This many.
    Exactly(u32),
    /// Any number from this one on.
    AtLeast(u32),
}

/// Where the system starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Initial {
    /// The control.
    pub control: ControlId,
    /// Places that may have tokens, sorted; the others have none.
    pub counts: Vec<(PlaceId, InitialCount)>,
}

/// A marking asked about: can a state with at least these tokens be reached?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// In this control.
    pub control: ControlId,
    /// At least so many tokens; sorted by place, no zeros.
    pub at_least: Vec<(PlaceId, u32)>,
    /// At most so many; sorted by place. Empty for an ordinary coverability question.
    pub at_most: Vec<(PlaceId, u32)>,
}

/// A counter system with its question.
#[derive(Clone, Debug)]
pub struct System {
    /// The control states, by name.
    pub controls: IndexVec<ControlId, String>,
    /// The places, by name.
    pub places: IndexVec<PlaceId, String>,
    /// The transitions.
    pub transitions: IndexVec<TransitionId, Transition>,
    /// The start.
    pub initial: Initial,
    /// Reaching any of them is the violation.
    pub targets: IndexVec<TargetId, Target>,
    /// What a token is called in messages: `thread` or `token`.
    pub token: &'static str,
}

impl System {
    /// Can the start have arbitrarily many tokens somewhere?
    pub fn starts_unbounded(&self) -> bool {
        self.initial.counts.iter().any(|(_, count)| matches!(count, InitialCount::AtLeast(_)))
    }
}
