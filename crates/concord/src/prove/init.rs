//! `concord init`: a first project file from what is found in a directory. It is a text for people to go on with: what cannot be told from the
//! files, such as which components belong together, stands there as a comment.

use super::FILE;
use crate::exit::Exit;
use crate::load::complain;
use crate::output;
use clap::Args;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Arguments of `init`.
#[derive(Clone, Debug, Args)]
pub struct InitArgs {
    /// The directory
    #[arg(value_name = "DIR", default_value = ".")]
    pub directory: PathBuf,
}

/// Files beyond this are not looked at.
const MOST_FILES: usize = 10_000;

/// What was found, by names from the directory.
#[derive(Debug, Default)]
struct Found {
    /// C files with a `main`.
    programs: Vec<String>,
    /// C files without one.
    parts: Vec<String>,
    models: Vec<String>,
    specifications: Vec<String>,
    boolean: Vec<String>,
    databases: Vec<String>,
}

/// Writes the file, unless there is one.
pub fn init(arguments: &InitArgs) -> Result<Exit, Exit> {
    let file = arguments.directory.join(FILE);
    if file.exists() {
        return Err(complain(&format!("{} is there already", file.display())));
    }
    let found = look(&arguments.directory).map_err(|message| complain(&message))?;
    let (text, questions) = written(&found);
    output::write_file(&file, &text)?;
    let word = if questions == 1 { "question" } else { "questions" };
    let more = if questions == 0 { "; add some by its comments, then" } else { ";" };
    let text = format!("{}: {questions} {word}{more} `concord prove` answers them\n", file.display());
    Ok(output::finish(&text, Exit::Holds))
}

fn look(directory: &Path) -> Result<Found, String> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder)
            .map_err(|error| format!("{}: cannot be read: {error}", folder.display()))?;
        for entry in entries.flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if name.starts_with('.') || name == "target" || name == "node_modules" {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(path),
                Ok(kind) if kind.is_file() && files.len() < MOST_FILES => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let mut found = Found::default();
    for file in &files {
        let name = file.strip_prefix(directory).unwrap_or(file).to_string_lossy().into_owned();
        let list = match file.extension().and_then(|ending| ending.to_str()) {
            Some("c") if has_main(file) => &mut found.programs,
            Some("c") => &mut found.parts,
            Some("lts") => &mut found.models,
            Some("spec") => &mut found.specifications,
            Some("bp") => &mut found.boolean,
            Some("json") if file.ends_with("compile_commands.json") => &mut found.databases,
            _ => continue,
        };
        list.push(name);
    }
    Ok(found)
}

/// Does the text define `main`, as far as a look at it tells?
fn has_main(file: &Path) -> bool {
    let text = std::fs::read(file).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().any(|line| {
        let before = line.split("main").next().unwrap_or_default();
        let behind = line.get(before.len() + 4..).unwrap_or_default().trim_start();
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_code = !before.contains(['(', '=', '"']) && !before.trim_start().starts_with(['/', '*', '#']);
        is_word && is_code && behind.starts_with('(') && !behind.trim_end().ends_with(';')
    })
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The text of the file, and how many questions it has.
fn written(found: &Found) -> (String, usize) {
    let mut text = String::from(
        "# The questions of this project; `concord prove` answers them.\n\
         # Every option of a verb can stand in its questions, by its name without dashes.\n\n\
         [defaults]\ntime-limit = \"60s\"\n",
    );
    let mut questions = 0;
    let mut question = |verb: &str, files: &[&String], more: &str| {
        let files: Vec<String> = files.iter().map(|file| quoted(file)).collect();
        let _ = write!(text, "\n[[question]]\nverb = \"{verb}\"\nfiles = [{}]\n{more}", files.join(", "));
        questions += 1;
    };
    for program in &found.programs {
        question("verify", &[program], "# checks = \"default\"   # undefined behaviour, too\n");
    }
    for model in &found.models {
        question("model", &[model], "");
    }
    for boolean in &found.boolean {
        question("bool", &[boolean], "");
    }
    for database in &found.databases {
        let _ = write!(
            text,
            "\n# The files of a program, with the options of its build:\n# [[question]]\n# verb = \"verify\"\n\
             # compile-commands = {}\n# files = [\"FILE.c\"]\n",
            quoted(database)
        );
    }
    if !found.parts.is_empty() {
        let _ = write!(
            text,
            "\n# C files without a `main`: say with which others they are one program, or where to start.\n"
        );
        for part in &found.parts {
            let _ = write!(
                text,
                "# [[question]]\n# verb = \"verify\"\n# files = [{}]\n# function = \"NAME\"\n",
                quoted(part)
            );
        }
    }
    if !found.specifications.is_empty() {
        let joined: Vec<String> = found.specifications.iter().map(|name| quoted(name)).collect();
        let _ = write!(
            text,
            "\n# Specifications: components go with their own by `a.c+a.spec`, that of the system stands alone.\n\
             # [[question]]\n# verb = \"check\"\n# files = [\"a.c+a.spec\", {}]\n",
            joined.join(", ")
        );
    }
    (text, questions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let found = Found {
            programs: vec!["a \"b\".c".into(), "d/e.c".into()],
            parts: vec!["part.c".into()],
            models: vec!["m.lts".into()],
            specifications: vec!["s.spec".into()],
            boolean: vec!["b.bp".into()],
            databases: vec!["build/compile_commands.json".into()],
        };
        let (text, questions) = written(&found);
        let read = store::Project::read(FILE, &text, &super::super::grammar::grammar());
        let (project, _) = read.unwrap_or_else(|wrong| panic!("{:?}", wrong.diagnostics));
        assert_eq!((project.questions.len(), questions), (4, 4));
        assert_eq!(project.questions[0].files, ["a \"b\".c"]);
        // What is commented out is right, too.
        let uncommented: String = text
            .lines()
            .map(|line| {
                line.strip_prefix("# ")
                    .filter(|rest| rest.starts_with('[') || rest.contains(" = "))
                    .unwrap_or(line)
            })
            .map(|line| format!("{line}\n"))
            .collect();
        let read = store::Project::read(FILE, &uncommented, &super::super::grammar::grammar());
        let (project, _) = read.unwrap_or_else(|wrong| panic!("{uncommented}\n{:?}", wrong.diagnostics));
        assert_eq!(project.questions.len(), 7);
    }

    #[test]
    fn a_main_is_seen_where_it_is_defined() {
        let file = std::env::temp_dir().join(format!("concord-init-{}.c", std::process::id()));
        for (text, expected) in [
            ("int main(void)\n{\n}\n", true),
            ("int\nmain (int argc, char **argv) {\n", true),
            ("int main(void);\n", false),
            ("int domain(void) {\n", false),
            ("// int main(void) {\n", false),
            ("  x = main(1) {", false),
            ("printf(\"main(\"", false),
        ] {
            std::fs::write(&file, text).expect("written");
            assert_eq!(has_main(&file), expected, "{text}");
        }
        let _ = std::fs::remove_file(&file);
    }
}
