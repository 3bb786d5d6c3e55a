//! Random edits of random projects: what `prove` answers with its memory is what it answers without. A few in the normal run, 500 in the deep one.

use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Numbers from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn one_of<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        let at = self.below(choices.len() as u64);
        choices[usize::try_from(at).expect("small")]
    }
}

/// A program of two functions and a loop; every field is a place to edit.
#[derive(Clone)]
struct Program {
    bound: u64,
    step: u64,
    factor: u64,
    offset: u64,
    comparison: &'static str,
    helper: &'static str,
    helpers_before: u64,
    comments: u64,
    checks_index: bool,
}

impl Program {
    fn drawn(numbers: &mut Numbers) -> Program {
        let step = 1 + numbers.below(3);
        Program {
            bound: 1 + numbers.below(5),
            step,
            factor: step,
            offset: 0,
            comparison: "!=",
            helper: "x + 0",
            helpers_before: 0,
            comments: 0,
            checks_index: numbers.below(2) == 0,
        }
    }

    fn edit(&mut self, numbers: &mut Numbers) {
        match numbers.below(9) {
            0 => self.bound = 1 + numbers.below(6),
            1 => self.step = 1 + numbers.below(3),
            2 => self.factor = 1 + numbers.below(3),
            3 => self.offset = numbers.below(2),
            4 => self.comparison = numbers.one_of(&["!=", ">", "<"]),
            5 => self.helper = numbers.one_of(&["x + 0", "x - 0", "x + 1", "0 - x", "x | 0"]),
            6 => self.helpers_before = numbers.below(3),
            7 => self.comments = numbers.below(3),
            // Right again.
            _ => (self.factor, self.offset, self.helper) = (self.step, 0, "x + 0"),
        }
    }

    fn text(&self) -> String {
        let mut text = String::from("#include \"shared.h\"\n");
        for _ in 0..self.comments {
            text.push_str("/* a comment\n   of two lines */\n");
        }
        for number in 0..self.helpers_before {
            let _ =
                writeln!(text, "int unused_{number}(int y) {{ int k = 0; while (k < y) k++; return k; }}");
        }
        let Program { bound, step, factor, offset, comparison, helper, .. } = self;
        let index = if self.checks_index { "table[i % 4] = i;" } else { "" };
        let _ = write!(
            text,
            "static int helper(int x) {{ return {helper}; }}\n\
             int table[4];\n\
             int main(void) {{\n  \
               int n = __VERIFIER_nondet_int(), sum = 0;\n  \
               if (n < 0 || n > {bound} + MORE) return 0;\n  \
               for (int i = 0; i < n; i++) {{ sum = sum + {step}; {index} }}\n  \
               if (sum {comparison} helper(n) * {factor} + {offset}) reach_error();\n  \
               return 0;\n}}\n"
        );
        text
    }
}

struct Tree {
    folder: PathBuf,
    programs: Vec<Program>,
    more: u64,
    model_stops: bool,
    checks: bool,
    around: Around,
}

/// What a program rests on beside its own text: which header is found, which file a link leads to, what the environment says, how it is asked.
#[derive(Clone)]
struct Around {
    hides_header: bool,
    link: &'static str,
    variable: &'static str,
    outside: &'static str,
    is_reversed: bool,
    property: &'static str,
    model: &'static str,
    database: u64,
    asserts: &'static str,
}

impl Around {
    fn edit(&mut self, numbers: &mut Numbers) {
        match numbers.below(9) {
            0 => self.hides_header = !self.hides_header,
            1 => self.link = numbers.one_of(&["one.c", "two.c"]),
            2 => self.variable = numbers.one_of(&["CPATH", "C_INCLUDE_PATH"]),
            3 => self.outside = numbers.one_of(&["low", "high"]),
            4 => self.is_reversed = !self.is_reversed,
            5 => self.property = numbers.one_of(&["G ! call(reach_error())", "F end"]),
            6 => self.model = numbers.one_of(&["lp64", "ilp32"]),
            7 => self.database = numbers.below(2),
            _ => self.asserts = numbers.one_of(&["", "//@ assert x == 3;", "//@ assert x != 3;"]),
        }
    }

    /// The program's sum is above 2 if two of the three numbers are raised, or long numbers have four bytes.
    fn write(&self, folder: &Path, toml: &mut String) {
        let write = |name: &str, text: &str| {
            let file = folder.join(name);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("the folder can be made");
            std::fs::write(file, text).expect("the file can be written");
        };
        write("second/place.h", "#define PLACE 0\n");
        if self.hides_header {
            write("first/place.h", "#define PLACE 1\n");
        } else {
            write("first/other.h", "");
            let _ = std::fs::remove_file(folder.join("first/place.h"));
        }
        write("low/outside.h", "#define OUTSIDE 0\n");
        write("high/outside.h", "#define OUTSIDE 1\n");
        write("one.c", "int pick(void) { return 1; }\n");
        write("two.c", "int pick(void) { return 2; }\n");
        let link = folder.join("link.c");
        let _ = std::fs::remove_file(&link);
        #[cfg(unix)]
        std::os::unix::fs::symlink(self.link, &link).expect("a link can be made");
        #[cfg(not(unix))]
        std::fs::copy(folder.join(self.link), &link).expect("the file can be copied");
        write("asked.prp", &format!("CHECK( init(main()), LTL({}) )\n", self.property));
        write(
            "around.c",
            "#include <place.h>\n#include <outside.h>\nvoid reach_error(void);\nint pick(void);\n\
             int main(void) { if (PLACE + OUTSIDE + pick() > 2 || sizeof(long) == 4) reach_error(); return 0; }\n",
        );
        let files = if self.is_reversed { r#"["link.c", "around.c"]"# } else { r#"["around.c", "link.c"]"# };
        let _ = write!(
            toml,
            "[[question]]\nverb = \"verify\"\nname = \"around\"\nfiles = {files}\nI = [\"first\", \"second\"]\n\
             property = \"asked.prp\"\ndata-model = \"{}\"\n",
            self.model
        );
        let asserts = self.asserts;
        write(
            "listed.c",
            &format!("int main(void) {{ int x = LISTED + 3;\n  {asserts}\n  return x > 9; }}\n"),
        );
        let place = folder.display();
        write(
            "build/compile_commands.json",
            &format!(
                "[{{\"directory\": \"{place}\", \"file\": \"listed.c\", \"command\": \"cc -DLISTED={} -c listed.c\"}}]\n",
                self.database
            ),
        );
        toml.push_str(
            "[[question]]\nverb = \"verify\"\nfiles = \"listed.c\"\ncompile-commands = \"build/compile_commands.json\"\n",
        );
    }
}

impl Tree {
    fn drawn(numbers: &mut Numbers, seed: u64) -> Tree {
        let folder = std::env::temp_dir().join(format!("concord-edits-{}-{seed}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        let programs = (0..3).map(|_| Program::drawn(numbers)).collect();
        let around = Around {
            hides_header: false,
            link: "one.c",
            variable: "CPATH",
            outside: "low",
            is_reversed: false,
            property: "G ! call(reach_error())",
            model: "lp64",
            database: 0,
            asserts: "",
        };
        Tree { folder, programs, more: 0, model_stops: false, checks: false, around }
    }

    fn edit(&mut self, numbers: &mut Numbers) {
        match numbers.below(16) {
            10.. => self.around.edit(numbers),
            0 => self.more = numbers.below(2),
            1 => self.model_stops = !self.model_stops,
            2 => self.checks = !self.checks,
            _ => {
                let at = usize::try_from(numbers.below(3)).expect("small");
                self.programs[at].edit(numbers);
            }
        }
    }

    fn write(&self) {
        let write = |name: &str, text: &str| {
            std::fs::write(self.folder.join(name), text).expect("the file can be written");
        };
        let mut toml = String::from("[defaults]\ntime-limit = \"60s\"\n");
        for (number, program) in self.programs.iter().enumerate() {
            write(&format!("p{number}.c"), &program.text());
            let _ = write!(toml, "[[question]]\nverb = \"verify\"\nfiles = \"p{number}.c\"\n");
            if self.checks && number == 0 {
                toml.push_str("checks = \"default\"\n");
            }
        }
        toml.push_str("[[question]]\nverb = \"model\"\nfiles = \"m.lts\"\n");
        self.around.write(&self.folder, &mut toml);
        write("concord.toml", &toml);
        write(
            "shared.h",
            &format!(
                "void reach_error(void);\nint __VERIFIER_nondet_int(void);\n#define MORE {}\n",
                self.more
            ),
        );
        write("n.lts", if self.model_stops { "Q = (a -> STOP).\n" } else { "Q = (a -> Q).\n" });
        write("m.lts", "include \"n.lts\"\n||S = (Q).\n");
    }

    fn verdicts(&self, arguments: &[&str]) -> (Vec<String>, usize) {
        let output = Command::new(env!("CARGO_BIN_EXE_concord"))
            .args(["prove", "--format", "json", "--quiet", "--jobs", "2"])
            .args(arguments)
            .current_dir(&self.folder)
            .env_remove("CPATH")
            .env_remove("C_INCLUDE_PATH")
            .env(self.around.variable, self.folder.join(self.around.outside))
            .output()
            .expect("concord can be run");
        let document: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
        let questions = document["questions"].as_array().expect("questions");
        let verdicts = questions.iter().map(|one| one["verdict"].as_str().expect("a word").to_owned());
        let remembered = questions.iter().filter(|one| one["remembered"] == true).count();
        (verdicts.collect(), remembered)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

#[test]
#[allow(clippy::print_stderr, reason = "the deep run says what was compared")]
fn answers_with_the_memory_are_those_without() {
    if !testkit::compiler::is_there("cc", "projects of C files are not edited") {
        return;
    }
    let is_deep = std::env::var_os("CONCORD_DEEP").is_some();
    let (trees, edits) = if is_deep { (10, 50) } else { (1, 7) };
    let (mut compared, mut remembered, mut words) = (0, 0, [0_usize; 3]);
    for seed in 0..trees {
        let mut numbers = Numbers(seed * 977 + 13);
        let mut tree = Tree::drawn(&mut numbers, seed);
        tree.write();
        tree.verdicts(&[]);
        for edit in 0..edits {
            tree.edit(&mut numbers);
            tree.write();
            let (with, known) = tree.verdicts(&[]);
            let (without, _) = tree.verdicts(&["--no-memory"]);
            let place = Path::new(&tree.folder).display();
            assert_eq!(with, without, "seed {seed}, edit {edit}: see {place}");
            compared += with.len();
            remembered += known;
            for (count, word) in words.iter_mut().zip(["holds", "violated", "undecided"]) {
                *count += with.iter().filter(|one| *one == word).count();
            }
        }
    }
    eprintln!(
        "{compared} answers compared, {remembered} of them remembered; hold, violated, open: {words:?}"
    );
    assert!(remembered > compared / 3, "{remembered} of {compared} were remembered");
    assert!(words[0] > 0, "{words:?}");
}
