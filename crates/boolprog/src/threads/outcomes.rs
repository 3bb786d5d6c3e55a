//! What an edge does to one thread, with every choice: the meaning of a step, on rows as they are.

use super::flat::{ContextId, FlatEdge};
use super::stacks::{StackId, Waiting};
use super::thread_state::{LocalState, MOST_CHOICES, SharedState, ThreadStates, TooManyChoices};
use crate::graph::{Action, Edge, Expr, Possible, Scope, VariableId};
use crate::values::Values;

/// The result of an edge, before it is numbered.
pub(super) struct After {
    pub(super) shared: SharedState,
    pub(super) local: Option<LocalState>,
    pub(super) started: Option<LocalState>,
    /// The caller, if the local state is a callee with a row of its own (and the caller's stack).
    pub(super) waits: Option<Waiting>,
}

/// All results of an edge.
pub(super) struct Outcomes {
    pub(super) after: Vec<After>,
    pub(super) fails: bool,
}

impl ThreadStates<'_> {
    fn can(&self, expr: &Expr, shared: &SharedState, thread: &LocalState) -> Possible {
        let context = self.flat.locations[thread.location].context;
        expr.possible(&|variable, _| self.value(context, &shared.globals, &thread.row, variable))
    }

    fn value(&self, context: ContextId, globals: &Values, row: &Values, variable: VariableId) -> bool {
        match self.flat.slot(context, variable) {
            Some(slot) => row.get(slot),
            None => globals.get(self.flat.program.variables()[variable].slot),
        }
    }

    fn set(
        &self,
        context: ContextId,
        globals: &mut Values,
        row: &mut Values,
        variable: VariableId,
        value: bool,
    ) {
        match self.flat.slot(context, variable) {
            Some(slot) => row.set(slot, value),
            None => globals.set(self.flat.program.variables()[variable].slot, value),
        }
    }

    /// Takes an edge with every choice, on rows as they are. `callers` may wait below the row; `None` if
    /// nobody does.
    pub(super) fn outcomes(
        &self,
        before: &SharedState,
        thread: &LocalState,
        step: &FlatEdge,
        callers: Option<&[Waiting]>,
    ) -> Result<Outcomes, TooManyChoices> {
        let context = self.flat.locations[thread.location].context;
        let edge = self.flat.edge(step);
        let mut found = Outcomes { after: Vec::new(), fails: false };
        if !self.can(&edge.guard, before, thread).yes {
            return Ok(found);
        }
        let possible =
            |all: &[Expr]| all.iter().map(|expr| self.can(expr, before, thread)).collect::<Vec<_>>();
        let with = |globals: Values, row: Values, atomic: bool, started: Option<Values>| {
            // Who ends inside an atomic section leaves it.
            let atomic = atomic && step.to.is_some();
            After {
                shared: SharedState { globals, open: before.open.clone(), atomic },
                local: step.to.map(|location| LocalState { location, atomic, row, stack: thread.stack }),
                started: started.map(|row| {
                    let location = step.starts.expect("a new thread begins somewhere");
                    LocalState { location, atomic: false, row, stack: StackId::EMPTY }
                }),
                waits: None,
            }
        };
        let same = |atomic: bool| with(before.globals.clone(), thread.row.clone(), atomic, None);
        match &edge.action {
            Action::Assign { assignments, constraint, .. } => {
                let values: Vec<Possible> =
                    assignments.iter().map(|(_, value)| self.can(value, before, thread)).collect();
                combinations(&values, &mut |chosen| {
                    let (mut globals, mut row) = (before.globals.clone(), thread.row.clone());
                    for ((target, _), &value) in assignments.iter().zip(chosen) {
                        self.set(context, &mut globals, &mut row, *target, value);
                    }
                    let value = |variable, is_next| match is_next {
                        true => self.value(context, &globals, &row, variable),
                        false => self.value(context, &before.globals, &thread.row, variable),
                    };
                    if constraint.possible(&value).yes {
                        let mut after = with(globals, row, thread.atomic, None);
                        self.close(&mut after.shared, assignments.iter().map(|(target, _)| *target));
                        found.after.push(after);
                    }
                })?;
            }
            Action::Assert { condition } => {
                let possible = self.can(condition, before, thread);
                found.fails = possible.no;
                if possible.yes {
                    found.after.push(same(thread.atomic));
                }
            }
            Action::Error { .. } => found.fails = true,
            Action::Call { arguments, .. } => {
                let entry = step.to.expect("a call leads into its callee");
                let offset = self.flat.contexts[self.flat.locations[entry].context].offset;
                for arguments in all_combinations(&possible(arguments))? {
                    for mut row in self.entry_rows(entry, &arguments)? {
                        (0..offset).for_each(|slot| row.set(slot, thread.row.get(slot)));
                        let mut after = with(before.globals.clone(), row, thread.atomic, None);
                        after.waits = step.back.map(|back| {
                            let (call, row, below) = (step.edge, thread.row.clone(), thread.stack);
                            Waiting { back, call, row, below }
                        });
                        found.after.push(after);
                    }
                }
            }
            Action::Return { values } => match (self.flat.call_of(context), callers) {
                (Some((_, call)), _) => {
                    let caller = step.to.expect("the caller goes on");
                    let back = LocalState { location: caller, ..thread.clone() };
                    self.give_back(before, thread, (values, call), back, &mut found.after)?;
                }
                (None, Some(callers)) => {
                    for Waiting { back, call, row, below } in callers {
                        let call = &self.flat.program.edges()[*call];
                        let (location, row, stack) = (*back, row.clone(), *below);
                        let caller = LocalState { location, atomic: thread.atomic, row, stack };
                        self.give_back(before, thread, (values, call), caller, &mut found.after)?;
                    }
                }
                (None, None) => found.after.push(same(false)),
            },
            Action::Async { arguments, .. } => {
                let entry = step.starts.expect("an asynchronous call starts a thread");
                for arguments in all_combinations(&possible(arguments))? {
                    for row in self.entry_rows(entry, &arguments)? {
                        let (globals, own) = (before.globals.clone(), thread.row.clone());
                        found.after.push(with(globals, own, thread.atomic, Some(row)));
                    }
                }
            }
            Action::StartThread { at } => {
                let procedure = self.flat.program.procedure_of(*at);
                let length = self.flat.program.procedures()[procedure].variables.len();
                let copy = self.flat.row_of(&self.flat.activation(context, &thread.row), length);
                let (globals, own) = (before.globals.clone(), thread.row.clone());
                found.after.push(with(globals, own, thread.atomic, Some(copy)));
            }
            Action::EndThread | Action::AtomicEnd => found.after.push(same(false)),
            Action::AtomicBegin => found.after.push(same(true)),
        }
        Ok(found)
    }

    /// The caller goes on with the values that the thread returns, in every way.
    fn give_back(
        &self,
        before: &SharedState,
        thread: &LocalState,
        (values, call): (&[Expr], &Edge),
        caller: LocalState,
        found: &mut Vec<After>,
    ) -> Result<(), TooManyChoices> {
        let context = self.flat.locations[caller.location].context;
        let Action::Call { results: targets, .. } = &call.action else { panic!("a caller waits for a call") };
        // Values nobody takes are not chosen.
        let allowed: Vec<Possible> = targets
            .iter()
            .zip(values)
            .map(|(target, value)| match target {
                Some(_) => self.can(value, before, thread),
                None => Possible { yes: false, no: true },
            })
            .collect();
        combinations(&allowed, &mut |chosen| {
            let mut after = After { shared: before.clone(), local: None, started: None, waits: None };
            let mut local = caller.clone();
            for (target, &value) in targets.iter().zip(chosen) {
                if let Some(target) = target {
                    self.set(context, &mut after.shared.globals, &mut local.row, *target, value);
                }
            }
            self.close(&mut after.shared, targets.iter().flatten().copied());
            after.local = Some(local);
            found.push(after);
        })
    }

    /// What was assigned is open no longer.
    fn close(&self, shared: &mut SharedState, assigned: impl Iterator<Item = VariableId>) {
        for variable in assigned.map(|id| &self.flat.program.variables()[id]) {
            if variable.scope == Scope::Global {
                shared.open.set(variable.slot, false);
            }
        }
    }
}

fn all_combinations(allowed: &[Possible]) -> Result<Vec<Vec<bool>>, TooManyChoices> {
    let mut found = Vec::new();
    combinations(allowed, &mut |chosen| found.push(chosen.to_vec()))?;
    Ok(found)
}

/// Calls `visit` with every choice of one possible value each.
pub(super) fn combinations(
    allowed: &[Possible],
    visit: &mut impl FnMut(&[bool]),
) -> Result<(), TooManyChoices> {
    let free: Vec<usize> = (0..allowed.len()).filter(|at| allowed[*at].yes && allowed[*at].no).collect();
    if free.len() > MOST_CHOICES {
        return Err(TooManyChoices);
    }
    if allowed.iter().any(|possible| !possible.yes && !possible.no) {
        return Ok(());
    }
    let mut chosen: Vec<bool> = allowed.iter().map(|possible| possible.yes && !possible.no).collect();
    for bits in 0..1u32 << free.len() {
        free.iter().enumerate().for_each(|(bit, at)| chosen[*at] = bits >> bit & 1 == 1);
        visit(&chosen);
    }
    Ok(())
}
