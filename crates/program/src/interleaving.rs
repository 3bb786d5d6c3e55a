//! What tells the parts of a sequential program apart that stands for all interleavings of a threaded one.

use crate::{NodeId, ProcedureId, VariableId};
use base::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Whose steps the steps of `main` are.
#[derive(Clone, Debug, Default)]
pub struct Interleaving {
    /// The threads; the first runs `main`.
    pub threads: Vec<InterleavedThread>,
    /// The thread whose step leaves a node of `main`, as a position in `threads`. Nodes where threads are chosen are nobody's.
    pub owner: FxHashMap<NodeId, usize>,
    /// Variables that only keep account of threads.
    pub hidden: FxHashSet<VariableId>,
    /// Variables that keep the state of a lock, by the name of the lock: 0 is free, else one more than the position of the owner.
    pub locks: FxHashMap<VariableId, Arc<str>>,
    /// What a run that comes to a node shows about the thread that owns it: what it waits for, what it does wrong.
    pub told: FxHashMap<NodeId, Arc<str>>,
}

/// A thread.
#[derive(Clone, Debug)]
pub struct InterleavedThread {
    /// What it starts with.
    pub start: ProcedureId,
    /// Where it is created.
    pub created: Span,
}
