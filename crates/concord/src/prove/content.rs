//! What the answer to a question rests on: C files after preprocessing, specifications with what they include, every other file that an
//! option names, the arguments, and Concord itself.
//!
//! **Obligation.** Whatever a verb reads to answer must be here, or an answer would be remembered for a question that is another one now.
//! Limits and where evidence is written are left out: they change how long an answer takes, not what it is.

use crate::channel::{Format, Output};
use crate::cli::{Cli, Verb};
use crate::load;
use crate::model::input as model_input;
use base::Budget;
use base::render::Colour;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use store::{Content, Question};

/// Options that say how long to work.
const LIMITS: [&str; 2] = ["time-limit", "memory-limit"];

/// What an answer rests on, and the files that this was read from.
pub struct Rests {
    /// The pieces.
    pub content: Content,
    /// Every file that was read, with what tells that it was not touched since.
    stamps: Vec<(PathBuf, Option<Stamp>)>,
}

impl Rests {
    /// Is what was read still as it was, file by file? What is read anew could be back to what it was.
    pub fn is_untouched(&self) -> bool {
        self.stamps.iter().all(|(file, known)| stamp(file) == *known)
    }
}

/// What the file system tells of a version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<std::time::SystemTime>,
    /// Of the change of status, which no program can set.
    #[cfg(unix)]
    changed: (i64, i64, u64),
}

fn stamp(file: &Path) -> Option<Stamp> {
    let known = std::fs::metadata(file).ok()?;
    Some(Stamp {
        length: known.len(),
        modified: known.modified().ok(),
        #[cfg(unix)]
        changed: {
            use std::os::unix::fs::MetadataExt;
            (known.ctime(), known.ctime_nsec(), known.ino())
        },
    })
}

/// What tells the program that answers from every other build of it: another may answer otherwise. Linkers note a hash of all they link (the
/// build id of ELF files, near the start); without one, it is the hash of the whole file.
pub fn own_hash() -> Result<String, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let unreadable = |error: std::io::Error| error.to_string();
    let mut file = std::fs::File::open(&own).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    let mut start = Vec::new();
    file.by_ref().take(NOTES_WITHIN).read_to_end(&mut start).map_err(unreadable)?;
    if let Some(id) = build_id(&start) {
        return Ok(format!("{length} {id}"));
    }
    file.read_to_end(&mut start).map_err(unreadable)?;
    Ok(evidence::sha256(&start))
}

/// Notes stand behind the headers of the file, which are small.
const NOTES_WITHIN: u64 = 1 << 14;
/// The head of the note: the length of its name, of a SHA-1, the kind, and the name.
const BUILD_ID: [u8; 16] = *b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0";

fn build_id(start: &[u8]) -> Option<String> {
    let at = start.windows(BUILD_ID.len()).position(|window| *window == BUILD_ID)? + BUILD_ID.len();
    let id = start
        .get(at..at + 20)
        .filter(|id| start.starts_with(b"\x7fELF") && id.iter().any(|&byte| byte != 0))?;
    Some(id.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What the answer to a question rests on. What cannot be read is for the verb to complain about.
pub fn rests_on(question: &Question, cli: &Cli, own: &str) -> Result<Rests, String> {
    let mut reading = Reading { content: Content::new(), files: BTreeSet::new() };
    reading.content.add("concord", own.as_bytes());
    let options: Vec<&Vec<String>> = { question.options.iter() }
        .filter(|(name, _)| !LIMITS.contains(&name.as_str()))
        .map(|(_, words)| words)
        .collect();
    let written: Vec<&Path> = crate::files_to_write(&cli.verb);
    let asked = serde_json::json!([question.verb, question.files, options]).to_string();
    reading.content.add("the question", asked.as_bytes());
    match &cli.verb {
        Verb::Verify(arguments) => {
            if crate::verify::names_many(arguments) {
                return Err("a question of a project is about one program".to_owned());
            }
            let mut common = cli.common.clone();
            let files = crate::verify::files_of(arguments, &mut common, &mut |file| reading.file(file))?;
            reading.programs(&files, &common)?;
            // Annotations stand in comments.
            if arguments.formula.annotation {
                files.iter().for_each(|file| reading.file(file));
            }
        }
        Verb::Analyze(arguments) => reading.programs(&arguments.files, &cli.common)?,
        Verb::Check(arguments) => {
            let files = crate::check::files_of(arguments);
            reading.programs(&files.sources, &cli.common)?;
            for specifications in files.bound.iter().map(|(_, files)| files).chain([&files.unbound]) {
                reading.specifications(specifications)?;
            }
        }
        Verb::Model(arguments) => reading.specifications(&arguments.files)?,
        Verb::Bool(arguments) => {
            // The target of a thread transition system stands beside it.
            reading.file(&arguments.file.with_extension("prop"));
        }
        _ => return Err("this verb answers no question".to_owned()),
    }
    // What stands in an option may be a file, or the text itself: the words are in any case part of the question.
    let values = question.options.iter().flat_map(|(name, words)| {
        words.iter().flat_map(move |word| {
            let behind = word.split_once('=').map(|(_, value)| value);
            let short = word.strip_prefix('-').and_then(|rest| rest.strip_prefix(name.as_str()));
            [Some(word.as_str()), behind, short].into_iter().flatten()
        })
    });
    let files = question.files.iter().flat_map(|file| [file.as_str()].into_iter().chain(file.split('+')));
    for value in values.chain(files) {
        let path = Path::new(value);
        if path.is_file() && !written.contains(&path) {
            reading.file(path);
        }
    }
    let stamps =
        reading.files.into_iter().map(|file| (stamp(&file), file)).map(|(stamp, file)| (file, stamp));
    Ok(Rests { content: reading.content, stamps: stamps.collect() })
}

struct Reading {
    content: Content,
    files: BTreeSet<PathBuf>,
}

impl Reading {
    /// A file as it is. That it is not there is something to rest on, too.
    fn file(&mut self, file: &Path) {
        let text = std::fs::read(file).ok();
        self.content.add(file.display().to_string(), text.as_deref().unwrap_or(b"\0nothing"));
        self.files.insert(file.to_owned());
    }

    /// C files with all that they include.
    fn programs(&mut self, files: &[PathBuf], common: &crate::cli::Common) -> Result<(), String> {
        let texts = load::texts(files, common, &Budget::unlimited())?;
        self.content.add("data model", texts.data_model.as_bytes());
        for (name, text) in texts.files {
            self.content.add(name.clone(), text.as_bytes());
            self.files.insert(PathBuf::from(&name));
            self.files.extend(included(&text).map(PathBuf::from));
        }
        Ok(())
    }

    /// Specifications with all that they include and import.
    fn specifications(&mut self, files: &[PathBuf]) -> Result<(), String> {
        if files.is_empty() {
            return Ok(());
        }
        let mut output = Output {
            format: Format::Human,
            colour: Colour::Never,
            is_quiet: true,
            is_verbose: false,
            listener: &(),
            events: &base::Silent,
            status: None,
            results: &mut std::io::sink(),
            messages: &mut std::io::sink(),
        };
        let loaded = model_input::load(files, &mut output).map_err(|_| "its files have errors".to_owned())?;
        let mut position = crate::channel::ONLY_TEXT;
        while let Some(source) = loaded.sources.source_at(position) {
            self.content.add(source.name().to_string(), source.text().as_bytes());
            self.files.insert(PathBuf::from(&**source.name()));
            position = source.base() + u32::try_from(source.text().len()).unwrap_or(0) + 1;
        }
        Ok(())
    }
}

/// The files that line markers of a preprocessed text name.
fn included(text: &str) -> impl Iterator<Item = &str> {
    let named = |line: &'_ str| -> Option<(usize, usize)> {
        let from = line.find('"')? + 1;
        Some((from, from + line[from..].find('"')?))
    };
    let markers = text.lines().filter(|line| line.starts_with("# "));
    markers
        .filter_map(move |line| named(line).map(|(from, to)| &line[from..to]))
        .filter(|name| !name.starts_with('<'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_told_by_what_the_linker_noted() {
        let noted = |hash: [u8; 20]| [&b"\x7fELF headers"[..], &BUILD_ID, &hash, b"code"].concat();
        let (one, two) = (build_id(&noted([1; 20])), build_id(&noted([2; 20])));
        assert!(one.is_some() && two.is_some() && one != two);
        assert_eq!(build_id(&noted([0; 20])), None);
        assert_eq!(build_id(b"\x7fELF without"), None);
        assert_eq!(own_hash(), own_hash());
    }

    #[test]
    fn included_files_are_those_of_the_markers() {
        let text = "# 0 \"a.c\"\n# 0 \"<built-in>\"\n# 1 \"/usr/include/stdio.h\" 1 3 4\nint x; // # 1 \"no.h\"\n#pragma once\n";
        assert_eq!(included(text).collect::<Vec<_>>(), ["a.c", "/usr/include/stdio.h"]);
    }
}
