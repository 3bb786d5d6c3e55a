//! The contract words of descriptions of library functions.

/// A contract word: descriptions of library functions (crate `library`) call it to say what must hold when the function
/// is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Word {
    /// `__concord_readable(p, n)`: the `n` bytes at `p` lie in one living object. No bytes are always fine, null
    /// included.
    Readable,
    /// `__concord_writable(p, n)`: as [`Word::Readable`], and the object is not read-only.
    Writable,
    /// `__concord_apart(a, n, b, m)`: the `n` bytes at `a` and the `m` bytes at `b` have none in common.
    Apart,
    /// `__concord_need(condition, what)`: the condition holds, else the argument is one that the function does not
    /// accept.
    Need,
    /// `__concord_need_no_overflow(condition, what)`: the condition holds, else the function's signed arithmetic
    /// overflows.
    NeedNoOverflow,
    /// `__concord_need_argument(condition, what)`: the condition holds, else `va_arg` asks for what was not passed.
    NeedArgument,
    /// `__concord_unknown(what)`: nothing is known past this point.
    Unknown,
    /// `__concord_any_int(usual)`, `__concord_any_long(usual)`, `__concord_any_bool(usual)`: any value of the type. A
    /// run that follows inputs takes one; a plain run takes the usual.
    Any,
    /// `__concord_some_int(usual)`, `__concord_some_long(usual)`: one value that nobody knows. A proof covers all of
    /// them; a run that follows inputs ends here, so that no violation rests on it; a plain run takes the usual.
    Some,
}

impl Word {
    /// All words with the names that descriptions use.
    pub const NAMED: [(&'static str, Word); 12] = [
        ("__concord_readable", Word::Readable),
        ("__concord_writable", Word::Writable),
        ("__concord_apart", Word::Apart),
        ("__concord_need", Word::Need),
        ("__concord_need_no_overflow", Word::NeedNoOverflow),
        ("__concord_need_argument", Word::NeedArgument),
        ("__concord_unknown", Word::Unknown),
        ("__concord_any_int", Word::Any),
        ("__concord_any_long", Word::Any),
        ("__concord_any_bool", Word::Any),
        ("__concord_some_int", Word::Some),
        ("__concord_some_long", Word::Some),
    ];

    pub(super) fn named(name: &str) -> Option<Word> {
        Word::NAMED.iter().find(|(own, _)| *own == name).map(|(_, word)| *word)
    }
}
