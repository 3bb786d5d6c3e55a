//! Operators: comma, assignment, conditional, binary, unary, casts.
//!
//! Operators with two operands are read without recursion, by an explicit stack of left operands ([`Pending`]), so that
//! long chains need no stack of ours. `a = b = c` and `a ? b : c ? d : e` are chains too.

use super::*;
use crate::syntax::*;
use TokenKind as K;

/// A left operand that waits for its right one.
pub(super) struct Pending {
    left: OperandAndOperator,
    /// Where the whole operation starts.
    start: u32,
    /// Chain measure of the left side.
    measure: u32,
}

enum OperandAndOperator {
    Binary { operand: Expr, operator: BinaryOperator, precedence: u8 },
    Assign { target: Expr, operator: Option<BinaryOperator> },
    Conditional { condition: Expr, then: Option<Box<Expr>> },
}

/// Binary operators with their precedence; higher binds tighter.
fn binary_operator(kind: K) -> Option<(BinaryOperator, u8)> {
    use BinaryOperator::*;
    Some(match kind {
        K::Star => (Multiply, 10),
        K::Slash => (Divide, 10),
        K::Percent => (Remainder, 10),
        K::Plus => (Add, 9),
        K::Minus => (Subtract, 9),
        K::ShiftLeft => (ShiftLeft, 8),
        K::ShiftRight => (ShiftRight, 8),
        K::Less => (Less, 7),
        K::Greater => (Greater, 7),
        K::LessEqual => (LessEqual, 7),
        K::GreaterEqual => (GreaterEqual, 7),
        K::EqualEqual => (Equal, 6),
        K::ExclamationEqual => (NotEqual, 6),
        K::Ampersand => (BitAnd, 5),
        K::Caret => (BitXor, 4),
        K::Bar => (BitOr, 3),
        K::AndAnd => (LogicalAnd, 2),
        K::BarBar => (LogicalOr, 1),
        _ => return None,
    })
}

/// Assignment operators; inside, what is done before assigning.
fn assignment_operator(kind: K) -> Option<Option<BinaryOperator>> {
    use BinaryOperator::*;
    Some(match kind {
        K::Equal => None,
        K::StarEqual => Some(Multiply),
        K::SlashEqual => Some(Divide),
        K::PercentEqual => Some(Remainder),
        K::PlusEqual => Some(Add),
        K::MinusEqual => Some(Subtract),
        K::ShiftLeftEqual => Some(ShiftLeft),
        K::ShiftRightEqual => Some(ShiftRight),
        K::AmpersandEqual => Some(BitAnd),
        K::CaretEqual => Some(BitXor),
        K::BarEqual => Some(BitOr),
        _ => return None,
    })
}

impl Parser<'_> {
    /// A full expression, commas included.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.measured(|parser| {
            let mut left = parser.assignment()?;
            if parser.kind() != K::Comma {
                return Ok(left);
            }
            let start = left.span.start;
            let mut measure = std::mem::take(&mut parser.chained);
            while parser.eat(K::Comma) {
                let right = parser.assignment()?;
                measure = parser.link(measure)?;
                let kind = ExprKind::Comma(Box::new(left), Box::new(right));
                left = Expr { kind, span: parser.span_from(start) };
            }
            parser.chained = measure;
            Ok(left)
        })
    }

    /// An expression without top-level commas.
    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        self.operations(true)
    }

    /// An expression without top-level commas and assignments, as constants are.
    pub(super) fn conditional(&mut self) -> Parsed<Expr> {
        self.operations(false)
    }

    fn operations(&mut self, with_assignment: bool) -> Parsed<Expr> {
        let floor = self.pending.len();
        let result = self.measured(|parser| parser.operations_above(floor, with_assignment));
        self.pending.truncate(floor);
        result
    }

    /// Reads operands and operators; left operands of ours are those above `floor` on the stack.
    fn operations_above(&mut self, floor: usize, with_assignment: bool) -> Parsed<Expr> {
        loop {
            let mut start = self.start();
            self.chained = 0;
            let mut operand = self.cast()?;
            let mut measure = self.chained;
            let kind = self.kind();
            if let Some((operator, precedence)) = binary_operator(kind) {
                self.reduce(floor, precedence, &mut operand, &mut start, &mut measure)?;
                self.bump();
                let left = OperandAndOperator::Binary { operand, operator, precedence };
                self.pending.push(Pending { left, start, measure });
                continue;
            }
            self.reduce(floor, 1, &mut operand, &mut start, &mut measure)?;
            if kind == K::Question {
                self.bump();
                self.chained = 0;
                let then = match self.kind() {
                    K::Colon => None,
                    _ => Some(Box::new(self.nested(Weight::Light, Self::expression)?)),
                };
                measure = measure.max(self.chained);
                self.expect(K::Colon, "`:` of the conditional operator")?;
                let left = OperandAndOperator::Conditional { condition: operand, then };
                self.pending.push(Pending { left, start, measure });
                continue;
            }
            // The operand of `=` is all of `c ? a : b` before it: C's grammar, though no such thing can be assigned to.
            if let Some(operator) = assignment_operator(kind).filter(|_| with_assignment) {
                self.reduce_conditionals(floor, &mut operand, &mut start, &mut measure)?;
                self.bump();
                let left = OperandAndOperator::Assign { target: operand, operator };
                self.pending.push(Pending { left, start, measure });
                continue;
            }
            self.reduce_all(floor, &mut operand, &mut start, &mut measure)?;
            self.chained = measure;
            return Ok(operand);
        }
    }

    /// Joins waiting binary operators that bind at least as tightly as `precedence`.
    fn reduce(
        &mut self,
        floor: usize,
        precedence: u8,
        operand: &mut Expr,
        start: &mut u32,
        measure: &mut u32,
    ) -> Parsed<()> {
        while self.pending.len() > floor
            && matches!(&self.pending[self.pending.len() - 1].left,
                OperandAndOperator::Binary { precedence: waiting, .. } if *waiting >= precedence)
        {
            self.join_last(operand, start, measure)?;
        }
        Ok(())
    }

    fn reduce_conditionals(
        &mut self,
        floor: usize,
        operand: &mut Expr,
        start: &mut u32,
        measure: &mut u32,
    ) -> Parsed<()> {
        while self.pending.len() > floor
            && matches!(self.pending[self.pending.len() - 1].left, OperandAndOperator::Conditional { .. })
        {
            self.join_last(operand, start, measure)?;
        }
        Ok(())
    }

    fn reduce_all(
        &mut self,
        floor: usize,
        operand: &mut Expr,
        start: &mut u32,
        measure: &mut u32,
    ) -> Parsed<()> {
        while self.pending.len() > floor {
            self.join_last(operand, start, measure)?;
        }
        Ok(())
    }

    /// Makes one expression of the last waiting left operand and `operand`.
    fn join_last(&mut self, operand: &mut Expr, start: &mut u32, measure: &mut u32) -> Parsed<()> {
        let Some(Pending { left, start: left_start, measure: left_measure }) = self.pending.pop() else {
            return Ok(());
        };
        self.chained = *measure;
        *measure = self.link(left_measure)?;
        *start = left_start;
        let span = self.span_from(left_start);
        let right = Box::new(std::mem::replace(operand, Expr { kind: ExprKind::Error, span }));
        operand.kind = match left {
            OperandAndOperator::Binary { operand: left, operator, .. } => {
                ExprKind::Binary(operator, Box::new(left), right)
            }
            OperandAndOperator::Assign { target, operator } => {
                ExprKind::Assign(operator, Box::new(target), right)
            }
            OperandAndOperator::Conditional { condition, then } => {
                ExprKind::Conditional(Box::new(condition), then, right)
            }
        };
        Ok(())
    }

    /// A cast or a unary expression.
    pub(super) fn cast(&mut self) -> Parsed<Expr> {
        use UnaryOperator::*;
        let operator = match self.kind() {
            K::LeftParen => {
                return if self.starts_type_name(self.at + 1) {
                    self.nested(Weight::Light, Self::cast_or_compound_literal)
                } else {
                    self.postfix()
                };
            }
            K::Name | K::Number | K::String | K::Character => return self.postfix(),
            K::Star => Deref,
            K::Ampersand => AddressOf,
            K::Minus => Minus,
            K::Plus => Plus,
            K::Exclamation => Not,
            K::Tilde => BitNot,
            K::PlusPlus => PreIncrement,
            K::MinusMinus => PreDecrement,
            K::Real => Real,
            K::Imaginary => Imaginary,
            K::AndAnd => return self.label_address(),
            K::Sizeof | K::Alignof => return self.nested(Weight::Light, Self::size_or_alignment),
            K::Extension => {
                self.bump();
                return self.nested(Weight::Light, Self::cast);
            }
            _ => return self.postfix(),
        };
        let start = self.start();
        self.bump();
        let operand = Box::new(self.nested(Weight::Light, Self::cast)?);
        Ok(Expr { kind: ExprKind::Unary(operator, operand), span: self.span_from(start) })
    }

    /// `&&label`
    fn label_address(&mut self) -> Parsed<Expr> {
        let start = self.start();
        self.bump();
        let (name, span) = self.expect_name("a label after `&&`")?;
        Ok(Expr { kind: ExprKind::LabelAddress(name, span), span: self.span_from(start) })
    }

    /// `(type)e` or `(type){ … }` with what may follow it.
    fn cast_or_compound_literal(&mut self) -> Parsed<Expr> {
        let start = self.start();
        self.bump();
        let name = Box::new(self.type_name()?);
        self.expect(K::RightParen, "`)` after the type")?;
        if self.kind() == K::LeftBrace {
            return self.compound_literal(start, name);
        }
        let operand = Box::new(self.cast()?);
        Ok(Expr { kind: ExprKind::Cast(name, operand), span: self.span_from(start) })
    }

    fn compound_literal(&mut self, start: u32, name: Box<TypeName>) -> Parsed<Expr> {
        let list = self.initializer_list()?;
        let literal = Expr { kind: ExprKind::CompoundLiteral(name, list), span: self.span_from(start) };
        self.postfix_of(literal)
    }

    /// `sizeof` and `_Alignof`, of a type or an expression.
    fn size_or_alignment(&mut self) -> Parsed<Expr> {
        let start = self.start();
        let is_size = self.bump().kind == K::Sizeof;
        let mut operand = None;
        if self.kind() == K::LeftParen && self.starts_type_name(self.at + 1) {
            let open = self.start();
            self.bump();
            let name = Box::new(self.type_name()?);
            self.expect(K::RightParen, "`)` after the type")?;
            if self.kind() != K::LeftBrace {
                let kind = if is_size { ExprKind::SizeofType(name) } else { ExprKind::AlignofType(name) };
                return Ok(Expr { kind, span: self.span_from(start) });
            }
            operand = Some(self.compound_literal(open, name)?);
        }
        let operand = Box::new(match operand {
            Some(literal) => literal,
            None => self.nested(Weight::Light, Self::cast)?,
        });
        let kind = if is_size { ExprKind::SizeofExpr(operand) } else { ExprKind::AlignofExpr(operand) };
        Ok(Expr { kind, span: self.span_from(start) })
    }
}
