//! Progress tests, fluents and assertions with their indices given values.
//!
//! FSP's logic (Giannakopoulou and Magee 2003, "fluent LTL") speaks of what happened last: an action holds *after* it
//! occurred, a fluent from a starting action to a stopping one, and nothing has happened in the initial state. Here
//! each fluent and each action of an assertion becomes a watcher, a component with one state proposition, and the
//! assertion a formula over those propositions; the watchers run along with the system and change nothing.
//! Silent steps change no watcher. DIVERGENCE: LTSA checks assertions under fair choice by default; a formula here
//! speaks of all maximal paths.

use super::composite::System;
use super::value::{Environment, Value};
use super::{Model, called};
use crate::formula::Formula;
use crate::syntax::{Claim, ClaimOperator, FluentDefinition, Index, Name};
use base::Diagnostic;
use lks::{Component, LksBuilder, Role};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// In every terminal set of states, `actions` must go on happening (where one of `condition` does).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgressTest {
    /// Its name, with the values of its indices.
    pub name: String,
    /// Only where one of these goes on happening.
    pub condition: Option<Vec<Arc<str>>>,
    /// One of these must go on happening.
    pub actions: Vec<Arc<str>>,
}

/// An assertion, ready to be checked on a system.
#[derive(Clone, Debug)]
pub struct Assertion {
    /// Its name.
    pub name: Arc<str>,
    /// Over state propositions only.
    pub formula: Formula,
    /// Components that carry the propositions; to be composed with the system.
    pub watchers: Vec<Component>,
    /// Worth knowing, such as actions that the system does not have.
    pub remarks: Vec<String>,
}

#[derive(Clone, Debug)]
struct Fluent {
    start: Vec<Arc<str>>,
    stop: Vec<Arc<str>>,
    initially: bool,
}

impl Model<'_> {
    /// All progress tests, one per value of their indices.
    pub fn progress_tests(&self) -> Result<Vec<ProgressTest>, Diagnostic> {
        let mut tests = Vec::new();
        for definition in &self.specification.progress {
            let mut environment = Environment::new(&self.globals, Vec::new());
            environment.for_each_index(&definition.indices, &mut |environment, index| {
                let name = &definition.name.text;
                tests.push(ProgressTest {
                    name: if index.is_empty() { name.to_string() } else { format!("{name}.{index}") },
                    condition: match &definition.condition {
                        Some(condition) => Some(environment.labels(condition)?),
                        None => None,
                    },
                    actions: environment.labels(&definition.actions)?,
                });
                Ok(())
            })?;
        }
        Ok(tests)
    }

    /// The assertion of that name for a system: its actions are those the system has, before hiding.
    pub fn assertion(&self, name: &str, system: &System) -> Result<Assertion, Diagnostic> {
        let name = Name::new(name, base::Span::NOWHERE);
        let mut translation = Translation {
            model: self,
            fluents: self.fluents()?,
            alphabet: system.actions(),
            watchers: indexmap::IndexMap::default(),
            open: Vec::new(),
            remarks: Vec::new(),
        };
        let mut environment = Environment::new(&self.globals, Vec::new());
        let formula = translation.reference(&name, &[], &[], &mut environment)?;
        let watchers = translation.watchers.into_values().collect();
        Ok(Assertion { name: name.text, formula, watchers, remarks: translation.remarks })
    }

    fn fluents(&self) -> Result<FxHashMap<String, Fluent>, Diagnostic> {
        let mut fluents = FxHashMap::default();
        for definition in &self.specification.fluents {
            let mut environment = Environment::new(&self.globals, Vec::new());
            environment.for_each_index(&definition.indices, &mut |environment, index| {
                let name = &definition.name.text;
                let key = if index.is_empty() { name.to_string() } else { format!("{name}.{index}") };
                fluents.insert(key, evaluated_fluent(definition, environment)?);
                Ok(())
            })?;
        }
        Ok(fluents)
    }
}

fn evaluated_fluent(
    definition: &FluentDefinition,
    environment: &mut Environment<'_>,
) -> Result<Fluent, Diagnostic> {
    let start = environment.labels(&definition.start)?;
    let stop = environment.labels(&definition.stop)?;
    if let Some(both) = start.iter().find(|action| stop.contains(action)) {
        let message = format!("`{both}` both starts and stops the fluent `{}`", definition.name.text);
        return Err(Diagnostic::error("fluent-sets-meet", definition.name.span, message));
    }
    let initially = match &definition.initially {
        Some(expression) => environment.truth(expression)?,
        None => false,
    };
    Ok(Fluent { start, stop, initially })
}

struct Translation<'t, 's> {
    model: &'t Model<'s>,
    fluents: FxHashMap<String, Fluent>,
    alphabet: Vec<Arc<str>>,
    watchers: indexmap::IndexMap<Arc<str>, Component, rustc_hash::FxBuildHasher>,
    /// Assertions being translated, to find those that need themselves.
    open: Vec<String>,
    remarks: Vec<String>,
}

impl Translation<'_, '_> {
    fn claim(&mut self, claim: &Claim, environment: &mut Environment<'_>) -> Result<Formula, Diagnostic> {
        let mut inner = |claim: &Claim| Ok::<_, Diagnostic>(Arc::new(self.claim(claim, environment)?));
        Ok(match claim {
            Claim::Constant(true) => Formula::True,
            Claim::Constant(false) => Formula::False,
            Claim::Not(f) => Formula::Not(inner(f)?),
            Claim::Next(f) => Formula::Next(inner(f)?),
            Claim::Eventually(f) => Formula::Eventually(inner(f)?),
            Claim::Always(f) => Formula::Always(inner(f)?),
            Claim::Binary(operator, f, g) => {
                let (f, g) = (inner(f)?, inner(g)?);
                match operator {
                    ClaimOperator::And => Formula::And(f, g),
                    ClaimOperator::Or => Formula::Or(f, g),
                    ClaimOperator::Implies => Formula::Implies(f, g),
                    ClaimOperator::Iff => Formula::Iff(f, g),
                    ClaimOperator::Until => Formula::Until(f, g),
                    ClaimOperator::WeakUntil => Formula::WeakUntil(f, g),
                    ClaimOperator::Release => Formula::Release(f, g),
                }
            }
            Claim::Rigid(expression) => {
                if environment.truth(expression)? {
                    Formula::True
                } else {
                    Formula::False
                }
            }
            Claim::Quantified { is_for_all, indices, body } => {
                let mut parts = Vec::new();
                environment.for_each_index(indices, &mut |environment, _| {
                    parts.push(self.claim(body, environment)?);
                    Ok(())
                })?;
                if *is_for_all { Formula::all(parts) } else { Formula::any(parts) }
            }
            Claim::Action(label) => {
                let actions = environment.labels(label)?;
                self.last_action_in(&actions)
            }
            Claim::Reference { name, indices, arguments } => {
                let arguments = arguments
                    .iter()
                    .map(|argument| environment.value(argument))
                    .collect::<Result<Vec<_>, _>>()?;
                self.reference(name, indices, &arguments, environment)?
            }
        })
    }

    /// A fluent (several are joined by "or") or another assertion.
    fn reference(
        &mut self,
        name: &Name,
        indices: &[Index],
        arguments: &[Value],
        environment: &mut Environment<'_>,
    ) -> Result<Formula, Diagnostic> {
        let assertion = self.model.specification.asserts.iter().find(|a| a.name.text == name.text);
        if let Some(assertion) = assertion.filter(|_| indices.is_empty()) {
            let key = called(&name.text, arguments);
            if self.open.contains(&key) || self.open.len() > 200 {
                let message = format!("the assertion `{}` is defined by itself", name.text);
                return Err(Diagnostic::error("endless-definition", assertion.name.span, message));
            }
            if !arguments.is_empty() && arguments.len() != assertion.parameters.len() {
                let message = format!("`{}` has {} parameters", name.text, assertion.parameters.len());
                return Err(Diagnostic::error("argument-count", name.span, message));
            }
            let mut variables = Vec::new();
            for (position, parameter) in assertion.parameters.iter().enumerate() {
                let value = match arguments.get(position) {
                    Some(value) => value.clone(),
                    None => Environment::new(&self.model.globals, Vec::new()).value(&parameter.default)?,
                };
                variables.push((parameter.name.text.clone(), value));
            }
            self.open.push(key);
            let globals = self.model.globals.clone();
            let formula = self.claim(&assertion.claim, &mut Environment::new(&globals, variables));
            self.open.pop();
            return formula;
        }
        let mut keys = Vec::new();
        environment.for_each_index(indices, &mut |_, index| {
            keys.push(if index.is_empty() {
                name.text.to_string()
            } else {
                format!("{}.{index}", name.text)
            });
            Ok(())
        })?;
        let mut parts = Vec::new();
        for key in keys {
            let Some(fluent) = self.fluents.get(&key).cloned() else {
                let message = format!("there is no fluent or assertion `{key}`");
                let specification = self.model.specification;
                let known = specification.fluents.iter().map(|f| &*f.name.text);
                let known = known.chain(specification.asserts.iter().map(|a| &*a.name.text));
                let diagnostic = Diagnostic::error("undefined-fluent", name.span, message);
                return Err(match super::closest(&name.text, known) {
                    Some(similar) => diagnostic.hint(format!("did you mean `{similar}`?")),
                    None => diagnostic,
                });
            };
            parts.push(self.watched(&key, &fluent.start, &fluent.stop, fluent.initially));
        }
        Ok(Formula::any(parts))
    }

    /// The last action was one of these: a fluent that every other action stops.
    fn last_action_in(&mut self, actions: &[Arc<str>]) -> Formula {
        let start: Vec<Arc<str>> =
            actions.iter().filter(|name| self.alphabet.contains(name)).cloned().collect();
        if start.is_empty() {
            let remark = format!("the system has no action `{}`: it never happens", actions.join("`, `"));
            if !self.remarks.contains(&remark) {
                self.remarks.push(remark);
            }
            return Formula::False;
        }
        let stop: Vec<Arc<str>> =
            self.alphabet.iter().filter(|name| !start.contains(name)).cloned().collect();
        let name = if start.len() == 1 { start[0].to_string() } else { format!("{{{}}}", start.join(",")) };
        self.watched(&name, &start, &stop, false)
    }

    /// The proposition of a watcher that is switched on and off by these actions.
    fn watched(&mut self, name: &str, start: &[Arc<str>], stop: &[Arc<str>], initially: bool) -> Formula {
        if !self.watchers.contains_key(name) {
            let mut builder = LksBuilder::new(name);
            let (off, on) = (builder.state(), builder.state());
            builder.name_state(off, format!("not {name}"));
            builder.name_state(on, name);
            builder.initial(if initially { on } else { off });
            let proposition = builder.proposition(name);
            builder.label(on, proposition);
            for (actions, target) in [(start, on), (stop, off)] {
                // Only actions of the system: others would be free to happen by themselves.
                for action in actions.iter().filter(|action| self.alphabet.contains(action)) {
                    let action = builder.action(action);
                    builder.transition(off, action, target);
                    builder.transition(on, action, target);
                }
            }
            let component = Component { role: Role::Watcher, ..Component::process(builder.build()) };
            self.watchers.insert(Arc::from(name), component);
        }
        Formula::proposition(name)
    }
}
