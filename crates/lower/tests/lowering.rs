//! What C becomes: graphs shown as text, one line per step, with the source text temporaries stand for.

use csource::types::DataModel;
use csource::{Session, parser, sema};
use lower::{Lowered, Settings};
use program::{AssumptionKind, Program};
use std::fmt::Write;

fn lower_units(texts: &[&str], model: DataModel) -> Lowered {
    let mut session = Session::new(model);
    let mut units = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let source = session.sources.add(&format!("unit{index}.c"), *text).expect("small");
        let syntax = parser::parse(source, &mut session);
        units.push(sema::analyse(&syntax, &mut session));
    }
    let lowered = lower::lower(units, session, &Settings::default());
    for diagnostic in lowered.diagnostics.iter() {
        let text = base::render::render(diagnostic, &lowered.program.sources, base::render::Colour::Never);
        assert_ne!(diagnostic.severity, base::Severity::Error, "{text}");
    }
    lowered
}

fn lower_text(text: &str) -> Program {
    lower_units(&[text], DataModel::Lp64).program
}

fn graph_of(program: &Program, name: &str) -> String {
    let id = program.procedure_named(name).expect("defined in the test");
    let graph = program.procedures[id].body.as_ref().expect("has a body");
    let mut text = String::new();
    for edge in &graph.edges {
        let at = |node: program::NodeId| match node {
            node if node == graph.entry => "entry".to_string(),
            node if node == graph.exit => "exit".to_string(),
            node => node.to_string(),
        };
        writeln!(text, "{} -> {}: {}", at(edge.from), at(edge.to), program.show().edge(edge))
            .expect("to a string");
    }
    text
}

fn assumptions_of(program: &Program) -> Vec<(AssumptionKind, String)> {
    program.assumptions.iter().map(|assumption| (assumption.kind, assumption.subject.to_string())).collect()
}

#[test]
fn short_circuits_become_branches_without_temporaries() {
    let program = lower_text("int f(int a, int b) { if (a > 0 && (b < 3 || !a)) return 1; return 2; }");
    insta::assert_snapshot!(graph_of(&program, "f"));
}

#[test]
fn loops_and_jumps_keep_their_shape() {
    let program = lower_text(
        "int f(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i == 3) continue; if (i == 7) break; s += i; } \
         do s--; while (s > 10); return s; }",
    );
    insta::assert_snapshot!(graph_of(&program, "f"));
}

#[test]
fn switches_fall_through() {
    let program = lower_text(
        "int f(int x) { int r = 0; switch (x) { case 1: r = 1; case 2: r += 2; break; case 5 ... 9: r = 5; break; \
         default: r = 9; } return r; }",
    );
    insta::assert_snapshot!(graph_of(&program, "f"));
}

#[test]
fn values_with_side_effects_are_saved_left_to_right() {
    let program = lower_text("int g; int h(void); int f(int *p) { return g + h() * *p++ + (g = 3, g); }");
    insta::assert_snapshot!(graph_of(&program, "f"));
}

#[test]
fn variables_in_inner_blocks_begin_and_end_their_lives_also_when_jumped_over() {
    let program = lower_text(
        "void use(int *); void f(int n) { while (n) { int x = n; use(&x); if (x > 5) goto out; n--; } out: ; }",
    );
    insta::assert_snapshot!(graph_of(&program, "f"));
}

#[test]
fn arrays_records_and_pointers_are_places() {
    let program = lower_text(
        "struct s { int a[4]; struct { unsigned b : 3; } in; } v; \
         int f(struct s *p, int i) { p->a[i] = v.a[2]; p->in.b++; struct s w = *p; return w.a[i] + *(v.a + 1); }",
    );
    insta::assert_snapshot!(graph_of(&program, "f"));
}

#[test]
fn inputs_assumptions_and_events_have_their_own_actions() {
    let program = lower_text(
        "int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int); void __concord_event(const char *, ...); \
         void f(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 0 && x < 9); __concord_event(\"go\", x); }",
    );
    insta::assert_snapshot!(graph_of(&program, "f"));
}

#[test]
fn missing_bodies_asm_volatile_and_externals_are_recorded_with_their_place() {
    let program = lower_text(
        "int read_port(int); extern int config; volatile int *flag; \
         int main(void) { int x = read_port(1); asm(\"rdtsc\" : \"=a\"(x)); while (!*flag) x += config; return x; }",
    );
    let kinds = assumptions_of(&program);
    for expected in [
        (AssumptionKind::MissingBody, "read_port"),
        (AssumptionKind::ExternalVariable, "config"),
        (AssumptionKind::Volatile, "*"),
    ] {
        assert!(
            kinds.iter().any(|(kind, subject)| (*kind, subject.as_str()) == expected),
            "{expected:?} in {kinds:?}"
        );
    }
    assert!(kinds.iter().any(|(kind, _)| *kind == AssumptionKind::InlineAsm), "{kinds:?}");
    assert!(
        program.assumptions.iter().all(|assumption| !assumption.span.is_nowhere()),
        "{:?}",
        program.assumptions
    );
}

#[test]
fn a_call_through_a_pointer_that_nothing_sets_is_recorded() {
    let program = lower_text("static int (*hook)(int); int main(void) { return hook ? hook(1) : 0; }");
    assert!(
        program.assumptions.iter().any(|assumption| assumption.kind == AssumptionKind::NoCallTarget),
        "{:?}",
        program.assumptions
    );
    let program = lower_text(
        "static int one(int x) { return x; } static int (*hook)(int) = one; int main(void) { return hook(1); }",
    );
    assert!(program.assumptions.is_empty(), "{:?}", program.assumptions);
}

#[test]
fn library_functions_get_models_and_the_users_own_win() {
    let program = lower_text(
        "typedef unsigned long size_t; size_t strlen(const char *); int abs(int x) { return x; } \
         int main(void) { return (int)strlen(\"ab\") + abs(-1); }",
    );
    let model = program.procedure_named("strlen").expect("declared");
    assert_eq!(program.procedures[model].origin, program::Origin::Model);
    let own = program.procedure_named("abs").expect("defined");
    assert_eq!(program.procedures[own].origin, program::Origin::User);
    assert!(assumptions_of(&program).contains(&(AssumptionKind::LibraryModel, "strlen".into())));
}

#[test]
fn every_promised_model_exists() {
    // The address of a builtin cannot be taken; the calls in the other files' bodies reach them.
    let promised = |entry: &&library::Entry| entry.has_body && !entry.name.starts_with("__builtin_");
    for entry in library::entries().iter().filter(promised) {
        let name = entry.name;
        let program = lower_text(&format!(
            "void {name}(); int main(void) {{ void *p = (void *){name}; return p != 0; }}"
        ));
        let id = program.procedure_named(name).expect("mentioned");
        assert!(program.procedures[id].body.is_some(), "{name}");
    }
}

#[test]
fn units_link_by_name_and_statics_stay_apart() {
    let lowered = lower_units(
        &[
            "static int n = 1; int shared = 5; int other(void); int main(void) { return n + other(); }",
            "static int n = 2; extern int shared; int other(void) { return n + shared; }",
        ],
        DataModel::Lp64,
    );
    let program = lowered.program;
    let named = |name: &str| program.variables.iter().filter(|variable| &*variable.name == name).count();
    assert_eq!((named("n"), named("shared")), (2, 1));
    let other = program.procedure_named("other").expect("defined in the second unit");
    assert!(program.procedures[other].body.is_some());
    assert!(assumptions_of(&program).is_empty(), "{:?}", program.assumptions);
}

#[test]
fn two_definitions_of_one_function_are_an_error() {
    let mut session = Session::new(DataModel::Lp64);
    let mut units = Vec::new();
    for text in ["int f(void) { return 1; }", "int f(void) { return 2; }"] {
        let source = session.sources.add("x.c", text).expect("small");
        let syntax = parser::parse(source, &mut session);
        units.push(sema::analyse(&syntax, &mut session));
    }
    let lowered = lower::lower(units, session, &Settings::default());
    assert!(lowered.diagnostics.iter().any(|diagnostic| diagnostic.code == "defined-twice"));
}

#[test]
fn strong_definitions_win_over_weak_ones() {
    for (first, second) in [(WEAK, STRONG), (STRONG, WEAK)] {
        let program = lower_units(&[first, second], DataModel::Lp64).program;
        assert_eq!(graph_of(&program, "f"), "entry -> exit: return 2\n");
    }
}

const WEAK: &str = "__attribute__((weak)) int f(void) { return 1; }";
const STRONG: &str = "int f(void) { return 2; }";

#[test]
fn arguments_of_old_style_functions_are_converted_to_the_declared_types() {
    let program = lower_text(
        "int f(c, x) char c; float x; { return c + (int)x; } int main(void) { return f(321, 1.5); }",
    );
    let main = &program.procedures[program.main.expect("defined")];
    let graph = main.body.as_ref().expect("defined");
    let call = graph.edges.iter().find_map(|edge| match &edge.action {
        program::Action::Call { arguments, .. } => Some(arguments),
        _ => None,
    });
    let types: Vec<String> =
        call.expect("calls f").iter().map(|argument| program.types.show(argument.ty)).collect();
    assert_eq!(types, ["char", "float"]);
}

#[test]
fn branches_are_pairs_and_only_returns_reach_the_exit() {
    let program = lower_text(
        "int g(int); int f(int a, char *s) { while (*s++) switch (a) { case 1: if (a || g(a)) goto end; case 2: return 3; } \
         end: return a ? g(1) : s[a && g(2)]; }",
    );
    for procedure in &program.procedures {
        let Some(graph) = &procedure.body else { continue };
        for (id, node) in graph.nodes.iter_enumerated() {
            let assumes = graph
                .out(id)
                .filter(|(_, edge)| matches!(edge.action, program::Action::Assume { .. }))
                .count();
            assert!(
                node.out.len() <= 1 || (node.out.len() == 2 && assumes == 2),
                "{id} of {}",
                procedure.name
            );
        }
        for &edge in &graph.nodes[graph.exit].into {
            assert!(matches!(graph.edges[edge].action, program::Action::Return { .. }));
        }
    }
}

#[test]
fn a_member_of_what_would_lie_at_null_is_an_offset() {
    let text = "struct inner { char c; struct inner *next; }; struct outer { int e; struct inner link; };\n\
        unsigned long f(void) { return (unsigned long)&((struct outer *)0)->link.next; }";
    for (model, offset) in [(DataModel::Lp64, 16), (DataModel::Ilp32, 8)] {
        let program = lower_units(&[text], model).program;
        assert!(graph_of(&program, "f").contains(&format!("return {offset}")), "{}", graph_of(&program, "f"));
    }
}
