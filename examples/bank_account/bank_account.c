/* Two threads move money between two accounts. With -DNO_LOCK they do it without a lock. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

#define ROUNDS 50

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long savings = 1000, current = 1000;

static void transfer(long *from, long *to, long amount)
{
#ifndef NO_LOCK
    pthread_mutex_lock(&lock);
#endif
    if (*from >= amount) {
        long rest = *from - amount;
        *to = *to + amount;
        *from = rest;
    }
#ifndef NO_LOCK
    pthread_mutex_unlock(&lock);
#endif
}

static void *spender(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++)
        transfer(&savings, &current, 7);
    return NULL;
}

static void *saver(void *amount)
{
    for (int i = 0; i < ROUNDS; i++)
        transfer(&current, &savings, *(long *)amount);
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    long amount = 5;

    if (pthread_create(&one, NULL, spender, NULL) || pthread_create(&two, NULL, saver, &amount))
        return 2;
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("savings %ld, current %ld\n", savings, current);
    assert(savings + current == 2000);
    return 0;
}
