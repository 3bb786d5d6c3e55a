//! The threads of a violating run, for those who show it with a column for each: who they are, and which variables they meet at.

use base::{Id, Span};
use program::expr::{Access, ExprPart};
use program::{Action, Callee, Known, PlaceBase, ProcedureId, Program, VariableId, VariableKind};
use question::Violation;
use std::collections::{BTreeMap, BTreeSet};

/// A thread of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunThread {
    /// Its number, as reports have it; 0 runs `main`.
    pub number: usize,
    /// Who created it, and which of its creations it was, such as `0.1`.
    pub name: String,
    /// What it starts with, if it makes a step.
    pub start: Option<ProcedureId>,
    /// Where it was created.
    pub created: Span,
}

/// The threads of a run that has several.
pub fn threads(program: &Program, violation: &Violation) -> Vec<RunThread> {
    let names = &violation.run.threads;
    if violation.schedule.is_none() || names.len() < 2 {
        return Vec::new();
    }
    let mut starts: BTreeMap<usize, ProcedureId> = BTreeMap::new();
    let mut created: BTreeMap<String, Span> = BTreeMap::new();
    let mut creations: BTreeMap<usize, u32> = BTreeMap::new();
    for step in &violation.steps {
        let thread = step.thread.index();
        if step.depth == 1 {
            starts.entry(thread).or_insert(step.procedure);
        }
        let Some(body) = &program.procedures[step.procedure].body else { continue };
        let edge = &body.edges[step.edge];
        let creates = matches!(&edge.action, Action::Call { callee: Callee::Direct(callee), .. }
            if program.procedures[*callee].known == Some(Known::ThreadCreate));
        if creates {
            let nth = creations.entry(thread).or_insert(0);
            *nth += 1;
            created.insert(format!("{}.{nth}", names.get(thread).map_or("", |name| name)), edge.span);
        }
    }
    { names.iter().enumerate() }
        .map(|(number, name)| RunThread {
            number,
            name: name.clone(),
            start: starts.get(&number).copied(),
            created: created.get(name).copied().unwrap_or_default(),
        })
        .collect()
}

/// Static variables that one thread writes in a run and another reads or writes; `None` where there is one thread.
pub(crate) fn shared_writes(program: &Program, violation: &Violation) -> Option<BTreeSet<VariableId>> {
    if violation.schedule.is_none() || violation.run.threads.len() < 2 {
        return None;
    }
    let mut writers: BTreeMap<VariableId, BTreeSet<usize>> = BTreeMap::new();
    let mut users: BTreeMap<VariableId, BTreeSet<usize>> = BTreeMap::new();
    for step in &violation.steps {
        let Some(body) = &program.procedures[step.procedure].body else { continue };
        body.edges[step.edge].action.visit(&mut |part| {
            let ExprPart::Place(place, access @ (Access::Read | Access::Write)) = part else { return };
            let PlaceBase::Variable(id) = place.base else { return };
            if program.variables[id].kind != VariableKind::Global {
                return;
            }
            users.entry(id).or_default().insert(step.thread.index());
            if access == Access::Write {
                writers.entry(id).or_default().insert(step.thread.index());
            }
        });
    }
    let meets = |id: &VariableId| users.get(id).is_some_and(|users| users.len() > 1);
    Some(writers.into_keys().filter(meets).collect())
}
