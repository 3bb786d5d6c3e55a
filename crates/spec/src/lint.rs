//! What can be told about a specification without evaluating it: names that nothing defines or nothing uses, names
//! defined twice, and `cproc` guards that overlap or leave a gap (thesis 6.4.2).

use crate::cexpr::guards::{GuardReport, compare_guards};
use crate::evaluate::closest;
use crate::syntax::{
    Body, Claim, CompositeBody, CompositePart, Expression, ExpressionKind, FairItem, Index, IndexValues,
    Label, LabelPart, LabelSet, Name, ProcedureStatement, ProgramQuestion, Proposition, Relabel,
    Specification, Visibility,
};
use base::{Diagnostic, Diagnostics, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Tells what is wrong or doubtful.
pub fn lint(specification: &Specification, diagnostics: &mut Diagnostics) {
    let mut uses = Uses::default();
    uses.of_specification(specification);
    duplicates(specification, diagnostics);
    undefined_processes(specification, &uses, diagnostics);
    // What could not be read may use all the rest.
    if specification.broken.is_empty() {
        unused(specification, &uses, diagnostics);
    }
    guards(specification, diagnostics);
}

/// The processes and compositions that other definitions are made of.
pub fn used_processes(specification: &Specification) -> Vec<Arc<str>> {
    let mut uses = Uses::default();
    uses.of_specification(specification);
    uses.processes.into_iter().map(|name| name.text).collect()
}

/// The names that are used, by what they are used for.
#[derive(Default)]
struct Uses {
    /// Constants, parameters, ranges and variables.
    values: FxHashSet<Arc<str>>,
    sets: FxHashSet<Arc<str>>,
    /// Processes and compositions, with the places of their uses.
    processes: Vec<Name>,
    /// Fluents and assertions.
    claims: FxHashSet<Arc<str>>,
}

impl Uses {
    fn of_specification(&mut self, specification: &Specification) {
        specification.constants.iter().for_each(|(_, value)| self.expression(value));
        for (_, low, high) in &specification.ranges {
            self.expression(low);
            self.expression(high);
        }
        specification.sets.iter().for_each(|(_, set)| self.set(set));
        for shared in &specification.shared {
            self.index_values(&shared.values);
            shared.initially.iter().for_each(|value| self.expression(value));
        }
        let fairness = specification.programs.iter().flat_map(|block| &block.fairness);
        for item in fairness.flat_map(|statement| &statement.items) {
            if let FairItem::Events(label) = item {
                self.label(label);
            }
        }
        for process in &specification.processes {
            process.parameters.iter().for_each(|parameter| self.expression(&parameter.default));
            for state in &process.states {
                self.indices(&state.indices);
                for proposition in &state.propositions {
                    if let Proposition::Label(label) = proposition {
                        self.label(label);
                    }
                }
                self.body(&state.body);
            }
            process.extension.iter().for_each(|set| self.set(set));
            self.relabels(&process.relabels);
            self.visibility(process.visibility.as_ref());
        }
        for composite in &specification.composites {
            composite.parameters.iter().for_each(|parameter| self.expression(&parameter.default));
            self.composite(&composite.body);
            composite.priority.iter().for_each(|(_, set)| self.set(set));
            self.visibility(composite.visibility.as_ref());
        }
        for progress in &specification.progress {
            self.indices(&progress.indices);
            progress.condition.iter().for_each(|label| self.label(label));
            self.label(&progress.actions);
        }
        for fluent in &specification.fluents {
            self.indices(&fluent.indices);
            self.label(&fluent.start);
            self.label(&fluent.stop);
            fluent.initially.iter().for_each(|value| self.expression(value));
        }
        specification.asserts.iter().for_each(|assert| self.claim(&assert.claim));
        specification.menus.iter().for_each(|(_, label)| self.label(label));
        for statement in specification.procedures.iter().flat_map(|block| &block.statements) {
            if let ProcedureStatement::Abstract { process, .. } = statement {
                self.processes.push(process.clone());
            }
        }
        for block in &specification.programs {
            // A component is a process or a C procedure, which is not defined here.
            let defined: FxHashSet<&str> = process_names(specification).map(|name| &*name.text).collect();
            let processes = block.components.iter().filter(|name| defined.contains(&*name.text));
            self.processes.extend(processes.cloned());
            for statement in &block.statements {
                if let ProgramQuestion::Conforms(process) = &statement.question {
                    self.processes.push(process.clone());
                }
            }
        }
    }

    fn expression(&mut self, expression: &Expression) {
        match &expression.kind {
            ExpressionKind::Number(_) => {}
            ExpressionKind::Name(name) => {
                self.values.insert(name.clone());
            }
            ExpressionKind::Label(label) | ExpressionKind::Count(label) => self.label(label),
            ExpressionKind::Select(label, index) => {
                self.label(label);
                self.expression(index);
            }
            ExpressionKind::Unary(_, operand) => self.expression(operand),
            ExpressionKind::Binary(_, left, right) => {
                self.expression(left);
                self.expression(right);
            }
        }
    }

    fn label(&mut self, label: &Label) {
        for part in &label.parts {
            match part {
                LabelPart::Name(_) | LabelPart::Data(_) | LabelPart::When(_) => {}
                LabelPart::Set(set) => self.set(set),
                LabelPart::Index(index) => self.indices(std::slice::from_ref(index)),
            }
        }
    }

    fn set(&mut self, set: &LabelSet) {
        match set {
            LabelSet::Named(name) => {
                self.sets.insert(name.text.clone());
            }
            LabelSet::Listed(labels, _) => labels.iter().for_each(|label| self.label(label)),
            LabelSet::Without(left, right) => {
                self.set(left);
                self.set(right);
            }
        }
    }

    fn indices(&mut self, indices: &[Index]) {
        for index in indices {
            self.index_values(&index.values);
        }
    }

    fn index_values(&mut self, values: &IndexValues) {
        match values {
            IndexValues::Expression(expression) => self.expression(expression),
            IndexValues::Range(low, high) => {
                self.expression(low);
                self.expression(high);
            }
            IndexValues::Set(set) => self.set(set),
            IndexValues::Data(_, values) => self.index_values(values),
        }
    }

    fn body(&mut self, body: &Body) {
        match body {
            Body::Goto { first, indices, .. } => {
                for call in first {
                    self.processes.push(call.name.clone());
                    call.arguments.iter().for_each(|argument| self.expression(argument));
                }
                indices.iter().for_each(|index| self.expression(index));
            }
            Body::If(condition, then, otherwise) => {
                self.expression(condition);
                self.body(then);
                otherwise.iter().for_each(|otherwise| self.body(otherwise));
            }
            Body::Choice(branches, _) => {
                for branch in branches {
                    branch.guard.iter().for_each(|guard| self.expression(guard));
                    branch.actions.iter().for_each(|label| self.label(label));
                    self.body(&branch.next);
                }
            }
        }
    }

    fn relabels(&mut self, relabels: &[Relabel]) {
        for relabel in relabels {
            match relabel {
                Relabel::Rename { new, old } => {
                    self.label(new);
                    self.label(old);
                }
                Relabel::ForAll(indices, inner) => {
                    self.indices(indices);
                    self.relabels(inner);
                }
            }
        }
    }

    fn visibility(&mut self, visibility: Option<&Visibility>) {
        if let Some(Visibility::Hide(set) | Visibility::Show(set)) = visibility {
            self.set(set);
        }
    }

    fn composite(&mut self, body: &CompositeBody) {
        match body {
            CompositeBody::Part { sharing, prefix, inner, relabels } => {
                sharing.iter().chain(prefix).for_each(|label| self.label(label));
                self.relabels(relabels);
                match inner {
                    CompositePart::Call(call) => {
                        self.processes.push(call.name.clone());
                        call.arguments.iter().for_each(|argument| self.expression(argument));
                    }
                    CompositePart::Parallel(parts) => parts.iter().for_each(|part| self.composite(part)),
                }
            }
            CompositeBody::ForAll(indices, inner) => {
                self.indices(indices);
                self.composite(inner);
            }
            CompositeBody::If(condition, then, otherwise) => {
                self.expression(condition);
                self.composite(then);
                otherwise.iter().for_each(|otherwise| self.composite(otherwise));
            }
        }
    }

    fn claim(&mut self, claim: &Claim) {
        match claim {
            Claim::Constant(_) => {}
            Claim::Rigid(expression) => self.expression(expression),
            Claim::Action(label) => self.label(label),
            Claim::Reference { name, indices, arguments } => {
                self.claims.insert(name.text.clone());
                self.indices(indices);
                arguments.iter().for_each(|argument| self.expression(argument));
            }
            Claim::Quantified { indices, body, .. } => {
                self.indices(indices);
                self.claim(body);
            }
            Claim::Not(f) | Claim::Next(f) | Claim::Eventually(f) | Claim::Always(f) => self.claim(f),
            Claim::Binary(_, f, g) => {
                self.claim(f);
                self.claim(g);
            }
        }
    }
}

fn process_names(specification: &Specification) -> impl Iterator<Item = &Name> {
    let processes = specification.processes.iter().map(|process| &process.name);
    let composites = specification.composites.iter().map(|composite| &composite.name);
    let imports = specification.imports.iter().map(|(name, _)| name);
    let structures = specification.structures.iter().map(|(name, _)| name);
    processes.chain(composites).chain(imports).chain(structures)
}

fn duplicates(specification: &Specification, diagnostics: &mut Diagnostics) {
    let kinds: [(&str, Vec<&Name>); 7] = [
        ("process", process_names(specification).collect()),
        ("constant", specification.constants.iter().map(|(name, _)| name).collect()),
        ("range", specification.ranges.iter().map(|(name, ..)| name).collect()),
        ("set", specification.sets.iter().map(|(name, _)| name).collect()),
        ("progress test", specification.progress.iter().map(|progress| &progress.name).collect()),
        ("fluent", specification.fluents.iter().map(|fluent| &fluent.name).collect()),
        ("assertion", specification.asserts.iter().map(|assert| &assert.name).collect()),
    ];
    for (kind, names) in kinds {
        let mut known: FxHashMap<&str, Span> = FxHashMap::default();
        for name in names {
            if let Some(&first) = known.get(&*name.text) {
                let message = format!("the {kind} `{}` is defined twice", name.text);
                diagnostics.push(
                    Diagnostic::error("duplicate-definition", name.span, message)
                        .label(first, "first defined here"),
                );
            }
            known.insert(&name.text, name.span);
        }
    }
}

fn undefined_processes(specification: &Specification, uses: &Uses, diagnostics: &mut Diagnostics) {
    let known = process_names(specification).chain(&specification.broken);
    let known: FxHashSet<&str> = known.map(|name| &*name.text).collect();
    for name in uses.processes.iter().filter(|name| !known.contains(&*name.text)) {
        let message = format!("there is no process `{}`", name.text);
        let diagnostic = Diagnostic::error("undefined-process", name.span, message);
        diagnostics.push(match closest(&name.text, known.iter().copied()) {
            Some(similar) => diagnostic.hint(format!("did you mean `{similar}`?")),
            None => diagnostic,
        });
    }
}

fn unused(specification: &Specification, uses: &Uses, diagnostics: &mut Diagnostics) {
    let mut tell = |kind: &str, name: &Name| {
        let message = format!("the {kind} `{}` is never used", name.text);
        diagnostics.push(Diagnostic::warning("unused-name", name.span, message));
    };
    for (name, _) in specification.constants.iter().filter(|(name, _)| !uses.values.contains(&name.text)) {
        tell("constant", name);
    }
    for (name, ..) in specification.ranges.iter().filter(|(name, ..)| !uses.values.contains(&name.text)) {
        tell("range", name);
    }
    for (name, _) in specification.sets.iter().filter(|(name, _)| !uses.sets.contains(&name.text)) {
        tell("set", name);
    }
    for fluent in specification.fluents.iter().filter(|fluent| !uses.claims.contains(&fluent.name.text)) {
        tell("fluent", &fluent.name);
    }
    // A process alone is there to be checked; beside compositions or C programs it should be part of one.
    if !specification.composites.is_empty() || !specification.programs.is_empty() {
        let used: FxHashSet<&str> = uses.processes.iter().map(|name| &*name.text).collect();
        for process in specification.processes.iter().filter(|process| !used.contains(&*process.name.text)) {
            tell("process", &process.name);
        }
    }
    for process in &specification.processes {
        let reached = local_uses(process);
        for state in process.states.iter().skip(1).filter(|state| !reached.contains(&*state.name.text)) {
            tell("local process", &state.name);
        }
    }
}

fn local_uses(process: &crate::syntax::ProcessDefinition) -> FxHashSet<&str> {
    fn collect<'b>(body: &'b Body, names: &mut FxHashSet<&'b str>) {
        match body {
            Body::Goto { then, .. } => {
                names.insert(&then.text);
            }
            Body::If(_, then, otherwise) => {
                collect(then, names);
                otherwise.iter().for_each(|otherwise| collect(otherwise, names));
            }
            Body::Choice(branches, _) => branches.iter().for_each(|branch| collect(&branch.next, names)),
        }
    }
    let mut names = FxHashSet::default();
    // The first state may have several definitions of one name: `P = P[0], P[i:R] = …`.
    names.insert(&*process.name.text);
    process.states.iter().for_each(|state| collect(&state.body, &mut names));
    names
}

/// Per procedure, as several blocks for one procedure count as one.
fn guards(specification: &Specification, diagnostics: &mut Diagnostics) {
    let mut by_procedure: indexmap::IndexMap<&str, Vec<(&Name, &crate::cexpr::CExpression)>> =
        indexmap::IndexMap::default();
    for block in &specification.procedures {
        for statement in &block.statements {
            if let ProcedureStatement::Abstract { name, guard, .. } = statement {
                by_procedure.entry(&block.name.text).or_default().push((name, guard));
            }
        }
    }
    for (procedure, abstractions) in by_procedure {
        let guards: Vec<_> = abstractions.iter().map(|(_, guard)| (*guard).clone()).collect();
        let GuardReport::Faulty { overlap, gap } = compare_guards(&guards) else { continue };
        if let Some((first, second, when)) = overlap {
            let (first, second) = (abstractions[first].0, abstractions[second].0);
            let message = format!("the guards of `{}` and `{}` both hold {when}", first.text, second.text);
            diagnostics.push(
                Diagnostic::warning("guards-overlap", second.span, message)
                    .label(first.span, "the other abstraction")
                    .hint(format!("exactly one abstraction of `{procedure}` must apply to every call")),
            );
        }
        if let Some(when) = gap {
            let message = format!("no abstraction of `{procedure}` applies {when}");
            diagnostics.push(
                Diagnostic::warning("guards-incomplete", abstractions[0].0.span, message)
                    .hint("add an abstraction for this case, or widen a guard"),
            );
        }
    }
}
