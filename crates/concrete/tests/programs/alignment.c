#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdalign.h>
static alignas(128) char global[3];
struct wide { alignas(32) int x; char c; };
static int check(int n)
{
    char c = 1;
    alignas(64) char block[5];
    struct wide w[2];
    long double l = 0;
    void *h = malloc(1), *a = aligned_alloc(256, 512), *p;
    int bad = posix_memalign(&p, 1024, 10);
    bad |= (uintptr_t)block % 64 || (uintptr_t)&w[1] % 32 || (uintptr_t)&l % 16 || (uintptr_t)global % 128;
    bad |= (uintptr_t)h % 16 || (uintptr_t)a % 256 || (uintptr_t)p % 1024 || c != 1;
    free(h);
    free(a);
    free(p);
    return n ? bad | check(n - 1) : bad;
}
int main(void)
{
    printf("%d %d %d\n", check(5), (int)sizeof(struct wide), (int)alignof(struct wide));
    return 0;
}
// OUTPUT 0 32 32
// GCC
