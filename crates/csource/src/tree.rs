//! The typed tree of a translation unit: names resolved, every conversion explicit, constants folded where C demands.
//!
//! What `lower` may rely on:
//! - Every [`Expr`] has its C type. An expression is an *lvalue* exactly when [`Expr::is_lvalue`] says so; used where a
//!   value is wanted, an lvalue of scalar or record type is read. Arrays and functions never are: [`ExprKind::Decay`]
//!   stands there.
//! - Operands of arithmetic have the same type as the operator works in (usual arithmetic conversions are casts).
//!   Shifts: the left operand has the result's type, the right one its own promoted type.
//! - Conditions (`if`, `!`, `&&`, `?:` …) are scalars of any type; "true" means "compares unequal to zero".
//! - Constructs that cannot be given a meaning are [`ExprKind::Unsupported`] / [`StatementKind::Unsupported`], each
//!   also recorded in [`Unit::flags`]. They are never dropped.

use crate::syntax::Encoding;
use crate::types::{LengthId, RecordId, TypeId, TypeRef};
use base::{IndexVec, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

base::define_id!(
    /// A variable of a unit: global, static, local, parameter or compound literal.
    VariableId,
    "v"
);
base::define_id!(
    /// A function of a unit, defined or only declared.
    FunctionId,
    "f"
);
base::define_id!(
    /// A string literal of a unit.
    StringId,
    "s"
);
base::define_id!(
    /// A label of one function.
    LabelId,
    "label"
);

/// One translation unit after `sema`.
#[derive(Debug, Default)]
pub struct Unit {
    /// All variables of the unit, locals too.
    pub variables: IndexVec<VariableId, Variable>,
    /// All functions declared or defined.
    pub functions: IndexVec<FunctionId, Function>,
    /// String literals.
    pub strings: IndexVec<StringId, StringLiteral>,
    /// Expressions of array lengths that are computed at run time, of type `size_t`; see [`StatementKind::Declare`].
    pub lengths: FxHashMap<LengthId, Expr>,
    /// Constructs that were accepted without a full meaning, each with its place.
    pub flags: Vec<Flag>,
    /// What is said of the whole program and has no meaning here: assembly outside functions, functions that run by
    /// being named in a section. No answer may rest on a run of such a program.
    pub unmodelled: Vec<(Arc<str>, Span)>,
}

/// What attributes and pragmas say of a name with linkage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolAttributes {
    /// `weak`: a definition gives way to an ordinary one; without any definition the address is null.
    pub is_weak: bool,
    /// `common`: a definition without initialiser that merges with others.
    pub is_common: bool,
    /// `alias("target")`, `weakref("target")`: the other name it stands for.
    pub alias: Option<Arc<str>>,
    /// `weakref`: a private name for a symbol that may be missing.
    pub is_weakref: bool,
    /// `section("name")`
    pub section: Option<Arc<str>>,
    /// `constructor`: runs before `main`, lower numbers first.
    pub constructor: Option<u32>,
    /// `destructor`: runs after `main`, higher numbers first.
    pub destructor: Option<u32>,
    /// What a function is said to do or to get.
    pub promises: Promises,
    /// `cleanup(function)`: an automatic variable whose address the function gets when its scope is left.
    pub cleanup: Option<FunctionId>,
    /// Why using it has no known meaning here, if so.
    pub unmodelled: Option<Arc<str>>,
}

/// What attributes promise of a function. gcc relies on it, without optimisation too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Promises {
    /// `pure`, `const`: calls whose result is not used are left out.
    pub changes_nothing: bool,
    /// `returns_nonnull`: a result that is null is undefined, and comparisons with null are not made.
    pub never_null: bool,
    /// `nonnull(2, 3)`: parameters that never get a null pointer, counted from 1.
    pub not_null: Vec<usize>,
    /// `nonnull`: no parameter does.
    pub none_is_null: bool,
}

impl SymbolAttributes {
    /// The priority of constructors and destructors that name none: after, respectively before, all that do.
    pub const NO_PRIORITY: u32 = 65_536;

    /// What both declarations say.
    pub fn merge(&mut self, other: &SymbolAttributes) {
        self.is_weak |= other.is_weak;
        self.is_common |= other.is_common;
        self.is_weakref |= other.is_weakref;
        let take = |mine: &mut Option<Arc<str>>, theirs: &Option<Arc<str>>| {
            if let Some(theirs) = theirs {
                *mine = Some(theirs.clone());
            }
        };
        take(&mut self.alias, &other.alias);
        take(&mut self.section, &other.section);
        take(&mut self.unmodelled, &other.unmodelled);
        self.cleanup = other.cleanup.or(self.cleanup);
        self.constructor = other.constructor.or(self.constructor);
        self.destructor = other.destructor.or(self.destructor);
        self.promises.changes_nothing |= other.promises.changes_nothing;
        self.promises.never_null |= other.promises.never_null;
        self.promises.none_is_null |= other.promises.none_is_null;
        self.promises.not_null.extend(&other.promises.not_null);
    }
}

/// A construct that is accepted but not (fully) given a meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// What has no full meaning here.
    pub kind: FlagKind,
    /// What a person needs to know.
    pub message: String,
    /// Where it stands in the source.
    pub span: Span,
}

/// The constructs that are flagged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FlagKind {
    /// Inline assembly.
    InlineAsm,
    /// `goto *p`, `&&label`.
    ComputedGoto,
    /// An array whose length is computed at run time: given a meaning, but told.
    VariableLengthArray,
    /// `_Complex` arithmetic.
    Complex,
    /// GNU vector arithmetic.
    Vector,
    /// A GNU nested function.
    NestedFunction,
    /// `_BitInt`.
    BitInt,
    /// A builtin without a model.
    UnknownBuiltin,
    /// A function called without a declaration.
    ImplicitDeclaration,
    /// An attribute that changes the meaning, such as `cleanup`.
    Attribute,
    /// Arithmetic on a signed bit-field wider than `int`, which GCC does in the bit-field's own width.
    WideBitField,
}

/// How long a variable lives and who sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// File scope, visible to other units.
    Global,
    /// Declared `extern`, with no definition in this unit.
    External,
    /// File scope, `static`.
    FileStatic,
    /// Block scope, `static`: lives as long as the program.
    LocalStatic,
    /// Block scope: lives as long as its block.
    Local,
    /// A parameter.
    Parameter,
}

/// A variable.
#[derive(Debug)]
pub struct Variable {
    /// Its name; compound literals have an invented one with a `.` in front.
    pub name: Arc<str>,
    /// Its type, completed.
    pub ty: TypeRef,
    /// How long it lives.
    pub storage: Storage,
    /// One instance per thread.
    pub is_thread_local: bool,
    /// Alignment asked for by attributes, in bytes.
    pub alignment: Option<u64>,
    /// The initialiser of a variable with static storage. Locals are initialised by [`StatementKind::Declare`].
    pub initializer: Option<Initializer>,
    /// Elements that a static initialiser gives to the flexible array member at its end (GNU C): the object is longer
    /// than its type by that many elements.
    pub flexible_elements: u64,
    /// Elements of the array that a parameter is declared as: `int a[10]`.
    pub parameter_elements: Option<u64>,
    /// Is it a parameter with `[static n]`, which is never null (C11 6.7.6.3p7)?
    pub has_least_length: bool,
    /// The function it belongs to, for block scope.
    pub function: Option<FunctionId>,
    /// Is `&` ever applied to it (or to a part of it, or does an array in it decay)?
    pub address_taken: bool,
    /// What attributes say of its symbol.
    pub symbol: SymbolAttributes,
    /// Where its name is declared.
    pub span: Span,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// Its name as the linker knows it.
    pub name: Arc<str>,
    /// Always a function type.
    pub ty: TypeId,
    /// `static`
    pub is_static: bool,
    /// `inline`
    pub is_inline: bool,
    /// `_Noreturn` or the attribute.
    pub is_noreturn: bool,
    /// Was it called without any declaration?
    pub is_implicit: bool,
    /// Does this unit export the body? Not so if all declarations here are plain `inline` (C11 6.7.4p7) or the
    /// definition is `extern inline` in the GNU sense: the definition of another unit then has precedence.
    pub is_exported: bool,
    /// What attributes say of its symbol.
    pub symbol: SymbolAttributes,
    /// The definition.
    pub body: Option<FunctionBody>,
    /// Where its name is declared or defined.
    pub span: Span,
}

/// The definition of a function.
#[derive(Debug)]
pub struct FunctionBody {
    /// One per parameter, in order; old-style parameters have their declared types.
    pub parameters: Vec<VariableId>,
    /// The statements.
    pub block: Block,
    /// Names of its labels, all defined.
    pub labels: IndexVec<LabelId, Label>,
    /// All of the definition.
    pub span: Span,
}

/// A label of a function.
#[derive(Clone, Debug)]
pub struct Label {
    /// As written.
    pub name: Arc<str>,
    /// Where it is defined.
    pub span: Span,
    /// Is `&&label` ever used?
    pub address_taken: bool,
}

/// A string literal: its bytes are those of the elements, little endian, with the terminating zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLiteral {
    /// The elements with the terminating zero.
    pub units: Vec<u32>,
    /// Its prefix.
    pub encoding: Encoding,
    /// The array type.
    pub ty: TypeId,
    /// Where it is written.
    pub span: Span,
}

/// `{ … }`: variables declared in it live until its end.
#[derive(Debug, Default)]
pub struct Block {
    /// The automatic variables whose scope is this block (also those of compound literals), in order.
    pub variables: Vec<VariableId>,
    /// The statements.
    pub statements: Vec<Statement>,
    /// With the braces.
    pub span: Span,
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
    /// The empty statement.
    Empty,
    /// The value, if any, is dropped.
    Expr(Expr),
    /// `{ … }`
    Block(Block),
    /// An assertion in a comment: specification, evaluated in one step.
    Asserted(Expr),
    /// An assertion in a comment that is not understood, and why.
    NotUnderstood(String),
    /// `if`
    If {
        /// A scalar.
        condition: Expr,
        /// When it is not zero.
        then: Box<Statement>,
        /// When it is zero.
        otherwise: Option<Box<Statement>>,
    },
    /// `while`
    While {
        /// A scalar.
        condition: Expr,
        /// The body.
        body: Box<Statement>,
    },
    /// `do … while`
    DoWhile {
        /// The body.
        body: Box<Statement>,
        /// A scalar.
        condition: Expr,
    },
    /// `for`: its own variables are those of an enclosing [`StatementKind::Block`] made for it.
    For {
        /// `None` means true.
        condition: Option<Expr>,
        /// After each round, also after `continue`.
        step: Option<Expr>,
        /// The body.
        body: Box<Statement>,
    },
    /// `switch`; its cases are the [`StatementKind::Case`] and [`StatementKind::Default`] anywhere inside `body` that
    /// no inner `switch` claims.
    Switch {
        /// Promoted integer.
        value: Expr,
        /// The body.
        body: Box<Statement>,
    },
    /// `case low ... high:` (equal for a single value), converted to the switch's type.
    Case {
        /// Least value.
        low: i128,
        /// Greatest value.
        high: i128,
        /// The labelled statement.
        body: Box<Statement>,
    },
    /// `default:`
    Default(Box<Statement>),
    /// `name:`
    Label(LabelId, Box<Statement>),
    /// `goto name;`
    Goto(LabelId),
    /// `goto *e;`: flagged; the possible targets are the labels whose address is taken.
    ComputedGoto(Expr),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return e;`, converted to the function's result type.
    Return(Option<Expr>),
    /// The declaration of an automatic variable is reached: its value becomes indeterminate, or the initialiser's.
    /// For arrays of run-time length, the lengths its type mentions are evaluated first, in order.
    Declare {
        /// The variable.
        variable: VariableId,
        /// Lengths to evaluate here.
        lengths: Vec<LengthId>,
        /// Its initialiser.
        initializer: Option<Initializer>,
    },
    /// Lengths of a variably modified type that is declared without an object, such as a typedef.
    EvaluateLengths(Vec<LengthId>),
    /// Inline assembly: flagged. Only a template that does nothing ([`AsmEffect::Nothing`]) has a meaning.
    Asm {
        /// Lvalues that are written, with what an empty template leaves in them.
        outputs: Vec<(Expr, AsmOutput)>,
        /// Values that are read.
        inputs: Vec<Expr>,
        /// What the template does.
        effect: AsmEffect,
        /// The template.
        template: String,
    },
    /// Flagged: reaching it makes the run's meaning unknown.
    Unsupported(String),
}

/// What the instructions of inline assembly do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsmEffect {
    /// Nothing that a program with one thread can see: an empty template (a barrier for the compiler), `nop`, `mfence`
    /// …
    Nothing,
    /// What it does is not known.
    Unknown,
}

/// What an output of inline assembly holds after a template that does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsmOutput {
    /// What was in the register: any value (`"=r"`).
    Any,
    /// What it held before (`"+r"`).
    Kept,
    /// The input of this position, which shares its register (`"0"`).
    Input(usize),
}

/// An initialiser, with designators and brace elision resolved. What no entry covers is zero.
#[derive(Debug)]
pub enum Initializer {
    /// A scalar, or a record copied from another.
    Value(Expr),
    /// `char a[] = "…"`: the array gets the elements (cut to its length), the rest is zero.
    String(StringId),
    /// An aggregate: each entry initialises the part its path names, in order; a later entry wins over an earlier one.
    Parts(Vec<InitializerPart>),
}

/// One part of an aggregate.
#[derive(Debug)]
pub struct InitializerPart {
    /// From the whole object to the part.
    pub path: Vec<PathStep>,
    /// The part's type.
    pub ty: TypeId,
    /// A scalar or record value, or a string for a character array.
    pub value: PartValue,
}

/// The value of a part.
#[derive(Debug)]
pub enum PartValue {
    /// Converted to the part's type.
    Expr(Expr),
    /// For a character array.
    String(StringId),
    /// `[a ... b] = e` with side effects in `e` is evaluated once; `sema` expands small ranges and keeps the value
    /// of the first part for the rest: this part repeats the value of that earlier entry (an index into `Parts`).
    SameAs(usize),
}

/// One step into an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathStep {
    /// A member, by its position in the record (anonymous members are steps of their own).
    Field(RecordId, u32),
    /// An array element.
    Index(u64),
}

/// A typed expression.
#[derive(Debug)]
pub struct Expr {
    /// Which expression it is, with its operands.
    pub kind: ExprKind,
    /// Its type. Qualifiers matter on lvalues only.
    pub ty: TypeRef,
    /// Where it is written.
    pub span: Span,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnaryOp {
    /// `-e` on a promoted arithmetic operand.
    Negate,
    /// `~e` on a promoted integer.
    BitNot,
    /// `!e` on a scalar; the result is an `int`.
    Not,
}

/// Operators with two operands that both are always evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl BinaryOp {
    /// Does it give 0 or 1?
    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }

    /// As C writes it.
    pub fn symbol(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Add => "+",
            Subtract => "-",
            Multiply => "*",
            Divide => "/",
            Remainder => "%",
            ShiftLeft => "<<",
            ShiftRight => ">>",
            BitAnd => "&",
            BitOr => "|",
            BitXor => "^",
            Equal => "==",
            NotEqual => "!=",
            Less => "<",
            LessEqual => "<=",
            Greater => ">",
            GreaterEqual => ">=",
        }
    }
}

/// The kinds of expression.
#[derive(Debug)]
pub enum ExprKind {
    /// An integer constant (also of `_Bool`, enum or pointer type): the bits, cut to the type's width.
    Integer(u128),
    /// A floating constant: its bits in the type's own format (x87 extended in the low 80 bits).
    Float(u128),
    /// lvalue: a variable.
    Variable(VariableId),
    /// A function designator; only under [`ExprKind::Decay`], `&`, or as a callee.
    Function(FunctionId),
    /// lvalue: a string literal.
    String(StringId),
    /// lvalue: `(type){…}`. Evaluating it initialises the variable first.
    CompoundLiteral(VariableId, Box<Initializer>),
    /// lvalue: `*e`. `a[i]` is `*(a + i)`.
    Deref(Box<Expr>),
    /// `e.x`: an lvalue if the base is; otherwise a member of a record value. `e->x` is `(*e).x`.
    Member {
        /// Of record type.
        base: Box<Expr>,
        /// The record.
        record: RecordId,
        /// Position of the member in the record.
        field: u32,
    },
    /// `&e` on an lvalue or a function.
    AddressOf(Box<Expr>),
    /// Array lvalue to pointer to its first element, function to pointer.
    Decay(Box<Expr>),
    /// Operators with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// Arithmetic, bit and comparison operators. Comparisons give `int`; pointers may be compared with each other.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `pointer + index` (negated for `pointer - index`); the index is an integer of any type.
    PointerAdd {
        /// A pointer.
        pointer: Box<Expr>,
        /// Elements to move by.
        index: Box<Expr>,
        /// Move backwards?
        backwards: bool,
    },
    /// `pointer - pointer`, in elements, of type `ptrdiff_t`.
    PointerDifference(Box<Expr>, Box<Expr>),
    /// `a && b` of type `int`.
    LogicalAnd(Box<Expr>, Box<Expr>),
    /// `a || b` of type `int`.
    LogicalOr(Box<Expr>, Box<Expr>),
    /// `c ? a : b`, both converted to the result type (or both void).
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `c ?: b`: the value of `c`, converted, if it is not zero.
    ConditionalOrElse(Box<Expr>, Box<Expr>),
    /// `a = b`: `b` converted to the type of `a`; the value is that of `a` afterwards.
    Assign(Box<Expr>, Box<Expr>),
    /// `a op= b`: computed in `compute` (both operands converted), then converted back. For pointers the operator is
    /// `Add` or `Subtract`, `compute` is the pointer type, and `b` is an integer.
    CompoundAssign {
        /// The operator.
        op: BinaryOp,
        /// What is read and then written; an lvalue.
        target: Box<Expr>,
        /// The right operand, already converted to `compute` (for shifts: promoted only).
        value: Box<Expr>,
        /// The type the operation works in.
        compute: TypeId,
    },
    /// `++e`, `e--` and so on.
    Increment {
        /// What is counted up or down; an lvalue.
        target: Box<Expr>,
        /// `--`?
        is_decrement: bool,
        /// Postfix: the value is the old one.
        is_postfix: bool,
    },
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// A call. Arguments are converted to the parameter types, or promoted.
    Call {
        /// A function designator, or a pointer to a function.
        callee: Box<Expr>,
        /// The arguments, converted, in order.
        arguments: Vec<Expr>,
    },
    /// A compiler builtin by name (`__builtin_…`, `__sync_…`, `__atomic_…`) that is not an ordinary function.
    /// Arguments are promoted, except that those of type-generic builtins keep their types.
    Builtin {
        /// With its prefix.
        name: Arc<str>,
        /// The arguments, in order.
        arguments: Vec<Expr>,
    },
    /// A conversion to the expression's type, written or implied. To `void`: the value is dropped.
    /// A cast to a union type wraps the value in the member of its type.
    Cast {
        /// What is converted.
        operand: Box<Expr>,
        /// Did the program not write it?
        is_implicit: bool,
    },
    /// `({ … })`: the value of the last expression statement.
    Statement(Box<Block>),
    /// `va_arg(list, type)`.
    VaArg(Box<Expr>),
    /// `sizeof` of a type whose size is computed at run time.
    SizeofVariable(TypeId),
    /// `&&label`: flagged.
    LabelAddress(LabelId),
    /// Flagged: evaluating it makes the run's meaning unknown.
    Unsupported(String),
}

impl Expr {
    /// Does it designate an object?
    pub fn is_lvalue(&self) -> bool {
        match &self.kind {
            ExprKind::Variable(_)
            | ExprKind::String(_)
            | ExprKind::CompoundLiteral(..)
            | ExprKind::Deref(_) => true,
            ExprKind::Member { base, .. } => base.is_lvalue(),
            _ => false,
        }
    }
}
