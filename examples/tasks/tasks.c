/* Two tasks that share two buffers, each behind a lock. Both take the locks in the same order. */
void take_input(int task);
void take_output(int task);
void give_input(int task);
void give_output(int task);

static void copy(int task)
{
    take_input(task);
    take_output(task);
    give_output(task);
    give_input(task);
}

int first(void)
{
    while (1) {
        copy(1);
    }
    return 0;
}

int second(void)
{
    while (1) {
        copy(2);
    }
    return 0;
}
