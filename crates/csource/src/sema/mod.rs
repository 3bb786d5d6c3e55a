//! From what was written to what it means: the typed tree of a translation unit.
//!
//! Reading order: `analyser` (the state), `scope` (names), `specifiers`, `attributes`, `records`, `enums`,
//! `declarators` (types), `declarations`, `linkage`, `functions`, `statements`, `jumps`, `expressions`, `convert`,
//! `compatible`, `builtins`, `initializers`, `fold` with `floats` (constants).
//!
//! Never panics and never stops: what is wrong becomes a diagnostic and a value of `Type::Error`, which is silent
//! afterwards; what has no model becomes a flag.

mod analyser;
mod attributes;
mod builtins;
mod compatible;
mod convert;
mod declarations;
mod declarators;
mod effects;
mod enums;
mod expressions;
mod floats;
mod fold;
mod functions;
mod initializers;
mod jumps;
mod linkage;
mod records;
mod scope;
mod specifiers;
mod statements;
#[cfg(test)]
mod tests;

pub use fold::{initial_integer, is_constant};

use crate::session::Session;
use crate::syntax::{Item, TranslationUnit};
use crate::tree::{AsmEffect, FlagKind, Unit};

/// The parser lets chains such as `a ? b : c ? d : …` become 12,000 deep, and each level takes up to 2 KiB of stack
/// here.
/// Address space, not memory: only what is used is ever touched.
const STACK: usize = 128 << 20;

/// Types a translation unit. Messages go to the session; the tree is complete only if none of them is an error.
pub fn analyse(unit: &TranslationUnit, session: &mut Session) -> Unit {
    let shared = &mut *session;
    let typed = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().name("sema".into()).stack_size(STACK);
        let running = worker.spawn_scoped(scope, || analyse_here(unit, shared)).ok()?;
        Some(running.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    // Without the address space for that, ordinary programs still fit the caller's stack.
    typed.unwrap_or_else(|| analyse_here(unit, session))
}

fn analyse_here(unit: &TranslationUnit, session: &mut Session) -> Unit {
    let mut analyser = analyser::Analyser::new(session);
    for item in &unit.items {
        match item {
            Item::Function(definition) => analyser.define_function(definition),
            Item::Declaration(declaration) => analyser.file_declaration(declaration),
            Item::StaticAssert(assertion) => analyser.static_assert(assertion),
            Item::Asm(asm) => {
                let message = "assembly outside functions is not modelled";
                if crate::sema::statements::asm_effect(&asm.template) == AsmEffect::Unknown {
                    analyser.flag(FlagKind::InlineAsm, asm.span, message);
                    analyser.unit.unmodelled.push((message.into(), asm.span));
                }
            }
        }
    }
    analyser.finish_tentative_definitions();
    analyser.finish_functions(&unit.pragmas);
    analyser.unit
}
