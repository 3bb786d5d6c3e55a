//! `decl thread_local x;`, as SATABS prints it: each thread has a copy, and all procedures see it. The copy is
//! a local of the procedure that a thread begins in; procedures that are called take it as one more parameter
//! and give it back as one more result.
//! DIVERGENCE: a procedure may not be both called and begin threads, and a local may not hide a thread-local
//! variable; both are reported.

use crate::syntax::{
    Declared, Expression, Name, ProcedureTree, ProgramTree, Statement, StatementKind, ThreadStart,
};
use base::{Diagnostic, Diagnostics};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The same program without thread-local variables; `None` if there are none.
pub(super) fn without_thread_locals(
    tree: &ProgramTree,
    diagnostics: &mut Diagnostics,
) -> Option<ProgramTree> {
    let (own, shared): (Vec<Declared>, Vec<Declared>) =
        tree.globals.iter().cloned().partition(|variable| variable.is_thread_local);
    if own.is_empty() {
        return None;
    }
    let mut calls = Calls::default();
    tree.procedures.iter().for_each(|procedure| calls.look(&procedure.body));
    calls.started.insert(Arc::from("main"));
    let mut result = ProgramTree { globals: shared, procedures: Vec::new() };
    for procedure in &tree.procedures {
        let name = &procedure.name;
        if calls.called.contains(&name.text) && calls.started.contains(&name.text) {
            let message = format!(
                "`{}` is called and begins threads, which thread-local variables do not allow",
                name.text
            );
            diagnostics.push(Diagnostic::error("thread-local-call", name.span, message));
        }
        let declared = procedure.parameters.iter().chain(procedure.locals.iter().map(|local| &local.name));
        for hidden in declared.filter(|name| own.iter().any(|variable| variable.name == **name)) {
            let message = format!("`{}` hides a thread-local variable of that name", hidden.text);
            diagnostics.push(Diagnostic::error("thread-local-hidden", hidden.span, message));
        }
        let carried = Carried { own: &own, calls: &calls, tree };
        result.procedures.push(carried.procedure(procedure));
    }
    Some(result)
}

/// Which procedures are called, and which begin threads.
#[derive(Default)]
struct Calls {
    called: FxHashSet<Arc<str>>,
    started: FxHashSet<Arc<str>>,
}

fn is_async(statement: &Statement) -> bool {
    statement.labels.iter().any(|label| label.text.starts_with("ASYNC"))
}

impl Calls {
    fn look(&mut self, body: &[Statement]) {
        for statement in body {
            match &statement.kind {
                StatementKind::Call(_, name, _) if is_async(statement) => {
                    self.started.insert(name.text.clone());
                }
                StatementKind::StartThread(ThreadStart::Procedure(name, _)) => {
                    self.started.insert(name.text.clone());
                }
                StatementKind::Call(_, name, _) => {
                    self.called.insert(name.text.clone());
                }
                StatementKind::If(arms, otherwise) => {
                    arms.iter().for_each(|(_, body)| self.look(body));
                    self.look(otherwise);
                }
                StatementKind::While(_, body) => self.look(body),
                _ => {}
            }
        }
    }
}

struct Carried<'t> {
    own: &'t [Declared],
    calls: &'t Calls,
    tree: &'t ProgramTree,
}

impl Carried<'_> {
    fn names(&self) -> impl Iterator<Item = Name> {
        self.own.iter().map(|variable| variable.name.clone())
    }

    fn values(&self) -> impl Iterator<Item = Expression> {
        self.names().map(Expression::Variable)
    }

    fn procedure(&self, procedure: &ProcedureTree) -> ProcedureTree {
        let mut copy = procedure.clone();
        let is_called = self.calls.called.contains(&procedure.name.text);
        copy.body = self.body(&procedure.body, is_called);
        if !is_called {
            let declared = |variable: &Declared| Declared { is_thread_local: false, ..variable.clone() };
            copy.locals = self.own.iter().map(declared).chain(procedure.locals.iter().cloned()).collect();
            return copy;
        }
        copy.parameters.extend(self.names());
        copy.returns += self.own.len();
        // The end of the text returns, with any values; but the thread keeps its own.
        let values = std::iter::repeat_n(Expression::Any, procedure.returns).chain(self.values()).collect();
        let (labels, span) = (Vec::new(), procedure.name.span);
        copy.body.push(Statement { labels, kind: StatementKind::Return(values), span });
        copy
    }

    fn body(&self, body: &[Statement], is_called: bool) -> Vec<Statement> {
        let within = |body: &[Statement]| self.body(body, is_called);
        let statement = |statement: &Statement| {
            let kind = match &statement.kind {
                StatementKind::Return(values) if is_called => {
                    StatementKind::Return(values.iter().cloned().chain(self.values()).collect())
                }
                StatementKind::Call(targets, name, arguments) if !is_async(statement) => {
                    self.call(targets, name, arguments)
                }
                StatementKind::If(arms, otherwise) => {
                    let arms = arms.iter().map(|(condition, body)| (condition.clone(), within(body)));
                    StatementKind::If(arms.collect(), within(otherwise))
                }
                StatementKind::While(condition, body) => {
                    StatementKind::While(condition.clone(), within(body))
                }
                other => other.clone(),
            };
            Statement { labels: statement.labels.clone(), kind, span: statement.span }
        };
        body.iter().map(statement).collect()
    }

    fn call(&self, targets: &[Option<Name>], name: &Name, arguments: &[Expression]) -> StatementKind {
        let Some(callee) = self.tree.procedures.iter().find(|procedure| procedure.name == *name) else {
            return StatementKind::Call(targets.to_vec(), name.clone(), arguments.to_vec());
        };
        let mut results = targets.to_vec();
        if results.is_empty() {
            results.resize(callee.returns, None);
        }
        // A result that goes to a thread-local variable comes after what the callee made of it.
        results.extend(self.names().map(|own| (!targets.contains(&Some(own.clone()))).then_some(own)));
        let arguments = arguments.iter().cloned().chain(self.values()).collect();
        StatementKind::Call(results, name.clone(), arguments)
    }
}
