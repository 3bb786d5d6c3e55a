//! The generator keeps its promise: gcc's sanitizers find nothing undefined in its programs.

use bench_frontend::compare::{self, Settings};
use bench_frontend::generate::{self, Model};
use bench_frontend::native::{self, Scratch};
use bench_frontend::parallel;

#[test]
fn programs_are_defined() {
    if !native::can_compile(Model::Lp64) {
        eprintln!("there is no gcc here: the generator is not tested");
        return;
    }
    let settings = Settings::small(Model::Lp64);
    let job = |index: u64| {
        let scratch = Scratch::new().expect("a temporary folder");
        let path = scratch.file("program.i");
        let seed = 5000 + index;
        std::fs::write(&path, generate::program(seed, generate::Settings::default())).expect("a file");
        compare::is_defined(&path, &settings)
    };
    let mut undefined = Vec::new();
    parallel::for_each(24, job, |index, is_defined| {
        if !is_defined {
            undefined.push(5000 + index);
        }
    });
    assert!(undefined.is_empty(), "programs with undefined behaviour: {undefined:?}");
}

#[test]
fn a_seed_gives_one_program() {
    let settings = generate::Settings::default();
    assert_eq!(generate::program(11, settings), generate::program(11, settings));
    assert_ne!(generate::program(11, settings), generate::program(12, settings));
}
