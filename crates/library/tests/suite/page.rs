//! The page of supported functions (`docs/LIBRARY.md`) says what the index says; it is written from it.

use library::{entries, headers};
use std::fmt::Write as _;
use std::path::Path;

const INTRODUCTION: &str = "\
# Library functions

Every function of the C library, of POSIX and of gcc that Concord knows. Each has one description (`crates/library/headers`), which all engines use:
what must hold when it is called, what it changes, what it may return. A call that breaks what must hold is reported by `verify --checks` at the line of
the program that calls. What a description leaves open (the size of `strcmp`'s result, the order of equal elements after `qsort`) may be anything:
a proof covers all of it, and a violation is replayed with the values it rests on. Functions marked *built in* are not said in C.

This page is written from the descriptions by `UPDATE_PAGES=1 cargo test -p library`; a test fails when it is out of date.
";

/// The page, from the index.
fn page() -> String {
    let mut text = INTRODUCTION.to_owned();
    for (number, header) in headers().iter().enumerate() {
        let own: Vec<_> = entries()
            .iter()
            // Helpers of other descriptions are nobody's to call.
            .filter(|entry| entry.header == number && !entry.name.starts_with("__concord_"))
            .collect();
        let _ = write!(text, "\n## {}\n\n| functions | what they do |\n|---|---|\n", header.name);
        let mut at = 0;
        while at < own.len() {
            let together = own[at..]
                .iter()
                .take_while(|entry| entry.summary == own[at].summary && entry.has_body == own[at].has_body);
            let names: Vec<String> = together.map(|entry| format!("`{}`", entry.name)).collect();
            let mark = if own[at].has_body { "" } else { " *Built in.*" };
            let summary = own[at].summary.replace('|', "\\|");
            let _ = writeln!(text, "| {} | {summary}{mark} |", names.join(", "));
            at += names.len();
        }
    }
    text
}

#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/LIBRARY.md");
    let wanted = page();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &wanted).expect("the page can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/LIBRARY.md is out of date: run `UPDATE_PAGES=1 cargo test -p library`");
}
