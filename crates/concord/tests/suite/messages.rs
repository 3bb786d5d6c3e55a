//! What the program says is English as people write it. The texts are taken from the sources: every literal with
//! several words, outside of tests. None has a phrase that makes readers decode (`PHRASES`); those of the crates whose
//! words stand in first lines (`REVIEWED`) are in a list, `messages.txt`, and were read once. A new one has to be read
//! too: `UPDATE_MESSAGES=1 cargo nextest run -p concord messages` adds it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Phrases that are no good English here, and what to write.
const PHRASES: [(&str, &str); 9] = [
    ("is told", "say who reports it, or `is reported`, `is shown`"),
    ("are told", "`are reported`, `are shown`"),
    ("was told", "`was reported`"),
    ("not told", "`is not known`, `is not shown`"),
    ("the way there", "`the run that leads there`"),
    ("ways on", "`what is possible`"),
    ("for you to know", "`you have to know that`"),
    ("is not supported is", "one verb is enough"),
    ("1 files", "`1 file`: count with words"),
];

/// Folders whose texts are in the list.
const REVIEWED: [&str; 5] = [
    "crates/verdict/src",
    "crates/question/src",
    "crates/report/src",
    "crates/concord/src/explore",
    "crates/concord/src/report",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The string literals of a text in Rust, up to its tests; escapes are kept as they are written.
fn literals(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let mut found = Vec::new();
    let mut rest = text;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if let Some(raw) = rest.strip_prefix("r\"").filter(|_| !before.is_alphanumeric()) {
            let end = raw.find('"').unwrap_or(raw.len());
            found.push(raw[..end].to_owned());
            rest = raw.get(end + 1..).unwrap_or_default();
        } else if let Some(raw) = rest.strip_prefix("r#\"").filter(|_| !before.is_alphanumeric()) {
            let end = raw.find("\"#").unwrap_or(raw.len());
            found.push(raw[..end].to_owned());
            rest = raw.get(end + 2..).unwrap_or_default();
        } else if let Some(inside) = rest.strip_prefix('"') {
            let mut literal = String::new();
            let mut characters = inside.char_indices();
            let mut end = inside.len();
            while let Some((at, character)) = characters.next() {
                match character {
                    '"' => {
                        end = at;
                        break;
                    }
                    '\\' => match characters.next() {
                        // A literal that goes on in the next line.
                        Some((_, '\n')) => {
                            let mut ahead = characters.clone();
                            while ahead.next().is_some_and(|(_, next)| next.is_whitespace()) {
                                characters.next();
                            }
                        }
                        Some((_, escaped)) => literal.extend(['\\', escaped]),
                        None => {}
                    },
                    _ => literal.push(character),
                }
            }
            found.push(literal);
            rest = inside.get(end + 1..).unwrap_or_default();
        } else if let Some(inside) = rest.strip_prefix('\'') {
            // A character; otherwise a lifetime, of which only the quote is passed.
            let width = match inside.strip_prefix('\\') {
                Some(escaped) => escaped.find('\'').map(|at| at + 2),
                None => inside
                    .chars()
                    .next()
                    .filter(|one| inside[one.len_utf8()..].starts_with('\''))
                    .map(|one| one.len_utf8() + 1),
            };
            rest = &inside[width.unwrap_or(0)..];
        } else {
            before = first;
            rest = &rest[first.len_utf8()..];
            continue;
        }
        before = '"';
    }
    found
}

/// Has it several words, besides what is put in?
fn is_message(text: &str) -> bool {
    let mut plain = String::new();
    let mut depth = 0_u32;
    for character in text.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if depth == 0 => plain.push(character),
            _ => {}
        }
    }
    let is_word = |word: &&str| word.len() > 1 && word.chars().all(|one| one.is_alphabetic() || one == '\'');
    let words = plain.split(|one: char| !one.is_alphabetic() && one != '\'').filter(is_word).count();
    words >= 3 && text.contains(' ')
}

#[test]
fn messages_make_nobody_decode() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for entry in fs::read_dir(root().join("crates")).expect("the crates") {
        let folder = entry.expect("an entry").path().join("src");
        if !folder.is_dir() {
            continue;
        }
        for file in sources(&folder) {
            let text = fs::read_to_string(&file).expect("a source");
            for message in literals(&text).into_iter().filter(|text| is_message(text)) {
                seen += 1;
                let found = PHRASES.iter().find(|(phrase, _)| {
                    message.match_indices(phrase).any(|(at, _)| !message[at..].contains("told apart"))
                });
                if let Some((phrase, instead)) = found {
                    wrong.push(format!("{}: {message:?} says {phrase:?}; {instead}", file.display()));
                }
            }
        }
    }
    assert!(seen > 2000, "only {seen} texts were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn messages_of_first_lines_were_read() {
    let mut all: BTreeSet<String> = BTreeSet::new();
    for folder in REVIEWED {
        for file in sources(&root().join(folder)) {
            let text = fs::read_to_string(&file).expect("a source");
            all.extend(
                literals(&text)
                    .into_iter()
                    .filter(|text| is_message(text))
                    .map(|text| text.replace('\n', "\\n")),
            );
        }
    }
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/messages.txt");
    if std::env::var_os("UPDATE_MESSAGES").is_some() {
        let text: String = all.iter().map(|message| format!("{message}\n")).collect();
        fs::write(&list, text).expect("the list can be written");
    }
    let known = fs::read_to_string(&list).expect("the list of messages");
    let known: BTreeSet<&str> = known.lines().collect();
    let new: Vec<&String> = all.iter().filter(|message| !known.contains(message.as_str())).collect();
    let gone: Vec<&&str> = known.iter().filter(|message| !all.contains(**message)).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "read these as a user would, then UPDATE_MESSAGES=1:\nnew: {new:#?}\ngone: {gone:#?}"
    );
}

#[test]
fn literals_are_found() {
    let text = "let a = \"one \\\" two\"; // \"no\"\nlet b = '\"'; let c: &'a str = \"x \\\n   y\"; r\"raw\"; let r = br\"z\";\n#[cfg(test)]\nmod tests { \"not this\" }";
    assert_eq!(literals(text), ["one \\\" two", "x y", "raw", "z"]);
    assert!(
        is_message("the {what} is not there") && !is_message("{a} {b}") && !is_message("snake_case_name")
    );
}
