//! The verb `check`, through its command line: the examples of this repository, and the theses' programs
//! where `../shared` is there.

mod ground;
mod meeting;
mod openssl;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

struct Ran {
    status: i32,
    results: Value,
    messages: String,
}

/// Runs `concord check`; words of the form `@/x` are files below the data folder, `+` joins two of them.
fn check(folder: &Path, arguments: &[&str]) -> Ran {
    let place = |text: &str| {
        let parts = text.split('+').map(|part| match part.strip_prefix("@/") {
            Some(file) => folder.join(file).to_string_lossy().into_owned(),
            None => part.to_owned(),
        });
        parts.collect::<Vec<_>>().join("+")
    };
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["check", "--format", "json", "--quiet", "--time-limit", "300s"])
        .args(arguments.iter().map(|text| if text.contains("@/") { place(text) } else { (*text).to_owned() }))
        .output()
        .expect("concord runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let results = serde_json::from_str(&text).unwrap_or_else(|_| Value::from(text.clone()));
    Ran { status: output.status.code().expect("it was not killed"), results, messages }
}

impl Ran {
    fn verdicts(&self) -> Vec<(String, String)> {
        let list = self.results["results"].as_array();
        let list = list.unwrap_or_else(|| panic!("no results: {}\n{}", self.results, self.messages));
        let word = |value: &Value| value.as_str().expect("a word").to_owned();
        list.iter().map(|one| (word(&one["property"]), word(&one["verdict"]))).collect()
    }

    fn expect(&self, wanted: &[(&str, &str)]) {
        let wanted: Vec<(String, String)> =
            wanted.iter().map(|(name, verdict)| ((*name).to_owned(), (*verdict).to_owned())).collect();
        assert_eq!(self.verdicts(), wanted, "{}\n{:#}", self.messages, self.results);
        let has = |verdict: &str| wanted.iter().any(|(_, one)| one == verdict);
        let status = if has("violated") {
            1
        } else if has("undecided") {
            3
        } else {
            0
        };
        assert_eq!(self.status, status, "the worst verdict decides");
    }

    fn figure(&self, name: &str) -> u64 {
        self.results["results"][0]["statistics"][name].as_u64().expect("a figure")
    }
}

/// The data that comes beside the repository, if it is there.
fn shared(folder: &str) -> Option<PathBuf> {
    testkit::absent::shared(&format!("data/{folder}"), "its rows are not tested")
}

fn example() -> PathBuf {
    workspace().join("examples/session")
}

#[test]
fn the_example_agrees_with_its_specification() {
    let ran = check(&example(), &["@/server.c+@/server.spec", "@/client.c+@/client.spec", "@/session.spec"]);
    ran.expect(&[("session", "holds"), ("granted_after_asking", "holds"), ("no_deadlock", "holds")]);
}

#[test]
fn the_seeded_bug_is_found_and_shown_in_source_terms() {
    let files = ["@/server_bug.c+@/server.spec", "@/client.c+@/client.spec", "@/session.spec"];
    let ran = check(&example(), &files);
    ran.expect(&[("session", "violated"), ("granted_after_asking", "violated"), ("no_deadlock", "holds")]);
    let steps = &ran.results["results"][0]["counterexample"]["path"]["steps"];
    let text = steps.to_string();
    assert!(text.contains("server_bug.c:"), "statements carry their place: {text}");
    assert!(text.contains("grant"), "{text}");
}

#[test]
fn a_violation_was_run_on_the_code() {
    let files = ["@/server_bug.c+@/server.spec", "@/client.c+@/client.spec", "@/session.spec"];
    let ran = check(&example(), &files);
    let remarks = ran.results["results"][0]["remarks"].to_string();
    assert!(remarks.contains("the counterexample was run on the code of server, client"), "{remarks}");
}

/// What the code really does decides: the abstraction takes a floating value to be anything.
#[test]
fn what_a_run_does_not_confirm_is_undecided() {
    let folder = std::env::temp_dir().join(format!("concord-check-table-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let code = "int f(int x) { double d = x; if (x == 0 && d > 0.5) return 1; return 0; }\n";
    std::fs::write(folder.join("f.c"), code).expect("written");
    let spec = "P = ( return {$0 == 0} -> STOP ).\ncprog f = f { abstract p, {1}, P; }\n";
    std::fs::write(folder.join("f.spec"), spec).expect("written");
    let ran = check(&folder, &["@/f.c", "@/f.spec"]);
    ran.expect(&[("p", "undecided")]);
    let reason = ran.results["results"][0]["reason"].to_string();
    assert!(reason.contains("run on the code of `f`"), "{reason}");
    // Tables that never change are known.
    let code = "static const int table[3] = { 0, 0 };\n\
                int f(int x) { if (x < 0 || x > 2) return 0; return table[x]; }\n";
    std::fs::write(folder.join("f.c"), code).expect("written");
    check(&folder, &["@/f.c", "@/f.spec"]).expect(&[("p", "holds")]);
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn tasks_readers_and_philosophers_agree_with_their_specifications() {
    for (folder, code, spec, wanted) in [
        ("tasks", "tasks.c", "tasks.spec", [("no_deadlock", "holds"), ("nested", "holds")]),
        ("tasks", "tasks_bug.c", "tasks.spec", [("no_deadlock", "violated"), ("nested", "violated")]),
        ("readers_writers", "system.c", "system.spec", [("exclusive", "holds"), ("no_deadlock", "holds")]),
        (
            "readers_writers",
            "system_bug.c",
            "system.spec",
            [("exclusive", "violated"), ("no_deadlock", "holds")],
        ),
        ("philosophers", "philosophers.c", "table.spec", [("not_all", "holds"), ("no_deadlock", "holds")]),
        (
            "philosophers",
            "philosophers_bug.c",
            "table.spec",
            [("not_all", "violated"), ("no_deadlock", "violated")],
        ),
    ] {
        let folder = workspace().join("examples").join(folder);
        check(&folder, &[&format!("@/{code}"), &format!("@/{spec}")]).expect(&wanted);
    }
}

/// A folder with one component and its specification, for one test.
struct Small(PathBuf);

impl Small {
    fn new(name: &str, code: &str, specification: &str) -> Small {
        let folder = std::env::temp_dir().join(format!("concord-check-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("f.c"), code).expect("written");
        std::fs::write(folder.join("f.spec"), specification).expect("written");
        Small(folder)
    }

    fn check(&self, more: &[&str]) -> Ran {
        check(&self.0, &[&["@/f.c", "@/f.spec"], more].concat())
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).expect("removed");
    }
}

const TWO_EVENTS: &str = "cproc a { abstract { a_call, 1, A }; }
cproc b { abstract { b_call, 1, B }; }
A = ( a -> return {} -> STOP ).
B = ( b -> return {} -> STOP ).
";

/// What a `switch` looks at, and what is put aside and back, needs no predicates of its own; and states that
/// the proof does not need are left out.
#[test]
fn proofs_rest_on_few_predicates() {
    let code = "struct s { int state; int other; };
        void a(void); void b(void);
        int f(struct s *s) {
            int saved, before;
            while (1) {
                before = s->state;
                switch (s->state) {
                case 1: a(); s->state = 2; break;
                case 2: s->state = 3; break;
                case 3: s->state = 4; break;
                case 4: b(); s->state = 5; break;
                case 5: s->state = 6; break;
                case 6: s->state = 7; break;
                default: return 0;
                }
                if (s->other) {
                    saved = s->state;
                    s->state = before;
                    s->other = 0;
                    s->state = saved;
                }
            }
        }\n";
    let spec = format!(
        "{TWO_EVENTS}P = ( a -> b -> return {{$0 == 0}} -> STOP ).
         cprog f = f {{ abstract p, {{$1->state == 1}}, P; }}\n"
    );
    let small = Small::new("few", code, &spec);
    let ran = small.check(&[]);
    ran.expect(&[("p", "holds")]);
    assert_eq!(ran.figure("predicates_of_different_values"), 1, "only `s->state` counts: {:#}", ran.results);
    let all = small.check(&["--predicates", "greedy"]);
    all.expect(&[("p", "holds")]);
    assert!(ran.figure("predicates") <= all.figure("predicates"), "{:#}", ran.results);
    // Two events in one order: the states between them need not be told apart.
    let order = format!(
        "{TWO_EVENTS}P = ( a -> Q ), Q = ( a -> Q | b -> Q ).
         cprog f = f {{ abstract p, {{$1->state == 1}}, P; }}\n"
    );
    let ran = Small::new("order", code, &order).check(&[]);
    ran.expect(&[("p", "holds")]);
    assert!(ran.figure("predicates") <= 4, "{:#}", ran.results);
}

/// Fourteen conditions that have nothing to do with each other are 16,384 valuations: what nothing depends on
/// is left open.
#[test]
fn many_independent_predicates_are_decided() {
    let names: Vec<String> = (1..=14).map(|number| format!("x{number}")).collect();
    let parameters: Vec<String> = names.iter().map(|name| format!("int {name}")).collect();
    let tests: Vec<String> = names.iter().map(|name| format!("if ({name} > 0) a();")).collect();
    let code = format!(
        "void a(void); void b(void);\nint f({}) {{ int y = 1; {} if (y != 1) b(); return 0; }}\n",
        parameters.join(", "),
        tests.join(" ")
    );
    for (extra, verdict) in [("", "holds"), (" if (x7 > 0) b();", "violated")] {
        let code = code.replace(" return 0;", &format!("{extra} return 0;"));
        // `b` is an event of the process, but never its turn.
        let spec = format!(
            "{TWO_EVENTS}P = ( a -> P | return {{$0 == 0}} -> STOP | never -> b -> STOP ).
             cprog f = f {{ abstract p, {{1}}, P; }}\n"
        );
        let small = Small::new(&format!("many-{verdict}"), &code, &spec);
        for how in ["simulation", "trace"] {
            small.check(&["--predicates", "all", "--conformance", how]).expect(&[("p", verdict)]);
        }
    }
}

/// THESIS 6.5: two reasons that have nothing to do with each other are found in one round instead of two.
#[test]
fn several_counterexamples_per_round_spare_rounds() {
    let code = "void a(void); void b(void);
        int f(void) { int x = 1; int y = 1; if (x != 1) a(); if (y != 1) b(); return 0; }\n";
    let spec = format!(
        "{TWO_EVENTS}P = ( return {{$0 == 0}} -> STOP | never -> a -> b -> STOP ).
         cprog f = f {{ abstract p, {{1}}, P; }}\n"
    );
    let small = Small::new("several", code, &spec);
    for more in [&["--conformance", "trace"][..], &["--engine", "plain"]] {
        let rounds = |most: &str| {
            let ran = small.check(&[more, &["--predicates", "greedy", "--counterexamples", most]].concat());
            ran.expect(&[("p", "holds")]);
            ran.figure("iterations")
        };
        assert!(rounds("2") < rounds("1"), "{more:?}");
    }
}

/// The same for formulas: other finite runs, other cycles.
#[test]
fn several_violating_runs_per_round_spare_rounds() {
    let finite = "void a(void); void b(void);
        int f(void) { int x = 1; int y = 1; if (x != 1) a(); if (y != 1) b(); return 0; }\n";
    let endless = "void a(void); void b(void);
        int f(void) {
            int x = 1; int y = 1;
            a();
            if (x != 1) while (1) a();
            if (y != 1) while (1) x = 2;
            while (1) b();
        }\n";
    for (name, code, formula) in [("finite", finite, "G !(a | b)"), ("endless", endless, "G F b")] {
        let spec = format!("{TWO_EVENTS}cprog f = f {{ formula p, {{1}}, {formula}; }}\n");
        let small = Small::new(&format!("several-{name}"), code, &spec);
        for engine in ["auto", "plain"] {
            let figures = |most: &str| {
                let more = ["--engine", engine, "--predicates", "greedy", "--counterexamples", most];
                let ran = small.check(&more);
                ran.expect(&[("p", "holds")]);
                (ran.figure("iterations"), ran.figure("counterexamples"))
            };
            let (one, three) = (figures("1"), figures("3"));
            assert!(three.0 < one.0, "{name}, {engine}: fewer rounds, {three:?} and {one:?}");
            assert!(three.1 > three.0 - 1, "{name}, {engine}: several in a round, {three:?}");
            assert_eq!(one.1, one.0 - 1, "{name}, {engine}: one in each round, {one:?}");
        }
    }
}

/// Members of a union are views of the same bytes.
#[test]
fn unions_are_views_of_the_same_bytes() {
    let common = "void a(void); void b(void);
        union number { int whole; unsigned char bytes[4]; unsigned short halves[2]; float real; };
        struct message { int kind; union { struct { int key; int *to; } ask; struct { int key; int code; } answer; } u; };\n";
    // Each body makes `b` only if the bytes are not where C puts them.
    for (name, body, verdict) in [
        (
            "bytes",
            "union number n; n.whole = 0x01020304; if (n.bytes[0] != 4 || n.bytes[3] != 1) b();",
            "holds",
        ),
        ("bytes-bug", "union number n; n.whole = 0x01020304; if (n.bytes[0] != 1) b();", "violated"),
        ("halves", "union number n; n.whole = 0; n.bytes[x & 3] = 1; if (n.halves[0] > 256) b();", "holds"),
        (
            "signed",
            "union number n; n.halves[1] = 0xffff; n.halves[0] = 0xfffe; if (n.whole != -2) b();",
            "holds",
        ),
        (
            "copied",
            "union number n, m; n.whole = x; m = n; m.bytes[0] = 0; if ((n.whole & ~255) != (m.whole & ~255)) b();",
            "holds",
        ),
        ("nested", "struct message m; m.u.ask.key = 7; if (m.u.answer.key != 7) b();", "holds"),
        ("nested-bug", "struct message m; m.u.answer.key = x; if (m.u.ask.key == 7) b();", "violated"),
        ("beside", "struct message m; m.kind = 1; m.u.answer.code = x; if (m.kind != 1) b();", "holds"),
        ("through", "union number n; int *p = &n.whole; *p = 5; if (n.bytes[0] != 5) b();", "holds"),
        // What a floating value looks like is not tracked: nothing may be claimed.
        ("floating", "union number n; n.whole = 3; n.real = 1; if (n.whole == 3) b();", "undecided"),
    ] {
        let code = format!("{common}int f(int x) {{ {body} return 0; }}\n");
        let spec = format!(
            "{TWO_EVENTS}P = ( a -> P | return {{$0 == 0}} -> STOP | never -> b -> STOP ).
             cprog f = f {{ abstract p, {{1}}, P; }}\n"
        );
        let ran = Small::new(&format!("union-{name}"), &code, &spec).check(&[]);
        assert_eq!(ran.verdicts()[0].1, verdict, "{name}: {}\n{:#}", ran.messages, ran.results);
    }
}

/// Library functions do what they do, whatever the rule for missing bodies says.
#[test]
fn library_functions_have_their_effects() {
    let common = "typedef __typeof__(sizeof 0) size_t;
        void *memcpy(void *, const void *, size_t); void *memset(void *, int, size_t);
        void *memmove(void *, const void *, size_t); void *malloc(size_t); void *calloc(size_t, size_t);
        void free(void *); int getchar(void); int abs(int); size_t strlen(const char *);
        void a(void); void b(void);
        struct point { int x; short y; char name[4]; };\n";
    for (name, body, verdict) in [
        ("copy", "struct point p, q; p.x = x; memcpy(&q, &p, sizeof q); if (q.x != x) b();", "holds"),
        (
            "copy-bug",
            "struct point p, q; p.y = x; q.y = 1; memmove(&q, &p, sizeof p); if (q.y != 1) b();",
            "violated",
        ),
        ("array", "int p[3], q[3]; p[2] = x; memcpy(q, p, sizeof q); if (q[2] != x) b();", "holds"),
        ("zero", "struct point p; memset(&p, 0, sizeof p); if (p.x || p.y || p.name[3]) b();", "holds"),
        ("fill", "struct point p; memset(&p, 1, sizeof p); if (p.y != 0x0101) b();", "holds"),
        ("fill-bug", "short s; memset(&s, 1, sizeof s); if (s != 1) b();", "violated"),
        (
            "new",
            "struct point *p = malloc(sizeof *p); if (!p) return 0; p->x = x; if (p->x != x) b(); free(p);",
            "holds",
        ),
        ("null", "struct point *p = malloc(sizeof *p); if (!p) b();", "violated"),
        (
            "two",
            "int *p = malloc(sizeof *p), *q = malloc(sizeof *q); if (!p || !q) return 0; *p = 1; *q = 2; if (*p != 1) b();",
            "holds",
        ),
        ("zeroed", "struct point *p = calloc(1, sizeof *p); if (p && p->y) b();", "holds"),
        ("loop", "int *p; int i; for (i = 0; i < 3; i++) { p = malloc(sizeof *p); if (p) *p = i; }", "holds"),
        ("part", "struct point p; memset(&p, 0, x); if (p.x) b();", "violated"),
        ("input", "int c = getchar(); if (c < -1 || c > 255) b();", "holds"),
        ("input-bug", "if (getchar() == 'q') b();", "violated"),
        ("model", "if (x > -100 && abs(x) < 0) b();", "holds"),
        ("element", "char t[4] = { 1, 2, 3, 0 }; char *p = t; if (p[x & 3] > 3) b();", "holds"),
        (
            "end",
            "char t[2] = { 1, 2 }; char *p; if (x < 0 || x > 2) return 0; p = &t[x]; if (x && p[-1] > 2) b();",
            "holds",
        ),
        (
            "end-bug",
            "char t[2] = { 1, 2 }; char *p; if (x < 0 || x > 2) return 0; p = &t[x]; if (x && p[-1] == 2) b();",
            "violated",
        ),
        ("walk", "char t[4] = { 1, 2, 3, 0 }; char *p = t; while (*p) p++; if (p != t + 3) b();", "holds"),
        ("length", "if (strlen(\"four\") != 4) b();", "holds"),
    ] {
        let code = format!("{common}int f(int x) {{ {body} return 0; }}\n");
        let spec = format!(
            "{TWO_EVENTS}P = ( a -> P | return {{$0 == 0}} -> STOP | never -> b -> STOP ).
             cprog f = f {{ abstract p, {{1}}, P; }}\n"
        );
        let small = Small::new(&format!("library-{name}"), &code, &spec);
        for missing in ["forbid", "nondet"] {
            let more: &[&str] = if missing == "nondet" { &["--missing", "nondet"] } else { &[] };
            let ran = small.check(more);
            let found = &ran.verdicts()[0].1;
            assert_eq!(found, verdict, "{name}, {missing}: {}\n{:#}", ran.messages, ran.results);
        }
    }
}

#[test]
fn names_that_mean_nothing_are_told_with_what_was_meant() {
    let code = "void a(void); void b(void);\nint worker(void) { a(); b(); return 0; }\n";
    let spec = |component: &str, event: &str| {
        format!(
            "{TWO_EVENTS}P = ( a -> {event} -> STOP ).\ncprog f = {component} {{ abstract p, {{1}}, P; }}\n"
        )
    };
    let ran = Small::new("component", code, &spec("woker", "b")).check(&[]);
    assert_eq!(ran.status, 4, "{}", ran.messages);
    for part in ["`woker` is neither a procedure", "f.spec:6:11", "^", "did you mean `worker`?"] {
        assert!(ran.messages.contains(part), "{part}: {}", ran.messages);
    }
    let ran = Small::new("event", code, &spec("worker", "bb")).check(&[]);
    let remarks = ran.results["results"][0]["remarks"].to_string();
    assert!(remarks.contains("no component has the event `bb`"), "{remarks}");
    assert!(remarks.contains("did you mean `b`?"), "{remarks}");
}

/// Every mistake is told with its place, and with what was probably meant.
#[test]
fn mistakes_in_questions_are_told_with_their_place() {
    let code =
        "int g(int);\nvoid a(void); void b(void);\nint worker(int ticket) { a(); b(); return ticket; }\n";
    let spec = |guard: &str, question: &str| {
        format!(
            "{TWO_EVENTS}P = ( a -> b -> STOP ).\ncprog f = worker {{\n    {question}, {{{guard}}}, P;\n}}\n"
        )
    };
    let formula = |text: &str| spec("1", "formula p").replace(", P;", &format!(", {text};"));
    for (name, spec, more, parts) in [
        (
            "guard",
            spec("$1->x == 1", "abstract p"),
            vec![],
            vec!["f.spec:7:14", "^", "the guard `$1->x == 1`"],
        ),
        (
            "variable",
            formula("G [tickt == 1]"),
            vec![],
            vec!["f.spec:7:13", "^", "no component has a variable `tickt`", "`ticket`?"],
        ),
        (
            "process",
            spec("1", "abstract p").replace("}, P;", "}, Q;"),
            vec![],
            vec!["f.spec:7:", "^", "there is no process `Q`"],
        ),
        (
            "only",
            spec("1", "abstract proper"),
            vec!["--only", "propr"],
            vec!["no `cprog` block has a statement named propr", "`proper`?"],
        ),
        (
            "formula",
            spec("1", "abstract p"),
            vec!["--formula", "G (a => "],
            vec!["--formula:1:", "^", "expected a formula"],
        ),
        ("file", spec("1", "abstract p"), vec!["missing.spec"], vec!["missing.spec cannot be read"]),
    ] {
        let ran = Small::new(&format!("mistake-{name}"), code, &spec).check(&more);
        assert_eq!(ran.status, 4, "{name}: {}", ran.messages);
        for part in parts {
            assert!(ran.messages.contains(part), "{name}, {part}: {}", ran.messages);
        }
    }
    let ran = Small::new("mistake-event", code, &formula("G (aa => F bb)")).check(&["--missing", "nondet"]);
    let remarks = ran.results["results"][0]["remarks"].to_string();
    assert!(
        remarks.contains("no component has the event `aa` of the formula; did you mean `a`?"),
        "{remarks}"
    );
}

#[test]
fn every_engine_agrees_on_traces() {
    for engine in ["auto", "plain", "two-level", "ag1", "ag2", "symbolic"] {
        for (server, verdict) in
            [("@/server.c+@/server.spec", "holds"), ("@/server_bug.c+@/server.spec", "violated")]
        {
            let files = [server, "@/client.c+@/client.spec", "@/session.spec"];
            let mut arguments = files.to_vec();
            arguments.extend(["--only", "session", "--conformance", "trace", "--engine", engine]);
            check(&example(), &arguments).expect(&[("session", verdict)]);
        }
    }
}

/// Simulation with events that the process does not mention, and with returns.
#[test]
fn every_engine_for_simulation_agrees() {
    let code = "int choose(void); void a(void); void b(void);
        int f(void) { int x = choose(); if (x == 1) a(); b(); return x; }
        int g(void) { a(); return 1; }\n";
    let spec = |process: &str| {
        format!(
            "{TWO_EVENTS}cproc choose {{ abstract {{ choose_call, 1, Choose }}; }}
             Choose = ( chose -> return {{$0 == 1}} -> STOP | chose -> return {{$0 == 2}} -> STOP ).
             P = ( {process} ).
             cprog one = f {{ abstract one, {{1}}, P; }}
             cprog two = f, g {{ abstract two, {{1, 1}}, P; }}\n"
        )
    };
    // Both returns come from one state where a deterministic process would do; here it has to guess.
    let guessing = "a -> return {$0 == 1} -> STOP | return {$0 == 2} -> STOP | a -> return {$0 == 2} -> STOP";
    let wrong = "a -> return {$0 == 2} -> STOP | return {$0 == 2} -> STOP | a -> STOP";
    for (name, process, one, two) in
        [("guess", guessing, "holds", "holds"), ("wrong", wrong, "violated", "violated")]
    {
        let small = Small::new(&format!("simulation-{name}"), code, &spec(process));
        for engine in ["auto", "plain", "two-level", "symbolic"] {
            small.check(&["--engine", engine]).expect(&[("one", one), ("two", two)]);
        }
    }
}

#[test]
fn every_engine_agrees_on_deadlock() {
    for engine in ["auto", "plain", "two-level", "ag1", "ag2", "symbolic"] {
        for (code, verdict) in [("tasks.c", "holds"), ("tasks_bug.c", "violated")] {
            let folder = workspace().join("examples/tasks");
            let file = format!("@/{code}");
            let ran = check(&folder, &[&file, "@/tasks.spec", "--only", "no_deadlock", "--engine", engine]);
            ran.expect(&[("no_deadlock", verdict)]);
        }
    }
}

#[test]
fn a_missing_body_is_undecided_unless_the_user_says_what_it_does() {
    let folder = std::env::temp_dir().join(format!("concord-check-missing-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("f.c"), "int g(int);\nint f(int x) { if (g(x) > 0) return 1; return 0; }\n")
        .expect("written");
    let spec = "P = ( return {$0 == 0} -> STOP | return {$0 == 1} -> STOP ).\n\
                cprog f = f { abstract p, {1}, P; }\n";
    std::fs::write(folder.join("f.spec"), spec).expect("written");
    let ran = check(&folder, &["@/f.c", "@/f.spec"]);
    ran.expect(&[("p", "undecided")]);
    assert!(ran.results["results"][0]["reason"].as_str().expect("a reason").contains("`g`"));
    let ran = check(&folder, &["@/f.c", "@/f.spec", "--missing", "nondet"]);
    ran.expect(&[("p", "holds")]);
    assert!(ran.results["results"][0]["assumptions"].to_string().contains("`g` has no body"));
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn the_tutorial_of_the_thesis() {
    let Some(folder) = shared("tutorial") else { return };
    let wanted = [("abs_5", "holds"), ("abs_6", "holds"), ("abs_7", "violated"), ("abs_8", "violated")];
    check(&folder, &["@/my_proc.c+@/my_spec.spec"]).expect(&wanted);
    let wanted = [("abs_9", "holds"), ("abs_10", "holds"), ("abs_11", "violated"), ("abs_12", "violated")];
    check(&folder, &["@/my_proc.c", "@/my_conc.spec"]).expect(&wanted);
    for (spec, is_refined) in [
        ("@/proc_predicate.spec", false),
        ("@/proc_predicate_list.spec", false),
        ("@/proc_predicate_multi.spec", false),
        ("@/proc_nopredicate.spec", true),
    ] {
        let ran = check(&folder, &["@/proc_predicate.c", spec]);
        ran.expect(&[("abs_proc", "holds")]);
        assert_eq!(
            ran.figure("iterations") > 1,
            is_refined,
            "{spec}: supplied predicates spare the refinement"
        );
    }
}

#[test]
fn the_running_example_of_the_thesis() {
    let Some(folder) = shared("figures") else { return };
    for conformance in ["simulation", "trace"] {
        let how = ["--conformance", conformance];
        check(&folder, &[&["@/component.c", "@/component.spec"], &how[..]].concat())
            .expect(&[("sp", "holds")]);
        check(&folder, &[&["@/component.c", "@/component_invalid.spec"], &how[..]].concat())
            .expect(&[("sp_small", "violated")]);
    }
}

#[test]
fn the_surge_protector() {
    let Some(folder) = shared("surge") else { return };
    for size in ["n02", "n03"] {
        for (program, formula, verdict) in [
            ("surge_se", "phi_se", "holds"),
            ("surge_ks", "phi_s", "holds"),
            ("surge_se", "phi_e", "holds"),
            ("surge_se", "phi_e_until", "violated"),
            ("surge_se", "phi_se_bad", "violated"),
        ] {
            let files = format!("@/{size}/{program}.c+@/{size}/{program}.spec");
            let formula_file = format!("@/{size}/{formula}.seltl");
            check(&folder, &[&files, "--formula", &formula_file]).expect(&[(formula, verdict)]);
        }
    }
}

#[test]
fn dining_philosophers() {
    let Some(folder) = shared("dining") else { return };
    for size in ["n02", "n03"] {
        let file = |name: &str| format!("@/{size}/{name}");
        let with = [file("philosophers.c"), file("lock.c"), file("forks.c"), file("dining.spec")];
        let without = [file("philosophers_nolock.c"), file("forks.c"), file("dining_nolock.spec")];
        let with: Vec<&str> = with.iter().map(String::as_str).collect();
        let without: Vec<&str> = without.iter().map(String::as_str).collect();
        check(&folder, &with).expect(&[("safe", "holds")]);
        check(&folder, &[&with[..], &["--deadlock"]].concat()).expect(&[("deadlock", "holds")]);
        check(&folder, &without).expect(&[("safe", "violated")]);
        check(&folder, &[&without[..], &["--deadlock"]].concat()).expect(&[("deadlock", "violated")]);
    }
}

/// The server alone: the specification of the pair, asked of one component.
fn server_alone(folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join("ssl3.spec")).expect("the specification");
    let from = text.find("Ssl3 =").expect("the process");
    format!(
        "cprog server = ssl3_accept {{ abstract server, {{$1->state == (0x110|0x2000)}}, Ssl3; }}\n{}",
        &text[from..]
    )
}

#[test]
fn the_handshake_of_openssl() {
    let Some(folder) = shared("openssl") else { return };
    let flush = "cproc BIO_ctrl { abstract { flush, 1, Flush }; }\n\
                 Flush = ( return {$0 == -1} -> STOP | return {$0 == 1} -> STOP ).\n";
    let own = std::env::temp_dir().join(format!("concord-check-openssl-{}.spec", std::process::id()));
    let spec = own.to_string_lossy().into_owned();
    // Alone, the debug flush may return 0 where BIO_ctrl may return anything.
    std::fs::write(&own, server_alone(&folder)).expect("written");
    let arguments = ["@/ssl3_accept.c+@/server.spec", &spec, "--missing", "pure"];
    check(&folder, &arguments).expect(&[("server", "violated")]);
    // With the flush returning -1 on failure it conforms.
    std::fs::write(&own, format!("{}\n{flush}", server_alone(&folder))).expect("written");
    check(&folder, &arguments).expect(&[("server", "holds")]);
    // The pair, on a small property; the whole of Ssl3 takes a while and is a row of `bench/check`.
    let hellos = "cprog pair = ssl3_accept, ssl3_connect {
                      abstract hellos, {$1->state == 8464, $1->state == 12292}, Hellos;
                  }
                  Hellos = ( exch_client_hello -> Asked ), Asked = ( exch_server_hello -> Hellos ).\n";
    std::fs::write(&own, format!("{hellos}{flush}")).expect("written");
    let pair =
        ["@/ssl3_accept.c+@/server.spec", "@/ssl3_connect.c+@/client.spec", &spec, "--missing", "pure"];
    check(&folder, &pair).expect(&[("hellos", "holds")]);
    std::fs::remove_file(&own).expect("removed");
}
