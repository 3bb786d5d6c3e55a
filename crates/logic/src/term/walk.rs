//! Walking terms without recursion, each shared term once.

use super::op::Op;
use super::pool::{TermId, TermPool};
use rustc_hash::FxHashSet;

/// The terms below some roots, arguments first, each once.
#[derive(Debug)]
pub struct Postorder<'p> {
    pool: &'p TermPool,
    seen: FxHashSet<TermId>,
    open: Vec<(TermId, bool)>,
}

impl<'p> Postorder<'p> {
    /// Begins at the roots.
    pub fn new(pool: &'p TermPool, roots: &[TermId]) -> Postorder<'p> {
        let open = roots.iter().rev().map(|&root| (root, false)).collect();
        Postorder { pool, seen: FxHashSet::default(), open }
    }
}

impl Iterator for Postorder<'_> {
    type Item = TermId;

    fn next(&mut self) -> Option<TermId> {
        while let Some((term, arguments_done)) = self.open.pop() {
            if arguments_done {
                return Some(term);
            }
            if self.seen.insert(term) {
                self.open.push((term, true));
                self.open.extend(self.pool.arguments(term).iter().rev().map(|&argument| (argument, false)));
            }
        }
        None
    }
}

/// The declared symbols that occur in the terms, in order of first occurrence.
pub fn symbols_in(pool: &TermPool, roots: &[TermId]) -> Vec<TermId> {
    Postorder::new(pool, roots).filter(|&term| matches!(pool.op(term), Op::Symbol(_))).collect()
}
