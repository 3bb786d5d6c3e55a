//! The book: every command in it is run, in a folder with the files that its page gives, and what it says is compared
//! with the page. `…` on a line of its own stands for any lines, within a line for any text.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command of a page, and what the page says that it says.
#[derive(Debug, PartialEq)]
struct Example<'t> {
    command: &'t str,
    expected: Vec<&'t str>,
}

/// The files of a page, and its commands, in order.
#[derive(Debug, Default, PartialEq)]
struct Page<'t> {
    files: Vec<(&'t str, String)>,
    examples: Vec<Example<'t>>,
}

fn read(text: &str) -> Page<'_> {
    let mut page = Page::default();
    let mut block: Option<&str> = None;
    for line in text.lines() {
        match (block, line.strip_prefix("```")) {
            (Some(_), Some("")) => block = None,
            (None, Some(kind)) => {
                block = Some(kind);
                if let Some((_, name)) = kind.split_once(" file=") {
                    page.files.push((name, String::new()));
                }
            }
            (Some("console"), _) => match (line.strip_prefix("$ "), page.examples.last_mut()) {
                (Some(command), _) => page.examples.push(Example { command, expected: Vec::new() }),
                (None, Some(last)) => last.expected.push(line),
                (None, None) => panic!("a console begins with a command, not with {line:?}"),
            },
            (Some(kind), _) if kind.contains(" file=") => {
                let (_, text) = page.files.last_mut().expect("its block has begun");
                text.push_str(line);
                text.push('\n');
            }
            _ => {}
        }
    }
    page
}

/// Does a line say what the page says, where `…` is any text?
fn is_line(pattern: &str, line: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('…') else { return pattern == line };
    let Some(mut left) = line.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('…').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.len() >= last.len() && left.ends_with(last)
}

/// The same of all lines, where a line `…` is any lines.
fn are_lines(pattern: &[&str], lines: &[&str]) -> bool {
    match pattern.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=lines.len()).any(|skip| are_lines(rest, &lines[skip..]))
        }
        Some((first, rest)) => {
            lines.split_first().is_some_and(|(line, left)| is_line(first, line) && are_lines(rest, left))
        }
    }
}

/// The words of a command, as a shell has them: quotes keep what is inside together.
fn words_of(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in command.chars() {
        match quote {
            Some(open) if character == open => quote = None,
            None if character == '\'' || character == '"' => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            None if character == ' ' => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// Runs the commands of a page; what is different is told.
fn differences(name: &str, text: &str) -> Vec<String> {
    let page = read(text);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the page");
    for (file, text) in &page.files {
        fs::write(folder.join(file), text).expect("it can be written");
    }
    let mut found = Vec::new();
    for Example { command, expected } in &page.examples {
        let words = words_of(command);
        assert_eq!(words[0], "concord", "{name}: only concord is run: {command}");
        let output =
            Command::new(env!("CARGO_BIN_EXE_concord")).args(&words[1..]).current_dir(&folder).output();
        let output = output.expect("concord can be run");
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let lines: Vec<&str> = said.lines().collect();
        if !are_lines(expected, &lines) {
            found.push(format!(
                "{name}: $ {command}\nthe page says:\n{}\nit says:\n{said}",
                expected.join("\n")
            ));
        }
    }
    found
}

fn pages() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book");
    let mut pages: Vec<PathBuf> = { fs::read_dir(folder).expect("the book") }
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    pages.sort();
    pages
}

#[test]
fn commands_say_what_the_book_says() {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("left out: there is no `cc` to preprocess the programs of the book");
        return;
    }
    let (mut found, mut commands) = (Vec::new(), 0);
    for page in pages() {
        let text = fs::read_to_string(&page).expect("a page");
        let name = page.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        commands += read(&text).examples.len();
        found.extend(differences(&name, &text));
    }
    assert!(commands > 12, "only {commands} commands were found: are they still written so?");
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let contents =
        pages().into_iter().find(|page| page.ends_with("README.md")).expect("the table of contents");
    let contents = fs::read_to_string(contents).expect("a page");
    for page in pages() {
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        assert!(name == "README.md" || contents.contains(&format!("({name})")), "{name} is not listed");
    }
}

#[test]
fn pages_are_compared_as_they_are_meant() {
    assert!(is_line("a … c", "a b b c") && is_line("…", "") && is_line("x", "x"));
    assert!(!is_line("a … c", "a b") && !is_line("x", "xy") && !is_line("a…a", "a"));
    assert!(are_lines(&["a", "  …", "d"], &["a", "b", "c", "d"]) && are_lines(&["…"], &[]));
    assert!(!are_lines(&["a", "…", "d"], &["a", "d", "e"]) && !are_lines(&["a"], &[]));
    let page = read("```c file=a.c\nint x;\n```\ntext\n```console\n$ concord verify a.c\nHOLDS\n```\n");
    assert_eq!(words_of("a 'b c' \"d\"e  f"), ["a", "b c", "de", "f"]);
    assert_eq!(page.files, [("a.c", "int x;\n".to_owned())]);
    assert_eq!(page.examples, [Example { command: "concord verify a.c", expected: vec!["HOLDS"] }]);
}
