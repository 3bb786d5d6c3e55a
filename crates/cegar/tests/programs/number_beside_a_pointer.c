// HOLDS
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
extern void *malloc(unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct node { struct node *next; int kind; char text[4]; };
int main(void) {
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    memset(a, 0, sizeof *a); memset(b, 0, sizeof *b);
    a->next = b; a->kind = 3; int which = __VERIFIER_nondet_int(); if (which != 3) a->kind = which; a->text[0] = 7; b->next = a;
    struct node copy; memcpy(&copy, a, sizeof copy);
    unsigned char *p = (unsigned char *)&copy;
    if (copy.kind != which || p[8] != (which & 255) || copy.text[0] + copy.text[1] != 7) reach_error();
    if (copy.next != b) reach_error();
    free(a); free(b); return 0;
}
