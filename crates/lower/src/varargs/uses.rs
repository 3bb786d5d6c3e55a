//! What each step of a function does with its `va_list`s, if they are used as lists only: started, ended, copied, taken
//! from, handed on. A list behind a pointer or in a structure, or compared, or stored, is none of these, and the
//! function is left as it is.

use super::known_of;
use crate::lengths;
use crate::link::Linker;
use csource::types::Type;
use program::expr::ExprPart;
use program::{
    Action, Callee, EdgeId, Expr, ExprKind, Known, Origin, Place, PlaceBase, ProcedureId, Projection, TypeId,
    VariableId,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What a step does with a `va_list`.
#[derive(Clone, Debug)]
pub(super) enum Use {
    Start(VariableId),
    End(VariableId),
    /// To, from.
    Copy(VariableId, VariableId),
    Take(VariableId),
    /// A function like `vprintf`, by the name of its relative.
    Print(VariableId, &'static str),
    /// A function of the program, and which argument the list is.
    HandOn(VariableId, ProcedureId, usize),
}

impl Use {
    /// The list whose position matters.
    pub(super) fn read(&self) -> Option<VariableId> {
        match *self {
            Use::Start(_) | Use::End(_) => None,
            Use::Copy(_, list) | Use::Take(list) | Use::Print(list, _) | Use::HandOn(list, ..) => Some(list),
        }
    }

    pub(super) fn lists(&self) -> Vec<VariableId> {
        match *self {
            Use::Copy(to, from) => vec![to, from],
            Use::Start(list)
            | Use::End(list)
            | Use::Take(list)
            | Use::Print(list, _)
            | Use::HandOn(list, ..) => vec![list],
        }
    }

    pub(super) fn renamed(self, renamed: &impl Fn(VariableId) -> VariableId) -> Use {
        match self {
            Use::Start(list) => Use::Start(renamed(list)),
            Use::End(list) => Use::End(renamed(list)),
            Use::Copy(to, from) => Use::Copy(renamed(to), renamed(from)),
            Use::Take(list) => Use::Take(renamed(list)),
            Use::Print(list, name) => Use::Print(renamed(list), name),
            Use::HandOn(list, helper, at) => Use::HandOn(renamed(list), helper, at),
        }
    }
}

pub(super) fn without_casts(value: &Expr) -> &Expr {
    let mut value = value;
    while let ExprKind::Cast(inner) = &value.kind {
        value = inner;
    }
    value
}

/// The variable whose life begins or ends in a step.
pub(super) fn begun(action: &Action) -> Option<VariableId> {
    match action {
        Action::Lifetime { variable, .. } => Some(*variable),
        Action::Havoc { target, source: program::HavocSource::Indeterminate } => target.as_variable(),
        _ => None,
    }
}

/// What each step of a function does with its lists, if they are used as lists only.
pub(super) fn uses(
    linker: &Linker,
    function: ProcedureId,
    list: Option<usize>,
) -> Option<FxHashMap<EdgeId, Use>> {
    let procedure = &linker.procedures[function];
    let body = procedure.body.as_ref().filter(|_| procedure.origin == Origin::User)?;
    let given = match list {
        Some(at) => Some(procedure.parameters.get(at).copied()?),
        None => None,
    };
    if list.is_some() && (procedure.known.is_some() || is_variadic(linker, function)) {
        return None;
    }
    let look = Lists { linker, word: linker.session.types.pointer_width() };
    let mut found = FxHashMap::default();
    for (edge, step) in body.edges.iter_enumerated() {
        let Action::Call { callee: Callee::Direct(callee), arguments, .. } = &step.action else { continue };
        let one = match (known_of(linker, *callee), &arguments[..]) {
            (Some(Known::VaStart), [list, ..]) => Use::Start(look.storage(list)?),
            (Some(Known::VaEnd), [list, ..]) => Use::End(look.storage(list)?),
            (Some(Known::VaArg), [list, ..]) => Use::Take(look.storage(list)?),
            (Some(Known::VaCopy), [to, from]) => Use::Copy(look.storage(to)?, look.storage(from)?),
            (Some(known), [.., list]) if printed(known).is_some() => {
                let name = printed(known)?;
                // A function of the program's of that name is another one.
                let other = linker.external_procedures.get(name).map(|&id| &linker.procedures[id]);
                if other.is_some_and(|other| other.origin == Origin::User) {
                    return None;
                }
                let list = look.passed(list)?;
                let others = &arguments[..arguments.len() - 1];
                if others.iter().any(|other| mentioned(other, &BTreeSet::from([list]))) {
                    return None;
                }
                Use::Print(list, name)
            }
            _ => continue,
        };
        found.insert(edge, one);
    }
    let mut lists: BTreeSet<VariableId> = found.values().flat_map(Use::lists).collect();
    lists.extend(given);
    let is_own = |list: &VariableId| procedure.locals.contains(list) || given == Some(*list);
    if !lists.iter().all(is_own) {
        return None;
    }
    for (edge, step) in body.edges.iter_enumerated() {
        if let Action::Unsupported(text) = &step.action
            && lengths::is_mark(text)
        {
            return None;
        }
        if found.contains_key(&edge) || begun(&step.action).is_some_and(|list| lists.contains(&list)) {
            continue;
        }
        let mentions = |value: &Expr| mentioned(value, &lists);
        let Action::Call { callee: Callee::Direct(callee), arguments, result } = &step.action else {
            let mut is_elsewhere = false;
            step.action.visit(&mut |part| is_elsewhere |= is_of(part, &lists));
            if is_elsewhere {
                return None;
            }
            continue;
        };
        if result.as_ref().is_some_and(|place| mentions(&Expr::load(place.clone()))) {
            return None;
        }
        let given: Vec<usize> = (0..arguments.len()).filter(|&at| mentions(&arguments[at])).collect();
        match given[..] {
            [] => {}
            [at] => {
                let list = look.passed(&arguments[at])?;
                let helper = &linker.procedures[*callee];
                if helper.origin != Origin::User || helper.parameters.len() != arguments.len() {
                    return None;
                }
                found.insert(edge, Use::HandOn(list, *callee, at));
            }
            _ => return None,
        }
    }
    Some(found)
}

fn is_variadic(linker: &Linker, function: ProcedureId) -> bool {
    matches!(linker.session.types.get(linker.procedures[function].ty), Type::Function(ty) if ty.is_variadic)
}

/// The relative of a function that takes a `va_list`.
fn printed(known: Known) -> Option<&'static str> {
    Some(match known {
        Known::Vprintf => "printf",
        Known::Vfprintf => "fprintf",
        Known::Vsprintf => "sprintf",
        Known::Vsnprintf => "snprintf",
        _ => return None,
    })
}

fn is_of(part: ExprPart<'_>, lists: &BTreeSet<VariableId>) -> bool {
    matches!(part, ExprPart::Place(Place { base: PlaceBase::Variable(id), .. }, _) if lists.contains(id))
}

fn mentioned(value: &Expr, lists: &BTreeSet<VariableId>) -> bool {
    let mut found = false;
    value.visit(&mut |part| found |= is_of(part, lists));
    found
}

/// Which values are lists: an array of one record on LP64, which decays when it is passed; a pointer on ILP32.
struct Lists<'l> {
    linker: &'l Linker,
    word: u32,
}

impl Lists<'_> {
    /// The list whose storage a value points to.
    fn storage(&self, value: &Expr) -> Option<VariableId> {
        match &without_casts(value).kind {
            ExprKind::AddressOf(place) if self.word == 32 => place.as_variable(),
            _ if self.word == 32 => None,
            _ => self.passed(value),
        }
    }

    /// The list that an argument is.
    fn passed(&self, value: &Expr) -> Option<VariableId> {
        let types = &self.linker.session.types;
        let is_tag = |ty: TypeId| types.record_id(ty).is_some_and(|id| types.records[id].is_va_list);
        match &without_casts(value).kind {
            ExprKind::Load(place) => {
                let variable = place.as_variable()?;
                let is_list = self.word == 32 || types.pointee(place.ty.id).is_some_and(|to| is_tag(to.id));
                is_list.then_some(variable)
            }
            ExprKind::AddressOf(place) if self.word == 64 => {
                let PlaceBase::Variable(variable) = place.base else { return None };
                let is_first =
                    matches!(&place.path[..], [Projection::Index(at)] if at.as_integer() == Some(0));
                (is_first && is_tag(place.ty.id)).then_some(variable)
            }
            _ => None,
        }
    }
}
