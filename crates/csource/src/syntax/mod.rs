//! The untyped syntax tree: what was written, nothing resolved.
//!
//! Made by the parser, read by `sema`. Typedef names are already told apart from other names, since C cannot be
//! parsed without knowing them. Everything carries the span it was written at.

mod declaration;
mod expression;
mod statement;

pub use declaration::*;
pub use expression::*;
pub use statement::*;

use base::Span;
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
