//! The interpreter against compiled C on many generated values: `printf` formats, floating arithmetic, integer arithmetic and
//! conversions. Each test writes one C file, compiles it with `cc -O0`, runs it both ways, and compares the lines.

use crate::common;

use concrete::{Captured, RunOutcome, SeededInputs, Settings};
use std::fmt::Write;
use testkit::Random;

/// Runs the text both ways and compares line by line.
fn compare(name: &str, text: &str) {
    let path = common::scratch(&format!("{name}.c"));
    std::fs::write(&path, text).expect("the scratch directory can be written");
    let program = testkit::c::load(&path, program::DataModel::Lp64);
    let mut host = Captured::default();
    let run = concrete::run(&program, &Settings::default(), &mut host, &mut SeededInputs::new(0));
    assert!(matches!(run.outcome, RunOutcome::Exited(0)), "{name}: {:?}", run.outcome);
    let ours = String::from_utf8_lossy(&host.out).into_owned();
    assert!(ours.lines().count() > 100, "{name} prints too little to mean anything");
    if !common::has_compiler() {
        return;
    }
    let compiled = common::compile_and_run(&path, b"");
    let theirs = String::from_utf8_lossy(&compiled.out).into_owned();
    assert_eq!(compiled.status, 0, "{name}");
    let different: Vec<String> = ours
        .lines()
        .zip(theirs.lines())
        .filter(|(ours, theirs)| ours != theirs)
        .take(10)
        .map(|(ours, theirs)| format!("  here {ours}\n  cc   {theirs}"))
        .collect();
    assert!(different.is_empty(), "{name}:\n{}", different.join("\n"));
    assert_eq!(ours.lines().count(), theirs.lines().count(), "{name}");
}

/// Statements go into functions of their own, a few hundred each, so that no function is enormous.
fn program(head: &str, statements: &[String]) -> String {
    let mut text =
        format!("#include <stdio.h>\n#include <stdint.h>\n#include <stddef.h>\n#include <math.h>\n{head}\n");
    let parts = statements.chunks(200);
    let count = parts.len();
    for (number, part) in parts.enumerate() {
        let _ = writeln!(text, "static void part{number}(void)\n{{\n    {}\n}}", part.join("\n    "));
    }
    let calls: String = (0..count).map(|number| format!("part{number}(); ")).collect();
    let _ = writeln!(text, "int main(void) {{ {calls}return 0; }}");
    text
}

/// A double as a C expression, exactly.
fn double(bits: u64) -> String {
    format!("from_bits({bits:#x}ull)")
}

const FROM_BITS: &str =
    "static double from_bits(uint64_t b) { union { uint64_t b; double d; } u = {b}; return u.d; }
static float from_bits32(uint32_t b) { union { uint32_t b; float f; } u = {b}; return u.f; }
static uint64_t to_bits(double d) { union { double d; uint64_t b; } u = {d}; return u.b; }
static uint32_t to_bits32(float f) { union { float f; uint32_t b; } u = {f}; return u.b; }";

fn interesting_double(draw: &mut Random) -> u64 {
    const SPECIAL: &[f64] = &[
        0.0, -0.0, 1.0, -1.0, 0.1, 0.5, 1.5, 2.5, 1e10, 123456.789, 1e-5, 9.9999995, 99999.95, 1e100, 5e-324,
    ];
    match draw.below(6) {
        0 => SPECIAL[draw.below(SPECIAL.len())].to_bits(),
        1 => draw.bits(),
        2 => {
            [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX, f64::MIN_POSITIVE][draw.below(5)].to_bits()
        }
        3 => ((draw.bits() as i32) as f64 / 1000.0).to_bits(),
        4 => ((draw.bits() % 2_000_001) as f64 / 64.0 - 10_000.0).to_bits(),
        _ => (draw.bits() & 0x800f_ffff_ffff_ffff) | ((1023 - 30 + draw.bits() % 60) << 52),
    }
}

fn flags(draw: &mut Random, allowed: &str) -> String {
    allowed.chars().filter(|_| draw.below(4) == 0).collect()
}

fn amounts(draw: &mut Random, arguments: &mut Vec<String>) -> String {
    let mut text = String::new();
    match draw.below(4) {
        0 => text.push_str(draw.below(25).to_string().trim_start_matches('0')),
        1 => {
            text.push('*');
            arguments.push((draw.below(40) as i64 - 20).to_string());
        }
        _ => {}
    }
    match draw.below(4) {
        0 => {
            let _ = write!(text, ".{}", draw.below(20));
        }
        1 => {
            text.push_str(".*");
            arguments.push((draw.below(24) as i64 - 3).to_string());
        }
        2 if draw.below(3) == 0 => text.push('.'),
        _ => {}
    }
    text
}

#[test]
fn formats_of_integers_and_text() {
    let mut draw = Random::new(1);
    let mut statements = Vec::new();
    for _ in 0..1500 {
        let mut arguments = Vec::new();
        let (length, ty) = [
            ("", "int"),
            ("hh", "int"),
            ("h", "int"),
            ("l", "long"),
            ("ll", "long long"),
            ("z", "size_t"),
            ("j", "intmax_t"),
            ("t", "ptrdiff_t"),
        ][draw.below(8)];
        let value = match draw.below(4) {
            0 => draw.below(3) as u64,
            1 => (draw.below(2000) as i64 - 1000) as u64,
            _ => draw.bits() >> draw.below(64),
        };
        let (directive, argument) = match draw.below(8) {
            0 => {
                let text = draw.one_of(&["", "a", "hello", "a longer text than that"]);
                (
                    format!("{}{}s", flags(&mut draw, "-"), amounts(&mut draw, &mut arguments)),
                    format!("{text:?}"),
                )
            }
            1 => {
                let mut amounts = amounts(&mut draw, &mut arguments);
                if let Some(point) = amounts.find('.') {
                    if amounts[point..].contains('*') {
                        arguments.pop();
                    }
                    amounts.truncate(point);
                }
                (format!("{}{amounts}c", flags(&mut draw, "-")), (33 + draw.below(90)).to_string())
            }
            2..=4 => {
                let letter = draw.one_of(&["d", "i"]);
                let flags = flags(&mut draw, "-+ 0");
                (
                    format!("{flags}{}{length}{letter}", amounts(&mut draw, &mut arguments)),
                    format!("({ty}){value:#x}ull"),
                )
            }
            _ => {
                let letter = draw.one_of(&["u", "o", "x", "X"]);
                let flags = flags(&mut draw, if letter == "u" { "-0" } else { "-#0" });
                (
                    format!("{flags}{}{length}{letter}", amounts(&mut draw, &mut arguments)),
                    format!("({ty}){value:#x}ull"),
                )
            }
        };
        arguments.push(argument);
        let shown = directive.replace('%', "");
        statements.push(format!("printf(\"{shown} [%{directive}]\\n\", {});", arguments.join(", ")));
    }
    for fixed in [
        r#"int n; printf("abc%nde\n", &n); printf("%d\n", n);"#,
        r#"printf("%%|%5p|%-20p|%p\n", (void *)0, (void *)0xabcd, (void *)1);"#,
        r#"char b[20]; int n = snprintf(b, 5, "%d", 1234567); printf("%s %d\n", b, n);"#,
        r#"printf("%ls %lc\n", L"wide", L'c');"#,
        r#"printf("%'d %i\n", 1234567, -1);"#,
    ] {
        statements.push(format!("{{ {fixed} }}"));
    }
    compare("formats_of_integers", &program("", &statements));
}

#[test]
fn formats_of_floats() {
    let mut draw = Random::new(2);
    let mut statements = Vec::new();
    for number in 0..2500 {
        let mut arguments = Vec::new();
        let letter = draw.one_of(&["f", "F", "e", "E", "g", "G", "a", "A"]);
        let flags = flags(&mut draw, "-+ #0");
        let amounts = amounts(&mut draw, &mut arguments);
        let is_long = number % 4 == 3;
        let value = double(interesting_double(&mut draw));
        let value = if is_long {
            // Scaled by a long double, so that all 64 bits of the mantissa and large exponents occur.
            let factor = draw.one_of(&["1.0L", "0.1L", "3.0L", "1e300L", "1e-300L", "1e4000L"]);
            format!("(long double){value} * {factor}")
        } else {
            value
        };
        arguments.push(value);
        let length = if is_long { "L" } else { "" };
        let directive = format!("{flags}{amounts}{length}{letter}");
        statements.push(format!("printf(\"{directive} [%{directive}]\\n\", {});", arguments.join(", ")));
    }
    for fixed in [
        "printf(\"%.400f\\n\", 1e-300);",
        "printf(\"%.1100f\\n\", 5e-324);",
        "printf(\"%f\\n\", 1.7976931348623157e308);",
        "printf(\"%.60Lf\\n\", 0.1L);",
        "printf(\"%Lf\\n\", 1e1000L);",
        "printf(\"%La %La %La\\n\", 3.6e-4951L, 1.18973149535723176502e+4932L, 3.3621e-4932L);",
    ] {
        statements.push(fixed.to_owned());
    }
    compare("formats_of_floats", &program(FROM_BITS, &statements));
}

#[test]
fn floating_arithmetic() {
    let mut draw = Random::new(3);
    let mut statements = Vec::new();
    for number in 0..1200 {
        let (x, y) = (interesting_double(&mut draw), interesting_double(&mut draw));
        let op = draw.one_of(&["+", "-", "*", "/"]);
        let (a, b) = (double(x), double(y));
        let statement = match number % 6 {
            0 | 1 => format!("printf(\"%016llx\\n\", (unsigned long long)to_bits({a} {op} {b}));"),
            2 => {
                let (p, q) = (draw.bits() as u32, draw.bits() as u32);
                format!("printf(\"%08x\\n\", to_bits32(from_bits32({p:#x}u) {op} from_bits32({q:#x}u)));")
            }
            3 => format!("printf(\"%La\\n\", (long double){a} {op} (long double){b} * 0.3L);"),
            4 => {
                let compare = draw.one_of(&["<", "<=", "==", "!=", ">", ">="]);
                format!("printf(\"%d %d\\n\", {a} {compare} {b}, (float){a} {compare} (float){b});")
            }
            _ => format!(
                "printf(\"%08x %La %016llx\\n\", to_bits32((float){a}), sqrtl((long double)fabs({a})), (unsigned long long)to_bits(sqrt(fabs({b}))));"
            ),
        };
        statements.push(statement);
    }
    for _ in 0..400 {
        let value = (draw.bits() as i64 >> draw.below(60)) as f64 / 3.0;
        let (ty, letter, low, high) = [
            ("signed char", "d", -128.9, 127.9),
            ("unsigned short", "d", -0.9, 65535.9),
            ("int", "d", -2147483648.9, 2147483647.9),
            ("unsigned", "u", -0.9, 4294967295.9),
            ("long", "ld", -9.2e18, 9.2e18),
            ("unsigned long", "lu", -0.9, 1.8e19),
        ][draw.below(6)];
        let value = value.clamp(low, high);
        let bits = double(value.to_bits());
        statements
            .push(format!("printf(\"%{letter} %{letter}\\n\", ({ty}){bits}, ({ty})(long double){bits});"));
        let integer = draw.bits();
        statements.push(format!(
            "printf(\"%a %a %La %a\\n\", (double){integer}ull, (float){integer}ull, (long double){integer}ull, (double)(long){integer}ull);"
        ));
    }
    for function in
        ["floor", "ceil", "trunc", "round", "rint", "sin", "cos", "exp", "log", "tan", "atan", "tanh"]
    {
        for _ in 0..12 {
            let value = double(interesting_double(&mut draw));
            statements.push(format!(
                "printf(\"{function} %016llx %08x\\n\", (unsigned long long)to_bits({function}({value})), to_bits32({function}f((float){value})));"
            ));
        }
    }
    for function in ["fmod", "remainder", "pow", "atan2", "hypot", "fmin", "fmax", "fdim", "copysign"] {
        for _ in 0..12 {
            let (x, y) = (double(interesting_double(&mut draw)), double(interesting_double(&mut draw)));
            statements.push(format!(
                "printf(\"{function} %016llx\\n\", (unsigned long long)to_bits({function}({x}, {y})));"
            ));
        }
    }
    for function in ["fmodl", "remainderl", "floorl", "ceill", "truncl", "roundl", "rintl", "fabsl", "fminl"]
    {
        for _ in 0..8 {
            let (x, y) = (double(interesting_double(&mut draw)), double(interesting_double(&mut draw)));
            let second = if matches!(function, "fmodl" | "remainderl" | "fminl") {
                format!(", (long double){y} * 1.1L")
            } else {
                String::new()
            };
            statements
                .push(format!("printf(\"{function} %La\\n\", {function}((long double){x} * 0.7L{second}));"));
        }
    }
    compare("floating_arithmetic", &program(FROM_BITS, &statements));
}

#[test]
fn integer_arithmetic_and_conversions() {
    let mut draw = Random::new(4);
    let types = [
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned",
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "_Bool",
        "__int128",
        "unsigned __int128",
    ];
    let mut statements = Vec::new();
    for _ in 0..2000 {
        let (a, b) = (types[draw.below(types.len())], types[draw.below(types.len())]);
        let to = types[draw.below(types.len())];
        let (x, y) = (draw.bits() >> draw.below(64), (draw.bits() >> draw.below(63)) | 1);
        let wide = draw.below(2);
        let value = format!("({a})((__int128){x:#x}ull << {})", wide * draw.below(70));
        let op = draw
            .one_of(&["&", "|", "^", "<", "<=", "==", "!=", ">", ">=", "%", "/", "+", "-", "*", "<<", ">>"]);
        let expression = match op {
            // Arithmetic that cannot overflow: in unsigned 128 bits, or of small signed values.
            "+" | "-" | "*" => match draw.below(3) {
                0 => format!("(unsigned __int128){value} {op} ({b}){y:#x}ull"),
                1 => format!("(unsigned long){value} {op} (unsigned long)({b}){y:#x}ull"),
                _ => format!("({a}){} {op} ({b}){}", x % 100, y % 100),
            },
            "<<" => format!("(unsigned __int128){value} << {}", y % 128),
            ">>" => format!("{value} >> {}", y % 8),
            "%" | "/" => format!(
                "({value}) {op} (({b}){y:#x}ull == 0 || ({b}){y:#x}ull == ({b})-1 ? ({b})1 : ({b}){y:#x}ull)"
            ),
            _ => format!("{value} {op} ({b}){y:#x}ull"),
        };
        statements.push(format!("show(({to})({expression}));"));
    }
    let head = "static void show(__int128 v) { printf(\"%016llx%016llx\\n\", (unsigned long long)(v >> 64), (unsigned long long)v); }";
    compare("integer_arithmetic", &program(head, &statements));
}
