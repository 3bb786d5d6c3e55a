//! Every twentieth C file of the benchmark set, if it is here: what gcc accepts must lower. All of them:
//! `cargo run --release -p bench-frontend -- corpus`.

use bench_frontend::manifest;
use bench_frontend::{corpus, manifest::Task};
use std::path::{Path, PathBuf};

fn check(tasks: &[Task]) -> corpus::Summary {
    let program = Path::new(env!("CARGO_BIN_EXE_bench-frontend"));
    let cache = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/gcc-verdicts.tsv");
    let mut verdicts = corpus::GccVerdicts::load(cache);
    let summary = corpus::check(tasks, program, &mut verdicts);
    verdicts.save().expect("the target folder can be written");
    summary
}

#[test]
fn own_examples_lower() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut tasks = Vec::new();
    for entry in
        std::fs::read_dir(&root).expect("there are examples").flatten().filter(|entry| entry.path().is_dir())
    {
        for file in std::fs::read_dir(entry.path()).expect("a folder").flatten() {
            let path: PathBuf = file.path();
            if path.extension().is_some_and(|ending| ending == "c") {
                for is_ilp32 in [false, true] {
                    tasks.push(Task { path: path.clone(), is_ilp32, arguments: Vec::new(), bytes: 0 });
                }
            }
        }
    }
    assert!(tasks.len() >= 8, "the examples are found");
    let summary = check(&tasks);
    assert!(summary.failed.is_empty(), "{summary}");
}

#[test]
fn a_sample_of_the_benchmark_set_lowers() {
    let Some(shared) = manifest::shared_folder() else {
        eprintln!("the benchmark set ../shared is absent: only our own examples are read");
        return;
    };
    let mut tasks = manifest::tasks(&shared).expect("the manifest can be read");
    tasks.extend(manifest::data_files(&shared));
    let tasks: Vec<Task> = tasks.into_iter().step_by(20).collect();
    let summary = check(&tasks);
    assert!(summary.taken > 50, "{summary}");
    assert!(summary.failed.is_empty(), "{summary}");
}
