//! Which name has which meaning.

use super::Known;
use super::math::math;

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
            _ => return super::Word::named(name).map(Word).or_else(|| math(name)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MathFunction, Word};
    use super::*;
    use crate::FloatKind;

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
