// VIOLATED
typedef struct _IO_FILE FILE;
extern FILE *fopen(const char *name, const char *mode);
extern int fclose(FILE *file);
extern int getpid(void);
extern void reach_error(void);
int main(void)
{
    FILE *file;
    getpid();
    fopen("greeting", "w");
    file = fopen("settings", "r");
    if (!file && getpid() == 12)
        reach_error();
    if (file)
        fclose(file);
    return 0;
}
