//! The answer in words.

use super::parts::{PartResult, PropertyResult};
use crate::model::show::each;
use crate::settle::Settled;
use evidence::trace::{self, Detail};
use evidence::words as sentences;
use program::Program;
use question::{Target, Verdict, Violation};
use std::fmt::Write;
use std::time::Duration;
use verdict::{Condition, Contract, LoopInvariant, Measure};

/// All that is told of the answers; `full` leaves nothing out.
pub fn words(shown: &PropertyResult<'_>, full: bool) -> String {
    let (program, answer) = (shown.program, shown.settled);
    let mut text = format!("{}\n", answer.headline(program));
    text.push_str(&parts(shown, full));
    match &answer.verdict {
        Verdict::Holds(_) => {
            let _ = writeln!(text, "  {} ({})", answer.how, answer.engine);
            if let Some(proof) = answer.verdict.program_proof() {
                proof.measures.iter().for_each(|one| text.push_str(&measure(program, one)));
                proof.loops.iter().for_each(|one| text.push_str(&invariant(program, one, full)));
                proof.contracts.iter().for_each(|one| text.push_str(&contract(one, full)));
            }
            each(
                &mut text,
                "condition",
                &some_of(answer.remarks.clone(), if full { usize::MAX } else { SHOWN_CONDITIONS }),
            );
            let audited = answer.audit.as_ref().map_or_else(|| "not audited".into(), sentences::audit);
            let _ = writeln!(text, "  {audited}");
            if let Some(vacuity) = &answer.vacuity {
                let word = if vacuity.is_vacuous() { "vacuous" } else { "note" };
                each(&mut text, word, &sentences::vacuity(vacuity, program));
            }
        }
        Verdict::Violated(_) => {
            let Some(violation) = answer.verdict.run() else { return text };
            violated(&mut text, program, violation, full);
        }
        Verdict::Undecided(undecided) => {
            let _ = writeln!(text, "  asked: {}", answer.property);
            each(&mut text, "shown", &undecided.proved);
            each(&mut text, "tried", &undecided.tried);
            each(&mut text, "try", &undecided.try_next);
        }
    }
    for (program, other) in &shown.other_failures {
        let _ = writeln!(text, "{}", other.headline(program));
        if let Some(violation) = other.verdict.run() {
            violated(&mut text, program, violation, full);
        }
    }
    each(&mut text, "assumed", &grouped(&answer.assumptions));
    text
}

/// Assumptions of which only the name differs are told in one line.
fn grouped(assumptions: &[String]) -> Vec<String> {
    let named = |sentence: &str| -> Option<(String, String)> {
        let (name, rest) = sentence.strip_prefix('`')?.split_once('`')?;
        Some((name.to_owned(), rest.trim_start().to_owned()))
    };
    let mut groups: Vec<(Vec<String>, String)> = Vec::new();
    for sentence in assumptions {
        let (names, rest) = match named(sentence) {
            Some((name, rest)) => (vec![name], rest),
            None => (Vec::new(), sentence.clone()),
        };
        match groups.iter_mut().find(|(known, tail)| !known.is_empty() && !names.is_empty() && *tail == rest)
        {
            Some((known, _)) => known.extend(names),
            None => groups.push((names, rest)),
        }
    }
    let told = |(names, rest): (Vec<String>, String)| match &names[..] {
        [] => rest,
        [name] => format!("`{name}` {rest}"),
        _ => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("{}: each {rest}", names.join(", "))
        }
    };
    groups.into_iter().map(told).collect()
}

/// What the answer took, for those who want to hear more.
pub fn used(answer: &Settled, time: Duration) -> String {
    let figure = |name| answer.statistics.value(name).unwrap_or(0);
    let memory = base::budget::peak_resident_bytes()
        .map_or_else(String::new, |bytes| format!(", {} MB of memory at most", bytes >> 20));
    format!(
        "  used: {:.2} s{memory}, {} questions to solvers, {} rounds of loops, {} steps\n",
        time.as_secs_f64(),
        figure("queries"),
        figure("rounds"),
        figure("steps")
    )
}

/// The verdict of each part, if there are several.
fn parts(shown: &PropertyResult<'_>, full: bool) -> String {
    let all = &shown.parts;
    if all.len() < 2 {
        return String::new();
    }
    let count = |is_counted: &dyn Fn(&Verdict) -> bool| {
        all.iter().filter(|one| is_counted(&one.settled.verdict)).count()
    };
    let counts = [
        (count(&Verdict::is_violated), "can fail"),
        (count(&Verdict::is_undecided), "open"),
        (count(&Verdict::holds), "proved"),
    ];
    let told: Vec<String> = counts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    let relative = if told.len() > 1 { ", each as long as nothing else fails before" } else { "" };
    let mut text = format!("  {}: {}{relative}\n", counted(all), told.join(", "));
    // What fails or is open is always told.
    let mut left = if full { usize::MAX } else { SHOWN_PARTS };
    let mut left_out = 0;
    for one in all {
        if one.settled.verdict.holds() && left == 0 {
            left_out += 1;
            continue;
        }
        left = left.saturating_sub(1);
        let place = match shown.program.sources.location(one.part.at) {
            Some(at) => format!("{at}: "),
            None => String::new(),
        };
        let (happens, why) = match (&one.settled.verdict, one.settled.verdict.run()) {
            (Verdict::Undecided(open), _) => (None, sentences::reason(one.program, &open.reason)),
            (_, Some(_)) if one.part.check().is_some() => {
                (Some(true), sentences::headline(one.program, one.settled))
            }
            (Verdict::Violated(_), _) => (Some(true), String::new()),
            (Verdict::Holds(_), _) => (Some(false), String::new()),
        };
        let colon = if why.is_empty() { "" } else { ": " };
        let _ = writeln!(text, "    {:<9} {place}{}{colon}{why}", one.settled.word(), one.part.told(happens));
    }
    let asks_for_few_checks = all.iter().filter(|one| one.part.check().is_some()).count() < FEW_CHECKS;
    if !shown.settled.verdict.is_undecided() && asks_for_few_checks {
        let mut advice: Vec<&String> = Vec::new();
        for sentence in
            all.iter().filter_map(|one| one.settled.verdict.undecided()).flat_map(|open| &open.try_next)
        {
            if !advice.contains(&sentence) {
                advice.push(sentence);
            }
        }
        for sentence in advice {
            let _ = writeln!(text, "    try: {sentence}");
        }
    }
    if left_out > 0 {
        let _ = writeln!(text, "    … {left_out} more that are proved (--full shows them)");
    }
    text
}

/// How many assertions, calls, labels and checks there are.
fn counted(parts: &[PartResult<'_>]) -> String {
    let names = |target: &Target| match target {
        Target::Assertion(_) => ("assertion", "assertions"),
        Target::Call(_) => ("call of an error function", "calls of error functions"),
        Target::Label(_) => ("label", "labels"),
        Target::Check(_) => ("check", "checks"),
    };
    let mut counts: Vec<((&str, &str), usize)> = Vec::new();
    for one in parts {
        let kind = names(&one.part.target);
        match counts.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((kind, 1)),
        }
    }
    let told = |((one, several), count): ((&str, &str), usize)| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {several}"),
    };
    counts.into_iter().map(told).collect::<Vec<_>>().join(", ")
}

/// Who asks for so many needs no advice to ask for more.
const FEW_CHECKS: usize = 5;

/// Parts that are listed unless all are asked for.
const SHOWN_PARTS: usize = 20;

/// What never rises, and where.
fn measure(program: &Program, measure: &Measure) -> String {
    let mut text = String::new();
    let mut told: Vec<String> = Vec::new();
    for place in &measure.places {
        let at = evidence::place::at(program, place.at);
        let line = format!("{}{at}", place.shown);
        if !told.contains(&line) {
            told.push(line);
        }
    }
    for line in told {
        let _ = writeln!(text, "  never rises: {line}");
    }
    text
}

/// What holds at the head of a loop. What has no words in C is about memory, and long.
fn invariant(program: &Program, invariant: &LoopInvariant, full: bool) -> String {
    if invariant.conditions.is_empty() {
        return String::new();
    }
    let speaks_of_threads =
        |condition: &Condition| program.interleaving.is_some() && condition.text().contains("__");
    let is_shown = |condition: &&Condition| {
        full || (matches!(condition, Condition::C(_)) && !speaks_of_threads(condition))
    };
    let texts: Vec<&str> = invariant.conditions.iter().filter(is_shown).map(Condition::text).collect();
    let texts = match full {
        true => texts.into_iter().map(str::to_owned).collect(),
        false => evidence::simpler::simpler(program, &texts),
    };
    let count = |is_counted: &dyn Fn(&Condition) -> bool| {
        invariant.conditions.iter().filter(|one| !full && is_counted(one)).count()
    };
    let about_threads = count(&speaks_of_threads);
    let about_memory = count(&|one| matches!(one, Condition::Smt(_)) && !speaks_of_threads(one));
    let mut shown = some_of(texts, if full { usize::MAX } else { SHOWN_CONDITIONS });
    for (number, what) in [(about_memory, "memory"), (about_threads, "where threads are")] {
        if number > 0 {
            shown.push(format!("{number} about {what} (--full shows them)"));
        }
    }
    let called =
        invariant.calls.last().map(|call| format!(" (called{})", evidence::place::at(program, call.at)));
    let (at, called) = (evidence::place::at(program, invariant.at), called.unwrap_or_default());
    format!("  invariant{at}{called}: {}\n", shown.join(" && "))
}

/// The first of some conditions, and how many more there are.
fn some_of(texts: Vec<impl Into<String>>, most: usize) -> Vec<String> {
    let left_out = texts.len().saturating_sub(most);
    let mut shown: Vec<String> = texts.into_iter().take(most).map(Into::into).collect();
    if left_out > 0 {
        shown.push(format!("… {left_out} more (--full shows them)"));
    }
    shown
}

/// What a procedure needs and gives.
fn contract(contract: &Contract, full: bool) -> String {
    let most = if full { usize::MAX } else { SHOWN_OF_CONTRACTS };
    let mut text = String::new();
    for (word, conditions) in [("requires", &contract.requires), ("ensures", &contract.ensures)] {
        let texts = conditions.iter().map(|condition| in_contract(condition.text())).collect();
        let shown = some_of(texts, most).join(" && ");
        if !conditions.is_empty() {
            let _ = writeln!(text, "  contract of `{}` {word}: {shown}", contract.procedure);
        }
    }
    text
}

/// What happens, with which inputs, by which run.
fn violated(text: &mut String, program: &Program, violation: &Violation, full: bool) {
    let at = |span| evidence::place::at(program, span);
    if violation.inputs.is_empty() {
        text.push_str("  without any input\n");
    } else {
        let lines = input_lines(program, violation);
        if !lines.is_empty() {
            text.push_str("  inputs:\n");
        }
        let shown = if full { lines.len() } else { SHOWN };
        lines.iter().take(shown).for_each(|line| text.push_str(line));
        if let Some(more) = lines.len().checked_sub(shown).filter(|&more| more > 0) {
            let _ = writeln!(text, "    … and {more} more (--full shows them)");
        }
    }
    for report in &violation.run.tolerated {
        if violation.check().is_some() && report.place.span == violation.span {
            continue;
        }
        let (what, at) = (&report.message, at(report.place.span));
        let _ = writeln!(text, "  note: {what}{at}: gcc gives it a meaning, C does not");
    }
    if let Some(cycle) = &violation.cycle {
        let steps = match cycle.length {
            1 => "1 step".to_owned(),
            length => format!("{length} steps"),
        };
        let again = match violation.inputs.len() - cycle.inputs.min(violation.inputs.len()) {
            0 => "without an input".to_owned(),
            1 => "on the last input again and again".to_owned(),
            count => format!("on the last {count} inputs again and again"),
        };
        let _ = writeln!(text, "  the state comes back{} after {steps}, {again}", at(cycle.at));
    }
    if let concrete::RunOutcome::Deadlock(waiting) = &violation.run.outcome {
        for one in waiting {
            let who = one.place.thread.map_or_else(|| "a thread".to_owned(), |thread| thread.to_string());
            let _ = writeln!(text, "  {who} waits for {}{}", one.waits_for, at(one.place.span));
        }
    }
    text.push_str("  run:\n");
    text.push_str(&trace_text(program, violation, full));
}

/// Lines of a trace, and conditions of an invariant, that are shown unless all are asked for.
const SHOWN: usize = 40;
const SHOWN_CONDITIONS: usize = 12;

/// The inputs, a line each; the characters of an argument together.
fn input_lines(program: &Program, violation: &Violation) -> Vec<String> {
    let lines_of = |inputs: &[&concrete::ConsumedInput]| -> Vec<String> {
        let shown = evidence::inputs::shown(program, inputs);
        shown
            .into_iter()
            .map(|(text, span)| format!("    {text}{}\n", evidence::place::at(program, span)))
            .collect()
    };
    let Some(started) = evidence::started(program, &violation.inputs) else {
        // Which thread runs next is told by the run.
        let others = violation.inputs.iter().filter(|input| *input.name != *program::NEXT_THREAD);
        return lines_of(&others.collect::<Vec<_>>());
    };
    let first: Vec<_> = violation.inputs.iter().take(1).collect();
    let mut lines = lines_of(&first);
    if lower::arguments::are_read(program) {
        let shown = started.arguments.iter().enumerate();
        lines.extend(
            shown.map(|(at, text)| format!("    argv[{at}] = {}\n", evidence::started::quoted(text))),
        );
    }
    lines.extend(lines_of(&started.others));
    lines
}

/// The run: inputs were told before, here is what they lead to.
fn trace_text(program: &Program, violation: &Violation, full: bool) -> String {
    let detail = if full { Detail::Everything } else { Detail::Changes };
    let lines = trace::lines(program, violation, detail);
    let lines = if full { lines } else { trace::shortened(lines, SHOWN) };
    let mut text = columns(program, violation);
    let width = lines.iter().map(|line| line.text.chars().count()).max().unwrap_or(0).min(MOST_COLUMN) + 2;
    for line in lines {
        // Each thread has a column of its own.
        let column = " ".repeat(line.thread.unwrap_or(0) * width);
        let indent = format!("{column}{}", "  ".repeat(line.depth.min(20) as usize));
        match program.sources.location(line.span) {
            Some(place) => {
                let _ = writeln!(text, "    {place}: {indent}{}", line.text);
            }
            None => {
                let _ = writeln!(text, "    {} (--full shows them)", line.text);
            }
        }
    }
    text
}

/// No column of a thread is wider.
const MOST_COLUMN: usize = 26;

/// Which thread has which column, where there are several.
fn columns(program: &Program, violation: &Violation) -> String {
    let name = |thread: evidence::columns::RunThread| {
        let start = thread.start.map(|start| &program.procedures[start].name);
        let place = evidence::place::at(program, thread.created);
        match (thread.number, start) {
            (0, Some(start)) => format!("    column 1: `{start}`\n"),
            (number, Some(start)) => {
                format!("    column {}: thread {number}, which runs `{start}`, created{place}\n", number + 1)
            }
            (number, None) => format!("    column {}: thread {number}, created{place}\n", number + 1),
        }
    };
    evidence::columns::threads(program, violation).into_iter().map(name).collect()
}

/// Conditions of a contract that are shown unless all are asked for.
const SHOWN_OF_CONTRACTS: usize = 4;

/// A condition of a contract, with the words people use for values at the call and for the result.
fn in_contract(text: &str) -> String {
    text.replace("$old", " at the call").replace("result$", "the result")
}
