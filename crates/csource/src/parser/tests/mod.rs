//! What the parser makes of C text, construct by construct.

mod declarations;
mod dump;
mod expressions;
mod recovery;
mod scoping;
mod statements;

use crate::Session;
use crate::types::DataModel;
use base::Severity;
use dump::Dump;

/// Parses a text; the dumped items and the codes of errors and of warnings.
fn read(text: &str) -> (Vec<String>, Vec<&'static str>, Vec<&'static str>) {
    let mut session = Session::new(DataModel::Lp64);
    let source = session.sources.add("test.i", text).expect("small");
    let unit = super::parse(source, &mut session);
    let dump = Dump(&session.names);
    let items = unit.items.iter().map(|item| dump.item(item)).collect();
    let codes = |severity| {
        session
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == severity)
            .map(|d| d.code)
            .collect()
    };
    (items, codes(Severity::Error), codes(Severity::Warning))
}

/// The items of a text without errors.
fn items(text: &str) -> Vec<String> {
    let (items, errors, _) = read(text);
    assert_eq!(errors, [""; 0], "{text}");
    items
}

/// The last item of a text without errors.
fn item(text: &str) -> String {
    items(text).pop().unwrap_or_default()
}

/// An expression without errors, in a function where `T` is a typedef.
fn expr(text: &str) -> String {
    let whole = item(&format!("typedef int T; void f(void) {{ x = {text}; }}"));
    let start = whole.find("[= x ").map_or(0, |at| at + 5);
    whole[start..].strip_suffix("];}").unwrap_or(&whole).to_owned()
}

/// The body of a function without errors, in which `T` is a typedef.
fn body(text: &str) -> String {
    let whole = item(&format!("typedef int T; void f(void) {{ {text} }}"));
    whole.strip_prefix("Void f () ").unwrap_or(&whole).to_owned()
}
