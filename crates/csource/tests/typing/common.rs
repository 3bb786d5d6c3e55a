//! What the tests of typing share.

use base::render::{Colour, render};
use csource::Session;
use csource::tree::Unit;
use csource::types::DataModel;

/// Parses and types a text.
pub fn analyse(text: &str, model: DataModel) -> (Session, Unit) {
    let mut session = Session::new(model);
    let source = session.sources.add("test.c", text).expect("less than 4 GiB");
    let unit = csource::parser::parse(source, &mut session);
    let typed = csource::sema::analyse(&unit, &mut session);
    (session, typed)
}

/// The errors, rendered.
pub fn errors(session: &Session) -> Vec<String> {
    let errors = session.diagnostics.iter().filter(|d| d.severity == base::Severity::Error);
    errors.map(|d| render(d, &session.sources, Colour::Never)).collect()
}

/// Can gcc be run?
pub fn gcc_is_present() -> bool {
    std::process::Command::new("gcc").arg("--version").output().is_ok_and(|output| output.status.success())
}
