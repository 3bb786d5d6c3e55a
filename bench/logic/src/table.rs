//! Tables of figures.

use std::time::Duration;
use testkit::clock::Elapsed;

/// Prints a table with its columns aligned.
pub fn print(title: &str, header: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .chain([header[column].chars().count()])
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        println!("| {} |", padded.join(" | "));
    };
    println!("\n## {title}");
    line(&header.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>());
    line(&widths.iter().map(|&width| "-".repeat(width)).collect::<Vec<_>>());
    for row in rows {
        line(row);
    }
}

/// Microseconds for each of `count`: processor time where the system tells it.
pub fn micros_each(elapsed: Elapsed, count: u64) -> f64 {
    per(elapsed.best(), count)
}

/// Microseconds on the wall for each of `count`.
pub fn wall_micros_each(elapsed: Elapsed, count: u64) -> f64 {
    per(elapsed.wall, count)
}

fn per(elapsed: Duration, count: u64) -> f64 {
    elapsed.as_secs_f64() * 1e6 / count.max(1) as f64
}

/// How many times slower `other` is.
pub fn ratio(ours: f64, other: f64) -> String {
    format!("{:.1}x", other / ours)
}
