//! The comparisons of the theses as ratios, ours beside theirs: simulation against traces (THESIS 6.5), minimal against greedy
//! against all predicates (7.1, 7.2), state by state against two levels against assume-guarantee (9.3; AG Fig. 4).
//! The theses' figures are read from `../shared/data/tables`; only rows in which both columns are numbers count.

use crate::{Ran, openssl_row, run};
use std::path::Path;
use std::process::ExitCode;

/// What was measured over all rows of a comparison.
#[derive(Clone, Copy, Default)]
struct Sum {
    seconds: f64,
    iterations: u64,
    predicates: u64,
    states: u64,
    megabytes: f64,
    undecided: u64,
}

impl Sum {
    fn add(&mut self, ran: &Ran, expected: &str) {
        let figure = |name: &str| ran.figures[name].as_u64().unwrap_or(0);
        self.seconds += ran.cpu_seconds;
        self.iterations += figure("iterations");
        self.predicates += figure("predicates");
        self.states = self.states.max(figure("most_states"));
        self.megabytes = self.megabytes.max(ran.peak_megabytes);
        self.undecided += u64::from(ran.verdict != expected);
    }
}

/// The properties of the pair that are compared.
const PROPERTIES: [(&str, &str); 3] =
    [("hellos_alternate", "holds"), ("success_after_finished", "holds"), ("always_certificate", "violated")];

/// Formulas about the pair.
const FORMULAS: [(&str, &str); 4] = [
    ("one_hello", "holds"),
    ("no_certificate_after_done", "holds"),
    ("hello_answered", "holds"),
    ("certificate_in_its_state", "holds"),
];

pub fn ratios(data: &Path) -> ExitCode {
    let tables = data.join("tables");
    println!(
        "All on the OpenSSL pair, {} properties ({} formulas in the last group); processor seconds; ratios to the first line.\n",
        PROPERTIES.len(),
        FORMULAS.len()
    );
    let plain = ["--engine", "plain"];
    compare(
        data,
        "Conformance (plain)",
        &PROPERTIES,
        &[
            ("simulation", [&plain[..], &["--conformance", "simulation"]].concat()),
            ("traces", [&plain[..], &["--conformance", "trace"]].concat()),
        ],
    );
    println!(
        "  THESIS 6.5: traces take {} times the time and {} times the iterations of simulation\n",
        quoted(&tables, "speed-up"),
        quoted(&tables, "fewer iterations"),
    );
    compare(
        data,
        "Predicates kept",
        &PROPERTIES,
        &[
            ("minimal", vec!["--predicates", "minimal"]),
            ("greedy", vec!["--predicates", "greedy"]),
            ("all", vec!["--predicates", "all"]),
        ],
    );
    for (name, file, other) in
        [("greedy", "thesis_table_7_1.csv", "greedy"), ("all", "thesis_table_7_2.csv", "magic")]
    {
        let time = column_ratio(&tables.join(file), &format!("{other}_time_s"), "minimize_time_s");
        let iterations = column_ratio(&tables.join(file), &format!("{other}_iter"), "minimize_iter");
        println!(
            "  THESIS 7: {name} takes {time} times the time and {iterations} times the iterations of minimal"
        );
    }
    println!();
    let traced = |engine: &'static str| vec!["--conformance", "trace", "--engine", engine];
    compare(
        data,
        "Engines (traces)",
        &PROPERTIES,
        &[
            ("plain", traced("plain")),
            ("two-level", traced("two-level")),
            ("ag1", traced("ag1")),
            ("ag2", traced("ag2")),
        ],
    );
    let figure = tables.join("seed004_figure_4.csv");
    for (name, column) in [("two-level", "two_level"), ("ag1", "ag_rule1"), ("ag2", "ag_rule2")] {
        let time = column_ratio(&figure, &format!("{column}_time_s"), "one_level_time_s");
        let memory = column_ratio(&figure, &format!("{column}_mem_mb"), "one_level_mem_mb");
        println!(
            "  AG Fig. 4: {name} takes {time} times the time and {memory} times the memory of one level"
        );
    }
    println!();
    let several = |count: &'static str| vec!["--predicates", "greedy", "--counterexamples", count];
    compare(
        data,
        "Violating runs a round",
        &FORMULAS,
        &[("1, greedy", several("1")), ("3, greedy", several("3")), ("5, greedy", several("5"))],
    );
    ExitCode::SUCCESS
}

fn compare(data: &Path, title: &str, properties: &[(&str, &'static str)], ways: &[(&str, Vec<&str>)]) {
    println!(
        "{title:22} {:>9} {:>6} {:>8} {:>6} {:>8} {:>6} {:>9} {:>6} {:>6} {:>10}",
        "s", "ratio", "rounds", "ratio", "preds", "ratio", "states", "ratio", "MB", "undecided"
    );
    let mut first: Option<Sum> = None;
    for (name, more) in ways {
        let mut sum = Sum::default();
        for &(property, expected) in properties {
            let row = openssl_row(data, property, more, expected);
            sum.add(&run(&row.arguments), expected);
        }
        let base = *first.get_or_insert(sum);
        let ratio =
            |own: f64, base: f64| if base > 0.0 { format!("{:.2}", own / base) } else { "-".to_owned() };
        println!(
            "  {name:20} {:9.2} {:>6} {:8} {:>6} {:8} {:>6} {:9} {:>6} {:6.0} {:10}",
            sum.seconds,
            ratio(sum.seconds, base.seconds),
            sum.iterations,
            ratio(sum.iterations as f64, base.iterations as f64),
            sum.predicates,
            ratio(sum.predicates as f64, base.predicates as f64),
            sum.states,
            ratio(sum.states as f64, base.states as f64),
            sum.megabytes,
            sum.undecided,
        );
    }
}

/// The sum of one column over that of another, over the rows in which both are numbers.
fn column_ratio(file: &Path, wanted: &str, base: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let place = |name: &str| head.iter().position(|own| *own == name);
    let (Some(wanted), Some(base)) = (place(wanted), place(base)) else { return "?".to_owned() };
    let (mut above, mut below) = (0.0, 0.0);
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells.get(at).and_then(|text| text.parse::<f64>().ok());
        if let (Some(own), Some(other)) = (number(wanted), number(base)) {
            above += own;
            below += other;
        }
    }
    if below > 0.0 { format!("{:.2}", above / below) } else { "?".to_owned() }
}

/// A figure of section 6.5 that the text of the thesis quotes.
fn quoted(tables: &Path, word: &str) -> String {
    let text = std::fs::read_to_string(tables.join("thesis_quoted_figures.csv")).unwrap_or_default();
    let line = text.lines().find(|line| line.contains("simulation vs trace") && line.contains(word));
    let value = line.and_then(|line| line.split("\",").nth(1)).and_then(|rest| rest.split(',').next());
    value.unwrap_or("?").to_owned()
}
