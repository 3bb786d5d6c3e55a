//! Systems as specifications describe them: which procedures and processes run in parallel, where they start,
//! what the functions do that they call, and what is asked of them. From here to the parts that `check`
//! takes, and to its answer.

use super::Settings;
use super::fair::SystemFairness;
use super::names::{nearest, unknown_events, unknown_formula_events};
use super::parts::{SystemPart, formula_with_returns, with_returns_told_apart};
use super::report::SystemReport;
use super::returns::returns_together;
use super::run::check;
use super::shared_variables;
use base::{Budget, EventSink, Exhausted, IndexVec, Span};
use lks::Lks;
use predicate::component::{self, Build, CannotBuild, Returns, share};
use predicate::{GlobalsRule, MissingRule, Routine};
use program::{Action, Callee, Origin, Program, VariableKind};
use question::{Asks, Conformance, Question, Verdict};
use rustc_hash::FxHashSet;
use spec::cexpr::CExpression;
use spec::formula::Atom;
use spec::syntax::{Name, ProcedureStatement, ProgramQuestion};
use spec::{Formula, SharedVariable, Specification};
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;
use verdict::{Reason, Undecided};

base::define_id!(
    /// A set of specifications that belong together.
    BookId,
    "book"
);

/// A set of specifications that belong together.
pub struct Book<'s> {
    /// The C file it speaks about; none means all.
    pub file: Option<PathBuf>,
    /// What it says.
    pub specification: &'s Specification,
    /// Structures of imported processes.
    pub imports: &'s [(String, Lks)],
}

/// A program and what was specified about it.
pub struct Specified<'s> {
    /// The program.
    pub program: &'s Program,
    /// The specifications, those for all files last.
    pub books: IndexVec<BookId, Book<'s>>,
    /// The variables that components share. Their accesses are calls in the program already.
    pub shared: Vec<SharedVariable>,
}

/// What is asked.
#[derive(Clone, Debug)]
pub enum SystemProperty {
    /// Conformance to a process.
    Conforms(Name),
    /// A formula.
    Satisfies(Formula),
    /// Freedom from deadlock.
    DeadlockFree,
}

impl SystemProperty {
    /// What holds if the answer is yes, in a sentence.
    pub fn promise(&self, conformance: Conformance) -> String {
        match self {
            SystemProperty::Conforms(_) => conformance.promise().to_owned(),
            SystemProperty::Satisfies(formula) => Asks::Satisfies(formula.clone()).promise(),
            SystemProperty::DeadlockFree => Asks::NoDeadlock.promise(),
        }
    }
}

impl From<&ProgramQuestion> for SystemProperty {
    fn from(question: &ProgramQuestion) -> SystemProperty {
        match question {
            ProgramQuestion::Conforms(process) => SystemProperty::Conforms(process.clone()),
            ProgramQuestion::Satisfies(formula) => SystemProperty::Satisfies(formula.clone()),
            ProgramQuestion::DeadlockFree => SystemProperty::DeadlockFree,
        }
    }
}

/// One question about one system.
#[derive(Clone, Debug)]
pub struct SystemQuestion {
    /// How the result is called.
    pub name: String,
    /// The procedures or processes that run in parallel.
    pub components: Vec<Arc<str>>,
    /// Where each starts; may be shorter.
    pub guards: Vec<CExpression>,
    /// Where processes are looked for first.
    pub book: Option<BookId>,
    /// What is asked.
    pub asked: SystemProperty,
    /// What else is asked of the same system.
    pub beside: Vec<SystemProperty>,
}

/// What is meant where the specifications leave it open.
#[derive(Clone, Debug, Default)]
pub struct Conventions {
    /// What conformance to a process means.
    pub conformance: Conformance,
    /// What functions with neither body nor specification do.
    pub missing: MissingRule,
    /// What global variables hold when a component starts.
    pub globals: Globals,
}

/// What global variables hold when components start.
#[derive(Clone, Debug, Default)]
pub struct Globals {
    /// For those that are not named.
    pub usual: GlobalsRule,
    /// For components by name.
    pub of: Vec<(Arc<str>, GlobalsRule)>,
}

impl Globals {
    /// What holds for a component.
    pub fn rule(&self, component: &str) -> GlobalsRule {
        let own = self.of.iter().rev().find(|(name, _)| **name == *component);
        own.map_or(self.usual, |(_, rule)| *rule)
    }
}

/// Why a question cannot be asked: a name that means nothing, a process that is too large, a component that
/// cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CannotAsk {
    /// A process is named, and no specification is there that could have it.
    NoSpecification,
    /// No specification has a process of this name.
    NoProcess(Arc<str>),
    /// The program has no procedure of this name with a body.
    NoProcedure(Arc<str>),
    /// A component is called so, and nothing else is.
    NoComponent(Arc<str>),
    /// Conformance is about events, and the process has this state proposition.
    HasProposition(String),
    /// The process has no meaning; the message says why.
    BadProcess(String),
    /// The process is not explored to its end.
    TooLarge(Arc<str>, Exhausted),
    /// The component of this name cannot be made.
    CannotBuild(Arc<str>, CannotBuild),
    /// What the specification of this function says cannot be used.
    InProcedure(String, Box<CannotAsk>),
    /// The proposition of a formula has no meaning; the message says why.
    BadProposition(Arc<str>, String),
}

impl std::fmt::Display for CannotAsk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CannotAsk::NoSpecification => f.write_str("no specification holds the process"),
            CannotAsk::NoProcess(name) => write!(f, "there is no process `{name}`"),
            CannotAsk::NoProcedure(name) => write!(f, "there is no procedure `{name}` with a body"),
            CannotAsk::NoComponent(name) => {
                write!(f, "`{name}` is neither a procedure with a body nor a process")
            }
            CannotAsk::HasProposition(name) => {
                write!(f, "the process has the state proposition `{name}`; ask for it with a formula")
            }
            CannotAsk::BadProcess(why) => f.write_str(why),
            CannotAsk::TooLarge(name, limit) => write!(f, "`{name}` is too large: {limit}"),
            CannotAsk::CannotBuild(name, why) => write!(f, "{name}: {why}"),
            CannotAsk::InProcedure(function, why) => write!(f, "`cproc {function}`: {why}"),
            CannotAsk::BadProposition(name, why) => write!(f, "[{name}]: {why}"),
        }
    }
}

/// A proposition of a formula: its name there, and what it says.
type Proposition = (Arc<str>, CExpression);

/// How deep functions that call themselves are followed, one after the other until it is enough.
const DEPTHS: [usize; 4] = [1, 4, 16, 64];

/// Makes the parts of the system and answers the question about it. Where functions call themselves more often than they
/// were followed, it is asked again with more.
pub fn ask(
    question: &SystemQuestion,
    specified: &Specified<'_>,
    how: &Conventions,
    settings: &Settings,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<SystemReport, CannotAsk> {
    let mut depths = DEPTHS.into_iter();
    let mut follow = Follow { recursion: depths.next().unwrap_or(1), asks_for_ranges: true };
    let mut report = ask_with(question, specified, how, follow, settings, budget, events)?;
    for depth in depths {
        if !report.is_too_deep || !report.answer.verdict.is_undecided() || budget.check().is_err() {
            break;
        }
        follow.recursion = depth;
        report = ask_with(question, specified, how, follow, settings, budget, events)?;
    }
    Ok(report)
}

/// How far the code of components is followed.
#[derive(Clone, Copy)]
struct Follow {
    /// How deep functions that call themselves.
    recursion: usize,
    /// Is it asked first whether shared variables keep to their ranges?
    asks_for_ranges: bool,
}

/// What is said if a shared variable may get a value outside its range; none if none does.
fn outside_ranges(
    question: &SystemQuestion,
    specified: &Specified<'_>,
    how: &Conventions,
    follow: Follow,
    (parts, settings): (&[SystemPart], &Settings),
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<Option<SystemReport>, CannotAsk> {
    let outside = shared_variables::outside_events(&specified.shared, parts);
    if outside.is_empty() {
        return Ok(None);
    }
    let never =
        |event: &Arc<str>| Formula::Always(Arc::new(Formula::Atom(Atom::Event(event.clone())).negate()));
    let formula = outside.iter().skip(1).fold(never(&outside[0]), |all, event| all.and(never(event)));
    let asked = SystemProperty::Satisfies(formula);
    let question = SystemQuestion { asked, ..question.clone() };
    let follow = Follow { asks_for_ranges: false, ..follow };
    let settings = Settings { fairness: SystemFairness::default(), ..settings.clone() };
    let mut report = ask_with(&question, specified, how, follow, &settings, budget, events)?;
    match &report.answer.verdict {
        Verdict::Holds(_) => return Ok(None),
        Verdict::Undecided(_) => {}
        Verdict::Violated(_) => {
            let names: Vec<String> = outside.iter().map(|event| format!("`{event}`")).collect();
            let construct =
                format!("a value outside the range of a shared variable ({})", names.join(" or "));
            let undecided = Undecided::because(Reason::NotSupported { construct, at: Span::NOWHERE })
                .try_next("declare a larger range for the shared variable");
            report.answer.verdict = undecided.into();
        }
    }
    Ok(Some(report))
}

fn ask_with(
    question: &SystemQuestion,
    specified: &Specified<'_>,
    how: &Conventions,
    follow: Follow,
    settings: &Settings,
    budget: &Budget,
    events: &dyn EventSink,
) -> Result<SystemReport, CannotAsk> {
    let of_processes = spec::Settings { budget: budget.clone(), ..spec::Settings::default() };
    let models = RefCell::new(Models::new(specified, &of_processes));
    let process = match &question.asked {
        SystemProperty::Conforms(name) => {
            let book = question.book.ok_or(CannotAsk::NoSpecification)?;
            Some(models.borrow_mut().process(book, name)?)
        }
        _ => None,
    };
    if let Some(process) = process.as_ref().filter(|process| !process.propositions().is_empty()) {
        let name = process.propositions().name(base::Id::from_index(0));
        return Err(CannotAsk::HasProposition(name.to_string()));
    }
    let returns = returns(question, &models)?;
    let propositions = match &question.asked {
        SystemProperty::Satisfies(formula) => propositions(specified, question, formula)?,
        _ => vec![Vec::new(); question.components.len()],
    };
    let mut parts: Vec<SystemPart> = Vec::new();
    for (index, name) in question.components.iter().enumerate() {
        parts.push(part(
            specified,
            question,
            index,
            name,
            &returns,
            &propositions[index],
            (how, follow.recursion),
            &models,
        )?);
    }
    if follow.asks_for_ranges {
        let asked = (parts.as_slice(), settings);
        if let Some(report) = outside_ranges(question, specified, how, follow, asked, budget, events)? {
            return Ok(report);
        }
    }
    let mut unknown = process.as_ref().map_or_else(Vec::new, |process| unknown_events(process, &parts));
    if let SystemProperty::Satisfies(formula) = &question.asked {
        unknown.extend(unknown_formula_events(formula, &parts));
    }
    let mut together = Vec::new();
    for asked in &question.beside {
        if let (SystemProperty::Conforms(name), Some(book)) = (asked, question.book) {
            let process = models.borrow_mut().process(book, name)?;
            let process = with_returns_told_apart(&process, &returns, &parts);
            together.extend(returns_together(&process));
        }
    }
    parts.iter_mut().for_each(|part| part.may_return_apart(&together));
    for variable in &specified.shared {
        let asked = match &question.asked {
            SystemProperty::Satisfies(formula) => shared_variables::propositions_of(variable, formula),
            _ => Vec::new(),
        };
        let initially = variable.initially.or_else(|| {
            let is_initialised = how.globals.usual == GlobalsRule::Initialised;
            let found = share::first_value(specified.program, &variable.name.text);
            found.filter(|value| is_initialised && (variable.low..=variable.high).contains(value))
        });
        parts.extend(shared_variables::process(variable, initially, &parts, &asked));
    }
    let asks = match (&question.asked, process) {
        (SystemProperty::Satisfies(formula), _) => Asks::Satisfies(formula_with_returns(formula, &parts)),
        (SystemProperty::DeadlockFree, _) => Asks::NoDeadlock,
        (SystemProperty::Conforms(_), Some(process)) => {
            let process = with_returns_told_apart(&process, &returns, &parts);
            Asks::Conforms(process, how.conformance)
        }
        (SystemProperty::Conforms(_), None) => unreachable!("the process was made above"),
    };
    if let Asks::Satisfies(_) = asks {
        unknown.extend(settings.fairness.unknown_events(&parts));
    }
    let asked = Question { name: question.name.clone(), about: specified.program, asks };
    let mut report = check(&asked, &mut parts, settings, budget, events);
    report.answer.remarks.splice(0..0, unknown);
    Ok(report)
}

/// The returns that the questions about the system tell apart: all of them mean the same by a return.
fn returns(question: &SystemQuestion, models: &RefCell<Models<'_>>) -> Result<Returns, CannotAsk> {
    let mut names: Vec<Arc<str>> = Vec::new();
    // A component alone returns as it likes: only what is asked counts.
    let beside = if question.components.len() > 1 { question.beside.as_slice() } else { &[] };
    for asked in std::iter::once(&question.asked).chain(beside) {
        match asked {
            SystemProperty::Conforms(name) => {
                let book = question.book.ok_or(CannotAsk::NoSpecification)?;
                let process = models.borrow_mut().process(book, name)?;
                let alphabet = process.alphabet();
                names.extend(alphabet.visible().map(|action| alphabet.shared_name(action)));
            }
            SystemProperty::Satisfies(formula) => {
                names.extend(formula.atoms().into_iter().filter_map(|atom| match atom {
                    Atom::Event(name) => Some(name),
                    Atom::Proposition(_) => None,
                }));
            }
            SystemProperty::DeadlockFree => {}
        }
    }
    Ok(Returns::among(names.iter().map(|name| &**name)))
}

#[allow(clippy::too_many_arguments, reason = "one call, one place; a struct would only repeat the names")]
fn part(
    specified: &Specified<'_>,
    question: &SystemQuestion,
    index: usize,
    name: &Arc<str>,
    returns: &Returns,
    propositions: &[Proposition],
    (how, recursion): (&Conventions, usize),
    models: &RefCell<Models<'_>>,
) -> Result<SystemPart, CannotAsk> {
    let program = specified.program;
    let procedure = program.procedure_named(name).filter(|&id| program.procedures[id].body.is_some());
    let Some(procedure) = procedure else {
        let book = question.book.ok_or_else(|| CannotAsk::NoProcedure(name.clone()))?;
        let wanted = spec::syntax::Name::new(name, base::Span::NOWHERE);
        let process = models.borrow_mut().process(book, &wanted);
        // It is known by the name it has among the components, whatever it is made of.
        return process
            .map(|lks| SystemPart::Process(Arc::new(lks.as_ref().clone().named(name))))
            .map_err(|_| CannotAsk::NoComponent(name.clone()));
    };
    let copies = question.components.iter().filter(|other| *other == name).count();
    let own_name = if copies > 1 {
        let number = question.components[..=index].iter().filter(|other| *other == name).count();
        Arc::from(format!("{name}#{number}"))
    } else {
        name.clone()
    };
    let trouble = RefCell::new(None);
    let routines = |function: &str, at| {
        if let Some(access) = shared_variables::routines(&specified.shared, &own_name, function) {
            return access;
        }
        specified.routines(function, at, &mut models.borrow_mut()).unwrap_or_else(|why| {
            trouble.borrow_mut().get_or_insert(CannotAsk::InProcedure(function.to_owned(), why.into()));
            Vec::new()
        })
    };
    let texts: Vec<CExpression> = propositions.iter().map(|(_, text)| text.clone()).collect();
    let component = component::build(&Build {
        program,
        procedure,
        name: own_name.clone(),
        guard: question.guards.get(index),
        routines: &routines,
        is_inlined: &|caller, function| specified.is_inlined(caller, function),
        missing: how.missing,
        globals: how.globals.rule(name),
        recursion,
        returns,
        predicates: &specified.predicates(name),
        propositions: &texts,
    })
    .map_err(|why| CannotAsk::CannotBuild(name.clone(), why))?;
    if let Some(why) = trouble.into_inner() {
        return Err(why);
    }
    Ok(SystemPart::code(component, propositions.iter().map(|(name, _)| name.clone()).collect()))
}

/// Which component each proposition of a formula speaks about.
fn propositions(
    specified: &Specified<'_>,
    question: &SystemQuestion,
    formula: &spec::Formula,
) -> Result<Vec<Vec<Proposition>>, CannotAsk> {
    let program = specified.program;
    let mut found = vec![Vec::new(); question.components.len()];
    for atom in formula.atoms() {
        let Atom::Proposition(name) = atom else { continue };
        if specified.shared.iter().any(|one| shared_variables::propositions_of(one, formula).contains(&name))
        {
            continue;
        }
        let text = CExpression::parse(&name)
            .map_err(|trouble| CannotAsk::BadProposition(name.clone(), trouble.message))?;
        let mut names = Vec::new();
        variables(&text, &mut names);
        let knows = |component: &Arc<str>, wants_own: bool| {
            let Some(procedure) = program.procedure_named(component) else { return false };
            names.iter().all(|wanted| {
                program.variables.iter().any(|variable| {
                    let is_own = variable.procedure == Some(procedure);
                    let is_global = variable.kind == VariableKind::Global && variable.procedure.is_none();
                    variable.name == *wanted && (is_own || !wants_own && is_global)
                })
            })
        };
        let speaking = |wants_own: bool| -> Vec<usize> {
            let all = question.components.iter().enumerate();
            all.filter(|(_, component)| knows(component, wants_own)).map(|(index, _)| index).collect()
        };
        let mut candidates = speaking(true);
        if candidates.is_empty() {
            candidates = speaking(false);
        }
        match candidates[..] {
            [only] => found[only].push((name, text)),
            [] => {
                let why = unknown_variable(specified, question, &names);
                return Err(CannotAsk::BadProposition(name, why));
            }
            _ => {
                let why = "several components have these variables".to_owned();
                return Err(CannotAsk::BadProposition(name, why));
            }
        }
    }
    Ok(found)
}

/// Which of the variables no component has, and what was probably meant.
fn unknown_variable(specified: &Specified<'_>, question: &SystemQuestion, wanted: &[Arc<str>]) -> String {
    let program = specified.program;
    let owners: Vec<_> =
        question.components.iter().filter_map(|component| program.procedure_named(component)).collect();
    let known: Vec<&str> = program
        .variables
        .iter()
        .filter(|variable| match variable.procedure {
            Some(procedure) => owners.contains(&procedure) && variable.kind != VariableKind::Temporary,
            None => variable.kind == VariableKind::Global,
        })
        .map(|variable| &*variable.name)
        .collect();
    let Some(missing) = wanted.iter().find(|name| !known.contains(&&***name)) else {
        return "no component has all of these variables".to_owned();
    };
    let hint = nearest(missing, known.iter().copied())
        .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
    format!("no component has a variable `{missing}`{hint}")
}

fn variables(expression: &CExpression, names: &mut Vec<Arc<str>>) {
    match expression {
        CExpression::Name(name) => names.push(name.clone()),
        CExpression::Integer(_) | CExpression::Argument(_) => {}
        CExpression::Unary(_, a)
        | CExpression::Member(a, _)
        | CExpression::Arrow(a, _)
        | CExpression::Cast(_, a) => variables(a, names),
        CExpression::Binary(_, a, b) | CExpression::Element(a, b) => {
            variables(a, names);
            variables(b, names);
        }
        CExpression::Conditional(a, b, c) => {
            variables(a, names);
            variables(b, names);
            variables(c, names);
        }
    }
}

/// The user's procedures that no other calls: what is taken for the components where nobody names them.
pub fn uncalled(program: &Program) -> Vec<Arc<str>> {
    let mut called = FxHashSet::default();
    for (caller, procedure) in program.procedures.iter_enumerated() {
        let edges = procedure.body.iter().flat_map(|graph| graph.edges.iter());
        for edge in edges {
            if let Action::Call { callee: Callee::Direct(callee), .. } = &edge.action
                && *callee != caller
            {
                called.insert(*callee);
            }
        }
    }
    program
        .procedures
        .iter_enumerated()
        .filter(|(id, procedure)| {
            procedure.body.is_some() && procedure.origin == Origin::User && !called.contains(id)
        })
        .map(|(_, procedure)| procedure.name.clone())
        .collect()
}

impl<'s> Specified<'s> {
    /// The books that speak about a place of the program, the nearest first.
    fn books_at(&self, span: Span) -> impl Iterator<Item = BookId> {
        let file = self.program.sources.source_at(span.start).map(|source| PathBuf::from(&**source.name()));
        let own =
            self.books.iter_enumerated().filter(move |(_, book)| book.file.is_some() && book.file == file);
        let general = self.books.iter_enumerated().filter(|(_, book)| book.file.is_none());
        own.chain(general).map(|(id, _)| id)
    }

    /// What the specifications say about a function called at a place.
    fn routines(&self, function: &str, at: Span, models: &mut Models<'_>) -> Result<Vec<Routine>, CannotAsk> {
        for book in self.books_at(at) {
            let mut found = Vec::new();
            for block in
                self.books[book].specification.procedures.iter().filter(|block| &*block.name.text == function)
            {
                for statement in &block.statements {
                    if let ProcedureStatement::Abstract { name, guard, process } = statement {
                        let process = models.process(book, process)?;
                        found.push(Routine { name: name.text.clone(), guard: guard.clone(), process });
                    }
                }
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// Does a specification ask for the body of a function where a procedure calls it?
    fn is_inlined(&self, caller: &str, function: &str) -> bool {
        let blocks = self.books.iter().flat_map(|book| &book.specification.procedures);
        blocks.filter(|block| &*block.name.text == caller).flat_map(|block| &block.statements).any(
            |statement| {
                matches!(statement, ProcedureStatement::Inline(names)
                    if names.iter().any(|name| &*name.text == function))
            },
        )
    }

    /// The predicates that the user supplies for a procedure.
    fn predicates(&self, procedure: &str) -> Vec<CExpression> {
        let mut found = Vec::new();
        for book in &self.books {
            for block in book.specification.procedures.iter().filter(|block| &*block.name.text == procedure) {
                for statement in &block.statements {
                    if let ProcedureStatement::Predicate(predicates) = statement {
                        found.extend(predicates.iter().cloned());
                    }
                }
            }
        }
        found
    }
}

/// The processes of the books, made when they are asked for.
struct Models<'l> {
    models: IndexVec<BookId, spec::Model<'l>>,
}

impl<'l> Models<'l> {
    /// None made yet.
    fn new(specified: &Specified<'l>, settings: &spec::Settings<'l>) -> Models<'l> {
        let mut models: IndexVec<BookId, spec::Model<'l>> = IndexVec::new();
        for book in &specified.books {
            let mut model = spec::Model::new(book.specification, settings.clone());
            for (name, lks) in book.imports {
                model.import(name, lks.clone());
            }
            models.push(model);
        }
        Models { models }
    }

    /// A process by name: of the same book, or else of any.
    fn process(&mut self, own: BookId, name: &Name) -> Result<Arc<lks::Lks>, CannotAsk> {
        let others = self.models.ids().filter(|&other| other != own);
        let order: Vec<BookId> = std::iter::once(own).chain(others).collect();
        let place = order.iter().copied().find(|&at| self.models[at].names().contains(&name.text));
        let Some(at) = place else {
            return Err(CannotAsk::NoProcess(name.text.clone()));
        };
        let system =
            self.models[at].system(&name.text).map_err(|trouble| CannotAsk::BadProcess(trouble.message))?;
        if let [only] = system.components.as_slice() {
            return Ok(only.lks.clone());
        }
        let composition =
            lks::Composition::new(system.components.clone()).hiding(|action| system.hides(action));
        let explored = lks::explore(&composition, &name.text, &base::Budget::unlimited())
            .map_err(|unfinished| CannotAsk::TooLarge(name.text.clone(), unfinished.limit))?;
        Ok(Arc::new(explored.lks))
    }
}
