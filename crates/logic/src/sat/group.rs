//! Clauses that can be switched on and dropped.

use super::{Literal, TakeClauses};

/// Clauses that hold in the calls that assume [`active`](ClauseGroup::active), until the group is closed. A group
/// belongs to the solver it was opened in.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "clauses of a group hold only while its literal is assumed"]
pub struct ClauseGroup {
    active: Literal,
}

impl ClauseGroup {
    /// A group without clauses, with an activation literal of its own.
    pub fn open(solver: &mut impl TakeClauses) -> ClauseGroup {
        ClauseGroup { active: solver.new_literal() }
    }

    /// To be assumed where the group's clauses are meant to hold. In a core it stands for all of them.
    pub fn active(&self) -> Literal {
        self.active
    }

    /// Requires one of the literals to hold whenever the group is active.
    pub fn add_clause(&self, solver: &mut impl TakeClauses, clause: &[Literal]) {
        let mut guarded = Vec::with_capacity(clause.len() + 1);
        guarded.push(!self.active);
        guarded.extend_from_slice(clause);
        solver.add_clause(&guarded);
    }

    /// Drops the group's clauses for good, so that the solver may forget them.
    pub fn close(self, solver: &mut impl TakeClauses) {
        solver.add_clause(&[!self.active]);
    }
}
