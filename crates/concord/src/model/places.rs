//! Where in the files a question comes from: its own declaration, or else that of the system it is about.

use super::input::Loaded;
use super::plan::{ModelProperty, Plan, Question};
use base::source::Location;
use spec::syntax::Name;

/// One place per question, where there is one.
pub fn of(plan: &Plan, loaded: &Loaded) -> Vec<Option<Location>> {
    plan.questions.iter().map(|question| of_question(question, loaded)).collect()
}

fn of_question(question: &Question, loaded: &Loaded) -> Option<Location> {
    let specification = &loaded.specification;
    let named = |name: &&Name, wanted: &str| &*name.text == wanted;
    let declared = match &question.asked {
        ModelProperty::Assert(wanted) => {
            specification.asserts.iter().map(|assert| &assert.name).find(|name| named(name, wanted))
        }
        ModelProperty::Progress(test) => {
            // The tests of one indexed declaration are called `NAME.1`, `NAME.2`, …
            let wanted = test.name.split('.').next().unwrap_or_default();
            specification.progress.iter().map(|progress| &progress.name).find(|name| named(name, wanted))
        }
        ModelProperty::Formula(formula) => {
            let mut known = specification.formulas.iter();
            known.find(|(_, declared)| declared == formula).map(|(name, _)| name)
        }
        _ => None,
    };
    let system = question.system.split('(').next().unwrap_or_default().trim();
    let composites = specification.composites.iter().map(|composite| &composite.name);
    let processes = specification.processes.iter().map(|process| &process.name);
    let structures = specification.structures.iter().map(|(name, _)| name);
    let name = declared
        .or_else(|| composites.chain(processes).chain(structures).find(|name| named(name, system)))?;
    loaded.sources.location(name.span)
}
