//! A term with more than 2^60 paths: simplified and checked.

use crate::table;
use base::Budget;
use base::budget::{peak_resident_bytes, resident_bytes};
use logic::simplify::Simplifier;
use logic::traits::{Assert, CheckAssuming};
use logic::{Answer, EmbeddedSolver, TermPool};
use testkit::clock::Stopwatch;

/// Prints the table.
pub fn measure() {
    let before = resident_bytes().unwrap_or(0);
    let mut pool = TermPool::new();
    let mut term = pool.bitvec_symbol("x", 32);
    for step in 0..60 {
        let condition = pool.bool_symbol(&format!("c{step}"));
        let (flipped, number) = (pool.bvnot(term), pool.number(32, step + 1));
        let sum = pool.bvadd(term, number);
        term = pool.ite(condition, sum, flipped);
    }
    let started = Stopwatch::start();
    let simple = Simplifier::new().simplify(&mut pool, term);
    let simplified = started.read().wall;
    let target = pool.number(32, 12345);
    let claim = pool.equal(simple, target);
    let mut solver = EmbeddedSolver::default();
    solver.assert(&mut pool, claim);
    let answer = solver.check(&mut pool, &Budget::unlimited());
    assert_eq!(answer, Answer::Sat, "some path reaches the number");
    let checked = started.read().wall;
    let grown = resident_bytes().unwrap_or(0).saturating_sub(before);
    let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    let rows = vec![vec![
        pool.size().terms.to_string(),
        format!("{:.2} ms", simplified.as_secs_f64() * 1e3),
        format!("{:.2} ms", checked.as_secs_f64() * 1e3),
        megabytes(grown),
        megabytes(peak_resident_bytes().unwrap_or(0)),
    ]];
    let header = ["terms", "simplified after", "checked after", "memory grown by", "peak of the process"];
    table::print("A shared chain of 60 choices (2^60 paths)", &header, &rows);
}
