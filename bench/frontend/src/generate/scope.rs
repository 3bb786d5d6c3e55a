//! What the program under construction has in scope, and ways to reach a scalar in it.

use super::Generator;
use super::integer::{Int, Range};
use super::value::{Binding, Real, Text, Value};

/// What an object looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// An integer.
    Int(Int),
    /// A floating number.
    Real(Real),
    /// An array with its length.
    Array(Box<Shape>, usize),
    /// A record by its index.
    Record(usize),
    /// A pointer that always points to a live object of that shape.
    Pointer(Box<Shape>),
}

/// An object of the program.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// What it looks like.
    pub shape: Shape,
    /// Block depth it lives in; 0 has static storage.
    pub depth: usize,
    /// May it be assigned?
    pub is_writable: bool,
    /// No pointer ever points to it, so no call can change it.
    pub is_quiet: bool,
    /// Declared `volatile`.
    pub is_volatile: bool,
    /// Known bounds of an integer that only its loop changes.
    pub bounds: Option<Range>,
}

/// A record type.
#[derive(Clone, Debug)]
pub struct Record {
    /// `struct tag` or a typedef name.
    pub name: String,
    /// Its members; those of anonymous inner structures too.
    pub fields: Vec<Field>,
    /// Members may be misaligned: no pointers to them.
    pub is_packed: bool,
}

/// A member.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name, unique in the record.
    pub name: String,
    /// What it looks like.
    pub shape: Shape,
    /// Width of a bit-field.
    pub bits: Option<u32>,
    /// Stands inside an anonymous structure.
    pub in_anonymous: bool,
}

/// Which objects an expression may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// All in scope.
    Everything,
    /// Only those that a call in the same expression cannot change.
    QuietLocals,
}

/// What a place is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To read it.
    Read(Reads),
    /// To write it.
    Write,
    /// To take its address for a pointer that lives in a block of that depth.
    Address(usize),
}

/// A way to a scalar or record.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its text, an lvalue.
    pub text: Text,
    /// What stands there.
    pub shape: Shape,
    /// Its values, if it is an integer.
    pub range: Option<Range>,
    /// Is it a bit-field?
    pub is_bit_field: bool,
}

impl Place {
    /// Its text behind a prefix operator.
    pub fn at_prefix(&self) -> String {
        self.text.at(Binding::Prefix)
    }

    /// The place read as an integer.
    pub fn value(&self) -> Value {
        let (Shape::Int(declared), Some(range)) = (&self.shape, self.range) else {
            unreachable!("only integer places are read as integers")
        };
        // C11 6.3.1.1p2: a bit-field whose values `int` can hold is an `int` as soon as it is used.
        let is_int = self.is_bit_field && range.fits(Range::new(i32::MIN.into(), i32::MAX.into()));
        let ty = if is_int { Int::Plain } else { *declared };
        Value { text: self.text.clone(), ty, range }
    }
}

impl Generator {
    /// A random place that satisfies `wanted`, if one is found soon.
    pub(super) fn place(&mut self, purpose: Purpose, wanted: impl Fn(&Shape) -> bool) -> Option<Place> {
        let objects = self.objects.len();
        if objects == 0 {
            return None;
        }
        for _ in 0..24 {
            // Later objects are nearer; prefer them a little so that locals get used.
            let index = self.random.below(objects).max(self.random.below(objects));
            let object = self.objects[index].clone();
            let fits = match purpose {
                Purpose::Read(Reads::Everything) => true,
                Purpose::Read(Reads::QuietLocals) => object.is_quiet,
                Purpose::Write => object.is_writable,
                Purpose::Address(depth) => {
                    object.is_writable && !object.is_quiet && !object.is_volatile && object.depth <= depth
                }
            };
            if !fits {
                continue;
            }
            let range = match object.shape {
                Shape::Int(ty) => Some(object.bounds.unwrap_or(ty.range(self.model))),
                _ => None,
            };
            let text = Text { text: object.name.clone(), binding: Binding::Postfix };
            let place = Place { text, shape: object.shape.clone(), range, is_bit_field: false };
            if let Some(found) = self.descend(place, purpose, &wanted) {
                return Some(found);
            }
        }
        None
    }

    fn descend(&mut self, place: Place, purpose: Purpose, wanted: &impl Fn(&Shape) -> bool) -> Option<Place> {
        let takes_address = matches!(purpose, Purpose::Address(_));
        if wanted(&place.shape) && !(takes_address && place.is_bit_field) {
            return Some(place);
        }
        match place.shape.clone() {
            Shape::Int(_) | Shape::Real(_) => None,
            Shape::Array(element, length) => {
                let index = self.index_below(length, purpose);
                let text = format!("{}[{index}]", place.text.at(Binding::Postfix));
                let next = self.part(text, Binding::Postfix, *element);
                self.descend(next, purpose, wanted)
            }
            Shape::Record(record) => {
                let record = self.records[record].clone();
                if takes_address && record.is_packed {
                    return None;
                }
                let field = self.random.pick(&record.fields).clone();
                let text = format!("{}.{}", place.text.at(Binding::Postfix), field.name);
                self.descend(self.field_part(text, &field), purpose, wanted)
            }
            Shape::Pointer(target) => {
                // What a pointer points to may be anything live: never quiet, and of unknown depth.
                if purpose == Purpose::Read(Reads::QuietLocals) || takes_address {
                    return None;
                }
                if let Shape::Record(record) = *target {
                    let record = self.records[record].clone();
                    let field = self.random.pick(&record.fields).clone();
                    let text = format!("{}->{}", place.text.at(Binding::Postfix), field.name);
                    return self.descend(self.field_part(text, &field), purpose, wanted);
                }
                let (text, binding) = match self.random.chance(80) {
                    true => (format!("*{}", place.text.at(Binding::Prefix)), Binding::Prefix),
                    false => (format!("{}[0]", place.text.at(Binding::Postfix)), Binding::Postfix),
                };
                let next = self.part(text, binding, *target);
                self.descend(next, purpose, wanted)
            }
        }
    }

    fn part(&self, text: String, binding: Binding, shape: Shape) -> Place {
        let range = match shape {
            Shape::Int(ty) => Some(ty.range(self.model)),
            _ => None,
        };
        Place { text: Text { text, binding }, shape, range, is_bit_field: false }
    }

    fn field_part(&self, text: String, field: &Field) -> Place {
        let mut place = self.part(text, Binding::Postfix, field.shape.clone());
        if let (Some(bits), Shape::Int(ty)) = (field.bits, &field.shape) {
            place.is_bit_field = true;
            place.range = Some(match ty.is_signed() {
                true => Range::new(-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                false => Range::new(0, (1i128 << bits) - 1),
            });
        }
        place
    }

    /// The text of an index that is always below `length`.
    fn index_below(&mut self, length: usize, purpose: Purpose) -> String {
        let reads = match purpose {
            Purpose::Read(reads) => reads,
            Purpose::Write | Purpose::Address(_) => Reads::Everything,
        };
        let bound = Range::new(0, length as i128 - 1);
        let counters: Vec<String> = self
            .objects
            .iter()
            .filter(|object| object.is_quiet && object.bounds.is_some_and(|bounds| bounds.fits(bound)))
            .map(|object| object.name.clone())
            .collect();
        if !counters.is_empty() && self.random.chance(50) {
            return self.random.pick(&counters).clone();
        }
        if self.nesting > 2 || self.random.chance(35) {
            return self.random.below(length).to_string();
        }
        self.nesting += 1;
        let value = self.integer(1, reads);
        self.nesting -= 1;
        if value.range.fits(bound) {
            value.text.text
        } else if length.is_power_of_two() {
            format!("{} & {}", value.at(Binding::BitAnd), length - 1)
        } else if value.range.low >= 0 {
            format!("{} % {length}", value.at(Binding::Multiplicative))
        } else {
            format!("(unsigned){} % {length}", value.at(Binding::Prefix))
        }
    }
}
