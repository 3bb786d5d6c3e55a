//! A state: the globals, and for each thread its stack.

use crate::graph::{EdgeId, NodeId, Program, Scope, VariableId};
use crate::values::Values;

/// An activation of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frame {
    /// Where it stands.
    pub node: NodeId,
    /// The call it waits for, if it is not the innermost.
    pub waits_for: Option<EdgeId>,
    /// Its variables by slot.
    pub locals: Values,
}

/// A thread that has not ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thread {
    /// Is it inside an atomic section?
    pub is_atomic: bool,
    /// Its activations, the innermost last. Never empty.
    pub stack: Vec<Frame>,
}

impl Thread {
    /// A thread at a node with nothing below.
    pub fn at(node: NodeId, locals: Values) -> Thread {
        Thread { is_atomic: false, stack: vec![Frame { node, waits_for: None, locals }] }
    }

    /// The innermost activation.
    pub fn top(&self) -> &Frame {
        self.stack.last().expect("a thread that runs has an activation")
    }

    /// The innermost activation, to change it.
    pub fn top_mut(&mut self) -> &mut Frame {
        self.stack.last_mut().expect("a thread that runs has an activation")
    }
}

/// A state of the whole program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    /// The globals by slot.
    pub globals: Values,
    /// The threads that have not ended.
    pub threads: Vec<Thread>,
}

/// The value of a variable, seen from an activation.
pub(super) fn value_of(program: &Program, globals: &Values, locals: &Values, variable: VariableId) -> bool {
    let variable = &program.variables()[variable];
    match variable.scope {
        Scope::Global => globals.get(variable.slot),
        Scope::Local(_) => locals.get(variable.slot),
        Scope::Passive(_) => panic!("a variable of another thread is read by rules about others only"),
    }
}

/// Sets a variable, seen from an activation.
pub(super) fn set_value(
    program: &Program,
    globals: &mut Values,
    locals: &mut Values,
    variable: VariableId,
    value: bool,
) {
    let variable = &program.variables()[variable];
    match variable.scope {
        Scope::Global => globals.set(variable.slot, value),
        Scope::Local(_) => locals.set(variable.slot, value),
        Scope::Passive(_) => panic!("variables of other threads are set by rules about others only"),
    }
}

/// What a rule about other threads sees: the globals, the thread that moves, and the activation that it is
/// about.
#[derive(Clone, Copy)]
pub(super) struct ViewOfState<'s> {
    pub globals: &'s Values,
    pub active: &'s Values,
    pub passive: &'s Values,
}

impl ViewOfState<'_> {
    pub(super) fn value(&self, program: &Program, variable: VariableId) -> bool {
        let variable = &program.variables()[variable];
        match variable.scope {
            Scope::Global => self.globals.get(variable.slot),
            Scope::Local(_) => self.active.get(variable.slot),
            Scope::Passive(_) => self.passive.get(variable.slot),
        }
    }
}
