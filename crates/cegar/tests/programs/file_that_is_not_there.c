// VIOLATED
typedef struct _IO_FILE FILE;
extern FILE *fopen(const char *name, const char *mode);
extern int remove(const char *name);
extern void reach_error(void);
int main(void)
{
    FILE *file;
    remove("greeting");
    fopen("greeting", "w");
    file = fopen("settings", "r");
    if (!file && remove("settings") == -1)
        reach_error();
    return 0;
}
