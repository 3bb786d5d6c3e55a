//! Interned names: comparing two identifiers is comparing two numbers.

use rustc_hash::FxHashMap;
use std::sync::Arc;

crate::define_id!(
    /// An interned name; its text is with the [`Interner`] that made it.
    Symbol,
    "name"
);

/// Gives each distinct text one [`Symbol`].
#[derive(Debug, Default, Clone)]
pub struct Interner {
    by_text: FxHashMap<Arc<str>, Symbol>,
    texts: crate::IndexVec<Symbol, Arc<str>>,
}

impl Interner {
    /// The symbol of `text`, new or known.
    pub fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.by_text.get(text) {
            return symbol;
        }
        let shared: Arc<str> = Arc::from(text);
        let symbol = self.texts.push(shared.clone());
        self.by_text.insert(shared, symbol);
        symbol
    }

    /// The symbol of `text`, if it was ever interned.
    pub fn find(&self, text: &str) -> Option<Symbol> {
        self.by_text.get(text).copied()
    }

    /// The text behind a symbol.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.texts[symbol]
    }

    /// The text behind a symbol, to keep.
    pub fn shared_text(&self, symbol: Symbol) -> Arc<str> {
        self.texts[symbol].clone()
    }
}
