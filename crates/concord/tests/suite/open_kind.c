// Open within two rounds.
#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int wanted = __VERIFIER_nondet_int();
    for (int round = 0; round < 1000; round++) {
        assert(round != wanted || round * round != 810000);
    }
    return 0;
}
