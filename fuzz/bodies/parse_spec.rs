//! Any text through the specification language: parsed, linted, and given its meaning within small limits. No panic, no
//! hang, messages inside the text, and they can all be shown.

use base::render::{Colour, render};
use base::{Budget, Diagnostics, SourceMap};
use spec::{Model, Settings};
use std::time::Duration;

/// Panics where it should not be so.
pub fn body(text: &str) {
    let mut sources = SourceMap::new();
    let Some(id) = sources.add("input.lts", text) else { return };
    let mut diagnostics = Diagnostics::default();
    let specification = spec::parse(&sources, &[id], &mut diagnostics);
    spec::lint(&specification, &mut diagnostics);
    let budget = Budget::unlimited().with_time(Duration::from_millis(500));
    let mut model = Model::new(&specification, Settings { most_states: 2_000, budget, minimise: None });
    for name in model.names() {
        if let Ok(system) = model.system(&name) {
            for assert in &specification.asserts {
                let _ = model.assertion(&assert.name.text, &system);
            }
        }
    }
    let _ = model.progress_tests();
    let base = sources.source(id).base();
    let end = base + text.len() as u32;
    for diagnostic in diagnostics.iter().chain(model.diagnostics().iter()) {
        let span = diagnostic.span;
        let is_inside = base <= span.start && span.start <= span.end && span.end <= end;
        assert!(span.is_nowhere() || is_inside, "outside the text: {diagnostic:?}");
        render(diagnostic, &sources, Colour::Never);
    }
}
