#include <stdlib.h>
#include <stdio.h>
static void a(void) { puts("a"); }
static void b(void) { puts("b"); }
__attribute__((constructor)) static void begin(void) { puts("begin"); }
__attribute__((destructor)) static void end(void) { puts("end"); }
static void leave(void) { exit(300); }
int main(void)
{
    atexit(a);
    atexit(b);
    leave();
    puts("never");
}
// OUTPUT begin
// OUTPUT b
// OUTPUT a
// OUTPUT end
// GCC
