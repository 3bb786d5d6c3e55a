//! `concord audit` of witnesses (format 2.0): ours, and such as other tools write; what must not be accepted is not.

use std::path::PathBuf;
use std::process::Command;

/// Files in a folder that goes with them.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("concord-witnesses-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        Folder(folder)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).expect("the file can be written");
    }

    fn concord(&self, arguments: &[&str]) -> (i32, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_concord"))
            .args(arguments)
            .current_dir(&self.0)
            .output()
            .expect("concord can be run");
        let text = [&output.stdout[..], &output.stderr].concat();
        (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const HEAD: &str = "void reach_error(void) {}\nextern int __VERIFIER_nondet_int(void);\n";

/// Loops in one function, in a function that is called twice, with names that several variables share.
const RIGHT: [&str; 3] = [
    "int main(void) {\n  int n = __VERIFIER_nondet_int(), s = 0;\n  while (s < n) {\n    s++;\n  }\n  if (n >= 0 && s != n) reach_error();\n}\n",
    "int main(void) {\n  unsigned s = 0;\n  for (int i = 0; i < 100; i++) s += 2;\n  for (int i = 0; i < 50; i++) s += 2;\n  if (s % 2) reach_error();\n}\n",
    "static int up(int n) {\n  int s = 0;\n  while (s < n)\n    s++;\n  return s;\n}\nint main(void) {\n  int n = __VERIFIER_nondet_int();\n  if (n < 0 || n > 1000) return 0;\n  int s = up(n);\n  s = up(s);\n  if (s > 1000) reach_error();\n}\n",
];

#[test]
fn our_own_witnesses_are_accepted() {
    let folder = Folder::new("own");
    for (number, text) in RIGHT.iter().enumerate() {
        let file = format!("right{number}.i");
        folder.write(&file, &format!("{HEAD}{text}"));
        let (status, out) = folder.concord(&["verify", &file, "--property", "p.prp", "--witness", "w.yml"]);
        assert_eq!(status, 4, "without the property there is none: {out}");
        folder.write("p.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
        let (status, out) = folder.concord(&["verify", &file, "--property", "p.prp", "--witness", "w.yml"]);
        assert_eq!(status, 0, "{out}");
        let (status, out) = folder.concord(&["audit", "w.yml", &file]);
        // Some proofs need what C cannot say with names in scope, or more rounds: then the gap is told.
        assert!(
            status == 0 && out.starts_with("ACCEPTED") || status == 3 && out.starts_with("OPEN"),
            "{out}"
        );
        assert!(number != 0 || status == 0, "{out}");
        // Of another text it is none.
        folder.write(&file, &format!("{HEAD}{text} "));
        assert_eq!(folder.concord(&["audit", "w.yml", &file]).0, 4);
        std::fs::remove_file(folder.0.join("p.prp")).expect("it was there");
    }
    let wrong = RIGHT[0].replace("s < n", "s <= n");
    folder.write("wrong.i", &format!("{HEAD}{wrong}"));
    let (status, out) = folder.concord(&["verify", "wrong.i", "--witness", "w.yml"]);
    assert_eq!(status, 1, "{out}");
    let witness = std::fs::read_to_string(folder.0.join("w.yml")).expect("written");
    let lines: Vec<&str> = witness.lines().filter(|line| line.contains("specification")).collect();
    assert_eq!(lines.len(), 1);
    let (status, out) = folder.concord(&["audit", "w.yml", "wrong.i"]);
    assert!(status == 0 && out.contains("the run was made again: "), "{out}");
}

fn correctness(file: &str, invariants: &[(&str, u32, u32, &str)]) -> String {
    let mut text = metadata("invariant_set", file);
    for (kind, line, column, value) in invariants {
        text.push_str(&format!(
            "  - invariant:\n      type: {kind}\n      location:\n        file_name: \"/elsewhere/{file}\"\n        line: {line}\n        \
             column: {column}\n        function: main\n      value: \"{value}\"\n      format: c_expression\n"
        ));
    }
    if invariants.is_empty() {
        text = text.replace("  content:\n", "  content: []\n");
    }
    text
}

fn violation(file: &str, returns: &[(u32, u32, &str)]) -> String {
    let mut text = metadata("violation_sequence", file);
    for (line, column, value) in returns {
        text.push_str(&format!(
            "  - segment:\n    - waypoint:\n        type: function_return\n        action: follow\n        location:\n          file_name: {file}\n          \
             line: {line}\n          column: {column}\n        constraint:\n          value: \"{value}\"\n          format: acsl_expression\n"
        ));
    }
    text.push_str(&format!(
        "  - segment:\n    - waypoint:\n        type: target\n        action: follow\n        location: {{file_name: {file}, line: 8, column: 1}}\n"
    ));
    text
}

fn metadata(kind: &str, file: &str) -> String {
    format!(
        "- entry_type: {kind}\n  metadata:\n    format_version: '2.0'\n    uuid: 0\n    creation_time: 2024-01-01T00:00:00Z\n    \
         producer: {{name: other, version: 1}}\n    task:\n      input_files: [{file}]\n      input_file_hashes: {{{file}: '0'}}\n      \
         specification: \"CHECK( init(main()), LTL(G ! call(reach_error())) )\"\n      data_model: LP64\n      language: C\n  content:\n"
    )
}

/// `OPEN` or `ACCEPTED`, and what is told.
fn judged(folder: &Folder, file: &str, witness: &str) -> (i32, String) {
    folder.write("w.yml", witness);
    folder.concord(&["audit", "w.yml", file, "--time-limit", "60s"])
}

/// Line 5 is the loop, in which `s` goes up by two to an even `n`.
const EVEN: &str = "int main(void) {\n  int n = __VERIFIER_nondet_int(), s = 0;\n  while (s < n && s < 1000000)\n    s += 2;\n  if (s % 2) reach_error();\n  return 0;\n}\n";

#[test]
fn invariants_are_shown_or_the_gap_is_named() {
    let folder = Folder::new("invariants");
    folder.write("even.i", &format!("{HEAD}{EVEN}"));
    let (status, out) = judged(
        &folder,
        "even.i",
        &correctness("even.i", &[("loop_invariant", 5, 3, "s % 2 == 0 && s >= 0 && s <= 1000001")]),
    );
    assert!(status == 0 && out.starts_with("ACCEPTED"), "{out}");
    for (what, invariants) in [
        ("too weak", vec![("loop_invariant", 5, 3, "s >= 0")]),
        ("none", vec![]),
        ("wrong from the start", vec![("loop_invariant", 5, 3, "s == 1")]),
        ("impossible", vec![("loop_invariant", 5, 3, "0")]),
        ("not kept", vec![("loop_invariant", 5, 3, "s == 0")]),
        ("another place", vec![("loop_invariant", 6, 3, "s % 2 == 0")]),
        (
            "right, and one more that is not read",
            vec![
                ("loop_invariant", 5, 3, "s % 2 == 0 && s >= 0 && s <= 1000001"),
                ("location_invariant", 7, 3, "s == 5"),
            ],
        ),
        (
            "right, and a name that is not there",
            vec![
                ("loop_invariant", 5, 3, "s % 2 == 0 && s >= 0 && s <= 1000001"),
                ("loop_invariant", 5, 3, "ghost == 0"),
            ],
        ),
        ("no condition", vec![("loop_invariant", 5, 3, "s % 2 == (")]),
    ] {
        let (status, out) = judged(&folder, "even.i", &correctness("even.i", &invariants));
        assert!(status == 3 && out.starts_with("OPEN"), "{what}: {status} {out}");
        assert!(out.lines().count() > 1, "{what}: the gap is not named: {out}");
    }
    // What C does not define, or what changes something, is no invariant, however true the rest is.
    for extra in [
        "1 / (s - s) != 0",
        "(1 / (s - s) == 0 || 1)",
        "n % (n - n) == n % (n - n)",
        "(n + 1) - 1 == n",
        "(n * 2 / 2 == n || 1)",
        "n << 1 == 2 * n",
        "s++ >= 0",
        "(s = s) == s",
        "__VERIFIER_nondet_int() == 0 || 1",
    ] {
        let invariant = format!("{extra} && s % 2 == 0 && s >= 0 && s <= 1000001");
        let witness = correctness("even.i", &[("loop_invariant", 5, 3, &invariant)]);
        let (status, out) = judged(&folder, "even.i", &witness);
        assert!(status == 3 && out.starts_with("OPEN"), "{extra}: {out}");
    }
    let guarded = "(s == 0 || 10 / s >= 0) && s % 2 == 0 && s >= 0 && s <= 1000001";
    let (status, out) =
        judged(&folder, "even.i", &correctness("even.i", &[("loop_invariant", 5, 3, guarded)]));
    assert!(status == 0 && out.starts_with("ACCEPTED"), "{out}");
    // A program that fails has no proof, whatever is said of it.
    let wrong = EVEN.replace("s += 2", "s += 1");
    folder.write("odd.i", &format!("{HEAD}{wrong}"));
    for invariant in
        ["s % 2 == 0", "0", "1", "s >= 0", "s == n", "1 == 0 || s % 2 == 0", "n % 2 == 0 && s % 2 == 0"]
    {
        let witness = correctness("odd.i", &[("loop_invariant", 5, 3, invariant)]);
        let (status, out) = judged(&folder, "odd.i", &witness);
        assert!(status == 3, "{invariant}: {out}");
    }
}

#[test]
fn names_mean_the_innermost_variable_and_every_call_counts() {
    let folder = Folder::new("names");
    // `i` is a static variable, a local, and that of a block.
    let text = "int i = 7;\nstatic int up(int n) {\n  int i = 0;\n  while (i < n)\n    i++;\n  return i;\n}\nint main(void) {\n  int n = up(3);\n  { int i = 5; n += i; }\n  n = up(n);\n  if (i != 7) reach_error();\n  return 0;\n}\n";
    folder.write("names.i", &format!("{HEAD}{text}"));
    let (status, out) =
        judged(&folder, "names.i", &correctness("names.i", &[("loop_invariant", 6, 3, "i >= 0")]));
    assert!(status == 0 || status == 3, "{out}");
    // The static one is 7 in every run, the local one is not.
    let (status, out) =
        judged(&folder, "names.i", &correctness("names.i", &[("loop_invariant", 6, 3, "i == 7")]));
    assert_eq!(status, 3, "the local `i` hides the other: {out}");
}

/// What holds in a direct call need not hold in one through a pointer.
#[test]
fn calls_through_pointers_count() {
    let folder = Folder::new("pointers");
    for calls in [
        "int main(void) {\n  f(5);\n  int (*p)(int) = f;\n  return p(7);\n}\n",
        "int g(int (*p)(int)) { return p(7); }\nint main(void) {\n  f(5);\n  return g(f);\n}\n",
    ] {
        let text = format!(
            "{HEAD}int f(int n) {{\n  int i = 0;\n  while (i < n)\n    i++;\n  return i;\n}}\n{calls}"
        );
        folder.write("call.i", &text);
        for (invariant, is_right) in [("n == 5", false), ("n == 5 || n == 7", true), ("n == 7", false)] {
            let witness = correctness("call.i", &[("loop_invariant", 5, 3, invariant)]);
            let (status, out) = judged(&folder, "call.i", &witness);
            assert_eq!(status, if is_right { 0 } else { 3 }, "{invariant}: {out}\n{text}");
        }
    }
}

/// A run that fails, and not as the witness says.
#[test]
fn a_run_that_fails_otherwise_is_not_the_one_that_is_told() {
    let folder = Folder::new("otherwise");
    let text = "extern unsigned char __VERIFIER_nondet_uchar(void);\nint main(void) {\n  int a = __VERIFIER_nondet_int();\n  \
        if (a == 3)\n    reach_error();\n  if (a == 4)\n\n    reach_error();\n  int c = __VERIFIER_nondet_uchar();\n  \
        if (c == 44)\n    reach_error();\n  return 0;\n}\n";
    folder.write("run.i", &format!("{HEAD}{text}"));
    let at = |line: u32, returns: &[(u32, u32, &str)]| {
        violation("run.i", returns).replace("line: 8, column: 1", &format!("line: {line}, column: 5"))
    };
    let three = (5, 33, "\\\\result == 3");
    let five = (5, 33, "\\\\result == 5");
    let extra = "  - segment:\n    - waypoint:\n        type: branching\n        action: follow\n        \
        location: {file_name: run.i, line: 6, column: 3}\n        constraint: {value: 'false'}\n";
    let branching = at(7, &[three]).replacen("  - segment:", &format!("{extra}  - segment:"), 1);
    for (what, witness, is_right) in [
        ("as it is told", at(7, &[three]), true),
        ("at another line", at(10, &[three]), false),
        ("at a line without a call", at(3, &[three]), false),
        ("before an input is taken", at(7, &[three, (11, 37, "\\\\result == 1")]), false),
        ("along a branch that is not followed", branching, false),
        ("with a number in range", at(13, &[five, (11, 37, "\\\\result == 44")]), true),
        ("with a number that no byte is", at(13, &[five, (11, 37, "\\\\result == 300")]), false),
        ("with a negative number", at(13, &[five, (11, 37, "\\\\result == -212")]), false),
        ("with a value of what returns none", at(7, &[three, (7, 17, "\\\\result == 1")]), false),
    ] {
        let (status, out) = judged(&folder, "run.i", &witness);
        assert_eq!(status, if is_right { 0 } else { 3 }, "{what}: {out}\n{witness}");
    }
    // For another text, whatever the file is called there.
    let told = at(7, &[three]);
    let hash = "a".repeat(64);
    for name in ["run.i", "other.i"] {
        let foreign = told.replace("{run.i: '0'}", &format!("{{{name}: '{hash}'}}"));
        assert_ne!(foreign, told);
        assert_eq!(judged(&folder, "run.i", &foreign).0, 4, "{name}");
    }
}

#[test]
fn runs_are_made_again() {
    let folder = Folder::new("runs");
    let text = "int main(void) {\n  int a = __VERIFIER_nondet_int();\n  int b = __VERIFIER_nondet_int();\n  if (a == 3)\n    if (b == -7)\n      reach_error();\n  return 0;\n}\n";
    folder.write("run.i", &format!("{HEAD}{text}"));
    // Columns are those of the closing parenthesis, or not told rightly: one call on the line is enough.
    for (first, second) in [(33, 33), (1, 2)] {
        let (status, out) = judged(
            &folder,
            "run.i",
            &violation("run.i", &[(4, first, "\\\\result == 3"), (5, second, "\\\\result == -7")]),
        );
        assert!(status == 0 && out.contains("the run was made again: "), "{out}");
    }
    for (what, returns) in [
        ("other values", vec![(4, 33, "\\\\result == 3"), (5, 33, "\\\\result == 7")]),
        ("the other order", vec![(5, 33, "\\\\result == -7"), (4, 33, "\\\\result == 3")]),
        ("nothing told", vec![]),
        ("no number", vec![(4, 33, "\\\\result > 2"), (5, 33, "\\\\result == -7")]),
        ("no call", vec![(8, 1, "\\\\result == 3"), (9, 1, "\\\\result == -7")]),
    ] {
        let (status, out) = judged(&folder, "run.i", &violation("run.i", &returns));
        assert!(status == 3 && out.starts_with("OPEN"), "{what}: {out}");
    }
    let never = text.replace("b == -7", "b == -7 && b > 0");
    folder.write("never.i", &format!("{HEAD}{never}"));
    let (status, out) = judged(
        &folder,
        "never.i",
        &violation("never.i", &[(4, 33, "\\\\result == 3"), (5, 33, "\\\\result == -7")]),
    );
    assert_eq!(status, 3, "{out}");
    for (what, witness) in [
        ("no YAML", "a: [".to_owned()),
        ("another format", violation("run.i", &[]).replace("'2.0'", "'0.1'")),
        ("no property", violation("run.i", &[]).replace("specification", "specimen")),
    ] {
        assert_eq!(judged(&folder, "run.i", &witness).0, 4, "{what}");
    }
}
