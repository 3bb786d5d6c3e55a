//! Test-case files: which values a program reads at which line, as sets of intervals.
//! After W. Ding's thesis (AMC), section 2.8 and appendix D. Two notations, which may be mixed in one file:
//!
//! ```text
//! LINE 5 xy 4 TO 5, 6          appendix D: values, `TO`, an optional comma
//! 6 a [0, 0] b [MINF, -1]      figure 2.15: brackets; a number at the start of a line begins a row
//! LINE 0 pressure [0, INF]     line 0: an assumption about the environment that holds at every read
//! ```
//!
//! Rows are consumed in order; how is the interpreter's matter. `MINF` and `INF` are the ends of a variable's type.
//! DIVERGENCE: `#`, `//` and `/* */` comments are allowed, and an interval may have `MINF` or `INF` in either notation.

use base::{Diagnostic, Diagnostics, Span};
use std::fmt::{Display, Formatter};
use std::sync::Arc;

/// One end of an interval.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// `MINF`: the smallest value of the variable's type.
    Least,
    /// An integer.
    Integer(i128),
    /// A number with a fraction or an exponent, as written; [`str::parse`] as `f64` succeeds and is finite. Whoever
    /// computes with it rounds outwards.
    Decimal(Arc<str>),
    /// `INF`: the largest value of the variable's type.
    Greatest,
}

/// All values from one end to the other, the ends included.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The lower end.
    pub low: Bound,
    /// The upper end, not below the lower one.
    pub high: Bound,
}

/// What one variable may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// The variable.
    pub variable: Arc<str>,
    /// Where it is named.
    pub span: Span,
    /// At least one; as written, not sorted, and they may overlap.
    pub intervals: Vec<Interval>,
}

/// What is read by one request for input at a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The program's line, from 1.
    pub line: u32,
    /// The variables that are read there.
    pub values: Vec<Values>,
    /// Where the row stands.
    pub span: Span,
}

/// A test-case file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestCases {
    /// Line 0: what holds at every read of these variables. Two entries for one variable both hold.
    pub assumptions: Vec<Values>,
    /// What is read, in this order.
    pub rows: Vec<Row>,
}

/// Reads a test-case file. `base` is the position of the text's first byte. A row that cannot be read is told and left
/// out; the others are still there.
pub fn parse(text: &str, base: u32) -> (TestCases, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let words = words(text, base, &mut diagnostics);
    let mut reader = Reader { words: &words, at: 0, end: base + text.len() as u32 };
    let mut cases = TestCases::default();
    while reader.at < words.len() {
        let start = reader.at;
        match reader.row() {
            Ok(row) if row.line == 0 => cases.assumptions.extend(row.values),
            Ok(row) => cases.rows.push(row),
            Err(problem) => {
                diagnostics.push(problem);
                // On with what follows the line of the last word that was understood.
                let line = words[start.max(reader.at.saturating_sub(1))].line;
                reader.at = reader.at.max(start + 1);
                while reader.peek().is_some_and(|word| word.line == line && word.text != "LINE") {
                    reader.at += 1;
                }
            }
        }
    }
    (cases, diagnostics)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Name,
    Mark,
}

/// A word of the file; numbers carry their sign.
struct Word<'a> {
    kind: Kind,
    text: &'a str,
    span: Span,
    /// Counted from 0.
    line: usize,
    /// Is it the first of its line?
    leads: bool,
}

fn words<'a>(text: &'a str, base: u32, diagnostics: &mut Diagnostics) -> Vec<Word<'a>> {
    let bytes = text.as_bytes();
    let mut words: Vec<Word<'a>> = Vec::new();
    let (mut at, mut line) = (0, 0);
    while at < bytes.len() {
        let rest = &text[at..];
        let length = match bytes[at] {
            b'\n' => {
                line += 1;
                1
            }
            byte if byte.is_ascii_whitespace() => 1,
            b'#' => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => {
                let Some(length) = rest[2..].find("*/") else {
                    let span = Span::new(base + at as u32, base + at as u32 + 2);
                    diagnostics.push(
                        Diagnostic::error("unterminated-comment", span, "this comment does not end")
                            .hint("close it with `*/`"),
                    );
                    break;
                };
                line += rest[..length + 4].matches('\n').count();
                length + 4
            }
            _ => {
                let (kind, length) = scan(rest);
                let span = Span::new(base + at as u32, base + (at + length) as u32);
                let leads = words.last().is_none_or(|word| word.line != line);
                words.push(Word { kind, text: &rest[..length], span, line, leads });
                length
            }
        };
        at += length;
    }
    words
}

fn scan(rest: &str) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let sign = usize::from(matches!(bytes[0], b'+' | b'-'));
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    if is_digit(sign) || (bytes.get(sign) == Some(&b'.') && is_digit(sign + 1)) {
        let mut at = sign;
        while let Some(byte) = bytes.get(at) {
            let exponent_sign = matches!(byte, b'+' | b'-') && matches!(bytes[at - 1], b'e' | b'E');
            if !byte.is_ascii_alphanumeric() && *byte != b'.' && !exponent_sign {
                break;
            }
            at += 1;
        }
        return (Kind::Number, at);
    }
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    // `-INF` and `+INF`
    let length = bytes[sign..].iter().take_while(|byte| is_word(byte)).count();
    if length > 0 {
        return (Kind::Name, sign + length);
    }
    (Kind::Mark, rest.chars().next().map_or(1, char::len_utf8))
}

struct Reader<'w, 'a> {
    words: &'w [Word<'a>],
    at: usize,
    end: u32,
}

type Read<T> = Result<T, Diagnostic>;

impl<'w, 'a> Reader<'w, 'a> {
    fn peek(&self) -> Option<&'w Word<'a>> {
        self.words.get(self.at)
    }

    fn is(&self, text: &str) -> bool {
        self.peek().is_some_and(|word| word.text == text)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str, why: &str) -> Read<()> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`")).hint(why)) }
    }

    /// Does a row begin here? With `LINE`, or with a number that leads a line and stands before a name.
    fn starts_row(&self) -> bool {
        let Some(word) = self.peek() else { return true };
        let names = |word: &Word<'_>| word.kind == Kind::Name && !is_end(word.text) && word.text != "TO";
        word.text == "LINE"
            || (word.leads && word.kind == Kind::Number && self.words.get(self.at + 1).is_some_and(names))
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let (found, span) = match self.peek() {
            Some(word) => (format!("`{}`", word.text), word.span),
            None => {
                let span = self.words.last().map_or(Span::new(self.end, self.end), |word| word.span);
                ("the end of the file".to_owned(), span)
            }
        };
        Diagnostic::error("syntax", span, format!("expected {wanted}, found {found}"))
    }

    fn row(&mut self) -> Read<Row> {
        let start = self.at;
        let keyword = self.eat("LINE");
        let line = match self.peek() {
            Some(word) if word.kind == Kind::Number => word.text.parse().map_err(|_| {
                self.unexpected("the number of a line").hint("lines count from 1; 0 is for assumptions")
            })?,
            _ if keyword => return Err(self.unexpected("the number of a line")),
            _ => {
                let problem = self.unexpected("`LINE` or the number of a line");
                return Err(problem.hint("a row is `LINE 5 x 4 TO 5, 6` or `5 x [4, 5] [6, 6]`"));
            }
        };
        self.at += 1;
        let mut values = vec![self.values()?];
        while !self.starts_row() {
            values.push(self.values()?);
        }
        let span = self.words[start].span.to(self.words[self.at - 1].span);
        Ok(Row { line, values, span })
    }

    fn values(&mut self) -> Read<Values> {
        let variable = match self.peek() {
            Some(word) if word.kind == Kind::Name && is_variable(word.text) => word,
            _ => return Err(self.unexpected("a variable or an interval")),
        };
        self.at += 1;
        if self.starts_row() {
            let problem = self.unexpected(&format!("the values of `{}`", variable.text));
            return Err(problem.hint("such as `4 TO 5, 6` or `[4, 5] [6, 6]`"));
        }
        let mut intervals = vec![self.interval()?];
        while !self.starts_row() {
            self.eat(",");
            let begins = self
                .peek()
                .is_some_and(|word| word.kind == Kind::Number || word.text == "[" || is_end(word.text));
            if !begins {
                break;
            }
            intervals.push(self.interval()?);
        }
        Ok(Values { variable: Arc::from(variable.text), span: variable.span, intervals })
    }

    fn interval(&mut self) -> Read<Interval> {
        let first = self.peek().map(|word| word.span);
        let (low, high) = if self.eat("[") {
            const FORM: &str = "an interval is `[low, high]`";
            let low = self.bound()?;
            self.expect(",", FORM)?;
            let high = self.bound()?;
            self.expect("]", FORM)?;
            (low, high)
        } else {
            let low = self.bound()?;
            let high = if self.eat("TO") { self.bound()? } else { low.clone() };
            (low, high)
        };
        let span = first.map_or(Span::NOWHERE, |first| first.to(self.words[self.at - 1].span));
        let interval = Interval { low, high };
        if interval.is_empty() {
            let message = format!("the interval {interval} holds no value");
            return Err(Diagnostic::error("empty-interval", span, message).hint("the lower end comes first"));
        }
        Ok(interval)
    }

    fn bound(&mut self) -> Read<Bound> {
        let wanted = "a number, `MINF` or `INF`";
        let Some(word) = self.peek() else { return Err(self.unexpected(wanted)) };
        let bound = match word.text {
            "MINF" | "-INF" => Bound::Least,
            "INF" | "+INF" => Bound::Greatest,
            text if word.kind == Kind::Number => {
                let digits = text.strip_prefix('+').unwrap_or(text);
                match digits.parse::<i128>() {
                    Ok(value) => Bound::Integer(value),
                    Err(_) if digits.parse::<f64>().is_ok_and(f64::is_finite) => {
                        Bound::Decimal(digits.into())
                    }
                    Err(_) => return Err(self.unexpected(wanted)),
                }
            }
            _ => return Err(self.unexpected(wanted)),
        };
        self.at += 1;
        Ok(bound)
    }
}

/// Is the word an end of the number line?
fn is_end(text: &str) -> bool {
    matches!(text, "MINF" | "INF" | "-INF" | "+INF")
}

fn is_variable(text: &str) -> bool {
    !is_end(text) && !matches!(text, "LINE" | "TO") && !text.starts_with(['+', '-'])
}

impl Bound {
    /// The value as a floating-point number, the ends as infinities; rounded to the nearest.
    pub fn nearest(&self) -> f64 {
        match self {
            Bound::Least => f64::NEG_INFINITY,
            Bound::Integer(value) => *value as f64,
            Bound::Decimal(text) => text.parse().expect("checked when it was read"),
            Bound::Greatest => f64::INFINITY,
        }
    }
}

impl Interval {
    fn is_empty(&self) -> bool {
        match (&self.low, &self.high) {
            (Bound::Greatest, Bound::Greatest) | (Bound::Least, Bound::Least) => false,
            (Bound::Greatest, _) | (_, Bound::Least) => true,
            (Bound::Integer(low), Bound::Integer(high)) => low > high,
            (low, high) => low.nearest() > high.nearest(),
        }
    }
}

impl Display for Bound {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Bound::Least => f.write_str("MINF"),
            Bound::Integer(value) => write!(f, "{value}"),
            Bound::Decimal(text) => f.write_str(text),
            Bound::Greatest => f.write_str("INF"),
        }
    }
}

impl Display for Interval {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "[{}, {}]", self.low, self.high)
    }
}

impl Display for Values {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.variable)?;
        self.intervals.iter().try_for_each(|interval| write!(f, " {interval}"))
    }
}

/// The bracket notation, which [`parse`] reads back.
impl Display for TestCases {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        for values in &self.assumptions {
            writeln!(f, "LINE 0 {values}")?;
        }
        for row in &self.rows {
            write!(f, "LINE {}", row.line)?;
            row.values.iter().try_for_each(|values| write!(f, " {values}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let (cases, diagnostics) = parse(text, 0);
        assert!(!diagnostics.has_errors(), "{text}: {diagnostics:?}");
        let once = cases.to_string();
        assert_eq!(parse(&once, 0).0.to_string(), once, "what is shown is read back");
        once
    }

    #[test]
    fn both_notations() {
        assert_eq!(shown("LINE 5 xy 4 TO 5, 6"), "LINE 5 xy [4, 5] [6, 6]\n");
        assert_eq!(
            shown("6 a [0, 0] b [MINF, -1] [0, 0] [1, INF]\n10 xy [0, 0]\n10 xy [-5, -1] [4, 8]\n"),
            "LINE 6 a [0, 0] b [MINF, -1] [0, 0] [1, INF]\nLINE 10 xy [0, 0]\nLINE 10 xy [-5, -1] [4, 8]\n"
        );
        assert_eq!(
            shown("LINE 1 x 1 2 y 3 TO INF LINE 2 z 4"),
            "LINE 1 x [1, 1] [2, 2] y [3, INF]\nLINE 2 z [4, 4]\n"
        );
        assert_eq!(shown("LINE 3 x 1,\n 2,\n 3 // more\n"), "LINE 3 x [1, 1] [2, 2] [3, 3]\n");
        assert_eq!(shown("LINE 3 t 0.5 TO 1.5e3 # seconds\n"), "LINE 3 t [0.5, 1.5e3]\n");
        assert_eq!(shown("  \n/* nothing */"), "");
    }

    #[test]
    fn line_zero_is_an_assumption() {
        let (cases, _) = parse("LINE 0 WaterPres [0, 5] [10, INF]\nLINE 4 x 1", 0);
        assert_eq!((cases.assumptions.len(), cases.rows.len()), (1, 1));
        assert_eq!(&*cases.assumptions[0].variable, "WaterPres");
        assert_eq!(cases.assumptions[0].intervals[1].high, Bound::Greatest);
    }

    #[test]
    fn one_bad_row_does_not_hide_the_others() {
        let text = "6 a [0, 0]}\nx 1\nLINE 7 b 1\nLINE c 2\nLINE 8 d 5 TO 3\n9 e [1 2]\nLINE 10 f 99999999999999999999\n";
        let (cases, diagnostics) = parse(text, 50);
        assert_eq!(
            cases.to_string(),
            "LINE 7 b [1, 1]\nLINE 10 f [99999999999999999999, 99999999999999999999]\n"
        );
        assert_eq!(diagnostics.error_count(), 5);
        let first = diagnostics.iter().next().expect("told");
        assert_eq!(first.message, "expected a variable or an interval, found `}`");
        assert_eq!(first.span, Span::new(60, 61));
    }

    #[test]
    fn a_row_without_values_does_not_take_the_next() {
        let (cases, diagnostics) = parse("5 x\n6 y 1\n", 0);
        assert_eq!((cases.to_string().as_str(), diagnostics.error_count()), ("LINE 6 y [1, 1]\n", 1));
    }

    #[test]
    fn any_text_is_read_or_told() {
        for text in [
            "LINE",
            "LINE 5",
            "LINE 5 x",
            "5 x [",
            "5 x [1",
            "LINE 5 x TO",
            "[",
            "5 x 1 TO",
            "é",
            "LINE -1 x 2",
            "LINE 5 x 1e999",
            "LINE 1 x INF TO MINF",
        ] {
            let (cases, diagnostics) = parse(text, 0);
            assert!(diagnostics.has_errors() && cases == TestCases::default(), "{text}");
        }
    }
}
