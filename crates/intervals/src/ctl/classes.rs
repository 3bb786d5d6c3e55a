//! Variables that hold the same inputs: what splits one splits the other.

use super::writes::place_variable;
use base::Id;
use program::{Action, Callee, Expr, ExprKind, VariableId};

/// Variables that are copied to each other, so that what splits one splits the other.
#[derive(Debug, Default)]
pub struct Classes {
    parents: Vec<u32>,
}

impl Classes {
    /// Groups the variables of a program.
    pub fn of(program: &program::Program) -> Classes {
        let mut classes = Classes { parents: (0..program.variables.len() as u32).collect() };
        let copied = |expr: &Expr| {
            let mut inner = expr;
            while let ExprKind::Cast(operand) = &inner.kind {
                inner = operand;
            }
            match &inner.kind {
                ExprKind::Load(place) => place_variable(place),
                _ => None,
            }
        };
        for procedure in &program.procedures {
            for edge in procedure.body.iter().flat_map(|body| &body.edges) {
                match &edge.action {
                    Action::Assign { target, value } => {
                        if let (Some(to), Some(from)) = (place_variable(target), copied(value)) {
                            classes.join(to.index() as u32, from.index() as u32);
                        }
                    }
                    Action::Call { callee: Callee::Direct(callee), arguments, .. } => {
                        for (argument, parameter) in
                            arguments.iter().zip(&program.procedures[*callee].parameters)
                        {
                            if let Some(from) = copied(argument) {
                                classes.join(parameter.index() as u32, from.index() as u32);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        classes
    }

    fn root(&self, mut at: u32) -> u32 {
        while self.parents[at as usize] != at {
            at = self.parents[at as usize];
        }
        at
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[one.max(other) as usize] = one.min(other);
    }

    /// The class of a variable.
    pub fn class(&self, id: VariableId) -> u32 {
        self.root(id.index() as u32)
    }
}
