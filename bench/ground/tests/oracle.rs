//! The oracle without Concord: drawn programs and systems are taken by gcc, run, and agree with what is said of them.

use bench_ground::program::Program;
use bench_ground::systems::{draw::System, meaning, runs};
use bench_ground::{native, truth};

#[test]
fn programs_compile_together_and_run() {
    let directory = std::env::temp_dir().join(format!("bench-ground-test-{}", std::process::id()));
    let programs: Vec<Program> = (0..60).map(|seed| Program::draw(seed, "")).collect();
    let together: Vec<&Program> = programs.iter().filter(|program| !program.is_alone()).collect();
    let executable = native::build(&together, &directory).expect("gcc takes them");
    let truths = truth::find(&together, &executable).expect("they run");
    let failing = truths.iter().filter(|truth| truth.failures().next().is_some()).count();
    assert!(failing > together.len() / 5, "few programs fail: {failing}");
    assert!(failing < together.len() * 4 / 5, "most programs fail: {failing}");
    assert!(truths.iter().all(|truth| truth.claims.len() == truth.looks.len()));
    for truth in &truths {
        for (_, failure) in truth.failures().filter(|(_, failure)| failure.kind == "assertion") {
            assert!(failure.line > 0, "an assertion has a line");
        }
    }
    std::fs::remove_dir_all(&directory).expect("it is ours");
}

#[test]
fn systems_conform_to_the_process_made_of_them() {
    let directory = std::env::temp_dir().join(format!("bench-ground-systems-{}", std::process::id()));
    let systems: Vec<System> = (0..40).map(System::draw).collect();
    let trees = runs::trees(&systems, &directory).expect("gcc takes them");
    let mut composed = 0;
    for trees in trees.into_iter().flatten() {
        let Some(system) = meaning::System::compose(&trees) else { continue };
        let process = system.process(&system.events());
        assert!(system.conforms(&process));
        composed += 1;
    }
    assert!(composed > 20, "few systems are small enough: {composed}");
    std::fs::remove_dir_all(&directory).expect("it is ours");
}
