//! Which files a page shows: those that were named, and those that they include from beside them. A text can name any
//! file in a line marker (`# 1 "/etc/passwd"`), and what a page holds is passed on; so a file is shown only if it was
//! named or lies below the folder of one that was, or below a folder given with `-I`.

use crate::cli::Common;
use csource::preprocess::Flag;
use program::{Origin, Program};
use report::page::{Language, Sources};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Larger texts are left out, and that is said.
const MOST_BYTES: u64 = 2 << 20;
/// More files than this are not shown.
const MOST_FILES: usize = 60;

/// The texts of a C program: the files that were named first, then what has code of the user's.
pub fn of_program(
    program: &Program,
    files: &[PathBuf],
    common: &Common,
    left_out: &mut Vec<String>,
) -> Sources {
    let mut sources = Sources::default();
    let mut names: Vec<String> = files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    let mut found = BTreeSet::new();
    for procedure in program.procedures.iter().filter(|one| one.origin == Origin::User) {
        let spans = procedure.body.iter().flat_map(|body| body.edges.iter().map(|edge| edge.span));
        for span in spans.chain([procedure.span]) {
            if let Some(at) = program.sources.location(span).filter(|at| !at.in_system_header) {
                found.insert(at.file.to_string());
            }
        }
    }
    names.extend(found);
    let mut folders: Vec<PathBuf> = files.iter().filter_map(|file| folder_of(file)).collect();
    folders.extend(common.flags.iter().filter_map(|flag| match flag {
        Flag::IncludeDirectory(folder) => folder.canonicalize().ok(),
        _ => None,
    }));
    for name in names {
        if !sources.has(&name) {
            let language = language_of(Path::new(&name));
            add(&mut sources, &name, language, files, &folders, left_out);
        }
    }
    sources
}

/// Files that were named, in their languages.
pub fn named<'f>(files: impl IntoIterator<Item = &'f Path>, left_out: &mut Vec<String>) -> Sources {
    let mut sources = Sources::default();
    for file in files {
        add_named(&mut sources, file, left_out);
    }
    sources
}

/// Adds a file that was named.
pub fn add_named(sources: &mut Sources, file: &Path, left_out: &mut Vec<String>) {
    let name = file.to_string_lossy().into_owned();
    add(sources, &name, language_of(file), &[file.to_owned()], &[], left_out);
}

fn folder_of(file: &Path) -> Option<PathBuf> {
    file.canonicalize().ok()?.parent().map(Path::to_owned)
}

fn language_of(file: &Path) -> Language {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("lts" | "spec" | "aut" | "seltl" | "ctl") => Language::Model,
        Some("bp" | "tts" | "pds") => Language::Boolean,
        _ => Language::C,
    }
}

fn add(
    sources: &mut Sources,
    name: &str,
    language: Language,
    files: &[PathBuf],
    folders: &[PathBuf],
    left_out: &mut Vec<String>,
) {
    let path = Path::new(name);
    let Ok(real) = path.canonicalize() else { return };
    let is_named = files.iter().any(|file| file.canonicalize().is_ok_and(|file| file == real));
    if !is_named && !folders.iter().any(|folder| real.starts_with(folder)) {
        return;
    }
    let size = std::fs::metadata(&real).map_or(0, |about| about.len());
    if size > MOST_BYTES || sources.count() >= MOST_FILES {
        left_out
            .push(format!("{name} is not shown: it is too large for a page, or there are too many files."));
        return;
    }
    // A pipe or a folder is no text to show.
    if let Ok(bytes) = std::fs::read(&real) {
        sources.add(name, &String::from_utf8_lossy(&bytes), language);
    }
}
