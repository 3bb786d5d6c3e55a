//! The families of THESIS Table 10.1 and AG Fig. 6 as C components of any size, made here: philosophers with a lock that is
//! given back late (`DPN`) or too early (`DPD`), readers and writers (`RW`), tasks behind locks taken in one order
//! (`UCOSN`) or not (`UCOSD`). Small ones are in `examples/`; these are measured beside the tables.

use crate::tables::Table;
use crate::{Ran, run};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

/// A system as its two files.
struct System {
    code: String,
    specification: String,
}

/// Calls with the number of the caller: each is one event.
fn calls(names: &[(&str, &str)], size: usize, system: &mut System) {
    for (call, event) in names {
        let _ = writeln!(system.code, "void {call}(int who);");
        let _ = write!(system.specification, "cproc {call} {{");
        for who in 1..=size {
            let _ =
                write!(system.specification, " abstract {{ {call}_{who}, $1 == {who}, Do_{call}_{who} }};");
        }
        system.specification.push_str(" }\n");
        for who in 1..=size {
            let line = format!("Do_{call}_{who} = ( {event}_{who} -> return {{}} -> STOP ).\n");
            system.specification.push_str(&line);
        }
    }
}

fn copies(name: &str, body: &str, size: usize, code: &mut String) {
    for who in 1..=size {
        let _ = writeln!(
            code,
            "int {name}_{who}(void) {{ while (1) {{ {} }} }}",
            body.replace('#', &who.to_string())
        );
    }
}

/// The question about components and processes with these names.
fn program(parts: &[String], question: &str) -> String {
    let ones = vec!["1"; parts.len()].join(", ");
    format!("cprog all = {} {{ {} }}\n", parts.join(", "), question.replace("{}", &format!("{{{ones}}}")))
}

fn named(name: &str, size: usize) -> impl Iterator<Item = String> {
    (1..=size).map(move |who| format!("{name}_{who}"))
}

fn choice(alternatives: impl Iterator<Item = String>) -> String {
    alternatives.collect::<Vec<_>>().join(" | ")
}

/// Philosophers with a lock; `is_safe`: it is given back when both forks are there.
fn philosophers(size: usize, is_safe: bool, asks_for_deadlock: bool) -> System {
    let mut system = System { code: String::new(), specification: String::new() };
    let names = [
        ("take_lock", "lock"),
        ("give_lock", "unlock"),
        ("take_left", "left"),
        ("give_left", "put_left"),
        ("reach_out", "reach"),
        ("take_right", "right"),
        ("give_right", "put_right"),
    ];
    calls(&names, size, &mut system);
    let order = if is_safe { "take_right(who); give_lock(who);" } else { "give_lock(who); take_right(who);" };
    let _ = write!(
        system.code,
        "int is_hungry(void);
static void dine(int who) {{
    take_lock(who); take_left(who);
    if (is_hungry()) {{ reach_out(who); {order} give_right(who); }} else {{ give_lock(who); }}
    give_left(who);
}}
"
    );
    copies("philosopher", "dine(#);", size, &mut system.code);
    let text = &mut system.specification;
    text.push_str("cproc is_hungry { abstract { hungry, 1, Hungry }; }\n");
    text.push_str("Hungry = ( return {$0 == 1} -> STOP | return {$0 == 0} -> STOP ).\n");
    for fork in 1..=size {
        let before = if fork == 1 { size } else { fork - 1 };
        let _ = writeln!(
            text,
            "Fork_{fork} = ( left_{fork} -> put_left_{fork} -> Fork_{fork} | right_{before} -> put_right_{before} -> Fork_{fork} )."
        );
    }
    let _ = writeln!(
        text,
        "Lock = ( {} ).",
        choice((1..=size).map(|who| format!("lock_{who} -> unlock_{who} -> Lock")))
    );
    let _ = writeln!(
        text,
        "OneAtATime = ( {} ).",
        choice((1..=size).map(|who| format!("reach_{who} -> right_{who} -> OneAtATime")))
    );
    let parts: Vec<String> =
        named("philosopher", size).chain(named("Fork", size)).chain(["Lock".to_owned()]).collect();
    let question = if asks_for_deadlock { "deadlock asked, {};" } else { "abstract asked, {}, OneAtATime;" };
    text.push_str(&program(&parts, question));
    system
}

/// Half of them read, the others write; a controller in C lets them in.
fn readers_writers(size: usize) -> System {
    let mut system = System { code: String::new(), specification: String::new() };
    let (readers, writers) = (size / 2, size - size / 2);
    calls(&[("start_read", "start_read"), ("end_read", "end_read")], readers, &mut system);
    calls(&[("start_write", "start_write"), ("end_write", "end_write")], writers, &mut system);
    system.code.push_str(
        "int next_request(int readers, int writing);
int controller(void) {
    int readers = 0, writing = 0;
    while (1) {
        switch (next_request(readers, writing)) {
        case 0: readers = readers + 1; break;
        case 1: readers = readers - 1; break;
        case 2: writing = 1; break;
        default: writing = 0; break;
        }
    }
}
",
    );
    copies("reader", "start_read(#); end_read(#);", readers, &mut system.code);
    copies("writer", "start_write(#); end_write(#);", writers, &mut system.code);
    let each = |event: &str, count: usize, value: u32| {
        choice((1..=count).map(|who| format!("{event}_{who} -> return {{$0 == {value}}} -> STOP")))
    };
    let text = &mut system.specification;
    let _ = write!(
        text,
        "cproc next_request {{
    abstract {{ free, $1 == 0 && $2 == 0, Free }};
    abstract {{ read, $1 > 0 && $1 < {readers} && $2 == 0, Read }};
    abstract {{ full, $1 >= {readers} && $2 == 0, Full }};
    abstract {{ written, $2 != 0, Written }};
}}
Free = ( {starts} | {writes} ).
Read = ( {starts} | {ends} ).
Full = ( {ends} ).
Written = ( {done} ).
",
        starts = each("start_read", readers, 0),
        writes = each("start_write", writers, 2),
        ends = each("end_read", readers, 1),
        done = each("end_write", writers, 3),
    );
    let mut parts = vec!["controller".to_owned()];
    parts.extend(named("reader", readers).chain(named("writer", writers)));
    text.push_str(&program(&parts, "deadlock asked, {};"));
    system
}

/// Tasks that copy between two buffers behind locks; unless `is_safe`, the last takes the locks the other way round.
fn tasks(size: usize, is_safe: bool) -> System {
    let mut system = System { code: String::new(), specification: String::new() };
    let names = [
        ("take_input", "take_input"),
        ("give_input", "give_input"),
        ("take_output", "take_output"),
        ("give_output", "give_output"),
    ];
    calls(&names, size, &mut system);
    let straight = "take_input(#); take_output(#); give_output(#); give_input(#);";
    let reversed = "take_output(#); take_input(#); give_input(#); give_output(#);";
    let plain = if is_safe { size } else { size - 1 };
    copies("task", straight, plain, &mut system.code);
    if !is_safe {
        let body = reversed.replace('#', &size.to_string());
        let _ = writeln!(system.code, "int task_{size}(void) {{ while (1) {{ {body} }} }}");
    }
    let text = &mut system.specification;
    for (lock, word) in [("InputLock", "input"), ("OutputLock", "output")] {
        let ways = (1..=size).map(|who| format!("take_{word}_{who} -> give_{word}_{who} -> {lock}"));
        let _ = writeln!(text, "{lock} = ( {} ).", choice(ways));
    }
    let parts: Vec<String> =
        named("task", size).chain(["InputLock".to_owned(), "OutputLock".to_owned()]).collect();
    text.push_str(&program(&parts, "deadlock asked, {};"));
    system
}

/// Runs a system that is written to a folder of its own.
fn run_system(system: &System) -> Ran {
    let folder = std::env::temp_dir().join(format!("concord-families-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    let (code, specification) = (folder.join("system.c"), folder.join("system.spec"));
    std::fs::write(&code, &system.code).expect("written");
    std::fs::write(&specification, &system.specification).expect("written");
    let ran = run(&[code, specification].map(|path| path.to_string_lossy().into_owned()));
    std::fs::remove_dir_all(&folder).expect("removed");
    ran
}

/// Prints the families beside the theses' figures; wrong verdicts make the exit status 1.
pub fn families(data: &Path) -> ExitCode {
    let deadlock = Table::read(&data.join("tables/thesis_table_10_1.csv"));
    let comfort = Table::read(&data.join("tables/seed004_figure_6.csv"));
    let mut is_wrong = false;
    println!(
        "THESIS Table 10.1 (deadlock; theirs: IterDeadlock) and AG Fig. 6 (safety; theirs: Rule 1), processor seconds"
    );
    println!(
        "  {:14} {:>10} {:>9} {:>7} {:>9} {:>9}",
        "system", "verdict", "s", "rounds", "states", "theirs s"
    );
    let mut line = |name: String, system: &System, expected: &str, theirs: Option<&str>| {
        let ran = run_system(system);
        is_wrong |= ran.verdict != expected;
        let mark = if ran.verdict == expected { " " } else { "!" };
        let figure =
            |name: &str| ran.figures[name].as_u64().map_or_else(|| "-".to_owned(), |n| n.to_string());
        println!(
            "{mark} {name:14} {:>10} {:9.2} {:>7} {:>9} {:>9} {}",
            ran.verdict,
            ran.cpu_seconds,
            figure("iterations"),
            figure("states"),
            theirs.unwrap_or("-"),
            ran.reason
        );
    };
    let theirs = |name: &str| deadlock.cell("name", name, "iter_time_s");
    for size in [2, 3, 4, 8, 16] {
        let name = format!("UCOSD-{size}");
        line(name.clone(), &tasks(size, false), "violated", theirs(&name));
    }
    for size in [4, 5, 6, 10, 20] {
        let name = format!("UCOSN-{size}");
        line(name.clone(), &tasks(size, true), "holds", theirs(&name));
    }
    for size in [4, 5, 6, 7, 8, 9, 12, 16] {
        let name = format!("RW-{size}");
        line(name.clone(), &readers_writers(size), "holds", theirs(&name));
    }
    for size in [3, 4, 5, 6, 10, 20, 30] {
        let name = format!("DPN-{size}");
        line(name.clone(), &philosophers(size, true, true), "holds", theirs(&name));
    }
    for size in [3, 9, 10, 20, 30] {
        let name = format!("DPD-{size}");
        line(name.clone(), &philosophers(size, false, true), "violated", theirs(&name));
    }
    for size in (2..=12).chain([20, 30]) {
        let theirs = comfort.cell("n", &size.to_string(), "ag_rule1_time_s");
        line(format!("AG6-{size}"), &philosophers(size, true, false), "holds", theirs);
    }
    if is_wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
