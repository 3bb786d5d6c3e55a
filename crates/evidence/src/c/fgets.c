extern int read_character(void *) __asm__("fgetc");
char *fgets(char *to, int size, void *from)
{
    int at = 0, c = 0;
    for (int k = 0; k < size; k++)
        ((volatile char *)to)[k]; /* all of it must be there */
    while (c != '\n' && at < size - 1 && (c = read_character(from)) != -1)
        to[at++] = (char)c;
    if (!at)
        return 0;
    to[at] = 0;
    return to;
}
