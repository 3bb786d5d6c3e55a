/* A tank with a pump and a valve. Sensors are inputs; the level is what the program believes. */
extern int __VERIFIER_nondet_int(void);

int level;
int pump;
int alarm;

int main(void) {
    for (;;) {
        int flow = __VERIFIER_nondet_int();
        pump = level < 3;
        if (level < 3 && flow > 0)
            level = level + 1;
        else if (flow < 0 && level > 0)
            level = level - 1;
        if (level >= 3)
            alarm = 1;
    }
}
