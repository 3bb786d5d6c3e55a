//! Watching a run step by step, for replay and for explaining.

use crate::outcome::UndefinedReport;
use crate::settings::ThreadId;
use program::{EdgeId, NodeId, ProcedureId};

/// One step of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Who made it.
    pub thread: ThreadId,
    /// In which procedure.
    pub procedure: ProcedureId,
    /// Which edge was taken.
    pub edge: EdgeId,
    /// Active calls of the thread, the current one included.
    pub depth: u32,
    /// What the step wrote, if it wrote a scalar.
    pub written: Option<Written>,
}

/// A scalar that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The bits, cut to the width of the place's type (pointers: the address).
    pub bits: u128,
    /// Where in memory; `None` for a variable that no pointer reaches.
    pub address: Option<u64>,
}

/// Is told about every step. A call is told when its procedure has returned (with the result it wrote), or when the
/// built-in function is done; the steps of the callee come before it.
pub trait Observer {
    /// One edge was taken.
    fn step(&mut self, step: Step);

    /// Something undefined happened for the first time at its place, and the run goes on.
    fn tolerated(&mut self, _report: &UndefinedReport) {}

    /// A call begins.
    fn called(&mut self, _thread: ThreadId, _procedure: ProcedureId) {}

    /// May rounds of a loop that are all alike be made without telling of their steps? Nothing is called in them, nothing
    /// undefined happens, and the last of them is told.
    fn may_skip_rounds(&self) -> bool {
        false
    }

    /// Is the state wanted when control has come to this place, by a step or by coming back from a call?
    fn wants_state(&self, _procedure: ProcedureId, _node: NodeId) -> bool {
        false
    }

    /// The state there.
    fn state(&mut self, _seen: StateSeen) {}
}

/// The state of a run of one thread, where somebody wanted it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateSeen {
    /// In which procedure.
    pub procedure: ProcedureId,
    /// Where in it.
    pub node: NodeId,
    /// All that later steps depend on, in sixteen bytes.
    pub digest: u128,
    /// Steps so far, as limits count them.
    pub steps: u64,
    /// Inputs taken so far.
    pub inputs: usize,
}
