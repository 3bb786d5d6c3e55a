//! Assertions in comments become statements where a statement can stand: in a block, under `if` and its like, behind a
//! label, and before the `else` or the `while` that follows a body without braces. Elsewhere they are not read, and
//! told.
//!
//! What ACSL has beyond C is said in C before the expression is read: `a ==> b` is `!(a) || (b)`, `a <==> b` is `!(a)
//! == !(b)`, a row of comparisons `a <= b < c` is `a <= b && b < c`. Whatever could change something, calls among it,
//! is not understood.

use super::*;
use crate::lexer::Annotation;
use crate::syntax::*;
use TokenKind as K;
use base::{Diagnostic, Span};

/// How deep parentheses in an annotation nest, and how many tokens it is in C.
const MOST_DEEP: usize = 200;
const MOST_TOKENS: usize = 4_000;

/// Why an annotation is not understood.
type Understood<T> = Result<T, String>;

impl Parser<'_> {
    /// The assertions in comments before the current token, as statements.
    #[inline]
    pub(super) fn annotations_here(&mut self) -> Vec<Statement> {
        if self.annotations.is_empty() { Vec::new() } else { self.annotations_at(self.at) }
    }

    #[cold]
    fn annotations_at(&mut self, token: usize) -> Vec<Statement> {
        let first = self.annotations.partition_point(|one| one.before < token);
        let mut statements = Vec::new();
        for number in first..self.annotations.len() {
            if self.annotations[number].before != token {
                break;
            }
            self.read_annotations.insert(number);
            let Annotation { span, asserted, .. } = &self.annotations[number];
            let span = *span;
            match asserted.clone() {
                Ok(all) => statements.extend(all.iter().map(|tokens| self.asserted(tokens, span))),
                Err(why) => statements.push(not_understood(why, span)),
            }
        }
        statements
    }

    /// Is there an assertion before the current token that no statement has taken?
    pub(super) fn has_untaken_annotation(&self) -> bool {
        let first = self.annotations.partition_point(|one| one.before < self.at);
        let here = self.annotations[first..].iter().take_while(|one| one.before == self.at);
        here.enumerate().any(|(offset, _)| !self.read_annotations.contains(&(first + offset)))
    }

    fn asserted(&mut self, tokens: &[Token], span: Span) -> Statement {
        match self.asserted_expression(tokens) {
            Ok(condition) => {
                let span = condition.span;
                Statement { kind: StatementKind::Asserted(condition), span }
            }
            Err(why) => not_understood(why, span),
        }
    }

    fn asserted_expression(&mut self, tokens: &[Token]) -> Understood<Expr> {
        let mut own = in_c(tokens, 0)?;
        let (first, last) = (tokens[0], tokens[tokens.len() - 1]);
        own.push(Token { kind: K::End, symbol: last.symbol, start: last.end, end: last.end });
        let tokens = std::mem::replace(&mut self.tokens, own);
        let at = std::mem::replace(&mut self.at, 0);
        let (reported_at, gave_up) = (self.reported_at.take(), self.gave_up);
        let before = std::mem::take(self.diagnostics);
        let read = self.conditional();
        let is_whole = self.kind() == K::End;
        let said = std::mem::replace(self.diagnostics, before);
        (self.tokens, self.at, self.reported_at, self.gave_up) = (tokens, at, reported_at, gave_up);
        let error = said.iter().find(|one| one.severity == base::Severity::Error);
        let unread = || "it is no expression of C".to_owned();
        match (read, error) {
            (Ok(expr), None) if is_whole => {
                changes_nothing(&expr)?;
                let span = Span::new(self.base + first.start, self.base + last.end);
                Ok(Expr { span, ..expr })
            }
            (_, Some(error)) => Err(error.message.clone()),
            _ => Err(unread()),
        }
    }

    /// The statement with the assertions before it in one block.
    pub(super) fn with_annotations(&self, mut before: Vec<Statement>, statement: Statement) -> Statement {
        if before.is_empty() {
            return statement;
        }
        let start = before[0].span;
        before.push(statement);
        block_of(before, Span::new(start.start, self.previous_end().max(start.start)))
    }

    /// The statement with the assertions that stand behind it, before an `else` or `while` that goes on with what it is
    /// a part of.
    pub(super) fn with_annotations_behind(&mut self, statement: Box<Statement>) -> Box<Statement> {
        if self.annotations.is_empty() || !self.has_untaken_annotation() {
            return statement;
        }
        let span = statement.span;
        let mut all = vec![*statement];
        all.extend(self.annotations_here());
        Box::new(block_of(all, span))
    }

    /// Assertions that stand where no statement can.
    pub(super) fn unread_annotations(&self) -> Vec<Span> {
        let unread = |(number, _): &(usize, &Annotation)| !self.read_annotations.contains(number);
        self.annotations.iter().enumerate().filter(unread).map(|(_, one)| one.span).collect()
    }
}

/// Tells of assertions that are not read.
pub(super) fn tell_unread(unread: Vec<Span>, session: &mut Session) {
    for span in unread {
        let why = "this assertion stands where no statement can, and is not read";
        let warning = Diagnostic::warning("annotations", span, why)
            .hint("put it before a statement; answers say nothing about it");
        session.diagnostics.push(warning);
        if let Some(at) = session.sources.location(span) {
            let place = format!("line {} (assert, where no statement can stand)", at.line);
            session.unread_annotations.push((at.file.to_string(), place));
        }
    }
}

fn block_of(statements: Vec<Statement>, span: Span) -> Statement {
    let items = statements.into_iter().map(BlockItem::Statement).collect();
    Statement { kind: StatementKind::Block(Block { items, span }), span }
}

fn not_understood(why: String, span: Span) -> Statement {
    Statement { kind: StatementKind::NotUnderstood(why), span }
}

/// The tokens of an annotation as C has them.
fn in_c(tokens: &[Token], depth: usize) -> Understood<Vec<Token>> {
    if depth > MOST_DEEP {
        return Err("it is nested too deeply".to_owned());
    }
    let top = Top::of(tokens)?;
    let said = top.in_c(depth)?;
    if said.len() > MOST_TOKENS { Err("it is too long".to_owned()) } else { Ok(said) }
}

/// Tokens and which of them stand outside all brackets.
struct Top<'t> {
    tokens: &'t [Token],
    /// Positions outside brackets; an opening bracket is one, what it encloses is not.
    outside: Vec<usize>,
}

impl<'t> Top<'t> {
    fn of(tokens: &'t [Token]) -> Understood<Top<'t>> {
        let mut outside = Vec::new();
        let mut depth = 0_usize;
        for (position, token) in tokens.iter().enumerate() {
            if depth == 0 {
                outside.push(position);
            }
            match token.kind {
                K::LeftParen | K::LeftBracket => depth += 1,
                K::RightParen | K::RightBracket => {
                    depth = depth.checked_sub(1).ok_or("a bracket closes nothing")?;
                }
                K::LeftBrace | K::RightBrace => return Err("braces are not understood".to_owned()),
                _ => {}
            }
        }
        if depth > 0 { Err("a bracket is not closed".to_owned()) } else { Ok(Top { tokens, outside }) }
    }

    /// Positions of an operator outside brackets: its tokens stand right behind each other.
    fn operators(&self, kinds: &[TokenKind]) -> Vec<usize> {
        let is_it = |&position: &usize| {
            kinds.iter().enumerate().all(|(offset, kind)| {
                let token = self.tokens.get(position + offset);
                let follows =
                    |token: &Token| offset == 0 || self.tokens[position + offset - 1].end == token.start;
                token.is_some_and(|token| token.kind == *kind && follows(token))
            })
        };
        self.outside.iter().copied().filter(is_it).collect()
    }

    fn sides(&self, at: usize, width: usize, depth: usize) -> Understood<(Vec<Token>, Vec<Token>)> {
        Ok((operand(&self.tokens[..at], depth)?, operand(&self.tokens[at + width..], depth)?))
    }

    fn in_c(&self, depth: usize) -> Understood<Vec<Token>> {
        let tokens = self.tokens;
        if let Some(&at) = self.operators(&[K::Question]).first() {
            return self.conditional(at, depth);
        }
        if !self.operators(&[K::Colon]).is_empty() {
            return Err("names before `:` are not understood".to_owned());
        }
        // `<==>`
        if let Some(&at) = self.operators(&[K::LessEqual, K::Equal, K::Greater]).last() {
            let (left, right) = self.sides(at, 3, depth)?;
            let made = OperatorTokens(tokens[at]);
            let both = [made.not(left), vec![made.token(K::EqualEqual)], made.not(right)].concat();
            return Ok(made.group(both));
        }
        // `==>`
        if let Some(&at) = self.operators(&[K::EqualEqual, K::Greater]).first() {
            let (left, right) = self.sides(at, 2, depth)?;
            let made = OperatorTokens(tokens[at]);
            let both = [made.not(left), vec![made.token(K::BarBar)], made.group(right)].concat();
            return Ok(made.group(both));
        }
        if !self.operators(&[K::Caret, K::Caret]).is_empty() {
            return Err("`^^` is not understood".to_owned());
        }
        for kind in [K::BarBar, K::AndAnd, K::Bar, K::Caret, K::Ampersand] {
            let mut found = self.operators(&[kind]);
            // A `&` behind no operand takes an address.
            found.retain(|&at| kind != K::Ampersand || at > 0 && ends_operand(tokens[at - 1].kind));
            if !found.is_empty() {
                return self.row(&found, depth);
            }
        }
        self.comparisons(depth)
    }

    fn conditional(&self, at: usize, depth: usize) -> Understood<Vec<Token>> {
        let mut open = 0_usize;
        for &position in self.outside.iter().filter(|&&position| position > at) {
            match self.tokens[position].kind {
                K::Question => open += 1,
                K::Colon if open > 0 => open -= 1,
                K::Colon => {
                    let condition = operand(&self.tokens[..at], depth)?;
                    let then = operand(&self.tokens[at + 1..position], depth)?;
                    let otherwise = operand(&self.tokens[position + 1..], depth)?;
                    let made = OperatorTokens(self.tokens[at]);
                    let (question, colon) = (self.tokens[at], self.tokens[position]);
                    return Ok([
                        made.group(condition),
                        vec![question],
                        made.group(then),
                        vec![colon],
                        made.group(otherwise),
                    ]
                    .concat());
                }
                _ => {}
            }
        }
        Err("`?` without `:`".to_owned())
    }

    /// Operands between operators that C reads in the same way.
    fn row(&self, operators: &[usize], depth: usize) -> Understood<Vec<Token>> {
        let mut said = Vec::new();
        let mut from = 0;
        for &at in operators {
            said.extend(operand(&self.tokens[from..at], depth)?);
            said.push(self.tokens[at]);
            from = at + 1;
        }
        said.extend(operand(&self.tokens[from..], depth)?);
        Ok(said)
    }

    /// `a <= b < c` means that both comparisons hold.
    fn comparisons(&self, depth: usize) -> Understood<Vec<Token>> {
        const UP: [TokenKind; 3] = [K::Less, K::LessEqual, K::EqualEqual];
        const DOWN: [TokenKind; 3] = [K::Greater, K::GreaterEqual, K::EqualEqual];
        let kind = |at: &usize| self.tokens[*at].kind;
        let compares = |at: &usize| {
            let kind = kind(at);
            UP.contains(&kind) || DOWN.contains(&kind) || kind == K::ExclamationEqual
        };
        let found: Vec<usize> = self.outside.iter().copied().filter(compares).collect();
        match found.len() {
            0 => self.plain(depth),
            1 => self.row(&found, depth),
            _ => {
                let is_row = |way: &[TokenKind]| found.iter().all(|at| way.contains(&kind(at)));
                if !is_row(&UP) && !is_row(&DOWN) {
                    return Err("comparisons in different directions are not understood".to_owned());
                }
                let mut bounds = vec![0];
                bounds.extend(found.iter().map(|at| at + 1));
                let part = |number: usize| {
                    let end = found.get(number).copied().unwrap_or(self.tokens.len());
                    operand(&self.tokens[bounds[number]..end], depth)
                };
                let made = OperatorTokens(self.tokens[found[0]]);
                let mut said = Vec::new();
                for (number, &at) in found.iter().enumerate() {
                    if number > 0 {
                        said.push(made.token(K::AndAnd));
                    }
                    said.extend(part(number)?);
                    said.push(self.tokens[at]);
                    said.extend(part(number + 1)?);
                }
                Ok(made.group(said))
            }
        }
    }

    /// No operator of these outside brackets; what is inside them may have some.
    fn plain(&self, depth: usize) -> Understood<Vec<Token>> {
        let mut said = Vec::new();
        for (number, &position) in self.outside.iter().enumerate() {
            let token = self.tokens[position];
            if token.kind == K::Comma {
                return Err("`,` is not understood".to_owned());
            }
            said.push(token);
            if matches!(token.kind, K::LeftParen | K::LeftBracket) {
                let next = self.outside.get(number + 1).copied().unwrap_or(self.tokens.len());
                let (inside, closing) = (&self.tokens[position + 1..next - 1], self.tokens[next - 1]);
                said.extend(in_c(inside, depth + 1)?);
                said.push(closing);
            }
        }
        Ok(said)
    }
}

fn operand(tokens: &[Token], depth: usize) -> Understood<Vec<Token>> {
    if tokens.is_empty() { Err("an operand is missing".to_owned()) } else { in_c(tokens, depth + 1) }
}

fn ends_operand(kind: TokenKind) -> bool {
    matches!(kind, K::Name | K::Number | K::Character | K::RightParen | K::RightBracket)
}

/// Tokens that stand for an operator of the annotation.
struct OperatorTokens(Token);

impl OperatorTokens {
    fn token(&self, kind: TokenKind) -> Token {
        Token { kind, ..self.0 }
    }

    fn group(&self, inside: Vec<Token>) -> Vec<Token> {
        [vec![self.token(K::LeftParen)], inside, vec![self.token(K::RightParen)]].concat()
    }

    fn not(&self, inside: Vec<Token>) -> Vec<Token> {
        [vec![self.token(K::Exclamation)], self.group(inside)].concat()
    }
}

/// Refuses what is not a plain look at the state.
fn changes_nothing(expr: &Expr) -> Understood<()> {
    use ExprKind::*;
    match &expr.kind {
        Name(_) | Integer { .. } | Float { .. } | Character { .. } | SizeofType(_) | AlignofType(_) => Ok(()),
        Paren(inner) | Member(inner, ..) | Arrow(inner, ..) | Cast(_, inner) | SizeofExpr(inner) => {
            changes_nothing(inner)
        }
        Unary(op, inner) => match op {
            UnaryOperator::AddressOf
            | UnaryOperator::Deref
            | UnaryOperator::Plus
            | UnaryOperator::Minus
            | UnaryOperator::BitNot
            | UnaryOperator::Not => changes_nothing(inner),
            _ => Err("it changes something".to_owned()),
        },
        Index(left, right) | Binary(_, left, right) => {
            changes_nothing(left)?;
            changes_nothing(right)
        }
        Conditional(condition, then, otherwise) => {
            changes_nothing(condition)?;
            then.iter().try_for_each(|then| changes_nothing(then))?;
            changes_nothing(otherwise)
        }
        Assign(..) => Err("it changes something".to_owned()),
        Call(..) => Err("calls and logic functions are not understood".to_owned()),
        _ => Err("it has more than C's operators".to_owned()),
    }
}
