//! Functions with a built-in meaning, by name.
//!
//! A name stands here when C code in the model library cannot say what it does (allocation, input and output, threads), or when an
//! engine can do better than walk the model's body (`memcpy`). What a user's program defines itself is the user's.

use crate::FloatKind;

/// The function whose call stands for a data race, in programs that make one of all interleavings.
pub const DATA_RACE: &str = "__concord_data_race";

/// The function whose call says that a thread breaks a condition which proofs for any number of threads suppose of the others.
pub const BROKEN_CONDITION: &str = "__concord_broken_condition";

/// The function whose call stands for threads that wait for ever, in such programs.
pub const DEADLOCK: &str = "__concord_deadlock";

/// The function whose call stands for the misuse of a function of threads, in such programs.
pub const THREAD_MISUSE: &str = "__concord_thread_misuse";

/// What inputs are called that choose the thread to run next, in such programs.
pub const NEXT_THREAD: &str = "next thread";

/// A function whose meaning engines know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Known {
    // Ends of a run.
    Abort,
    Exit,
    /// `_Exit`, `_exit`, `quick_exit`: no `atexit` handlers.
    ExitNow,
    AtExit,
    /// `__assert_fail` and its relatives.
    AssertFail,
    /// `__VERIFIER_error`
    VerifierError,
    /// `reach_error`; a marker: the user's body, if any, runs too.
    ReachError,
    /// `__builtin_unreachable`: getting there is undefined behaviour.
    Unreachable,
    /// `__builtin_trap`
    Trap,

    // Atomic sections. Those of the program itself are `__VERIFIER_atomic_begin()`; an atomic operation (`__atomic_…`, `_Atomic`) is
    // `__concord_atomic_begin(order)`, with the number of its memory order; with the number [`Known::STEP`] it begins what is one step of its
    // thread and nothing else, which `__concord_atomic_end(STEP)` ends.
    AtomicBegin,
    AtomicEnd,

    // Memory.
    Malloc,
    Calloc,
    Realloc,
    Free,
    /// Freed when the caller returns.
    Alloca,
    AlignedAlloc,
    MemoryCopy,
    MemoryMove,
    MemorySet,

    // Variable arguments: the first argument points to the `va_list`'s storage.
    VaStart,
    /// The result's type is the type asked for.
    VaArg,
    VaEnd,
    VaCopy,

    // Output.
    Printf,
    Fprintf,
    Sprintf,
    Snprintf,
    Vprintf,
    Vfprintf,
    Vsprintf,
    Vsnprintf,
    Putchar,
    Puts,
    /// `putc`, `fputc`
    Fputc,
    Fputs,
    Fwrite,
    Fflush,
    Perror,

    // Input.
    Getchar,
    /// `getc`, `fgetc`
    Fgetc,
    Fgets,
    Fread,
    Ungetc,
    Feof,
    Scanf,
    Fscanf,
    Sscanf,
    /// `__concord_new_stream(n)`: the object behind a stream that is opened. No block of the program: it is neither freed nor leaked.
    NewStream,

    // Threads.
    ThreadCreate,
    ThreadJoin,
    ThreadExit,
    ThreadSelf,
    ThreadDetach,
    /// `sched_yield`, `pthread_yield`
    ThreadYield,
    MutexInit,
    MutexDestroy,
    MutexLock,
    MutexTryLock,
    /// `pthread_mutex_timedlock`, `pthread_mutex_clocklock`
    MutexTimedLock,
    MutexUnlock,
    MutexAttributesInit,
    MutexAttributesSetType,
    MutexAttributesDestroy,
    /// `pthread_spin_init`; the other spin lock functions are those of a normal mutex.
    SpinInit,
    RwlockInit,
    RwlockDestroy,
    RwlockReadLock,
    RwlockWriteLock,
    RwlockTryReadLock,
    RwlockTryWriteLock,
    RwlockTimedReadLock,
    RwlockTimedWriteLock,
    RwlockUnlock,
    CondInit,
    CondDestroy,
    CondWait,
    /// `pthread_cond_timedwait`, `pthread_cond_clockwait`
    CondTimedWait,
    CondSignal,
    CondBroadcast,
    OnceCall,
    KeyCreate,
    KeyDelete,
    KeyGet,
    KeySet,
    BarrierInit,
    BarrierDestroy,
    BarrierWait,
    SemaphoreInit,
    SemaphoreDestroy,
    SemaphoreWait,
    SemaphoreTryWait,
    SemaphoreTimedWait,
    SemaphoreGetValue,
    SemaphorePost,

    /// `setjmp` and relatives; flagged.
    Setjmp,
    /// `longjmp` and relatives; flagged.
    Longjmp,

    /// A function of `math.h` in the given format.
    Math(MathFunction, FloatKind),

    /// A word in which descriptions of library functions say what must hold at a call.
    Word(Word),
}

/// A contract word: descriptions of library functions (crate `library`) call it to say what must hold when the function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Word {
    /// `__concord_readable(p, n)`: the `n` bytes at `p` lie in one living object. No bytes are always fine, null included.
    Readable,
    /// `__concord_writable(p, n)`: as [`Word::Readable`], and the object is not read-only.
    Writable,
    /// `__concord_apart(a, n, b, m)`: the `n` bytes at `a` and the `m` bytes at `b` have none in common.
    Apart,
    /// `__concord_need(condition, what)`: the condition holds, else the argument is one that the function does not accept.
    Need,
    /// `__concord_need_no_overflow(condition, what)`: the condition holds, else the function's signed arithmetic overflows.
    NeedNoOverflow,
    /// `__concord_need_argument(condition, what)`: the condition holds, else `va_arg` asks for what was not passed.
    NeedArgument,
    /// `__concord_unknown(what)`: nothing is known past this point.
    Unknown,
    /// `__concord_any_int(usual)`, `__concord_any_long(usual)`, `__concord_any_bool(usual)`: any value of the type. A run that follows inputs takes one; a plain run takes the usual.
    Any,
    /// `__concord_some_int(usual)`, `__concord_some_long(usual)`: one value that nobody knows. A proof covers all of them; a run that follows inputs
    /// ends here, so that no violation rests on it; a plain run takes the usual.
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

    fn named(name: &str) -> Option<Word> {
        Word::NAMED.iter().find(|(own, _)| *own == name).map(|(_, word)| *word)
    }
}

/// Functions of `math.h` on one, two or three values of one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum MathFunction {
    Sqrt,
    Fabs,
    Floor,
    Ceil,
    Trunc,
    Round,
    Rint,
    Fmod,
    Remainder,
    Fmin,
    Fmax,
    Fdim,
    Copysign,
    Pow,
    Exp,
    Log,
    Log2,
    Log10,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Cbrt,
    Hypot,
    /// Multiplication and addition, rounded once; of three values.
    Fma,
    Nextafter,
    /// `isnan` as a function: an `int`.
    IsNan,
    /// `isinf` as a function: an `int`, -1 or 1 by sign as glibc has it.
    IsInf,
    /// `finite`, `__finite`: an `int`.
    IsFinite,
    /// `signbit`, `__signbit`: an `int`.
    SignBit,
    /// `__fpclassify`: glibc's `FP_…` value.
    Classify,
}

impl Known {
    /// The meaning of a function's name, if it has one.
    pub fn by_name(name: &str) -> Option<Known> {
        use Known::*;
        Some(match name {
            "abort" => Abort,
            "exit" => Exit,
            "_Exit" | "_exit" | "quick_exit" => ExitNow,
            "atexit" => AtExit,
            "__assert_fail" | "__assert_rtn" | "__assert" | "__assert_perror_fail" => AssertFail,
            "__VERIFIER_error" => VerifierError,
            "reach_error" => ReachError,
            "__builtin_unreachable" => Unreachable,
            "__builtin_trap" => Trap,
            "__VERIFIER_atomic_begin" | "__concord_atomic_begin" => AtomicBegin,
            "__VERIFIER_atomic_end" | "__concord_atomic_end" => AtomicEnd,
            "malloc" => Malloc,
            "calloc" => Calloc,
            "realloc" => Realloc,
            "free" | "cfree" => Free,
            "alloca" | "__builtin_alloca" => Alloca,
            "aligned_alloc" | "memalign" => AlignedAlloc,
            "memcpy" => MemoryCopy,
            "memmove" => MemoryMove,
            "memset" => MemorySet,
            "__builtin_va_start" => VaStart,
            "__builtin_va_arg" => VaArg,
            "__builtin_va_end" => VaEnd,
            "__builtin_va_copy" => VaCopy,
            "printf" => Printf,
            "fprintf" => Fprintf,
            "sprintf" => Sprintf,
            "snprintf" => Snprintf,
            "vprintf" => Vprintf,
            "vfprintf" => Vfprintf,
            "vsprintf" => Vsprintf,
            "vsnprintf" => Vsnprintf,
            "putchar" | "putchar_unlocked" => Putchar,
            "puts" => Puts,
            "putc" | "fputc" | "_IO_putc" => Fputc,
            "fputs" => Fputs,
            "fwrite" => Fwrite,
            "fflush" => Fflush,
            "perror" => Perror,
            "getchar" | "getchar_unlocked" => Getchar,
            "getc" | "fgetc" | "_IO_getc" => Fgetc,
            "fgets" => Fgets,
            "fread" => Fread,
            "ungetc" => Ungetc,
            "feof" => Feof,
            "scanf" | "__isoc99_scanf" | "__isoc23_scanf" => Scanf,
            "fscanf" | "__isoc99_fscanf" | "__isoc23_fscanf" => Fscanf,
            "sscanf" | "__isoc99_sscanf" | "__isoc23_sscanf" => Sscanf,
            "__concord_new_stream" => NewStream,
            "pthread_create" | "__concord_thread_create" => ThreadCreate,
            "pthread_join" => ThreadJoin,
            "pthread_exit" | "__concord_thread_exit" => ThreadExit,
            "pthread_self" => ThreadSelf,
            "pthread_detach" => ThreadDetach,
            "sched_yield" | "pthread_yield" => ThreadYield,
            "pthread_mutex_init" => MutexInit,
            "pthread_mutex_destroy" | "pthread_spin_destroy" => MutexDestroy,
            "pthread_mutex_lock" | "pthread_spin_lock" => MutexLock,
            "pthread_mutex_trylock" | "pthread_spin_trylock" => MutexTryLock,
            "pthread_mutex_timedlock" | "pthread_mutex_clocklock" => MutexTimedLock,
            "pthread_mutex_unlock" | "pthread_spin_unlock" => MutexUnlock,
            "pthread_mutexattr_init" => MutexAttributesInit,
            "pthread_mutexattr_settype" => MutexAttributesSetType,
            "pthread_mutexattr_destroy" => MutexAttributesDestroy,
            "pthread_spin_init" => SpinInit,
            "pthread_rwlock_init" => RwlockInit,
            "pthread_rwlock_destroy" => RwlockDestroy,
            "pthread_rwlock_rdlock" => RwlockReadLock,
            "pthread_rwlock_wrlock" => RwlockWriteLock,
            "pthread_rwlock_tryrdlock" => RwlockTryReadLock,
            "pthread_rwlock_trywrlock" => RwlockTryWriteLock,
            "pthread_rwlock_timedrdlock" => RwlockTimedReadLock,
            "pthread_rwlock_timedwrlock" => RwlockTimedWriteLock,
            "pthread_rwlock_unlock" => RwlockUnlock,
            "pthread_cond_init" => CondInit,
            "pthread_cond_destroy" => CondDestroy,
            "pthread_cond_wait" => CondWait,
            "pthread_cond_timedwait" | "pthread_cond_clockwait" => CondTimedWait,
            "pthread_cond_signal" => CondSignal,
            "pthread_cond_broadcast" => CondBroadcast,
            "pthread_once" => OnceCall,
            "pthread_key_create" => KeyCreate,
            "pthread_key_delete" => KeyDelete,
            "pthread_getspecific" => KeyGet,
            "pthread_setspecific" => KeySet,
            "pthread_barrier_init" => BarrierInit,
            "pthread_barrier_destroy" => BarrierDestroy,
            "pthread_barrier_wait" => BarrierWait,
            "sem_init" => SemaphoreInit,
            "sem_destroy" => SemaphoreDestroy,
            "sem_wait" => SemaphoreWait,
            "sem_trywait" => SemaphoreTryWait,
            "sem_timedwait" | "sem_clockwait" => SemaphoreTimedWait,
            "sem_getvalue" => SemaphoreGetValue,
            "sem_post" => SemaphorePost,
            "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" => Setjmp,
            "longjmp" | "_longjmp" | "siglongjmp" => Longjmp,
            _ => return self::Word::named(name).map(Word).or_else(|| math(name)),
        })
    }

    /// In place of a memory order: what follows is one step of its thread. It orders nothing and excludes nobody beyond that, and
    /// its accesses are no data races: assertions in comments, and statements where they are meant to be whole.
    pub const STEP: u128 = 128;

    /// Does a call of [`Known::AtomicBegin`] or [`Known::AtomicEnd`] with these arguments begin or end a mere step?
    pub fn is_step(arguments: &[crate::Expr]) -> bool {
        arguments.first().and_then(crate::Expr::as_integer) == Some(Known::STEP)
    }

    /// Does the name only mark what a call means, so that a user's body runs all the same?
    pub fn is_marker(self) -> bool {
        matches!(self, Known::ReachError | Known::VerifierError | Known::AtomicBegin | Known::AtomicEnd)
    }

    /// Is what it allocates never written at first?
    pub fn gives_unwritten_memory(self) -> bool {
        matches!(self, Known::Malloc | Known::Realloc | Known::AlignedAlloc | Known::Alloca)
    }

    /// Does its result come from outside the program, so that a run may take it from its inputs?
    pub fn reads_outside(self) -> bool {
        use Known::*;
        matches!(self, Getchar | Fgetc | Fgets | Fread | Ungetc | Feof | Scanf | Fscanf)
    }

    /// Does its result tell whether output succeeded, which differs from run to run?
    pub fn tells_of_output(self) -> bool {
        use Known::*;
        matches!(
            self,
            Printf | Fprintf | Vprintf | Vfprintf | Putchar | Puts | Fputc | Fputs | Fwrite | Fflush
        )
    }

    /// Does the body of its description (crate `library`) say all of it? Then every engine walks the body, and only the interpreter has a faster way.
    pub fn is_described(self) -> bool {
        use Known::*;
        matches!(
            self,
            Printf
                | Fprintf
                | Sprintf
                | Snprintf
                | Vprintf
                | Vfprintf
                | Vsprintf
                | Vsnprintf
                | Putchar
                | Puts
                | Fputc
                | Fputs
                | Fwrite
                | Fflush
                | Perror
                | Getchar
                | Fgetc
                | Fgets
                | Fread
                | Ungetc
                | Feof
                | Scanf
                | Fscanf
                | Sscanf
        )
    }

    /// Does it change nothing that a program can see? Ends of a run, and words that only say what must hold.
    pub fn changes_nothing(self) -> bool {
        use Known::*;
        let ends = matches!(
            self,
            Abort | Exit | ExitNow | AssertFail | VerifierError | ReachError | Unreachable | Trap
        );
        ends || matches!(self, Word(_))
    }

    /// Does a call of it never come back?
    pub fn never_returns(self) -> bool {
        use Known::*;
        matches!(
            self,
            Abort | Exit | ExitNow | AssertFail | VerifierError | Unreachable | Trap | ThreadExit | Longjmp
        )
    }
}

/// Is what a described function allocates never written at first?
pub fn gives_unwritten_memory(name: &str) -> bool {
    matches!(name, "posix_memalign" | "reallocarray")
}

/// May the real function set `errno` where its description leaves it as it is?
pub fn may_set_error_number(name: &str) -> bool {
    matches!(
        name,
        "time"
            | "sleep"
            | "usleep"
            | "isatty"
            | "close"
            | "strdup"
            | "strndup"
            | "fopen"
            | "fopen64"
            | "freopen"
            | "fdopen"
            | "tmpfile"
            | "popen"
            | "pclose"
            | "fclose"
            | "fread"
            | "getline"
            | "getdelim"
            | "ungetc"
            | "feof"
            | "ferror"
            | "fseek"
            | "fseeko"
            | "ftell"
            | "ftello"
            | "rewind"
            | "fileno"
            | "setvbuf"
            | "setbuf"
            | "remove"
            | "rename"
            | "gets"
            | "open"
            | "open64"
            | "creat"
            | "unlink"
            | "rmdir"
            | "chdir"
            | "mkdir"
            | "access"
            | "getcwd"
            | "system"
            | "localtime"
            | "gmtime"
            | "localtime_r"
            | "gmtime_r"
            | "mktime"
            | "timegm"
            | "strftime"
            | "asctime"
            | "ctime"
            | "ctime_r"
            | "tmpnam"
            | "setenv"
            | "unsetenv"
            | "putenv"
            | "clearenv"
            | "read"
            | "write"
            | "clock_gettime"
            | "nanosleep"
            | "getc_unlocked"
            | "fgetc_unlocked"
            | "putc_unlocked"
            | "fputc_unlocked"
            | "fputs_unlocked"
            | "fgets_unlocked"
            | "fread_unlocked"
            | "fwrite_unlocked"
            | "fflush_unlocked"
            | "lrand48"
            | "posix_memalign"
            | "reallocarray"
    )
}

fn math(name: &str) -> Option<Known> {
    if let Some(function) = math_function(name) {
        return Some(Known::Math(function, FloatKind::Double));
    }
    let kind = match name.as_bytes().last()? {
        b'f' => FloatKind::Float,
        b'l' => FloatKind::LongDouble,
        _ => return None,
    };
    Some(Known::Math(math_function(&name[..name.len() - 1])?, kind))
}

fn math_function(name: &str) -> Option<MathFunction> {
    use MathFunction::*;
    Some(match name {
        "sqrt" => Sqrt,
        "fabs" => Fabs,
        "floor" => Floor,
        "ceil" => Ceil,
        "trunc" => Trunc,
        "round" => Round,
        "rint" | "nearbyint" => Rint,
        "fmod" => Fmod,
        "remainder" => Remainder,
        "fmin" => Fmin,
        "fmax" => Fmax,
        "fdim" => Fdim,
        "copysign" => Copysign,
        "pow" => Pow,
        "exp" => Exp,
        "log" => Log,
        "log2" => Log2,
        "log10" => Log10,
        "sin" => Sin,
        "cos" => Cos,
        "tan" => Tan,
        "asin" => Asin,
        "acos" => Acos,
        "atan" => Atan,
        "atan2" => Atan2,
        "sinh" => Sinh,
        "cosh" => Cosh,
        "tanh" => Tanh,
        "cbrt" => Cbrt,
        "hypot" => Hypot,
        "fma" => Fma,
        "nextafter" => Nextafter,
        "isnan" | "__isnan" => IsNan,
        "isinf" | "__isinf" => IsInf,
        "finite" | "__finite" => IsFinite,
        "signbit" | "__signbit" => SignBit,
        "__fpclassify" => Classify,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn math_names_carry_their_format() {
        assert_eq!(Known::by_name("sqrtf"), Some(Known::Math(MathFunction::Sqrt, FloatKind::Float)));
        assert_eq!(Known::by_name("__isnan"), Some(Known::Math(MathFunction::IsNan, FloatKind::Double)));
        assert_eq!(
            Known::by_name("__signbitl"),
            Some(Known::Math(MathFunction::SignBit, FloatKind::LongDouble))
        );
        assert_eq!(Known::by_name("sinful"), None);
        assert_eq!(Known::by_name("__concord_apart"), Some(Known::Word(Word::Apart)));
    }
}
