//! What tells the parts of a sequential program apart that stands for all interleavings of a threaded one.

use crate::{Expr, NodeId, ProcedureId, VariableId};
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
    /// The node of the threaded program, with one shared access per step, whose copy a node of `main` is.
    pub copies: FxHashMap<NodeId, CopiedNode>,
    /// Variables that only keep account of threads.
    pub hidden: FxHashSet<VariableId>,
    /// Variables that keep the state of a lock, by the name of the lock: 0 is free, else one more than the position of the owner.
    pub locks: FxHashMap<VariableId, Arc<str>>,
    /// Where threads are chosen.
    pub chooser: Option<NodeId>,
    /// Does the program stand for any number of threads, most of which it knows little of? Then it has runs that no threads have: a violation in it means nothing.
    pub is_abstract: bool,
    /// Conditions that may hold whenever a thread is chosen, to be tried before others are guessed.
    pub told: Vec<Expr>,
    /// What a run that comes to a node shows about the thread that owns it: what it waits for, what it does wrong.
    pub remarks: FxHashMap<NodeId, Arc<str>>,
}

/// A node of a threaded program, of which a sequential one has a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopiedNode {
    /// Where it lies.
    pub procedure: ProcedureId,
    /// The node.
    pub node: NodeId,
    /// Is this not the copy itself but a place right before it, where the thread may be interrupted?
    pub is_ahead: bool,
}

/// A thread.
#[derive(Clone, Debug)]
pub struct InterleavedThread {
    /// Tells where it is: -1 before it starts, 0 when it has ended.
    pub counter: VariableId,
    /// What it starts with.
    pub start: ProcedureId,
    /// Where it is created.
    pub created: Span,
}
