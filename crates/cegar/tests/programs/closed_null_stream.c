// UNDECIDED: to close a null stream is undefined
typedef struct _IO_FILE FILE;
extern FILE *fopen(const char *name, const char *mode);
extern int fclose(FILE *file);
extern void reach_error(void);
int main(void)
{
    FILE *file = fopen("settings", "r");
    fclose(file);
    if (!file)
        reach_error();
    return 0;
}
