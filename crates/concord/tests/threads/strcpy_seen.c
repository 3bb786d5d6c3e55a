// assert VIOLATED
#include <pthread.h>
#include <assert.h>
#include <string.h>
char text[8];
void *f(void *a) { strcpy(text, "Shared"); return 0; }
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    assert(text[0] == 0 || text[5] == 'd');
    return 0;
}
