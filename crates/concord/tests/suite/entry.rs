//! Where runs start: programs without `main`, `--function`, names that do not exist, proofs about nothing,
//! functions without a body, and allocation that may fail.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn scratch(name: &str, text: &str) -> String {
    let directory: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("entry");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    let file = directory.join(name);
    std::fs::write(&file, text).expect("it can be written");
    file.to_string_lossy().into_owned()
}

fn concord(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_concord")).args(arguments).output().expect("it runs")
}

fn words(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Verifies each function of a file whose definition is followed by the expected verdict in a comment.
fn expectations(name: &str, text: &str, more: &[&str]) {
    let file = scratch(name, text);
    let mut asked = 0;
    for line in text.lines() {
        let Some((definition, verdict)) = line.split_once("/* ") else { continue };
        let verdict = verdict.trim_end_matches("*/").trim();
        let function = definition.split('(').next().and_then(|start| start.split_whitespace().last());
        let function = function.expect("a function is defined").trim_start_matches('*');
        let mut arguments = vec!["verify", &file, "--function", function, "--time-limit", "60s"];
        arguments.extend(more);
        let output = concord(&arguments);
        let allowed: &[i32] = match verdict {
            "HOLDS" => &[0],
            "VIOLATED" => &[1],
            "UNDECIDED!" => &[3],
            "not HOLDS" => &[1, 3],
            "not VIOLATED" => &[0, 3],
            other => panic!("{other} is no verdict"),
        };
        let status = output.status.code().expect("it ends by itself");
        assert!(allowed.contains(&status), "{function} in {name}: {}", words(&output));
        asked += 1;
    }
    assert!(asked > 0, "{name} expects something");
}

#[test]
fn without_an_entry_there_is_no_answer() {
    let file = scratch(
        "no_main.c",
        "int half(int n) { return n / 2; }\nstatic int twice(int n) { return 2 * n; }\nint f(void) { return twice(1); }\n",
    );
    for verb in ["verify", "analyze", "run"] {
        let output = concord(&[verb, &file]);
        assert_eq!(output.status.code(), Some(4), "{verb}: {}", words(&output));
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains("--function") && message.contains("`half`"), "{verb}: {message}");
        assert!(output.stdout.is_empty(), "{verb}");
    }
    let empty = scratch("only_a_declaration.c", "int f(int);\n");
    assert_eq!(concord(&["verify", &empty]).status.code(), Some(4));
}

#[test]
fn unknown_names_are_errors() {
    let file = scratch(
        "names.c",
        "int parse(int n) { if (n > 3) goto OVER; return 0; OVER: return 1; }\nint v(int n, ...) { return n; }\nint main(void) { return parse(2); }\n",
    );
    let property = |formula: &str| scratch("p.prp", &format!("CHECK( init(main()), LTL({formula}) )\n"));
    let bad: &[&[&str]] = &[
        &["--function", "prase"],
        &["--function", "v"],
        &["--label", "OVR"],
        &["--label", ""],
        &["--property", &property("G ! call(nobody())")],
    ];
    for more in bad {
        let output = concord(&[&["verify", file.as_str()], *more].concat());
        assert_eq!(output.status.code(), Some(4), "{more:?}: {}", words(&output));
    }
    let suggestion = concord(&["verify", &file, "--function", "prase"]);
    assert!(words(&suggestion).contains("did you mean `parse`?"), "{}", words(&suggestion));
    for formula in ["G ! nonsense", "G ! call(f(1))", "G ! label()"] {
        let output = concord(&["verify", &file, "--property", &property(formula)]);
        assert_eq!(output.status.code(), Some(4), "{formula}: {}", words(&output));
    }
    assert_eq!(concord(&["verify", &file, "--property", &scratch("empty.prp", "\n")]).status.code(), Some(4));
    assert_eq!(concord(&["verify", &file, "--checks", "bound"]).status.code(), Some(2));
    assert_eq!(concord(&["verify", &file, "--object-size", "3"]).status.code(), Some(2));
    assert_eq!(
        concord(&["verify", &file, "--function", "parse", "--object-size", "0"]).status.code(),
        Some(2)
    );
    // A label that nothing leads to is a label.
    let dead = scratch("dead_label.c", "int main(void) { return 0; ERROR: return 1; }\n");
    assert_eq!(concord(&["verify", &dead, "--label", "ERROR"]).status.code(), Some(0));
}

#[test]
fn any_function_can_be_the_entry() {
    let text = "#include <assert.h>\n#include <string.h>\n\
struct node { int value; struct node *next; char tag; };\n\
struct pair { int a, b; };\n\
int level = 5; const int top = 7; int *here = &level; static int table[3] = {1, 2, 3};\n\
int any_number(int n) { assert(n != 1234567); return n; } /* VIOLATED */\n\
int numbers(unsigned char c) { assert(c < 256); return c; } /* HOLDS */\n\
int constant(void) { assert(top == 7); return 0; } /* HOLDS */\n\
int global(void) { assert(level == 5); return 0; } /* VIOLATED */\n\
int of_table(void) { assert(table[1] == 2); return 0; } /* VIOLATED */\n\
int initial_pointer(void) { if (here == &level) { *here = 4; assert(level == 4); } return 0; } /* HOLDS */\n\
int initial_pointer_bug(void) { if (here == &level) assert(level != 3); return 0; } /* VIOLATED */\n\
int null(int *p) { return *p; } /* VIOLATED */\n\
int not_null(int *p) { return p ? *p : 0; } /* HOLDS */\n\
int second(int *p) { return p ? p[1] : 0; } /* VIOLATED */\n\
int ten(int a[10]) { return a ? a[9] : 0; } /* HOLDS */\n\
int eleven(int a[10]) { return a ? a[10] : 0; } /* VIOLATED */\n\
int apart(int *p, int *q) { if (!p || !q) return 0; *p = 1; *q = 2; assert(*p == 1); return 0; } /* HOLDS */\n\
int field(struct node *n) { if (n && n->value == 42) assert(n->tag != 3); return 0; } /* VIOLATED */\n\
int by_value(struct pair p) { assert(p.a != 9 || p.b != 8); return 0; } /* VIOLATED */\n\
int second_node(struct node *n) { return n && n->next ? n->next->value : 0; } /* HOLDS */\n\
int last_node(struct node *n) { while (n) n = n->next; return 0; } /* not HOLDS */\n\
int padded(struct node *p) { int n = 0; for (; p; p = p->next) if (p->value == 3) n = 1; for (int j = 0; j < 2000000000; j++); assert(n == 0); return n; } /* not HOLDS */\n\
int deeper(struct node *p) { int n = 0; for (; p; p = p->next) n += p->tag; return n; } /* not HOLDS */\n\
int at_least(int a[static 3]) { return a[2]; } /* HOLDS */\n\
int callback(int (*f)(int)) { return f ? f(1) : 0; } /* UNDECIDED! */\n\
int opaque(struct unknown *u) { return u != 0; } /* HOLDS */\n\
int unsigned_bits(struct { unsigned x : 3; } *p) { if (p) assert(p->x < 8); return 0; } /* HOLDS */\n\
int padding(struct node *a, struct node *b) { if (!a || !b || a->value != b->value || a->tag != b->tag) return 0; a->next = b->next = 0; assert(memcmp(a, b, sizeof *a) == 0); return 0; } /* not HOLDS */\n\
static int hidden(int n) { return n / (n - 3); } /* VIOLATED */\n\
int itself(unsigned n) { return n > 5 ? 0 : n == 5 ? 1 : itself(n + 1); } /* HOLDS */\n\
int local_static(void) { static int calls; calls = calls + 1; assert(calls != 100); return 0; } /* VIOLATED */\n";
    expectations("functions.c", text, &["--checks", "bounds,pointer,division"]);
    let as_initialised = "#include <assert.h>\nint level = 5; static int n;\n\
int global(void) { assert(level == 5 && n == 0); return 0; } /* HOLDS */\n\
int bump(int by) { n += by; assert(n == by); return 0; } /* HOLDS */\n";
    expectations("initialised.c", as_initialised, &["--globals", "initialised"]);
    let sized = "#include <assert.h>\n\
int three(char *s) { return s ? s[2] : 0; } /* HOLDS */\n\
int four(char *s) { return s ? s[3] : 0; } /* VIOLATED */\n\
int bytes(void *p) { return p ? ((char *)p)[2] : 0; } /* HOLDS */\n";
    expectations("sized.c", sized, &["--object-size", "3", "--checks", "bounds"]);
    let named = "int named(char *s, int *p) { return p ? p[4] : 0; } /* HOLDS */\n\
int shorter(char *p) { return p ? p[5] : 0; } /* VIOLATED */\n";
    expectations("named.c", named, &["--object-size", "3", "--object-size", "p=5", "--checks", "bounds"]);
    let file = scratch("misnamed.c", named);
    let output = concord(&["verify", &file, "--function", "named", "--object-size", "q=5"]);
    assert_eq!(output.status.code(), Some(4), "{}", words(&output));
    assert!(words(&output).contains("no parameter `q`"), "{}", words(&output));
}

#[test]
fn what_is_supposed_of_the_call_is_told() {
    let file = scratch(
        "told.c",
        "#include <assert.h>\nint g;\nint f(int *p, int n) { if (p) assert(*p != n || g != 1); return 0; }\nvoid h(void) { }\n",
    );
    let output = concord(&["verify", &file, "--function", "f", "--time-limit", "60s"]);
    let text = words(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    for part in [
        "runs start with a call of `f`",
        "`p` is null or points to one `int` of its own",
        "any value when it is called",
        "p is not null = 1",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let harness = scratch("told_harness.c", "");
    let output = concord(&["verify", &file, "--function", "f", "--harness", &harness, "--time-limit", "60s"]);
    assert!(words(&output).contains("no harness is written"), "{}", words(&output));
    assert_eq!(std::fs::read_to_string(&harness).ok().as_deref(), Some(""));
    // The inputs lead the interpreter to the same failure.
    let inputs = scratch("told_inputs.txt", "");
    concord(&["verify", &file, "--function", "f", "--write-inputs", &inputs, "--time-limit", "60s"]);
    let run = concord(&["run", &file, "--function", "f", "--inputs", &inputs]);
    assert_eq!(run.status.code(), Some(134), "{}", words(&run));
    let nothing = concord(&["verify", &file, "--function", "h"]);
    assert!(words(&nothing).contains("vacuous: there is nothing to violate"), "{}", words(&nothing));
}

#[test]
fn certificates_name_the_entry() {
    let file = scratch(
        "certified.c",
        "#include <assert.h>\nint f(int a[4], unsigned n) { int s = 0; if (!a) return 0; for (unsigned i = 0; i < n; i++) s = 1; assert(s < 2); return s; }\n",
    );
    let certificate = scratch("certified.json", "");
    let proved =
        concord(&["verify", &file, "--function", "f", "--certificate", &certificate, "--time-limit", "60s"]);
    assert_eq!(proved.status.code(), Some(0), "{}", words(&proved));
    let text = std::fs::read_to_string(&certificate).expect("it was written");
    let document: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(document["entry"]["function"], "f");
    assert_eq!(concord(&["audit", &certificate, &file]).status.code(), Some(0));
    // About `main` there is nothing to audit, and an empty property claims nothing.
    let other =
        scratch("other_entry.json", &text.replace("\"any_arguments\": true", "\"any_arguments\": false"));
    assert_eq!(concord(&["audit", &other, &file]).status.code(), Some(4));
    let mut empty = document.clone();
    empty["property"] =
        serde_json::json!({ "assertions": false, "functions": [], "labels": [], "checks": [] });
    let empty = scratch("empty_property.json", &empty.to_string());
    assert_eq!(concord(&["audit", &empty, &file]).status.code(), Some(4));
    let mut unknown = document;
    unknown["property"] =
        serde_json::json!({ "assertions": false, "functions": [], "labels": ["NOWHERE"], "checks": [] });
    let unknown = scratch("unknown_label.json", &unknown.to_string());
    assert_eq!(concord(&["audit", &unknown, &file]).status.code(), Some(4));
}

#[test]
fn proofs_about_nothing_say_so() {
    let head =
        "#include <assert.h>\nextern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int);\n";
    let cases = [
        (
            "never_assumed.c",
            "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 5); __VERIFIER_assume(x < 3);\n assert(x == 7); return 0; }\n",
            true,
            "gets past",
        ),
        (
            "never_both.c",
            "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 5 && x < 3);\n assert(x == 7); return 0; }\n",
            true,
            "gets past",
        ),
        (
            "sometimes_both.c",
            "int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 3 && x < 5);\n assert(x == 4); return 0; }\n",
            false,
            "",
        ),
        (
            "never_reached.c",
            "int main(void) { unsigned x = __VERIFIER_nondet_int() & 7; if (x > 8) {\n assert(x == 0); } return 0; }\n",
            true,
            "no run reaches",
        ),
        ("no_assertion.c", "int main(void) { for (;;); }\n", true, "nothing to violate"),
        (
            "one_of_two.c",
            "int main(void) { unsigned x = __VERIFIER_nondet_int() & 7; if (x > 8) {\n assert(x == 0); }\n assert(x < 8); return 0; }\n",
            false,
            "no run reaches",
        ),
        (
            "reached.c",
            "int main(void) { unsigned x = __VERIFIER_nondet_int() & 7;\n assert(x < 8); return 0; }\n",
            false,
            "",
        ),
    ];
    for (name, body, is_vacuous, why) in cases {
        let file = scratch(name, &format!("{head}{body}"));
        let output = concord(&["verify", &file, "--format", "json", "--time-limit", "60s"]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", words(&output));
        let document: Value = serde_json::from_slice(&output.stdout).expect("it writes JSON");
        let vacuity = &document["results"][0]["vacuity"];
        assert_eq!(vacuity["vacuous"], is_vacuous, "{name}: {vacuity}");
        let told = vacuity["why"].to_string();
        assert!(told.contains(why), "{name}: {told}");
        assert!(why.is_empty() == (told == "[]"), "{name}: {told}");
    }
    let endless = scratch("endless.c", "int main(void) { for (;;); }\n");
    assert!(!words(&concord(&["verify", &endless])).contains("every run ends within"));
}

#[test]
fn functions_without_a_body_may_write() {
    let text = "#include <assert.h>\n#include <stdlib.h>\n\
void ext(void); void fill(int *p); int get(const char *s); struct b { int n; int *q; }; void fill_record(struct b *p);\n\
int g = 1; static int own = 2; int *pointer;\n\
int written(void) { int x = 1; fill(&x); assert(x == 1); return 0; } /* VIOLATED */\n\
int hidden(void) { ext(); assert(own == 2); return 0; } /* HOLDS */\n\
int seen(void) { g = 1; ext(); assert(g == 1); return 0; } /* VIOLATED */\n\
int untouched(void) { int y = 3; int x = 1; fill(&x); assert(y == 3); return 0; } /* HOLDS */\n\
int behind(void) { int y = 3; struct b v = {1, &y}; fill_record(&v); assert(y == 3); return 0; } /* not HOLDS */\n\
int array(void) { char buf[4] = \"abc\"; get(buf); assert(buf[0] == 'a'); return 0; } /* VIOLATED */\n\
int heap(void) { int *p = malloc(4); if (!p) return 0; *p = 1; fill(p); assert(*p == 1); return 0; } /* not HOLDS */\n\
int through_global(void) { pointer = malloc(4); if (!pointer) return 0; *pointer = 1; ext(); if (pointer) assert(*pointer == 1); return 0; } /* not HOLDS */\n\
int alias(void) { int x = 0; pointer = 0; fill(&x); if (pointer == &x) { *pointer = 5; assert(x == 0); } return 0; } /* not HOLDS */\n\
int in_loop(void) { int a[3] = {1, 2, 3}; for (int i = 0; i < 3; i++) ext(); assert(a[0] + a[1] + a[2] == 6); return 0; } /* HOLDS */\n\
int long_loop(unsigned n) { int s = 0; for (unsigned i = 0; i < n; i++) { ext(); s = 0; } assert(s == 0); return 0; } /* HOLDS */\n\
int loop_of_global(unsigned n) { g = 0; for (unsigned i = 0; i < n; i++) ext(); assert(g == 0); return 0; } /* VIOLATED */\n\
int given(int *p) { if (!p) return 0; *p = 1; ext(); assert(*p == 1); return 0; } /* not HOLDS */\n";
    let nondet = ["--globals", "initialised", "--missing", "nondet"];
    expectations("missing.c", text, &nondet);
    let recursive = "#include <assert.h>\nvoid ext(void); int g;\n\
int down(unsigned n) { if (n == 0) { return 0; } g = 0; ext(); assert(g == 0); return down(n - 1); } /* not HOLDS */\n\
void reg(void (*f)(void)); static int own; static void back(void) { own = 9; }\n\
int called_back(void) { own = 2; reg(back); assert(own == 2); return 0; } /* UNDECIDED! */\n";
    expectations("missing_more.c", recursive, &nondet);
    let pure = text.replace("VIOLATED */", "HOLDS */").replace("not HOLDS */", "HOLDS */");
    // The analysis of pointers takes the function to leave addresses in the bytes it is given.
    let pure = pure.replace("== 'a'); return 0; } /* HOLDS */", "== 'a'); return 0; } /* not VIOLATED */");
    expectations("missing_pure.c", &pure, &["--globals", "initialised", "--missing", "pure"]);
    let file = scratch("missing_stop.c", "int get(void);\nint main(void) { return get(); }\n");
    let output = concord(&["verify", &file]);
    let text = words(&output);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("--missing nondet: ") && text.contains("--missing pure: "), "{text}");
}

#[test]
fn allocation_may_fail_if_asked() {
    let text = "#include <assert.h>\n#include <errno.h>\n#include <stdlib.h>\n#include <string.h>\n\
int plain(void) { int *p = malloc(4); *p = 1; free(p); return 0; } /* VIOLATED */\n\
int looked_at(void) { int *p = malloc(4); if (p) *p = 1; free(p); return 0; } /* HOLDS */\n\
int zeroed(void) { int *p = calloc(2, 4); assert(p[1] == 0); free(p); return 0; } /* VIOLATED */\n\
int kept(void) { char *p = malloc(2); if (!p) return 0; *p = 1; char *q = realloc(p, 9); if (!q) { assert(*p == 1); free(p); return 0; } assert(*q == 1); free(q); return 0; } /* not VIOLATED */\n\
int lost(void) { char *p = malloc(2); if (!p) return 0; p = realloc(p, 9); *p = 1; free(p); return 0; } /* VIOLATED */\n\
int copied(void) { char *s = strdup(\"ab\"); int n = s[0]; free(s); return n; } /* not HOLDS */\n\
int by_pointer(void) { void *(*get)(size_t) = malloc; char *s = get(3); *s = 1; free(s); return 0; } /* VIOLATED */\n\
int number(void) { errno = 0; void *p = malloc(1); if (!p) assert(errno == ENOMEM); free(p); return 0; } /* not VIOLATED */\n";
    expectations("failing.c", text, &["--malloc-may-fail", "--checks", "pointer"]);
    let file = scratch(
        "never_fails.c",
        "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; free(p); return 0; }\n",
    );
    let output = concord(&["verify", &file, "--checks", "pointer", "--time-limit", "60s"]);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    assert!(words(&output).contains("never fail"), "{}", words(&output));
    let without = scratch("no_malloc.c", "int main(void) { return 0; }\n");
    assert!(!words(&concord(&["verify", &without])).contains("malloc"));
}

const OUTSIDE: &str = "#include <assert.h>\n#include <stdlib.h>\n\
struct cipher { int flags; unsigned three : 3; int two : 2; int (*get)(int); struct cipher *next; };\n\
struct session { struct cipher *cipher; int state; };\n\
static struct session *new(void) { struct session *s = malloc(sizeof *s); s->state = 1; return s; }\n";

#[test]
fn unknown_pointers_lead_outside_if_asked() {
    let programs = [
        (
            "state",
            "if (s->cipher->flags & 4) s->state = 2; s->cipher->flags = 7; assert(s->state == 1 || s->state == 2);",
            0,
        ),
        ("reached", "if (s->cipher->flags & 4) s->state = 2; assert(s->state == 1);", 1),
        ("deeper", "if (s->cipher->next->next->flags == 9) s->state = 2; assert(s->state == 1);", 1),
        ("null", "if (s->cipher == 0) s->state = 2; assert(s->state == 1);", 1),
        (
            "not_null",
            "int f = s->cipher->flags; if (s->cipher == 0) s->state = 2; assert(s->state == 1); return f & 1;",
            0,
        ),
        // Whoever owns the memory may change it.
        ("not_kept", "s->cipher->flags = 7; assert(s->cipher->flags == 7);", 1),
        ("narrow", "assert(s->cipher->three < 8);", 0),
        ("narrow_used", "assert(s->cipher->three != 7);", 1),
        // How the sign of a bit-field is kept is left to the original access.
        ("narrow_sign", "assert(s->cipher->two < 2);", 3),
        ("called", "int r = s->cipher->get(s->state); assert(s->state == 1); return r & 1;", 0),
        ("result", "assert(s->cipher->get(3) == 3);", 1),
        // It may be `x`: that is left as it is.
        (
            "mixed",
            "static struct cipher x; struct cipher *p = s->state == 1 && s->cipher != 0 ? s->cipher : &x; p->flags = 1; assert(x.flags == 0);",
            3,
        ),
        ("own", "static struct cipher x; s->cipher = &x; s->cipher->flags = 4; assert(x.flags == 4);", 0),
        (
            "own_other",
            "static struct cipher x; s->cipher = &x; s->cipher->flags = 4; assert(x.flags == 0);",
            1,
        ),
        ("offset", "assert((unsigned long)&((struct session *)0)->state == sizeof(void *));", 0),
        ("index", "int z = s->state - 1; int a[2] = {1, 2}; assert((&s->cipher->flags)[a[z] / z] == 0);", 3),
        (
            "given_away",
            "static int x; s->cipher->get(s->state); s->cipher->next = (struct cipher *)&x; *(int *)s->cipher->next = 1; assert(x == 0);",
            3,
        ),
        (
            "passed_on",
            "static int x; struct { int (*get)(int *); } *o = malloc(sizeof *o); o->get(&x); assert(x == 0);",
            3,
        ),
        ("written", "int *p = &s->cipher->flags; *p = 3; p[1] = 4; assert(s->state == 1);", 0),
    ];
    for (name, body, expected) in programs {
        let file = scratch(
            &format!("outside_{name}.c"),
            &format!("{OUTSIDE}int main(void) {{ struct session *s = new(); {body} return 0; }}\n"),
        );
        let asked =
            ["verify", &file, "--unknown-pointers", "outside", "--time-limit", "60s", "--failures", "first"];
        let output = concord(&asked);
        assert_eq!(output.status.code(), Some(expected), "{name}: {}", words(&output));
        let follows = !matches!(name, "null" | "own" | "own_other" | "offset");
        if follows && expected != 3 {
            assert!(words(&output).contains("(--unknown-pointers outside)"), "{name}: {}", words(&output));
            let output = concord(&["verify", &file, "--time-limit", "60s", "--failures", "first"]);
            assert_eq!(output.status.code(), Some(3), "{name} without: {}", words(&output));
        }
    }
}

#[test]
fn what_is_supposed_of_unknown_pointers_goes_with_the_evidence() {
    let text = format!(
        "{OUTSIDE}int main(void) {{ struct session *s = new(); while (s->cipher->flags) s->state = 3 - s->state; assert(s->state == 1 || s->state == 2); return 0; }}\n"
    );
    let file = scratch("outside_evidence.c", &text);
    let certificate = scratch("outside_evidence.json", "");
    let outside = ["--unknown-pointers", "outside"];
    let mut asked = vec!["verify", &file, "--certificate", &certificate, "--time-limit", "60s"];
    asked.extend(outside);
    let output = concord(&asked);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let output = concord(&["audit", &certificate, &file]);
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    assert_eq!(concord(&["audit", &certificate, &file, "--execute", "3"]).status.code(), Some(4));
    // Without it, the same certificate is about another program.
    let changed = std::fs::read_to_string(&certificate).expect("it was written");
    let other = scratch("outside_forged.json", &changed.replace("\"outside\"", "\"stop\""));
    assert_ne!(concord(&["audit", &other, &file]).status.code(), Some(0));
    let text = text.replace("|| s->state == 2", "");
    let file = scratch("outside_violated.c", &text);
    let (harness, inputs) = (scratch("outside_harness.c", ""), scratch("outside_inputs.txt", ""));
    let mut asked =
        vec!["verify", &file, "--harness", &harness, "--write-inputs", &inputs, "--time-limit", "60s"];
    asked.extend(outside);
    let output = concord(&asked);
    assert_eq!(output.status.code(), Some(1), "{}", words(&output));
    assert_eq!(std::fs::read_to_string(&harness).ok().as_deref(), Some(""), "no harness is written");
    let mut asked = vec!["run", &file, "--inputs", &inputs];
    asked.extend(outside);
    let output = concord(&asked);
    assert_eq!(output.status.code(), Some(1), "{}", words(&output));
    let mut asked = vec!["verify", &file, "--checks", "pointer"];
    asked.extend(outside);
    assert_eq!(concord(&asked).status.code(), Some(2), "{}", words(&concord(&asked)));
}

#[test]
fn assumptions_are_about_code_that_runs_get_to() {
    let file = scratch(
        "resting.c",
        "#include <string.h>\nint get(void);\nstatic unsigned long unused(const char *s) { return strlen(s) + get(); }\nint main(void) { char b[2] = \"a\"; return strchr(b, 'a') == b ? 0 : 1; }\n",
    );
    let text = words(&concord(&["verify", &file, "--time-limit", "60s"]));
    assert!(text.contains("`strchr`") && !text.contains("`strlen`") && !text.contains("`get`"), "{text}");
}
