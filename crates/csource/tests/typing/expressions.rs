//! Types of expressions and values of constants: what we say is put to gcc, for both data models.

#![allow(clippy::print_stderr, reason = "a test that cannot compare says so")]

use crate::common::{analyse, errors, gcc_is_present};
use csource::Session;
use csource::types::DataModel;
use std::fmt::Write;
use testkit::Random;

const MODELS: [DataModel; 2] = [DataModel::Lp64, DataModel::Ilp32];

/// gcc's messages on a text; `None` without gcc.
fn gcc_errors(text: &str, model: DataModel, name: &str) -> Option<String> {
    if !gcc_is_present() {
        eprintln!("no gcc: our answers are not compared");
        return None;
    }
    let file = std::env::temp_dir().join(format!("concord-{name}-{model:?}-{}.c", std::process::id()));
    std::fs::write(&file, text).expect("the temporary folder is writable");
    let output = std::process::Command::new("gcc")
        .args(["-w", "-std=gnu11", "-fsyntax-only", if model == DataModel::Lp64 { "-m64" } else { "-m32" }])
        .arg(&file)
        .output()
        .expect("gcc ran before");
    std::fs::remove_file(&file).expect("ours");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    Some(if output.status.success() { String::new() } else { messages })
}

/// Assertions that hold in C; both sides must agree.
const ASSERTIONS: &str = include_str!("assertions.c");

#[test]
fn assertions_hold_for_gcc_and_for_us() {
    for model in MODELS {
        let (session, _) = analyse(ASSERTIONS, model);
        assert!(errors(&session).is_empty(), "{model:?}\n{}", errors(&session).join("\n"));
        if let Some(messages) = gcc_errors(ASSERTIONS, model, "assertions") {
            assert_eq!(messages, "", "{model:?}");
        }
    }
}

/// The same assertions negated must all fail: the test above can fail.
#[test]
fn negated_assertions_fail() {
    let prelude: Vec<&str> =
        ASSERTIONS.lines().take_while(|line| !line.starts_with("// ASSERTIONS")).collect();
    let asserted: Vec<&str> = ASSERTIONS.lines().filter(|line| line.contains("_Static_assert(")).collect();
    assert!(asserted.len() > 150, "{}", asserted.len());
    for line in asserted {
        let negated = line.replacen("_Static_assert(", "_Static_assert(!(", 1).replacen(", \"", "), \"", 1);
        let negated = if line.matches(", \"").count() == 1 { negated } else { continue };
        let (session, _) = analyse(&format!("{}\n{negated}\n", prelude.join("\n")), DataModel::Lp64);
        let found = errors(&session);
        assert!(found.iter().any(|error| error.contains("static assertion failed")), "{negated}: {found:?}");
    }
}

const LEAVES: &[&str] = &[
    "c",
    "sc",
    "uc",
    "s",
    "us",
    "i",
    "u",
    "l",
    "ul",
    "ll",
    "ull",
    "b",
    "f",
    "d",
    "ld",
    "en",
    "en2",
    "st.b3",
    "st.u7",
    "st.u31",
    "st.u32",
    "st.i32",
    "st.l20",
    "st.ul32",
    "st.bl",
    "st.e2",
    "st.c5",
    "1",
    "2u",
    "3l",
    "4ul",
    "5ll",
    "6ull",
    "'x'",
    "0x80000000",
    "2147483648",
    "0xffffffffffffffff",
    "1.5",
    "1.5f",
    "1.5l",
    "ENUMERATOR",
    "BIG",
];

const DECLARATIONS: &str = "
char c; signed char sc; unsigned char uc; short s; unsigned short us; int i; unsigned u; long l; unsigned long ul;
long long ll; unsigned long long ull; _Bool b; float f; double d; long double ld;
enum e { ENUMERATOR, OTHER } en; enum e2 { NEGATIVE = -1, BIG = 0x80000000 } en2;
struct { int b3 : 3; unsigned u7 : 7; unsigned u31 : 31; unsigned u32 : 32; int i32 : 32; long l20 : 20; unsigned long ul32 : 32;
  _Bool bl : 1; enum e e2 : 2; char c5 : 5; } st;
int *ip; const int *cip; char *cp; void *vp; const void *cvp; int ia[4]; struct rec { int x; } rec; struct rec *rp;
int fn(int); int (*fp)(int);
";

fn integer_expression(random: &mut Random, depth: usize) -> String {
    let is_float = |leaf: &str| ["f", "d", "ld", "1.5", "1.5f", "1.5l"].contains(&leaf);
    if depth == 0 {
        loop {
            let leaf = random.pick(LEAVES);
            if !is_float(leaf) {
                return (*leaf).to_owned();
            }
        }
    }
    let a = integer_expression(random, depth - 1);
    match random.below(7) {
        0 => format!("(~({a}))"),
        1 => format!("(({a}) % ({}))", integer_expression(random, depth - 1)),
        2 => format!("(({a}) << ({}))", integer_expression(random, depth - 1)),
        3 => format!("(({a}) | ({}))", integer_expression(random, depth - 1)),
        4 => format!("(({a}) >> ({}))", integer_expression(random, depth - 1)),
        5 => format!("(({a}) ^ ({}))", integer_expression(random, depth - 1)),
        _ => format!("(i ? ({a}) : ({}))", integer_expression(random, depth - 1)),
    }
}

fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return (*random.pick(LEAVES)).to_owned();
    }
    if random.one_in(3) {
        return integer_expression(random, depth);
    }
    let a = expression(random, depth - 1);
    let operators = ["+", "-", "*", "/", "<", "==", "&&", "||"];
    match random.below(8) {
        0 => format!("(-({a}))"),
        1 => format!("(+({a}))"),
        2 => format!("(!({a}))"),
        3 => format!("(i ? ({a}) : ({}))", expression(random, depth - 1)),
        4 => format!("(({a}) ?: ({}))", expression(random, depth - 1)),
        5 => format!(
            "(({})({a}))",
            random.pick(&["char", "unsigned short", "long", "float", "_Bool", "enum e"])
        ),
        _ => format!("(({a}) {} ({}))", random.pick(&operators), expression(random, depth - 1)),
    }
}

const POINTERS: &[&str] = &[
    "ip",
    "cip",
    "cp",
    "vp",
    "cvp",
    "ia",
    "(ip + 1)",
    "(1 + ia)",
    "&i",
    "&ia",
    "&ia[1]",
    "rp",
    "&rp->x",
    "&rec",
    "fp",
    "fn",
    "&fn",
    "\"text\"",
    "(ia - 1)",
    "ip++",
    "&*ip",
    "(void *)0",
    "(char *)0",
    "*fp",
    "(i ? ip : 0)",
    "(i ? vp : ip)",
    "(i ? cip : ip)",
    "(i ? cp : (void *)0)",
    "(ip ?: (void *)0)",
    "(i ? ia : ip)",
    "(i ? cvp : ip)",
    "(0 ? fp : fn)",
    "L\"wide\"",
    "u\"16\"",
    "(cp, ip)",
    "(ip = 0)",
    "(ip += 1)",
    "ip - ip",
    "cp - cp",
    "&ip[2] - ia",
    "sizeof ia",
    "_Alignof(int)",
    "ip == 0",
    "!ip",
    "ip && cp",
    "*cip",
    "ia[1]",
    "2[ia]",
    "*\"text\"",
    "rp->x",
    "fn(1)",
    "(*fp)(2)",
    "(i, ld)",
    "({ int x = 1; x; })",
    "({ ia; })",
    "(struct rec){1}",
    "&(struct rec){1}",
    "(int[]){1,2,3}",
    "i++",
    "--l",
    "c += 1",
    "(us = 5)",
    "__func__",
    "__builtin_expect(i, 0)",
    "__builtin_offsetof(struct rec, x)",
    "__builtin_choose_expr(1, l, f)",
    "_Generic(c, char: 1u, int: 2l)",
    "__builtin_clz(1)",
    "__builtin_bswap64(1)",
    "__builtin_strlen(cp)",
    "__builtin_fabs(1)",
    "__builtin_inff()",
    "__builtin_isnan(d)",
    "__builtin_add_overflow(i, l, &c)",
    "__sync_fetch_and_add(&s, 1)",
    "__atomic_load_n(&ull, 5)",
    "__builtin_memcpy(vp, cvp, 1)",
    "__atomic_compare_exchange_n(&i, ip, 1, 0, 5, 5)",
    "__builtin_constant_p(i)",
    "__builtin_object_size(vp, 0)",
    "__builtin_alloca(3)",
    "__builtin_ffsll(1)",
    "__builtin_popcountl(1)",
    "__builtin_huge_vall()",
    "__builtin_strchr(cp, 1)",
    "__builtin_isless(f, d)",
    "__builtin_frame_address(0)",
    "__builtin_va_arg(*(__builtin_va_list *)0, short *)",
    "__builtin_nanf(\"\")",
];

/// Our type of each expression is what gcc says it is.
#[test]
fn types_of_random_expressions_agree_with_gcc() {
    let count = if std::env::var_os("CONCORD_DEEP").is_some() { 20_000 } else { 1_500 };
    for model in MODELS {
        let mut random = Random::new(11);
        let mut text = format!("{DECLARATIONS}\nvoid test(void) {{\n");
        let mut expressions: Vec<String> = POINTERS.iter().map(|&e| e.to_owned()).collect();
        for _ in 0..count {
            let depth = 1 + random.below(3);
            let e = expression(&mut random, depth);
            // A conditional of two equal bit-fields keeps their type in gcc; `+` makes it nameable.
            expressions.push(format!("(+({e}))"));
        }
        for (number, e) in expressions.iter().enumerate() {
            writeln!(text, "__typeof__({e}) *t{number};").expect("a string");
        }
        text.push_str("}\n");
        let (session, unit) = analyse(&text, model);
        assert!(errors(&session).is_empty(), "{}", errors(&session).join("\n"));
        let mut claims = text.trim_end().trim_end_matches('}').to_owned();
        let mut claimed = 0;
        for variable in &unit.variables {
            let Some(number) = variable.name.strip_prefix('t').and_then(|rest| rest.parse::<usize>().ok())
            else {
                continue;
            };
            let shown = session.types.show(variable.ty.id);
            writeln!(
                claims,
                "_Static_assert(__builtin_types_compatible_p(__typeof__(t{number}), {shown}), \"{} is not {shown}\");",
                expressions[number].replace('"', "'")
            )
            .expect("a string");
            claimed += 1;
        }
        claims.push_str("}\n");
        assert_eq!(claimed, expressions.len());
        if let Some(messages) = gcc_errors(&claims, model, "types") {
            let found: Vec<&str> = messages.lines().filter(|line| line.contains("error")).take(20).collect();
            assert!(found.is_empty(), "{model:?}\n{}", found.join("\n"));
        }
    }
}

fn constant(random: &mut Random, depth: usize) -> String {
    const LITERALS: &[&str] = &[
        "0",
        "1",
        "2",
        "7",
        "255",
        "2147483647",
        "4294967295",
        "0x80000000",
        "1u",
        "4294967295u",
        "3l",
        "9223372036854775807",
        "5ul",
        "0xffffffffffffffff",
        "'a'",
        "'\\377'",
        "1.5",
        "2.25f",
        "1e10",
        "0.1l",
        "-1",
        "ENUMERATOR",
        "NEGATIVE",
        "BIG",
        "sizeof(int)",
        "sizeof(long double)",
        "1e30",
    ];
    if depth == 0 {
        return (*random.pick(LITERALS)).to_owned();
    }
    let a = constant(random, depth - 1);
    let b = constant(random, depth - 1);
    let types = [
        "char",
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
        "float",
        "double",
        "long double",
    ];
    match random.below(10) {
        0 => format!("(-({a}))"),
        1 => format!("(!({a}))"),
        2 => format!("(~(long)({a}))"),
        3 => format!("(({a}) ? ({b}) : ({}))", constant(random, depth - 1)),
        4 => format!("(({})({a}))", random.pick(&types)),
        5 => format!("((unsigned long)({a}) >> ({}))", random.below(32)),
        6 => format!("((unsigned)({a}) << ({}))", random.below(32)),
        7 => format!("(({a}) {} ({b}))", random.pick(&["<", ">", "<=", ">=", "==", "!=", "&&", "||"])),
        8 => format!("((long long)({a}) {} (long long)({b}))", random.pick(&["&", "|", "^", "%", "/"])),
        _ => format!("(({a}) {} ({b}))", random.pick(&["+", "-", "*", "/"])),
    }
}

/// The value we fold each constant expression to is gcc's.
#[test]
fn constants_fold_as_in_gcc() {
    let count = if std::env::var_os("CONCORD_DEEP").is_some() { 20_000 } else { 3_000 };
    for model in MODELS {
        let mut random = Random::new(5);
        let declarations = "enum e { ENUMERATOR = 3, NEGATIVE = -1 }; enum e2 { BIG = 0x80000000 };\n";
        // Sixteen bits at a time, so that every value is an enumerator of type `int`.
        let expressions: Vec<String> = (0..count)
            .map(|_| {
                let depth = 1 + random.below(4);
                format!("(unsigned long long)({})", constant(&mut random, depth))
            })
            .collect();
        let mut claims = declarations.to_owned();
        let mut folded = 0;
        // Few at a time: past 50 errors a session keeps no more of them.
        for (chunk, group) in expressions.chunks(20).enumerate() {
            let mut text = declarations.to_owned();
            for (number, e) in group.iter().enumerate() {
                writeln!(
                    text,
                    "enum {{ L{number} = (({e})) & 0x7fffffff, H{number} = (({e}) >> 31) & 0x7fffffff }};"
                )
                .expect("a string");
            }
            let (session, _) = analyse(&text, model);
            for entry in session.types.enums.iter() {
                let Some([(low_name, low), (_, high)]) = entry.constants.as_deref() else { continue };
                let Some(number) = low_name.strip_prefix('L').and_then(|rest| rest.parse::<usize>().ok())
                else {
                    continue;
                };
                // What divides by zero is not constant for us.
                if refused(&session, &text, number) {
                    continue;
                }
                folded += 1;
                let e = &expressions[chunk * 20 + number];
                writeln!(
                    claims,
                    "_Static_assert((({e}) & 0x7fffffff) == {low} && (({e}) >> 31 & 0x7fffffff) == {high}, \"{e} is not {high} {low}\");"
                )
                .expect("a string");
            }
        }
        assert!(folded > count / 2, "{folded} of {count}");
        if let Some(messages) = gcc_errors(&claims, model, "constants") {
            let found: Vec<&str> = messages.lines().filter(|line| line.contains("error")).collect();
            // gcc does not call an expression constant that overflows on the way; its value is then not asserted.
            let wrong: Vec<&&str> =
                found.iter().filter(|line| line.contains("static assertion failed")).take(10).collect();
            assert!(
                wrong.is_empty(),
                "{model:?}\n{}",
                wrong.iter().map(|line| **line).collect::<Vec<_>>().join("\n")
            );
            assert!(found.len() < folded / 2, "{} of {folded} are not constant for gcc", found.len());
        }
    }
}

/// Did we refuse the enumerator of that number?
fn refused(session: &Session, text: &str, number: usize) -> bool {
    session.diagnostics.iter().filter(|d| d.severity == base::Severity::Error).any(|d| {
        let base = 1;
        let line_start = text[..(d.span.start - base) as usize].rfind('\n').map_or(0, |at| at + 1);
        text[line_start..].starts_with(&format!("enum {{ L{number} ="))
    })
}
