//! What a call of `printf` or one of its relatives does, when the format is known.
//!
//! Each directive is looked at in order, as the function does it: the argument must be there and of the class the
//! directive takes; `%s` reads its string; `%n` stores the number of characters so far. What goes to a stream is not
//! followed, so a call like `printf("%d\n", x)` whose result nobody uses is an empty function. What goes to a buffer is
//! written byte by byte: exactly, but for floating values and addresses, whose texts may be any of their length.

use super::{
    Amount, Call, Directive, Family, Length, Passed, Piece, Wanted, broken, is_positional, parameters,
};
use super::{pieces, quoted};
use std::fmt::Write as _;

/// Flags as the helpers of `stdio.c` take them.
const LEFT: u32 = 1;
const PLUS: u32 = 2;
const SPACE: u32 = 4;
const ALTERNATE: u32 = 8;
const ZERO: u32 = 16;
const SIGNED: u32 = 32;
const UPPER: u32 = 64;

/// The helpers, as `headers/stdio.c` defines them.
const DECLARATIONS: &str = "\
char __VERIFIER_nondet_char(void);
void __concord_output(void *);
void __concord_standard_output(void);
size_t __concord_between(size_t, size_t);
size_t __concord_text(const char *, long);
size_t __concord_digits32(unsigned, int);
size_t __concord_digits(unsigned long long, int);
size_t __concord_number_length(size_t, int, int, int, int, unsigned, int);
void __concord_put_number32(char *, size_t, size_t, unsigned, int, int, int, unsigned, int);
void __concord_put_number(char *, size_t, size_t, unsigned long long, int, int, int, unsigned, int);
void __concord_put_text(char *, size_t, size_t, const char *, size_t, unsigned, int);
void __concord_put_any(char *, size_t, size_t, size_t);
int __concord_output_result(size_t);
";

/// What is known of the text that a piece gives.
enum Content {
    /// These bytes, which the description has as a literal.
    Literal(Vec<u8>),
    /// The characters of a string: where, as an expression.
    Text(String),
    /// One character, as an expression.
    Character(String),
    /// A whole number.
    Number {
        magnitude: String,
        negative: String,
        base: u32,
        precision: String,
        flags: String,
        is_small: bool,
    },
    /// Any bytes but zero.
    Any,
}

struct Description<'c> {
    call: &'c Call,
    /// Statements so far.
    text: String,
    next_argument: usize,
    /// Pieces with text so far, each with its length in `l0`, `l1`, …
    lengths: usize,
    /// What writes each piece, for buffers; `@` stands for the position.
    puts: Vec<String>,
    /// Strings that a buffer must not overlap: where, and the length's variable.
    strings: Vec<(String, usize)>,
    /// May the text so far be longer than a stream keeps, or have a line in it?
    may_flush: bool,
}

/// The description of a call.
pub fn describe(call: &Call) -> String {
    let pieces = pieces(&call.format);
    let is_stream = is_stream(call.family);
    // Lengths matter up to the last place that counts characters.
    let counted = if call.is_used || !is_stream {
        pieces.len()
    } else {
        pieces
            .iter()
            .rposition(|piece| matches!(piece, Piece::Directive(Directive { conversion: b'n', .. })))
            .unwrap_or(0)
    };
    let mut this = Description {
        call,
        text: String::new(),
        next_argument: 0,
        lengths: 0,
        puts: Vec::new(),
        strings: Vec::new(),
        may_flush: false,
    };
    let first = match call.family {
        Family::Printf => "const char *format",
        Family::Fprintf => "void *stream, const char *format",
        Family::Sprintf => "char *buffer, const char *format",
        _ => "char *buffer, size_t size, const char *format",
    };
    let mut text =
        format!("{DECLARATIONS}static int {}({first}{})\n{{\n", call.name, parameters(&call.passed));
    match call.family {
        Family::Printf => text.push_str("    __concord_standard_output();\n"),
        Family::Fprintf => text.push_str("    __concord_output(stream);\n"),
        Family::Sprintf => text.push_str("    size_t size = -1;\n"),
        _ => {}
    }
    let is_whole = pieces.iter().enumerate().all(|(at, piece)| this.piece(piece, at < counted));
    if is_whole {
        this.finish();
    }
    text.push_str(&this.text);
    text.push_str("}\n");
    text
}

fn is_stream(family: Family) -> bool {
    matches!(family, Family::Printf | Family::Fprintf)
}

impl Description<'_> {
    /// Describes a piece. Says whether anything comes after it.
    fn piece(&mut self, piece: &Piece<'_>, is_counted: bool) -> bool {
        match piece {
            Piece::Text(text) => {
                self.add(&text.len().to_string(), Content::Literal(text.to_vec()), "0", "0", is_counted);
                self.may_flush |= text.contains(&b'\n') || text.len() > 512;
                true
            }
            Piece::Broken(text) => {
                let shown = String::from_utf8_lossy(text);
                if is_positional(text) {
                    self.unknown(&format!("the format directive `{shown}`"));
                } else {
                    self.text.push_str(&broken(&format!("`{shown}` in a format is no directive")));
                }
                false
            }
            Piece::Directive(directive) => self.directive(directive, is_counted),
        }
    }

    fn directive(&mut self, directive: &Directive, is_counted: bool) -> bool {
        if directive.conversion == b'%' {
            self.add("1", Content::Literal(b"%".to_vec()), "0", "0", is_counted);
            return true;
        }
        if [directive.width, directive.precision]
            .iter()
            .any(|amount| matches!(amount, Amount::Written(number) if *number > 1 << 28))
        {
            self.unknown("a format that asks for more than 256 MiB of text");
            return false;
        }
        let mut flags = flags_of(directive).to_string();
        let width = match directive.width {
            Amount::Absent => "0".to_owned(),
            Amount::Written(width) => width.to_string(),
            Amount::Argument => {
                let Some(argument) = self.take("*", Wanted::Integer(4)) else { return false };
                flags = format!("{flags} | ({argument} < 0)");
                format!("({argument} < 0 ? 0u - (unsigned){argument} : (unsigned){argument})")
            }
        };
        let precision = match directive.precision {
            Amount::Absent => "-1".to_owned(),
            Amount::Written(precision) => precision.to_string(),
            Amount::Argument => {
                let Some(argument) = self.take("*", Wanted::Integer(4)) else { return false };
                format!("({argument} < 0 ? -1 : {argument})")
            }
        };
        let Some(argument) = self.take(&directive.name(), directive.wanted(self.call.word)) else {
            return false;
        };
        if directive.is_wide() {
            self.unknown("wide characters in a format");
            return false;
        }
        let left = format!("(({flags}) & {LEFT})");
        match directive.conversion {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => {
                self.integer(directive, &argument, &precision, &width, &flags, is_counted);
            }
            b'c' => {
                self.may_flush = true;
                self.add("1", Content::Character(argument), &width, &left, is_counted);
            }
            b's' => {
                self.may_flush = true;
                match self.call.passed.get(self.next_argument - 1) {
                    Some(Passed::Literal(text)) if directive.precision != Amount::Argument => {
                        let mut text: Vec<u8> = text.iter().copied().take_while(|&byte| byte != 0).collect();
                        if let Amount::Written(most) = directive.precision {
                            text.truncate(most as usize);
                        }
                        self.add(&text.len().to_string(), Content::Literal(text), &width, &left, is_counted);
                    }
                    _ => {
                        let length = format!("__concord_text({argument}, {precision})");
                        if is_counted {
                            self.strings.push((argument.clone(), self.lengths));
                            self.add(&length, Content::Text(argument), &width, &left, true);
                        } else {
                            let _ = writeln!(self.text, "    {length};");
                        }
                    }
                }
            }
            b'p' => self.add("__concord_between(3, 18)", Content::Any, &width, &left, is_counted),
            b'm' => self.add("__concord_between(0, 64)", Content::Any, &width, &left, is_counted),
            b'n' => {
                let bytes = directive.length.integer_bytes(self.call.word);
                let is_right = self
                    .call
                    .passed
                    .get(self.next_argument - 1)
                    .is_none_or(|passed| passed.takes_count(bytes));
                if !is_right {
                    let name = directive.name();
                    self.text.push_str(&broken(&format!(
                        "`{name}` takes a pointer to an integer of {bytes} bytes and is given a pointer to something else"
                    )));
                    return false;
                }
                self.store_count(directive.length, &argument);
            }
            _ => {
                let length = float_length(directive, &precision);
                self.add(&length, Content::Any, &width, &left, is_counted);
            }
        }
        true
    }

    /// The name of the next argument, if it is there and can be taken so.
    fn take(&mut self, directive: &str, wanted: Wanted) -> Option<String> {
        if wanted == Wanted::Nothing {
            return Some(String::new());
        }
        let number = self.next_argument;
        self.next_argument += 1;
        let what = match self.call.passed.get(number) {
            None => "the format asks for more arguments than were passed".to_owned(),
            Some(passed) if passed.fits(wanted, self.call.word) => return Some(format!("a{number}")),
            Some(passed) => {
                format!("`{directive}` takes {} and is given {}", in_words(wanted), passed.in_words())
            }
        };
        self.text.push_str(&broken(&what));
        None
    }

    fn integer(
        &mut self,
        directive: &Directive,
        argument: &str,
        precision: &str,
        width: &str,
        flags: &str,
        is_counted: bool,
    ) {
        if !is_counted {
            return;
        }
        let bytes = directive.length.integer_bytes(self.call.word);
        let is_small = bytes <= 4;
        let is_signed = matches!(directive.conversion, b'd' | b'i');
        let whole = if is_small { "unsigned" } else { "unsigned long long" };
        let narrow = match (bytes, is_signed) {
            (1, true) => "signed char",
            (1, false) => "unsigned char",
            (2, true) => "short",
            (2, false) => "unsigned short",
            (4, true) => "int",
            (4, false) => "unsigned",
            (_, true) => "long long",
            (_, false) => "unsigned long long",
        };
        let number = self.lengths;
        let _ = writeln!(self.text, "    {narrow} v{number} = ({narrow}){argument};");
        let (magnitude, negative) = if is_signed {
            let _ = writeln!(
                self.text,
                "    {whole} m{number} = v{number} < 0 ? 0 - ({whole})v{number} : ({whole})v{number};"
            );
            (format!("m{number}"), format!("v{number} < 0"))
        } else {
            (format!("({whole})v{number}"), "0".to_owned())
        };
        let base = match directive.conversion {
            b'o' => 8,
            b'x' | b'X' => 16,
            _ => 10,
        };
        let digits = if is_small { "__concord_digits32" } else { "__concord_digits" };
        let length = format!(
            "__concord_number_length({digits}({magnitude}, {base}), v{number} == 0, {negative}, {base}, {precision}, {width}, {flags})"
        );
        let content = Content::Number {
            magnitude,
            negative,
            base,
            precision: precision.to_owned(),
            flags: flags.to_owned(),
            is_small,
        };
        self.add(&length, content, width, "0", true);
    }

    /// A piece of text of that length before it is padded.
    fn add(&mut self, length: &str, content: Content, width: &str, left: &str, is_counted: bool) {
        if !is_counted {
            return;
        }
        let number = self.lengths;
        self.lengths += 1;
        let padded = if width == "0" { format!("l{number}") } else { format!("p{number}") };
        let _ = writeln!(self.text, "    size_t l{number} = {length};");
        if width != "0" {
            let _ = writeln!(
                self.text,
                "    unsigned w{number} = {width};\n    size_t p{number} = l{number} < w{number} ? w{number} : l{number};"
            );
        }
        let before = if number == 0 { "0".to_owned() } else { format!("t{}", number - 1) };
        let _ = writeln!(self.text, "    size_t t{number} = {before} + {padded};");
        if is_stream(self.call.family) {
            return;
        }
        let width = if width == "0" { "0".to_owned() } else { format!("w{number}") };
        let put = match content {
            Content::Literal(text) => format!(
                "__concord_put_text(buffer, size, {before}, {}, l{number}, {width}, {left});",
                quoted(&text)
            ),
            Content::Text(at) => {
                format!("__concord_put_text(buffer, size, {before}, {at}, l{number}, {width}, {left});")
            }
            Content::Character(value) => format!(
                "char c{number} = (char){value};\n    __concord_put_text(buffer, size, {before}, &c{number}, 1, {width}, {left});"
            ),
            Content::Number { magnitude, negative, base, precision, flags, is_small } => {
                let put = if is_small { "__concord_put_number32" } else { "__concord_put_number" };
                format!(
                    "{put}(buffer, size, {before}, {magnitude}, {negative}, {base}, {precision}, {width}, {flags});"
                )
            }
            // Where the blanks are does not matter if the rest may be anything.
            Content::Any => format!("__concord_put_any(buffer, size, {before}, {padded});"),
        };
        self.puts.push(put);
    }

    /// The number of characters so far.
    fn total(&self) -> String {
        match self.lengths {
            0 => "(size_t)0".to_owned(),
            count => format!("t{}", count - 1),
        }
    }

    /// `%n`
    fn store_count(&mut self, length: Length, argument: &str) {
        let ty = match length.integer_bytes(self.call.word) {
            1 => "signed char",
            2 => "short",
            4 => "int",
            _ => "long long",
        };
        let total = self.total();
        // Output that has failed by then stores nothing more.
        let guard =
            if is_stream(self.call.family) && self.may_flush { "if (__VERIFIER_nondet_int()) " } else { "" };
        let _ = writeln!(self.text, "    {guard}*({ty} *){argument} = ({ty}){total};");
    }

    fn unknown(&mut self, what: &str) {
        let _ = write!(self.text, "    __concord_unknown({});\n    return -1;\n", quoted(what.as_bytes()));
    }

    /// What is written, and the result.
    fn finish(&mut self) {
        let total = self.total();
        if is_stream(self.call.family) {
            let result =
                if self.call.is_used { format!("__concord_output_result({total})") } else { "0".to_owned() };
            let _ = writeln!(self.text, "    return {result};");
            return;
        }
        let _ = write!(
            self.text,
            "    if (size) {{\n    size_t kept = {total} < size - 1 ? {total} : size - 1;\n    __concord_writable(buffer, kept + 1);\n"
        );
        for (at, length) in &self.strings {
            let _ = writeln!(self.text, "    __concord_apart(buffer, kept + 1, {at}, l{length} + 1);");
        }
        for put in &self.puts {
            let _ = writeln!(self.text, "    {put}");
        }
        let _ = write!(
            self.text,
            "    buffer[kept] = 0;\n    }}\n    return {total} > 2147483647 ? -1 : (int){total};\n"
        );
    }
}

impl Passed {
    fn in_words(&self) -> String {
        match self {
            Passed::Integer(bytes) => format!("an integer of {bytes} bytes"),
            Passed::Double => "a `double`".into(),
            Passed::LongDouble => "a `long double`".into(),
            Passed::Pointer | Passed::PointerTo(_) | Passed::Literal(_) => "a pointer".into(),
            Passed::Other => "a value of another kind".into(),
        }
    }
}

fn in_words(wanted: Wanted) -> String {
    match wanted {
        Wanted::Nothing => "nothing".into(),
        Wanted::Integer(bytes) => format!("an integer of {bytes} bytes"),
        Wanted::Double => "a `double`".into(),
        Wanted::LongDouble => "a `long double`".into(),
        Wanted::Pointer => "a pointer".into(),
    }
}

fn flags_of(directive: &Directive) -> u32 {
    let flags = directive.flags;
    let mut bits = 0;
    for (is_set, bit) in [
        (flags.left, LEFT),
        (flags.plus, PLUS),
        (flags.space, SPACE),
        (flags.alternate, ALTERNATE),
        (flags.zero, ZERO),
        (matches!(directive.conversion, b'd' | b'i'), SIGNED),
        (directive.conversion == b'X', UPPER),
    ] {
        if is_set {
            bits |= bit;
        }
    }
    bits
}

/// Least and greatest length of a floating value's text, infinity and NaN included.
fn float_length(directive: &Directive, precision: &str) -> String {
    let is_long = matches!(directive.length, Length::LongDouble | Length::LongLong);
    let (least, most) = match (directive.conversion.to_ascii_lowercase(), directive.precision) {
        (b'f', Amount::Absent | Amount::Written(1..)) => (3, if is_long { 4936 } else { 312 }),
        (b'f', _) => (1, if is_long { 4936 } else { 312 }),
        (b'e', _) => (3, 9),
        (b'g', _) => (1, 10),
        _ => (3, 28),
    };
    let digits = match directive.precision {
        Amount::Absent => "6".to_owned(),
        Amount::Written(precision) => precision.to_string(),
        Amount::Argument => format!("(size_t)({precision} < 0 ? 6 : {precision})"),
    };
    format!("__concord_between({least}, {most} + {digits})")
}
