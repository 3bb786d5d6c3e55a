//! Constants, ranges, sets, progress tests, menus, fluents, assertions, formulas, imports.

use super::Parser;
use crate::cursor::Parsed;
use crate::lexer::TokenKind;
use crate::syntax::{AssertDefinition, FluentDefinition, LabelSet, Name, ProgressDefinition};

impl Parser<'_, '_> {
    pub(super) fn constant_definition(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let name = self.cursor.expect_upper("a constant")?;
        self.cursor.expect("=", "a constant is defined by `const N = 3`")?;
        let value = self.simple_expression()?;
        self.specification.constants.push((name, value));
        Ok(())
    }

    pub(super) fn range_definition(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let name = self.cursor.expect_upper("a range")?;
        self.cursor.expect("=", "a range is defined by `range R = 0..3`")?;
        let low = self.simple_expression()?;
        self.cursor.expect("..", "a range is defined by `range R = 0..3`")?;
        let high = self.simple_expression()?;
        self.specification.ranges.push((name, low, high));
        Ok(())
    }

    pub(super) fn set_definition(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let name = self.cursor.expect_upper("a set")?;
        self.cursor.expect("=", "a set is defined by `set S = {a, b}`")?;
        let mut set = self.label_set()?;
        if self.cursor.eat("\\") {
            set = LabelSet::Without(Box::new(set), Box::new(self.label_set()?));
        }
        self.specification.sets.push((name, set));
        Ok(())
    }

    pub(super) fn progress_definition(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let name = self.cursor.expect_upper("a progress test")?;
        let indices = if self.cursor.is("[") { self.indices()? } else { Vec::new() };
        self.cursor.expect("=", "a progress test is `progress P = {a, b}`")?;
        let condition = if self.cursor.eat("if") {
            let condition = self.label()?;
            self.cursor.expect("then", "a conditional progress test is `if {a} then {b}`")?;
            Some(condition)
        } else {
            None
        };
        let actions = self.label()?;
        self.cursor.eat(".");
        self.specification.progress.push(ProgressDefinition { name, indices, condition, actions });
        Ok(())
    }

    pub(super) fn menu_definition(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let name = self.cursor.expect_upper("a menu")?;
        self.cursor.expect("=", "a menu is `menu M = {a, b}`")?;
        let actions = self.label()?;
        self.cursor.eat(".");
        self.specification.menus.push((name, actions));
        Ok(())
    }

    pub(super) fn fluent_definition(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let name = self.cursor.expect_upper("a fluent")?;
        let indices = if self.cursor.is("[") { self.indices()? } else { Vec::new() };
        let form = "a fluent is `fluent F = <{start}, {stop}> initially 0`";
        self.cursor.expect("=", form)?;
        self.cursor.expect("<", form)?;
        let start = self.label()?;
        self.cursor.expect(",", form)?;
        let stop = self.label()?;
        self.cursor.expect(">", form)?;
        let initially = if self.cursor.eat("initially") { Some(self.simple_expression()?) } else { None };
        self.cursor.eat(".");
        self.specification.fluents.push(FluentDefinition { name, indices, start, stop, initially });
        Ok(())
    }

    pub(super) fn assert_definition(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let name = self.cursor.expect_upper("an assertion")?;
        let parameters = self.parameters()?;
        self.cursor.expect("=", "an assertion is `assert A = [](a -> <>b)`")?;
        let claim = self.claim()?;
        self.cursor.eat(".");
        self.specification.asserts.push(AssertDefinition { name, parameters, claim });
        Ok(())
    }

    pub(super) fn formula_definition(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let name = self.cursor.expect_name("a formula")?;
        self.cursor.expect("=", "a formula is `formula NAME = G(a => F [p])`")?;
        let formula = crate::formula::parse::formula(&mut self.cursor)?;
        self.cursor.eat(".");
        self.specification.formulas.push((name, formula));
        Ok(())
    }

    pub(super) fn import_definition(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let name = self.cursor.expect_upper("a process")?;
        self.cursor.expect("=", "a process is imported by `import P = \"file.aut\"`")?;
        let file = self.file_name()?;
        self.specification.imports.push((name, file));
        Ok(())
    }

    pub(super) fn include_definition(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let file = self.file_name()?;
        self.specification.includes.push(file);
        Ok(())
    }

    fn file_name(&mut self) -> Parsed<Name> {
        if !self.cursor.is_kind(TokenKind::Text) {
            return Err(self.cursor.unexpected("the name of a file in quotes"));
        }
        let token = self.cursor.advance();
        Ok(Name::new(token.text.trim_matches('"'), token.span))
    }
}
