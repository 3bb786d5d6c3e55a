/* `<=` where `<` is meant: the write is one past the array. */
int main(void) {
    int buf[16];
    int i;
    for (i = 0; i <= 16; i++)
        buf[i] = i;
    return buf[3];
}
