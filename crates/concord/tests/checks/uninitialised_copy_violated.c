// uninitialised VIOLATED
// A copy of what was never written is as unwritten.
extern int __VERIFIER_nondet_int(void);
void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
void *malloc(unsigned long);
void *calloc(unsigned long, unsigned long);
void free(void *);
struct record { int first; char text[4]; int last; };
int main(void)
{
    struct record one, two, *block = malloc(sizeof *block);
    int *cleared = calloc(4, sizeof *cleared), result = 0, at = __VERIFIER_nondet_int();
    one.first = at;
    memset(one.text, 0, sizeof one.text);
    memcpy(&two, &one, sizeof two); /* `last` is copied without a value */
    block->last = two.first;
    if (at >= 0 && at < 4)
        result = two.last + block->last + cleared[at];
    free(block);
    free(cleared);
    return result;
}
