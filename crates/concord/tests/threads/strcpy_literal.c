// assert HOLDS
#include <pthread.h>
#include <assert.h>
#include <string.h>
char text[8];
void *f(void *a) { strcpy(text, "Shared"); return 0; }
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    pthread_join(p, 0);
    assert(text[0] == 'S' && text[5] == 'd' && text[6] == 0);
    return 0;
}
