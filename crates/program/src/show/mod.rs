//! Expressions, places, conditions and actions as C text for people: in drawings, counterexamples and messages.
//!
//! - A temporary is shown as the source text it stands for.
//! - Conversions that C does by itself are left out, and so are parentheses that precedence makes needless.
//! - Constants are shown as their type suggests: enum constants by name, characters in quotes, null pointers as `NULL`.
//!
//! The text is for reading. What must be compiled is printed by [`print_c`](fn@crate::print_c).
//!
//! Reading order: `source` (text of temporaries) → `constants` → `conversions` (what C does by itself) → `expressions`
//! → `actions`.

mod actions;
mod constants;
mod conversions;
mod expressions;
mod source;
#[cfg(test)]
mod tests;

use crate::{Action, Edge, Expr, Place, Program, TypeId, VariableId};

/// Shows parts of one program.
#[derive(Clone, Copy)]
pub struct Show<'a> {
    program: &'a Program,
}

impl Program {
    /// Shows parts of this program as C text for people.
    pub fn show(&self) -> Show<'_> {
        Show { program: self }
    }
}

impl Show<'_> {
    /// A value.
    pub fn expr(&self, expr: &Expr) -> String {
        self.expression(expr).text
    }

    /// A place.
    pub fn place(&self, place: &Place) -> String {
        self.place_text(place).text
    }

    /// When `condition != 0` is `expected`: `x >= 3` for an unmet `x < 3` on integers.
    pub fn condition(&self, condition: &Expr, expected: bool) -> String {
        self.condition_text(condition, expected).text
    }

    /// A statement without its semicolon; empty for a step that does nothing.
    pub fn action(&self, action: &Action) -> String {
        self.action_text(action)
    }

    /// What a step does; for a step that does nothing, nothing.
    pub fn edge(&self, edge: &Edge) -> String {
        self.action_text(&edge.action)
    }

    /// A variable as the program writes it: its name, or the text a temporary or literal stands for.
    pub fn variable(&self, id: VariableId) -> String {
        self.variable_text(id).text
    }

    /// A scalar's bits as a constant of that type: `-3`, `'a'`, `RED`, `NULL`, `0.1`.
    pub fn constant(&self, bits: u128, ty: TypeId) -> String {
        self.constant_text(bits, ty).text
    }
}

/// Text with how strongly its outermost operator binds.
#[derive(Clone, Debug)]
struct Text {
    text: String,
    level: Level,
}

/// Binding strength, weakest first, as C orders its operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// Assignments, conditionals, source text that was not looked into.
    Weakest,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Postfix,
}

impl Level {
    fn next(self) -> Level {
        use Level::*;
        match self {
            Weakest => BitOr,
            BitOr => BitXor,
            BitXor => BitAnd,
            BitAnd => Equality,
            Equality => Relation,
            Relation => Shift,
            Shift => Sum,
            Sum => Product,
            Product => Unary,
            Unary | Postfix => Postfix,
        }
    }
}

impl Text {
    fn new(text: impl Into<String>, level: Level) -> Text {
        Text { text: text.into(), level }
    }

    /// In parentheses if it binds weaker than its surroundings demand.
    fn at_least(self, level: Level) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text }
    }
}
