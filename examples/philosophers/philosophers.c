/* Three philosophers, three forks, one lock. Whoever wants to eat takes the lock, then the left fork, and then either goes
 * for the right fork or gives up. */
void take_lock(int who);
void give_lock(int who);
void take_left(int who);
void give_left(int who);
void reach_out(int who); /* from here on only the right fork will do */
void take_right(int who);
void give_right(int who);
int is_hungry(void);

static void dine(int who)
{
    take_lock(who);
    take_left(who);
    if (is_hungry()) {
        reach_out(who);
        take_right(who);
        give_lock(who);
        give_right(who);
    } else {
        give_lock(who);
    }
    give_left(who);
}

int philosopher_1(void)
{
    while (1) {
        dine(1);
    }
    return 0;
}

int philosopher_2(void)
{
    while (1) {
        dine(2);
    }
    return 0;
}

int philosopher_3(void)
{
    while (1) {
        dine(3);
    }
    return 0;
}
