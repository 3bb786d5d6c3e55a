//! Orders of evaluation that C leaves open: no claim rests on one of them.

use std::path::Path;
use std::process::Command;

/// Expected: 0 holds, 1 violated, 3 undecided.
const PROGRAMS: [(&str, i32); 22] = [
    // One order gives one result, another another.
    (
        "static int g; static int f(void) { return ++g; } static void p(int a, int b) { assert(a == 1 && b == 2); } int main(void) { p(f(), f()); }",
        3,
    ),
    ("static int g; static int f(void) { return ++g; } int main(void) { assert(f() - f() == -1); }", 3),
    (
        "static int g = 1; static int f(void) { g = 5; return 1; } int main(void) { int x = g + f(); assert(x == 2); }",
        3,
    ),
    (
        "static int g = 1; static int f(void) { g = 5; return 1; } int main(void) { g += f(); assert(g == 2); }",
        3,
    ),
    (
        "static int i, a[3]; static int f(void) { i = 2; return 7; } int main(void) { a[i] = f(); assert(a[0] == 7); }",
        3,
    ),
    (
        "static int next(int *p) { return (*p)++; } int main(void) { int n = 0; int d = next(&n) - next(&n); assert(d == -1); }",
        3,
    ),
    (
        "struct s { int n; }; static int take(struct s *s) { return s->n--; } int main(void) { struct s s = {5}; struct s *p = &s; int x = p->n + take(p); assert(x == 10); }",
        3,
    ),
    // Undefined.
    ("int main(void) { int y = 3; y += y *= 2; assert(y == 9); }", 3),
    ("int main(void) { int i = 0, a[3] = {0}; a[i] = i++; assert(a[0] == 0); }", 3),
    ("int main(void) { int i = 1; i = i++ + 1; assert(i == 2); }", 3),
    (
        "static int add(int a, int b) { return a + b; } int main(void) { int i = 1; int x = add(i++, i); assert(x == 3); }",
        3,
    ),
    (
        "struct s { int n; }; int main(void) { struct s s = {1}; struct s *p = &s; int x = p->n++ + p->n; assert(x == 3); }",
        3,
    ),
    // All orders agree.
    (
        "static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); } int main(void) { assert(f(6) == 8); }",
        0,
    ),
    (
        "static int calls; static int f(int n) { calls++; return n < 2 ? n : f(n - 1) + f(n - 2); } int main(void) { int x = f(5); assert(x == 5 && calls == 15); }",
        0,
    ),
    ("static int f(int n) { return n + 1; } int main(void) { int x = 1; x = f(x++); assert(x == 2); }", 0),
    ("int main(void) { int x = 1; x = (x++, x + 5); assert(x == 7); }", 0),
    (
        "int main(void) { int i = 0, a[3] = {1, 2, 3}, b[3]; int *p = a, *q = b; *q++ = *p++; b[1] = 0; i = i + 1; assert(b[0] == 1 && i == 1); }",
        0,
    ),
    ("static int g; static int f(void) { g = 4; return 1; } int main(void) { g = f(); assert(g == 1); }", 0),
    (
        "static int one, two; static int f(void) { return one++; } static int h(void) { return two++; } int main(void) { assert(f() + h() == 0); }",
        0,
    ),
    (
        "struct s { int n, m; }; int main(void) { struct s s = {1, 2}; struct s *p = &s; int x = p->n++ + p->m; assert(x == 3); }",
        0,
    ),
    (
        "extern void *malloc(unsigned long); static int *make(int n) { int *p = malloc(4); *p = n; return p; } static int sum(int *a, int *b) { return *a + *b; } int main(void) { assert(sum(make(1), make(2)) == 3); }",
        0,
    ),
    (
        "static int g = 1; static int f(void) { g = 5; return 1; } int main(void) { int x = g && f() ? g : 0; assert(x == 5); }",
        0,
    ),
];

#[test]
fn no_answer_rests_on_one_order() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("order");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    for (at, (text, status)) in PROGRAMS.into_iter().enumerate() {
        let file = directory.join(format!("{at}.c"));
        std::fs::write(&file, format!("#include <assert.h>\n{text}\n")).expect("it can be written");
        let output = Command::new(env!("CARGO_BIN_EXE_concord"))
            .args(["verify", &file.to_string_lossy(), "--time-limit", "60s"])
            .output()
            .expect("it runs");
        let words = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{text}: {words}");
    }
}
