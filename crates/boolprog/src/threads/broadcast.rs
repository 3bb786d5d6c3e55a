//! What a broadcast makes of the local states of the other threads ([`crate::graph::Passive`]).
//!
//! A broadcast is numbered by what its rules see of the thread that moves: edge, globals and own variables,
//! before and after, as far as they are read. So what becomes of a passive local state depends on two numbers
//! only. A local state for which nothing is left excludes the step while a thread is in it.

use super::flat::{ContextId, FlatLocationId};
use super::outcomes::{After, combinations};
use super::thread_state::{LocalId, LocalState, SharedState, ThreadStates, TooManyChoices};
use crate::graph::{EdgeId, Expr, Possible, Scope, VariableId, rule_at};
use crate::values::Values;
use base::{Id, define_id};
use std::sync::Arc;

define_id!(
    /// A numbered broadcast.
    BroadcastId,
    "b"
);

/// What the rules of an edge see of the thread that takes it; what they do not read is false.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Broadcast {
    edge: EdgeId,
    context: ContextId,
    globals: (Values, Values),
    rows: (Values, Values),
}

impl ThreadStates<'_> {
    /// The broadcast that comes with a step, if there is one.
    pub(super) fn broadcast_of(
        &self,
        edge: EdgeId,
        before: &SharedState,
        thread: &LocalState,
        after: &After,
    ) -> Option<Broadcast> {
        let rules = self.flat.program.edges()[edge].action.passive();
        if rules.is_empty() {
            return None;
        }
        let row_after = after.local.as_ref().map_or(&thread.row, |local| &local.row);
        let context = self.flat.locations[thread.location].context;
        let empty = || (Values::falses(self.flat.program.globals().len()), Values::falses(self.flat.row));
        let ((old_globals, old_row), (new_globals, new_row)) = (empty(), empty());
        let mut seen =
            Broadcast { edge, context, globals: (old_globals, new_globals), rows: (old_row, new_row) };
        let mut look = |expr: &Expr| {
            expr.for_each_variable(&mut |id, is_next| {
                let variable = &self.flat.program.variables()[id];
                match (variable.scope, self.flat.slot(context, id)) {
                    (Scope::Global, _) if is_next => {
                        seen.globals.1.set(variable.slot, after.shared.globals.get(variable.slot));
                    }
                    (Scope::Global, _) => {
                        seen.globals.0.set(variable.slot, before.globals.get(variable.slot))
                    }
                    (Scope::Local(_), Some(slot)) if is_next => seen.rows.1.set(slot, row_after.get(slot)),
                    (Scope::Local(_), Some(slot)) => seen.rows.0.set(slot, thread.row.get(slot)),
                    _ => {}
                }
            });
        };
        rules.iter().for_each(|rule| rule.for_each_expression(&mut look));
        Some(seen)
    }

    pub(super) fn number_broadcast(&mut self, broadcast: Broadcast) -> BroadcastId {
        BroadcastId::from_index(self.broadcasts.insert_full(broadcast).0)
    }

    /// A broadcast by its number.
    pub(super) fn broadcast(&self, id: BroadcastId) -> &Broadcast {
        &self.broadcasts[id.index()]
    }

    /// The local states that a passive thread may be in afterwards. None: it excludes the step.
    pub fn told(&mut self, id: BroadcastId, local: LocalId) -> Result<Arc<[LocalId]>, TooManyChoices> {
        if let Some(known) = self.told.get(&(id, local)) {
            return Ok(known.clone());
        }
        let state = self.local(local).clone();
        let rows = self.rows_told(self.broadcast(id), state.location, &state.row)?;
        let mut found: Vec<LocalId> =
            rows.into_iter().map(|row| self.number_local(LocalState { row, ..state.clone() })).collect();
        found.sort();
        found.dedup();
        let found: Arc<[LocalId]> = found.into();
        self.told.insert((id, local), found.clone());
        Ok(found)
    }

    /// The rows that a passive thread may have afterwards: every activation of it does what its rule says.
    pub(super) fn rows_told(
        &self,
        broadcast: &Broadcast,
        location: FlatLocationId,
        row: &Values,
    ) -> Result<Vec<Values>, TooManyChoices> {
        let program = self.flat.program;
        let rules = program.edges()[broadcast.edge].action.passive();
        let mut rows = vec![row.clone()];
        let mut at = Some((self.flat.locations[location].context, self.flat.locations[location].node));
        while let Some((context, node)) = at {
            at = self.flat.call_of(context).map(|(caller, call)| (caller, call.from));
            let Some(rule) = rule_at(rules, program, node) else { continue };
            let before = |id: VariableId| self.seen(broadcast, context, id, (row, row), false);
            let allowed: Vec<Possible> =
                rule.assignments.iter().map(|(_, value)| value.possible(&|id, _| before(id))).collect();
            let mut longer = Vec::new();
            for so_far in &rows {
                combinations(&allowed, &mut |chosen| {
                    let mut next = so_far.clone();
                    let offset = self.flat.contexts[context].offset;
                    for ((target, _), value) in rule.assignments.iter().zip(chosen) {
                        next.set(offset + program.variables()[*target].slot, *value);
                    }
                    let value = |id, is_next| self.seen(broadcast, context, id, (row, &next), is_next);
                    if rule.constraint.possible(&value).yes {
                        longer.push(next);
                    }
                })?;
            }
            rows = longer;
        }
        Ok(rows)
    }

    /// The value of a variable in a rule about the activation of a passive thread in this context.
    fn seen(
        &self,
        broadcast: &Broadcast,
        context: ContextId,
        id: VariableId,
        (row, next): (&Values, &Values),
        is_next: bool,
    ) -> bool {
        let variable = &self.flat.program.variables()[id];
        let pick = |pair: &(Values, Values), slot: usize| {
            if is_next { pair.1.get(slot) } else { pair.0.get(slot) }
        };
        match variable.scope {
            Scope::Global => pick(&broadcast.globals, variable.slot),
            Scope::Local(_) => {
                pick(&broadcast.rows, self.flat.contexts[broadcast.context].offset + variable.slot)
            }
            Scope::Passive(_) => {
                let slot = self.flat.contexts[context].offset + variable.slot;
                if is_next { next.get(slot) } else { row.get(slot) }
            }
        }
    }
}
