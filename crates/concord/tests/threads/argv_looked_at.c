// assert UNDECIDED
#include <pthread.h>
#include <assert.h>
int x;
void *f(void *a) { x = 1; return 0; }
int main(int argc, char *argv[])
{
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    assert(argv != (char **)64);
    return x;
}
