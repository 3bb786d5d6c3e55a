//! A mutation fuzzer without instrumentation: real and generated C with bytes and tokens changed at random. The same seed
//! gives the same inputs. Looks for panics, crashes and hangs; what the input is rejected with does not matter.

use crate::generate;
use crate::manifest;
use crate::minimise;
use crate::native::Scratch;
use crate::ours::Reading;
use crate::random::Random;
use crate::worker::{Answer, Stage, Worker};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Time for one input. Inputs are below 100 kB and take milliseconds.
const LIMIT: Duration = Duration::from_secs(10);
/// Larger seeds are left out: small ones find as much and are quicker.
const LARGEST_SEED: u64 = 40_000;

/// Tokens that are put in at random places.
const TOKENS: [&str; 64] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&",
    "=",
    "==",
    "->",
    ".",
    "...",
    "?",
    ":",
    "#",
    "int",
    "char",
    "struct",
    "union",
    "enum",
    "typedef",
    "static",
    "extern",
    "void",
    "unsigned",
    "long",
    "double",
    "_Bool",
    "if",
    "else",
    "while",
    "for",
    "do",
    "switch",
    "case",
    "default",
    "goto",
    "break",
    "return",
    "sizeof",
    "__attribute__",
    "__extension__",
    "__typeof__",
    "asm",
    "_Generic",
    "_Static_assert",
    "_Alignas",
    "__builtin_va_arg",
    "__builtin_offsetof",
    "0",
    "1",
    "-1",
    "0x7fffffff",
    "18446744073709551615u",
    "1e400",
    "\"text\"",
    "'c'",
    "L'x'",
    "++",
    "<<",
    "@",
];

/// What was found.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The kind and, for panics, the place in our source.
    pub what: String,
    /// The smallest input found for it.
    pub input: PathBuf,
}

/// Figures of a fuzz run.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Inputs tried.
    pub inputs: u64,
    /// Inputs that were taken without an error.
    pub taken: u64,
    /// Distinct findings.
    pub findings: Vec<Finding>,
}

/// Settings of a fuzz run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How far inputs are taken.
    pub stage: Stage,
    /// How long.
    pub time: Duration,
    /// Which inputs.
    pub seed: u64,
    /// The program that serves as worker.
    pub worker: PathBuf,
    /// Where findings go.
    pub folder: PathBuf,
}

/// Texts to start from: generated programs, the C files of this repository, and those of the benchmark set.
pub fn seeds() -> Vec<String> {
    let mut seeds: Vec<String> =
        (0..40).map(|number| generate::program(number, generate::Settings::default())).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("crates"), root.join("examples")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "c" || ending == "i") {
                files.push(path);
            }
        }
    }
    if let Some(shared) = manifest::shared_folder() {
        let tasks = manifest::tasks(&shared).unwrap_or_default();
        files.extend(manifest::data_files(&shared).into_iter().chain(tasks).map(|task| task.path));
    }
    files.sort();
    let is_small =
        |path: &PathBuf| std::fs::metadata(path).is_ok_and(|metadata| metadata.len() <= LARGEST_SEED);
    seeds.extend(
        files.iter().filter(|path| is_small(path)).filter_map(|path| std::fs::read_to_string(path).ok()),
    );
    seeds
}

/// Fuzzes for the given time.
pub fn fuzz(settings: &Settings, mut progress: impl FnMut(&Summary)) -> std::io::Result<Summary> {
    let deadline = Instant::now() + settings.time;
    let seeds = seeds();
    let scratch = Scratch::new()?;
    let mut random = crate::random::of_seed(settings.seed);
    let mut worker = Worker::new(&settings.worker);
    let mut summary = Summary::default();
    let mut known: BTreeMap<String, u64> = BTreeMap::new();
    while Instant::now() < deadline {
        let input = mutated(&seeds, &mut random);
        let path = scratch.file("input.i");
        std::fs::write(&path, &input)?;
        summary.inputs += 1;
        let model = if random.chance(30) { generate::Model::Ilp32 } else { generate::Model::Lp64 };
        let reading = Reading::new(model);
        let answer = worker.ask(settings.stage, &path, &reading, LIMIT);
        match name_of(&answer) {
            None => summary.taken += u64::from(matches!(answer, Answer::Taken(_))),
            Some(what) => {
                let times = known.entry(what.clone()).or_default();
                *times += 1;
                if *times == 1 {
                    let text = String::from_utf8_lossy(&input).into_owned();
                    let small = smaller(&text, &what, &mut worker, settings, &reading, &scratch);
                    let name = format!("{:?}-{}.i", settings.stage, summary.findings.len()).to_lowercase();
                    std::fs::create_dir_all(&settings.folder)?;
                    let saved = settings.folder.join(name);
                    // The bytes themselves when the text stands for something else.
                    if small == text {
                        std::fs::write(&saved, &input)?
                    } else {
                        std::fs::write(&saved, small)?
                    }
                    summary.findings.push(Finding { what, input: saved });
                }
            }
        }
        if summary.inputs % 500 == 0 {
            progress(&summary);
        }
    }
    Ok(summary)
}

/// The name of a finding; `None` for the two proper answers.
fn name_of(answer: &Answer) -> Option<String> {
    match answer {
        Answer::Taken(_) | Answer::Rejected(_) => None,
        Answer::Panicked(message) => Some(format!("panic: {message}")),
        Answer::Died => Some("the process died (stack overflow?)".to_string()),
        Answer::Hung => Some(format!("no answer in {} s", LIMIT.as_secs())),
    }
}

/// Panics at one place are one finding, whatever values their message mentions.
fn place_of(what: &str) -> &str {
    what.lines().next().unwrap_or(what)
}

fn smaller(
    text: &str,
    what: &str,
    worker: &mut Worker,
    settings: &Settings,
    reading: &Reading,
    scratch: &Scratch,
) -> String {
    let limit = Duration::from_secs(30).min(settings.time);
    let mut shows_it = |candidate: &str| {
        let path = scratch.file("smaller.i");
        std::fs::write(&path, candidate).is_ok()
            && name_of(&worker.ask(settings.stage, &path, reading, LIMIT))
                .is_some_and(|found| place_of(&found) == place_of(what))
    };
    if !shows_it(text) {
        return text.to_string();
    }
    minimise::minimise(text, limit, shows_it)
}

fn mutated(seeds: &[String], random: &mut Random) -> Vec<u8> {
    let mut bytes = random.pick(seeds).clone().into_bytes();
    for _ in 0..1 + random.below(6) {
        match random.below(12) {
            0..=5 => change_tokens(&mut bytes, random),
            6 => {
                let at = random.below(bytes.len() + 1);
                bytes.insert(at, random.bits() as u8);
            }
            7 if !bytes.is_empty() => {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            8 if !bytes.is_empty() => {
                let (start, end) = piece(&bytes, random);
                bytes.drain(start..end);
            }
            9 if !bytes.is_empty() => {
                let (start, end) = piece(&bytes, random);
                let copy = bytes[start..end].to_vec();
                let at = random.below(bytes.len() + 1);
                bytes.splice(at..at, copy);
            }
            10 => {
                let other = random.pick(seeds).as_bytes();
                if !other.is_empty() {
                    let (start, end) = piece(other, random);
                    let at = random.below(bytes.len() + 1);
                    bytes.splice(at..at, other[start..end].iter().copied());
                }
            }
            _ => {
                // Deep nesting.
                let opening = *random.pick(&["(", "{", "[", "*", "-", "!", "struct{", "if(1)", "x?", "&"]);
                let count = 1 << random.below(14);
                let at = random.below(bytes.len() + 1);
                bytes.splice(at..at, opening.repeat(count).into_bytes());
            }
        }
    }
    bytes
}

/// A short range of the text.
fn piece(bytes: &[u8], random: &mut Random) -> (usize, usize) {
    let start = random.below(bytes.len());
    let scale = random.below(9);
    let length = 1 + random.below(1 << scale);
    (start, (start + length).min(bytes.len()))
}

fn change_tokens(bytes: &mut Vec<u8>, random: &mut Random) {
    let tokens = tokens_of(bytes);
    if tokens.is_empty() {
        return;
    }
    let (start, end) = *random.pick(&tokens);
    let replacement: Vec<u8> = match random.below(4) {
        0 => Vec::new(),
        1 => random.pick(&TOKENS).as_bytes().to_vec(),
        2 => {
            let (from, to) = *random.pick(&tokens);
            bytes[from..to].to_vec()
        }
        _ => [&bytes[start..end], b" ", random.pick(&TOKENS).as_bytes(), b" "].concat(),
    };
    bytes.splice(start..end, replacement);
}

/// Ranges of words and single signs.
fn tokens_of(bytes: &[u8]) -> Vec<(usize, usize)> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        if bytes[start].is_ascii_whitespace() {
            continue;
        }
        if is_word(bytes[start]) {
            while at < bytes.len() && is_word(bytes[at]) {
                at += 1;
            }
        }
        tokens.push((start, at));
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_inputs() {
        let seeds = vec!["int main(void) { return 0; }".to_string(), "struct s { int a; };".to_string()];
        let inputs = |seed| {
            let mut random = crate::random::of_seed(seed);
            (0..50).map(|_| mutated(&seeds, &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(inputs(3), inputs(3));
        assert_ne!(inputs(3), inputs(4));
    }

    #[test]
    fn tokens_are_words_and_signs() {
        let text = b"a1 += b;";
        let tokens: Vec<&[u8]> = tokens_of(text).into_iter().map(|(start, end)| &text[start..end]).collect();
        assert_eq!(tokens, [b"a1".as_slice(), b"+", b"=", b"b", b";"]);
    }
}
