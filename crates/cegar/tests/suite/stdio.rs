//! Calls of stdio.h with their answers: what must hold at the call, what is stored, what the result may be. Every check is asked.

use base::{Budget, Silent};
use cegar::{Check, Checks, Choice, Property, Settings, verify};
use csource::types::DataModel;
use program::Program;
use question::{Question, Verdict};
use std::time::Duration;

/// Declarations that every program begins with, on its first line.
const HEAD: &str = "typedef struct _IO_FILE FILE; typedef unsigned long size_t; extern FILE *stdin, *stdout, *stderr; \
    int printf(const char *, ...); int fprintf(FILE *, const char *, ...); int sprintf(char *, const char *, ...); \
    int snprintf(char *, size_t, const char *, ...); int scanf(const char *, ...); int fscanf(FILE *, const char *, ...); \
    int sscanf(const char *, const char *, ...); int puts(const char *); int fputs(const char *, FILE *); int putchar(int); int fputc(int, FILE *); \
    size_t fwrite(const void *, size_t, size_t, FILE *); size_t fread(void *, size_t, size_t, FILE *); char *fgets(char *, int, FILE *); \
    char *gets(char *); int getchar(void); int getc(FILE *); int ungetc(int, FILE *); FILE *fopen(const char *, const char *); int fclose(FILE *); \
    FILE *freopen(const char *, const char *, FILE *); int feof(FILE *); int fflush(FILE *); int fseek(FILE *, long, int); \
    void *malloc(size_t); void free(void *); extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void); \
    void reach_error(void);\n";

/// What is expected (`HOLDS`, `VIOLATED`; `UNDECIDED!`: anything but HOLDS), and the program.
const PROGRAMS: &[(&str, &str)] = &[
    // Directives and their arguments.
    (
        "VIOLATED",
        "int main(void) { int n = 0; if (__VERIFIER_nondet_int() == 77) printf(\"abc%n\", &n); if (n) reach_error(); return 0; }",
    ),
    (
        "HOLDS",
        "int main(void) { int n = 0; printf(\"ab%%%n%d\", &n, 7); if (n != 3) reach_error(); return 0; }",
    ),
    (
        "HOLDS",
        "int main(void) { int x = __VERIFIER_nondet_int(), n = 9; if (x < 10 || x > 999) return 0; printf(\"%d%n\", x, &n); if (n < 2 || n > 3) reach_error(); return 0; }",
    ),
    ("VIOLATED", "int main(void) { printf(\"%s\\n\", 5); return 0; }"),
    ("VIOLATED", "int main(void) { printf(\"%d\\n\", 5.0); return 0; }"),
    ("VIOLATED", "int main(void) { printf(\"%d\\n\", 5L); return 0; }"),
    (
        "HOLDS",
        "int main(void) { printf(\"%ld %u %c %p %f %5.2e %%\\n\", 5L, 6, 'c', (void *)0, 1.5, 2.5); return 0; }",
    ),
    ("VIOLATED", "int main(void) { printf(\"%d %d\\n\", 5); return 0; }"),
    ("HOLDS", "int main(void) { printf(\"%d\\n\", 5, 6); return 0; }"),
    ("VIOLATED", "int main(void) { printf(\"%*d\\n\", 5); return 0; }"),
    ("VIOLATED", "int main(void) { char b[2] = {'a', 'b'}; printf(\"%s\\n\", b); return 0; }"),
    ("HOLDS", "int main(void) { char b[2] = {'a', 'b'}; printf(\"%.2s\\n\", b); return 0; }"),
    ("VIOLATED", "int main(void) { char b[2] = {'a', 'b'}; printf(\"%.3s\\n\", b); return 0; }"),
    (
        "VIOLATED",
        "int main(void) { char *p = malloc(2); p[0] = 0; free(p); printf(\"%s\\n\", p); return 0; }",
    ),
    ("HOLDS", "int main(void) { char *p = malloc(2); p[0] = 0; printf(\"%s\\n\", p); free(p); return 0; }"),
    ("VIOLATED", "int main(void) { int *p = 0; printf(\"%n\", p); return 0; }"),
    ("VIOLATED", "int main(void) { char c; printf(\"%n\", (int *)&c); return 0; }"),
    (
        "HOLDS",
        "int main(void) { signed char c[2] = {5, 5}; printf(\"abc%hhn\", &c[0]); if (c[0] != 3 || c[1] != 5) reach_error(); return 0; }",
    ),
    // Formats that are not written in the call.
    (
        "VIOLATED",
        "int main(void) { int n = 0; printf(__VERIFIER_nondet_int() ? \"abc%n\" : \"abc\", &n); if (n) reach_error(); return 0; }",
    ),
    (
        "HOLDS",
        "int main(void) { int n = 0; const char *f = __VERIFIER_nondet_int() ? \"abc\" : \"d\"; printf(f, &n); if (n) reach_error(); return 0; }",
    ),
    (
        "HOLDS",
        "static const char f[] = \"abc%n\"; int main(void) { int n = 0; printf(f, &n); if (n != 3) reach_error(); return 0; }",
    ),
    (
        "UNDECIDED!",
        "void show(const char *f, int *n) { printf(f, n); } int main(void) { int n = 0; if (__VERIFIER_nondet_int() == 123456789) show(\"abc%n\", &n); if (n) reach_error(); return 0; }",
    ),
    ("HOLDS", "void show(const char *f) { printf(f); } int main(void) { show(\"abc\"); return 0; }"),
    (
        "UNDECIDED!",
        "int main(void) { int n = 0; int (*p)(const char *, ...) = printf; if (__VERIFIER_nondet_int() == 123456789) p(\"abc%n\", &n); if (n) reach_error(); return 0; }",
    ),
    // Results.
    ("HOLDS", "int main(void) { int n = printf(\"abc\"); if (n != 3 && n >= 0) reach_error(); return 0; }"),
    ("UNDECIDED!", "int main(void) { int n = printf(\"abc\"); if (n != 3) reach_error(); return 0; }"),
    (
        "HOLDS",
        "int main(void) { char c = (char)__VERIFIER_nondet_int(); int r = putchar(c); if (r != -1 && r != (unsigned char)c) reach_error(); return 0; }",
    ),
    // Buffers.
    (
        "HOLDS",
        "int main(void) { char b[8]; int n = sprintf(b, \"%d-%s\", 42, \"abc\"); if (n != 6 || b[0] != '4' || b[2] != '-' || b[5] != 'c' || b[6]) reach_error(); return 0; }",
    ),
    ("VIOLATED", "int main(void) { char b[6]; sprintf(b, \"%d-%s\", 42, \"abc\"); return 0; }"),
    ("VIOLATED", "int main(void) { char b[4]; sprintf(b, \"%d\", __VERIFIER_nondet_int()); return 0; }"),
    (
        "HOLDS",
        "int main(void) { char b[4]; int n = snprintf(b, 4, \"%d\", 123456); if (n != 6 || b[2] != '3' || b[3]) reach_error(); return 0; }",
    ),
    (
        "VIOLATED",
        "int main(void) { char b[8]; int n = snprintf(b, 8, \"%d-%d\", __VERIFIER_nondet_int(), 1); b[n] = 0; return 0; }",
    ),
    (
        "HOLDS",
        "int main(void) { int n = snprintf(0, 0, \"%x\", 255u); if (n != 2) reach_error(); return 0; }",
    ),
    ("VIOLATED", "int main(void) { char b[8] = \"ab\"; sprintf(b, \"%s!\", b); return 0; }"),
    ("VIOLATED", "int main(void) { sprintf((char *)\"abc\", \"x\"); return 0; }"),
    // Streams.
    (
        "VIOLATED",
        "int main(void) { FILE *f = 0; if (__VERIFIER_nondet_int() == 5) fprintf(f, \"a\"); return 0; }",
    ),
    ("VIOLATED", "int main(void) { FILE *f = fopen(\"a\", \"r\"); fputs(\"a\", f); return 0; }"),
    (
        "HOLDS",
        "int main(void) { FILE *f = fopen(\"a\", \"w\"); if (f) { fputs(\"a\", f); fprintf(f, \"%d\", 1); fclose(f); } return 0; }",
    ),
    (
        "VIOLATED",
        "int main(void) { FILE *f = fopen(\"a\", \"w\"); if (f) { fclose(f); fputc('a', f); } return 0; }",
    ),
    (
        "VIOLATED",
        "int main(void) { FILE *f = fopen(\"a\", \"w\"); if (f) { fclose(f); fclose(f); } return 0; }",
    ),
    ("VIOLATED", "int main(void) { int x = 0; fputc('a', (FILE *)&x); return 0; }"),
    ("VIOLATED", "int main(void) { FILE *f = fopen(\"a\", \"w\"); free(f); return 0; }"),
    ("VIOLATED", "int main(void) { fclose(stdout); puts(\"a\"); return 0; }"),
    (
        "HOLDS",
        "int main(void) { fflush(0); fflush(stdout); fprintf(stderr, \"a\"); fputs(\"b\", stdout); for (int i = 0; i < 1000; i++) printf(\"%d\\n\", i); return 0; }",
    ),
    ("VIOLATED", "int main(void) { fflush((FILE *)8); return 0; }"),
    // Output of memory.
    ("VIOLATED", "int main(void) { char b[4] = \"abc\"; fwrite(b, 1, 5, stdout); return 0; }"),
    (
        "HOLDS",
        "int main(void) { char b[4] = \"abc\"; size_t n = fwrite(b, 2, 2, stdout); if (n > 2) reach_error(); return 0; }",
    ),
    ("VIOLATED", "int main(void) { char b[2] = {'a', 'b'}; puts(b); return 0; }"),
    (
        "VIOLATED",
        "int main(void) { char *p = 0; if (__VERIFIER_nondet_int() == 3) fputs(p, stderr); return 0; }",
    ),
    // Input.
    ("VIOLATED", "int main(void) { char b[4]; fgets(b, 40, stdin); return 0; }"),
    (
        "HOLDS",
        "int main(void) { char b[4]; if (fgets(b, 4, stdin) && b[0] && b[1] && b[2] && b[3]) reach_error(); return 0; }",
    ),
    (
        "VIOLATED",
        "int main(void) { char b[4]; if (fgets(b, 4, stdin) && b[0] == 0) reach_error(); return 0; }",
    ),
    (
        "HOLDS",
        "int main(void) { char b[4]; if (fgets(b, 4, stdin) && b[0] == '\\n' && b[1]) reach_error(); return 0; }",
    ),
    (
        "HOLDS",
        "int main(void) { char b[2] = {5, 6}; if (!fgets(b, 2, stdin) && b[0] != 5) reach_error(); return 0; }",
    ),
    ("VIOLATED", "int main(void) { char b[4]; fread(b, 2, 3, stdin); return 0; }"),
    (
        "HOLDS",
        "int main(void) { char b[4]; size_t n = fread(b, 2, 2, stdin); if (n > 2) reach_error(); return 0; }",
    ),
    ("VIOLATED", "int main(void) { char b[4]; gets(b); return 0; }"),
    (
        "HOLDS",
        "int main(void) { int c = getchar(); if (c < -1 || c > 255) reach_error(); if (c == -1 && getchar() != -1) reach_error(); return 0; }",
    ),
    (
        "HOLDS",
        "int main(void) { int c = getchar(); if (c == -1 && !feof(stdin)) reach_error(); if (c != -1 && (ungetc(c, stdin) != c || getc(stdin) != c)) reach_error(); return 0; }",
    ),
    ("VIOLATED", "int main(void) { if (getchar() == 'x' && getchar() == -1) reach_error(); return 0; }"),
    // Values by a format.
    (
        "VIOLATED",
        "int main(void) { int x = 0; if (scanf(\"%d\", &x) == 1 && x == 12345) reach_error(); return 0; }",
    ),
    (
        "HOLDS",
        "int main(void) { int x = 7; int n = scanf(\"%d\", &x); if (n < -1 || n > 1 || (n != 1 && x != 7)) reach_error(); return 0; }",
    ),
    (
        "HOLDS",
        "int main(void) { int x = 7, y = 8; int n = scanf(\"%d %d\", &x, &y); if (n == 1 && y != 8) reach_error(); return 0; }",
    ),
    ("VIOLATED", "int main(void) { char w[4]; scanf(\"%4s\", w); return 0; }"),
    (
        "HOLDS",
        "int main(void) { char w[5]; if (scanf(\"%4s\", w) == 1 && w[0] == ' ') reach_error(); return 0; }",
    ),
    ("VIOLATED", "int main(void) { char w[100]; scanf(\"%s\", w); return 0; }"),
    ("VIOLATED", "int main(void) { char c; scanf(\"%d\", (int *)&c); return 0; }"),
    ("VIOLATED", "int main(void) { int x; scanf(\"%d\", x); return 0; }"),
    ("VIOLATED", "int main(void) { int x; scanf(\"%d %d\", &x); return 0; }"),
    (
        "HOLDS",
        "int main(void) { char w[2]; if (scanf(\"%1[a-c]\", w) == 1 && (w[0] < 'a' || w[0] > 'c' || w[1])) reach_error(); return 0; }",
    ),
    (
        "VIOLATED",
        "int main(void) { char w[4], s[8]; if (fgets(s, 8, stdin)) sscanf(s, \"%4s\", w); return 0; }",
    ),
    ("VIOLATED", "int main(void) { char b[2] = {'1', '2'}; int x; sscanf(b, \"%d\", &x); return 0; }"),
    (
        "HOLDS",
        "int main(void) { int x = 3; if (sscanf(\"5\", \"%d\", &x) < 1 && x != 3) reach_error(); return 0; }",
    ),
    ("VIOLATED", "int main(void) { int x; FILE *f = fopen(\"a\", \"r\"); fscanf(f, \"%d\", &x); return 0; }"),
];

fn load(text: &str) -> Program {
    testkit::c::load_text(text, DataModel::Lp64)
}

#[test]
fn calls_of_stdio_get_their_answers() {
    let mut wrong = Vec::new();
    // What was never written is another question.
    let asked = Checks::all().iter().filter(|&check| check != Check::Uninitialised);
    let checks = asked.fold(Checks::none(), Checks::with);
    for (expected, text) in PROGRAMS {
        let program = load(&format!("{HEAD}{text}\n"));
        let property = Property { checks, ..Property::standard() };
        let seconds = if expected.starts_with("UNDECIDED") { 3 } else { 60 };
        let budget = Budget::unlimited().with_time(Duration::from_secs(seconds));
        let question = Question::never(&program, property);
        let answer = verify(&question, Choice::AUTO, &Settings::default(), &budget, &Silent);
        let (found, why) = match &answer.verdict {
            Verdict::Holds(_) => ("HOLDS", String::new()),
            Verdict::Violated(_) => {
                let violation = answer.verdict.run().expect("a run of the program");
                let place = program.sources.location(violation.span);
                if !place.as_ref().is_some_and(|place| place.to_string().contains("test.i")) {
                    wrong.push(format!("the place of `{}` is {place:?}: {text}", violation.what));
                }
                ("VIOLATED", violation.what.clone())
            }
            Verdict::Undecided(undecided) => ("UNDECIDED", format!("{undecided:?}")),
        };
        let is_right = if *expected == "UNDECIDED!" { found != "HOLDS" } else { *expected == found };
        if !is_right {
            wrong.push(format!("{found} ({why}), not {expected}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
