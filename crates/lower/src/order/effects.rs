//! What functions do that an operand calls: known when all bodies are there.

use super::{Called, Doings, Goal, Thing, UNSPECIFIED};
use crate::library::procedures_with_address;
use crate::link::Linker;
use ::library::{Shared, Use, shared};
use csource::types::FunctionType;
use program::expr::{Access, ExprPart};
use program::{
    Action, BinaryOp, Callee, Expr, ExprKind, Origin, Place, PlaceBase, ProcedureId, Projection, Type,
    TypeId, VariableId, VariableKind,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Doings {
    /// What a function of the library does to what it shares with others.
    fn add_librarys(&mut self, name: &str) {
        for (thing, used) in shared(name) {
            let things = match used {
                Use::Reads => &mut self.reads,
                Use::Writes => &mut self.writes,
                Use::Adds => &mut self.counts,
            };
            things.insert(Thing::Librarys(thing));
        }
    }

    fn conflicts_with(&self, other: &Doings, linker: &Linker) -> bool {
        let meets = |writes: &BTreeSet<Thing>, other: &Doings| {
            [&other.reads, &other.writes, &other.counts].into_iter().any(|others| {
                writes.iter().any(|thing| others.contains(thing)) || alias(linker, writes, others)
            })
        };
        let counted = |counts: &BTreeSet<Thing>, other: &Doings| {
            [&other.reads, &other.writes].into_iter().any(|others| {
                counts.iter().any(|thing| others.contains(thing)) || alias(linker, counts, others)
            })
        };
        meets(&self.writes, other)
            || meets(&other.writes, self)
            || counted(&self.counts, other)
            || counted(&other.counts, self)
    }
}

/// Is a variable among the one that what is accessed through a pointer among the other may be (or the other way round)?
fn alias(linker: &Linker, one: &BTreeSet<Thing>, two: &BTreeSet<Thing>) -> bool {
    let is_inside = |variables: &BTreeSet<Thing>, behind: &BTreeSet<Thing>| {
        let behind: Vec<&Thing> =
            behind.iter().filter(|thing| matches!(thing, Thing::OfType(_) | Thing::Member(..))).collect();
        !behind.is_empty()
            && variables.iter().any(|thing| {
                let Thing::Variable(id) = thing else { return false };
                let variable = &linker.variables[*id];
                variable.in_memory && behind.iter().any(|part| has_part(linker, variable.ty.id, part))
            })
    };
    is_inside(one, two) || is_inside(two, one)
}

/// Does an object of the type have such a part?
fn has_part(linker: &Linker, ty: TypeId, part: &Thing) -> bool {
    let types = &linker.session.types;
    if *part == Thing::OfType(ty) {
        return true;
    }
    match types.get(ty) {
        Type::Array(element, _) => has_part(linker, element.id, part),
        Type::Record(record) => {
            let fields = types.records[*record].fields.iter().flatten();
            matches!(part, Thing::Member(owner, _) if owner == record)
                || fields.into_iter().any(|field| has_part(linker, field.ty.id, part))
        }
        _ => false,
    }
}

/// Looks at all open orders once every body is there.
pub fn settle(linker: &mut Linker) {
    let open = std::mem::take(&mut linker.open_orders);
    if open.is_empty() {
        return;
    }
    let mut known = Known { of: FxHashMap::default(), with_address: procedures_with_address(linker) };
    for order in open {
        let (one, two) = (known.called(linker, &order.one), known.called(linker, &order.two));
        let conflict = one.conflicts_with(&two, linker)
            || one.conflicts_with(&order.two, linker)
            || two.conflicts_with(&order.one, linker);
        if conflict && let Some(body) = &mut linker.procedures[order.procedure].body {
            body.edges[order.edge].action = Action::Unsupported(Arc::from(UNSPECIFIED));
            let place = linker.session.sources.location(order.span);
            let place = place.map_or_else(String::new, |at| at.to_string());
            linker.assume(
                program::AssumptionKind::Unsupported,
                &place,
                order.span,
                format!("{UNSPECIFIED} has no known meaning"),
            );
        }
    }
}

/// What is known so far of what calls do.
struct Known {
    of: FxHashMap<ProcedureId, Doings>,
    with_address: FxHashSet<ProcedureId>,
}

impl Known {
    /// What the functions do that an operand calls.
    fn called(&mut self, linker: &Linker, doings: &Doings) -> Doings {
        let mut all = Doings::default();
        for call in &doings.calls {
            match call.goal {
                Goal::Procedure(procedure) => self.add(linker, procedure, call, &mut all),
                Goal::Through(ty) => {
                    let targets: Vec<_> = targets(linker, &self.with_address, ty).collect();
                    for target in targets {
                        self.add(linker, target, call, &mut all);
                        if linker.procedures[target].origin != Origin::User {
                            // A function of the library may write what it is given.
                            all.writes.extend(call.given.iter().map(|&id| Thing::Variable(id)));
                        }
                    }
                }
            }
        }
        all
    }

    fn add(&mut self, linker: &Linker, procedure: ProcedureId, call: &Called, all: &mut Doings) {
        let is_behind = |thing: &Thing| matches!(thing, Thing::OfType(_) | Thing::Member(..));
        let Known { of, with_address } = self;
        let own = of.entry(procedure).or_insert_with(|| doings_of(linker, with_address, procedure));
        let mut own = own.clone();
        let given = call.given.iter().map(|&id| Thing::Variable(id));
        if own.writes.iter().chain(&own.counts).any(is_behind) {
            all.writes.extend(given);
        } else if own.reads.iter().any(is_behind) {
            all.reads.extend(given);
        }
        if call.given_is_all && own.only_behind_parameters {
            [&mut own.reads, &mut own.writes, &mut own.counts]
                .into_iter()
                .for_each(|things| things.retain(|thing| !is_behind(thing)));
        }
        all.reads.extend(own.reads);
        all.writes.extend(own.writes);
        all.counts.extend(own.counts);
    }
}

/// The procedures that may be meant where one of a type is called through a pointer: those with as many parameters of
/// the same kinds and sizes. A call of another has no meaning.
fn targets<'a>(
    linker: &'a Linker,
    with_address: &'a FxHashSet<ProcedureId>,
    ty: TypeId,
) -> impl Iterator<Item = ProcedureId> + 'a {
    let types = &linker.session.types;
    let wanted = match types.get(ty) {
        Type::Function(function) => Some(function),
        _ => None,
    };
    let is_alike = move |one: TypeId, two: TypeId| {
        types.is_scalar(one) == types.is_scalar(two) && types.size_of(one) == types.size_of(two)
    };
    with_address.iter().copied().filter(move |&id| {
        let (Some(wanted), Type::Function(own)) = (wanted, types.get(linker.procedures[id].ty)) else {
            return true;
        };
        let is_open = |function: &FunctionType| function.is_variadic || !function.has_prototype;
        is_open(wanted)
            || is_open(own)
            || wanted.parameters.len() == own.parameters.len()
                && wanted.parameters.iter().zip(&own.parameters).all(|(&one, &two)| is_alike(one, two))
    })
}

/// What calls of a procedure may do to what lives on.
pub(super) fn doings_of(
    linker: &Linker,
    with_address: &FxHashSet<ProcedureId>,
    procedure: ProcedureId,
) -> Doings {
    let mut doings = Doings { only_behind_parameters: true, ..Doings::default() };
    let parameters = lasting_parameters(linker, procedure);
    let mut seen = BTreeSet::new();
    let mut open = vec![procedure];
    while let Some(id) = open.pop() {
        let callee = &linker.procedures[id];
        if !seen.insert(id) {
            continue;
        }
        if callee.origin != Origin::User {
            doings.add_librarys(&callee.name);
            continue;
        }
        let own_blocks = own_blocks(linker, id);
        let errno_pointers = errno_pointers(linker, id);
        for edge in callee.body.iter().flat_map(|body| &body.edges) {
            if let Action::Call { callee, arguments, .. } = &edge.action {
                match callee {
                    Callee::Direct(next) => open.push(*next),
                    Callee::Indirect(pointer) => open.extend(through(linker, with_address, pointer)),
                }
                // What is given functions calls them.
                let is_given = arguments.iter().flat_map(|given| through(linker, with_address, given));
                open.extend(is_given);
            }
            let goes_elsewhere = |place: &Place| {
                let is_given = |pointer: &Expr| root(pointer).is_some_and(|id| parameters.contains(&id));
                matches!(&place.base, PlaceBase::Pointer(pointer) if id != procedure || !is_given(pointer))
            };
            let is_behind = |place: &Place, variables: &BTreeSet<VariableId>| {
                matches!(&place.base, PlaceBase::Pointer(pointer)
                    if root(pointer).is_some_and(|id| variables.contains(&id)))
            };
            if let Some(thing) = counted(linker, &edge.action) {
                if let Action::Assign { target, .. } = &edge.action {
                    doings.only_behind_parameters &= !goes_elsewhere(target);
                }
                doings.counts.insert(thing);
                continue;
            }
            edge.action.visit(&mut |part| {
                let ExprPart::Place(place, access) = part else { return };
                if is_behind(place, &errno_pointers) {
                    let errno = Thing::Librarys(Shared::Errno);
                    match access {
                        Access::Read => doings.reads.insert(errno),
                        Access::Write => doings.counts.insert(errno),
                        Access::Address => false,
                    };
                    return;
                }
                let is_own = is_behind(place, &own_blocks);
                let Some(thing) = lasting(linker, place).filter(|_| !is_own) else { return };
                doings.only_behind_parameters &= access == Access::Address || !goes_elsewhere(place);
                match access {
                    Access::Read => doings.reads.insert(thing),
                    Access::Write => doings.writes.insert(thing),
                    Access::Address => false,
                };
            });
        }
    }
    doings
}

/// What may be called through a value, if it is a pointer to a function.
fn through(linker: &Linker, with_address: &FxHashSet<ProcedureId>, mut value: &Expr) -> Vec<ProcedureId> {
    while let ExprKind::Cast(inner) = &value.kind {
        value = inner;
    }
    let types = &linker.session.types;
    let pointee = types.pointee(value.ty).map(|pointee| pointee.id);
    match pointee.filter(|&ty| matches!(types.get(ty), Type::Function(_))) {
        Some(ty) => targets(linker, with_address, ty).collect(),
        None => Vec::new(),
    }
}

/// Temporaries that hold the address of `errno`.
fn errno_pointers(linker: &Linker, procedure: ProcedureId) -> BTreeSet<VariableId> {
    let edges = linker.procedures[procedure].body.iter().flat_map(|body| &body.edges);
    edges
        .filter_map(|edge| match &edge.action {
            Action::Call { result: Some(result), callee: Callee::Direct(callee), .. }
                if &*linker.procedures[*callee].name == super::ERRNO =>
            {
                let variable = result.as_variable()?;
                (linker.variables[variable].kind == VariableKind::Temporary).then_some(variable)
            }
            _ => None,
        })
        .collect()
}

/// Pointers that are parameters and are moved at most.
fn lasting_parameters(linker: &Linker, procedure: ProcedureId) -> BTreeSet<VariableId> {
    let declared = &linker.procedures[procedure];
    let is_candidate = |id: &VariableId| {
        let variable = &linker.variables[*id];
        !variable.in_memory && linker.session.types.is_pointer(variable.ty.id)
    };
    let mut lasting: BTreeSet<VariableId> =
        declared.parameters.iter().copied().filter(is_candidate).collect();
    for edge in declared.body.iter().flat_map(|body| &body.edges) {
        let written = match &edge.action {
            Action::Assign { target, value } => target.as_variable().filter(|id| root(value) != Some(*id)),
            Action::Call { result: Some(target), .. } | Action::Havoc { target, .. } => target.as_variable(),
            _ => None,
        };
        if let Some(id) = written {
            lasting.remove(&id);
        }
    }
    lasting
}

/// Pointer variables of a procedure that point only to what the call itself allocated: nobody else knows of it yet.
fn own_blocks(linker: &Linker, procedure: ProcedureId) -> BTreeSet<VariableId> {
    let declared = &linker.procedures[procedure];
    let is_candidate = |id: &VariableId| {
        let variable = &linker.variables[*id];
        !variable.in_memory && linker.session.types.is_pointer(variable.ty.id)
    };
    let temporaries = linker.variables.iter_enumerated().filter(|(_, variable)| {
        variable.kind == VariableKind::Temporary && variable.procedure == Some(procedure)
    });
    let locals = declared.locals.iter().copied().chain(temporaries.map(|(id, _)| id));
    let mut own: BTreeSet<VariableId> = locals.filter(is_candidate).collect();
    loop {
        let mut lost = Vec::new();
        for edge in declared.body.iter().flat_map(|body| &body.edges) {
            let (target, is_kept) = match &edge.action {
                Action::Assign { target, value } => {
                    let is_null = value.as_integer() == Some(0);
                    (target, is_null || root(value).is_some_and(|id| own.contains(&id)))
                }
                Action::Call { result: Some(target), callee, .. } => (target, allocates(linker, callee)),
                Action::Havoc { target, .. } => (target, true),
                _ => continue,
            };
            lost.extend(target.as_variable().filter(|id| !is_kept && own.contains(id)));
        }
        if lost.is_empty() {
            return own;
        }
        lost.iter().for_each(|id| {
            own.remove(id);
        });
    }
}

fn allocates(linker: &Linker, callee: &Callee) -> bool {
    use program::Known::{Alloca, Calloc, Malloc};
    matches!(callee, Callee::Direct(id) if matches!(linker.procedures[*id].known, Some(Malloc | Calloc | Alloca)))
}

/// The variable that an address is computed from.
fn root(mut pointer: &Expr) -> Option<VariableId> {
    loop {
        match &pointer.kind {
            ExprKind::Cast(inner) | ExprKind::PointerOffset { pointer: inner, .. } => pointer = inner,
            ExprKind::Load(place) => return place.as_variable(),
            _ => return None,
        }
    }
}

/// What a place is, if it outlives the call.
fn lasting(linker: &Linker, place: &Place) -> Option<Thing> {
    match &place.base {
        PlaceBase::Variable(id) => {
            (linker.variables[*id].kind == VariableKind::Global).then_some(Thing::Variable(*id))
        }
        PlaceBase::Pointer(_) => Some(match place.path.last() {
            Some(Projection::Field(record, field)) => Thing::Member(*record, *field),
            _ => Thing::OfType(place.ty.id),
        }),
    }
}

/// `g = g + 1` and the like, of a place that outlives the call.
fn counted(linker: &Linker, action: &Action) -> Option<Thing> {
    let Action::Assign { target, value } = action else { return None };
    let mut value = value;
    while let ExprKind::Cast(inner) = &value.kind {
        value = inner;
    }
    let ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, one, two) = &value.kind else { return None };
    let is_target = |side: &Expr| {
        let mut side = side;
        while let ExprKind::Cast(inner) = &side.kind {
            side = inner;
        }
        matches!(&side.kind, ExprKind::Load(place) if place.base == target.base && place.path == target.path)
    };
    (is_target(one) && two.as_integer().is_some()).then(|| lasting(linker, target)).flatten()
}
