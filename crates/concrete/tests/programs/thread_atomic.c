#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int count;
static void __VERIFIER_atomic_add(int n)
{
    int before = count;
    count = before + n;
}
static void *work(void *argument)
{
    for (int i = 0; i < 50; i++) {
        __VERIFIER_atomic_begin();
        int before = count;
        count = before + 1;
        __VERIFIER_atomic_end();
        __VERIFIER_atomic_add(1);
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
    return count; // EXIT 200
}
// SCHEDULE 3
