// VIOLATED
extern void reach_error(void);
int main(void) {
    unsigned x = 0, z = 1500000;
    while (x < 3000000) {
        if (x >= 1500000) z--;
        x++;
    }
    if (z == 0) reach_error();
    return 0;
}
