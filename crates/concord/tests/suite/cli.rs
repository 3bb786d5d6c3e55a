//! The command line as a user sees it: what is printed where, and the exit status.

use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs concord in the workspace and shows everything it did. Paths of this machine are cut out.
fn concord(arguments: &[&str]) -> String {
    concord_with(arguments, |_| {})
}

fn concord_with(arguments: &[&str], prepare: impl FnOnce(&mut Command)) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_concord"));
    command.args(arguments).current_dir(workspace()).env_remove("RUST_BACKTRACE").env("COLUMNS", "100");
    prepare(&mut command);
    let output = command.output().expect("concord can be run");
    let status = output.status.code().map_or("killed".to_string(), |code| code.to_string());
    let text = format!(
        "status: {status}\n--- stdout\n{}--- stderr\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let own_folder = format!("concord-cli-{}-", std::process::id());
    text.replace(&own_folder, "").replace(&std::env::temp_dir().to_string_lossy().into_owned(), "TMP")
}

/// A C file of a test, in a folder of its own that goes with it.
struct Folder(PathBuf);

impl Folder {
    fn with(test: &str, files: &[(&str, &str)]) -> Folder {
        let folder = std::env::temp_dir().join(format!("concord-cli-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the test");
        for (name, text) in files {
            std::fs::write(folder.join(name), text).expect("a file for the test");
        }
        Folder(folder)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn has_compiler() -> bool {
    testkit::compiler::is_there("cc", "what needs `cc -E` is not tested")
}

#[test]
fn version() {
    insta::assert_snapshot!(concord(&["--version"]));
}

#[test]
fn help() {
    insta::assert_snapshot!("help", concord(&["--help"]));
    insta::assert_snapshot!("help_run", concord(&["run", "--help"]));
    insta::assert_snapshot!("help_draw", concord(&["draw", "--help"]));
    insta::assert_snapshot!("help_doctor", concord(&["doctor", "--help"]));
}

#[test]
fn wrong_usage_is_status_2() {
    insta::assert_snapshot!("no_verb", concord(&["juggle"]));
    insta::assert_snapshot!("bad_limit", concord(&["run", "--time-limit", "soon", "a.i"]));
    assert!(concord(&["run", "--quiet", "--verbose", "a.i"]).starts_with("status: 2"));
    assert!(concord(&[]).starts_with("status: 2"));
}

#[test]
fn a_missing_file_is_status_4() {
    insta::assert_snapshot!(concord(&["run", "no/such/file.c"]));
}

#[test]
fn syntax_errors_show_file_line_and_caret() {
    let text = "int f(int a)\n{\n    return a +;\n}\nint g(void)\n{\n    return b;\n}\nint main(void) { return f(g()) }\n";
    let folder = Folder::with("syntax", &[("broken.i", text)]);
    insta::assert_snapshot!(concord(&["run", &folder.file("broken.i")]));
}

#[test]
fn a_missing_header_is_told() {
    if has_compiler() {
        let folder =
            Folder::with("header", &[("lost.c", "#include \"nowhere.h\"\nint main(void) { return 0; }\n")]);
        let shown = concord(&["run", &folder.file("lost.c")]);
        assert!(shown.starts_with("status: 4"), "{shown}");
        assert!(shown.contains("lost.c:1") && shown.contains("nowhere.h"), "{shown}");
    }
}

#[test]
fn without_a_compiler_preprocessed_files_still_work() {
    let folder = Folder::with("nocc", &[("a.i", "int main(void) { return 3; }\n"), ("b.c", "int x;\n")]);
    let without = |file: &str| {
        concord_with(&["run", &folder.file(file)], |command| {
            command.env("CC", "no-such-compiler");
        })
    };
    assert!(without("a.i").starts_with("status: 3\n"));
    insta::assert_snapshot!(without("b.c"));
}

#[test]
fn several_files_are_linked() {
    let main = "int add(int, int);\nextern int start;\nint main(void) { return add(start, 2); }\n";
    let other = "int start = 40;\nint add(int a, int b) { return a + b; }\n";
    let folder = Folder::with("link", &[("main.i", main), ("other.i", other)]);
    let shown = concord(&["run", &folder.file("main.i"), &folder.file("other.i")]);
    assert!(shown.starts_with("status: 42\n"), "{shown}");
}

#[test]
fn a_compilation_database_gives_files_and_options() {
    if has_compiler() {
        let main = "int twice(int);\nint main(void) { return twice(ANSWER); }\n";
        let other = "#include \"factor.h\"\nint twice(int x) { return FACTOR * x; }\n";
        let database = r#"[
            {"directory": ".", "file": "main.c", "arguments": ["cc", "-DANSWER=21", "-c", "main.c"]},
            {"directory": ".", "file": "other.c", "command": "cc -I 'my headers' -o other.o -c other.c"}
        ]"#;
        let folder = Folder::with(
            "database",
            &[("main.c", main), ("other.c", other), ("compile_commands.json", database)],
        );
        std::fs::create_dir_all(folder.0.join("my headers")).expect("a folder");
        std::fs::write(folder.0.join("my headers/factor.h"), "#define FACTOR 2\n").expect("a header");
        let shown = concord(&["run", "--compile-commands", &folder.file("compile_commands.json")]);
        assert!(shown.starts_with("status: 42\n"), "{shown}");
    }
}

#[test]
fn data_models_differ() {
    let text = "int main(void) { return sizeof(long) * 10 + sizeof(void *); }\n";
    let folder = Folder::with("model", &[("size.i", text)]);
    assert!(concord(&["run", &folder.file("size.i")]).starts_with("status: 88\n"));
    let shown = concord(&["run", "--data-model", "ilp32", &folder.file("size.i")]);
    assert!(shown.starts_with("status: 44\n"), "{shown}");
}

#[test]
fn examples_run() {
    if has_compiler() {
        insta::assert_snapshot!("ring_buffer", concord(&["run", "examples/ring_buffer/ring_buffer.c"]));
        insta::assert_snapshot!("linked_list", concord(&["run", "examples/linked_list/linked_list.c"]));
        insta::assert_snapshot!("bank_account", concord(&["run", "examples/bank_account/bank_account.c"]));
        let unlocked = ["run", "-DNO_LOCK", "--schedule-seed", "1", "examples/bank_account/bank_account.c"];
        insta::assert_snapshot!("bank_account_unlocked", concord(&unlocked));
        insta::assert_snapshot!("packet_header", concord(&["run", "examples/packet_header/packet_header.c"]));
        let ilp32 = concord(&["run", "--data-model", "ilp32", "examples/packet_header/packet_header.c"]);
        insta::assert_snapshot!("packet_header", ilp32);
        let arguments =
            ["run", "--inputs", "examples/handshake/events.txt", "examples/handshake/handshake.c"];
        insta::assert_snapshot!("handshake", concord(&arguments));
    }
}

#[test]
fn drawings_are_text() {
    let text = "int twice(int x)\n{\n    return 2 * x;\n}\nint main(void)\n{\n    int sum = 0;\n    for (int i = 0; i < 3; i++)\n        sum += twice(i);\n    return sum;\n}\n";
    let folder = Folder::with("draw", &[("loop.i", text)]);
    let file = folder.file("loop.i");
    insta::assert_snapshot!(
        "draw_cfg",
        concord(&["draw", "cfg", "--as", "dot", "--function", "main", &file])
    );
    insta::assert_snapshot!("draw_callgraph", concord(&["draw", "callgraph", "--as", "dot", &file]));
    let svg = concord(&["draw", "points-to", "--as", "svg", &file]);
    assert!(svg.starts_with("status: 0\n--- stdout\n<svg") || svg.contains("<svg"), "{svg}");
    let unknown = concord(&["draw", "cfg", "--function", "nobody", &file]);
    assert!(unknown.starts_with("status: 4\n") && unknown.contains("nobody"), "{unknown}");
}

#[test]
fn formats_a_verb_does_not_have_are_refused() {
    assert!(concord(&["doctor", "--format", "sarif"]).starts_with("status: 2\n"));
    assert!(concord(&["draw", "cfg", "--format", "json", "a.i"]).starts_with("status: 2\n"));
}

#[test]
fn the_doctor_finds_us_well() {
    let shown = concord(&["doctor"]);
    assert!(shown.starts_with("status: 0\n"), "{shown}");
    assert!(shown.contains("self-test"), "{shown}");
    let json = concord(&["doctor", "--format", "json"]);
    let body = json
        .split("--- stdout\n")
        .nth(1)
        .and_then(|rest| rest.split("--- stderr").next())
        .expect("both parts");
    let value: serde_json::Value = serde_json::from_str(body).expect("valid JSON");
    assert_eq!(value["concord"], 1);
    assert!(
        value["doctor"]
            .as_array()
            .is_some_and(|checks| checks.iter().any(|check| check["check"] == "self-test"))
    );
}

#[test]
fn the_doctor_looks_at_a_solver_of_your_own() {
    let shown = concord(&["doctor", "--solver-command", "no-such-solver --fast"]);
    assert!(shown.starts_with("status: 0\n"), "{shown}");
    assert!(shown.contains("command `no-such-solver --fast`") && shown.contains("not there"), "{shown}");
    assert!(concord(&["doctor", "--solver-command", " "]).starts_with("status: 2\n"));
}

#[test]
fn completions_and_manual_are_written() {
    for shell in ["bash", "zsh", "fish"] {
        let shown = concord(&["completions", shell]);
        assert!(shown.starts_with("status: 0\n") && shown.contains("doctor"), "{shown}");
    }
    let manual = concord(&["man"]);
    assert!(manual.starts_with("status: 0\n") && manual.contains(".TH"), "{manual}");
}
