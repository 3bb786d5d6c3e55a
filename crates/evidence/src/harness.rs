//! A C file that, compiled with the program, takes it down the violating run: it defines the input functions with the values of the run.

use cegar::Violation;
use concrete::InputShape;
use program::{Known, Origin, Program, Type};
use std::fmt::Write;

/// The harness, and the inputs that no harness can give (values of variables that were never written).
pub fn harness(program: &Program, violation: &Violation) -> (String, Vec<String>) {
    let mut text = String::from(
        "/* Compile with the program: it then takes the violating run. */\n\
         extern void abort(void);\nextern void _exit(int);\n",
    );
    let mut not_given = Vec::new();
    let mut names: Vec<&str> = violation.inputs.iter().map(|input| &*input.name).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let procedure = program.procedure_named(name).filter(|&id| program.procedures[id].body.is_none());
        let Some(procedure) = procedure else {
            not_given.push(name.to_owned());
            continue;
        };
        let values: Vec<String> = violation
            .inputs
            .iter()
            .filter(|input| &*input.name == name)
            .map(|input| match input.shape {
                InputShape::Float(_) => format!("0x{:x}ULL", input.bits),
                _ if input.shape.width() > 64 => "0".to_owned(),
                _ => format!("0x{:x}ULL", input.bits),
            })
            .collect();
        let result = program.result_type(procedure);
        let declared = program.types.declare(result, &format!("{name}(void)"));
        let _ = writeln!(
            text,
            "{declared}\n{{\n    static const unsigned long long values[] = {{ {} }};\n    static unsigned at;",
            values.join(", ")
        );
        let count = values.len();
        let value = format!("at < {count} ? values[at++] : 0");
        if let Some(kind) = program.types.float_kind(result.id) {
            let (bits, float) = match kind {
                program::FloatKind::Float => ("unsigned", "float"),
                _ => ("unsigned long long", "double"),
            };
            let _ = writeln!(
                text,
                "    union {{ {bits} bits; {float} value; }} u;\n    u.bits = ({bits})({value});\n    return u.value;\n}}"
            );
        } else {
            let ty = program.types.show(result);
            let _ = writeln!(text, "    return ({ty})({value});\n}}");
        }
    }
    for procedure in &program.procedures {
        let is_void = matches!(program.types.get(procedure.ty), Type::Function(function)
            if matches!(program.types.get(function.result.id), Type::Void));
        if procedure.body.is_some() || !is_void {
            continue;
        }
        if matches!(procedure.known, Some(Known::ReachError | Known::VerifierError)) {
            let _ = writeln!(text, "void {}(void) {{ abort(); }}", procedure.name);
        }
    }
    // The program may have its own.
    let assumes = program.procedure_named("__VERIFIER_assume");
    if assumes.is_some_and(|id| program.procedures[id].origin != Origin::User) {
        text.push_str("void __VERIFIER_assume(int condition) { if (!condition) _exit(0); }\n");
    }
    (text, not_given)
}
