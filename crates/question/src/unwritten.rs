//! Local variables that a run reads before they are written. A compiled program cannot be given their values
//! one by one, but compilers can begin all locals alike (`-ftrivial-auto-var-init`).

use concrete::{ConsumedInput, InputShape};
use program::{Action, HavocSource, LifetimeStep, Program, VariableKind};

/// What all locals begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// All bytes zero.
    Zero,
    /// Bytes 0xFE, gcc's `pattern`.
    Pattern,
}

impl Fill {
    /// The value of a shape; `None` where it is not said.
    pub fn bits(self, shape: InputShape) -> Option<u128> {
        match (self, shape) {
            (Fill::Zero, _) => Some(0),
            (Fill::Pattern, InputShape::Bool | InputShape::Pointer { .. }) => None,
            (Fill::Pattern, shape) => {
                let all = u128::from_ne_bytes([0xfe; 16]);
                let width = shape.width();
                Some(if width >= 128 { all } else { all & ((1 << width) - 1) })
            }
        }
    }
}

/// Is an input of this name the value of a local variable that was never written?
pub fn is_unwritten_local(program: &Program, name: &str) -> bool {
    let has = |kind: VariableKind| {
        program.variables.iter().any(|variable| &*variable.name == name && variable.kind == kind)
    };
    program.procedure_named(name).is_none() && has(VariableKind::Local) && !has(VariableKind::Global)
}

/// May a jump lead past the declaration of a local variable of this name? Compilers do not begin it then.
pub fn may_be_jumped_past(program: &Program, name: &str) -> bool {
    program.edges().any(|edge| {
        let begun = match &edge.action {
            Action::Lifetime { variable, step: LifetimeStep::Begin } => Some(*variable),
            Action::Havoc { target, source: HavocSource::Indeterminate } => target.as_variable(),
            _ => None,
        };
        begun.map(|id| &program.variables[id]).is_some_and(|variable| {
            let is_declared_there =
                edge.span.start <= variable.span.start && variable.span.end <= edge.span.end;
            variable.kind == VariableKind::Local && &*variable.name == name && !is_declared_there
        })
    })
}

/// What the unwritten locals of a run all begin with, if there are any and they are alike.
pub fn fill_of(program: &Program, inputs: &[ConsumedInput]) -> Option<Fill> {
    let unwritten = || inputs.iter().filter(|input| is_unwritten_local(program, &input.name));
    unwritten().next()?;
    [Fill::Zero, Fill::Pattern]
        .into_iter()
        .find(|fill| unwritten().all(|input| fill.bits(input.shape) == Some(input.bits)))
}
