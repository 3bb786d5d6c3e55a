//! `scanf` and its relatives, from `stdin` or a string.

use super::format::run::integer_size;
use super::{Arguments, Native};
use crate::machine::access::Access;
use crate::machine::{Machine, Step};
use crate::memory::Pointer;
use crate::number::parse_float;
use crate::outcome::UndefinedKind;
use library::format::{Length, ScanDirective as Directive, ScanPiece, is_space, scan_pieces};
use program::{FloatKind, Known};

/// Where characters come from.
enum Reader {
    Standard,
    Text(Vec<u8>, usize),
}

impl Reader {
    fn peek(&mut self, machine: &mut Machine<'_, '_>) -> Option<u8> {
        match self {
            Reader::Standard => machine.input.peek(machine.world.host),
            Reader::Text(text, at) => text.get(*at).copied(),
        }
    }

    fn take(&mut self, machine: &mut Machine<'_, '_>) -> Option<u8> {
        let byte = self.peek(machine)?;
        match self {
            Reader::Standard => {
                machine.input.take(machine.world.host);
            }
            Reader::Text(_, at) => *at += 1,
        }
        Some(byte)
    }
}

/// Why scanning stopped.
enum Stop {
    /// The input does not match.
    Mismatch,
    /// The input is at its end.
    Ended,
}

pub fn call(machine: &mut Machine<'_, '_>, known: Known, arguments: &Arguments) -> Step<Native> {
    let (reader, format) = match known {
        Known::Scanf => (Reader::Standard, 0),
        Known::Fscanf => {
            let stream = arguments.pointer(machine, 0)?;
            machine.input_stream(stream)?;
            (Reader::Standard, 1)
        }
        _ => {
            let text = arguments.pointer(machine, 0)?;
            (Reader::Text(machine.read_string(text, None)?, 0), 1)
        }
    };
    let text = arguments.pointer(machine, format)?;
    let text = machine.read_string(text, None)?;
    let mut scan = Scan { reader, read: 0, next_argument: format + 1, assigned: 0, converted: 0 };
    let stopped = scan.run(machine, &text, arguments)?;
    let result = match stopped {
        Some(Stop::Ended) if scan.converted == 0 => -1,
        _ => scan.assigned,
    };
    Ok(Native::int(result))
}

struct Scan {
    reader: Reader,
    /// Characters taken so far.
    read: u64,
    next_argument: usize,
    assigned: i64,
    /// Conversions done, dropped ones too.
    converted: i64,
}

impl Scan {
    fn peek(&mut self, machine: &mut Machine<'_, '_>) -> Option<u8> {
        self.reader.peek(machine)
    }

    fn take(&mut self, machine: &mut Machine<'_, '_>) -> Option<u8> {
        let byte = self.reader.take(machine)?;
        self.read += 1;
        Some(byte)
    }

    fn skip_space(&mut self, machine: &mut Machine<'_, '_>) {
        while self.peek(machine).is_some_and(is_space) {
            self.take(machine);
        }
    }

    fn run(
        &mut self,
        machine: &mut Machine<'_, '_>,
        format: &[u8],
        arguments: &Arguments,
    ) -> Step<Option<Stop>> {
        for piece in scan_pieces(format) {
            match piece {
                ScanPiece::Space => self.skip_space(machine),
                ScanPiece::Broken => {
                    let message = "a format for input has a directive that is none".to_owned();
                    return Err(machine.undefined_always(UndefinedKind::FormatArguments, message, None));
                }
                ScanPiece::Directive(directive) => {
                    if let Some(stop) = self.convert(machine, &directive, arguments)? {
                        return Ok(Some(stop));
                    }
                }
                ScanPiece::Character { byte, skips_space } => {
                    if skips_space {
                        self.skip_space(machine);
                    }
                    match self.peek(machine) {
                        Some(found) if found == byte => {
                            self.take(machine);
                        }
                        Some(_) => return Ok(Some(Stop::Mismatch)),
                        None => return Ok(Some(Stop::Ended)),
                    }
                }
            }
        }
        Ok(None)
    }

    fn convert(
        &mut self,
        machine: &mut Machine<'_, '_>,
        directive: &Directive,
        arguments: &Arguments,
    ) -> Step<Option<Stop>> {
        if !matches!(directive.conversion, b'c' | b'[' | b'n' | b'C') {
            self.skip_space(machine);
        }
        if directive.conversion == b'n' {
            let count = self.read;
            self.store_integer(machine, directive, arguments, count as i128)?;
            return Ok(None);
        }
        if self.peek(machine).is_none() {
            return Ok(Some(Stop::Ended));
        }
        let width = directive.width.unwrap_or(usize::MAX);
        match directive.conversion {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'p' => {
                let Some(value) = self.integer(machine, directive.conversion, width) else {
                    return Ok(Some(Stop::Mismatch));
                };
                if directive.conversion == b'p' {
                    if let Some(target) = self.target(machine, directive, arguments)? {
                        let at = machine.locate(target, machine.memory.word(), Access::Write)?;
                        let address = machine.cut_address(value as u64);
                        machine.memory.store_pointer(at, Pointer::of_address(address));
                        self.assigned += 1;
                    }
                } else if !directive.is_dropped {
                    self.store_integer(machine, directive, arguments, value)?;
                    self.assigned += 1;
                }
            }
            b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A' => {
                let text = self.float_text(machine, width);
                let kind = match directive.length {
                    Length::Long => FloatKind::Double,
                    Length::LongDouble | Length::LongLong => FloatKind::LongDouble,
                    _ => FloatKind::Float,
                };
                let Some(bits) = parse_float(&text, kind) else { return Ok(Some(Stop::Mismatch)) };
                if let Some(target) = self.target(machine, directive, arguments)? {
                    let size = match kind {
                        FloatKind::Float => 4,
                        FloatKind::Double => 8,
                        _ => 10,
                    };
                    machine.write_bytes(target, &bits.to_le_bytes()[..size])?;
                    self.assigned += 1;
                }
            }
            b's' | b'[' | b'c' => {
                if directive.length == Length::Long {
                    return Err(machine.unsupported("wide characters are read with `scanf`"));
                }
                if directive.allocates {
                    return Err(machine.unsupported("`scanf` is asked for memory"));
                }
                let text = self.text(machine, directive);
                let is_short = directive.conversion == b'c' && text.len() < directive.width.unwrap_or(1);
                if text.is_empty() || is_short {
                    return Ok(Some(if is_short { Stop::Ended } else { Stop::Mismatch }));
                }
                if let Some(target) = self.target(machine, directive, arguments)? {
                    let mut stored = text;
                    if directive.conversion != b'c' {
                        stored.push(0);
                    }
                    machine.write_bytes(target, &stored)?;
                    self.assigned += 1;
                }
            }
            other => {
                return Err(
                    machine.unsupported(format!("the input directive `%{}` is not known", other as char))
                );
            }
        }
        self.converted += 1;
        Ok(None)
    }

    fn target(
        &mut self,
        machine: &mut Machine<'_, '_>,
        directive: &Directive,
        arguments: &Arguments,
    ) -> Step<Option<Pointer>> {
        if directive.is_dropped {
            return Ok(None);
        }
        let pointer = arguments.pointer(machine, self.next_argument)?;
        self.next_argument += 1;
        Ok(Some(pointer))
    }

    fn store_integer(
        &mut self,
        machine: &mut Machine<'_, '_>,
        directive: &Directive,
        arguments: &Arguments,
        value: i128,
    ) -> Step<()> {
        if let Some(target) = self.target(machine, directive, arguments)? {
            let size = integer_size(machine, directive.length);
            machine.write_bytes(target, &value.to_le_bytes()[..size])?;
        }
        Ok(())
    }

    /// A whole number as `strtol` reads it, cut to its limits.
    fn integer(&mut self, machine: &mut Machine<'_, '_>, conversion: u8, width: usize) -> Option<i128> {
        let mut left = width;
        let mut negative = false;
        if left > 0
            && let Some(sign @ (b'+' | b'-')) = self.peek(machine)
        {
            negative = sign == b'-';
            self.take(machine);
            left -= 1;
        }
        let mut base: u128 = match conversion {
            b'o' => 8,
            b'x' | b'X' | b'p' => 16,
            b'i' => 0,
            _ => 10,
        };
        let mut digits = 0;
        if left > 0 && matches!(base, 0 | 16) && self.peek(machine) == Some(b'0') {
            self.take(machine);
            left -= 1;
            digits += 1;
            if left > 0 && matches!(self.peek(machine), Some(b'x' | b'X')) {
                self.take(machine);
                left -= 1;
                base = 16;
                digits = 0;
            } else if base == 0 {
                base = 8;
            }
        }
        if base == 0 {
            base = 10;
        }
        let mut value: u128 = 0;
        while left > 0
            && let Some(digit) = self.peek(machine).and_then(|byte| (byte as char).to_digit(16))
            && u128::from(digit) < base
        {
            value = value.saturating_mul(base).saturating_add(u128::from(digit)).min(1 << 100);
            self.take(machine);
            left -= 1;
            digits += 1;
        }
        if digits == 0 {
            return None;
        }
        let is_signed = matches!(conversion, b'd' | b'i');
        let value = value as i128;
        Some(match (is_signed, negative) {
            (true, true) => (-value).max(i128::from(i64::MIN)),
            (true, false) => value.min(i128::from(i64::MAX)),
            (false, _) if value > i128::from(u64::MAX) => i128::from(u64::MAX),
            (false, true) => -value,
            (false, false) => value,
        })
    }

    /// The longest prefix that can be a floating value.
    fn float_text(&mut self, machine: &mut Machine<'_, '_>, width: usize) -> String {
        let mut text = String::new();
        let mut is_hexadecimal = false;
        let (mut has_point, mut has_exponent) = (false, false);
        while text.len() < width
            && let Some(byte) = self.peek(machine)
        {
            let last = text.chars().last().map(|last| last.to_ascii_lowercase());
            let body = text.trim_start_matches(['+', '-']);
            let lower = byte.to_ascii_lowercase();
            let is_word = !body.is_empty() && body.chars().next().is_some_and(|first| "inIN".contains(first));
            let marker = if is_hexadecimal { 'p' } else { 'e' };
            let fits = match lower {
                b'+' | b'-' => text.is_empty() || (has_exponent && last == Some(marker)),
                b'0'..=b'9' => !is_word,
                b'.' => !has_point && !has_exponent && !is_word,
                b'x' => body == "0",
                b'a'..=b'f' if is_hexadecimal && !has_exponent => true,
                b'e' | b'p' => {
                    lower as char == marker && !has_exponent && body.contains(|c: char| c.is_ascii_hexdigit())
                        || (is_word && fits_word(body, lower))
                }
                _ => (body.is_empty() || is_word) && fits_word(body, lower),
            };
            if !fits {
                break;
            }
            has_point |= lower == b'.';
            is_hexadecimal |= lower == b'x';
            has_exponent |= lower as char == marker && !is_word && matches!(lower, b'e' | b'p');
            text.push(byte as char);
            self.take(machine);
        }
        text
    }

    fn text(&mut self, machine: &mut Machine<'_, '_>, directive: &Directive) -> Vec<u8> {
        let most = directive.width.unwrap_or(if directive.conversion == b'c' { 1 } else { usize::MAX });
        let mut text = Vec::new();
        while text.len() < most
            && let Some(byte) = self.peek(machine)
        {
            let belongs = match (&directive.set, directive.conversion) {
                (Some(set), _) => set[byte as usize],
                (None, b's') => !is_space(byte),
                _ => true,
            };
            if !belongs {
                break;
            }
            text.push(byte);
            self.take(machine);
        }
        text
    }
}

/// Does the letter go on spelling `inf`, `infinity` or `nan`?
fn fits_word(body: &str, letter: u8) -> bool {
    let mut longer = body.to_ascii_lowercase();
    longer.push(letter as char);
    "infinity".starts_with(&longer) || "nan".starts_with(&longer)
}
