/* threads.h: said by the POSIX functions that engines know. */
int pthread_create(void *, const void *, void *(*)(void *), void *);
int pthread_join(unsigned long, void **);
int pthread_detach(unsigned long);
void pthread_exit(void *);
unsigned long pthread_self(void);
int sched_yield(void);
int pthread_mutexattr_init(void *);
int pthread_mutexattr_settype(void *, int);
int pthread_mutex_init(void *, const void *);
int pthread_mutex_lock(void *);
int pthread_mutex_trylock(void *);
int pthread_mutex_timedlock(void *, const void *);
int pthread_mutex_unlock(void *);
int pthread_mutex_destroy(void *);
int pthread_cond_init(void *, const void *);
int pthread_cond_wait(void *, void *);
int pthread_cond_timedwait(void *, void *, const void *);
int pthread_cond_signal(void *);
int pthread_cond_broadcast(void *);
int pthread_cond_destroy(void *);
int pthread_key_create(unsigned *, void (*)(void *));
int pthread_key_delete(unsigned);
void *pthread_getspecific(unsigned);
int pthread_setspecific(unsigned, const void *);
int pthread_once(void *, void (*)(void));

/* thrd_success, thrd_busy, thrd_error, thrd_timedout */
static int told(int error) { return error == 0 ? 0 : error == 16 ? 1 : error == 110 ? 4 : 2; }

//! thrd_create: starts a thread
int thrd_create(unsigned long *thread, int (*run)(void *), void *argument)
{
    return told(pthread_create(thread, 0, (void *(*)(void *))run, argument));
}

//! thrd_join: waits for the end of a thread
int thrd_join(unsigned long thread, int *result)
{
    void *ended_with;
    int error = pthread_join(thread, &ended_with);
    if (!error && result)
        *result = (int)(long)ended_with;
    return told(error);
}

//! thrd_detach: gives up waiting for a thread
int thrd_detach(unsigned long thread) { return told(pthread_detach(thread)); }

//! thrd_exit: ends the thread that calls it
void thrd_exit(int result) { pthread_exit((void *)(long)result); }

//! thrd_current: the thread that calls it
unsigned long thrd_current(void) { return pthread_self(); }

//! thrd_equal: whether two threads are the same
int thrd_equal(unsigned long one, unsigned long two) { return one == two; }

//! thrd_yield: lets other threads run
void thrd_yield(void) { sched_yield(); }

//! thrd_sleep: waits; negative where it is interrupted
int thrd_sleep(const void *wanted, void *left)
{
    (void)wanted;
    (void)left;
    return __concord_any_bool(0) ? -1 : 0;
}

//! mtx_init: makes a mutex: plain, timed, recursive
int mtx_init(void *mutex, int type)
{
    int kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, type & 1);
    return told(pthread_mutex_init(mutex, &kind));
}

//! mtx_lock: locks a mutex
int mtx_lock(void *mutex) { return told(pthread_mutex_lock(mutex)); }

//! mtx_trylock: locks a mutex if that is possible at once, and may fail even then
int mtx_trylock(void *mutex) { return __concord_any_bool(0) ? 1 : told(pthread_mutex_trylock(mutex)); }

//! mtx_timedlock: locks a mutex, or gives up after a while
int mtx_timedlock(void *mutex, const void *until) { return told(pthread_mutex_timedlock(mutex, until)); }

//! mtx_unlock: unlocks a mutex
int mtx_unlock(void *mutex) { return told(pthread_mutex_unlock(mutex)); }

//! mtx_destroy: ends a mutex
void mtx_destroy(void *mutex) { pthread_mutex_destroy(mutex); }

//! cnd_init: makes a condition variable
int cnd_init(void *condition) { return told(pthread_cond_init(condition, 0)); }

//! cnd_wait: waits on a condition variable
int cnd_wait(void *condition, void *mutex) { return told(pthread_cond_wait(condition, mutex)); }

//! cnd_timedwait: waits on a condition variable for some time
int cnd_timedwait(void *condition, void *mutex, const void *until)
{
    return told(pthread_cond_timedwait(condition, mutex, until));
}

//! cnd_signal: wakes a waiter of a condition variable
int cnd_signal(void *condition) { return told(pthread_cond_signal(condition)); }

//! cnd_broadcast: wakes all waiters of a condition variable
int cnd_broadcast(void *condition) { return told(pthread_cond_broadcast(condition)); }

//! cnd_destroy: ends a condition variable
void cnd_destroy(void *condition) { pthread_cond_destroy(condition); }

//! tss_create: a key for values of a thread's own
int tss_create(unsigned *key, void (*destructor)(void *)) { return told(pthread_key_create(key, destructor)); }

//! tss_delete: ends such a key
void tss_delete(unsigned key) { pthread_key_delete(key); }

//! tss_get: the value of the thread that asks
void *tss_get(unsigned key) { return pthread_getspecific(key); }

//! tss_set: changes the value of the thread that asks
int tss_set(unsigned key, void *value) { return told(pthread_setspecific(key, value)); }

//! call_once: calls a function once
void call_once(void *flag, void (*run)(void)) { pthread_once(flag, run); }
