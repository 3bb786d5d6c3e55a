//! The deep run of the property test: random terms, evaluated, simplified, solved.

use logic::random_terms::TermShape;
use std::process::ExitCode;
use std::time::Instant;
use testkit::terms::{Agreement, check_random_terms};

const BATCH: u64 = 10_000;

/// Checks `count` terms: three quarters bit-vectors up to 64 bits, the rest with arrays and functions, narrow and wide.
pub fn measure(count: u64) -> ExitCode {
    let started = Instant::now();
    let mut total = Agreement::default();
    let mut seed = 100;
    while total.terms < count {
        let size = BATCH.min(count - total.terms);
        let (narrow, wide) = (size / 8, size / 8);
        let sizes = [
            (size - narrow - wide, TermShape::BITS),
            (narrow, TermShape::ARRAYS),
            (wide, TermShape::WIDE_ARRAYS),
        ];
        for (size, shape) in sizes {
            seed += 1;
            match check_random_terms(seed, size, shape) {
                Ok(agreement) => total.join(&agreement),
                Err(difference) => {
                    println!("DIFFERENCE: {difference}");
                    return ExitCode::FAILURE;
                }
            }
        }
        println!("{} terms, {:.0} s", total.terms, started.elapsed().as_secs_f64());
    }
    println!(
        "{} terms, 0 differences: {} changed by the simplifier, each of the same value; {} computed by the solver with \
         all symbols fixed; with free symbols {} models confirmed, {} unsatisfiable, {} given up after 5 ms",
        total.terms, total.simplified, total.computed, total.sat, total.unsat, total.unknown
    );
    println!(
        "met: {} operators, {} of the widths 1 to 64; missing: {:?}",
        total.coverage.operator_count(),
        total.coverage.width_count(),
        total.coverage.missing()
    );
    if total.coverage.missing().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
