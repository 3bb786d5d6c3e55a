//! From a program to code: gives every variable its home, then builds procedures and initial values.

use super::{Bank, Code, Home, Initial, InitialStep, class_of};
use base::IndexVec;
use program::{InitialData, Program, VariableId, VariableKind};

/// Builds what other files of this folder need.
pub(super) struct Builder<'p> {
    pub program: &'p Program,
    pub homes: IndexVec<VariableId, Home>,
}

/// Where static variables live that no pointer reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statics {
    /// In registers, which is faster.
    InRegisters,
    /// In memory as the others, so that whoever watches memory sees every access that threads can share.
    InMemory,
}

/// Makes a program ready to run.
pub fn build(program: &Program, statics: Statics) -> Code {
    let mut code = Code {
        procedures: IndexVec::new(),
        homes: IndexVec::filled(Home::Register(u32::MAX), program.variables.len()),
        statics: Vec::new(),
        thread_objects: Vec::new(),
        global_registers: Vec::new(),
        global_register_count: 0,
        thread_registers: Vec::new(),
        thread_register_count: 0,
        initial: Vec::new(),
        remaining: std::sync::OnceLock::new(),
    };
    for (id, variable) in program.variables.iter_enumerated() {
        let is_static = matches!(variable.kind, VariableKind::Global | VariableKind::StringLiteral);
        if !is_static {
            continue; // automatic ones are numbered with their procedure
        }
        let registers = class_of(&program.types, variable.ty.id).registers();
        let in_memory = variable.in_memory || statics == Statics::InMemory && !variable.is_thread_local;
        code.homes[id] = match (in_memory, variable.is_thread_local) {
            (true, false) => {
                code.statics.push(id);
                Home::StaticObject(code.statics.len() as u32 - 1)
            }
            (true, true) => {
                code.thread_objects.push(id);
                Home::ThreadObject(code.thread_objects.len() as u32 - 1)
            }
            (false, false) => {
                let first = code.global_register_count;
                code.global_registers.push((id, first));
                code.global_register_count += registers;
                Home::Shared(Bank::Global, first)
            }
            (false, true) => {
                let first = code.thread_register_count;
                code.thread_registers.push((id, first));
                code.thread_register_count += registers;
                Home::Shared(Bank::Thread, first)
            }
        };
    }
    let mut builder = Builder { program, homes: code.homes };
    let mut layouts = Vec::with_capacity(program.procedures.len());
    for procedure in program.procedures.iter() {
        layouts.push(builder.lay_out_frame(procedure));
    }
    for (procedure, layout) in program.procedures.iter().zip(layouts) {
        let built = procedure.body.as_ref().map(|graph| builder.procedure(procedure, graph, layout));
        code.procedures.push(built);
    }
    for (id, variable) in program.variables.iter_enumerated() {
        for initial in &variable.initial {
            let step = match &initial.value {
                InitialData::Value(value) => {
                    InitialStep::Assign(Box::new(builder.assign(&initial.place, value)))
                }
                InitialData::Bytes(bytes) => {
                    InitialStep::Bytes(builder.access_place(&initial.place), bytes.clone())
                }
            };
            code.initial.push(Initial { variable: id, step });
        }
    }
    code.homes = builder.homes;
    code
}
