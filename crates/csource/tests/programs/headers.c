/* The headers that programs use most, and something of each. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

_Static_assert(sizeof(long) == sizeof(void *), "both data models have this");

struct packet {
    uint8_t kind;
    uint32_t length;
    char payload[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf back;

static int sum(int count, ...)
{
    va_list values;
    int total = 0;
    va_start(values, count);
    for (int i = 0; i < count; i++)
        total += va_arg(values, int);
    va_end(values);
    return total;
}

static void *worker(void *argument)
{
    bool done = false;
    pthread_mutex_lock(&lock);
    while (!done) {
        assert(argument != NULL);
        done = isalpha('x') && INT_MAX > 0 && offsetof(struct packet, payload) > 0;
    }
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (setjmp(back) != 0)
        return EXIT_FAILURE;
    if (pthread_create(&thread, NULL, worker, argv) != 0)
        perror("pthread_create");
    printf("%d %" PRIu64 "\n", sum(3, 1, 2, argc), (uint64_t)1);
    errno = 0;
    if (isnan(0.0) || isinf(1.0f) || signbit(-1.0L))
        longjmp(back, 1);
    return pthread_join(thread, NULL);
}
