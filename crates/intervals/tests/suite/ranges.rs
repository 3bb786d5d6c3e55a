//! What is found out about small programs. A comment `// x in LOW..HIGH` after a statement says what must be
//! known there.

use crate::common;

use base::Budget;
use intervals::Value;
use intervals::{Analysis, Settings, analyse};
use program::{NodeId, ProcedureId, Program};

/// Programs: after each `@ name = text`, the range of the variable when `mark` with that number is called.
fn check(name: &str, text: &str, expected: &[(&str, &str)]) {
    let program = common::load_text(name, text);
    let settings = Settings::default();
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    for (variable, range) in expected {
        assert_eq!(shown_at_mark(&program, &analysis, variable), *range, "{name}: {variable}\n{text}");
    }
}

/// The value of a variable of `main` (or global) at the node where `mark()` is called.
fn shown_at_mark(program: &Program, analysis: &Analysis<'_>, variable: &str) -> String {
    let (procedure, node) = mark(program);
    let Some(point) = analysis.at(procedure, node) else { return "unreached".into() };
    let id = program
        .variables
        .iter_enumerated()
        .find(|(_, v)| &*v.name == variable && (v.procedure == Some(procedure) || v.procedure.is_none()))
        .map(|(id, _)| id)
        .unwrap_or_else(|| panic!("`{variable}` is declared"));
    let place = program::Place::variable(id, program.variables[id].ty);
    match point.value(&program::Expr::load(place)) {
        Some(Value::Integer(number)) => number.to_string(),
        Some(Value::Float(range)) => range.to_string(),
        Some(Value::Pointer(pointers)) => format!("null: {}", pointers.can_be_null),
        None => "undefined".into(),
    }
}

fn mark(program: &Program) -> (ProcedureId, NodeId) {
    let target = program.procedure_named("mark").expect("the program has a mark");
    for (id, procedure) in program.procedures.iter_enumerated() {
        for edge in procedure.body.iter().flat_map(|body| &body.edges) {
            if matches!(&edge.action, program::Action::Call { callee: program::Callee::Direct(callee), .. } if *callee == target)
            {
                return (id, edge.from);
            }
        }
    }
    panic!("`mark` is called");
}

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);\n\
    void mark(void) {}\n";

fn program(body: &str) -> String {
    format!("{HEAD}{body}")
}

#[test]
fn what_a_loop_counts_keeps_its_distance() {
    check(
        "together",
        &program(
            "int total; int main(void) { int i, n = 10; for (i = 0; i < 7; i++) { total = total + 1; n = n - 1; } mark(); return 0; }",
        ),
        &[("total", "{7}"), ("n", "{3}")],
    );
}

#[test]
fn what_is_allocated_once_is_followed() {
    check(
        "allocated",
        &program(
            "extern void *malloc(unsigned long); struct s { int a, b; };\n\
             static struct s *make(void) { struct s *p = malloc(sizeof *p); p->a = 4; p->b = 5; return p; }\n\
             int main(void) { struct s *p = make(); int x = p->a; p->b = p->b + x; int y = p->b; mark(); return 0; }",
        ),
        &[("x", "{4}"), ("y", "{9}")],
    );
}

#[test]
fn what_is_allocated_again_and_again_is_not() {
    check(
        "allocated-often",
        &program(
            "extern void *malloc(unsigned long);\n\
             static int *make(int v) { int *p = malloc(sizeof *p); *p = v; return p; }\n\
             int main(void) { int *p = make(1); int *q = make(2); int x = *p; int *r = 0, *s = 0;\n\
             for (int i = 0; i < 2; i++) { s = r; r = malloc(sizeof *r); *r = i; } int y = s ? *s : 9; (void)q; mark(); return 0; }",
        ),
        &[("x", "{-2147483648..2147483647}"), ("y", "{-2147483648..2147483647}")],
    );
}

#[test]
fn loops_end_at_their_bounds() {
    check(
        "loop",
        &program("int main(void) { int i; for (i = 0; i < 100; i++) {} mark(); return i; }"),
        &[("i", "{100}")],
    );
    check(
        "even",
        &program(
            "int main(void) { int i = 0; int n = __VERIFIER_nondet_int(); while (i < 1000 && i != n) i += 4; mark(); return 0; }",
        ),
        &[("i", "{0, 4, 8..996, 1000} ≡ 0 mod 4")],
    );
}

#[test]
fn conditions_refine_all_variables_in_them() {
    check(
        "several",
        &program(
            "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n\
             if (x >= 0 && x <= 10 && y >= 5 && x == y + 2) { mark(); } return 0; }",
        ),
        &[("x", "{7..10}"), ("y", "{5..8}")],
    );
    check(
        "holes",
        &program(
            "int main(void) { int x = __VERIFIER_nondet_uchar(); if (x != 3 && x % 2 == 1 && x < 9) { mark(); } return 0; }",
        ),
        &[("x", "{1, 5..7} ≡ 1 mod 2")],
    );
}

#[test]
fn calls_pointers_and_arrays() {
    check(
        "calls",
        &program(
            "int a[5]; struct { int x; int y; } s;\n\
             void set(int *p, int v) { *p = v; }\n\
             int twice(int x) { return 2 * x; }\n\
             int main(void) { int l = 1; set(&l, 7); a[2] = twice(l); s.y = a[2] + 1; int r = s.y; int z = a[4]; mark(); return 0; }",
        ),
        &[("l", "{7}"), ("r", "{15}"), ("z", "{0}")],
    );
    check(
        "weak",
        &program(
            "int big[1000];\n\
             int main(void) { int i = __VERIFIER_nondet_int(); if (i >= 0 && i < 1000) big[i] = 9; int v = big[3]; mark(); return v; }",
        ),
        &[("v", "{0, 9} ≡ 0 mod 9")],
    );
}

#[test]
fn recursion_ends() {
    check(
        "recursion",
        &program(
            "int f(int n) { if (n <= 0) return 0; return f(n - 1) + 1; } int main(void) { int r = f(10); mark(); return r; }",
        ),
        &[("r", "{0..2147483647}")],
    );
}

#[test]
fn relations_between_variables() {
    check(
        "difference",
        &program(
            "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 1000) return 0;\n\
             int i = 0, j = 0; while (i < n) { i++; j++; } if (j != n) { mark(); } return 0; }",
        ),
        &[("i", "unreached")],
    );
}

#[test]
fn a_missing_function_may_change_what_it_is_given() {
    check(
        "missing",
        &program(
            "void unknown(int *p); int g = 3; int main(void) { int x = 1, y = 2; int *p = &x; int *q = &y; *q = 2;\n\
             unknown(p); mark(); return *p + *q; }",
        ),
        &[("x", "{-2147483648..2147483647}"), ("y", "{2}"), ("g", "{-2147483648..2147483647}")],
    );
}

#[test]
fn a_missing_function_may_change_every_global_unless_it_is_pure() {
    let text = program(
        "void unknown(void); int g = 3, h = 4; int *to_h = &h; struct { int a; } s = { 5 };\n\
         int main(void) { static int own = 6; int x = 1; unknown(); int r = h, t = s.a, o = own; mark(); return x + r + t + o; }",
    );
    let any = "{-2147483648..2147483647}";
    check("missing-globals", &text, &[("g", any), ("r", any), ("t", any), ("o", "{6}"), ("x", "{1}")]);
    let program = common::load_text("missing-pure", &text);
    let settings = Settings { missing: intervals::MissingEffect::Pure, ..Settings::default() };
    let analysis = analyse(&program, &settings, &Budget::unlimited()).expect("no limit");
    for (variable, range) in [("g", "{3}"), ("r", "{4}"), ("t", "{5}")] {
        assert_eq!(shown_at_mark(&program, &analysis, variable), range, "{variable}");
    }
}

#[test]
fn unsigned_wraps_and_floats_are_bounded() {
    check(
        "wrap",
        &program(
            "int main(void) { unsigned char c = 250; c += 10; unsigned u = 0; u = u - 1; double d = 0.5; d = d * 4; mark(); return c; }",
        ),
        &[("c", "{4}"), ("u", "{4294967295}"), ("d", "{2}")],
    );
}

#[test]
fn code_behind_the_impossible_is_unreached() {
    check(
        "unreached",
        &program("int main(void) { int x = 3; if (x > 5) { mark(); } return 0; }"),
        &[("x", "unreached")],
    );
}
