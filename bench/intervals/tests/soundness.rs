//! The normal run: a few hundred random programs; `bench-intervals fuzz` makes thousands.

use bench_frontend::generate;
use bench_intervals::{formulas, read, soundness};
use intervals::{Overflow, Precision, Settings};
use std::path::Path;

#[test]
fn values_seen_by_runs_lie_in_the_ranges() {
    compare(0..100);
}

#[test]
fn values_seen_by_more_runs_lie_in_the_ranges() {
    compare(100..200);
}

fn compare(seeds: std::ops::Range<u64>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-intervals");
    let mut checks = 0;
    for seed in seeds {
        let text = generate::program(seed, generate::Settings::default());
        let program =
            read::text(&folder, &format!("normal{seed}"), &text).expect("generated programs are valid");
        let overflow = if seed % 2 == 0 { Overflow::Stops } else { Overflow::Wraps };
        // Most at the quickest level, some as users have it.
        let precision = match seed % 8 {
            0 | 4 => Precision::default(),
            1 => Precision::level(2),
            5 => Precision::level(3),
            _ => Precision::level(0),
        };
        let settings = Settings { overflow, precision, ..Settings::default() };
        checks += soundness::check(&program, &settings, seed)
            .unwrap_or_else(|trouble| panic!("seed {seed}: {trouble}"));
    }
    assert!(checks > 5_000, "only {checks} values were compared");
}

#[test]
fn formulas_agree_with_exhaustive_search() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-intervals");
    let (mut decided, mut all) = (0, 0);
    for seed in 0..25 {
        let (more, of) = formulas::check_seed(&folder, seed, 8).unwrap_or_else(|trouble| panic!("{trouble}"));
        decided += more;
        all += of;
    }
    // Finite programs whose inputs can be split are decided nearly always; a checker that always says Maybe fails here.
    assert!(decided * 10 >= all * 8, "{decided} of {all} formulas were decided");
}
