//! Reads SE-LTL: `! & | => <=> X F G U W R` over `[state propositions]` and events; also FSP's and SPIN's spellings
//! (`&& || -> <-> [] <> V /\ \/`) and Spot's `xor`, `M` and glued prefixes (`GFa`).
//! Weakest first: `<=>` and `xor`, `=>` (to the right), `|`, `&`, `U W R M` (to the right), prefixes.
//! Events start with a small letter or stand in quotes; `a[1]` is the event `a.1`.

use super::Formula;
use crate::action::return_name;
use crate::cexpr::{CExpression, parse as cparse};
use crate::cursor::{Cursor, Parsed};
use crate::lexer::{Hash, TokenKind, tokens};
use base::{Diagnostic, Diagnostics};
use std::sync::Arc;

impl Formula {
    /// Reads a text that is one formula and nothing else. `#` starts a comment. `base` is the position of the text's
    /// first byte, for the places in messages.
    pub fn parse(text: &str, base: u32) -> Result<Formula, Diagnostic> {
        let mut diagnostics = Diagnostics::default();
        let tokens = tokens(text, base, Hash::StartsComment, &mut diagnostics);
        if let Some(first) = diagnostics.iter().next() {
            return Err(first.clone());
        }
        let mut cursor = Cursor::new(text, base, tokens);
        let formula = formula(&mut cursor)?;
        if !cursor.is_kind(TokenKind::End) {
            return Err(cursor.unexpected("an operator or the end of the formula"));
        }
        Ok(formula)
    }
}

/// The formula at the cursor, as far as it goes.
pub(crate) fn formula(cursor: &mut Cursor<'_>) -> Parsed<Formula> {
    cursor.nested(equivalence)
}

fn equivalence(cursor: &mut Cursor<'_>) -> Parsed<Formula> {
    let mut left = implication(cursor)?;
    for length in 0.. {
        cursor.check_chain(length)?;
        if cursor.is_any(&["<=>", "<->"]) {
            cursor.advance();
            left = Formula::Iff(Arc::new(left), Arc::new(implication(cursor)?));
        } else if cursor.eat("xor") {
            left = Formula::Iff(Arc::new(left), Arc::new(implication(cursor)?)).negate();
        } else {
            break;
        }
    }
    Ok(left)
}

fn implication(cursor: &mut Cursor<'_>) -> Parsed<Formula> {
    let left = disjunction(cursor)?;
    if cursor.is_any(&["=>", "->"]) {
        cursor.advance();
        let right = cursor.nested(implication)?;
        return Ok(Formula::Implies(Arc::new(left), Arc::new(right)));
    }
    Ok(left)
}

fn disjunction(cursor: &mut Cursor<'_>) -> Parsed<Formula> {
    let mut left = conjunction(cursor)?;
    let mut length = 0;
    while eat_any(cursor, &["|", "||"]) || eat_pair(cursor, "\\", "/") {
        left = left.or(conjunction(cursor)?);
        length += 1;
        cursor.check_chain(length)?;
    }
    Ok(left)
}

fn conjunction(cursor: &mut Cursor<'_>) -> Parsed<Formula> {
    let mut left = until(cursor)?;
    let mut length = 0;
    while eat_any(cursor, &["&", "&&"]) || eat_pair(cursor, "/", "\\") {
        left = left.and(until(cursor)?);
        length += 1;
        cursor.check_chain(length)?;
    }
    Ok(left)
}

fn until(cursor: &mut Cursor<'_>) -> Parsed<Formula> {
    let left = prefixed(cursor)?;
    if !cursor.is_any(&["U", "W", "R", "V", "M"]) {
        return Ok(left);
    }
    let operator = cursor.advance().text;
    let right = cursor.nested(until)?;
    let (left, right) = (Arc::new(left), Arc::new(right));
    Ok(match operator {
        "U" => Formula::Until(left, right),
        "W" => Formula::WeakUntil(left, right),
        // f M g: g holds up to and including the first f, which comes.
        "M" => Formula::Until(right.clone(), Arc::new(Formula::And(left, right))),
        _ => Formula::Release(left, right),
    })
}

fn eat_any(cursor: &mut Cursor<'_>, texts: &[&str]) -> bool {
    texts.iter().any(|text| cursor.eat(text))
}

/// `/\` and `\/` are two tokens each.
fn eat_pair(cursor: &mut Cursor<'_>, first: &str, second: &str) -> bool {
    let found = cursor.is(first) && cursor.peek_at(1).text == second;
    if found {
        cursor.advance();
        cursor.advance();
    }
    found
}

fn prefixed(cursor: &mut Cursor<'_>) -> Parsed<Formula> {
    cursor.nested(|cursor| {
        let token = cursor.peek();
        let unary = |cursor: &mut Cursor<'_>, make: fn(Arc<Formula>) -> Formula| {
            cursor.advance();
            Ok(make(Arc::new(prefixed(cursor)?)))
        };
        match token.text {
            _ if token.kind == TokenKind::Text => atom(cursor),
            "!" | "~" => unary(cursor, Formula::Not),
            "X" => unary(cursor, Formula::Next),
            "F" | "<>" => unary(cursor, Formula::Eventually),
            "G" | "[]" => unary(cursor, Formula::Always),
            "(" => {
                cursor.advance();
                let inner = formula(cursor)?;
                cursor.expect(")", "this parenthesis is not closed")?;
                Ok(inner)
            }
            _ if token.kind == TokenKind::Upper => glued_prefixes(cursor),
            _ => atom(cursor),
        }
    })
}

/// `GFa` is `G F a`, `XG` before something else is `X G`.
fn glued_prefixes(cursor: &mut Cursor<'_>) -> Parsed<Formula> {
    let token = cursor.peek();
    let count = token.text.bytes().take_while(|byte| b"XFG".contains(byte)).count();
    let rest = &token.text[count..];
    if count == 0 || rest.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Err(cursor.unexpected("a formula").hint(
            "operators are `! & | => <=> X F G U W R`; an event that starts with a capital letter stands in quotes",
        ));
    }
    cursor.advance();
    let inner = match rest {
        "" => prefixed(cursor)?,
        "1" | "true" => Formula::True,
        "0" | "false" => Formula::False,
        _ => named_event(cursor, rest)?,
    };
    let wrapped = token.text[..count].bytes().rev().fold(inner, |inner, prefix| {
        let inner = Arc::new(inner);
        match prefix {
            b'X' => Formula::Next(inner),
            b'F' => Formula::Eventually(inner),
            _ => Formula::Always(inner),
        }
    });
    Ok(wrapped)
}

fn atom(cursor: &mut Cursor<'_>) -> Parsed<Formula> {
    let token = cursor.peek();
    match (token.kind, token.text) {
        (TokenKind::Lower, "true") | (TokenKind::Number, "1") => {
            cursor.advance();
            Ok(Formula::True)
        }
        (TokenKind::Lower, "false") | (TokenKind::Number, "0") => {
            cursor.advance();
            Ok(Formula::False)
        }
        (TokenKind::Text, text) => {
            cursor.advance();
            Ok(Formula::event(text.trim_matches('"')))
        }
        (TokenKind::Lower, "return") if cursor.peek_at(1).text == "{" => {
            cursor.advance();
            cursor.advance();
            let condition = if cursor.is("}") { None } else { Some(cparse::expression(cursor)?) };
            cursor.expect("}", "a return event is written `return {condition on $0}`")?;
            Ok(Formula::event(&return_name(condition.as_ref())))
        }
        (TokenKind::Lower, name) => {
            cursor.advance();
            named_event(cursor, name)
        }
        (_, "[") => proposition(cursor),
        _ => Err(cursor
            .unexpected("a formula")
            .hint("write events by name and state propositions in brackets: `[p]`")),
    }
}

/// The rest of an event's name: `.part` and `[index]`.
fn named_event(cursor: &mut Cursor<'_>, first: &str) -> Parsed<Formula> {
    let mut name = first.to_owned();
    loop {
        let next = cursor.peek_at(1);
        let is_part = matches!(next.kind, TokenKind::Lower | TokenKind::Upper | TokenKind::Number);
        let touches = cursor.peek().span.start == cursor.previous_span().end
            && cursor.peek().span.end == next.span.start;
        let is_index = cursor.is("[") && cursor.peek_at(2).text == "]";
        if !(is_part && touches && (cursor.is(".") || is_index)) {
            return Ok(Formula::event(&name));
        }
        cursor.advance();
        name.push('.');
        name.push_str(cursor.advance().text);
        if is_index {
            cursor.advance();
        }
    }
}

/// `[text]`, up to the bracket that closes it.
fn proposition(cursor: &mut Cursor<'_>) -> Parsed<Formula> {
    let open = cursor.advance().span;
    let first = cursor.peek().span;
    let mut depth = 0;
    let mut tokens = String::new();
    loop {
        let token = cursor.peek();
        match token.text {
            "[" => depth += 1,
            "]" if depth == 0 => break,
            "]" => depth -= 1,
            _ if token.kind == TokenKind::End => {
                return Err(Diagnostic::error("syntax", open, "this bracket is not closed"));
            }
            _ => {}
        }
        tokens.push_str(token.text);
        cursor.advance();
    }
    let inside = base::Span::new(first.start, cursor.peek().span.start);
    let text = cursor.text_of(inside);
    // The name is the text: a comment in it would be part of the name, and end it when it is read again.
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    if bare(text) != bare(&tokens) {
        return Err(Diagnostic::error("syntax", inside, "a comment cannot stand inside a proposition"));
    }
    cursor.advance();
    Ok(Formula::proposition(&CExpression::proposition_name(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        Formula::parse(text, 0).expect(text).to_string()
    }

    #[test]
    fn both_spellings_are_read() {
        assert_eq!(shown("G(c1 => [m==1]) # why"), "G (c1 => [m == 1])");
        assert_eq!(shown("[](p -> <>q)"), shown("G(p => F q)"));
        assert_eq!(shown("a U b W c & d | e"), "((a U (b W c)) & d) | e");
        assert_eq!(shown("a => b => c"), "a => (b => c)");
        assert_eq!(shown("GFa /\\ X!b \\/ FG0"), "(G F a & X !b) | F G false");
        assert_eq!(shown("red[1].enter R \"Quit\""), "red.1.enter R \"Quit\"");
        assert_eq!(shown("return {$0==-1} V true"), "return {$0 == -1} R true");
        assert_eq!(shown("a M b"), "b U (a & b)");
        assert_eq!(shown("a xor b"), "!(a <=> b)");
        assert_eq!(shown("[x[1] == 2] & [p]"), "[x[1] == 2] & [p]");
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for text in ["G(m0 => ((!c1) W (m1 | m2)))", "X F G !a", "(a <=> b) => c", "true U false R [q]"] {
            let once = Formula::parse(text, 0).expect(text);
            assert_eq!(Formula::parse(&once.to_string(), 0).expect("its own text"), once);
        }
    }

    #[test]
    fn what_is_no_formula_is_told() {
        for text in ["", "a b", "(a", "[p", "a U", "Hello", "G", "[]", "a &", "\u{e9}", "[p # why\n == 1]"] {
            assert!(Formula::parse(text, 0).is_err(), "{text}");
        }
        assert_eq!(Formula::parse(&"!".repeat(50_000), 0).unwrap_err().code, "too-deep");
    }
}
