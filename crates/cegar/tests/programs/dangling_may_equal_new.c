// UNDECIDED!  whether an address is used again is open: must never become HOLDS
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
int main(void) {
    char *p = malloc(4);
    free(p);
    char *q = malloc(4);
    if (p == q) reach_error();
    return 0;
}
