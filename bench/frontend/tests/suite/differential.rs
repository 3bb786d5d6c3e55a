//! The normal run: random programs of our own, compared three ways. The deep run (`bench/README.md`) has thousands.

use bench_frontend::differences::{self, Own};
use bench_frontend::generate::Model;
use bench_frontend::native;
use std::path::Path;
use std::time::Duration;

/// Compares `count` programs from `first` on; every one must agree.
fn agree(model: Model, first: u64, count: u64) {
    if !native::can_compile(model) {
        eprintln!("gcc cannot make programs for {model:?} here: nothing is compared");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/differences");
    let source = Own::new(model);
    let summary =
        differences::compare_all(&source, first, count, Duration::from_secs(20), &folder, |_, _| {});
    assert!(summary.found.is_empty() && summary.too_slow.is_empty(), "{summary}");
    assert_eq!(summary.same, count, "{summary}");
}

#[test]
fn programs_1_to_60_agree() {
    agree(Model::Lp64, 1, 60);
}

#[test]
fn programs_61_to_120_agree() {
    agree(Model::Lp64, 61, 60);
}

#[test]
fn programs_121_to_180_agree() {
    agree(Model::Lp64, 121, 60);
}

#[test]
fn programs_for_32_bits_agree() {
    agree(Model::Ilp32, 1, 40);
}
