//! Formats of `printf` and `scanf`: what they take, what they write.
//!
//! A format that is a string literal is read; of any other nothing is known, and every pointer that is passed
//! may be written through. After C17 7.21.6.1 and 7.21.6.2.

use crate::call::Call;
use crate::checks::CheckKind;
use crate::context::Context;
use crate::domain::number::Number;
use crate::domain::operators::Certainty;
use crate::domain::value::{Scalar, Value};
use crate::library::uncast;
use crate::memory;
use crate::state::State;
use crate::strings::{LONGEST, Limit};
use program::expr::Access;
use program::{Expr, ExprKind, FloatKind, InitialData, Known, PlaceBase, VariableKind};

/// Which functions read the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `printf` and its relatives.
    Print,
    /// `scanf` and its relatives.
    Scan,
}

/// A number in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Amount {
    None,
    Number(i128),
    Argument,
}

/// One conversion of a format, from `%` to its letter.
#[derive(Clone, Copy, Debug)]
struct Directive {
    is_suppressed: bool,
    width: Amount,
    precision: Amount,
    /// `h` counts 1, `hh` 2; `l` 3, `ll` (and `q`, `j`) 4; `z`, `t` 5; `L` 6.
    length: u8,
    conversion: u8,
}

/// Parts of a format: text of so many bytes, or a conversion.
enum FormatPart {
    Text(i128),
    Directive(Directive),
}

fn parse(format: &[u8], family: Family) -> Option<Vec<FormatPart>> {
    let mut parts = Vec::new();
    let mut bytes = format.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            parts.push(FormatPart::Text(1));
            continue;
        }
        let mut directive = Directive {
            is_suppressed: false,
            width: Amount::None,
            precision: Amount::None,
            length: 0,
            conversion: 0,
        };
        while let Some(flag) = bytes.peek().copied() {
            match (flag, family) {
                (b'*', Family::Scan) => directive.is_suppressed = true,
                (b'-' | b'+' | b' ' | b'#' | b'0' | b'\'', Family::Print) => {}
                _ => break,
            }
            bytes.next();
        }
        let amount = |bytes: &mut std::iter::Peekable<std::iter::Copied<std::slice::Iter<'_, u8>>>| {
            if family == Family::Print && bytes.peek() == Some(&b'*') {
                bytes.next();
                return Amount::Argument;
            }
            let mut value = None;
            while let Some(digit) = bytes.peek().filter(|byte| byte.is_ascii_digit()) {
                let sum = value.unwrap_or(0i128) * 10 + i128::from(digit - b'0');
                value = Some(sum.min(LONGEST));
                bytes.next();
            }
            value.map_or(Amount::None, Amount::Number)
        };
        directive.width = amount(&mut bytes);
        if family == Family::Print && bytes.peek() == Some(&b'.') {
            bytes.next();
            directive.precision = match amount(&mut bytes) {
                Amount::None => Amount::Number(0),
                other => other,
            };
        }
        directive.length = match bytes.peek()? {
            b'h' => 1,
            b'l' => 3,
            b'q' | b'j' => 4,
            b'z' | b't' => 5,
            b'L' => 6,
            _ => 0,
        };
        if directive.length > 0 {
            let first = bytes.next();
            if matches!(directive.length, 1 | 3) && bytes.peek() == first.as_ref() {
                directive.length += 1;
                bytes.next();
            }
        }
        directive.conversion = bytes.next()?;
        if directive.conversion == b'%' {
            parts.push(FormatPart::Text(1));
            continue;
        }
        if directive.conversion == b'[' {
            // The set ends at the first `]` that is not its first member.
            if bytes.peek() == Some(&b'^') {
                bytes.next();
            }
            bytes.next()?;
            loop {
                if bytes.next()? == b']' {
                    break;
                }
            }
        }
        parts.push(FormatPart::Directive(directive));
    }
    Some(parts)
}

/// The text of a string literal.
fn literal(argument: &Expr, context: &Context<'_>) -> Option<Vec<u8>> {
    let ExprKind::AddressOf(place) = &uncast(argument).kind else { return None };
    let PlaceBase::Variable(id) = place.base else { return None };
    let variable = &context.program.variables[id];
    let starts = place.path.iter().all(|step| match step {
        program::Projection::Index(index) => index.as_integer() == Some(0),
        program::Projection::Field(..) => false,
    });
    if variable.kind != VariableKind::StringLiteral || !starts {
        return None;
    }
    let InitialData::Bytes(bytes) = &variable.initial.first()?.value else { return Some(Vec::new()) };
    Some(bytes.iter().copied().take_while(|&byte| byte != 0).collect())
}

impl Directive {
    /// The bytes of an integer of this length.
    fn integer_bytes(&self, context: &Context<'_>) -> i128 {
        match self.length {
            0 => 4,
            1 => 2,
            2 => 1,
            4 | 6 => 8,
            _ => i128::from(context.program.types.pointer_width() / 8),
        }
    }

    fn float_kind(&self, family: Family) -> FloatKind {
        match (self.length, family) {
            (6, _) => FloatKind::LongDouble,
            (3, _) | (_, Family::Print) => FloatKind::Double,
            _ => FloatKind::Float,
        }
    }

    /// Does an argument of that type fit (after promotion)?
    fn takes(&self, argument: &Expr, context: &Context<'_>) -> bool {
        let types = &context.program.types;
        let scalar = Scalar::of(argument.ty, types);
        match (self.conversion, scalar) {
            (b'd' | b'i' | b'o' | b'u' | b'x' | b'X', Some(Scalar::Integer(shape))) => {
                let promoted = i128::from(shape.width.max(32) / 8);
                promoted == self.integer_bytes(context).max(4)
            }
            (b'c', Some(Scalar::Integer(shape))) => shape.width <= 32,
            (b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A', Some(Scalar::Float(kind))) => {
                let wanted = self.float_kind(Family::Print);
                kind == wanted || (kind == FloatKind::Float && wanted == FloatKind::Double)
            }
            (b's' | b'p' | b'n', Some(Scalar::Pointer)) => true,
            _ => false,
        }
    }

    /// The most characters it prints.
    fn most(&self, context: &Context<'_>, width: i128, precision: Option<i128>) -> i128 {
        let bits = self.integer_bytes(context) * 8;
        let own = match self.conversion {
            b'c' => 1,
            b'd' | b'i' | b'u' => 1 + (bits * 31).div_euclid(100) + 1,
            b'o' | b'x' | b'X' => 2 + bits.div_euclid(3) + 1,
            b'p' => 20,
            // The greatest value has so many digits before the point.
            b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => 40 + precision.unwrap_or(6),
            b'f' | b'F' if self.length == 6 => 4940 + precision.unwrap_or(6),
            b'f' | b'F' => 320 + precision.unwrap_or(6),
            b'n' => return 0,
            _ => LONGEST,
        };
        own.max(precision.map_or(0, |precision| precision + 2)).max(width)
    }
}

impl Call<'_, '_, '_> {
    /// Notes that a format does not fit.
    pub fn note_format(&mut self, certainty: Certainty, what: &str) {
        let about = format!("{}: {what}", self.site.name);
        self.evaluator().note(CheckKind::FormatArguments, certainty, |_| about);
    }

    /// A call that prints by the format at an argument: how many characters that can be. `None` if no run
    /// gets past it.
    pub fn print(&mut self, after: &mut State, format: usize) -> Option<Number> {
        let context = self.context();
        let Some(argument) = self.site.arguments.get(format) else {
            self.note_bad_argument(Certainty::Definite, "no format");
            return None;
        };
        let parsed = literal(argument, context).and_then(|text| parse(&text, Family::Print));
        let Some(parts) = parsed else {
            self.text(format, Limit::NONE)?;
            self.note_format(Certainty::Possible, "the format is not a literal that can be read");
            self.write_through(after, format + 1)?;
            return Some(Number::range(0, LONGEST));
        };
        let mut next = format + 1;
        let (mut least, mut most) = (0i128, 0i128);
        for part in parts {
            let directive = match part {
                FormatPart::Text(count) => {
                    least += count;
                    most += count;
                    continue;
                }
                FormatPart::Directive(directive) => directive,
            };
            let amount = |this: &mut Self,
                          amount: Amount,
                          next: &mut usize|
             -> Option<Option<(i128, i128)>> {
                match amount {
                    Amount::None => Some(None),
                    Amount::Number(number) => Some(Some((number, number))),
                    Amount::Argument => {
                        let value = this.taken(*next, b'd')?;
                        *next += 1;
                        let hull = match value {
                            Some(Value::Integer(number)) => number.hull().map(|hull| (hull.low, hull.high)),
                            _ => None,
                        };
                        Some(Some(hull.unwrap_or((-LONGEST, LONGEST))))
                    }
                }
            };
            let width = amount(self, directive.width, &mut next)?;
            let precision = amount(self, directive.precision, &mut next)?;
            let widest = width.map_or(0, |(low, high)| low.abs().max(high.abs()));
            if directive.conversion == b'm' {
                most += LONGEST;
                continue;
            }
            self.check_directive(next, &directive)?;
            match directive.conversion {
                b's' => {
                    let limit = match precision {
                        Some((low, high)) => Limit::unless_negative(&Number::range(low, high))?,
                        None => Limit::NONE,
                    };
                    let length = if directive.length == 0 {
                        self.text(next, limit)?
                    } else {
                        self.note_format(Certainty::Possible, "wide characters are not followed");
                        Number::range(0, LONGEST)
                    };
                    let hull = length.hull()?;
                    least += hull.low.max(width.map_or(0, |(low, _)| low.max(0)));
                    most += hull.high.max(widest);
                }
                b'n' => {
                    let size = Number::only(directive.integer_bytes(context));
                    let target = self.range(next, &size, Access::Write)?;
                    memory::kill_objects(context, after, &target);
                }
                _ => {
                    least += 1;
                    most += directive.most(context, widest, precision.map(|(_, high)| high));
                }
            }
            next += 1;
        }
        // `%.0d` of zero prints nothing; the least is only used to call an overflow definite.
        Some(Number::range(if least > most { 0 } else { least.min(most) }, most.min(LONGEST)))
    }

    /// The argument for a conversion, if it is there. `None` if no run gets past it.
    fn taken(&mut self, at: usize, conversion: u8) -> Option<Option<Value>> {
        match self.site.arguments.get(at) {
            Some(argument) => Some(self.quiet().value(argument)),
            None => {
                let what = format!("there is no argument for `%{}`", char::from(conversion));
                self.note_format(Certainty::Definite, &what);
                None
            }
        }
    }

    fn check_directive(&mut self, at: usize, directive: &Directive) -> Option<()> {
        self.taken(at, directive.conversion)?;
        let argument = &self.site.arguments[at];
        let is_known = b"diouxXcfFeEgGaAspn".contains(&directive.conversion);
        let fits = directive.takes(argument, self.context());
        let certainty = match (is_known, fits) {
            (true, true) => Certainty::Excluded,
            (true, false) => Certainty::Definite,
            (false, _) => Certainty::Possible,
        };
        let shown = self.context().program.show().expr(argument);
        let what = format!("`{shown}` for `%{}`", char::from(directive.conversion));
        self.note_format(certainty, &what);
        Some(())
    }

    /// Everything that is passed from an argument on may be written.
    fn write_through(&mut self, after: &mut State, first: usize) -> Option<()> {
        for argument in self.site.arguments.iter().skip(first) {
            if let Value::Pointer(pointers) = self.quiet().value(argument)? {
                memory::kill_objects(self.context(), after, &pointers);
            }
        }
        Some(())
    }

    /// `sprintf` and its relatives.
    pub fn print_to_memory(&mut self, after: &mut State, known: Known) -> Option<()> {
        let has_limit = matches!(known, Known::Snprintf | Known::Vsnprintf);
        let format = if has_limit { 2 } else { 1 };
        let printed = if matches!(known, Known::Sprintf | Known::Snprintf) {
            self.print(after, format)?
        } else {
            self.text(format, Limit::NONE)?;
            self.note_format(Certainty::Possible, "the arguments in the list are not followed");
            after.memory = Default::default();
            Number::range(0, LONGEST)
        };
        let hull = printed.hull()?;
        let (mut least, mut most) = (hull.low + 1, hull.high + 1);
        if has_limit {
            let limit = match self.quiet().value(self.site.arguments.get(1)?)? {
                Value::Integer(number) => number.hull()?,
                _ => return Some(()),
            };
            (least, most) = (least.min(limit.low), most.min(limit.high));
        }
        // What is printed at the least is not exact, so that a lack of room is definite only for the ending
        // zero.
        let size = Number::range(least.clamp(0, 1), most.max(0));
        let target = self.range(0, &size, Access::Write)?;
        memory::kill_objects(self.context(), after, &target);
        Some(())
    }

    /// Looks at the format of a call that reads: how many conversions count for its result. `None` inside if
    /// the format is not known; `None` if no run gets past it.
    pub fn scanned(&mut self, format: usize) -> Option<Option<usize>> {
        let context = self.context();
        let Some(argument) = self.site.arguments.get(format) else {
            self.note_bad_argument(Certainty::Definite, "no format");
            return None;
        };
        let Some(parts) = literal(argument, context).and_then(|text| parse(&text, Family::Scan)) else {
            self.text(format, Limit::NONE)?;
            self.note_format(Certainty::Possible, "the format is not a literal that can be read");
            return Some(None);
        };
        let (mut next, mut count) = (format + 1, 0);
        for part in parts {
            let FormatPart::Directive(directive) = part else { continue };
            if directive.is_suppressed {
                continue;
            }
            self.taken(next, directive.conversion)?;
            let target = uncast(&self.site.arguments[next]);
            let width = match directive.width {
                Amount::Number(number) => Some(number),
                _ => None,
            };
            let types = &context.program.types;
            let pointee = types.pointee(target.ty).map(|to| to.id);
            let scalar = pointee.and_then(|to| Scalar::of(to, types));
            let (size, fits) = match directive.conversion {
                b'd' | b'i' | b'o' | b'u' | b'x' | b'X' | b'n' => {
                    let size = directive.integer_bytes(context);
                    let fits =
                        matches!(scalar, Some(Scalar::Integer(shape)) if i128::from(shape.width) == size * 8);
                    (Number::only(size), fits)
                }
                b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                    let kind = directive.float_kind(Family::Scan);
                    let size = pointee.and_then(|to| types.size_of(to)).unwrap_or(4);
                    (
                        Number::only(i128::from(size)),
                        matches!(scalar, Some(Scalar::Float(own)) if own == kind),
                    )
                }
                b's' | b'[' | b'c' => {
                    let zero = i128::from(directive.conversion != b'c');
                    let most = match (width, directive.conversion) {
                        (None, b'c') => 1,
                        (None, _) => LONGEST,
                        (Some(width), _) => width + zero,
                    };
                    let fits = types.is_pointer(target.ty)
                        && pointee.is_none_or(|to| types.size_of(to).is_none_or(|size| size == 1));
                    (Number::range(0, most), fits && directive.length == 0)
                }
                b'p' => (
                    Number::only(i128::from(types.pointer_width() / 8)),
                    matches!(scalar, Some(Scalar::Pointer)),
                ),
                _ => (Number::only(1), false),
            };
            let certainty = if fits { Certainty::Excluded } else { Certainty::Possible };
            let shown = context.program.show().expr(target);
            let what = format!("`{shown}` for `%{}`", char::from(directive.conversion));
            self.note_format(certainty, &what);
            self.range(next, &size, Access::Write)?;
            count += usize::from(directive.conversion != b'n');
            next += 1;
        }
        Some(Some(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversions(format: &str, family: Family) -> Option<Vec<(char, u8)>> {
        let parts = parse(format.as_bytes(), family)?;
        let shown = parts.into_iter().filter_map(|part| match part {
            FormatPart::Directive(one) if !one.is_suppressed => {
                Some((char::from(one.conversion), one.length))
            }
            _ => None,
        });
        Some(shown.collect())
    }

    #[test]
    fn formats_are_read_as_c_reads_them() {
        let print = |format| conversions(format, Family::Print);
        assert_eq!(
            print("a%%b%-+5.3dx%*.*s%lln%Lf%hhu"),
            Some(vec![('d', 0), ('s', 0), ('n', 4), ('f', 6), ('u', 2)])
        );
        assert_eq!(print("%"), None);
        assert_eq!(print("%l"), None);
        let scan = |format| conversions(format, Family::Scan);
        assert_eq!(scan("%d %*s%5[]a-z]%c%[^\n]"), Some(vec![('d', 0), ('[', 0), ('c', 0), ('[', 0)]));
        assert_eq!(scan("%[abc"), None);
    }
}
