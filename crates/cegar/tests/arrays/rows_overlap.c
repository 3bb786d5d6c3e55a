// FAILS
extern void reach_error(void);
int a[60000];
int main(void) {
    int i, j;
    for (i = 299; i >= 0; i--)
        for (j = 0; j < 201; j++)
            if (200 * i + j < 60000) a[200 * i + j] = i;
    for (i = 0; i < 300; i++)
        for (j = 0; j < 200; j++)
            if (a[200 * i + j] != i) reach_error();
    return 0;
}
