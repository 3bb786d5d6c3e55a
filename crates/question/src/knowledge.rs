//! What engines that work on the same question tell each other, whichever kind of question it is.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// What is known of a question so far. Shared by the engines of all threads that work on it.
///
/// Obligation: what is put in holds of the subject, whoever put it in; it may be used for a proof.
#[derive(Debug, Default)]
pub struct Knowledge {
    depth: AtomicU32,
    queries: AtomicU64,
    runs_are_over: AtomicBool,
    is_exhausted: AtomicBool,
}

impl Knowledge {
    /// Nothing is known.
    pub fn new() -> Knowledge {
        Knowledge::default()
    }

    /// The rounds of loops (or steps of a model) within which nothing fails and nothing is unknown.
    pub fn depth_searched(&self) -> u32 {
        self.depth.load(Ordering::Acquire)
    }

    /// A search has come so deep; 0 takes it back, where something was met that nothing is known about.
    pub fn searched_to(&self, depth: u32) {
        self.depth.store(depth, Ordering::Release);
    }

    /// Questions that solvers were asked.
    pub fn queries(&self) -> u64 {
        self.queries.load(Ordering::Relaxed)
    }

    /// Solvers were asked so many questions more.
    pub fn asked(&self, queries: u64) {
        self.queries.fetch_add(queries, Ordering::Relaxed);
    }

    /// Have long concrete runs ended? While there may be but one run, the interpreter follows it faster than
    /// any search.
    pub fn runs_are_over(&self) -> bool {
        self.runs_are_over.load(Ordering::Acquire)
    }

    /// They have.
    pub fn end_runs(&self) {
        self.runs_are_over.store(true, Ordering::Release);
    }

    /// Has an engine seen everything there is, so that none can say more than it did?
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted.load(Ordering::Acquire)
    }

    /// One has.
    pub fn exhaust(&self) {
        self.is_exhausted.store(true, Ordering::Release);
    }
}
