//! What a specification means: constants, ranges and sets get values, processes become structures, compositions become
//! systems, progress tests and assertions become sets of actions and formulas.

pub mod claims;
pub mod composite;
mod labels;
pub mod names;
mod process;
mod sequence;
pub mod shared;
pub mod value;

use crate::syntax::{CompositeDefinition, Name, Parameter, ProcessDefinition, Specification};
use base::{Budget, Diagnostic, Diagnostics, Span};
use composite::System;
use lks::{Component, Lks, Role};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use value::{Environment, Globals, Value};

/// Reduces a structure to an equivalent one, for `minimal`.
pub type Minimise<'s> = &'s dyn Fn(&Lks) -> Lks;

/// How a specification is evaluated.
#[derive(Clone)]
pub struct Settings<'s> {
    /// A process may have this many states at most.
    pub most_states: usize,
    /// Limits for products and determinisation that the specification itself asks for.
    pub budget: Budget,
    /// What `minimal` does; without it, structures stay as they are, which no verdict depends on.
    pub minimise: Option<Minimise<'s>>,
}

impl Default for Settings<'_> {
    fn default() -> Self {
        Settings { most_states: 20_000_000, budget: Budget::unlimited(), minimise: None }
    }
}

/// A specification with its meaning. Structures are made when they are asked for, and once.
pub struct Model<'s> {
    specification: &'s Specification,
    globals: Arc<Globals>,
    settings: Settings<'s>,
    structures: FxHashMap<String, Arc<Lks>>,
    systems: FxHashMap<String, System>,
    /// What is being made now, to find definitions that need themselves.
    open: Vec<String>,
    fresh: u32,
    diagnostics: Diagnostics,
}

impl<'s> Model<'s> {
    /// Gives constants, ranges and sets their values. What is wrong is in [`diagnostics`](Model::diagnostics).
    pub fn new(specification: &'s Specification, settings: Settings<'s>) -> Model<'s> {
        let mut diagnostics = Diagnostics::default();
        let globals = Arc::new(evaluate_globals(specification, &mut diagnostics));
        let mut structures = FxHashMap::default();
        for (name, lks) in &specification.structures {
            structures.insert(name.text.to_string(), lks.clone());
        }
        let systems = FxHashMap::default();
        Model {
            specification,
            globals,
            settings,
            structures,
            systems,
            open: Vec::new(),
            fresh: 0,
            diagnostics,
        }
    }

    /// Gives an imported process its structure.
    pub fn import(&mut self, name: &str, lks: Lks) {
        self.structures.insert(name.to_owned(), Arc::new(lks.named(name)));
    }

    /// Warnings and errors so far.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// The specification.
    pub fn specification(&self) -> &'s Specification {
        self.specification
    }

    /// Warns of names that stand for no action of the definition.
    fn tell_idle(&mut self, idle: &[Arc<str>], doing: &str, definition: &Name) {
        self.tell_idle_at(idle, doing, &format!("`{}`", definition.text), definition.span);
    }

    /// A definition is given its meaning once for each of its parameters; each place is told once.
    fn tell_idle_at(&mut self, idle: &[Arc<str>], doing: &str, whose: &str, span: Span) {
        const CODE: &str = "no-such-action";
        const MOST_SHOWN: usize = 5;
        let is_known = self.diagnostics.iter().any(|known| known.code == CODE && known.span == span);
        if idle.is_empty() || is_known {
            return;
        }
        let shown: Vec<String> = idle.iter().take(MOST_SHOWN).map(|name| format!("`{name}`")).collect();
        let more = match idle.len().checked_sub(MOST_SHOWN + 1) {
            Some(rest) => format!(" and {} more", rest + 1),
            None => String::new(),
        };
        let message = format!("{whose} has no action {}{more}: {doing} it changes nothing", shown.join(", "));
        self.diagnostics.push(Diagnostic::warning(CODE, span, message));
    }

    fn process_definition(&self, name: &str) -> Option<&'s ProcessDefinition> {
        self.specification.processes.iter().find(|definition| &*definition.name.text == name)
    }

    fn composite_definition(&self, name: &str) -> Option<&'s CompositeDefinition> {
        self.specification.composites.iter().find(|definition| &*definition.name.text == name)
    }

    fn is_process(&self, name: &str) -> bool {
        self.process_definition(name).is_some()
    }

    fn is_composite(&self, name: &str) -> bool {
        self.composite_definition(name).is_some()
    }

    fn is_property(&self, name: &str) -> bool {
        self.process_definition(name).is_some_and(|definition| definition.flags.is_property)
    }

    /// Every process, composition and ready-made structure, in the order of the files.
    pub fn names(&self) -> Vec<Arc<str>> {
        let structures = self.specification.structures.iter().map(|(name, _)| name);
        let imports = self.specification.imports.iter().map(|(name, _)| name);
        let processes = self.specification.processes.iter().map(|definition| &definition.name);
        let composites = self.specification.composites.iter().map(|definition| &definition.name);
        structures.chain(imports).chain(processes).chain(composites).map(|name| name.text.clone()).collect()
    }

    /// The system of that name: a composition, a process, or a structure. Parameters have their defaults unless they
    /// are given, `DINERS(30)`; several run in parallel, `P||Q`.
    pub fn system(&mut self, name: &str) -> Result<System, Diagnostic> {
        if name.contains("||") {
            let mut components = Vec::new();
            for part in name.split("||") {
                let system = self.system(part.trim())?;
                components.extend(self.as_components(system)?);
            }
            return Ok(System::parallel(name, components));
        }
        let (name, arguments) = match name.strip_suffix(')').and_then(|name| name.split_once('(')) {
            Some((name, arguments)) => {
                (name.trim(), arguments.split(',').map(|text| Value::of_text(text.trim())).collect())
            }
            None => (name, Vec::new()),
        };
        let name = Name::new(name, Span::NOWHERE);
        if self.is_composite(&name.text) {
            return self.composite_system(&name, arguments);
        }
        let lks = self.process(&name, arguments)?;
        let role = if self.is_property(&name.text) { Role::Watcher } else { Role::Process };
        Ok(System::single(Component { name: name.text.clone(), lks, role }))
    }

    /// The structure of a process; `arguments` may be empty, then its parameters have their defaults.
    pub fn process(&mut self, name: &Name, arguments: Vec<Value>) -> Result<Arc<Lks>, Diagnostic> {
        let known_as = called(&name.text, &arguments);
        if let Some(known) = self.structures.get(&known_as) {
            return Ok(known.clone());
        }
        let Some(definition) = self.process_definition(&name.text) else {
            return Err(self.undefined_process(name));
        };
        let parameters = self.bound_parameters(name, &definition.parameters, arguments)?;
        self.enter(&known_as, name)?;
        let made = process::ProcessCompiler::compile(self, definition, parameters, &known_as);
        self.open.pop();
        let lks = Arc::new(made?);
        self.structures.insert(known_as, lks.clone());
        Ok(lks)
    }

    fn composite_system(&mut self, name: &Name, arguments: Vec<Value>) -> Result<System, Diagnostic> {
        let known_as = called(&name.text, &arguments);
        if let Some(known) = self.systems.get(&known_as) {
            return Ok(known.clone());
        }
        let Some(definition) = self.composite_definition(&name.text) else {
            return Err(self.undefined_process(name));
        };
        let parameters = self.bound_parameters(name, &definition.parameters, arguments)?;
        self.enter(&known_as, name)?;
        let made = self.composite(definition, parameters, &known_as);
        self.open.pop();
        let system = made?;
        self.systems.insert(known_as, system.clone());
        Ok(system)
    }

    fn enter(&mut self, known_as: &str, name: &Name) -> Result<(), Diagnostic> {
        const MOST_NESTING: usize = 400;
        if self.open.iter().any(|open| open == known_as) {
            let message = format!("`{known_as}` is made of itself: {} -> {known_as}", self.open.join(" -> "));
            return Err(Diagnostic::error("endless-definition", name.span, message)
                .hint("end the recursion with `if` on a parameter"));
        }
        if self.open.len() >= MOST_NESTING {
            let message = format!("definitions nest more than {MOST_NESTING} deep at `{known_as}`");
            return Err(Diagnostic::error("endless-definition", name.span, message));
        }
        self.open.push(known_as.to_owned());
        Ok(())
    }

    fn bound_parameters(
        &mut self,
        name: &Name,
        parameters: &[Parameter],
        arguments: Vec<Value>,
    ) -> Result<Vec<(Arc<str>, Value)>, Diagnostic> {
        if !arguments.is_empty() && arguments.len() != parameters.len() {
            let (given, wanted) = (arguments.len(), parameters.len());
            let message = format!("`{}` has {wanted} parameters, {given} are given", name.text);
            return Err(Diagnostic::error("argument-count", name.span, message));
        }
        if !arguments.is_empty() {
            return Ok(parameters
                .iter()
                .map(|parameter| parameter.name.text.clone())
                .zip(arguments)
                .collect());
        }
        let globals = self.globals.clone();
        let mut environment = Environment::new(&globals, Vec::new());
        let default =
            |parameter: &Parameter| Ok((parameter.name.text.clone(), environment.value(&parameter.default)?));
        parameters.iter().map(default).collect()
    }

    fn undefined_process(&self, name: &Name) -> Diagnostic {
        let message = format!("there is no process `{}`", name.text);
        let diagnostic = Diagnostic::error("undefined-process", name.span, message);
        let known = self.names();
        match closest(&name.text, known.iter().map(|known| &**known)) {
            Some(similar) => diagnostic.hint(format!("did you mean `{similar}`?")),
            None => diagnostic,
        }
    }

    fn minimised(&self, lks: Lks) -> Lks {
        match self.settings.minimise {
            Some(minimise) => minimise(&lks).named(lks.name()),
            None => lks,
        }
    }

    fn determinised(&self, lks: &Lks, span: Span) -> Result<Lks, Diagnostic> {
        lks.determinise(&self.settings.budget).map_err(|limit| {
            Diagnostic::error(
                "limit",
                span,
                format!("`{}` could not be made deterministic: {limit}", lks.name()),
            )
        })
    }
}

fn called(name: &str, arguments: &[Value]) -> String {
    if arguments.is_empty() {
        return name.to_owned();
    }
    let arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
    format!("{name}({})", arguments.join(","))
}

/// The name that differs least, if one is near.
pub(crate) fn closest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    names
        .map(|name| (edits(wanted, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.len().min(wanted.len()) / 4)
        // Names of one letter are no misspellings of each other.
        .filter(|(distance, name)| *distance < name.len().max(wanted.len()))
        .min()
        .map(|(_, name)| name)
}

/// How many letters must change to make one name the other.
fn edits(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for at in 0..right.len() {
            let replaced = diagonal + usize::from(!letter.eq_ignore_ascii_case(&right[at]));
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

/// In the order of their kinds; within a kind in the order of the text, and again until nothing new is known, since a
/// set may use one that is defined below.
fn evaluate_globals(specification: &Specification, diagnostics: &mut Diagnostics) -> Globals {
    let mut globals = Globals::default();
    settle(&specification.constants, diagnostics, &mut globals, |(name, value), globals| {
        let value = Environment::new(globals, Vec::new()).value(value)?;
        globals.constants.insert(name.text.clone(), value);
        Ok(())
    });
    settle(&specification.ranges, diagnostics, &mut globals, |(name, low, high), globals| {
        let mut environment = Environment::new(globals, Vec::new());
        let range = (environment.integer(low)?, environment.integer(high)?);
        globals.ranges.insert(name.text.clone(), range);
        Ok(())
    });
    settle(&specification.sets, diagnostics, &mut globals, |(name, set), globals| {
        let elements = Environment::new(globals, Vec::new()).set_elements(set)?;
        globals.sets.insert(name.text.clone(), elements);
        Ok(())
    });
    globals
}

/// Evaluates all that can be evaluated; what is left then is wrong.
fn settle<'d, D>(
    definitions: &'d [D],
    diagnostics: &mut Diagnostics,
    globals: &mut Globals,
    mut evaluate: impl FnMut(&'d D, &mut Globals) -> Result<(), Diagnostic>,
) {
    let mut open: Vec<&D> = definitions.iter().collect();
    loop {
        let before = open.len();
        let mut problems = Vec::new();
        open.retain(|definition| match evaluate(definition, globals) {
            Ok(()) => false,
            Err(problem) => {
                problems.push(problem);
                true
            }
        });
        if open.len() == before || open.is_empty() {
            problems.into_iter().for_each(|problem| diagnostics.push(problem));
            return;
        }
    }
}
