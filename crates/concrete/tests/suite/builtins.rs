//! The compiler's builtins against gcc: each test writes one C file, compiles it with `cc -O0`, runs it both ways, and compares the lines.
//! What we give no meaning must end a run as unknown, never with a value.

use crate::common;

use concrete::{Captured, RunOutcome, SeededInputs, Settings};
use std::fmt::Write;
use testkit::Random;

/// A number with few or many significant bits, of either sign.
fn number(draw: &mut Random) -> u64 {
    let shift = draw.bits() % 64;
    let value = draw.bits() >> shift;
    match draw.bits() % 4 {
        0 => value.wrapping_neg(),
        1 => !0 << shift,
        _ => value,
    }
}

fn run_ours(name: &str, text: &str) -> (RunOutcome, String) {
    let path = common::scratch(&format!("{name}.c"));
    std::fs::write(&path, text).expect("the scratch directory can be written");
    let program = testkit::c::load(&path, program::DataModel::Lp64);
    let mut host = Captured::default();
    let run = concrete::run(&program, &Settings::default(), &mut host, &mut SeededInputs::new(0));
    (run.outcome, String::from_utf8_lossy(&host.out).into_owned())
}

/// Runs the text both ways and compares line by line.
fn compare(name: &str, text: &str, least_lines: usize) {
    let (outcome, ours) = run_ours(name, text);
    assert!(matches!(outcome, RunOutcome::Exited(0)), "{name}: {outcome:?}");
    assert!(ours.lines().count() >= least_lines, "{name} prints too little to mean anything");
    if !common::has_compiler() {
        return;
    }
    let compiled = common::compile_and_run(&common::scratch(&format!("{name}.c")), b"");
    let theirs = String::from_utf8_lossy(&compiled.out).into_owned();
    assert_eq!(compiled.status, 0, "{name}");
    let lines = ours.lines().zip(theirs.lines()).filter(|(our, their)| our != their);
    let different: Vec<String> = lines.map(|(our, their)| format!("ours {our} | gcc {their}")).collect();
    assert!(different.is_empty(), "{name}:\n{}", different.join("\n"));
    assert_eq!(ours.lines().count(), theirs.lines().count(), "{name}");
}

fn program_of(globals: &str, lines: &[String]) -> String {
    let mut text = format!("int printf(const char *, ...);\n{globals}\nint main(void) {{\n");
    for line in lines {
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("return 0; }\n");
    text
}

#[test]
fn bits_are_counted_as_gcc_counts_them() {
    let mut draw = Random::new(1);
    let mut lines = Vec::new();
    for _ in 0..60 {
        let value = number(&mut draw);
        for (suffix, ty) in [("", "unsigned"), ("l", "unsigned long"), ("ll", "unsigned long long")] {
            for stem in ["popcount", "parity", "ffs", "clrsb", "clz", "ctz"] {
                let may_be_zero = !matches!(stem, "clz" | "ctz");
                let guard = if may_be_zero { "1" } else { "v" };
                lines.push(format!(
                    "{{ {ty} v = ({ty}){value}ULL; if ({guard}) printf(\"{stem}{suffix} {value} %d\\n\", __builtin_{stem}{suffix}(v)); }}"
                ));
            }
        }
        lines.push(format!(
            "{{ unsigned long v = {value}ULL; printf(\"swap %x %x %lx\\n\", __builtin_bswap16(v), __builtin_bswap32(v), __builtin_bswap64(v)); \
             unsigned __int128 w = __builtin_bswap128((unsigned __int128)v * 0x123456789abcdefULL); printf(\"%lx %lx\\n\", (unsigned long)w, (unsigned long)(w >> 64)); }}"
        ));
    }
    compare("builtin_bits", &program_of("", &lines), 1000);
}

#[test]
fn overflow_is_told_as_gcc_tells_it() {
    let mut draw = Random::new(2);
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
    ];
    let mut lines = Vec::new();
    for _ in 0..400 {
        let (a, b, r) = (draw.one_of(&types), draw.one_of(&types), draw.one_of(&types));
        let (x, y, op) = (number(&mut draw), number(&mut draw), draw.one_of(&["add", "sub", "mul"]));
        lines.push(format!(
            "{{ {a} x = ({a}){x}ULL; {b} y = ({b}){y}ULL; {r} r; int o = __builtin_{op}_overflow(x, y, &r); \
             printf(\"%d %lld %d\\n\", o, (long long)r, __builtin_{op}_overflow_p(x, y, ({r})0)); }}"
        ));
    }
    for (letter, ty) in [("s", "int"), ("u", "unsigned")] {
        for width in ["", "l", "ll"] {
            let ty = match (width, ty) {
                ("", _) => ty.to_owned(),
                ("l", "int") => "long".to_owned(),
                ("l", _) => "unsigned long".to_owned(),
                (_, "int") => "long long".to_owned(),
                _ => "unsigned long long".to_owned(),
            };
            for op in ["add", "sub", "mul"] {
                for _ in 0..4 {
                    let (x, y) = (number(&mut draw), number(&mut draw));
                    lines.push(format!(
                        "{{ {ty} r; int o = __builtin_{letter}{op}{width}_overflow(({ty}){x}ULL, ({ty}){y}ULL, &r); printf(\"%d %lld\\n\", o, (long long)r); }}"
                    ));
                }
            }
        }
    }
    compare("builtin_overflow", &program_of("", &lines), 450);
}

#[test]
fn floats_are_classified_as_gcc_classifies_them() {
    let values = [
        "0.0",
        "-0.0",
        "1.5",
        "-1.5",
        "__builtin_inf()",
        "-__builtin_inf()",
        "__builtin_nan(\"\")",
        "-__builtin_nan(\"3\")",
        "1e-310",
        "-1e-310",
        "2.2250738585072014e-308",
        "1e308",
        "1e-40",
        "__builtin_huge_val()",
        "3e38",
    ];
    let mut lines = Vec::new();
    for ty in ["float", "double", "long double"] {
        for value in values {
            lines.push(format!(
                "{{ volatile {ty} x = ({ty})({value}); {ty} v = x; printf(\"%d %d %d %d %d %d %d\\n\", !!__builtin_isnan(v), !!__builtin_isinf(v), \
                 !!__builtin_isfinite(v), !!__builtin_isnormal(v), !!__builtin_signbit(v), __builtin_isinf_sign(v), \
                 __builtin_fpclassify(1, 2, 3, 4, 5, v)); }}"
            ));
            for other in values {
                lines.push(format!(
                    "{{ {ty} v = ({ty})({value}), w = ({ty})({other}); printf(\"%d%d%d%d%d%d\\n\", __builtin_isless(v, w), __builtin_islessequal(v, w), \
                     __builtin_isgreater(v, w), __builtin_isgreaterequal(v, w), __builtin_islessgreater(v, w), __builtin_isunordered(v, w)); }}"
                ));
            }
        }
    }
    compare("builtin_floats", &program_of("", &lines), 700);
}

#[test]
fn atomics_do_what_they_do_one_after_the_other() {
    let mut draw = Random::new(3);
    let mut lines = Vec::new();
    for ty in ["signed char", "unsigned short", "int", "unsigned", "long", "unsigned long long"] {
        for _ in 0..10 {
            let (x, y) = (number(&mut draw), number(&mut draw));
            let mut line = format!("{{ {ty} v = ({ty}){x}ULL, y = ({ty}){y}ULL, w; ");
            for op in ["add", "sub", "and", "or", "xor", "nand"] {
                for call in [
                    format!("__sync_fetch_and_{op}(&v, y)"),
                    format!("__sync_{op}_and_fetch(&v, y)"),
                    format!("__atomic_fetch_{op}(&v, y, __ATOMIC_SEQ_CST)"),
                    format!("__atomic_{op}_fetch(&v, y, __ATOMIC_RELAXED)"),
                ] {
                    let _ =
                        write!(line, "w = {call}; printf(\"%lld %lld\\n\", (long long)v, (long long)w); ");
                }
            }
            line.push_str(
                "w = v; printf(\"%d\", __sync_bool_compare_and_swap(&v, w, y)); printf(\" %lld\", (long long)__sync_val_compare_and_swap(&v, w, y)); \
                 printf(\" %lld\", (long long)__sync_lock_test_and_set(&v, w)); __sync_lock_release(&v); printf(\" %lld\", (long long)v); \
                 __atomic_store_n(&v, y, __ATOMIC_RELEASE); printf(\" %lld\", (long long)__atomic_load_n(&v, __ATOMIC_ACQUIRE)); \
                 printf(\" %lld\", (long long)__atomic_exchange_n(&v, w, __ATOMIC_SEQ_CST)); \
                 printf(\" %d %lld\", __atomic_compare_exchange_n(&v, &w, y, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST), (long long)w); \
                 __atomic_load(&v, &w, __ATOMIC_SEQ_CST); __atomic_store(&v, &y, __ATOMIC_SEQ_CST); __atomic_thread_fence(__ATOMIC_SEQ_CST); __sync_synchronize(); \
                 printf(\" %lld %lld %d\\n\", (long long)v, (long long)w, __atomic_always_lock_free(sizeof v, 0)); }",
            );
            lines.push(line);
        }
    }
    lines.push("{ char f = 0; int a = __atomic_test_and_set(&f, __ATOMIC_SEQ_CST), b = __atomic_test_and_set(&f, __ATOMIC_SEQ_CST); __atomic_clear(&f, __ATOMIC_SEQ_CST); printf(\"%d %d %d\\n\", a, b, f); }".into());
    compare("builtin_atomics", &program_of("", &lines), 1400);
}

#[test]
fn questions_about_types_and_constants_are_answered_at_compile_time() {
    let globals = "struct s { int a; char b[3]; struct { long c; } d[2]; }; enum e { E1, E2 }; enum g { G1 = -1 }; int global; const int constant = 3; static int f(void) { return 1; }";
    let mut lines = Vec::new();
    for question in [
        "__builtin_constant_p(3)",
        "__builtin_constant_p(\"x\")",
        "__builtin_constant_p(global)",
        "__builtin_constant_p(constant)",
        "__builtin_constant_p(sizeof(global))",
        "__builtin_constant_p(3 + 4 * 2)",
        "__builtin_constant_p(&global)",
        "__builtin_constant_p(1.5)",
        "__builtin_constant_p(f())",
        "__builtin_constant_p((void *)0)",
        "__builtin_constant_p(global, 1)",
        "__builtin_constant_p(E2)",
        "__builtin_types_compatible_p(int, signed)",
        "__builtin_types_compatible_p(int, const int)",
        "__builtin_types_compatible_p(int, long)",
        "__builtin_types_compatible_p(int[], int[3])",
        "__builtin_types_compatible_p(char *, const char *)",
        "__builtin_types_compatible_p(char, signed char)",
        "__builtin_types_compatible_p(struct s, struct s)",
        "__builtin_types_compatible_p(__typeof__(f), int (void))",
        "__builtin_types_compatible_p(enum e, enum g)",
        "__builtin_classify_type(1)",
        "__builtin_classify_type('c')",
        "__builtin_classify_type(1.0f)",
        "__builtin_classify_type(&global)",
        "__builtin_classify_type(*(struct s *)0)",
        "__builtin_classify_type(E1)",
        "__builtin_classify_type(\"x\")",
        "(int)__builtin_offsetof(struct s, d[1].c)",
        "(int)__builtin_offsetof(struct s, b[2])",
        "(int)__builtin_choose_expr(1, 3, 4.5)",
        "(int)sizeof(__builtin_choose_expr(0, 3, 4.5))",
        "(int)__builtin_expect(global + 5, 1)",
        "(int)__builtin_expect_with_probability(global + 6, 1, 0.9)",
        "(int)sizeof(__builtin_expect(1, 1))",
        "__builtin_speculation_safe_value(global + 7)",
        "__builtin_speculation_safe_value(global + 7, 0)",
        "__builtin_LINE()",
        "(int)__builtin_strlen(__builtin_FUNCTION())",
        "__builtin_assume_aligned(&global, 4) == &global",
        "__builtin_abs(-4)",
        "(int)__builtin_labs(-5L)",
        "__builtin_memcmp(\"a\", \"a\", 1)",
        "(int)__builtin_strlen(\"four\")",
        "__builtin_toupper('a')",
        "(int)__builtin_fabs(-3.0)",
        "(int)__builtin_sqrt(16.0)",
        "__builtin_strcmp(\"a\", \"a\")",
    ] {
        // A comma in a question is a question with too many arguments: gcc rejects it too.
        if question.contains("global, 1") {
            continue;
        }
        lines.push(format!("printf(\"%s %d\\n\", \"{}\", {question});", question.replace('"', "'")));
    }
    lines.push("{ char a[8] = \"abcdefg\"; __builtin_memcpy(a, \"xy\", 2); __builtin_memmove(a + 1, a, 3); __builtin_memset(a + 5, 'z', 2); printf(\"%s\\n\", a); \
        __builtin___memcpy_chk(a, \"12\", 2, 8); __builtin___strcpy_chk(a + 2, \"34\", 6); __builtin___strcat_chk(a, \"5\", 8); __builtin___memset_chk(a, 'q', 1, 8); printf(\"%s\\n\", a); \
        __builtin_prefetch(a); int *p = __builtin_alloca(16); p[3] = 4; int *q = __builtin_alloca_with_align(16, 128); q[3] = p[3]; printf(\"%d\\n\", q[3]); }".into());
    compare("builtin_questions", &program_of(globals, &lines), 45);
}

#[test]
fn sizes_of_objects_are_those_of_gcc_or_unknown() {
    let globals = "struct in { char a[4]; int b[3]; }; struct s { int x; char buf[10]; struct in in[2]; char tail[6]; } gs, gsa[3], *gp; \
        union u { char c[8]; int i; double d[2]; } gu; struct one { int n; char d[1]; } one1; struct zero { int n; char d[0]; } zero0; \
        char ga[5], *gptr = ga; int gi, m[3][4]; static const char lit[] = \"hello\"; volatile char va[6]; int fun(void) { return 0; }";
    let pointers = [
        "ga",
        "&ga",
        "&ga[1]",
        "ga + 1",
        "gs.buf",
        "&gs.buf",
        "&gs.buf[3]",
        "gs.buf + 3",
        "&gs",
        "&gs + 1",
        "gsa",
        "&gsa[1]",
        "&gsa[1].buf[2]",
        "gsa[1].buf + 2",
        "gsa[2].in[1].b",
        "&gsa[2].in[1].b[1]",
        "&gsa[k]",
        "&gsa[k].buf",
        "&gsa[k].buf[3]",
        "gsa + 1",
        "(gsa + 1)->buf",
        "gp",
        "gp->buf",
        "&gp->buf[1]",
        "gp->in[0].b",
        "lp",
        "lp->buf",
        "&l",
        "l.in[1].b",
        "l.tail",
        "&l.tail[1]",
        "la",
        "la[1].tail",
        "\"hello\"",
        "\"hello\" + 2",
        "&\"hello\"[1]",
        "lit",
        "lit + 1",
        "(void *)0",
        "(char *)16",
        "fun",
        "&fun",
        "gptr",
        "&gptr",
        "m",
        "m[1]",
        "&m[1][2]",
        "m[1] + 2",
        "*m",
        "&m[1]",
        "*(m + 1)",
        "m[k]",
        "&m[k][1]",
        "&gu",
        "gu.c",
        "&gu.c[3]",
        "&gu.i",
        "&gu.d[1]",
        "one1.d",
        "&one1.d[0]",
        "zero0.d",
        "&zero0",
        "&gs.in[k].b[1]",
        "&gi",
        "&gi + 1",
        "(char *)&gs + 4",
        "(char *)gs.buf + 1",
        "&((char *)&gs)[5]",
        "((struct in *)&gs)->b",
        "(struct in *)ga",
        "((struct in *)ga)->b",
        "&gs.in[5].b[1]",
        "&ga[100]",
        "__func__",
        "&k",
        "ga + (k++)",
        "&gs.in",
        "gs.in + 1",
        "&gs.buf[0] + 1",
        "1 + &gs.buf[1] + 1",
        "vla",
        "&vla[1]",
        "loc + k",
        "&loc[k]",
        "loc - 1",
        "&loc[-1]",
        "(char *)loc",
        "(int *)&loc[1]",
        "&*loc",
        "*&loc",
        "1 ? loc : ga",
        "0 ? loc : ga",
        "(0, loc)",
        "k ? loc : ga",
        "(char *)(long)loc",
        "(1, &loc[1])",
        "1 ? &loc[1] : ga",
        "(char *)&loc[2]",
        "(&loc[2])",
        "(char *)(loc + 2)",
        "va",
        "&va[2]",
        "(void *)(struct in *)&gs.buf[2]",
        "loc + 0",
        "&loc[0]",
        "loc + 7",
        "&loc[7]",
    ];
    let locals = "int k = 1; struct s l, *lp = &l, la[2]; char loc[7]; char vla[k + 3]; (void)lp;";
    let mut asked = Vec::new();
    for pointer in pointers {
        for builtin in ["__builtin_object_size", "__builtin_dynamic_object_size"] {
            for kind in 0..4 {
                asked.push(format!("printf(\"%ld\\n\", (long){builtin}({pointer}, {kind}));"));
            }
        }
    }
    let whole = program_of(globals, &[locals.to_owned(), asked.concat()]);
    if !common::has_compiler() {
        return;
    }
    let path = common::scratch("object_sizes.c");
    std::fs::write(&path, &whole).expect("the scratch directory can be written");
    let compiled = common::compile_and_run(&path, b"");
    let theirs: Vec<String> = String::from_utf8_lossy(&compiled.out).lines().map(str::to_owned).collect();
    assert_eq!(theirs.len(), asked.len());
    let (mut same, mut different) = (0, Vec::new());
    // All questions about one pointer at once; one by one where some have no answer.
    for (lines, theirs) in asked.chunks(8).zip(theirs.chunks(8)) {
        let (outcome, ours) =
            run_ours("object_size", &program_of(globals, &[locals.to_owned(), lines.concat()]));
        if matches!(outcome, RunOutcome::Exited(0)) && ours.lines().eq(theirs.iter().map(String::as_str)) {
            same += lines.len();
            continue;
        }
        for (line, their) in lines.iter().zip(theirs) {
            let (outcome, ours) =
                run_ours("object_size", &program_of(globals, &[locals.to_owned(), line.clone()]));
            match outcome {
                RunOutcome::Exited(0) if ours.trim() == their => same += 1,
                RunOutcome::Unknown(_) => {}
                _ => different.push(format!("{line} ours {} gcc {their}", ours.trim())),
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(same * 10 > asked.len() * 7, "only {same} of {} have a value", asked.len());
}

#[test]
fn a_checked_variant_ends_the_run_rather_than_write_past_its_size() {
    for call in [
        "__builtin___memcpy_chk(a, \"abc\", 4, 3)",
        "__builtin___memset_chk(a, 0, 5, 4)",
        "__builtin___strcpy_chk(a, \"abcd\", 4)",
        "__builtin___strcat_chk(a, \"abcdefg\", 7)",
        "__builtin___strncpy_chk(a, \"abc\", 5, 4)",
    ] {
        let text = program_of("", &[format!("char a[16] = {{0}}; {call}; printf(\"past\\n\");")]);
        let (outcome, said) = run_ours("checked_variant", &text);
        assert!(!matches!(outcome, RunOutcome::Exited(_)), "{call}: {outcome:?}");
        assert!(said.is_empty(), "{call}");
    }
}

#[test]
fn builtins_without_a_meaning_end_a_run_as_unknown() {
    for call in [
        "__builtin_frame_address(0) != 0",
        "__builtin_return_address(0) != 0",
        "__builtin_powi(2.0, 3) > 0",
        "__builtin_bitreverse8(1)",
        "__builtin_cpu_supports(\"sse2\")",
        "__builtin_add_overflow_p(1, 1, s.b)",
        "__builtin_object_size(ga - 1, 0) > 0",
        "__builtin___snprintf_chk(ga, 5, 1, 3, \"x\")",
        "__CPROVER_havoc_object(ga), 1",
        "__ESBMC_init_object(ga), 1",
    ] {
        let text = program_of(
            "char ga[5]; struct { int b : 3; } s;",
            &[format!("printf(\"%d\\n\", (int)({call}));")],
        );
        let (outcome, said) = run_ours("no_meaning", &text);
        assert!(matches!(outcome, RunOutcome::Unknown(_)), "{call}: {outcome:?} {said}");
    }
}
