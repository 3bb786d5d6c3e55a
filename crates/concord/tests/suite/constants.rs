//! Writes to what must not be changed are found however they are written: by name, through casts, aliases and functions
//! of the library. gcc's programs end with a signal there.

use std::path::Path;
use std::process::Command;

/// Programs and whether they write to a constant.
const PROGRAMS: [(&str, bool); 22] = [
    ("int main(void) { \"abc\"[0] = 1; }", true),
    ("int main(void) { *\"abc\" = 1; }", true),
    ("int main(void) { ((char *)\"abc\")[1] = 0; }", true),
    ("int main(void) { int i = 1; \"abc\"[i] = 3; }", true),
    ("int main(void) { \"abc\"[1]++; }", true),
    ("int main(void) { (&\"abc\")[0][1] = 3; }", true),
    ("static int f(void) { return 'x'; } int main(void) { \"abc\"[2] = f(); }", true),
    ("int main(int argc, char **argv) { (argc > 0 ? \"abc\" : \"d\")[0] = 1; }", true),
    ("#include <string.h>\nint main(void) { strcpy((char *)\"abc\", \"x\"); }", true),
    ("#include <string.h>\nint main(void) { memset((void *)\"abc\", 0, 2); }", true),
    ("#include <string.h>\nint main(void) { const char c[4] = \"a\"; strcpy((char *)c, \"x\"); }", true),
    (
        "#include <string.h>\nint main(void) { static const char c[4] = \"a\"; memcpy((char *)c, \"x\", 2); }",
        true,
    ),
    (
        "const int real = 1; extern int name __attribute__((alias(\"real\"))); int main(void) { name = 2; }",
        true,
    ),
    ("static const int c[2] = {1, 2}; int main(void) { ((int *)c)[1]++; }", true),
    ("static const struct { int a, b; } s = {1, 2}; int main(void) { *(int *)&s.b = 3; }", true),
    // Initialised, or no constants.
    (
        "int main(void) { const int c = 1; const int d[2] = {c, c + 1}; static const int e = 3; return d[1] - 2 + e - 3; }",
        false,
    ),
    ("int main(void) { char a[] = \"abc\"; a[0] = 1; char b[4] = {\"abc\"}; b[3] = 1; return a[3]; }", false),
    (
        "int main(void) { for (int i = 0; i < 3; i++) { const int c = i; const char s[] = \"ab\"; if (c != i || s[2]) return 1; } }",
        false,
    ),
    (
        "int main(void) { const int *p = (const int[]){1, 2}; const char *s = (const char[]){\"ab\"}; return p[1] - 2 + s[2]; }",
        false,
    ),
    (
        "struct s { const int a; int b; }; int main(void) { struct s s = {1, 2}; s.b = 3; return s.a - 1; }",
        false,
    ),
    (
        "#include <string.h>\nint main(void) { char c[4] = \"a\"; const char *p = c; strcpy((char *)p, \"xy\"); return c[2]; }",
        false,
    ),
    ("#include <string.h>\nint main(void) { memset((void *)\"abc\", 0, 0); }", false),
];

#[test]
fn writes_to_constants_are_found() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("constants");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    for (at, (text, is_written)) in PROGRAMS.into_iter().enumerate() {
        let file = directory.join(format!("{at}.c"));
        std::fs::write(&file, format!("{text}\n")).expect("it can be written");
        let ask = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_concord"));
            let output = command.args(arguments).arg(&file).output().expect("it runs");
            (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
        };
        let (status, words) =
            ask(&["verify", "--checks", "pointer", "--failures", "first", "--time-limit", "60s"]);
        assert_eq!(status, Some(i32::from(is_written)), "{text}: {words}");
        assert_eq!(words.contains("read-only"), is_written, "{text}: {words}");
        let (_, words) = ask(&["analyze"]);
        assert_eq!(words.contains("[read-only-write]"), is_written, "{text}: {words}");
    }
}
