//! Words of other verification tools: functions that nobody defines and whose name says what a call means.
//!
//! CBMC, SATABS and 2LS (`__CPROVER_…`), ESBMC (`__ESBMC_…`), SMACK, LLBMC, LAMP and the competitions' `__VERIFIER_…`.
//! A word has its tool's meaning only if the program gives the function no body. Words that are not here
//! (`__CPROVER_forall`, `__CPROVER_havoc_object`, `__ESBMC_loop_invariant` …) are functions without a body: reaching
//! one leaves the answer open.

use crate::function::FunctionLowering;
use base::Span;
use csource::tree;
use program::{Action, AssumptionKind, Expr, HavocSource, Place};

/// What a call of such a function means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The first argument must be true.
    Assertion,
    /// Only runs in which the first argument is true count.
    Assumption,
    /// Control must not get here.
    Failure,
    /// An atomic section begins.
    AtomicBegin,
    /// An atomic section ends.
    AtomicEnd,
    /// Arguments are evaluated, and nothing else happens.
    Remark,
    /// A hint for the other tool; its arguments are not evaluated.
    Hint,
}

/// The meaning of a call with so many arguments.
pub fn word(name: &str, arguments: usize) -> Option<Word> {
    Some(match (name, arguments) {
        (
            "assert" | "sassert" | "__VERIFIER_assert" | "__SMACK_assert" | "__llbmc_assert" | "klee_assert",
            1,
        )
        | ("__CPROVER_assert" | "__CPROVER_precondition" | "__CPROVER_postcondition", 1 | 2)
        | ("__ESBMC_assert", 1 | 2) => Word::Assertion,
        (
            "__VERIFIER_assume"
            | "__builtin_assume"
            | "__CPROVER_assume"
            | "__ESBMC_assume"
            | "__SMACK_assume"
            | "__llbmc_assume"
            | "klee_assume"
            | "assume_abort_if_not",
            1,
        ) => Word::Assumption,
        ("__ESBMC_unreachable", 0) => Word::Failure,
        ("__CPROVER_atomic_begin" | "__ESBMC_atomic_begin", 0) => Word::AtomicBegin,
        ("__CPROVER_atomic_end" | "__ESBMC_atomic_end", 0) => Word::AtomicEnd,
        (
            "__CPROVER_input" | "__CPROVER_output" | "__CPROVER_printf" | "__ESBMC_printf"
            | "__CPROVER_fence",
            _,
        )
        | ("__ESBMC_yield" | "__CPROVER_yield", 0) => Word::Remark,
        (
            "__CPROVER_predicate"
            | "__CPROVER_parameter_predicates"
            | "__CPROVER_return_predicates"
            | "__CPROVER_cover",
            _,
        ) => Word::Hint,
        _ => return None,
    })
}

/// A name that belongs to a tool or the compiler, or a library function with an effect that no engine knows: what a
/// call of it does is not left to how missing functions are taken.
pub fn is_reserved(name: &str) -> bool {
    const PREFIXES: [&str; 13] = [
        "__CPROVER_",
        "__ESBMC_",
        "__VERIFIER_",
        "__SMACK_",
        "__llbmc_",
        "__builtin_",
        "klee_",
        "__DSVERIFIER_",
        "sea_is_",
        "sea_tracking_",
        "sea_reset_",
        "sea_dsa_",
        "sea_free",
    ];
    // The rounding mode is not modelled.
    matches!(name, "fesetround" | "fesetenv" | "feupdateenv" | "feholdexcept")
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Is a result of this function any value of its type?
pub fn is_input(name: &str) -> bool {
    // `__VERIFIER_nondet_memory(p, n)` writes through a pointer; it is no input by value.
    let is_value = |rest: &str| !rest.is_empty() && rest != "memory";
    let prefixes = ["__VERIFIER_nondet_", "nondet_", "__SMACK_nondet_", "__llbmc_nondet_", "__lamp_any_"];
    matches!(name, "nondet" | "__SMACK_nondet" | "__VERIFIER_nondet")
        || prefixes.iter().any(|prefix| name.strip_prefix(prefix).is_some_and(is_value))
}

impl FunctionLowering<'_> {
    /// A call of a word.
    pub fn say_word(
        &mut self,
        word: Word,
        name: &str,
        arguments: &[tree::Expr],
        result: Option<&Place>,
        span: Span,
    ) {
        match (word, arguments) {
            (Word::Assertion, [condition, rest @ ..]) => {
                rest.iter().for_each(|argument| self.effect(argument));
                self.tell_word(name, "an assertion", span);
                self.assert_condition(condition, span);
            }
            (Word::Assumption, [condition, ..]) => self.assume_condition(condition, span),
            (Word::Failure, _) => {
                self.tell_word(name, "an assertion that fails", span);
                self.fail_assertion(span);
            }
            (Word::AtomicBegin, _) => self.atomic_marker("__VERIFIER_atomic_begin", span),
            (Word::AtomicEnd, _) => self.atomic_marker("__VERIFIER_atomic_end", span),
            (Word::Remark, _) => arguments.iter().for_each(|argument| self.effect(argument)),
            _ => {}
        }
        if let Some(target) = result {
            // Declared with a result that no tool defines.
            let source = HavocSource::Indeterminate;
            self.emit(Action::Havoc { target: target.clone(), source }, span);
        }
    }

    fn tell_word(&mut self, name: &str, what: &str, span: Span) {
        if !name.starts_with("__VERIFIER_") {
            let message =
                format!("`{name}` has no body: a call of it is {what}, as for the tools that know the name");
            self.linker.assume(AssumptionKind::LibraryModel, name, span, message);
        }
    }

    /// Fails where the condition does not hold, as `assert` with its header does.
    fn assert_condition(&mut self, condition: &tree::Expr, span: Span) {
        let (met, unmet) = (self.graph.add_node(span), self.graph.add_node(span));
        self.branch(condition, met, unmet);
        self.current = unmet;
        self.fail_assertion(span);
        self.current = met;
    }

    /// Calls `__assert_fail`, which prints what it is given and does not return.
    pub fn fail_assertion(&mut self, span: Span) {
        let types = &mut self.linker.session.types;
        let character = types.char();
        let text = types.pointer(character);
        let number = types.integer(program::IntegerKind::UnsignedInt);
        let line = self.linker.session.sources.location(span).map_or(0, |at| u128::from(at.line));
        let types = &self.linker.session.types;
        let nothing = Expr::integer(0, text, types);
        let line = Expr::integer(line, number, types);
        self.call_known("__assert_fail", vec![nothing.clone(), nothing.clone(), line, nothing], None, span);
    }
}
