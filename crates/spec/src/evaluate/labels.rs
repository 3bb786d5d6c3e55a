//! What labels stand for: all the names they expand to, with their variables bound one value after the other.

use super::value::{Environment, Value};
use crate::action::{SentValue, data_action_name};
use crate::cexpr::CExpression;
use crate::syntax::{
    DataAction, DataCommand, ExpressionKind, Index, IndexValues, Label, LabelPart, LabelSet, Name,
};
use base::{Diagnostic, Span};
use std::sync::Arc;

/// More labels than this in one definition are taken for a mistake.
const MOST_LABELS: usize = 1_000_000;

type Each<'e, 'g> = &'e mut dyn FnMut(&mut Environment<'g>, &str) -> Result<(), Diagnostic>;

impl<'g> Environment<'g> {
    /// Calls `each` with every name the label stands for; its variables are bound meanwhile.
    pub fn for_each_label(&mut self, label: &Label, each: Each<'_, 'g>) -> Result<(), Diagnostic> {
        self.expand(&label.parts, "", label.span, each)
    }

    fn expand(
        &mut self,
        parts: &[LabelPart],
        prefix: &str,
        span: Span,
        each: Each<'_, 'g>,
    ) -> Result<(), Diagnostic> {
        let Some((first, rest)) = parts.split_first() else {
            self.enumerated += 1;
            if self.enumerated > MOST_LABELS {
                let message = format!("this definition stands for more than {MOST_LABELS} actions");
                return Err(Diagnostic::error("too-many-actions", span, message).hint("use smaller ranges"));
            }
            return each(self, prefix);
        };
        let joined = |text: &str| {
            let begins = prefix.is_empty() || prefix.ends_with(' ');
            if begins { format!("{prefix}{text}") } else { format!("{prefix}.{text}") }
        };
        match first {
            LabelPart::Name(name) => self.expand(rest, &joined(&name.text), span, each),
            LabelPart::Data(action) => {
                let action = self.with_values(action);
                self.expand(rest, &joined(&data_action_name(&action)), span, each)
            }
            LabelPart::When(guard) => {
                let guard = guard.with_names(&|name| self.number_called(name));
                self.expand(rest, &format!("{prefix}when {{{guard}}} "), span, each)
            }
            LabelPart::Index(Index { values: IndexValues::Data(value, range), span: at, .. }) => {
                let value = value.with_names(&|name| self.number_called(name));
                let numbers = self.numbers(range, *at)?;
                let (Some(&low), Some(&high)) = (numbers.iter().min(), numbers.iter().max()) else {
                    return Ok(());
                };
                for number in numbers {
                    let sent = SentValue { value: value.clone(), low: low.into(), high: high.into() };
                    let text = sent.name_with(prefix, number.into());
                    self.expand(rest, &text, span, each)?;
                }
                Ok(())
            }
            LabelPart::Set(set) => {
                for element in self.set_elements(set)?.iter() {
                    self.expand(rest, &joined(element), span, each)?;
                }
                Ok(())
            }
            LabelPart::Index(index) => {
                for value in self.index_values(index)? {
                    let text = joined(&value.to_string());
                    self.with_bound(index, value, |environment| environment.expand(rest, &text, span, each))?;
                }
                Ok(())
            }
        }
    }

    /// Runs `inside` with the index's variable, if it has one, bound to the value.
    fn with_bound<T>(&mut self, index: &Index, value: Value, inside: impl FnOnce(&mut Self) -> T) -> T {
        let Some(variable) = &index.variable else { return inside(self) };
        self.bind(variable.text.clone(), value);
        let result = inside(self);
        self.unbind();
        result
    }

    /// Calls `each` with every combination of values of the indices; the text joins the values by dots.
    pub fn for_each_index(&mut self, indices: &[Index], each: Each<'_, 'g>) -> Result<(), Diagnostic> {
        self.expand_indices(indices, "", each)
    }

    fn expand_indices(
        &mut self,
        indices: &[Index],
        prefix: &str,
        each: Each<'_, 'g>,
    ) -> Result<(), Diagnostic> {
        let Some((first, rest)) = indices.split_first() else { return each(self, prefix) };
        for value in self.index_values(first)? {
            self.enumerated += 1;
            if self.enumerated > MOST_LABELS {
                let message = format!("these indices have more than {MOST_LABELS} combinations");
                return Err(
                    Diagnostic::error("too-many-indices", first.span, message).hint("use smaller ranges")
                );
            }
            let text = if prefix.is_empty() { value.to_string() } else { format!("{prefix}.{value}") };
            self.with_bound(first, value, |environment| environment.expand_indices(rest, &text, each))?;
        }
        Ok(())
    }

    /// Every state proposition the label stands for. Indices stay in brackets: `at[1]`, as formulas write them.
    pub fn proposition_names(&mut self, label: &Label) -> Result<Vec<Arc<str>>, Diagnostic> {
        let mut names = Vec::new();
        self.expand_proposition(&label.parts, String::new(), &mut names)?;
        Ok(names)
    }

    fn expand_proposition(
        &mut self,
        parts: &[LabelPart],
        prefix: String,
        names: &mut Vec<Arc<str>>,
    ) -> Result<(), Diagnostic> {
        match parts.split_first() {
            None => names.push(Arc::from(prefix)),
            Some((LabelPart::Index(index), rest)) => {
                for value in self.index_values(index)? {
                    let text = format!("{prefix}[{value}]");
                    self.with_bound(index, value, |environment| {
                        environment.expand_proposition(rest, text, names)
                    })?;
                }
            }
            Some((LabelPart::Name(name), rest)) if prefix.is_empty() => {
                self.expand_proposition(rest, name.text.to_string(), names)?;
            }
            Some((LabelPart::Name(name), rest)) => {
                self.expand_proposition(rest, format!("{prefix}.{}", name.text), names)?;
            }
            Some((LabelPart::Set(_) | LabelPart::Data(_) | LabelPart::When(_), _)) => {
                unreachable!("propositions have names and indices only")
            }
        }
        Ok(())
    }

    /// Every name the label stands for, in order, repetitions dropped.
    pub fn labels(&mut self, label: &Label) -> Result<Vec<Arc<str>>, Diagnostic> {
        let mut names = indexmap::IndexSet::<Arc<str>, rustc_hash::FxBuildHasher>::default();
        self.for_each_label(label, &mut |_, name| {
            names.insert(Arc::from(name));
            Ok(())
        })?;
        Ok(names.into_iter().collect())
    }

    /// The elements of a set, in order, repetitions dropped.
    pub fn set_elements(&mut self, set: &LabelSet) -> Result<Arc<[Arc<str>]>, Diagnostic> {
        match set {
            LabelSet::Named(name) => self.globals.sets.get(&name.text).cloned().ok_or_else(|| {
                let message = format!("the set `{}` is not defined before it is needed", name.text);
                Diagnostic::error("undefined-set", name.span, message)
            }),
            LabelSet::Listed(labels, _) => {
                let mut names = indexmap::IndexSet::<Arc<str>, rustc_hash::FxBuildHasher>::default();
                for label in labels {
                    names.extend(self.labels(label)?);
                }
                Ok(names.into_iter().collect())
            }
            LabelSet::Without(left, right) => {
                let right = self.set_elements(right)?;
                let left = self.set_elements(left)?;
                Ok(left.iter().filter(|name| !right.contains(name)).cloned().collect())
            }
        }
    }

    /// The values an index takes.
    fn index_values(&mut self, index: &Index) -> Result<Vec<Value>, Diagnostic> {
        self.values_of(&index.values, index.variable.as_ref(), index.span)
    }

    /// The numbers that these values are.
    pub fn numbers(&mut self, values: &IndexValues, span: Span) -> Result<Vec<i64>, Diagnostic> {
        let number = |value: Value| match value {
            Value::Integer(number) => Ok(number),
            Value::Label(text) => {
                let message = format!("a number of C is wanted here, and `{text}` is a label");
                Err(Diagnostic::error("not-a-number", span, message))
            }
        };
        self.values_of(values, None, span)?.into_iter().map(number).collect()
    }

    fn values_of(
        &mut self,
        values: &IndexValues,
        variable: Option<&Name>,
        span: Span,
    ) -> Result<Vec<Value>, Diagnostic> {
        match values {
            IndexValues::Set(set) => {
                Ok(self.set_elements(set)?.iter().map(|element| Value::of_text(element)).collect())
            }
            IndexValues::Range(low, high) => {
                let (low, high) = (self.integer(low)?, self.integer(high)?);
                range_values(low, high, span)
            }
            IndexValues::Expression(expression) => {
                if let ExpressionKind::Name(name) = &expression.kind
                    && self.find(name).is_none()
                    && let Some(&(low, high)) = self.globals.ranges.get(name)
                {
                    return range_values(low, high, span);
                }
                if let Some(variable) = variable {
                    let message = format!("`{}` needs a range or a set to take values from", variable.text);
                    return Err(Diagnostic::error("not-a-range", span, message)
                        .hint("write `[i:0..3]`, `[i:Range]` or `[i:{a,b}]`"));
                }
                Ok(vec![self.value(expression)?])
            }
            IndexValues::Data(value, _) => {
                let message = format!("the value `{value}` of C can only be part of an action of a process");
                Err(Diagnostic::error("value-of-c", span, message)
                    .hint("write `send[$2:0..3] -> …` in the process of a `cproc` block"))
            }
        }
    }

    /// The number that a variable of an index or a parameter of the process stands for.
    fn number_called(&self, name: &str) -> Option<i128> {
        match self.bound(name)? {
            Value::Integer(number) => Some((*number).into()),
            Value::Label(_) => None,
        }
    }

    /// An action over C data, with the numbers that variables of indices stand for.
    fn with_values(&self, action: &DataAction) -> DataAction {
        let known = |expression: &CExpression| expression.with_names(&|name| self.number_called(name));
        DataAction {
            guard: action.guard.as_ref().map(known),
            command: match &action.command {
                DataCommand::Return(condition) => DataCommand::Return(condition.as_ref().map(known)),
                DataCommand::Assign(target, value) => DataCommand::Assign(known(target), known(value)),
                DataCommand::Action(name) => DataCommand::Action(name.clone()),
            },
            span: action.span,
        }
    }
}

fn range_values(low: i64, high: i64, span: Span) -> Result<Vec<Value>, Diagnostic> {
    if high < low {
        let message = format!("the range {low}..{high} is empty");
        return Err(Diagnostic::error("empty-range", span, message).hint("the smaller bound comes first"));
    }
    if high.checked_sub(low).is_none_or(|size| size as usize >= MOST_LABELS) {
        let message = format!("the range {low}..{high} has more than {MOST_LABELS} values");
        return Err(Diagnostic::error("too-many-indices", span, message));
    }
    Ok((low..=high).map(Value::Integer).collect())
}
