//! What names mean once all files are linked: aliases stand for their targets, and what is weak and defined nowhere has
//! the address null, as the linker gives it.

use crate::agree::agree;
use crate::link::Linker;
use program::rewrite::{self, Rewrite};
use program::{
    AssumptionKind, Callee, Expr, ExprKind, InitialData, Place, PlaceBase, ProcedureId, TypeTable, VariableId,
};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// What a mention of a name becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Becomes<T> {
    /// A mention of something else.
    Other(T),
    /// It becomes the null pointer.
    Null,
}

/// The names whose mentions change.
#[derive(Debug, Default)]
struct Meanings {
    procedures: FxHashMap<ProcedureId, Becomes<ProcedureId>>,
    variables: FxHashMap<VariableId, Becomes<VariableId>>,
}

/// What is another name for null is null.
fn null_by_another_name<T: Copy + Eq + Hash>(meanings: &mut FxHashMap<T, Becomes<T>>) {
    loop {
        let is_null = |becomes: &Becomes<T>| match becomes {
            Becomes::Other(target) => meanings.get(target) == Some(&Becomes::Null),
            Becomes::Null => false,
        };
        let others = meanings.iter().filter(|(_, becomes)| is_null(becomes));
        let others: Vec<T> = others.map(|(&id, _)| id).collect();
        if others.is_empty() {
            return;
        }
        meanings.extend(others.into_iter().map(|id| (id, Becomes::Null)));
    }
}

impl Linker {
    /// Names in the linker's symbol table: ends of sections and the like, which no file defines.
    pub fn is_linker_symbol(name: &str) -> bool {
        const OTHERS: [&str; 12] = [
            "end",
            "_end",
            "etext",
            "_etext",
            "edata",
            "_edata",
            "__bss_start",
            "__data_start",
            "data_start",
            "__executable_start",
            "__ehdr_start",
            "__dso_handle",
        ];
        ["__start_", "__stop_"].iter().any(|prefix| name.starts_with(prefix))
            || OTHERS.contains(&name)
            || (name.starts_with("__") && (name.ends_with("_array_start") || name.ends_with("_array_end")))
    }

    /// Replaces every mention of an alias or of what is missing, in lowered bodies and initial values.
    pub fn resolve_names(&mut self) {
        let meanings = self.meanings();
        if meanings.procedures.is_empty() && meanings.variables.is_empty() {
            return;
        }
        for (&id, becomes) in &meanings.variables {
            if let Becomes::Other(target) = becomes {
                let is_in_memory = self.variables[id].in_memory;
                self.variables[*target].in_memory |= is_in_memory;
            }
        }
        let types = &mut self.session.types;
        // Pointers to the types of what is missing must exist before the table is only read.
        let nulls = meanings.variables.iter().filter(|(_, becomes)| **becomes == Becomes::Null);
        let pointers: FxHashMap<VariableId, program::TypeId> =
            nulls.map(|(&id, _)| (id, types.pointer(self.variables[id].ty))).collect();
        let nulls = meanings.procedures.iter().filter(|(_, becomes)| **becomes == Becomes::Null);
        let function_pointers: FxHashMap<ProcedureId, program::TypeId> =
            nulls.map(|(&id, _)| (id, types.pointer(self.procedures[id].ty))).collect();
        let mut rewriting =
            Rewriting { meanings: &meanings, types: &self.session.types, pointers, function_pointers };
        for procedure in self.procedures.iter_mut() {
            for edge in procedure.body.iter_mut().flat_map(|graph| graph.edges.iter_mut()) {
                rewriting.action(&mut edge.action);
            }
        }
        for variable in self.variables.iter_mut() {
            for initial in &mut variable.initial {
                if let InitialData::Value(value) = &mut initial.value {
                    rewriting.expr(value);
                }
            }
        }
    }

    fn meanings(&mut self) -> Meanings {
        let mut meanings = Meanings::default();
        let functions = resolved(&self.function_aliases);
        meanings.procedures.extend(functions.map(|(id, target)| (id, Becomes::Other(target))));
        let variables = resolved(&self.variable_aliases);
        meanings.variables.extend(variables.map(|(id, target)| (id, Becomes::Other(target))));
        let mut missing: Vec<(std::sync::Arc<str>, base::Span)> = Vec::new();
        for (id, procedure) in self.procedures.iter_enumerated() {
            let is_null = self.only_weak_functions.get(&id) == Some(&true)
                && !self.function_aliases.contains_key(&id)
                && procedure.body.is_none()
                && procedure.known.is_none()
                && !crate::library::has_model(&procedure.name);
            if is_null {
                meanings.procedures.insert(id, Becomes::Null);
                missing.push((procedure.name.clone(), procedure.span));
            }
        }
        for (id, variable) in self.variables.iter_enumerated() {
            let is_null = self.only_weak_variables.get(&id) == Some(&true)
                && !self.variable_aliases.contains_key(&id)
                && variable.is_external;
            if is_null {
                meanings.variables.insert(id, Becomes::Null);
                missing.push((variable.name.clone(), variable.span));
            }
        }
        for (name, span) in missing {
            let message = format!("`{name}` is weak and defined in none of the files: its address is null");
            self.assume(AssumptionKind::WeakUndefined, &name, span, message);
        }
        null_by_another_name(&mut meanings.procedures);
        null_by_another_name(&mut meanings.variables);
        meanings
    }

    /// Aliases whose type differs from their target's are other objects to the compiler than to us.
    pub fn check_aliases(&mut self) {
        let types = &self.session.types;
        let mut open = Vec::new();
        for (&id, alias) in &self.variable_aliases {
            let (own, target) = (&self.variables[id], &self.variables[alias.target]);
            if !agree(types, own.ty.id, target.ty.id) {
                open.push((id, own.name.clone()));
            }
        }
        for (id, name) in open {
            let why = format!("`{name}` is an alias of a variable of another type, which is not modelled");
            self.unmodelled_variables.insert(id, std::sync::Arc::from(why));
        }
    }
}

struct Rewriting<'a> {
    meanings: &'a Meanings,
    types: &'a TypeTable,
    /// Pointers to the variables that are missing.
    pointers: FxHashMap<VariableId, program::TypeId>,
    function_pointers: FxHashMap<ProcedureId, program::TypeId>,
}

impl Rewrite for Rewriting<'_> {
    fn callee(&mut self, callee: &mut Callee) {
        let Callee::Direct(id) = callee else { return rewrite::inside_callee(self, callee) };
        match self.meanings.procedures.get(id) {
            Some(Becomes::Other(target)) => *id = *target,
            Some(Becomes::Null) => {
                *callee = Callee::Indirect(Expr::integer(0, self.function_pointers[id], self.types));
            }
            None => {}
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        let becomes_null = match &expr.kind {
            ExprKind::AddressOf(place) => {
                place.as_variable().is_some_and(|id| self.meanings.variables.get(&id) == Some(&Becomes::Null))
            }
            ExprKind::FunctionAddress(id) => self.meanings.procedures.get(id) == Some(&Becomes::Null),
            _ => false,
        };
        match becomes_null {
            true => *expr = Expr::integer(0, expr.ty, self.types),
            false => rewrite::inside_expr(self, expr),
        }
    }

    fn function_address(&mut self, function: &mut ProcedureId) {
        if let Some(Becomes::Other(target)) = self.meanings.procedures.get(function) {
            *function = *target;
        }
    }

    fn place(&mut self, place: &mut Place) {
        if let PlaceBase::Variable(id) = place.base
            && self.meanings.variables.get(&id) == Some(&Becomes::Null)
        {
            place.base = PlaceBase::Pointer(Box::new(Expr::integer(0, self.pointers[&id], self.types)));
        }
        rewrite::inside_place(self, place);
    }

    fn variable(&mut self, variable: &mut VariableId) {
        if let Some(Becomes::Other(target)) = self.meanings.variables.get(variable) {
            *variable = *target;
        }
    }
}

/// Aliases with what they stand for at last: an alias may be one of an alias. A circle is an error of gcc's.
fn resolved<T: Copy + Eq + std::hash::Hash>(
    aliases: &FxHashMap<T, crate::link::Alias<T>>,
) -> impl Iterator<Item = (T, T)> + '_ {
    aliases.iter().filter_map(|(&id, alias)| {
        let mut target = alias.target;
        for _ in 0..aliases.len() {
            match aliases.get(&target) {
                Some(next) if target != id => target = next.target,
                _ => break,
            }
        }
        (target != id).then_some((id, target))
    })
}
