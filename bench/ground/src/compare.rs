//! Answers beside the truth.

use crate::concord::{Answer, Concord};
use crate::json::Json;
use crate::native::{Executable, Failure, Vector};
use crate::piece::Claim;
use crate::program::Program;
use crate::truth::Truth;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A wrong answer.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// What went wrong, in words that stay the same when the program is made smaller.
    pub kind: String,
    /// The rest.
    pub detail: String,
}

/// What is noted of one program.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// `holds`, `violated`, `undecided`, or what came instead.
    pub verdict: String,
    /// `fine`, `fails`, or `open` where the runs made are not all there are.
    pub truth: String,
    /// The check that is violated and how the run really fails; or why the answer is undecided.
    pub note: String,
    /// Wrong answers.
    pub wrong: Vec<Wrong>,
}

/// The evidence that is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence {
    /// Is a harness compiled and run?
    pub harness: bool,
    /// Is a certificate audited?
    pub audit: bool,
}

/// A program in a directory, with what is known of it.
pub struct Question<'a> {
    /// Who is asked.
    pub concord: &'a Concord,
    /// The program.
    pub program: &'a Program,
    /// What it does.
    pub truth: &'a Truth,
    /// It, compiled.
    pub executable: &'a Executable,
    /// Where its files are.
    pub directory: &'a Path,
}

fn wrong(kind: impl Into<String>, detail: impl Into<String>) -> Wrong {
    Wrong { kind: kind.into(), detail: detail.into() }
}

fn place(at: Option<&Json>) -> (String, i64) {
    let file = at.map(|at| at.text_of("file")).unwrap_or_default();
    let line = at.and_then(|at| at.get("line")).and_then(Json::integer).unwrap_or(0);
    (file.rsplit('/').next().unwrap_or_default().to_string(), line)
}

/// A reason without the names and numbers of one program.
pub fn general(reason: &str) -> String {
    let mut out = String::new();
    let mut rest = reason;
    while let Some(at) = rest.find(|c: char| c == 'p' || c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let digits = from[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len() - 1);
        let is_word_before = out.ends_with(|c: char| c.is_alphanumeric());
        if from.starts_with('p') && digits > 0 && !is_word_before {
            // p17_2_name or p17_a.c:4
            let behind = from[1 + digits..].trim_start_matches('_');
            let behind = behind.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches('_');
            out.push('~');
            rest = behind;
        } else if from.starts_with(|c: char| c.is_ascii_digit()) {
            out.push('N');
            rest = from.trim_start_matches(|c: char| c.is_ascii_digit());
        } else {
            out.push('p');
            rest = &from[1..];
        }
    }
    out.push_str(rest);
    for file in ["~a.c:N", "~b.c:N", "~c.c:N"] {
        out = out.replace(file, "~");
    }
    out.truncate(out.char_indices().nth(160).map_or(out.len(), |(at, _)| at));
    out
}

impl Question<'_> {
    fn sources(&self) -> Vec<String> {
        let files = self.program.files(crate::program::Reader::Compiler);
        files.into_iter().map(|(name, _)| name).filter(|name| name.ends_with(".c")).collect()
    }

    /// Asks an engine of `verify` and compares.
    pub fn verify(&self, engine: &str, evidence: Evidence) -> std::io::Result<Outcome> {
        let sources = self.sources();
        let mut arguments: Vec<&str> = sources.iter().map(String::as_str).collect();
        arguments.extend(["--checks", "all", "--engine", engine]);
        if evidence.harness {
            arguments.extend(["--harness", "run.c"]);
        }
        if evidence.audit {
            arguments.extend(["--certificate", "proof.json"]);
        }
        let mut answer = self.concord.ask("verify", self.directory, &arguments)?;
        let most = Duration::from_secs(self.concord.seconds + 1);
        if answer.took > most {
            // Other work may have been in the way.
            answer = self.concord.ask("verify", self.directory, &arguments)?;
        }
        let mut outcome = Outcome { truth: self.truth_word(), ..Outcome::default() };
        if answer.took > most {
            outcome.wrong.push(wrong("limit", format!("{:.1} s", answer.took.as_secs_f64())));
        }
        let result = answer.json.as_ref().and_then(|json| json.get("results")?.list().first()).cloned();
        match (answer.status, &result) {
            (Some(0), Some(result)) => {
                outcome.verdict = "holds".into();
                outcome.note = result.text_of("engine");
                if let Some((vector, failure)) = self.truth.failures().next() {
                    outcome.wrong.push(wrong(
                        format!("missed {}", kind_word(&failure)),
                        format!("HOLDS, but {} on {vector:?}", show(&failure)),
                    ));
                }
                if evidence.audit {
                    outcome.wrong.extend(self.audit(&sources)?);
                }
            }
            (Some(1), Some(result)) => {
                outcome.verdict = "violated".into();
                self.compare_violation(result, &mut outcome);
                self.compare_parts(result, &mut outcome);
                if evidence.harness {
                    outcome.wrong.extend(self.harness(&sources)?);
                }
            }
            (Some(3), Some(result)) => {
                outcome.verdict = "undecided".into();
                outcome.note = general(&result.text_of("reason"));
                self.compare_parts(result, &mut outcome);
            }
            (Some(4), _) => {
                outcome.verdict = "refused".into();
                outcome.wrong.push(wrong("refused", first_lines(&answer)));
            }
            (status, _) => {
                outcome.verdict = "broken".into();
                let reason = result.as_ref().map(|result| result.text_of("reason")).unwrap_or_default();
                let detail = format!("exit status {status:?}: {reason} {}", first_lines(&answer));
                outcome.wrong.push(wrong("broken", detail));
            }
        }
        Ok(outcome)
    }

    fn truth_word(&self) -> String {
        let word = match self.truth.failures().next() {
            Some(_) => "fails",
            None if self.truth.is_exhaustive => "fine",
            None => "open",
        };
        word.into()
    }

    /// A violation must happen: on the inputs shown if these are all that decides, else on some.
    fn compare_violation(&self, result: &Json, outcome: &mut Outcome) {
        let Some(counterexample) = result.get("counterexample") else {
            outcome.wrong.push(wrong("no counterexample", ""));
            return;
        };
        let check = counterexample.text_of("check");
        let what = counterexample.text_of("what");
        let at = place(counterexample.get("at"));
        let said = format!("{check}: {what} at {}:{}", at.0, at.1);
        let inputs = counterexample.get("inputs").map(Json::list).unwrap_or_default();
        let values: Option<Vec<i64>> = inputs
            .iter()
            .map(|input| {
                let is_ours = input.text_of("name").starts_with("__VERIFIER_nondet_");
                input.text_of("value").parse().ok().filter(|_| is_ours)
            })
            .collect();
        let failing = match values.filter(|_| self.program.is_closed()) {
            Some(values) => {
                let vector = Vector { surroundings: 0, values };
                let run = self.executable.run(&[(self.program.seed, vector.clone())]);
                match run {
                    Ok(runs) => Some((vector, self.truth.failure(&runs[0]))),
                    Err(refused) => {
                        outcome.wrong.push(wrong("not run", refused.0));
                        None
                    }
                }
            }
            None => None,
        };
        match failing {
            Some((_, Some(failure))) => {
                let is_same = failure.is_at(|file, line| (file, line) == (at.0.as_str(), at.1));
                outcome.note = format!("{check} / {}", kind_word(&failure));
                if !is_same {
                    outcome.wrong.push(wrong(
                        format!("elsewhere {check} / {}", kind_word(&failure)),
                        format!("{said}, but really {}", show(&failure)),
                    ));
                }
            }
            Some((vector, None)) => {
                outcome.note = format!("{check} / fine");
                let kind = format!("invented {check}");
                outcome.wrong.push(wrong(kind, format!("{said}, but the run on {vector:?} is fine")));
            }
            None if self.truth.is_exhaustive && self.truth.failures().next().is_none() => {
                outcome.note = format!("{check} / fine");
                let kind = format!("invented {check}");
                outcome.wrong.push(wrong(kind, format!("{said}, but no run fails")));
            }
            None => outcome.note = format!("{check} / open"),
        }
    }

    /// A part of the answer, an assertion or a check, that holds must be what no run fails at first.
    fn compare_parts(&self, result: &Json, outcome: &mut Outcome) {
        let parts = result.get("parts").map(Json::list).unwrap_or_default();
        for part in parts.iter().filter(|part| part.text_of("verdict") == "holds") {
            let (kind, at) = (part.text_of("kind"), place(part.get("at")));
            let is_of_part = |failure: &Failure| match kind.as_str() {
                "assertion" => failure.kind == "assertion" && (&failure.file, failure.line) == (&at.0, at.1),
                check => check_of(failure) == Some(check),
            };
            if let Some((vector, failure)) = self.truth.failures().find(|(_, failure)| is_of_part(failure)) {
                outcome.wrong.push(wrong(
                    format!("missed part {kind}: {}", kind_word(&failure)),
                    format!("{}, but {} on {vector:?}", part.text_of("message"), show(&failure)),
                ));
            }
        }
    }

    fn harness(&self, sources: &[String]) -> std::io::Result<Option<Wrong>> {
        let path = self.directory.join("run.c");
        let Ok(text) = std::fs::read_to_string(&path) else { return Ok(None) };
        let line = text.lines().nth(1).unwrap_or_default();
        let options = line.split_whitespace().filter(|word| word.starts_with('-'));
        let output = Command::new("gcc")
            .current_dir(self.directory)
            .args(options)
            .args(sources)
            .args(["run.c", "-o", "harness", "-lm"])
            .output()?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Ok(Some(wrong(
                "harness not compiled",
                text.lines().take(6).collect::<Vec<_>>().join("\n"),
            )));
        }
        let status = Command::new("timeout")
            .args(["10", "./harness"])
            .current_dir(self.directory)
            .env("ASAN_OPTIONS", "symbolize=0:detect_stack_use_after_return=1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        Ok(status.success().then(|| wrong("harness does not fail", line.to_string())))
    }

    fn audit(&self, sources: &[String]) -> std::io::Result<Option<Wrong>> {
        if !self.directory.join("proof.json").exists() {
            return Ok(None);
        }
        let mut arguments = vec!["proof.json"];
        arguments.extend(sources.iter().map(String::as_str));
        arguments.extend(["--execute", "20"]);
        let patient = Concord { seconds: 60, ..self.concord.clone() };
        let answer = patient.ask("audit", self.directory, &arguments)?;
        Ok(match answer.status {
            Some(0 | 3) => None,
            Some(1) => {
                let audit = answer.json.as_ref().and_then(|json| json.get("audit"));
                Some(wrong("audit refutes", audit.map(|audit| audit.text_of("why")).unwrap_or_default()))
            }
            status => Some(wrong("audit broken", format!("{status:?}: {}", first_lines(&answer)))),
        })
    }

    /// Asks `analyze` and compares: failures are warned of, places that are reached are not called unreachable, values lie in
    /// their ranges.
    pub fn analyze(&self) -> std::io::Result<Vec<Wrong>> {
        let sources = self.sources();
        let arguments: Vec<&str> = sources.iter().map(String::as_str).collect();
        let answer = self.concord.ask("analyze", self.directory, &arguments)?;
        let mut found = Vec::new();
        if answer.took > Duration::from_secs(self.concord.seconds + 1) {
            found.push(wrong("analyze limit", format!("{:.1} s", answer.took.as_secs_f64())));
        }
        let json = match (answer.status, &answer.json) {
            (Some(0 | 3), Some(json)) => json,
            // A limit leaves nothing to compare.
            (Some(3), None) => return Ok(found),
            (Some(4), _) => return Ok(vec![wrong("analyze refused", first_lines(&answer))]),
            (status, _) => {
                found.push(wrong(
                    "analyze broken",
                    format!("exit status {status:?}: {}", first_lines(&answer)),
                ));
                return Ok(found);
            }
        };
        let results = json.get("results").map(Json::list).unwrap_or_default();
        // A limit that was reached is told of the whole program, not of a place, and leaves nothing to compare.
        let is_stopped =
            |result: &Json| result.text_of("verdict") == "undecided" && result.get("at").is_none();
        if results.iter().any(is_stopped) {
            return Ok(found);
        }
        let open: BTreeSet<(String, i64)> = results
            .iter()
            .filter(|result| result.text_of("verdict") != "holds")
            .map(|result| place(result.get("at")))
            .collect();
        for (vector, failure) in self.truth.failures() {
            // Leaks are not looked for, and the analysis says so.
            if failure.kind == "leak" || failure.line == 0 {
                continue;
            }
            if !failure.is_at(|file, line| open.contains(&(file.to_string(), line))) {
                let clear = if answer.status == Some(0) { "all clear" } else { "excluded" };
                found.push(wrong(
                    format!("analyze {clear} {}", kind_word(&failure)),
                    format!("no warning, but {} on {vector:?}", show(&failure)),
                ));
                break;
            }
        }
        let unreachable: BTreeSet<(String, i64)> = json
            .get("unreachable")
            .map(Json::list)
            .unwrap_or_default()
            .iter()
            .map(|at| place(Some(at)))
            .collect();
        for (vector, run) in &self.truth.runs {
            let looked = self.truth.looks_before_failing(run);
            let reached = looked.iter().find(|&&(number, _)| {
                let look = &self.truth.looks[number];
                // Where there are branches on the line (an assertion has one), another part of it may be meant.
                let is_meant = matches!(self.truth.claims[number], Claim::Nothing | Claim::Print);
                is_meant
                    && is_alone(&look.expression)
                    && unreachable.contains(&(look.file.clone(), look.line))
            });
            if let Some(&(number, _)) = reached {
                let look = &self.truth.looks[number];
                let detail = format!("{}:{} is reached on {vector:?}", look.file, look.line);
                found.push(wrong("analyze unreachable", detail));
                break;
            }
        }
        found.extend(self.ranges(json));
        Ok(found)
    }

    fn ranges(&self, json: &Json) -> Option<Wrong> {
        for output in json.get("outputs").map(Json::list).unwrap_or_default() {
            let at = place(output.get("at"));
            let printed = |number: usize| {
                let look = &self.truth.looks[number];
                self.truth.claims[number] == Claim::Print
                    && (look.file.as_str(), look.line) == (at.0.as_str(), at.1)
            };
            let Some(number) = (0..self.truth.looks.len()).find(|&number| printed(number)) else { continue };
            let values = output.get("values").map(Json::list).unwrap_or_default();
            let Some(range) = values.get(1).and_then(|value| Range::read(&value.text_of("values"))) else {
                continue;
            };
            for (vector, run) in &self.truth.runs {
                for &(looked, value) in self.truth.looks_before_failing(run) {
                    if looked == number && !range.contains(value) {
                        let text = values[1].text_of("values");
                        return Some(wrong(
                            "analyze range",
                            format!("{}:{}: {value} on {vector:?} is not in {text}", at.0, at.1),
                        ));
                    }
                }
            }
        }
        None
    }
}

/// Has the line nothing on it that one run does and another does not?
fn is_alone(expression: &str) -> bool {
    !["?", "&&", "||"].iter().any(|operator| expression.contains(operator))
}

/// A set of numbers as `analyze` writes it: `{0, 2, 4..10} ≡ 0 mod 2`.
struct Range {
    parts: Vec<(i128, i128)>,
    congruence: Option<(i128, i128)>,
}

impl Range {
    fn read(text: &str) -> Option<Range> {
        let (inside, rest) = text.strip_prefix('{')?.split_once('}')?;
        let mut parts = Vec::new();
        for part in inside.split(", ") {
            let (low, high) = part.split_once("..").unwrap_or((part, part));
            parts.push((low.parse().ok()?, high.parse().ok()?));
        }
        let congruence = match rest.trim().strip_prefix("≡ ") {
            Some(rest) => {
                let (remainder, modulus) = rest.split_once(" mod ")?;
                Some((remainder.parse().ok()?, modulus.parse().ok()?))
            }
            None => None,
        };
        Some(Range { parts, congruence })
    }

    fn contains(&self, value: i64) -> bool {
        let value = i128::from(value);
        let is_within = self.parts.iter().any(|&(low, high)| low <= value && value <= high);
        is_within && self.congruence.is_none_or(|(rest, modulus)| (value - rest).rem_euclid(modulus) == 0)
    }
}

/// The check that looks for a failure, where only one does.
fn check_of(failure: &Failure) -> Option<&'static str> {
    let kinds = [
        ("division by zero", "division"),
        ("signed integer overflow", "signed-overflow"),
        ("shift exponent", "shift"),
        ("negation of", "signed-overflow"),
        ("leak", "leak"),
    ];
    kinds.iter().find(|(start, _)| failure.kind.starts_with(start)).map(|&(_, check)| check)
}

/// A failure's kind in a word or two.
pub fn kind_word(failure: &Failure) -> String {
    let words: Vec<&str> = failure.kind.split([' ', ':']).take(3).collect();
    general(&words.join(" "))
}

fn show(failure: &Failure) -> String {
    format!("{} at {}:{}", failure.kind, failure.file, failure.line)
}

fn first_lines(answer: &Answer) -> String {
    answer.errors.lines().take(8).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_they_are_written() {
        let range = Range::read("{0, 2, 4..10} ≡ 0 mod 2").expect("a range");
        assert!(range.contains(8) && !range.contains(7) && !range.contains(12));
        assert!(Range::read("one object").is_none());
        assert!(Range::read("{-3..4}").expect("a range").contains(-3));
    }

    #[test]
    fn reasons_lose_their_names() {
        assert_eq!(general("the loop at p17_a.c:24 of `p17_2_run`"), "the loop at ~ of `~run`");
    }
}
