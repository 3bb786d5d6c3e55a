/* pthread.h, semaphore.h and sched.h. Threads are not said in C: engines know them by name. */
//! pthread_create (built in): starts a thread
//! pthread_join (built in): waits for the end of a thread
//! pthread_exit (built in): ends the thread that calls it
//! pthread_self (built in): the thread that calls it
//! pthread_detach (built in): gives up waiting for a thread
//! sched_yield, pthread_yield (built in): lets other threads run
//! pthread_mutex_init, pthread_mutex_destroy (built in): makes or ends a mutex
//! pthread_mutex_lock, pthread_mutex_trylock, pthread_mutex_unlock (built in): locks or unlocks a mutex
//! pthread_mutex_timedlock, pthread_mutex_clocklock (built in): locks a mutex, or gives up after a while
//! pthread_mutexattr_init, pthread_mutexattr_settype, pthread_mutexattr_destroy (built in): the kind of a mutex: normal, recursive, error-checking
//! pthread_spin_init, pthread_spin_destroy, pthread_spin_lock, pthread_spin_trylock, pthread_spin_unlock (built in): spin locks, as normal mutexes
//! pthread_rwlock_init, pthread_rwlock_destroy (built in): makes or ends a read-write lock
//! pthread_rwlock_rdlock, pthread_rwlock_wrlock, pthread_rwlock_unlock (built in): locks or unlocks a read-write lock
//! pthread_rwlock_tryrdlock, pthread_rwlock_trywrlock (built in): locks a read-write lock if that is possible at once
//! pthread_rwlock_timedrdlock, pthread_rwlock_timedwrlock (built in): locks a read-write lock, or gives up after a while
//! pthread_cond_init, pthread_cond_destroy (built in): makes or ends a condition variable
//! pthread_cond_wait, pthread_cond_signal, pthread_cond_broadcast (built in): waits on or wakes waiters of a condition variable
//! pthread_cond_timedwait, pthread_cond_clockwait (built in): waits on a condition variable for some time
//! pthread_once (built in): calls a function once
//! pthread_key_create, pthread_key_delete, pthread_getspecific, pthread_setspecific (built in): values of a thread's own
//! pthread_barrier_init, pthread_barrier_destroy, pthread_barrier_wait (built in): waits until enough threads have come
//! sem_init, sem_destroy, sem_wait, sem_post (built in): semaphores
//! sem_trywait, sem_timedwait, sem_clockwait, sem_getvalue (built in): semaphores

//! pthread_equal: whether two threads are the same
int pthread_equal(unsigned long one, unsigned long two)
{
    return one == two;
}

/* Attributes of threads say how a thread is run, not what it does; but for one that is created detached. */
void *memset(void *, int, size_t);

enum { attributes_size = sizeof(long) == 8 ? 56 : 36 };

//! pthread_attr_init: attributes of a thread to be, the usual ones
int pthread_attr_init(void *attributes)
{
    __concord_writable(attributes, attributes_size);
    memset(attributes, 0, attributes_size);
    return 0;
}

//! pthread_attr_destroy: ends attributes; the threads that were created with them go on
int pthread_attr_destroy(void *attributes)
{
    __concord_writable(attributes, attributes_size);
    return 0;
}

//! pthread_attr_setdetachstate: whether threads can be joined; nothing is known of those that cannot
int pthread_attr_setdetachstate(void *attributes, int state)
{
    __concord_writable(attributes, attributes_size);
    if (state == 0)
        return 0;
    if (state != 1)
        return 22;
    __concord_unknown("a thread that is created detached");
    return 0;
}

//! pthread_attr_setscope: which threads a thread competes with; all, on Linux
int pthread_attr_setscope(void *attributes, int scope)
{
    __concord_writable(attributes, attributes_size);
    if (scope == 0)
        return 0;
    return scope == 1 ? 95 : 22;
}

//! pthread_attr_setstacksize: how large the stack of a thread is
int pthread_attr_setstacksize(void *attributes, size_t size)
{
    __concord_writable(attributes, attributes_size);
    if (size < 16384)
        return 22;
    return 0;
}
