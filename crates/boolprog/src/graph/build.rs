//! From a tree to a graph: names are resolved, structured statements become edges.
//! A statement is one step, as in BOOM 3.1; `if` and `while` are one step for the choice of the way.

use super::body::BodyBuilder;
use super::program::{ProcedureId, Program, VariableId};
use super::thread_locals::without_thread_locals;
use crate::syntax::{Declared, Expression, Name, ProgramTree};
use base::{Diagnostic, Diagnostics, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The graph of a program. Reaching one of `error_labels` is an error. `None` if errors were reported.
pub fn build(tree: &ProgramTree, error_labels: &[&str], diagnostics: &mut Diagnostics) -> Option<Program> {
    let before = diagnostics.error_count();
    let rewritten = without_thread_locals(tree, diagnostics);
    let own = tree.globals.iter().filter(|variable| variable.is_thread_local);
    let thread_locals: Vec<Arc<str>> = own.map(|variable| variable.name.text.clone()).collect();
    let tree = rewritten.as_ref().unwrap_or(tree);
    let mut program = Program::new();
    let mut names = Names::default();
    for variable in &tree.globals {
        let initial = constant_initial(variable, diagnostics);
        let id = program.add_global(&variable.name.text, initial);
        names.declare(&variable.name, id, diagnostics);
    }
    let mut procedures: Vec<ProcedureId> = Vec::new();
    for procedure in &tree.procedures {
        let id = program.add_procedure(&procedure.name.text, procedure.returns, procedure.name.span);
        procedures.push(id);
        if let Some(first) = names.procedures.insert(procedure.name.text.clone(), id) {
            let first = program.procedures()[first].span;
            diagnostics.push(twice("procedure", &procedure.name, first));
        }
        if &*procedure.name.text == "main" {
            program.set_main(id);
        }
    }
    for (procedure, &id) in tree.procedures.iter().zip(&procedures) {
        let mut scope = names.clone_for_body();
        for parameter in &procedure.parameters {
            let variable = program.add_parameter(id, &parameter.text);
            scope.declare_local(parameter, variable, diagnostics);
        }
        for local in &procedure.locals {
            let variable = program.add_local(id, &local.name.text);
            scope.declare_local(&local.name, variable, diagnostics);
        }
        names.scopes.push(scope);
    }
    for (position, (procedure, &id)) in tree.procedures.iter().zip(&procedures).enumerate() {
        let scope = std::mem::take(&mut names.scopes[position]);
        BodyBuilder::new(&mut program, id, &scope, &thread_locals, error_labels, diagnostics).body(procedure);
    }
    (diagnostics.error_count() == before).then_some(program)
}

/// What names mean.
#[derive(Default)]
struct Names {
    globals: FxHashMap<Arc<str>, (VariableId, Span)>,
    procedures: FxHashMap<Arc<str>, ProcedureId>,
    scopes: Vec<BodyScope>,
}

/// What names mean inside one procedure.
#[derive(Default)]
pub(super) struct BodyScope {
    variables: FxHashMap<Arc<str>, (VariableId, Span, bool)>,
    procedures: FxHashMap<Arc<str>, ProcedureId>,
}

impl Names {
    fn declare(&mut self, name: &Name, id: VariableId, diagnostics: &mut Diagnostics) {
        if let Some((_, first)) = self.globals.insert(name.text.clone(), (id, name.span)) {
            diagnostics.push(twice("variable", name, first));
        }
    }

    fn clone_for_body(&self) -> BodyScope {
        let variables =
            self.globals.iter().map(|(name, &(id, span))| (name.clone(), (id, span, false))).collect();
        BodyScope { variables, procedures: self.procedures.clone() }
    }
}

impl BodyScope {
    /// A local may hide a global, not another local.
    fn declare_local(&mut self, name: &Name, id: VariableId, diagnostics: &mut Diagnostics) {
        if let Some((_, first, true)) = self.variables.insert(name.text.clone(), (id, name.span, true)) {
            diagnostics.push(twice("variable", name, first));
        }
    }

    /// Is there a procedure of that name?
    pub(super) fn has_procedure(&self, name: &str) -> bool {
        self.procedures.contains_key(name)
    }

    /// Is there a variable of that name?
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// The local of that name.
    pub(super) fn local_named(&self, name: &str) -> Option<VariableId> {
        self.variables.get(name).filter(|(_, _, is_local)| *is_local).map(|(id, ..)| *id)
    }

    /// The variable of that name, or an error with the nearest known name.
    pub(super) fn variable(&self, name: &Name, diagnostics: &mut Diagnostics) -> Option<VariableId> {
        if let Some(&(id, ..)) = self.variables.get(&name.text) {
            return Some(id);
        }
        let message = format!("the variable `{}` is not declared", name.text);
        let report = Diagnostic::error("undeclared-variable", name.span, message);
        diagnostics.push(suggest(report, name, self.variables.keys()));
        None
    }

    /// The procedure of that name, or an error.
    pub(super) fn procedure(&self, name: &Name, diagnostics: &mut Diagnostics) -> Option<ProcedureId> {
        if let Some(&id) = self.procedures.get(&name.text) {
            return Some(id);
        }
        let message = format!("there is no procedure `{}`", name.text);
        let report = Diagnostic::error("unknown-procedure", name.span, message);
        diagnostics.push(suggest(report, name, self.procedures.keys()));
        None
    }
}

fn twice(what: &str, name: &Name, first: Span) -> Diagnostic {
    Diagnostic::error("declared-twice", name.span, format!("the {what} `{}` is declared twice", name.text))
        .label(first, "first here")
}

/// Adds the most similar known name as a hint, if one is near enough to be meant.
pub(super) fn suggest<'n>(
    report: Diagnostic,
    name: &Name,
    known: impl Iterator<Item = &'n Arc<str>>,
) -> Diagnostic {
    let far = name.text.len() / 3 + 1;
    let nearest = known.map(|known| (distance(&name.text, known), known)).min();
    match nearest.filter(|(distance, _)| *distance <= far) {
        Some((_, known)) => report.hint(format!("did you mean `{known}`?")),
        None => report,
    }
}

/// How many letters must be changed, added or left out (Levenshtein); long names are cut.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) =
        (left.chars().take(60).collect(), right.chars().take(60).collect());
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (above, letter) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (position, other) in right.iter().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[position + 1];
            row[position + 1] = changed.min(diagonal + 1).min(row[position] + 1);
        }
    }
    row[right.len()]
}

/// A global's initial value; only constants and `*` have a meaning before the program runs.
fn constant_initial(variable: &Declared, diagnostics: &mut Diagnostics) -> Option<bool> {
    match &variable.initial {
        None | Some(Expression::Any) => None,
        Some(Expression::Constant(value)) => Some(*value),
        Some(_) => {
            let message = format!("`{}` begins with something other than a constant", variable.name.text);
            diagnostics.push(
                Diagnostic::error("initial-not-constant", variable.name.span, message)
                    .hint("assign it at the beginning of `main`"),
            );
            None
        }
    }
}
