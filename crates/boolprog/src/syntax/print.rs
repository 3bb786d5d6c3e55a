//! A tree to text that parses to the same tree.

use super::tree::{
    Binary, Declared, Expression, Name, ProcedureTree, ProgramTree, Statement, StatementKind, ThreadStart,
};
use std::fmt::Write;

/// The program as text, in the dialect of SATABS with SLAM's `schoose`.
pub fn print(program: &ProgramTree) -> String {
    let mut text = String::new();
    declare(&mut text, &program.globals, "");
    for procedure in &program.procedures {
        if !text.is_empty() {
            text.push('\n');
        }
        print_procedure(&mut text, procedure);
    }
    text
}

/// Writing to a `String` does not fail.
macro_rules! put {
    ($text:expr, $($rest:tt)*) => { write!($text, $($rest)*).expect("a String takes any text") };
}

fn declare(text: &mut String, declared: &[Declared], indent: &str) {
    for variable in declared {
        let own = if variable.is_thread_local { "thread_local " } else { "" };
        put!(text, "{indent}decl {own}{}", variable.name.text);
        if let Some(initial) = &variable.initial {
            put!(text, " := {}", print_expression(initial));
        }
        text.push_str(";\n");
    }
}

fn print_procedure(text: &mut String, procedure: &ProcedureTree) {
    match procedure.returns {
        0 => text.push_str("void "),
        1 => text.push_str("bool "),
        count => put!(text, "bool<{count}> "),
    }
    put!(text, "{}({}) begin\n", procedure.name.text, names(&procedure.parameters));
    declare(text, &procedure.locals, "  ");
    for enforced in &procedure.enforced {
        put!(text, "  enforce {};\n", print_expression(enforced));
    }
    block(text, &procedure.body, 1);
    text.push_str("end\n");
}

fn block(text: &mut String, body: &[Statement], depth: usize) {
    let indent = "  ".repeat(depth);
    for statement in body {
        for label in &statement.labels {
            put!(text, "{}{}:\n", "  ".repeat(depth - 1), label.text);
        }
        match &statement.kind {
            StatementKind::If(arms, otherwise) => {
                let mut word = "if";
                for (condition, body) in arms {
                    put!(text, "{indent}{word} {} then\n", print_expression(condition));
                    block(text, body, depth + 1);
                    word = "elsif";
                }
                if !otherwise.is_empty() {
                    put!(text, "{indent}else\n");
                    block(text, otherwise, depth + 1);
                }
                put!(text, "{indent}fi;\n");
            }
            StatementKind::While(condition, body) => {
                put!(text, "{indent}while {} do\n", print_expression(condition));
                block(text, body, depth + 1);
                put!(text, "{indent}od;\n");
            }
            simple => put!(text, "{indent}{};\n", print_simple(simple)),
        }
    }
}

fn print_simple(kind: &StatementKind) -> String {
    match kind {
        StatementKind::Skip | StatementKind::If(..) | StatementKind::While(..) => "skip".into(),
        StatementKind::Goto(labels) => format!("goto {}", names(labels)),
        StatementKind::Assign(to, values, constraint) => {
            let constraint =
                constraint.as_ref().map_or(String::new(), |c| format!(" constrain {}", print_expression(c)));
            format!("{} := {}{constraint}", targets(to), expressions(values))
        }
        StatementKind::Call(to, name, arguments) => {
            let assigned = if to.is_empty() { String::new() } else { format!("{} := ", targets(to)) };
            format!("{assigned}{}({})", name.text, expressions(arguments))
        }
        StatementKind::Return(values) if values.is_empty() => "return".into(),
        StatementKind::Return(values) => format!("return {}", expressions(values)),
        StatementKind::Assert(condition) => format!("assert({})", print_expression(condition)),
        StatementKind::Assume(condition) => format!("assume({})", print_expression(condition)),
        StatementKind::Print(values) => format!("print {}", expressions(values)),
        StatementKind::Dead(variables) => format!("dead {}", names(variables)),
        StatementKind::StartThread(ThreadStart::Label(label)) => format!("start_thread goto {}", label.text),
        StatementKind::StartThread(ThreadStart::Procedure(name, arguments)) => {
            format!("start_thread {}({})", name.text, expressions(arguments))
        }
        StatementKind::EndThread => "end_thread".into(),
        StatementKind::AtomicBegin => "atomic_begin".into(),
        StatementKind::AtomicEnd => "atomic_end".into(),
    }
}

fn names(names: &[Name]) -> String {
    names.iter().map(|name| &*name.text).collect::<Vec<_>>().join(", ")
}

fn targets(targets: &[Option<Name>]) -> String {
    let shown = |name: &Option<Name>| name.as_ref().map_or("_".to_string(), |name| name.text.to_string());
    targets.iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn expressions(expressions: &[Expression]) -> String {
    expressions.iter().map(print_expression).collect::<Vec<_>>().join(", ")
}

/// The expression as text, with parentheses where they are needed or help.
pub fn print_expression(expression: &Expression) -> String {
    let mut text = String::new();
    put_expression(&mut text, expression);
    text
}

fn put_expression(text: &mut String, expression: &Expression) {
    match expression {
        Expression::Constant(true) => text.push('T'),
        Expression::Constant(false) => text.push('F'),
        Expression::Any => text.push('*'),
        Expression::Variable(name) => text.push_str(&name.text),
        Expression::Next(name) => put!(text, "'{}", name.text),
        Expression::Not(inner) => {
            text.push('!');
            put_operand(text, inner);
        }
        Expression::And(parts) => put_chain(text, parts, " & "),
        Expression::Or(parts) => put_chain(text, parts, " | "),
        Expression::Binary(operator, left, right) => {
            put_operand(text, left);
            text.push_str(match operator {
                Binary::Xor => " ^ ",
                Binary::Equal => " = ",
                Binary::Implies => " => ",
            });
            put_operand(text, right);
        }
        Expression::Conditional(condition, then, otherwise) => {
            put_operand(text, condition);
            text.push_str(" ? ");
            put_operand(text, then);
            text.push_str(" : ");
            put_operand(text, otherwise);
        }
        Expression::Choose(positive, negative) => {
            put!(text, "schoose[{}, {}]", print_expression(positive), print_expression(negative));
        }
    }
}

fn put_chain(text: &mut String, parts: &[Expression], separator: &str) {
    for (position, part) in parts.iter().enumerate() {
        if position > 0 {
            text.push_str(separator);
        }
        put_operand(text, part);
    }
}

fn put_operand(text: &mut String, operand: &Expression) {
    let is_compound = matches!(
        operand,
        Expression::And(_) | Expression::Or(_) | Expression::Binary(..) | Expression::Conditional(..)
    );
    if is_compound {
        put!(text, "({})", print_expression(operand));
    } else {
        put_expression(text, operand);
    }
}
