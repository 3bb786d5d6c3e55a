//! Statements.

use super::Show;
use crate::types::{Type, TypeId};
use crate::{
    Action, AssumeReason, BinaryOp, Callee, Expr, ExprKind, HavocSource, Known, LifetimeStep, Place,
    PlaceBase, ProcedureId, VariableId, VariableKind,
};

impl Show<'_> {
    pub(super) fn action_text(&self, action: &Action) -> String {
        match action {
            Action::Skip => String::new(),
            Action::Assume { condition, expected, reason } => {
                let text = self.condition_text(condition, *expected).text;
                match reason {
                    AssumeReason::Branch => text,
                    AssumeReason::User => format!("assume({text})"),
                }
            }
            Action::Assign { target, value } => match self.increment_text(target, value) {
                Some(text) => text,
                None => self.stored(Some(target), self.assigned(value).text),
            },
            Action::Havoc { target, source } => match source {
                HavocSource::Input(name) => self.stored(Some(target), format!("{name}()")),
                HavocSource::Indeterminate => match target.as_variable() {
                    Some(id) => self.program.types.declare(target.ty, &self.variable_text(id).text),
                    None => format!("/* {} is indeterminate */", self.place_text(target).text),
                },
                HavocSource::Asm => format!("asm(/* writes {} */)", self.place_text(target).text),
            },
            Action::Call { result: Some(result), callee: Callee::Direct(id), .. }
                if self.is_spelled_call(result, *id) =>
            {
                self.place_text(result).text
            }
            Action::Call { result, callee, arguments } => {
                self.stored(result.as_ref(), self.call_text(callee, arguments, result.as_ref()))
            }
            Action::Return { value: Some(value) } => format!("return {}", self.assigned(value).text),
            Action::Return { value: None } => "return".into(),
            Action::Event { name, arguments } => {
                format!("event {name}({})", self.arguments_text(arguments, None))
            }
            Action::Lifetime { variable, step } => {
                let name = self.variable_text(*variable).text;
                match step {
                    LifetimeStep::Begin => {
                        self.program.types.declare(self.program.variables[*variable].ty, &name)
                    }
                    LifetimeStep::End => format!("/* {name} ends */"),
                }
            }
            Action::Unsupported(what) => format!("/* unsupported: {what} */"),
        }
    }

    /// `x++` for the second half of it: `x = old + 1`, where the temporary `old` stands for `x++`.
    fn increment_text(&self, target: &Place, value: &Expr) -> Option<String> {
        let mut value = value;
        while let ExprKind::Cast(inner) = &value.kind {
            value = inner;
        }
        let mut old = match &value.kind {
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, _) => &**left,
            ExprKind::PointerOffset { pointer, .. } => pointer,
            _ => return None,
        };
        while let ExprKind::Cast(inner) = &old.kind {
            old = inner;
        }
        let ExprKind::Load(place) = &old.kind else { return None };
        let is_temporary = |&id: &VariableId| self.program.variables[id].kind == VariableKind::Temporary;
        let text = self.variable_text(place.as_variable().filter(is_temporary)?).text;
        let of = text.strip_suffix("++").or_else(|| text.strip_suffix("--"))?;
        (squeezed(of) == squeezed(&self.place_text(target).text)).then_some(text)
    }

    /// Does the temporary that gets the result stand for this very call, as the program writes it?
    fn is_spelled_call(&self, result: &Place, callee: ProcedureId) -> bool {
        let name = &*self.program.procedures[callee].name;
        let is_temporary = |&id: &VariableId| self.program.variables[id].kind == VariableKind::Temporary;
        let Some(id) = result.as_variable().filter(is_temporary) else { return false };
        let text = self.variable_text(id).text;
        let behind = text.strip_prefix(name).map(str::trim_start);
        behind.is_some_and(|arguments| arguments.starts_with('(') && arguments.ends_with(')'))
            && !name.starts_with("__builtin_va_")
    }

    /// `place = value`. A temporary stands for the text it gets the value of: there the value is shown, with the text
    /// behind it where that tells more.
    fn stored(&self, target: Option<&Place>, value: String) -> String {
        let Some(target) = target else { return value };
        let is_temporary =
            target.as_variable().is_some_and(|id| self.program.variables[id].kind == VariableKind::Temporary);
        let place = self.place_text(target).text;
        match is_temporary {
            false => format!("{place} = {value}"),
            true if squeezed(&place) == squeezed(&value) => value,
            true => format!("{value} /* {} */", place.replace("*/", "* /")),
        }
    }

    fn call_text(&self, callee: &Callee, arguments: &[Expr], result: Option<&Place>) -> String {
        match callee {
            Callee::Direct(id) => {
                if let Some(text) = self.list_call(*id, arguments, result) {
                    return text;
                }
                let procedure = &self.program.procedures[*id];
                format!("{}({})", procedure.name, self.arguments_text(arguments, Some(procedure.ty)))
            }
            Callee::Indirect(pointer) => {
                let ty = self.program.types.pointee(pointer.ty).map(|to| to.id);
                let pointer = self.expression(pointer).at_least(super::Level::Postfix);
                format!("{pointer}({})", self.arguments_text(arguments, ty))
            }
        }
    }

    fn arguments_text(&self, arguments: &[Expr], function: Option<TypeId>) -> String {
        let fixed = match function.map(|ty| self.program.types.get(ty)) {
            Some(Type::Function(function)) => function.parameters.len(),
            _ => 0,
        };
        let show = |(index, argument): (usize, &Expr)| {
            let promotes = match &argument.kind {
                // The promotions that arguments without a parameter get.
                ExprKind::Cast(inner) => {
                    self.promoted_expr(inner) == self.promoted(argument.ty)
                        || self.program.types.float_kind(inner.ty).is_some()
                            && self.program.types.float_kind(argument.ty) == Some(crate::FloatKind::Double)
                }
                _ => false,
            };
            if index < fixed || promotes {
                self.assigned(argument).text
            } else {
                self.expression(argument).text
            }
        };
        arguments.iter().enumerate().map(show).collect::<Vec<_>>().join(", ")
    }

    /// `va_arg(list, type)` and its relatives as `stdarg.h` writes them.
    fn list_call(&self, id: ProcedureId, arguments: &[Expr], result: Option<&Place>) -> Option<String> {
        let list = |index: usize| Some(self.pointed_to(arguments.get(index)?));
        Some(match self.program.procedures[id].known? {
            Known::VaStart => format!("va_start({})", list(0)?),
            Known::VaEnd => format!("va_end({})", list(0)?),
            Known::VaCopy => format!("va_copy({}, {})", list(0)?, list(1)?),
            Known::VaArg => format!("va_arg({}, {})", list(0)?, self.program.types.show(result?.ty.id)),
            _ => return None,
        })
    }

    fn pointed_to(&self, pointer: &Expr) -> String {
        match &pointer.kind {
            ExprKind::AddressOf(place) => {
                let text = self.address_text(place, pointer.ty).text;
                text.strip_prefix('&').map_or(text.clone(), str::to_owned)
            }
            ExprKind::Load(place) if matches!(place.base, PlaceBase::Variable(_)) => {
                self.place_text(place).text
            }
            ExprKind::Cast(inner) => self.pointed_to(inner),
            _ => self.expression(pointer).text,
        }
    }
}

/// Without white space, to compare texts.
fn squeezed(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}
