//! `#pragma pack`: which packing holds at which token. `#pragma weak`: what it says of symbols. Other pragmas are
//! skipped, apart from those that would change the meaning: these are kept as not modelled.
//!
//! Follows gcc: `pack(n)`, `pack()`, `pack(push[, name][, n])`, `pack(pop[, name])`; `0` means the default.

use super::Lexer;
use crate::syntax::SymbolPragma;
use base::{Diagnostic, Span};
use std::sync::Arc;

/// From token `from` on, members are packed to `limit` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PackChange {
    /// Index of the first token that this holds for.
    pub(crate) from: usize,
    /// The largest alignment of a member; `None` is the default.
    pub(crate) limit: Option<u32>,
}

/// The packing in force and the pushed ones.
#[derive(Debug, Default)]
pub(super) struct PackState {
    limit: Option<u32>,
    pushed: Vec<(Option<String>, Option<u32>)>,
    pub(super) changes: Vec<PackChange>,
}

impl Lexer<'_> {
    /// Handles the text after `#pragma`, or the string of a `_Pragma`.
    pub(super) fn pragma(&mut self, text: &str, span: Span) {
        if self.symbol_pragma(text.trim(), span) {
            return;
        }
        let Some(rest) = text.trim_start().strip_prefix("pack") else { return };
        let Some(inside) = rest.trim().strip_prefix('(').and_then(|rest| rest.split(')').next()) else {
            if rest.starts_with([' ', '\t', '(']) || rest.is_empty() {
                self.warn_about_pack(span);
            }
            return;
        };
        let words: Vec<&str> = inside.split(',').map(str::trim).collect();
        let known = match words.as_slice() {
            [""] => self.set_pack(None),
            ["push", rest @ ..] if rest.len() <= 2 => self.push_pack(rest),
            ["pop", rest @ ..] if rest.len() <= 1 => self.pop_pack(rest.first().copied(), span),
            [number] => parse_limit(number).is_some_and(|limit| self.set_pack(limit)),
            _ => false,
        };
        if !known {
            self.warn_about_pack(span);
        }
    }

    /// A pragma about symbols or the meaning of declarations. Says whether it was one.
    fn symbol_pragma(&mut self, text: &str, span: Span) -> bool {
        let (word, rest) = text.split_once(|c: char| c.is_whitespace()).unwrap_or((text, ""));
        match word {
            "weak" => {
                let mut names = rest.split('=').map(|name| Arc::<str>::from(name.trim()));
                if let Some(name) = names.next().filter(|name| !name.is_empty()) {
                    self.pragmas.push(SymbolPragma::Weak { name, target: names.next() });
                }
                true
            }
            "GCC" => {
                let rest = rest.trim_start();
                let options = rest.strip_prefix("optimize").filter(|options| changes_meaning(options));
                if options.is_some() {
                    self.pragmas.push(SymbolPragma::Unmodelled { what: Arc::from(text), span });
                }
                true
            }
            "redefine_extname" | "scalar_storage_order" => {
                self.pragmas.push(SymbolPragma::Unmodelled { what: Arc::from(text), span });
                true
            }
            _ => false,
        }
    }

    fn warn_about_pack(&mut self, span: Span) {
        self.diagnostics.push(
            Diagnostic::warning(
                "malformed-pragma-pack",
                span,
                "this `#pragma pack` is not understood and has no effect",
            )
            .hint("write `pack(n)`, `pack()`, `pack(push, n)` or `pack(pop)` with n one of 1, 2, 4, 8, 16"),
        );
    }

    fn set_pack(&mut self, limit: Option<u32>) -> bool {
        self.packs.limit = limit;
        self.packs.changes.push(PackChange { from: self.tokens.len(), limit });
        true
    }

    fn push_pack(&mut self, words: &[&str]) -> bool {
        let (name, limit) = match *words {
            [] => (None, None),
            [word] => match parse_limit(word) {
                Some(limit) => (None, Some(limit)),
                None => (Some(word.to_owned()), None),
            },
            [name, number] => match parse_limit(number) {
                Some(limit) => (Some(name.to_owned()), Some(limit)),
                None => return false,
            },
            _ => return false,
        };
        self.packs.pushed.push((name, self.packs.limit));
        limit.is_none_or(|limit| self.set_pack(limit))
    }

    fn pop_pack(&mut self, name: Option<&str>, span: Span) -> bool {
        let pushed = &mut self.packs.pushed;
        let from = match name {
            None => pushed.len().checked_sub(1),
            Some(name) => pushed.iter().rposition(|(known, _)| known.as_deref() == Some(name)),
        };
        let Some(from) = from else {
            let message = "`#pragma pack(pop)` without a matching `push` has no effect";
            self.diagnostics.push(Diagnostic::warning("malformed-pragma-pack", span, message));
            return true;
        };
        let limit = pushed[from].1;
        pushed.truncate(from);
        self.set_pack(limit)
    }
}

/// May options of `optimize` change what a program means? Levels and how code is laid out do not.
pub(crate) fn changes_meaning(options: &str) -> bool {
    let is_between = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '"');
    let options = options.split(is_between).filter(|option| !option.is_empty());
    options.map(|option| option.strip_prefix('-').unwrap_or(option)).any(|option| {
        let option = option.strip_prefix('f').filter(|rest| !rest.starts_with("ast")).unwrap_or(option);
        let option = option.strip_prefix("no-").unwrap_or(option);
        let is_level =
            |option: &str| option.strip_prefix('O').unwrap_or(option).chars().all(|c| c.is_ascii_digit());
        let is_layout = [
            "tree",
            "unroll",
            "inline",
            "omit-frame",
            "align",
            "stack-protector",
            "Os",
            "Og",
            "reorder",
            "ipa",
            "strict-aliasing",
        ]
        .iter()
        .any(|known| option.starts_with(known));
        !is_level(option) && !is_layout
    })
}

fn parse_limit(word: &str) -> Option<Option<u32>> {
    match word {
        "0" => Some(None),
        "1" => Some(Some(1)),
        "2" => Some(Some(2)),
        "4" => Some(Some(4)),
        "8" => Some(Some(8)),
        "16" => Some(Some(16)),
        _ => None,
    }
}
