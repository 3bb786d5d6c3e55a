//! Formats against the real thing: what a directive needs against gcc's `-Wformat`, and the texts, results and `%n` of descriptions, compiled as C,
//! against those of the C library.

use library::format::{Call, Family, Passed, Piece, Wanted, describe, pieces};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output};
use testkit::Random;

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("formats");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    folder.join(name)
}

/// gcc on a file; `None` (said) where there is none.
fn gcc(name: &str, text: &str, options: &[&str]) -> Option<Output> {
    let path = scratch(name);
    std::fs::write(&path, text).expect("the target folder can be written");
    let output =
        Command::new("gcc").args(options).arg(&path).arg("-o").arg(path.with_extension("out")).output();
    if output.is_err() {
        use std::io::Write;
        let told = b"there is no gcc: formats are not compared with it\n";
        std::io::stderr().write_all(told).expect("standard error is open");
    }
    output.ok()
}

/// The word size of the machine that compiles.
const WORD: usize = 8;

/// Arguments of each kind: a C expression of that type, and how it is passed.
const ARGUMENTS: [(&str, Passed); 9] = [
    ("1", Passed::Integer(4)),
    ("2u", Passed::Integer(4)),
    ("3L", Passed::Integer(8)),
    ("4ULL", Passed::Integer(8)),
    ("5.5", Passed::Double),
    ("6.5L", Passed::LongDouble),
    ("(char *)text", Passed::PointerTo(Some(1))),
    ("(int *)number", Passed::PointerTo(Some(4))),
    ("(double *)number", Passed::PointerTo(None)),
];

fn directive(draw: &mut Random) -> String {
    let mut text = String::from("%");
    for flag in ["-", "+", " ", "#", "0"] {
        if draw.below(5) == 0 {
            text.push_str(flag);
        }
    }
    match draw.below(4) {
        0 => write!(text, "{}", 1 + draw.below(12)).expect("a string"),
        1 if draw.below(3) == 0 => text.push('*'),
        _ => {}
    }
    match draw.below(5) {
        0 => write!(text, ".{}", draw.below(12)).expect("a string"),
        1 if draw.below(3) == 0 => text.push_str(".*"),
        2 if draw.below(4) == 0 => text.push('.'),
        _ => {}
    }
    let conversion = draw.one_of(b"diouxXcspfegan");
    let length = match conversion {
        b'f' | b'e' | b'g' | b'a' => draw.one_of(&["", "", "l", "L"]),
        b'c' | b's' | b'p' => "",
        _ => draw.one_of(&["", "", "", "hh", "h", "l", "ll", "j", "z", "t"]),
    };
    text.push_str(length);
    text.push(conversion as char);
    text
}

/// What a format takes, in order.
fn wanted(format: &[u8]) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for piece in pieces(format) {
        if let Piece::Directive(directive) = piece {
            for amount in [directive.width, directive.precision] {
                if amount == library::format::Amount::Argument {
                    wanted.push(Wanted::Integer(4));
                }
            }
            if directive.wanted(WORD) != Wanted::Nothing {
                wanted.push(directive.wanted(WORD));
            }
        }
    }
    wanted
}

/// If the argument at that place is the last one that the directive takes, and that is `%n`: can it take the count?
fn takes_count(format: &[u8], needed: usize, place: usize, passed: &Passed) -> bool {
    pieces(format).iter().all(|piece| match piece {
        Piece::Directive(directive) if directive.conversion == b'n' && place + 1 == needed => {
            passed.takes_count(directive.length.integer_bytes(WORD))
        }
        _ => true,
    })
}

/// What does not fit here, gcc warns of; of what fits here it warns only where sizes agree and types do not.
#[test]
fn arguments_that_do_not_fit_are_those_that_gcc_warns_of() {
    let mut draw = Random::new(11);
    let mut text = String::from(
        "#include <stdio.h>\nextern char text[]; extern int number[];\nvoid calls(FILE *to) {\n",
    );
    let mut calls = Vec::new();
    for _ in 0..3000 {
        let format = directive(&mut draw);
        let needed = wanted(format.as_bytes());
        let count = (needed.len() + draw.below(3)).saturating_sub(1);
        let mut passed = Vec::new();
        let mut shown = String::new();
        for place in 0..count {
            // Mostly one that fits, so that all of a call is looked at.
            let fitting: Vec<_> = ARGUMENTS
                .iter()
                .filter(|(_, kind)| needed.get(place).is_none_or(|&wanted| kind.fits(wanted, WORD)))
                .collect();
            let (expression, kind) = if draw.below(4) > 0 && !fitting.is_empty() {
                fitting[draw.below(fitting.len())].clone()
            } else {
                ARGUMENTS[draw.below(ARGUMENTS.len())].clone()
            };
            write!(shown, ", {expression}").expect("a string");
            passed.push(kind);
        }
        let fits = needed.len() <= passed.len()
            && needed.iter().zip(&passed).all(|(&wanted, passed)| passed.fits(wanted, WORD))
            && (0..needed.len())
                .all(|place| takes_count(format.as_bytes(), needed.len(), place, &passed[place]));
        writeln!(text, "fprintf(to, \"{format}\"{shown});").expect("a string");
        calls.push((format, shown, fits));
    }
    text.push_str("}\n");
    let options = ["-c", "-Wformat", "-Wno-format-extra-args", "-fno-diagnostics-show-caret"];
    let Some(output) = gcc("warned.c", &text, &options) else { return };
    let warnings = String::from_utf8_lossy(&output.stderr);
    let mut missed = Vec::new();
    let mut found = 0;
    for (number, (format, shown, fits)) in calls.iter().enumerate() {
        if *fits {
            continue;
        }
        found += 1;
        let line = format!("warned.c:{}:", number + 4);
        if !warnings.contains(&line) {
            missed.push(format!("\"{format}\"{shown}"));
        }
    }
    assert!(found > 300, "{found} calls do not fit");
    assert!(missed.is_empty(), "gcc says nothing of {missed:?}");
}

/// A value for each kind of argument, as a C expression.
fn value(draw: &mut Random, wanted: Wanted, conversion: u8) -> (String, Passed) {
    match wanted {
        Wanted::Integer(4) if conversion == b'c' => {
            (draw.one_of(&["'a'", "0", "'\\n'", "200", "-1"]).to_owned(), Passed::Integer(4))
        }
        Wanted::Integer(4) => {
            let corner = [
                0u32,
                1,
                9,
                10,
                99,
                100,
                999_999_999,
                1_000_000_000,
                u32::MAX,
                1 << 31,
                (1 << 31) - 1,
                7,
                8,
                15,
                16,
                255,
            ];
            let number =
                if draw.below(2) == 0 { draw.one_of(&corner) } else { draw.bits() as u32 >> draw.below(32) };
            (format!("(int){number}u"), Passed::Integer(4))
        }
        Wanted::Integer(_) => {
            let corner = [
                0u64,
                1,
                u64::MAX,
                1 << 63,
                (1 << 63) - 1,
                1 << 62,
                1 << 32,
                1 << 30,
                10_000_000_000,
                9_999_999_999,
            ];
            let number =
                if draw.below(2) == 0 { draw.one_of(&corner) } else { draw.bits() >> draw.below(64) };
            (format!("(long long){number}ull"), Passed::Integer(8))
        }
        Wanted::Pointer if conversion == b'n' => ("&count".to_owned(), Passed::Pointer),
        _ => {
            (draw.one_of(&["\"\"", "\"a\"", "\"hello\"", "\"0123456789abcdef\""]).to_owned(), Passed::Pointer)
        }
    }
}

/// The functions of `stdio.c` under other names, and what they use.
fn helpers() -> String {
    let mut text = String::from("#include <stdio.h>\n#include <string.h>\n#include <stdlib.h>\n");
    let is_stdio = |entry: &&library::Entry| library::headers()[entry.header].name == "stdio.h";
    for entry in library::entries().iter().filter(is_stdio).filter(|entry| entry.has_body) {
        writeln!(text, "#define {0} our_{0}", entry.name).expect("a string");
    }
    text.push_str(library::WORDS);
    let stdio = library::headers().iter().find(|header| header.name == "stdio.h").expect("it is there");
    text.push_str(stdio.text);
    text.push_str(
        "int __VERIFIER_nondet_int(void) { return 0; } long __VERIFIER_nondet_long(void) { return 0; }\n\
         unsigned long __VERIFIER_nondet_ulong(void) { return 0; } char __VERIFIER_nondet_char(void) { return 0; }\n\
         unsigned char __VERIFIER_nondet_uchar(void) { return 0; }\n\
         int __concord_any_int(int v) { return v; } long __concord_any_long(long v) { return v; }\n\
         int __concord_some_int(int v) { return v; } long __concord_some_long(long v) { return v; }\n\
         void __VERIFIER_assume(int c) { } void *__concord_new_stream(size_t n) { return malloc(n); }\n\
         void __concord_readable(const void *p, size_t n) { } void __concord_writable(void *p, size_t n) { }\n\
         void __concord_apart(const void *p, size_t n, const void *q, size_t m) { }\n\
         void __concord_need(int c, const char *what) { if (!c) { puts(what); abort(); } }\n\
         void __concord_need_no_overflow(int c, const char *what) { }\n\
         void __concord_unknown(const char *what) { puts(what); abort(); }\n#undef snprintf\n#undef printf\n",
    );
    text.push_str(
        "static int compare(int number, int ours, int theirs, const char *our, const char *their, long our_count, long their_count)\n\
         { if (ours == theirs && our_count == their_count && !memcmp(our, their, 256)) return 0;\n\
         printf(\"%d: %d [%s] %ld, not %d [%s] %ld\\n\", number, ours, our, our_count, theirs, their, their_count); return 1; }\n",
    );
    text
}

/// Integers, characters and strings with every flag, width and precision, cut or not, give the library's bytes, result and count.
#[test]
fn buffers_get_the_bytes_that_the_library_writes() {
    let mut draw = Random::new(12);
    let mut text = helpers();
    let mut main = String::from("int main(void) {\nchar our[256], their[256]; long count; int failed = 0;\n");
    let total = 1500;
    for number in 0..total {
        let mut format = String::new();
        for _ in 0..1 + draw.below(3) {
            format.push_str(draw.one_of(&["", "", "x", "a b", "%%"]));
            let one = loop {
                let one = directive(&mut draw);
                // Texts of floating values and addresses are open; flags where C says nothing are the library's own affair.
                let letter = one.as_bytes()[one.len() - 1];
                let is_odd = b"cs".contains(&letter) && one.contains(['0', '#', '+', ' '])
                    || letter == b'n' && !one.ends_with("%ln")
                    || b"feagp".contains(&letter);
                if !is_odd {
                    break one;
                }
            };
            format.push_str(&one);
        }
        let mut passed = Vec::new();
        let mut shown = String::new();
        for piece in pieces(format.as_bytes()) {
            let Piece::Directive(directive) = piece else { continue };
            for amount in [directive.width, directive.precision] {
                if amount == library::format::Amount::Argument {
                    write!(shown, ", {}", draw.below(20) as i32 - 8).expect("a string");
                    passed.push(Passed::Integer(4));
                }
            }
            if directive.conversion != b'%' {
                let (expression, kind) = value(&mut draw, directive.wanted(WORD), directive.conversion);
                write!(shown, ", {expression}").expect("a string");
                passed.push(kind);
            }
        }
        let size = draw.one_of(&[256, 256, 0, 1, 2, 5, 9]);
        let call = Call {
            name: format!("call_{number}"),
            family: Family::Snprintf,
            format: format.clone().into_bytes(),
            passed,
            is_used: true,
            word: WORD,
        };
        text.push_str(&describe(&call));
        write!(
            main,
            "memset(our, 7, 256); memset(their, 7, 256); count = -9;\n{{ int ours = call_{number}(our, {size}, \"{format}\"{shown}); long c = count; count = -9;\n\
             int theirs = snprintf(their, {size}, \"{format}\"{shown}); failed += compare({number}, ours, theirs, our, their, c, count); }}\n"
        )
        .expect("a string");
    }
    main.push_str("return failed != 0; }\n");
    text.push_str(&main);
    let Some(output) = gcc("bytes.c", &text, &["-w", "-O0"]) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run = Command::new(scratch("bytes.out")).output().expect("it was compiled");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stdout));
}
