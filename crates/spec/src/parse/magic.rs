//! MAGIC's extensions: actions over C data, `cproc` and `cprog` blocks (thesis 6.4.2, 6.4.4, 6.4.5).

use super::Parser;
use crate::cexpr::{CExpression, parse as cparse};
use crate::cursor::Parsed;
use crate::lexer::TokenKind;
use crate::syntax::{
    DataAction, DataCommand, FairItem, FairnessStatement, IndexValues, Label, LabelPart, ProcedureBlock,
    ProcedureStatement, ProgramBlock, ProgramQuestion, ProgramStatement, SharedDefinition,
};
use base::Diagnostic;

impl Parser<'_, '_> {
    fn c_expression(&mut self) -> Parsed<CExpression> {
        cparse::expression(&mut self.cursor)
    }

    /// Does the brace here hold `v = e` rather than actions?
    pub(super) fn is_assignment(&self) -> bool {
        let mut depth = 0;
        for ahead in 0.. {
            let token = self.cursor.peek_at(ahead);
            match token.text {
                "{" => depth += 1,
                "}" => depth -= 1,
                "=" | ":=" if depth == 1 => return true,
                _ => {}
            }
            if depth == 0 || token.kind == TokenKind::End {
                return false;
            }
        }
        false
    }

    /// `return {…}` or `{v = e}`
    pub(super) fn data_action(&mut self, guard: Option<CExpression>) -> Parsed<DataAction> {
        let start = self.cursor.peek().span;
        let command = if self.cursor.eat("return") {
            self.cursor.expect("{", "a return is written `return {condition on $0}` or `return {}`")?;
            let condition = if self.cursor.is("}") { None } else { Some(self.c_expression()?) };
            self.cursor.expect("}", "this brace is not closed")?;
            DataCommand::Return(condition)
        } else {
            self.cursor.expect("{", "an assignment is written `{v = e}`")?;
            let target = self.c_expression()?;
            if !self.cursor.eat(":=") {
                self.cursor.expect("=", "an assignment is written `{v = e}`")?;
            }
            let value = self.c_expression()?;
            self.cursor.expect("}", "this brace is not closed")?;
            DataCommand::Assign(target, value)
        };
        Ok(DataAction { guard, command, span: start.to(self.cursor.previous_span()) })
    }

    /// `{guard} action`, after `when`.
    pub(super) fn guarded_data_action(&mut self) -> Parsed<Label> {
        let start = self.cursor.expect("{", "a condition on C data is written `when {c}`")?;
        let guard = self.c_expression()?;
        self.cursor.expect("}", "this brace is not closed")?;
        let is_data = self.cursor.is("{") || (self.cursor.is("return") && self.cursor.peek_at(1).text == "{");
        let parts = if is_data {
            vec![LabelPart::Data(self.data_action(Some(guard))?)]
        } else {
            let mut parts = vec![LabelPart::When(guard)];
            parts.extend(self.label()?.parts);
            parts
        };
        let span = start.to(self.cursor.previous_span());
        Ok(Label { parts, span })
    }

    /// `cproc f { … }`
    pub(super) fn procedure_block(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let name = self.cursor.expect_name("a C procedure")?;
        self.cursor.expect("{", "a procedure block is `cproc NAME { … }`")?;
        let mut statements = Vec::new();
        while !self.cursor.is("}") {
            statements.push(self.procedure_statement()?);
        }
        self.cursor.advance();
        self.specification.procedures.push(ProcedureBlock { name, statements });
        Ok(())
    }

    fn procedure_statement(&mut self) -> Parsed<ProcedureStatement> {
        let statement = if self.cursor.eat("abstract") {
            let form = "an abstraction is `abstract { NAME, guard, PROCESS };`";
            self.cursor.expect("{", form)?;
            let name = self.cursor.expect_name("an abstraction")?;
            self.cursor.expect(",", form)?;
            let guard = self.c_expression()?;
            self.cursor.expect(",", form)?;
            let process = self.cursor.expect_name("a process")?;
            self.cursor.expect("}", form)?;
            ProcedureStatement::Abstract { name, guard, process }
        } else if self.cursor.eat("predicate") {
            let mut predicates = vec![self.c_expression()?];
            while self.cursor.eat(",") {
                predicates.push(self.c_expression()?);
            }
            ProcedureStatement::Predicate(predicates)
        } else if self.cursor.eat("inline") {
            let mut names = vec![self.cursor.expect_name("a C procedure")?];
            while self.cursor.eat(",") {
                names.push(self.cursor.expect_name("a C procedure")?);
            }
            ProcedureStatement::Inline(names)
        } else {
            return Err(self.cursor.unexpected("`abstract`, `predicate`, `inline` or `}`"));
        };
        self.cursor.expect(";", "a statement ends with `;`")?;
        Ok(statement)
    }

    /// `shared x : 0..3 = 0`
    pub(super) fn shared_definition(&mut self) -> Parsed<()> {
        let form =
            "a shared variable is declared by `shared x : 0..3`, perhaps with `= 0` for its first value";
        self.cursor.advance();
        let name = self.cursor.expect_name("a C variable")?;
        self.cursor.expect(":", form)?;
        let low = self.simple_expression()?;
        let values = if self.cursor.eat("..") {
            IndexValues::Range(low, self.simple_expression()?)
        } else {
            IndexValues::Expression(low)
        };
        let initially = if self.cursor.eat("=") { Some(self.simple_expression()?) } else { None };
        self.cursor.eat(";");
        self.specification.shared.push(SharedDefinition { name, values, initially });
        Ok(())
    }

    /// `fair weak server, {grant, deny};`
    fn fairness_statement(&mut self) -> Parsed<FairnessStatement> {
        let form = "fairness is `fair weak NAME, …;` or `fair strong NAME, …;`";
        self.cursor.advance();
        let is_strong = if self.cursor.eat("strong") {
            true
        } else {
            self.cursor.expect("weak", form)?;
            false
        };
        let mut items = Vec::new();
        loop {
            let is_alone = matches!(self.cursor.peek_at(1).text, "," | ";");
            items.push(if is_alone && !self.is_set_name() {
                FairItem::Named(self.cursor.expect_name("a component or an event")?)
            } else {
                FairItem::Events(self.label()?)
            });
            if !self.cursor.eat(",") {
                break;
            }
        }
        self.cursor.expect(";", form)?;
        Ok(FairnessStatement { is_strong, items })
    }

    /// `cprog NAME = f, g { … }`
    pub(super) fn program_block(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let name = self.cursor.expect_name("a program")?;
        self.cursor.expect("=", "a program block is `cprog NAME = f, g { … }`")?;
        let mut components = vec![self.cursor.expect_name("a C procedure")?];
        while self.cursor.eat(",") {
            components.push(self.cursor.expect_name("a C procedure")?);
        }
        self.cursor.expect("{", "a program block is `cprog NAME = f, g { … }`")?;
        let (mut statements, mut fairness) = (Vec::new(), Vec::new());
        while !self.cursor.is("}") {
            if self.cursor.is("fair") {
                fairness.push(self.fairness_statement()?);
                continue;
            }
            let statement = self.program_statement()?;
            let (found, wanted) = (statement.guards.len(), components.len());
            if found != wanted {
                let message = format!("`{}` has {found} guards for {wanted} components", statement.name.text);
                return Err(Diagnostic::error("guard-count", statement.name.span, message)
                    .hint("one guard per component, in their order; `1` where anything goes"));
            }
            statements.push(statement);
        }
        self.cursor.advance();
        self.specification.programs.push(ProgramBlock { name, components, statements, fairness });
        Ok(())
    }

    fn program_statement(&mut self) -> Parsed<ProgramStatement> {
        let keyword = self.cursor.peek();
        if !matches!(keyword.text, "abstract" | "formula" | "deadlock") {
            return Err(self.cursor.unexpected("`abstract`, `formula`, `deadlock`, `fair` or `}`"));
        }
        self.cursor.advance();
        let form = match keyword.text {
            "abstract" => "a specification is `abstract NAME, {guards}, PROCESS;`",
            "formula" => "a specification is `formula NAME, {guards}, F;`",
            _ => "a specification is `deadlock NAME, {guards};`",
        };
        let name = self.cursor.expect_name("a specification")?;
        self.cursor.expect(",", form)?;
        self.cursor.expect("{", form)?;
        let mut guards = vec![self.c_expression()?];
        while self.cursor.eat(",") {
            guards.push(self.c_expression()?);
        }
        self.cursor.expect("}", form)?;
        let question = match keyword.text {
            "abstract" => {
                self.cursor.expect(",", form)?;
                ProgramQuestion::Conforms(self.cursor.expect_name("a process")?)
            }
            "formula" => {
                self.cursor.expect(",", form)?;
                ProgramQuestion::Satisfies(crate::formula::parse::formula(&mut self.cursor)?)
            }
            _ => ProgramQuestion::DeadlockFree,
        };
        self.cursor.expect(";", "a statement ends with `;`")?;
        Ok(ProgramStatement { name, guards, question })
    }
}
