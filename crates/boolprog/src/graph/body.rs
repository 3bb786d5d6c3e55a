//! The edges of one procedure.

use super::build::{BodyScope, suggest};
use super::expression::Expr;
use super::passive::Passive;
use super::program::{Action, Edge, NodeId, ProcedureId, Program, Scope, VariableId};
use crate::syntax::{Binary, Expression, Name, ProcedureTree, Statement, StatementKind, ThreadStart};
use base::{Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

pub(super) struct BodyBuilder<'p, 'd> {
    program: &'p mut Program,
    procedure: ProcedureId,
    scope: &'p BodyScope,
    /// Variables of which each thread has a copy.
    thread_locals: &'p [Arc<str>],
    error_labels: &'p [&'p str],
    diagnostics: &'d mut Diagnostics,
    labels: FxHashMap<Arc<str>, (NodeId, Span)>,
    /// What `enforce` demands of every state of this procedure.
    enforced: Expr,
    /// May variables of other threads occur in the expression that is read?
    passive: Others,
}

/// May `x$` occur here?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    Allowed,
    Forbidden,
}

/// May `x'` occur here?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Primes {
    Allowed,
    Forbidden,
}

impl<'p, 'd> BodyBuilder<'p, 'd> {
    pub(super) fn new(
        program: &'p mut Program,
        procedure: ProcedureId,
        scope: &'p BodyScope,
        thread_locals: &'p [Arc<str>],
        error_labels: &'p [&'p str],
        diagnostics: &'d mut Diagnostics,
    ) -> Self {
        let labels = FxHashMap::default();
        let (enforced, passive) = (Expr::TRUE, Others::Forbidden);
        BodyBuilder {
            program,
            procedure,
            scope,
            thread_locals,
            error_labels,
            diagnostics,
            labels,
            enforced,
            passive,
        }
    }

    pub(super) fn body(&mut self, tree: &ProcedureTree) {
        for enforced in &tree.enforced {
            let enforced = self.expression(enforced, Primes::Forbidden);
            self.enforced = std::mem::replace(&mut self.enforced, Expr::TRUE).and(enforced);
        }
        let entry = self.program.procedures()[self.procedure].entry;
        let span = tree.name.span;
        let initial: Vec<_> = tree
            .locals
            .iter()
            .filter_map(|local| local.initial.as_ref().map(|initial| (&local.name, initial)))
            .collect();
        let end = self.node(span);
        if initial.is_empty() {
            self.collect_labels(&tree.body, Some(entry));
            if tree.body.is_empty() {
                self.edge(entry, Action::skip(), Some(end), span);
            }
            self.sequence(entry, &tree.body, end);
        } else {
            self.collect_labels(&tree.body, None);
            let mut assignments = Vec::new();
            for (name, value) in initial {
                let value = self.expression(value, Primes::Forbidden);
                assignments.extend(self.scope.variable(name, self.diagnostics).map(|id| (id, value)));
            }
            let action = Action::assign(assignments, Expr::TRUE);
            let first = self.block_entry(&tree.body, end);
            self.edge(entry, action, Some(first), span);
            self.sequence(first, &tree.body, end);
        }
        self.fall_off(end, tree);
    }

    /// The end of the text of a procedure returns. A value that nobody gave can be either.
    fn fall_off(&mut self, end: NodeId, tree: &ProcedureTree) {
        let span = tree.name.span;
        self.edge(end, Action::Return { values: vec![Expr::Any; tree.returns] }, None, span);
        if tree.returns > 0 && self.is_reachable(end) {
            let message =
                format!("`{}` can end without `return`; what it returns is then any value", tree.name.text);
            self.diagnostics.push(Diagnostic::warning("no-return", span, message));
        }
    }

    /// Is there a way in the graph, whatever the guards, from the entry to the node?
    fn is_reachable(&self, node: NodeId) -> bool {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![self.program.procedures()[self.procedure].entry];
        while let Some(at) = open.pop() {
            if at == node {
                return true;
            }
            if seen.insert(at) {
                for &edge in self.program.outgoing(at) {
                    let edge = &self.program.edges()[edge];
                    if let Action::StartThread { at } = edge.action {
                        open.push(at);
                    }
                    open.push(edge.to);
                }
            }
        }
        false
    }

    /// Every label gets its node before any edge is made, so that jumps may go forward.
    /// The first statement gets the node `first`, if one is given.
    fn collect_labels(&mut self, body: &[Statement], mut first: Option<NodeId>) {
        for statement in body {
            let given = first.take();
            if !statement.labels.is_empty() {
                let node = given.unwrap_or_else(|| self.node(statement.span));
                for label in &statement.labels {
                    // Generated programs repeat a label of a statement.
                    if self.labels.get(&label.text).is_some_and(|(known, _)| *known == node) {
                        continue;
                    }
                    self.program.add_label(node, &label.text);
                    if let Some((_, first)) = self.labels.insert(label.text.clone(), (node, label.span)) {
                        let message = format!("the label `{}` stands twice in this procedure", label.text);
                        self.diagnostics.push(
                            Diagnostic::error("label-twice", label.span, message).label(first, "first here"),
                        );
                    }
                }
            }
            match &statement.kind {
                StatementKind::If(arms, otherwise) => {
                    arms.iter().for_each(|(_, body)| self.collect_labels(body, None));
                    self.collect_labels(otherwise, None);
                }
                StatementKind::While(_, body) => self.collect_labels(body, None),
                _ => {}
            }
        }
    }

    fn node(&mut self, span: Span) -> NodeId {
        self.program.add_node(self.procedure, span)
    }

    /// An edge; without a target it leads to the exit.
    fn edge(&mut self, from: NodeId, action: Action, to: Option<NodeId>, span: Span) {
        self.guarded(from, Expr::TRUE, action, to, span);
    }

    fn guarded(&mut self, from: NodeId, guard: Expr, action: Action, to: Option<NodeId>, span: Span) {
        let to = to.unwrap_or(self.program.procedures()[self.procedure].exit);
        let guard = self.enforced.clone().and(guard);
        self.program.add_edge(Edge { from, to, guard, action, span });
    }

    /// Where a statement begins: at its label's node, or at a new one.
    fn node_of(&mut self, statement: &Statement) -> NodeId {
        match statement.labels.first() {
            Some(label) => self.labels[&label.text].0,
            None => self.node(statement.span),
        }
    }

    /// Where statements begin that end in `after`.
    fn block_entry(&mut self, body: &[Statement], after: NodeId) -> NodeId {
        body.first().map_or(after, |first| self.node_of(first))
    }

    /// The statements, the first of which begins in `at`; the last leads to `after`.
    fn sequence(&mut self, mut at: NodeId, body: &[Statement], after: NodeId) {
        for (position, statement) in body.iter().enumerate() {
            let next = self.block_entry(&body[position + 1..], after);
            let error = statement.labels.iter().find(|label| self.error_labels.contains(&&*label.text));
            if let Some(label) = error {
                self.edge(at, Action::Error { label: label.text.clone() }, Some(at), label.span);
            }
            self.statement(at, statement, next);
            at = next;
        }
    }

    fn statement(&mut self, at: NodeId, statement: &Statement, next: NodeId) {
        let span = statement.span;
        let action = match &statement.kind {
            StatementKind::Skip => Action::skip(),
            StatementKind::Goto(labels) => {
                for label in labels {
                    if let Some(target) = self.label(label) {
                        self.edge(at, Action::skip(), Some(target), span);
                    }
                }
                return;
            }
            StatementKind::Assign(targets, values, constraint) => {
                self.assignment(targets, values, constraint.as_ref(), span)
            }
            StatementKind::Print(values) => self.print(values),
            // With parentheses, and no procedure of that name.
            StatementKind::Call(targets, name, values)
                if targets.is_empty() && &*name.text == "print" && !self.scope.has_procedure("print") =>
            {
                self.print(values)
            }
            StatementKind::Dead(names) => {
                let variables: Vec<_> =
                    names.iter().filter_map(|name| self.scope.variable(name, self.diagnostics)).collect();
                let assignments = variables.into_iter().map(|id| (id, Expr::Any)).collect();
                Action::assign(assignments, Expr::TRUE)
            }
            StatementKind::Call(targets, name, arguments) => {
                let is_async = statement.labels.iter().any(|label| label.text.starts_with("ASYNC"));
                let Some(action) = self.call(targets, name, arguments, is_async, span) else { return };
                action
            }
            StatementKind::Return(values) => return self.give_back(at, values, span),
            StatementKind::Assert(condition) => {
                Action::Assert { condition: self.expression(condition, Primes::Forbidden) }
            }
            StatementKind::Assume(condition) => {
                let condition = self.expression(condition, Primes::Forbidden);
                return self.guarded(at, condition, Action::skip(), Some(next), span);
            }
            StatementKind::If(arms, otherwise) => return self.conditional(at, arms, otherwise, span, next),
            StatementKind::While(condition, body) => {
                let condition = self.expression(condition, Primes::Forbidden);
                let inside = self.block_entry(body, at);
                self.branch(at, condition, inside, next, span);
                return self.sequence(inside, body, at);
            }
            StatementKind::StartThread(ThreadStart::Label(label)) => match self.label(label) {
                Some(target) => Action::StartThread { at: target },
                None => return,
            },
            StatementKind::StartThread(ThreadStart::Procedure(name, arguments)) => {
                let Some(action) = self.call(&[], name, arguments, true, span) else { return };
                action
            }
            StatementKind::EndThread => return self.edge(at, Action::EndThread, None, span),
            StatementKind::AtomicBegin => Action::AtomicBegin,
            StatementKind::AtomicEnd => Action::AtomicEnd,
        };
        self.edge(at, action, Some(next), span);
    }

    /// A step that does nothing; what is printed must have a meaning all the same.
    fn print(&mut self, values: &[Expression]) -> Action {
        for value in values {
            self.expression(value, Primes::Forbidden);
        }
        Action::skip()
    }

    fn give_back(&mut self, at: NodeId, values: &[Expression], span: Span) {
        let values: Vec<_> = values.iter().map(|value| self.expression(value, Primes::Forbidden)).collect();
        let wanted = self.program.procedures()[self.procedure].returns;
        if values.len() != wanted {
            let message = format!("{} values are returned, {wanted} are declared", values.len());
            self.diagnostics.push(Diagnostic::error("return-count", span, message));
        }
        self.edge(at, Action::Return { values }, None, span);
    }

    fn conditional(
        &mut self,
        mut at: NodeId,
        arms: &[(Expression, Vec<Statement>)],
        otherwise: &[Statement],
        span: Span,
        after: NodeId,
    ) {
        for (position, (condition, body)) in arms.iter().enumerate() {
            let condition = self.expression(condition, Primes::Forbidden);
            let inside = self.block_entry(body, after);
            let is_last = position + 1 == arms.len();
            let next = if is_last { self.block_entry(otherwise, after) } else { self.node(span) };
            self.branch(at, condition, inside, next, span);
            self.sequence(inside, body, after);
            at = next;
        }
        self.sequence(at, otherwise, after);
    }

    fn branch(&mut self, at: NodeId, condition: Expr, yes: NodeId, no: NodeId, span: Span) {
        self.guarded(at, condition.clone(), Action::skip(), Some(yes), span);
        self.guarded(at, condition.negated(), Action::skip(), Some(no), span);
    }

    fn label(&mut self, label: &Name) -> Option<NodeId> {
        if let Some(&(node, _)) = self.labels.get(&label.text) {
            return Some(node);
        }
        let message = format!("there is no label `{}` in this procedure", label.text);
        let report = Diagnostic::error("unknown-label", label.span, message);
        self.diagnostics.push(suggest(report, label, self.labels.keys()));
        None
    }

    fn assignment(
        &mut self,
        targets: &[Option<Name>],
        values: &[Expression],
        constraint: Option<&Expression>,
        span: Span,
    ) -> Action {
        if targets.len() != values.len() {
            let message = format!("{} values are assigned to {} variables", values.len(), targets.len());
            self.diagnostics.push(
                Diagnostic::error("assignment-count", span, message).hint("give one value per variable"),
            );
        }
        let mut assignments: Vec<(VariableId, Expr)> = Vec::new();
        let mut others: Vec<(VariableId, Expr)> = Vec::new();
        for (target, value) in targets.iter().zip(values) {
            let copy = target.as_ref().and_then(|target| self.passive_copy(target));
            self.passive = if copy.is_some() { Others::Allowed } else { Others::Forbidden };
            let value = self.expression(value, Primes::Forbidden);
            self.passive = Others::Forbidden;
            let Some(target) = target else { continue };
            if let Some(copy) = copy {
                self.assigned_once(others.iter().any(|(known, _)| *known == copy), target);
                others.push((copy, value));
            } else if let Some(variable) = self.scope.variable(target, self.diagnostics) {
                self.assigned_once(assignments.iter().any(|(known, _)| *known == variable), target);
                assignments.push((variable, value));
            }
        }
        self.passive = Others::Allowed;
        let constraint =
            constraint.map_or(Expr::TRUE, |constraint| self.expression(constraint, Primes::Allowed));
        self.passive = Others::Forbidden;
        // What says nothing about the others must hold without them too.
        let mut parts = Vec::new();
        conjuncts(constraint, &mut parts);
        let (theirs, own): (Vec<Expr>, Vec<Expr>) =
            parts.into_iter().partition(|part| self.is_about_others(part));
        let all = |parts: Vec<Expr>| parts.into_iter().fold(Expr::TRUE, Expr::and);
        let mut action = Action::assign(assignments, all(own));
        if let Action::Assign { passive, .. } = &mut action
            && (!others.is_empty() || !theirs.is_empty())
        {
            let (procedure, constraint) = (self.procedure, all(theirs));
            passive.push(Passive { procedure, at: None, assignments: others, constraint });
        }
        action
    }

    /// The variable of other threads that a name such as `x$` means; declared names mean what was declared.
    fn passive_copy(&mut self, name: &Name) -> Option<VariableId> {
        let local = self.scope.local_named(name.text.strip_suffix('$')?)?;
        if self.scope.is_declared(&name.text) {
            return None;
        }
        let is_alone = self.program.procedures().len() == 1;
        let is_own = |own: &Arc<str>| name.text.strip_suffix('$') == Some(&**own);
        if !is_alone && self.thread_locals.iter().any(is_own) {
            let message =
                format!("`{}`, a thread-local variable of other threads, is not supported here", name.text);
            let hint = "it is read in programs of one procedure only";
            self.diagnostics.push(Diagnostic::error("passive-thread-local", name.span, message).hint(hint));
        }
        Some(self.program.passive_copy(local))
    }

    fn is_about_others(&self, expr: &Expr) -> bool {
        let mut found = false;
        let variables = self.program.variables();
        expr.for_each_variable(&mut |id, _| found |= matches!(variables[id].scope, Scope::Passive(_)));
        found
    }

    fn variable(&mut self, name: &Name) -> Option<VariableId> {
        let Some(copy) = self.passive_copy(name) else {
            return self.scope.variable(name, self.diagnostics);
        };
        if self.passive == Others::Forbidden {
            let message =
                format!("`{}` is a variable of other threads, which has no meaning here", name.text);
            let hint =
                "it stands on the left of `:=`, in the value of another such variable, and in `constrain`";
            self.diagnostics.push(Diagnostic::error("passive-variable", name.span, message).hint(hint));
        }
        Some(copy)
    }

    fn assigned_once(&mut self, is_known: bool, target: &Name) {
        if is_known {
            let message = format!("`{}` is assigned twice at once", target.text);
            self.diagnostics.push(Diagnostic::error("assigned-twice", target.span, message));
        }
    }

    fn call(
        &mut self,
        targets: &[Option<Name>],
        name: &Name,
        arguments: &[Expression],
        is_async: bool,
        span: Span,
    ) -> Option<Action> {
        let arguments: Vec<_> =
            arguments.iter().map(|argument| self.expression(argument, Primes::Forbidden)).collect();
        let mut results: Vec<Option<VariableId>> = Vec::new();
        for target in targets {
            let variable = target.as_ref().and_then(|name| self.scope.variable(name, self.diagnostics));
            if let (Some(variable), Some(name)) = (variable, target) {
                self.assigned_once(results.contains(&Some(variable)), name);
            }
            results.push(variable);
        }
        let callee = self.scope.procedure(name, self.diagnostics)?;
        let known = &self.program.procedures()[callee];
        // Parameters of procedures further down are declared already: all headers come before all bodies.
        let (wanted, returns) = (known.parameters, known.returns);
        if wanted != arguments.len() {
            let message = format!("`{}` takes {wanted} arguments, {} are given", name.text, arguments.len());
            self.diagnostics.push(Diagnostic::error("argument-count", span, message));
        }
        if !results.is_empty() && returns != results.len() {
            let message = format!("`{}` returns {returns} values, {} are expected", name.text, results.len());
            self.diagnostics.push(Diagnostic::error("result-count", span, message));
        }
        if !is_async {
            return Some(Action::Call { callee, arguments, results });
        }
        if !results.is_empty() {
            let message = "a call that starts a thread gives nothing back";
            self.diagnostics.push(Diagnostic::error("async-result", span, message));
        }
        Some(Action::Async { callee, arguments })
    }

    fn expression(&mut self, expression: &Expression, primes: Primes) -> Expr {
        match expression {
            Expression::Constant(value) => Expr::Constant(*value),
            Expression::Any => Expr::Any,
            Expression::Variable(name) => self.variable(name).map_or(Expr::FALSE, Expr::Current),
            Expression::Next(name) => {
                if primes == Primes::Forbidden {
                    let message = "a value after the step has no meaning here";
                    self.diagnostics.push(
                        Diagnostic::error("primed-outside-constrain", name.span, message)
                            .hint("primed variables stand only after `constrain`"),
                    );
                }
                self.variable(name).map_or(Expr::FALSE, Expr::Next)
            }
            Expression::Not(inner) => self.expression(inner, primes).negated(),
            Expression::And(parts) => {
                Expr::And(parts.iter().map(|part| self.expression(part, primes)).collect())
            }
            Expression::Or(parts) => {
                Expr::Or(parts.iter().map(|part| self.expression(part, primes)).collect())
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (self.expression(left, primes), self.expression(right, primes));
                match operator {
                    Binary::Xor => left.xor(right),
                    Binary::Equal => left.equals(right),
                    Binary::Implies => left.negated().or(right),
                }
            }
            Expression::Conditional(condition, then, otherwise) => Expr::Ite(
                Arc::new(self.expression(condition, primes)),
                Arc::new(self.expression(then, primes)),
                Arc::new(self.expression(otherwise, primes)),
            ),
            // BOOM footnote 3.1: (⋆ ∧ ¬b) ∨ a
            Expression::Choose(positive, negative) => {
                let positive = self.expression(positive, primes);
                let negative = self.expression(negative, primes);
                Expr::Or(vec![Expr::And(vec![Expr::Any, negative.negated()]), positive])
            }
        }
    }
}

/// The parts that must all hold.
fn conjuncts(expr: Expr, found: &mut Vec<Expr>) {
    match expr {
        Expr::And(parts) => parts.into_iter().for_each(|part| conjuncts(part, found)),
        part => found.push(part),
    }
}
