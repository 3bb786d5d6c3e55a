//! Calls: ordinary ones, and those whose name already says what they do (inputs, assumptions, events).

use crate::expression::has_side_effects;
use crate::function::FunctionLowering;
use crate::words;
use base::Span;
use csource::tree::{self, ExprKind as Tree};
use csource::types::{FunctionType, Type};
use program::{
    Action, AssumeReason, AssumptionKind, Callee, Expr, HavocSource, Known, Origin, Place, ProcedureId,
    TypeId,
};
use std::sync::Arc;

impl FunctionLowering<'_> {
    /// A call whose value is used.
    pub fn call_value(&mut self, callee: &tree::Expr, arguments: &[tree::Expr], whole: &tree::Expr) -> Expr {
        let ty = whole.ty.id;
        if self.linker.session.types.get(ty) == &Type::Void {
            self.call(callee, arguments, None, whole);
            return self.int_constant(0);
        }
        let result = self.temporary(ty, whole.span);
        let target = self.place_of(result);
        self.call(callee, arguments, Some(target), whole);
        self.value_of(result)
    }

    /// A call; its result, if wanted, goes to `result`.
    pub fn call(
        &mut self,
        callee: &tree::Expr,
        arguments: &[tree::Expr],
        result: Option<Place>,
        whole: &tree::Expr,
    ) {
        let span = whole.span;
        let Some(function) = direct_callee(callee) else {
            for argument in arguments {
                self.in_any_order(&[callee, argument], span);
            }
            let mut pointer = if self.is_function_type(callee.ty.id) {
                self.function_pointer(callee)
            } else {
                self.rvalue(callee)
            };
            if arguments.iter().any(has_side_effects) {
                pointer = self.frozen(pointer, callee.span);
            }
            let arguments = self.arguments(arguments);
            self.emit(Action::Call { result, callee: Callee::Indirect(pointer), arguments }, span);
            return;
        };
        let procedure = self.linker.units[self.unit].procedures[function];
        if let Some(why) = self.linker.units[self.unit].unit.functions[function].symbol.unmodelled.clone() {
            self.unsupported(&why, span);
        }
        let declared = &self.linker.units[self.unit].unit.functions[function];
        // Behind the call of what this file declares never to return gcc makes no code, whatever other files say.
        let never_returns = declared.is_noreturn || self.linker.procedures[procedure].is_noreturn;
        let (promises, is_own) =
            (&declared.symbol.promises, self.linker.procedures[procedure].origin == program::Origin::User);
        if promises.changes_nothing && result.is_none() && is_own {
            let why = format!(
                "a call of `{}`, which is declared `pure` or `const` and so left out by gcc",
                declared.name
            );
            self.unsupported(&why, span);
        }
        if is_own
            && crate::own_names::may_be_the_compilers(&self.linker.procedures[procedure].name, arguments)
        {
            let name = &self.linker.procedures[procedure].name;
            let why = format!(
                "a call of the program's `{name}`, which gcc may take for the function of C's library,"
            );
            self.unsupported(&why, span);
        }
        if self.call_by_name(procedure, arguments, result.as_ref(), span) {
            return;
        }
        let arguments = self.arguments(arguments);
        self.emit(Action::Call { result, callee: Callee::Direct(procedure), arguments }, span);
        if never_returns {
            self.start_unreachable(span);
        }
    }

    fn arguments(&mut self, arguments: &[tree::Expr]) -> Vec<Expr> {
        if let [first, _, ..] = arguments {
            self.in_any_order(&arguments.iter().collect::<Vec<_>>(), first.span);
        }
        let mut values = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            let mut value = self.rvalue(argument);
            if arguments[index + 1..].iter().any(has_side_effects) {
                value = self.frozen(value, argument.span);
            }
            values.push(value);
        }
        values
    }

    /// Functions without a body whose name is a convention of verification tools. Says whether it was one.
    fn call_by_name(
        &mut self,
        procedure: ProcedureId,
        arguments: &[tree::Expr],
        result: Option<&Place>,
        span: Span,
    ) -> bool {
        let entry = &self.linker.procedures[procedure];
        if entry.origin == Origin::User {
            return false;
        }
        let (name, entry_is_known) = (entry.name.clone(), entry.known.is_some());
        if let Some(Known::Setjmp | Known::Longjmp) = entry.known {
            self.linker.assume(
                AssumptionKind::NonLocalJump,
                &name,
                span,
                format!("`{name}` is called: jumps back to `setjmp` are not followed"),
            );
            return false;
        }
        let takes_pointers =
            arguments.iter().any(|argument| self.linker.session.types.is_pointer(argument.ty.id));
        // What is given a pointer may write through it.
        if words::is_input(&name) && !takes_pointers {
            for argument in arguments {
                self.effect(argument);
            }
            if let Some(target) = result {
                self.emit(Action::Havoc { target: target.clone(), source: HavocSource::Input(name) }, span);
            } else {
                // The value is dropped, but an input was consumed.
                let program::Type::Function(FunctionType { result, .. }) =
                    self.linker.session.types.get(self.linker.procedures[procedure].ty)
                else {
                    return true;
                };
                let result = result.id;
                if self.linker.session.types.is_scalar(result) {
                    self.unknown_value(result, HavocSource::Input(name), span);
                }
            }
            return true;
        }
        if let Some(word) = words::word(&name, arguments.len()) {
            self.say_word(word, &name, arguments, result, span);
            return true;
        }
        // Where positions of a run begin, for temporal formulas; nothing else happens.
        if &*name == program::LTL_STEP && arguments.is_empty() && result.is_none() {
            self.emit(Action::Event { name, arguments: Vec::new() }, span);
            return true;
        }
        let is_known = entry_is_known || crate::library::has_model(&name);
        if !is_known && words::is_reserved(&name) {
            arguments.iter().for_each(|argument| self.effect(argument));
            self.unsupported(&format!("a call of `{name}`"), span);
            return true;
        }
        match (&*name, arguments) {
            ("__concord_event", [event, values @ ..]) => match self.literal_text(event) {
                Some(name) => {
                    let arguments = self.arguments(values);
                    self.emit(Action::Event { name, arguments }, span);
                    true
                }
                None => false,
            },
            _ => false,
        }
    }

    /// Runs that do not meet the condition end here without counting.
    pub fn assume_condition(&mut self, condition: &tree::Expr, span: Span) {
        let (met, unmet) = (self.graph.add_node(span), self.graph.add_node(span));
        let is_plain = !matches!(
            strip(condition).kind,
            Tree::LogicalAnd(..) | Tree::LogicalOr(..) | Tree::Conditional(..) | Tree::Comma(..)
        );
        if is_plain {
            let value = self.rvalue(strip(condition));
            let action = Action::Assume { condition: value, expected: true, reason: AssumeReason::User };
            self.emit_to(met, action, span);
        } else {
            self.branch(condition, met, unmet);
            self.current = unmet;
            let nothing = self.int_constant(0);
            let stop = Action::Assume { condition: nothing, expected: true, reason: AssumeReason::User };
            self.emit(stop, span);
            // Where runs go on that meet it: whether there are any is asked there.
            self.current = met;
            let condition = self.int_constant(1);
            let goes_on = Action::Assume { condition, expected: true, reason: AssumeReason::User };
            self.emit(goes_on, span);
            return;
        }
        self.current = met;
    }

    fn literal_text(&self, expr: &tree::Expr) -> Option<Arc<str>> {
        match &expr.kind {
            Tree::Decay(inner) | Tree::Cast { operand: inner, .. } => self.literal_text(inner),
            Tree::String(id) => {
                let units = &self.linker.units[self.unit].unit.strings[*id].units;
                let characters = units.iter().take_while(|&&unit| unit != 0);
                let text: String = characters.filter_map(|&unit| char::from_u32(unit)).collect();
                Some(Arc::from(text.as_str()))
            }
            _ => None,
        }
    }

    /// Calls a procedure that the tool itself knows, by name. Its type is taken from the arguments.
    pub fn call_known(&mut self, name: &str, arguments: Vec<Expr>, result: Option<Place>, span: Span) {
        let result_type = match &result {
            Some(place) => place.ty,
            None => self.linker.session.types.void().into(),
        };
        let ty = self.linker.session.types.intern(Type::Function(FunctionType {
            result: result_type,
            parameters: arguments.iter().map(|argument| argument.ty).collect(),
            is_variadic: false,
            has_prototype: true,
        }));
        let procedure = self.linker.intrinsic(name, ty);
        self.emit(Action::Call { result, callee: Callee::Direct(procedure), arguments }, span);
        if self.linker.procedures[procedure].is_noreturn {
            self.start_unreachable(span);
        }
    }

    /// The value of a call to a procedure that the tool itself knows.
    pub fn known_value(&mut self, name: &str, arguments: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        let result = self.temporary(ty, span);
        let target = self.place_of(result);
        self.call_known(name, arguments, Some(target), span);
        self.value_of(result)
    }

    /// Begins or ends an atomic section.
    pub fn atomic_marker(&mut self, name: &str, span: Span) {
        self.call_known(name, Vec::new(), None, span);
    }

    /// `va_arg(list, type)`
    pub fn va_arg(&mut self, list: &tree::Expr, whole: &tree::Expr) -> Expr {
        let list = self.rvalue(list);
        self.known_value("__builtin_va_arg", vec![list], whole.ty.id, whole.span)
    }
}

pub(crate) fn direct_callee(callee: &tree::Expr) -> Option<tree::FunctionId> {
    match &callee.kind {
        Tree::Function(id) => Some(*id),
        Tree::Decay(inner) | Tree::AddressOf(inner) => direct_callee(inner),
        Tree::Deref(inner) => match &inner.kind {
            Tree::Decay(function) | Tree::AddressOf(function) => direct_callee(function),
            _ => None,
        },
        _ => None,
    }
}

fn strip(expr: &tree::Expr) -> &tree::Expr {
    match &expr.kind {
        Tree::Cast { operand, is_implicit: true }
            if matches!(operand.kind, Tree::LogicalAnd(..) | Tree::LogicalOr(..)) =>
        {
            operand
        }
        _ => expr,
    }
}
