// UNDECIDED!  a record with address bytes is passed and returned: must never become HOLDS
extern void *memcpy(void *, const void *, unsigned long);
extern void reach_error(void);
struct eight { unsigned char b[8]; };
static int x;
static struct eight same(struct eight e) { return e; }
int main(void) {
    int *p = &x; struct eight e; memcpy(&e, &p, 8);
    struct eight f = same(e);
    if (f.b[1] == 77) reach_error();
    return 0;
}
