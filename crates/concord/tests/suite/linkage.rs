//! Linkage, attributes, initialisers, identity of addresses and inline assembly: small programs with the
//! answers that are right, and what gcc's program does with them.
//!
//! A case begins with `=== name answers [gcc]`; its files are divided by `---`. `gcc` is what the program
//! does that gcc makes of the files without optimisation: `passes`, `fails` (an assertion, or a signal),
//! `unlinked` (gcc refuses them); nothing where it differs from machine to machine. HOLDS is never right for
//! a program that fails, nor VIOLATED for one that passes.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Case {
    pub name: String,
    pub right: Vec<String>,
    by_gcc: Option<String>,
    pub options: Vec<String>,
    files: Vec<String>,
}

fn cases() -> Vec<Case> {
    cases_of(include_str!("../linkage/cases.txt"))
}

pub fn cases_of(text: &str) -> Vec<Case> {
    let chunks = text.split("\n=== ").skip(1);
    chunks
        .map(|chunk| {
            let (head, body) = chunk.split_once('\n').expect("a case has a head and a body");
            let mut words = head.split_whitespace();
            let name = words.next().expect("a case has a name").to_owned();
            let right = words.next().expect("a case has answers").split('|').map(str::to_owned).collect();
            let by_gcc = words.next().filter(|&told| told != "-").map(str::to_owned);
            let options = words.map(str::to_owned).collect();
            let files = format!("\n{body}\n").split("\n---\n").map(str::to_owned).collect();
            Case { name, right, by_gcc, options, files }
        })
        .collect()
}

/// The files of a case, in a folder of that name.
pub fn written(case: &Case, folder: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    let files = case.files.iter().enumerate();
    files
        .map(|(index, text)| {
            let path = directory.join(format!("{}_{index}.c", case.name));
            std::fs::write(&path, text).expect("a file can be written");
            path
        })
        .collect()
}

pub fn answer(files: &[PathBuf], options: &[&str]) -> (&'static str, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_concord"))
        .arg("verify")
        .args(files)
        .args(["--time-limit", "60s"])
        .args(options)
        .output()
        .expect("it runs");
    let shown =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let answer = match output.status.code() {
        Some(0) => "holds",
        Some(1) => "violated",
        Some(3) => "undecided",
        Some(4) => "bad-input",
        _ => "crashed",
    };
    (answer, shown)
}

#[test]
fn answers_are_right() {
    let mut wrong = String::new();
    let cases = cases();
    for case in &cases {
        let (answer, shown) = answer(&written(case, "linkage"), &[]);
        if !case.right.iter().any(|right| right == answer) {
            writeln!(wrong, "{}: {answer}, not {}\n{shown}", case.name, case.right.join(" or "))
                .expect("a string");
        }
    }
    assert!(cases.len() > 150, "only {} cases", cases.len());
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn gcc_agrees_with_the_expectations() {
    if !testkit::compiler::is_there("gcc", "the expectations are not compared with it") {
        return;
    }
    compared_with_gcc(&cases(), "linkage", &[]);
}

/// What gcc makes of the cases, together with more files, does what is expected.
pub fn compared_with_gcc(cases: &[Case], folder: &str, more: &[PathBuf]) {
    let mut wrong = String::new();
    for case in cases {
        let Some(expected) = &case.by_gcc else { continue };
        let files = written(case, folder);
        let program = files[0].with_extension("out");
        let built = Command::new("gcc")
            .args(["-w", "-O0", "-pthread", "-o"])
            .arg(&program)
            .args(&files)
            .args(more)
            .stderr(Stdio::null())
            .status()
            .expect("gcc runs");
        let seen = if !built.success() {
            "unlinked"
        } else {
            let ended =
                Command::new(&program).stdout(Stdio::null()).stderr(Stdio::null()).status().expect("it runs");
            if ended.success() { "passes" } else { "fails" }
        };
        let contradicts = match seen {
            "passes" => case.right == ["violated"],
            "fails" => case.right.iter().any(|right| right == "holds"),
            _ => false,
        };
        if seen != expected || contradicts {
            writeln!(wrong, "{}: gcc's program {seen}; expected: {expected}", case.name).expect("a string");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Numbers that look drawn and are the same each time.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn one_of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn number(&mut self) -> String {
        let value = self.below(90) + 1;
        if self.below(5) == 0 { format!("count({value})") } else { value.to_string() }
    }

    fn pair(&mut self) -> String {
        let (a, b) = (self.number(), self.number());
        match self.below(7) {
            0 => "x".to_owned(),
            1 => format!("made({a})"),
            2 => format!("(struct S){{{a}, {b}}}"),
            3 => format!("{{{a}}}"),
            4 => format!("{{.b = {a}}}"),
            _ => format!("{{{a}, {b}}}"),
        }
    }

    /// An entry of the initialiser of a `struct T`.
    fn entry(&mut self) -> String {
        let (index, low) = (self.below(3), self.below(2));
        match self.below(13) {
            0 => format!(".s = {}", self.pair()),
            1 => format!(".s.{} = {}", self.one_of(&["a", "b"]), self.number()),
            2 => format!(".c = {}", self.number()),
            3 => format!(".e[{index}] = {}", self.pair()),
            4 => format!(".e[{index}].{} = {}", self.one_of(&["a", "b"]), self.number()),
            5 => format!(".e[{low} ... 2] = {}", self.pair()),
            6 => format!(".e[{low} ... 2].b = {}", self.number()),
            7 => format!(".t = {}", self.one_of(&["\"ab\"", "{\"xyz\"}", "{1, 2}", "\"\""])),
            8 => format!(".t[{index}] = {}", self.below(100)),
            9 => format!(".u.s = {}", self.pair()),
            10 => {
                format!(".u.{} = {}", self.one_of(&["s.a", "s.b", "i[0]", "i[1]", "c[3]"]), self.below(100))
            }
            11 => self.one_of(&[".u = uv", ".u = {.i = {4, 5}}", ".u = {{6}}"]).to_owned(),
            _ => format!(".e = {{{}, [1].b = {}}}", self.pair(), self.number()),
        }
    }
}

/// Initialisers whose later entries override earlier ones, whole values by parts among them: what gcc makes
/// of them, the interpreter does too.
#[test]
fn drawn_initialisers_are_gccs() {
    let mut program = String::from(
        "#include <stdio.h>\nstruct S { int a, b; }; union U { int i[2]; struct S s; signed char c[8]; };\n\
         struct T { struct S s; int c; struct S e[3]; char t[4]; union U u; };\nint counted;\n\
         int count(int n) { counted += n; return n; }\nstruct S made(int n) { counted += 1000; return (struct S){n, n + 1}; }\n\
         void show(int number, struct T *t) {\n  printf(\"%d: %d %d %d\", number, t->s.a, t->s.b, t->c);\n\
           for (int i = 0; i < 3; i++) printf(\" %d %d\", t->e[i].a, t->e[i].b);\n\
           for (int i = 0; i < 4; i++) printf(\" %d\", t->t[i]);\n\
           printf(\" %d %d counted %d\\n\", t->u.i[0], t->u.i[1], counted);\n}\n",
    );
    let mut drawn = Drawn(14);
    let (mut calls, many) = (String::new(), 400);
    for number in 0..many {
        let entries: Vec<String> = (0..1 + drawn.below(6)).map(|_| drawn.entry()).collect();
        let list = entries.join(", ");
        writeln!(
            program,
            "void f{number}(void) {{ struct S x = {{1, 2}}; union U uv = {{.s = {{3, 4}}}}; struct T t = {{{list}}}; \
             show({number}, &t); (void)x; (void)uv; }}"
        )
        .expect("a string");
        write!(calls, "f{number}(); ").expect("a string");
    }
    writeln!(program, "int main(void) {{ {calls}return 0; }}").expect("a string");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("linkage");
    std::fs::create_dir_all(&directory).expect("the scratch directory can be made");
    let file = directory.join("drawn_initialisers.c");
    std::fs::write(&file, &program).expect("a file can be written");
    let compiled = file.with_extension("out");
    let built = Command::new("gcc").args(["-w", "-O0", "-o"]).arg(&compiled).arg(&file).status();
    if !built.is_ok_and(|status| status.success()) {
        testkit::absent::left_out("no gcc", "drawn initialisers are not compared with it");
        return;
    }
    let by_gcc = Command::new(&compiled).output().expect("it runs").stdout;
    let ours = Command::new(env!("CARGO_BIN_EXE_concord")).arg("run").arg(&file).output().expect("it runs");
    let (by_gcc, seen) = (String::from_utf8_lossy(&by_gcc), String::from_utf8_lossy(&ours.stdout));
    assert_eq!(by_gcc.lines().count(), many);
    for (number, line) in by_gcc.lines().enumerate() {
        let source = program.lines().find(|text| text.starts_with(&format!("void f{number}("))).unwrap_or("");
        assert_eq!(
            seen.lines().nth(number),
            Some(line),
            "{source}\n{}",
            String::from_utf8_lossy(&ours.stderr)
        );
    }
}
