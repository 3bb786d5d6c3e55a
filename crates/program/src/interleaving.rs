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
    /// The thread whose step leaves a node of `main`, as a position in `threads`. Nodes where threads are chosen are
    /// nobody's.
    pub owner: FxHashMap<NodeId, usize>,
    /// The node of the threaded program, with one shared access per step, whose copy a node of `main` is.
    pub copies: FxHashMap<NodeId, CopiedNode>,
    /// Variables that only keep account of threads.
    pub hidden: FxHashSet<VariableId>,
    /// Variables that keep the state of a lock, by the name of the lock: 0 is free, else one more than the position of
    /// the owner.
    pub locks: FxHashMap<VariableId, Arc<str>>,
    /// Where threads are chosen.
    pub chooser: Option<NodeId>,
    /// Where a thread is drawn, once it was drawn whether it is looked for threads that wait for ever; nothing where nobody
    /// looks for them.
    pub draws_after_looking: Option<NodeId>,
    /// Does the program stand for any number of threads, most of which it knows little of? Then it has runs that no
    /// threads have: a violation in it means nothing.
    pub is_abstract: bool,
    /// Conditions that may hold whenever a thread is chosen, to be tried before others are guessed.
    pub told: Vec<Expr>,
    /// What a run that comes to a node shows about the thread that owns it: what it waits for, what it does wrong.
    pub remarks: FxHashMap<NodeId, Arc<str>>,
    /// A program with the same runs in which threads take turns: in the order of `threads`, each asks before
    /// every block whether it makes it ([`turn_of`]). For searches that look for failures with few switches
    /// first.
    pub in_turns: Option<Arc<crate::Program>>,
}

const TURN_OF: &str = "turn of thread ";

/// The name of the input by which a thread is asked whether it makes its next block, where threads take
/// turns.
#[must_use]
pub fn turn_of(thread: usize) -> Arc<str> {
    Arc::from(format!("{TURN_OF}{thread}"))
}

/// The thread that is asked so.
#[must_use]
pub fn whose_turn(input: &str) -> Option<usize> {
    input.strip_prefix(TURN_OF)?.parse().ok()
}

/// Where threads are drawn bit by bit: the threads before this position are drawn by 0, the others by 1.
#[must_use]
pub fn halfway(threads: usize) -> usize {
    threads / 2
}

/// The bits that draw a thread.
#[must_use]
pub fn drawn_by(thread: usize, threads: usize) -> Vec<bool> {
    let (mut from, mut count, mut bits) = (0, threads, Vec::new());
    while count > 1 {
        let few = halfway(count);
        let is_later = thread >= from + few;
        bits.push(is_later);
        (from, count) = if is_later { (from + few, count - few) } else { (from, few) };
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_is_drawn_by_bits_of_its_own() {
        for threads in 1..20 {
            let all: FxHashSet<Vec<bool>> = (0..threads).map(|thread| drawn_by(thread, threads)).collect();
            assert_eq!(all.len(), threads);
        }
        assert_eq!(drawn_by(0, 3), [false]);
        assert_eq!(drawn_by(2, 3), [true, true]);
    }

    #[test]
    fn turns_name_their_threads() {
        assert_eq!(whose_turn(&turn_of(12)), Some(12));
        assert_eq!(whose_turn(crate::NEXT_THREAD), None);
    }
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
    /// Where in `main` it goes on when it is drawn, by what its counter holds then.
    pub resumes: Vec<(i64, NodeId)>,
}
