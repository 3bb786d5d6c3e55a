//! The language: what is taken, what is refused and how, and that printing loses nothing.

use crate::common::{all_cases, read};
use base::Diagnostics;
use boolprog::{graph, syntax};

fn tree_of(text: &str) -> Option<syntax::ProgramTree> {
    let mut diagnostics = Diagnostics::default();
    let tree = syntax::parse(text, 1, &mut diagnostics);
    (!diagnostics.has_errors()).then_some(tree)
}

#[test]
fn what_is_printed_parses_to_the_same_tree() {
    let mut seen = 0;
    for case in all_cases() {
        let text = std::fs::read_to_string(&case.path).expect("readable");
        let Some(tree) = tree_of(&text) else { continue };
        let printed = syntax::print(&tree);
        let again = tree_of(&printed).unwrap_or_else(|| panic!("{} does not parse:\n{printed}", case.name));
        assert!(tree == again, "{} differs after printing:\n{printed}", case.name);
        seen += 1;
    }
    assert!(seen > 0, "no program was printed");
}

#[test]
fn a_graph_can_be_printed_as_a_program() {
    for case in all_cases() {
        let text = std::fs::read_to_string(&case.path).expect("readable");
        let Ok(program) = read(&text, &["SLIC_ERROR"]) else { continue };
        let printed = syntax::print(&graph::to_tree(&program));
        if let Err(messages) = read(&printed, &[]) {
            panic!("{}:\n{messages}\n{printed}", case.name);
        }
    }
}

#[test]
fn mistakes_are_shown_with_place_and_hint() {
    let messages =
        read("decl apple;\nvoid main() begin\n  aple := T;\n  goto nowhere;\nend\n", &[]).unwrap_err();
    assert!(messages.contains("`aple` is not declared"), "{messages}");
    assert!(messages.contains("did you mean `apple`?"), "{messages}");
    assert!(messages.contains("test.bp:3"), "{messages}");
    assert!(messages.contains("no label `nowhere`"), "{messages}");
    let messages = read(
        "decl a, b;\nvoid main() begin\n a, b := T;\n b := ;\n a := T;;\n x: if a then goto x;\nend",
        &[],
    )
    .unwrap_err();
    assert!(messages.contains("an expression is missing"), "{messages}");
    assert!(messages.contains("`fi` is missing"), "{messages}");
    let messages = read("void main() begin ... skip; end", &[]).unwrap_err();
    assert!(messages.contains("omitted code"), "{messages}");
    let messages = read("decl a; void main() begin assume('a); end", &[]).unwrap_err();
    assert!(messages.contains("only after `constrain`"), "{messages}");
    let messages = read("bool f(x) begin return x, x; end void main() begin f(); end", &[]).unwrap_err();
    assert!(messages.contains("2 values are returned, 1 are declared"), "{messages}");
    assert!(messages.contains("takes 1 arguments, 0 are given"), "{messages}");
}

#[test]
fn thread_local_variables_are_refused_where_they_have_no_meaning() {
    let body = "void f() begin t := T; end void main() begin";
    let text = format!("decl thread_local t; {body} f(); start_thread f(); end");
    assert!(read(&text, &[]).unwrap_err().contains("`f` is called and begins threads"));
    let text = "decl thread_local t; void main() begin decl t; t := T; end";
    assert!(read(text, &[]).unwrap_err().contains("hides a thread-local variable"));
    let text = "decl thread_local t; void f() begin skip; end void main() begin t$ := T; f(); end";
    assert!(read(text, &[]).unwrap_err().contains("is not supported here"));
    let text = "decl x; void main() begin print y; print(z); end";
    let messages = read(text, &[]).unwrap_err();
    assert!(
        messages.contains("`y` is not declared") && messages.contains("`z` is not declared"),
        "{messages}"
    );
}

#[test]
fn nesting_is_bounded_and_never_exhausts_the_stack() {
    for open in ["(", "!", "a ^ (", "schoose[", "a => "] {
        let text = format!("decl a; void main() begin a := {}a; end", open.repeat(100_000));
        assert!(read(&text, &[]).is_err());
    }
    let text = format!("void main() begin {}", "if * then while * do ".repeat(50_000));
    assert!(read(&text, &[]).is_err());
    let text = format!("decl a; void main() begin a := {}a; end", "a ^ ".repeat(100_000));
    assert!(read(&text, &[]).unwrap_err().contains("nested more than"));
    let long = format!("decl a; void main() begin a := {}a; end", "a | ".repeat(100_000));
    assert!(read(&long, &[]).is_ok(), "chains are flat");
}
