//! The whole program as C (gnu11) again. Compiled, it behaves as the program it was lowered from; see [`print_c`].
//!
//! Reading order: `used` (what is worth printing) → `names` (one C identifier each) → `types` (declarators, records) →
//! `constants`, `expressions` (values and places, with every conversion written out) → `initial` (static storage) →
//! `bodies` (labels and gotos).

mod bodies;
mod constants;
mod expressions;
mod initial;
mod names;
#[cfg(test)]
mod tests;
mod types;
mod used;

use crate::{EdgeId, NodeId, Origin, Place, Procedure, ProcedureId, Program, Type, VariableId, VariableKind};
pub(crate) use constants::{float as float_literal, string as string_literal};
use names::Names;
use std::fmt::Write;
use types::{Constness, TypeNames};
use used::Used;

/// The program as one C file.
///
/// Compile it with `gcc -std=gnu11 -w -fno-strict-aliasing` (and `-m32 -msse2 -mfpmath=sse` for ILP32, whose x87
/// arithmetic would otherwise depend on which values are spilled); link with `-lm -pthread`. It needs no header.
///
/// Conventions:
/// - Procedures from the built-in library models are left out: the real library serves. So a printed program does what
///   the real program does, which is what replay is about.
/// - Inputs are calls of the `__VERIFIER_nondet_…` function they come from; an input of record or array type calls
///   `__VERIFIER_nondet_memory(address, size)`. Who links the program defines them.
/// - An assumption of the user's that is not met calls `__concord_assume_failed()`; the printed file has a weak
///   definition that ends the process with status 77.
/// - What has no meaning (`Action::Unsupported`, results of inline assembly, code behind a call that never returns)
///   traps.
/// - Variables with static storage that the program defines are `static`; `_Atomic` objects are `volatile`; `const`
///   and `restrict` are dropped, except in declarations of external functions; enums are their integer types.
/// - The layout of every record is asserted with `_Static_assert`, so a difference shows when compiling.
///
/// Must keep the meaning: tested by `round_trip` (random programs, printed and compiled, against the original).
pub fn print_c(program: &Program) -> String {
    print_c_with(program, &NoProbes)
}

/// What stands, in the text of a probe, for the address of the place that it asked for.
pub const ADDRESS: &str = "$address";

/// Statements that are printed beside the program's own, to watch it run. What they say must not change what the
/// program does.
pub trait Probes {
    /// Text before everything else.
    fn prelude(&self) -> String;
    /// Where control comes to a node; `names` gives the C identifier of a variable that is printed and in scope.
    fn at_node(
        &self,
        procedure: ProcedureId,
        node: NodeId,
        names: &dyn Fn(VariableId) -> Option<String>,
    ) -> String;
    /// A place whose address the text at a node wants to have: it stands for [`ADDRESS`] there.
    fn place_at(&self, _procedure: ProcedureId, _node: NodeId) -> Option<Place> {
        None
    }
    /// Before a call.
    fn before_call(&self, procedure: ProcedureId, edge: EdgeId) -> String;
    /// After it has come back.
    fn after_call(&self, procedure: ProcedureId, edge: EdgeId) -> String;
}

/// Nothing is watched.
struct NoProbes;

impl Probes for NoProbes {
    fn prelude(&self) -> String {
        String::new()
    }

    fn at_node(&self, _: ProcedureId, _: NodeId, _: &dyn Fn(VariableId) -> Option<String>) -> String {
        String::new()
    }

    fn before_call(&self, _: ProcedureId, _: EdgeId) -> String {
        String::new()
    }

    fn after_call(&self, _: ProcedureId, _: EdgeId) -> String {
        String::new()
    }
}

/// The program as [`print_c`] writes it, with probes.
pub fn print_c_with(program: &Program, probes: &dyn Probes) -> String {
    let used = Used::of(program);
    let names = Names::choose(program, &used);
    let types = TypeNames::new(program, &used);
    let printer = Printer { program, used: &used, names: &names, types: &types, probes };
    printer.print()
}

/// What all parts of the printer share.
struct Printer<'a> {
    program: &'a Program,
    used: &'a Used,
    names: &'a Names,
    types: &'a TypeNames<'a>,
    probes: &'a dyn Probes,
}

impl Printer<'_> {
    fn print(&self) -> String {
        let mut out = String::from("/* Printed by Concord from its normalised program. */\n");
        // Predefined in gnu11 without an underscore; a preprocessed program may use them as names.
        out.push_str("#undef linux\n#undef unix\n#undef i386\n\n");
        out.push_str(&self.probes.prelude());
        self.types.print_definitions(&mut out);
        self.print_helpers(&mut out);
        self.print_prototypes(&mut out);
        self.print_static_storage(&mut out);
        for (id, procedure) in self.program.procedures.iter_enumerated() {
            if self.used.prints_body(id) {
                self.print_definition(id, procedure, &mut out);
            }
        }
        out
    }

    fn print_helpers(&self, out: &mut String) {
        if self.used.has_user_assumption {
            out.push_str(
                "__attribute__((weak)) void __concord_assume_failed(void) { __builtin_exit(77); }\n\n",
            );
        }
        if self.used.has_memory_input {
            let size = self.types.size_type_name();
            writeln!(out, "extern void __VERIFIER_nondet_memory(void *, {size});\n")
                .expect("writing to a string");
        }
        for (name, ty) in &self.used.inputs {
            let declaration = self.types.declare((*ty).into(), &format!("{name}(void)"), Constness::Dropped);
            writeln!(out, "extern {declaration};").expect("writing to a string");
        }
    }

    fn print_prototypes(&self, out: &mut String) {
        for (id, procedure) in self.program.procedures.iter_enumerated() {
            if !self.used.procedures.contains(&id) || is_compiler_builtin(self.names.procedure(id)) {
                continue;
            }
            let name = self.names.procedure(id);
            let prints_body = self.used.prints_body(id);
            let constness = if prints_body { Constness::Dropped } else { Constness::Kept };
            let linkage = match (prints_body, self.is_static(procedure)) {
                (true, true) => "static ",
                (true, false) => "",
                (false, _) => "extern ",
            };
            let declaration = self.types.declare(procedure.ty.into(), name, constness);
            writeln!(out, "{linkage}{declaration}{};", self.run_order(id)).expect("writing to a string");
        }
        out.push('\n');
    }

    fn is_static(&self, procedure: &Procedure) -> bool {
        procedure.is_static || procedure.origin == Origin::Model
    }

    /// Constructors run by rising priority, destructors by falling.
    fn run_order(&self, id: ProcedureId) -> String {
        let position = |list: &[ProcedureId]| list.iter().position(|&other| other == id);
        let mut attributes = String::new();
        if let Some(position) = position(&self.program.constructors) {
            write!(attributes, " __attribute__((constructor({})))", 1000 + position)
                .expect("writing to a string");
        }
        if let Some(position) = position(&self.program.destructors) {
            write!(attributes, " __attribute__((destructor({})))", 60000 - position)
                .expect("writing to a string");
        }
        attributes
    }

    fn print_definition(&self, id: ProcedureId, procedure: &Procedure, out: &mut String) {
        let Type::Function(function) = self.program.types.get(procedure.ty) else {
            unreachable!("procedures have function types")
        };
        let declare = |&parameter: &VariableId| self.declare_variable(parameter);
        let parameters: Vec<String> = procedure.parameters.iter().map(declare).collect();
        let name = self.names.procedure(id);
        let is_old_style = !function.has_prototype && !parameters.is_empty();
        let list = match (is_old_style, function.is_variadic) {
            // Arguments arrive promoted: only the old style says so.
            (true, _) => procedure
                .parameters
                .iter()
                .map(|&parameter| self.names.variable(parameter).to_owned())
                .collect::<Vec<_>>()
                .join(", "),
            (false, true) if parameters.is_empty() => String::new(),
            (false, true) => format!("{}, ...", parameters.join(", ")),
            (false, false) if parameters.is_empty() && function.has_prototype => "void".into(),
            (false, false) => parameters.join(", "),
        };
        let head = self.types.declare(function.result, &format!("{name}({list})"), Constness::Dropped);
        let linkage = if self.is_static(procedure) { "static " } else { "" };
        write!(out, "{linkage}{head}").expect("writing to a string");
        if is_old_style {
            parameters.iter().for_each(|parameter| {
                write!(out, " {parameter};").expect("writing to a string");
            });
        }
        out.push_str("\n{\n");
        for &local in &procedure.locals {
            let variable = &self.program.variables[local];
            let is_automatic = !matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral);
            if self.used.variables.contains(&local) && is_automatic {
                writeln!(out, "    {};", self.declare_variable(local)).expect("writing to a string");
            }
        }
        self.print_body(id, out);
        out.push_str("}\n\n");
    }

    /// Its declaration without storage class, initialiser and semicolon.
    fn declare_variable(&self, id: VariableId) -> String {
        let variable = &self.program.variables[id];
        let mut text = self.types.declare(variable.ty, self.names.variable(id), Constness::Dropped);
        if let Some(alignment) = variable.alignment {
            write!(text, " __attribute__((aligned({alignment})))").expect("writing to a string");
        }
        text
    }
}

/// Known to the compiler itself: never declared.
fn is_compiler_builtin(name: &str) -> bool {
    ["__builtin_", "__sync_", "__atomic_"].iter().any(|prefix| name.starts_with(prefix))
}
