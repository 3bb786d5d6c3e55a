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
    /// Does the section that is open move to the right, so that more may come after it?
    pub is_light: bool,
    /// No other thread has started, or all have ended.
    pub is_alone: bool,
    /// Something happened since the last cut that does not move to the right.
    pub is_past: bool,
    /// Is something made that is one step ([`program::Known::STEP`])?
    pub step: OneStep,
}

/// How far a thread is in what is one step, though it has several accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OneStep {
    /// It is in none.
    Outside,
    /// It has not accessed what others see.
    Begun,
    /// It has, and nobody comes in between until it ends.
    UnderWay,
}

impl Mode {
    /// The start of the program.
    pub const START: Mode =
        Mode { sections: 0, is_light: false, is_alone: true, is_past: false, step: OneStep::Outside };
    /// The start of another thread.
    pub const STARTED: Mode =
        Mode { sections: 0, is_light: false, is_alone: false, is_past: false, step: OneStep::Outside };

    /// Does the thread go on whatever happens?
    pub fn is_section(self) -> bool {
        self.sections > 0 || self.step == OneStep::UnderWay
    }

    /// Can nobody come in between?
    pub fn is_undisturbed(self) -> bool {
        self.is_alone || self.is_section()
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
