//! Any text through the parser of Boolean programs: no panic, messages inside the text, and printing loses nothing.
#![no_main]

use base::render::{Colour, render};
use base::{Diagnostics, SourceMap};
use boolprog::{graph, simplify, syntax};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let mut sources = SourceMap::new();
    let Some(id) = sources.add("input.bp", text) else { return };
    let base = sources.source(id).base();
    let mut diagnostics = Diagnostics::default();
    let tree = syntax::parse(text, base, &mut diagnostics);
    let built = if diagnostics.has_errors() { None } else { graph::build(&tree, &["SLIC_ERROR"], &mut diagnostics) };
    for diagnostic in diagnostics.iter() {
        let span = diagnostic.span;
        let end = base + text.len() as u32;
        assert!(base <= span.start && span.start <= span.end && span.end <= end, "outside the text: {diagnostic:?}");
        render(diagnostic, &sources, Colour::Never);
    }
    let Some(mut program) = built else { return };
    let mut again = Diagnostics::default();
    let printed = syntax::print(&tree);
    assert!(syntax::parse(&printed, 1, &mut again) == tree, "printing changes it:\n{printed}");
    simplify::normalise_choices(&mut program);
    syntax::print(&graph::to_tree(&simplify::compress(&program).program));
});
