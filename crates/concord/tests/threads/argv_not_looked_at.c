// assert VIOLATED
#include <pthread.h>
#include <assert.h>
#include <stdlib.h>
int x, most = 1;
void *f(void *a) { x = x + 1; return 0; }
int main(int argc, char *argv[])
{
    pthread_t p, q;
    if (argc > 1) most = atoi(argv[1]);
    pthread_create(&p, 0, f, 0);
    pthread_create(&q, 0, f, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    assert(x <= most);
    return 0;
}
