// HOLDS
extern void *__VERIFIER_nondet_pointer(void);
extern void reach_error(void);
int x;
int main(void) {
    void *p = __VERIFIER_nondet_pointer();
    int is_x = p == (void *)&x;
    if (is_x != 0 && is_x != 1) reach_error();
    return 0;
}
