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

mod expression;
mod statement;

pub use expression::*;
pub use statement::*;

use crate::syntax::Encoding;
use crate::types::{LengthId, TypeId, TypeRef};
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
