//! What gcc does of its own accord, also without optimisation: nothing is claimed about runs on which it tells.

use std::path::Path;
use std::process::Command;

/// Expected: 0 holds, 1 violated, 3 undecided.
const PROGRAMS: [(&str, i32); 14] = [
    // gcc computes these calls itself, and the assertions hold.
    ("int abs(int x) { return 1; } int main(void) { assert(abs(-3) == 3); }", 3),
    (
        "static double fabs(double x) { return 1; } int main(void) { volatile double d = -3; assert(fabs(d) == 3); }",
        3,
    ),
    ("unsigned long strlen(const char *s) { return 7; } int main(void) { assert(strlen(\"abc\") == 3); }", 3),
    (
        "char *strcpy(char *to, const char *from) { return to; } int main(void) { char b[4] = \"\"; strcpy(b, \"abc\"); assert(b[0] == 'a'); }",
        3,
    ),
    // It calls what the program defines.
    (
        "unsigned long strlen(const char *s) { unsigned long n = 0; while (s[n]) n++; return n; } int main(void) { char b[] = \"abc\"; assert(strlen(b) == 3); }",
        0,
    ),
    (
        "unsigned long strlen(const char *s) { return 7; } int main(void) { char b[] = \"abc\"; assert(strlen(b) == 3); }",
        1,
    ),
    // One call is made of two, or none.
    (
        "static int n; __attribute__((const)) static int f(int x) { n++; return x; } int main(void) { int a = f(1) + f(1); assert(a == 2 && n == 2); }",
        3,
    ),
    (
        "static int n; static void up(void) { n++; } __attribute__((pure)) static int f(int x) { up(); return x; } int main(void) { int a = f(1); assert(a == 1 && n == 1); }",
        3,
    ),
    (
        "static int n = 2; __attribute__((pure)) static int f(int x) { int a[2] = {x, n}; return a[0] + a[1]; } int main(void) { int a = f(1); assert(a == 3); }",
        0,
    ),
    // Options in the text.
    (
        "#pragma GCC optimize(\"fast-math\")\nint main(void) { volatile double x = 0; double n = x / x; assert(n != n); }",
        3,
    ),
    (
        "#pragma GCC optimize(\"Ofast\")\nint main(void) { volatile double x = 0; double n = x / x; assert(n != n); }",
        3,
    ),
    (
        "__attribute__((optimize(\"trapv\"))) static int f(int x) { return x + 1; } int main(void) { volatile int x = 1; assert(f(x) == 2); }",
        3,
    ),
    (
        "#pragma GCC optimize(\"O2\", \"unroll-loops\")\nint main(void) { volatile double x = 0; double n = x / x; assert(n != n); }",
        0,
    ),
    (
        "__attribute__((optimize(\"O0\"), noinline)) static int f(int x) { return x + 1; } int main(void) { volatile int x = 1; assert(f(x) == 2); }",
        0,
    ),
];

#[test]
fn nothing_is_claimed_where_the_compiler_decides() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compilers");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    for (at, (text, status)) in PROGRAMS.into_iter().enumerate() {
        let file = directory.join(format!("{at}.c"));
        std::fs::write(&file, format!("#include <assert.h>\n{text}\n")).expect("it can be written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_concord"));
        let output =
            command.arg("verify").arg(&file).args(["--time-limit", "60s"]).output().expect("it runs");
        let words = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(status), "{text}: {words}");
    }
}
