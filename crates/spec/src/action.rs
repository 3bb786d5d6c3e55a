//! What the name of an action means. In a structure actions are names only; those over C data are written so that they
//! can be read back.

use crate::cexpr::CExpression;
use crate::syntax::{DataAction, DataCommand};
use std::sync::Arc;

/// The name of a return under a condition on `$0`; without one, nothing is returned.
pub fn return_name(condition: Option<&CExpression>) -> String {
    match condition {
        Some(condition) => format!("return {{{condition}}}"),
        None => "return {}".to_owned(),
    }
}

/// The name of an action over C data.
pub fn data_action_name(action: &DataAction) -> String {
    let command = match &action.command {
        DataCommand::Return(condition) => return_name(condition.as_ref()),
        DataCommand::Assign(target, value) => format!("{{{target} = {value}}}"),
        DataCommand::Action(name) => name.to_string(),
    };
    match &action.guard {
        Some(guard) => format!("when {{{guard}}} {command}"),
        None => command,
    }
}

/// What an action's name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionMeaning {
    /// Only where this holds in the C state.
    pub guard: Option<CExpression>,
    /// What is done.
    pub command: DataCommand,
}

/// Reads the name of an action back.
pub fn meaning_of(name: &str) -> ActionMeaning {
    let plain = || ActionMeaning { guard: None, command: DataCommand::Action(Arc::from(name)) };
    let (guard, rest) = match name.strip_prefix("when {").and_then(|rest| rest.split_once("} ")) {
        Some((guard, rest)) => match CExpression::parse(guard) {
            Ok(guard) => (Some(guard), rest),
            Err(_) => return plain(),
        },
        None => (None, name),
    };
    let braced =
        |text: &str| text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).map(str::to_owned);
    if let Some(condition) = rest.strip_prefix("return ").and_then(braced) {
        if condition.is_empty() {
            return ActionMeaning { guard, command: DataCommand::Return(None) };
        }
        return match CExpression::parse(&condition) {
            Ok(condition) => ActionMeaning { guard, command: DataCommand::Return(Some(condition)) },
            Err(_) => plain(),
        };
    }
    if let Some(assignment) = braced(rest)
        && let Some((target, value)) = assignment.split_once(" = ")
        && let (Ok(target), Ok(value)) = (CExpression::parse(target), CExpression::parse(value))
    {
        return ActionMeaning { guard, command: DataCommand::Assign(target, value) };
    }
    ActionMeaning { guard, command: DataCommand::Action(Arc::from(rest)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let parsed = |text: &str| CExpression::parse(text).expect("an expression");
        let commands = [
            DataCommand::Return(None),
            DataCommand::Return(Some(parsed("$0 == -1"))),
            DataCommand::Assign(parsed("s->v"), parsed("x + 1")),
            DataCommand::Action(Arc::from("call_foo")),
        ];
        for command in commands {
            for guard in [None, Some(parsed("$1 != 0"))] {
                let action =
                    DataAction { guard: guard.clone(), command: command.clone(), span: base::Span::NOWHERE };
                let meaning = ActionMeaning { guard, command: command.clone() };
                assert_eq!(meaning_of(&data_action_name(&action)), meaning);
            }
        }
    }
}
