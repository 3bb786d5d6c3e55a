#include <pthread.h>
static int count;
static void *work(void *argument)
{
    for (int i = 0; i < 10; i++) {
        int before = count;
        count = before + 1;
    }
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return count < 20; // EXIT 1
}
// SCHEDULE 1
