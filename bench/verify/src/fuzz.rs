//! Random programs with random assertions: what `auto` and two other engines, in turn, say of each against all runs of it. Prints every wrong verdict with its
//! program.

use base::{Budget, Silent};
use cegar::{Choice, Property, Settings, verify};
use question::Question;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;
use testkit::loops;

const TIME_FOR_AUTO: Duration = Duration::from_secs(4);
const TIME_FOR_ONE: Duration = Duration::from_secs(1);

/// `auto`, and two of the others: over some programs each has its turn.
fn engines_for(seed: u64) -> [Choice; 3] {
    let choices = Choice::all().into_iter().map(|(choice, _)| choice);
    let others: Vec<Choice> = choices.filter(|choice| *choice != Choice::AUTO).collect();
    let turn = |offset: u64| others[((seed / 4 * 2 + offset) % others.len() as u64) as usize];
    [Choice::AUTO, turn(0), turn(1)]
}

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (count, first) = match (numbers.next(), numbers.next()) {
        (None, _) => (2000, 100_000),
        (Some(Ok(count)), None) => (count, 100_000),
        (Some(Ok(count)), Some(Ok(first))) => (count, first),
        _ => {
            say("usage: bench-verify-fuzz [PROGRAMS [FIRST-SEED]]\n");
            return ExitCode::from(2);
        }
    };
    let mut wrong = 0;
    let mut counts: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for seed in first..first + count {
        let text = match seed % 4 {
            0 => loops::array_program(seed),
            1 => loops::machine_program(seed),
            _ => loops::program(seed),
        };
        let program = testkit::c::load_text(&text, csource::types::DataModel::Lp64);
        let expected = loops::can_fail(&program);
        for choice in engines_for(seed) {
            let time = if choice == Choice::AUTO { TIME_FOR_AUTO } else { TIME_FOR_ONE };
            let budget = Budget::unlimited().with_time(time);
            let question = Question::never(&program, Property::standard());
            let verdict = verify(&question, choice, &Settings::default(), &budget, &Silent).verdict;
            let (word, name) = (verdict.word(), choice.name());
            *counts.entry((name, word)).or_default() += 1;
            if (verdict.holds() && expected) || (verdict.is_violated() && !expected) {
                wrong += 1;
                say(&format!("WRONG: seed {seed}, engine {name}: {word}\n{text}\n"));
            }
        }
    }
    say(&format!("{count} programs, {wrong} wrong verdicts\n"));
    for ((engine, word), number) in counts {
        say(&format!("{engine:12} {word:10} {number:>6}\n"));
    }
    if wrong > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS }
}

#[allow(clippy::print_stdout)] // this is a command line
fn say(text: &str) {
    print!("{text}");
}
