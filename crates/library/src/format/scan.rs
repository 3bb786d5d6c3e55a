//! What a call of `scanf` or one of its relatives does, when the format is known.
//!
//! Each conversion reads a value of its type from outside and stores it, or stops: the input does not match, or it is at its end. For `sscanf` the
//! text must be a string; what it holds is not followed, so its conversions may give any value too.

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
    let mut this = Description { call, text, next_argument: 0, assigned: 0, converted: 0, is_pending: false };
    let is_whole = scan_pieces(&call.format).iter().all(|piece| this.piece(piece));
    if is_whole {
        if this.is_pending {
            this.stop("1");
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
    /// Was something since the last conversion read that may not be there?
    is_pending: bool,
}

impl Description<'_> {
    /// Describes a piece. Says whether anything comes after it.
    fn piece(&mut self, piece: &ScanPiece) -> bool {
        match piece {
            ScanPiece::Space | ScanPiece::Character { .. } => {
                self.is_pending = true;
                true
            }
            ScanPiece::Broken => {
                self.text.push_str(&broken("the format has a directive that is none"));
                false
            }
            ScanPiece::Directive(directive) => self.directive(directive),
        }
    }

    /// The call may end here: the input does not match, or it is at its end. `looks_ahead`: may the end be seen without stopping?
    fn stop(&mut self, looks_ahead: &str) {
        let at_end = if self.converted == 0 { "-1".to_owned() } else { self.assigned.to_string() };
        let _ = write!(
            self.text,
            "    switch (__concord_scan_ends(stream, {looks_ahead})) {{\n    case 1: return {};\n    case 2: return {at_end};\n    }}\n",
            self.assigned
        );
        self.is_pending = false;
    }

    fn directive(&mut self, directive: &ScanDirective) -> bool {
        let is_count = directive.conversion == b'n';
        if !is_count && self.converted == 0 && self.call.family == Family::Sscanf {
            self.text.push_str("    if (!length) return -1;\n");
        }
        if !is_count || self.is_pending {
            let looks_ahead = if directive.conversion == b'c' { "0" } else { "1" };
            self.stop(looks_ahead);
        }
        if directive.length == Length::Long && matches!(directive.conversion, b'c' | b's' | b'[')
            || matches!(directive.conversion, b'C' | b'S')
        {
            return self.unknown("wide characters in a format");
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
        if !self.store(directive, &format!("a{number}")) {
            return false;
        }
        if !is_count {
            self.assigned += 1;
            self.converted += 1;
        }
        true
    }

    fn store(&mut self, directive: &ScanDirective, at: &str) -> bool {
        match directive.conversion {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'n' => {
                let (ty, source) = match directive.length.integer_bytes(self.call.word) {
                    1 => ("char", "char"),
                    2 => ("short", "short"),
                    4 => ("int", "int"),
                    _ => ("long long", "longlong"),
                };
                if directive.conversion == b'n' {
                    let _ = write!(
                        self.text,
                        "    {{ int n = __VERIFIER_nondet_int();\n    __VERIFIER_assume(n >= 0);\n    *({ty} *){at} = ({ty})n; }}\n"
                    );
                } else {
                    let _ = writeln!(self.text, "    *({ty} *){at} = __VERIFIER_nondet_{source}();");
                }
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
