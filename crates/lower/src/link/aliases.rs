//! Names that stand for other names: `alias("target")`, `weakref("target")`. Noted per file here; [`crate::names`] has
//! the last word, when all files are there.

use super::Linker;
use base::{IndexVec, Span};
use csource::tree::{self, Storage};
use program::{Known, Origin, Procedure, ProcedureId, VariableId};
use std::sync::Arc;

/// Another name of a function or variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alias<T> {
    /// What it stands for.
    pub(crate) target: T,
    /// Does it give way to an ordinary definition?
    pub(crate) is_weak: bool,
    /// Where it is declared.
    pub(crate) span: Span,
}

impl Linker {
    /// `alias("target")`, `weakref("target")`: which name means which other one. What other files define may still take
    /// precedence over a weak alias; [`resolve_names`](Self::resolve_names) has the last word.
    pub(super) fn note_aliases(
        &mut self,
        unit: &tree::Unit,
        procedures: &IndexVec<tree::FunctionId, ProcedureId>,
        variables: &IndexVec<tree::VariableId, Option<VariableId>>,
    ) {
        for (id, function) in unit.functions.iter_enumerated() {
            let Some(target_name) = &function.symbol.alias else { continue };
            let own = unit.functions.iter_enumerated().find(|(_, f)| f.name == *target_name);
            let target = match own {
                Some((target, _)) => procedures[target],
                // Only `weakref` may name what other files define; another alias is gcc's error and stays without a
                // body.
                None if function.symbol.is_weakref => self.weakly_referred(target_name, function),
                None => continue,
            };
            let slot = procedures[id];
            let is_weak = function.symbol.is_weak && !function.symbol.is_weakref;
            if self.procedures[slot].origin == Origin::User && function.body.is_none() && is_weak {
                continue; // an ordinary definition has precedence
            }
            if self.procedures[slot].origin == Origin::User {
                let other = self.procedures[slot].span;
                self.tell_defined_twice(&function.name, function.span, other);
                continue;
            }
            self.function_aliases.insert(slot, Alias { target, is_weak, span: function.span });
        }
        for (id, variable) in unit.variables.iter_enumerated() {
            let Some(target_name) = &variable.symbol.alias else { continue };
            let Some(slot) = variables[id] else { continue };
            let is_static = |v: &tree::Variable| {
                matches!(v.storage, Storage::Global | Storage::External | Storage::FileStatic)
            };
            let own = unit.variables.iter_enumerated().find(|(_, v)| is_static(v) && v.name == *target_name);
            let target = own.and_then(|(target, _)| variables[target]);
            let Some(target) = target.or_else(|| self.external_variables.get(target_name).copied()) else {
                let why = format!("`{}` is an alias of `{target_name}`, which is not known", variable.name);
                self.unmodelled_variables.insert(slot, Arc::from(why));
                continue;
            };
            let is_weak = variable.symbol.is_weak && !variable.symbol.is_weakref;
            if let Some(earlier) = self.variable_definitions.get(&slot) {
                let (gives_way, span) = (earlier.gives_way, earlier.span);
                if is_weak {
                    continue;
                }
                if !gives_way {
                    self.tell_defined_twice(&variable.name, variable.span, span);
                    continue;
                }
            }
            self.variable_aliases.insert(slot, Alias { target, is_weak, span: variable.span });
        }
    }

    /// The external function that a `weakref` names: missing unless a file defines it.
    fn weakly_referred(&mut self, name: &Arc<str>, reference: &tree::Function) -> ProcedureId {
        if let Some(&known) = self.external_procedures.get(name) {
            return known;
        }
        let id = self.procedures.push(Procedure {
            name: name.clone(),
            ty: reference.ty,
            parameters: Vec::new(),
            locals: Vec::new(),
            body: None,
            origin: Origin::Nowhere,
            known: Known::by_name(name),
            is_static: false,
            is_noreturn: false,
            is_atomic: false,
            span: reference.span,
        });
        self.external_procedures.insert(name.clone(), id);
        self.only_weak_functions.insert(id, true);
        id
    }
}
