//! What is asked, as the verification competition writes it: property files (`.prp`) and task definitions
//! (`.yml`). Only the few forms that occur are read; anything else is said to be so.

use super::caveat::Caveat;
use crate::cli::DataModelArgument;
use cegar::{Check, Checks, Property};
use question::{FiniteRuns, Temporal};
use std::path::{Path, PathBuf};

/// A task definition.
#[derive(Debug, Default)]
pub struct Task {
    /// The C files.
    pub files: Vec<PathBuf>,
    /// Files with a property each, of which one is asked for.
    pub properties: Vec<PathBuf>,
    /// For each of them, whether it holds, if the task says so.
    pub expected: Vec<Option<bool>>,
    /// The data model, if it says.
    pub data_model: Option<DataModelArgument>,
}

/// A property, or one that is known and not supported.
#[derive(Debug, PartialEq, Eq)]
pub enum AskedByFile {
    /// Something to verify; and where our checks are not quite what the file asks.
    Property(Property, Vec<Caveat>),
    /// Its text, which is not supported.
    Unsupported(String),
}

/// Reads a property file.
pub fn read_property(path: &Path) -> Result<AskedByFile, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
    parse_property(&text).map_err(|why| format!("{}: {why}", path.display()))
}

/// The property of a text such as `CHECK( init(main()), LTL(G ! call(reach_error())) )`.
pub fn parse_property(text: &str) -> Result<AskedByFile, String> {
    let mut found: Option<AskedByFile> = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let squeezed: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        let Some(formula) =
            squeezed.strip_prefix("CHECK(init(main()),LTL(").and_then(|rest| rest.strip_suffix("))"))
        else {
            return Err(format!("`{line}` is not a property of `main`"));
        };
        let call = formula.strip_prefix("G!call(").and_then(|rest| rest.strip_suffix("())"));
        let label = formula.strip_prefix("G!label(").and_then(|rest| rest.strip_suffix(")"));
        let checked = |checks: &[Check], caveats: &[Caveat]| {
            let checks = checks.iter().fold(Checks::none(), |all, &check| all.with(check));
            AskedByFile::Property(Property { checks, ..Property::default() }, caveats.to_vec())
        };
        let asked = match (call, label, formula) {
            (Some(name), ..) | (_, Some(name), _) if !is_name(name) => {
                return Err(format!("`{name}` is no name"));
            }
            (Some(function), ..) => AskedByFile::Property(Property::never_called(function), Vec::new()),
            (_, Some(label), _) => {
                let property = Property { labels: vec![label.to_owned()], ..Property::default() };
                AskedByFile::Property(property, Vec::new())
            }
            (.., "G!overflow") => checked(&[Check::SignedOverflow], &[Caveat::NoOverflow]),
            (.., "Gvalid-free") => checked(&[Check::DoubleFree], &[Caveat::MemorySafety]),
            (.., "Gvalid-deref") => {
                checked(&[Check::Bounds, Check::Pointer, Check::UseAfterFree], &[Caveat::MemorySafety])
            }
            (.., "Gvalid-memtrack") => checked(&[Check::Lost], &[]),
            (.., "Gvalid-memcleanup") => checked(&[Check::Cleanup], &[]),
            (.., "G!data-race") => checked(&[Check::Race], &[]),
            (.., "G!deadlock") => checked(&[Check::Deadlock], &[]),
            (.., "Fend") => AskedByFile::Property(Property::every_run_ends(), Vec::new()),
            _ if formula.contains('"') => {
                let formula = temporal::text::of_property_file(line).unwrap_or_default().to_owned();
                let temporal = Temporal { formula, finite_runs: FiniteRuns::Repeat };
                AskedByFile::Property(Property::satisfies(temporal), Vec::new())
            }
            (.., "Gvalid-memsafety") => AskedByFile::Unsupported(formula.to_owned()),
            _ => return Err(format!("`{formula}` is no property that is known here")),
        };
        found = Some(match (found, asked) {
            (None, asked) => asked,
            (Some(AskedByFile::Property(one, _)), AskedByFile::Property(two, _))
                if one.endless_runs || two.endless_runs =>
            {
                let what =
                    if one.temporal.is_some() || two.temporal.is_some() { "a formula" } else { "`F end`" };
                return Err(format!("{what} is asked together with another property: ask for one of them"));
            }
            (Some(AskedByFile::Property(mut one, mut caveats)), AskedByFile::Property(two, more)) => {
                one.functions.extend(two.functions);
                one.labels.extend(two.labels);
                one.checks = two.checks.iter().fold(one.checks, Checks::with);
                caveats.extend(more);
                AskedByFile::Property(one, caveats)
            }
            (Some(AskedByFile::Unsupported(text)), _) | (_, AskedByFile::Unsupported(text)) => {
                AskedByFile::Unsupported(text)
            }
        });
    }
    found.ok_or_else(|| "it holds no property".to_owned())
}

fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    !text.is_empty() && text.chars().all(is_letter) && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// Reads a task definition. Paths in it are relative to it.
pub fn read_task(path: &Path) -> Result<Task, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut task = parse_task(&text);
    for file in task.files.iter_mut().chain(&mut task.properties) {
        *file = directory.join(&file);
    }
    if task.files.is_empty() {
        return Err(format!("{}: it names no input file", path.display()));
    }
    Ok(task)
}

/// The lines that matter of a task definition, format 2.0.
pub fn parse_task(text: &str) -> Task {
    let mut task = Task::default();
    let mut in_files = false;
    for line in text.lines() {
        let line = line.split(" #").next().unwrap_or(line).trim_end();
        let inner = line.trim_start();
        let unquoted = |value: &str| value.trim().trim_matches(['\'', '"']).to_owned();
        if let Some(value) = inner.strip_prefix("input_files:") {
            in_files = value.trim().is_empty();
            if let Some(list) = value.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                task.files.extend(list.split(',').map(|value| PathBuf::from(unquoted(value))));
            } else if !in_files {
                task.files.push(unquoted(value).into());
            }
            continue;
        }
        if in_files && let Some(value) = inner.strip_prefix("- ") {
            task.files.push(unquoted(value).into());
            continue;
        }
        in_files &= inner.is_empty();
        let item = inner.strip_prefix("- ").unwrap_or(inner);
        if let Some(value) = item.strip_prefix("property_file:") {
            task.properties.push(unquoted(value).into());
            task.expected.push(None);
        } else if let Some(value) = item.strip_prefix("expected_verdict:") {
            if let Some(last) = task.expected.last_mut() {
                *last = unquoted(value).parse().ok();
            }
        } else if let Some(value) = item.strip_prefix("data_model:") {
            task.data_model = match unquoted(value).as_str() {
                "ILP32" => Some(DataModelArgument::Ilp32),
                "LP64" => Some(DataModelArgument::Lp64),
                _ => None,
            };
        }
    }
    task
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_read_in_both_spellings() {
        let call = parse_property("CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
        assert_eq!(call, Ok(AskedByFile::Property(Property::never_called("reach_error"), Vec::new())));
        let label = parse_property("CHECK( init(main()), LTL(G ! label(ERROR)) )");
        let Ok(AskedByFile::Property(property, _)) = label else { panic!("{label:?}") };
        assert_eq!(property.labels, ["ERROR"]);
        assert_eq!(
            parse_property("CHECK( init(main()), LTL(F end) )"),
            Ok(AskedByFile::Property(Property::every_run_ends(), Vec::new()))
        );
        let memory = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                      CHECK( init(main()), LTL(G valid-memtrack) )\n";
        let memory = parse_property(memory);
        let Ok(AskedByFile::Property(property, caveats)) = memory else { panic!("{memory:?}") };
        assert!(property.checks.has(Check::DoubleFree) && property.checks.has(Check::Lost));
        assert!(!property.checks.has(Check::SignedOverflow) && caveats.contains(&Caveat::MemorySafety));
        let overflow = parse_property("CHECK( init(main()), LTL(G ! overflow) )");
        let Ok(AskedByFile::Property(property, _)) = overflow else { panic!("{overflow:?}") };
        assert!(property.checks.has(Check::SignedOverflow) && !property.checks.has(Check::Leak));
        assert!(parse_property("").is_err() && parse_property("G x").is_err());
    }

    #[test]
    fn tasks_name_files_properties_and_the_data_model() {
        let text = "format_version: '2.0'\n\ninput_files: 'a.i'\n\nproperties:\n  - property_file: ../properties/unreach-call.prp\n    expected_verdict: true\n\noptions:\n  language: C\n  data_model: ILP32\n";
        let task = parse_task(text);
        assert_eq!(task.files, [PathBuf::from("a.i")]);
        assert_eq!(task.properties, [PathBuf::from("../properties/unreach-call.prp")]);
        assert_eq!(task.data_model, Some(DataModelArgument::Ilp32));
        assert_eq!(task.expected, [Some(true)]);
        let list = parse_task("input_files:\n  - 'a.c'\n  - b.c\nproperties:\n");
        assert_eq!(list.files, [PathBuf::from("a.c"), PathBuf::from("b.c")]);
    }
}
