//! `concord analyze` from outside: what it prints and how it exits.

use std::path::{Path, PathBuf};
use std::process::Command;

fn file(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("analyze");
    std::fs::create_dir_all(&folder).expect("the scratch directory can be made");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the scratch directory can be written");
    path
}

/// The status and what went to standard output.
fn analyze(path: &Path, arguments: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("analyze")
        .arg(path)
        .args(arguments)
        .output()
        .expect("concord can be run");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

const COUNTER: &str = "extern int __VERIFIER_nondet_int(void);\n\
    int level;\n\
    int main(void) {\n\
      for (;;) {\n\
        int in = __VERIFIER_nondet_int();\n\
        if (in > 0 && level < 3) level = level + 1;\n\
        if (in < 0 && level > 0) level = level - 1;\n\
      }\n\
    }\n";

#[test]
fn ranges_are_shown() {
    let path = file("ranges.c", COUNTER);
    let (status, out) = analyze(&path, &["--at", "6", "--variable", "level"]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("level = {0..3}"), "{out}");
}

#[test]
fn formulas_are_answered_with_a_run() {
    let path = file("formulas.c", COUNTER);
    let (status, out) = analyze(&path, &["--ctl", "AG(level <= 3); AG(level < 3)", "--levels"]);
    assert_eq!(status, 1, "{out}");
    assert!(
        out.contains("HOLDS (1)") && out.contains("VIOLATED (2)") && out.contains("inputs: 1, 1, 1"),
        "{out}"
    );
    assert!(out.contains("replayed: the interpreter makes exactly this run"), "{out}");
    let (status, out) = analyze(&path, &["--ctl", "AG(level <= 3); AG(level < 3)", "--only", "1"]);
    assert_eq!(status, 0, "{out}");
    let (status, _) = analyze(&path, &["--ctl", "AG(unknown = 1)"]);
    assert_eq!(status, 4);
}

#[test]
fn invariants_of_loops_are_shown_as_c() {
    let path = file(
        "invariants.c",
        "int main(void) { int n = 10, i; for (i = 0; i < 7; i++) n = n - 1; return n; }\n",
    );
    let (status, out) = analyze(&path, &["--invariants"]);
    assert!(status == 0 && out.contains("(`main`):"), "{out}");
    assert!(out.contains("i <= 7") && out.contains("n"), "{out}");
    let (status, out) = analyze(&path, &["--invariants", "--format", "json"]);
    assert!(status == 0 && out.contains("\"loops\""), "{out}");
}

const OPEN: &str = "extern int __VERIFIER_nondet_int(void);\n\
    int x, y; struct { int a; int t[3]; } s;\n\
    void step(int *p) { if (__VERIFIER_nondet_int() * 3 == y) y = y + 2; *p = *p + 2; if (x > 1000) x = 0; s.t[1] = x; }\n\
    int main(void) {\n\
      int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();\n\
      if (a > 2 && b > 2 && a < 1000 && b < 1000 && a * b == 9991) s.a = 1;\n\
      while (__VERIFIER_nondet_int()) step(&x);\n\
      return 0;\n\
    }\n";

#[test]
fn what_stays_open_is_passed_on_to_verification() {
    let path = file("open.c", OPEN);
    for (formula, status, told) in [
        ("EF(s.a = 1)", 0, "level verify"),
        ("AG(x % 2 = 0)", 0, "by k-induction"),
        ("AG(s.t[1] <= 1000)", 0, "by k-induction"),
        ("!EF(s.a = 1 & x = 4)", 1, "replayed: the interpreter gets there"),
        ("EF(s.a = 2)", 1, "level verify"),
    ] {
        let arguments = ["--ctl", formula, "--levels", "--most-states", "500", "--on-overflow", "wrap"];
        let (got, out) = analyze(&path, &arguments);
        assert!(got == status && out.contains(told), "{formula}: exit {got}\n{out}");
    }
    let (status, out) = analyze(&path, &["--ctl", "AG(x % 2 = 0)", "--most-states", "500", "--alone"]);
    assert_eq!(status, 3, "{out}");
}

#[test]
fn runs_that_formulas_are_not_about_decide_nothing() {
    // The only run in which x gets 1 overflows before, or is stopped by an assumption after it.
    let overflow = "extern int __VERIFIER_nondet_int(void);\nint x;\n\
        int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();\n\
        if (a > 46341 && b > 46341 && a * b == 1 - 200000000) x = 1; return 0; }\n";
    let (status, out) = analyze(&file("overflow.c", overflow), &["--ctl", "EF(x = 1)", "--time-limit", "4s"]);
    assert_eq!(status, 3, "{out}");
    let stopped = "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);\nint x;\n\
        int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();\n\
        if (a > 2 && b > 2 && a < 1000 && b < 1000 && a * b == 9991) { x = 1; __VERIFIER_assume(0); } return 0; }\n";
    let (status, out) = analyze(&file("stopped.c", stopped), &["--ctl", "EF(x = 1)"]);
    assert_eq!(status, 3, "{out}");
}

#[test]
fn findings_have_carets_and_sarif() {
    let path =
        file("findings.c", "int main(int argc, char **argv) { int a[3]; a[argc] = 1; return 6 / argc; }\n");
    let (status, out) = analyze(&path, &[]);
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("out-of-bounds") && out.contains("division-by-zero") && out.contains('^'), "{out}");
    let (status, out) = analyze(&path, &["--format", "sarif"]);
    assert_eq!(status, 3, "{out}");
    let sarif: serde_json::Value = serde_json::from_str(&out).expect("SARIF is JSON");
    assert_eq!(sarif["version"], "2.1.0");
    assert!(sarif["runs"][0]["results"].as_array().is_some_and(|all| !all.is_empty()), "{out}");
    let (_, out) = analyze(&path, &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(json["concord"], 1);
}

#[test]
fn what_is_safe_is_said_to_be_safe() {
    let path =
        file("safe.c", "int main(void) { int i, s = 0; for (i = 0; i < 10; i++) s = s | i; return s; }\n");
    let (status, out) = analyze(&path, &[]);
    assert_eq!(status, 0, "{out}");
}

#[test]
fn the_example_is_answered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tank");
    let formulas = folder.join("tank.ctl");
    let (status, out) = analyze(&folder.join("tank.c"), &["--ctl", &formulas.to_string_lossy()]);
    assert_eq!(status, 1, "{out}");
    for expected in ["HOLDS (1)", "HOLDS (2)", "VIOLATED (3)", "HOLDS (4)"] {
        assert!(out.contains(expected), "{expected} is missing in\n{out}");
    }
}

#[test]
fn what_the_options_name_must_be_there() {
    let path = file("named.c", "int x;\nint main(void) { x = 1; return 0; }\n");
    assert_eq!(analyze(&path, &["--variable", "x"]).0, 0);
    assert_eq!(analyze(&path, &["--variable", "y"]).0, 4);
    assert_eq!(analyze(&path, &["--at", "2"]).0, 0);
    assert_eq!(analyze(&path, &["--at", "3"]).0, 4);
    assert_eq!(analyze(&path, &["--ctl", "AG(x <= 1)", "--only", "2"]).0, 4);
    let path = file("no_entry.c", "int f(int x) { int a[2] = { 0, 0 }; return a[x]; }\n");
    assert_eq!(analyze(&path, &[]).0, 4);
}

#[test]
fn library_calls_are_told_at_the_line_that_calls() {
    let path = file(
        "calls.c",
        "#include <string.h>\nchar b[4];\nint main(void) {\n  char s[8] = \"1234567\";\n  memcpy(b, s, 8);\n  return 0;\n}\n",
    );
    let (status, out) = analyze(&path, &[]);
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("`memcpy` writes 8 bytes at `b`, which has 4"), "{out}");
    assert!(out.contains("calls.c:5:"), "{out}");
    let (_, out) = analyze(&path, &["--format", "sarif"]);
    let sarif: serde_json::Value = serde_json::from_str(&out).expect("SARIF is JSON");
    let line = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"];
    assert_eq!(line, 5, "{out}");
}

#[test]
fn a_function_without_a_body_may_change_globals() {
    let text = "int g; void ext(void);\nint main(void) { g = 1; ext(); if (g == 2) return 1 / (g - 2); return 0; }\n";
    let path = file("ext.c", text);
    let (status, out) = analyze(&path, &[]);
    assert!(status == 3 && out.contains("division by zero whenever this is reached"), "{out}");
    let (_, out) = analyze(&path, &["--missing", "pure"]);
    assert!(out.contains("no run gets here") && out.contains("supposed to change nothing"), "{out}");
}

#[test]
fn what_is_unreachable_behind_a_mistake_is_said_to_be_so() {
    let text = "int main(void) { int x = 2147483647; x = x + 1;\nif (x < 0) __assert_fail(\"x\", \"a.c\", 2, \"main\"); return 0; }\n";
    let declared = format!("void __assert_fail(const char *, const char *, unsigned, const char *);\n{text}");
    let path = file("behind.c", &declared);
    let (status, out) = analyze(&path, &[]);
    assert!(status == 3 && out.contains("up to the undefined behaviour that is reported here"), "{out}");
    let (_, out) = analyze(&path, &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let results = json["results"].as_array().expect("claims");
    let call = results.iter().find(|one| one["property"] == "error-call").expect("a call");
    assert_eq!(call["assumptions"].as_array().map(Vec::len), Some(1), "{call}");
    assert_eq!(json["assumptions"][0]["kind"], "undefined-behaviour", "{out}");
    let (_, out) = analyze(&path, &["--on-overflow", "wrap"]);
    assert!(out.contains("it is not excluded that `__assert_fail` is called"), "{out}");
    let path = file("before.c", &declared.replace("x = x + 1;", "x = x - 1;"));
    let (_, out) = analyze(&path, &[]);
    assert!(!out.contains("up to the undefined behaviour"), "{out}");
}

#[test]
fn inline_assembly_is_no_all_clear() {
    let text = "int g;\nint main(void) { int *p = &g; __asm__ volatile(\"movl $1,(%0)\" : : \"r\"(p) : \"memory\"); return g == 1; }\n";
    let (status, out) = analyze(&file("assembly.c", text), &[]);
    assert_eq!(status, 3, "{out}");
}

#[test]
fn what_is_supposed_of_the_entry_is_told() {
    let path = file(
        "entry.c",
        "int gl;\nint gp(int *p) { if (!p) return 0; gl = 1; *p = 7; if (gl == 7) return 10 / (gl - 7); return 0; }\n",
    );
    let (_, out) = analyze(&path, &["--function", "gp"]);
    assert!(out.contains("assumed: ") && out.contains("nothing else points to"), "{out}");
    let (_, out) = analyze(&path, &["--function", "gp", "--at", "2", "--variable", "gl"]);
    assert!(out.contains("assumed: "), "{out}");
    let (_, out) = analyze(&path, &["--function", "gp", "--ctl", "AG(gl != 7)"]);
    assert!(out.contains("  assumed: "), "{out}");
    let (_, out) = analyze(&path, &["--function", "gp", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let told = document["assumptions"].as_array().expect("a list");
    assert!(told.iter().any(|one| one["kind"] == "entry" && one["message"].is_string()), "{out}");
    // `main` is called as C says: nothing is supposed.
    let path = file("plain.c", "int main(void) { return 0; }\n");
    assert!(!analyze(&path, &[]).1.contains("assumed"));
}

#[test]
fn what_is_supposed_of_functions_without_a_body_is_told() {
    let path = file(
        "bodiless.c",
        "static int s; void set(int v) { s = v; } void ext(void);\n\
         int main(void) { s = 1; ext(); if (s == 2) return 10 / (s - 2); return 0; }\n",
    );
    let (status, out) = analyze(&path, &[]);
    assert_eq!(status, 3, "{out}");
    assert!(out.contains("call only functions whose address it can get hold of"), "{out}");
    let (_, out) = analyze(&path, &["--format", "json"]);
    assert!(out.contains("call only functions whose address it can get hold of"), "{out}");
}

#[test]
fn messages_speak_of_what_the_program_writes() {
    let path = file(
        "sorted.c",
        "#include <stdio.h>\n#include <stdlib.h>\nint a[3] = { 3, 1, 2 };\n\
         static int cmp(const void *p, const void *q) { return *(const int *)p < *(const int *)q ? -1 : 1; }\n\
         int main(void) { char b[2] = { 'a', 'b' }; int x; qsort(a, 3, sizeof a[0], cmp);\n\
         if (ungetc('a', stdin) == 'a') ungetc('b', stdin); scanf(\"%d\", x); puts(b); return 0; }\n",
    );
    let (_, out) = analyze(&path, &["--all"]);
    for foreign in ["__concord", "__isoc99", "__isoc23", "`through a pointer`", "<library>"] {
        assert!(!out.contains(foreign), "{foreign}: {out}");
    }
}

#[test]
fn formulas_over_unsigned_variables_mean_what_they_mean_in_c() {
    let path = file("unsigned.c", "unsigned u; int main(void) { u = 0; u--; return 0; }\n");
    let (_, out) =
        analyze(&path, &["--ctl", "AF(u == -1); AF(u - 1 < 0); AF(u + 1 == 0); AG(u >= 0); EF(u < 0)"]);
    let heads = out.lines().filter(|line| !line.starts_with(' '));
    let verdicts: Vec<&str> = heads.filter_map(|line| line.split_once(" (")).map(|(word, _)| word).collect();
    assert_eq!(&verdicts[..], ["HOLDS", "VIOLATED", "HOLDS", "HOLDS", "VIOLATED"], "{out}");
}

const OFF_BY_ONE: &str = "extern int __VERIFIER_nondet_int(void);\n\
    int main(void) {\n\
      int buf[16], i, n = __VERIFIER_nondet_int();\n\
      if (n < 0 || n > 16) return 0;\n\
      for (i = 0; i <= n; i++)\n\
        buf[i] = i;\n\
      return 0;\n\
    }\n";

#[test]
fn warnings_say_why() {
    let path = file("why.c", OFF_BY_ONE);
    let (status, out) = analyze(&path, &[]);
    assert!(
        status == 3 && out.contains("`i` is {0..16}, and `buf` has 16 elements; 16 comes from line 5"),
        "{out}"
    );
    assert!(out.contains("out-of-bounds") && out.contains("excluded  open"), "{out}");
    let (_, out) = analyze(&path, &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    let open = json["results"].as_array().expect("results").iter().find(|one| one["why"].is_object());
    let why = &open.expect("one has a reason")["why"];
    assert_eq!(
        (&why["values"][0]["expression"], &why["origin"]["at"]["line"]),
        (&"i".into(), &5.into()),
        "{why}"
    );
}

#[test]
fn what_stays_open_goes_on_to_a_run_or_a_proof() {
    let path = file("run.c", OFF_BY_ONE);
    let (status, out) = analyze(&path, &["--go-on", "20s"]);
    assert!(status == 1 && out.contains("an access out of bounds happens") && out.contains("16"), "{out}");
    let proved = "extern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n\
        unsigned x = __VERIFIER_nondet_uint(), y = x * 2 + 1;\n  int a[2] = {1, 2};\n\
        return a[y % 2 + (x * 4 % 4)] - a[1 - y % 2];\n}\n";
    let path = file("proof.c", &proved.replace("y % 2 + (x * 4 % 4)", "(x ^ x) + (x & 1) * (1 - (x & 1))"));
    let (status, out) = analyze(&path, &["--go-on", "20s"]);
    assert!(status == 0 || out.contains("proved"), "{out}");
}

#[test]
fn accepted_warnings_are_not_told_again() {
    let path = file("accepted.c", OFF_BY_ONE);
    let accepted = path.with_extension("json");
    let accepted = accepted.to_string_lossy();
    let (status, _) = analyze(&path, &["--write-baseline", &accepted]);
    assert_eq!(status, 3);
    let (status, out) = analyze(&path, &["--baseline", &accepted]);
    assert!(status == 0 && !out.contains("warning[") && out.contains("accepted"), "{out}");
    // Another line above does not bring it back, another mistake is told.
    let path = file(
        "accepted.c",
        &format!("/* a line */\n{}", OFF_BY_ONE.replace("return 0;\n    }", "return 0; }")),
    );
    assert_eq!(analyze(&path, &["--baseline", &accepted]).0, 0);
    let path = file("accepted.c", &OFF_BY_ONE.replace("buf[i] = i;", "buf[i] = i / (n - 3);"));
    let (status, out) = analyze(&path, &["--baseline", &accepted]);
    assert!(status == 3 && out.contains("division by zero is possible"), "{out}");
}

#[test]
fn values_after_a_line_are_those_in_scope() {
    let text = "int main(void) {\n  int a = 1;\n  { int b = 2; a += b; }\n  a = a * 2;\n  return a;\n}\n";
    let path = file("scope.c", text);
    let (status, out) = analyze(&path, &["--at", "4"]);
    assert!(status == 0 && out.contains("a = {6}") && !out.contains("b ="), "{out}");
    let (_, out) = analyze(&path, &["--annotate"]);
    assert!(out.lines().any(|line| line.contains("a = a * 2;") && line.ends_with("// a = {6}")), "{out}");
}

#[test]
fn test_cases_must_fit_the_program() {
    let path = file("cases.c", COUNTER);
    let cases = file("cases.tc", "LINE 3 in 1 TO 2\n");
    let (status, _) = analyze(&path, &["--testcases", &cases.to_string_lossy()]);
    assert_eq!(status, 4);
}
