//! Orders of evaluation that C leaves open: no claim rests on one of them.

use std::path::Path;
use std::process::Command;

/// Expected: 0 holds, 1 violated, 3 undecided.
const PROGRAMS: [(&str, i32); 61] = [
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
    // An operand writes an element, a member or what a pointer points to, and another reads it.
    (
        "static int f(int p, int q) { return p * 10 + q; } int main(void) { int a[3] = {1, 2, 3}, i = 2; assert(f(a[i], a[2] = 7) == 37); }",
        3,
    ),
    (
        "static int f(int p, int q) { return p * 10 + q; } int main(void) { int s = 5, *p = &s; assert(f(s, *p = 7) == 57); }",
        3,
    ),
    (
        "static int f(int p, int q) { return p * 10 + q; } int main(void) { int s = 5, *p = &s, *q = &s; assert(f(*q, *p = 7) == 57); }",
        3,
    ),
    (
        "struct P { int a, b; }; static int f(struct P p, struct P q) { return p.a * 10 + q.a; } int main(void) { struct P p = {5}; assert(f(p, (p.a = 7, p)) == 57); }",
        3,
    ),
    (
        "union U { int i; short s[2]; }; static int f(int p, int q) { return p * 10 + q; } int main(void) { union U u; u.i = 5; assert(f(u.i, u.s[0] = 7) == 57); }",
        3,
    ),
    ("int main(void) { int a[2] = {5, 6}; int r = a[0] * 10 + (a[0] = 7); assert(r == 57); }", 3),
    ("int main(void) { int a[2] = {3, 0}, *p = a, *q = a; *p = (*q)++; assert(a[0] == 3); }", 3),
    (
        "static int f(int p, int q) { return p * 10 + q; } int main(void) { int a[2] = {5, 6}; assert(f(a[0], ({ a[0] = 7; 1; })) == 51); }",
        3,
    ),
    (
        "#include <string.h>\nstatic int f(int p, void *q) { return p; } int main(void) { int a = 5; assert(f(a, memset(&a, 0, 4)) == 5); }",
        3,
    ),
    (
        "#include <stdio.h>\nint main(void) { char b[8]; int a[2] = {5, 6}; snprintf(b, 8, \"%d%d\", a[0], a[0] = 7); assert(b[0] == '5'); }",
        3,
    ),
    // A function writes through a pointer that leads to a variable that is read.
    (
        "static int x = 1; static int *p = &x; static int g(void) { *p = 7; return 1; } int main(void) { int r = x * 10 + g(); assert(r == 11); }",
        3,
    ),
    (
        "static int x = 1; static int g(void) { x = 7; return 1; } int main(void) { int *p = &x; int r = *p * 10 + g(); assert(r == 11); }",
        3,
    ),
    (
        "static int inc(int *p) { return ++*p; } int main(void) { int s = 1, *p = &s; int r = s * 10 + inc(p); assert(r == 12); }",
        3,
    ),
    // What is called through pointers writes.
    (
        "static int g; static int w(void) { g = 5; return 1; } static int (*p)(void) = w; int main(void) { int r = g + p(); assert(r == 1); }",
        3,
    ),
    (
        "static int g; static int w(int x) { g = x; return x; } int main(void) { int (*t[2])(int) = {w, w}; int r = t[0](1) + t[1](2); assert(r == 3 && g == 2); }",
        3,
    ),
    (
        "struct o { int (*f)(int *); }; static int up(int *x) { *x = 9; return 0; } static int two(int a, int b) { return a * 10 + b; } int main(void) { struct o o = {up}; int v = 1; int r = two(v, o.f(&v)); assert(r == 10); }",
        3,
    ),
    (
        "static int g; static void w(void) { g = 5; } static int call(void (*f)(void)) { f(); return 1; } int main(void) { int r = call(w) * 10 + g; assert(r == 15); }",
        3,
    ),
    (
        "static int g; struct s { void (*f)(void); }; static void w(void) { g = 5; } static int ap(struct s s) { s.f(); return 1; } int main(void) { struct s s = {w}; int r = g + ap(s); assert(r == 1); }",
        3,
    ),
    (
        "static int *to; static int w(void) { *to = 5; return 1; } static int (*p)(void) = w; int main(void) { int local = 0; to = &local; int r = local + p(); assert(r == 1); }",
        3,
    ),
    (
        "#include <stdlib.h>\nstatic int n; static int less(const void *a, const void *b) { n++; return *(const int *)a - *(const int *)b; } static int s(int *x) { qsort(x, 3, 4, less); return 0; } int main(void) { int x[3] = {3, 1, 2}; int r = n + s(x); assert(r == 0); }",
        3,
    ),
    (
        "#include <string.h>\nint main(void) { char b[4] = \"abc\"; char *(*copy)(char *, const char *) = strcpy; int r = (copy(b, \"xyz\") != 0) + b[0]; assert(r == 'x' + 1); }",
        3,
    ),
    // What is called changes while the arguments are computed.
    (
        "static int one(int x) { return x + 1; } static int two(int x) { return x + 2; } static int (*p)(int) = one; static int change(void) { p = two; return 0; } int main(void) { assert(p(change()) == 1); }",
        3,
    ),
    // Calls in a statement that is an operand.
    (
        "static int g; static int w(void) { g = 5; return 1; } int main(void) { int r = g + ({ w(); }); assert(r == 1); }",
        3,
    ),
    // What functions of the library share.
    (
        "#include <string.h>\nstatic char *first(char *a, char *b) { return a; } int main(void) { char b[] = \"x y\"; assert(first(strtok(b, \" \"), strtok(0, \" \"))); }",
        3,
    ),
    (
        "#include <stdio.h>\nstatic int two(int a, int b) { return a < 0 && b >= 0; } int main(void) { assert(!two(getchar(), getchar())); }",
        3,
    ),
    (
        "#include <errno.h>\n#include <stdlib.h>\nint main(void) { errno = 0; int r = errno + (strtol(\"99999999999999999999\", 0, 10) != 0); assert(r == 1); }",
        3,
    ),
    (
        "#include <errno.h>\nstatic int f(void) { errno = 3; return 1; } int main(void) { errno = 0; int r = f() + errno; assert(r == 4); }",
        3,
    ),
    // They are apart.
    (
        "extern int __VERIFIER_nondet_int(void); static int f(int p, int q) { return p * 10 + q; } int main(void) { int a[3] = {1, 2, 3}, i = __VERIFIER_nondet_int(); if (i < 0 || i > 1) return 0; assert(f(a[i], a[2] = 7) == (i ? 27 : 17)); }",
        0,
    ),
    (
        "static int f(int p, int q) { return p * 10 + q; } int main(void) { int s = 5, t = 6, *p = &s, *q = &t; assert(f(*q, *p = 7) == 67); }",
        0,
    ),
    (
        "struct l { struct l *n1, *n2; }; struct h { struct l *head, *tail; }; int main(void) { struct l a = {0}, b = {0}; struct h s = {&a, &b}, *h = &s; h->head->n2 = h->head->n1 = h->tail; assert(a.n2 == &b && a.n1 == &b); }",
        0,
    ),
    ("int main(void) { int a[2], b[2], i = 1; a[i] = b[i] = 3; assert(a[1] + b[1] == 6); }", 0),
    (
        "int main(void) { int a[2] = {3, 4}, *p = a, *q = a + 1; *p = (*q)++; assert(a[0] == 4 && a[1] == 5); }",
        0,
    ),
    (
        "static int next(int *n) { return ++*n; } int main(void) { int x = 5, n = 0, *p = &x; *p = 6; int r = x + next(&n); assert(r == 7); }",
        0,
    ),
    (
        "#define MAX(a, b) ({ int one = (a), two = (b); one > two ? one : two; })\nint main(void) { int x = 3, y = 4; int r = MAX(x, y) - MAX(y, x); assert(r == 0); }",
        0,
    ),
    (
        "#include <string.h>\nint main(void) { char b[8]; int n = 2; n = n + (int)strlen(strcpy(b, \"abc\")); assert(n == 5); }",
        0,
    ),
    (
        "struct s { int at; char text[4]; }; static int get(struct s *s) { return s->text[s->at++]; } int main(void) { struct s s = {0, \"ab\"}; char out[4]; int n = 0; out[n++] = get(&s); out[n++] = get(&s); assert(out[0] == 'a' && out[1] == 'b'); }",
        0,
    ),
    // All orders agree.
    (
        "typedef int (*op)(int, int); static int add(int a, int b) { return a + b; } static int mul(int a, int b) { return a * b; } static struct { op f; int k; } t[] = {{add, 1}, {mul, 2}}; int main(void) { int s = 0; for (int i = 0; i < 2; i++) s += t[i].f(i, t[i].k) + t[1 - i].f(2, 3); assert(s == 14); }",
        0,
    ),
    (
        "static int n; static int count(int x) { n++; return x; } int main(void) { int (*p)(int) = count; int r = p(1) + p(2); assert(r == 3 && n == 2); }",
        0,
    ),
    (
        "#include <errno.h>\n#include <stdlib.h>\nint main(void) { errno = abs(-3); int e = errno; long r = strtol(\"5\", 0, 10) + strtol(\"6\", 0, 10); assert(e == 3 && r == 11); }",
        0,
    ),
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
