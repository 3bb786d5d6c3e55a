//! The deep run of the property test: random terms, evaluated, simplified, solved.

use logic::differential::{Agreement, TermShape, check_random_terms};
use std::process::ExitCode;
use std::time::Instant;

const BATCH: u64 = 10_000;

/// Checks `count` terms: three quarters bit-vectors up to 64 bits, one quarter with arrays and functions.
pub fn measure(count: u64) -> ExitCode {
    let started = Instant::now();
    let mut total = Agreement::default();
    let mut seed = 100;
    while total.terms < count {
        let size = BATCH.min(count - total.terms);
        for (size, shape) in [(size - size / 4, TermShape::BITS), (size / 4, TermShape::ARRAYS)] {
            seed += 1;
            match check_random_terms(seed, size, shape) {
                Ok(agreement) => {
                    total.terms += agreement.terms;
                    total.simplified += agreement.simplified;
                    total.sat += agreement.sat;
                    total.unsat += agreement.unsat;
                    total.unknown += agreement.unknown;
                }
                Err(difference) => {
                    println!("DIFFERENCE: {difference}");
                    return ExitCode::FAILURE;
                }
            }
        }
        println!("{} terms, {:.0} s", total.terms, started.elapsed().as_secs_f64());
    }
    println!(
        "{} terms, 0 differences: {} simplified; {} models confirmed, {} unsatisfiable, {} given up after 5 ms",
        total.terms, total.simplified, total.sat, total.unsat, total.unknown
    );
    ExitCode::SUCCESS
}
