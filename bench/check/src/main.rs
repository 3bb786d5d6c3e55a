//! Runs `concord check` on the theses' programs. See the README.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command line

mod families;
mod ratios;
mod tables;

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

struct Row {
    name: String,
    arguments: Vec<String>,
    expected: &'static str,
}

struct Ran {
    verdict: String,
    /// Of the processor, user and system.
    cpu_seconds: f64,
    /// The most memory that was in use, in megabytes.
    peak_megabytes: f64,
    figures: Value,
    reason: String,
}

fn main() -> ExitCode {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.exists() {
        eprintln!("{} is absent: there is nothing to run", data.display());
        return ExitCode::FAILURE;
    }
    let command = std::env::args().nth(1).unwrap_or_default();
    match command.as_str() {
        "measure" => measure(),
        "rows" => table(&rows(&data)),
        "ratios" => ratios::ratios(&data),
        "tables" => tables::tables(&data),
        "families" => families::families(&data),
        "all" => {
            let steps: [fn(&Path) -> ExitCode; 4] =
                [ratios::ratios, tables::tables, families::families, |data| table(&rows(data))];
            let mut worst = ExitCode::SUCCESS;
            for step in steps {
                let status = step(&data);
                if status != ExitCode::SUCCESS {
                    worst = status;
                }
                println!();
            }
            worst
        }
        _ => {
            eprintln!("one of: rows, ratios, tables, families, all (see README.md)");
            ExitCode::FAILURE
        }
    }
}

fn binary() -> PathBuf {
    std::env::var_os("CONCORD").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/concord"),
        PathBuf::from,
    )
}

/// Runs `concord` once, in a process of its own, so that what the system says about children is about this run alone. The
/// figures are the last line of standard error.
fn measure() -> ExitCode {
    let status = Command::new(binary())
        .args(std::env::args().skip(2))
        .status()
        .expect("concord runs: build it with `cargo build --release -p concord`");
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("the system tells");
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    let kilobytes = usage.max_rss();
    eprintln!("{} {kilobytes}", seconds(usage.user_time()) + seconds(usage.system_time()));
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}

fn run(arguments: &[String]) -> Ran {
    let output = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["measure", "check", "--format", "json", "--quiet", "--time-limit", "400s"])
        .args(arguments)
        .output()
        .expect("this program runs");
    let messages = String::from_utf8_lossy(&output.stderr);
    let mut figures = messages.lines().last().unwrap_or_default().split(' ').map(|text| text.parse().ok());
    let mut figure = || -> f64 { figures.next().flatten().unwrap_or(f64::NAN) };
    let (cpu_seconds, peak_megabytes) = (figure(), figure() / 1024.0);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let result = &document["results"][0];
    let word = |value: &Value| value.as_str().unwrap_or("").to_owned();
    let verdict = word(&result["verdict"]);
    let verdict = if verdict.is_empty() { format!("status {}", output.status) } else { verdict };
    let (figures, reason) = (result["statistics"].clone(), word(&result["reason"]));
    Ran { verdict, cpu_seconds, peak_megabytes, figures, reason }
}

fn row(data: &Path, name: &str, files: &[&str], more: &[&str], expected: &'static str) -> Row {
    let place = |text: &&str| {
        let parts = text.split('+').map(|part| data.join(part).to_string_lossy().into_owned());
        parts.collect::<Vec<_>>().join("+")
    };
    let mut arguments: Vec<String> = files.iter().map(place).collect();
    arguments.extend(more.iter().map(|text| match text.strip_prefix("@/") {
        Some(file) => data.join(file).to_string_lossy().into_owned(),
        None => (*text).to_owned(),
    }));
    Row { name: name.to_owned(), arguments, expected }
}

fn rows(data: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    for (name, expected) in
        [("abs_5", "holds"), ("abs_6", "holds"), ("abs_7", "violated"), ("abs_8", "violated")]
    {
        rows.push(row(
            data,
            name,
            &["tutorial/my_proc.c+tutorial/my_spec.spec"],
            &["--only", name],
            expected,
        ));
    }
    for (name, expected) in
        [("abs_9", "holds"), ("abs_10", "holds"), ("abs_11", "violated"), ("abs_12", "violated")]
    {
        rows.push(row(
            data,
            name,
            &["tutorial/my_proc.c", "tutorial/my_conc.spec"],
            &["--only", name],
            expected,
        ));
    }
    rows.push(row(data, "figure 3.1", &["figures/component.c", "figures/component.spec"], &[], "holds"));
    let invalid = ["figures/component.c", "figures/component_invalid.spec"];
    rows.push(row(data, "figure 3.1 invalid", &invalid, &[], "violated"));
    for size in 2..=12 {
        for (program, formula, expected) in [
            ("surge_se", "phi_se", "holds"),
            ("surge_ks", "phi_s", "holds"),
            ("surge_se", "phi_e", "holds"),
            ("surge_se", "phi_e_until", "violated"),
            ("surge_se", "phi_se_bad", "violated"),
        ] {
            let files = format!("surge/n{size:02}/{program}.c+surge/n{size:02}/{program}.spec");
            let formula_file = format!("@/surge/n{size:02}/{formula}.seltl");
            let name = format!("surge {size} {formula}");
            rows.push(row(data, &name, &[&files], &["--formula", &formula_file], expected));
        }
    }
    for size in 2..=12 {
        let file = |name: &str| format!("dining/n{size:02}/{name}");
        let with = [file("philosophers.c"), file("lock.c"), file("forks.c"), file("dining.spec")];
        let with: Vec<&str> = with.iter().map(String::as_str).collect();
        rows.push(row(
            data,
            &format!("dining {size} safe, traces"),
            &with,
            &["--conformance", "trace"],
            "holds",
        ));
        rows.push(row(data, &format!("dining {size} deadlock"), &with, &["--deadlock"], "holds"));
        if size <= 4 {
            let without = [file("philosophers_nolock.c"), file("forks.c"), file("dining_nolock.spec")];
            let without: Vec<&str> = without.iter().map(String::as_str).collect();
            rows.push(row(data, &format!("dining {size} no lock, safe"), &without, &[], "violated"));
            rows.push(row(
                data,
                &format!("dining {size} no lock, deadlock"),
                &without,
                &["--deadlock"],
                "violated",
            ));
        }
    }
    rows.extend([16, 20, 30].into_iter().flat_map(|size| large_dining(data, size)));
    rows.push(server_alone(data));
    rows.push(openssl(data, &[]));
    for (name, expected) in [
        ("hellos_alternate", "holds"),
        ("no_key_after_cipher", "holds"),
        ("client_starts", "holds"),
        ("key_after_hello", "holds"),
        ("finished_after_cipher", "holds"),
        ("success_after_finished", "holds"),
        ("verify_after_key", "holds"),
        ("always_certificate", "violated"),
        ("one_hello", "holds"),
        ("no_certificate_after_done", "holds"),
        ("hello_answered", "holds"),
        ("certificate_in_its_state", "holds"),
    ] {
        rows.push(openssl_row(data, name, &[], expected));
    }
    rows
}

/// Philosophers beyond the sizes that are there, by the generator of the data.
fn large_dining(data: &Path, size: usize) -> Vec<Row> {
    let folder = std::env::temp_dir().join("concord-bench-dining");
    let script = data.join("dining/gen_dining.py");
    let made = Command::new("python3").arg(script).args(["--one", &size.to_string()]).arg(&folder).output();
    if !made.is_ok_and(|output| output.status.success()) {
        eprintln!("python3 cannot run the data's generator: dining {size} is not measured");
        return Vec::new();
    }
    let files = ["philosophers.c", "lock.c", "forks.c", "dining.spec"];
    let files: Vec<String> = files.iter().map(|file| format!("n{size:02}/{file}")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    vec![
        row(&folder, &format!("dining {size} safe"), &files, &[], "holds"),
        row(&folder, &format!("dining {size} deadlock"), &files, &["--deadlock"], "holds"),
    ]
}

/// One statement of `openssl.spec`.
fn openssl_row(data: &Path, name: &str, more: &[&str], expected: &'static str) -> Row {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("openssl.spec").to_string_lossy().into_owned();
    let files =
        ["openssl/ssl3_accept.c+openssl/server.spec", "openssl/ssl3_connect.c+openssl/client.spec", &own];
    let more = [&["--missing", "pure", "--only", name], more].concat();
    row(data, &format!("openssl {name}"), &files, &more, expected)
}

/// The debug flush of EXPECTED.md's reading: -1 on failure.
const FLUSH: &str = "cproc BIO_ctrl { abstract { flush, 1, Flush }; }
Flush = ( return {$0 == -1} -> STOP | return {$0 == 1} -> STOP ).
";

/// The server alone against the process of the pair.
fn server_alone(data: &Path) -> Row {
    let text = std::fs::read_to_string(data.join("openssl/ssl3.spec")).expect("the specification is there");
    let process = text.find("Ssl3 =").map_or("", |from| &text[from..]);
    let own = std::env::temp_dir().join("concord-bench-server.spec");
    let question = "cprog server = ssl3_accept { abstract server, {$1->state == (0x110|0x2000)}, Ssl3; }";
    std::fs::write(&own, format!("{question}\n{process}\n{FLUSH}"))
        .expect("the temporary folder can be written");
    let own = own.to_string_lossy().into_owned();
    let files = ["openssl/ssl3_accept.c+openssl/server.spec", &own];
    row(data, "openssl server alone", &files, &["--missing", "pure"], "holds")
}

fn openssl(data: &Path, more: &[&str]) -> Row {
    let flush = std::env::temp_dir().join("concord-bench-flush.spec");
    std::fs::write(&flush, FLUSH).expect("the temporary folder can be written");
    let flush = flush.to_string_lossy().into_owned();
    let files = [
        "openssl/ssl3_accept.c+openssl/server.spec",
        "openssl/ssl3_connect.c+openssl/client.spec",
        "openssl/ssl3.spec",
        &flush,
    ];
    let more: Vec<&str> = ["--missing", "pure"].iter().chain(more).copied().collect();
    row(data, &format!("openssl server || client {}", more[2..].join(" ")), &files, &more, "holds")
}

fn table(rows: &[Row]) -> ExitCode {
    let mut wrong = Vec::new();
    let mut lines = Vec::new();
    for row in rows {
        let ran = run(&row.arguments);
        let figure =
            |name: &str| ran.figures[name].as_u64().map_or_else(|| "-".to_owned(), |value| value.to_string());
        let mark = if ran.verdict == row.expected { " " } else { "!" };
        let line = format!(
            "{mark} {:44} {:10} {:8.2} {:6.0} {:>6} {:>6} {:>6} {:>6} {:>9} {}",
            row.name,
            ran.verdict,
            ran.cpu_seconds,
            ran.peak_megabytes,
            figure("iterations"),
            figure("predicates"),
            figure("predicates_of_different_values"),
            figure("seeds_of_different_values"),
            figure("most_states"),
            ran.reason
        );
        if ran.verdict != row.expected {
            wrong.push(line.clone());
        }
        lines.push(line);
    }
    println!("{} of {} rows are not as expected", wrong.len(), rows.len());
    wrong.iter().for_each(|line| println!("{line}"));
    let head = format!(
        "  {:44} {:10} {:>8} {:>6} {:>6} {:>6} {:>6} {:>6} {:>9}",
        "row", "verdict", "cpu s", "MB", "rounds", "preds", "kinds", "seeds", "states"
    );
    println!("{head}");
    lines.iter().for_each(|line| println!("{line}"));
    if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
