//! Which predicates stand where: at a cut point over its symbols and the values at entry; at the end of a
//! procedure over what it leaves behind and the values at entry.

use super::system::{CutId, RoutineId, System};
use base::IndexVec;
use logic::term::Op;
use logic::{TermId, TermPool};

/// The predicates of each cut point and of each procedure's end, in the order they were added.
#[derive(Clone, Debug)]
pub struct Scopes {
    at: IndexVec<CutId, Vec<TermId>>,
    at_end: IndexVec<RoutineId, Vec<TermId>>,
}

impl Scopes {
    /// None yet.
    pub fn new(system: &System) -> Scopes {
        Scopes {
            at: IndexVec::filled(Vec::new(), system.cuts.len()),
            at_end: IndexVec::filled(Vec::new(), system.routines.len()),
        }
    }

    /// The predicates of a cut point.
    pub fn at(&self, cut: CutId) -> &[TermId] {
        &self.at[cut]
    }

    /// The predicates of a procedure's end.
    pub fn at_end(&self, routine: RoutineId) -> &[TermId] {
        &self.at_end[routine]
    }

    /// Adds a predicate at a cut point, without its negation. Says whether it is new there.
    pub fn add(&mut self, pool: &TermPool, cut: CutId, predicate: TermId) -> bool {
        add(pool, &mut self.at[cut], predicate)
    }

    /// Adds a predicate at the end of a procedure, without its negation. Says whether it is new there.
    pub fn add_at_end(&mut self, pool: &TermPool, routine: RoutineId, predicate: TermId) -> bool {
        add(pool, &mut self.at_end[routine], predicate)
    }

    /// How many there are, counted at each place.
    pub fn count(&self) -> usize {
        self.at.iter().chain(self.at_end.iter()).map(Vec::len).sum()
    }
}

fn add(pool: &TermPool, known: &mut Vec<TermId>, predicate: TermId) -> bool {
    let predicate = match pool.op(predicate) {
        Op::Not => pool.arguments(predicate)[0],
        _ => predicate,
    };
    let is_new = pool.bool_value(predicate).is_none() && !known.contains(&predicate);
    if is_new {
        known.push(predicate);
    }
    is_new
}
