//! No decision rests on the words of a message: what engines, the gate and the formats tell each other is a kind
//! (`verdict::Reason`, `verdict::Gap`, `question::Broken`), and sentences are for people. Here all shipped code is
//! looked through for comparisons with sentences.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files that compare texts which are not ours, and whose those are.
const FOREIGN: [(&str, &str); 3] = [
    ("csource/src/preprocess/messages.rs", "the preprocessor's"),
    ("concord/src/audit/execute.rs", "the compiler's"),
    ("lks/src/propositions.rs", "machine words, not sentences"),
];

/// What is written before a text that something is compared with.
const COMPARES: [&str; 9] = [
    "== ",
    "!= ",
    "contains(",
    "starts_with(",
    "ends_with(",
    "strip_prefix(",
    "strip_suffix(",
    "find(",
    "split_once(",
];

/// Fields and calls that give sentences.
const SENTENCES: [&str; 6] = [".message", ".what", ".why", ".detail", ".words()", ".to_string()"];

/// Two words beside each other: what people read, not a name or a symbol.
fn is_sentence(text: &str) -> bool {
    let is_word = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let words: Vec<&str> = text.split(' ').collect();
    words.windows(2).any(|pair| is_word(pair[0]) && is_word(pair[1]))
}

/// The name of a constant that is a sentence, if the line declares one.
fn named_sentence(line: &str) -> Option<&str> {
    let (name, value) = line.split_once("const ")?.1.split_once(": &str =")?;
    is_sentence(value.split('"').nth(1)?).then_some(name)
}

/// Does the line compare something with one of these constants?
fn compares_with(line: &str, constants: &[String]) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (line.contains("==") || line.contains("!="))
        && constants.iter().any(|name| {
            line.match_indices(name.as_str()).any(|(at, _)| {
                let around = [at.checked_sub(1), Some(at + name.len())];
                let bytes = line.as_bytes();
                !{ around }.into_iter().flatten().any(|at| bytes.get(at).is_some_and(|&byte| is_part(byte)))
            })
        })
}

/// Does the line compare something with a sentence?
fn decides_on_words(line: &str) -> bool {
    let parts: Vec<&str> = line.split('"').collect();
    let with_literal = parts.windows(3).step_by(2).any(|part| {
        let compared = COMPARES.iter().any(|before| part[0].ends_with(before));
        is_sentence(part[1]) && (compared || part[2].starts_with(" =>") || part[2].starts_with(" =="))
    });
    let with_field = SENTENCES.iter().any(|field| {
        [" == ", " != "].iter().any(|operator| {
            let at = line.find(&format!("{field}{operator}"));
            // Compared with a variant it is a value.
            let is_value = |other: &str| {
                other.contains("::") && !other.contains(".words()") && !other.contains(".to_string()")
            };
            at.is_some_and(|at| !is_value(&line[at + field.len() + operator.len()..]))
        })
    });
    with_literal || with_field
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        match entry.is_dir() {
            true => sources(&entry, found),
            false if entry.extension().is_some_and(|end| end == "rs") => found.push(entry),
            false => {}
        }
    }
}

fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[test]
fn nothing_is_decided_by_the_words_of_a_message() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of crates");
    let mut files = Vec::new();
    for entry in fs::read_dir(crates).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.join("src").is_dir() && !entry.ends_with("testkit") {
            sources(&entry.join("src"), &mut files);
        }
    }
    assert!(files.len() > 500, "only {} files were found", files.len());
    let name_of =
        |file: &PathBuf| file.strip_prefix(crates).expect("below it").to_string_lossy().into_owned();
    files.retain(|file| !name_of(file).ends_with("tests.rs") && !name_of(file).contains("/tests/"));
    let texts: Vec<(String, String)> =
        files.iter().map(|file| (name_of(file), fs::read_to_string(file).expect("a source file"))).collect();
    // A declaration may break after the sign: its text is put behind it.
    let crate_of = |name: &str| name.split('/').next().unwrap_or_default().to_owned();
    let constants_of = |name: &str| -> Vec<String> {
        let own = texts.iter().filter(|(other, _)| crate_of(other) == crate_of(name));
        own.flat_map(|(_, text)| {
            let joined = text.replace(": &str =\n    ", ": &str =");
            joined.lines().filter_map(named_sentence).map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
    };
    let mut constants: HashMap<String, Vec<String>> = HashMap::new();
    for (name, _) in &texts {
        constants.entry(crate_of(name)).or_insert_with(|| constants_of(name));
    }
    let (mut found, mut needed) = (Vec::new(), Vec::new());
    for (name, text) in &texts {
        let decides = |line: &str| decides_on_words(line) || compares_with(line, &constants[&crate_of(name)]);
        for (at, line) in code(text).filter(|(_, line)| decides(line)) {
            match FOREIGN.iter().find(|(allowed, _)| allowed == name) {
                Some((allowed, _)) => needed.push(*allowed),
                None => found.push(format!("{name}:{}: {}", at + 1, line.trim())),
            }
        }
    }
    assert!(found.is_empty(), "something may be decided by the words of a message:\n{}", found.join("\n"));
    for (allowed, whose) in FOREIGN {
        assert!(needed.contains(&allowed), "{allowed} compares no text ({whose}); take it off the list");
    }
}

#[test]
fn comparisons_with_sentences_are_seen() {
    for line in [
        "if why != \"no call creates threads\" {",
        "if open.to_string().contains(\"time limit\") {",
        "reports.find(|report| report.message == violation.what)",
        "    \"the limit was reached\" => Kind::Limit,",
        "if objection.what == FailureKind::Uninitialised.words() {",
    ] {
        assert!(decides_on_words(line), "{line}");
    }
    let constant =
        named_sentence("pub const GAP: &str = \"blocks may get it\";").expect("a sentence").to_owned();
    assert!(compares_with("gap.as_deref() == Some(GAP)", &[constant.clone()]));
    assert!(!compares_with("gap.as_deref() == Some(GAPS)", &[constant]));
    for line in [
        "if name == \"main\" {",
        "if open.reason == Reason::TimeLimit {",
        "let why = \"the limit was reached\".to_owned();",
        "touched.what == SharedResource::Thread(thread)",
        "line.strip_prefix(\"- \")",
    ] {
        assert!(!decides_on_words(line), "{line}");
    }
}
