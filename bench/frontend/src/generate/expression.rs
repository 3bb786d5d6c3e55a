//! Integer expressions that are always defined: every operand carries the interval its values lie in, an operation is
//! written plainly when the interval shows that it cannot go wrong, and guarded otherwise.

use super::Generator;
use super::integer::{ALL, Int, Range};
use super::scope::{Purpose, Reads, Shape};
use super::value::{Binding, Value};

/// Arithmetic that can overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arithmetic {
    Add,
    Subtract,
    Multiply,
}

impl Arithmetic {
    fn sign(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Subtract => "-",
            Arithmetic::Multiply => "*",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Arithmetic::Add => "add",
            Arithmetic::Subtract => "subtract",
            Arithmetic::Multiply => "multiply",
        }
    }

    fn binding(self) -> Binding {
        if self == Arithmetic::Multiply { Binding::Multiplicative } else { Binding::Additive }
    }

    fn apply(self, left: Range, right: Range) -> Range {
        match self {
            Arithmetic::Add => Range::new(left.low + right.low, left.high + right.high),
            Arithmetic::Subtract => Range::new(left.low - right.high, left.high - right.low),
            Arithmetic::Multiply => {
                let corners = [
                    left.low.saturating_mul(right.low),
                    left.low.saturating_mul(right.high),
                    left.high.saturating_mul(right.low),
                    left.high.saturating_mul(right.high),
                ];
                let low = corners.into_iter().fold(i128::MAX, i128::min);
                Range::new(low, corners.into_iter().fold(i128::MIN, i128::max))
            }
        }
    }
}

impl Generator {
    /// A random integer expression without side effects, at most `depth` operators deep.
    pub(super) fn integer(&mut self, depth: usize, reads: Reads) -> Value {
        if depth == 0 || self.random.chance(12) {
            return self.integer_leaf(reads);
        }
        match self.random.below(23) {
            0..=6 => self.arithmetic(depth, reads),
            7 | 8 => self.division(depth, reads),
            9 | 10 => self.shift(depth, reads),
            11..=13 => self.bitwise(depth, reads),
            14 | 15 => self.comparison(depth, reads),
            16 => self.logical(depth, reads),
            17 | 18 => self.choice(depth, reads),
            19 => self.unary(depth, reads),
            20 => self.cast(depth, reads),
            21 => self.integer_from_real(depth, reads),
            _ => self.unusual(depth, reads),
        }
    }

    fn integer_leaf(&mut self, reads: Reads) -> Value {
        if self.random.chance(70)
            && let Some(place) = self.place(Purpose::Read(reads), |shape| matches!(shape, Shape::Int(_)))
        {
            let value = place.value();
            // A bit-field wider than `int` keeps its own width in gcc; a cast makes its type an ordinary one.
            let wide = place.is_bit_field && value.ty.width(self.model) > 32;
            return if wide { self.cast_to(value.clone(), value.ty) } else { value };
        }
        self.constant()
    }

    /// A random integer constant.
    pub(super) fn constant(&mut self) -> Value {
        if !self.constants.is_empty() && self.random.chance(15) {
            let (name, value) = self.random.pick(&self.constants).clone();
            return Value::new(name, Binding::Postfix, Int::Plain, Range::new(value, value));
        }
        if self.random.chance(8) {
            let character =
                self.random.pick(&["'a'", "'Z'", "'0'", "'\\n'", "'\\0'", "'\\x7f'", "'\\377'", "'\\''"]);
            let value = match *character {
                "'a'" => 97,
                "'Z'" => 90,
                "'0'" => 48,
                "'\\n'" => 10,
                "'\\0'" => 0,
                "'\\x7f'" => 127,
                "'\\377'" => -1,
                _ => 39,
            };
            return Value::new(*character, Binding::Postfix, Int::Plain, Range::new(value, value));
        }
        let ty = *self.random.pick(&[
            Int::Plain,
            Int::Plain,
            Int::Plain,
            Int::Unsigned,
            Int::Long,
            Int::UnsignedLong,
            Int::LongLong,
            Int::UnsignedLongLong,
        ]);
        let number = match self.random.below(6) {
            0..=2 => self.random.within(0..=20) as i128,
            3 => self.random.within(0..=1000) as i128,
            4 => ty.range(self.model).high - self.random.within(0..=2) as i128,
            _ => i128::from(self.random.bits()) & ty.range(self.model).high,
        };
        let suffix = match ty {
            Int::Plain => "",
            Int::Unsigned => *self.random.pick(&["u", "U"]),
            Int::Long => *self.random.pick(&["L", "l"]),
            Int::UnsignedLong => *self.random.pick(&["UL", "lu"]),
            Int::LongLong => *self.random.pick(&["LL", "ll"]),
            _ => *self.random.pick(&["ULL", "llu", "uLL"]),
        };
        // Hexadecimal and octal constants without `u` may take the unsigned type, but only past the signed range.
        let text = match self.random.below(5) {
            0 => format!("0x{number:x}{suffix}"),
            1 if number > 0 => format!("0{number:o}{suffix}"),
            2 if number < 256 => format!("0b{number:b}{suffix}"),
            _ => format!("{number}{suffix}"),
        };
        Value::new(text, Binding::Postfix, ty, Range::new(number, number))
    }

    /// `value` converted by a cast.
    pub(super) fn cast_to(&mut self, value: Value, ty: Int) -> Value {
        let choice = self.random.below(6);
        let name = match self.typedefs.iter().find(|(_, known)| *known == ty) {
            Some((name, _)) if choice < 2 => name.clone(),
            _ => ty.spelling(choice).to_string(),
        };
        let range = ty.convert(value.range, self.model);
        Value::new(format!("({name}){}", value.at(Binding::Prefix)), Binding::Prefix, ty, range)
    }

    fn cast(&mut self, depth: usize, reads: Reads) -> Value {
        let value = self.integer(depth - 1, reads);
        let ty = *self.random.pick(&ALL);
        self.cast_to(value, ty)
    }

    fn arithmetic(&mut self, depth: usize, reads: Reads) -> Value {
        let operation = *self.random.pick(&[
            Arithmetic::Add,
            Arithmetic::Add,
            Arithmetic::Subtract,
            Arithmetic::Multiply,
        ]);
        let (left, right) = (self.integer(depth - 1, reads), self.integer(depth - 1, reads));
        self.apply(operation, left, right)
    }

    /// `left` and `right` combined, guarded if the plain operation could overflow.
    fn apply(&mut self, operation: Arithmetic, left: Value, right: Value) -> Value {
        let ty = left.ty.common(right.ty, self.model);
        let all = ty.range(self.model);
        let (converted_left, converted_right) =
            (ty.convert(left.range, self.model), ty.convert(right.range, self.model));
        let exact = operation.apply(converted_left, converted_right);
        if exact.fits(all) || !ty.is_signed() {
            let range = if exact.fits(all) { exact } else { all };
            return self.plain(operation, &left, &right, ty, range);
        }
        match self.random.below(4) {
            // In the unsigned type, and back: gcc defines the conversion as wrapping.
            0 => {
                let unsigned = ty.unsigned();
                let (left, right) = (self.cast_to(left, unsigned), self.cast_to(right, unsigned));
                let wrapped = self.plain(operation, &left, &right, unsigned, unsigned.range(self.model));
                self.cast_to(wrapped, ty)
            }
            1 => {
                self.wanted_helpers.insert((operation.name(), ty));
                let text = format!(
                    "safe_{}_{}({}, {})",
                    operation.name(),
                    helper_suffix(ty),
                    left.at(Binding::Assignment),
                    right.at(Binding::Assignment)
                );
                Value::new(text, Binding::Postfix, ty, all)
            }
            2 => {
                let (left, right) = (self.masked(left, 1023), self.masked(right, 1023));
                self.apply(operation, left, right)
            }
            _ => {
                let (left, right) = (self.reduced(left), self.reduced(right));
                self.apply(operation, left, right)
            }
        }
    }

    fn plain(&mut self, operation: Arithmetic, left: &Value, right: &Value, ty: Int, range: Range) -> Value {
        let binding = operation.binding();
        let text = format!("{} {} {}", left.at(binding), operation.sign(), right.at(binding.tighter()));
        Value::new(text, binding, ty, range)
    }

    /// `value & mask`, which lies between 0 and the mask.
    pub(super) fn masked(&mut self, value: Value, mask: i128) -> Value {
        let text = format!("{} & {mask}", value.at(Binding::BitAnd));
        Value::new(text, Binding::BitAnd, value.ty.promoted(), Range::new(0, mask))
    }

    fn reduced(&mut self, value: Value) -> Value {
        let divisor = *self.random.pick(&[7i128, 100, 257, 1000]);
        let ty = value.ty.promoted();
        let low = if value.range.low < 0 { 1 - divisor } else { 0 };
        let text = format!("{} % {divisor}", value.at(Binding::Multiplicative));
        Value::new(text, Binding::Multiplicative, ty, Range::new(low, divisor - 1))
    }

    fn division(&mut self, depth: usize, reads: Reads) -> Value {
        let left = self.integer(depth - 1, reads);
        let right = match self.random.below(3) {
            0 => {
                let value = self.constant();
                if value.range.has_zero() { self.small_positive(reads) } else { value }
            }
            1 => {
                let value = self.integer(depth - 1, reads);
                match value.range.has_zero() {
                    true => self.small_positive(reads),
                    false => value,
                }
            }
            _ => self.small_positive(reads),
        };
        let ty = left.ty.common(right.ty, self.model);
        let (dividend, divisor) = (ty.convert(left.range, self.model), ty.convert(right.range, self.model));
        let overflows = ty.is_signed()
            && dividend.low == ty.range(self.model).low
            && divisor.low <= -1
            && divisor.high >= -1;
        if divisor.has_zero() || overflows {
            return left;
        }
        let is_quotient = self.random.chance(50);
        let sign = if is_quotient { "/" } else { "%" };
        let largest = dividend.low.abs().max(dividend.high.abs());
        let bound =
            if is_quotient { largest } else { largest.min(divisor.low.abs().max(divisor.high.abs()) - 1) };
        let low = if dividend.low < 0 || (is_quotient && divisor.low < 0) { -bound } else { 0 };
        let text = format!(
            "{} {sign} {}",
            left.at(Binding::Multiplicative),
            right.at(Binding::Multiplicative.tighter())
        );
        let range = ty.convert(Range::new(low, bound), self.model);
        Value::new(text, Binding::Multiplicative, ty, range)
    }

    /// Something between 1 and a small number.
    fn small_positive(&mut self, reads: Reads) -> Value {
        if self.random.chance(40) {
            let number = self.random.within(1..=13);
            return Value::new(
                number.to_string(),
                Binding::Postfix,
                Int::Plain,
                Range::new(number.into(), number.into()),
            );
        }
        let leaf = self.integer_leaf(reads);
        let mask = *self.random.pick(&[3i128, 7, 15, 31]);
        let masked = self.masked(leaf, mask);
        let text = format!("{} + 1", masked.at(Binding::Additive));
        Value::new(text, Binding::Additive, masked.ty, Range::new(1, mask + 1))
    }

    fn shift(&mut self, depth: usize, reads: Reads) -> Value {
        let left = self.integer(depth - 1, reads);
        let ty = left.ty.promoted();
        let width = i128::from(ty.width(self.model));
        let count = match self.random.below(3) {
            0 => {
                let number = self.random.within(0..=(width as i64 - 1));
                Value::new(
                    number.to_string(),
                    Binding::Postfix,
                    Int::Plain,
                    Range::new(number.into(), number.into()),
                )
            }
            1 => {
                let leaf = self.integer_leaf(reads);
                self.masked(leaf, width - 1)
            }
            _ => {
                let leaf = self.integer_leaf(reads);
                self.masked(leaf, 7)
            }
        };
        if self.random.chance(50) {
            let text = format!("{} >> {}", left.at(Binding::Shift), count.at(Binding::Shift.tighter()));
            let low = if left.range.low < 0 { left.range.low } else { 0 };
            return Value::new(text, Binding::Shift, ty, Range::new(low, left.range.high.max(0)));
        }
        let all = ty.range(self.model);
        let highest = left.range.high.checked_shl(count.range.high as u32).unwrap_or(i128::MAX);
        let is_exact = left.range.low >= 0 && highest <= all.high && left.range.high < 1i128 << 63;
        let left = match is_exact || !ty.is_signed() {
            true => left,
            false => self.cast_to(left, ty.unsigned()),
        };
        let ty = left.ty.promoted();
        let range = if is_exact { Range::new(0, highest) } else { ty.range(self.model) };
        let text = format!("{} << {}", left.at(Binding::Shift), count.at(Binding::Shift.tighter()));
        Value::new(text, Binding::Shift, ty, range)
    }

    fn bitwise(&mut self, depth: usize, reads: Reads) -> Value {
        let (left, right) = (self.integer(depth - 1, reads), self.integer(depth - 1, reads));
        let ty = left.ty.common(right.ty, self.model);
        let (first, second) = (ty.convert(left.range, self.model), ty.convert(right.range, self.model));
        let (sign, binding) =
            *self.random.pick(&[("&", Binding::BitAnd), ("|", Binding::BitOr), ("^", Binding::BitXor)]);
        let all = ty.range(self.model);
        let range = match (sign, first.low >= 0, second.low >= 0) {
            ("&", true, true) => Range::new(0, first.high.min(second.high)),
            ("&", true, false) => Range::new(0, first.high),
            ("&", false, true) => Range::new(0, second.high),
            (_, true, true) => {
                let top = first.high.max(second.high) as u128;
                Range::new(0, ((top + 1).next_power_of_two() - 1) as i128)
            }
            _ => all,
        };
        let text = format!("{} {sign} {}", left.at(binding), right.at(binding.tighter()));
        Value::new(text, binding, ty, range)
    }

    fn comparison(&mut self, depth: usize, reads: Reads) -> Value {
        let (left, right) = (self.integer(depth - 1, reads), self.integer(depth - 1, reads));
        let sign = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let binding = if sign.len() == 2 && sign != "<=" && sign != ">=" {
            Binding::Equality
        } else {
            Binding::Relational
        };
        let text = format!("{} {sign} {}", left.at(binding), right.at(binding.tighter()));
        Value::new(text, binding, Int::Plain, Range::new(0, 1))
    }

    fn logical(&mut self, depth: usize, reads: Reads) -> Value {
        let left = self.integer(depth - 1, reads);
        let right = self.with_effect(depth - 1, reads);
        let (sign, binding) = *self.random.pick(&[("&&", Binding::LogicalAnd), ("||", Binding::LogicalOr)]);
        let text = format!("{} {sign} {}", left.at(binding), right.at(binding.tighter()));
        Value::new(text, binding, Int::Plain, Range::new(0, 1))
    }

    fn choice(&mut self, depth: usize, reads: Reads) -> Value {
        let condition = self.integer(depth - 1, reads);
        let (then, otherwise) = (self.with_effect(depth - 1, reads), self.with_effect(depth - 1, reads));
        let ty = then.ty.common(otherwise.ty, self.model);
        let range = ty.convert(then.range, self.model).join(ty.convert(otherwise.range, self.model));
        let text = format!(
            "{} ? {} : {}",
            condition.at(Binding::LogicalOr),
            then.at(Binding::Comma),
            otherwise.at(Binding::Conditional)
        );
        Value::new(text, Binding::Conditional, ty, range)
    }

    /// A value after a comma, behind a change of a variable that the same expression touches nowhere else.
    fn with_effect(&mut self, depth: usize, reads: Reads) -> Value {
        let value = self.integer(depth, reads);
        if self.free_effects == 0 || !self.random.chance(30) {
            return value;
        }
        self.free_effects -= 1;
        let variable = format!("fx{}", self.free_effects);
        let change = match self.random.below(5) {
            0 => format!("{variable}++"),
            1 => format!("--{variable}"),
            2 => format!("{variable} += (unsigned){}", self.integer(0, reads).at(Binding::Prefix)),
            3 => format!("{variable} = {variable} * 5 + 1"),
            _ => format!("{variable} ^= {}", self.integer(0, reads).at(Binding::Assignment)),
        };
        // A comma expression has the type of its last operand, and a bit-field or `char` stays unpromoted in it.
        let text = format!("{change}, {}", value.at(Binding::Assignment));
        Value::new(text, Binding::Comma, value.ty, value.range)
    }

    fn unary(&mut self, depth: usize, reads: Reads) -> Value {
        let value = self.integer(depth - 1, reads);
        let ty = value.ty.promoted();
        let all = ty.range(self.model);
        match self.random.below(4) {
            0 => {
                let text = format!("!{}", value.at(Binding::Prefix));
                Value::new(text, Binding::Prefix, Int::Plain, Range::new(0, 1))
            }
            1 => {
                let text = format!("~{}", value.at(Binding::Prefix));
                let range = if ty.is_signed() {
                    Range::new(-1 - value.range.high, -1 - value.range.low)
                } else {
                    all
                };
                Value::new(text, Binding::Prefix, ty, range)
            }
            2 => {
                let text = format!("+{}", spaced(&value.at(Binding::Prefix), '+'));
                Value::new(text, Binding::Prefix, ty, value.range)
            }
            _ => {
                let exact = Range::new(-value.range.high, -value.range.low);
                if !exact.fits(all) && ty.is_signed() {
                    return value;
                }
                let text = format!("-{}", spaced(&value.at(Binding::Prefix), '-'));
                Value::new(text, Binding::Prefix, ty, if exact.fits(all) { exact } else { all })
            }
        }
    }

    fn unusual(&mut self, depth: usize, reads: Reads) -> Value {
        let size = if self.model == super::Model::Lp64 { Int::UnsignedLong } else { Int::Unsigned };
        match self.random.below(5) {
            0 => {
                let ty = *self.random.pick(&ALL);
                let bytes = i128::from(ty.width(self.model).max(8) / 8);
                let text = format!("sizeof({})", ty.spelling(0));
                Value::new(text, Binding::Postfix, size, Range::new(bytes, bytes))
            }
            1 => {
                // The operand is not evaluated; the type is that of the expression.
                let value = self.integer(depth - 1, reads);
                let bytes = i128::from(value.ty.promoted().width(self.model) / 8);
                let text = format!("sizeof(0 + ({}))", value.text.text);
                Value::new(text, Binding::Postfix, size, Range::new(bytes, bytes))
            }
            2 => {
                let literal = *self.random.pick(&["concord", "a\\tb\\x41", "\\0\\1\\2\\3"]);
                let index = self.integer(depth - 1, reads);
                let index = self.masked(index, 3);
                Value::new(
                    format!("\"{literal}\"[{}]", index.text.text),
                    Binding::Postfix,
                    Int::Char,
                    Range::new(0, 127),
                )
            }
            3 => {
                let value = self.integer(depth - 1, reads);
                let (name, ty) = *self.random.pick(&[
                    ("__builtin_popcount", Int::Unsigned),
                    ("__builtin_popcountll", Int::UnsignedLongLong),
                    ("__builtin_parity", Int::Unsigned),
                ]);
                let text = format!("{name}({})", value.at(Binding::Assignment));
                Value::new(
                    text,
                    Binding::Postfix,
                    Int::Plain,
                    Range::new(0, i128::from(ty.width(self.model))),
                )
            }
            _ => {
                let value = self.integer(depth - 1, reads);
                let text =
                    format!("({{ __typeof__({0}) once = {0}; once; }})", value.at(Binding::Assignment));
                // The text stands twice, so nothing with effects may be in it; and a bit-field has no `typeof`.
                let is_member =
                    value.text.binding == Binding::Postfix && value.text.text.contains(['.', '>']);
                if text.contains("fx") || is_member || text.matches("({").count() > 1 {
                    return value;
                }
                Value::new(text, Binding::Postfix, value.ty, value.range)
            }
        }
    }
}

/// Keeps `- -x` from becoming `--x`.
fn spaced(text: &str, sign: char) -> String {
    if text.starts_with(sign) { format!(" {text}") } else { text.to_string() }
}

/// The part of a helper function's name that tells its type.
pub(super) fn helper_suffix(ty: Int) -> &'static str {
    match ty {
        Int::Plain => "int",
        Int::Long => "long",
        _ => "llong",
    }
}
