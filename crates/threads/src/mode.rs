//! Where in the sequential program a copy of a step stands, and when a thread may be interrupted there.
//!
//! Source: Lipton, "Reduction" (1975); transactions as in Flanagan and Qadeer, "Transactions for software model checking" (2003). A thread runs
//! without interruption from one *cut* to the next. Between them lie steps that move to the right of other threads' steps (taking a lock), then at
//! most one that moves nowhere (an access others see), then steps that move to the left (giving a lock back). Local steps move both ways. A run in which others
//! come in between can be rearranged to one in which they do not, with the same values and failures.
//!
//! After the step that moves nowhere, a thread must come to a cut: loops are entered past a cut then, and so are calls that may not return.

use program::NodeId;

base::define_id!(
    /// A call of a procedure by a thread, copied into the sequential program.
    FrameId,
    "f"
);
base::define_id!(
    /// A thread: one that is created at one place at most once.
    ThreadIndex,
    "t"
);

/// What else tells copies of one node apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    /// Atomic sections that are open.
    pub sections: u8,
    /// No other thread has started, or all have ended.
    pub is_alone: bool,
    /// Something happened since the last cut that does not move to the right.
    pub is_past: bool,
}

impl Mode {
    /// The start of the program.
    pub const START: Mode = Mode { sections: 0, is_alone: true, is_past: false };
    /// The start of another thread.
    pub const STARTED: Mode = Mode { sections: 0, is_alone: false, is_past: false };

    /// Can nobody come in between?
    pub fn is_undisturbed(self) -> bool {
        self.is_alone || self.sections > 0
    }
}

/// How a step moves among steps of other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mover {
    /// Both ways.
    Both,
    /// To the right: whatever another thread does next it could have done before.
    Right,
    /// To the left.
    Left,
    /// Neither way.
    No,
}

/// A copy of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// The call that it is in.
    pub frame: FrameId,
    /// The node of the procedure.
    pub node: NodeId,
    /// What else tells it apart.
    pub mode: Mode,
}

/// A place in the sequential program that is being written.
#[derive(Clone, Copy, Debug)]
pub struct Here {
    /// Its node.
    pub node: NodeId,
    /// What is so there.
    pub mode: Mode,
}
