//! BDDs: images of a 24-bit counter (relational product and renaming), and the 10-queens problem.

use crate::table;
use logic::bdd::{Bdd, BddManager, BddSettings, NodeLimitReached};
use testkit::clock::Stopwatch;

const COUNTER_BITS: usize = 24;
const IMAGES: u64 = 20_000;
const QUEENS: usize = 10;

/// Steps the set {0} through the counter; result: seconds in all, and the number reached.
fn counter() -> Result<(f64, u64), NodeLimitReached> {
    let manager = BddManager::new(BddSettings::default());
    let copies = manager.add_interleaved(COUNTER_BITS, 2);
    let (now, then) = (&copies[0], &copies[1]);
    let mut relation = manager.constant(true);
    let mut carry = manager.constant(true);
    for (&a, &b) in now.iter().zip(then) {
        let (a, b) = (manager.variable(a)?, manager.variable(b)?);
        relation = relation.and(&b.equivalent(&a.xor(&carry)?)?)?;
        carry = carry.and(&a)?;
    }
    let quantified = manager.variable_set(now)?;
    let pairs: Vec<_> = then.iter().copied().zip(now.iter().copied()).collect();
    let back = manager.variable_renaming(&pairs)?;
    let zero: Vec<_> = now.iter().map(|&variable| (variable, false)).collect();
    let mut state = manager.cube(&zero)?;
    let started = Stopwatch::start();
    for _ in 0..IMAGES {
        state = state.and_exists(&relation, &quantified)?.substitute(&back)?;
    }
    let elapsed = started.read().best().as_secs_f64();
    let number = (0..COUNTER_BITS).filter(|&bit| {
        let literal = manager.literal(now[bit], true);
        literal.and_then(|literal| state.is_subset_of(&literal)) == Ok(true)
    });
    Ok((elapsed, number.fold(0, |sum, bit| sum | 1 << bit)))
}

fn queens() -> Result<(f64, Option<u128>), NodeLimitReached> {
    let started = Stopwatch::start();
    let manager = BddManager::new(BddSettings::default());
    let squares = manager.add_variables(QUEENS * QUEENS);
    let square = |row: usize, column: usize| squares[row * QUEENS + column];
    let mut board = manager.constant(true);
    for row in 0..QUEENS {
        let mut somewhere = manager.constant(false);
        for column in 0..QUEENS {
            somewhere = somewhere.or(&manager.variable(square(row, column))?)?;
        }
        board = board.and(&somewhere)?;
    }
    for row in 0..QUEENS {
        for column in 0..QUEENS {
            let mut others: Vec<_> = Vec::new();
            for r in 0..QUEENS {
                for c in 0..QUEENS {
                    let attacked = r == row || c == column || r.abs_diff(row) == c.abs_diff(column);
                    if attacked && (r, c) != (row, column) {
                        others.push((square(r, c), false));
                    }
                }
            }
            let rule: Bdd = manager.variable(square(row, column))?.implies(&manager.cube(&others)?)?;
            board = board.and(&rule)?;
        }
    }
    Ok((started.read().best().as_secs_f64(), board.count_exactly(QUEENS * QUEENS)))
}

/// Prints the table.
pub fn measure() {
    let mut rows = Vec::new();
    match counter() {
        Ok((seconds, reached)) => {
            assert_eq!(reached, IMAGES, "the counter counts");
            rows.push(vec![
                format!("{COUNTER_BITS}-bit counter, {IMAGES} images"),
                format!("{:.1} us/image", seconds * 1e6 / IMAGES as f64),
            ]);
        }
        Err(full) => rows.push(vec!["counter".to_owned(), full.to_string()]),
    }
    match queens() {
        Ok((seconds, count)) => {
            assert_eq!(count, Some(724), "ten queens have 724 solutions");
            rows.push(vec![format!("{QUEENS} queens"), format!("{seconds:.2} s")]);
        }
        Err(full) => rows.push(vec!["queens".to_owned(), full.to_string()]),
    }
    table::print("BDDs (OxiDD, one thread)", &["problem", "cpu time"], &rows);
}
