//! Labels, `goto`, `switch` with its cases.

use super::analyser::{Analyser, OpenFunction, OpenSwitch};
use super::expressions::Purpose;
use crate::syntax;
use crate::tree::{Expr, FlagKind, Label, LabelId, StatementKind};
use base::{IndexVec, Span, Symbol};
use rustc_hash::FxHashMap;

impl Analyser<'_> {
    /// `__label__ a, b;`
    pub fn local_labels(&mut self, names: &[(Symbol, Span)]) {
        let Some(function) = &mut self.function else { return };
        function.label_scopes.push(FxHashMap::default());
        for &(name, span) in names {
            let text = self.session.names.shared_text(name);
            let id = function.labels.push(Label { name: text, span, address_taken: false });
            function.label_state.push((span, false));
            if let Some(scope) = function.label_scopes.last_mut() {
                scope.insert(name, id);
            }
        }
    }

    /// Back to `depth` scopes of labels. Those declared and never defined are told at the end of the function.
    pub fn leave_label_scopes(&mut self, depth: usize) {
        if let Some(function) = &mut self.function {
            function.label_scopes.truncate(depth.max(1));
        }
    }

    /// The label that a name means here.
    pub fn use_label(&mut self, name: Symbol, span: Span) -> LabelId {
        let text = self.session.names.shared_text(name);
        let Some(function) = &mut self.function else {
            // Only from a label address outside functions, which is told by the caller.
            return base::Id::from_index(0);
        };
        if let Some(&id) = function.label_scopes.iter().rev().find_map(|scope| scope.get(&name)) {
            return id;
        }
        let id = function.labels.push(Label { name: text, span, address_taken: false });
        function.label_state.push((span, false));
        function.label_scopes[0].insert(name, id);
        id
    }

    pub fn label_statement(&mut self, name: Symbol, span: Span, body: &syntax::Statement) -> StatementKind {
        let id = self.define_label(name, span);
        StatementKind::Label(id, Box::new(self.statement(body)))
    }

    /// The label's place is here.
    pub fn define_label(&mut self, name: Symbol, span: Span) -> LabelId {
        let id = self.use_label(name, span);
        let Some(function) = &mut self.function else { return id };
        let before = function.labels[id].span;
        let (_, is_defined) = &mut function.label_state[id];
        if std::mem::replace(is_defined, true) {
            let message = format!("the label `{}` is defined twice", self.text(name));
            self.error_with_place("redefinition", span, message, before, "first here");
        } else {
            function.labels[id].span = span;
        }
        id
    }

    pub fn goto_statement(&mut self, name: Symbol, span: Span) -> StatementKind {
        StatementKind::Goto(self.use_label(name, span))
    }

    pub fn computed_goto(&mut self, target: &syntax::Expr, span: Span) -> StatementKind {
        self.flag(FlagKind::ComputedGoto, span, "a computed `goto` is not modelled");
        let typed = self.value(target);
        let pointer = self.common.void_pointer;
        StatementKind::ComputedGoto(self.assign_convert(typed, pointer, Purpose::Jump))
    }

    /// All labels that are used must be defined.
    pub fn finish_labels(&mut self, function: OpenFunction) -> IndexVec<LabelId, Label> {
        for (id, (span, is_defined)) in function.label_state.iter_enumerated() {
            if !is_defined {
                let message = format!("the label `{}` is used but not defined", function.labels[id].name);
                self.error_with_hint("undefined-label", *span, message, "write the label in this function");
            }
        }
        function.labels
    }

    pub fn switch_statement(&mut self, value: &syntax::Expr, body: &syntax::Statement) -> StatementKind {
        let mut typed = self.value(value);
        if self.types().is_integer(typed.ty.id) {
            typed = self.promote(typed);
        } else if !self.is_error(typed.ty.id) {
            let message = format!("`switch` needs an integer, not `{}`", self.show(typed.ty));
            self.error("not-integer", typed.span, message);
            typed = self.error_expr(typed.span);
        }
        let ty = (!self.is_error(typed.ty.id)).then_some(typed.ty.id);
        if let Some(function) = &mut self.function {
            function.switches.push(OpenSwitch { ty, cases: Vec::new(), default: None });
            function.breakable += 1;
        }
        let body = Box::new(self.statement(body));
        let mut closed = None;
        if let Some(function) = &mut self.function {
            closed = function.switches.pop();
            function.breakable -= 1;
        }
        if let Some(closed) = closed {
            self.check_cases(closed.cases);
        }
        StatementKind::Switch { value: typed, body }
    }

    fn check_cases(&mut self, mut cases: Vec<(i128, i128, Span)>) {
        cases.sort_by_key(|&(low, high, span)| (low, high, span.start));
        let mut furthest: Option<(i128, Span)> = None;
        for (low, high, span) in cases {
            if let Some((reached, place)) = furthest
                && low <= reached
            {
                let message = format!("the case {low} occurs twice");
                self.error_with_place("duplicate-case", span, message, place, "also here");
            }
            if furthest.is_none_or(|(reached, _)| high > reached) {
                furthest = Some((high, span));
            }
        }
    }

    pub fn case_statement(
        &mut self,
        low: &syntax::Expr,
        high: Option<&syntax::Expr>,
        body: &syntax::Statement,
        span: Span,
    ) -> StatementKind {
        let range = self.case_range(low, high, span);
        let body = Box::new(self.statement(body));
        match range {
            Some((low, high)) => StatementKind::Case { low, high, body },
            // Without values there is nothing that jumps here; the statement itself stays.
            None => {
                let span = body.span;
                let block = crate::tree::Block { variables: Vec::new(), statements: vec![*body], span };
                StatementKind::Block(block)
            }
        }
    }

    fn case_range(
        &mut self,
        low: &syntax::Expr,
        high: Option<&syntax::Expr>,
        span: Span,
    ) -> Option<(i128, i128)> {
        let first = self.value(low);
        let last = high.map(|high| self.value(high));
        let Some(ty) =
            self.function.as_ref().and_then(|function| function.switches.last()).map(|open| open.ty)
        else {
            self.error("stray-case", span, "`case` stands in no `switch`");
            return None;
        };
        let ty = ty?;
        let first = self.case_value(first, ty)?;
        let last = match last {
            Some(last) => self.case_value(last, ty)?,
            None => first,
        };
        let place = high.map_or(low.span, |high| low.span.to(high.span));
        if last < first {
            self.warn("empty-range", place, "this range of cases is empty");
            return None;
        }
        if let Some(open) = self.function.as_mut().and_then(|function| function.switches.last_mut()) {
            open.cases.push((first, last, place));
        }
        Some((first, last))
    }

    fn case_value(&mut self, e: Expr, ty: crate::types::TypeId) -> Option<i128> {
        if self.is_error(e.ty.id) {
            return None;
        }
        if !self.types().is_integer(e.ty.id) {
            let message = format!("a case needs an integer, not `{}`", self.show(e.ty));
            self.error("not-integer", e.span, message);
            return None;
        }
        let Some(value) = self.constant_value(&e) else {
            self.error("not-constant", e.span, "a case needs a constant");
            return None;
        };
        let shape = self.shape(ty)?;
        Some(shape.value(value as u128))
    }

    pub fn default_statement(&mut self, body: &syntax::Statement, span: Span) -> StatementKind {
        let open = self.function.as_mut().and_then(|function| function.switches.last_mut());
        match open.map(|open| open.default.replace(span)) {
            None => self.error("stray-case", span, "`default` stands in no `switch`"),
            Some(Some(before)) => {
                let message = "a `switch` can have one `default` only";
                self.error_with_place("duplicate-case", span, message, before, "also here");
            }
            Some(None) => {}
        }
        StatementKind::Default(Box::new(self.statement(body)))
    }
}
