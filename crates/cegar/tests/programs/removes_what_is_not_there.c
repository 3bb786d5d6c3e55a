// VIOLATED: opening fails for a reason, and a file of that name may have come to be since
typedef struct file FILE;
extern FILE *fopen(const char *, const char *);
extern int remove(const char *);
extern int *__errno_location(void);
extern void reach_error(void);
int main(void)
{
    *__errno_location() = 0;
    FILE *f = fopen("no such file of ours", "r");
    if (!f && *__errno_location() == 13 && remove("no such file of ours") == 0)
        reach_error();
    return 0;
}
