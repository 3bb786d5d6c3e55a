//! The standard streams: `stdin`, `stdout` and `stderr` point to objects of their own, which the descriptions in
//! `stdio.c` define.

use crate::library::mentioned_procedures;
use crate::link::Linker;
use program::expr::{Access, ExprPart};
use program::{
    Action, Callee, Expr, ExprKind, InitialData, InitialValue, Origin, Place, PlaceBase, TypeId, VariableId,
    VariableKind,
};

/// Does the program mention a function that ends the life of a stream?
pub fn may_be_closed(linker: &Linker) -> bool {
    mentioned_procedures(linker).iter().any(|&id| library::CLOSING.contains(&&*linker.procedures[id].name))
}

/// Lets the variables that the program uses point to the objects, once these are there. Where nobody changes such a
/// variable, a library function gets the object itself, so that nothing has to be known of the variable.
pub fn connect(linker: &mut Linker) {
    for (name, object) in program::STANDARD_STREAMS {
        let Some(object) = global(linker, object) else { continue };
        let Some(variable) = global(linker, name).filter(|&id| linker.variables[id].is_external) else {
            continue;
        };
        let ty = linker.variables[variable].ty;
        if !linker.session.types.is_pointer(ty.id) {
            continue;
        }
        let address = address_of(linker, object, ty.id);
        linker.variables[object].in_memory = true;
        linker.variables[variable].is_external = false;
        linker.variables[variable].initial = vec![InitialValue {
            place: Place::variable(variable, ty),
            value: InitialData::Value(address.clone()),
        }];
        if !is_changed(linker, variable) {
            pass_on(linker, variable, &address);
        }
    }
}

fn global(linker: &Linker, name: &str) -> Option<VariableId> {
    let found = linker.variables.iter_enumerated().find(|(_, variable)| {
        variable.kind == VariableKind::Global && variable.procedure.is_none() && &*variable.name == name
    });
    found.map(|(id, _)| id)
}

fn address_of(linker: &mut Linker, object: VariableId, ty: TypeId) -> Expr {
    let own = linker.variables[object].ty;
    let pointer = linker.session.types.pointer(own);
    let address = Expr { kind: ExprKind::AddressOf(Box::new(Place::variable(object, own))), ty: pointer };
    address.cast(ty)
}

/// Does anything write to the variable, or take its address?
fn is_changed(linker: &Linker, variable: VariableId) -> bool {
    let mut is_changed = false;
    let bodies = linker.procedures.iter().filter_map(|procedure| procedure.body.as_ref());
    for edge in bodies.flat_map(|graph| &graph.edges) {
        edge.action.visit(&mut |part| {
            if let ExprPart::Place(Place { base: PlaceBase::Variable(id), .. }, access) = part {
                is_changed |= *id == variable && access != Access::Read;
            }
        });
    }
    let initials = linker.variables.iter().flat_map(|variable| &variable.initial);
    for initial in initials {
        if let InitialData::Value(value) = &initial.value {
            value.visit(&mut |part| {
                if let ExprPart::Place(Place { base: PlaceBase::Variable(id), .. }, Access::Address) = part {
                    is_changed |= *id == variable;
                }
            });
        }
    }
    is_changed
}

/// Library functions get the object where the program passes the variable.
fn pass_on(linker: &mut Linker, variable: VariableId, address: &Expr) {
    let is_library: Vec<bool> =
        linker.procedures.iter().map(|procedure| procedure.origin != Origin::User).collect();
    for procedure in linker.procedures.iter_mut() {
        let Some(body) = &mut procedure.body else { continue };
        for edge in body.edges.iter_mut() {
            let Action::Call { callee: Callee::Direct(callee), arguments, .. } = &mut edge.action else {
                continue;
            };
            if !is_library[base::Id::index(*callee)] {
                continue;
            }
            for argument in arguments {
                let is_it = |value: &Expr| matches!(&value.kind, ExprKind::Load(place) if place.as_variable() == Some(variable));
                if is_it(argument) {
                    *argument = address.clone();
                } else if let ExprKind::Cast(inner) = &mut argument.kind
                    && is_it(inner)
                {
                    **inner = address.clone();
                }
            }
        }
    }
}
