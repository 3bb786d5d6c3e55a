//! Harnesses against gcc: for every kind of violation one small program or more whose harness, compiled by
//! the command in its header, fails; or that has none, for a reason that is told. The tables of
//! `evidence::seen` and `evidence::kept` are tested here.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What becomes of a harness.
#[derive(Clone, Copy, Debug)]
enum Harness {
    /// It is written, compiles, and its run fails.
    Fails,
    /// It is not written; the warning has these words.
    Refused(&'static str),
}
use Harness::{Fails, Refused};

const LEFT_OUT: Harness = Refused("gcc may leave this");

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("harness");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    directory.join(name)
}

fn has_compiler() -> bool {
    testkit::compiler::is_there("cc", "harnesses are not compiled")
}

/// Each row is a name, what becomes of its harness, and a program.
fn try_all(group: &str, rows: &[(&str, Harness, &str)]) {
    if !has_compiler() {
        return;
    }
    let mut wrong = Vec::new();
    for (name, expected, source) in rows {
        if let Err(why) = try_one(&format!("{group}_{name}"), *expected, source) {
            wrong.push(format!("{name}: {why}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn try_one(name: &str, expected: Harness, source: &str) -> Result<(), String> {
    let (program, harness) = (scratch(&format!("{name}.c")), scratch(&format!("{name}_run.c")));
    let _ = std::fs::remove_file(&harness);
    std::fs::write(&program, source).expect("it is written");
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("verify")
        .arg(&program)
        .args(["--checks", "all", "--failures", "first", "--time-limit", "60s", "--harness"])
        .arg(&harness)
        .output()
        .expect("it runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() != Some(1) {
        return Err(format!("no violation is found: {}", String::from_utf8_lossy(&output.stdout)));
    }
    let words = match (expected, harness.exists()) {
        (Refused(words), false) if told.contains(words) => return Ok(()),
        (Refused(words), false) => return Err(format!("`{words}` is not in: {told}")),
        (Refused(_), true) => "a harness is written",
        (Fails, false) => return Err(format!("no harness is written: {told}")),
        (Fails, true) => "the harness does not fail",
    };
    let fails = compiled_run_fails(name, &program, &harness)?;
    if matches!(expected, Fails) && fails {
        Ok(())
    } else {
        Err(format!("{words} (does its run fail? {fails})"))
    }
}

fn compiled_run_fails(name: &str, program: &Path, harness: &Path) -> Result<bool, String> {
    let binary = scratch(&format!("{name}.out"));
    let written = std::fs::read_to_string(harness).expect("it was written");
    let line = written.lines().nth(1).expect("the harness says how it is compiled");
    let options = line.split_whitespace().filter(|word| word.starts_with('-'));
    let compiled = Command::new("cc").args(options).arg("-o").arg(&binary).arg(program).arg(harness).output();
    let compiled = compiled.expect("cc runs");
    if !compiled.status.success() {
        return Err(format!("it does not compile: {}", String::from_utf8_lossy(&compiled.stderr)));
    }
    let run = Command::new(&binary).stdin(std::process::Stdio::null()).output().expect("it runs");
    Ok(!run.status.success())
}

#[test]
fn arithmetic() {
    try_all(
        "arithmetic",
        &[
            ("sum", Fails, "int main(void) { int x = 2147483647; x = x + 1; return 0; }"),
            ("solved", Fails, "int main(void) { int x = 2147483647; int y = x + 1 > 5; return 0; }"),
            (
                "compared",
                Fails,
                "int main(void) { int x = 2147483647, y = 1; if (x + 1 == y + 1) y = 0; return 0; }",
            ),
            ("negated", Fails, "int main(void) { int x = -2147483647 - 1; x = -x; return 0; }"),
            ("wide", Fails, "int main(void) { __int128 x = (__int128)1 << 126; x = x + x; return 0; }"),
            ("increment", Fails, "int main(void) { int x = 2147483647; x++; return 0; }"),
            (
                "absolute",
                Fails,
                "#include <stdlib.h>\nint main(void) { int x = -2147483647 - 1; return abs(x) == 3; }",
            ),
            ("constant", LEFT_OUT, "int main(void) { int x = 2147483647 + 1; return x > 0; }"),
            ("unused", LEFT_OUT, "int main(void) { int x = 2147483647; x + 1; return 0; }"),
            ("times_zero", LEFT_OUT, "int main(void) { int x = 2147483647; return 0 * (x + 1); }"),
            (
                "cut",
                LEFT_OUT,
                "int main(void) { int x = 2147483647; unsigned char c = (unsigned char)(x * 2); return 0; }",
            ),
            ("taken_back", LEFT_OUT, "int main(void) { int x = 2147483647; int y = x + 1 - 1; return 0; }"),
            (
                "itself",
                LEFT_OUT,
                "int main(void) { int x = 2147483647; int y = (x + 1) < (x + 1); return 0; }",
            ),
            ("by_zero", Fails, "int main(void) { int x = 0; return 1 / x == 3; }"),
            ("by_zero_unused", Fails, "int main(void) { int x = 0; 1 / x; return 0; }"),
            ("by_zero_constant", Fails, "int main(void) { int x = 1 / 0; return 0; }"),
            ("by_minus_one", Fails, "int main(void) { int x = -2147483647 - 1, y = -1; return x % y; }"),
            ("div", Fails, "#include <stdlib.h>\nint main(void) { int z = 0; return div(3, z).quot == 3; }"),
            ("shift", Fails, "int main(void) { int n = 40; int x = 1; return x << n == 3; }"),
            ("shift_unused", Fails, "int main(void) { int n = -1; 1 >> n; return 0; }"),
            ("unreachable", Fails, "int main(void) { __builtin_unreachable(); return 0; }"),
            (
                "noreturn",
                Refused("returns from functions"),
                "__attribute__((noreturn)) void f(int x) { if (x) return; for (;;); } int main(void) { f(1); return 0; }",
            ),
        ],
    );
}

#[test]
fn memory() {
    try_all(
        "memory",
        &[
            ("index", Fails, "int a[4]; int main(void) { int i = 4; a[i] = 1; return 0; }"),
            ("index_times_zero", LEFT_OUT, "int a[2]; int main(void) { int i = 5; return 0 * a[i]; }"),
            ("index_before", Fails, "int a[4]; int main(void) { int i = -1; return a[i] == 7; }"),
            (
                "index_inside",
                Fails,
                "struct s { int a[4]; int b; } t; int main(void) { struct s *p = &t; int i = 4; p->a[i] = 1; return 0; }",
            ),
            ("global_past", Fails, "int a[4]; int main(void) { int *p = a; p[4] = 0; return 0; }"),
            (
                "global_before",
                Refused("guards no bytes before"),
                "int a[4]; int main(void) { int *p = a; return p[-1] == 7; }",
            ),
            (
                "global_beyond",
                Refused("only sure to guard 32"),
                "int a[4], b[40]; int main(void) { int *p = a; p[20] = 1; return 0; }",
            ),
            ("literal_past", Fails, "int main(void) { const char *p = \"abc\"; return p[4] == 7; }"),
            ("local_past", Fails, "int main(void) { int a[4] = {0}; int *p = a; p[4] = 0; return 0; }"),
            ("local_before", Fails, "int main(void) { int a[4] = {0}; int *p = a; return p[-1] == 7; }"),
            ("local_small", Fails, "int main(void) { int x = 0; int *p = &x; p[3] = 0; return 0; }"),
            (
                "local_beyond",
                Refused("only sure to guard 16"),
                "int main(void) { int a[4] = {0}, b[4] = {0}; int *p = a, *q = b; p[8] = 0; return *q; }",
            ),
            (
                "local_far",
                Fails,
                "int main(void) { int a[4] = {0}; int *p = a; p[-2000000000] = 0; return 0; }",
            ),
            (
                "stack_block",
                Fails,
                "#include <alloca.h>\nint main(void) { int *p = alloca(8); p[2] = 0; return 0; }",
            ),
            (
                "run_time_array",
                Fails,
                "int main(void) { int n = 3; int a[n]; int *p = a; p[3] = 0; return 0; }",
            ),
            (
                "thread_local",
                Refused("thread-local"),
                "_Thread_local int a[4]; int main(void) { int *p = a; p[4] = 0; return 0; }",
            ),
            (
                "block_past",
                Fails,
                "#include <stdlib.h>\nint main(void) { char *p = malloc(10); p[10] = 1; free(p); return 0; }",
            ),
            (
                "block_of_nothing",
                Refused("a block of no bytes"),
                "#include <stdlib.h>\nint main(void) { char *p = malloc(0); p[0] = 1; free(p); return 0; }",
            ),
            (
                "block_of_nothing_wide",
                Fails,
                "#include <stdlib.h>\nint main(void) { int *p = malloc(0); p[0] = 1; free(p); return 0; }",
            ),
            (
                "block_of_nothing_past",
                Fails,
                "#include <stdlib.h>\nint main(void) { char *p = malloc(0); p[1] = 1; free(p); return 0; }",
            ),
            (
                "block_before",
                Fails,
                "#include <stdlib.h>\nint main(void) { char *p = malloc(10); char c = p[-1]; free(p); return 0; }",
            ),
            (
                "block_alone",
                Fails,
                "#include <stdlib.h>\nint main(void) { char *p = malloc(10); p[1000] = 1; free(p); return 0; }",
            ),
            (
                "block_of_two",
                Refused("only sure to guard 16"),
                "#include <stdlib.h>\nint main(void) { char *p = malloc(10), *q = malloc(10); p[32] = 1; free(p); free(q); return 0; }",
            ),
            ("null", Fails, "struct s { int a, b; }; int main(void) { struct s *p = 0; return p->b == 7; }"),
            ("null_far", Fails, "int main(void) { int *p = 0; return p[1000000] == 7; }"),
            ("null_call", Fails, "int main(void) { void (*f)(void) = 0; f(); return 0; }"),
            ("wild", Fails, "int main(void) { int *p = (int *)0x12345678; return *p == 7; }"),
            (
                "wild_high",
                Refused("may have something at the address"),
                "int main(void) { int *p = (int *)0x7f0012345678; return *p == 7; }",
            ),
            (
                "freed",
                Fails,
                "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 0; free(p); return *p == 7; }",
            ),
            (
                "freed_twice",
                Fails,
                "#include <stdlib.h>\nint main(void) { int *p = malloc(4); free(p); free(p); return 0; }",
            ),
            (
                "freed_inside",
                Fails,
                "#include <stdlib.h>\nint main(void) { char *p = malloc(4); free(p + 1); return 0; }",
            ),
            (
                "freed_local",
                Fails,
                "#include <stdlib.h>\nint main(void) { int x; int *p = &x; free(p); return 0; }",
            ),
            ("left", Fails, "int main(void) { int *p; { int x = 1; p = &x; } return *p == 7; }"),
            (
                "returned",
                Fails,
                "int *f(void) { int x = 1; int *p = &x; return p; } int main(void) { return *f() == 7; }",
            ),
            (
                "returned_parameter",
                Fails,
                "int *f(int x) { int *p = &x; return p; } int main(void) { return *f(1) == 7; }",
            ),
            (
                "returned_literal",
                Fails,
                "int *f(void) { return &(int){5}; } int main(void) { return *f() == 7; }",
            ),
            (
                "returned_large",
                Refused("frames of this size"),
                "int *f(void) { int x[40000]; x[0] = 0; int *p = x; return p; } int main(void) { return f()[0]; }",
            ),
            (
                "returned_block",
                Refused("blocks on the stack"),
                "#include <alloca.h>\nint *f(void) { int *p = alloca(8); *p = 0; return p; } int main(void) { return *f(); }",
            ),
            (
                "earlier_round",
                Refused("alive again"),
                "int main(void) { int *p = 0, r = 0; for (int i = 0; i < 2; i++) { int x = i; if (p) r = *p; p = &x; } return 0; }",
            ),
            ("constant", Fails, "const int g = 4; int main(void) { *(int *)&g = 5; return 0; }"),
            ("literal", Fails, "int main(void) { char *p = \"abc\"; p[0] = 'x'; return 0; }"),
            (
                "constant_local",
                Refused("constants on the stack"),
                "int main(void) { const int x = 1; *(int *)&x = 2; return 0; }",
            ),
            (
                "no_function",
                Fails,
                "int g; int main(void) { void (*f)(void) = (void (*)(void))&g; f(); return 0; }",
            ),
            (
                "wrong_type",
                Refused("compare calls"),
                "int f(int x) { return 0; } int main(void) { int (*g)(int, int) = (int (*)(int, int))f; return g(1, 2); }",
            ),
            (
                "too_few",
                Refused("compare calls"),
                "int f(); int main(void) { f(1); return 0; } int f(int a, int b) { return a; }",
            ),
            (
                "code",
                Refused("no data of the program"),
                "int main(void) { char *p = (char *)main; return *p == 7; }",
            ),
            (
                "onto_itself",
                Refused("overlap"),
                "struct s { int a[8]; }; union { struct s s; struct { int x; struct s t; } u; } g; int main(void) { g.u.t = g.s; return 0; }",
            ),
            (
                "unwritten",
                Refused("never written"),
                "int main(void) { int a[3]; int *p = a; return p[1] == 7; }",
            ),
        ],
    );
}

/// What gcc leaves out, and what it does not.
#[test]
fn values_that_nothing_depends_on() {
    const KEPT: [&str; 14] = [
        "x = *p;",
        "x = *p + 1;",
        "x = *p == 3;",
        "if (*p) x = 1;",
        "x = *p < 10;",
        "f(*p);",
        "x = p[*p];",
        "x = *p ? 1 : 2;",
        "x = *p * 3;",
        "x = *p & 1;",
        "x = *p / 2;",
        "x = *p + *p;",
        "x = p[x] == p[x + 1];",
        "*(volatile int *)p;",
    ];
    const DROPPED: [&str; 22] = [
        "*p;",
        "(void)*p;",
        "(long)*p;",
        "x = (*p, 0);",
        "x = 0 * *p;",
        "x = *p & 0;",
        "x = *p | -1;",
        "x = *p - *p;",
        "x = *p == *p;",
        "x = *p ^ *p;",
        "x = *p + 1 - *p;",
        "x = (*p & 1) == 2;",
        "x = (*p | 1) == 0;",
        "x = (*p < 5) + 2 == 7;",
        "x = (_Bool)*p > 1;",
        "x = (unsigned char)*p > 255;",
        "x = *p ? 1 : 1;",
        "x = *p && 0;",
        "if (*p || 1) x = 1;",
        "while (*p && 0);",
        "x = ({ *p; 0; });",
        "x = *p > 2147483647;",
    ];
    let whole = |statement: &str| {
        format!(
            "#include <stdlib.h>\nstatic int x; static void f(int y) {{ x = y; }}\n\
             int main(void) {{ int *p = malloc(16); *p = 0; f(1); free(p); {statement} return 0; }}\n"
        )
    };
    let programs: Vec<(String, Harness, String)> = { KEPT.iter().map(|text| (text, Fails)) }
        .chain(DROPPED.iter().map(|text| (text, LEFT_OUT)))
        .enumerate()
        .map(|(number, (statement, expected))| (format!("{number}"), expected, whole(statement)))
        .collect();
    let rows: Vec<(&str, Harness, &str)> =
        programs.iter().map(|(name, expected, source)| (&**name, *expected, &**source)).collect();
    try_all("value", &rows);
}

#[test]
fn library() {
    let freed = |call: &str| {
        format!(
            "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\nlong sink;\n\
             int main(void) {{ char big[100] = \"abcdefgh\"; char *p = malloc(8); strcpy(p, \"abc\"); free(p); {call}; return 0; }}\n"
        )
    };
    let unseen = Refused("gcc's sanitizers do not look for what");
    let calls = [
        ("memcpy", Fails, "memcpy(big, p, 4)"),
        ("memcmp", Fails, "sink = memcmp(big, p, 4)"),
        ("memcmp_unused", Refused("gcc leaves the call of `memcmp` out"), "memcmp(big, p, 4)"),
        ("strlen", Fails, "sink = strlen(p)"),
        ("strlen_unused", Refused("gcc leaves the call of `strlen` out"), "strlen(p)"),
        ("strcat", Fails, "strcat(big, p)"),
        ("strchr", Fails, "sink = strchr(p, 'q') == 0"),
        ("strdup", Fails, "free(strdup(p))"),
        ("atoi", Fails, "sink = atoi(p)"),
        ("puts", Fails, "puts(p)"),
        ("printf", Fails, "printf(\"%s\", p)"),
        ("sprintf", Fails, "sprintf(p, \"%d\", 5)"),
        ("snprintf", Fails, "snprintf(p, 8, \"%d\", 5)"),
        ("write", Fails, "write(1, p, 4)"),
        ("stpcpy", unseen, "stpcpy(big, p)"),
        ("strtok_r", unseen, "strtok_r(p, \",\", (char **)big)"),
        ("strtoul", unseen, "sink = strtoul(p, 0, 10)"),
        ("perror", unseen, "perror(p)"),
        ("remove", unseen, "remove(p)"),
        ("null_printf", unseen, "p = 0; printf(\"%s\", p)"),
        ("null_strlen", Fails, "p = 0; sink = strlen(p)"),
        ("short", Fails, "char two[2] = \"a\"; strcpy(two, big)"),
        ("short_copy", Fails, "char two[2]; memcpy(two, big, 4)"),
        ("checked", Fails, "char two[4]; __builtin___memcpy_chk(two, big, 8, __builtin_object_size(two, 0))"),
        ("overlap", Fails, "memcpy(big + 1, big, 4)"),
        ("overlap_strcpy", Fails, "strcpy(big + 1, big)"),
        ("overlap_sprintf", Refused("overlap"), "sprintf(big, \"%s%s\", big, \"x\")"),
        ("missing_argument", Refused("formats"), "printf(\"%d %d\\n\", 1)"),
        ("other_argument", Refused("formats"), "printf(\"%ld\\n\", 3)"),
        (
            "closed",
            Refused("does not accept"),
            "FILE *f = fopen(\"/dev/null\", \"w\"); if (!f) return 0; fclose(f); fputs(\"a\", f)",
        ),
    ];
    let programs: Vec<(&str, Harness, String)> =
        calls.iter().map(|(name, expected, call)| (*name, *expected, freed(call))).collect();
    let mut rows: Vec<(&str, Harness, &str)> =
        programs.iter().map(|(name, expected, source)| (*name, *expected, &**source)).collect();
    rows.extend([
        ("fgets", Fails, "#include <stdio.h>\nint main(void) { char b[4]; if (fgets(b, 8, stdin)) puts(b); return 0; }"),
        (
            "mutex",
            Refused("threads only"),
            "#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int main(void) { pthread_mutex_unlock(&m); return 0; }",
        ),
        (
            "too_many",
            Refused("variable arguments"),
            "#include <stdarg.h>\nint f(int n, ...) { va_list a; va_start(a, n); int s = 0; for (int i = 0; i < n; i++) s = va_arg(a, int); va_end(a); return 0; } int main(void) { return f(3, 1, 2); }",
        ),
        (
            "other_type",
            Refused("variable arguments"),
            "#include <stdarg.h>\ndouble f(int n, ...) { va_list a; va_start(a, n); double s = va_arg(a, double); va_end(a); return s; } int main(void) { f(1, 1); return 0; }",
        ),
    ]);
    try_all("library", &rows);
}

#[test]
fn leaks() {
    try_all(
        "leak",
        &[
            ("local", Fails, "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; return 0; }"),
            (
                "global",
                Fails,
                "#include <stdlib.h>\nint *p; int main(void) { p = malloc(4); *p = 1; return 0; }",
            ),
            (
                "printing",
                Fails,
                "#include <stdio.h>\n#include <string.h>\nchar *g; int main(void) { g = strdup(\"a\"); puts(g); return 0; }",
            ),
            ("exit", Fails, "#include <stdlib.h>\nint main(void) { int *p = malloc(4); *p = 1; exit(0); }"),
            (
                "exit_now",
                Refused("_exit"),
                "#include <stdlib.h>\n#include <unistd.h>\nint main(void) { int *p = malloc(4); *p = 1; _exit(0); }",
            ),
        ],
    );
}

/// Assertions of other tools, functions that nobody declares, values of every width.
#[test]
fn assertions_and_inputs() {
    try_all(
        "words",
        &[
            (
                "cprover",
                Fails,
                "extern int nondet_int(void); void __CPROVER_assume(int); void __CPROVER_assert(int, const char *); int main(void) { int x = nondet_int(); __CPROVER_assume(x > 0); __CPROVER_assert(x != 100, \"no\"); }",
            ),
            (
                "esbmc",
                Fails,
                "int nondet_int(); int main(void) { int x = nondet_int(); __ESBMC_assume(x > 0); __ESBMC_assert(x < 100, \"no\"); }",
            ),
            (
                "bool",
                Fails,
                "void __CPROVER_assert(_Bool, const char *); int nondet_int(void); int main(void) { __CPROVER_assert(nondet_int() != 256, \"no\"); }",
            ),
            (
                "undeclared_assert",
                Fails,
                "int nondet_int(); int main(void) { assert(nondet_int() != 9); return 0; }",
            ),
            (
                "verifier",
                Fails,
                "void __VERIFIER_assert(int); int nondet_int(void); int main(void) { __VERIFIER_assert(nondet_int() != 9); return 0; }",
            ),
            (
                "klee",
                Fails,
                "void klee_assert(int); int nondet_int(void); int main(void) { klee_assert(nondet_int() != 9); return 0; }",
            ),
            (
                "undeclared_error",
                Fails,
                "void check(int c) { if (!c) { ERROR: { reach_error(); } } } int main(void) { check(0); return 0; }",
            ),
            (
                "wide",
                Fails,
                "#include <assert.h>\nextern __int128 __VERIFIER_nondet_int128(void); int main(void) { assert(__VERIFIER_nondet_int128() != ((__int128)1 << 100)); }",
            ),
            (
                "float",
                Fails,
                "#include <assert.h>\nextern float __VERIFIER_nondet_float(void); int main(void) { assert(__VERIFIER_nondet_float() != 2.5f); }",
            ),
            (
                "double",
                Fails,
                "#include <assert.h>\nextern double __VERIFIER_nondet_double(void); int main(void) { assert(__VERIFIER_nondet_double() != 2.5); }",
            ),
            (
                "char",
                Fails,
                "#include <assert.h>\nextern char __VERIFIER_nondet_char(void); int main(void) { assert(__VERIFIER_nondet_char() != -5); }",
            ),
            (
                "bool_input",
                Fails,
                "#include <assert.h>\nextern _Bool __VERIFIER_nondet_bool(void); int main(void) { assert(!__VERIFIER_nondet_bool()); }",
            ),
            (
                "inline",
                Refused("does not link `f`"),
                "#include <assert.h>\ninline int f(void) { return 1; } int main(void) { assert(f() == 2); }",
            ),
        ],
    );
}

/// Without a text of its own, an assertion is shown as the program writes it.
#[test]
fn an_assertion_of_another_tool_is_shown_with_its_condition() {
    let program = scratch("shown.c");
    let source = "int nondet_int(void); void __CPROVER_assert(int, const char *);\nint main(void) { __CPROVER_assert(nondet_int() != 100, \"no\"); }\n";
    std::fs::write(&program, source).expect("it is written");
    let output =
        Command::new(env!("CARGO_BIN_EXE_concord")).arg("verify").arg(&program).output().expect("it runs");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        told.contains("VIOLATED: assertion `__CPROVER_assert(nondet_int() != 100, \"no\")` fails"),
        "{told}"
    );
}
