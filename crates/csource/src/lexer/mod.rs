//! C text to tokens.
//!
//! Reads preprocessed text: line markers and pragmas are taken out here, comments are skipped but for assertions in
//! them (`annotation`), any other directive is an error. All tokens are made before parsing starts, so that the parser
//! can look ahead as far as it likes. Literals are only delimited here; `literal` decodes them.

mod annotation;
mod pragma;
mod token;

pub(crate) use annotation::Annotation;
pub(crate) use pragma::{PackChange, changes_meaning};
pub(crate) use token::{Token, TokenKind};

use crate::syntax::SymbolPragma;
use base::{Diagnostic, Diagnostics, Interner, Span, Symbol};
use pragma::PackState;
use token::KeywordTable;

/// What a word of C is, for those who colour texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// A keyword that names a type or begins one.
    Type,
    /// Another keyword.
    Keyword,
    /// No keyword.
    Name,
}

/// What a word of C is: all spellings of keywords that gcc takes are keywords.
pub fn word_kind(word: &str) -> WordKind {
    match token::keyword(word) {
        Some(kind) if kind.is_type() => WordKind::Type,
        Some(_) => WordKind::Keyword,
        None => WordKind::Name,
    }
}

/// The tokens of a text.
pub(crate) struct Lexed {
    /// Ends with one [`TokenKind::End`].
    pub(crate) tokens: Vec<Token>,
    /// What `#pragma pack` said, in order.
    pub(crate) packs: Vec<PackChange>,
    /// Pragmas about symbols.
    pub(crate) pragmas: Vec<SymbolPragma>,
    /// Assertions in comments, in order.
    pub(crate) annotations: Vec<Annotation>,
}

/// Cuts `text` into tokens. `base` is the position of its first byte, for messages.
pub(crate) fn lex(text: &str, base: u32, names: &mut Interner, diagnostics: &mut Diagnostics) -> Lexed {
    let keywords = KeywordTable::new(names);
    let nameless = names.intern("");
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        base,
        names,
        keywords,
        nameless,
        diagnostics,
        // Preprocessed C has about one token in four bytes.
        tokens: Vec::with_capacity(text.len() / 4 + 16),
        packs: PackState::default(),
        pragmas: Vec::new(),
        annotations: Vec::new(),
        in_annotation: false,
        not_understood: None,
    };
    lexer.run();
    Lexed {
        tokens: lexer.tokens,
        packs: lexer.packs.changes,
        pragmas: lexer.pragmas,
        annotations: lexer.annotations,
    }
}

/// Bytes that may continue an identifier: letters, digits, `_`, `$`.
const CONTINUES_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric() || b == b'_' || b == b'$';
        byte += 1;
    }
    table
};

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    base: u32,
    names: &'a mut Interner,
    keywords: KeywordTable,
    /// Stands in tokens that have no name.
    nameless: Symbol,
    diagnostics: &'a mut Diagnostics,
    tokens: Vec<Token>,
    packs: PackState,
    pragmas: Vec<SymbolPragma>,
    annotations: Vec<Annotation>,
    /// Is it the text of an annotation that is read? Then mistakes are no mistakes of the program.
    in_annotation: bool,
    /// Why the annotation cannot be read.
    not_understood: Option<String>,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        let mut at_line_start = true;
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    at_line_start = true;
                    self.at += 1;
                    continue;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    self.at += 1;
                    continue;
                }
                b'#' if at_line_start => {
                    self.directive();
                    continue;
                }
                b'/' if self.peek(1) == b'/' => {
                    let start = self.at;
                    self.skip_line();
                    self.look_at_comment(start);
                    continue;
                }
                b'/' if self.peek(1) == b'*' => {
                    let start = self.at;
                    self.block_comment();
                    self.look_at_comment(start);
                    continue;
                }
                b'@' if self.in_annotation && at_line_start => {
                    self.at += 1;
                    continue;
                }
                b'\\' if self.in_annotation && self.peek(1).is_ascii_alphabetic() => self.logic_word(),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => self.word(),
                b'0'..=b'9' => self.number(),
                b'.' if self.peek(1).is_ascii_digit() => self.number(),
                b'"' => self.quoted(self.at, b'"'),
                b'\'' => self.quoted(self.at, b'\''),
                b'\\' => self.backslash(),
                0x80.. => self.beyond_ascii(),
                _ => self.punctuation(byte),
            }
            at_line_start = false;
        }
        let end = self.text.len();
        self.push(TokenKind::End, end, end);
    }

    /// The byte `ahead` of the current one; 0 past the end.
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.base + start as u32, self.base + end as u32)
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        self.tokens.push(Token { kind, symbol: self.nameless, start: start as u32, end: end as u32 });
    }

    fn error(&mut self, code: &'static str, start: usize, end: usize, message: impl Into<String>) {
        let span = self.span(start, end);
        self.report(Diagnostic::error(code, span, message));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.in_annotation {
            self.not_understood.get_or_insert(diagnostic.message);
        } else {
            self.diagnostics.push(diagnostic);
        }
    }

    /// To the end of the line, splices included; the line break itself stays.
    fn skip_line(&mut self) {
        loop {
            let rest = &self.bytes[self.at..];
            match memchr::memchr(b'\n', rest) {
                None => self.at = self.bytes.len(),
                Some(length) => {
                    self.at += length;
                    let line = rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length]);
                    if line.ends_with(b"\\") {
                        self.at += 1;
                        continue;
                    }
                }
            }
            return;
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match memchr::memmem::find(&self.bytes[start + 2..], b"*/") {
            Some(length) => self.at = start + 2 + length + 2,
            None => {
                self.error("unterminated-comment", start, start + 2, "this comment never ends");
                self.at = self.bytes.len();
            }
        }
    }

    /// A line that starts with `#`.
    fn directive(&mut self) {
        let start = self.at;
        self.skip_line();
        let line = &self.text[start..self.at];
        let rest = line[1..].trim_start();
        let length = rest.bytes().take_while(|&byte| CONTINUES_NAME[byte as usize]).count();
        match &rest[..length] {
            // Line markers are read by the source map.
            "" | "line" | "ident" | "sccs" => {}
            number if number.bytes().all(|byte| byte.is_ascii_digit()) => {}
            "pragma" => {
                let span = self.span(start, self.at);
                self.pragma(&rest[length..], span);
            }
            word => {
                let message = format!(
                    "`#{word}` is a directive for the preprocessor, but this text should already be preprocessed"
                );
                let diagnostic = Diagnostic::error("not-preprocessed", self.span(start, self.at), message)
                    .hint("give the file with the ending `.c`, so that it is preprocessed first");
                self.diagnostics.push(diagnostic);
            }
        }
    }

    /// An identifier, a keyword, or the prefix of a literal.
    fn word(&mut self) {
        let start = self.at;
        let mut end = start + 1;
        while end < self.bytes.len() && CONTINUES_NAME[self.bytes[end] as usize] {
            end += 1;
        }
        self.at = end;
        match self.bytes.get(end) {
            Some(&quote @ (b'"' | b'\'')) if end - start <= 3 => {
                let prefix = &self.bytes[start..end];
                if matches!(prefix, b"L" | b"u" | b"U" | b"u8") {
                    return self.quoted(start, quote);
                }
                if quote == b'"' && matches!(prefix, b"R" | b"LR" | b"uR" | b"UR" | b"u8R") {
                    return self.raw_string(start);
                }
            }
            Some(&byte) if byte >= 0x80 || (byte == b'\\' && matches!(self.peek(1), b'u' | b'U')) => {
                return self.extended_word(start);
            }
            _ => {}
        }
        let symbol = self.names.intern(&self.text[start..end]);
        let kind = self.keywords.kind_of(symbol);
        self.tokens.push(Token { kind, symbol, start: start as u32, end: end as u32 });
    }

    /// An identifier with letters beyond ASCII or with `\u` in it; both spellings of a letter give the same name.
    fn extended_word(&mut self, start: usize) {
        let mut name = self.text[start..self.at].to_owned();
        loop {
            let rest = &self.text[self.at..];
            let Some(character) = rest.chars().next() else { break };
            if character.is_ascii() && CONTINUES_NAME[character as usize] {
                name.push(character);
                self.at += 1;
            } else if !character.is_ascii() && is_name_letter(character) {
                name.push(character);
                self.at += character.len_utf8();
            } else if let Some((named, length)) = crate::literal::universal_character(rest) {
                match named.filter(|&letter| !letter.is_ascii()) {
                    Some(letter) => name.push(letter),
                    None => {
                        let (from, to) = (self.at, self.at + length);
                        self.error(
                            "bad-universal-character",
                            from,
                            to,
                            "this is not a character that a name may have",
                        );
                    }
                }
                self.at += length;
            } else {
                break;
            }
        }
        let symbol = self.names.intern(&name);
        let end = self.at as u32;
        self.tokens.push(Token { kind: TokenKind::Name, symbol, start: start as u32, end });
    }

    /// A preprocessing number, C11 6.4.8, with the digit separators of C23.
    fn number(&mut self) {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                b'+' | b'-' if matches!(self.bytes[self.at - 1], b'e' | b'E' | b'p' | b'P') => {
                    // `0xe+1` is one preprocessing number too, and an error in C; gcc agrees.
                    self.at += 1;
                }
                b'\'' if self.peek(1).is_ascii_alphanumeric() => self.at += 2,
                byte if CONTINUES_NAME[byte as usize] || byte == b'.' => self.at += 1,
                _ => break,
            }
        }
        self.push(TokenKind::Number, start, self.at);
    }

    /// A string or character literal whose quote stands at `self.at`; `start` is where its prefix starts.
    fn quoted(&mut self, start: usize, quote: u8) {
        let open = self.at;
        self.at += 1;
        loop {
            let found = memchr::memchr3(quote, b'\\', b'\n', &self.bytes[self.at..]);
            self.at = found.map_or(self.bytes.len(), |length| self.at + length);
            match self.bytes.get(self.at) {
                Some(b'\\') => {
                    self.at += 1;
                    // The escaped character, whatever it is; `\r\n` counts as one line break.
                    match self.text[self.at..].chars().next() {
                        Some('\r') if self.peek(1) == b'\n' => self.at += 2,
                        Some(character) => self.at += character.len_utf8(),
                        None => {}
                    }
                }
                Some(&byte) if byte == quote => {
                    self.at += 1;
                    let kind = if quote == b'"' { TokenKind::String } else { TokenKind::Character };
                    self.push(kind, start, self.at);
                    return;
                }
                _ => {
                    let what = if quote == b'"' { "string" } else { "character" };
                    let message = format!("this {what} literal is not closed on its line");
                    let span = self.span(open, open + 1);
                    let hint = format!("add the closing `{}`", quote as char);
                    self.report(Diagnostic::error("unterminated-literal", span, message).hint(hint));
                    // An empty literal stands for it; what is in it seldom matters to what follows.
                    let kind = if quote == b'"' { TokenKind::String } else { TokenKind::Character };
                    return self.push(kind, open, open);
                }
            }
        }
    }

    /// `R"delimiter(…)delimiter"`, which gcc takes in GNU C too.
    fn raw_string(&mut self, start: usize) {
        let open = self.at;
        let rest = &self.bytes[open + 1..];
        let delimiter_length = rest.iter().take(17).position(|&byte| byte == b'(');
        let end = delimiter_length.and_then(|length| {
            let mut closing = vec![b')'];
            closing.extend_from_slice(&rest[..length]);
            closing.push(b'"');
            memchr::memmem::find(rest, &closing).map(|found| open + 1 + found + closing.len())
        });
        match end {
            Some(end) => {
                self.at = end;
                self.push(TokenKind::String, start, end);
            }
            None => {
                self.error("unterminated-literal", start, open + 1, "this raw string literal never ends");
                self.at = open;
                self.skip_line();
                self.push(TokenKind::String, open, open);
            }
        }
    }

    /// A backslash outside literals: a line splice, a name that starts with `\u`, or a mistake.
    fn backslash(&mut self) {
        let start = self.at;
        let length = match (self.peek(1), self.peek(2)) {
            (b'\n', _) => 2,
            (b'\r', b'\n') => 3,
            (b'u' | b'U', _) if crate::literal::universal_character(&self.text[start..]).is_some() => {
                return self.extended_word(start);
            }
            _ => {
                self.at += 1;
                return self.error("stray-character", start, start + 1, "stray `\\` in the program");
            }
        };
        self.at += length;
        let continues = |at: Option<&u8>| at.is_some_and(|&byte| CONTINUES_NAME[byte as usize]);
        if start > 0 && continues(self.bytes.get(start - 1)) && continues(self.bytes.get(self.at)) {
            self.error(
                "splice-inside-word",
                start,
                start + 1,
                "a word continued on the next line is not supported in preprocessed text",
            );
        }
    }

    fn beyond_ascii(&mut self) {
        let start = self.at;
        let Some(character) = self.text[start..].chars().next() else { return };
        if is_name_letter(character) {
            return self.extended_word(start);
        }
        self.at += character.len_utf8();
        match character {
            // Byte order mark, no-break space.
            '\u{feff}' | '\u{a0}' if start == 0 || character == '\u{a0}' => {}
            _ => {
                let what = match crate::literal::escaped_byte(character) {
                    Some(byte) => format!("byte 0x{byte:02X}"),
                    None => format!("character `{character}` (U+{:04X})", character as u32),
                };
                self.error("stray-character", start, self.at, format!("stray {what} in the program"));
            }
        }
    }

    fn punctuation(&mut self, byte: u8) {
        use TokenKind::*;
        let (next, after) = (self.peek(1), self.peek(2));
        let (kind, length) = match byte {
            b'(' => (LeftParen, 1),
            b')' => {
                self.push(RightParen, self.at, self.at + 1);
                self.at += 1;
                return self.drop_pragma_operator();
            }
            b'[' => (LeftBracket, 1),
            b']' => (RightBracket, 1),
            b'{' => (LeftBrace, 1),
            b'}' => (RightBrace, 1),
            b';' => (Semicolon, 1),
            b',' => (Comma, 1),
            b'~' => (Tilde, 1),
            b'?' => (Question, 1),
            b'.' if next == b'.' && after == b'.' => (Ellipsis, 3),
            b'.' => (Dot, 1),
            b':' if next == b'>' => (RightBracket, 2),
            b':' => (Colon, 1),
            b'-' => match next {
                b'>' => (Arrow, 2),
                b'-' => (MinusMinus, 2),
                b'=' => (MinusEqual, 2),
                _ => (Minus, 1),
            },
            b'+' => match next {
                b'+' => (PlusPlus, 2),
                b'=' => (PlusEqual, 2),
                _ => (Plus, 1),
            },
            b'&' => match next {
                b'&' => (AndAnd, 2),
                b'=' => (AmpersandEqual, 2),
                _ => (Ampersand, 1),
            },
            b'|' => match next {
                b'|' => (BarBar, 2),
                b'=' => (BarEqual, 2),
                _ => (Bar, 1),
            },
            b'*' if next == b'=' => (StarEqual, 2),
            b'*' => (Star, 1),
            b'/' if next == b'=' => (SlashEqual, 2),
            b'/' => (Slash, 1),
            b'%' if next == b'=' => (PercentEqual, 2),
            b'%' if next == b'>' => (RightBrace, 2),
            b'%' => (Percent, 1),
            b'^' if next == b'=' => (CaretEqual, 2),
            b'^' => (Caret, 1),
            b'=' if next == b'=' => (EqualEqual, 2),
            b'=' => (Equal, 1),
            b'!' if next == b'=' => (ExclamationEqual, 2),
            b'!' => (Exclamation, 1),
            b'<' => match (next, after) {
                (b'<', b'=') => (ShiftLeftEqual, 3),
                (b'<', _) => (ShiftLeft, 2),
                (b'=', _) => (LessEqual, 2),
                (b':', _) => (LeftBracket, 2),
                (b'%', _) => (LeftBrace, 2),
                _ => (Less, 1),
            },
            b'>' => match (next, after) {
                (b'>', b'=') => (ShiftRightEqual, 3),
                (b'>', _) => (ShiftRight, 2),
                (b'=', _) => (GreaterEqual, 2),
                _ => (Greater, 1),
            },
            _ => {
                let start = self.at;
                self.at += 1;
                let what = if byte.is_ascii_graphic() {
                    format!("`{}`", byte as char)
                } else {
                    format!("byte 0x{byte:02X}")
                };
                return self.error(
                    "stray-character",
                    start,
                    start + 1,
                    format!("stray {what} in the program"),
                );
            }
        };
        self.push(kind, self.at, self.at + length);
        self.at += length;
    }

    /// Takes out `_Pragma("…")`, whose closing parenthesis was just made.
    fn drop_pragma_operator(&mut self) {
        let count = self.tokens.len();
        if count < 4 || self.tokens[count - 4].kind != TokenKind::Pragma {
            return;
        }
        let [pragma, open, string, _] = &self.tokens[count - 4..] else { return };
        if open.kind != TokenKind::LeftParen || string.kind != TokenKind::String {
            return;
        }
        let span = self.span(pragma.start as usize, self.at);
        let text =
            self.text[string.start as usize..string.end as usize].trim_start_matches(['L', 'u', 'U', '8']);
        let text = text.trim_matches('"').replace("\\\"", "\"").replace("\\\\", "\\");
        self.tokens.truncate(count - 4);
        self.pragma(&text, span);
    }
}

/// May a letter beyond ASCII stand in a name? Rust's notion of alphanumeric is close to C11 Annex D and never
/// includes punctuation or spaces.
fn is_name_letter(character: char) -> bool {
    character.is_alphanumeric() && crate::literal::escaped_byte(character).is_none()
}

#[cfg(test)]
mod tests;
