//! compile_commands.json: which files a build compiles, and with which arguments for the preprocessor.
//!
//! After the format of clang's JSON compilation database: `arguments` (a list) or `command` (a shell line).

use super::{Flag, Options, shell};
use crate::types::DataModel;
use std::path::{Path, PathBuf};

/// One compilation. Reading it is `read(&command.file, &command.options, session)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileCommand {
    /// The file that is compiled; relative to `options.directory`.
    pub file: PathBuf,
    /// How it is preprocessed.
    pub options: Options,
    /// What `-m32` or `-m64` said, if either was given.
    pub data_model: Option<DataModel>,
}

/// Why a compile_commands.json could not be used.
#[derive(Debug, thiserror::Error)]
pub enum CommandsError {
    /// The operating system refused.
    #[error("{}: cannot be read: {error}", .path.display())]
    Unreadable {
        /// The file that cannot be read.
        path: PathBuf,
        /// What the system says about it.
        error: std::io::Error,
    },
    /// Not JSON, or not of the right shape.
    #[error("{}: this is not a compile_commands.json: {error}", .path.display())]
    Malformed {
        /// The file that is not as it should be.
        path: PathBuf,
        /// Where and why.
        error: serde_json::Error,
    },
    /// An entry without arguments, or with a quote that is not closed.
    #[error("{}: the entry for {file} has no usable `arguments` or `command`", .path.display())]
    NoCommand {
        /// The file without a command.
        path: PathBuf,
        /// The source file of the entry.
        file: String,
    },
}

#[derive(serde::Deserialize)]
struct Entry {
    #[serde(default)]
    directory: Option<PathBuf>,
    file: String,
    #[serde(default)]
    arguments: Option<Vec<String>>,
    #[serde(default)]
    command: Option<String>,
}

/// Reads a compile_commands.json.
pub fn compile_commands(path: &Path) -> Result<Vec<CompileCommand>, CommandsError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| CommandsError::Unreadable { path: path.to_owned(), error })?;
    let entries: Vec<Entry> = serde_json::from_str(&text)
        .map_err(|error| CommandsError::Malformed { path: path.to_owned(), error })?;
    entries.into_iter().map(|entry| command_of(entry, path)).collect()
}

fn command_of(entry: Entry, path: &Path) -> Result<CompileCommand, CommandsError> {
    let words = entry.arguments.or_else(|| shell::words(&entry.command?));
    let Some(words) = words.filter(|words| !words.is_empty()) else {
        return Err(CommandsError::NoCommand { path: path.to_owned(), file: entry.file });
    };
    let (flags, data_model) = flags_of(&words[1..]);
    // A relative directory starts where the database is.
    let home = path.parent().unwrap_or(Path::new("")).to_owned();
    let directory = match entry.directory {
        Some(directory) => home.join(directory),
        None => home,
    };
    let directory = Some(directory).filter(|directory| !directory.as_os_str().is_empty());
    let options = Options { flags, directory, compiler: None };
    Ok(CompileCommand { file: PathBuf::from(entry.file), options, data_model })
}

/// What of a compiler's arguments matters to preprocessing.
fn flags_of(arguments: &[String]) -> (Vec<Flag>, Option<DataModel>) {
    let mut flags = Vec::new();
    let mut data_model = None;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "-m32" => data_model = Some(DataModel::Ilp32),
            "-m64" => data_model = Some(DataModel::Lp64),
            // Options whose value must not be taken for an option of its own.
            "-o" | "-MF" | "-MT" | "-MQ" | "-x" | "-Xpreprocessor" | "-Xlinker" | "-Xassembler" | "-L"
            | "-l" => {
                rest.next();
            }
            other => {
                if let Some(standard) = other.strip_prefix("-std=") {
                    flags.push(Flag::Standard(standard.to_owned()));
                } else if let Some((option, joined)) = split_option(other) {
                    let value =
                        if joined.is_empty() { rest.next().cloned() } else { Some(joined.to_owned()) };
                    flags.extend(value.map(|value| flag_of(option, value)));
                }
            }
        }
    }
    (flags, data_model)
}

/// An option that takes a value, and what of the value stands in the same argument.
fn split_option(argument: &str) -> Option<(&'static str, &str)> {
    // Longer ones first: `-include` also starts with `-i`, `-isystem` too; `-I`, `-D`, `-U` are told by their case.
    ["-include", "-isystem", "-iquote", "-I", "-D", "-U"]
        .into_iter()
        .find_map(|option| argument.strip_prefix(option).map(|value| (option, value)))
}

fn flag_of(option: &str, value: String) -> Flag {
    match option {
        "-include" => Flag::IncludeFile(value.into()),
        "-isystem" => Flag::SystemDirectory(value.into()),
        "-D" => Flag::Define(value),
        "-U" => Flag::Undefine(value),
        // `-iquote` is narrower than `-I`; what it finds, `-I` finds too.
        _ => Flag::IncludeDirectory(value.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_and_all_kept_options() {
        let directory = std::env::temp_dir().join(format!("concord-commands-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("temporary directory");
        let path = directory.join("compile_commands.json");
        let text = r#"[
            {"directory": "/build", "file": "a.c",
             "arguments": ["gcc", "-Iinc", "-I", "inc2", "-DX=1", "-D", "Y", "-UZ", "-c", "-o", "-Dfake", "a.c"]},
            {"directory": "sub", "file": "../b.c", "output": "b.o",
             "command": "cc -m32 -std=gnu99 -DS=\\\"a\\ b\\\" -isystem '/s y' -include pre.h -O2 -c ../b.c"}
        ]"#;
        std::fs::write(&path, text).expect("writable");
        let commands = compile_commands(&path).expect("well formed");
        assert_eq!(
            commands[0].options.flags,
            [
                Flag::IncludeDirectory("inc".into()),
                Flag::IncludeDirectory("inc2".into()),
                Flag::Define("X=1".into()),
                Flag::Define("Y".into()),
                Flag::Undefine("Z".into()),
            ]
        );
        assert_eq!(commands[0].options.directory.as_deref(), Some(Path::new("/build")));
        assert_eq!(commands[1].data_model, Some(DataModel::Ilp32));
        assert_eq!(commands[1].options.directory, Some(directory.join("sub")));
        assert_eq!(
            commands[1].options.flags,
            [
                Flag::Standard("gnu99".into()),
                Flag::Define("S=\"a b\"".into()),
                Flag::SystemDirectory("/s y".into()),
                Flag::IncludeFile("pre.h".into()),
            ]
        );
        std::fs::write(&path, "{}").expect("writable");
        assert!(matches!(compile_commands(&path), Err(CommandsError::Malformed { .. })));
        std::fs::write(&path, r#"[{"file": "a.c", "command": "cc 'open"}]"#).expect("writable");
        assert!(matches!(compile_commands(&path), Err(CommandsError::NoCommand { .. })));
        std::fs::remove_dir_all(&directory).expect("removable");
    }
}
