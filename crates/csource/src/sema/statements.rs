//! Statements: blocks, loops, jumps out of them, `return`, inline assembly.

use super::analyser::Analyser;
use super::expressions::Purpose;
use crate::syntax::{self, BlockItem, ForInit, StatementKind as Written};
use crate::tree::{AsmEffect, AsmOutput, Block, Expr, FlagKind, Statement, StatementKind};
use crate::types::Type;
use base::{Diagnostic, Span};

impl Analyser<'_> {
    /// The items of a block, in the current scope.
    pub fn block_items(&mut self, items: &[BlockItem], out: &mut Vec<Statement>) {
        let label_scopes = self.function.as_ref().map_or(0, |function| function.label_scopes.len());
        out.reserve(items.len());
        for item in items {
            match item {
                BlockItem::Declaration(declaration) => self.local_declaration(declaration, out),
                BlockItem::Statement(statement) => {
                    let statement = self.statement(statement);
                    out.push(statement);
                }
                BlockItem::NestedFunction(definition) => self.nested_function(definition, out),
                BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
                BlockItem::LocalLabels(names) => self.local_labels(names),
            }
        }
        self.leave_label_scopes(label_scopes);
    }

    /// `{ … }` with a scope of its own.
    pub fn block(&mut self, written: &syntax::Block) -> Block {
        self.scoped_block(written.span, |this, out| this.block_items(&written.items, out))
    }

    /// A scope whose statements `fill` makes.
    pub fn scoped_block(&mut self, span: Span, fill: impl FnOnce(&mut Self, &mut Vec<Statement>)) -> Block {
        self.scopes.enter();
        self.blocks.push(Vec::new());
        let mut statements = Vec::new();
        fill(self, &mut statements);
        let variables = self.blocks.pop().unwrap_or_default();
        self.scopes.leave();
        Block { variables, statements, span }
    }

    /// One statement.
    pub fn statement(&mut self, written: &syntax::Statement) -> Statement {
        let span = written.span;
        let kind = match &written.kind {
            Written::Empty => StatementKind::Empty,
            Written::Expr(e) => StatementKind::Expr(self.dropped(e)),
            Written::Block(block) => StatementKind::Block(self.block(block)),
            Written::If(condition, then, otherwise) => {
                self.if_statement(condition, then, otherwise.as_deref())
            }
            Written::While(condition, body) => self.while_statement(condition, body),
            Written::DoWhile(body, condition) => self.do_statement(body, condition),
            Written::For(init, condition, step, body) => {
                self.for_statement(init.as_deref(), condition.as_ref(), step.as_ref(), body, span)
            }
            Written::Switch(value, body) => self.switch_statement(value, body),
            Written::Case(low, high, body) => self.case_statement(low, high.as_ref(), body, span),
            Written::Default(body) => self.default_statement(body, span),
            Written::Label(name, name_span, body) => self.label_statement(*name, *name_span, body),
            Written::Goto(name, name_span) => self.goto_statement(*name, *name_span),
            Written::ComputedGoto(target) => self.computed_goto(target, span),
            Written::Break => self.break_statement(span),
            Written::Continue => self.continue_statement(span),
            Written::Return(value) => self.return_statement(value.as_ref(), span),
            Written::Asm(asm) => self.asm_statement(asm),
            Written::Asserted(condition) => self.asserted(condition, span),
            Written::NotUnderstood(why) => self.not_understood(why.clone(), span),
        };
        Statement { kind, span }
    }

    /// An assertion in a comment. A mistake in it is no mistake of the program's.
    fn asserted(&mut self, condition: &syntax::Expr, span: Span) -> StatementKind {
        let before = std::mem::take(&mut self.session.diagnostics);
        let condition = self.truth(condition, "an assertion");
        let said = std::mem::replace(&mut self.session.diagnostics, before);
        let error = said.iter().find(|one| one.severity == base::Severity::Error);
        match error.map(|error| error.message.clone()) {
            Some(why) => self.not_understood(why, span),
            None => StatementKind::Asserted(condition),
        }
    }

    fn not_understood(&mut self, why: String, span: Span) -> StatementKind {
        let message = format!("this assertion is not understood: {why}");
        let warning = Diagnostic::warning("annotations", span, message)
            .hint("a run that gets here is not answered about, if assertions are asked about");
        self.session.diagnostics.push(warning);
        StatementKind::NotUnderstood(why)
    }

    /// An expression whose value nobody uses.
    fn dropped(&mut self, e: &syntax::Expr) -> Expr {
        let typed = self.value(e);
        if self.is_special(typed.ty.id) { self.refuse_special(typed) } else { typed }
    }

    /// An expression that decides a branch.
    pub fn truth(&mut self, e: &syntax::Expr, what: &str) -> Expr {
        let typed = self.expr(e);
        self.condition(typed, what)
    }

    fn if_statement(
        &mut self,
        condition: &syntax::Expr,
        then: &syntax::Statement,
        otherwise: Option<&syntax::Statement>,
    ) -> StatementKind {
        let condition = self.truth(condition, "a condition");
        let then = Box::new(self.statement(then));
        let otherwise = otherwise.map(|otherwise| Box::new(self.statement(otherwise)));
        StatementKind::If { condition, then, otherwise }
    }

    fn loop_body(&mut self, body: &syntax::Statement) -> Box<Statement> {
        if let Some(function) = &mut self.function {
            function.loops += 1;
            function.breakable += 1;
        }
        let body = Box::new(self.statement(body));
        if let Some(function) = &mut self.function {
            function.loops -= 1;
            function.breakable -= 1;
        }
        body
    }

    fn while_statement(&mut self, condition: &syntax::Expr, body: &syntax::Statement) -> StatementKind {
        let condition = self.truth(condition, "a loop condition");
        let body = self.loop_body(body);
        StatementKind::While { condition, body }
    }

    fn do_statement(&mut self, body: &syntax::Statement, condition: &syntax::Expr) -> StatementKind {
        let body = self.loop_body(body);
        let condition = self.truth(condition, "a loop condition");
        StatementKind::DoWhile { body, condition }
    }

    /// A `for` with a first clause is wrapped in a block of its own.
    fn for_statement(
        &mut self,
        init: Option<&ForInit>,
        condition: Option<&syntax::Expr>,
        step: Option<&syntax::Expr>,
        body: &syntax::Statement,
        span: Span,
    ) -> StatementKind {
        let Some(init) = init else { return self.for_loop(condition, step, body) };
        let block = self.scoped_block(span, |this, out| {
            match init {
                ForInit::Declaration(declaration) => this.local_declaration(declaration, out),
                ForInit::Expr(e) => {
                    let typed = this.dropped(e);
                    out.push(Statement { span: typed.span, kind: StatementKind::Expr(typed) });
                }
            }
            let kind = this.for_loop(condition, step, body);
            out.push(Statement { kind, span });
        });
        StatementKind::Block(block)
    }

    fn for_loop(
        &mut self,
        condition: Option<&syntax::Expr>,
        step: Option<&syntax::Expr>,
        body: &syntax::Statement,
    ) -> StatementKind {
        let condition = condition.map(|condition| self.truth(condition, "a loop condition"));
        let step = step.map(|step| self.dropped(step));
        let body = self.loop_body(body);
        StatementKind::For { condition, step, body }
    }

    fn break_statement(&mut self, span: Span) -> StatementKind {
        if self.function.as_ref().is_none_or(|function| function.breakable == 0) {
            self.error("stray-break", span, "`break` stands in no loop or switch");
            return StatementKind::Empty;
        }
        StatementKind::Break
    }

    fn continue_statement(&mut self, span: Span) -> StatementKind {
        if self.function.as_ref().is_none_or(|function| function.loops == 0) {
            self.error("stray-continue", span, "`continue` stands in no loop");
            return StatementKind::Empty;
        }
        StatementKind::Continue
    }

    fn return_statement(&mut self, value: Option<&syntax::Expr>, span: Span) -> StatementKind {
        let Some(result) = self.function.as_ref().map(|function| function.result) else {
            return StatementKind::Empty;
        };
        let returns_void = self.types().get(result.id) == &Type::Void;
        match value {
            None => {
                if !returns_void && !self.is_error(result.id) {
                    let message = format!(
                        "`return` without a value in a function that returns `{}`",
                        self.show(result)
                    );
                    self.warn("return-type", span, message);
                }
                StatementKind::Return(None)
            }
            Some(value) if returns_void => {
                let typed = self.dropped(value);
                if self.types().get(typed.ty.id) != &Type::Void && !self.is_error(typed.ty.id) {
                    self.warn(
                        "return-type",
                        typed.span,
                        "`return` with a value in a function that returns `void`",
                    );
                }
                let statements = vec![
                    Statement { span: typed.span, kind: StatementKind::Expr(typed) },
                    Statement { span, kind: StatementKind::Return(None) },
                ];
                StatementKind::Block(Block { variables: Vec::new(), statements, span })
            }
            Some(value) => {
                let typed = self.value(value);
                StatementKind::Return(Some(self.assign_convert(typed, result.id, Purpose::Return)))
            }
        }
    }

    fn asm_statement(&mut self, asm: &syntax::Asm) -> StatementKind {
        let effect = asm_effect(&asm.template);
        if effect == AsmEffect::Unknown {
            self.flag(FlagKind::InlineAsm, asm.span, "what inline assembly does is not known");
        }
        let mut outputs = Vec::with_capacity(asm.outputs.len());
        let mut inputs = Vec::new();
        for (position, (constraint, e)) in asm.outputs.iter().enumerate() {
            let typed = self.expr(e);
            if typed.is_lvalue() || self.is_error(typed.ty.id) {
                let number = position.to_string();
                let shared = asm.inputs.iter().position(|(input, _)| input.trim_start_matches('%') == number);
                let after = match shared {
                    _ if constraint.contains('+') => AsmOutput::Kept,
                    Some(input) => AsmOutput::Input(input),
                    None if constraint.contains('m') && !constraint.contains(['r', 'g']) => AsmOutput::Kept,
                    None => AsmOutput::Any,
                };
                outputs.push((typed, after));
            } else {
                self.error("not-lvalue", e.span, "an output of inline assembly must be an lvalue");
            }
        }
        for (constraint, e) in &asm.inputs {
            let typed = self.expr(e);
            // An array or a function as a memory operand is the object itself; else it decays.
            let in_memory = constraint.contains('m') && typed.is_lvalue() && !constraint.contains(['r', 'g']);
            if in_memory {
                self.mark_address_taken(&typed);
            }
            inputs.push(self.decay(typed));
        }
        for &(name, span) in &asm.labels {
            self.use_label(name, span);
        }
        StatementKind::Asm { outputs, inputs, effect, template: asm.template.clone() }
    }
}

/// What the instructions of a template do. Fences and pauses matter to other processors and to time only.
pub(super) fn asm_effect(template: &str) -> AsmEffect {
    const NOTHING: [&str; 9] =
        ["", "nop", "pause", "mfence", "lfence", "sfence", "rep nop", "endbr64", "repz nop"];
    let lower = template.to_lowercase().replace("rep; nop", "rep nop").replace("rep;nop", "rep nop");
    let mut instructions = lower.split(['\n', ';']).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.join(" ")
    });
    if instructions.all(|instruction| NOTHING.contains(&instruction.as_str())) {
        AsmEffect::Nothing
    } else {
        AsmEffect::Unknown
    }
}
