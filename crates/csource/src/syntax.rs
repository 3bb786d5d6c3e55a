//! The untyped syntax tree: what was written, nothing resolved.
//!
//! Made by the parser, read by `sema`. Typedef names are already told apart from other names, since C cannot be
//! parsed without knowing them. Everything carries the span it was written at.

use base::{Span, Symbol};
use std::sync::Arc;

/// A whole translation unit, in order.
#[derive(Debug, Default)]
pub struct TranslationUnit {
    /// The external declarations.
    pub items: Vec<Item>,
    /// Pragmas about symbols, in order; they hold for the whole unit.
    pub pragmas: Vec<SymbolPragma>,
}

/// A pragma that changes what a name means to the linker, or the meaning of declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymbolPragma {
    /// `#pragma weak name`, `#pragma weak name = target`
    Weak {
        /// The symbol.
        name: Arc<str>,
        /// What it is another name for.
        target: Option<Arc<str>>,
    },
    /// One that is understood to change the meaning, and not modelled.
    Unmodelled {
        /// As written, without `#pragma`.
        what: Arc<str>,
        /// Where the pragma stands.
        span: Span,
    },
}

/// An external declaration.
#[derive(Debug)]
pub enum Item {
    /// A function with its body.
    Function(Box<FunctionDefinition>),
    /// Variables, prototypes, typedefs, types.
    Declaration(Declaration),
    /// `_Static_assert(…);` at file scope.
    StaticAssert(StaticAssert),
    /// `asm("…");` at file scope.
    Asm(Asm),
}

/// `int f(a, b) int a; char b; { … }` or the modern form.
#[derive(Debug)]
pub struct FunctionDefinition {
    /// Return type, storage, attributes.
    pub specifiers: Specifiers,
    /// Name and parameters: its outermost derivation of the name is a function.
    pub declarator: Declarator,
    /// Old-style parameter declarations between the declarator and the body.
    pub parameter_declarations: Vec<Declaration>,
    /// The body.
    pub body: Block,
    /// From the specifiers to the closing brace.
    pub span: Span,
}

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
    /// `unsigned`
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
    /// `float`, `_Float32`
    Float,
    /// `double`, `_Float64`, `_Float32x`
    Double,
    /// `long double`, `_Float64x`
    LongDouble,
    /// `__float128`, `_Float128`
    Float128,
    /// `float _Complex`
    ComplexFloat,
    /// `double _Complex`
    ComplexDouble,
    /// `long double _Complex`
    ComplexLongDouble,
    /// `_Float128 _Complex`
    ComplexFloat128,
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

/// `{ … }`
#[derive(Debug)]
pub struct Block {
    /// Declarations and statements in order.
    pub items: Vec<BlockItem>,
    /// With the braces.
    pub span: Span,
}

/// What stands in a block.
#[derive(Debug)]
pub enum BlockItem {
    /// A declaration.
    Declaration(Declaration),
    /// A statement.
    Statement(Statement),
    /// A GNU nested function: parsed, flagged by `sema`.
    NestedFunction(Box<FunctionDefinition>),
    /// `_Static_assert`.
    StaticAssert(StaticAssert),
    /// `__label__ a, b;`
    LocalLabels(Vec<(Symbol, Span)>),
}

/// A statement.
#[derive(Debug)]
pub struct Statement {
    /// Which statement it is, with its parts.
    pub kind: StatementKind,
    /// All of it.
    pub span: Span,
}

/// The kinds of statement.
#[derive(Debug)]
pub enum StatementKind {
    /// `;` (also a lone attribute such as `fallthrough`)
    Empty,
    /// `e;`
    Expr(Expr),
    /// `{ … }`
    Block(Block),
    /// `if (c) s else t`
    If(Expr, Box<Statement>, Option<Box<Statement>>),
    /// `while (c) s`
    While(Expr, Box<Statement>),
    /// `do s while (c);`
    DoWhile(Box<Statement>, Expr),
    /// `for (init; c; step) s`
    For(Option<Box<ForInit>>, Option<Expr>, Option<Expr>, Box<Statement>),
    /// `switch (e) s`
    Switch(Expr, Box<Statement>),
    /// `case a:` or `case a ... b:` with the statement it labels.
    Case(Expr, Option<Expr>, Box<Statement>),
    /// `default:` with the statement it labels.
    Default(Box<Statement>),
    /// `name:` with the statement it labels (an empty one before a declaration or the closing brace).
    Label(Symbol, Span, Box<Statement>),
    /// `goto name;`
    Goto(Symbol, Span),
    /// `goto *e;`
    ComputedGoto(Expr),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`
    Return(Option<Expr>),
    /// `asm(…);`
    Asm(Asm),
    /// `//@ assert e;`
    Asserted(Expr),
    /// An assertion in a comment that is not understood, and why.
    NotUnderstood(String),
}

/// The first clause of a `for`.
#[derive(Debug)]
pub enum ForInit {
    /// `int i = 0;`
    Declaration(Declaration),
    /// `i = 0;`
    Expr(Expr),
}

/// Inline assembly.
#[derive(Debug)]
pub struct Asm {
    /// `volatile`
    pub is_volatile: bool,
    /// The template, decoded.
    pub template: String,
    /// Constraint and expression of each output.
    pub outputs: Vec<(String, Expr)>,
    /// Constraint and expression of each input.
    pub inputs: Vec<(String, Expr)>,
    /// Clobbered registers, `memory` among them.
    pub clobbers: Vec<String>,
    /// Labels of `asm goto`.
    pub labels: Vec<(Symbol, Span)>,
    /// All of it.
    pub span: Span,
}

/// An expression.
#[derive(Debug)]
pub struct Expr {
    /// Which expression it is, with its operands.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
}

/// Prefix and postfix operators without special syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `+e`
    Plus,
    /// `-e`
    Minus,
    /// `~e`
    BitNot,
    /// `!e`
    Not,
    /// `*e`
    Deref,
    /// `&e`
    AddressOf,
    /// `++e`
    PreIncrement,
    /// `--e`
    PreDecrement,
    /// `e++`
    PostIncrement,
    /// `e--`
    PostDecrement,
    /// `__real__ e`
    Real,
    /// `__imag__ e`
    Imaginary,
}

/// Arithmetic, comparison and logical operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `<=`
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    LogicalAnd,
    /// `||`
    LogicalOr,
}

/// Width of a character or string literal's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// `"…"` and `u8"…"`: bytes.
    Plain,
    /// `L"…"`: `wchar_t`, 32 bits here.
    Wide,
    /// `u"…"`
    Utf16,
    /// `U"…"`
    Utf32,
}

/// Suffix of an integer literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct IntegerSuffix {
    /// `u`
    pub unsigned: bool,
    /// `l`
    pub long: bool,
    /// `ll`
    pub long_long: bool,
}

/// Suffix of a floating literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatSuffix {
    /// None: `double`
    Double,
    /// `f`
    Float,
    /// `l`
    LongDouble,
    /// `q`, `f128`
    Float128,
}

/// The kinds of expression.
#[derive(Debug)]
pub enum ExprKind {
    /// A name that is not a typedef.
    Name(Symbol),
    /// `12u`, `0x1F`, `0b101`
    Integer {
        /// Its value; literals above 2^128 are an error of the lexer's.
        value: u128,
        /// Octal, hexadecimal or binary: these may become unsigned.
        is_decimal: bool,
        /// Its suffix.
        suffix: IntegerSuffix,
    },
    /// `1.5e3f`, `0x1p3`: the text without suffix; `sema` rounds it for its type.
    Float {
        /// Digits, point, exponent.
        text: String,
        /// Its suffix.
        suffix: FloatSuffix,
        /// `1.0i`: flagged by `sema`.
        is_imaginary: bool,
    },
    /// `'a'`: the value as C has it (`int` for plain ones, sign extended).
    Character {
        /// Its value.
        value: i64,
        /// Its prefix.
        encoding: Encoding,
    },
    /// Adjacent literals already joined; one element per character, no terminating zero.
    String {
        /// The elements.
        units: Vec<u32>,
        /// Its prefix.
        encoding: Encoding,
    },
    /// `__func__`, `__FUNCTION__`, `__PRETTY_FUNCTION__`
    FunctionName,
    /// `(e)`: kept, so that source text and `"(x)"` initialisers can be told apart.
    Paren(Box<Expr>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `f(a, b)`
    Call(Box<Expr>, Vec<Expr>),
    /// `e.x`
    Member(Box<Expr>, Symbol, Span),
    /// `e->x`
    Arrow(Box<Expr>, Symbol, Span),
    /// Operators with one operand.
    Unary(UnaryOperator, Box<Expr>),
    /// Operators with two operands.
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `a = b`, `a += b`
    Assign(Option<BinaryOperator>, Box<Expr>, Box<Expr>),
    /// `c ? a : b`; without the middle for `c ?: b`
    Conditional(Box<Expr>, Option<Box<Expr>>, Box<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// `(type)e`
    Cast(Box<TypeName>, Box<Expr>),
    /// `(type){ … }`
    CompoundLiteral(Box<TypeName>, InitializerList),
    /// `sizeof e`
    SizeofExpr(Box<Expr>),
    /// `sizeof(type)`
    SizeofType(Box<TypeName>),
    /// `_Alignof e`
    AlignofExpr(Box<Expr>),
    /// `_Alignof(type)`
    AlignofType(Box<TypeName>),
    /// `_Generic(e, type: e, default: e)`
    Generic(Box<Expr>, Vec<(Option<TypeName>, Expr)>),
    /// `({ … })`
    Statement(Block),
    /// `&&label`
    LabelAddress(Symbol, Span),
    /// `__builtin_va_arg(list, type)`
    VaArg(Box<Expr>, Box<TypeName>),
    /// `__builtin_offsetof(type, a.b[2])`
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// `__builtin_types_compatible_p(a, b)`
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(c, a, b)`
    Choose(Box<Expr>, Box<Expr>, Box<Expr>),
    /// What stands where an expression could not be read; the error is already told.
    Error,
}
