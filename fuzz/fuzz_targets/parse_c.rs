//! Any text through lexer and parser: no panic, no hang, messages inside the text, and they can all be shown.
#![no_main]

use base::render::{Colour, render};
use csource::Session;
use csource::types::DataModel;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut session = Session::new(DataModel::Lp64);
    let Some(source) = session.sources.add("input.i", text) else { return };
    let unit = csource::parser::parse(source, &mut session);
    drop(unit);
    let base = session.sources.source(source).base();
    let end = base + text.len() as u32;
    for diagnostic in session.diagnostics.iter() {
        let span = diagnostic.span;
        assert!(base <= span.start && span.start <= span.end && span.end <= end, "outside the text: {diagnostic:?}");
        render(diagnostic, &session.sources, Colour::Never);
    }
});
