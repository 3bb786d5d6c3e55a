//! Memory that a budget ended goes back to the system. Alone in its file, hence in a process of its own: what other
//! tests hold would disturb the figures.

use base::Budget;
use base::budget::resident_bytes;
use logic::traits::{Assert, CheckAssuming};
use logic::{Answer, EmbeddedSolver, TermPool, UnknownReason};
use std::time::Duration;

#[test]
#[allow(clippy::print_stderr)]
fn the_system_has_the_memory_back() {
    let Some(at_first) = resident_bytes() else {
        eprintln!("this system does not tell how much memory is in use: nothing to measure");
        return;
    };
    let mut pool = TermPool::new();
    let x = pool.bitvec_symbol("x", 32);
    let nine = pool.number(32, 9);
    let kept = pool.ult(x, nine);
    {
        // A question far too hard for its time (factoring), in a pool full of other terms.
        let mut solver = EmbeddedSolver::default();
        let (a, b) = (pool.bitvec_symbol("a", 64), pool.bitvec_symbol("b", 64));
        let (product, target) = (pool.bvmul(a, b), pool.number(64, 2_038_074_743 * 1_500_450_271));
        let (one, limit) = (pool.number(64, 1), pool.number(64, 1 << 32));
        let mut claims = vec![pool.equal(product, target)];
        for factor in [a, b] {
            claims.extend([pool.ult(one, factor), pool.ult(factor, limit)]);
        }
        let claim = pool.all_of(&claims);
        for number in 0..300_000 {
            let number = pool.number(64, number);
            let sum = pool.bvadd(a, number);
            pool.bvxor(sum, product);
        }
        solver.assert(&mut pool, claim);
        let budget = Budget::unlimited().with_time(Duration::from_millis(300));
        let answer = solver.check(&mut pool, &budget);
        assert!(
            matches!(answer, Answer::Unknown(UnknownReason::Exhausted(base::Exhausted::Time))),
            "{answer:?}"
        );
    }
    let at_most = resident_bytes().unwrap_or(0);
    let held = pool.size().bytes;
    assert!(held > 30_000_000, "{held}");
    let copies = pool.keep_only(&[kept]);
    let at_last = resident_bytes().unwrap_or(u64::MAX);
    eprintln!("{at_first} bytes at first, {at_most} when the budget ended, {at_last} afterwards");
    assert!(at_most > at_first + 30_000_000, "{at_first} {at_most}");
    assert!(at_last < at_first + (at_most - at_first) / 2, "{at_first} {at_most} {at_last}");
    // And on it goes.
    let mut solver = EmbeddedSolver::default();
    assert_eq!(solver.check_assuming(&mut pool, &copies, &Budget::unlimited()), Answer::Sat);
}
