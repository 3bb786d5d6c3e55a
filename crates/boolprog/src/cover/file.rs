//! Opens a `.tts` or `.spec` file with its question and answers it.

use super::decide::{CounterSystem, Engine, Recheck};
use super::read_tts::ThreadStates;
use super::system::System;
use super::{read_mist, read_tts};
use base::{Budget, Diagnostic, Diagnostics, EventSink, SourceMap, Span};
use question::{Answer, Engine as _, Knowledge};
use std::path::Path;

/// What to ask of a file, and how.
#[derive(Clone, Debug)]
pub struct FileSettings {
    /// For `.tts`: the target as `s|l,l`, or a file that holds it; by default the file beside it that ends in
    /// `.prop`.
    pub target: Option<String>,
    /// For `.tts`: the start as `s|l/l`, or a file that holds it; by default `0/0`: any number of threads in
    /// state 0.
    pub start: Option<String>,
    /// The engine.
    pub engine: Engine,
    /// Time, memory, cancellation.
    pub budget: Budget,
    /// Which proofs are checked again.
    pub recheck: Recheck,
}

/// Is this a file that [`check_file`] reads?
pub fn is_counter_system(path: &Path) -> bool {
    matches!(path.extension().and_then(|extension| extension.to_str()), Some("tts" | "spec"))
}

/// Reads and answers. Problems with the file are in the diagnostics; then there is no answer.
pub fn check_file(
    path: &Path,
    settings: &FileSettings,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
    events: &dyn EventSink,
) -> Option<Answer> {
    let system = read_file(path, settings, sources, diagnostics)?;
    let subject = CounterSystem { system, recheck: settings.recheck };
    let question = subject.question();
    Some(settings.engine.run(&question, &Knowledge::new(), &settings.budget, events))
}

/// Reads a system by the ending of its file's name.
pub fn read_file(
    path: &Path,
    settings: &FileSettings,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<System> {
    let text = read_text(path, diagnostics)?;
    let Some(file) = sources.add(&path.display().to_string(), text) else {
        diagnostics.push(Diagnostic::error("too-large", Span::NOWHERE, "the file is too large"));
        return None;
    };
    if path.extension().is_some_and(|extension| extension == "spec") {
        return read_mist::read(sources, file, diagnostics);
    }
    let start = match &settings.start {
        None => ThreadStates { shared: 0, one_each: Vec::new(), any_number: vec![0] },
        Some(start) => states(start, path, diagnostics)?,
    };
    let target = match &settings.target {
        None => states_in(&path.with_extension("prop"), diagnostics)?,
        Some(target) => states(target, path, diagnostics)?,
    };
    read_tts::read(sources, file, &target, &start, diagnostics)
}

/// `s|l/l` itself, or the file beside `path` that holds it.
fn states(text: &str, path: &Path, diagnostics: &mut Diagnostics) -> Option<ThreadStates> {
    match ThreadStates::parse(text) {
        Ok(states) => Some(states),
        Err(_) if Path::new(text).exists() => states_in(Path::new(text), diagnostics),
        Err(_) => states_in(&path.with_file_name(text), diagnostics),
    }
}

fn states_in(path: &Path, diagnostics: &mut Diagnostics) -> Option<ThreadStates> {
    let text = read_text(path, diagnostics)?;
    let first =
        text.lines().map(|line| line.split('#').next().unwrap_or("").trim()).find(|line| !line.is_empty());
    match ThreadStates::parse(first.unwrap_or("")) {
        Ok(states) => Some(states),
        Err(refused) => {
            let message = format!("{}: {}", path.display(), refused.why);
            let problem = Diagnostic::error("bad-state", Span::NOWHERE, message);
            diagnostics.push(problem.hint("a target is `shared|local,local`, such as `1|2,2`"));
            None
        }
    }
}

fn read_text(path: &Path, diagnostics: &mut Diagnostics) -> Option<String> {
    match std::fs::read(path) {
        // Comments are in any encoding; the formats themselves are ASCII.
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(why) => {
            let message = format!("{} cannot be read: {why}", path.display());
            diagnostics.push(Diagnostic::error("unreadable", Span::NOWHERE, message));
            None
        }
    }
}
