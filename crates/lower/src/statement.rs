//! Statements: structured control flow becomes nodes and edges.

use crate::function::{FunctionLowering, SwitchCases, Target};
use base::Span;
use csource::tree::{self, AsmEffect, AsmOutput, Statement, StatementKind};
use program::{Action, AssumeReason, BinaryOp, Expr, ExprKind, HavocSource, NodeId, Origin, VariableKind};

impl FunctionLowering<'_> {
    /// Lowers statements in order.
    pub fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    /// Lowers `{ … }` with its variables' lives.
    pub fn block(&mut self, block: &tree::Block) {
        self.enter_scope(&block.variables, block.span);
        self.statements(&block.statements);
        self.leave_scope(closing_brace(block.span));
    }

    /// Lowers one statement.
    pub fn statement(&mut self, statement: &Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Empty => {}
            StatementKind::Expr(expr) => {
                let step = self.open_step(span);
                self.effect(expr);
                self.close_step(step, span);
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise } => {
                self.if_statement(condition, then, otherwise.as_deref())
            }
            StatementKind::While { condition, body } => {
                self.loop_statement(Some(condition), None, body, span)
            }
            StatementKind::For { condition, step, body } => {
                self.loop_statement(condition.as_ref(), step.as_ref(), body, span)
            }
            StatementKind::DoWhile { body, condition } => self.do_while(body, condition, span),
            StatementKind::Switch { value, body } => self.switch(value, body, span),
            StatementKind::Case { low, high, body } => {
                self.start_labelled(span);
                let here = self.here();
                match self.switches.last_mut() {
                    Some(switch) => switch.cases.push((*low, *high, here, label_span(span, body))),
                    None => self.loses_case = true,
                }
                self.statement(body);
            }
            StatementKind::Default(body) => {
                self.start_labelled(span);
                let here = self.here();
                match self.switches.last_mut() {
                    Some(switch) => switch.default = Some(here),
                    None => self.loses_case = true,
                }
                self.statement(body);
            }
            StatementKind::Label(label, body) => {
                self.start_labelled(span);
                let here = self.here();
                self.labels.insert(*label, here);
                self.name_label(*label);
                let is_thread = |name: &std::sync::Arc<str>| name.starts_with(crate::spawn::PREFIX);
                match self.label_names.get(label).is_some_and(is_thread) {
                    true => self.spawn(body, span),
                    false => self.statement(body),
                }
            }
            StatementKind::Goto(label) => {
                self.leave_step(span);
                self.jump_to_label(*label, span);
                self.start_unreachable(span);
            }
            StatementKind::ComputedGoto(address) => self.computed_goto(address, span),
            StatementKind::Break => self.jump_out(self.breaks.last().copied(), span),
            StatementKind::Continue => self.jump_out(self.continues.last().copied(), span),
            StatementKind::Return(value) => self.return_statement(value.as_ref(), span),
            StatementKind::Declare { variable, lengths, initializer } => {
                let step = self.open_step(span);
                self.evaluate_lengths(lengths);
                self.declare(*variable, initializer.as_ref(), span);
                self.close_step(step, span);
                let unit = &self.linker.units[self.unit];
                if let Some(function) = unit.unit.variables[*variable].symbol.cleanup {
                    let function = unit.procedures[function];
                    let variable = self.variable(*variable);
                    self.guard(variable, function);
                }
            }
            StatementKind::EvaluateLengths(lengths) => self.evaluate_lengths(lengths),
            StatementKind::Asm { outputs, inputs, effect, template } => {
                self.asm(outputs, inputs, *effect, template, span)
            }
            StatementKind::Asserted(condition) => self.asserted(condition, span),
            StatementKind::NotUnderstood(why) => self.not_understood(why, span),
            StatementKind::Unsupported(what) => self.unsupported(what, span),
        }
    }

    /// Ends the current straight line so that jumps can come in here.
    fn start_labelled(&mut self, span: Span) {
        let node = self.graph.add_node(span);
        self.emit_to(node, Action::Skip, span);
        self.current = node;
    }

    /// Labels of models are nobody's: a property that names one means the program's.
    fn name_label(&mut self, label: tree::LabelId) {
        if self.linker.procedures[self.procedure].origin == Origin::Model {
            return;
        }
        if let Some(name) = self.label_names.get(&label) {
            self.graph.nodes[self.current].labels.push(name.clone());
        }
    }

    fn if_statement(&mut self, condition: &tree::Expr, then: &Statement, otherwise: Option<&Statement>) {
        let then_node = self.graph.add_node(then.span);
        let after = self.graph.add_node(Span::NOWHERE);
        let else_node = otherwise.map_or(after, |statement| self.graph.add_node(statement.span));
        self.branch_in_step(condition, then_node, else_node);
        self.current = then_node;
        self.statement(then);
        self.emit_to(after, Action::Skip, Span::NOWHERE);
        if let Some(otherwise) = otherwise {
            self.current = else_node;
            self.statement(otherwise);
            self.emit_to(after, Action::Skip, Span::NOWHERE);
        }
        self.current = after;
    }

    /// `while` and `for`: the head tests, `continue` goes to the step.
    fn loop_statement(
        &mut self,
        condition: Option<&tree::Expr>,
        step: Option<&tree::Expr>,
        body: &Statement,
        span: Span,
    ) {
        // Whoever waits in a loop waits for others.
        let interrupted = self.interrupt_step(span);
        let head = self.graph.add_node(condition.map_or(span, |condition| condition.span));
        self.graph.nodes[head].is_loop_head = true;
        let body_node = self.graph.add_node(body.span);
        let after = self.graph.add_node(Span::NOWHERE);
        let step_node = step.map_or(head, |step| self.graph.add_node(step.span));
        self.emit_to(head, Action::Skip, span);
        self.current = head;
        match condition {
            Some(condition) => self.branch_in_step(condition, body_node, after),
            None => self.emit_to(body_node, Action::Skip, span),
        }
        self.current = body_node;
        self.loop_body(body, after, step_node);
        self.emit_to(step_node, Action::Skip, span);
        if let Some(step) = step {
            self.current = step_node;
            let one = self.open_step(step.span);
            self.effect(step);
            self.close_step(one, step.span);
            self.emit_to(head, Action::Skip, span);
        }
        self.current = after;
        self.resume_step(interrupted, span);
    }

    fn do_while(&mut self, body: &Statement, condition: &tree::Expr, span: Span) {
        let interrupted = self.interrupt_step(span);
        let head = self.graph.add_node(body.span);
        self.graph.nodes[head].is_loop_head = true;
        let test = self.graph.add_node(condition.span);
        let after = self.graph.add_node(Span::NOWHERE);
        self.emit_to(head, Action::Skip, span);
        self.current = head;
        self.loop_body(body, after, test);
        self.emit_to(test, Action::Skip, span);
        self.current = test;
        self.branch_in_step(condition, head, after);
        self.current = after;
        self.resume_step(interrupted, span);
    }

    fn loop_body(&mut self, body: &Statement, break_to: NodeId, continue_to: NodeId) {
        self.breaks.push(self.jump_target(break_to));
        self.continues.push(self.jump_target(continue_to));
        self.statement(body);
        self.breaks.pop();
        self.continues.pop();
    }

    fn jump_out(&mut self, target: Option<Target>, span: Span) {
        self.leave_step(span);
        match target {
            Some(target) => self.jump(target, span),
            None => self.unsupported("a jump out of nothing", span), // `sema` has told it
        }
        self.start_unreachable(span);
    }

    fn return_statement(&mut self, value: Option<&tree::Expr>, span: Span) {
        if self.is_apart {
            self.unsupported("a `return` out of the statement of a thread", span);
        }
        let step = self.open_step(span);
        let result = self.result_type();
        let is_void = self.linker.session.types.get(result) == &program::Type::Void;
        let value = match value {
            Some(value) if is_void => {
                self.effect(value);
                None
            }
            Some(value) => {
                let value = self.rvalue(value);
                let value = self.convert(value, result);
                if self.never_null {
                    self.promised_not_null(value.clone(), crate::function::NULL_IS_RETURNED, span);
                }
                Some(if self.in_step || self.is_guarded() { self.frozen(value, span) } else { value })
            }
            None => None,
        };
        self.close_step(step, span);
        self.leave_step(span);
        if self.is_guarded() {
            self.leave_all(span);
        }
        self.emit_to(self.graph.exit, Action::Return { value }, span);
        self.start_unreachable(span);
    }

    fn switch(&mut self, value: &tree::Expr, body: &Statement, span: Span) {
        let step = self.open_step(value.span);
        let lowered = self.rvalue(value);
        // Each case tests the value, but it is read once: only what no other thread can change may stand there as it
        // is.
        let is_private = match &lowered.kind {
            ExprKind::Integer(_) => true,
            ExprKind::Load(place) => place.as_variable().is_some_and(|id| {
                let variable = &self.linker.variables[id];
                !variable.in_memory && variable.kind != VariableKind::Global
            }),
            _ => false,
        };
        let lowered = if is_private {
            lowered
        } else {
            let saved = self.save(lowered, value.span);
            self.value_of(saved)
        };
        self.close_step(step, value.span);
        let dispatch = self.here();
        let after = self.graph.add_node(Span::NOWHERE);
        self.switches.push(SwitchCases::default());
        self.breaks.push(self.jump_target(after));
        self.start_unreachable(body.span);
        self.statement(body);
        self.emit_to(after, Action::Skip, Span::NOWHERE);
        self.breaks.pop();
        let cases = self.switches.pop().expect("pushed above");
        self.current = dispatch.node;
        for (low, high, target, case_span) in cases.cases {
            self.dispatch_case(&lowered, low, high, target, case_span);
        }
        let default = cases.default.unwrap_or(self.jump_target(after));
        self.jump(default, span);
        self.current = after;
    }

    fn dispatch_case(&mut self, value: &Expr, low: i128, high: i128, target: Target, span: Span) {
        let next = self.graph.add_node(span);
        let hit = self.graph.add_node(span);
        let ty = value.ty;
        let int = self.int();
        let types = &self.linker.session.types;
        let bound = |limit: i128| Expr::integer(limit as u128, ty, types);
        let compare = |op: BinaryOp, limit: i128| Expr {
            kind: ExprKind::Binary(op, Box::new(value.clone()), Box::new(bound(limit))),
            ty: int,
        };
        if low == high {
            let condition = compare(BinaryOp::Equal, low);
            self.branch_on(condition, hit, next, span);
        } else {
            let (at_least, at_most) =
                (compare(BinaryOp::GreaterEqual, low), compare(BinaryOp::LessEqual, high));
            let between = self.graph.add_node(span);
            self.branch_on(at_least, between, next, span);
            self.current = between;
            self.branch_on(at_most, hit, next, span);
        }
        self.current = hit;
        self.jump(target, span);
        self.current = next;
    }

    /// Two edges that assume a condition and its negation; only the possible one if it is a constant.
    pub fn branch_on(&mut self, condition: Expr, then: NodeId, otherwise: NodeId, span: Span) {
        if let ExprKind::Integer(bits) = condition.kind {
            self.emit_to(if bits != 0 { then } else { otherwise }, Action::Skip, span);
            return;
        }
        let assume =
            |condition, expected| Action::Assume { condition, expected, reason: AssumeReason::Branch };
        self.emit_to(then, assume(condition.clone(), true), span);
        self.emit_to(otherwise, assume(condition, false), span);
    }

    /// `goto *e`: compares the address with the number of every label whose address is taken. Which functions of
    /// `cleanup` attributes are called then is not documented; gcc leaves them out.
    fn computed_goto(&mut self, address: &tree::Expr, span: Span) {
        if self.is_guarded() {
            self.unsupported(
                "a computed goto out of the reach of a variable with a `cleanup` attribute",
                span,
            );
        }
        let value = self.rvalue(address);
        let value = self.frozen(value, address.span);
        let int = self.int();
        for label in self.address_labels.clone() {
            let number = Expr::integer(self.label_number(label), value.ty, &self.linker.session.types);
            let condition = Expr {
                kind: ExprKind::Binary(BinaryOp::Equal, Box::new(value.clone()), Box::new(number)),
                ty: int,
            };
            let (hit, next) = (self.graph.add_node(span), self.graph.add_node(span));
            self.branch_on(condition, hit, next, span);
            self.current = hit;
            self.jump_to_label(label, span);
            self.current = next;
        }
        self.unsupported("a computed goto to an address that is no label's", span);
        self.start_unreachable(span);
    }

    /// Inline assembly: what is not known to do nothing ends what can be said of the run. It may write to any memory,
    /// jump, or stop the program, whatever its constraints say.
    fn asm(
        &mut self,
        outputs: &[(tree::Expr, AsmOutput)],
        inputs: &[tree::Expr],
        effect: AsmEffect,
        template: &str,
        span: Span,
    ) {
        let mut values = Vec::with_capacity(inputs.len());
        for input in inputs {
            let is_value = self.linker.session.types.is_scalar(input.ty.id);
            if is_value && effect == AsmEffect::Nothing {
                let value = self.rvalue(input);
                values.push(Some(self.frozen(value, input.span)));
            } else {
                self.effect(input);
                values.push(None);
            }
        }
        if effect == AsmEffect::Unknown {
            let shown: String = template.split_whitespace().collect::<Vec<_>>().join(" ");
            let shown: String = shown.chars().take(40).collect();
            return self.unsupported(&format!("inline assembly `{shown}`, whose effect is not known"), span);
        }
        for (output, after) in outputs {
            let value = match after {
                AsmOutput::Kept => continue,
                AsmOutput::Any => None,
                AsmOutput::Input(position) => values.get_mut(*position).and_then(Option::take),
            };
            let target = self.place(output);
            match value {
                Some(value) if self.linker.session.types.is_scalar(target.ty.id) => {
                    let value = self.convert(value, target.ty.id);
                    self.assign(target, value, span);
                }
                _ => self.emit(Action::Havoc { target, source: HavocSource::Asm }, span),
            }
        }
    }
}

/// The closing brace of a block.
pub fn closing_brace(span: Span) -> Span {
    Span::new(span.end.saturating_sub(1).max(span.start), span.end)
}

/// `case 3:` without the statement it labels.
fn label_span(whole: Span, body: &Statement) -> Span {
    if body.span.start > whole.start { Span::new(whole.start, body.span.start) } else { whole }
}
