//! What can go wrong, what is printed, what is known for others.

use crate::common;

use base::Budget;
use intervals::CheckKind;
use intervals::Reads;
use intervals::TestCases;
use intervals::Value;
use intervals::{Analysis, Invariants, Settings, analyse};
use intervals::{Certainty, Overflow};
use program::Program;

fn certainties(analysis: &Analysis<'_>, kind: CheckKind) -> Vec<(String, Certainty)> {
    let all = analysis.findings.iter().filter(|finding| finding.kind == kind);
    all.map(|finding| (finding.about.clone(), finding.certainty)).collect()
}

#[test]
fn definite_possible_and_excluded() {
    let text = "extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);\n\
        int a[10];\n\
        int main(void) {\n\
          int x = __VERIFIER_nondet_int(); int c = __VERIFIER_nondet_uchar(); int u; int *p = 0; int *q = &x;\n\
          int safe = 10 / (c + 1); int unsafe = 10 / c; int sum = c + 1; int big = x + 1;\n\
          if (c < 10) a[c] = 1; else if (c < 12) a[c] = 2;\n\
          if (x == 3) { int r = u; } if (x == 4) { *p = 1; } *q = 2;\n\
          return 0; }\n";
    let program = common::load_text("certainties", text);
    let settings = Settings::default();
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    use Certainty::*;
    let of = |kind, about: &str| {
        let all = certainties(&analysis, kind);
        let found: Vec<Certainty> =
            all.iter().filter(|(text, _)| text == about).map(|(_, how)| *how).collect();
        assert!(!found.is_empty(), "{kind:?} of {about} is not among {all:?}");
        found
    };
    assert_eq!(of(CheckKind::DivisionByZero, "10 / (c + 1)"), [Excluded]);
    assert_eq!(of(CheckKind::DivisionByZero, "10 / c"), [Possible]);
    assert_eq!(of(CheckKind::Overflow, "x + 1"), [Possible]);
    assert!(of(CheckKind::Overflow, "c + 1").iter().all(|how| *how == Excluded));
    assert_eq!(of(CheckKind::OutOfBounds, "a[c]"), [Excluded, Definite]);
    assert_eq!(of(CheckKind::Uninitialised, "u"), [Definite]);
    assert_eq!(of(CheckKind::NullDereference, "*p"), [Definite]);
    assert_eq!(of(CheckKind::NullDereference, "*q"), [Excluded]);
}

#[test]
fn conditions_with_one_outcome_and_error_calls() {
    let text = "void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
        int main(void) { int x = __VERIFIER_nondet_int(); if (x > 5) { if (x > 3) x = 1; } if (x > 5) reach_error();\n\
        if (x == 0) reach_error(); return 0; }\n";
    let program = common::load_text("outcomes", text);
    let settings = Settings::default();
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    let outcomes: Vec<bool> = analysis.constant_conditions.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [true, false]);
    let reached: Vec<bool> = analysis.error_calls.iter().map(|one| one.can_be_reached).collect();
    assert_eq!(reached, [false, true]);
}

fn with_tests(text: &str) -> Settings {
    let (file, diagnostics) = spec::testcase::parse(text, 0);
    assert!(!diagnostics.has_errors());
    Settings { tests: TestCases::from(&file), reads: Reads::Deliver, ..Settings::default() }
}

/// The integers that the print statements print, in order.
fn printed(program: &Program, settings: &Settings) -> Vec<String> {
    let analysis = analyse(program, settings, &Budget::unlimited()).expect("no limit");
    let values = analysis.outputs.iter().flat_map(|output| &output.values);
    values
        .filter_map(
            |(_, value)| if let Value::Integer(number) = value { Some(number.to_string()) } else { None },
        )
        .collect()
}

#[test]
fn test_cases_are_consumed_in_order() {
    let text = "#include <stdio.h>\nextern int __VERIFIER_nondet_int(void);\nint a; int b;\n\
        int next(void) { b = __VERIFIER_nondet_int(); return b; }\n\
        int main(void) {\n\
          scanf(\"%d\", &a);\n\
          printf(\"%d\", a);\n\
          printf(\"%d\", next());\n\
          printf(\"%d\", next());\n\
          printf(\"%d\", next());\n\
          return 0; }\n";
    let program = common::load_text("tests", text);
    let settings = with_tests("LINE 6 a 4 TO 5, 7\n4 b [1, 2]\n4 b [10, INF]\nLINE 0 b [0, 100]\n");
    // The last row is repeated; the assumption bounds every read.
    assert_eq!(printed(&program, &settings), ["{4..5, 7}", "{1..2}", "{10..100}", "{10..100}"]);
}

#[test]
fn invariants_hold_as_terms_and_as_c() {
    let text = "extern int __VERIFIER_nondet_int(void);\nvoid mark(void) {}\n\
        int main(void) { int i = 0; int n = __VERIFIER_nondet_int(); if (n < 0) return 0; while (i < n) { i++; } mark(); return i; }\n";
    let program = common::load_text("invariants", text);
    let settings = Settings { overflow: Overflow::Wraps, ..Settings::default() };
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    let main = program.main.expect("there is a main");
    let mark = program.procedure_named("mark").expect("there is a mark");
    let body = program.procedures[main].body.as_ref().expect("main has a body");
    let at = body
        .edges
        .iter()
        .find(|edge| matches!(&edge.action, program::Action::Call { callee: program::Callee::Direct(callee), .. } if *callee == mark))
        .expect("mark is called")
        .from;
    let invariants = Invariants::of(&analysis);
    let shown = invariants.c_at(main, at).expect("it is reached");
    assert!(shown.iter().any(|text| text == "0 <= i && i <= 2147483647"), "{shown:?}");
    assert!(shown.iter().any(|text| text.contains("+") && text.contains("<= 0")), "{shown:?}");
    let mut pool = logic::TermPool::new();
    let term = invariants.term_at(main, at, &mut pool, &mut |id, pool| {
        let variable = &program.variables[id];
        let shape = program.types.integer_shape(variable.ty.id)?;
        Some(pool.bitvec_symbol(&variable.name, shape.width))
    });
    let text = pool.display(term);
    assert!(text.contains('i') && text.contains('n'), "{text}");
    assert_ne!(term, pool.tt());
}

/// What is found in a program: kind and certainty of all that is not excluded, in order of the program.
fn trouble(name: &str, text: &str) -> Vec<(CheckKind, Certainty)> {
    let headers = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nextern int __VERIFIER_nondet_int(void);\n";
    let program = common::load_text(name, &format!("{headers}{text}\n"));
    let settings = Settings::default();
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    // All of it stands in the user's own code.
    for finding in &analysis.findings {
        let origin = program.procedures[finding.procedure].origin;
        assert_eq!(origin, program::Origin::User, "{text}: {finding:?}");
    }
    let found = analysis.findings.iter().filter(|finding| finding.certainty != Certainty::Excluded);
    found.map(|finding| (finding.kind, finding.certainty)).collect()
}

#[test]
fn library_calls_are_checked_where_they_are_made() {
    use Certainty::{Definite, Possible};
    use CheckKind::*;
    let rows: &[(&str, &[(CheckKind, Certainty)])] = &[
        ("char b[4]; int main(void) { strcpy(b, \"abcd\"); return 0; }", &[(OutOfBounds, Definite)]),
        ("char b[4]; int main(void) { strcpy(b, \"abc\"); return 0; }", &[]),
        ("char b[6] = \"ab\"; int main(void) { strcat(b, \"cde\"); return 0; }", &[]),
        ("char b[6] = \"ab\"; int main(void) { strcat(b, \"cdef\"); return 0; }", &[(OutOfBounds, Definite)]),
        ("char b[3] = \"abc\"; int main(void) { return strlen(b); }", &[(OutOfBounds, Definite)]),
        ("char b[3]; int main(void) { strncpy(b, \"abcdef\", 3); return 0; }", &[]),
        ("char b[3]; int main(void) { strncpy(b, \"a\", 4); return 0; }", &[(OutOfBounds, Definite)]),
        ("char a[4], b[8]; int main(void) { return memcmp(a, b, 5); }", &[(OutOfBounds, Definite)]),
        ("char a[8]; int main(void) { memcpy(a, a + 3, 4); return 0; }", &[(Overlap, Definite)]),
        ("char b[9] = \"abc\"; int main(void) { strcat(b, b); return 0; }", &[(Overlap, Definite)]),
        ("char b[9] = \"abc\"; int main(void) { strncat(b, b + 2, 1); return 0; }", &[(Overlap, Definite)]),
        ("char b[9] = \"abc\"; int main(void) { strncpy(b, b + 3, 4); return 0; }", &[(Overlap, Possible)]),
        ("char b[9] = \"abc\"; int main(void) { strncpy(b, b + 4, 4); return 0; }", &[]),
        ("char a[8]; int main(void) { memcpy(a, a + 4, 4); memmove(a, a + 1, 7); return 0; }", &[]),
        (
            "char a[8]; int main(void) { memset(a, 0, __VERIFIER_nondet_int() ? 8 : 9); return 0; }",
            &[(OutOfBounds, Possible)],
        ),
        ("char a[8]; int main(void) { fgets(a, 9, stdin); return 0; }", &[(OutOfBounds, Possible)]),
        ("char a[8]; int main(void) { fgets(a, 8, stdin); return 0; }", &[]),
        // Accepted imprecision: what is copied is followed byte by byte in the description. "Excluded" would
        // be progress.
        (
            "char a[8]; int main(void) { sprintf(a, \"%s!\", \"123456\"); return 0; }",
            &[(OutOfBounds, Possible)],
        ),
        (
            "char a[8]; int main(void) { sprintf(a, \"%d\", __VERIFIER_nondet_int()); return 0; }",
            &[(OutOfBounds, Possible)],
        ),
        ("char a[8]; int main(void) { snprintf(a, 8, \"%d\", __VERIFIER_nondet_int()); return 0; }", &[]),
        (
            "char a[8]; int main(void) { snprintf(a, 9, \"%d\", __VERIFIER_nondet_int()); return 0; }",
            &[(OutOfBounds, Possible)],
        ),
        ("int main(void) { printf(\"%d %d\", 1); return 0; }", &[(BadArgument, Definite)]),
        ("int main(void) { printf(\"%s\", 1); return 0; }", &[(BadArgument, Definite)]),
        ("int n; int main(void) { printf(\"a%n\", &n); return 0; }", &[]),
        ("long n; int main(void) { printf(\"a%n\", &n); return 0; }", &[(BadArgument, Definite)]),
        ("double n; int main(void) { printf(\"a%n\", &n); return 0; }", &[(BadArgument, Definite)]),
        (
            "int n; char b[8]; int main(void) { snprintf(b, 8, \"a%hhn\", &n); return 0; }",
            &[(BadArgument, Definite)],
        ),
        ("long n; unsigned u; int main(void) { printf(\"a%ln%n\", &n, &u); return 0; }", &[]),
        ("int main(void) { fwrite(\"ab\", 1, 3, stdout); return 0; }", &[]),
        ("int main(void) { fwrite(\"ab\", 2, 2, stdout); return 0; }", &[(OutOfBounds, Definite)]),
        ("short n; int main(void) { printf(\"a%n\", (int *)&n); return 0; }", &[(OutOfBounds, Definite)]),
        ("int main(void) { char b[2] = { 'a', 'b' }; puts(b); return 0; }", &[(OutOfBounds, Definite)]),
        ("int main(void) { printf(\"%.2s\", (char[2]){ 'a', 'b' }); return 0; }", &[]),
        ("char a[8]; int main(void) { scanf(\"%7s\", a); return 0; }", &[]),
        ("char a[8]; int main(void) { scanf(\"%8s\", a); return 0; }", &[(OutOfBounds, Possible)]),
        ("int main(void) { return abs(__VERIFIER_nondet_int()); }", &[(Overflow, Possible)]),
        ("int main(void) { return abs(-3); }", &[]),
        ("int main(void) { return atoi(0); }", &[(NullDereference, Definite)]),
        ("int main(void) { void (*f)(void) = 0; f(); return 0; }", &[(NullDereference, Definite)]),
        ("int main(void) { char *s = \"a\"; *s = 0; return 0; }", &[(ReadOnlyWrite, Definite)]),
        (
            "int f(int n) { if (n) return 1; } int main(void) { return f(0); }",
            &[(MissingReturnValue, Definite)],
        ),
        ("int f(int n) { if (n) return 1; } int main(void) { f(0); return f(1); }", &[]),
    ];
    let mut wrong = String::new();
    for (at, (text, expected)) in rows.iter().enumerate() {
        let mut found = trouble(&format!("call{at}"), text);
        found.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        if found != expected {
            wrong.push_str(&format!("{text}\n  found {found:?}\n  expected {expected:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn library_calls_are_named_as_the_program_names_them() {
    let text = "#include <stdio.h>\nint main(void) { int x; char b[2] = { 'a', 'b' };\n\
        if (ungetc('a', stdin) == 'a') scanf(\"%d\", x); puts(b); fprintf(stderr, \"%d\", 1L); return 0; }\n";
    let program = common::load_text("names", text);
    let settings = Settings::default();
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    let told: Vec<String> =
        analysis.findings.iter().map(|finding| format!("{} {}", finding.about, finding.detail)).collect();
    assert!(told.iter().all(|text| !text.contains("__")), "{told:#?}");
    assert!(told.iter().any(|text| text.contains("`puts` reads the string at `b`")), "{told:#?}");
}

#[test]
fn what_has_ended_is_not_excluded() {
    use Certainty::{Definite, Possible};
    use CheckKind::*;
    let rows: &[(&str, &[(CheckKind, Certainty)])] = &[
        ("int main(void) { int *p = malloc(4); free(p); free(p); return 0; }", &[(DoubleFree, Definite)]),
        (
            "int main(void) { int *p = malloc(4); int *q = p; free(q); *p = 1; return 0; }",
            &[(UseAfterFree, Definite)],
        ),
        (
            "int main(void) { int *p = malloc(4); if (__VERIFIER_nondet_int()) free(p); *p = 1; return 0; }",
            &[(UseAfterFree, Possible)],
        ),
        ("int main(void) { int *p = malloc(4); *p = 1; free(p); p = 0; free(p); return 0; }", &[]),
        ("int main(void) { char *p = malloc(4); free(p + 1); return 0; }", &[(InvalidFree, Definite)]),
        ("int x; int main(void) { free(&x); return 0; }", &[(InvalidFree, Definite)]),
        (
            "int *f(void) { int x = 1; return &x; } int main(void) { int *p = f(); return *p; }",
            &[(UseAfterScope, Definite)],
        ),
        (
            "int *f(int b) { int x = 1; return b ? &x : 0; } int main(void) { int *p = f(1); f(0); return *p; }",
            &[(UseAfterScope, Definite)],
        ),
        ("int main(void) { int *p; { int x = 1; p = &x; } return *p; }", &[(UseAfterScope, Definite)]),
        (
            "int f(int *p) { return *p; } int main(void) { int s = 0; for (int i = 0; i < 3; i++) { int x = i; s |= f(&x); } return s; }",
            &[],
        ),
        // Between two calls the variable of the first may be referred to from outside only.
        (
            "int *g; void f(void) { int x; if (g) *g = 1; g = &x; } int main(void) { f(); f(); return 0; }",
            &[(UnknownPointer, Possible)],
        ),
        (
            "int *g; void f(int k) { int x; if (k) g = &x; } int main(void) { f(1); int *p = g; f(0); return *p; }",
            &[(UseAfterScope, Definite)],
        ),
    ];
    for (at, (text, expected)) in rows.iter().enumerate() {
        let mut found = trouble(&format!("ended{at}"), text);
        // A value that is read where nothing lives is unknown too.
        found.retain(|(kind, _)| *kind != Uninitialised);
        assert_eq!(found, *expected, "{text}");
    }
}
