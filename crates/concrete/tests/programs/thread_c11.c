// GCC
// OUTPUT destroyed 5
// OUTPUT 2 7 once 3
// EXIT 0
#include <stdio.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t condition;
static once_flag flag = ONCE_FLAG_INIT;
static tss_t key;
static int count, calls;

static void begin(void) { calls++; }
static void destroy(void *value) { printf("destroyed %d\n", *(int *)value); }

static int run(void *argument)
{
    static int kept = 5;
    call_once(&flag, begin);
    mtx_lock(&mutex);
    mtx_lock(&mutex);
    count++;
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    mtx_unlock(&mutex);
    if (argument) {
        tss_set(key, &kept);
        thrd_exit(3);
    }
    return 7;
}

int main(void)
{
    thrd_t one, two;
    int first, second;
    if (mtx_init(&mutex, mtx_plain | mtx_recursive) != thrd_success || cnd_init(&condition) != thrd_success)
        return 1;
    tss_create(&key, destroy);
    thrd_create(&one, run, NULL);
    thrd_join(one, &first);
    mtx_lock(&mutex);
    count = 1;
    mtx_unlock(&mutex);
    thrd_create(&two, run, &first);
    mtx_lock(&mutex);
    while (count < 2)
        cnd_wait(&condition, &mutex);
    mtx_unlock(&mutex);
    thrd_join(two, &second);
    printf("%d %d %s %d\n", count, first, calls == 1 ? "once" : "often", second);
    return 0;
}
