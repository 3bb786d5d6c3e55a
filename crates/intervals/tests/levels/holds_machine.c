/* A state machine with a stack. */
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
enum state { IDLE, RUN, WAIT, DONE };
static int stack[8];
static int top;
static void push(int v) { if (top < 8) stack[top++] = v; }
static int pop(void) { return top > 0 ? stack[--top] : -1; }
int main(void) {
    enum state s = IDLE;
    int steps = 0, last = 0;
    static const int weight[4] = {1, 5, 2, 9};
    while (s != DONE && steps < 50) {
        int in = __VERIFIER_nondet_int();
        switch (s) {
        case IDLE: if (in > 0) { s = RUN; push(steps); } break;
        case RUN: if (in < 0) { last = pop(); s = WAIT; } else push(in & 15); break;
        case WAIT: s = in == 3 ? DONE : RUN; break;
        default: break;
        }
        steps++;
        assert(top >= 0 && top <= 8);
        last += weight[s];
    }
    return last;
}
