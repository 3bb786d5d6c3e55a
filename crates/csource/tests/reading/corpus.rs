//! Real programs: every file that gcc accepts parses without an error.
//!
//! The normal run takes all `.i` files and every tenth `.c` file, since `cc -E` costs far more than parsing; with
//! CONCORD_DEEP set it takes all.

#![allow(clippy::print_stderr, reason = "a test that reads only part of the programs says so")]

use crate::common::{Task, files_below, gcc_accepts, parse_file, shared, tasks};
use csource::preprocess::Options;
use csource::types::DataModel;

#[test]
fn programs_that_gcc_accepts_parse() {
    let mut tasks = tasks();
    if tasks.is_empty() {
        eprintln!("../shared is absent: only this crate's own files are parsed (see own_files)");
        return;
    }
    if std::env::var_os("CONCORD_DEEP").is_none() {
        let mut count = 0;
        tasks.retain(|task| {
            let is_preprocessed = task.path.extension().is_some_and(|ending| ending == "i");
            count += usize::from(!is_preprocessed);
            is_preprocessed || count % 10 == 0
        });
    }
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let failures = std::sync::Mutex::new(Vec::new());
    let refused = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(task) = tasks.get(index) else { return };
                    let outcome = parse_file(task);
                    if outcome.errors.is_empty() && !outcome.unreadable {
                        assert!(outcome.items > 0, "{}: nothing was read", task.path.display());
                        continue;
                    }
                    if gcc_accepts(task) == Some(false) {
                        refused.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                        continue;
                    }
                    let message = format!("{}:\n{}", task.path.display(), outcome.errors.join("\n"));
                    failures.lock().expect("no panic while locked").push(message);
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
        eprintln!("../shared is absent: only this crate's own files are parsed (see own_files)");
        return;
    };
    let files = files_below(&shared.join("data/c-features"), &["c"]);
    assert!(files.len() >= 58, "{} files", files.len());
    for path in files {
        let outcome = parse_file(&Task { path, model: DataModel::Lp64, options: Options::default() });
        assert!(outcome.errors.is_empty(), "{}", outcome.errors.join("\n"));
        assert!(outcome.items > 0);
    }
}
