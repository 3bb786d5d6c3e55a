/* Who runs when: a thread comes to a step that others see, and waits until it is its turn. Its turn lasts until the step is made. So one such step is
   made at a time, and the order of all of them is that of the plan; what a thread does in between nobody sees. */
extern long __c_syscall(long, ...) __asm__("syscall");
extern long __c_write(int, const void *, unsigned long) __asm__("write");
extern void __c_quit(int) __asm__("_exit") __attribute__((noreturn));
extern void __c_abort(void) __asm__("abort") __attribute__((noreturn));
extern int __c_pause(void) __asm__("pause");
extern unsigned __c_alarm(unsigned) __asm__("alarm");
extern void *__c_signal(int, void (*)(int)) __asm__("signal");
extern int __c_real_create(void *, const void *, void *(*)(void *), void *) __asm__("pthread_create");
extern void __c_real_exit(void *) __asm__("pthread_exit") __attribute__((noreturn));
extern int __c_real_lock(void *) __asm__("pthread_mutex_lock");
extern int __c_real_unlock(void *) __asm__("pthread_mutex_unlock");

#ifdef __x86_64__
#define __C_FUTEX 202
#else
#define __C_FUTEX 240
#endif
/* Statuses: the run is not the planned one. */
#define __C_ANOTHER 87

static int __c_cursor;
static int __c_created = 1;
static int __c_met;
static struct { const char *address; long size; int writes; } __c_stand[__C_THREADS + 1];
static struct { void *(*routine)(void *); void *argument; } __c_begun[__C_THREADS + 1];
static int __c_next_input[__C_THREADS + 1];
static int __c_next_result[__C_THREADS + 1];
static __thread int __c_self, __c_sections, __c_has_turn, __c_site;

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

static void __c_too_long(int which) { __c_another(); }

__attribute__((constructor)) static void __c_begin(void)
{
    __c_signal(14, __c_too_long);
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

static void __c_wait_for_turn(int site, int resumes)
{
    __c_pass();
    for (;;) {
        int at = __atomic_load_n(&__c_cursor, __ATOMIC_SEQ_CST);
        if (at >= __C_LENGTH) __c_another();
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
    __c_pass();
    return result;
}

int __c_create_thread(void *handle, const void *attributes, void *(*routine)(void *), void *argument)
    __asm__("__c_create");
int __c_create_thread(void *handle, const void *attributes, void *(*routine)(void *), void *argument)
{
    static unsigned long nobody[4];
    int number = __c_created++;
    if (number > __C_THREADS) __c_another();
    __c_begun[number].routine = routine;
    __c_begun[number].argument = argument;
    return __c_real_create(handle ? handle : nobody, attributes, __c_run, (void *)(long)number);
}

void __c_exit_thread(void *result) __asm__("__c_exit");
void __c_exit_thread(void *result)
{
    __c_pass();
    __c_real_exit(result);
}

int __c_wait_for_signal(void *condition, void *mutex) __asm__("__c_cond_wait");
int __c_wait_for_signal(void *condition, void *mutex)
{
    int site = __c_site, next = __c_resumes();
    __c_real_unlock(mutex);
    if (next != 1) __c_stop();
    for (; next == 1; next = __c_resumes()) __c_wait_for_turn(site, 1);
    __c_real_lock(mutex);
    return 0;
}

int __c_tell_waiters(void *condition) __asm__("__c_cond_signal");
int __c_tell_waiters(void *condition) { return 0; }

int __c_meet(void *barrier) __asm__("__c_barrier_wait");
int __c_meet(void *barrier)
{
    int site = __c_site, result = __c_result();
    while (__c_resumes() == 1) __c_wait_for_turn(site, 1);
    return result;
}
