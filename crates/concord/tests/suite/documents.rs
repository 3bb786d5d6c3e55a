//! The documents point to what is there: links between files, the list of decisions, the list of departures
//! from the sources.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files below a folder whose names end so, in order; build results apart.
fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).expect("a folder that can be read") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                open.push(path);
            } else if name.ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The targets of links in a text in Markdown, code blocks left out.
fn links(text: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        }
        if in_block || line.starts_with("    ") {
            continue;
        }
        for rest in line.split("](").skip(1) {
            targets.extend(rest.split_once(')').map(|(target, _)| target));
        }
    }
    targets
}

/// What a heading is called in links, as GitHub does it.
fn anchor_of(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|one| one.is_alphanumeric() || matches!(one, ' ' | '-' | '_'));
    kept.map(|one| if one == ' ' { '-' } else { one }).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut broken = Vec::new();
    let mut seen = 0;
    for file in files_below(&root(), ".md") {
        let text = fs::read_to_string(&file).expect("a document");
        let folder = file.parent().expect("a file in a folder");
        for target in links(&text) {
            let path = target.split('#').next().unwrap_or_default();
            if path.is_empty() || path.contains("://") || path.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let there = folder.join(path);
            let anchor = target.split_once('#').map(|(_, anchor)| anchor).filter(|_| path.ends_with(".md"));
            let has = |anchor: &str| {
                let text = fs::read_to_string(&there).unwrap_or_default();
                text.lines().filter(|line| line.starts_with('#')).any(|line| anchor_of(line) == anchor)
            };
            if !there.exists() || anchor.is_some_and(|anchor| !has(anchor)) {
                broken.push(format!("{}: {target}", file.display()));
            }
        }
    }
    assert!(seen > 50, "only {seen} links were found: are they still written so?");
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn every_decision_is_listed() {
    let folder = root().join("docs/decisions");
    let list = fs::read_to_string(folder.join("README.md")).expect("the list of decisions");
    for page in files_below(&folder, ".md") {
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        assert!(
            name == "README.md" || list.contains(&format!("({name})")),
            "docs/decisions/README.md does not list {name}"
        );
    }
}

/// `docs/SOURCES.md` has a line for every file whose header says `DIVERGENCE`, and for no other.
#[test]
fn departures_from_sources_are_listed() {
    let sources = fs::read_to_string(root().join("docs/SOURCES.md")).expect("the page of sources");
    let listed: Vec<&str> = sources
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(file, _)| file)
        .filter(|file| file.ends_with(".rs"))
        .collect();
    let crates = root().join("crates");
    let mut departing = Vec::new();
    for file in files_below(&crates, ".rs") {
        let text = fs::read_to_string(&file).expect("a source file");
        if text.lines().any(|line| line.starts_with("//!") && line.contains("DIVERGENCE")) {
            let path =
                file.strip_prefix(&crates).expect("a file below crates").to_string_lossy().into_owned();
            departing.push(path);
        }
    }
    for file in &departing {
        assert!(listed.contains(&file.as_str()), "docs/SOURCES.md does not list the departure in {file}");
    }
    for file in listed {
        assert!(
            departing.iter().any(|one| one == file),
            "docs/SOURCES.md lists {file}, which departs from nothing"
        );
    }
}

/// The papers that a text cites as "Author, Author 1999" or "Author (1999)": authors and year.
fn cited(text: &str) -> Vec<(Vec<String>, String)> {
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let is_year = |word: &str| word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |word: &str| {
        let word = plain(word);
        word.chars().next().is_some_and(char::is_uppercase) && word.chars().skip(1).any(char::is_lowercase)
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let year = plain(word);
        if !is_year(&year) || !is_number(&year) {
            continue;
        }
        let before = words[..at].iter().rev().take_while(|word| is_name(word) || **word == "and");
        let authors: Vec<String> = before.filter(|word| is_name(word)).map(|word| plain(word)).collect();
        if !authors.is_empty() {
            found.push((authors, year));
        }
    }
    found
}

/// A paper that a comment of shipped code names by author and year has its full reference in `docs/SOURCES.md`.
#[test]
fn papers_in_comments_have_references() {
    let sources = fs::read_to_string(root().join("docs/SOURCES.md")).expect("the page of sources");
    let is_listed = |authors: &[String], year: &str| {
        sources.lines().any(|line| line.contains(year) && authors.iter().any(|author| line.contains(author)))
    };
    let mut count = 0;
    let files = files_below(&root().join("crates"), ".rs");
    for file in files.iter().filter(|file| file.components().any(|part| part.as_os_str() == "src")) {
        let text = fs::read_to_string(file).expect("a source file");
        let comments: Vec<&str> = text
            .lines()
            .map(str::trim_start)
            .filter(|line| line.starts_with("//"))
            .map(|line| line.trim_start_matches(['/', '!']))
            .collect();
        for (authors, year) in cited(&comments.join(" ")) {
            count += 1;
            let authors_told = authors.join(", ");
            assert!(
                is_listed(&authors, &year),
                "docs/SOURCES.md has no reference for {authors_told} {year} ({})",
                file.display()
            );
        }
    }
    assert!(count > 100, "only {count} papers were found");
    let line = "After Froleyks, Biere 2021; Godefroid (1997) and POSIX 2008";
    let found: Vec<usize> = cited(line).iter().map(|(authors, _)| authors.len()).collect();
    assert_eq!(found, [3, 1]);
}

/// What stands in backquotes in a text, such as `prove::pdr`.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Does some file of the crate define the name, or is it a file or folder of the crate?
fn defines(folder: &Path, name: &str) -> bool {
    let kinds = ["fn", "struct", "enum", "trait", "mod", "type", "const", "static", "use"];
    files_below(folder, ".rs").iter().any(|file| {
        let is_its_file = file.file_stem().is_some_and(|stem| stem == name);
        let is_its_folder = file.parent().and_then(Path::file_name).is_some_and(|parent| parent == name);
        let text = fs::read_to_string(file).unwrap_or_default();
        let is_named = |line: &str| {
            let mut words =
                line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
            words.any(|word| kinds.contains(&word)) && words.any(|word| word == name)
        };
        // A variant of an enumeration begins its line.
        let is_variant = |line: &str| line.trim_start().starts_with(name);
        is_its_file || is_its_folder || text.lines().any(|line| is_named(line) || is_variant(line))
    })
}

/// The map names functions and types by their crates: they are there.
#[test]
fn the_map_names_what_is_there() {
    for page in ["docs/ARCHITECTURE.md", "docs/DESIGN.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(root().join(page)).expect("a document");
        for name in quoted(&text) {
            let mut parts = name.split("::");
            let source = root().join("crates").join(parts.next().unwrap_or_default()).join("src");
            let rest: Vec<&str> = parts.collect();
            let is_path =
                !rest.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
            if is_path
                && source.is_dir()
                && let Some(missing) = rest.iter().find(|part| !defines(&source, part))
            {
                panic!("{page} names `{name}`, and there is no `{missing}` in its crate");
            }
        }
    }
}
