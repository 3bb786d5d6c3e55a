//! C types: interned, with typedefs resolved, so that two types are the same exactly when their ids are.
//!
//! A qualified type is a [`TypeRef`]: an id with qualifiers. Records and enums are nominal and live in their own
//! tables.
//! Sizes and alignments are those of the System V ABI of the chosen [`DataModel`]; see `layout`.

mod display;
mod layout;

use crate::syntax::{Qualifiers, RecordKind};
use base::{Id, IndexVec, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

pub use layout::{FieldLayout, RecordLayout};

base::define_id!(
    /// An unqualified type in a [`TypeTable`].
    TypeId,
    "type"
);
base::define_id!(
    /// A struct or union in a [`TypeTable`].
    RecordId,
    "record"
);
base::define_id!(
    /// An enum in a [`TypeTable`].
    EnumId,
    "enum"
);
base::define_id!(
    /// A length that is computed when a declaration is executed; see `tree::Unit::lengths`.
    LengthId,
    "length"
);

/// Sizes of the machine's types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits (i386 System V).
    Ilp32,
    /// `int` has 32 bits, `long` and pointers 64 (x86-64 System V).
    #[default]
    Lp64,
}

/// The standard integer types. `char` is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntegerKind {
    /// `char`
    Char,
    /// `signed char`
    SignedChar,
    /// `unsigned char`
    UnsignedChar,
    /// `short`
    Short,
    /// `unsigned short`
    UnsignedShort,
    /// `int`
    Int,
    /// `unsigned int`
    UnsignedInt,
    /// `long`
    Long,
    /// `unsigned long`
    UnsignedLong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    UnsignedLongLong,
    /// `__int128`
    Int128,
    /// `unsigned __int128`
    UnsignedInt128,
}

/// The floating types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatKind {
    /// IEEE single.
    Float,
    /// IEEE double.
    Double,
    /// x87 extended: 80 bits in 12 (ILP32) or 16 (LP64) bytes.
    LongDouble,
    /// IEEE quadruple.
    Float128,
}

/// A type with its qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeRef {
    /// The type.
    pub id: TypeId,
    /// Its qualifiers.
    pub qualifiers: Qualifiers,
}

impl From<TypeId> for TypeRef {
    fn from(id: TypeId) -> TypeRef {
        TypeRef { id, qualifiers: Qualifiers::default() }
    }
}

/// The shape of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`
    Void,
    /// `_Bool`: values 0 and 1, stored in a byte.
    Bool,
    /// An integer type.
    Integer(IntegerKind),
    /// A floating type.
    Float(FloatKind),
    /// A complex type: known to the front end, flagged when computed with.
    Complex(FloatKind),
    /// An enum; computes like its underlying integer type.
    Enum(EnumId),
    /// A pointer.
    Pointer(TypeRef),
    /// An array.
    Array(TypeRef, ArrayLength),
    /// A function.
    Function(FunctionType),
    /// A struct or union.
    Record(RecordId),
    /// A GNU vector of that many elements: known to the front end, flagged when computed with.
    Vector(TypeId, u32),
    /// Stands for a type that could not be determined; the error is already told. Converts to anything silently.
    Error,
}

/// How long an array is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ArrayLength {
    /// A constant.
    Known(u64),
    /// Not (yet) told: `extern int a[];` or a flexible array member.
    Unknown,
    /// Computed at run time.
    Variable(LengthId),
}

/// The type of a function. Parameters are adjusted (arrays and functions are pointers) and unqualified.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// What it returns.
    pub result: TypeRef,
    /// Parameter types; empty without a prototype.
    pub parameters: Vec<TypeId>,
    /// `...`
    pub is_variadic: bool,
    /// `f()` without a prototype: any arguments, promoted.
    pub has_prototype: bool,
}

/// A struct or union, perhaps not yet complete.
#[derive(Clone, Debug)]
pub struct Record {
    /// Which of the two.
    pub kind: RecordKind,
    /// Its tag; anonymous ones have none.
    pub tag: Option<Arc<str>>,
    /// Where it was first named or defined.
    pub span: Span,
    /// The fields, once complete.
    pub fields: Option<Vec<Field>>,
    /// `packed`
    pub is_packed: bool,
    /// Least alignment asked for by attributes, in bytes.
    pub alignment: Option<u64>,
    /// Greatest alignment of members allowed by `#pragma pack`, in bytes.
    pub pack_limit: Option<u64>,
    /// Sizes and offsets, once complete.
    pub layout: Option<RecordLayout>,
    /// Is this the compiler's own `__va_list_tag`?
    pub is_va_list: bool,
}

/// A member of a record.
#[derive(Clone, Debug)]
pub struct Field {
    /// `None` for an anonymous struct or union, and for an unnamed bit-field.
    pub name: Option<Arc<str>>,
    /// Its type.
    pub ty: TypeRef,
    /// Bits, for a bit-field (0 for the unnamed separator).
    pub bit_width: Option<u32>,
    /// Alignment asked for on the member itself, in bytes.
    pub alignment: Option<u64>,
    /// Alignment that its typedef's `aligned` or `_Atomic` gives it in place of the type's own, in bytes.
    pub type_alignment: Option<u64>,
    /// `packed` on the member itself.
    pub is_packed: bool,
    /// Where it was declared.
    pub span: Span,
}

/// An enum, perhaps not yet complete.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its tag, if it has one.
    pub tag: Option<Arc<str>>,
    /// Where it was first named or defined.
    pub span: Span,
    /// The integer type it computes like (`unsigned int` unless a constant is negative or large; see `sema`).
    pub underlying: TypeId,
    /// Names and values, once complete.
    pub constants: Option<Vec<(Arc<str>, i128)>>,
}

/// How wide an integer-like type is and whether it has a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegerShape {
    /// Value bits, sign included (1 for `_Bool`).
    pub width: u32,
    /// Is it signed?
    pub signed: bool,
}

impl IntegerShape {
    /// The low `width` bits of `bits`.
    pub fn truncate(self, bits: u128) -> u128 {
        if self.width >= 128 { bits } else { bits & ((1 << self.width) - 1) }
    }

    /// The mathematical value of a bit pattern; unsigned 128-bit values above `i128::MAX` come out wrapped.
    pub fn value(self, bits: u128) -> i128 {
        let bits = self.truncate(bits);
        if self.signed && self.width < 128 && bits >> (self.width - 1) & 1 == 1 {
            (bits | (u128::MAX << self.width)) as i128
        } else {
            bits as i128
        }
    }
}

/// All types of a session, shared by its translation units.
#[derive(Clone, Debug)]
pub struct TypeTable {
    model: DataModel,
    types: IndexVec<TypeId, Type>,
    known: FxHashMap<Type, TypeId>,
    /// Structs and unions.
    pub records: IndexVec<RecordId, Record>,
    /// The enumerations, by id.
    pub enums: IndexVec<EnumId, Enum>,
    va_list: Option<TypeId>,
    lengths: u32,
}

impl TypeTable {
    /// A table with no types but the ones asked for later.
    pub fn new(model: DataModel) -> TypeTable {
        TypeTable {
            model,
            types: IndexVec::new(),
            known: FxHashMap::default(),
            records: IndexVec::new(),
            enums: IndexVec::new(),
            va_list: None,
            lengths: 0,
        }
    }

    /// The data model its sizes are for.
    pub fn model(&self) -> DataModel {
        self.model
    }

    /// The id of a type, new or known.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.known.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.known.insert(ty, id);
        id
    }

    /// The id of a type that was interned before.
    pub fn find(&self, ty: &Type) -> Option<TypeId> {
        self.known.get(ty).copied()
    }

    /// The shape of a type.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// All type ids.
    pub fn ids(&self) -> impl Iterator<Item = TypeId> + use<> {
        self.types.ids()
    }

    /// `void`
    pub fn void(&mut self) -> TypeId {
        self.intern(Type::Void)
    }

    /// `_Bool`
    pub fn bool(&mut self) -> TypeId {
        self.intern(Type::Bool)
    }

    /// An integer type.
    pub fn integer(&mut self, kind: IntegerKind) -> TypeId {
        self.intern(Type::Integer(kind))
    }

    /// `int`
    pub fn int(&mut self) -> TypeId {
        self.integer(IntegerKind::Int)
    }

    /// `char`
    pub fn char(&mut self) -> TypeId {
        self.integer(IntegerKind::Char)
    }

    /// A floating type.
    pub fn float(&mut self, kind: FloatKind) -> TypeId {
        self.intern(Type::Float(kind))
    }

    /// A pointer to that.
    pub fn pointer(&mut self, to: impl Into<TypeRef>) -> TypeId {
        self.intern(Type::Pointer(to.into()))
    }

    /// An array of that.
    pub fn array(&mut self, of: impl Into<TypeRef>, length: ArrayLength) -> TypeId {
        self.intern(Type::Array(of.into(), length))
    }

    /// The type of `sizeof`.
    pub fn size_type(&mut self) -> TypeId {
        self.integer(match self.model {
            DataModel::Ilp32 => IntegerKind::UnsignedInt,
            DataModel::Lp64 => IntegerKind::UnsignedLong,
        })
    }

    /// The type of a pointer difference.
    pub fn difference_type(&mut self) -> TypeId {
        self.integer(match self.model {
            DataModel::Ilp32 => IntegerKind::Int,
            DataModel::Lp64 => IntegerKind::Long,
        })
    }

    /// `wchar_t`
    pub fn wide_char(&mut self) -> TypeId {
        self.integer(match self.model {
            DataModel::Ilp32 => IntegerKind::Long,
            DataModel::Lp64 => IntegerKind::Int,
        })
    }

    /// `__builtin_va_list`: an array of one `__va_list_tag` (LP64) or `char *` (ILP32).
    pub fn va_list(&mut self) -> TypeId {
        if let Some(known) = self.va_list {
            return known;
        }
        let id = match self.model {
            DataModel::Ilp32 => {
                let char = self.char();
                self.pointer(char)
            }
            DataModel::Lp64 => {
                let unsigned = self.integer(IntegerKind::UnsignedInt);
                let void = self.void();
                let pointer = self.pointer(void);
                let field = |name: &str, ty: TypeId| Field {
                    name: Some(Arc::from(name)),
                    ty: ty.into(),
                    bit_width: None,
                    alignment: None,
                    type_alignment: None,
                    is_packed: false,
                    span: Span::NOWHERE,
                };
                let fields = vec![
                    field("gp_offset", unsigned),
                    field("fp_offset", unsigned),
                    field("overflow_arg_area", pointer),
                    field("reg_save_area", pointer),
                ];
                let record = self.records.push(Record {
                    kind: RecordKind::Struct,
                    tag: Some(Arc::from("__va_list_tag")),
                    span: Span::NOWHERE,
                    fields: None,
                    is_packed: false,
                    alignment: None,
                    pack_limit: None,
                    layout: None,
                    is_va_list: true,
                });
                self.complete_record(record, fields);
                let tag = self.intern(Type::Record(record));
                self.array(tag, ArrayLength::Known(1))
            }
        };
        self.va_list = Some(id);
        id
    }

    /// A new run-time length; ids are unique over all units that share the table.
    pub fn new_length(&mut self) -> LengthId {
        self.lengths += 1;
        LengthId::from_index(self.lengths as usize - 1)
    }

    /// Width and sign of `_Bool`, integers and enums; pointers are unsigned numbers of their width. `None` otherwise.
    pub fn integer_shape(&self, id: TypeId) -> Option<IntegerShape> {
        Some(match self.get(id) {
            Type::Bool => IntegerShape { width: 1, signed: false },
            Type::Integer(kind) => {
                IntegerShape { width: self.integer_width(*kind), signed: kind.is_signed() }
            }
            Type::Enum(id) => return self.integer_shape(self.enums[*id].underlying),
            Type::Pointer(_) => IntegerShape { width: self.pointer_width(), signed: false },
            _ => return None,
        })
    }

    /// Bits of a pointer.
    pub fn pointer_width(&self) -> u32 {
        match self.model {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// Bits of an integer type.
    pub fn integer_width(&self, kind: IntegerKind) -> u32 {
        use IntegerKind::*;
        match kind {
            Char | SignedChar | UnsignedChar => 8,
            Short | UnsignedShort => 16,
            Int | UnsignedInt => 32,
            Long | UnsignedLong => self.pointer_width(),
            LongLong | UnsignedLongLong => 64,
            Int128 | UnsignedInt128 => 128,
        }
    }

    /// The floating kind, if it is one.
    pub fn float_kind(&self, id: TypeId) -> Option<FloatKind> {
        match self.get(id) {
            Type::Float(kind) => Some(*kind),
            _ => None,
        }
    }

    /// What a pointer points to.
    pub fn pointee(&self, id: TypeId) -> Option<TypeRef> {
        match self.get(id) {
            Type::Pointer(to) => Some(*to),
            _ => None,
        }
    }

    /// Is it `_Bool`, an integer or an enum?
    pub fn is_integer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Bool | Type::Integer(_) | Type::Enum(_))
    }

    /// Is it an integer or a real floating type?
    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        self.is_integer(id) || matches!(self.get(id), Type::Float(_))
    }

    /// Is it arithmetic or a pointer: something a variable can hold as one value?
    pub fn is_scalar(&self, id: TypeId) -> bool {
        self.is_arithmetic(id) || self.is_pointer(id)
    }

    /// Is what is declared so, or each element of the array, `const`?
    pub fn is_constant(&self, ty: TypeRef) -> bool {
        match self.get(ty.id) {
            Type::Array(element, _) => ty.qualifiers.is_const || self.is_constant(*element),
            _ => ty.qualifiers.is_const,
        }
    }

    /// Is it a pointer?
    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Pointer(_))
    }

    /// The record, if it is one.
    pub fn record_id(&self, id: TypeId) -> Option<RecordId> {
        match self.get(id) {
            Type::Record(record) => Some(*record),
            _ => None,
        }
    }
}

impl IntegerKind {
    /// Is it signed?
    pub fn is_signed(self) -> bool {
        use IntegerKind::*;
        matches!(self, Char | SignedChar | Short | Int | Long | LongLong | Int128)
    }

    /// The unsigned type of the same width.
    pub fn to_unsigned(self) -> IntegerKind {
        use IntegerKind::*;
        match self {
            Char | SignedChar | UnsignedChar => UnsignedChar,
            Short | UnsignedShort => UnsignedShort,
            Int | UnsignedInt => UnsignedInt,
            Long | UnsignedLong => UnsignedLong,
            LongLong | UnsignedLongLong => UnsignedLongLong,
            Int128 | UnsignedInt128 => UnsignedInt128,
        }
    }

    /// Conversion rank, as C11 6.3.1.1 orders them.
    pub fn rank(self) -> u32 {
        use IntegerKind::*;
        match self {
            Char | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | UnsignedInt => 3,
            Long | UnsignedLong => 4,
            LongLong | UnsignedLongLong => 5,
            Int128 | UnsignedInt128 => 6,
        }
    }
}
