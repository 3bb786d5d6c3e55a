#include <pthread.h>
#include <stdio.h>
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&lock);
        count += *(int *)argument;
        pthread_mutex_unlock(&lock);
    }
    return argument;
}
int main(void)
{
    pthread_t t[3];
    int step[3] = {1, 2, 3};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, &step[i]);
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(t[i], &result);
        if (result != &step[i])
            return 1;
    }
    printf("%d\n", count);
    return 0;
}
// SCHEDULE 5
// OUTPUT 6000
// GCC
