//! What an answer rests on, piece by piece, and the key under which the answer is remembered.
//!
//! **Obligation.** Two questions have the same key only if nothing that an answer can depend on differs: the pieces are named and hashed
//! each, and the key is the hash of all names and hashes. Whoever adds a way for a question to depend on something adds
//! a piece here.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Changes when what is kept changes its meaning: entries of another format have other keys.
const FORMAT: &str = "concord answers 1";

/// The pieces that an answer rests on, by names for people, each with its hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    pieces: BTreeMap<String, String>,
}

impl Content {
    /// Nothing yet.
    pub fn new() -> Content {
        Content::default()
    }

    /// Adds a piece. A second one of the same name is added to the first.
    pub fn add(&mut self, name: impl Into<String>, bytes: &[u8]) {
        let hash = crate::sha256(bytes);
        let piece = self.pieces.entry(name.into()).or_default();
        *piece = if piece.is_empty() { hash } else { crate::sha256(format!("{piece}{hash}").as_bytes()) };
    }

    /// The key of an answer that rests on this.
    pub fn key(&self) -> String {
        let mut text = format!("{FORMAT}\n");
        for (name, hash) in &self.pieces {
            // The length of the name keeps two lists from reading the same.
            text.push_str(&format!("{} {name} {hash}\n", name.len()));
        }
        crate::sha256(text.as_bytes())
    }

    /// The names of the pieces that are not as they were, in order.
    pub fn changed_since(&self, before: &Content) -> Vec<String> {
        let here = self.pieces.iter().filter(|(name, hash)| before.pieces.get(*name) != Some(hash));
        let gone = before.pieces.keys().filter(|name| !self.pieces.contains_key(*name));
        let mut names: Vec<String> = here.map(|(name, _)| name).chain(gone).cloned().collect();
        names.sort();
        names
    }

    pub(crate) fn to_json(&self) -> Value {
        let pieces = self.pieces.iter().map(|(name, hash)| (name.clone(), Value::from(hash.as_str())));
        Value::Object(pieces.collect::<Map<_, _>>())
    }

    pub(crate) fn read(value: &Value) -> Option<Content> {
        let pieces = value.as_object()?.iter();
        let pieces: Option<_> =
            pieces.map(|(name, hash)| Some((name.clone(), hash.as_str()?.to_owned()))).collect();
        Some(Content { pieces: pieces? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(pieces: &[(&str, &str)]) -> Content {
        let mut content = Content::new();
        pieces.iter().for_each(|(name, text)| content.add(*name, text.as_bytes()));
        content
    }

    #[test]
    fn every_difference_makes_another_key_and_is_named() {
        let one = content(&[("a.c", "int x;"), ("options", "[]")]);
        assert_eq!(one.key(), content(&[("options", "[]"), ("a.c", "int x;")]).key());
        for (pieces, changed) in [
            (&[("a.c", "int y;"), ("options", "[]")][..], &["a.c"][..]),
            (&[("b.c", "int x;"), ("options", "[]")], &["a.c", "b.c"]),
            (&[("a.c", "int x;")], &["options"]),
            (&[("a.c", "int x;"), ("a.c", "int x;"), ("options", "[]")], &["a.c"]),
        ] {
            let two = content(pieces);
            assert_ne!(one.key(), two.key(), "{pieces:?}");
            assert_eq!(two.changed_since(&one), changed);
        }
        assert!(one.changed_since(&one).is_empty());
    }

    #[test]
    fn names_do_not_run_into_hashes() {
        let hash = crate::sha256(b"x");
        let forged = format!("a {hash}\n1 b");
        assert_ne!(content(&[("a", "x"), ("b", "x")]).key(), content(&[(&forged, "x")]).key());
    }

    #[test]
    fn it_is_read_back() {
        let one = content(&[("a.c", "int x;"), ("options", "[]")]);
        assert_eq!(Content::read(&one.to_json()), Some(one));
        assert_eq!(Content::read(&serde_json::json!({ "a": 1 })), None);
    }
}
