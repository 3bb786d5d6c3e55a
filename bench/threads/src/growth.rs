//! How states and time grow with the number of threads: five families of C programs, every interleaving of 1, 2, 3 ... threads by the engine `all-runs`, until a limit of time; then the same
//! question for any number of threads at once.

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify_threads};
use program::{DataModel, Program};
use question::Question;
use std::time::Duration;
use testkit::clock::Clock;
use testkit::events::Heard;

/// A family: its name, what is shared, and what each thread does.
struct Family {
    name: &'static str,
    shared: &'static str,
    thread: &'static str,
}

const FAMILIES: [Family; 5] = [
    Family {
        name: "counter: up and down in single steps",
        shared: "int c;",
        thread: "__VERIFIER_atomic_begin(); c = c + 1; __VERIFIER_atomic_end();\nif (c < 1) reach_error();\n\
                 __VERIFIER_atomic_begin(); c = c - 1; __VERIFIER_atomic_end();\n",
    },
    Family {
        name: "flag: test and set, or give up",
        shared: "int held; int x = 1;",
        thread: "int got = 0;\n__VERIFIER_atomic_begin(); if (held == 0) { held = 1; got = 1; } __VERIFIER_atomic_end();\n\
                 if (got == 0) return 0;\nx = 0;\nx = 1;\nif (x == 0) reach_error();\nheld = 0;\n",
    },
    Family {
        name: "mutex: two variables under one lock",
        shared: "pthread_mutex_t m; int x; int y;",
        thread: "pthread_mutex_lock(&m);\nint l = x;\nx = l + 1;\nl = y;\ny = l + 1;\npthread_mutex_unlock(&m);\n\
                 pthread_mutex_lock(&m);\nint one = x;\nint other = y;\nif (one != other) reach_error();\npthread_mutex_unlock(&m);\n",
    },
    Family {
        name: "read-write lock: one value at a time",
        shared: "pthread_rwlock_t w; int x; int y;",
        thread: "if (__VERIFIER_nondet_bool()) {\npthread_rwlock_wrlock(&w);\nx = 1;\ny = 1;\nx = 0;\ny = 0;\npthread_rwlock_unlock(&w);\n\
                 } else {\npthread_rwlock_rdlock(&w);\nint one = x;\nint other = y;\nif (one != other) reach_error();\n\
                 pthread_rwlock_unlock(&w);\n}\n",
    },
    Family {
        name: "tickets: one after the other",
        shared: "unsigned next; unsigned now; int inside;",
        thread: "unsigned mine;\n__VERIFIER_atomic_begin(); mine = next; if (mine != 4294967295u) next = mine + 1; __VERIFIER_atomic_end();\n\
                 if (mine == 4294967295u) return 0;\nif (now != mine) return 0;\ninside = 1;\ninside = 0;\nif (inside == 1) reach_error();\nnow = mine + 1;\n",
    },
];

fn program(family: &Family, threads: Option<u32>) -> Program {
    let create = "pthread_create(&t, 0, worker, 0);\n";
    let creates = match threads {
        Some(count) => create.repeat(count as usize),
        None => format!("while (__VERIFIER_nondet_bool()) {create}"),
    };
    let text = format!(
        "{}{}\nvoid *worker(void *unused) {{\n{}return 0;\n}}\nint main(void) {{\npthread_t t;\n{creates}return 0;\n}}\n",
        testkit::races::DECLARATIONS,
        family.shared,
        family.thread
    );
    testkit::c::load_text(&text, DataModel::Lp64)
}

/// States and seconds by number of threads; the exponent is that of the number of threads between two rows, the factor what one thread more costs.
pub fn run(seconds: u64) -> Result<(), String> {
    let property = Property::never_called("reach_error");
    let every = Choice::named("all-runs").ok_or("there is no engine `all-runs`")?;
    for family in &FAMILIES {
        println!("\n## {}\n", family.name);
        println!(
            "| threads | answer | states | seconds | factor (states) | exponent (states) | factor (time) |"
        );
        println!("|---|---|---|---|---|---|---|");
        let mut before: Option<(u32, f64, f64)> = None;
        for threads in 1.. {
            let program = program(family, Some(threads));
            let question = Question::never(&program, property.clone());
            let (heard, clock) = (Heard::default(), Clock::of_process());
            let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
            let found = verify_threads(&question, every, &Settings::default(), &budget, &heard);
            let time = clock.processor();
            let states =
                heard.figures().iter().filter(|(what, _)| *what == "states").map(|(_, count)| *count).max();
            let states = states.unwrap_or(0) as f64;
            let word = found.answer.verdict.word();
            if found.answer.verdict.is_undecided() {
                println!("| {threads} | {word} | more than {states} | {time:.2} | | | |");
                break;
            }
            let grown = before.map_or_else(
                || "| | |".to_owned(),
                |(fewer, less, sooner)| {
                    let exponent = (states / less).ln() / (f64::from(threads) / f64::from(fewer)).ln();
                    format!("{:.2} | {exponent:.2} | {:.2}", states / less, time / sooner)
                },
            );
            println!("| {threads} | {word} | {states} | {time:.3} | {grown} |");
            if !found.answer.verdict.holds() {
                break;
            }
            before = Some((threads, states, time));
        }
        let program = program(family, None);
        let question = Question::never(&program, property.clone());
        let clock = Clock::of_process();
        let budget = Budget::unlimited().with_time(Duration::from_secs(6 * seconds));
        let found = verify_threads(&question, Choice::AUTO, &Settings::default(), &budget, &Silent);
        let time = clock.processor();
        println!("| any | {} | | {time:.2} | | | |", found.answer.verdict.word());
    }
    Ok(())
}
