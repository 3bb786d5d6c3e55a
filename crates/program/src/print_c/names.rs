//! One C identifier for everything: what a linker must find keeps its name, the rest gets a number where names meet.

use super::used::Used;
use crate::expr::{Access, ExprPart};
use crate::{
    InitialData, Origin, Place, PlaceBase, ProcedureId, Program, Variable, VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Names {
    procedures: FxHashMap<ProcedureId, String>,
    variables: FxHashMap<VariableId, String>,
}

impl Names {
    pub fn choose(program: &Program, used: &Used) -> Names {
        let mut names = Names { procedures: FxHashMap::default(), variables: FxHashMap::default() };
        let mut globals = UsedNames::default();
        let in_order = || program.procedures.iter_enumerated().filter(|(id, _)| used.procedures.contains(id));
        // First what the linker knows: these names are fixed.
        for (id, procedure) in in_order().filter(|(id, p)| !(p.is_static && used.prints_body(*id))) {
            let name = if procedure.is_static && procedure.origin == Origin::Model {
                // One of several descriptions of a library function (by its format): the compiler knows the function.
                let name = procedure.name.trim_start_matches("__isoc99_").trim_start_matches("__isoc23_");
                format!("__builtin_{name}")
            } else {
                globals.claim(&procedure.name)
            };
            names.procedures.insert(id, name);
        }
        used.inputs.keys().for_each(|name| drop(globals.claim(name)));
        let variables = || program.variables.iter_enumerated().filter(|(id, _)| used.variables.contains(id));
        for (id, variable) in
            variables().filter(|(_, variable)| variable.is_external || is_stream(program, variable))
        {
            names.variables.insert(id, globals.claim(&variable.name));
        }
        for (id, procedure) in in_order().filter(|(id, p)| p.is_static && used.prints_body(*id)) {
            names.procedures.insert(id, globals.claim(&procedure.name));
        }
        for (id, variable) in
            variables().filter(|(_, variable)| !variable.is_external && !is_stream(program, variable))
        {
            match variable.kind {
                VariableKind::Global => match stream_behind(variable) {
                    Some(stream) => names.variables.insert(id, format!("(*__concord_real_{stream})")),
                    None => names.variables.insert(id, globals.claim(&variable.name)),
                },
                VariableKind::StringLiteral => names.variables.insert(id, globals.claim("string")),
                _ => None,
            };
        }
        let mut locals: FxHashMap<Option<ProcedureId>, UsedNames> = FxHashMap::default();
        for (id, variable) in variables() {
            let is_automatic = !matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral);
            if is_automatic {
                let taken = locals.entry(variable.procedure).or_default();
                names.variables.insert(id, taken.claim_beside(&variable.name, &globals));
            }
        }
        names
    }

    pub fn procedure(&self, id: ProcedureId) -> &str {
        &self.procedures[&id]
    }

    pub fn variable(&self, id: VariableId) -> &str {
        &self.variables[&id]
    }

    /// The name of a variable, if it is printed.
    pub fn printed(&self, id: VariableId) -> Option<&str> {
        self.variables.get(&id).map(String::as_str)
    }
}

/// Identifiers of one scope.
#[derive(Default)]
pub(super) struct UsedNames {
    names: FxHashSet<String>,
    next: FxHashMap<String, u32>,
}

impl UsedNames {
    pub fn claim(&mut self, name: &str) -> String {
        self.claim_beside(name, &UsedNames::default())
    }

    /// An identifier new to this scope and to `outer`, like `name`.
    fn claim_beside(&mut self, name: &str, outer: &UsedNames) -> String {
        let mut name = as_identifier(name);
        if is_reserved(&name) {
            name.insert_str(0, "own_"); // a number behind it may be reserved as well
        }
        let is_free =
            |this: &UsedNames, name: &str| !this.names.contains(name) && !outer.names.contains(name);
        let mut candidate = name.clone();
        while !is_free(self, &candidate) {
            let number = self.next.entry(name.clone()).or_insert(0);
            *number += 1;
            candidate = format!("{name}_{number}");
        }
        self.names.insert(candidate.clone());
        candidate
    }
}

/// Names the front end invents have characters that C does not allow.
fn as_identifier(name: &str) -> String {
    let allowed = |character: char| character == '_' || character == '$' || character.is_alphanumeric();
    let text: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    if text.is_empty() || text.starts_with(|first: char| first.is_ascii_digit()) {
        format!("_{text}")
    } else {
        text
    }
}

/// Words of gnu11 that a program in another dialect may use as names, names that the compiler itself declares in every
/// function, and names the printer uses.
fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "asm" | "typeof" | "inline" | "restrict" | "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__"
    ) || PRINTERS.iter().any(|prefix| name.starts_with(prefix))
}

/// How the names begin that the printer and its probes use. The library's descriptions have others with `__concord_`,
/// which keep their names.
const PRINTERS: [&str; 12] = [
    "__concord_va_tag",
    "__concord_vector_",
    "__concord_aligned_",
    "__concord_assume_failed",
    "__concord_initialise_",
    "__concord_real_",
    "__concord_covered",
    "__concord_calls",
    "__concord_depth",
    "__concord_broken",
    "__concord_reached",
    "__concord_tell",
];

/// The library's variable for which an object of the descriptions stands (`stdin` for `__concord_stdin`).
pub(super) fn stream_behind(variable: &Variable) -> Option<&str> {
    let name = variable.name.strip_prefix("__concord_").filter(|_| variable.kind == VariableKind::Global)?;
    matches!(name, "stdin" | "stdout" | "stderr").then_some(name)
}

/// Is it the library's variable itself, which the descriptions let point to their object?
pub(super) fn is_stream(program: &Program, variable: &Variable) -> bool {
    variable.initial.iter().any(|initial| {
        let InitialData::Value(value) = &initial.value else { return false };
        let mut points = false;
        value.visit(&mut |part| {
            if let ExprPart::Place(Place { base: PlaceBase::Variable(id), .. }, Access::Address) = part {
                points |= stream_behind(&program.variables[*id]) == Some(&*variable.name);
            }
        });
        points
    })
}
