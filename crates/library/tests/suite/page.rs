//! The page of supported functions says what the descriptions say.

use std::path::Path;

#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/LIBRARY.md");
    let wanted = library::page();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::write(&path, &wanted).expect("the page can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/LIBRARY.md is out of date: run `UPDATE_PAGES=1 cargo test -p library`");
}
