//! The bodies of the fuzz targets on changed texts, without instrumentation: real specifications, formulas and structures
//! with bytes, tokens and stretches changed at random. The same seed gives the same inputs. Looks for panics and hangs.
//! (`fuzz/` has the same bodies for cargo-fuzz.)

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use testkit::Random;
use testkit::clock::Clock;

#[path = "../../../fuzz/bodies/parse_formula.rs"]
mod parse_formula;
#[path = "../../../fuzz/bodies/parse_spec.rs"]
mod parse_spec;
#[path = "../../../fuzz/bodies/read_structures.rs"]
mod read_structures;

const LARGEST_SEED: u64 = 6_000;
const LARGEST_INPUT: usize = 8_000;
/// Wall time after which an input counts as a hang; the machine may be loaded.
const HANGS_AFTER: Duration = Duration::from_secs(60);
const STACK_BYTES: usize = 8 << 20;

type Target = (fn(&str), &'static [&'static str]);

fn target(name: &str) -> Option<Target> {
    Some(match name {
        "parse_spec" => (parse_spec::body, &["lts", "spec", "fsp"]),
        "parse_formula" => (parse_formula::body, &["seltl", "ltl", "ctl", "tc", "spec", "case"]),
        "read_structures" => (read_structures::body, &["aut", "hoa", "lts", "txt"]),
        _ => return None,
    })
}

pub fn run(name: &str, processor_minutes: usize, seed: usize) -> Result<(), String> {
    let Some((body, endings)) = target(name) else {
        return Err("one of: parse_spec, parse_formula, read_structures".to_owned());
    };
    let seeds = seeds(endings);
    let tokens = tokens();
    println!("{name}: {} texts to start from, {} tokens", seeds.len(), tokens.len());
    let at_work: Arc<Mutex<(String, Instant)>> = Arc::new(Mutex::new((String::new(), Instant::now())));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/fuzz-findings");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    watch(at_work.clone(), folder.join(format!("{name}-hang.txt")));
    let worker = {
        let name = name.to_owned();
        move || {
            let clock = Clock::start();
            let mut random = Random::new(seed as u64);
            let (mut inputs, mut found) = (0u64, Vec::<String>::new());
            std::panic::set_hook(Box::new(|_| {}));
            while clock.processor() < processor_minutes as f64 * 60.0 {
                let text = changed(&seeds, &tokens, &mut random);
                *at_work.lock().expect("no panic while it is held") = (text.clone(), Instant::now());
                inputs += 1;
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(&text))) {
                    let words = panic
                        .downcast_ref::<String>()
                        .map(String::as_str)
                        .or_else(|| panic.downcast_ref::<&str>().copied())
                        .unwrap_or("a panic without words");
                    let kind: String = words.chars().take(60).collect();
                    if !found.contains(&kind) {
                        let file = folder.join(format!("{name}-{}.txt", found.len()));
                        // A finding that cannot be saved is still told.
                        let _ = std::fs::write(&file, &text);
                        println!("{}: {kind}", file.display());
                        found.push(kind);
                    }
                }
            }
            let _ = std::panic::take_hook();
            println!("{name}: {inputs} inputs in {:.0} s CPU, {} findings", clock.processor(), found.len());
            found.len()
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(worker);
    let found = thread.map_err(|error| error.to_string())?.join().map_err(|_| "the fuzzer itself failed")?;
    if found == 0 { Ok(()) } else { Err(format!("{found} findings")) }
}

/// Ends the process, with the input saved, when one takes too long.
fn watch(at_work: Arc<Mutex<(String, Instant)>>, file: PathBuf) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let (text, since) = &*at_work.lock().expect("no panic while it is held");
            if since.elapsed() > HANGS_AFTER {
                let _ = std::fs::write(&file, text);
                println!("{}: takes longer than {HANGS_AFTER:?}", file.display());
                std::process::exit(1);
            }
        }
    });
}

/// Small files of this repository and of what lies beside it, by their endings.
fn seeds(endings: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("crates"), root.join("examples")];
    folders.extend(["bench/fsp", "bench/ltl", "data"].map(|folder| root.join("../shared").join(folder)));
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let has_ending =
                path.extension().and_then(|ending| ending.to_str()).is_some_and(|e| endings.contains(&e));
            if path.is_dir() {
                folders.push(path);
            } else if has_ending && path.metadata().is_ok_and(|metadata| metadata.len() <= LARGEST_SEED) {
                files.push(path);
            }
        }
    }
    files.sort();
    files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

fn tokens() -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/dictionaries/spec.dict");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let quoted = |line: &str| Some(line.split_once('"')?.1.rsplit_once('"')?.0.to_owned());
    let mut tokens: Vec<String> = text.lines().filter_map(quoted).collect();
    tokens.extend(
        ["0", "-1", "99999999999999999999", "(", ")", "{", "}", "[", "]", "..", "->", "\u{e9}", "\""]
            .map(String::from),
    );
    tokens
}

fn changed(seeds: &[String], tokens: &[String], random: &mut Random) -> String {
    let mut text: Vec<char> = match seeds.is_empty() {
        true => Vec::new(),
        false => seeds[random.below(seeds.len())].chars().collect(),
    };
    // Short inputs too: a stretch of the seed.
    if random.chance(40) && !text.is_empty() {
        let from = random.below(text.len());
        let length = 1 + random.below(120);
        text = text[from..(from + length).min(text.len())].to_vec();
    }
    for _ in 0..1 + random.below(6) {
        let at = random.below(text.len() + 1);
        let longest = 1usize << random.below(8);
        let end = (at + random.below(longest + 1)).min(text.len());
        match random.below(6) {
            0 => drop(text.drain(at..end)),
            1 => {
                let stretch: Vec<char> = text[at..end].to_vec();
                let times = 1 + random.below(4);
                (0..times).for_each(|_| drop(text.splice(at..at, stretch.iter().copied())));
            }
            2 if !seeds.is_empty() => {
                let other: Vec<char> = seeds[random.below(seeds.len())].chars().collect();
                let from = random.below(other.len() + 1);
                let to = (from + random.below(60)).min(other.len());
                text.splice(at..at, other[from..to].iter().copied());
            }
            3 if at < text.len() => text[at] = char::from(random.below(128) as u8),
            4 if at < text.len() && text[at].is_ascii_digit() => {
                text[at] = char::from(b'0' + random.below(10) as u8);
            }
            _ => drop(text.splice(at..at, tokens[random.below(tokens.len())].chars())),
        }
        text.truncate(LARGEST_INPUT);
    }
    text.into_iter().collect()
}
