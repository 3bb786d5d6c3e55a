//! Files to texts that can be lexed: `cc -E` for `.c` and `.h`, as they are for `.i`; compile_commands.json.
//!
//! The system's own preprocessor is used, so that system headers are read as the user's compiler reads them.

mod annotations;
mod child;
mod commands;
mod compiler;
mod decode;
mod expand;
mod messages;
mod shell;

pub use commands::{CommandsError, CompileCommand, compile_commands};

use crate::Session;
use annotations::Read;
use base::SourceId;
use std::path::{Path, PathBuf};

/// One argument for the preprocessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flag {
    /// `-I directory`
    IncludeDirectory(PathBuf),
    /// `-isystem directory`
    SystemDirectory(PathBuf),
    /// `-include file`
    IncludeFile(PathBuf),
    /// `-D name=value`
    Define(String),
    /// `-U name`
    Undefine(String),
    /// `-std=standard`
    Standard(String),
}

/// How to preprocess. The data model is the session's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The preprocessor's arguments in order.
    pub flags: Vec<Flag>,
    /// Where relative paths start; the current directory if not given.
    pub directory: Option<PathBuf>,
    /// The compiler with its own arguments, such as `gcc-12 -m64`; `$CC` or `cc` if not given.
    pub compiler: Option<String>,
}

/// Why a file could not be read. Messages about the C text itself are in the session's diagnostics.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file is not there.
    #[error("{}: there is no such file", .0.display())]
    NotFound(PathBuf),
    /// The path names a directory.
    #[error("{}: this is a directory, not a C file", .0.display())]
    IsDirectory(PathBuf),
    /// Neither `.c` nor `.h` nor `.i`.
    #[error("{}: C files end in `.c`, `.h` or, when they are preprocessed, `.i`", .0.display())]
    UnknownEnding(PathBuf),
    /// The operating system refused.
    #[error("{}: cannot be read: {error}", .path.display())]
    Unreadable {
        /// The file that cannot be read.
        path: PathBuf,
        /// What the system says about it.
        error: std::io::Error,
    },
    /// No C compiler is installed, or `$CC` is wrong.
    #[error("the C compiler `{compiler}` cannot be run to preprocess {}: {error}; install one, set CC, or give preprocessed `.i` files", .path.display())]
    NoCompiler {
        /// What was to be run.
        compiler: String,
        /// For which file.
        path: PathBuf,
        /// Why it failed.
        error: std::io::Error,
    },
    /// The preprocessor found errors; they are in the session's diagnostics.
    #[error("{}: preprocessing failed", .0.display())]
    Preprocessing(PathBuf),
    /// The texts of a session are limited to 4 GiB together.
    #[error("{}: the texts of one run cannot exceed 4 GiB", .0.display())]
    TooLarge(PathBuf),
    /// A limit of the session's was reached while the preprocessor ran.
    #[error("{}: {limit} in preprocessing", .path.display())]
    Exhausted {
        /// The file that was being read.
        path: PathBuf,
        /// The limit that was reached.
        limit: base::Exhausted,
    },
}

/// Reads a file into the session: `.c` and `.h` through the preprocessor, `.i` as it is.
pub fn read(path: &Path, options: &Options, session: &mut Session) -> Result<SourceId, ReadError> {
    let found = resolve(path, options);
    match std::fs::metadata(&found) {
        Ok(metadata) if metadata.is_dir() => return Err(ReadError::IsDirectory(path.to_owned())),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(ReadError::NotFound(path.to_owned()));
        }
        Err(error) => return Err(ReadError::Unreadable { path: path.to_owned(), error }),
    }
    let bytes = match path.extension().and_then(|ending| ending.to_str()) {
        Some("i") => {
            std::fs::read(&found).map_err(|error| ReadError::Unreadable { path: path.to_owned(), error })?
        }
        Some("c" | "h") => {
            let plain = compiler::preprocess(path, options, session)?;
            with_assertions(path, plain, options, session)?
        }
        _ => return Err(ReadError::UnknownEnding(path.to_owned())),
    };
    let text = decode::decode(bytes);
    // Texts that were preprocessed elsewhere may have kept theirs.
    annotations::warn_of_text(path, &text, Read::Assertions, session);
    session.sources.add(&path.to_string_lossy(), text).ok_or_else(|| ReadError::TooLarge(path.to_owned()))
}

/// The text with its comments, if some of them assert something; warns of annotations that are not read.
fn with_assertions(
    path: &Path,
    plain: Vec<u8>,
    options: &Options,
    session: &mut Session,
) -> Result<Vec<u8>, ReadError> {
    let texts = annotations::texts(path, &plain, options);
    let mut read = Read::Nothing;
    let mut result = None;
    if texts.iter().any(|(_, text)| annotations::asserts(text)) {
        let kept = compiler::with_comments(path, options, session)?;
        result = kept.and_then(|kept| expand::readable(kept, &plain, options, session));
        if result.is_some() {
            read = Read::Assertions;
        }
    }
    for (file, text) in &texts {
        annotations::warn_of_text(file, text, read, session);
    }
    Ok(result.unwrap_or(plain))
}

/// Where a path of the user's really is.
fn resolve(path: &Path, options: &Options) -> PathBuf {
    match &options.directory {
        Some(directory) => directory.join(path),
        None => path.to_owned(),
    }
}

impl Flag {
    /// As the compiler wants it.
    fn add_to(&self, command: &mut std::process::Command) {
        match self {
            Flag::IncludeDirectory(directory) => command.arg("-I").arg(directory),
            Flag::SystemDirectory(directory) => command.arg("-isystem").arg(directory),
            Flag::IncludeFile(file) => command.arg("-include").arg(file),
            Flag::Define(definition) => command.arg("-D").arg(definition),
            Flag::Undefine(name) => command.arg("-U").arg(name),
            Flag::Standard(standard) => command.arg(format!("-std={standard}")),
        };
    }
}
