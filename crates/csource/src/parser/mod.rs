//! Tokens to the untyped tree [`syntax`](crate::syntax): recursive descent by hand, C11 with GNU extensions.
//!
//! A production that meets an error reports it once and returns `Reported`; the nearest recovery point (statement,
//! member, parenthesis, initialiser entry, external declaration) skips to where reading can go on. See `recovery`.
//!
//! The depth of the tree is bounded, so that nobody who walks it recursively (dropping it included) runs out of stack:
//! see [`MOST_NESTING`] and [`MOST_CHAINED`].
//!
//! Reading order: `declarations` → `specifiers` → `records` → `declarators` → `initializers` → `statements` →
//! `chains` → `annotations` → `expressions` → `primary`.

mod annotations;
mod asm;
mod attributes;
mod chains;
mod cursor;
mod declarations;
mod declarators;
mod expressions;
mod initializers;
mod primary;
mod records;
mod recovery;
mod scope;
mod soup;
mod specifiers;
mod statements;

use crate::Session;
use crate::lexer::{self, Annotation, PackChange, Token, TokenKind};
use crate::syntax::{SymbolPragma, TranslationUnit};
use base::{Diagnostics, Interner, SourceId};
use rustc_hash::FxHashSet;
use scope::Scopes;

/// How deep blocks, parentheses, declarators, initialisers and types may be nested in each other, weighted by the stack
/// that reading them takes: about 500 blocks under `if`, as many parentheses, 1,000 prefix operators.
/// In a debug build a unit takes up to 1.6 KiB, so that all of it fits in the 2 MiB of a thread.
pub const MOST_NESTING: u32 = 1_050;

/// How long chains may become that nest in the tree but not in the text: `a + b + c …`, `a.b.c …`, `else if …`,
/// `case 1: case 2: …`. This bounds the sum over all chains on the way from the root to a leaf.
pub const MOST_CHAINED: u32 = 12_000;

/// Reads a translation unit. Problems go to `session.diagnostics`; what could be read is returned in any case.
pub fn parse(source: SourceId, session: &mut Session) -> TranslationUnit {
    let text = session.sources.source(source).text().clone();
    let base = session.sources.source(source).base();
    let lexed = lexer::lex(&text, base, &mut session.names, &mut session.diagnostics);
    let mut parser = Parser {
        text: &text,
        base,
        well_known: WellKnown::new(&mut session.names),
        tokens: lexed.tokens,
        packs: lexed.packs,
        pragmas: lexed.pragmas,
        annotations: lexed.annotations,
        read_annotations: FxHashSet::default(),
        at: 0,
        names: &mut session.names,
        diagnostics: &mut session.diagnostics,
        scopes: Scopes::default(),
        nesting: 0,
        chained: 0,
        pending: Vec::new(),
        reported_at: None,
        gave_up: false,
    };
    let unit = parser.translation_unit();
    let unread = parser.unread_annotations();
    annotations::tell_unread(unread, session);
    unit
}

/// An error was already reported; the reader should find a place to go on.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// What a level of nesting counts. Tested by `deepest_nesting_fits_the_stack`.
#[derive(Clone, Copy, Debug)]
enum Weight {
    Light = 1,
    Heavy = 2,
    Heaviest = 3,
}

/// Names that are keywords in C23 only. They count as keywords where nothing of that name is declared.
struct WellKnown {
    bool_: base::Symbol,
    true_: base::Symbol,
    false_: base::Symbol,
    nullptr: base::Symbol,
    constexpr: base::Symbol,
    static_assert: base::Symbol,
    alignas: base::Symbol,
    thread_local: base::Symbol,
}

impl WellKnown {
    fn new(names: &mut Interner) -> WellKnown {
        WellKnown {
            bool_: names.intern("bool"),
            true_: names.intern("true"),
            false_: names.intern("false"),
            nullptr: names.intern("nullptr"),
            constexpr: names.intern("constexpr"),
            static_assert: names.intern("static_assert"),
            alignas: names.intern("alignas"),
            thread_local: names.intern("thread_local"),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Position of the text's first byte.
    base: u32,
    well_known: WellKnown,
    tokens: Vec<Token>,
    packs: Vec<PackChange>,
    pragmas: Vec<SymbolPragma>,
    /// Assertions in comments, in order.
    annotations: Vec<Annotation>,
    /// Which of them became statements.
    read_annotations: FxHashSet<usize>,
    /// Index of the current token; never past the last one, which is `End`.
    at: usize,
    names: &'a mut Interner,
    diagnostics: &'a mut Diagnostics,
    scopes: Scopes,
    /// How many [`Parser::nested`] are open.
    nesting: u32,
    /// The longest sum of chains below any node finished since this was last set to 0; see [`Parser::measured`].
    chained: u32,
    /// Left operands that wait for their right one; see `expressions`.
    pending: Vec<expressions::Pending>,
    /// The token at which the last error was reported: another one there is a consequence.
    reported_at: Option<usize>,
    /// Something was nested too deeply: the rest is not read.
    gave_up: bool,
}

#[cfg(test)]
mod tests;
