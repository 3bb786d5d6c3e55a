//! Specifications that come with the language: `include "concord/channels.spec"`.

/// The text of a specification of the library.
pub fn library_text(name: &str) -> Option<&'static str> {
    match name {
        "concord/channels.spec" => Some(include_str!("../library/channels.spec")),
        _ => None,
    }
}

/// How places in it are called.
pub fn library_place(name: &str) -> String {
    format!("<{name}>")
}
