//! What a name stands for where it is read, as far as parsing needs to know.

use base::{Id, Symbol};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Meaning {
    /// Nothing of this name was declared.
    #[default]
    Undeclared,
    /// A variable, function, parameter or enum constant.
    Value,
    /// A typedef.
    Type,
    /// Used as a type without being one; reported once, then taken as a type.
    MissingType,
}

impl Meaning {
    /// Does the name read as a type?
    pub(super) fn is_type(self) -> bool {
        matches!(self, Meaning::Type | Meaning::MissingType)
    }
}

/// The meanings in force, with a log to undo those of inner scopes.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// By symbol index.
    meanings: Vec<Meaning>,
    /// What the inner scopes hid.
    hidden: Vec<(Symbol, Meaning)>,
    /// For each open scope, the length of `hidden` when it was opened.
    opened: Vec<usize>,
}

impl Scopes {
    pub(super) fn meaning(&self, name: Symbol) -> Meaning {
        self.meanings.get(name.index()).copied().unwrap_or_default()
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: Symbol, meaning: Meaning) {
        let index = name.index();
        if index >= self.meanings.len() {
            self.meanings.resize((index + 1).next_power_of_two(), Meaning::Undeclared);
        }
        let before = std::mem::replace(&mut self.meanings[index], meaning);
        if before != meaning && !self.opened.is_empty() {
            self.hidden.push((name, before));
        }
    }

    /// From now on a name is taken as a type that is missing, in this scope and around it.
    pub(super) fn declare_missing(&mut self, name: Symbol) {
        let open = std::mem::take(&mut self.opened);
        self.declare(name, Meaning::MissingType);
        self.opened = open;
    }

    pub(super) fn open(&mut self) {
        self.opened.push(self.hidden.len());
    }

    pub(super) fn close(&mut self) {
        let keep = self.opened.pop().unwrap_or(0);
        while self.hidden.len() > keep {
            if let Some((name, meaning)) = self.hidden.pop() {
                self.meanings[name.index()] = meaning;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_scopes_hide_and_give_back() {
        let mut names = base::Interner::default();
        let (a, b) = (names.intern("a"), names.intern("b"));
        let mut scopes = Scopes::default();
        scopes.declare(a, Meaning::Type);
        scopes.open();
        scopes.declare(a, Meaning::Value);
        scopes.declare(b, Meaning::Type);
        scopes.open();
        scopes.declare(a, Meaning::Type);
        assert_eq!(scopes.meaning(a), Meaning::Type);
        scopes.close();
        assert_eq!(scopes.meaning(a), Meaning::Value);
        scopes.close();
        assert_eq!((scopes.meaning(a), scopes.meaning(b)), (Meaning::Type, Meaning::Undeclared));
    }
}
