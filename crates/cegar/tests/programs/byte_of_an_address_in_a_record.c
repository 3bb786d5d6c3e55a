// UNDECIDED!  a byte of an address is compared: must never become HOLDS
extern void *memset(void *, int, unsigned long);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct node { struct node *next; int kind; };
int main(void) {
    struct node a; memset(&a, 0, sizeof a); a.next = &a; a.kind = 1;
    unsigned char *p = (unsigned char *)&a;
    if (p[__VERIFIER_nondet_int() & 15] == 77) reach_error();
    return 0;
}
