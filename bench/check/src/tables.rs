//! The theses' tables beside ours, row by row: THESIS 7.1 and 7.2 (predicates of single components of the handshake), 8.2
//! (formulas on it), 9.2 and 9.3 (one level against two). The theses do not print the properties behind their rows, so ours are of
//! the same kind (one event only after another, on the same code), as many as they have, and the figures to compare are
//! the sizes, not the order of rows.

use crate::{FLUSH, Ran, run};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A table as comma-separated text.
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Reads a file; an absent one has no rows.
    pub fn read(file: &Path) -> Table {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect());
        Table { head: lines.next().unwrap_or_default(), rows: lines.collect() }
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.head.iter().position(|own| own == name)
    }

    /// The cell of a column in the row in which another column has this value.
    pub fn cell(&self, key: &str, value: &str, wanted: &str) -> Option<&str> {
        let (key, wanted) = (self.column(key)?, self.column(wanted)?);
        let row = self.rows.iter().find(|row| row[key] == value)?;
        row.get(wanted).map(String::as_str)
    }
}

/// One event only after another, asked of the server or of the client alone.
struct Order {
    first: &'static str,
    then: &'static str,
}

const fn order(first: &'static str, then: &'static str) -> Order {
    Order { first, then }
}

const SERVER: [Order; 16] = [
    order("exch_client_hello", "exch_server_hello"),
    order("exch_client_hello", "exch_server_certificate"),
    order("exch_client_hello", "send_server_done"),
    order("exch_client_hello", "send_change_cipher_spec"),
    order("exch_client_hello", "finished_srvr_to_clnt"),
    order("exch_client_hello", "cert_verify_clnt_to_srvr"),
    order("exch_client_hello", "key_exchange_clnt_to_srvr"),
    order("exch_server_hello", "exch_server_certificate"),
    order("exch_server_hello", "key_exchange_srvr_to_clnt"),
    order("exch_server_hello", "certificate_request_srvr_to_clnt"),
    order("exch_server_hello", "send_server_done"),
    order("exch_server_hello", "send_change_cipher_spec"),
    order("exch_server_hello", "exch_client_certificate"),
    order("key_exchange_clnt_to_srvr", "cert_verify_clnt_to_srvr"),
    order("exch_client_certificate", "key_exchange_clnt_to_srvr"),
    order("send_change_cipher_spec", "finished_srvr_to_clnt"),
];

const CLIENT: [Order; 4] = [
    order("exch_client_hello", "exch_server_hello"),
    order("exch_server_hello", "exch_server_certificate"),
    order("exch_server_hello", "key_exchange_clnt_to_srvr"),
    order("send_change_cipher_spec", "finished_clnt_to_srvr"),
];

/// As many again, where a table has eight of the client.
const MORE_CLIENT: [Order; 4] = [
    order("exch_client_hello", "exch_server_certificate"),
    order("exch_client_hello", "key_exchange_clnt_to_srvr"),
    order("exch_client_hello", "finished_clnt_to_srvr"),
    order("exch_server_hello", "finished_clnt_to_srvr"),
];

impl Order {
    fn process(&self) -> String {
        let Order { first, then } = self;
        format!("Before = ( {first} -> After ), After = ( {first} -> After | {then} -> After ).\n{FLUSH}")
    }

    /// As a formula: not the second before the first.
    fn formula(&self) -> String {
        format!("(!{}) W {}", self.then, self.first)
    }
}

/// Which side of the handshake.
#[derive(Clone, Copy)]
enum Side {
    Server,
    Client,
}

impl Side {
    fn file(self) -> &'static str {
        match self {
            Side::Server => "openssl/ssl3_accept.c+openssl/server.spec",
            Side::Client => "openssl/ssl3_connect.c+openssl/client.spec",
        }
    }

    fn program(self, question: &str) -> String {
        match self {
            Side::Server => {
                format!("cprog one = ssl3_accept {{ {question} }}\n").replace("{}", "{$1->state == 8464}")
            }
            Side::Client => {
                format!("cprog one = ssl3_connect {{ {question} }}\n").replace("{}", "{$1->state == 12292}")
            }
        }
    }
}

fn run_with(data: &Path, sides: &[Side], specification: &str, more: &[&str]) -> Ran {
    let own: PathBuf = std::env::temp_dir().join(format!("concord-tables-{}.spec", std::process::id()));
    std::fs::write(&own, specification).expect("the temporary folder can be written");
    let place = |files: &str| {
        let parts = files.split('+').map(|part| data.join(part).to_string_lossy().into_owned());
        parts.collect::<Vec<_>>().join("+")
    };
    let mut arguments: Vec<String> = sides.iter().map(|side| place(side.file())).collect();
    arguments.push(own.to_string_lossy().into_owned());
    arguments.extend(["--missing", "pure"].iter().chain(more).map(|text| (*text).to_owned()));
    let ran = run(&arguments);
    std::fs::remove_file(&own).expect("removed");
    ran
}

fn figure(ran: &Ran, name: &str) -> u64 {
    ran.figures[name].as_u64().unwrap_or(0)
}

/// Prints all tables; a verdict that is not as expected makes the exit status 1.
pub fn tables(data: &Path) -> ExitCode {
    let singles = || {
        SERVER
            .iter()
            .map(|order| (Side::Server, order))
            .chain(CLIENT.iter().map(|order| (Side::Client, order)))
    };
    let mut wrong = 0;
    let mut note = |ran: &Ran| {
        wrong += usize::from(ran.verdict != "holds");
        if ran.verdict == "holds" { " " } else { "!" }
    };
    let (greedy, minimal) = (
        Table::read(&data.join("tables/thesis_table_7_1.csv")),
        Table::read(&data.join("tables/thesis_table_7_2.csv")),
    );
    println!(
        "THESIS Tables 7.1 and 7.2: expressions/predicates/branches, iterations, seconds, MB; one component each"
    );
    println!(
        "  {:52} {:7} {:>12} {:>6} {:>7} {:>5}   {:12} {:>12} {:>6} {:>6} {:>5}",
        "ours", "kept", "e/p/b", "rounds", "s", "MB", "theirs", "e/p/b", "iter", "s", "MB"
    );
    for (at, (side, order)) in singles().enumerate() {
        let text = side.program("abstract asked, {}, Before;") + &order.process();
        let theirs = if at < SERVER.len() {
            format!("ssl-srvr-{}", at + 1)
        } else {
            format!("ssl-clnt-{}", at + 1 - SERVER.len())
        };
        for (kept, table, columns) in [("minimal", &minimal, "minimize"), ("greedy", &greedy, "greedy")] {
            let ran = run_with(data, &[side], &text, &["--predicates", kept]);
            let mark = note(&ran);
            let cell = |column: &str| {
                table.cell("program", &theirs, &format!("{columns}_{column}")).unwrap_or("?").to_owned()
            };
            let counted = ["predicates", "predicates_of_different_values", "seeds_of_different_values"]
                .map(|name| figure(&ran, name).to_string())
                .join("/");
            println!(
                "{mark} {:52} {kept:7} {counted:>12} {:>6} {:7.2} {:5.0}   {theirs:12} {:>12} {:>6} {:>6} {:>5} {}",
                format!("{} < {}", order.first, order.then),
                figure(&ran, "iterations"),
                ran.cpu_seconds,
                ran.peak_megabytes,
                cell("pred"),
                cell("iter"),
                cell("time_s"),
                cell("mem_mb"),
                ran.reason
            );
        }
    }
    let eights = Table::read(&data.join("tables/thesis_table_8_2.csv"));
    println!("\nTHESIS Table 8.2: formulas over events; states of the model, seconds");
    let names = ["srvr-1-se", "srvr-2-se", "srvr-3-se", "srvr-4-se", "srvr-5-se"];
    let ours = SERVER.iter().take(5).map(|order| (Side::Server, order)).zip(names);
    let ours =
        ours.chain(CLIENT.iter().take(2).map(|order| (Side::Client, order)).zip(["clnt-1-se", "clnt-2-se"]));
    for ((side, order), theirs) in ours {
        let question = format!("formula asked, {{}}, {};", order.formula());
        let ran = run_with(data, &[side], &(side.program(&question) + FLUSH), &[]);
        let mark = note(&ran);
        let cell = |column: &str| eights.cell("name", theirs, column).unwrap_or("?");
        println!(
            "{mark} {:72} {:>8} {:7.2} {:5.0} MB  {theirs:10} {:>8} states {:>8} ms {}",
            order.formula(),
            figure(&ran, "states"),
            ran.cpu_seconds,
            ran.peak_megabytes,
            cell("model_states"),
            cell("total_time_ms"),
            ran.reason
        );
    }
    let both = |sides: &[Side], text: &str| {
        ["plain", "two-level"].map(|engine| {
            let more = ["--engine", engine, "--conformance", "trace"];
            run_with(data, sides, text, &more)
        })
    };
    let shown = |[one, two]: &[Ran; 2]| {
        let part = |ran: &Ran| {
            let states = figure(ran, "most_states");
            format!("{states:>7} {:6.2} {:4.0} MB", ran.cpu_seconds, ran.peak_megabytes)
        };
        format!("{} | {}", part(one), part(two))
    };
    let nines = Table::read(&data.join("tables/thesis_table_9_2.csv"));
    println!("\nTHESIS Table 9.2: one component; most states, seconds and memory, one level and two");
    let servers = SERVER.iter().take(8).map(|order| (Side::Server, order));
    let clients = CLIENT.iter().chain(&MORE_CLIENT).map(|order| (Side::Client, order));
    for (at, (side, order)) in servers.chain(clients).enumerate() {
        let theirs = if at < 8 { format!("srvr-{}", at + 1) } else { format!("clnt-{}", at - 7) };
        let text = side.program("abstract asked, {}, Before;") + &order.process();
        let ran = both(&[side], &text);
        let marks = [note(&ran[0]), note(&ran[1])].concat();
        let cell = |column: &str| nines.cell("benchmark", &theirs, column).unwrap_or("?");
        println!(
            "{marks} {:52} {}   {theirs:8} {:>7} {:>5} | {:>6} {:>5}",
            format!("{} < {}", order.first, order.then),
            shown(&ran),
            cell("predonly_states"),
            cell("predonly_time_s"),
            cell("bothabst_states"),
            cell("bothabst_time_s"),
        );
    }
    let nines = Table::read(&data.join("tables/thesis_table_9_3.csv"));
    println!("\nTHESIS Table 9.3: the pair; most states, seconds and memory, one level and two");
    for (at, order) in SERVER.iter().take(13).enumerate() {
        let theirs = format!("conc-{}", at + 1);
        let pair = "cprog pair = ssl3_accept, ssl3_connect { abstract asked, {$1->state == 8464, $1->state == 12292}, Before; }\n";
        let ran = both(&[Side::Server, Side::Client], &format!("{pair}{}", order.process()));
        let marks = [note(&ran[0]), note(&ran[1])].concat();
        let cell = |column: &str| nines.cell("benchmark", &theirs, column).unwrap_or("?");
        println!(
            "{marks} {:52} {}   {theirs:8} {:>7} {:>5} {:>5} MB | {:>6} {:>5} {:>4} MB",
            format!("{} < {}", order.first, order.then),
            shown(&ran),
            cell("predonly_states"),
            cell("predonly_time_s"),
            cell("predonly_mem_mb"),
            cell("bothabst_states"),
            cell("bothabst_time_s"),
            cell("bothabst_mem_mb"),
        );
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
