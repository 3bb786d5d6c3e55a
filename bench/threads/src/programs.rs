//! Reading Boolean programs for measurements.

use base::{Diagnostics, SourceMap};
use boolprog::graph::{self, Program};
use boolprog::syntax;
use std::path::PathBuf;

/// The folder with public data beside the workspace.
pub fn shared() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

/// Parses and builds a program.
pub fn read(text: &str) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    let id = sources.add("program", text).ok_or("the program is too large")?;
    let mut diagnostics = Diagnostics::default();
    let tree = syntax::parse(text, sources.source(id).base(), &mut diagnostics);
    let program = graph::build(&tree, &["SLIC_ERROR"], &mut diagnostics);
    program.filter(|_| !diagnostics.has_errors()).ok_or_else(|| {
        let messages: Vec<&str> = diagnostics.iter().map(|problem| problem.message.as_str()).collect();
        messages.join("; ")
    })
}
