//! Real programs: every file that gcc accepts is typed without an error.
//!
//! The normal run takes every tenth file, with CONCORD_DEEP set all.

#![allow(clippy::print_stderr, reason = "a test that reads only part of the programs says so")]

use crate::common::errors;
use crate::reading::{Task, files_below, gcc_accepts, shared, tasks};
use csource::Session;
use csource::preprocess::{Options, ReadError, read};
use csource::types::DataModel;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The errors of a file, and how much was found in it.
fn type_file(task: &Task) -> (Vec<String>, usize) {
    let mut session = Session::new(task.model);
    let source = match read(&task.path, &task.options, &mut session) {
        Ok(source) => source,
        Err(ReadError::Preprocessing(_)) => return (vec!["the preprocessor refuses it".into()], 0),
        Err(error) => panic!("{error}"),
    };
    let unit = csource::parser::parse(source, &mut session);
    let typed = csource::sema::analyse(&unit, &mut session);
    (errors(&session), typed.functions.len() + typed.variables.len())
}

#[test]
fn programs_that_gcc_accepts_are_typed() {
    let mut tasks = tasks();
    if tasks.is_empty() {
        eprintln!("../shared is absent: only the texts of these tests are typed");
        return;
    }
    if std::env::var_os("CONCORD_DEEP").is_none() {
        eprintln!("every tenth of {} files is typed; with CONCORD_DEEP set, all", tasks.len());
        let mut count = 0;
        tasks.retain(|_| {
            count += 1;
            count % 10 == 0
        });
    }
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (errors, found) = type_file(task);
                    if errors.is_empty() {
                        assert!(found > 0, "{}: nothing was found", task.path.display());
                    } else if gcc_accepts(task) == Some(false) {
                        refused.fetch_add(1, Ordering::Relaxed);
                    } else {
                        let message = format!("{}:\n{}", task.path.display(), errors.join("\n"));
                        failures.lock().expect("no panic while locked").push(message);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic while locked");
    let refused = refused.into_inner();
    eprintln!("{} files, {refused} that gcc refuses too, {} failures", tasks.len(), failures.len());
    assert!(failures.is_empty(), "{} files:\n{}", failures.len(), failures.join("\n\n"));
    assert!(
        refused * 10 < tasks.len(),
        "{refused} of {} files are refused by gcc: is it set up?",
        tasks.len()
    );
}

#[test]
fn one_construct_per_file() {
    let Some(shared) = shared() else {
        eprintln!("../shared is absent: only the texts of these tests are typed");
        return;
    };
    let files = files_below(&shared.join("data/c-features"), &["c"]);
    assert!(files.len() >= 58, "{} files", files.len());
    for path in files {
        let (errors, _) = type_file(&Task { path, model: DataModel::Lp64, options: Options::default() });
        assert!(errors.is_empty(), "{}", errors.join("\n"));
    }
}

#[test]
fn own_programs_are_typed_in_both_data_models() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let files = files_below(&folder, &["c"]);
    assert!(files.len() >= 4, "{} files", files.len());
    for path in files {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let (errors, found) = type_file(&Task { path: path.clone(), model, options: Options::default() });
            assert!(errors.is_empty(), "{}: {model:?}\n{}", path.display(), errors.join("\n"));
            assert!(found > 20, "{}: {found}", path.display());
        }
    }
}
