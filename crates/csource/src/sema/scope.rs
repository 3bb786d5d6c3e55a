//! Which name means what, here: ordinary names and tags, each with C's nested scopes.
//!
//! The current meaning of every name sits in one table; entering a scope only remembers how much to undo.

use crate::tree::{FunctionId, VariableId};
use crate::types::{EnumId, RecordId, TypeId, TypeRef};
use base::{Id, Span, Symbol};
use rustc_hash::FxHashMap;

/// What an ordinary name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    /// A typedef, with the alignment its `aligned` attribute asked for.
    Typedef { ty: TypeRef, alignment: Option<u64> },
    /// A variable or a parameter of a definition.
    Variable(VariableId),
    /// A parameter of a prototype without a body: it has a type but no object.
    PrototypeParameter(TypeRef),
    /// A function.
    Function(FunctionId),
    /// An enumerator.
    Constant { ty: TypeId, bits: u128 },
    /// Something whose declaration was wrong; the error is told.
    Broken,
}

/// What a tag stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

/// An entry of a scope.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<T> {
    pub what: T,
    /// 0 for file scope.
    pub depth: u32,
    /// Where it was declared.
    pub span: Span,
}

/// All scopes that are open.
#[derive(Default)]
pub(super) struct Scopes {
    names: Vec<Option<Entry<Binding>>>,
    tags: FxHashMap<Symbol, Entry<Tag>>,
    shadowed_names: Vec<(Symbol, Option<Entry<Binding>>)>,
    shadowed_tags: Vec<(Symbol, Option<Entry<Tag>>)>,
    open: Vec<(usize, usize)>,
}

impl Scopes {
    /// 0 at file scope.
    pub fn depth(&self) -> u32 {
        self.open.len() as u32
    }

    /// Opens an inner scope.
    pub fn enter(&mut self) {
        self.open.push((self.shadowed_names.len(), self.shadowed_tags.len()));
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        let Some((names, tags)) = self.open.pop() else { return };
        while self.shadowed_names.len() > names {
            if let Some((symbol, entry)) = self.shadowed_names.pop() {
                self.names[symbol.index()] = entry;
            }
        }
        while self.shadowed_tags.len() > tags {
            match self.shadowed_tags.pop() {
                Some((symbol, Some(entry))) => self.tags.insert(symbol, entry),
                Some((symbol, None)) => self.tags.remove(&symbol),
                None => None,
            };
        }
    }

    /// The innermost meaning of a name.
    pub fn name(&self, symbol: Symbol) -> Option<Entry<Binding>> {
        self.names.get(symbol.index()).copied().flatten()
    }

    /// The meaning of a name that was given in the innermost scope itself.
    pub fn name_here(&self, symbol: Symbol) -> Option<Entry<Binding>> {
        self.name(symbol).filter(|entry| entry.depth == self.depth())
    }

    /// Gives a name its meaning in the innermost scope.
    pub fn bind(&mut self, symbol: Symbol, what: Binding, span: Span) {
        let depth = self.depth();
        if self.names.len() <= symbol.index() {
            self.names.resize(symbol.index() + 1 + symbol.index() / 2, None);
        }
        let entry = Some(Entry { what, depth, span });
        let before = std::mem::replace(&mut self.names[symbol.index()], entry);
        if depth > 0 && before.is_none_or(|before| before.depth != depth) {
            self.shadowed_names.push((symbol, before));
        }
    }

    /// Every name that is visible, for suggestions.
    pub fn visible_names(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.names
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.is_some())
            .map(|(at, _)| Symbol::from_index(at))
    }

    /// The innermost meaning of a tag.
    pub fn tag(&self, symbol: Symbol) -> Option<Entry<Tag>> {
        self.tags.get(&symbol).copied()
    }

    /// The meaning of a tag that was given in the innermost scope itself.
    pub fn tag_here(&self, symbol: Symbol) -> Option<Entry<Tag>> {
        self.tag(symbol).filter(|entry| entry.depth == self.depth())
    }

    /// Gives a tag its meaning in the innermost scope.
    pub fn bind_tag(&mut self, symbol: Symbol, what: Tag, span: Span) {
        let depth = self.depth();
        let before = self.tags.insert(symbol, Entry { what, depth, span });
        if depth > 0 && before.is_none_or(|before| before.depth != depth) {
            self.shadowed_tags.push((symbol, before));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Interner;

    #[test]
    fn leaving_a_scope_restores_what_it_shadowed() {
        let mut names = Interner::default();
        let (x, y) = (names.intern("x"), names.intern("y"));
        let constant = |bits| Binding::Constant { ty: TypeId::from_index(0), bits };
        let bits_of = |scopes: &Scopes, symbol| match scopes.name(symbol).map(|entry| entry.what) {
            Some(Binding::Constant { bits, .. }) => Some(bits),
            _ => None,
        };
        let mut scopes = Scopes::default();
        scopes.bind(x, constant(1), Span::NOWHERE);
        scopes.enter();
        scopes.bind(x, constant(2), Span::NOWHERE);
        scopes.bind(x, constant(3), Span::NOWHERE);
        scopes.bind(y, constant(4), Span::NOWHERE);
        assert_eq!((bits_of(&scopes, x), bits_of(&scopes, y)), (Some(3), Some(4)));
        scopes.leave();
        assert_eq!((bits_of(&scopes, x), bits_of(&scopes, y)), (Some(1), None));
    }
}
