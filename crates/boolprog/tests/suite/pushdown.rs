//! Concurrent pushdown systems: own files, and the public ones that have a target.

use base::{Budget, Diagnostics, Silent, SourceMap};
use boolprog::pushdown::{PushdownFile, check_file};
use question::Verdict;
use std::path::Path;
use std::time::Duration;

fn ask(path: &Path, target: Option<&str>, start: Option<&str>) -> Result<question::Answer, String> {
    ask_for(Duration::from_secs(20), path, target, start)
}

fn ask_for(
    time: Duration,
    path: &Path,
    target: Option<&str>,
    start: Option<&str>,
) -> Result<question::Answer, String> {
    let settings = PushdownFile {
        target: target.map(str::to_owned),
        start: start.map(str::to_owned),
        budget: Budget::unlimited().with_time(time),
    };
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::default());
    check_file(path, &settings, &mut sources, &mut diagnostics, &Silent).ok_or_else(|| {
        diagnostics.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; ")
    })
}

#[test]
fn stacks_are_followed() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nets/calls.pds");
    for (target, expected) in [
        (None, "violated"),
        (Some("1|4,6"), "violated"),
        (Some("1|4,5"), "holds"), // thread 0 needs shared state 1, which only thread 1 makes
        (Some("0|2,5"), "violated"),
        (Some("0|-,5"), "undecided"), // what is below the last 2 is not seen by its top
        (Some("0|4,6"), "holds"),
    ] {
        let answer = ask(&file, target, None).expect("a question");
        assert_eq!(answer.verdict.word(), expected, "{target:?}: {answer:?}");
        if let Verdict::Violated(run) = &answer.verdict {
            assert!(format!("{run:?}").contains("thread 0"), "{run:?}");
        }
    }
    assert_eq!(ask(&file, Some("0|4,5"), Some("1|2,6")).expect("a question").verdict.word(), "holds");
    let odd = ask(&file, Some("0|9,5"), None).expect("a question");
    assert!(odd.verdict.holds() && odd.remarks.iter().any(|remark| remark.contains("not among")), "{odd:?}");
    assert!(ask(&file, Some("0|1"), None).is_err_and(|why| why.contains("names 1 threads")));
}

#[test]
fn public_files_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/boolean/cuba-pds");
    if !folder.exists() {
        eprintln!("absent: ../shared/bench/boolean/cuba-pds; only the project's own file is tested");
        return;
    }
    let mut read = 0;
    let mut open = vec![folder];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                std::fs::read_dir(path).expect("readable").map(|entry| entry.expect("readable").path()),
            );
        } else if path.extension().is_some_and(|extension| extension == "pds") {
            let answer = ask_for(Duration::from_millis(300), &path, None, None);
            let is_asked = path.with_extension("spec").exists();
            assert_eq!(answer.is_ok(), is_asked, "{}: {answer:?}", path.display());
            assert!(is_asked || answer.is_err_and(|why| why.contains("no target")), "{}", path.display());
            read += 1;
        }
    }
    assert!(read >= 20, "only {read} files");
}
