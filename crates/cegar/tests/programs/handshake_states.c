// HOLDS
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum { IDLE = 100, HELLO = 210, KEYS = 220, RESUME = 230, FLUSH = 300, DONE = 400 };

int main(void)
{
    int state = IDLE, next = DONE, seen = 0;
    int resumes = __VERIFIER_nondet_int();
    for (;;) {
        int received = __VERIFIER_nondet_int();
        if (state == IDLE) {
            seen = 0;
            state = HELLO;
        } else if (state == HELLO) {
            if (received < 0)
                continue;
            seen = seen + 1;
            next = resumes ? RESUME : KEYS;
            state = FLUSH;
        } else if (state == KEYS) {
            seen = 2;
            next = DONE;
            state = FLUSH;
        } else if (state == RESUME) {
            if (seen == 2)
                reach_error();
            next = DONE;
            state = FLUSH;
        } else if (state == FLUSH) {
            state = next;
        } else if (state == DONE) {
            if (resumes && seen == 2)
                reach_error();
            state = IDLE;
        } else {
            reach_error();
        }
    }
}
