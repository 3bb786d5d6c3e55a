// UNDECIDED: to read from a null stream is undefined
typedef struct _IO_FILE FILE;
extern FILE *fopen(const char *name, const char *mode);
extern int getc(FILE *file);
extern void reach_error(void);
int main(void)
{
    FILE *file = fopen("settings", "r");
    int c = getc(file);
    if (!file && c == 120)
        reach_error();
    return 0;
}
