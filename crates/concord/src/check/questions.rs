//! What is asked of which components.

use super::CheckArgs;
use super::input::{Book, Loaded};
use crate::cli::Common;
use crate::exit::Exit;
use crate::load;
use base::{Id, SourceMap, Span};
use cegar::components::{BookId, FairTo, SystemFairness, SystemProperty, SystemQuestion, nearest, uncalled};
use spec::Formula;
use spec::cexpr::CExpression;
use spec::syntax::{FairItem, ProgramBlock};
use std::path::Path;
use std::sync::Arc;

/// One question about one system, and who asks it.
pub struct Question<'l> {
    /// What is asked of which components.
    pub system: SystemQuestion,
    /// The book that asks, if one does.
    pub book: Option<&'l Book>,
    /// Where the statement that asks stands in the book.
    pub span: Option<Span>,
    /// Which infinite runs count.
    pub fairness: SystemFairness,
}

/// What runs in parallel, where each starts, and which book says so.
type System<'l> = (Vec<Arc<str>>, Vec<CExpression>, Option<(BookId, &'l Book)>, SystemFairness);

/// All questions of a run.
pub fn questions<'l>(
    arguments: &CheckArgs,
    loaded: &'l Loaded,
    common: &Common,
) -> Result<Vec<Question<'l>>, Exit> {
    let asks_itself = !arguments.formulas.is_empty() || arguments.deadlock;
    let mut found = Vec::new();
    let mut systems: Vec<System<'l>> = Vec::new();
    for (index, book) in loaded.books.iter().enumerate() {
        let id = BookId::from_index(index);
        for block in &book.specification().programs {
            let components: Vec<Arc<str>> = block.components.iter().map(|name| name.text.clone()).collect();
            let fairness = fairness(arguments, Some((book, block)), &components, common)?;
            let mut guards: Option<Vec<CExpression>> = None;
            let mut agree = true;
            let beside: Vec<SystemProperty> =
                block.statements.iter().map(|one| SystemProperty::from(&one.question)).collect();
            for statement in &block.statements {
                let is_wanted = arguments.only.is_empty()
                    || arguments.only.iter().any(|name| **name == *statement.name.text);
                if !is_wanted {
                    continue;
                }
                agree &= guards.as_ref().is_none_or(|known| *known == statement.guards);
                guards = Some(statement.guards.clone());
                if asks_itself {
                    continue;
                }
                let system = SystemQuestion {
                    name: statement.name.text.to_string(),
                    components: components.clone(),
                    guards: statement.guards.clone(),
                    book: Some(id),
                    asked: SystemProperty::from(&statement.question),
                    beside: beside.clone(),
                };
                let (span, fairness) = (Some(statement.name.span), fairness.clone());
                found.push(Question { system, book: Some(book), span, fairness });
            }
            if guards.is_some() || arguments.only.is_empty() {
                // Statements that start differently say nothing about where a formula's runs start.
                let guards = guards.filter(|_| agree).unwrap_or_default();
                systems.push((components, guards, Some((id, book)), fairness));
            }
        }
    }
    if !asks_itself {
        return if found.is_empty() { Err(nothing_asked(arguments, loaded)) } else { Ok(found) };
    }
    if !arguments.components.is_empty() {
        let components: Vec<Arc<str>> =
            arguments.components.iter().map(|name| Arc::from(name.as_str())).collect();
        let fairness = fairness(arguments, None, &components, common)?;
        systems = vec![(components, Vec::new(), None, fairness)];
    } else if systems.is_empty() {
        let components = roots(loaded)?;
        let fairness = fairness(arguments, None, &components, common)?;
        systems = vec![(components, Vec::new(), None, fairness)];
    }
    for (components, guards, from, fairness) in systems {
        let mut add = |name: String, asked: SystemProperty| {
            let (components, guards) = (components.clone(), guards.clone());
            let book = from.map(|(id, _)| id);
            let system = SystemQuestion { name, components, guards, book, asked, beside: Vec::new() };
            let fairness = fairness.clone();
            found.push(Question { system, book: from.map(|(_, book)| book), span: None, fairness });
        };
        for text in &arguments.formulas {
            let (name, formula) = read_formula(text, common)?;
            add(name, SystemProperty::Satisfies(formula));
        }
        if arguments.deadlock {
            add("deadlock".to_owned(), SystemProperty::DeadlockFree);
        }
    }
    Ok(found)
}

/// Which infinite runs of a system count, as its block and the command line say.
fn fairness(
    arguments: &CheckArgs,
    block: Option<(&Book, &ProgramBlock)>,
    components: &[Arc<str>],
    common: &Common,
) -> Result<SystemFairness, Exit> {
    let mut found = SystemFairness::default();
    let is_component = |name: &str| components.iter().any(|own| **own == *name);
    for (all, texts) in
        [(&mut found.weak, &arguments.weak_fairness), (&mut found.strong, &arguments.strong_fairness)]
    {
        for text in texts {
            let names: Vec<Arc<str>> = text.split(',').map(|name| Arc::from(name.trim())).collect();
            match names.as_slice() {
                [only] if is_component(only) => all.push(FairTo::Component(only.clone())),
                _ => all.push(FairTo::Events(names)),
            }
        }
    }
    let Some((book, block)) = block else { return Ok(found) };
    let model = spec::Model::new(book.specification(), spec::Settings::default());
    for statement in &block.fairness {
        let all = if statement.is_strong { &mut found.strong } else { &mut found.weak };
        for item in &statement.items {
            all.push(match item {
                FairItem::Named(name) if is_component(&name.text) => FairTo::Component(name.text.clone()),
                FairItem::Named(name) => FairTo::Events(vec![name.text.clone()]),
                FairItem::Events(label) => FairTo::Events(model.names_of(label).map_err(|why| {
                    load::tell(&base::render::render(&why, &book.loaded.sources, common.colour()));
                    Exit::BadInput
                })?),
            });
        }
    }
    Ok(found)
}

fn nothing_asked(arguments: &CheckArgs, loaded: &Loaded) -> Exit {
    let [wanted, ..] = arguments.only.as_slice() else {
        return load::complain("nothing is asked: no `cprog` block, no --formula, no --deadlock");
    };
    let blocks = loaded.books.iter().flat_map(|book| &book.specification().programs);
    let known: Vec<&str> = blocks.flat_map(|block| &block.statements).map(|one| &*one.name.text).collect();
    let hint = match nearest(wanted, known.iter().copied()) {
        Some(meant) => format!("; did you mean `{meant}`?"),
        None if known.is_empty() => String::new(),
        None => format!("; there are {}", known.join(", ")),
    };
    load::complain(&format!("no `cprog` block has a statement named {}{hint}", arguments.only.join(", ")))
}

fn read_formula(text: &str, common: &Common) -> Result<(String, Formula), Exit> {
    let path = Path::new(text);
    let is_file = path.extension().is_some_and(|ending| ending == "seltl");
    let (name, shown, text) = if is_file {
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let text = std::fs::read_to_string(path)
            .map_err(|error| load::complain(&format!("{} cannot be read: {error}", path.display())))?;
        (name, path.display().to_string(), text)
    } else {
        (text.to_owned(), "--formula".to_owned(), text.to_owned())
    };
    let formula = Formula::parse(&text, 0).map_err(|trouble| {
        let mut sources = SourceMap::new();
        match sources.add(&shown, text.as_str()) {
            Some(_) => load::tell(&base::render::render(&trouble, &sources, common.colour())),
            None => load::tell(&format!("the formula `{name}`: {}", trouble.message)),
        }
        Exit::BadInput
    })?;
    Ok((name, formula))
}

/// The user's procedures that no other calls.
fn roots(loaded: &Loaded) -> Result<Vec<Arc<str>>, Exit> {
    let roots = uncalled(&loaded.program);
    if roots.is_empty() {
        return Err(load::complain(
            "every procedure is called by another: name the components with --component",
        ));
    }
    Ok(roots)
}
