//! Claims are never contradicted by a run: ranges hold what runs compute, what is called definite or
//! unreached is met by none that goes on, and a run with undefined behaviour meets something that was not
//! excluded.

use crate::common;

use base::Budget;
use concrete::{Captured, ListedInputs, RunOutcome};
use intervals::Certainty;
use intervals::CheckKind;
use intervals::Value;
use intervals::{Analysis, Settings, analyse};
use program::{NodeId, ProcedureId, Program};

const HEADERS: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <strings.h>\n\
    extern int __VERIFIER_nondet_int(void);\nvoid mark(void) {}\n";

/// Where `mark()` is called.
fn mark(program: &Program) -> (ProcedureId, NodeId) {
    let target = program.procedure_named("mark").expect("the program has a mark");
    let calls = program.procedures.iter_enumerated().flat_map(|(id, procedure)| {
        let edges = procedure.body.iter().flat_map(|body| &body.edges);
        edges.map(move |edge| (id, edge))
    });
    let is_mark = |action: &program::Action| matches!(action, program::Action::Call { callee: program::Callee::Direct(callee), .. } if *callee == target);
    { calls }
        .find(|(_, edge)| is_mark(&edge.action))
        .map(|(id, edge)| (id, edge.from))
        .expect("`mark` is called")
}

/// What a variable can be at the mark; `None` if no run gets there.
fn at_mark(program: &Program, analysis: &Analysis<'_>, variable: &str) -> Option<Value> {
    let (procedure, node) = mark(program);
    let point = analysis.at(procedure, node)?;
    let (id, _) = program
        .variables
        .iter_enumerated()
        .find(|(_, own)| {
            &*own.name == variable && (own.procedure == Some(procedure) || own.procedure.is_none())
        })
        .expect("it is declared");
    point.value(&program::Expr::load(program::Place::variable(id, program.variables[id].ty)))
}

/// Every value of `in` from `low` to `high` is run; `r` is what `main` returns after the mark.
fn compare_with_runs(name: &str, body: &str, (low, high): (i32, i32), wrong: &mut String) {
    let text = format!(
        "{HEADERS}int main(void) {{ int in = __VERIFIER_nondet_int(), r = 0; if (in < {low} || in > {high}) return 0;\n\
         {body}\nmark(); return r; }}\n"
    );
    let program = common::load_text(name, &text);
    let settings = Settings::default();
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    let open: Vec<(CheckKind, Certainty, &str)> = analysis
        .findings
        .iter()
        .filter(|finding| finding.certainty != Certainty::Excluded)
        .map(|finding| (finding.kind, finding.certainty, finding.about.as_str()))
        .collect();
    let range = at_mark(&program, &analysis, "r");
    for input in low..=high {
        let mut inputs = ListedInputs::parse(&format!("{input}\n")).expect("a number");
        let run =
            concrete::run(&program, &concrete::Settings::default(), &mut Captured::default(), &mut inputs);
        let claim = match run.outcome {
            RunOutcome::Exited(value) => match &range {
                None => Some(format!("gives {value}, but no run gets to the mark")),
                Some(Value::Integer(number)) if !number.contains(i128::from(value)) => {
                    Some(format!("gives {value}, which is not in {number}"))
                }
                _ if open.iter().any(|(_, certainty, _)| *certainty == Certainty::Definite) => {
                    Some(format!("goes well, but {open:?}"))
                }
                _ => None,
            },
            RunOutcome::Undefined(report) => {
                open.is_empty().then(|| format!("is undefined ({}), but all is excluded", report.message))
            }
            other => Some(format!("ends in {other:?}")),
        };
        if let Some(claim) = claim {
            wrong.push_str(&format!("{body}\n  in = {input}: the run {claim}\n"));
        }
    }
}

const WITH_BOUNDS: &[(&str, (i32, i32))] = &[
    ("r = (int)strnlen(\"hello\", in);", (0, 7)),
    ("r = (int)strnlen(\"hello\", in & 3);", (0, 9)),
    ("r = (int)strnlen(\"hello\", in > 2 ? 2 : 4);", (0, 5)),
    ("char d[3] = { 'a', 'b', 'c' }; r = (int)strnlen(d, in);", (0, 4)),
    ("char d[3] = { 'a', 'b', 'c' }; r = (int)strnlen(d + 3, in);", (0, 1)),
    ("char *p = in ? \"abc\" : 0; r = (int)strnlen(p, in);", (0, 5)),
    ("char d[4] = \"abc\"; r = (int)strnlen(d + in, in);", (0, 3)),
    ("char b[6] = \"ab\"; strncat(b, \"cdefgh\", in); r = (int)strlen(b);", (0, 5)),
    ("char b[9] = \"ab\"; strncat(b, \"cdefgh\", in); r = (int)strlen(b);", (0, 9)),
    ("char b[4]; strncpy(b, \"hello\", in); r = in > 1 ? b[1] : 0;", (0, 5)),
    ("char b[8]; r = (int)(stpncpy(b, \"hello\", in) - b);", (0, 9)),
    ("char d[2] = { 'a', 'b' }; r = strncmp(d, \"abc\", in) == 0;", (0, 3)),
    ("char d[2] = { 'a', 'b' }; r = strncmp(d, \"axc\", in) < 0;", (0, 5)),
    ("char d[2] = { 'a', 'b' }; r = strncmp(d, \"xyz\", 3) < 0;", (0, 0)),
    ("char d[2] = { 'a', 'b' }; r = strncmp(\"abc\", d, 3) == 0;", (0, 0)),
    ("char d[2] = { 'A', 'b' }; r = strncasecmp(d, \"aBc\", in) == 0;", (0, 3)),
    ("char d[2] = { 'A', 'b' }; r = strncasecmp(d, \"axc\", 7) < 0;", (0, 0)),
    ("char d[2] = { 'a', 'b' }; r = strcmp(d, \"b\") < 0;", (0, 0)),
    ("char d[2] = { 'a', 'b' }; r = strcmp(d, \"ab\") == 0;", (0, 0)),
    ("char d[2] = { 'a', (char)in }; r = strcmp(d, \"ab\") < 0;", (90, 99)),
    ("char d[2] = { 'a', 'b' }; r = strchr(d, 'b') == d + 1;", (0, 0)),
    ("char d[2] = { 'a', 'b' }; char *p = strchr(d, in); r = p ? (int)(p - d) : 9;", (96, 99)),
    ("char d[2] = { 'a', 'b' }; char *p = memchr(d, in, 3); r = p ? (int)(p - d) : 9;", (96, 99)),
    ("char d[3] = \"ab\"; char *p = strrchr(d, in); r = p ? (int)(p - d) : 9;", (96, 99)),
    ("char b[16]; r = snprintf(b, 16, \"%.*s\", in, \"hello\");", (-2, 7)),
    ("char b[16]; char d[2] = { 'a', 'b' }; r = snprintf(b, 16, \"%.*s\", in, d);", (-1, 4)),
    ("char b[4]; r = snprintf(b, in, \"%s\", \"hello\");", (0, 5)),
    ("char *p = strndup(\"hello\", in); r = (int)strlen(p); free(p);", (0, 7)),
    ("char *p = malloc(in + 1); memset(p, 'x', in); p[in] = 0; r = (int)strlen(p); free(p);", (0, 4)),
    ("char b[8]; r = (int)fwrite(b, 1, 0, stdout);", (0, 0)),
    ("char b[8] = \"abcdefg\"; memcpy(b + 1, b + 1, 5); r = b[1];", (0, 0)),
    ("char b[8] = \"abcdefg\"; memcpy(b + 1, b + 1, in); r = b[2];", (0, 6)),
    ("char b[8] = \"abcdefg\"; memcpy(b + in, b + 1, 1); r = b[2];", (0, 6)),
    ("size_t n; r = __builtin_mul_overflow((size_t)in, (size_t)1 << 62, &n); r += n > 5;", (0, 5)),
];

#[test]
fn every_value_of_a_bound_counts() {
    let mut wrong = String::new();
    for (at, (body, values)) in WITH_BOUNDS.iter().enumerate() {
        compare_with_runs(&format!("bound{at}"), body, *values, &mut wrong);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The mark can be reached, so it must not be called unreached.
fn is_reached(name: &str, text: &str) -> bool {
    let program = common::load_text(name, &format!("{HEADERS}{text}\n"));
    let settings = Settings::default();
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    let (procedure, node) = mark(&program);
    analysis.at(procedure, node).is_some()
}

#[test]
fn nothing_is_claimed_past_what_is_not_described() {
    for (at, text) in [
        "int main(void) { char *e = getenv(\"HOME\"); if (e) mark(); return 0; }",
        "int main(void) { char *e = getenv(\"HOME\"); if (!e) mark(); return 0; }",
        "static char *home(void) { return getenv(\"HOME\"); } int main(void) { if (home()) mark(); return 0; }",
        "int x; int main(void) { x = getenv(\"HOME\") ? 1 : 2; if (x == 1) mark(); return 0; }",
        "int main(void) { char *e = getenv(\"HOME\"); if (e && e[0] == '/') mark(); return 0; }",
        "int main(void) { int r = printf(\"%1$d\", 5); if (r != -1) mark(); return 0; }",
        "int main(void) { char b[9]; int r = sprintf(b, \"%1$d\", 5); if (r == 1) mark(); return 0; }",
        "int main(int n, char **v) { int r = printf(v[0], 5); if (r == 7) mark(); return 0; }",
        "int main(void) { if (ungetc('a', stdin) == 'a') { if (ungetc('b', stdin) == -1) mark(); } return 0; }",
    ]
    .into_iter()
    .enumerate()
    {
        assert!(is_reached(&format!("undescribed{at}"), text), "{text}");
    }
}

#[test]
fn pointers_from_outside_reach_what_others_can_see() {
    for (at, (text, expected)) in [
        ("int *gp(void); int g; int main(void) { int *p = gp(); g = 1; if (p) *p = 2; if (g == 2) mark(); return 0; }", true),
        ("extern int *q; int g; int main(void) { g = 1; *q = 2; if (g == 2) mark(); return 0; }", true),
        ("char *gp(void); int g; int main(void) { char *p = gp(); g = 1; memset(p, 0, 1); if (!g) mark(); return 0; }", true),
        ("char *gp(void); int g; int main(void) { char *p = gp(); g = 1; strcpy(p, \"\"); if (!g) mark(); return 0; }", true),
        ("int *gp(void); int g, h; int main(void) { int *p = gp(); g = 1; h = g; *p = 2; if (g != h) mark(); return 0; }", true),
        // Nobody else can see these.
        ("int *gp(void); static int g; int main(void) { int *p = gp(); g = 1; *p = 2; if (g == 2) mark(); return 0; }", false),
        ("int *gp(void); int main(void) { int l = 1; *gp() = 2; if (l == 2) mark(); return 0; }", false),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(is_reached(&format!("outside{at}"), text), expected, "{text}");
    }
}

#[test]
fn signal_handlers_change_what_they_like() {
    let text = "#include <signal.h>\nint g; void handler(int s) { g = 1; }\n\
        int main(void) { signal(SIGINT, handler); g = 0; while (1) { if (g == 1) mark(); } }";
    assert!(is_reached("signals", text));
}

#[test]
fn bytes_that_are_no_bool_are_found() {
    let found = |name: &str, text: &str| {
        let program = common::load_text(name, &format!("{HEADERS}{text}\n"));
        let settings = Settings::default();
        let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
        let all = analysis.findings.iter().filter(|finding| finding.kind == CheckKind::InvalidBool);
        all.map(|finding| finding.certainty).max().unwrap_or(Certainty::Excluded)
    };
    for (at, (text, expected)) in [
        ("int main(void) { _Bool b; *(char *)&b = 2; return b; }", Certainty::Definite),
        ("union u { _Bool b; unsigned char c; }; int main(void) { union u x; x.c = 3; return x.b; }", Certainty::Definite),
        ("union u { _Bool b; unsigned char c; }; int main(void) { union u x; x.c = 1; return x.b; }", Certainty::Excluded),
        (
            "union u { _Bool b; unsigned char c; }; int main(void) { union u x; x.c = __VERIFIER_nondet_int(); return x.b; }",
            Certainty::Possible,
        ),
        ("int main(void) { _Bool b = 0; void *p = &b; unsigned char *q = p; *q = 7; return b; }", Certainty::Definite),
        ("int main(void) { _Bool b = 0; memset(&b, 2, 1); return b; }", Certainty::Definite),
        (
            "struct s { int i; _Bool b; }; int main(void) { struct s s; char c[8] = \"abcdefg\"; memcpy(&s, c, 8); return s.b; }",
            Certainty::Definite,
        ),
        (
            "struct s { _Bool b; }; int main(void) { struct s s = { 0 }; fread(&s, sizeof s, 1, stdin); return s.b; }",
            Certainty::Possible,
        ),
        (
            "struct s { int i; _Bool b; }; int main(void) { struct s *p = malloc(sizeof *p); memset(p, 0, sizeof *p); \
             p->b = __VERIFIER_nondet_int() > 3; struct s t; memcpy(&t, p, sizeof t); int r = t.b + p->b; free(p); return r; }",
            Certainty::Excluded,
        ),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(found(&format!("bool{at}"), text), expected, "{text}");
    }
}

#[test]
fn what_was_read_is_written() {
    for (at, (text, expected)) in [
        ("int main(void) { int x; if (scanf(\"%d\", &x) != 1) return 1; return x; }", false),
        ("int main(void) { int x, y; if (scanf(\"%d %d\", &x, &y) == 2) return x ^ y; return 0; }", false),
        ("int main(void) { int x; int n = scanf(\"%d\", &x); if (n < 1) return 1; return x; }", false),
        ("int main(void) { int x, s = 0; while (scanf(\"%d\", &x) == 1) s ^= x; return s; }", false),
        ("int main(void) { int x; scanf(\"%d\", &x); return x; }", true),
        ("int main(void) { int x; if (scanf(\"%d\", &x) != 1) return x; return 0; }", true),
        ("int main(void) { int x; if (scanf(\"%d\", &x) != 0) return x; return 0; }", true),
        ("int main(void) { int x, y; if (scanf(\"%d %d\", &x, &y) >= 1) return y; return 0; }", true),
        ("int main(void) { int x, y; int n = scanf(\"%d\", &x); n = scanf(\"%d\", &y); if (n == 1) return x; return 0; }", true),
        ("int main(void) { int x, n = scanf(\"%d\", &x); n = 1; if (n == 1) return x; return 0; }", true),
        ("int main(void) { int x, y; if (scanf(\"%d%n\", &x, &y) == 1) return y; return 0; }", true),
    ]
    .into_iter()
    .enumerate()
    {
        let program = common::load_text(&format!("read{at}"), &format!("{HEADERS}{}\n", text.replace("int main(void) {", "int main(void) { mark();")));
        let settings = Settings::default();
        let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
        let is_open = analysis.findings.iter().any(|finding| {
            finding.kind == CheckKind::Uninitialised && finding.certainty != Certainty::Excluded
        });
        assert_eq!(is_open, expected, "{text}");
    }
}
