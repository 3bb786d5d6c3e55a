// VIOLATED
struct _IO_FILE;
extern struct _IO_FILE *stdin;
extern int getchar(void);
extern int getc(struct _IO_FILE *stream);
extern int rand(void);
extern long time(long *to);
extern void reach_error(void);
int main(void)
{
    long now;
    int typed = getchar();
    time(&now);
    if (typed == 'q' && getc(stdin) == 'x' && rand() % 100 == 7 && now == 77)
        reach_error();
    return 0;
}
