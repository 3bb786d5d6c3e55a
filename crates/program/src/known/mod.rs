//! Functions with a built-in meaning, by name.
//!
//! A name stands here when C code in the model library cannot say what it does (allocation, input and output, threads),
//! or when an engine can do better than walk the model's body (`memcpy`). What a user's program defines itself is the
//! user's.

mod math;
mod names;
mod word;

pub use math::MathFunction;
pub use word::Word;

use crate::FloatKind;

/// The function whose call stands for a data race, in programs that make one of all interleavings.
pub const DATA_RACE: &str = "__concord_data_race";

/// The function whose call says that a thread breaks a condition which proofs for any number of threads suppose of the
/// others.
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

    // Atomic sections. Those of the program itself are `__VERIFIER_atomic_begin()`; an atomic operation (`__atomic_…`,
    // `_Atomic`) is `__concord_atomic_begin(order)`, with the number of its memory order; with the number
    // [`Known::STEP`] it begins what is one step of its thread and nothing else, which `__concord_atomic_end(STEP)`
    // ends.
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
    /// `__concord_new_stream(n)`: the object behind a stream that is opened. No block of the program: it is neither
    /// freed nor leaked.
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

impl Known {
    /// In place of a memory order: what follows is one step of its thread. It orders nothing and excludes nobody beyond
    /// that, and its accesses are no data races: assertions in comments, and statements where they are meant to be
    /// whole.
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

    /// Does the body of its description (crate `library`) say all of it? Then every engine walks the body, and only the
    /// interpreter has a faster way.
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
