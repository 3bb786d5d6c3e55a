//! What the name of an action means. In a structure actions are names only; those over C data are written so that they
//! can be read back.

use crate::cexpr::{CBinary, CExpression};
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

/// A value of C that an action carries as an index: `put[$2:0..3]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentValue {
    /// The value.
    pub value: CExpression,
    /// The least and the greatest that can be sent.
    pub low: i128,
    /// The greatest.
    pub high: i128,
}

impl SentValue {
    /// The name of an action so far, with this number sent too: possible where the value is that number.
    pub fn name_with(&self, prefix: &str, number: i128) -> String {
        let SentValue { value, low, high } = self;
        let is_it = CExpression::Binary(
            CBinary::Equal,
            Box::new(value.clone()),
            Box::new(CExpression::Integer(number)),
        );
        let (guard, rest) = match prefix.strip_prefix("when {").and_then(|rest| rest.split_once("} ")) {
            Some((guard, rest)) => (format!("({guard}) && {is_it}"), rest),
            None => (is_it.to_string(), prefix),
        };
        format!("when {{{guard}}} within {{{value} : {low} : {high}}} {rest}.{number}")
    }

    fn read(text: &str) -> Option<SentValue> {
        let (rest, high) = text.rsplit_once(" : ")?;
        let (value, low) = rest.rsplit_once(" : ")?;
        let value = CExpression::parse(value).ok()?;
        Some(SentValue { value, low: low.parse().ok()?, high: high.parse().ok()? })
    }
}

/// What an action's name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionMeaning {
    /// Only where this holds in the C state.
    pub guard: Option<CExpression>,
    /// The values that it carries.
    pub sent: Vec<SentValue>,
    /// What is done.
    pub command: DataCommand,
}

/// Reads the name of an action back.
pub fn meaning_of(name: &str) -> ActionMeaning {
    let plain =
        || ActionMeaning { guard: None, sent: Vec::new(), command: DataCommand::Action(Arc::from(name)) };
    let (guard, mut rest) = match name.strip_prefix("when {").and_then(|rest| rest.split_once("} ")) {
        Some((guard, rest)) => match CExpression::parse(guard) {
            Ok(guard) => (Some(guard), rest),
            Err(_) => return plain(),
        },
        None => (None, name),
    };
    let mut sent = Vec::new();
    while let Some((value, after)) = rest.strip_prefix("within {").and_then(|rest| rest.split_once("} ")) {
        let Some(value) = SentValue::read(value) else { return plain() };
        sent.push(value);
        rest = after;
    }
    let braced =
        |text: &str| text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).map(str::to_owned);
    if let Some(condition) = rest.strip_prefix("return ").and_then(braced) {
        if condition.is_empty() {
            return ActionMeaning { guard, sent, command: DataCommand::Return(None) };
        }
        return match CExpression::parse(&condition) {
            Ok(condition) => ActionMeaning { guard, sent, command: DataCommand::Return(Some(condition)) },
            Err(_) => plain(),
        };
    }
    if let Some(assignment) = braced(rest)
        && let Some((target, value)) = assignment.split_once(" = ")
        && let (Ok(target), Ok(value)) = (CExpression::parse(target), CExpression::parse(value))
    {
        return ActionMeaning { guard, sent, command: DataCommand::Assign(target, value) };
    }
    ActionMeaning { guard, sent, command: DataCommand::Action(Arc::from(rest)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_sent_are_read_back() {
        let parsed = |text: &str| CExpression::parse(text).expect("an expression");
        let first = SentValue { value: parsed("$2->seq"), low: 0, high: 3 };
        let second = SentValue { value: parsed("-$1"), low: -2, high: 2 };
        let name = second.name_with(&first.name_with("put", 1), -2);
        let meaning = meaning_of(&name);
        assert_eq!(meaning.guard, Some(parsed("$2->seq == 1 && -$1 == -2")));
        assert_eq!(meaning.sent, [second, first]);
        assert_eq!(meaning.command, DataCommand::Action(Arc::from("put.1.-2")));
    }

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
                let meaning = ActionMeaning { guard, sent: Vec::new(), command: command.clone() };
                assert_eq!(meaning_of(&data_action_name(&action)), meaning);
            }
        }
    }
}
