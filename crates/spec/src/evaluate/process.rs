//! Process definitions to structures. After LTSA's StateMachine in what it means, not in how it is done:
//! every local process with every value of its indices is evaluated, reachable or not, since all its actions belong to
//! the alphabet; a local process that is not defined (an index out of range) is ERROR, with a warning; a process
//! that is only another name for a state is that state.

use super::names::{NameSet, Renaming, names_of};
use super::value::{Environment, Value};
use super::{Model, sequence};
use crate::syntax::{Body, Branch, ProcessDefinition, Proposition, StateDefinition, Visibility};
use base::{Diagnostic, IndexVec, Span};
use lks::{ActionId, Lks, LksBuilder, StateId, StateMark};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// One local process with values for its indices.
struct Instance<'s> {
    definition: &'s StateDefinition,
    key: Arc<str>,
    variables: Vec<(Arc<str>, Value)>,
    state: Option<StateId>,
}

pub(super) struct ProcessCompiler<'m, 's> {
    model: &'m mut Model<'s>,
    globals: Arc<super::value::Globals>,
    definition: &'s ProcessDefinition,
    parameters: Vec<(Arc<str>, Value)>,
    pub(super) builder: LksBuilder,
    instances: Vec<Instance<'s>>,
    by_key: FxHashMap<Arc<str>, usize>,
    stop: Option<StateId>,
    end: Option<StateId>,
    error: Option<StateId>,
    /// Undefined local processes that were told.
    told: FxHashSet<Span>,
    transitions: usize,
}

/// A clock is read once in so many transitions.
const TRANSITIONS_BETWEEN_CHECKS: usize = 1024;

impl<'m, 's> ProcessCompiler<'m, 's> {
    /// The structure of a process under values of its parameters, its flags applied.
    pub fn compile(
        model: &'m mut Model<'s>,
        definition: &'s ProcessDefinition,
        parameters: Vec<(Arc<str>, Value)>,
        name: &str,
    ) -> Result<Lks, Diagnostic> {
        let globals = model.globals.clone();
        let mut compiler = ProcessCompiler {
            model,
            globals,
            definition,
            parameters,
            builder: LksBuilder::new(name),
            instances: Vec::new(),
            by_key: FxHashMap::default(),
            stop: None,
            end: None,
            error: None,
            told: FxHashSet::default(),
            transitions: 0,
        };
        compiler.collect_instances()?;
        let initial = compiler.state_of_instance(0)?;
        compiler.builder.initial(initial);
        for index in 0..compiler.instances.len() {
            compiler.transitions_of_instance(index)?;
        }
        compiler.finish()
    }

    fn environment<'g>(
        globals: &'g super::value::Globals,
        variables: &[(Arc<str>, Value)],
    ) -> Environment<'g> {
        Environment::new(globals, variables.to_vec())
    }

    fn collect_instances(&mut self) -> Result<(), Diagnostic> {
        let globals = self.globals.clone();
        for definition in &self.definition.states {
            let name = &definition.name;
            if matches!(&*name.text, "STOP" | "END" | "ERROR") {
                let message = format!("`{}` has a meaning of its own and cannot be defined", name.text);
                return Err(Diagnostic::error("reserved-name", name.span, message));
            }
            let mut found = Vec::new();
            let mut environment = Self::environment(&globals, &self.parameters);
            environment.for_each_index(&definition.indices, &mut |environment, text| {
                let key =
                    if text.is_empty() { name.text.to_string() } else { format!("{}.{text}", name.text) };
                found.push((Arc::<str>::from(key), environment.variables()));
                Ok(())
            })?;
            for (key, variables) in found {
                if let Some(&earlier) = self.by_key.get(&key) {
                    let message = format!("`{key}` is defined twice");
                    return Err(Diagnostic::error("duplicate-definition", name.span, message)
                        .label(self.instances[earlier].definition.name.span, "first defined here"));
                }
                self.by_key.insert(key.clone(), self.instances.len());
                self.instances.push(Instance { definition, key, variables, state: None });
            }
        }
        Ok(())
    }

    /// The state of an instance; names for other states are followed to their end.
    fn state_of_instance(&mut self, index: usize) -> Result<StateId, Diagnostic> {
        let globals = self.globals.clone();
        let mut chain = indexmap::IndexSet::<usize, rustc_hash::FxBuildHasher>::default();
        let mut at = index;
        let state = loop {
            if let Some(state) = self.instances[at].state {
                break state;
            }
            if !chain.insert(at) {
                let name = &self.instances[index].definition.name;
                let message = format!("`{}` is defined by itself, without an action in between", name.text);
                return Err(Diagnostic::error("unguarded-recursion", name.span, message));
            }
            let mut environment = Self::environment(&globals, &self.instances[at].variables);
            let definition = self.instances[at].definition;
            match chosen_body(&definition.body, &mut environment)? {
                Some(Body::Goto { first, then, indices }) if first.is_empty() => {
                    let key = key_of(&then.text, indices, &mut environment)?;
                    match self.by_key.get(key.as_str()) {
                        Some(&next) => at = next,
                        None => break self.special_state(&key, then.span),
                    }
                }
                Some(Body::Goto { first, then, indices }) => {
                    // The sequence needs a state of its own before it is known where it ends: it may come back here.
                    let state = self.new_state(&self.instances[at].key.clone())?;
                    chain.iter().for_each(|&link| self.instances[link].state = Some(state));
                    let target = self.goto(then, indices, &mut environment)?;
                    sequence::splice(self, first, &mut environment, state, target)?;
                    break state;
                }
                None => break self.stop_state(),
                Some(_) => break self.new_state(&self.instances[at].key.clone())?,
            }
        };
        for link in chain {
            self.instances[link].state = Some(state);
            let instance = &self.instances[link];
            let mut environment = Self::environment(&globals, &instance.variables);
            for proposition in &instance.definition.propositions {
                let names = match proposition {
                    Proposition::Label(label) => environment.proposition_names(label)?,
                    Proposition::Text(text) => vec![text.clone()],
                };
                for name in names {
                    let proposition = self.builder.proposition(&name);
                    self.builder.label(state, proposition);
                }
            }
        }
        Ok(state)
    }

    fn transitions_of_instance(&mut self, index: usize) -> Result<(), Diagnostic> {
        let globals = self.globals.clone();
        let state = self.state_of_instance(index)?;
        let instance = &self.instances[index];
        let mut environment = Self::environment(&globals, &instance.variables);
        if let Some(Body::Choice(branches, _)) = chosen_body(&instance.definition.body, &mut environment)? {
            self.choice(state, branches, &mut environment)?;
        }
        Ok(())
    }

    fn choice(
        &mut self,
        from: StateId,
        branches: &'s [Branch],
        environment: &mut Environment<'_>,
    ) -> Result<(), Diagnostic> {
        for branch in branches {
            if let Some(guard) = &branch.guard
                && !environment.truth(guard)?
            {
                continue;
            }
            self.chain(from, &branch.actions, &branch.next, environment)?;
        }
        Ok(())
    }

    /// `a -> b -> P`
    fn chain(
        &mut self,
        from: StateId,
        actions: &'s [crate::syntax::Label],
        next: &'s Body,
        environment: &mut Environment<'_>,
    ) -> Result<(), Diagnostic> {
        let (first, rest) = actions.split_first().expect("a branch has an action");
        environment.for_each_label(first, &mut |environment, name| {
            let action = self.action(name);
            let target = if rest.is_empty() {
                self.body_state(next, environment)?
            } else {
                let middle = self.anonymous_state(first.span)?;
                self.chain(middle, rest, next, environment)?;
                middle
            };
            self.transition(from, action, target)
        })
    }

    /// Few states may have very many transitions.
    fn transition(&mut self, from: StateId, action: ActionId, target: StateId) -> Result<(), Diagnostic> {
        self.transitions += 1;
        let name = &self.definition.name;
        self.model.refuse_transitions(self.transitions, &name.text, name.span)?;
        if self.transitions.is_multiple_of(TRANSITIONS_BETWEEN_CHECKS) {
            self.model.settings.budget.check().map_err(|limit| {
                let message = format!("`{}` could not be built: {limit}", name.text);
                Diagnostic::error("limit", name.span, message)
            })?;
        }
        self.builder.transition(from, action, target);
        Ok(())
    }

    /// `epsilon` is the silent action of specifications.
    fn action(&mut self, name: &str) -> ActionId {
        if name == "epsilon" { ActionId::TAU } else { self.builder.action(name) }
    }

    fn body_state(
        &mut self,
        body: &'s Body,
        environment: &mut Environment<'_>,
    ) -> Result<StateId, Diagnostic> {
        match chosen_body(body, environment)? {
            None => Ok(self.stop_state()),
            Some(Body::Goto { first, then, indices }) => {
                let target = self.goto(then, indices, environment)?;
                if first.is_empty() {
                    return Ok(target);
                }
                let start = self.anonymous_state(then.span)?;
                sequence::splice(self, first, environment, start, target)?;
                Ok(start)
            }
            Some(Body::Choice(branches, span)) => {
                let state = self.anonymous_state(*span)?;
                self.choice(state, branches, environment)?;
                Ok(state)
            }
            Some(Body::If(..)) => unreachable!("the chosen body is no condition"),
        }
    }

    fn goto(
        &mut self,
        then: &crate::syntax::Name,
        indices: &[crate::syntax::Expression],
        environment: &mut Environment<'_>,
    ) -> Result<StateId, Diagnostic> {
        let key = key_of(&then.text, indices, environment)?;
        match self.by_key.get(key.as_str()) {
            Some(&index) => self.state_of_instance(index),
            None => Ok(self.special_state(&key, then.span)),
        }
    }

    fn stop_state(&mut self) -> StateId {
        *self.stop.get_or_insert_with(|| {
            let state = self.builder.state();
            self.builder.name_state(state, "STOP");
            state
        })
    }

    /// STOP, END, ERROR; or a local process that is not defined, which is ERROR.
    fn special_state(&mut self, key: &str, span: Span) -> StateId {
        if key == "STOP" {
            return self.stop_state();
        }
        let builder = &mut self.builder;
        let mut marked = |name: &str, mark| {
            let state = builder.state();
            builder.name_state(state, name);
            builder.mark(state, mark);
            state
        };
        if key == "END" {
            return *self.end.get_or_insert_with(|| marked("END", StateMark::End));
        }
        let state = *self.error.get_or_insert_with(|| marked("ERROR", StateMark::Error));
        // Once per place: the other values an index has there are out of range for the same reason.
        if key != "ERROR" && self.told.insert(span) {
            let base_name = key.split('.').next().unwrap_or(key);
            let message =
                format!("`{key}` is not defined in `{}`: it is taken for ERROR", self.definition.name.text);
            let mut diagnostic = Diagnostic::warning("undefined-state", span, message);
            if self.definition.states.iter().any(|state| &*state.name.text == base_name) {
                diagnostic = diagnostic.hint("an index is out of range; guard the action with `when`");
            } else if self.model.is_process(base_name) {
                diagnostic =
                    diagnostic.hint(format!("to run the process and then go on, write `{base_name};END`"));
            }
            self.model.diagnostics.push(diagnostic);
        }
        state
    }

    fn new_state(&mut self, key: &str) -> Result<StateId, Diagnostic> {
        let state = self.anonymous_state(self.definition.name.span)?;
        self.builder.name_state(state, key);
        Ok(state)
    }

    pub(super) fn anonymous_state(&mut self, span: Span) -> Result<StateId, Diagnostic> {
        if self.builder.state_count() >= self.model.settings.most_states {
            let message = format!(
                "`{}` has more than {} states",
                self.definition.name.text, self.model.settings.most_states
            );
            return Err(Diagnostic::error("too-many-states", span, message).hint("use smaller ranges"));
        }
        Ok(self.builder.state())
    }

    pub(super) fn called(
        &mut self,
        call: &crate::syntax::ProcessCall,
        environment: &mut Environment<'_>,
    ) -> Result<Arc<Lks>, Diagnostic> {
        let arguments =
            call.arguments.iter().map(|argument| environment.value(argument)).collect::<Result<_, _>>()?;
        self.model.process(&call.name, arguments)
    }

    /// Alphabet extension, relabelling, hiding, property, reachable part, reduction; in LTSA's order.
    fn finish(mut self) -> Result<Lks, Diagnostic> {
        let globals = self.globals.clone();
        let mut environment = Self::environment(&globals, &self.parameters);
        if let Some(extension) = &self.definition.extension {
            for name in environment.set_elements(extension)?.iter() {
                self.builder.action(name);
            }
        }
        let mut lks = self.builder.build();
        if !self.definition.relabels.is_empty() {
            let renaming = Renaming::evaluate(&self.definition.relabels, &mut environment)?;
            self.model.tell_idle(&renaming.idle(&names_of(&lks)), "renaming", &self.definition.name);
            let relabelling = renaming.on(lks.alphabet());
            lks = self.model.relabelled(&lks, &relabelling, self.definition.name.span)?;
        }
        match &self.definition.visibility {
            None => {}
            Some(Visibility::Hide(set)) => {
                let names = NameSet::new(environment.set_elements(set)?.iter().cloned());
                self.model.tell_idle(&names.idle(&names_of(&lks)), "hiding", &self.definition.name);
                lks = lks.hide(|name| names.contains(name));
            }
            Some(Visibility::Show(set)) => {
                let names = NameSet::new(environment.set_elements(set)?.iter().cloned());
                self.model.tell_idle(&names.idle(&names_of(&lks)), "showing", &self.definition.name);
                lks = lks.keep_visible(|name| names.contains(name));
            }
        }
        lks = lks.reachable();
        let flags = self.definition.flags;
        if flags.is_property {
            if !lks.is_deterministic() {
                return Err(not_deterministic(&lks, self.definition));
            }
            // It has a transition for every state and action.
            let name = &self.definition.name;
            let transitions = lks.state_count().saturating_mul(lks.alphabet().len());
            self.model.refuse_transitions(transitions, &name.text, name.span)?;
            lks = property(&lks);
        }
        if flags.is_minimal {
            lks = self.model.minimised(lks);
        }
        if flags.is_deterministic {
            lks = self.model.determinised(&lks, self.definition.name.span)?;
        }
        Ok(lks)
    }
}

/// The body after its conditions are decided; `None` is STOP.
fn chosen_body<'b>(
    mut body: &'b Body,
    environment: &mut Environment<'_>,
) -> Result<Option<&'b Body>, Diagnostic> {
    while let Body::If(condition, then, otherwise) = body {
        if environment.truth(condition)? {
            body = then;
        } else {
            match otherwise {
                Some(otherwise) => body = otherwise,
                None => return Ok(None),
            }
        }
    }
    Ok(Some(body))
}

/// `P[1][2]` is known as `P.1.2`: an index that holds several parts is the same as several indices.
fn key_of(
    name: &str,
    indices: &[crate::syntax::Expression],
    environment: &mut Environment<'_>,
) -> Result<String, Diagnostic> {
    let mut key = name.to_owned();
    for index in indices {
        key.push('.');
        key.push_str(&environment.value(index)?.to_string());
    }
    Ok(key)
}

fn not_deterministic(lks: &Lks, definition: &ProcessDefinition) -> Diagnostic {
    let name = &definition.name;
    let message = format!("the property `{}` is not deterministic", name.text);
    let twice = lks.states().find_map(|state| {
        let actions = lks.actions(state);
        let silent = actions.first().filter(|action| action.is_silent());
        silent.or_else(|| actions.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| &pair[0]))
    });
    let hint = match twice {
        Some(action) if action.is_silent() => {
            "a property watches actions; it can have no silent step".to_owned()
        }
        Some(action) => format!("after one trace `{}` leads to two states", lks.alphabet().name(*action)),
        None => "it has several initial states".to_owned(),
    };
    Diagnostic::error("property-not-deterministic", name.span, message).hint(hint)
}

/// Every action that a state does not allow leads to ERROR. A property never terminates: END allows nothing more.
pub(super) fn property(lks: &Lks) -> Lks {
    let mut builder = LksBuilder::with_names(lks.name(), lks.alphabet(), lks.propositions());
    builder.ensure_states(lks.state_count());
    lks.initial().iter().for_each(|&state| builder.initial(state));
    let error = lks.error_states().first().copied().unwrap_or_else(|| {
        let error = builder.state();
        builder.name_state(error, "ERROR");
        error
    });
    builder.mark(error, StateMark::Error);
    let mut allowed: IndexVec<ActionId, bool> = IndexVec::filled(false, lks.alphabet().len());
    for state in lks.states() {
        if let Some(name) = lks.state_name(state) {
            builder.name_state(state, name);
        }
        if lks.mark(state) == StateMark::Error {
            builder.mark(state, StateMark::Error);
            continue;
        }
        allowed.iter_mut().for_each(|flag| *flag = false);
        for (action, target) in lks.transitions(state) {
            builder.transition(state, action, target);
            allowed[action] = true;
        }
        for action in lks.alphabet().visible().filter(|&action| !allowed[action]) {
            builder.transition(state, action, error);
        }
        lks.label(state).iter().for_each(|proposition| builder.label(state, proposition));
    }
    builder.build()
}
