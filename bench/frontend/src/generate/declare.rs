//! Types, objects and their initialisers.

use super::Generator;
use super::integer::{ALL, Int};
use super::scope::{Field, Object, Purpose, Reads, Record, Shape};
use super::value::{Binding, Real};
use std::fmt::Write;

/// What an initialiser may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Initial {
    /// Constant expressions only: static storage.
    Constant,
    /// Anything without side effects.
    Any,
}

impl Generator {
    /// Some typedefs, enumerations and records.
    pub(super) fn declare_types(&mut self) {
        for index in 0..self.random.below(3) {
            let ty = *self.random.pick(&ALL);
            let spelling = ty.spelling(self.random.below(4));
            let text = match self.random.chance(30) {
                true => format!("{spelling} typedef alias{index};"),
                false => format!("typedef {spelling} alias{index};"),
            };
            self.typedefs.push((format!("alias{index}"), ty));
            self.line(&text);
        }
        for index in 0..1 + self.random.below(2) {
            let mut text = format!("enum colour{index} {{ ");
            let mut next = 0i128;
            for position in 0..2 + self.random.below(4) {
                let name = format!("shade{index}_{position}");
                if self.random.chance(40) {
                    next = i128::from(self.random.within(-40..=90));
                    let _ = write!(text, "{name} = {next}, ");
                } else {
                    let _ = write!(text, "{name}, ");
                }
                self.constants.push((name, next));
                next += 1;
            }
            self.line(&format!("{} }};", text.trim_end_matches([',', ' '])));
        }
        for _ in 0..1 + self.random.below(3) {
            self.declare_record();
        }
    }

    fn declare_record(&mut self) {
        let index = self.records.len();
        let mut fields = Vec::new();
        let count = 2 + self.random.below(5);
        let anonymous = match count > 3 && self.random.chance(25) {
            true => 1..3,
            false => 0..0,
        };
        for position in 0..count {
            let (shape, bits) = self.field_shape();
            let in_anonymous = anonymous.contains(&position);
            fields.push(Field { name: format!("m{position}"), shape, bits, in_anonymous });
        }
        let is_packed = self.random.chance(10);
        let is_named = self.random.chance(60);
        let attribute = if is_packed { " __attribute__((packed))" } else { "" };
        self.line(&match is_named {
            true => format!("struct{attribute} record{index}"),
            false => format!("typedef struct{attribute}"),
        });
        self.open();
        for (position, field) in fields.iter().enumerate() {
            if anonymous.start == position && !anonymous.is_empty() {
                self.line("struct");
                self.open();
            }
            let declarator = match field.bits {
                Some(bits) => format!("{} : {bits}", field.name),
                None => field.name.clone(),
            };
            let text = format!("{};", self.declaration(&field.shape, &declarator));
            self.line(&text);
            if anonymous.end == position + 1 && !anonymous.is_empty() {
                self.close(";");
            }
            if field.bits.is_some() && self.random.chance(12) {
                self.line("int : 0;");
            }
        }
        let name = if is_named { format!("struct record{index}") } else { format!("record{index}") };
        self.close(&if is_named { ";".into() } else { format!(" {name};") });
        self.records.push(Record { name, fields, is_packed });
    }

    fn field_shape(&mut self) -> (Shape, Option<u32>) {
        match self.random.below(10) {
            0..=3 => {
                let ty = *self.random.pick(&[
                    Int::Unsigned,
                    Int::Plain,
                    Int::Unsigned,
                    Int::SignedChar,
                    Int::UnsignedShort,
                    Int::Bool,
                    Int::UnsignedLongLong,
                    Int::LongLong,
                ]);
                let width = ty.width(self.model) as i64;
                let bits = if ty == Int::Bool { 1 } else { self.random.within(1..=width) };
                (Shape::Int(ty), Some(bits as u32))
            }
            4 => (Shape::Array(Box::new(Shape::Int(self.any_int())), 2 + self.random.below(4)), None),
            5 if self.uses_reals => (Shape::Real(self.any_real()), None),
            6 if !self.records.is_empty() => (Shape::Record(self.random.below(self.records.len())), None),
            _ => (Shape::Int(self.any_int()), None),
        }
    }

    pub(super) fn any_int(&mut self) -> Int {
        *self.random.pick(&ALL)
    }

    pub(super) fn any_real(&mut self) -> Real {
        *self.random.pick(&[Real::Float, Real::Double, Real::Double, Real::LongDouble])
    }

    /// A random shape for an object.
    pub(super) fn any_shape(&mut self) -> Shape {
        match self.random.below(12) {
            0..=4 => Shape::Int(self.any_int()),
            5 | 6 => {
                let length = *self.random.pick(&[2, 3, 4, 5, 8, 8, 10, 16]);
                Shape::Array(Box::new(Shape::Int(self.any_int())), length)
            }
            7 => {
                let inner = Shape::Array(Box::new(Shape::Int(self.any_int())), 2 + self.random.below(3));
                Shape::Array(Box::new(inner), 2 + self.random.below(3))
            }
            8 if self.uses_reals => Shape::Real(self.any_real()),
            9 if self.uses_reals => Shape::Array(Box::new(Shape::Real(self.any_real())), 4),
            10 => Shape::Array(
                Box::new(Shape::Record(self.random.below(self.records.len()))),
                2 + self.random.below(3),
            ),
            _ => Shape::Record(self.random.below(self.records.len())),
        }
    }

    /// `declarator` declared with the shape: `int *p`, `struct s a[3]`, …
    pub(super) fn declaration(&mut self, shape: &Shape, declarator: &str) -> String {
        match shape {
            Shape::Int(ty) => {
                let name = self.typedefs.iter().find(|(_, known)| known == ty).map(|(name, _)| name.clone());
                let choice = self.random.below(6);
                match name {
                    Some(name) if choice < 3 => format!("{name} {declarator}"),
                    _ => format!("{} {declarator}", ty.spelling(choice)),
                }
            }
            Shape::Real(ty) => format!("{} {declarator}", ty.name()),
            Shape::Record(record) => format!("{} {declarator}", self.records[*record].name),
            Shape::Array(element, length) => {
                let declarator = match declarator.starts_with('*') {
                    true => format!("({declarator})[{length}]"),
                    false => format!("{declarator}[{length}]"),
                };
                self.declaration(element, &declarator)
            }
            Shape::Pointer(target) => self.declaration(target, &format!("*{declarator}")),
        }
    }

    /// An initialiser for the shape.
    pub(super) fn initializer(&mut self, shape: &Shape, initial: Initial) -> String {
        match shape {
            Shape::Int(_) => match initial {
                Initial::Constant => self.constant_expression(),
                Initial::Any => self.integer(2, Reads::Everything).at(Binding::Assignment),
            },
            Shape::Real(_) => match initial {
                Initial::Constant => self.real_constant().at(Binding::Assignment),
                Initial::Any => {
                    let value = self.real(1, Reads::Everything);
                    self.kept(&value).at(Binding::Assignment)
                }
            },
            Shape::Array(element, length) => self.array_initializer(element, *length, initial),
            Shape::Record(record) => self.record_initializer(*record, initial),
            Shape::Pointer(target) => {
                self.address_of(target, if initial == Initial::Constant { 0 } else { self.depth })
            }
        }
    }

    fn constant_expression(&mut self) -> String {
        let constant = self.constant();
        match self.random.below(6) {
            0 => format!("-{}", self.random.within(1..=100)),
            1 => format!("({}) ? 3 : 4", constant.text.text),
            2 => format!("({}) & 0xff | 1 << {}", constant.text.text, self.random.below(8)),
            3 => format!("sizeof(int) * {}", self.random.below(9)),
            _ => constant.at(Binding::Assignment),
        }
    }

    fn array_initializer(&mut self, element: &Shape, length: usize, initial: Initial) -> String {
        if matches!(element, Shape::Int(Int::Char)) && length > 4 && self.random.chance(50) {
            return (*self.random.pick(&["\"abc\"", "{ \"xyz\" }", "\"a\" \"b\\n\"", "\"\""])).to_string();
        }
        let mut parts = Vec::new();
        match self.random.below(4) {
            0 => {
                let at = self.random.below(length);
                parts.push(format!("[{at}] = {}", self.initializer(element, initial)));
                if at + 1 < length && self.random.chance(50) {
                    parts.push(self.initializer(element, initial));
                }
            }
            1 if initial == Initial::Constant && length > 2 => {
                let value = self.initializer(element, initial);
                parts.push(format!("[0 ... {}] = {value}", length - 2));
            }
            2 => {
                for _ in 0..1 + self.random.below(length) {
                    parts.push(self.initializer(element, initial));
                }
            }
            _ => {
                for _ in 0..length {
                    parts.push(self.initializer(element, initial));
                }
            }
        }
        format!("{{ {} }}", parts.join(", "))
    }

    fn record_initializer(&mut self, record: usize, initial: Initial) -> String {
        let fields = self.records[record].fields.clone();
        let designates = self.random.chance(50) || fields.iter().any(|field| field.in_anonymous);
        let mut parts = Vec::new();
        for field in &fields {
            if designates && self.random.chance(25) {
                continue;
            }
            let value = self.initializer(&field.shape, initial);
            parts.push(if designates { format!(".{} = {value}", field.name) } else { value });
        }
        if parts.is_empty() {
            return "{ 0 }".to_string();
        }
        if designates && self.random.chance(30) {
            // Designators may come in any order; but in a list that is evaluated, the order must not matter.
            parts.reverse();
        }
        format!("{{ {} }}", parts.join(", "))
    }

    /// The address of an object of that shape that lives at least as long as a block of that depth.
    pub(super) fn address_of(&mut self, target: &Shape, depth: usize) -> String {
        let saved = std::mem::replace(&mut self.free_effects, 0);
        let nesting = std::mem::replace(&mut self.nesting, if depth == 0 { 9 } else { 1 });
        let place = self.place(Purpose::Address(depth), |shape| shape == target);
        (self.free_effects, self.nesting) = (saved, nesting);
        match place {
            Some(place) => format!("&{}", place.at_prefix()),
            None => {
                // `spare_…` objects exist for every shape that pointers are made to.
                format!("&{}", self.spare(target))
            }
        }
    }

    /// Declares an object in the current block and remembers it.
    pub(super) fn declare_local(&mut self) {
        let shape = match self.random.below(8) {
            0 | 1 => {
                let target = self.pointer_target();
                Shape::Pointer(Box::new(target))
            }
            _ => self.any_shape(),
        };
        let name = self.fresh("v");
        let is_scalar = matches!(shape, Shape::Int(_) | Shape::Real(_));
        let is_static = !matches!(shape, Shape::Pointer(_)) && self.random.chance(10);
        let is_quiet = is_scalar && !is_static && self.random.chance(60);
        let is_volatile = is_scalar && !is_static && self.random.chance(6);
        let initial = if is_static { Initial::Constant } else { Initial::Any };
        let declaration = self.declaration(&shape, &name);
        self.free_effects = if is_scalar && self.depth > 0 { self.effects } else { 0 };
        let value = self.initializer(&shape, initial);
        let storage = match (is_static, is_volatile) {
            (true, _) => "static ",
            (_, true) => "volatile ",
            _ if is_quiet && self.random.chance(10) => "register ",
            _ => "",
        };
        self.line(&format!("{storage}{declaration} = {value};"));
        let depth = if is_static { 0 } else { self.depth };
        self.objects.push(Object {
            name,
            shape,
            depth,
            is_writable: true,
            is_quiet,
            is_volatile,
            bounds: None,
        });
    }

    /// A shape pointers are made to; there always is a spare object of it.
    pub(super) fn pointer_target(&mut self) -> Shape {
        let shape = match self.random.below(4) {
            0 if self.uses_reals => Shape::Real(Real::Double),
            1 => {
                let free: Vec<usize> = (0..self.records.len()).collect();
                Shape::Record(*self.random.pick(&free))
            }
            _ => {
                let ty =
                    *self.random.pick(&[Int::Plain, Int::UnsignedChar, Int::Short, Int::Long, Int::Unsigned]);
                Shape::Int(ty)
            }
        };
        self.spare(&shape);
        shape
    }

    /// The name of a global object of that shape that only pointers use.
    fn spare(&mut self, shape: &Shape) -> String {
        let name = match shape {
            Shape::Int(ty) => format!("spare_{}", ty.spelling(0).replace(' ', "_")),
            Shape::Real(ty) => format!("spare_{}", ty.name().replace(' ', "_")),
            Shape::Record(record) => format!("spare_record{record}"),
            Shape::Array(..) | Shape::Pointer(_) => {
                unreachable!("no pointers to arrays or pointers are made")
            }
        };
        if !self.spares.contains(&name) {
            self.spares.push(name.clone());
            let declaration = self.declaration(shape, &name);
            self.globals.push_str(&format!("static {declaration};\n"));
        }
        name
    }

    /// Declares the program's global objects.
    pub(super) fn declare_globals(&mut self) {
        for _ in 0..4 + self.random.below(6) {
            let is_pointer = self.random.chance(15);
            let shape =
                if is_pointer { Shape::Pointer(Box::new(self.pointer_target())) } else { self.any_shape() };
            let name = self.fresh("g");
            let is_scalar = matches!(shape, Shape::Int(_) | Shape::Real(_));
            let is_volatile = is_scalar && self.random.chance(12);
            let is_const = !is_pointer && !is_volatile && self.random.chance(8);
            let declaration = self.declaration(&shape, &name);
            let mut text = String::new();
            if self.random.chance(60) {
                text.push_str("static ");
            }
            if is_volatile {
                text.push_str("volatile ");
            }
            if is_const {
                text.push_str("const ");
            }
            text.push_str(&declaration);
            if is_pointer || is_const || self.random.chance(75) {
                let value = self.initializer(&shape, Initial::Constant);
                let _ = write!(text, " = {value}");
            }
            text.push_str(";\n");
            self.globals.push_str(&text);
            self.objects.push(Object {
                name,
                shape,
                depth: 0,
                is_writable: !is_const,
                is_quiet: false,
                is_volatile,
                bounds: None,
            });
        }
    }
}
