//! `concord prove`: what is remembered, what is asked again, and that the memory never makes another answer.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A project in a folder of its own that goes with it.
struct Project(PathBuf);

impl Project {
    fn new(test: &str, files: &[(&str, &str)]) -> Project {
        let folder = std::env::temp_dir().join(format!("concord-prove-{}-{test}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let project = Project(folder);
        files.iter().for_each(|(name, text)| project.write(name, text));
        project
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.0.join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("the folder can be made");
        std::fs::write(file, text).expect("the file can be written");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_concord"));
        command.arg("prove").args(arguments).current_dir(&self.0).env_remove("CC");
        command
    }

    /// Status, results, messages.
    fn prove(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.command(arguments).output().expect("concord can be run");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
    }

    /// Of each question its name, its verdict, and whether it was remembered.
    fn answers(&self, arguments: &[&str]) -> Vec<(String, String, bool)> {
        let (_, out, err) = self.prove(&[&["--format", "json", "--quiet"], arguments].concat());
        let document: Value =
            serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let questions = document["questions"].as_array().expect("questions").iter();
        questions.map(|one| (text(&one["name"]), text(&one["verdict"]), one["remembered"] == true)).collect()
    }

    /// The verdicts, and which of them were remembered.
    fn words(&self, arguments: &[&str]) -> String {
        let words = self
            .answers(arguments)
            .into_iter()
            .map(|(_, verdict, is_remembered)| if is_remembered { format!("({verdict})") } else { verdict });
        words.collect::<Vec<_>>().join(" ")
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn has_compiler() -> bool {
    testkit::compiler::is_there("cc", "projects of C files are not tested")
}

const TWO: &str = r#"
[defaults]
time-limit = "60s"
I = "include"
[[question]]
verb = "verify"
files = "one.c"
[[question]]
verb = "verify"
files = "two.c"
"#;
const ONE_C: &str = "#include <limit.h>\nint main(void) { int x = 3; __VERIFIER_assert(x < LIMIT); }\n";
const TWO_C: &str = "int main(void) { int x = 3; __VERIFIER_assert(x == 3); }\n";
const ASSERT: &str =
    "void reach_error(void);\nstatic void __VERIFIER_assert(int c) { if (!c) reach_error(); }\n";

fn two(test: &str) -> Project {
    let limit = format!("{ASSERT}#define LIMIT 4\n");
    let two = format!("{ASSERT}{TWO_C}");
    Project::new(
        test,
        &[("concord.toml", TWO), ("one.c", ONE_C), ("two.c", &two), ("include/limit.h", &limit)],
    )
}

#[test]
fn only_what_a_change_touches_is_asked_again() {
    if !has_compiler() {
        return;
    }
    let project = two("touched");
    assert_eq!(project.words(&[]), "holds holds");
    assert_eq!(project.words(&[]), "(holds) (holds)");
    // A header of one of them, and back again.
    let limit = format!("{ASSERT}#define LIMIT 3\n");
    project.write("include/limit.h", &limit);
    assert_eq!(project.words(&[]), "violated (holds)");
    assert_eq!(project.words(&[]), "(violated) (holds)");
    project.write("include/limit.h", &format!("{ASSERT}#define LIMIT 4\n#define MORE 5 // unused\n"));
    assert_eq!(project.words(&[]), "(holds) (holds)", "what comes out of the preprocessor counts");
    // A file of the same name in front of it hides a header.
    project.write("limit.h", &limit);
    project.write("concord.toml", &TWO.replace("\"include\"", "[\".\", \"include\"]"));
    assert_eq!(project.words(&[]), "violated holds", "the options of both changed");
    std::fs::remove_file(project.0.join("limit.h")).expect("it was there");
    assert_eq!(project.words(&[]), "holds (holds)", "what is no longer there hides nothing");
    project.write("limit.h", &limit);
    assert_eq!(project.words(&[]), "(violated) (holds)");
    // Limits are no part of what an answer rests on, checks are.
    project.write("concord.toml", &TWO.replace("60s", "50s"));
    assert_eq!(project.words(&[]), "(holds) (holds)");
    project.write("concord.toml", &TWO.replace("time-limit = \"60s\"", "checks = \"default\""));
    assert_eq!(project.words(&[]), "holds holds");
    assert_eq!(project.words(&["--again"]), "holds holds");
    assert_eq!(project.words(&["--no-memory"]), "holds holds");
    let (status, out, _) = project.prove(&["one", "--explain"]);
    assert_eq!(status, 0);
    assert!(
        out.contains("remembered: nothing that its answer rests on has changed") && out.starts_with("holds "),
        "{out}"
    );
    project.write("one.c", &format!("{ONE_C}int more;\n"));
    let (_, out, _) = project.prove(&["one", "--explain"]);
    assert!(out.contains("asked: changed since the last answer: one.c; the old proof still stands"), "{out}");
}

/// Procedures, variables, loops and calls have other numbers after the edit; their invariants are those of before.
#[test]
fn old_proofs_are_moved_to_where_their_places_went() {
    let program = |before: &str, inside: &str| {
        format!(
            "void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n{before}\n\
             static int up(int n) {{ int i = 0; while (i < n) i++; return i; }}\n\
             int main(void) {{ {inside} int n = __VERIFIER_nondet_int(), sum = 0; if (n < 0 || n > 1000) return 0;\n\
             for (int i = 0; i < n; i++) if (sum < 10) sum = sum + 2;\n\
             int more = up(n); for (int i = 0; i < n; i++) if (sum > 4) sum = sum - 4;\n\
             if (sum > 11 || sum < 0 || more < 0) reach_error(); return 0; }}\n"
        )
    };
    let project = Project::new("moved", &[("a.i", &program("", ""))]);
    project.write("concord.toml", "[[question]]\nverb = \"verify\"\nfiles = \"a.i\"\n");
    assert_eq!(project.words(&[]), "holds");
    for (before, inside) in [
        ("int other; static int first(int k) { int i = k; while (i > 0) i--; return i; }", ""),
        ("int other; static int first(int k) { return k; }", "int i = 3; other = first(i);"),
        ("", "int a = 1, i = 2; a = a + i; (void)a;"),
    ] {
        project.write("a.i", &program(before, inside));
        let (status, out, _) = project.prove(&["--explain"]);
        assert_eq!(status, 0, "{out}");
        assert!(out.contains("the old proof still stands"), "{before} {inside}: {out}");
    }
    // What it rested on is gone: it is no proof any more, and nobody takes it for one.
    project.write("a.i", &program("", "").replace("sum - 4", "sum - 5"));
    assert_eq!(project.words(&[]), "violated");
}

#[test]
fn what_is_expected_counts_and_every_format_tells() {
    if !has_compiler() {
        return;
    }
    let project = two("expected");
    project.write("include/limit.h", &format!("{ASSERT}#define LIMIT 3\n"));
    let (status, out, _) = project.prove(&["--quiet", "--junit", "r.xml"]);
    assert_eq!(status, 1, "{out}");
    assert!(out.contains("the run: concord verify --time-limit=60s -Iinclude one.c"), "{out}");
    assert!(out.contains("2 questions: 1 holds, 1 violated; "), "{out}");
    let junit = std::fs::read_to_string(project.0.join("r.xml")).expect("written");
    assert!(junit.contains("tests=\"2\" failures=\"1\" errors=\"0\""), "{junit}");
    let (_, out, _) = project.prove(&["--format", "sarif"]);
    let sarif: Value = serde_json::from_str(&out).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let kinds: Vec<&str> = results.iter().filter_map(|result| result["kind"].as_str()).collect();
    assert_eq!(kinds, ["fail", "pass"], "{out}");
    // The mistake is there on purpose; what holds although a mistake is expected is not as it should be.
    project
        .write("concord.toml", &TWO.replace("files = \"one.c\"", "files = \"one.c\"\nexpect = \"violated\""));
    assert_eq!(project.prove(&["--quiet"]).0, 0);
    project.write("concord.toml", &TWO.replace("files = ", "expect = \"violated\"\nfiles = "));
    let (status, out, _) = project.prove(&["--quiet"]);
    assert!(status == 1 && out.contains("expected: violated"), "{out}");
    assert_eq!(project.prove(&["--list"]).1, "one.c\ntwo.c\n");
    assert!(project.prove(&["--stats"]).1.contains("one.c"));
    assert!(project.prove(&["--compare"]).1.contains("compared with earlier runs"));
}

#[test]
fn what_is_wrong_with_the_file_is_told_with_its_place() {
    let project = Project::new("wrong", &[("a.c", "int main(void) { return 0; }\n")]);
    let (status, _, err) = project.prove(&[]);
    assert!(status == 4 && err.contains("there is no concord.toml here or above"), "{err}");
    for (text, wanted) in [
        ("[[question]]\nverb = \"verify\"\nfiles = \"a.c\"\ncheks = \"all\"\n", "did you mean `checks`?"),
        ("[[question]]\nverb = \"verify\"\nfiles = \"a.c\"\nengine = \"warp\"\n", "invalid value 'warp'"),
        ("[[question]]\nverb = \"verify\"\nfiles = \"a.c\"\nchecks = \"bonds\"\n", "did you mean `bounds`?"),
        ("[[question]\n", "concord.toml:1:"),
        ("", "it has no [[question]]"),
    ] {
        project.write("concord.toml", text);
        let (status, out, err) = project.prove(&[]);
        assert!(status == 4 && err.contains(wanted), "{text}: {status} {out}{err}");
    }
    project.write("concord.toml", "[[question]]\nverb = \"verify\"\nfiles = \"a.c\"\n");
    let (status, _, err) = project.prove(&["b.c"]);
    assert!(status == 2 && err.contains("did you mean `a.c`?"), "{err}");
    assert_eq!(project.prove(&["--data-model", "ilp32"]).0, 2);
    // A file that is not there, and one with an error, are bad input of their own questions.
    project.write("concord.toml", "[[question]]\nverb = \"model\"\nfiles = \"a.lts\"\n[[question]]\nverb = \"model\"\nfiles = \"b.lts\"\n");
    project.write("b.lts", "P = (a -> P).\n");
    let (status, out, _) = project.prove(&["--quiet"]);
    assert!(status == 4 && out.contains("bad input  a.lts") && out.contains("holds      b.lts"), "{out}");
}

#[test]
fn undecided_answers_are_asked_again() {
    let project = Project::new(
        "open",
        &[(
            "a.i",
            "int f(void);\nvoid reach_error(void);\nint main(void) { if (f()) reach_error(); return 0; }\n",
        )],
    );
    project.write("concord.toml", "[[question]]\nverb = \"verify\"\nfiles = \"a.i\"\n");
    assert_eq!(project.words(&[]), "undecided");
    assert_eq!(project.words(&[]), "undecided");
    let (status, out, _) = project.prove(&["--explain"]);
    assert!(status == 3 && out.contains("asked: the last answer was open"), "{out}");
}

/// What stands in `.concord` is damaged in many ways: verdicts stay what they are.
#[test]
fn a_damaged_or_foreign_memory_is_not_believed() {
    let project = Project::new("damaged", &[("a.lts", "P = (a -> P).\n"), ("b.lts", "P = (a -> STOP).\n")]);
    let question = |file: &str| format!("[[question]]\nverb = \"model\"\nfiles = \"{file}\"\n");
    project.write("concord.toml", &format!("{}{}", question("a.lts"), question("b.lts")));
    assert_eq!(project.words(&[]), "holds violated");
    assert_eq!(project.words(&[]), "(holds) (violated)");
    let store = project.0.join(".concord/answers.redb");
    let whole = std::fs::read(&store).expect("the memory");
    let mut state = 5_u64;
    let rounds = if std::env::var_os("CONCORD_DEEP").is_some() { 300 } else { 25 };
    let mut noticed = 0;
    for round in 0..rounds {
        let mut damaged = whole.clone();
        for _ in 0..=round % 4 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1442695040888963407);
            let at = match round % 2 {
                0 => (state >> 33) as usize % 4096,
                _ => (state >> 33) as usize % damaged.len(),
            };
            damaged[at] = (state >> 13) as u8;
        }
        if round % 5 == 4 {
            damaged.truncate((state >> 33) as usize % whole.len());
        }
        std::fs::write(&store, &damaged).expect("written");
        let (status, out, err) = project.prove(&["--format", "json"]);
        assert_eq!(status, 1, "{out}{err}");
        noticed += usize::from(err.contains("nothing of it is believed"));
        let words = project.words(&[]);
        assert_eq!(words.replace(['(', ')'], ""), "holds violated", "round {round}");
    }
    assert!(noticed > 0, "no damage was noticed");
    std::fs::write(&store, "a shopping list").expect("written");
    let (status, _, err) = project.prove(&[]);
    assert!(status == 1 && err.contains("nothing of it is believed"), "{err}");
    assert_eq!(project.words(&[]), "(holds) (violated)");
}

/// A kill at any moment: what is told afterwards is what is told without a memory.
#[test]
fn a_kill_loses_nothing_but_what_was_under_way() {
    let mut toml = String::new();
    let project = Project::new("killed", &[]);
    for number in 0..12 {
        let text = if number % 3 == 0 { "P = (a -> STOP).\n" } else { "P = (a -> P).\n" };
        project.write(&format!("m{number}.lts"), text);
        toml.push_str(&format!("[[question]]\nverb = \"model\"\nfiles = \"m{number}.lts\"\n"));
    }
    project.write("concord.toml", &toml);
    let verdicts = |arguments: &[&str]| project.words(arguments).replace(['(', ')'], "");
    let right = verdicts(&["--no-memory"]);
    let rounds = if std::env::var_os("CONCORD_DEEP").is_some() { 100 } else { 6 };
    let mut remembered = 0;
    for round in 0..rounds {
        let mut child = project
            .command(&["--quiet", "--jobs", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(Duration::from_millis(15 + (round * 37) % 400));
        let _ = child.kill();
        let _ = child.wait();
        if round % 3 == 2 {
            let answers = project.answers(&[]);
            remembered += answers.iter().filter(|(.., is_remembered)| *is_remembered).count();
            assert_eq!(verdicts(&[]), right, "round {round}");
            // From nothing again, so that kills meet a memory at every stage.
            let _ = std::fs::remove_dir_all(project.0.join(".concord"));
        }
    }
    assert_eq!(verdicts(&[]), right);
    let left: Vec<_> = std::fs::read_dir(project.0.join(".concord"))
        .expect("the memory")
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("run-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let _ = remembered;
}

#[test]
fn a_second_run_at_the_same_time_works_without_the_memory() {
    let project = Project::new("twice", &[("a.lts", "P = (a -> P).\n")]);
    project.write("concord.toml", "[[question]]\nverb = \"model\"\nfiles = \"a.lts\"\n");
    let (_held, opened) = store::Memory::open(&project.0.join(".concord"));
    assert_eq!(opened, store::Opened::New);
    let (status, out, err) = project.prove(&[]);
    assert!(status == 0 && err.contains("nothing is remembered in this run"), "{out}{err}");
}

#[test]
fn a_first_project_file_is_written_and_answered() {
    let program = format!("{ASSERT}{TWO_C}");
    let project = Project::new(
        "init",
        &[("src/two.c", &program), ("src/part.c", "int part;\n"), ("m.lts", "P = (a -> P).\n")],
    );
    let init = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_concord"));
        command.arg("init").current_dir(&project.0).output().expect("concord can be run").status.code()
    };
    assert_eq!(init(), Some(0));
    assert_eq!(init(), Some(4), "one that is there is left alone");
    if has_compiler() {
        assert_eq!(project.words(&[]), "holds holds");
        assert!(Path::new(&project.0.join(".concord/.gitignore")).exists());
    }
}
