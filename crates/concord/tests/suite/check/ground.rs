//! What components stand on: pointers to functions, bodies that are asked for, returns, ends, variables that
//! are shared, types of several files, starts that there are none of.

use super::{Ran, Small, TWO_EVENTS, check};
use serde_json::Value;

fn small(name: &str, code: &str, specification: &str) -> Small {
    Small::new(name, code, &format!("{TWO_EVENTS}{specification}"))
}

/// The texts of the steps of a violating run.
fn steps(ran: &Ran, at: usize) -> Vec<String> {
    let mut found = Vec::new();
    collect(&ran.results["results"][at], &mut found);
    found
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(action)) = fields.get("action") {
                found.push(action.clone());
            }
            fields.values().for_each(|inner| collect(inner, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| collect(inner, found)),
        _ => {}
    }
}

#[test]
fn functions_behind_pointers_are_called() {
    let code = "void a(void);
void b(void);
static void does_a(void) { a(); }
static void does_b(void) { b(); }
typedef void (*job)(void);
static const job JOBS[2] = { does_a, does_b };
struct ops { int n; job start; job stop; };
static const struct ops OPS = { 1, does_a, b };
static const struct ops *const TABLE[] = { &OPS };
int by_index(int i) { if (i < 0 || i > 1) return 0; JOBS[i](); return 0; }
int by_member(void) { OPS.start(); return 0; }
int by_pointer(void) { const struct ops *o = TABLE[0]; o->stop(); return 0; }
int by_choice(int x) { job f; if (x) f = does_a; else f = does_b; f(); return 0; }
int by_argument(job f) { if (f) f(); return 0; }
static void run(job f) { f(); }
int by_call(void) { run(does_b); return 0; }
int direct(void) { job f = a; f(); return 0; }
";
    let spec =
        "cprog c1 = by_index { formula index_no_a, {$1 == 0}, G !a; formula index_no_b, {$1 == 0}, G !b; }
cprog c2 = by_member { formula member_no_a, {1}, G !a; formula member_no_b, {1}, G !b; }
cprog c3 = by_pointer { formula pointer_no_b, {1}, G !b; formula pointer_no_a, {1}, G !a; }
cprog c4 = by_choice { formula choice_no_a, {$1 == 0}, G !a; formula choice_no_b, {$1 == 0}, G !b; }
cprog c5 = by_call { formula call_b, {1}, F b; }
cprog c6 = direct { formula direct_no_a, {1}, G !a; }
";
    let folder = small("pointers", code, spec);
    for more in [&[][..], &["--missing", "nondet"], &["--missing", "pure"]] {
        folder.check(more).expect(&[
            ("index_no_a", "violated"),
            ("index_no_b", "holds"),
            ("member_no_a", "violated"),
            ("member_no_b", "holds"),
            ("pointer_no_b", "violated"),
            ("pointer_no_a", "holds"),
            ("choice_no_a", "holds"),
            ("choice_no_b", "violated"),
            ("call_b", "holds"),
            ("direct_no_a", "violated"),
        ]);
    }
    let spec = "cprog c = by_argument { formula argument_no_b, {1}, G !b; }\n";
    let folder = small("argument", code, spec);
    let ran = folder.check(&["--missing", "pure"]);
    assert_ne!(ran.verdicts()[0].1, "holds", "the pointer may point to does_b");
    folder.check(&[]).expect(&[("argument_no_b", &ran.verdicts()[0].1.clone())]);
}

#[test]
fn a_body_is_used_where_the_specification_asks_for_it() {
    let code = "void a(void);
void b(void);
int helper(void) { return 7; }
int p(void) { if (helper() == 7) a(); else b(); return 0; }
int q(void) { if (helper() == 7) a(); else b(); return 0; }
";
    let spec = "cproc helper { abstract { h, 1, Three }; }
Three = ( return {$0 == 3} -> STOP ).
cproc p { inline helper; }
cprog c1 = p { formula p_a, {1}, F a; formula p_b, {1}, F b; }
cprog c2 = q { formula q_a, {1}, F a; formula q_b, {1}, F b; }
";
    small("inline", code, spec).check(&[]).expect(&[
        ("p_a", "holds"),
        ("p_b", "violated"),
        ("q_a", "violated"),
        ("q_b", "holds"),
    ]);
    let folder = small("noinline", code, "cproc p { inline helpr; }\ncprog c = p { formula f, {1}, F a; }\n");
    let ran = folder.check(&[]);
    assert_eq!(ran.status, 4, "{}", ran.messages);
    assert!(ran.messages.contains("helpr") && ran.messages.contains("f.spec:"), "{}", ran.messages);
}

#[test]
fn missing_functions_may_write_what_they_reach() {
    let code = "void a(void);
void b(void);
void log_it(int *p);
int shared = 1;
static int own = 1;
int p(void) { int x = 1; log_it(&x); if (x == 1) a(); else b(); return 0; }
int q(void) { shared = 1; log_it(0); if (shared == 1) a(); else b(); return 0; }
int r(void) { own = 1; log_it(0); if (own == 1) a(); else b(); return 0; }
";
    let spec = "cprog c1 = p { formula p_no_b, {1}, G !b; }
cprog c2 = q { formula q_no_b, {1}, G !b; }
cprog c3 = r { formula r_no_b, {1}, G !b; }
";
    let folder = small("missing", code, spec);
    let all = |one, two, three| [("p_no_b", one), ("q_no_b", two), ("r_no_b", three)];
    folder.check(&[]).expect(&all("undecided", "undecided", "undecided"));
    folder.check(&["--missing", "nondet"]).expect(&all("violated", "violated", "holds"));
    folder.check(&["--missing", "pure"]).expect(&all("holds", "holds", "holds"));
}

#[test]
fn components_that_return_different_values_are_told_by_every_question() {
    let code = "void a(void);
int one(void) { a(); return 1; }
int zero(void) { a(); return 0; }
int uno(void) { a(); return 1; }
";
    let block = |name: &str, second: &str| {
        format!(
            "cprog {name} = one, {second} {{ abstract {name}_a, {{1, 1}}, S; formula {name}_f, {{1, 1}}, F a; deadlock {name}_d, {{1, 1}}; }}\n"
        )
    };
    let spec =
        format!("{}{}S = ( a -> return {{$0 == 1}} -> STOP ).\n", block("x", "zero"), block("y", "uno"));
    for more in [&[][..], &["--conformance", "trace"]] {
        small("returns", code, &spec).check(more).expect(&[
            ("x_a", "violated"),
            ("x_f", "violated"),
            ("x_d", "violated"),
            ("y_a", "holds"),
            ("y_f", "holds"),
            ("y_d", "holds"),
        ]);
    }
}

/// Which of the returns comes is decided by a value, whether the code has one `return` or several: who is
/// about to return something else waits for ever.
#[test]
fn a_computed_return_is_waited_for_as_a_constant_one() {
    let code = "void a(void);
int get(void);
int one(void) { a(); return 1; }
int choice(int y) { a(); return y ? 1 : 0; }
int variable(int y) { int r = 0; a(); if (y) r = 1; return r; }
int argument(int y) { a(); return y; }
int branches(int y) { a(); if (y) return 1; return 0; }
int given(void) { int x = get(); a(); return x; }
unsigned sum(unsigned char z) { a(); return z + 1; }
_Bool truth(int z) { a(); return z; }
int floating(double d) { a(); return (int)d; }
int late(void) { int x; do { x = get(); } while (x != 1); a(); return x; }
";
    let block = |second: &str, guard: &str, name: &str| {
        format!(
            "cprog {name}_block = one, {second} {{ abstract {name}_a, {{1, {guard}}}, S; deadlock {name}_d, {{1, {guard}}}; }}\n"
        )
    };
    let mut spec = "cproc get { abstract { g, 1, G }; }
G = ( return {$0 == 1} -> STOP | return {$0 == 0} -> STOP ).
S = ( a -> return {$0 == 1} -> STOP ).
"
    .to_owned();
    let cases = [
        ("choice", "1", "violated"),
        ("choice", "$1 == 5", "holds"),
        ("variable", "1", "violated"),
        ("variable", "$1 != 0", "holds"),
        ("argument", "1", "violated"),
        ("argument", "$1 == 1", "holds"),
        ("branches", "1", "violated"),
        ("branches", "$1 < 0", "holds"),
        ("given", "1", "violated"),
        ("sum", "1", "violated"),
        ("sum", "$1 == 0", "holds"),
        ("truth", "1", "violated"),
        ("truth", "$1 == 256", "holds"),
        ("late", "1", "holds"),
    ];
    let mut wanted: Vec<(String, &str)> = Vec::new();
    for (at, (second, guard, verdict)) in cases.into_iter().enumerate() {
        let name = format!("{second}{at}");
        spec += &block(second, guard, &name);
        wanted.extend([(format!("{name}_a"), verdict), (format!("{name}_d"), verdict)]);
    }
    let wanted: Vec<(&str, &str)> = wanted.iter().map(|(name, verdict)| (name.as_str(), *verdict)).collect();
    let folder = small("computed", code, &spec);
    for engine in ["auto", "plain", "symbolic"] {
        folder.check(&["--engine", engine]).expect(&wanted);
    }
    for engine in ["two-level", "ag1", "ag2"] {
        folder.check(&["--engine", engine, "--conformance", "trace"]).expect(&wanted);
    }
    // A value that is not tracked: HOLDS would be wrong, `floating(0.0)` returns 0.
    let spec = "S = ( a -> return {$0 == 1} -> STOP ).
T = ( a -> return {$0 == 1} -> STOP | a -> return {} -> STOP ).
cprog x = one, floating { deadlock open, {1, 1}; abstract x_a, {1, 1}, S; }
cprog y = one, floating { deadlock either, {1, 1}; abstract y_a, {1, 1}, T; }
";
    let ran = small("floating", code, spec).check(&["--only", "open", "--only", "either"]);
    ran.expect(&[("open", "undecided"), ("either", "holds")]);
    let reason = ran.results["results"][0]["reason"].to_string();
    assert!(reason.contains("`floating` returns"), "{reason}");
}

/// Returns may differ after events after which the process allows both, not after others that lead to one of
/// the same states.
#[test]
fn returns_may_differ_only_after_events_that_allow_both() {
    let code = "void a(void);
void b(void);
int one(int x) { if (x) a(); else b(); return 1; }
int zero(int x) { if (x) a(); else b(); return 0; }
";
    let spec = "P = ( a -> One | b -> One | b -> Zero ), One = ( return {$0 == 1} -> STOP ), Zero = ( return {$0 == 0} -> STOP ).
cprog c = one, zero { abstract after_a, {$1 != 0, $1 != 0}, P; abstract after_b, {$1 == 0, $1 == 0}, P; }
";
    let folder = small("history", code, spec);
    for more in [&[][..], &["--conformance", "trace"], &["--engine", "plain"], &["--engine", "two-level"]] {
        folder.check(more).expect(&[("after_a", "violated"), ("after_b", "holds")]);
    }
}

#[test]
fn returns_of_a_formula_are_those_that_meet_its_condition() {
    let code = "int p(void) { return 1; }\n";
    let spec = "cprog c = p { formula positive, {1}, F return {$0 > 0}; formula both, {1}, F return {$0 > 0} & F return {$0 == 1}; formula any, {1}, F return; formula two, {1}, F return {$0 == 2}; }\n";
    small("kinds", code, spec).check(&[]).expect(&[
        ("positive", "holds"),
        ("both", "holds"),
        ("any", "holds"),
        ("two", "violated"),
    ]);
}

#[test]
fn who_serves_is_not_waited_for() {
    let code = "void a(void);
void b(void);
int p(void) { a(); b(); return 0; }
int forever(void) { for (;;) a(); }
int client(void) { a(); return 0; }
";
    // As `concord model` has it: a process that cannot end is not waited for if others can do all that it
    // does.
    let spec = "Loop = ( a -> Loop ).
Other = ( a -> Other | c -> Other ).
Once = ( a -> END ).
cprog s1 = p, Loop { deadlock served, {1, 1}; }
cprog s2 = p, Once { deadlock ended, {1, 1}; }
cprog s3 = forever, client { deadlock returns_alone, {1, 1}; }
cprog s4 = forever, Once { deadlock serves, {1, 1}; }
";
    let wanted =
        [("served", "holds"), ("ended", "holds"), ("returns_alone", "violated"), ("serves", "holds")];
    let folder = small("ends", code, spec);
    for engine in ["auto", "plain", "two-level", "ag1"] {
        folder.check(&["--engine", engine]).expect(&wanted);
    }
}

#[test]
fn a_start_that_does_not_exist_is_told() {
    let code = "void a(void);\nint p(int x) { if (x) a(); return 0; }\n";
    let spec = "cprog c = p { formula none, {$1 > 3 && $1 < 2}, false; formula some, {$1 > 3}, F a; }\n";
    let ran = small("vacuous", code, spec).check(&[]);
    ran.expect(&[("none", "holds"), ("some", "holds")]);
    assert_eq!(ran.results["results"][0]["vacuous"].as_array().map(Vec::len), Some(1));
    assert_eq!(ran.results["results"][1]["vacuous"].as_array().map(Vec::len), Some(0));
}

#[test]
fn variables_that_components_share_leave_the_answer_open() {
    let code = "void a(void);
void b(void);
int flag;
int mine;
int w(void) { flag = 1; a(); return 0; }
int r(void) { a(); if (flag == 1) b(); return 0; }
int alone(void) { mine = 1; a(); if (mine == 1) b(); return 0; }
int counts(void) { static int n; n = n + 1; a(); if (n == 1) b(); return 0; }
";
    let spec = "cprog c1 = w, r { formula shared, {1, 1}, G !b; }
cprog c2 = w, alone { formula apart, {1, 1}, F b; }
cprog c3 = counts, counts { formula copies, {1, 1}, G !b; }
";
    let ran = small("shared", code, spec).check(&[]);
    ran.expect(&[("shared", "undecided"), ("apart", "holds"), ("copies", "undecided")]);
    let text = ran.results["results"][0].to_string();
    assert!(text.contains("flag") && text.contains("`w`"), "{text}");
}

/// What stands behind a pointer with static storage is as shared as the pointer.
#[test]
fn what_is_behind_a_shared_pointer_is_shared() {
    let code = "void a(void);
void b(void);
struct box { int full; struct box *next; };
struct box *box;
int *number;
int puts(void) { if (box) box->full = 1; a(); return 0; }
int looks(void) { a(); if (box && box->full == 1) b(); return 0; }
int puts_deep(void) { if (box && box->next) box->next->full = 1; a(); return 0; }
int looks_deep(void) { a(); if (box && box->next && box->next->full == 1) b(); return 0; }
int other(void) { if (number) *number = 1; a(); return 0; }
";
    let spec = "cprog c1 = puts, looks { formula behind, {1, 1}, G !b; }
cprog c2 = puts_deep, looks_deep { formula deeper, {1, 1}, G !b; }
cprog c3 = puts, looks_deep { formula apart, {box != 0 && box->next == 0, 1}, G !b; }
cprog c4 = other, looks { formula another, {1, box != 0 && box->full == 0}, G !b; }
";
    let ran = small("behind", code, spec).check(&[]);
    ran.expect(&[
        ("behind", "undecided"), // HOLDS would be wrong: `looks` sees what `puts` wrote
        ("deeper", "undecided"), // the same
        ("apart", "undecided"),  // other members of one structure: HOLDS would be progress
        ("another", "holds"),
    ]);
    let text = ran.results["results"][0].to_string();
    assert!(text.contains("what `box` points to") && text.contains("`puts`"), "{text}");
}

/// The address that the program gives to a pointer with static storage is one that it may have when a
/// component starts.
#[test]
fn pointers_may_start_where_their_initialisers_lead() {
    let code = "void a(void);
void b(void);
int g, others[3];
static int *own = &g;
int *seen = &g;
static struct { int n; int *p; } record = { 1, &g };
static int *table[2] = { &g, &others[1] };
static struct node { struct node *next; int v; } second = { 0, 5 }, first = { &second, 4 };
static struct node *head = &first;
static int *none;
int by_static(void) { g = 1; *own = 2; if (g == 2) b(); return 0; }
int by_external(void) { g = 1; *seen = 2; if (g == 2) b(); return 0; }
int by_member(void) { g = 1; *record.p = 2; if (g == 2) b(); return 0; }
int by_element(void) { others[1] = 1; *table[1] = 2; if (others[1] == 2) b(); return 0; }
int by_list(void) { second.v = 1; if (head && head->next) head->next->v = 2; if (second.v == 2) b(); return 0; }
int elsewhere(void) { others[0] = 1; *table[1] = 2; if (others[0] == 2) b(); return 0; }
int not_there(void) { g = 1; if (none) *none = 2; if (g == 2) b(); return 0; }
int writes(void) { *own = 1; a(); return 0; }
int reads(void) { a(); if (g == 1) b(); return 0; }
int leads(void) { if (own == &g) a(); else b(); return 0; }
int leads_too(void) { if (own != &g) b(); else a(); return 0; }
int leads_off(void) { if (own == others) a(); else b(); return 0; }
int leads_off_too(void) { if (own != others) b(); else a(); return 0; }
";
    let mut spec = String::new();
    for name in ["by_static", "by_external", "by_member", "by_element", "by_list", "elsewhere", "not_there"] {
        spec += &format!("cprog c_{name} = {name} {{ formula {name}_no_b, {{1}}, G !b; }}\n");
    }
    spec += "cprog c1 = writes, reads { formula shared, {1, 1}, G !b; }
cprog c2 = leads, leads_too { deadlock alike, {1, 1}; }
cprog c3 = leads_off, leads_off_too { deadlock off, {1, 1}; }
";
    small("initialised", code, &spec).check(&[]).expect(&[
        ("by_static_no_b", "violated"),
        ("by_external_no_b", "violated"),
        ("by_member_no_b", "violated"),
        ("by_element_no_b", "violated"),
        ("by_list_no_b", "violated"),
        ("elsewhere_no_b", "holds"),
        ("not_there_no_b", "holds"),
        ("shared", "undecided"), // `writes` may write what `reads` reads
        ("alike", "holds"),
        ("off", "undecided"), // VIOLATED would be wrong; HOLDS would be progress
    ]);
}

/// Components that only read a variable start with one value of it, and cannot change it.
#[test]
fn variables_that_are_only_read_have_one_value() {
    let code = "void a(void);
void b(void);
int mode;
unsigned limit;
struct { int on; int level; } set;
int *where;
void (*job)(void);
int p(void) { if (mode == 1) a(); else b(); return 0; }
int q(void) { if (mode == 1) a(); else b(); return 0; }
int r(void) { if (mode != 1) a(); else b(); return 0; }
int low(void) { if (limit < 10) a(); else b(); return 0; }
int lower(void) { if (limit < 5) a(); else b(); return 0; }
int sum(void) { if (set.on + set.level == 7) a(); else b(); return 0; }
int sums(void) { int s = set.level; s = s + set.on; if (s == 7) a(); else b(); return 0; }
int null(void) { if (where) a(); else b(); return 0; }
int behind(void) { if (where && *where == 3) a(); else b(); return 0; }
int set_up(void) { if (job) a(); else b(); return 0; }
int late(void) { int i; for (i = 0; i < 2; i++) { if (mode > i) a(); else b(); } return 0; }
int late_too(void) { int i = 0; while (i < 2) { if (i >= mode) b(); else a(); i++; } return 0; }
int blind(void) { a(); return 0; }
";
    let spec = "cprog c1 = p, q { deadlock alike, {1, 1}; deadlock never, {mode == 1, mode == 0}; formula nothing, {mode > 3, mode < 2}, false;
    formula together, {mode == 1, 1}, F a; formula by_guard, {1, mode == 1}, G !b; }
cprog c2 = p, r { deadlock opposite, {1, 1}; formula no_a, {1, 1}, G !a; }
cprog c3 = low, lower { deadlock between, {1, 1}; deadlock below, {limit < 5, 1}; deadlock above, {1, limit > 20}; }
cprog c4 = sum, sums { deadlock sums_agree, {1, 1}; }
cprog c5 = null, null { deadlock pointer, {1, 1}; }
cprog c6 = null, behind { deadlock pointed, {1, 1}; deadlock null_alike, {where == 0, 1}; deadlock three, {1, where != 0 && *where == 3}; }
cprog c7 = set_up, set_up { deadlock function, {1, 1}; }
cprog c8 = late, late_too { deadlock loops, {1, 1}; }
cprog c9 = p, p, q { deadlock three_parts, {1, 1, 1}; }
cprog d1 = p, blind { deadlock one_reads, {1, 1}; deadlock guard_of_another, {1, mode == 1}; }
";
    let wanted = [
        ("alike", "holds"),
        ("never", "holds"),
        ("nothing", "holds"),
        ("together", "holds"),
        ("by_guard", "holds"),
        ("opposite", "violated"),
        ("no_a", "holds"), // each would do `a`, but never both
        ("between", "violated"),
        ("below", "holds"),
        ("above", "holds"),
        ("sums_agree", "holds"),
        ("pointer", "holds"),
        ("pointed", "violated"),
        ("null_alike", "holds"),
        ("three", "holds"),
        ("function", "holds"),
        ("loops", "holds"),
        ("three_parts", "holds"),
        ("one_reads", "violated"),
        ("guard_of_another", "holds"),
    ];
    let folder = small("read-only", code, spec);
    for more in [&[][..], &["--engine", "plain"], &["--engine", "ag1"], &["--predicates", "all"]] {
        let ran = folder.check(more);
        ran.expect(&wanted);
        let vacuous = |at: usize| ran.results["results"][at]["vacuous"].to_string();
        assert!(vacuous(1).contains("mode") && vacuous(2).contains("mode"), "{} {}", vacuous(1), vacuous(2));
        assert_eq!(vacuous(0), "[]");
        // One value in one run.
        let text = steps(&ran, 5).join("; ");
        let first = |name: &str| {
            let from = text.find(&format!("{name} starts with mode = ")).expect("shown");
            text[from..].split(';').next().and_then(|step| step.split("mode = ").nth(1)).map(str::to_owned)
        };
        assert_eq!(first("p"), first("r"), "{text}");
    }
}

#[test]
fn a_run_shows_unsigned_values_as_they_are() {
    let code = "void b(void);
unsigned char small;
int p(unsigned u, unsigned long l, signed char s) {
    unsigned char c = 200; unsigned short t; t = 50000;
    if (u > 3000000000u && l > 18446744073709551610ul && s < -100 && small > 150 && c > 100) b();
    return t > 40000;
}
";
    let ran = small("unsigned", code, "cprog c = p { formula never, {1}, G !b; }\n").check(&[]);
    ran.expect(&[("never", "violated")]);
    let shown = steps(&ran, 0).join("; ");
    assert!(shown.contains("(c = 200)") && shown.contains("(t = 50000)"), "{shown}");
    let start = shown.split("; ").find(|step| step.contains("p starts with")).expect("a start").to_owned();
    let value = |name: &str| -> i128 {
        let text = start.split(&format!("{name} = ")).nth(1).unwrap_or_else(|| panic!("{name}: {start}"));
        text.split([',', ')']).next().and_then(|number| number.trim().parse().ok()).expect("a number")
    };
    assert!(value(" u") > 3_000_000_000 && value("l") > 18_446_744_073_709_551_610, "{start}");
    assert!(value("small") > 150 && value(" s") < -100, "{start}");
}

/// The run that is shown may be longer than the counterexample that was found.
#[test]
fn a_run_with_idle_branches_is_shown() {
    let code = "int p(int x) {
    int u = 0, v = 5;
    if (v == 4) { switch (u) { } }
    if (u != 3) { if (u < 3) { } v++; }
    return x;
}
";
    let spec = "Less = ( return {$0 == 1} -> STOP | return {$0 == 2} -> STOP ).
cprog c = p { abstract less, {$1 >= 0 && $1 < 3}, Less; }
";
    let ran = Small::new("idle", code, spec).check(&[]);
    ran.expect(&[("less", "violated")]);
    assert!(steps(&ran, 0).iter().any(|step| step.contains("x = 0")), "{:?}", steps(&ran, 0));
}

#[test]
fn a_run_shows_what_it_starts_with_and_agrees_with_its_branches() {
    let code = "void a(void);
int p(int k) { int z; if (k > 3) { z = 6; } else { z = k; } a(); return z; }
";
    let spec = "cprog c = p { formula never, {$1 == 2}, G [z != 2]; }\n";
    let ran = small("starts", code, spec).check(&[]);
    ran.expect(&[("never", "violated")]);
    let shown = steps(&ran, 0);
    assert!(shown.iter().any(|step| step.contains("p starts with") && step.contains("k = 2")), "{shown:?}");
    let told = |step: &&String| step.contains("holds no longer") || step.contains("does not hold");
    assert!(shown.iter().any(|step| told(&step)), "{shown:?}");
    // A branch that makes no difference to events is shown the way it was run.
    let code = "struct w { int debug; int state; };
long ctl(struct w *);
void a(void);
int p(struct w *s)
{
    int ret = -1;
    for (;;) {
        if (s->state == 1) { a(); s->state = 2; }
        else { ret = 1; break; }
        if (s->debug) { ret = (int)ctl(s); if (ret <= 0) break; }
    }
    return ret;
}
";
    let spec = "S = ( a -> Q | a -> R ), Q = (return {$0 == 1} -> STOP), R = (return {$0 <= 0} -> STOP).
cprog c = p { abstract y, {$1->state == 1}, S; }
";
    let ran = small("agrees", code, spec).check(&["--missing", "pure"]);
    ran.expect(&[("y", "violated")]);
    let shown = steps(&ran, 0);
    let position = shown.iter().position(|step| step.contains("ret <= 0"));
    if let Some(at) = position {
        let before = shown[..at].iter().rev().find(|step| step.contains("(ret = "));
        assert!(!before.is_some_and(|step| step.contains("(ret = 1)")), "{shown:?}");
    }
}

#[test]
fn the_order_of_files_does_not_matter() {
    let folder = std::env::temp_dir().join(format!("concord-check-order-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let header = "struct inner { int seq; };\nstruct slot { struct slot *next; struct inner in; union { int i; char c[4]; } u; };\nint take(struct slot *s);\n";
    let one = format!(
        "{header}void a(void);\nvoid b(void);\nint p(void) {{ struct slot s; if (take(&s) == 0) {{ if (s.in.seq == 1) a(); else b(); }} return 0; }}\n"
    );
    let two = format!("{header}int other(struct slot *s) {{ return s->in.seq; }}\n");
    let spec = format!(
        "{TWO_EVENTS}cproc take {{ abstract {{ t, 1, Take }}; }}\nTake = ( {{$1->in.seq = 1}} -> return {{$0 == 0}} -> STOP ).\ncprog c = p {{ formula f, {{1}}, G !b; }}\n"
    );
    for (name, text) in [("one.c", &one), ("two.c", &two), ("f.spec", &spec)] {
        std::fs::write(folder.join(name), text).expect("written");
    }
    check(&folder, &["@/one.c", "@/two.c", "@/f.spec"]).expect(&[("f", "holds")]);
    check(&folder, &["@/two.c", "@/one.c", "@/f.spec"]).expect(&[("f", "holds")]);
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn a_loop_that_counts_needs_no_end_of_conditions() {
    let code = "void b(void);
int nd(void);
int p(void) { int n = 0; while (nd()) { n++; } if (n < 0) b(); return 0; }
int q(void) { int n = 10; while (nd()) { n = n + 2; } if (n < 10) b(); return 0; }
int r(void) { int n = 0; while (nd()) { n--; } if (n > 0) b(); return 0; }
";
    let spec = "cproc nd { abstract { n, 1, Nd }; }
Nd = ( return {$0 == 0} -> STOP | return {$0 == 1} -> STOP ).
cprog c1 = p { formula up, {1}, G !b; }
cprog c2 = q { formula twos, {1}, G !b; }
cprog c3 = r { formula down, {1}, G !b; }
";
    small("counts", code, spec).check(&[]).expect(&[("up", "holds"), ("twos", "holds"), ("down", "holds")]);
}

#[test]
fn a_component_does_not_call_the_static_functions_of_another_file() {
    let folder = std::env::temp_dir().join(format!("concord-check-static-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let one = "void a(void);\nstruct ops { void (*start)(void); };\nstatic void does_a(void) { a(); }\nstatic struct ops own;\n\
        int p(void) { own.start = does_a; own.start(); return 0; }\n";
    let two = "void b(void);\nstatic void does_b(void) { b(); }\nint q(void) { void (*f)(void) = does_b; f(); return 0; }\n";
    let spec = format!(
        "{TWO_EVENTS}cprog c = p, q {{ formula no_b, {{1, 1}}, G !b; formula no_a, {{1, 1}}, G !a; deadlock ends, {{1, 1}}; }}\n"
    );
    for (name, text) in [("one.c", one), ("two.c", two), ("f.spec", &spec)] {
        std::fs::write(folder.join(name), text).expect("written");
    }
    let expected = [("no_b", "violated"), ("no_a", "violated"), ("ends", "holds")];
    check(&folder, &["@/one.c", "@/two.c", "@/f.spec"]).expect(&expected);
    check(&folder, &["@/two.c", "@/one.c", "@/f.spec"]).expect(&expected);
    std::fs::remove_dir_all(&folder).expect("removed");
}

/// A variable with any value at the start may lead to what another component does, even where it is set before it is called. Who waits for whom must not rest on that.
#[test]
fn who_takes_part_in_an_event_must_be_known() {
    let spec = "cprog c = p, q { formula no_b, {1, 1}, G !b; deadlock ends, {1, 1}; }\n";
    for (own, before, expected) in [
        ("static job own;", "own = does_a;", "undecided"),
        ("static const job own = does_a;", "", "violated"),
        ("", "job own = does_a;", "violated"),
    ] {
        let code = format!(
            "void a(void);\nvoid b(void);\nstatic void does_a(void) {{ a(); }}\nstatic void does_b(void) {{ b(); }}\ntypedef void (*job)(void);\n\
             static const job JOBS[1] = {{ does_b }};\n{own}\nint p(void) {{ {before} own(); return 0; }}\nint q(void) {{ JOBS[0](); return 0; }}\n"
        );
        let ends = if expected == "violated" { "holds" } else { "undecided" };
        small("who", &code, spec).check(&[]).expect(&[("no_b", expected), ("ends", ends)]);
    }
    // Nobody else has the event: whether the component does it is seen.
    let code = "void a(void);\nvoid b(void);\nstatic void does_a(void) { a(); }\nstatic void does_b(void) { b(); }\n\
        static void (*own)(void);\nstatic void (*const JOBS[1])(void) = { does_b };\n\
        int p(void) { own = does_a; own(); return JOBS[0] == does_b; }\n";
    let spec = "cprog c = p { formula no_b, {1}, G !b; formula no_a, {1}, G !a; }\n";
    small("alone", code, spec).check(&[]).expect(&[("no_b", "holds"), ("no_a", "violated")]);
}
