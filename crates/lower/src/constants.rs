//! Writes to what must not be changed. A literal, or a `const` variable with static storage, gets its value before the
//! program begins: a step that writes it by name (`"abc"[0] = 1`, or a name that an alias gives it) is the program's,
//! not its initialisation. Such a step writes through a pointer here, where all engines look at what it leads to.

use crate::link::Linker;
use program::{Action, Expr, ExprKind, Origin, Place, PlaceBase, VariableKind};

/// Makes all such writes in bodies of the program writes through pointers.
pub fn settle(linker: &mut Linker) {
    let ids: Vec<_> = linker.procedures.ids().collect();
    for id in ids {
        if linker.procedures[id].origin != Origin::User {
            continue;
        }
        let Some(mut body) = linker.procedures[id].body.take() else { continue };
        for edge in body.edges.iter_mut() {
            let target = match &mut edge.action {
                Action::Assign { target, .. } | Action::Havoc { target, .. } => target,
                Action::Call { result: Some(target), .. } => target,
                _ => continue,
            };
            if is_constant(linker, target) {
                write_through_pointer(linker, target);
            }
        }
        linker.procedures[id].body = Some(body);
    }
}

fn is_constant(linker: &Linker, target: &Place) -> bool {
    let PlaceBase::Variable(id) = target.base else { return false };
    let variable = &linker.variables[id];
    match variable.kind {
        VariableKind::StringLiteral => true,
        VariableKind::Global => linker.session.types.is_constant(variable.ty),
        _ => false,
    }
}

fn write_through_pointer(linker: &mut Linker, target: &mut Place) {
    let PlaceBase::Variable(id) = target.base else { return };
    linker.variables[id].in_memory = true;
    let ty = linker.variables[id].ty;
    let types = &mut linker.session.types;
    let (pointer, void) = (types.pointer(ty), types.void());
    let untyped = types.pointer(void);
    let whole = Box::new(Place::variable(id, ty.id));
    let address = Expr { kind: ExprKind::AddressOf(whole), ty: pointer };
    // The casts keep it from being taken for the name again.
    target.base = PlaceBase::Pointer(Box::new(address.cast(untyped).cast(pointer)));
}
