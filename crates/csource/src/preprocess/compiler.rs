//! Running `cc -E`.
//!
//! For ILP32 on a machine without 32-bit headers (Debian without gcc-multilib), the 64-bit headers are used with
//! `-m32`: glibc keeps both variants in one set of files, and only the list of missing functions, `gnu/stubs-32.h`, is
//! not installed. An empty one is provided: it only matters to programs that ask which functions do not work.

use super::child::{self, Ended};
use super::{Options, ReadError, messages, resolve, shell};
use crate::Session;
use crate::types::DataModel;
use base::Budget;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// The same text with comments and definitions of macros; nothing where the preprocessor does not do that.
pub(super) fn with_comments(
    path: &Path,
    options: &Options,
    session: &Session,
) -> Result<Option<Vec<u8>>, ReadError> {
    let compiler = Compiler::chosen_by(options);
    let output = compiler.run_for(path, options, session, &["-C", "-dD"])?;
    Ok(output.status.success().then_some(output.stdout))
}

/// Gives a text of definitions and expressions to the preprocessor.
pub(super) fn expand(text: &str, options: &Options, session: &Session) -> Option<String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("concord-annotations-{}-{number}.c", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, text).ok()?;
    let compiler = Compiler::chosen_by(options);
    let plain = Options { flags: Vec::new(), directory: None, compiler: options.compiler.clone() };
    let output = compiler.run_for(&file, &plain, session, &["-P"]);
    // A file left behind in the temporary directory harms nobody.
    let _ = std::fs::remove_file(&file);
    let output = output.ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// The preprocessed text of a file; the preprocessor's messages go to the diagnostics.
pub(super) fn preprocess(
    path: &Path,
    options: &Options,
    session: &mut Session,
) -> Result<Vec<u8>, ReadError> {
    let compiler = Compiler::chosen_by(options);
    let wants_ilp32 = session.types.model() == DataModel::Ilp32;
    let output = compiler.run_for(path, options, session, &[])?;
    let errors_before = session.diagnostics.error_count();
    messages::report(&output.stderr, options, session);
    if output.status.success() {
        return Ok(output.stdout);
    }
    if wants_ilp32 && lacks_ilp32_headers(&output.stderr) {
        let message = "the C library's headers for 32 bits (--data-model ilp32) are not installed";
        let diagnostic = base::Diagnostic::error("preprocessing", base::Span::NOWHERE, message);
        let hint = "install them (gcc-multilib on Debian and Ubuntu), or give preprocessed `.i` files";
        session.diagnostics.push(diagnostic.hint(hint));
    }
    if session.diagnostics.error_count() == errors_before {
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it gave no message");
        let message = format!("`{}` could not preprocess {}: {last}", compiler.name(), path.display());
        session.diagnostics.push(base::Diagnostic::error("preprocessing", base::Span::NOWHERE, message));
    }
    Err(ReadError::Preprocessing(path.to_owned()))
}

/// Did preprocessing fail because a header is not there, in the words of gcc or of clang?
fn lacks_a_header(messages: &[u8]) -> bool {
    messages.split(|&byte| byte == b'\n').any(|line| {
        let has = |words: &str| memchr::memmem::find(line, words.as_bytes()).is_some();
        has("fatal error: ") && (has("No such file or directory") || has("file not found"))
    })
}

/// Is it one of those that the C library has for each machine?
fn lacks_ilp32_headers(messages: &[u8]) -> bool {
    ["gnu/", "bits/", "asm/", "sys/cdefs.h"].iter().any(|header| {
        ["fatal error: ", "fatal error: '"]
            .iter()
            .any(|words| memchr::memmem::find(messages, format!("{words}{header}").as_bytes()).is_some())
    })
}

/// The compiler and its own arguments.
struct Compiler {
    words: Vec<String>,
}

impl Compiler {
    fn chosen_by(options: &Options) -> Compiler {
        let line = options.compiler.clone().or_else(|| std::env::var("CC").ok()).unwrap_or_default();
        let words = shell::words(&line).filter(|words| !words.is_empty());
        Compiler { words: words.unwrap_or_else(|| vec!["cc".to_owned()]) }
    }

    fn name(&self) -> &str {
        &self.words[0]
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        // Messages in English, whatever the user speaks: they are parsed.
        command.args(&self.words[1..]).env("LC_ALL", "C").stdin(Stdio::null());
        command
    }

    /// Preprocesses for the session's data model, with headers for 64 bits where there are none for 32.
    fn run_for(
        &self,
        path: &Path,
        options: &Options,
        session: &Session,
        more: &[&str],
    ) -> Result<Output, ReadError> {
        let wants_ilp32 = session.types.model() == DataModel::Ilp32;
        let first = self.run(path, options, wants_ilp32, None, more, &session.budget)?;
        if !first.status.success()
            && wants_ilp32
            && lacks_a_header(&first.stderr)
            && let Some(headers) = Ilp32Headers::make(self)
        {
            // What is still missing then is missing for 64 bits as well, and is named.
            return self.run(path, options, wants_ilp32, Some(&headers), more, &session.budget);
        }
        Ok(first)
    }

    fn run(
        &self,
        path: &Path,
        options: &Options,
        wants_ilp32: bool,
        headers: Option<&Ilp32Headers>,
        more: &[&str],
        budget: &Budget,
    ) -> Result<Output, ReadError> {
        let mut command = self.command();
        command.arg("-E").args(more);
        if wants_ilp32 {
            command.arg("-m32");
        } else if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
            // The default of a 32-bit system would be wrong; other machines have no such option.
            command.arg("-m64");
        }
        for flag in &options.flags {
            flag.add_to(&mut command);
        }
        if let Some(headers) = headers {
            command.arg("-idirafter").arg(&headers.stubs);
            for directory in &headers.directories {
                command.arg("-idirafter").arg(directory);
            }
        }
        if let Some(directory) = &options.directory {
            command.current_dir(directory);
        }
        // A name that starts with `-` would be read as an option.
        if path.to_string_lossy().starts_with('-') {
            command.arg(Path::new(".").join(path));
        } else {
            command.arg(path);
        }
        let ended = child::run(&mut command, budget).map_err(|error| ReadError::NoCompiler {
            compiler: self.name().to_owned(),
            path: resolve(path, options),
            error,
        })?;
        match ended {
            Ended::Finished(output) => Ok(output),
            Ended::Exhausted(limit) => Err(ReadError::Exhausted { path: path.to_owned(), limit }),
            Ended::TooMuch => Err(ReadError::TooLarge(path.to_owned())),
        }
    }
}

/// Where 64-bit headers that serve for 32 bits are, and a directory with the one that is missing.
struct Ilp32Headers {
    stubs: PathBuf,
    directories: Vec<PathBuf>,
}

impl Ilp32Headers {
    fn make(compiler: &Compiler) -> Option<Ilp32Headers> {
        let output = compiler.command().arg("-print-multiarch").output().ok()?;
        let triplet = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let triplets = [triplet.as_str(), "x86_64-linux-gnu"];
        let directories: Vec<PathBuf> = triplets
            .iter()
            .filter(|triplet| !triplet.is_empty())
            .map(|triplet| Path::new("/usr/include").join(triplet))
            .filter(|directory| directory.is_dir())
            .take(1)
            .collect();
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let stubs = std::env::temp_dir().join(format!("concord-ilp32-{}-{number}", std::process::id()));
        std::fs::create_dir_all(stubs.join("gnu")).ok()?;
        let headers = Ilp32Headers { stubs, directories };
        std::fs::write(headers.stubs.join("gnu/stubs-32.h"), "").ok()?;
        Some(headers)
    }
}

impl Drop for Ilp32Headers {
    fn drop(&mut self) {
        // A directory left behind in the temporary directory harms nobody.
        let _ = std::fs::remove_dir_all(&self.stubs);
    }
}
