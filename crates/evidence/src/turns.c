/* Who runs when: a thread comes to a step that others see, and waits until it is its turn. Its turn lasts until the step is made. So one such step is
   made at a time, and the order of all of them is that of the plan; what a thread does in between nobody sees. */
extern long __c_syscall(long, ...) __asm__("syscall");
extern long __c_write(int, const void *, unsigned long) __asm__("write");
extern void __c_quit(int) __asm__("_exit") __attribute__((noreturn));
extern void __c_abort(void) __asm__("abort") __attribute__((noreturn));
extern int __c_pause(void) __asm__("pause");
extern unsigned __c_alarm(unsigned) __asm__("alarm");
extern unsigned __c_alarm_soon(unsigned, unsigned) __asm__("ualarm");
extern void *__c_signal(int, void (*)(int)) __asm__("signal");
extern int __c_real_create(void *, const void *, void *(*)(void *), void *) __asm__("pthread_create");
extern void __c_real_exit(void *) __asm__("pthread_exit") __attribute__((noreturn));
extern int __c_real_lock(void *) __asm__("pthread_mutex_lock");
extern int __c_real_unlock(void *) __asm__("pthread_mutex_unlock");
extern int __c_real_try(void *) __asm__("pthread_mutex_trylock");

#ifdef __x86_64__
#define __C_FUTEX 202
#else
#define __C_FUTEX 240
#endif
/* Statuses: some threads wait for ever, as planned; the run is not the planned one. */
#define __C_DEADLOCK 86
#define __C_ANOTHER 87

static int __c_cursor;
static int __c_created = 1;
static int __c_met;
static struct { const char *address; long size; int writes; } __c_stand[__C_THREADS + 1];
static struct { void *(*routine)(void *); void *argument; } __c_begun[__C_THREADS + 1];
static unsigned long __c_handles[__C_THREADS + 1];
static int __c_ended[__C_THREADS + 1];
static int __c_next_input[__C_THREADS + 1];
static int __c_next_result[__C_THREADS + 1];
static __thread int __c_self, __c_sections, __c_has_turn, __c_site, __c_is_last;

static void __c_tell(const char *text)
{
    unsigned long size = 0;
    while (text[size]) size++;
    __c_write(2, text, size);
}

static void __c_another(void)
{
    __c_tell("the run is not the planned one\n");
    __c_quit(__C_ANOTHER);
}

#if __C_STUCK
static void __c_watch(void);
#else
static void __c_watch(void) { __c_another(); }
#endif

static void __c_time_is_over(int which) { __c_watch(); }

__attribute__((constructor)) static void __c_begin(void)
{
    __c_signal(14, __c_time_is_over);
    __c_alarm(60);
}

/* The turn is over. */
static void __c_pass(void)
{
    if (!__c_has_turn) return;
    __c_has_turn = 0;
    __atomic_add_fetch(&__c_cursor, 1, __ATOMIC_SEQ_CST);
    __c_syscall(__C_FUTEX, &__c_cursor, 1, 0x7fffffff, (void *)0);
}

static void __c_stop(void)
{
    __c_pass();
    for (;;) __c_pause();
}

/* The two threads of a race stand before their accesses at once: the last comes here. */
static void __c_race(void)
{
    int one = __c_plan[__C_LENGTH - 2].thread, two = __c_plan[__C_LENGTH - 1].thread;
    const char *first = __c_stand[one].address, *second = __c_stand[two].address;
    if (!first || !second || first >= second + __c_stand[two].size || second >= first + __c_stand[one].size
        || !(__c_stand[one].writes || __c_stand[two].writes))
        __c_another();
    __c_tell("data race: two threads are about to access the same memory, and one of them writes\n");
    __c_abort();
}

#if __C_STUCK
/* Which of those that wait for ever the thread is, if it stands there and has come so far; otherwise a negative number. */
static int __c_stuck_at(int site, int how)
{
    int i;
    for (i = 0; i < __C_STUCK; i++)
        if (__c_stuck[i].thread == __c_self && __c_stuck[i].site == site && __c_stuck[i].how == how) return i;
    return -1;
}

/* All planned steps are made: who waits for ever goes on into the call that does not return, all others stay. */
static void __c_after_the_plan(int site)
{
    if (__c_stuck_at(site, __C_BEFORE) < 0) __c_stop();
    __c_is_last = 1;
}
#else
static void __c_after_the_plan(int site) { __c_another(); }
#endif

static void __c_wait_for_turn(int site, int resumes)
{
    __c_pass();
    for (;;) {
        int at = __atomic_load_n(&__c_cursor, __ATOMIC_SEQ_CST);
        if (at >= __C_LENGTH) {
            __c_after_the_plan(site);
            return;
        }
        if (__C_RACE && at == __C_LENGTH - 2
            && ((__c_plan[at].thread == __c_self && __c_plan[at].site == site)
                || (__c_plan[at + 1].thread == __c_self && __c_plan[at + 1].site == site))) {
            if (__atomic_add_fetch(&__c_met, 1, __ATOMIC_SEQ_CST) == 2) __c_race();
            for (;;) __c_pause();
        }
        if (__c_plan[at].thread == __c_self) {
            if (__c_plan[at].site != site || __c_plan[at].resumes != resumes) __c_another();
            break;
        }
        __c_syscall(__C_FUTEX, &__c_cursor, 0, at, (void *)0);
    }
    __c_has_turn = 1;
    __c_site = site;
}

static void __c_turn(int site)
{
    if (__c_sections) return;
    __c_wait_for_turn(site, 0);
}

static void __c_turn_at(int site, const void *address, long size, int writes)
{
    if (__c_sections) return;
    __c_stand[__c_self].address = address;
    __c_stand[__c_self].size = size;
    __c_stand[__c_self].writes = writes;
    __c_wait_for_turn(site, 0);
}

/* The step is made. */
static void __c_over(void)
{
    if (!__c_sections) __c_pass();
}

static void __c_section(int change) { __c_sections += change; }

/* What must not be called is called: that is the failure, if it was planned here. */
static void __c_forbidden(const char *name)
{
    if (__c_cursor != __C_LENGTH - 1 || !__c_has_turn) return;
    __c_tell(name);
    __c_tell(" is called\n");
    __c_abort();
}

static unsigned long long __c_input(void)
{
    int next = __c_next_input[__c_self]++;
    if (next >= __c_input_count[__c_self]) return 0;
    return __c_inputs[__c_first_input[__c_self] + next];
}

static int __c_result(void)
{
    int next = __c_next_result[__c_self]++;
    if (next >= __c_result_count[__c_self]) return 0;
    return __c_results[__c_first_result[__c_self] + next];
}

/* Does the call that waits go on, by the plan? Otherwise nothing of the thread is planned any more, or another step. */
static int __c_resumes(void)
{
    int at;
    for (at = __c_cursor + 1; at < __C_LENGTH; at++)
        if (__c_plan[at].thread == __c_self) return __c_plan[at].resumes ? 1 : 0;
    return -1;
}

static void *__c_run(void *number)
{
    void *result;
    __c_self = (int)(long)number;
    result = __c_begun[__c_self].routine(__c_begun[__c_self].argument);
    __c_ended[__c_self] = 1;
    __c_pass();
    return result;
}

int __c_create_thread(void *handle, const void *attributes, void *(*routine)(void *), void *argument)
    __asm__("__c_create");
int __c_create_thread(void *handle, const void *attributes, void *(*routine)(void *), void *argument)
{
    static unsigned long nobody[4];
    int number = __c_created++, result;
    if (number > __C_THREADS) __c_another();
    __c_begun[number].routine = routine;
    __c_begun[number].argument = argument;
    result = __c_real_create(handle ? handle : nobody, attributes, __c_run, (void *)(long)number);
    __c_handles[number] = *(unsigned long *)(handle ? handle : nobody);
    return result;
}

void __c_exit_thread(void *result) __asm__("__c_exit");
void __c_exit_thread(void *result)
{
    __c_ended[__c_self] = 1;
    __c_pass();
    __c_real_exit(result);
}

#if __C_STUCK
/* Who has which lock or runs which `once`; a thread is here once for each time. All of this is done in turns. */
#define __C_MOST_HELD 1000
static struct { const void *object; int thread; } __c_held[__C_MOST_HELD];
static int __c_held_count;

static void __c_hold(const void *object)
{
    if (__c_held_count == __C_MOST_HELD) __c_another();
    __c_held[__c_held_count].object = object;
    __c_held[__c_held_count++].thread = __c_self;
}

static void __c_give_back(const void *object)
{
    int i;
    for (i = __c_held_count - 1; i >= 0; i--)
        if (__c_held[i].object == object && __c_held[i].thread == __c_self) {
            __c_held[i] = __c_held[--__c_held_count];
            return;
        }
}

/* What those wait for that have come to the call that does not return, and how it is given to them. */
enum { __C_HELD, __C_JOINED, __C_TOLD };
static struct { const void *object; int by, thread; } __c_blocked[__C_THREADS + 1];
static int __c_blocked_count;

static int __c_is_stuck(int thread)
{
    int i;
    for (i = 0; i < __C_STUCK; i++)
        if (__c_stuck[i].thread == thread) return 1;
    return 0;
}

/* The thread is about to make the call that does not return. When all of them are, they have a tenth of a second to show that they do. */
static void __c_block(const void *object, int by, int thread)
{
    __c_blocked[__c_self].object = object;
    __c_blocked[__c_self].by = by;
    __c_blocked[__c_self].thread = thread;
    if (__atomic_add_fetch(&__c_blocked_count, 1, __ATOMIC_SEQ_CST) == __C_STUCK) __c_alarm_soon(100000, 0);
}

/* A lock is had by one that waits for ever itself or has ended, so is whoever is joined. That nobody is left who might signal, post or come to a barrier is what the head of this file says. */
static int __c_nobody_releases(int thread)
{
    int i;
    switch (__c_blocked[thread].by) {
    case __C_HELD:
        for (i = 0; i < __c_held_count; i++)
            if (__c_held[i].object == __c_blocked[thread].object
                && (__c_ended[__c_held[i].thread] || __c_is_stuck(__c_held[i].thread))) return 1;
        return 0;
    case __C_JOINED: return __c_is_stuck(__c_blocked[thread].thread);
    default: return 1;
    }
}

/* The watchdog: none of the calls has returned. */
static void __c_watch(void)
{
    int i;
    if (__c_blocked_count != __C_STUCK) __c_another();
    for (i = 0; i < __C_STUCK; i++)
        if (!__c_nobody_releases(__c_stuck[i].thread)) __c_another();
    __c_tell("deadlock: these threads wait for ever\n");
    for (i = 0; i < __C_STUCK; i++) {
        __c_tell("  ");
        __c_tell(__c_stuck[i].what);
        __c_tell("\n");
    }
    __c_quit(__C_DEADLOCK);
}

/* Until all planned steps are made. */
static void __c_until_the_end(void)
{
    int at;
    __c_pass();
    while ((at = __atomic_load_n(&__c_cursor, __ATOMIC_SEQ_CST)) < __C_LENGTH)
        __c_syscall(__C_FUTEX, &__c_cursor, 0, at, (void *)0);
}

static int __c_take(void *object, int (*attempt)(void *), int (*take)(void *))
{
    int result;
    if (!__c_is_last) {
        result = take(object);
        if (!result) __c_hold(object);
        return result;
    }
    if (!attempt(object)) __c_another();
    __c_block(object, __C_HELD, 0);
    take(object);
    __c_another();
    return 0;
}

static int __c_try(void *object, int (*attempt)(void *))
{
    int result = attempt(object);
    if (!result) __c_hold(object);
    return result;
}

static int __c_leave(void *object, int (*leave)(void *))
{
    int result = leave(object);
    if (!result) __c_give_back(object);
    return result;
}

#define __C_TAKES(ours, tries, takes) \
    extern int __c_really_##ours(void *) __asm__(takes), __c_tries_##ours(void *) __asm__(tries); \
    int __c_own_##ours(void *object) __asm__("__c_" #ours); \
    int __c_own_##ours(void *object) { return __c_take(object, __c_tries_##ours, __c_really_##ours); }
#define __C_TRIES(ours, tries) \
    extern int __c_really_##ours(void *) __asm__(tries); \
    int __c_own_##ours(void *object) __asm__("__c_" #ours); \
    int __c_own_##ours(void *object) { return __c_try(object, __c_really_##ours); }
#define __C_LEAVES(ours, leaves) \
    extern int __c_really_##ours(void *) __asm__(leaves); \
    int __c_own_##ours(void *object) __asm__("__c_" #ours); \
    int __c_own_##ours(void *object) { return __c_leave(object, __c_really_##ours); }

__C_TAKES(lock, "pthread_mutex_trylock", "pthread_mutex_lock")
__C_TRIES(try_lock, "pthread_mutex_trylock")
__C_LEAVES(unlock, "pthread_mutex_unlock")
__C_TAKES(spin_lock, "pthread_spin_trylock", "pthread_spin_lock")
__C_TRIES(try_spin_lock, "pthread_spin_trylock")
__C_LEAVES(spin_unlock, "pthread_spin_unlock")
__C_TAKES(read_lock, "pthread_rwlock_tryrdlock", "pthread_rwlock_rdlock")
__C_TRIES(try_read_lock, "pthread_rwlock_tryrdlock")
__C_TAKES(write_lock, "pthread_rwlock_trywrlock", "pthread_rwlock_wrlock")
__C_TRIES(try_write_lock, "pthread_rwlock_trywrlock")
__C_LEAVES(read_write_unlock, "pthread_rwlock_unlock")

extern int __c_real_wait(void *) __asm__("sem_wait"), __c_real_try_wait(void *) __asm__("sem_trywait");
int __c_wait_for_post(void *semaphore) __asm__("__c_sem_wait");
int __c_wait_for_post(void *semaphore)
{
    if (!__c_is_last) return __c_real_wait(semaphore);
    if (!__c_real_try_wait(semaphore)) __c_another();
    __c_block(semaphore, __C_TOLD, 0);
    __c_real_wait(semaphore);
    __c_another();
    return 0;
}

extern int __c_real_join(unsigned long, void **) __asm__("pthread_join");
int __c_wait_for_thread(unsigned long handle, void **result) __asm__("__c_join");
int __c_wait_for_thread(unsigned long handle, void **result)
{
    int number;
    if (!__c_is_last) return __c_real_join(handle, result);
    for (number = __c_created - 1; number > 0 && __c_handles[number] != handle; number--);
    __c_block(0, __C_JOINED, number);
    __c_real_join(handle, result);
    __c_another();
    return 0;
}

extern int __c_real_once(void *, void (*)(void)) __asm__("pthread_once");
int __c_do_once(void *control, void (*routine)(void)) __asm__("__c_once");
int __c_do_once(void *control, void (*routine)(void))
{
    int result;
    if (__c_is_last) {
        __c_block(control, __C_HELD, 0);
        __c_real_once(control, routine);
        __c_another();
    }
    __c_hold(control);
    result = __c_real_once(control, routine);
    __c_give_back(control);
    return result;
}

/* The thread waits in the middle of a call, and nothing of it is planned any more: for ever, or until the failure. */
static void __c_stay(int site, void *object, void *mutex)
{
    if (__c_stuck_at(site, __C_IN_WAIT) >= 0 || __c_stuck_at(site, __C_AT_BARRIER) >= 0) {
        __c_until_the_end();
        __c_block(object, __C_TOLD, 0);
        for (;;) __c_pause();
    }
    if (mutex && __c_stuck_at(site, __C_WITHOUT_MUTEX) >= 0) {
        __c_until_the_end();
        __c_is_last = 1;
        __c_take(mutex, __c_real_try, __c_real_lock);
    }
    __c_stop();
}

static int __c_stays(int site)
{
    return __c_stuck_at(site, __C_IN_WAIT) >= 0 || __c_stuck_at(site, __C_WITHOUT_MUTEX) >= 0
        || __c_stuck_at(site, __C_AT_BARRIER) >= 0;
}
#define __C_UNLOCK(mutex) __c_leave(mutex, __c_real_unlock)
#define __C_LOCK(mutex) __c_take(mutex, __c_real_try, __c_real_lock)
#else
static void __c_stay(int site, void *object, void *mutex) { __c_stop(); }
static int __c_stays(int site) { return 0; }
#define __C_UNLOCK(mutex) __c_real_unlock(mutex)
#define __C_LOCK(mutex) __c_real_lock(mutex)
#endif

int __c_wait_for_signal(void *condition, void *mutex) __asm__("__c_cond_wait");
int __c_wait_for_signal(void *condition, void *mutex)
{
    int site = __c_site, next = __c_resumes();
    __C_UNLOCK(mutex);
    if (next != 1) __c_stay(site, condition, mutex);
    for (; next == 1; next = __c_resumes()) __c_wait_for_turn(site, 1);
    if (next < 0 && __c_stays(site)) __c_stay(site, condition, mutex);
    __C_LOCK(mutex);
    return 0;
}

int __c_tell_waiters(void *condition) __asm__("__c_cond_signal");
int __c_tell_waiters(void *condition) { return 0; }

int __c_meet(void *barrier) __asm__("__c_barrier_wait");
int __c_meet(void *barrier)
{
    int site = __c_site, result = __c_result(), next;
    while ((next = __c_resumes()) == 1) __c_wait_for_turn(site, 1);
    if (next < 0 && __c_stays(site)) __c_stay(site, barrier, 0);
    return result;
}
