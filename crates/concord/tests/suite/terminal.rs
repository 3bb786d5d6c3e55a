//! At a terminal: a line of progress that is gone when results come, verdicts in colour, little with `-q`, and what is
//! known at Ctrl-C. Without a terminal: none of that. The terminal is that of `script` (util-linux), which is on nearly
//! every system with Linux; where it is not, that is said.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const WIPE: &str = "\r\u{1b}[K";

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("terminal");
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}

fn written(name: &str, text: &str) -> String {
    std::fs::write(folder().join(name), text).expect("it can be written");
    name.to_owned()
}

fn has_script() -> bool {
    let found = Command::new("script").args(["-qec", "true", "/dev/null"]).stdin(Stdio::null()).output();
    let is_there = found.is_ok_and(|output| output.status.success());
    if !is_there {
        eprintln!("left out: there is no `script` to make a terminal");
    }
    is_there
}

/// What a terminal gets.
fn at_terminal(command: &str) -> String {
    let command = format!("{} {command}", env!("CARGO_BIN_EXE_concord"));
    let output = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(folder())
        .env_remove("NO_COLOR")
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .expect("script can be run");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const LOOP: &str = "#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum = sum + 2 * i + 1;
    assert(sum == n * n);
    return 0;
}
";

const COMPONENT: &str =
    "void on(void); void off(void);\nint lamp(void)\n{\n    while (1) { on(); off(); }\n    return 0;\n}\n";
const SPECIFICATION: &str = "cproc on { abstract { on_abs, 1, On }; }\ncproc off { abstract { off_abs, 1, Off }; }\nOn = ( up -> return {} -> STOP ).\nOff = ( down -> return {} -> STOP ).\nTurns = ( up -> down -> Turns ).\ncprog room = lamp { abstract turns, {1}, Turns; }\n";
const PHILOSOPHERS: &str = "PHIL = (l.get -> r.get -> eat -> l.put -> r.put -> PHIL).\nFORK = (get -> put -> FORK).\n||D(N=4) = forall [i:0..N-1] (p[i]:PHIL || {p[i].l, p[((i-1)+N)%N].r}::FORK).\n";
const BOOLEAN: &str = "decl x := 0;\nvoid main() begin\n  x := *;\n  assert(!x);\nend\n";

/// Each verb: what is shown while it works is one line, and is gone when its results come.
#[test]
fn progress_is_one_line_and_gone_at_the_end() {
    if !has_script() {
        return;
    }
    let squares = written("squares.c", LOOP);
    let (code, specification) = (written("lamp.c", COMPONENT), written("lamp.spec", SPECIFICATION));
    let (model, boolean) = (written("diners.lts", PHILOSOPHERS), written("choice.bp", BOOLEAN));
    for (command, verdict) in [
        (format!("verify {squares} --time-limit 1s"), "\u{1b}[1;33mUNDECIDED\u{1b}[0m: the time limit"),
        (format!("check {code} {specification}"), "turns: \u{1b}[1;32mHOLDS\u{1b}[0m"),
        (format!("model {model}"), "D: safety: \u{1b}[1;31mVIOLATED\u{1b}[0m"),
        (format!("analyze {squares}"), "0 definite"),
        (format!("bool {boolean}"), "\u{1b}[1;31mVIOLATED\u{1b}[0m"),
    ] {
        let shown = at_terminal(&command);
        let parts: Vec<&str> = shown.split(WIPE).collect();
        let last = parts.last().copied().unwrap_or_default();
        let results = parts.iter().find(|part| part.contains(verdict));
        let results = results.unwrap_or_else(|| panic!("{command}: {verdict:?} is not in {shown:?}"));
        // Nothing stands before the results in their line, and nothing is left behind them.
        let before = &results[..results.find(verdict).unwrap_or(0)];
        assert!(!before.contains(" MB") && !before.contains('…'), "{command}: {before:?}");
        assert!(last.is_empty() || last == *results, "{command}: {last:?} is left");
        let progress: Vec<&&str> = parts.iter().filter(|part| part.contains(" MB")).collect();
        assert!(!progress.is_empty(), "{command}: no progress is shown: {shown:?}");
        for line in progress {
            assert!(line.chars().count() <= 78 && !line.contains('\n'), "{command}: {line:?}");
        }
        // Without a terminal.
        let words: Vec<&str> = command.split(' ').collect();
        let piped = Command::new(env!("CARGO_BIN_EXE_concord")).args(&words).current_dir(folder()).output();
        let piped = piped.expect("concord can be run");
        let all = [piped.stdout, piped.stderr].concat();
        assert!(
            !all.contains(&0x1b) && !all.contains(&b'\r'),
            "{command}: {}",
            String::from_utf8_lossy(&all)
        );
    }
}

#[test]
fn quiet_is_quiet_and_verbose_keeps_a_log() {
    let squares = written("quiet.c", LOOP);
    let run = |options: &[&str]| {
        let arguments = [&["verify", &squares, "--time-limit", "1s"], options].concat();
        let output =
            Command::new(env!("CARGO_BIN_EXE_concord")).args(&arguments).current_dir(folder()).output();
        let output = output.expect("concord can be run");
        assert_eq!(output.status.code(), Some(3));
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    assert_eq!(run(&["-q"]), ("UNDECIDED: the time limit was reached\n".to_owned(), String::new()));
    let (_, log) = run(&["-v"]);
    assert!(log.contains(" s] bmc begins: ") && log.contains("ends after"), "{log}");
    if has_script() {
        let shown = at_terminal(&format!("verify {squares} --time-limit 1s -q --color never"));
        assert_eq!(shown, "UNDECIDED: the time limit was reached\r\n");
    }
}

/// Ctrl-C is answered with what is known by then.
#[test]
fn an_interrupt_says_what_was_shown() {
    let squares = written("interrupted.c", LOOP);
    let child = Command::new(env!("CARGO_BIN_EXE_concord"))
        .args(["verify", &squares])
        .current_dir(folder())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let child = child.expect("concord can be run");
    std::thread::sleep(Duration::from_millis(2500));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill can be run").success());
    let begun = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(begun.elapsed() < Duration::from_secs(30), "it does not end with Ctrl-C");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("UNDECIDED: it was interrupted\n"), "{text}");
    assert!(text.contains("shown: no failing run was found within"), "{text}");
}
