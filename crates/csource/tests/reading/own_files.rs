//! The programs that come with this crate parse, in both data models, and everything about reading files.

use crate::common::{Task, files_below, parse_file};
use csource::Session;
use csource::preprocess::{Flag, Options, ReadError, compile_commands, read};
use csource::types::DataModel;
use std::path::{Path, PathBuf};

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// A directory that is removed at the end of the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("concord-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary directory can be written");
        Scratch(path)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("the temporary directory can be written");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn own_programs_parse_in_both_data_models() {
    let files = files_below(&programs(), &["c"]);
    assert!(files.len() >= 2);
    for path in files {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let outcome = parse_file(&Task { path: path.clone(), model, options: Options::default() });
            assert!(
                outcome.errors.is_empty(),
                "{}: {model:?}\n{}",
                path.display(),
                outcome.errors.join("\n")
            );
            assert!(outcome.items > 20);
        }
    }
}

/// With or without 32-bit headers installed, ILP32 means that the headers see a 32-bit machine.
#[test]
fn headers_follow_the_data_model() {
    let scratch = Scratch::new("model");
    let text = "#include <limits.h>\n#include <stdint.h>\n#include <pthread.h>\n\
                long width = __WORDSIZE;\nlong most = LONG_MAX;\nint size = __SIZEOF_PTHREAD_MUTEX_T;\n";
    let path = scratch.file("model.c", text);
    for (model, expected) in [(DataModel::Ilp32, ["32", "24"]), (DataModel::Lp64, ["64", "40"])] {
        let text = preprocessed(&path, &Options::default(), model);
        assert!(text.contains(&format!("longwidth={};", expected[0])), "{model:?}\n{text}");
        assert!(text.contains(&format!("intsize={};", expected[1])), "{model:?}\n{text}");
    }
}

/// Headers that only stand in the directory of one machine are found as well, whichever a program begins with.
#[test]
fn headers_of_the_machine_are_found_for_both_data_models() {
    let scratch = Scratch::new("machine");
    for header in ["sys/types.h", "sys/socket.h", "sys/wait.h", "sys/syslog.h", "regex.h", "asm/types.h"] {
        let path = scratch.file("machine.c", format!("#include <{header}>\nint is_read;\n"));
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let text = preprocessed(&path, &Options::default(), model);
            assert!(text.ends_with("intis_read;"), "{header} {model:?}");
        }
    }
}

/// A header of the user's that is not there is named, for 32 bits too.
#[test]
fn a_missing_header_is_named_for_both_data_models() {
    let scratch = Scratch::new("missing-header");
    let path = scratch.file("missing.c", "#include <stdio.h>\n#include \"not_there.h\"\n");
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let mut session = Session::new(model);
        let result = read(&path, &Options::default(), &mut session);
        assert!(matches!(result, Err(ReadError::Preprocessing(_))), "{model:?}");
        let told: Vec<&str> = session.diagnostics.iter().map(|one| one.message.as_str()).collect();
        assert_eq!(told, ["the header `not_there.h` was not found"], "{model:?}");
    }
}

/// The preprocessed text without line markers and white space.
fn preprocessed(path: &Path, options: &Options, model: DataModel) -> String {
    let mut session = Session::new(model);
    let source = read(path, options, &mut session).expect("preprocessed");
    let text = session.sources.source(source).text();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::chars).filter(|character| !character.is_whitespace()).collect()
}

/// A compiler that has no 32-bit headers of its own is helped out with the 64-bit ones and an empty list of stubs.
#[cfg(unix)]
#[test]
fn missing_32_bit_headers_are_made_up_for() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("stubs");
    let script = scratch.file(
        "cc",
        "#!/bin/sh\n\
         case \"$*\" in\n\
         *-print-multiarch*) exec cc -print-multiarch ;;\n\
         *-idirafter*) for a in \"$@\"; do test -f \"$a/gnu/stubs-32.h\" && exec cc \"$@\"; done ;;\n\
         esac\n\
         echo 'a.c:1:10: fatal error: bits/libc-header-start.h: No such file or directory' >&2\nexit 1\n",
    );
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))
        .expect("permissions can be set");
    let compiler = script.to_string_lossy().into_owned();
    let options = Options { compiler: Some(compiler), ..Options::default() };
    let path = scratch.file("a.c", "#include <stdio.h>\nint width = __SIZEOF_LONG__;\n");
    assert!(preprocessed(&path, &options, DataModel::Ilp32).contains("intwidth=4;"));
    // For LP64 nothing is made up: the compiler's own failure is reported.
    let mut session = Session::new(DataModel::Lp64);
    assert!(matches!(read(&path, &options, &mut session), Err(ReadError::Preprocessing(_))));
    assert!(session.diagnostics.has_errors());
}

#[test]
fn options_reach_the_preprocessor() {
    let scratch = Scratch::new("options");
    std::fs::create_dir_all(scratch.0.join("inc")).expect("writable");
    scratch.file("inc/found.h", "int from_header;\n");
    scratch.file("first.h", "int from_first;\n");
    let text = "#include \"found.h\"\n#ifdef B\n#error B\n#endif\nint a = A; long s = __STDC_VERSION__;\n";
    scratch.file("main.c", text);
    let flags = vec![
        Flag::IncludeDirectory("inc".into()),
        Flag::Define("A=42".into()),
        Flag::Define("B".into()),
        Flag::Undefine("B".into()),
        Flag::IncludeFile("first.h".into()),
        Flag::SystemDirectory("inc".into()),
        Flag::Standard("gnu99".into()),
    ];
    let options = Options { flags, directory: Some(scratch.0.clone()), compiler: None };
    let mut session = Session::new(DataModel::Lp64);
    let source = read(Path::new("main.c"), &options, &mut session).expect("preprocessed");
    let text = session.sources.source(source).text().clone();
    for part in ["int from_header;", "int from_first;", "int a = 42;", "199901L"] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn compile_commands_can_be_read() {
    let scratch = Scratch::new("database");
    scratch.file("a.c", "int a = A;\n");
    let database = scratch.file(
        "compile_commands.json",
        r#"[{"directory": ".", "file": "a.c", "command": "cc -DA=\"1 + 2\" -O2 -c a.c -o a.o"}]"#,
    );
    let commands = compile_commands(&database).expect("well formed");
    let mut session = Session::new(commands[0].data_model.unwrap_or_default());
    let source = read(&commands[0].file, &commands[0].options, &mut session).expect("preprocessed");
    assert!(session.sources.source(source).text().contains("int a = 1 + 2;"));
}

#[test]
fn what_cannot_be_read_is_said() {
    let scratch = Scratch::new("unreadable");
    let mut session = Session::new(DataModel::Lp64);
    let options = Options::default();
    assert!(matches!(read(&scratch.0.join("none.c"), &options, &mut session), Err(ReadError::NotFound(_))));
    assert!(matches!(read(&scratch.0, &options, &mut session), Err(ReadError::IsDirectory(_))));
    let other = scratch.file("text.txt", "x");
    assert!(matches!(read(&other, &options, &mut session), Err(ReadError::UnknownEnding(_))));
    let good = scratch.file("good.c", "int x;");
    let absent = Options { compiler: Some("/nonexistent/cc".into()), ..Options::default() };
    let error = read(&good, &absent, &mut session).expect_err("there is no such compiler");
    assert!(error.to_string().contains("`.i` files"), "{error}");
    assert!(!session.diagnostics.has_errors());
}

#[test]
fn errors_of_the_preprocessor_have_a_place() {
    let scratch = Scratch::new("errors");
    let path = scratch.file("bad.c", "int a;\n#include \"missing.h\"\nint b;\n");
    let mut session = Session::new(DataModel::Lp64);
    let result = read(&path, &Options::default(), &mut session);
    assert!(matches!(result, Err(ReadError::Preprocessing(_))));
    let error = session.diagnostics.iter().next().expect("one error");
    assert!(error.message.contains("`missing.h`"), "{}", error.message);
    let location = session.sources.location(error.span).expect("a place");
    assert_eq!((location.line, location.column), (2, 10));
    assert_eq!(session.sources.text(error.span), "\"missing.h\"");
}

#[test]
fn bytes_that_are_not_utf8_survive_in_strings() {
    let scratch = Scratch::new("bytes");
    let text = b"/* caf\xe9 */ char s[] = \"caf\xe9\"; char t[] = \"\xc3\xa9\"; // \xff\n";
    for name in ["latin.i", "latin.c"] {
        let path = scratch.file(name, text);
        let mut session = Session::new(DataModel::Lp64);
        let source = read(&path, &Options::default(), &mut session).expect("readable");
        let unit = csource::parser::parse(source, &mut session);
        assert!(!session.diagnostics.has_errors(), "{name}");
        let units: Vec<Vec<u32>> = unit.items.iter().filter_map(string_of).collect();
        assert_eq!(units, [vec![0x63, 0x61, 0x66, 0xe9], vec![0xc3, 0xa9]], "{name}");
    }
    let path = scratch.file("stray.i", b"int caf\xe9;");
    let mut session = Session::new(DataModel::Lp64);
    let source = read(&path, &Options::default(), &mut session).expect("readable");
    csource::parser::parse(source, &mut session);
    let error = session.diagnostics.iter().next().expect("one error");
    assert_eq!((error.code, error.message.contains("0xE9")), ("stray-character", true));
}

/// The initialiser of the first variable, if it is a string.
fn string_of(item: &csource::syntax::Item) -> Option<Vec<u32>> {
    use csource::syntax::{ExprKind, Initializer, Item};
    let Item::Declaration(declaration) = item else { return None };
    let Some(Initializer::Expr(expr)) = &declaration.declarators.first()?.initializer else { return None };
    let ExprKind::String { units, .. } = &expr.kind else { return None };
    Some(units.clone())
}
