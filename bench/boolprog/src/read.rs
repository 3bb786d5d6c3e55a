//! Text to a program.

use base::{Diagnostics, SourceMap};
use boolprog::graph::Program;
use boolprog::{graph, syntax};
use std::path::PathBuf;

/// Parses and builds; the messages on failure.
pub fn read(text: &str, error_labels: &[&str]) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    let id = sources.add("input.bp", text).ok_or("the text is too large")?;
    let mut diagnostics = Diagnostics::default();
    let tree = syntax::parse(text, sources.source(id).base(), &mut diagnostics);
    let program =
        if diagnostics.has_errors() { None } else { graph::build(&tree, error_labels, &mut diagnostics) };
    let shown = |d| base::render::render(d, &sources, base::render::Colour::Never);
    program.ok_or_else(|| diagnostics.iter().map(shown).collect::<Vec<_>>().join("\n"))
}

/// The data beside the workspace.
pub fn shared() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}
