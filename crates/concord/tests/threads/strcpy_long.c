// bounds VIOLATED
#include <pthread.h>
#include <assert.h>
#include <string.h>
char text[6];
void *f(void *a) { strcpy(text, "Shared"); return 0; }
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, f, 0);
    text[0] = 1;
    pthread_join(p, 0);
    return 0;
}
