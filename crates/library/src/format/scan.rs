//! What a call of `scanf` or one of its relatives does, when the format is known.
//!
//! Each conversion reads a value of its type from outside and stores it, or stops: the input does not match, or it is
//! at its end. For `sscanf` the text must be a string; what it holds is not followed, so its conversions may give any
//! value too.

use super::{
    Call, Family, Length, Passed, ScanDirective, ScanPiece, Wanted, broken, parameters, quoted, scan_pieces,
};
use std::fmt::Write as _;

/// The helpers, as `headers/stdio.c` defines them.
const DECLARATIONS: &str = "\
char __VERIFIER_nondet_char(void);
short __VERIFIER_nondet_short(void);
long long __VERIFIER_nondet_longlong(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
size_t __concord_text(const char *, long);
void *__concord_standard_input(void);
void __concord_scan_begins(void *);
int __concord_scan_ends(void *, int);
";

/// The description of a call.
pub fn describe(call: &Call) -> String {
    let first = match call.family {
        Family::Scanf => "const char *format",
        Family::Fscanf => "void *stream, const char *format",
        _ => "const char *text, const char *format",
    };
    let mut text =
        format!("{DECLARATIONS}static int {}({first}{})\n{{\n", call.name, parameters(&call.passed));
    match call.family {
        Family::Scanf => {
            text.push_str(
                "    void *stream = __concord_standard_input();\n    __concord_scan_begins(stream);\n",
            );
        }
        Family::Fscanf => text.push_str("    __concord_scan_begins(stream);\n"),
        _ => text.push_str("    void *stream = 0;\n    size_t length = __concord_text(text, -1);\n"),
    }
    let mut this = Description {
        call,
        text,
        next_argument: 0,
        assigned: 0,
        converted: 0,
        pending: Pending::default(),
        read: Some(0),
    };
    let is_whole = scan_pieces(&call.format).iter().all(|piece| this.piece(piece));
    if is_whole {
        if this.pending.any {
            this.stop("1", this.pending.character);
        }
        let _ = writeln!(this.text, "    return {};", this.assigned);
    }
    this.text.push_str("}\n");
    this.text
}

struct Description<'c> {
    call: &'c Call,
    text: String,
    next_argument: usize,
    /// Values stored so far.
    assigned: usize,
    /// Conversions so far, dropped ones too.
    converted: usize,
    /// What was read since the last conversion.
    pending: Pending,
    /// How many characters were read, where the format alone says it.
    read: Option<u64>,
}

/// What a format reads between two conversions.
#[derive(Clone, Copy, Debug, Default)]
struct Pending {
    any: bool,
    /// A character that may not be there; white space may always be there or not.
    character: bool,
    /// Is white space the last?
    space_last: bool,
}

impl Description<'_> {
    /// Describes a piece. Says whether anything comes after it.
    fn piece(&mut self, piece: &ScanPiece) -> bool {
        match piece {
            ScanPiece::Space => {
                self.pending = Pending { any: true, space_last: true, ..self.pending };
                self.read = None;
                true
            }
            ScanPiece::Character { skips_space, .. } => {
                self.pending = Pending { any: true, character: true, space_last: false };
                self.read = self.read.filter(|_| !skips_space).map(|read| read + 1);
                true
            }
            ScanPiece::Broken => {
                self.text.push_str(&broken("the format has a directive that is none"));
                false
            }
            ScanPiece::Directive(directive) => self.directive(directive),
        }
    }

    /// The call may end here: the input is at its end, or it does not match if that is possible. `looks_ahead`: may the
    /// end be seen without stopping?
    fn stop(&mut self, looks_ahead: &str, may_differ: bool) {
        let at_end = if self.converted == 0 { "-1".to_owned() } else { self.assigned.to_string() };
        let no_match = if may_differ { "" } else { "__VERIFIER_assume(0); " };
        let _ = write!(
            self.text,
            "    switch (__concord_scan_ends(stream, {looks_ahead})) {{\n    case 1: {no_match}return {};\n    case 2: return {at_end};\n    }}\n",
            self.assigned
        );
        self.pending = Pending::default();
    }

    fn directive(&mut self, directive: &ScanDirective) -> bool {
        let is_count = directive.conversion == b'n';
        if !is_count && self.converted == 0 && self.call.family == Family::Sscanf {
            self.text.push_str("    if (!length) return -1;\n");
        }
        let after_space = self.pending.space_last;
        if !is_count || self.pending.character {
            let is_character = directive.conversion == b'c';
            let may_differ = self.pending.character || !(is_character || is_count);
            self.stop(if is_character { "0" } else { "1" }, may_differ);
        }
        if directive.length == Length::Long && matches!(directive.conversion, b'c' | b's' | b'[')
            || matches!(directive.conversion, b'C' | b'S')
        {
            return self.unknown("wide characters in a format");
        }
        let read = self.read;
        if !is_count {
            self.read = None;
        }
        if directive.is_dropped {
            self.converted += usize::from(!is_count);
            return true;
        }
        let number = self.next_argument;
        self.next_argument += 1;
        match self.call.passed.get(number) {
            None => {
                self.text.push_str(&broken("the format asks for more arguments than were passed"));
                return false;
            }
            Some(passed) if !passed.fits(Wanted::Pointer, self.call.word) => {
                let what = format!("`%{}` takes a pointer", directive.conversion as char);
                self.text.push_str(&broken(&what));
                return false;
            }
            Some(Passed::Literal(_) | _) => {}
        }
        if directive.allocates {
            return self.unknown("a format that asks for memory (`%ms`)");
        }
        let before = Before { after_space, read };
        if !self.store(directive, &format!("a{number}"), before) {
            return false;
        }
        if !is_count {
            self.assigned += 1;
            self.converted += 1;
        }
        true
    }

    fn store(&mut self, directive: &ScanDirective, at: &str, before: Before) -> bool {
        match directive.conversion {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'n' => {
                let (ty, source) = match directive.length.integer_bytes(self.call.word) {
                    1 => ("char", "char"),
                    2 => ("short", "short"),
                    4 => ("int", "int"),
                    _ => ("long long", "longlong"),
                };
                let _ = match (directive.conversion, before.read) {
                    (b'n', Some(read)) => writeln!(self.text, "    *({ty} *){at} = {read};"),
                    // It depends on what was typed.
                    (b'n', None) => writeln!(
                        self.text,
                        "    {{ int n = __concord_some_int(1);\n    __VERIFIER_assume(n >= 0);\n    *({ty} *){at} = ({ty})n; }}"
                    ),
                    _ => {
                        let _ = writeln!(self.text, "    *({ty} *){at} = __VERIFIER_nondet_{source}();");
                        match within_width(directive) {
                            Some(range) => writeln!(
                                self.text,
                                "    {{ long long v = *({ty} *){at};\n    __VERIFIER_assume({range}); }}"
                            ),
                            None => Ok(()),
                        }
                    }
                };
            }
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                let ty = match directive.length {
                    Length::Long => "double",
                    Length::LongDouble | Length::LongLong => {
                        return self.unknown("a `long double` read by a format");
                    }
                    _ => "float",
                };
                let _ = writeln!(self.text, "    *({ty} *){at} = __VERIFIER_nondet_{ty}();");
            }
            b'c' => {
                let count = directive.width.unwrap_or(1);
                let _ = writeln!(
                    self.text,
                    "    for (size_t i = 0; i < {count}; i++) ((char *){at})[i] = __VERIFIER_nondet_char();"
                );
                if before.after_space {
                    let _ = writeln!(
                        self.text,
                        "    {{ char c = *(char *){at};\n    __VERIFIER_assume(c != ' ' && (c < 9 || c > 13)); }}"
                    );
                }
            }
            b's' | b'[' => return self.string(directive, at),
            _ => return self.unknown("an address read by a format (`%p`)"),
        }
        true
    }

    /// `%s` and `%[`: at least one character, at most as many as the width says, and a zero.
    fn string(&mut self, directive: &ScanDirective, at: &str) -> bool {
        let most = match (directive.width, self.call.family) {
            (Some(width), Family::Sscanf) => format!("({width} < length ? {width} : length)"),
            (Some(width), _) => width.to_string(),
            (None, Family::Sscanf) => "length".to_owned(),
            (None, _) => {
                let what = format!("`%{}` without a width reads past the end of any array", shown(directive));
                self.text.push_str(&broken(&what));
                return false;
            }
        };
        let member = match &directive.set {
            Some(set) => members(set),
            None => "c != ' ' && (c < 9 || c > 13)".to_owned(),
        };
        let no_zero = if self.call.family == Family::Sscanf { " && c != 0" } else { "" };
        let _ = write!(
            self.text,
            "    {{ size_t k = 0;\n    do {{\n        unsigned char c = (unsigned char)__VERIFIER_nondet_char();\n        \
             __VERIFIER_assume(({member}){no_zero});\n        ((char *){at})[k++] = (char)c;\n    \
             }} while (k < {most} && __VERIFIER_nondet_int());\n    ((char *){at})[k] = 0; }}\n"
        );
        true
    }

    fn unknown(&mut self, what: &str) -> bool {
        let _ = write!(self.text, "    __concord_unknown({});\n    return -1;\n", quoted(what.as_bytes()));
        false
    }
}

/// What a format read before a conversion.
#[derive(Clone, Copy, Debug)]
struct Before {
    after_space: bool,
    read: Option<u64>,
}

/// The numbers `v` that so many characters can be, if they are fewer than the type has.
fn within_width(directive: &ScanDirective) -> Option<String> {
    let width = u32::try_from(directive.width?).ok()?;
    let (base, most) = match directive.conversion {
        b'd' | b'i' | b'u' => (10_i64, 4),
        b'o' => (8, 5),
        _ => (16, 3),
    };
    // Wider ones may be cut to the type, or be written with a prefix.
    let (width, bytes) = (width, directive.length.integer_bytes(8));
    if width == 0 || bytes < 2 || width > most {
        return None;
    }
    let (largest, smallest) = (base.pow(width) - 1, base.pow(width - 1) - 1);
    Some(format!("v >= -{smallest} && v <= {largest}"))
}

fn shown(directive: &ScanDirective) -> String {
    if directive.conversion == b'[' { "[…]".into() } else { (directive.conversion as char).to_string() }
}

/// The condition that `c` is in the set, as ranges.
fn members(set: &[bool; 256]) -> String {
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < 256 {
        if !set[at] {
            at += 1;
            continue;
        }
        let start = at;
        while at < 256 && set[at] {
            at += 1;
        }
        ranges.push(format!("(c >= {start} && c <= {})", at - 1));
    }
    if ranges.is_empty() { "0".to_owned() } else { ranges.join(" || ") }
}
