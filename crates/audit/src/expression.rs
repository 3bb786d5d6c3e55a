//! Conditions of a certificate, read as terms over a state. A reader for expressions of C's integers, written
//! for this purpose alone: the text is what people and other tools see, so the text is what is checked.
//!
//! Arithmetic wraps, as gcc's does for what certificates contain. Every operand is promoted and converted as
//! C says.

use logic::TermId;
use rustc_hash::FxHashMap;
use symbolic::Terms;

/// A number with its C type, as far as it matters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    /// Its value, as a bit-vector.
    pub term: TermId,
    /// Is its type signed?
    pub signed: bool,
}

/// Bits of `int`.
const INT: u32 = 32;
/// Deeper expressions are not read: the reader recurses.
const MOST_DEPTH: u32 = 400;

/// Why a condition is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// No token begins with it.
    Character(char),
    /// The condition is complete before this token.
    Unexpected { token: String, text: String },
    /// Another token stands there.
    Expected { token: &'static str, found: String },
    /// The reader recurses no deeper.
    TooDeep,
    /// Certificates have no such operator.
    Operator(String),
    /// The count of a shift is no constant, or not below the width.
    Shift,
    /// An operand is missing at the end.
    EndsTooEarly,
    /// Nothing is called so where the condition stands.
    NoVariable(String),
    /// It begins like a number and is none.
    NoNumber(String),
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unread::Character(first) => write!(f, "`{first}` is not read"),
            Unread::Unexpected { token, text } => write!(f, "`{token}` is not expected in `{text}`"),
            Unread::Expected { token, found } => write!(f, "`{token}` is expected, not `{found}`"),
            Unread::TooDeep => f.write_str("it is nested too deeply"),
            Unread::Operator(symbol) => write!(f, "the operator `{symbol}` is not read"),
            Unread::Shift => f.write_str("shifts are read only by constants that fit"),
            Unread::EndsTooEarly => f.write_str("it ends too early"),
            Unread::NoVariable(token) => write!(f, "`{token}` is no variable in scope"),
            Unread::NoNumber(token) => write!(f, "`{token}` is no number that is read"),
        }
    }
}

/// When a condition counts as true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Where it is unequal to zero; arithmetic wraps, and a division by zero has the value that solvers give it.
    #[default]
    Wraps,
    /// Where C defines its value, and that is unequal to zero.
    Defined,
}

/// Reads a condition: true where the expression is unequal to zero.
pub(crate) fn read_condition(
    terms: &mut Terms,
    names: &FxHashMap<String, Number>,
    long_bits: u32,
    meaning: Meaning,
    text: &str,
) -> Result<TermId, Unread> {
    let tokens = tokens(text)?;
    let mut reader =
        Reader { terms, names, long_bits, tokens: &tokens, at: 0, depth: 0, defined: Vec::new() };
    let value = reader.choice()?;
    match reader.peek() {
        None => {
            let truth = reader.truth(value);
            match meaning {
                Meaning::Wraps => Ok(truth),
                Meaning::Defined => {
                    let defined = reader.all_defined();
                    Ok(terms.and(truth, defined))
                }
            }
        }
        Some(token) => Err(Unread::Unexpected { token: token.to_owned(), text: text.to_owned() }),
    }
}

fn tokens(text: &str) -> Result<Vec<&str>, Unread> {
    const SYMBOLS: [&str; 29] = [
        "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!",
        "<", ">", "?", ":", "(", ")", "[", "]", ",", ";", "=",
    ];
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@');
        let length = if is_word(first) {
            rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())
        } else {
            let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
            symbol.ok_or(Unread::Character(first))?.len()
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    Ok(found)
}

struct Reader<'a> {
    terms: &'a mut Terms,
    names: &'a FxHashMap<String, Number>,
    long_bits: u32,
    tokens: &'a [&'a str],
    at: usize,
    depth: u32,
    /// When what was read so far has a value in C.
    defined: Vec<TermId>,
}

/// Operators by how tightly they bind, loosest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.at).copied()
    }

    fn take(&mut self, token: &str) -> bool {
        let is_it = self.peek() == Some(token);
        self.at += usize::from(is_it);
        is_it
    }

    fn expect(&mut self, token: &'static str) -> Result<(), Unread> {
        if self.take(token) {
            return Ok(());
        }
        Err(Unread::Expected { token, found: self.peek().unwrap_or("the end").to_owned() })
    }

    fn width(&self, value: Number) -> u32 {
        self.terms.pool.width(value.term)
    }

    fn truth(&mut self, value: Number) -> TermId {
        self.terms.is_nonzero(value.term)
    }

    fn of_truth(&mut self, truth: TermId) -> Number {
        let term = self.terms.pool.bool_to_bits(truth, INT);
        Number { term: self.terms.simple(term), signed: true }
    }

    fn converted(&mut self, value: Number, width: u32, signed: bool) -> Number {
        Number { term: self.terms.resize(value.term, width, value.signed), signed }
    }

    /// What is narrower than `int` becomes `int`.
    fn promoted(&mut self, value: Number) -> Number {
        if self.width(value) < INT { self.converted(value, INT, true) } else { value }
    }

    /// Both operands in the type of the operation.
    fn balanced(&mut self, a: Number, b: Number) -> (Number, Number) {
        let (a, b) = (self.promoted(a), self.promoted(b));
        let (one, two) = (self.width(a), self.width(b));
        let width = one.max(two);
        let signed = match one.cmp(&two) {
            std::cmp::Ordering::Less => b.signed,
            std::cmp::Ordering::Greater => a.signed,
            std::cmp::Ordering::Equal => a.signed && b.signed,
        };
        (self.converted(a, width, signed), self.converted(b, width, signed))
    }

    /// Reads what is evaluated under a condition only.
    fn only_where(
        &mut self,
        condition: TermId,
        mut read: impl FnMut(&mut Self) -> Result<Number, Unread>,
    ) -> Result<Number, Unread> {
        let before = std::mem::take(&mut self.defined);
        let value = read(self)?;
        let defined = self.all_defined();
        self.defined = before;
        let defined = self.terms.pool.implies(condition, defined);
        self.defined.push(defined);
        Ok(value)
    }

    fn all_defined(&mut self) -> TermId {
        let all = self.terms.pool.all_of(&self.defined);
        self.terms.simple(all)
    }

    /// C defines the operation only where nothing overflows, and nothing is divided by zero.
    fn define(&mut self, symbol: &str, a: Number, b: Number) {
        let width = self.width(a);
        if matches!(symbol, "/" | "%") {
            let is_nonzero = self.terms.is_nonzero(b.term);
            self.defined.push(is_nonzero);
        }
        if !a.signed {
            return;
        }
        let wider = match symbol {
            "+" | "-" | "/" | "%" => width + 1,
            "*" => 2 * width,
            _ => return,
        };
        let (one, two) = (self.terms.resize(a.term, wider, true), self.terms.resize(b.term, wider, true));
        let pool = &mut self.terms.pool;
        let exact = match symbol {
            "+" => pool.bvadd(one, two),
            "-" => pool.bvsub(one, two),
            "*" => pool.bvmul(one, two),
            _ => pool.bvsdiv(one, two),
        };
        let exact = self.terms.simple(exact);
        let kept = self.terms.resize(exact, width, true);
        let kept = self.terms.resize(kept, wider, true);
        let fits = self.terms.equal(exact, kept);
        self.defined.push(fits);
    }

    fn choice(&mut self) -> Result<Number, Unread> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(Unread::TooDeep);
        }
        let condition = self.binary(0)?;
        let value = if self.take("?") {
            let truth = self.truth(condition);
            let then = self.only_where(truth, Reader::choice)?;
            self.expect(":")?;
            let not = self.terms.not(truth);
            let other = self.only_where(not, Reader::choice)?;
            let (then, other) = self.balanced(then, other);
            Number { term: self.terms.ite(truth, then.term, other.term), signed: then.signed }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: usize) -> Result<Number, Unread> {
        let Some(symbols) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some(symbol) = self.peek().filter(|token| symbols.contains(token)) {
            self.at += 1;
            let right = |reader: &mut Self| reader.binary(level + 1);
            let right = match symbol {
                "&&" | "||" => {
                    let truth = self.truth(left);
                    let is_read = if symbol == "&&" { truth } else { self.terms.not(truth) };
                    self.only_where(is_read, right)?
                }
                _ => right(self)?,
            };
            left = self.operation(symbol, left, right)?;
        }
        Ok(left)
    }

    fn operation(&mut self, symbol: &str, a: Number, b: Number) -> Result<Number, Unread> {
        if matches!(symbol, "&&" | "||") {
            let (one, two) = (self.truth(a), self.truth(b));
            let both = if symbol == "&&" { self.terms.and(one, two) } else { self.terms.or(one, two) };
            return Ok(self.of_truth(both));
        }
        if matches!(symbol, "<<" | ">>") {
            return self.shift(symbol, a, b);
        }
        let (a, b) = self.balanced(a, b);
        self.define(symbol, a, b);
        let (one, two, signed) = (a.term, b.term, a.signed);
        let pool = &mut self.terms.pool;
        let compared = match (symbol, signed) {
            ("==", _) => Some(pool.equal(one, two)),
            ("!=", _) => Some(pool.distinct(one, two)),
            ("<", true) => Some(pool.slt(one, two)),
            ("<", false) => Some(pool.ult(one, two)),
            ("<=", true) => Some(pool.sle(one, two)),
            ("<=", false) => Some(pool.ule(one, two)),
            (">", true) => Some(pool.slt(two, one)),
            (">", false) => Some(pool.ult(two, one)),
            (">=", true) => Some(pool.sle(two, one)),
            (">=", false) => Some(pool.ule(two, one)),
            _ => None,
        };
        if let Some(truth) = compared {
            let truth = self.terms.simple(truth);
            return Ok(self.of_truth(truth));
        }
        let term = match (symbol, signed) {
            ("+", _) => pool.bvadd(one, two),
            ("-", _) => pool.bvsub(one, two),
            ("*", _) => pool.bvmul(one, two),
            ("/", true) => pool.bvsdiv(one, two),
            ("/", false) => pool.bvudiv(one, two),
            ("%", true) => pool.bvsrem(one, two),
            ("%", false) => pool.bvurem(one, two),
            ("&", _) => pool.bvand(one, two),
            ("|", _) => pool.bvor(one, two),
            ("^", _) => pool.bvxor(one, two),
            _ => return Err(Unread::Operator(symbol.to_owned())),
        };
        Ok(Number { term: self.terms.simple(term), signed })
    }

    fn shift(&mut self, symbol: &str, a: Number, b: Number) -> Result<Number, Unread> {
        let (a, b) = (self.promoted(a), self.promoted(b));
        let width = self.width(a);
        let by = self.terms.constant(b.term).filter(|&by| by < u128::from(width));
        let by = by.ok_or(Unread::Shift)?;
        let by = self.terms.number(width, by);
        if symbol == "<<" && a.signed {
            let pool = &mut self.terms.pool;
            let shifted = pool.bvshl(a.term, by);
            let back = pool.bvashr(shifted, by);
            let fits = pool.equal(back, a.term);
            self.defined.push(fits);
            let zero = self.terms.number(width, 0);
            let is_negative = self.terms.pool.slt(a.term, zero);
            let is_positive = self.terms.not(is_negative);
            self.defined.push(is_positive);
        }
        let pool = &mut self.terms.pool;
        let term = match (symbol, a.signed) {
            ("<<", _) => pool.bvshl(a.term, by),
            (_, true) => pool.bvashr(a.term, by),
            (_, false) => pool.bvlshr(a.term, by),
        };
        Ok(Number { term: self.terms.simple(term), signed: a.signed })
    }

    fn unary(&mut self) -> Result<Number, Unread> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(Unread::TooDeep);
        }
        let value = self.unary_inner();
        self.depth -= 1;
        value
    }

    fn unary_inner(&mut self) -> Result<Number, Unread> {
        if self.take("!") {
            let value = self.unary()?;
            let truth = self.truth(value);
            let not = self.terms.not(truth);
            return Ok(self.of_truth(not));
        }
        for symbol in ["-", "~", "+"] {
            if self.take(symbol) {
                let value = self.unary()?;
                let value = self.promoted(value);
                if symbol == "-" {
                    let width = self.width(value);
                    let zero = Number { term: self.terms.number(width, 0), signed: value.signed };
                    self.define("-", zero, value);
                }
                let term = match symbol {
                    "-" => self.terms.pool.bvneg(value.term),
                    "~" => self.terms.pool.bvnot(value.term),
                    _ => value.term,
                };
                return Ok(Number { term: self.terms.simple(term), signed: value.signed });
            }
        }
        if self.take("(") {
            if let Some((width, signed, length)) = self.type_name() {
                self.at += length;
                self.expect(")")?;
                let value = self.unary()?;
                return Ok(self.converted(value, width, signed));
            }
            let value = self.choice()?;
            self.expect(")")?;
            return Ok(value);
        }
        let token = self.peek().ok_or(Unread::EndsTooEarly)?;
        self.at += 1;
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            return self.literal(token);
        }
        match self.names.get(token) {
            Some(&number) => Ok(number),
            None => Err(Unread::NoVariable(token.to_owned())),
        }
    }

    /// An integer type at this place: its bits, its signedness, the words it has.
    fn type_name(&self) -> Option<(u32, bool, usize)> {
        let words: Vec<&str> =
            self.tokens[self.at..].iter().take_while(|token| **token != ")").copied().collect();
        let (mut signed, mut base, mut longs) = (None, None, 0);
        for &word in &words {
            match word {
                "signed" if signed.is_none() => signed = Some(true),
                "unsigned" if signed.is_none() => signed = Some(false),
                "long" => longs += 1,
                "char" | "short" | "int" if base.is_none() || (base == Some("short") && word == "int") => {
                    base = base.or(Some(word));
                }
                _ => return None,
            }
        }
        let width = match (base, longs) {
            (Some("char"), 0) => 8,
            (Some("short"), 0) => 16,
            (Some("int") | None, 0) if base.is_some() || signed.is_some() => INT,
            (Some("int") | None, 1) => self.long_bits,
            (Some("int") | None, 2) => 64,
            _ => return None,
        };
        Some((width, signed.unwrap_or(true), words.len()))
    }

    fn literal(&mut self, token: &str) -> Result<Number, Unread> {
        let digits_end = if token.starts_with("0x") || token.starts_with("0X") {
            token[2..].find(|c: char| !c.is_ascii_hexdigit()).map_or(token.len(), |at| at + 2)
        } else {
            token.find(|c: char| !c.is_ascii_digit()).unwrap_or(token.len())
        };
        let (digits, suffix) = token.split_at(digits_end);
        let is_hexadecimal = digits.len() > 2 && digits.starts_with("0x") || digits.starts_with("0X");
        let value = if is_hexadecimal {
            u64::from_str_radix(&digits[2..], 16)
        } else if digits.len() > 1 && digits.starts_with('0') {
            u64::from_str_radix(digits, 8)
        } else {
            digits.parse()
        };
        let value = value.map_err(|_| Unread::NoNumber(token.to_owned()))?;
        let suffix = suffix.to_ascii_lowercase();
        let (is_unsigned, longs) = match suffix.as_str() {
            "" => (false, 0),
            "u" => (true, 0),
            "l" => (false, 1),
            "ul" | "lu" => (true, 1),
            "ll" => (false, 2),
            "ull" | "llu" => (true, 2),
            _ => return Err(Unread::NoNumber(token.to_owned())),
        };
        let least = match longs {
            0 => INT,
            1 => self.long_bits,
            _ => 64,
        };
        let is_octal = !is_hexadecimal && digits.len() > 1 && digits.starts_with('0');
        let is_decimal = !is_hexadecimal && !is_octal;
        // C: the first of the types in which it fits; decimal constants without `u` stay signed.
        for width in [least, 64] {
            let signed_fits = value < 1 << (width - 1);
            let unsigned_fits = width == 64 || value < 1 << width;
            let signed = !is_unsigned && signed_fits;
            if signed || (unsigned_fits && (is_unsigned || !is_decimal)) {
                return Ok(Number { term: self.terms.number(width, u128::from(value)), signed });
            }
        }
        Ok(Number { term: self.terms.number(64, u128::from(value)), signed: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str, x: i32, c: i8) -> Result<bool, Unread> {
        let mut terms = Terms::new();
        let (x, c) = (terms.number(32, x as u128), terms.number(8, c as u128));
        let names = [("x", x, true), ("u", x, false), ("c", c, true)]
            .map(|(name, term, signed)| (name.to_owned(), Number { term, signed }));
        let names: FxHashMap<String, Number> = names.into_iter().collect();
        let term = read_condition(&mut terms, &names, 64, Meaning::Wraps, text)?;
        let defined = read_condition(&mut terms, &names, 64, Meaning::Defined, text)?;
        let truth = terms.truth(term).expect("constants give constants");
        assert_eq!(terms.truth(defined), Some(truth), "{text} has a value in C");
        Ok(truth)
    }

    #[test]
    fn what_c_does_not_define_is_not_true() {
        for (text, x, is_defined) in [
            ("1 / x != 7", 0, false),
            ("x % (x - x) == x || 1", 5, false),
            ("x == 0 || 1 / x != 7", 0, true),
            ("x != 0 && 1 / x == 7 || 1", 0, true),
            ("x != 0 ? 1 / x != 7 : 1", 0, true),
            ("x == 0 ? 1 / x != 7 : 1", 0, false),
            ("(x + 1) - 1 == x", i32::MAX, false),
            ("(x + 1) - 1 == x", i32::MAX - 1, true),
            ("x * 2 / 2 == x || 1", 1 << 30, false),
            ("-x == x", i32::MIN, false),
            ("x / -1 == x || 1", i32::MIN, false),
            ("x << 1 == 2 * x || 1", -1, false),
            ("x << 31 == x || 1", 1, false),
            ("u + 4294967295U < u || 1", 3, true),
            ("(long)x + 1 > x", i32::MAX, true),
        ] {
            let mut terms = Terms::new();
            let term = terms.number(32, x as u128);
            let names = [("x", true), ("u", false)];
            let names =
                names.map(|(name, signed)| (name.to_owned(), Number { term, signed })).into_iter().collect();
            let read = |terms: &mut Terms, meaning| {
                let term = read_condition(terms, &names, 64, meaning, text).expect("it is read");
                terms.truth(term)
            };
            assert_eq!(read(&mut terms, Meaning::Wraps), Some(true), "{text} for x = {x}");
            assert_eq!(read(&mut terms, Meaning::Defined), Some(is_defined), "{text} for x = {x}");
        }
    }

    #[test]
    fn expressions_mean_what_c_says() {
        for (text, x, c, expected) in [
            ("x == -1", -1, 0, true),
            ("u > 0", -1, 0, true),
            ("x > 0U", -1, 0, true),
            ("(int)u < 0 && c == -3", -1, -3, true),
            ("(unsigned char)c == 253", 0, -3, true),
            ("c + 300 == 297", 0, -3, true),
            ("(((unsigned)x >> 4) & 1) == 1", 16, 0, true),
            ("x < 0x80000000", -5, 0, false),
            ("x < 2147483648", -5, 0, true),
            ("(long)x * 4 == -8L", -2, 0, true),
            ("!(x == 3) ? 0 : 1", 3, 0, true),
            ("x % 3 == 2 || x / 2 == 9", 5, 0, true),
            ("1 - 1 - 1 == -1 && 1 + 2 * 3 == 7 && (1 | 2 ^ 2 & 3) == 1", 0, 0, true),
            ("(unsigned long long)x == 18446744073709551615ULL", -1, 0, true),
            ("~x == 0 && -x == 1", -1, 0, true),
        ] {
            assert_eq!(holds(text, x, c), Ok(expected), "{text} for x = {x}, c = {c}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in ["", "x ==", "x == 1)", "y", "x = 1", "x[0]", "(double)x", "1.5 < x", "x << 32", "f(x)"] {
            assert!(holds(text, 1, 1).is_err(), "{text}");
        }
        assert!(holds(&format!("{}x{}", "(".repeat(5000), ")".repeat(5000)), 1, 1).is_err());
    }
}
