//! How long the questions of a project took, from `.concord/history`.

use std::collections::BTreeMap;
use std::fmt::Write;
use store::Question;
use store::history::{Line, median};

type Known = BTreeMap<String, Vec<Line>>;

/// Slower or faster by less than this is noise: a part of the time, and seconds.
const LEAST_PART: f64 = 0.25;
const LEAST_SECONDS: f64 = 0.2;

fn of<'k>(known: &'k Known, question: &Question) -> &'k [Line] {
    known.get(&question.name).map_or(&[], Vec::as_slice)
}

fn width(questions: &[Question]) -> usize {
    questions.iter().map(|question| question.name.chars().count()).max().unwrap_or(0)
}

/// Times and memory of each question.
pub fn stats(questions: &[Question], known: &Known) -> String {
    let width = width(questions).max("question".len());
    let mut text = format!(
        "{:<width$}  {:>5} {:>9} {:>9} {:>9}  ended\n",
        "question", "times", "last, s", "median, s", "most, MB"
    );
    for question in questions {
        let lines = of(known, question);
        let Some(last) = lines.last() else {
            let _ = writeln!(text, "{:<width$}  {:>5}", question.name, 0);
            continue;
        };
        let middle = median(lines.iter().map(|line| line.seconds).collect()).unwrap_or(0.0);
        let most = lines.iter().map(|line| line.bytes).max().unwrap_or(0) / 1_000_000;
        let _ = writeln!(
            text,
            "{:<width$}  {:>5} {:>9.2} {middle:>9.2} {most:>9}  {}",
            question.name,
            lines.len(),
            last.seconds,
            last.ended
        );
    }
    text
}

/// The questions whose last answer took longer than usual, or less, or ended otherwise.
pub fn compare(questions: &[Question], known: &Known) -> String {
    let width = width(questions);
    let mut text = String::new();
    let mut compared = 0;
    for question in questions {
        let Some((last, before)) = of(known, question).split_last() else { continue };
        let alike: Vec<f64> =
            before.iter().filter(|line| line.ended == last.ended).map(|line| line.seconds).collect();
        if let Some(line) = before.last().filter(|line| line.ended != last.ended) {
            let _ = writeln!(text, "{:<width$}  {}, before {}", question.name, last.ended, line.ended);
        }
        let Some(middle) = median(alike) else { continue };
        compared += 1;
        let difference = last.seconds - middle;
        if difference.abs() < LEAST_SECONDS || difference.abs() < middle * LEAST_PART {
            continue;
        }
        let word = if difference > 0.0 { "slower" } else { "faster" };
        let _ =
            writeln!(text, "{:<width$}  {word}: {:.2} s, usually {middle:.2} s", question.name, last.seconds);
    }
    let word = if compared == 1 { "question was" } else { "questions were" };
    let _ = writeln!(text, "{compared} {word} compared with earlier runs");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(name: &str) -> Question {
        let at = base::Span::NOWHERE;
        Question {
            name: name.into(),
            verb: "verify".into(),
            files: Vec::new(),
            options: Vec::new(),
            expect: None,
            at,
        }
    }

    #[test]
    fn what_became_slower_is_told_and_noise_is_not() {
        let line = |question: &str, ended: &str, seconds| {
            let (question, ended) = (question.to_owned(), ended.to_owned());
            Line { when: 1, question, ended, seconds, bytes: 5_000_000 }
        };
        let mut known = Known::new();
        known.insert(
            "slow".into(),
            vec![line("slow", "holds", 1.0), line("slow", "holds", 1.1), line("slow", "holds", 3.0)],
        );
        known.insert("same".into(), vec![line("same", "holds", 1.0), line("same", "holds", 1.1)]);
        known.insert("other".into(), vec![line("other", "holds", 1.0), line("other", "violated", 0.1)]);
        known.insert("once".into(), vec![line("once", "holds", 1.0)]);
        let questions = ["slow", "same", "other", "once", "never"].map(question);
        let text = compare(&questions, &known);
        assert!(text.contains("slow   slower: 3.00 s, usually 1.10 s\n"), "{text}");
        assert!(text.contains("other  violated, before holds\n") && !text.contains("same"), "{text}");
        assert!(text.ends_with("2 questions were compared with earlier runs\n"), "{text}");
        let text = stats(&questions, &known);
        assert!(text.contains("slow          3      3.00      1.10         5  holds"), "{text}");
        assert!(text.contains("never         0"), "{text}");
    }
}
