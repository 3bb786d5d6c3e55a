//! Contract words: what must hold when a library function is called, as failures of the step that calls it. Lengths may
//! be any term.

use crate::state::State;
use crate::step::{Encoder, Failure, FailureKind};
use logic::TermId;
use program::{Expr, Word};
use std::sync::Arc;

impl Encoder<'_> {
    /// Records when what a word asks for does not hold. Says whether the word was called as it is declared.
    pub(crate) fn word(
        &mut self,
        state: &mut State,
        word: Word,
        values: &[TermId],
        expressions: &[Expr],
    ) -> bool {
        match (word, values) {
            (Word::Readable, &[at, bytes]) => self.check_range(state, at, bytes, false),
            (Word::Writable, &[at, bytes]) => self.check_range(state, at, bytes, true),
            (Word::Apart, &[one, bytes, two, others]) => self.check_apart(one, bytes, two, others),
            (Word::Need | Word::NeedNoOverflow | Word::NeedArgument, &[condition, _]) => {
                let holds = self.terms.is_nonzero(condition);
                let broken = self.terms.not(holds);
                let kind = match word {
                    Word::NeedNoOverflow => FailureKind::SignedOverflow,
                    _ => FailureKind::BadArgument,
                };
                self.fail_for(broken, kind, self.text_of(expressions, 1));
            }
            (Word::Unknown, &[_]) => {
                let yes = self.terms.yes();
                self.fail_for(yes, FailureKind::Unknown, self.text_of(expressions, 0));
            }
            _ => return false,
        }
        true
    }

    fn text_of(&self, expressions: &[Expr], at: usize) -> Option<Arc<str>> {
        self.meaning.program.literal_text(expressions.get(at)?).map(Arc::from)
    }

    fn fail_for(&mut self, condition: TermId, kind: FailureKind, detail: Option<Arc<str>>) {
        if self.terms.truth(condition) != Some(false) {
            self.effect.failures.push(Failure { condition, kind, detail, span: self.span });
        }
    }

    /// As [`check_access`](Self::check_access), where there may be no bytes at all.
    pub(crate) fn check_range(&mut self, state: &mut State, at: TermId, bytes: TermId, writes: bool) {
        let bytes = self.terms.resize(bytes, self.meaning.layout.width, false);
        let some = self.terms.is_nonzero(bytes);
        if self.terms.truth(some) == Some(false) {
            return;
        }
        let before = self.effect.failures.len();
        self.check_access(state, at, bytes, writes);
        for failure in &mut self.effect.failures[before..] {
            failure.condition = self.terms.and(some, failure.condition);
        }
    }

    /// The ranges lie in objects, as other words say; then they overlap if one begins inside the other.
    fn check_apart(&mut self, one: TermId, bytes: TermId, two: TermId, others: TermId) {
        let width = self.meaning.layout.width;
        let (bytes, others) =
            (self.terms.resize(bytes, width, false), self.terms.resize(others, width, false));
        let (up, down) = (self.terms.sub(one, two), self.terms.sub(two, one));
        let (first_inside, second_inside) = (self.terms.below(up, others), self.terms.below(down, bytes));
        let touch = self.terms.or(first_inside, second_inside);
        let (some, any) = (self.terms.is_nonzero(bytes), self.terms.is_nonzero(others));
        let both = self.terms.and(some, any);
        let overlap = self.terms.and(touch, both);
        self.fail(overlap, FailureKind::Overlap);
    }
}
