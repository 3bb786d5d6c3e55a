//! How long `concord prove` takes on a project of twelve components: afresh, again with nothing changed, and after edits of one component.
//! `bench/record projects PATH-TO-CONCORD`.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a command line

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

const COMPONENTS: usize = 12;

/// A component: a ring buffer with a counter, whose invariants are those of its loop.
fn component(number: usize) -> String {
    let size = 4 + number;
    format!(
        "#include \"system.h\"\n\
         static int slots[{size}];\n\
         static int step(int at) {{ return at + 1 < {size} ? at + 1 : 0; }}\n\
         int main(void) {{\n  \
           int head = 0, tail = 0, used = 0;\n  \
           while (__VERIFIER_nondet_int()) {{\n    \
             if (__VERIFIER_nondet_int() && used < {size}) {{ slots[head] = used; head = step(head); used = used + 1; }}\n    \
             else if (used > 0) {{ tail = step(tail); used = used - 1; }}\n    \
             if (head < 0 || head >= {size} || tail < 0 || tail >= {size}) reach_error();\n    \
             if (used < 0 || used > LIMIT + {size}) reach_error();\n  \
           }}\n  \
           return 0;\n}}\n"
    )
}

const HEADER: &str = "void reach_error(void);\nint __VERIFIER_nondet_int(void);\n#define LIMIT 0\n";

struct Tree {
    folder: PathBuf,
    concord: PathBuf,
}

impl Tree {
    fn write(&self, name: &str, text: &str) -> std::io::Result<()> {
        std::fs::write(self.folder.join(name), text)
    }

    /// Seconds, and the last line that `prove` prints.
    fn prove(&self) -> std::io::Result<(f64, String)> {
        let began = Instant::now();
        let output = Command::new(&self.concord)
            .args(["prove", "--quiet", "--jobs", "2"])
            .current_dir(&self.folder)
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = text.lines().last().unwrap_or("no answer").to_owned();
        Ok((began.elapsed().as_secs_f64(), last))
    }
}

fn measure(concord: &Path) -> std::io::Result<()> {
    let folder = std::env::temp_dir().join(format!("concord-bench-projects-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let tree = Tree { folder, concord: concord.canonicalize()? };
    let mut project = String::from("[defaults]\ntime-limit = \"120s\"\nchecks = \"default\"\n");
    for number in 0..COMPONENTS {
        tree.write(&format!("c{number}.c"), &component(number))?;
        project.push_str(&format!("[[question]]\nverb = \"verify\"\nfiles = \"c{number}.c\"\n"));
    }
    tree.write("concord.toml", &project)?;
    tree.write("system.h", HEADER)?;
    println!("| what | seconds | of the first | answers |\n|---|---:|---:|---|");
    let mut first = None;
    let mut row = |what: &str| -> std::io::Result<()> {
        let (seconds, answers) = tree.prove()?;
        let all = *first.get_or_insert(seconds);
        let answers = answers.rsplit_once("; ").map_or(answers.as_str(), |(answers, _)| answers);
        println!("| {what} | {seconds:.2} | {:.1} % | {answers} |", 100.0 * seconds / all);
        Ok(())
    };
    row("the first run")?;
    row("again, nothing changed")?;
    let right = component(5);
    tree.write(
        "c5.c",
        &format!("int unrelated(int k) {{ int i = k; while (i > 0) i--; return i; }}\n{right}"),
    )?;
    row("a function added in front of one component")?;
    tree.write("c5.c", &right.replace("used = used + 1", "used += 1"))?;
    row("a statement of it written otherwise")?;
    tree.write("c5.c", &right)?;
    row("back to the first text")?;
    tree.write("c5.c", &right.replace("used < 9", "used <= 9"))?;
    row("a mistake in it")?;
    tree.write("c5.c", &format!("/* a line more */\n{}", right.replace("used < 9", "used <= 9")))?;
    row("another edit, the mistake still there")?;
    tree.write("c5.c", &right)?;
    tree.write("system.h", &HEADER.replace("LIMIT 0", "LIMIT 1"))?;
    row("a header of all twelve changed, proofs still stand")?;
    std::fs::remove_dir_all(&tree.folder)
}

fn main() -> ExitCode {
    let Some(concord) = std::env::args().nth(1) else {
        eprintln!("usage: bench-projects PATH-TO-CONCORD");
        return ExitCode::from(2);
    };
    match measure(Path::new(&concord)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
