//! Declarations as written: specifiers, types, declarators, initialisers.

use super::Expr;
use crate::types::{FloatKind, IntegerKind};
use base::{Span, Symbol};

/// `int a = 1, *b;`
#[derive(Debug)]
pub struct Declaration {
    /// Shared by all declarators.
    pub specifiers: Specifiers,
    /// May be empty: `struct s { int x; };`
    pub declarators: Vec<InitDeclarator>,
    /// The whole declaration.
    pub span: Span,
}

/// One declarator with its initialiser.
#[derive(Debug)]
pub struct InitDeclarator {
    /// Name and derived type.
    pub declarator: Declarator,
    /// `= …`
    pub initializer: Option<Initializer>,
    /// From the declarator to the end of the initialiser.
    pub span: Span,
}

/// `_Static_assert(condition, "message")`.
#[derive(Debug)]
pub struct StaticAssert {
    /// Must be a constant other than zero.
    pub condition: Expr,
    /// The message, decoded, if one was given.
    pub message: Option<String>,
    /// All of it.
    pub span: Span,
}

/// Storage-class keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageClass {
    /// `typedef`
    Typedef,
    /// `extern`
    Extern,
    /// `static`
    Static,
    /// `auto`
    Auto,
    /// `register`
    Register,
}

/// `const`, `volatile`, `restrict`, `_Atomic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Qualifiers {
    /// `const`
    pub is_const: bool,
    /// `volatile`
    pub is_volatile: bool,
    /// `restrict`
    pub is_restrict: bool,
    /// `_Atomic`
    pub is_atomic: bool,
}

impl Qualifiers {
    /// The qualifiers of both.
    #[must_use]
    pub fn and(self, other: Qualifiers) -> Qualifiers {
        Qualifiers {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_restrict: self.is_restrict || other.is_restrict,
            is_atomic: self.is_atomic || other.is_atomic,
        }
    }
}

/// The declaration specifiers before the declarators.
#[derive(Debug)]
pub struct Specifiers {
    /// At most one; a second one is an error of the parser's.
    pub storage: Option<StorageClass>,
    /// `_Thread_local`, `__thread`
    pub is_thread_local: bool,
    /// `inline`
    pub is_inline: bool,
    /// `_Noreturn`
    pub is_noreturn: bool,
    /// Qualifiers of the base type.
    pub qualifiers: Qualifiers,
    /// The base type.
    pub type_specifier: TypeSpecifier,
    /// `_Alignas(…)`, each.
    pub alignments: Vec<Alignment>,
    /// Attributes written among the specifiers.
    pub attributes: Vec<Attribute>,
    /// All of them.
    pub span: Span,
}

/// `_Alignas(8)` or `_Alignas(double)`.
#[derive(Debug)]
pub enum Alignment {
    /// An expression.
    Expr(Expr),
    /// A type whose alignment is meant.
    Type(TypeName),
}

/// Arithmetic base types, with the keyword soup (`long unsigned int long`) already sorted out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BasicType {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// `int` and the like.
    Integer(IntegerKind),
    /// `double` and the like.
    Float(FloatKind),
    /// `double _Complex` and the like.
    Complex(FloatKind),
}

/// The base type of a declaration.
#[derive(Debug)]
pub enum TypeSpecifier {
    /// Built in.
    Basic(BasicType),
    /// `__builtin_va_list`
    VaList,
    /// `_BitInt(n)`, `unsigned _BitInt(n)`: accepted by the parser, flagged by `sema`.
    BitInt {
        /// Is it `unsigned`?
        unsigned: bool,
        /// The width.
        width: Box<Expr>,
    },
    /// `struct` or `union`.
    Record(Box<RecordSpecifier>),
    /// `enum`.
    Enum(Box<EnumSpecifier>),
    /// A typedef name.
    Typedef(Symbol),
    /// `typeof(expression)`
    TypeofExpr(Box<Expr>),
    /// `typeof(type)`
    TypeofType(Box<TypeName>),
    /// `_Atomic(type)`
    Atomic(Box<TypeName>),
    /// `__auto_type`
    AutoType,
    /// None was written: `int` by the old rule (a warning of the parser's).
    ImplicitInt,
}

/// `struct` or `union`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// Members one after the other.
    Struct,
    /// Members over each other.
    Union,
}

/// `struct tag { … }`, `struct tag`, `struct { … }`.
#[derive(Debug)]
pub struct RecordSpecifier {
    /// Which of the two.
    pub kind: RecordKind,
    /// The tag, if there is one.
    pub tag: Option<Symbol>,
    /// The members; `None` when only the tag is named.
    pub members: Option<Vec<Member>>,
    /// Attributes before the tag and after the brace.
    pub attributes: Vec<Attribute>,
    /// What `#pragma pack` said at the closing brace.
    pub pragma_pack: Option<u32>,
    /// All of it.
    pub span: Span,
}

/// A member declaration of a record.
#[derive(Debug)]
pub enum Member {
    /// `int a, b : 3;` or, without declarators, an anonymous record.
    Fields {
        /// The base type.
        specifiers: Specifiers,
        /// The members; empty for an anonymous struct or union.
        declarators: Vec<FieldDeclarator>,
        /// All of it.
        span: Span,
    },
    /// `_Static_assert` among the members.
    StaticAssert(StaticAssert),
}

/// One member.
#[derive(Debug)]
pub struct FieldDeclarator {
    /// `None` for an unnamed bit-field.
    pub declarator: Option<Declarator>,
    /// `: width`
    pub width: Option<Expr>,
    /// Attributes after it.
    pub attributes: Vec<Attribute>,
    /// All of it.
    pub span: Span,
}

/// `enum tag { A, B = 3 }`.
#[derive(Debug)]
pub struct EnumSpecifier {
    /// The tag, if there is one.
    pub tag: Option<Symbol>,
    /// The constants; `None` when only the tag is named.
    pub constants: Option<Vec<EnumConstant>>,
    /// Attributes such as `packed`.
    pub attributes: Vec<Attribute>,
    /// All of it.
    pub span: Span,
}

/// `B = 3`.
#[derive(Debug)]
pub struct EnumConstant {
    /// Its name.
    pub name: Symbol,
    /// Its value, if given.
    pub value: Option<Expr>,
    /// The name and the value.
    pub span: Span,
}

/// A declarator: the name, and how its type derives from the base type.
#[derive(Debug)]
pub struct Declarator {
    /// `None` in an abstract declarator.
    pub name: Option<Symbol>,
    /// Where the name stands (or would).
    pub name_span: Span,
    /// From the name outwards: `*a[3]` (array of pointers) is `[Array, Pointer]`.
    pub derivations: Vec<Derivation>,
    /// Attributes attached to the declarator.
    pub attributes: Vec<Attribute>,
    /// `asm("symbol")` after it.
    pub asm_label: Option<String>,
    /// All of it.
    pub span: Span,
}

/// One step of a derived type.
#[derive(Debug)]
pub enum Derivation {
    /// `*const`
    Pointer(Qualifiers),
    /// `[…]`
    Array(ArrayDeclarator),
    /// `(…)`
    Function(FunctionDeclarator),
}

/// `[static const 10]`
#[derive(Debug)]
pub struct ArrayDeclarator {
    /// Qualifiers inside the brackets (parameters only).
    pub qualifiers: Qualifiers,
    /// `static` inside the brackets.
    pub is_static: bool,
    /// The length.
    pub length: ArraySize,
    /// All of it.
    pub span: Span,
}

/// What stands between the brackets.
#[derive(Debug)]
pub enum ArraySize {
    /// `[]`
    Unspecified,
    /// `[*]`
    Star,
    /// `[n]`
    Expr(Box<Expr>),
}

/// `(int a, ...)`
#[derive(Debug)]
pub struct FunctionDeclarator {
    /// Prototype parameters, or the names of an old-style list.
    pub parameters: Parameters,
    /// `...`
    pub is_variadic: bool,
    /// All of it.
    pub span: Span,
}

/// The parameter list of a function declarator.
#[derive(Debug)]
pub enum Parameters {
    /// `(int a, char *)`; `(void)` is the empty list.
    Prototype(Vec<Parameter>),
    /// `(a, b)` of an old-style definition, or `()`.
    Names(Vec<(Symbol, Span)>),
}

/// A parameter of a prototype.
#[derive(Debug)]
pub struct Parameter {
    /// Its base type.
    pub specifiers: Specifiers,
    /// Its name and derived type; abstract when unnamed.
    pub declarator: Declarator,
    /// All of it.
    pub span: Span,
}

/// A type without a name, as in casts and `sizeof`.
#[derive(Debug)]
pub struct TypeName {
    /// The base type.
    pub specifiers: Specifiers,
    /// An abstract declarator.
    pub declarator: Declarator,
    /// All of it.
    pub span: Span,
}

/// `__attribute__((name(args)))` or `[[name]]`, one each. Names come without surrounding underscores.
#[derive(Debug)]
pub struct Attribute {
    /// `packed` for both `packed` and `__packed__`.
    pub name: Symbol,
    /// The arguments that parse as expressions; `mode(__DI__)` gives an identifier expression.
    pub arguments: Vec<Expr>,
    /// All of it.
    pub span: Span,
}

/// An initialiser.
#[derive(Debug)]
pub enum Initializer {
    /// `= e`
    Expr(Expr),
    /// `= { … }`
    List(InitializerList),
}

/// `{ [3] = 1, .x = 2, 4 }`
#[derive(Debug)]
pub struct InitializerList {
    /// The entries in order.
    pub entries: Vec<InitializerEntry>,
    /// With the braces.
    pub span: Span,
}

/// One entry with its designators.
#[derive(Debug)]
pub struct InitializerEntry {
    /// `[3].x =`; empty when none.
    pub designators: Vec<Designator>,
    /// The value.
    pub value: Initializer,
    /// All of it.
    pub span: Span,
}

/// One designator.
#[derive(Debug)]
pub enum Designator {
    /// `.x`, also the old `x:`
    Field(Symbol, Span),
    /// `[3]`
    Index(Expr),
    /// `[1 ... 4]`
    Range(Expr, Expr),
}
