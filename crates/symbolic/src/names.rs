//! How conditions on states are written down and read again: a name for every part of a state, so that a certificate
//! means the same to whoever wrote it and to whoever checks it.
//!
//! A variable is written by its name. Where several variables that could be meant share the name, and for temporaries,
//! its number stands behind it (`x$17`). A variable of an outer active call has the number of that call behind it
//! (`x@0`).

use crate::precondition::StateVariable;
use crate::show::ShowTerms;
use crate::state::State;
use crate::step::Encoder;
use base::Id;
use logic::TermId;
use logic::term::Op;
use program::{ProcedureId, Program, TypeId, VariableId, VariableKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The names of variables as seen from a procedure.
#[derive(Clone, Debug)]
pub struct Names {
    ambiguous: FxHashSet<String>,
}

impl Names {
    /// Of all static variables, and those of some procedures (the active calls).
    pub fn seen_from(program: &Program, procedures: &[ProcedureId]) -> Names {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for variable in &program.variables {
            let is_static = matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral);
            if is_static || variable.procedure.is_some_and(|owner| procedures.contains(&owner)) {
                *counts.entry(&variable.name).or_default() += 1;
            }
        }
        let shared = counts.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name.to_owned());
        Names { ambiguous: shared.collect() }
    }

    /// The name of a variable of the innermost call, or of a static one.
    pub fn variable(&self, program: &Program, id: VariableId) -> String {
        let variable = &program.variables[id];
        if variable.kind == VariableKind::Temporary || self.ambiguous.contains(&*variable.name) {
            return format!("{}${}", variable.name, id.index());
        }
        variable.name.to_string()
    }

    /// The name of a part of a state with so many active calls.
    pub fn part(&self, program: &Program, part: StateVariable, calls: usize) -> String {
        match part {
            StateVariable::Global(id) => self.variable(program, id),
            StateVariable::Local(depth, id) if depth + 1 == calls => self.variable(program, id),
            StateVariable::Local(depth, id) => format!("{}@{depth}", self.variable(program, id)),
            StateVariable::Memory(region) => format!("memory${}", region.index()),
            StateVariable::Extents => "extents".to_owned(),
            StateVariable::Written(region) => format!("written${}", region.index()),
            StateVariable::Births => "births$".to_owned(),
            StateVariable::Born => "born$".to_owned(),
            StateVariable::NextBirth => "next$birth".to_owned(),
        }
    }
}

/// Stands around names until it is known whether their casts say anything.
const MARK: char = '\u{1}';

/// A variable that is cast to its own type is written alone.
fn without_needless_casts(mut text: String, declared: &[(String, &'static str)]) -> String {
    for (name, ty) in declared {
        text = text.replace(&format!("({ty}){MARK}{name}{MARK}"), name);
    }
    text.replace(MARK, "")
}

/// A part of a state, or of two, with the name it is written by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPart {
    /// The name.
    pub name: String,
    /// Its type, if it is a variable.
    pub ty: Option<TypeId>,
    /// The symbol that stands for it.
    pub term: TermId,
}

/// A condition, written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// As a C expression.
    C(String),
    /// As an SMT-LIB term.
    Smt(String),
    /// There are no words for it: it speaks of something that is no part of the state.
    NotAtAll,
}

impl Encoder<'_> {
    /// The parts of a state with their names.
    pub fn named_parts(&mut self, state: &mut State) -> Vec<(String, StateVariable, TermId)> {
        let program = self.meaning.program;
        let procedures: Vec<ProcedureId> = state.frames.iter().map(|frame| frame.procedure).collect();
        let names = Names::seen_from(program, &procedures);
        let parts = self.parts(state);
        parts
            .into_iter()
            .map(|(part, term)| (names.part(program, part, procedures.len()), part, term))
            .collect()
    }

    /// Writes conditions over the symbols of a state (see [`any_state`](Self::any_state)).
    pub fn written(&mut self, state: &State, conditions: &[TermId]) -> Vec<Written> {
        let parts = self.parts_to_name(state);
        self.written_as(&parts, conditions)
    }

    /// The parts of a state with their names and types.
    pub fn parts_to_name(&mut self, state: &State) -> Vec<NamedPart> {
        let named = self.named_parts(&mut state.clone());
        let program = self.meaning.program;
        let type_of = |part: StateVariable| match part {
            StateVariable::Global(id) | StateVariable::Local(_, id) => Some(program.variables[id].ty.id),
            _ => None,
        };
        named.into_iter().map(|(name, part, term)| NamedPart { name, ty: type_of(part), term }).collect()
    }

    /// Writes conditions over the symbols of some parts.
    pub fn written_as(&mut self, named: &[NamedPart], conditions: &[TermId]) -> Vec<Written> {
        let types = &self.meaning.program.types;
        // Only numbers have a C text that says no more and no less than the term.
        let texts: FxHashMap<TermId, String> = named
            .iter()
            .filter(|part| part.ty.is_some_and(|ty| types.is_integer(ty)))
            .map(|part| (part.term, format!("{MARK}{}{MARK}", part.name)))
            .collect();
        let declared: Vec<(String, &'static str)> = named
            .iter()
            .filter_map(|part| {
                let shape = types.integer_shape(part.ty?)?;
                Some((part.name.clone(), crate::show::c_type(shape.width, shape.signed)?))
            })
            .collect();
        let mut replacements = FxHashMap::default();
        for part in named {
            let sort = self.terms.pool.sort(part.term);
            // Variables of two functions may have one name; a condition about the second of them is not written down.
            if let Some(symbol) = self.terms.pool.symbol_unless_other(&format!("state:{}", part.name), sort) {
                replacements.insert(part.term, symbol);
            }
        }
        let known: FxHashSet<TermId> = replacements.values().copied().collect();
        conditions
            .iter()
            .map(|&condition| {
                let show = ShowTerms::new(&self.terms, |symbol| texts.get(&symbol).cloned());
                if let Some(text) = show.condition(condition) {
                    return Written::C(without_needless_casts(text, &declared));
                }
                let renamed = self.terms.pool.substitute(condition, &replacements);
                let is_about_state = logic::term::Postorder::new(&self.terms.pool, &[renamed]).all(|term| {
                    match self.terms.pool.op(term) {
                        Op::Symbol(_) => known.contains(&term),
                        Op::Apply(_) => false,
                        _ => true,
                    }
                });
                if is_about_state {
                    Written::Smt(self.terms.pool.display(renamed))
                } else {
                    Written::NotAtAll
                }
            })
            .collect()
    }
}
