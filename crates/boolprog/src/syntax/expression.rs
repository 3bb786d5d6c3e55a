//! Parsing expressions. Precedence, loosest first: `?:`, `=>`, `|`, `^`, `&`, `= !=`, `!`.

use super::parse::Parser;
use super::token::Kind;
use super::tree::{Binary, Expression};

/// Expressions and statements nested deeper than this are refused; recursion stays within small stacks.
pub(super) const DEEPEST: usize = 200;

/// What the parser met where an expression should be: reported already.
pub(super) struct Refused;

/// Levels of binary operators.
const IMPLIES: u8 = 0;
const EQUALS: u8 = 4;

fn level_of(sign: &str) -> Option<u8> {
    Some(match sign {
        "=>" | "<=>" => IMPLIES,
        "|" | "||" => 1,
        "^" => 2,
        "&" | "&&" => 3,
        "=" | "==" | "!=" => EQUALS,
        _ => return None,
    })
}

impl Parser<'_, '_> {
    /// One or more expressions with commas between them.
    pub(super) fn expressions(&mut self) -> Result<Vec<Expression>, Refused> {
        let mut found = vec![self.expression()?];
        while self.take(",") {
            found.push(self.expression()?);
        }
        Ok(found)
    }

    /// An expression.
    pub(super) fn expression(&mut self) -> Result<Expression, Refused> {
        self.deeper(|parser| {
            let condition = parser.operators(IMPLIES)?;
            let mut height = parser.height;
            if !parser.take("?") {
                return Ok(condition);
            }
            let then = parser.expression()?;
            height = height.max(parser.height);
            parser.expect(":", "the other value of `? :`")?;
            let otherwise = parser.expression()?;
            parser.set_height(height.max(parser.height) + 1)?;
            Ok(Expression::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)))
        })
    }

    /// Operators of this level and tighter ones.
    fn operators(&mut self, loosest: u8) -> Result<Expression, Refused> {
        let mut left = self.operand()?;
        let mut height = self.height;
        loop {
            let token = self.current();
            let level = (token.kind == Kind::Sign).then(|| level_of(token.text)).flatten();
            let Some(level) = level.filter(|&level| level >= loosest) else {
                self.height = height;
                return Ok(left);
            };
            self.advance();
            // `=>` goes to the right, all others to the left.
            let right = if level == IMPLIES {
                self.deeper(|parser| parser.operators(IMPLIES))?
            } else {
                self.operators(level + 1)?
            };
            left = join(token.text, left, right);
            let chain = matches!(left, Expression::And(_) | Expression::Or(_));
            height = if chain { height.max(self.height + 1) } else { height.max(self.height) + 1 };
            self.set_height(height)?;
        }
    }

    fn operand(&mut self) -> Result<Expression, Refused> {
        let token = self.current();
        let plain = |expression| Ok(expression);
        self.height = 1;
        match (token.kind, token.text) {
            (Kind::Sign, "!" | "~") => {
                self.advance();
                let inner = self.deeper(|parser| parser.operand())?;
                self.set_height(self.height + 1)?;
                Ok(Expression::Not(Box::new(inner)))
            }
            (Kind::Sign, "(") => {
                self.advance();
                let inner = self.expression()?;
                self.expect(")", "the end of the parenthesis")?;
                Ok(inner)
            }
            (Kind::Sign, "*" | "?") => {
                self.advance();
                plain(Expression::Any)
            }
            (Kind::Sign, "'") => {
                self.advance();
                Ok(Expression::Next(self.name("the name of a variable")?))
            }
            (Kind::Number, "0") | (Kind::Name, "F" | "false") => {
                self.advance();
                plain(Expression::Constant(false))
            }
            (Kind::Number, "1") | (Kind::Name, "T" | "true") => {
                self.advance();
                plain(Expression::Constant(true))
            }
            (Kind::Name, "schoose" | "choose") => {
                self.advance();
                self.expect("[", "the two conditions of a choice")?;
                let positive = self.expression()?;
                let height = self.height;
                self.expect(",", "the second condition of a choice")?;
                let negative = self.expression()?;
                self.set_height(height.max(self.height) + 1)?;
                self.expect("]", "the end of the choice")?;
                Ok(Expression::Choose(Box::new(positive), Box::new(negative)))
            }
            _ => {
                let name = self.name("an expression")?;
                if self.take("'") { Ok(Expression::Next(name)) } else { Ok(Expression::Variable(name)) }
            }
        }
    }
}

/// The operator applied; chains of `&` and `|` stay flat.
fn join(sign: &str, left: Expression, right: Expression) -> Expression {
    let pair = |left, right| (Box::new(left), Box::new(right));
    match sign {
        "&" | "&&" => match left {
            Expression::And(mut parts) => {
                parts.push(right);
                Expression::And(parts)
            }
            left => Expression::And(vec![left, right]),
        },
        "|" | "||" => match left {
            Expression::Or(mut parts) => {
                parts.push(right);
                Expression::Or(parts)
            }
            left => Expression::Or(vec![left, right]),
        },
        _ => {
            let (left, right) = pair(left, right);
            let operator = match sign {
                "=>" => Binary::Implies,
                "^" | "!=" => Binary::Xor,
                _ => Binary::Equal,
            };
            Expression::Binary(operator, left, right)
        }
    }
}
