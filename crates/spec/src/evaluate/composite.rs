//! Compositions to systems: lists of labelled components, what is hidden, and a priority. After LTSA in what they mean.
//! A relabelling of `(P || Q)` applies to each part before they run together, so it can make them synchronise; a
//! relabelling of a composition by its name must not, so where it would, the product is built first.
//! DIVERGENCE: LTSA builds the product of every part that hides something; here the hidden actions get names of their
//! own instead, and the parts stay apart.

use super::Model;
use super::names::{NameSet, PRIVATE_MARK, Renaming, is_private, prefixing, sharing};
use super::value::{Environment, Value};
use crate::syntax::{CompositeBody, CompositeDefinition, CompositePart, LabelSet, ProcessCall, Visibility};
use base::{Diagnostic, Span};
use lks::{Alphabet, Component, Composition, Lks, Priority, Relabelling, Role, StateMark, explore};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Which actions a system shows.
#[derive(Clone, Debug)]
enum VisibleActions {
    All,
    Not(NameSet),
    Only(NameSet),
}

/// A system: components that run in parallel.
#[derive(Clone, Debug)]
pub struct System {
    /// Its name.
    pub name: Arc<str>,
    /// Its components.
    pub components: Vec<Component>,
    shown: VisibleActions,
    priority: Option<Priority>,
}

impl System {
    /// One component alone.
    pub fn single(component: Component) -> System {
        System {
            name: component.name.clone(),
            components: vec![component],
            shown: VisibleActions::All,
            priority: None,
        }
    }

    /// Components without hiding or priority.
    pub fn parallel(name: &str, components: Vec<Component>) -> System {
        System { name: Arc::from(name), components, shown: VisibleActions::All, priority: None }
    }

    /// Is the action hidden in the system?
    pub fn hides(&self, action: &str) -> bool {
        is_private(action)
            || match &self.shown {
                VisibleActions::All => false,
                VisibleActions::Not(names) => names.contains(action),
                VisibleActions::Only(names) => !names.contains(action),
            }
    }

    /// All actions by name, before hiding, in the order of the components.
    pub fn actions(&self) -> Vec<Arc<str>> {
        all_names(&self.components).into_iter().filter(|name| !is_private(name)).collect()
    }

    /// The same system with more components, such as the watchers of an assertion; they see actions that
    /// the system hides.
    #[must_use]
    pub fn with(&self, more: impl IntoIterator<Item = Component>) -> System {
        let mut system = self.clone();
        system.components.extend(more);
        system
    }

    /// The same system without the properties that watch it: they never refuse, so they decide no deadlock. One made of
    /// properties only stays as it is.
    #[must_use]
    pub fn without_watchers(&self) -> System {
        let mut system = self.clone();
        system.components.retain(|component| component.role != Role::Watcher || may_refuse(&component.lks));
        if system.components.is_empty() { self.clone() } else { system }
    }

    /// The system, to be explored.
    pub fn composition(&self) -> Composition {
        let mut composition = Composition::new(with_roles(&self.components));
        if let Some(priority) = &self.priority {
            composition = composition.with_priority(priority);
        }
        let hides_any = !matches!(self.shown, VisibleActions::All)
            || self.components.iter().any(|component| has_private(component.lks.alphabet()));
        if hides_any { composition.hiding(|name| self.hides(name)) } else { composition }
    }

    /// Is there a priority? It binds all components together.
    pub fn has_priority(&self) -> bool {
        self.priority.is_some()
    }
}

fn may_refuse(lks: &Lks) -> bool {
    lks.states().any(|state| {
        let offers_all = lks.alphabet().visible().all(|action| lks.offers(state, action));
        lks.mark(state) != StateMark::Error && !offers_all
    })
}

fn has_private(alphabet: &Alphabet) -> bool {
    alphabet.visible().any(|action| is_private(alphabet.name(action)))
}

/// After LTSA: processes without END only serve those with END when they can do nothing without them; then they are not
/// waited for.
fn with_roles(components: &[Component]) -> Vec<Component> {
    let terminates = |component: &&Component| !component.lks.end_states().is_empty();
    let names = |component: &Component| -> Vec<Arc<str>> {
        let alphabet = component.lks.alphabet();
        alphabet.visible().map(|action| alphabet.shared_name(action)).collect()
    };
    let known: FxHashSet<Arc<str>> = components.iter().filter(terminates).flat_map(names).collect();
    let processes = || components.iter().filter(|component| component.role == Role::Process);
    let serve = !known.is_empty()
        && processes()
            .filter(|c| !terminates(c))
            .all(|server| names(server).iter().all(|name| known.contains(name)));
    let mut components = components.to_vec();
    if serve {
        components.iter_mut().filter(|c| !terminates(&&**c)).for_each(|c| c.role = Role::Watcher);
    }
    components
}

/// What one part of a composition contributes. Those of a named composition stay together until it is relabelled.
enum Item {
    One(Component),
    Named(Vec<Component>),
}

impl Item {
    fn components(&self) -> &[Component] {
        match self {
            Item::One(component) => std::slice::from_ref(component),
            Item::Named(components) => components,
        }
    }

    fn components_mut(&mut self) -> &mut [Component] {
        match self {
            Item::One(component) => std::slice::from_mut(component),
            Item::Named(components) => components,
        }
    }
}

impl<'s> Model<'s> {
    /// A composition under values of its parameters.
    pub(super) fn composite(
        &mut self,
        definition: &'s CompositeDefinition,
        parameters: Vec<(Arc<str>, Value)>,
        name: &str,
    ) -> Result<System, Diagnostic> {
        let globals = self.globals.clone();
        let mut environment = Environment::new(&globals, parameters);
        let mut items = Vec::new();
        self.parts(&definition.body, &mut environment, &mut items)?;
        let components = items.into_iter().flat_map(|item| match item {
            Item::One(component) => vec![component],
            Item::Named(components) => components,
        });
        let mut system = System::parallel(name, components.collect());
        if let Some((kind, set)) = &definition.priority {
            let names = NameSet::new(environment.set_elements(set)?.iter().cloned());
            let actions =
                all_names(&system.components).into_iter().filter(|action| names.contains(action)).collect();
            system.priority = Some(Priority { kind: *kind, actions });
        }
        let mut evaluated = |set: &LabelSet| -> Result<NameSet, Diagnostic> {
            Ok(NameSet::new(environment.set_elements(set)?.iter().cloned()))
        };
        system.shown = match &definition.visibility {
            None => VisibleActions::All,
            Some(Visibility::Hide(set)) => VisibleActions::Not(evaluated(set)?),
            Some(Visibility::Show(set)) => VisibleActions::Only(evaluated(set)?),
        };
        let actions = all_names(&system.components);
        match &system.shown {
            VisibleActions::All => {}
            VisibleActions::Not(names) => self.tell_idle(&names.idle(&actions), "hiding", &definition.name),
            VisibleActions::Only(names) => self.tell_idle(&names.idle(&actions), "showing", &definition.name),
        }
        let flags = definition.flags;
        if flags.is_property || flags.is_deterministic || flags.is_minimal {
            let mut lks = self.built(&system, definition.name.span)?;
            if flags.is_minimal {
                lks = self.minimised(lks);
            }
            if flags.is_deterministic || flags.is_property {
                lks = self.determinised(&lks, definition.name.span)?;
            }
            let mut component = Component::process(lks);
            if flags.is_property {
                component = Component::process(super::process::property(&component.lks));
                component.role = Role::Watcher;
            }
            system = System::single(component);
        }
        Ok(system)
    }

    fn parts(
        &mut self,
        body: &'s CompositeBody,
        environment: &mut Environment<'_>,
        items: &mut Vec<Item>,
    ) -> Result<(), Diagnostic> {
        match body {
            CompositeBody::If(condition, then, otherwise) => {
                if environment.truth(condition)? {
                    self.parts(then, environment, items)
                } else if let Some(otherwise) = otherwise {
                    self.parts(otherwise, environment, items)
                } else {
                    Ok(())
                }
            }
            CompositeBody::ForAll(indices, inner) => environment
                .for_each_index(indices, &mut |environment, _| self.parts(inner, environment, items)),
            CompositeBody::Part { sharing: shared, prefix, inner, relabels } => {
                let mut own = Vec::new();
                match prefix {
                    None => self.inner_items(inner, environment, &mut own)?,
                    Some(prefix) => environment.for_each_label(prefix, &mut |environment, prefix| {
                        let from = own.len();
                        self.inner_items(inner, environment, &mut own)?;
                        for component in own[from..].iter_mut().flat_map(Item::components_mut) {
                            let relabelling = prefixing(component.lks.alphabet(), prefix);
                            self.relabel_component(component, &relabelling, body_span(inner))?;
                            component.name = Arc::from(format!("{prefix}:{}", component.name));
                        }
                        Ok(())
                    })?,
                }
                if let Some(shared) = shared {
                    let prefixes = environment.labels(shared)?;
                    for component in own.iter_mut().flat_map(Item::components_mut) {
                        let relabelling = sharing(component.lks.alphabet(), &prefixes);
                        self.relabel_component(component, &relabelling, body_span(inner))?;
                        component.name = Arc::from(format!("{{{}}}::{}", prefixes.join(","), component.name));
                    }
                }
                if !relabels.is_empty() {
                    let renaming = Renaming::evaluate(relabels, environment)?;
                    let actions = all_names(own.iter().flat_map(Item::components));
                    self.tell_idle_at(&renaming.idle(&actions), "renaming", "this part", body_span(inner));
                    for item in &mut own {
                        self.relabel_item(item, &renaming, body_span(inner))?;
                    }
                }
                items.append(&mut own);
                self.check_component_count(items.len(), body_span(inner))
            }
        }
    }

    fn check_component_count(&self, count: usize, span: Span) -> Result<(), Diagnostic> {
        const MOST_COMPONENTS: usize = 100_000;
        if count <= MOST_COMPONENTS {
            return Ok(());
        }
        let message = format!("the composition has more than {MOST_COMPONENTS} components");
        Err(Diagnostic::error("too-many-components", span, message).hint("use smaller ranges"))
    }

    fn inner_items(
        &mut self,
        inner: &'s CompositePart,
        environment: &mut Environment<'_>,
        items: &mut Vec<Item>,
    ) -> Result<(), Diagnostic> {
        match inner {
            CompositePart::Parallel(parts) => {
                parts.iter().try_for_each(|part| self.parts(part, environment, items))
            }
            CompositePart::Call(call) => {
                items.push(self.call_item(call, environment)?);
                Ok(())
            }
        }
    }

    fn call_item(
        &mut self,
        call: &ProcessCall,
        environment: &mut Environment<'_>,
    ) -> Result<Item, Diagnostic> {
        let arguments = call
            .arguments
            .iter()
            .map(|argument| environment.value(argument))
            .collect::<Result<Vec<_>, _>>()?;
        if !self.is_composite(&call.name.text) {
            let lks = self.process(&call.name, arguments)?;
            return Ok(Item::One(self.component(&call.name.text, lks)));
        }
        let definition = self.composite_definition(&call.name.text).expect("just found");
        let must_build = definition.flags.is_composed;
        let system = self.composite_system(&call.name, arguments)?;
        if must_build {
            let lks = self.built(&system, call.name.span)?;
            return Ok(Item::One(Component { name: system.name.clone(), ..Component::process(lks) }));
        }
        if !system.has_priority()
            && system.components.len() == 1
            && matches!(system.shown, VisibleActions::All)
        {
            return Ok(Item::One(system.components.into_iter().next().expect("one")));
        }
        Ok(Item::Named(self.as_components(system)?))
    }

    /// A system as parts of a larger one: built if a priority binds it together, else its components.
    pub(super) fn as_components(&mut self, system: System) -> Result<Vec<Component>, Diagnostic> {
        if !system.has_priority() {
            return Ok(self.keep_to_itself(system));
        }
        let lks = self.built(&system, Span::NOWHERE)?;
        Ok(vec![Component { name: system.name.clone(), ..Component::process(lks) }])
    }

    /// The components of a system with its hidden actions under names that nobody else has.
    fn keep_to_itself(&mut self, mut system: System) -> Vec<Component> {
        if matches!(system.shown, VisibleActions::All)
            && !system.components.iter().any(|c| has_private(c.lks.alphabet()))
        {
            return system.components;
        }
        self.fresh += 1;
        let mark = self.fresh;
        let mut components = std::mem::take(&mut system.components);
        for component in &mut components {
            let mut relabelling = Relabelling::new();
            let alphabet = component.lks.alphabet();
            for name in
                alphabet.visible().map(|action| alphabet.name(action)).filter(|name| system.hides(name))
            {
                relabelling.add(name, format!("{name}{PRIVATE_MARK}{mark}"));
            }
            if !relabelling.is_empty() {
                component.lks = Arc::new(component.lks.relabel(&relabelling));
            }
        }
        components
    }

    fn relabel_item(&mut self, item: &mut Item, renaming: &Renaming, span: Span) -> Result<(), Diagnostic> {
        if let Item::Named(components) = item
            && components.len() > 1
        {
            let names = all_names(components.iter());
            if renaming.joins_any(names.iter().map(|name| &**name)) {
                let system = System::parallel("part", std::mem::take(components));
                let lks = self.built(&system, span)?;
                let names: Vec<&str> = system.components.iter().map(|c| &*c.name).collect();
                let name = Arc::from(names.join("||"));
                *item = Item::One(Component { name, ..Component::process(lks) });
            }
        }
        for component in item.components_mut() {
            let relabelling = renaming.on(component.lks.alphabet());
            self.relabel_component(component, &relabelling, span)?;
        }
        Ok(())
    }

    fn relabel_component(
        &self,
        component: &mut Component,
        relabelling: &Relabelling,
        span: Span,
    ) -> Result<(), Diagnostic> {
        if !relabelling.is_empty() {
            component.lks = Arc::new(self.relabelled(&component.lks, relabelling, span)?);
        }
        Ok(())
    }

    /// One action may get many names, and each of its transitions then exists as often.
    pub(super) fn relabelled(
        &self,
        lks: &Lks,
        relabelling: &Relabelling,
        span: Span,
    ) -> Result<Lks, Diagnostic> {
        self.refuse_transitions(relabelling.transitions_after(lks), lks.name(), span)?;
        Ok(lks.relabel(relabelling))
    }

    /// An error if a structure would have too many transitions.
    pub(super) fn refuse_transitions(&self, count: usize, name: &str, span: Span) -> Result<(), Diagnostic> {
        let most = self.settings.most_states.saturating_mul(TRANSITIONS_PER_STATE);
        if count <= most {
            return Ok(());
        }
        let message = format!("`{name}` has more than {most} transitions");
        Err(Diagnostic::error("too-many-transitions", span, message).hint("use smaller ranges"))
    }

    /// The product of a system.
    pub(super) fn built(&mut self, system: &System, span: Span) -> Result<Lks, Diagnostic> {
        let explored = explore(&system.composition(), &system.name, &self.settings.budget);
        let explored = explored.map_err(|unfinished| {
            let message = format!(
                "`{}` has to be built before it can be used, and {} after {} states",
                system.name, unfinished.limit, unfinished.states
            );
            Diagnostic::error("limit", span, message)
        })?;
        Ok(with_one_error(explored.lks))
    }

    fn component(&self, name: &str, lks: Arc<Lks>) -> Component {
        let role = if self.is_property(name) { Role::Watcher } else { Role::Process };
        Component { name: Arc::from(lks.name()), lks, role }
    }
}

/// All ERROR states are one, as no run goes on from them.
fn with_one_error(lks: Lks) -> Lks {
    if lks.error_states().len() < 2 {
        return lks;
    }
    let key = |state| if lks.mark(state) == StateMark::Error { None } else { Some(state) };
    let partition = lks::Partition::by_key(lks.states().map(key));
    lks.quotient(&partition, lks::quotient::InnerSilence::Kept)
}

fn all_names<'c>(components: impl IntoIterator<Item = &'c Component>) -> Vec<Arc<str>> {
    let mut names = indexmap::IndexSet::<Arc<str>, rustc_hash::FxBuildHasher>::default();
    for component in components {
        let alphabet = component.lks.alphabet();
        names.extend(alphabet.visible().map(|action| alphabet.shared_name(action)));
    }
    names.into_iter().collect()
}

/// A structure may have so many transitions for each state that it may have.
const TRANSITIONS_PER_STATE: usize = 16;

fn body_span(inner: &CompositePart) -> Span {
    match inner {
        CompositePart::Call(call) => call.name.span,
        CompositePart::Parallel(parts) => parts.iter().fold(Span::NOWHERE, |span, part| match part {
            CompositeBody::Part { inner, .. } => span.to(body_span(inner)),
            CompositeBody::ForAll(_, inner) | CompositeBody::If(_, inner, _) => match &**inner {
                CompositeBody::Part { inner, .. } => span.to(body_span(inner)),
                _ => span,
            },
        }),
    }
}
