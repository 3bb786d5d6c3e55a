/* Two tasks that share two buffers, each behind a lock. The second takes the locks the other way round. */
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

static void copy_back(int task)
{
    take_output(task);
    take_input(task);
    give_input(task);
    give_output(task);
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
        copy_back(2);
    }
    return 0;
}
